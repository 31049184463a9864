#include "box.h"

void pl_box_law_solve(const pl_box_law *box, const double *q, double *f)
{
    pl_box_solve_at(box, q, f);
}

double pl_box_law_relax(const pl_box_law *box, const double *w, double *f)
{
    return pl_box_relax_at(box, w, f);
}
