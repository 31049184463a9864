#include "hessenberg.h"
#include "hessenberg_kernel.h"

#include <math.h>

void pl_hessenberg_add(pl_hessenberg *ls, int j)
{
    double *h = ls->R[j], last = h[0];
    for (int i = 0; i < j; i++) h[i] = pl_hessenberg_turn(ls->c[i], ls->s[i], &last, h[i + 1]);
    double length = hypot(last, h[j + 1]);
    h[j] = pl_hessenberg_close(last, h[j + 1], length, ls->c + j, ls->s + j, ls->g + j);
}

void pl_hessenberg_solve(const pl_hessenberg *ls, int k, double *y)
{
    for (int i = k - 1; i >= 0; i--) {
        double sum = ls->g[i];
        for (int j = i + 1; j < k; j++) sum -= ls->R[j][i] * y[j];
        y[i] = ls->R[i][i] != 0 ? sum / ls->R[i][i] : 0;
    }
}
