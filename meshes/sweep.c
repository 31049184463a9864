#include "sweep.h"
#include "neighbours.h"
#include "predicates.h"

#include <math.h>
#include <string.h>

#define TAU 6.283185307179586476925286766559

void pl_section_free(pl_section *s)
{
    pl_free(s->point);
    pl_free(s->tri);
}

pl_status pl_section_alloc(int64_t n_point, int64_t n_tri, pl_section *s)
{
    *s = (pl_section){(int32_t)n_point, (int32_t)n_tri, NULL, NULL};
    if (n_point > PL_MESH_MAX || n_tri > PL_MESH_MAX) {
        return pl_fail(PL_ERROR_ARGUMENT, "too many cells");
    }
    s->point = pl_alloc(2 * n_point, sizeof *s->point);
    s->tri = pl_alloc(3 * n_tri, sizeof *s->tri);
    if (s->point != NULL && s->tri != NULL) return PL_OK;
    pl_section_free(s);
    return PL_ERROR_MEMORY;
}

void pl_section_add(pl_section *s, int32_t *n, int32_t a, int32_t b, int32_t c)
{
    int32_t *t = s->tri + 3 * (int64_t)(*n)++;
    t[0] = a;
    t[1] = b;
    t[2] = c;
}

pl_status pl_finish_solid(pl_mesh *mesh, pl_mesh **out)
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

void pl_add_prism(pl_mesh *mesh, int64_t *n, const int32_t corner[3], int32_t a, int32_t b)
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

pl_status pl_sweep(pl_section *s, int32_t stations, bool closed, pl_place_fn *place,
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
                pl_add_prism(mesh, &n, s->tri + 3 * (int64_t)t, a, b);
        }
        status = pl_finish_solid(mesh, out);
    }
    pl_section_free(s);
    return status;
}

// --- Sections ---

static bool in_hole(const pl_rectangle *hole, int n_hole, int32_t x, int32_t y,
                    bool interior_vertex)
{
    for (int i = 0; i < n_hole; i++) {
        const pl_rectangle *h = &hole[i];
        int32_t least = interior_vertex ? 1 : 0;
        if (x >= h->x + least && x < h->x + h->width && y >= h->y + least && y < h->y + h->height) {
            return true;
        }
    }
    return false;
}

pl_status pl_section_grid(const double size[2], const int32_t cells[2], const pl_rectangle *hole,
                          int n_hole, pl_section *s)
{
    int64_t n_vert = ((int64_t)cells[0] + 1) * (cells[1] + 1),
            n_cell = (int64_t)cells[0] * cells[1];
    for (int i = 0; i < n_hole; i++) {
        n_vert -= (hole[i].width - 1) * (hole[i].height - 1);
        n_cell -= hole[i].width * hole[i].height;
    }
    PL_TRY(pl_section_alloc(n_vert, 2 * n_cell, s));
    int32_t row = cells[0] + 1;
    int32_t *number = pl_alloc((int64_t)row * (cells[1] + 1), sizeof *number);
    if (number == NULL) {
        pl_section_free(s);
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
            pl_section_add(s, &n, v[0], v[1], v[row + 1]);
            pl_section_add(s, &n, v[0], v[row + 1], v[row]);
        }
    }
    pl_free(number);
    return PL_OK;
}

pl_status pl_section_disc(double radius, int32_t around, int32_t rings, pl_section *s)
{
    PL_TRY(pl_section_alloc(1 + (int64_t)around * rings, (int64_t)around * (2 * rings - 1), s));
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
        pl_section_add(s, &n, 0, 1 + i, 1 + next);
        for (int32_t r = 1; r < rings; r++) {
            int32_t inner = 1 + (r - 1) * around, outer = inner + around;
            pl_section_add(s, &n, inner + i, outer + i, outer + next);
            pl_section_add(s, &n, inner + i, outer + next, inner + next);
        }
    }
    return PL_OK;
}
