// The default solver: apg first, and where that would take long, newton or cone-newton, by what
// they cost.
//
// Work is counted in multiplications of numbers, which depend on the problem alone.

#include "cone_newton.h"
#include "device.h"
#include "newton.h"
#include "vectors.h"

#include <math.h>

enum {
    FIRST_STEPS = 20,   // of apg, twice: most small steps in time are solved by then
    DEVICE_STEPS = 200, // of apg on a device, before the CPU goes on
    MORE_STEPS = 60,    // of apg, that may be left to do: fewer than a hierarchy costs
    FAR_STEPS =
        120, // more are not taken to be left: cone-newton needs about so many, whatever apg would
    SWEEPS = 1000,     // of apg, after which newton is looked at
    JOINT_SWEEPS = 50, // the same where there are joints: sweeps spread slowly along chains
    MANY = 2500,       // blocks of A; if there are more, newton is looked at only
    LONG = 200,        // after so many iterations
    LEAST_STEPS = 10,  // of cone-newton, if it is taken at all
    RIGID_BLOCKS = 4,  // of two rigid bodies, from which on newton is the first
};

// A solve by newton is taken to need so many factors, and solves with them.
static const double NEWTON_FACTORS = 4, NEWTON_SOLVES = 20;
// Products with A and sweeps in an iteration of apg or cone-newton, and what a sweep takes for a
// contact.
static const double STEP_PRODUCTS = 3, STEP_SWEEPS = 8, SWEEP_WORK = 160;
// Of rigid bodies that contacts join, above which newton is the first, also among soft ones: sweeps
// need about as many rounds as the ratio. Where all are rigid it always is: a stack of ten boxes
// takes a fifteenth of the time, 48 bricks a ninth, falling dominoes a fifth.
static const double MASS_RATIO = 100;
// No factor takes more multiplications than this: a few seconds.
static const double MOST_WORK = 1e10;

typedef struct automatic {
    const pl_problem *problem;
    const pl_solver_options *options;
    pl_workspace *ws;
    double *v, *f;
    double *v_given, *f_given; // those that it starts with
    pl_apg apg;
    double left;        // steps of apg that seem to be left
    double newton_work; // 0: not known yet; infinite: too much
    bool tried;         // newton, in vain
} automatic;

// Iterations that are allowed still.
static int32_t allowed(const automatic *s, const pl_solve_stats *stats)
{
    return s->options->max_iterations - stats->iterations;
}

// Of an iteration of apg or cone-newton.
static double step_work(const automatic *s)
{
    double products = STEP_PRODUCTS * 9 * (double)s->problem->A->nnz;
    return products + STEP_SWEEPS * SWEEP_WORK * s->problem->n_constraint;
}

static pl_status find_newton_work(automatic *s)
{
    pl_arena_mark mark = pl_arena_here(&s->ws->arena);
    pl_newton newton;
    if (s->newton_work > 0) return PL_OK;
    PL_TRY(pl_newton_create(s->problem, s->options, s->ws, s->v, s->f, &newton));
    PL_TRY(pl_newton_analyze(&newton));
    double factor = pl_newton_work(&newton), solve = 18 * (double)newton.H.factor.nnz;
    bool fits = factor <= MOST_WORK;
    s->newton_work = fits ? NEWTON_FACTORS * factor + NEWTON_SOLVES * solve : INFINITY;
    pl_arena_back(&s->ws->arena, mark);
    return PL_OK;
}

// newton on each set that is not solved. From the impulses given, if `anew`: those of the last step
// tell it more about faces than what apg has come to. stats->end is PL_SOLVE_STALLED if it did not
// help.
static pl_status try_newton(automatic *s, bool anew, pl_solve_stats *stats)
{
    pl_arena_mark mark = pl_arena_here(&s->ws->arena);
    pl_split split;
    s->tried = true;
    PL_TRY(pl_split_create(s->problem, &s->ws->arena, &split));
    const pl_newton_sets sets = {.split = &split,
                                 .most_work = INFINITY,
                                 .v = anew ? s->v_given : NULL,
                                 .f = anew ? s->f_given : NULL};
    PL_TRY(pl_newton_solve_sets(&sets, s->options, s->ws, s->v, s->f, stats));
    // First in later solves with this matrix, if it has paid in this one.
    bool paid = s->newton_work <= step_work(s) * stats->iterations;
    s->ws->direct = stats->end == PL_SOLVE_CONVERGED && (paid || s->problem->A->n <= MANY);
    if (stats->end == PL_SOLVE_BREAKDOWN) stats->end = PL_SOLVE_STALLED;
    pl_arena_back(&s->ws->arena, mark);
    return PL_OK;
}

// --- Before ---

// How many more steps of apg it takes, if its residual goes on to fall as it did in the last n from
// what it was before; 0 if it is there.
static double steps_left(const pl_apg *apg, double before, int32_t n)
{
    if (apg->residual <= 1) return 0;
    return apg->residual < before ? n * log(apg->residual) / log(before / apg->residual) : INFINITY;
}

// n steps of apg. Where the contacts take most of their time, as those of rigid bodies do, and more
// than newton would: *costly, and there may be fewer.
static pl_status run_apg(automatic *s, int32_t n, bool *costly, pl_solve_stats *stats)
{
    int32_t end = stats->iterations + PL_MIN(n, allowed(s, stats));
    *costly = false;
    stats->end = pl_apg_run(&s->apg, s->options, end - stats->iterations, stats);
    if (stats->end != PL_SOLVE_LIMIT || stats->iterations == end) return PL_OK;
    s->apg.most_swept = 0;
    PL_TRY(find_newton_work(s));
    double swept = SWEEP_WORK * (double)s->apg.n_swept * s->problem->n_constraint;
    *costly = s->newton_work <= swept;
    if (*costly) return PL_OK;
    stats->end = pl_apg_run(&s->apg, s->options, end - stats->iterations, stats);
    return PL_OK;
}

// Steps of apg, as many as pay: PL_SOLVE_LIMIT if these do not solve it.
static pl_status start(automatic *s, pl_solve_stats *stats)
{
    bool costly;
    pl_apg_start(&s->apg, s->v, s->f, stats);
    int32_t sweeps = s->problem->n_limits > 0 ? JOINT_SWEEPS : SWEEPS;
    s->apg.most_swept = s->problem->A->n <= MANY && !s->tried ? sweeps : 0;
    s->left = INFINITY;
    PL_TRY(run_apg(s, FIRST_STEPS, &costly, stats));
    double before = s->apg.residual;
    if (stats->end == PL_SOLVE_LIMIT && !costly) {
        PL_TRY(run_apg(s, FIRST_STEPS, &costly, stats));
    }
    if (stats->end == PL_SOLVE_LIMIT && !costly) {
        s->left = steps_left(&s->apg, before, FIRST_STEPS);
    }
    if (stats->end == PL_SOLVE_LIMIT && s->left < MORE_STEPS) {
        s->left = INFINITY; // if that is wrong
        PL_TRY(run_apg(s, 2 * MORE_STEPS, &costly, stats));
    }
    if (stats->end != PL_SOLVE_BREAKDOWN) pl_apg_result(&s->apg, s->v, s->f);
    s->apg.most_swept = 0;
    return PL_OK;
}

// --- After ---

// newton at once, if that pays.
static pl_status choose_newton(automatic *s, pl_solve_stats *stats)
{
    stats->end = PL_SOLVE_STALLED;
    if (s->tried || s->problem->A->n > MANY) return PL_OK;
    PL_TRY(find_newton_work(s));
    double swept = SWEEP_WORK * (double)s->apg.n_swept * s->problem->n_constraint;
    double spent = step_work(s) * (stats->iterations + PL_MIN(s->left, FAR_STEPS));
    if (s->newton_work > spent + swept) return PL_OK;
    return try_newton(s, true, stats);
}

// cone-newton, until it has taken as long as newton would.
static pl_status run_cone_newton(automatic *s, pl_solve_stats *stats)
{
    int32_t most = s->options->max_iterations, limit = most;
    if (!s->tried) {
        double steps = s->newton_work / step_work(s);
        if (s->newton_work == 0) steps = LONG; // it is looked at then
        if (steps < limit) limit = PL_MAX((int32_t)steps, stats->iterations + LEAST_STEPS);
    }
    PL_TRY(pl_cone_newton_go_on(s->problem, s->options, s->ws, &s->apg, limit, s->v, s->f, stats));
    if (stats->end != PL_SOLVE_STALLED || s->tried) return PL_OK;
    PL_TRY(find_newton_work(s));
    double steps = s->newton_work / step_work(s);
    if (stats->iterations < limit || stats->iterations >= PL_MIN(steps, most)) return PL_OK;
    limit = steps < most ? (int32_t)steps : most;
    return pl_cone_newton_go_on(s->problem, s->options, s->ws, &s->apg, limit, s->v, s->f, stats);
}

// Steps of apg, n at most: still PL_SOLVE_STALLED if these do not solve it.
static void improve(automatic *s, double n, pl_solve_stats *stats)
{
    int32_t steps = (int32_t)PL_MIN(n, allowed(s, stats));
    if (steps <= 0) return;
    pl_solve_end end = pl_apg_improve(&s->apg, s->options, steps, s->v, s->f, stats);
    bool gives_up = end == PL_SOLVE_LIMIT && allowed(s, stats) > 0;
    stats->end = gives_up ? PL_SOLVE_STALLED : end;
}

// cone-newton; where that does not help apg, until both have taken as long as newton would; then
// that, and apg. A newton that has faces to find among many contacts may take ten times what it is
// taken to need, and apg, slow as it is there, arrives.
static pl_status finish(automatic *s, pl_solve_stats *stats)
{
    PL_TRY(run_cone_newton(s, stats));
    if (stats->end == PL_SOLVE_STALLED && !s->tried && isfinite(s->newton_work)) {
        improve(s, s->newton_work / step_work(s) - stats->iterations, stats);
        if (stats->end == PL_SOLVE_STALLED) PL_TRY(try_newton(s, false, stats));
    }
    if (stats->end == PL_SOLVE_STALLED) improve(s, INFINITY, stats);
    return PL_OK;
}

// --- All together ---

// On the device, if there is one: true if that is the end of it. Else v and f are what was given,
// as what many steps leave where they do not converge is a bad place to start from.
static bool try_device(automatic *s, pl_solve_stats *stats)
{
    if (s->ws->device == NULL) return false;
    int32_t n = PL_MIN(DEVICE_STEPS, allowed(s, stats));
    pl_device_apg(s->problem, s->options, s->ws, n, s->v, s->f, stats);
    if (stats->end == PL_SOLVE_CONVERGED || stats->end == PL_SOLVE_TIME) return true;
    pl_vec_copy(3 * (int64_t)s->problem->A->n, s->v_given, s->v);
    pl_vec_copy(3 * (int64_t)s->problem->n_constraint, s->f_given, s->f);
    return false;
}

static pl_status solve_together(const pl_problem *problem, const pl_solver_options *options,
                                pl_workspace *ws, bool tried, double *v, double *f,
                                pl_solve_stats *stats)
{
    automatic s = {.problem = problem, .options = options, .ws = ws, .v = v, .f = f};
    s.tried = tried;
    if (ws->direct && !tried) {
        PL_TRY(try_newton(&s, false, stats));
        if (stats->end != PL_SOLVE_STALLED) return PL_OK;
    }
    int64_t n = 3 * (int64_t)problem->A->n, m = 3 * (int64_t)problem->n_constraint;
    s.v_given = pl_arena_take(&ws->arena, n, sizeof *v);
    s.f_given = pl_arena_take(&ws->arena, m, sizeof *f);
    if (s.v_given == NULL || s.f_given == NULL) return PL_ERROR_MEMORY;
    pl_vec_copy(n, v, s.v_given);
    pl_vec_copy(m, f, s.f_given);
    if (!tried && try_device(&s, stats)) return PL_OK;
    PL_TRY(pl_apg_create(problem, ws, stats, &s.apg));
    PL_TRY(start(&s, stats));
    if (stats->end != PL_SOLVE_LIMIT || allowed(&s, stats) == 0) return PL_OK;
    PL_TRY(choose_newton(&s, stats));
    return stats->end == PL_SOLVE_STALLED ? finish(&s, stats) : PL_OK;
}

// --- Sets that newton is the first for ---

// What is known of a set of blocks.
typedef struct traits {
    bool joints;        // it has rows without bounds
    int32_t soft;       // blocks that A joins with others
    double least, most; // mass of blocks that A joins with none, and that contacts move [kg]
} traits;

static double mass_of(const pl_bsr *A, int32_t block)
{
    const double *M = A->val + 9 * A->diag[block];
    return (M[0] + M[4] + M[8]) / 3;
}

static bool is_soft(const pl_bsr *A, int32_t block)
{
    return A->row[block + 1] - A->row[block] > 1;
}

static void look_at_constraint(const pl_split *split, int32_t k, traits *t)
{
    const pl_problem *problem = split->problem;
    const pl_constraint *constraint = problem->constraint + k;
    const pl_limits *limits = pl_limits_of(problem, constraint);
    for (int a = 0; a < 3; a++) t->joints = t->joints || pl_is_bilateral(limits, a);
    if (pl_is_box(problem, k)) return;
    for (int32_t i = constraint->first; i < constraint->first + constraint->count; i++) {
        const pl_entry *entry = problem->entry + i;
        // An angular velocity has an arm, and no weight.
        if (entry->w == 0 || split->of[entry->block] < 0) continue;
        if (is_soft(problem->A, entry->block)) continue;
        double mass = mass_of(problem->A, entry->block);
        t->least = PL_MIN(t->least, mass), t->most = PL_MAX(t->most, mass);
    }
}

// Is newton the first to be asked?
static bool is_for_newton(const pl_split *split, int32_t set)
{
    traits t = {.least = INFINITY};
    for (int32_t i = split->first[set]; i < split->first[set + 1]; i++) {
        look_at_constraint(split, split->constraint[i], &t);
    }
    for (int32_t i = split->start[set]; i < split->start[set + 1]; i++) {
        t.soft += is_soft(split->problem->A, split->block[i]);
    }
    bool rigid = t.soft == 0 && split->start[set + 1] - split->start[set] >= RIGID_BLOCKS;
    if (!t.joints && !rigid && !(t.most >= MASS_RATIO * t.least)) return false;
    return t.soft <= MANY;
}

// v := what it would be without impulses, in a set of rigid bodies that starts without any: it
// tells newton how fast things are, which velocities of 0 do not.
static void let_go(const pl_split *split, int32_t set, const pl_workspace *ws, const double *f,
                   double *v)
{
    for (int32_t i = split->first[set]; i < split->first[set + 1]; i++) {
        const double *g = f + 3 * (int64_t)split->constraint[i];
        bool box = pl_is_box(split->problem, split->constraint[i]);
        if (box || g[0] != 0 || g[1] != 0 || g[2] != 0) return;
    }
    for (int32_t i = split->start[set]; i < split->start[set + 1]; i++) {
        const double *w = v + 3 * (int64_t)split->block[i];
        if (is_soft(split->problem->A, split->block[i])) return;
        if (w[0] != 0 || w[1] != 0 || w[2] != 0) return;
    }
    for (int32_t i = split->start[set]; i < split->start[set + 1]; i++) {
        int64_t block = split->block[i];
        const double *D = ws->D.inv + 6 * block, *b = split->problem->b + 3 * block;
        double *w = v + 3 * block;
        w[0] = (D[0] * b[0] + D[1] * b[1]) + D[2] * b[2];
        w[1] = (D[1] * b[0] + D[3] * b[1]) + D[4] * b[2];
        w[2] = (D[2] * b[0] + D[4] * b[1]) + D[5] * b[2];
    }
}

// The sets listed (n) by apg and whatever follows; `tried`: newton has tried them in vain.
static pl_status solve_listed(const pl_split *split, int32_t n, const int32_t *set, bool tried,
                              const pl_solver_options *options, pl_workspace *ws, double *v,
                              double *f, pl_solve_stats *stats)
{
    if (n == split->n) {
        return solve_together(split->problem, options, ws, tried, v, f, stats);
    }
    pl_part part;
    pl_arena_mark mark = pl_arena_here(&ws->arena);
    int32_t n_block = split->problem->A->n;
    int32_t *place = pl_arena_take(&ws->arena, n_block, sizeof *place);
    if (place == NULL) return PL_ERROR_MEMORY;
    for (int32_t i = 0; i < n_block; i++) place[i] = -1;
    PL_TRY(pl_workspace_open_slots(ws));
    pl_workspace *own = ws->slot;
    PL_TRY(pl_part_create(split, n, set, place, &own->arena, &part));
    pl_part_gather(&part, v, f);
    own->curvature = 0;
    own->direct = false;
    PL_TRY(pl_workspace_prepare(&part.problem, own, part.v));
    own->device = ws->device;
    pl_status status = solve_together(&part.problem, options, own, tried, part.v, part.f, stats);
    own->device = NULL; // lent
    PL_TRY(status);
    pl_part_scatter(&part, v, f);
    pl_arena_back(&ws->arena, mark);
    return PL_OK;
}

// newton on the sets that are for it, and then all that it has not solved.
static pl_status solve_apart(const pl_newton_sets *sets, const pl_solver_options *options,
                             pl_workspace *ws, double *v, double *f, pl_solve_stats *stats)
{
    const pl_split *split = sets->split;
    int32_t *set = pl_arena_take(&ws->arena, split->n, sizeof *set);
    if (set == NULL) return PL_ERROR_MEMORY;
    PL_TRY(pl_newton_solve_sets(sets, options, ws, v, f, stats));
    pl_solve_end end = PL_SOLVE_CONVERGED;
    for (int tried = 0; tried < 2; tried++) {
        int32_t n = 0;
        for (int32_t i = 0; i < split->n; i++) {
            bool failed = sets->chosen[i] &&
                          (sets->end[i] == PL_SOLVE_STALLED || sets->end[i] == PL_SOLVE_BREAKDOWN);
            if (sets->chosen[i] && !failed) end = pl_worse_end(end, sets->end[i]);
            if (tried ? failed : !sets->chosen[i]) set[n++] = i;
        }
        if (n == 0) continue;
        pl_solver_options limited = *options;
        int32_t most = stats->iterations + options->rescue_iterations;
        if (tried && options->rescue_iterations > 0 && most < options->max_iterations) {
            limited.max_iterations = most;
        }
        PL_TRY(solve_listed(split, n, set, tried != 0, &limited, ws, v, f, stats));
        if (stats->end == PL_SOLVE_LIMIT && stats->iterations < options->max_iterations) {
            stats->end = PL_SOLVE_STALLED; // by the limit of rescues
        }
        end = pl_worse_end(end, stats->end);
    }
    stats->end = end;
    return PL_OK;
}

pl_status pl_auto_solve(const pl_problem *problem, const pl_solver_options *options,
                        pl_workspace *ws, double *v, double *f, pl_solve_stats *stats)
{
    pl_arena_mark mark = pl_arena_here(&ws->arena);
    pl_split split;
    int32_t n = 0;
    PL_TRY(pl_split_create(problem, &ws->arena, &split));
    uint8_t *chosen = pl_arena_take(&ws->arena, split.n, sizeof *chosen);
    pl_solve_end *end = pl_arena_take(&ws->arena, split.n, sizeof *end);
    if (chosen == NULL || end == NULL) return PL_ERROR_MEMORY;
    for (int32_t i = 0; i < split.n; i++) n += chosen[i] = is_for_newton(&split, i);
    if (n == 0) {
        pl_arena_back(&ws->arena, mark);
        return solve_together(problem, options, ws, false, v, f, stats);
    }
    for (int32_t i = 0; i < split.n; i++) {
        if (chosen[i]) let_go(&split, i, ws, f, v);
    }
    const pl_newton_sets sets = {
        .split = &split, .chosen = chosen, .most_work = MOST_WORK, .end = end};
    return solve_apart(&sets, options, ws, v, f, stats);
}
