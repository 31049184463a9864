#include "contact_mtx.h"

#include "../../base/matrix_market.h"
#include "../common/paths.h"
#include "../scene/json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// What a folder holds.
typedef struct parts {
    const char *folder;
    pl_columns A, L_T; // L is read, and turned: column k of L_T is row k of L
    double *b, *c, *v, *f;
    int64_t n, m; // numbers of b and c
    uint8_t *prescribed;
    double dt;
} parts;

static void parts_free(parts *p)
{
    pl_columns_free(&p->A);
    pl_columns_free(&p->L_T);
    pl_free(p->b);
    pl_free(p->c);
    pl_free(p->v);
    pl_free(p->f);
    pl_free(p->prescribed);
}

static pl_status wrong_size(const parts *p, const char *name, int64_t has, int64_t needs)
{
    return pl_fail(PL_ERROR_FORMAT, "%s: %s has %lld rows, and %lld are needed", p->folder, name,
                   (long long)has, (long long)needs);
}

// A vector of n numbers, any if that is -1; NULL if it is missing, and `needed` is false.
static pl_status read_vector(const parts *p, const char *name, bool needed, int64_t n,
                             int64_t *count, double **out)
{
    char *path;
    *out = NULL;
    PL_TRY(pl_path_in(&path, p->folder, "%s", name));
    pl_status status = PL_OK;
    if (needed || pl_is_file(path)) {
        status = pl_vector_market_read(path, false, count, out);
        if (status == PL_OK && n >= 0 && *count != n) status = wrong_size(p, name, *count, n);
    }
    pl_free(path);
    return status;
}

static pl_status read_matrix(const parts *p, const char *name, int64_t n_row, int64_t n_col,
                             pl_columns *out)
{
    char *path;
    PL_TRY(pl_path_in(&path, p->folder, "%s", name));
    pl_status status = pl_matrix_market_read(path, PL_MAX(n_row, n_col), out);
    pl_free(path);
    PL_TRY(status);
    if (out->n_row != n_row) return wrong_size(p, name, out->n_row, n_row);
    if (out->n_col == n_col) return PL_OK;
    return pl_fail(PL_ERROR_FORMAT, "%s: %s has %d columns, and %lld are needed", p->folder, name,
                   (int)out->n_col, (long long)n_col);
}

static pl_status turn(const pl_columns *from, pl_columns *out)
{
    int64_t nnz = from->col[from->n_col];
    int32_t *col = pl_alloc(nnz, sizeof *col);
    if (col == NULL) return PL_ERROR_MEMORY;
    for (int32_t j = 0; j < from->n_col; j++) {
        for (int64_t k = from->col[j]; k < from->col[j + 1]; k++) col[k] = j;
    }
    pl_status status =
        pl_columns_from(from->n_col, from->n_row, nnz, col, from->row, from->val, out);
    pl_free(col);
    return status;
}

static pl_status read_parts(parts *p)
{
    pl_columns L = {0};
    int64_t count;
    PL_TRY(read_vector(p, "b.mtx", true, -1, &p->n, &p->b));
    PL_TRY(read_vector(p, "c.mtx", true, -1, &p->m, &p->c));
    if (p->n % 3 != 0) return wrong_size(p, "b.mtx", p->n, 3 * (p->n / 3));
    if (p->m % 3 != 0) return wrong_size(p, "c.mtx", p->m, 3 * (p->m / 3));
    PL_TRY(read_matrix(p, "A.mtx", p->n, p->n, &p->A));
    pl_status status = read_matrix(p, "L.mtx", p->m, p->n, &L);
    if (status == PL_OK) status = turn(&L, &p->L_T);
    pl_columns_free(&L);
    PL_TRY(status);
    PL_TRY(read_vector(p, "v.mtx", false, p->n, &count, &p->v));
    return read_vector(p, "f.mtx", false, p->m, &count, &p->f);
}

// --- Blocks ---

// The blocks of the columns 3 j .. 3 j + 2 of C, ascending: block (n) and the three columns in
// each, column by column (9*n). Returns how many; both arrays hold those of all columns.
static int32_t gather(const pl_columns *C, int32_t j, int32_t *block, double *val)
{
    int64_t at[3], end[3];
    int32_t n = 0;
    for (int a = 0; a < 3; a++) at[a] = C->col[3 * j + a], end[a] = C->col[3 * j + a + 1];
    for (;;) {
        int32_t next = INT32_MAX;
        for (int a = 0; a < 3; a++) {
            if (at[a] < end[a]) next = PL_MIN(next, C->row[at[a]] / 3);
        }
        if (next == INT32_MAX) return n;
        double *B = val + 9 * (int64_t)n;
        memset(B, 0, 9 * sizeof *B);
        for (int a = 0; a < 3; a++) {
            for (; at[a] < end[a] && C->row[at[a]] / 3 == next; at[a]++) {
                B[3 * a + C->row[at[a]] % 3] += C->val[at[a]];
            }
        }
        block[n++] = next;
    }
}

// A, whose blocks are the same by columns as by rows: it is symmetric, which is looked at later.
static pl_status make_problem(const parts *p, pl_problem **out)
{
    int32_t n = (int32_t)(p->n / 3);
    int64_t nnz = p->A.col[p->A.n_col];
    int64_t *row = pl_alloc_zero((int64_t)n + 1, sizeof *row);
    int32_t *col = pl_alloc(nnz + n, sizeof *col);
    double *val = pl_alloc(9 * (nnz + n), sizeof *val);
    bool all = row != NULL && col != NULL && val != NULL;
    for (int32_t i = 0; i < n && all; i++) {
        row[i + 1] = row[i] + gather(&p->A, i, col + row[i], val + 9 * row[i]);
    }
    pl_status status = PL_ERROR_MEMORY;
    if (all) status = pl_problem_create(n, row, col, val, p->b, p->prescribed, p->dt, out);
    pl_free(row);
    pl_free(col);
    pl_free(val);
    if (status == PL_ERROR_ARGUMENT) {
        pl_fail_prefix("A.mtx");
        return PL_ERROR_FORMAT;
    }
    return status;
}

// --- problem.json ---

// Three numbers or nine; null is `other`.
static pl_status get_numbers(const pl_json *at, const char *key, int n, double other, double *to)
{
    pl_json array;
    int count;
    PL_TRY(pl_json_require(at, key, &array));
    PL_TRY(pl_json_array(&array, &count));
    if (count != n) return pl_json_fail(&array, "%d numbers expected", n);
    for (int i = 0; i < n; i++) {
        pl_json item = pl_json_item(&array, i);
        if (!cJSON_IsNumber(item.node) && !(cJSON_IsNull(item.node) && isinf(other))) {
            return pl_json_fail(&item, "a number expected");
        }
        to[i] = cJSON_IsNumber(item.node) ? item.node->valuedouble : other;
    }
    return PL_OK;
}

static pl_status get_constraint(const pl_json *at, pl_constraint_info *info)
{
    static const char *const names[] = {"cone", "box", "pyramid"};
    static const pl_law laws[] = {PL_LAW_CONE, PL_LAW_BOX, PL_LAW_PYRAMID};
    int law = 0;
    PL_TRY(pl_json_choice(at, "law", names, 3, &law));
    info->law = laws[law];
    PL_TRY(get_numbers(at, "axes", 9, 0, info->axes));
    PL_TRY(get_numbers(at, "compliance", 3, 0, info->compliance));
    PL_TRY(pl_json_count(at, "directions", &info->directions));
    PL_TRY(pl_json_bool(at, "outer", &info->outer));
    if (info->law != PL_LAW_BOX) return pl_json_number(at, "mu", &info->mu);
    PL_TRY(get_numbers(at, "lo", 3, -INFINITY, info->lo));
    return get_numbers(at, "hi", 3, INFINITY, info->hi);
}

static pl_status add_constraints(const parts *p, const pl_json *root, pl_problem *problem)
{
    pl_json array;
    int count;
    int64_t nnz = p->L_T.col[p->L_T.n_col];
    PL_TRY(pl_json_require(root, "constraints", &array));
    PL_TRY(pl_json_array(&array, &count));
    if (3 * (int64_t)count != p->m) {
        return pl_json_fail(&array, "%lld constraints expected, as c.mtx has", (long long)p->m / 3);
    }
    int32_t *block = pl_alloc(nnz, sizeof *block);
    double *rows = pl_alloc(9 * nnz, sizeof *rows);
    pl_status status = block != NULL && rows != NULL ? PL_OK : PL_ERROR_MEMORY;
    pl_json item = {0};
    for (int32_t k = 0; status == PL_OK && pl_json_next(&array, &item); k++) {
        pl_constraint_info info = {0};
        status = get_constraint(&item, &info);
        memcpy(info.c, p->c + 3 * (int64_t)k, sizeof info.c);
        if (status != PL_OK) break;
        int32_t n = gather(&p->L_T, k, block, rows);
        status = pl_problem_add_blocks(problem, &info, n, block, rows);
        if (status == PL_ERROR_ARGUMENT) {
            char why[512];
            snprintf(why, sizeof why, "%s", pl_error_text());
            status = pl_json_fail(&item, "%s", why);
        }
    }
    pl_free(block);
    pl_free(rows);
    return status;
}

static pl_status get_prescribed(const pl_json *root, parts *p)
{
    pl_json array, item = {0};
    p->prescribed = pl_alloc_zero(p->n / 3, 1);
    if (p->prescribed == NULL) return PL_ERROR_MEMORY;
    if (!pl_json_get(root, "prescribed", &array)) return PL_OK;
    bool any = false;
    while (pl_json_next(&array, &item)) {
        int32_t i;
        PL_TRY(pl_json_whole(&item, &i));
        if (i >= p->n / 3) {
            return pl_json_fail(&item, "block %d of %lld", (int)i, (long long)p->n / 3);
        }
        p->prescribed[i] = 1;
        any = true;
    }
    if (any) return PL_OK;
    pl_free(p->prescribed);
    p->prescribed = NULL;
    return PL_OK;
}

static pl_status build(parts *p, const pl_json *root, pl_problem **out)
{
    static const char *const keys[] = {"comment", "dt", "blocks", "prescribed", "constraints"};
    PL_TRY(pl_json_object(root, keys, sizeof keys / sizeof *keys));
    PL_TRY(pl_json_positive(root, "dt", &p->dt));
    PL_TRY(get_prescribed(root, p));
    PL_TRY(make_problem(p, out));
    PL_TRY(add_constraints(p, root, *out));
    if (p->v == NULL || p->f == NULL) return PL_OK;
    return pl_problem_set_start(*out, p->v, p->f);
}

pl_status pl_contact_mtx_read(const char *folder, pl_problem **out)
{
    parts p = {.folder = folder, .dt = 1};
    cJSON *tree = NULL;
    char *path;
    *out = NULL;
    PL_TRY(pl_path_in(&path, folder, "problem.json"));
    pl_status status = read_parts(&p);
    if (status == PL_OK) status = pl_json_load(path, &tree);
    if (status == PL_OK) {
        pl_json root = pl_json_root(tree, path);
        status = build(&p, &root, out);
    }
    cJSON_Delete(tree);
    pl_free(path);
    parts_free(&p);
    if (status == PL_OK) return PL_OK;
    pl_problem_destroy(*out);
    *out = NULL;
    return status;
}
