#include "load.h"
#include "../../base/base.h"

#include <string.h>
#include <unistd.h>

static pl_status clean_surface(pl_mesh *mesh, const char *name, double weld)
{
    pl_clean_options options = pl_clean_options_default();
    options.weld_distance = weld;
    pl_clean_report report;
    PL_TRY(pl_mesh_clean(mesh, &options, &report));
    if (report.welded + report.degenerate + report.flipped + report.unused > 0) {
        pl_log(PL_LOG_INFO,
               "%s: cleaned: %d vertices welded, %d faces dropped, %d turned, %d unused vertices "
               "dropped",
               name, report.welded, report.degenerate, report.flipped, report.unused);
    }
    return PL_OK;
}

bool pl_load_knows(const char *word)
{
    char after_name = word[strcspn(word, ":./")];
    bool is_path = after_name == '.' || after_name == '/' || access(word, F_OK) == 0;
    return is_path || pl_shape_known(word);
}

pl_status pl_load_mesh_as_is(const char *word, pl_mesh **out)
{
    if (pl_shape_known(word)) return pl_mesh_make(word, out);
    if (!pl_load_knows(word) && pl_mesh_make(word, out) != PL_OK) { // a shape, misspelt
        return pl_fail(PL_ERROR_ARGUMENT, "%s: no such file, and %s", word, pl_error_text());
    }
    pl_status status = pl_mesh_read(word, out);
    if (status == PL_ERROR_FILE && strstr(word, "build/meshes/") != NULL &&
        access(word, F_OK) != 0) {
        pl_fail(status, "%s; `make meshes` makes those of Pliant's scenes", pl_error_text());
    }
    return status;
}

pl_status pl_load_mesh(const char *word, double weld, pl_mesh **out)
{
    PL_TRY(pl_load_mesh_as_is(word, out));
    if (pl_mesh_tet_count(*out) > 0 || pl_mesh_face_count(*out) == 0) return PL_OK;
    pl_status status = clean_surface(*out, word, weld);
    if (status != PL_OK) {
        pl_mesh_destroy(*out);
        *out = NULL;
    }
    return status;
}

// --- Edges and points ---

enum { SEGMENTS = 12 }; // around what is drawn of them

bool pl_load_is_loose(const pl_mesh *mesh)
{
    bool cloud = pl_mesh_face_count(mesh) == 0 && pl_mesh_tet_count(mesh) == 0;
    return pl_mesh_edge_count(mesh) > 0 || pl_mesh_point_count(mesh) > 0 ||
           (cloud && pl_mesh_vertex_count(mesh) > 0);
}

pl_status pl_load_thicken(pl_mesh **mesh, double radius)
{
    pl_mesh *thick;
    if (!pl_load_is_loose(*mesh) || pl_mesh_tet_count(*mesh) > 0) return PL_OK;
    PL_TRY(pl_mesh_thicken(*mesh, radius, SEGMENTS, &thick));
    pl_mesh_destroy(*mesh);
    *mesh = thick;
    return PL_OK;
}
