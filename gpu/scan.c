#include "scan.h"

enum { PART = 16 * 256 }; // PL_SCAN_PART of kernels/scan.h

pl_status pl_gpu_scan(pl_gpu *gpu, int64_t n, const pl_gpu_buffer *count, pl_gpu_buffer *part,
                      const pl_gpu_buffer *start, int64_t *total)
{
    int64_t parts = (n + PART - 1) / PART;
    *total = 0;
    if (n == 0) return pl_gpu_state(gpu);
    PL_TRY(pl_gpu_reserve(gpu, part, parts + 1, sizeof(int64_t)));
    pl_gpu_launch_groups(gpu, "scan_parts", parts,
                         PL_ARGS(PL_ARG(n), PL_ARG(count), PL_ARG(start), PL_ARG(part)));
    pl_gpu_note(gpu, 12 * (double)n, 2 * (double)n);
    pl_gpu_launch(gpu, "scan_sums", 1, PL_ARGS(PL_ARG(parts), PL_ARG(part)));
    pl_gpu_launch(gpu, "scan_add", n, PL_ARGS(PL_ARG(n), PL_ARG(part), PL_ARG(start)));
    pl_gpu_note(gpu, 8 * (double)n, (double)n);
    PL_TRY(pl_gpu_read(gpu, part, 8 * parts, 8, total));
    if (*total <= INT32_MAX) return PL_OK;
    return pl_fail(PL_ERROR_MEMORY, "%lld pairs are too many for a device", (long long)*total);
}
