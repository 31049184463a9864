#include "interrupt.h"

#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static volatile sig_atomic_t interrupted;

static void interrupt(int signal)
{
    (void)signal;
    if (interrupted) _exit(PL_EXIT_INTERRUPTED);
    interrupted = 1;
}

static void catch_signal(int number)
{
    struct sigaction action = {.sa_handler = interrupt, .sa_flags = SA_RESTART}, before;
    sigemptyset(&action.sa_mask);
    if (sigaction(number, NULL, &before) == 0 && before.sa_handler == SIG_IGN) return;
    sigaction(number, &action, NULL);
}

void pl_interrupt_catch(void)
{
    catch_signal(SIGINT);
    catch_signal(SIGTERM);
}

bool pl_interrupted(void)
{
    return interrupted;
}
