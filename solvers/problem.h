// The full form of the contact problem: velocities and contact impulses together. Internal.
//
// Unknown are the velocities v, in blocks of three (a vertex; the linear or the angular velocity of
// a rigid body), and the impulses f, three per contact in the contact's frame: normal, tangent,
// tangent. With L the rows of all contacts, and u = L v - c their relative velocities,
//
//     A v = b + L^T f                            in the block rows that are not known
//     u_n >= 0, f_n >= 0, u_n f_n = 0            Signorini
//     |f_t| <= mu f_n, and f_t = -mu f_n u_t / |u_t| where u_t is not 0       Coulomb
//
// The paper's signs differ: [VJ19, Eq. 9] has A v + J^T lambda = b with J v >= c, where lambda >= 0
// would pull. Here f = (lambda, -gamma): an impulse that pushes the bodies apart and one against
// the slip. Rows are velocities [m/s]; times dt they are the displacements of [VJ19, Eq. 7].

#ifndef PL_PROBLEM_H
#define PL_PROBLEM_H

#include "bsr.h"

// What a block adds to a contact's relative velocity: w v + v x r. A linear velocity has a weight
// (a barycentric coordinate, with its sign) and r = 0; an angular one w = 0 and the lever arm from
// the centre of mass to the contact (with its sign): omega x r.
typedef struct pl_term {
    int32_t block;
    double w;    // []
    double r[3]; // [m]
} pl_term;

// A term as it is kept: most have no arm.
typedef struct pl_entry {
    double w;
    int32_t block, arm; // where its r stands among the problem's arms, -1 for none
} pl_entry;

typedef struct pl_constraint {
    double R[9];          // n, t1, t2 one after the other: orthonormal
    double c[3];          // along n, t1, t2 [m/s]; what the partner without a term does is in here
    double mu;            // friction coefficient, 0 or more
    int32_t first, count; // its terms
} pl_constraint;

typedef struct pl_problem {
    // The system, borrowed.
    const pl_bsr *A;      // symmetric, positive definite in the rows that are not known [kg]
    const double *b;      // (3*A.n) [N s]
    const uint8_t *known; // (A.n) not 0: v is given in this block; may be NULL
    double dt;            // [s] turns velocities into the displacements that errors are stated in
    int32_t n_x;          // the first blocks are velocities of vertices, whose places are known:
    const double *x;      // (3*n_x) [m]; may be NULL, with n_x = 0. For preconditioners

    // The contacts, owned.
    int32_t n_constraint, n_term, n_arm;
    pl_constraint *constraint; // (n_constraint)
    pl_entry *entry;           // (n_term)
    double *arm;               // (3*n_arm) [m]
    int64_t constraint_capacity, entry_capacity, arm_capacity;
} pl_problem;

// Empties the problem's contacts, and keeps their memory. A problem begins as {0}.
void pl_problem_clear(pl_problem *problem);
void pl_problem_free(pl_problem *problem); // leaves it empty

// Appends a contact with the terms given: its `first` and `count` are set here, and terms of the
// same block are added up, so that a block stands in a contact once. Fails with PL_ERROR_MEMORY, or
// PL_ERROR_ARGUMENT beyond INT32_MAX terms; the problem is then as before.
pl_status pl_problem_add(pl_problem *problem, const pl_constraint *contact, int32_t n_term,
                         const pl_term *term);

// Fails with PL_ERROR_ARGUMENT on what no solver could handle, and names it: a number that is not
// finite in b, v (3*A.n), f (3*n_constraint) or a contact, a block out of range, a frame that is
// not orthonormal, mu < 0, dt <= 0. A's values are left to the solvers.
pl_status pl_problem_check(const pl_problem *problem, const double *v, const double *f);

// The r of an entry.
static inline const double *pl_entry_arm(const pl_problem *problem, const pl_entry *entry)
{
    static const double none[3];
    return entry->arm >= 0 ? problem->arm + 3 * (int64_t)entry->arm : none;
}

// An entry as it was given.
static inline pl_term pl_problem_term(const pl_problem *problem, int64_t t)
{
    const pl_entry *entry = problem->entry + t;
    const double *r = pl_entry_arm(problem, entry);
    return (pl_term){entry->block, entry->w, {r[0], r[1], r[2]}};
}

static inline bool pl_is_known(const pl_problem *problem, int64_t block)
{
    return problem->known != NULL && problem->known[block] != 0;
}

#endif
