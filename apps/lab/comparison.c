#include "comparison.h"

#include <math.h>
#include <string.h>

// Above this, the measure of FCLIB is left out of problems that are not from there: it takes
// copies.
enum { MOST_BLOCKS = 20000 };

void pl_comparison_free(pl_comparison *c)
{
    for (int64_t i = 0; i < c->n; i++) {
        pl_free(c->outcome[i].trace.iteration);
        pl_free(c->outcome[i].trace.seconds);
        pl_free(c->outcome[i].trace.error);
    }
    pl_free(c->outcome);
    *c = (pl_comparison){0};
}

static bool make_room(pl_convergence *t)
{
    int64_t need = t->n + 1, capacity[3] = {t->capacity, t->capacity, t->capacity};
    bool all =
        pl_reserve((void **)&t->iteration, &capacity[0], need, sizeof *t->iteration) == PL_OK &&
        pl_reserve((void **)&t->seconds, &capacity[1], need, sizeof *t->seconds) == PL_OK &&
        pl_reserve((void **)&t->error, &capacity[2], need, sizeof *t->error) == PL_OK;
    if (all) t->capacity = capacity[0];
    return all;
}

static void add_point(pl_convergence *t, int32_t iteration, double error)
{
    t->failed = t->failed || (t->n == t->capacity && !make_room(t));
    if (t->failed) return;
    t->iteration[t->n] = iteration;
    t->seconds[t->n] = pl_seconds() - t->started;
    t->error[t->n++] = error;
}

static void keep_rows(int32_t iteration, double error, void *user)
{
    add_point(user, iteration, error);
}

static void keep_contacts(int32_t iteration, double residual, double constraint, void *user)
{
    (void)constraint;
    add_point(user, iteration, residual);
}

static pl_status solve_rows_once(const pl_attempt *attempt, pl_instance *instance, pl_outcome *o)
{
    pl_complementarity_options options = attempt->rows;
    if (attempt->trace) options.trace = keep_rows, options.trace_user = &o->trace;
    o->rows = true;
    o->contacts = instance->n;
    o->unknowns = instance->n;
    o->relative = NAN;
    PL_TRY(pl_complementarity_start(instance->rows, instance->x));
    o->trace.started = pl_seconds();
    PL_TRY(pl_complementarity_solve(instance->rows, o->solver, &options, instance->x, &o->plain));
    if (o->trace.n > 0) add_point(&o->trace, o->plain.iterations, o->plain.natural);
    o->solved = o->plain.solved;
    o->end = o->plain.end;
    o->iterations = o->plain.iterations;
    o->seconds = o->plain.seconds;
    return PL_OK;
}

// W of a file need not be symmetric, as that of a step is. Then its symmetric part S is solved
// with, and what the other part K brings to u is that of the impulses before: u = S r + (q + K r').
// K is small, and the rounds end where r and r' agree, or where they get no nearer.
enum { MOST_ROUNDS = 60, PATIENCE = 4 };
// Of the tolerance: what rounds may leave of u beside the error of the solver.
static const double SKEW_SHARE = 0.1;

// How far u is from what it would be with r in place of r' (`before`): by the measure of the file,
// which knows cones; by other friction models as it stands. Infinite if there is no memory.
static double disagreement(const pl_solve_options *options, pl_instance *instance,
                           const double *before)
{
    double out;
    if (strcmp(options->friction_model, "cone") == 0) return pl_instance_measure(instance);
    return pl_instance_skew(instance, before, &out) == PL_OK ? out / SKEW_SHARE : INFINITY;
}

// before (3*constraints): the impulses that q is of.
static pl_status solve_rounds(const pl_solve_options *options, pl_instance *instance,
                              double *before, pl_outcome *o)
{
    double best = disagreement(options, instance, before), enough = options->contact_tolerance;
    double started = pl_seconds() - o->contact.seconds, now = best;
    size_t size = 3 * (size_t)instance->size.constraints * sizeof *before;
    for (int round = 0, since = 0; round < MOST_ROUNDS && now > enough && since < PATIENCE;
         round++) {
        int32_t iterations = o->contact.iterations;
        double seconds = o->contact.seconds; // of solves: q is no solver's work
        bool late = options->max_seconds > 0 && pl_seconds() - started > options->max_seconds;
        if (late) break;
        PL_TRY(pl_instance_update(instance));
        memcpy(before, instance->f, size);
        PL_TRY(pl_problem_solve(instance->problem, o->solver, options, instance->v, instance->f,
                                &o->contact));
        o->contact.iterations += iterations;
        o->contact.seconds += seconds;
        now = disagreement(options, instance, before);
        since = now < 0.9 * best ? 0 : since + 1;
        best = fmin(best, now);
    }
    if (now > enough && o->contact.end == PL_SOLVE_CONVERGED) {
        o->contact.end = PL_SOLVE_STALLED;
        pl_fail(PL_ERROR_NUMERICS, "W is not symmetric, and the rounds do not converge");
    }
    return PL_OK;
}

static pl_status solve_contacts_once(const pl_attempt *attempt, pl_instance *instance,
                                     pl_outcome *o)
{
    pl_solve_options options = attempt->contact;
    if (attempt->trace) options.trace = keep_contacts, options.trace_user = &o->trace;
    o->contacts = instance->size.constraints;
    o->unknowns = instance->size.unknowns;
    PL_TRY(pl_problem_start(instance->problem, attempt->cold, instance->v, instance->f));
    bool rounds = instance->fclib.K.n_col > 0;
    double *before = NULL;
    if (rounds) { // q is of the start, not of what another solver has left
        PL_TRY(pl_instance_update(instance));
        int64_t n = 3 * (int64_t)instance->size.constraints;
        before = pl_alloc(n, sizeof *before);
        if (before == NULL) return PL_ERROR_MEMORY;
        memcpy(before, instance->f, (size_t)n * sizeof *before);
    }
    o->trace.started = pl_seconds();
    pl_status status = pl_problem_solve(instance->problem, o->solver, &options, instance->v,
                                        instance->f, &o->contact);
    if (status == PL_OK && o->trace.n > 0) {
        add_point(&o->trace, o->contact.iterations, o->contact.residual);
    }
    if (status == PL_OK && rounds) status = solve_rounds(&options, instance, before, o);
    pl_free(before);
    PL_TRY(status);
    o->solved = o->contact.end == PL_SOLVE_CONVERGED;
    o->end = pl_solve_end_name(o->contact.end);
    o->iterations = o->contact.iterations;
    o->seconds = o->contact.seconds;
    bool measured = instance->format == PL_FORMAT_FCLIB || o->unknowns <= 3 * MOST_BLOCKS;
    char why[512];
    strncpy(why, pl_error_text(), sizeof why - 1)[sizeof why - 1] = '\0';
    o->relative = measured ? pl_instance_measure(instance) : NAN;
    if (!o->solved) pl_fail(PL_ERROR_NUMERICS, "%s", why); // measuring may have said another
    return PL_OK;
}

// The first solver of a problem takes the memory that all others then use, and pays for its pages:
// short solves are made again, to the same bits, and the least time counts.
enum { REPEATS = 3 };
static const double SHORT = 0.02; // [s]

static pl_status solve_again(const pl_attempt *attempt, pl_instance *instance, pl_outcome *o)
{
    double least = INFINITY;
    bool again = true;
    for (int i = 0; i < REPEATS && again; i++) {
        PL_TRY(instance->rows != NULL ? solve_rows_once(attempt, instance, o)
                                      : solve_contacts_once(attempt, instance, o));
        least = fmin(least, o->seconds);
        again = o->seconds < SHORT && !attempt->trace;
    }
    o->seconds = o->contact.seconds = o->plain.seconds = least;
    return PL_OK;
}

pl_status pl_comparison_solve(pl_comparison *c, const pl_attempt *attempt, const char *path,
                              const char *solver, pl_instance *instance)
{
    PL_TRY(pl_reserve((void **)&c->outcome, &c->capacity, c->n + 1, sizeof *c->outcome));
    pl_outcome *o = c->outcome + c->n;
    *o = (pl_outcome){.path = path, .solver = solver, .file = c->n_file - 1};
    pl_status status = solve_again(attempt, instance, o);
    if (status != PL_OK) {
        pl_free(o->trace.iteration);
        pl_free(o->trace.seconds);
        pl_free(o->trace.error);
        return status;
    }
    c->n++;
    return PL_OK;
}
