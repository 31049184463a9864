#include "tetgen.h"

#include <cstring>
#include <new>

#define TETLIBRARY
#include <tetgen.h>

static_assert(sizeof(int) == sizeof(int32_t), "TetGen's lists are lists of int");

// tetgenio frees what it holds with delete[].
static void fill(tetgenio *in, int32_t n_vert, const double *x, int32_t n_face, const int32_t *face)
{
    in->numberofpoints = n_vert;
    in->pointlist = new double[3 * static_cast<size_t>(n_vert)];
    memcpy(in->pointlist, x, 3 * static_cast<size_t>(n_vert) * sizeof *x);
    in->facetlist = new tetgenio::facet[static_cast<size_t>(n_face)];
    in->facetmarkerlist = new int[static_cast<size_t>(n_face)];
    in->numberoffacets = n_face;
    for (int32_t i = 0; i < n_face; i++) tetgenio::init(&in->facetlist[i]);
    for (int32_t i = 0; i < n_face; i++) {
        tetgenio::facet *f = &in->facetlist[i];
        f->polygonlist = new tetgenio::polygon[1];
        f->numberofpolygons = 1;
        tetgenio::init(f->polygonlist);
        f->polygonlist->vertexlist = new int[3];
        f->polygonlist->numberofvertices = 3;
        memcpy(f->polygonlist->vertexlist, face + 3 * static_cast<size_t>(i), 3 * sizeof *face);
        in->facetmarkerlist[i] = i + 1; // 0 means "no marker"
    }
}

int pl_tetgen_run(int32_t n_vert, const double *x, int32_t n_face, const int32_t *face,
                  const char *switches, pl_tetgen_mesh *out)
{
    *out = pl_tetgen_mesh{};
    tetgenio *made = nullptr;
    try {
        tetgenio in;
        fill(&in, n_vert, x, n_face, face);
        tetgenbehavior behaviour;
        char text[256];
        strncpy(text, switches, sizeof text - 1);
        text[sizeof text - 1] = '\0';
        if (!behaviour.parse_commandline(text)) return 10; // TetGen's own number for bad input
        made = new tetgenio;
        tetrahedralize(&behaviour, &in, made);
    } catch (int code) {
        delete made;
        return code;
    } catch (const std::bad_alloc &) {
        delete made;
        return -1;
    }
    for (int i = 0; i < made->numberoftrifaces; i++) made->trifacemarkerlist[i]--;
    *out = pl_tetgen_mesh{
        made->numberofpoints,  made->numberoftetrahedra, made->numberoftrifaces,  made->pointlist,
        made->tetrahedronlist, made->trifacelist,        made->trifacemarkerlist, made};
    return 0;
}

void pl_tetgen_free(pl_tetgen_mesh *mesh)
{
    delete static_cast<tetgenio *>(mesh->owner);
    *mesh = pl_tetgen_mesh{};
}
