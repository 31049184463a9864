// Which reader a file goes to, and the writers of surfaces.

#include "files.h"

#include <float.h>
#include <signal.h>
#include <sys/resource.h>

void setUp(void)
{
    make_directory();
}

void tearDown(void)
{
    remove_directory();
}

static const char off[] = "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";
static const char obj[] = "# text\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
static const char ply[] = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\n"
                          "property float y\nproperty float z\nelement face 1\n"
                          "property list uchar int vertex_index\nend_header\n"
                          "0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";
static const char stl[] = "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\n"
                          "vertex 0 1 0\nendloop\nendfacet\nendsolid a\n";

// --- Recognition ---

static void test_content_decides(void)
{
    static const char *const texts[] = {off, obj, ply, stl};
    static const char *const names[] = {"a",     "a.off", "a.obj", "a.ply", "a.stl",
                                        "a.txt", "a.OBJ", "a.vtk", "a.msh", "a.node"};
    for (int i = 0; i < 4; i++) {
        for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
            pl_mesh *mesh = read_text(texts[i], names[k]);
            expect_counts(mesh, 3, 1);
            pl_mesh_destroy(mesh);
        }
    }
}

// A binary STL may begin like any other file.
static void test_extension_breaks_ties(void)
{
    char buffer[84 + 50] = "OFF\n1 0 0\n0 0 0\n";
    buffer[80] = 1;
    pl_mesh *mesh = read_bytes(buffer, sizeof buffer, "a.stl");
    expect_counts(mesh, 3, 1);
    pl_mesh_destroy(mesh);
    mesh = read_bytes(buffer, sizeof buffer, "a.off");
    expect_counts(mesh, 1, 0);
    pl_mesh_destroy(mesh);
}

static void test_extension_names_the_reader_of_a_broken_file(void)
{
    refuse_text("what is this", "a.off", "a.off:1: expected the keyword OFF");
    refuse_text("what is this", "a.PLY", "a.PLY:1: expected ply");
    refuse_text("what is this", "dir.off/a.obj", "a.obj:1: the file holds no vertices");
    refuse_text("what is this", "a.stl", "a.stl: byte 0: neither text");
}

static void test_unknown(void)
{
    static const char *const names[] = {"a.txt", "a", "a.off/b", "", ".", "a."};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        refuse_bytes("what is this", 12, names[i], PL_ERROR_UNSUPPORTED, "neither OFF, OBJ");
    }
    refuse_bytes("1 3 0 0\n1 0 0 0\n", 16, "a.node", PL_ERROR_UNSUPPORTED, "from disk only");
    refuse_bytes("", 0, "a.txt", PL_ERROR_FORMAT, "a.txt: the file is empty");
    refuse_bytes(NULL, 0, "a.node", PL_ERROR_FORMAT, "a.node: the file is empty");
}

// --- Files ---

static void refuse_file(const char *path, pl_status status, const char *part)
{
    pl_mesh *mesh = (pl_mesh *)1;
    TEST_ASSERT_EQUAL(status, pl_mesh_read(path, &mesh));
    TEST_ASSERT_NULL(mesh);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(pl_error_text(), part), pl_error_text());
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, strncmp(path, pl_error_text(), strlen(path)), pl_error_text());
}

static void test_files_that_cannot_be_read(void)
{
    refuse_file(path_of("missing.off"), PL_ERROR_FILE, "No such file");
    refuse_file(test_directory, PL_ERROR_FILE, "not a regular file");
    refuse_file("/dev/null", PL_ERROR_FILE, "not a regular file");
    save(path_of("empty.off"), "", 0);
    refuse_file(path_of("empty.off"), PL_ERROR_FORMAT, "the file is empty");
    save(path_of("a.ele"), "1 4 0\n1 1 2 3 4\n", 16);
    pl_mesh *mesh;
    TEST_ASSERT_EQUAL(PL_ERROR_FILE, pl_mesh_read(path_of("a.ele"), &mesh));
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(pl_error_text(), "a.node"), pl_error_text());
}

// Runs `check` as a user without rights. Root has to become someone else for that.
static void without_rights(void (*check)(void))
{
    uid_t user = geteuid();
    if (user == 0) TEST_ASSERT_EQUAL_INT(0, seteuid(65534));
    check();
    if (user == 0) TEST_ASSERT_EQUAL_INT(0, seteuid(0));
}

static pl_status forbidden_status;

static void read_forbidden(void)
{
    pl_mesh *mesh;
    forbidden_status = pl_mesh_read(path_of("secret.off"), &mesh);
    pl_mesh_destroy(mesh);
}

static void write_forbidden(void)
{
    double x[3] = {0, 0, 0};
    pl_mesh *mesh;
    pl_mesh_create(1, x, 0, NULL, 0, NULL, &mesh);
    forbidden_status = pl_mesh_write(mesh, path_of("new.off"), NULL);
    pl_mesh_destroy(mesh);
}

static void test_permissions(void)
{
    chmod(test_directory, 0755);
    save(path_of("secret.off"), off, strlen(off));
    chmod(path_of("secret.off"), 0);
    without_rights(read_forbidden);
    TEST_ASSERT_EQUAL(PL_ERROR_FILE, forbidden_status);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(pl_error_text(), "denied"), pl_error_text());
    chmod(test_directory, 0555);
    without_rights(write_forbidden);
    chmod(test_directory, 0755);
    TEST_ASSERT_EQUAL(PL_ERROR_FILE, forbidden_status);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(pl_error_text(), "denied"), pl_error_text());
    TEST_ASSERT_EQUAL_INT(1, remove_directory()); // the secret only
}

static void test_tetgen_pair(void)
{
    const char *node = "4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n", *ele = "1 4 0\n1 1 2 3 4\n";
    save(path_of("t.1.node"), node, strlen(node));
    save(path_of("t.1.ele"), ele, strlen(ele));
    pl_mesh *mesh;
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_mesh_read(path_of("t.1.ele"), &mesh), pl_error_text());
    TEST_ASSERT_EQUAL_INT(4, pl_mesh_vertex_count(mesh));
    TEST_ASSERT_EQUAL_INT(1, pl_mesh_tet_count(mesh));
    pl_mesh_destroy(mesh);
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_read(path_of("t.1.node"), &mesh));
    TEST_ASSERT_EQUAL_INT(4, pl_mesh_vertex_count(mesh));
    TEST_ASSERT_EQUAL_INT(0, pl_mesh_tet_count(mesh));
    pl_mesh_destroy(mesh);
}

// --- Writers ---

typedef struct target {
    const char *name;
    bool ascii;
} target;

static const target targets[] = {
    {"m.off", false}, {"m.obj", false}, {"m.ply", false}, {"m.ply", true}, {"m.OBJ", true}};

enum { N_TARGETS = sizeof targets / sizeof *targets };

static pl_status write_to(const pl_mesh *mesh, const target *to)
{
    pl_write_options options = pl_write_options_default();
    options.ascii = to->ascii;
    return pl_mesh_write(mesh, path_of(to->name), &options);
}

// Coordinates of any bits, among them zeros of both signs, the smallest and the largest.
static pl_mesh *make_wild_mesh(int32_t n_vert, int32_t n_face)
{
    static const double special[] = {0.0, -0.0, 0.1, DBL_MAX, -DBL_MAX, DBL_MIN, 4.9e-324, 1e22};
    double *x = malloc(24 * (size_t)n_vert);
    int32_t *face = malloc(12 * (size_t)n_face + 1);
    srand(1);
    for (int i = 0; i < 3 * n_vert; i++) {
        if (i < 8) {
            x[i] = special[i];
            continue;
        }
        do {
            for (int k = 0; k < 8; k++) ((unsigned char *)(x + i))[k] = (unsigned char)rand();
        } while (!(x[i] - x[i] == 0));
    }
    for (int i = 0; i < 3 * n_face; i++) face[i] = rand() % n_vert;
    pl_mesh *mesh;
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_create(n_vert, x, n_face, face, 0, NULL, &mesh));
    free(x);
    free(face);
    return mesh;
}

static void test_round_trip(void)
{
    pl_mesh *mesh = make_wild_mesh(3000, 5000);
    for (int i = 0; i < N_TARGETS; i++) {
        pl_mesh *back;
        TEST_ASSERT_EQUAL_MESSAGE(PL_OK, write_to(mesh, &targets[i]), pl_error_text());
        TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_mesh_read(path_of(targets[i].name), &back),
                                  pl_error_text());
        expect_same(mesh, back);
        pl_mesh_destroy(back);
    }
    TEST_ASSERT_EQUAL_INT(4, remove_directory());
    pl_mesh_destroy(mesh);
}

static void test_text_on_demand_only(void)
{
    pl_mesh *mesh = read_text(off, "a.off");
    char text[400] = {0};
    for (int ascii = 0; ascii < 2; ascii++) {
        pl_write_options options = {.ascii = ascii};
        TEST_ASSERT_EQUAL(PL_OK, pl_mesh_write(mesh, path_of("m.ply"), ascii ? &options : NULL));
        FILE *file = fopen(path_of("m.ply"), "rb");
        TEST_ASSERT_GREATER_THAN_INT(100, (int)fread(text, 1, sizeof text - 1, file));
        fclose(file);
        TEST_ASSERT_NOT_NULL(strstr(text, ascii ? "format ascii 1.0\n" : "format binary_"));
        TEST_ASSERT_NOT_NULL(strstr(text, "property double x\n"));
    }
    pl_mesh_destroy(mesh);
}

// Two tets that share a face, and a vertex that neither uses.
static pl_mesh *make_tets(void)
{
    const double x[18] = {0, 0, 0, 9, 9, 9, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1};
    const int32_t tet[8] = {0, 2, 3, 4, 5, 2, 4, 3};
    pl_mesh *mesh;
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_create(6, x, 0, NULL, 2, tet, &mesh));
    return mesh;
}

static void test_tets_are_written_as_their_boundary(void)
{
    pl_mesh *mesh = make_tets();
    for (int i = 0; i < N_TARGETS; i++) {
        pl_mesh *back;
        TEST_ASSERT_EQUAL(PL_OK, write_to(mesh, &targets[i]));
        TEST_ASSERT_EQUAL(PL_OK, pl_mesh_read(path_of(targets[i].name), &back));
        expect_counts(back, 6, 6);
        TEST_ASSERT_EQUAL_MEMORY(mesh->x, back->x, 6 * 24);
        TEST_ASSERT_EQUAL_DOUBLE(pl_mesh_volume(mesh), pl_mesh_volume(back));
        pl_mesh_destroy(back);
    }
    pl_mesh_destroy(mesh);
}

static void test_empty_meshes_are_written(void)
{
    pl_mesh *mesh, *back;
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_create(0, NULL, 0, NULL, 0, NULL, &mesh));
    for (int i = 0; i < N_TARGETS; i++) {
        TEST_ASSERT_EQUAL(PL_OK, write_to(mesh, &targets[i]));
        if (strcasecmp(targets[i].name, "m.obj") == 0) continue; // an empty file
        TEST_ASSERT_EQUAL(PL_OK, pl_mesh_read(path_of(targets[i].name), &back));
        expect_counts(back, 0, 0);
        pl_mesh_destroy(back);
    }
    pl_mesh_destroy(mesh);
}

// Loose edges and points, in formats that can hold them.
static void test_loose_edges_and_points_survive(void)
{
    const double x[15] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1};
    const int32_t face[3] = {0, 1, 2}, edge[4] = {3, 0, 1, 4}, point[2] = {4, 2};
    pl_mesh *mesh, *back;
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_create(5, x, 1, face, 0, NULL, &mesh));
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_set_loose(mesh, 2, edge, 2, point));
    for (int i = 0; i < N_TARGETS; i++) {
        TEST_ASSERT_EQUAL(PL_OK, write_to(mesh, &targets[i]));
        TEST_ASSERT_EQUAL(PL_OK, pl_mesh_read(path_of(targets[i].name), &back));
        bool points = strcasecmp(targets[i].name, "m.ply") != 0;
        expect_counts(back, 5, 1);
        TEST_ASSERT_EQUAL_INT32(2, pl_mesh_edge_count(back));
        TEST_ASSERT_EQUAL_INT32_ARRAY(edge, pl_mesh_edges(back), 4);
        TEST_ASSERT_EQUAL_INT32(points ? 2 : 0, pl_mesh_point_count(back));
        if (points) TEST_ASSERT_EQUAL_INT32_ARRAY(point, pl_mesh_points(back), 2);
        pl_mesh_destroy(back);
    }
    TEST_ASSERT_EQUAL(PL_ERROR_UNSUPPORTED, pl_mesh_write(mesh, path_of("m.seg"), NULL));
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(pl_error_text(), "a .seg holds edges only"),
                                 pl_error_text());
    pl_mesh_destroy(mesh);
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_create(5, x, 0, NULL, 0, NULL, &mesh));
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_set_loose(mesh, 2, edge, 0, NULL));
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_write(mesh, path_of("m.seg"), NULL));
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_read(path_of("m.seg"), &back));
    expect_counts(back, 5, 0);
    TEST_ASSERT_EQUAL_INT32_ARRAY(edge, pl_mesh_edges(back), 4);
    pl_mesh_destroy(back);
    pl_mesh_destroy(mesh);
}

static void refuse_write(const pl_mesh *mesh, const char *path, pl_status status, const char *part)
{
    TEST_ASSERT_EQUAL(status, pl_mesh_write(mesh, path, NULL));
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(pl_error_text(), part), pl_error_text());
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, strncmp(path, pl_error_text(), strlen(path)), pl_error_text());
}

static void test_writes_that_fail(void)
{
    pl_mesh *mesh = read_text(off, "a.off");
    refuse_write(mesh, path_of("m.stl"), PL_ERROR_UNSUPPORTED, "cannot write \".stl\" files; use");
    refuse_write(mesh, path_of("m"), PL_ERROR_UNSUPPORTED,
                 "use .obj, .ply, .off, .seg, .vtu or .msh");
    refuse_write(mesh, path_of("missing/m.off"), PL_ERROR_FILE, "No such file or directory");
    TEST_ASSERT_EQUAL_INT(0, mkdir(path_of("d.off"), 0777));
    refuse_write(mesh, path_of("d.off"), PL_ERROR_FILE, "not a regular file");
    rmdir(path_of("d.off"));
    TEST_ASSERT_EQUAL_INT(0, mkfifo(path_of("pipe.off"), 0666));
    refuse_write(mesh, path_of("pipe.off"), PL_ERROR_FILE, "not a regular file");
    unlink(path_of("pipe.off"));
    TEST_ASSERT_EQUAL_INT(0, remove_directory());
    pl_mesh_destroy(mesh);
}

// A limit on the size of files stands for a full disk. What was there before stays.
static void test_disk_full(void)
{
    pl_mesh *mesh = make_wild_mesh(20000, 10), *back;
    pl_mesh *small = read_text(off, "a.off");
    struct rlimit before, limit;
    getrlimit(RLIMIT_FSIZE, &before);
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    for (int i = 0; i < N_TARGETS; i++) {
        TEST_ASSERT_EQUAL(PL_OK, write_to(small, &targets[i]));
        limit = (struct rlimit){100000, before.rlim_max};
        setrlimit(RLIMIT_FSIZE, &limit);
        pl_status status = write_to(mesh, &targets[i]);
        setrlimit(RLIMIT_FSIZE, &before);
        TEST_ASSERT_EQUAL(PL_ERROR_FILE, status);
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(pl_error_text(), "cannot write: File too large"),
                                     pl_error_text());
        TEST_ASSERT_EQUAL(PL_OK, pl_mesh_read(path_of(targets[i].name), &back));
        expect_same(small, back);
        pl_mesh_destroy(back);
        TEST_ASSERT_EQUAL_INT(0, unlink(path_of(targets[i].name)));
    }
    signal(SIGXFSZ, handler);
    TEST_ASSERT_EQUAL_INT(0, remove_directory());
    pl_mesh_destroy(small);
    pl_mesh_destroy(mesh);
}

// --- Memory ---

typedef struct file_job {
    const pl_mesh *mesh;
    const target *target;
} file_job;

static pl_status run_write(void *user)
{
    const file_job *job = user;
    return write_to(job->mesh, job->target);
}

static pl_status run_read(void *user)
{
    const file_job *job = user;
    pl_mesh *mesh;
    pl_status status = pl_mesh_read(path_of(job->target->name), &mesh);
    pl_mesh_destroy(mesh);
    return status;
}

static void test_memory(void)
{
    pl_mesh *mesh = make_tets();
    for (int i = 0; i < N_TARGETS; i++) {
        file_job job = {mesh, &targets[i]};
        fail_each_allocation(run_write, &job);
        fail_each_allocation(run_read, &job);
    }
    TEST_ASSERT_EQUAL_INT(4, remove_directory()); // no temporary file is left
    pl_mesh_destroy(mesh);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_content_decides);
    RUN_TEST(test_extension_breaks_ties);
    RUN_TEST(test_extension_names_the_reader_of_a_broken_file);
    RUN_TEST(test_unknown);
    RUN_TEST(test_files_that_cannot_be_read);
    RUN_TEST(test_permissions);
    RUN_TEST(test_tetgen_pair);
    RUN_TEST(test_round_trip);
    RUN_TEST(test_text_on_demand_only);
    RUN_TEST(test_tets_are_written_as_their_boundary);
    RUN_TEST(test_empty_meshes_are_written);
    RUN_TEST(test_loose_edges_and_points_survive);
    RUN_TEST(test_writes_that_fail);
    RUN_TEST(test_disk_full);
    RUN_TEST(test_memory);
    return UNITY_END();
}
