// The part of a step that keeps bodies apart.

#include "contact_step.h"
#include "integrator.h"
#include "sleep.h"
#include "step.h"

#include <math.h>
#include <string.h>

// The solver that takes over where another one fails.
static const char FALLBACK[] = "auto";

enum { CHUNK_CONTACTS = 250 }; // contacts that a thread takes at least

// --- Life ---

pl_status pl_contact_step_check(pl_world_options *o)
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
    if (!(o->residual_tolerance > 0 && o->residual_tolerance < 1)) {
        return pl_fail(PL_ERROR_ARGUMENT, "residual_tolerance: %g is not between 0 and 1",
                       o->residual_tolerance);
    }
    if (!(o->contact_tolerance > 0 && isfinite(o->contact_tolerance))) {
        return pl_fail(PL_ERROR_ARGUMENT, "contact_tolerance: %g is not above 0 m",
                       o->contact_tolerance);
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
    PL_TRY(pl_contact_step_check(&changed));
    world->options = changed;
    if (world->contact == NULL) return PL_OK;
    PL_TRY(pl_precond_find(changed.precond, &world->contact->options.precond));
    return pl_solver_find(changed.solver, &world->contact->solver);
}

// The surfaces of all bodies, where they are now.
static pl_status build_boundary(const pl_world *world, pl_boundary *out)
{
    pl_places_source places;
    PL_TRY(pl_places_describe(world, &places));
    pl_status status = pl_boundary_create(&places.source, out);
    if (status == PL_OK) {
        pl_places_start(world, out);
        status = pl_boundary_finish(&places.source, out);
    }
    pl_places_source_free(&places);
    return status;
}

pl_status pl_contact_step_create(const pl_world *world, pl_contact_step **out)
{
    const pl_world_options *o = &world->options;
    *out = NULL;
    pl_contact_step *contact = pl_alloc_zero(1, sizeof *contact);
    if (contact == NULL) return PL_ERROR_MEMORY;
    contact->contacts.blocks = &contact->blocks;
    contact->options = pl_solver_options_default();
    contact->options.residual_tolerance = o->residual_tolerance;
    contact->options.contact_tolerance = o->contact_tolerance;
    contact->options.max_iterations = o->contact_iterations;
    contact->options.vj19 = o->vj19;
    pl_status status = pl_precond_find(o->precond, &contact->options.precond);
    if (status == PL_OK) status = pl_solver_find(o->solver, &contact->solver);
    if (status == PL_OK) status = pl_solver_find(FALLBACK, &contact->fallback);
    if (status == PL_OK) status = build_boundary(world, &contact->boundary);
    if (status != PL_OK) {
        pl_contact_step_destroy(contact);
        return status;
    }
    *out = contact;
    return PL_OK;
}

void pl_contact_step_destroy(pl_contact_step *contact)
{
    if (contact == NULL) return;
    pl_boundary_free(&contact->boundary);
    pl_blocks_free(&contact->blocks);
    pl_contacts_free(&contact->contacts);
    pl_detection_free(&contact->detection);
    pl_vj19_free(&contact->vj19);
    pl_workspace_free(&contact->workspace);
    pl_free(contact->v_start);
    pl_free(contact->f_start);
    pl_free(contact->published);
    pl_free(contact);
}

// --- The rounds ---

// `same`: the matrix is that of the last solve.
static pl_status solve_with(const pl_solver *solver, pl_world *world, bool same,
                            pl_step_stats *stats)
{
    pl_contact_step *contact = world->contact;
    pl_solver_options options = contact->options;
    pl_solve_stats solved;
    options.same_matrix = same;
    PL_TRY(pl_step_time_left(world, &options.max_seconds));
    pl_status status = pl_solve(solver, &contact->blocks.problem, &options, &contact->workspace,
                                world->system.v_new, contact->blocks.f, &solved);
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
static pl_status solve(pl_world *world, bool same, pl_step_stats *stats)
{
    pl_contact_step *contact = world->contact;
    contact->options.contact_tolerance = pl_contacts_tolerance(&contact->contacts);
    PL_TRY(pl_contact_step_note(contact, world->system.v_new));
    if (contact->blocks.problem.n_constraint == 0) {
        return pl_step_solve(world, world->system.b, world->options.tolerance, world->system.v_new,
                             stats);
    }
    pl_status status = solve_with(contact->solver, world, same, stats);
    bool rescue = world->options.rescue && contact->fallback != contact->solver;
    if (status != PL_ERROR_NUMERICS || !rescue) return status;
    stats->rescues++;
    return solve_with(contact->fallback, world, true, stats);
}

// Rows as they are now, for velocities that may have changed since they were added.
static pl_status update_rows(pl_world *world, double t)
{
    pl_contact_step *contact = world->contact;
    const pl_integrator_ops *integrator = pl_integrator_of(world);
    if (integrator->meet_rows != NULL) integrator->meet_rows(world);
    PL_TRY(pl_sleep_cut(world));
    pl_places_end(world, world->system.v_new, world->dt, t, &contact->boundary);
    pl_contacts_update(&contact->contacts, &contact->boundary, world->system.v_new);
    return PL_OK;
}

// The rows that a step starts with.
static pl_status find_rows(pl_world *world, double t)
{
    pl_contact_step *contact = world->contact;
    pl_places_start(world, &contact->boundary);
    pl_places_guess(world, world->system.v_new, world->dt, t, &contact->boundary);
    if (world->options.vj19) {
        return pl_vj19_start(&contact->vj19, &contact->detection, &contact->boundary,
                             &contact->contacts);
    }
    return pl_detect_start(&contact->detection, &contact->boundary, &contact->contacts);
}

// Is the way free? If not, *hits rows were added or changed, at least.
static pl_status check_way(pl_world *world, int32_t *hits)
{
    pl_contact_step *contact = world->contact;
    if (world->options.vj19) {
        return pl_vj19_check(&contact->vj19, &contact->detection, world->system.v_new,
                             &contact->boundary, &contact->contacts, hits);
    }
    return pl_detect_hits(&contact->detection, &contact->boundary, &contact->contacts, hits);
}

// Then the step is to be solved with him, from the start.
static bool somebody_woke(const pl_world *world)
{
    return world->sleep != NULL && world->sleep->woke;
}

pl_status pl_contact_step_solve(pl_world *world, double t, pl_step_stats *stats, bool *clear)
{
    pl_contact_step *contact = world->contact;
    pl_contacts_clear(&contact->contacts);
    contact->n_start = 0;
    contact->blocks.problem.A = world->system.solved;
    contact->blocks.problem.b = world->system.b;
    contact->blocks.problem.prescribed = world->system.prescribed;
    contact->blocks.problem.dt = world->dt;
    contact->contacts.step = world->options.dt;
    contact->contacts.contact_tolerance = world->options.contact_tolerance;
    contact->blocks.problem.n_x = world->state.n_vert;
    contact->blocks.problem.x = world->state.x;
    *clear = false;
    const pl_integrator_ops *integrator = pl_integrator_of(world);
    double start = pl_seconds();
    PL_TRY(find_rows(world, t));
    PL_TRY(pl_sleep_wake_near(world));
    stats->t_collision += pl_seconds() - start;
    if (somebody_woke(world)) return PL_OK;
    for (int32_t round = 0; round < world->options.rounds; round++) {
        int32_t hits = 0;
        PL_TRY(update_rows(world, t));
        if (round == 0 && integrator->predict != NULL) integrator->predict(world);
        bool same = round > 0 && integrator->meet_rows == NULL; // which changes the matrix
        PL_TRY(solve(world, same, stats));
        PL_TRY(pl_step_check_finite(world));
        PL_TRY(pl_sleep_wake_pushed(world, false));
        if (somebody_woke(world)) return PL_OK;
        start = pl_seconds();
        pl_places_end(world, world->system.v_new, world->dt, t, &contact->boundary);
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

void pl_contact_step_forget(pl_contact_step *contact)
{
    contact->n_published = contact->n_start = 0;
}

void pl_contact_step_sum(pl_world *world)
{
    const pl_contact_step *contact = world->contact;
    for (int64_t i = 0; i < world->bodies.n; i++) {
        memset(world->bodies.body[i].impulse, 0, sizeof world->bodies.body[i].impulse);
        memset(world->bodies.body[i].angular_impulse, 0,
               sizeof world->bodies.body[i].angular_impulse);
    }
    for (int32_t i = 0; i < pl_contacts_count(&contact->contacts); i++) {
        const pl_row *row = &contact->contacts.row[i];
        int second = row->pair.kind == PL_EDGE_EDGE ? 2 : 1;
        double F[3], torque[3];
        pl_contacts_impulse(&contact->contacts, i, F);
        pl_cross(row->middle, F, torque);
        pl_world_body *a = &world->bodies.body[contact->boundary.body[row->point[0]]];
        pl_world_body *b = &world->bodies.body[contact->boundary.body[row->point[second]]];
        for (int k = 0; k < 3; k++) {
            a->impulse[k] += F[k];
            a->angular_impulse[k] += torque[k];
            b->impulse[k] -= F[k];
            b->angular_impulse[k] -= torque[k];
        }
    }
}

void pl_contact_step_impulses(const pl_world *world, double *impulse)
{
    const pl_blocks *c = &world->contact->blocks;
    memset(impulse, 0, 6 * (size_t)world->state.n_rigid * sizeof *impulse);
    for (int32_t i = 0; i < c->problem.n_constraint; i++) {
        const pl_constraint *block = &c->problem.constraint[i];
        double F[3], torque[3];
        pl_blocks_impulse(c, i, F);
        for (int32_t t = block->first; t < block->first + block->count; t++) {
            const pl_entry *entry = &c->problem.entry[t];
            if (entry->block < world->state.n_vert) continue;
            double *to = impulse + 3 * (int64_t)(entry->block - world->state.n_vert);
            pl_cross(pl_entry_arm(&c->problem, entry), F, torque);
            for (int k = 0; k < 3; k++) to[k] += entry->w * F[k] + torque[k];
        }
    }
}

// A contact as the outside sees it, where the bodies are now.
static void publish_contact(const pl_world *world, int32_t i, pl_contact_point *out)
{
    const pl_contact_step *contact = world->contact;
    const pl_boundary *boundary = &contact->boundary;
    const pl_row *row = &contact->contacts.row[i];
    const pl_constraint *block = pl_contacts_block(&contact->contacts, i);
    const double *f = pl_contacts_f(&contact->contacts, i), *R = block->R;
    int second = row->pair.kind == PL_EDGE_EDGE ? 2 : 1;
    int32_t a = boundary->body[row->point[0]], b = boundary->body[row->point[second]];
    *out = (pl_contact_point){
        .body_a = pl_world_id(world, a), .body_b = pl_world_id(world, b), .n_a = second};
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
    out->gap = pl_dot(apart, R) - pl_boundary_radii(boundary, a, b);
    out->force = f[0] / world->dt;
    for (int j = 0; j < 3; j++) out->friction[j] = (f[1] * R[3 + j] + f[2] * R[6 + j]) / world->dt;
    out->slips = hypot(f[1], f[2]) >= (1 - 1e-6) * block->mu * f[0];
}

static void publish_some(void *context, int64_t first, int64_t last)
{
    const pl_world *world = context;
    pl_contact_point *published = world->contact->published;
    for (int64_t k = first; k < last; k++)
        publish_contact(world, published[k].body_a, &published[k]);
}

static pl_status publish_contacts(pl_world *world)
{
    pl_contact_step *contact = world->contact;
    const pl_contacts *c = &contact->contacts;
    contact->n_published = 0;
    PL_TRY(pl_reserve((void **)&contact->published, &contact->published_capacity,
                      pl_contacts_count(c) + pl_sleep_count_points(world),
                      sizeof *contact->published));
    for (int32_t i = 0; i < pl_contacts_count(c); i++) {
        if (pl_contacts_f(c, i)[0] > 0)
            contact->published[contact->n_published++].body_a = i; // for now
    }
    pl_loop(contact->n_published, CHUNK_CONTACTS, publish_some, world);
    contact->n_published += pl_sleep_publish(world, contact->published + contact->n_published);
    return PL_OK;
}

pl_status pl_contact_step_finish(pl_world *world, pl_step_stats *stats)
{
    pl_contact_step *contact = world->contact;
    PL_TRY(publish_contacts(world));
    stats->constraints = contact->blocks.problem.n_constraint;
    stats->contacts = contact->n_published;
    double start = pl_seconds();
    double gap = pl_detect_gap(&contact->detection, &contact->boundary);
    stats->min_gap = PL_MIN(gap, pl_sleep_gap(world));
    stats->t_collision += pl_seconds() - start;
    return pl_blocks_remember(&contact->blocks);
}

pl_status pl_contact_step_rest(pl_world *world, pl_step_stats *stats)
{
    pl_contact_step *contact = world->contact;
    pl_contacts_clear(&contact->contacts);
    contact->n_start = 0;
    PL_TRY(publish_contacts(world));
    stats->contacts = contact->n_published;
    stats->min_gap = pl_sleep_gap(world);
    return PL_OK;
}

// --- For the outside ---

const pl_contact_point *pl_world_contacts(const pl_world *world, int32_t *n)
{
    int32_t count = world != NULL && world->contact != NULL ? world->contact->n_published : 0;
    if (n != NULL) *n = count;
    return count > 0 ? world->contact->published : NULL;
}
