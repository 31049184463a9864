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

#include "../solvers/blocks.h"
#include "../solvers/solver.h"
#include "boundary.h"

#include <string.h>

// Which features: the identity of its block. Pairs are ordered by kind, then a, then b, as the
// candidates are.
typedef pl_block_id pl_feature_pair;

typedef struct pl_row {
    pl_feature_pair pair;
    int32_t point[4]; // of the pair, as pl_closest_points wants them; -1 where it has fewer
    double weight[4];
    double middle[3]; // between the two surfaces at the start of the step, beyond the radii [m]
    bool round;       // they have any
    double gap;       // there, after softening [m]
    double before[3]; // how far the points slide before they meet, which friction lets pass [m]
    double impact[3]; // impulse of impacts that bounce, in the frame of the block [N s]; and the
    double bounce;    // normal velocity that they leave, if above 0 [m/s]: see restitution.h
} pl_row;

typedef struct pl_contacts {
    pl_blocks *blocks;        // of the step, borrowed: those of contacts stand behind all others
    int32_t first;            // block of contacts
    pl_row *row;              // (pl_contacts_count) what each was made from
    bool one_each;            // a pair that has a row gets no other: see hits.c
    double contact_tolerance; // the error that any row may have [m]
    double step;              // of the world; the problem's dt is less where it was halved [s]
    double tolerance;         // what errors these rows may have, beside contact_tolerance [m]
    int64_t row_capacity;
} pl_contacts;

static inline int32_t pl_contacts_count(const pl_contacts *contacts)
{
    return contacts->blocks->problem.n_constraint - contacts->first;
}

// The block of a row, and its impulse (3) [N s].
static inline pl_constraint *pl_contacts_block(const pl_contacts *contacts, int64_t row)
{
    return contacts->blocks->problem.constraint + contacts->first + row;
}

static inline double *pl_contacts_f(const pl_contacts *contacts, int64_t row)
{
    return contacts->blocks->f + 3 * (contacts->first + row);
}

// A world's contacts begin as {0}, and get their blocks.
void pl_contacts_free(pl_contacts *contacts);

// Forgets the rows and their blocks, not the memory; and the same where a step begins, whose other
// blocks are there.
void pl_contacts_clear(pl_contacts *contacts);
void pl_contacts_begin(pl_contacts *contacts);

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
// the remembered impulse if `remembered`. found: the pair is no local minimum, but hits, in this
// step or one before; which is remembered too.
pl_status pl_contacts_add(pl_contacts *contacts, const pl_boundary *boundary,
                          const pl_feature_pair *pair, const pl_closest *closest, double gap,
                          bool remembered, bool found);

// What error a contact may have whose bodies keep the safety distance `safety` [m]; and what all
// rows may: the least.
double pl_contact_tolerance(const pl_contacts *contacts, double safety);
double pl_contacts_tolerance(const pl_contacts *contacts);

// The impulse of row i on its first feature along the world's axes [N s]; and setting it, moved
// into the cone.
static inline void pl_contacts_impulse(const pl_contacts *contacts, int32_t i, double impulse[3])
{
    pl_blocks_impulse(contacts->blocks, contacts->first + i, impulse);
}

// Both of row i, that of its block and that of impacts: in the frame of the block, and as F along
// the world's axes [N s].
static inline void pl_contacts_total(const pl_contacts *contacts, int64_t i, double f[3],
                                     double F[3])
{
    const double *R = pl_contacts_block(contacts, i)->R, *of_block = pl_contacts_f(contacts, i);
    for (int k = 0; k < 3; k++) f[k] = of_block[k] + contacts->row[i].impact[k];
    for (int k = 0; k < 3; k++) F[k] = R[k] * f[0] + R[3 + k] * f[1] + R[6 + k] * f[2];
}

static inline void pl_contacts_set_impulse(pl_contacts *contacts, int32_t i,
                                           const double impulse[3])
{
    pl_blocks_set_impulse(contacts->blocks, contacts->first + i, impulse);
}

// Sets the constants of all rows. boundary->x1 holds where the points would be with the velocities
// v.
void pl_contacts_update(pl_contacts *contacts, const pl_boundary *boundary, const double *v);

#endif
