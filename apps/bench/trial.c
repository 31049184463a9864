// The scenes. Sizes follow from masses at 1,000 kg/m^3, where nothing else is said.

#include "trial.h"
#include "../../base/base.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define GAP 1e-3 // between bodies at the start [m]

// --- Parts ---

static pl_status start(pl_trial *t, int32_t n_body, int32_t n_joint)
{
    t->body = pl_alloc_zero(n_body, sizeof *t->body);
    t->joint = pl_alloc_zero(n_joint + 1, sizeof *t->joint);
    if (t->body == NULL || t->joint == NULL) return PL_ERROR_MEMORY;
    t->friction = 0.5;
    t->gravity[2] = -9.81;
    t->dt = 1.0 / 60;
    t->touch = true;
    t->closed = true;
    t->drift_of[0] = t->drift_of[1] = 1;
    t->drift_first = n_body;
    return PL_OK;
}

static pl_trial_body *add_box(pl_trial *t, double mass, double sx, double sy, double sz, double x,
                              double y, double z)
{
    pl_trial_body *body = &t->body[t->n_body++];
    *body = (pl_trial_body){.shape = PL_TRIAL_BOX,
                            .half = {0.5 * sx, 0.5 * sy, 0.5 * sz},
                            .mass = mass,
                            .start = {.x = {x, y, z}, .q = {1, 0, 0, 0}}};
    return body;
}

static void add_plane(pl_trial *t, double nx, double ny, double nz, double offset)
{
    t->plane[t->n_plane++] = (pl_trial_plane){{nx, ny, nz}, offset};
}

static pl_trial_joint *add_joint(pl_trial *t, pl_trial_joint_kind kind, int32_t a, int32_t b)
{
    pl_trial_joint *joint = &t->joint[t->n_joint++];
    *joint = (pl_trial_joint){.kind = kind, .a = a, .b = b};
    return joint;
}

// --- Bodies that fall, stand and swing ---

// Bricks in bond: every other row is shifted by half a brick.
static pl_status make_wall(bool quick, pl_trial *t)
{
    int32_t rows = quick ? 3 : 10, columns = quick ? 3 : 10;
    const double sx = 0.25, sy = 0.1, sz = 0.1, side = cbrt(0.01);
    PL_TRY(start(t, rows * columns + 1, 0));
    add_plane(t, 0, 0, 1, 0);
    for (int32_t i = 0; i < rows; i++) {
        for (int32_t k = 0; k < columns; k++) {
            double x = (k - 0.5 * (columns - 1) + (i % 2 == 0 ? -0.25 : 0.25)) * (sx + GAP);
            add_box(t, 2.5, sx, sy, sz, x, 0, GAP + 0.5 * sz + i * (sz + GAP));
        }
    }
    double z = GAP + 0.5 * side + 0.5 * (rows * (sz + GAP) - side);
    add_box(t, 10, side, side, side, 0.03, -0.5, z)->start.v[1] = 10;
    t->steps = quick ? 20 : 240;
    t->settled = t->steps; // it does not stand
    return PL_OK;
}

static pl_status make_boxes(bool quick, pl_trial *t)
{
    int32_t across = quick ? 2 : 10, high = quick ? 3 : 10;
    const double side = cbrt(0.0025);
    PL_TRY(start(t, across * across * high, 0));
    add_plane(t, 0, 0, 1, 0);
    for (int32_t i = 0; i < across * across * high; i++) {
        int32_t column = i / high, level = i % high;
        add_box(t, 2.5, side, side, side, 2 * side * (column % across - 0.5 * (across - 1)),
                2 * side * (column / across - 0.5 * (across - 1)),
                GAP + 0.5 * side + level * (side + GAP));
    }
    t->steps = quick ? 20 : 300;
    t->settled = t->steps / 5;
    return PL_OK;
}

static pl_status make_stack(bool quick, pl_trial *t)
{
    const double side = cbrt(0.0025);
    PL_TRY(start(t, 10, 0));
    add_plane(t, 0, 0, 1, 0);
    for (int32_t i = 0; i < 10; i++) {
        add_box(t, 2.5, side, side, side, 0, 0, GAP + 0.5 * side + i * (side + GAP));
    }
    t->steps = quick ? 20 : 1200;
    t->settled = t->steps / 10;
    return PL_OK;
}

// Hangs from the origin, and swings as a whole at first.
static pl_status make_chain(bool quick, pl_trial *t)
{
    int32_t links = quick ? 10 : 100;
    const double length = 0.05, side = cbrt(0.5), depth = links * length + 0.5 * side;
    const double rate = 0.5 / depth; // [rad/s]
    PL_TRY(start(t, links + 1, links + 1));
    for (int32_t i = 0; i < links; i++) {
        add_box(t, 0.25, 0.02, 0.02, length, 0, 0, -(i + 0.5) * length);
        add_joint(t, PL_TRIAL_BALL, i - 1, i)->point[2] = -i * length;
    }
    add_box(t, 500, side, side, side, 0, 0, -depth);
    add_joint(t, PL_TRIAL_BALL, links - 1, links)->point[2] = -links * length;
    for (int32_t i = 0; i <= links; i++) {
        pl_trial_pose *pose = &t->body[i].start;
        pose->w[1] = -rate;
        pose->v[0] = -rate * pose->x[2];
    }
    t->touch = false;
    t->steps = quick ? 20 : 600;
    t->settled = t->steps;
    return PL_OK;
}

// Lying layers, crosswise, above a bin.
static pl_status make_capsules(bool quick, pl_trial *t)
{
    int32_t n = quick ? 10 : 500, across = 5;
    const double radius = 0.05, half = 0.1, width = 0.8, pitch = 0.15;
    PL_TRY(start(t, n, 0));
    add_plane(t, 0, 0, 1, 0);
    for (int k = 0; k < 4; k++) {
        add_plane(t, k == 0 ? 1 : k == 1 ? -1 : 0, k == 2 ? 1 : k == 3 ? -1 : 0, 0, -0.5 * width);
    }
    for (int32_t i = 0; i < n; i++) {
        int32_t layer = i / (2 * across), row = i % across, side = i / across % 2;
        // Out of line by a little, so that nothing balances.
        double along = (side - 0.5) * 0.39 + 0.012 * sin(1.0 + 3.7 * i);
        double beside = (row - 0.5 * (across - 1)) * pitch + 0.012 * sin(2.0 + 5.3 * i);
        bool turned = layer % 2 == 1;
        pl_trial_body *body = add_box(t, 2.5, 0, 0, 0, turned ? beside : along,
                                      turned ? along : beside, 0.06 + 0.11 * layer);
        const double s = sqrt(0.5);
        body->shape = PL_TRIAL_CAPSULE;
        body->half[0] = radius, body->half[1] = half, body->half[2] = 0;
        body->start.q[0] = s, body->start.q[1] = turned ? s : 0, body->start.q[2] = turned ? 0 : s;
    }
    t->steps = quick ? 20 : 240;
    t->settled = t->steps;
    return PL_OK;
}

// --- Holding ---

// Sticks: friction is 0.5, the tangent 0.4. The slope is the ground, under a tilted gravity.
static pl_status make_slope(bool quick, pl_trial *t, bool soft)
{
    PL_TRY(start(t, 1, 0));
    add_plane(t, 0, 0, 1, 0);
    pl_trial_body *body = add_box(t, 72, 0.6, 0.4, 0.3, 0, 0, 0.15 + GAP);
    if (soft) body->shape = PL_TRIAL_SOFT, body->young = 5e6;
    t->gravity[0] = 9.81 * 0.4 / sqrt(1.16);
    t->gravity[2] = -9.81 / sqrt(1.16);
    t->steps = quick ? 20 : 240;
    t->settled = t->steps / 2;
    return PL_OK;
}

static pl_status make_slope_rigid(bool quick, pl_trial *t)
{
    return make_slope(quick, t, false);
}

static pl_status make_slope_soft(bool quick, pl_trial *t)
{
    return make_slope(quick, t, true);
}

// Two fingers on sliders press with twice the force that 1 kg needs at friction 0.5.
static pl_status make_grip(bool quick, pl_trial *t, bool soft)
{
    const double press = 20, side = 0.1, thick = 0.02;
    PL_TRY(start(t, 3, 2));
    pl_trial_body *block = add_box(t, 1, side, side, side, 0, 0, 0);
    if (soft) block->shape = PL_TRIAL_SOFT, block->young = 1e5;
    for (int32_t i = 0; i < 2; i++) {
        double to = i == 0 ? 1 : -1, x = -to * (0.5 * (side + thick) + 0.5 * GAP);
        add_box(t, 0.5, thick, 0.06, 0.06, x, 0, 0)->force[0] = to * press;
        add_joint(t, PL_TRIAL_SLIDER, -1, i + 1)->axis[0] = 1;
    }
    t->steps = quick ? 20 : 600;
    t->settled = t->steps / 20;
    t->drift_of[0] = t->drift_of[1] = 0;
    t->drift_of[2] = 1;
    t->drift_first = 1;
    t->closed = false;
    return PL_OK;
}

static pl_status make_grip_rigid(bool quick, pl_trial *t)
{
    return make_grip(quick, t, false);
}

static pl_status make_grip_soft(bool quick, pl_trial *t)
{
    return make_grip(quick, t, true);
}

// --- The list ---

static const struct {
    const char *name, *title;
    pl_status (*make)(bool quick, pl_trial *t);
} trials[] = {
    {"wall", "100 bricks of 2.5 kg, hit by a box of 10 kg at 10 m/s", make_wall},
    {"boxes", "1,000 boxes of 2.5 kg in 100 columns, from gaps of 1 mm; drift from 1 s to 5 s",
     make_boxes},
    {"stack", "ten boxes on each other, from gaps of 1 mm; drift from 2 s to 20 s", make_stack},
    {"chain", "100 links of 0.25 kg on ball joints bear 500 kg, which swing at 0.5 m/s",
     make_chain},
    {"capsules", "500 capsules of 2.5 kg fall into a bin", make_capsules},
    {"slope", "a rigid block on a slope of tangent 0.4, friction 0.5; drift from 2 s to 4 s",
     make_slope_rigid},
    {"slope-soft", "the same, elastic: 5e6 Pa, 144 tets", make_slope_soft},
    {"grip",
     "two fingers press 20 N each on a rigid block of 1 kg, friction 0.5; drift (it falls) "
     "from 0.5 s to 10 s",
     make_grip_rigid},
    {"grip-soft", "the same, elastic: 1e5 Pa", make_grip_soft},
};

int32_t pl_trial_count(void)
{
    return (int32_t)(sizeof trials / sizeof trials[0]);
}

int32_t pl_trial_simple_count(void)
{
    return 5;
}

pl_status pl_trial_make(int32_t i, bool quick, pl_trial *out)
{
    *out = (pl_trial){.name = trials[i].name, .title = trials[i].title};
    pl_status status = trials[i].make(quick, out);
    if (status != PL_OK) pl_trial_free(out);
    return status;
}

void pl_trial_free(pl_trial *trial)
{
    pl_free(trial->body);
    pl_free(trial->joint);
    *trial = (pl_trial){0};
}

pl_status pl_trial_soft_mesh(const pl_trial_body *body, pl_mesh **out)
{
    char text[160];
    const double *h = body->half, *x = body->start.x;
    snprintf(text, sizeof text, "box:size=%.17g,%.17g,%.17g:cells=%s", 2 * h[0], 2 * h[1], 2 * h[2],
             h[0] > h[2] ? "4,3,2" : "4,4,4");
    PL_TRY(pl_mesh_make(text, out));
    const double move[12] = {1, 0, 0, x[0], 0, 1, 0, x[1], 0, 0, 1, x[2]};
    return pl_mesh_transform(*out, move);
}
