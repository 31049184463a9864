// A loop has a number, its generation. Its chunks are dealt out in slices, one for each thread,
// which takes from its own first, so that it finds in its cache what it had there in the last loop,
// and then from those of others. A slice is one word: the generation, the next chunk and the one
// where it ends. A thread claims a chunk by compare and exchange of the whole word. If that
// succeeds, no other thread has the chunk, and the loop cannot end before it is done; so all that
// was read of the loop since the word was is of this loop. If it fails, that may be of no loop at
// all, and is not used.

#include "team.h"

#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

// A worker that has nothing to do looks for a loop this long before it sleeps, and a caller as long
// for the end of the chunks that workers have begun: a few times what it takes to be woken [s].
static const double PATIENCE = 100e-6;

enum {
    // Chunks that a caller does alone while all workers sleep, before it wakes them: a loop of more
    // wakes them at once. Twice as many after each time that they have then done less than a few
    // before they fell asleep again: loops are too short or too far apart for them.
    LEAST_ALONE = 16,
    MOST_ALONE = 512,
    WORTH = 4,
    LINE = 64,             // bytes that caches exchange
    MOST_CHUNKS = 1 << 14, // of a loop: their numbers have 16 bits
};

typedef struct slice {
    _Alignas(LINE) _Atomic uint64_t left; // generation << 32 | end << 16 | next
} slice;

typedef struct team team;

typedef struct worker {
    team *team;
    int32_t slot;
    pthread_t thread;
} worker;

struct team {
    // The loop.
    slice slice[PL_MAX_THREADS];
    _Atomic int32_t n_slot; // threads that may take part
    _Atomic(pl_loop_fn *) body;
    _Atomic(void *) context;
    _Atomic int64_t n, chunk;
    // What workers wait for.
    _Alignas(LINE) _Atomic uint32_t generation;
    _Atomic uint32_t n_asleep;
    _Atomic bool ends;
    // What the caller waits for: chunks that workers have done.
    _Alignas(LINE) _Atomic uint32_t n_done;
    _Atomic bool awaited;

    int32_t n_worker;
    bool all; // the system gives no more
    // Is it worth waking them?
    int64_t alone, most_alone; // chunks done without them, and how many may be
    int64_t helped;            // chunks that they have done since they were woken last
    bool woken;
    worker worker[PL_MAX_THREADS];
};

static _Thread_local team *own;         // of this thread, if it calls
static _Thread_local int32_t n_threads; // 0: one per core
static _Thread_local int32_t slot;
static _Thread_local bool inside; // of a body

// --- Waiting ---

static void sleep_on(_Atomic uint32_t *word, uint32_t value)
{
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
}

static void wake(_Atomic uint32_t *word, int n)
{
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, n, NULL, NULL, 0);
}

static void relax(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

// Looks at the word until it is no longer `value`, for a while. Returns what it is.
static uint32_t watch(_Atomic uint32_t *word, uint32_t value)
{
    double start = pl_seconds();
    do {
        for (int i = 0; i < 16; i++) {
            uint32_t now = atomic_load_explicit(word, memory_order_acquire);
            if (now != value) return now;
            relax();
        }
    } while (pl_seconds() - start < PATIENCE);
    return value;
}

// --- The work ---

// Does chunks of a slice as long as there are any. Returns how many.
static uint32_t work_on(team *t, slice *s, int32_t own_slot)
{
    uint32_t done = 0;
    for (;;) {
        uint64_t left = atomic_load_explicit(&s->left, memory_order_acquire);
        uint32_t next = left & 0xffff, end = left >> 16 & 0xffff;
        if (next >= end) return done;
        if (own_slot >= atomic_load_explicit(&t->n_slot, memory_order_relaxed)) return done;
        pl_loop_fn *body = atomic_load_explicit(&t->body, memory_order_relaxed);
        void *context = atomic_load_explicit(&t->context, memory_order_relaxed);
        int64_t n = atomic_load_explicit(&t->n, memory_order_relaxed);
        int64_t chunk = atomic_load_explicit(&t->chunk, memory_order_relaxed);
        if (!atomic_compare_exchange_strong_explicit(&s->left, &left, left + 1,
                                                     memory_order_acq_rel, memory_order_relaxed)) {
            continue;
        }
        int64_t first = next * chunk;
        body(context, first, PL_MIN(first + chunk, n));
        done++;
    }
}

// Does what is left of the loop, from the own slice on.
static uint32_t work(team *t, int32_t own_slot)
{
    int32_t n_slot = atomic_load_explicit(&t->n_slot, memory_order_relaxed);
    uint32_t done = 0;
    for (int32_t i = 0; i < n_slot; i++) {
        done += work_on(t, &t->slice[(own_slot + i) % n_slot], own_slot);
    }
    return done;
}

static void *serve(void *argument)
{
    worker *w = argument;
    team *t = w->team;
    uint32_t seen = 0;
    inside = true;
    slot = w->slot;
    for (;;) {
        uint32_t now = watch(&t->generation, seen);
        if (now == seen) {
            atomic_fetch_add(&t->n_asleep, 1);
            sleep_on(&t->generation, seen);
            atomic_fetch_sub(&t->n_asleep, 1);
            continue;
        }
        if (atomic_load(&t->ends)) return NULL;
        seen = now;
        uint32_t done = work(t, slot);
        if (done == 0) continue;
        atomic_fetch_add(&t->n_done, done);
        if (atomic_load(&t->awaited)) wake(&t->n_done, 1);
    }
}

// --- Teams ---

static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int32_t n_cores = 1;

// The thread that has it ends.
static void end_team(void *argument)
{
    team *t = argument;
    atomic_store(&t->ends, true);
    atomic_fetch_add(&t->generation, 1);
    wake(&t->generation, PL_MAX_THREADS);
    for (int32_t i = 0; i < t->n_worker; i++) pthread_join(t->worker[i].thread, NULL);
    free(t);
    own = NULL;
}

// A child process has the thread that forked, and no workers.
static void forget_team(void)
{
    own = NULL;
    pthread_setspecific(key, NULL);
}

static void set_up(void)
{
    cpu_set_t cores;
    if (sched_getaffinity(0, sizeof cores, &cores) == 0) n_cores = CPU_COUNT(&cores);
    n_cores = PL_MAX(1, PL_MIN(n_cores, PL_MAX_THREADS));
    pthread_key_create(&key, end_team);
    pthread_atfork(NULL, NULL, forget_team);
}

// A team of at least n_worker workers, or as many as can be had; NULL if there can be none. Its
// memory is not of pl_set_allocator's, which may be another one when the thread ends.
static team *get_team(int32_t n_worker)
{
    pthread_once(&once, set_up);
    if (own == NULL) {
        own = aligned_alloc(LINE, sizeof *own);
        if (own == NULL) return NULL;
        memset(own, 0, sizeof *own);
        own->most_alone = LEAST_ALONE;
        pthread_setspecific(key, own);
    }
    if (own->n_worker >= n_worker || own->all) return own;
    sigset_t every, before;
    sigfillset(&every);
    pthread_sigmask(SIG_SETMASK, &every, &before); // signals are for the program's own threads
    while (own->n_worker < n_worker && !own->all) {
        worker *w = &own->worker[own->n_worker];
        *w = (worker){.team = own, .slot = own->n_worker + 1};
        own->all = pthread_create(&w->thread, NULL, serve, w) != 0;
        own->n_worker += !own->all;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return own;
}

// --- Loops ---

// Deals the chunks out.
static void publish(team *t, int32_t n_slot, int64_t n_chunk)
{
    uint64_t generation = (uint64_t)(atomic_load(&t->generation) + 1) << 32;
    for (int64_t i = 0; i < n_slot; i++) {
        uint64_t next = (uint64_t)(n_chunk * i / n_slot);
        uint64_t end = (uint64_t)(n_chunk * (i + 1) / n_slot);
        atomic_store_explicit(&t->slice[i].left, generation | end << 16 | next,
                              memory_order_release);
    }
    atomic_fetch_add(&t->generation, 1);
    int32_t awake = t->n_worker - (int32_t)atomic_load(&t->n_asleep);
    if (n_slot - 1 > awake) wake(&t->generation, n_slot - 1 - awake);
}

// Is a loop to be shared? Always if a worker is awake.
static bool is_shared(team *t, int64_t n_chunk)
{
    if ((int32_t)atomic_load(&t->n_asleep) < t->n_worker) return true;
    if (t->woken) {
        t->most_alone = t->helped >= WORTH ? LEAST_ALONE : PL_MIN(2 * t->most_alone, MOST_ALONE);
        t->woken = false;
        t->alone = 0;
    }
    t->alone += n_chunk;
    if (t->alone < t->most_alone) return false;
    t->woken = true;
    t->helped = 0;
    return true;
}

// Waits for the chunks that workers have begun.
static void await(team *t, uint32_t all)
{
    for (uint32_t n = atomic_load(&t->n_done); n != all;) {
        uint32_t now = watch(&t->n_done, n);
        if (now == n) {
            atomic_store(&t->awaited, true);
            sleep_on(&t->n_done, n);
            atomic_store(&t->awaited, false);
            now = atomic_load(&t->n_done);
        }
        n = now;
    }
}

void pl_loop(int64_t n, int64_t least, pl_loop_fn *body, const void *context)
{
    if (n <= 0) return;
    int64_t n_chunk = PL_MAX(1, PL_MIN(n / least, MOST_CHUNKS));
    int32_t most = (int32_t)PL_MIN(n_chunk, pl_threads());
    team *t = most > 1 ? get_team(most - 1) : NULL;
    if (t == NULL || t->n_worker == 0 || !is_shared(t, n_chunk)) {
        int32_t before = slot; // a loop within a body has its own
        bool within = inside;
        slot = 0;
        inside = within || most > 1; // as if others had helped
        body((void *)context, 0, n);
        slot = before;
        inside = within;
        return;
    }
    int32_t n_slot = PL_MIN(most, t->n_worker + 1);
    int64_t chunk = (n + n_chunk - 1) / n_chunk;
    n_chunk = (n + chunk - 1) / chunk;
    atomic_store_explicit(&t->n_slot, n_slot, memory_order_relaxed);
    atomic_store_explicit(&t->body, body, memory_order_relaxed);
    atomic_store_explicit(&t->context, (void *)context, memory_order_relaxed);
    atomic_store_explicit(&t->n, n, memory_order_relaxed);
    atomic_store_explicit(&t->chunk, chunk, memory_order_relaxed);
    atomic_store_explicit(&t->n_done, 0, memory_order_relaxed);
    publish(t, n_slot, n_chunk);
    inside = true;
    uint32_t done = work(t, 0);
    inside = false;
    t->helped += n_chunk - done;
    await(t, (uint32_t)n_chunk - done);
}

// --- Numbers of threads ---

int32_t pl_threads(void)
{
    if (inside) return 1;
    if (n_threads > 0) return n_threads;
    pthread_once(&once, set_up);
    return n_cores;
}

int32_t pl_thread_slot(void)
{
    return slot;
}

int32_t pl_threads_set(int32_t n)
{
    PL_ASSERT(n >= 0 && n <= PL_MAX_THREADS);
    int32_t before = n_threads;
    n_threads = n;
    return before;
}

int32_t pl_threads_enter(int32_t n)
{
    return pl_threads_set(n > 0 ? n : n_threads);
}

pl_status pl_threads_check(int32_t n)
{
    if (n >= 0 && n <= PL_MAX_THREADS) return PL_OK;
    return pl_fail(PL_ERROR_ARGUMENT, "threads: %d is not from 0 (one per core) to %d", (int)n,
                   (int)PL_MAX_THREADS);
}
