// A 64-bit hash of bytes, for states and checksums: not for secrets. Internal.

#ifndef PL_HASH_H
#define PL_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define PL_HASH_START 0x9e3779b97f4a7c15u

// Continues `hash` over `size` bytes. Eight bytes at a time through the finalizer of SplitMix64
// [Steele, Lea & Flood 2014], which changes half of the bits for any changed one.
static inline uint64_t pl_hash(uint64_t hash, const void *data, size_t size)
{
    const char *p = data;
    for (size_t left = size; left > 0;) {
        size_t n = left < 8 ? left : 8;
        uint64_t word = n < 8 ? (uint64_t)n << 56 : 0; // tells a short end from zeros
        memcpy(&word, p, n);
        hash = (hash ^ word) + PL_HASH_START;
        hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9u;
        hash = (hash ^ (hash >> 27)) * 0x94d049bb133111ebu;
        hash ^= hash >> 31;
        p += n;
        left -= n;
    }
    return hash;
}

#endif
