// The state of a world in a file: a header, positions and velocities, a checksum over all of it.

#include "world.h"
#include "../base/file.h"
#include "../base/hash.h"

#include <string.h>

// Numbers are stored in the machine's byte order; another one shows as another magic.
#define MAGIC 0x31544b434e4c50ull // "PLNCKT1"

enum { VERSION = 1 };

typedef struct header {
    uint64_t magic, version;
    uint64_t world; // what the state belongs to, see fingerprint
    int64_t steps;
    double time;
    int64_t n_vert;
} header;

// Bodies and driven vertices as one number: a state fits a world that has the same.
static uint64_t fingerprint(const pl_world *world)
{
    uint64_t hash = PL_HASH_START;
    for (int64_t i = 0; i < world->n_bodies; i++) {
        const pl_mesh *mesh = world->bodies[i].mesh;
        hash = pl_hash(hash, mesh->x, 3 * (size_t)mesh->n_vert * sizeof *mesh->x);
        hash = pl_hash(hash, mesh->tet, 4 * (size_t)mesh->n_tet * sizeof *mesh->tet);
    }
    for (int64_t i = 0; i < world->n_driven; i++) {
        hash = pl_hash(hash, &world->driven[i].vertex, sizeof world->driven[i].vertex);
    }
    return hash;
}

pl_status pl_world_save(const pl_world *world, const char *path)
{
    const header h = {MAGIC, VERSION, fingerprint(world), world->steps, world->time, world->n_vert};
    size_t size = 3 * (size_t)world->n_vert * sizeof(double);
    uint64_t sum = pl_hash(PL_HASH_START, &h, sizeof h);
    sum = pl_hash(sum, world->x, size);
    sum = pl_hash(sum, world->v, size);
    pl_output out;
    PL_TRY(pl_output_open(path, &out));
    pl_output_write(&out, &h, sizeof h);
    pl_output_write(&out, world->x, size);
    pl_output_write(&out, world->v, size);
    pl_output_write(&out, &sum, sizeof sum);
    return pl_output_close(&out);
}

static pl_status check(const pl_world *world, const pl_bytes *bytes, const char *path, header *h)
{
    size_t state = 6 * (size_t)world->n_vert * sizeof(double);
    if (bytes->size < sizeof *h) return pl_fail(PL_ERROR_FORMAT, "%s: not a checkpoint", path);
    memcpy(h, bytes->data, sizeof *h);
    if (h->magic != MAGIC) return pl_fail(PL_ERROR_FORMAT, "%s: not a checkpoint", path);
    if (h->version != VERSION) {
        return pl_fail(PL_ERROR_FORMAT, "%s: a checkpoint of version %llu, this is version %d",
                       path, (unsigned long long)h->version, (int)VERSION);
    }
    if (h->n_vert != world->n_vert || h->world != fingerprint(world)) {
        return pl_fail(PL_ERROR_FORMAT, "%s: the checkpoint is of another scene", path);
    }
    uint64_t sum = 0;
    bool whole = bytes->size == sizeof *h + state + sizeof sum;
    if (whole) memcpy(&sum, bytes->data + sizeof *h + state, sizeof sum);
    // The same three pieces as above: the hash of a sum of pieces is not that of their sum.
    uint64_t expected = pl_hash(PL_HASH_START, h, sizeof *h);
    if (whole) expected = pl_hash(expected, bytes->data + sizeof *h, state / 2);
    if (whole) expected = pl_hash(expected, bytes->data + sizeof *h + state / 2, state / 2);
    if (!whole || sum != expected) {
        return pl_fail(PL_ERROR_FORMAT, "%s: the checkpoint is damaged", path);
    }
    return PL_OK;
}

pl_status pl_world_load(pl_world *world, const char *path)
{
    pl_bytes bytes;
    header h;
    PL_TRY(pl_bytes_load(path, &bytes));
    pl_status status = check(world, &bytes, path, &h);
    if (status == PL_OK) {
        size_t size = 3 * (size_t)world->n_vert * sizeof(double);
        memcpy(world->x, bytes.data + sizeof h, size);
        memcpy(world->v, bytes.data + sizeof h + size, size);
        world->time = h.time;
        world->steps = h.steps;
        pl_world_show(world);
    }
    pl_bytes_free(&bytes);
    return status;
}
