// Surfaces for tests: scans, spheres, soups.

#ifndef TEST_SURFACES_H
#define TEST_SURFACES_H

#include "failing_alloc.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- Random numbers, the same everywhere ---

static uint64_t random_state = 88172645463325252u;

static inline uint64_t random_bits(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

static inline double random_unit(void)
{
    return (double)(random_bits() >> 11) * 0x1p-53;
}

static inline int random_int(int n)
{
    return (int)((random_bits() >> 32) % (uint64_t)n);
}

// --- Meshes ---

static inline pl_mesh *make_mesh(int32_t n_vert, const double *x, int32_t n_face,
                                 const int32_t *face)
{
    pl_mesh *mesh = NULL;
    TEST_ASSERT_EQUAL_INT(PL_OK, pl_mesh_create(n_vert, x, n_face, face, 0, NULL, &mesh));
    return mesh;
}

// Reads a scan by name, or ends the test as ignored if it has not been fetched.
static inline pl_mesh *load_scan(const char *name)
{
    const char *folder = getenv("SCANS_DIR");
    char path[512];
    snprintf(path, sizeof path, "%s/%s.off", folder != NULL ? folder : "build/scans", name);
    FILE *file = fopen(path, "r");
    if (file == NULL) TEST_IGNORE_MESSAGE("skipped: no scans in build/scans");
    int n_vert = 0, n_face = 0, n_edge = 0;
    TEST_ASSERT_EQUAL_INT(3, fscanf(file, "OFF %d %d %d", &n_vert, &n_face, &n_edge));
    double *x = malloc(3 * (size_t)n_vert * sizeof *x);
    int32_t *face = malloc(3 * (size_t)n_face * sizeof *face);
    for (int i = 0; i < 3 * n_vert; i++) TEST_ASSERT_EQUAL_INT(1, fscanf(file, "%lf", &x[i]));
    for (int i = 0; i < n_face; i++) {
        int32_t *f = face + 3 * i;
        TEST_ASSERT_EQUAL_INT(3, fscanf(file, "%*d %d %d %d", &f[0], &f[1], &f[2]));
    }
    fclose(file);
    pl_mesh *mesh = make_mesh(n_vert, x, n_face, face);
    free(x);
    free(face);
    return mesh;
}

static inline void set3(int32_t *to, int32_t a, int32_t b, int32_t c)
{
    to[0] = a;
    to[1] = b;
    to[2] = c;
}

// A sphere of 2 * around * (along - 1) faces, its poles on the z axis, outward.
static inline pl_mesh *make_sphere(const double centre[3], double radius, int around, int along)
{
    int n_vert = around * (along - 1) + 2, n_face = 0, north = n_vert - 2, south = n_vert - 1;
    double *x = malloc(3 * (size_t)n_vert * sizeof *x);
    int32_t *face = malloc(6 * (size_t)around * (size_t)along * sizeof *face);
    const double pi = 3.14159265358979323846;
    for (int i = 0; i < n_vert; i++) {
        int ring = i / around + 1;
        double theta = i == north ? 0 : i == south ? pi : pi * ring / along;
        double phi = 2 * pi * (i % around + 0.5 * ring) / around;
        double width = i >= north ? 0 : radius * sin(theta);
        x[3 * i] = centre[0] + width * cos(phi);
        x[3 * i + 1] = centre[1] + width * sin(phi);
        x[3 * i + 2] = centre[2] + radius * cos(theta);
    }
    for (int k = 0; k < around; k++) {
        int l = (k + 1) % around, last = (along - 2) * around;
        set3(face + 3 * n_face++, north, k, l);
        set3(face + 3 * n_face++, south, last + l, last + k);
        for (int r = 0; r + 2 < along; r++) { // each ring is turned by half a step
            int up = r * around, down = up + around;
            set3(face + 3 * n_face++, up + k, down + k, up + l);
            set3(face + 3 * n_face++, up + l, down + k, down + l);
        }
    }
    pl_mesh *mesh = make_mesh(n_vert, x, n_face, face);
    free(x);
    free(face);
    return mesh;
}

// Two meshes as one.
static inline pl_mesh *join_meshes(const pl_mesh *a, const pl_mesh *b)
{
    int na = pl_mesh_vertex_count(a), nb = pl_mesh_vertex_count(b);
    int fa = pl_mesh_face_count(a), fb = pl_mesh_face_count(b);
    double *x = malloc(3 * (size_t)(na + nb) * sizeof *x);
    int32_t *face = malloc(3 * (size_t)(fa + fb) * sizeof *face);
    memcpy(x, pl_mesh_positions(a), 3 * (size_t)na * sizeof *x);
    memcpy(x + 3 * na, pl_mesh_positions(b), 3 * (size_t)nb * sizeof *x);
    memcpy(face, pl_mesh_faces(a), 3 * (size_t)fa * sizeof *face);
    for (int i = 0; i < 3 * fb; i++) face[3 * fa + i] = pl_mesh_faces(b)[i] + na;
    pl_mesh *mesh = make_mesh(na + nb, x, fa + fb, face);
    free(x);
    free(face);
    return mesh;
}

// Every face with vertices of its own, as STL files have it.
static inline pl_mesh *make_soup(const pl_mesh *mesh)
{
    int n = pl_mesh_face_count(mesh);
    double *x = malloc(9 * (size_t)n * sizeof *x);
    int32_t *face = malloc(3 * (size_t)n * sizeof *face);
    for (int i = 0; i < 3 * n; i++) {
        memcpy(x + 3 * i, pl_mesh_positions(mesh) + 3 * pl_mesh_faces(mesh)[i], 3 * sizeof *x);
        face[i] = i;
    }
    pl_mesh *soup = make_mesh(3 * n, x, n, face);
    free(x);
    free(face);
    return soup;
}

static inline bool same_mesh(const pl_mesh *a, const pl_mesh *b)
{
    size_t n_vert = (size_t)pl_mesh_vertex_count(a), n_face = (size_t)pl_mesh_face_count(a);
    return n_vert == (size_t)pl_mesh_vertex_count(b) && n_face == (size_t)pl_mesh_face_count(b) &&
           memcmp(pl_mesh_positions(a), pl_mesh_positions(b), 3 * n_vert * sizeof(double)) == 0 &&
           memcmp(pl_mesh_faces(a), pl_mesh_faces(b), 3 * n_face * sizeof(int32_t)) == 0;
}

#endif
