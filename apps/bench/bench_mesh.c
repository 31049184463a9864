// pliant bench mesh: how fast the readers are, against a plain pass over the same bytes.

#include "bench.h"
#include "../../base/hash.h"
#include "../../meshes/io.h"

#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

enum { REPEATS = 5 };

// A reader passes if it is at least this fraction as fast as the plain pass.
static const double SPEED_GOAL = 0.25;

typedef struct sample {
    const char *label, *file;
    bool solid;  // of the ball's tets; else of its surface
    bool ascii;  // for the formats that Pliant writes
    int foreign; // a pl_sample_format, or -1: Pliant writes it
} sample;

static const sample samples[] = {
    {"OFF", "a.off", false, true, -1},
    {"OBJ", "a.obj", false, true, -1},
    {"PLY ascii", "a.ply", false, true, -1},
    {"PLY binary", "l.ply", false, false, -1},
    {"PLY big endian", "b.ply", false, false, PL_SAMPLE_PLY_BIG_ENDIAN},
    {"STL ascii", "a.stl", false, true, PL_SAMPLE_STL_ASCII},
    {"STL binary", "b.stl", false, false, PL_SAMPLE_STL_BINARY},
    {"Gmsh 4.1 ascii", "a.msh", true, true, -1},
    {"Gmsh 4.1 binary", "b.msh", true, false, -1},
    {"Gmsh 2.2 ascii", "a2.msh", true, true, PL_SAMPLE_GMSH2_ASCII},
    {"Gmsh 2.2 binary", "b2.msh", true, false, PL_SAMPLE_GMSH2_BINARY},
    {"VTK ascii", "a.vtk", true, true, PL_SAMPLE_VTK_ASCII},
    {"VTK binary", "b.vtk", true, false, PL_SAMPLE_VTK_BINARY},
    {"VTU ascii", "a.vtu", true, true, -1},
    {"VTU binary", "b.vtu", true, false, -1},
    {"TetGen", "t.node", true, true, PL_SAMPLE_TETGEN_NODE},
};

enum { SAMPLES = sizeof samples / sizeof samples[0] };

// --- The plain passes ---

static int64_t count_newlines(const char *data, size_t size)
{
    int64_t n = 0;
    for (size_t i = 0; i < size; i++) n += data[i] == '\n';
    return n;
}

// Keeps the compiler from leaving out work whose result nobody reads.
static volatile int64_t sink;

static double plain_pass(const pl_bytes *bytes, bool ascii, char *copy)
{
    double start = pl_seconds();
    if (ascii) {
        sink = count_newlines(bytes->data, bytes->size);
    } else {
        memcpy(copy, bytes->data, bytes->size);
        sink = copy[bytes->size / 2];
    }
    return pl_seconds() - start;
}

// --- One format ---

static uint64_t hash_mesh(const pl_mesh *mesh)
{
    uint64_t hash = PL_HASH_START;
    hash = pl_hash(hash, mesh->x, 3 * (size_t)mesh->n_vert * sizeof(double));
    hash = pl_hash(hash, mesh->face, 3 * (size_t)mesh->n_face * sizeof(int32_t));
    return pl_hash(hash, mesh->tet, 4 * (size_t)mesh->n_tet * sizeof(int32_t));
}

typedef struct file {
    char path[300];
    pl_bytes bytes, second; // second: TetGen's .ele
} file;

static pl_status parse(const sample *s, const file *f, pl_mesh **out)
{
    if (s->foreign == PL_SAMPLE_TETGEN_NODE) {
        return pl_read_tetgen(&f->bytes, "t.node", &f->second, "t.ele", out);
    }
    return pl_read_bytes(&f->bytes, s->file, out);
}

static pl_status write_sample(const sample *s, const pl_mesh *mesh, const char *folder, file *f)
{
    *f = (file){0};
    snprintf(f->path, sizeof f->path, "%s/%s", folder, s->file);
    pl_write_options options = pl_write_options_default();
    options.ascii = s->ascii;
    if (s->foreign < 0) return pl_mesh_write(mesh, f->path, &options);
    return pl_sample_write(mesh, (pl_sample_format)s->foreign, f->path);
}

// TetGen's elements are a second file, parsed with the first.
static pl_status load_second(const sample *s, const pl_mesh *mesh, const char *folder, file *f)
{
    if (s->foreign != PL_SAMPLE_TETGEN_NODE) return PL_OK;
    char path[300];
    snprintf(path, sizeof path, "%s/t.ele", folder);
    pl_status status = pl_sample_write(mesh, PL_SAMPLE_TETGEN_ELE, path);
    if (status == PL_OK) status = pl_bytes_load(path, &f->second);
    unlink(path);
    return status;
}

static pl_status measure(const sample *s, const file *f, bool *fast)
{
    size_t size = PL_MAX(f->bytes.size, f->second.size);
    char *copy = pl_alloc((int64_t)size, 1);
    if (copy == NULL) return PL_ERROR_MEMORY;
    memset(copy, 1, size); // its pages are there before the clock runs
    double plain = 1e30, read = 1e30;
    uint64_t hash = 0;
    pl_status status = PL_OK;
    for (int i = 0; i < REPEATS && status == PL_OK; i++) {
        double pass = plain_pass(&f->bytes, s->ascii, copy);
        if (f->second.size > 0) pass += plain_pass(&f->second, s->ascii, copy);
        plain = PL_MIN(plain, pass);
        pl_mesh *mesh = NULL;
        double start = pl_seconds();
        status = parse(s, f, &mesh);
        read = PL_MIN(read, pl_seconds() - start);
        if (status == PL_OK) hash = hash_mesh(mesh);
        pl_mesh_destroy(mesh);
    }
    pl_free(copy);
    if (status != PL_OK) return status;
    double megabytes = (double)(f->bytes.size + f->second.size) * 1e-6;
    *fast = plain >= SPEED_GOAL * read;
    printf("%-16s %8.1f %10.0f %10.0f %8.2f  %016" PRIx64 "%s\n", s->label, megabytes,
           megabytes / plain, megabytes / read, plain / read, hash, *fast ? "" : "  slow");
    return PL_OK;
}

static pl_status run_sample(const sample *s, const pl_mesh *mesh, const char *folder, bool *fast)
{
    file f;
    pl_status status = write_sample(s, mesh, folder, &f);
    if (status == PL_OK) status = pl_bytes_load(f.path, &f.bytes);
    if (status == PL_OK) status = load_second(s, mesh, folder, &f);
    if (status == PL_OK) status = measure(s, &f, fast);
    unlink(f.path);
    pl_bytes_free(&f.bytes);
    pl_bytes_free(&f.second);
    return status;
}

// --- All formats ---

static pl_status run_samples(const pl_mesh *ball, const char *folder)
{
    pl_mesh *surface;
    PL_TRY(pl_mesh_surface(ball, NULL, &surface));
    printf("%-16s %8s %10s %10s %8s  %s\n", "format", "MB", "plain MB/s", "read MB/s", "ratio",
           "hash of the mesh");
    int slow = 0;
    pl_status status = PL_OK;
    for (int i = 0; i < SAMPLES && status == PL_OK; i++) {
        bool fast = true;
        status = run_sample(&samples[i], samples[i].solid ? ball : surface, folder, &fast);
        slow += !fast;
    }
    pl_mesh_destroy(surface);
    if (status == PL_OK) {
        printf(
            "plain: counts newlines (ascii) or copies (binary). %d of %d below a ratio of %.2f.\n",
            slow, SAMPLES, SPEED_GOAL);
    }
    return status;
}

pl_status pl_bench_mesh(const pl_bench_options *options)
{
    char folder[] = "/tmp/pliant_bench_XXXXXX";
    if (mkdtemp(folder) == NULL) return pl_fail(PL_ERROR_FILE, "%s: cannot create", folder);
    pl_mesh *ball = NULL;
    pl_status status = pl_mesh_make(
        options->quick ? "icosphere:level=4:shells=2" : "icosphere:level=7:shells=4", &ball);
    if (status == PL_OK) status = run_samples(ball, folder);
    pl_mesh_destroy(ball);
    rmdir(folder);
    return status;
}
