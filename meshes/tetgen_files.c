// TetGen's pair of files: .node lists points, .ele tetrahedra. Both begin with a line of counts;
// '#' starts a comment anywhere. Points are numbered from 0 or from 1: the first one says so.
//
// https://wias-berlin.de/software/tetgen/fformats.html

#include "io.h"

// Moves over blanks on the line and to its end, if only a comment remains.
static bool at_line_end(pl_scan *scan)
{
    pl_scan_blanks(scan);
    return *scan->p == '\n' || *scan->p == '#' || pl_scan_at_end(scan);
}

// The counts on the first line: `required` of them must be there, the others are 0 if missing. The
// first is the number of lines that follow.
static pl_status take_counts(pl_scan *scan, const char *what, int required, int n, int64_t *count)
{
    pl_scan_comments(scan);
    for (int i = 0; i < n; i++) {
        count[i] = 0;
        if (i >= required && at_line_end(scan)) continue;
        if (!pl_scan_int64(scan, &count[i]) || count[i] < 0) {
            return pl_scan_fail(scan, "expected the counts of a .%s file", what);
        }
    }
    if (!at_line_end(scan)) return pl_scan_fail(scan, "more counts than a .%s file has", what);
    if ((uint64_t)count[0] > pl_scan_left(scan) / 8) { // "0 0 0 0\n"
        return pl_scan_fail(scan, "%lld lines should follow, but %zu bytes are left in the file",
                            (long long)count[0], pl_scan_left(scan));
    }
    return PL_OK;
}

// Moves to the next line with something on it. What is left on this one are attributes and markers;
// it must be numbers, `n` of them.
static pl_status finish_line(pl_scan *scan, int64_t n)
{
    double ignored;
    for (int64_t i = 0; i < n; i++) {
        if (!pl_scan_double(scan, &ignored)) {
            return pl_scan_fail(scan, "expected attribute or marker %lld of %lld", (long long)i + 1,
                                (long long)n);
        }
    }
    if (!at_line_end(scan)) return pl_scan_fail(scan, "more on the line than announced");
    pl_scan_comments(scan);
    return PL_OK;
}

// `counts`: points, dimension, attributes, markers.
static pl_status take_nodes(pl_scan *scan, const int64_t counts[4], double *x, int64_t *base)
{
    int64_t index;
    *base = 1;
    pl_scan_comments(scan);
    for (int64_t i = 0; i < counts[0]; i++) {
        if (!pl_scan_int64(scan, &index)) {
            return pl_scan_fail(scan, "expected point %lld of %lld", (long long)i + 1,
                                (long long)counts[0]);
        }
        if (i == 0) *base = index;
        if (*base != 0 && *base != 1) {
            return pl_scan_fail(scan, "points must be numbered from 0 or 1, not from %lld",
                                (long long)*base);
        }
        if (index != *base + i) {
            return pl_scan_fail(scan, "point %lld where %lld should follow", (long long)index,
                                (long long)(*base + i));
        }
        for (int k = 0; k < 3; k++) {
            if (!pl_scan_double(scan, &x[3 * i + k])) {
                return pl_scan_fail(scan, "expected coordinate %d of point %lld", k + 1,
                                    (long long)index);
            }
        }
        PL_TRY(finish_line(scan, counts[2] + counts[3]));
    }
    if (!pl_scan_at_end(scan)) return pl_scan_fail(scan, "more than the points announced");
    return PL_OK;
}

// `counts`: tets, corners of each, attributes.
static pl_status take_tets(pl_scan *scan, const int64_t counts[3], int64_t base, int64_t n_vert,
                           int32_t *tet)
{
    int64_t value;
    pl_scan_comments(scan);
    for (int64_t i = 0; i < counts[0]; i++) {
        if (!pl_scan_int64(scan, &value)) {
            return pl_scan_fail(scan, "expected tet %lld of %lld", (long long)i + 1,
                                (long long)counts[0]);
        }
        for (int k = 0; k < 4; k++) {
            if (!pl_scan_int64(scan, &value)) {
                return pl_scan_fail(scan, "expected corner %d of a tet", k + 1);
            }
            if (value < base || value >= base + n_vert) {
                return pl_scan_fail(scan, "a tet refers to point %lld, outside of %lld to %lld",
                                    (long long)value, (long long)base,
                                    (long long)(base + n_vert - 1));
            }
            tet[4 * i + k] = (int32_t)(value - base);
        }
        PL_TRY(finish_line(scan, counts[2]));
    }
    if (!pl_scan_at_end(scan)) return pl_scan_fail(scan, "more than the tets announced");
    return PL_OK;
}

static pl_status take_header(pl_scan *scan, bool node, int64_t *counts)
{
    PL_TRY(node ? take_counts(scan, "node", 2, 4, counts) : take_counts(scan, "ele", 2, 3, counts));
    if (counts[0] > PL_MESH_MAX || counts[2] > 1000) {
        return pl_scan_fail(scan, "counts beyond what is possible");
    }
    if (node && counts[1] != 3) {
        return pl_scan_fail(scan, "points of dimension %lld, not 3", (long long)counts[1]);
    }
    if (node && counts[3] > 1) return pl_scan_fail(scan, "there can be 0 or 1 marker");
    if (!node && counts[1] != 4) {
        return pl_scan_fail(scan, "tets with %lld corners: only linear ones, with 4, are read",
                            (long long)counts[1]);
    }
    return PL_OK;
}

pl_status pl_read_tetgen(const pl_bytes *node, const char *node_name, const pl_bytes *ele,
                         const char *ele_name, pl_mesh **out)
{
    *out = NULL;
    pl_scan nodes = pl_scan_start(node, node_name), tets = {0};
    int64_t n_node[4], n_ele[3] = {0}, base;
    PL_TRY(take_header(&nodes, true, n_node));
    if (ele != NULL) {
        tets = pl_scan_start(ele, ele_name);
        PL_TRY(take_header(&tets, false, n_ele));
    }
    pl_mesh *mesh;
    PL_TRY(pl_mesh_alloc(n_node[0], 0, n_ele[0], &mesh));
    pl_status status = take_nodes(&nodes, n_node, mesh->x, &base);
    if (status == PL_OK && ele != NULL) {
        status = take_tets(&tets, n_ele, base, n_node[0], mesh->tet);
    }
    if (status != PL_OK) {
        pl_mesh_destroy(mesh);
        return status;
    }
    *out = mesh;
    return PL_OK;
}
