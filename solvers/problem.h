// The full form of a problem with constraints: velocities and impulses together. Internal.
//
// Unknown are the velocities v, in blocks of three (a vertex; the linear or the angular velocity of
// a rigid body), and the impulses f, three per constraint in its frame. Whatever constrains is one
// block of up to three rows: a contact (normal, tangent, tangent), a joint or a part of one, a
// motor, a limit. With L the rows of all, u = L v - c their relative velocities, and E the
// compliance, one number for each row,
//
//     A v = b + L^T f                            in the block rows that are not prescribed
//     w = u + E f,  and (w, f) obey the law of each constraint:
//
// cone, of a contact:
//     w_n >= 0, f_n >= 0, w_n f_n = 0            Signorini
//     |f_t| <= mu f_n, and f_t = -mu f_n w_t / |w_t| where w_t is not 0       Coulomb
// box, row by row, with bounds lo <= hi:
//     lo <= f <= hi,  w > 0 only where f = lo,  w < 0 only where f = hi
// pyramid, of a contact whose friction lies in a polygon P in place of the unit circle (pyramid.h):
//     as a cone, with f_t in mu f_n P, where w_t . f_t is least
//
// In a box w = 0 between the bounds. Bounds -INFINITY .. INFINITY are a bilateral row (w = 0), 0 ..
// INFINITY a unilateral one, finite ones a motor or dry friction, which gives way beyond its
// strength; and lo = hi = 0 is a row that is not used: its velocity is free.
//
// Compliance makes a row soft. In a step h, a spring of stiffness k with a damper b pushes with
// h (-k (phi + h u') - b u'), phi being its length now and u' its velocity then (implicit Euler);
// this is the row with
//     eps = 1 / (h b + h^2 k),    c = -gamma phi / h,    gamma = h k / (b + h k)
// between any bounds, for w = u' - c + eps f = 0 is f = -(u' + gamma phi / h) / eps
// [Ho22, 2.20-2.25]. 0 is hard.
//
// The paper's signs differ: [VJ19, Eq. 9] has A v + J^T lambda = b with J v >= c, where lambda >= 0
// would pull. Here f = (lambda, -gamma): an impulse that pushes the bodies apart and one against
// the slip. Rows are velocities [m/s], or [rad/s] where they weigh angular velocities; times dt
// they are the displacements of [VJ19, Eq. 7].

#ifndef PL_PROBLEM_H
#define PL_PROBLEM_H

#include "bsr.h"
#include "rows_kernel.h"

// A term as it is kept: most have no arm. Problems of other programs may have any 3x3 block; its
// part that is neither a weight nor an arm, w v + v x r + S v with a symmetric S, stands in
// `stretch` of the problem, where the arm stands in `arm`.
typedef struct pl_entry {
    double w;
    int32_t block, arm; // where its r stands among the problem's arms, -1 for none
} pl_entry;

// What a plain cone, which is hard, does not need.
typedef struct pl_limits {
    pl_law law;
    double compliance[3]; // of each row, 0 or more [1/kg]; of cones and pyramids the last two are
                          // the same
    double lo[3], hi[3];  // of a box: lo <= f <= hi [N s], also infinite; others have none
    int32_t directions;   // of a pyramid: corners of its polygon, even, PL_PYRAMID_LEAST .. _MOST
    bool outer;           // of a pyramid: its sides are at the directions, not its corners
} pl_limits;

typedef struct pl_constraint {
    double R[9];          // its axes one after the other, orthonormal; of a cone n, t1, t2
    double c[3];          // along them [m/s]; what the partner without a term does is in here
    double mu;            // friction coefficient of a contact, 0 or more; not used by a box
    int32_t first, count; // its terms
    int32_t limits;       // where these stand among the problem's limits, -1 for a plain cone
} pl_constraint;

// For programs it is an opaque handle, pl_problem of pliant.h.
struct pl_problem {
    // The system, borrowed.
    const pl_bsr *A; // symmetric, positive definite in the rows that are not prescribed [kg]
    const double *b; // (3*A.n) [N s]
    const uint8_t *prescribed; // (A.n) not 0: v is given in this block; may be NULL
    double dt;       // [s] turns velocities into the displacements that errors are stated in
    int32_t n_x;     // the first blocks are velocities of vertices, whose places are known:
    const double *x; // (3*n_x) [m]; may be NULL, with n_x = 0. For preconditioners

    // The constraints, owned.
    int32_t n_constraint, n_term, n_arm, n_limits;
    pl_constraint *constraint; // (n_constraint)
    pl_entry *entry;           // (n_term)
    double *arm;               // (3*n_arm) [m]
    double *stretch;           // (6*n_arm) S: xx, xy, xz, yy, yz, zz []; NULL: no term has one
    pl_limits *limits;         // (n_limits)
    int64_t constraint_capacity, entry_capacity, arm_capacity, stretch_capacity, limits_capacity;
};

// Empties the problem of constraints, and keeps their memory. A problem begins as {0}.
void pl_problem_clear(pl_problem *problem);
void pl_problem_free(pl_problem *problem); // leaves it empty

// Forgets the constraints from `first` on.
void pl_problem_cut(pl_problem *problem, int32_t first);

// Appends a plain cone with the terms given: its `first`, `count` and `limits` are set here, and
// terms of the same block are added up, so that a block stands in a constraint once. Fails with
// PL_ERROR_MEMORY, or PL_ERROR_ARGUMENT beyond INT32_MAX terms; the problem is then as before.
pl_status pl_problem_add(pl_problem *problem, const pl_constraint *constraint, int32_t n_term,
                         const pl_term *term);

// The same for a constraint of any law; `limits` may be NULL for a plain cone.
pl_status pl_problem_add_limited(pl_problem *problem, const pl_constraint *constraint,
                                 const pl_limits *limits, int32_t n_term, const pl_term *term);

// Gives S to an entry, of a block that stands in the last constraint. Fails with PL_ERROR_MEMORY.
pl_status pl_problem_stretch(pl_problem *problem, int32_t entry, const double S[6]);

// Fails with PL_ERROR_ARGUMENT on what no solver could handle, and names it: a number that is not
// finite in b, v (3*A.n), f (3*n_constraint) or a constraint (but for bounds, which may be
// infinite), a block out of range, a frame that is not orthonormal, mu < 0, a compliance below 0,
// or of a cone one that is not the same in both tangents, lo > hi, an unknown law, dt <= 0. A's
// values are left to the solvers.
pl_status pl_problem_check(const pl_problem *problem, const double *v, const double *f);

// The same for one constraint alone.
pl_status pl_problem_check_constraint(const pl_problem *problem, int32_t k);

// The limits of a constraint; NULL for a plain cone.
static inline const pl_limits *pl_limits_of(const pl_problem *problem,
                                            const pl_constraint *constraint)
{
    return constraint->limits >= 0 ? problem->limits + constraint->limits : NULL;
}

static inline bool pl_is_box(const pl_problem *problem, int64_t k)
{
    const pl_limits *limits = pl_limits_of(problem, problem->constraint + k);
    return limits != NULL && limits->law == PL_LAW_BOX;
}

// The r of an entry.
static inline const double *pl_entry_arm(const pl_problem *problem, const pl_entry *entry)
{
    static const double none[3];
    return entry->arm >= 0 ? problem->arm + 3 * (int64_t)entry->arm : none;
}

// The S of an entry; NULL if it has none.
static inline const double *pl_entry_stretch(const pl_problem *problem, const pl_entry *entry)
{
    bool any = problem->stretch != NULL && entry->arm >= 0;
    return any ? problem->stretch + 6 * (int64_t)entry->arm : NULL;
}

// An entry as it was given, but for its S.
static inline pl_term pl_problem_term(const pl_problem *problem, int64_t t)
{
    const pl_entry *entry = problem->entry + t;
    const double *r = pl_entry_arm(problem, entry);
    return (pl_term){entry->block, entry->w, {r[0], r[1], r[2]}};
}

static inline bool pl_is_prescribed(const pl_problem *problem, int64_t block)
{
    return problem->prescribed != NULL && problem->prescribed[block] != 0;
}

#endif
