// The tables of papers on rigid bodies, with ours beside them: what `pliant bench rigid --papers`
// gathers from the benchmarks of the single papers.

#ifndef PL_BENCH_PAPERS_H
#define PL_BENCH_PAPERS_H

#include "bench.h"

typedef enum pl_paper_table {
    PL_HO22_6_1,
    PL_HO22_6_2,
    PL_HO22_SOLVED, // not of the thesis: how many of the problems behind the means were solved
    PL_HO22_6_3,
    PL_HO22_6_4,
    PL_HO22_6_5,
    PL_LEF20_2_2,
    PL_LEF20_2_3,
    PL_LEF20_2_3_GAINS,
    PL_LEF20_2_4,
    PL_LEF20_3_1,
    PL_LIT13_7_1,
    PL_LIT13_7_1_COUNTS,
    PL_PAPER_TABLES
} pl_paper_table;

typedef struct pl_papers pl_papers;

// A number of a table: ours, and the paper's (NAN: it has none). Rows and columns come in the order
// in which they are first named, of at most 31 letters. Does nothing if there are no papers; fails
// with PL_ERROR_MEMORY.
pl_status pl_papers_add(pl_papers *papers, pl_paper_table table, const char *row,
                        const char *column, double ours, double theirs);

// Runs the benchmarks, prints all their tables once more side by side, and writes them:
// OUT/papers.csv, and a picture of each, OUT/ho22-table-6.2.svg and so on.
pl_status pl_bench_papers(const pl_bench_options *options);

#endif
