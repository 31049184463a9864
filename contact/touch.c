// The part of a step that keeps bodies apart.

#include "touch.h"
#include "bdf2.h"
#include "step.h"

#include <math.h>
#include <string.h>

// The solver that takes over where another one fails.
static const char SAFETY_NET[] = "auto";

enum { CHUNK_SHOWN = 250 }; // contacts that a thread takes at least

// --- Life ---

pl_status pl_touch_check(pl_world_options *o)
{
    const pl_solver *solver;
    pl_precond precond;
    if (o->integrator == PL_INTEGRATOR_IMPLICIT) {
        return pl_fail(PL_ERROR_ARGUMENT, "contact: the implicit integrator does not know it; set "
                                          "contact to false or use another integrator");
    }
    if (o->solver == NULL) return pl_fail(PL_ERROR_ARGUMENT, "solver: none is named");
    if (o->precond == NULL) return pl_fail(PL_ERROR_ARGUMENT, "precond: none is named");
    PL_TRY(pl_solver_find(o->solver, &solver));
    PL_TRY(pl_precond_find(o->precond, &precond));
    if (!(o->eps1 > 0 && o->eps1 < 1)) {
        return pl_fail(PL_ERROR_ARGUMENT, "eps1: %g is not between 0 and 1", o->eps1);
    }
    if (!(o->eps2 > 0 && isfinite(o->eps2))) {
        return pl_fail(PL_ERROR_ARGUMENT, "eps2: %g is not above 0 m", o->eps2);
    }
    if (!(o->contact_distance >= 0 && isfinite(o->contact_distance))) {
        return pl_fail(PL_ERROR_ARGUMENT, "contact_distance: %g is not 0 m or above",
                       o->contact_distance);
    }
    if (o->contact_iterations < 1) return pl_fail(PL_ERROR_ARGUMENT, "contact_iterations: below 1");
    if (o->rounds < 1) return pl_fail(PL_ERROR_ARGUMENT, "rounds: below 1");
    if (o->halvings < 0 || o->halvings > 20) {
        return pl_fail(PL_ERROR_ARGUMENT, "halvings: %d is not from 0 to 20", (int)o->halvings);
    }
    o->solver = solver->name;
    o->precond = pl_precond_names[precond];
    return PL_OK;
}

pl_status pl_world_set_solver(pl_world *world, const char *solver, const char *precond)
{
    PL_REQUIRE(world);
    pl_world_options changed = world->options;
    changed.solver = solver;
    changed.precond = precond;
    if (!changed.contact) return pl_fail(PL_ERROR_ARGUMENT, "solver: the world has no contact");
    PL_TRY(pl_touch_check(&changed));
    world->options = changed;
    if (world->touch == NULL) return PL_OK;
    PL_TRY(pl_precond_find(changed.precond, &world->touch->options.precond));
    return pl_solver_find(changed.solver, &world->touch->solver);
}

pl_status pl_touch_create(const pl_world *world, pl_touch **out)
{
    const pl_world_options *o = &world->options;
    *out = NULL;
    pl_touch *touch = pl_alloc_zero(1, sizeof *touch);
    if (touch == NULL) return PL_ERROR_MEMORY;
    touch->options = pl_solver_options_default();
    touch->options.eps1 = o->eps1;
    touch->options.eps2 = o->eps2;
    touch->options.max_iterations = o->contact_iterations;
    touch->options.paper = o->paper;
    pl_status status = pl_precond_find(o->precond, &touch->options.precond);
    if (status == PL_OK) status = pl_solver_find(o->solver, &touch->solver);
    if (status == PL_OK) status = pl_solver_find(SAFETY_NET, &touch->net);
    if (status == PL_OK) status = pl_boundary_create(world, &touch->boundary);
    if (status != PL_OK) {
        pl_touch_destroy(touch);
        return status;
    }
    *out = touch;
    return PL_OK;
}

void pl_touch_destroy(pl_touch *touch)
{
    if (touch == NULL) return;
    pl_boundary_free(&touch->boundary);
    pl_contacts_free(&touch->contacts);
    pl_detection_free(&touch->detection);
    pl_printed_free(&touch->printed);
    pl_workspace_free(&touch->workspace);
    pl_free(touch->v_start);
    pl_free(touch->f_start);
    pl_free(touch->shown);
    pl_free(touch);
}

// --- The rounds ---

static pl_status solve_with(const pl_solver *solver, pl_world *world, pl_step_stats *stats)
{
    pl_touch *touch = world->touch;
    pl_solve_stats solved;
    PL_TRY(pl_step_time_left(world, &touch->options.max_seconds));
    pl_status status = pl_solve(solver, &touch->contacts.problem, &touch->options,
                                &touch->workspace, world->v_new, touch->contacts.f, &solved);
    stats->iterations += solved.iterations;
    stats->state_changes += (int32_t)solved.state_changes;
    stats->t_solve += solved.seconds;
    stats->residual = solved.errors.residual;
    stats->constraint_error = solved.errors.normal;
    stats->fb_error = solved.errors.fischer;
    stats->fb_normal = solved.errors.fischer_normal;
    stats->fb_stick = solved.errors.fischer_stick;
    stats->fb_slip = solved.errors.fischer_slip;
    stats->friction_error = solved.errors.friction;
    double left;
    return solved.end == PL_SOLVE_TIME ? pl_step_time_left(world, &left) : status;
}

// Without rows it is a linear system. Where the solver of choice does not converge, the one that
// does goes on from there, if it may.
static pl_status solve(pl_world *world, pl_step_stats *stats)
{
    pl_touch *touch = world->touch;
    touch->options.eps2 = pl_contacts_tolerance(&touch->contacts, world);
    PL_TRY(pl_touch_note(touch, world->v_new));
    if (touch->contacts.problem.n_constraint == 0) {
        return pl_step_solve(world, world->b, world->options.tolerance, world->v_new, stats);
    }
    pl_status status = solve_with(touch->solver, world, stats);
    bool rescue = world->options.rescue && touch->net != touch->solver;
    if (status != PL_ERROR_NUMERICS || !rescue) return status;
    stats->rescues++;
    touch->options.same_matrix = true; // it is now
    return solve_with(touch->net, world, stats);
}

// Rows as they are now, for velocities that may have changed since they were added.
static void update_rows(pl_world *world, double t)
{
    pl_touch *touch = world->touch;
    pl_bdf2_meet(world);
    pl_boundary_end(&touch->boundary, world, world->v_new, world->dt, t);
    pl_contacts_update(&touch->contacts, world, &touch->boundary, world->v_new, world->dt);
}

// The rows that a step starts with.
static pl_status find_rows(pl_world *world, double t)
{
    pl_touch *touch = world->touch;
    if (world->options.paper) {
        return pl_printed_start(&touch->printed, &touch->detection, world, &touch->boundary, t,
                                &touch->contacts);
    }
    return pl_detect_start(&touch->detection, world, &touch->boundary, world->v_new, world->dt, t,
                           &touch->contacts);
}

// Is the way free? If not, *hits rows were added or changed, at least.
static pl_status check_way(pl_world *world, int32_t *hits)
{
    pl_touch *touch = world->touch;
    if (world->options.paper) {
        return pl_printed_check(&touch->printed, &touch->detection, world, &touch->boundary,
                                &touch->contacts, hits);
    }
    return pl_detect_hits(&touch->detection, world, &touch->boundary, &touch->contacts, hits);
}

pl_status pl_touch_solve(pl_world *world, double t, pl_step_stats *stats, bool *clear)
{
    pl_touch *touch = world->touch;
    pl_contacts_clear(&touch->contacts);
    touch->n_start = 0;
    touch->contacts.problem.A = &world->A;
    touch->contacts.problem.b = world->b;
    touch->contacts.problem.known = world->known;
    touch->contacts.problem.dt = world->dt;
    touch->contacts.problem.n_x = world->n_vert;
    touch->contacts.problem.x = world->x;
    *clear = false;
    double start = pl_seconds();
    PL_TRY(find_rows(world, t));
    stats->t_collision += pl_seconds() - start;
    for (int32_t round = 0; round < world->options.rounds; round++) {
        int32_t hits = 0;
        touch->options.same_matrix = round > 0 && world->bdf2 == NULL; // which adapts to rows
        update_rows(world, t);
        if (round == 0) pl_step_predict(world);
        PL_TRY(solve(world, stats));
        PL_TRY(pl_step_check_finite(world));
        start = pl_seconds();
        pl_boundary_end(&touch->boundary, world, world->v_new, world->dt, t);
        PL_TRY(check_way(world, &hits));
        stats->t_collision += pl_seconds() - start;
        stats->rounds++;
        stats->relinearizations += hits > 0;
        *clear = hits == 0;
        if (*clear) return PL_OK;
    }
    return PL_OK;
}

// --- After the rounds ---

void pl_touch_forget(pl_touch *touch)
{
    touch->n_shown = touch->n_start = 0;
}

void pl_touch_sum(pl_world *world)
{
    const pl_touch *touch = world->touch;
    for (int64_t i = 0; i < world->n_bodies; i++) {
        memset(world->bodies[i].push, 0, sizeof world->bodies[i].push);
        memset(world->bodies[i].torque, 0, sizeof world->bodies[i].torque);
    }
    for (int32_t i = 0; i < touch->contacts.problem.n_constraint; i++) {
        const pl_row *row = &touch->contacts.row[i];
        int second = row->pair.kind == PL_EDGE_EDGE ? 2 : 1;
        double F[3], torque[3];
        pl_contacts_impulse(&touch->contacts, i, F);
        pl_cross(row->middle, F, torque);
        pl_world_body *a = &world->bodies[touch->boundary.body[row->point[0]]];
        pl_world_body *b = &world->bodies[touch->boundary.body[row->point[second]]];
        for (int k = 0; k < 3; k++) {
            a->push[k] += F[k];
            a->torque[k] += torque[k];
            b->push[k] -= F[k];
            b->torque[k] -= torque[k];
        }
    }
}

void pl_touch_impulses(const pl_world *world, double *impulse)
{
    const pl_contacts *c = &world->touch->contacts;
    memset(impulse, 0, 6 * (size_t)world->n_rigid * sizeof *impulse);
    for (int32_t i = 0; i < c->problem.n_constraint; i++) {
        const pl_constraint *contact = &c->problem.constraint[i];
        double F[3], torque[3];
        pl_contacts_impulse(c, i, F);
        for (int32_t t = contact->first; t < contact->first + contact->count; t++) {
            const pl_entry *entry = &c->problem.entry[t];
            if (entry->block < world->n_vert) continue;
            double *to = impulse + 3 * (int64_t)(entry->block - world->n_vert);
            pl_cross(pl_entry_arm(&c->problem, entry), F, torque);
            for (int k = 0; k < 3; k++) to[k] += entry->w * F[k] + torque[k];
        }
    }
}

// A contact as the outside sees it, where the bodies are now.
static void show_contact(const pl_world *world, int32_t i, pl_contact_point *out)
{
    const pl_touch *touch = world->touch;
    const pl_boundary *boundary = &touch->boundary;
    const pl_row *row = &touch->contacts.row[i];
    const pl_constraint *contact = &touch->contacts.problem.constraint[i];
    const double *f = touch->contacts.f + 3 * (int64_t)i, *R = contact->R;
    int second = row->pair.kind == PL_EDGE_EDGE ? 2 : 1;
    *out = (pl_contact_point){.body_a = boundary->body[row->point[0]],
                              .body_b = boundary->body[row->point[second]],
                              .n_a = second};
    double apart[3] = {0};
    for (int k = 0; k < 4; k++) {
        out->vertex[k] = row->point[k] >= 0 ? boundary->given[row->point[k]] : -1;
        out->weight[k] = row->point[k] >= 0 ? row->weight[k] : 0;
    }
    for (int k = 0; k < 4 && row->point[k] >= 0; k++) {
        const double *x = boundary->x1 + 3 * (int64_t)row->point[k];
        for (int j = 0; j < 3; j++) {
            out->point[j] += 0.5 * fabs(row->weight[k]) * x[j];
            apart[j] += row->weight[k] * x[j];
        }
    }
    memcpy(out->normal, R, sizeof out->normal);
    out->gap = pl_dot(apart, R) - pl_boundary_radii(boundary, out->body_a, out->body_b);
    out->force = f[0] / world->dt;
    for (int j = 0; j < 3; j++) out->friction[j] = (f[1] * R[3 + j] + f[2] * R[6 + j]) / world->dt;
    out->slips = hypot(f[1], f[2]) >= (1 - 1e-6) * contact->mu * f[0];
}

static void show_some(void *context, int64_t first, int64_t last)
{
    const pl_world *world = context;
    pl_contact_point *shown = world->touch->shown;
    for (int64_t k = first; k < last; k++) show_contact(world, shown[k].body_a, &shown[k]);
}

static pl_status show_contacts(pl_world *world)
{
    pl_touch *touch = world->touch;
    const pl_contacts *c = &touch->contacts;
    touch->n_shown = 0;
    PL_TRY(pl_reserve((void **)&touch->shown, &touch->shown_capacity, c->problem.n_constraint,
                      sizeof *touch->shown));
    for (int32_t i = 0; i < c->problem.n_constraint; i++) {
        if (c->f[3 * (int64_t)i] > 0) touch->shown[touch->n_shown++].body_a = i; // for now
    }
    pl_loop(touch->n_shown, CHUNK_SHOWN, show_some, world);
    return PL_OK;
}

pl_status pl_touch_finish(pl_world *world, pl_step_stats *stats)
{
    pl_touch *touch = world->touch;
    PL_TRY(show_contacts(world));
    stats->constraints = touch->contacts.problem.n_constraint;
    stats->contacts = touch->n_shown;
    double start = pl_seconds();
    stats->min_gap = pl_detect_gap(&touch->detection, &touch->boundary);
    stats->t_collision += pl_seconds() - start;
    return pl_contacts_remember(&touch->contacts);
}

// --- For the outside ---

const pl_contact_point *pl_world_contacts(const pl_world *world, int32_t *n)
{
    int32_t count = world != NULL && world->touch != NULL ? world->touch->n_shown : 0;
    if (n != NULL) *n = count;
    return count > 0 ? world->touch->shown : NULL;
}
