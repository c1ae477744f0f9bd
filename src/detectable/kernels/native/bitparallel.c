/* Edit distance of a hypothesis and a reference, 64 cells of the matrix in one machine word.

   Neighbouring cells differ by at most one, so a row is held as the bits of its differences
   D[i, j] - D[i, j - 1]: one machine word marks the +1, another the -1, and the next row follows
   from a dozen operations (Myers 1999, in the form of Hyyro 2003 for whole sequences).

   Myers (1999), "A fast bit-vector algorithm for approximate string matching based on dynamic
   programming", Journal of the ACM 46(3), 395-415. Hyyro (2003), "A bit-vector algorithm for
   computing Levenshtein and Damerau edit distances", Nordic Journal of Computing 10(1), 29-39. */
#include "ter.h"

#include <string.h>

/* One block of a row, and where its cells grow or shrink from the row above. */
typedef struct {
    uint64_t up, down, level, grow, shrink;
} Block;

/* The block below (up, down). plus and minus say whether the cell left of the block grows or
   shrinks from the row above to this one. */
static inline Block step(uint64_t up, uint64_t down, uint64_t match, uint64_t plus,
                         uint64_t minus)
{
    const uint64_t reach = match | minus;
    const uint64_t level = (((reach & up) + up) ^ up) | reach | down;
    const uint64_t grow = down | ~(level | up);
    const uint64_t shrink = level & up;
    const uint64_t grow_in = (grow << 1) | plus;
    Block below;
    below.up = (shrink << 1) | minus | ~(level | grow_in);
    below.down = grow_in & level;
    below.level = level;
    below.grow = grow;
    below.shrink = shrink;
    return below;
}

/* The bit of the last cell of block k. */
static int last_bit(const Search *search, int64_t k)
{
    return k == search->blocks - 1 ? (int)((search->m - 1) & 63) : 63;
}

/* Compute all rows and return the distance. */
int64_t fill_rows(Search *search)
{
    const int64_t blocks = search->blocks;
    for (int64_t k = 0; k < blocks; k++) { /* an empty hypothesis: 0, 1, 2 ... m */
        search->up[k] = ~UINT64_C(0);
        search->down[k] = 0;
    }
    search->last[0] = search->m;
    for (int64_t i = 0; i < search->n; i++) {
        const uint64_t *masks = search->masks + search->words[i] * blocks;
        const int64_t above = i * blocks, here = above + blocks;
        uint64_t plus = 1, minus = 0; /* column 0 holds the row number, which grows */
        for (int64_t k = 0; k < blocks; k++) {
            const Block below = step(search->up[above + k], search->down[above + k], masks[k],
                                     plus, minus);
            const int end = last_bit(search, k);
            search->up[here + k] = below.up;
            search->down[here + k] = below.down;
            search->level[here + k] = below.level;
            plus = (below.grow >> end) & 1;
            minus = (below.shrink >> end) & 1;
        }
        search->last[i + 1] = search->last[i] + (int64_t)plus - (int64_t)minus;
    }
    return search->last[search->n];
}

/* One block: the whole state stays in registers. */
static int64_t swapped_short(const Search *search, const int64_t starts[3],
                             const int64_t stops[3], int64_t bound, int64_t limit)
{
    const int64_t a = starts[1];
    const int end = (int)(search->m - 1);
    uint64_t up = search->up[a], down = search->down[a];
    for (int part = 0; part < 3; part++) {
        for (int64_t i = starts[part]; i < stops[part]; i++) {
            const Block below = step(up, down, search->masks[search->words[i]], 1, 0);
            up = below.up;
            down = below.down;
            bound += 1 + (int64_t)((below.grow >> end) & 1) - (int64_t)((below.shrink >> end) & 1);
            if (bound > limit) return bound;
        }
    }
    return bound;
}

static int64_t swapped_long(const Search *search, const int64_t starts[3],
                            const int64_t stops[3], int64_t bound, int64_t limit)
{
    const int64_t a = starts[1], blocks = search->blocks;
    uint64_t *up = search->trial_up, *down = search->trial_down;
    memcpy(up, search->up + a * blocks, (size_t)blocks * sizeof *up);
    memcpy(down, search->down + a * blocks, (size_t)blocks * sizeof *down);
    for (int part = 0; part < 3; part++) {
        for (int64_t i = starts[part]; i < stops[part]; i++) {
            const uint64_t *masks = search->masks + search->words[i] * blocks;
            uint64_t plus = 1, minus = 0;
            for (int64_t k = 0; k < blocks; k++) {
                const Block below = step(up[k], down[k], masks[k], plus, minus);
                const int end = last_bit(search, k);
                up[k] = below.up;
                down[k] = below.down;
                plus = (below.grow >> end) & 1;
                minus = (below.shrink >> end) & 1;
            }
            bound += 1 + (int64_t)plus - (int64_t)minus;
            if (bound > limit) return bound;
        }
    }
    return bound;
}

/* The distance after the neighbours [a, b) and [b, c) change places.

   The rows are those of the words as they stand; nothing before a is computed again. The answer
   is exact up to limit. Above, it is a lower bound: the work ends as soon as the limit is out of
   reach, each further word of the hypothesis lowering the last column by one at most. */
int64_t swapped_distance(const Search *search, Swap swap, int64_t limit)
{
    const int64_t starts[3] = {swap.b, swap.a, swap.c};
    const int64_t stops[3] = {swap.c, swap.b, search->n};
    const int64_t bound = search->last[swap.a] - (search->n - swap.a);
    return search->blocks == 1 ? swapped_short(search, starts, stops, bound, limit)
                               : swapped_long(search, starts, stops, bound, limit);
}
