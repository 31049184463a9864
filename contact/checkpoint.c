// The state of a world in a file: a header, the arrays of the state, a checksum over all of it.

#include "bdf2.h"
#include "touch.h"
#include "../collision/surfaces.h"
#include "../base/file.h"
#include "../base/hash.h"

#include <string.h>

// Numbers are stored in the machine's byte order; another one shows as another magic.
#define MAGIC 0x31544b434e4c50ull // "PLNCKT1"

enum { VERSION = 5 };

typedef struct header {
    uint64_t magic, version;
    uint64_t world; // what the state belongs to, see fingerprint
    int64_t steps;
    double time;
    int64_t n_memory;    // contacts that the next step starts from; -1: no step with contact yet
    int64_t n_search;    // numbers of the motion that candidates were searched for; 0: none
    int64_t has_gain;    // what velocities gained in the last step
    int64_t has_history; // of BDF2
} header;

// Bodies and driven vertices as one number: a state fits a world that has the same.
static uint64_t fingerprint(const pl_world *world)
{
    uint64_t hash = PL_HASH_START;
    for (int64_t i = 0; i < world->n_bodies; i++) {
        const pl_mesh *mesh = world->bodies[i].mesh;
        hash = pl_hash(hash, &world->bodies[i].kind, sizeof world->bodies[i].kind);
        hash = pl_hash(hash, mesh->x, 3 * (size_t)mesh->n_vert * sizeof *mesh->x);
        hash = pl_hash(hash, mesh->tet, 4 * (size_t)mesh->n_tet * sizeof *mesh->tet);
        hash = pl_hash(hash, mesh->face, 3 * (size_t)mesh->n_face * sizeof *mesh->face);
    }
    for (int64_t i = 0; i < world->n_driven; i++) {
        hash = pl_hash(hash, &world->driven[i].vertex, sizeof world->driven[i].vertex);
    }
    return hash;
}

// What follows the header: arrays of the world, one after the other. The order of the collision
// trees is made for the purpose.
typedef struct piece {
    void *data;
    size_t size;
} piece;

enum { PIECES = 13, GAIN = 3, MEMORY, HISTORY, FROM = 9, TO, STALE, TREES };

static size_t list_pieces(const pl_world *world, const header *h, void *trees, piece out[PIECES])
{
    size_t n = (size_t)world->n_vert, vectors = 3 * n * sizeof(double), sum = 0;
    memset(out, 0, PIECES * sizeof *out);
    out[0] = (piece){world->x, vectors};
    out[1] = (piece){world->v, vectors};
    out[2] = (piece){world->rigid, (size_t)world->n_rigid * sizeof *world->rigid};
    if (h->has_gain != 0) out[GAIN] = (piece){world->gain, vectors};
    if (h->has_history != 0) { // which a world that does not need it reads over
        pl_history none = {0}, *past = world->bdf2 != NULL ? &world->bdf2->last : &none;
        out[HISTORY] = (piece){past != &none ? &past->dt : NULL, sizeof past->dt};
        out[HISTORY + 1] = (piece){past->w, vectors};
        out[HISTORY + 2] = (piece){past->dv, vectors};
        out[HISTORY + 3] = (piece){past->struck, n * sizeof *past->struck};
    }
    if (h->n_memory >= 0 && world->touch != NULL) {
        const pl_touch *touch = world->touch;
        size_t search = (size_t)h->n_search * sizeof(double);
        out[MEMORY] = (piece){touch->contacts.memory, (size_t)h->n_memory * sizeof(pl_remembered)};
        out[FROM] = (piece){touch->detection.candidates.from, search};
        out[TO] = (piece){touch->detection.candidates.to, search};
        size_t n_body = h->n_search > 0 ? (size_t)touch->boundary.n_body : 0;
        out[STALE] = (piece){touch->detection.candidates.stale, n_body};
        out[TREES] = (piece){trees, pl_surfaces_state_size(touch->boundary.surfaces)};
    }
    for (int i = 0; i < PIECES; i++) sum += out[i].size;
    return sum;
}

static pl_status write_state(const pl_world *world, const header *h, void *trees, const char *path)
{
    piece pieces[PIECES];
    list_pieces(world, h, trees, pieces);
    uint64_t sum = pl_hash(PL_HASH_START, h, sizeof *h);
    pl_output out;
    PL_TRY(pl_output_open(path, &out));
    pl_output_write(&out, h, sizeof *h);
    for (int i = 0; i < PIECES; i++) {
        sum = pl_hash(sum, pieces[i].data, pieces[i].size);
        pl_output_write(&out, pieces[i].data, pieces[i].size);
    }
    pl_output_write(&out, &sum, sizeof sum);
    return pl_output_close(&out);
}

pl_status pl_world_save(const pl_world *world, const char *path)
{
    const pl_touch *touch = world->touch;
    bool past = world->bdf2 != NULL && world->bdf2->last.dt > 0;
    int64_t n_search = 0;
    if (touch != NULL && touch->detection.candidates.current)
        n_search = 3 * (int64_t)touch->boundary.n;
    const header h = {.magic = MAGIC,
                      .version = VERSION,
                      .world = fingerprint(world),
                      .steps = world->steps,
                      .time = world->time,
                      .n_memory = touch != NULL ? touch->contacts.n_memory : -1,
                      .n_search = n_search,
                      .has_gain = world->gained,
                      .has_history = past};
    if (touch == NULL) return write_state(world, &h, NULL, path);
    void *trees = pl_alloc((int64_t)pl_surfaces_state_size(touch->boundary.surfaces), 1);
    if (trees == NULL) return PL_ERROR_MEMORY;
    pl_surfaces_get_state(touch->boundary.surfaces, trees);
    pl_status status = write_state(world, &h, trees, path);
    pl_free(trees);
    return status;
}

// The pieces of the file as they belong to the world, whose contacts are there if the file has any.
static pl_status check(const pl_world *world, const pl_bytes *bytes, const char *path,
                       const header *h)
{
    piece pieces[PIECES];
    uint64_t sum = 0, expected = pl_hash(PL_HASH_START, h, sizeof *h);
    bool fits = h->n_memory < (int64_t)bytes->size && (h->n_memory < 0 || world->touch != NULL);
    int64_t n_search = world->touch != NULL ? 3 * (int64_t)world->touch->boundary.n : 0;
    fits = fits && (h->n_search == 0 || h->n_search == n_search);
    bool whole =
        fits && bytes->size == sizeof *h + sizeof sum + list_pieces(world, h, NULL, pieces);
    if (whole) {
        // By the same pieces as above: the hash of a whole is not that of its pieces.
        const char *at = bytes->data + sizeof *h;
        for (int i = 0; i < PIECES; at += pieces[i++].size) {
            expected = pl_hash(expected, at, pieces[i].size);
        }
        memcpy(&sum, at, sizeof sum);
    }
    if (!whole || sum != expected) {
        return pl_fail(PL_ERROR_FORMAT, "%s: the checkpoint is damaged", path);
    }
    return PL_OK;
}

static pl_status check_header(const pl_world *world, const pl_bytes *bytes, const char *path,
                              header *h)
{
    if (bytes->size < sizeof *h) return pl_fail(PL_ERROR_FORMAT, "%s: not a checkpoint", path);
    memcpy(h, bytes->data, sizeof *h);
    if (h->magic != MAGIC) return pl_fail(PL_ERROR_FORMAT, "%s: not a checkpoint", path);
    if (h->version != VERSION) {
        return pl_fail(PL_ERROR_FORMAT, "%s: a checkpoint of version %llu, this is version %d",
                       path, (unsigned long long)h->version, (int)VERSION);
    }
    if (h->world != fingerprint(world)) {
        return pl_fail(PL_ERROR_FORMAT, "%s: the checkpoint is of another scene", path);
    }
    if (h->n_memory >= 0 && !world->options.contact) {
        return pl_fail(PL_ERROR_FORMAT, "%s: the checkpoint is of a scene with contact", path);
    }
    return PL_OK;
}

// Memory for what the pieces of contacts are copied to, and the trees.
static pl_status prepare_contacts(pl_world *world, const header *h, const char *at)
{
    piece pieces[PIECES];
    pl_touch *touch = world->touch;
    pl_contacts *c = &touch->contacts;
    PL_TRY(pl_reserve((void **)&c->memory, &c->memory_capacity, h->n_memory, sizeof *c->memory));
    PL_TRY(pl_candidates_reserve(&touch->detection.candidates, &touch->boundary));
    list_pieces(world, h, NULL, pieces);
    for (int i = 0; i < TREES; i++) at += pieces[i].size;
    PL_TRY(pl_surfaces_set_state(touch->boundary.surfaces, at));
    c->n_memory = h->n_memory;
    pl_touch_forget(touch);
    touch->detection.candidates.current = false;
    return PL_OK;
}

static pl_status take_state(pl_world *world, const header *h, const char *at)
{
    piece pieces[PIECES];
    if (h->n_memory >= 0) PL_TRY(prepare_contacts(world, h, at));
    list_pieces(world, h, NULL, pieces);
    if (world->bdf2 != NULL) world->bdf2->last.dt = 0; // unless the file has another
    for (int i = 0; i < TREES; at += pieces[i++].size) {
        if (pieces[i].size > 0 && pieces[i].data != NULL)
            memcpy(pieces[i].data, at, pieces[i].size);
    }
    world->gained = h->has_gain != 0 && world->gain != NULL;
    world->time = h->time;
    world->steps = h->steps;
    pl_world_show(world);
    if (h->n_search == 0) return PL_OK;
    return pl_candidates_restore(&world->touch->detection.candidates, &world->touch->boundary);
}

pl_status pl_world_load(pl_world *world, const char *path)
{
    pl_bytes bytes;
    header h;
    PL_TRY(pl_bytes_load(path, &bytes));
    pl_status status = check_header(world, &bytes, path, &h);
    bool contacts = status == PL_OK && h.n_memory >= 0;
    if (contacts) status = pl_world_prepare(world);
    if (status == PL_OK) status = check(world, &bytes, path, &h);
    // A state from before the first step, or of a world without contact, has no trees: the next
    // step makes them, and looks if bodies are apart.
    if (status == PL_OK && !contacts) {
        if (world->touch != NULL) pl_world_unprepare(world);
        bool past = h.has_gain != 0 || h.has_history != 0;
        if (past && !world->options.contact) status = pl_world_prepare(world);
    }
    if (status == PL_OK) status = take_state(world, &h, bytes.data + sizeof h);
    pl_bytes_free(&bytes);
    return status;
}
