// Help for people, for `man` and for bash, all from the tables of options.

#ifndef PL_HELP_H
#define PL_HELP_H

#include "args.h"

typedef enum pl_help_format {
    PL_HELP_TEXT,   // --help
    PL_HELP_MAN,    // --help=man: a manual page in roff
    PL_HELP_BASH,   // --help=bash: a script that completes command lines
    PL_HELP_SCENES, // --help=scenes: the names of scenes, one per line
} pl_help_format;

// Is it --help, -h or --help=FORMAT? Then *name is the format: "text" if none is given; else NULL.
bool pl_help_asked(const char *word, const char **name);
pl_status pl_help_find(const char *name, pl_help_format *out);

// Print to standard output: of the whole, or of one command. The script of the whole has the parts
// of all commands within it.
pl_status pl_help_print(pl_help_format format);
pl_status pl_help_print_command(const pl_command *command, pl_help_format format);

// One format each.
void pl_man_print(void);
void pl_man_print_command(const pl_command *command);
void pl_bash_print(void);
void pl_bash_print_command(const pl_command *command);

#endif
