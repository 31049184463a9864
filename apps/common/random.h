// Random numbers that are the same everywhere.

#ifndef PL_RANDOM_H
#define PL_RANDOM_H

#include <stdint.h>

// A number from 0 to 1 by splitmix64 (Steele, Lea & Flood 2014).
static inline double pl_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

#endif
