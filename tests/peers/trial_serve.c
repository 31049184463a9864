// The main function of a simulator of rigid bodies under comparison: reads the trial, takes a step
// for every byte that it gets, and times it.

#include "trial_peer.h"
#include "../../apps/bench/cpu_time.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// --- The trial ---

static bool read_numbers(FILE *file, int n, double *x)
{
    for (int i = 0; i < n; i++) {
        if (fscanf(file, "%lf", &x[i]) != 1) return false;
    }
    return true;
}

static bool read_integers(FILE *file, int n, int32_t *x)
{
    for (int i = 0; i < n; i++) {
        if (fscanf(file, "%d", &x[i]) != 1) return false;
    }
    return true;
}

static bool read_body(FILE *file, pl_trial_body *body)
{
    int32_t shape;
    double x[24];
    if (!read_integers(file, 1, &shape) || !read_numbers(file, 21, x)) return false;
    body->shape = (pl_trial_shape)shape;
    memcpy(body->half, x, sizeof body->half);
    body->mass = x[3];
    memcpy(body->force, x + 4, sizeof body->force);
    body->young = x[7];
    memcpy(body->start.x, x + 8, sizeof body->start.x);
    memcpy(body->start.q, x + 11, sizeof body->start.q);
    memcpy(body->start.v, x + 15, sizeof body->start.v);
    memcpy(body->start.w, x + 18, sizeof body->start.w);
    return true;
}

static bool read_joint(FILE *file, pl_trial_joint *joint)
{
    int32_t kind[3];
    if (!read_integers(file, 3, kind)) return false;
    joint->kind = (pl_trial_joint_kind)kind[0];
    joint->a = kind[1];
    joint->b = kind[2];
    return read_numbers(file, 3, joint->point) && read_numbers(file, 3, joint->axis);
}

static bool read_mesh(FILE *file, int32_t n_body, trial_mesh *meshes)
{
    int32_t head[3];
    if (!read_integers(file, 3, head) || head[0] >= n_body) return false;
    trial_mesh *mesh = &meshes[head[0]];
    mesh->n_vert = head[1];
    mesh->n_tet = head[2];
    mesh->x = malloc((size_t)(3 * head[1]) * sizeof *mesh->x);
    mesh->tet = malloc((size_t)(4 * head[2]) * sizeof *mesh->tet);
    return mesh->x != NULL && mesh->tet != NULL && read_numbers(file, 3 * head[1], mesh->x) &&
           read_integers(file, 4 * head[2], mesh->tet);
}

static bool read_count(FILE *file, pl_trial *t, trial_mesh **mesh)
{
    char word[16];
    int32_t count[3];
    if (fscanf(file, "%15s", word) != 1 || strcmp(word, "count") != 0) return false;
    if (!read_integers(file, 3, count) || count[2] > PL_TRIAL_PLANES) return false;
    t->n_body = count[0];
    t->n_joint = count[1];
    t->n_plane = count[2];
    t->body = calloc((size_t)count[0] + 1, sizeof *t->body);
    t->joint = calloc((size_t)count[1] + 1, sizeof *t->joint);
    *mesh = calloc((size_t)count[0] + 1, sizeof **mesh);
    return t->body != NULL && t->joint != NULL && *mesh != NULL;
}

static bool read_trial(FILE *file, pl_trial *t, trial_mesh **mesh)
{
    char word[16];
    int32_t body = 0, joint = 0, plane = 0, touch;
    if (!read_count(file, t, mesh)) return false;
    while (fscanf(file, "%15s", word) == 1) {
        bool good = false;
        if (strcmp(word, "end") == 0) return body == t->n_body && joint == t->n_joint;
        if (strcmp(word, "physics") == 0) {
            good = read_numbers(file, 1, &t->dt) && read_numbers(file, 3, t->gravity) &&
                   read_numbers(file, 1, &t->friction) && read_integers(file, 1, &touch);
            t->touch = touch != 0;
        }
        if (strcmp(word, "body") == 0 && body < t->n_body) good = read_body(file, &t->body[body++]);
        if (strcmp(word, "joint") == 0 && joint < t->n_joint)
            good = read_joint(file, &t->joint[joint++]);
        if (strcmp(word, "plane") == 0 && plane < t->n_plane) {
            good = read_numbers(file, 3, t->plane[plane].normal) &&
                   read_numbers(file, 1, &t->plane[plane].offset);
            plane++;
        }
        if (strcmp(word, "mesh") == 0) good = read_mesh(file, t->n_body, *mesh);
        if (!good) return false;
    }
    return false;
}

// --- What simulators share ---

void trial_inertia(const pl_trial_body *body, double out[3])
{
    const double *h = body->half, m = body->mass;
    if (body->shape != PL_TRIAL_CAPSULE) {
        for (int k = 0; k < 3; k++) {
            double a = h[(k + 1) % 3], b = h[(k + 2) % 3];
            out[k] = m / 3 * (a * a + b * b);
        }
        return;
    }
    // A cylinder and two half balls, whose centres of mass are 3/8 of the radius beyond its ends.
    double r = h[0], l = 2 * h[1], ball = 4.0 / 3 * r, share = m / (ball + l);
    double m_ball = share * ball, m_tube = share * l, reach = h[1] + 0.375 * r;
    out[0] = out[1] = m_tube * (r * r / 4 + l * l / 12) +
                      m_ball * (0.4 * r * r - 0.140625 * r * r + reach * reach);
    out[2] = m_tube * r * r / 2 + m_ball * 0.4 * r * r;
}

// --- Serving ---

static bool answer(const void *data, size_t size)
{
    for (const char *at = data; size > 0;) {
        ssize_t n = write(PL_TRIAL_SOCKET, at, size);
        if (n <= 0) return false;
        at += n;
        size -= (size_t)n;
    }
    return true;
}

static bool answer_poses(const pl_trial *trial, double seconds, pl_trial_pose *pose)
{
    memset(pose, 0, (size_t)trial->n_body * sizeof *pose);
    trial_get(pose);
    return answer(&seconds, sizeof seconds) && answer(pose, (size_t)trial->n_body * sizeof *pose);
}

int main(int argc, char **argv)
{
    pl_trial trial = {0};
    trial_mesh *mesh = NULL;
    const double failed = -1;
    FILE *orders = fdopen(PL_TRIAL_SOCKET, "r");
    if (argc != 2 || orders == NULL || !read_trial(orders, &trial, &mesh)) {
        fprintf(stderr, "%s: it is started by pliant bench rigid\n", argv[0]);
        return 1;
    }
    pl_trial_pose *pose = calloc((size_t)trial.n_body, sizeof *pose);
    if (pose == NULL || !trial_open(&trial, mesh, argv[1])) {
        (void)answer(&failed, sizeof failed);
        return 1;
    }
    bool going =
        fgetc(orders) == '\n' && answer_poses(&trial, 0, pose); // the rest of the last line
    while (going && fgetc(orders) != EOF) {
        double before = pl_cpu_seconds();
        bool done = trial_advance();
        double seconds = pl_cpu_seconds() - before;
        going = done ? answer_poses(&trial, seconds, pose) : answer(&failed, sizeof failed);
    }
    return 0; // the simulator's world goes with the process
}
