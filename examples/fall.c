// A soft ring falls on a plate and comes to rest: the smallest program that simulates.

#include <pliant.h>
#include <stdio.h>

static int fail(void)
{
    fprintf(stderr, "%s\n", pl_error_text());
    return 1;
}

int main(void)
{
    pl_world_options options = pl_world_options_default();
    options.dt = 5e-3;
    pl_world *world;
    pl_mesh *plate, *ring;
    int32_t body;
    const double above[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0.5};
    if (pl_world_create(&options, &world) != PL_OK) return fail();
    if (pl_mesh_make("box:size=4,4,0.2", &plate) != PL_OK) return fail();
    if (pl_mesh_make("ring:segments=24", &ring) != PL_OK) return fail();
    if (pl_mesh_transform(ring, above) != PL_OK) return fail();
    if (pl_world_add_kinematic(world, plate, NULL, NULL) != PL_OK) return fail();
    if (pl_world_add_deformable(world, ring, NULL, &body) != PL_OK) return fail();
    pl_mesh_destroy(plate);
    pl_mesh_destroy(ring);

    for (int i = 0; i < 200; i++) {
        pl_step_stats stats;
        if (pl_world_step(world, &stats) != PL_OK) return fail();
        if (i % 20 != 19) continue;
        printf("%.2f s: first vertex at %6.3f m, %3d contacts, %.3g J in motion\n", stats.time,
               pl_world_positions(world, body)[2], (int)stats.contacts, stats.kinetic_energy);
    }
    pl_world_destroy(world);
    return 0;
}
