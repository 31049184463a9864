// The `pliant` command: finds the sub-command and hands over.

#include "commands.h"
#include "help.h"
#include "../../base/base.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { COMMANDS_MAX = 16 };

#ifdef PL_OPENBLAS
void openblas_set_num_threads(int n); // of a header that is not always there
#endif

static void print_log(pl_log_level level, const char *text, void *user)
{
    (void)user;
    fflush(stdout);
    if (isatty(STDERR_FILENO) == 1) fprintf(stderr, "\r\033[K"); // over a line of progress
    fprintf(stderr, "pliant: %s%s\n", level == PL_LOG_WARNING ? "warning: " : "", text);
}

static int print_help(const char *name)
{
    pl_help_format format;
    bool ok = pl_help_find(name, &format) == PL_OK && pl_help_print(format) == PL_OK;
    return ok ? 0 : pl_command_failed();
}

static int run_command(const char *name, int argc, char **argv)
{
    const char *names[COMMANDS_MAX];
    PL_ASSERT(pl_n_command <= COMMANDS_MAX);
    for (int i = 0; i < pl_n_command; i++) {
        if (strcmp(name, pl_commands[i].name) == 0) return pl_commands[i].run(argc, argv);
        names[i] = pl_commands[i].name;
    }
    pl_fail_unknown(PL_ERROR_ARGUMENT, "command", name, strlen(name), names, pl_n_command);
    return pl_command_failed();
}

static int run(int argc, char **argv)
{
#ifdef PL_OPENBLAS
    openblas_set_num_threads(1); // threads of its own would change bits, and spin beside ours
#endif
    const char *name = argc > 1 ? argv[1] : "--help", *format;
    if (pl_help_asked(name, &format)) {
        int code = print_help(format);
        return argc > 1 ? code : 1;
    }
    if (strcmp(name, "help") == 0) return print_help("text");
    if (strcmp(name, "--version") == 0) {
        printf("pliant %s\n", pl_version());
        return 0;
    }
    return run_command(name, argc - 2, argv + 2);
}

// What was printed and did not arrive is a failure, whatever the command says of itself.
static int end(int code)
{
    bool before = ferror(stdout) != 0;
    bool now = fflush(stdout) != 0;
    if (!before && !now) return code;
    pl_fail(PL_ERROR_FILE, "standard output: cannot write%s%s", now ? ": " : "",
            now ? strerror(errno) : "");
    return pl_command_failed();
}

int main(int argc, char **argv)
{
    pl_set_log(print_log, NULL);
    return end(run(argc, argv));
}
