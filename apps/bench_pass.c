// The plain pass that benchmarks compare with.

#include "bench_pass.h"

#include <omp.h>

// A line of the cache, read at once where the machine can (in halves, the pass took 1.4 times as
// long).
typedef uint64_t line __attribute__((vector_size(64)));

PL_CLONES static uint64_t read_lines(const line *data, int64_t n)
{
    line a = {0}, b = {0}, c = {0}, d = {0};
    for (int64_t i = 0; i + 4 <= n; i += 4) {
        a += data[i];
        b += data[i + 1];
        c += data[i + 2];
        d += data[i + 3];
    }
    a += b + c + d;
    return a[0] ^ a[1] ^ a[2] ^ a[3] ^ a[4] ^ a[5] ^ a[6] ^ a[7];
}

PL_CLONES static void write_lines(line *data, int64_t n)
{
    for (int64_t i = 0; i < n; i++) data[i] += 1;
}

// Keeps the compiler from leaving out work whose result nobody reads.
static volatile uint64_t sink;

void pl_pass_over(const pl_span *spans, int n)
{
    uint64_t sum = 0;
#pragma omp parallel reduction(+ : sum)
    for (int s = 0; s < n; s++) {
        int64_t lines = spans[s].bytes / (int64_t)sizeof(line);
        int64_t first = lines * omp_get_thread_num() / omp_get_num_threads();
        int64_t last = lines * (omp_get_thread_num() + 1) / omp_get_num_threads();
        line *data = (line *)spans[s].data + first;
        if (spans[s].write) {
            write_lines(data, last - first);
        } else {
            sum += read_lines(data, last - first);
        }
    }
    sink = sum;
}
