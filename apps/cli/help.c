#include "help.h"
#include "commands.h"
#include "../scene/scene_find.h"

#include <stdio.h>
#include <string.h>

static const char *const FORMATS[] = {[PL_HELP_TEXT] = "text",
                                      [PL_HELP_MAN] = "man",
                                      [PL_HELP_BASH] = "bash",
                                      [PL_HELP_SCENES] = "scenes"};
enum { N_FORMATS = 4 };

bool pl_help_asked(const char *word, const char **name)
{
    static const char with_format[] = "--help=";
    size_t length = sizeof with_format - 1;
    bool has_format = strncmp(word, with_format, length) == 0;
    bool plain = strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
    *name = has_format ? word + length : plain ? FORMATS[PL_HELP_TEXT] : NULL;
    return *name != NULL;
}

pl_status pl_help_find(const char *name, pl_help_format *out)
{
    for (int i = 0; i < N_FORMATS; i++) {
        if (strcmp(name, FORMATS[i]) != 0) continue;
        *out = (pl_help_format)i;
        return PL_OK;
    }
    return pl_fail_unknown(PL_ERROR_ARGUMENT, "kind of help", name, strlen(name), FORMATS,
                           N_FORMATS);
}

static void print_text(void)
{
    printf(
        "usage: pliant COMMAND ...\n\nPliant %s simulates elastic and rigid bodies in contact.\n\n",
        pl_version());
    for (int i = 0; i < pl_n_command; i++) {
        printf("  %-8s %s\n", pl_commands[i].name, pl_commands[i].summary);
    }
    printf("\n'pliant COMMAND --help' tells more; 'pliant --help=scenes' lists scenes by name;\n"
           "'pliant --version' prints the version.\n");
}

static void print_command_text(const pl_command *command)
{
    printf("usage: pliant %s\n\n%s\n\n", command->usage, command->summary);
    for (int i = 0; i < command->n_options; i++) {
        const pl_option *option = &command->options[i];
        char left[64];
        snprintf(left, sizeof left, "%s %s", option->name,
                 option->argument != NULL ? option->argument : "");
        printf("  %-24s %s\n", left, option->help);
    }
    if (command->notes != NULL) printf("\n%s", command->notes);
}

pl_status pl_help_print(pl_help_format format)
{
    if (format == PL_HELP_TEXT) print_text();
    if (format == PL_HELP_MAN) pl_man_print();
    if (format == PL_HELP_BASH) pl_bash_print();
    return format == PL_HELP_SCENES ? pl_scene_print_names() : PL_OK;
}

pl_status pl_help_print_command(const pl_command *command, pl_help_format format)
{
    if (format == PL_HELP_TEXT) print_command_text(command);
    if (format == PL_HELP_MAN) pl_man_print_command(command);
    if (format == PL_HELP_BASH) pl_bash_print_command(command);
    return format == PL_HELP_SCENES ? pl_scene_print_names() : PL_OK;
}
