#include "simulation.h"
#include "stage.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

// Time that a slow simulation is behind is forgotten beyond this: it does not race to catch up [s].
static const double PATIENCE = 0.1;
// Snapshots come no more often than this [s]: no screen shows more.
static const double SHUTTER = 0.004;
static const double SLOWEST = 1.0 / 64;
static const double ROUGHER = 0.1, ROUGHEST = 3; // a press of the key, and the most [factor]

enum { COMMANDS = 256, RATES = 64 };

typedef enum verb {
    PAUSE,
    STEP,
    RESET,
    FASTER,
    SLOWER,
    SOLVER,
    PRECOND,
    ROUGH,
    SMOOTH,
    MOTOR,
    DRIVE_UP,
    DRIVE_DOWN,
    SHOW,
    GRAB,
    DRAG,
    RELEASE,
    DROP,
    QUIT
} verb;

typedef struct command {
    verb verb;
    pl_quantity quantity;
    int32_t body, face;
    double weight[3], target[3];
    char *path; // of DROP; given back by who obeys
} command;

struct pl_simulation {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake; // a command has come

    // Under the lock.
    command queue[COMMANDS]; // (n_queue)
    int32_t n_queue;
    int32_t ready; // of the snapshots: complete, and not taken yet ...
    bool fresh;    // ... if this says so

    // The snapshots: one that is written, one that is ready, one that is looked at.
    pl_snapshot snapshot[3];
    int32_t back;  // the thread's
    int32_t front; // of pl_simulation_look

    // The thread's own.
    pl_stage stage;
    command taken[COMMANDS]; // from the queue
    bool paused, single, quit;
    double speed;
    pl_quantity quantity;
    pl_step_stats stats;
    int64_t number;
    int32_t messages;
    char message[PL_VIEW_TEXT];
    double due;              // when the next step may begin, by the wall clock [s]
    double shown;            // when the last snapshot was made [s]
    double ended[RATES];     // of the last steps, the wall clock [s] ...
    double simulated[RATES]; // ... and the time of the world [s]
    int64_t n_ended;
};

// --- The thread: snapshots ---

static void say(pl_simulation *s, const char *text)
{
    snprintf(s->message, sizeof s->message, "%s", text);
    s->messages++;
}

// Steps per second, and how time passes, over the last steps that are no older than a second.
static void measure(const pl_simulation *s, pl_snapshot *out)
{
    double now = pl_seconds(), first = now, since = 0;
    int64_t n = 0, last = s->n_ended - 1;
    while (n < RATES && n <= last && now - s->ended[(last - n) % RATES] < 1) {
        first = s->ended[(last - n) % RATES];
        since = s->simulated[(last - n) % RATES];
        n++;
    }
    bool known = n > 1 && now > first;
    out->steps_per_second = known ? (double)(n - 1) / (now - first) : 0;
    out->pace = known ? (s->simulated[last % RATES] - since) / (now - first) : 0;
}

static pl_status fill(pl_simulation *s, pl_snapshot *out)
{
    PL_TRY(pl_stage_show(&s->stage, s->quantity, out));
    out->number = ++s->number;
    out->stats = s->stats;
    out->stats.time = pl_world_time(s->stage.play.world);
    out->stats.step = pl_world_steps(s->stage.play.world);
    out->speed = s->speed;
    out->paused = s->paused;
    measure(s, out);
    return PL_OK;
}

// One that cannot be made is left out, and the sentence goes with the next.
static void publish(pl_simulation *s)
{
    pl_snapshot *out = &s->snapshot[s->back];
    if (fill(s, out) != PL_OK) {
        say(s, pl_error_text());
        out->generation = -1;
        return;
    }
    memcpy(out->message, s->message, sizeof out->message);
    out->messages = s->messages;
    s->shown = pl_seconds();
    pthread_mutex_lock(&s->lock);
    int32_t other = s->ready;
    s->ready = s->back;
    s->back = other;
    s->fresh = true;
    pthread_mutex_unlock(&s->lock);
}

// --- The thread: commands ---

static pl_status change_friction(pl_simulation *s, double by)
{
    double factor = s->stage.friction + by;
    return pl_stage_set_friction(&s->stage, fmin(fmax(round(factor * 10) / 10, 0), ROUGHEST));
}

static pl_status drop(pl_simulation *s, char *path)
{
    PL_TRY(path != NULL ? PL_OK : PL_ERROR_MEMORY);
    pl_status status = pl_stage_drop(&s->stage, path);
    pl_free(path);
    if (status == PL_OK) say(s, "");
    return status;
}

static pl_status reset(pl_simulation *s)
{
    PL_TRY(pl_stage_reset(&s->stage));
    s->stats = (pl_step_stats){0};
    s->n_ended = 0;
    say(s, "");
    return PL_OK;
}

static pl_status obey(pl_simulation *s, const command *c)
{
    switch (c->verb) {
    case PAUSE:
        s->paused = !s->paused;
        return PL_OK;
    case STEP:
        s->paused = s->single = true;
        return PL_OK;
    case RESET:
        return reset(s);
    case FASTER:
        s->speed = fmin(2 * s->speed, 1);
        return PL_OK;
    case SLOWER:
        s->speed = fmax(s->speed / 2, SLOWEST);
        return PL_OK;
    case SOLVER:
        return pl_stage_next_solver(&s->stage);
    case PRECOND:
        return pl_stage_next_precond(&s->stage);
    case ROUGH:
        return change_friction(s, ROUGHER);
    case SMOOTH:
        return change_friction(s, -ROUGHER);
    case MOTOR:
        pl_stage_next_motor(&s->stage);
        return PL_OK;
    case DRIVE_UP:
        return pl_stage_drive(&s->stage, true);
    case DRIVE_DOWN:
        return pl_stage_drive(&s->stage, false);
    case SHOW:
        s->quantity = c->quantity;
        return PL_OK;
    case GRAB:
        memcpy(s->stage.target, c->target, sizeof c->target);
        return pl_stage_grab(&s->stage, c->body, c->face, c->weight);
    case DRAG:
        memcpy(s->stage.target, c->target, sizeof c->target);
        return PL_OK;
    case RELEASE:
        return pl_stage_release(&s->stage);
    case DROP:
        return drop(s, c->path);
    case QUIT:
        s->quit = true;
        return PL_OK;
    }
    return PL_OK;
}

// Takes the commands that have come; waits for some until `until` by the wall clock, INFINITY for
// as long as it takes. Returns how many there are.
static int32_t take(pl_simulation *s, double until)
{
    pthread_mutex_lock(&s->lock);
    double now = pl_seconds();
    if (s->n_queue == 0 && until == INFINITY) {
        pthread_cond_wait(&s->wake, &s->lock);
    } else if (s->n_queue == 0 && until > now) {
        struct timespec t;
        clock_gettime(CLOCK_MONOTONIC, &t);
        double end = (double)t.tv_nsec + (until - now) * 1e9;
        t.tv_sec += (time_t)(end / 1e9);
        t.tv_nsec = (long)fmod(end, 1e9);
        pthread_cond_timedwait(&s->wake, &s->lock, &t);
    }
    int32_t n = s->n_queue;
    memcpy(s->taken, s->queue, (size_t)n * sizeof *s->taken);
    s->n_queue = 0;
    pthread_mutex_unlock(&s->lock);
    return n;
}

// --- The thread: the loop ---

// A step that fails leaves the last good state, and pauses.
static void advance(pl_simulation *s)
{
    double now = pl_seconds();
    s->due = fmax(s->due, now - PATIENCE) + s->stage.scene.world.dt / s->speed;
    if (pl_stage_step(&s->stage) != PL_OK) {
        char text[PL_VIEW_TEXT];
        snprintf(text, sizeof text, "step %lld failed: %s",
                 (long long)pl_world_steps(s->stage.play.world) + 1, pl_error_text());
        say(s, text);
        s->paused = true;
        return;
    }
    s->stats = s->stage.play.stats;
    s->ended[s->n_ended % RATES] = pl_seconds();
    s->simulated[s->n_ended++ % RATES] = s->stats.time;
}

static void *run(void *argument)
{
    pl_simulation *s = argument;
    while (!s->quit) {
        bool idle = s->paused && !s->single;
        int32_t n = take(s, idle ? INFINITY : s->single ? 0 : s->due);
        for (int32_t i = 0; i < n; i++) {
            if (obey(s, &s->taken[i]) != PL_OK) say(s, pl_error_text());
        }
        double now = pl_seconds();
        bool go = !s->quit && (s->single || (!s->paused && now >= s->due));
        if (s->paused) s->due = now;
        if (go) advance(s);
        s->single = false;
        bool last = s->paused; // nobody knows when the next comes
        if (n > 0 || last || pl_seconds() - s->shown > SHUTTER) publish(s);
    }
    return NULL;
}

// --- From outside ---

static void destroy(pl_simulation *s)
{
    for (int i = 0; i < 3; i++) {
        pl_free(s->snapshot[i].body);
        pl_free(s->snapshot[i].face);
        pl_free(s->snapshot[i].x);
        pl_free(s->snapshot[i].value);
        pl_free(s->snapshot[i].contact);
        pl_free(s->snapshot[i].joint);
    }
    for (int32_t i = 0; i < s->n_queue; i++) pl_free(s->queue[i].path);
    pl_stage_close(&s->stage);
    pthread_cond_destroy(&s->wake);
    pthread_mutex_destroy(&s->lock);
    pl_free(s);
}

static void make_lock(pl_simulation *s)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&s->wake, &attributes);
    pthread_condattr_destroy(&attributes);
    pthread_mutex_init(&s->lock, NULL);
}

pl_status pl_simulation_start(pl_scene *scene, int32_t threads, bool paused, pl_simulation **out)
{
    *out = NULL;
    pl_simulation *s = pl_alloc_zero(1, sizeof *s);
    if (s == NULL) {
        pl_scene_free(scene);
        return PL_ERROR_MEMORY;
    }
    make_lock(s);
    s->paused = paused;
    s->speed = 1;
    s->ready = 1;
    s->back = 2;
    scene->world.threads = threads;
    pl_status status = pl_stage_open(scene, &s->stage);
    if (status == PL_OK) status = fill(s, &s->snapshot[0]);
    s->due = pl_seconds();
    if (status == PL_OK && pthread_create(&s->thread, NULL, run, s) != 0) {
        status = pl_fail(PL_ERROR_UNSUPPORTED, "no thread can be started for the simulation");
    }
    if (status != PL_OK) {
        destroy(s);
        return status;
    }
    *out = s;
    return PL_OK;
}

// Of drags in a row only the last one counts. A queue that is full, by 256 keys pressed within one
// step, loses its last command.
static void send(pl_simulation *s, const command *c)
{
    pthread_mutex_lock(&s->lock);
    bool again = c->verb == DRAG && s->n_queue > 0 && s->queue[s->n_queue - 1].verb == DRAG;
    if (again) s->n_queue--;
    if (s->n_queue == COMMANDS) pl_free(s->queue[--s->n_queue].path);
    s->queue[s->n_queue++] = *c;
    pthread_cond_signal(&s->wake);
    pthread_mutex_unlock(&s->lock);
}

static void send_verb(pl_simulation *s, verb verb)
{
    send(s, &(command){.verb = verb});
}

void pl_simulation_stop(pl_simulation *s)
{
    if (s == NULL) return;
    send_verb(s, QUIT);
    pthread_join(s->thread, NULL);
    destroy(s);
}

const pl_snapshot *pl_simulation_look(pl_simulation *s)
{
    pthread_mutex_lock(&s->lock);
    if (s->fresh) {
        int32_t other = s->front;
        s->front = s->ready;
        s->ready = other;
        s->fresh = false;
    }
    pthread_mutex_unlock(&s->lock);
    return &s->snapshot[s->front];
}

void pl_simulation_pause(pl_simulation *s)
{
    send_verb(s, PAUSE);
}

void pl_simulation_step(pl_simulation *s)
{
    send_verb(s, STEP);
}

void pl_simulation_reset(pl_simulation *s)
{
    send_verb(s, RESET);
}

void pl_simulation_faster(pl_simulation *s, bool up)
{
    send_verb(s, up ? FASTER : SLOWER);
}

void pl_simulation_next_solver(pl_simulation *s)
{
    send_verb(s, SOLVER);
}

void pl_simulation_next_precond(pl_simulation *s)
{
    send_verb(s, PRECOND);
}

void pl_simulation_next_motor(pl_simulation *s)
{
    send_verb(s, MOTOR);
}

void pl_simulation_drive(pl_simulation *s, bool up)
{
    send_verb(s, up ? DRIVE_UP : DRIVE_DOWN);
}

void pl_simulation_rougher(pl_simulation *s, bool up)
{
    send_verb(s, up ? ROUGH : SMOOTH);
}

void pl_simulation_show(pl_simulation *s, pl_quantity quantity)
{
    send(s, &(command){.verb = SHOW, .quantity = quantity});
}

void pl_simulation_grab(pl_simulation *s, int32_t body, int32_t face, const double weight[3],
                        const double target[3])
{
    command c = {.verb = GRAB, .body = body, .face = face};
    memcpy(c.weight, weight, sizeof c.weight);
    memcpy(c.target, target, sizeof c.target);
    send(s, &c);
}

void pl_simulation_drag(pl_simulation *s, const double target[3])
{
    command c = {.verb = DRAG};
    memcpy(c.target, target, sizeof c.target);
    send(s, &c);
}

void pl_simulation_release(pl_simulation *s)
{
    send_verb(s, RELEASE);
}

void pl_simulation_drop(pl_simulation *s, const char *path)
{
    command c = {.verb = DROP, .path = pl_alloc((int64_t)strlen(path) + 1, 1)};
    if (c.path != NULL) strcpy(c.path, path);
    send(s, &c);
}
