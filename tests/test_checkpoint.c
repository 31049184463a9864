// Checkpoints: a run that was resumed has the bits of one that was not; damaged and foreign files.

#include "../base/team.h"
#include "failing_alloc.h"
#include "worlds.h"

#include <math.h>
#include <unistd.h>

static char directory[64];
static char path[128];

void setUp(void)
{
    pl_threads_set(1);
    snprintf(directory, sizeof directory, "/tmp/pliant-checkpoint-XXXXXX");
    TEST_ASSERT_NOT_NULL(mkdtemp(directory));
    snprintf(path, sizeof path, "%s/state", directory);
}

void tearDown(void)
{
    fail_never();
    unlink(path);
    rmdir(directory);
}

// A ring that swings on two vertices, one of which moves.
static pl_world *make_scene(const char *shape, pl_integrator integrator, int32_t first_driven)
{
    pl_world_options options = no_contact();
    options.integrator = integrator;
    options.dt = 5e-3;
    pl_world *world = make_world(&options);
    pl_deformable_options body = pl_deformable_options_default();
    body.material.kind = PL_MATERIAL_NEO_HOOKEAN;
    body.material.stiffness_damping = 1e-3;
    int32_t index = add_body(world, shape, &body);
    pl_motion motion = pl_motion_default();
    motion.velocity[0] = 0.3;
    motion.end = 0.06;
    const int32_t vertex[2] = {first_driven, first_driven + 1};
    TEST_ASSERT_EQUAL(PL_OK, pl_world_drive(world, index, 1, vertex, NULL));
    TEST_ASSERT_EQUAL(PL_OK, pl_world_drive(world, index, 1, vertex + 1, &motion));
    return world;
}

static void check_resume(pl_integrator integrator)
{
    pl_world *whole = make_scene("ring", integrator, 0);
    step(whole, 8);
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_world_save(whole, path), pl_error_text());
    uint64_t at_save = pl_world_hash(whole);
    step(whole, 12);
    pl_world *resumed = make_scene("ring", integrator, 0);
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_world_load(resumed, path), pl_error_text());
    TEST_ASSERT_EQUAL_HEX64(at_save, pl_world_hash(resumed));
    TEST_ASSERT_EQUAL_INT64(8, pl_world_steps(resumed));
    step(resumed, 12);
    TEST_ASSERT_EQUAL_HEX64(pl_world_hash(whole), pl_world_hash(resumed));
    TEST_ASSERT_EQUAL_INT64(20, pl_world_steps(resumed));
    TEST_ASSERT_EQUAL_DOUBLE(pl_world_time(whole), pl_world_time(resumed));
    pl_world_destroy(whole);
    pl_world_destroy(resumed);
}

static void test_resume(void)
{
    check_resume(PL_INTEGRATOR_SEMI_IMPLICIT);
    check_resume(PL_INTEGRATOR_IMPLICIT);
    check_resume(PL_INTEGRATOR_BDF2);
}

// Going back in the same world.
static void test_rewind(void)
{
    pl_world *world = make_scene("ring", PL_INTEGRATOR_SEMI_IMPLICIT, 0);
    step(world, 3);
    TEST_ASSERT_EQUAL(PL_OK, pl_world_save(world, path));
    step(world, 5);
    uint64_t hash = pl_world_hash(world);
    TEST_ASSERT_EQUAL(PL_OK, pl_world_load(world, path));
    step(world, 5);
    TEST_ASSERT_EQUAL_HEX64(hash, pl_world_hash(world));
    pl_world_destroy(world);
}

// --- Damage ---

static size_t read_file(char **data)
{
    FILE *file = fopen(path, "rb");
    TEST_ASSERT_NOT_NULL(file);
    fseek(file, 0, SEEK_END);
    size_t size = (size_t)ftell(file);
    rewind(file);
    *data = malloc(size + 16);
    TEST_ASSERT_EQUAL_UINT64(size, fread(*data, 1, size, file));
    fclose(file);
    return size;
}

static void write_file(const char *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    TEST_ASSERT_NOT_NULL(file);
    TEST_ASSERT_EQUAL_UINT64(size, fwrite(data, 1, size, file));
    fclose(file);
}

// The file must be refused, with its name, and the world stay as it is.
static void expect_refusal(pl_world *world, pl_status status, const char *part)
{
    uint64_t hash = pl_world_hash(world);
    int64_t steps = pl_world_steps(world);
    expect_failure(status, pl_world_load(world, path), part);
    TEST_ASSERT_NOT_NULL(strstr(pl_error_text(), path));
    TEST_ASSERT_EQUAL_HEX64(hash, pl_world_hash(world));
    TEST_ASSERT_EQUAL_INT64(steps, pl_world_steps(world));
}

static void test_damage(void)
{
    const char *tet = "box:cells=1,1,1";
    pl_world *world = make_scene(tet, PL_INTEGRATOR_SEMI_IMPLICIT, 0);
    step(world, 2);
    TEST_ASSERT_EQUAL(PL_OK, pl_world_save(world, path));
    char *data;
    size_t size = read_file(&data);
    for (size_t i = 0; i < size; i++) { // every byte, in its lowest and highest bit
        for (int bit = 0; bit < 8; bit += 7) {
            data[i] = (char)(data[i] ^ 1 << bit);
            write_file(data, size);
            expect_refusal(world, PL_ERROR_FORMAT, "checkpoint");
            data[i] = (char)(data[i] ^ 1 << bit);
        }
    }
    for (size_t i = 0; i < size; i += 7) { // cut off anywhere
        write_file(data, i);
        expect_refusal(world, PL_ERROR_FORMAT, "checkpoint");
    }
    memset(data + size, 0, 8); // longer than it says
    write_file(data, size + 8);
    expect_refusal(world, PL_ERROR_FORMAT, "damaged");
    write_file(data, size);
    TEST_ASSERT_EQUAL(PL_OK, pl_world_load(world, path));
    free(data);
    pl_world_destroy(world);
}

// --- Contact ---

// A cube that falls upon another one.
static pl_world *make_cubes(bool contact)
{
    pl_world_options options = pl_world_options_default();
    options.contact = contact;
    options.dt = 5e-3;
    pl_world *world = make_world(&options);
    for (int i = 0; i < 2; i++) {
        int32_t body = add_body(world, "box:size=0.4,0.4,0.4:cells=2,2,2", NULL);
        int32_t n = pl_world_vertex_count(world, body);
        double *x = calloc(6 * (size_t)n, sizeof *x), *v = x + 3 * n;
        memcpy(x, pl_world_positions(world, body), 3 * (size_t)n * sizeof *x);
        for (int32_t k = 0; k < n && i == 1; k++) {
            x[3 * k] += 0.01, x[3 * k + 1] += 0.03, x[3 * k + 2] += 0.45;
            v[3 * k + 2] = -1;
        }
        TEST_ASSERT_EQUAL(PL_OK, pl_world_set_state(world, body, x, v));
        free(x);
    }
    return world;
}

// What is refused leaves no trace: not in what contacts remember, nor in what was gained.
static void test_damage_leaves_contacts_alone(void)
{
    pl_world *fresh = make_cubes(true), *whole = make_cubes(true), *other = make_cubes(true);
    TEST_ASSERT_EQUAL(PL_OK, pl_world_save(fresh, path));
    char *data;
    size_t size = read_file(&data);
    data[size / 2] ^= 1;
    write_file(data, size);
    step(whole, 11), step(other, 11);
    expect_refusal(other, PL_ERROR_FORMAT, "damaged");
    step(whole, 2), step(other, 2);
    int32_t n_contact;
    pl_world_contacts(whole, &n_contact);
    TEST_ASSERT_TRUE(n_contact > 0);
    TEST_ASSERT_EQUAL_HEX64(pl_world_hash(whole), pl_world_hash(other));
    free(data);
    pl_world_destroy(fresh), pl_world_destroy(whole), pl_world_destroy(other);
}

// Bodies that passed into each other without contact are found by a world with it.
static void test_a_state_without_contact_is_looked_at(void)
{
    pl_world *without = make_cubes(false), *with = make_cubes(true);
    step(without, 40);
    TEST_ASSERT_EQUAL(PL_OK, pl_world_save(without, path));
    step(with, 3);
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_world_load(with, path), pl_error_text());
    expect_failure(PL_ERROR_GEOMETRY, pl_world_step(with, NULL), "at the start");
    pl_world_destroy(without), pl_world_destroy(with);
}

static void test_other_version(void)
{
    pl_world *world = make_scene("ring", PL_INTEGRATOR_SEMI_IMPLICIT, 0);
    TEST_ASSERT_EQUAL(PL_OK, pl_world_save(world, path));
    char *data;
    size_t size = read_file(&data);
    data[8] = 9; // the number after the magic
    write_file(data, size);
    expect_refusal(world, PL_ERROR_FORMAT, "version 9");
    free(data);
    pl_world_destroy(world);
}

static void test_other_scenes(void)
{
    pl_world *world = make_scene("ring", PL_INTEGRATOR_SEMI_IMPLICIT, 0);
    TEST_ASSERT_EQUAL(PL_OK, pl_world_save(world, path));
    pl_world *other = make_scene("cube:cells=2", PL_INTEGRATOR_SEMI_IMPLICIT, 0);
    expect_refusal(other, PL_ERROR_FORMAT, "another scene");
    pl_world_destroy(other);
    other = make_scene("ring", PL_INTEGRATOR_SEMI_IMPLICIT, 3); // other vertices driven
    expect_refusal(other, PL_ERROR_FORMAT, "another scene");
    add_body(other, "ring", NULL);
    expect_refusal(other, PL_ERROR_FORMAT, "another scene");
    pl_world_destroy(other);
    pl_world_destroy(world);
}

static void test_no_file(void)
{
    pl_world *world = make_scene("ring", PL_INTEGRATOR_SEMI_IMPLICIT, 0);
    expect_refusal(world, PL_ERROR_FILE, "state");
    write_file("", 0);
    expect_refusal(world, PL_ERROR_FORMAT, "not a checkpoint");
    expect_failure(PL_ERROR_FILE, pl_world_save(world, "/nonexistent/state"), "/nonexistent");
    pl_world_destroy(world);
}

static void test_allocation_failures(void)
{
    pl_world *world = make_scene("ring", PL_INTEGRATOR_SEMI_IMPLICIT, 0);
    TEST_ASSERT_EQUAL(PL_OK, pl_world_save(world, path));
    uint64_t hash = pl_world_hash(world);
    for (int load = 0; load < 2; load++) {
        int64_t n = 0;
        for (;; n++) {
            live_blocks = 0;
            fail_nth(n);
            pl_status status = load ? pl_world_load(world, path) : pl_world_save(world, path);
            TEST_ASSERT_EQUAL_INT64(0, live_blocks);
            TEST_ASSERT_EQUAL_HEX64(hash, pl_world_hash(world));
            if (status == PL_OK) break;
            TEST_ASSERT_EQUAL(PL_ERROR_MEMORY, status);
        }
        TEST_ASSERT_TRUE(n > 0);
        fail_never();
    }
    TEST_ASSERT_EQUAL(PL_OK, pl_world_load(world, path));
    pl_world_destroy(world);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_resume);
    RUN_TEST(test_rewind);
    RUN_TEST(test_damage);
    RUN_TEST(test_damage_leaves_contacts_alone);
    RUN_TEST(test_a_state_without_contact_is_looked_at);
    RUN_TEST(test_other_version);
    RUN_TEST(test_other_scenes);
    RUN_TEST(test_no_file);
    RUN_TEST(test_allocation_failures);
    return UNITY_END();
}
