// `pliant solve`: recorded problems, solved again by any solver, and what it says of files that are
// none.

#include "contacts.h"
#include "runs.h"
#include "../solvers/problem_file.h"

void setUp(void)
{
}

void tearDown(void)
{
}

// A cube that falls on a plate and slides.
static const char SLIDE[] =
    "{\"world\": {\"dt\": 0.002, \"duration\": 0.02}, \"ground\": false, \"bodies\": ["
    " {\"mesh\": \"box:size=1,1,0.1:cells=4,4,1\", \"position\": [0, 0, -0.05],"
    "  \"fixed\": {\"above\": -1}},"
    " {\"mesh\": \"cube:cells=2\", \"scale\": 0.3, \"position\": [0, 0, 0.151],"
    "  \"velocity\": [0.5, 0, -0.5]}]}";

// --- The table ---

enum { TABLE_COLUMNS = 20, LINES_MAX = 256 };

static char lines[LINES_MAX][512];

// The rows of the table without their times; returns their number.
static int read_rows(void)
{
    char *line_end = NULL;
    int n = -1;
    static char text[OUTPUT_SIZE];
    strcpy(text, output);
    for (char *line = strtok_r(text, "\n", &line_end); line != NULL;
         line = strtok_r(NULL, "\n", &line_end)) {
        if (strstr(line, " of ") != NULL || strncmp(line, "pliant: ", 8) == 0) continue; // no row
        if (n++ < 0) continue;
        TEST_ASSERT_TRUE(n <= LINES_MAX);
        char *end = NULL, *to = lines[n - 1];
        int column = 0;
        *to = '\0';
        for (char *word = strtok_r(line, " ", &end); word != NULL;
             word = strtok_r(NULL, " ", &end)) {
            if (column++ != 9) to += sprintf(to, "%s ", word);
        }
        TEST_ASSERT_EQUAL_INT(TABLE_COLUMNS, column);
    }
    return n;
}

static int count(const char *part)
{
    int n = 0;
    for (const char *p = output; (p = strstr(p, part)) != NULL; p++) n++;
    return n;
}

static void test_a_folder(void)
{
    expect(0, "ls $T/record | wc -l", "");
    int files = atoi(output);
    TEST_ASSERT_TRUE(files > 5);
    expect(0, "$P solve $T/record", "problem ");
    TEST_ASSERT_EQUAL_INT(files, read_rows());
    for (int i = 0; i < files; i++) {
        TEST_ASSERT_EQUAL_INT(0, strncmp(lines[i], "problem-", 8)); // without the folder
        TEST_ASSERT_NOT_NULL(strstr(lines[i], " auto converged "));
        TEST_ASSERT_TRUE(i == 0 || strcmp(lines[i - 1], lines[i]) < 0); // in order
    }
    char sum[64];
    snprintf(sum, sizeof sum, "\nauto: %d of %d converged, ", files, files);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(output, sum), output);
    expect(0, "$P solve --solver all $T/record/", sum);
    int n_cone = 0;
    for (int32_t i = 0; i < pl_solver_count(); i++) {
        n_cone += (pl_solver_at(i)->can & PL_CAN_CONE) != 0;
    }
    TEST_ASSERT_EQUAL_INT(n_cone * files, read_rows());
    for (int32_t i = 0; i < pl_solver_count(); i++) {
        char name[32];
        if ((pl_solver_at(i)->can & PL_CAN_CONE) == 0) continue;
        snprintf(name, sizeof name, " %s ", pl_solver_at(i)->name);
        TEST_ASSERT_EQUAL_INT_MESSAGE(files, count(name), name);
    }
    // Boxes in place of cones: those of complementarity problems know them, too.
    expect(0, "$P solve --solver all --friction box $T/last.plp", " pgs ");
    expect(1, "$P solve --solver pgs $T/last.plp", "pgs cannot do friction cones; apg, ");
}

// Folders are sorted by the numbers in the names, files stay as they are given.
static void test_order(void)
{
    shell("mkdir $T/long; cp $T/last.plp $T/long/problem-999999.plp;"
          "cp $T/last.plp $T/long/problem-1000000.plp; touch $T/long/other.txt");
    expect(0, "$P solve $T/long $T/last.plp", "");
    TEST_ASSERT_EQUAL_INT(3, read_rows());
    TEST_ASSERT_EQUAL_INT(0, strncmp(lines[0], "long/problem-999999.plp ", 24));
    TEST_ASSERT_EQUAL_INT(0, strncmp(lines[1], "long/problem-1000000.plp ", 25));
    TEST_ASSERT_EQUAL_INT(0, strncmp(lines[2], "last.plp ", 9));
}

static void test_threads_give_the_same_bits(void)
{
    static char first[LINES_MAX][512];
    for (int threads = 1; threads <= 4; threads *= 2) {
        char words[128];
        snprintf(words, sizeof words, "$P solve $T/record --solver all --threads %d", threads);
        expect(0, words, "hash");
        int n = read_rows();
        for (int i = 0; i < n && threads > 1; i++) TEST_ASSERT_EQUAL_STRING(first[i], lines[i]);
        memcpy(first, lines, sizeof lines);
    }
}

// Each option has its way with the last problem: no two give the same solution.
static void test_options_count(void)
{
    static const char *const options[] = {
        "",
        "--solver cr",
        "--solver cr --precond none",
        "--solver cr --precond diag",
        "--vj19",
        "--solver cr --residual-tolerance 1e-3",
        "--residual-tolerance 1e-9 --contact-tolerance 1e-9",
        "--solver cr --residual-tolerance 0.5 --contact-tolerance 1"};
    enum { N = sizeof options / sizeof options[0] };
    char hash[N][32];
    for (int i = 0; i < N; i++) {
        char words[256];
        snprintf(words, sizeof words, "$P solve $T/last.plp --cold %s", options[i]);
        int code = shell(words);
        TEST_ASSERT_TRUE_MESSAGE(code == 0 || (code == 2 && i == 4), output);
        TEST_ASSERT_EQUAL_INT(1, read_rows());
        snprintf(hash[i], sizeof hash[i], "%.16s", lines[0] + strlen(lines[0]) - 17);
        for (int k = 0; k < i; k++) {
            TEST_ASSERT_TRUE_MESSAGE(strcmp(hash[i], hash[k]) != 0, options[i]);
        }
    }
    expect(0, "$P solve $T/last.plp", "auto"); // warm, and so near that little is left to do
    TEST_ASSERT_NULL_MESSAGE(strstr(output, hash[0]), output);
    // --vj19 means the solver cr, unless another is named.
    shell("$P solve $T/last.plp --vj19");
    TEST_ASSERT_EQUAL_INT(1, count(" cr "));
    shell("$P solve $T/last.plp --vj19 --solver apg");
    TEST_ASSERT_EQUAL_INT(1, count(" apg "));
}

// --- Ends ---

static void test_not_converged(void)
{
    expect(2, "$P solve $T/last.plp --cold --max-iterations 1", " limit ");
    TEST_ASSERT_EQUAL_INT(1, read_rows());
    expect(2, "$P solve $T/record --solver all --cold --max-seconds 1e-9", " time ");
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(output, "\napg: "), output);
}

// The problem of a step that failed does not converge as asked for there, and does as usual.
static void test_a_failed_step(void)
{
    expect(1,
           "$P run $T/slide.json --integrator semi-implicit --residual-tolerance 1e-30 --quiet "
           "--out $T/failed",
           "the contact problem: ");
    expect(2, "$P solve $T/failed/*.plp --residual-tolerance 1e-30", "auto");
    expect(0, "$P solve $T/failed", "converged");
}

// A floor that rises against a wall: nothing that could give way. The row says so, and the line
// below says which.
static void test_impossible(void)
{
    small s;
    start_masses(&s, 2, (double[]){1, 1}, 0.01);
    pl_constraint contact = contact_along(0, 0, 1, 0.5);
    TEST_ASSERT_EQUAL(PL_OK, pl_problem_add(&s.problem, &contact, 1, &(pl_term){1, 1, {0}}));
    TEST_ASSERT_EQUAL(PL_OK, pl_problem_add(&s.problem, &contact, 1, &(pl_term){0, 1, {0}}));
    s.prescribed[0] = 1;
    s.v[2] = -1;
    TEST_ASSERT_EQUAL(PL_OK, pl_recorded_write(&s.problem, s.v, s.f, in_folder("wall.plp")));
    expect(2, "$P solve $T/wall.plp --csv $T/wall.csv",
           "wall.plp: contact 1 closes by 0.01 m, and the motion of all");
    TEST_ASSERT_EQUAL_INT(1, read_rows());
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(lines[0], " 2 3 auto impossible "), lines[0]);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(lines[0], " - - - - - - "), lines[0]); // no errors
    TEST_ASSERT_NOT_NULL(strstr(read_whole("wall.csv"), ",nan,nan,nan,nan,nan,nan,nan,"));
    // From rest would be another problem: what is given stays.
    expect(2, "$P solve $T/wall.plp --cold", " impossible ");
    s.v[2] = NAN;
    TEST_ASSERT_EQUAL(PL_OK, pl_recorded_write(&s.problem, s.v, s.f, in_folder("nan.plp")));
    expect(1, "$P solve $T/nan.plp", "nan.plp: v[2] is nan");
    end_small(&s);
}

// --- The table as a file ---

static void test_csv(void)
{
    shell("cp $T/last.plp \"$T/a,\\\"b.plp\"");
    expect(0, "$P solve $T/last.plp \"$T/a,\\\"b.plp\" --csv $T/t.csv", "hash");
    read_rows();
    char *text = read_whole("t.csv"), *end = NULL, quoted[300];
    char *head = strtok_r(text, "\n", &end), *first = strtok_r(NULL, "\n", &end);
    char *second = strtok_r(NULL, "\n", &end);
    TEST_ASSERT_NULL(strtok_r(NULL, "\n", &end));
    TEST_ASSERT_EQUAL_INT(0, strncmp(head, "problem,contacts,unknowns,solver,end,", 37));
    TEST_ASSERT_NOT_NULL(strstr(first, "/last.plp,"));
    snprintf(quoted, sizeof quoted, "\"%s/a,\"\"b.plp\",", folder);
    TEST_ASSERT_EQUAL_INT(0, strncmp(second, quoted, strlen(quoted)));
    int commas = 0, expected = 0;
    for (const char *p = head; *p != '\0'; p++) expected += *p == ',';
    for (const char *p = first; *p != '\0'; p++) commas += *p == ',';
    TEST_ASSERT_EQUAL_INT(expected, commas);
    const char *hash = lines[0] + strlen(lines[0]) - 17; // with a blank behind it
    char part[32];
    snprintf(part, sizeof part, ",%.16s,", hash);
    TEST_ASSERT_NOT_NULL(strstr(first, part));
}

// --- What is refused ---

static void test_bad_options(void)
{
    expect(1, "$P solve", "no problem: a file, a folder, or --generate KIND");
    expect(1, "$P solve $T/last.plp --solver cg", "--solver: unknown solver \"cg\", did you mean");
    expect(2, "$P solve $T/last.plp --precond diag --max-iterations 1 --cold",
           "warning: --precond has no effect: only cr, minres and gcr have one");
    expect(0, "$P solve --help", "of a solve; default 60\n");
    expect(1, "$P solve $T/last.plp --precond dia", "--precond: unknown precond \"dia\", did you");
    expect(1, "$P solve $T/last.plp --residual-tolerance 1",
           "--residual-tolerance: 1 is not between 0 and 1");
    expect(1, "$P solve $T/last.plp --contact-tolerance 0",
           "--contact-tolerance: \"0\" is not above 0");
    expect(1, "$P solve $T/last.plp --max-iterations 0", "--max-iterations: \"0\" is not a whole");
    expect(1, "$P solve $T/last.plp --csv $T/no/a.csv", "no/a.csv: cannot write: No such file");
    TEST_ASSERT_EQUAL_INT(0, count("converged")); // before the work
    expect(0, "$P solve --help", "Solvers:\n\napg ");
}

// Parameters by name count, alone for their solver; what is wrong is named with what there is.
static void test_parameters(void)
{
    expect(0, "$P solve --generate spd:n=200 --solver psor --param bpp.p=1 --csv $T/usual.csv",
           "warning: --param has no effect: its solver is not among those of --solver");
    expect(0,
           "$P solve --generate spd:n=200 --solver psor --param psor.relaxation=0.5 --csv "
           "$T/short.csv",
           "psor");
    expect(1, "cut -d, -f1-7 $T/usual.csv >$T/a; cut -d, -f1-7 $T/short.csv >$T/b; cmp $T/a $T/b",
           "differ");
    expect(1, "$P solve --generate spd --param psor.relaxation=2",
           "--param: psor.relaxation: \"2\": a number between 0 and 2 expected");
    expect(1, "$P solve --generate spd --param psor.relax=1", "(known: relaxation)");
    expect(1, "$P solve --generate spd --param pso.relaxation=1", "did you mean \"psor\"?");
    expect(1, "$P solve --generate spd --param bpp-pcg.precond=jacoby", "did you mean \"jacobi\"?");
    expect(1, "$P solve --generate spd --param bpp.p=1.5", "a whole number from 1 expected");
    expect(1, "$P solve --generate spd --param psor", "SOLVER.NAME=VALUE expected");
    expect(1, "$P solve --generate spd --param lemke.p=1", "the solver lemke has no parameters");
    expect(1, "$P solve --generate spd --param ''", "SOLVER.NAME=VALUE expected");
    expect(0, "$P solve --help", "relaxation        1 is pgs (psor)");
    // Of contacts that are solved row by row, too.
    expect(0,
           "$P solve --generate stack:n=3 --friction box --solver psor --param "
           "psor.relaxation=1.2",
           "converged");
}

// Each is named, and the others are solved.
static void test_bad_files(void)
{
    shell("mkdir $T/empty $T/mixed; head -c 1000 $T/last.plp >$T/mixed/b.plp;"
          "cp $T/last.plp $T/mixed/a.plp; cp $T/last.plp $T/mixed/d.plp;"
          "echo text >$T/mixed/c.plp");
    expect(1, "$P solve $T/none.plp", "pliant: /tmp/");
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(output, "none.plp: No such file"), output);
    expect(1, "$P solve $T/slide.json", "slide.json: not a contact problem");
    expect(1, "$P solve $T/empty", "empty: no problems in this folder (.plp, ");
    expect(1, "$P solve $T/mixed --max-iterations 1 --csv $T/mixed.csv",
           "mixed/b.plp: the problem is damaged: ");
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(output, "mixed/c.plp: not a contact problem"), output);
    TEST_ASSERT_EQUAL_INT(2, read_rows());
    TEST_ASSERT_EQUAL_INT(0, strncmp(lines[1], "d.plp ", 6));
    TEST_ASSERT_NOT_NULL(strstr(read_whole("mixed.csv"), "/d.plp,"));
}

// For other programs: symmetric A, L, vectors, and the rest as JSON.
static void test_export(void)
{
    expect(0, "$P solve $T/last.plp --export $T/exported && ls $T/exported/last",
           "A.mtx\nL.mtx\nb.mtx\nc.mtx\nf.mtx\nproblem.json\nv.mtx\n");
    expect(0, "head -n 1 $T/exported/last/A.mtx",
           "%%MatrixMarket matrix coordinate real symmetric\n");
    // As many numbers as the head says, all of the lower triangle.
    expect(0,
           "awk 'NR == 2 {n = $3} NR > 2 {k++; if ($2 > $1 || $3 == 0) bad++}"
           " END {print (n == k && n > 0 && !bad) ? \"whole\" : \"broken\"}' "
           "$T/exported/last/A.mtx",
           "whole");
    expect(0, "grep -c '\"law\": \"cone\", \"mu\": ' $T/exported/last/problem.json", "");
    TEST_ASSERT_TRUE(atoi(output) > 0);
    expect(0,
           "python3 -c 'import json; json.load(open(\"'$T'/exported/last/problem.json\"))' && "
           "echo valid",
           "valid");
    expect(1, "$P solve $T/last.plp --export $T/last.plp", "last.plp");
}

int main(void)
{
    if (mkdtemp(folder) == NULL) return 1;
    UNITY_BEGIN();
    write_file("slide.json", SLIDE);
    shell("$P run $T/slide.json --record $T/record --quiet;"
          "cp $(ls $T/record/*.plp | tail -n 1) $T/last.plp");
    RUN_TEST(test_a_folder);
    RUN_TEST(test_order);
    RUN_TEST(test_threads_give_the_same_bits);
    RUN_TEST(test_options_count);
    RUN_TEST(test_not_converged);
    RUN_TEST(test_a_failed_step);
    RUN_TEST(test_impossible);
    RUN_TEST(test_csv);
    RUN_TEST(test_export);
    RUN_TEST(test_bad_options);
    RUN_TEST(test_parameters);
    RUN_TEST(test_bad_files);
    shell("rm -rf $T");
    return UNITY_END();
}
