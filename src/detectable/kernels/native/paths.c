/* Paths of a test statistic while judgments arrive, and what stopping procedures make of them. */
#include <math.h>
#include <string.h>

#include "detectable.h"

/* As in scipy's mannwhitneyu, at every look alike. */
#define CONTINUITY 0.5

static uint64_t rotated(uint64_t word, int by)
{
    return (word << by) | (word >> (64 - by));
}

/* The state of the generator, as single words so that they stay in registers. */
typedef struct {
    uint64_t s0, s1, s2, s3;
} Random;

static Random random_from(const uint64_t state[4])
{
    const Random random = {state[0], state[1], state[2], state[3]};
    return random;
}

static void keep(uint64_t state[4], Random random)
{
    state[0] = random.s0;
    state[1] = random.s1;
    state[2] = random.s2;
    state[3] = random.s3;
}

/* 64 random bits, by xoshiro256++ (Blackman and Vigna 2021). */
static uint64_t next_word(Random *r)
{
    const uint64_t word = rotated(r->s0 + r->s3, 23) + r->s0;
    const uint64_t shifted = r->s1 << 17;
    r->s2 ^= r->s0;
    r->s3 ^= r->s1;
    r->s1 ^= r->s2;
    r->s0 ^= r->s3;
    r->s2 ^= shifted;
    r->s3 = rotated(r->s3, 45);
    return word;
}

/* A place in a table of so many entries from 32 random bits (Lemire 2019, without the rejection:
   the bias is below 2^-32 times the size of the table). */
static uint64_t place(uint64_t bits, uint64_t size)
{
    return ((bits & 0xFFFFFFFFu) * size) >> 32;
}

/* Mann-Whitney's z of two samples of n from their counts, the same as rankcounts.rank_sum_z. The
   counts grow with the path; the pass over the cells that occur costs as much as the draws of a
   step of 100. Trees of partial sums would turn it into some fourteen operations per draw, which
   is more. */
static double rank_z(const int64_t *a, const int64_t *b, int64_t cells, int64_t n)
{
    int64_t twice_u = 0, below = 0, cubes = 0;
    for (int64_t k = 0; k < cells; k++) {
        const int64_t t = a[k] + b[k];
        twice_u += a[k] * (2 * below + b[k]);
        cubes += t * t * t;
        below += b[k];
    }
    const double total = 2.0 * (double)n, square = (double)n * (double)n;
    const double ties = ((double)cubes - total) / (total * (total - 1.0));
    const double variance = square / 12.0 * (total + 1.0 - ties);
    const double centred = 0.5 * ((double)twice_u - square);
    if (variance <= 0.0) return 0.0;
    const double beyond = fabs(centred) - CONTINUITY;
    const double distance = (beyond > 0.0 ? beyond : 0.0) / sqrt(variance);
    return centred >= 0.0 ? distance : -distance;
}

/* The judgments of a pair: one entry per judgment, the cell of its value. */
typedef struct {
    const int32_t *a, *b;
    int64_t n_a, n_b, cells;
} Pair;

/* Fill z with the statistic after every wanted step of so many judgments per system. One word
   draws one judgment of each system. counts: room for two rows of cells. */
static void rank_path(const Pair *pair, int64_t *counts, int64_t step, const uint8_t *wanted,
                      int64_t steps, uint64_t state[4], double *z)
{
    int64_t *a = counts, *b = counts + pair->cells;
    const uint64_t n_a = (uint64_t)pair->n_a, n_b = (uint64_t)pair->n_b;
    const int32_t *table_a = pair->a, *table_b = pair->b;
    Random random = random_from(state);
    memset(counts, 0, (size_t)(2 * pair->cells) * sizeof *counts);
    for (int64_t look = 0; look < steps; look++) {
        for (int64_t i = 0; i < step; i++) {
            const uint64_t word = next_word(&random);
            a[table_a[place(word, n_a)]]++;
            b[table_b[place(word >> 32, n_b)]]++;
        }
        if (wanted[look]) z[look] = rank_z(a, b, pair->cells, (look + 1) * step);
    }
    keep(state, random);
}

/* Sums of differences and of their squares. */
typedef struct {
    double total, squares;
} Sums;

static void add(Sums *sums, double d)
{
    sums->total += d;
    sums->squares += d * d;
}

/* Fill z with sum(d) / sqrt(sum(d^2)) after every so many differences. One word draws two of them;
   the second half of the last word of an odd step is thrown away. */
static void mean_path(const double *sample, int64_t n, int64_t step, int64_t steps,
                      uint64_t state[4], double *z)
{
    const uint64_t size = (uint64_t)n;
    Random random = random_from(state);
    Sums sums = {0.0, 0.0};
    for (int64_t look = 0; look < steps; look++) {
        for (int64_t i = 0; i < step / 2; i++) {
            const uint64_t word = next_word(&random);
            add(&sums, sample[place(word, size)]);
            add(&sums, sample[place(word >> 32, size)]);
        }
        if (step % 2) add(&sums, sample[place(next_word(&random), size)]);
        z[look] = sums.squares > 0.0 ? sums.total / sqrt(sums.squares) : 0.0;
    }
    keep(state, random);
}

/* Looks of many plans: plan q has start[q] ... start[q + 1], at least one. */
typedef struct {
    const int64_t *start, *look;
    const double *bound, *futility;
    int64_t n;
} Plans;

/* Add to hits the plans that reject on this path, to looks the steps they take. */
static void tally(const double *z, const Plans *plans, int64_t *hits, int64_t *looks)
{
    for (int64_t q = 0; q < plans->n; q++) {
        const int64_t last = plans->start[q + 1] - 1;
        int64_t i = plans->start[q];
        double size = fabs(z[plans->look[i]]);
        while (i < last && !(size >= plans->bound[i]) && !(size < plans->futility[i])) {
            i++;
            size = fabs(z[plans->look[i]]);
        }
        hits[q] += size >= plans->bound[i];
        looks[q] += plans->look[i] + 1;
    }
}

/* Tables of one pair (n_a and n_b entries, each below cells); z (paths, steps). */
KERNEL int rank_paths(const int32_t *table_a, int64_t n_a, const int32_t *table_b, int64_t n_b,
                      int64_t cells, int64_t paths, const uint8_t *wanted, int64_t steps,
                      int64_t step, uint64_t *state, int64_t *counts, double *z)
{
    const Pair pair = {table_a, table_b, n_a, n_b, cells};
    for (int64_t path = 0; path < paths; path++) {
        rank_path(&pair, counts, step, wanted, steps, state, z + path * steps);
    }
    return DONE;
}

/* sample (n); z (paths, steps). */
KERNEL int mean_paths(const double *sample, int64_t n, int64_t paths, int64_t steps, int64_t step,
                      uint64_t *state, double *z)
{
    for (int64_t path = 0; path < paths; path++) {
        mean_path(sample, n, step, steps, state, z + path * steps);
    }
    return DONE;
}

/* Tables of all pairs, one after another: pair p has starts[p] ... starts[p + 1] of a and of b,
   and cells[p] cells. counts: room for twice the most cells; z: for one path. hits and looks
   (pairs, plans), zeros. */
KERNEL int rank_tallies(const int32_t *table_a, const int64_t *starts_a, const int32_t *table_b,
                        const int64_t *starts_b, const int64_t *cells, int64_t pairs,
                        int64_t repeats, const uint8_t *wanted, int64_t steps, int64_t step,
                        const int64_t *plan_start, const int64_t *plan_look,
                        const double *plan_bound, const double *plan_futility, int64_t n_plans,
                        uint64_t *state, int64_t *counts, double *z, int64_t *hits,
                        int64_t *looks)
{
    const Plans plans = {plan_start, plan_look, plan_bound, plan_futility, n_plans};
    for (int64_t p = 0; p < pairs; p++) {
        const Pair pair = {table_a + starts_a[p], table_b + starts_b[p],
                           starts_a[p + 1] - starts_a[p], starts_b[p + 1] - starts_b[p],
                           cells[p]};
        for (int64_t path = 0; path < repeats; path++) {
            rank_path(&pair, counts, step, wanted, steps, state, z);
            tally(z, &plans, hits + p * n_plans, looks + p * n_plans);
        }
    }
    return DONE;
}

/* The same for samples of paired differences: pair p has starts[p] ... starts[p + 1]. */
KERNEL int mean_tallies(const double *samples, const int64_t *starts, int64_t pairs,
                        int64_t repeats, int64_t steps, int64_t step, const int64_t *plan_start,
                        const int64_t *plan_look, const double *plan_bound,
                        const double *plan_futility, int64_t n_plans, uint64_t *state, double *z,
                        int64_t *hits, int64_t *looks)
{
    const Plans plans = {plan_start, plan_look, plan_bound, plan_futility, n_plans};
    for (int64_t p = 0; p < pairs; p++) {
        for (int64_t path = 0; path < repeats; path++) {
            mean_path(samples + starts[p], starts[p + 1] - starts[p], step, steps, state, z);
            tally(z, &plans, hits + p * n_plans, looks + p * n_plans);
        }
    }
    return DONE;
}
