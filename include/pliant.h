// Pliant: elastic and rigid bodies in contact, free of penetration at every step.
//
// The conventions, which every function below follows:
//
// - Units are SI: metres, seconds, kilograms, newtons, pascals. Angles are radians.
// - A handle (pl_mesh, ...) is opaque. The caller of `pl_noun_verb(..., pl_noun **out)` owns the
//   handle and frees it with `pl_noun_destroy`, which accepts NULL. On failure *out is set to NULL.
// - A function that can fail returns pl_status. PL_OK is 0. After any other, pl_error_text() holds
//   one sentence that names the place and the remedy, per thread, until the next failure on that
//   thread. Any of these functions may fail with PL_ERROR_MEMORY; the other reasons are named.
// - NULL where it is not allowed, a body that is not there or a negative count is
//   PL_ERROR_ARGUMENT; a function that returns no status then returns 0, false or NULL, unless its
//   comment says otherwise.
// - Options are plain structs. Start from pl_xxx_options_default() and change what matters; a NULL
//   pointer means the defaults. A struct with a `name_free` function holds arrays that it owns.
// - Arrays state their shape: `x (3*n_vert)` is n_vert triples, one after another. Those passed in
//   are copied; those returned belong to the handle and live until it is changed or destroyed.
// - Indices start at 0. Counts are int32_t; no mesh has more than PL_MESH_MAX of anything.
// - The library prints nothing and never exits; warnings go to the log hook.
// - Large work is shared by several threads: as many as the options of the handle say, or else one
//   per core. Results have the same bits for any number of threads. Worker threads sleep when there
//   is nothing to do, and end with the thread that called.
// - Different handles may be used from different threads at the same time; one handle may not,
//   except for functions that take it as const.

#ifndef PLIANT_H
#define PLIANT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define PL_API __attribute__((visibility("default")))
#else
#define PL_API
#endif

// ---------------------------------------------------------------------------------------------
// Version
// ---------------------------------------------------------------------------------------------

#define PL_VERSION_MAJOR 0
#define PL_VERSION_MINOR 1
#define PL_VERSION_PATCH 0

// The version of the library at run time, e.g. "0.1.0"; the macros above are that of the header.
PL_API const char *pl_version(void);

// Line i of what this library was built with and what it runs with: "OpenBLAS: 0.3.21"; NULL behind
// the last one.
PL_API const char *pl_build_line(int32_t i);

// ---------------------------------------------------------------------------------------------
// Errors
// ---------------------------------------------------------------------------------------------

typedef enum pl_status {
    PL_OK = 0,
    PL_ERROR_ARGUMENT,    // an argument or option is out of its range
    PL_ERROR_MEMORY,      // the allocator returned NULL
    PL_ERROR_FILE,        // a file cannot be opened, read or written
    PL_ERROR_FORMAT,      // a file's content is malformed
    PL_ERROR_UNSUPPORTED, // a file format or request that Pliant does not support
    PL_ERROR_GEOMETRY,    // a mesh does not have the shape that the operation needs
    PL_ERROR_NUMERICS,    // a computation failed: not converged, matrix indefinite, NaN
    PL_ERROR_TIME,        // a limit of wall-clock time was exceeded
    PL_ERROR_DEVICE,      // a device for the computation is not there, or was lost
} pl_status;

// "ok", "argument", "memory", ... for logs. Never NULL.
PL_API const char *pl_status_name(pl_status status);

// The sentence of the last failure on this thread, "" if there was none. Valid until the next one.
PL_API const char *pl_error_text(void);

// ---------------------------------------------------------------------------------------------
// Hooks: set them before any other call, from one thread.
// ---------------------------------------------------------------------------------------------

typedef enum pl_log_level { PL_LOG_INFO = 0, PL_LOG_WARNING = 1 } pl_log_level;

// Receives one line of text without a newline. May be called from any thread that is inside Pliant.
typedef void pl_log_fn(pl_log_level level, const char *text, void *user);

// Sends the library's messages to `log`; NULL (the default) discards them.
PL_API void pl_set_log(pl_log_fn *log, void *user);

// `alloc` returns `size` bytes (size > 0) aligned to `alignment` (a power of two, at most 64), or
// NULL. `release` gives back what `alloc` returned; it is never called with NULL. Both may be
// called from several threads at once.
typedef struct pl_allocator {
    void *(*alloc)(size_t size, size_t alignment, void *user);
    void (*release)(void *block, void *user);
    void *user;
} pl_allocator;

// Allocates all memory of the library from `allocator` (copied); NULL, or one that lacks a
// function, restores the C library's allocator.
PL_API void pl_set_allocator(const pl_allocator *allocator);

// ---------------------------------------------------------------------------------------------
// Meshes: vertices, triangles and tetrahedra
// ---------------------------------------------------------------------------------------------

// A mesh is a surface (faces only), a solid (tets, with faces as its boundary or none), a cloud of
// points (nothing but vertices), or has loose edges and points: wires, needles, pins. Faces are
// counter-clockwise seen from outside; a tet (a, b, c, d) has positive volume if (b-a) x (c-a) .
// (d-a) > 0.
typedef struct pl_mesh pl_mesh;

// The largest number of vertices, faces or tets of a mesh: four times as many fit an int32_t.
#define PL_MESH_MAX (INT32_MAX / 4)

// Copies the arrays: x (3*n_vert) positions [m], face (3*n_face), tet (4*n_tet) vertex indices.
// An array may be NULL if its count is 0. Fails with PL_ERROR_ARGUMENT on a count that is negative
// or too large, an index out of range or a position that is not finite.
PL_API pl_status pl_mesh_create(int32_t n_vert, const double *x, int32_t n_face,
                                const int32_t *face, int32_t n_tet, const int32_t *tet,
                                pl_mesh **out);

// Replaces the loose edges, edge (2*n_edge), and points, point (n_point), of a mesh by these
// vertices of it (copied). Rigid and kinematic bodies touch with them, besides their faces; rays
// and nearest points look for faces only. Fails with PL_ERROR_ARGUMENT on an index out of range or
// an edge with two equal ends.
PL_API pl_status pl_mesh_set_loose(pl_mesh *mesh, int32_t n_edge, const int32_t *edge,
                                   int32_t n_point, const int32_t *point);

// An independent copy.
PL_API pl_status pl_mesh_copy(const pl_mesh *mesh, pl_mesh **out);
PL_API void pl_mesh_destroy(pl_mesh *mesh);

// Counts and arrays of a mesh. The arrays are never NULL, even if their count is 0, but for those
// of loose edges and points.
PL_API int32_t pl_mesh_vertex_count(const pl_mesh *mesh);
PL_API int32_t pl_mesh_face_count(const pl_mesh *mesh);
PL_API int32_t pl_mesh_tet_count(const pl_mesh *mesh);
PL_API const double *pl_mesh_positions(const pl_mesh *mesh); // (3*n_vert) [m]
PL_API const int32_t *pl_mesh_faces(const pl_mesh *mesh);    // (3*n_face)
PL_API const int32_t *pl_mesh_tets(const pl_mesh *mesh);     // (4*n_tet)
PL_API int32_t pl_mesh_edge_count(const pl_mesh *mesh);
PL_API int32_t pl_mesh_point_count(const pl_mesh *mesh);
PL_API const int32_t *pl_mesh_edges(const pl_mesh *mesh);  // (2*n_edge) loose ones
PL_API const int32_t *pl_mesh_points(const pl_mesh *mesh); // (n_point) loose ones

// The smallest axis-aligned box around all vertices [m]; lo > hi if the mesh is NULL or has no
// vertices.
PL_API void pl_mesh_bounds(const pl_mesh *mesh, double lo[3], double hi[3]);

// The volume [m^3]: the sum over the tets if there are any, else what the faces enclose (by the
// divergence theorem; meaningful for a closed, outward oriented surface).
PL_API double pl_mesh_volume(const pl_mesh *mesh);

// x := M x + t for every vertex; m (12) holds the rows [M | t]. A reflection (det M < 0) also
// reverses faces and tets, so that they stay oriented outward. Fails with PL_ERROR_ARGUMENT if m
// holds a number that is not finite, or if a vertex would overflow; the mesh is then unchanged.
PL_API pl_status pl_mesh_transform(pl_mesh *mesh, const double m[12]);

// Moves every vertex to x (3*n_vert) [m]. Fails with PL_ERROR_ARGUMENT if a position is not finite;
// the mesh is then unchanged.
PL_API pl_status pl_mesh_set_positions(pl_mesh *mesh, const double *x);

// The surface as a mesh of its own, without the vertices it does not use: the boundary of the tets
// if there are any (outward), else the faces. vertex_map, if not NULL, receives for each vertex of
// *out its index in `mesh`: an array of capacity n_vert of `mesh`, owned by the caller.
PL_API pl_status pl_mesh_surface(const pl_mesh *mesh, int32_t *vertex_map, pl_mesh **out);

// Connected components, over the tets if there are any, else over the faces: part (n_vert, owned by
// the caller) receives for each vertex the smallest vertex index of its component.
PL_API pl_status pl_mesh_parts(const pl_mesh *mesh, int32_t *part);

// The surface with a capsule around each loose edge and a ball around each loose point: what is
// drawn of them. A radius of 0 [m] stands for one that shows; `segments` (8 at least) are around.
PL_API pl_status pl_mesh_thicken(const pl_mesh *mesh, double radius, int32_t segments,
                                 pl_mesh **out);

// --- Files ---

// Reads OFF, OBJ, SEG (segments of IPC), PLY, STL, TetGen .node/.ele, Gmsh .msh (2.2, 4.1), legacy
// VTK or VTU, ASCII or binary, recognised by content. The mesh is what the file says: STL comes as
// separate triangles (see pl_mesh_clean), polygons are split into fans; lines and points of OBJ,
// edges of PLY and faces of two corners or one in OFF are loose edges and points. Cells that are
// neither triangles nor tets are skipped with a warning to the log (none for the points and lines
// of Gmsh). A TetGen .ele is read
// together with the .node beside it; a .node by itself is a cloud of points. Fails with
// PL_ERROR_FILE, PL_ERROR_UNSUPPORTED (not a format listed above) or PL_ERROR_FORMAT; the text then
// names the line (ASCII) or byte (binary).
PL_API pl_status pl_mesh_read(const char *path, pl_mesh **out);

// The same from `size` bytes in memory; `name` stands for the path in error texts and supplies the
// extension. TetGen's two-file format is not available here (PL_ERROR_UNSUPPORTED).
PL_API pl_status pl_mesh_read_memory(const void *data, size_t size, const char *name,
                                     pl_mesh **out);

// A quantity that travels with a mesh into a VTU file. `data` is borrowed for the call only.
typedef struct pl_field {
    const char *name;   // 1 to 200 bytes without quotes, '<', '&' and control characters
    bool per_tet;       // one value per cell (else one per vertex), see pl_vtu_cells
    int32_t components; // 1 (scalar), 3 (vector) or 9 (tensor)
    const double *data; // (components * number of vertices or cells); finite, if written as text
} pl_field;

// What the cells of a VTU file are.
typedef enum pl_vtu_cells {
    PL_CELLS_SOLID,  // the tets, or the faces if there are none
    PL_CELLS_ALL,    // the tets, then the faces
    PL_CELLS_POINTS, // each vertex by itself
} pl_vtu_cells;

typedef struct pl_write_options {
    bool ascii;             // PLY, VTU, Gmsh: text in place of binary. OBJ and OFF are always text
    pl_vtu_cells cells;     // VTU only
    const pl_field *fields; // (n_fields) VTU only; other formats ignore them
    int32_t n_fields;
} pl_write_options;

PL_API pl_write_options pl_write_options_default(void);

// Writes .obj, .ply, .off, .seg, .vtu or .msh (Gmsh 4.1), chosen by the extension. OBJ, PLY and OFF
// hold the faces (the boundary of the tets where a mesh has tets but no faces) and loose edges, OBJ
// and OFF loose points too; SEG holds loose edges, of a mesh that has nothing else; VTU holds what
// the options say; Gmsh holds faces and tets. Positions survive a round trip bit for bit. The file
// appears under its name only when it is complete: it is written beside it and renamed. Fails with
// PL_ERROR_UNSUPPORTED (another extension), PL_ERROR_FILE or PL_ERROR_ARGUMENT (a field that is not
// as pl_field says).
PL_API pl_status pl_mesh_write(const pl_mesh *mesh, const char *path,
                               const pl_write_options *options);

// Checks the path, its extension and its folder as pl_mesh_write does, without writing: to find
// out before a long computation whether its result could be saved.
PL_API pl_status pl_mesh_writable(const char *path);

// --- Surfaces ---

typedef struct pl_clean_options {
    double weld_distance; // merge vertices closer than this [m]; 0: only equal ones (default)
    bool drop_degenerate; // remove faces with two equal corners or no area, duplicate faces, and
                          // tets with two equal corners (with a warning to the log)
    bool orient;          // turn faces so that neighbours agree and every closed part encloses a
                          // positive volume, unless it is a cavity (lies inside another part)
    bool drop_unused;     // remove vertices that no face and no tet uses
} pl_clean_options;

typedef struct pl_clean_report {
    int32_t welded;     // vertices merged into another
    int32_t degenerate; // faces removed
    int32_t flipped;    // faces whose orientation was reversed
    int32_t unused;     // vertices removed
} pl_clean_report;

// All steps on, weld_distance 0.
PL_API pl_clean_options pl_clean_options_default(void);

// Cleans the surface of `mesh` in place, in the order of the options. Vertices are welded in order:
// each goes to the first one kept that is closer than the distance. What is left keeps its order.
// `report` may be NULL. Fails with PL_ERROR_ARGUMENT on a negative or non-finite distance; a
// failure changes nothing.
PL_API pl_status pl_mesh_clean(pl_mesh *mesh, const pl_clean_options *options,
                               pl_clean_report *report);

// No report lists more pairs of intersecting faces than this: where millions of faces lie in one
// spot, their pairs would fill the memory.
#define PL_INTERSECTIONS_MAX 1000000

// The defects of a surface, by element. If all counts are 0 and `closed` is true, it can be filled
// with tetrahedra. Edges of faces with two equal corners are not counted.
typedef struct pl_surface_report {
    bool closed;             // at least one face, no open edge
    int32_t n_parts;         // connected parts (over common vertices)
    int32_t n_open;          // edges with one face
    int32_t *open;           // (2*n_open) the two vertices of each
    int32_t n_nonmanifold;   // edges with three or more faces
    int32_t *nonmanifold;    // (2*n_nonmanifold) the two vertices of each
    int32_t n_misoriented;   // edges whose two faces run along it in the same direction
    int32_t *misoriented;    // (2*n_misoriented) the two vertices of each
    int32_t n_pinched;       // vertices whose faces form more than one fan
    int32_t *pinched;        // (n_pinched) these vertices
    int32_t n_degenerate;    // faces with two equal corners, or exactly without area
    int32_t *degenerate;     // (n_degenerate) these faces
    int32_t n_intersections; // pairs of faces that meet elsewhere than in the vertex or edge that
                             // they share, degenerate ones left out; PL_INTERSECTIONS_MAX of them
                             // if there are more
    int32_t *intersections;  // (2*n_intersections) their indices, the smaller first, sorted
} pl_surface_report;

// Inspects the faces of `mesh` (the boundary of the tets if it has no faces; indices then refer to
// pl_mesh_surface). Intersections are decided in exact arithmetic. Free the report after use; on
// failure it is empty.
PL_API pl_status pl_mesh_inspect(const pl_mesh *mesh, pl_surface_report *out);
PL_API void pl_surface_report_free(pl_surface_report *report);

typedef struct pl_decimate_options {
    int32_t faces; // target number of faces
} pl_decimate_options;

PL_API pl_decimate_options pl_decimate_options_default(void); // 1,000 faces

// A surface of `options->faces` (at least 4) faces close to that of `mesh` (see pl_mesh_surface),
// which must be closed, manifold, consistently oriented and free of self-intersection (else
// PL_ERROR_GEOMETRY, with the first offending element named); the result is all of that too, and
// encloses nearly the same volume. The count is met exactly where the topology allows (an odd count
// is rounded down: a closed surface has an even number); where no further collapse is safe, the
// result has more faces and a warning goes to the log. A target at or above the count returns the
// surface as it is.
PL_API pl_status pl_mesh_decimate(const pl_mesh *mesh, const pl_decimate_options *options,
                                  pl_mesh **out);

// --- Tetrahedra ---

#define PL_QUALITY_BINS 18

// The shape of all tets. The radius ratio is 3 inscribed / circumscribed radius: 1 for a regular
// tet, 0 for a flat one, negative for an inverted one.
typedef struct pl_mesh_quality {
    int32_t n_tet, n_inverted;                   // inverted: volume <= 0
    double min_volume, max_volume, total_volume; // [m^3]
    double min_dihedral, max_dihedral;           // [rad]
    double min_radius_ratio, mean_radius_ratio;
    int64_t dihedral_bins[PL_QUALITY_BINS]; // of all 6*n_tet angles, each bin pi / 18 wide
    int64_t ratio_bins[PL_QUALITY_BINS];    // of all radius ratios, [0, 1] in equal parts;
                                            // negative ones count in the first
} pl_mesh_quality;

// Fails with PL_ERROR_GEOMETRY if the mesh has no tets. radius_ratio and min_dihedral, if not NULL,
// receive one value per tet (n_tet each, owned by the caller).
PL_API pl_status pl_mesh_measure(const pl_mesh *mesh, pl_mesh_quality *out, double *radius_ratio,
                                 double *min_dihedral);

// Writes the report as text with histograms into `buffer` (always terminated); returns the length
// that the whole text needs without its terminator, like snprintf.
PL_API size_t pl_mesh_quality_text(const pl_mesh_quality *quality, char *buffer, size_t size);

// Which tet lies on the other side of each face of each tet. Face k of a tet is the one opposite to
// its corner k; its corners, counter-clockwise seen from outside, are 1 2 3, 0 3 2, 0 1 3 and 0 2 1
// for k = 0 to 3. across (4*n_tet, owned by the caller): for face k of tet t, at 4 t + k, the same
// number of the face on its other side, -1 outside. Fails with PL_ERROR_GEOMETRY if more than two
// tets share a face; `across` is complete even then: the third and those after it have the first on
// their other side.
PL_API pl_status pl_mesh_neighbours(const pl_mesh *mesh, int32_t *across);

// Where a point is in a mesh.
typedef struct pl_place {
    int32_t element;  // index of the tet or face; -1 if the square of the distance overflows
    double weight[3]; // barycentric coordinates of corners 1, 2, 3; that of corner 0 is 1 minus
                      // their sum. The last is 0 for a face; some are negative outside of a tet
    double distance;  // from the point to the element, 0 inside of a tet [m]
} pl_place;

// Finds for each of n points x (3*n) [m] the tet that contains it or is nearest to it (of several,
// the one whose smallest barycentric coordinate is largest; flat tets are ignored); or, with
// `faces`, the nearest face. out (n) is owned by the caller. Fails with
// PL_ERROR_GEOMETRY if the mesh has no such element, PL_ERROR_ARGUMENT if a point is not finite.
PL_API pl_status pl_mesh_locate(const pl_mesh *mesh, bool faces, int32_t n, const double *x,
                                pl_place *out);

typedef struct pl_improve_options {
    double goal;    // tets with a radius ratio below this are improved, in (0, 1]
    int32_t passes; // largest number of passes over the whole mesh
} pl_improve_options;

PL_API pl_improve_options pl_improve_options_default(void); // 0.5, 8 passes

// Raises the radius ratio of the worst tets in place, by moving interior vertices and exchanging
// small groups of tets. Boundary vertices and boundary faces stay as they are; vertices keep their
// indices; the number of tets may change. Every single change improves the worst tet that it
// affects, so the worst of the whole mesh never gets worse; flat tets are allowed. The result is
// deterministic. Fails with PL_ERROR_GEOMETRY if a tet is inverted or a face
// belongs to more than two tets, PL_ERROR_ARGUMENT (an option); the mesh is then unchanged.
PL_API pl_status pl_mesh_improve(pl_mesh *mesh, const pl_improve_options *options);

// Removes the tets outside of an oriented surface, after its convex hull or a box around it was
// filled: the faces of `mesh` form a closed surface among its tets, counter-clockwise seen from
// outside, each a face of some tet. The tets on its inner side stay, so that a cavity (a part
// oriented inward) becomes empty; of the vertices from `n_keep` on, those left without a tet are
// removed. Afterwards the faces are exactly the boundary of the tets; this is verified. Fails with
// PL_ERROR_GEOMETRY (the surface has a gap, is inconsistently oriented or is inside out) or
// PL_ERROR_ARGUMENT (n_keep is negative or above the number of vertices); the mesh is then
// unchanged.
PL_API pl_status pl_mesh_carve(pl_mesh *mesh, int32_t n_keep);

// --- Shapes ---

// Makes a tetrahedral mesh from a description "name" or "name:key=value:key=value", for instance
// "ring", "box:size=1,2,0.5:cells=4,8,2". Every number has a default; pl_shape_help lists them.
// Counts are exact: ring 72 vertices / 144 faces / 108 tets, plate 260 / 528 / 432, and formulas in
// meshes/README.md for the others. Shapes are centred at the origin (a voussoir has the centre of
// its arch there); their faces are the boundary of the tets.
// Fails with PL_ERROR_ARGUMENT on an unknown name or key (the nearest known one is suggested), or a
// value out of range.
PL_API pl_status pl_mesh_make(const char *description, pl_mesh **out);

// True if `description` begins with the name of a shape.
PL_API bool pl_shape_known(const char *description);

// One line per shape with its keys and defaults, as text in `buffer`; returns the length like
// pl_mesh_quality_text.
PL_API size_t pl_shape_help(char *buffer, size_t size);

// The surface of a height field: closed, for a kinematic body. height (nx*ny, x running first) [m]
// are those of a grid with this spacing along x and y [m], above 0, centred at the origin; nx and
// ny are 2 or more. It has a skirt down to a flat bottom `thickness` [m], above 0, below the lowest
// height. 2 (nx-1) (ny-1) faces on top. Fails with PL_ERROR_ARGUMENT.
PL_API pl_status pl_mesh_height_field(int32_t nx, int32_t ny, const double *height,
                                      const double spacing[2], double thickness, pl_mesh **out);

// The convex hull of the vertices of `mesh`, as a closed surface; exact, whatever they are. Fails
// with PL_ERROR_GEOMETRY if they all lie in one plane.
PL_API pl_status pl_mesh_hull(const pl_mesh *mesh, pl_mesh **out);

// ---------------------------------------------------------------------------------------------
// Shapes of bodies: what touches, and where its mass is
// ---------------------------------------------------------------------------------------------

// A rigid or kinematic body may be made of shapes in place of a mesh. Round ones are round for
// contacts: a sphere is a point with a radius, a capsule an edge, a rounded box a box, a torus a
// polygon; a sphere that rolls has no corners. Along z, centred at the origin.
typedef enum pl_shape_kind {
    PL_SHAPE_SPHERE,    // radius
    PL_SHAPE_CAPSULE,   // radius, length between the centres of its ends, 0 or more
    PL_SHAPE_BOX,       // size; rounding is at most half of the smallest
    PL_SHAPE_CYLINDER,  // radius, length, segments; rounding is at most the radius and half of the
                        // length. Touches as a prism with its corners on the circle
    PL_SHAPE_CONE,      // radius of the base at -length / 2, length to the tip, segments; likewise
    PL_SHAPE_TORUS,     // radius of its middle line, tube, segments: that line is a polygon
    PL_SHAPE_HULL,      // the convex hull of the vertices of mesh, thickened by rounding
    PL_SHAPE_MESH,      // the solid of mesh, with its loose edges and points, thickened by rounding
    PL_SHAPE_HALFSPACE, // all below the plane z = 0, within a square of edge `span` around the
                        // origin; of kinematic bodies only. `patch`: edge of the square to draw
} pl_shape_kind;

typedef struct pl_shape {
    pl_shape_kind kind;
    double radius, length, tube; // [m], > 0
    double size[3];              // of a box, from side to side [m], > 0
    double rounding;             // radius of edges and corners [m], >= 0
    double span, patch;          // of a half-space [m], > 0
    int32_t segments;            // around z, 3 or more; of spheres, capsules and boxes only to draw
    const pl_mesh *mesh;         // borrowed
    double position[3];          // where its origin is in the body [m]
    double orientation[4];       // and how it is turned: quaternion, real part first
    double density;              // [kg/m^3]; 0: that of the body
    double friction;             // see pl_surface_options; below 0: that of the body
} pl_shape;

// Radius 0.5 m, length 1 m, tube 0.1 m, size 1 m, rounding 0, span 100 m, patch 4 m, 32 segments,
// at the origin; density and friction of the body.
PL_API pl_shape pl_shape_default(pl_shape_kind kind);

// From a description as in pl_mesh_make: "sphere:radius=0.1", "box:size=1,2,0.5:rounding=0.05",
// with the keys radius, length, tube, size, rounding, span, patch and segments as the kind has
// them. Those of a hull and a mesh get their mesh afterwards. Fails with PL_ERROR_ARGUMENT
// likewise.
PL_API pl_status pl_shape_parse(const char *description, pl_shape *out);

// One line per kind, as pl_shape_help.
PL_API size_t pl_shape_kind_help(char *buffer, size_t size);

// What a body of n shapes looks like: one closed surface for each, one after the other. Those of
// round shapes have their vertices on them. Fails with PL_ERROR_ARGUMENT (a number out of its
// range; named, as in "shape 1: radius") or PL_ERROR_GEOMETRY (of a hull or a mesh).
PL_API pl_status pl_shapes_mesh(int32_t n, const pl_shape *shape, pl_mesh **out);

// Mass [kg], centre of mass (3) [m] and inertia about it (9) [kg m^2] of a body of n shapes, whose
// density is `density` where shapes have none of their own. Exact for spheres, capsules, boxes
// (also rounded), tori and sharp cylinders and cones; a rounded cylinder or cone has that of the
// sharp one, a hull or a mesh that of its surface without rounding. Where shapes overlap both
// count.
PL_API pl_status pl_shapes_inertia(int32_t n, const pl_shape *shape, double density, double *mass,
                                   double centre[3], double inertia[9]);

// ---------------------------------------------------------------------------------------------
// Collision: two features of surfaces, at rest and on their way
// ---------------------------------------------------------------------------------------------

// The two features of a pair, and the order of their points in the arrays `x` below: those of the
// first feature, then those of the second.
typedef enum pl_pair_kind {
    PL_VERTEX_VERTEX, // x (3*2)
    PL_VERTEX_EDGE,   // x (3*3): the vertex, the two ends
    PL_VERTEX_FACE,   // x (3*4): the vertex, the three corners
    PL_EDGE_EDGE,     // x (3*4): the ends of one, the ends of the other
} pl_pair_kind;

// The closest points of two features. The difference of the two, first feature minus second, is the
// sum of weight[i] x[i]: the weights of the first feature add up to 1, those of the second to -1.
typedef struct pl_closest {
    double distance;  // [m]
    double weight[4]; // 0 for points that the kind does not have
    double normal[3]; // unit vector from the second feature to the first
    uint32_t support; // bit i: point i has a weight that is not 0. So all bits of a face mean its
                      // interior, two of them an edge and one a corner
} pl_closest;

// Computes the closest points, for any finite input: edges of no length, faces without area,
// parallel edges and points that coincide as well. The distance is right to a few units in the last
// place of the size of the pair (wherever in the world it is). Where it is 0 within rounding, the
// normal is that of the face or of the two edges; where these span no plane, any vector across the
// longest edge; where there is none, the x axis. This function and the next one are called millions
// of times: their pointers are not checked.
PL_API void pl_closest_points(pl_pair_kind kind, const double *x, pl_closest *out);

// When and how two moving features come too close.
typedef struct pl_impact {
    double time;        // 0 at the start of the motion, 1 at its end
    pl_closest closest; // of the features at that time
} pl_impact;

// Do two features come closer than `separation` [m] (0 or more) while their points move along
// straight lines from x0 to x1 (finite, each as pl_pair_kind says)? "No" is a proof, rounding
// errors included: at no time are they at that distance or closer. "Yes" comes with a time before
// which they are not (out may be NULL); it is above 0 if they start farther apart. It is given for
// pairs that come within 1.02 times the separation, too, or within some 1e-13 of the size of their
// motion, and now and then for pairs that graze each other a little farther away. Features that
// start at the separation or closer hit at time 0; for such pairs, pass half of their distance.
PL_API bool pl_ccd(pl_pair_kind kind, const double *x0, const double *x1, double separation,
                   pl_impact *out);

// ---------------------------------------------------------------------------------------------
// Collision: which features of moving surfaces can touch
// ---------------------------------------------------------------------------------------------

// One body's surface, as indices into positions that all colliders share: the boundary of a solid,
// and edges and points by themselves, which with a radius are capsules and spheres. A vertex
// belongs to one collider.
typedef struct pl_collider {
    int32_t n_face, n_edge, n_point;
    const int32_t *face;  // (3*n_face)
    const int32_t *edge;  // (2*n_edge) besides those of the faces
    const int32_t *point; // (n_point) besides the corners of faces and edges
    double radius;        // the features are thickened by this distance [m], >= 0
    bool fixed;           // never paired with other fixed colliders, nor with itself
    bool self;            // its own features are paired with each other
    uint32_t category;    // bit set: colliders a and b are paired if category of a & mask of b
    uint32_t mask;        // and category of b & mask of a are both not 0
    int32_t group;        // parts of one thing are never paired with each other; 0: of none
} pl_collider;

// No features; radius 0, not fixed, self; category 1, mask of all bits, group 0.
PL_API pl_collider pl_collider_default(void);

// Surfaces in bounding volume hierarchies, built once and refitted to each motion.
typedef struct pl_surfaces pl_surfaces;

// Colliders (n_collider; copied) over x (3*n_vert) [m]. Faces are numbered through all of them in
// their order. Fails with PL_ERROR_ARGUMENT on an index out of range, a face or edge that repeats a
// corner, a vertex of two colliders or a bad radius, or PL_ERROR_NUMERICS on a position that is not
// finite; all named.
PL_API pl_status pl_surfaces_create(int32_t n_vert, const double *x, int32_t n_collider,
                                    const pl_collider *collider, pl_surfaces **out);
PL_API void pl_surfaces_destroy(pl_surfaces *surfaces);

// Never pairs colliders a and b from now on; a = b turns self-collision off.
PL_API pl_status pl_surfaces_ignore(pl_surfaces *surfaces, int32_t a, int32_t b);

// All edges, those of faces and those by themselves: (2*pl_surfaces_edge_count) vertices, the
// smaller first.
PL_API int32_t pl_surfaces_edge_count(const pl_surfaces *surfaces);
PL_API const int32_t *pl_surfaces_edges(const pl_surfaces *surfaces);

// Pairs of features of paired colliders that share no vertex, each once, sorted. Between faces and
// edges the first two kinds say all about distances; the others are for points by themselves, and
// for the ends of edges by themselves with what they may touch.
typedef struct pl_candidates {
    int64_t n_vertex_face, n_edge_edge, n_vertex_edge, n_vertex_vertex;
    const int32_t *vertex_face;   // (2*n_vertex_face) vertex, face
    const int32_t *edge_edge;     // (2*n_edge_edge) edges, the smaller first
    const int32_t *vertex_edge;   // (2*n_vertex_edge) vertex, edge
    const int32_t *vertex_vertex; // (2*n_vertex_vertex) vertices, the smaller first
} pl_candidates;

// All pairs whose boxes overlap: around the motion from x0 to x1 (3*n_vert each) [m], thickened by
// the radius and half of `margin` [m], rounded outward to single precision. Pairs within smooth
// patches that provably cannot touch themselves during this motion are left out. The arrays belong
// to the surfaces until the next call. Fails with PL_ERROR_ARGUMENT on a negative margin,
// PL_ERROR_NUMERICS on a position that is not finite or beyond 1e30 m, or PL_ERROR_MEMORY, also if
// there are more than 1,000 pairs per element.
PL_API pl_status pl_surfaces_search(pl_surfaces *surfaces, const double *x0, const double *x1,
                                    double margin, pl_candidates *out);

// Adds the pairs that the last search lacks for another motion, from x0 to a different x1: it
// searches again around the vertices that leave their boxes, and in the patches that were left out
// and are no longer smooth. Vertices may move by half of the margin of the search without leaving
// their boxes; the pairs are then complete for distances up to the radii. *grown receives the
// number of vertices that left. *out must be that of the last search or extension; it is then
// complete for both motions.
PL_API pl_status pl_surfaces_extend(pl_surfaces *surfaces, const double *x0, const double *x1,
                                    pl_candidates *out, int32_t *grown);

// ---------------------------------------------------------------------------------------------
// Collision: the audit
// ---------------------------------------------------------------------------------------------

// A test in exact arithmetic that a state is free of intersection, independent of the code that
// computed the state: no two triangles have a point in common (touching counts), and none is inside
// a closed body. An audit is created once for the faces, and run on positions after every step.
typedef struct pl_audit pl_audit;

// A body is a set of triangles: a closed surface, a sheet, or both. Its closed parts (connected
// over common vertices, every edge with an even number of faces) have an inside: the points with a
// winding number other than 0, or, where faces are not oriented consistently, the points from which
// a ray crosses an odd number of faces.
// Bodies may have vertices in common.
// A body may have edges and points besides, and a radius: then no element of another body may be
// within the sum of both radii, touching included.
typedef struct pl_audit_body {
    int32_t n_face;      // without elements the body is ignored
    const int32_t *face; // (3*n_face) vertex indices
    int32_t n_edge, n_point;
    const int32_t *edge;  // (2*n_edge) besides those of the faces
    const int32_t *point; // (n_point) besides the corners of faces and edges
    double radius;        // [m], >= 0
} pl_audit_body;

typedef struct pl_audit_options {
    const int32_t *exclude; // (2*n_exclude) pairs of bodies that are not tested against each other;
                            // a body with itself: it may intersect itself
    int32_t n_exclude;
    bool distance;   // measure the smallest distance between bodies
    int32_t threads; // up to 256; 0: one per core
} pl_audit_options;

// Nothing excluded, distance measured.
PL_API pl_audit_options pl_audit_options_default(void);

// Copies the bodies (n_body) and options; n_vert bounds the vertex indices. Fails with
// PL_ERROR_ARGUMENT on a negative count, too many faces in all or an index out of range (named).
PL_API pl_status pl_audit_create(int32_t n_vert, int32_t n_body, const pl_audit_body *bodies,
                                 const pl_audit_options *options, pl_audit **out);
PL_API void pl_audit_destroy(pl_audit *audit);

// Two faces that have a point in common, other than on a vertex or an edge that they share, or two
// elements within the radii of their bodies. `face` are indices within the bodies: faces, behind
// them edges, behind them points.
typedef struct pl_audit_pair {
    int32_t body[2], face[2];
} pl_audit_pair;

// A vertex of `body` that is inside of the body `other` and not part of it.
typedef struct pl_audit_inside {
    int32_t body, vertex, other;
} pl_audit_inside;

// The arrays belong to the audit and live until it is run again or destroyed.
typedef struct pl_audit_report {
    bool clean;    // nothing intersects and nothing is inside anything
    bool complete; // false: more than PL_INTERSECTIONS_MAX of either, and only so many listed. With
                   // too many intersections, nothing else is looked for
    int32_t n_intersections;
    const pl_audit_pair *intersections; // (n_intersections) sorted by body and face of both
    int32_t n_inside;
    const pl_audit_inside *inside; // (n_inside) by body; one vertex for each connected part,
                                   // because a part that meets nothing is inside as a whole, or
                                   // all its vertices if it has some in common with other bodies
    double distance; // the smallest between faces of different bodies without a common vertex [m],
                     // less their radii; INFINITY if there are none, NAN if it was not measured
    pl_audit_pair nearest; // the faces that have it; of several, the first. -1 where there are none
} pl_audit_report;

// Audits the positions x (3*n_vert). The distance is computed in doubles (collision/README.md says
// how well), everything else is exact. Fails with PL_ERROR_NUMERICS if a position is not finite
// (named). That something intersects is no failure. Allocates only if there is something to list.
PL_API pl_status pl_audit_run(pl_audit *audit, const double *x, pl_audit_report *out);

// ---------------------------------------------------------------------------------------------
// Materials
// ---------------------------------------------------------------------------------------------

// Isotropic elastic energies, in terms of the principal stretches s, I1 = sum s^2,
// I2 = sum s_i^2 s_j^2 and J = s0 s1 s2. The formulas stand in fem/material_kernel.h.
typedef enum pl_material_kind {
    PL_MATERIAL_COROTATIONAL,    // linear elasticity in the rotated frame (Mueller & Gross)
    PL_MATERIAL_NEO_HOOKEAN,     // continued below stretch_limit, so that tets may invert
    PL_MATERIAL_FIXED_COROTATED, // co-rotational with (J - 1)^2 in place of the trace
    PL_MATERIAL_STVK,            // St. Venant-Kirchhoff: loses stiffness under strong compression
    PL_MATERIAL_MOONEY_RIVLIN,   // neo-Hookean with a share of I2, continued likewise
    // Stable neo-Hookean (Smith, de Goes & Kim): smooth everywhere, finds back from any inversion
    PL_MATERIAL_STABLE_NEO_HOOKEAN,
    // Ogden's with one exponent alpha, for tissue: 2 mu / alpha^2 sum (s^alpha - 1) - 2 mu / alpha
    // log J + lambda/2 (log J)^2, continued below stretch_limit
    PL_MATERIAL_OGDEN,
} pl_material_kind;

typedef struct pl_material_options {
    pl_material_kind kind;
    double young;             // Young's modulus E [Pa], > 0
    double poisson;           // Poisson's ratio nu, < 0.5 and >= 0; > -1 for co-rotational, StVK
    double density;           // [kg/m^3], > 0
    double mass_damping;      // alpha of Rayleigh damping alpha M + beta K [1/s], >= 0
    double stiffness_damping; // beta [s], >= 0
    double stretch_limit;     // neo-Hookean, Mooney-Rivlin, Ogden: their logarithm is continued
                              // linearly below this principal stretch, in [0, 1). 0: nowhere, and
                              // energy is infinite at zero volume. NAN: 0.05 in worlds whose steps
                              // are solved once (semi-implicit, vj19); else 0.001, with which no
                              // step inverts a tet, but states with inverted ones may be stuck
    double mooney_share;      // Mooney-Rivlin: c2 / (c1 + c2), in [0, 0.8] and at most
                         // nu / (1 - 2 nu), beyond which the rest shape is not the only minimum
    double ogden_exponent; // Ogden: alpha, from -50 to 50. 2 is neo-Hookean; tissue stiffens with
                           // 5 to 25 when stretched, with less than -2 more when pressed
} pl_material_options;

// Co-rotational, E = 5e5 Pa, nu = 0.2, 1,000 kg/m^3, no damping; stretch limit NAN (fem/README.md
// has what was measured), share 0.2, exponent 8.
PL_API pl_material_options pl_material_options_default(void);

// ---------------------------------------------------------------------------------------------
// Devices
// ---------------------------------------------------------------------------------------------

// What may do the heavy parts of contact problems in place of the CPU. Results are within the same
// tolerances, measured by the CPU, but not the same to the bit. Where a device fails or has not
// enough memory, the CPU goes on from the last good state, and a warning says so.
//
// A device is named "cpu", "cuda", "cuda:1", "opencl", "opencl:1" (without a number: the first), or
// "auto": the first of CUDA, else the first of OpenCL that is no CPU, else the CPU.
typedef struct pl_device_info {
    char name[16];    // by which it is chosen
    char model[128];  // of the device
    char driver[128]; // with its version
    int64_t memory;   // [bytes]; 0: not known
    int32_t units;    // multiprocessors, compute units, cores
    bool chosen;      // by "auto"
    char lacks[128];  // why it cannot be used, or "": it can
} pl_device_info;

// The name of a device as the library has it, which stays, whether there is one or not. Fails with
// PL_ERROR_ARGUMENT on any other text.
PL_API pl_status pl_device_find(const char *text, const char **name);

// The devices of this machine, the CPU first: at most `capacity` of them; returns how many there
// are. Kinds without a driver have none.
PL_API int32_t pl_device_list(int32_t capacity, pl_device_info *out);

// Why there is no device of a kind, "cuda" or "opencl": one sentence; NULL if there is one.
PL_API const char *pl_device_missing(const char *kind);

// ---------------------------------------------------------------------------------------------
// Worlds: bodies that move
// ---------------------------------------------------------------------------------------------

typedef struct pl_world pl_world;

typedef enum pl_integrator {
    PL_INTEGRATOR_SEMI_IMPLICIT, // backward Euler with one linear solve per step
    PL_INTEGRATOR_IMPLICIT,      // backward Euler, until forces balance at the end of the step:
                                 // Newton's method around the contact solve
    PL_INTEGRATOR_BDF2,          // second order in time, but first order for vertices and rigid
                                 // bodies in contact; iterates like auto
    PL_INTEGRATOR_AUTO,          // semi-implicit where that leaves forces nearly balanced, and goes
                                 // on from there like implicit where it does not
    PL_INTEGRATOR_STATIC,        // no inertia: each step goes to the equilibrium of the loads and
                                 // motions at its end, with contact and friction; fails if there is
                                 // none
} pl_integrator;

typedef struct pl_world_options {
    double dt;         // length of a time step [s], > 0
    double gravity[3]; // [m/s^2]
    pl_integrator integrator;
    double tolerance;        // relative residual |b - A v| / |b| of linear solves, in (0, 1)
    int32_t max_iterations;  // limit of iterations of one linear solve
    double newton_tolerance; // what the imbalance of forces at the end of a step may be: the
                             // energy that correcting it would have, relative to that of the
                             // step, as a square root; 0 to 1. 0: 0.1 with auto and bdf2, 1e-3
                             // with implicit and static
    int32_t max_newton;      // limit of Newton's iterations in a step, or a part of one, that is
                             // then halved
    double max_seconds;      // wall-clock limit of one step, which then fails [s]; 0: no limit.
                             // The result of a step that succeeds does not depend on it
    int32_t threads;         // number of threads, up to 256; 0: one per core

    bool contact;        // detect and resolve contact
    const char *solver;  // name of the contact solver; pl_solver_help lists them
    const char *precond; // preconditioner of "cr", "minres" and "gcr": "full", "diag", "schur" or
                         // "none"
    const char *friction_model; // "cone", or what takes its place in the contacts of a step:
                                // "diamond", "pyramid:N", "outer:N", "box", "box:N", "box:last",
                                // "box:follow". See docs/solvers.md. Not with vj19
    const char *device;         // that solvers "auto", "apg", "sp-direct" and "sp-schurpa" use,
                                // elements and surfaces; see pl_device_info: "cpu"
    bool rescue;                // if the solver fails, "auto" continues; false: the step fails
    double residual_tolerance;  // relative residual of the equations of motion with contact
                                // impulses, in (0, 1)
    double contact_tolerance;   // largest error of a contact (non-penetration, friction), as a
                                // displacement [m], > 0; a tenth of the contact distance is used
                                // where that is smaller
    double contact_distance;    // gap that contacts keep between surfaces [m], >= 0; 0: 0.003 times
                                // the mean edge length. See pl_surface_options
    int32_t contact_iterations; // limit of solver iterations for one contact problem
    int32_t rounds;             // limit of rounds of solving and continuous testing in one step
    int32_t halvings;           // how often a step that fails may be halved
    bool events;                // record contact events, for pl_world_contact_events
    bool vj19;                  // add, relinearize and remove contacts as printed in VJ19 (which
                                // need not terminate; more rounds help), and run the solver as
                                // printed where it differs; steps do not iterate. Not with
                                // PL_INTEGRATOR_IMPLICIT or _STATIC

    bool sleep;         // bodies at rest are not computed: see pl_world_awake. Not with vj19,
                        // nor with PL_INTEGRATOR_STATIC
    double sleep_speed; // a body whose points are all slower [m/s], > 0, ...
    double sleep_time;  // ... for so long [s], >= 0, and get no farther in that time than a tenth
                        // of the speed takes them, may fall asleep
} pl_world_options;

// dt 1e-3 s, gravity 9.81 m/s^2 along -z, auto; linear solves to 1e-8 in 10,000 iterations, 100
// iterations of Newton's method, at most 600 s per step. Contact by "auto", with rescue; cones;
// precond "full"; residual 1e-5, contacts 1e-6 m, 3,000 iterations, 8 rounds, 6 halvings; no
// events. No sleep; below 0.05 m/s for 0.5 s.
PL_API pl_world_options pl_world_options_default(void);

// Fails with PL_ERROR_ARGUMENT (the option is named) or PL_ERROR_MEMORY.
PL_API pl_status pl_world_create(const pl_world_options *options, pl_world **out);
PL_API void pl_world_destroy(pl_world *world);

// How a body touches others, and itself.
typedef struct pl_surface_options {
    double friction; // Coulomb's coefficient mu, >= 0; between two bodies it is sqrt(mu_a mu_b)
    // e of impacts, 0 to 1: they leave with e times the speed of the approach. Between two bodies
    // the larger one counts. 0 for deformable ones, which bounce by their elasticity.
    double restitution;
    double radius; // the surface is thickened by this distance [m], >= 0
    // The gap that contacts keep beyond the radius [m], >= 0; 0: the world's. Between two bodies
    // the smaller value is used, and at most half of their distance when they were added; for
    // self-contact at most half of the distance in the rest shape. The default is at most half of
    // the smallest thickness of the body. Contacts are solved to a tenth of it: a smaller one costs
    // more iterations.
    double contact_distance;
    bool self;         // self-contact of a deformable body
    uint32_t category; // bit set: bodies a and b can touch if category of a & mask of b
    uint32_t mask;     // and category of b & mask of a are both not 0
} pl_surface_options;

// Friction 0.5, restitution 0, radius 0, self; category 1, mask of all bits.
PL_API pl_surface_options pl_surface_options_default(void);

typedef enum pl_body_kind {
    PL_BODY_NONE = -1, // there is no such body
    PL_BODY_DEFORMABLE,
    PL_BODY_RIGID,
    PL_BODY_KINEMATIC,
} pl_body_kind;

typedef struct pl_deformable_options {
    pl_material_options material;
    double velocity[3];         // initial velocity of all vertices [m/s]
    double angular_velocity[3]; // initial angular velocity about the centre of mass [rad/s]
    pl_surface_options surface; // friction, thickness and filter of its contacts
} pl_deformable_options;

PL_API pl_deformable_options pl_deformable_options_default(void);

// Adds an elastic body whose rest shape is `mesh` (copied), at the place where the mesh lies; its
// mass is the density times pl_mesh_volume. *body receives its id: 0, 1, ... as long as no body is
// removed. A world that has stepped already takes a body too: the next step rebuilds its system and
// starts without the data of the last one (contact impulses, previous velocities of BDF2); it fails
// if the body overlaps another. Fails with PL_ERROR_GEOMETRY (no tets, a flat or inverted tet, a
// vertex without a tet; named), PL_ERROR_ARGUMENT (an option) or PL_ERROR_MEMORY.
PL_API pl_status pl_world_add_deformable(pl_world *world, const pl_mesh *mesh,
                                         const pl_deformable_options *options, int32_t *body);

// A rigid motion in time, which vertices can be made to follow: at time t
//   x = centre + R (x0 - centre) + offset,   R a turn by `angle` about `axis`,
// with offset = velocity s + the keys' offset, angle = rate s + the keys' angle at s, where
// s = t - start, kept within [0, end - start]. Keys are interpolated linearly; before the first and
// after the last the motion rests.
typedef struct pl_motion_key {
    double time;      // since `start` [s], rising from key to key
    double offset[3]; // [m]
    double angle;     // [rad]
} pl_motion_key;

// What a motion does when a condition holds. Its clock stands, runs backward (the way back to where
// it started, where it rests) or on.
typedef enum pl_motion_then {
    PL_MOTION_STOP,    // stand still
    PL_MOTION_REVERSE, // go the other way than before
    PL_MOTION_GO,      // go on, the way as before
} pl_motion_then;

// A condition: it holds as soon as one of the following does, at the end of a step.
typedef struct pl_motion_until {
    double time;  // so much has passed since the motion started, or the last condition held [s]
    double force; // contacts act on the kinematic body with this much in all, or whatever holds the
                  // driven vertices that follow the motion [N]
    double direction[3], level; // the mean of the vertices of `body` has got to x . direction >=
                                // level; no such condition if the direction is 0
    int32_t body;               // PL_WORLD: the body that moves, or has the vertices
    pl_motion_then then;
} pl_motion_until;

// Infinite time and force, no direction; stop.
PL_API pl_motion_until pl_motion_until_default(void);

typedef struct pl_motion {
    double start, end;        // [s]; from `end` on the vertices are free. end may be INFINITY
    double velocity[3];       // constant velocity of the offset [m/s]
    double centre[3];         // of the rotation [m]
    double axis[3];           // of the rotation, of any length; not used without rotation
    double rate;              // constant angular velocity [rad/s]
    const pl_motion_key *key; // (n_key) copied; may be NULL if n_key is 0
    int32_t n_key;
    // Conditions, one after the other: the second counts from when the first has held on, and so
    // on; once all have, nothing changes any more, or they begin anew. What has held so far is part
    // of a checkpoint.
    const pl_motion_until *until; // (n_until) copied; may be NULL if n_until is 0
    int32_t n_until;
    bool repeat;
} pl_motion;

// At rest for ever.
PL_API pl_motion pl_motion_default(void);

typedef struct pl_rigid_options {
    double density;             // [kg/m^3], > 0; not used if mass > 0
    double mass;                // total mass [kg]; 0: from the density
    double damping;             // mass-proportional damping of both velocities [1/s], >= 0
    double velocity[3];         // initial velocity of the centre of mass [m/s]
    double angular_velocity[3]; // initial angular velocity [rad/s]
    pl_surface_options surface; // friction, thickness and filter of its contacts
    // What touches, and weighs, in place of the mesh: see pl_shape. Shapes of one body may overlap,
    // and do not touch each other. A mass above 0 is that of all, spread by their densities.
    const pl_shape *shape; // (n_shape) copied
    int32_t n_shape;       // 0: the mesh is the body
} pl_rigid_options;

// 1,000 kg/m^3, at rest, no damping, no shapes.
PL_API pl_rigid_options pl_rigid_options_default(void);

// Adds a body that keeps its shape: the solid that the tets of `mesh` fill or its closed faces
// enclose. Fails like pl_world_add_deformable, with PL_ERROR_GEOMETRY if that is no solid.
// With shapes, the mesh is only drawn and may be any; NULL is pl_shapes_mesh. Behind its vertices
// the body then has those of its contacts, which contact points and forces name: a sphere's centre,
// the ends of a capsule's axis.
PL_API pl_status pl_world_add_rigid(pl_world *world, const pl_mesh *mesh,
                                    const pl_rigid_options *options, int32_t *body);

typedef struct pl_kinematic_options {
    pl_motion motion; // its prescribed motion; it rests from `end` on. The default is a static body
    pl_surface_options surface;
    const pl_shape *shape; // (n_shape) what touches in place of the mesh, as in pl_rigid_options
    int32_t n_shape;
} pl_kinematic_options;

PL_API pl_kinematic_options pl_kinematic_options_default(void);

// Adds a body with a prescribed motion, which no force changes: floors, walls, tools. Its surface
// may be open.
PL_API pl_status pl_world_add_kinematic(pl_world *world, const pl_mesh *mesh,
                                        const pl_kinematic_options *options, int32_t *body);

// Removes a body, with its forces, springs and user data. The next step rebuilds its system, as
// after adding one. Ids are not reused: the id of a removed body stays invalid, although another
// body may take its place (see pl_world_body_at).
PL_API pl_status pl_world_remove(pl_world *world, int32_t body);

// Makes `vertex` (n; indices of the body's mesh) follow `motion` (NULL: they stay where they are)
// from its start to its end; x0 are their positions at the time of this call. A vertex follows the
// motion that was given last. Fails with PL_ERROR_ARGUMENT on an index out of range (named), a bad
// motion, or a body that does not exist.
PL_API pl_status pl_world_drive(pl_world *world, int32_t body, int32_t n, const int32_t *vertex,
                                const pl_motion *motion);

// Sets the external forces on a body's vertices, force (3*n_vert) [N], kept until set again;
// gravity is added by the world. NULL removes them.
PL_API pl_status pl_world_set_forces(pl_world *world, int32_t body, const double *force);

// A damped spring between a vertex of a body and a fixed target, for dragging bodies.
typedef struct pl_pull {
    int32_t vertex;   // index in the body's mesh
    double target[3]; // where the spring is fixed [m]
    double stiffness; // [N/m], >= 0
    double damping;   // coefficient of the vertex's velocity [N s/m], >= 0
} pl_pull;

// Replaces the springs of a deformable or rigid body by these n; 0 removes them. They are
// integrated implicitly, so that any stiffness is stable, and contacts resist them. Like external
// forces they are not part of a checkpoint.
// Fails with PL_ERROR_ARGUMENT on a number out of range or a kinematic body.
PL_API pl_status pl_world_pull(pl_world *world, int32_t body, int32_t n, const pl_pull *pull);

// The friction of a body's surface from now on, see pl_surface_options; PL_ERROR_ARGUMENT if it is
// not 0 or above.
PL_API pl_status pl_world_set_friction(pl_world *world, int32_t body, double friction);

// The friction between two bodies from now on, in place of what their surfaces (and shapes) say; of
// a body with itself if a = b. NAN: as the surfaces say again. PL_ERROR_ARGUMENT if it is below 0.
PL_API pl_status pl_world_set_friction_pair(pl_world *world, int32_t a, int32_t b, double friction);

// A pointer of the program's own, which the world keeps and never looks at; NULL at first.
PL_API pl_status pl_world_set_user_data(pl_world *world, int32_t body, void *user);
PL_API void *pl_world_user_data(const pl_world *world, int32_t body);

// Sets the name of a body in errors and warnings, in place of "body 3"; its first 47 bytes are
// used. NULL removes it.
PL_API pl_status pl_world_set_name(pl_world *world, int32_t body, const char *name);

// Writes that name, or "body 3", to `buffer`; returns the length like pl_mesh_quality_text.
PL_API size_t pl_world_name(const pl_world *world, int32_t body, char *buffer, size_t size);

// --- State ---

// An invalid id has the kind PL_BODY_NONE, 0 vertices, and NULL for arrays.
//
// Bodies are kept in places 0 .. count - 1, in the order in which they were added; the place of a
// removed body is empty until another one is added.
PL_API int32_t pl_world_body_count(const pl_world *world);
// The id of the body in a place; -1 if the place is empty.
PL_API int32_t pl_world_body_at(const pl_world *world, int32_t place);
PL_API pl_body_kind pl_world_kind(const pl_world *world, int32_t body);
PL_API int32_t pl_world_vertex_count(const pl_world *world, int32_t body);
PL_API double pl_world_time(const pl_world *world);   // [s]
PL_API int64_t pl_world_steps(const pl_world *world); // number of steps since the start
// Of the vertices of a body (3*n_vert), in the order of its mesh; valid until the next step.
PL_API const double *pl_world_positions(const pl_world *world, int32_t body);  // [m]
PL_API const double *pl_world_velocities(const pl_world *world, int32_t body); // [m/s]

// Mass, pose and velocities of a rigid body.
typedef struct pl_frame {
    double mass;           // [kg]
    double centre[3];      // centre of mass [m]
    double orientation[4]; // rotation from the mesh as it was added: unit quaternion, real part
                           // first
    double velocity[3];    // of the centre of mass [m/s]
    double angular_velocity[3]; // [rad/s]
} pl_frame;

// Fails with PL_ERROR_ARGUMENT if the body is not rigid.
PL_API pl_status pl_world_frame(const pl_world *world, int32_t body, pl_frame *out);

// Sets the pose and the velocities of a rigid body; its mass stays. The next step fails if it
// overlaps another body there. Fails with PL_ERROR_ARGUMENT, naming the field.
PL_API pl_status pl_world_set_frame(pl_world *world, int32_t body, const pl_frame *frame);

// The rest shape of a body: its mesh as it was added.
PL_API const pl_mesh *pl_world_mesh(const pl_world *world, int32_t body);
// Overwrites positions and velocities of a deformable body (3*n_vert each; NULL leaves them).
// PL_ERROR_ARGUMENT if a number is not finite.
PL_API pl_status pl_world_set_state(pl_world *world, int32_t body, const double *x,
                                    const double *v);
// Cauchy stress per tet: von Mises (n_tet) and the principal stresses, the largest first (3*n_tet)
// [Pa]; either may be NULL.
PL_API pl_status pl_world_stress(pl_world *world, int32_t body, double *von_mises,
                                 double *principal);

typedef struct pl_energy {
    double kinetic, elastic;    // [J]
    double gravity;             // potential energy of gravity, 0 at the origin [J]
    double momentum[3];         // linear momentum [kg m/s]
    double angular_momentum[3]; // angular momentum about the origin [kg m^2/s]
} pl_energy;

// Energies and momenta of all bodies in the current state.
PL_API pl_status pl_world_energy(pl_world *world, pl_energy *out);

// A 64-bit hash of positions, velocities and time: it changes if any bit of them does.
PL_API uint64_t pl_world_hash(const pl_world *world);

// --- Stepping ---

// Statistics of one step.
typedef struct pl_step_stats {
    int64_t step;             // number of the step, from 1
    double time;              // simulated time at its end [s]
    double dt;                // its length [s]
    int32_t bodies;           // number of bodies
    int32_t contacts;         // contacts that carry a force
    int32_t constraints;      // constraints of the contact problem
    int32_t iterations;       // of the linear or contact solver, over all rounds
    int32_t newton;           // iterations of Newton's method: matrices and directions, over all
                              // parts and rounds; 0 with semi-implicit
    int32_t relinearizations; // rounds after which the continuous test added constraints
    int32_t state_changes;    // switches of contacts between open, stick and slip in the solver
    double t_fem;             // wall-clock time of assembly [s]
    double t_collision;       // wall-clock time of collision detection [s]
    double t_solve;           // wall-clock time of solving [s]
    double t_total;           // wall-clock time of the whole step [s]
    int32_t rounds;           // rounds of solving and continuous testing
    int32_t halvings;         // how often the step, or a part of it, was halved
    int32_t rescues;          // solves in which "auto" replaced the chosen solver, which had failed
    int32_t loose;            // solves with errors above contact_tolerance that are a small part of
                              // what moves in the step: of hits through many rigid bodies
    int32_t asleep;           // bodies that sleep at the end, see pl_world_awake
    double residual;          // relative residual of the solve
    double constraint_error;  // largest error of non-penetration over all contacts [m]
    double fb_error;          // largest Fischer-Burmeister error over all contacts [m]
    double friction_error;    // largest error of friction over all contacts [m]
    double min_gap;           // smallest distance of nearby surfaces at the end [m]; INFINITY: none
    double fb_normal;         // part of fb_error from non-penetration [m]
    double fb_stick;          // part of fb_error from static friction [m]
    double fb_slip;           // part of fb_error from kinetic friction [m]
    double joint_gap;         // most by which a held coordinate of a joint is off [m]
    double joint_angle;       // the same of angles [rad]
    int32_t inverted;         // tets that are flat or inverted at the end
    double kinetic_energy;    // at the end [J]
    double elastic_energy;    // at the end [J]
    double gravity_energy;    // potential energy of gravity at the end, 0 at the origin [J]
    double v_rms;             // mass-weighted root mean square of the velocities at the end [m/s]
    double work;              // work of kinematic bodies, driven vertices and motors on all others
                              // [J]
    uint64_t hash;            // pl_world_hash at the end
    // With work they say where the energy came from and went to [J]: kinetic + elastic + gravity
    // energy has grown by work + load_work - friction_loss - damping_loss - numerical_loss.
    double load_work;      // work of forces that were set, and of pulls
    double friction_loss;  // taken by friction
    double damping_loss;   // taken by damping of materials and rigid bodies
    double numerical_loss; // taken by the rest: the integrator, impacts; and in springs and
                           // dampers of joints
    double imbalance;      // of forces at the end, as newton_tolerance has it; 0: not looked at
} pl_step_stats;

// Prepares the next step: builds the system, which may take long, and with contact tests that no
// bodies intersect. Otherwise the first step after a change of the bodies does it. Fails as that
// step would; the step then tries again.
PL_API pl_status pl_world_prepare(pl_world *world);

// Advances the world by dt. stats may be NULL. The log gets a warning, once in the life of a world
// each, if a material is far too soft or stiff for the size of its body, if tets are inverted, and
// if a body falls below all others without anything to stop it. On failure (PL_ERROR_GEOMETRY or
// PL_ERROR_MEMORY when the first step builds its system, with contact also if bodies intersect at
// the start, PL_ERROR_NUMERICS when a solve does not converge or a number overflows, PL_ERROR_TIME
// when max_seconds pass) the state is that of before the step.
PL_API pl_status pl_world_step(pl_world *world, pl_step_stats *stats);

// Sets the options solver and precond ("full" by default) for the steps that follow.
// PL_ERROR_ARGUMENT if a name is NULL or not known, or if the world has no contact.
PL_API pl_status pl_world_set_solver(pl_world *world, const char *solver, const char *precond);

// Changes between steps; all fail with PL_ERROR_ARGUMENT on a number out of its range or a body of
// another kind.
//
// Gravity [m/s^2] and the length of a step [s], from the next step on.
PL_API pl_status pl_world_set_gravity(pl_world *world, const double gravity[3]);
PL_API pl_status pl_world_set_dt(pl_world *world, double dt);
// The current options; NULL for no world.
PL_API const pl_world_options *pl_world_get_options(const pl_world *world);
// The material of a deformable body; the next step rebuilds its system, as after adding a body.
PL_API pl_status pl_world_set_material(pl_world *world, int32_t body,
                                       const pl_material_options *material);
// The damping of a rigid body, see pl_rigid_options.
PL_API pl_status pl_world_set_damping(pl_world *world, int32_t body, double damping);
// An external force on the centre of mass of a rigid body [N] and a torque [N m], kept until set
// again; NULL is none. Gravity is added by the world. They are not part of a checkpoint.
PL_API pl_status pl_world_set_force(pl_world *world, int32_t body, const double force[3],
                                    const double torque[3]);
// Changes the velocities of a rigid body at once by an impulse [N s] at a point (3) [m]; NULL: at
// its centre.
PL_API pl_status pl_world_apply_impulse(pl_world *world, int32_t body, const double impulse[3],
                                        const double *point);
// Moves a kinematic body to a new pose within the next step, in place of its motion: a point x0 of
// its mesh goes to position + R x0, R the rotation of a unit quaternion (real part first), with the
// shortest rotation. It then rests until it is moved again. Bodies that it pushes get the velocity
// of this motion.
PL_API pl_status pl_world_move_to(pl_world *world, int32_t body, const double position[3],
                                  const double orientation[4]);

// --- Joints ---

// A joint ties body b to body a. Each has a frame of the joint: a point, and the axes x, y and z.
// They are given in the world, for the bodies where they are when the joint is added, and move with
// the bodies from then on. A joint has six coordinates, of the frame of b as seen from that of a:
//
//     0, 1, 2   place of b's point along a's x, y and z [m]
//     3         twist about x [rad], which counts whole turns
//     4, 5      swing about y and z [rad]: the rotation without its twist
//
// A universal joint has the angles of its cross instead: 4 about a's y, 5 about b's z, whole turns
// counted, and 3 about the third axis, which is held. A distance joint has one coordinate, 0: the
// distance of its points [m].
typedef enum pl_joint_kind {
    PL_JOINT_SIX_DOF,     // all coordinates are free, until you say otherwise
    PL_JOINT_BALL,        // 0, 1, 2 are held
    PL_JOINT_HINGE,       // all but the twist about x are held
    PL_JOINT_SLIDER,      // all but the place along x
    PL_JOINT_CYLINDRICAL, // all but place and twist along x
    PL_JOINT_PLANAR,      // b stays in the plane across x: 1, 2 and 3 are free
    PL_JOINT_UNIVERSAL,   // a cross of two axes: 4 and 5 are free
    PL_JOINT_FIXED,       // all are held
    PL_JOINT_DISTANCE,    // a rod; a rope if its axis[0].lo is 0
} pl_joint_kind;

#define PL_JOINT_AXES 6

typedef enum pl_motor_mode {
    PL_MOTOR_OFF,
    PL_MOTOR_VELOCITY, // `target` is a rate [m/s, rad/s]; 0 is a brake, or dry friction
    PL_MOTOR_POSITION, // `target` is a coordinate [m, rad]
    PL_MOTOR_FORCE,    // `target` is a force or torque [N, N m]
} pl_motor_mode;

// What drives a coordinate.
typedef struct pl_motor {
    pl_motor_mode mode;
    double target;
    double max_force; // the most it can give [N, N m], >= 0
    double max_speed; // of a position: the fastest it goes there [m/s, rad/s], > 0
    double stiffness; // of a position: that of a servo [N/m, N m/rad]; 0: it goes there by the end
    double damping;   // of the step, as far as the others let it; [N s/m, N m s/rad]
} pl_motor;

// Off; infinitely strong and fast, and stiff.
PL_API pl_motor pl_motor_default(void);

// One coordinate of a joint.
typedef struct pl_joint_axis {
    double lo, hi;         // its range [m, rad]: it is held if they are equal, and free where
                           // they are infinite
    double stiffness;      // of the ends of the range, or of what holds it [N/m, N m/rad]
    double damping;        // likewise [N s/m, N m s/rad]; with both 0 they are hard
    double spring;         // of a spring [N/m, N m/rad], >= 0
    double spring_damping; // of a damper beside it [N s/m, N m s/rad], >= 0
    double rest;           // where the spring is at rest [m, rad]
    const double *curve;   // (2*n_curve) in place of the spring: pairs of coordinate - rest and
    int32_t n_curve;       // force against it, the first rising; continued straight. Copied
    pl_motor motor;
} pl_joint_axis;

typedef struct pl_joint_options {
    pl_joint_kind kind;
    int32_t body_a, body_b; // ids; PL_WORLD is the world itself
    double point_a[3];      // [m]
    double point_b[3];      // [m]; NAN: the same as point_a
    double axis[3];         // x of the frames, of any length but 0
    double side[3];         // y of the frames, as far as it is across x; NAN: any
    // Of a deformable body: the vertices within this distance of the point carry the joint
    // together, and turn its frame [m]. 0: the point itself does, which turns nothing: enough for
    // ball and distance joints.
    double patch_a, patch_b;
    pl_joint_axis axes[PL_JOINT_AXES];
    double swing;        // the most that x of b may be inclined to x of a [rad]; INFINITY: any
    double break_force;  // it breaks if it bears more than this at b's point [N] ...
    double break_torque; // ... or about it [N m]
    bool collide;        // bodies a and b can touch each other
} pl_joint_options;

#define PL_WORLD (-1)

// Hard, without springs and motors, unbreakable; between the world and the world, at the origin,
// along z. The range of a distance is that of its points when it is added (NAN).
PL_API pl_joint_options pl_joint_options_default(pl_joint_kind kind);

// Adds a joint; *joint receives its id. Its coordinates are those that the frames have at that
// moment: 0 if both have the same point. A held coordinate that is elsewhere is drawn into its
// range by the next step. Not with PL_INTEGRATOR_IMPLICIT. Fails with PL_ERROR_ARGUMENT, naming the
// field: a body with itself, two that both cannot move, a distance of 0, a range from high to low,
// a frame that a deformable body cannot turn (patch).
PL_API pl_status pl_world_add_joint(pl_world *world, const pl_joint_options *options,
                                    int32_t *joint);

// Removes a joint, and the couplings that it is part of. Joints of a body that is removed go with
// it.
PL_API pl_status pl_world_remove_joint(pl_world *world, int32_t joint);

// Joints have the ids 0 .. count - 1 in the order in which they were added; those of removed ones
// are not used again.
PL_API int32_t pl_world_joint_count(const pl_world *world);

// Is there such a joint, and is it not broken?
PL_API bool pl_world_joint_holds(const pl_world *world, int32_t joint);

// Changes a coordinate, from the next step on; its motor alone; its range alone. Not part of a
// checkpoint. Fail with PL_ERROR_ARGUMENT.
PL_API pl_status pl_world_set_joint_axis(pl_world *world, int32_t joint, int32_t axis,
                                         const pl_joint_axis *options);
PL_API pl_status pl_world_set_motor(pl_world *world, int32_t joint, int32_t axis,
                                    const pl_motor *motor);
PL_API pl_status pl_world_set_range(pl_world *world, int32_t joint, int32_t axis, double lo,
                                    double hi);

// Where a joint is, and what it bore in the last step.
typedef struct pl_joint_state {
    pl_joint_kind kind;
    int32_t body_a, body_b; // ids, or PL_WORLD
    bool broken;
    double position[PL_JOINT_AXES]; // its coordinates [m, rad]
    double rate[PL_JOINT_AXES];     // their mean rates in the last step [m/s, rad/s]
    double force[3], torque[3];     // on b, at and about its point [N, N m]
    double motor[PL_JOINT_AXES];    // of that, by motors, along the coordinates [N, N m]
    double point_a[3], point_b[3];  // where the two points are [m]
    double axes[9];                 // a's x, y and z, one after another
    double gap, angle;              // the most by which a held coordinate is off [m], [rad]
} pl_joint_state;

PL_API pl_status pl_world_joint_state(const pl_world *world, int32_t joint, pl_joint_state *out);

// Ties coordinates of up to four joints to each other: the sum of ratio times coordinate stays
// within lo and hi of what it was when the coupling was added. With lo = hi = 0:
//
//     gears        twists of two hinges, ratios 1 and the number of teeth b / a (negative: inner)
//     rack         the twist of a hinge by the radius, and a slider by -1
//     screw        the twist of a cylindrical joint by pitch / 2 pi, and its place by -1
//     differential twists of two shafts by 1, and of the cage by -2
//     pulley       two distances, by 1 and the number of falls; with lo = -INFINITY they may be
//     slack
typedef struct pl_coupling_options {
    int32_t n;
    int32_t joint[4], axis[4];
    double ratio[4];
    double lo, hi;             // [as the sum]
    double stiffness, damping; // as in pl_joint_axis
} pl_coupling_options;

PL_API pl_coupling_options pl_coupling_options_default(void); // of nothing, hard, 0 to 0

// Fails with PL_ERROR_ARGUMENT, naming the field. *coupling receives its id.
PL_API pl_status pl_world_add_coupling(pl_world *world, const pl_coupling_options *options,
                                       int32_t *coupling);
PL_API pl_status pl_world_remove_coupling(pl_world *world, int32_t coupling);

// Joints that broke in the last step: (*n) of them, valid until the next; NULL if there are none.
typedef struct pl_joint_event {
    int32_t joint;
    double force, torque; // that it bore then [N, N m]
} pl_joint_event;

PL_API const pl_joint_event *pl_world_joint_events(const pl_world *world, int32_t *n);

// --- Sleep ---

// With the option `sleep`, bodies that have come to rest fall asleep, which makes their steps
// nearly free. Bodies that press on each other sleep and wake together: all of them have to be at
// rest, as sleep_speed and sleep_time say. Kinematic bodies do not sleep, and connect nobody; one
// that moves keeps awake what it presses on.
//
// A body that sleeps has velocities of 0 and stays where it is, whatever gravity and forces say;
// others still cannot pass through it. What pressed on it when it fell asleep stays among the
// contacts, with the same forces: the floor below a stack that sleeps still bears its weight.
//
// It wakes within the step in which an awake body presses on it, a kinematic body or a driven
// vertex that moves comes near, what it rests on moves away, or its own driven vertices move. It
// wakes at once if it is given another state, force, pull, motion, material, damping or friction or
// an impulse, if a body that it touches is removed, and if gravity or dt change. Setting a force,
// gravity or dt to what it is already wakes nobody.
//
// Is there such a body, and is it not asleep?
PL_API bool pl_world_awake(const pl_world *world, int32_t body);

// Wakes a body and all that sleep with it, or sets it to sleep, at rest where it is, with all that
// it is in contact with, until something wakes it. Fails with PL_ERROR_ARGUMENT if it is kinematic
// or if it is to sleep in a world without the option.
PL_API pl_status pl_world_set_awake(pl_world *world, int32_t body, bool awake);

// --- Limits ---

// Sets the option max_seconds for the steps that follow. PL_ERROR_ARGUMENT if it is negative.
PL_API pl_status pl_world_set_max_seconds(pl_world *world, double seconds);

// Sets the option threads. Fails with PL_ERROR_ARGUMENT.
PL_API pl_status pl_world_set_threads(pl_world *world, int32_t threads);

// --- Contacts ---

// A contact of the last step. Two features that touch may have several.
typedef struct pl_contact_point {
    int32_t body_a, body_b; // ids of the bodies; equal for self-contact
    double point[3];        // midpoint of the closest points, at the end of the step [m]
    double normal[3];       // unit vector, from b to a
    double gap;             // distance of the surfaces there, less their radii [m]
    double force;           // normal force, >= 0 [N]
    double friction[3];     // friction force on a [N]
    bool slips;             // slips: friction is at its limit mu force. Else it sticks
    int32_t n_a;            // number of vertices below that belong to body a: 1 or 2
    int32_t vertex[4]; // of the two features, as indices in the meshes of their bodies; -1: none
    double weight[4];  // barycentric weights of the closest points, negative for b: the force on
                       // a vertex is weight (force normal + friction)
} pl_contact_point;

// The contacts of the last step that carry a force, in the order of their features, and behind
// them those that bodies fell asleep with; (*n) of them,
// valid until the next step. NULL if there are none; n may be NULL.
PL_API const pl_contact_point *pl_world_contacts(const pl_world *world, int32_t *n);

// The contacts of a body: their indices (capacity) in the array above; *n receives their number,
// also if it is larger than the capacity.
PL_API pl_status pl_world_body_contacts(const pl_world *world, int32_t body, int32_t capacity,
                                        int32_t *index, int32_t *n);

typedef enum pl_contact_event_kind {
    PL_CONTACT_BEGIN, // contact force in this step, none in the step before
    PL_CONTACT_STAY,  // contact force in both steps
    PL_CONTACT_END,   // contact force in the step before, none in this step
} pl_contact_event_kind;

typedef struct pl_contact_event {
    pl_contact_event_kind kind;
    int32_t body_a, body_b; // ids, a <= b; equal for self-contact
    double impulse; // sum of the normal impulses of all their contacts in the step; 0 for END [N s]
    double point[3]; // mean contact point, weighted by force; for END, that of the step before [m]
} pl_contact_event;

// The contact events of the last step, sorted by the ids of both bodies: (*n) events, valid until
// the next step; NULL if there are none. Recorded only with the option `events`. Of a step that was
// halved, those of its last part. An impact takes up to two steps: the first brings the bodies
// into contact, the second stops them. To find hard impacts, select events by their impulse.
PL_API const pl_contact_event *pl_world_contact_events(const pl_world *world, int32_t *n);

// --- Forces ---

// The forces of contacts on the vertices of a body in the last step, force (3*n_vert) [N]; and as
// tractions on the faces of its surface (see pl_mesh_surface), traction (3*n_face) [Pa]: a vertex
// has its force over a third of the area around it, a face the mean of its corners'. The sum over
// faces of traction times area is that of the forces. Of a body with shapes, forces act on the
// vertices of what touches, and no face has any.
PL_API pl_status pl_world_contact_forces(const pl_world *world, int32_t body, double *force);
PL_API pl_status pl_world_contact_traction(const pl_world *world, int32_t body, double *traction);

// The resultant of contact forces on a body.
typedef struct pl_resultant {
    double force[3];  // total force on the body [N]
    double torque[3]; // total torque about the origin [N m]
    double pressing;  // sum of the normal forces [N]
    double centre[3]; // centre of pressure: mean contact point, weighted by normal force; 0 if
                      // there is none [m]
    int32_t contacts; // number of contacts
} pl_resultant;

// Of the contacts with the body `other`, or with all others (-1). Self-contact does not count.
PL_API pl_status pl_world_resultant(const pl_world *world, int32_t body, int32_t other,
                                    pl_resultant *out);

// Cauchy's stress of a deformable body as xx, yy, zz, xy, yz, zx [Pa]: of its tets (6*n_tet), and
// of its vertices (6*n_vert), the mean of their tets by volume; either may be NULL. pl_world_stress
// has the principal ones.
PL_API pl_status pl_world_stress_tensor(pl_world *world, int32_t body, double *tet, double *vertex);

// Audits the current state, as pl_audit_run does but without the distance: bodies are those of the
// world, faces those of their surfaces (see pl_mesh_surface), vertices those of their meshes. Those
// of a body with shapes are what touches: of each shape in turn its faces, edges and points. Pairs
// without contact are not tested: bodies that ignore each other by their options or by
// pl_world_ignore, two kinematic bodies, and bodies without self-contact with themselves. The
// arrays live until the next audit.
PL_API pl_status pl_world_audit(pl_world *world, pl_audit_report *out);

// The vertices of a face that an audit of the world has named; -1 each if there was no audit or has
// no such face, and for those that an edge or a point does not have.
PL_API void pl_world_audit_face(const pl_world *world, int32_t body, int32_t face,
                                int32_t vertex[3]);

// Frees the memory that audits keep for the next one; reports are no longer valid.
PL_API void pl_world_end_audits(pl_world *world);

// Advice on how to separate two bodies that overlap, as a clause of a sentence in `buffer`:
// "move body 2 by (0, 0, 0.103) m", the shortest translation that separates convex bodies, with a
// margin (others may need less). It moves a free body rather than a kinematic one, and the smaller
// rather than the larger. For a body that intersects itself (a = b), other advice. Returns the
// length like pl_mesh_quality_text.
PL_API size_t pl_world_way_out(const pl_world *world, int32_t a, int32_t b, char *buffer,
                               size_t size);

// The smallest distance between bodies that can touch, in the current state, less their radii [m];
// INFINITY if no two can, 0 if bodies intersect.
PL_API pl_status pl_world_measure_gap(const pl_world *world, double *gap);

// Writes the contact problem that the last step solved, or failed to solve, for `pliant solve`.
// Fails with PL_ERROR_ARGUMENT if there was none, or PL_ERROR_FILE.
PL_API pl_status pl_world_save_problem(const pl_world *world, const char *path);

// Two bodies pass through each other from now on; before the first step.
PL_API pl_status pl_world_ignore(pl_world *world, int32_t a, int32_t b);

// --- Queries ---

// A point of a body's surface. Where nothing was found, body, face and vertices are -1, the
// distance is INFINITY, and all else is 0.
typedef struct pl_ray_hit {
    int32_t body;
    int32_t face;      // of its surface, as pl_mesh_surface numbers them
    int32_t vertex[3]; // of that face, as indices in the mesh of the body
    double weight[3];  // barycentric coordinates of the point: >= 0, sum 1
    double point[3];   // [m]
    double normal[3];  // unit vector, out of the body; 0 if the face has no area
    double distance;   // from the origin of the ray, or from the point that was asked for [m]
} pl_ray_hit;

typedef pl_ray_hit pl_closest_hit;

// Queries use the current positions, and see the faces of meshes, without the radius of surfaces:
// of a body with shapes what is drawn of it, a sphere as a polyhedron inside of it with its
// `segments`. They consider only bodies
// whose category (see pl_surface_options) has a bit in `mask`; ~0u is all. The first query after a
// change of the state updates a bounding volume hierarchy, which the world keeps.
// They fail with PL_ERROR_ARGUMENT if a number is not finite (max_distance may be INFINITY) or out
// of its range.
//
// The first face that a ray meets, no farther than max_distance (>= 0) [m]. The direction may have
// any length but 0. Faces are hit from both sides: where normal . direction > 0, the ray leaves the
// body. No ray passes between two faces that share an edge.
PL_API pl_status pl_world_ray(pl_world *world, const double origin[3], const double direction[3],
                              double max_distance, uint32_t mask, pl_ray_hit *out);

// The point of all surfaces that is nearest to `point`, no farther than max_distance (>= 0) [m].
PL_API pl_status pl_world_closest(pl_world *world, const double point[3], double max_distance,
                                  uint32_t mask, pl_closest_hit *out);

// The bodies that have a face in the box from `lo` to `hi` (lo <= hi), wholly or in part, touching
// included. A body that holds the whole box in its inside has none. *n receives how many there are;
// the ids of the first `capacity` of them go to `body` in the order of places, which may be NULL if
// capacity is 0.
PL_API pl_status pl_world_overlap(pl_world *world, const double lo[3], const double hi[3],
                                  uint32_t mask, int32_t capacity, int32_t *body, int32_t *n);

// --- Solvers of contact problems ---

// The names of the solvers, one per line with what they guarantee, as text in `buffer`; returns the
// length like pl_mesh_quality_text.
PL_API size_t pl_solver_help(char *buffer, size_t size);

// The parameters of solvers that work row by row, one per line with which solvers have it,
// likewise.
PL_API size_t pl_complementarity_parameter_help(char *buffer, size_t size);
// Is a text of `parameters` right? Fails with PL_ERROR_ARGUMENT, and says what there is.
PL_API pl_status pl_complementarity_parameters_check(const char *parameters);

// The solvers to go through: solver 0, 1, ... The texts live as long as the program.
typedef struct pl_solver_info {
    const char *name;      // for the option `solver`
    const char *guarantee; // one line for a person who chooses
    const char *paper;     // where it is from
    bool has_precond;      // the option `precond` makes a difference to it
    bool reduced;          // it works on W = L A^-1 L^T + E, see pl_problem
    bool scalar;           // and on that row by row, as a linear complementarity problem
    bool cones;            // it knows Coulomb's friction
    bool boxes;            // it knows joints, motors and limits
    bool pyramids;         // it knows friction in a pyramid
    bool diamonds;         // it knows the diamond, which is the pyramid of pyramid:4
    bool following;        // it knows "box:follow", which is the pyramid of outer:4
    bool compliance;       // it knows soft constraints
    bool own;              // it is a program's: pl_solver_register
} pl_solver_info;

PL_API int32_t pl_solver_count(void);
// Fails with PL_ERROR_ARGUMENT if there is no such solver.
PL_API pl_status pl_solver_describe(int32_t solver, pl_solver_info *out);
// The number of the solver with this name. Fails with PL_ERROR_ARGUMENT if there is none, and
// suggests the nearest.
PL_API pl_status pl_solver_number(const char *name, int32_t *out);

// The names that the option `precond` can have; NULL if there is no such number. They live as long
// as the program.
PL_API int32_t pl_precond_count(void);
PL_API const char *pl_precond_name(int32_t precond);
// Fails like pl_solver_number.
PL_API pl_status pl_precond_number(const char *name, int32_t *out);

// *name := the friction model of this text ("cone", "box:3", ..., see pl_world_options), as a text
// that lives as long as the program. Fails with PL_ERROR_ARGUMENT if there is none, and lists them.
PL_API pl_status pl_friction_model_find(const char *text, const char **name);

// --- Problems ---

// What a step solves, as an object of its own: out of a world or a file, or built by a program.
// Unknown are the velocities v, in blocks of three (of a vertex; the linear and the angular
// velocity of a rigid body), and the impulses f, three for each constraint, along its axes:
//
//     A v = b + L^T f              in the blocks whose velocity is not prescribed
//     w = L v - c + E f            obeys, with f, the law of each constraint
//
// with the symmetric matrix A [kg], the rows L of the constraints and their compliance E, which is
// diagonal. docs/step.md tells where these come from.
typedef struct pl_problem pl_problem;

typedef enum pl_law {
    PL_LAW_CONE, // a contact: w_n >= 0, f_n >= 0, w_n f_n = 0; |f_t| <= mu f_n, and
                 // f_t = -mu f_n w_t / |w_t| where it slips
    PL_LAW_BOX,  // lo <= f <= hi in each row: w = 0 between the bounds, w >= 0 at lo, w <= 0 at hi
    PL_LAW_PYRAMID, // as a cone, with f_t in a regular polygon of the size mu f_n, where it does
                    // the most work against w_t
} pl_law;

// What a block adds to the relative velocity of a constraint: w v + v x r. A linear velocity has
// the weight w and r = 0; an angular one w = 0 and as r the lever arm from the centre of mass, or a
// weight if the turning itself is constrained. What pulls the other way has both negative.
typedef struct pl_term {
    int32_t block;
    double w;    // []
    double r[3]; // [m]
} pl_term;

typedef struct pl_constraint_info {
    pl_law law;
    double axes[9]; // three orthonormal vectors, one after another; of a contact normal, tangents
    double c[3];    // the relative velocity that is asked for along them [m/s]
    double mu;      // of a contact: the coefficient of friction, >= 0
    double compliance[3]; // E of each row, >= 0 [1/kg]; the same for both tangents of a contact
    double lo[3], hi[3];  // of a box [N s]: may be infinite; lo = hi = 0 is a row that is not used
    int32_t directions;   // of a pyramid: an even number from 4 to 64, the first along a tangent
    bool outer; // of a pyramid: the sides of its polygon are at the directions, not its corners
} pl_constraint_info;

typedef struct pl_problem_size {
    int32_t blocks;        // of v, which has 3 numbers for each
    int32_t constraints;   // f has 3 numbers for each
    int64_t unknowns;      // numbers of v that are not prescribed
    int64_t matrix_blocks; // 3x3 blocks of A that are stored, both triangles
    int64_t row_blocks;    // and of L
    double dt;             // step [s]; turns velocities into the displacements that errors are in
} pl_problem_size;

// Copies A, which has n block rows, in compressed rows of 3x3 blocks: those of row i are row[i] ..
// row[i+1] - 1, with columns col, ascending, and values val (9 each, row by row). Both triangles
// and the diagonal are stored. b (3*n) [N s]. prescribed (n): not 0 where the velocity of a block
// is given; may be NULL. Constraints are added afterwards. Fails with PL_ERROR_ARGUMENT (an index,
// a number that is not finite, a matrix that is not symmetric; named).
PL_API pl_status pl_problem_create(int32_t n, const int64_t *row, const int32_t *col,
                                   const double *val, const double *b, const uint8_t *prescribed,
                                   double dt, pl_problem **out);
PL_API void pl_problem_destroy(pl_problem *problem);

// Appends a constraint; terms of the same block are added up. Fails with PL_ERROR_ARGUMENT; the
// problem is then unchanged.
PL_API pl_status pl_problem_add_constraint(pl_problem *problem, const pl_constraint_info *info,
                                           int32_t n_term, const pl_term *term);

// The same for rows of any kind: n blocks, each once, with the three rows of the constraint in
// each, along its axes (9*n, row by row). A constraint from elsewhere may have what no term has.
PL_API pl_status pl_problem_add_blocks(pl_problem *problem, const pl_constraint_info *info,
                                       int32_t n, const int32_t *block, const double *rows);

// A sparse matrix in compressed columns: the entries of column j are col[j] .. col[j+1] - 1, with
// their rows ascending.
typedef struct pl_sparse {
    int32_t n_row, n_col;
    const int64_t *col; // (n_col + 1)
    const int32_t *row; // (col[n_col])
    const double *val;  // (col[n_col])
} pl_sparse;

// Contacts as other programs state them (FCLIB), with cones of Coulomb; `dimension` rows for each,
// the normal first. Global: velocities v and impulses r, l with
//     M v = f + H r + G l,    G^T v + b = 0,    u = H^T v + w
// where (u, r) obey the law of each contact.
typedef struct pl_global_contacts {
    int32_t n_contact, dimension; // 3 or 2
    pl_sparse M;                  // (n*n) symmetric, positive definite
    pl_sparse H;                  // (n*m), m = dimension n_contact
    pl_sparse G;                  // (n*p) of equations; n_col of 0: there are none
    const double *f, *w, *b, *mu; // (n), (m), (p), (n_contact)
} pl_global_contacts;

// Local: impulses r, l alone, with
//     u = W r + V l + q,    V^T r + R l + s = 0
// for a matrix [W V; V^T R] that is symmetric and positive semidefinite: contacts may say the same.
typedef struct pl_local_contacts {
    int32_t n_contact, dimension;
    pl_sparse W;              // (m*m)
    pl_sparse V, R;           // (m*p), (p*p); n_col of 0: there are none
    const double *q, *s, *mu; // (m), (p), (n_contact)
} pl_local_contacts;

// Problems that say the same, for every solver: of the global form A is M; of the local one A is
// the identity and L a factor of W = L L^T, found by pivots as far as its rank goes. Constraints
// are the contacts, then the equations, three in each, as boxes without bounds. Velocities have no
// unit but those given; dt turns them into displacements. Fail with PL_ERROR_ARGUMENT: sizes,
// numbers that are not finite, a matrix that is not symmetric, or not positive where it must be, or
// parts of W with too many rows (6,000) that touch each other; named.
PL_API pl_status pl_problem_create_global(const pl_global_contacts *data, double dt,
                                          pl_problem **out);
PL_API pl_status pl_problem_create_local(const pl_local_contacts *data, double dt,
                                         pl_problem **out);

// Reads and writes .plp files, whose format is in solvers/README.md. Reading fails with
// PL_ERROR_FILE, or PL_ERROR_FORMAT (not a problem, another version, damaged; named).
PL_API pl_status pl_problem_read(const char *path, pl_problem **out);
PL_API pl_status pl_problem_write(const pl_problem *problem, const char *path);

// The problem that the last step solved, or failed to solve. Fails with PL_ERROR_ARGUMENT if there
// was none.
PL_API pl_status pl_world_problem(const pl_world *world, pl_problem **out);

PL_API pl_problem_size pl_problem_sizes(const pl_problem *problem);

// A and L into arrays of the caller, in the form that pl_problem_create takes: row (blocks + 1, of
// L constraints + 1), col and val (one and 9 for each stored block). Any of them may be NULL.
PL_API pl_status pl_problem_matrix(const pl_problem *problem, int64_t *row, int32_t *col,
                                   double *val);
PL_API pl_status pl_problem_rows(const pl_problem *problem, int64_t *row, int32_t *col,
                                 double *val);
PL_API const double *pl_problem_rhs(const pl_problem *problem); // b (3*blocks) [N s]
// (blocks) not 0 where the velocity of a block is given; NULL if nothing is.
PL_API const uint8_t *pl_problem_prescribed(const pl_problem *problem);
// Fails with PL_ERROR_ARGUMENT if there is no such constraint.
PL_API pl_status pl_problem_constraint(const pl_problem *problem, int32_t constraint,
                                       pl_constraint_info *out);

// y := A x (3*blocks each); u := L v - c, the relative velocities (3*constraints); and
// p := L^T f, the momentum that impulses bring (3*blocks). No alias.
PL_API pl_status pl_problem_multiply(const pl_problem *problem, const double *x, double *y);
PL_API pl_status pl_problem_relative(const pl_problem *problem, const double *v, double *u);
PL_API pl_status pl_problem_momentum(const pl_problem *problem, const double *f, double *p);

// One constraint with all others held: f (3) := the impulse for which w = S f + q obeys its law,
// exactly. S (9) is symmetric and positive definite, the diagonal block of L A^-1 L^T + E; f holds
// an impulse to start from.
PL_API pl_status pl_problem_solve_one(const pl_problem *problem, int32_t constraint,
                                      const double S[9], const double q[3], double f[3]);

// Velocities v (3*blocks) and impulses f (3*constraints) to start a solve from: where the recorded
// one began; or `cold`, with everything at rest that is not prescribed, and without impulses. A
// problem that a program has built begins cold, and with prescribed velocities of 0.
PL_API pl_status pl_problem_start(const pl_problem *problem, bool cold, double *v, double *f);
// Sets where it begins. Fails with PL_ERROR_ARGUMENT on a number that is not finite.
PL_API pl_status pl_problem_set_start(pl_problem *problem, const double *v, const double *f);

// What cr and minres tell before each iteration: the relative residual of the velocities, and the
// largest error of a row that counts [m].
typedef void pl_solve_trace_fn(int32_t iteration, double residual, double constraint, void *user);

typedef struct pl_solve_options {
    double residual_tolerance;  // relative residual, > 0
    double contact_tolerance;   // error of a constraint [m], > 0
    int32_t max_iterations;     // 0 or more
    double max_seconds;         // wall clock [s]; 0: no limit
    const char *precond;        // see pl_world_options
    bool vj19;                  // the solver as VJ19 prints it
    const char *friction_model; // in place of the cones of the problem, see pl_world_options
    const char *device;         // see pl_world_options
    int32_t threads;            // up to 256; 0: one per core. A solver of your own gets the number
    pl_solve_trace_fn *trace;   // NULL: nobody looks
    void *trace_user;
    const char *parameters; // see pl_complementarity_options; of solvers that work row by row
} pl_solve_options;

// 1e-5, 1e-6 m, 20,000 iterations, no limit of time, "full", not as printed, "cone", "cpu".
PL_API pl_solve_options pl_solve_options_default(void);

// How a solve ended.
typedef enum pl_solve_end {
    PL_SOLVE_CONVERGED,
    PL_SOLVE_LIMIT,         // max_iterations came first
    PL_SOLVE_TIME,          // max_seconds came first
    PL_SOLVE_STALLED,       // no step improves it: the constraints ask for too much
    PL_SOLVE_IMPOSSIBLE,    // a constraint is violated, and all its velocities are prescribed
    PL_SOLVE_SIZE,          // it would take more memory than the solver allows itself
    PL_SOLVE_BREAKDOWN,     // a matrix is not positive definite, or a number is not finite
    PL_SOLVE_CONTRADICTING, // solved, but for joints that contradict each other, as those of a loop
                            // that does not close: velocities are between what they ask for
    PL_SOLVE_LOOSE, // not within contact_tolerance, but errors are a small part of what moves
                    // in the step; only where a world asks for it
} pl_solve_end;

PL_API const char *pl_solve_end_name(pl_solve_end end); // "converged", "limit", ...

// How a solve went. The errors are measured alike for every solver (docs/solvers.md has the
// formulas): the largest of any constraint, as displacements in a step.
typedef struct pl_solve_result {
    pl_solve_end end;
    int32_t iterations;
    int64_t products;       // with A
    int64_t state_changes;  // of contacts: open, stick, slip
    int64_t restarts;       // of a recurrence
    int64_t factorizations; // of matrices larger than 3x3
    double seconds;         // wall clock
    double residual;        // relative, of the first line above; NAN, with 0 for the others, where
                            // there was no solve to measure
    double penetration;     // [m]
    double normal;          // natural map of the normal part [m]
    double friction;        // natural map of friction [m]
    double cone;            // how far the impulse is out of the friction cone [m]
    double fischer;         // Fischer-Burmeister function [m]
    double joint;           // natural map of the rows of boxes [m], or [rad] where they turn
    double energy;          // that the error would have, in the mean over constraints [J]
    uint64_t hash;          // of v and f
} pl_solve_result;

// Improves v (3*blocks) [m/s, rad/s] and f (3*constraints) [N s], which hold a first guess and the
// prescribed velocities, by the solver with this name. That it does not converge is no failure:
// out->end tells, and pl_error_text() says why. Fails with PL_ERROR_ARGUMENT (an unknown name, an
// option, a number of the problem, a law that the solver does not know; named).
PL_API pl_status pl_problem_solve(pl_problem *problem, const char *solver,
                                  const pl_solve_options *options, double *v, double *f,
                                  pl_solve_result *out);

// The errors of any v and f; counts are 0, `end` says if they are within the default tolerances
// (converged) or not (limit).
PL_API pl_status pl_problem_measure(pl_problem *problem, const double *v, const double *f,
                                    pl_solve_result *out);

// --- A solver of your own ---

// A symmetric matrix of 3x3 blocks in compressed rows, as in pl_problem_create.
typedef struct pl_block_matrix {
    int32_t n;
    const int64_t *row;
    const int32_t *col;
    const int64_t *diag; // (n) where the diagonal blocks stand; -1 in an empty row
    const double *val;
} pl_block_matrix;

// What a solver gets, and what it says of its work.
typedef struct pl_solve_job {
    const pl_problem *problem;
    const pl_solve_options *options;
    double *v, *f;            // as in pl_problem_solve: a first guess, to be improved
    const pl_block_matrix *W; // only of solvers of the reduced form: w = q + W f, with
    const double *q;          // (3*constraints) W = L A^-1 L^T + E and q = L v - c with the v of
                              // A v = b, without impulses; else both are NULL
    pl_solve_end end;         // to be set; a breakdown until then
    int32_t iterations;       // to be counted
    int64_t products;
    struct pl_solve_inner *inner; // of the library
} pl_solve_job;

// Improves job->v and job->f until pl_solve_done or a limit, and sets job->end. What it leaves must
// be finite. Of v it leaves prescribed blocks alone; with the reduced form it need not set v at
// all. Fails with PL_ERROR_MEMORY only.
typedef pl_status pl_user_solve_fn(pl_solve_job *job, void *user);

typedef struct pl_solver_def {
    const char *name;      // up to 31 letters, digits, '-' and '_'; no other solver's
    const char *guarantee; // one line for a person who chooses, up to 159 bytes; may be NULL
    const char *paper;     // where it is from, up to 159 bytes; may be NULL
    bool reduced;          // it wants W and q, which the library builds
    bool boxes,
        compliance; // it knows these; others are refused before it is called. All know cones. What
                    // solves each constraint by pl_problem_solve_one on W knows both
    pl_user_solve_fn *solve;
    void *user; // passed on
} pl_solver_def;

#define PL_USER_SOLVERS_MAX 32

// Adds a solver that worlds and problems may name from now on. Call it before those are made that
// use it, from one thread. Fails with PL_ERROR_ARGUMENT (a name that is taken or malformed, no
// function, too many).
PL_API pl_status pl_solver_register(const pl_solver_def *def);

// For use within a solver. Are v and f within the tolerances? One product with A; of the reduced
// form, v is computed from f first.
PL_API bool pl_solve_done(pl_solve_job *job);
// Has the time that the options allow passed?
PL_API bool pl_solve_late(const pl_solve_job *job);
// count * size bytes, zero, that live until the solve ends; NULL if there is no more memory.
PL_API void *pl_solve_memory(pl_solve_job *job, int64_t count, size_t size);

// --- Linear complementarity problems ---

// A plain problem, row by row, without blocks, bodies or units: find x with
//
//     w = M x + q,   lo <= x <= hi,   w > 0 only where x = lo,   w < 0 only where x = hi
//
// so that w = 0 between the bounds. 0 .. INFINITY is a row of an LCP, -INFINITY .. INFINITY a
// linear equation. For programs that compare solvers, or have such a problem from elsewhere.
typedef struct pl_complementarity pl_complementarity;

// The numbers of a problem. M is given in compressed columns: the entries of column j are col[j] ..
// col[j+1] - 1, with their rows ascending.
typedef struct pl_complementarity_data {
    int32_t n;
    const int64_t *col;    // (n + 1)
    const int32_t *row;    // (col[n])
    const double *val;     // (col[n])
    const double *q;       // (n)
    const double *lo, *hi; // (n) may be infinite; NULL: 0, and INFINITY
    const int32_t *normal; // (n) or NULL: of a row of friction the row of its normal impulse,
                           // of the others -1
    const double *mu;      // (n) or NULL: rows of friction have the bounds -mu x .. mu x of that
                           // row instead of lo .. hi
} pl_complementarity_data;

// Copies the numbers. Fails with PL_ERROR_ARGUMENT (columns out of order, an index, a number that
// is not finite, lo > hi; named).
PL_API pl_status pl_complementarity_create(const pl_complementarity_data *data,
                                           pl_complementarity **out);
PL_API void pl_complementarity_destroy(pl_complementarity *problem);

// The numbers of a problem, which live as long as it does.
PL_API pl_status pl_complementarity_view(const pl_complementarity *problem,
                                         pl_complementarity_data *out);
PL_API bool pl_complementarity_is_symmetric(const pl_complementarity *problem); // to the bit

// Reads a text file, "n m", the rows of M, q, the number of solutions, and these (the first n rows
// are equations, the other m those of an LCP), or, of a folder, M.mtx and q.mtx in the format of
// Matrix Market, and lo.mtx, hi.mtx, normal.mtx and mu.mtx where they are there. Fails with
// PL_ERROR_FILE or PL_ERROR_FORMAT (named).
PL_API pl_status pl_complementarity_read(const char *path, pl_complementarity **out);
// Writes the text, or, if the name ends in '/', such a folder, which must be there. A text holds no
// other bounds, and equations must come first: else it fails with PL_ERROR_ARGUMENT.
PL_API pl_status pl_complementarity_write(const pl_complementarity *problem, const char *path);

// Solutions that a file had: *out points to the first of them (n numbers each), NULL if there is
// none; returns how many there are.
PL_API int32_t pl_complementarity_solutions(const pl_complementarity *problem, const double **out);

// Makes a problem: a kind, and numbers of it if they are not to be the usual ones, as in
// "band:n=500,seed=3,half_bandwidth=20". Kinds: spd, psd, p-matrix, monotone, uniform (dense, n
// rows, made for a solution that is drawn), fluid-2d, fluid-3d (n cells along a side), band.
// Numbers: n, seed, planted, mixed_bounds, tight, degenerate, shift, rank, skew, imbalance; length,
// density, dt, divergence, free_slip; half_bandwidth, inverted (lcp/generate.h says what each is).
// Fails with PL_ERROR_ARGUMENT (named), or PL_ERROR_NUMERICS where there is no such problem.
PL_API pl_status pl_complementarity_generate(const char *text, pl_complementarity **out);
// The names of the kinds, number 0, 1, ...; NULL after the last.
PL_API const char *pl_complementarity_kind(int32_t kind);

// x (n) := where to start from: 0, or what a problem that was made says, within the bounds.
PL_API pl_status pl_complementarity_start(const pl_complementarity *problem, double *x);

// The condition number of M, as far as a generator knows or estimates it; NAN if nobody does.
PL_API double pl_complementarity_condition(const pl_complementarity *problem);

// w (n) := M x + q. No alias.
PL_API pl_status pl_complementarity_multiply(const pl_complementarity *problem, const double *x,
                                             double *w);

// The solvers of such problems: number 0, 1, ... The texts live as long as the program.
typedef struct pl_complementarity_solver {
    const char *name;
    const char *guarantee; // one line for a person who chooses
    const char *paper;     // where it is from
    bool symmetric;        // it needs a symmetric M
    bool diagonal;         // it needs M_ii > 0
    bool follows;          // it knows bounds that follow another row (mu)
} pl_complementarity_solver;

PL_API int32_t pl_complementarity_solver_count(void);
// Fails with PL_ERROR_ARGUMENT if there is no such solver.
PL_API pl_status pl_complementarity_describe(int32_t solver, pl_complementarity_solver *out);
// The number of the solver with this name. Fails with PL_ERROR_ARGUMENT if there is none, and
// suggests the nearest.
PL_API pl_status pl_complementarity_number(const char *name, int32_t *out);
// Does the problem have what a solver needs? If not, pl_error_text() says what it lacks.
PL_API bool pl_complementarity_suits(const pl_complementarity *problem, int32_t solver);

// Called once per iteration, before it, by solvers that have such a hook.
typedef void pl_complementarity_trace_fn(int32_t iteration, double error, void *user);

typedef struct pl_complementarity_options {
    double tolerance;                   // on `natural` below, in the unit of w, > 0
    int32_t max_iterations;             // 0 or more
    double max_seconds;                 // wall clock [s]; 0: no limit
    pl_complementarity_trace_fn *trace; // NULL: nobody looks
    void *trace_user;
    const char *parameters; // of solvers: "psor.relaxation=1.8,bpp.p=20"; NULL: the usual ones.
                            // pl_complementarity_parameter_help lists them
} pl_complementarity_options;

// 1e-10, 1,000 iterations, no limit of time.
PL_API pl_complementarity_options pl_complementarity_options_default(void);

// How a solve went. Errors are measured alike for every solver, from x alone. With a = M_ii where
// that is above 0, else 1, d = x - clamp(x - w / a) is 0 exactly where a row obeys.
typedef struct pl_complementarity_result {
    bool solved;     // `natural` is within the tolerance
    const char *end; // "solved", "limit", "time", "stalled", "cycling", "ray", ...
    int32_t iterations;
    int64_t inner;          // iterations of an inner linear solver
    int64_t pivots;         // rows that changed between their bounds and w = 0
    int64_t factorizations; // of a matrix from scratch
    int64_t updates;        // of a factor by single rows
    int64_t solves;         // with a factor
    double seconds;         // wall clock
    double natural;         // the largest a |d| [unit of w]
    int32_t worst;          // its row
    double energy;          // the largest a d^2 / 2 [unit of w times that of x]
    double mean_energy;     // over all rows
    double primal;          // by how much an x is beyond a bound, at most [unit of x]
    double dual;            // by how much a w has the wrong sign at its bound [unit of w]
    double complementarity; // the largest min(|w|, a times the way from the bound) [unit of w]
    uint64_t hash;          // of x
} pl_complementarity_result;

// Improves x (n), which holds a start, by the solver with this name. That it does not solve it is
// no failure: out->solved and out->end tell, and pl_error_text() says why. Fails with
// PL_ERROR_ARGUMENT (an unknown name, an option, what the solver needs and M lacks; named).
PL_API pl_status pl_complementarity_solve(pl_complementarity *problem, const char *solver,
                                          const pl_complementarity_options *options, double *x,
                                          pl_complementarity_result *out);

// The errors of any x (n); `solved` by the default tolerance.
PL_API pl_status pl_complementarity_measure(pl_complementarity *problem, const double *x,
                                            pl_complementarity_result *out);

// --- Checkpoints ---

// Writes the state of the world (time, positions, velocities, contact impulses and other data that
// the next step starts from) with a version and a checksum; the file appears complete or not at
// all.
PL_API pl_status pl_world_save(const pl_world *world, const char *path);

// The same into `buffer` of `size` bytes; *needed receives the size of the checkpoint. With a
// buffer of NULL it does nothing else. PL_ERROR_ARGUMENT if the buffer is too small.
PL_API pl_status pl_world_save_memory(const pl_world *world, void *buffer, size_t size,
                                      size_t *needed);

// Reads a state into a world that was built in the same way: same bodies, meshes and driven
// vertices. A run resumed so has the same bits as one that never stopped; if dt, a material, mass
// or friction is another, the log gets a warning. The world has no contacts and events until its
// next step, in which all contact events begin. Fails with PL_ERROR_FILE, or PL_ERROR_FORMAT (not a
// checkpoint, another version, damaged, of another world); the world is then unchanged.
PL_API pl_status pl_world_load(pl_world *world, const char *path);

// The same from what pl_world_save_memory has made.
PL_API pl_status pl_world_load_memory(pl_world *world, const void *data, size_t size);

// ---------------------------------------------------------------------------------------------
// Solids on a fixed grid [Lit13, 4; Levin et al. 2011]
// ---------------------------------------------------------------------------------------------

// A simulator of its own, without meshes in motion: each body has velocities and a reference map,
// which says where in its rest shape a point of space comes from, on the nodes of a grid that does
// not move. So a body may be deformed without limit, and returns to its rest shape; its surface is
// found anew whenever it is asked for. Bodies touch each other, not themselves.
typedef struct pl_euler pl_euler;

typedef struct pl_euler_options {
    double spacing;           // of the grid's nodes, in all directions [m], > 0
    double dt;                // length of a time step [s], > 0, which is made in equal parts
    double cfl;               // of the part that elastic waves and motion may cross of a cell in
                              // a part of a step, in (0, 1]
    double gravity[3];        // [m/s^2]
    const char *solver;       // of contact with friction in diamonds: "sp-schurpa", "sp-direct",
                              // or any other that knows pyramids
    const char *device;       // that these two use; see pl_device_info: "cpu"
    double contact_tolerance; // largest error of a contact, as a displacement [m], > 0
    int32_t max_iterations;   // of the solver, for one contact problem
    int32_t max_parts;        // of a step, > 0: one that needs more fails
    int32_t threads;          // up to 256; 0: one per core
} pl_euler_options;

// Spacing 0.1 m, dt 1e-3 s, cfl 0.6, gravity 9.81 m/s^2 along -z; "sp-schurpa", "cpu", 1e-6 m,
// 3,000 iterations, at most 100 parts.
PL_API pl_euler_options pl_euler_options_default(void);

// Fails with PL_ERROR_ARGUMENT (the option is named), PL_ERROR_DEVICE or PL_ERROR_MEMORY.
PL_API pl_status pl_euler_create(const pl_euler_options *options, pl_euler **out);
PL_API void pl_euler_destroy(pl_euler *euler);

// Adds an elastic body whose rest shape is what the surface of `mesh` encloses, where it lies; its
// mass is the density times pl_mesh_volume. Its material is neo-Hookean; of the surface, friction
// counts. *body receives its number: 0, 1, ... Fails with PL_ERROR_GEOMETRY (the surface is open,
// or has no volume on this grid), PL_ERROR_ARGUMENT (an option; or the first step has been made).
PL_API pl_status pl_euler_add_deformable(pl_euler *euler, const pl_mesh *mesh,
                                         const pl_deformable_options *options, int32_t *body);

// The same for a body that a motion carries along, which may not turn; or, by default, rests.
PL_API pl_status pl_euler_add_kinematic(pl_euler *euler, const pl_mesh *mesh,
                                        const pl_kinematic_options *options, int32_t *body);

// Advances by dt. stats may be NULL; they are those of pl_world_step, where there is such a thing:
// `halvings` has the parts of the step less one, `inverted` the cells whose map is broken.
// Fails with PL_ERROR_NUMERICS; the state is then that of before the step.
PL_API pl_status pl_euler_step(pl_euler *euler, pl_step_stats *stats);

PL_API double pl_euler_time(const pl_euler *euler);   // [s]
PL_API int64_t pl_euler_steps(const pl_euler *euler); // made so far
PL_API int32_t pl_euler_body_count(const pl_euler *euler);
PL_API uint64_t pl_euler_hash(const pl_euler *euler); // of the state

// Momentum [N s] and angular momentum about the origin [N m s] of a body; 0 of a kinematic one.
PL_API pl_status pl_euler_momentum(const pl_euler *euler, int32_t body, double linear[3],
                                   double angular[3]);

// The surface of a body as it is now: closed, triangles about 1/refine of the spacing in size,
// refine from 1 to 8.
PL_API pl_status pl_euler_surface(const pl_euler *euler, int32_t body, int32_t refine,
                                  pl_mesh **out);

// Where the points x (3*n) of space come from: X (3*n) [m], not a number where the body is not.
PL_API pl_status pl_euler_reference(const pl_euler *euler, int32_t body, int32_t n, const double *x,
                                    double *X);

// The contact problem of the last part of the last step, with the impulses that its solve started
// from. Fails with PL_ERROR_ARGUMENT if it had none.
PL_API pl_status pl_euler_problem(const pl_euler *euler, pl_problem **out);

#ifdef __cplusplus
}
#endif

#endif
