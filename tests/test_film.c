// Films: names of frames, ffmpeg (the true one, none, and ones that fail), and `pliant render` as a
// person uses it. What needs the true one or an OpenGL driver is ignored where there is none.

#include "../apps/render/film.h"
#include "failing_alloc.h"
#include "runs.h"

#include <errno.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

static char true_path[4096]; // the PATH of the test
static bool has_ffmpeg, has_driver;
static pl_film film;
static pl_image image;

// Two cubes fall: 0.2 s in 20 steps. Names for the camera's sake.
static const char SCENE[] =
    "{\"bodies\": [{\"mesh\": \"cube:size=0.4:cells=2\", \"position\": [0, 0, 0.4], \"name\": "
    "\"a\"},"
    " {\"mesh\": \"cube:size=0.3:cells=1\", \"position\": [0.6, 0, 0.5], \"type\": \"rigid\"}],"
    " \"cameras\": {\"front\": {\"eye\": [0, -4, 1]},"
    "  \"turn\": {\"kind\": \"orbit\", \"radius\": 4, \"height\": 1, \"period\": 1},"
    "  \"close\": {\"kind\": \"follow\", \"body\": \"a\", \"offset\": [0, -3, 1]}},"
    " \"world\": {\"dt\": 0.01, \"duration\": 0.2}, \"ground\": {\"size\": 10}}";

void setUp(void)
{
    setenv("PATH", true_path, 1);
    image = (pl_image){0};
}

void tearDown(void)
{
    fail_never();
    pl_image_free(&image);
    TEST_ASSERT_EQUAL(-1, waitpid(-1, NULL, WNOHANG)); // no zombie
    TEST_ASSERT_EQUAL(ECHILD, errno);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, shell("! ls -R $T | grep part"), output); // nothing half
}

// --- Names of frames ---

static void expect_path(const char *text, int64_t n, const char *expected)
{
    pl_frame_pattern pattern;
    char *path;
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_frame_pattern_read(text, &pattern), text);
    TEST_ASSERT_EQUAL(PL_OK, pl_frame_pattern_path(&pattern, n, &path));
    TEST_ASSERT_EQUAL_STRING(expected, path);
    pl_free(path);
}

static void test_patterns(void)
{
    expect_path("frames/%04d.png", 7, "frames/0007.png");
    expect_path("%d.png", 12, "12.png");
    expect_path("a b/x%3dy.PNG", 5, "a b/x  5y.PNG");
    expect_path("%02d.png", 1234, "1234.png");
    expect_path("%099d.png", 0,
                "000000000000000000000000000000000000000000000000000000000000000000000000000000000"
                "000000000000000000.png");
    static const char *const bad[] = {
        "a.png",       "%s.png",   "%n.png", "%4$d.png", "%d%d.png",   "%d%%.png",
        "%%d.png",     "%.png",    "%",      "%-4d.png", "%0100d.png", "%*d.png",
        "%ld.png",     "%d/a.png", "%d.jpg", "%d",       "%+d.png",    "%d.png/%s",
        "100%_%d.png", "%.4d.png", "%x.png", "",         "%1000d.png", "%d%n.png",
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        pl_frame_pattern pattern;
        TEST_ASSERT_EQUAL_MESSAGE(PL_ERROR_ARGUMENT, pl_frame_pattern_read(bad[i], &pattern),
                                  bad[i]);
        TEST_ASSERT_NOT_NULL(strstr(pl_error_text(), "is not a name for frames"));
    }
}

// --- The library's side ---

static void paint(int32_t width, int32_t height, uint8_t red)
{
    TEST_ASSERT_EQUAL(PL_OK, pl_image_resize(&image, width, height));
    for (int64_t i = 0; i < (int64_t)width * height; i++) {
        memcpy(image.rgba + 4 * i, (uint8_t[4]){red, 60, 200, 255}, 4);
    }
}

static pl_status film_of(const char *name, int frames)
{
    const pl_film_options options = {64, 48, 25};
    static char path[256];
    snprintf(path, sizeof path, "%s", in_folder(name));
    PL_TRY(pl_film_open(path, &options, &film));
    pl_status status = PL_OK;
    for (int i = 0; i < frames && status == PL_OK; i++) {
        paint(64, 48, (uint8_t)(10 * i));
        status = pl_film_add(&film, &image);
    }
    if (status == PL_OK) status = pl_film_close(&film);
    pl_film_free(&film);
    return status;
}

static void need_ffmpeg(void)
{
    if (!has_ffmpeg) TEST_IGNORE_MESSAGE("ffmpeg is not installed");
}

static void need_driver(void)
{
    if (!has_driver) TEST_IGNORE_MESSAGE("there is no OpenGL driver");
}

static void expect_probe(const char *name, const char *expected)
{
    char words[512];
    snprintf(words, sizeof words,
             "ffprobe -v error -count_frames -show_entries "
             "stream=codec_name,width,height,pix_fmt,color_space,r_frame_rate,nb_read_frames "
             "-of csv=p=0 $T/%s",
             name);
    expect(0, words, expected);
}

static void test_mp4(void)
{
    need_ffmpeg();
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, film_of("a.mp4", 20), pl_error_text());
    expect_probe("a.mp4", "h264,64,48,yuv420p,bt709,25/1,20\n");
    // The colours come back: frame 5 has a red of 50.
    expect(0,
           "ffmpeg -v error -i $T/a.mp4 -vf select='eq(n\\,5)' -frames:v 1 -f rawvideo -pix_fmt "
           "rgb24 -s 1x1 - | od -An -tu1",
           "");
    int r, g, b;
    TEST_ASSERT_EQUAL_INT(3, sscanf(output, "%d %d %d", &r, &g, &b));
    TEST_ASSERT_INT_WITHIN(4, 50, r);
    TEST_ASSERT_INT_WITHIN(4, 60, g);
    TEST_ASSERT_INT_WITHIN(4, 200, b);
    // The index comes first, for players that do not have all of it yet.
    expect(0, "head -c 64 $T/a.mp4 | grep -c moov", "1");
}

static void test_frames(void)
{
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, film_of("new/deep/x%03d.png", 3), pl_error_text());
    TEST_ASSERT_EQUAL_INT(0, shell("ls $T/new/deep"));
    TEST_ASSERT_EQUAL_STRING("x001.png\nx002.png\nx003.png\n", output);
    expect(0, "head -c 24 $T/new/deep/x002.png | od -An -tu1 -j16",
           "0   0   0  64   0   0   0  48");
}

static pl_status make_frames(void *user)
{
    (void)user;
    return film_of("memory/%d.png", 1);
}

static void test_allocations(void)
{
    paint(64, 48, 0); // of the test, not of the film
    fail_each_allocation(make_frames, NULL);
}

// --- ffmpeg as it should not be ---

// Puts a shell script in the place of ffmpeg, or nothing if it is NULL.
static void replace_ffmpeg(const char *script)
{
    char path[512];
    TEST_ASSERT_EQUAL_INT(0, shell("rm -rf $T/bin; mkdir $T/bin"));
    snprintf(path, sizeof path, "%s/bin", folder);
    if (script != NULL) {
        write_file("bin/ffmpeg", script);
        TEST_ASSERT_EQUAL_INT(0, shell("chmod +x $T/bin/ffmpeg; ln -s $(which sh) $(which sleep) "
                                       "$(which head) $(which cat) $T/bin"));
    }
    setenv("PATH", path, 1);
}

static void expect_failed_film(const char *script, const char *sentence)
{
    write_file("old.mp4", "what was there before");
    replace_ffmpeg(script);
    pl_status status = film_of("old.mp4", 50);
    setenv("PATH", true_path, 1);
    TEST_ASSERT_EQUAL(PL_ERROR_FILE, status);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(pl_error_text(), sentence), pl_error_text());
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(pl_error_text(), "/old.mp4: ffmpeg"), pl_error_text());
    TEST_ASSERT_EQUAL_STRING("what was there before", read_whole("old.mp4"));
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, shell("! ls $T | grep part"), output);
}

static void test_ffmpeg_fails(void)
{
    expect_failed_film("#!/bin/sh\necho first >&2\necho 'no such codec' >&2\nexit 1\n",
                       "old.mp4: ffmpeg failed: no such codec");
    expect_failed_film("#!/bin/sh\nexit 3\n", "ffmpeg failed with exit status 3");
    expect_failed_film("#!/bin/sh\nkill -9 $$\n", "ffmpeg was ended by signal 9");
    expect_failed_film("#!/bin/sh\nhead -c 30000 >/dev/null\necho 'No space left' >&2\nexit 1\n",
                       "ffmpeg failed: No space left");
    expect_failed_film("#!/bin/sh\nhead -c 30000 >/dev/null\nexit 0\n",
                       "ffmpeg ended before the film did");
    expect_failed_film("#!/bin/sh\ncat >/dev/null\necho 'Error writing trailer' >&2\nexit 1\n",
                       "ffmpeg failed: Error writing trailer");
    // Says more than anybody listens to, before it reads.
    expect_failed_film("#!/bin/sh\ni=0; while [ $i -lt 5000 ]; do i=$((i + 1)); echo "
                       "'one line of very many' >&2; done\ncat >/dev/null\necho last >&2\nexit 1\n",
                       "ffmpeg failed: last");
    expect_failed_film("not a program", "ffmpeg failed with exit status 127");
}

static void test_ffmpeg_hangs(void)
{
    replace_ffmpeg("#!/bin/sh\nsleep 1000\n");
    pl_encoder_options options = pl_encoder_options_default();
    options.width = 640;
    options.height = 480;
    options.patience = 0.2;
    pl_encoder encoder;
    TEST_ASSERT_EQUAL(PL_OK, pl_encoder_start(in_folder("x.mp4"), &options, &encoder));
    paint(640, 480, 0);
    TEST_ASSERT_EQUAL(PL_ERROR_FILE, pl_encoder_add(&encoder, &image));
    TEST_ASSERT_EQUAL_STRING("ffmpeg has done nothing for 0.2 s", pl_error_text());
    TEST_ASSERT_EQUAL(PL_ERROR_FILE, pl_encoder_finish(&encoder));
    TEST_ASSERT_EQUAL_STRING("ffmpeg has done nothing for 0.2 s", pl_error_text());
}

static void test_no_ffmpeg(void)
{
    replace_ffmpeg(NULL);
    pl_encoder encoder;
    pl_encoder_options options = pl_encoder_options_default();
    TEST_ASSERT_EQUAL(PL_ERROR_UNSUPPORTED, pl_encoder_start("x.mp4", &options, &encoder));
    TEST_ASSERT_EQUAL(PL_OK, film_of("b.mp4", 2));
    TEST_ASSERT_FALSE(exists("b.mp4"));
    TEST_ASSERT_TRUE(exists("b.frames/0001.png") && exists("b.frames/0002.png"));
}

static void test_where_nothing_can_be_written(void)
{
    TEST_ASSERT_EQUAL(PL_ERROR_FILE, film_of("old.mp4/a%d.png", 1)); // a file is no folder
    TEST_ASSERT_NOT_NULL(strstr(pl_error_text(), "Not a directory"));
    TEST_ASSERT_EQUAL(0, mkdir(in_folder("x.mp4"), 0777));
    TEST_ASSERT_EQUAL(PL_ERROR_FILE, film_of("x.mp4", 1));
    if (has_ffmpeg) {
        TEST_ASSERT_EQUAL(PL_ERROR_FILE, film_of("none/a.mp4", 1));
        TEST_ASSERT_NOT_NULL(strstr(pl_error_text(), "none/a.mp4: cannot write: No such file"));
    }
}

// A disk with room for little, where the test may make one.
static void test_full_disk(void)
{
    need_ffmpeg();
    int code = shell("mkdir -p $T/small && mount -t tmpfs -o size=16k pliant $T/small");
    if (code != 0) TEST_IGNORE_MESSAGE("no file system can be mounted here");
    const pl_film_options options = {640, 480, 25};
    char path[256];
    snprintf(path, sizeof path, "%s", in_folder("small/a.mp4"));
    pl_status status = pl_film_open(path, &options, &film);
    for (int i = 0; i < 60 && status == PL_OK; i++) {
        TEST_ASSERT_EQUAL(PL_OK, pl_image_resize(&image, 640, 480));
        for (int k = 0; k < 4 * 640 * 480; k++) image.rgba[k] = (uint8_t)rand(); // NOLINT
        status = pl_film_add(&film, &image);
    }
    char text[512];
    if (status == PL_OK) status = pl_film_close(&film);
    snprintf(text, sizeof text, "%s", pl_error_text());
    pl_film_free(&film);
    int left = shell("ls $T/small | wc -l | grep -qx 0");
    pl_status frames = film_of("small/%d.png", 500);
    shell("umount $T/small");
    TEST_ASSERT_EQUAL(PL_ERROR_FILE, status);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(text, "No space left on device"), text);
    TEST_ASSERT_EQUAL_INT(0, left);
    TEST_ASSERT_EQUAL(PL_ERROR_FILE, frames);
}

// --- The command ---

#define SMALL " --size 64x48 --passes 2 --threads 1 "

static void test_film_of_a_scene(void)
{
    need_driver();
    need_ffmpeg();
    expect(0, "$P render $T/scene.json -o $T/s.mp4 --fps 20" SMALL,
           "s.mp4: 64x48, 5 frames, 20 per second;");
    expect_probe("s.mp4", "h264,64,48,yuv420p,bt709,20/1,5\n");
    expect(0, "$P render $T/scene.json -o $T/s.mp4 --size 65x47 --passes 1 --every 4 --time 0.1",
           "s.mp4: 66x48, 3 frames, 25 per second;");
    expect_probe("s.mp4", "h264,66,48,yuv420p,bt709,25/1,3\n");
    // Slow motion.
    expect(0, "$P render $T/scene.json -o $T/s.mp4 --every 1 --fps 10 --time 0.05" SMALL,
           "6 frames, 10 per second;");
    expect_probe("s.mp4", "10/1,6\n");
    expect(0, "$P render $T/scene.json -o $T/s.mp4 --every 10 --quiet" SMALL, "");
    TEST_ASSERT_EQUAL_STRING("", output);
}

static void test_frames_of_a_scene(void)
{
    need_driver();
    expect(0, "$P render $T/scene.json -o $T/f/%02d.png --fps 20" SMALL, "f/%02d.png: 64x48, 5");
    expect(0, "ls $T/f | tr '\\n' ' '", "01.png 02.png 03.png 04.png 05.png");
    expect(0, "$P render $T/scene.json -o $T/g/%02d.png --fps 20" SMALL, "5 frames");
    expect(0, "diff -r $T/f $T/g && echo same", "same"); // bit for bit
    expect(0, "cmp -s $T/f/01.png $T/f/05.png || echo moved", "moved");
    // A picture of the same moment, simulated or from a checkpoint, is the same.
    expect(0, "$P render $T/scene.json -o $T/p.png --time 0.2" SMALL, "p.png: 64x48, 2 bodies");
    expect(0, "cmp $T/p.png $T/f/05.png && echo same", "same");
    expect(0,
           "$P run $T/scene.json --out $T/r --checkpoint-every 10 --quiet && $P render "
           "$T/scene.json --resume $T/r/checkpoint-000020.plc -o $T/p.png" SMALL,
           "2 bodies");
    expect(0, "cmp $T/p.png $T/f/05.png && echo same", "same");
    // A film that goes on from a checkpoint.
    expect(0,
           "$P render $T/scene.json --resume $T/r/checkpoint-000010.plc --fps 20 -o "
           "$T/h/%02d.png" SMALL,
           "3 frames");
    expect(0, "cmp $T/h/03.png $T/f/05.png && echo same", "same");
}

static void test_film_of_a_run(void)
{
    need_driver();
    expect(0,
           "$P run $T/scene.json --out $T/one --format pc2 --fps 50 --quiet && "
           "$P run $T/scene.json --out $T/all --format usda --fps 50 --quiet && ls $T/all",
           "scene.txt");
    expect(0, "$P render $T/one -o $T/one/p%02d.png" SMALL, "11 frames, 50 per second");
    expect(0, "$P render $T/all -o $T/all/p%02d.png --every 2" SMALL, "6 frames, 25 per second");
    expect(0, "cmp $T/one/p03.png $T/all/p02.png && cmp $T/one/p11.png $T/all/p06.png && echo same",
           "same");
    expect(0, "$P render $T/one -o $T/q%02d.png --fps 25 --time 0.1" SMALL, "4 frames, 25 per");
    expect(0, "cmp $T/q02.png $T/all/p02.png && echo same", "same");
    expect(0, "$P render $T/one -o $T/q.png" SMALL, "2 bodies");
    expect(0, "cmp $T/q.png $T/one/p11.png && echo same", "same");
    expect(0, "$P render $T/one -o $T/q.png --time 0.04" SMALL, "2 bodies");
    expect(0, "cmp $T/q.png $T/one/p03.png && echo same", "same");
    // A folder that was moved away from its scene.
    expect(0, "rm $T/one/scene.txt; $P render $T/one -o $T/q.png --scene $T/scene.json" SMALL, "");
    expect(1, "$P render $T/one -o $T/q.png" SMALL,
           "scene.txt: No such file or directory; --scene");
    expect(1, "mkdir $T/empty; $P render $T/empty --scene $T/scene.json -o $T/q.png",
           "empty: no frames of a run; 'pliant run --format pc2' or usda writes them");
    expect(1, "$P render $T/empty -o $T/q.png", "empty: no frames of a run; 'pliant run --format");
    expect(1, "$P render $T/one --scene $T/other.json -o $T/q.png", "body_000.pc2: has 26 points");
    expect(1, "$P render $T/one --resume x.plc -o $T/q.png", "--resume: a checkpoint belongs");
}

static void test_cameras(void)
{
    need_driver();
    expect(0, "$P render $T/scene.json -o $T/c0.png --camera front" SMALL, "2 bodies");
    expect(0, "$P render $T/scene.json -o $T/c1.png" SMALL, "2 bodies");
    expect(0, "$P render $T/scene.json -o $T/c2.png --camera=0,-4,1:0,0,0" SMALL, "2 bodies");
    expect(0, "cmp $T/c0.png $T/c1.png && cmp $T/c1.png $T/c2.png && echo same", "same");
    expect(0, "$P render $T/scene.json -o $T/c3.png --camera turn" SMALL, "2 bodies");
    expect(0, "cmp -s $T/c0.png $T/c3.png || echo other", "other");
    expect(0, "$P render $T/scene.json -o $T/c/%d.png --camera close --fps 10" SMALL, "3 frames");
    expect(0, "$P render $T/scene.json -o $T/d/%d.png --camera close --fps 20" SMALL, "5 frames");
    expect(0, "cmp $T/c/3.png $T/d/5.png && echo same", "same"); // the camera knows no frames
    expect(1, "$P render $T/scene.json -o $T/c.png --camera fron",
           "--camera: unknown camera \"fron\", did you mean \"front\"?");
    expect(1, "$P render $T/scene.json -o $T/c.png --camera 1,2,3", "--camera: unknown camera");
    expect(1, "$P render $T/scene.json -o $T/c.png --camera 1,2,3:1,2,3" SMALL,
           "camera: eye and target are the same point");
    // Nothing moves but the camera: once around.
    expect(0, "$P render ring -o $T/t/%d.png --camera orbit:120 --fps 2" SMALL, "6 frames, 2 per");
    expect(1, "$P render ring -o $T/t/%d.png", "nothing moves: a film needs --camera orbit, or");
}

// Each way to draw gives a picture of its own, and the same one twice.
static void test_colours_arrows_and_wireframes(void)
{
    need_driver();
    static const char *const ways[] = {
        "",           "--color stress", "--color speed",          "--color pressure",
        "--contacts", "--wireframe",    "--color speed --range 9"};
    expect(0, "mkdir $T/ways", "");
    for (int i = 0; i < 7; i++) {
        char command[256];
        for (int twice = 0; twice < 2; twice++) {
            snprintf(command, sizeof command,
                     "$P render $T/scene.json -o $T/ways/%d-%d.png --time 0.2 %s" SMALL, i, twice,
                     ways[i]);
            expect(0, command, "2 bodies");
        }
        snprintf(command, sizeof command, "cmp $T/ways/%d-0.png $T/ways/%d-1.png && echo same", i,
                 i);
        expect(0, command, "same");
    }
    expect(0, "md5sum $T/ways/?-0.png | cut -c1-32 | sort -u | wc -l", "7");
    expect(1, "$P render $T/scene.json -o $T/a.png --color heat", "--color: \"heat\" is not");
    expect(1, "$P render $T/scene.json -o $T/a.png --range 2", "--range: it is that of --color");
    expect(1, "$P render ring -o $T/a.png --color stress", "--color: only a scene that is");
    expect(1, "$P render $T/one -o $T/a.png --contacts --scene $T/scene.json", "--contacts: only");
}

// A folder, a shape and a file are what they are; other words are scenes.
// Options that this input has no use for, and forces that a state by itself does not have.
static void test_no_effect(void)
{
    need_driver();
    static const char *const meshes_only[] = {"--cut x", "--up z", "--edges"};
    for (int i = 0; i < 3; i++) {
        char words[256], warning[128];
        snprintf(words, sizeof words, "$P render $T/scene.json -o $T/n.png %s" SMALL,
                 meshes_only[i]);
        snprintf(warning, sizeof warning, "pliant: warning: %.*s has no effect: it is for meshes;",
                 (int)strcspn(meshes_only[i], " "), meshes_only[i]);
        expect(0, words, warning);
        snprintf(words, sizeof words, "$P render cube -o $T/n.png %s" SMALL, meshes_only[i]);
        expect(0, words, "1 body");
        TEST_ASSERT_NULL_MESSAGE(strstr(output, "warning"), output);
    }
    expect(0, "$P render cube -o $T/n.png --time 1" SMALL, "--time has no effect: nothing moves");
    expect(0, "$P render cube -o $T/n.png --camera 1,1,1:0,0,0 --from 1,0,0" SMALL,
           "--from has no effect: the camera has its place");
    expect(0, "$P run $T/scene.json --steps 10 --out $T/n --checkpoint-every 10 --quiet", "");
#define RESUMED "$P render $T/scene.json --resume $T/n/checkpoint-000010.plc -o $T/n.png" SMALL
    expect(0, RESUMED, "2 bodies");
    TEST_ASSERT_NULL_MESSAGE(strstr(output, "warning"), output);
    expect(0, RESUMED "--contacts", "warning: --contacts: a checkpoint has no forces of contacts");
    expect(0, RESUMED "--color pressure", "warning: --color pressure: a checkpoint has no forces");
    expect(0, RESUMED "--contacts --time 0.5", "2 bodies");
    TEST_ASSERT_NULL_MESSAGE(strstr(output, "warning"), output);
    expect(0, "$P render $T/scene.json --contacts -o $T/n.png" SMALL, "the start has no forces of");
    expect(0,
           "sed 's/\"dt\"/\"contact\": false, &/' $T/scene.json >$T/free.json; "
           "$P render $T/free.json --time 0.1 --contacts -o $T/n.png" SMALL,
           "--contacts has no effect: the scene has no contact");
}

static void test_names_of_scenes(void)
{
    expect(1, "$P render impakt -o $T/a.png",
           "impakt: no such file, no such scene, and unknown shape \"impakt\"");
    expect(1, "$P render impact ring -o $T/a.png", "one scene at a time");
    expect(1, "$P render impact -o $T/a.png --resume $T/none.plc" SMALL, "none.plc: No such file");
    shell("mkdir -p $T/apps/scenes; for i in ring block; do "
          "cp $T/scene.json $T/apps/scenes/$i.json; done; cp $T/scene.json $T/block");
    expect(1, "P=$(realpath $P); cd $T; $P render block -o a.png", "block: neither OFF, OBJ");
    expect(1, "P=$(realpath $P); cd $T; rm block; mkdir block; $P render block -o a.png",
           "block: no frames of a run");
    need_driver();
    expect(0, "P=$(realpath $P); cd $T; rmdir block; $P render block -o a.png" SMALL, "2 bodies");
    expect(0, "P=$(realpath $P); cd $T; $P render ring -o a.png" SMALL, "1 body");
    expect(0, "$P render impact -o $T/a.png" SMALL, "a.png: 64x48, 2 bodies");
}

static void test_bad_words(void)
{
    expect(1, "$P render ring -o $T/%s.png", "\"%d for the number" + 1);
    expect(1, "$P render ring -o $T/a.png --fps 3", "--fps: one picture has no frames");
    expect(1, "$P render ring -o $T/a.png --every 3", "--every: one picture has no frames");
    expect(1, "$P render ring -o $T/a.png --scene x.json", "--scene: only the folder of a run");
    if (!has_driver) return;
    expect(1, "$P render $T/scene.json -o $T/a/%d.png --fps 200" SMALL,
           "--fps: 200 frames, but only 100 steps in a second");
    expect(1, "$P render $T/crossed.json -o $T/a/%d.png" SMALL,
           "crossed.json: bodies intersect at the start");
    expect(1, "$P render $T/scene.json -o $T/none/a.mp4" SMALL, "none");
}

static void test_no_ffmpeg_for_the_command(void)
{
    need_driver();
    replace_ffmpeg(NULL);
    char words[1024];
    snprintf(words, sizeof words, "$P render $T/scene.json -o $T/n.mp4 --fps 10" SMALL);
    int code = shell(words);
    setenv("PATH", true_path, 1);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, code, output);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(output, "there is no ffmpeg here"), output);
    TEST_ASSERT_TRUE(exists("n.frames/0003.png"));
    if (!has_ffmpeg) return;
    // The line that it says makes the film.
    char *line = strstr(output, "ffmpeg -framerate");
    TEST_ASSERT_NOT_NULL(line);
    snprintf(words, sizeof words, "%.*s", (int)strcspn(line, "\n"), line);
    expect(0, words, "");
    expect_probe("n.mp4", "10/1,3\n");
}

// A step that fails, here because it may take no time: the film has the frames before it.
static void test_a_step_fails(void)
{
    need_driver();
    need_ffmpeg();
    expect(1, "$P render $T/slow.json -o $T/slow.mp4 --fps 20" SMALL, "1 of 5 frames\n");
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(output, "pliant: step 1, from 0 s: "), output);
    expect_probe("slow.mp4", "20/1,1\n");
}

// Ctrl-C amid the film: it ends with the frames so far.
static void test_interrupted(void)
{
    need_driver();
    need_ffmpeg();
    // Once: without --foreground, timeout signals its child and then the group, and a second signal
    // ends the program at once. A busy machine needs more than a second to the first frame.
    expect(130,
           "timeout --foreground --preserve-status -s INT 3 $P render $T/scene.json -o $T/i.mp4 "
           "--fps 50 --time "
           "100" SMALL,
           "interrupted: ");
    long frames = 0, all = 0;
    TEST_ASSERT_EQUAL_INT(2, sscanf(strstr(output, "interrupted: "),
                                    "interrupted: %ld of %ld frames", &frames, &all));
    TEST_ASSERT_TRUE(frames > 0 && all == 5001);
    char expected[64];
    snprintf(expected, sizeof expected, "50/1,%ld\n", frames);
    expect_probe("i.mp4", expected);
}

int main(void)
{
    snprintf(true_path, sizeof true_path, "%s", getenv("PATH"));
    if (mkdtemp(folder) == NULL) return 1;
    write_file("scene.json", SCENE);
    write_file("other.json", "{\"bodies\": [{\"mesh\": \"ring\"}]}");
    write_file("crossed.json", "{\"bodies\": [{\"mesh\": \"cube\", \"position\": [0, 0, 2]},"
                               " {\"mesh\": \"cube\", \"position\": [0.5, 0.1, 2.1]}]}");
    write_file("slow.json",
               "{\"bodies\": [{\"mesh\": \"cube\", \"position\": [0, 0, 1]}],"
               " \"world\": {\"dt\": 0.01, \"duration\": 0.2, \"max_seconds\": 1e-9}}");
    has_ffmpeg = shell("which ffmpeg ffprobe") == 0;
    has_driver = shell("$P render ring -o $T/ring.png --size 16x16 --passes 1") == 0;
    UNITY_BEGIN();
    RUN_TEST(test_patterns);
    RUN_TEST(test_mp4);
    RUN_TEST(test_frames);
    RUN_TEST(test_allocations);
    RUN_TEST(test_ffmpeg_fails);
    RUN_TEST(test_ffmpeg_hangs);
    RUN_TEST(test_no_ffmpeg);
    RUN_TEST(test_where_nothing_can_be_written);
    RUN_TEST(test_full_disk);
    RUN_TEST(test_film_of_a_scene);
    RUN_TEST(test_frames_of_a_scene);
    RUN_TEST(test_film_of_a_run);
    RUN_TEST(test_cameras);
    RUN_TEST(test_colours_arrows_and_wireframes);
    RUN_TEST(test_no_effect);
    RUN_TEST(test_names_of_scenes);
    RUN_TEST(test_bad_words);
    RUN_TEST(test_no_ffmpeg_for_the_command);
    RUN_TEST(test_a_step_fails);
    RUN_TEST(test_interrupted);
    shell("rm -rf $T");
    return UNITY_END();
}
