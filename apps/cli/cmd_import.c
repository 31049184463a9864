// pliant import: robots of others as scenes.

#include "../../base/file.h"
#include "../import/import.h"
#include "args.h"
#include "commands.h"

#include <stdio.h>
#include <stdlib.h>

static pl_status write_scene(const pl_import *import, const char *path)
{
    pl_output out;
    char *text = cJSON_Print(import->scene);
    if (text == NULL) return pl_fail(PL_ERROR_MEMORY, "out of memory");
    pl_status status = pl_output_open(path, &out);
    if (status == PL_OK) {
        pl_output_write(&out, text, strlen(text));
        pl_output_write(&out, "\n", 1);
        status = pl_output_close(&out);
    }
    cJSON_free(text);
    return status;
}

static void print_report(const pl_import *import, const char *out)
{
    printf("%s: %d bodies, %d joints, %d couplings, %d motors\n", out,
           cJSON_GetArraySize(cJSON_GetObjectItem(import->scene, "bodies")),
           cJSON_GetArraySize(cJSON_GetObjectItem(import->scene, "joints")),
           cJSON_GetArraySize(cJSON_GetObjectItem(import->scene, "couplings")),
           cJSON_GetArraySize(cJSON_GetObjectItem(import->scene, "motors")));
    for (int32_t i = 0; i < import->n_note; i++) {
        printf("  %s", import->note[i].text);
        if (import->note[i].count > 1) printf(" (%d times)", (int)import->note[i].count);
        printf("\n");
    }
}

static const char NOTES[] =
    "IN is URDF (<robot>) or MJCF (<mujoco>). Links become rigid bodies, one for each of their\n"
    "shapes, with the mass that they have; joints, limits, springs, dampers, dry friction, mimic\n"
    "and equality, actuators become those of scenes. What was left out or changed is listed.\n\n"
    "The root link of URDF is static, unless --free-base is given. Paths of meshes are kept: the\n"
    "scene belongs beside IN.\n";

int pl_command_import(int argc, char **argv)
{
    const char *out = NULL;
    pl_import_options o = {0};
    const pl_option options[] = {
        {"-o", PL_OPTION_TEXT, &out, "SCENE.json", "where to"},
        {"--free-base", PL_OPTION_FLAG, &o.free_base, NULL, "URDF: the root link can move"},
    };
    const pl_command command = {
        .usage = "import IN -o SCENE.json [options]",
        .summary = "Makes a scene of the description of a robot.",
        .options = options,
        .n_options = sizeof options / sizeof options[0],
        .notes = NOTES,
        .least = 1,
        .most = 1,
    };
    int n_words, exit_code;
    pl_import import;
    if (!pl_args_read(&command, argc, argv, &n_words, &exit_code)) return exit_code;
    if (out == NULL) {
        pl_fail(PL_ERROR_ARGUMENT, "say where to with -o SCENE.json");
        return pl_command_failed();
    }
    if (pl_import_load(argv[0], &o, &import) != PL_OK) return pl_command_failed();
    pl_status status = write_scene(&import, out);
    if (status == PL_OK) print_report(&import, out);
    pl_import_free(&import);
    return status == PL_OK ? 0 : pl_command_failed();
}
