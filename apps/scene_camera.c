#include "scene_camera.h"

#include <string.h>

const double PL_DEFAULT_SIGHT[3] = {0.6, -1, 0.35};

// Part of the picture left free around the bodies where the scene names no camera.
static const double MARGIN = 0.08;

pl_status pl_scene_camera(const pl_scene *scene, const double lo[3], const double hi[3],
                          const double direction[3], double aspect, pl_camera *out)
{
    *out = pl_camera_default();
    if (scene->has_camera) {
        memcpy(out->eye, scene->eye, sizeof out->eye);
        memcpy(out->target, scene->target, sizeof out->target);
        out->fov_y = scene->view_angle;
        double sight[3];
        for (int k = 0; k < 3; k++) sight[k] = scene->target[k] - scene->eye[k];
        pl_camera_stand_up(out, sight);
        return PL_OK;
    }
    if (!(lo[0] <= hi[0])) return PL_OK;
    pl_camera_stand_up(out, direction);
    return pl_camera_frame(out, lo, hi, direction, aspect, MARGIN);
}
