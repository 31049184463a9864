// The commands behind `pliant NAME`: each takes the words after its name and returns the exit code.

#ifndef PL_COMMANDS_H
#define PL_COMMANDS_H

int pl_command_mesh(int argc, char **argv);
int pl_command_run(int argc, char **argv);
int pl_command_audit(int argc, char **argv);
int pl_command_render(int argc, char **argv);
int pl_command_view(int argc, char **argv);
int pl_command_solve(int argc, char **argv);
int pl_command_plot(int argc, char **argv);
int pl_command_ccd(int argc, char **argv);
int pl_command_bench(int argc, char **argv);

// Prints pl_error_text() to standard error and returns 1, the exit code of every failure.
int pl_command_failed(void);

#endif
