// The contacts of a step: rows of the problem that the solver gets, made from pairs of features.
// Internal.
//
// A row says for two features, with closest points p = sum w_i x_i apart and the unit normal n from
// the second to the first,
//
//     gap + dt n . (sum w_i v_i) >= 0,       [VJ19, Eq. 6-8]
//
// where gap is n . sum w_i x_i less the distance to be kept. Rows are added during a step, and
// their directions never changed nor one removed: a loop that does either need not end (vj19.h has
// one that does both). What a body does beyond the linear motion of its unknowns (a rigid one
// turns, a kinematic one follows its path) belongs to the row's constant.

#ifndef PL_CONTACTS_H
#define PL_CONTACTS_H

#include "../solvers/solver.h"
#include "boundary.h"

#include <string.h>

// Which features. Pairs are ordered by kind, then a, then b, as the candidates are.
typedef struct pl_feature_pair {
    int32_t kind; // pl_pair_kind
    int32_t a, b; // points, edges or a face, as in pl_candidates
} pl_feature_pair;

typedef struct pl_row {
    pl_feature_pair pair;
    int32_t point[4]; // of the pair, as pl_closest_points wants them; -1 where it has fewer
    double weight[4];
    double middle[3]; // between the closest points at the start of the step [m]
    double gap;       // there, after softening [m]
    double before[3]; // how far the points slide before they meet, which friction lets pass [m]
    bool found;       // its pair is no local minimum, but hits, in this step or one before
} pl_row;

// The force of a pair in the step before, to start from.
typedef struct pl_remembered {
    pl_feature_pair pair;
    int32_t found;   // as in pl_row: 0 or 1
    double force[3]; // on the first feature, along the world's axes [N]
} pl_remembered;

typedef struct pl_contacts {
    pl_problem problem;
    pl_row *row; // (problem.n_constraint)
    double *f;   // (3*problem.n_constraint) impulses in the frames of the contacts [N s]
    double contact_tolerance; // the error that any row may have [m]
    double step;              // of the world; problem.dt is less where it was halved [s]
    double tolerance;         // what errors these rows may have, beside contact_tolerance [m]
    int64_t row_capacity, f_capacity;
    pl_remembered *memory;                     // (n_memory) by pair, each once
    int64_t n_memory, memory_capacity, recent; // where one was looked up last
    pl_remembered *saved;                      // (n_saved) the memory at the start of the step
    int64_t n_saved, saved_capacity;
    pl_remembered *scratch;
    int64_t scratch_capacity;
} pl_contacts;

// Negative, 0 or positive: a before b, the same, after b.
int pl_pair_compare(const pl_feature_pair *a, const pl_feature_pair *b);

// A world's contacts begin as {0}.
void pl_contacts_free(pl_contacts *contacts);

// Forgets the rows, not the memory.
void pl_contacts_clear(pl_contacts *contacts);

// The points of a pair (4; -1 where it has fewer).
static inline void pl_pair_points(const pl_boundary *boundary, const pl_feature_pair *pair,
                                  int32_t point[4])
{
    const int32_t *second = boundary->edge + 2 * (int64_t)pair->b;
    point[0] = pair->a;
    point[1] = pair->b;
    point[2] = point[3] = -1;
    if (pair->kind == PL_VERTEX_FACE) {
        memcpy(point + 1, boundary->face + 3 * (int64_t)pair->b, 3 * sizeof *point);
    } else if (pair->kind == PL_VERTEX_EDGE) {
        memcpy(point + 1, second, 2 * sizeof *point);
    } else if (pair->kind == PL_EDGE_EDGE) {
        memcpy(point, boundary->edge + 2 * (int64_t)pair->a, 2 * sizeof *point);
        memcpy(point + 2, second, 2 * sizeof *point);
    }
}

// Adds a row for a pair: `closest` says where and in which direction, `gap` [m] how much room there
// is at the start of the step. Without a row if the motion of all its points is given. Starts from
// the remembered impulse if `remembered`; `found` is the row's.
pl_status pl_contacts_add(pl_contacts *contacts, const pl_boundary *boundary,
                          const pl_feature_pair *pair, const pl_closest *closest, double gap,
                          bool remembered, bool found);

// What error a contact may have whose bodies keep the safety distance `safety` [m]; and what all
// rows may: the least.
double pl_contact_tolerance(const pl_contacts *contacts, double safety);
double pl_contacts_tolerance(const pl_contacts *contacts);

// The impulse of row i on its first feature along the world's axes [N s]; and setting it, moved
// into the cone.
void pl_contacts_impulse(const pl_contacts *contacts, int32_t i, double impulse[3]);
void pl_contacts_set_impulse(pl_contacts *contacts, int32_t i, const double impulse[3]);

// Sets the constants of all rows. boundary->x1 holds where the points would be with the velocities
// v.
void pl_contacts_update(pl_contacts *contacts, const pl_boundary *boundary, const double *v);

// Keeps the forces of an accepted step for the next.
pl_status pl_contacts_remember(pl_contacts *contacts);

// Notes the memory, and goes back to what was noted: a step in parts may fail after one of them has
// been accepted.
pl_status pl_contacts_save(pl_contacts *contacts);
void pl_contacts_go_back(pl_contacts *contacts);

#endif
