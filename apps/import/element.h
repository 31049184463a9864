// XML as far as descriptions of robots need it: elements and attributes. What stands between tags
// is passed over.

#ifndef PL_ELEMENT_H
#define PL_ELEMENT_H

#include "../../base/base.h"

typedef struct pl_element_attribute {
    char *name, *value; // entities replaced
} pl_element_attribute;

typedef struct pl_element {
    char *name;
    int32_t line;
    pl_element_attribute *attribute; // (n_attribute)
    int32_t n_attribute;
    int64_t attribute_capacity;
    struct pl_element *child, *next,
        *parent;             // the first one inside, the next beside, the one around it
    struct pl_element *last; // the last one inside
} pl_element;

// The root element of a file. Fails with PL_ERROR_FILE, PL_ERROR_FORMAT (the line is named) or
// PL_ERROR_MEMORY.
pl_status pl_element_load(const char *path, pl_element **out);
pl_status pl_element_parse(const char *text, size_t size, const char *name, pl_element **out);
void pl_element_free(pl_element *root);

// The first element of a name inside, or the next beside; NULL if there is none.
const pl_element *pl_element_find(const pl_element *at, const char *name);
const pl_element *pl_element_next(const pl_element *at, const char *name);

// NULL if there is none.
const char *pl_element_get(const pl_element *at, const char *attribute);

#endif
