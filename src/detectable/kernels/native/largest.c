/* The largest of many: differences of two columns, and statistics from the least extreme on. */
#include <math.h>
#include "detectable.h"

#define ROWS 128 /* that stay close by while all pairs of columns pass */

/* values (columns, rows), scales (columns, columns), of which those above the diagonal count;
   largest (rows), which starts at 0. */
KERNEL int largest_gaps(const double *values, int64_t columns, int64_t rows,
                        const double *scales, double *restrict largest)
{
    for (int64_t start = 0; start < rows; start += ROWS) {
        const int64_t n = rows - start < ROWS ? rows - start : ROWS;
        double *most = largest + start;
        for (int64_t i = 0; i < columns; i++) {
            const double *one = values + i * rows + start;
            for (int64_t j = i + 1; j < columns; j++) {
                const double *other = values + j * rows + start;
                const double scale = scales[i * columns + j];
                for (int64_t row = 0; row < n; row++) {
                    const double gap = fabs(other[row] - one[row]) * scale;
                    most[row] = most[row] > gap ? most[row] : gap;
                }
            }
        }
    }
    return DONE;
}

/* differences (rows, columns); order (n): columns, the most extreme first; scales and least (n) in
   that order. counts (n): in how many rows the largest |difference| / scale of a column and all
   after it is at least `least`; largest (rows): that of all. A scale of 0 stands for no statistic. */
KERNEL int step_down(const double *differences, int64_t rows, int64_t columns,
                     const int64_t *order, const double *scales, const double *least, int64_t n,
                     int64_t *counts, double *largest)
{
    for (int64_t row = 0; row < rows; row++) {
        const double *own = differences + row * columns;
        double most = 0.0;
        for (int64_t i = n - 1; i >= 0; i--) {
            const double found = scales[i] > 0.0 ? fabs(own[order[i]]) / scales[i] : 0.0;
            most = most > found ? most : found;
            counts[i] += most >= least[i];
        }
        largest[row] = most;
    }
    return DONE;
}
