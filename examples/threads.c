// Two worlds in two threads at the same time: they share nothing, and have the same bits.

#include <inttypes.h>
#include <pliant.h>
#include <pthread.h>
#include <stdio.h>

// Runs a world of its own; returns NULL if it failed. `result` is a uint64_t.
static void *simulate(void *result)
{
    pl_world_options options = pl_world_options_default();
    options.dt = 5e-3;
    options.threads = 1; // each thread is one
    pl_world *world;
    pl_mesh *plate, *ring;
    const double above[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0.5};
    if (pl_world_create(&options, &world) != PL_OK) return NULL;
    if (pl_mesh_make("box:size=4,4,0.2", &plate) != PL_OK) return NULL;
    if (pl_mesh_make("ring:segments=24", &ring) != PL_OK) return NULL;
    if (pl_mesh_transform(ring, above) != PL_OK) return NULL;
    if (pl_world_add_kinematic(world, plate, NULL, NULL) != PL_OK) return NULL;
    if (pl_world_add_deformable(world, ring, NULL, NULL) != PL_OK) return NULL;
    pl_mesh_destroy(plate);
    pl_mesh_destroy(ring);
    for (int i = 0; i < 150; i++) {
        if (pl_world_step(world, NULL) != PL_OK) {
            fprintf(stderr, "%s\n", pl_error_text()); // that of this thread
            return NULL;
        }
    }
    *(uint64_t *)result = pl_world_hash(world);
    pl_world_destroy(world);
    return result;
}

int main(void)
{
    pthread_t thread[2];
    uint64_t hash[2] = {0, 1};
    void *done[2] = {NULL, NULL};
    for (int i = 0; i < 2; i++) {
        if (pthread_create(&thread[i], NULL, simulate, &hash[i]) != 0) return 1;
    }
    for (int i = 0; i < 2; i++) pthread_join(thread[i], &done[i]);
    printf("%016" PRIx64 " and %016" PRIx64 "\n", hash[0], hash[1]);
    return done[0] != NULL && done[1] != NULL && hash[0] == hash[1] ? 0 : 1;
}
