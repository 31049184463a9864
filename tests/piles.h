// Piles of elastic bodies with planted vertex-face contacts, for the tests of contact solvers: no
// collision detection of the library takes part.

#ifndef PL_TESTS_PILES_H
#define PL_TESTS_PILES_H

#include "matrices.h"
#include "../fem/fem.h"
#include "../solvers/solver.h"

#define PILE_GRAVITY 9.81

typedef struct pile_options {
    const char *shape; // of all bodies, as pl_mesh_make takes it
    int nx, ny, nz;    // bodies
    double dx, dz;     // their distances [m]
    double bottom;     // height of the lowest centres [m]
    double tilt;       // largest random turn about a random axis [rad]
    double dt, mu, young;
    bool walls; // around, as well as the floor
} pile_options;

typedef struct pile {
    pile_options options;
    int32_t n_body, n_vert, n_face, n_per, n_face_per; // n_per: vertices per body
    pl_mesh *mesh;
    pl_fem fem;
    pl_bsr A;
    double *X, *x, *v, *b, *f; // (3*n_vert) rest, positions, velocities, right-hand side, forces
    uint8_t *surface;          // (n_per)
    double h;                  // a length of an element's edge
    double wall[4];
    pl_problem problem;
    int64_t *key;    // (n_constraint) vertex and face
    double *impulse; // (3*n_constraint) the first guess
    int32_t room;
} pile;

// R (9, row-major) := the turn by `angle` about `axis`.
static inline void pile_turn(const double *axis, double angle, double *R)
{
    double l = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
    double c = cos(angle), s = sin(angle), x = axis[0] / l, y = axis[1] / l, z = axis[2] / l;
    double r[9] = {c + x * x * (1 - c),     x * y * (1 - c) - z * s, x * z * (1 - c) + y * s,
                   y * x * (1 - c) + z * s, c + y * y * (1 - c),     y * z * (1 - c) - x * s,
                   z * x * (1 - c) - y * s, z * y * (1 - c) + x * s, c + z * z * (1 - c)};
    memcpy(R, r, sizeof r);
}

static inline void pile_place(pile *p, int32_t body, int i, int j, int k)
{
    const pile_options *o = &p->options;
    double axis[3] = {random_number(), random_number(), random_number()}, R[9];
    if (o->tilt == 0) axis[0] = axis[1] = 0;
    pile_turn(axis, o->tilt == 0 ? 0.1 * random_number() : o->tilt * random_number(), R);
    double shift = k % 2 == 1 ? 0.5 : 0;
    double at[3] = {(i + shift) * o->dx + 0.003 * random_number(),
                    (j + shift) * o->dx + 0.003 * random_number(), o->bottom + k * o->dz};
    double speed[3] = {0.3 * random_number(), 0.3 * random_number(), -0.5};
    for (int32_t q = 0; q < p->n_per; q++) {
        const double *X = p->mesh->x + 3 * (int64_t)q;
        int64_t to = 3 * ((int64_t)body * p->n_per + q);
        for (int a = 0; a < 3; a++) {
            p->x[to + a] = R[3 * a] * X[0] + R[3 * a + 1] * X[1] + R[3 * a + 2] * X[2] + at[a];
            p->v[to + a] = speed[a];
        }
    }
}

static inline void pile_create(const pile_options *options, pile *p)
{
    *p = (pile){.options = *options};
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_mesh_make(options->shape, &p->mesh), pl_error_text());
    p->n_body = options->nx * options->ny * options->nz;
    p->n_per = p->mesh->n_vert;
    p->n_face_per = p->mesh->n_face;
    p->n_vert = p->n_body * p->n_per;
    pl_material_options material = pl_material_options_default();
    material.young = options->young;
    pl_fem_source *source = calloc((size_t)p->n_body, sizeof *source);
    for (int32_t i = 0; i < p->n_body; i++) source[i] = (pl_fem_source){p->mesh, &material};
    TEST_ASSERT_EQUAL(PL_OK, pl_fem_create(p->n_body, source, &p->fem, &p->A));
    free(source);
    double **vector[] = {&p->X, &p->x, &p->v, &p->b, &p->f};
    for (int i = 0; i < 5; i++) *vector[i] = calloc(3 * (size_t)p->n_vert, sizeof(double));
    p->surface = calloc((size_t)p->n_per, 1);
    for (int32_t i = 0; i < 3 * p->n_face_per; i++) p->surface[p->mesh->face[i]] = 1;
    const int32_t *face = p->mesh->face;
    for (int a = 0; a < 3; a++) {
        double d = p->mesh->x[3 * face[0] + a] - p->mesh->x[3 * face[1] + a];
        p->h += d * d;
    }
    p->h = sqrt(p->h);
    int32_t body = 0;
    for (int k = 0; k < options->nz; k++) {
        for (int j = 0; j < options->ny; j++) {
            for (int i = 0; i < options->nx; i++) pile_place(p, body++, i, j, k);
        }
    }
    p->wall[0] = p->wall[2] = INFINITY;
    p->wall[1] = p->wall[3] = -INFINITY;
    for (int32_t i = 0; i < p->n_vert; i++) {
        for (int a = 0; a < 2; a++) {
            p->wall[2 * a] = fmin(p->wall[2 * a], p->x[3 * i + a] - 0.002);
            p->wall[2 * a + 1] = fmax(p->wall[2 * a + 1], p->x[3 * i + a] + 0.002);
        }
    }
}

static inline void pile_free(pile *p)
{
    pl_mesh_destroy(p->mesh);
    pl_fem_free(&p->fem);
    pl_bsr_free(&p->A);
    pl_problem_free(&p->problem);
    free(p->X), free(p->x), free(p->v), free(p->b), free(p->f);
    free(p->surface), free(p->key), free(p->impulse);
}

static inline void pile_assemble(pile *p)
{
    double dt = p->options.dt;
    const pl_fem_weights weights = {.mass = 1, .stiffness = dt * dt, .project = 1};
    pl_fem_assemble(&p->fem, p->x, &weights, NULL, &p->A, p->f);
    for (int32_t i = 0; i < 3 * p->n_vert; i++) {
        double force = p->f[i] - (i % 3 == 2 ? p->fem.mass[i / 3] * PILE_GRAVITY : 0);
        p->b[i] = p->fem.mass[i / 3] * p->v[i] + dt * force;
    }
    p->problem.A = &p->A;
    p->problem.b = p->b;
    p->problem.dt = dt;
}

// Appends a contact at distance d along n, with a fifth of a negative distance to be made good.
static inline void pile_contact(pile *p, const double *n, double d, int32_t n_term,
                                const pl_term *term, int64_t key)
{
    double dt = p->options.dt, demand = d >= 0 ? d : fmax(0.2 * d, -0.1 * dt);
    pl_constraint contact = {.c = {-demand / dt, 0, 0}, .mu = p->options.mu};
    double *R = contact.R, *t1 = R + 3, *t2 = R + 6;
    int axis = fabs(n[0]) < 0.7 ? 0 : 1, a1 = (axis + 1) % 3, a2 = (axis + 2) % 3;
    double l = sqrt(n[a1] * n[a1] + n[a2] * n[a2]);
    memcpy(R, n, 3 * sizeof *R);
    t1[axis] = 0, t1[a1] = n[a2] / l, t1[a2] = -n[a1] / l;
    for (int i = 0; i < 3; i++) {
        t2[i] = n[(i + 1) % 3] * t1[(i + 2) % 3] - n[(i + 2) % 3] * t1[(i + 1) % 3];
    }
    TEST_ASSERT_EQUAL(PL_OK, pl_problem_add(&p->problem, &contact, n_term, term));
    if (p->problem.n_constraint > p->room) {
        p->room = 2 * p->problem.n_constraint;
        p->key = realloc(p->key, (size_t)p->room * sizeof *p->key);
        p->impulse = realloc(p->impulse, 3 * (size_t)p->room * sizeof *p->impulse);
    }
    p->key[p->problem.n_constraint - 1] = key;
    memset(p->impulse + 3 * (p->problem.n_constraint - 1), 0, 3 * sizeof(double));
}

// If vertex i projects into the face (three vertices) from near.
static inline void pile_try_face(pile *p, int32_t i, const int32_t *face, double margin,
                                 int64_t key)
{
    const double *x = p->x, *q = x + 3 * i, *a = x + 3 * face[0];
    double e[3], g[3], n[3], w[3], s = 0, d = 0, rel[3];
    for (int k = 0; k < 3; k++) {
        e[k] = x[3 * face[1] + k] - a[k];
        g[k] = x[3 * face[2] + k] - a[k];
        rel[k] = q[k] - a[k];
    }
    for (int k = 0; k < 3; k++) {
        n[k] = e[(k + 1) % 3] * g[(k + 2) % 3] - e[(k + 2) % 3] * g[(k + 1) % 3];
        s += n[k] * n[k];
    }
    double area = sqrt(s);
    for (int k = 0; k < 3; k++) {
        n[k] /= area;
        d += n[k] * rel[k];
    }
    if (d > margin || d < -0.02 * p->h) return;
    double ee = 0, eg = 0, gg = 0, er = 0, gr = 0;
    for (int k = 0; k < 3; k++) {
        ee += e[k] * e[k], eg += e[k] * g[k], gg += g[k] * g[k];
        er += e[k] * rel[k], gr += g[k] * rel[k];
    }
    w[1] = (gg * er - eg * gr) / (ee * gg - eg * eg);
    w[2] = (ee * gr - eg * er) / (ee * gg - eg * eg);
    w[0] = 1 - w[1] - w[2];
    if (w[0] < 0 || w[1] < 0 || w[2] < 0) return;
    pl_term term[4] = {{i, 1, {0}}};
    for (int k = 0; k < 3; k++) term[k + 1] = (pl_term){face[k], -w[k], {0}};
    pile_contact(p, n, d, 4, term, key);
}

static inline void pile_find_walls(pile *p, int32_t i, double margin)
{
    static const double normal[5][3] = {{0, 0, 1}, {1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}};
    const double *x = p->x + 3 * i;
    double d[5] = {x[2] - 0.003 * sin(20 * x[0]) * sin(20 * x[1]), x[0] - p->wall[0],
                   p->wall[1] - x[0], x[1] - p->wall[2], p->wall[3] - x[1]};
    for (int w = 0; w < (p->options.walls ? 5 : 1); w++) {
        const pl_term term = {i, 1, {0}};
        if (d[w] < margin) pile_contact(p, normal[w], d[w], 1, &term, (int64_t)i << 32 | -(w + 1));
    }
}

static inline void pile_box(const pile *p, int32_t body, double *box)
{
    for (int a = 0; a < 3; a++) {
        box[a] = INFINITY, box[3 + a] = -INFINITY;
        for (int32_t i = body * p->n_per; i < (body + 1) * p->n_per; i++) {
            box[a] = fmin(box[a], p->x[3 * i + a]);
            box[3 + a] = fmax(box[3 + a], p->x[3 * i + a]);
        }
    }
}

// Assembles, and finds the contacts; impulses of pairs that had a contact before are kept.
static inline void pile_update(pile *p)
{
    int32_t n_old = p->problem.n_constraint;
    int64_t *old_key = malloc(((size_t)n_old + 1) * sizeof *old_key);
    double *old = malloc((3 * (size_t)n_old + 1) * sizeof *old);
    if (n_old > 0) memcpy(old_key, p->key, (size_t)n_old * sizeof *old_key);
    if (n_old > 0) memcpy(old, p->impulse, 3 * (size_t)n_old * sizeof *old);
    pile_assemble(p);
    pl_problem_clear(&p->problem);
    double margin = 0.04 * p->h + p->options.dt, *box = malloc(6 * (size_t)p->n_body * sizeof *box);
    for (int32_t b = 0; b < p->n_body; b++) pile_box(p, b, box + 6 * b);
    for (int32_t i = 0; i < p->n_vert; i++) {
        if (!p->surface[i % p->n_per]) continue;
        pile_find_walls(p, i, margin);
        for (int32_t b = 0; b < p->n_body; b++) {
            const double *q = p->x + 3 * i, *B = box + 6 * b;
            bool near = b != i / p->n_per;
            for (int a = 0; a < 3; a++) near &= q[a] > B[a] - margin && q[a] < B[3 + a] + margin;
            for (int32_t t = 0; near && t < p->n_face_per; t++) {
                int32_t face[3];
                for (int c = 0; c < 3; c++) face[c] = p->mesh->face[3 * t + c] + b * p->n_per;
                pile_try_face(p, i, face, margin, (int64_t)i << 32 | (b * p->n_face_per + t));
            }
        }
    }
    for (int32_t k = 0, o = 0; k < p->problem.n_constraint; k++) { // both in the order of vertices
        while (o < n_old && old_key[o] >> 32 < p->key[k] >> 32) o++;
        for (int32_t q = o; q < n_old && old_key[q] >> 32 == p->key[k] >> 32; q++) {
            if (old_key[q] == p->key[k]) memcpy(p->impulse + 3 * k, old + 3 * q, 3 * sizeof *old);
        }
    }
    free(box), free(old_key), free(old);
}

// A step with `solver`; velocities and impulses become its result.
static inline void pile_step(pile *p, const char *name, pl_workspace *ws, pl_solve_stats *stats)
{
    const pl_solver *solver;
    TEST_ASSERT_EQUAL(PL_OK, pl_solver_find(name, &solver));
    pile_update(p);
    pl_status status = pl_solve(solver, &p->problem, NULL, ws, p->v, p->impulse, stats);
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, status, pl_error_text());
    for (int32_t i = 0; i < 3 * p->n_vert; i++) p->x[i] += p->options.dt * p->v[i];
}

static const pile_options pile_of_boxes = {.shape = "box:size=0.16,0.16,0.16:cells=4,4,4",
                                           .nx = 3,
                                           .ny = 3,
                                           .nz = 4,
                                           .dx = 0.175,
                                           .dz = 0.161,
                                           .bottom = 0.0835,
                                           .dt = 1e-3,
                                           .mu = 0.5,
                                           .young = 5e5};

static const pile_options pile_of_rings = {.shape = "ring:radius=0.1:section=0.05",
                                           .nx = 4,
                                           .ny = 4,
                                           .nz = 5,
                                           .dx = 0.262,
                                           .dz = 0.075,
                                           .bottom = 0.045,
                                           .tilt = 0.15,
                                           .dt = 1e-3,
                                           .mu = 0.5,
                                           .young = 5e5,
                                           .walls = true};

#endif
