/* The largest difference of two columns, in units of each pair. */
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
