#include "ahead.h"

#include <math.h>

// Conjugate steps end if their coherence is below this and the residual has not halved within some
// steps; or if none of many steps had the least residual.
static const double COHERENT = 0.4, COHERENCE_NEW = 0.3;
enum { HALVED_STEPS = PL_AHEAD_PAST - 1, VAIN_STEPS = 60 };
// Of momentum: what counts as a lower residual, squared; and how far slow steps run ahead at most.
static const double LESS = 0.8, SLOW = 0.5;
// A last way whose sine with the step is no more than the root of this is left out.
static const double PARALLEL = 1e-6;

void pl_ahead_start(pl_ahead *ahead)
{
    *ahead = (pl_ahead){
        .conjugate = true, .coherence = 1, .theta = 1, .patience = VAIN_STEPS, .lowest = INFINITY};
}

// --- The past ---

// The residual of the step i steps ago, squared.
static double past(const pl_ahead *ahead, int32_t i)
{
    return ahead->past[(ahead->n_past - 1 - i) % PL_AHEAD_PAST];
}

bool pl_ahead_note(pl_ahead *ahead, double rr, bool counts)
{
    double least = ahead->conjugate ? ahead->lowest : LESS * ahead->lowest;
    ahead->past[ahead->n_past++ % PL_AHEAD_PAST] = rr;
    if (rr < least) {
        ahead->lowest = rr;
        ahead->n_vain = 0;
    } else {
        ahead->n_vain += counts;
    }
    if (ahead->conjugate || ahead->n_vain <= ahead->patience) return false;
    if (ahead->slow) ahead->patience *= 2;
    ahead->slow = !ahead->slow;
    ahead->lowest = rr;
    ahead->n_vain = 0;
    return true;
}

// --- The next step ---

static void go_conjugate(pl_ahead *ahead, const pl_step_sums *sum, bool free)
{
    double alpha = 1, gamma = 0;
    if (free) {
        double det = sum->true_ * sum->last_A - sum->cross * sum->cross;
        if (det > PARALLEL * sum->true_ * sum->last_A) {
            alpha = (sum->model * sum->last_A - sum->last * sum->cross) / det;
            gamma = (sum->last * sum->true_ - sum->model * sum->cross) / det;
        } else if (sum->true_ > 0) {
            alpha = sum->model / sum->true_;
        }
    }
    ahead->of_step = alpha - 1;
    ahead->of_last = gamma;
    ahead->coherence += COHERENCE_NEW * (gamma - ahead->coherence);
}

// Have conjugate steps ceased to help?
static bool is_astray(const pl_ahead *ahead)
{
    double now = past(ahead, 0);
    bool halved = ahead->n_past <= HALVED_STEPS || now < 0.25 * past(ahead, HALVED_STEPS);
    return ahead->n_vain > VAIN_STEPS || (!halved && ahead->coherence < COHERENT);
}

static void go_with_momentum(pl_ahead *ahead, bool anew)
{
    double most = ahead->slow ? SLOW : 1;
    if (anew) ahead->theta = 1;
    double next = 0.5 * (1 + sqrt(1 + 4 * ahead->theta * ahead->theta));
    ahead->of_step = ahead->of_last = anew ? 0 : PL_MIN((ahead->theta - 1) / next, most);
    ahead->theta = next;
}

bool pl_ahead_look(pl_ahead *ahead, const pl_step_sums *sum, bool free, bool changed)
{
    if (ahead->conjugate && !is_astray(ahead)) {
        go_conjugate(ahead, sum, free);
        return false;
    }
    bool back = sum->model + sum->last < 0; // g . (v - old)
    bool anew = ahead->conjugate || changed || back;
    if (ahead->conjugate) {
        ahead->conjugate = false;
        ahead->n_vain = 0;
        ahead->lowest = sum->rr;
    }
    go_with_momentum(ahead, anew);
    return anew;
}
