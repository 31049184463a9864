#include "bench_scene.h"
#include "cpu_time.h"
#include "../common/paths.h"
#include "../../world/warnings.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

// --- The scenes ---

// Where the pile has come to lie, or what presses has begun to.
static const pl_bench_scene scenes[] = {
    {"rings", "rings.json", NULL, 0.9, 0},
    {"rings-stiff", "rings-stiff.json", NULL, 0.9, 0},
    {"pyramid", "pyramid.json", NULL, 0.1, 0},
    {"bunnies", "bunnies.json", NULL, 0.9, 0.002},
    {"armadillo", "armadillo.json", NULL, 1.0, 0.002},
    {"bearing", "bearing.json", NULL, 0.1, 0.002},
    {"blocks", "blocks.json", NULL, 0.03, 0},
    {"cubes", "cubes.json", NULL, 0.4, 0},
    {"mixed", "mixed.json", NULL, 0.5, 0},
    {"pile", "pile.json", NULL, 0.8, 0.002},
};

static const pl_bench_scene quick_scenes[] = {
    {"rings", NULL,
     "{\"world\": {\"dt\": 0.001}, \"bodies\": ["
     "{\"mesh\": \"ring\", \"position\": [0, 0, 0.102], \"material\": {\"young\": 5e5},"
     " \"copies\": {\"count\": [2, 1, 3], \"spacing\": [1.02, 1.1, 0.203]}}]}",
     0.05, 0},
    {"rings-stiff", NULL,
     "{\"world\": {\"dt\": 0.001}, \"bodies\": ["
     "{\"mesh\": \"ring\", \"position\": [0, 0, 0.102], \"material\": {\"young\": 5e6},"
     " \"copies\": {\"count\": [2, 1, 3], \"spacing\": [1.02, 1.1, 0.203]}}]}",
     0.05, 0},
    {"pyramid", NULL,
     "{\"world\": {\"dt\": 0.0005}, \"bodies\": ["
     "{\"mesh\": \"plate:size=0.6,0.3,0.25\", \"rotation\": [90, 0, 0], \"position\": [0, 0, "
     "0.151],"
     " \"copies\": {\"count\": [2, 1, 2], \"shrink\": [1, 0], \"spacing\": [0.66, 0.35, 0.301]},"
     " \"material\": {\"young\": 5e5, \"poisson\": 0.4}},"
     "{\"mesh\": \"box:size=1.4,1,0.06:cells=1\", \"position\": [0, 0, 0.64],"
     " \"type\": \"kinematic\", \"motion\": {\"velocity\": [0, 0, -0.5]}}]}",
     0.02, 0},
    {"bunnies", NULL,
     "{\"world\": {\"dt\": 0.001}, \"bodies\": ["
     "{\"mesh\": \"icosphere:radius=0.2:level=2\", \"position\": [0, 0, 0.201],"
     " \"copies\": {\"count\": [1, 1, 3], \"spacing\": [0.5, 0.5, 0.402]},"
     " \"material\": {\"young\": 5e6}}]}",
     0.05, 0},
    {"armadillo", NULL,
     "{\"world\": {\"dt\": 0.0005}, \"bodies\": ["
     "{\"mesh\": \"box:size=1,0.5,0.5:cells=12,6,6\", \"position\": [0, 0, 0.252],"
     " \"material\": {\"kind\": \"neo-hookean\", \"young\": 5e5}},"
     "{\"mesh\": \"box:size=1.4,1,0.06:cells=1\", \"position\": [0, 0, 0.54],"
     " \"type\": \"kinematic\", \"motion\": {\"velocity\": [0, 0, -1]}}]}",
     0.02, 0},
    {"bearing", NULL,
     "{\"world\": {\"dt\": 0.001}, \"bodies\": ["
     "{\"mesh\": \"icosphere:radius=0.25:level=2\", \"position\": [0, 0, 0.252],"
     " \"material\": {\"kind\": \"neo-hookean\", \"young\": 2e5, \"poisson\": 0.4}},"
     "{\"mesh\": \"box:size=1,1,0.06:cells=1\", \"position\": [0, 0, 0.54],"
     " \"type\": \"kinematic\", \"motion\": {\"velocity\": [0.3, 0, -0.5]}}]}",
     0.02, 0},
    {"blocks", NULL,
     "{\"world\": {\"dt\": 0.001}, \"bodies\": ["
     "{\"mesh\": \"box:size=0.6,0.6,0.36:cells=6,6,4\", \"position\": [0, 0, 0.181],"
     " \"angular_velocity\": [0, 0, -57]},"
     "{\"mesh\": \"box:size=0.6,0.6,0.36:cells=6,6,4\", \"position\": [0.04, 0.03, 0.542],"
     " \"rotation\": [0, 0, 17], \"angular_velocity\": [0, 0, 57]}]}",
     0.03, 0},
    {"cubes", NULL,
     "{\"world\": {\"dt\": 0.001}, \"bodies\": ["
     "{\"mesh\": \"cube:cells=3\", \"position\": [0, 0, 0.502],"
     " \"copies\": {\"count\": [2, 2, 2], \"spacing\": [1.002, 1.002, 1.002]},"
     " \"material\": {\"young\": 5e5}}]}",
     0.05, 0},
    {"mixed", NULL,
     "{\"world\": {\"dt\": 0.001}, \"bodies\": ["
     "{\"mesh\": \"cube:cells=4\", \"position\": [0, 0, 0.502], \"material\": {\"young\": 5e5}},"
     "{\"mesh\": \"cube:cells=2\", \"type\": \"rigid\", \"position\": [0.1, 0.1, 1.503]}]}",
     0.05, 0},
    {"pile", NULL,
     "{\"world\": {\"dt\": 0.002}, \"bodies\": ["
     "{\"mesh\": \"box:size=0.4,0.3,0.2:cells=1\", \"type\": \"rigid\", \"position\": [0, 0, "
     "0.101],"
     " \"copies\": {\"count\": [2, 1, 2], \"spacing\": [0.43, 0.4, 0.403]}},"
     "{\"mesh\": \"ring:radius=0.17:section=0.1\", \"position\": [0.02, 0, 0.2525],"
     " \"copies\": {\"count\": [2, 1, 2], \"spacing\": [0.45, 0.45, 0.403]}},"
     "{\"shape\": \"capsule:radius=0.1:length=0.3\", \"type\": \"rigid\", \"rotation\": [0, 90, 0],"
     " \"position\": [0, 0, 0.82]}]}",
     0.05, 0},
};

const pl_bench_scene *pl_bench_scene_find(const char *name, bool quick)
{
    int n = quick ? COUNT(quick_scenes) : COUNT(scenes);
    const pl_bench_scene *all = quick ? quick_scenes : scenes;
    for (int i = 0; i < n; i++) {
        if (strcmp(all[i].name, name) == 0) return &all[i];
    }
    PL_ASSERT(!"no such scene");
    return all;
}

// --- Files ---

pl_status pl_bench_path(const pl_bench_options *options, const char *folder, const char *name,
                        char **out)
{
    size_t room = strlen(options->out) + strlen(folder) + strlen(name) + 3;
    const char *between = folder[0] != '\0' ? "/" : "";
    *out = pl_alloc((int64_t)room, 1);
    if (*out == NULL) return PL_ERROR_MEMORY;
    snprintf(*out, room, "%s%s%s", options->out, between, folder);
    pl_status status = pl_make_folder(*out);
    snprintf(*out, room, "%s%s%s/%s", options->out, between, folder, name);
    if (status != PL_OK) {
        pl_free(*out);
        *out = NULL;
    }
    return status;
}

bool pl_bench_skips(const pl_bench_scene *scene, pl_status status)
{
    if (status == PL_OK || status == PL_ERROR_MEMORY) return false;
    printf("%s: left out: %s\n", scene->name, pl_error_text());
    return true;
}

// --- Worlds ---

static pl_status load_scene(const pl_bench_scene *scene, char *path, size_t room, pl_scene *out)
{
    if (scene->file == NULL) return pl_scene_parse(scene->text, scene->name, out);
    snprintf(path, room, "apps/scenes/%s", scene->file);
    return pl_scene_load_unseen(path, out);
}

static void apply(const pl_bench_change *change, pl_scene *scene)
{
    pl_world_options *o = &scene->world;
    if (change->solver != NULL) o->solver = change->solver;
    if (change->precond != NULL) o->precond = change->precond;
    if (change->friction_model != NULL) o->friction_model = change->friction_model;
    if (change->residual_tolerance > 0) o->residual_tolerance = change->residual_tolerance;
    if (change->contact_tolerance > 0) o->contact_tolerance = change->contact_tolerance;
    if (change->dt > 0) o->dt = change->dt;
    o->vj19 = o->vj19 || change->vj19;
    for (int32_t i = 0; i < scene->n_bodies && change->young > 0; i++) {
        scene->bodies[i].deformable.material.young = change->young;
    }
}

pl_status pl_bench_start(const pl_bench_scene *scene, const pl_bench_change *change, pl_play *out)
{
    char path[256];
    pl_scene loaded;
    *out = (pl_play){0};
    PL_TRY(load_scene(scene, path, sizeof path, &loaded));
    if (change != NULL) apply(change, &loaded);
    pl_status status = pl_play_open(&loaded, out);
    pl_scene_free(&loaded);
    return status;
}

// Steps until `lead`, and keeps the state.
static pl_status make_state(const pl_bench_scene *scene, const char *path)
{
    const pl_bench_change change = {.dt = scene->lead_dt};
    pl_play play;
    double started = pl_seconds();
    PL_TRY(pl_bench_start(scene, &change, &play));
    const pl_world *world = play.world;
    pl_status status = pl_play_until(&play, scene->lead);
    if (status == PL_OK) status = pl_play_run(&play, NULL, NULL);
    if (status == PL_OK) status = pl_world_save(world, path);
    if (status == PL_OK) {
        printf("%s: %lld steps to %g s, where it is measured, took %.1f s; kept in %s\n",
               scene->name, (long long)pl_world_steps(world), pl_world_time(world),
               pl_seconds() - started, path);
        fflush(stdout);
    }
    pl_play_close(&play);
    return status;
}

static pl_status open_at(const pl_bench_scene *scene, const pl_bench_change *change,
                         const char *path, pl_play *out)
{
    if (access(path, F_OK) != 0) PL_TRY(make_state(scene, path));
    PL_TRY(pl_bench_start(scene, change, out));
    (void)pl_warn_first(out->world, PL_WARNING_CHECKPOINT); // the change is meant
    pl_status status = pl_play_resume(out, path);
    if (status != PL_OK) pl_play_close(out);
    return status;
}

pl_status pl_bench_open(const pl_bench_scene *scene, const pl_bench_options *options,
                        const pl_bench_change *change, pl_play *out)
{
    char name[128], *path;
    *out = (pl_play){0};
    snprintf(name, sizeof name, "%s%s.plc", scene->name, options->quick ? "-quick" : "");
    PL_TRY(pl_bench_path(options, "states", name, &path));
    pl_status status = open_at(scene, change, path, out);
    pl_free(path);
    return status;
}

int32_t pl_bench_bodies(const pl_world *world)
{
    int32_t n = 0;
    for (int32_t i = 0; i < pl_world_body_count(world); i++) {
        n += pl_world_kind(world, i) != PL_BODY_KINEMATIC;
    }
    return n;
}

double pl_bench_mass_ratio(const pl_world *world)
{
    double least = INFINITY, most = 0;
    for (int32_t i = 0; i < pl_world_body_count(world); i++) {
        pl_frame frame;
        int32_t body = pl_world_body_at(world, i);
        if (pl_world_kind(world, body) != PL_BODY_RIGID) continue;
        if (pl_world_frame(world, body, &frame) != PL_OK) continue;
        least = fmin(least, frame.mass);
        most = fmax(most, frame.mass);
    }
    return most > 0 ? most / least : NAN;
}

int64_t pl_bench_tets(const pl_world *world)
{
    int64_t n = 0;
    for (int32_t i = 0; i < pl_world_body_count(world); i++) {
        bool elastic = pl_world_kind(world, i) == PL_BODY_DEFORMABLE;
        if (elastic) n += pl_mesh_tet_count(pl_world_mesh(world, i));
    }
    return n;
}

// --- Steps ---

static void add(pl_bench_steps *sum, const pl_step_stats *s, double cpu)
{
    sum->n++;
    sum->cpu += cpu;
    sum->fem += s->t_fem;
    sum->collision += s->t_collision;
    sum->solve += s->t_solve;
    sum->total += s->t_total;
    sum->iterations += s->iterations;
    sum->rounds += s->rounds;
    sum->relinearizations += s->relinearizations;
    sum->most_relinearizations = PL_MAX(sum->most_relinearizations, s->relinearizations);
    sum->contacts += s->constraints;
    sum->pressed += s->contacts;
    sum->rescued += s->rescues > 0;
    sum->residual = fmax(sum->residual, s->residual);
    sum->normal = fmax(sum->normal, s->constraint_error);
    sum->friction = fmax(sum->friction, s->friction_error);
    sum->dt = s->dt;
    sum->hash = s->hash;
}

typedef struct adding {
    pl_bench_steps *sum;
    double started; // of the step, by the clock of all processors [s]
} adding;

static pl_status add_step(pl_play *play, void *user)
{
    adding *a = user;
    add(a->sum, &play->stats, pl_cpu_seconds() - a->started);
    a->started = pl_cpu_seconds();
    return PL_OK;
}

pl_status pl_bench_run(pl_play *play, int32_t n, pl_bench_steps *sum)
{
    adding a = {sum, pl_cpu_seconds()};
    play->last = pl_world_steps(play->world) + n;
    return pl_play_run(play, add_step, &a);
}

typedef struct repeating {
    pl_bench_best *best;
    int32_t i;      // the step, after the one that warms up
    double started; // as above
} repeating;

static pl_status keep_best(pl_play *play, void *user)
{
    repeating *r = user;
    pl_bench_best *best = r->best;
    const pl_step_stats *s = &play->stats;
    double cpu = pl_cpu_seconds() - r->started;
    if (r->i >= 0) {
        int32_t i = r->i;
        pl_step_stats *b = &best->step[i];
        double other = s->t_total - s->t_fem - s->t_collision - s->t_solve;
        if (i >= best->n) {
            *b = *s;
            best->other[i] = other;
            best->cpu[i] = cpu;
        }
        b->t_fem = fmin(b->t_fem, s->t_fem);
        b->t_collision = fmin(b->t_collision, s->t_collision);
        b->t_solve = fmin(b->t_solve, s->t_solve);
        best->other[i] = fmin(best->other[i], other);
        best->cpu[i] = fmin(best->cpu[i], cpu);
        b->t_total = b->t_fem + b->t_collision + b->t_solve + best->other[i];
    }
    r->i++;
    r->started = pl_cpu_seconds();
    return PL_OK;
}

pl_status pl_bench_repeat(const pl_bench_scene *scene, const pl_bench_options *options, int32_t n,
                          pl_bench_best *best)
{
    pl_play play;
    PL_ASSERT(n <= PL_BENCH_STEPS && (best->n == 0 || best->n == n));
    PL_TRY(pl_bench_open(scene, options, NULL, &play));
    best->tets = (double)pl_bench_tets(play.world);
    repeating r = {best, -1, pl_cpu_seconds()};
    play.last = play.first + 1 + n;
    pl_status status = pl_play_run(&play, keep_best, &r);
    if (status == PL_OK) best->n = n;
    pl_play_close(&play);
    return status;
}

pl_bench_steps pl_bench_sum(const pl_bench_best *best)
{
    pl_bench_steps sum = {0};
    for (int32_t i = 0; i < best->n; i++) add(&sum, &best->step[i], best->cpu[i]);
    return sum;
}
