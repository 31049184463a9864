#include "tetrahedralize.h"
#include "tetgen.h"
#include "../common/subprocess.h"
#include "../common/vec.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

pl_tetrahedralize_options pl_tetrahedralize_options_default(void)
{
    return (pl_tetrahedralize_options){.quality = 1.4,
                                       .keep_surface = true,
                                       .improve = true,
                                       .time_limit = 600,
                                       .memory_limit = (int64_t)8 << 30};
}

// --- Checks beforehand ---

static const double degrees = 180 / M_PI;
static const double regular_dihedral = 1.2309594173407747; // acos(1/3): no tet has them all larger

static pl_status check_options(const pl_tetrahedralize_options *o)
{
    if (!(o->quality >= 1) || !isfinite(o->quality)) {
        return pl_fail(PL_ERROR_ARGUMENT, "quality: %g is not a finite ratio of at least 1",
                       o->quality);
    }
    if (!(o->min_dihedral >= 0 && o->min_dihedral < regular_dihedral)) {
        return pl_fail(PL_ERROR_ARGUMENT,
                       "min_dihedral: %g rad is not in [0, %.3f), the angle of a regular tet",
                       o->min_dihedral, regular_dihedral);
    }
    if (!(o->max_volume >= 0) || !isfinite(o->max_volume)) {
        return pl_fail(PL_ERROR_ARGUMENT, "max_volume: %g m^3 is not a finite volume of at least 0",
                       o->max_volume);
    }
    if (o->tets < 0 || o->tets > PL_MESH_MAX) {
        return pl_fail(PL_ERROR_ARGUMENT, "tets: %d is not in [1, %d]", (int)o->tets, PL_MESH_MAX);
    }
    if (!(o->time_limit > 0)) {
        return pl_fail(PL_ERROR_ARGUMENT, "time_limit: %g s is not above 0", o->time_limit);
    }
    if (o->memory_limit <= 0) {
        return pl_fail(PL_ERROR_ARGUMENT, "memory_limit: %lld bytes is not above 0",
                       (long long)o->memory_limit);
    }
    return PL_OK;
}

static pl_status check_volume(const pl_mesh *surface, double max_volume)
{
    double n = max_volume > 0 ? fabs(pl_mesh_volume(surface)) / max_volume : 0;
    if (n <= PL_MESH_MAX) return PL_OK;
    return pl_fail(PL_ERROR_ARGUMENT, "max_volume: %g m^3 would make about %.1g tets", max_volume,
                   n);
}

static pl_status judge_report(const pl_surface_report *r)
{
    const char *advice = "; clean or repair the surface";
    if (r->n_degenerate > 0) {
        return pl_fail(PL_ERROR_GEOMETRY, "face %d has no area%s", (int)r->degenerate[0], advice);
    }
    if (r->n_open > 0) {
        return pl_fail(PL_ERROR_GEOMETRY,
                       "the surface is open at the edge of the vertices %d and %d%s",
                       (int)r->open[0], (int)r->open[1], advice);
    }
    if (r->n_nonmanifold > 0) {
        return pl_fail(PL_ERROR_GEOMETRY,
                       "more than two faces meet at the edge of the vertices %d and %d%s",
                       (int)r->nonmanifold[0], (int)r->nonmanifold[1], advice);
    }
    if (r->n_misoriented > 0) {
        return pl_fail(PL_ERROR_GEOMETRY,
                       "the faces at the edge of the vertices %d and %d are oriented against each "
                       "other%s",
                       (int)r->misoriented[0], (int)r->misoriented[1], advice);
    }
    if (r->n_intersections > 0) {
        return pl_fail(PL_ERROR_GEOMETRY, "the faces %d and %d intersect%s",
                       (int)r->intersections[0], (int)r->intersections[1], advice);
    }
    return PL_OK;
}

static pl_status check_surface(const pl_mesh *surface)
{
    if (pl_mesh_tet_count(surface) > 0) {
        return pl_fail(PL_ERROR_ARGUMENT, "the mesh has tets already; take its surface");
    }
    if (pl_mesh_face_count(surface) == 0)
        return pl_fail(PL_ERROR_GEOMETRY, "the surface has no faces");
    bool *used = pl_alloc_zero(pl_mesh_vertex_count(surface), sizeof *used);
    if (used == NULL) return PL_ERROR_MEMORY;
    for (int64_t i = 0; i < 3 * (int64_t)pl_mesh_face_count(surface); i++)
        used[pl_mesh_faces(surface)[i]] = true;
    int32_t first = 0;
    while (first < pl_mesh_vertex_count(surface) && used[first]) first++;
    pl_free(used);
    if (first < pl_mesh_vertex_count(surface)) {
        return pl_fail(PL_ERROR_GEOMETRY, "vertex %d belongs to no face; clean the surface",
                       (int)first);
    }
    pl_surface_report report;
    PL_TRY(pl_mesh_inspect(surface, &report));
    pl_status status = judge_report(&report);
    pl_surface_report_free(&report);
    return status;
}

// --- One run of TetGen ---

// How TetGen is asked for tets of one size.
typedef struct recipe {
    double max_volume; // 0: no bound
    int32_t interior;  // at most this many interior vertices; -1: no bound
} recipe;

typedef struct request {
    const pl_mesh *surface;
    char switches[128];
} request;

// What the child says before its arrays.
typedef struct header {
    int32_t code; // of pl_tetgen_run
    int32_t n_vert, n_tet, n_face;
} header;

static int answer_request(int answer, const void *argument)
{
    const request *r = argument;
    const pl_mesh *s = r->surface;
    pl_tetgen_mesh m;
    int code = pl_tetgen_run(pl_mesh_vertex_count(s), pl_mesh_positions(s), pl_mesh_face_count(s),
                             pl_mesh_faces(s), r->switches, &m);
    header h = {code, m.n_vert, m.n_tet, m.n_face};
    bool sent = pl_subprocess_send(answer, &h, sizeof h) &&
                pl_subprocess_send(answer, m.x, 3 * (size_t)m.n_vert * sizeof *m.x) &&
                pl_subprocess_send(answer, m.tet, 4 * (size_t)m.n_tet * sizeof *m.tet) &&
                pl_subprocess_send(answer, m.face, 3 * (size_t)m.n_face * sizeof *m.face) &&
                pl_subprocess_send(answer, m.piece, (size_t)m.n_face * sizeof *m.piece);
    return sent ? 0 : 1;
}

// The exceptions of TetGen 1.5, terminatetetgen() in its header.
static pl_status tetgen_error(int code)
{
    switch (code) {
    case -1:
    case 1:
        return pl_fail(PL_ERROR_MEMORY, "TetGen ran out of memory; ask for fewer tets");
    case 2:
        return pl_fail(PL_ERROR_GEOMETRY, "TetGen failed on this surface (an error of its own)");
    case 3:
        return pl_fail(PL_ERROR_GEOMETRY, "TetGen: the surface intersects itself");
    case 4:
        return pl_fail(
            PL_ERROR_GEOMETRY,
            "TetGen: the surface has a detail too small for the numbers; weld or coarsen "
            "it");
    case 5:
        return pl_fail(PL_ERROR_GEOMETRY,
                       "TetGen: two faces of the surface are too close to each other");
    case 10:
        return pl_fail(PL_ERROR_GEOMETRY, "TetGen rejects the surface");
    default:
        return pl_fail(PL_ERROR_GEOMETRY, "TetGen failed (error %d)", code);
    }
}

static pl_status garbled(void)
{
    return pl_fail(PL_ERROR_GEOMETRY, "TetGen's answer is incomplete");
}

static vec3 face_normal(const double *x, const int32_t face[3])
{
    vec3 a = vec3_of(x + 3 * (int64_t)face[0]);
    return vec3_cross(vec3_sub(vec3_of(x + 3 * (int64_t)face[1]), a),
                      vec3_sub(vec3_of(x + 3 * (int64_t)face[2]), a));
}

// The mesh again, its faces, which are pieces of the surface's faces, each turned like its face.
static pl_status orient_pieces(const pl_mesh *surface, const int32_t *piece, pl_mesh **mesh)
{
    pl_mesh *old = *mesh;
    const double *x = pl_mesh_positions(old);
    int32_t n_face = pl_mesh_face_count(old);
    int32_t *face = pl_alloc(3 * (int64_t)n_face, sizeof *face);
    *mesh = NULL;
    pl_status status = face != NULL ? PL_OK : PL_ERROR_MEMORY;
    for (int64_t i = 0; i < n_face && status == PL_OK; i++) {
        memcpy(face + 3 * i, pl_mesh_faces(old) + 3 * i, 3 * sizeof *face);
        vec3 whole = face_normal(x, pl_mesh_faces(surface) + 3 * (int64_t)piece[i]);
        if (vec3_dot(face_normal(x, face + 3 * i), whole) >= 0) continue;
        int32_t last = face[3 * i + 2];
        face[3 * i + 2] = face[3 * i + 1];
        face[3 * i + 1] = last;
    }
    if (status == PL_OK) {
        status = pl_mesh_create(pl_mesh_vertex_count(old), x, n_face, face, pl_mesh_tet_count(old),
                                pl_mesh_tets(old), mesh);
    }
    pl_free(face);
    pl_mesh_destroy(old);
    return status;
}

// Makes a mesh of the answer and trusts nothing in it.
static pl_status decode(const pl_bytes *answer, const pl_mesh *surface, bool keep_surface,
                        pl_mesh **out)
{
    header h;
    if (answer->size < sizeof h) return garbled();
    memcpy(&h, answer->data, sizeof h);
    if (h.code != 0) return tetgen_error(h.code);
    if (h.n_vert < pl_mesh_vertex_count(surface) || h.n_tet <= 0 || h.n_face <= 0) return garbled();
    size_t x_size = 3 * (size_t)h.n_vert * sizeof(double), index = sizeof(int32_t);
    size_t tet_size = 4 * (size_t)h.n_tet * index, face_size = 3 * (size_t)h.n_face * index;
    size_t piece_size = (size_t)h.n_face * index;
    if (answer->size != sizeof h + x_size + tet_size + face_size + piece_size) return garbled();
    const char *x = answer->data + sizeof h, *tet = x + x_size, *face = tet + tet_size;
    // Doubles behind a header of 16 bytes, integers behind doubles: all aligned.
    const int32_t *piece = (const int32_t *)(const void *)(face + face_size);
    if (memcmp(x, pl_mesh_positions(surface),
               3 * (size_t)pl_mesh_vertex_count(surface) * sizeof(double)) != 0) {
        return pl_fail(PL_ERROR_GEOMETRY, "TetGen moved or merged vertices of the surface");
    }
    for (int32_t i = 0; i < h.n_face; i++) {
        if (piece[i] < 0 || piece[i] >= pl_mesh_face_count(surface)) return garbled();
    }
    int32_t n_face = keep_surface ? pl_mesh_face_count(surface) : h.n_face;
    PL_TRY(
        pl_mesh_create(h.n_vert, (const double *)(const void *)x, n_face,
                       keep_surface ? pl_mesh_faces(surface) : (const int32_t *)(const void *)face,
                       h.n_tet, (const int32_t *)(const void *)tet, out));
    if (!keep_surface) PL_TRY(orient_pieces(surface, piece, out));
    pl_status status = pl_mesh_carve(*out, pl_mesh_vertex_count(surface));
    if (status != PL_OK) {
        pl_fail_prefix("TetGen's mesh");
        pl_mesh_destroy(*out);
        *out = NULL;
    }
    return status;
}

// --- Meshing to order ---

typedef struct job {
    const pl_mesh *surface;
    const pl_tetrahedralize_options *options;
    double deadline; // on pl_seconds
    int runs;
} job;

static pl_status run_recipe(job *j, const recipe *r, pl_mesh **out)
{
    const pl_tetrahedralize_options *o = j->options;
    *out = NULL;
    request q = {.surface = j->surface};
    // p: a surface is given. Y: keep it. M: merge neither coplanar faces nor close vertices. z:
    // count from 0. Q: quiet. q: refine by shape. o/150: its own optimisation works on angles
    // beyond 150 degrees. S: interior vertices at most. a: volume at most.
    //
    // After our own improvement little depends on q and o: on the armadillo at 120,000 to 150,000
    // tets the worst radius ratio and the number of angles below 10 degrees vary without order
    // between q 1.2 and 2, dihedral bounds of 0 to 15 degrees, o/ of 140 to 165, -O2 and -O9. But
    // without TetGen's optimisation (-O0) ours gets stuck: a worst angle of 0.35 degrees, not 6.5.
    int n = snprintf(q.switches, sizeof q.switches, "p%sMzQq%.9g/%.9go/150",
                     o->keep_surface ? "Y" : "", o->quality, degrees * o->min_dihedral);
    if (r->interior >= 0) {
        n += snprintf(q.switches + n, sizeof q.switches - (size_t)n, "S%d", (int)r->interior);
    }
    if (r->max_volume > 0) {
        snprintf(q.switches + n, sizeof q.switches - (size_t)n, "a%.17g", r->max_volume);
    }
    double left = j->deadline - pl_seconds();
    if (left <= 0) {
        return pl_fail(PL_ERROR_GEOMETRY, "TetGen did not come near %d tets within %g s in %d runs",
                       (int)o->tets, o->time_limit, j->runs);
    }
    j->runs++;
    pl_bytes answer;
    pl_subprocess_limits limits = {left, o->memory_limit};
    PL_TRY(pl_subprocess_run("TetGen", answer_request, &q, &limits, &answer));
    pl_status status = decode(&answer, j->surface, o->keep_surface, out);
    pl_bytes_free(&answer);
    return status;
}

static pl_status improve_mesh(const job *j, pl_mesh *mesh)
{
    return j->options->improve ? pl_mesh_improve(mesh, NULL) : PL_OK;
}

// --- A number of tets ---
//
// Two knobs move the number of tets, and each does so nearly monotonically. Above what the quality
// bound alone gives, the volume bound: n is about proportional to its inverse, so the search runs
// on logarithms. Below, the number of interior vertices that TetGen may use, from none to all; a
// looser quality bound gets there as well, but in jumps.

enum { RUNS_MAX = 12 };
static const double tolerance = 0.05;     // of the number of tets, for success
static const double near = 0.025;         // worth improving, to see the final number
static const double usual_shrink = 0.97;  // tets after / before improvement
static const double tets_per_bound = 1.3; // n is about this times volume / volume bound

typedef struct search {
    job *job;
    double target; // log of the number of tets
    double shrink; // tets after / before improvement, as far as known
    pl_mesh *best; // the nearest so far
    double miss;   // its distance in log n, after improvement if it is `finished`
    bool finished; // improved
} search;

// Takes `mesh` over and says where it is: log n, after improvement.
static pl_status consider(search *s, pl_mesh *mesh, double *level)
{
    double raw = pl_mesh_tet_count(mesh);
    *level = log(raw * s->shrink);
    bool finished = fabs(*level - s->target) <= near;
    if (finished) {
        pl_status status = improve_mesh(s->job, mesh);
        if (status != PL_OK) {
            pl_mesh_destroy(mesh);
            return status;
        }
        s->shrink = pl_mesh_tet_count(mesh) / raw;
        *level = log(pl_mesh_tet_count(mesh));
    }
    double miss = fabs(*level - s->target);
    if (s->best == NULL || miss < s->miss) {
        pl_mesh *worse = s->best;
        s->best = mesh;
        s->miss = miss;
        s->finished = finished;
        mesh = worse;
    }
    pl_mesh_destroy(mesh);
    return PL_OK;
}

static bool success(const search *s)
{
    return s->finished && s->miss <= log(1 + tolerance);
}

// A point on the curve knob -> log n.
typedef struct sample {
    double knob, level;
} sample;

static double interpolate(const sample *lo, const sample *hi, double target)
{
    double t = (target - lo->level) / (hi->level - lo->level);
    t = t > 0.1 ? t : 0.1; // also if it is NaN; and never stay at an end
    return lo->knob + fmin(t, 0.9) * (hi->knob - lo->knob);
}

// From `lo`, the mesh of the quality bound alone. The knob is -log of the volume bound.
static pl_status search_volume(search *s, sample lo)
{
    double volume = pl_mesh_volume(s->job->surface);
    sample hi = {INFINITY, INFINITY};
    double knob = fmax(s->target - log(tets_per_bound * volume * s->shrink), lo.knob);
    while (!success(s) && s->job->runs < RUNS_MAX) {
        pl_mesh *mesh;
        recipe r = {.max_volume = exp(-knob), .interior = -1};
        PL_TRY(run_recipe(s->job, &r, &mesh));
        sample now = {knob, 0};
        PL_TRY(consider(s, mesh, &now.level));
        *(now.level < s->target ? &lo : &hi) = now;
        // Far above the quality bound the slope is 1, and a step with it is best. Where the curve
        // bends down to that bound, such steps creep: then every other one interpolates.
        knob = now.knob + (s->target - now.level);
        bool creeping = s->job->runs > 4 && s->job->runs % 2 == 0;
        bool between = knob > lo.knob && knob < hi.knob;
        if (isinf(hi.knob)) {
            knob += creeping ? 1 : 0;
        } else if (creeping || !between) {
            knob = interpolate(&lo, &hi, s->target);
        }
    }
    return PL_OK;
}

// Between no interior vertex and the `hi.knob` ones that the quality bound asks for.
static pl_status search_interior(search *s, sample hi)
{
    pl_mesh *mesh;
    recipe r = {.max_volume = s->job->options->max_volume, .interior = 0};
    PL_TRY(run_recipe(s->job, &r, &mesh));
    sample lo = {0, 0};
    PL_TRY(consider(s, mesh, &lo.level));
    while (!success(s) && lo.level < s->target && s->job->runs < RUNS_MAX) {
        r.interior = (int32_t)round(interpolate(&lo, &hi, s->target));
        if (r.interior <= lo.knob || r.interior >= hi.knob) break;
        PL_TRY(run_recipe(s->job, &r, &mesh));
        sample now = {r.interior, 0};
        PL_TRY(consider(s, mesh, &now.level));
        *(now.level < s->target ? &lo : &hi) = now;
    }
    return PL_OK;
}

static double largest_volume(const pl_mesh *mesh)
{
    double largest = 0;
    const double *x = pl_mesh_positions(mesh);
    for (int64_t i = 0; i < pl_mesh_tet_count(mesh); i++) {
        const int32_t *t = pl_mesh_tets(mesh) + 4 * i;
        largest = fmax(largest, vec3_tet_det(x, t));
    }
    return largest / 6;
}

static pl_status search_count(search *s)
{
    pl_mesh *mesh;
    recipe plain = {.max_volume = s->job->options->max_volume, .interior = -1};
    PL_TRY(run_recipe(s->job, &plain, &mesh));
    double bound = largest_volume(mesh);
    double interior = pl_mesh_vertex_count(mesh) - pl_mesh_vertex_count(s->job->surface), level;
    PL_TRY(consider(s, mesh, &level));
    if (success(s)) return PL_OK;
    if (level < s->target) {
        PL_TRY(search_volume(s, (sample){-log(bound), level}));
    } else {
        PL_TRY(search_interior(s, (sample){interior, level}));
    }
    return s->finished ? PL_OK : improve_mesh(s->job, s->best);
}

static pl_status meet_count(job *j, pl_mesh **out)
{
    int32_t wanted = j->options->tets;
    search s = {.job = j, .target = log(wanted), .shrink = j->options->improve ? usual_shrink : 1};
    pl_status status = search_count(&s);
    if (status != PL_OK) {
        pl_mesh_destroy(s.best);
        return status;
    }
    *out = s.best;
    pl_log(PL_LOG_INFO, "%d tets wanted, %d made in %d runs of TetGen", (int)wanted,
           (int)pl_mesh_tet_count(s.best), j->runs);
    if (fabs(log(pl_mesh_tet_count(s.best) / (double)wanted)) > log(1 + tolerance)) {
        pl_log(PL_LOG_WARNING, "%d tets wanted, %d made: the surface of %d faces allows no %s",
               (int)wanted, (int)pl_mesh_tet_count(s.best), (int)pl_mesh_face_count(j->surface),
               pl_mesh_tet_count(s.best) > wanted ? "fewer" : "more without being split");
    }
    return PL_OK;
}

// --- The whole ---

static pl_status check_volumes(const pl_mesh *mesh)
{
    const double *x = pl_mesh_positions(mesh);
    for (int64_t i = 0; i < pl_mesh_tet_count(mesh); i++) {
        const int32_t *t = pl_mesh_tets(mesh) + 4 * i;
        if (vec3_tet_det(x, t) > 0) continue;
        return pl_fail(PL_ERROR_GEOMETRY,
                       "TetGen made a flat tet of the vertices %d, %d, %d and %d that could not be "
                       "improved",
                       (int)t[0], (int)t[1], (int)t[2], (int)t[3]);
    }
    return PL_OK;
}

pl_status pl_tetrahedralize(const pl_mesh *surface, const pl_tetrahedralize_options *options,
                            pl_mesh **out)
{
    *out = NULL;
    pl_tetrahedralize_options o = options != NULL ? *options : pl_tetrahedralize_options_default();
    PL_TRY(check_options(&o));
    PL_TRY(check_surface(surface));
    PL_TRY(check_volume(surface, o.max_volume));
    job j = {.surface = surface, .options = &o, .deadline = pl_seconds() + o.time_limit};
    pl_mesh *mesh = NULL;
    pl_status status;
    if (o.tets > 0) {
        status = meet_count(&j, &mesh);
    } else {
        status = run_recipe(&j, &(recipe){.max_volume = o.max_volume, .interior = -1}, &mesh);
        if (status == PL_OK) status = improve_mesh(&j, mesh);
    }
    if (status == PL_OK) status = check_volumes(mesh);
    if (status != PL_OK) {
        pl_mesh_destroy(mesh);
        return status;
    }
    *out = mesh;
    return PL_OK;
}
