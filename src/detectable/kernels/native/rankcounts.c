/* Draws from a few values, counted. */
#include "detectable.h"

/* words (rows, stride), of which the first n of each row are used; steps: cumulative
   probabilities times 2^32, rising, the last one 2^32; guide: for each value of the first
   guide_bits of a word, the first step above its smallest word. counts (rows, values). */
KERNEL int count_draws(const uint32_t *words, int64_t rows, int64_t stride, int64_t n,
                       const uint64_t *steps, const int64_t *guide, int64_t guide_bits,
                       int64_t *counts, int64_t values)
{
    const int shift = (int)(32 - guide_bits);
    for (int64_t row = 0; row < rows; row++) {
        const uint32_t *draws = words + row * stride;
        int64_t *counted = counts + row * values;
        for (int64_t i = 0; i < n; i++) {
            const uint32_t word = draws[i];
            int64_t k = guide[word >> shift];
            while (word >= steps[k]) k++;
            counted[k]++;
        }
    }
    return DONE;
}
