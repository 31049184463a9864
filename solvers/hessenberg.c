#include "hessenberg.h"

#include <math.h>

void pl_hessenberg_add(pl_hessenberg *ls, int j)
{
    double *h = ls->R[j];
    for (int i = 0; i < j; i++) {
        double t = ls->c[i] * h[i] + ls->s[i] * h[i + 1];
        h[i + 1] = ls->c[i] * h[i + 1] - ls->s[i] * h[i];
        h[i] = t;
    }
    double length = hypot(h[j], h[j + 1]);
    ls->c[j] = length > 0 ? h[j] / length : 1;
    ls->s[j] = length > 0 ? h[j + 1] / length : 0;
    h[j] = length;
    ls->g[j + 1] = -ls->s[j] * ls->g[j];
    ls->g[j] *= ls->c[j];
}

void pl_hessenberg_solve(const pl_hessenberg *ls, int k, double *y)
{
    for (int i = k - 1; i >= 0; i--) {
        double sum = ls->g[i];
        for (int j = i + 1; j < k; j++) sum -= ls->R[j][i] * y[j];
        y[i] = ls->R[i][i] != 0 ? sum / ls->R[i][i] : 0;
    }
}
