// Solids by name, with exact counts, made without a mesher: nearly all are swept.

#include "description.h"
#include "sweep.h"

#include <math.h>
#include <string.h>

#define TAU 6.283185307179586476925286766559

// --- Paths of a sweep ---

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

// A stone of an arch: u runs from -1 to 1 between its two joints, v is the distance from the middle
// radius.
typedef struct arch {
    double radius, sine, cosine; // of half the stone's angle
    double start, step;          // of the depth
} arch;

static void place_arch(double u, double v, int32_t station, const void *context, double x[3])
{
    const arch *stone = context;
    x[0] = u * (stone->radius + v) * stone->sine;
    x[1] = stone->start + station * stone->step;
    x[2] = (stone->radius + v) * stone->cosine;
}

typedef struct helix {
    double radius, pitch, turns;
    int32_t around; // stations per turn
} helix;

// The section stands across the wire: u points away from the axis, v is normal to u and the wire.
static void place_helix(double u, double v, int32_t station, const void *context, double x[3])
{
    const helix *path = context;
    double angle = TAU * (station % path->around) / path->around, c = cos(angle), s = sin(angle);
    double rise = path->pitch / TAU, slope = hypot(path->radius, rise);
    double level = path->radius / slope, steep = rise / slope;
    x[0] = (path->radius + u) * c + v * steep * s;
    x[1] = (path->radius + u) * s - v * steep * c;
    x[2] = path->pitch * ((double)station / path->around - 0.5 * path->turns) + v * level;
}

// --- Shapes: the values `v` come in the order of the table below, three per key ---

static pl_status make_box(const double *v, pl_mesh **out)
{
    int32_t cells[3] = {(int32_t)v[3], (int32_t)v[4], (int32_t)v[5]};
    pl_section s;
    PL_TRY(pl_section_grid(v, cells, NULL, 0, &s));
    straight line = {-0.5 * v[2], v[2] / cells[2], {0, 1, 2}};
    return pl_sweep(&s, cells[2] + 1, false, place_straight, &line, out);
}

static pl_status make_cube(const double *v, pl_mesh **out)
{
    const double box[6] = {v[0], v[0], v[0], v[3], v[3], v[3]};
    return make_box(box, out);
}

// Four walls around a room: points 0-3 are its corners, 4-7 those of the walls outside.
static pl_status make_frame(const double *v, pl_mesh **out)
{
    static const int sign[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    int32_t count = 0;
    pl_section s;
    PL_TRY(pl_section_alloc(8, 8, &s));
    for (int32_t i = 0; i < 4; i++) {
        for (int k = 0; k < 2; k++) {
            s.point[2 * i + k] = sign[i][k] * 0.5 * v[k];
            s.point[2 * (i + 4) + k] = sign[i][k] * (0.5 * v[k] + v[3]);
        }
        int32_t next = (i + 1) % 4;
        pl_section_add(&s, &count, i, i + 4, next + 4);
        pl_section_add(&s, &count, i, next + 4, next);
    }
    straight line = {-0.5 * v[2], v[2], {0, 1, 2}};
    return pl_sweep(&s, 2, false, place_straight, &line, out);
}

// The object of the Pyramid [VJ19, Table 1]: 24 x 6 cells less three holes of 6 x 4 are 72 cells,
// and end walls of two cells with all others of one are the one symmetric choice with its counts.
static pl_status make_plate(const double *v, pl_mesh **out)
{
    static const int32_t cells[2] = {24, 6};
    static const pl_rectangle hole[3] = {{2, 1, 6, 4}, {9, 1, 6, 4}, {16, 1, 6, 4}};
    pl_section s;
    PL_TRY(pl_section_grid(v, cells, hole, 3, &s));
    straight line = {-0.5 * v[2], v[2], {0, 1, 2}};
    return pl_sweep(&s, 2, false, place_straight, &line, out);
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
    pl_section s;
    PL_TRY(pl_section_grid(size, one_cell, NULL, 0, &s));
    return pl_sweep(&s, path.stations, true, place_circle, &path, out);
}

static pl_status make_torus(const double *v, pl_mesh **out)
{
    double radius = v[0], tube = v[3];
    circle path = {radius, (int32_t)v[6]};
    if (tube >= radius) return pl_fail(PL_ERROR_ARGUMENT, "tube: must be less than the radius");
    pl_section s;
    PL_TRY(pl_section_disc(tube, (int32_t)v[9], (int32_t)v[12], &s));
    return pl_sweep(&s, path.stations, true, place_circle, &path, out);
}

static pl_status make_cylinder(const double *v, pl_mesh **out)
{
    double length = v[3];
    int32_t along = (int32_t)v[9];
    pl_section s;
    PL_TRY(pl_section_disc(v[0], (int32_t)v[6], (int32_t)v[12], &s));
    straight line = {-0.5 * length, length / along, {0, 1, 2}};
    return pl_sweep(&s, along + 1, false, place_straight, &line, out);
}

// A thin cylinder along x with nothing between its axis and its surface.
static pl_status make_rod(const double *v, pl_mesh **out)
{
    double length = v[3];
    int32_t along = (int32_t)v[9];
    pl_section s;
    PL_TRY(pl_section_disc(v[0], (int32_t)v[6], 1, &s));
    straight line = {-0.5 * length, length / along, {1, 2, 0}};
    return pl_sweep(&s, along + 1, false, place_straight, &line, out);
}

// A section of n^2 equal triangles. Column i, from the thin edge on, has i + 1 points.
static pl_status make_wedge(const double *v, pl_mesh **out)
{
    int32_t n = (int32_t)v[3], across = (int32_t)v[6], count = 0;
    pl_section s;
    PL_TRY(pl_section_alloc(((int64_t)n + 1) * (n + 2) / 2, (int64_t)n * n, &s));
    for (int32_t i = 0; i <= n; i++) {
        int32_t here = i * (i + 1) / 2, next = here + i + 1;
        for (int32_t j = 0; j <= i; j++) {
            s.point[2 * (here + j)] = v[0] * ((double)i / n - 0.5);
            s.point[2 * (here + j) + 1] = v[2] * ((double)j / n - 0.5);
            if (i == n) continue;
            pl_section_add(&s, &count, here + j, next + j, next + j + 1);
            if (j < i) pl_section_add(&s, &count, here + j, next + j + 1, here + j + 1);
        }
    }
    straight line = {-0.5 * v[1], v[1] / across, {0, 2, 1}};
    return pl_sweep(&s, across + 1, false, place_straight, &line, out);
}

static pl_status make_voussoir(const double *v, pl_mesh **out)
{
    double inner = v[0], outer = v[3], depth = v[6], half = TAU / 4 / v[9];
    int32_t along = (int32_t)v[12], across = (int32_t)v[13], high = (int32_t)v[14];
    if (inner >= outer) return pl_fail(PL_ERROR_ARGUMENT, "inner: must be less than the outer");
    const double size[2] = {2, outer - inner};
    const int32_t cells[2] = {along, high};
    arch stone = {0.5 * (inner + outer), sin(half), cos(half), -0.5 * depth, depth / across};
    pl_section s;
    PL_TRY(pl_section_grid(size, cells, NULL, 0, &s));
    return pl_sweep(&s, across + 1, false, place_arch, &stone, out);
}

static pl_status make_coil(const double *v, pl_mesh **out)
{
    double radius = v[0], wire = v[3], pitch = v[6];
    helix path = {radius, pitch, v[9], (int32_t)v[15]};
    if (wire >= radius) return pl_fail(PL_ERROR_ARGUMENT, "wire: must be less than the radius");
    // Turns that follow each other are this far apart on the unrolled cylinder.
    if (2 * wire >= pitch * cos(atan(pitch / (TAU * radius)))) {
        return pl_fail(PL_ERROR_ARGUMENT, "pitch: the turns touch each other");
    }
    double stations = v[9] * v[15] + 1;
    if (stations > PL_MESH_MAX) return pl_fail(PL_ERROR_ARGUMENT, "too many cells");
    pl_section s;
    PL_TRY(pl_section_disc(wire, (int32_t)v[12], 1, &s));
    return pl_sweep(&s, (int32_t)stations, false, place_helix, &path, out);
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

// Points of the unit sphere come `grade` times closer to each other at the poles of z, where x and
// y shrink alike, and as much further apart along z at the equator.
static void grade_surface(sphere_surface *s, int32_t grade)
{
    for (int32_t i = 0; i < s->n_point; i++) {
        double *x = s->point + 3 * (int64_t)i, z = grade * x[2];
        double length = sqrt(x[0] * x[0] + x[1] * x[1] + z * z);
        x[0] /= length;
        x[1] /= length;
        x[2] = z / length;
    }
}

// Shell 0 is the surface; the innermost shell closes on the centre, the last vertex. With the grade
// g shell i of n lies at the depth t / (g - (g - 1) t) of the radius, t = i / n: the first shells
// are g times as thin as without.
static pl_status fill_sphere(const sphere_surface *s, double radius, int32_t shells, int32_t grade,
                             pl_mesh **out)
{
    int64_t n_tet = (3 * (int64_t)shells - 2) * s->n_tri;
    pl_mesh *mesh;
    PL_TRY(pl_mesh_alloc((int64_t)shells * s->n_point + 1, 0, n_tet, &mesh));
    for (int32_t i = 0; i < shells; i++) {
        double g = grade, r = radius * (g * (shells - i)) / (g * shells - (g - 1) * i);
        double *x = mesh->x + 3 * (int64_t)i * s->n_point;
        for (int64_t k = 0; k < 3 * (int64_t)s->n_point; k++) x[k] = r * s->point[k];
    }
    int32_t centre = shells * s->n_point;
    memset(mesh->x + 3 * (int64_t)centre, 0, 3 * sizeof(double));
    int64_t n = 0;
    for (int32_t t = 0; t < s->n_tri; t++) {
        const int32_t *v = s->tri + 3 * (int64_t)t;
        for (int32_t i = 0; i + 1 < shells; i++) {
            pl_add_prism(mesh, &n, v, i * s->n_point, (i + 1) * s->n_point);
        }
        int32_t inner = (shells - 1) * s->n_point;
        const int32_t last[4] = {centre, inner + v[0], inner + v[1], inner + v[2]};
        memcpy(mesh->tet + n, last, sizeof last);
        n += 4;
    }
    return pl_finish_solid(mesh, out);
}

static pl_status make_icosphere(const double *v, pl_mesh **out)
{
    sphere_surface s;
    pl_status status = icosphere_surface((int32_t)v[3], &s);
    int32_t grade = (int32_t)v[9];
    if (status == PL_OK && grade > 1) grade_surface(&s, grade);
    if (status == PL_OK) status = fill_sphere(&s, v[0], (int32_t)v[6], grade, out);
    pl_free(s.point);
    pl_free(s.tri);
    return status;
}

// --- Points and needles ---

// A centred grid of places, n[k] of them `spacing` apart along axis k.
static pl_status add_grid(const int64_t n[3], double spacing, double z, pl_mesh_builder *to)
{
    if (n[0] * n[1] > PL_MESH_MAX / n[2] / 2) {
        return pl_fail(PL_ERROR_ARGUMENT, "count: more than %d in all", (int)(PL_MESH_MAX / 2));
    }
    for (int64_t i = 0; i < n[0] * n[1] * n[2]; i++) {
        const int64_t at[3] = {i % n[0], i / n[0] % n[1], i / n[0] / n[1]};
        double x[3];
        for (int k = 0; k < 3; k++) x[k] = spacing * ((double)at[k] - 0.5 * (double)(n[k] - 1));
        x[2] += z;
        PL_TRY(pl_builder_vertex(to, x));
    }
    return PL_OK;
}

static pl_status make_points(const double *v, pl_mesh **out)
{
    pl_mesh_builder to = {0};
    const int64_t n[3] = {(int64_t)v[0], (int64_t)v[1], (int64_t)v[2]};
    pl_status status = add_grid(n, v[3], 0, &to);
    for (int32_t i = 0; i < to.n_vert && status == PL_OK; i++) status = pl_builder_point(&to, i);
    if (status == PL_OK) return pl_builder_finish(&to, out);
    pl_builder_free(&to);
    return status;
}

// All feet, then all tips.
static pl_status make_needles(const double *v, pl_mesh **out)
{
    pl_mesh_builder to = {0};
    const int64_t n[3] = {(int64_t)v[0], (int64_t)v[1], 1};
    pl_status status = add_grid(n, v[3], -v[6], &to);
    if (status == PL_OK) status = add_grid(n, v[3], 0, &to);
    int32_t half = (int32_t)(to.n_vert / 2);
    for (int32_t i = 0; i < half && status == PL_OK; i++) {
        status = pl_builder_edge(&to, i, half + i);
    }
    if (status == PL_OK) return pl_builder_finish(&to, out);
    pl_builder_free(&to);
    return status;
}

// --- The table ---

enum { KEYS_MAX = 6, COUNT_MAX = 100000 };

typedef struct shape {
    const char *name, *summary;
    pl_status (*make)(const double *values, pl_mesh **out);
    pl_description_key key[KEYS_MAX];
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
    {"frame",
     "four walls around a room of the size, without floor and lid",
     make_frame,
     {{"size", 3, {2, 2, 1}, 0, 0}, {"wall", 1, {0.1}, 0, 0}}},
    {"cylinder",
     "a solid cylinder along z",
     make_cylinder,
     {{"radius", 1, {0.25}, 0, 0},
      {"length", 1, {1}, 0, 0},
      {"around", 1, {16}, 3, COUNT_MAX},
      {"along", 1, {8}, 1, COUNT_MAX},
      {"rings", 1, {2}, 1, COUNT_MAX}}},
    {"icosphere",
     "a ball on a subdivided icosahedron, at its poles finer by the grade",
     make_icosphere,
     {{"radius", 1, {0.5}, 0, 0},
      {"level", 1, {2}, 0, 10},
      {"shells", 1, {3}, 1, COUNT_MAX},
      {"grade", 1, {1}, 1, 10}}},
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
    {"coil",
     "a string wound around z",
     make_coil,
     {{"radius", 1, {0.1}, 0, 0},
      {"wire", 1, {0.01}, 0, 0},
      {"pitch", 1, {0.05}, 0, 0},
      {"turns", 1, {4}, 1, COUNT_MAX},
      {"sides", 1, {6}, 3, COUNT_MAX},
      {"around", 1, {24}, 3, COUNT_MAX}}},
    {"wedge",
     "a ramp that rises along x, from a thin edge to the size's height",
     make_wedge,
     {{"size", 3, {2, 1, 1}, 0, 0}, {"cells", 1, {4}, 1, 10000}, {"across", 1, {2}, 1, COUNT_MAX}}},
    {"voussoir",
     "the top stone of a half-circle arch around the y axis; cells along the arc, in depth, in "
     "height",
     make_voussoir,
     {{"inner", 1, {1}, 0, 0},
      {"outer", 1, {1.3}, 0, 0},
      {"depth", 1, {0.5}, 0, 0},
      {"stones", 1, {9}, 2, COUNT_MAX},
      {"cells", 3, {2, 2, 2}, 1, COUNT_MAX}}},
    {"points",
     "a grid of loose points",
     make_points,
     {{"count", 3, {1, 1, 1}, 1, COUNT_MAX}, {"spacing", 1, {0.1}, 0, 0}}},
    {"needles",
     "loose edges that stand side by side, with their tips at z = 0",
     make_needles,
     {{"count", 2, {1, 1}, 1, COUNT_MAX}, {"spacing", 1, {0.1}, 0, 0}, {"length", 1, {0.5}, 0, 0}}},
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
    return description != NULL && find_shape(description, strcspn(description, ":")) != NULL;
}

size_t pl_shape_help(char *buffer, size_t size)
{
    pl_text text = pl_text_start(buffer, size);
    for (int i = 0; i < SHAPES; i++) {
        pl_text_add(&text, "%s", shapes[i].name);
        pl_description_help(shapes[i].key, KEYS_MAX, &text);
        pl_text_add(&text, "\n    %s\n", shapes[i].summary);
    }
    return text.length;
}

pl_status pl_mesh_make(const char *description, pl_mesh **out)
{
    PL_REQUIRE(out);
    *out = NULL;
    PL_REQUIRE(description);
    size_t length = strcspn(description, ":");
    const shape *s = find_shape(description, length);
    if (s == NULL) {
        const char *names[SHAPES];
        for (int i = 0; i < SHAPES; i++) names[i] = shapes[i].name;
        return pl_fail_unknown(PL_ERROR_ARGUMENT, "shape", description, length, names, SHAPES);
    }
    double values[3 * KEYS_MAX];
    pl_status status = pl_description_read(s->key, KEYS_MAX, description + length, values);
    if (status == PL_OK) status = s->make(values, out);
    if (status != PL_OK) pl_fail_prefix(s->name);
    // A count beyond what a mesh can hold is the description's fault here, not a file's.
    return status == PL_ERROR_FORMAT ? PL_ERROR_ARGUMENT : status;
}
