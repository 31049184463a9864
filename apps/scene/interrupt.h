// Ctrl-C, for work that is worth to be ended in order; and a time limit for work that is not.

#ifndef PL_INTERRUPT_H
#define PL_INTERRUPT_H

#include <stdbool.h>

enum { PL_EXIT_INTERRUPTED = 130 };

// From now on, SIGINT and SIGTERM only ask for an end, and the second one of them ends the process
// at once. A signal that the shell told us to ignore stays ignored.
void pl_interrupt_catch(void);

// Has somebody asked?
bool pl_interrupted(void);

// Ends the process with `code` and `text` on standard error if `seconds` of wall clock
// pass before pl_leave_never is called: for work that nobody can interrupt and that leaves nothing
// behind.
void pl_leave_after(double seconds, int code, const char *text);
void pl_leave_never(void);

#endif
