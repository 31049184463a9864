// What the tests of `pliant run` share: the command as a person calls it, and its statistics.

#ifndef PL_TESTS_RUNS_H
#define PL_TESTS_RUNS_H

#include "buffers.h"

enum { OUTPUT_SIZE = 1 << 16, ROWS_MAX = 1024, COLUMNS = 41, FIRST_TIME = 9, LAST_TIME = 12 };

static char folder[] = "/tmp/pliant_run_XXXXXX";
static char output[OUTPUT_SIZE]; // of the last command

static inline const char *in_folder(const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static const char HEADER[] =
    "step,time,dt,bodies,contacts,constraints,iterations,relinearizations,state_changes,t_fem_ms,"
    "t_collision_ms,t_solve_ms,t_total_ms,residual,constraint_error,fb_error,min_gap,"
    "kinetic_energy,elastic_energy,hash,newton,rounds,halvings,friction_error,fb_normal,"
    "fb_stick,fb_slip,inverted,gravity_energy,work,v_rms,rescues,asleep,joint_gap,joint_angle,"
    "load_work,friction_loss,damping_loss,numerical_loss,imbalance,loose";

// --- Commands and files ---

static inline const char *command(void)
{
    const char *path = getenv("PLIANT");
    return path != NULL ? path : "build/pliant";
}

// Runs a line of shell in which $T is the folder and $P the command; returns its exit code.
static inline int shell(const char *words)
{
    char line[2048];
    snprintf(line, sizeof line, "T=%s; P=%s; export T P; { %s; } 2>&1", folder, command(), words);
    FILE *pipe = popen(line, "r");
    size_t n = pipe != NULL ? fread(output, 1, sizeof output - 1, pipe) : 0;
    output[n] = '\0';
    int status = pipe != NULL ? pclose(pipe) : -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static inline void expect(int code, const char *words, const char *part)
{
    int got = shell(words);
    TEST_ASSERT_EQUAL_INT_MESSAGE(code, got, output);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(output, part), output);
}

static inline void write_file(const char *name, const char *text)
{
    FILE *file = fopen(in_folder(name), "w");
    TEST_ASSERT_NOT_NULL(file);
    fputs(text, file);
    TEST_ASSERT_EQUAL(0, fclose(file));
}

static inline char *read_whole(const char *name)
{
    FILE *file = fopen(in_folder(name), "r");
    TEST_ASSERT_NOT_NULL_MESSAGE(file, name);
    static char text[2][1 << 19]; // of the last two files
    static int turn;
    turn = 1 - turn;
    size_t n = fread(text[turn], 1, sizeof text[turn], file);
    TEST_ASSERT_TRUE_MESSAGE(n < sizeof text[turn], name);
    text[turn][n] = '\0';
    fclose(file);
    return text[turn];
}

static inline bool exists(const char *name)
{
    return access(in_folder(name), F_OK) == 0;
}

// --- Statistics ---

typedef struct table {
    int n_rows;
    char hash[ROWS_MAX][32];
    char rest[ROWS_MAX][512]; // the row without its wall-clock times
} table;

static inline void read_table(const char *name, table *t)
{
    char *text = read_whole(name), *row_end = NULL;
    t->n_rows = -1; // the header
    for (char *row = strtok_r(text, "\n", &row_end); row != NULL;
         row = strtok_r(NULL, "\n", &row_end)) {
        if (++t->n_rows == 0) {
            TEST_ASSERT_EQUAL_STRING(HEADER, row);
            continue;
        }
        TEST_ASSERT_TRUE(t->n_rows < ROWS_MAX);
        char *rest = t->rest[t->n_rows - 1], *end = NULL;
        int column = 0;
        size_t used = 0;
        for (char *word = strtok_r(row, ",", &end); word != NULL;
             word = strtok_r(NULL, ",", &end)) {
            bool wall_clock = column >= FIRST_TIME && column <= LAST_TIME;
            if (column == 19) snprintf(t->hash[t->n_rows - 1], sizeof t->hash[0], "%s", word);
            if (!wall_clock) {
                used += (size_t)snprintf(rest + used, sizeof t->rest[0] - used, "%s,", word);
            }
            column++;
        }
        TEST_ASSERT_EQUAL_INT(COLUMNS, column);
        TEST_ASSERT_EQUAL_INT(t->n_rows, atoi(rest)); // the steps, one after the other
    }
}

static inline void expect_same_table(const char *name, const char *other)
{
    static table a, b;
    read_table(name, &a);
    read_table(other, &b);
    TEST_ASSERT_EQUAL_INT(a.n_rows, b.n_rows);
    for (int i = 0; i < a.n_rows; i++) TEST_ASSERT_EQUAL_STRING(a.rest[i], b.rest[i]);
}

#endif
