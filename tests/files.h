// What the tests of mesh files share: reading from memory, expecting failures, files in a directory
// of their own, damage.

#ifndef PL_TESTS_FILES_H
#define PL_TESTS_FILES_H

#include "../meshes/io.h"
#include "failing_alloc.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <unity.h>

// --- Reading ---

static inline pl_mesh *read_bytes(const void *data, size_t size, const char *name)
{
    pl_mesh *mesh;
    pl_status status = pl_mesh_read_memory(data, size, name, &mesh);
    if (status != PL_OK) TEST_FAIL_MESSAGE(pl_error_text());
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_validate(mesh));
    return mesh;
}

static inline pl_mesh *read_text(const char *text, const char *name)
{
    return read_bytes(text, strlen(text), name);
}

// Reading must fail with `status`, and the text must hold `part`.
static inline void refuse_bytes(const void *data, size_t size, const char *name, pl_status status,
                                const char *part)
{
    pl_mesh *mesh = (pl_mesh *)1;
    TEST_ASSERT_EQUAL_MESSAGE(status, pl_mesh_read_memory(data, size, name, &mesh), part);
    TEST_ASSERT_NULL(mesh);
    if (strstr(pl_error_text(), part) == NULL) {
        char message[2048];
        snprintf(message, sizeof message, "expected \"%s\" in \"%s\"", part, pl_error_text());
        TEST_FAIL_MESSAGE(message);
    }
}

// A literal that may hold zero bytes, with its size.
#define LITERAL(text) text, sizeof(text) - 1

static inline void refuse_text(const char *text, const char *name, const char *part)
{
    refuse_bytes(text, strlen(text), name, PL_ERROR_FORMAT, part);
}

// --- Comparing ---

static inline void expect_counts(const pl_mesh *mesh, int n_vert, int n_face)
{
    TEST_ASSERT_EQUAL_INT(n_vert, pl_mesh_vertex_count(mesh));
    TEST_ASSERT_EQUAL_INT(n_face, pl_mesh_face_count(mesh));
}

static inline void expect_face(const pl_mesh *mesh, int i, int a, int b, int c)
{
    const int32_t expected[3] = {a, b, c};
    TEST_ASSERT_EQUAL_INT32_ARRAY(expected, pl_mesh_faces(mesh) + 3 * i, 3);
}

static inline void expect_vertex(const pl_mesh *mesh, int i, double x, double y, double z)
{
    const double expected[3] = {x, y, z};
    TEST_ASSERT_EQUAL_MEMORY(expected, pl_mesh_positions(mesh) + 3 * i, sizeof expected);
}

// The same vertices and faces, bit for bit.
static inline void expect_same(const pl_mesh *a, const pl_mesh *b)
{
    expect_counts(b, pl_mesh_vertex_count(a), pl_mesh_face_count(a));
    if (a->n_vert > 0) TEST_ASSERT_EQUAL_MEMORY(a->x, b->x, 24 * (size_t)a->n_vert);
    if (a->n_face > 0) TEST_ASSERT_EQUAL_MEMORY(a->face, b->face, 12 * (size_t)a->n_face);
}

// --- A directory for the files of a test ---

static char test_directory[64];

static inline void make_directory(void)
{
    strcpy(test_directory, "/tmp/pliant-test-XXXXXX");
    TEST_ASSERT_NOT_NULL(mkdtemp(test_directory));
}

// Removes the directory, which holds files only; returns how many there were.
static inline int remove_directory(void)
{
    int n = 0;
    DIR *directory = opendir(test_directory);
    for (struct dirent *entry; directory != NULL && (entry = readdir(directory)) != NULL;) {
        if (entry->d_name[0] == '.') continue;
        char path[512];
        snprintf(path, sizeof path, "%s/%s", test_directory, entry->d_name);
        unlink(path);
        n++;
    }
    if (directory != NULL) closedir(directory);
    rmdir(test_directory);
    return n;
}

static inline const char *path_of(const char *name)
{
    static char path[512];
    snprintf(path, sizeof path, "%s/%s", test_directory, name);
    return path;
}

static inline void save(const char *path, const void *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    TEST_ASSERT_NOT_NULL(file);
    TEST_ASSERT_EQUAL_UINT64(size, fwrite(data, 1, size, file));
    fclose(file);
}

// --- Memory that runs out ---

// Calls `run` with the first allocation failing, then the second, ... until it succeeds: each
// failure must be PL_ERROR_MEMORY and leave no block behind. `run` destroys what it makes.
static inline void fail_each_allocation(pl_status (*run)(const void *), const void *argument)
{
    pl_status status = PL_ERROR_MEMORY;
    int64_t n = 0;
    for (; status == PL_ERROR_MEMORY && n < 1000; n++) {
        fail_nth(n);
        status = run(argument);
        TEST_ASSERT_EQUAL_INT64(0, live_blocks);
    }
    fail_never();
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, status, pl_error_text());
    TEST_ASSERT_GREATER_THAN_INT64(2, n); // some did fail
}

typedef struct sample {
    const void *data;
    size_t size;
    const char *name;
} sample;

static inline pl_status read_sample(const void *argument)
{
    const sample *s = argument;
    pl_mesh *mesh;
    pl_status status = pl_mesh_read_memory(s->data, s->size, s->name, &mesh);
    pl_mesh_destroy(mesh);
    return status;
}

// --- Damage ---

// Reads `s` cut off at every length, then with every byte replaced by a few others: whatever comes
// out must be an error with a text or a valid mesh. Returns how many of the cut ones were read.
static inline int damage(const sample *s)
{
    static const unsigned char values[] = {0, '\n', ' ', '-', '0', '9', '.', '/', 0x7f, 0x80, 0xff};
    int n_read = 0;
    char *copy = malloc(s->size);
    memcpy(copy, s->data, s->size);
    for (size_t i = 0; i < s->size * (1 + sizeof values); i++) {
        size_t at = i % s->size, round = i / s->size;
        if (round > 0) copy[at] = (char)values[round - 1];
        pl_mesh *mesh;
        pl_status status = pl_mesh_read_memory(copy, round == 0 ? at : s->size, s->name, &mesh);
        copy[at] = ((const char *)s->data)[at];
        if (status == PL_OK) {
            TEST_ASSERT_EQUAL(PL_OK, pl_mesh_validate(mesh));
            n_read += round == 0;
        } else {
            TEST_ASSERT_NULL(mesh);
            TEST_ASSERT_NOT_NULL(strstr(pl_error_text(), s->name));
        }
        pl_mesh_destroy(mesh);
    }
    free(copy);
    return n_read;
}

// --- Warnings ---

static char last_warning[512];

static inline void keep_warning(pl_log_level level, const char *text, void *user)
{
    (void)user;
    if (level == PL_LOG_WARNING) snprintf(last_warning, sizeof last_warning, "%s", text);
}

static inline void expect_warning(const char *part)
{
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(last_warning, part), last_warning);
    last_warning[0] = '\0';
}

#endif
