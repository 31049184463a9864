// What the tests of worlds share.

#ifndef PL_TESTS_WORLDS_H
#define PL_TESTS_WORLDS_H

#include "pliant.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unity.h>

static inline pl_mesh *make_mesh(const char *description)
{
    pl_mesh *mesh;
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_mesh_make(description, &mesh), pl_error_text());
    return mesh;
}

// For worlds whose bodies are alone, or may pass through each other.
static inline pl_world_options no_contact(void)
{
    pl_world_options options = pl_world_options_default();
    options.contact = false;
    return options;
}

static inline pl_world *make_world(const pl_world_options *options)
{
    pl_world *world;
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_world_create(options, &world), pl_error_text());
    return world;
}

static inline int32_t add_body(pl_world *world, const char *description,
                               const pl_deformable_options *options)
{
    pl_mesh *mesh = make_mesh(description);
    int32_t body = -1;
    pl_status status = pl_world_add_deformable(world, mesh, options, &body);
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, status, pl_error_text());
    pl_mesh_destroy(mesh);
    return body;
}

static inline void step(pl_world *world, int n)
{
    for (int i = 0; i < n; i++) {
        TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_world_step(world, NULL), pl_error_text());
    }
}

// The call must fail with `status` and a text that holds `part`.
static inline void expect_failure(pl_status status, pl_status result, const char *part)
{
    TEST_ASSERT_EQUAL_MESSAGE(status, result, part);
    if (strstr(pl_error_text(), part) == NULL) {
        char message[1024];
        snprintf(message, sizeof message, "expected \"%s\" in \"%s\"", part, pl_error_text());
        TEST_FAIL_MESSAGE(message);
    }
}

// Indices of the vertices whose coordinate `axis` at rest is within [low, high]; *list is to be
// freed.
static inline int32_t select_vertices(const pl_world *world, int32_t body, int axis, double low,
                                      double high, int32_t **list)
{
    const double *x = pl_mesh_positions(pl_world_mesh(world, body));
    int32_t n = 0, n_vert = pl_world_vertex_count(world, body);
    *list = malloc((size_t)n_vert * sizeof **list);
    for (int32_t i = 0; i < n_vert; i++) {
        if (x[3 * i + axis] >= low && x[3 * i + axis] <= high) (*list)[n++] = i;
    }
    return n;
}

#endif
