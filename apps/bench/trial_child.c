// A simulator on a trial that is a process of its own: nothing of it is linked into this one.

#include "trial.h"
#include "../../base/base.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define ANSWER 300 // a step, or the start, may take this long [s]

extern char **environ;

typedef struct child {
    const char *name;
    pid_t process;
    int socket;
    int32_t n_body;
    pl_trial_pose *pose; // (n_body) the last answer
} child;

// --- The text of a trial ---

static void write_numbers(FILE *file, int n, const double *x)
{
    for (int i = 0; i < n; i++) fprintf(file, " %.17g", x[i]);
}

static void write_body(FILE *file, const pl_trial_body *body)
{
    fprintf(file, "body %d", body->shape);
    write_numbers(file, 3, body->half);
    write_numbers(file, 1, &body->mass);
    write_numbers(file, 3, body->force);
    write_numbers(file, 1, &body->young);
    write_numbers(file, 3, body->start.x);
    write_numbers(file, 4, body->start.q);
    write_numbers(file, 3, body->start.v);
    write_numbers(file, 3, body->start.w);
    fprintf(file, "\n");
}

static pl_status write_soft(FILE *file, int32_t number, const pl_trial_body *body)
{
    pl_mesh *mesh;
    PL_TRY(pl_trial_soft_mesh(body, &mesh));
    int32_t n_vert = pl_mesh_vertex_count(mesh), n_tet = pl_mesh_tet_count(mesh);
    const int32_t *tet = pl_mesh_tets(mesh);
    fprintf(file, "mesh %d %d %d", number, n_vert, n_tet);
    write_numbers(file, 3 * n_vert, pl_mesh_positions(mesh));
    for (int32_t i = 0; i < 4 * n_tet; i++) fprintf(file, " %d", tet[i]);
    fprintf(file, "\n");
    pl_mesh_destroy(mesh);
    return PL_OK;
}

pl_status pl_trial_write(const pl_trial *t, void *file)
{
    fprintf(file, "count %d %d %d\nphysics", t->n_body, t->n_joint, t->n_plane);
    write_numbers(file, 1, &t->dt);
    write_numbers(file, 3, t->gravity);
    write_numbers(file, 1, &t->friction);
    fprintf(file, " %d\n", t->touch ? 1 : 0);
    for (int32_t i = 0; i < t->n_body; i++) write_body(file, &t->body[i]);
    for (int32_t i = 0; i < t->n_plane; i++) {
        fprintf(file, "plane");
        write_numbers(file, 3, t->plane[i].normal);
        write_numbers(file, 1, &t->plane[i].offset);
        fprintf(file, "\n");
    }
    for (int32_t i = 0; i < t->n_joint; i++) {
        const pl_trial_joint *joint = &t->joint[i];
        fprintf(file, "joint %d %d %d", joint->kind, joint->a, joint->b);
        write_numbers(file, 3, joint->point);
        write_numbers(file, 3, joint->axis);
        fprintf(file, "\n");
    }
    for (int32_t i = 0; i < t->n_body; i++) {
        if (t->body[i].shape == PL_TRIAL_SOFT) PL_TRY(write_soft(file, i, &t->body[i]));
    }
    fprintf(file, "end\n");
    return PL_OK;
}

// --- The process ---

static bool start(child *c, const pl_trial_engine *engine)
{
    int pair[2];
    char *argv[] = {(char *)engine->program, (char *)engine->setting, NULL};
    posix_spawn_file_actions_t actions;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) return false;
    c->socket = pair[0];
    // A descriptor that is moved onto itself would stay closed in the child.
    int theirs = pair[1] == PL_TRIAL_SOCKET ? dup(pair[1]) : pair[1];
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, theirs, PL_TRIAL_SOCKET);
    int error = posix_spawn(&c->process, engine->program, &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (theirs != pair[1]) close(theirs);
    close(pair[1]);
    if (error != 0) fprintf(stderr, "%s: %s\n", engine->program, strerror(error));
    struct timeval limit = {.tv_sec = ANSWER};
    setsockopt(c->socket, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    return error == 0;
}

static bool send_all(const child *c, const char *at, size_t size)
{
    while (size > 0) {
        ssize_t n = send(c->socket, at, size, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        at += n;
        size -= (size_t)n;
    }
    return true;
}

static bool receive(const child *c, void *data, size_t size)
{
    for (char *at = data; size > 0;) {
        ssize_t n = recv(c->socket, at, size, 0);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        at += n;
        size -= (size_t)n;
    }
    return true;
}

static bool send_trial(const child *c, const pl_trial *trial)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    if (file == NULL) return false;
    pl_status status = pl_trial_write(trial, file);
    bool sent = fclose(file) == 0 && status == PL_OK && send_all(c, text, size);
    free(text);
    return sent;
}

static bool take_answer(child *c, double *seconds)
{
    if (!receive(c, seconds, sizeof *seconds) || !(*seconds >= 0)) return false;
    return receive(c, c->pose, (size_t)c->n_body * sizeof *c->pose);
}

// --- What a simulator implements ---

void pl_trial_child_close(void *sim)
{
    child *c = sim;
    if (c->socket >= 0) close(c->socket);
    if (c->process > 0) {
        kill(c->process, SIGKILL); // it may be in the middle of a step; nothing of it is kept
        waitpid(c->process, NULL, 0);
    }
    pl_free(c->pose);
    pl_free(c);
}

void *pl_trial_child_open(const pl_trial_engine *engine, const pl_trial *trial)
{
    child *c = pl_alloc_zero(1, sizeof *c);
    if (c == NULL) return NULL;
    double seconds;
    c->socket = -1;
    c->n_body = trial->n_body;
    c->pose = pl_alloc_zero(trial->n_body, sizeof *c->pose);
    fflush(NULL);
    if (c->pose != NULL && start(c, engine) && send_trial(c, trial) && take_answer(c, &seconds)) {
        return c;
    }
    pl_trial_child_close(c);
    return NULL;
}

bool pl_trial_child_step(void *sim, double *seconds)
{
    return send_all(sim, "s", 1) && take_answer(sim, seconds);
}

void pl_trial_child_get(void *sim, pl_trial_pose *pose)
{
    const child *c = sim;
    memcpy(pose, c->pose, (size_t)c->n_body * sizeof *pose);
}
