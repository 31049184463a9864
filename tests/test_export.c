// Frames in every format: what a folder holds, how a run goes on with it, and what the programs of
// others read.

#include "../apps/export/export.h"
#include "../apps/export/pc2.h"
#include "../base/team.h"
#include "exports.h"

#include <signal.h>

static pl_scene scene;
static pl_world *world;

enum { ALL = PL_EXPORT_VTU | PL_EXPORT_OBJ | PL_EXPORT_PLY | PL_EXPORT_PC2 | PL_EXPORT_USDA };

void setUp(void)
{
    make_export_scene(&scene, &world);
}

void tearDown(void)
{
    pl_world_destroy(world);
    pl_scene_free(&scene);
}

static pl_export_options options_of(int formats, bool resumed)
{
    return (pl_export_options){.formats = formats, .fps = 50, .contacts = true, .resumed = resumed};
}

static pl_status open_export(const char *name, int formats, bool resumed, pl_export *out)
{
    pl_export_options options = options_of(formats, resumed);
    return pl_export_open(in_folder(name), &options, &scene, world, out);
}

// Writes n frames, two steps apart.
static void write_frames(pl_export *export, int n)
{
    for (int i = 0; i < n; i++) {
        TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_export_write(export, world), pl_error_text());
        step(world, 2);
    }
}

// --- The library side ---

static void test_formats(void)
{
    int formats;
    TEST_ASSERT_EQUAL(PL_OK, pl_export_formats("usda", &formats));
    TEST_ASSERT_EQUAL_INT(PL_EXPORT_USDA, formats);
    TEST_ASSERT_EQUAL(PL_OK, pl_export_formats("pc2,vtu,obj,ply,usda,obj", &formats));
    TEST_ASSERT_EQUAL_INT(ALL, formats);
    expect_failure(PL_ERROR_ARGUMENT, pl_export_formats("vtu,usd", &formats),
                   "unknown format \"usd\"");
    TEST_ASSERT_EQUAL(PL_ERROR_ARGUMENT, pl_export_formats("", &formats));
    TEST_ASSERT_EQUAL(PL_ERROR_ARGUMENT, pl_export_formats("vtu,", &formats));
}

// Each format writes its files and no others.
static void test_files(void)
{
    static const struct {
        int format;
        const char *files; // after two frames
    } expected[] = {
        {PL_EXPORT_VTU, "contacts-000000.vtu contacts-000002.vtu contacts.pvd frame-000000.vtu "
                        "frame-000002.vtu series.pvd "},
        {PL_EXPORT_OBJ, "frame-000000.obj frame-000002.obj frames.csv "},
        {PL_EXPORT_PLY, "frame-000000.ply frame-000002.ply frames.csv "},
        {PL_EXPORT_PC2, "body_000.obj body_000.pc2 body_001.obj body_001.pc2 body_002.obj "
                        "body_002.pc2 body_003.obj body_003.pc2 frames.csv scene.txt "},
        {PL_EXPORT_USDA, "frames.csv scene.pc2 scene.txt scene.usda "}};
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        pl_export export;
        TEST_ASSERT_EQUAL(PL_OK, open_export("files", expected[i].format, false, &export));
        TEST_ASSERT_TRUE(pl_export_is_empty(&export));
        TEST_ASSERT_EQUAL(0, shell("test -z \"$(ls $T/files)\"")); // nothing yet
        write_frames(&export, 2);
        TEST_ASSERT_FALSE(pl_export_is_empty(&export));
        TEST_ASSERT_EQUAL(PL_OK, pl_export_finish(&export));
        pl_export_free(&export);
        shell("ls $T/files | tr '\\n' ' '");
        TEST_ASSERT_EQUAL_STRING(expected[i].files, output);
        shell("rm -r $T/files");
        tearDown();
        setUp();
    }
}

// The same step twice is one frame; the list has the times.
static void test_list(void)
{
    pl_export export;
    TEST_ASSERT_EQUAL(PL_OK, open_export("list", PL_EXPORT_PLY | PL_EXPORT_PC2, false, &export));
    write_frames(&export, 3);
    TEST_ASSERT_EQUAL(PL_OK, pl_export_write(&export, world));
    TEST_ASSERT_EQUAL(PL_OK, pl_export_write(&export, world));
    pl_export_free(&export);
    TEST_ASSERT_EQUAL_STRING("step,time\n0,0\n2,0.02\n4,0.04\n6,0.060000000000000005\n",
                             read_whole("list/frames.csv"));
    TEST_ASSERT_EQUAL(PL_OK, pl_pc2_check(in_folder("list/body_000.pc2"), 26, 4));
    TEST_ASSERT_EQUAL(PL_ERROR_FORMAT, pl_pc2_check(in_folder("list/body_000.pc2"), 26, 5));
}

// USD has all frames whenever their number is a power of two, and at the end.
static void test_usd_keeps_up(void)
{
    pl_export export;
    TEST_ASSERT_EQUAL(PL_OK, open_export("usd", PL_EXPORT_USDA, false, &export));
    static const int in_usda[] = {1, 2, 2, 4, 4, 4};
    for (int i = 0; i < 6; i++) {
        write_frames(&export, 1);
        char line[64];
        snprintf(line, sizeof line, "endTimeCode = %d\n", in_usda[i] - 1);
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(read_whole("usd/scene.usda"), line), line);
    }
    TEST_ASSERT_EQUAL(PL_OK, pl_export_finish(&export));
    TEST_ASSERT_NOT_NULL(strstr(read_whole("usd/scene.usda"), "endTimeCode = 5\n"));
    pl_export_free(&export);
}

static void test_cannot_go_on(void)
{
    pl_export export;
    TEST_ASSERT_EQUAL(PL_OK, open_export("on", PL_EXPORT_OBJ, false, &export));
    write_frames(&export, 2);
    pl_export_free(&export);
    expect_failure(PL_ERROR_FILE, open_export("on", PL_EXPORT_OBJ | PL_EXPORT_PC2, true, &export),
                   "on/body_000.pc2: No such file or directory; resume with the formats that the "
                   "run had, or into another folder");
    write_file("on/frames.csv", "step,time\n0,0\n2;0.02\n");
    expect_failure(PL_ERROR_FORMAT, open_export("on", PL_EXPORT_OBJ, true, &export),
                   "on/frames.csv: row 3 is not STEP,TIME");
    write_file("on/frames.csv", "a,b\n");
    expect_failure(PL_ERROR_FORMAT, open_export("on", PL_EXPORT_OBJ, true, &export),
                   "on/frames.csv:1: not the list of the frames of a run");
    TEST_ASSERT_EQUAL(PL_OK, open_export("on", PL_EXPORT_OBJ, false, &export)); // starts anew
    pl_export_free(&export);
}

// A frame that could not be written is none, and can be tried again.
static void test_tried_again(void)
{
    pl_export export;
    TEST_ASSERT_EQUAL(PL_OK, open_export("again", PL_EXPORT_PLY | PL_EXPORT_PC2, false, &export));
    write_frames(&export, 1);
    shell("mv $T/again/body_001.pc2 $T/away"); // the cache of body 0 grows before this fails
    expect_failure(PL_ERROR_FILE, pl_export_write(&export, world),
                   "again/body_001.pc2: cannot write: No such file or directory");
    TEST_ASSERT_EQUAL_STRING("step,time\n0,0\n", read_whole("again/frames.csv"));
    shell("mv $T/away $T/again/body_001.pc2");
    TEST_ASSERT_EQUAL(PL_OK, pl_export_write(&export, world));
    pl_export_free(&export);
    TEST_ASSERT_EQUAL_STRING("step,time\n0,0\n2,0.02\n", read_whole("again/frames.csv"));
    TEST_ASSERT_EQUAL(0, shell("stat -c %s $T/again/body_000.pc2"));
    TEST_ASSERT_EQUAL_INT(32 + 12 * 26 * 2, atoi(output));
}

// Each allocation fails in turn; what is there afterwards is whole.
static pl_status export_all(void *user)
{
    pl_export export;
    (void)user;
    PL_TRY(open_export("short", ALL, true, &export));
    pl_status status = pl_export_write(&export, world);
    if (status == PL_OK) status = pl_export_finish(&export);
    pl_export_free(&export);
    return status;
}

static void test_allocations_fail(void)
{
    step(world, 1);
    fail_each_allocation(export_all, NULL);
    TEST_ASSERT_EQUAL_STRING("step,time\n1,0.01\n", read_whole("short/frames.csv"));
    TEST_ASSERT_EQUAL(PL_OK, pl_pc2_check(in_folder("short/body_000.pc2"), 26, 1));
    TEST_ASSERT_EQUAL(0, shell("! ls $T/short | grep part"));
}

// --- The command ---

static const char EVERYTHING[] = "--format vtu,usda,obj,ply,pc2 --threads 1 --quiet";

static void run_scene(const char *name, const char *words)
{
    char line[512];
    write_file("scene.json", EXPORT_SCENE);
    snprintf(line, sizeof line, "$P run $T/scene.json --out $T/%s %s %s", name, EVERYTHING, words);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, shell(line), output);
}

// A run that stopped and went on has the bytes of one that did not.
static void test_resumed(void)
{
    run_scene("whole", "--every 2 --steps 12");
    run_scene("parts", "--every 2 --steps 9 --checkpoint-every 5");
    run_scene("parts", "--every 2 --steps 12 --resume $T/parts/checkpoint-000005.plc");
    shell("rm $T/parts/*.plc");
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, shell("diff -r $T/whole $T/parts"), output);
    // Into an empty folder: from there on.
    run_scene("new", "--every 2 --steps 9 --checkpoint-every 5");
    shell("mv $T/new/checkpoint-000005.plc $T; rm -r $T/new");
    run_scene("new", "--every 2 --steps 12 --resume $T/checkpoint-000005.plc");
    TEST_ASSERT_EQUAL_INT(0, shell("cut -d, -f1 $T/new/frames.csv | tr '\\n' ' '"));
    TEST_ASSERT_EQUAL_STRING("step 5 6 8 10 12 ", output);
}

// Frames come after the steps nearest to their times.
static void test_fps(void)
{
    run_scene("fps", "--fps 24 --steps 20"); // 100 steps a second
    TEST_ASSERT_EQUAL_INT(0, shell("cut -d, -f1 $T/fps/frames.csv | tr '\\n' ' '"));
    TEST_ASSERT_EQUAL_STRING("step 0 4 8 13 17 ", output);
    TEST_ASSERT_NOT_NULL(strstr(read_whole("fps/scene.usda"), "timeCodesPerSecond = 24\n"));
    TEST_ASSERT_NOT_NULL(strstr(read_whole("fps/scene.usda"), "endTimeCode = 4.08\n"));
    run_scene("all", "--fps 100 --steps 5");
    TEST_ASSERT_EQUAL_INT(0, shell("test $(wc -l <$T/all/frames.csv) = 7"));
}

// A surface that a body carries is in all files but those for ParaView, which have its tets.
static void test_fine_surfaces(void)
{
    write_file("fine.json",
               "{\"bodies\": [{\"mesh\": \"cube:size=0.6:cells=2\", \"position\": [0, 0, 0.32],"
               " \"render_mesh\": \"icosphere:level=3:radius=0.4\"},"
               "{\"mesh\": \"cube\", \"position\": [2, 0, 0.7], \"type\": \"rigid\"}],"
               "\"world\": {\"dt\": 0.01}, \"ground\": {\"size\": 10}}");
    char line[512];
    snprintf(line, sizeof line, "$P run $T/fine.json --out $T/fine %s --every 5 --steps 10",
             EVERYTHING);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, shell(line), output);
    static const char *const counts[][2] = {
        {"grep -c ^v $T/fine/frame-000010.obj", "668\n"}, // 642 and 26
        {"grep -c ^f $T/fine/frame-000010.obj", "1328\n"},
        {"grep -c ^v $T/fine/body_000.obj", "642\n"},
        {"head -c 300 $T/fine/frame-000010.ply | grep -a ^element", "element vertex 668\n"
                                                                    "element face 1328\n"},
        {"grep -o '^ *int.. faceVertexCounts = .*' $T/fine/scene.usda | head -n 1 | tr -cd 3 | wc "
         "-c",
         "1280\n"},
        {"grep -ao 'NumberOfPoints=\"[0-9]*\"' $T/fine/frame-000010.vtu",
         "NumberOfPoints=\"62\"\n"}}; // 27, 27 and the ground
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        shell(counts[i][0]);
        TEST_ASSERT_EQUAL_STRING(counts[i][1], output);
    }
    TEST_ASSERT_EQUAL(PL_OK, pl_pc2_check(in_folder("fine/body_000.pc2"), 642, 3));
    if (!has_readers())
        TEST_IGNORE_MESSAGE("no readers of others: make check-exports fetches them");
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, run_readers("$T/fine 20 0 5 10"), output);
}

// Who sees nothing of it needs not even its file.
static void test_a_surface_that_nobody_sees_is_not_read(void)
{
    write_file(
        "unseen.json",
        "{\"ground\": false, \"bodies\": [{\"mesh\": \"cube\", \"render_mesh\": \"no.obj\"}]}");
    expect(0, "$P run $T/unseen.json --steps 1", "");
    expect(0, "$P run $T/unseen.json --steps 1 --out $T/unseen", "");
    expect(1, "$P run $T/unseen.json --steps 1 --out $T/unseen2 --format obj",
           "bodies[0].render_mesh");
}

static void test_complaints(void)
{
    write_file("scene.json", EXPORT_SCENE);
    expect(1, "$P run $T/scene.json --format usda", "--format: say where to with --out DIR");
    expect(1, "$P run $T/scene.json --fps 24", "--fps: say where to with --out DIR");
    expect(1, "$P run $T/scene.json --out $T/no --format plyy",
           "--format: unknown format \"plyy\", did you mean \"ply\"?");
    expect(1, "$P run $T/scene.json --out $T/no --fps 24 --every 2",
           "--every and --fps: give one of them");
    expect(1, "$P run $T/scene.json --out $T/no --fps 101",
           "--fps: 101 frames, but only 100 steps in a second");
    TEST_ASSERT_FALSE(exists("no"));
    expect(0, "$P run --help", "--format LIST");
    expect(1, "$P run $T/scene.json --out /proc/none --format usda", "/proc/none: ");
}

// The disk is full: one sentence, no temporary files, and what was written before is whole.
static void test_disk_full(void)
{
    write_file("scene.json", EXPORT_SCENE);
    expect(1,
           "trap '' XFSZ; ulimit -f 100; " // blocks of 512 bytes
           "$P run $T/scene.json --out $T/full --format usda --every 1 --threads 1 --quiet",
           "full/scene.usda: cannot write: File too large");
    TEST_ASSERT_NULL(strchr(strchr(output, '\n') + 1, '\n')); // not a second line
    TEST_ASSERT_EQUAL_INT(0, shell("! ls $T/full | grep part"));
    const char *text = read_whole("full/scene.usda");
    TEST_ASSERT_EQUAL_STRING("    }\n}\n", text + strlen(text) - 8);
}

// A run that is killed leaves files that are whole.
static void test_killed(void)
{
    write_file("scene.json", EXPORT_SCENE);
    shell("$P run $T/scene.json --out $T/killed --format usda,pc2 --every 1 --steps 100000 "
          "--threads 1 --quiet & while ! grep -q ^9, $T/killed/frames.csv 2>/dev/null; "
          "do sleep 0.01; done; kill -9 $!; wait $!");
    const char *text = read_whole("killed/frames.csv");
    int rows = -1;
    for (const char *p = text; *p != '\0'; p++) rows += *p == '\n';
    TEST_ASSERT_TRUE(rows >= 10);
    TEST_ASSERT_EQUAL(PL_OK, pl_pc2_check(in_folder("killed/body_000.pc2"), 26, rows));
    TEST_ASSERT_EQUAL(0, shell("tail -n 1 $T/killed/scene.usda"));
    TEST_ASSERT_EQUAL_STRING("}\n", output);
}

// The same in all formats, as others read them.
static void test_readers(void)
{
    run_scene("read", "--every 2 --steps 12");
    run_scene("film", "--fps 24 --steps 20");
    if (!has_readers())
        TEST_IGNORE_MESSAGE("no readers of others: make check-exports fetches them");
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, run_readers("$T/read 50 0 2 4 6 8 10 12"), output);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, run_readers("$T/film 24 0 4 8 13 17"), output);
}

int main(void)
{
    if (mkdtemp(folder) == NULL) return 1;
    pl_threads_set(1);
    UNITY_BEGIN();
    RUN_TEST(test_formats);
    RUN_TEST(test_files);
    RUN_TEST(test_list);
    RUN_TEST(test_usd_keeps_up);
    RUN_TEST(test_cannot_go_on);
    RUN_TEST(test_tried_again);
    RUN_TEST(test_allocations_fail);
    RUN_TEST(test_resumed);
    RUN_TEST(test_fps);
    RUN_TEST(test_fine_surfaces);
    RUN_TEST(test_a_surface_that_nobody_sees_is_not_read);
    RUN_TEST(test_complaints);
    RUN_TEST(test_disk_full);
    RUN_TEST(test_killed);
    RUN_TEST(test_readers);
    shell("rm -rf $T");
    return UNITY_END();
}
