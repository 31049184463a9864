// pliant view in a real window, under Xvfb, with a mouse and keys by xdotool.

#include "../apps/camera.h"
#include "buffers.h"
#include "runs.h"

#include <X11/Xlib.h>
#include <dlfcn.h>
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
static const char SCENE[] =
    "{\"world\": {\"dt\": 0.01, \"gravity\": [0, 0, 0]}, "
    "\"camera\": {\"eye\": [0, -5, 0.8], \"target\": [0, 0, 0.8], \"angle\": 30}, \"bodies\": ["
    "{\"mesh\": \"box:size=0.6,0.6,0.6:cells=2,2,2\", \"position\": [-0.7, 0, 0.8]},"
    "{\"mesh\": \"box:size=0.6,0.6,0.6\", \"type\": \"rigid\", \"position\": [0.7, 0, 0.8]}]}";

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

// What a window manager does when its user closes a window, for which xdotool has no word: asks the
// program to. Xlib is what GLFW has loaded; it is no library that we link.
static int close_window(const char *id)
{
    void *xlib = dlopen("libX11.so.6", RTLD_NOW);
    if (xlib == NULL) return 1;
    Display *(*open_it)(const char *) = (Display * (*)(const char *)) dlsym(xlib, "XOpenDisplay");
    Atom (*atom)(Display *, const char *, int) =
        (Atom(*)(Display *, const char *, int))dlsym(xlib, "XInternAtom");
    int (*send)(Display *, Window, int, long, XEvent *) =
        (int (*)(Display *, Window, int, long, XEvent *))dlsym(xlib, "XSendEvent");
    int (*sync_it)(Display *, int) = (int (*)(Display *, int))dlsym(xlib, "XSync");
    Display *x = open_it(NULL);
    if (x == NULL) return 1;
    XEvent event = {.xclient = {.type = ClientMessage, .format = 32}};
    event.xclient.window = strtoul(id, NULL, 10);
    event.xclient.message_type = atom(x, "WM_PROTOCOLS", False);
    event.xclient.data.l[0] = (long)atom(x, "WM_DELETE_WINDOW", False);
    send(x, event.xclient.window, False, NoEventMask, &event);
    sync_it(x, False);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "close") == 0) return close_window(argv[2]);
    program = argv[0];
    if (mkdtemp(folder) == NULL) return 1;
    open_display();
    UNITY_BEGIN();
    RUN_TEST(test_picking_hits_the_body_under_the_cursor);
    RUN_TEST(test_keys_and_drags);
    RUN_TEST(test_resizing_and_closing);
    RUN_TEST(test_what_cannot_be_shown);
    int failures = UNITY_END();
    close_display();
    shell("rm -rf $T");
    return failures;
}
