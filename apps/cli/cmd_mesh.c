// pliant mesh: from a file or a shape to a file, with what a simulation needs in between.

#include "args.h"
#include "commands.h"
#include "../scene/load.h"
#include "../tetrahedra/tetrahedralize.h"
#include "../../base/file.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { LISTED = 5, REPORT_TEXT = 1 << 13 };

typedef struct job {
    const char *input, *output;
    int32_t faces, tets;        // 0: not asked for
    double quality, max_volume; // 0: not asked for
    double scale, fit, weld;    // 0: not asked for
    bool fill, surface, ascii, info;
} job;

// --- What it does ---

static pl_status replace(pl_mesh **mesh, pl_mesh *with)
{
    pl_mesh_destroy(*mesh);
    *mesh = with;
    return PL_OK;
}

static pl_status resize(pl_mesh *mesh, const job *j)
{
    double lo[3], hi[3], extent = 0;
    pl_mesh_bounds(mesh, lo, hi);
    for (int k = 0; k < 3; k++) extent = fmax(extent, hi[k] - lo[k]);
    double s = j->scale > 0 ? j->scale : 1;
    if (j->fit > 0 && extent > 0) s = j->fit / extent;
    if (s == 1) return PL_OK;
    const double m[12] = {s, 0, 0, 0, 0, s, 0, 0, 0, 0, s, 0};
    return pl_mesh_transform(mesh, m);
}

static pl_status decimate(pl_mesh **mesh, int32_t faces)
{
    pl_decimate_options options = pl_decimate_options_default();
    options.faces = faces;
    pl_mesh *coarse;
    PL_TRY(pl_mesh_decimate(*mesh, &options, &coarse));
    return replace(mesh, coarse);
}

static pl_status keep_surface(pl_mesh **mesh)
{
    pl_mesh *surface;
    PL_TRY(pl_mesh_surface(*mesh, NULL, &surface));
    return replace(mesh, surface);
}

// Tets that are there already give way to new ones.
static pl_status fill(pl_mesh **mesh, const job *j)
{
    if (pl_mesh_tet_count(*mesh) > 0) PL_TRY(keep_surface(mesh));
    pl_tetrahedralize_options options = pl_tetrahedralize_options_default();
    if (j->tets > 0) options.tets = j->tets;
    if (j->quality > 0) options.quality = j->quality;
    if (j->max_volume > 0) options.max_volume = j->max_volume;
    pl_mesh *solid;
    PL_TRY(pl_tetrahedralize(*mesh, &options, &solid));
    return replace(mesh, solid);
}

// --- What it tells ---

static void print_elements(const char *what, int32_t n, const int32_t *index, int width)
{
    if (n == 0) return;
    printf("  %" PRId32 " %s:", n, what);
    for (int32_t i = 0; i < n && i < LISTED; i++) {
        printf(" %" PRId32, index[width * i]);
        if (width == 2) printf("-%" PRId32, index[2 * i + 1]);
    }
    printf("%s\n", n > LISTED ? " ..." : "");
}

static pl_status print_surface(const pl_mesh *mesh)
{
    pl_surface_report report;
    PL_TRY(pl_mesh_inspect(mesh, &report));
    printf("surface: %s, %" PRId32 " part%s, %s\n", report.closed ? "closed" : "open",
           report.n_parts, report.n_parts == 1 ? "" : "s",
           report.n_intersections == 0 ? "free of self-intersection" : "intersects itself");
    print_elements("open edges", report.n_open, report.open, 2);
    print_elements("edges with three faces or more", report.n_nonmanifold, report.nonmanifold, 2);
    print_elements("edges whose faces disagree", report.n_misoriented, report.misoriented, 2);
    print_elements("vertices with more than one fan", report.n_pinched, report.pinched, 1);
    print_elements("degenerate faces", report.n_degenerate, report.degenerate, 1);
    print_elements("pairs of intersecting faces", report.n_intersections, report.intersections, 2);
    pl_surface_report_free(&report);
    return PL_OK;
}

static pl_status print_info(const pl_mesh *mesh)
{
    double lo[3], hi[3];
    if (pl_mesh_vertex_count(mesh) == 0) return PL_OK;
    pl_mesh_bounds(mesh, lo, hi);
    printf("bounds:  [%g, %g] x [%g, %g] x [%g, %g] m\nvolume:  %g m^3\n", lo[0], hi[0], lo[1],
           hi[1], lo[2], hi[2], pl_mesh_volume(mesh));
    if (pl_mesh_face_count(mesh) + pl_mesh_tet_count(mesh) > 0) PL_TRY(print_surface(mesh));
    if (pl_mesh_tet_count(mesh) == 0) return PL_OK;
    pl_mesh_quality quality;
    PL_TRY(pl_mesh_measure(mesh, &quality, NULL, NULL));
    char text[REPORT_TEXT];
    pl_mesh_quality_text(&quality, text, sizeof text);
    printf("%s", text);
    return PL_OK;
}

// VTU files carry the shape of their tets, to be coloured by it.
static pl_status write_mesh(const pl_mesh *mesh, const job *j)
{
    pl_write_options options = pl_write_options_default();
    options.ascii = j->ascii;
    int32_t n = pl_mesh_tet_count(mesh);
    if (n == 0) return pl_mesh_write(mesh, j->output, &options);
    double *ratio = pl_alloc(n, sizeof *ratio), *angle = pl_alloc(n, sizeof *angle);
    pl_mesh_quality quality;
    pl_status status = ratio == NULL || angle == NULL
                           ? PL_ERROR_MEMORY
                           : pl_mesh_measure(mesh, &quality, ratio, angle);
    if (status == PL_OK) {
        const pl_field fields[2] = {{"radius_ratio", true, 1, ratio},
                                    {"min_dihedral", true, 1, angle}};
        options.fields = fields;
        options.n_fields = 2;
        status = pl_mesh_write(mesh, j->output, &options);
    }
    pl_free(ratio);
    pl_free(angle);
    return status;
}

// --- The job ---

static pl_status process(const job *j, pl_mesh **mesh)
{
    PL_TRY(resize(*mesh, j));
    if (j->faces > 0) PL_TRY(decimate(mesh, j->faces));
    if (j->fill || j->tets > 0 || j->quality > 0 || j->max_volume > 0) PL_TRY(fill(mesh, j));
    if (j->surface) PL_TRY(keep_surface(mesh));
    if (j->output != NULL) PL_TRY(write_mesh(*mesh, j));
    printf("%s: %" PRId32 " vertices, %" PRId32 " faces, %" PRId32 " tets\n",
           j->output != NULL ? j->output : j->input, pl_mesh_vertex_count(*mesh),
           pl_mesh_face_count(*mesh), pl_mesh_tet_count(*mesh));
    if (pl_mesh_edge_count(*mesh) + pl_mesh_point_count(*mesh) > 0) {
        printf("loose:   %" PRId32 " edges, %" PRId32 " points\n", pl_mesh_edge_count(*mesh),
               pl_mesh_point_count(*mesh));
    }
    return j->info ? print_info(*mesh) : PL_OK;
}

static pl_status run(const job *j)
{
    if (j->scale > 0 && j->fit > 0) {
        return pl_fail(PL_ERROR_ARGUMENT, "--scale and --fit exclude each other");
    }
    if (j->output != NULL) PL_TRY(pl_mesh_writable(j->output));
    bool text = j->output != NULL &&
                (pl_has_extension(j->output, ".obj") || pl_has_extension(j->output, ".off"));
    pl_args_no_effect(j->ascii && text, "--ascii", "OBJ and OFF are always text");
    pl_args_no_effect(j->ascii && j->output == NULL, "--ascii", "nothing is written without -o");
    pl_mesh *mesh;
    PL_TRY(pl_load_mesh(j->input, j->weld, &mesh));
    pl_status status = process(j, &mesh);
    pl_mesh_destroy(mesh);
    return status;
}

int pl_command_mesh(int argc, char **argv)
{
    job j = {0};
    const pl_option options[] = {
        {"-o", PL_OPTION_TEXT, &j.output, "OUT",
         "write .vtu, .msh (Gmsh 4.1), .obj, .ply, .off or .seg"},
        {"--info", PL_OPTION_FLAG, &j.info, NULL, "print size, surface report and tet quality"},
        {"--faces", PL_OPTION_COUNT, &j.faces, "N", "decimate the surface to N faces"},
        {"--tets", PL_OPTION_COUNT, &j.tets, "N", "fill with about N tetrahedra"},
        {"--fill", PL_OPTION_FLAG, &j.fill, NULL, "fill with tetrahedra as the surface suggests"},
        {"--quality", PL_OPTION_NUMBER, &j.quality, "Q",
         "fill; largest radius-edge ratio of a tet"},
        {"--max-volume", PL_OPTION_NUMBER, &j.max_volume, "V",
         "fill; largest volume of a tet [m^3]"},
        {"--scale", PL_OPTION_NUMBER, &j.scale, "S", "multiply all coordinates by S"},
        {"--fit", PL_OPTION_NUMBER, &j.fit, "L", "scale so that the longest extent is L [m]"},
        {"--weld", PL_OPTION_NUMBER, &j.weld, "D",
         "weld vertices closer than D [m]; default: equal"},
        {"--surface", PL_OPTION_FLAG, &j.surface, NULL, "keep the surface only"},
        {"--ascii", PL_OPTION_FLAG, &j.ascii, NULL, "write text in place of binary"},
    };
    char shapes[REPORT_TEXT];
    int length =
        snprintf(shapes, sizeof shapes,
                 "IN is a file (OFF, OBJ, SEG, PLY, STL, TetGen, Gmsh, VTK, VTU) or a shape:\n\n");
    pl_shape_help(shapes + length, sizeof shapes - (size_t)length);
    const pl_command command = {
        .usage = "mesh IN [-o OUT] [options]",
        .summary = "Reads or makes a mesh, works on it and writes it; without -o it "
                   "prints what --info prints.",
        .options = options,
        .n_options = sizeof options / sizeof options[0],
        .notes = shapes,
        .least = 1,
        .most = 1,
    };
    int n_words, exit_code;
    if (!pl_args_read(&command, argc, argv, &n_words, &exit_code)) return exit_code;
    j.input = argv[0];
    if (j.output == NULL) j.info = true;
    return run(&j) == PL_OK ? 0 : pl_command_failed();
}
