// Elastic bodies on a fixed grid: what the files of this room share. README.md has the mathematics.
// Internal.

#ifndef PL_EULER_H
#define PL_EULER_H

#include "../lcp/staggered.h"
#include "../solvers/problem_file.h"
#include "../solvers/solver.h"
#include "distance.h"

enum {
    PL_EULER_LAYERS = 3, // of nodes around those with mass, to which map and velocities go on
    PL_EULER_POINTS = 8, // of quadrature in a cell
    PL_EULER_NODES_MAX = 1 << 28 // in the window of a body
};

// What a node of a window is.
typedef enum pl_euler_node {
    PL_NODE_NONE,     // far from the body: nothing here is valid
    PL_NODE_EXTENDED, // near it: map, velocity and distance are continued to here
    PL_NODE_LIGHT,    // a corner of cells with little material: its mass and forces are those of a
                      // neighbour, its `master`, and all else as if it were no corner of any
    PL_NODE_MASS      // a corner of a cell with material
} pl_euler_node;

// The numbers of a window of nodes, in one block. Node (i, j, k) of the window is i + n[0] * (j +
// n[1] * k); the cell with that lowest corner has the same number.
typedef struct pl_euler_window {
    int32_t lo[3], n[3]; // node (0, 0, 0) of the window is node lo of the grid
    int64_t count;       // n[0] * n[1] * n[2]
    double *X;           // (3*count) reference map [m]
    double *v;           // (3*count) velocities [m/s]
    double *next;        // (3*count) scratch of what is advected
    double *m;           // (count) mass of nodes [kg]
    double *phi;         // (count) distance to the surface in the reference shape [m]; < 0 inside
    double *fill;        // (count) the part of a cell that is inside
    int32_t *slot;       // (count) where a cell is among those with material, -1: it has none
    int32_t *block;      // (count) of the contact problem, -1: no contact touches the node
    int32_t *master;     // (count) of a light node; -1: it is none
    uint8_t *node;       // (count) pl_euler_node
    void *memory;        // of all of these
    int64_t capacity;    // nodes
} pl_euler_window;

// Of a cell, while a step works on it: forces on corners, or values and gradients at its centre.
typedef struct pl_euler_cell {
    double number[24];
    double mass[8]; // of its corners [kg]
    double energy;  // elastic [J]
    double speed2;  // square of the fastest elastic wave [m^2/s^2]
    bool inverted;
} pl_euler_cell;

typedef struct pl_euler_body {
    bool driven; // by `motion`; else elastic
    pl_deformable_options options;
    pl_motion motion; // its keys are the body's
    pl_distance shape;
    double mass;                       // density times the volume of the mesh [kg]
    double mu, lambda;                 // Lame's constants [Pa]
    double offset[3];                  // of a driven body, now [m]
    double lo[3], hi[3];               // of the mesh [m]
    pl_euler_window now, other, saved; // saved: at the start of the step
    double saved_P[3], saved_L[3];
    int32_t *cell; // (n_cell) lowest corners of the cells with material, ascending
    int64_t n_cell, cell_capacity, data_capacity;
    pl_euler_cell *data; // (n_cell)
    double weight;     // all masses and forces are multiplied by this, so that the body has `mass`
    double energy;     // elastic, at the start of the last part of a step [J]
    double fastest;    // of its nodes [m/s]
    double speed;      // of its fastest elastic wave [m/s]
    int32_t inverted;  // cells
    double P[3], L[3]; // momentum [N s], about the origin [N m s]
} pl_euler_body;

// A contact cell, by which its impulse is known in the next step.
typedef struct pl_euler_contact {
    int32_t cell[3]; // lowest corner, in the grid
    int32_t a, b;    // bodies, a < b
    double f[3];     // its impulse along the world's axes, on a [N s]
} pl_euler_contact;

struct pl_euler {
    pl_euler_options options;
    const pl_solver *solver;
    double h; // spacing [m]
    pl_euler_body *body;
    int32_t n_body;
    int64_t body_capacity;
    int64_t steps;
    double time;
    bool started;

    // The contact problem of the last part of a step.
    pl_problem problem;
    pl_bsr A;
    double *b, *v, *f, *v_start, *f_start; // (3*A.n), (3*n_constraint)
    int64_t row_capacity, col_capacity, diag_capacity, val_capacity;
    int64_t b_capacity, v_capacity, f_capacity, v_start_capacity, f_start_capacity;
    pl_euler_contact *contact; // (problem.n_constraint) in the order of cells
    pl_euler_contact *past;    // (n_past) of the part before
    int64_t n_past, contact_capacity, past_capacity;
    struct pl_euler_patch *patch; // (n_patch) of contact.c
    int64_t n_patch, patch_capacity;
    pl_workspace ws;
    pl_staggered_stats staggered; // of the last solve
    pl_solve_stats solve;
    bool rescued; // "auto" took over
    double min_gap;
    double t_contact, t_solve; // of the last part of a step [s]
};

// --- window.c ---

// The window that holds the nodes of the box lo .. hi (node numbers of the grid), with the layers
// around it; what the old one had at the same nodes is kept. Fails with PL_ERROR_GEOMETRY if it
// would be too large.
pl_status pl_euler_window_move(pl_euler_body *body, const int32_t lo[3], const int32_t hi[3]);
// Around all nodes with mass.
pl_status pl_euler_window_follow(pl_euler_body *body);
// *to := what a step needs of *from.
pl_status pl_euler_window_copy(const pl_euler_window *from, pl_euler_window *to);
void pl_euler_window_free(pl_euler_window *window);

static inline int64_t pl_euler_at(const pl_euler_window *w, int32_t i, int32_t j, int32_t k)
{
    return i + (int64_t)w->n[0] * (j + (int64_t)w->n[1] * k);
}

// The corner c = 0 .. 7 of a cell: bits are x, y, z.
static inline int64_t pl_euler_corner(const pl_euler_window *w, int64_t cell, int c)
{
    return cell + (c & 1) + (int64_t)w->n[0] * ((c >> 1 & 1) + (int64_t)w->n[1] * (c >> 2));
}

// The node that stands for a node: its master, or itself.
static inline int64_t pl_euler_stands_for(const pl_euler_window *w, int64_t at)
{
    return w->master[at] >= 0 ? w->master[at] : at;
}

static inline void pl_euler_place(const pl_euler_window *w, int64_t at, int32_t out[3])
{
    out[0] = (int32_t)(at % w->n[0]);
    out[1] = (int32_t)(at / w->n[0] % w->n[1]);
    out[2] = (int32_t)(at / w->n[0] / w->n[1]);
}

// --- cells.c ---

// phi, fill, the cells with material, masses, node kinds, all from the map.
pl_status pl_euler_measure(const pl_euler *e, pl_euler_body *body);
// The part of a tetrahedron in which the linear function with these corners is below 0.
double pl_euler_part_below(const double phi[4]);
// The corners of the six tetrahedra of a cell, all along its diagonal 0-7.
extern const uint8_t pl_euler_tets[6][4];
// Momentum, and angular momentum about the origin.
void pl_euler_momenta(const pl_euler *e, const pl_euler_body *body, double P[3], double L[3]);
// Adds the rigid motion to v with which the body has the momenta P and L.
void pl_euler_set_momenta(const pl_euler *e, pl_euler_body *body, const double P[3],
                          const double L[3]);
double pl_euler_kinetic(const pl_euler_body *body);
double pl_euler_gravity_energy(const pl_euler *e, const pl_euler_body *body); // 0 at the origin

// --- elastic.c ---

// data[].number := forces of the cells on their corners; energy, speed, inverted.
void pl_euler_stress(const pl_euler *e, pl_euler_body *body);
// next (3 per node with mass) += dt f / m.
void pl_euler_push(const pl_euler *e, pl_euler_body *body, double dt);

// --- advect.c ---

// next := v - dt D(v) v at nodes with mass.
void pl_euler_advect_velocity(const pl_euler *e, pl_euler_body *body, double dt);
// X := X - dt D(v) X at nodes with mass.
void pl_euler_advect_map(const pl_euler *e, pl_euler_body *body, double dt);
// X and v of the nodes around those with mass, from the cells with material.
void pl_euler_extend(const pl_euler *e, pl_euler_body *body);

// --- contact.c ---

// The problem of all contact cells at the velocities v, for a part dt of a step.
pl_status pl_euler_find_contacts(pl_euler *e, double dt);
// Solves it, and moves the velocities of nodes.
pl_status pl_euler_solve_contacts(pl_euler *e);

// --- surface.c ---

pl_status pl_euler_extract(const pl_euler *e, const pl_euler_body *body, int32_t refine,
                           pl_mesh **out);
// X (3) at x (3), not a number where the map is not known.
void pl_euler_map(const pl_euler *e, const pl_euler_body *body, const double x[3], double X[3]);

// --- drive.c ---

// Where a driven body is at `time`, and how fast it moves.
void pl_euler_motion_at(const pl_motion *motion, double time, double offset[3], double velocity[3]);
pl_status pl_euler_check_motion(const pl_motion *motion);

// --- step.c ---

// Puts bodies where they begin, once.
pl_status pl_euler_start(pl_euler *e);
pl_status pl_euler_make_step(pl_euler *e, pl_step_stats *stats);

#endif
