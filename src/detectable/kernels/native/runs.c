/* Runs of words that a hypothesis and a reference have in common, for GTM (see ../runs.py). */
#include "detectable.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define USED_HYPOTHESIS (-1) /* never equal, to each other or to a word */
#define USED_REFERENCE (-2)

typedef struct {
    int64_t n, m;
    int32_t *hypothesis; /* (n) words, or USED_HYPOTHESIS */
    int32_t *reference;  /* (m) words, or USED_REFERENCE */
    int32_t *lengths;    /* (m + 1) the run that starts at each word of the reference */
} Pair;

typedef struct {
    int64_t size, i, j; /* how many words, from which of the hypothesis and of the reference */
} Run;

/* The longest run; of equals the leftmost in the hypothesis, then in the reference.

   From the last word of the hypothesis to the first, lengths[j] is the run that starts there and
   at word j of the reference. Going backwards, a later find of the same size is further left. */
static Run longest_run(Pair *pair)
{
    int32_t *lengths = pair->lengths;
    Run best = {0, 0, 0};
    memset(lengths, 0, (size_t)(pair->m + 1) * sizeof *lengths);
    for (int64_t i = pair->n - 1; i >= 0; i--) {
        const int32_t word = pair->hypothesis[i];
        Run row = {0, 0, 0};
        row.i = i;
        for (int64_t j = 0; j < pair->m; j++) { /* lengths[j + 1] still belongs to word i + 1 */
            lengths[j] = word == pair->reference[j] ? lengths[j + 1] + 1 : 0;
            if (lengths[j] > row.size) {
                row.size = lengths[j];
                row.j = j;
            }
        }
        if (row.size >= best.size) best = row;
    }
    return best;
}

static double sum_of_powers(Pair *pair, double exponent)
{
    double sum = 0.0;
    for (;;) {
        const Run run = longest_run(pair);
        if (run.size == 0) return sum;
        for (int64_t k = 0; k < run.size; k++) {
            pair->hypothesis[run.i + k] = USED_HYPOTHESIS;
            pair->reference[run.j + k] = USED_REFERENCE;
        }
        sum += pow((double)run.size, exponent);
    }
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

/* sums (references): over the greedy runs of reference k and hypothesis owner[k], size^exponent. */
KERNEL int run_powers(const int32_t *hyp_ids, const int64_t *hyp_offsets, int64_t n_hyps,
                      const int32_t *ref_ids, const int64_t *ref_offsets, const int64_t *owner,
                      int64_t n_refs, double exponent, double *sums)
{
    const size_t n = (size_t)longest_line(hyp_offsets, n_hyps);
    const size_t m = (size_t)longest_line(ref_offsets, n_refs);
    int result = NO_MEMORY;
    Pair pair;
    pair.hypothesis = malloc((n + 1) * sizeof *pair.hypothesis);
    pair.reference = malloc((m + 1) * sizeof *pair.reference);
    pair.lengths = malloc((m + 1) * sizeof *pair.lengths);
    if (pair.hypothesis && pair.reference && pair.lengths) {
        for (int64_t k = 0; k < n_refs; k++) {
            const int64_t start = hyp_offsets[owner[k]];
            pair.n = hyp_offsets[owner[k] + 1] - start;
            pair.m = ref_offsets[k + 1] - ref_offsets[k];
            memcpy(pair.hypothesis, hyp_ids + start, (size_t)pair.n * sizeof *hyp_ids);
            memcpy(pair.reference, ref_ids + ref_offsets[k], (size_t)pair.m * sizeof *ref_ids);
            sums[k] = sum_of_powers(&pair, exponent);
        }
        result = DONE;
    }
    free(pair.hypothesis);
    free(pair.reference);
    free(pair.lengths);
    return result;
}
