// Checkpoints: a run that was resumed has the bits of one that was not; damaged and foreign files.

#include "../base/team.h"
#include "../world/parts.h"
#include "failing_alloc.h"
#include "worlds.h"
#include "../base/hash.h"

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
    int32_t n_constraint;
    pl_world_contacts(whole, &n_constraint);
    TEST_ASSERT_TRUE(n_constraint > 0);
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
    expect_refusal(other, PL_ERROR_FORMAT, "another scene: its bodies, their meshes");
    pl_world_destroy(other);
    other = make_scene("ring", PL_INTEGRATOR_SEMI_IMPLICIT, 3); // other vertices driven
    expect_refusal(other, PL_ERROR_FORMAT, "another scene: its bodies, their meshes");
    add_body(other, "ring", NULL);
    expect_refusal(other, PL_ERROR_FORMAT, "another scene: its bodies, their meshes");
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

// Four cubes that each fall upon another one, so that all parts of a checkpoint but the last have a
// multiple of 8 bytes; or without contact, half of them.
static pl_world *make_pairs(pl_integrator integrator)
{
    pl_world_options options = pl_world_options_default();
    options.contact = integrator != PL_INTEGRATOR_IMPLICIT;
    options.integrator = integrator;
    options.dt = 5e-3;
    pl_world *world = make_world(&options);
    for (int i = 0; i < 8; i++) {
        pl_mesh *mesh = make_mesh("box:size=0.4,0.4,0.4:cells=1,1,1");
        const double upper = i % 2, m[12] = {1, 0, 0, i / 2 + 0.01 * upper, 0, 1, 0, 0.03 * upper,
                                             0, 0, 1, 0.42 * upper};
        TEST_ASSERT_EQUAL(PL_OK, pl_mesh_transform(mesh, m));
        pl_deformable_options body = pl_deformable_options_default();
        body.velocity[2] = -upper;
        int32_t index;
        pl_status status = pl_world_add_deformable(world, mesh, &body, &index);
        TEST_ASSERT_EQUAL_MESSAGE(PL_OK, status, pl_error_text());
        pl_mesh_destroy(mesh);
    }
    return world;
}

static int32_t contacts_of(const pl_world *world)
{
    int32_t n;
    pl_world_contacts(world, &n);
    return n;
}

static const pl_integrator integrators[] = {PL_INTEGRATOR_SEMI_IMPLICIT, PL_INTEGRATOR_BDF2,
                                            PL_INTEGRATOR_IMPLICIT};
enum { INTEGRATORS = 3, STEPS = 12 };

// Loads `path` into a world that has taken `steps` while the n-th allocation fails. Where the load
// fails, the world and its next step must be those of one that never saw the file.
static bool load_with_failure(pl_integrator integrator, int steps, int64_t n, uint64_t at_save,
                              uint64_t next)
{
    pl_world *world = make_pairs(integrator);
    step(world, steps);
    uint64_t before = pl_world_hash(world);
    // Blocks of before are released by the C library's free as well.
    fail_nth(n);
    pl_status status = pl_world_load(world, path);
    fail_never();
    bool loaded = status == PL_OK;
    if (!loaded) TEST_ASSERT_EQUAL_MESSAGE(PL_ERROR_MEMORY, status, pl_error_text());
    TEST_ASSERT_EQUAL_HEX64(loaded ? at_save : before, pl_world_hash(world));
    step(world, 1);
    if (!loaded) TEST_ASSERT_EQUAL_HEX64(next, pl_world_hash(world));
    pl_world_destroy(world);
    return loaded;
}

static void test_load_without_memory(void)
{
    for (int i = 0; i < INTEGRATORS; i++) {
        for (int steps = 0; steps <= STEPS; steps += STEPS) {
            pl_world *other = make_pairs(integrators[i]), *world = make_pairs(integrators[i]);
            step(other, STEPS / 2);
            TEST_ASSERT_EQUAL(PL_OK, pl_world_save(other, path));
            step(world, steps + 1);
            int64_t n = 0;
            while (!load_with_failure(integrators[i], steps, n, pl_world_hash(other),
                                      pl_world_hash(world))) {
                n++;
            }
            TEST_ASSERT_TRUE(n > 0);
            pl_world_destroy(other), pl_world_destroy(world);
        }
    }
}

static void test_save_without_memory(void)
{
    pl_world *world = make_pairs(PL_INTEGRATOR_SEMI_IMPLICIT);
    step(world, STEPS);
    uint64_t hash = pl_world_hash(world);
    pl_status status = PL_ERROR_MEMORY;
    int64_t n = 0;
    for (; status != PL_OK; n++) {
        live_blocks = 0;
        fail_nth(n);
        status = pl_world_save(world, path);
        fail_never();
        TEST_ASSERT_EQUAL_INT64(0, live_blocks);
        TEST_ASSERT_EQUAL_HEX64(hash, pl_world_hash(world));
        if (status != PL_OK) TEST_ASSERT_EQUAL(PL_ERROR_MEMORY, status);
    }
    TEST_ASSERT_TRUE(n > 1);
    pl_world_destroy(world);
}

// --- Files with a right sum, made to harm ---

static void write_crafted(char *data, size_t size)
{
    size_t end = size - sizeof(uint64_t);
    uint64_t sum = pl_hash(PL_HASH_START, data, end);
    memcpy(data + end, &sum, sizeof sum);
    write_file(data, size);
}

// Are these bytes of a part with numbers? The directory has names, and the origin a hash.
static bool is_state(const pl_parts *parts, const char *at)
{
    for (int32_t i = 0; i < parts->n; i++) {
        const char *data = parts->data[i];
        bool inside = at >= data && at < data + parts->part[i].size;
        if (inside) return strcmp(parts->part[i].name, "origin") != 0;
    }
    return false;
}

// Each of these in turn in place of the 8 bytes at any place of the file must either be refused, or
// give a state from which a step does not go astray.
static void check_crafted(pl_integrator integrator)
{
    const double bad[] = {NAN, INFINITY, -1e300, 0};
    pl_world *world = make_pairs(integrator);
    step(world, STEPS);
    TEST_ASSERT_EQUAL(PL_OK, pl_world_save(world, path));
    char *data;
    size_t size = read_file(&data);
    write_crafted(data, size);
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_world_load(world, path), "the sum is another");
    pl_parts parts;
    TEST_ASSERT_EQUAL(PL_OK, pl_parts_unpack(&(pl_bytes){data, size}, path, &parts));
    uint64_t hash = pl_world_hash(world);
    size_t stride = 8 * (size / 8 / 60); // all of the directory, and of the rest some
    TEST_ASSERT_EQUAL(PL_OK, pl_world_set_max_seconds(world, 0.02)); // a step from nonsense
    for (size_t at = 0; at + 16 <= size; at += at < 700 ? 8 : stride) {
        for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
            char kept[8];
            memcpy(kept, data + at, 8);
            memcpy(data + at, &bad[k], 8);
            write_crafted(data, size);
            pl_status status = pl_world_load(world, path);
            if (status != PL_OK) {
                TEST_ASSERT_EQUAL_MESSAGE(PL_ERROR_FORMAT, status, pl_error_text());
                TEST_ASSERT_NOT_NULL(strstr(pl_error_text(), path));
                TEST_ASSERT_EQUAL_HEX64(hash, pl_world_hash(world));
            } else {
                double was;
                memcpy(&was, kept, sizeof was);
                bool number = isnormal(was) && is_state(&parts, data + at); // not a tiny whole one
                TEST_ASSERT_TRUE_MESSAGE(isfinite(bad[k]) || !number, "a number is not finite");
                pl_world_step(world, NULL);
            }
            memcpy(data + at, kept, 8);
            write_crafted(data, size);
            TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_world_load(world, path), pl_error_text());
        }
    }
    free(data);
    pl_world_destroy(world);
}

static void test_crafted(void)
{
    for (int i = 0; i < INTEGRATORS; i++) check_crafted(integrators[i]);
}

// An element that the trees have twice would hide another one, and what that touches.
static void test_trees_have_each_element_once(void)
{
    pl_world *world = make_pairs(PL_INTEGRATOR_SEMI_IMPLICIT);
    step(world, STEPS);
    TEST_ASSERT_TRUE(contacts_of(world) > 0);
    TEST_ASSERT_EQUAL(PL_OK, pl_world_save(world, path));
    char *data;
    size_t size = read_file(&data);
    pl_parts parts;
    TEST_ASSERT_EQUAL(PL_OK, pl_parts_unpack(&(pl_bytes){data, size}, path, &parts));
    int32_t trees = pl_parts_find(&parts, "trees");
    TEST_ASSERT_TRUE(trees >= 0);
    // 12 faces of each of 8 bodies by id and kind, a cost of each body and its one chunk.
    char *end = (char *)parts.data[trees] + parts.part[trees].size;
    char *tree = end - 2 * 8 * sizeof(float) - 8 * 12 * 8;
    memcpy(tree, tree + 8, 8);
    write_crafted(data, size);
    expect_refusal(world, PL_ERROR_FORMAT, "other surfaces");
    free(data);
    pl_world_destroy(world);
}

// What is in memory is what would be in the file, and goes back as it does.
static void test_memory(void)
{
    pl_world *whole = make_cubes(true), *resumed = make_cubes(true);
    step(whole, 11);
    size_t size, needed;
    TEST_ASSERT_EQUAL(PL_OK, pl_world_save_memory(whole, NULL, 0, &size));
    char *data = malloc(size), *file;
    expect_failure(PL_ERROR_ARGUMENT, pl_world_save_memory(whole, data, size - 1, &needed), "room");
    TEST_ASSERT_EQUAL(size, needed);
    TEST_ASSERT_EQUAL(PL_OK, pl_world_save_memory(whole, data, size, &needed));
    TEST_ASSERT_EQUAL(PL_OK, pl_world_save(whole, path));
    TEST_ASSERT_EQUAL(size, read_file(&file));
    TEST_ASSERT_EQUAL_MEMORY(file, data, size);
    TEST_ASSERT_EQUAL(PL_OK, pl_world_load_memory(resumed, data, size));
    step(whole, 5), step(resumed, 5);
    TEST_ASSERT_EQUAL_HEX64(pl_world_hash(whole), pl_world_hash(resumed));
    data[size / 2] ^= 1;
    expect_failure(PL_ERROR_FORMAT, pl_world_load_memory(resumed, data, size), "damaged");
    TEST_ASSERT_EQUAL_HEX64(pl_world_hash(whole), pl_world_hash(resumed));
    free(data), free(file);
    pl_world_destroy(whole), pl_world_destroy(resumed);
}

// Parts that nobody asks for, such as those of a later version, do no harm; one of another version
// does.
static void test_unknown_parts(void)
{
    pl_world *world = make_cubes(true);
    step(world, 3);
    size_t size;
    TEST_ASSERT_EQUAL(PL_OK, pl_world_save_memory(world, NULL, 0, &size));
    char *data = malloc(size);
    TEST_ASSERT_EQUAL(PL_OK, pl_world_save_memory(world, data, size, &size));
    pl_parts parts;
    pl_bytes bytes;
    TEST_ASSERT_EQUAL(PL_OK, pl_parts_unpack(&(pl_bytes){data, size}, "memory", &parts));
    pl_parts_add(&parts, "gravity-waves", 3, "abc", 3);
    TEST_ASSERT_EQUAL(PL_OK, pl_parts_pack(&parts, &bytes));
    TEST_ASSERT_EQUAL(PL_OK, pl_world_load_memory(world, bytes.data, bytes.size));
    pl_bytes_free(&bytes);
    parts.part[pl_parts_find(&parts, "positions")].version = 2;
    TEST_ASSERT_EQUAL(PL_OK, pl_parts_pack(&parts, &bytes));
    expect_failure(PL_ERROR_FORMAT, pl_world_load_memory(world, bytes.data, bytes.size),
                   "position");
    pl_bytes_free(&bytes);
    free(data);
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
    RUN_TEST(test_memory);
    RUN_TEST(test_unknown_parts);
    RUN_TEST(test_other_version);
    RUN_TEST(test_other_scenes);
    RUN_TEST(test_no_file);
    RUN_TEST(test_load_without_memory);
    RUN_TEST(test_save_without_memory);
    RUN_TEST(test_crafted);
    RUN_TEST(test_trees_have_each_element_once);
    return UNITY_END();
}
