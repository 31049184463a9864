// What the tests of exported frames share: a scene with bodies of every kind, and the readers of
// others.

#ifndef PL_TESTS_EXPORTS_H
#define PL_TESTS_EXPORTS_H

#include "../apps/export/export_bodies.h"
#include "../meshes/mesh.h"
#include "runs.h"
#include "worlds.h"

// Body 2 is only drawn, so that body 3 of the scene is body 2 of the world. The cube has a vertex
// inside, which no surface shows.
static const char EXPORT_SCENE[] =
    "{\"bodies\": ["
    "{\"mesh\": \"cube:size=0.6:cells=2\", \"position\": [0, 0, 0.32], \"color\": \"#ff8000\","
    " \"opacity\": 0.5},"
    "{\"mesh\": \"icosphere:radius=0.2:level=1\", \"position\": [0.1, 0, 1], \"type\": \"rigid\"},"
    "{\"mesh\": \"torus\", \"position\": [2, 0, 1], \"material\": null},"
    "{\"mesh\": \"cube:size=0.3:cells=1\", \"position\": [0, 2, 0.5], \"type\": \"rigid\"}],"
    "\"world\": {\"dt\": 0.01, \"duration\": 0.2}, \"ground\": {\"size\": 10}}";

enum { EXPORT_BODIES = 4 };

static inline void make_export_scene(pl_scene *scene, pl_world **world)
{
    pl_status status = pl_scene_parse(EXPORT_SCENE, "test.json", scene);
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, status, pl_error_text());
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_scene_world(scene, world), pl_error_text());
}

// Runs tests/check_exports.py with the Python that `make check-exports` sets up; returns its exit
// status, and leaves what it says in `output`.
static inline int run_readers(const char *words)
{
    const char *readers = getenv("READERS_DIR");
    char line[1024];
    snprintf(line, sizeof line, "%s/bin/python tests/check_exports.py %s",
             readers != NULL ? readers : "build/readers", words);
    return shell(line);
}

static inline bool has_readers(void)
{
    return run_readers("probe") == 0;
}

#endif
