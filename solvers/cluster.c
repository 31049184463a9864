// Sweeps and steps of Newton's method [Alart & Curnier 1991] in turn.
//
// Contacts at one place answer each other's impulses as their own: S is nearly singular. Sweeps of
// Gauss-Seidel then find the relative velocities at once, but hand the impulses from one contact to
// the other in steps of u / S, thousands of times, until one of them opens or sticks. A step of
// Newton's goes there directly. With r_n = 1 / S_nn, r_t = 2 / (S_11 + S_22), and
//     z_n = f_n - r_n u_n,    z_t = f_t - r_t u_t,
// the laws are f_n = max(z_n, 0) and f_t = the point of the disc of radius mu f_n nearest to z_t.
// On the face that z lies in they are linear, but for the direction of slip, which is linearized:
//     open, z_n <= 0:           f = 0
//     stick, |z_t| <= mu z_n:   u = 0
//     slip, p = z_t / |z_t|, c across it, k = mu z_n / |z_t|:
//         u_n = 0,   p . f_t = mu f_n,   c . u_t + (1 - k) / (k r_t) c . f_t = 0
// A slipping contact has two unknowns left, f_n and y = c . f_t, with f_t = mu f_n p + y c; its
// equation across the slip is one with a compliance. A share of S times the change of the unknowns
// keeps the system regular and does not move its solution.
//
// As in an active-set method the step ends where the first impulse stops pushing; a contact that
// would end it at once is left open. It may make things worse for a while.

#include "cluster.h"

#include <math.h>
#include <string.h>

// The share of S that holds an unknown where it is in the first round; half of it in the next, and
// so on. A large one keeps steps on the faces that they were found for, a small one lets impulses
// travel far: which of them a cluster needs is not known beforehand.
static const double HOLD = 1e-2;
// A contact that ends a step before this part of it is left open.
static const double SHORT = 0.05;

enum { ROUNDS = 24 };

pl_status pl_cluster_create(int32_t capacity, pl_arena *arena, pl_cluster *out)
{
    int64_t n = capacity, m = 3 * n;
    *out = (pl_cluster){.capacity = capacity};
    double **vector[] = {&out->q, &out->f, &out->y, &out->from, &out->to, &out->swept};
    for (size_t i = 0; i < sizeof vector / sizeof *vector; i++) {
        *vector[i] = pl_arena_take(arena, m, sizeof(double));
        if (*vector[i] == NULL) return PL_ERROR_MEMORY;
    }
    out->M = pl_arena_take(arena, m * m, sizeof *out->M);
    out->law = pl_arena_take(arena, n, sizeof *out->law);
    out->face = pl_arena_take(arena, n, sizeof *out->face);
    out->out = pl_arena_take(arena, n, sizeof *out->out);
    bool all = out->M != NULL && out->law != NULL && out->face != NULL && out->out != NULL;
    return all ? PL_OK : PL_ERROR_MEMORY;
}

// u (3) := the relative velocity of contact i. S is symmetric, and read by columns: three sums at
// once.
static void velocity(const pl_cluster *c, int32_t i, const double *f, double *u)
{
    int64_t m = 3 * c->n;
    double u0 = c->q[3 * i], u1 = c->q[3 * i + 1], u2 = c->q[3 * i + 2];
    const double *S = c->S + 3 * i;
    for (int32_t j = 0; j < c->n; j++, f += 3, S += 3 * m) {
        u0 += (S[0] * f[0] + S[m] * f[1]) + S[2 * m] * f[2];
        u1 += (S[1] * f[0] + S[m + 1] * f[1]) + S[2 * m + 1] * f[2];
        u2 += (S[2] * f[0] + S[m + 2] * f[1]) + S[2 * m + 2] * f[2];
    }
    u[0] = u0, u[1] = u1, u[2] = u2;
}

// One sweep; returns the largest change of a relative velocity.
static double sweep(pl_cluster *c)
{
    double most = 0;
    for (int32_t i = 0; i < c->n; i++) {
        double u[3];
        velocity(c, i, c->f, u);
        double change = pl_coulomb_relax(c->law + i, u, c->f + 3 * (int64_t)i);
        most = PL_MAX(most, change);
    }
    return most;
}

// --- Faces ---

// False if the contact is open at f.
static bool find_face(const pl_cluster *c, int32_t i, const double *f, pl_cluster_face *face)
{
    static const double axes[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    const double *S = c->law[i].S;
    double u[3], mu = c->law[i].mu;
    velocity(c, i, f, u);
    f += 3 * (int64_t)i;
    double rt = 2 / (S[4] + S[8]), zn = f[0] - u[0] / S[0];
    double z1 = f[1] - rt * u[1], z2 = f[2] - rt * u[2], length = sqrt(z1 * z1 + z2 * z2);
    if (zn <= 0) return false;
    *face = (pl_cluster_face){.contact = i, .n = 3};
    memcpy(face->row, axes, sizeof axes);
    memcpy(face->col, axes, sizeof axes);
    if (mu == 0) { // slips, whatever its velocity
        face->n = 1;
        return true;
    }
    double most = mu * zn;
    if (length <= most) return true;
    double p1 = z1 / length, p2 = z2 / length, k = most / length;
    const double across[3] = {0, -p2, p1};
    face->n = 2;
    face->col[1] = mu * p1;
    face->col[2] = mu * p2;
    memcpy(face->col + 3, across, sizeof across);
    memcpy(face->row + 3, across, sizeof across);
    face->compliance = (1 - k) / (k * rt);
    return true;
}

// M += rows of a . S . columns of b, for n unknowns.
static void add_block(const pl_cluster *c, int32_t n, const pl_cluster_face *a,
                      const pl_cluster_face *b)
{
    const double *B = c->S + 9 * (int64_t)a->contact * c->n + 3 * b->contact;
    int64_t m = 3 * c->n;
    for (int i = 0; i < a->n; i++) {
        const double *r = a->row + 3 * i;
        double rB[3];
        for (int k = 0; k < 3; k++) rB[k] = r[0] * B[k] + r[1] * B[m + k] + r[2] * B[2 * m + k];
        for (int j = 0; j < b->n; j++) {
            const double *col = b->col + 3 * j;
            c->M[(int64_t)(a->at + i) * n + b->at + j] =
                rB[0] * col[0] + rB[1] * col[1] + rB[2] * col[2];
        }
    }
}

// M and the right-hand side y for the faces at f.
static void fill(pl_cluster *c, int32_t n_face, int32_t n, const double *f, double hold)
{
    for (int32_t i = 0; i < n_face; i++) {
        const pl_cluster_face *a = c->face + i;
        const double *q = c->q + 3 * (int64_t)a->contact, *own = f + 3 * (int64_t)a->contact;
        for (int32_t j = 0; j < n_face; j++) add_block(c, n, a, c->face + j);
        c->M[(int64_t)(a->at + a->n - 1) * (n + 1)] += a->compliance;
        for (int k = 0; k < a->n; k++) {
            const double *r = a->row + 3 * k, *col = a->col + 3 * k;
            double *diagonal = c->M + (int64_t)(a->at + k) * (n + 1), held = hold * fabs(*diagonal);
            double now = k == 0 ? own[0] : col[1] * own[1] + col[2] * own[2];
            *diagonal += held;
            c->y[a->at + k] = held * now - (r[0] * q[0] + r[1] * q[1] + r[2] * q[2]);
        }
    }
}

static void swap(double *a, double *b)
{
    double t = *a;
    *a = *b;
    *b = t;
}

// y := M^-1 y by elimination with row pivots. False if M is singular.
static bool eliminate(int32_t n, double *M, double *y)
{
    for (int32_t k = 0; k < n; k++) {
        int32_t pivot = k;
        for (int32_t i = k + 1; i < n; i++) {
            if (fabs(M[(int64_t)i * n + k]) > fabs(M[(int64_t)pivot * n + k])) pivot = i;
        }
        double *row = M + (int64_t)k * n, *other = M + (int64_t)pivot * n;
        if (!(fabs(other[k]) > 0)) return false;
        if (pivot != k) {
            for (int32_t j = k; j < n; j++) swap(row + j, other + j);
            swap(y + k, y + pivot);
        }
        for (int32_t i = k + 1; i < n; i++) {
            double *below = M + (int64_t)i * n, factor = below[k] / row[k];
            if (factor == 0) continue;
            for (int32_t j = k + 1; j < n; j++) below[j] -= factor * row[j];
            y[i] -= factor * y[k];
        }
    }
    for (int32_t k = n - 1; k >= 0; k--) {
        for (int32_t j = k + 1; j < n; j++) y[k] -= M[(int64_t)k * n + j] * y[j];
        y[k] /= M[(int64_t)k * n + k];
        if (!isfinite(y[k])) return false;
    }
    return true;
}

// --- Steps ---

// to := where Newton's method goes from `from`, with the contacts of c->out open.
static bool find_target(pl_cluster *c, double hold)
{
    int32_t n_face = 0, n = 0;
    for (int32_t i = 0; i < c->n; i++) {
        pl_cluster_face *face = c->face + n_face;
        if (c->out[i] || !find_face(c, i, c->from, face)) continue;
        face->at = n;
        n += face->n;
        n_face++;
    }
    fill(c, n_face, n, c->from, hold);
    if (!eliminate(n, c->M, c->y)) return false;
    memset(c->to, 0, 3 * (size_t)c->n * sizeof *c->to);
    for (int32_t i = 0; i < n_face; i++) {
        const pl_cluster_face *face = c->face + i;
        double *to = c->to + 3 * (int64_t)face->contact;
        for (int k = 0; k < face->n; k++) {
            for (int a = 0; a < 3; a++) to[a] += c->y[face->at + k] * face->col[3 * k + a];
        }
    }
    return true;
}

// The part of the way to the target on which all impulses push, and the contact that ends it, or
// -1.
static double find_end(const pl_cluster *c, int32_t *contact)
{
    double part = 1;
    *contact = -1;
    for (int32_t i = 0; i < c->n; i++) {
        double from = c->from[3 * (int64_t)i], to = c->to[3 * (int64_t)i];
        if (to >= 0 || from >= part * (from - to)) continue;
        part = from / (from - to);
        *contact = i;
    }
    return part;
}

// One step from f.
static void newton(pl_cluster *c, double hold)
{
    double part = 0;
    memset(c->out, 0, (size_t)c->n * sizeof *c->out);
    memcpy(c->from, c->f, 3 * (size_t)c->n * sizeof *c->f);
    for (int32_t tries = 0; tries <= c->n; tries++) {
        int32_t i;
        if (!find_target(c, hold)) return;
        part = find_end(c, &i);
        if (part > SHORT || i < 0) break;
        c->out[i] = 1;
        memset(c->from + 3 * (int64_t)i, 0, 3 * sizeof *c->from);
    }
    for (int32_t i = 0; i < c->n; i++) {
        double f[3];
        for (int a = 0; a < 3; a++) {
            int64_t k = 3 * (int64_t)i + a;
            f[a] = c->from[k] + part * (c->to[k] - c->from[k]);
        }
        pl_coulomb_project(c->law[i].mu, f, c->f + 3 * (int64_t)i);
    }
}

bool pl_cluster_solve(pl_cluster *c, double enough)
{
    size_t size = 3 * (size_t)c->n * sizeof *c->f;
    double change = sweep(c), hold = HOLD;
    memcpy(c->swept, c->f, size);
    for (int round = 0; round < ROUNDS && change > enough; round++, hold *= 0.5) {
        newton(c, hold);
        change = sweep(c);
    }
    if (change <= enough) return true;
    memcpy(c->f, c->swept, size);
    return false;
}
