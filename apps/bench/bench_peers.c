// pliant bench peers, pliant bench siconos: Pliant beside Bullet and MuJoCo, and its solvers beside
// those of Siconos. The harnesses are programs of their own, which `make peers` and `make
// peers-siconos` build (tests/peers): nothing of theirs is linked into the command.

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

// `how` is what builds it.
static pl_status run(char **argv, const char *how)
{
    pid_t child;
    int end;
    fflush(NULL);
    int error = posix_spawn(&child, argv[0], NULL, NULL, argv, environ);
    if (error != 0) {
        return pl_fail(PL_ERROR_FILE, "%s: %s; %s and builds it", argv[0], strerror(error), how);
    }
    while (waitpid(child, &end, 0) < 0) {
        if (errno != EINTR) return pl_fail(PL_ERROR_FILE, "%s: %s", argv[0], strerror(errno));
    }
    if (WIFEXITED(end) && WEXITSTATUS(end) == 0) return PL_OK;
    return pl_fail(PL_ERROR_NUMERICS, "%s: it failed, as it says above", argv[0]);
}

// The program of this name, and the table that it writes.
static pl_status find(const pl_bench_options *options, const char *name, char *folder,
                      char *program, char *csv)
{
    PL_TRY(pl_bench_peers_folder(folder, PATH_SIZE));
    snprintf(program, PATH_SIZE + 16, "%s/%s", folder, name);
    PL_TRY(pl_make_folder(options->out));
    if (snprintf(csv, PATH_SIZE, "%s/%s.csv", options->out, name) < PATH_SIZE) return PL_OK;
    return pl_fail(PL_ERROR_ARGUMENT, "--out: the path is too long");
}

pl_status pl_bench_peers(const pl_bench_options *options)
{
    char folder[PATH_SIZE], program[PATH_SIZE + 16], csv[PATH_SIZE];
    PL_TRY(find(options, "peers", folder, program, csv));
    char *full[] = {program, folder, "--csv", csv, NULL};
    char *quick[] = {program,  folder, "--csv",   csv,  "--workload", "block",
                     "--fall", "20",   "--steps", "20", NULL};
    return run(options->quick ? quick : full, "'make peers' installs Bullet and MuJoCo");
}

// The problems of --problems, or walls of which the last has 764 contacts.
pl_status pl_bench_siconos(const pl_bench_options *options)
{
    char folder[PATH_SIZE], program[PATH_SIZE + 16], csv[PATH_SIZE];
    PL_TRY(find(options, "siconos", folder, program, csv));
    char wall_3[] = "wall:n=3", wall_6[] = "wall:n=6", wall_10[] = "wall:n=10";
    char *full[] = {program, "--csv", csv, wall_3, wall_6, wall_10, NULL};
    char *quick[] = {program, "--csv", csv, "--max-seconds", "1", wall_3, NULL};
    char *files[] = {program, "--csv", csv, (char *)options->problems, NULL};
    return run(options->problems != NULL ? files
               : options->quick          ? quick
                                         : full,
               "'make peers-siconos' installs Siconos");
}
