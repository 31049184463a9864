// pliant bench peers: Pliant beside Bullet and MuJoCo. The harness is a program of its own, which
// `make peers` builds (tests/peers): nothing of theirs is linked into the command.

#include "bench.h"
#include "../common/paths.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { PATH_SIZE = 4096 };

pl_status pl_bench_peers_folder(char *folder, size_t size)
{
    static const char PEERS[] = "peers";
    ssize_t n = readlink("/proc/self/exe", folder, size - sizeof PEERS);
    if (n <= 0) return pl_fail(PL_ERROR_FILE, "/proc/self/exe: %s", strerror(errno));
    folder[n] = '\0';
    char *name = strrchr(folder, '/') + 1;
    memcpy(name, PEERS, sizeof PEERS);
    return PL_OK;
}

static pl_status run(char **argv)
{
    pid_t child;
    int end;
    fflush(NULL);
    int error = posix_spawn(&child, argv[0], NULL, NULL, argv, environ);
    if (error != 0) {
        return pl_fail(PL_ERROR_FILE,
                       "%s: %s; 'make peers' installs Bullet and MuJoCo and builds it", argv[0],
                       strerror(error));
    }
    while (waitpid(child, &end, 0) < 0) {
        if (errno != EINTR) return pl_fail(PL_ERROR_FILE, "%s: %s", argv[0], strerror(errno));
    }
    if (WIFEXITED(end) && WEXITSTATUS(end) == 0) return PL_OK;
    return pl_fail(PL_ERROR_NUMERICS, "%s: it failed, as it says above", argv[0]);
}

pl_status pl_bench_peers(const pl_bench_options *options)
{
    char folder[PATH_SIZE], program[PATH_SIZE + 8], csv[PATH_SIZE];
    PL_TRY(pl_bench_peers_folder(folder, sizeof folder));
    snprintf(program, sizeof program, "%s/peers", folder);
    PL_TRY(pl_make_folder(options->out));
    if (snprintf(csv, sizeof csv, "%s/peers.csv", options->out) >= (int)sizeof csv) {
        return pl_fail(PL_ERROR_ARGUMENT, "--out: the path is too long");
    }
    char *full[] = {program, folder, "--csv", csv, NULL};
    char *quick[] = {program,  folder, "--csv",   csv,  "--workload", "block",
                     "--fall", "20",   "--steps", "20", NULL};
    return run(options->quick ? quick : full);
}
