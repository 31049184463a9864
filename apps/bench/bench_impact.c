// Hard impacts and squeezes of a soft ball: what a step costs by the measure of a bunny that falls
// on the ground, how often tets are inverted (never, with a material that has a barrier), and how
// much energy there is.

#include "bench.h"
#include "cpu_time.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char BALL[] = "build/meshes/ball.msh", BUNNY[] = "build/meshes/bunny.msh";

// A run is given up after so much time of the processor [s].
static const double LIMIT = 20, QUICK_LIMIT = 20;

typedef struct workload {
    const char *name;
    double speed;  // of the ball [m/s]; 0: it is squeezed
    double height; // ... to this part of its height
    double dt, time;
} workload;

static const workload WORKLOADS[] = {
    {"impact 10 m/s", 10, 0, 0.01, 0.3},     {"impact 10 m/s", 10, 0, 0.0025, 0.3},
    {"impact 30 m/s", 30, 0, 0.01, 0.3},     {"impact 30 m/s", 30, 0, 0.0025, 0.3},
    {"impact 100 m/s", 100, 0, 0.01, 0.3},   {"impact 100 m/s", 100, 0, 0.0025, 0.3},
    {"squeeze to 9 %", 0, 0.09, 0.01, 0.91}, {"squeeze to 2 %", 0, 0.02, 0.01, 0.98}};

static const struct {
    const char *name;
    pl_integrator integrator;
} MODES[] = {{"adaptive", PL_INTEGRATOR_AUTO}, {"strict", PL_INTEGRATOR_IMPLICIT}};

// What a run showed.
typedef struct outcome {
    int32_t steps, newton, most_newton, inverted, halvings;
    double cpu;                     // [s]
    double first, last, work, rise; // energies; the largest that a step gained beyond its work [J]
    bool finished, clean;
} outcome;

// A mesh of 1 m height that stands `gap` above the ground.
static pl_status stand(pl_mesh *mesh, double size, double gap)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    const double *x = pl_mesh_positions(mesh);
    for (int32_t i = 0; i < 3 * pl_mesh_vertex_count(mesh); i++) {
        low[i % 3] = fmin(low[i % 3], x[i]);
        high[i % 3] = fmax(high[i % 3], x[i]);
    }
    double s = size / (high[2] - low[2]), to[12] = {0};
    for (int k = 0; k < 3; k++) {
        to[5 * k] = s;
        to[4 * k + 3] = -0.5 * s * (low[k] + high[k]);
    }
    to[11] = gap - s * low[2];
    return pl_mesh_transform(mesh, to);
}

static pl_status add_plate(pl_world *world, double z, double velocity, double end)
{
    pl_mesh *mesh;
    const double to[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, z};
    PL_TRY(pl_mesh_make("box:size=20,20,1", &mesh));
    pl_kinematic_options options = pl_kinematic_options_default();
    options.motion.velocity[2] = velocity;
    options.motion.end = end;
    pl_status status = pl_mesh_transform(mesh, to);
    if (status == PL_OK) status = pl_world_add_kinematic(world, mesh, &options, NULL);
    pl_mesh_destroy(mesh);
    return status;
}

static pl_status add_soft(pl_world *world, const char *path, double gap, double speed,
                          const pl_material_options *material)
{
    pl_mesh *mesh;
    PL_TRY(strchr(path, ':') != NULL ? pl_mesh_make(path, &mesh) : pl_mesh_read(path, &mesh));
    pl_deformable_options options = pl_deformable_options_default();
    options.material = *material;
    options.velocity[2] = -speed;
    pl_status status = stand(mesh, 1, gap);
    if (status == PL_OK) status = pl_world_add_deformable(world, mesh, &options, NULL);
    pl_mesh_destroy(mesh);
    return status;
}

static double sum(const pl_step_stats *s)
{
    return s->kinetic_energy + s->elastic_energy + s->gravity_energy;
}

static pl_status run(pl_world *world, int32_t steps, double limit, outcome *out)
{
    pl_energy e;
    *out = (outcome){0};
    PL_TRY(pl_world_energy(world, &e));
    out->first = out->last = e.kinetic + e.elastic + e.gravity;
    double start = pl_cpu_seconds();
    while (out->steps < steps && pl_cpu_seconds() - start < limit) {
        pl_step_stats s;
        pl_status status = pl_world_step(world, &s);
        if (status == PL_ERROR_NUMERICS || status == PL_ERROR_TIME) break;
        PL_TRY(status);
        out->steps++;
        out->newton += s.newton;
        out->most_newton = PL_MAX(out->most_newton, s.newton);
        out->inverted = PL_MAX(out->inverted, s.inverted);
        out->halvings += s.halvings;
        out->work += s.work;
        out->rise = fmax(out->rise, sum(&s) - out->last - s.work);
        out->last = sum(&s);
    }
    out->cpu = pl_cpu_seconds() - start;
    out->finished = out->steps == steps;
    pl_audit_report report;
    PL_TRY(pl_world_audit(world, &report));
    out->clean = report.clean;
    return PL_OK;
}

static pl_status open_world(pl_integrator integrator, double dt, double limit, pl_world **out)
{
    pl_world_options options = pl_world_options_default();
    options.integrator = integrator;
    options.dt = dt;
    options.threads = 1;
    options.max_seconds = 4 * limit; // of the wall clock, on a machine that others use
    return pl_world_create(&options, out);
}

// The measure: a bunny of the default material that falls on the ground [s per step].
static pl_status measure_bunny(const pl_bench_options *o, double *seconds)
{
    pl_world *world;
    outcome result;
    const pl_material_options material = pl_material_options_default();
    const char *path = o->bunny != NULL ? o->bunny
                       : o->quick       ? "icosphere:level=1:shells=2"
                                        : BUNNY;
    PL_TRY(open_world(PL_INTEGRATOR_AUTO, 0.01, LIMIT, &world));
    pl_status status = add_plate(world, -0.5, 0, INFINITY);
    if (status == PL_OK) status = add_soft(world, path, 0.02, 1, &material);
    if (status == PL_OK) status = run(world, o->quick ? 5 : 40, LIMIT, &result);
    pl_world_destroy(world);
    PL_TRY(status);
    *seconds = result.cpu / PL_MAX(result.steps, 1);
    printf("bunny, dt 0.01: %.1f ms/step, %.1f Newton iterations\n", 1e3 * *seconds,
           (double)result.newton / PL_MAX(result.steps, 1));
    return PL_OK;
}

static pl_status measure(const pl_bench_options *o, const workload *w, int mode, double bunny)
{
    pl_world *world;
    outcome r;
    const pl_material_options material = {.kind = PL_MATERIAL_NEO_HOOKEAN,
                                          .young = 1e5,
                                          .poisson = 0.4,
                                          .density = 1000,
                                          .stretch_limit = 0,
                                          .mooney_share = 0.2};
    const char *path = o->ball != NULL ? o->ball : o->quick ? "icosphere:level=2:shells=3" : BALL;
    double limit = o->quick ? QUICK_LIMIT : LIMIT;
    PL_TRY(open_world(MODES[mode].integrator, w->dt, limit, &world));
    pl_status status = add_plate(world, -0.5, 0, INFINITY);
    bool squeeze = w->speed == 0;
    if (status == PL_OK && squeeze) status = add_plate(world, 1.52, -1, 0.02 + 1 - w->height);
    if (status == PL_OK) status = add_soft(world, path, 0.01, w->speed, &material);
    int32_t steps = (int32_t)lround((w->time + (squeeze ? 0.04 : 0)) / w->dt);
    if (status == PL_OK) status = run(world, steps, limit, &r);
    pl_world_destroy(world);
    PL_TRY(status);
    double each = r.cpu / PL_MAX(r.steps, 1);
    printf("%-15s %-8s %6.4f %7.1f %6.2f %6.1f %4d %5d %6d %9.3g %9.3g %9.3g %8.1e  %s\n", w->name,
           MODES[mode].name, w->dt, 1e3 * each, each / bunny, (double)r.newton / PL_MAX(r.steps, 1),
           r.most_newton, r.halvings, r.inverted, r.first, r.first + r.work, r.last,
           r.rise / (r.first + fabs(r.work)),
           !r.finished ? "gave up"
           : r.clean   ? ""
                       : "touches");
    fflush(stdout);
    return PL_OK;
}

pl_status pl_bench_impact(const pl_bench_options *o)
{
    double bunny;
    PL_TRY(measure_bunny(o, &bunny));
    printf("%-15s %-8s %6s %7s %6s %6s %4s %5s %6s %9s %9s %9s %8s\n", "workload", "", "dt",
           "ms/step", "bunny", "Newton", "most", "halve", "invert", "E start", "E in", "E end",
           "rise");
    int n = (int)(sizeof WORKLOADS / sizeof *WORKLOADS);
    for (int i = 0; i < n; i++) {
        if (o->only != NULL && strncmp(o->only, WORKLOADS[i].name, strlen(o->only)) != 0) continue;
        for (int mode = 0; mode < 2; mode++) PL_TRY(measure(o, &WORKLOADS[i], mode, bunny));
    }
    return PL_OK;
}
