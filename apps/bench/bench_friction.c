// pliant bench friction: how far the motions of friction models part. A box slides on the ground at
// an angle to the tangents of its contacts, and stops. By Coulomb's law it goes v^2 / (2 mu g),
// straight on, whatever the angle.

#include "bench.h"
#include "../common/paths.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PATH_SIZE = 4096, ANGLES = 4 };

static const double MU = 0.5, SPEED = 2, GRAVITY = 9.81, DT = 1e-3;
static const double PI = 3.14159265358979323846;
static const double angles[ANGLES] = {0, 15, 30, 45}; // [degrees]

static const char *const models[] = {"cone",       "pyramid:8", "outer:8", "diamond",
                                     "box:follow", "box",       "box:3",   "box:last"};
enum { MODELS = sizeof models / sizeof *models };

typedef struct slide {
    double way;     // of the middle of the box, over Coulomb's
    double astray;  // the angle between its way and its velocity at the start [degrees]
    double seconds; // of the processor
    int32_t rescues;
    uint64_t hash;
} slide;

static pl_status add_box(pl_world *world, double angle, int32_t *body)
{
    const double up[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0.05003};
    const double down[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, -0.05};
    pl_rigid_options options = pl_rigid_options_default();
    pl_kinematic_options ground_options = pl_kinematic_options_default();
    pl_mesh *box = NULL, *ground = NULL;
    ground_options.surface.friction = MU;
    options.surface.friction = MU;
    options.velocity[0] = SPEED * cos(angle * PI / 180);
    options.velocity[1] = SPEED * sin(angle * PI / 180);
    pl_status status = pl_mesh_make("box:size=0.3,0.3,0.1", &box);
    if (status == PL_OK) status = pl_mesh_make("box:size=9,9,0.1", &ground);
    if (status == PL_OK) status = pl_mesh_transform(box, up);
    if (status == PL_OK) status = pl_mesh_transform(ground, down);
    if (status == PL_OK) status = pl_world_add_kinematic(world, ground, &ground_options, NULL);
    if (status == PL_OK) status = pl_world_add_rigid(world, box, &options, body);
    pl_mesh_destroy(box);
    pl_mesh_destroy(ground);
    return status;
}

// The middle of the box, that of its corners.
static void find_middle(const pl_world *world, int32_t body, double *x)
{
    const double *p = pl_world_positions(world, body);
    int32_t n = pl_world_vertex_count(world, body);
    x[0] = x[1] = 0;
    for (int32_t i = 0; i < n; i++) {
        x[0] += p[3 * i] / n, x[1] += p[3 * i + 1] / n;
    }
}

static pl_status run(pl_world *world, double angle, int32_t steps, slide *out)
{
    int32_t body;
    double from[2], to[2], start = pl_seconds();
    pl_step_stats stats = {0};
    PL_TRY(add_box(world, angle, &body));
    find_middle(world, body, from);
    for (int32_t i = 0; i < steps; i++) {
        PL_TRY(pl_world_step(world, &stats));
        out->rescues += stats.rescues;
    }
    find_middle(world, body, to);
    double dx = to[0] - from[0], dy = to[1] - from[1];
    out->way = hypot(dx, dy) * 2 * MU * GRAVITY / (SPEED * SPEED);
    out->astray = atan2(dy, dx) * 180 / PI - angle;
    out->seconds = pl_seconds() - start;
    out->hash = stats.hash;
    return PL_OK;
}

static pl_status measure(const char *model, double angle, int32_t steps, slide *out)
{
    pl_world_options options = pl_world_options_default();
    pl_world *world;
    *out = (slide){0};
    options.dt = DT;
    options.threads = 1;
    options.friction_model = model;
    PL_TRY(pl_world_create(&options, &world));
    pl_status status = run(world, angle, steps, out);
    pl_world_destroy(world);
    return status;
}

static pl_status run_all(const pl_bench_options *options, FILE *csv)
{
    int32_t steps = options->quick ? 20 : 600;
    printf("A box of 0.3 m slides at 2 m/s, friction 0.5, steps of 1 ms. The way to rest over\n"
           "v^2 / (2 mu g), and by how many degrees it is astray:\n\n%-11s",
           "angle");
    fprintf(csv, "model,angle,way,astray,seconds,rescues,hash\n");
    for (int a = 0; a < ANGLES; a++) printf("  %7.0f        ", angles[a]);
    printf("  %s\n", "hash at 30");
    for (int m = 0; m < MODELS; m++) {
        uint64_t hash = 0;
        printf("%-11s", models[m]);
        for (int a = 0; a < ANGLES; a++) {
            slide s;
            PL_TRY(measure(models[m], angles[a], steps, &s));
            if (a == 2) hash = s.hash;
            printf("  %6.3f %+6.1f%s ", s.way, s.astray, s.rescues > 0 ? "*" : " ");
            fprintf(csv, "%s,%g,%.6f,%.4f,%.4f,%d,%016" PRIx64 "\n", models[m], angles[a], s.way,
                    s.astray, s.seconds, (int)s.rescues, s.hash);
        }
        printf("  %016" PRIx64 "\n", hash);
        fflush(stdout);
    }
    return PL_OK;
}

pl_status pl_bench_friction(const pl_bench_options *options)
{
    char path[PATH_SIZE];
    PL_TRY(pl_make_folder(options->out));
    if (snprintf(path, sizeof path, "%s/friction.csv", options->out) >= (int)sizeof path) {
        return pl_fail(PL_ERROR_ARGUMENT, "--out: the path is too long");
    }
    FILE *csv = fopen(path, "w");
    if (csv == NULL) return pl_fail(PL_ERROR_FILE, "%s: %s", path, strerror(errno));
    pl_status status = run_all(options, csv);
    if (fclose(csv) != 0 && status == PL_OK) {
        status = pl_fail(PL_ERROR_FILE, "%s: %s", path, strerror(errno));
    }
    return status;
}
