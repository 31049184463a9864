#include "buffers.h"

void setUp(void)
{
    watch_log();
}

void tearDown(void)
{
    pl_set_log(NULL, NULL);
}

// Four nodes with tags 10, 3, 700, 5 in this order; a point, a line, a triangle, a quad and two
// tets.
static const char text2[] = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
                            "$PhysicalNames\n1\n3 1 \"$EndNodes in a name\"\n$EndPhysicalNames\n"
                            "$Nodes\n4\n10 0 0 0\n3 1 0 0\n700 0 1 0\n5 0 0 1e0\n$EndNodes\n"
                            "$Elements\n6\n1 15 2 0 1 10\n2 1 2 0 1 10 3\n3 2 2 0 1 10 3 700\n"
                            "4 3 2 0 1 10 3 700 5\n5 4 2 0 1 10 3 700 5\n6 4 0 3 10 5 700\n"
                            "$EndElements\n";

static const char text4[] =
    "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Entities\n0 0 0 0\n$EndEntities\n"
    "$Nodes\n3 4 3 700\n"
    "0 1 0 1\n10\n0 0 0\n2 7 1 2\n3\n700\n1 0 0 0.5 0.5\n0 1 0 0.25 0.5\n"
    "3 1 0 1\n5\n0 0 1\n$EndNodes\n"
    "$Elements\n5 6 1 6\n0 1 15 1\n1 10\n1 1 1 1\n2 10 3\n2 1 2 1\n3 10 3 700\n"
    "2 1 3 1\n4 10 3 700 5\n3 1 4 2\n5 10 3 700 5\n6 3 10 5 700\n$EndElements\n"
    "$Surface\n1\n1 2 3\n$EndSurface\n";

static void expect_small(const pl_mesh *mesh)
{
    static const double x[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    static const int32_t face[9] = {0, 1, 2, 0, 1, 2, 0, 2, 3};
    static const int32_t tet[8] = {0, 1, 2, 3, 1, 0, 3, 2};
    pl_mesh *expected;
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_create(4, x, 3, face, 2, tet, &expected));
    expect_same(expected, mesh);
    pl_mesh_destroy(expected);
    TEST_ASSERT_EQUAL(0, log_count); // nearly every file has points and lines: not worth a word
}

// The same as text2 or text4, in binary of the machine's order or the other.
static buffer binary2(bool swap)
{
    buffer b = {.swap = swap};
    static const int32_t tags[] = {10, 3, 700, 5};
    put_text(&b, "$MeshFormat\n2.2 1 8\n");
    put_i32(&b, 1);
    put_text(&b, "\n$EndMeshFormat\n$Nodes\n4\n");
    for (int i = 0; i < 4; i++) {
        put_i32(&b, tags[i]);
        for (int k = 1; k <= 3; k++) put_f64(&b, i == k);
    }
    put_text(&b, "\n$EndNodes\n$Elements\n6\n");
    static const int32_t elements[] = {15, 1, 1, 1, 0, 10, 1, 1,   1, 2, 0, 10, 3, //
                                       2,  1, 1, 3, 0, 10, 3, 700,                 //
                                       3,  1, 1, 4, 0, 10, 3, 700, 5,              //
                                       4,  2, 1, 5, 0, 10, 3, 700, 5, 6, 0, 3,  10, 5, 700};
    for (size_t i = 0; i < sizeof elements / sizeof elements[0]; i++) put_i32(&b, elements[i]);
    put_text(&b, "\n$EndElements\n");
    return b;
}

static void put_block4(buffer *b, int32_t dimension, int32_t tag, int32_t kind, int64_t n)
{
    put_i32(b, dimension);
    put_i32(b, tag);
    put_i32(b, kind);
    put_i64(b, n);
}

static buffer binary4(bool swap)
{
    buffer b = {.swap = swap};
    put_text(&b, "$MeshFormat\n4.1 1 8\n");
    put_i32(&b, 1);
    put_text(&b, "\n$EndMeshFormat\n$Entities\n");
    for (int i = 0; i < 4; i++) put_i64(&b, 0);
    put_text(&b, "\n$EndEntities\n$Nodes\n");
    static const int64_t nodes[] = {2, 4, 3, 700}, elements[] = {5, 6, 1, 6};
    for (int i = 0; i < 4; i++) put_i64(&b, nodes[i]);
    put_block4(&b, 0, 1, 0, 1);
    put_i64(&b, 10);
    for (int k = 0; k < 3; k++) put_f64(&b, 0);
    put_block4(&b, 1, 7, 1, 3); // parametric: one more number per node
    static const int64_t tags[] = {3, 700, 5};
    for (int i = 0; i < 3; i++) put_i64(&b, tags[i]);
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 4; k++) put_f64(&b, k == 3 ? 0.5 : i == k);
    }
    put_text(&b, "\n$EndNodes\n$Elements\n");
    for (int i = 0; i < 4; i++) put_i64(&b, elements[i]);
    static const int64_t e[][5] = {
        {1, 10},           {2, 10, 3}, {3, 10, 3, 700}, {4, 10, 3, 700, 5}, {5, 10, 3, 700, 5},
        {6, 3, 10, 5, 700}};
    static const int types[] = {15, 1, 2, 3, 4}, corners[] = {1, 2, 3, 4, 4, 4};
    for (int i = 0; i < 6; i++) {
        if (i < 5) put_block4(&b, 2, 1, types[i], i == 4 ? 2 : 1);
        for (int k = 0; k <= corners[i]; k++) put_i64(&b, e[i][k]);
    }
    put_text(&b, "\n$EndElements\n");
    return b;
}

static buffer text_buffer(const char *text)
{
    buffer b = {0};
    put_text(&b, text);
    return b;
}

enum { KINDS = 6 };

static buffer make_kind(int kind)
{
    switch (kind) {
    case 0:
        return text_buffer(text2);
    case 1:
        return text_buffer(text4);
    case 2:
    case 3:
        return binary2(kind == 3);
    default:
        return binary4(kind == 5);
    }
}

static void test_reads_both_versions_in_text_and_both_byte_orders(void)
{
    for (int kind = 0; kind < KINDS; kind++) {
        buffer b = make_kind(kind);
        log_count = 0;
        pl_mesh *mesh = read_good(pl_read_gmsh, b.data, b.size);
        expect_small(mesh);
        pl_mesh_destroy(mesh);
        free_buffer(&b);
    }
}

static void test_tells_what_it_leaves_out(void)
{
    static const char text[] = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"
                               "$Nodes\n1 1 1 1\n0 1 0 1\n1\n0 0 0\n$EndNodes\n"
                               "$Elements\n4 5 1 5\n0 1 15 1\n1 1\n1 1 26 1\n2 1 1 1 1\n"
                               "3 1 5 2\n3 1 1 1 1 1 1 1 1\n4 1 1 1 1 1 1 1 1\n"
                               "3 1 200 1\n5 1 1\n$EndElements\n";
    pl_mesh *mesh = read_good(pl_read_gmsh, text, strlen(text));
    pl_mesh_destroy(mesh);
    TEST_ASSERT_EQUAL(1, log_count);
    TEST_ASSERT_EQUAL_STRING("test: skipped 2 hexahedra, 1 of type 200: only triangles, polygons "
                             "and linear tets are read",
                             last_log);
}

static void test_sniffs_the_first_section(void)
{
    pl_bytes yes, no;
    TEST_ASSERT_EQUAL(PL_OK, pl_bytes_copy(text4, strlen(text4), &yes));
    TEST_ASSERT_EQUAL(PL_OK, pl_bytes_copy("$MeshFormats", 12, &no));
    TEST_ASSERT_TRUE(pl_sniff_gmsh(&yes, "a"));
    TEST_ASSERT_FALSE(pl_sniff_gmsh(&no, "a.msh"));
    pl_bytes_free(&yes);
    pl_bytes_free(&no);
}

// Tags far apart need another map than tags close together; all must give the same mesh.
static void test_maps_tags_however_sparse(void)
{
    static const int64_t strides[] = {1, 3, 1000003, 1000000000000000003};
    for (int s = 0; s < 4; s++) {
        buffer b = {0};
        char line[128];
        put_text(&b, "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 4 0 0\n3 1 0 4\n");
        for (int i = 3; i >= 0; i--) {
            snprintf(line, sizeof line, "%lld\n", (long long)(strides[s] / 4 * i + i));
            put_text(&b, line);
        }
        put_text(&b, "3 0 0\n2 0 0\n1 0 0\n0 0 0\n$EndNodes\n$Elements\n1 1 1 1\n3 1 4 1\n1");
        for (int i = 0; i < 4; i++) {
            snprintf(line, sizeof line, " %lld", (long long)(strides[s] / 4 * i + i));
            put_text(&b, line);
        }
        put_text(&b, "\n$EndElements\n");
        pl_mesh *mesh = read_good(pl_read_gmsh, b.data, b.size);
        for (int i = 0; i < 4; i++) {
            TEST_ASSERT_EQUAL(3 - i, mesh->tet[i]);
            TEST_ASSERT_EQUAL_DOUBLE(i, mesh->x[3 * mesh->tet[i]]);
        }
        pl_mesh_destroy(mesh);
        free_buffer(&b);
    }
}

// Found by fuzzing: arithmetic on the NULL array of a mesh without nodes.
static void test_reads_a_mesh_of_nothing(void)
{
    static const char text[] = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 0 0 0\n3 1 0 0\n"
                               "$EndNodes\n$Elements\n1 0 0 0\n3 1 4 0\n$EndElements\n";
    pl_mesh *mesh = read_good(pl_read_gmsh, text, strlen(text));
    TEST_ASSERT_EQUAL(0, mesh->n_vert + mesh->n_tet);
    pl_mesh_destroy(mesh);
}

static void test_keeps_faces_empty_where_there_are_only_tets(void)
{
    static const char text[] = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n"
                               "3 0 1 0\n4 0 0 1\n$EndNodes\n$Elements\n1\n1 4 0 1 2 3 4\n"
                               "$EndElements";
    pl_mesh *mesh = read_good(pl_read_gmsh, text, strlen(text));
    TEST_ASSERT_EQUAL(0, mesh->n_face);
    TEST_ASSERT_EQUAL(1, mesh->n_tet);
    TEST_ASSERT_EQUAL(0, log_count);
    pl_mesh_destroy(mesh);
}

static void test_says_where_text_is_wrong(void)
{
#define HEAD "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"
#define NODES HEAD "$Nodes\n1 1 1 1\n3 1 0 1\n1\n0 0 0\n$EndNodes\n"
    static const char *const bad[][2] = {
        {"", "test:1: expected $MeshFormat"},
        {HEAD, "no $Nodes"},
        {NODES, "no $Elements"},
        {NODES "$Elements\n2 0 0 0\n", "expected the dimension"},
        {HEAD "$Nodes\n1 4294967295 1 1\n", "test:5: the number of nodes is 4294967295"},
        {HEAD "$Nodes\n1 1 1 1\n3 1 0 4294967295\n", "more than announced"},
        {HEAD "$Nodes\n1 1 1 1\n3 1 0 -1\n", "more than announced"},
        {HEAD "$Nodes\n1 1 1 1\n3 1 0 1\n1\n0 nan 0\n", "test:8: expected number 2 of 3"},
        {HEAD "$Nodes\n1 1 1 1\n3 1 0 1\n1\n0 inf 0\n", "test:8: expected number"},
        {HEAD "$Nodes\n1 1 1 1\n3 1 0 1\n1\n0 1e999 0\n", "test:8: expected number"},
        {HEAD "$Nodes\n1 1 1 1\n3 1 0 1\n1\n0 0", "the file ends before number 3"},
        {HEAD "$Nodes\n1 1 1 1\n3 1 0 1\n-1\n0 0 0\n$EndNodes\n", "test:6: -1 is no tag"},
        {HEAD "$Nodes\n1 1 1 1\n3 1 0 1\n1\n0 0 0 0\n$EndNodes\n", "test:8: expected $EndNodes"},
        {HEAD "$Nodes\n1 2 1 1\n3 1 0 1\n1\n0 0 0\n$EndNodes\n", "hold only 1 nodes"},
        {HEAD "$Nodes\n1 2 1 1\n3 1 0 2\n1\n1\n0 0 0\n0 0 0\n$EndNodes\n",
         "two nodes have the tag 1"},
        {HEAD "$Elements\n0 0 0 0\n$EndElements\n", "behind $Nodes"},
        {NODES "$Elements\n1 1 1 1\n2 1 2 1\n1 1 1 2\n", "test:13: an element refers to node 2"},
        {NODES "$Elements\n1 1 1 1\n2 1 2 4294967295\n1 1 1 1\n", "too short"},
        {NODES "$Elements\n1 1 1 1\n2 1 2000 1\n1 1 1 1\n", "2000 is no type"},
        {NODES "$Elements\n1 2 1 1\n2 1 2 1\n1 1 1 1\n$EndElements\n", "1 elements less"},
        {NODES "$Elements\n1 0 1 1\n2 1 2 1\n1 1 1 1\n$EndElements\n", "more elements than"},
        {NODES "$Comments\nnever closed\n", "the section is not closed"},
        {NODES "words\n", "test:10: expected a section"},

    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        expect_text_error(pl_read_gmsh, bad[i][0], bad[i][1]);
    }
    expect_text_error(pl_read_gmsh, NODES NODES, "a second section $Nodes");
    static const char old[] = "$MeshFormat\n4 0 8\n$EndMeshFormat\n";
    expect_error(pl_read_gmsh, old, strlen(old), PL_ERROR_UNSUPPORTED, "Gmsh format 4:");
    static const char parametric[] = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$ParametricNodes\n";
    expect_error(pl_read_gmsh, parametric, strlen(parametric), PL_ERROR_UNSUPPORTED,
                 "save the mesh without parametric coordinates");
}

static void test_says_where_binary_is_wrong(void)
{
    static const char text_as_binary[] = "$MeshFormat\n4.1 1 8\n$EndMeshFormat\n$Nodes\n1 1 1 1\n";
    expect_error(pl_read_gmsh, text_as_binary, strlen(text_as_binary), PL_ERROR_FORMAT, "binary 1");
    buffer b = binary4(false);
    size_t node = (size_t)((char *)memmem(b.data, b.size, "$Nodes", 6) - b.data) + 7;
    size_t element = (size_t)((char *)memmem(b.data, b.size, "$Elements", 9) - b.data) + 10;
    char place[64];
    const struct {
        size_t at;
        int64_t value;
        const char *part;
    } damage[] = {
        {node + 8, 4294967295, "too short"},
        {node + 8, INT64_MIN, "too short"},
        {node + 8 * 4 + 12, 5, "more than announced"},
        {node + 8 * 4 + 20, -1, "no tag"},
        {node + 8 * 4 + 28, 0x7ff8000000000000, "not finite"},
        {node + 8 * 4 + 28, 0x7ff0000000000000, "not finite"},
        {element + 8 * 4 + 12, INT64_MAX, "too short"},
        {element + 8 * 4 + 12, 7, "more elements than announced"},
        {b.size - 8 - 14, 701, "node 701, which"},
    };
    for (size_t i = 0; i < sizeof damage / sizeof damage[0]; i++) {
        int64_t before;
        memcpy(&before, b.data + damage[i].at, 8);
        memcpy(b.data + damage[i].at, &damage[i].value, 8);
        expect_error(pl_read_gmsh, b.data, b.size, PL_ERROR_FORMAT, damage[i].part);
        expect_error(pl_read_gmsh, b.data, b.size, PL_ERROR_FORMAT, "test: byte ");
        memcpy(b.data + damage[i].at, &before, 8);
    }
    int64_t total = 1000, n = 50;
    buffer many = binary4(false);
    memcpy(many.data + element + 8, &total, sizeof total);
    memcpy(many.data + element + 8 * 4 + 12, &n, sizeof n);
    expect_error(pl_read_gmsh, many.data, many.size, PL_ERROR_FORMAT, "50 elements do not fit");
    free_buffer(&many);
    b.data[b.size - 8 - 14] = 1;
    snprintf(place, sizeof place, "test: byte %zu: an element", b.size - 8 - 14);
    expect_error(pl_read_gmsh, b.data, b.size, PL_ERROR_FORMAT, place);
    free_buffer(&b);
}

static void test_survives_damage(void)
{
    pl_set_log(NULL, NULL);
    for (int kind = 0; kind < KINDS; kind++) {
        buffer b = make_kind(kind);
        static const char last[] = "$EndElements"; // what follows may be missing
        char *end = memmem(b.data, b.size, last, strlen(last));
        check_damage(pl_read_gmsh, &b, (size_t)(end - b.data) + strlen(last));
        free_buffer(&b);
    }
}

static void test_survives_lack_of_memory(void)
{
    pl_set_log(NULL, NULL);
    for (int kind = 0; kind < KINDS; kind++) {
        buffer b = make_kind(kind);
        check_read_allocations(pl_read_gmsh, &b);
        free_buffer(&b);
    }
    buffer sparse = text_buffer("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n2\n1 0 0 0\n"
                                "99999999 0 0 0\n$EndNodes\n$Elements\n0\n$EndElements\n");
    check_read_allocations(pl_read_gmsh, &sparse);
    free_buffer(&sparse);
}

// --- Writing ---

static void test_round_trip_is_exact(void)
{
    make_directory();
    const char *path = path_of("a.msh");
    for (int i = 0; i < 8; i++) { // solids, surfaces, clouds, nothing
        pl_mesh *mesh = make_grid(2, 0.1, i / 2 == 0 ? 5 : i / 2 == 1 ? 7 : 0);
        roughen(mesh);
        if (i / 2 > 0) mesh->n_tet = 0;
        if (i / 2 == 3) mesh->n_vert = 0;
        pl_write_options options = {.ascii = i % 2 == 0};
        TEST_ASSERT_EQUAL(PL_OK, pl_write_gmsh(mesh, path, &options));
        pl_mesh *back = read_good_file(pl_read_gmsh, path);
        expect_same(mesh, back);
        TEST_ASSERT_EQUAL(0, log_count);
        pl_mesh_destroy(mesh);
        pl_mesh_destroy(back);
    }
    remove_directory();
}

typedef struct write_job {
    pl_mesh *mesh;
    const char *path;
    pl_write_options options;
} write_job;

static pl_status run_write_job(void *user)
{
    write_job *job = user;
    return pl_write_gmsh(job->mesh, job->path, &job->options);
}

static void test_writing_survives_failures(void)
{
    make_directory();
    pl_mesh *mesh = make_grid(1, 1, 0);
    write_job job = {mesh, path_of("a.msh"), {.ascii = true}};
    fail_each_allocation(run_write_job, &job);
    job.options.ascii = false;
    fail_each_allocation(run_write_job, &job);
    TEST_ASSERT_EQUAL(PL_ERROR_FILE,
                      pl_write_gmsh(mesh, "/nonexistent/a.msh", &(pl_write_options){0}));
    pl_mesh_destroy(mesh);
    remove_directory();
}

// --- Meshes that others made ---

static void test_reads_the_shared_meshes(void)
{
    static const struct {
        const char *name;
        int32_t n_vert, n_tet;
    } files[] = {{"bunny", 4670, 19379},
                 {"mat40x40", 3200, 9126},
                 {"sphere1K", 1760, 6851},
                 {"cube", 8, 6},
                 {"tet", 4, 1}};
    if (access("../shared/data/meshes/bunny.msh", R_OK) != 0) {
        TEST_IGNORE_MESSAGE("../shared/data is not here");
    }
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        char path[128];
        snprintf(path, sizeof path, "../shared/data/meshes/%s.msh", files[i].name);
        pl_mesh *mesh = read_good_file(pl_read_gmsh, path);
        TEST_ASSERT_EQUAL(files[i].n_vert, mesh->n_vert);
        TEST_ASSERT_EQUAL(files[i].n_tet, mesh->n_tet);
        TEST_ASSERT_EQUAL(0, mesh->n_face);
        for (int32_t t = 0; t < mesh->n_tet; t++) {
            pl_mesh one = {mesh->n_vert, 0, 1, mesh->x, NULL, mesh->tet + 4 * t};
            TEST_ASSERT_TRUE_MESSAGE(pl_mesh_volume(&one) > 0, files[i].name);
        }
        pl_mesh_destroy(mesh);
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_reads_both_versions_in_text_and_both_byte_orders);
    RUN_TEST(test_tells_what_it_leaves_out);
    RUN_TEST(test_sniffs_the_first_section);
    RUN_TEST(test_maps_tags_however_sparse);
    RUN_TEST(test_reads_a_mesh_of_nothing);
    RUN_TEST(test_keeps_faces_empty_where_there_are_only_tets);
    RUN_TEST(test_says_where_text_is_wrong);
    RUN_TEST(test_says_where_binary_is_wrong);
    RUN_TEST(test_survives_damage);
    RUN_TEST(test_survives_lack_of_memory);
    RUN_TEST(test_round_trip_is_exact);
    RUN_TEST(test_writing_survives_failures);
    RUN_TEST(test_reads_the_shared_meshes);
    return UNITY_END();
}
