// The layout of FCLIB's files. fclib_global has M, H and G; fclib_local W, V and R. Each matrix is
// a group of numbers: m rows, n columns, nz, nzmax; p, i, x. nz is the number of entries of a
// triplet matrix (column p[k], row i[k], as CSparse has them and files do; the header of FCLIB says
// it the other way round), -1 of compressed columns (p: where they start, i: rows), -2 of
// compressed rows. Beside them stand vectors, spacedim and info; solution and guesses/1 have v, u,
// r and l.

#include "fclib.h"

#ifdef PL_HDF5

#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

// What a compressed file can hold at most, over its own size.
static const double EXPANSION = 1100;

typedef struct reader {
    const char *path;
    hid_t file;
    double most; // bytes that an array of this file may take
} reader;

bool pl_fclib_available(void)
{
    return true;
}

// --- Reading ---

static pl_status damaged(const reader *r, const char *group, const char *name, const char *what)
{
    return pl_fail(PL_ERROR_FORMAT, "%s: %s%s%s: %s", r->path, group, name[0] != '\0' ? "/" : "",
                   name, what);
}

static bool exists(const reader *r, const char *group, const char *name)
{
    char at[128];
    snprintf(at, sizeof at, "%s", group);
    // A name of several parts is looked for part by part.
    for (char *slash = strchr(at, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        bool there = H5Lexists(r->file, at, H5P_DEFAULT) > 0;
        *slash = '/';
        if (!there) return false;
    }
    if (H5Lexists(r->file, at, H5P_DEFAULT) <= 0) return false;
    if (name[0] == '\0') return true;
    snprintf(at, sizeof at, "%s/%s", group, name);
    return H5Lexists(r->file, at, H5P_DEFAULT) > 0;
}

// A number has this many bytes at most, and a chunk of a data set as many as all of it may have:
// what HDF5 takes for either is in a damaged file anything.
enum { LARGEST_NUMBER = 16 };

static bool is_stored_sanely(const reader *r, hid_t set, size_t number)
{
    hsize_t side[H5S_MAX_RANK];
    double chunk = (double)number;
    hid_t properties = H5Dget_create_plist(set);
    bool chunked = properties >= 0 && H5Pget_layout(properties) == H5D_CHUNKED;
    int rank = chunked ? H5Pget_chunk(properties, H5S_MAX_RANK, side) : 0;
    for (int i = 0; i < rank; i++) chunk *= (double)side[i];
    if (properties >= 0) H5Pclose(properties);
    return properties >= 0 && rank >= 0 && number <= LARGEST_NUMBER && chunk <= r->most;
}

// A data set of numbers: opens it, and tells how many it has.
static pl_status open_set(const reader *r, const char *group, const char *name, hid_t *set,
                          int64_t *n)
{
    char at[128];
    snprintf(at, sizeof at, "%s/%s", group, name);
    if (!exists(r, group, name)) return damaged(r, group, name, "it is missing");
    *set = H5Dopen2(r->file, at, H5P_DEFAULT);
    if (*set < 0) return damaged(r, group, name, "it is no data set");
    hid_t space = H5Dget_space(*set), type = H5Dget_type(*set);
    H5T_class_t class = type >= 0 ? H5Tget_class(type) : H5T_NO_CLASS;
    bool sane = is_stored_sanely(r, *set, type >= 0 ? H5Tget_size(type) : 0);
    *n = space >= 0 ? (int64_t)H5Sget_simple_extent_npoints(space) : -1;
    if (space >= 0) H5Sclose(space);
    if (type >= 0) H5Tclose(type);
    bool numbers = class == H5T_INTEGER || class == H5T_FLOAT;
    bool fits = *n >= 0 && 8 * (double)*n <= r->most;
    if (numbers && fits && sane) return PL_OK;
    H5Dclose(*set);
    return damaged(r, group, name, numbers ? "more numbers than the file can hold" : "no numbers");
}

static pl_status read_array(const reader *r, const char *group, const char *name, hid_t type,
                            size_t size, int64_t *n, void **out)
{
    hid_t set = -1;
    *n = 0;
    *out = NULL;
    PL_TRY(open_set(r, group, name, &set, n));
    *out = pl_alloc(*n, size);
    bool read =
        *out != NULL && (*n == 0 || H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, *out) >= 0);
    H5Dclose(set);
    if (*out == NULL) return PL_ERROR_MEMORY;
    return read ? PL_OK : damaged(r, group, name, "it cannot be read");
}

static pl_status read_int(const reader *r, const char *group, const char *name, int32_t *out)
{
    int64_t n;
    void *number;
    pl_status status = read_array(r, group, name, H5T_NATIVE_INT32, sizeof *out, &n, &number);
    if (status == PL_OK && n != 1) status = damaged(r, group, name, "one number expected");
    if (status == PL_OK) *out = *(const int32_t *)number;
    pl_free(number);
    return status;
}

// (n) finite numbers. One that is missing, and need not be there, is NULL.
static pl_status read_vector(const reader *r, const char *group, const char *name, bool needed,
                             int64_t n, double **out)
{
    int64_t count;
    *out = NULL;
    if (!needed && !exists(r, group, name)) return PL_OK;
    PL_TRY(read_array(r, group, name, H5T_NATIVE_DOUBLE, sizeof **out, &count, (void **)out));
    if (n >= 0 && count != n) {
        char text[96];
        snprintf(text, sizeof text, "%lld numbers, and %lld are needed", (long long)count,
                 (long long)n);
        return damaged(r, group, name, text);
    }
    for (int64_t i = 0; i < count; i++) {
        if (!isfinite((*out)[i])) return damaged(r, group, name, "a number is not finite");
    }
    return PL_OK;
}

// A matrix on its way.
typedef struct raw {
    int32_t m, n, nz;
    int32_t *p, *i;
    double *x;
    int64_t n_p, n_i, n_x;
} raw;

static void raw_free(raw *m)
{
    pl_free(m->p);
    pl_free(m->i);
    pl_free(m->x);
}

// (row, column) of all entries by coordinates.
static pl_status unpack(const reader *r, const char *group, raw *m, int64_t *n, int32_t **outer)
{
    int64_t lines = m->nz == -1 ? m->n : m->m, entries = m->nz >= 0 ? m->nz : m->n_x;
    if (m->nz < -2) return damaged(r, group, "nz", "neither triplets nor compressed");
    if (m->nz < 0) {
        if (m->n_p < lines + 1) return damaged(r, group, "p", "it is too short");
        entries = m->p[lines];
        bool ordered = m->p[0] == 0 && entries >= 0;
        for (int64_t k = 0; k < lines; k++) ordered = ordered && m->p[k] <= m->p[k + 1];
        if (!ordered) return damaged(r, group, "p", "it does not ascend from 0");
    } else if (m->n_p < entries) {
        return damaged(r, group, "p", "it is too short");
    }
    if (m->n_i < entries) return damaged(r, group, "i", "it is too short");
    if (m->n_x < entries) return damaged(r, group, "x", "it is too short");
    *n = entries;
    *outer = pl_alloc(entries, sizeof **outer);
    if (*outer == NULL) return PL_ERROR_MEMORY;
    for (int64_t k = 0; k < lines && m->nz < 0; k++) {
        for (int64_t at = m->p[k]; at < m->p[k + 1]; at++) (*outer)[at] = (int32_t)k;
    }
    if (m->nz >= 0 && entries > 0) memcpy(*outer, m->p, (size_t)entries * sizeof **outer);
    return PL_OK;
}

static pl_status pack(const reader *r, const char *group, raw *m, pl_columns *out)
{
    int64_t n = 0;
    int32_t *outer = NULL;
    pl_status status = unpack(r, group, m, &n, &outer);
    const int32_t *row = m->nz == -2 ? outer : m->i, *col = m->nz == -2 ? m->i : outer;
    for (int64_t k = 0; k < n && status == PL_OK; k++) {
        bool inside = row[k] >= 0 && row[k] < m->m && col[k] >= 0 && col[k] < m->n;
        if (!inside) status = damaged(r, group, "i", "an index is out of range");
        if (inside && !isfinite(m->x[k])) {
            status = damaged(r, group, "x", "a number is not finite");
        }
    }
    if (status == PL_OK) status = pl_columns_from(m->m, m->n, n, row, col, m->x, out);
    pl_free(outer);
    return status;
}

// Some files hold one half of a symmetric matrix, as direct solvers want it: a matrix with entries
// on one side of the diagonal only gets the other side.
static pl_status mirror(pl_columns *c)
{
    int64_t nnz = c->col[c->n_col], below = 0, above = 0, n = 0;
    for (int32_t j = 0; j < c->n_col; j++) {
        for (int64_t k = c->col[j]; k < c->col[j + 1]; k++) {
            below += c->row[k] > j && c->val[k] != 0;
            above += c->row[k] < j && c->val[k] != 0;
        }
    }
    if ((below == 0) == (above == 0)) return PL_OK;
    int32_t *row = pl_alloc(2 * nnz, sizeof *row), *col = pl_alloc(2 * nnz, sizeof *col);
    double *val = pl_alloc(2 * nnz, sizeof *val);
    bool all = row != NULL && col != NULL && val != NULL;
    for (int32_t j = 0; j < c->n_col && all; j++) {
        for (int64_t k = c->col[j]; k < c->col[j + 1]; k++) {
            row[n] = c->row[k], col[n] = j, val[n++] = c->val[k];
            if (c->row[k] != j) row[n] = j, col[n] = c->row[k], val[n++] = c->val[k];
        }
    }
    pl_columns whole = {0};
    pl_status status = PL_ERROR_MEMORY;
    if (all) status = pl_columns_from(c->n_row, c->n_col, n, row, col, val, &whole);
    pl_free(row);
    pl_free(col);
    pl_free(val);
    PL_TRY(status);
    pl_columns_free(c);
    *c = whole;
    return PL_OK;
}

// A matrix of n_row rows, and n_col columns unless that is -1.
static pl_status read_matrix(const reader *r, const char *group, int64_t n_row, int64_t n_col,
                             pl_columns *out)
{
    raw m = {0};
    PL_TRY(read_int(r, group, "m", &m.m));
    PL_TRY(read_int(r, group, "n", &m.n));
    PL_TRY(read_int(r, group, "nz", &m.nz));
    bool fits = m.m == n_row && m.n >= 0 && (n_col < 0 || m.n == n_col);
    if (!fits || 8 * (double)m.n > r->most) {
        char text[128];
        snprintf(text, sizeof text, "%d rows and %d columns do not fit the vectors: %lld rows",
                 (int)m.m, (int)m.n, (long long)n_row);
        return damaged(r, group, "", text);
    }
    pl_status status =
        read_array(r, group, "p", H5T_NATIVE_INT32, sizeof *m.p, &m.n_p, (void **)&m.p);
    if (status == PL_OK) {
        status = read_array(r, group, "i", H5T_NATIVE_INT32, sizeof *m.i, &m.n_i, (void **)&m.i);
    }
    if (status == PL_OK) {
        status = read_array(r, group, "x", H5T_NATIVE_DOUBLE, sizeof *m.x, &m.n_x, (void **)&m.x);
    }
    if (status == PL_OK) status = pack(r, group, &m, out);
    raw_free(&m);
    return status;
}

// A text of a fixed or a free length; "" where there is none.
static void read_text(const reader *r, const char *group, const char *name, char out[PL_FCLIB_TEXT])
{
    char at[128];
    out[0] = '\0';
    if (!exists(r, group, name)) return;
    snprintf(at, sizeof at, "%s/%s", group, name);
    hid_t set = H5Dopen2(r->file, at, H5P_DEFAULT);
    if (set < 0) return;
    hid_t type = H5Dget_type(set);
    size_t size = type >= 0 ? H5Tget_size(type) : 0;
    bool fixed = type >= 0 && H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0;
    if (fixed && size > 0 && (double)size <= r->most) {
        char *text = pl_alloc_zero((int64_t)size + 1, 1);
        bool read = text != NULL && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0;
        if (read) snprintf(out, PL_FCLIB_TEXT, "%s", text);
        pl_free(text);
    }
    if (type >= 0) H5Tclose(type);
    H5Dclose(set);
}

static pl_status read_guess(const reader *r, const char *group, const pl_fclib *p, double **v,
                            double **u, double **f, double **l)
{
    int64_t m = (int64_t)p->dimension * p->n_contact;
    if (!exists(r, group, "")) return PL_OK;
    if (!p->local) PL_TRY(read_vector(r, group, "v", false, p->M.n_col, v));
    PL_TRY(read_vector(r, group, "u", false, m, u));
    PL_TRY(read_vector(r, group, "r", false, m, f));
    return read_vector(r, group, "l", false, p->local ? p->H.n_col : p->G.n_col, l);
}

// The count of contacts is that of mu; all else must fit it.
static pl_status read_counts(const reader *r, const char *root, pl_fclib *out)
{
    char vectors[64];
    int64_t n;
    snprintf(vectors, sizeof vectors, "%s/vectors", root);
    PL_TRY(read_int(r, root, "spacedim", &out->dimension));
    if (out->dimension != 2 && out->dimension != 3) {
        return damaged(r, root, "spacedim", "it is neither 2 nor 3");
    }
    PL_TRY(read_array(r, vectors, "mu", H5T_NATIVE_DOUBLE, sizeof *out->mu, &n, (void **)&out->mu));
    if (n > INT32_MAX / 8) return damaged(r, vectors, "mu", "too many contacts");
    out->n_contact = (int32_t)n;
    for (int64_t i = 0; i < n; i++) {
        if (isfinite(out->mu[i]) && out->mu[i] >= 0) continue;
        return damaged(r, vectors, "mu", "a coefficient is negative, or not finite");
    }
    return PL_OK;
}

static pl_status read_global(const reader *r, pl_fclib *out)
{
    static const char vectors[] = "fclib_global/vectors";
    PL_TRY(read_counts(r, "fclib_global", out));
    int64_t m = (int64_t)out->dimension * out->n_contact, n;
    PL_TRY(read_array(r, vectors, "f", H5T_NATIVE_DOUBLE, sizeof *out->f, &n, (void **)&out->f));
    PL_TRY(read_matrix(r, "fclib_global/M", n, n, &out->M));
    PL_TRY(mirror(&out->M));
    PL_TRY(read_matrix(r, "fclib_global/H", n, m, &out->H));
    PL_TRY(read_vector(r, vectors, "w", true, m, &out->w));
    if (exists(r, "fclib_global/G", "")) PL_TRY(read_matrix(r, "fclib_global/G", n, -1, &out->G));
    return read_vector(r, vectors, "b", out->G.n_col > 0, out->G.n_col, &out->b);
}

static pl_status read_local(const reader *r, pl_fclib *out)
{
    static const char vectors[] = "fclib_local/vectors";
    PL_TRY(read_counts(r, "fclib_local", out));
    int64_t m = (int64_t)out->dimension * out->n_contact;
    PL_TRY(read_vector(r, vectors, "q", true, m, &out->w));
    PL_TRY(read_matrix(r, "fclib_local/W", m, m, &out->M));
    PL_TRY(mirror(&out->M));
    if (exists(r, "fclib_local/V", "")) {
        PL_TRY(read_matrix(r, "fclib_local/V", m, -1, &out->H));
        PL_TRY(read_matrix(r, "fclib_local/R", out->H.n_col, out->H.n_col, &out->G));
    }
    return read_vector(r, vectors, "s", out->H.n_col > 0, out->H.n_col, &out->b);
}

static pl_status read_all(const reader *r, pl_fclib *out)
{
    bool global = exists(r, "fclib_global", "");
    out->local = exists(r, "fclib_local", "");
    const char *info = out->local ? "fclib_local/info" : "fclib_global/info";
    if (!global && !out->local) {
        return pl_fail(PL_ERROR_FORMAT, "%s: neither fclib_global nor fclib_local", r->path);
    }
    PL_TRY(out->local ? read_local(r, out) : read_global(r, out));
    if (out->f != NULL) {
        for (int64_t i = 0; i < out->M.n_col; i++) {
            if (isfinite(out->f[i])) continue;
            return damaged(r, "fclib_global/vectors", "f", "a number is not finite");
        }
    }
    read_text(r, info, "title", out->title);
    read_text(r, info, "description", out->description);
    read_text(r, info, "math_info", out->math_info);
    PL_TRY(read_guess(r, "solution", out, &out->v, &out->u, &out->r, &out->l));
    return read_guess(r, "guesses/1", out, &out->v_guess, &out->u_guess, &out->r_guess,
                      &out->l_guess);
}

pl_status pl_fclib_read(const char *path, pl_fclib *out)
{
    struct stat about;
    *out = (pl_fclib){0};
    if (stat(path, &about) != 0) return pl_fail(PL_ERROR_FILE, "%s: no such file", path);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL); // what is wrong is said by us
    reader r = {path, H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT),
                EXPANSION * ((double)about.st_size + 1)};
    if (r.file < 0) {
        return pl_fail(PL_ERROR_FORMAT, "%s: not a file of HDF5, or it is cut off", path);
    }
    pl_status status = read_all(&r, out);
    H5Fclose(r.file);
    if (status != PL_OK) pl_fclib_free(out);
    return status;
}

// --- Writing ---

// Properties of a data set that keeps no time.
static hid_t timeless(void)
{
    hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    if (properties >= 0) H5Pset_obj_track_times(properties, false);
    return properties;
}

static bool put_array(hid_t group, const char *name, hid_t type, int64_t n, const void *data)
{
    const hsize_t size = (hsize_t)n;
    hid_t space = H5Screate_simple(1, &size, NULL), properties = timeless();
    hid_t set = H5Dcreate2(group, name, type, space, H5P_DEFAULT, properties, H5P_DEFAULT);
    bool done = set >= 0;
    if (done && n > 0) done = H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0;
    if (set >= 0) H5Dclose(set);
    H5Pclose(properties);
    H5Sclose(space);
    return done;
}

static bool put_int(hid_t group, const char *name, int32_t value)
{
    return put_array(group, name, H5T_NATIVE_INT32, 1, &value);
}

static bool put_vector(hid_t group, const char *name, int64_t n, const double *x)
{
    return x == NULL || put_array(group, name, H5T_NATIVE_DOUBLE, n, x);
}

static bool put_text(hid_t group, const char *name, const char *text)
{
    hid_t space = H5Screate(H5S_SCALAR), type = H5Tcopy(H5T_C_S1), properties = timeless();
    bool done = H5Tset_size(type, strlen(text) + 1) >= 0;
    hid_t set = H5Dcreate2(group, name, type, space, H5P_DEFAULT, properties, H5P_DEFAULT);
    done = done && set >= 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0;
    if (set >= 0) H5Dclose(set);
    H5Pclose(properties);
    H5Tclose(type);
    H5Sclose(space);
    return done;
}

static hid_t make_group(hid_t in, const char *name)
{
    return H5Gcreate2(in, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
}

static bool put_matrix(hid_t in, const char *name, const pl_columns *c)
{
    int64_t nnz = c->col[c->n_col];
    int32_t *start = pl_alloc((int64_t)c->n_col + 1, sizeof *start);
    hid_t group = make_group(in, name);
    bool done = start != NULL && group >= 0 && nnz <= INT32_MAX;
    for (int32_t j = 0; j <= c->n_col && done; j++) start[j] = (int32_t)c->col[j];
    done = done && put_int(group, "nzmax", (int32_t)nnz) && put_int(group, "m", c->n_row) &&
           put_int(group, "n", c->n_col) && put_int(group, "nz", -1) &&
           put_array(group, "p", H5T_NATIVE_INT32, (int64_t)c->n_col + 1, start) &&
           put_array(group, "i", H5T_NATIVE_INT32, nnz, c->row) &&
           put_array(group, "x", H5T_NATIVE_DOUBLE, nnz, c->val);
    if (group >= 0) H5Gclose(group);
    pl_free(start);
    return done;
}

static bool put_guess(hid_t in, const char *name, const pl_fclib *p, const double *v,
                      const double *u, const double *r, const double *l)
{
    int64_t m = (int64_t)p->dimension * p->n_contact;
    int32_t n_equation = p->local ? p->H.n_col : p->G.n_col;
    hid_t group = make_group(in, name);
    bool done = group >= 0 && (p->local || put_vector(group, "v", p->M.n_col, v)) &&
                put_vector(group, "u", m, u) && put_vector(group, "r", m, r) &&
                (n_equation == 0 || put_vector(group, "l", n_equation, l));
    if (group >= 0) H5Gclose(group);
    return done;
}

static bool put_vectors(hid_t root, const pl_fclib *p)
{
    int64_t m = (int64_t)p->dimension * p->n_contact;
    int32_t n_equation = p->local ? p->H.n_col : p->G.n_col;
    hid_t group = make_group(root, "vectors");
    bool done = group >= 0 && put_vector(group, "mu", p->n_contact, p->mu) &&
                put_vector(group, p->local ? "q" : "w", m, p->w);
    if (!p->local) done = done && put_vector(group, "f", p->M.n_col, p->f);
    if (n_equation > 0) done = done && put_vector(group, p->local ? "s" : "b", n_equation, p->b);
    if (group >= 0) H5Gclose(group);
    return done;
}

static bool put_info(hid_t root, const pl_fclib *p)
{
    hid_t group = make_group(root, "info");
    bool done = group >= 0 && put_text(group, "title", p->title) &&
                put_text(group, "description", p->description) &&
                put_text(group, "math_info", p->math_info);
    if (group >= 0) H5Gclose(group);
    return done;
}

static bool put_all(hid_t file, const pl_fclib *p)
{
    bool third = p->local ? p->H.n_col > 0 : p->G.n_col > 0; // there are equations
    hid_t root = make_group(file, p->local ? "fclib_local" : "fclib_global");
    bool done = root >= 0 && put_int(root, "spacedim", p->dimension) &&
                put_matrix(root, p->local ? "W" : "M", &p->M);
    if (!p->local) done = done && put_matrix(root, "H", &p->H);
    if (p->local && third) done = done && put_matrix(root, "V", &p->H);
    if (third) done = done && put_matrix(root, p->local ? "R" : "G", &p->G);
    done = done && put_vectors(root, p) && put_info(root, p);
    if (root >= 0) H5Gclose(root);
    if (done && p->r != NULL) done = put_guess(file, "solution", p, p->v, p->u, p->r, p->l);
    if (!done || p->r_guess == NULL) return done;
    hid_t guesses = make_group(file, "guesses");
    done = guesses >= 0 && put_int(guesses, "number_of_guesses", 1) &&
           put_guess(guesses, "1", p, p->v_guess, p->u_guess, p->r_guess, p->l_guess);
    if (guesses >= 0) H5Gclose(guesses);
    return done;
}

// HDF5 writes in memory, and the file appears when it is complete. Without times of creation, so
// that the same problem has the same bytes.
pl_status pl_fclib_write(const pl_fclib *p, const char *path)
{
    pl_output out;
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    PL_TRY(pl_output_open(path, &out));
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_core(access, (size_t)1 << 20, 0);
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    bool done = file >= 0 && put_all(file, p) && H5Fflush(file, H5F_SCOPE_GLOBAL) >= 0;
    ssize_t size = done ? H5Fget_file_image(file, NULL, 0) : -1;
    void *image = size > 0 ? pl_alloc(size, 1) : NULL;
    done = image != NULL && H5Fget_file_image(file, image, (size_t)size) == size;
    if (file >= 0) H5Fclose(file);
    H5Pclose(access);
    if (done) pl_output_write(&out, image, (size_t)size);
    pl_free(image);
    if (done) return pl_output_close(&out);
    pl_output_abandon(&out);
    return pl_fail(PL_ERROR_FILE, "%s: HDF5 cannot make this file", path);
}

#else

bool pl_fclib_available(void)
{
    return false;
}

pl_status pl_fclib_read(const char *path, pl_fclib *out)
{
    *out = (pl_fclib){0};
    return pl_fail(PL_ERROR_ARGUMENT,
                   "%s: this build has no HDF5; install libhdf5-dev, and build again", path);
}

pl_status pl_fclib_write(const pl_fclib *p, const char *path)
{
    (void)p;
    return pl_fail(PL_ERROR_ARGUMENT,
                   "%s: this build has no HDF5; install libhdf5-dev, and build again", path);
}

#endif
