// `pliant run` as a person uses it: rows, frames, checkpoints, interruptions, bad scenes.

#include "runs.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

// Two boxes that swing, 1,512 tets: a step takes about a millisecond.
static const char SWING[] =
    "{\"world\": {\"dt\": 0.002, \"duration\": 0.02}, \"ground\": false, \"bodies\": ["
    " {\"mesh\": \"box:size=1,0.3,0.3:cells=12,3,3\", \"fixed\": {\"below\": -0.49, \"axis\": "
    "\"x\"}},"
    " {\"mesh\": \"ring\", \"material\": null},"
    " {\"mesh\": \"box:size=1,0.3,0.3:cells=16,3,3\", \"position\": [0, 1, 0],"
    "  \"driven\": [{\"select\": {\"above\": 0.49, \"axis\": \"x\"},"
    "   \"motion\": {\"axis\": [1, 0, 0], \"centre\": [0, 1, 0], \"rate\": 90, \"end\": 0.1}}]}]}";

void setUp(void)
{
}

void tearDown(void)
{
}

// --- Runs ---

// "cubes" is apps/scenes/cubes.json, unless there is such a file; a folder is none.
static void test_names_of_scenes(void)
{
    expect(0, "$P run cubes --steps 1", "1 steps in");
    expect(1, "$P run cubse", "there is no scene cubse.json in apps/scenes");
    expect(0, "cp $T/swing.json $T/cubes; P=$(realpath $P); cd $T; $P run cubes --steps 1",
           "1 steps in");
    expect(1, "P=$(realpath $P); cd $T; mkdir cubse; $P run cubse", "there is no scene");
}

static void test_help(void)
{
    expect(0, "$P run --help", "--checkpoint-every N");
    expect(0, "$P --help", "run ");
    expect(1, "$P run", "usage: pliant run SCENE");
    expect(1, "$P run $T/swing.json --steps 3 --time 1", "--steps and --time: give one of them");
    expect(1, "$P run $T/swing.json --threads 1000000",
           "--threads: 1000000 is more than 256, which is the limit");
    expect(1, "$P run $T/swing.json --every 3", "--every: say where to with --out DIR");
    expect(1, "$P run $T/swing.json --checkpoint-every 3", "--checkpoint-every: say where to");
    expect(1, "$P run $T/swing.json --dt 0", "--dt: \"0\" is not above 0");
}

static void test_statistics(void)
{
    static table t;
    expect(0, "$P run $T/swing.json --stats $T/a.csv", "10 steps in ");
    read_table("a.csv", &t);
    TEST_ASSERT_EQUAL_INT(10, t.n_rows); // the scene's duration
    TEST_ASSERT_EQUAL_STRING_LEN("1,0.002,0.002,2,0,0,", t.rest[0], 20);
    TEST_ASSERT_EQUAL_INT(16, strlen(t.hash[9]));
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(output, t.hash[9]), output);
    TEST_ASSERT_TRUE(strcmp(t.hash[8], t.hash[9]) != 0);
    expect(0, "$P run $T/swing.json --stats $T/a.csv --time 0.008 --quiet", "");
    TEST_ASSERT_EQUAL_STRING("", output);
    read_table("a.csv", &t);
    TEST_ASSERT_EQUAL_INT(4, t.n_rows);
    expect(0, "$P run $T/swing.json --stats $T/a.csv --steps 3 --dt 0.25", "0.75 s simulated");
    expect(0, "$P run $T/swing.json --steps 1 --stats /dev/stdout --quiet", HEADER);
}

static void test_threads_give_the_same_bits(void)
{
    expect(0, "$P run $T/swing.json --stats $T/one.csv --threads 1", "hash");
    expect(0, "$P run $T/swing.json --stats $T/two.csv --threads 2", "hash");
    expect_same_table("one.csv", "two.csv");
}

static void test_frames(void)
{
    expect(0, "$P run $T/swing.json --out $T/new/deep/ --stats $T/new/deep/s.csv --every 4",
           "hash");
    TEST_ASSERT_TRUE(exists("new/deep/frame-000000.vtu"));
    TEST_ASSERT_TRUE(exists("new/deep/frame-000004.vtu"));
    TEST_ASSERT_TRUE(exists("new/deep/frame-000008.vtu"));
    TEST_ASSERT_FALSE(exists("new/deep/frame-000010.vtu"));
    TEST_ASSERT_FALSE(exists("new/deep/checkpoint-000010.plc"));
    if (!has_vtk()) TEST_IGNORE_MESSAGE("python3-vtk9 is not installed");
    char words[256];
    snprintf(words, sizeof words, "series %s/new/deep/series.pvd 0 0.008 0.016", folder);
    TEST_ASSERT_EQUAL_INT(0, run_vtk(words));
}

static void test_resume(void)
{
    expect(0, "$P run $T/swing.json --steps 90 --out $T/whole --every 6 --stats $T/whole.csv",
           "hash");
    expect(0,
           "$P run $T/swing.json --steps 50 --out $T/parts --every 6 --stats $T/parts.csv"
           " --checkpoint-every 40",
           "parts/checkpoint-000050.plc");
    // From the earlier of the two: later rows and frames give way.
    expect(0,
           "$P run $T/swing.json --steps 90 --out $T/parts --every 6 --stats $T/parts.csv"
           " --resume $T/parts/checkpoint-000040.plc",
           "50 steps in ");
    expect_same_table("whole.csv", "parts.csv");
    TEST_ASSERT_EQUAL_STRING(read_whole("whole/series.pvd"), read_whole("parts/series.pvd"));
    TEST_ASSERT_EQUAL_INT(
        0, shell("for f in $T/whole/*.vtu; do cmp $f $T/parts/${f##*/} || exit 1; done"));
    expect(0, "$P run $T/swing.json --time 0.1 --resume $T/parts/checkpoint-000050.plc", "0 steps");
    // Into other files: they begin at the checkpoint.
    expect(0,
           "$P run $T/swing.json --steps 52 --out $T/later --stats $T/later.csv"
           " --resume $T/parts/checkpoint-000050.plc && head -2 $T/later.csv | tail -1 | cut -c1-3",
           "\n51,");
    TEST_ASSERT_TRUE(exists("later/frame-000050.vtu"));
    expect(1, "$P run $T/swing.json --resume $T/swing.json", "swing.json: not a checkpoint");
    expect(1, "$P run $T/swing.json --resume $T/none.plc", "none.plc: No such file");
    write_file("notes.csv", "my notes\n");
    expect(1, "$P run $T/swing.json --stats $T/notes.csv --resume $T/parts/checkpoint-000050.plc",
           "notes.csv:1: not the header of these statistics");
    TEST_ASSERT_EQUAL_STRING("my notes\n", read_whole("notes.csv"));
}

// --- Joints ---

// A pendulum with a motor that changes: rows and frames of its joint, the same bits when resumed.
static void test_joints(void)
{
    write_file("arm.json",
               "{\"world\": {\"dt\": 0.01, \"duration\": 0.4}, \"ground\": false, \"bodies\":"
               " [{\"name\": \"arm\", \"mesh\": \"box:size=1,0.1,0.1\", \"type\": \"rigid\"}],"
               " \"joints\": [{\"name\": \"shoulder\", \"kind\": \"hinge\", \"b\": \"arm\","
               " \"point\": [-0.5, 0, 0], \"axis\": [0, 1, 0], \"motor\": {\"mode\": \"force\","
               " \"keys\": [{\"time\": 0, \"value\": 0}, {\"time\": 1, \"value\": 90}]}}]}");
    expect(0,
           "$P run $T/arm.json --joints $T/j.csv --out $T/joints --every 20 --checkpoint-every 20",
           "40 steps in");
    expect(0, "head -1 $T/j.csv",
           "step,time,shoulder.twist,shoulder.twist_rate,shoulder.twist_motor,shoulder.force_x,"
           "shoulder.force_y,shoulder.force_z,shoulder.torque_x,shoulder.torque_y,"
           "shoulder.torque_z,shoulder.broken\n");
    TEST_ASSERT_TRUE(exists("joints/joints-000040.vtu"));
    expect(0, "cat $T/joints/joints.pvd", "joints-000020.vtu");
    expect(0,
           "cp $T/j.csv $T/k.csv && $P run $T/arm.json --joints $T/j.csv --out $T/joints"
           " --every 20 --resume $T/joints/checkpoint-000020.plc",
           "20 steps in");
    TEST_ASSERT_EQUAL_INT(0, shell("cmp $T/j.csv $T/k.csv"));
    expect(1, "$P run $T/swing.json --joints $T/j.csv", "--joints: no joint of ");
}

// --- Interruptions ---

static void wait_a_little(void)
{
    const struct timespec pause = {0, 1000000};
    nanosleep(&pause, NULL);
}

// Starts `pliant run` with these words (the last NULL) and waits until it has written `name`.
static pid_t start_run(char *const *words, const char *name)
{
    pid_t child = fork();
    TEST_ASSERT_TRUE(child >= 0);
    if (child == 0) {
        int fd = open(in_folder("log"), O_WRONLY | O_CREAT | O_TRUNC, 0666);
        dup2(fd, STDOUT_FILENO);
        dup2(fd, STDERR_FILENO);
        execv(command(), words);
        _exit(99);
    }
    for (int i = 0; i < 20000 && !exists(name); i++) wait_a_little();
    TEST_ASSERT_TRUE(exists(name));
    return child;
}

// The paths of the interrupted runs.
static char scene_path[64], out_path[64], csv_path[64];

static void name_paths(const char *name)
{
    snprintf(scene_path, sizeof scene_path, "%s/swing.json", folder);
    snprintf(out_path, sizeof out_path, "%s/%s", folder, name);
    snprintf(csv_path, sizeof csv_path, "%s/%s.csv", folder, name);
}

static void interrupted_by(int number)
{
    static table t;
    name_paths("stopped");
    shell("rm -rf $T/stopped $T/stopped.csv");
    char *const words[] = {
        "pliant", "run",    scene_path, "--steps", "1000000000",         "--stats", csv_path,
        "--out",  out_path, "--every",  "10",      "--checkpoint-every", "1000000", NULL};
    pid_t child = start_run(words, "stopped/frame-000010.vtu");
    int status;
    kill(child, number);
    TEST_ASSERT_EQUAL(child, waitpid(child, &status, 0));
    TEST_ASSERT_TRUE(WIFEXITED(status));
    TEST_ASSERT_EQUAL_INT(130, WEXITSTATUS(status));
    read_table("stopped.csv", &t); // whole rows
    const char *log = read_whole("log");
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(log, "interrupted\n"), log);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(log, t.hash[t.n_rows - 1]), log); // none is missing
    char name[64];
    snprintf(name, sizeof name, "stopped/checkpoint-%06d.plc", t.n_rows);
    TEST_ASSERT_TRUE_MESSAGE(exists(name), name);
}

static void test_interrupt(void)
{
    interrupted_by(SIGINT);
    interrupted_by(SIGTERM);
}

// Killed in the middle of anything, a run goes on from its last checkpoint as if nothing had been.
static void test_kill(void)
{
    name_paths("killed");
    char *const words[] = {"pliant", "run",   scene_path, "--steps", "90", "--stats",
                           csv_path, "--out", out_path,   "--every", "6",  "--checkpoint-every",
                           "5",      NULL};
    pid_t child = start_run(words, "killed/checkpoint-000040.plc");
    int status;
    kill(child, SIGKILL);
    TEST_ASSERT_EQUAL(child, waitpid(child, &status, 0));
    TEST_ASSERT_TRUE_MESSAGE(WIFSIGNALED(status), "the run was over before it was killed");
    expect(0,
           "$P run $T/swing.json --steps 90 --stats $T/killed.csv --out $T/killed --every 6"
           " --resume $(ls $T/killed/*.plc | tail -1)",
           "hash");
    expect_same_table("whole.csv", "killed.csv");
    TEST_ASSERT_EQUAL_STRING(read_whole("whole/series.pvd"), read_whole("killed/series.pvd"));
}

// --- What cannot be ---

// Statistics and frames of an earlier run survive a bad scene.
static void refuse_scene(const char *scene, const char *complaint)
{
    write_file("bad.json", scene);
    expect(1, "$P run $T/bad.json --out $T/never --stats $T/kept.csv --every 1", complaint);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(output, "/bad.json:"), output);
    TEST_ASSERT_FALSE(exists("never"));
    TEST_ASSERT_EQUAL_STRING("kept\n", read_whole("kept.csv"));
}

#define CUBE(keys) "{\"bodies\": [{\"mesh\": \"cube\", " keys "}]}"
#define WORLD(keys) "{\"world\": {" keys "}, \"bodies\": [{\"mesh\": \"cube\"}]}"

static void test_bad_scenes(void)
{
    write_file("kept.csv", "kept\n");
    expect(0, "$P mesh cube --surface -o $T/skin.off", "0 tets");
    expect(1, "$P run $T/none.json", "none.json: No such file or directory");
    refuse_scene("{\"bodies\": [{\"mesh\": \"none.msh\"}]}", "bodies[0].mesh: ");
    refuse_scene("{\"bodies\": [{\"mesh\": \"skin.off\"}]}",
                 "bodies[0].mesh: the mesh has no tets");
    refuse_scene(CUBE("\"material\": {\"young\": \"hard\"}"), "bodies[0].material.young: a number");
    refuse_scene(CUBE("\"material\": {\"young\": NaN}"), ":1:52: not valid JSON");
    refuse_scene(CUBE("\"material\": {\"young\": 1e400}"),
                 "bodies[0].material.young: a finite number");
    refuse_scene(CUBE("\"material\": {\"young\": -1}"),
                 "bodies[0].material.young: -1 is not above 0");
    refuse_scene(CUBE("\"material\": {\"poisson\": 0.5}"),
                 "bodies[0].material.poisson: 0.5 is not");
    refuse_scene(CUBE("\"material\": {\"density\": 0}"),
                 "bodies[0].material.density: 0 is not above");
    refuse_scene(CUBE("\"fixed\": [100000]"), "bodies[0].fixed[0]: vertex 100000 of ");
    refuse_scene(WORLD("\"dt\": 0"), "world.dt: 0 is not above 0 s");
    refuse_scene(WORLD("\"dt\": -0.1"), "world.dt: -0.1 is not above 0 s");
    refuse_scene(WORLD("\"gravitiy\": [0, 0, 0]"), "did you mean \"gravity\"?");
    refuse_scene("{\"bodies\": [{\"mesh\": \"cube\", \"material\": null}]}",
                 "none of them is simulated");
}

static void test_hostile_files(void)
{
    for (int mb = 1; mb <= 100; mb += 99) { // below and above the limit
        char words[160];
        snprintf(words, sizeof words, "head -c %dM /dev/zero | tr '\\0' '[' >$T/brackets.json", mb);
        TEST_ASSERT_EQUAL_INT(0, shell(words));
        expect(1, "$P run $T/brackets.json --out $T/never",
               mb == 1 ? "brackets.json:1:1001: not valid JSON" : "brackets.json: byte 16777216: ");
        TEST_ASSERT_FALSE(exists("never"));
    }
    shell("rm $T/brackets.json");
}

static void test_bad_outputs(void)
{
    write_file("kept.csv", "kept\n");
    expect(1, "$P run $T/swing.json --out $T/kept.csv", "kept.csv: Not a directory");
    expect(1, "$P run $T/swing.json --out $T/kept.csv/below", "kept.csv: Not a directory");
    TEST_ASSERT_EQUAL_STRING("kept\n", read_whole("kept.csv"));
    expect(1, "$P run $T/swing.json --stats $T/no/a.csv", "no/a.csv: cannot write: No such file");
    expect(1, "$P run $T/swing.json --stats /dev/full", "/dev/full: cannot write: No space left");
}

// A solve that may not take an iteration does not converge: what came before it is there.
static void test_a_failing_step(void)
{
    write_file("fails.json", "{\"world\": {\"max_iterations\": 1, \"tolerance\": 1e-15},"
                             " \"ground\": false,"
                             " \"bodies\": [{\"mesh\": \"cube:cells=3\", \"fixed\": [0]}]}");
    expect(1, "$P run $T/fails.json --out $T/fails --stats $T/fails.csv --checkpoint-every 5",
           "step 1, from 0 s: ");
    TEST_ASSERT_TRUE(exists("fails/frame-000000.vtu"));
    TEST_ASSERT_TRUE(exists("fails/checkpoint-000000.plc"));
    static table t;
    read_table("fails.csv", &t);
    TEST_ASSERT_EQUAL_INT(0, t.n_rows);
}

static void test_render_resumes(void)
{
    expect(0, "$P run $T/swing.json --steps 60 --out $T/seen --checkpoint-every 60", "hash");
    expect(0, "$P render $T/swing.json -o $T/0.png --size 64x48 --passes 1", "3 bodies");
    expect(0,
           "$P render $T/swing.json --resume $T/seen/checkpoint-000060.plc -o $T/60.png"
           " --size 64x48 --passes 1",
           "3 bodies");
    TEST_ASSERT_EQUAL_INT(1, shell("cmp -s $T/0.png $T/60.png"));
    expect(1, "$P render ring --resume $T/seen/checkpoint-000060.plc -o $T/a.png",
           "--resume: a checkpoint belongs to a scene");
    write_file("other.json", "{\"bodies\": [{\"mesh\": \"cube\"}]}");
    expect(1, "$P render $T/other.json --resume $T/seen/checkpoint-000060.plc -o $T/a.png",
           "the checkpoint is of another scene");
    TEST_ASSERT_FALSE(exists("a.png"));
}

int main(void)
{
    if (mkdtemp(folder) == NULL) return 1;
    UNITY_BEGIN();
    write_file("swing.json", SWING);
    RUN_TEST(test_help);
    RUN_TEST(test_names_of_scenes);
    RUN_TEST(test_statistics);
    RUN_TEST(test_threads_give_the_same_bits);
    RUN_TEST(test_frames);
    RUN_TEST(test_resume);
    RUN_TEST(test_joints);
    RUN_TEST(test_interrupt);
    RUN_TEST(test_kill);
    RUN_TEST(test_bad_scenes);
    RUN_TEST(test_hostile_files);
    RUN_TEST(test_bad_outputs);
    RUN_TEST(test_a_failing_step);
    RUN_TEST(test_render_resumes);
    shell("rm -rf $T");
    return UNITY_END();
}
