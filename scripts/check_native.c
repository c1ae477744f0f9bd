/* The heap as the kernels see it under scripts/check_native.py: blocks are counted, and the
   allocation after `left` others fails. */
#undef malloc
#undef calloc
#undef realloc
#undef free

#include "detectable.h"

#include <stdlib.h>

static int64_t left = -1; /* allocations that still succeed; below 0: all */
static int64_t live = 0;  /* blocks that were not given back */

static int fails(void)
{
    if (left < 0) return 0;
    return left-- == 0;
}

static void *counted(void *block)
{
    live += block != NULL;
    return block;
}

void *counted_malloc(size_t size);
void *counted_calloc(size_t count, size_t size);
void *counted_realloc(void *block, size_t size);
void counted_free(void *block);

void *counted_malloc(size_t size) { return fails() ? NULL : counted(malloc(size)); }

void *counted_calloc(size_t count, size_t size)
{
    return fails() ? NULL : counted(calloc(count, size));
}

void *counted_realloc(void *block, size_t size)
{
    if (fails()) return NULL;
    void *moved = realloc(block, size);
    return block == NULL ? counted(moved) : moved;
}

void counted_free(void *block)
{
    live -= block != NULL;
    free(block);
}

KERNEL void fail_after(int64_t allocations) { left = allocations; }

KERNEL int64_t live_blocks(void) { return live; }
