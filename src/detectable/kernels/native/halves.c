/* Sums over random halves, from tables of what each byte of random bits takes. */
#include <stdlib.h>
#include "detectable.h"

/* The sums of eight units (rows of values; those from n on are nothing), for each of the 256
   subsets that a byte can name. The highest bit stands for the first unit. */
#define TABLE(NAME, TYPE)                                                                      \
    static void NAME(const TYPE *values, int64_t first, int64_t n, int64_t k, TYPE *table)    \
    {                                                                                          \
        for (int64_t c = 0; c < k; c++) table[c] = 0;                                          \
        for (int64_t place = 0; place < 8; place++) {                                          \
            const int64_t unit = first + 7 - place, half = (int64_t)1 << place;                \
            const TYPE *own = values + unit * k;                                               \
            for (int64_t subset = 0; subset < half; subset++) {                                \
                const TYPE *without = table + subset * k;                                      \
                TYPE *with = table + (half + subset) * k;                                      \
                if (unit < n)                                                                  \
                    for (int64_t c = 0; c < k; c++) with[c] = without[c] + own[c];             \
                else                                                                           \
                    for (int64_t c = 0; c < k; c++) with[c] = without[c];                      \
            }                                                                                  \
        }                                                                                      \
    }

/* bits (rows, stride), values (n, k) with n <= 8 * stride; adds to sums (rows, k), byte by byte:
   two bytes at a time, but in their order. */
#define HALF_SUMS(NAME, FILL, TYPE)                                                            \
    KERNEL int NAME(const uint8_t *bits, int64_t rows, int64_t stride, const TYPE *values,     \
                    int64_t n, int64_t k, TYPE *sums)                                          \
    {                                                                                          \
        const int64_t size = 256 * k;                                                          \
        TYPE *tables;                                                                          \
        if (n == 0 || k == 0) return DONE;                                                     \
        tables = malloc((size_t)(2 * size) * sizeof(TYPE));                                    \
        if (tables == NULL) return NO_MEMORY;                                                  \
        for (int64_t byte = 0; byte * 8 < n; byte += 2) {                                      \
            const int second = byte * 8 + 8 < n;                                               \
            FILL(values, byte * 8, n, k, tables);                                              \
            if (second) FILL(values, byte * 8 + 8, n, k, tables + size);                       \
            for (int64_t row = 0; row < rows; row++) {                                         \
                const uint8_t *taken = bits + row * stride + byte;                             \
                const TYPE *one = tables + taken[0] * k;                                       \
                TYPE *sum = sums + row * k;                                                    \
                if (second) {                                                                  \
                    const TYPE *two = tables + size + taken[1] * k;                            \
                    for (int64_t c = 0; c < k; c++) sum[c] = (sum[c] + one[c]) + two[c];       \
                } else {                                                                       \
                    for (int64_t c = 0; c < k; c++) sum[c] += one[c];                          \
                }                                                                              \
            }                                                                                  \
        }                                                                                      \
        free(tables);                                                                          \
        return DONE;                                                                           \
    }

TABLE(counts_of_subsets, int32_t)
TABLE(sums_of_subsets, double)
HALF_SUMS(half_sums_of_counts, counts_of_subsets, int32_t)
HALF_SUMS(half_sums_of_reals, sums_of_subsets, double)
