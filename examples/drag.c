// A hand drags a soft box over the floor by one of its corners, and lets go.

#include <pliant.h>
#include <stdio.h>

static int fail(void)
{
    fprintf(stderr, "%s\n", pl_error_text());
    return 1;
}

static double mean_x(const pl_world *world, int32_t body)
{
    int32_t n = pl_world_vertex_count(world, body);
    double sum = 0;
    for (int32_t i = 0; i < n; i++) sum += pl_world_positions(world, body)[3 * i];
    return sum / n;
}

int main(void)
{
    pl_world_options options = pl_world_options_default();
    options.dt = 5e-3;
    pl_world *world;
    pl_mesh *floor, *box;
    int32_t body;
    const double above[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0.305};
    if (pl_world_create(&options, &world) != PL_OK) return fail();
    if (pl_mesh_make("box:size=8,4,0.2", &floor) != PL_OK) return fail();
    if (pl_mesh_make("box:size=0.4,0.4,0.4:cells=3", &box) != PL_OK) return fail();
    if (pl_mesh_transform(box, above) != PL_OK) return fail();
    if (pl_world_add_kinematic(world, floor, NULL, NULL) != PL_OK) return fail();
    if (pl_world_add_deformable(world, box, NULL, &body) != PL_OK) return fail();
    pl_mesh_destroy(floor);
    pl_mesh_destroy(box);

    int32_t corner = 0; // the one with the largest x + z
    for (int32_t i = 0; i < pl_world_vertex_count(world, body); i++) {
        const double *x = pl_world_positions(world, body) + 3 * i;
        const double *best = pl_world_positions(world, body) + 3 * corner;
        if (x[0] + x[2] > best[0] + best[2]) corner = i;
    }
    const double *x = pl_world_positions(world, body) + 3 * corner;
    pl_pull hand = {
        .vertex = corner, .target = {x[0], x[1], x[2]}, .stiffness = 5e4, .damping = 100};
    for (int i = 0; i < 300; i++) {
        hand.target[0] += i < 200 ? 0.5 * options.dt : 0; // 0.5 m/s
        if (pl_world_pull(world, body, i < 200 ? 1 : 0, &hand) != PL_OK) return fail();
        if (pl_world_step(world, NULL) != PL_OK) return fail();
        if (i % 50 == 49)
            printf("%.2f s: at x = %.3f m\n", pl_world_time(world), mean_x(world, body));
    }
    pl_world_destroy(world);
    return 0;
}
