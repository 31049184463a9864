#include "bench_figure.h"
#include "bench_scene.h"
#include "../../base/file.h"
#include "../plot/plot.h"

#include <stdio.h>
#include <string.h>

pl_status pl_figure_add(pl_figure *figure, int32_t p, const char *label, double x, double y)
{
    pl_figure_panel *panel = &figure->panel[p];
    figure->n = PL_MAX(figure->n, p + 1);
    int32_t k = 0;
    while (k < panel->n && strcmp(panel->series[k].label, label) != 0) k++;
    PL_ASSERT(k < PL_FIGURE_SERIES);
    pl_series *s = &panel->series[k];
    if (k == panel->n) panel->n++;
    s->label = label;
    int64_t capacity = s->capacity;
    PL_TRY(pl_reserve((void **)&s->x, &capacity, s->n + 1, sizeof *s->x));
    PL_TRY(pl_reserve((void **)&s->y, &s->capacity, s->n + 1, sizeof *s->y));
    s->x[s->n] = x;
    s->y[s->n++] = y;
    return PL_OK;
}

void pl_figure_free(pl_figure *figure)
{
    for (int p = 0; p < PL_FIGURE_PANELS; p++) {
        for (int k = 0; k < figure->panel[p].n; k++) {
            pl_free(figure->panel[p].series[k].x);
            pl_free(figure->panel[p].series[k].y);
        }
        figure->panel[p].n = 0;
    }
}

static pl_status write_table(const pl_figure *figure, const char *path)
{
    pl_output out;
    PL_TRY(pl_output_open(path, &out));
    pl_output_printf(&out, "panel,curve,\"%s\",value\n", figure->x_label);
    for (int p = 0; p < figure->n; p++) {
        const pl_figure_panel *panel = &figure->panel[p];
        for (int k = 0; k < panel->n; k++) {
            const pl_series *s = &panel->series[k];
            for (int64_t i = 0; i < s->n; i++) {
                pl_output_printf(&out, "\"%s\",\"%s\",%.9g,%.9g\n", panel->title, s->label, s->x[i],
                                 s->y[i]);
            }
        }
    }
    return pl_output_close(&out);
}

static pl_status draw(const pl_figure *figure, const char *path)
{
    pl_panel panel[PL_FIGURE_PANELS];
    pl_curve curve[PL_FIGURE_PANELS][PL_FIGURE_SERIES];
    for (int p = 0; p < figure->n; p++) {
        const pl_figure_panel *from = &figure->panel[p];
        for (int k = 0; k < from->n; k++) {
            const pl_series *s = &from->series[k];
            curve[p][k] = (pl_curve){.label = s->label,
                                     .colour = k % PL_PLOT_COLOURS,
                                     .x = s->x,
                                     .y = s->y,
                                     .n = s->n,
                                     .points = from->points};
        }
        panel[p] = (pl_panel){
            .title = from->title, .log = from->log, .curve = curve[p], .n_curve = from->n};
    }
    const pl_plot plot = {
        .title = figure->title, .x_label = figure->x_label, .panel = panel, .n_panel = figure->n};
    return pl_plot_write(&plot, path);
}

pl_status pl_figure_write(pl_figure *figure, const pl_bench_options *options, const char *name)
{
    static const char *const ends[] = {"csv", "svg"};
    pl_status status = PL_OK;
    bool any = false;
    for (int p = 0; p < figure->n; p++) any = any || figure->panel[p].n > 0;
    for (int i = 0; i < 2 && any && status == PL_OK; i++) {
        char file[64], *path;
        snprintf(file, sizeof file, "%s.%s", name, ends[i]);
        status = pl_bench_path(options, "", file, &path);
        if (status != PL_OK) break;
        status = i == 0 ? write_table(figure, path) : draw(figure, path);
        if (status == PL_OK && i == 1) printf("%s: %s\n", path, figure->title);
        pl_free(path);
    }
    pl_figure_free(figure);
    return status;
}
