#include "problem_export.h"

#include "../../base/file.h"
#include "../common/paths.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// A block-sparse matrix, as pl_problem_matrix and pl_problem_rows give it.
typedef struct matrix {
    int64_t n_row, n_col, n_block; // block rows, block columns, stored blocks
    int64_t *row;
    int32_t *col;
    double *val;
} matrix;

static pl_status matrix_create(int64_t n_row, int64_t n_col, int64_t n_block, matrix *out)
{
    *out = (matrix){n_row,
                    n_col,
                    n_block,
                    pl_alloc(n_row + 1, sizeof *out->row),
                    pl_alloc(n_block, sizeof *out->col),
                    pl_alloc(9 * n_block, sizeof *out->val)};
    bool all = out->row != NULL && out->col != NULL && out->val != NULL;
    return all ? PL_OK : PL_ERROR_MEMORY;
}

static void matrix_free(matrix *m)
{
    pl_free(m->row);
    pl_free(m->col);
    pl_free(m->val);
}

// Writes or, with out NULL, only counts the numbers that are not 0, of a symmetric matrix those of
// the lower triangle.
static int64_t put_entries(const matrix *m, bool symmetric, pl_output *out)
{
    int64_t n = 0;
    for (int64_t i = 0; i < 3 * m->n_row; i++) {
        for (int64_t k = m->row[i / 3]; k < m->row[i / 3 + 1]; k++) {
            for (int c = 0; c < 3; c++) {
                int64_t j = 3 * (int64_t)m->col[k] + c;
                double value = m->val[9 * k + 3 * (i % 3) + c];
                if (value == 0 || (symmetric && j > i)) continue;
                n++;
                if (out == NULL) continue;
                pl_output_int(out, i + 1);
                pl_output_write(out, " ", 1);
                pl_output_int(out, j + 1);
                pl_output_write(out, " ", 1);
                pl_output_double(out, value);
                pl_output_write(out, "\n", 1);
            }
        }
    }
    return n;
}

static pl_status open_in(const char *folder, const char *name, pl_output *out)
{
    char *path;
    PL_TRY(pl_path_in(&path, folder, "%s", name));
    pl_status status = pl_output_open(path, out);
    pl_free(path);
    return status;
}

static pl_status write_matrix(const matrix *m, bool symmetric, const char *folder, const char *name)
{
    pl_output out;
    PL_TRY(open_in(folder, name, &out));
    pl_output_printf(&out, "%%%%MatrixMarket matrix coordinate real %s\n%lld %lld %lld\n",
                     symmetric ? "symmetric" : "general", 3 * (long long)m->n_row,
                     3 * (long long)m->n_col, (long long)put_entries(m, symmetric, NULL));
    put_entries(m, symmetric, &out);
    return pl_output_close(&out);
}

static pl_status write_vector(int64_t n, const double *x, const char *folder, const char *name)
{
    pl_output out;
    PL_TRY(open_in(folder, name, &out));
    pl_output_printf(&out, "%%%%MatrixMarket matrix array real general\n%lld 1\n", (long long)n);
    for (int64_t i = 0; i < n; i++) {
        pl_output_double(&out, x[i]);
        pl_output_write(&out, "\n", 1);
    }
    return pl_output_close(&out);
}

static pl_status write_A(const pl_problem *problem, const char *folder)
{
    const pl_problem_size size = pl_problem_sizes(problem);
    matrix m;
    pl_status status = matrix_create(size.blocks, size.blocks, size.matrix_blocks, &m);
    if (status == PL_OK) status = pl_problem_matrix(problem, m.row, m.col, m.val);
    if (status == PL_OK) status = write_matrix(&m, true, folder, "A.mtx");
    matrix_free(&m);
    return status;
}

static pl_status write_L(const pl_problem *problem, const char *folder)
{
    const pl_problem_size size = pl_problem_sizes(problem);
    matrix m;
    pl_status status = matrix_create(size.constraints, size.blocks, size.row_blocks, &m);
    if (status == PL_OK) status = pl_problem_rows(problem, m.row, m.col, m.val);
    if (status == PL_OK) status = write_matrix(&m, false, folder, "L.mtx");
    matrix_free(&m);
    return status;
}

static pl_status write_c(const pl_problem *problem, const char *folder)
{
    int32_t n = pl_problem_sizes(problem).constraints;
    double *c = pl_alloc(3 * (int64_t)n, sizeof *c);
    pl_status status = c != NULL ? PL_OK : PL_ERROR_MEMORY;
    for (int32_t k = 0; k < n && status == PL_OK; k++) {
        pl_constraint_info info;
        status = pl_problem_constraint(problem, k, &info);
        memcpy(c + 3 * (int64_t)k, info.c, sizeof info.c);
    }
    if (status == PL_OK) status = write_vector(3 * (int64_t)n, c, folder, "c.mtx");
    pl_free(c);
    return status;
}

// --- The rest, as JSON ---

// JSON has no infinite numbers: null.
static void put_numbers(pl_output *out, const char *key, int n, const double *x)
{
    pl_output_printf(out, ", \"%s\": [", key);
    for (int i = 0; i < n; i++) {
        if (i > 0) pl_output_write(out, ", ", 2);
        if (isfinite(x[i])) {
            pl_output_double(out, x[i]);
        } else {
            pl_output_write(out, "null", 4);
        }
    }
    pl_output_write(out, "]", 1);
}

static void put_constraint(pl_output *out, const pl_constraint_info *info)
{
    bool box = info->law == PL_LAW_BOX, pyramid = info->law == PL_LAW_PYRAMID;
    pl_output_printf(out, "    {\"law\": \"%s\"", box ? "box" : pyramid ? "pyramid" : "cone");
    if (pyramid) {
        pl_output_printf(out, ", \"directions\": %d, \"outer\": %s", (int)info->directions,
                         info->outer ? "true" : "false");
    }
    if (!box) {
        pl_output_printf(out, ", \"mu\": ");
        pl_output_double(out, info->mu);
    }
    put_numbers(out, "axes", 9, info->axes);
    put_numbers(out, "compliance", 3, info->compliance);
    if (box) put_numbers(out, "lo", 3, info->lo);
    if (box) put_numbers(out, "hi", 3, info->hi);
    pl_output_write(out, "}", 1);
}

static void put_prescribed(pl_output *out, const pl_problem *problem)
{
    const uint8_t *prescribed = pl_problem_prescribed(problem);
    int32_t n = pl_problem_sizes(problem).blocks;
    const char *between = "";
    pl_output_printf(out, "  \"prescribed\": [");
    for (int32_t i = 0; i < n && prescribed != NULL; i++) {
        if (prescribed[i] == 0) continue;
        pl_output_printf(out, "%s%d", between, (int)i);
        between = ", ";
    }
    pl_output_printf(out, "],\n");
}

static const char COMMENT[] =
    "A v = b + L^T f but for the prescribed blocks (of three numbers, from 0) of v; "
    "w = L v - c + E f, with the compliance E on its diagonal, obeys with f the law of each "
    "constraint. cone: w_n >= 0, f_n >= 0, w_n f_n = 0, and Coulomb friction with mu; box: lo <= f "
    "<= hi, w = 0 between the bounds, w >= 0 at lo, w <= 0 at hi; a bound of null is infinite.";

static pl_status write_rest(const pl_problem *problem, const char *folder)
{
    const pl_problem_size size = pl_problem_sizes(problem);
    pl_output out;
    PL_TRY(open_in(folder, "problem.json", &out));
    pl_output_printf(&out, "{\n  \"comment\": \"%s\",\n  \"dt\": ", COMMENT);
    pl_output_double(&out, size.dt);
    pl_output_printf(&out, ",\n  \"blocks\": %d,\n", (int)size.blocks);
    put_prescribed(&out, problem);
    pl_output_printf(&out, "  \"constraints\": [\n");
    for (int32_t k = 0; k < size.constraints; k++) {
        pl_constraint_info info;
        if (pl_problem_constraint(problem, k, &info) != PL_OK) break; // none: k is in range
        put_constraint(&out, &info);
        pl_output_printf(&out, k + 1 < size.constraints ? ",\n" : "\n");
    }
    pl_output_printf(&out, "  ]\n}\n");
    return pl_output_close(&out);
}

// --- All of it ---

static pl_status write_all(const pl_problem *problem, const double *v, const double *f,
                           const char *folder)
{
    const pl_problem_size size = pl_problem_sizes(problem);
    PL_TRY(pl_make_folder(folder));
    PL_TRY(write_A(problem, folder));
    PL_TRY(write_L(problem, folder));
    PL_TRY(write_c(problem, folder));
    PL_TRY(write_vector(3 * (int64_t)size.blocks, pl_problem_rhs(problem), folder, "b.mtx"));
    PL_TRY(write_vector(3 * (int64_t)size.blocks, v, folder, "v.mtx"));
    PL_TRY(write_vector(3 * (int64_t)size.constraints, f, folder, "f.mtx"));
    return write_rest(problem, folder);
}

pl_status pl_problem_export(const pl_problem *problem, const double *v, const double *f,
                            const char *path, const char *folder)
{
    const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    int length = (int)(dot != NULL ? dot - name : (ptrdiff_t)strlen(name));
    char *to;
    PL_TRY(pl_path_in(&to, folder, "%.*s", length, name));
    pl_status status = write_all(problem, v, f, to);
    pl_free(to);
    return status;
}
