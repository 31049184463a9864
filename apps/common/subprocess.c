#include "subprocess.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CHUNK = 1 << 16, POLL_MAX = 1000 * 1000 }; // bytes, milliseconds

// --- In the child ---

bool pl_subprocess_send(int answer, const void *data, size_t size)
{
    const char *p = data;
    while (size > 0) {
        ssize_t n = write(answer, p, size);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        p += n;
        size -= (size_t)n;
    }
    return true;
}

// What the process has mapped now [bytes]; the child inherits it, sanitizers' shadow included.
static int64_t address_space(void)
{
    char text[64] = {0};
    int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    if (fd < 0) return 0;
    ssize_t n = read(fd, text, sizeof text - 1);
    close(fd);
    return n > 0 ? strtoll(text, NULL, 10) * sysconf(_SC_PAGESIZE) : 0;
}

static void restrict_child(int answer, const pl_subprocess_limits *limits)
{
    // Another thread's pipe, kept open here, would make that thread wait for this child.
    if (answer > 3) close_range(3, (unsigned)answer - 1, 0);
    close_range((unsigned)answer + 1, ~0u, 0);
    static const int fatal[] = {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGPIPE, SIGTERM, SIGINT};
    for (size_t i = 0; i < sizeof fatal / sizeof fatal[0]; i++) signal(fatal[i], SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    rlim_t bytes = (rlim_t)(address_space() + limits->bytes);
    setrlimit(RLIMIT_AS, &(struct rlimit){bytes, bytes});
    int null = open("/dev/null", O_RDWR);
    for (int fd = 0; fd <= 2 && null >= 0; fd++) dup2(null, fd);
}

// --- In the parent ---

// Reads until the child closes its end. PL_OK says nothing yet about how the child fared.
static pl_status collect(const char *name, int fd, const pl_subprocess_limits *limits,
                         pl_bytes *answer)
{
    double deadline = pl_seconds() + limits->seconds;
    int64_t size = 0, capacity = 0;
    for (;;) {
        double left = deadline - pl_seconds();
        if (left <= 0) {
            return pl_fail(PL_ERROR_GEOMETRY, "%s did not finish within %.3g s", name,
                           limits->seconds);
        }
        struct pollfd event = {.fd = fd, .events = POLLIN};
        int ready = poll(&event, 1, (int)fmin(ceil(1000 * left), POLL_MAX));
        if (ready <= 0) continue; // interrupted, or time to look at the clock
        if (size > limits->bytes) {
            return pl_fail(PL_ERROR_MEMORY, "%s answered with more than %lld bytes", name,
                           (long long)limits->bytes);
        }
        PL_TRY(pl_reserve((void **)&answer->data, &capacity, size + CHUNK, 1));
        ssize_t n = read(fd, answer->data + size, CHUNK);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return PL_OK;
        size += n;
        answer->size = (size_t)size;
    }
}

static int wait_for(pid_t child)
{
    int status = 0;
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR)
            return 0; // the parent ignores SIGCHLD: the answer must speak for itself
    }
    return status;
}

static pl_status judge(const char *name, int status)
{
    if (WIFSIGNALED(status)) {
        return pl_fail(PL_ERROR_GEOMETRY, "%s crashed (signal %d)", name, WTERMSIG(status));
    }
    if (WEXITSTATUS(status) != 0) {
        return pl_fail(PL_ERROR_GEOMETRY, "%s failed (exit status %d)", name, WEXITSTATUS(status));
    }
    return PL_OK;
}

pl_status pl_subprocess_run(const char *name, pl_subprocess_fn *work, const void *argument,
                            const pl_subprocess_limits *limits, pl_bytes *answer)
{
    *answer = (pl_bytes){0};
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return pl_fail(PL_ERROR_MEMORY, "no pipe to %s can be opened: out of descriptors", name);
    }
    pid_t parent = getpid(), child = fork();
    if (child == 0) {
        // _exit, because what is in the parent's stdio buffers is the parent's to write.
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent) _exit(1); // it died before the line above
        restrict_child(ends[1], limits);
        _exit(work(ends[1], argument));
    }
    close(ends[1]);
    if (child < 0) {
        close(ends[0]);
        return pl_fail(PL_ERROR_MEMORY, "no process for %s can be started", name);
    }
    pl_status status = collect(name, ends[0], limits, answer);
    if (status != PL_OK) kill(child, SIGKILL);
    close(ends[0]);
    int ended = wait_for(child);
    if (status == PL_OK) status = judge(name, ended);
    if (status != PL_OK) pl_bytes_free(answer);
    return status;
}
