// The commands behind `pliant NAME`.

#ifndef PL_COMMANDS_H
#define PL_COMMANDS_H

typedef struct pl_command_entry {
    const char *name;
    int (*run)(int argc, char **argv); // takes the words after the name, returns the exit code
    const char *summary;               // half a sentence
} pl_command_entry;

extern const pl_command_entry pl_commands[];
extern const int pl_n_command;

int pl_command_mesh(int argc, char **argv);
int pl_command_import(int argc, char **argv);
int pl_command_run(int argc, char **argv);
int pl_command_audit(int argc, char **argv);
int pl_command_render(int argc, char **argv);
int pl_command_view(int argc, char **argv);
int pl_command_solve(int argc, char **argv);
int pl_command_plot(int argc, char **argv);
int pl_command_ccd(int argc, char **argv);
int pl_command_bench(int argc, char **argv);
int pl_command_info(int argc, char **argv);

// Prints pl_error_text() to standard error and returns 1, the exit code of every failure.
int pl_command_failed(void);

#endif
