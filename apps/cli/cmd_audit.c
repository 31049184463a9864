// pliant audit: do surfaces intersect, themselves or each other?

#include "args.h"
#include "commands.h"
#include "../scene/load.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LISTED = 5, NAME_TEXT = 512, EXIT_INTERSECTS = 2 };

typedef struct job {
    bool parts, all;
    int32_t threads; // 0: as many as there are cores
} job;

// A file or shape as its surface, divided into bodies.
typedef struct surface {
    const char *name;
    pl_mesh *mesh;
    int32_t *vertex;    // (n_vert) its index in the file
    int32_t *face;      // (n_face) its index in `mesh`, by body
    int32_t *corner;    // (3*n_face) of these faces, as vertices of the whole scene
    int32_t *start;     // (n_body + 1) in `face`
    int32_t n_body;     // 1, or one for each connected part
    int32_t first_body; // in the scene
} surface;

typedef struct scene {
    surface *surface; // (n)
    int n;
    double *x;           // (3*n_vert) of all
    pl_audit_body *body; // (n_body)
    int32_t n_vert, n_body, n_face;
} scene;

// --- Surfaces ---

// As in STL files: no two faces have a vertex in common.
static bool is_soup(const pl_mesh *mesh, bool *used)
{
    for (int64_t i = 0; i < 3 * (int64_t)pl_mesh_face_count(mesh); i++) {
        if (used[pl_mesh_faces(mesh)[i]]) return false;
        used[pl_mesh_faces(mesh)[i]] = true;
    }
    return pl_mesh_tet_count(mesh) == 0 && pl_mesh_face_count(mesh) > 1;
}

// The faces of a soup belong together where their corners are equal. Nothing else is changed: an
// audit judges what the file holds.
static pl_status weld_soup(pl_mesh *mesh, const char *name)
{
    bool *used = pl_alloc_zero(pl_mesh_vertex_count(mesh), sizeof *used);
    if (used == NULL) return PL_ERROR_MEMORY;
    bool soup = is_soup(mesh, used);
    pl_free(used);
    if (!soup) return PL_OK;
    pl_clean_options options = {.weld_distance = 0};
    pl_clean_report report;
    PL_TRY(pl_mesh_clean(mesh, &options, &report));
    pl_log(PL_LOG_INFO, "%s: no two faces have a vertex in common: %d equal vertices welded", name,
           (int)report.welded);
    return PL_OK;
}

// Sorts the faces by body: with `split`, one for each part (n_vert of the file), see pl_mesh_parts.
// Only vertices with faces make bodies.
static pl_status divide(surface *s, int32_t *part, int32_t n_vert, bool split)
{
    const pl_mesh *mesh = s->mesh;
    int32_t *body = pl_alloc(n_vert, sizeof *body); // of each root
    s->face = pl_alloc(pl_mesh_face_count(mesh), sizeof *s->face);
    s->start = pl_alloc_zero((int64_t)n_vert + 2, sizeof *s->start);
    pl_status status =
        body != NULL && s->face != NULL && s->start != NULL ? PL_OK : PL_ERROR_MEMORY;
    if (status == PL_OK) {
        for (int32_t v = 0; v < n_vert; v++) body[v] = -1;
        for (int32_t v = 0; v < pl_mesh_vertex_count(mesh);
             v++) { // from now on, `part` holds bodies
            int32_t root = split ? part[s->vertex[v]] : 0;
            if (body[root] < 0) body[root] = s->n_body++;
            part[s->vertex[v]] = body[root];
        }
        for (int32_t f = 0; f < pl_mesh_face_count(mesh); f++) {
            s->start[part[s->vertex[pl_mesh_faces(mesh)[3 * (int64_t)f]]] + 2]++;
        }
        for (int32_t b = 1; b <= s->n_body; b++) s->start[b + 1] += s->start[b];
        for (int32_t f = 0; f < pl_mesh_face_count(mesh); f++) {
            s->face[s->start[part[s->vertex[pl_mesh_faces(mesh)[3 * (int64_t)f]]] + 1]++] = f;
        }
    }
    pl_free(body);
    return status;
}

static pl_status prepare(const pl_mesh *whole, const job *j, surface *s)
{
    s->vertex = pl_alloc(pl_mesh_vertex_count(whole), sizeof *s->vertex);
    int32_t *part = pl_alloc(pl_mesh_vertex_count(whole), sizeof *part);
    pl_status status = s->vertex != NULL && part != NULL ? PL_OK : PL_ERROR_MEMORY;
    if (status == PL_OK) status = pl_mesh_surface(whole, s->vertex, &s->mesh);
    if (status == PL_OK) {
        status = pl_mesh_parts(whole, part);
    }
    if (status == PL_OK) {
        status =
            divide(s, part, pl_mesh_vertex_count(whole), j->parts || pl_mesh_tet_count(whole) > 0);
    }
    pl_free(part);
    return status;
}

static pl_status load_surface(const job *j, surface *s)
{
    pl_mesh *whole;
    PL_TRY(pl_load_mesh_as_is(s->name, &whole));
    pl_status status = weld_soup(whole, s->name);
    if (status == PL_OK) status = prepare(whole, j, s);
    pl_mesh_destroy(whole);
    if (status == PL_OK && pl_mesh_face_count(s->mesh) == 0) {
        return pl_fail(PL_ERROR_GEOMETRY, "%s: no faces to audit", s->name);
    }
    return status;
}

// --- The scene ---

static pl_status merge(scene *all)
{
    int64_t n_vert = 0, n_face = 0, n_body = 0;
    for (int i = 0; i < all->n; i++) {
        n_vert += pl_mesh_vertex_count(all->surface[i].mesh);
        n_face += pl_mesh_face_count(all->surface[i].mesh);
        n_body += all->surface[i].n_body;
    }
    if (n_vert > PL_MESH_MAX || n_face > PL_MESH_MAX) {
        return pl_fail(PL_ERROR_ARGUMENT, "more than %d vertices or faces in all", PL_MESH_MAX);
    }
    all->x = pl_alloc(3 * n_vert, sizeof *all->x);
    all->body = pl_alloc(n_body, sizeof *all->body);
    if (all->x == NULL || all->body == NULL) return PL_ERROR_MEMORY;
    for (int i = 0; i < all->n; i++) {
        surface *s = &all->surface[i];
        s->corner = pl_alloc(3 * (int64_t)pl_mesh_face_count(s->mesh), sizeof *s->corner);
        if (s->corner == NULL) return PL_ERROR_MEMORY;
        for (int64_t k = 0; k < 3 * (int64_t)pl_mesh_face_count(s->mesh); k++) {
            s->corner[k] =
                pl_mesh_faces(s->mesh)[3 * (int64_t)s->face[k / 3] + k % 3] + all->n_vert;
        }
        memcpy(all->x + 3 * (int64_t)all->n_vert, pl_mesh_positions(s->mesh),
               3 * (size_t)pl_mesh_vertex_count(s->mesh) * sizeof *all->x);
        s->first_body = all->n_body;
        for (int32_t b = 0; b < s->n_body; b++) {
            all->body[all->n_body++] =
                (pl_audit_body){.n_face = s->start[b + 1] - s->start[b],
                                .face = s->corner + 3 * (int64_t)s->start[b]};
        }
        all->n_vert += pl_mesh_vertex_count(s->mesh);
        all->n_face += pl_mesh_face_count(s->mesh);
    }
    return PL_OK;
}

static void free_scene(scene *all)
{
    for (int i = 0; i < all->n; i++) {
        pl_mesh_destroy(all->surface[i].mesh);
        pl_free(all->surface[i].vertex);
        pl_free(all->surface[i].face);
        pl_free(all->surface[i].corner);
        pl_free(all->surface[i].start);
    }
    pl_free(all->surface);
    pl_free(all->x);
    pl_free(all->body);
}

// --- What it tells ---

static const surface *surface_of(const scene *all, int32_t body)
{
    int i = all->n - 1;
    while (all->surface[i].first_body > body) i--;
    return &all->surface[i];
}

// "ring.vtu", or "ring.vtu[3]" if it has several bodies.
static const char *body_name(const scene *all, int32_t body, char text[NAME_TEXT])
{
    const surface *s = surface_of(all, body);
    if (s->n_body == 1) {
        snprintf(text, NAME_TEXT, "%s", s->name);
    } else {
        snprintf(text, NAME_TEXT, "%s[%" PRId32 "]", s->name, body - s->first_body);
    }
    return text;
}

static int32_t face_number(const scene *all, int32_t body, int32_t face)
{
    const surface *s = surface_of(all, body);
    return s->face[s->start[body - s->first_body] + face];
}

static void print_pair(const scene *all, const pl_audit_pair *pair)
{
    char first[NAME_TEXT], second[NAME_TEXT];
    const double *x =
        all->x + 3 * (int64_t)all->body[pair->body[0]].face[3 * (int64_t)pair->face[0]];
    printf("%s face %" PRId32 " and %s face %" PRId32 ", near (%g, %g, %g)\n",
           body_name(all, pair->body[0], first), face_number(all, pair->body[0], pair->face[0]),
           body_name(all, pair->body[1], second), face_number(all, pair->body[1], pair->face[1]),
           x[0], x[1], x[2]);
}

static void print_inside(const scene *all, const pl_audit_inside *inside)
{
    char name[NAME_TEXT], other[NAME_TEXT];
    const surface *s = surface_of(all, inside->body);
    int32_t first = 0;
    for (const surface *t = all->surface; t < s; t++) first += pl_mesh_vertex_count(t->mesh);
    const double *x = all->x + 3 * (int64_t)inside->vertex;
    printf("%s vertex %" PRId32 " at (%g, %g, %g) inside of %s\n",
           body_name(all, inside->body, name), s->vertex[inside->vertex - first], x[0], x[1], x[2],
           body_name(all, inside->other, other));
}

// "7 pairs of faces intersect:"
static void print_count(int32_t n, const char *one, const char *several)
{
    if (n == 0) return;
    printf("%s%" PRId32 " %s:\n", n == PL_INTERSECTIONS_MAX ? "at least " : "", n,
           n == 1 ? one : several);
}

static void print_rest(int32_t n, int32_t listed)
{
    if (n > listed) printf("  ... and %" PRId32 " more (--all lists them)\n", n - listed);
}

static void print_report(const scene *all, const pl_audit_report *report, bool whole)
{
    int32_t n = report->n_intersections, listed = whole ? n : PL_MIN(n, LISTED);
    print_count(n, "pair of faces intersects", "pairs of faces intersect");
    for (int32_t i = 0; i < listed; i++) {
        printf("  ");
        print_pair(all, &report->intersections[i]);
    }
    print_rest(n, listed);
    n = report->n_inside, listed = whole ? n : PL_MIN(n, LISTED);
    print_count(n, "vertex is inside of another body", "vertices are inside of other bodies");
    for (int32_t i = 0; i < listed; i++) {
        printf("  ");
        print_inside(all, &report->inside[i]);
    }
    print_rest(n, listed);
    if (isfinite(report->distance)) {
        printf("smallest distance between bodies: %.9g m, ", report->distance);
        print_pair(all, &report->nearest);
    }
    if (report->clean) printf("clean: no two faces meet, and nothing is inside of anything\n");
}

// --- All of it ---

static pl_status audit_scene(const scene *all, const job *j, bool *clean)
{
    pl_audit *audit;
    pl_audit_report report;
    pl_audit_options options = pl_audit_options_default();
    options.threads = j->threads;
    PL_TRY(pl_audit_create(all->n_vert, all->n_body, all->body, &options, &audit));
    pl_status status = pl_audit_run(audit, all->x, &report);
    if (status == PL_OK) {
        printf("%" PRId32 " %s, %" PRId32 " faces\n", all->n_body,
               all->n_body == 1 ? "body" : "bodies", all->n_face);
        print_report(all, &report, j->all);
        *clean = report.clean;
    }
    pl_audit_destroy(audit);
    return status;
}

static pl_status run(const job *j, int n, char **words, bool *clean)
{
    scene all = {.n = n};
    all.surface = pl_alloc_zero(n, sizeof *all.surface);
    if (all.surface == NULL) return PL_ERROR_MEMORY;
    pl_status status = PL_OK;
    for (int i = 0; i < n && status == PL_OK; i++) {
        all.surface[i].name = words[i];
        status = load_surface(j, &all.surface[i]);
    }
    if (status == PL_OK) status = merge(&all);
    if (status == PL_OK) status = audit_scene(&all, j, clean);
    free_scene(&all);
    return status;
}

int pl_command_audit(int argc, char **argv)
{
    job j = {0};
    const pl_option options[] = {
        {"--parts", PL_OPTION_FLAG, &j.parts, NULL, "each connected part of a surface is a body"},
        {"--all", PL_OPTION_FLAG, &j.all, NULL,
         "list everything that is found, not the first five"},
        {"--threads", PL_OPTION_THREADS, &j.threads, "N",
         "how many threads; default: one per core"},
    };
    const pl_command command = {
        .usage = "audit MESH... [options]",
        .summary = "Proves in exact arithmetic that no two faces meet (touching counts) and that "
                   "nothing is\n"
                   "inside of another body, or lists where; measures the smallest distance between "
                   "bodies.",
        .options = options,
        .n_options = sizeof options / sizeof options[0],
        .notes =
            "MESH is a file (as for 'pliant mesh') or a shape. Tetrahedra are bodies by connected "
            "parts,\n"
            "audited by their surface: a frame of 'pliant run' holds as many as were simulated. A "
            "surface\n"
            "is one body, which may have cavities, unless --parts is given: then the wall of a "
            "cavity "
            "is\n"
            "a body inside of another. Faces are numbered as in the file, or as on the surface of "
            "its\n"
            "tetrahedra.\n\n"
            "Exit code: 0 if all is clean, 2 if something intersects, 1 if the audit failed.\n",
        .least = 1,
        .most = INT32_MAX,
    };
    int n_words, exit_code;
    bool clean = false;
    if (!pl_args_read(&command, argc, argv, &n_words, &exit_code)) return exit_code;
    if (run(&j, n_words, argv, &clean) != PL_OK) return pl_command_failed();
    return clean ? 0 : EXIT_INTERSECTS;
}
