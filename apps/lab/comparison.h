// Problems solved by several solvers: what came of each.

#ifndef PL_COMPARISON_H
#define PL_COMPARISON_H

#include "instance.h"

// The error before each iteration, and of the result, of solvers that tell.
typedef struct pl_convergence {
    double *iteration, *seconds, *error; // (n)
    int64_t n, capacity;
    double started;
    bool failed; // out of memory: what is there is kept
} pl_convergence;

// A problem, solved once. Texts are borrowed.
typedef struct pl_outcome {
    const char *path, *solver, *end;
    int64_t file; // number of the problem
    bool rows;    // plain rows; else contacts
    bool solved;
    int32_t contacts; // constraints, or rows
    int64_t unknowns;
    int32_t iterations;
    double seconds;
    pl_solve_result contact;         // of contacts
    double relative;                 // the usual measure of FCLIB; NAN: none
    pl_complementarity_result plain; // of rows
    pl_convergence trace;
} pl_outcome;

typedef struct pl_comparison {
    pl_outcome *outcome; // (n)
    int64_t n, capacity;
    int64_t n_file; // problems, those that were refused too
} pl_comparison;

void pl_comparison_free(pl_comparison *c);

// What to solve with.
typedef struct pl_attempt {
    pl_solve_options contact;
    pl_complementarity_options rows;
    bool cold;  // contacts start from rest
    bool trace; // errors are kept
} pl_attempt;

// Solves by the solver of this name, which must be one for problems of its kind, and appends the
// outcome. The instance keeps the result.
pl_status pl_comparison_solve(pl_comparison *c, const pl_attempt *attempt, const char *path,
                              const char *solver, pl_instance *instance);

// The outcomes as a table for people, column by column; `name` and `width` are those of the
// problem.
void pl_table_head(bool rows, int width);
void pl_table_row(const pl_outcome *outcome, const char *name, int width);

// The same as comma-separated values, as a table of Markdown and as JSON. Fail as writing does.
pl_status pl_table_csv(const pl_comparison *c, const char *path);
void pl_table_markdown(const pl_comparison *c);
void pl_table_json(const pl_comparison *c);

// Performance profiles [Dolan & More 2002]: for each solver, the share of problems that it solves
// within so many times the least time, and the least count of iterations, that any needs. As SVG.
pl_status pl_profile_draw(const pl_comparison *c, const char *path);

// The share of problems of solver `name` solved within `ratio` times the best, by time or by
// iterations: what is drawn.
double pl_profile_share(const pl_comparison *c, const char *name, bool by_time, double ratio);

// Errors over iterations, and over time in a second picture: "a.svg" and "a-time.svg". *drawn is
// false, and there is no picture, if no solver has told any.
pl_status pl_convergence_draw(const pl_comparison *c, const char *path, bool *drawn);

#endif
