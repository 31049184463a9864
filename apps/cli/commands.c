#include "commands.h"
#include "../../base/base.h"

#include <stdio.h>

const pl_command_entry pl_commands[] = {
    {"mesh", pl_command_mesh,
     "read, check, clean, decimate, fill with tetrahedra and write meshes"},
    {"import", pl_command_import, "make a scene of a robot's URDF or MJCF"},
    {"run", pl_command_run, "simulate a scene"},
    {"render", pl_command_render, "draw meshes, a scene or a run into a picture or a film"},
    {"view", pl_command_view, "play with a scene in a window"},
    {"audit", pl_command_audit, "prove that surfaces do not intersect, or show where they do"},
    {"solve", pl_command_solve, "solve recorded contact problems again, with any solver"},
    {"plot", pl_command_plot, "draw the statistics of runs"},
    {"ccd", pl_command_ccd, "try continuous collision detection on queries with known answers"},
    {"bench", pl_command_bench, "measure Pliant on this machine"},
    {"info", pl_command_info, "list devices, and what Pliant was built with"},
};

const int pl_n_command = sizeof pl_commands / sizeof pl_commands[0];

int pl_command_failed(void)
{
    fprintf(stderr, "pliant: %s\n", pl_error_text());
    return 1;
}
