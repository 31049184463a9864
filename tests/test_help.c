// Help in its other forms: manual pages that roff takes without a warning, and a script that
// completes command lines in bash.

#include "runs.h"

#include <unity.h>

#define COMMANDS "mesh run render view audit solve plot ccd bench"

void setUp(void)
{
}

void tearDown(void)
{
}

static void test_formats(void)
{
    expect(0, "$P run --help=text", "usage: pliant run SCENE");
    expect(0, "$P --help=text", "usage: pliant COMMAND");
    expect(1, "$P --help=mna", "unknown kind of help \"mna\", did you mean \"man\"?");
    expect(1, "$P run --help=", "unknown kind of help \"\"");
    expect(0, "$P --help=scenes | grep -x rings", "rings");
    expect(0, "$P --help=scenes | grep -cx armadillo", "1"); // of two folders
    expect(0, "$P view --help=scenes", "squeeze");
}

// --- Manual pages ---

static void test_pages(void)
{
    expect(0, "$P --help=man", ".SH EXIT STATUS\n");
    expect(0, "$P run --help=man", "pliant\\-run \\- simulate a scene\n");
    expect(0, "$P run --help=man", ".TP\n\\fB\\-\\-stats\\fR \\fIFILE.csv\\fR\n");
    expect(0, "SOURCE_DATE_EPOCH=0 $P run --help=man", ".TH PLIANT\\-RUN 1 1970-01-01 ");
    // What is laid out by columns stays so, in paragraphs of their own.
    expect(0, "$P bench --help=man", ".nf\nNAME is\n  mesh      the mesh readers");
    expect(0, "$P plot --help=man | sed '/\\.SH NOTES/,$!d'", "  13  the largest");
    // Prose that starts with a quote or a dot would be a request to roff.
    expect(0, "for c in '' " COMMANDS "; do $P $c --help=man; done | grep \"^'\"; echo none",
           "none");
    TEST_ASSERT_EQUAL_STRING("none\n", output);
    expect(0, "$P plot --help=man", "\\(aqpliant run \\-\\-stats\\(aq");
    expect(0, "$P solve --help=man", "L A\\(ha\\-1 L\\(haT");
}

static void test_pages_as_roff_sees_them(void)
{
    if (shell("command -v groff") != 0) TEST_IGNORE_MESSAGE("no groff");
    expect(0,
           "for c in '' " COMMANDS "; do $P $c --help=man | groff -man -Tutf8 -ww >/dev/null; "
           "done; echo quiet",
           "quiet");
    TEST_ASSERT_EQUAL_STRING("quiet\n", output);
    expect(0, "$P run --help=man | groff -man -Tascii | sed 's/.\\x08//g; s/\\x1b\\[[0-9;]*m//g'",
           "--checkpoint-every N");
}

// --- Completion ---

// The words that bash would offer for the last one of a line, each followed by a comma; in the
// folder, which holds a.csv, b.plc, c.json, "d e.json" and the folder out.
static void complete(const char *words, const char *expected)
{
    char line[1024];
    snprintf(line, sizeof line,
             "cd $T && bash -c '. ./pliant.bash; COMP_WORDS=(%s); COMP_CWORD=$((${#COMP_WORDS[@]} "
             "- 1)); "
             "_pliant \"$P\" \"${COMP_WORDS[COMP_CWORD]}\" \"${COMP_WORDS[COMP_CWORD-1]}\"; "
             "printf %%s, \"${COMPREPLY[@]}\"'",
             words);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, shell(line), output);
    TEST_ASSERT_EQUAL_STRING_MESSAGE(expected, output, words);
}

static void test_completion(void)
{
    expect(0,
           "$P --help=bash >$T/pliant.bash; cd $T; touch a.csv b.plc c.json 'd e.json'; mkdir out; "
           "bash -c '. ./pliant.bash; complete -p pliant'",
           "complete -F _pliant pliant");
    complete("pliant r", "run,render,");
    complete("pliant --v", "--version,");
    complete("pliant run --ch", "--checkpoint-every,");
    complete("pliant mesh --fi", "--fill,--fit,");
    complete("pliant run x.json --quiet --re", "--residual-tolerance,--record,--resume,");
    complete("pliant bench st", "stiffness,steps,");
    complete("pliant bench --quick gr", "growth,");
}

static void test_completion_of_values(void)
{
    complete("pliant run --solver cone", "cone-newton,");
    complete("pliant solve --solver al", "all,");
    complete("pliant run --precond di", "diag,");
    complete("pliant run --integrator b", "bdf2,");
    complete("pliant run --integrator = b", "bdf2,"); // as bash splits --integrator=b
    complete("pliant run --integrator =", "semi-implicit,implicit,bdf2,auto,static,");
    complete("pliant run --format u", "usda,");
    complete("pliant run --format vtu,u", "vtu,usda,");
    complete("pliant render x --color p", "pressure,");
    complete("pliant render x --cut \"\"", "x,y,z,");
    complete("pliant run --steps \"\"", ",");
    complete("pliant run --stats \"\"", "a.csv,out,");
    complete("pliant run --resume \"\"", "b.plc,out,");
    complete("pliant run --out \"\"", "out,");
    complete("pliant plot a", "a.csv,");
}

static void test_completion_of_scenes(void)
{
    complete("pliant run c.", "c.json,");
    expect(0,
           "mkdir -p $T/data/scenes/view; touch $T/data/scenes/zebra.json $T/zoo.json "
           "\"$T/z e.json\" $T/data/scenes/view/zoom.json",
           "");
    setenv("PLIANT_DATA", in_folder("data"), 1);
    complete("pliant run z", "z e.json,zebra,zoo.json,zoom,");
    complete("pliant render ze", "zebra,");
    complete("pliant view --size 100x100 zoom", "zoom,");
    unsetenv("PLIANT_DATA");
}

int main(void)
{
    char path[4096];
    if (mkdtemp(folder) == NULL || realpath(command(), path) == NULL) return 1;
    setenv("PLIANT", path, 1);
    UNITY_BEGIN();
    RUN_TEST(test_formats);
    RUN_TEST(test_pages);
    RUN_TEST(test_pages_as_roff_sees_them);
    RUN_TEST(test_completion);
    RUN_TEST(test_completion_of_values);
    RUN_TEST(test_completion_of_scenes);
    shell("rm -rf $T");
    return UNITY_END();
}
