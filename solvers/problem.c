#include "problem.h"
#include "pyramid.h"

#include <math.h>
#include <string.h>

// By how much the frame's products may differ from those of an orthonormal one: rounding of normals
// made in single precision, and far below what a solver could feel.
static const double FRAME_TOLERANCE = 1e-6;

enum { CHUNK_CONSTRAINTS = 500 }; // what a thread takes at least

void pl_problem_clear(pl_problem *problem)
{
    problem->n_constraint = 0;
    problem->n_term = problem->n_arm = problem->n_limits = 0;
}

void pl_problem_cut(pl_problem *problem, int32_t first)
{
    PL_ASSERT(first >= 0 && first <= problem->n_constraint);
    int32_t n_arm = 0, n_limits = 0;
    problem->n_constraint = first;
    problem->n_term =
        first > 0 ? problem->constraint[first - 1].first + problem->constraint[first - 1].count : 0;
    for (int32_t t = 0; t < problem->n_term; t++) n_arm += problem->entry[t].arm >= 0;
    for (int32_t k = 0; k < first; k++) n_limits += problem->constraint[k].limits >= 0;
    problem->n_arm = n_arm;
    problem->n_limits = n_limits;
}

void pl_problem_free(pl_problem *problem)
{
    pl_free(problem->constraint);
    pl_free(problem->entry);
    pl_free(problem->arm);
    pl_free(problem->stretch);
    pl_free(problem->limits);
    *problem = (pl_problem){0};
}

static bool has_arm(const pl_term *term)
{
    return term->r[0] != 0 || term->r[1] != 0 || term->r[2] != 0;
}

// The last constraint's entry of a block, a new one if it has none.
static pl_entry *find_entry(pl_problem *problem, pl_constraint *constraint, int32_t block)
{
    pl_entry *end = problem->entry + problem->n_term;
    for (pl_entry *e = problem->entry + constraint->first; e < end; e++) {
        if (e->block == block) return e;
    }
    problem->n_term++;
    constraint->count++;
    *end = (pl_entry){.block = block, .arm = -1};
    return end;
}

// w v + v x r is linear in w and r, so that two terms of one block are one.
static void add_term(pl_problem *problem, pl_constraint *constraint, const pl_term *term)
{
    pl_entry *entry = find_entry(problem, constraint, term->block);
    entry->w += term->w;
    if (!has_arm(term)) return;
    if (entry->arm < 0) {
        entry->arm = problem->n_arm++;
        memset(problem->arm + 3 * (int64_t)entry->arm, 0, 3 * sizeof *problem->arm);
        if (problem->stretch != NULL) {
            memset(problem->stretch + 6 * (int64_t)entry->arm, 0, 6 * sizeof *problem->stretch);
        }
    }
    for (int i = 0; i < 3; i++) problem->arm[3 * (int64_t)entry->arm + i] += term->r[i];
}

pl_status pl_problem_add_limited(pl_problem *problem, const pl_constraint *constraint,
                                 const pl_limits *limits, int32_t n_term, const pl_term *term)
{
    PL_ASSERT(n_term >= 0);
    if (n_term > INT32_MAX - problem->n_term || problem->n_constraint > INT32_MAX / 3 - 1) {
        return pl_fail(PL_ERROR_ARGUMENT, "a problem cannot hold more than %d constraints",
                       problem->n_constraint);
    }
    PL_TRY(pl_reserve((void **)&problem->constraint, &problem->constraint_capacity,
                      (int64_t)problem->n_constraint + 1, sizeof *problem->constraint));
    PL_TRY(pl_reserve((void **)&problem->entry, &problem->entry_capacity,
                      (int64_t)problem->n_term + n_term, sizeof *problem->entry));
    int64_t n_arm = problem->n_arm;
    for (int32_t i = 0; i < n_term; i++) n_arm += has_arm(term + i);
    PL_TRY(pl_reserve((void **)&problem->arm, &problem->arm_capacity, 3 * n_arm,
                      sizeof *problem->arm));
    if (problem->stretch != NULL) {
        PL_TRY(pl_reserve((void **)&problem->stretch, &problem->stretch_capacity, 6 * n_arm,
                          sizeof *problem->stretch));
    }
    PL_TRY(pl_reserve((void **)&problem->limits, &problem->limits_capacity,
                      (int64_t)problem->n_limits + (limits != NULL), sizeof *problem->limits));
    pl_constraint *k = problem->constraint + problem->n_constraint++;
    *k = *constraint;
    k->first = problem->n_term;
    k->count = 0;
    k->limits = limits != NULL ? problem->n_limits++ : -1;
    if (limits != NULL) problem->limits[k->limits] = *limits;
    for (int32_t i = 0; i < n_term; i++) add_term(problem, k, term + i);
    return PL_OK;
}

pl_status pl_problem_stretch(pl_problem *problem, int32_t at, const double S[6])
{
    pl_entry *entry = problem->entry + at;
    int64_t n_arm = problem->n_arm + (entry->arm < 0);
    bool first = problem->stretch == NULL;
    PL_TRY(pl_reserve((void **)&problem->arm, &problem->arm_capacity, 3 * n_arm,
                      sizeof *problem->arm));
    PL_TRY(pl_reserve((void **)&problem->stretch, &problem->stretch_capacity, 6 * n_arm,
                      sizeof *problem->stretch));
    if (first) memset(problem->stretch, 0, 6 * (size_t)problem->n_arm * sizeof *S);
    if (entry->arm < 0) {
        entry->arm = problem->n_arm++;
        memset(problem->arm + 3 * (int64_t)entry->arm, 0, 3 * sizeof *problem->arm);
    }
    memcpy(problem->stretch + 6 * (int64_t)entry->arm, S, 6 * sizeof *S);
    return PL_OK;
}

pl_status pl_problem_add(pl_problem *problem, const pl_constraint *constraint, int32_t n_term,
                         const pl_term *term)
{
    return pl_problem_add_limited(problem, constraint, NULL, n_term, term);
}

// --- Checks ---

static bool all_finite(int64_t n, const double *x)
{
    for (int64_t i = 0; i < n; i++) {
        if (!isfinite(x[i])) return false;
    }
    return true;
}

// How far the vectors of a frame are from orthonormal; NaN stays NaN.
static double frame_error(const double *R)
{
    double worst = 0;
    for (int a = 0; a < 3; a++) {
        for (int b = 0; b <= a; b++) {
            const double *x = R + 3 * a, *y = R + 3 * b;
            double e = fabs(x[0] * y[0] + x[1] * y[1] + x[2] * y[2] - (a == b));
            if (!(e <= worst)) worst = e;
        }
    }
    return worst;
}

static pl_status check_limits(const pl_limits *limits, int32_t k)
{
    const double *e = limits->compliance;
    if (limits->law != PL_LAW_CONE && limits->law != PL_LAW_BOX && limits->law != PL_LAW_PYRAMID) {
        return pl_fail(PL_ERROR_ARGUMENT, "constraint %d: an unknown law, %d", k, limits->law);
    }
    bool polygon = limits->directions >= PL_PYRAMID_LEAST &&
                   limits->directions <= PL_PYRAMID_MOST && limits->directions % 2 == 0;
    if (limits->law == PL_LAW_PYRAMID && !polygon) {
        return pl_fail(PL_ERROR_ARGUMENT,
                       "constraint %d: a pyramid of %d directions; an even number from %d to %d", k,
                       limits->directions, PL_PYRAMID_LEAST, PL_PYRAMID_MOST);
    }
    for (int a = 0; a < 3; a++) {
        if (!(e[a] >= 0) || !isfinite(e[a])) {
            return pl_fail(PL_ERROR_ARGUMENT, "constraint %d: a compliance of %g", k, e[a]);
        }
        bool ordered = limits->lo[a] <= limits->hi[a]; // no NaN
        bool open = limits->lo[a] < INFINITY && limits->hi[a] > -INFINITY;
        if (limits->law == PL_LAW_BOX && !(ordered && open)) {
            return pl_fail(PL_ERROR_ARGUMENT, "constraint %d: bounds from %g to %g", k,
                           limits->lo[a], limits->hi[a]);
        }
    }
    if (limits->law != PL_LAW_BOX && e[1] != e[2]) {
        return pl_fail(
            PL_ERROR_ARGUMENT,
            "constraint %d: compliances of %g and %g in the tangents of a contact, which "
            "must be the same",
            k, e[1], e[2]);
    }
    return PL_OK;
}

pl_status pl_problem_check_constraint(const pl_problem *problem, int32_t k)
{
    const pl_constraint *constraint = problem->constraint + k;
    if (!(frame_error(constraint->R) <= FRAME_TOLERANCE)) {
        return pl_fail(PL_ERROR_ARGUMENT, "constraint %d: its frame is not orthonormal", k);
    }
    if (!(constraint->mu >= 0) || !isfinite(constraint->mu)) {
        return pl_fail(PL_ERROR_ARGUMENT, "constraint %d: a friction coefficient of %g", k,
                       constraint->mu);
    }
    if (!all_finite(3, constraint->c)) {
        return pl_fail(PL_ERROR_ARGUMENT, "constraint %d: its offset is not finite", k);
    }
    for (int32_t t = constraint->first; t < constraint->first + constraint->count; t++) {
        const pl_entry *entry = problem->entry + t;
        if (entry->block < 0 || entry->block >= problem->A->n) {
            return pl_fail(PL_ERROR_ARGUMENT, "constraint %d: block %d is not among the %d of A", k,
                           entry->block, problem->A->n);
        }
        const double *S = pl_entry_stretch(problem, entry);
        bool finite = isfinite(entry->w) && all_finite(3, pl_entry_arm(problem, entry));
        if (!finite || (S != NULL && !all_finite(6, S))) {
            return pl_fail(PL_ERROR_ARGUMENT,
                           "constraint %d: the weight or lever arm of block %d is not finite", k,
                           entry->block);
        }
    }
    const pl_limits *limits = pl_limits_of(problem, constraint);
    return limits != NULL ? check_limits(limits, k) : PL_OK;
}

static pl_status check_vector(const char *name, int64_t n, const double *x)
{
    for (int64_t i = 0; i < n; i++) {
        if (!isfinite(x[i])) {
            return pl_fail(PL_ERROR_ARGUMENT, "%s[%lld] is %g, not a finite number", name,
                           (long long)i, x[i]);
        }
    }
    return PL_OK;
}

typedef struct constraint_check {
    const pl_problem *problem;
    _Atomic int32_t bad; // the first
} constraint_check;

static void check_constraints(void *context, int64_t first, int64_t last)
{
    constraint_check *check = context;
    for (int32_t k = (int32_t)first; k < last; k++) {
        if (pl_problem_check_constraint(check->problem, k) == PL_OK) continue;
        pl_lower(&check->bad, k);
        return;
    }
}

pl_status pl_problem_check(const pl_problem *problem, const double *v, const double *f)
{
    if (!(problem->dt > 0) || !isfinite(problem->dt)) {
        return pl_fail(PL_ERROR_ARGUMENT, "a problem with a time step of %g s", problem->dt);
    }
    PL_TRY(check_vector("b", 3 * (int64_t)problem->A->n, problem->b));
    PL_TRY(check_vector("v", 3 * (int64_t)problem->A->n, v));
    PL_TRY(check_vector("f", 3 * (int64_t)problem->n_constraint, f));
    constraint_check check = {problem, problem->n_constraint};
    pl_loop(problem->n_constraint, CHUNK_CONSTRAINTS, check_constraints, &check);
    if (check.bad == problem->n_constraint) return PL_OK;
    return pl_problem_check_constraint(problem, check.bad); // with the message of this thread
}
