/* Probabilities of the standard normal distribution. */
#include <math.h>

#include "detectable.h"

/* below[i] = P(Z <= x[i]), by the complementary error function, which keeps the digits of small
   tails. */
KERNEL int normal_below_each(const double *x, double *below, int64_t n)
{
    const double root_two = 1.4142135623730951;
    for (int64_t i = 0; i < n; i++) below[i] = 0.5 * erfc(-x[i] / root_two);
    return DONE;
}
