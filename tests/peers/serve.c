// The main function of a simulator under comparison: serve SCENE THREADS. Does what peers.c asks
// for until that closes the socket, and times its steps.

#include "peer.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static bool receive(void *data, size_t size)
{
    for (char *at = data; size > 0;) {
        ssize_t n = read(PEER_SOCKET, at, size);
        if (n <= 0) return false;
        at += n;
        size -= (size_t)n;
    }
    return true;
}

static bool answer(const void *data, size_t size)
{
    for (const char *at = data; size > 0;) {
        ssize_t n = write(PEER_SOCKET, at, size);
        if (n <= 0) return false;
        at += n;
        size -= (size_t)n;
    }
    return true;
}

static double milliseconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static bool steps(int32_t n)
{
    for (int32_t i = 0; i < n; i++) {
        peer_step step = {0};
        double wall = milliseconds(CLOCK_MONOTONIC), cpu = milliseconds(CLOCK_PROCESS_CPUTIME_ID);
        step.failed = !peer_advance(&step);
        step.wall = milliseconds(CLOCK_MONOTONIC) - wall;
        step.cpu = milliseconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
        if (!answer(&step, sizeof step)) return false;
        if (step.failed) return true;
    }
    return true;
}

// x and v lie one after the other in `state`, of `size` bytes in all.
static bool obey(const peer_request *request, const peer_workload *workload, int threads,
                 double *state, size_t size)
{
    double *v = state + 3 * (size_t)workload->n_vert;
    int32_t done;
    switch ((peer_order)request->order) {
    case PEER_OPEN:
        done = peer_open(workload, threads);
        return answer(&done, sizeof done);
    case PEER_STEP:
        return steps(request->n);
    case PEER_GET:
        peer_get(state, v);
        return answer(state, size);
    case PEER_SET:
        if (!receive(state, size)) return false;
        done = peer_set(state, v);
        return answer(&done, sizeof done);
    }
    return false;
}

int main(int argc, char **argv)
{
    peer_workload workload;
    if (argc != 3 || !peer_workload_load(argv[1], &workload)) return 1;
    size_t size = 6 * (size_t)workload.n_vert * sizeof(double);
    double *state = malloc(size);
    peer_request request;
    while (state != NULL && receive(&request, sizeof request) &&
           obey(&request, &workload, atoi(argv[2]), state, size)) {
    }
    free(state);
    peer_workload_free(&workload);
    return 0; // the simulator's world goes with the process
}
