// Worlds whose surfaces alone are on a device: every step has the hash of the CPU's. And what a
// step sends to a device and back, in bytes, so that more of it shows.

#include "../apps/scene/play.h"
#include "../collision/device.h"
#include "../fem/device.h"
#include "../gpu/device.h"
#include "../world/contact_step.h"
#include "devices.h"
#include "logs.h"

void setUp(void)
{
}

void tearDown(void)
{
}

static void open_play(const char *name, pl_play *out)
{
    pl_scene scene;
    char path[128];
    snprintf(path, sizeof path, "apps/scenes/%s.json", name);
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_scene_load(path, &scene), pl_error_text());
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_play_open(&scene, out), pl_error_text());
    pl_scene_free(&scene);
}

// Bodies that fall on each other, fold and turn: soft ones with patches that are left out, and some
// with radii.
static const struct {
    const char *scene;
    int steps;
} runs[] = {{"cubes", 20}, {"strings", 40}, {"rings", 60}, {"shapes", 60}, {"boxes", 40}};

// Steps a scene twice, and compares. Returns how many rounds found hits.
static int32_t compare(const char *name, int steps, pl_device *device)
{
    pl_play here, there;
    int32_t found = 0;
    open_play(name, &here), open_play(name, &there);
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_world_prepare(there.world), pl_error_text());
    pl_surfaces *surfaces = there.world->contact->boundary.surfaces;
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_surfaces_use(surfaces, device), pl_error_text());
    for (int i = 0; i < steps; i++) {
        TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_play_step(&here), pl_error_text());
        TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_play_step(&there), pl_error_text());
        TEST_ASSERT_EQUAL_HEX64_MESSAGE(here.stats.hash, there.stats.hash, name);
        TEST_ASSERT_EQUAL_INT32(here.stats.rounds, there.stats.rounds);
        found += there.stats.relinearizations;
    }
    TEST_ASSERT_TRUE(pl_surfaces_has_device(surfaces));
    pl_play_close(&here), pl_play_close(&there);
    return found;
}

static void test_the_same_hashes(void)
{
    for (int kind = PL_GPU_ORACLE; kind <= PL_GPU_OPENCL; kind++) {
        pl_gpu_info info;
        pl_device *device;
        int32_t found = 0;
        if (pl_gpu_list(kind, 1, &info) == 0 || info.lacks != NULL) continue;
        TEST_ASSERT_EQUAL(PL_OK, pl_gpu_device_open(kind, 0, &device));
        for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
            double start = pl_seconds();
            const pl_gpu_counts before = *pl_gpu_look(pl_gpu_of(device));
            int32_t hits = compare(runs[i].scene, runs[i].steps, device);
            const pl_gpu_counts *after = pl_gpu_look(pl_gpu_of(device));
            printf("%-8s %d steps on %s: %.0f launches, %.0f kB up, %.0f kB down each; hits in %d "
                   "rounds; %.1f s\n",
                   runs[i].scene, runs[i].steps, info.name,
                   (double)(after->launches - before.launches) / runs[i].steps,
                   1e-3 * (double)(after->up - before.up) / runs[i].steps,
                   1e-3 * (double)(after->down - before.down) / runs[i].steps, hits,
                   pl_seconds() - start);
            found += hits;
        }
        TEST_ASSERT_TRUE(found >= 8);
        TEST_ASSERT_EQUAL_INT64(0, pl_gpu_look(pl_gpu_of(device))->held);
        pl_gpu_device_close(device);
    }
}

// --- What passes the bus ---

enum { MOST_POINTS = 20000 };

static double last_from[3 * MOST_POINTS]; // where the last search began

static pl_gpu_counts counts_of(pl_device *device, const pl_gpu_counts *before)
{
    const pl_gpu_counts *now = pl_gpu_look(pl_gpu_of(device));
    return (pl_gpu_counts){.launches = now->launches - before->launches,
                           .up = now->up - before->up,
                           .down = now->down - before->down};
}

// Where points go by the guess and by the way of each round; near pairs, each 20 bytes up and 64
// down; the pairs that may come too near, each 36 bytes up and one down; and how many points leave
// their boxes. Where the step before ended, points are there already, unless a rigid body was not
// moved to where the last round saw it. A search sends where boxes reach, flags of points and
// patches, and gets the boxes of points and of roots, and the pairs that it has found; of those
// that are new the closest points are found, too.
static void expect_bytes(const pl_contact_step *contact, const pl_step_stats *stats,
                         const pl_gpu_counts *c, int32_t *again, int32_t *searches)
{
    const pl_surfaces *s = contact->boundary.surfaces;
    int64_t n = contact->boundary.n, rounds = stats->rounds;
    int64_t up = 24 * n * (1 + rounds), down = 8 * (1 + 2 * rounds);
    const double *from = contact->detection.candidates.from;
    bool searched = memcmp(from, last_from, 24 * (size_t)n) != 0;
    memcpy(last_from, from, 24 * (size_t)n);
    if (searched) {
        up += 25 * n + 4 * (int64_t)s->n_leaf + 12 * (int64_t)s->n_body + 8 * s->n_task + 64;
        up += 48 * (int64_t)s->n_item; // those that were sorted anew
        up += 20 * (c->down / 64);     // pairs that are measured
    }
    int64_t measured = PL_MAX(contact->detection.batch.n_closest, 0);
    int64_t tested = contact->detection.candidates.n_near * rounds; // at most
    up += 20 * measured + 36 * PL_MIN(c->down - 64 * measured, tested);
    down += 64 * measured + tested;
    if (c->up > up) {
        (*again)++;
        up += 24 * n;
    }
    TEST_ASSERT_LESS_OR_EQUAL_INT64(up, c->up);
    if (!searched) TEST_ASSERT_LESS_OR_EQUAL_INT64(down, c->down);
    *searches += searched;
}

static void test_the_bytes_of_a_step(void)
{
    static const char *const scenes[] = {"rings", "boxes", "shapes"};
    for (int i = 0; i < 3; i++) {
        pl_play play;
        pl_device *device;
        int32_t searches = 0, again = 0;
        int64_t up = 0, down = 0, steps = 60;
        open_play(scenes[i], &play);
        TEST_ASSERT_EQUAL(PL_OK, pl_gpu_device_open(PL_GPU_ORACLE, 0, &device));
        TEST_ASSERT_EQUAL(PL_OK, pl_world_prepare(play.world));
        pl_contact_step *contact = play.world->contact;
        TEST_ASSERT_LESS_THAN(MOST_POINTS, contact->boundary.n);
        memset(last_from, 0, sizeof last_from);
        TEST_ASSERT_EQUAL(PL_OK, pl_surfaces_use(contact->boundary.surfaces, device));
        for (int64_t k = 0; k < steps; k++) {
            const pl_gpu_counts before = *pl_gpu_look(pl_gpu_of(device));
            TEST_ASSERT_EQUAL(PL_OK, pl_play_step(&play));
            pl_gpu_counts c = counts_of(device, &before);
            if (play.stats.halvings == 0) {
                expect_bytes(contact, &play.stats, &c, &again, &searches);
            }
            up += c.up, down += c.down;
        }
        double n = (double)(contact->boundary.n * steps);
        printf("%s: %.1f bytes per point and step go up, %.1f come back; %d searches in %d steps\n",
               scenes[i], (double)up / n, (double)down / n, (int)searches, (int)steps);
        TEST_ASSERT_TRUE(searches > 0 && searches < steps && again <= steps / 8);
        TEST_ASSERT_TRUE((double)up < 130 * n && (double)down < 200 * n);
        pl_play_close(&play);
        pl_gpu_device_close(device);
    }
}

// A and f come back from each assembly; positions are sent once, where a step begins.
static void test_the_bytes_of_elements(void)
{
    pl_play play;
    pl_device *device;
    open_play("rings", &play);
    TEST_ASSERT_EQUAL(PL_OK, pl_gpu_device_open(PL_GPU_ORACLE, 0, &device));
    TEST_ASSERT_EQUAL(PL_OK, pl_world_prepare(play.world));
    pl_fem *fem = &play.world->system.fem;
    TEST_ASSERT_EQUAL(PL_OK, pl_fem_use(fem, device, &play.world->system.A));
    TEST_ASSERT_EQUAL(PL_OK, pl_play_step(&play));
    for (int k = 0; k < 5; k++) {
        const pl_gpu_counts before = *pl_gpu_look(pl_gpu_of(device));
        TEST_ASSERT_EQUAL(PL_OK, pl_play_step(&play));
        pl_gpu_counts c = counts_of(device, &before);
        int64_t nnz = play.world->system.A.row[fem->n_vert], n = fem->n_vert;
        printf("rings, elements: %.1f kB up, %.1f kB down, of which A %.1f\n", 1e-3 * (double)c.up,
               1e-3 * (double)c.down, 1e-3 * 72 * (double)nnz);
        TEST_ASSERT_LESS_OR_EQUAL_INT64(24 * n + 64 * fem->n_bodies, c.up);
        TEST_ASSERT_LESS_OR_EQUAL_INT64(72 * nnz + 2 * 24 * n + 64 * fem->n_patch, c.down);
    }
    pl_play_close(&play);
    pl_gpu_device_close(device);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_the_bytes_of_a_step);
    RUN_TEST(test_the_bytes_of_elements);
    RUN_TEST(test_the_same_hashes);
    return UNITY_END();
}
