// Piles, walls, towers, stacks, chains, loops, arms, cables.

#include "mechanism.h"
#include "../common/random.h"

#include <math.h>
#include <string.h>

static const double DT = 1.0 / 60; // [s]

// --- Bodies and links ---

// A box of half sides h at x; its index, or -1 without memory. All turns are those of the world.
static int32_t add_box(pl_mechanism *m, const double *h, const double *x, double mass)
{
    pl_mechanism_body body = {.mass = mass, .q = {1}};
    m->dt = DT;
    for (int k = 0; k < 3; k++) {
        double a = h[(k + 1) % 3], b = h[(k + 2) % 3];
        body.moment[k] = mass / 3 * (a * a + b * b);
        body.x[k] = x[k];
    }
    if (pl_reserve((void **)&m->body, &m->body_capacity, (int64_t)m->n_body + 1, sizeof *m->body) !=
        PL_OK) {
        return -1;
    }
    m->body[m->n_body] = body;
    return m->n_body++;
}

static double volume(const double *h)
{
    return 8 * h[0] * h[1] * h[2];
}

// Between a and b at x, along axes of the world whose first is n; the rest is the caller's.
static pl_mechanism_link link_at(const pl_mechanism *m, int32_t a, int32_t b, const double *x,
                                 const double *n)
{
    pl_mechanism_link link = {.a = a, .b = b, .limits = {.law = PL_LAW_BOX}};
    double *t1 = link.R + 3, *t2 = link.R + 6, l = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    for (int k = 0; k < 3; k++) {
        link.at_a[k] = x[k] - (a >= 0 ? m->body[a].x[k] : 0);
        link.at_b[k] = x[k] - (b >= 0 ? m->body[b].x[k] : 0);
        link.R[k] = n[k] / l;
        link.limits.lo[k] = -INFINITY, link.limits.hi[k] = INFINITY;
    }
    int axis = fabs(link.R[0]) < 0.7 ? 0 : 1, e = (axis + 1) % 3, g = (axis + 2) % 3;
    l = sqrt(link.R[e] * link.R[e] + link.R[g] * link.R[g]);
    t1[axis] = 0, t1[e] = link.R[g] / l, t1[g] = -link.R[e] / l;
    for (int k = 0; k < 3; k++) {
        t2[k] = link.R[(k + 1) % 3] * t1[(k + 2) % 3] - link.R[(k + 2) % 3] * t1[(k + 1) % 3];
    }
    return link;
}

static pl_status add_link(pl_mechanism *m, const pl_mechanism_link *link)
{
    PL_TRY(
        pl_reserve((void **)&m->link, &m->link_capacity, (int64_t)m->n_link + 1, sizeof *m->link));
    m->link[m->n_link++] = *link;
    return PL_OK;
}

static pl_status add_contact(pl_mechanism *m, int32_t a, int32_t b, const double *x,
                             const double *n, double mu)
{
    pl_mechanism_link link = link_at(m, a, b, x, n);
    link.cone = true;
    link.mu = mu;
    return add_link(m, &link);
}

// A contact at each corner of the rectangle lo .. hi, whose normal is up.
static pl_status add_face(pl_mechanism *m, int32_t a, int32_t b, const double *lo, const double *hi,
                          double mu)
{
    const double up[3] = {0, 0, 1};
    for (int k = 0; k < 4; k++) {
        const double x[3] = {k % 2 == 0 ? lo[0] : hi[0], k < 2 ? lo[1] : hi[1], lo[2]};
        PL_TRY(add_contact(m, a, b, x, up, mu));
    }
    return PL_OK;
}

static pl_status add_ball(pl_mechanism *m, int32_t a, int32_t b, const double *x)
{
    const pl_mechanism_link link = link_at(m, a, b, x, (double[]){0, 0, 1});
    return add_link(m, &link);
}

// Rows of turning about the axis and across it, of which those with bit 0 .. 2 of `rows` are used.
static pl_mechanism_link turning(const pl_mechanism *m, int32_t a, int32_t b, const double *axis,
                                 unsigned rows)
{
    pl_mechanism_link link = link_at(m, a, b, (double[]){0, 0, 0}, axis);
    link.turns = true;
    for (int k = 0; k < 3; k++) {
        if ((rows >> k & 1) == 0) link.limits.lo[k] = link.limits.hi[k] = 0;
    }
    return link;
}

// A ball, and turning as above.
static pl_status add_joint(pl_mechanism *m, int32_t a, int32_t b, const double *x,
                           const double *axis, unsigned rows)
{
    const pl_mechanism_link link = turning(m, a, b, axis, rows);
    PL_TRY(add_ball(m, a, b, x));
    return add_link(m, &link);
}

enum { HINGE = 6, UNIVERSAL = 1, FIXED = 7 };

// A hinge whose motor reaches the speed, if its torque is enough.
static pl_status add_motor(pl_mechanism *m, int32_t a, int32_t b, const double *x,
                           const double *axis, double speed, double torque)
{
    pl_mechanism_link link = turning(m, a, b, axis, FIXED);
    link.limits.lo[0] = -torque, link.limits.hi[0] = torque;
    link.speed[0] = speed;
    PL_TRY(add_ball(m, a, b, x));
    return add_link(m, &link);
}

// About as a normal distribution has it.
static double random_normal(uint64_t *state)
{
    double sum = -6;
    for (int i = 0; i < 12; i++) sum += pl_random(state);
    return sum;
}

void pl_mechanism_hit(pl_mechanism *m, uint64_t seed)
{
    for (int32_t i = 0; i < m->n_body; i++) {
        for (int k = 0; k < 6; k++) m->body[i].u[k] += (k < 3 ? 0.5 : 0.25) * random_normal(&seed);
    }
}

// --- Contacts ---

static pl_status touch(pl_mechanism *m, int32_t i, double mu, uint64_t *seed)
{
    const double *x = m->body[i].x, up[3] = {0, 0, 1}, below[3] = {x[0], x[1], x[2] - 0.45};
    if (x[2] < 0.5) PL_TRY(add_contact(m, -1, i, below, up, mu));
    for (int32_t j = 0; j < i; j++) {
        double d[3], middle[3], sum = 0;
        for (int k = 0; k < 3; k++) {
            d[k] = x[k] - m->body[j].x[k];
            sum += d[k] * d[k];
        }
        if (!(sum < 1)) continue;
        for (int k = 0; k < 3; k++) {
            middle[k] = 0.5 * (x[k] + m->body[j].x[k]) + 0.1 * random_normal(seed);
        }
        PL_TRY(add_contact(m, j, i, middle, d, mu));
    }
    return PL_OK;
}

pl_status pl_mechanism_pile(pl_mechanism *m, int32_t n, double mu, double ratio, uint64_t seed)
{
    const double h[3] = {0.4, 0.4, 0.4};
    double side = 0.9 * cbrt(n);
    for (int32_t i = 0; i < n; i++) {
        double x[3];
        for (int k = 0; k < 3; k++) x[k] = side * pl_random(&seed);
        double mass = pow(ratio, pl_random(&seed));
        if (add_box(m, h, x, mass) < 0) return PL_ERROR_MEMORY;
    }
    for (int32_t i = 0; i < n; i++) PL_TRY(touch(m, i, mu, &seed));
    for (int32_t i = 0; i < n; i++) {
        for (int k = 0; k < 6; k++) m->body[i].u[k] = 0.3 * random_normal(&seed);
    }
    return PL_OK;
}

enum { ROW_BRICKS = 64 }; // in a row of a wall, at most
static const double BRICK[3] = {0.5, 0.25, 0.2};

// Brick i of row j: its middle and half of its length; every second row starts and ends with half a
// brick.
static void find_brick(int32_t nx, int32_t i, int32_t j, double *x, double *half)
{
    bool even = j % 2 == 0;
    *half = even && (i == 0 || i == nx) ? 0.25 * BRICK[0] : 0.5 * BRICK[0];
    *x = even ? i * BRICK[0] : (i + 0.5) * BRICK[0];
    if (even && i == 0) *x = 0.25 * BRICK[0];
    if (even && i == nx) *x = (nx - 0.25) * BRICK[0];
    *half -= 1e-3;
}

pl_status pl_mechanism_wall(pl_mechanism *m, int32_t nx, int32_t ny)
{
    int32_t before[ROW_BRICKS], row[ROW_BRICKS], n_before = 0;
    const double mu = 0.6, w = 0.5 * BRICK[1];
    PL_ASSERT(nx < ROW_BRICKS);
    for (int32_t j = 0; j < ny; j++) {
        int32_t n = nx + (j % 2 == 0);
        for (int32_t i = 0; i < n; i++) {
            double half, x[3] = {0, 0, BRICK[2] * (j + 0.5)};
            find_brick(nx, i, j, x, &half);
            const double h[3] = {half, w, 0.5 * BRICK[2]};
            row[i] = add_box(m, h, x, 2000 * volume(h));
            if (row[i] < 0) return PL_ERROR_MEMORY;
            double lo[3] = {x[0] - half, -w, BRICK[2] * j}, hi[3] = {x[0] + half, w, 0};
            if (j == 0) PL_TRY(add_face(m, -1, row[i], lo, hi, mu));
            for (int32_t k = 0; k < n_before && j > 0; k++) {
                double other, y;
                find_brick(nx, k, j - 1, &y, &other);
                double a[3] = {PL_MAX(lo[0], y - other), -w, BRICK[2] * j};
                double b[3] = {PL_MIN(hi[0], y + other), w, 0};
                if (b[0] > a[0] + 1e-3) PL_TRY(add_face(m, before[k], row[i], a, b, mu));
            }
        }
        memcpy(before, row, sizeof row);
        n_before = n;
    }
    return PL_OK;
}

pl_status pl_mechanism_tower(pl_mechanism *m, int32_t levels)
{
    const double r = 0.05, length = 0.5, off[2] = {-0.35, 0.35}, mu = 0.5;
    int32_t before[2] = {-1, -1}, row[2];
    for (int32_t l = 0; l < levels; l++) {
        int along = l % 2, across = 1 - along;
        for (int e = 0; e < 2; e++) {
            double x[3] = {0, 0, r + 2 * r * l}, h[3] = {r, r, r};
            x[across] = off[e], h[along] = length;
            row[e] = add_box(m, h, x, 600 * volume(h));
            if (row[e] < 0) return PL_ERROR_MEMORY;
            const double a[3] = {x[0] - h[0], x[1] - h[1], 0}, b[3] = {x[0] + h[0], x[1] + h[1], 0};
            if (l == 0) PL_TRY(add_face(m, -1, row[e], a, b, mu));
            for (int k = 0; k < 2 && l > 0; k++) {
                double c[3];
                c[along] = off[k], c[across] = off[e], c[2] = 2 * r * l;
                const double lo[3] = {c[0] - r, c[1] - r, c[2]}, hi[3] = {c[0] + r, c[1] + r, c[2]};
                PL_TRY(add_face(m, before[k], row[e], lo, hi, mu));
            }
        }
        memcpy(before, row, sizeof row);
    }
    const double h[3] = {0.5, 0.5, 0.3}, x[3] = {0, 0, 2 * r * levels + 0.3};
    int32_t top = add_box(m, h, x, 2500);
    if (top < 0) return PL_ERROR_MEMORY;
    for (int k = 0; k < 2; k++) {
        int across = 1 - (levels - 1) % 2;
        double lo[3] = {0, 0, 2 * r * levels}, hi[3] = {0};
        lo[across] = off[k] - r, hi[across] = off[k] + r;
        lo[1 - across] = -0.45, hi[1 - across] = 0.45;
        PL_TRY(add_face(m, before[k], top, lo, hi, mu));
    }
    return PL_OK;
}

pl_status pl_mechanism_stacks(pl_mechanism *m, int32_t columns, int32_t n, double ratio,
                              double joints, uint64_t seed)
{
    const double h[3] = {0.5, 0.5, 0.5};
    for (int32_t c = 0; c < columns; c++) {
        double X = 2 * (c % 10), Y = 2 * (c / 10);
        int32_t before = -1;
        for (int32_t i = 0; i < n; i++) {
            const double x[3] = {X + 0.02 * (i % 3), Y + 0.01 * (i % 2), 0.5 + i};
            const double lo[3] = {X - 0.47, Y - 0.48, i}, hi[3] = {X + 0.5, Y + 0.5, i};
            int32_t box = add_box(m, h, x, 100 * pow(ratio, i));
            if (box < 0) return PL_ERROR_MEMORY;
            PL_TRY(add_face(m, before, box, lo, hi, 0.5));
            if (i > 0 && pl_random(&seed) < joints) {
                double at[3] = {x[0], x[1], i};
                for (int k = 0; k < 2; k++) at[k] += 0.8 * (pl_random(&seed) - 0.5);
                PL_TRY(add_ball(m, before, box, at));
            }
            before = box;
        }
    }
    return PL_OK;
}

// --- Joints ---

static pl_status hang(pl_mechanism *m, int32_t a, int32_t b, const double *x, bool universal)
{
    return universal ? add_joint(m, a, b, x, (double[]){0, 0, 1}, UNIVERSAL) : add_ball(m, a, b, x);
}

pl_status pl_mechanism_chain(pl_mechanism *m, int32_t n, double link, double load, bool universal)
{
    const double length = 0.1, h[3] = {0.02, 0.02, 0.05}, H[3] = {0.3, 0.3, 0.3};
    for (int32_t i = 0; i <= n; i++) {
        bool last = i == n;
        const double x[3] = {0, 0, -length * i - (last ? 0.3 : 0.05)}, at[3] = {0, 0, -length * i};
        int32_t body = add_box(m, last ? H : h, x, last ? load : link);
        if (body < 0) return PL_ERROR_MEMORY;
        PL_TRY(hang(m, body - 1, body, at, universal));
    }
    for (int32_t i = 0; i <= n; i++) m->body[i].u[0] = 0.5 * i / n;
    m->stiffens = true;
    return PL_OK;
}

pl_status pl_mechanism_four_bars(pl_mechanism *m, int32_t n, double speed, double torque)
{
    const double side[3] = {0.05, 0.05, 0.5}, top[3] = {0.5, 0.05, 0.05}, axis[3] = {0, 1, 0};
    for (int32_t i = 0; i < n; i++) {
        double X = 3 * i;
        const double corner[4][3] = {{X, 0, 0}, {X, 0, 1}, {X + 1, 0, 1}, {X + 1, 0, 0}};
        int32_t a = add_box(m, side, (double[]){X, 0, 0.5}, 1);
        int32_t b = add_box(m, top, (double[]){X + 0.5, 0, 1}, 1);
        int32_t c = add_box(m, side, (double[]){X + 1, 0, 0.5}, 1);
        if (a < 0 || b < 0 || c < 0) return PL_ERROR_MEMORY;
        PL_TRY(add_motor(m, -1, a, corner[0], axis, speed, torque));
        PL_TRY(add_joint(m, a, b, corner[1], axis, HINGE));
        PL_TRY(add_joint(m, b, c, corner[2], axis, HINGE));
        PL_TRY(add_joint(m, -1, c, corner[3], axis, HINGE));
    }
    return PL_OK;
}

pl_status pl_mechanism_arm(pl_mechanism *m, int32_t n, double load, double torque)
{
    const double h[3] = {0.05, 0.05, 0.25}, H[3] = {0.4, 0.4, 0.2}, axis[3] = {0, 1, 0};
    double z = 0.5 * n;
    for (int32_t i = 0; i < n; i++) {
        const double x[3] = {0, 0, z - 0.25 - 0.5 * i}, at[3] = {0, 0, z - 0.5 * i};
        int32_t body = add_box(m, h, x, 5);
        if (body < 0) return PL_ERROR_MEMORY;
        PL_TRY(add_motor(m, body - 1, body, at, axis, i % 2 == 0 ? 0.3 : -0.3, torque));
        pl_mechanism_link limit = turning(m, body - 1, body, axis, 1);
        limit.limits.lo[0] = 0;
        limit.speed[0] = i % 2 == 0 ? 0 : -0.1;
        PL_TRY(add_link(m, &limit));
    }
    int32_t held = add_box(m, H, (double[]){0, 0, -0.2}, load);
    if (held < 0) return PL_ERROR_MEMORY;
    PL_TRY(add_joint(m, held - 1, held, (double[]){0, 0, 0}, axis, FIXED));
    return add_face(m, -1, held, (double[]){-0.4, -0.4, -0.4}, (double[]){0.4, 0.4, -0.4}, 0.6);
}

static pl_status add_block(pl_mechanism *m, double x, double y, int32_t *out)
{
    const double H[3] = {1, 0.5, 0.5}, lo[3] = {x - 1, y - 0.5, 0}, hi[3] = {x + 1, y + 0.5, 0};
    *out = add_box(m, H, (double[]){x, y, 0.5}, 2000);
    return *out < 0 ? PL_ERROR_MEMORY : add_face(m, -1, *out, lo, hi, 0.7);
}

pl_status pl_mechanism_cables(pl_mechanism *m, int32_t cables, int32_t links)
{
    const double h[3] = {0.05, 0.02, 0.02}, axis[3] = {1, 0, 0};
    for (int32_t c = 0; c < cables; c++) {
        int32_t first, last;
        double y = 3 * c, end = 1 + 0.1 * links;
        PL_TRY(add_block(m, 0, y, &first));
        int32_t before = first;
        for (int32_t i = 0; i < links; i++) {
            double x = 1 + 0.1 * i;
            int32_t link = add_box(m, h, (double[]){x + 0.05, y, 0.5}, 0.25);
            if (link < 0) return PL_ERROR_MEMORY;
            PL_TRY(add_joint(m, before, link, (double[]){x, y, 0.5}, axis, FIXED));
            before = link;
        }
        PL_TRY(add_block(m, end + 1, y, &last));
        PL_TRY(add_joint(m, before, last, (double[]){end, y, 0.5}, axis, FIXED));
        for (int k = 0; k < 2; k++) m->body[last].u[k] = k == 0 ? 0.5 : 0.1; // it pulls
    }
    m->stiffens = true;
    return PL_OK;
}
