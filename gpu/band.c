#include "band.h"

enum { TILE = 32, SMALL_TILE = 16, PLAN = 12 }; // of kernels/band.h
enum { LOWER = 1, UPPER = 2, TRANSPOSED = 4 };  // likewise
enum { FORWARD = 0, BACK = 2, STEPS = 4 };      // of a block in a solve: two products each

void pl_gpu_band_free(pl_gpu *gpu, pl_gpu_band *band)
{
    pl_gpu_buffer *all[] = {&band->val,  &band->blocks, &band->scratch,
                            &band->turn, &band->plan,   &band->fail};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) pl_gpu_drop(gpu, all[i]);
    pl_free(band->host);
    *band = (pl_gpu_band){0};
}

static int64_t tiles(int64_t n)
{
    return (n + TILE - 1) / TILE;
}

// --- Plans: rows of numbers for block_multiply ---

// Where a matrix begins, and how far its columns are apart.
typedef struct place {
    int64_t at, ld;
} place;

static int64_t *next_row(pl_gpu_band *band)
{
    return band->host + PLAN * (int64_t)band->n_plan++;
}

static void plan_product(pl_gpu_band *band, const int64_t size[3], place A, place B, place C,
                         place out, int64_t shift)
{
    const int64_t row[PLAN] = {size[0], size[1], size[2], A.at,   A.ld,   B.at,
                               B.ld,    C.at,    C.ld,    out.at, out.ld, shift};
    int64_t *to = next_row(band);
    for (int k = 0; k < PLAN; k++) to[k] = row[k];
}

// Pairs of triangles of `half` rows in a block that become one: [A 0; B C]^-1 = [A^-1 0; -C^-1 B
// A^-1  C^-1].
static int64_t pairs(const pl_gpu_band *band, int64_t half)
{
    return (band->s + half - 1) / (2 * half);
}

// The products of all levels: of each first W = B A^-1, then -C^-1 W, for all pairs of all blocks.
static void plan_inverses(pl_gpu_band *band)
{
    int64_t s = band->s;
    for (int64_t half = TILE; half < s; half *= 2) {
        for (int second = 0; second < 2; second++) {
            for (int64_t i = 0; i < band->p * pairs(band, half); i++) {
                int64_t block = i / pairs(band, half), pair = i % pairs(band, half);
                int64_t low = 2 * half * pair, high = low + half, rest = PL_MIN(half, s - high);
                int64_t from = block * s * s;
                place A = {from + low * (s + 1), s}, B = {from + high + low * s, s};
                place C = {from + high * (s + 1), s}, W = B;
                if (second == 0) {
                    plan_product(band, (int64_t[]){rest, half, half}, B, A, B, W, 0);
                } else {
                    plan_product(band, (int64_t[]){rest, half, rest}, C, W, B, B, 0);
                }
            }
        }
    }
    band->n_level = band->n_plan;
}

// The four products of each block of a solve, B for n rows, T of the scratch for s. C_i stands in
// the band as a matrix of rho columns whose leading dimension is rho; its upper triangle is what it
// has (lcp/band.c).
static void plan_solve(pl_gpu_band *band)
{
    int64_t s = band->s, n = band->n, rho = band->rho;
    for (int64_t i = 0; i < band->p; i++) {
        int64_t first = i * s, rows = PL_MIN(s, n - first), next = first + s;
        int64_t reached = i + 1 < band->p ? PL_MIN(rho, n - next) : 0; // of block i + 1
        place B = {first, n}, T = {0, s}, D = {i * s * s, s};
        place before = {first + (first - rho) * rho, rho}, after = {next + (next - rho) * rho, rho};
        plan_product(band, (int64_t[]){rows, 0, i > 0 ? rho : 0}, before, (place){first - rho, n},
                     B, T, 0);
        plan_product(band, (int64_t[]){rows, 0, rows}, D, T, T, B, 0);
        plan_product(band, (int64_t[]){rows, 0, reached}, after, (place){next, n}, B, T, s - rho);
        plan_product(band, (int64_t[]){rows, 0, rows}, D, T, T, B, 0);
    }
}

pl_status pl_gpu_band_start(pl_gpu *gpu, int32_t n, int32_t rho, pl_gpu_band *band)
{
    band->n = n;
    band->rho = rho;
    band->s = (int32_t)(TILE * tiles(PL_MAX(rho, 1)));
    band->p = (n + band->s - 1) / band->s;
    band->n_plan = 0;
    int64_t most = 4 * (int64_t)band->p;
    for (int64_t half = TILE; half < band->s; half *= 2) most += 2 * band->p * pairs(band, half);
    PL_TRY(pl_reserve((void **)&band->host, &band->host_capacity, PLAN * most, sizeof *band->host));
    PL_TRY(pl_gpu_reserve(gpu, &band->val, n * ((int64_t)rho + 1), sizeof(double)));
    band->n_level = 0;
    PL_TRY(pl_gpu_reserve(gpu, &band->fail, 1, sizeof(int32_t)));
    PL_TRY(pl_gpu_reserve(gpu, &band->plan, PLAN * most, sizeof(int64_t)));
    plan_inverses(band);
    plan_solve(band);
    pl_gpu_write(gpu, &band->plan, 0, PLAN * (int64_t)band->n_plan * 8, band->host);
    return PL_OK;
}

// --- Factors ---

// flops of a tile's product, and bytes of its operands
static void note_tiles(pl_gpu *gpu, double products, double others)
{
    const double all = TILE * TILE;
    pl_gpu_note(gpu, 8 * all * (2 * products + others), 2 * TILE * all * products);
}

static void factor_tiles(pl_gpu *gpu, const pl_gpu_band *band)
{
    int32_t n = band->n, rho = band->rho;
    for (int32_t first = 0; first < n; first += TILE) {
        pl_gpu_launch_groups(gpu, "band_potrf", 1,
                             PL_ARGS(PL_ARG(n), PL_ARG(rho), PL_ARG(first), PL_ARG(&band->val),
                                     PL_ARG(&band->fail)));
        // the last row that the tile's last column reaches
        int32_t rows = PL_MIN(n - first - TILE, rho);
        if (rows <= 0) continue;
        pl_gpu_launch(
            gpu, "band_trsm", rows,
            PL_ARGS(PL_ARG(rows), PL_ARG(n), PL_ARG(rho), PL_ARG(first), PL_ARG(&band->val)));
        int64_t t = tiles(rows);
        note_tiles(gpu, (double)t / 2, (double)t);
        pl_gpu_launch_groups(gpu, "band_syrk", t * (t + 1) / 2,
                             PL_ARGS(PL_ARG(n), PL_ARG(rho), PL_ARG(first), PL_ARG(&band->val)));
        note_tiles(gpu, (double)(t * (t + 1)) / 2, (double)(t * (t + 1)));
    }
}

// Products of the plan's rows `first` ..., `count` of them, of matrices of at most m * n.
static void multiply(pl_gpu *gpu, const pl_gpu_band *band, int64_t first, int64_t count, int64_t m,
                     int64_t n, int32_t flags, double alpha, bool add, const pl_gpu_buffer *A,
                     const pl_gpu_buffer *B, const pl_gpu_buffer *C, const pl_gpu_buffer *out)
{
    int32_t down = (int32_t)tiles(m), across = (int32_t)tiles(n);
    pl_gpu_launch_groups(gpu, "block_multiply", count * down * across,
                         PL_ARGS(PL_ARG(down), PL_ARG(across), PL_ARG((int32_t)first),
                                 PL_ARG(flags), PL_ARG((int32_t)n), PL_ARG(alpha),
                                 PL_ARG((int32_t)add), PL_ARG(&band->plan), PL_ARG(A), PL_ARG(B),
                                 PL_ARG(C), PL_ARG(out)));
    for (int64_t i = first; i < first + count; i++) {
        const int64_t *row = band->host + PLAN * i;
        int64_t columns = row[1] > 0 ? row[1] : n;
        double products = (double)(tiles(row[0]) * tiles(columns) * tiles(row[2]));
        note_tiles(gpu, products, (double)(tiles(row[0]) * tiles(columns)));
    }
}

// `turn` has the same places as the blocks, and a copy of C^-1, since what is written is not read.
static pl_status invert(pl_gpu *gpu, pl_gpu_band *band)
{
    int32_t s = band->s, p = band->p;
    int64_t all = (int64_t)p * s * s, at = 0;
    PL_TRY(pl_gpu_reserve(gpu, &band->blocks, all, sizeof(double)));
    PL_TRY(pl_gpu_reserve(gpu, &band->turn, all, sizeof(double)));
    pl_gpu_launch(gpu, "band_take_blocks", all,
                  PL_ARGS(PL_ARG(p), PL_ARG(s), PL_ARG(band->n), PL_ARG(band->rho),
                          PL_ARG(&band->val), PL_ARG(&band->blocks)));
    pl_gpu_launch_groups(gpu, "band_invert_tiles", (int64_t)p * s / TILE,
                         PL_ARGS(PL_ARG(s), PL_ARG(&band->blocks)));
    for (int64_t half = TILE; half < s; half *= 2) {
        int64_t count = p * pairs(band, half);
        pl_gpu_copy(gpu, &band->blocks, &band->turn, 8 * all);
        multiply(gpu, band, at, count, half, half, 0, 1, false, &band->blocks, &band->blocks,
                 &band->blocks, &band->turn);
        at += count;
        multiply(gpu, band, at, count, half, half, 0, -1, false, &band->turn, &band->turn,
                 &band->turn, &band->blocks);
        at += count;
    }
    return PL_OK;
}

pl_status pl_gpu_band_factor(pl_gpu *gpu, pl_gpu_band *band, bool blocks, int32_t *good)
{
    *good = band->n;
    if (band->n == 0) return pl_gpu_state(gpu);
    pl_gpu_write(gpu, &band->fail, 0, sizeof band->n, &band->n);
    factor_tiles(gpu, band);
    PL_TRY(pl_gpu_read(gpu, &band->fail, 0, sizeof *good, good));
    return blocks && *good == band->n ? invert(gpu, band) : PL_OK;
}

// --- Solves ---

pl_status pl_gpu_band_solve(pl_gpu *gpu, pl_gpu_band *band, int32_t k, const pl_gpu_buffer *B)
{
    int64_t s = band->s, n = band->n;
    if (n == 0 || k == 0) return pl_gpu_state(gpu);
    PL_TRY(pl_gpu_reserve(gpu, &band->scratch, s * k, sizeof(double)));
    const pl_gpu_buffer *T = &band->scratch;
    for (int32_t step = 0; step < 2 * band->p; step++) {
        bool back = step >= band->p;
        int32_t i = back ? 2 * band->p - 1 - step : step, turned = back ? TRANSPOSED : 0;
        int64_t at = band->n_level + STEPS * (int64_t)i + (back ? BACK : FORWARD);
        int64_t rows = PL_MIN(s, n - i * s);
        multiply(gpu, band, at, 1, rows, k, UPPER | turned, -1, true, &band->val, B, B, T);
        multiply(gpu, band, at + 1, 1, rows, k, LOWER | turned, 1, false, &band->blocks, T, T, B);
    }
    return PL_OK;
}

// --- Products ---

void pl_gpu_band_multiply(pl_gpu *gpu, int32_t n, int32_t rho, const pl_gpu_buffer *B, int32_t m,
                          const pl_gpu_buffer *A, bool tiled, const pl_gpu_buffer *C)
{
    const int64_t down = ((int64_t)n + SMALL_TILE - 1) / SMALL_TILE;
    const int64_t across = ((int64_t)m + SMALL_TILE - 1) / SMALL_TILE;
    double flops = 2.0 * n * m * PL_MIN(2.0 * rho + 1, n);
    if (tiled) {
        pl_gpu_launch_groups(
            gpu, "band_multiply_tiled", down * across,
            PL_ARGS(PL_ARG(n), PL_ARG(rho), PL_ARG(B), PL_ARG(m), PL_ARG(A), PL_ARG(C)));
    } else {
        pl_gpu_launch(gpu, "band_multiply", (int64_t)n * m,
                      PL_ARGS(PL_ARG(n), PL_ARG(rho), PL_ARG(B), PL_ARG(m), PL_ARG(A), PL_ARG(C)));
    }
    pl_gpu_note(gpu, 8 * flops / (tiled ? SMALL_TILE : 1), flops);
}
