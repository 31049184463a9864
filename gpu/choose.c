// Which device a name means, and the list of all of them.

#include "device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MANY = 16 }; // of a kind

typedef struct choice {
    bool cpu;
    pl_gpu_kind kind;
    int32_t index;
} choice;

// The first that can be used, and that is no CPU if `fast`; -1 if there is none.
static int32_t first_of(pl_gpu_kind kind, bool fast)
{
    pl_gpu_info info[MANY];
    int32_t n = pl_gpu_has(kind) ? PL_MIN(pl_gpu_list(kind, MANY, info), MANY) : 0;
    for (int32_t i = 0; i < n; i++) {
        if (info[i].lacks == NULL && !(fast && info[i].is_cpu)) return i;
    }
    return -1;
}

static choice choose_best(void)
{
    const pl_gpu_kind kinds[] = {PL_GPU_CUDA, PL_GPU_OPENCL};
    for (int k = 0; k < 2; k++) {
        int32_t index = first_of(kinds[k], true);
        if (index >= 0) return (choice){false, kinds[k], index};
    }
    return (choice){.cpu = true};
}

static choice choose(const char *name)
{
    if (strcmp(name, "auto") == 0) return choose_best();
    const char *colon = strchr(name, ':');
    pl_gpu_kind kind = name[0] == 'o' ? PL_GPU_OPENCL : PL_GPU_CUDA;
    int32_t index = colon != NULL ? atoi(colon + 1) : PL_MAX(first_of(kind, false), 0);
    return (choice){strcmp(name, "cpu") == 0, kind, index};
}

pl_status pl_device_check(const char *name)
{
    choice c = choose(name);
    pl_gpu_info info[MANY];
    if (c.cpu) return PL_OK;
    int32_t n = pl_gpu_list(c.kind, MANY, info);
    pl_status status = PL_OK;
    if (n == 0) {
        status = PL_ERROR_DEVICE;
    } else if (c.index >= PL_MIN(n, MANY)) {
        const char *kind = pl_gpu_kind_name(c.kind);
        status = pl_fail(PL_ERROR_DEVICE, "there is none; the last is %s:%d", kind, (int)n - 1);
    } else if (info[c.index].lacks != NULL) {
        status = pl_fail(PL_ERROR_DEVICE, "%s: %s", info[c.index].name, info[c.index].lacks);
    }
    char prefix[32];
    snprintf(prefix, sizeof prefix, "device %s", name);
    if (status != PL_OK) pl_fail_prefix(prefix);
    return status;
}

pl_status pl_device_open(const char *name, pl_device **out)
{
    *out = NULL;
    PL_TRY(pl_device_check(name));
    choice c = choose(name);
    return c.cpu ? PL_OK : pl_gpu_device_open(c.kind, c.index, out);
}

static void tell(const pl_gpu_info *info, const choice *best, pl_device_info *out)
{
    *out = (pl_device_info){.memory = info->memory, .units = info->units};
    snprintf(out->name, sizeof out->name, "%s:%d", pl_gpu_kind_name(info->kind),
             (int)(info->index % 100));
    snprintf(out->model, sizeof out->model, "%s", info->name);
    snprintf(out->driver, sizeof out->driver, "%s", info->driver);
    snprintf(out->lacks, sizeof out->lacks, "%s", info->lacks != NULL ? info->lacks : "");
    out->chosen = !best->cpu && best->kind == info->kind && best->index == info->index;
}

int32_t pl_device_list(int32_t capacity, pl_device_info *out)
{
    const pl_gpu_kind kinds[] = {PL_GPU_CUDA, PL_GPU_OPENCL};
    choice best = choose_best();
    int32_t n = 1;
    if (capacity > 0) *out = pl_device_cpu(best.cpu);
    for (int k = 0; k < 2; k++) {
        pl_gpu_info info[MANY];
        int32_t found = pl_gpu_has(kinds[k]) ? PL_MIN(pl_gpu_list(kinds[k], MANY, info), MANY) : 0;
        for (int32_t i = 0; i < found; i++, n++) {
            if (n < capacity) tell(info + i, &best, out + n);
        }
    }
    return n;
}

const char *pl_device_missing(const char *kind)
{
    pl_gpu_info info;
    pl_gpu_kind which = strcmp(kind, "cuda") == 0 ? PL_GPU_CUDA : PL_GPU_OPENCL;
    return pl_gpu_list(which, 1, &info) > 0 ? NULL : pl_error_text();
}
