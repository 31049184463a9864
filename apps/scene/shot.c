#include "shot.h"
#include "../common/vec.h"

#include <string.h>

// --- Following ---

// The follower obeys x' = (c - x) / s, c(t) being the leader's place and s the smoothing: it is
// late by s, and all that is faster than s is damped. If c goes from c0 to c1 = c0 + h m in a
// straight line in the time h, then c - s m solves the equation, and the rest decays:
//
//     x1 = c1 - s m + (x0 - c0 + s m) exp(-h/s),    s m = (c1 - c0) s/h.
//
// That is exact, so the path does not depend on how often it is asked for, as long as the leader
// goes straight in between. For s much greater than h, 1 - exp(-h/s) is what is left of the
// difference of large terms; expm1 keeps its digits: with g = -expm1(-h/s),
//
//     x1 = x0 + (c0 - x0) g + (c1 - c0) (1 - g s/h).
void pl_follower_move(pl_follower *follower, double smoothing, double time, const double leader[3])
{
    double h = time - follower->time;
    if (follower->started && !(h > 0)) return;
    bool jump = !follower->started || !(smoothing > 0);
    double g = jump ? 1 : -expm1(-h / smoothing);
    double late = jump ? 0 : g * smoothing / h;
    for (int k = 0; k < 3; k++) {
        double c0 = follower->leader[k], c1 = leader[k], *x = &follower->x[k];
        *x = jump ? c1 : *x + (c0 - *x) * g + (c1 - c0) * (1 - late);
        follower->leader[k] = c1;
    }
    follower->time = time;
    follower->started = true;
}

// --- Keyframes ---
//
// Each number y of the keys (time t) goes from key to key on a cubic with given values and slopes
// at both ends (Hermite). The slope at a key is the harmonic mean of those of the chords before and
// after, d0 and d1, weighted by the lengths of the intervals, h0 and h1 (Fritsch and Butland 1984):
//
//     m = 0                                                  if d0 d1 <= 0, else
//     m = (w0 + w1) / (w0/d0 + w1/d1),  w0 = h0 + 2 h1,  w1 = 2 h0 + h1,
//
// and 0 at the first and last key, before and after which the camera rests. |m| is at most 3 times
// the smaller of |d0| and |d1|, so that each cubic is monotone (Fritsch and Carlson 1980): the
// camera does not swing past a key, a number that is the same at two keys stays the same between
// them, and an angle stays in the range of its keys. The path has a continuous velocity.

static double chord(const pl_shot_key *a, const pl_shot_key *b, double ya, double yb)
{
    return (yb - ya) / (b->time - a->time);
}

// One of the numbers of a key: eye, target, angle.
enum { KEY_NUMBERS = 7 };

static double number_of(const pl_shot_key *key, int i)
{
    return i < 3 ? key->eye[i] : i < 6 ? key->target[i - 3] : key->fov_y;
}

static double slope_at(const pl_shot *shot, int32_t k, int i)
{
    if (k == 0 || k == shot->n_keys - 1) return 0;
    const pl_shot_key *a = &shot->key[k - 1], *b = a + 1, *c = a + 2;
    double h0 = b->time - a->time, h1 = c->time - b->time;
    double d0 = chord(a, b, number_of(a, i), number_of(b, i));
    double d1 = chord(b, c, number_of(b, i), number_of(c, i));
    if (!(d0 * d1 > 0)) return 0;
    double w0 = h0 + 2 * h1, w1 = 2 * h0 + h1;
    return (w0 + w1) / (w0 / d0 + w1 / d1);
}

static double between(const pl_shot *shot, int32_t k, double time, int i)
{
    const pl_shot_key *a = &shot->key[k], *b = a + 1;
    double h = b->time - a->time, u = (time - a->time) / h;
    double ya = number_of(a, i), yb = number_of(b, i);
    double ma = slope_at(shot, k, i), mb = slope_at(shot, k + 1, i);
    double bend = u * u * (3 - 2 * u);
    return ya + (yb - ya) * bend + h * u * (1 - u) * ((1 - u) * ma - u * mb);
}

static void interpolate(const pl_shot *shot, double time, pl_camera *out)
{
    double y[KEY_NUMBERS];
    int32_t k = -1;
    while (k + 1 < shot->n_keys && shot->key[k + 1].time <= time) k++;
    bool rests = k < 0 || k == shot->n_keys - 1;
    for (int i = 0; i < KEY_NUMBERS; i++) {
        y[i] = rests ? number_of(&shot->key[PL_MAX(k, 0)], i) : between(shot, k, time, i);
    }
    memcpy(out->eye, y, sizeof out->eye);
    memcpy(out->target, y + 3, sizeof out->target);
    out->fov_y = y[6];
}

// --- All kinds ---

static void circle(const pl_shot *shot, double time, pl_camera *out)
{
    double angle = shot->azimuth + shot->rate * time;
    vec3 arm = {shot->radius * cos(angle), shot->radius * sin(angle), shot->height};
    memcpy(out->target, shot->target, sizeof out->target);
    vec3_store(vec3_add(vec3_of(shot->target), arm), out->eye);
}

static void follow(const pl_shot *shot, const double subject[3], pl_camera *out)
{
    vec3 arm = vec3_of(shot->eye), at = vec3_of(subject);
    vec3_store(at, out->target);
    vec3_store(shot->stands ? arm : vec3_add(at, arm), out->eye);
}

void pl_shot_camera(const pl_shot *shot, double time, const double subject[3], pl_camera *out)
{
    *out = pl_camera_default();
    out->fov_y = shot->fov_y;
    switch (shot->kind) {
    case PL_SHOT_FIXED:
        memcpy(out->eye, shot->eye, sizeof out->eye);
        memcpy(out->target, shot->target, sizeof out->target);
        break;
    case PL_SHOT_ORBIT:
        circle(shot, time, out);
        break;
    case PL_SHOT_FOLLOW:
        follow(shot, subject, out);
        break;
    case PL_SHOT_KEYFRAMES:
        interpolate(shot, time, out);
        break;
    }
    double sight[3];
    vec3_store(vec3_sub(vec3_of(out->target), vec3_of(out->eye)), sight);
    pl_camera_stand_up(out, sight);
}

pl_shot pl_shot_around(const pl_camera *camera, double rate)
{
    vec3 arm = vec3_sub(vec3_of(camera->eye), vec3_of(camera->target));
    pl_shot shot = {.kind = PL_SHOT_ORBIT,
                    .fov_y = camera->fov_y,
                    .radius = hypot(arm.x, arm.y),
                    .height = arm.z,
                    .azimuth = atan2(arm.y, arm.x),
                    .rate = rate};
    memcpy(shot.target, camera->target, sizeof shot.target);
    memcpy(shot.eye, camera->eye, sizeof shot.eye);
    return shot;
}
