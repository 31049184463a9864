// Saves a world to memory, goes on, goes back, and goes on again: the same bits.

#include <inttypes.h>
#include <pliant.h>
#include <stdio.h>
#include <stdlib.h>

static int fail(void)
{
    fprintf(stderr, "%s\n", pl_error_text());
    return 1;
}

static pl_status run(pl_world *world, int steps)
{
    pl_status status = PL_OK;
    for (int i = 0; i < steps && status == PL_OK; i++) status = pl_world_step(world, NULL);
    return status;
}

int main(void)
{
    pl_world_options options = pl_world_options_default();
    options.dt = 5e-3;
    pl_world *world;
    pl_mesh *plate, *cube;
    if (pl_world_create(&options, &world) != PL_OK) return fail();
    if (pl_mesh_make("box:size=4,4,0.2", &plate) != PL_OK) return fail();
    if (pl_world_add_kinematic(world, plate, NULL, NULL) != PL_OK) return fail();
    pl_mesh_destroy(plate);
    for (int i = 0; i < 3; i++) {
        const double up[12] = {1, 0, 0, 0.05 * i, 0, 1, 0, 0, 0, 0, 1, 0.4 + 0.5 * i};
        if (pl_mesh_make("box:size=0.4,0.4,0.4:cells=2", &cube) != PL_OK) return fail();
        if (pl_mesh_transform(cube, up) != PL_OK) return fail();
        if (pl_world_add_deformable(world, cube, NULL, NULL) != PL_OK) return fail();
        pl_mesh_destroy(cube);
    }

    size_t size;
    if (run(world, 60) != PL_OK) return fail();
    if (pl_world_save_memory(world, NULL, 0, &size) != PL_OK) return fail();
    void *state = malloc(size);
    if (state == NULL || pl_world_save_memory(world, state, size, &size) != PL_OK) return fail();
    if (run(world, 60) != PL_OK) return fail();
    uint64_t first = pl_world_hash(world);
    if (pl_world_load_memory(world, state, size) != PL_OK) return fail();
    if (run(world, 60) != PL_OK) return fail();
    uint64_t second = pl_world_hash(world);
    printf("%zu bytes; %016" PRIx64 " and %016" PRIx64 ": %s\n", size, first, second,
           first == second ? "the same" : "NOT the same");
    free(state);
    pl_world_destroy(world);
    return first == second ? 0 : 1;
}
