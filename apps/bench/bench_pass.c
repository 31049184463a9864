// The plain pass that benchmarks compare with.

#include "bench_pass.h"

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

typedef struct pass_loop {
    const pl_span *span;
    _Atomic uint64_t sum;
} pass_loop;

static void pass_over(void *context, int64_t first, int64_t last)
{
    pass_loop *l = context;
    line *data = (line *)l->span->data + first;
    if (l->span->write) {
        write_lines(data, last - first);
    } else {
        l->sum += read_lines(data, last - first);
    }
}

void pl_pass_over(const pl_span *spans, int n)
{
    enum { CHUNK_LINES = 2048 }; // what a thread takes at least
    pass_loop l = {.sum = 0};
    for (int s = 0; s < n; s++) {
        l.span = &spans[s];
        pl_loop(spans[s].bytes / (int64_t)sizeof(line), CHUNK_LINES, pass_over, &l);
    }
    sink = l.sum;
}
