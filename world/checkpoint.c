// The state of a world in a file: a header, the arrays of the state, a checksum over all of it, and
// what the world was made with (origin.h; not in version 5).

#include "bdf2.h"
#include "origin.h"
#include "contact_step.h"
#include "../collision/surfaces.h"
#include "../base/file.h"
#include "../base/hash.h"

#include <math.h>
#include <string.h>

// Numbers are stored in the machine's byte order; another one shows as another magic.
#define MAGIC 0x31544b434e4c50ull // "PLNCKT1"

enum { VERSION = 6, OLDEST = 5 };

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
    for (int64_t i = 0; i < world->bodies.n; i++) {
        const pl_mesh *mesh = world->bodies.body[i].mesh;
        hash = pl_hash(hash, &world->bodies.body[i].kind, sizeof world->bodies.body[i].kind);
        hash = pl_hash(hash, mesh->x, 3 * (size_t)mesh->n_vert * sizeof *mesh->x);
        hash = pl_hash(hash, mesh->tet, 4 * (size_t)mesh->n_tet * sizeof *mesh->tet);
        hash = pl_hash(hash, mesh->face, 3 * (size_t)mesh->n_face * sizeof *mesh->face);
    }
    for (int64_t i = 0; i < world->bodies.n_driven; i++) {
        hash =
            pl_hash(hash, &world->bodies.driven[i].vertex, sizeof world->bodies.driven[i].vertex);
    }
    return hash;
}

// What follows the header: arrays of the world, one after the other. The order of the collision
// trees is made for the purpose.
typedef struct piece {
    void *data;
    size_t size;
} piece;

enum {
    X,
    V,
    RIGID,
    GAIN,
    MEMORY,
    LAST_DT,
    LAST_W,
    LAST_DV,
    STRUCK,
    FROM,
    TO,
    STALE,
    TREES,
    PIECES
};

// `contact` is the world's, or what is to take its place.
static size_t list_pieces(const pl_world *world, const pl_contact_step *contact, const header *h,
                          void *trees, piece out[PIECES])
{
    size_t n = (size_t)world->state.n_vert, vectors = 3 * n * sizeof(double), sum = 0;
    memset(out, 0, PIECES * sizeof *out);
    out[X] = (piece){world->state.x, vectors};
    out[V] = (piece){world->state.v, vectors};
    out[RIGID] =
        (piece){world->state.rigid, (size_t)world->state.n_rigid * sizeof *world->state.rigid};
    if (h->has_gain != 0) out[GAIN] = (piece){world->past.change, vectors};
    if (h->has_history != 0) { // which a world that does not need it reads over
        pl_history none = {0}, *past = world->past.bdf2 != NULL ? &world->past.bdf2->last : &none;
        out[LAST_DT] = (piece){past != &none ? &past->dt : NULL, sizeof past->dt};
        out[LAST_W] = (piece){past->w, vectors};
        out[LAST_DV] = (piece){past->dv, vectors};
        out[STRUCK] = (piece){past->struck, n * sizeof *past->struck};
    }
    if (h->n_memory >= 0 && contact != NULL) {
        size_t search = (size_t)h->n_search * sizeof(double);
        out[MEMORY] =
            (piece){contact->contacts.memory, (size_t)h->n_memory * sizeof(pl_remembered)};
        out[FROM] = (piece){contact->detection.candidates.from, search};
        out[TO] = (piece){contact->detection.candidates.to, search};
        size_t n_body = h->n_search > 0 ? (size_t)contact->boundary.n_body : 0;
        out[STALE] = (piece){contact->detection.candidates.stale, n_body};
        out[TREES] = (piece){trees, pl_surfaces_state_size(contact->boundary.surfaces)};
    }
    for (int i = 0; i < PIECES; i++) sum += out[i].size;
    return sum;
}

static pl_status write_state(const pl_world *world, const header *h, void *trees, const char *path)
{
    piece pieces[PIECES];
    list_pieces(world, world->contact, h, trees, pieces);
    uint64_t sum = pl_hash(PL_HASH_START, h, sizeof *h);
    pl_output out;
    PL_TRY(pl_output_open(path, &out));
    pl_output_write(&out, h, sizeof *h);
    for (int i = 0; i < PIECES; i++) {
        sum = pl_hash(sum, pieces[i].data, pieces[i].size);
        pl_output_write(&out, pieces[i].data, pieces[i].size);
    }
    pl_output_write(&out, &sum, sizeof sum);
    pl_origin origin = pl_origin_of(world);
    pl_output_write(&out, &origin, sizeof origin);
    return pl_output_close(&out);
}

pl_status pl_world_save(const pl_world *world, const char *path)
{
    PL_REQUIRE(world);
    PL_REQUIRE(path);
    const pl_contact_step *contact = world->contact;
    bool past = world->past.bdf2 != NULL && world->past.bdf2->last.dt > 0;
    int64_t n_search = 0;
    if (contact != NULL && contact->detection.candidates.current)
        n_search = 3 * (int64_t)contact->boundary.n;
    const header h = {.magic = MAGIC,
                      .version = VERSION,
                      .world = fingerprint(world),
                      .steps = world->steps,
                      .time = world->time,
                      .n_memory = contact != NULL ? contact->contacts.n_memory : -1,
                      .n_search = n_search,
                      .has_gain = world->past.has_change,
                      .has_history = past};
    if (contact == NULL) return write_state(world, &h, NULL, path);
    void *trees = pl_alloc((int64_t)pl_surfaces_state_size(contact->boundary.surfaces), 1);
    if (trees == NULL) return PL_ERROR_MEMORY;
    pl_surfaces_get_state(contact->boundary.surfaces, trees);
    pl_status status = write_state(world, &h, trees, path);
    pl_free(trees);
    return status;
}

// --- Reading ---

// What a file holds: its header, and where each piece of it begins.
typedef struct content {
    header h;
    char *at[PIECES];
    size_t size[PIECES];
} content;

static pl_status check_header(const pl_world *world, const pl_bytes *bytes, const char *path,
                              header *h)
{
    if (bytes->size < sizeof *h) return pl_fail(PL_ERROR_FORMAT, "%s: not a checkpoint", path);
    memcpy(h, bytes->data, sizeof *h);
    if (h->magic != MAGIC) return pl_fail(PL_ERROR_FORMAT, "%s: not a checkpoint", path);
    if (h->version < OLDEST || h->version > VERSION) {
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

// Finds the pieces of the file as they belong to the world, whose contacts are there if the file
// has any, and looks at the sum.
static pl_status find_pieces(const pl_world *world, const pl_bytes *bytes, const char *path,
                             content *c)
{
    piece pieces[PIECES];
    const header *h = &c->h;
    uint64_t sum = 0, expected = pl_hash(PL_HASH_START, h, sizeof *h);
    bool fits = h->n_memory < (int64_t)bytes->size && (h->n_memory < 0 || world->contact != NULL);
    int64_t n_search = world->contact != NULL ? 3 * (int64_t)world->contact->boundary.n : 0;
    fits = fits && (h->n_search == 0 || h->n_search == n_search);
    fits = fits && h->n_memory >= -1 && h->has_gain >> 1 == 0 && h->has_history >> 1 == 0;
    size_t all = fits ? list_pieces(world, world->contact, h, NULL, pieces) : 0;
    bool whole = fits && bytes->size == sizeof *h + sizeof sum + all;
    if (whole) {
        // By the same pieces as above: the hash of a whole is not that of its pieces.
        char *at = bytes->data + sizeof *h;
        for (int i = 0; i < PIECES; at += pieces[i++].size) {
            c->at[i] = at;
            c->size[i] = pieces[i].size;
            expected = pl_hash(expected, at, pieces[i].size);
        }
        memcpy(&sum, at, sizeof sum);
    }
    if (!whole || sum != expected) {
        return pl_fail(PL_ERROR_FORMAT, "%s: the checkpoint is damaged", path);
    }
    return PL_OK;
}

// --- What no step has written: a right sum does not tell who made the file ---

static bool all_finite(const content *c, int piece)
{
    double value;
    for (size_t i = 0; i < c->size[piece]; i += sizeof value) {
        memcpy(&value, c->at[piece] + i, sizeof value);
        if (!isfinite(value)) return false;
    }
    return true;
}

static bool only_flags(const content *c, int piece)
{
    for (size_t i = 0; i < c->size[piece]; i++) {
        if (c->at[piece][i] != 0 && c->at[piece][i] != 1) return false;
    }
    return true;
}

static bool positive_dt(const content *c)
{
    double dt = 1;
    if (c->size[LAST_DT] > 0) memcpy(&dt, c->at[LAST_DT], sizeof dt);
    return dt > 0 && isfinite(dt);
}

// Are orientations such? Masses are the world's own from here on: a body that has another one than
// in the run which wrote the file keeps its velocities.
static bool fit_bodies(const pl_world *world, const content *c)
{
    static const double ROUNDING = 1e-6;
    if (!all_finite(c, RIGID)) return false;
    for (int64_t i = 0; i < world->state.n_rigid; i++) {
        const pl_rigid *now = &world->state.rigid[i];
        char *at = c->at[RIGID] + (size_t)i * sizeof(pl_rigid);
        pl_rigid r;
        memcpy(&r, at, sizeof r);
        double length = r.q[0] * r.q[0] + r.q[1] * r.q[1] + r.q[2] * r.q[2] + r.q[3] * r.q[3];
        if (!(fabs(length - 1) < ROUNDING) || !(r.mass > 0)) return false;
        for (int k = 0; k < 3 && r.mass != now->mass; k++) r.spin[k] *= now->mass / r.mass;
        r.mass = now->mass;
        memcpy(r.moment, now->moment, sizeof r.moment);
        memcpy(at, &r, sizeof r);
    }
    return all_finite(c, RIGID); // after the division, too
}

// Forces by pair, each once and in order.
static bool ordered_memory(const content *c)
{
    pl_remembered m, before = {.pair = {-1, 0, 0}};
    for (size_t i = 0; i < c->size[MEMORY]; i += sizeof m, before = m) {
        memcpy(&m, c->at[MEMORY] + i, sizeof m);
        if (pl_pair_compare(&before.pair, &m.pair) >= 0) return false;
        if (!isfinite(m.force[0]) || !isfinite(m.force[1]) || !isfinite(m.force[2])) return false;
        if (m.found != 0 && m.found != 1) return false;
    }
    return true;
}

static pl_status check_values(const pl_world *world, const content *c, const char *path)
{
    static const int64_t MOST_STEPS = INT64_MAX / 2;
    const char *what = NULL;
    const header *h = &c->h;
    if (!isfinite(h->time) || h->steps < 0 || h->steps > MOST_STEPS) what = "time";
    if (!all_finite(c, X)) what = "position";
    if (!all_finite(c, V) || !all_finite(c, GAIN)) what = "velocity";
    if (!fit_bodies(world, c)) what = "rigid body";
    if (!ordered_memory(c)) what = "contact";
    if (!positive_dt(c) || !all_finite(c, LAST_W) || !all_finite(c, LAST_DV) ||
        !only_flags(c, STRUCK))
        what = "step before";
    if (!all_finite(c, FROM) || !all_finite(c, TO) || !only_flags(c, STALE)) what = "search";
    if (what == NULL) return PL_OK;
    return pl_fail(PL_ERROR_FORMAT, "%s: the checkpoint is damaged: a %s that no step can leave",
                   path, what);
}

// --- Taking ---

static void copy_pieces(const content *c, const piece to[PIECES], int first, int last)
{
    for (int i = first; i <= last; i++) {
        if (to[i].size > 0 && to[i].data != NULL) memcpy(to[i].data, c->at[i], to[i].size);
    }
}

static pl_status fill_touch(const pl_world *world, const content *c, pl_contact_step *contact)
{
    piece to[PIECES];
    pl_contacts *contacts = &contact->contacts;
    pl_candidate_set *candidates = &contact->detection.candidates;
    PL_TRY(pl_reserve((void **)&contacts->memory, &contacts->memory_capacity, c->h.n_memory,
                      sizeof *contacts->memory));
    PL_TRY(pl_candidates_reserve(candidates, &contact->boundary));
    PL_TRY(pl_surfaces_set_state(contact->boundary.surfaces, c->at[TREES]));
    list_pieces(world, contact, &c->h, NULL, to);
    copy_pieces(c, to, MEMORY, MEMORY);
    copy_pieces(c, to, FROM, STALE);
    contacts->n_memory = c->h.n_memory;
    return c->h.n_search > 0 ? pl_candidates_restore(candidates, &contact->boundary) : PL_OK;
}

// New contacts, as the file has them, for bodies where the file has them: where they are now may be
// beyond what trees can be made for. Vectors stand first in the file, at places for doubles.
static pl_status make_touch(const pl_world *world, const content *c, const char *path,
                            pl_contact_step **out)
{
    pl_world there = *world;
    there.state.x = (void *)c->at[X];
    there.state.v = (void *)c->at[V];
    there.state.rigid = (void *)c->at[RIGID];
    there.time = c->h.time;
    pl_status status = pl_contact_step_create(&there, out);
    if (status == PL_OK) status = fill_touch(&there, c, *out);
    if (status == PL_OK) return PL_OK;
    pl_contact_step_destroy(*out);
    *out = NULL;
    if (status != PL_ERROR_MEMORY) {
        pl_fail_prefix("the checkpoint is damaged");
        pl_fail_prefix(path);
        status = PL_ERROR_FORMAT;
    }
    return status;
}

// The world becomes what the file says; nothing here can fail. A state from before the first step,
// or of a world without contact, has no trees: the next step makes them, and looks if bodies are
// apart.
static void take_state(pl_world *world, const content *c, pl_contact_step *contact)
{
    piece to[PIECES];
    if (contact == NULL && world->contact != NULL) pl_world_unprepare(world);
    pl_contact_step_destroy(world->contact);
    world->contact = contact;
    if (world->past.bdf2 != NULL) world->past.bdf2->last.dt = 0; // unless the file has another
    list_pieces(world, NULL, &c->h, NULL, to);
    copy_pieces(c, to, X, STRUCK);
    world->past.has_change = c->h.has_gain != 0 && world->past.change != NULL;
    world->time = c->h.time;
    world->steps = c->h.steps;
    pl_world_publish(world);
}

// All that can fail happens beside the world.
static pl_status load(pl_world *world, const pl_bytes *bytes, const char *path, bool has_origin)
{
    content c = {0};
    pl_contact_step *contact = NULL;
    PL_TRY(check_header(world, bytes, path, &c.h));
    if (has_origin != (c.h.version > OLDEST)) {
        return pl_fail(PL_ERROR_FORMAT, "%s: the checkpoint is damaged", path);
    }
    bool contacts = c.h.n_memory >= 0, past = c.h.has_gain != 0 || c.h.has_history != 0;
    if (contacts || (past && !world->options.contact)) PL_TRY(pl_world_prepare(world));
    PL_TRY(find_pieces(world, bytes, path, &c));
    PL_TRY(check_values(world, &c, path));
    if (contacts) PL_TRY(make_touch(world, &c, path, &contact));
    take_state(world, &c, contact);
    return PL_OK;
}

pl_status pl_world_load(pl_world *world, const char *path)
{
    PL_REQUIRE(world);
    PL_REQUIRE(path);
    pl_bytes bytes;
    bool ready = world->system.ready;
    PL_TRY(pl_bytes_load(path, &bytes));
    pl_origin here = pl_origin_of(world), origin = pl_origin_take(&bytes);
    pl_status status = load(world, &bytes, path, origin.magic != 0);
    if (status != PL_OK && !ready) pl_world_unprepare(world);
    pl_bytes_free(&bytes);
    if (status == PL_OK) pl_origin_compare(&origin, &here, world, path);
    return status;
}
