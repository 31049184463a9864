#include "stats_file.h"

#include <inttypes.h>

enum { ROW_MAX = 1024 };

static const char HEADER[] =
    "step,time,dt,bodies,contacts,constraints,iterations,relinearizations,state_changes,t_fem_ms,"
    "t_collision_ms,t_solve_ms,t_total_ms,residual,constraint_error,fb_error,min_gap,"
    "kinetic_energy,elastic_energy,hash,newton,rounds,halvings,friction_error,fb_normal,"
    "fb_stick,fb_slip,inverted,gravity_energy,work,v_rms,rescues,asleep,joint_gap,joint_angle,"
    "load_work,friction_loss,damping_loss,numerical_loss,imbalance,loose\n";

pl_status pl_stats_open(const char *path, bool resumed, int64_t last, pl_row_file *out)
{
    return pl_row_file_open(path, HEADER, resumed, last, out);
}

pl_status pl_stats_write(const pl_row_file *file, const pl_step_stats *s)
{
    char buffer[ROW_MAX];
    pl_text row = pl_text_start(buffer, sizeof buffer);
    pl_text_add(&row, "%" PRId64, s->step);
    pl_row_add(&row, s->time);
    pl_row_add(&row, s->dt);
    pl_text_add(&row, ",%d,%d,%d,%d,%d,%d", s->bodies, s->contacts, s->constraints, s->iterations,
                s->relinearizations, s->state_changes);
    const double numbers[] = {1e3 * s->t_fem,   1e3 * s->t_collision, 1e3 * s->t_solve,
                              1e3 * s->t_total, s->residual,          s->constraint_error,
                              s->fb_error,      s->min_gap,           s->kinetic_energy,
                              s->elastic_energy};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) pl_row_add(&row, numbers[i]);
    pl_text_add(&row, ",%016" PRIx64 ",%d,%d,%d", s->hash, s->newton, s->rounds, s->halvings);
    const double errors[] = {s->friction_error, s->fb_normal, s->fb_stick, s->fb_slip};
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) pl_row_add(&row, errors[i]);
    pl_text_add(&row, ",%d", s->inverted);
    pl_row_add(&row, s->gravity_energy);
    pl_row_add(&row, s->work);
    pl_row_add(&row, s->v_rms);
    pl_text_add(&row, ",%d,%d", s->rescues, s->asleep);
    pl_row_add(&row, s->joint_gap);
    pl_row_add(&row, s->joint_angle);
    const double balance[] = {s->load_work, s->friction_loss, s->damping_loss, s->numerical_loss,
                              s->imbalance};
    for (size_t i = 0; i < sizeof balance / sizeof balance[0]; i++) pl_row_add(&row, balance[i]);
    pl_text_add(&row, ",%d\n", s->loose);
    PL_ASSERT(row.length < sizeof buffer);
    return pl_row_file_write(file, buffer, row.length);
}
