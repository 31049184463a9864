// The solvers, for a program that lets its user choose.

#include "worlds.h"

void setUp(void)
{
}

void tearDown(void)
{
}

// One by one they are those of the text, and a world takes each name.
static void test_solvers_one_by_one(void)
{
    static char help[8192];
    TEST_ASSERT_TRUE(pl_solver_help(help, sizeof help) < sizeof help);
    const char *line = help;
    TEST_ASSERT_TRUE(pl_solver_count() > 1);
    for (int32_t i = 0; i < pl_solver_count(); i++) {
        pl_solver_info info;
        int32_t number;
        TEST_ASSERT_EQUAL(PL_OK, pl_solver_describe(i, &info));
        TEST_ASSERT_EQUAL_STRING_LEN(info.name, line, strlen(info.name));
        TEST_ASSERT_NOT_NULL(strstr(line, info.guarantee));
        TEST_ASSERT_TRUE(info.paper[0] != '\0');
        bool cr = strcmp(info.name, "cr") == 0 || strcmp(info.name, "minres") == 0 ||
                  strcmp(info.name, "gcr") == 0;
        TEST_ASSERT_EQUAL(cr, info.has_precond);
        TEST_ASSERT_EQUAL(PL_OK, pl_solver_number(info.name, &number));
        TEST_ASSERT_EQUAL_INT32(i, number);
        pl_world_options options = pl_world_options_default();
        options.solver = info.name;
        pl_world_destroy(make_world(&options));
        line = strchr(line, '\n') + 1;
    }
    TEST_ASSERT_EQUAL_STRING("", line);
}

static void test_preconditioners_one_by_one(void)
{
    pl_world *world = make_world(NULL);
    for (int32_t i = 0; i < pl_precond_count(); i++) {
        int32_t number;
        TEST_ASSERT_EQUAL(PL_OK, pl_precond_number(pl_precond_name(i), &number));
        TEST_ASSERT_EQUAL_INT32(i, number);
        TEST_ASSERT_EQUAL(PL_OK, pl_world_set_solver(world, "cr", pl_precond_name(i)));
    }
    TEST_ASSERT_NULL(pl_precond_name(pl_precond_count()));
    pl_world_destroy(world);
}

static void test_names_that_are_none(void)
{
    int32_t number = 7;
    pl_solver_info info;
    expect_failure(PL_ERROR_ARGUMENT, pl_solver_number("apq", &number), "\"apg\"");
    expect_failure(PL_ERROR_ARGUMENT, pl_precond_number("dag", &number), "\"diag\"");
    TEST_ASSERT_EQUAL_INT32(7, number);
    expect_failure(PL_ERROR_ARGUMENT, pl_solver_describe(pl_solver_count(), &info), "the first");
    TEST_ASSERT_NULL(info.name);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_solvers_one_by_one);
    RUN_TEST(test_preconditioners_one_by_one);
    RUN_TEST(test_names_that_are_none);
    return UNITY_END();
}
