// How far does a beam sag? A sweep over the parameters of its material, in one world.

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
    options.contact = false;
    options.integrator = PL_INTEGRATOR_IMPLICIT; // long steps bring it to rest
    options.dt = 5;
    pl_world *world;
    pl_mesh *beam;
    int32_t body, held[64], n = 0, tip = 0;
    if (pl_world_create(&options, &world) != PL_OK) return fail();
    if (pl_mesh_make("box:size=1,0.1,0.1:cells=12,2,2", &beam) != PL_OK) return fail();
    if (pl_world_add_deformable(world, beam, NULL, &body) != PL_OK) return fail();
    pl_mesh_destroy(beam);
    for (int32_t i = 0; i < pl_world_vertex_count(world, body); i++) {
        const double *x = pl_world_positions(world, body);
        if (x[3 * i] < -0.499 && n < 64) held[n++] = i;
        if (x[3 * i] > x[3 * tip]) tip = i;
    }
    if (pl_world_drive(world, body, n, held, NULL) != PL_OK) return fail();

    const char *const name[2] = {"co-rotational", "neo-Hookean"};
    const pl_material_kind kind[2] = {PL_MATERIAL_COROTATIONAL, PL_MATERIAL_NEO_HOOKEAN};
    double rest = pl_world_positions(world, body)[3 * tip + 2];
    for (int k = 0; k < 2; k++) {
        for (double young = 4e6; young < 1e8; young *= 4) {
            pl_material_options material = pl_material_options_default();
            material.kind = kind[k];
            material.young = young;
            if (pl_world_set_material(world, body, &material) != PL_OK) return fail();
            for (int i = 0; i < 6; i++) {
                if (pl_world_step(world, NULL) != PL_OK) return fail();
            }
            printf("%-14s E %8.0f Pa: sags by %.4f m\n", name[k], young,
                   rest - pl_world_positions(world, body)[3 * tip + 2]);
        }
    }
    pl_world_destroy(world);
    return 0;
}
