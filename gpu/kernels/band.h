// Symmetric banded matrices as [Lit13, 5, 6] has them: how they are formed, products with them,
// Cholesky factors in tiles, and what the block substitution of Alg. 5.3 is made of.
//
// A matrix of n rows and half-bandwidth rho has its entry (i, j), j <= i <= j + rho, at
// val[i - j + j * (rho + 1)]: LAPACK's storage 'L'. Dense ones stand column by column. What is
// outside of a band or a matrix counts as 0, and is neither read nor written.

#ifndef PL_GPU_BAND_H
#define PL_GPU_BAND_H

#include "launch.h"

// Rows and columns of a tile in local memory.
#define PL_TILE 32
#define PL_TILE_ALL (PL_TILE * PL_TILE)

// Those of a tile of the text's own product [Lit13, Listing 6.5].
#define PL_SMALL_TILE 16

// Entries e of a tile for an item: in a phase.
#define PL_EACH_ENTRY(e) for (int32_t e = PL_ITEM; e < PL_TILE_ALL; e += PL_SIZE)

// sum += a b for tiles, column by column, in a phase: an item has strips of eight rows.
#define PL_TILE_PRODUCT(a, b, sum)                                                                 \
    for (int32_t pl_l = PL_ITEM; pl_l < PL_TILE_ALL / 8; pl_l += PL_SIZE) {                        \
        int32_t pl_row = pl_l % (PL_TILE / 8) * 8, pl_column = pl_l / (PL_TILE / 8) * PL_TILE;     \
        double pl_s[8];                                                                            \
        for (int32_t q = 0; q < 8; q++) pl_s[q] = (sum)[pl_row + q + pl_column];                   \
        for (int32_t k = 0; k < PL_TILE; k++) {                                                    \
            double pl_b = (b)[k + pl_column];                                                      \
            for (int32_t q = 0; q < 8; q++) pl_s[q] += (a)[pl_row + q + PL_TILE * k] * pl_b;       \
        }                                                                                          \
        for (int32_t q = 0; q < 8; q++) (sum)[pl_row + q + pl_column] = pl_s[q];                   \
    }

// Entry (i, j) of a band, in either triangle.
PL_INLINE double pl_band_entry(PL_IN(double) val, int32_t n, int32_t rho, int64_t i, int64_t j)
{
    int64_t row = i > j ? i : j, column = i > j ? j : i;
    bool inside = column >= 0 && row < n && row - column <= rho;
    return inside ? val[row - column + column * ((int64_t)rho + 1)] : 0;
}

// --- Forming ---

// H := J^T D J with diagonal D: H^C of contacts and H^F of friction with inverse masses for D
// [Lit13, 4.18, 4.28]. J in compressed columns col (n + 1), rows ascending. An item per entry of
// H's band.
PL_KERNEL void band_form(int32_t n, int32_t rho, PL_IN(int64_t) col, PL_IN(int32_t) row,
                         PL_IN(double) val, PL_IN(double) d, PL_OUT(double) H)
{
    PL_EACH(e, n * ((int64_t)rho + 1))
    {
        int64_t j = e / (rho + 1), i = j + e % (rho + 1);
        double sum = 0;
        if (i < n) {
            int64_t p = col[i], q = col[j];
            while (p < col[i + 1] && q < col[j + 1]) {
                int32_t a = row[p], b = row[q];
                if (a == b) sum += val[p] * d[a] * val[q];
                p += a <= b;
                q += b <= a;
            }
        }
        H[e] = sum;
    }
}

// The matrix of friction in the axes of diamonds (lcp/diamond.h): blocks R B R of contacts with R =
// (1 1; 1 -1) / sqrt(2). `wide`: the half-bandwidth of what is made, (rho + 1) / 2 * 2 + 1 or more.
PL_KERNEL void band_turn(int32_t n, int32_t rho, PL_IN(double) H, int32_t wide, PL_OUT(double) out)
{
    PL_EACH(e, n * ((int64_t)wide + 1))
    {
        int64_t j = e / (wide + 1), i = j + e % (wide + 1), r = i / 2 * 2, c = j / 2 * 2;
        double a = pl_band_entry(H, n, rho, r, c), b = pl_band_entry(H, n, rho, r, c + 1);
        double p = pl_band_entry(H, n, rho, r + 1, c), q = pl_band_entry(H, n, rho, r + 1, c + 1);
        double sum = i % 2 == j % 2 ? a + q : a - q, other = i % 2 == j % 2 ? b + p : b - p;
        if (i % 2 == j % 2) {
            sum = i % 2 == 0 ? sum + other : sum - other;
        } else {
            sum = i % 2 == 1 ? sum + other : sum - other;
        }
        out[e] = i < n ? 0.5 * sum : 0;
    }
}

// G := H_FF of the rows row[0] < row[1] < ...: G^C, and in the axes of diamonds G^F [Lit13, 5.1,
// 5.2]. An item per entry of G's band.
PL_KERNEL void band_free(int32_t n, int32_t rho, PL_IN(double) H, int32_t n_free, int32_t narrow,
                         PL_IN(int32_t) row, PL_OUT(double) G)
{
    PL_EACH(e, n_free * ((int64_t)narrow + 1))
    {
        int64_t b = e / (narrow + 1), a = b + e % (narrow + 1);
        G[e] = a < n_free ? pl_band_entry(H, n, rho, row[a], row[b]) : 0;
    }
}

// --- Products ---

// C := B A with B banded, A and C (n * m) dense: an item per entry [Lit13, Listing 6.4]. k runs
// from max(0, i - rho) to min(n - 1, i + rho), both included.
PL_KERNEL void band_multiply(int32_t n, int32_t rho, PL_IN(double) B, int32_t m, PL_IN(double) A,
                             PL_OUT(double) C)
{
    PL_EACH(e, (int64_t)n * m)
    {
        int64_t i = e % n, j = e / n;
        int64_t first = i > rho ? i - rho : 0, last = i + rho < n ? i + rho : n - 1;
        double sum = 0;
        for (int64_t k = first; k <= last; k++)
            sum += pl_band_entry(B, n, rho, i, k) * A[k + j * n];
        C[e] = sum;
    }
}

// The same by tiles in local memory [Lit13, Listing 6.5], a group each: in order of rows, then of
// columns. Items beyond C stay and load zeros; only the store is guarded.
PL_KERNEL void band_multiply_tiled(int32_t n, int32_t rho, PL_IN(double) B, int32_t m,
                                   PL_IN(double) A, PL_OUT(double) C)
{
    PL_LOCAL double b[PL_SMALL_TILE * PL_SMALL_TILE], a[PL_SMALL_TILE * PL_SMALL_TILE];
    PL_LOCAL double sum[PL_SMALL_TILE * PL_SMALL_TILE];
    int64_t across = ((int64_t)n + PL_SMALL_TILE - 1) / PL_SMALL_TILE;
    int64_t row = PL_GROUP % across * PL_SMALL_TILE, column = PL_GROUP / across * PL_SMALL_TILE;
    int64_t first = row > rho ? row - rho : 0, last = row + PL_SMALL_TILE - 1 + rho;
    last = last < n ? last : n - 1;
    PL_PHASE
    {
        PL_EACH_LANE(l) sum[l] = 0;
    }
    PL_BARRIER;
    for (int64_t k0 = first; k0 <= last; k0 += PL_SMALL_TILE) {
        PL_PHASE
        {
            PL_EACH_LANE(l)
            {
                int64_t i = l % PL_SMALL_TILE, j = l / PL_SMALL_TILE, k = k0 + j;
                b[l] = row + i < n && k < n ? pl_band_entry(B, n, rho, row + i, k) : 0;
                a[l] = k0 + i < n && column + j < m ? A[k0 + i + (column + j) * n] : 0;
            }
        }
        PL_BARRIER;
        PL_PHASE
        {
            PL_EACH_LANE(l)
            {
                int32_t i = l % PL_SMALL_TILE, j = l / PL_SMALL_TILE;
                double s = sum[l];
                for (int32_t k = 0; k < PL_SMALL_TILE; k++) {
                    s += b[i + PL_SMALL_TILE * k] * a[k + PL_SMALL_TILE * j];
                }
                sum[l] = s;
            }
        }
        PL_BARRIER;
    }
    PL_PHASE
    {
        PL_EACH_LANE(l)
        {
            int64_t i = row + l % PL_SMALL_TILE, j = column + l / PL_SMALL_TILE;
            if (i < n && j < m) C[i + j * n] = sum[l];
        }
    }
}

// --- Factors, tile by tile ---

// The tile of columns first .. first + 31 on the diagonal becomes its Cholesky factor, by one
// group. fail[0], n at the start, becomes the first column whose pivot is not positive.
PL_KERNEL void band_potrf(int32_t n, int32_t rho, int32_t first, PL_OUT(double) val,
                          PL_OUT(int32_t) fail)
{
    PL_LOCAL double t[PL_TILE_ALL];
    int32_t size = n - first < PL_TILE ? n - first : PL_TILE;
    PL_PHASE
    {
        PL_EACH_ENTRY(e)
        {
            int32_t i = e % PL_TILE, j = e / PL_TILE;
            bool inside = i < size && j < size && i >= j;
            t[e] = inside ? pl_band_entry(val, n, rho, first + i, first + j) : i == j;
        }
    }
    PL_BARRIER;
    for (int32_t j = 0; j < size; j++) {
        PL_PHASE
        {
            double pivot = t[j + PL_TILE * j], root = sqrt(pivot);
            for (int32_t i = j + 1 + PL_ITEM; i < size; i += PL_SIZE) t[i + PL_TILE * j] /= root;
            if (PL_ITEM == 0 && !(pivot > 0) && fail[0] == n) fail[0] = first + j;
        }
        PL_BARRIER;
        PL_PHASE
        {
            if (PL_ITEM == 0) t[j + PL_TILE * j] = sqrt(t[j + PL_TILE * j]);
            for (int32_t k = j + 1 + PL_ITEM; k < size; k += PL_SIZE) {
                double factor = t[k + PL_TILE * j];
                for (int32_t i = k; i < size; i++) {
                    t[i + PL_TILE * k] -= t[i + PL_TILE * j] * factor;
                }
            }
        }
        PL_BARRIER;
    }
    PL_PHASE
    {
        PL_EACH_ENTRY(e)
        {
            int32_t i = e % PL_TILE, j = e / PL_TILE;
            bool inside = i < size && j < size && i >= j && i - j <= rho;
            if (inside) val[i - j + (first + j) * ((int64_t)rho + 1)] = t[e];
        }
    }
}

// The rows below that tile, an item each: X L^T = A.
PL_KERNEL void band_trsm(int32_t n_row, int32_t n, int32_t rho, int32_t first, PL_OUT(double) val)
{
    PL_EACH(r, n_row)
    {
        int64_t i = first + PL_TILE + r;
        double x[PL_TILE];
        for (int32_t j = 0; j < PL_TILE; j++) {
            int64_t column = first + j;
            double sum = pl_band_entry(val, n, rho, i, column);
            for (int32_t k = 0; k < j; k++) {
                sum -= x[k] * pl_band_entry(val, n, rho, column, first + k);
            }
            x[j] = sum / val[column * ((int64_t)rho + 1)];
            if (i - column <= rho) val[i - column + column * ((int64_t)rho + 1)] = x[j];
        }
    }
}

// What is right of that: H_IJ -= X_I X_J^T for pairs of tiles I >= J, a group each.
PL_KERNEL void band_syrk(int32_t n, int32_t rho, int32_t first, PL_OUT(double) val)
{
    PL_LOCAL double a[PL_TILE_ALL], b[PL_TILE_ALL], sum[PL_TILE_ALL];
    int64_t I = 0;
    while ((I + 1) * (I + 2) / 2 <= PL_GROUP) I++;
    int64_t J = PL_GROUP - I * (I + 1) / 2;
    int64_t row = first + PL_TILE * (I + 1), column = first + PL_TILE * (J + 1);
    PL_PHASE
    {
        PL_EACH_ENTRY(e)
        {
            int64_t i = e % PL_TILE, j = e / PL_TILE;
            a[e] = pl_band_entry(val, n, rho, row + i, first + j);
            b[e] = pl_band_entry(val, n, rho, column + j, first + i);
            sum[e] = 0;
        }
    }
    PL_BARRIER;
    PL_PHASE{PL_TILE_PRODUCT(a, b, sum)} PL_BARRIER;
    PL_PHASE
    {
        PL_EACH_ENTRY(e)
        {
            int64_t i = row + e % PL_TILE, j = column + e / PL_TILE;
            if (i < n && i >= j && i - j <= rho) {
                val[i - j + j * ((int64_t)rho + 1)] -= sum[e];
            }
        }
    }
}

// --- Blocks of s rows ---

// The diagonal blocks of L, dense, for their inverses: p of s rows each. Rows past the last are
// those of the identity.
PL_KERNEL void band_take_blocks(int32_t p, int32_t s, int32_t n, int32_t rho, PL_IN(double) val,
                                PL_OUT(double) blocks)
{
    PL_EACH(e, (int64_t)p * s * s)
    {
        int64_t block = e / ((int64_t)s * s), at = e - block * s * s;
        int64_t i = at % s, j = at / s, first = block * s;
        double value = i == j;
        if (i >= j && first + i < n) value = pl_band_entry(val, n, rho, first + i, first + j);
        blocks[e] = i >= j ? value : 0;
    }
}

// The lower triangles on the diagonal of dense blocks of s rows, a multiple of 32, become their
// inverses: a group for each tile.
PL_KERNEL void band_invert_tiles(int32_t s, PL_OUT(double) blocks)
{
    PL_LOCAL double t[PL_TILE_ALL];
    int64_t per = s / PL_TILE;
    int64_t at = PL_GROUP / per * s * s + PL_GROUP % per * PL_TILE * ((int64_t)s + 1);
    PL_PHASE
    {
        PL_EACH_ENTRY(e) t[e] = blocks[at + e % PL_TILE + e / PL_TILE * (int64_t)s];
    }
    PL_BARRIER;
    PL_PHASE
    {
        for (int32_t j = PL_ITEM; j < PL_TILE; j += PL_SIZE) {
            double x[PL_TILE];
            for (int32_t i = 0; i < PL_TILE; i++) {
                double sum = i == j;
                for (int32_t k = j; k < i; k++) sum -= t[i + PL_TILE * k] * x[k];
                x[i] = i >= j ? sum / t[i + PL_TILE * i] : 0;
                blocks[at + i + j * (int64_t)s] = x[i];
            }
        }
    }
}

// out := alpha op(A) B, plus C if `add` says so, for many small matrices, a group for each tile of
// out. A row of plan has twelve numbers: m, n, k; where A, B, C and out begin and how far their
// columns are apart; and how many of the m rows of op(A) are zeros above it. n = 0 stands for
// `columns`. A may be a lower or an upper triangle, of which the rest is not looked at, before it
// is transposed.
#define PL_BLOCK_PLAN 12
#define PL_BLOCK_LOWER 1
#define PL_BLOCK_UPPER 2
#define PL_BLOCK_TRANSPOSED 4

PL_KERNEL void block_multiply(int32_t down, int32_t across, int32_t row_of_plan, int32_t flags,
                              int32_t columns, double alpha, int32_t add, PL_IN(int64_t) plan,
                              PL_IN(double) A, PL_IN(double) B, PL_IN(double) C, PL_OUT(double) out)
{
    PL_LOCAL double a[PL_TILE_ALL], b[PL_TILE_ALL], sum[PL_TILE_ALL];
    int64_t of = PL_GROUP / ((int64_t)down * across), tile = PL_GROUP % ((int64_t)down * across);
    int64_t row = tile % down * PL_TILE, column = tile / down * PL_TILE;
    int64_t at = (row_of_plan + of) * PL_BLOCK_PLAN;
    int64_t m = plan[at], n = plan[at + 1] > 0 ? plan[at + 1] : columns, depth = plan[at + 2];
    int64_t shift = plan[at + 11], lda = plan[at + 4], ldb = plan[at + 6];
    // Tiles of A on the empty side of its triangle are left out.
    bool triangle = (flags & (PL_BLOCK_LOWER | PL_BLOCK_UPPER)) != 0, first_side = false;
    first_side = ((flags & PL_BLOCK_LOWER) != 0) == ((flags & PL_BLOCK_TRANSPOSED) == 0);
    int64_t start = 0, last = row + PL_TILE - shift;
    if (triangle && first_side && last < depth) depth = last;
    if (triangle && !first_side && row > shift) start = (row - shift) / PL_TILE * PL_TILE;
    PL_PHASE
    {
        PL_EACH_ENTRY(e) sum[e] = 0;
    }
    PL_BARRIER;
    for (int64_t k0 = start; k0 < depth; k0 += PL_TILE) {
        PL_PHASE
        {
            PL_EACH_ENTRY(e)
            {
                int64_t i = row + e % PL_TILE - shift, k = k0 + e / PL_TILE;
                int64_t r = (flags & PL_BLOCK_TRANSPOSED) != 0 ? k : i;
                int64_t c = (flags & PL_BLOCK_TRANSPOSED) != 0 ? i : k;
                bool inside = i >= 0 && i + shift < m && k < depth;
                if ((flags & PL_BLOCK_LOWER) != 0) inside = inside && r >= c;
                if ((flags & PL_BLOCK_UPPER) != 0) inside = inside && r <= c;
                a[e] = inside ? A[plan[at + 3] + r + c * lda] : 0;
                int64_t from = k0 + e % PL_TILE, j = column + e / PL_TILE;
                b[e] = from < depth && j < n ? B[plan[at + 5] + from + j * ldb] : 0;
            }
        }
        PL_BARRIER;
        PL_PHASE{PL_TILE_PRODUCT(a, b, sum)} PL_BARRIER;
    }
    PL_PHASE
    {
        PL_EACH_ENTRY(e)
        {
            int64_t i = row + e % PL_TILE, j = column + e / PL_TILE;
            if (i < m && j < n) {
                double value = alpha * sum[e];
                if (add != 0) value += C[plan[at + 7] + i + j * plan[at + 8]];
                out[plan[at + 9] + i + j * plan[at + 10]] = value;
            }
        }
    }
}

#endif
