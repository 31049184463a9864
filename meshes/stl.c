// STL, the format of stereolithography: triangles without connection, text or binary. Read as they
// are, three vertices per triangle; pl_mesh_clean welds them.

#include "io.h"

#include <strings.h>

// A binary file: a header of any content, a count, then per triangle a normal, three corners
// (12 floats, little endian) and two bytes of attributes.
enum { HEADER = 80, START = 84, RECORD = 50, NORMAL = 12 };

static inline uint32_t little32(const char *p)
{
    uint32_t v;
    memcpy(&v, p, sizeof v);
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
    v = __builtin_bswap32(v);
#endif
    return v;
}

// The size that the count demands. No text can have it by chance: four letters read as a count
// demand gigabytes.
static bool has_binary_size(const pl_bytes *bytes)
{
    return bytes->size >= START &&
           bytes->size == START + RECORD * (uint64_t)little32(bytes->data + HEADER);
}

static bool begins_with_solid(const pl_bytes *bytes)
{
    pl_scan scan = pl_scan_start(bytes, "");
    pl_scan_space(&scan);
    return pl_scan_left(&scan) >= 5 && strncasecmp(scan.p, "solid", 5) == 0;
}

// "solid" begins a text, but also the header of many a binary file; a zero byte gives that away
// (the count has one, if the header has none).
static bool is_text(const pl_bytes *bytes)
{
    return begins_with_solid(bytes) && !has_binary_size(bytes) &&
           memchr(bytes->data, 0, PL_MIN(bytes->size, START)) == NULL;
}

bool pl_sniff_stl(const pl_bytes *bytes, const char *name)
{
    (void)name;
    return has_binary_size(bytes) || is_text(bytes);
}

// --- Text ---

// Moves behind `word` in either case, if it is there. `word` is lower case.
static inline bool take(pl_scan *scan, const char *word, size_t length)
{
    pl_scan_space(scan);
    for (size_t i = 0; i < length; i++) {
        if ((scan->p[i] | 0x20) != word[i]) return false;
    }
    scan->p += length;
    return pl_scan_separated(scan);
}

#define TAKE(scan, word) take(scan, word, sizeof(word) - 1)

static inline bool read_corner(pl_scan *scan, double x[3])
{
    return TAKE(scan, "vertex") && pl_scan_double(scan, x) && pl_scan_double(scan, x + 1) &&
           pl_scan_double(scan, x + 2) && pl_scan_separated(scan);
}

// After "facet". The normal is skipped with its line: it follows from the corners, and files hold
// "nan" there.
static inline bool read_facet(pl_scan *scan, double x[9])
{
    pl_scan_next_line(scan);
    return TAKE(scan, "outer") && TAKE(scan, "loop") && read_corner(scan, x) &&
           read_corner(scan, x + 3) && read_corner(scan, x + 6) && TAKE(scan, "endloop") &&
           TAKE(scan, "endfacet");
}

static pl_status read_text(pl_scan *scan, pl_mesh_builder *mesh)
{
    bool inside = false; // between solid and endsolid
    for (pl_scan_space(scan); !pl_scan_at_end(scan); pl_scan_space(scan)) {
        if (inside && TAKE(scan, "facet")) {
            int64_t n = 3 * mesh->n_vert;
            if (n + 9 > mesh->x_capacity) {
                PL_TRY(pl_reserve_guess((void **)&mesh->x, &mesh->x_capacity, n, sizeof(double),
                                        scan, scan->begin));
            }
            if (!read_facet(scan, mesh->x + n)) {
                return pl_scan_fail(scan,
                                    "triangle %lld: expected outer loop, three times vertex with "
                                    "finite numbers, endloop, endfacet",
                                    (long long)mesh->n_vert / 3);
            }
            mesh->n_vert += 3;
        } else if (inside ? TAKE(scan, "endsolid") : TAKE(scan, "solid")) {
            inside = !inside;
            pl_scan_next_line(scan); // over the name
        } else {
            return pl_scan_fail(scan, "expected %s", inside ? "facet or endsolid" : "solid");
        }
    }
    return inside ? pl_scan_fail(scan, "the file ends without endsolid") : PL_OK;
}

// --- Binary ---

// x (9). False if a coordinate is not finite.
static inline bool read_record(const char *record, double *x)
{
    uint32_t special = 0; // the top bit, once an exponent is all ones
#pragma GCC unroll 9
    for (int k = 0; k < 9; k++) {
        uint32_t bits = little32(record + NORMAL + 4 * k);
        float value;
        memcpy(&value, &bits, sizeof value);
        special |= (bits & 0x7f800000u) + 0x00800000u;
        x[k] = value;
    }
    return special >> 31 == 0;
}

static pl_status read_binary(pl_scan *scan, pl_mesh_builder *mesh)
{
    scan->p = scan->begin;
    if (pl_scan_left(scan) < START) {
        return pl_scan_fail_byte(scan, "neither text nor long enough for a binary STL");
    }
    scan->p += START;
    int64_t n = little32(scan->p - 4), room = (int64_t)(pl_scan_left(scan) / RECORD);
    if (n > room || (n == 0 && pl_scan_left(scan) > 0)) {
        return pl_scan_fail_byte(scan,
                                 "%lld triangles declared, but %zu bytes (%lld triangles) follow",
                                 (long long)n, pl_scan_left(scan), (long long)room);
    }
    if (pl_scan_left(scan) > (size_t)(n * RECORD)) {
        pl_log(PL_LOG_WARNING, "%s: bytes after the last triangle ignored", scan->name);
    }
    PL_TRY(pl_reserve((void **)&mesh->x, &mesh->x_capacity, 9 * n, sizeof(double)));
    mesh->n_vert = 3 * n;
    for (int64_t i = 0; i < n; i++, scan->p += RECORD) {
        if (!read_record(scan->p, mesh->x + 9 * i)) {
            return pl_scan_fail_byte(scan, "not a finite coordinate");
        }
    }
    return PL_OK;
}

// --- Both ---

static pl_status number_faces(pl_mesh_builder *mesh)
{
    PL_TRY(pl_reserve((void **)&mesh->face, &mesh->face_capacity, mesh->n_vert, sizeof(int32_t)));
    for (int64_t i = 0; i < mesh->n_vert; i++) mesh->face[i] = (int32_t)i;
    mesh->n_face = mesh->n_vert / 3;
    return PL_OK;
}

pl_status pl_read_stl(const pl_bytes *bytes, const char *name, pl_mesh **out)
{
    *out = NULL;
    pl_scan scan = pl_scan_start(bytes, name);
    pl_mesh_builder mesh = {0};
    pl_status status = is_text(bytes) ? read_text(&scan, &mesh) : read_binary(&scan, &mesh);
    if (status == PL_OK) status = number_faces(&mesh);
    if (status == PL_OK) return pl_builder_finish(&mesh, out);
    pl_builder_free(&mesh);
    return status;
}
