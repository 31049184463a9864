#include "interrupt.h"

#include <math.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
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

// --- A time limit ---

static char farewell[256];
static int farewell_code;

// Only calls that a signal handler may make.
static void leave(int signal)
{
    (void)signal;
    ssize_t ignored = write(STDERR_FILENO, farewell, strlen(farewell));
    (void)ignored;
    _exit(farewell_code);
}

void pl_leave_after(double seconds, int code, const char *text)
{
    snprintf(farewell, sizeof farewell, "%s", text);
    farewell_code = code;
    struct sigaction action = {.sa_handler = leave};
    sigemptyset(&action.sa_mask);
    sigaction(SIGALRM, &action, NULL);
    double most = 1e9, given = fmax(fmin(seconds, most), 1e-6); // 0 would call it off
    double whole = floor(given);
    struct itimerval timer = {.it_value = {(time_t)whole, (suseconds_t)(1e6 * (given - whole))}};
    setitimer(ITIMER_REAL, &timer, NULL);
}

void pl_leave_never(void)
{
    const struct itimerval none = {0};
    setitimer(ITIMER_REAL, &none, NULL);
}
