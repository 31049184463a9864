#include "pairs.h"
#include "triangles.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

// A block has at least this many leaves, if its patch has, and less than twice as many.
enum { BLOCK_LEAVES = 256 };
// Patches with more faces than this are fitted by all threads together, smaller ones by one each.
enum { LARGE_PATCH = 4096 };
// A tree is arranged again when its inner boxes have grown by this factor in relation to its
// leaves. They cost time then, never a pair.
static const double MIXED_UP = 1.5;

// --- Building ---

// The nodes of the level that makes blocks are first .. 2 first - 1, with first = this.
static int32_t block_level(int32_t n)
{
    int32_t first = 1;
    while (n / first >= 2 * BLOCK_LEAVES) first *= 2;
    return first;
}

// Which of a body's two patches a face is in.
static int patch_kind(const pl_pairs *pairs, int32_t f)
{
    return pairs->fans.of[f] >= 0 ? 1 : 0;
}

// count (2*n_body): faces by body and kind; afterwards, the next place in `face` for each.
static pl_status make_patches(pl_pairs *pairs, int32_t *count)
{
    int32_t n_present = 0, n_patch = 0, first = 0;
    for (int64_t i = 0; i < 2 * (int64_t)pairs->n_body; i++) n_patch += count[i] > 0;
    for (int64_t b = 0; b < pairs->n_body; b++) n_present += count[2 * b] + count[2 * b + 1] > 0;
    pairs->patch = pl_alloc_zero(n_patch, sizeof *pairs->patch);
    pairs->first_block = pl_alloc((int64_t)n_patch + 1, sizeof *pairs->first_block);
    pairs->present = pl_alloc(n_present, sizeof *pairs->present);
    if (pairs->patch == NULL || pairs->first_block == NULL || pairs->present == NULL) {
        return PL_ERROR_MEMORY;
    }
    PL_TRY(pl_tree_alloc(n_present, &pairs->bodies));
    pairs->first_block[0] = n_present = 0;
    for (int32_t b = 0; b < pairs->n_body; b++) {
        pairs->first_patch[b] = pairs->n_patch;
        for (int kind = 0; kind < 2; kind++) {
            int32_t n = count[2 * (int64_t)b + kind];
            count[2 * (int64_t)b + kind] = first;
            if (n == 0) continue;
            pl_tree tree = {n, pairs->faces.box + 2 * (int64_t)first, pairs->faces.item + first,
                            pairs->faces.leaf + first};
            int32_t p = pairs->n_patch++;
            pairs->patch[p] =
                (pl_patch){.body = b, .hubs = kind == 1, .first = first, .tree = tree};
            pairs->first_block[p + 1] = pairs->first_block[p] + block_level(n);
            first += n;
        }
        if (pairs->n_patch > pairs->first_patch[b]) pairs->present[n_present++] = b;
    }
    pairs->first_patch[pairs->n_body] = pairs->n_patch;
    return PL_OK;
}

static pl_status gather_faces(pl_pairs *pairs)
{
    const pl_mesh *mesh = pairs->mesh;
    int32_t *count = pl_alloc_zero(2 * (int64_t)pairs->n_body, sizeof *count), n = 0;
    if (count == NULL) return PL_ERROR_MEMORY;
    for (int32_t f = 0; f < mesh->n_face; f++) {
        if (pairs->body[f] < 0) continue;
        count[2 * (int64_t)pairs->body[f] + patch_kind(pairs, f)]++;
        n++;
    }
    pairs->first_patch = pl_alloc((int64_t)pairs->n_body + 1, sizeof *pairs->first_patch);
    pairs->face = pl_alloc(n, sizeof *pairs->face);
    pairs->room = pl_alloc(PL_MAX(n, pairs->n_body), sizeof *pairs->room);
    bool ok = pairs->first_patch != NULL && pairs->face != NULL && pairs->room != NULL;
    pl_status status = ok ? pl_tree_alloc(n, &pairs->faces) : PL_ERROR_MEMORY;
    if (status == PL_OK) status = make_patches(pairs, count);
    for (int32_t f = 0; f < mesh->n_face && status == PL_OK; f++) {
        if (pairs->body[f] < 0) continue;
        pairs->face[count[2 * (int64_t)pairs->body[f] + patch_kind(pairs, f)]++] = f;
    }
    pl_free(count);
    return status;
}

pl_status pl_pairs_build(const pl_mesh *mesh, const int32_t *body, int32_t n_body, pl_pairs *out)
{
    *out = (pl_pairs){.mesh = mesh, .body = body, .n_body = n_body};
    bool *skip = pl_alloc(mesh->n_face, sizeof *skip);
    if (skip == NULL) return PL_ERROR_MEMORY;
    for (int32_t f = 0; f < mesh->n_face; f++) skip[f] = body[f] < 0;
    pl_status status = pl_fans_build(mesh, skip, &out->fans);
    pl_free(skip);
    if (status == PL_OK) status = gather_faces(out);
    if (status != PL_OK) pl_pairs_free(out);
    return status;
}

void pl_pairs_free(pl_pairs *pairs)
{
    pl_free(pairs->patch);
    pl_free(pairs->first_patch);
    pl_free(pairs->first_block);
    pl_free(pairs->face);
    pl_free(pairs->room);
    pl_free(pairs->present);
    pl_free(pairs->pair);
    pl_tree_free(&pairs->faces);
    pl_tree_free(&pairs->bodies);
    pl_fans_free(&pairs->fans);
    *pairs = (pl_pairs){0};
}

// --- Fitting ---

static pl_box box_of(const pl_pairs *pairs, int32_t f)
{
    return pl_face_box(pairs->mesh->x, pairs->mesh->face + 3 * (int64_t)f);
}

typedef struct fit_loop {
    const pl_pairs *pairs;
    const pl_patch *patch;
} fit_loop;

static void fit_some_boxes(void *context, int64_t first, int64_t last)
{
    const fit_loop *l = context;
    const pl_tree *tree = &l->patch->tree;
    for (int64_t i = first; i < last; i++) {
        int32_t face = pl_patch_face(l->pairs, l->patch, tree->item[i]);
        tree->box[tree->n + i] = box_of(l->pairs, face);
    }
}

static void fit_boxes(const pl_pairs *pairs, pl_patch *patch)
{
    pl_loop(patch->tree.n, LARGE_PATCH / 2, fit_some_boxes, &(fit_loop){pairs, patch});
    pl_tree_join(&patch->tree);
}

static double sum_extents(const pl_tree *tree, int64_t from, int64_t to)
{
    double sum = 0;
    for (int64_t i = from; i < to; i++) sum += pl_box_extent(&tree->box[i]);
    return sum;
}

static void arrange_patch(const pl_pairs *pairs, pl_patch *patch)
{
    pl_tree *tree = &patch->tree;
    pl_tree_centre *room = pairs->room + patch->first;
    for (int32_t i = 0; i < tree->n; i++) {
        pl_box box = box_of(pairs, pl_patch_face(pairs, patch, i));
        room[i] = pl_box_centre(&box, i);
    }
    pl_tree_arrange(tree, room);
    fit_boxes(pairs, patch);
    patch->inner = sum_extents(tree, 1, tree->n);
    patch->leaves = sum_extents(tree, tree->n, 2 * (int64_t)tree->n);
}

static void fit_patch(const pl_pairs *pairs, pl_patch *patch, bool first_time)
{
    if (!first_time) {
        fit_boxes(pairs, patch);
        double inner = sum_extents(&patch->tree, 1, patch->tree.n);
        double leaves = sum_extents(&patch->tree, patch->tree.n, 2 * (int64_t)patch->tree.n);
        if (inner * patch->leaves <= MIXED_UP * patch->inner * leaves) return;
    }
    arrange_patch(pairs, patch);
}

// Bodies go anywhere: their tree is always arranged anew.
static void fit_bodies(pl_pairs *pairs)
{
    pl_tree *tree = &pairs->bodies;
    for (int round = 0; round < 2; round++) {
        for (int32_t i = 0; i < tree->n; i++) {
            int32_t p = pairs->first_patch[pairs->present[i]];
            pl_box box = pairs->patch[p].tree.box[1];
            if (p + 1 < pairs->first_patch[pairs->present[i] + 1]) {
                box = pl_boxes_join(&box, &pairs->patch[p + 1].tree.box[1]);
            }
            if (round == 0) pairs->room[i] = pl_box_centre(&box, i);
            if (round == 1) tree->box[tree->leaf[i]] = box;
        }
        if (round == 0) pl_tree_arrange(tree, pairs->room);
    }
    pl_tree_join(tree);
}

typedef struct patch_loop {
    pl_pairs *pairs;
    bool first_time;
} patch_loop;

static void fit_small_patches(void *context, int64_t first, int64_t last)
{
    const patch_loop *l = context;
    for (int64_t p = first; p < last; p++) {
        pl_patch *patch = &l->pairs->patch[p];
        if (patch->tree.n <= LARGE_PATCH) fit_patch(l->pairs, patch, l->first_time);
    }
}

void pl_pairs_fit(pl_pairs *pairs)
{
    bool first_time = !pairs->fitted;
    pairs->fitted = true;
    pl_fans_fit(&pairs->fans);
    for (int32_t p = 0; p < pairs->n_patch; p++) {
        if (pairs->patch[p].tree.n > LARGE_PATCH) fit_patch(pairs, &pairs->patch[p], first_time);
    }
    bool small = pairs->faces.n <= PL_SMALL_SCENE;
    pl_loop(pairs->n_patch, small ? pairs->n_patch : 16, fit_small_patches,
            &(patch_loop){pairs, first_time});
    fit_bodies(pairs);
}

const pl_patch *pl_pairs_block(const pl_pairs *pairs, int32_t k, int32_t *node)
{
    int32_t lo = 0, hi = pairs->n_patch - 1; // the last patch with first_block <= k
    while (lo < hi) {
        int32_t middle = hi - (hi - lo) / 2;
        if (pairs->first_block[middle] <= k) {
            lo = middle;
        } else {
            hi = middle - 1;
        }
    }
    *node = block_level(pairs->patch[lo].tree.n) + k - pairs->first_block[lo];
    return &pairs->patch[lo];
}

// --- What is found ---

// Threads add one after the other: where all is well they have nothing to add.
static pthread_mutex_t add_lock = PTHREAD_MUTEX_INITIALIZER;

// Returns false if that ends the search.
static bool add_pair(pl_pairs *pairs, int32_t f, int32_t g)
{
    pthread_mutex_lock(&add_lock);
    if (pairs->n_pair == PL_INTERSECTIONS_MAX) {
        pairs->more = true;
    } else if (pairs->status == PL_OK) {
        pairs->status = pl_reserve((void **)&pairs->pair, &pairs->capacity, 2 * pairs->n_pair + 2,
                                   sizeof *pairs->pair);
    }
    bool go_on = !pairs->more && pairs->status == PL_OK;
    if (go_on) {
        pairs->pair[2 * pairs->n_pair] = PL_MIN(f, g);
        pairs->pair[2 * pairs->n_pair++ + 1] = PL_MAX(f, g);
    } else {
        pairs->over = true;
    }
    pthread_mutex_unlock(&add_lock);
    return go_on;
}

static bool pair_before(const int32_t a[2], const int32_t b[2])
{
    return a[0] != b[0] ? a[0] < b[0] : a[1] < b[1];
}

// Puts `value` into the heap of n pairs whose root, i, is free.
static void sift_pair(int32_t *pair, int64_t i, int64_t n, const int32_t value[2])
{
    int32_t kept[2] = {value[0], value[1]};
    for (int64_t child; (child = 2 * i + 1) < n; i = child) {
        if (child + 1 < n && pair_before(pair + 2 * child, pair + 2 * child + 2)) child++;
        if (!pair_before(kept, pair + 2 * child)) break;
        memcpy(pair + 2 * i, pair + 2 * child, sizeof kept);
    }
    memcpy(pair + 2 * i, kept, sizeof kept);
}

static void sort_pairs(int32_t *pair, int64_t n) // heapsort: no memory, no bad case
{
    for (int64_t i = n / 2 - 1; i >= 0; i--) sift_pair(pair, i, n, pair + 2 * i);
    for (int64_t i = n - 1; i > 0; i--) {
        int32_t last[2] = {pair[2 * i], pair[2 * i + 1]};
        memcpy(pair + 2 * i, pair, sizeof last);
        sift_pair(pair, 0, i, last);
    }
}

// --- Fans: one thread ---

typedef struct fan_search {
    pl_pairs *pairs;
    int32_t k;             // the fan
    const pl_patch *patch; // whose faces are strangers to it
    int32_t f;             // the face whose partners in the fan are looked for
    pl_box box;            // around it
    bool later;            // only those after f
} fan_search;

static void look_from(fan_search *search, int32_t f, bool later)
{
    search->f = f;
    search->later = later;
    search->box = box_of(search->pairs, f);
}

static bool visit_fan_face(void *user, int32_t g)
{
    fan_search *search = user;
    pl_pairs *pairs = search->pairs;
    if (g == search->f || (search->later && g < search->f)) return true;
    pl_box box = box_of(pairs, g);
    if (!pl_boxes_overlap(&box, &search->box)) return true;
    const int32_t *face = pairs->mesh->face;
    if (pl_bodies_excluded(pairs, pairs->body[search->f], pairs->body[g]) ||
        !pl_faces_meet(pairs->mesh->x, face + 3 * (int64_t)search->f, face + 3 * (int64_t)g)) {
        return true;
    }
    return add_pair(pairs, search->f, g);
}

static bool search_fan(fan_search *search)
{
    return pl_fan_search(&search->pairs->fans, search->k,
                         search->pairs->mesh->face + 3 * (int64_t)search->f, visit_fan_face,
                         search);
}

// A face in the box of a fan, against that fan. Pairs of fans are looked at from the second one.
static bool visit_stranger(void *user, int32_t item)
{
    fan_search *search = user;
    int32_t g = pl_patch_face(search->pairs, search->patch, item);
    if (search->pairs->fans.of[g] >= search->k) return true;
    look_from(search, g, false);
    return search_fan(search);
}

static bool visit_body_of_strangers(void *user, int32_t item)
{
    fan_search *search = user;
    const pl_pairs *pairs = search->pairs;
    int32_t b = pairs->present[item];
    for (int32_t p = pairs->first_patch[b]; p < pairs->first_patch[b + 1]; p++) {
        search->patch = &pairs->patch[p];
        const pl_box *bounds = &pairs->fans.fan[search->k].bounds;
        if (!pl_tree_search(&search->patch->tree, bounds, visit_stranger, search)) return false;
    }
    return true;
}

static bool find_in_fans(pl_pairs *pairs)
{
    for (int32_t k = 0; k < pairs->fans.n; k++) {
        const pl_fan *fan = &pairs->fans.fan[k];
        fan_search search = {.pairs = pairs, .k = k};
        for (int32_t i = 0; i < fan->n; i++) {
            look_from(&search, fan->face[i], true);
            if (!search_fan(&search)) return false;
        }
        if (!pl_tree_search(&pairs->bodies, &fan->bounds, visit_body_of_strangers, &search)) {
            return false;
        }
    }
    return true;
}

// --- All other faces: block by block ---

typedef struct block {
    pl_pairs *pairs;
    const pl_patch *patch;
    int32_t node;
} block;

// Node i of the block's patch against node j of another patch, or of its own if they have no leaf
// in common. The larger one gives way to its halves.
static bool meet_nodes(const block *b, int32_t i, const pl_patch *other, int32_t j)
{
    const pl_tree *s = &b->patch->tree, *t = &other->tree;
    if (!pl_boxes_overlap(&s->box[i], &t->box[j])) return true;
    if (i >= s->n && j >= t->n) {
        int32_t f = pl_patch_face(b->pairs, b->patch, s->item[i - s->n]);
        int32_t g = pl_patch_face(b->pairs, other, t->item[j - t->n]);
        const pl_mesh *mesh = b->pairs->mesh;
        return !pl_faces_meet(mesh->x, mesh->face + 3 * (int64_t)f, mesh->face + 3 * (int64_t)g) ||
               add_pair(b->pairs, f, g);
    }
    if (j >= t->n || (i < s->n && pl_box_extent(&s->box[i]) > pl_box_extent(&t->box[j]))) {
        return meet_nodes(b, 2 * i, other, j) && meet_nodes(b, 2 * i + 1, other, j);
    }
    return meet_nodes(b, i, other, 2 * j) && meet_nodes(b, i, other, 2 * j + 1);
}

static bool meet_within(const block *b, int32_t i)
{
    return i >= b->patch->tree.n || (meet_within(b, 2 * i) && meet_within(b, 2 * i + 1) &&
                                     meet_nodes(b, 2 * i, b->patch, 2 * i + 1));
}

// The block against the blocks after it in the same patch, below `node`.
static bool meet_later_blocks(const block *b, int32_t node)
{
    const pl_tree *tree = &b->patch->tree;
    if (!pl_boxes_overlap(&tree->box[b->node], &tree->box[node])) return true;
    if (node < block_level(tree->n)) {
        return meet_later_blocks(b, 2 * node) && meet_later_blocks(b, 2 * node + 1);
    }
    return node <= b->node || meet_nodes(b, b->node, b->patch, node);
}

static bool visit_other_body(void *user, int32_t item)
{
    const block *b = user;
    const pl_pairs *pairs = b->pairs;
    int32_t other = pairs->present[item];
    const pl_patch *patch = &pairs->patch[pairs->first_patch[other]];
    if (other <= b->patch->body || patch->hubs) return true;
    if (pl_bodies_excluded(pairs, b->patch->body, other)) return true;
    return meet_nodes(b, b->node, patch, 1);
}

static void find_in_block(pl_pairs *pairs, int32_t k)
{
    block b = {.pairs = pairs};
    b.patch = pl_pairs_block(pairs, k, &b.node);
    if (b.patch->hubs) return;
    if (!pl_bodies_excluded(pairs, b.patch->body, b.patch->body) &&
        !(meet_within(&b, b.node) && meet_later_blocks(&b, 1))) {
        return;
    }
    pl_tree_search(&pairs->bodies, &b.patch->tree.box[b.node], visit_other_body, &b);
}

// --- All of it ---

static void find_in_blocks(void *context, int64_t first, int64_t last)
{
    pl_pairs *pairs = context;
    for (int32_t k = (int32_t)first; k < last && !pairs->over; k++) find_in_block(pairs, k);
}

static void find(pl_pairs *pairs, bool parallel)
{
    pairs->n_pair = 0;
    pairs->more = pairs->over = false;
    pairs->status = PL_OK;
    if (!find_in_fans(pairs)) return;
    int32_t n_block = pairs->first_block[pairs->n_patch];
    bool shared = parallel && pairs->faces.n > PL_SMALL_SCENE;
    pl_loop(n_block, shared ? 1 : n_block, find_in_blocks, pairs);
}

// Which ones are found of too many depends on the threads, so that one of them begins again.
pl_status pl_pairs_find(pl_pairs *pairs)
{
    find(pairs, true);
    if (pairs->more) find(pairs, false);
    if (pairs->status != PL_OK) {
        pairs->n_pair = 0; // the text may be on another thread
        return pl_fail(PL_ERROR_MEMORY, "out of memory: the list of faces that meet is too long");
    }
    sort_pairs(pairs->pair, pairs->n_pair);
    return PL_OK;
}
