// All kernels, in the order in which they are compiled. A family is a header; a new one is added
// here, and nowhere else: ../embed.sh finds its kernels.

#ifndef PL_GPU_KERNELS_H
#define PL_GPU_KERNELS_H

#include "mathematics.h"

#include "band.h"
#include "boxes.h"
#include "collision.h"
#include "elements.h"
#include "scan.h"
#include "vectors.h"
#include "bsr.h"
#include "rows.h"
#include "sweeps.h"
#include "apg.h"
#include "cr.h"
#include "multigrid.h"
#include "gmres.h"
#include "reduced.h"

#endif
