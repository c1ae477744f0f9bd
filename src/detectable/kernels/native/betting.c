/* Running sums behind monitoring: wealth of many bets, a band from them, running moments. */
#include <math.h>

#include "detectable.h"

#define LOG_2 0.69314718055994530942

/* A wealth beyond this, or below its inverse, moves to its exponent. */
static const double LARGE = 0x1p300;
static const double SMALL = 0x1p-300;

/* Multiply each wealth by 1 + bet * x; say whether one has left the range of floats. */
static int pay(double x, const double *bets, int64_t stakes, double *wealth)
{
    int left = 0;
    for (int64_t j = 0; j < stakes; j++) {
        const double now = wealth[j] * (1.0 + bets[j] * x);
        wealth[j] = now;
        left |= (now > LARGE) | (now < SMALL);
    }
    return left;
}

/* Move powers of two, which is exact, so that every wealth lies between 1/2 and 1. scale becomes
   what each wealth counts beside the one with the largest exponent. */
static void rescale(double *wealth, int64_t *exponents, double *scale, int64_t stakes)
{
    int64_t top = INT64_MIN;
    for (int64_t j = 0; j < stakes; j++) {
        int moved;
        wealth[j] = frexp(wealth[j], &moved);
        /* Exponents may come from a file: too large ones may be wrong, but not undefined. */
        exponents[j] = (int64_t)((uint64_t)exponents[j] + (uint64_t)moved);
        if (exponents[j] > top) top = exponents[j];
    }
    for (int64_t j = 0; j < stakes; j++) {
        /* More than 1,000 powers of two below the top it counts nothing, not even in the last
           bit. */
        const uint64_t below = (uint64_t)top - (uint64_t)exponents[j];
        scale[j] = ldexp(1.0, below > 1000 ? -1000 : -(int)below);
    }
}

/* The log of the mean wealth. */
static double log_mean(const double *wealth, const int64_t *exponents, const double *scale,
                       int64_t stakes)
{
    double total = 0.0;
    int64_t top = exponents[0];
    for (int64_t j = 0; j < stakes; j++) {
        total += wealth[j] * scale[j];
        if (exponents[j] > top) top = exponents[j];
    }
    return log(total / (double)stakes) + (double)top * LOG_2;
}

/* x (n); bets (stakes); wealth, exponents and scale (2, stakes), brought up to date; path (3, n):
   log e-values two-sided, better, worse. */
KERNEL int wealth_path(const double *x, int64_t n, const double *bets, int64_t stakes,
                       double *wealth, int64_t *exponents, double *scale, double *path)
{
    for (int64_t i = 0; i < n; i++) {
        double side_log[2];
        for (int side = 0; side < 2; side++) {
            double *w = wealth + side * stakes, *s = scale + side * stakes;
            int64_t *e = exponents + side * stakes;
            if (pay(side ? -x[i] : x[i], bets, stakes, w)) rescale(w, e, s, stakes);
            side_log[side] = log_mean(w, e, s, stakes);
            path[(1 + side) * n + i] = side_log[side];
        }
        const int down = side_log[1] > side_log[0];
        const double top = side_log[down], less = side_log[!down];
        path[i] = top + log(0.5 * (1.0 + exp(less - top)));
    }
    return DONE;
}

/* Wealth against all candidates: arrays (2, candidates, stakes), bets for and against. */
typedef struct {
    const double *bets;
    int64_t stakes, candidates;
    double *wealth, *scale;
    int64_t *exponents;
} Book;

static void bet_on(const Book *book, int side, int64_t candidate, double x)
{
    const int64_t at = (side * book->candidates + candidate) * book->stakes;
    if (pay(x, book->bets, book->stakes, book->wealth + at)) {
        rescale(book->wealth + at, book->exponents + at, book->scale + at, book->stakes);
    }
}

static double log_wealth(const Book *book, int side, int64_t candidate)
{
    const int64_t at = (side * book->candidates + candidate) * book->stakes;
    return log_mean(book->wealth + at, book->exponents + at, book->scale + at, book->stakes);
}

/* x (n), grid (candidates) rising; wealth and scale ones, exponents zeros, all (2, candidates,
   stakes); band (2, n): lower and upper bound after each x. */
KERNEL int betting_band(const double *x, int64_t n, const double *bets, int64_t stakes,
                        const double *grid, int64_t candidates, double log_threshold,
                        double *wealth, int64_t *exponents, double *scale, double *band)
{
    const Book book = {bets, stakes, candidates, wealth, scale, exponents};
    int64_t first = 0, last = candidates - 1;
    double low = -1.0, high = 1.0;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t g = first; g <= last; g++) {
            const double scaled = (x[i] - grid[g]) / (1.0 + fabs(grid[g]));
            bet_on(&book, 0, g, scaled);
            bet_on(&book, 1, g, -scaled);
        }
        while (first <= last && log_wealth(&book, 0, first) >= log_threshold) low = grid[first++];
        while (first <= last && log_wealth(&book, 1, last) >= log_threshold) high = grid[last--];
        band[i] = low;
        band[n + i] = high;
    }
    return DONE;
}

/* Welford: state (count, mean, sum of squares about it), brought up to date; path (2, n): means
   and variances (n - 1). */
KERNEL int moments_path(const double *x, int64_t n, double *state, double *path)
{
    double count = state[0], mean = state[1], squares = state[2];
    for (int64_t i = 0; i < n; i++) {
        count += 1.0;
        const double step = x[i] - mean;
        mean += step / count;
        squares += step * (x[i] - mean);
        path[i] = mean;
        path[n + i] = count > 1.0 ? squares / (count - 1.0) : NAN;
    }
    state[0] = count;
    state[1] = mean;
    state[2] = squares;
    return DONE;
}
