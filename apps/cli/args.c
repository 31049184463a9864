#include "args.h"
#include "commands.h"
#include "help.h"
#include "../../base/number.h"
#include "../../base/team.h"

#include <stdio.h>
#include <string.h>

enum { OPTIONS_MAX = 32, NUMBER_TEXT = 64 };

static pl_status read_number(const char *text, double *value)
{
    char padded[NUMBER_TEXT + 16] = {0}; // the parser may look at eight bytes at once
    size_t length = strlen(text);
    if (length > 0 && length < NUMBER_TEXT) {
        memcpy(padded, text, length);
        const char *end = pl_parse_double(padded, value);
        if (end == padded + length) return PL_OK;
    }
    return pl_fail(PL_ERROR_ARGUMENT, "\"%s\" is not a number", text);
}

static pl_status set_value(const pl_option *option, const char *text)
{
    double number = 0;
    switch (option->kind) {
    case PL_OPTION_FLAG:
        *(bool *)option->value = true;
        return PL_OK;
    case PL_OPTION_TEXT:
        *(const char **)option->value = text;
        return PL_OK;
    case PL_OPTION_THREADS:
    case PL_OPTION_COUNT:
        PL_TRY(read_number(text, &number));
        if (!(number >= 1 && number <= INT32_MAX) || number != (double)(int32_t)number) {
            return pl_fail(PL_ERROR_ARGUMENT, "\"%s\" is not a whole number above 0", text);
        }
        if (option->kind == PL_OPTION_THREADS && number > PL_MAX_THREADS) {
            return pl_fail(PL_ERROR_ARGUMENT, "%s is more than %d, which is the limit", text,
                           (int)PL_MAX_THREADS);
        }
        *(int32_t *)option->value = (int32_t)number;
        return PL_OK;
    case PL_OPTION_NUMBER:
        PL_TRY(read_number(text, &number));
        if (!(number > 0)) return pl_fail(PL_ERROR_ARGUMENT, "\"%s\" is not above 0", text);
        *(double *)option->value = number;
        return PL_OK;
    }
    return PL_OK;
}

static const pl_option *find_option(const pl_command *command, const char *word, size_t length)
{
    for (int i = 0; i < command->n_options; i++) {
        const char *name = command->options[i].name;
        if (strlen(name) == length && memcmp(name, word, length) == 0) return &command->options[i];
    }
    return NULL;
}

// Options that had another name before.
static const struct {
    const char *old, *name;
} renamed[] = {
    {"--eps1", "--residual-tolerance"}, {"--eps2", "--contact-tolerance"}, {"--paper", "--vj19"}};

// By its old name; the log tells the new one.
static const pl_option *find_renamed(const pl_command *command, const char *word, size_t length)
{
    for (size_t i = 0; i < sizeof renamed / sizeof *renamed; i++) {
        const char *old = renamed[i].old, *name = renamed[i].name;
        if (strlen(old) != length || memcmp(old, word, length) != 0) continue;
        const pl_option *option = find_option(command, name, strlen(name));
        if (option != NULL) pl_log(PL_LOG_WARNING, "%s is now called %s", old, name);
        return option;
    }
    return NULL;
}

// Reads the option at argv[*i] and its value, if it takes one.
static pl_status read_option(const pl_command *command, int argc, char **argv, int *i)
{
    const char *word = argv[*i];
    size_t length = strcspn(word, "=");
    const pl_option *option = find_option(command, word, length);
    if (option == NULL) option = find_renamed(command, word, length);
    if (option == NULL) {
        const char *names[OPTIONS_MAX];
        for (int k = 0; k < command->n_options; k++) names[k] = command->options[k].name;
        return pl_fail_unknown(PL_ERROR_ARGUMENT, "option", word, length, names,
                               command->n_options);
    }
    const char *value = word[length] == '=' ? word + length + 1 : NULL;
    if (option->kind == PL_OPTION_FLAG) {
        if (value != NULL) return pl_fail(PL_ERROR_ARGUMENT, "%s takes no value", option->name);
    } else if (value == NULL) {
        if (*i + 1 >= argc) {
            return pl_fail(PL_ERROR_ARGUMENT, "%s needs a value: %s %s", option->name, option->name,
                           option->argument);
        }
        value = argv[++*i];
    }
    pl_status status = set_value(option, value);
    if (status != PL_OK) pl_fail_prefix(option->name);
    return status;
}

// *help is the format that is asked for, NULL if none is.
static pl_status read_words(const pl_command *command, int argc, char **argv, int *n_words,
                            const char **help)
{
    PL_ASSERT(command->n_options <= OPTIONS_MAX);
    *n_words = 0;
    *help = NULL;
    bool plain = false; // after "--"
    for (int i = 0; i < argc; i++) {
        char *word = argv[i];
        if (!plain && strcmp(word, "--") == 0) {
            plain = true;
        } else if (!plain && pl_help_asked(word, help)) {
            return PL_OK;
        } else if (!plain && word[0] == '-' && word[1] != '\0') {
            PL_TRY(read_option(command, argc, argv, &i));
        } else {
            argv[(*n_words)++] = word;
        }
    }
    if (*n_words < command->least || *n_words > command->most) {
        return pl_fail(PL_ERROR_ARGUMENT, "usage: pliant %s", command->usage);
    }
    return PL_OK;
}

void pl_args_no_effect(bool given, const char *option, const char *why)
{
    if (given) pl_log(PL_LOG_WARNING, "%s has no effect: %s", option, why);
}

const char *pl_choice_solver(int32_t i)
{
    pl_solver_info info;
    return i < pl_solver_count() && pl_solver_describe(i, &info) == PL_OK ? info.name : NULL;
}

static pl_status print_help(const pl_command *command, const char *name)
{
    pl_help_format format;
    PL_TRY(pl_help_find(name, &format));
    return pl_help_print_command(command, format);
}

bool pl_args_read(const pl_command *command, int argc, char **argv, int *n_words, int *exit_code)
{
    const char *help;
    pl_status status = read_words(command, argc, argv, n_words, &help);
    if (status == PL_OK && help == NULL) return true;
    if (status == PL_OK) status = print_help(command, help);
    *exit_code = status == PL_OK ? 0 : pl_command_failed();
    return false;
}
