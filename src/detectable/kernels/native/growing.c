/* Multinomial resamples that grow document by document. */
#include "detectable.h"

/* Make up draws that are missing by fresh ones of the first `start` segments. */
static int64_t make_up(int32_t *pool, int64_t start, int64_t missing, const double *chance,
                       int32_t *changed)
{
    int64_t size = start;
    for (int64_t j = 0; j < missing; j++) {
        changed[j] = (int32_t)(chance[j] * (double)start);
        pool[size++] = changed[j];
    }
    return size;
}

/* Take draws back, chosen at random; the last one of the pool fills the gap. */
static int64_t take_back(int32_t *pool, int64_t start, int64_t surplus, const double *chance,
                         int32_t *changed)
{
    int64_t size = start;
    for (int64_t j = 0; j < surplus; j++) {
        const int64_t place = (int64_t)(chance[j] * (double)size);
        changed[j] = pool[place];
        pool[place] = pool[--size];
    }
    return size;
}

/* drawn (rows, room): of each row the first `start` are draws from segments before `start`; after
   it the first start + segments are draws from all. fresh (rows): draws from the new document,
   missing = segments - fresh; picks (rows, most_fresh) in 0 ... segments - 1, chance (rows,
   most_changed) in 0 <= c < 1; counts (rows, segments) zeros; changed (rows, most_changed): old
   segments that were drawn in addition, or taken back. */
KERNEL int settle(int32_t *drawn, int64_t rows, int64_t room, int64_t start, int64_t segments,
                  const int64_t *fresh, const int64_t *missing, const int32_t *picks,
                  int64_t most_fresh, const double *chance, int64_t most_changed,
                  int32_t *counts, int32_t *changed)
{
    for (int64_t row = 0; row < rows; row++) {
        int32_t *pool = drawn + row * room;
        const double *own = chance + row * most_changed;
        int32_t *moved = changed + row * most_changed;
        int64_t size = missing[row] > 0 ? make_up(pool, start, missing[row], own, moved)
                                        : take_back(pool, start, -missing[row], own, moved);
        for (int64_t j = 0; j < fresh[row]; j++) {
            const int32_t pick = picks[row * most_fresh + j];
            counts[row * segments + pick]++;
            pool[size++] = (int32_t)start + pick;
        }
    }
    return DONE;
}

/* total (rows, columns): the values of the segments in changed (rows, most_changed), of which
   |missing| of each row count, are added where draws were missing, else subtracted. Two at a time,
   one after the other, which halves the traffic with `total`. */
#define ADD_ROWS(name, type)                                                                  \
    KERNEL int name(double *total, int64_t rows, int64_t columns, const type *values,         \
                    const int32_t *changed, int64_t most_changed, const int64_t *missing)     \
    {                                                                                         \
        for (int64_t row = 0; row < rows; row++) {                                            \
            const double sign = missing[row] > 0 ? 1.0 : -1.0;                                \
            const int64_t moved = missing[row] > 0 ? missing[row] : -missing[row];            \
            const int32_t *segment = changed + row * most_changed;                            \
            double *own = total + row * columns;                                              \
            int64_t j = 0;                                                                    \
            for (; j + 1 < moved; j += 2) {                                                   \
                const type *one = values + segment[j] * columns;                              \
                const type *two = values + segment[j + 1] * columns;                          \
                for (int64_t c = 0; c < columns; c++)                                         \
                    own[c] = (own[c] + sign * one[c]) + sign * two[c];                        \
            }                                                                                 \
            if (j < moved) {                                                                  \
                const type *one = values + segment[j] * columns;                              \
                for (int64_t c = 0; c < columns; c++) own[c] += sign * one[c];                \
            }                                                                                 \
        }                                                                                     \
        return DONE;                                                                          \
    }

ADD_ROWS(add_rows_single, float)
ADD_ROWS(add_rows_double, double)
