// What the tests of mesh files share: reading from memory, expecting failures, files in a directory
// of their own, damage, warnings.

#ifndef PL_TESTS_FILES_H
#define PL_TESTS_FILES_H

#include "../meshes/io.h"
#include "failing_alloc.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

// --- Samples ---

typedef struct sample {
    const void *data;
    size_t size;
    const char *name;
    pl_read_fn *read; // NULL: found by content and name
} sample;

static inline pl_status read_sample_as(const sample *s, pl_mesh **out)
{
    if (s->read == NULL) return pl_mesh_read_memory(s->data, s->size, s->name, out);
    pl_bytes bytes;
    *out = NULL;
    PL_TRY(pl_bytes_copy(s->data, s->size, &bytes));
    pl_status status = s->read(&bytes, s->name, out);
    pl_bytes_free(&bytes);
    return status;
}

// For fail_each_allocation.
static inline pl_status read_sample(void *user)
{
    pl_mesh *mesh;
    pl_status status = read_sample_as(user, &mesh);
    pl_mesh_destroy(mesh);
    return status;
}

static inline pl_mesh *accept(const sample *s)
{
    pl_mesh *mesh;
    if (read_sample_as(s, &mesh) != PL_OK) TEST_FAIL_MESSAGE(pl_error_text());
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_validate(mesh));
    return mesh;
}

// Reading must fail with `status`, and the text must hold `part`.
static inline void refuse(const sample *s, pl_status expected, const char *part)
{
    pl_mesh *mesh = (pl_mesh *)1;
    pl_status status = read_sample_as(s, &mesh);
    if (status == expected && strstr(pl_error_text(), part) != NULL) {
        TEST_ASSERT_NULL(mesh);
        return;
    }
    char message[2048];
    snprintf(message, sizeof message, "expected \"%s\" (%s), got \"%s\" (%s)", part,
             pl_status_name(expected), status == PL_OK ? "" : pl_error_text(),
             pl_status_name(status));
    TEST_FAIL_MESSAGE(message);
}

// By content and name.

static inline pl_mesh *read_bytes(const void *data, size_t size, const char *name)
{
    return accept(&(sample){data, size, name, NULL});
}

static inline pl_mesh *read_text(const char *text, const char *name)
{
    return read_bytes(text, strlen(text), name);
}

static inline void refuse_bytes(const void *data, size_t size, const char *name, pl_status status,
                                const char *part)
{
    refuse(&(sample){data, size, name, NULL}, status, part);
}

// A literal that may hold zero bytes, with its size.
#define LITERAL(text) text, sizeof(text) - 1

static inline void refuse_text(const char *text, const char *name, const char *part)
{
    refuse_bytes(text, strlen(text), name, PL_ERROR_FORMAT, part);
}

// By one reader, under the name "test".

static inline pl_mesh *read_good(pl_read_fn *read, const void *data, size_t size)
{
    return accept(&(sample){data, size, "test", read});
}

static inline pl_mesh *read_good_file(pl_read_fn *read, const char *path)
{
    pl_bytes bytes;
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_bytes_load(path, &bytes), path);
    pl_mesh *mesh = accept(&(sample){bytes.data, bytes.size, path, read});
    pl_bytes_free(&bytes);
    return mesh;
}

static inline void expect_error(pl_read_fn *read, const void *data, size_t size, pl_status expected,
                                const char *part)
{
    refuse(&(sample){data, size, "test", read}, expected, part);
}

static inline void expect_text_error(pl_read_fn *read, const char *text, const char *part)
{
    expect_error(read, text, strlen(text), PL_ERROR_FORMAT, part);
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
static inline void expect_same_surface(const pl_mesh *a, const pl_mesh *b)
{
    expect_counts(b, pl_mesh_vertex_count(a), pl_mesh_face_count(a));
    if (a->n_vert > 0) TEST_ASSERT_EQUAL_MEMORY(a->x, b->x, 24 * (size_t)a->n_vert);
    if (a->n_face > 0) TEST_ASSERT_EQUAL_MEMORY(a->face, b->face, 12 * (size_t)a->n_face);
}

// And the same tets.
static inline void expect_same(const pl_mesh *a, const pl_mesh *b)
{
    expect_same_surface(a, b);
    TEST_ASSERT_EQUAL_INT(a->n_tet, b->n_tet);
    if (a->n_tet > 0) TEST_ASSERT_EQUAL_MEMORY(a->tet, b->tet, 16 * (size_t)a->n_tet);
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

// --- Damage ---

// Reads `s` cut off at every length, then with every byte replaced by a few others: whatever comes
// out must be an error with a text or a valid mesh, and with fewer than `needed` bytes an error.
// Run it under a sanitizer. Returns how many of the cut ones were read.
static inline int damage(const sample *s, size_t needed)
{
    static const unsigned char values[] = {0,   '\n', ' ', '-',  '0',  '9',
                                           '.', '/',  '<', 0x7f, 0x80, 0xff};
    int n_read = 0;
    char *copy = malloc(s->size);
    memcpy(copy, s->data, s->size);
    for (size_t i = 0; i < s->size * (1 + sizeof values); i++) {
        size_t at = i % s->size, round = i / s->size;
        if (round > 0) copy[at] = (char)values[round - 1];
        pl_mesh *mesh;
        sample damaged = {copy, round == 0 ? at : s->size, s->name, s->read};
        pl_status status = read_sample_as(&damaged, &mesh);
        copy[at] = ((const char *)s->data)[at];
        if (status == PL_OK) {
            TEST_ASSERT_EQUAL(PL_OK, pl_mesh_validate(mesh));
            TEST_ASSERT_TRUE_MESSAGE(round > 0 || at >= needed, "a file that was cut is read");
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

static char last_log[1024];
static int log_count;

static inline void keep_log(pl_log_level level, const char *text, void *user)
{
    (void)user;
    TEST_ASSERT_EQUAL(PL_LOG_WARNING, level);
    snprintf(last_log, sizeof last_log, "%s", text);
    log_count++;
}

// For setUp.
static inline void watch_log(void)
{
    pl_set_log(keep_log, NULL);
    log_count = 0;
    last_log[0] = '\0';
}

static inline void expect_warning(const char *part)
{
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(last_log, part), last_log);
    last_log[0] = '\0';
}

#endif
