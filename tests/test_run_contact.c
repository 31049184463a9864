// `pliant run` with bodies that touch: its options, audits, records and limits, and how it ends.

#include "runs.h"

#include <sys/resource.h>
#include <time.h>

void setUp(void)
{
}

void tearDown(void)
{
}

// Two cubes that fall, one on the other, on a plate that stays. Body 0 is only drawn.
#define PLATE                                                                                      \
    " {\"mesh\": \"ring\", \"material\": null},"                                                   \
    " {\"mesh\": \"box:size=1,1,0.1:cells=4,4,1\", \"position\": [0, 0, -0.05],"                   \
    "  \"fixed\": {\"above\": -1}}"
#define CUBE(position, rotation)                                                                   \
    " {\"mesh\": \"cube:cells=2\", \"scale\": 0.3, \"position\": " position                        \
    ", \"rotation\": " rotation "}"
#define SCENE_ON(ground, bodies)                                                                   \
    "{\"world\": {\"dt\": 0.002, \"duration\": 0.12}, \"ground\": " ground                         \
    ", \"bodies\": [" bodies "]}"
#define SCENE(bodies) SCENE_ON("false", bodies)

static const char FALL[] = SCENE(
    PLATE "," CUBE("[0.03, 0.02, 0.16]", "[0, 0, 0]") "," CUBE("[0, 0.05, 0.5]", "[0, 0, 30]"));
static const char OVERLAP[] = SCENE(PLATE "," CUBE("[0, 0, 0.1]", "[0, 0, 0]"));
static const char INSIDE[] =
    SCENE(CUBE("[0, 0, 0]", "[0, 0, 0]") ","
                                         " {\"mesh\": \"cube\", \"scale\": 0.1}");

#define CRUSH(seconds)                                                                             \
    "{\"world\": {\"dt\": 0.002, \"max_seconds\": " seconds "}, \"bodies\": ["                     \
    " {\"mesh\": \"cube:size=0.3:cells=3\", \"position\": [0, 0, 0.1502]},"                        \
    " {\"mesh\": \"box:size=1,1,0.1:cells=2,2,1\", \"position\": [0, 0, 0.36],"                    \
    "  \"type\": \"kinematic\", \"motion\": {\"velocity\": [0, 0, -1]}}]}"

// --- Options ---

static void test_bad_options(void)
{
    expect(1, "$P run $T/fall.json --solver cg", "--solver: unknown solver \"cg\", did you mean");
    expect(1, "$P run $T/fall.json --solver zebra", "--solver: unknown solver \"zebra\"");
    expect(1, "$P run $T/fall.json --newton-tolerance 1", "--newton-tolerance: 1 is not below 1");
    expect(1, "$P run $T/fall.json --newton-tolerance 0", "--newton-tolerance: \"0\"");
    expect(1, "$P run $T/fall.json --max-newton 0.5", "--max-newton: \"0.5\"");
    expect(1, "$P run $T/fall.json --integrator bdf", "--integrator: unknown integrator \"bdf\"");
    expect(1, "$P run $T/fall.json --precond dia", "--precond: unknown precond \"dia\", did you");
    expect(1, "$P run $T/fall.json --residual-tolerance 1",
           "--residual-tolerance: 1 is not between 0 and 1");
    expect(1, "$P run $T/fall.json --residual-tolerance -1",
           "--residual-tolerance: \"-1\" is not above 0");
    expect(1, "$P run $T/fall.json --contact-tolerance 0",
           "--contact-tolerance: \"0\" is not above 0");
    expect(1, "$P run $T/fall.json --contact-tolerance nan",
           "--contact-tolerance: \"nan\" is not a number");
    expect(1, "$P run $T/fall.json --max-seconds 0", "--max-seconds: \"0\" is not above 0");
    expect(1, "$P run $T/fall.json --no-contact --record $T/r", "--record: there are no problems");
    expect(1, "$P run $T/fall.json --record $T/fall.json", "fall.json: Not a directory");
    expect(1, "$P run $T/none.json --audit", "none.json: No such file");
    expect(0, "$P run --help", "Solvers of contact problems:\n\napg ");
}

static void test_old_options(void)
{
    expect(0, "$P run $T/fall.json --steps 1 --eps1=1e-3",
           "warning: --eps1 is now called --residual-tolerance\n");
    expect(0, "$P run $T/fall.json --steps 1 --eps2 1e-5",
           "warning: --eps2 is now called --contact-tolerance\n");
    expect(0, "$P run $T/fall.json --steps 1 --paper", "warning: --paper is now called --vj19\n");
}

static void test_no_effect(void)
{
    expect(0, "$P run $T/fall.json --steps 1 --precond diag",
           "warning: --precond has no effect: only the solvers cr, minres and gcr have one\n");
    expect(0, "$P run $T/fall.json --steps 1 --quiet --solver cr --precond diag --no-rescue", "");
    TEST_ASSERT_EQUAL_STRING("", output);
    expect(0, "$P run $T/fall.json --steps 1 --no-rescue",
           "warning: --no-rescue has no effect: it is auto that rescues others");
    expect(0,
           "$P run $T/fall.json --steps 1 --no-contact --residual-tolerance 1e-3 "
           "--contact-tolerance 1e-5 --solver cr --vj19",
           "warning: --solver has no effect: --no-contact leaves no contacts to solve\n");
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(output, "warning: --residual-tolerance has no effect: "),
                                 output);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(output, "warning: --contact-tolerance has no effect: "),
                                 output);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(output, "warning: --vj19 has no effect: "), output);
    expect(0,
           "sed 's/\"dt\"/\"contact\": false, &/' $T/fall.json >$T/through.json; "
           "$P run $T/through.json --steps 1 --no-contact --contact-tolerance 1e-5",
           "warning: --no-contact has no effect: the scene has none\n");
}

// Checkpoints of another run, where the run puts its own; those before it are its past.
static void test_stale_checkpoints(void)
{
    expect(0, "$P run $T/fall.json --quiet --out $T/stale --checkpoint-every 10 --steps 30", "");
    TEST_ASSERT_EQUAL_STRING("", output);
    expect(0, "$P run $T/fall.json --quiet --out $T/stale --steps 5",
           "/stale: 3 checkpoints of an earlier run are in this folder, up to step 30: ");
    expect(0,
           "$P run $T/fall.json --quiet --out $T/stale --resume $T/stale/checkpoint-000020.plc "
           "--steps 21",
           "/stale: 1 checkpoint of an earlier run is in this folder, up to step 30: ");
    expect(0,
           "$P run $T/fall.json --quiet --out $T/stale --resume $T/stale/checkpoint-000030.plc "
           "--steps 31",
           "");
    TEST_ASSERT_EQUAL_STRING("", output);
    // With another dt than the one that it was written with.
    expect(0,
           "$P run $T/fall.json --quiet --resume $T/stale/checkpoint-000030.plc --steps 31 "
           "--dt 0.001",
           "warning: ");
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(output, "had dt 0.002 s (here 0.001 s)"), output);
}

// A ball that hits the ground at 30 m/s: the warning tells when it begins, the end how far it went.
static void test_inverted(void)
{
    write_file("flat.json",
               "{\"world\": {\"dt\": 0.002, \"duration\": 0.04}, \"bodies\": [{\"mesh\": "
               "\"icosphere:radius=0.5:level=2\", \"position\": [0, 0, 0.52],"
               " \"velocity\": [0, 0, -30], \"material\": {\"kind\": \"neo-hookean\","
               " \"young\": 2e4, \"stretch_limit\": 0.7}}]}");
    expect(0, "$P run $T/flat.json", " tets of bodies[0] ");
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(output, "pliant: warning: step "), output);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(output, "\nflat or inverted tets: "), output);
    TEST_ASSERT_NULL(strstr(strstr(output, "warning: ") + 1, "warning: ")); // once
}

// The sum of the column `rescues` of the statistics.
static int count_rescues(const char *name)
{
    int sum = 0;
    char *text = read_whole(name), *end = NULL;
    strtok_r(text, "\n", &end); // the header
    for (char *row; (row = strtok_r(NULL, "\n", &end)) != NULL;) {
        for (int i = 0; i < 9; i++) *strrchr(row, ',') = '\0'; // asleep .. loose
        sum += atoi(strrchr(row, ',') + 1);
    }
    return sum;
}

// Where steps iterate, solvers that somebody chose have their own iterations, and rescues: 60, as
// the default has them between iterates, do nothing for a tower of cubes.
static void test_a_chosen_solver_iterates(void)
{
    write_file("tower.json",
               "{\"world\": {\"dt\": 0.005}, \"ground\": false, \"bodies\": ["
               "{\"mesh\": \"box:size=4,4,0.2\", \"position\": [0, 0, -0.1], \"type\": \"static\"},"
               "{\"mesh\": \"cube:cells=3:size=0.4\", \"position\": [0, 0, 0.21],"
               " \"copies\": {\"count\": [1, 1, 6]}, \"material\": {\"young\": 1e6}}]}");
    expect(0, "$P run $T/tower.json --quiet --solver cr --steps 30 --stats $T/t.csv", "");
    TEST_ASSERT_TRUE(count_rescues("t.csv") < 30);
}

// 60 iterations are enough for auto, and too few for minres: with no halving left, a step fails
// unless auto may take over.
static void test_rescues(void)
{
    write_file("brief.json", "{\"world\": {\"dt\": 0.002, \"duration\": 0.12, \"halvings\": 0,"
                             " \"contact_iterations\": 60}, \"ground\": false, \"bodies\": [" PLATE
                             "," CUBE("[0.03, 0.02, 0.16]", "[0, 0, 0]") "]}");
    expect(0, "$P run $T/brief.json --quiet --stats $T/r.csv", "");
    TEST_ASSERT_EQUAL_INT(0, count_rescues("r.csv"));
    expect(0, "$P run $T/brief.json --quiet --no-rescue --stats $T/r.csv", "");
    expect(0, "$P run $T/brief.json --quiet --solver minres --stats $T/r.csv", "");
    TEST_ASSERT_TRUE(count_rescues("r.csv") > 0);
    expect(1, "$P run $T/brief.json --quiet --solver minres --no-rescue",
           "minres did not converge in 60 iterations");
    expect(1,
           "sed 's/\"dt\"/\"rescue\": false, \"solver\": \"minres\", &/' $T/brief.json "
           ">$T/unaided.json; $P run $T/unaided.json --quiet",
           "minres did not converge in 60 iterations");
}

// Each of them has its way with the run: no two end with the same bits.
static void test_options_count(void)
{
    static const char *const options[] = {
        "",
        "--solver cr",
        "--solver cr --precond none",
        "--solver cr --precond diag",
        "--vj19",
        "--no-contact",
        "--residual-tolerance 1e-9",
        "--residual-tolerance 1e-3",
        "--residual-tolerance 1e-3 --contact-tolerance 1e-9",
        "--integrator bdf2",
        "--integrator implicit",
        "--integrator implicit --newton-tolerance 1e-7",
    };
    enum { N = sizeof options / sizeof options[0] };
    static table t[N];
    for (int i = 0; i < N; i++) {
        char words[256];
        snprintf(words, sizeof words, "$P run $T/fall.json --steps 60 --stats $T/o.csv %s",
                 options[i]);
        expect(0, words, "hash");
        read_table("o.csv", &t[i]);
        TEST_ASSERT_EQUAL_INT(60, t[i].n_rows);
        for (int k = 0; k < i; k++) {
            TEST_ASSERT_TRUE_MESSAGE(strcmp(t[i].hash[59], t[k].hash[59]) != 0, options[i]);
        }
    }
    // --vj19 means the solver cr, unless another is named.
    expect(0, "$P run $T/fall.json --steps 60 --vj19 --solver cr", t[4].hash[59]);
    expect(0, "$P run $T/fall.json --steps 60 --solver apg", t[0].hash[59]);
    expect(0, "$P run $T/fall.json --steps 60 --integrator semi-implicit", t[0].hash[59]);
}

static void test_jitter(void)
{
    static table a, b;
    expect(0,
           "$P run $T/fall.json --steps 30 --jitter 1 --stats $T/j1.csv --out $T/j --audit"
           " --checkpoint-every 20",
           "audit: 31 states free of intersection");
    expect(0, "$P run $T/fall.json --steps 30 --jitter 2 --stats $T/j2.csv", "hash");
    read_table("j1.csv", &a);
    read_table("j2.csv", &b);
    TEST_ASSERT_TRUE(strcmp(a.hash[0], b.hash[0]) != 0);
    expect(0, "$P run $T/fall.json --steps 30 --jitter 1", a.hash[29]);
    expect(0, "$P run $T/fall.json --steps 30 --jitter 1 --resume $T/j/checkpoint-000020.plc",
           a.hash[29]);
    expect(1, "$P run $T/fall.json --resume $T/j/checkpoint-000020.plc", "of another scene");
    expect(1, "$P run $T/fall.json --jitter 0", "--jitter: \"0\" is not a whole number above 0");
    expect(2, "$P run $T/overlap.json --jitter 1", "overlap.json: bodies intersect at the start: ");
}

// --- Statistics ---

static double number(const char *row, int column)
{
    for (int i = 0; i < column; i++) row = strchr(row, ',') + 1;
    return strtod(row, NULL);
}

static void test_statistics(void)
{
    static table t;
    // Columns of a row without its four wall-clock times.
    enum { CONTACTS = 4, CONSTRAINTS = 5, FISCHER = 11, MIN_GAP = 12, ROUNDS = 17, HALVINGS = 18 };
    enum { FRICTION = 19, NORMAL = 20, STICK = 21, SLIP = 22 };
    expect(0, "$P run $T/fall.json --stats $T/s.csv --dt 0.004", "hash");
    read_table("s.csv", &t);
    TEST_ASSERT_EQUAL_INT(30, t.n_rows);
    TEST_ASSERT_TRUE(number(t.rest[0], CONTACTS) == 0);
    bool bears = false, only_near = false, sticks = false;
    for (int i = 0; i < t.n_rows; i++) {
        double contacts = number(t.rest[i], CONTACTS), rows = number(t.rest[i], CONSTRAINTS);
        TEST_ASSERT_TRUE(contacts <= rows);
        TEST_ASSERT_TRUE(number(t.rest[i], ROUNDS) >= 1);
        TEST_ASSERT_TRUE(number(t.rest[i], HALVINGS) >= 0);
        TEST_ASSERT_TRUE(number(t.rest[i], MIN_GAP) > 0);
        TEST_ASSERT_TRUE(number(t.rest[i], FRICTION) <= 1e-6); // contact_tolerance
        double stick = number(t.rest[i], STICK), slip = number(t.rest[i], SLIP);
        double largest = fmax(number(t.rest[i], NORMAL), fmax(stick, slip));
        TEST_ASSERT_TRUE(number(t.rest[i], FISCHER) == largest);
        sticks = sticks || stick > 0;
        bears = bears || contacts > 0;
        only_near = only_near || contacts < rows;
    }
    TEST_ASSERT_TRUE(bears && only_near && sticks);
}

static void test_threads_give_the_same_bits(void)
{
    expect(0, "$P run $T/fall.json --stats $T/1.csv --threads 1", "hash");
    expect(0, "$P run $T/fall.json --stats $T/2.csv --threads 2", "hash");
    expect(0, "$P run $T/fall.json --stats $T/4.csv --threads 4", "hash");
    expect_same_table("1.csv", "2.csv");
    expect_same_table("1.csv", "4.csv");
}

// Stopped amid contacts and gone on from a checkpoint: the same rows, frames and bits.
static void test_resume(void)
{
    static table t;
    expect(0, "$P run $T/fall.json --out $T/whole --stats $T/whole.csv", "hash");
    expect(0,
           "$P run $T/fall.json --steps 52 --out $T/parts --stats $T/parts.csv"
           " --checkpoint-every 52",
           "parts/checkpoint-000052.plc");
    expect(0,
           "$P run $T/fall.json --out $T/parts --stats $T/parts.csv"
           " --resume $T/parts/checkpoint-000052.plc",
           "8 steps in ");
    read_table("whole.csv", &t);
    TEST_ASSERT_TRUE(number(t.rest[51], 4) > 0); // contacts at the checkpoint
    expect_same_table("whole.csv", "parts.csv");
    TEST_ASSERT_EQUAL_INT(
        0, shell("for f in $T/whole/*; do cmp $f $T/parts/${f##*/} || exit 1; done"));
}

// --- Audits ---

static void test_audit_clean(void)
{
    expect(0, "$P run $T/fall.json --audit", "audit: 61 states free of intersection\n");
    expect(0, "$P run $T/fall.json --audit --quiet", "");
    TEST_ASSERT_EQUAL_STRING("", output);
}

// Without contact the cube goes into the plate: found in the first step in which it does.
static void test_audit_finds(void)
{
    static table t;
    expect(2, "$P run $T/fall.json --no-contact --audit --out $T/bad --stats $T/bad.csv",
           "fall.json: bodies intersect after step ");
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(output, "\n  bodies[1] face "), output);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(output, " and bodies[2] face "), output);
    TEST_ASSERT_NULL_MESSAGE(strstr(output, "bodies[3]"), output);
    read_table("bad.csv", &t);
    char name[64];
    snprintf(name, sizeof name, "the state: %s/bad/checkpoint-%06d.plc", folder, t.n_rows);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(output, name), output);
    TEST_ASSERT_TRUE(exists(name + strlen("the state: ") + strlen(folder) + 1));
    // One step before, nothing does.
    char words[256];
    snprintf(words, sizeof words, "$P run $T/fall.json --no-contact --audit --steps %d",
             t.n_rows - 1);
    expect(0, words, "states free of intersection");
}

static void test_overlap_at_the_start(void)
{
    write_file("kept.csv", "kept\n");
    static const char *const options[] = {"", "--audit", "--audit --no-contact"};
    for (int i = 0; i < 3; i++) {
        char words[256];
        snprintf(words, sizeof words,
                 "$P run $T/overlap.json --out $T/never --stats $T/kept.csv %s", options[i]);
        expect(2, words, "overlap.json: bodies intersect at the start: ");
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(output, "bodies[1] face "), output);
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(output, " and bodies[2] face "), output);
        // The cube, 0.3 m high, has its middle at 0.1 m, and is to leave room of a hundredth edge.
        const char *remedy = "\npliant: bodies[1] and bodies[2]: move bodies[2] by (0, 0, 0.05";
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(output, remedy), output);
        TEST_ASSERT_FALSE(exists("never"));
        TEST_ASSERT_EQUAL_STRING("kept\n", read_whole("kept.csv"));
    }
    expect(2, "$P run $T/inside.json", "\n  bodies[1] vertex ");
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(output, " inside of bodies[0], near ("), output);
    write_file("sunk.json", SCENE_ON("true", "{\"mesh\": \"cube\"}"));
    expect(2, "$P run $T/sunk.json", "bodies[0] face ");
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(output, " and the ground's face 0 "), output);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(output, ": move bodies[0] by (0, 0, 0.5"), output);
    write_file("copies.json", SCENE_ON("true", "{\"mesh\": \"cube\", \"position\": [0, 0, 0.4],"
                                               " \"copies\": {\"count\": [2, 1, 1]}}"));
    expect(2, "$P run $T/copies.json", ": move bodies[0] copy 1 by (0, 0, 0.1");
    expect(0, "$P run $T/overlap.json --no-contact --steps 2", "2 steps in ");
}

// --- Frames and problems ---

static void test_frames(void)
{
    expect(0, "$P run $T/fall.json --out $T/frames --every 30", "hash");
    expect(0, "$P run $T/fall.json --out $T/free --every 30 --no-contact", "hash");
    TEST_ASSERT_TRUE(exists("frames/contacts-000060.vtu"));
    TEST_ASSERT_FALSE(exists("free/contacts.pvd"));
    if (!has_vtk()) TEST_IGNORE_MESSAGE("python3-vtk9 is not installed");
    char words[256];
    snprintf(words, sizeof words, "contacts %s/frames/contacts.pvd 0 0.06 0.12", folder);
    TEST_ASSERT_EQUAL_INT(0, run_vtk(words));
    snprintf(words, sizeof words, "series %s/frames/series.pvd 0 0.06 0.12", folder);
    TEST_ASSERT_EQUAL_INT(0, run_vtk(words));
}

// A problem for each step with rows, and no other.
static void test_record(void)
{
    static table t;
    expect(0, "$P run $T/fall.json --record $T/deep/record --stats $T/r.csv", "hash");
    read_table("r.csv", &t);
    int problems = 0;
    for (int i = 0; i < t.n_rows; i++) {
        char name[64];
        snprintf(name, sizeof name, "deep/record/problem-%06d.plp", i + 1);
        TEST_ASSERT_EQUAL_MESSAGE(number(t.rest[i], 5) > 0, exists(name), name);
        problems += exists(name);
    }
    TEST_ASSERT_TRUE(problems > 0);
    char count[64];
    snprintf(count, sizeof count, "contact problems: %d in ", problems);
    expect(0, "$P run $T/fall.json --record $T/deep/record", count);
    expect(0, "$P run $T/fall.json --record $T/deep/none --steps 1",
           "deep/none; no bodies came near each other");
    expect(0, "$P run $T/fall.json", t.hash[t.n_rows - 1]); // recording changes nothing
}

// --- Ends ---

// A box that slides at a constant, slow speed is solved but for what sweeps over its contacts leave
// undone: no reason to go on for dozens of iterations.
static void test_a_slow_slide_takes_few_iterations(void)
{
    static table t;
    enum { ITERATIONS = 6 };
    double sum = 0;
    expect(0, "$P run slope-slide --steps 300 --residual-tolerance 1e-5 --stats $T/slide.csv",
           "hash");
    read_table("slide.csv", &t);
    TEST_ASSERT_EQUAL_INT(300, t.n_rows);
    for (int i = 0; i < 300; i++) sum += number(t.rest[i], ITERATIONS);
    TEST_ASSERT_TRUE(sum > 300 && sum < 10 * 300);
}

static void test_max_seconds(void)
{
    static table t;
    expect(3,
           "$P run $T/fall.json --steps 1000000 --max-seconds 0.1 --stats $T/late.csv --out $T/late"
           " --checkpoint-every 1000000",
           "--max-seconds 0.1: ended after step ");
    read_table("late.csv", &t);
    char part[64];
    snprintf(part, sizeof part, "ended after step %d of 1000000\n", t.n_rows);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(output, part), output);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(output, t.hash[t.n_rows - 1]), output);
    snprintf(part, sizeof part, "late/checkpoint-%06d.plc", t.n_rows);
    TEST_ASSERT_TRUE(exists(part));
    expect(3, "$P run $T/fall.json --max-seconds 1e-9 --quiet", "");
    TEST_ASSERT_EQUAL_STRING("", output);
    expect(3, "$P run $T/fall.json --max-seconds 1e-9", "1e-09: ended before the first step\n");
    expect(0, "$P run $T/fall.json --max-seconds 1000", "60 steps");
}

// Loading and preparing count, and are ended wherever they are: this takes several seconds.
static void test_max_seconds_while_loading(void)
{
    write_file("many.json", "{\"bodies\": [{\"mesh\": \"cube:cells=2\", \"position\": [0, 0, 1], "
                            "\"copies\": {\"count\": [200, 200, 1]}}]}");
    struct timespec start, end;
    clock_gettime(CLOCK_MONOTONIC, &start);
    expect(3, "$P run $T/many.json --max-seconds 0.3 --out $T/many", "ended before the first step");
    clock_gettime(CLOCK_MONOTONIC, &end);
    TEST_ASSERT_TRUE_MESSAGE(end.tv_sec - start.tv_sec <= 2, "it went on");
    TEST_ASSERT_FALSE(exists("many"));
}

// Four times the copies take about four times the time of the processor, not sixteen: bodies are
// not held against each other in all pairs.
static void test_copies_load_in_linear_time(void)
{
    double seconds[2];
    for (int i = 0; i < 2; i++) {
        char text[256];
        struct rusage before, after;
        snprintf(text, sizeof text,
                 "{\"bodies\": [{\"mesh\": \"cube:cells=1\", \"type\": \"rigid\", \"position\": "
                 "[0, 0, 1], \"copies\": {\"count\": [%d, 100, 1], \"spacing\": [2, 2, 2]}}]}",
                 i == 0 ? 50 : 200);
        write_file("copies.json", text);
        getrusage(RUSAGE_CHILDREN, &before);
        expect(0, "$P run $T/copies.json --steps 1 --threads 1", "1 steps");
        getrusage(RUSAGE_CHILDREN, &after);
        seconds[i] = (double)(after.ru_utime.tv_sec - before.ru_utime.tv_sec) +
                     1e-6 * (double)(after.ru_utime.tv_usec - before.ru_utime.tv_usec);
    }
    TEST_ASSERT_TRUE_MESSAGE(seconds[1] < 7 * seconds[0], "more than linear");
}

// What was killed while it wrote leaves a part of a file; the next run into the folder removes it,
// but not what it may not know.
static void test_parts_are_removed(void)
{
    shell(
        "mkdir -p $T/parts; sleep 0 & wait $!; for f in frame-000001.vtu checkpoint-000002.plc "
        "book.rar; do echo x > $T/parts/$f.part$!; done; echo x > $T/parts/frame-000003.vtu.part$$;"
        "echo x > $T/parts/a.vtu.parts; $P run $T/fall.json --steps 1 --out $T/parts; ls $T/parts");
    TEST_ASSERT_NULL_MESSAGE(strstr(output, "frame-000001.vtu.part"), output);
    TEST_ASSERT_NULL_MESSAGE(strstr(output, "checkpoint-000002.plc.part"), output);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(output, "book.rar.part"), output);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(output, "frame-000003.vtu.part"), output); // it lives
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(output, "a.vtu.parts"), output);
}

// A soft cube between plates that close to nothing: a step that would take minutes is given up, by
// the command's limit or by the scene's, and leaves the last good state and its problem.
static void test_an_endless_step(void)
{
    write_file("crush.json", CRUSH("600"));
    expect(3, "$P run $T/crush.json --max-seconds 3 --out $T/crush",
           "--max-seconds 3: ended after");
    long step = strtol(strstr(output, "after step ") + 11, NULL, 10);
    TEST_ASSERT_TRUE(step > 0 && step < 155); // in which the plates would meet
    char part[64];
    snprintf(part, sizeof part, "crush/checkpoint-%06ld.plc", step);
    TEST_ASSERT_TRUE(exists(part));
    snprintf(part, sizeof part, "crush/problem-%06ld.plp", step + 1);
    TEST_ASSERT_TRUE(exists(part));
    write_file("crush.json", CRUSH("0.5"));
    expect(1, "$P run $T/crush.json --out $T/crush --quiet", "pliant: step 1");
    // By its time or, where the machine gets as far, because nothing is left between the plates.
    bool late = strstr(output, ": max_seconds: the step was given up") != NULL;
    bool crushed = strstr(output, ": bodies[0] is crushed: ") != NULL;
    TEST_ASSERT_TRUE_MESSAGE(late || crushed, output);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(output, "the last good state: "), output);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(output, "the contact problem: "), output);
}

// An accuracy that no solver reaches, the safety net neither: why, the last good state and the
// problem.
static void expect_failure_kept(const char *where, const char *state, const char *problem)
{
    char words[256], part[128];
    snprintf(words, sizeof words,
             "$P run $T/fall.json --integrator semi-implicit --solver cr --residual-tolerance "
             "1e-30 --quiet %s",
             where);
    expect(1, words, "pliant: step ");
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(output, " s: auto did not converge in "), output);
    long step = strtol(strstr(output, "step ") + 5, NULL, 10);
    TEST_ASSERT_TRUE(step > 1);
    snprintf(part, sizeof part, "\npliant: the last good state: %s/%s/checkpoint-%06ld.plc\n",
             folder, state, step - 1);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(output, part), output);
    snprintf(part, sizeof part, "\npliant: the contact problem: %s/%s/problem-%06ld.plp\n", folder,
             problem, step);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(output, part), output);
    snprintf(part, sizeof part, "%s/checkpoint-%06ld.plc", state, step - 1);
    TEST_ASSERT_TRUE(exists(part));
    snprintf(part, sizeof part, "%s/problem-%06ld.plp", problem, step);
    TEST_ASSERT_TRUE(exists(part));
    snprintf(words, sizeof words, "$P run $T/fall.json --resume $T/%s/checkpoint-%06ld.plc", state,
             step - 1);
    expect(0, words, "hash"); // goes on with other options
}

static void test_a_failing_step(void)
{
    expect_failure_kept("--out $T/a", "a", "a");
    expect_failure_kept("--record $T/b", "b", "b");
    expect_failure_kept("--out $T/c --record $T/d", "c", "d");
    expect(1,
           "$P run $T/fall.json --integrator semi-implicit --solver cr --residual-tolerance 1e-30",
           "nothing was kept; --out DIR keeps");
}

int main(void)
{
    if (mkdtemp(folder) == NULL) return 1;
    UNITY_BEGIN();
    write_file("fall.json", FALL);
    write_file("overlap.json", OVERLAP);
    write_file("inside.json", INSIDE);
    RUN_TEST(test_bad_options);
    RUN_TEST(test_old_options);
    RUN_TEST(test_no_effect);
    RUN_TEST(test_stale_checkpoints);
    RUN_TEST(test_inverted);
    RUN_TEST(test_rescues);
    RUN_TEST(test_a_chosen_solver_iterates);
    RUN_TEST(test_options_count);
    RUN_TEST(test_jitter);
    RUN_TEST(test_statistics);
    RUN_TEST(test_a_slow_slide_takes_few_iterations);
    RUN_TEST(test_threads_give_the_same_bits);
    RUN_TEST(test_resume);
    RUN_TEST(test_audit_clean);
    RUN_TEST(test_audit_finds);
    RUN_TEST(test_overlap_at_the_start);
    RUN_TEST(test_frames);
    RUN_TEST(test_record);
    RUN_TEST(test_max_seconds);
    RUN_TEST(test_max_seconds_while_loading);
    RUN_TEST(test_copies_load_in_linear_time);
    RUN_TEST(test_parts_are_removed);
    RUN_TEST(test_an_endless_step);
    RUN_TEST(test_a_failing_step);
    shell("rm -rf $T");
    return UNITY_END();
}
