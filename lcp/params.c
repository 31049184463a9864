#include "params.h"
#include "../base/number.h"
#include "../base/text.h"

#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { MOST_NAMES = 32, WORD_ROOM = 64, NO = 0, YES = 1 };

static const char *const precond_names[] = {[PL_LCP_PRECOND_NONE] = "none",
                                            [PL_LCP_PRECOND_JACOBI] = "jacobi",
                                            [PL_LCP_PRECOND_IC] = "ic",
                                            [PL_LCP_PRECOND_IC_SHIFT] = "ic-shift",
                                            [PL_LCP_PRECOND_IC_PARTIAL] = "ic-partial",
                                            [PL_LCP_PRECOND_ICT] = "ict",
                                            [PL_LCP_PRECOND_IMAGINARY] = "imaginary"};
static const char *const inner_names[] = {[PL_LCP_INNER_EXACT] = "exact",
                                          [PL_LCP_INNER_KRYLOV] = "krylov",
                                          [PL_LCP_INNER_PERTURBED] = "perturbed"};
static const char *const switch_names[] = {[NO] = "no", [YES] = "yes"};

typedef enum kind { NUMBER, COUNT, BYTES, SWITCH, PRECOND, INNER } kind;

// One option: where it stands, its range, and which solvers have it; '*' ends a name that others
// go on from.
typedef struct param {
    const char *name;
    kind kind;
    size_t offset;
    double least, most;
    bool open; // the ends of the range are not in it
    const char *solvers, *help;
} param;

#define AT(field) offsetof(pl_lcp_options, field)

static const param params[] = {
    {"p", COUNT, AT(patience), 1, INT_MAX, false, "bpp*,murty",
     "block pivots without fewer violations, before single ones [Judice & Pires]"},
    {"pivot_tolerance", NUMBER, AT(pivot_tolerance), 0, INFINITY, true,
     "bpp*,murty,dantzig,keller,pdasm,schurpa,pgcg", "what is less does not pivot, unit of w"},
    {"relaxation", NUMBER, AT(relaxation), 0, 2, true, "psor", "1 is pgs"},
    {"over_relaxation", NUMBER, AT(over_relaxation), 0, 2, true, "admm", "1 is none"},
    {"precond", PRECOND, AT(precond), 0, 0, false, "bpp-pcg,pgcg",
     "none, jacobi, ic, ic-shift, ic-partial, ict or imaginary"},
    {"prescale", SWITCH, AT(prescale), 0, 0, false, "bpp-pcg,pgcg",
     "yes: to a unit diagonal, before it is factored"},
    {"drop", NUMBER, AT(drop), 0, 1, true, "bpp-pcg,pgcg", "of ict: part of a column"},
    {"fill", COUNT, AT(fill), 0, INT_MAX, false, "bpp-pcg,pgcg", "of ict: entries of a column"},
    {"inner_tolerance", NUMBER, AT(inner_tolerance), 0, INFINITY, true,
     "bpp-pcg,pgcg,pgs-sm,fischer*,penalised,minmap", "of inner iterations, unit of w"},
    {"max_inner", COUNT, AT(max_inner), 1, INT_MAX, false,
     "bpp-pcg,pgcg,pgs-sm,fischer*,penalised,minmap", "of these in an outer one"},
    {"regularize", NUMBER, AT(regularize), 0, INFINITY, false, "bpp*,murty,pgcg",
     "eps of [Ho22, Alg. 9], unit of M; 0: never"},
    {"regularize_after", COUNT, AT(regularize_after), 0, INT_MAX, false, "bpp*,murty,pgcg",
     "d of it: pivots of a row"},
    {"max_solves", COUNT, AT(max_solves), 1, INT_MAX, false, "schurpa", "before a new factor"},
    {"cache_bytes", BYTES, AT(cache_bytes), 0, 1e15, false, "bpp-cache,schurpa",
     "of factors, or of columns"},
    {"inner", INNER, AT(inner), 0, 0, false, "fischer,penalised,minmap",
     "exact, krylov or perturbed"},
    {"restart", COUNT, AT(restart), 1, 10000, false, "fischer*,penalised,minmap",
     "of GMRES: vectors"},
    {"perturbation", NUMBER, AT(perturbation), 0, INFINITY, true, "fischer,penalised,minmap",
     "of perturbed, at the start: part of M_ii"},
    {"penalty", NUMBER, AT(penalty), 0, 1, true, "penalised", "weight of Fischer's function"},
};

enum { PARAMS = sizeof params / sizeof *params };

// Is `solver` among those of a list?
static bool listed(const char *list, const char *solver)
{
    for (const char *at = list;;) {
        size_t n = strcspn(at, ",");
        bool open = n > 0 && at[n - 1] == '*';
        if (open ? strncmp(at, solver, n - 1) == 0
                 : strlen(solver) == n && strncmp(at, solver, n) == 0) {
            return true;
        }
        if (at[n] == '\0') return false;
        at += n + 1;
    }
}

static pl_status find_param(const char *solver, const char *name, const param **out)
{
    const char *names[MOST_NAMES];
    int n = 0;
    for (int i = 0; i < PARAMS; i++) {
        if (!listed(params[i].solvers, solver)) continue;
        *out = &params[i];
        names[n++] = params[i].name;
        if (strcmp(name, params[i].name) == 0) return PL_OK;
    }
    if (n == 0) return pl_fail(PL_ERROR_ARGUMENT, "the solver %s has no parameters", solver);
    return pl_fail_unknown(PL_ERROR_ARGUMENT, "parameter", name, strlen(name), names, n);
}

static pl_status take_name(const char *value, const char *const *names, int n, int *to)
{
    for (int i = 0; i < n; i++) {
        if (strcmp(value, names[i]) == 0) *to = i;
        if (strcmp(value, names[i]) == 0) return PL_OK;
    }
    return pl_fail_unknown(PL_ERROR_ARGUMENT, "value", value, strlen(value), names, n);
}

static pl_status take_number(const param *p, const char *value, void *to)
{
    double x = 0;
    const char *end = value + strlen(value);
    bool whole = p->kind != NUMBER, parsed = pl_parse_double(value, &x) == end;
    bool inside = p->open ? x > p->least && (x < p->most || (p->most == 1 && x == 1))
                          : x >= p->least && x <= p->most;
    if (!parsed || !isfinite(x) || !inside || (whole && x != floor(x))) {
        char range[WORD_ROOM];
        if (p->most >= INT_MAX)
            snprintf(range, sizeof range, "%s %g", p->open ? "above" : "from", p->least);
        if (p->most < INT_MAX)
            snprintf(range, sizeof range, "between %g and %g", p->least, p->most);
        return pl_fail(PL_ERROR_ARGUMENT, "\"%s\": %s %s expected", value,
                       whole ? "a whole number" : "a number", range);
    }
    if (p->kind == NUMBER) *(double *)to = x;
    if (p->kind == COUNT) *(int32_t *)to = (int32_t)x;
    if (p->kind == BYTES) *(int64_t *)to = (int64_t)x;
    return PL_OK;
}

static pl_status take_value(const param *p, const char *value, pl_lcp_options *options)
{
    void *to = (char *)options + p->offset;
    int found = 0;
    switch (p->kind) {
    case SWITCH:
        PL_TRY(take_name(value, switch_names, 2, &found));
        *(bool *)to = found == YES;
        return PL_OK;
    case PRECOND:
        PL_TRY(take_name(value, precond_names, PL_LCP_N_PRECOND, &found));
        *(pl_lcp_precond *)to = (pl_lcp_precond)found;
        return PL_OK;
    case INNER:
        PL_TRY(take_name(value, inner_names, PL_LCP_N_INNER, &found));
        *(pl_lcp_inner *)to = (pl_lcp_inner)found;
        return PL_OK;
    case NUMBER:
    case COUNT:
    case BYTES:
        break;
    }
    return take_number(p, value, to);
}

// "solver.name=value".
static pl_status apply_one(char *word, const char *solver, pl_lcp_options *options)
{
    const pl_lcp_solver *found;
    const param *p = NULL;
    pl_lcp_options scratch = *options;
    char *dot = strchr(word, '.'), *equals = strchr(word, '=');
    if (dot == NULL || equals == NULL || equals < dot) {
        return pl_fail(PL_ERROR_ARGUMENT, "\"%s\": SOLVER.NAME=VALUE expected", word);
    }
    *dot = *equals = '\0';
    pl_status status = pl_lcp_solver_find(word, &found);
    if (status == PL_OK) status = find_param(word, dot + 1, &p);
    if (status == PL_OK) {
        bool meant = strcmp(word, solver) == 0;
        status = take_value(p, equals + 1, meant ? options : &scratch);
    }
    *dot = '.';
    if (status != PL_OK) pl_fail_prefix(word);
    return status;
}

pl_status pl_lcp_params_apply(const char *text, const char *solver, pl_lcp_options *options)
{
    for (const char *at = text; at != NULL;) {
        char word[WORD_ROOM + PL_DIGITS_STEP] = {0};
        size_t n = strcspn(at, ",");
        if (n >= WORD_ROOM) {
            return pl_fail(PL_ERROR_ARGUMENT, "\"%.40s...\": SOLVER.NAME=VALUE expected", at);
        }
        snprintf(word, sizeof word, "%.*s", (int)n, at);
        PL_TRY(apply_one(word, solver, options));
        at = at[n] == ',' ? at + n + 1 : NULL;
    }
    return PL_OK;
}

pl_status pl_complementarity_parameters_check(const char *parameters)
{
    pl_lcp_options all = pl_lcp_options_default();
    return pl_lcp_params_apply(parameters, "", &all);
}

size_t pl_complementarity_parameter_help(char *buffer, size_t size)
{
    pl_text text = pl_text_start(buffer, size);
    for (int i = 0; i < PARAMS; i++) {
        pl_text_add(&text, "%-17s %s (%s)\n", params[i].name, params[i].help, params[i].solvers);
    }
    return text.length;
}
