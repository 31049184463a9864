// The values of a DataArray in a VTU file, in all the ways they may be stored. Internal.

#ifndef PL_VTU_H
#define PL_VTU_H

#include "array.h"

// What the file as a whole says about its arrays.
typedef struct pl_vtu_source {
    pl_scan scan; // of the whole file, for messages
    bool swap;
    size_t header_size;   // 4 or 8: of the counts in front of binary values
    bool zlib;            // binary values come in compressed blocks
    const char *appended; // where offsets of appended arrays count from, NULL without such arrays
    bool appended_base64; // else raw bytes
    size_t consumed;      // bytes of the file that arrays have taken so far
} pl_vtu_source;

typedef enum pl_vtu_format { PL_VTU_ASCII, PL_VTU_BINARY, PL_VTU_APPENDED } pl_vtu_format;

// A DataArray element.
typedef struct pl_vtu_array {
    const char *tag; // where the element begins, NULL if the file does not have it
    pl_number_type type;
    int64_t components;
    pl_vtu_format format;
    int64_t offset;   // if appended
    const char *text; // else: where its content begins, NULL if it has none
} pl_vtu_array;

// Loads exactly `count` values. Memory is taken only once the file is known to be able to hold
// them. Fails with PL_ERROR_FORMAT or PL_ERROR_MEMORY.
pl_status pl_vtu_load(pl_vtu_source *source, const pl_vtu_array *array, int64_t count,
                      pl_array *out);

#endif
