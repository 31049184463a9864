// Text: "n m", the n + m rows of M one after the other, q, a count of solutions, and each of them.
// The first n rows are equations, the other m have x >= 0. A folder of Matrix Market files holds
// any bounds, in lo.mtx and hi.mtx, and those that follow a row, in normal.mtx (from 0, -1 for
// none) and mu.mtx.

#include "lcp_file.h"
#include "../base/scan.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void pl_lcp_owned_free(pl_lcp_owned *owned)
{
    pl_columns_free(&owned->M);
    pl_free(owned->q);
    pl_free(owned->lo);
    pl_free(owned->hi);
    pl_free(owned->normal);
    pl_free(owned->mu);
    pl_free(owned->solution);
    pl_free(owned->start);
    *owned = (pl_lcp_owned){0};
}

// To the bit: where an entry stands and its mirror does not, or is another, it is not.
static bool is_symmetric(const pl_columns *M)
{
    for (int32_t j = 0; j < M->n_col; j++) {
        for (int64_t k = M->col[j]; k < M->col[j + 1]; k++) {
            int64_t low = M->col[M->row[k]], high = M->col[M->row[k] + 1], end = high;
            while (low < high) {
                int64_t middle = low + (high - low) / 2;
                if (M->row[middle] < j) {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            if (low == end || M->row[low] != j || M->val[low] != M->val[k]) return false;
        }
    }
    return true;
}

pl_status pl_lcp_owned_finish(pl_lcp_owned *owned)
{
    owned->lcp = (pl_lcp){.n = owned->M.n_col,
                          .col = owned->M.col,
                          .row = owned->M.row,
                          .val = owned->M.val,
                          .q = owned->q,
                          .lo = owned->lo,
                          .hi = owned->hi,
                          .normal = owned->normal,
                          .mu = owned->mu};
    PL_TRY(pl_lcp_check(&owned->lcp));
    owned->lcp.symmetric = is_symmetric(&owned->M);
    return PL_OK;
}

// --- Reading text ---

static pl_status get_numbers(pl_scan *scan, int64_t n, const char *what, double *to)
{
    for (int64_t i = 0; i < n; i++) {
        pl_scan_space(scan);
        if (!pl_scan_double(scan, to + i) || !pl_scan_separated(scan)) {
            return pl_scan_fail(scan, "%s: number %lld of %lld expected", what, (long long)i + 1,
                                (long long)n);
        }
    }
    return PL_OK;
}

static pl_status get_count(pl_scan *scan, const char *what, int64_t *out)
{
    pl_scan_space(scan);
    if (!pl_scan_int64(scan, out) || !pl_scan_separated(scan) || *out < 0) {
        return pl_scan_fail(scan, "the number of %s expected", what);
    }
    return PL_OK;
}

// `dense` (n*n) holds M row by row.
static pl_status compress(int32_t n, const double *dense, pl_columns *out)
{
    int64_t nnz = 0, at = 0, nn = (int64_t)n * n;
    for (int64_t k = 0; k < nn; k++) nnz += dense[k] != 0;
    PL_TRY(pl_columns_create(n, n, nnz, out));
    for (int32_t j = 0; j < n; j++) {
        for (int32_t i = 0; i < n; i++) {
            double value = dense[(int64_t)i * n + j];
            if (value == 0) continue;
            out->row[at] = i;
            out->val[at++] = value;
        }
        out->col[j + 1] = at;
    }
    return PL_OK;
}

static pl_status get_matrix(pl_scan *scan, int32_t n, pl_columns *out)
{
    double *dense = pl_alloc((int64_t)n * n, sizeof *dense);
    if (dense == NULL) return PL_ERROR_MEMORY;
    pl_status status = get_numbers(scan, (int64_t)n * n, "M", dense);
    if (status == PL_OK) status = compress(n, dense, out);
    pl_free(dense);
    return status;
}

static pl_status take_bounds(int64_t n, int64_t n_free, pl_lcp_owned *out)
{
    out->lo = pl_alloc(n, sizeof *out->lo);
    out->hi = pl_alloc(n, sizeof *out->hi);
    if (out->lo == NULL || out->hi == NULL) return PL_ERROR_MEMORY;
    for (int64_t i = 0; i < n; i++) {
        out->lo[i] = i < n_free ? -INFINITY : 0;
        out->hi[i] = INFINITY;
    }
    return PL_OK;
}

static pl_status get_solutions(pl_scan *scan, int64_t n, pl_lcp_owned *out)
{
    int64_t count;
    pl_scan_space(scan);
    if (pl_scan_at_end(scan)) return PL_OK;
    PL_TRY(get_count(scan, "solutions", &count));
    if (count > (int64_t)pl_scan_left(scan) || (n > 0 && count * n > (int64_t)pl_scan_left(scan))) {
        return pl_scan_fail(scan, "%lld solutions, more than the file can hold", (long long)count);
    }
    out->solution = pl_alloc(count * n, sizeof *out->solution);
    if (out->solution == NULL) return PL_ERROR_MEMORY;
    out->n_solution = (int32_t)count;
    return get_numbers(scan, count * n, "solutions", out->solution);
}

static pl_status get_all(pl_scan *scan, pl_lcp_owned *out)
{
    int64_t n_free, n;
    PL_TRY(get_count(scan, "equations", &n_free));
    PL_TRY(get_count(scan, "complementary rows", &n));
    double room = (double)pl_scan_left(scan) / 2 + 1; // a digit and a blank for each number
    double size = (double)n_free + (double)n;
    if (size > INT32_MAX / 2 || size * size > room) {
        return pl_scan_fail(scan, "M with %lld + %lld rows, more than the file can hold",
                            (long long)n_free, (long long)n);
    }
    n += n_free;
    PL_TRY(get_matrix(scan, (int32_t)n, &out->M));
    out->q = pl_alloc(n, sizeof *out->q);
    if (out->q == NULL) return PL_ERROR_MEMORY;
    PL_TRY(get_numbers(scan, n, "q", out->q));
    PL_TRY(take_bounds(n, n_free, out));
    PL_TRY(get_solutions(scan, n, out));
    pl_scan_space(scan);
    return pl_scan_at_end(scan) ? PL_OK : pl_scan_fail(scan, "it goes on after its end");
}

// What the file asks for is the file's fault.
static pl_status finish_file(const char *name, pl_lcp_owned *out)
{
    pl_status status = pl_lcp_owned_finish(out);
    if (status != PL_ERROR_ARGUMENT) return status;
    char sentence[512];
    snprintf(sentence, sizeof sentence, "%s", pl_error_text());
    return pl_fail(PL_ERROR_FORMAT, "%s: %s", name, sentence);
}

pl_status pl_lcp_parse(const pl_bytes *bytes, const char *name, pl_lcp_owned *out)
{
    *out = (pl_lcp_owned){.condition = NAN};
    pl_scan scan = pl_scan_start(bytes, name);
    pl_status status = get_all(&scan, out);
    if (status == PL_OK) status = finish_file(name, out);
    if (status != PL_OK) pl_lcp_owned_free(out);
    return status;
}

// --- A folder ---

static void path_in(char *path, size_t size, const char *folder, const char *name)
{
    size_t length = strlen(folder);
    snprintf(path, size, "%s%s%s", folder, length > 0 && folder[length - 1] == '/' ? "" : "/",
             name);
}

// A vector of n numbers; NULL where there is no such file, and `needed` is false.
static pl_status read_vector(const char *folder, const char *name, bool needed, int64_t n,
                             bool infinite, double **out)
{
    char path[4096];
    int64_t count;
    *out = NULL;
    path_in(path, sizeof path, folder, name);
    if (!needed && access(path, F_OK) != 0) return PL_OK;
    PL_TRY(pl_vector_market_read(path, infinite, &count, out));
    if (n < 0 || count == n) return PL_OK;
    return pl_fail(PL_ERROR_FORMAT, "%s: %lld numbers, and M has %lld rows", path, (long long)count,
                   (long long)n);
}

static pl_status read_matrix(const char *folder, int64_t n, pl_columns *out)
{
    char path[4096];
    path_in(path, sizeof path, folder, "M.mtx");
    PL_TRY(pl_matrix_market_read(path, n, out));
    if (out->n_row == n && out->n_col == n) return PL_OK;
    return pl_fail(PL_ERROR_FORMAT, "%s: %d rows and %d columns, and q has %lld", path,
                   (int)out->n_row, (int)out->n_col, (long long)n);
}

static pl_status read_normal(const char *folder, int64_t n, pl_lcp_owned *out)
{
    double *numbers;
    PL_TRY(read_vector(folder, "normal.mtx", false, n, false, &numbers));
    if (numbers == NULL) return PL_OK;
    out->normal = pl_alloc(n, sizeof *out->normal);
    bool fits = out->normal != NULL;
    int64_t wrong = -1;
    for (int64_t i = 0; i < n && fits; i++) {
        fits = numbers[i] >= -1 && numbers[i] < (double)n && numbers[i] == floor(numbers[i]);
        if (fits) out->normal[i] = (int32_t)numbers[i];
        if (!fits) wrong = i;
    }
    pl_free(numbers);
    if (out->normal == NULL) return PL_ERROR_MEMORY;
    return fits ? PL_OK
                : pl_fail(PL_ERROR_FORMAT, "%s: normal.mtx: number %lld is no row", folder,
                          (long long)wrong);
}

static pl_status read_folder(const char *folder, pl_lcp_owned *out)
{
    char path[4096];
    int64_t n;
    path_in(path, sizeof path, folder, "q.mtx");
    PL_TRY(pl_vector_market_read(path, false, &n, &out->q));
    PL_TRY(read_matrix(folder, n, &out->M));
    PL_TRY(take_bounds(n, 0, out));
    double *lo, *hi;
    PL_TRY(read_vector(folder, "lo.mtx", false, n, true, &lo));
    if (lo != NULL) memcpy(out->lo, lo, (size_t)n * sizeof *lo);
    pl_free(lo);
    PL_TRY(read_vector(folder, "hi.mtx", false, n, true, &hi));
    if (hi != NULL) memcpy(out->hi, hi, (size_t)n * sizeof *hi);
    pl_free(hi);
    PL_TRY(read_normal(folder, n, out));
    PL_TRY(read_vector(folder, "mu.mtx", false, n, false, &out->mu));
    PL_TRY(read_vector(folder, "x.mtx", false, n, false, &out->solution));
    out->n_solution = out->solution != NULL;
    return finish_file(folder, out);
}

pl_status pl_lcp_read(const char *path, pl_lcp_owned *out)
{
    struct stat about;
    *out = (pl_lcp_owned){.condition = NAN};
    if (stat(path, &about) == 0 && S_ISDIR(about.st_mode)) {
        pl_status status = read_folder(path, out);
        if (status != PL_OK) pl_lcp_owned_free(out);
        return status;
    }
    pl_bytes bytes;
    PL_TRY(pl_bytes_load(path, &bytes));
    pl_status status = pl_lcp_parse(&bytes, path, out);
    pl_bytes_free(&bytes);
    return status;
}

// --- Writing ---

// The rows that are equations, if they come first and all others are plain; else -1.
static int32_t count_free(const pl_lcp *lcp)
{
    int32_t n = 0;
    while (n < lcp->n && lcp->lo[n] == -INFINITY && lcp->hi[n] == INFINITY) n++;
    for (int32_t i = n; i < lcp->n; i++) {
        if (lcp->lo[i] != 0 || lcp->hi[i] != INFINITY) return -1;
    }
    return lcp->mu == NULL ? n : -1;
}

static void put_row(pl_output *out, int32_t n, const double *x)
{
    for (int32_t i = 0; i < n; i++) {
        if (i > 0) pl_output_write(out, " ", 1);
        pl_output_double(out, x[i]);
    }
    pl_output_write(out, "\n", 1);
}

static pl_status write_text(const pl_lcp_owned *owned, const char *path)
{
    const pl_lcp *lcp = &owned->lcp;
    int32_t n = lcp->n, n_free = count_free(lcp);
    if (n_free < 0) {
        return pl_fail(PL_ERROR_ARGUMENT,
                       "%s: this text holds equations first and rows of 0 .. infinity after them; "
                       "write a folder",
                       path);
    }
    double *row = pl_alloc_zero(n, sizeof *row);
    int64_t *at = pl_alloc(n, sizeof *at); // where each column goes on
    pl_output out;
    pl_status status = row != NULL && at != NULL ? pl_output_open(path, &out) : PL_ERROR_MEMORY;
    if (status == PL_OK) {
        pl_output_printf(&out, "%d %d\n", (int)n_free, (int)(n - n_free));
        for (int32_t j = 0; j < n; j++) at[j] = lcp->col[j];
        for (int32_t i = 0; i < n; i++) {
            for (int32_t j = 0; j < n; j++) {
                bool there = at[j] < lcp->col[j + 1] && lcp->row[at[j]] == i;
                row[j] = there ? lcp->val[at[j]++] : 0;
            }
            put_row(&out, n, row);
        }
        put_row(&out, n, lcp->q);
        pl_output_printf(&out, "%d\n", (int)owned->n_solution);
        for (int32_t s = 0; s < owned->n_solution; s++) {
            put_row(&out, n, owned->solution + (int64_t)s * n);
        }
        status = pl_output_close(&out);
    }
    pl_free(row);
    pl_free(at);
    return status;
}

static pl_status write_vector(const char *folder, const char *name, int64_t n, const double *x)
{
    char path[4096];
    path_in(path, sizeof path, folder, name);
    return pl_vector_market_write(n, x, path);
}

static pl_status write_normal(const char *folder, int64_t n, const int32_t *normal)
{
    double *numbers = pl_alloc(n, sizeof *numbers);
    if (numbers == NULL) return PL_ERROR_MEMORY;
    for (int64_t i = 0; i < n; i++) numbers[i] = normal[i] >= 0 ? normal[i] : -1;
    pl_status status = write_vector(folder, "normal.mtx", n, numbers);
    pl_free(numbers);
    return status;
}

static pl_status write_folder(const pl_lcp_owned *owned, const char *folder)
{
    char path[4096];
    const pl_lcp *lcp = &owned->lcp;
    path_in(path, sizeof path, folder, "M.mtx");
    PL_TRY(pl_matrix_market_write(&owned->M, lcp->symmetric, path));
    PL_TRY(write_vector(folder, "q.mtx", lcp->n, lcp->q));
    PL_TRY(write_vector(folder, "lo.mtx", lcp->n, lcp->lo));
    PL_TRY(write_vector(folder, "hi.mtx", lcp->n, lcp->hi));
    if (owned->normal != NULL) PL_TRY(write_normal(folder, lcp->n, owned->normal));
    if (owned->mu != NULL) PL_TRY(write_vector(folder, "mu.mtx", lcp->n, owned->mu));
    if (owned->n_solution == 0) return PL_OK;
    return write_vector(folder, "x.mtx", lcp->n, owned->solution);
}

pl_status pl_lcp_write(const pl_lcp_owned *owned, const char *path)
{
    size_t length = strlen(path);
    bool folder = length > 0 && path[length - 1] == '/';
    return folder ? write_folder(owned, path) : write_text(owned, path);
}
