// Groups of neighbouring nodes: a partition into connected groups of bounded size, whatever the
// graph.

#include "matrices.h"
#include "../solvers/aggregates.h"

void setUp(void)
{
    random_state = 3;
}

void tearDown(void)
{
}

typedef struct groups {
    int32_t n;      // groups
    int32_t *of;    // (graph.n)
    int32_t *count; // (n)
} groups;

static groups aggregate(const pl_graph *graph, int32_t size)
{
    size_t n = (size_t)graph->n;
    groups g = {.of = malloc((n + 1) * sizeof *g.of)};
    int32_t *queue = malloc((2 * n + 2) * sizeof *queue);
    queue[2 * n] = queue[2 * n + 1] = 12345;
    g.of[n] = 12345;
    g.n = pl_aggregate(graph, size, g.of, queue);
    TEST_ASSERT_EQUAL(12345, queue[2 * n]);
    TEST_ASSERT_EQUAL(12345, g.of[n]);
    g.count = calloc((size_t)g.n + 1, sizeof *g.count);
    for (int32_t i = 0; i < graph->n; i++) {
        TEST_ASSERT_TRUE(g.of[i] >= 0 && g.of[i] < g.n); // every node is in one group,
        g.count[g.of[i]]++;
    }
    for (int32_t a = 0; a < g.n; a++) TEST_ASSERT_TRUE(g.count[a] > 0); // and none is empty
    free(queue);
    return g;
}

static void free_groups(groups *g)
{
    free(g->of), free(g->count);
}

// How many nodes a walk within the group of node i reaches.
static int32_t reach(const pl_graph *graph, const groups *g, int32_t i, uint8_t *seen,
                     int32_t *stack)
{
    int32_t n = 1, reached = 0;
    stack[0] = i;
    seen[i] = 1;
    while (n > 0) {
        int32_t at = stack[--n];
        reached++;
        for (int64_t k = graph->row[at]; k < graph->row[at + 1]; k++) {
            int32_t j = graph->col[k];
            if (seen[j] || g->of[j] != g->of[i]) continue;
            seen[j] = 1;
            stack[n++] = j;
        }
    }
    return reached;
}

static void check_connected(const pl_graph *graph, const groups *g)
{
    uint8_t *seen = calloc((size_t)graph->n + 1, 1);
    int32_t *stack = malloc(((size_t)graph->n + 1) * sizeof *stack);
    for (int32_t i = 0; i < graph->n; i++) {
        if (seen[i]) continue;
        TEST_ASSERT_EQUAL(g->count[g->of[i]], reach(graph, g, i, seen, stack));
    }
    free(seen), free(stack);
}

static void test_random_graphs(void)
{
    for (int trial = 0; trial < 60; trial++) {
        pl_bsr A;
        int32_t n = 1 + (int32_t)(random_bits() % 300);
        random_matrix(n, n / 4 + trial % 7 * n / 4, 1, &A); // sparse ones fall apart
        const pl_graph graph = {A.n, A.row, A.col};
        for (int32_t size = 1; size <= 64; size *= 4) {
            groups g = aggregate(&graph, size);
            check_connected(&graph, &g);
            groups again = aggregate(&graph, size);
            TEST_ASSERT_EQUAL(g.n, again.n);
            TEST_ASSERT_EQUAL_MEMORY(g.of, again.of, (size_t)n * sizeof *g.of);
            free_groups(&g);
            free_groups(&again);
        }
        pl_bsr_free(&A);
    }
}

// On a grid groups have the size that is asked for: none is small, since these join a neighbour;
// and few join one, so that none becomes much larger.
static void test_sizes_on_a_grid(void)
{
    pl_bsr A;
    grid_matrix(16, 1, &A);
    const pl_graph graph = {A.n, A.row, A.col};
    groups g = aggregate(&graph, 40);
    check_connected(&graph, &g);
    int32_t most = 0;
    for (int32_t a = 0; a < g.n; a++) {
        TEST_ASSERT_TRUE(3 * g.count[a] >= 40);
        most = PL_MAX(most, g.count[a]);
    }
    TEST_ASSERT_TRUE(most <= 3 * 40);
    TEST_ASSERT_TRUE(g.n > A.n / 80 && g.n < A.n / 25);
    free_groups(&g);
    pl_bsr_free(&A);
}

// A rigid body's blocks have no neighbours, and must not be lost or joined to strangers.
static void test_nodes_without_neighbours(void)
{
    pl_bsr A;
    int32_t edge[2] = {2, 5};
    TEST_ASSERT_EQUAL(PL_OK, pl_bsr_create(8, 1, edge, &A));
    const pl_graph graph = {A.n, A.row, A.col};
    groups g = aggregate(&graph, 40);
    TEST_ASSERT_EQUAL(7, g.n);
    TEST_ASSERT_EQUAL(g.of[2], g.of[5]);
    check_connected(&graph, &g);
    free_groups(&g);
    pl_bsr_free(&A);
    int64_t row[4] = {0, 0, 0, 0}; // without even a diagonal
    const pl_graph empty = {3, row, NULL};
    g = aggregate(&empty, 4);
    TEST_ASSERT_EQUAL(3, g.n);
    free_groups(&g);
    const pl_graph nothing = {0, row, NULL};
    g = aggregate(&nothing, 4);
    TEST_ASSERT_EQUAL(0, g.n);
    free_groups(&g);
}

// A chain is cut into pieces one after the other.
static void test_a_chain(void)
{
    pl_bsr A;
    int32_t edge[2 * 99];
    for (int32_t i = 0; i < 99; i++) edge[2 * i] = i, edge[2 * i + 1] = i + 1;
    TEST_ASSERT_EQUAL(PL_OK, pl_bsr_create(100, 99, edge, &A));
    const pl_graph graph = {A.n, A.row, A.col};
    groups g = aggregate(&graph, 10);
    TEST_ASSERT_EQUAL(10, g.n);
    for (int32_t i = 0; i < 100; i++) TEST_ASSERT_EQUAL(i / 10, g.of[i]);
    free_groups(&g);
    pl_bsr_free(&A);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_random_graphs);
    RUN_TEST(test_sizes_on_a_grid);
    RUN_TEST(test_nodes_without_neighbours);
    RUN_TEST(test_a_chain);
    return UNITY_END();
}
