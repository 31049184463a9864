// What the library was built with, and the versions that it runs with.

#include "base.h"

#include <gmp.h>
#include <stdio.h>
#include <zlib.h>

#ifdef PL_CXSPARSE
#include <cs.h>
#endif
#ifdef PL_OPENBLAS
char *openblas_get_config(void); // of a header that is not always there
#endif

enum { LINE = 160 };

static const char *line_of(const char *name, const char *value)
{
    static _Thread_local char line[LINE];
    snprintf(line, sizeof line, "%s: %s", name, value);
    return line;
}

static const char *cxsparse(void)
{
#ifdef PL_CXSPARSE
    static _Thread_local char version[32];
    snprintf(version, sizeof version, "%d.%d.%d", CS_VER, CS_SUBVER, CS_SUBSUB);
    return version;
#else
    return "not built in (make CXSPARSE=1)";
#endif
}

static const char *openblas(void)
{
#ifdef PL_OPENBLAS
    return openblas_get_config();
#else
    return "not built in (make OPENBLAS=1)";
#endif
}

const char *pl_build_line(int32_t i)
{
    switch (i) {
    case 0:
        return line_of("compiler", __VERSION__);
    case 1:
        return line_of("GMP", gmp_version);
    case 2:
        return line_of("zlib", zlibVersion());
    case 3:
        return line_of("CXSparse", cxsparse());
    case 4:
        return line_of("OpenBLAS", openblas());
    case 5:
#ifdef PL_OPENCL
        return line_of("OpenCL",
                       "kernels built in; the loader and drivers are looked for at run time");
#else
        return line_of("OpenCL", "not built in (make OPENCL=1)");
#endif
    case 6:
#ifdef PL_CUDA
        return line_of("CUDA", "kernels built in; the driver is looked for at run time");
#else
        return line_of("CUDA", "not built in (make CUDA=1)");
#endif
    default:
        return NULL;
    }
}
