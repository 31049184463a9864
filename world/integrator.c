#include "integrator.h"

const pl_integrator_ops *pl_integrator_at(pl_integrator integrator)
{
    static const pl_integrator_ops *const table[] = {
        [PL_INTEGRATOR_SEMI_IMPLICIT] = &pl_semi_implicit_ops,
        [PL_INTEGRATOR_IMPLICIT] = &pl_implicit_ops,
        [PL_INTEGRATOR_BDF2] = &pl_bdf2_ops,
        [PL_INTEGRATOR_AUTO] = &pl_auto_ops,
        [PL_INTEGRATOR_STATIC] = &pl_static_ops,
    };
    return table[integrator];
}

const pl_integrator_ops *pl_integrator_of(const pl_world *world)
{
    return pl_integrator_at(world->options.integrator);
}

bool pl_integrator_iterates(const pl_world *world)
{
    return pl_integrator_of(world)->newton != PL_NEWTON_NONE && !world->options.vj19;
}

void pl_integrator_move(pl_world *world)
{
    double dt = world->dt;
    for (int64_t i = 0; i < 3 * (int64_t)world->state.n_vert; i++) {
        world->state.x[i] += dt * world->system.v_new[i];
        world->state.v[i] = world->system.v_new[i];
    }
}
