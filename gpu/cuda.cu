// All kernels, for nvcc: the build makes device code of them for several generations of devices and
// keeps it in the library; cuda.c hands it to the driver.

#include "kernels/kernels.h"
