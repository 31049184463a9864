// TetGen [Si 2015] behind a C function. Linked into the command only: TetGen is under the AGPL,
// libpliant is not. Call it through pl_tetrahedralize, which contains its crashes.

#ifndef PL_TETGEN_H
#define PL_TETGEN_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// What TetGen made of a surface. The arrays live until pl_tetgen_free.
typedef struct pl_tetgen_mesh {
    int32_t n_vert, n_tet, n_face;
    const double *x;      // (3*n_vert), the vertices of the surface first
    const int32_t *tet;   // (4*n_tet), (b-a) x (c-a) . (d-a) > 0
    const int32_t *face;  // (3*n_face): pieces of the surface's faces, of either orientation
    const int32_t *piece; // (n_face): the face of the surface that it is a piece of
    void *owner;
} pl_tetgen_mesh;

// Returns 0, or the number that TetGen throws (see pl_tetgen_error), -1 if memory ran out. It may
// also print, abort, crash or run for ever. switches: as on TetGen's command line.
int pl_tetgen_run(int32_t n_vert, const double *x, int32_t n_face, const int32_t *face,
                  const char *switches, pl_tetgen_mesh *out);
void pl_tetgen_free(pl_tetgen_mesh *mesh);

#ifdef __cplusplus
}
#endif

#endif
