// Rigid bodies with contacts and joints at places that are known, as problems of solvers: no world,
// and no collision detection, takes part. For the benchmark of solvers and their tests.

#ifndef PL_MECHANISM_H
#define PL_MECHANISM_H

#include "../../solvers/solver.h"

typedef struct pl_mechanism_body {
    double mass, moment[3]; // [kg, kg m^2]
    double x[3], q[4];      // [m], a unit quaternion
    double u[6];            // velocity and angular velocity [m/s, rad/s]
} pl_mechanism_body;

// A block of rows between two bodies, of which one may be the world (-1). Body b moves against a.
typedef struct pl_mechanism_link {
    int32_t a, b;
    bool turns;              // angular velocities are compared, not those of points
    double at_a[3], at_b[3]; // the point, in the frame of each
    double R[9];             // the axes, in the frame of a; of a cone n points from a to b
    double mu;               // of a cone
    bool cone;
    pl_limits limits; // of a box; finite bounds are torques or forces [N m, N]
    double speed[3];  // that is asked for [m/s, rad/s]
} pl_mechanism_link;

typedef struct pl_mechanism {
    double dt;     // [s]
    bool stiffens; // with the geometric stiffness of the last step's impulses in A
    int32_t n_body, n_link;
    pl_mechanism_body *body;
    pl_mechanism_link *link;
    int64_t body_capacity, link_capacity;
    // The problem of the next step, and where its solve starts: the last one's result.
    pl_bsr A;
    double *b, *v, *f; // (6*n_body), (6*n_body), (3*n_link)
    pl_problem problem;
} pl_mechanism;

void pl_mechanism_free(pl_mechanism *m); // leaves it empty

// Makes the problem from where the bodies are: first of all, and after each pl_mechanism_advance. f
// stays as it is, 0 at first, v are the velocities before the step.
pl_status pl_mechanism_build(pl_mechanism *m);

// Moves the bodies by v.
void pl_mechanism_advance(pl_mechanism *m);

// The largest distance between two points that a joint holds together [m].
double pl_mechanism_drift(const pl_mechanism *m);

// --- Some of them. Each starts from {0}, at rest ---

// Every body gets a random velocity of about 0.5 m/s and 0.25 rad/s.
void pl_mechanism_hit(pl_mechanism *m, uint64_t seed);

// n bodies at random, neighbours touch, with velocities of about 0.3; masses from 1 to `ratio` kg.
pl_status pl_mechanism_pile(pl_mechanism *m, int32_t n, double mu, double ratio, uint64_t seed);
// Bricks in rows, each over two others.
pl_status pl_mechanism_wall(pl_mechanism *m, int32_t nx, int32_t ny);
// Two logs in each level, crossed, and a block of 2,500 kg on top.
pl_status pl_mechanism_tower(pl_mechanism *m, int32_t levels);
// Columns of boxes, each `ratio` times as heavy as the one below it; neighbours in a column are
// held together by a ball, at random, in a part `joints` of all pairs.
pl_status pl_mechanism_stacks(pl_mechanism *m, int32_t columns, int32_t n, double ratio,
                              double joints, uint64_t seed);
// n links that hang down by balls or universal joints, and a load; its end moves at 0.5 m/s.
pl_status pl_mechanism_chain(pl_mechanism *m, int32_t n, double link, double load, bool universal);
// n planar loops of four hinges, one of them with a motor.
pl_status pl_mechanism_four_bars(pl_mechanism *m, int32_t n, double speed, double torque);
// Links with motors and limits, that hold a load on the floor.
pl_status pl_mechanism_arm(pl_mechanism *m, int32_t n, double load, double torque);
// Cables between two blocks of 2,000 kg each, which stand on the floor: links of 0.25 kg by six
// rows (fixed), as those that pull trailers.
pl_status pl_mechanism_cables(pl_mechanism *m, int32_t cables, int32_t links);

#endif
