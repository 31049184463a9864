// Worlds whose surfaces alone are on a device: every step has the hash of the CPU's.

#include "../apps/scene/play.h"
#include "../collision/device.h"
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

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_the_same_hashes);
    return UNITY_END();
}
