// Colliders made for tests, and their candidates by looking at all pairs.

#ifndef PL_TEST_COLLIDERS_H
#define PL_TEST_COLLIDERS_H

#include "../collision/bvh.h"
#include "../collision/surfaces.h"
#include "pairs.h"

#include <math.h>
#include <string.h>
#include <unity.h>

// --- Random numbers ---

static uint64_t state;

static inline double uniform(double lo, double hi)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return lo + (hi - lo) * (double)(state >> 11) * 0x1p-53;
}

static inline int32_t pick(int32_t n)
{
    return (int32_t)uniform(0, n);
}

// --- Scenes: arrays that grow as colliders are added ---

enum { MAX_VERT = 6000, MAX_INDEX = 40000, MAX_COLLIDER = 40 };

typedef struct scene {
    int32_t n_vert, n_index, n_collider;
    double x0[3 * MAX_VERT], x1[3 * MAX_VERT];
    int32_t index[MAX_INDEX];
    pl_collider collider[MAX_COLLIDER];
} scene;

static scene S;

static inline void begin(uint64_t seed)
{
    state = seed * 7919 + 1;
    S.n_vert = S.n_index = S.n_collider = 0;
}

static inline int32_t vertex(double x, double y, double z)
{
    TEST_ASSERT_TRUE(S.n_vert < MAX_VERT);
    double *p = S.x0 + 3 * S.n_vert;
    p[0] = x;
    p[1] = y;
    p[2] = z;
    memcpy(S.x1 + 3 * S.n_vert, p, 3 * sizeof *p);
    return S.n_vert++;
}

static inline int32_t *indices(int n, const int32_t *from)
{
    TEST_ASSERT_TRUE(S.n_index + n <= MAX_INDEX);
    int32_t *to = S.index + S.n_index;
    memcpy(to, from, (size_t)n * sizeof *to);
    S.n_index += n;
    return to;
}

static inline pl_collider *collider(void)
{
    TEST_ASSERT_TRUE(S.n_collider < MAX_COLLIDER);
    S.collider[S.n_collider] = pl_collider_default();
    return &S.collider[S.n_collider++];
}

// Triangles without neighbours, of all sizes, in a cube of side `size`.
static inline void add_soup(int32_t n, double size)
{
    pl_collider *c = collider();
    c->face = S.index + S.n_index;
    c->n_face = n;
    for (int32_t i = 0; i < n; i++) {
        double h = size * pow(10, uniform(-3, -0.3)), at[3];
        int32_t face[3];
        for (int k = 0; k < 3; k++) at[k] = uniform(-size, size);
        for (int k = 0; k < 3; k++) {
            face[k] =
                vertex(at[0] + uniform(-h, h), at[1] + uniform(-h, h), at[2] + uniform(-h, h));
        }
        indices(3, face);
    }
}

// A sheet of n x n cells that is folded m times, with layers `gap` apart.
static inline void add_cloth(int32_t n, int m, double gap, const double at[3])
{
    pl_collider *c = collider();
    c->face = S.index + S.n_index;
    c->n_face = 2 * n * n;
    int32_t first = S.n_vert;
    for (int32_t j = 0; j <= n; j++) {
        for (int32_t i = 0; i <= n; i++) {
            double u = (double)i / n * m, layer = floor(u), along = u - layer;
            if ((int)layer % 2 == 1) along = 1 - along;
            vertex(at[0] + along, at[1] + (double)j / n, at[2] + gap * u + uniform(0, 0.02 * gap));
        }
    }
    for (int32_t j = 0; j < n; j++) {
        for (int32_t i = 0; i < n; i++) {
            int32_t a = first + j * (n + 1) + i, b = a + 1, d = a + n + 1, e = d + 1;
            indices(6, (const int32_t[]){a, b, e, a, e, d});
        }
    }
}

static inline void add_balls(int32_t n, double radius)
{
    pl_collider *c = collider();
    c->point = S.index + S.n_index;
    c->n_point = n;
    c->radius = radius;
    for (int32_t i = 0; i < n; i++) {
        int32_t v = vertex(uniform(-1, 1), uniform(-1, 1), uniform(-1, 1));
        indices(1, &v);
    }
}

// A string of capsules.
static inline void add_string(int32_t n, double radius)
{
    pl_collider *c = collider();
    c->edge = S.index + S.n_index;
    c->n_edge = n;
    c->radius = radius;
    int32_t first = vertex(uniform(-1, 1), uniform(-1, 1), uniform(-1, 1));
    for (int32_t i = 0; i < n; i++) {
        const double *p = S.x0 + 3 * (first + i);
        vertex(p[0] + uniform(-0.3, 0.3), p[1] + uniform(-0.3, 0.3), p[2] + uniform(-0.3, 0.3));
        indices(2, (const int32_t[]){first + i, first + i + 1});
    }
}

static inline void shake(double size)
{
    for (int32_t i = 0; i < 3 * S.n_vert; i++) S.x1[i] = S.x0[i] + uniform(-size, size);
}

static inline pl_surfaces *build(void)
{
    pl_surfaces *s = NULL;
    TEST_ASSERT_EQUAL(PL_OK, pl_surfaces_create(S.n_vert, S.x0, S.n_collider, S.collider, &s));
    return s;
}

// --- All pairs ---

// Features of all colliders, collected without looking at the surfaces under test.
enum { MAX_FEATURE = 20000 };
typedef struct features {
    int32_t n_face, n_edge, n_point;
    int32_t face[3 * MAX_FEATURE], edge[2 * MAX_FEATURE], point[MAX_FEATURE];
    int32_t face_body[MAX_FEATURE], edge_body[MAX_FEATURE], point_body[MAX_FEATURE];
    bool lone_edge[MAX_FEATURE], lone_point[MAX_FEATURE], seen[MAX_VERT];
    int32_t last_edge[MAX_VERT], edge_before[MAX_FEATURE]; // edges by lower vertex, counted from 1
} features;

static features F;

// Of edges that several faces have, the first is kept.
static inline void add_edge(int32_t a, int32_t b, int32_t body, bool lone)
{
    int32_t lo = PL_MIN(a, b), hi = PL_MAX(a, b);
    for (int32_t e = F.last_edge[lo]; e > 0; e = F.edge_before[e - 1]) {
        if (F.edge[2 * e - 1] == hi) return;
    }
    TEST_ASSERT_TRUE(F.n_edge < MAX_FEATURE);
    F.edge[2 * F.n_edge] = lo;
    F.edge[2 * F.n_edge + 1] = hi;
    F.edge_before[F.n_edge] = F.last_edge[lo];
    F.lone_edge[F.n_edge] = lone;
    F.edge_body[F.n_edge++] = body;
    F.last_edge[lo] = F.n_edge;
}

static inline void add_point(int32_t v, int32_t body, bool lone)
{
    if (F.seen[v]) return;
    F.seen[v] = true;
    F.point[F.n_point] = v;
    F.lone_point[F.n_point] = lone;
    F.point_body[F.n_point++] = body;
}

static inline void collect_features(void)
{
    F.n_face = F.n_edge = F.n_point = 0;
    memset(F.seen, 0, sizeof F.seen);
    memset(F.last_edge, 0, sizeof F.last_edge);
    for (int32_t b = 0; b < S.n_collider; b++) {
        const pl_collider *c = &S.collider[b];
        for (int32_t i = 0; i < c->n_face; i++) {
            const int32_t *f = c->face + 3 * i;
            memcpy(F.face + 3 * F.n_face, f, 3 * sizeof *f);
            F.face_body[F.n_face++] = b;
            for (int k = 0; k < 3; k++) add_edge(f[k], f[(k + 1) % 3], b, false);
            for (int k = 0; k < 3; k++) add_point(f[k], b, false);
        }
        for (int32_t i = 0; i < c->n_edge; i++) {
            add_edge(c->edge[2 * i], c->edge[2 * i + 1], b, true);
            for (int k = 0; k < 2; k++) add_point(c->edge[2 * i + k], b, false);
        }
        for (int32_t i = 0; i < c->n_point; i++) add_point(c->point[i], b, true);
    }
}

static inline bool paired(int32_t a, int32_t b)
{
    const pl_collider *p = &S.collider[a], *q = &S.collider[b];
    if (a == b) return p->self && !p->fixed;
    if (p->group != 0 && p->group == q->group) return false;
    return !(p->fixed && q->fixed) && (p->category & q->mask) && (q->category & p->mask);
}

// The box of n vertices of one collider.
static inline pl_bound box_of(int n, const int32_t *v, int32_t body, double margin)
{
    pl_bound box = pl_bound_empty();
    double pad = S.collider[body].radius + margin / 2;
    for (int k = 0; k < n; k++) {
        box = pl_bound_join(box, pl_bound_point(S.x0 + 3 * v[k], S.x1 + 3 * v[k], pad));
    }
    return box;
}

static inline bool common(int n, const int32_t *a, int m, const int32_t *b)
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            if (a[i] == b[j]) return true;
        }
    }
    return false;
}

static inline bool candidate(int n, const int32_t *a, int32_t body_a, int m, const int32_t *b,
                             int32_t body_b, double margin)
{
    if (!paired(body_a, body_b) || common(n, a, m, b)) return false;
    pl_bound p = box_of(n, a, body_a, margin), q = box_of(m, b, body_b, margin);
    return pl_bound_overlap(&p, &q);
}

// --- Comparing lists ---

static inline void check_sorted(const int32_t *list, int64_t n)
{
    for (int64_t i = 1; i < n; i++) {
        const int32_t *p = list + 2 * (i - 1), *q = list + 2 * i;
        TEST_ASSERT_TRUE(p[0] < q[0] || (p[0] == q[0] && p[1] < q[1]));
    }
}

// The number of an edge among the surfaces' edges, which are sorted.
static inline int32_t surface_edge(const pl_surfaces *s, const int32_t edge[2])
{
    int32_t lo = 0, hi = s->n_edge;
    while (lo < hi) {
        int32_t mid = (lo + hi) / 2;
        const int32_t *e = s->edge + 2 * mid;
        if (e[0] == edge[0] && e[1] == edge[1]) return mid;
        if (e[0] < edge[0] || (e[0] == edge[0] && e[1] < edge[1])) {
            lo = mid + 1;
        } else {
            hi = mid;
        }
    }
    TEST_FAIL_MESSAGE("an edge is missing");
    return -1;
}

// Every candidate that all pairs find is listed, unless it lies within one body and `patches` are
// allowed; nothing else is. Returns how many are not listed.
static inline int64_t compare(const pl_surfaces *s, const pl_candidates *c, double margin,
                              bool patches)
{
    collect_features();
    TEST_ASSERT_EQUAL(F.n_edge, s->n_edge);
    static int32_t edge_id[MAX_FEATURE];
    for (int32_t e = 0; e < F.n_edge; e++) edge_id[e] = surface_edge(s, F.edge + 2 * e);
    int64_t n[4] = {0}, left_out = 0;
    for (int32_t p = 0; p < F.n_point; p++) {
        for (int32_t f = 0; f < F.n_face; f++) {
            if (!candidate(1, F.point + p, F.point_body[p], 3, F.face + 3 * f, F.face_body[f],
                           margin)) {
                continue;
            }
            bool found = listed(c->vertex_face, c->n_vertex_face, F.point[p], f);
            n[0] += found;
            left_out += !found;
            TEST_ASSERT_TRUE(found || (patches && F.point_body[p] == F.face_body[f]));
        }
        for (int32_t e = 0; e < F.n_edge; e++) {
            if (!F.lone_edge[e]) continue;
            if (!candidate(1, F.point + p, F.point_body[p], 2, F.edge + 2 * e, F.edge_body[e],
                           margin)) {
                continue;
            }
            n[2]++;
            TEST_ASSERT_TRUE(listed(c->vertex_edge, c->n_vertex_edge, F.point[p], edge_id[e]));
        }
        for (int32_t q = 0; q < F.n_point; q++) {
            if (!F.lone_point[p] || !F.lone_point[q] || F.point[p] >= F.point[q]) continue;
            if (!candidate(1, F.point + p, F.point_body[p], 1, F.point + q, F.point_body[q],
                           margin)) {
                continue;
            }
            n[3]++;
            TEST_ASSERT_TRUE(listed(c->vertex_vertex, c->n_vertex_vertex, F.point[p], F.point[q]));
        }
    }
    for (int32_t e = 0; e < F.n_edge; e++) {
        for (int32_t f = e + 1; f < F.n_edge; f++) {
            if (!candidate(2, F.edge + 2 * e, F.edge_body[e], 2, F.edge + 2 * f, F.edge_body[f],
                           margin)) {
                continue;
            }
            int32_t a = PL_MIN(edge_id[e], edge_id[f]), b = PL_MAX(edge_id[e], edge_id[f]);
            bool found = listed(c->edge_edge, c->n_edge_edge, a, b);
            n[1] += found;
            left_out += !found;
            TEST_ASSERT_TRUE(found || (patches && F.edge_body[e] == F.edge_body[f]));
        }
    }
    TEST_ASSERT_EQUAL(n[0], c->n_vertex_face);
    TEST_ASSERT_EQUAL(n[1], c->n_edge_edge);
    TEST_ASSERT_EQUAL(n[2], c->n_vertex_edge);
    TEST_ASSERT_EQUAL(n[3], c->n_vertex_vertex);
    check_sorted(c->vertex_face, c->n_vertex_face);
    check_sorted(c->edge_edge, c->n_edge_edge);
    check_sorted(c->vertex_edge, c->n_vertex_edge);
    check_sorted(c->vertex_vertex, c->n_vertex_vertex);
    return left_out;
}

#endif
