// Plain writers of the formats that Pliant only reads.

#include "bench.h"
#include "../../base/scan.h"
#include "../../meshes/mesh.h"

static void put_swapped(pl_output *out, const void *value, size_t size)
{
    char bytes[8];
    memcpy(bytes, value, size);
    pl_swap_bytes(bytes, size, 1);
    pl_output_write(out, bytes, size);
}

static void put_line(pl_output *out, const double *x, const char *before)
{
    pl_output_printf(out, "%s", before);
    for (int k = 0; k < 3; k++) {
        pl_output_double(out, x[k]);
        pl_output_write(out, k < 2 ? " " : "\n", 1);
    }
}

static void write_ply_big_endian(const pl_mesh *mesh, pl_output *out)
{
    pl_output_printf(out,
                     "ply\nformat binary_big_endian 1.0\nelement vertex %d\nproperty double x\n"
                     "property double y\nproperty double z\nelement face %d\n"
                     "property list uchar int vertex_indices\nend_header\n",
                     mesh->n_vert, mesh->n_face);
    for (int64_t i = 0; i < 3 * (int64_t)mesh->n_vert; i++) put_swapped(out, &mesh->x[i], 8);
    for (int64_t i = 0; i < mesh->n_face; i++) {
        pl_output_write(out, "\3", 1);
        for (int k = 0; k < 3; k++) put_swapped(out, &mesh->face[3 * i + k], 4);
    }
}

static void write_stl_ascii(const pl_mesh *mesh, pl_output *out)
{
    pl_output_printf(out, "solid sample\n");
    for (int64_t i = 0; i < mesh->n_face; i++) {
        pl_output_printf(out, "facet normal 0 0 0\n outer loop\n");
        for (int k = 0; k < 3; k++) {
            put_line(out, mesh->x + 3 * (int64_t)mesh->face[3 * i + k], "  vertex ");
        }
        pl_output_printf(out, " endloop\nendfacet\n");
    }
    pl_output_printf(out, "endsolid sample\n");
}

static void write_stl_binary(const pl_mesh *mesh, pl_output *out)
{
    char header[80] = "sample";
    pl_output_write(out, header, sizeof header);
    pl_output_write(out, &mesh->n_face, 4);
    for (int64_t i = 0; i < mesh->n_face; i++) {
        float record[12] = {0};
        for (int k = 0; k < 9; k++) {
            record[3 + k] = (float)mesh->x[3 * (int64_t)mesh->face[3 * i + k / 3] + k % 3];
        }
        pl_output_write(out, record, sizeof record);
        pl_output_write(out, "\0", 2);
    }
}

static void write_gmsh2(const pl_mesh *mesh, bool binary, pl_output *out)
{
    const int32_t one = 1, header[3] = {4, mesh->n_tet, 2};
    pl_output_printf(out, "$MeshFormat\n2.2 %d 8\n", binary);
    if (binary) pl_output_write(out, &one, 4), pl_output_write(out, "\n", 1);
    pl_output_printf(out, "$EndMeshFormat\n$Nodes\n%d\n", mesh->n_vert);
    for (int32_t i = 0; i < mesh->n_vert; i++) {
        int32_t tag = i + 1;
        if (binary) {
            pl_output_write(out, &tag, 4);
            pl_output_write(out, mesh->x + 3 * (int64_t)i, 24);
        } else {
            pl_output_int(out, tag);
            put_line(out, mesh->x + 3 * (int64_t)i, " ");
        }
    }
    pl_output_printf(out, "%s$EndNodes\n$Elements\n%d\n", binary ? "\n" : "", mesh->n_tet);
    if (binary) pl_output_write(out, header, sizeof header);
    for (int32_t i = 0; i < mesh->n_tet; i++) {
        const int32_t *t = mesh->tet + 4 * (int64_t)i;
        const int32_t record[7] = {i + 1, 0, 1, t[0] + 1, t[1] + 1, t[2] + 1, t[3] + 1};
        if (binary) {
            pl_output_write(out, record, sizeof record);
        } else {
            pl_output_printf(out, "%d 4 2 0 1 %d %d %d %d\n", record[0], record[3], record[4],
                             record[5], record[6]);
        }
    }
    pl_output_printf(out, "%s$EndElements\n", binary ? "\n" : "");
}

static void write_vtk(const pl_mesh *mesh, bool binary, pl_output *out)
{
    const int32_t corners = 4, type = 10; // VTK_TETRA
    pl_output_printf(out,
                     "# vtk DataFile Version 3.0\nsample\n%s\nDATASET UNSTRUCTURED_GRID\n"
                     "POINTS %d double\n",
                     binary ? "BINARY" : "ASCII", mesh->n_vert);
    for (int64_t i = 0; i < mesh->n_vert; i++) {
        if (!binary) put_line(out, mesh->x + 3 * i, "");
        for (int k = 0; binary && k < 3; k++) put_swapped(out, &mesh->x[3 * i + k], 8);
    }
    pl_output_printf(out, "\nCELLS %d %d\n", mesh->n_tet, 5 * mesh->n_tet);
    for (int64_t i = 0; i < mesh->n_tet; i++) {
        const int32_t *t = mesh->tet + 4 * i;
        if (!binary) pl_output_printf(out, "4 %d %d %d %d\n", t[0], t[1], t[2], t[3]);
        if (binary) put_swapped(out, &corners, 4);
        for (int k = 0; binary && k < 4; k++) put_swapped(out, &t[k], 4);
    }
    pl_output_printf(out, "\nCELL_TYPES %d\n", mesh->n_tet);
    for (int64_t i = 0; i < mesh->n_tet; i++) {
        if (!binary) pl_output_write(out, "10\n", 3);
        if (binary) put_swapped(out, &type, 4);
    }
}

static void write_tetgen(const pl_mesh *mesh, bool elements, pl_output *out)
{
    if (elements) {
        pl_output_printf(out, "%d 4 0\n", mesh->n_tet);
        for (int32_t i = 0; i < mesh->n_tet; i++) {
            const int32_t *t = mesh->tet + 4 * (int64_t)i;
            pl_output_printf(out, "%d %d %d %d %d\n", i, t[0], t[1], t[2], t[3]);
        }
    } else {
        pl_output_printf(out, "%d 3 0 0\n", mesh->n_vert);
        for (int32_t i = 0; i < mesh->n_vert; i++) {
            pl_output_int(out, i);
            put_line(out, mesh->x + 3 * (int64_t)i, " ");
        }
    }
}

pl_status pl_sample_write(const pl_mesh *mesh, pl_sample_format format, const char *path)
{
    pl_output out;
    PL_TRY(pl_output_open(path, &out));
    switch (format) {
    case PL_SAMPLE_PLY_BIG_ENDIAN:
        write_ply_big_endian(mesh, &out);
        break;
    case PL_SAMPLE_STL_ASCII:
        write_stl_ascii(mesh, &out);
        break;
    case PL_SAMPLE_STL_BINARY:
        write_stl_binary(mesh, &out);
        break;
    case PL_SAMPLE_GMSH2_ASCII:
        write_gmsh2(mesh, false, &out);
        break;
    case PL_SAMPLE_GMSH2_BINARY:
        write_gmsh2(mesh, true, &out);
        break;
    case PL_SAMPLE_VTK_ASCII:
        write_vtk(mesh, false, &out);
        break;
    case PL_SAMPLE_VTK_BINARY:
        write_vtk(mesh, true, &out);
        break;
    case PL_SAMPLE_TETGEN_NODE:
        write_tetgen(mesh, false, &out);
        break;
    case PL_SAMPLE_TETGEN_ELE:
        write_tetgen(mesh, true, &out);
        break;
    }
    return pl_output_close(&out);
}
