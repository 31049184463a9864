#include "../base/map.h"
#include "unity.h"

void setUp(void)
{
}
void tearDown(void)
{
}

static void test_what_is_put_in_is_found(void)
{
    enum { N = 1000 };
    pl_map map = {0};
    TEST_ASSERT_NULL(pl_map_find(&map, 3));
    for (int round = 0; round < 3; round++) {
        TEST_ASSERT_EQUAL(PL_OK, pl_map_clear(&map, N));
        for (uint64_t k = 0; k < N; k++) *pl_map_at(&map, k * k * 65536, -1) += (int32_t)k + 1;
        for (uint64_t k = 0; k < N; k++) {
            const int32_t *value = pl_map_find(&map, k * k * 65536);
            TEST_ASSERT_NOT_NULL(value);
            TEST_ASSERT_EQUAL(k, *value);
            TEST_ASSERT_NULL(pl_map_find(&map, k * k * 65536 + 1));
        }
        TEST_ASSERT_EQUAL(N, map.n);
    }
    pl_map_free(&map);
}

static void test_a_key_has_one_value(void)
{
    pl_map map = {0};
    TEST_ASSERT_EQUAL(PL_OK, pl_map_clear(&map, 2));
    for (int i = 0; i < 10; i++) (*pl_map_at(&map, UINT64_MAX - 1, 0))++;
    TEST_ASSERT_EQUAL(10, *pl_map_find(&map, UINT64_MAX - 1));
    TEST_ASSERT_EQUAL(0, *pl_map_at(&map, 0, 0));
    TEST_ASSERT_EQUAL(2, map.n);
    pl_map_free(&map);
}

// A table that was large serves for few keys, and none of them is an old one.
static void test_a_map_is_empty_after_clearing(void)
{
    pl_map map = {0};
    TEST_ASSERT_EQUAL(PL_OK, pl_map_clear(&map, 500));
    for (uint64_t k = 0; k < 500; k++) pl_map_at(&map, k, 1);
    TEST_ASSERT_EQUAL(PL_OK, pl_map_clear(&map, 3));
    for (uint64_t k = 0; k < 500; k++) TEST_ASSERT_NULL(pl_map_find(&map, k));
    pl_map_free(&map);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_what_is_put_in_is_found);
    RUN_TEST(test_a_key_has_one_value);
    RUN_TEST(test_a_map_is_empty_after_clearing);
    return UNITY_END();
}
