#include "run_audit.h"

#include <stdio.h>
#include <string.h>

enum { LISTED = 10, NAME_TEXT = 64, REMEDY_TEXT = 160 };

static void print_body(const pl_world *world, int32_t body)
{
    char name[NAME_TEXT];
    pl_world_name(world, body, name, sizeof name);
    fprintf(stderr, "%s%s", name, strcmp(name, PL_GROUND_NAME) == 0 ? "'s" : "");
}

static void print_face(const pl_world *world, int32_t body, int32_t face)
{
    int32_t v[3];
    pl_world_audit_face(world, body, face, v);
    print_body(world, body);
    if (v[1] < 0) { // an edge and a point have fewer corners
        fprintf(stderr, " point %d (vertex %d)", (int)face, (int)v[0]);
    } else if (v[2] < 0) {
        fprintf(stderr, " edge %d (vertices %d, %d)", (int)face, (int)v[0], (int)v[1]);
    } else {
        fprintf(stderr, " face %d (vertices %d, %d, %d)", (int)face, (int)v[0], (int)v[1],
                (int)v[2]);
    }
}

static void print_place(const pl_world *world, int32_t body, int32_t vertex)
{
    const double *x = pl_world_positions(world, body) + 3 * (int64_t)vertex;
    fprintf(stderr, ", near (%g, %g, %g)\n", x[0], x[1], x[2]);
}

static void print_pair(const pl_world *world, const pl_audit_pair *pair)
{
    int32_t v[3];
    fprintf(stderr, "  ");
    print_face(world, pair->body[0], pair->face[0]);
    fprintf(stderr, " and ");
    print_face(world, pair->body[1], pair->face[1]);
    pl_world_audit_face(world, pair->body[0], pair->face[0], v);
    print_place(world, pair->body[0], v[0]);
}

static void print_inside(const pl_world *world, const pl_audit_inside *in)
{
    fprintf(stderr, "  ");
    print_body(world, in->body);
    fprintf(stderr, " vertex %d inside of ", (int)in->vertex);
    print_body(world, in->other);
    print_place(world, in->body, in->vertex);
}

static void print_rest(int32_t n)
{
    if (n > LISTED) fprintf(stderr, "  ... and %d more\n", (int)(n - LISTED));
}

// --- What to do about it ---

// Pairs of bodies that meet, each once.
typedef struct meetings {
    int32_t pair[LISTED][2];
    int32_t n;
} meetings;

static void add_meeting(meetings *m, int32_t a, int32_t b)
{
    for (int32_t i = 0; i < m->n; i++) {
        bool same = m->pair[i][0] == a && m->pair[i][1] == b;
        if (same || (m->pair[i][0] == b && m->pair[i][1] == a)) return;
    }
    if (m->n == LISTED) return;
    m->pair[m->n][0] = a;
    m->pair[m->n++][1] = b;
}

void pl_run_print_remedy(const pl_world *world, const pl_audit_report *report)
{
    meetings m = {.n = 0};
    for (int32_t i = 0; i < report->n_intersections; i++) {
        add_meeting(&m, report->intersections[i].body[0], report->intersections[i].body[1]);
    }
    for (int32_t i = 0; i < report->n_inside; i++) {
        add_meeting(&m, report->inside[i].body, report->inside[i].other);
    }
    for (int32_t i = 0; i < m.n; i++) {
        char text[REMEDY_TEXT], name[2][NAME_TEXT];
        int32_t a = m.pair[i][0], b = m.pair[i][1];
        pl_world_way_out(world, a, b, text, sizeof text);
        pl_world_name(world, a, name[0], sizeof name[0]);
        pl_world_name(world, b, name[1], sizeof name[1]);
        fprintf(stderr, "pliant: %s and %s: %s\n", name[0], a == b ? "itself" : name[1], text);
    }
}

void pl_run_print_audit(const pl_scene *scene, const pl_world *world, const pl_audit_report *report,
                        const char *when)
{
    int32_t n = report->n_intersections, n_inside = report->n_inside;
    fprintf(stderr, "pliant: %s: bodies intersect %s: %s%d pairs of faces, %d vertices inside\n",
            scene->file, when, report->complete ? "" : "at least ", (int)n, (int)n_inside);
    for (int32_t i = 0; i < PL_MIN(n, LISTED); i++) {
        print_pair(world, &report->intersections[i]);
    }
    print_rest(n);
    for (int32_t i = 0; i < PL_MIN(n_inside, LISTED); i++) {
        print_inside(world, &report->inside[i]);
    }
    print_rest(n_inside);
}
