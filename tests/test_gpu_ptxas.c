// What nvcc's assembler says of the kernels: nothing is spilled, registers, stack and shared memory
// are within budgets, and so many threads fit on a multiprocessor. The only evidence of speed on
// CUDA that there is without a device; without nvcc it is left out.

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <unity.h>

void setUp(void)
{
}

void tearDown(void)
{
}

// Of a multiprocessor of compute capability 8.0 [CUDA C++ Programming Guide, 16]: 65,536 registers
// of 32 bits, given out in pieces of 256 for a warp; 2,048 threads; 164 KB of shared memory of
// which each group takes 1 KB more than it asks for.
enum { REGISTERS = 65536, THREADS = 2048, SHARED = 164 << 10, SHARED_EXTRA = 1024 };
enum { WARP = 32, WARP_PIECE = 256, GROUP = 128, GROUPS = 32 };

enum { MOST_KERNELS = 256 };

typedef struct report {
    char name[64];
    int registers, stack, spills, shared;
} report;

static report reports[MOST_KERNELS];
static int n_reports;

static int number_before(const char *line, const char *text)
{
    const char *at = strstr(line, text);
    if (at == NULL) return 0;
    while (at > line && at[-1] == ' ') at--;
    while (at > line && at[-1] >= '0' && at[-1] <= '9') at--;
    return atoi(at);
}

static void read_line(const char *line)
{
    const char *entry = strstr(line, "Compiling entry function '");
    report *last = n_reports > 0 ? reports + n_reports - 1 : NULL;
    if (entry != NULL && n_reports < MOST_KERNELS) {
        last = reports + n_reports++;
        memset(last, 0, sizeof *last);
        sscanf(entry, "Compiling entry function '%63[^']'", last->name);
    } else if (last != NULL && strstr(line, "spill stores") != NULL) {
        last->stack = number_before(line, "bytes stack frame");
        last->spills =
            number_before(line, "bytes spill stores") + number_before(line, "bytes spill loads");
    } else if (last != NULL && strstr(line, "registers") != NULL) {
        last->registers = number_before(line, "registers");
        last->shared = number_before(line, "bytes smem");
    }
}

static bool read_reports(void)
{
    const char *nvcc = getenv("NVCC");
    char command[512], line[1024];
    if (nvcc == NULL)
        nvcc = access("/usr/local/cuda/bin/nvcc", X_OK) == 0 ? "/usr/local/cuda/bin/nvcc" : "nvcc";
    snprintf(command, sizeof command,
             "%s -arch=sm_80 -std=c++17 -O3 -fmad=false -Iinclude -Xptxas -v -cubin -o /dev/null "
             "gpu/cuda.cu 2>&1",
             nvcc);
    FILE *pipe = popen(command, "r");
    if (pipe == NULL) return false;
    while (fgets(line, sizeof line, pipe) != NULL) read_line(line);
    return pclose(pipe) == 0 && n_reports > 0;
}

// Threads that fit on a multiprocessor, in groups of GROUP.
static int occupancy(const report *r)
{
    int of_warp = (r->registers * WARP + WARP_PIECE - 1) / WARP_PIECE * WARP_PIECE;
    int by_registers = REGISTERS / (of_warp * (GROUP / WARP));
    int by_shared = SHARED / (r->shared + SHARED_EXTRA), groups = THREADS / GROUP;
    if (by_registers < groups) groups = by_registers;
    if (by_shared < groups) groups = by_shared;
    if (GROUPS < groups) groups = GROUPS;
    return groups * GROUP;
}

// What a kernel may take; those that are not named have the last line.
typedef struct budget {
    const char *name;
    int registers, stack, shared, threads;
} budget;

static const budget budgets[] = {
    {"bsr_multiply_sliced_single", 40, 0, 0, 1536},
    {"bsr_multiply_single", 40, 0, 0, 1536},
    {"bsr_multiply_sliced", 56, 0, 0, 1024},
    {"bsr_multiply", 56, 0, 0, 1024},
    {"apg_descend", 64, 0, 0, 1024},
    {"apg_follow", 40, 0, 0, 1536},
    {"apg_sums", 64, 0, 12288, 1024},
    {"apg_judge", 64, 256, 0, 1024}, // of one thread
    {"apg_contacts", 96, 0, 4096, 512},
    {"cr_switch", 128, 0, 0, 512}, // a whole contact in registers
    {"cr_invert", 128, 0, 0, 512},
    {"cr_precond_S", 96, 0, 0, 512},
    {"cr_sums", 48, 0, 6144, 1024},
    {"cr_judge_step", 80, 0, 0, 768}, // of one thread, as all judges
    {"cr_judge_turn", 80, 0, 0, 768},
    {"mg_dense", 64, 0, 6144, 1024}, // of one group
    {"mg_touched", 64, 0, 0, 1024},  // of one group
    {"reduced_masses", 128, 0, 0, 512},
    {"reduced_load", 72, 0, 0, 768},
    {"reduced_answer", 96, 0, 0, 512},
    {"reduced_sweep", 96, 384, 0, 512}, // boxes, as in sweep_colour
    {"reduced_sweep_rows", 112, 384, 6144, 512},
    {"rows_multiply", 64, 0, 0, 1024},
    {"rows_gather", 64, 0, 0, 1024},
    {"rows_response", 128, 0, 0, 512},
    {"sweep_colour", 128, 384, 0, 512}, // the faces of a box are looked up in arrays
    {"sweep_few", 128, 384, 0, 512},    // of one group
    // Whole elements, pairs and tiles in registers; what is indexed stands on the stack.
    {"fem_elements", 255, 640, 0, 256},
    {"fem_element_forces", 128, 0, 0, 512},
    {"pair_ccd", 192, 320, 0, 256},
    {"pair_hit", 192, 320, 0, 256},
    {"pair_hit_round", 192, 512, 0, 256},
    {"pair_closest", 72, 96, 0, 768},
    {"feature_fill", 104, 160, 0, 512},
    {"feature_count", 88, 64, 0, 512},
    {"block_multiply", 128, 0, 24576, 512},
    {"band_syrk", 88, 0, 24576, 512},
    {"band_trsm", 64, 256, 0, 1024},
    {"band_invert_tiles", 64, 256, 8192, 1024},
    {"band_potrf", 40, 0, 8192, 1024},
    {"band_multiply_tiled", 64, 0, 6144, 1024},
    {"", 64, 0, 4096, 1024},
};

static const budget *budget_of(const char *name)
{
    const budget *b = budgets;
    while (b->name[0] != '\0' && strcmp(b->name, name) != 0) b++;
    return b;
}

static void test_kernels_are_within_their_budgets(void)
{
    if (!read_reports()) TEST_IGNORE_MESSAGE("no nvcc");
    int hot = 0;
    for (int i = 0; i < n_reports; i++) {
        const report *r = reports + i;
        const budget *b = budget_of(r->name);
        int threads = occupancy(r);
        printf("%-28s %3d registers, %3d bytes of stack, %5d shared, %4d threads of %d\n", r->name,
               r->registers, r->stack, r->shared, threads, THREADS);
        TEST_ASSERT_EQUAL_MESSAGE(0, r->spills, r->name);
        TEST_ASSERT_GREATER_THAN_MESSAGE(0, r->registers, r->name);
        TEST_ASSERT_LESS_OR_EQUAL_MESSAGE(b->registers, r->registers, r->name);
        TEST_ASSERT_LESS_OR_EQUAL_MESSAGE(b->stack, r->stack, r->name);
        TEST_ASSERT_LESS_OR_EQUAL_MESSAGE(b->shared, r->shared, r->name);
        TEST_ASSERT_GREATER_OR_EQUAL_MESSAGE(b->threads, threads, r->name);
        hot += b->name[0] != '\0';
    }
    TEST_ASSERT_EQUAL((int)(sizeof budgets / sizeof *budgets) - 1, hot); // each is still there
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_kernels_are_within_their_budgets);
    return UNITY_END();
}
