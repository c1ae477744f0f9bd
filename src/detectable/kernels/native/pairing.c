/* Tests of many pairs of systems at once: what belongs to pair p is starts[p] ... starts[p + 1]. */
#include <math.h>

#include "detectable.h"

/* The sum with what each addition loses added at the end (Neumaier). */
static double compensated_sum(const double *values, int64_t n)
{
    double total = 0.0, lost = 0.0;
    for (int64_t i = 0; i < n; i++) {
        const double value = values[i], after = total + value;
        if (fabs(total) >= fabs(value))
            lost += (total - after) + value;
        else
            lost += (value - after) + total;
        total = after;
    }
    return total + lost;
}

/* Sums and sizes of the clusters of one pair, kept for all pairs in one table: an entry counts
   only where owner says that it is of this pair. */
typedef struct {
    double *sums, *sizes;
    int64_t *owner;
} Clusters;

/* Add the residuals of a pair to its clusters; return how many clusters there are. */
static int64_t gather(const Clusters *into, int64_t pair, const int64_t *cluster,
                      const double *d, int64_t n, double centre)
{
    int64_t groups = 0;
    for (int64_t i = 0; i < n; i++) {
        const int64_t g = cluster[i];
        if (into->owner[g] != pair) {
            into->owner[g] = pair;
            into->sums[g] = into->sizes[g] = 0.0;
            groups++;
        }
        into->sums[g] += d[i] - centre;
        into->sizes[g] += 1.0;
    }
    return groups;
}

/* Standard error and degrees of freedom from the clusters of a pair of n units, at least two. */
static void spread(const Clusters *of, const int64_t *cluster, int64_t n, double *error,
                   double *df)
{
    double squares = 0.0, shares = 0.0, weights = 0.0, weights_squared = 0.0;
    for (int64_t i = 0; i < n; i++) {
        const int64_t g = cluster[i];
        if (of->sizes[g] == 0.0) continue; /* each cluster once: it is set to zero when read */
        const double h = of->sizes[g] / (double)n;
        const double w = h * h / (1.0 - h);
        squares += of->sums[g] * of->sums[g] / (1.0 - h);
        shares += h * h;
        weights += w;
        weights_squared += w * w;
        of->sizes[g] = 0.0;
    }
    *df = 1.0 / (shares + weights * weights - weights_squared);
    const double whole = rint(*df);
    if (fabs(*df - whole) < 1e-9 * whole) *df = whole;
    *error = sqrt(squares) / (double)n;
}

/* starts (pairs + 1), cluster and d (units); sums, sizes and owner (clusters): room to work in,
   owner all -1; mean and error (pairs) all NaN, df (pairs) all 0, where there is no answer. */
KERNEL int clustered_means(const int64_t *starts, int64_t pairs, const int64_t *cluster,
                           const double *d, double *sums, double *sizes, int64_t *owner,
                           double *mean, double *error, double *df)
{
    const Clusters clusters = {sums, sizes, owner};
    for (int64_t p = 0; p < pairs; p++) {
        const int64_t low = starts[p], n = starts[p + 1] - low;
        if (n == 0) continue;
        mean[p] = compensated_sum(d + low, n) / (double)n;
        if (gather(&clusters, p, cluster + low, d + low, n, mean[p]) < 2) continue;
        spread(&clusters, cluster + low, n, error + p, df + p);
    }
    return DONE;
}

static double plain_mean(const double *values, int64_t n)
{
    double total = 0.0;
    for (int64_t i = 0; i < n; i++) total += values[i];
    return total / (double)n;
}

/* starts (pairs + 1), a and b (units); r (pairs) all NaN, where one of the two is constant. */
KERNEL int correlations(const int64_t *starts, int64_t pairs, const double *a, const double *b,
                        double *r)
{
    for (int64_t p = 0; p < pairs; p++) {
        const int64_t low = starts[p], n = starts[p + 1] - low;
        if (n < 2) continue;
        const double mean_a = plain_mean(a + low, n), mean_b = plain_mean(b + low, n);
        double xx = 0.0, yy = 0.0, xy = 0.0;
        for (int64_t i = low; i < low + n; i++) {
            const double x = a[i] - mean_a, y = b[i] - mean_b;
            xx += x * x;
            yy += y * y;
            xy += x * y;
        }
        if (xx * yy > 0.0) r[p] = xy / sqrt(xx * yy);
    }
    return DONE;
}

static uint64_t mixed(uint64_t word, int64_t part)
{
    word += ((uint64_t)part + 1) * 0x9E3779B97F4A7C15u;
    word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9u;
    word = (word ^ (word >> 27)) * 0x94D049BB133111EBu;
    return word ^ (word >> 31);
}

/* The first step of the random bits of a pair: the same for all its units. */
static uint64_t word_of_pair(int64_t seed, int64_t pair)
{
    return mixed((uint64_t)seed, pair);
}

/* A random bit that depends on seed, pair and unit alone (splitmix64, twice). */
static int is_swapped(uint64_t word, int64_t unit)
{
    return (int)(mixed(word, unit) >> 63);
}

/* starts (pairs + 1), unit and swapped (cells). */
KERNEL int swap_units(const int64_t *starts, int64_t pairs, const int64_t *unit, int64_t seed,
                      uint8_t *swapped)
{
    for (int64_t p = 0; p < pairs; p++) {
        const uint64_t word = word_of_pair(seed, p);
        for (int64_t x = starts[p]; x < starts[p + 1]; x++) {
            swapped[x] = (uint8_t)is_swapped(word, unit[x]);
        }
    }
    return DONE;
}

/* pairs (rows): numbers of pairs; first and second: the slots of every pair; starts: those of
   every slot; value and unit of each cell; a and b (rows, values), zeros. A negative seed swaps
   nothing. */
KERNEL int pair_counts(const int64_t *pairs, int64_t rows, const int64_t *first,
                       const int64_t *second, const int64_t *starts, const int64_t *value,
                       const int64_t *unit, int64_t values, int64_t seed, int64_t *a, int64_t *b)
{
    for (int64_t row = 0; row < rows; row++) {
        const int64_t p = pairs[row];
        const uint64_t word = word_of_pair(seed, p);
        for (int side = 0; side < 2; side++) {
            const int64_t slot = side ? second[p] : first[p];
            int64_t *own = (side ? b : a) + row * values, *other = (side ? a : b) + row * values;
            for (int64_t x = starts[slot]; x < starts[slot + 1]; x++) {
                (seed >= 0 && is_swapped(word, unit[x]) ? other : own)[value[x]]++;
            }
        }
    }
    return DONE;
}
