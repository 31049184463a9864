#include "json.h"
#include "../../base/file.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

pl_status pl_json_fail(const pl_json *at, const char *format, ...)
{
    char sentence[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    return pl_fail(PL_ERROR_FORMAT, "%s: %s%s%s", at->file, at->path,
                   at->path[0] != '\0' ? ": " : "", sentence);
}

static pl_status syntax_error(const char *path, const char *begin, const char *at)
{
    int line = 1;
    const char *start = begin;
    for (const char *p = begin; p < at; p++) {
        if (*p != '\n') continue;
        line++;
        start = p + 1;
    }
    return pl_fail(PL_ERROR_FORMAT, "%s:%d:%d: not valid JSON", path, line, (int)(at - start) + 1);
}

pl_status pl_json_parse(const char *text, size_t size, const char *name, cJSON **tree)
{
    const char *end = NULL;
    *tree = cJSON_ParseWithLengthOpts(text, size + 1, &end, true);
    return *tree != NULL ? PL_OK : syntax_error(name, text, end != NULL ? end : text);
}

pl_status pl_json_load(const char *path, cJSON **tree)
{
    pl_bytes bytes;
    struct stat info;
    if (stat(path, &info) == 0 && info.st_size > PL_JSON_BYTES) {
        return pl_fail(PL_ERROR_FORMAT, "%s: byte %d: a file of this kind ends before", path,
                       (int)PL_JSON_BYTES);
    }
    PL_TRY(pl_bytes_load(path, &bytes));
    pl_status status = pl_json_parse(bytes.data, bytes.size, path, tree);
    pl_bytes_free(&bytes);
    return status;
}

pl_json pl_json_root(const cJSON *tree, const char *file)
{
    return (pl_json){.node = tree, .file = file};
}

// --- Structure ---

pl_status pl_json_object(const pl_json *at, const char *const *keys, int n)
{
    if (!cJSON_IsObject(at->node)) return pl_json_fail(at, "an object {...} expected");
    const cJSON *child = NULL;
    cJSON_ArrayForEach(child, at->node)
    {
        int k = 0;
        while (k < n && strcmp(keys[k], child->string) != 0) k++;
        if (k == n) {
            pl_fail_unknown(PL_ERROR_FORMAT, "key", child->string, strlen(child->string), keys, n);
            return pl_json_fail(at, "%s", pl_error_text());
        }
        if (cJSON_GetObjectItemCaseSensitive(at->node, child->string) != child) {
            return pl_json_fail(at, "the key \"%s\" stands twice", child->string);
        }
    }
    return PL_OK;
}

bool pl_json_get(const pl_json *at, const char *key, pl_json *value)
{
    *value = (pl_json){.node = cJSON_GetObjectItemCaseSensitive(at->node, key), .file = at->file};
    snprintf(value->path, PL_JSON_PATH, "%.200s%s%.40s", at->path, at->path[0] != '\0' ? "." : "",
             key);
    return value->node != NULL;
}

pl_status pl_json_require(const pl_json *at, const char *key, pl_json *value)
{
    if (pl_json_get(at, key, value)) return PL_OK;
    return pl_json_fail(at, "the key \"%s\" is missing", key);
}

pl_status pl_json_array(const pl_json *at, int *count)
{
    if (!cJSON_IsArray(at->node)) return pl_json_fail(at, "an array [...] expected");
    *count = cJSON_GetArraySize(at->node);
    return PL_OK;
}

static pl_json item_at(const pl_json *at, const cJSON *node, int index)
{
    pl_json item = {.node = node, .file = at->file, .index = index};
    snprintf(item.path, PL_JSON_PATH, "%.200s[%d]", at->path, index);
    return item;
}

pl_json pl_json_item(const pl_json *at, int index)
{
    return item_at(at, cJSON_GetArrayItem(at->node, index), index);
}

bool pl_json_next(const pl_json *array, pl_json *item)
{
    bool first = item->node == NULL;
    const cJSON *node = first ? array->node->child : item->node->next;
    if (node == NULL) return false;
    *item = item_at(array, node, first ? 0 : item->index + 1);
    return true;
}

// --- Values ---

pl_status pl_json_bool(const pl_json *at, const char *key, bool *value)
{
    pl_json v;
    if (!pl_json_get(at, key, &v)) return PL_OK;
    if (!cJSON_IsBool(v.node)) return pl_json_fail(&v, "true or false expected");
    *value = cJSON_IsTrue(v.node);
    return PL_OK;
}

static pl_status read_number(const pl_json *v, double *value)
{
    if (!cJSON_IsNumber(v->node)) return pl_json_fail(v, "a number expected");
    if (!isfinite(v->node->valuedouble)) return pl_json_fail(v, "a finite number expected");
    *value = v->node->valuedouble;
    return PL_OK;
}

pl_status pl_json_number(const pl_json *at, const char *key, double *value)
{
    pl_json v;
    return pl_json_get(at, key, &v) ? read_number(&v, value) : PL_OK;
}

pl_status pl_json_whole(const pl_json *v, int32_t *value)
{
    double number;
    PL_TRY(read_number(v, &number));
    if (!(number >= 0 && number <= INT32_MAX) || number != floor(number)) {
        return pl_json_fail(v, "a whole number, 0 or more, expected");
    }
    *value = (int32_t)number;
    return PL_OK;
}

pl_status pl_json_count(const pl_json *at, const char *key, int32_t *value)
{
    pl_json v;
    return pl_json_get(at, key, &v) ? pl_json_whole(&v, value) : PL_OK;
}

pl_status pl_json_positive(const pl_json *at, const char *key, double *value)
{
    pl_json v;
    if (!pl_json_get(at, key, &v)) return PL_OK;
    PL_TRY(read_number(&v, value));
    return *value > 0 ? PL_OK : pl_json_fail(&v, "a number above 0 expected");
}

pl_status pl_json_not_negative(const pl_json *at, const char *key, double *value)
{
    pl_json v;
    if (!pl_json_get(at, key, &v)) return PL_OK;
    PL_TRY(read_number(&v, value));
    return *value >= 0 ? PL_OK : pl_json_fail(&v, "a number, 0 or above, expected");
}

pl_status pl_json_vector(const pl_json *at, const char *key, double value[3])
{
    pl_json v;
    int n = 0;
    if (!pl_json_get(at, key, &v)) return PL_OK;
    PL_TRY(pl_json_array(&v, &n));
    if (n != 3) return pl_json_fail(&v, "three numbers [x, y, z] expected");
    for (int k = 0; k < 3; k++) {
        pl_json item = pl_json_item(&v, k);
        PL_TRY(read_number(&item, &value[k]));
    }
    return PL_OK;
}

pl_status pl_json_scale(const pl_json *at, const char *key, double value[3])
{
    pl_json v;
    if (!pl_json_get(at, key, &v)) return PL_OK;
    if (cJSON_IsArray(v.node)) {
        PL_TRY(pl_json_vector(at, key, value));
    } else {
        PL_TRY(pl_json_positive(at, key, value));
        value[1] = value[2] = value[0];
    }
    for (int k = 0; k < 3; k++) {
        pl_json item = cJSON_IsArray(v.node) ? pl_json_item(&v, k) : v;
        if (!(value[k] > 0)) return pl_json_fail(&item, "a number above 0 expected");
    }
    return PL_OK;
}

pl_status pl_json_string(const pl_json *at, const char *key, const char **value)
{
    pl_json v;
    if (!pl_json_get(at, key, &v)) return PL_OK;
    if (!cJSON_IsString(v.node)) return pl_json_fail(&v, "a \"text\" expected");
    *value = v.node->valuestring;
    return PL_OK;
}

pl_status pl_json_choice(const pl_json *at, const char *key, const char *const *names, int n,
                         int *value)
{
    const char *text = NULL;
    PL_TRY(pl_json_string(at, key, &text));
    if (text == NULL) return PL_OK;
    for (int i = 0; i < n; i++) {
        if (strcmp(names[i], text) != 0) continue;
        *value = i;
        return PL_OK;
    }
    pl_json v;
    pl_json_get(at, key, &v);
    pl_fail_unknown(PL_ERROR_FORMAT, key, text, strlen(text), names, n);
    return pl_json_fail(&v, "%s", pl_error_text());
}

pl_status pl_json_color(const pl_json *at, const char *key, bool *given, double rgb[3])
{
    const char *text = NULL;
    PL_TRY(pl_json_string(at, key, &text));
    *given = text != NULL;
    if (text == NULL) return PL_OK;
    pl_json v;
    pl_json_get(at, key, &v);
    if (strlen(text) != 7 || text[0] != '#' || strspn(text + 1, "0123456789abcdefABCDEF") != 6) {
        return pl_json_fail(&v, "a colour \"#rrggbb\" expected");
    }
    unsigned value = 0;
    sscanf(text + 1, "%x", &value);
    for (int k = 0; k < 3; k++) rgb[k] = (value >> (16 - 8 * k) & 255) / 255.0;
    return PL_OK;
}
