// A header, the arrays one after the other, and a checksum over all of it. Numbers are stored in
// the machine's byte order; another one shows as another magic.

#include "problem_file.h"
#include "../base/hash.h"

#include <string.h>

#define MAGIC 0x31425250544e4c50ull // "PLNTPRB1"

// Version 2 knew plain cones only: its constraints have no kind. In version 4 the terms have a
// stretch each: it is written where one has.
enum {
    VERSION = 3,
    STRETCHED = 4,
    OLDEST = 2,
    FRAME_NUMBERS = 13,
    LIMITS_NUMBERS = 9,
    TERM_NUMBERS = 4
};

// What a constraint is in a file; all but plain cones have limits.
enum { KIND_PLAIN, KIND_CONE, KIND_BOX, KIND_PYRAMID, N_KINDS };

static const pl_law laws[N_KINDS] = {
    [KIND_CONE] = PL_LAW_CONE, [KIND_BOX] = PL_LAW_BOX, [KIND_PYRAMID] = PL_LAW_PYRAMID};

typedef struct header {
    uint64_t magic, version;
    int64_t n, nnz, n_constraint, n_term, has_prescribed, n_x;
    double dt;
} header;

// --- Writing ---

typedef struct writer {
    pl_output out;
    uint64_t sum;
} writer;

static void put(writer *w, const void *data, size_t size)
{
    w->sum = pl_hash(w->sum, data, size);
    pl_output_write(&w->out, data, size);
}

// Number by number: the structs have gaps.
static void put_limits(writer *w, const pl_limits *limits)
{
    int32_t kind = KIND_PLAIN;
    if (limits != NULL) {
        for (kind = KIND_CONE; laws[kind] != limits->law;) kind++;
    }
    put(w, &kind, sizeof kind);
    if (limits == NULL) return;
    put(w, limits->compliance, sizeof limits->compliance);
    put(w, limits->lo, sizeof limits->lo);
    put(w, limits->hi, sizeof limits->hi);
    if (kind != KIND_PYRAMID) return;
    const int32_t polygon[2] = {limits->directions, limits->outer};
    put(w, polygon, sizeof polygon);
}

static void put_constraints(writer *w, const pl_problem *problem)
{
    for (int32_t k = 0; k < problem->n_constraint; k++) {
        const pl_constraint *c = problem->constraint + k;
        double number[FRAME_NUMBERS];
        memcpy(number, c->R, sizeof c->R);
        memcpy(number + 9, c->c, sizeof c->c);
        number[12] = c->mu;
        put(w, number, sizeof number);
        put(w, &c->count, sizeof c->count);
        put_limits(w, pl_limits_of(problem, c));
    }
    for (int32_t k = 0; k < problem->n_constraint; k++) {
        const pl_constraint *c = problem->constraint + k;
        for (int32_t t = c->first; t < c->first + c->count; t++) {
            pl_term term = pl_problem_term(problem, t);
            const double number[TERM_NUMBERS] = {term.w, term.r[0], term.r[1], term.r[2]};
            put(w, number, sizeof number);
            put(w, &term.block, sizeof term.block);
            if (problem->stretch == NULL) continue;
            const double none[6] = {0}, *S = pl_entry_stretch(problem, problem->entry + t);
            put(w, S != NULL ? S : none, sizeof none);
        }
    }
}

pl_status pl_recorded_write(const pl_problem *problem, const double *v, const double *f,
                            const char *path)
{
    const pl_bsr *A = problem->A;
    const header h = {.magic = MAGIC,
                      .version = problem->stretch != NULL ? STRETCHED : VERSION,
                      .n = A->n,
                      .nnz = A->nnz,
                      .n_constraint = problem->n_constraint,
                      .n_term = problem->n_term,
                      .has_prescribed = problem->prescribed != NULL,
                      .n_x = problem->n_x,
                      .dt = problem->dt};
    writer w = {.sum = PL_HASH_START};
    PL_TRY(pl_output_open(path, &w.out));
    size_t n = (size_t)A->n, nnz = (size_t)A->nnz;
    put(&w, &h, sizeof h);
    put(&w, A->row, (n + 1) * sizeof *A->row);
    put(&w, A->col, nnz * sizeof *A->col);
    put(&w, A->val, 9 * nnz * sizeof *A->val);
    put(&w, problem->b, 3 * n * sizeof *problem->b);
    if (problem->prescribed != NULL) put(&w, problem->prescribed, n);
    if (problem->n_x > 0) put(&w, problem->x, 3 * (size_t)problem->n_x * sizeof *problem->x);
    put(&w, v, 3 * n * sizeof *v);
    put(&w, f, 3 * (size_t)problem->n_constraint * sizeof *f);
    put_constraints(&w, problem);
    pl_output_write(&w.out, &w.sum, sizeof w.sum);
    return pl_output_close(&w.out);
}

// --- Reading ---

typedef struct reader {
    const char *at, *end; // what is left, without the checksum
    uint64_t sum;
    const char *name;
} reader;

static pl_status damaged(const reader *r, const char *what)
{
    return pl_fail(PL_ERROR_FORMAT, "%s: the problem is damaged: %s", r->name, what);
}

static pl_status get(reader *r, void *to, size_t size)
{
    if ((size_t)(r->end - r->at) < size) return damaged(r, "it ends too early");
    r->sum = pl_hash(r->sum, r->at, size);
    if (size > 0) memcpy(to, r->at, size);
    r->at += size;
    return PL_OK;
}

// Allocates, but not more than the file could fill.
static pl_status get_array(reader *r, int64_t count, size_t size, void **out)
{
    if (count > (r->end - r->at) / (int64_t)size) return damaged(r, "it ends too early");
    *out = pl_alloc(count, size);
    if (*out == NULL) return PL_ERROR_MEMORY;
    return get(r, *out, (size_t)count * size);
}

static pl_status get_header(reader *r, header *h)
{
    if (r->end - r->at < (int64_t)sizeof *h || memcmp(r->at, &(uint64_t){MAGIC}, 8) != 0) {
        return pl_fail(PL_ERROR_FORMAT, "%s: not a contact problem", r->name);
    }
    PL_TRY(get(r, h, sizeof *h));
    if (h->version < OLDEST || h->version > STRETCHED) {
        return pl_fail(PL_ERROR_FORMAT, "%s: a problem of version %llu, this is version %d",
                       r->name, (unsigned long long)h->version, (int)STRETCHED);
    }
    int64_t most = r->end - r->at; // each takes a byte at least
    bool fits = h->n >= 0 && h->nnz >= 0 && h->n_constraint >= 0 && h->n_term >= 0 && h->n_x >= 0;
    fits = fits && h->n <= PL_MIN(most, INT32_MAX) && h->nnz <= most && h->n_x <= h->n;
    fits = fits && PL_MAX(h->n_constraint, h->n_term) <= PL_MIN(most, INT32_MAX / 3);
    return fits ? PL_OK : damaged(r, "its counts do not fit its size");
}

static pl_status get_matrix(reader *r, const header *h, pl_bsr *A)
{
    void *row = NULL, *col = NULL;
    pl_status status = get_array(r, h->n + 1, sizeof(int64_t), &row);
    if (status == PL_OK) status = get_array(r, h->nnz, sizeof(int32_t), &col);
    bool ends = status == PL_OK && ((const int64_t *)row)[h->n] == h->nnz;
    if (status == PL_OK && !ends) status = damaged(r, "the rows of its matrix");
    if (status == PL_OK) status = pl_bsr_create_rows((int32_t)h->n, row, col, A);
    if (status == PL_ERROR_ARGUMENT) status = damaged(r, pl_error_text());
    pl_free(row);
    pl_free(col);
    return status == PL_OK ? get(r, A->val, 9 * (size_t)h->nnz * sizeof *A->val) : status;
}

// A constraint as it is in a file.
typedef struct entry {
    pl_constraint frame;
    int32_t count; // of its terms
    int32_t kind;
    pl_limits limits;
} entry;

static pl_status get_limits(reader *r, const header *h, entry *e)
{
    double number[LIMITS_NUMBERS];
    e->kind = KIND_PLAIN;
    if (h->version > OLDEST) PL_TRY(get(r, &e->kind, sizeof e->kind));
    if (e->kind == KIND_PLAIN) return PL_OK;
    if (e->kind < KIND_CONE || e->kind >= N_KINDS) {
        return damaged(r, "a constraint of an unknown kind");
    }
    PL_TRY(get(r, number, sizeof number));
    e->limits = (pl_limits){.law = laws[e->kind]};
    memcpy(e->limits.compliance, number, sizeof e->limits.compliance);
    memcpy(e->limits.lo, number + 3, sizeof e->limits.lo);
    memcpy(e->limits.hi, number + 6, sizeof e->limits.hi);
    if (e->kind != KIND_PYRAMID) return PL_OK;
    int32_t polygon[2];
    PL_TRY(get(r, polygon, sizeof polygon));
    e->limits.directions = polygon[0];
    e->limits.outer = polygon[1] != 0;
    return PL_OK;
}

static pl_status get_constraints(reader *r, const header *h, entry *e)
{
    int64_t sum = 0;
    for (int64_t k = 0; k < h->n_constraint; k++, e++) {
        double number[FRAME_NUMBERS];
        PL_TRY(get(r, number, sizeof number));
        PL_TRY(get(r, &e->count, sizeof e->count));
        PL_TRY(get_limits(r, h, e));
        memcpy(e->frame.R, number, sizeof e->frame.R);
        memcpy(e->frame.c, number + 9, sizeof e->frame.c);
        e->frame.mu = number[12];
        if (e->count < 0) return damaged(r, "a constraint has a negative number of terms");
        sum += e->count;
    }
    return sum == h->n_term ? PL_OK : damaged(r, "the terms of its constraints");
}

// stretch (6*n_term) is filled where the version has it.
static pl_status get_terms(reader *r, const header *h, pl_term *term, double *stretch)
{
    for (int64_t t = 0; t < h->n_term; t++) {
        double number[TERM_NUMBERS];
        PL_TRY(get(r, number, sizeof number));
        PL_TRY(get(r, &term[t].block, sizeof term[t].block));
        if (term[t].block < 0 || term[t].block >= h->n) {
            return damaged(r, "a constraint takes a block that is out of range");
        }
        if (h->version == STRETCHED) PL_TRY(get(r, stretch + 6 * t, 6 * sizeof *stretch));
        term[t].w = number[0];
        memcpy(term[t].r, number + 1, sizeof term[t].r);
    }
    return PL_OK;
}

static pl_status add_constraints(reader *r, const header *h, pl_problem *problem)
{
    entry *all = pl_alloc(h->n_constraint, sizeof *all);
    pl_term *term = pl_alloc(h->n_term, sizeof *term);
    double *stretch = pl_alloc(h->version == STRETCHED ? 6 * h->n_term : 0, sizeof *stretch);
    bool there = all != NULL && term != NULL && stretch != NULL;
    pl_status status = there ? get_constraints(r, h, all) : PL_ERROR_MEMORY;
    if (status == PL_OK) status = get_terms(r, h, term, stretch);
    int64_t first = 0;
    for (int64_t k = 0; status == PL_OK && k < h->n_constraint; k++) {
        const pl_limits *limits = all[k].kind != KIND_PLAIN ? &all[k].limits : NULL;
        int32_t at = problem->n_term;
        status = pl_problem_add_limited(problem, &all[k].frame, limits, all[k].count, term + first);
        bool whole = problem->n_term - at == all[k].count; // each block once, as they are written
        if (h->version == STRETCHED && status == PL_OK && !whole) {
            status = damaged(r, "a constraint has a block twice");
        }
        for (int32_t t = 0; h->version == STRETCHED && status == PL_OK && t < all[k].count; t++) {
            status = pl_problem_stretch(problem, at + t, stretch + 6 * (first + t));
        }
        first += all[k].count;
    }
    pl_free(all);
    pl_free(term);
    pl_free(stretch);
    return status;
}

static pl_status get_all(reader *r, pl_recorded *out)
{
    header h;
    PL_TRY(get_header(r, &h));
    PL_TRY(get_matrix(r, &h, &out->A));
    PL_TRY(get_array(r, 3 * h.n, sizeof(double), (void **)&out->b));
    if (h.has_prescribed != 0) PL_TRY(get_array(r, h.n, 1, (void **)&out->prescribed));
    if (h.n_x > 0) PL_TRY(get_array(r, 3 * h.n_x, sizeof(double), (void **)&out->x));
    PL_TRY(get_array(r, 3 * h.n, sizeof(double), (void **)&out->v));
    PL_TRY(get_array(r, 3 * h.n_constraint, sizeof(double), (void **)&out->f));
    out->problem = (pl_problem){.A = &out->A,
                                .b = out->b,
                                .prescribed = out->prescribed,
                                .dt = h.dt,
                                .n_x = (int32_t)h.n_x,
                                .x = out->x};
    return add_constraints(r, &h, &out->problem);
}

pl_status pl_recorded_parse(const pl_bytes *bytes, const char *name, pl_recorded *out)
{
    *out = (pl_recorded){0};
    uint64_t sum = 0;
    size_t size = bytes->size < sizeof sum ? 0 : bytes->size - sizeof sum;
    reader r = {bytes->data, bytes->data + size, PL_HASH_START, name};
    pl_status status = get_all(&r, out);
    if (status == PL_OK) memcpy(&sum, r.end, sizeof sum);
    if (status == PL_OK && r.at != r.end) status = damaged(&r, "it goes on after its end");
    if (status == PL_OK && sum != r.sum) status = damaged(&r, "its checksum is another");
    if (status != PL_OK) pl_recorded_free(out);
    return status;
}

pl_status pl_recorded_read(const char *path, pl_recorded *out)
{
    *out = (pl_recorded){0};
    pl_bytes bytes;
    PL_TRY(pl_bytes_load(path, &bytes));
    pl_status status = pl_recorded_parse(&bytes, path, out);
    pl_bytes_free(&bytes);
    return status;
}

// --- Copying ---

// *to := a copy of `count` elements; nothing for NULL.
static bool copy_array(const void *from, int64_t count, size_t size, void **to)
{
    *to = NULL;
    if (from == NULL) return true;
    *to = pl_alloc(count, size);
    if (*to != NULL && count > 0) memcpy(*to, from, (size_t)count * size);
    return *to != NULL;
}

static bool copy_constraints(const pl_problem *from, pl_problem *to)
{
    to->n_constraint = from->n_constraint;
    to->n_term = from->n_term;
    to->n_arm = from->n_arm;
    to->n_limits = from->n_limits;
    to->constraint_capacity = from->n_constraint;
    to->entry_capacity = from->n_term;
    to->arm_capacity = 3 * (int64_t)from->n_arm;
    to->stretch_capacity = from->stretch != NULL ? 6 * (int64_t)from->n_arm : 0;
    to->limits_capacity = from->n_limits;
    return copy_array(from->constraint, from->n_constraint, sizeof *from->constraint,
                      (void **)&to->constraint) &&
           copy_array(from->entry, from->n_term, sizeof *from->entry, (void **)&to->entry) &&
           copy_array(from->arm, to->arm_capacity, sizeof *from->arm, (void **)&to->arm) &&
           copy_array(from->stretch, to->stretch_capacity, sizeof *from->stretch,
                      (void **)&to->stretch) &&
           copy_array(from->limits, from->n_limits, sizeof *from->limits, (void **)&to->limits);
}

static pl_status copy_all(const pl_problem *from, const double *v, const double *f, pl_recorded *to)
{
    int64_t n = from->A->n, m = from->n_constraint;
    PL_TRY(pl_bsr_create_rows((int32_t)n, from->A->row, from->A->col, &to->A));
    memcpy(to->A.val, from->A->val, 9 * (size_t)to->A.nnz * sizeof *to->A.val);
    bool all = copy_array(from->b, 3 * n, sizeof *to->b, (void **)&to->b) &&
               copy_array(from->prescribed, n, 1, (void **)&to->prescribed) &&
               copy_array(from->x, 3 * (int64_t)from->n_x, sizeof *to->x, (void **)&to->x) &&
               copy_array(v, 3 * n, sizeof *v, (void **)&to->v) &&
               copy_array(f, 3 * m, sizeof *f, (void **)&to->f);
    if (!all) return PL_ERROR_MEMORY;
    to->problem = (pl_problem){.A = &to->A,
                               .b = to->b,
                               .prescribed = to->prescribed,
                               .dt = from->dt,
                               .n_x = from->n_x,
                               .x = to->x};
    return copy_constraints(from, &to->problem) ? PL_OK : PL_ERROR_MEMORY;
}

pl_status pl_recorded_copy(const pl_problem *from, const double *v, const double *f,
                           pl_recorded *out)
{
    *out = (pl_recorded){0};
    pl_status status = copy_all(from, v, f, out);
    if (status != PL_OK) pl_recorded_free(out);
    return status;
}

void pl_recorded_free(pl_recorded *recorded)
{
    pl_problem_free(&recorded->problem);
    pl_bsr_free(&recorded->A);
    pl_free(recorded->b);
    pl_free(recorded->prescribed);
    pl_free(recorded->x);
    pl_free(recorded->v);
    pl_free(recorded->f);
    *recorded = (pl_recorded){0};
}
