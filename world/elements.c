// See elements.h.

#include "elements.h"
#include "sleep.h"

#include <string.h>

pl_status pl_elements_create(pl_world *world)
{
    int64_t n = 3 * (int64_t)world->state.n_vert;
    pl_elements *e = world->elements = pl_alloc_zero(1, sizeof *e);
    if (e == NULL) return PL_ERROR_MEMORY;
    e->x = pl_alloc(n, sizeof *e->x);
    e->force = pl_alloc_zero(n, sizeof *e->force);
    e->val = pl_alloc_zero(9 * (world->system.A.nnz + 1), sizeof *e->val);
    e->looks = -1;
    for (int i = 0; i < PL_LOOKS; i++) e->pays[i] = true;
    bool ok = e->x != NULL && e->force != NULL && e->val != NULL;
    return ok ? PL_OK : PL_ERROR_MEMORY; // destroy gives it back
}

void pl_elements_destroy(pl_world *world)
{
    pl_elements *e = world->elements;
    world->elements = NULL;
    if (e == NULL) return;
    pl_free(e->x);
    pl_free(e->force);
    pl_free(e->val);
    pl_free(e);
}

static size_t size_of_places(const pl_world *world)
{
    return 3 * (size_t)world->state.n_vert * sizeof *world->state.x;
}

// Was the last look there? Without vertices there is no array to compare.
static bool is_there(const pl_world *world, const double *x)
{
    const pl_elements *e = world->elements;
    size_t size = size_of_places(world);
    return e->looks >= 0 && size > 0 && memcmp(e->x, x, size) == 0;
}

static bool same_weights(const pl_fem_weights *a, const pl_fem_weights *b)
{
    return a->stiffness == b->stiffness && a->stiffness_beta == b->stiffness_beta &&
           a->project == b->project;
}

// The rows of rigid bodies, which elements do not fill, stand behind those of vertices.
static void keep_rigid_rows(const pl_world *world, const double *from, double *to)
{
    const pl_bsr *A = &world->system.A;
    int64_t first = A->row[world->state.n_vert], last = A->row[A->n];
    if (last > first)
        memcpy(to + 9 * first, from + 9 * first, 9 * (size_t)(last - first) * sizeof *to);
}

// One pass over all elements, into the values of a matrix with A's pattern.
static double assemble(const pl_world *world, const double *x, const pl_fem_weights *weights,
                       const double *base, double *val, double *f)
{
    pl_bsr A = world->system.A;
    A.val = val;
    return pl_fem_assemble(&world->system.fem, x, weights, base, &A, f);
}

const pl_elements *pl_elements_look(pl_world *world, pl_look kind, const double *x)
{
    pl_elements *e = world->elements;
    bool sleeps = world->sleep != NULL && world->sleep->n > 0;
    e->kind = kind;
    e->looks = PL_MAX(e->looks, 0) + 1;
    e->made = e->pays[kind] && e->weights.stiffness > 0 && !sleeps;
    e->energy = e->made ? assemble(world, x, &e->weights, NULL, e->val, e->force)
                        : pl_fem_forces(&world->system.fem, x, e->force);
    if (world->state.n_vert > 0) memcpy(e->x, x, size_of_places(world));
    return e;
}

double pl_elements_energy(pl_world *world, const double *x)
{
    return is_there(world, x) ? world->elements->energy
                              : pl_elements_look(world, PL_LOOK_FIRST, x)->energy;
}

double pl_elements_assemble(pl_world *world, const double *x, const pl_fem_weights *weights,
                            const double *base, double *f)
{
    pl_elements *e = world->elements;
    bool ahead = base == NULL && same_weights(weights, &e->weights) && is_there(world, x);
    if (e->looks > 0) e->pays[e->kind] = ahead && e->looks == 1;
    if (base == NULL) e->weights = *weights;
    e->looks = PL_MIN(e->looks, 0);
    double *val = world->system.A.val;
    if (!ahead || !e->made) return assemble(world, x, weights, base, val, f);
    keep_rigid_rows(world, val, e->val);
    world->system.A.val = e->val;
    e->val = val;
    e->made = false;
    memcpy(f, e->force, size_of_places(world));
    return e->energy;
}

void pl_elements_add_inertia(pl_world *world, const double *inertia)
{
    const pl_bsr *A = &world->system.A;
    for (int32_t i = 0; i < world->state.n_vert; i++) {
        double *to = A->val + 9 * A->diag[i];
        pl_bsr_fetch_diagonal(A, i);
        for (int k = 0; k < 3; k++) to[4 * k] += inertia[i];
    }
}
