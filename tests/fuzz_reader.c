// One libFuzzer target per reader: compile with -DPL_FUZZ_READER=pl_read_ply or the like, or with
// -DPL_FUZZ_TETGEN for the pair of files. `make fuzz` builds them all. Run one for some minutes
// with
//
//     mkdir -p out/corpus && build/fuzz/ply -max_total_time=300 -rss_limit_mb=512 out/corpus
//
// What a reader accepts must be a valid mesh; what it refuses must have a reason.

#include "../meshes/io.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static pl_status load(const uint8_t *data, size_t size, pl_mesh **out)
{
    pl_bytes bytes;
    PL_TRY(pl_bytes_copy(data, size, &bytes));
#ifdef PL_FUZZ_TETGEN
    // The two files follow each other, a zero byte between them.
    const char *zero = memchr(bytes.data, 0, size);
    size_t node_size = zero != NULL ? (size_t)(zero - bytes.data) : size;
    pl_bytes node = {0}, ele = {0};
    pl_status status = pl_bytes_copy(bytes.data, node_size, &node);
    if (status == PL_OK && zero != NULL) {
        status = pl_bytes_copy(zero + 1, size - node_size - 1, &ele);
    }
    if (status == PL_OK) {
        status = pl_read_tetgen(&node, "fuzz.node", zero != NULL ? &ele : NULL, "fuzz.ele", out);
    }
    pl_bytes_free(&node);
    pl_bytes_free(&ele);
#else
    pl_status status = PL_FUZZ_READER(&bytes, "fuzz", out);
#endif
    pl_bytes_free(&bytes);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pl_mesh *mesh = NULL;
    pl_status status = load(data, size, &mesh);
    if (status == PL_OK && pl_mesh_validate(mesh) != PL_OK) abort();
    if (status != PL_OK && (mesh != NULL || pl_error_text()[0] == '\0')) abort();
    pl_mesh_destroy(mesh);
    return 0;
}
