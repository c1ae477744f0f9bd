/* Edits of the translation edit rate: block shifts found greedily, then an edit distance.

   The search is that of Snover et al. (2006) with the limits and the preferences of sacreBLEU
   2.6, whose counts it repeats exactly; the code is our own. In each round every block of up to
   10 hypothesis words that also stands in the reference, at most 50 positions away, may move to
   where its place in the reference is aligned. The move that lowers the edit distance most is
   made (of equals the longest block, then the leftmost, then the leftmost target) until no move
   lowers it, or until 1000 moves have been looked at.

   Three things make it fast and leave the counts as they are:

   - A round in which the number of moves reaches the limit has no effect, so the moves are
     counted before any is tried.
   - Moves that agree in block and target give the same words. So the order in which moves are
     tried does not matter (sacreBLEU's last criterion, the order of the shifted words as
     strings, never decides), and a move that can no longer be the best need not be finished. No
     order of the words comes closer to the reference than their bags.
   - Distances come from the bit-parallel matrix wherever the beam cannot matter (see
     safe_distance in beam.c), beginning at the first word that a move changes.

   Snover, Dorr, Schwartz, Micciulla and Makhoul (2006), "A study of translation edit rate with
   targeted human annotation", AMTA, 223-231. Post (2018), "A call for clarity in reporting BLEU
   scores", WMT, 186-191: sacreBLEU, whose TER follows the program Tercom. */
#include "ter.h"

#include <stdlib.h>
#include <string.h>

static void *room(int64_t count, size_t size)
{
    return calloc(count > 0 ? (size_t)count : 1, size);
}

static void free_search(Search *search)
{
    free(search->words);
    free(search->spare);
    free(search->reference);
    free(search->masks);
    free(search->head);
    free(search->following);
    free(search->counts);
    free(search->up);
    free(search->down);
    free(search->level);
    free(search->last);
    free(search->trial_up);
    free(search->trial_down);
    free(search->low);
    free(search->high);
    free(search->band);
    free(search->trial);
    free(search->aligned);
    free(search->word_errors);
    free(search->reference_errors);
    free(search->moves);
}

/* Room for pairs of up to n and m words; the bands are made when one needs them. */
static int new_search(Search *search, int64_t n, int64_t m)
{
    const int64_t blocks = (m + 63) >> 6;
    memset(search, 0, sizeof *search);
    search->words = room(n, sizeof *search->words);
    search->spare = room(n, sizeof *search->spare);
    search->reference = room(m, sizeof *search->reference);
    search->masks = room((m + 1) * blocks, sizeof *search->masks);
    search->head = room(m + 1, sizeof *search->head);
    search->following = room(m, sizeof *search->following);
    search->counts = room(m + 1, sizeof *search->counts);
    search->up = room((n + 1) * blocks, sizeof *search->up);
    search->down = room((n + 1) * blocks, sizeof *search->down);
    search->level = room((n + 1) * blocks, sizeof *search->level);
    search->last = room(n + 1, sizeof *search->last);
    search->trial_up = room(blocks, sizeof *search->trial_up);
    search->trial_down = room(blocks, sizeof *search->trial_down);
    search->low = room(n + 1, sizeof *search->low);
    search->high = room(n + 1, sizeof *search->high);
    search->aligned = room(m, sizeof *search->aligned);
    search->word_errors = room(n + 1, sizeof *search->word_errors);
    search->reference_errors = room(m + 1, sizeof *search->reference_errors);
    search->moves = room(MAX_NOTED, sizeof *search->moves);
    if (search->words && search->spare && search->reference && search->masks && search->head &&
        search->following && search->counts && search->up && search->down && search->level &&
        search->last && search->trial_up && search->trial_down && search->low && search->high &&
        search->aligned && search->word_errors && search->reference_errors && search->moves)
        return DONE;
    free_search(search);
    return NO_MEMORY;
}

/* Give numbers from 1 to the words of the reference, and note where they stand. `numbers`, one
   for each word of the vocabulary, is zero before and after. */
static void number_words(Search *search, const int32_t *hypothesis, const int32_t *reference,
                         int32_t *numbers)
{
    const int64_t blocks = search->blocks;
    int32_t known = 0;
    search->head[0] = -1;
    memset(search->masks, 0, (size_t)blocks * sizeof *search->masks);
    for (int64_t j = search->m - 1; j >= 0; j--) {
        int32_t number = numbers[reference[j]];
        if (number == 0) {
            number = numbers[reference[j]] = ++known;
            search->head[number] = -1;
            memset(search->masks + number * blocks, 0, (size_t)blocks * sizeof *search->masks);
        }
        search->reference[j] = number;
        search->masks[number * blocks + (j >> 6)] |= UINT64_C(1) << (j & 63);
        search->following[j] = search->head[number];
        search->head[number] = (int32_t)j;
    }
    for (int64_t i = 0; i < search->n; i++) search->words[i] = numbers[hypothesis[i]];
    for (int64_t j = 0; j < search->m; j++) numbers[reference[j]] = 0;
}

/* The distance that the best order would have: longer length minus common words. */
static int64_t bag_distance(const Search *search)
{
    int64_t common = 0;
    for (int64_t j = 0; j < search->m; j++) search->counts[search->reference[j]]++;
    for (int64_t i = 0; i < search->n; i++) {
        if (search->counts[search->words[i]] > 0) {
            search->counts[search->words[i]]--;
            common++;
        }
    }
    for (int64_t j = 0; j < search->m; j++) search->counts[search->reference[j]] = 0;
    return (search->n > search->m ? search->n : search->m) - common;
}

/* The number of shifts made plus the edit distance that remains, or NO_MEMORY. */
static int64_t search_shifts(Search *search)
{
    const int64_t bottom = bag_distance(search);
    int64_t shifts = 0, checked = 0, distance;
    set_beam(search);
    for (;;) {
        distance = fill_rows(search);
        const int beamed = distance >= search->safe;
        if (beamed) {
            if (make_band(search)) return NO_MEMORY;
            distance = fill_band(search, search->words, search->band, 0);
        }
        if (distance == bottom) break;
        align(search, beamed);
        const int64_t n_moves = collect_moves(search);
        checked += n_moves;
        if (checked >= MAX_MOVES) break;
        const int64_t best = best_move(search, n_moves, distance, bottom);
        if (best < 0) break;
        exchange(search->words, search->n, as_swap(search->moves[best], search->n),
                 search->spare);
        memcpy(search->words, search->spare, (size_t)search->n * sizeof *search->words);
        shifts++;
    }
    return shifts + distance;
}

static int64_t longest_line(const int64_t *offsets, int64_t n_lines)
{
    int64_t longest = 0;
    for (int64_t k = 0; k < n_lines; k++) {
        const int64_t length = offsets[k + 1] - offsets[k];
        if (length > longest) longest = length;
    }
    return longest;
}

/* edits (references): the shifts and edits that turn the hypothesis owner[k] into reference k.
   Ids are below n_words, lines shorter than 2^29 words. */
KERNEL int shift_edits(const int32_t *hyp_ids, const int64_t *hyp_offsets, int64_t n_hyps,
                       const int32_t *ref_ids, const int64_t *ref_offsets,
                       const int64_t *owner, int64_t n_refs, int64_t n_words, int64_t *edits)
{
    Search search;
    int result = DONE;
    int32_t *numbers = room(n_words, sizeof *numbers);
    if (!numbers) return NO_MEMORY;
    if (new_search(&search, longest_line(hyp_offsets, n_hyps),
                   longest_line(ref_offsets, n_refs))) {
        free(numbers);
        return NO_MEMORY;
    }
    for (int64_t k = 0; k < n_refs && result == DONE; k++) {
        const int64_t start = hyp_offsets[owner[k]];
        search.n = hyp_offsets[owner[k] + 1] - start;
        search.m = ref_offsets[k + 1] - ref_offsets[k];
        search.blocks = (search.m + 63) >> 6;
        if (search.n == 0 || search.m == 0) {
            edits[k] = search.n + search.m;
            continue;
        }
        number_words(&search, hyp_ids + start, ref_ids + ref_offsets[k], numbers);
        edits[k] = search_shifts(&search);
        if (edits[k] < 0) result = NO_MEMORY;
    }
    free_search(&search);
    free(numbers);
    return result;
}
