// pliant view in a real window, under Xvfb, with a mouse and keys by xdotool.

#include "../apps/view/view.h"
#include "buffers.h"
#include "pictures.h"
#include "runs.h"
#include "x_client.h"

#include <math.h>
#include <signal.h>
#include <unistd.h>

enum { WIDTH = 320, HEIGHT = 240 };

static int display = -1; // its number
static pid_t server;
static const char *program; // this one

void setUp(void)
{
}
void tearDown(void)
{
}

// A soft cube on the left, a rigid one on the right, and nothing falls.
#define WORLD                                                                                      \
    "{\"world\": {\"dt\": 0.01, \"gravity\": [0, 0, 0]}, "                                         \
    "\"camera\": {\"eye\": [0, -5, 0.8], \"target\": [0, 0, 0.8], \"angle\": 30}, \"bodies\": ["
#define SOFT "{\"mesh\": \"box:size=0.6,0.6,0.6:cells=2,2,2\", \"position\": [-0.7, 0, 0.8]}"
#define RIGID                                                                                      \
    "{\"mesh\": \"box:size=0.6,0.6,0.6\", \"type\": \"rigid\", \"position\": [0.7, 0, 0.8]}"
static const char SCENE[] = WORLD SOFT "," RIGID "]}";
static const char WITHOUT_SOFT[] = WORLD RIGID "]}";

// Xvfb says on a pipe which display it has taken.
static void open_display(void)
{
    int ends[2];
    char text[16] = "";
    if (shell("command -v Xvfb && command -v xdotool") != 0) return;
    TEST_ASSERT_EQUAL(0, pipe(ends));
    server = fork();
    if (server == 0) {
        char number[16];
        snprintf(number, sizeof number, "%d", ends[1]);
        freopen("/dev/null", "w", stderr);
        execlp("Xvfb", "Xvfb", "-displayfd", number, "-screen", "0", "640x480x24", (char *)NULL);
        _exit(1);
    }
    close(ends[1]);
    if (read(ends[0], text, sizeof text - 1) > 0) display = atoi(text);
    close(ends[0]);
}

static void close_display(void)
{
    if (server > 0) {
        kill(server, SIGTERM);
        waitpid(server, NULL, 0);
    }
}

// Where the middle of a body is seen.
static void find(int body, int *x, int *y)
{
    pl_camera camera = {.eye = {0, -5, 0.8}, .target = {0, 0, 0.8}, .up = {0, 0, 1}};
    camera.fov_y = 30 * acos(-1) / 180;
    const double middle[3] = {body == 0 ? -0.7 : 0.7, -0.3, 0.8};
    double pixel[2];
    TEST_ASSERT_TRUE(pl_camera_project(&camera, WIDTH, HEIGHT, middle, pixel));
    *x = (int)pixel[0];
    *y = (int)pixel[1];
}

// Starts the view in the background, does what `words` say with the window $W, and waits for its
// end; the output is what the view has said. Returns its exit code.
static int play(const char *options, const char *words)
{
    char line[1900];
    if (display < 0) TEST_IGNORE_MESSAGE("needs Xvfb and xdotool");
    write_file("view.json", SCENE);
    snprintf(line, sizeof line,
             "export DISPLAY=:%d; rm -f $T/said; $P view $T/view.json --size %dx%d --verbose "
             "--seconds 20 %s "
             ">$T/said 2>&1 & V=$!; "
             "for i in $(seq 100); do grep -qs drawn $T/said && break; sleep 0.1; done; "
             "W=$(xdotool search --onlyvisible --name Pliant | tail -n 1); "
             "said() { for i in $(seq 50); do grep -q \"$1\" $T/said && return; sleep 0.1; done; "
             "echo \"not said: $1\"; }; "
             "%s; wait $V; code=$?; cat $T/said; exit $code",
             display, (int)WIDTH, (int)HEIGHT, options, words);
    return shell(line);
}

static void expect_said(const char *part)
{
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(output, part), output);
}

static void test_picking_hits_the_body_under_the_cursor(void)
{
    int x[2], y[2];
    char words[512];
    for (int i = 0; i < 2; i++) find(i, &x[i], &y[i]);
    snprintf(words, sizeof words,
             "xdotool mousemove %d %d click 1; said 'released body 0'; "
             "xdotool mousemove %d %d click 1; said 'released body 1'; "
             "xdotool mousemove %d %d click 1; said 'picked nothing'; xdotool key q",
             x[0], y[0], x[1], y[1], WIDTH / 2, y[0]);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, play("--paused", words), output);
    expect_said("picked body 0\nreleased body 0\npicked body 1\nreleased body 1\npicked nothing");
    TEST_ASSERT_NULL_MESSAGE(strstr(output, "not said"), output);
    expect_said("pictures in");
}

// Turned, moved and zoomed for long, the eye stays above the floor, at its distance unless zoomed.
// Without a floor it goes where it is led.
static void test_the_camera_stays_above_the_ground(void)
{
    static const struct {
        int hand;
        pl_event event;
    } ways[] = {
        {PL_HAND_ORBIT, {.kind = PL_EVENT_MOVE, .x = 3, .y = -30}},
        {PL_HAND_PAN, {.kind = PL_EVENT_MOVE, .x = 2, .y = -30}},
        {PL_HAND_FREE, {.kind = PL_EVENT_SCROLL, .amount = -1}}, // it looks up
        {PL_HAND_FREE, {.kind = PL_EVENT_SCROLL, .amount = 1}},  // at what is below
    };
    for (int i = 0; i < 8; i++) {
        pl_view view = {.height = HEIGHT, .floor = i % 2 == 0, .floor_z = -0.5};
        view.hand = (unsigned)ways[i / 2].hand;
        view.camera = (pl_camera){.eye = {1, -5, 0.5},
                                  .target = {0, 0, i / 2 == 3 ? -2 : 1},
                                  .up = {0, 0, 1},
                                  .fov_y = 0.5};
        for (int k = 1; k < 60; k++) {
            pl_event event = ways[i / 2].event;
            event.x *= k;
            event.y *= k;
            pl_view_event(&view, &event);
            TEST_ASSERT_TRUE(!view.floor || view.camera.eye[2] > view.floor_z);
            TEST_ASSERT_EQUAL(PL_OK, pl_camera_check(&view.camera));
        }
        TEST_ASSERT_TRUE(view.floor || view.camera.eye[2] < -0.5);
        const double *eye = view.camera.eye, *target = view.camera.target;
        double distance = hypot(hypot(eye[0] - target[0], eye[1] - target[1]), eye[2] - target[2]);
        bool kept = fabs(distance - hypot(hypot(1, 5), 0.5)) < 1e-9;
        TEST_ASSERT_EQUAL(i / 2 < 2, kept);
    }
}

// All keys, a drag of a body through the other, orbit, zoom; the window stays well.
static void test_keys_and_drags(void)
{
    int x, y;
    char words[1024];
    find(0, &x, &y);
    snprintf(words, sizeof words,
             "xdotool mousemove %d %d mousedown 1; said 'picked body 0'; "
             "for i in 1 2 3 4 5 6; do xdotool mousemove_relative 20 2; sleep 0.1; done; "
             "xdotool mouseup 1; said 'released body 0'; "
             "xdotool mousemove 160 30 mousedown 3 mousemove_relative 30 10 mouseup 3; "
             "xdotool mousedown 2 mousemove_relative 10 10 mouseup 2 click 4 click 5; "
             "for k in space n r minus equal s p f F c c c c w x t h F1 h; do "
             "xdotool key $k; sleep 0.05; done; said 'key 1114112'; xdotool key Escape",
             x, y);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, play("", words), output);
    TEST_ASSERT_NULL_MESSAGE(strstr(output, "not said"), output);
    TEST_ASSERT_NULL_MESSAGE(strstr(output, "message:"), output);
    expect_said("key 27");
}

// A window at rest shows what `pliant render` draws, and a body is no longer seen where it was
// drawn away from.
static void test_what_the_window_shows(void)
{
    int x0, y0;
    char words[1200];
    find(0, &x0, &y0);
    write_file("view.json", SCENE);
    write_file("without.json", WITHOUT_SOFT);
    TEST_ASSERT_EQUAL_INT_MESSAGE(
        0,
        shell("for i in view without; do $P render $T/$i.json -o $T/$i.png --size 320x240 || "
              "exit 1; done"),
        output);
    snprintf(words, sizeof words,
             "xdotool key t; %s match $W $T/view.png 0,0,%d,%d || echo not shown; "
             "xdotool key space mousemove %d %d mousedown 1; said 'picked body 0'; "
             "for i in 1 2 3 4 5 6 7 8; do xdotool mousemove_relative -- 0 -10; sleep 0.05; done; "
             "%s match $W $T/without.png %d,%d,40,20 || echo not shown; "
             "xdotool mouseup 1 key q",
             program, WIDTH, HEIGHT, x0, y0, program, x0 - 20, y0);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, play("--paused", words), output);
    TEST_ASSERT_NULL_MESSAGE(strstr(output, "not "), output);
}

// A file that is dropped becomes a body; one that is no mesh, a message.
static void test_dropped_files(void)
{
    char words[1024];
    write_file("note.txt", "no mesh");
    TEST_ASSERT_EQUAL_INT(0, shell("$P mesh cube:size=0.3 -o \"$T/a cube.msh\""));
    snprintf(words, sizeof words,
             "%s drop $W file://$T/a%%20cube.msh || echo not taken; said 'shows 3 bodies'; "
             "%s drop $W file://$T/note.txt || echo not taken; said 'message: '; "
             "xdotool key space; said 'key 32'; xdotool key q",
             program, program);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, play("", words), output);
    expect_said("shows 2 bodies\n");
    expect_said("/a cube.msh\nshows 3 bodies\n");
    expect_said("/note.txt: neither OFF, OBJ");
    TEST_ASSERT_NULL_MESSAGE(strstr(output, "shows 4"), output);
    TEST_ASSERT_NULL_MESSAGE(strstr(output, "not "), output);
}

// Larger, tiny, out of sight, back, and closed from outside.
static void test_resizing_and_closing(void)
{
    char words[1024];
    snprintf(words, sizeof words,
             "xdotool windowsize $W 400 300; sleep 0.3; xdotool windowsize $W 1 1; "
             "sleep 0.3; xdotool windowunmap $W; sleep 0.3; xdotool windowmap $W "
             "windowsize $W 320 240; sleep 0.3; %s close $W",
             program);
    double start = pl_seconds();
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, play("", words), output);
    expect_said("pictures in");
    TEST_ASSERT_TRUE_MESSAGE(pl_seconds() - start < 18, "it did not close");
}

static void test_what_cannot_be_shown(void)
{
    write_file("view.json", SCENE);
    expect(1, "env -u DISPLAY -u WAYLAND_DISPLAY $P view $T/view.json",
           "pliant view needs a display; `pliant render` makes pictures without one");
    expect(1, "DISPLAY=:9999 $P view $T/view.json", "needs a display");
    expect(1, "$P view no-such-scene", "there is no scene no-such-scene.json");
    expect(1, "$P view $T/none.json", "none.json");
    expect(1, "$P view $T/view.json --size 3", "--size: \"3\" is not WIDTHxHEIGHT");
    write_file("bad.json", "{\"bodies\": [{\"mesh\": \"cube\", \"material\": null}]}");
    if (display < 0) return;
    char line[128];
    snprintf(line, sizeof line, "DISPLAY=:%d $P view $T/bad.json", display);
    expect(1, line, "none of them is simulated");
}

// --- The other program on the display: this one, called by its own tests ---

// Waits until the window shows in a rectangle what a picture does there.
static int match(Display *on, Window window, const char *picture, const char *rectangle)
{
    int width, height, channels, r[4];
    unsigned char *want = stbi_load(picture, &width, &height, &channels, 4);
    if (want == NULL || sscanf(rectangle, "%d,%d,%d,%d", &r[0], &r[1], &r[2], &r[3]) != 4) return 1;
    pl_image shown = {0};
    difference d = {0};
    bool found = false;
    for (double end = pl_seconds() + 10; !found && pl_seconds() < end; usleep(100000)) {
        if (!x_look(on, window, width, height, &shown)) return 1;
        d = compare_part(shown.rgba, want, width, r);
        found = alike(d);
    }
    if (!found) {
        printf("differs by %.2f levels, %.2f %% of the pixels are far off; shown was %s\n", d.mean,
               100 * d.far_off, keep_picture(&shown));
    }
    pl_image_free(&shown);
    stbi_image_free(want);
    return !found;
}

// close WINDOW | drop WINDOW URIS | match WINDOW WANTED.png X,Y,WIDTH,HEIGHT
static int be_client(int n_words, char **words)
{
    Display *on = x_open();
    if (on == NULL) return 1;
    Window window = strtoul(words[1], NULL, 10);
    int code = 1;
    if (strcmp(words[0], "close") == 0) {
        x_close_window(on, window);
        code = 0;
    } else if (strcmp(words[0], "drop") == 0 && n_words == 3) {
        code = !x_drop(on, window, WIDTH, HEIGHT, words[2]);
    } else if (strcmp(words[0], "match") == 0 && n_words == 4) {
        code = match(on, window, words[2], words[3]);
    }
    x.XCloseDisplay(on);
    return code;
}

int main(int argc, char **argv)
{
    // GLFW and Mesa leak, in modules that are unloaded by then: no suppression can name them.
    setenv("LSAN_OPTIONS", "exitcode=0", 1);
    if (argc > 2) return be_client(argc - 1, argv + 1);
    program = argv[0];
    if (mkdtemp(folder) == NULL) return 1;
    open_display();
    UNITY_BEGIN();
    RUN_TEST(test_picking_hits_the_body_under_the_cursor);
    RUN_TEST(test_the_camera_stays_above_the_ground);
    RUN_TEST(test_keys_and_drags);
    RUN_TEST(test_what_the_window_shows);
    RUN_TEST(test_dropped_files);
    RUN_TEST(test_resizing_and_closing);
    RUN_TEST(test_what_cannot_be_shown);
    int failures = UNITY_END();
    close_display();
    shell("rm -rf $T");
    return failures;
}
