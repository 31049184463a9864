// Completion in bash: a function that knows, for each command, its options and what may follow
// them. What an argument is, its name tells: "DIR" a folder, "FILE.csv" a file, "x|y|z" one of
// these, or one of the command's choices.

#include "commands.h"
#include "help.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

// --- Arguments ---

static void put_choices(const pl_choice *choice)
{
    const char *name;
    for (int32_t i = 0; (name = choice->name(i)) != NULL; i++) printf("%s%s", i ? " " : "", name);
}

static const pl_choice *find_choice(const pl_command *command, const char *word, size_t length)
{
    for (const pl_choice *c = command->choices; c != NULL && c->argument != NULL; c++) {
        if (strlen(c->argument) == length && memcmp(c->argument, word, length) == 0) return c;
    }
    return NULL;
}

// What completes an option's value, as a call of the script.
static void put_value(const pl_command *command, const char *argument)
{
    const pl_choice *choice = find_choice(command, argument, strlen(argument));
    const char *dot = strrchr(argument, '.');
    if (choice != NULL) {
        printf("_pliant_words '");
        put_choices(choice);
        printf("'");
    } else if (strchr(argument, '|') != NULL) {
        printf("_pliant_words '");
        for (const char *c = argument; *c != '\0'; c++) putchar(*c == '|' ? ' ' : *c);
        printf("'");
    } else if (strcmp(argument, "DIR") == 0) {
        printf("_pliant_folders");
    } else if (dot != NULL && islower(dot[1])) {
        printf("_pliant_files '%s'", dot);
    } else if (strcmp(argument, "OUT") == 0) {
        printf("_pliant_files ''");
    } else {
        printf(":");
    }
}

// What completes a plain word: the usage says which, after the command's name.
static void put_plain(const pl_command *command)
{
    const char *word = command->usage + strcspn(command->usage, " ");
    word += strspn(word, " ");
    size_t length = strcspn(word, " ");
    const pl_choice *choice = find_choice(command, word, length);
    const char *scene = strstr(word, "SCENE");
    if (choice != NULL) {
        printf("_pliant_words '");
        put_choices(choice);
        printf("'");
    } else if (scene != NULL && scene < word + length) {
        printf("_pliant_scenes");
    } else {
        printf("_pliant_files ''");
    }
}

// --- The script ---

// A branch of the script: sets the options, then completes the value of $option or a plain word.
void pl_bash_print_command(const pl_command *command)
{
    printf("    %.*s)\n        options='", (int)strcspn(command->usage, " "), command->usage);
    for (int i = 0; i < command->n_options; i++) printf("%s ", command->options[i].name);
    printf("--help'\n        case $option in\n");
    for (int i = 0; i < command->n_options; i++) {
        const pl_option *option = &command->options[i];
        if (option->argument == NULL) continue;
        printf("        %s) ", option->name);
        put_value(command, option->argument);
        printf(" ;;\n");
    }
    printf("        *) _pliant_plain \"$options\" ");
    put_plain(command);
    printf(" ;;\n        esac\n        ;;\n");
}

static const char BEFORE[] =
    "# Completion of pliant's command lines in bash, made by `pliant --help=bash`.\n"
    "\n"
    "_pliant_words() # of the last word, what follows its last comma\n"
    "{\n"
    "    local head=\n"
    "    case $word in *,*) head=${word%,*}, ;; esac\n"
    "    COMPREPLY=($(compgen -P \"$head\" -W \"$1\" -- \"${word##*,}\"))\n"
    "}\n"
    "\n"
    "_pliant_lines() # names of files may have blanks\n"
    "{\n"
    "    local line\n"
    "    while IFS= read -r line; do COMPREPLY+=(\"$line\"); done\n"
    "    compopt -o filenames 2>/dev/null\n"
    "}\n"
    "\n"
    "_pliant_folders()\n"
    "{\n"
    "    _pliant_lines < <(compgen -d -- \"$word\")\n"
    "}\n"
    "\n"
    "_pliant_files() # with this ending, and folders on the way to them\n"
    "{\n"
    "    _pliant_lines < <({ compgen -f -X \"!*$1\" -- \"$word\"; compgen -d -- \"$word\"; } | "
    "sort -u)\n"
    "}\n"
    "\n"
    "_pliant_scenes() # by name, or any file\n"
    "{\n"
    "    _pliant_lines < <({ compgen -W \"$(\"$pliant\" --help=scenes 2>/dev/null)\" -- \"$word\"\n"
    "        compgen -f -- \"$word\"; } | sort -u)\n"
    "}\n"
    "\n"
    "_pliant_plain() # an option, or else as the call says\n"
    "{\n"
    "    case $word in\n"
    "    -*) COMPREPLY=($(compgen -W \"$1\" -- \"$word\")) ;;\n"
    "    *) shift && \"$@\" ;;\n"
    "    esac\n"
    "}\n"
    "\n"
    "_pliant()\n"
    "{\n"
    "    local pliant=$1 word=$2 option=$3 options\n"
    "    # bash takes --name=value for three words.\n"
    "    [ \"$word\" != = ] || word=\n"
    "    [ \"$option\" != = ] || option=${COMP_WORDS[COMP_CWORD-2]}\n"
    "    COMPREPLY=()\n";

// Each command prints its branch, since only it has its table.
void pl_bash_print(void)
{
    fputs(BEFORE, stdout);
    printf("    if [ \"$COMP_CWORD\" -le 1 ]; then\n        _pliant_words '");
    for (int i = 0; i < pl_n_command; i++) printf("%s ", pl_commands[i].name);
    printf("--help --version'\n        return\n    fi\n    case ${COMP_WORDS[1]} in\n");
    for (int i = 0; i < pl_n_command; i++) {
        char word[] = "--help=bash";
        char *argv[] = {word, NULL};
        pl_commands[i].run(1, argv);
    }
    printf("    esac\n}\n\ncomplete -F _pliant pliant\n");
}
