#include "edges.h"
#include "mesh.h"

pl_status pl_mesh_parts(const pl_mesh *mesh, int32_t *part)
{
    PL_REQUIRE(mesh);
    PL_REQUIRE(part);
    int corners = mesh->n_tet > 0 ? 4 : 3;
    const int32_t *cell = mesh->n_tet > 0 ? mesh->tet : mesh->face;
    int64_t n = corners * (int64_t)(mesh->n_tet > 0 ? mesh->n_tet : mesh->n_face);
    for (int32_t v = 0; v < mesh->n_vert; v++) part[v] = v;
    for (int64_t i = 0; i < n; i++) pl_set_join(part, cell[i - i % corners], cell[i]);
    for (int64_t i = 0; i < mesh->n_edge; i++) {
        pl_set_join(part, mesh->edge[2 * i], mesh->edge[2 * i + 1]);
    }
    for (int32_t v = 0; v < mesh->n_vert; v++) part[v] = pl_set_find(part, v);
    return PL_OK;
}
