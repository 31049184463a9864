// Ctrl-C, for work that is worth to be ended in order.

#ifndef PL_INTERRUPT_H
#define PL_INTERRUPT_H

#include <stdbool.h>

enum { PL_EXIT_INTERRUPTED = 130 };

// From now on, SIGINT and SIGTERM only ask for an end, and the second one of them ends the process
// at once. A signal that the shell told us to ignore stays ignored.
void pl_interrupt_catch(void);

// Has somebody asked?
bool pl_interrupted(void);

#endif
