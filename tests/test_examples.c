// The programs of examples/ run, and say what they should. `make check` builds them.

#include "runs.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void setUp(void)
{
}
void tearDown(void)
{
}

// Runs an example in the folder of the test; its output must have `part` in it.
static void run(const char *name, const char *part)
{
    const char *examples = getenv("EXAMPLES");
    char command[512], text[8192];
    char program[256];
    snprintf(program, sizeof program, "%s/%s", examples != NULL ? examples : "build/examples",
             name);
    if (access(program, X_OK) != 0) TEST_IGNORE_MESSAGE("not built: make examples");
    snprintf(command, sizeof command, "%s %s/problem.plp 2>&1", program, folder);
    FILE *pipe = popen(command, "r");
    TEST_ASSERT_NOT_NULL(pipe);
    size_t n = fread(text, 1, sizeof text - 1, pipe);
    text[n] = '\0';
    TEST_ASSERT_EQUAL_MESSAGE(0, pclose(pipe), text);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(text, part), text);
}

static void test_fall(void)
{
    run("fall", "1.00 s: first vertex at");
}

static void test_drag(void)
{
    run("drag", "1.50 s: at x = 0.");
}

static void test_weight(void)
{
    run("weight", "20 degrees: 627.");
}

static void test_sweep(void)
{
    run("sweep", "neo-Hookean    E 64000000 Pa: sags by 0.00");
}

static void test_checkpoint(void)
{
    run("checkpoint", ": the same");
}

static void test_threads(void)
{
    run("threads", " and ");
}

static void test_problem(void)
{
    run("problem", "auto         converged");
}

static void test_solver(void)
{
    run("solver", "height 0.4987");
}

int main(void)
{
    if (mkdtemp(folder) == NULL) return 1;
    UNITY_BEGIN();
    RUN_TEST(test_fall);
    RUN_TEST(test_drag);
    RUN_TEST(test_weight);
    RUN_TEST(test_sweep);
    RUN_TEST(test_checkpoint);
    RUN_TEST(test_threads);
    RUN_TEST(test_problem);
    RUN_TEST(test_solver);
    return UNITY_END();
}
