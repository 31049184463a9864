#include "bench_papers.h"
#include "bench_lcp.h"
#include "bench_scene.h"
#include "../../base/file.h"
#include "../plot/plot.h"

#include <stdio.h>
#include <string.h>

enum { MOST = 32, NAME = 32 }; // rows and columns of a table; letters

typedef struct entry {
    pl_paper_table table;
    char row[NAME], column[NAME];
    double ours, theirs;
} entry;

struct pl_papers {
    entry *entry; // (n)
    int64_t n, capacity;
};

static const struct {
    const char *paper, *file, *title;
} tables[PL_PAPER_TABLES] = {
    [PL_HO22_6_1] = {"Ho22", "ho22-table-6.1", "Table 6.1: the scenes"},
    [PL_HO22_6_2] = {"Ho22", "ho22-table-6.2", "Table 6.2: outer iterations"},
    [PL_HO22_SOLVED] = {"Ho22", "ho22-solved", "share of our steps that were solved"},
    [PL_HO22_6_3] = {"Ho22", "ho22-table-6.3", "Table 6.3: largest error [J]"},
    [PL_HO22_6_4] = {"Ho22", "ho22-table-6.4", "Table 6.4: time of a step [ms]"},
    [PL_HO22_6_5] = {"Ho22", "ho22-table-6.5",
                     "Table 6.5: outer iterations of BPP+PCG, regularized after d pivots"},
    [PL_LEF20_2_2] = {"Lef20", "lef20-table-2.2", "Table 2.2: the scenes"},
    [PL_LEF20_2_3] = {"Lef20", "lef20-table-2.3", "Table 2.3: time of a step [ms]"},
    [PL_LEF20_2_3_GAINS] = {"Lef20", "lef20-table-2.3-gains",
                            "Table 2.3: gain over a full dense factor"},
    [PL_LEF20_2_4] = {"Lef20", "lef20-table-2.4",
                      "Table 2.4: difference of factors by removal from new ones"},
    [PL_LEF20_3_1] = {"Lef20", "lef20-table-3.1", "Table 3.1: rows, and factors in the cache"},
    [PL_LIT13_7_1] = {"Lit13", "lit13-table-7.1", "Table 7.1: time [ms], theirs on a GTX 580"},
    [PL_LIT13_7_1_COUNTS] = {"Lit13", "lit13-table-7.1-counts",
                             "Table 7.1: factors, solves, iterations"},
};

pl_status pl_papers_add(pl_papers *papers, pl_paper_table table, const char *row,
                        const char *column, double ours, double theirs)
{
    if (papers == NULL) return PL_OK;
    PL_ASSERT(strlen(row) < NAME && strlen(column) < NAME);
    PL_TRY(pl_reserve((void **)&papers->entry, &papers->capacity, papers->n + 1,
                      sizeof *papers->entry));
    entry *e = &papers->entry[papers->n++];
    *e = (entry){.table = table, .ours = ours, .theirs = theirs};
    snprintf(e->row, NAME, "%s", row);
    snprintf(e->column, NAME, "%s", column);
    return PL_OK;
}

// --- One table ---

// Its rows and columns, and what stands where they meet.
typedef struct grid {
    pl_paper_table table;
    int32_t n_row, n_column;
    const char *row[MOST], *column[MOST];
    double ours[MOST][MOST], theirs[MOST][MOST]; // by column and row; NAN: none
} grid;

static int32_t place(const char *name, const char **names, int32_t *n)
{
    for (int32_t i = 0; i < *n; i++) {
        if (strcmp(names[i], name) == 0) return i;
    }
    PL_ASSERT(*n < MOST);
    names[*n] = name;
    return (*n)++;
}

static void lay_out(const pl_papers *papers, pl_paper_table table, grid *g)
{
    *g = (grid){.table = table};
    for (int32_t i = 0; i < MOST * MOST; i++) {
        g->ours[i / MOST][i % MOST] = g->theirs[i / MOST][i % MOST] = NAN;
    }
    for (int64_t i = 0; i < papers->n; i++) {
        const entry *e = &papers->entry[i];
        if (e->table != table) continue;
        int32_t r = place(e->row, g->row, &g->n_row);
        int32_t c = place(e->column, g->column, &g->n_column);
        g->ours[c][r] = e->ours;
        g->theirs[c][r] = e->theirs;
    }
}

static void write_cell(double x, char text[NAME])
{
    if (isnan(x)) {
        snprintf(text, NAME, "-");
    } else if (fabs(x) >= 100 && fabs(x) < 1e6) {
        snprintf(text, NAME, "%.0f", x);
    } else {
        snprintf(text, NAME, "%.3g", x);
    }
}

// "ours / theirs", in columns as wide as their heads.
static void print(const grid *g)
{
    printf("\n[%s] %s; ours / the paper's\n  %-12s", tables[g->table].paper, tables[g->table].title,
           "");
    for (int32_t c = 0; c < g->n_column; c++) printf("  %20s", g->column[c]);
    printf("\n");
    for (int32_t r = 0; r < g->n_row; r++) {
        printf("  %-12s", g->row[r]);
        for (int32_t c = 0; c < g->n_column; c++) {
            char ours[NAME], theirs[NAME], cell[2 * NAME + 4];
            write_cell(g->ours[c][r], ours);
            write_cell(g->theirs[c][r], theirs);
            snprintf(cell, sizeof cell, "%s / %s", ours, theirs);
            printf("  %20s", cell);
        }
        printf("\n");
    }
}

// Circles are ours, crosses the paper's.
static pl_status draw(const pl_bench_options *options, const grid *g)
{
    char title[128], file[64], *path;
    double at[MOST];
    pl_curve curve[2 * PL_PLOT_COLOURS];
    int32_t n = 0;
    for (int32_t r = 0; r < g->n_row; r++) at[r] = r;
    for (int32_t c = 0; c < PL_MIN(g->n_column, PL_PLOT_COLOURS); c++) {
        curve[n] =
            (pl_curve){.label = g->column[c], .colour = c, .x = at, .y = g->ours[c], .n = g->n_row};
        curve[n + 1] = curve[n];
        curve[n].points = curve[n + 1].crosses = true;
        curve[n + 1].label = NULL;
        curve[n + 1].y = g->theirs[c];
        n += 2;
    }
    snprintf(title, sizeof title, "%s, %s", tables[g->table].paper, tables[g->table].title);
    const pl_panel panel = {
        .title = "Circles: ours; crosses: the paper's", .log = true, .curve = curve, .n_curve = n};
    const pl_plot plot = {.title = title,
                          .x_label = "",
                          .x_name = g->row,
                          .n_x_name = g->n_row,
                          .panel = &panel,
                          .n_panel = 1};
    snprintf(file, sizeof file, "%s.svg", tables[g->table].file);
    PL_TRY(pl_bench_path(options, "", file, &path));
    pl_status status = pl_plot_write(&plot, path);
    pl_free(path);
    return status;
}

static pl_status write_csv(const pl_bench_options *options, const pl_papers *papers)
{
    char *path;
    pl_output csv;
    PL_TRY(pl_bench_path(options, "", "papers.csv", &path));
    pl_status status = pl_output_open(path, &csv);
    if (status == PL_OK) {
        pl_output_printf(&csv, "paper,table,row,column,ours,theirs\n");
        for (int64_t i = 0; i < papers->n; i++) {
            const entry *e = &papers->entry[i];
            pl_output_printf(&csv, "%s,%s,%s,\"%s\",%.6g,%.6g\n", tables[e->table].paper,
                             tables[e->table].file, e->row, e->column, e->ours, e->theirs);
        }
        status = pl_output_close(&csv);
    }
    if (status == PL_OK) printf("\n%s: these tables; a picture of each is beside it\n", path);
    pl_free(path);
    return status;
}

static pl_status report(const pl_bench_options *options, const pl_papers *papers)
{
    static grid g;
    for (int t = 0; t < PL_PAPER_TABLES; t++) {
        lay_out(papers, (pl_paper_table)t, &g);
        if (g.n_row == 0) continue;
        print(&g);
        PL_TRY(draw(options, &g));
    }
    return write_csv(options, papers);
}

// --- All of them ---

pl_status pl_bench_papers(const pl_bench_options *options)
{
    static pl_status (*const runs[])(const pl_bench_options *) = {
        pl_bench_ho22, pl_bench_lef20, pl_bench_lcp_gains, pl_bench_schurpa};
    pl_papers papers = {0};
    pl_bench_options with = *options;
    pl_status status = PL_OK;
    with.papers = &papers;
    for (size_t i = 0; i < sizeof runs / sizeof *runs && status == PL_OK; i++) {
        status = runs[i](&with);
    }
    if (status == PL_OK) status = report(options, &papers);
    pl_free(papers.entry);
    return status;
}
