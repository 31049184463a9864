// Manual pages. Prose is filled; paragraphs that are laid out by columns stay as they are.

#include "commands.h"
#include "help.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// --- Letters and lines ---

// A character that roff would take for its own, or print as another one.
static void put(char c)
{
    static const char plain[] = "\\-'`^~";
    static const char *const roff[] = {"\\e", "\\-", "\\(aq", "\\(ga", "\\(ha", "\\(ti"};
    const char *at = c != '\0' ? strchr(plain, c) : NULL;
    if (at != NULL) {
        fputs(roff[at - plain], stdout);
    } else {
        putchar(c);
    }
}

static void put_text(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) put(text[i]);
}

static void put_words(const char *text)
{
    put_text(text, strlen(text));
}

// A line of its own; \& keeps roff from taking it for a request.
static void put_line(const char *text, size_t length)
{
    if (length > 0 && (text[0] == '.' || text[0] == '\'')) fputs("\\&", stdout);
    put_text(text, length);
    putchar('\n');
}

static void put_lines(const char *text, size_t length)
{
    for (const char *end = text + length; text < end;) {
        size_t line = strcspn(text, "\n");
        line = PL_MIN(line, (size_t)(end - text));
        put_line(text, line);
        text += line + 1;
    }
}

// --- Paragraphs ---

static void put_prose(const char *text)
{
    put_lines(text, strlen(text));
}

// Does a line begin with a blank, or have two in a row?
static bool is_laid_out(const char *text, size_t length)
{
    for (size_t i = 0; i + 1 < length; i++) {
        bool at_start = i == 0 || text[i - 1] == '\n';
        if (text[i] == ' ' && (at_start || text[i + 1] == ' ')) return true;
    }
    return false;
}

// Paragraphs lie between empty lines.
static void put_notes(const char *notes)
{
    const char *first = notes;
    while (*notes != '\0') {
        const char *empty = strstr(notes, "\n\n");
        size_t length = empty != NULL ? (size_t)(empty - notes) : strlen(notes);
        if (notes != first) printf(".PP\n");
        bool as_is = is_laid_out(notes, length);
        if (as_is) printf(".nf\n");
        put_lines(notes, length);
        if (as_is) printf(".fi\n");
        notes += length;
        notes += strspn(notes, "\n");
    }
}

static void put_tagged(const char *tag, const char *text)
{
    printf(".TP\n.B ");
    put_words(tag);
    putchar('\n');
    put_prose(text);
}

// --- Pages ---

// The day of the page is that of the sources where a packager names it, else today.
static void put_title(const char *name)
{
    const char *given = getenv("SOURCE_DATE_EPOCH");
    time_t now = given != NULL ? (time_t)strtoll(given, NULL, 10) : time(NULL);
    struct tm day = {0};
    char date[32] = "";
    if (gmtime_r(&now, &day) != NULL) strftime(date, sizeof date, "%Y-%m-%d", &day);
    printf(".TH PLIANT");
    if (name[0] != '\0') printf("\\-");
    for (const char *c = name; *c != '\0'; c++) put((char)toupper(*c));
    printf(" 1 %s \"Pliant %s\" Pliant\n.nh\n", date, pl_version()); // names stay whole
}

static void put_see_also(const char *but)
{
    printf(".SH SEE ALSO\n");
    const char *after = but != NULL ? ",\n" : "";
    if (but != NULL) printf(".BR pliant (1)");
    for (int i = 0; i < pl_n_command; i++) {
        if (but != NULL && strcmp(but, pl_commands[i].name) == 0) continue;
        printf("%s.BR pliant\\-%s (1)", after, pl_commands[i].name);
        after = ",\n";
    }
    printf("\n");
}

static void put_options(const pl_command *command)
{
    printf(".SH OPTIONS\n");
    for (int i = 0; i < command->n_options; i++) {
        const pl_option *option = &command->options[i];
        printf(".TP\n\\fB");
        put_words(option->name);
        printf("\\fR");
        if (option->argument != NULL) {
            printf(" \\fI");
            put_words(option->argument);
            printf("\\fR");
        }
        printf("\n");
        put_prose(option->help);
    }
    put_tagged("--help", "print the same as text");
}

static const pl_command_entry *find_entry(const char *name, size_t length)
{
    int i = 0;
    while (strlen(pl_commands[i].name) != length ||
           memcmp(pl_commands[i].name, name, length) != 0) {
        i++;
        PL_ASSERT(i < pl_n_command);
    }
    return &pl_commands[i];
}

void pl_man_print_command(const pl_command *command)
{
    size_t length = strcspn(command->usage, " ");
    const pl_command_entry *entry = find_entry(command->usage, length);
    const char *name = entry->name;
    put_title(name);
    printf(".SH NAME\npliant\\-%s \\- ", name);
    put_words(entry->summary);
    printf("\n.SH SYNOPSIS\n\\fBpliant %s\\fR", name);
    put_words(command->usage + length);
    printf("\n.SH DESCRIPTION\n");
    put_prose(command->summary);
    put_options(command);
    if (command->notes != NULL) {
        printf(".SH NOTES\n");
        put_notes(command->notes);
    }
    put_see_also(name);
}

static const char *const ENVIRONMENT[][2] = {
    {"PLIANT_DATA", "A folder with scenes and meshes that come before all others: it has the "
                    "folders scenes and meshes."},
    {"XDG_DATA_HOME", "Where data of the user lie; without it ~/.local/share."},
    {"PATH", "Where ffmpeg is looked for, which writes films."}};

static const char *const FILES[][2] = {
    {"$PLIANT_DATA/scenes, $PLIANT_DATA/meshes", "if it is set;"},
    {"apps/scenes, build/meshes", "of Pliant's sources, if the command is run from there or was "
                                  "built there;"},
    {"~/.local/share/pliant/scenes, ~/.local/share/pliant/meshes", "those of the user;"},
    {"../share/pliant/scenes, ../share/pliant/meshes", "from the folder of the command: those that "
                                                       "were installed with it."},
    {"../share/pliant/meshes/make-meshes.sh",
     "fetches the scans of the bunny and the armadillo, and makes meshes of them for the scenes "
     "that need them."}};

static const char *const EXIT_STATUS[][2] = {
    {"0", "All went well."},
    {"1", "Something failed; a sentence on standard error says what."},
    {"2", "Bodies intersect (run, audit), or a problem was not solved (solve)."},
    {"3", "The time of --max-seconds was over (run)."},
    {"130", "Ctrl-C ended it, with everything written."}};

static void put_section(const char *title, const char *text, const char *const (*row)[2], size_t n)
{
    printf(".SH %s\n", title);
    if (text != NULL) put_prose(text);
    for (size_t i = 0; i < n; i++) put_tagged(row[i][0], row[i][1]);
}

#define ROWS(table) table, sizeof(table) / sizeof((table)[0])

void pl_man_print(void)
{
    put_title("");
    printf(".SH NAME\npliant \\- simulate elastic and rigid bodies in contact\n"
           ".SH SYNOPSIS\n\\fBpliant\\fR \\fICOMMAND\\fR ...\n.SH DESCRIPTION\n");
    static const char about[] =
        "Pliant simulates elastic solids and rigid bodies that touch, press, slide and stick, and "
        "ends every step free of interpenetration, with true Coulomb friction. Each command has a "
        "page of its own.";
    put_prose(about);
    printf(".SH COMMANDS\n");
    for (int i = 0; i < pl_n_command; i++) {
        printf(".TP\n.BR pliant\\-%s (1)\n", pl_commands[i].name);
        put_prose(pl_commands[i].summary);
    }
    printf(".SH OPTIONS\n");
    put_tagged("--help", "list the commands; after a command, its options");
    put_tagged("--help=man, --help=bash", "the same as a manual page; a script that completes "
                                          "command lines in bash");
    put_tagged("--help=scenes", "list the scenes that can be called by name");
    put_tagged("--version", "print the version");
    put_section("ENVIRONMENT", NULL, ROWS(ENVIRONMENT));
    put_section("FILES",
                "A scene that is called by its name is looked for in these folders, in this order, "
                "and so is a mesh that a scene names and that is not beside it:",
                ROWS(FILES));
    put_section("EXIT STATUS", NULL, ROWS(EXIT_STATUS));
    put_see_also(NULL);
}
