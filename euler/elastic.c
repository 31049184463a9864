// Elastic forces from the gradient of the reference map.
//
// With G = grad X, F = G^-1 and J = det F the Cauchy stress of the neo-Hookean material with
// psi = mu/2 (tr F F^T - 3) - mu ln J + lambda/2 (ln J)^2 per reference volume is
//
//     sigma = (mu (F F^T - 1) + lambda ln J 1) / J
//
// and the force on a node, by virtual work, f_N = - sum over cells and their points of w sigma
// grad phi_N with the weights w = fill h^3 / 8. The phi_N of a cell add up to 1, and reproduce x:
// with a symmetric sigma the forces of a cell have neither sum nor torque.

#include "euler.h"

#include <math.h>
#include <string.h>

// Beyond these a point no longer pushes: its map is broken, not the material, as where two parts of
// a body meet that are far from each other in the rest shape.
static const double LEAST_DET = 0.02, MOST_DET = 50; // of grad X
static const double MOST_STRETCH2 = 36;              // of F F^T, as a norm

// Coordinates of the points in a cell, 0 to 1: Gauss's.
static const double LOW = 0.21132486540518711775, HIGH = 0.78867513459481288225;

enum { CELLS_LEAST = 64, NODES_LEAST = 4096 };

typedef struct force_context {
    const pl_euler *e;
    pl_euler_body *body;
    double dt;
} force_context;

// grad phi_N h of the corners at a point of the cell.
static void find_gradients(int point, double grad[8][3])
{
    double t[3];
    for (int k = 0; k < 3; k++) t[k] = point >> k & 1 ? HIGH : LOW;
    for (int c = 0; c < 8; c++) {
        double w[3];
        for (int k = 0; k < 3; k++) w[k] = c >> k & 1 ? t[k] : 1 - t[k];
        grad[c][0] = (c & 1 ? 1 : -1) * w[1] * w[2];
        grad[c][1] = (c & 2 ? 1 : -1) * w[0] * w[2];
        grad[c][2] = (c & 4 ? 1 : -1) * w[0] * w[1];
    }
}

typedef struct stress {
    double sigma[9], energy; // of the current volume [Pa], [J/m^3]
    double speed2;
    bool inverted;
} stress;

// D: the velocity gradient, for Rayleigh's damping: beta times the stress of small strains.
static stress find_stress(const pl_euler_body *body, const double G[9], const double D[9])
{
    stress s = {.sigma = {0}};
    double C[9], F[9], b[9];
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) {
            int r1 = (r + 1) % 3, r2 = (r + 2) % 3, c1 = (c + 1) % 3, c2 = (c + 2) % 3;
            C[3 * c + r] = G[3 * r1 + c1] * G[3 * r2 + c2] - G[3 * r1 + c2] * G[3 * r2 + c1];
        }
    }
    double det = G[0] * C[0] + G[1] * C[3] + G[2] * C[6];
    s.inverted = !(det > LEAST_DET && det < MOST_DET);
    if (s.inverted) return s;
    double J = 1 / det, ln = -log(det), trace = 0, most = 0;
    double mu = body->mu, lambda = body->lambda;
    for (int k = 0; k < 9; k++) F[k] = C[k] * J;
    for (int r = 0; r < 3; r++) {
        double sum = 0;
        for (int c = 0; c < 3; c++) {
            b[3 * r + c] =
                F[3 * r] * F[3 * c] + F[3 * r + 1] * F[3 * c + 1] + F[3 * r + 2] * F[3 * c + 2];
            sum += fabs(b[3 * r + c]);
        }
        trace += b[4 * r];
        most = fmax(most, sum);
    }
    s.inverted = most > MOST_STRETCH2;
    if (s.inverted) return s;
    for (int k = 0; k < 9; k++) s.sigma[k] = det * mu * b[k];
    for (int k = 0; k < 3; k++) s.sigma[4 * k] += det * (lambda * ln - mu);
    s.energy = det * (0.5 * mu * (trace - 3) - mu * ln + 0.5 * lambda * ln * ln);
    s.speed2 = (mu * most + mu + lambda * fmax(1 - ln, 0)) / body->options.material.density;
    double beta = body->options.material.stiffness_damping;
    if (beta == 0) return s;
    double div = D[0] + D[4] + D[8];
    for (int k = 0; k < 9; k++) s.sigma[k] += beta * mu * (D[k] + D[3 * (k % 3) + k / 3]);
    for (int k = 0; k < 3; k++) s.sigma[4 * k] += beta * lambda * div;
    return s;
}

static void gradient_of(const double q[24], double grad[8][3], double h, double out[9])
{
    memset(out, 0, 9 * sizeof *out);
    for (int c = 0; c < 8; c++) {
        for (int i = 0; i < 3; i++) {
            for (int k = 0; k < 3; k++) out[3 * i + k] += q[3 * c + i] * grad[c][k] / h;
        }
    }
}

static void find_cell_forces(void *context, int64_t first, int64_t last)
{
    const force_context *x = context;
    pl_euler_body *body = x->body;
    const pl_euler_window *w = &body->now;
    double h = x->e->h, grad[PL_EULER_POINTS][8][3];
    for (int p = 0; p < PL_EULER_POINTS; p++) find_gradients(p, grad[p]);
    for (int64_t s = first; s < last; s++) {
        pl_euler_cell *cell = &body->data[s];
        double X[24], v[24], volume = w->fill[body->cell[s]] * h * h * h / PL_EULER_POINTS;
        for (int c = 0; c < 8; c++) {
            int64_t at = 3 * pl_euler_corner(w, body->cell[s], c);
            memcpy(X + 3 * c, w->X + at, 3 * sizeof *X);
            memcpy(v + 3 * c, w->v + at, 3 * sizeof *v);
        }
        memset(cell->number, 0, sizeof cell->number);
        cell->energy = cell->speed2 = 0;
        cell->inverted = false;
        for (int p = 0; p < PL_EULER_POINTS; p++) {
            double G[9], D[9];
            gradient_of(X, grad[p], h, G);
            gradient_of(v, grad[p], h, D);
            stress t = find_stress(body, G, D);
            for (int c = 0; c < 8; c++) {
                const double *g = grad[p][c];
                for (int i = 0; i < 3; i++) {
                    cell->number[3 * c + i] -= volume / h *
                                               (t.sigma[3 * i] * g[0] + t.sigma[3 * i + 1] * g[1] +
                                                t.sigma[3 * i + 2] * g[2]);
                }
            }
            cell->energy += volume * t.energy;
            cell->speed2 = fmax(cell->speed2, t.speed2);
            cell->inverted |= t.inverted;
        }
    }
}

void pl_euler_stress(const pl_euler *e, pl_euler_body *body)
{
    force_context context = {e, body, 0};
    double speed2 = 0;
    pl_loop(body->n_cell, CELLS_LEAST, find_cell_forces, &context);
    body->energy = 0;
    body->inverted = 0;
    for (int64_t s = 0; s < body->n_cell; s++) {
        body->energy += body->weight * body->data[s].energy;
        speed2 = fmax(speed2, body->data[s].speed2);
        body->inverted += body->data[s].inverted;
    }
    body->speed = sqrt(speed2);
}

// The force on a node from the cells around it, in their order.
static void gather_force(const pl_euler_body *body, int64_t at, double f[3])
{
    const pl_euler_window *w = &body->now;
    int32_t place[3];
    pl_euler_place(w, at, place);
    for (int c = 0; c < 8; c++) {
        bool there = place[0] >= (c & 1) && place[1] >= (c >> 1 & 1) && place[2] >= (c >> 2);
        if (!there) continue;
        int32_t slot = w->slot[at - pl_euler_corner(w, 0, c)];
        if (slot < 0) continue;
        for (int k = 0; k < 3; k++) f[k] += body->data[slot].number[3 * c + k];
    }
}

// And those of the light nodes beside that it stands for.
static void gather_light(const pl_euler_body *body, int64_t at, double f[3])
{
    const pl_euler_window *w = &body->now;
    int64_t y = w->n[0], z = y * w->n[1]; // the window has layers around: all neighbours are there
    for (int c = 0; c < 27; c++) {
        int64_t other = at + (c % 3 - 1) + y * (c / 3 % 3 - 1) + z * (c / 9 - 1);
        if (w->master[other] == at) gather_force(body, other, f);
    }
}

static void push_nodes(void *context, int64_t first, int64_t last)
{
    const force_context *x = context;
    const pl_euler_body *body = x->body;
    const pl_euler_window *w = &body->now;
    double damping = 1 / (1 + x->dt * body->options.material.mass_damping);
    for (int64_t at = first; at < last; at++) {
        double f[3] = {0};
        if (w->m[at] == 0) continue;
        gather_force(body, at, f);
        gather_light(body, at, f);
        for (int k = 0; k < 3; k++) {
            double a = body->weight * f[k] / w->m[at] + x->e->options.gravity[k];
            w->next[3 * at + k] = damping * (w->next[3 * at + k] + x->dt * a);
        }
    }
}

void pl_euler_push(const pl_euler *e, pl_euler_body *body, double dt)
{
    force_context context = {e, body, dt};
    pl_loop(body->now.count, NODES_LEAST, push_nodes, &context);
}
