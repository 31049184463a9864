#include "edges.h"

// Sorts by edge, keeping the order of equal ones: one counting pass per byte that is not constant.
// The result is in `a` or `b` (n each); returns which.
static pl_side *sort_sides(pl_side *a, pl_side *b, int64_t n)
{
    for (int shift = 0; shift < 64; shift += 8) {
        int64_t start[257] = {0};
        for (int64_t i = 0; i < n; i++) start[1 + ((a[i].edge >> shift) & 255)]++;
        bool constant = false;
        for (int k = 1; k <= 256; k++) constant = constant || start[k] == n;
        if (constant) continue;
        for (int k = 1; k < 256; k++) start[k] += start[k - 1];
        for (int64_t i = 0; i < n; i++) b[start[(a[i].edge >> shift) & 255]++] = a[i];
        pl_side *t = a;
        a = b;
        b = t;
    }
    return a;
}

pl_status pl_sides_order(pl_side **sides, int64_t n)
{
    pl_side *a = *sides, *b = pl_alloc(n, sizeof *b);
    if (b == NULL) return PL_ERROR_MEMORY;
    *sides = sort_sides(a, b, n);
    pl_free(*sides == a ? b : a);
    return PL_OK;
}

pl_status pl_sides_sort(int32_t n_face, const int32_t *face, pl_side **out, int64_t *n_out)
{
    *out = NULL;
    *n_out = 0;
    pl_side *sides = pl_alloc(3 * (int64_t)n_face, sizeof *sides);
    if (sides == NULL) return PL_ERROR_MEMORY;
    int64_t n = 0;
    for (int32_t f = 0; f < n_face; f++) {
        const int32_t *v = face + 3 * (int64_t)f;
        if (pl_face_repeats(v)) continue;
        for (int32_t k = 0; k < 3; k++) {
            sides[n++] = (pl_side){pl_edge_of(v[k], v[(k + 1) % 3]), 3 * f + k};
        }
    }
    pl_status status = pl_sides_order(&sides, n);
    if (status != PL_OK) {
        pl_free(sides);
        return status;
    }
    *out = sides;
    *n_out = n;
    return PL_OK;
}

int32_t pl_set_find(int32_t *parent, int32_t i)
{
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

bool pl_set_join(int32_t *parent, int32_t i, int32_t j)
{
    int32_t a = pl_set_find(parent, i), b = pl_set_find(parent, j);
    parent[PL_MAX(a, b)] = PL_MIN(a, b);
    return a != b;
}
