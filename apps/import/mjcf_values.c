// Attributes of MJCF, with those of default classes.

#include "mjcf.h"

static const pl_element *find_class(const pl_element *in, const char *name)
{
    for (const pl_element *d = pl_element_find(in, "default"); d != NULL;
         d = pl_element_next(d, "default")) {
        const char *own = pl_element_get(d, "class");
        if (strcmp(own != NULL ? own : "main", name) == 0) return d;
        const pl_element *inner = find_class(d, name);
        if (inner != NULL) return inner;
    }
    return NULL;
}

const char *pl_mjcf_get(const pl_mjcf *m, const pl_element *at, const char *key)
{
    const char *value = pl_element_get(at, key), *name = pl_element_get(at, "class");
    if (value != NULL) return value;
    for (const pl_element *around = at->parent; name == NULL && around != NULL;
         around = around->parent) {
        name = pl_element_get(around, "childclass");
    }
    const pl_element *class = find_class(m->root, name != NULL ? name : "main");
    for (; class != NULL && strcmp(class->name, "default") == 0; class = class->parent) {
        value = pl_element_get(pl_element_find(class, at->name), key);
        if (value != NULL) return value;
    }
    return NULL;
}

pl_status pl_mjcf_numbers(const pl_mjcf *m, const pl_element *at, const char *key, double *out,
                          int n, int *given)
{
    return pl_import_numbers(m->import, at, pl_mjcf_get(m, at, key), out, n, given);
}

pl_status pl_mjcf_number(const pl_mjcf *m, const pl_element *at, const char *key, double *value)
{
    int given;
    return pl_mjcf_numbers(m, at, key, value, 1, &given);
}

// Turns about axes that go along, or with capitals about those that stay.
static pl_robot_pose turn_euler(const pl_mjcf *m, const double angle[3])
{
    pl_robot_pose out = pl_robot_pose_none();
    for (int k = 0; k < 3; k++) {
        char c = m->eulerseq[k];
        bool stays = c >= 'X' && c <= 'Z';
        pl_robot_pose turn = pl_robot_pose_about(stays ? c - 'X' : c - 'x', angle[k] * m->angle);
        out = stays ? pl_robot_pose_in(&turn, &out) : pl_robot_pose_in(&out, &turn);
    }
    return out;
}

static void cross(const double a[3], const double b[3], double out[3])
{
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        out[k] = a[i] * b[j] - a[j] * b[i];
    }
}

static void make_unit(double v[3])
{
    double n = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    for (int k = 0; k < 3; k++) v[k] /= n;
}

static pl_robot_pose from_axes(double x[3], double y[3])
{
    pl_robot_pose out = pl_robot_pose_none();
    double z[3];
    make_unit(x);
    cross(x, y, z);
    make_unit(z);
    cross(z, x, y);
    for (int k = 0; k < 3; k++)
        out.R[3 * k] = x[k], out.R[3 * k + 1] = y[k], out.R[3 * k + 2] = z[k];
    return out;
}

pl_status pl_mjcf_pose(const pl_mjcf *m, const pl_element *at, pl_robot_pose *out)
{
    double v[6];
    int given;
    *out = pl_robot_pose_none();
    PL_TRY(pl_mjcf_numbers(m, at, "quat", v, 4, &given));
    if (given == 4) *out = pl_robot_pose_quaternion(v);
    PL_TRY(pl_mjcf_numbers(m, at, "euler", v, 3, &given));
    if (given == 3) *out = turn_euler(m, v);
    PL_TRY(pl_mjcf_numbers(m, at, "axisangle", v, 4, &given));
    if (given == 4) {
        double half = 0.5 * v[3] * m->angle;
        make_unit(v);
        const double q[4] = {cos(half), sin(half) * v[0], sin(half) * v[1], sin(half) * v[2]};
        *out = pl_robot_pose_quaternion(q);
    }
    PL_TRY(pl_mjcf_numbers(m, at, "zaxis", v, 3, &given));
    if (given == 3) *out = pl_robot_pose_upright(v);
    PL_TRY(pl_mjcf_numbers(m, at, "xyaxes", v, 6, &given));
    if (given == 6) *out = from_axes(v, v + 3);
    PL_TRY(pl_mjcf_numbers(m, at, "pos", v, 3, &given));
    if (given == 3) memcpy(out->t, v, 3 * sizeof *v);
    return PL_OK;
}
