// Outcomes as tables: for people, as CSV, Markdown and JSON.

#include "comparison.h"
#include "../common/csv.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ROW_MAX = 2048, SOLVER_WIDTH = 13 };

// --- For people ---

void pl_table_head(bool rows, int width)
{
    if (rows) {
        printf("%-*s %8s %8s %-*s %-10s %10s %8s %8s %8s %9s %8s %8s %8s %8s %8s %16s\n", width,
               "problem", "rows", "unknowns", SOLVER_WIDTH, "solver", "end", "iterations", "inner",
               "pivots", "factors", "seconds", "natural", "energy", "primal", "dual", "compl.",
               "hash");
    } else {
        printf("%-*s %8s %8s %-*s %-10s %10s %8s %8s %8s %9s %8s %8s %8s %8s %8s %8s %8s %8s %8s "
               "%16s\n",
               width, "problem", "contacts", "unknowns", SOLVER_WIDTH, "solver", "end",
               "iterations", "products", "restarts", "changes", "seconds", "residual", "penetr.",
               "normal", "friction", "cone", "fischer", "joints", "energy", "fclib", "hash");
    }
    fflush(stdout); // what is said of a file stands below
}

static void print_number(double value)
{
    if (isnan(value)) { // not measured
        printf(" %8s", "-");
    } else {
        printf(" %8.2g", value);
    }
}

static void print_rows(const pl_outcome *o)
{
    const pl_complementarity_result *s = &o->plain;
    printf(" %10" PRId32 " %8" PRId64 " %8" PRId64 " %8" PRId64 " %9.4f", s->iterations, s->inner,
           s->pivots, s->factorizations, s->seconds);
    const double errors[] = {s->natural, s->energy, s->primal, s->dual, s->complementarity};
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) print_number(errors[i]);
    printf(" %016" PRIx64 "\n", s->hash);
}

static void print_contacts(const pl_outcome *o)
{
    const pl_solve_result *s = &o->contact;
    printf(" %10" PRId32 " %8" PRId64 " %8" PRId64 " %8" PRId64 " %9.4f", s->iterations,
           s->products, s->restarts, s->state_changes, s->seconds);
    const double errors[] = {s->residual, s->penetration, s->normal, s->friction,
                             s->cone,     s->fischer,     s->joint,  s->energy};
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
        print_number(isnan(s->residual) ? NAN : errors[i]);
    }
    print_number(o->relative);
    printf(" %016" PRIx64 "\n", s->hash);
}

void pl_table_row(const pl_outcome *o, const char *name, int width)
{
    printf("%-*s %8" PRId32 " %8" PRId64 " %-*s %-10s", width, name, o->contacts, o->unknowns,
           SOLVER_WIDTH, o->solver, o->end);
    if (o->rows) {
        print_rows(o);
    } else {
        print_contacts(o);
    }
    fflush(stdout);
}

// --- Columns of both kinds ---

// What an outcome has under a name; NAN where its kind has no such number.
typedef struct column {
    const char *name;
    double (*value)(const pl_outcome *o);
} column;

#define OF_CONTACTS(field)                                                                         \
    static double contact_##field(const pl_outcome *o)                                             \
    {                                                                                              \
        return o->rows || isnan(o->contact.residual) ? NAN : (double)o->contact.field;             \
    }
#define OF_ROWS(field)                                                                             \
    static double rows_##field(const pl_outcome *o)                                                \
    {                                                                                              \
        return o->rows ? (double)o->plain.field : NAN;                                             \
    }

OF_CONTACTS(residual)
OF_CONTACTS(penetration)
OF_CONTACTS(normal)
OF_CONTACTS(friction)
OF_CONTACTS(cone)
OF_CONTACTS(fischer)
OF_CONTACTS(joint)
OF_ROWS(inner)
OF_ROWS(pivots)
OF_ROWS(updates)
OF_ROWS(solves)
OF_ROWS(natural)
OF_ROWS(worst)
OF_ROWS(mean_energy)
OF_ROWS(primal)
OF_ROWS(dual)
OF_ROWS(complementarity)

static double energy_of(const pl_outcome *o)
{
    return o->rows ? o->plain.energy : isnan(o->contact.residual) ? NAN : o->contact.energy;
}

static double relative_of(const pl_outcome *o)
{
    return o->relative;
}

static double seconds_of(const pl_outcome *o)
{
    return o->seconds;
}

// Those of the first table that there was come first, so that what reads it goes on to.
static const column numbers[] = {
    {"seconds", seconds_of},
    {"residual", contact_residual},
    {"penetration", contact_penetration},
    {"constraint_error", contact_normal},
    {"friction_error", contact_friction},
    {"cone", contact_cone},
    {"fb_error", contact_fischer},
    {"joint_error", contact_joint},
    {"energy", energy_of},
};
static const column more[] = {
    {"fclib", relative_of},
    {"inner", rows_inner},
    {"pivots", rows_pivots},
    {"updates", rows_updates},
    {"solves", rows_solves},
    {"natural", rows_natural},
    {"worst", rows_worst},
    {"mean_energy", rows_mean_energy},
    {"primal", rows_primal},
    {"dual", rows_dual},
    {"complementarity", rows_complementarity},
};

enum { N_NUMBERS = sizeof numbers / sizeof *numbers, N_MORE = sizeof more / sizeof *more };

static uint64_t hash_of(const pl_outcome *o)
{
    return o->rows ? o->plain.hash : o->contact.hash;
}

// products, restarts, state changes and factorizations.
static void counts_of(const pl_outcome *o, int64_t count[4])
{
    count[0] = o->rows ? 0 : o->contact.products;
    count[1] = o->rows ? 0 : o->contact.restarts;
    count[2] = o->rows ? 0 : o->contact.state_changes;
    count[3] = o->rows ? o->plain.factorizations : o->contact.factorizations;
}

// --- CSV ---

static const char CSV_HEAD[] =
    "problem,contacts,unknowns,solver,end,iterations,products,restarts,state_changes,"
    "factorizations";

// In quotation marks if it needs them, and then with every one of its own doubled.
static void write_name(pl_output *out, const char *name)
{
    bool quoted = strpbrk(name, ",\"\r\n") != NULL;
    if (quoted) pl_output_write(out, "\"", 1);
    for (const char *p = name; *p != '\0'; p++) {
        if (*p == '"') pl_output_write(out, "\"", 1);
        pl_output_write(out, p, 1);
    }
    if (quoted) pl_output_write(out, "\"", 1);
}

static void write_numbers(pl_text *row, int n, const column *columns, const pl_outcome *o)
{
    for (int i = 0; i < n; i++) {
        pl_text_add(row, ",");
        pl_csv_add_number(row, columns[i].value(o));
    }
}

static void write_row(pl_output *out, const pl_outcome *o)
{
    char buffer[ROW_MAX];
    int64_t count[4];
    counts_of(o, count);
    pl_text row = pl_text_start(buffer, sizeof buffer);
    pl_text_add(&row, ",%" PRId32 ",%" PRId64 ",%s,%s,%" PRId32, o->contacts, o->unknowns,
                o->solver, o->end, o->iterations);
    for (int i = 0; i < 4; i++) pl_text_add(&row, ",%" PRId64, count[i]);
    write_numbers(&row, N_NUMBERS, numbers, o);
    pl_text_add(&row, ",%016" PRIx64 ",%s", hash_of(o), o->rows ? "rows" : "contacts");
    write_numbers(&row, N_MORE, more, o);
    pl_text_add(&row, "\n");
    PL_ASSERT(row.length < sizeof buffer);
    write_name(out, o->path);
    pl_output_write(out, buffer, row.length);
}

pl_status pl_table_csv(const pl_comparison *c, const char *path)
{
    pl_output out;
    PL_TRY(pl_output_open(path, &out));
    pl_output_write(&out, CSV_HEAD, sizeof CSV_HEAD - 1);
    for (int i = 0; i < N_NUMBERS; i++) pl_output_printf(&out, ",%s", numbers[i].name);
    pl_output_printf(&out, ",hash,kind");
    for (int i = 0; i < N_MORE; i++) pl_output_printf(&out, ",%s", more[i].name);
    pl_output_write(&out, "\n", 1);
    for (int64_t i = 0; i < c->n; i++) write_row(&out, &c->outcome[i]);
    return pl_output_close(&out);
}

// --- Markdown ---

static void print_cell(const char *text)
{
    for (const char *p = text; *p != '\0'; p++) {
        if (*p == '|') putchar('\\');
        putchar(*p);
    }
}

static void markdown_part(const pl_comparison *c, bool rows)
{
    bool any = false;
    for (int64_t i = 0; i < c->n; i++) {
        const pl_outcome *o = &c->outcome[i];
        if (o->rows != rows) continue;
        if (!any) {
            printf("\n| problem | %s | solver | end | iterations | s | %s | energy | %s |\n"
                   "|---|--:|---|---|--:|--:|--:|--:|--:|\n",
                   rows ? "rows" : "contacts", rows ? "natural map" : "residual",
                   rows ? "complementarity" : "worst of contacts [m]");
        }
        any = true;
        const pl_solve_result *s = &o->contact;
        double worst = fmax(fmax(s->penetration, s->normal), fmax(s->friction, s->cone));
        worst = fmax(worst, fmax(s->fischer, s->joint));
        printf("| ");
        print_cell(o->path);
        printf(" | %" PRId32 " | %s | %s | %" PRId32 " | %.4g | %.2g | %.2g | %.2g |\n",
               o->contacts, o->solver, o->end, o->iterations, o->seconds,
               rows ? o->plain.natural : s->residual, energy_of(o),
               rows ? o->plain.complementarity : worst);
    }
}

void pl_table_markdown(const pl_comparison *c)
{
    markdown_part(c, false);
    markdown_part(c, true);
}

// --- JSON ---

static void print_string(const char *text)
{
    putchar('"');
    for (const unsigned char *p = (const unsigned char *)text; *p != '\0'; p++) {
        if (*p == '"' || *p == '\\') putchar('\\');
        if (*p < 0x20) {
            printf("\\u%04x", *p);
        } else {
            putchar(*p);
        }
    }
    putchar('"');
}

static void print_members(int n, const column *columns, const pl_outcome *o)
{
    for (int i = 0; i < n; i++) {
        double value = columns[i].value(o);
        if (isnan(value)) continue;
        char text[64];
        pl_text t = pl_text_start(text, sizeof text);
        pl_csv_add_number(&t, value);
        printf(", \"%s\": %s", columns[i].name, isfinite(value) ? text : "null");
    }
}

void pl_table_json(const pl_comparison *c)
{
    static const char *const names[4] = {"products", "restarts", "state_changes", "factorizations"};
    printf("[\n");
    for (int64_t i = 0; i < c->n; i++) {
        const pl_outcome *o = &c->outcome[i];
        int64_t count[4];
        counts_of(o, count);
        printf("  {\"problem\": ");
        print_string(o->path);
        printf(", \"kind\": \"%s\", \"%s\": %" PRId32 ", \"unknowns\": %" PRId64,
               o->rows ? "rows" : "contacts", o->rows ? "rows" : "contacts", o->contacts,
               o->unknowns);
        printf(", \"solver\": ");
        print_string(o->solver);
        printf(", \"end\": \"%s\", \"solved\": %s, \"iterations\": %" PRId32, o->end,
               o->solved ? "true" : "false", o->iterations);
        for (int k = 0; k < 4; k++) printf(", \"%s\": %" PRId64, names[k], count[k]);
        print_members(N_NUMBERS, numbers, o);
        print_members(N_MORE, more, o);
        printf(", \"hash\": \"%016" PRIx64 "\"}%s\n", hash_of(o), i + 1 < c->n ? "," : "");
    }
    printf("]\n");
}
