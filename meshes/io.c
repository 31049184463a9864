// The table of formats: which reader a content belongs to, which writer an extension.

#include "io.h"

typedef struct format {
    const char *name, *extension;
    pl_sniff_fn *sniff;
    pl_read_fn *read;
    pl_write_fn *write; // NULL: only read
} format;

// TetGen is missing here: it has two files and no mark to know them by.
static const format formats[] = {
    {"PLY", ".ply", pl_sniff_ply, pl_read_ply, pl_write_ply},
    {"OFF", ".off", pl_sniff_off, pl_read_off, pl_write_off},
    {"Gmsh", ".msh", pl_sniff_gmsh, pl_read_gmsh, pl_write_gmsh},
    {"VTK", ".vtk", pl_sniff_vtk, pl_read_vtk, NULL},
    {"VTU", ".vtu", pl_sniff_vtu, pl_read_vtu, pl_write_vtu},
    {"STL", ".stl", pl_sniff_stl, pl_read_stl, NULL},
    {"SEG", ".seg", pl_sniff_seg, pl_read_seg, pl_write_seg},
    {"OBJ", ".obj", pl_sniff_obj, pl_read_obj, pl_write_obj},
};

enum { N_FORMATS = sizeof formats / sizeof *formats };

static bool is_tetgen(const char *path)
{
    return pl_has_extension(path, ".node") || pl_has_extension(path, ".ele");
}

// --- In ---

// The content decides. Where it fits several formats (OBJ has no mark, a binary STL may begin with
// anything) the extension chooses among them, else the order of the table; where it fits none, the
// extension names the reader that will say what is wrong. NULL if there is no way to tell.
static const format *recognise(const pl_bytes *bytes, const char *name)
{
    const format *fits = NULL, *named = NULL;
    for (int i = 0; i < N_FORMATS; i++) {
        const format *f = &formats[i];
        if (pl_has_extension(name, f->extension)) named = f;
        if (!f->sniff(bytes, name)) continue;
        if (named == f) return f;
        if (fits == NULL) fits = f;
    }
    return fits != NULL ? fits : named;
}

static pl_status fail_unknown(const char *name)
{
    return pl_fail(PL_ERROR_UNSUPPORTED,
                   "%s: neither OFF, OBJ, SEG, PLY, STL, Gmsh, VTK, VTU nor TetGen .node/.ele",
                   name);
}

// A failure deep down (out of memory, too large) may not know the file: then names it.
static pl_status name_failure(pl_status status, const char *name)
{
    if (status != PL_OK && strncmp(pl_error_text(), name, strlen(name)) != 0) pl_fail_prefix(name);
    return status;
}

pl_status pl_read_bytes(const pl_bytes *bytes, const char *name, pl_mesh **out)
{
    *out = NULL;
    if (bytes->size == 0) return pl_fail(PL_ERROR_FORMAT, "%s: the file is empty", name);
    const format *f = recognise(bytes, name);
    return f != NULL ? f->read(bytes, name, out) : fail_unknown(name);
}

// `path` is one of the pair and loaded already; the nodes can be read without the elements.
static pl_status read_tetgen(const pl_bytes *bytes, const char *path, pl_mesh **out)
{
    if (pl_has_extension(path, ".node")) return pl_read_tetgen(bytes, path, NULL, NULL, out);
    size_t stem = (size_t)(pl_extension_of(path) - path);
    char *node_path = pl_alloc((int64_t)stem + (int64_t)sizeof ".node", 1);
    if (node_path == NULL) return PL_ERROR_MEMORY;
    memcpy(node_path, path, stem);
    memcpy(node_path + stem, ".node", sizeof ".node");
    pl_bytes node;
    pl_status status = pl_bytes_load(node_path, &node);
    if (status == PL_OK) status = pl_read_tetgen(&node, node_path, bytes, path, out);
    pl_bytes_free(&node);
    pl_free(node_path);
    return status;
}

pl_status pl_mesh_read(const char *path, pl_mesh **out)
{
    PL_REQUIRE(out);
    *out = NULL;
    PL_REQUIRE(path);
    pl_bytes bytes;
    pl_status status = pl_bytes_load(path, &bytes);
    if (status == PL_OK) {
        bool tetgen = is_tetgen(path) && recognise(&bytes, path) == NULL;
        status = tetgen ? read_tetgen(&bytes, path, out) : pl_read_bytes(&bytes, path, out);
    }
    pl_bytes_free(&bytes);
    return name_failure(status, path);
}

pl_status pl_mesh_read_memory(const void *data, size_t size, const char *name, pl_mesh **out)
{
    PL_REQUIRE(out);
    *out = NULL;
    PL_REQUIRE(name);
    if (size > 0) PL_REQUIRE(data);
    pl_bytes bytes;
    pl_status status = pl_bytes_copy(data, size, &bytes);
    if (status == PL_OK) status = pl_read_bytes(&bytes, name, out);
    pl_bytes_free(&bytes);
    if (status == PL_ERROR_UNSUPPORTED && is_tetgen(name)) {
        pl_fail(status, "%s: TetGen's pair of files is read from disk only", name);
    }
    return name_failure(status, name);
}

// --- Out ---

pl_write_options pl_write_options_default(void)
{
    return (pl_write_options){.ascii = false, .fields = NULL, .n_fields = 0};
}

static pl_status find_writer(const char *path, pl_write_fn **out)
{
    for (int i = 0; i < N_FORMATS; i++) {
        *out = formats[i].write;
        if (*out != NULL && pl_has_extension(path, formats[i].extension)) return PL_OK;
    }
    return pl_fail(PL_ERROR_UNSUPPORTED,
                   "%s: cannot write \"%s\" files; use .obj, .ply, .off, .seg, .vtu or .msh", path,
                   pl_extension_of(path));
}

pl_status pl_mesh_writable(const char *path)
{
    pl_write_fn *write;
    PL_REQUIRE(path);
    PL_TRY(find_writer(path, &write));
    return name_failure(pl_output_try(path), path);
}

pl_status pl_mesh_write(const pl_mesh *mesh, const char *path, const pl_write_options *options)
{
    PL_REQUIRE(mesh);
    PL_REQUIRE(path);
    pl_write_options defaults = pl_write_options_default();
    pl_write_fn *write;
    if (options == NULL) options = &defaults;
    if (options->n_fields < 0 || (options->n_fields > 0 && options->fields == NULL)) {
        return pl_fail(PL_ERROR_ARGUMENT, "%s: %d fields, but no array of them", path,
                       (int)options->n_fields);
    }
    if ((int)options->cells < 0 || options->cells > PL_CELLS_POINTS) {
        return pl_fail(PL_ERROR_ARGUMENT, "%s: no cells are %d", path, (int)options->cells);
    }
    PL_TRY(find_writer(path, &write));
    return name_failure(write(mesh, path, options), path);
}
