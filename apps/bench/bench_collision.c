// pliant bench collision: refitting the trees and finding candidates, on piles of armadillos that
// grow at constant density; and the share of detection in the steps of a pile of rings.

#include "bench.h"
#include "bench_pass.h"
#include "../scene/play.h"
#include "../../base/hash.h"
#include "../../collision/bvh.h"
#include "../../collision/surfaces.h"
#include "../../meshes/curve.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    REPEATS = 5,
    BODY_FACES = 2500,
    LAYERS = 4, // of a pile; it grows sideways
};

// The goals: time at most like n^GROWTH, REFIT times a plain pass over the bytes, BYTES per
// triangle beyond the candidates, two threads at least SPEED_UP times as fast as one.
static const double GROWTH = 1.1, REFIT = 2, BYTES = 200, SPEED_UP = 1.6;

// Bodies lie this far apart, in sizes of a body: they touch their neighbours and reach between
// their limbs.
static const double SPACING = 0.6;
static const double MARGIN = 1e-3;   // [m] for bodies of 1 m
static const double MOVEMENT = 3e-3; // [m] in a step: three steps of 1 ms at 1 m/s

// --- Piles ---

typedef struct pile {
    int32_t n_body, n_vert, n_face;
    double *x0, *x1; // (3*n_vert)
    int32_t *face;   // (3*n_face)
    pl_collider *collider;
    pl_surfaces *surfaces;
} pile;

static uint64_t random_state = 1;

static double uniform(double lo, double hi)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return lo + (hi - lo) * (double)(random_state >> 11) * 0x1p-53;
}

// A turn by a random unit quaternion.
static void random_turn(double R[9])
{
    double q[4], length = 0;
    for (int k = 0; k < 4; k++) q[k] = uniform(-1, 1);
    for (int k = 0; k < 4; k++) length += q[k] * q[k];
    for (int k = 0; k < 4; k++) q[k] /= sqrt(length);
    double w = q[0], x = q[1], y = q[2], z = q[3];
    const double turn[9] = {
        1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
        2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
        2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
    memcpy(R, turn, sizeof turn);
}

static void place_body(const pl_mesh *mesh, const double at[3], int32_t body, pile *out)
{
    double R[9], velocity[3];
    random_turn(R);
    for (int k = 0; k < 3; k++) velocity[k] = uniform(-1, 1);
    int64_t first = (int64_t)body * mesh->n_vert;
    for (int64_t v = 0; v < mesh->n_vert; v++) {
        const double *p = mesh->x + 3 * v;
        for (int k = 0; k < 3; k++) {
            double x = at[k] + R[3 * k] * p[0] + R[3 * k + 1] * p[1] + R[3 * k + 2] * p[2];
            out->x0[3 * (first + v) + k] = x;
            out->x1[3 * (first + v) + k] = x + MOVEMENT * velocity[k];
        }
    }
    int32_t *face = out->face + 3 * (int64_t)body * mesh->n_face;
    for (int64_t i = 0; i < 3 * (int64_t)mesh->n_face; i++) {
        face[i] = (int32_t)(first + mesh->face[i]);
    }
    out->collider[body] = pl_collider_default();
    out->collider[body].n_face = mesh->n_face;
    out->collider[body].face = face;
}

static void free_pile(pile *p)
{
    pl_surfaces_destroy(p->surfaces);
    pl_free(p->x0);
    pl_free(p->x1);
    pl_free(p->face);
    pl_free(p->collider);
}

static pl_status make_pile(const pl_mesh *mesh, int32_t n_body, double size, pile *out)
{
    *out =
        (pile){.n_body = n_body, .n_vert = n_body * mesh->n_vert, .n_face = n_body * mesh->n_face};
    out->x0 = pl_alloc(3 * (int64_t)out->n_vert, sizeof(double));
    out->x1 = pl_alloc(3 * (int64_t)out->n_vert, sizeof(double));
    out->face = pl_alloc(3 * (int64_t)out->n_face, sizeof(int32_t));
    out->collider = pl_alloc(n_body, sizeof *out->collider);
    pl_status status = PL_ERROR_MEMORY;
    if (out->x0 != NULL && out->x1 != NULL && out->face != NULL && out->collider != NULL) {
        int32_t side = (int32_t)ceil(sqrt((double)n_body / LAYERS));
        random_state = 1;
        for (int32_t i = 0; i < n_body; i++) {
            int32_t column = i / LAYERS;
            const double cell[3] = {column % side, column / side, i % LAYERS};
            double at[3];
            for (int k = 0; k < 3; k++) at[k] = size * SPACING * (cell[k] + uniform(-0.1, 0.1));
            place_body(mesh, at, i, out);
        }
        status = pl_surfaces_create(out->n_vert, out->x0, n_body, out->collider, &out->surfaces);
    }
    if (status != PL_OK) free_pile(out);
    return status;
}

// --- What is measured ---

// What a refit reads and writes.
static double pass_over_refit(const pile *p)
{
    const pl_surfaces *s = p->surfaces;
    int64_t vectors = 3 * (int64_t)p->n_vert * (int64_t)sizeof(double);
    const pl_span spans[] = {
        {p->x0, vectors, false},
        {p->x1, vectors, false},
        {s->point, s->n_point * (int64_t)sizeof *s->point, false},
        {s->point_body, s->n_point * (int64_t)sizeof *s->point_body, false},
        {s->item, s->n_item * (int64_t)sizeof *s->item, false},
        {s->point_bound, s->n_point * (int64_t)sizeof *s->point_bound, true},
        {s->item_bound, s->n_item * (int64_t)sizeof *s->item_bound, true},
        {s->node_bound, s->n_node * (int64_t)sizeof *s->node_bound, true},
    };
    double start = pl_seconds();
    pl_pass_over(spans, sizeof spans / sizeof spans[0]);
    return pl_seconds() - start;
}

// Everything that lives between steps, but the candidates.
static double bytes_of(const pl_surfaces *s)
{
    int64_t sum =
        s->n_point * (int64_t)(3 * sizeof(int32_t) + sizeof(pl_bound) + 2) +
        s->n_edge * (int64_t)(4 * sizeof(int32_t)) + s->n_face * (int64_t)(6 * sizeof(int32_t)) +
        s->n_item * (int64_t)(sizeof(pl_item) + sizeof(pl_bound)) +
        s->n_leaf * (int64_t)(2 * sizeof(int32_t)) +
        s->n_node * (int64_t)(sizeof(pl_bound) + sizeof(int32_t)) +
        s->n_chunk * (int64_t)sizeof(pl_chunk) +
        s->n_body * (int64_t)(sizeof(pl_surface_body) + sizeof(pl_key) + 2 * sizeof(pl_bound)) +
        PL_MAX(s->n_point, s->n_edge) * (int64_t)sizeof(int32_t) +
        (s->task_capacity + s->split_capacity) * (int64_t)sizeof(pl_task);
    for (int32_t c = 0; c < s->n_chunk; c++) {
        sum += s->chunk[c].outline_capacity * (int64_t)sizeof(int32_t);
    }
    return (double)sum;
}

static uint64_t hash_candidates(const pl_candidates *c)
{
    uint64_t hash = pl_hash(PL_HASH_START, c->vertex_face, 8 * (size_t)c->n_vertex_face);
    return pl_hash(hash, c->edge_edge, 8 * (size_t)c->n_edge_edge);
}

typedef struct times {
    double pass, refit, all;
} times;

static pl_status measure(const pile *p, int threads, times *best, pl_candidates *c)
{
    pl_threads_set(threads);
    *best = (times){INFINITY, INFINITY, INFINITY};
    for (int i = 0; i < REPEATS; i++) {
        PL_TRY(pl_surfaces_search(p->surfaces, p->x0, p->x1, MARGIN, c)); // warm
        best->pass = fmin(best->pass, pass_over_refit(p));
        double start = pl_seconds();
        PL_TRY(pl_bvh_move(p->surfaces));
        best->refit = fmin(best->refit, pl_seconds() - start);
        start = pl_seconds();
        PL_TRY(pl_surfaces_search(p->surfaces, p->x0, p->x1, MARGIN, c));
        best->all = fmin(best->all, pl_seconds() - start);
    }
    return PL_OK;
}

static pl_status measure_pile(const pl_mesh *mesh, double size, int32_t n_body, double *seconds)
{
    pile p;
    PL_TRY(make_pile(mesh, n_body, size, &p));
    double n = p.n_face;
    pl_status status = PL_OK;
    for (int threads = 1; threads <= 2 && status == PL_OK; threads++) {
        times t;
        pl_candidates c;
        status = measure(&p, threads, &t, &c);
        if (status != PL_OK) break;
        if (threads == 1) *seconds = t.all;
        double bytes = bytes_of(p.surfaces) / n;
        bool slow = t.refit > REFIT * t.pass || bytes > BYTES ||
                    (threads == 2 && *seconds < SPEED_UP * t.all);
        printf("%9d %7d %8.2f %8.2f %6.2f %8.2f %8.1f %8.2f %7.0f %9.1f  %016" PRIx64 "%s\n",
               p.n_face, threads, 1e3 * t.pass, 1e3 * t.refit, t.refit / t.pass, 1e3 * t.all,
               1e9 * t.all / n, *seconds / t.all, bytes,
               (double)(c.n_vertex_face + c.n_edge_edge) / n, hash_candidates(&c),
               slow ? "  slow" : "");
    }
    free_pile(&p);
    return status;
}

// The surface of the armadillo of `make meshes` if it is there, else a ring's, at about BODY_FACES.
static pl_status load(bool quick, pl_mesh **out)
{
    pl_mesh *solid, *surface;
    if (quick || pl_mesh_read("build/meshes/armadillo.msh", &solid) != PL_OK) {
        PL_TRY(pl_mesh_make("ring", &solid));
    }
    pl_status status = pl_mesh_surface(solid, NULL, &surface);
    pl_mesh_destroy(solid);
    if (status != PL_OK) return status;
    const pl_decimate_options options = {BODY_FACES};
    status = pl_mesh_decimate(surface, &options, out);
    pl_mesh_destroy(surface);
    return status;
}

// --- A pile of rings [VJ19, Table 1] ---

enum { RINGS = 120, RING_LAYERS = 10, RING_STEPS = 30, RING_WARM = 10 };

// The whole detection of a step is to take at most this part of 100 iterations of CR.
static const double DETECTION = 1.0 / 3;

static pl_status add_flat(pl_world *world, const char *shape, double x, double y, double z,
                          bool moves)
{
    pl_mesh *mesh;
    PL_TRY(pl_mesh_make(shape, &mesh));
    const double m[12] = {1, 0, 0, x, 0, 1, 0, y, 0, 0, 1, z};
    pl_status status = pl_mesh_transform(mesh, m);
    if (status == PL_OK && moves) status = pl_world_add_deformable(world, mesh, NULL, NULL);
    if (status == PL_OK && !moves) status = pl_world_add_kinematic(world, mesh, NULL, NULL);
    pl_mesh_destroy(mesh);
    return status;
}

// Rings that lie flat in layers, each layer on the gaps of the one below, almost touching.
static pl_status build_rings(pl_world *world)
{
    pl_mesh *ring;
    double lo[3], hi[3];
    PL_TRY(pl_mesh_make("ring", &ring));
    pl_mesh_bounds(ring, lo, hi);
    pl_mesh_destroy(ring);
    double wide = 1.02 * (hi[0] - lo[0]), high = (hi[2] - lo[2]) + 6e-4;
    PL_TRY(add_flat(world, "box:size=12,12,0.2:cells=12,12,1", 0, 0, -0.1, false));
    for (int i = 0; i < RINGS; i++) {
        int layer = i % RING_LAYERS, column = i / RING_LAYERS;
        double shift = 0.25 * wide * (layer % 2);
        PL_TRY(add_flat(world, "ring", wide * (column % 4 - 1.5) + shift,
                        wide * (column / 4 - 1.0) + shift, 3e-4 - lo[2] + high * layer, true));
    }
    return PL_OK;
}

// Sums over the steps after the first few; times in seconds.
typedef struct costs {
    double detection, solve, iterations, rows;
} costs;

static pl_status add_costs(pl_play *play, void *user)
{
    costs *c = user;
    const pl_step_stats *stats = &play->stats;
    if (stats->step <= RING_WARM) return PL_OK;
    c->detection += stats->t_collision / stats->rounds;
    c->solve += stats->t_solve;
    c->iterations += stats->iterations;
    c->rows += stats->constraints;
    return PL_OK;
}

// CR is stopped where it stands: its iterations are what counts here.
static pl_status measure_rings(void)
{
    pl_world_options options = pl_world_options_default();
    options.solver = "cr";
    pl_world *world;
    PL_TRY(pl_world_create(&options, &world));
    pl_play play = pl_play_of(world);
    play.last = RING_STEPS;
    costs c = {0};
    pl_status status = build_rings(world);
    if (status == PL_OK) status = pl_play_run(&play, add_costs, &c);
    pl_play_close(&play);
    PL_TRY(status);
    double n = RING_STEPS - RING_WARM, part = c.detection / n / (100 * c.solve / c.iterations);
    printf("%d rings: detection %.2f ms per round, 100 iterations of CR %.2f ms (%.0f contacts), "
           "part %.3f (goal %.3f)%s\n",
           RINGS, 1e3 * c.detection / n, 1e5 * c.solve / c.iterations, c.rows / n, part, DETECTION,
           part <= DETECTION ? "" : "  slow");
    return PL_OK;
}

pl_status pl_bench_collision(const pl_bench_options *options)
{
    static const int32_t wanted[] = {50000, 200000, 1000000};
    pl_mesh *mesh;
    PL_TRY(load(options->quick, &mesh));
    pl_status status = pl_mesh_along_curve(&mesh);
    double lo[3], hi[3], size = 0, seconds[3] = {0};
    pl_mesh_bounds(mesh, lo, hi);
    for (int k = 0; k < 3; k++) size = fmax(size, hi[k] - lo[k]);
    printf("piles of bodies of %d faces; plain: reads or writes the bytes of a refit once\n",
           mesh->n_face);
    printf("%9s %7s %8s %8s %6s %8s %8s %8s %7s %9s  %s\n", "triangles", "threads", "plain ms",
           "refit ms", "ratio", "all ms", "ns/tri", "speed-up", "B/tri", "pairs/tri",
           "hash of the candidates");
    int n_size = options->quick ? 2 : 3;
    for (int i = 0; i < n_size && status == PL_OK; i++) {
        int32_t n = options->quick ? 10 * (i + 1) : wanted[i] / mesh->n_face;
        status = measure_pile(mesh, size, n, &seconds[i]);
    }
    if (status == PL_OK && !options->quick) {
        double power = log(seconds[2] / seconds[0]) / log((double)wanted[2] / wanted[0]);
        printf("time grows like n^%.3f (goal %.1f)%s\n", power, GROWTH,
               power <= GROWTH ? "" : "  slow");
    }
    pl_mesh_destroy(mesh);
    pl_threads_set(1);
    if (status == PL_OK && !options->quick) status = measure_rings();
    pl_threads_set(0);
    return status;
}
