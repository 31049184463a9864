// The command as a person runs it: its output, its messages, its exit codes.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unity.h>

static char folder[] = "/tmp/pliant_command_XXXXXX";
static char output[1 << 16]; // of the last command

void setUp(void)
{
}

void tearDown(void)
{
}

// Runs `pliant WORDS` (WORDS may use $T, the folder); keeps what it prints, returns its exit code.
static int pliant(const char *words)
{
    const char *command = getenv("PLIANT");
    char line[2048];
    snprintf(line, sizeof line, "T=%s; export T; %s %s 2>&1", folder,
             command != NULL ? command : "build/pliant", words);
    FILE *pipe = popen(line, "r");
    size_t n = pipe != NULL ? fread(output, 1, sizeof output - 1, pipe) : 0;
    output[n] = '\0';
    int status = pipe != NULL ? pclose(pipe) : -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void expect(int code, const char *words, const char *part)
{
    int got = pliant(words);
    TEST_ASSERT_EQUAL_INT_MESSAGE(code, got, output);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(output, part), output);
}

static void test_help(void)
{
    expect(0, "--help", "usage: pliant COMMAND");
    expect(1, "", "usage: pliant COMMAND");
    expect(0, "--version", "pliant 0.");
    expect(0, "mesh --help", "ring:radius=0.4:section=0.2:segments=18");
    expect(0, "render --help", "--size WxH");
    expect(0, "audit --help", "--parts");
    expect(0, "bench --help", "mesh");
    expect(1, "mehs", "pliant: unknown command \"mehs\", did you mean \"mesh\"?");
}

static void test_options(void)
{
    expect(1, "mesh ring --tetz 4", "pliant: unknown option \"--tetz\", did you mean \"--tets\"?");
    expect(1, "mesh ring --tets", "pliant: --tets needs a value: --tets N");
    expect(1, "mesh ring --tets 1.5", "pliant: --tets: \"1.5\" is not a whole number above 0");
    expect(1, "mesh ring --tets x", "pliant: --tets: \"x\" is not a number");
    expect(1, "mesh ring --scale=-1", "pliant: --scale: \"-1\" is not above 0");
    expect(1, "mesh ring --info=1", "pliant: --info takes no value");
    expect(1, "mesh", "pliant: usage: pliant mesh IN");
    expect(1, "mesh ring cube", "pliant: usage: pliant mesh IN");
    expect(1, "bench none", "pliant: unknown benchmark \"none\"");
}

static void test_mesh_writes_every_format(void)
{
    expect(0, "mesh ring -o $T/r.vtu", "72 vertices, 144 faces, 108 tets");
    const char *const formats[] = {"obj", "ply", "off", "msh"};
    for (int i = 0; i < 4; i++) {
        char words[128];
        snprintf(words, sizeof words, "mesh ring -o $T/r.%s", formats[i]);
        expect(0, words, "72 vertices");
        snprintf(words, sizeof words, "mesh $T/r.%s --info", formats[i]);
        expect(0, words, "surface: closed, 1 part, free of self-intersection");
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(output, "72 vertices, 144 faces"), output);
    }
    expect(0, "mesh $T/r.vtu", "108 tets");
    expect(0, "mesh $T/r.msh --ascii -o $T/s.off 2>&1", "--ascii has no effect: OBJ and OFF are");
    expect(0, "mesh $T/r.msh --surface --ascii -o $T/s.ply", "72 vertices, 144 faces, 0 tets");
}

static void test_mesh_sizes(void)
{
    expect(0, "mesh cube --scale 2", "[-1, 1] x [-1, 1] x [-1, 1] m");
    expect(0, "mesh box:size=1,2,4 --fit 1", "[-0.5, 0.5] m");
    expect(0, "mesh cube", "volume:  1 m^3");
    expect(1, "mesh cube --scale 2 --fit 1", "--scale and --fit exclude each other");
}

static void test_mesh_keeps_a_cloud_of_points(void)
{
    system("printf 'v 0 0 0\\nv 1 0 0\\nv 0 2 0\\n' >/tmp/pliant_cloud.obj");
    expect(0, "mesh /tmp/pliant_cloud.obj", "3 vertices, 0 faces, 0 tets");
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(output, "bounds:  [0, 1] x [0, 2] x [0, 0] m"), output);
    expect(0, "mesh /tmp/pliant_cloud.obj -o $T/cloud.ply", "cloud.ply: 3 vertices");
    remove("/tmp/pliant_cloud.obj");
}

static void test_mesh_fills_and_decimates(void)
{
    expect(0, "mesh icosphere:level=4 --surface -o $T/ball.off",
           "2562 vertices, 5120 faces, 0 tets");
    expect(0, "mesh $T/ball.off --faces 500 --tets 2000 --info -o $T/ball.vtu", "500 faces");
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(output, "closed, 1 part, free of"), output);
    expect(0, "mesh $T/ball.off --faces 500 --fill -o $T/ball.msh", "500 faces");
    expect(0, "mesh $T/ball.msh --tets 3000 -o $T/finer.msh", "500 faces");
}

static void test_mesh_errors_name_the_file(void)
{
    expect(1, "mesh $T/none.off", "none.off: No such file or directory");
    expect(1, "mesh $T", "not a regular file");
    expect(1, "mesh ring -o $T/no/ring.vtu", "no/ring.vtu: cannot write: No such file");
    expect(1, "mesh ring -o $T/ring.xyz", "ring.xyz");
    expect(1, "mesh rign",
           "rign: no such file, and unknown shape \"rign\", did you mean \"ring\"?");
    expect(1, "mesh bax:size=0.5", "did you mean \"box\"?");
    expect(1, "mesh ring:segments=1 -o $T/a.vtu", "ring: segments: 1 is not a whole number");
    system("printf 'OFF\\n3 1 0\\n0 0 0\\n1 0 0\\n0 1 0\\n3 0 1 7\\n' >/tmp/pliant_bad.off");
    expect(1, "mesh /tmp/pliant_bad.off", "/tmp/pliant_bad.off:6:");
    remove("/tmp/pliant_bad.off");
}

// The input would take long, and is not even there: the output comes first.
static void test_outputs_are_refused_before_the_work(void)
{
    expect(1, "mesh $T/none.off -o $T/a.stl", "a.stl: cannot write \".stl\" files; use .obj");
    expect(1, "mesh $T/none.off -o $T/no/a.vtu", "no/a.vtu: cannot write: No such file");
    expect(1, "mesh $T/none.off -o /dev/null.vtu/a.vtu", "cannot write");
    expect(1, "render $T/none.off -o $T/no/a.png", "no/a.png: cannot write: No such file");
    expect(1, "render $T/none.off -o $T/a.png", "none.off: No such file");
    expect(1, "mesh $T/none.off -o $T/a.vtu", "none.off: No such file");
    pliant("--version; ls $T"); // the attempts left nothing behind
    TEST_ASSERT_NULL_MESSAGE(strstr(output, "a.vtu"), output);
    TEST_ASSERT_NULL_MESSAGE(strstr(output, "a.png"), output);
}

static void test_mesh_refuses_what_cannot_be_filled(void)
{
    system("printf 'OFF\\n3 1 0\\n0 0 0\\n1 0 0\\n0 1 0\\n3 0 1 2\\n' >/tmp/pliant_open.off");
    expect(1, "mesh /tmp/pliant_open.off --fill -o $T/a.vtu", "open");
    expect(0, "mesh /tmp/pliant_open.off", "surface: open, 1 part");
    remove("/tmp/pliant_open.off");
}

static void test_audit(void)
{
    expect(0, "audit --help", "Exit code: 0 if all is clean, 2 if something intersects");
    expect(1, "audit", "pliant: usage: pliant audit MESH...");
    expect(1, "audit ring $T/none.off", "none.off: No such file");
    expect(0, "audit ring", "1 body, 144 faces\nclean: no two faces meet");
    expect(2, "audit ring cube", "pairs of faces intersect:\n  ring face");
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(output, " more (--all lists them)"), output);
    expect(2, "audit ring cube --all", "smallest distance between bodies: 0 m, ring face");
    TEST_ASSERT_NULL_MESSAGE(strstr(output, "more (--all"), output);
    expect(2, "audit cube box:size=4,4,4", "cube vertex 0 at (-0.5, -0.5, -0.5) inside of box");
    expect(0, "mesh cube:cells=1 --scale 2 -o $T/two.vtu", "8 vertices");
    expect(2, "audit cube:cells=1 $T/two.vtu", "1 vertex is inside of another body:");
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(output, "smallest distance between bodies: 0.5 m"), output);
}

// Two tets in one file, one with its tip in the other: as a surface they are one body or two.
static void test_audit_parts(void)
{
    system("printf 'OFF\\n8 8 0\\n0 0 0\\n8 0 0\\n0 8 0\\n0 0 8\\n1 1 1\\n2 1 1\\n1 2 1\\n1 1 2\\n"
           "3 0 2 1\\n3 0 1 3\\n3 1 2 3\\n3 2 0 3\\n3 4 6 5\\n3 4 5 7\\n3 5 6 7\\n3 6 4 7\\n'"
           " >/tmp/pliant_parts.off");
    expect(0, "audit /tmp/pliant_parts.off", "1 body, 8 faces\nclean");
    expect(2, "audit /tmp/pliant_parts.off --parts", "2 bodies, 8 faces");
    TEST_ASSERT_NOT_NULL_MESSAGE(
        strstr(output, "parts.off[1] vertex 4 at (1, 1, 1) inside of /tmp/pliant_parts.off[0]"),
        output);
    // Tets are bodies by parts: what a frame of a run holds.
    system("printf '# vtk DataFile Version 3.0\\nt\\nASCII\\nDATASET UNSTRUCTURED_GRID\\nPOINTS 8 "
           "double\\n"
           "0 0 0 8 0 0 0 8 0 0 0 8 1 1 1 2 1 1 1 2 1 1 1 2\\nCELLS 2 10\\n4 0 1 2 3\\n4 4 5 6 7\\n"
           "CELL_TYPES 2\\n10 10\\n' >/tmp/pliant_parts.vtk");
    expect(2, "audit /tmp/pliant_parts.vtk", "parts.vtk[1] vertex 5 at (2, 1, 1) inside of");
    remove("/tmp/pliant_parts.off");
    remove("/tmp/pliant_parts.vtk");
}

// The faces of an STL file have no vertex in common; where corners are equal they belong together.
static void test_audit_soup(void)
{
    system(
        "printf 'solid\\n' >/tmp/pliant_soup.stl; for t in '0 0 0:0 1 0:1 0 0' '0 0 0:1 0 0:0 0 1'"
        " '1 0 0:0 1 0:0 0 1' '0 1 0:0 0 0:0 0 1'; do echo \"$t\" | awk -F: '{print \"facet normal "
        "0 0 0\\n"
        "outer loop\\nvertex \" $1 \"\\nvertex \" $2 \"\\nvertex \" $3 \"\\nendloop\\nendfacet\"}'"
        " >>/tmp/pliant_soup.stl; done; echo endsolid >>/tmp/pliant_soup.stl");
    expect(0, "audit /tmp/pliant_soup.stl", "8 equal vertices welded");
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(output, "1 body, 4 faces\nclean"), output);
    remove("/tmp/pliant_soup.stl");
}

static void test_render(void)
{
    expect(0, "render ring -o $T/ring.png --size 160x90 --passes 2", "160x90, 1 body, ");
    expect(0, "render ring -o $T/top.PNG --from 0,0,1 --size 32x32 --passes 1", "32x32");
    expect(
        0,
        "render cube ring --cut y --up y --edges --no-ground -o $T/two.png --size 64x64 --passes 1",
        "2 bodies");
    expect(1, "render ring", "-o is missing: PICTURE.png, FILM.mp4 or frames/%04d.png");
    expect(1, "render ring -o $T/a.jpg", "ends neither in .png nor in .mp4");
    expect(1, "render ring -o $T/a.png --size 0x5", "--size: \"0x5\" is not WIDTHxHEIGHT");
    expect(1, "render ring -o $T/a.png --size 10.5x20", "is not WIDTHxHEIGHT in pixels");
    expect(1, "render ring -o $T/a.png --from 0,0,0", "--from: \"0,0,0\" has no direction");
    expect(1, "render ring -o $T/a.png --from 1,2", "--from: \"1,2\" is not X,Y,Z");
    expect(1, "render ring -o $T/a.png --cut q", "--cut: \"q\" is not x, y or z");
    expect(1, "render $T/none.json -o $T/a.png", "none.json: No such file");
    expect(1, "render ring -o $T/no/a.png --size 16x16 --passes 1", "no/a.png: cannot write");
}

// What a body carries is drawn, and its own surface is not.
static void test_render_carried_surface(void)
{
    static const char *const bodies[3] = {"\"cube\"", "\"cube\", \"render_mesh\": \"torus\"",
                                          "\"cube\", \"render_mesh\": \"cube\""};
    char line[1024];
    for (int i = 0; i < 3; i++) {
        snprintf(line, sizeof line,
                 "echo '{\"camera\": {\"eye\": [3, 2, 1]}, \"bodies\": [{\"mesh\": %s}]}' "
                 ">%s/%d.json",
                 bodies[i], folder, i);
        TEST_ASSERT_EQUAL_INT(0, system(line));
        snprintf(line, sizeof line, "render $T/%d.json -o $T/%d.png --size 64x48 --passes 2", i, i);
        expect(0, line, "64x48, 1 body, ");
    }
    snprintf(line, sizeof line, "cmp -s %s/0.png %s/1.png", folder, folder);
    TEST_ASSERT_TRUE(system(line) != 0);
    snprintf(line, sizeof line, "cmp -s %s/0.png %s/2.png", folder, folder);
    TEST_ASSERT_EQUAL_INT(0, system(line)); // places of a cube are exact
}

// A vertex that falls through a face, the row of its end given; and the truth about it.
static void make_query(const char *name, const char *end, int truth)
{
    char line[1024];
    snprintf(line, sizeof line,
             "T=%s; for p in 1,4,1,4,1,1 0,1,0,1,0,1 1,1,0,1,0,1 0,1,1,1,0,1 "
             "%s 0,1,0,1,0,1 1,1,0,1,0,1 0,1,1,1,0,1; do echo $p,%d; done >$T/%s",
             folder, end, truth, name);
    TEST_ASSERT_EQUAL_INT(0, system(line));
}

static void test_ccd(void)
{
    make_query("vf.csv", "1,4,1,4,-1,1", 1);
    make_query("vf2.csv", "1,4,1,4,1,2", 0);
    make_query("wrong.csv", "1,4,1,4,1,2", 1); // it does not meet: a miss, if one believes the file
    make_query("bad.csv", "1,4,1,4,1,0", 1);
    expect(0, "ccd $T/vf.csv $T/vf2.csv", "vertex-face         2        1        0        0");
    expect(0, "ccd $T/vf.csv; gzip $T/vf.csv", "vertex-face");
    expect(0, "ccd $T/vf.csv.gz", "vertex-face         1        1        0        0");
    expect(0, "ccd --separation 0.6 --verbose $T/vf2.csv", "query 0: false alarm, 0.6");
    expect(1, "ccd --kind vf $T/wrong.csv", "pliant: 1 of 1 hits were missed");
    expect(1, "ccd $T/wrong.csv",
           "wrong.csv: vertex-face or edge-edge? Say --kind vf or --kind ee");
    expect(1, "ccd --kind ff $T/wrong.csv", "--kind: it is vf or ee");
    expect(1, "ccd --kind ee $T/bad.csv", "bad.csv:5: a denominator is 0");
    expect(1, "ccd vf_none.csv", "vf_none.csv: No such file");
    expect(1, "ccd", "usage: pliant ccd FILE.csv[.gz]...");
    expect(0, "ccd --help", "x_num,x_den");
}

static void test_bench_runs(void)
{
    expect(0, "bench mesh --quick", "hash of the mesh");
    expect(0, "bench spmv --quick", "residual");
}

// What is printed and does not arrive is a failure, of every command that prints.
static void test_a_full_device(void)
{
    static const char *const lines[] = {
        "--help",
        "--version",
        "run --help",
        "plot --help",
        "mesh cube:cells=1 --info",
        "audit $T/full.off",
        "run $T/full.json --steps 1",
        "solve $T/full",
        "ccd $T/vf.csv",
        "bench spmv --quick",
    };
    FILE *scene, *queries;
    char path[128], line[512];
    snprintf(path, sizeof path, "%s/full.json", folder);
    TEST_ASSERT_NOT_NULL(scene = fopen(path, "w"));
    fputs("{\"bodies\": [{\"mesh\": \"cube:cells=1\", \"position\": [0, 0, 0.501]}]}", scene);
    fclose(scene);
    snprintf(path, sizeof path, "%s/vf.csv", folder);
    TEST_ASSERT_NOT_NULL(queries = fopen(path, "w"));
    for (int i = 0; i < 8; i++) fprintf(queries, "%d,1,%d,1,0,1,0\n", i, i * i);
    fclose(queries);
    expect(0, "mesh cube:cells=1 -o $T/full.off", "");
    expect(0, "run $T/full.json --steps 20 --record $T/full", "");
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        snprintf(line, sizeof line, "%s 2>$T/errors >/dev/full; code=$?; cat $T/errors; exit $code",
                 lines[i]);
        expect(1, line, "standard output: cannot write");
    }
    expect(1, "run $T/full.json --steps 1 --quiet --stats /dev/full", "/dev/full: cannot write");
}

int main(void)
{
    if (mkdtemp(folder) == NULL) return 1;
    UNITY_BEGIN();
    RUN_TEST(test_help);
    RUN_TEST(test_options);
    RUN_TEST(test_a_full_device);
    RUN_TEST(test_mesh_writes_every_format);
    RUN_TEST(test_mesh_sizes);
    RUN_TEST(test_mesh_fills_and_decimates);
    RUN_TEST(test_mesh_errors_name_the_file);
    RUN_TEST(test_mesh_keeps_a_cloud_of_points);
    RUN_TEST(test_outputs_are_refused_before_the_work);
    RUN_TEST(test_mesh_refuses_what_cannot_be_filled);
    RUN_TEST(test_audit);
    RUN_TEST(test_audit_parts);
    RUN_TEST(test_audit_soup);
    RUN_TEST(test_render);
    RUN_TEST(test_render_carried_surface);
    RUN_TEST(test_ccd);
    RUN_TEST(test_bench_runs);
    char line[128];
    snprintf(line, sizeof line, "rm -rf %s", folder);
    return UNITY_END() + (system(line) != 0);
}
