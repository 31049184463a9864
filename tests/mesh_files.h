// What the tests of mesh files share: files made in memory, damage of all kinds, memory that runs
// out, and a small mesh to write and read back.

#ifndef MESH_FILES_H
#define MESH_FILES_H

#include "../meshes/io.h"
#include "failing_alloc.h"
#include "unity.h"

#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

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

static inline buffer load_buffer(const char *path)
{
    buffer b = {0};
    pl_bytes bytes;
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_bytes_load(path, &bytes), path);
    put_bytes(&b, bytes.data, bytes.size);
    pl_bytes_free(&bytes);
    return b;
}

static inline void free_buffer(buffer *b)
{
    free(b->data);
    *b = (buffer){0};
}

// --- Reading ---

static inline pl_status read_bytes(pl_read_fn *read, const void *data, size_t size, pl_mesh **out)
{
    pl_bytes bytes;
    pl_status status = pl_bytes_copy(data, size, &bytes);
    *out = NULL;
    if (status == PL_OK) status = read(&bytes, "test", out);
    pl_bytes_free(&bytes);
    return status;
}

static inline pl_mesh *read_good(pl_read_fn *read, const void *data, size_t size)
{
    pl_mesh *mesh;
    pl_status status = read_bytes(read, data, size, &mesh);
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, status, pl_error_text());
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_validate(mesh));
    return mesh;
}

static inline pl_mesh *read_good_file(pl_read_fn *read, const char *path)
{
    buffer b = load_buffer(path);
    pl_mesh *mesh;
    pl_status status = read_bytes(read, b.data, b.size, &mesh);
    if (status != PL_OK) {
        fprintf(stderr, "%s: %s\n", path, pl_error_text());
        TEST_FAIL_MESSAGE(path);
    }
    free_buffer(&b);
    return mesh;
}

// The content is refused, and the text holds `part`.
static inline void expect_error(pl_read_fn *read, const void *data, size_t size, pl_status expected,
                                const char *part)
{
    pl_mesh *mesh;
    pl_status status = read_bytes(read, data, size, &mesh);
    if (status == expected && strstr(pl_error_text(), part) != NULL) {
        TEST_ASSERT_NULL(mesh);
        return;
    }
    char text[1500];
    snprintf(text, sizeof text, "expected \"%s\" (%s), got \"%s\" (%s)", part,
             pl_status_name(expected), status == PL_OK ? "" : pl_error_text(),
             pl_status_name(status));
    TEST_FAIL_MESSAGE(text);
}

static inline void expect_text_error(pl_read_fn *read, const char *text, const char *part)
{
    expect_error(read, text, strlen(text), PL_ERROR_FORMAT, part);
}

// --- Damage ---

// Every beginning of a file is refused or read, but never believed beyond its end: run these under
// a sanitizer. From `needed` bytes on the file may be good.
static inline void check_truncations(pl_read_fn *read, const buffer *b, size_t needed)
{
    for (size_t size = 0; size < b->size; size++) {
        pl_mesh *mesh;
        pl_status status = read_bytes(read, b->data, size, &mesh);
        char text[64];
        snprintf(text, sizeof text, "cut to %zu bytes of %zu", size, b->size);
        if (size < needed) {
            TEST_ASSERT_NOT_EQUAL_MESSAGE(PL_OK, status, text);
        }
        TEST_ASSERT_EQUAL(status == PL_OK, mesh != NULL);
        pl_mesh_destroy(mesh);
    }
}

// Every byte in turn is replaced by some others; whatever is read must be a valid mesh.
static inline void check_mutations(pl_read_fn *read, const buffer *b)
{
    static const unsigned char values[] = {0, 0xff, 0x7f, '9', '-', ' ', '<', '\n'};
    for (size_t i = 0; i < b->size; i++) {
        char before = b->data[i];
        for (size_t k = 0; k < sizeof values; k++) {
            b->data[i] = (char)values[k];
            pl_mesh *mesh;
            if (read_bytes(read, b->data, b->size, &mesh) == PL_OK) {
                TEST_ASSERT_EQUAL(PL_OK, pl_mesh_validate(mesh));
            }
            pl_mesh_destroy(mesh);
        }
        b->data[i] = before;
    }
}

// --- Memory that runs out ---

// Runs `job` with its first, second, ... allocation failing, until it succeeds. Each failure must
// be reported as such and leave nothing behind.
static inline void check_allocations(pl_status (*job)(void *), void *user)
{
    pl_status status = PL_ERROR_MEMORY;
    int64_t n = 0;
    for (; status == PL_ERROR_MEMORY && n < 10000; n++) {
        fail_nth(n);
        status = job(user);
        TEST_ASSERT_EQUAL_INT64_MESSAGE(0, live_blocks, "blocks left");
    }
    fail_never();
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, status, pl_error_text());
    TEST_ASSERT_GREATER_THAN_INT64(2, n); // some did fail
}

typedef struct read_job {
    pl_read_fn *read;
    const buffer *file;
} read_job;

static inline pl_status run_read_job(void *user)
{
    read_job *job = user;
    pl_mesh *mesh;
    pl_status status = read_bytes(job->read, job->file->data, job->file->size, &mesh);
    pl_mesh_destroy(mesh);
    return status;
}

static inline void check_read_allocations(pl_read_fn *read, const buffer *file)
{
    check_allocations(run_read_job, &(read_job){read, file});
}

// --- Log ---

static char last_log[1024];
static int log_count;

static inline void keep_log(pl_log_level level, const char *text, void *user)
{
    (void)user;
    TEST_ASSERT_EQUAL(PL_LOG_WARNING, level);
    snprintf(last_log, sizeof last_log, "%s", text);
    log_count++;
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

static inline void expect_same(const pl_mesh *a, const pl_mesh *b)
{
    TEST_ASSERT_EQUAL(a->n_vert, b->n_vert);
    TEST_ASSERT_EQUAL(a->n_face, b->n_face);
    TEST_ASSERT_EQUAL(a->n_tet, b->n_tet);
    TEST_ASSERT_EQUAL(0, memcmp(a->x, b->x, 3 * (size_t)a->n_vert * sizeof *a->x));
    TEST_ASSERT_EQUAL(0, memcmp(a->face, b->face, 3 * (size_t)a->n_face * sizeof *a->face));
    TEST_ASSERT_EQUAL(0, memcmp(a->tet, b->tet, 4 * (size_t)a->n_tet * sizeof *a->tet));
}

// Positions that only an exact round trip keeps.
static inline void roughen(pl_mesh *mesh)
{
    static const double odd[] = {
        0.1, 1.0 / 3, -0.0, 5e-324, 1.7976931348623157e308, 2.5e-17, 1e22, 123456789.123456789};
    for (int i = 0; i < 8 && i < 3 * mesh->n_vert; i++) mesh->x[i] = odd[i];
}

// --- Places ---

// A directory of this run's own; removed by remove_directory.
static inline const char *make_directory(void)
{
    static char path[64];
    snprintf(path, sizeof path, "/tmp/pliant-test-XXXXXX");
    TEST_ASSERT_NOT_NULL(mkdtemp(path));
    return path;
}

static inline void remove_directory(const char *path)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", path);
    TEST_ASSERT_EQUAL(0, system(command));
}

static inline const char *path_in(const char *directory, const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    return path;
}

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
