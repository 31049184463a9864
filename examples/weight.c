// Contact forces against the weight: a soft box rests on a plate that is tilted under it. What the
// plate does to the box is m g, and its share across the plate is what friction bears.

#include <math.h>
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
    pl_mesh *plate, *box;
    int32_t below, body;
    const double above[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0.305};
    pl_deformable_options soft = pl_deformable_options_default();
    soft.material.mass_damping = 20; // so that it comes to rest soon
    if (pl_world_create(&options, &world) != PL_OK) return fail();
    if (pl_mesh_make("box:size=4,4,0.2", &plate) != PL_OK) return fail();
    if (pl_mesh_make("box:size=0.4,0.4,0.4:cells=3", &box) != PL_OK) return fail();
    if (pl_mesh_transform(box, above) != PL_OK) return fail();
    if (pl_world_add_kinematic(world, plate, NULL, &below) != PL_OK) return fail();
    if (pl_world_add_deformable(world, box, &soft, &body) != PL_OK) return fail();
    pl_mesh_destroy(plate);
    pl_mesh_destroy(box);

    double weight = 1000 * 0.4 * 0.4 * 0.4 * 9.81;
    for (int degrees = 0; degrees <= 20; degrees += 10) {
        double angle = degrees * acos(-1) / 180; // gravity turns, not the plate
        const double g[3] = {9.81 * sin(angle), 0, -9.81 * cos(angle)};
        if (pl_world_set_gravity(world, g) != PL_OK) return fail();
        for (int i = 0; i < 200; i++) {
            if (pl_world_step(world, NULL) != PL_OK) return fail();
        }
        pl_resultant r;
        if (pl_world_resultant(world, body, below, &r) != PL_OK) return fail();
        double size =
            sqrt(r.force[0] * r.force[0] + r.force[1] * r.force[1] + r.force[2] * r.force[2]);
        printf("%2d degrees: %.2f N of %.2f N; across the plate %.2f N of %.2f N; pressure at "
               "(%.3f, %.3f)\n",
               degrees, size, weight, -r.force[0], weight * sin(angle), r.centre[0], r.centre[1]);
        if (fabs(size - weight) > 0.01 * weight) return 1;
    }
    pl_world_destroy(world);
    return 0;
}
