#include "run_audit.h"

#include <stdio.h>

enum { LISTED = 10 };

// A world's body by its place in the scene, where some are only drawn, and the ground has none.
static void print_body(const pl_scene *scene, int32_t body)
{
    for (int32_t i = 0; i < scene->n_bodies; i++) {
        if (!scene->bodies[i].simulated || body-- > 0) continue;
        fprintf(stderr, "bodies[%d]", (int)i);
        return;
    }
    fprintf(stderr, "the ground's");
}

static void print_face(const pl_scene *scene, const pl_world *world, int32_t body, int32_t face)
{
    int32_t v[3];
    pl_world_audit_face(world, body, face, v);
    print_body(scene, body);
    fprintf(stderr, " face %d (vertices %d, %d, %d)", (int)face, (int)v[0], (int)v[1], (int)v[2]);
}

static void print_place(const pl_world *world, int32_t body, int32_t vertex)
{
    const double *x = pl_world_positions(world, body) + 3 * (int64_t)vertex;
    fprintf(stderr, ", near (%g, %g, %g)\n", x[0], x[1], x[2]);
}

static void print_pair(const pl_scene *scene, const pl_world *world, const pl_audit_pair *pair)
{
    int32_t v[3];
    fprintf(stderr, "  ");
    print_face(scene, world, pair->body[0], pair->face[0]);
    fprintf(stderr, " and ");
    print_face(scene, world, pair->body[1], pair->face[1]);
    pl_world_audit_face(world, pair->body[0], pair->face[0], v);
    print_place(world, pair->body[0], v[0]);
}

static void print_inside(const pl_scene *scene, const pl_world *world, const pl_audit_inside *in)
{
    fprintf(stderr, "  ");
    print_body(scene, in->body);
    fprintf(stderr, " vertex %d inside of ", (int)in->vertex);
    print_body(scene, in->other);
    print_place(world, in->body, in->vertex);
}

static void print_rest(int32_t n)
{
    if (n > LISTED) fprintf(stderr, "  ... and %d more\n", (int)(n - LISTED));
}

void pl_run_print_audit(const pl_scene *scene, const pl_world *world, const pl_audit_report *report,
                        const char *when)
{
    int32_t n = report->n_intersections, n_inside = report->n_inside;
    fprintf(stderr, "pliant: %s: bodies intersect %s: %s%d pairs of faces, %d vertices inside\n",
            scene->file, when, report->complete ? "" : "at least ", (int)n, (int)n_inside);
    for (int32_t i = 0; i < PL_MIN(n, LISTED); i++) {
        print_pair(scene, world, &report->intersections[i]);
    }
    print_rest(n);
    for (int32_t i = 0; i < PL_MIN(n_inside, LISTED); i++) {
        print_inside(scene, world, &report->inside[i]);
    }
    print_rest(n_inside);
}
