// A file of named, versioned parts, as checkpoints are. Internal.
//
// A header, a directory, the parts one after the other, each from a multiple of 8 bytes on, and a
// checksum over all of it. Numbers are in the machine's byte order; another one shows as another
// magic. Who reads asks for parts by name: those that it does not know do no harm.

#ifndef PL_PARTS_H
#define PL_PARTS_H

#include "../base/file.h"

enum { PL_PARTS_MOST = 32, PL_PART_NAME = 24 };

typedef struct pl_part {
    char name[PL_PART_NAME]; // ends with 0
    uint64_t version;
    uint64_t offset, size; // [bytes]
} pl_part;

typedef struct pl_parts {
    uint64_t world; // what the parts belong to: see checkpoint.c
    int32_t n;
    pl_part part[PL_PARTS_MOST];
    void *data[PL_PARTS_MOST];
} pl_parts;

// Appends a part; data is borrowed until it is packed. Sizes of 0 are parts, too.
void pl_parts_add(pl_parts *parts, const char *name, uint64_t version, const void *data,
                  size_t size);

// All of it in one piece of memory.
pl_status pl_parts_pack(const pl_parts *parts, pl_bytes *out);

// Finds the parts in `bytes`, which they point into. Fails with PL_ERROR_FORMAT; `name` stands for
// the file in the text.
pl_status pl_parts_unpack(const pl_bytes *bytes, const char *name, pl_parts *out);

// The part's number, -1 if there is none.
int32_t pl_parts_find(const pl_parts *parts, const char *name);

// The data of a part; NULL if there is none. *fits becomes false if it has another version or size.
void *pl_parts_data(const pl_parts *parts, const char *name, uint64_t version, size_t size,
                    bool *fits);

// The same for n numbers, which must be finite, and for n bytes, which must be 0 or 1.
double *pl_parts_doubles(const pl_parts *parts, const char *name, int64_t n, bool *fits);
uint8_t *pl_parts_flags(const pl_parts *parts, const char *name, int64_t n, bool *fits);

#endif
