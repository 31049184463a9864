// `pliant plot`: a picture that other programs can read, with what was asked for in it; and what it
// says of files that cannot be drawn.

#include "runs.h"
#include "../apps/common/paths.h"
#include "../apps/plot/svg.h"
#include "../base/text.h"

#include <math.h>

void setUp(void)
{
}

void tearDown(void)
{
}

static int count(const char *text, const char *part)
{
    int n = 0;
    for (const char *p = text; (p = strstr(p, part)) != NULL; p++) n++;
    return n;
}

// As another program reads it: one line per text and per path.
static const char *parse(const char *name)
{
    char words[512];
    snprintf(words, sizeof words,
             "python3 -c 'import sys, xml.etree.ElementTree as E\n"
             "for e in E.parse(sys.argv[1]).iter():\n"
             " t = e.tag.split(\"}\")[1]\n"
             " if t == \"text\": print(\"text\", \"\".join(e.itertext()))\n"
             " if t == \"path\": print(\"path\", e.get(\"d\"))\n"
             " if t == \"title\": print(\"title\", e.text)' $T/%s",
             name);
    if (shell("command -v python3") != 0) TEST_IGNORE_MESSAGE("python3 is not installed");
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, shell(words), output);
    return output;
}

static void expect_text(const char *text)
{
    char line[256];
    snprintf(line, sizeof line, "text %s\n", text);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(output, line), text);
}

// --- Pictures ---

static void test_a_run(void)
{
    expect(0, "$P plot $T/a.csv -o $T/a.svg", "");
    TEST_ASSERT_EQUAL_STRING("", output);
    parse("a.svg");
    expect_text("Iterations per step");
    expect_text("Relative residual");
    expect_text("Errors of contacts [m]");
    expect_text("Time per step [ms]");
    expect_text("Contacts");
    expect_text("time [s]");
    expect_text("non-penetration");
    expect_text("collision");
    expect_text("10−4"); // of a residual
    TEST_ASSERT_EQUAL_INT(1, count(read_whole("a.svg"), "<title>"));
    shell("ls $T");
    TEST_ASSERT_NULL_MESSAGE(strstr(output, "part"), output); // no temporary file
}

static void test_several_runs(void)
{
    shell("mkdir -p $T/x/one $T/x/two; cp $T/a.csv $T/x/one/s.csv; cp $T/b.csv $T/x/two/s.csv");
    expect(0, "$P plot $T/x/one/s.csv $T/x/two/s.csv -o $T/two.svg --x step --title 'A < B & C'",
           "");
    parse("two.svg");
    expect_text("one");
    expect_text("two");
    expect_text("step");
    expect_text("A < B & C");
    TEST_ASSERT_NULL_MESSAGE(strstr(output, "text collision\n"), output); // a curve per run
    expect(0, "$P plot $T/a.csv $T/b.csv -o $T/two.svg --names '<x>,\"y\" & z' --log", "");
    parse("two.svg");
    expect_text("<x>");
    expect_text("\"y\" & z");
    expect(0, "$P plot $T/a.csv $T/b.csv -o $T/two.svg --columns iterations,t_fem_ms+t_solve_ms",
           "");
    parse("two.svg");
    expect_text("a");
    expect_text("b");
    expect_text("solver");
    const char *text = read_whole("two.svg");
    TEST_ASSERT_TRUE(count(text, "#0072b2") == count(text, "#d55e00"));
    TEST_ASSERT_EQUAL_INT(3, count(text, "stroke-dasharray")); // two curves and the legend
}

static void test_figure_13(void)
{
    expect(0,
           "$P plot $T/a.csv --figure 13 -o $T/f.svg --residual-tolerance 5e-5 --contact-tolerance "
           "5e-6",
           "");
    parse("f.svg");
    expect_text("non-penetration");
    expect_text("static friction");
    expect_text("kinetic friction");
    expect_text("ε1 = 5e-05");
    expect_text("ε2 = 5e-06");
    expect(0, "$P plot $T/a.csv $T/a.csv --figure 13 -o $T/f.svg", "");
    parse("f.svg");
    expect_text("Fischer–Burmeister error of kinetic friction [m]");
    TEST_ASSERT_EQUAL_INT(3, count(output, "ε2"));
    expect(1, "$P plot $T/b.csv --figure 13 -o $T/f.svg", "b.csv:1: unknown column \"fb_normal\"");
    expect(1, "$P plot $T/a.csv --figure 14 -o $T/f.svg", "--figure: there are 6, 9, 10, 11, 12");
    expect(1, "$P plot $T/a.csv --figure 13 --columns step -o $T/f.svg", "give one of them");
}

// A circle at each step that was rescued, in each panel, and one in its legend.
static void test_rescued_steps(void)
{
    write_file("r.csv", "time,iterations,t_total_ms,rescues\n1,5,2,0\n2,60,9,1\n3,80,12,2\n");
    write_file("s.csv", "time,iterations,t_total_ms,rescues\n1,5,2,0\n2,6,3,0\n3,7,3,0\n");
    expect(0, "$P plot $T/r.csv $T/s.csv --figure 10 -o $T/f.svg", "");
    TEST_ASSERT_EQUAL_INT(6, count(read_whole("f.svg"), "<circle "));
    parse("f.svg");
    expect_text("rescued by auto");
    expect(0, "$P plot $T/s.csv $T/s.csv --figure 10 -o $T/f.svg", "");
    TEST_ASSERT_EQUAL_INT(0, count(read_whole("f.svg"), "<circle "));
    TEST_ASSERT_NULL(strstr(parse("f.svg"), "rescued"));
}

static void test_other_figures(void)
{
    // Residuals by iteration: a panel per file, a circle per update or round, and two in the
    // legend.
    write_file("diag.csv",
               "iteration,residual,preconditioned,constraint,preconditioned_constraint,update,"
               "relinearization\n"
               "0,1,2,1e-3,1,nan,nan\n1,0.1,0.2,1e-4,0.1,0.1,nan\n2,0.01,0.1,1e-5,0.1,nan,nan\n"
               "3,0.5,0.1,1e-5,0.1,nan,0.5\n");
    shell("cp $T/diag.csv $T/full.csv");
    expect(0, "$P plot $T/diag.csv $T/full.csv --figure 6 -o $T/f.svg", "");
    parse("f.svg");
    expect_text("diag: residuals of cr");
    expect_text("full: residuals of cr");
    expect_text("iteration");
    expect_text("update of contacts");
    expect_text("next round");
    TEST_ASSERT_EQUAL_INT(8, count(read_whole("f.svg"), "<circle "));
    // Solvers over each other, as the statistics of runs have them.
    expect(0, "$P plot $T/a.csv $T/b.csv --figure 10 -o $T/f.svg --names apg,cr --x step", "");
    parse("f.svg");
    expect_text("apg");
    expect_text("Time per step [ms]");
    expect_text("Iterations per step");
    expect_text("step");
    expect(0, "$P plot $T/a.csv $T/b.csv --figure 11 -o $T/f.svg", "");
    TEST_ASSERT_NULL(strstr(parse("f.svg"), "Time per step"));
    write_file("rings.csv", "constraints,t_solve_ms,t_delassus_ms\n30,1,4\n60,2,9\n");
    expect(0, "$P plot $T/rings.csv --figure 12 -o $T/f.svg", "");
    parse("f.svg");
    expect_text("constraints");
    expect_text("Delassus operator");
    expect(1, "$P plot $T/a.csv --figure 6 -o $T/f.svg", "a.csv:1: unknown column \"iteration\"");
}

// The points of the curve in a picture of one panel and one curve.
static const char *curve_of(const char *name)
{
    static char points[1 << 17];
    const char *text = strstr(read_whole(name), "stroke=\"#0072b2\"");
    TEST_ASSERT_NOT_NULL(text);
    text = strstr(text, "d=\"");
    snprintf(points, sizeof points, "%.*s", (int)strcspn(text + 3, "\""), text + 3);
    return points;
}

static void test_gaps(void)
{
    write_file("gaps.csv", "time,y\n0,1\n1,2\n2,nan\n3,inf\n4,-inf\n5,0\n6,1e301\n7,10\n8,nan\n"
                           "nan,3\n9,1\n");
    expect(0, "$P plot $T/gaps.csv --columns y -o $T/g.svg", "");
    const char *curve = curve_of("g.svg");
    TEST_ASSERT_EQUAL_INT(4, count(curve, "M")); // 1-2, 0, 10, 1
    TEST_ASSERT_EQUAL_INT(5, count(curve, "L"));
    TEST_ASSERT_NULL(strstr(curve, "n")); // nan, inf
    expect(0, "$P plot $T/gaps.csv --columns y -o $T/g.svg --log", "");
    curve = curve_of("g.svg");
    TEST_ASSERT_EQUAL_INT(3, count(curve, "M")); // without 0
    // Nothing at all to see is a picture, too.
    write_file("none.csv", "time,y\n0,nan\nnan,1\n");
    expect(0, "$P plot $T/none.csv --columns y,time -o $T/g.svg --log", "");
    parse("g.svg");
}

// However many steps, a picture has as many points as columns to put them in, and the highest one.
static void test_many_rows(void)
{
    FILE *file = fopen(in_folder("many.csv"), "w");
    fprintf(file, "time,y\n");
    for (int i = 0; i < 200000; i++) {
        double y = i == 123456 ? 100 : 1 + 0.5 * sin(1e-4 * i) + 0.1 * (i * 7919 % 1000) / 1000;
        fprintf(file, "%d,%.17g\n", i, y);
    }
    fclose(file);
    expect(0, "$P plot $T/many.csv --columns y -o $T/m.svg", "");
    const char *curve = curve_of("m.svg");
    TEST_ASSERT_TRUE(count(curve, "L") < 4 * 2 * 700);
    TEST_ASSERT_NOT_NULL(strstr(curve, " 30.00")); // the upper end of the only panel
}

// --- What is refused ---

static void test_bad_words(void)
{
    expect(1, "$P plot", "usage: pliant plot");
    expect(1, "$P plot $T/a.csv", "-o PLOT.svg");
    expect(1, "$P plot $T/a.csv -o $T/a.png", "a.png: plots are .svg files");
    expect(1, "$P plot $T/a.csv -o $T/no/a.svg", "no/a.svg: cannot write: No such file");
    expect(1, "$P plot $T/a.csv -o $T/z.svg --x tme", "--x: it is time or step");
    expect(1, "$P plot $T/a.csv -o $T/z.svg --columns itrations", "did you mean \"iterations\"?");
    expect(1, "$P plot $T/a.csv -o $T/z.svg --columns ,", "--columns: a name is missing");
    expect(1, "$P plot $T/a.csv -o $T/z.svg --columns iterations+", "a name is missing");
    expect(1, "$P plot $T/a.csv -o $T/z.svg --columns a+b+c+d+e+f", "unknown column \"a\"");
    expect(1, "$P plot $T/a.csv -o $T/z.svg --columns dt+dt+dt+dt+dt+dt+dt",
           "more than 6 in a panel");
    expect(1, "$P plot $T/a.csv $T/b.csv -o $T/z.svg --names a", "--names: as many as there are");
    expect(1, "$P plot $T/a.csv -o $T/z.svg --names a,b", "--names: as many as there are files: 1");
    expect(1, "$P plot $T/a.csv -o $T/z.svg --columns hash", "a.csv:2: hash: \"x0\" is not a num");
    shell("for i in 1 2 3 4 5 6 7 8 9 10 11; do echo $T/a.csv; done | xargs $P plot -o $T/z.svg");
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(output, "11 files: more than 10"), output);
    TEST_ASSERT_FALSE(exists("z.svg"));
    expect(0, "$P plot --help", "--figure N is that of VJ19");
}

static void test_bad_files(void)
{
    write_file("empty.csv", "");
    write_file("head.csv", "time,iterations\n");
    write_file("short.csv", "time,iterations\n1,2\n3\n");
    write_file("word.csv", "time,iterations\n1,2\n3,x\n");
    write_file("other.csv", "time,y\n1,2\n");
    write_file("timeless.csv", "iterations\n1\n");
    write_file("long.csv",
               "time,a_column_whose_name_is_much_longer_than_that_of_any_column_of_ours,b\n"
               "1,2,3\n");
    expect(1, "$P plot $T/nothing.csv -o $T/z.svg", "nothing.csv: No such file");
    expect(1, "$P plot $T/a.csv $T/empty.csv -o $T/z.svg", "empty.csv: empty, not a table");
    expect(1, "$P plot $T/head.csv -o $T/z.svg", "head.csv: no rows to draw");
    expect(1, "$P plot $T/short.csv -o $T/z.svg", "short.csv:3: 1 values, where the header names");
    expect(1, "$P plot $T/word.csv -o $T/z.svg", "word.csv:3: iterations: \"x\" is not a number");
    expect(1, "$P plot $T/other.csv -o $T/z.svg", "other.csv:1: none of the columns that a run");
    expect(1, "$P plot $T/timeless.csv -o $T/z.svg", "timeless.csv:1: unknown column \"time\"");
    expect(1, "$P plot $T/long.csv -o $T/z.svg --columns c", "long.csv:1: unknown column \"c\"");
    expect(1, "$P plot $T/a.csv $T/other.csv -o $T/z.svg --columns y", "a.csv:1: unknown column");
    TEST_ASSERT_FALSE(exists("z.svg"));
    // A run that lacks a column is left out of its panel.
    expect(0, "$P plot $T/other.csv $T/a.csv -o $T/z.svg", "");
    parse("z.svg");
}

// --- Parts ---

static void test_text_is_escaped(void)
{
    pl_svg svg;
    TEST_ASSERT_EQUAL(PL_OK, pl_svg_open(in_folder("t.svg"), 10, 10, "<&>\"'\x01\x7f", &svg));
    pl_svg_text(&svg, 1, 2,
                "é\xff\xc3|\xed\xa0\x80|\xef\xbf\xbf|\xc0\xaf|\xf0\x9f\x98\x80\xf0\x9f");
    pl_svg_power(&svg, 1, 2, "2", "-5");
    TEST_ASSERT_EQUAL(PL_OK, pl_svg_close(&svg));
    parse("t.svg");
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(output, "title <&>\"'\?\?\n"), output);
    TEST_ASSERT_NOT_NULL_MESSAGE(
        strstr(output, "text é\?\?|\?\?\?|\?\?\?|\?\?|\xf0\x9f\x98\x80\?\?"), output);
    expect_text("2·10−5");
}

static void test_shared_parts_of_paths(void)
{
    char *a[] = {"out/apg/s.csv", "out/apx/s.csv"}, *b[] = {"a/s.csv", "s.csv"};
    char *c[] = {"/x/s.csv", "/x/s.csv"}, *d[] = {"a/b/s.csv", "c/b/s.csv", "d/s.csv"};
    TEST_ASSERT_EQUAL_INT(4, pl_shared_folder(2, a));
    TEST_ASSERT_EQUAL_INT(6, pl_shared_end(2, a));
    TEST_ASSERT_EQUAL_INT(0, pl_shared_folder(2, b));
    TEST_ASSERT_EQUAL_INT(0, pl_shared_end(2, b));
    TEST_ASSERT_EQUAL_INT(3, pl_shared_folder(2, c));
    TEST_ASSERT_EQUAL_INT(6, pl_shared_end(3, d));
    TEST_ASSERT_EQUAL_INT(8, pl_shared_end(2, d));
    TEST_ASSERT_EQUAL_INT(8, pl_shared_folder(1, a));
    TEST_ASSERT_EQUAL_INT(0, pl_shared_end(1, a));
}

// Statistics of a run that never was; `full` has the columns of Figure 13.
static void write_stats(const char *name, bool full)
{
    char text[1 << 14];
    pl_text rows = pl_text_start(text, sizeof text);
    pl_text_add(&rows,
                "step,time,dt,contacts,constraints,iterations,t_fem_ms,t_collision_ms,"
                "t_solve_ms,t_total_ms,residual,constraint_error,fb_error,friction_error,"
                "hash%s\n",
                full ? ",fb_normal,fb_stick,fb_slip" : "");
    for (int i = 0; i < 40; i++) {
        double e = pow(10, -3 - i % 7);
        pl_text_add(&rows, "%d,%g,0.01,%d,%d,%d,1,2,%d,%d,%g,%g,%g,%g,x%d", i + 1, 0.01 * (i + 1),
                    i, 2 * i, 10 + i % 3, 3 + i % 2, 6 + i % 2, e, e, e, e / 10, i);
        if (full) pl_text_add(&rows, ",%g,%g,%g", e, e / 10, i % 2 == 0 ? 0 : e);
        pl_text_add(&rows, "\n");
    }
    write_file(name, text);
}

int main(void)
{
    if (mkdtemp(folder) == NULL) return 1;
    UNITY_BEGIN();
    write_stats("a.csv", true);
    write_stats("b.csv", false);
    RUN_TEST(test_a_run);
    RUN_TEST(test_several_runs);
    RUN_TEST(test_figure_13);
    RUN_TEST(test_rescued_steps);
    RUN_TEST(test_other_figures);
    RUN_TEST(test_gaps);
    RUN_TEST(test_many_rows);
    RUN_TEST(test_bad_words);
    RUN_TEST(test_bad_files);
    RUN_TEST(test_text_is_escaped);
    RUN_TEST(test_shared_parts_of_paths);
    shell("rm -rf $T");
    return UNITY_END();
}
