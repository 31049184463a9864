#include "collection.h"
#include "../common/csv.h"
#include "../common/paths.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ROW_MAX = 1024 };

pl_status pl_collection_open(const char *folder, pl_collection *out)
{
    *out = (pl_collection){.folder = folder};
    return pl_make_folder(folder);
}

void pl_collection_free(pl_collection *c)
{
    pl_free(c->item);
    *c = (pl_collection){0};
}

// The name without its extension, in letters that any file system takes.
static void set_name(const char *path, char name[128])
{
    size_t length = strlen(path);
    const char *extension = pl_extension_of(path);
    const char *const known[] = {".plp", ".hdf5", ".h5"};
    for (int i = 0; i < 3; i++) {
        if (strcmp(extension, known[i]) == 0) length -= strlen(extension);
    }
    while (length > 0 && path[length - 1] == '/') length--;
    snprintf(name, 128, "%.*s", (int)PL_MIN(length, 127), path);
    for (char *p = name; *p != '\0'; p++) {
        if (strchr("/:,;= \\\"'", *p) != NULL) *p = '-';
    }
}

static pl_status write_problem(const pl_collection *c, pl_instance *instance,
                               pl_collection_item *item)
{
    char *path;
    bool fclib = pl_fclib_available();
    pl_status status = PL_OK;
    item->format = "fclib";
    if (fclib) {
        PL_TRY(pl_path_in(&path, c->folder, "%s.hdf5", item->name));
        status = pl_instance_write(instance, path);
        pl_free(path);
        if (status != PL_ERROR_ARGUMENT) return status; // a law that FCLIB has not
    }
    item->format = "plp";
    PL_TRY(pl_path_in(&path, c->folder, "%s.plp", item->name));
    status = pl_instance_write(instance, path);
    pl_free(path);
    return status;
}

pl_status pl_collection_add(pl_collection *c, const char *name, pl_instance *instance,
                            const pl_outcome *outcome)
{
    if (instance->problem == NULL) {
        return pl_fail(PL_ERROR_ARGUMENT, "a collection holds contacts, not plain rows");
    }
    PL_TRY(pl_reserve((void **)&c->item, &c->capacity, c->n + 1, sizeof *c->item));
    pl_collection_item *item = c->item + c->n;
    *item = (pl_collection_item){.relative = outcome->relative, .dt = instance->size.dt};
    set_name(name, item->name);
    snprintf(item->solver, sizeof item->solver, "%s", outcome->solver);
    snprintf(item->end, sizeof item->end, "%s", outcome->end);
    PL_TRY(pl_traits_of(instance->problem, &item->traits));
    PL_TRY(write_problem(c, instance, item));
    c->n++;
    return PL_OK;
}

// --- The manifest ---

typedef struct column {
    const char *name;
    double (*value)(const pl_collection_item *item);
} column;

#define OF_TRAITS(field)                                                                           \
    static double get_##field(const pl_collection_item *item)                                      \
    {                                                                                              \
        return (double)item->traits.field;                                                         \
    }

OF_TRAITS(blocks)
OF_TRAITS(contacts)
OF_TRAITS(boxes)
OF_TRAITS(unknowns)
OF_TRAITS(rows)
OF_TRAITS(rows_per_unknown)
OF_TRAITS(hyperstatic)
OF_TRAITS(diagonal_ratio)
OF_TRAITS(condition)
OF_TRAITS(mu_least)
OF_TRAITS(mu_most)

static double get_rank(const pl_collection_item *item)
{
    return item->traits.rank >= 0 ? (double)item->traits.rank : NAN;
}

static double get_dt(const pl_collection_item *item)
{
    return item->dt;
}

static double get_relative(const pl_collection_item *item)
{
    return item->relative;
}

static const column columns[] = {
    {"blocks", get_blocks},
    {"unknowns", get_unknowns},
    {"contacts", get_contacts},
    {"boxes", get_boxes},
    {"rows", get_rows},
    {"rows_per_unknown", get_rows_per_unknown},
    {"rank", get_rank},
    {"hyperstatic", get_hyperstatic},
    {"diagonal_ratio", get_diagonal_ratio},
    {"condition", get_condition},
    {"mu_least", get_mu_least},
    {"mu_most", get_mu_most},
    {"dt", get_dt},
    {"fclib", get_relative},
};

enum { N_COLUMNS = sizeof columns / sizeof *columns };

static const char *extension_of(const pl_collection_item *item)
{
    return strcmp(item->format, "plp") == 0 ? "plp" : "hdf5";
}

static pl_status write_csv(const pl_collection *c)
{
    pl_output out;
    char *path;
    PL_TRY(pl_path_in(&path, c->folder, "manifest.csv"));
    pl_status status = pl_output_open(path, &out);
    pl_free(path);
    PL_TRY(status);
    pl_output_printf(&out, "file,format,solver,end");
    for (int k = 0; k < N_COLUMNS; k++) pl_output_printf(&out, ",%s", columns[k].name);
    pl_output_write(&out, "\n", 1);
    for (int64_t i = 0; i < c->n; i++) {
        const pl_collection_item *item = c->item + i;
        char buffer[ROW_MAX];
        pl_text row = pl_text_start(buffer, sizeof buffer);
        pl_text_add(&row, "%s.%s,%s,%s,%s", item->name, extension_of(item), item->format,
                    item->solver, item->end);
        for (int k = 0; k < N_COLUMNS; k++) {
            pl_text_add(&row, ",");
            pl_csv_add_number(&row, columns[k].value(item));
        }
        pl_text_add(&row, "\n");
        PL_ASSERT(row.length < sizeof buffer);
        pl_output_write(&out, buffer, row.length);
    }
    return pl_output_close(&out);
}

static pl_status write_json(const pl_collection *c)
{
    pl_output out;
    char *path;
    PL_TRY(pl_path_in(&path, c->folder, "manifest.json"));
    pl_status status = pl_output_open(path, &out);
    pl_free(path);
    PL_TRY(status);
    pl_output_printf(&out, "[\n");
    for (int64_t i = 0; i < c->n; i++) {
        const pl_collection_item *item = c->item + i;
        pl_output_printf(&out, "  {\"file\": \"%s.%s\", \"format\": \"%s\"", item->name,
                         extension_of(item), item->format);
        pl_output_printf(&out, ", \"solver\": \"%s\", \"end\": \"%s\"", item->solver, item->end);
        for (int k = 0; k < N_COLUMNS; k++) {
            double value = columns[k].value(item);
            if (!isfinite(value)) continue;
            pl_output_printf(&out, ", \"%s\": ", columns[k].name);
            pl_output_double(&out, value);
        }
        pl_output_printf(&out, "}%s\n", i + 1 < c->n ? "," : "");
    }
    pl_output_printf(&out, "]\n");
    return pl_output_close(&out);
}

pl_status pl_collection_close(pl_collection *c)
{
    pl_status status = write_csv(c);
    if (status == PL_OK) status = write_json(c);
    pl_collection_free(c);
    return status;
}
