// `pliant run` and `render` with bodies on a grid: statistics, frames, records, the same bits, and
// what is refused by its name.

#include "runs.h"

void setUp(void)
{
}

void tearDown(void)
{
}

#define BODY(x, v)                                                                                 \
    "{\"mesh\": \"box:size=0.4,0.4,0.4\", \"position\": [" x ", 0, 0], \"velocity\": [" v          \
    ", 0, 0], \"material\": {\"kind\": \"neo-hookean\", \"young\": 2e5}}"
#define SCENE_OF(grid, more, bodies)                                                               \
    "{\"grid\": {" grid                                                                            \
    "}, \"world\": {\"dt\": 0.004, \"duration\": 0.08, \"gravity\": [0, 0, 0]}," more              \
    " \"bodies\": [" bodies "]}"

static const char MEET[] =
    SCENE_OF("\"spacing\": 0.1", "", BODY("-0.25", "2") "," BODY("0.25", "-2"));

static void test_run_and_solve_again(void)
{
    write_file("meet.json", MEET);
    expect(0,
           "$P run $T/meet.json --threads 1 --stats $T/a.csv --out $T/o --every 5 --format "
           "obj,ply --record $T/r",
           "20 steps");
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(output, "contact problems: "), output);
    expect(0, "head -1 $T/a.csv", HEADER);
    expect(0, "wc -l < $T/a.csv", "21");
    expect(0, "ls $T/o", "frame-000020.obj");
    expect(0, "ls $T/o", "frame-000005.ply");
    expect(0, "cat $T/o/frames.csv", "20,0.08");
    expect(0, "grep -c '^o ' $T/o/frame-000020.obj", "2");
    expect(0, "$P solve $T/r --solver sp-schurpa,sp-direct", "sp-direct");
    TEST_ASSERT_NULL_MESSAGE(strstr(output, "limit"), output);
    expect(0,
           "$P run $T/meet.json --threads 3 --quiet --stats $T/b.csv && cut -d, -f20 $T/a.csv > "
           "$T/a && cut -d, -f20 $T/b.csv > $T/b && cmp $T/a $T/b && echo same",
           "same");
}

static void test_render(void)
{
    write_file("meet.json", MEET);
    int code = shell("$P render $T/meet.json --time 0.02 --passes 1 --size 64x48 -o $T/p.png");
    if (code != 0 && strstr(output, "OpenGL") != NULL) TEST_IGNORE_MESSAGE(output);
    TEST_ASSERT_EQUAL_MESSAGE(0, code, output);
    expect(1, "$P render $T/meet.json --time 0.02 --color stress -o $T/p.png",
           "--color: bodies on a grid");
}

static void refuse_scene(const char *text, const char *part)
{
    write_file("bad.json", text);
    expect(1, "$P run $T/bad.json", part);
}

static void test_bad_keys(void)
{
    refuse_scene(SCENE_OF("\"spacing\": 0", "", BODY("0", "0")), "grid.spacing: ");
    refuse_scene(SCENE_OF("\"spacing\": 0.1, \"cfl\": 2", "", BODY("0", "0")), "grid.cfl: ");
    refuse_scene(SCENE_OF("\"spacng\": 0.1", "", BODY("0", "0")), "did you mean \"spacing\"?");
    refuse_scene(SCENE_OF("\"refine\": 9", "", BODY("0", "0")), "refine: a number from 1 to 8");
    refuse_scene(SCENE_OF("\"spacing\": 0.1", "\"ground\": true,", BODY("0", "0")),
                 "ground: bodies on a grid rest on static bodies");
    refuse_scene(SCENE_OF("\"spacing\": 0.1", "\"joints\": [],", BODY("0", "0")), "joints: ");
    refuse_scene(SCENE_OF("\"spacing\": 0.1", "", "{\"mesh\": \"cube\"}"),
                 "bodies[0].material.kind: bodies on a grid are neo-Hookean");
    refuse_scene(SCENE_OF("\"spacing\": 0.1", "", "{\"mesh\": \"cube\", \"type\": \"rigid\"}"),
                 "bodies[0].type: bodies on a grid are deformable, static or kinematic");
    refuse_scene(
        SCENE_OF("\"spacing\": 0.1", "",
                 "{\"mesh\": \"cube\", \"type\": \"kinematic\", \"motion\": {\"rate\": 3}}"),
        "bodies[0].motion: driven bodies on a grid do not turn");
}

static void test_bad_options(void)
{
    write_file("meet.json", MEET);
    expect(1, "$P run $T/meet.json --audit", "--audit: not for bodies on a grid");
    expect(1, "$P run $T/meet.json --resume $T/x.plc", "--resume: not for bodies on a grid");
    expect(1, "$P run $T/meet.json --out $T/o --format vtu", "obj and ply can hold");
    expect(1, "$P run $T/meet.json --solver cr", "friction in diamonds");
    expect(1, "$P run $T/meet.json --dt 1 --time 2", "parts");
}

int main(void)
{
    if (mkdtemp(folder) == NULL) return 1;
    UNITY_BEGIN();
    RUN_TEST(test_run_and_solve_again);
    RUN_TEST(test_render);
    RUN_TEST(test_bad_keys);
    RUN_TEST(test_bad_options);
    shell("rm -r $T");
    return UNITY_END();
}
