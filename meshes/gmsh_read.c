// Reads Gmsh .msh files, versions 2.0 to 2.2 and 4.1. A file is a list of sections "$Name" ...
// "$EndName"; only $Nodes and $Elements matter here. In binary files of either version these hold
// raw values behind the line "$Name", in the byte order of the number 1 in the header.
//
// https://gmsh.info/doc/texinfo/gmsh.html#Gmsh-file-formats

#include "gmsh.h"
#include "tags.h"

#include <stdarg.h>

enum { SECTION_NAME_MAX = 64 };

typedef struct reader {
    pl_scan scan;
    bool binary, swap;
    bool version2;
    pl_mesh_builder builder;
    int64_t *tag; // (n_vert)
    bool has_nodes, has_elements;
    pl_tag_map map; // tags of nodes to vertices
    int64_t skipped[PL_GMSH_TYPES];
} reader;

// The number of nodes by type, 0 if the type is not documented.
static const uint8_t nodes_of_type[PL_GMSH_TYPES] = {
    [1] = 2, 3,  4, 4,  8,  6,  5,  3,  6, 9, 10, 27, 18, 14, 1,         8,  20,
    15,      13, 9, 10, 12, 15, 15, 21, 4, 5, 6,  20, 35, 56, [92] = 64, 125};

static const char *const type_names[PL_GMSH_TYPES] = {
    [5] = "hexahedra",
    [6] = "prisms",
    [7] = "pyramids",
    [9] = "quadratic triangles",
    [10] = "quadratic quads",
    [11] = "quadratic tets",
    [12] = "quadratic hexahedra",
    [21] = "cubic triangles",
    [29] = "cubic tets",
};

// Counts for the warning. Points and lines stand in nearly every file, where surfaces are bounded;
// they are no part of the mesh that would be missed.
static void skip_elements(reader *r, int64_t type, int64_t n)
{
    bool point = type == 15;
    bool line = type == 1 || type == 8 || (type >= 26 && type <= 28) || (type >= 62 && type <= 66);
    if (!point && !line) r->skipped[type] += n;
}

// A failure at `place`: by line in text, by byte in binary.
static pl_status PL_PRINTF(3, 4)
    fail_at(const reader *r, const char *place, const char *format, ...)
{
    char sentence[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    pl_scan scan = r->scan;
    scan.p = place;
    return r->binary ? pl_scan_fail_byte(&scan, "%s", sentence)
                     : pl_scan_fail(&scan, "%s", sentence);
}

// --- Numbers one by one ---

// An integer: text, or `size` (4 or 8) bytes.
static pl_status take(reader *r, size_t size, const char *what, int64_t *value)
{
    pl_scan *scan = &r->scan;
    if (!r->binary) {
        pl_scan_space(scan);
        if (pl_scan_int64(scan, value)) return PL_OK;
        return pl_scan_fail(scan, "expected %s", what);
    }
    bool taken;
    if (size == 4) {
        int32_t narrow = 0;
        taken = pl_scan_bytes(scan, &narrow, size);
        if (r->swap) narrow = (int32_t)__builtin_bswap32((uint32_t)narrow);
        *value = narrow;
    } else {
        taken = pl_scan_bytes(scan, value, size);
        if (r->swap) *value = (int64_t)__builtin_bswap64((uint64_t)*value);
    }
    return taken ? PL_OK : pl_scan_fail_byte(scan, "the file ends before %s", what);
}

// A count of things of which each takes `least` bytes at least, checked against what is left.
static pl_status take_count(reader *r, size_t size, const char *what, size_t least, int64_t *value)
{
    const char *place = r->scan.p;
    PL_TRY(take(r, size, what, value));
    if (*value < 0 || (uint64_t)*value > pl_scan_left(&r->scan) / least + 1) {
        return fail_at(r, place, "%s is %lld: the file is too short for it", what,
                       (long long)*value);
    }
    return PL_OK;
}

// --- Nodes ---

enum { NODE_TEXT = 8 }; // "1 0 0 0\n", with its tag

static pl_status reserve_nodes(reader *r, int64_t n)
{
    if (r->has_nodes) return pl_scan_fail(&r->scan, "a second section $Nodes");
    r->has_nodes = true;
    PL_TRY(pl_builder_reserve_vertices(&r->builder, n, r->scan.name));
    r->tag = pl_alloc(n, sizeof *r->tag);
    return r->tag != NULL ? PL_OK : PL_ERROR_MEMORY;
}

static pl_status check_point(const reader *r, const double *x, int64_t n, const char *place,
                             size_t stride)
{
    int64_t bad = pl_first_not_finite(x, n);
    if (bad == n) return PL_OK;
    return fail_at(r, place + (size_t)(bad / 3) * stride, "node %lld of the block is not finite",
                   (long long)(bad / 3));
}

// The coordinates (3 per node, and `extra` more that do not matter) of the nodes from `first` on.
static pl_status take_points(reader *r, int64_t first, int64_t n, int64_t extra)
{
    pl_scan *scan = &r->scan;
    double *x = r->builder.x + 3 * first;
    double ignored[3];
    if (!r->binary && extra == 0) return pl_scan_doubles(scan, 3 * n, x);
    if (!r->binary) {
        for (int64_t i = 0; i < n; i++) {
            PL_TRY(pl_scan_doubles(scan, 3, x + 3 * i));
            PL_TRY(pl_scan_doubles(scan, extra, ignored));
        }
        return PL_OK;
    }
    pl_array points;
    PL_TRY(pl_array_bytes(scan, PL_FLOAT64, r->swap, (3 + extra) * n, &points));
    if (extra == 0) {
        pl_array_doubles(&points, 0, 3 * n, x);
    } else {
        for (int64_t i = 0; i < n; i++) pl_array_doubles(&points, (3 + extra) * i, 3, x + 3 * i);
    }
    return check_point(r, x, 3 * n, points.origin, (size_t)(3 + extra) * sizeof(double));
}

// Version 4: per entity, all tags, then all coordinates.
static pl_status take_node_block(reader *r, int64_t n_nodes)
{
    int64_t dimension, entity, parametric, n, first = r->builder.n_vert;
    PL_TRY(take(r, 4, "the dimension of an entity", &dimension));
    PL_TRY(take(r, 4, "the tag of an entity", &entity));
    PL_TRY(take(r, 4, "whether the nodes are parametric", &parametric));
    const char *place = r->scan.p;
    PL_TRY(take(r, 8, "the number of nodes in the block", &n));
    if (dimension < 0 || dimension > 3 || parametric < 0 || parametric > 1) {
        return fail_at(r, place, "an entity of impossible dimension");
    }
    if (n < 0 || n > n_nodes - first) {
        return fail_at(r, place, "%lld nodes in the block: more than announced", (long long)n);
    }
    const char *tags = r->scan.p;
    if (r->binary) {
        pl_array array;
        PL_TRY(pl_array_bytes(&r->scan, PL_INT64, r->swap, n, &array));
        pl_array_ints(&array, 0, n, r->tag + first);
    } else {
        PL_TRY(pl_scan_ints(&r->scan, n, r->tag + first));
    }
    int64_t least = 0;
    for (int64_t i = 0; i < n; i++) least = PL_MIN(least, r->tag[first + i]);
    if (least < 0) return fail_at(r, tags, "%lld is no tag of a node", (long long)least);
    PL_TRY(take_points(r, first, n, parametric != 0 ? dimension : 0));
    r->builder.n_vert += n;
    return PL_OK;
}

static pl_status take_nodes4(reader *r)
{
    int64_t n_blocks, n, ignored;
    PL_TRY(take(r, 8, "the number of blocks", &n_blocks));
    PL_TRY(take_count(r, 8, "the number of nodes", r->binary ? 32 : NODE_TEXT, &n));
    PL_TRY(take(r, 8, "the smallest tag", &ignored));
    PL_TRY(take(r, 8, "the largest tag", &ignored));
    PL_TRY(reserve_nodes(r, n));
    for (int64_t i = 0; i < n_blocks; i++) PL_TRY(take_node_block(r, n));
    if (r->builder.n_vert != n) {
        return fail_at(r, r->scan.p, "the blocks hold only %lld nodes",
                       (long long)r->builder.n_vert);
    }
    return PL_OK;
}

// Version 2: per node, its tag and three coordinates. The count is text in binary files, too.
static pl_status take_nodes2(reader *r)
{
    enum { RECORD = 4 + 3 * 8 };
    pl_scan *scan = &r->scan;
    int64_t n;
    bool binary = r->binary;
    r->binary = false;
    pl_status status = take_count(r, 8, "the number of nodes", binary ? RECORD : NODE_TEXT, &n);
    r->binary = binary;
    PL_TRY(status);
    PL_TRY(reserve_nodes(r, n));
    if (binary) pl_scan_next_line(scan);
    if (binary && (uint64_t)n > pl_scan_left(scan) / RECORD) {
        return pl_scan_fail_byte(scan, "the file ends inside of $Nodes");
    }
    const char *start = scan->p;
    double *x = r->builder.x;
    for (int64_t i = 0; i < n; i++) {
        if (!binary) {
            PL_TRY(pl_scan_ints(scan, 1, &r->tag[i]));
            PL_TRY(pl_scan_doubles(scan, 3, x + 3 * i));
        } else {
            int32_t tag;
            uint64_t bits[3];
            memcpy(&tag, scan->p, sizeof tag);
            memcpy(bits, scan->p + sizeof tag, sizeof bits);
            if (r->swap) {
                tag = (int32_t)__builtin_bswap32((uint32_t)tag);
                for (int k = 0; k < 3; k++) bits[k] = __builtin_bswap64(bits[k]);
            }
            r->tag[i] = tag;
            memcpy(x + 3 * i, bits, sizeof bits);
            scan->p += RECORD;
        }
        if (r->tag[i] < 0)
            return fail_at(r, scan->p, "%lld is no tag of a node", (long long)r->tag[i]);
    }
    r->builder.n_vert = n;
    return binary ? check_point(r, x, 3 * n, start, RECORD) : PL_OK;
}

static pl_status map_tags(reader *r)
{
    int64_t duplicate;
    PL_TRY(pl_tag_map_make(r->tag, r->builder.n_vert, &r->map, &duplicate));
    if (duplicate < 0) return PL_OK;
    return fail_at(r, r->scan.p, "two nodes have the tag %lld", (long long)r->tag[duplicate]);
}

// --- Elements ---

static pl_status fail_node(const reader *r, const char *place, int64_t tag)
{
    return fail_at(r, place, "an element refers to node %lld, which the file does not have",
                   (long long)tag);
}

static pl_status reserve_elements(reader *r, int64_t type, int64_t n)
{
    if (type == PL_GMSH_TET) return pl_builder_reserve_tets(&r->builder, n);
    if (type == PL_GMSH_TRIANGLE) return pl_builder_reserve_faces(&r->builder, n);
    return type == PL_GMSH_QUAD ? pl_builder_reserve_faces(&r->builder, 2 * n) : PL_OK;
}

static inline bool is_read(int64_t type)
{
    return type >= PL_GMSH_TRIANGLE && type <= PL_GMSH_TET;
}

// Appends an element of a type that is read; room is reserved.
static inline void push_element(pl_mesh_builder *b, int64_t type, const int32_t v[4])
{
    if (type == PL_GMSH_TET) {
        memcpy(b->tet + 4 * b->n_tet++, v, 4 * sizeof *v);
        return;
    }
    memcpy(b->face + 3 * b->n_face++, v, 3 * sizeof *v);
    if (type == PL_GMSH_QUAD) {
        memcpy(b->face + 3 * b->n_face++, (int32_t[]){v[0], v[2], v[3]}, 3 * sizeof *v);
    }
}

// The nodes of one element as text.
static inline pl_status take_text_corners(reader *r, int corners, int32_t v[4])
{
    for (int k = 0; k < corners; k++) {
        int64_t tag;
        pl_scan_space(&r->scan);
        const char *place = r->scan.p;
        if (!pl_scan_int64(&r->scan, &tag)) {
            return pl_scan_fail(&r->scan, "expected a node of an element");
        }
        v[k] = pl_tag_find(&r->map, tag);
        if (v[k] < 0) return fail_node(r, place, tag);
    }
    return PL_OK;
}

// n elements of one type as text: each its tag and its nodes.
static pl_status take_text_elements(reader *r, int64_t type, int64_t n)
{
    pl_scan *scan = &r->scan;
    if (!is_read(type)) {
        pl_scan_space(scan);
        for (int64_t i = 0; i < n && !pl_scan_at_end(scan); i++) pl_scan_next_line(scan);
        skip_elements(r, type, n);
        return PL_OK;
    }
    PL_TRY(reserve_elements(r, type, n));
    for (int64_t i = 0; i < n; i++) {
        int64_t tag;
        int32_t v[4];
        PL_TRY(pl_scan_ints(scan, 1, &tag));
        PL_TRY(take_text_corners(r, nodes_of_type[type], v));
        push_element(&r->builder, type, v);
    }
    return PL_OK;
}

// The usual case, done fast: the vertices of n elements, where each has `before` values in front of
// its nodes and the map is a table or nothing but an offset. Returns whether all of them exist.
static bool gather_corners(const reader *r, const pl_array *values, int64_t before, int corners,
                           int64_t n, int32_t *to)
{
    const pl_tag_map *map = &r->map;
    if (pl_array_gather(values, before, before + corners, corners, n, map->first,
                        (int64_t)map->range, to) < n) {
        return false;
    }
    if (map->index == NULL) return true;
    int32_t all = 0; // negative if one is
    for (int64_t i = 0; i < corners * n; i++) {
        to[i] = map->index[to[i]];
        all |= to[i];
    }
    return all >= 0;
}

// n elements of one type in binary: `before` values, then the nodes.
static pl_status take_binary_elements(reader *r, int64_t type, int64_t n, int64_t before,
                                      pl_number_type number)
{
    int corners = nodes_of_type[type];
    if (corners == 0) {
        return pl_scan_fail_byte(&r->scan, "elements of the unknown type %lld", (long long)type);
    }
    int64_t record = before + corners;
    size_t left = pl_scan_left(&r->scan);
    if (n < 0 || (uint64_t)n > left / pl_number_size(number) / (uint64_t)record) {
        return pl_scan_fail_byte(&r->scan, "%lld elements do not fit into the %zu bytes left",
                                 (long long)n, left);
    }
    pl_array values;
    PL_TRY(pl_array_bytes(&r->scan, number, r->swap, n * record, &values));
    if (!is_read(type)) {
        skip_elements(r, type, n);
        return PL_OK;
    }
    PL_TRY(reserve_elements(r, type, n));
    pl_mesh_builder *b = &r->builder;
    bool tets = type == PL_GMSH_TET;
    if (type != PL_GMSH_QUAD && r->map.sorted == NULL && r->map.range <= INT32_MAX) {
        int32_t *to = tets ? b->tet + 4 * b->n_tet : b->face + 3 * b->n_face;
        if (gather_corners(r, &values, before, corners, n, to)) {
            *(tets ? &b->n_tet : &b->n_face) += n;
            return PL_OK;
        }
    }
    for (int64_t i = 0; i < n; i++) {
        int64_t tag[4];
        int32_t v[4];
        pl_array_ints(&values, i * record + before, corners, tag);
        for (int k = 0; k < corners; k++) {
            v[k] = pl_tag_find(&r->map, tag[k]);
            if (v[k] >= 0) continue;
            int64_t at = i * record + before + k;
            return fail_node(r, values.origin + (size_t)at * pl_number_size(number), tag[k]);
        }
        push_element(b, type, v);
    }
    return PL_OK;
}

static pl_status check_type(const reader *r, int64_t type, const char *place)
{
    if (type > 0 && type < PL_GMSH_TYPES) return PL_OK;
    return fail_at(r, place, "%lld is no type of elements", (long long)type);
}

static pl_status take_elements4(reader *r)
{
    int64_t n_blocks, n_elements, dimension, entity, type, n, ignored;
    PL_TRY(take(r, 8, "the number of blocks", &n_blocks));
    PL_TRY(take(r, 8, "the number of elements", &n_elements));
    if (n_elements < 0) return fail_at(r, r->scan.p, "a negative number of elements");
    PL_TRY(take(r, 8, "the smallest tag", &ignored));
    PL_TRY(take(r, 8, "the largest tag", &ignored));
    for (int64_t i = 0; i < n_blocks; i++) {
        const char *place = r->scan.p;
        PL_TRY(take(r, 4, "the dimension of an entity", &dimension));
        PL_TRY(take(r, 4, "the tag of an entity", &entity));
        PL_TRY(take(r, 4, "the type of the elements", &type));
        PL_TRY(check_type(r, type, place));
        PL_TRY(take_count(r, 8, "the number of elements in the block", 4, &n));
        if (n > n_elements) return fail_at(r, place, "more elements than announced");
        PL_TRY(r->binary ? take_binary_elements(r, type, n, 1, PL_INT64)
                         : take_text_elements(r, type, n));
        n_elements -= n;
    }
    if (n_elements != 0) {
        return fail_at(r, r->scan.p, "the blocks hold %lld elements less than announced",
                       (long long)n_elements);
    }
    return PL_OK;
}

// Version 2 as text: tag, type, number of further tags, these, nodes.
static pl_status take_element2(reader *r)
{
    pl_scan *scan = &r->scan;
    int64_t head[3], ignored;
    PL_TRY(pl_scan_ints(scan, 3, head));
    PL_TRY(check_type(r, head[1], scan->p));
    if (!is_read(head[1])) {
        skip_elements(r, head[1], 1);
        pl_scan_next_line(scan);
        return PL_OK;
    }
    for (int64_t k = 0; k < head[2]; k++) PL_TRY(pl_scan_ints(scan, 1, &ignored));
    int32_t v[4];
    PL_TRY(take_text_corners(r, nodes_of_type[head[1]], v));
    PL_TRY(reserve_elements(r, head[1], 1)); // types may change with every line
    push_element(&r->builder, head[1], v);
    return PL_OK;
}

static pl_status take_elements2(reader *r)
{
    int64_t n, type, follow, n_tags;
    bool binary = r->binary;
    r->binary = false;
    pl_status status = take(r, 8, "the number of elements", &n);
    r->binary = binary;
    PL_TRY(status);
    if (n < 0) return pl_scan_fail(&r->scan, "a negative number of elements");
    for (int64_t i = 0; !binary && i < n; i++) PL_TRY(take_element2(r));
    if (binary) pl_scan_next_line(&r->scan);
    while (binary && n > 0) {
        const char *place = r->scan.p;
        PL_TRY(take(r, 4, "the type of the elements", &type));
        PL_TRY(check_type(r, type, place));
        PL_TRY(take(r, 4, "the number of elements that follow", &follow));
        PL_TRY(take(r, 4, "the number of tags", &n_tags));
        if (follow <= 0 || follow > n || n_tags < 0 || n_tags > 64) {
            return fail_at(r, place, "a block of %lld elements: the header is damaged",
                           (long long)follow);
        }
        PL_TRY(take_binary_elements(r, type, follow, 1 + n_tags, PL_INT32));
        n -= follow;
    }
    return PL_OK;
}

// --- Sections ---

static pl_status take_header(reader *r)
{
    pl_scan *scan = &r->scan;
    double version;
    int64_t type, size;
    pl_scan_space(scan);
    if (!pl_scan_word(scan, "$MeshFormat")) return pl_scan_fail(scan, "expected $MeshFormat");
    pl_scan_space(scan);
    if (!pl_scan_double(scan, &version) || !pl_scan_int64(scan, &type) ||
        !pl_scan_int64(scan, &size)) {
        return pl_scan_fail(scan, "expected version, type and size of the format");
    }
    r->version2 = version >= 2 && version < 3;
    if (!r->version2 && version != 4.1) {
        return pl_fail(PL_ERROR_UNSUPPORTED,
                       "%s: Gmsh format %g: only 2.2 and 4.1 are read; save it as one of them",
                       scan->name, version);
    }
    if (type != 0 && type != 1) return pl_scan_fail(scan, "the type is neither 0 nor 1");
    r->binary = type == 1;
    if (r->binary && size != 8) {
        return pl_fail(PL_ERROR_UNSUPPORTED, "%s: binary Gmsh with numbers of %lld bytes, not 8",
                       scan->name, (long long)size);
    }
    if (r->binary) {
        int32_t one = 0;
        pl_scan_next_line(scan);
        pl_scan_bytes(scan, &one, sizeof one);
        r->swap = one == 0x01000000;
        if (one != 1 && !r->swap) return pl_scan_fail_byte(scan, "expected a binary 1 before here");
    }
    pl_scan_space(scan);
    if (!pl_scan_word(scan, "$EndMeshFormat")) return pl_scan_fail(scan, "expected $EndMeshFormat");
    return PL_OK;
}

// Moves behind "$EndName" of a section that does not matter.
static pl_status skip_section(reader *r, const char *name)
{
    char end[SECTION_NAME_MAX + 8];
    int length = snprintf(end, sizeof end, "\n$End%s", name);
    const char *found = memmem(r->scan.p, pl_scan_left(&r->scan), end, (size_t)length);
    if (found == NULL) return fail_at(r, r->scan.p, "the section is not closed");
    r->scan.p = found + length;
    return PL_OK;
}

static pl_status take_end(reader *r, const char *word)
{
    pl_scan_space(&r->scan);
    if (pl_scan_word(&r->scan, word)) return PL_OK;
    return fail_at(r, r->scan.p, "expected %s", word);
}

static pl_status take_section(reader *r)
{
    pl_scan *scan = &r->scan;
    char name[SECTION_NAME_MAX] = {0};
    const char *start = scan->p;
    for (size_t n = 0; !pl_scan_at_end(scan) && (unsigned char)*scan->p > ' '; scan->p++) {
        if (n + 1 < sizeof name) name[n++] = *scan->p;
    }
    if (name[0] != '$' || strlen(name) < 2 || strncmp(name, "$End", 4) == 0) {
        return fail_at(r, start, "expected a section like $Nodes");
    }
    if (strcmp(name, "$ParametricNodes") == 0) {
        return pl_fail(PL_ERROR_UNSUPPORTED,
                       "%s: $ParametricNodes: save the mesh without parametric coordinates",
                       scan->name);
    }
    if (strcmp(name, "$Nodes") != 0 && strcmp(name, "$Elements") != 0) {
        return skip_section(r, name + 1);
    }
    pl_scan_next_line(scan);
    if (strcmp(name, "$Nodes") == 0) {
        PL_TRY(r->version2 ? take_nodes2(r) : take_nodes4(r));
        PL_TRY(map_tags(r));
        return take_end(r, "$EndNodes");
    }
    if (!r->has_nodes || r->has_elements) {
        return fail_at(r, start, "$Elements must come once, and behind $Nodes");
    }
    r->has_elements = true;
    PL_TRY(r->version2 ? take_elements2(r) : take_elements4(r));
    return take_end(r, "$EndElements");
}

static pl_status read_file(reader *r)
{
    PL_TRY(take_header(r));
    for (pl_scan_space(&r->scan); !pl_scan_at_end(&r->scan); pl_scan_space(&r->scan)) {
        PL_TRY(take_section(r));
    }
    // Gmsh writes both, be they empty: a file without one of them was cut off.
    if (r->has_nodes && r->has_elements) return PL_OK;
    return fail_at(r, r->scan.p, "the file has no %s", r->has_nodes ? "$Elements" : "$Nodes");
}

bool pl_sniff_gmsh(const pl_bytes *bytes, const char *name)
{
    pl_scan scan = pl_scan_start(bytes, name);
    pl_scan_space(&scan);
    return pl_scan_word(&scan, "$MeshFormat");
}

pl_status pl_read_gmsh(const pl_bytes *bytes, const char *name, pl_mesh **out)
{
    *out = NULL;
    reader r = {.scan = pl_scan_start(bytes, name)};
    pl_status status = read_file(&r);
    pl_free(r.tag);
    pl_tag_map_free(&r.map);
    if (status != PL_OK) {
        pl_builder_free(&r.builder);
        return status;
    }
    pl_log_skipped(name, r.skipped, type_names, PL_GMSH_TYPES);
    return pl_builder_finish(&r.builder, out);
}
