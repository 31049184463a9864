// JSON values that know where they are: every complaint names the file and the key's path, e.g.
// `gallery.json: bodies[1].scale: a number above 0 expected`.

#ifndef PL_JSON_H
#define PL_JSON_H

#include "../base/base.h"

#include <cjson/cJSON.h>

enum { PL_JSON_PATH = 256 };

typedef struct pl_json {
    const cJSON *node;
    const char *file;
    char path[PL_JSON_PATH]; // "" at the root
} pl_json;

// Loads and parses a file; a syntax error names line and column. Destroy the tree with
// cJSON_Delete.
pl_status pl_json_load(const char *path, cJSON **tree);

pl_json pl_json_root(const cJSON *tree, const char *file);

// Records `file: path: sentence` and returns PL_ERROR_FORMAT.
pl_status pl_json_fail(const pl_json *at, const char *format, ...) PL_PRINTF(2, 3);

// `at` is an object whose keys are all among `keys` (n), none of them twice.
pl_status pl_json_object(const pl_json *at, const char *const *keys, int n);
// The value under a key or index. False if the key is absent.
bool pl_json_get(const pl_json *at, const char *key, pl_json *value);
pl_status pl_json_require(const pl_json *at, const char *key, pl_json *value);
pl_status pl_json_array(const pl_json *at, int *count);
pl_json pl_json_item(const pl_json *at, int index);

// The value under `key` of the object `at`, or what *value holds already if the key is absent.
pl_status pl_json_bool(const pl_json *at, const char *key, bool *value);
pl_status pl_json_number(const pl_json *at, const char *key, double *value);
pl_status pl_json_positive(const pl_json *at, const char *key, double *value);
pl_status pl_json_vector(const pl_json *at, const char *key, double value[3]);
pl_status pl_json_string(const pl_json *at, const char *key, const char **value);
// "#rrggbb" as three numbers from 0 to 1; *given tells whether the key is there.
pl_status pl_json_color(const pl_json *at, const char *key, bool *given, double rgb[3]);

#endif
