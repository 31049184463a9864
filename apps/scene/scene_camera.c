#include "scene_camera.h"
#include "scene_shots.h"

const double PL_DEFAULT_SIGHT[3] = {0.6, -1, 0.35};

// Part of the picture left free around the bodies where the scene names no camera.
static const double MARGIN = 0.08;

pl_status pl_scene_camera(const pl_scene *scene, const double lo[3], const double hi[3],
                          const double direction[3], double aspect, pl_camera *out)
{
    *out = pl_camera_default();
    if (scene->n_shots > 0) {
        const pl_shot *shot = &scene->shots[0].shot;
        double subject[3];
        if (shot->kind == PL_SHOT_FOLLOW) pl_scene_subject(scene, shot, subject);
        pl_shot_camera(shot, 0, subject, out);
        return PL_OK;
    }
    if (!(lo[0] <= hi[0])) return PL_OK;
    pl_camera_stand_up(out, direction);
    return pl_camera_frame(out, lo, hi, direction, aspect, MARGIN);
}
