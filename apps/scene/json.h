// JSON values that know where they are: every complaint names the file and the key's path, e.g.
// `gallery.json: bodies[1].scale: a number above 0 expected`.

#ifndef PL_JSON_H
#define PL_JSON_H

#include "../../base/base.h"

#include <cjson/cJSON.h>

enum { PL_JSON_PATH = 256 };

typedef struct pl_json {
    const cJSON *node;
    const char *file;
    char path[PL_JSON_PATH]; // "" at the root
    int index;               // in the array that pl_json_next walks
} pl_json;

// Loads and parses a file of at most PL_JSON_BYTES; a syntax error names line and column. Destroy
// the tree with cJSON_Delete. The limit bounds the tree, which takes up to 30 times the text.
enum { PL_JSON_BYTES = 16 << 20 };
pl_status pl_json_load(const char *path, cJSON **tree);
// The same for text in memory; `name` is for the complaints.
pl_status pl_json_parse(const char *text, size_t size, const char *name, cJSON **tree);

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
// Walks an array: `pl_json item = {0}; while (pl_json_next(&array, &item)) ...`.
bool pl_json_next(const pl_json *array, pl_json *item);

// The value under `key` of the object `at`, or what *value holds already if the key is absent.
pl_status pl_json_bool(const pl_json *at, const char *key, bool *value);
pl_status pl_json_number(const pl_json *at, const char *key, double *value);
// A whole number, 0 or more: under a key, or `v` itself.
pl_status pl_json_count(const pl_json *at, const char *key, int32_t *value);
pl_status pl_json_whole(const pl_json *v, int32_t *value);
pl_status pl_json_positive(const pl_json *at, const char *key, double *value);
pl_status pl_json_not_negative(const pl_json *at, const char *key, double *value);
pl_status pl_json_vector(const pl_json *at, const char *key, double value[3]);
// A factor above 0, or one for each axis.
pl_status pl_json_scale(const pl_json *at, const char *key, double value[3]);
pl_status pl_json_string(const pl_json *at, const char *key, const char **value);
// One of `names` (n), by its index.
pl_status pl_json_choice(const pl_json *at, const char *key, const char *const *names, int n,
                         int *value);
// "#rrggbb" as three numbers from 0 to 1; *given tells whether the key is there.
pl_status pl_json_color(const pl_json *at, const char *key, bool *given, double rgb[3]);

#endif
