// Compares simulators on the same workloads: peers [options], see usage. Each simulator is a child
// that waits while the others step, so that their times are taken by turns in one run.

#include "judge.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define TURN 5     // steps of one simulator before the next has its turn
#define WARM_UP 10 // first steps of the window that are not timed: caches, warm starts
#define ANSWER 300 // for a step or whatever it was asked for, a simulator has this long [s]

typedef struct options {
    const char *programs; // folder of the simulators
    const char *csv;
    const char *workload; // the only one wanted, or NULL
    const char *only;     // part of the names of the simulators wanted, or NULL
    const char *resume;   // a checkpoint to start from instead of the fall, or NULL
    int fall, steps;      // 0: the workload's own
    double seconds;       // per simulator and phase
} options;

typedef struct simulator {
    const char *name, *program;
    int threads;
    bool no_fall;        // has the bits of another, and falls like it
    const char *setting; // in its environment, set to 1, or NULL
    const char *only;    // the workload that it takes part in, or NULL: all
    pid_t process;
    int socket;
    const char *fate; // why it takes part no longer, or NULL

    // Of the present phase.
    bool rests;
    peer_step *step; // (n)
    int n;
    double used;               // [s]
    judge_verdict last, worst; // now, and the worst of each so far
    double lowest, gain;       // energy in all: the least so far, the largest rise from there [J]
    int half;                  // steps taken at the first look in the second half, or 0
    double start[2], creep;    // centre of mass then [m], and how fast it has moved since [m/s]
} simulator;

#define DAMPED "PEER_BULLET_DAMPED"

static simulator simulators[] = {
    {.name = "Pliant", .program = "pliant", .threads = 1},
    {.name = "Pliant, 2 threads", .program = "pliant", .threads = 2, .no_fall = true},
    {.name = "Bullet, float", .program = "bullet", .threads = 1},
    {.name = "Bullet, float, damped", .program = "bullet", .threads = 1, .setting = DAMPED},
    {.name = "Bullet, double", .program = "bullet-double", .threads = 1},
    {.name = "Bullet, double, damped", .program = "bullet-double", .threads = 1, .setting = DAMPED},
    {.name = "MuJoCo", .program = "mujoco", .threads = 1},
    {.name = "MuJoCo, impratio 100",
     .program = "mujoco",
     .threads = 1,
     .setting = "PEER_MUJOCO_STICKY",
     .only = "slope"},
};

#define N_SIMULATORS ((int)(sizeof simulators / sizeof *simulators))

static const struct {
    const char *name, *scene;
    int fall, steps;
} workloads[] = {
    {"rings", "apps/scenes/rings.json", 1500, 300},
    {"block", "tests/peers/block.json", 1000, 500},
    {"slope", "tests/peers/slope.json", 2000, 2000},
};

// --- Children ---

static bool start(simulator *s, const char *folder, const char *scene)
{
    int pair[2];
    char path[4096], threads[16];
    snprintf(path, sizeof path, "%s/%s", folder, s->program);
    snprintf(threads, sizeof threads, "%d", s->threads);
    if (access(path, X_OK) != 0 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        return false;
    }
    s->process = fork();
    if (s->process == 0) {
        setenv("OMP_NUM_THREADS", threads, 1);
        if (s->setting != NULL) setenv(s->setting, "1", 1);
        if (dup2(pair[1], PEER_SOCKET) == PEER_SOCKET) execl(path, path, scene, threads, NULL);
        _exit(127);
    }
    close(pair[1]);
    s->socket = pair[0];
    struct timeval limit = {.tv_sec = ANSWER};
    setsockopt(s->socket, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    return s->process > 0;
}

static void stop(simulator *s)
{
    if (s->process <= 0) return;
    close(s->socket);
    if (s->fate != NULL) kill(s->process, SIGKILL);
    waitpid(s->process, NULL, 0);
    s->process = 0;
}

// Ends with the fate "crashed" where the other side is gone.
static bool move_bytes(simulator *s, void *data, size_t size, bool out)
{
    for (char *at = data; size > 0;) {
        ssize_t n = out ? send(s->socket, at, size, MSG_NOSIGNAL) : recv(s->socket, at, size, 0);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) {
            s->fate = n < 0 && errno == EAGAIN ? "hangs" : "crashed";
            return false;
        }
        at += n;
        size -= (size_t)n;
    }
    return true;
}

static bool order(simulator *s, peer_order what, int n)
{
    peer_request request = {what, n};
    return move_bytes(s, &request, sizeof request, true);
}

static void confirm(simulator *s)
{
    int32_t done = 0;
    if (move_bytes(s, &done, sizeof done, false) && !done) s->fate = "refused";
}

// --- A phase: so many steps of each, by turns ---

static void take_turn(simulator *s, int n)
{
    if (!order(s, PEER_STEP, n)) return;
    for (int i = 0; i < n && s->fate == NULL; i++) {
        peer_step *step = &s->step[s->n];
        if (!move_bytes(s, step, sizeof *step, false)) return;
        s->used += 1e-3 * step->wall;
        if (step->failed) s->fate = "failed";
        if (!step->failed) s->n++;
    }
}

// Judges where it is now. `state` has room for x and v.
static void look(simulator *s, judge *j, const peer_workload *w, double *state)
{
    size_t n = 3 * (size_t)w->n_vert;
    if (!order(s, PEER_GET, 0) || !move_bytes(s, state, 2 * n * sizeof *state, false)) return;
    judge_verdict now = judge_state(j, state, state + n);
    if (!now.finite) {
        s->fate = "NaN";
        return;
    }
    double energy = now.kinetic + now.elastic + now.gravity;
    if (s->n == 0) {
        s->worst = now;
        s->lowest = energy;
        s->gain = 0;
    }
    s->lowest = fmin(s->lowest, energy);
    s->gain = fmax(s->gain, energy - s->lowest);
    if (now.intersections > s->worst.intersections) s->worst.intersections = now.intersections;
    if (now.inside > s->worst.inside) s->worst.inside = now.inside;
    s->worst.depth = fmax(s->worst.depth, now.depth);
    s->worst.sunk = fmax(s->worst.sunk, now.sunk);
    s->worst.kinetic = fmax(s->worst.kinetic, now.kinetic);
    s->last = now;
}

// How fast the bodies move along the ground in the second half of a phase.
static void watch_creep(simulator *s, const peer_workload *w, int steps)
{
    if (2 * s->n < steps) return;
    if (s->half == 0) {
        s->half = s->n;
        memcpy(s->start, s->last.centre, sizeof s->start);
    } else {
        double by = hypot(s->last.centre[0] - s->start[0], s->last.centre[1] - s->start[1]);
        s->creep = by / ((s->n - s->half) * w->dt);
    }
}

static bool wanted(const simulator *s)
{
    return s->process > 0 && s->fate == NULL && !s->rests;
}

static bool run_phase(const peer_workload *w, judge *j, const options *o, int steps, bool fall,
                      double *state)
{
    int looks = steps / 20 > TURN ? steps / 20 : TURN; // steps from one look to the next
    for (int i = 0; i < N_SIMULATORS; i++) {
        simulator *s = &simulators[i];
        s->rests = fall && s->no_fall;
        s->n = 0;
        s->used = 0;
        s->last = s->worst = (judge_verdict){0};
        s->half = 0;
        s->creep = NAN;
        free(s->step);
        s->step = calloc((size_t)steps + TURN, sizeof *s->step);
        if (s->step == NULL) return false;
        if (wanted(s)) look(s, j, w, state);
    }
    for (int done = 0; done < steps; done += TURN) {
        for (int i = 0; i < N_SIMULATORS; i++) {
            simulator *s = &simulators[i];
            if (!wanted(s) || s->used > o->seconds) continue;
            take_turn(s, TURN);
            if (!wanted(s) || s->n % looks >= TURN) continue;
            look(s, j, w, state);
            watch_creep(s, w, steps);
        }
        if (isatty(2)) fprintf(stderr, "\r%6d of %d ", done + TURN, steps);
    }
    if (isatty(2)) fprintf(stderr, "\r");
    for (int i = 0; i < N_SIMULATORS; i++) {
        if (!wanted(&simulators[i])) continue;
        look(&simulators[i], j, w, state);
        if (simulators[i].n > simulators[i].half) watch_creep(&simulators[i], w, steps);
    }
    return true;
}

// --- The table ---

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

typedef struct times {
    double median, mean, cpu, fem, collision, solve; // [ms]
    double contacts;
    int n;
} times;

static times time_steps(const simulator *s, int skip)
{
    times t = {0};
    double *wall = calloc((size_t)s->n + 1, sizeof *wall);
    for (int i = skip; wall != NULL && i < s->n; i++) {
        wall[t.n++] = s->step[i].wall;
        t.mean += s->step[i].wall;
        t.cpu += s->step[i].cpu;
        t.fem += s->step[i].fem;
        t.collision += s->step[i].collision;
        t.solve += s->step[i].solve;
        t.contacts += s->step[i].contacts;
    }
    if (t.n > 0) {
        t.mean /= t.n;
        t.cpu /= t.n;
        t.fem /= t.n;
        t.collision /= t.n;
        t.solve /= t.n;
        t.contacts /= t.n;
        qsort(wall, (size_t)t.n, sizeof *wall, ascending);
        t.median = wall[t.n / 2];
    }
    free(wall);
    return t;
}

// How many times as long as the first simulator it took: by processor time, which others on the
// machine disturb least, or by the clock where two threads share the work.
static double ratio_to_first(const simulator *s, const times *t, const times *first)
{
    return s->threads > 1 ? t->mean / first->mean : t->cpu / first->cpu;
}

static void print_row(const simulator *s, const times *t, double ratio, const char *end)
{
    printf("%-22s %6d %9.2f %9.2f %9.2f %6.2f %8.0f %6d %6d %8.2f %8.2f %9.3g %9.3g %9.3g %9.3g  "
           "%s\n",
           s->name, s->n, t->median, t->mean, t->cpu, ratio, t->contacts,
           (int)s->worst.intersections, (int)s->worst.inside, 1e3 * s->worst.depth,
           1e3 * s->worst.sunk, s->worst.kinetic, s->last.kinetic, s->gain, 1e6 * s->creep, end);
    if (t->fem > 0) {
        printf("%22s of the mean: fem %.2f, collision %.2f, solve %.2f\n", "", t->fem, t->collision,
               t->solve);
    }
}

static void report(const char *workload, const char *phase, int steps, int skip, FILE *csv)
{
    times first = time_steps(&simulators[0], skip);
    printf("\n%s, %s\n%-22s %6s %9s %9s %9s %6s %8s %6s %6s %8s %8s %9s %9s %9s %9s  %s\n",
           workload, phase, "simulator", "steps", "median ms", "mean ms", "cpu ms", "ratio",
           "contacts", "pairs", "inside", "mm deep", "mm sunk", "kinetic J", "at end", "gain J",
           "creep um/s", "end");
    for (int i = 0; i < N_SIMULATORS; i++) {
        const simulator *s = &simulators[i];
        if (s->process <= 0 || s->rests) continue;
        times t = time_steps(s, skip);
        const char *end = s->fate != NULL ? s->fate : s->n < steps ? "late" : "done";
        double ratio = ratio_to_first(s, &t, &first);
        print_row(s, &t, ratio, end);
        fprintf(csv, "%s,%s,\"%s\",%d,%d,%.4f,%.4f,%.4f,%.4f,%.4f,%.4f,%.4f,%.1f", workload, phase,
                s->name, s->threads, s->n, t.median, t.mean, t.cpu, ratio, t.fem, t.collision,
                t.solve, t.contacts);
        fprintf(csv, ",%d,%d,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%s\n", (int)s->worst.intersections,
                (int)s->worst.inside, s->worst.depth, s->worst.sunk, s->worst.kinetic,
                s->last.kinetic, s->gain, s->creep, end);
    }
    fflush(stdout);
    fflush(csv);
}

// --- A workload ---

static void open_all(const options *o, const char *name, const char *scene)
{
    for (int i = 0; i < N_SIMULATORS; i++) {
        simulator *s = &simulators[i];
        s->fate = NULL;
        if (o->only != NULL && i > 0 && strstr(s->name, o->only) == NULL) continue;
        if (s->only != NULL && strcmp(s->only, name) != 0) continue;
        if (start(s, o->programs, scene) && order(s, PEER_OPEN, 0)) confirm(s);
    }
}

// It does not answer any more.
static bool lost(const simulator *s)
{
    return s->fate != NULL && (strcmp(s->fate, "crashed") == 0 || strcmp(s->fate, "hangs") == 0);
}

// Gives all the same state. One that fell badly takes part again.
static void share_state(const peer_workload *w, double *state)
{
    size_t size = 6 * (size_t)w->n_vert * sizeof *state;
    for (int i = 0; i < N_SIMULATORS; i++) {
        simulator *s = &simulators[i];
        if (s->process <= 0 || lost(s)) continue;
        s->fate = NULL;
        if (order(s, PEER_SET, 0) && move_bytes(s, state, size, true)) confirm(s);
    }
}

// The state that all are then given: after Pliant's fall, beside which the others fall as well.
static bool make_start(const options *o, const char *name, const peer_workload *w, judge *j,
                       int fall, double *state, FILE *csv)
{
    size_t n = 3 * (size_t)w->n_vert;
    simulator *first = &simulators[0];
    if (o->resume != NULL) return judge_resume(j, o->resume, state, state + n);
    if (!run_phase(w, j, o, fall, true, state)) return false;
    report(name, "each falls", fall, 0, csv);
    return wanted(first) && order(first, PEER_GET, 0) &&
           move_bytes(first, state, 2 * n * sizeof *state, false);
}

static bool compare(const options *o, const char *name, const char *scene, int fall, int steps,
                    FILE *csv)
{
    peer_workload w;
    if (!peer_workload_load(scene, &w)) return false;
    judge *j = judge_create(&w);
    double *state = malloc(6 * (size_t)w.n_vert * sizeof *state);
    bool good = j != NULL && state != NULL;
    if (good) {
        open_all(o, name, scene);
        good = make_start(o, name, &w, j, fall, state, csv);
        if (good) share_state(&w, state);
        good = good && run_phase(&w, j, o, steps + WARM_UP, false, state);
        if (good) report(name, "same start", steps + WARM_UP, WARM_UP, csv);
    }
    for (int i = 0; i < N_SIMULATORS; i++) {
        stop(&simulators[i]);
        free(simulators[i].step);
        simulators[i].step = NULL;
    }
    free(state);
    judge_destroy(j);
    peer_workload_free(&w);
    return good;
}

static const char usage[] =
    "usage: peers PROGRAMS [--workload NAME] [--only NAME] [--fall N] [--resume FILE.plc]\n"
    "             [--steps N] [--seconds S] [--csv FILE]\n\n"
    "  PROGRAMS         the folder that holds the simulators\n"
    "  --workload NAME  rings, block or slope; default all\n"
    "  --only NAME      simulators with this in their name, and Pliant\n"
    "  --fall N         steps from the start of the scene on; default: the workload's\n"
    "  --resume FILE    no fall, but a checkpoint of Pliant's; with --workload\n"
    "  --steps N        steps of all from the state that Pliant has then\n"
    "  --seconds S      of each simulator in each of the two, at most; default 900\n"
    "  --csv FILE       default out/peers.csv\n";

static bool read_options(int argc, char **argv, options *o)
{
    const char *fall = "0", *steps = "0", *seconds = "900";
    *o = (options){.csv = "out/peers.csv"};
    const struct {
        const char *name, **value;
    } known[] = {
        {"--workload", &o->workload}, {"--only", &o->only}, {"--resume", &o->resume},
        {"--csv", &o->csv},           {"--fall", &fall},    {"--steps", &steps},
        {"--seconds", &seconds},
    };
    const size_t n = sizeof known / sizeof *known;
    if (argc < 2 || argc % 2 != 0 || argv[1][0] == '-') return false;
    o->programs = argv[1];
    for (int i = 2; i < argc; i += 2) {
        size_t k = 0;
        while (k < n && strcmp(argv[i], known[k].name) != 0) k++;
        if (k == n) return false;
        *known[k].value = argv[i + 1];
    }
    o->fall = atoi(fall);
    o->steps = atoi(steps);
    o->seconds = atof(seconds);
    return o->resume == NULL || o->workload != NULL;
}

int main(int argc, char **argv)
{
    options o;
    if (!read_options(argc, argv, &o)) {
        fputs(usage, stderr);
        return 1;
    }
    FILE *csv = fopen(o.csv, "w");
    if (csv == NULL) {
        fprintf(stderr, "%s: %s\n", o.csv, strerror(errno));
        return 1;
    }
    fprintf(csv, "workload,phase,simulator,threads,steps,ms_median,ms_mean,ms_cpu,ratio,"
                 "ms_fem,ms_collision,ms_solve,contacts,"
                 "intersections,inside,depth_m,sunk_m,kinetic_max,kinetic_end,energy_gain,"
                 "creep_m_s,end\n");
    bool good = true;
    for (size_t k = 0; k < sizeof workloads / sizeof *workloads; k++) {
        if (o.workload != NULL && strcmp(o.workload, workloads[k].name) != 0) continue;
        good = compare(&o, workloads[k].name, workloads[k].scene,
                       o.fall > 0 ? o.fall : workloads[k].fall,
                       o.steps > 0 ? o.steps : workloads[k].steps, csv) &&
               good;
    }
    fclose(csv);
    return good ? 0 : 1;
}
