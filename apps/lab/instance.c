#include "instance.h"
#include "../common/paths.h"
#include "contact_mtx.h"
#include "generate.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// --- Formats ---

static bool has_file(const char *folder, const char *name)
{
    char *path;
    if (pl_path_in(&path, folder, "%s", name) != PL_OK) return false;
    bool there = pl_is_file(path);
    pl_free(path);
    return there;
}

static pl_format format_of_folder(const char *path)
{
    if (has_file(path, "problem.json") && has_file(path, "A.mtx")) return PL_FORMAT_EXPORT;
    if (has_file(path, "M.mtx") && has_file(path, "q.mtx")) return PL_FORMAT_MARKET;
    return PL_FORMAT_UNKNOWN;
}

// Two counts on the first line, and nothing else there.
static bool begins_as_text(const char *head)
{
    int a, b, end = 0;
    if (sscanf(head, "%d %d%n", &a, &b, &end) != 2 || a < 0 || b < 0) return false;
    end += (int)strspn(head + end, " \t\r");
    return head[end] == '\n';
}

pl_format pl_format_of(const char *path)
{
    char head[64] = {0};
    if (pl_is_folder(path)) return format_of_folder(path);
    FILE *file = fopen(path, "rb");
    if (file == NULL) return PL_FORMAT_UNKNOWN;
    size_t n = fread(head, 1, sizeof head - 1, file);
    fclose(file);
    if (n >= 8 && memcmp(head, "PLNTPRB1", 8) == 0) return PL_FORMAT_PLP;
    if (n >= 8 && memcmp(head, "1BRPTNLP", 8) == 0) return PL_FORMAT_PLP;
    if (n >= 8 && memcmp(head, "\x89HDF\r\n\x1a\n", 8) == 0) return PL_FORMAT_FCLIB;
    return begins_as_text(head) ? PL_FORMAT_TEXT : PL_FORMAT_UNKNOWN;
}

// --- Reading ---

static pl_status take_contacts(pl_instance *out)
{
    out->size = pl_problem_sizes(out->problem);
    out->v = pl_alloc(3 * (int64_t)out->size.blocks, sizeof *out->v);
    out->f = pl_alloc(3 * (int64_t)out->size.constraints, sizeof *out->f);
    if (out->v == NULL || out->f == NULL) return PL_ERROR_MEMORY;
    return pl_problem_start(out->problem, false, out->v, out->f);
}

static pl_status take_rows(pl_instance *out)
{
    pl_complementarity_data data;
    PL_TRY(pl_complementarity_view(out->rows, &data));
    out->n = data.n;
    out->x = pl_alloc(data.n, sizeof *out->x);
    if (out->x == NULL) return PL_ERROR_MEMORY;
    return pl_complementarity_start(out->rows, out->x);
}

static pl_status take(pl_status status, pl_instance *out)
{
    if (status == PL_OK) status = out->problem != NULL ? take_contacts(out) : take_rows(out);
    if (status != PL_OK) pl_instance_free(out);
    return status;
}

static pl_status read_fclib(const char *path, pl_instance *out)
{
    PL_TRY(pl_fclib_read(path, &out->fclib));
    pl_status status = pl_fclib_split(&out->fclib);
    if (status == PL_OK) status = pl_fclib_problem(&out->fclib, NULL, &out->problem);
    if (status != PL_ERROR_ARGUMENT) return status;
    pl_fail_prefix(path);
    return PL_ERROR_FORMAT;
}

static pl_status read_as(const char *path, pl_instance *out)
{
    switch (out->format) {
    case PL_FORMAT_FCLIB:
        return read_fclib(path, out);
    case PL_FORMAT_EXPORT:
        return pl_contact_mtx_read(path, &out->problem);
    case PL_FORMAT_TEXT:
    case PL_FORMAT_MARKET:
        return pl_complementarity_read(path, &out->rows);
    case PL_FORMAT_PLP:
    case PL_FORMAT_MADE:
    case PL_FORMAT_UNKNOWN:
        break;
    }
    return pl_problem_read(path, &out->problem); // which says what is wrong with others, too
}

pl_status pl_instance_read(const char *path, pl_instance *out)
{
    *out = (pl_instance){.format = pl_format_of(path)};
    return take(read_as(path, out), out);
}

pl_status pl_instance_make(const char *text, pl_instance *out)
{
    *out = (pl_instance){.format = PL_FORMAT_MADE};
    pl_status status = pl_is_contact_kind(text) ? pl_contacts_generate(text, &out->problem)
                                                : pl_complementarity_generate(text, &out->rows);
    return take(status, out);
}

void pl_instance_free(pl_instance *instance)
{
    pl_problem_destroy(instance->problem);
    pl_complementarity_destroy(instance->rows);
    pl_fclib_free(&instance->fclib);
    pl_free(instance->v);
    pl_free(instance->f);
    pl_free(instance->x);
    *instance = (pl_instance){0};
}

// --- Writing ---

// The impulses of an instance of FCLIB, as its file has them: r (m), l (p).
static pl_status take_impulses(const pl_instance *instance, double **r, double **l)
{
    const pl_fclib *p = &instance->fclib;
    int64_t d = p->dimension, m = d * p->n_contact;
    int32_t n_equation = p->local ? p->H.n_col : p->G.n_col;
    *r = pl_alloc(m, sizeof **r);
    *l = pl_alloc(n_equation, sizeof **l);
    if (*r == NULL || *l == NULL) return PL_ERROR_MEMORY;
    for (int64_t i = 0; i < m; i++) (*r)[i] = instance->f[3 * (i / d) + i % d];
    for (int32_t i = 0; i < n_equation; i++) {
        (*l)[i] = instance->f[3 * (int64_t)p->n_contact + i];
    }
    return PL_OK;
}

static pl_status write_fclib(pl_instance *instance, const char *path)
{
    pl_fclib fclib;
    if (instance->format == PL_FORMAT_FCLIB) {
        double *r, *l;
        pl_status status = take_impulses(instance, &r, &l);
        if (status == PL_OK) {
            status = pl_fclib_set_solution(&instance->fclib, instance->v, r, l);
        }
        pl_free(r);
        pl_free(l);
        return status == PL_OK ? pl_fclib_write(&instance->fclib, path) : status;
    }
    PL_TRY(pl_fclib_from(instance->problem, instance->v, instance->f, &fclib));
    pl_status status = pl_fclib_write(&fclib, path);
    pl_fclib_free(&fclib);
    return status;
}

pl_status pl_instance_write(pl_instance *instance, const char *path)
{
    if (instance->rows != NULL) return pl_complementarity_write(instance->rows, path);
    if (pl_has_extension(path, ".plp")) return pl_problem_write(instance->problem, path);
    bool hdf5 = pl_has_extension(path, ".hdf5") || pl_has_extension(path, ".h5");
    if (hdf5) return write_fclib(instance, path);
    return pl_fail(PL_ERROR_ARGUMENT, "%s: contacts go into .plp or .hdf5", path);
}

// --- The usual measure ---

static pl_status measure_file(const pl_instance *instance, double *out)
{
    double *r, *l;
    pl_status status = take_impulses(instance, &r, &l);
    if (status == PL_OK) status = pl_fclib_measure(&instance->fclib, instance->v, r, l, out);
    pl_free(r);
    pl_free(l);
    return status;
}

pl_status pl_instance_update(pl_instance *instance)
{
    const pl_fclib *p = &instance->fclib;
    pl_problem *problem;
    double *r, *l;
    pl_status status = take_impulses(instance, &r, &l);
    if (status == PL_OK) status = pl_fclib_problem(p, r, &problem);
    pl_free(r);
    pl_free(l);
    PL_TRY(status);
    pl_problem_destroy(instance->problem);
    instance->problem = problem;
    return PL_OK;
}

pl_status pl_instance_skew(pl_instance *instance, const double *other, double *out)
{
    const pl_fclib *p = &instance->fclib;
    int64_t d = p->dimension, m = d * p->n_contact;
    double *r = pl_alloc(m, sizeof *r);
    if (r == NULL) return PL_ERROR_MEMORY;
    for (int64_t i = 0; i < m; i++) {
        int64_t at = 3 * (i / d) + i % d;
        r[i] = instance->f[at] - other[at];
    }
    pl_status status = pl_fclib_skew(p, r, out);
    pl_free(r);
    return status;
}

double pl_instance_measure(const pl_instance *instance)
{
    double out = NAN;
    pl_fclib own;
    if (instance->problem == NULL) return NAN;
    if (instance->format == PL_FORMAT_FCLIB) {
        return measure_file(instance, &out) == PL_OK ? out : NAN;
    }
    if (pl_fclib_from(instance->problem, instance->v, instance->f, &own) != PL_OK) return NAN;
    if (pl_fclib_measure(&own, own.v, own.r, own.l, &out) != PL_OK) out = NAN;
    pl_fclib_free(&own);
    return out;
}
