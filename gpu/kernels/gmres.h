// Steps of flexible GMRES (solvers/gmres.h) with the scalars on the device: which step it is stands
// there, so that all steps are the same launches. A new vector is made orthogonal to all before it
// at once, and then once more, which is as good as one after the other, and takes fewer launches.

#ifndef PL_GPU_GMRES_H
#define PL_GPU_GMRES_H

#include "../../solvers/hessenberg_kernel.h"
#include "types.h"

// x := the newest vector of the basis, which are n apart.
PL_KERNEL void gmres_load(int64_t n, PL_IN(pl_gmres_scalars) scalars, PL_IN(float) basis,
                          PL_OUT(float) x)
{
    PL_EACH(i, n) x[i] = basis[n * scalars[0].k + i];
}

// part[j * n_part + p] := the share of part p in w . vector j of the basis.
PL_KERNEL void gmres_dots(int64_t n, int64_t n_part, PL_IN(pl_gmres_scalars) scalars,
                          PL_IN(float) basis, PL_IN(float) w, PL_OUT(double) part)
{
    PL_LOCAL double sum[PL_LANES];
    int64_t first = PL_GROUP * PL_PART, last = first + PL_PART < n ? first + PL_PART : n;
    for (int32_t j = 0; j < PL_GMRES_MOST; j++) {
        PL_PHASE
        {
            PL_EACH_LANE(l)
            {
                double s = 0;
                for (int64_t i = first + l; i < last && j <= scalars[0].k; i += PL_LANES) {
                    s += (double)basis[n * j + i] * (double)w[i];
                }
                sum[l] = s;
            }
        }
        PL_BARRIER;
        PL_ADD_LANES(sum);
        PL_PHASE
        {
            if (PL_ITEM == 0) part[j * n_part + PL_GROUP] = sum[0];
        }
        PL_BARRIER;
    }
}

// w -= the basis times dots[from], ...
PL_KERNEL void gmres_subtract(int64_t n, int32_t from, PL_IN(pl_gmres_scalars) scalars,
                              PL_IN(float) basis, PL_IN(double) dots, PL_OUT(float) w)
{
    PL_EACH(i, n)
    {
        float to = w[i];
        for (int32_t j = 0; j <= scalars[0].k; j++) {
            to += (float)-dots[from + j] * basis[n * j + i];
        }
        w[i] = to;
    }
}

// part[p] := the share of part p in |w|^2.
PL_KERNEL void gmres_norm(int64_t n, PL_IN(float) w, PL_OUT(double) part)
{
    PL_LOCAL double sum[PL_LANES];
    PL_PHASE
    {
        int64_t first = PL_GROUP * PL_PART, last = first + PL_PART < n ? first + PL_PART : n;
        PL_EACH_LANE(l)
        {
            double s = 0;
            for (int64_t i = first + l; i < last; i += PL_LANES) s += (double)w[i] * (double)w[i];
            sum[l] = s;
        }
    }
    PL_BARRIER;
    PL_ADD_LANES(sum);
    PL_PHASE
    {
        if (PL_ITEM == 0) part[PL_GROUP] = sum[0];
    }
}

// Keeps w as the next vector of the basis, and z, of which it came.
PL_KERNEL void gmres_keep(int64_t n, PL_IN(pl_gmres_scalars) scalars, PL_IN(double) dots,
                          PL_IN(float) w, PL_IN(float) z, PL_OUT(float) basis, PL_OUT(float) moved)
{
    PL_EACH(i, scalars[0].done ? 0 : n)
    {
        double length = sqrt(dots[2 * PL_GMRES_MOST]);
        int64_t k = scalars[0].k;
        basis[n * (k + 1) + i] = length > 0 ? (float)(1 / length) * w[i] : 0;
        moved[n * k + i] = z[i];
    }
}

// Takes up the column: dots of both rounds, and |w|^2.
PL_KERNEL void gmres_note(PL_IN(double) dots, PL_OUT(pl_gmres_scalars) scalars)
{
    PL_EACH(i, scalars[0].done ? 0 : 1)
    {
        int32_t k = scalars[i].k;
        double length = sqrt(dots[2 * PL_GMRES_MOST]);
        if (!isfinite(length)) {
            scalars[i].done = 1;
        } else {
            double last = dots[0] + dots[PL_GMRES_MOST], c, s, g[2];
            for (int32_t j = 0; j < k; j++) {
                double next = dots[j + 1] + dots[PL_GMRES_MOST + j + 1];
                scalars[i].R[k][j] =
                    pl_hessenberg_turn(scalars[i].c[j], scalars[i].s[j], &last, next);
            }
            g[0] = scalars[i].g[k];
            scalars[i].R[k][k] =
                pl_hessenberg_close(last, length, sqrt(last * last + length * length), &c, &s, g);
            scalars[i].c[k] = c, scalars[i].s[k] = s;
            scalars[i].g[k] = g[0], scalars[i].g[k + 1] = g[1];
            scalars[i].k = k + 1;
            scalars[i].done = fabs(g[1]) <= scalars[i].enough || !(length > 0);
        }
    }
}

// e := the first k moved vectors times y.
PL_KERNEL void gmres_combine(int64_t n, int32_t k, PL_IN(double) y, PL_IN(float) moved,
                             PL_OUT(double) e)
{
    PL_EACH(i, n)
    {
        double sum = 0;
        for (int32_t j = 0; j < k; j++) sum += y[j] * (double)moved[n * j + i];
        e[i] = sum;
    }
}

#endif
