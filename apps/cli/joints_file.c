#include "joints_file.h"
#include "../scene/scene_joints.h"

#include <inttypes.h>

enum { NUMBER_MAX = 32 }; // bytes of a number and its comma

// Columns of the last six: along the world's axes, at and about the point of b.
static const char *const LOADS[] = {"force_x",  "force_y",  "force_z",
                                    "torque_x", "torque_y", "torque_z"};
enum { N_LOADS = 6 };

// Is the coordinate one that the file has?
static bool is_free(const pl_joint_options *o, int32_t axis)
{
    if (o->kind == PL_JOINT_DISTANCE) return axis == 0;
    return o->axes[axis].lo != o->axes[axis].hi;
}

// A name in a header: without what separates columns.
static void add_name(pl_text *text, const char *name)
{
    pl_text_add(text, ",");
    for (const char *p = name; *p != '\0'; p++) {
        pl_text_add(text, "%c", *p == ',' || *p == '"' || *p == '\n' || *p == '\r' ? '_' : *p);
    }
}

static void add_columns(pl_text *text, const pl_scene_joint *joint)
{
    static const char *const parts[] = {"", "_rate", "_motor"};
    const pl_joint_options *o = &joint->options;
    for (int32_t k = 0; k < PL_JOINT_AXES; k++) {
        for (int i = 0; is_free(o, k) && i < 3; i++) {
            add_name(text, joint->name);
            pl_text_add(text, ".%s%s", pl_joint_axis_name(o->kind, k), parts[i]);
        }
    }
    for (int i = 0; i < N_LOADS; i++) {
        add_name(text, joint->name);
        pl_text_add(text, ".%s", LOADS[i]);
    }
    add_name(text, joint->name);
    pl_text_add(text, ".broken");
}

static void write_header(const pl_scene *scene, pl_text *text)
{
    pl_text_add(text, "step,time");
    for (int32_t i = 0; i < scene->n_joints; i++) {
        if (scene->joints[i].name != NULL) add_columns(text, &scene->joints[i]);
    }
    pl_text_add(text, "\n");
}

static pl_status make_header(const pl_scene *scene, pl_joints_file *out)
{
    char nothing[1];
    pl_text text = pl_text_start(nothing, sizeof nothing);
    write_header(scene, &text);
    out->header = pl_alloc((int64_t)text.length + 1, 1);
    if (out->header == NULL) return PL_ERROR_MEMORY;
    text = pl_text_start(out->header, text.length + 1);
    write_header(scene, &text);
    int64_t columns = 1;
    for (const char *p = out->header; *p != '\0'; p++) columns += *p == ',';
    out->row_size = (size_t)(columns * NUMBER_MAX);
    out->row = pl_alloc((int64_t)out->row_size, 1);
    return out->row != NULL ? PL_OK : PL_ERROR_MEMORY;
}

pl_status pl_joints_file_open(const char *path, const pl_scene *scene, bool resumed, int64_t last,
                              pl_joints_file *out)
{
    bool named = false;
    for (int32_t i = 0; i < scene->n_joints; i++) named = named || scene->joints[i].name != NULL;
    *out = (pl_joints_file){.file = {.fd = -1}, .scene = scene};
    if (!named) {
        return pl_fail(PL_ERROR_ARGUMENT, "--joints: no joint of %s has a \"name\"", scene->file);
    }
    PL_TRY(make_header(scene, out));
    return pl_row_file_open(path, out->header, resumed, last, &out->file);
}

static void add_joint(pl_text *row, const pl_joint_options *o, const pl_joint_state *state)
{
    for (int32_t k = 0; k < PL_JOINT_AXES; k++) {
        double unit = pl_joint_axis_unit(o->kind, k);
        if (!is_free(o, k)) continue;
        pl_row_add(row, state->position[k] / unit);
        pl_row_add(row, state->rate[k] / unit);
        pl_row_add(row, state->motor[k]);
    }
    for (int k = 0; k < 3; k++) pl_row_add(row, state->force[k]);
    for (int k = 0; k < 3; k++) pl_row_add(row, state->torque[k]);
    pl_row_add(row, state->broken);
}

pl_status pl_joints_file_write(const pl_joints_file *file, const pl_world *world)
{
    pl_text row = pl_text_start(file->row, file->row_size);
    pl_text_add(&row, "%" PRId64, pl_world_steps(world));
    pl_row_add(&row, pl_world_time(world));
    for (int32_t i = 0; i < file->scene->n_joints; i++) {
        pl_joint_state state;
        if (file->scene->joints[i].name == NULL) continue;
        PL_TRY(pl_world_joint_state(world, i, &state));
        add_joint(&row, &file->scene->joints[i].options, &state);
    }
    pl_text_add(&row, "\n");
    PL_ASSERT(row.length < file->row_size);
    return pl_row_file_write(&file->file, file->row, row.length);
}

pl_status pl_joints_file_close(pl_joints_file *file)
{
    pl_free(file->header);
    pl_free(file->row);
    file->header = file->row = NULL;
    return pl_row_file_close(&file->file);
}
