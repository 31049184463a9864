#include "arrows.h"
#include "../plot/axis.h"
#include "../common/vec.h"

#include <string.h>

// An arrow is the middle of its tail, three rings (both ends of the shaft, the rim of the head) and
// the point.
enum { SIDES = 8, RINGS = 3, VERTS = SIDES * RINGS + 2, FACES = 2 * SIDES * RINGS };

enum { ROUND_TICKS = 2 }; // round numbers are those of an axis with so many

static const double HEAD_LENGTH = 5, HEAD_RADIUS = 2.3; // in radii of the shaft
static const double LARGEST_HEAD = 0.6;                 // in lengths of the arrow
static const double TYPICAL_PART = 0.08;                // of the bodies' size
static const double RADIUS_PART = 0.0032;               // of the bodies' size

const uint8_t PL_ARROW_NORMAL[3] = {28, 140, 70};
const uint8_t PL_ARROW_STICK[3] = {245, 160, 30};
const uint8_t PL_ARROW_SLIP[3] = {215, 40, 50};

void pl_arrows_clear(pl_arrows *arrows)
{
    arrows->n_vert = arrows->n_face = 0;
}

void pl_arrows_free(pl_arrows *arrows)
{
    pl_free(arrows->x);
    pl_free(arrows->face);
    pl_free(arrows->color);
    *arrows = (pl_arrows){0};
}

static void place(double *x, vec3 from, vec3 to, double radius, double head)
{
    vec3 along = vec3_unit(vec3_sub(to, from)), u, v;
    vec3_frame(along, &u, &v);
    double length = vec3_length(vec3_sub(to, from));
    const double at[RINGS] = {0, length - head, length - head};
    const double width[RINGS] = {radius, radius, HEAD_RADIUS * radius};
    vec3_store(from, x);
    for (int r = 0; r < RINGS; r++) {
        for (int k = 0; k < SIDES; k++) {
            double angle = 2 * 3.14159265358979323846 * k / SIDES;
            vec3 out = vec3_add(vec3_scale(u, width[r] * cos(angle)),
                                vec3_scale(v, width[r] * sin(angle)));
            vec3 p = vec3_add(vec3_add(from, vec3_scale(along, at[r])), out);
            vec3_store(p, x + 3 * (1 + SIDES * r + k));
        }
    }
    vec3_store(to, x + 3 * (VERTS - 1));
}

static void connect(int32_t *face, int32_t first)
{
    int n = 0;
    for (int k = 0; k < SIDES; k++) {
        int next = (k + 1) % SIDES;
        const int tail[3] = {0, 1 + next, 1 + k};
        for (int c = 0; c < 3; c++) face[n++] = first + tail[c];
        for (int r = 0; r + 1 < RINGS; r++) {
            int a = 1 + SIDES * r, b = a + SIDES;
            const int quad[6] = {a + k, a + next, b + next, a + k, b + next, b + k};
            for (int c = 0; c < 6; c++) face[n++] = first + quad[c];
        }
        const int tip[3] = {1 + SIDES * (RINGS - 1) + k, 1 + SIDES * (RINGS - 1) + next, VERTS - 1};
        for (int c = 0; c < 3; c++) face[n++] = first + tip[c];
    }
    PL_ASSERT(n == 3 * FACES);
}

pl_status pl_arrows_add(pl_arrows *arrows, const double from[3], const double to[3], double radius,
                        const uint8_t rgb[3])
{
    double length = vec3_length(vec3_sub(vec3_of(to), vec3_of(from)));
    if (!(length > 0)) return PL_OK;
    int64_t n_vert = (int64_t)arrows->n_vert + VERTS, n_face = (int64_t)arrows->n_face + FACES;
    if (n_face > INT32_MAX / 4) return pl_fail(PL_ERROR_UNSUPPORTED, "too many arrows to draw");
    PL_TRY(pl_reserve((void **)&arrows->x, &arrows->x_room, 3 * n_vert, sizeof *arrows->x));
    PL_TRY(
        pl_reserve((void **)&arrows->face, &arrows->face_room, 3 * n_face, sizeof *arrows->face));
    PL_TRY(pl_reserve((void **)&arrows->color, &arrows->color_room, 3 * n_vert, 1));
    double head = fmin(HEAD_LENGTH * radius, LARGEST_HEAD * length);
    place(arrows->x + 3 * (int64_t)arrows->n_vert, vec3_of(from), vec3_of(to), head / HEAD_LENGTH,
          head);
    connect(arrows->face + 3 * (int64_t)arrows->n_face, arrows->n_vert);
    for (int64_t i = arrows->n_vert; i < n_vert; i++) memcpy(arrows->color + 3 * i, rgb, 3);
    arrows->n_vert = (int32_t)n_vert;
    arrows->n_face = (int32_t)n_face;
    return PL_OK;
}

double pl_arrows_typical(const pl_world *world)
{
    int32_t n;
    const pl_contact_point *contact = pl_world_contacts(world, &n);
    double sum = 0, squares = 0;
    for (int32_t i = 0; i < n; i++) {
        sum += contact[i].force;
        squares += contact[i].force * contact[i].force;
    }
    return sum > 0 ? pl_axis_linear(0, squares / sum, ROUND_TICKS, false).hi : 0;
}

pl_arrow_scale pl_arrow_scale_of(double typical, double size)
{
    PL_ASSERT(typical > 0);
    return (pl_arrow_scale){TYPICAL_PART * size / typical, RADIUS_PART * size};
}

static pl_status add_force(pl_arrows *arrows, const double point[3], const double force[3],
                           pl_arrow_scale scale, const uint8_t rgb[3])
{
    double to[3];
    for (int c = 0; c < 3; c++) to[c] = point[c] + scale.metres_per_newton * force[c];
    return pl_arrows_add(arrows, point, to, scale.radius, rgb);
}

pl_status pl_arrows_add_contacts(pl_arrows *arrows, const pl_world *world, pl_arrow_scale scale)
{
    int32_t n;
    const pl_contact_point *contact = pl_world_contacts(world, &n);
    for (const pl_contact_point *c = contact; c < contact + n; c++) {
        double push[3];
        for (int k = 0; k < 3; k++) push[k] = c->force * c->normal[k];
        PL_TRY(add_force(arrows, c->point, push, scale, PL_ARROW_NORMAL));
        PL_TRY(add_force(arrows, c->point, c->friction, scale,
                         c->slips ? PL_ARROW_SLIP : PL_ARROW_STICK));
    }
    return PL_OK;
}

bool pl_arrows_body(const pl_arrows *arrows, pl_draw_body *out)
{
    *out = pl_draw_body_default(0);
    out->n_vert = arrows->n_vert;
    out->n_face = arrows->n_face;
    out->x = arrows->x;
    out->face = arrows->face;
    out->vertex_color = arrows->color;
    return arrows->n_face > 0;
}
