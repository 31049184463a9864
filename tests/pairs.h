// Looking up pairs of features in lists of candidates.

#ifndef PL_TEST_PAIRS_H
#define PL_TEST_PAIRS_H

#include <stdbool.h>
#include <stdint.h>

// Is (a, b) in the list (2*n), which is sorted?
static inline bool listed(const int32_t *list, int64_t n, int32_t a, int32_t b)
{
    int64_t lo = 0, hi = n;
    while (lo < hi) {
        int64_t mid = (lo + hi) / 2;
        const int32_t *p = list + 2 * mid;
        if (p[0] == a && p[1] == b) return true;
        if (p[0] < a || (p[0] == a && p[1] < b)) {
            lo = mid + 1;
        } else {
            hi = mid;
        }
    }
    return false;
}

#endif
