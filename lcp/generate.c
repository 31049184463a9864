// The matrices and right-hand sides of generate.h. [Erl13] prints no distributions: those here are
// ours. The fluid has the signs that make it a problem with a positive semidefinite M: with p the
// pressures and w the divergence after them, w = -(dt / density) lap p + div u; the slide has both
// the other way round.

#include "generate.h"
#include "condition.h"

#include <string.h>

enum {
    CONDITION_STEPS = 80, // of Lanczos's iteration
    N_MODE = 8,           // waves that a fluid's field is made of
};

static const double PI = 3.14159265358979323846;

pl_lcp_params pl_lcp_params_default(void)
{
    return (pl_lcp_params){.planted = true,
                           .tight = 0.5,
                           .degenerate = 0.1,
                           .shift = 0.1,
                           .rank = 0.5,
                           .skew = 1,
                           .imbalance = 4,
                           .length = 1,
                           .density = 1000,
                           .dt = 0.01,
                           .divergence = 1,
                           .half_bandwidth = 10};
}

static const char *const kind_names[PL_LCP_N_KIND] = {
    [PL_LCP_KIND_SPD] = "spd",           [PL_LCP_KIND_PSD] = "psd",
    [PL_LCP_KIND_P_MATRIX] = "p-matrix", [PL_LCP_KIND_MONOTONE] = "monotone",
    [PL_LCP_KIND_UNIFORM] = "uniform",   [PL_LCP_KIND_FLUID_2D] = "fluid-2d",
    [PL_LCP_KIND_FLUID_3D] = "fluid-3d", [PL_LCP_KIND_BAND] = "band"};

const char *pl_lcp_kind_name(pl_lcp_kind kind)
{
    return kind_names[kind];
}

pl_status pl_lcp_kind_find(const char *name, pl_lcp_kind *out)
{
    for (int k = 0; k < PL_LCP_N_KIND; k++) {
        if (strcmp(name, kind_names[k]) != 0) continue;
        *out = (pl_lcp_kind)k;
        return PL_OK;
    }
    return pl_fail_unknown(PL_ERROR_ARGUMENT, "kind of problem", name, strlen(name), kind_names,
                           PL_LCP_N_KIND);
}

void pl_lcp_data_free(pl_lcp_data *data)
{
    pl_free(data->x), pl_free(data->start), pl_free(data->col), pl_free(data->row);
    pl_free(data->val), pl_free(data->q), pl_free(data->lo), pl_free(data->hi);
    *data = (pl_lcp_data){0};
}

// --- Random numbers ---

// Between 0 and 1, 0 excluded [Steele, Lea & Flood 2014].
static double uniform(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return ((double)((z ^ z >> 31) >> 11) + 0.5) * 0x1p-53;
}

// Mean 0, variance 1, by Box and Muller.
static double gaussian(uint64_t *state)
{
    double radius = sqrt(-2 * log(uniform(state)));
    return radius * cos(2 * PI * uniform(state));
}

// --- Matrices ---

// Room for n rows and `n_val` entries; bounds 0 .. INFINITY, the rest 0.
static pl_status reserve(int64_t n, int64_t n_val, pl_lcp_data *out)
{
    if (n > INT32_MAX) {
        return pl_fail(PL_ERROR_ARGUMENT, "a problem of %lld rows: at most %d", (long long)n,
                       INT32_MAX);
    }
    out->col = pl_alloc_zero(n + 1, sizeof *out->col);
    out->row = pl_alloc_zero(n_val, sizeof *out->row);
    out->val = pl_alloc_zero(n_val, sizeof *out->val);
    out->q = pl_alloc_zero(n, sizeof *out->q);
    out->lo = pl_alloc_zero(n, sizeof *out->lo);
    out->hi = pl_alloc_zero(n, sizeof *out->hi);
    if (out->col == NULL || out->row == NULL || out->val == NULL || out->q == NULL ||
        out->lo == NULL || out->hi == NULL) {
        return PL_ERROR_MEMORY;
    }
    for (int64_t i = 0; i < n; i++) out->hi[i] = INFINITY;
    out->lcp = (pl_lcp){.n = (int32_t)n,
                        .col = out->col,
                        .row = out->row,
                        .val = out->val,
                        .q = out->q,
                        .lo = out->lo,
                        .hi = out->hi};
    return PL_OK;
}

// A full band with `half` entries on either side of the diagonal: n - 1 is a dense matrix.
static pl_status make_band(int32_t n, int32_t half, pl_lcp_data *out)
{
    half = PL_MIN(half, PL_MAX(n - 1, 0));
    PL_TRY(reserve(n, (int64_t)n * (2 * (int64_t)half + 1), out));
    for (int32_t j = 0; j < n; j++) {
        int32_t first = PL_MAX(j - half, 0), last = half < n - 1 - j ? j + half : n - 1;
        int64_t at = out->col[j];
        for (int32_t i = first; i <= last; i++) out->row[at++] = i;
        out->col[j + 1] = at;
    }
    return PL_OK;
}

// The entry of row i in column j, which is in the band.
static double *entry(const pl_lcp_data *data, int32_t i, int32_t j)
{
    int64_t first = data->col[j];
    return &data->val[first + i - data->row[first]];
}

// Adds B B^T / n with a Gaussian B (n*rank).
static pl_status add_gram(int32_t rank, uint64_t *state, pl_lcp_data *out)
{
    int32_t n = out->lcp.n;
    double *B = pl_alloc((int64_t)n * rank, sizeof *B); // row by row
    if (B == NULL) return PL_ERROR_MEMORY;
    for (int64_t k = 0; k < (int64_t)n * rank; k++) B[k] = gaussian(state);
    for (int32_t j = 0; j < n; j++) {
        for (int32_t i = j; i < n; i++) {
            const double *a = B + (int64_t)i * rank, *b = B + (int64_t)j * rank;
            double sum = 0;
            for (int32_t k = 0; k < rank; k++) sum += a[k] * b[k];
            *entry(out, i, j) = *entry(out, j, i) = sum / n;
        }
    }
    pl_free(B);
    return PL_OK;
}

static void add_skew(double size, uint64_t *state, pl_lcp_data *out)
{
    int32_t n = out->lcp.n;
    for (int32_t j = 0; j < n; j++) {
        for (int32_t i = j + 1; i < n; i++) {
            double s = size / sqrt(n) * gaussian(state);
            *entry(out, i, j) += s;
            *entry(out, j, i) -= s;
        }
    }
}

// Rows and columns times diagonals between 1 / imbalance and imbalance, which leaves all principal
// minors positive, but not x^T M x.
static pl_status scale_sides(double imbalance, uint64_t *state, pl_lcp_data *out)
{
    int32_t n = out->lcp.n;
    double *left = pl_alloc(2 * (int64_t)n, sizeof *left);
    if (left == NULL) return PL_ERROR_MEMORY;
    for (int32_t i = 0; i < 2 * n; i++) left[i] = pow(imbalance, 2 * uniform(state) - 1);
    for (int32_t j = 0; j < n; j++) {
        for (int32_t i = 0; i < n; i++) *entry(out, i, j) *= left[i] * left[n + j];
    }
    pl_free(left);
    return PL_OK;
}

// --- Right-hand sides and solutions ---

// Bounds of row i around x_i = `x`, which becomes tight or not: free, unilateral, boxes.
static void draw_bounds(bool tight, double x, uint64_t *state, int32_t i, pl_lcp_data *out)
{
    double kind = uniform(state), below = 0.1 + uniform(state), above = 0.1 + uniform(state);
    bool at_hi = uniform(state) < 0.5;
    out->lo[i] = tight && !at_hi ? x : x - below;
    out->hi[i] = tight && at_hi ? x : x + above;
    if (kind < 0.25 && !tight) out->lo[i] = -INFINITY, out->hi[i] = INFINITY;
    if (kind >= 0.25 && kind < 0.5 && x > out->lo[i]) out->lo[i] = -INFINITY;
    if (kind >= 0.5 && kind < 0.75 && x < out->hi[i]) out->hi[i] = INFINITY;
}

// Draws x, bounds and w, and makes q = w - M x.
static pl_status plant(const pl_lcp_params *params, uint64_t *state, pl_lcp_data *out)
{
    int32_t n = out->lcp.n;
    double *w = pl_alloc_zero(n, sizeof *w);
    out->x = pl_alloc_zero(n, sizeof *out->x);
    if (w == NULL || out->x == NULL) {
        pl_free(w);
        return PL_ERROR_MEMORY;
    }
    for (int32_t i = 0; i < n; i++) {
        bool tight = uniform(state) < params->tight;
        bool degenerate = uniform(state) < params->degenerate;
        double force = 0.1 + uniform(state), x = 0.1 + uniform(state);
        if (params->mixed_bounds) {
            out->x[i] = gaussian(state);
            draw_bounds(tight, out->x[i], state, i, out);
        } else {
            out->x[i] = tight ? 0 : x;
        }
        bool at_hi = out->x[i] == out->hi[i];
        w[i] = !tight || degenerate ? 0 : at_hi ? -force : force;
    }
    pl_lcp_multiply(&out->lcp, out->x, out->q); // q is 0 so far
    for (int32_t i = 0; i < n; i++) out->q[i] = w[i] - out->q[i];
    pl_free(w);
    return PL_OK;
}

static pl_status make_dense(pl_lcp_kind kind, int32_t n, uint64_t *state,
                            const pl_lcp_params *params, pl_lcp_data *out)
{
    bool full = kind == PL_LCP_KIND_SPD || kind == PL_LCP_KIND_P_MATRIX;
    bool skew = kind == PL_LCP_KIND_P_MATRIX || kind == PL_LCP_KIND_MONOTONE;
    PL_TRY(make_band(n, PL_MAX(n - 1, 0), out));
    if (kind == PL_LCP_KIND_UNIFORM) {
        for (int64_t k = 0; k < out->col[n]; k++) out->val[k] = 2 * uniform(state) - 1;
    } else {
        PL_TRY(add_gram(full ? n : (int32_t)(params->rank * n), state, out));
    }
    for (int32_t i = 0; i < n && full; i++) *entry(out, i, i) += params->shift;
    if (skew) add_skew(params->skew, state, out);
    if (kind == PL_LCP_KIND_P_MATRIX) PL_TRY(scale_sides(params->imbalance, state, out));
    out->lcp.symmetric = kind == PL_LCP_KIND_SPD || kind == PL_LCP_KIND_PSD;
    if (params->planted) return plant(params, state, out);
    for (int32_t i = 0; i < n; i++) {
        out->q[i] = gaussian(state);
        if (params->mixed_bounds) draw_bounds(false, 0, state, i, out);
    }
    return PL_OK;
}

// --- Fluids ---

// Waves in a box, from which a divergence is made that is the same on every grid.
typedef struct field {
    double size[N_MODE], wave[N_MODE][3], phase[N_MODE];
} field;

static field draw_field(int dimension, double divergence, uint64_t *state)
{
    field f = {0};
    for (int m = 0; m < N_MODE; m++) {
        f.size[m] = divergence * sqrt(2.0 / N_MODE) * gaussian(state);
        f.phase[m] = 2 * PI * uniform(state);
        for (int c = 0; c < 3; c++) {
            double wave = 2 * PI * (2 * uniform(state) - 1);
            f.wave[m][c] = c < dimension ? wave : 0;
        }
    }
    return f;
}

// At a place in units of the box's side.
static double field_at(const field *f, const double at[3])
{
    double sum = 0;
    for (int m = 0; m < N_MODE; m++) {
        double turn = f->phase[m];
        for (int c = 0; c < 3; c++) turn += f->wave[m][c] * at[c];
        sum += f->size[m] * cos(turn);
    }
    return sum;
}

// The neighbour of `cell` in direction d (-x, +x, -y, ...), -1 beyond a wall, -2 in the air above.
static int32_t neighbour(const int32_t cell[3], int d, int32_t side, int dimension, int32_t index)
{
    int axis = d / 2;
    int32_t stride = axis == 0 ? 1 : axis == 1 ? side : side * side;
    bool up = d % 2 == 1;
    if (up ? cell[axis] + 1 < side : cell[axis] > 0) return index + (up ? stride : -stride);
    return up && axis == dimension - 1 ? -2 : -1;
}

// -(dt / density) lap on cells, with no flow through walls by pressure, and no pressure in the cell
// of air above the surface.
static void fill_fluid(int32_t side, int dimension, double weight, pl_lcp_data *out)
{
    // in ascending order of the neighbour's index; 6 is the cell itself
    static const int order[7] = {4, 2, 0, 6, 1, 3, 5};
    int64_t at = 0;
    for (int32_t i = 0; i < out->lcp.n; i++) {
        int32_t cell[3] = {i % side, i / side % side, i / side / side};
        int64_t diagonal = -1;
        double sum = 0;
        for (int o = 0; o < 7; o++) {
            int d = order[o];
            if (d == 6) {
                diagonal = at;
                out->row[at++] = i;
            } else if (d < 2 * dimension) {
                int32_t other = neighbour(cell, d, side, dimension, i);
                if (other != -1) sum += weight;
                if (other < 0) continue;
                out->row[at] = other;
                out->val[at++] = -weight;
            }
        }
        out->val[diagonal] = sum;
        out->col[i + 1] = at;
    }
}

// The Laplacian is a sum over axes; one between two walls has the eigenvalues 2 - 2 cos(k pi /
// side) from k = 0, one between a wall and the air 2 - 2 cos((k - 1/2) pi / (side + 1/2)) from k
// = 1.
static double fluid_condition(int32_t side, int dimension)
{
    double walls = 2 - 2 * cos(PI * (side - 1) / side);
    double most = 2 - 2 * cos(PI * (side - 0.5) / (side + 0.5)) + (dimension - 1) * walls;
    return most / (2 - 2 * cos(PI * 0.5 / (side + 0.5)));
}

static pl_status make_fluid(int32_t side, int dimension, uint64_t *state,
                            const pl_lcp_params *params, pl_lcp_data *out)
{
    int64_t n = dimension == 2 ? (int64_t)side * side : (int64_t)side * side * side;
    double h = params->length / side;
    PL_TRY(reserve(n, n * (2 * dimension + 1), out));
    fill_fluid(side, dimension, params->dt / (params->density * h * h), out);
    out->lcp.symmetric = true;
    field f = draw_field(dimension, params->divergence, state);
    for (int32_t i = 0; i < out->lcp.n; i++) {
        double at[3] = {(i % side + 0.5) / side, (i / side % side + 0.5) / side,
                        (i / side / side + 0.5) / side};
        out->q[i] = field_at(&f, at);
        if (params->free_slip) out->lo[i] = -INFINITY;
    }
    out->condition = fluid_condition(PL_MAX(side, 1), dimension);
    return PL_OK;
}

// --- Bands ---

static pl_status solve_band(pl_lcp_data *out)
{
    const pl_lcp_solver *psor;
    pl_lcp_options options = pl_lcp_options_default();
    pl_lcp_stats stats;
    pl_arena arena = {0};
    options.relaxation = 1.2;
    options.max_iterations = 20000;
    options.tolerance = 1e-12 * (out->lcp.n > 0 ? out->val[0] : 1);
    pl_status status = pl_lcp_solver_find("psor", &psor);
    if (status == PL_OK) status = pl_lcp_solve(psor, &out->lcp, &options, &arena, out->x, &stats);
    pl_arena_free(&arena);
    return status;
}

// Condition about 20, as the numbers of solves in [Lit13, Table 7.1] suggest.
static pl_status make_gaussian_band(int32_t n, uint64_t *state, const pl_lcp_params *params,
                                    pl_lcp_data *out)
{
    int32_t half = PL_MIN(params->half_bandwidth, PL_MAX(n - 1, 0));
    PL_TRY(make_band(n, half, out));
    for (int32_t j = 0; j < n; j++) {
        *entry(out, j, j) = 2.2 * sqrt(2 * fmax(params->half_bandwidth, 1));
        for (int32_t i = j + 1; i < n && i - j <= half; i++) {
            *entry(out, i, j) = *entry(out, j, i) = gaussian(state);
        }
        out->q[j] = -gaussian(state);
    }
    out->lcp.symmetric = true;
    out->x = pl_alloc_zero(n, sizeof *out->x);
    out->start = pl_alloc_zero(n, sizeof *out->start);
    if (out->x == NULL || out->start == NULL) return PL_ERROR_MEMORY;
    PL_TRY(solve_band(out));
    for (int32_t i = 0; i < n; i++) {
        double inverted = out->x[i] > 0 ? 0 : 1;
        out->start[i] = i < params->inverted ? inverted : out->x[i];
    }
    return PL_OK;
}

// --- All of them ---

static pl_status check_params(int32_t n, const pl_lcp_params *p)
{
    bool shares = p->tight >= 0 && p->tight <= 1 && p->degenerate >= 0 && p->degenerate <= 1 &&
                  p->rank >= 0 && p->rank <= 1;
    if (!shares) {
        return pl_fail(PL_ERROR_ARGUMENT,
                       "shares of %g tight, %g degenerate and rank %g: from 0 to 1", p->tight,
                       p->degenerate, p->rank);
    }
    if (!(p->shift >= 0) || !isfinite(p->skew) || !(p->imbalance > 0)) {
        return pl_fail(PL_ERROR_ARGUMENT, "shift %g, skew %g, imbalance %g", p->shift, p->skew,
                       p->imbalance);
    }
    if (!(p->length > 0) || !(p->density > 0) || !(p->dt > 0) || !isfinite(p->divergence)) {
        return pl_fail(PL_ERROR_ARGUMENT, "a fluid of %g m, %g kg/m^3, %g s, %g /s", p->length,
                       p->density, p->dt, p->divergence);
    }
    if (n < 0 || p->half_bandwidth < 0 || p->inverted < 0) {
        return pl_fail(PL_ERROR_ARGUMENT, "size %d, half bandwidth %d, %d inverted", n,
                       p->half_bandwidth, p->inverted);
    }
    return PL_OK;
}

static pl_status make(pl_lcp_kind kind, int32_t n, uint64_t *state, const pl_lcp_params *params,
                      pl_lcp_data *out)
{
    switch (kind) {
    case PL_LCP_KIND_FLUID_2D:
        return make_fluid(n, 2, state, params, out);
    case PL_LCP_KIND_FLUID_3D:
        return make_fluid(n, 3, state, params, out);
    case PL_LCP_KIND_BAND:
        return make_gaussian_band(n, state, params, out);
    default:
        return make_dense(kind, n, state, params, out);
    }
}

pl_status pl_lcp_generate(pl_lcp_kind kind, int32_t n, uint64_t seed, const pl_lcp_params *params,
                          pl_lcp_data *out)
{
    const pl_lcp_params usual = pl_lcp_params_default();
    if (params == NULL) params = &usual;
    *out = (pl_lcp_data){0};
    PL_TRY(check_params(n, params));
    uint64_t state = seed;
    pl_status status = make(kind, n, &state, params, out);
    if (status == PL_OK && out->condition == 0) {
        status = pl_lcp_condition(&out->lcp, CONDITION_STEPS, &out->condition, NULL);
    }
    if (status != PL_OK) pl_lcp_data_free(out);
    return status;
}
