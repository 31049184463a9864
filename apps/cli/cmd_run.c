// pliant run: a scene in time, with statistics, frames for other programs and checkpoints.

#include "args.h"
#include "commands.h"
#include "../export/export.h"
#include "heap.h"
#include "joints_file.h"
#include "../scene/interrupt.h"
#include "../scene/jitter.h"
#include "../common/paths.h"
#include "progress.h"
#include "run_audit.h"
#include "run_grid.h"
#include "../scene/play.h"
#include "stale.h"
#include "stats_file.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

enum { EXIT_INTERSECTS = 2, EXIT_LATE = 3 };
enum { ERROR_ROOM = 1024, NOTES_ROOM = 4096 };

// What the command line asks for.
typedef struct job {
    double started; // wall clock [s]
    const char *out, *format, *stats, *joints, *resume, *record;
    const char *integrator, *solver, *precond, *friction, *device;
    int32_t steps, threads, every, checkpoint_every, jitter, max_newton;      // 0: not given
    double newton_tolerance;                                                  // likewise
    double time, dt, fps, residual_tolerance, contact_tolerance, max_seconds; // 0: not given
    int formats;                                                              // of `out`
    bool vj19, no_contact, no_rescue, sleep, audit, quiet;
} job;

typedef struct run {
    const job *job;
    const pl_scene *scene;
    pl_play play;
    pl_export export;
    pl_row_file stats;
    pl_joints_file joints;
    pl_progress progress;
    int64_t saved;         // the step of the latest checkpoint, -1 if there is none
    int64_t problem;       // the step whose problem was kept because it failed, -1 if there is none
    int64_t recorded;      // problems of --record
    int64_t audited;       // states that are free of intersection
    int32_t inverted;      // tets, at most in one step,
    int64_t inverted_step; // and in which first
    pl_audit_report report; // the latest
    bool intersects;
} run;

// --- Outputs ---

// Where checkpoints go, and problems; NULL for nowhere.
static const char *state_folder(const job *j)
{
    return j->out != NULL ? j->out : j->record;
}

static const char *problem_folder(const job *j)
{
    return j->record != NULL ? j->record : j->out;
}

static pl_status name_file(const char *folder, const char *name, int64_t step, char **out)
{
    const char *end = strcmp(name, "problem") == 0 ? "plp" : "plc";
    return pl_path_in(out, folder, "%s-%06" PRId64 ".%s", name, step, end);
}

static pl_status save(run *r)
{
    int64_t step = pl_world_steps(r->play.world);
    char *path;
    if (r->saved == step) return PL_OK;
    PL_TRY(name_file(state_folder(r->job), "checkpoint", step, &path));
    pl_status status = pl_world_save(r->play.world, path);
    pl_free(path);
    if (status == PL_OK) r->saved = step;
    return status;
}

static pl_status save_problem(const run *r, int64_t step)
{
    char *path;
    PL_TRY(name_file(problem_folder(r->job), "problem", step, &path));
    pl_status status = pl_world_save_problem(r->play.world, path);
    pl_free(path);
    return status;
}

static pl_status open_frames(run *r)
{
    const job *j = r->job;
    PL_TRY(pl_schedule_check(&r->play.schedule));
    pl_export_options options = {.formats = j->formats,
                                 .fps = pl_schedule_rate(&r->play.schedule),
                                 .contacts = r->scene->world.contact,
                                 .resumed = j->resume != NULL};
    return pl_export_open(j->out, &options, r->scene, r->play.world, &r->export);
}

// Opens everything that the run will write; only then is the first byte changed. The folders come
// first, because the statistics may belong into one.
static pl_status open_outputs(run *r)
{
    const job *j = r->job;
    bool resumed = j->resume != NULL;
    int64_t step = pl_world_steps(r->play.world);
    if (j->out != NULL) PL_TRY(open_frames(r));
    if (j->record != NULL) PL_TRY(pl_make_folder(j->record));
    if (j->out != NULL) pl_remove_parts(j->out);
    if (j->record != NULL) pl_remove_parts(j->record);
    if (j->stats != NULL) PL_TRY(pl_stats_open(j->stats, resumed, step, &r->stats));
    if (j->joints != NULL) {
        PL_TRY(pl_joints_file_open(j->joints, r->scene, resumed, step, &r->joints));
    }
    if (j->stats != NULL) PL_TRY(pl_row_file_begin(&r->stats));
    if (j->joints != NULL) PL_TRY(pl_row_file_begin(&r->joints.file));
    bool due = j->out != NULL && (pl_play_is_frame(&r->play) || pl_export_is_empty(&r->export));
    return due ? pl_export_write(&r->export, r->play.world) : PL_OK;
}

// In this order: what a checkpoint stands for has been written when the checkpoint is.
static pl_status record(run *r, const pl_step_stats *stats)
{
    const job *j = r->job;
    if (j->stats != NULL) PL_TRY(pl_stats_write(&r->stats, stats));
    if (j->joints != NULL) PL_TRY(pl_joints_file_write(&r->joints, r->play.world));
    if (j->record != NULL && stats->constraints > 0) {
        PL_TRY(save_problem(r, stats->step));
        r->recorded++;
    }
    if (j->out != NULL && pl_play_is_frame(&r->play)) {
        PL_TRY(pl_export_write(&r->export, r->play.world));
    }
    if (j->checkpoint_every > 0 && stats->step % j->checkpoint_every == 0) PL_TRY(save(r));
    return PL_OK;
}

// --- When things go wrong ---

// Keeps what is needed to look into it: the state, which is the last good one if a step failed, and
// the problem of `step` if it had one.
static pl_status keep_evidence(run *r, int64_t step)
{
    if (state_folder(r->job) == NULL) return PL_OK;
    PL_TRY(save(r));
    pl_status status = save_problem(r, step);
    if (status == PL_OK) r->problem = step;
    return status == PL_ERROR_ARGUMENT ? PL_OK : status;
}

static void print_evidence(const run *r)
{
    const job *j = r->job;
    if (state_folder(j) == NULL) {
        fprintf(stderr, "pliant: nothing was kept; --out DIR keeps state and problem\n");
    }
    if (r->saved >= 0) {
        fprintf(stderr, "pliant: %s: %s/checkpoint-%06" PRId64 ".plc\n",
                r->play.failed ? "the last good state" : "the state", state_folder(j), r->saved);
    }
    if (r->problem >= 0) {
        fprintf(stderr, "pliant: the contact problem: %s/problem-%06" PRId64 ".plp\n",
                problem_folder(j), r->problem);
    }
}

// --- The run ---

static pl_status audit(run *r)
{
    PL_TRY(pl_world_audit(r->play.world, &r->report));
    r->intersects = !r->report.clean;
    r->audited += r->report.clean;
    return PL_OK;
}

// After a step.
static pl_status tell(pl_play *play, void *user)
{
    run *r = user;
    const pl_step_stats *stats = &play->stats;
    PL_TRY(record(r, stats));
    if (stats->inverted > r->inverted) {
        r->inverted = stats->inverted;
        r->inverted_step = stats->step;
    }
    pl_progress_show(&r->progress, stats);
    if (r->job->audit) PL_TRY(audit(r));
    play->stop = r->intersects;
    return PL_OK;
}

static void print_end(const run *r)
{
    const pl_world *world = r->play.world;
    int64_t steps = pl_world_steps(world) - r->play.first;
    double seconds = pl_seconds() - r->progress.start;
    if (pl_interrupted()) printf("interrupted\n");
    if (r->play.late) {
        printf("--max-seconds %g: ended after step %lld of %lld\n", r->job->max_seconds,
               (long long)pl_world_steps(world), (long long)r->play.last);
    }
    printf("%lld steps in %.2f s (%.2f ms per step), %.6g s simulated, hash %016" PRIx64 "\n",
           (long long)steps, seconds, steps > 0 ? 1e3 * seconds / (double)steps : 0.0,
           pl_world_time(world), pl_world_hash(world));
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("%.0f MB of memory at most\n", (double)usage.ru_maxrss / 1024);
    if (r->inverted > 0) {
        printf("flat or inverted tets: %d at most, in step %lld\n", (int)r->inverted,
               (long long)r->inverted_step);
    }
    if (r->job->audit) printf("audit: %lld states free of intersection\n", (long long)r->audited);
    if (r->job->record != NULL) {
        printf("contact problems: %" PRId64 " in %s%s\n", r->recorded, r->job->record,
               r->recorded == 0 ? "; no bodies came near each other" : "");
    }
    if (r->saved >= 0) {
        printf("last checkpoint: %s/checkpoint-%06" PRId64 ".plc\n", state_folder(r->job),
               r->saved);
    }
}

// The state at the end, and the problem if it is of interest.
static pl_status keep_state(run *r)
{
    bool amid = r->play.failed || r->play.gave_up; // a step
    if (amid || r->intersects) return keep_evidence(r, pl_world_steps(r->play.world) + amid);
    return r->job->checkpoint_every > 0 ? save(r) : PL_OK;
}

// What is kept at the end, whatever ended the run; the first failure is the one to tell.
static pl_status end_run(run *r, pl_status status)
{
    char text[ERROR_ROOM];
    snprintf(text, sizeof text, "%s", pl_error_text());
    pl_status kept = keep_state(r);
    pl_status finished = r->job->out != NULL ? pl_export_finish(&r->export) : PL_OK;
    if (kept == PL_OK) kept = finished;
    if (status == PL_OK) return kept;
    return kept == PL_OK ? pl_fail(status, "%s", text)
                         : pl_fail(status, "%s; nor could it be kept: %s", text, pl_error_text());
}

// From here to the first step nothing is written, so that --max-seconds can end it anywhere.
static void limit_start(const job *j)
{
    char text[128];
    if (j->max_seconds == 0) return;
    snprintf(text, sizeof text, "pliant: --max-seconds %g: ended before the first step\n",
             j->max_seconds);
    pl_leave_after(j->started + j->max_seconds - pl_seconds(), EXIT_LATE, j->quiet ? "" : text);
}

static pl_status simulate(run *r)
{
    if (r->scene->world.contact || r->job->audit) PL_TRY(audit(r));
    if (r->intersects) return PL_OK;
    if (!r->job->audit) pl_world_end_audits(r->play.world); // that of the start was the only one
    // The first step would do it, and say better what is wrong.
    if (r->job->max_seconds > 0) (void)pl_world_prepare(r->play.world);
    pl_leave_never();
    if (state_folder(r->job) != NULL) {
        pl_warn_stale(state_folder(r->job), r->job->resume != NULL ? r->play.first : -1);
    }
    PL_TRY(open_outputs(r));
    pl_interrupt_catch();
    r->progress = pl_progress_start(r->play.first, r->play.last, r->job->quiet);
    pl_status status = pl_play_explain(&r->play, pl_play_run(&r->play, tell, r));
    pl_progress_end(&r->progress);
    status = end_run(r, status);
    if (status == PL_OK && !r->job->quiet) print_end(r);
    return status;
}

// Says what went wrong, why and where; returns the exit code.
static int report(const run *r, pl_status status)
{
    fflush(stdout);
    int code = status != PL_OK ? pl_command_failed() : 0;
    bool stepped = r->play.world != NULL && pl_world_steps(r->play.world) > r->play.first;
    if (r->intersects) {
        char when[64] = "at the start";
        if (stepped) {
            snprintf(when, sizeof when, "after step %" PRId64, pl_world_steps(r->play.world));
        }
        pl_run_print_audit(r->scene, r->play.world, &r->report, when);
        if (!stepped) pl_run_print_remedy(r->play.world, &r->report);
        code = EXIT_INTERSECTS;
    }
    if (r->play.failed || (r->intersects && stepped)) print_evidence(r);
    if (code == 0 && r->play.late) code = EXIT_LATE;
    return code == 0 && pl_interrupted() ? PL_EXIT_INTERRUPTED : code;
}

// --- The command ---

// Is a world with these options possible? `prefix` turns what is said about a field into what is
// said about the option.
static pl_status check_option(const char *prefix, const pl_world_options *options)
{
    pl_world *world;
    pl_status status = pl_world_create(options, &world);
    pl_world_destroy(world);
    return status == PL_OK ? PL_OK : pl_fail(status, "%s%s", prefix, pl_error_text());
}

// One by one, before anything is loaded.
static pl_status check_contact(const job *j)
{
    pl_world_options solver = pl_world_options_default(), precond = solver, friction = solver;
    if (j->friction != NULL) friction.friction_model = j->friction;
    if (j->solver != NULL) solver.solver = j->solver;
    if (j->precond != NULL) precond.precond = j->precond;
    if (j->newton_tolerance >= 1) {
        return pl_fail(PL_ERROR_ARGUMENT, "--newton-tolerance: %g is not below 1",
                       j->newton_tolerance);
    }
    if (j->residual_tolerance >= 1) {
        return pl_fail(PL_ERROR_ARGUMENT, "--residual-tolerance: %g is not between 0 and 1",
                       j->residual_tolerance);
    }
    PL_TRY(check_option("--solver: ", &solver));
    PL_TRY(check_option("--friction: ", &friction));
    return check_option("--precond: ", &precond);
}

static pl_status check_job(const job *j)
{
    if (j->steps > 0 && j->time > 0) {
        return pl_fail(PL_ERROR_ARGUMENT, "--steps and --time: give one of them");
    }
    const char *lost = j->every > 0              ? "--every"
                       : j->fps > 0              ? "--fps"
                       : j->format != NULL       ? "--format"
                       : j->checkpoint_every > 0 ? "--checkpoint-every"
                                                 : NULL;
    if (j->out == NULL && lost != NULL) {
        return pl_fail(PL_ERROR_ARGUMENT, "%s: say where to with --out DIR", lost);
    }
    if (j->every > 0 && j->fps > 0) {
        return pl_fail(PL_ERROR_ARGUMENT, "--every and --fps: give one of them");
    }
    if (j->no_contact && j->record != NULL) {
        return pl_fail(PL_ERROR_ARGUMENT, "--record: there are no problems with --no-contact");
    }
    pl_integrator integrator;
    if (j->integrator != NULL && pl_integrator_find(j->integrator, &integrator) != PL_OK) {
        pl_fail_prefix("--integrator");
        return PL_ERROR_ARGUMENT;
    }
    const char *device;
    if (j->device != NULL && pl_device_find(j->device, &device) != PL_OK) {
        pl_fail_prefix("--device");
        return PL_ERROR_ARGUMENT;
    }
    return check_contact(j);
}

// What VJ19 solves to [6.3]: a relative residual, and the error of a contact [m]. It has no bound
// on its rounds; one that has not ended after so many never does.
static const double VJ19_RESIDUAL_TOLERANCE = 5e-5, VJ19_CONTACT_TOLERANCE = 5e-6;
enum { PAPER_ROUNDS = 30 };

// The command line counts before the scene.
static void override(const job *j, pl_world_options *o)
{
    if (j->dt > 0) o->dt = j->dt;
    if (j->integrator != NULL) (void)pl_integrator_find(j->integrator, &o->integrator); // checked
    if (j->max_newton > 0) o->max_newton = j->max_newton;
    if (j->newton_tolerance > 0) o->newton_tolerance = j->newton_tolerance;
    if (j->vj19) {
        o->vj19 = true;
        o->solver = "cr";
        o->residual_tolerance = VJ19_RESIDUAL_TOLERANCE;
        o->contact_tolerance = VJ19_CONTACT_TOLERANCE;
        o->rounds = PAPER_ROUNDS;
    }
    if (j->solver != NULL) o->solver = j->solver;
    if (j->precond != NULL) o->precond = j->precond;
    if (j->friction != NULL) o->friction_model = j->friction;
    if (j->residual_tolerance > 0) o->residual_tolerance = j->residual_tolerance;
    if (j->contact_tolerance > 0) o->contact_tolerance = j->contact_tolerance;
    if (j->device != NULL) o->device = j->device;
    if (j->no_rescue) o->rescue = false;
    if (j->no_contact) o->contact = false;
    if (j->sleep) o->sleep = true;
    o->threads = j->threads;
}

// Of a world with the options that the run has.
static void warn_unused(const job *j, const pl_world_options *o, bool had_contact)
{
    int32_t number;
    pl_solver_info solver;
    const char *why =
        j->no_contact ? "--no-contact leaves no contacts to solve" : "the scene has no contact";
    pl_args_no_effect(j->no_contact && !had_contact, "--no-contact", "the scene has none");
    if (!o->contact) {
        pl_args_no_effect(j->solver != NULL, "--solver", why);
        pl_args_no_effect(j->precond != NULL, "--precond", why);
        pl_args_no_effect(j->device != NULL, "--device", why);
        pl_args_no_effect(j->friction != NULL, "--friction", why);
        pl_args_no_effect(j->residual_tolerance > 0, "--residual-tolerance", why);
        pl_args_no_effect(j->contact_tolerance > 0, "--contact-tolerance", why);
        pl_args_no_effect(j->vj19, "--vj19", why);
        pl_args_no_effect(j->no_rescue, "--no-rescue", why);
        return;
    }
    if (pl_solver_number(o->solver, &number) != PL_OK) return; // which was checked
    if (pl_solver_describe(number, &solver) != PL_OK) return;
    pl_args_no_effect(j->precond != NULL && !solver.has_precond, "--precond",
                      "only the solvers cr, minres and gcr have one");
    pl_args_no_effect(j->no_rescue && strcmp(o->solver, "auto") == 0, "--no-rescue",
                      "it is auto that rescues others; --solver chooses one");
}

static pl_status set_limits(run *r)
{
    const job *j = r->job;
    r->play.schedule.every = j->every;
    r->play.schedule.fps = j->fps;
    if (j->max_seconds > 0) r->play.deadline = j->started + j->max_seconds;
    r->play.last = j->steps;
    if (j->steps > 0) return PL_OK;
    return pl_play_until(&r->play, j->time > 0 ? j->time : r->scene->duration);
}

static const char NOTES[] =
    "SCENE is a file, or a name that 'pliant --help=scenes' lists.\n\n"
    "Ctrl-C ends the run after the present step, with everything written.\n"
    "A resumed run keeps the rows and frames up to its checkpoint and drops later ones; its\n"
    "steps are bit for bit those of a run that never stopped.\n\n"
    "Formats of frames, NNN being the number of a step or of a body:\n"
    "  vtu   ParaView: series.pvd (velocity, stress, contact force), contacts.pvd (force, gap, "
    "slip),\n"
    "        joints.pvd (force, torque, coordinates)\n"
    "  usda  Blender, Houdini, usdview: scene.usda, all frames with materials and camera; made\n"
    "        from scene.pc2 at the end, and whenever the number of frames has doubled\n"
    "  obj   frame-NNN.obj, an object per body\n"
    "  ply   frame-NNN.ply, binary, with colours\n"
    "  pc2   body_NNN.pc2, a point cache per body, and body_NNN.obj, the mesh that it moves\n"
    "All but vtu hold surfaces, and frames.csv the time of each frame.\n\n"
    "--jitter moves no point by more than 1 % of its body's size, nor by more than 0.3 of the\n"
    "smallest distance between bodies; the same seed is the same start. Resume with the same.\n\n"
    "A step that fails, or that --max-seconds cuts short, leaves the last good state as a "
    "checkpoint\n"
    "and its contact problem, in the folder of --out or --record.\n\n"
    "Exit code: 0 at the end of the run, 1 if something failed, 2 if bodies intersect (at the\n"
    "start, or by --audit), 3 if --max-seconds came first, 130 after Ctrl-C.\n\n";

static pl_status prepare(run *r, pl_scene *scene)
{
    bool had_contact = scene->world.contact;
    override(r->job, &scene->world);
    warn_unused(r->job, &scene->world, had_contact);
    if (r->job->jitter > 0) PL_TRY(pl_scene_jitter(scene, r->job->jitter));
    PL_TRY(pl_play_open(r->scene, &r->play));
    if (r->job->resume != NULL) PL_TRY(pl_play_resume(&r->play, r->job->resume));
    return set_limits(r);
}

static int run_scene(pl_scene *scene, const job *j)
{
    run r = {.job = j,
             .scene = scene,
             .stats = {.fd = -1},
             .joints = {.file = {.fd = -1}},
             .saved = -1,
             .problem = -1};
    pl_status status = prepare(&r, scene);
    if (status == PL_OK) status = simulate(&r);
    pl_status closed = pl_row_file_close(&r.stats), also = pl_joints_file_close(&r.joints);
    if (closed == PL_OK) closed = also;
    int code = report(&r, status != PL_OK ? status : closed);
    pl_export_free(&r.export);
    pl_play_close(&r.play);
    return code;
}

// Of bodies on a grid there are no states to keep, and no surfaces that only move.
static pl_status check_grid_job(const job *j)
{
    const struct {
        bool given;
        const char *option;
    } without[] = {{j->resume != NULL, "--resume"},
                   {j->checkpoint_every > 0, "--checkpoint-every"},
                   {j->joints != NULL, "--joints"},
                   {j->audit, "--audit"},
                   {j->integrator != NULL, "--integrator"},
                   {j->precond != NULL, "--precond"},
                   {j->friction != NULL, "--friction"},
                   {j->residual_tolerance > 0, "--residual-tolerance"},
                   {j->vj19, "--vj19"},
                   {j->no_rescue, "--no-rescue"},
                   {j->no_contact, "--no-contact"},
                   {j->sleep, "--sleep"},
                   {j->jitter > 0, "--jitter"}};
    for (size_t i = 0; i < sizeof without / sizeof *without; i++) {
        if (!without[i].given) continue;
        return pl_fail(PL_ERROR_ARGUMENT, "%s: not for bodies on a grid", without[i].option);
    }
    if ((j->formats & ~(PL_EXPORT_OBJ | PL_EXPORT_PLY)) == 0) return PL_OK;
    return pl_fail(PL_ERROR_ARGUMENT, "--format: surfaces of bodies on a grid are others in every "
                                      "frame, which obj and ply can hold");
}

static int run_grid(pl_scene *scene, const job *j)
{
    job own = *j;
    if (j->format == NULL) own.formats = PL_EXPORT_OBJ;
    if (check_grid_job(&own) != PL_OK) return pl_command_failed();
    override(j, &scene->world);
    const pl_run_grid_options options = {.started = j->started,
                                         .out = j->out,
                                         .stats = j->stats,
                                         .record = j->record,
                                         .formats = own.formats,
                                         .steps = j->steps,
                                         .every = j->every,
                                         .time = j->time,
                                         .fps = j->fps,
                                         .max_seconds = j->max_seconds,
                                         .quiet = j->quiet};
    return pl_run_grid(scene, &options);
}

static int run_word(const char *word, const job *j)
{
    bool seen = j->out != NULL && (j->formats & ~PL_EXPORT_VTU) != 0;
    char *path;
    pl_scene scene;
    if (pl_scene_find(word, &path) != PL_OK) return pl_command_failed();
    pl_status status = seen ? pl_scene_load(path, &scene) : pl_scene_load_unseen(path, &scene);
    int code = status != PL_OK ? pl_command_failed()
               : scene.grid.on ? run_grid(&scene, j)
                               : run_scene(&scene, j);
    if (status == PL_OK) pl_scene_free(&scene);
    pl_free(path);
    return code;
}

static const pl_choice CHOICES[] = {{"SOLVER", pl_choice_solver},
                                    {"PRECOND", pl_precond_name},
                                    {"INTEGRATOR", pl_integrator_name},
                                    {"LIST", pl_export_format_name},
                                    {NULL, NULL}};

int pl_command_run(int argc, char **argv)
{
    job j = {.started = pl_seconds()};
    const pl_option options[] = {
        {"--steps", PL_OPTION_COUNT, &j.steps, "N", "end after step N of the scene"},
        {"--time", PL_OPTION_NUMBER, &j.time, "T", "end at T s; default the scene's duration"},
        {"--max-seconds", PL_OPTION_NUMBER, &j.max_seconds, "T",
         "end after T s of wall clock, loading included; a step under way is given up"},
        {"--dt", PL_OPTION_NUMBER, &j.dt, "H", "step [s]; default the scene's"},
        {"--jitter", PL_OPTION_COUNT, &j.jitter, "SEED",
         "move and turn free bodies a little at the start, see below"},
        {"--threads", PL_OPTION_THREADS, &j.threads, "N", "default one per core; same results"},
        {"--device", PL_OPTION_TEXT, &j.device, "DEVICE",
         "for contact problems: cpu, cuda[:N], opencl[:N] or auto; see 'pliant info'"},
        {"--integrator", PL_OPTION_TEXT, &j.integrator, "INTEGRATOR",
         "auto, semi-implicit, implicit, bdf2 (second order in time) or static; default the "
         "scene's"},
        {"--max-newton", PL_OPTION_COUNT, &j.max_newton, "N",
         "at most N iterations of Newton's method per step, which is then halved"},
        {"--newton-tolerance", PL_OPTION_NUMBER, &j.newton_tolerance, "X",
         "imbalance of forces at the end of a step, 0 to 1; default 0.1, of implicit 1e-3"},
        {"--solver", PL_OPTION_TEXT, &j.solver, "SOLVER", "of contacts, see below"},
        {"--precond", PL_OPTION_TEXT, &j.precond, "PRECOND",
         "of cr, minres and gcr: full, diag, schur or none"},
        {"--friction", PL_OPTION_TEXT, &j.friction, "MODEL",
         "in place of the cone: diamond, pyramid:N, outer:N, box, box:N, box:last, box:follow"},
        {"--residual-tolerance", PL_OPTION_NUMBER, &j.residual_tolerance, "X",
         "relative residual of contact problems"},
        {"--contact-tolerance", PL_OPTION_NUMBER, &j.contact_tolerance, "X",
         "error of a contact [m]"},
        {"--vj19", PL_OPTION_FLAG, &j.vj19, NULL,
         "contacts as VJ19 prints them: its loop, its tolerances, and the solver cr, unless named"},
        {"--no-rescue", PL_OPTION_FLAG, &j.no_rescue, NULL,
         "a step fails where its solver does; else auto takes over (column rescues)"},
        {"--no-contact", PL_OPTION_FLAG, &j.no_contact, NULL, "bodies pass through each other"},
        {"--sleep", PL_OPTION_FLAG, &j.sleep, NULL,
         "bodies that have come to rest are not computed (column asleep)"},
        {"--audit", PL_OPTION_FLAG, &j.audit, NULL,
         "prove after every step that nothing intersects"},
        {"--record", PL_OPTION_TEXT, &j.record, "DIR",
         "write the contact problem of each step that has one: DIR/problem-*.plp, some MB each"},
        {"--out", PL_OPTION_TEXT, &j.out, "DIR", "write frames into this folder"},
        {"--format", PL_OPTION_TEXT, &j.format, "LIST",
         "of frames: vtu, usda, obj, ply, pc2, or several: vtu,usda; default vtu, see below"},
        {"--every", PL_OPTION_COUNT, &j.every, "K", "a frame every K steps; default 10"},
        {"--fps", PL_OPTION_NUMBER, &j.fps, "N",
         "or N frames for each second of the scene, each after the step nearest to its time"},
        {"--stats", PL_OPTION_TEXT, &j.stats, "FILE.csv", "write a row of statistics per step"},
        {"--joints", PL_OPTION_TEXT, &j.joints, "FILE.csv",
         "write a row per step: coordinates, rates, motors and forces of joints that have a name"},
        {"--checkpoint-every", PL_OPTION_COUNT, &j.checkpoint_every, "N",
         "write DIR/checkpoint-*.plc every N steps and at the end"},
        {"--resume", PL_OPTION_TEXT, &j.resume, "FILE.plc", "go on from a checkpoint"},
        {"--quiet", PL_OPTION_FLAG, &j.quiet, NULL, "print nothing but warnings and errors"},
    };
    char notes[NOTES_ROOM];
    int length = snprintf(notes, sizeof notes, "%sSolvers of contact problems:\n\n", NOTES);
    pl_solver_help(notes + length, sizeof notes - (size_t)length);
    const pl_command command = {
        .usage = "run SCENE [options]",
        .summary = "Simulates a scene. The command line counts before the scene.",
        .options = options,
        .n_options = sizeof options / sizeof options[0],
        .notes = notes,
        .least = 1,
        .most = 1,
        .choices = CHOICES,
    };
    int n_words, exit_code;
    if (!pl_args_read(&command, argc, argv, &n_words, &exit_code)) return exit_code;
    if (check_job(&j) != PL_OK) return pl_command_failed();
    if (pl_export_formats(j.format != NULL ? j.format : "vtu", &j.formats) != PL_OK) {
        pl_fail_prefix("--format");
        return pl_command_failed();
    }
    if (j.every == 0 && j.fps == 0) j.every = 10;
    pl_heap_stay_small();
    limit_start(&j);
    return run_word(argv[0], &j);
}
