#include "heap.h"

#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

// Blocks of at least this many bytes are pages of their own.
enum { OWN_PAGES = 1 << 18 };

// By itself, glibc takes the size of a large block that was freed for one that will come again:
// from then on blocks up to it, of 32 MB at most, lie in a heap of which twice as much stays
// unused.
void pl_heap_stay_small(void)
{
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, OWN_PAGES);
#endif
}
