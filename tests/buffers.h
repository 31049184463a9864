// For the tests of formats that hold solids: files made in memory, a solid to write and read back,
// and VTK as the other side.

#ifndef PL_TESTS_BUFFERS_H
#define PL_TESTS_BUFFERS_H

#include "files.h"

#include <sys/wait.h>

// --- Files in memory ---

typedef struct buffer {
    char *data;
    size_t size, capacity;
    bool swap; // numbers are written in the other byte order
} buffer;

static inline void put_bytes(buffer *b, const void *data, size_t size)
{
    if (b->size + size > b->capacity) {
        b->capacity = 2 * (b->size + size);
        b->data = realloc(b->data, b->capacity);
        TEST_ASSERT_NOT_NULL(b->data);
    }
    if (size > 0) memcpy(b->data + b->size, data, size);
    b->size += size;
}

static inline void put_text(buffer *b, const char *text)
{
    put_bytes(b, text, strlen(text));
}

static inline void put_number(buffer *b, void *value, size_t size)
{
    if (b->swap) pl_swap_bytes(value, size, 1);
    put_bytes(b, value, size);
}

static inline void put_i32(buffer *b, int32_t value)
{
    put_number(b, &value, sizeof value);
}

static inline void put_i64(buffer *b, int64_t value)
{
    put_number(b, &value, sizeof value);
}

static inline void put_f64(buffer *b, double value)
{
    put_number(b, &value, sizeof value);
}

static inline void free_buffer(buffer *b)
{
    free(b->data);
    *b = (buffer){0};
}

// --- Damage ---

static inline sample sample_of(pl_read_fn *read, const buffer *b)
{
    return (sample){b->data, b->size, "test", read};
}

static inline void check_damage(pl_read_fn *read, const buffer *b, size_t needed)
{
    sample s = sample_of(read, b);
    damage(&s, needed);
}

static inline void check_read_allocations(pl_read_fn *read, const buffer *b)
{
    sample s = sample_of(read, b);
    fail_each_allocation(read_sample, &s);
}

// --- A mesh ---

// A grid of n^3 cubes of 6 tets, and the faces of its first tets; `step` apart.
static inline pl_mesh *make_grid(int n, double step, int32_t n_face)
{
    static const int corner[6][4] = {{0, 1, 3, 7}, {0, 1, 7, 5}, {0, 5, 7, 4},
                                     {0, 3, 2, 7}, {0, 4, 7, 6}, {0, 6, 7, 2}};
    int s = n + 1;
    pl_mesh *mesh;
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_alloc(s * s * s, n_face, 6 * n * n * n, &mesh));
    for (int v = 0; v < s * s * s; v++) {
        mesh->x[3 * v] = step * (v / (s * s));
        mesh->x[3 * v + 1] = step * (v / s % s);
        mesh->x[3 * v + 2] = step * (1 - v % s);
    }
    for (int t = 0; t < 6 * n * n * n; t++) {
        int cube = t / 6, i = cube / (n * n), j = cube / n % n, k = cube % n;
        for (int c = 0; c < 4; c++) {
            int b = corner[t % 6][c];
            mesh->tet[4 * t + c] = ((i + (b & 1)) * s + j + (b >> 1 & 1)) * s + k + (b >> 2 & 1);
        }
    }
    for (int f = 0; f < n_face; f++) {
        for (int c = 0; c < 3; c++) mesh->face[3 * f + c] = mesh->tet[4 * f + c];
    }
    return mesh;
}

// Positions that only an exact round trip keeps.
static inline void roughen(pl_mesh *mesh)
{
    static const double odd[] = {
        0.1, 1.0 / 3, -0.0, 5e-324, 1.7976931348623157e308, 2.5e-17, 1e22, 123456789.123456789};
    for (int i = 0; i < 8 && i < 3 * mesh->n_vert; i++) mesh->x[i] = odd[i];
}

// --- VTK ---

// Runs tests/check_vtu.py with Debian's Python, which has VTK; returns its exit status.
static inline int run_vtk(const char *arguments)
{
    char command[1024];
    snprintf(command, sizeof command, "/usr/bin/python3 tests/check_vtu.py %s", arguments);
    int status = system(command);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static inline bool has_vtk(void)
{
    return access("tests/check_vtu.py", R_OK) == 0 && run_vtk("probe") == 0;
}

#endif
