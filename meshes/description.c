#include "description.h"
#include "../base/number.h"

#include <math.h>
#include <string.h>

enum { KEYS_MAX = 16, TEXT_MAX = 512 };

static pl_status check_value(const pl_description_key *key, double value)
{
    if (key->most == 0) {
        if (value > 0 || (value == 0 && key->least < 0)) return PL_OK;
        return pl_fail(PL_ERROR_ARGUMENT, "%s: %g is not a length%s above 0", key->name, value,
                       key->least < 0 ? " of 0 or" : "");
    }
    if (value >= key->least && value <= key->most && value == floor(value)) return PL_OK;
    return pl_fail(PL_ERROR_ARGUMENT, "%s: %g is not a whole number from %d to %d", key->name,
                   value, (int)key->least, (int)key->most);
}

// Reads "1,2,3" at *p. One number for a key of three stands for all three.
static pl_status read_values(const char **p, const pl_description_key *key, double *value)
{
    int n = 0;
    for (;; (*p)++) {
        const char *after = n < key->n ? pl_parse_double(*p, &value[n]) : NULL;
        if (after == NULL) {
            return pl_fail(PL_ERROR_ARGUMENT, "%s: %s number%s expected at \"%s\"", key->name,
                           key->n == 1 ? "one" : "up to three", key->n == 1 ? "" : "s", *p);
        }
        PL_TRY(check_value(key, value[n]));
        n++;
        *p = after;
        if (*after != ',') break;
    }
    if (n != 1 && n != key->n) {
        return pl_fail(PL_ERROR_ARGUMENT, "%s: one or %d numbers expected, not %d", key->name,
                       key->n, n);
    }
    for (int k = n; k < key->n; k++) value[k] = value[0];
    return PL_OK;
}

// Reads "key=value" at *p, which is part of a terminated string.
static pl_status read_key(const char **p, const pl_description_key *key, int most, double *values)
{
    size_t length = strcspn(*p, "=:");
    const char *names[KEYS_MAX];
    int n = 0;
    for (; n < most && key[n].n > 0; n++) {
        const char *name = names[n] = key[n].name;
        if (strlen(name) != length || memcmp(name, *p, length) != 0) continue;
        if ((*p)[length] != '=') return pl_fail(PL_ERROR_ARGUMENT, "%s: '=' expected", name);
        *p += length + 1;
        return read_values(p, &key[n], values + 3 * n);
    }
    return pl_fail_unknown(PL_ERROR_ARGUMENT, "key", *p, length, names, n);
}

pl_status pl_description_read(const pl_description_key *key, int n, const char *text,
                              double *values)
{
    // The parser may look at eight bytes at once: give it padding.
    char padded[TEXT_MAX + 16] = {0};
    PL_ASSERT(n <= KEYS_MAX);
    if (strlen(text) > TEXT_MAX) {
        return pl_fail(PL_ERROR_ARGUMENT, "a description of more than %d characters", TEXT_MAX);
    }
    strcpy(padded, text);
    const char *p = padded;
    for (int i = 0; i < n; i++) memcpy(values + 3 * i, key[i].value, sizeof key[i].value);
    while (*p == ':') {
        p++;
        PL_TRY(read_key(&p, key, n, values));
    }
    if (*p != '\0') return pl_fail(PL_ERROR_ARGUMENT, "':' or the end expected at \"%s\"", p);
    return PL_OK;
}

void pl_description_help(const pl_description_key *key, int n, pl_text *text)
{
    for (int i = 0; i < n && key[i].n > 0; i++) {
        pl_text_add(text, ":%s=%g", key[i].name, key[i].value[0]);
        for (int k = 1; k < key[i].n; k++) pl_text_add(text, ",%g", key[i].value[k]);
    }
}
