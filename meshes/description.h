// Descriptions "name:key=value:key=value" of things made of numbers. Internal.

#ifndef PL_DESCRIPTION_H
#define PL_DESCRIPTION_H

#include "../base/base.h"
#include "../base/text.h"

typedef struct pl_description_key {
    const char *name;
    int n;               // how many numbers, separated by commas; 0 ends the list
    double value[3];     // defaults
    int32_t least, most; // whole numbers in this range; most 0: a length in metres, above 0, or
                         // with least -1 also 0
} pl_description_key;

// Reads what follows the name, "" or ":key=value...": values (3*n) of the keys (n, or fewer), three
// each, defaults where it has none. Fails with PL_ERROR_ARGUMENT and names the key.
pl_status pl_description_read(const pl_description_key *key, int n, const char *text,
                              double *values);

// Adds ":key=value..." with the defaults.
void pl_description_help(const pl_description_key *key, int n, pl_text *text);

#endif
