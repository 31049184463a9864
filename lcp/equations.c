// See equations.h.

#include "equations.h"

pl_equation pl_fischer(double a, double b)
{
    double r = hypot(a, b), sum = a + b;
    if (!(r > 0)) return (pl_equation){.dw = -1};
    double value = sum > 0 ? -2 * a * (b / (r + sum)) : r - sum;
    // a / r - 1, as -b^2 / (r (r + a)) where a > 0: it is not 0 unless b is
    double da = a > 0 ? -(b / r) * (b / (r + a)) : a / r - 1;
    double db = b > 0 ? -(a / r) * (a / (r + b)) : b / r - 1;
    return (pl_equation){.value = value, .dx = da, .dw = db};
}

// phi of the form, as a function of a and b.
static pl_equation outer(const pl_equations *e, double a, double b)
{
    pl_equation f = pl_fischer(a, b);
    if (e->form != PL_LCP_FORM_PENALISED) return f;
    f.value *= e->penalty, f.dx *= e->penalty, f.dw *= e->penalty;
    if (a > 0 && b > 0) {
        double rest = (1 - e->penalty) / e->unit;
        f.value -= rest * a * b, f.dx -= rest * b, f.dw -= rest * a;
    }
    return f;
}

static pl_equation minimum_map(double scale, double lo, double hi, double x, double w)
{
    double to = scale * x - w;
    if (to <= scale * lo) return (pl_equation){.value = scale * (x - lo), .dx = scale};
    if (to >= scale * hi) return (pl_equation){.value = scale * (x - hi), .dx = scale};
    return (pl_equation){.value = w, .dw = 1};
}

pl_equation pl_equations_row(const pl_equations *e, double scale, double lo, double hi, double x,
                             double w)
{
    if (e->form == PL_LCP_FORM_MINMAP) return minimum_map(scale, lo, hi, x, w);
    if (lo == -INFINITY && hi == INFINITY) return (pl_equation){.value = -w, .dw = -1};
    if (hi == INFINITY) {
        pl_equation f = outer(e, scale * (x - lo), w);
        f.dx *= scale;
        return f;
    }
    pl_equation below =
        lo == -INFINITY ? outer(e, scale * (hi - x), -w) : pl_fischer(scale * (hi - x), -w);
    below.dx *= -scale, below.dw *= -1;
    if (lo == -INFINITY) {
        return (pl_equation){.value = -below.value, .dx = -below.dx, .dw = -below.dw};
    }
    pl_equation f = outer(e, scale * (x - lo), below.value);
    return (pl_equation){
        .value = f.value, .dx = f.dx * scale + f.dw * below.dx, .dw = f.dw * below.dw};
}
