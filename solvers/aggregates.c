// Groups grow breadth first, each from a node that touches the groups before it, so that they are
// round and leave no gaps. What is left over between groups joins one of them.

#include "aggregates.h"

// A group with less than this part of the wanted size joins a neighbour.
enum { LEAST_SHARE = 3 };

// Nodes that were seen at the border of groups, first come first served.
typedef struct border {
    int32_t *node; // (n)
    int32_t first, last;
    int32_t next; // no node below is without group
} border;

// The next node to grow a group from; -1 if all have one.
static int32_t find_seed(int32_t n, const int32_t *of, border *b)
{
    while (b->first < b->last) {
        int32_t i = b->node[b->first++];
        if (of[i] < 0) return i;
    }
    while (b->next < n && of[b->next] != -1 && of[b->next] != -2) b->next++;
    return b->next < n ? b->next : -1;
}

// Gives up to `size` nodes around the seed the number `group`, and lists them; returns how many.
static int32_t grow(const pl_graph *g, int32_t seed, int32_t group, int32_t size, int32_t *of,
                    int32_t *list)
{
    int32_t n = 1;
    list[0] = seed;
    of[seed] = group;
    for (int32_t at = 0; at < n && n < size; at++) {
        for (int64_t k = g->row[list[at]]; k < g->row[list[at] + 1] && n < size; k++) {
            int32_t j = g->col[k];
            if (of[j] >= 0) continue;
            of[j] = group;
            list[n++] = j;
        }
    }
    return n;
}

// A group that one of the nodes in the list touches; -1 if none does.
static int32_t find_neighbour(const pl_graph *g, int32_t n, const int32_t *list, int32_t group,
                              const int32_t *of)
{
    for (int32_t i = 0; i < n; i++) {
        for (int64_t k = g->row[list[i]]; k < g->row[list[i] + 1]; k++) {
            int32_t other = of[g->col[k]];
            if (other >= 0 && other != group) return other;
        }
    }
    return -1;
}

int32_t pl_aggregate(const pl_graph *graph, int32_t size, int32_t *of, int32_t *queue)
{
    int32_t n = graph->n, n_group = 0;
    int32_t *list = queue + n;
    border b = {.node = queue};
    for (int32_t i = 0; i < n; i++) of[i] = -1; // -2: in the border's queue
    for (int32_t seed; (seed = find_seed(n, of, &b)) >= 0;) {
        int32_t count = grow(graph, seed, n_group, size, of, list);
        int32_t other = -1;
        if (LEAST_SHARE * count < size) other = find_neighbour(graph, count, list, n_group, of);
        for (int32_t i = 0; i < count && other >= 0; i++) of[list[i]] = other;
        if (other >= 0) continue;
        for (int32_t i = 0; i < count; i++) {
            for (int64_t k = graph->row[list[i]]; k < graph->row[list[i] + 1]; k++) {
                int32_t j = graph->col[k];
                if (of[j] != -1) continue;
                of[j] = -2;
                b.node[b.last++] = j;
            }
        }
        n_group++;
    }
    return n_group;
}
