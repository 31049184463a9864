#include "judge.h"
#include "../../apps/scene/scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The surface of a body in the numbers of its own mesh, and its box now.
typedef struct surface {
    int32_t n_face;
    int32_t *face;       // (3*n_face)
    double lo[3], hi[3]; // [m]
} surface;

struct judge {
    const peer_workload *workload;
    pl_world *world;   // with the state to be judged; it never steps
    surface *surfaces; // (n_body)
};

static bool take_surface(const peer_workload *w, int32_t body, surface *out)
{
    pl_mesh *mesh;
    int32_t *map = malloc((size_t)w->bodies[body].n_vert * sizeof *map);
    if (map == NULL || pl_mesh_surface(w->scene->bodies[body].mesh, map, &mesh) != PL_OK) {
        free(map);
        return false;
    }
    const int32_t *face = pl_mesh_faces(mesh);
    out->n_face = pl_mesh_face_count(mesh);
    out->face = malloc(3 * (size_t)out->n_face * sizeof *out->face);
    for (int32_t i = 0; out->face != NULL && i < 3 * out->n_face; i++) out->face[i] = map[face[i]];
    pl_mesh_destroy(mesh);
    free(map);
    return out->face != NULL;
}

judge *judge_create(const peer_workload *workload)
{
    judge *j = calloc(1, sizeof *j);
    if (j == NULL) return NULL;
    j->workload = workload;
    j->surfaces = calloc((size_t)workload->n_body, sizeof *j->surfaces);
    bool made = j->surfaces != NULL && pl_scene_world(workload->scene, &j->world) == PL_OK;
    for (int32_t i = 0; made && i < workload->n_body; i++) {
        made = take_surface(workload, i, &j->surfaces[i]);
    }
    if (made) return j;
    fprintf(stderr, "%s\n", pl_error_text());
    judge_destroy(j);
    return NULL;
}

void judge_destroy(judge *j)
{
    if (j == NULL) return;
    for (int32_t i = 0; j->surfaces != NULL && i < j->workload->n_body; i++) {
        free(j->surfaces[i].face);
    }
    pl_world_destroy(j->world);
    free(j->surfaces);
    free(j);
}

bool judge_resume(judge *j, const char *path, double *x, double *v)
{
    if (pl_world_load(j->world, path) != PL_OK) {
        fprintf(stderr, "%s\n", pl_error_text());
        return false;
    }
    for (int32_t i = 0; i < j->workload->n_body; i++) {
        const peer_body *body = &j->workload->bodies[i];
        size_t size = 3 * (size_t)body->n_vert * sizeof *x;
        memcpy(x + 3 * body->first, pl_world_positions(j->world, i), size);
        memcpy(v + 3 * body->first, pl_world_velocities(j->world, i), size);
    }
    return true;
}

// --- Depth ---

// Six times the volume of the tet (a, b, c, d).
static double six_volumes(const double *a, const double *b, const double *c, const double *d)
{
    double e[3], f[3], g[3];
    for (int k = 0; k < 3; k++) {
        e[k] = b[k] - a[k];
        f[k] = c[k] - a[k];
        g[k] = d[k] - a[k];
    }
    return g[0] * (e[1] * f[2] - e[2] * f[1]) + g[1] * (e[2] * f[0] - e[0] * f[2]) +
           g[2] * (e[0] * f[1] - e[1] * f[0]);
}

static bool in_tet(const double *x, const int32_t *tet, const double *p)
{
    const double *a = x + 3 * tet[0], *b = x + 3 * tet[1], *c = x + 3 * tet[2], *d = x + 3 * tet[3];
    return six_volumes(a, b, c, p) > 0 && six_volumes(a, d, b, p) > 0 &&
           six_volumes(b, d, c, p) > 0 && six_volumes(a, c, d, p) > 0;
}

static bool in_body(const peer_body *body, const double *x, const double *p)
{
    for (int32_t t = 0; t < body->n_tet; t++) {
        if (in_tet(x, body->tet + 4 * t, p)) return true;
    }
    return false;
}

// From p to the nearest face of the body whose vertices are x.
static double to_surface(const surface *s, const double *x, const double *p)
{
    double least = INFINITY;
    for (int32_t f = 0; f < s->n_face; f++) {
        double pair[12];
        pl_closest closest;
        for (int k = 0; k < 3; k++) {
            pair[k] = p[k];
            for (int i = 0; i < 3; i++) pair[3 * (i + 1) + k] = x[3 * s->face[3 * f + i] + k];
        }
        pl_closest_points(PL_VERTEX_FACE, pair, &closest);
        least = fmin(least, closest.distance);
    }
    return least;
}

static void measure_box(surface *s, const peer_body *body, const double *x)
{
    for (int k = 0; k < 3; k++) s->lo[k] = INFINITY, s->hi[k] = -INFINITY;
    for (int32_t i = 0; i < 3 * body->n_vert; i++) {
        s->lo[i % 3] = fmin(s->lo[i % 3], x[i]);
        s->hi[i % 3] = fmax(s->hi[i % 3], x[i]);
    }
}

static bool in_box(const double lo[3], const double hi[3], const double *p)
{
    return p[0] > lo[0] && p[1] > lo[1] && p[2] > lo[2] && p[0] < hi[0] && p[1] < hi[1] &&
           p[2] < hi[2];
}

// Vertices of body a in body b.
static void judge_pair(const judge *j, int32_t a, int32_t b, const double *x, judge_verdict *out)
{
    const peer_body *of = &j->workload->bodies[a], *in = &j->workload->bodies[b];
    const surface *s = &j->surfaces[b];
    for (int32_t i = 0; i < of->n_vert; i++) {
        const double *p = x + 3 * (of->first + i), *y = x + 3 * in->first;
        if (!in_box(s->lo, s->hi, p) || !in_body(in, y, p)) continue;
        out->inside++;
        out->depth = fmax(out->depth, to_surface(s, y, p));
    }
}

static double sunk(const peer_workload *w, const double *p)
{
    double depth = fmax(0, -p[2]);
    for (int i = 0; i < w->n_box; i++) {
        const peer_box *box = &w->box[i];
        if (!in_box(box->lo, box->hi, p)) continue;
        double out = INFINITY;
        for (int k = 0; k < 3; k++) out = fmin(out, fmin(p[k] - box->lo[k], box->hi[k] - p[k]));
        depth = fmax(depth, out);
    }
    return depth;
}

static void judge_depth(judge *j, const double *x, judge_verdict *out)
{
    const peer_workload *w = j->workload;
    for (int32_t i = 0; i < w->n_body; i++) {
        measure_box(&j->surfaces[i], &w->bodies[i], x + 3 * w->bodies[i].first);
    }
    for (int32_t a = 0; a < w->n_body; a++) {
        for (int32_t b = 0; b < w->n_body; b++) {
            if (a != b) judge_pair(j, a, b, x, out);
        }
    }
    for (int32_t i = 0; i < w->n_vert; i++) out->sunk = fmax(out->sunk, sunk(w, x + 3 * i));
}

static void find_centre(const peer_workload *w, const double *x, double centre[2])
{
    double mass = 0, sum[2] = {0, 0};
    for (int32_t i = 0; i < w->n_vert; i++) {
        mass += w->mass[i];
        for (int k = 0; k < 2; k++) sum[k] += w->mass[i] * x[3 * i + k];
    }
    for (int k = 0; k < 2; k++) centre[k] = sum[k] / mass;
}

judge_verdict judge_state(judge *j, const double *x, const double *v)
{
    const peer_workload *w = j->workload;
    judge_verdict out = {.finite = true};
    for (int32_t i = 0; i < 3 * w->n_vert; i++) {
        if (!isfinite(x[i]) || !isfinite(v[i])) return (judge_verdict){0};
    }
    pl_audit_report report;
    pl_energy energy;
    pl_status status = PL_OK;
    for (int32_t i = 0; i < w->n_body && status == PL_OK; i++) {
        int32_t at = 3 * w->bodies[i].first;
        status = pl_world_set_state(j->world, i, x + at, v + at);
    }
    if (status == PL_OK) status = pl_world_audit(j->world, &report);
    if (status == PL_OK) status = pl_world_energy(j->world, &energy);
    if (status != PL_OK) {
        fprintf(stderr, "%s\n", pl_error_text());
        return (judge_verdict){0};
    }
    out.intersections = report.n_intersections;
    out.kinetic = energy.kinetic;
    out.elastic = energy.elastic;
    out.gravity = energy.gravity;
    judge_depth(j, x, &out);
    find_centre(w, x, out.centre);
    return out;
}
