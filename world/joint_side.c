// One side of a joint.

#include "joint_side.h"
#include "../rigid/inertia.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// A patch turns a frame if the second of its principal extents is no less than this part of the
// first: else it lies on a line.
static const double LEAST_WIDTH = 1e-3;

// --- Poses ---

static void vertex_at(const pl_world *world, const pl_side *side, int32_t i, const pl_instant *when,
                      double x[3])
{
    int64_t at = 3 * (int64_t)(world->bodies.body[side->body].first + side->vertex[i]);
    for (int k = 0; k < 3; k++) {
        double by = when->v != NULL ? world->dt * when->v[at + k] : 0;
        x[k] = world->state.x[at + k] + by;
    }
}

static void mean_at(const pl_world *world, const pl_side *side, const pl_instant *when,
                    double mean[3])
{
    memset(mean, 0, 3 * sizeof *mean);
    for (int32_t i = 0; i < side->n; i++) {
        double x[3];
        vertex_at(world, side, i, when, x);
        for (int k = 0; k < 3; k++) mean[k] += side->weight[i] * x[k];
    }
}

// A (9) := sum (x_i - mean) r0_i^T of a patch.
static void moments_at(const pl_world *world, const pl_side *side, const pl_instant *when,
                       const double mean[3], double A[9])
{
    memset(A, 0, 9 * sizeof *A);
    for (int32_t i = 0; i < side->n; i++) {
        double x[3];
        vertex_at(world, side, i, when, x);
        for (int k = 0; k < 9; k++)
            A[k] += side->weight[i] * (x[k / 3] - mean[k / 3]) * side->rest[3 * i + k % 3];
    }
}

// q := the R of A = R S. With A^T A = V diag(s^2) V^T, the columns of A V are s_i u_i, and R = U
// V^T. The third u is across the two longest, which makes R a rotation also of a flat patch.
static void nearest_rotation(const double A[9], double q[4])
{
    double square[9], value[3], V[9], U[9], R[9];
    for (int i = 0; i < 9; i++) {
        square[i] = 0;
        for (int k = 0; k < 3; k++) square[i] += A[3 * k + i / 3] * A[3 * k + i % 3];
    }
    pl_symmetric_eigen(square, value, V);
    int least = value[0] < value[1] ? 0 : 1;
    least = value[2] < value[least] ? 2 : least;
    int one = (least + 1) % 3, two = (least + 2) % 3; // (one, two, least) is cyclic
    for (int c = 0; c < 2; c++) {
        int i = c == 0 ? one : two;
        double v[3] = {V[i], V[3 + i], V[6 + i]}, u[3];
        pl_matrix_apply(A, v, u);
        double length = sqrt(pl_dot(u, u));
        for (int k = 0; k < 3; k++) U[3 * i + k] = u[k] / length; // as rows
    }
    pl_cross(U + 3 * one, U + 3 * two, U + 3 * least);
    for (int i = 0; i < 9; i++) {
        R[i] = 0;
        for (int k = 0; k < 3; k++) R[i] += U[3 * k + i / 3] * V[3 * (i % 3) + k];
    }
    pl_rotation_from_matrix(R, q);
}

// How a kinematic body has moved, from where a point and the ends of three unit vectors go.
static void path_pose(const pl_path *path, double t, const double at[3], pl_pose *out)
{
    double x[3], end[3], R[9], moved[3];
    pl_path_apply(path, t, at, x);
    for (int c = 0; c < 3; c++) {
        double e[3] = {at[0] + (c == 0), at[1] + (c == 1), at[2] + (c == 2)};
        pl_path_apply(path, t, e, end);
        for (int k = 0; k < 3; k++) R[3 * k + c] = end[k] - x[k];
    }
    pl_rotation_from_matrix(R, out->q);
    pl_rotation_displace(out->q, at, moved);
    for (int k = 0; k < 3; k++) out->x[k] = x[k] - (at[k] + moved[k]);
}

void pl_side_carrier(const pl_world *world, const pl_side *side, const pl_instant *when,
                     pl_pose *out)
{
    *out = (pl_pose){.q = {1}};
    if (side->kind == PL_SIDE_WORLD) return;
    const pl_world_body *b = &world->bodies.body[side->body];
    if (side->kind == PL_SIDE_RIGID) {
        const pl_rigid *rigid =
            when->v != NULL ? &world->system.rigid_end[b->rigid] : &world->state.rigid[b->rigid];
        memcpy(out->x, rigid->x, sizeof out->x);
        memcpy(out->q, rigid->q, sizeof out->q);
    } else if (side->kind == PL_SIDE_KINEMATIC) {
        path_pose(&b->path, when->v != NULL ? when->t : world->time, side->frame.x, out);
    } else {
        double A[9];
        mean_at(world, side, when, out->x);
        if (side->kind == PL_SIDE_POINT) return;
        moments_at(world, side, when, out->x, A);
        nearest_rotation(A, out->q);
    }
}

void pl_side_pose(const pl_world *world, const pl_side *side, const pl_instant *when, pl_pose *out)
{
    pl_pose carrier;
    pl_side_carrier(world, side, when, &carrier);
    pl_pose_compose(&carrier, &side->frame, out);
}

// --- Making one ---

void pl_side_free(pl_side *side)
{
    pl_free(side->vertex);
    pl_free(side->weight);
    pl_free(side->rest);
    *side = (pl_side){0};
}

static pl_status allocate(int32_t n, pl_side *side)
{
    side->n = n;
    side->vertex = pl_alloc(n, sizeof *side->vertex);
    side->weight = pl_alloc(n, sizeof *side->weight);
    side->rest = pl_alloc_zero(3 * (int64_t)n, sizeof *side->rest);
    bool ok = side->vertex != NULL && side->weight != NULL && side->rest != NULL;
    return ok ? PL_OK : PL_ERROR_MEMORY;
}

// The tet of the body that has the point in it, or the nearest, where the body is now.
static pl_status find_tet(const pl_world *world, const pl_world_body *b, const double x[3],
                          pl_side *side)
{
    pl_mesh *now;
    pl_place place;
    PL_TRY(pl_mesh_copy(b->mesh, &now));
    pl_status status = pl_mesh_set_positions(now, world->published.x + 3 * (int64_t)b->published);
    if (status == PL_OK) status = pl_mesh_locate(now, false, 1, x, &place);
    if (status == PL_OK && place.element < 0)
        status = pl_fail(PL_ERROR_ARGUMENT, "the point is too far from the body");
    if (status == PL_OK) status = allocate(4, side);
    double rest = 1;
    for (int k = 3; status == PL_OK && k >= 0; k--) {
        side->vertex[k] = b->rank[pl_mesh_tets(now)[4 * (int64_t)place.element + k]];
        side->weight[k] = k > 0 ? place.weight[k - 1] : rest;
        rest -= side->weight[k];
    }
    pl_mesh_destroy(now);
    return status;
}

typedef struct near_vertex {
    double distance;
    int32_t vertex;
} near_vertex;

static int compare_near(const void *a, const void *b)
{
    const near_vertex *p = a, *q = b;
    if (p->distance != q->distance) return p->distance < q->distance ? -1 : 1;
    return p->vertex < q->vertex ? -1 : p->vertex > q->vertex;
}

// The vertices within `patch` of the point, the nearest first.
static pl_status find_patch(const pl_world *world, const pl_world_body *b, const double x[3],
                            double patch, const char *name, pl_side *side)
{
    near_vertex *near = pl_alloc(b->mesh->n_vert, sizeof *near);
    int32_t n = 0;
    if (near == NULL) return PL_ERROR_MEMORY;
    for (int32_t i = 0; i < b->mesh->n_vert; i++) {
        double d[3];
        pl_subtract(world->state.x + 3 * (int64_t)(b->first + i), x, d);
        double distance = sqrt(pl_dot(d, d));
        if (distance <= patch) near[n++] = (near_vertex){distance, i};
    }
    qsort(near, (size_t)n, sizeof *near, compare_near);
    n = PL_MIN(n, PL_PATCH_MOST);
    pl_status status = n >= 3 ? allocate(n, side)
                              : pl_fail(PL_ERROR_ARGUMENT,
                                        "patch: %s has %d vertices within %g m of the point; a "
                                        "patch needs 3 or more",
                                        name, (int)n, patch);
    for (int32_t i = 0; status == PL_OK && i < n; i++) {
        side->vertex[i] = near[i].vertex;
        side->weight[i] = 1.0 / n;
    }
    pl_free(near);
    return status;
}

// r0 := where the vertices of a patch are now about their mean. Fails if they lie on a line.
static pl_status take_rest(const pl_world *world, const char *name, pl_side *side)
{
    double mean[3], A[9], value[3], axes[9];
    const pl_instant now = {0};
    mean_at(world, side, &now, mean);
    for (int32_t i = 0; i < side->n; i++) {
        double x[3];
        vertex_at(world, side, i, &now, x);
        pl_subtract(x, mean, side->rest + 3 * i);
    }
    moments_at(world, side, &now, mean, A);
    pl_symmetric_eigen(A, value, axes);
    double sum = value[0] + value[1] + value[2];
    double most = fmax(value[0], fmax(value[1], value[2]));
    double least = fmin(value[0], fmin(value[1], value[2]));
    if (sum - most - least > LEAST_WIDTH * LEAST_WIDTH * most) return PL_OK;
    return pl_fail(PL_ERROR_ARGUMENT, "patch: the vertices of %s lie on a line; take more", name);
}

static pl_status make(const pl_world *world, const pl_pose *at, double patch, bool turns,
                      pl_side *side)
{
    const pl_world_body *b = &world->bodies.body[side->body];
    const pl_instant now = {0};
    char text[PL_BODY_NAME];
    const char *name = pl_world_body_name(world, side->body, text);
    if (b->kind == PL_BODY_RIGID) side->kind = PL_SIDE_RIGID;
    if (b->kind == PL_BODY_KINEMATIC) {
        side->kind = PL_SIDE_KINEMATIC; // whose pose is exact at the point of the frame
        memcpy(side->frame.x, at->x, sizeof at->x);
    }
    if (b->kind == PL_BODY_DEFORMABLE) {
        if (turns && patch == 0) {
            return pl_fail(
                PL_ERROR_ARGUMENT,
                "a point of %s turns no frame: set a patch, or take a ball or a distance", name);
        }
        side->kind = patch > 0 ? PL_SIDE_PATCH : PL_SIDE_POINT;
        PL_TRY(patch > 0 ? find_patch(world, b, at->x, patch, name, side)
                         : find_tet(world, b, at->x, side));
        if (patch > 0) PL_TRY(take_rest(world, name, side));
    }
    pl_pose carrier;
    pl_side_carrier(world, side, &now, &carrier);
    pl_pose_relative(&carrier, at, &side->frame);
    return PL_OK;
}

pl_status pl_side_create(const pl_world *world, int32_t place, const pl_pose *at, double patch,
                         bool turns, pl_side *out)
{
    *out = (pl_side){.kind = PL_SIDE_WORLD, .body = place, .frame = *at};
    if (place < 0) return PL_OK;
    pl_status status = make(world, at, patch, turns, out);
    if (status != PL_OK) pl_side_free(out);
    return status;
}

// --- Rows ---

// K of a patch is symmetric and positive definite: its inverse by cofactors.
static void invert(const double K[9], double out[9])
{
    double c[9];
    pl_cross(K + 3, K + 6, c);
    pl_cross(K + 6, K, c + 3);
    pl_cross(K, K + 3, c + 6);
    double det = pl_dot(K, c);
    for (int k = 0; k < 9; k++) out[k] = c[k] / det;
}

void pl_side_begin(const pl_world *world, pl_side *side)
{
    const pl_instant now = {0};
    double A[9], R[9], T[9], K[9];
    pl_side_carrier(world, side, &now, &side->carrier);
    if (side->kind != PL_SIDE_PATCH) return;
    moments_at(world, side, &now, side->carrier.x, A);
    pl_rotation_matrix(side->carrier.q, R);
    for (int i = 0; i < 9; i++) { // T = A R^T
        const double *a = A + 3 * (i / 3), *r = R + 3 * (i % 3);
        T[i] = pl_dot(a, r);
    }
    double trace = T[0] + T[4] + T[8];
    for (int i = 0; i < 9; i++)
        K[i] = (i % 4 == 0 ? trace : 0) - 0.5 * (T[i] + T[3 * (i % 3) + i / 3]);
    invert(K, side->inverse);
}

static void add(int64_t block, const double d[3], double scale, pl_gradient *g)
{
    PL_ASSERT(g->n < PL_GRADIENT_MOST);
    g->block[g->n] = (int32_t)block;
    for (int k = 0; k < 3; k++) g->d[g->n][k] = scale * d[k];
    g->n++;
}

void pl_gradient_add_turning(const pl_world *world, const pl_side *side, const double e[3],
                             double scale, pl_gradient *gradient)
{
    const pl_world_body *b = side->body >= 0 ? &world->bodies.body[side->body] : NULL;
    if (side->kind == PL_SIDE_RIGID)
        add(pl_world_rigid_block(world, b->rigid) + 1, e, scale, gradient);
    if (side->kind != PL_SIDE_PATCH) return;
    // e . K^-1 sum (R r0) x v = sum v . (K^-1 e x R r0)
    double R[9], about[3];
    pl_rotation_matrix(side->carrier.q, R);
    pl_matrix_apply(side->inverse, e, about);
    for (int32_t i = 0; i < side->n; i++) {
        double r[3], d[3];
        pl_matrix_apply(R, side->rest + 3 * i, r);
        pl_cross(about, r, d);
        add(b->first + side->vertex[i], d, side->weight[i] * scale, gradient);
    }
}

void pl_gradient_add_point(const pl_world *world, const pl_side *side, const double p[3],
                           const double d[3], double scale, pl_gradient *gradient)
{
    if (side->kind == PL_SIDE_WORLD || side->kind == PL_SIDE_KINEMATIC) return;
    const pl_world_body *b = &world->bodies.body[side->body];
    double arm[3], torque[3];
    if (side->kind == PL_SIDE_RIGID) {
        add(pl_world_rigid_block(world, b->rigid), d, scale, gradient);
    } else {
        for (int32_t i = 0; i < side->n; i++)
            add(b->first + side->vertex[i], d, side->weight[i] * scale, gradient);
        if (side->kind == PL_SIDE_POINT) return;
    }
    pl_subtract(p, side->carrier.x, arm);
    pl_cross(arm, d, torque);
    pl_gradient_add_turning(world, side, torque, scale, gradient);
}
