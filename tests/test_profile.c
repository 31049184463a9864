// `pliant solve` as a laboratory: performance profiles against their definition, tables, pictures,
// made problems, collections; and what is refused.

#include "../apps/common/csv.h"
#include "../apps/lab/comparison.h"
#include "../apps/lab/generate.h"
#include "../apps/scene/json.h"
#include "files.h"

#include <math.h>
#include <sys/wait.h>

static pl_csv csv;

void setUp(void)
{
    make_directory();
}

void tearDown(void)
{
    pl_csv_free(&csv);
    remove_directory();
}

// --- Profiles ---

static pl_outcome outcome(int64_t file, const char *solver, bool solved, double seconds,
                          int32_t iterations)
{
    return (pl_outcome){.path = "a",
                        .solver = solver,
                        .end = solved ? "solved" : "limit",
                        .file = file,
                        .rows = true,
                        .solved = solved,
                        .seconds = seconds,
                        .iterations = iterations};
}

static void test_profiles_follow_their_definition(void)
{
    pl_outcome list[] = {
        outcome(0, "a", true, 1, 30),   outcome(0, "b", true, 2, 10), outcome(1, "a", true, 4, 10),
        outcome(1, "b", true, 1, 10),   outcome(2, "a", true, 3, 5),  outcome(2, "b", false, 9, 99),
        outcome(3, "a", false, 1, 100), outcome(3, "b", false, 1, 1),
    };
    const pl_comparison c = {.outcome = list, .n = 8, .n_file = 4};
    // Ratios of a by time: 1, 4, 1, none; of b: 2, 1, none, none.
    TEST_ASSERT_EQUAL_DOUBLE(0.5, pl_profile_share(&c, "a", true, 1));
    TEST_ASSERT_EQUAL_DOUBLE(0.5, pl_profile_share(&c, "a", true, 3.9));
    TEST_ASSERT_EQUAL_DOUBLE(0.75, pl_profile_share(&c, "a", true, 4));
    TEST_ASSERT_EQUAL_DOUBLE(0.75, pl_profile_share(&c, "a", true, 1e9));
    TEST_ASSERT_EQUAL_DOUBLE(0.25, pl_profile_share(&c, "b", true, 1));
    TEST_ASSERT_EQUAL_DOUBLE(0.5, pl_profile_share(&c, "b", true, 2));
    // By iterations: a 3, 1, 1; b 1, 1.
    TEST_ASSERT_EQUAL_DOUBLE(0.5, pl_profile_share(&c, "a", false, 1));
    TEST_ASSERT_EQUAL_DOUBLE(0.75, pl_profile_share(&c, "a", false, 3));
    TEST_ASSERT_EQUAL_DOUBLE(0.5, pl_profile_share(&c, "b", false, 1));
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_profile_draw(&c, path_of("p.svg")), pl_error_text());
    pl_bytes svg;
    TEST_ASSERT_EQUAL(PL_OK, pl_bytes_load(path_of("p.svg"), &svg));
    TEST_ASSERT_NOT_NULL(strstr(svg.data, "Share solved, by time"));
    TEST_ASSERT_NOT_NULL(strstr(svg.data, ">4 problems<"));
    TEST_ASSERT_NOT_NULL(strstr(svg.data, ">b<"));
    pl_bytes_free(&svg);
}

static void test_a_picture_of_nothing_and_of_many(void)
{
    const pl_comparison none = {.n = 0};
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_profile_draw(&none, path_of("p.svg")), pl_error_text());
    pl_outcome list[14];
    char names[14][8];
    for (int i = 0; i < 14; i++) {
        snprintf(names[i], sizeof names[i], "s%d", i);
        list[i] = outcome(0, names[i], i >= 4, 1 + i, 1);
    }
    const pl_comparison many = {.outcome = list, .n = 14, .n_file = 1};
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_profile_draw(&many, path_of("p.svg")), pl_error_text());
    pl_bytes svg;
    TEST_ASSERT_EQUAL(PL_OK, pl_bytes_load(path_of("p.svg"), &svg));
    TEST_ASSERT_NOT_NULL(strstr(svg.data, ">s13<"));
    TEST_ASSERT_NULL(strstr(svg.data, ">s0<")); // ten fit, and s0 solves nothing
    pl_bytes_free(&svg);
}

// --- The command ---

// Runs `pliant ARGUMENTS` in the directory of the test; returns its exit code, and what it said.
static int run(const char *arguments, char *said, size_t size)
{
    char command[2048];
    snprintf(command, sizeof command, "\"$PLIANT\" %s 2>&1", arguments);
    setenv("T", test_directory, 1);
    FILE *pipe = popen(command, "r");
    TEST_ASSERT_NOT_NULL(pipe);
    size_t n = fread(said, 1, size - 1, pipe);
    said[n] = '\0';
    while (fgetc(pipe) != EOF) {
    }
    int code = pclose(pipe);
    return WIFEXITED(code) ? WEXITSTATUS(code) : -1;
}

static void expect(int code, const char *arguments, const char *part)
{
    static char said[1 << 16];
    if (getenv("PLIANT") == NULL) TEST_IGNORE_MESSAGE("PLIANT is not set");
    int got = run(arguments, said, sizeof said);
    if (got != code || strstr(said, part) == NULL) printf("%s: %d\n%s", arguments, got, said);
    TEST_ASSERT_EQUAL_INT_MESSAGE(code, got, arguments);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(said, part), arguments);
}

static void test_made_problems_and_their_files(void)
{
    expect(0, "solve --generate 'spd:n=20,seed=3' --save $T/a.txt", "solved");
    expect(0, "solve --generate 'wall:n=3' --save $T/a.plp", "converged");
    expect(0,
           "solve $T --csv $T/t.csv --plot $T/p.svg --convergence $T/c.svg --solver all "
           "--friction diamond --max-seconds 5 >/dev/null; test $? -le 2 && echo well",
           "well");
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_csv_read(path_of("t.csv"), &csv), pl_error_text());
    TEST_ASSERT_TRUE(csv.n_row > 10);
    const double *energy, *natural;
    int32_t at = pl_csv_find(&csv, "energy");
    TEST_ASSERT_EQUAL(PL_OK, pl_csv_numbers(&csv, at, &energy));
    at = pl_csv_find(&csv, "natural");
    TEST_ASSERT_EQUAL(PL_OK, pl_csv_numbers(&csv, at, &natural));
    int rows = 0;
    for (int64_t i = 0; i < csv.n_row; i++) rows += !isnan(natural[i]);
    TEST_ASSERT_EQUAL_INT(pl_complementarity_solver_count(), rows);
    TEST_ASSERT_EQUAL_INT(0, access(path_of("p.svg"), R_OK));
    TEST_ASSERT_EQUAL_INT(0, access(path_of("c-time.svg"), R_OK));
}

static void test_results_as_json_and_markdown(void)
{
    char said[1 << 16];
    cJSON *tree;
    if (getenv("PLIANT") == NULL) TEST_IGNORE_MESSAGE("PLIANT is not set");
    TEST_ASSERT_EQUAL_INT(0, run("solve --generate 'arch:n=5;spd:n=4' --json", said, sizeof said));
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_json_parse(said, strlen(said), "json", &tree),
                              pl_error_text());
    TEST_ASSERT_EQUAL_INT(2, cJSON_GetArraySize(tree));
    const cJSON *first = cJSON_GetArrayItem(tree, 0), *second = cJSON_GetArrayItem(tree, 1);
    TEST_ASSERT_EQUAL_STRING("contacts", cJSON_GetObjectItem(first, "kind")->valuestring);
    TEST_ASSERT_EQUAL_INT(24, cJSON_GetObjectItem(first, "contacts")->valueint);
    TEST_ASSERT_TRUE(cJSON_IsTrue(cJSON_GetObjectItem(second, "solved")));
    TEST_ASSERT_NOT_NULL(cJSON_GetObjectItem(second, "natural"));
    TEST_ASSERT_NULL(cJSON_GetObjectItem(second, "penetration"));
    cJSON_Delete(tree);
    expect(0, "solve --generate spd:n=4 --markdown", "| problem | rows | solver |");
}

static void test_several_solvers_by_name(void)
{
    expect(0, "solve --generate 'stack:n=3;spd:n=5' --solver newton,pgs,apg", "apg: 1 of 1");
    expect(0, "solve --generate 'stack:n=3;spd:n=5' --solver newton,pgs,apg", "pgs: 1 of 1");
    expect(1, "solve --generate stack:n=3 --solver newtn", "--solver: ");
    expect(1, "solve --generate 'spd:n=5' --solver newton", "none of these solvers");
    expect(1, "solve --generate stak", "--generate: ");
    expect(1, "solve --generate stack:m=1", "unknown number \"m\"");
    expect(1, "solve --generate stack:n=0", "n=0 is out of range");
    expect(1, "solve --generate 'stack;;wall'", "KIND[:NAME=NUMBER,...] expected");
    expect(1, "solve", "no problem: a file, a folder, or --generate KIND");
    expect(1, "solve $T", "no problems in this folder");
    expect(1, "solve --generate 'spd;spd' --save $T/a.txt", "one problem goes into a file");
    expect(1, "solve --generate stack --save $T/a.txt", "contacts go into .plp or .hdf5");
}

static void test_a_collection(void)
{
    expect(0, "solve --generate 'stack:n=2;chain:n=3;pile:n=5' --collect $T", "3 of 3 converged");
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_csv_read(path_of("manifest.csv"), &csv), pl_error_text());
    TEST_ASSERT_EQUAL_INT64(3, csv.n_row);
    const double *rank, *rows, *more;
    TEST_ASSERT_EQUAL(PL_OK, pl_csv_numbers(&csv, pl_csv_find(&csv, "rank"), &rank));
    TEST_ASSERT_EQUAL(PL_OK, pl_csv_numbers(&csv, pl_csv_find(&csv, "rows"), &rows));
    TEST_ASSERT_EQUAL(PL_OK, pl_csv_numbers(&csv, pl_csv_find(&csv, "hyperstatic"), &more));
    // Two boxes with four points on each face: 24 rows, 12 numbers.
    TEST_ASSERT_TRUE(rank[0] == 12 && rows[0] == 24 && more[0] == 0.5);
    TEST_ASSERT_TRUE(rank[1] == 9 && rows[1] == 9 && more[1] == 0);
    bool fclib = pl_fclib_available();
    TEST_ASSERT_EQUAL_INT(0, access(path_of(fclib ? "stack-n-2.hdf5" : "stack-n-2.plp"), R_OK));
    expect(0, "solve $T --tol 1e-7", "3 of 3 converged");
}

// The same text gives the same bits, another seed another problem.
static void test_recipes_are_reproducible(void)
{
    for (int32_t i = 0; pl_contact_kind(i) != NULL; i++) {
        char text[64];
        uint64_t hash[3];
        for (int k = 0; k < 3; k++) {
            pl_problem *problem;
            pl_solve_result result;
            snprintf(text, sizeof text, "%s:n=4,ratio=3,seed=%d", pl_contact_kind(i), k == 2);
            TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_contacts_generate(text, &problem), pl_error_text());
            pl_problem_size size = pl_problem_sizes(problem);
            double *v = calloc(3 * (size_t)size.blocks, sizeof *v);
            double *f = calloc(3 * (size_t)size.constraints, sizeof *f);
            TEST_ASSERT_EQUAL(PL_OK, pl_problem_solve(problem, "auto", NULL, v, f, &result));
            TEST_ASSERT_EQUAL_INT_MESSAGE(PL_SOLVE_CONVERGED, result.end, text);
            hash[k] = result.hash;
            free(v), free(f);
            pl_problem_destroy(problem);
        }
        TEST_ASSERT_TRUE_MESSAGE(hash[0] == hash[1] && hash[0] != hash[2], text);
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_profiles_follow_their_definition);
    RUN_TEST(test_a_picture_of_nothing_and_of_many);
    RUN_TEST(test_made_problems_and_their_files);
    RUN_TEST(test_results_as_json_and_markdown);
    RUN_TEST(test_several_solvers_by_name);
    RUN_TEST(test_a_collection);
    RUN_TEST(test_recipes_are_reproducible);
    return UNITY_END();
}
