#include "ahead.h"

#include <math.h>

// Friction is no gradient of anything: steps may chase each other in circles around the solution,
// always forward. They do if the residual of each of the last steps is that of a few steps before
// up to this part, and not all are alike.
static const double CIRCLE_SAME = 0.1, CIRCLE_OTHER = 2; // of squares
enum { CIRCLE_STEPS = 6, CIRCLE_MOST = PL_AHEAD_PAST - CIRCLE_STEPS };
// Conjugate steps end if their coherence is below this and the residual has not halved within some
// steps; or if none of many steps had the least residual.
static const double COHERENT = 0.4, COHERENCE_NEW = 0.3;
enum { HALVED_STEPS = 4, VAIN_STEPS = 100 };
// A last way whose sine with the step is no more than the root of this is left out.
static const double PARALLEL = 1e-6;

void pl_ahead_start(pl_ahead *ahead)
{
    *ahead =
        (pl_ahead){.conjugate = true, .coherence = 1, .theta = 1, .most = 1, .lowest = INFINITY};
}

// --- The past ---

// The residual of the step i steps ago, squared.
static double past(const pl_ahead *ahead, int32_t i)
{
    return ahead->past[(ahead->n_past - 1 - i) % PL_AHEAD_PAST];
}

static bool goes_in_circles(const pl_ahead *ahead)
{
    if (ahead->n_past < PL_AHEAD_PAST) return false;
    for (int32_t period = 2; period <= CIRCLE_MOST; period++) {
        double least = past(ahead, 0), most = least;
        int32_t i = 0;
        for (; i < CIRCLE_STEPS; i++) {
            double now = past(ahead, i);
            if (fabs(now - past(ahead, i + period)) > CIRCLE_SAME * now) break;
            least = PL_MIN(least, now);
            most = PL_MAX(most, now);
        }
        if (i == CIRCLE_STEPS && most > CIRCLE_OTHER * least) return true;
    }
    return false;
}

bool pl_ahead_note(pl_ahead *ahead, double rr)
{
    ahead->past[ahead->n_past++ % PL_AHEAD_PAST] = rr;
    ahead->n_vain = rr < ahead->lowest ? 0 : ahead->n_vain + 1;
    ahead->lowest = PL_MIN(rr, ahead->lowest);
    if (!goes_in_circles(ahead)) return false;
    ahead->n_past = 0;
    ahead->most *= 0.5;
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
    if (anew) ahead->theta = 1;
    double next = 0.5 * (1 + sqrt(1 + 4 * ahead->theta * ahead->theta));
    ahead->of_step = ahead->of_last = anew ? 0 : PL_MIN((ahead->theta - 1) / next, ahead->most);
    ahead->theta = next;
}

bool pl_ahead_look(pl_ahead *ahead, const pl_step_sums *sum, bool free, bool circles)
{
    if (ahead->conjugate && !circles && !is_astray(ahead)) {
        go_conjugate(ahead, sum, free);
        return false;
    }
    bool back = sum->model + sum->last < 0; // g . (v - old)
    bool anew = ahead->conjugate || circles || back;
    ahead->conjugate = false;
    go_with_momentum(ahead, anew);
    return anew;
}
