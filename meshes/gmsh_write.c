// Writes Gmsh 4.1: one block of nodes, one of triangles, one of tets, each of an entity with tag 1.

#include "gmsh.h"

typedef struct writer {
    pl_output out;
    bool ascii;
} writer;

// Counts and tags are size_t in the file, entities and types int.
static void put_size(writer *w, int64_t value, char after)
{
    if (!w->ascii) {
        pl_output_write(&w->out, &value, sizeof value);
        return;
    }
    pl_output_int(&w->out, value);
    pl_output_write(&w->out, &after, 1);
}

static void put_int(writer *w, int32_t value)
{
    if (w->ascii) {
        put_size(w, value, ' ');
    } else {
        pl_output_write(&w->out, &value, sizeof value);
    }
}

static void put_nodes(writer *w, const pl_mesh *mesh)
{
    int64_t n = mesh->n_vert, n_blocks = n > 0;
    pl_output_printf(&w->out, "$Nodes\n");
    put_size(w, n_blocks, ' ');
    put_size(w, n, ' ');
    put_size(w, n_blocks, ' '); // smallest tag
    put_size(w, n, '\n');
    if (n > 0) {
        put_int(w, mesh->n_tet > 0 ? 3 : mesh->n_face > 0 ? 2 : 0);
        put_int(w, 1);
        put_int(w, 0); // not parametric
        put_size(w, n, '\n');
    }
    for (int64_t i = 0; i < n; i++) put_size(w, i + 1, '\n');
    if (!w->ascii) pl_output_write(&w->out, mesh->x, 3 * (size_t)n * sizeof *mesh->x);
    for (int64_t i = 0; w->ascii && i < 3 * n; i++) {
        pl_output_double(&w->out, mesh->x[i]);
        pl_output_write(&w->out, i % 3 == 2 ? "\n" : " ", 1);
    }
    pl_output_printf(&w->out, "%s$EndNodes\n", w->ascii ? "" : "\n");
}

// One block of elements; their tags count from first_tag on.
static void put_elements(writer *w, int32_t dimension, int32_t type, int corners, int64_t n,
                         const int32_t *vertex, int64_t first_tag)
{
    if (n == 0) return;
    put_int(w, dimension);
    put_int(w, 1);
    put_int(w, type);
    put_size(w, n, '\n');
    for (int64_t i = 0; i < n; i++) {
        put_size(w, first_tag + i, ' ');
        for (int k = 0; k < corners; k++) {
            put_size(w, vertex[corners * i + k] + 1, k + 1 < corners ? ' ' : '\n');
        }
    }
}

pl_status pl_write_gmsh(const pl_mesh *mesh, const char *path, const pl_write_options *options)
{
    writer w = {.ascii = options->ascii};
    PL_TRY(pl_output_open(path, &w.out));
    pl_output_printf(&w.out, "$MeshFormat\n4.1 %d 8\n", w.ascii ? 0 : 1);
    if (!w.ascii) { // tells the byte order
        put_int(&w, 1);
        pl_output_printf(&w.out, "\n");
    }
    pl_output_printf(&w.out, "$EndMeshFormat\n");
    put_nodes(&w, mesh);
    int64_t n = (int64_t)mesh->n_face + mesh->n_tet;
    pl_output_printf(&w.out, "$Elements\n");
    put_size(&w, (mesh->n_face > 0) + (mesh->n_tet > 0), ' ');
    put_size(&w, n, ' ');
    put_size(&w, n > 0, ' '); // smallest tag
    put_size(&w, n, '\n');
    put_elements(&w, 2, PL_GMSH_TRIANGLE, 3, mesh->n_face, mesh->face, 1);
    put_elements(&w, 3, PL_GMSH_TET, 4, mesh->n_tet, mesh->tet, (int64_t)mesh->n_face + 1);
    pl_output_printf(&w.out, "%s$EndElements\n", w.ascii ? "" : "\n");
    return pl_output_close(&w.out);
}
