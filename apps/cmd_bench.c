// pliant bench: measures Pliant on this machine.

#include "args.h"
#include "bench.h"
#include "commands.h"

#include <string.h>

int pl_command_bench(int argc, char **argv)
{
    pl_bench_options bench = {false};
    const pl_option options[] = {
        {"--quick", PL_OPTION_FLAG, &bench.quick, NULL, "small sizes, to see that it runs"},
    };
    const pl_command command = {
        "bench NAME [--quick]",
        "Measures Pliant on this machine. Claims are ratios of two times "
        "taken in the same run.",
        options,
        1,
        "NAME is\n  mesh     the mesh readers against a plain pass over the "
        "bytes\n",
        1,
        1};
    int n_words, exit_code;
    if (!pl_args_read(&command, argc, argv, &n_words, &exit_code)) return exit_code;
    static const char *const names[] = {"mesh"};
    if (strcmp(argv[0], "mesh") == 0) {
        return pl_bench_mesh(&bench) == PL_OK ? 0 : pl_command_failed();
    }
    pl_fail_unknown(PL_ERROR_ARGUMENT, "benchmark", argv[0], strlen(argv[0]), names, 1);
    return pl_command_failed();
}
