// The words after `pliant COMMAND`: a table of options and what is left over.

#ifndef PL_ARGS_H
#define PL_ARGS_H

#include "../../base/base.h"

typedef enum pl_option_kind {
    PL_OPTION_FLAG,    // bool
    PL_OPTION_COUNT,   // int32_t, 1 or more
    PL_OPTION_THREADS, // the same, and no more than there can be
    PL_OPTION_NUMBER,  // double, above 0
    PL_OPTION_TEXT,    // const char *
} pl_option_kind;

typedef struct pl_option {
    const char *name;     // "--faces"; "-o" for one with a single letter
    pl_option_kind kind;  // what `value` points to
    void *value;          // keeps its value if the option is not given
    const char *argument; // as the help names it: "N", or "x|y|z"; NULL for a flag
    const char *help;
} pl_option;

// The values that an argument can have, as far as they have names: for the completion of words.
typedef struct pl_choice {
    const char *argument;           // as in the table of options, or in the usage: "SOLVER"
    const char *(*name)(int32_t i); // of value 0, 1, ...; NULL after the last
} pl_choice;

typedef struct pl_command {
    const char *usage;   // "mesh IN [-o OUT] [options]"
    const char *summary; // a sentence or two
    const pl_option *options;
    int n_options;
    // Lines printed after the options; may be NULL. An empty line ends a paragraph; one that is
    // laid out by columns has lines with two blanks in a row, or one at the start.
    const char *notes;
    int least, most;          // how many plain words it takes
    const pl_choice *choices; // ends with one that is all NULL; may be NULL
} pl_command;

// The solvers of contact problems, for such a table.
const char *pl_choice_solver(int32_t i);

// Reads argv (argc): sets the options' values and moves the plain words to the front of argv, their
// number to *n_words. "--" ends the options; "--name=value" and "--name value" are the same.
// Returns true if the command is to go on. Otherwise it is over, with *exit_code: help was asked
// for (see help.h) and printed, or something is wrong and was said.
bool pl_args_read(const pl_command *command, int argc, char **argv, int *n_words, int *exit_code);

// Warns that an option changes nothing here, if it is given; `why` is the rest of the sentence.
void pl_args_no_effect(bool given, const char *option, const char *why);

#endif
