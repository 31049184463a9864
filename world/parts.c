#include "parts.h"
#include "../base/hash.h"

#include <math.h>
#include <string.h>

#define MAGIC 0x32544b434e4c50ull     // "PLNCKT2"
#define OLD_MAGIC 0x31544b434e4c50ull // of versions up to 6, which were not made of parts

enum { VERSION = 7 };

typedef struct header {
    uint64_t magic, version, world, n_part;
} header;

static size_t padded(size_t size)
{
    return (size + 7) / 8 * 8;
}

void pl_parts_add(pl_parts *parts, const char *name, uint64_t version, const void *data,
                  size_t size)
{
    PL_ASSERT(parts->n < PL_PARTS_MOST && strlen(name) < PL_PART_NAME);
    pl_part *part = &parts->part[parts->n];
    *part = (pl_part){.version = version, .size = size};
    memcpy(part->name, name, strlen(name) + 1);
    parts->data[parts->n++] = (void *)data;
}

pl_status pl_parts_pack(const pl_parts *parts, pl_bytes *out)
{
    const header h = {MAGIC, VERSION, parts->world, (uint64_t)parts->n};
    size_t size = sizeof h + (size_t)parts->n * sizeof(pl_part), at = size;
    for (int32_t i = 0; i < parts->n; i++) size += padded(parts->part[i].size);
    *out = (pl_bytes){pl_alloc_zero((int64_t)(size + sizeof(uint64_t) + PL_BYTES_PAD), 1),
                      size + sizeof(uint64_t)};
    if (out->data == NULL) return PL_ERROR_MEMORY;
    memcpy(out->data, &h, sizeof h);
    for (int32_t i = 0; i < parts->n; i++) {
        pl_part part = parts->part[i];
        part.offset = at;
        memcpy(out->data + sizeof h + (size_t)i * sizeof part, &part, sizeof part);
        if (part.size > 0) memcpy(out->data + at, parts->data[i], part.size);
        at += padded(part.size);
    }
    uint64_t sum = pl_hash(PL_HASH_START, out->data, size);
    memcpy(out->data + size, &sum, sizeof sum);
    return PL_OK;
}

static bool check_part(const pl_part *part, size_t size)
{
    return memchr(part->name, 0, PL_PART_NAME) != NULL && part->offset % 8 == 0 &&
           part->offset <= size && part->size <= size - part->offset;
}

pl_status pl_parts_unpack(const pl_bytes *bytes, const char *name, pl_parts *out)
{
    header h = {0};
    uint64_t sum;
    *out = (pl_parts){0};
    if (bytes->size >= sizeof h) memcpy(&h, bytes->data, sizeof h);
    if (h.magic != MAGIC && h.magic != OLD_MAGIC) {
        return pl_fail(PL_ERROR_FORMAT, "%s: not a checkpoint", name);
    }
    if (h.version != VERSION) {
        return pl_fail(PL_ERROR_FORMAT, "%s: a checkpoint of version %llu, this is version %d",
                       name, (unsigned long long)h.version, (int)VERSION);
    }
    size_t size = bytes->size - sizeof sum, directory = sizeof h;
    bool whole = bytes->size >= sizeof h + sizeof sum && h.n_part <= PL_PARTS_MOST;
    if (whole) directory += (size_t)h.n_part * sizeof(pl_part);
    whole = whole && directory <= size;
    if (whole) memcpy(&sum, bytes->data + size, sizeof sum);
    whole = whole && pl_hash(PL_HASH_START, bytes->data, size) == sum;
    for (uint64_t i = 0; whole && i < h.n_part; i++) {
        memcpy(&out->part[i], bytes->data + sizeof h + i * sizeof(pl_part), sizeof(pl_part));
        whole = check_part(&out->part[i], size);
        if (whole) out->data[i] = bytes->data + out->part[i].offset;
    }
    if (!whole) return pl_fail(PL_ERROR_FORMAT, "%s: the checkpoint is damaged", name);
    out->world = h.world;
    out->n = (int32_t)h.n_part;
    return PL_OK;
}

int32_t pl_parts_find(const pl_parts *parts, const char *name)
{
    for (int32_t i = 0; i < parts->n; i++) {
        if (strcmp(parts->part[i].name, name) == 0) return i;
    }
    return -1;
}

void *pl_parts_data(const pl_parts *parts, const char *name, uint64_t version, size_t size,
                    bool *fits)
{
    int32_t i = pl_parts_find(parts, name);
    if (i < 0) return NULL;
    bool same = parts->part[i].version == version && parts->part[i].size == size;
    *fits = *fits && same;
    return same ? parts->data[i] : NULL;
}

double *pl_parts_doubles(const pl_parts *parts, const char *name, int64_t n, bool *fits)
{
    double *x = pl_parts_data(parts, name, 1, (size_t)n * sizeof *x, fits);
    for (int64_t i = 0; i < n && x != NULL; i++) *fits = *fits && isfinite(x[i]);
    return x;
}

uint8_t *pl_parts_flags(const pl_parts *parts, const char *name, int64_t n, bool *fits)
{
    uint8_t *flag = pl_parts_data(parts, name, 1, (size_t)n, fits);
    for (int64_t i = 0; i < n && flag != NULL; i++) *fits = *fits && flag[i] <= 1;
    return flag;
}
