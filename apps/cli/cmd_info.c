// pliant info: the devices of this machine, and what this build is made of.

#include "args.h"
#include "commands.h"

#include <stdio.h>

enum { DEVICES = 33 };

static void print_device(const pl_device_info *d)
{
    printf("  %-10s %s\n", d->name, d->model);
    printf("             %s; %d %s", d->driver, d->units, d->units == 1 ? "unit" : "units");
    if (d->memory > 0) printf(", %.1f GB", 1e-9 * (double)d->memory);
    printf("%s\n", d->chosen ? "; --device auto chooses it" : "");
    if (d->lacks[0] != '\0') printf("             cannot be used: %s\n", d->lacks);
}

static void print_missing(const char *kind)
{
    const char *why = pl_device_missing(kind);
    if (why != NULL) printf("  %-10s none: %s\n", kind, why);
}

int pl_command_info(int argc, char **argv)
{
    const pl_command command = {
        .usage = "info",
        .summary =
            "Lists the devices that contact problems can be solved on, with their drivers and "
            "memory,\n"
            "and which of them --device auto chooses; and what this build of Pliant is made of.",
    };
    int n_words, exit_code;
    if (!pl_args_read(&command, argc, argv, &n_words, &exit_code)) return exit_code;
    pl_device_info device[DEVICES];
    int32_t n = pl_device_list(DEVICES, device);
    printf("pliant %s\n\nDevices:\n", pl_version());
    for (int32_t i = 0; i < n && i < DEVICES; i++) print_device(device + i);
    print_missing("cuda");
    print_missing("opencl");
    printf("\nBuilt with:\n");
    for (int32_t i = 0; pl_build_line(i) != NULL; i++) printf("  %s\n", pl_build_line(i));
    return 0;
}
