// `pliant bench` on scenes, at its smallest: that it runs, what it writes, and that what it says of
// bits holds. How fast things are, no test can tell.

#include "runs.h"
#include "../apps/common/csv.h"
#include "../solvers/solver.h"

#include <math.h>

void setUp(void)
{
}

void tearDown(void)
{
}

static pl_csv csv;

static void load(const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/b/%s", folder, name);
    pl_csv_free(&csv);
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_csv_read(path, &csv), pl_error_text());
    TEST_ASSERT_TRUE_MESSAGE(csv.n_row > 0, name);
}

static const double *column(const char *name)
{
    const double *out;
    int32_t at = pl_csv_find(&csv, name);
    TEST_ASSERT_TRUE_MESSAGE(at >= 0, name);
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_csv_numbers(&csv, at, &out), pl_error_text());
    return out;
}

// Every solver of the registry has its row, `cr` four and `minres` three, for each scene.
static void test_table1(void)
{
    expect(0, "$P bench table1 --quick --out $T/b", "cr vj19");
    TEST_ASSERT_NULL_MESSAGE(strstr(output, "left out"), output);
    load("table1.csv");
    enum { SCENES = 11 };
    int n_cone = 0;
    for (int32_t i = 0; i < pl_solver_count(); i++) {
        n_cone += (pl_solver_at(i)->can & PL_CAN_CONE) != 0;
    }
    TEST_ASSERT_EQUAL_INT(SCENES * (n_cone + 5), csv.n_row);
    const double *problems = column("problems"), *residual = column("residual");
    const double *converged = column("converged"), *ms = column("ms"), *ratio = column("ratio");
    for (int64_t i = 0; i < csv.n_row; i++) {
        TEST_ASSERT_TRUE(problems[i] > 0 && ms[i] > 0 && ratio[i] > 0);
        TEST_ASSERT_TRUE(converged[i] < problems[i] || residual[i] < 1e-4);
    }
    for (int32_t i = 0; i < pl_solver_count(); i++) {
        if ((pl_solver_at(i)->can & PL_CAN_CONE) == 0) continue;
        TEST_ASSERT_NOT_NULL(strstr(output, pl_solver_at(i)->name));
    }
    // The problems are there to be solved again.
    expect(0, "$P solve $T/b/problems", "converged");
}

// Each method of VJ19 on its own trajectory; ICA from the velocities without contacts has another.
static void test_stretch(void)
{
    expect(0, "$P bench table1 --stretch 4 --only rings --quick --out $T/b", "ica free");
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(output, "% of a solve to apply"), output);
    TEST_ASSERT_NULL_MESSAGE(strstr(output, "-nan"), output);
    load("stretch.csv");
    TEST_ASSERT_EQUAL_INT(7, csv.n_row);
    const double *steps = column("steps"), *mean = column("iterations"), *rows = column("rows");
    for (int64_t i = 0; i < csv.n_row; i++) {
        TEST_ASSERT_TRUE(steps[i] == 4 && mean[i] >= 1 && rows[i] > 0);
        TEST_ASSERT_TRUE(column("iterations_median")[i] >= 1);
    }
    TEST_ASSERT_EQUAL_DOUBLE(97, column("iterations_vj19")[1]);
    TEST_ASSERT_TRUE(mean[1] < mean[2]); // a better preconditioner
    expect(0, "grep -c '^rings,ica' $T/b/stretch.csv", "2");
    expect(0, "grep '^rings,ica' $T/b/stretch.csv | cut -d, -f17 | sort -u | wc -l", "2");
}

static void test_stiffness(void)
{
    expect(0, "$P bench stiffness --quick --out $T/b", "4 soft cubes");
    load("stiffness.csv");
}

static void test_gpu_model(void)
{
#ifdef PL_GPU
    expect(0, "$P bench gpu-model --quick", "iteration of apg");
#else
    expect(1, "$P bench gpu-model --quick", "the CPU only");
#endif
}

static void test_lef20(void)
{
    expect(0, "$P bench lef20 --quick --out $T/b", "removal, skyline");
    expect(0, "grep -c svg $T/b/lef20-2.3.svg && head -1 $T/b/lef20-2.3.csv", "panel,curve,");
    expect(0, "ls $T/b", "lef20-3.1-forklift.svg");
}

static void test_steps(void)
{
    expect(0, "$P bench steps --quick --out $T/b", "goal: 0.5");
    load("steps.csv");
    TEST_ASSERT_EQUAL_INT(6, csv.n_row);
    for (int64_t i = 0; i < csv.n_row; i++) TEST_ASSERT_TRUE(column("iterations")[i] >= 0);
    TEST_ASSERT_TRUE(column("steps")[0] > 4 * column("steps")[1]);
}

static void test_gpu_fem(void)
{
    expect(0, "$P bench gpu-fem --quick", "gpu-fem: ");
}

static void test_ho22(void)
{
    expect(0, "$P bench ho22 --quick --out $T/b", "PGCG");
    load("ho22.csv");
    TEST_ASSERT_EQUAL_INT(5, csv.n_row);
    TEST_ASSERT_TRUE(column("rows")[0] > 100);
}

// By Coulomb's law the way does not depend on the angle; with others it does.
static void test_classes(void)
{
    expect(0, "$P bench classes --quick", "fluid-3d");
    TEST_ASSERT_NOT_NULL(strstr(output, "fischer-krylov"));
    TEST_ASSERT_NULL_MESSAGE(strstr(output, "nan"), output);
}

static void test_friction(void)
{
    expect(0, "$P bench friction --quick --out $T/b", "box:follow");
    load("friction.csv");
    const double *way = column("way"), *astray = column("astray");
    TEST_ASSERT_EQUAL_INT(8 * 4, csv.n_row);
    for (int i = 0; i < 4; i++) {
        TEST_ASSERT_DOUBLE_WITHIN(1e-3 * way[0], way[0], way[i]); // cone
        TEST_ASSERT_DOUBLE_WITHIN(0.01, 0, astray[i]);
    }
    TEST_ASSERT_TRUE(way[4 * 5 + 3] < 0.999 * way[3]); // box, at 45 degrees
}

// Both methods visit the same sets, or it fails; what it counts does not depend on the machine.
static void test_schurpa(void)
{
    expect(0, "$P bench schurpa --quick --out $T/b", "yes  schurpa factors once");
    load("schurpa.csv");
    TEST_ASSERT_EQUAL_INT(6, csv.n_row);
    const double *delta = column("delta"), *solves = column("schurpa_solves");
    const double *factors = column("schurpa_factors"), *of_pdasm = column("pdasm_factors");
    const double *iterations = column("iterations"), *error = column("schurpa_error");
    for (int64_t i = 0; i < csv.n_row; i++) {
        TEST_ASSERT_TRUE(solves[i] > delta[i] && solves[i] <= 2 * delta[i] + 1);
        TEST_ASSERT_TRUE(factors[i] == 1 && of_pdasm[i] == iterations[i] && error[i] < 1e-12);
    }
}

// The same for the contact of bodies on a grid; what does not depend on time.
static void test_lit13(void)
{
    expect(0, "$P bench lit13 --quick --out $T/b", "yes  SCHURPA and DIRECT visit as many sets");
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(output, "yes  SCHURPA factors less often"), output);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(output, "yes  first sets are right"), output);
    load("lit13.csv");
    TEST_ASSERT_TRUE(csv.n_row > 10);
    const double *factors = column("schurpa_contact_factors"), *turns = column("schurpa_turns");
    const double *resets = column("schurpa_contact_resets"), *of_direct = column("direct_turns");
    for (int64_t i = 0; i < csv.n_row; i++) {
        TEST_ASSERT_TRUE(factors[i] <= 1 + resets[i] && turns[i] == of_direct[i]);
    }
}

static void test_ensemble(void)
{
    expect(0, "$P bench ensemble --quick --out $T/b", "newton    tight  all: ");
    load("ensemble.csv");
    const double *of = column("of");
    for (int64_t i = 0; i < csv.n_row; i++) TEST_ASSERT_EQUAL_DOUBLE(1, of[i]);
}

static void test_lcp(void)
{
    expect(0, "$P bench lcp --quick", "break-even at m = 80");
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(output, "Geometric mean of the gains"), output);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(output, "ours"), output);
    TEST_ASSERT_NULL_MESSAGE(strstr(output, "left out"), output);
}

static void test_growth(void)
{
    expect(0, "$P bench growth --quick --out $T/b", "time grows like n^");
    load("growth.csv");
    const double *n = column("n"), *ms = column("cpu_ms"), *contacts = column("contacts");
    for (int64_t i = 0; i < csv.n_row; i++) {
        TEST_ASSERT_TRUE(ms[i] > 0 && contacts[i] > 0);
        TEST_ASSERT_TRUE(i == 0 || n[i] > n[i - 1] || n[i] == 384); // the next series
    }
}

static void test_threads(void)
{
    expect(0, "$P bench threads --quick --out $T/b", "speed-up");
    TEST_ASSERT_NULL_MESSAGE(strstr(output, "OTHER BITS"), output);
    load("threads.csv");
    const double *threads = column("threads");
    for (int64_t i = 0; i < csv.n_row; i++) TEST_ASSERT_EQUAL_DOUBLE(1 + i % 2, threads[i]);
}

static void test_busy(void)
{
    expect(0, "$P bench busy --quick --out $T/b", "armadillo-light");
    TEST_ASSERT_NULL_MESSAGE(strstr(output, "OTHER BITS"), output);
    load("busy.csv");
    const double *busy = column("busy_default");
    for (int64_t i = 0; i < csv.n_row; i++) TEST_ASSERT_TRUE(busy[i] > 0);
}

// A process of its own each: what one scene takes does not show in the next.
static void test_memory(void)
{
    expect(0, "$P bench memory --quick --out $T/b", "VJ19");
    load("memory.csv");
    const double *peak = column("peak_mb"), *process = column("process_mb");
    for (int64_t i = 0; i < csv.n_row; i++) {
        TEST_ASSERT_TRUE(peak[i] > process[i]);
        TEST_ASSERT_DOUBLE_WITHIN(0.5 * process[0], process[0], process[i]);
    }
}

static void test_figures(void)
{
    expect(0, "$P bench figures --quick --out $T/b", "figure-13.svg");
    static const char *const pictures[] = {"6", "9", "10", "11-rings", "11-pyramid", "12", "13"};
    for (size_t i = 0; i < sizeof pictures / sizeof pictures[0]; i++) {
        char name[64];
        snprintf(name, sizeof name, "b/figure-%s.svg", pictures[i]);
        TEST_ASSERT_TRUE_MESSAGE(exists(name), name);
    }
    load("figure-6/full.csv");
    TEST_ASSERT_EQUAL_DOUBLE(0, column("iteration")[0]);
    TEST_ASSERT_TRUE(column("preconditioned")[csv.n_row - 1] < column("preconditioned")[0]);
    // All rounds of a step are there, one after the other, and a round begins with a peak.
    int rounds = 0;
    const double *iteration = column("iteration"), *residual = column("residual");
    const double *again = column("relinearization");
    for (int64_t i = 1; i < csv.n_row; i++) {
        TEST_ASSERT_TRUE(iteration[i] == iteration[i - 1] + 1);
        if (isnan(again[i])) continue;
        rounds++;
        TEST_ASSERT_TRUE(again[i] == residual[i] && residual[i] > residual[i - 1]);
    }
    TEST_ASSERT_TRUE(rounds > 0 && isnan(again[0]));
    // Nothing but what `plot` makes of the same tables.
    expect(0,
           "$P plot --figure 11 --names auto,cr\\ full $T/b/figure-11-rings/auto.csv "
           "$T/b/figure-11-rings/cr-full.csv -o $T/a.svg",
           "");
    expect(0,
           "$P plot --figure 13 --residual-tolerance 5e-5 --contact-tolerance 5e-6 "
           "$T/b/figure-13/rings.csv -o $T/c.svg",
           "");
    expect(0, "cmp $T/c.svg $T/b/figure-13.svg", "");
}

// Nothing overlaps, and the slowest problems are there to be solved again. Where others are beside
// the command, they take part: here, one that gives up.
// Nothing is inverted, and no energy comes in.
static void test_impact(void)
{
    expect(0, "$P bench impact --quick --only 'impact 10'", "strict");
    TEST_ASSERT_NULL(strstr(output, "gave up"));
    TEST_ASSERT_NULL(strstr(output, "touches"));
    int rows = 0, halvings, inverted;
    double start, in, end, rise;
    for (const char *at = strstr(output, "impact 10 m/s"); at != NULL;
         at = strstr(at + 1, "impact 10 m/s")) {
        int read = sscanf(at + 13, "%*s %*f %*f %*f %*f %*d %d %d %lf %lf %lf %lf", &halvings,
                          &inverted, &start, &in, &end, &rise);
        TEST_ASSERT_EQUAL_INT_MESSAGE(6, read, at);
        TEST_ASSERT_TRUE(inverted == 0 && end < in && rise <= 0.01);
        rows++;
    }
    TEST_ASSERT_EQUAL_INT(4, rows);
    expect(1, "$P bench impact --quick --ball nowhere.msh", "nowhere.msh");
}

static void test_rigid(void)
{
    expect(0, "cp $P $T/pliant && $T/pliant bench rigid --quick --out $T/b", "grip-soft");
    TEST_ASSERT_NOT_NULL(strstr(output, "'make peers-rigid'"));
    load("rigid.csv");
    const double *overlap = column("overlap_m"), *ms = column("ms_cpu");
    for (int64_t i = 0; i < csv.n_row; i++) TEST_ASSERT_TRUE(overlap[i] == 0 && ms[i] > 0);
    TEST_ASSERT_TRUE(exists("b/slowest/stack-auto.plp"));
    write_file("ode", "#!/bin/sh\nexit 1\n");
    expect(0, "mkdir $T/peers && mv $T/ode $T/peers/rigid-ode && chmod +x $T/peers/rigid-ode", "");
    expect(0, "$T/pliant bench rigid --quick --simple --out $T/b", "refused");
    TEST_ASSERT_NULL(strstr(output, "grip"));
}

// What does not depend on time, and that ours and the papers' stand side by side.
static void test_papers(void)
{
    expect(0, "$P bench rigid --papers --quick --out $T/papers", "[Lef20] Table 2.3: gain over");
    static const char *const lines[] = {
        "Ho22,ho22-table-6.1,wall,.mass ratio.,4,4$",
        "Ho22,ho22-table-6.4,wall,.PGCG.,[0-9.e+]*,600$",
        "Lef20,lef20-table-2.3-gains,forklift,.full dense.,1,1$",
        "Lef20,lef20-table-2.3-gains,forklift,.removal, skyline.,[0-9.]*,1.5$",
        "Lef20,lef20-table-2.4,forklift,.most.,[0-9.]*e-1[0-9],5.74e-11$",
        "Lef20,lef20-table-3.1,forklift,.factors.,[1-9][0-9.]*,115.6$",
        "Lit13,lit13-table-7.1-counts,delta 30,.SCHURPA factors.,1,1$",
        "Lit13,lit13-table-7.1-counts,delta 50,.SCHURPA solves.,[0-9]*,72$",
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        char words[256];
        snprintf(words, sizeof words, "grep -c '^%s' $T/papers/papers.csv", lines[i]);
        expect(0, words, "1");
    }
    // Its columns are named, and each number of the thesis is a cross of two lines.
    expect(0, "grep -c '>delta [0-5]*0*<' $T/papers/lit13-table-7.1-counts.svg", "6");
    expect(0, "grep -c '<circle' $T/papers/lit13-table-7.1-counts.svg", "28"); // 4 in the legend
    expect(0, "ls $T/papers", "lef20-2.4.svg");
    TEST_ASSERT_NOT_NULL(strstr(output, "lit13-7.1.svg"));
}

// The harness stands beside the command: here, a script that shows what it is told.
static void test_peers(void)
{
    expect(1, "cp $P $T/pliant && $T/pliant bench peers --out $T/b", "'make peers'");
    write_file("harness", "#!/bin/sh\necho \"$@\"\nexit $CODE\n");
    expect(0, "mv $T/harness $T/peers/peers && chmod +x $T/peers/peers", "");
    expect(0, "CODE=0 $T/pliant bench peers --out $T/b", "/peers --csv ");
    expect(0, "CODE=0 $T/pliant bench peers --quick --out $T/b", "--workload block");
    expect(1, "CODE=3 $T/pliant bench peers --out $T/b", "peers/peers: it failed");
    expect(1, "$T/pliant bench siconos --out $T/b", "'make peers-siconos'");
    expect(0, "cp $T/peers/peers $T/peers/siconos", "");
    expect(0, "CODE=0 $T/pliant bench siconos --out $T/b", "wall:n=6 wall:n=10");
    expect(0, "CODE=0 $T/pliant bench siconos --quick --out $T/b", "--max-seconds 1 wall:n=3");
    expect(0, "CODE=0 $T/pliant bench siconos --problems some.hdf5 --out $T/b",
           "siconos.csv some.hdf5");
}

// States are kept, and another's place is refused in words.
static void test_folders(void)
{
    expect(0, "rm -rf $T/b/states; $P bench table1 --quick --out $T/b", "");
    TEST_ASSERT_TRUE(exists("b/states/rings-quick.plc"));
    write_file("plain", "x");
    expect(1, "$P bench growth --quick --out $T/plain/b", "plain");
    write_file("b/states/rings-quick.plc", "x");
    expect(0, "$P bench table1 --quick --out $T/b", "rings: left out: ");
}

int main(void)
{
    if (mkdtemp(folder) == NULL) return 1;
    UNITY_BEGIN();
    RUN_TEST(test_table1);
    RUN_TEST(test_stretch);
    RUN_TEST(test_stiffness);
    RUN_TEST(test_classes);
    RUN_TEST(test_friction);
    RUN_TEST(test_steps);
    RUN_TEST(test_gpu_fem);
    RUN_TEST(test_ho22);
    RUN_TEST(test_gpu_model);
    RUN_TEST(test_lef20);
    RUN_TEST(test_schurpa);
    RUN_TEST(test_lit13);
    RUN_TEST(test_ensemble);
    RUN_TEST(test_lcp);
    RUN_TEST(test_growth);
    RUN_TEST(test_threads);
    RUN_TEST(test_busy);
    RUN_TEST(test_memory);
    RUN_TEST(test_figures);
    RUN_TEST(test_impact);
    RUN_TEST(test_rigid);
    RUN_TEST(test_papers);
    RUN_TEST(test_peers);
    RUN_TEST(test_folders);
    pl_csv_free(&csv);
    shell("rm -rf $T");
    return UNITY_END();
}
