// The joints of a run as rows of a file: of every joint that has a name its free coordinates with
// their rates and the forces of their motors, and the force and torque that it bears.
// apps/README.md says what the columns are called.

#ifndef PL_JOINTS_FILE_H
#define PL_JOINTS_FILE_H

#include "../scene/scene.h"
#include "row_file.h"

typedef struct pl_joints_file {
    pl_row_file file;
    const pl_scene *scene;
    char *header, *row;
    size_t row_size;
} pl_joints_file;

// Like pl_row_file_open. PL_ERROR_ARGUMENT if no joint of the scene has a name.
pl_status pl_joints_file_open(const char *path, const pl_scene *scene, bool resumed, int64_t last,
                              pl_joints_file *out);
pl_status pl_joints_file_write(const pl_joints_file *file, const pl_world *world);
pl_status pl_joints_file_close(pl_joints_file *file);

#endif
