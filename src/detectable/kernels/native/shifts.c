/* The moves of TER: which blocks of the hypothesis may move, where to, and which is best. */
#include "ter.h"

#include <string.h>

/* Which side an edit operation takes a word from. */
typedef enum { BOTH, HYPOTHESIS, REFERENCE } Side;

/* The last step of the path to a cell of the full matrix. Of equally cheap steps, one that takes
   both words comes first, then one that takes the word of the hypothesis: sacreBLEU's order. */
static Side full_step(const Search *search, int64_t i, int64_t j, int different)
{
    const int64_t block = (j - 1) >> 6;
    const int bit = (int)((j - 1) & 63);
    if (!different || !((search->level[i * search->blocks + block] >> bit) & 1)) return BOTH;
    /* The cell equals its diagonal, so the cell above is one less than it exactly if that one is
       less than the diagonal, its own left neighbour. */
    return (search->down[(i - 1) * search->blocks + block] >> bit) & 1 ? HYPOTHESIS : REFERENCE;
}

/* The last step of the path to a cell inside the beam, in the same order. */
static Side beam_step(const Search *search, int64_t i, int64_t j, int different)
{
    const int64_t here = beam_cell(search, i, j);
    if (beam_cell(search, i - 1, j - 1) + different == here) return BOTH;
    return beam_cell(search, i - 1, j) + 1 == here ? HYPOTHESIS : REFERENCE;
}

static void accumulate(int32_t *errors, int64_t size)
{
    for (int64_t k = 0; k < size; k++) errors[k + 1] += errors[k];
}

/* Follow the preferred path and note where the reference words come, and all errors. */
void align(Search *search, int beamed)
{
    int64_t i = search->n, j = search->m;
    search->word_errors[0] = search->reference_errors[0] = 0;
    while (i > 0 || j > 0) {
        int error = 1;
        Side side;
        if (i == 0 || j == 0) {
            side = i == 0 ? REFERENCE : HYPOTHESIS;
        } else {
            const int different = search->words[i - 1] != search->reference[j - 1];
            side = beamed ? beam_step(search, i, j, different)
                          : full_step(search, i, j, different);
            if (side == BOTH) error = different;
        }
        if (side != REFERENCE) search->word_errors[i] = error;
        if (side != HYPOTHESIS) {
            search->reference_errors[j] = error;
            search->aligned[j - 1] = (int32_t)(i - 1);
        }
        i -= side != REFERENCE;
        j -= side != HYPOTHESIS;
    }
    accumulate(search->word_errors, search->n);
    accumulate(search->reference_errors, search->m);
}

static int64_t smallest(int64_t a, int64_t b, int64_t c)
{
    const int64_t less = a < b ? a : b;
    return less < c ? less : c;
}

/* Note, from index n_moves, the moves of one block to where its words stand in the reference:
   before the words that belong there, or after any of them. Return the new number of moves. */
static int64_t note_targets(Search *search, int64_t start, int64_t place, int64_t size,
                            int64_t n_moves)
{
    int32_t previous = -1;
    for (int64_t j = place - 1; j < place + size; j++) {
        const int32_t target = j >= 0 ? search->aligned[j] + 1 : 0;
        if (target != previous) {
            Move *move = search->moves + n_moves++;
            move->size = (int32_t)size;
            move->start = (int32_t)start;
            move->target = target;
        }
        previous = target;
    }
    return n_moves;
}

/* Note the moves of blocks at `start` that the reference has at `place`. A block moves only if
   it has an error on both sides, and if its place in the reference is not aligned with the block
   itself. */
static int64_t moves_between(Search *search, int64_t start, int64_t place, int64_t n_moves)
{
    const int32_t *word_errors = search->word_errors + start;
    const int32_t *reference_errors = search->reference_errors + place;
    const int64_t longest = smallest(MAX_SIZE, search->n - start, search->m - place);
    const int64_t here = search->aligned[place] - start;
    for (int64_t size = 1; size <= longest; size++) {
        if (search->words[start + size - 1] != search->reference[place + size - 1]) break;
        if (word_errors[size] == word_errors[0]) continue;
        if (reference_errors[size] == reference_errors[0]) continue;
        if (0 <= here && here < size) continue;
        n_moves = note_targets(search, start, place, size, n_moves);
    }
    return n_moves;
}

/* Note all moves and return their number; at MAX_MOVES, the rest is left out. */
int64_t collect_moves(Search *search)
{
    int64_t n_moves = 0;
    for (int64_t start = 0; start < search->n; start++) {
        int64_t place = search->head[search->words[start]];
        for (; place >= 0 && n_moves < MAX_MOVES; place = search->following[place]) {
            /* Words aligned with each other stay, and so do blocks that begin with them. */
            if (search->aligned[place] == start) continue;
            if (place - start > MAX_REACH || start - place > MAX_REACH) continue;
            n_moves = moves_between(search, start, place, n_moves);
        }
    }
    return n_moves;
}

/* Whether a move comes before another of the same gain: the longer block, then the one further
   left, then the target further left. */
static int preferred(Move move, Move other)
{
    if (move.size != other.size) return move.size > other.size;
    if (move.start != other.start) return move.start < other.start;
    return move.target < other.target;
}

/* The distance after a move, exact up to limit; above, some number above limit. */
static int64_t moved_distance(const Search *search, Swap swap, int64_t limit)
{
    const int64_t found = swapped_distance(search, swap, limit);
    if (found < search->safe || found > limit) return found;
    exchange(search->words, search->n, swap, search->spare);
    memcpy(search->trial + swap.a * search->width, search->band + swap.a * search->width,
           (size_t)search->width * sizeof *search->trial);
    return fill_band(search, search->spare, search->trial, swap.a);
}

/* The index of the move to make, or -1 if none lowers the distance. `bottom` is a distance that
   no move can go below. From search->safe on, distances are computed inside the beam; then the
   present words are that far away too, so that their band is filled. */
int64_t best_move(const Search *search, int64_t n_moves, int64_t distance, int64_t bottom)
{
    const int64_t true_distance = search->last[search->n];
    int64_t best = -1, lowest = distance;
    for (int64_t k = 0; k < n_moves; k++) {
        const Move move = search->moves[k];
        const Swap swap = as_swap(move, search->n);
        const int ahead = best >= 0 && preferred(move, search->moves[best]);
        const int64_t limit = ahead ? lowest : lowest - 1;
        /* The shorter neighbour, taken out and put back elsewhere, undoes the move; that bounds
           what a move gains in true distance, not in that of the beam, which may gain more. */
        const int64_t left = swap.b - swap.a, right = swap.c - swap.b;
        const int64_t within = true_distance - 2 * (left < right ? left : right);
        if (bottom > limit || within > limit) continue;
        const int64_t found = moved_distance(search, swap, limit);
        if (found <= limit) {
            best = k;
            lowest = found;
        }
    }
    return best;
}

/* A move as neighbours that change places. A target inside the block means that many words to
   the right of its start. */
Swap as_swap(Move move, int64_t n)
{
    const int64_t end = (int64_t)move.start + move.size;
    const int64_t beyond = (int64_t)move.target + move.size;
    Swap swap;
    if (move.target < move.start) {
        swap.a = move.target;
        swap.b = move.start;
        swap.c = end;
    } else {
        swap.a = move.start;
        swap.b = end;
        swap.c = move.target > end ? move.target : (beyond < n ? beyond : n);
    }
    return swap;
}

/* Write the words with the two neighbours exchanged. */
void exchange(const int32_t *words, int64_t n, Swap swap, int32_t *into)
{
    const size_t word = sizeof *words;
    const int64_t left = swap.b - swap.a, right = swap.c - swap.b;
    memcpy(into, words, (size_t)swap.a * word);
    memcpy(into + swap.a, words + swap.b, (size_t)right * word);
    memcpy(into + swap.a + right, words + swap.a, (size_t)left * word);
    memcpy(into + swap.c, words + swap.c, (size_t)(n - swap.c) * word);
}
