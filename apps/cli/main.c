// The `pliant` command: finds the sub-command and hands over.

#include "commands.h"
#include "../../base/base.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct entry {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *summary;
} entry;

static const entry commands[] = {
    {"mesh", pl_command_mesh,
     "read, check, clean, decimate, fill with tetrahedra and write meshes"},
    {"run", pl_command_run, "simulate a scene"},
    {"render", pl_command_render, "draw meshes, a scene or a run into a picture or a film"},
    {"view", pl_command_view, "play with a scene in a window"},
    {"audit", pl_command_audit, "prove that surfaces do not intersect, or show where they do"},
    {"solve", pl_command_solve, "solve recorded contact problems again, with any solver"},
    {"plot", pl_command_plot, "draw the statistics of runs"},
    {"ccd", pl_command_ccd, "try continuous collision detection on queries with known answers"},
    {"bench", pl_command_bench, "measure Pliant on this machine"},
};

enum { COMMANDS = sizeof commands / sizeof commands[0] };

static void print_log(pl_log_level level, const char *text, void *user)
{
    (void)user;
    fflush(stdout);
    if (isatty(STDERR_FILENO) == 1) fprintf(stderr, "\r\033[K"); // over a line of progress
    fprintf(stderr, "pliant: %s%s\n", level == PL_LOG_WARNING ? "warning: " : "", text);
}

static void print_help(void)
{
    printf(
        "usage: pliant COMMAND ...\n\nPliant %s simulates elastic and rigid bodies in contact.\n\n",
        pl_version());
    for (int i = 0; i < COMMANDS; i++) printf("  %-8s %s\n", commands[i].name, commands[i].summary);
    printf("\n'pliant COMMAND --help' tells more; 'pliant --version' prints the version.\n");
}

static int run(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "--help";
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0) {
        print_help();
        return argc > 1 ? 0 : 1;
    }
    if (strcmp(name, "--version") == 0) {
        printf("pliant %s\n", pl_version());
        return 0;
    }
    const char *names[COMMANDS];
    for (int i = 0; i < COMMANDS; i++) {
        if (strcmp(name, commands[i].name) == 0) return commands[i].run(argc - 2, argv + 2);
        names[i] = commands[i].name;
    }
    pl_fail_unknown(PL_ERROR_ARGUMENT, "command", name, strlen(name), names, COMMANDS);
    return pl_command_failed();
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
