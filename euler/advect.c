// What moves with the material: the reference map and velocities, by differences against the wind;
// and how both go on beyond the surface.

#include "euler.h"

#include <math.h>
#include <string.h>

enum { NODES_LEAST = 1024 };

typedef struct advect_context {
    pl_euler_body *body;
    const double *q; // (3*count) what is carried
    double dt, h;
} advect_context;

// next := q - dt D(v) q [Lit13, 4.1.1]: in each axis the difference to the node that the material
// comes from; to the other one, if nothing is known there.
static void carry(void *context, int64_t first, int64_t last)
{
    const advect_context *x = context;
    const pl_euler_window *w = &x->body->now;
    const int64_t stride[3] = {1, w->n[0], (int64_t)w->n[0] * w->n[1]};
    for (int64_t at = first; at < last; at++) {
        if (w->node[at] < PL_NODE_LIGHT) continue;
        const double *q = x->q + 3 * at;
        double sum[3] = {0};
        for (int k = 0; k < 3; k++) {
            double u = w->v[3 * at + k];
            int64_t from = u > 0 ? -stride[k] : stride[k];
            double way = u > 0 ? u : -u;
            if (w->node[at + from] == PL_NODE_NONE) from = -from, way = -way;
            const double *p = x->q + 3 * (at + from);
            for (int i = 0; i < 3; i++) sum[i] += way * (q[i] - p[i]);
        }
        for (int i = 0; i < 3; i++) w->next[3 * at + i] = q[i] - x->dt / x->h * sum[i];
    }
}

void pl_euler_advect_velocity(const pl_euler *e, pl_euler_body *body, double dt)
{
    advect_context context = {body, body->now.v, dt, e->h};
    pl_loop(body->now.count, NODES_LEAST, carry, &context);
}

void pl_euler_advect_map(const pl_euler *e, pl_euler_body *body, double dt)
{
    const pl_euler_window *w = &body->now;
    advect_context context = {body, w->X, dt, e->h};
    pl_loop(w->count, NODES_LEAST, carry, &context);
    for (int64_t at = 0; at < w->count; at++) {
        if (w->node[at] >= PL_NODE_LIGHT) {
            memcpy(w->X + 3 * at, w->next + 3 * at, 3 * sizeof *w->X);
        }
    }
}

// --- Beyond the surface ---

typedef struct extend_context {
    pl_euler_body *body;
    double h;
} extend_context;

// Of each cell with material: X, grad X, v, grad v at its centre.
static void find_affine(void *context, int64_t first, int64_t last)
{
    const extend_context *x = context;
    const pl_euler_window *w = &x->body->now;
    for (int64_t s = first; s < last; s++) {
        double *number = x->body->data[s].number;
        memset(number, 0, 24 * sizeof *number);
        for (int c = 0; c < 8; c++) {
            int64_t at = 3 * pl_euler_corner(w, x->body->cell[s], c);
            const double *q[2] = {w->X + at, w->v + at};
            for (int i = 0; i < 6; i++) {
                double value = q[i / 3][i % 3], *to = number + 12 * (i / 3) + i % 3;
                to[0] += value / 8;
                for (int k = 0; k < 3; k++) {
                    to[3 + 3 * k] += value * (c >> k & 1 ? 0.25 : -0.25) / x->h;
                }
            }
        }
    }
}

// The affine maps of the cells near a node, each with the weight fill / distance^4: exact for
// affine maps, and led by what is near and whole.
static void extend_node(const extend_context *x, int64_t at, const int32_t place[3])
{
    const pl_euler_window *w = &x->body->now;
    double sum[6] = {0}, weight = 0;
    int32_t lo[3], hi[3];
    for (int k = 0; k < 3; k++) {
        lo[k] = PL_MAX(place[k] - PL_EULER_LAYERS, 0);
        hi[k] = PL_MIN(place[k] + PL_EULER_LAYERS - 1, w->n[k] - 2);
    }
    for (int32_t k = lo[2]; k <= hi[2]; k++) {
        for (int32_t j = lo[1]; j <= hi[1]; j++) {
            for (int32_t i = lo[0]; i <= hi[0]; i++) {
                int64_t cell = pl_euler_at(w, i, j, k);
                if (w->slot[cell] < 0) continue;
                const double *number = x->body->data[w->slot[cell]].number;
                const double r[3] = {place[0] - i - 0.5, place[1] - j - 0.5, place[2] - k - 0.5};
                double r2 = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
                double a = w->fill[cell] / (r2 * r2);
                for (int c = 0; c < 6; c++) {
                    const double *q = number + 12 * (c / 3) + c % 3;
                    sum[c] += a * (q[0] + x->h * (q[3] * r[0] + q[6] * r[1] + q[9] * r[2]));
                }
                weight += a;
            }
        }
    }
    bool light = w->node[at] == PL_NODE_LIGHT;
    if (!light) w->node[at] = weight > 0 ? PL_NODE_EXTENDED : PL_NODE_NONE;
    for (int i = 0; i < 3 && weight > 0; i++) {
        w->X[3 * at + i] = sum[i] / weight;
        w->v[3 * at + i] = sum[3 + i] / weight;
    }
}

static void extend(void *context, int64_t first, int64_t last)
{
    const extend_context *x = context;
    const pl_euler_window *w = &x->body->now;
    for (int64_t at = first; at < last; at++) {
        int32_t place[3];
        if (w->node[at] == PL_NODE_MASS) continue;
        pl_euler_place(w, at, place);
        extend_node(x, at, place);
    }
}

void pl_euler_extend(const pl_euler *e, pl_euler_body *body)
{
    extend_context context = {body, e->h};
    pl_loop(body->n_cell, NODES_LEAST, find_affine, &context);
    pl_loop(body->now.count, 256, extend, &context);
}
