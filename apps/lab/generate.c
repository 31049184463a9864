#include "generate.h"
#include "../../base/number.h"
#include "../common/random.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double GRAVITY = 9.81; // [m/s^2]

typedef struct recipe {
    int32_t n;
    uint64_t seed;
    double mu, ratio, dt;
} recipe;

typedef struct body {
    double mass, moment[3]; // [kg], about its own axes [kg m^2]
    double x[3], R[9];      // centre; its axes, one after the other
    double u[6];            // velocity and angular velocity before the step
} body;

// Where two bodies meet; a of -1 is the ground. Body b moves against a.
typedef struct link {
    int32_t a, b;
    double x[3], R[9]; // the point; normal, from a to b, and tangents
    bool joint;        // the point of both is held together
} link;

typedef struct pile {
    body *body;
    link *link;
    int64_t n_body, n_link, body_capacity, link_capacity;
    recipe r;
    uint64_t state;
} pile;

static double draw(pile *p, double lo, double hi)
{
    return lo + (hi - lo) * pl_random(&p->state);
}

// --- Building ---

static const double unit[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

static pl_status add_box(pile *p, const double size[3], double mass, const double x[3],
                         const double R[9])
{
    PL_TRY(pl_reserve((void **)&p->body, &p->body_capacity, p->n_body + 1, sizeof *p->body));
    body *b = p->body + p->n_body++;
    *b = (body){.mass = mass};
    memcpy(b->x, x, sizeof b->x);
    memcpy(b->R, R, sizeof b->R);
    for (int i = 0; i < 3; i++) {
        double s = size[(i + 1) % 3], t = size[(i + 2) % 3];
        b->moment[i] = mass * (s * s + t * t) / 12;
    }
    return PL_OK;
}

// A frame whose first vector is n.
static void frame_of(const double n[3], double R[9])
{
    int least = fabs(n[0]) <= fabs(n[1]) && fabs(n[0]) <= fabs(n[2]) ? 0
                : fabs(n[1]) <= fabs(n[2])                           ? 1
                                                                     : 2;
    double e[3] = {0}, t[3], length;
    e[least] = 1;
    for (int i = 0; i < 3; i++) t[i] = e[i] - n[least] * n[i];
    length = sqrt(t[0] * t[0] + t[1] * t[1] + t[2] * t[2]);
    for (int i = 0; i < 3; i++) R[i] = n[i], R[3 + i] = t[i] / length;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        R[6 + i] = R[j] * R[3 + k] - R[k] * R[3 + j];
    }
}

static pl_status add_link(pile *p, int32_t a, int32_t b, const double x[3], const double n[3],
                          bool joint)
{
    PL_TRY(pl_reserve((void **)&p->link, &p->link_capacity, p->n_link + 1, sizeof *p->link));
    link *l = p->link + p->n_link++;
    *l = (link){.a = a, .b = b, .joint = joint};
    memcpy(l->x, x, sizeof l->x);
    frame_of(n, l->R);
    return PL_OK;
}

// The four corners of a rectangle with half sides s and t around x.
static pl_status add_face(pile *p, int32_t a, int32_t b, const double x[3], const double n[3],
                          const double s[3], const double t[3])
{
    for (int k = 0; k < 4; k++) {
        double at[3], i = k % 2 == 0 ? -1 : 1, j = k / 2 == 0 ? -1 : 1;
        for (int c = 0; c < 3; c++) at[c] = x[c] + i * s[c] + j * t[c];
        PL_TRY(add_link(p, a, b, at, n, false));
    }
    return PL_OK;
}

// --- The kinds ---

// Boxes of 1 m on top of each other, each heavier than the one below by the same factor, pushed
// aside by up to 0.1 m; four points per face, of which three would do.
static pl_status make_stack(pile *p)
{
    const double size[3] = {1, 1, 1}, up[3] = {0, 0, 1}, s[3] = {0.4, 0, 0}, t[3] = {0, 0.4, 0};
    double before[2] = {0, 0};
    for (int32_t i = 0; i < p->r.n; i++) {
        double share = p->r.n > 1 ? (double)i / (p->r.n - 1) : 0;
        double x[3] = {draw(p, -0.1, 0.1), draw(p, -0.1, 0.1), 0.5 + i};
        PL_TRY(add_box(p, size, 100 * pow(p->r.ratio, share), x, unit));
        double face[3] = {i > 0 ? 0.5 * (x[0] + before[0]) : x[0],
                          i > 0 ? 0.5 * (x[1] + before[1]) : x[1], i};
        PL_TRY(add_face(p, i - 1, i, face, up, s, t));
        before[0] = x[0], before[1] = x[1];
    }
    return PL_OK;
}

// n rows of n bricks, each over two others: as many forces as there are unknown, and more.
static pl_status make_wall(pile *p)
{
    const double size[3] = {0.4, 0.2, 0.1}, up[3] = {0, 0, 1}, t[3] = {0, 0.09, 0};
    const double half[3] = {0.09, 0, 0};
    for (int32_t row = 0; row < p->r.n; row++) {
        for (int32_t k = 0; k < p->r.n; k++) {
            int32_t i = row * p->r.n + k;
            double shift = row % 2 == 0 ? 0 : 0.2, mass = 20 * pow(p->r.ratio, draw(p, 0, 1));
            double x[3] = {0.4 * k + shift, 0, 0.05 + 0.1 * row};
            PL_TRY(add_box(p, size, mass, x, unit));
            for (int side = -1; side <= 1; side += 2) {
                int32_t below = k + (row % 2 == 0 ? (side < 0 ? -1 : 0) : (side < 0 ? 0 : 1));
                double face[3] = {x[0] + 0.1 * side, 0, 0.1 * row};
                if (row > 0 && (below < 0 || below >= p->r.n)) continue;
                int32_t a = row > 0 ? (row - 1) * p->r.n + below : -1;
                PL_TRY(add_face(p, a, i, face, up, half, t));
            }
        }
    }
    return PL_OK;
}

// A half circle of n stones, 5 m inside and 5.6 m outside, on two abutments.
static pl_status make_arch(pile *p)
{
    const double inner = 5, outer = 5.6, width = 1, density = 2500;
    double angle = M_PI / p->r.n, middle = 0.5 * (inner + outer);
    const double size[3] = {middle * angle, width, outer - inner};
    for (int32_t i = 0; i < p->r.n; i++) {
        double a = (i + 0.5) * angle;
        double R[9] = {sin(a), 0, cos(a), 0, 1, 0, -cos(a), 0, sin(a)};
        double x[3] = {-middle * cos(a), 0, middle * sin(a)};
        double mass = density * size[0] * size[1] * size[2] * pow(p->r.ratio, draw(p, 0, 1));
        PL_TRY(add_box(p, size, mass, x, R));
    }
    for (int32_t i = 0; i <= p->r.n; i++) { // joint i is between stones i - 1 and i
        double a = i * angle, n[3] = {sin(a), 0, cos(a)};
        double s[3] = {-0.45 * (outer - inner) * cos(a), 0, 0.45 * (outer - inner) * sin(a)};
        double t[3] = {0, 0.45 * width, 0}, x[3] = {-middle * cos(a), 0, middle * sin(a)};
        double back[3] = {-n[0], 0, -n[2]};
        bool last = i == p->r.n; // the ground carries the last one from the other side
        PL_TRY(
            add_face(p, i == 0 || last ? -1 : i - 1, last ? i - 1 : i, x, last ? back : n, s, t));
    }
    return PL_OK;
}

// n links that hang from the ceiling by ball joints, each heavier than the one above by the same
// factor, and are on the move. All rows are equations.
static pl_status make_chain(pile *p)
{
    const double size[3] = {0.05, 0.05, 0.2}, up[3] = {0, 0, 1};
    for (int32_t i = 0; i < p->r.n; i++) {
        double share = p->r.n > 1 ? (double)i / (p->r.n - 1) : 0, x[3] = {0, 0, -0.2 * i - 0.1};
        PL_TRY(add_box(p, size, pow(p->r.ratio, share), x, unit));
        for (int c = 0; c < 6; c++) p->body[i].u[c] = draw(p, -0.5, 0.5);
        x[2] = -0.2 * i;
        PL_TRY(add_link(p, i - 1, i, x, up, true));
    }
    return PL_OK;
}

// n boxes of about 1 m at random that fall, each touching the ground or up to three of those before
// it at a point each.
static pl_status make_pile(pile *p)
{
    for (int32_t i = 0; i < p->r.n; i++) {
        double side = draw(p, 0.6, 1.4), size[3] = {side, side, side};
        double x[3] = {draw(p, -2, 2), draw(p, -2, 2), 0.5 + 0.3 * i};
        PL_TRY(add_box(p, size, 100 * pow(p->r.ratio, draw(p, 0, 1)), x, unit));
        for (int c = 0; c < 3; c++) p->body[i].u[c] = draw(p, -0.3, 0.3);
        p->body[i].u[2] -= 0.3;
        int32_t n = 1 + (int32_t)draw(p, 0, 3);
        for (int32_t k = 0; k < n; k++) {
            int32_t a = i - 1 - (int32_t)draw(p, 0, 3);
            double z = draw(p, 0.3, 1), turn = draw(p, 0, 2 * M_PI), r = sqrt(1 - z * z);
            double up[3] = {r * cos(turn), r * sin(turn), z}, at[3];
            for (int c = 0; c < 3; c++) at[c] = x[c] - 0.5 * side * up[c];
            PL_TRY(add_link(p, PL_MAX(a, -1), i, at, up, false));
        }
    }
    return PL_OK;
}

typedef struct kind {
    const char *name, *help;
    pl_status (*make)(pile *p);
    int32_t n;
} kind;

static const kind kinds[] = {
    {"stack", "boxes on top of each other, four points per face", make_stack, 10},
    {"wall", "n rows of n bricks, each over two others", make_wall, 5},
    {"arch", "a half circle of stones: masonry", make_arch, 15},
    {"chain", "links on ball joints: equations alone", make_chain, 20},
    {"pile", "boxes at random that fall on each other", make_pile, 30},
};

enum { N_KINDS = sizeof kinds / sizeof *kinds, MOST_BODIES = 100000, NUMBER_ROOM = 64 };

const char *pl_contact_kind(int32_t i)
{
    return i >= 0 && i < N_KINDS ? kinds[i].name : NULL;
}

const char *pl_contact_kind_help(int32_t i)
{
    return i >= 0 && i < N_KINDS ? kinds[i].help : NULL;
}

static const kind *find_kind(const char *text)
{
    size_t length = strcspn(text, ":");
    for (int i = 0; i < N_KINDS; i++) {
        bool same = strlen(kinds[i].name) == length && memcmp(kinds[i].name, text, length) == 0;
        if (same) return &kinds[i];
    }
    return NULL;
}

bool pl_is_contact_kind(const char *text)
{
    return find_kind(text) != NULL;
}

// --- Numbers of a kind ---

static pl_status set_number(const char *name, size_t length, double value, recipe *r)
{
    static const char *const names[] = {"n", "seed", "mu", "ratio", "dt"};
    for (int i = 0; i < 5; i++) {
        if (strlen(names[i]) != length || memcmp(names[i], name, length) != 0) continue;
        bool whole = value == floor(value);
        bool good = i == 0   ? whole && value >= 1 && value <= MOST_BODIES
                    : i == 1 ? whole && value >= 0 && value <= INT32_MAX
                    : i == 2 ? value >= 0
                             : value > 0;
        if (!good || !isfinite(value)) {
            return pl_fail(PL_ERROR_ARGUMENT, "%s=%g is out of range", names[i], value);
        }
        if (i == 0) r->n = (int32_t)value;
        if (i == 1) r->seed = (uint64_t)value;
        if (i == 2) r->mu = value;
        if (i == 3) r->ratio = value;
        if (i == 4) r->dt = value;
        return PL_OK;
    }
    return pl_fail_unknown(PL_ERROR_ARGUMENT, "number", name, length, names, 5);
}

static pl_status read_numbers(const char *text, recipe *r)
{
    while (*text != '\0') {
        size_t length = strcspn(text, ","), name = strcspn(text, "=,");
        char number[NUMBER_ROOM] = {0};
        double value;
        bool fits = name < length && length - name - 1 < sizeof number - PL_DIGITS_STEP;
        if (fits) memcpy(number, text + name + 1, length - name - 1);
        const char *end = fits ? pl_parse_double(number, &value) : NULL;
        if (end == NULL || *end != '\0') {
            return pl_fail(PL_ERROR_ARGUMENT, "\"%.*s\": NAME=NUMBER expected", (int)length, text);
        }
        PL_TRY(set_number(text, name, value, r));
        text += length + (text[length] == ',');
    }
    return PL_OK;
}

// --- The problem ---

// J (9) := the moments of inertia in the world's axes.
static void turn_moments(const body *b, double *J)
{
    for (int e = 0; e < 9; e++) {
        J[e] = 0;
        for (int k = 0; k < 3; k++) {
            J[e] += b->R[3 * k + e / 3] * b->moment[k] * b->R[3 * k + e % 3];
        }
    }
}

static pl_status make_system(const pile *p, pl_problem **out)
{
    int32_t n = 2 * (int32_t)p->n_body;
    int64_t *row = pl_alloc((int64_t)n + 1, sizeof *row);
    int32_t *col = pl_alloc(n, sizeof *col);
    double *val = pl_alloc_zero(9 * (int64_t)n, sizeof *val);
    double *b = pl_alloc_zero(3 * (int64_t)n, sizeof *b);
    bool all = row != NULL && col != NULL && val != NULL && b != NULL;
    for (int32_t i = 0; i < n && all; i++) {
        const body *own = p->body + i / 2;
        const double *u = own->u + 3 * (i % 2);
        double *A = val + 9 * (int64_t)i;
        row[i] = i;
        col[i] = i;
        for (int a = 0; a < 3 && i % 2 == 0; a++) A[4 * a] = own->mass;
        if (i % 2 == 1) turn_moments(own, A);
        for (int e = 0; e < 9; e++) b[3 * (int64_t)i + e / 3] += A[e] * u[e % 3];
        if (i % 2 == 0) b[3 * (int64_t)i + 2] -= p->r.dt * GRAVITY * own->mass;
    }
    if (all) row[n] = n;
    pl_status status = PL_ERROR_MEMORY;
    if (all) status = pl_problem_create(n, row, col, val, b, NULL, p->r.dt, out);
    pl_free(row);
    pl_free(col);
    pl_free(val);
    pl_free(b);
    return status;
}

static pl_status add_constraint(const pile *p, const link *l, pl_problem *problem)
{
    pl_constraint_info info = {.law = l->joint ? PL_LAW_BOX : PL_LAW_CONE, .mu = p->r.mu};
    pl_term term[4];
    int32_t n = 0;
    memcpy(info.axes, l->R, sizeof info.axes);
    for (int a = 0; a < 3 && l->joint; a++) info.lo[a] = -INFINITY, info.hi[a] = INFINITY;
    for (int side = 0; side < 2; side++) {
        int32_t i = side == 0 ? l->b : l->a;
        double w = side == 0 ? 1 : -1;
        if (i < 0) continue;
        term[n++] = (pl_term){.block = 2 * i, .w = w};
        term[n] = (pl_term){.block = 2 * i + 1};
        for (int c = 0; c < 3; c++) term[n].r[c] = w * (l->x[c] - p->body[i].x[c]);
        n++;
    }
    return pl_problem_add_constraint(problem, &info, n, term);
}

static pl_status make(const pile *p, pl_problem **out)
{
    PL_TRY(make_system(p, out));
    for (int64_t k = 0; k < p->n_link; k++) PL_TRY(add_constraint(p, p->link + k, *out));
    return PL_OK;
}

pl_status pl_contacts_generate(const char *text, pl_problem **out)
{
    const kind *k = find_kind(text);
    *out = NULL;
    if (k == NULL) {
        const char *names[N_KINDS];
        for (int i = 0; i < N_KINDS; i++) names[i] = kinds[i].name;
        return pl_fail_unknown(PL_ERROR_ARGUMENT, "kind", text, strcspn(text, ":"), names, N_KINDS);
    }
    pile p = {.r = {.n = k->n, .seed = 1, .mu = 0.5, .ratio = 1, .dt = 0.01}};
    size_t length = strlen(k->name);
    PL_TRY(read_numbers(text + length + (text[length] == ':'), &p.r));
    p.state = p.r.seed;
    pl_status status = PL_OK;
    if (k->make == make_wall && p.r.n > 300) {
        status = pl_fail(PL_ERROR_ARGUMENT, "n=%d: a wall has 300 rows at most", (int)p.r.n);
    }
    if (status == PL_OK) status = k->make(&p);
    if (status == PL_OK) status = make(&p, out);
    pl_free(p.body);
    pl_free(p.link);
    if (status == PL_OK) return PL_OK;
    pl_problem_destroy(*out);
    *out = NULL;
    return status;
}
