// The scenes that benchmarks step: those of VJ19's Table 1, smaller ones that stand in for them
// when all is to be quick, and the state in which a scene is measured: its bodies in contact.

#ifndef PL_BENCH_SCENE_H
#define PL_BENCH_SCENE_H

#include "bench.h"
#include "../scene/play.h"

typedef struct pl_bench_scene {
    const char *name; // of tables and files
    const char *file; // in apps/scenes; NULL: `text` is the scene
    const char *text;
    double lead;    // simulated time until it is measured [s]
    double lead_dt; // of the steps until then [s]; 0: that of the scene
} pl_bench_scene;

// By the name of one in apps/scenes: see bench_scene.c. Never NULL.
const pl_bench_scene *pl_bench_scene_find(const char *name, bool quick);

// How the world differs from the scene's. 0 and NULL: not at all.
typedef struct pl_bench_change {
    const char *solver, *precond, *friction_model;
    bool vj19;                                    // as VJ19 prints it
    double residual_tolerance, contact_tolerance; // [], [m]
    double dt;                                    // [s]
    double young;                                 // of all deformable bodies [Pa]
} pl_bench_change;

// The world at the start of the scene. Fails like pl_scene_load and pl_scene_world.
pl_status pl_bench_start(const pl_bench_scene *scene, const pl_bench_change *change, pl_play *out);

// The world in contact. The state is kept in OUT/states/NAME.plc, made with the default solver
// where there is none; delete it to have it made anew. `change` counts from there on.
pl_status pl_bench_open(const pl_bench_scene *scene, const pl_bench_options *options,
                        const pl_bench_change *change, pl_play *out);

// OUT/folder/name, whose folder is made; folder may be "". Give back with pl_free.
pl_status pl_bench_path(const pl_bench_options *options, const char *folder, const char *name,
                        char **out);

// If `status` is a failure of this scene alone: says so, and that it is left out.
bool pl_bench_skips(const pl_bench_scene *scene, pl_status status);

// The bodies that are not told how to move, and the tets of those that are elastic.
int32_t pl_bench_bodies(const pl_world *world);
int64_t pl_bench_tets(const pl_world *world);
// The mass of the heaviest over that of the lightest rigid body that moves; NAN if there is none.
double pl_bench_mass_ratio(const pl_world *world);

// The steps that a benchmark measures: sums and largest errors.
typedef struct pl_bench_steps {
    int32_t n;
    double fem, collision, solve, total; // sums of wall clock [s]
    double cpu;                          // sum of the time of all processors [s]
    double iterations, rounds;           // sums
    double contacts, pressed;            // sums: all, those with a force
    double relinearizations;             // sum
    int32_t most_relinearizations;       // of a step
    int32_t rescued;                     // steps in which "auto" took over from another solver
    double residual, normal, friction;   // largest
    double dt;                           // of the last one [s]
    uint64_t hash;                       // of its state
} pl_bench_steps;

// Makes n steps, and adds them to *sum.
pl_status pl_bench_run(pl_play *play, int32_t n, pl_bench_steps *sum);

// The same steps, made several times: of each, the least time of every stage, and their sum. Other
// programs that run meanwhile can only add to them. Begins as {0}.
enum { PL_BENCH_STEPS = 32 };
typedef struct pl_bench_best {
    pl_step_stats step[PL_BENCH_STEPS];
    double other[PL_BENCH_STEPS]; // what is not FEM, collision or solve [s]
    double cpu[PL_BENCH_STEPS];   // of all processors [s]
    int32_t n;                    // how many steps
    double tets;                  // of the scene
} pl_bench_best;

// Makes n steps from the state in contact, after one that warms up.
pl_status pl_bench_repeat(const pl_bench_scene *scene, const pl_bench_options *options, int32_t n,
                          pl_bench_best *best);
pl_bench_steps pl_bench_sum(const pl_bench_best *best);

#endif
