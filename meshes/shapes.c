// Solids with exact counts, made without a mesher.
//
// Nearly all of them are one construction: a plane section of triangles is swept through stations,
// and the prism between a triangle and its next station becomes three tets. With the section's
// corners sorted, i < j < k, and a, b the two stations, these are the staircase
//     (a_i a_j a_k b_k), (a_i a_j b_j b_k), (a_i b_i b_j b_k),
// which cuts a side wall along the diagonal from the lower corner's a to the higher corner's b. The
// rule depends on the section alone, so neighbours agree, also where a closed sweep meets its
// start.

#include "mesh.h"
#include "neighbours.h"
#include "predicates.h"
#include "../base/number.h"
#include "../base/text.h"

#include <math.h>
#include <string.h>

#define TAU 6.283185307179586476925286766559

// --- The sweep ---

typedef struct section {
    int32_t n_point, n_tri;
    double *point; // (2*n_point)
    int32_t *tri;  // (3*n_tri)
} section;

static void section_free(section *s)
{
    pl_free(s->point);
    pl_free(s->tri);
}

static pl_status section_alloc(int64_t n_point, int64_t n_tri, section *s)
{
    *s = (section){(int32_t)n_point, (int32_t)n_tri, NULL, NULL};
    if (n_point > PL_MESH_MAX || n_tri > PL_MESH_MAX) {
        return pl_fail(PL_ERROR_ARGUMENT, "too many cells");
    }
    s->point = pl_alloc(2 * n_point, sizeof *s->point);
    s->tri = pl_alloc(3 * n_tri, sizeof *s->tri);
    if (s->point != NULL && s->tri != NULL) return PL_OK;
    section_free(s);
    return PL_ERROR_MEMORY;
}

static void add_tri(section *s, int32_t *n, int32_t a, int32_t b, int32_t c)
{
    int32_t *t = s->tri + 3 * (int64_t)(*n)++;
    t[0] = a;
    t[1] = b;
    t[2] = c;
}

// Turns every tet to a positive volume, then takes the boundary as the faces.
static pl_status finish_solid(pl_mesh *mesh, pl_mesh **out)
{
    for (int64_t i = 0; i < mesh->n_tet; i++) {
        int32_t *t = mesh->tet + 4 * i;
        const double *x = mesh->x;
        if (pl_orient3d(x + 3 * (int64_t)t[0], x + 3 * (int64_t)t[1], x + 3 * (int64_t)t[2],
                        x + 3 * (int64_t)t[3]) < 0) {
            pl_swap(t + 2, t + 3);
        }
    }
    pl_free(mesh->face);
    pl_status status =
        pl_tet_boundary(mesh->n_vert, mesh->n_tet, mesh->tet, &mesh->face, &mesh->n_face);
    if (status != PL_OK) {
        pl_mesh_destroy(mesh);
        return status;
    }
    *out = mesh;
    return PL_OK;
}

// Where the section's point (u, v) lies at a station.
typedef void place_fn(double u, double v, int32_t station, const void *context, double x[3]);

static void add_prism(pl_mesh *mesh, int64_t *n, const int32_t corner[3], int32_t a, int32_t b)
{
    int32_t i = corner[0], j = corner[1], k = corner[2];
    if (i > j) pl_swap(&i, &j);
    if (j > k) pl_swap(&j, &k);
    if (i > j) pl_swap(&i, &j);
    const int32_t tets[12] = {a + i, a + j, a + k, b + k, a + i, a + j,
                              b + j, b + k, a + i, b + i, b + j, b + k};
    memcpy(mesh->tet + *n, tets, sizeof tets);
    *n += 12;
}

// Frees the section. `closed` joins the last station with the first.
static pl_status sweep(section *s, int32_t stations, bool closed, place_fn *place,
                       const void *context, pl_mesh **out)
{
    int64_t spans = closed ? stations : stations - 1;
    pl_mesh *mesh;
    pl_status status =
        pl_mesh_alloc((int64_t)s->n_point * stations, 0, 3 * s->n_tri * spans, &mesh);
    if (status == PL_OK) {
        for (int32_t i = 0; i < stations; i++) {
            double *x = mesh->x + 3 * (int64_t)i * s->n_point;
            for (int32_t p = 0; p < s->n_point; p++) {
                place(s->point[2 * p], s->point[2 * p + 1], i, context, x + 3 * (int64_t)p);
            }
        }
        int64_t n = 0;
        for (int32_t i = 0; i < spans; i++) {
            int32_t a = i * s->n_point, b = (i + 1) % stations * s->n_point;
            for (int32_t t = 0; t < s->n_tri; t++)
                add_prism(mesh, &n, s->tri + 3 * (int64_t)t, a, b);
        }
        status = finish_solid(mesh, out);
    }
    section_free(s);
    return status;
}

typedef struct straight {
    double start, step;
    int axes[3]; // which coordinates u, v and the station become
} straight;

static void place_straight(double u, double v, int32_t station, const void *context, double x[3])
{
    const straight *line = context;
    x[line->axes[0]] = u;
    x[line->axes[1]] = v;
    x[line->axes[2]] = line->start + station * line->step;
}

typedef struct circle {
    double radius;
    int32_t stations;
} circle;

static void place_circle(double u, double v, int32_t station, const void *context, double x[3])
{
    const circle *path = context;
    double angle = TAU * station / path->stations;
    x[0] = (path->radius + u) * cos(angle);
    x[1] = (path->radius + u) * sin(angle);
    x[2] = v;
}

// --- Sections ---

typedef struct rectangle { // of cells, in units of cells
    int32_t x, y, width, height;
} rectangle;

static bool in_hole(const rectangle *hole, int n_hole, int32_t x, int32_t y, bool interior_vertex)
{
    for (int i = 0; i < n_hole; i++) {
        const rectangle *h = &hole[i];
        int32_t least = interior_vertex ? 1 : 0;
        if (x >= h->x + least && x < h->x + h->width && y >= h->y + least && y < h->y + h->height) {
            return true;
        }
    }
    return false;
}

// A centred grid of cells, without those in the holes; each cell is two triangles.
static pl_status grid_section(const double size[2], const int32_t cells[2], const rectangle *hole,
                              int n_hole, section *s)
{
    int64_t n_vert = ((int64_t)cells[0] + 1) * (cells[1] + 1),
            n_cell = (int64_t)cells[0] * cells[1];
    for (int i = 0; i < n_hole; i++) {
        n_vert -= (hole[i].width - 1) * (hole[i].height - 1);
        n_cell -= hole[i].width * hole[i].height;
    }
    PL_TRY(section_alloc(n_vert, 2 * n_cell, s));
    int32_t row = cells[0] + 1;
    int32_t *number = pl_alloc((int64_t)row * (cells[1] + 1), sizeof *number);
    if (number == NULL) {
        section_free(s);
        return PL_ERROR_MEMORY;
    }
    int32_t n = 0;
    for (int32_t y = 0; y <= cells[1]; y++) {
        for (int32_t x = 0; x <= cells[0]; x++) {
            if (in_hole(hole, n_hole, x, y, true)) continue;
            s->point[2 * n] = size[0] * ((double)x / cells[0] - 0.5);
            s->point[2 * n + 1] = size[1] * ((double)y / cells[1] - 0.5);
            number[y * row + x] = n++;
        }
    }
    n = 0;
    for (int32_t y = 0; y < cells[1]; y++) {
        for (int32_t x = 0; x < cells[0]; x++) {
            if (in_hole(hole, n_hole, x, y, false)) continue;
            const int32_t *v = number + y * row + x;
            add_tri(s, &n, v[0], v[1], v[row + 1]);
            add_tri(s, &n, v[0], v[row + 1], v[row]);
        }
    }
    pl_free(number);
    return PL_OK;
}

// A disc: the centre and `rings` circles of `around` points each.
static pl_status disc_section(double radius, int32_t around, int32_t rings, section *s)
{
    PL_TRY(section_alloc(1 + (int64_t)around * rings, (int64_t)around * (2 * rings - 1), s));
    s->point[0] = s->point[1] = 0;
    for (int32_t r = 0; r < rings; r++) {
        for (int32_t i = 0; i < around; i++) {
            double *p = s->point + 2 * (1 + (int64_t)r * around + i);
            p[0] = radius * (r + 1) / rings * cos(TAU * i / around);
            p[1] = radius * (r + 1) / rings * sin(TAU * i / around);
        }
    }
    int32_t n = 0;
    for (int32_t i = 0; i < around; i++) {
        int32_t next = (i + 1) % around;
        add_tri(s, &n, 0, 1 + i, 1 + next);
        for (int32_t r = 1; r < rings; r++) {
            int32_t inner = 1 + (r - 1) * around, outer = inner + around;
            add_tri(s, &n, inner + i, outer + i, outer + next);
            add_tri(s, &n, inner + i, outer + next, inner + next);
        }
    }
    return PL_OK;
}

// --- Shapes: the values `v` come in the order of the table below, three per key ---

static pl_status make_box(const double *v, pl_mesh **out)
{
    int32_t cells[3] = {(int32_t)v[3], (int32_t)v[4], (int32_t)v[5]};
    section s;
    PL_TRY(grid_section(v, cells, NULL, 0, &s));
    straight line = {-0.5 * v[2], v[2] / cells[2], {0, 1, 2}};
    return sweep(&s, cells[2] + 1, false, place_straight, &line, out);
}

static pl_status make_cube(const double *v, pl_mesh **out)
{
    const double box[6] = {v[0], v[0], v[0], v[3], v[3], v[3]};
    return make_box(box, out);
}

// The object of the Pyramid [VJ19, Table 1]: 24 x 6 cells less three holes of 6 x 4 are 72 cells,
// and end walls of two cells with all others of one are the one symmetric choice with its counts.
static pl_status make_plate(const double *v, pl_mesh **out)
{
    static const int32_t cells[2] = {24, 6};
    static const rectangle hole[3] = {{2, 1, 6, 4}, {9, 1, 6, 4}, {16, 1, 6, 4}};
    section s;
    PL_TRY(grid_section(v, cells, hole, 3, &s));
    straight line = {-0.5 * v[2], v[2], {0, 1, 2}};
    return sweep(&s, 2, false, place_straight, &line, out);
}

static pl_status make_ring(const double *v, pl_mesh **out)
{
    double radius = v[0], edge = v[3];
    circle path = {radius, (int32_t)v[6]};
    if (edge >= 2 * radius) {
        return pl_fail(PL_ERROR_ARGUMENT, "section: must be less than twice the radius");
    }
    const double size[2] = {edge, edge};
    static const int32_t one_cell[2] = {1, 1};
    section s;
    PL_TRY(grid_section(size, one_cell, NULL, 0, &s));
    return sweep(&s, path.stations, true, place_circle, &path, out);
}

static pl_status make_torus(const double *v, pl_mesh **out)
{
    double radius = v[0], tube = v[3];
    circle path = {radius, (int32_t)v[6]};
    if (tube >= radius) return pl_fail(PL_ERROR_ARGUMENT, "tube: must be less than the radius");
    section s;
    PL_TRY(disc_section(tube, (int32_t)v[9], (int32_t)v[12], &s));
    return sweep(&s, path.stations, true, place_circle, &path, out);
}

static pl_status make_cylinder(const double *v, pl_mesh **out)
{
    double length = v[3];
    int32_t along = (int32_t)v[9];
    section s;
    PL_TRY(disc_section(v[0], (int32_t)v[6], (int32_t)v[12], &s));
    straight line = {-0.5 * length, length / along, {0, 1, 2}};
    return sweep(&s, along + 1, false, place_straight, &line, out);
}

// A thin cylinder along x with nothing between its axis and its surface.
static pl_status make_rod(const double *v, pl_mesh **out)
{
    double length = v[3];
    int32_t along = (int32_t)v[9];
    section s;
    PL_TRY(disc_section(v[0], (int32_t)v[6], 1, &s));
    straight line = {-0.5 * length, length / along, {1, 2, 0}};
    return sweep(&s, along + 1, false, place_straight, &line, out);
}

// --- The sphere: a subdivided icosahedron, swept along its radii down to the centre ---

typedef struct sphere_surface {
    int32_t n_point, n_tri;
    double *point; // (3*n_point) unit vectors
    int32_t *tri;  // (3*n_tri)
} sphere_surface;

// The midpoint of each edge is found under the edge's smaller vertex, where at most six await.
typedef struct midpoints {
    int32_t *other, *middle; // (6*n_point) the larger vertex, the midpoint; -1 unused
} midpoints;

static int32_t midpoint(sphere_surface *s, midpoints *m, int32_t a, int32_t b)
{
    int64_t slot = 6 * (int64_t)PL_MIN(a, b);
    int32_t other = PL_MAX(a, b);
    while (m->other[slot] >= 0 && m->other[slot] != other) slot++;
    if (m->other[slot] == other) return m->middle[slot];
    m->other[slot] = other;
    m->middle[slot] = s->n_point;
    double sum[3], square = 0;
    for (int k = 0; k < 3; k++) {
        sum[k] = s->point[3 * (int64_t)a + k] + s->point[3 * (int64_t)b + k];
        square += sum[k] * sum[k];
    }
    for (int k = 0; k < 3; k++) s->point[3 * (int64_t)s->n_point + k] = sum[k] / sqrt(square);
    return s->n_point++;
}

// Each triangle becomes four; s has room for them.
static pl_status subdivide(sphere_surface *s)
{
    midpoints m = {pl_alloc(6 * (int64_t)s->n_point, sizeof(int32_t)),
                   pl_alloc(6 * (int64_t)s->n_point, sizeof(int32_t))};
    bool ok = m.other != NULL && m.middle != NULL;
    if (ok) {
        memset(m.other, -1, 6 * (size_t)s->n_point * sizeof(int32_t));
        int32_t n = s->n_tri;
        for (int32_t t = 0; t < n; t++) {
            int32_t *v = s->tri + 3 * (int64_t)t;
            int32_t ab = midpoint(s, &m, v[0], v[1]), bc = midpoint(s, &m, v[1], v[2]),
                    ca = midpoint(s, &m, v[2], v[0]);
            const int32_t outer[9] = {v[0], ab, ca, v[1], bc, ab, v[2], ca, bc};
            memcpy(s->tri + 3 * (int64_t)(n + 3 * t), outer, sizeof outer);
            v[0] = ab, v[1] = bc, v[2] = ca;
        }
        s->n_tri = 4 * n;
    }
    pl_free(m.other);
    pl_free(m.middle);
    return ok ? PL_OK : PL_ERROR_MEMORY;
}

static pl_status icosphere_surface(int32_t level, sphere_surface *s)
{
    static const int32_t tri[60] = {0, 11, 5, 0, 5,  1,  0,  1,  7,  0,  7, 10, 0, 10, 11,
                                    1, 5,  9, 5, 11, 4,  11, 10, 2,  10, 7, 6,  7, 1,  8,
                                    3, 9,  4, 3, 4,  2,  3,  2,  6,  3,  6, 8,  3, 8,  9,
                                    4, 9,  5, 2, 4,  11, 6,  2,  10, 8,  6, 7,  9, 8,  1};
    const double g = 0.5 + 0.5 * sqrt(5.0), n = sqrt(1 + g * g), p = 1 / n, q = g / n;
    const double point[36] = {-p, q,  0,  p, q, 0,  -p, -q, 0,  p, -q, 0, 0,  -p, q,  0,  p, q,
                              0,  -p, -q, 0, p, -q, q,  0,  -p, q, 0,  p, -q, 0,  -p, -q, 0, p};
    int64_t faces = 20ll << (2 * level);
    *s = (sphere_surface){12, 20, NULL, NULL};
    s->point = pl_alloc(3 * (faces / 2 + 2), sizeof *s->point);
    s->tri = pl_alloc(3 * faces, sizeof *s->tri);
    if (s->point == NULL || s->tri == NULL) return PL_ERROR_MEMORY;
    memcpy(s->point, point, sizeof point);
    memcpy(s->tri, tri, sizeof tri);
    for (int32_t i = 0; i < level; i++) PL_TRY(subdivide(s));
    return PL_OK;
}

// Shell 0 is the surface; the innermost shell closes on the centre, the last vertex.
static pl_status fill_sphere(const sphere_surface *s, double radius, int32_t shells, pl_mesh **out)
{
    int64_t n_tet = (3 * (int64_t)shells - 2) * s->n_tri;
    pl_mesh *mesh;
    PL_TRY(pl_mesh_alloc((int64_t)shells * s->n_point + 1, 0, n_tet, &mesh));
    for (int32_t i = 0; i < shells; i++) {
        double r = radius * (shells - i) / shells;
        double *x = mesh->x + 3 * (int64_t)i * s->n_point;
        for (int64_t k = 0; k < 3 * (int64_t)s->n_point; k++) x[k] = r * s->point[k];
    }
    int32_t centre = shells * s->n_point;
    memset(mesh->x + 3 * (int64_t)centre, 0, 3 * sizeof(double));
    int64_t n = 0;
    for (int32_t t = 0; t < s->n_tri; t++) {
        const int32_t *v = s->tri + 3 * (int64_t)t;
        for (int32_t i = 0; i + 1 < shells; i++) {
            add_prism(mesh, &n, v, i * s->n_point, (i + 1) * s->n_point);
        }
        int32_t inner = (shells - 1) * s->n_point;
        const int32_t last[4] = {centre, inner + v[0], inner + v[1], inner + v[2]};
        memcpy(mesh->tet + n, last, sizeof last);
        n += 4;
    }
    return finish_solid(mesh, out);
}

static pl_status make_icosphere(const double *v, pl_mesh **out)
{
    sphere_surface s;
    pl_status status = icosphere_surface((int32_t)v[3], &s);
    if (status == PL_OK) status = fill_sphere(&s, v[0], (int32_t)v[6], out);
    pl_free(s.point);
    pl_free(s.tri);
    return status;
}

// --- The table ---

enum { KEYS_MAX = 5, COUNT_MAX = 100000 };

typedef struct shape_key {
    const char *name;
    int n;               // how many numbers, separated by commas; 0 ends the list
    double value[3];     // defaults
    int32_t least, most; // whole numbers in this range; most 0: a length in metres, above 0
} shape_key;

typedef struct shape {
    const char *name, *summary;
    pl_status (*make)(const double *values, pl_mesh **out);
    shape_key key[KEYS_MAX];
} shape;

static const shape shapes[] = {
    {"ring",
     "a ring of square section, the Rings of VJ19",
     make_ring,
     {{"radius", 1, {0.4}, 0, 0},
      {"section", 1, {0.2}, 0, 0},
      {"segments", 1, {18}, 3, COUNT_MAX}}},
    {"plate",
     "a plate of one layer with three holes, the Pyramid's object of VJ19",
     make_plate,
     {{"size", 3, {1.2, 0.3, 0.05}, 0, 0}}},
    {"box",
     "a box of cells, six tets each",
     make_box,
     {{"size", 3, {1, 1, 1}, 0, 0}, {"cells", 3, {4, 4, 4}, 1, COUNT_MAX}}},
    {"cube",
     "a box of equal edges",
     make_cube,
     {{"size", 1, {1}, 0, 0}, {"cells", 1, {2}, 1, COUNT_MAX}}},
    {"cylinder",
     "a solid cylinder along z",
     make_cylinder,
     {{"radius", 1, {0.25}, 0, 0},
      {"length", 1, {1}, 0, 0},
      {"around", 1, {16}, 3, COUNT_MAX},
      {"along", 1, {8}, 1, COUNT_MAX},
      {"rings", 1, {2}, 1, COUNT_MAX}}},
    {"icosphere",
     "a ball on a subdivided icosahedron",
     make_icosphere,
     {{"radius", 1, {0.5}, 0, 0}, {"level", 1, {2}, 0, 10}, {"shells", 1, {3}, 1, COUNT_MAX}}},
    {"torus",
     "a solid torus around z",
     make_torus,
     {{"radius", 1, {0.4}, 0, 0},
      {"tube", 1, {0.15}, 0, 0},
      {"around", 1, {24}, 3, COUNT_MAX},
      {"sides", 1, {10}, 3, COUNT_MAX},
      {"rings", 1, {1}, 1, COUNT_MAX}}},
    {"rod",
     "a thin string along x",
     make_rod,
     {{"radius", 1, {0.01}, 0, 0},
      {"length", 1, {1}, 0, 0},
      {"sides", 1, {6}, 3, COUNT_MAX},
      {"along", 1, {50}, 1, COUNT_MAX}}},
};

enum { SHAPES = sizeof shapes / sizeof shapes[0] };

static const shape *find_shape(const char *name, size_t length)
{
    for (int i = 0; i < SHAPES; i++) {
        if (strlen(shapes[i].name) == length && memcmp(shapes[i].name, name, length) == 0) {
            return &shapes[i];
        }
    }
    return NULL;
}

bool pl_shape_known(const char *description)
{
    return find_shape(description, strcspn(description, ":")) != NULL;
}

size_t pl_shape_help(char *buffer, size_t size)
{
    pl_text text = pl_text_start(buffer, size);
    for (int i = 0; i < SHAPES; i++) {
        pl_text_add(&text, "%s", shapes[i].name);
        for (const shape_key *key = shapes[i].key; key < shapes[i].key + KEYS_MAX && key->n > 0;
             key++) {
            pl_text_add(&text, ":%s=%g", key->name, key->value[0]);
            for (int k = 1; k < key->n; k++) pl_text_add(&text, ",%g", key->value[k]);
        }
        pl_text_add(&text, "\n    %s\n", shapes[i].summary);
    }
    return text.length;
}

static pl_status check_value(const shape_key *key, double value)
{
    if (key->most == 0) {
        if (value > 0) return PL_OK;
        return pl_fail(PL_ERROR_ARGUMENT, "%s: %g is not a length above 0", key->name, value);
    }
    if (value >= key->least && value <= key->most && value == floor(value)) return PL_OK;
    return pl_fail(PL_ERROR_ARGUMENT, "%s: %g is not a whole number from %d to %d", key->name,
                   value, (int)key->least, (int)key->most);
}

// Reads "1,2,3" at *p. One number for a key of three stands for all three.
static pl_status read_values(const char **p, const shape_key *key, double *value)
{
    int n = 0;
    for (;; (*p)++) {
        const char *after = n < key->n ? pl_parse_double(*p, &value[n]) : NULL;
        if (after == NULL) {
            return pl_fail(PL_ERROR_ARGUMENT, "%s: %s number%s expected at \"%s\"", key->name,
                           key->n == 1 ? "one" : "up to three", key->n == 1 ? "" : "s", *p);
        }
        PL_TRY(check_value(key, value[n]));
        n++;
        *p = after;
        if (*after != ',') break;
    }
    if (n != 1 && n != key->n) {
        return pl_fail(PL_ERROR_ARGUMENT, "%s: one or %d numbers expected, not %d", key->name,
                       key->n, n);
    }
    for (int k = n; k < key->n; k++) value[k] = value[0];
    return PL_OK;
}

// Reads "key=value" at *p, which is part of a terminated string.
static pl_status read_key(const char **p, const shape *s, double *values)
{
    size_t length = strcspn(*p, "=:");
    const char *names[KEYS_MAX];
    int n = 0;
    for (; n < KEYS_MAX && s->key[n].n > 0; n++) {
        const char *name = names[n] = s->key[n].name;
        if (strlen(name) != length || memcmp(name, *p, length) != 0) continue;
        if ((*p)[length] != '=') return pl_fail(PL_ERROR_ARGUMENT, "%s: '=' expected", name);
        *p += length + 1;
        return read_values(p, &s->key[n], values + 3 * n);
    }
    return pl_fail_unknown(PL_ERROR_ARGUMENT, "key", *p, length, names, n);
}

static pl_status make_described(const shape *s, const char *p, pl_mesh **out)
{
    double values[3 * KEYS_MAX];
    for (int i = 0; i < KEYS_MAX; i++)
        memcpy(values + 3 * i, s->key[i].value, sizeof s->key[i].value);
    while (*p == ':') {
        p++;
        PL_TRY(read_key(&p, s, values));
    }
    if (*p != '\0') return pl_fail(PL_ERROR_ARGUMENT, "':' or the end expected at \"%s\"", p);
    pl_status status = s->make(values, out);
    // A count beyond what a mesh can hold is the description's fault here, not a file's.
    return status == PL_ERROR_FORMAT ? PL_ERROR_ARGUMENT : status;
}

pl_status pl_mesh_make(const char *description, pl_mesh **out)
{
    *out = NULL;
    size_t length = strcspn(description, ":");
    const shape *s = find_shape(description, length);
    if (s == NULL) {
        const char *names[SHAPES];
        for (int i = 0; i < SHAPES; i++) names[i] = shapes[i].name;
        return pl_fail_unknown(PL_ERROR_ARGUMENT, "shape", description, length, names, SHAPES);
    }
    // The parser may look at eight bytes at once: give it padding.
    char text[512 + 16] = {0};
    if (strlen(description) > 512) {
        return pl_fail(PL_ERROR_ARGUMENT, "%s: a description of more than 512 characters", s->name);
    }
    strcpy(text, description);
    pl_status status = make_described(s, text + length, out);
    if (status != PL_OK) pl_fail_prefix(s->name);
    return status;
}
