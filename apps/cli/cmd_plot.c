// pliant plot: the statistics of runs as a picture.

#include "args.h"
#include "commands.h"
#include "../plot/draw_runs.h"

static const char NOTES[] =
    "Without --columns: iterations, residual, errors of contacts, time per stage and contacts; of\n"
    "several runs, one curve each. Errors, residuals and gaps have logarithmic axes, and so has\n"
    "what is all spikes; 0 is a gap there. apps/README.md lists the columns of a run.\n\n"
    "--figure N is that of VJ19, from tables that 'pliant bench figures' makes (all) or\n"
    "'pliant run --stats' (9 to 11, 13):\n"
    "   6  residuals of CR by iteration, and where contacts were updated; a panel per file\n"
    "   9  iterations of runs with different steps\n"
    "  10  time and iterations of different solvers\n"
    "  11  iterations of different solvers\n"
    "  12  time of a solve and of building the Delassus operator, by constraints\n"
    "  13  the largest Fischer-Burmeister error of each step, of non-penetration, static and\n"
    "      kinetic friction, with lines at both tolerances\n";

int pl_command_plot(int argc, char **argv)
{
    pl_drawing d = pl_drawing_default();
    const pl_option options[] = {
        {"-o", PL_OPTION_TEXT, &d.out, "PLOT.svg", "where to"},
        {"--columns", PL_OPTION_TEXT, &d.columns, "A,B+C,...",
         "a panel for each; + puts several into one"},
        {"--log", PL_OPTION_FLAG, &d.log, NULL, "logarithmic axes everywhere"},
        {"--x", PL_OPTION_TEXT, &d.x, "time|step", "over which; default time"},
        {"--names", PL_OPTION_TEXT, &d.names, "A,B,...", "of the runs; default as their files"},
        {"--title", PL_OPTION_TEXT, &d.title, "TEXT", "above all; default none"},
        {"--figure", PL_OPTION_COUNT, &d.figure, "N", "see below"},
        {"--residual-tolerance", PL_OPTION_NUMBER, &d.residual_tolerance, "X",
         "of --figure 13; default 1e-5"},
        {"--contact-tolerance", PL_OPTION_NUMBER, &d.contact_tolerance, "X",
         "of --figure 13 [m]; default 1e-6"},
    };
    const pl_command command = {
        .usage = "plot STATS.csv... -o PLOT.svg [options]",
        .summary = "Draws the statistics of one run, or of several over each other.",
        .options = options,
        .n_options = sizeof options / sizeof options[0],
        .notes = NOTES,
        .least = 1,
        .most = INT32_MAX,
    };
    int n_words, exit_code;
    if (!pl_args_read(&command, argc, argv, &n_words, &exit_code)) return exit_code;
    return pl_draw_runs(&d, n_words, argv) == PL_OK ? 0 : pl_command_failed();
}
