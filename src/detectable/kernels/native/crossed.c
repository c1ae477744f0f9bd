/* Mixed models with crossed factors: see kernels/crossed.py for what blocks, groups and columns
   are. Every block touches few columns; only these are visited. */
#include "detectable.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What a block touches: its columns in ascending order, the first `first` those of its group. */
typedef struct {
    const int32_t *columns;
    int64_t begin;
    int64_t width;
    int64_t first;
} Touched;

static Touched touched_by(int64_t block, const int32_t *columns, const int64_t *starts, int64_t c)
{
    Touched found;
    found.begin = starts[block];
    found.width = starts[block + 1] - starts[block];
    found.columns = columns + found.begin;
    found.first = 0;
    while (found.first < found.width && found.columns[found.first] < c) found.first++;
    return found;
}

static int64_t widest(const int64_t *starts, int64_t blocks)
{
    int64_t most = 0;
    for (int64_t j = 0; j < blocks; j++)
        if (starts[j + 1] - starts[j] > most) most = starts[j + 1] - starts[j];
    return most;
}

/* The Cholesky factor of I + S A S; returns its log determinant. */
static double factorise(const double *gram, const double *scale, int64_t k, double *factor)
{
    double log_det = 0.0;
    for (int64_t a = 0; a < k; a++) {
        for (int64_t b = 0; b <= a; b++) {
            double total = scale[a] * gram[a * k + b] * scale[b] + (a == b ? 1.0 : 0.0);
            for (int64_t e = 0; e < b; e++) total -= factor[a * k + e] * factor[b * k + e];
            if (a == b) {
                factor[a * k + a] = sqrt(total);
                log_det += log(total);
            } else {
                factor[a * k + b] = total / factor[b * k + b];
            }
        }
    }
    return log_det;
}

/* root = L^-1 S, lower triangular, for L the factor. */
static void invert(const double *factor, const double *scale, int64_t k, double *root)
{
    memset(root, 0, (size_t)(k * k) * sizeof(double));
    for (int64_t column = 0; column < k; column++) {
        root[column * k + column] = scale[column] / factor[column * k + column];
        for (int64_t a = column + 1; a < k; a++) {
            double total = 0.0;
            for (int64_t b = column; b < a; b++) total -= factor[a * k + b] * root[b * k + column];
            root[a * k + column] = total / factor[a * k + a];
        }
    }
}

static void multiply(const double *left, const double *right, int64_t k, double *product)
{
    memset(product, 0, (size_t)(k * k) * sizeof(double));
    for (int64_t a = 0; a < k; a++)
        for (int64_t e = 0; e < k; e++)
            for (int64_t b = 0; b < k; b++)
                product[a * k + b] += left[a * k + e] * right[e * k + b];
}

/* For each block, of Gram matrix A: roots (blocks, k, k), L^-1 S; left, I - A S (I + S A S)^-1 S;
   own, left A. log_det[0] is the sum of log det(I + S A S). */
KERNEL int condition_blocks(const double *gram, int64_t blocks, int64_t k, const double *scale,
                            double *roots, double *left, double *own, double *log_det)
{
    const int64_t cells = k * k;
    double *factor = malloc((size_t)(2 * cells) * sizeof(double));
    if (factor == NULL) return NO_MEMORY;
    double *inside = factor + cells;
    log_det[0] = 0.0;
    for (int64_t j = 0; j < blocks; j++) {
        const double *root = roots + j * cells;
        double *kept = left + j * cells;
        log_det[0] += factorise(gram + j * cells, scale, k, factor);
        invert(factor, scale, k, roots + j * cells);
        for (int64_t a = 0; a < k; a++)
            for (int64_t b = 0; b < k; b++) {
                double total = 0.0;
                for (int64_t e = a > b ? a : b; e < k; e++)
                    total += root[e * k + a] * root[e * k + b];
                inside[a * k + b] = total;
            }
        multiply(gram + j * cells, inside, k, kept);
        for (int64_t i = 0; i < cells; i++) kept[i] = -kept[i];
        for (int64_t a = 0; a < k; a++) kept[a * k + a] += 1.0;
        multiply(kept, gram + j * cells, k, own + j * cells);
    }
    free(factor);
    return DONE;
}

/* rows (r, width) = root (r, k) times the block's values. */
static void make_rows(const double *root, const double *values, int64_t entries, int64_t r,
                      int64_t k, const Touched *touched, double *rows)
{
    for (int64_t a = 0; a < r; a++) {
        double *row = rows + a * touched->width;
        for (int64_t p = 0; p < touched->width; p++) row[p] = 0.0;
        for (int64_t b = 0; b < k; b++) {
            const double weight = root[a * k + b];
            const double *value = values + b * entries + touched->begin;
            if (weight == 0.0) continue;
            for (int64_t p = 0; p < touched->width; p++) row[p] += weight * value[p];
        }
    }
}

/* target[columns[q] - shift] += sum over rows of row[p] row[q], for q from `from` to `to`. */
static void add_row(double *target, const int32_t *columns, int64_t shift, const double *rows,
                    int64_t r, int64_t width, int64_t p, int64_t from, int64_t to, double sign)
{
    if (r == 2) { /* an intercept and a slope: one pass in place of two */
        const double one = sign * rows[p], two = sign * rows[width + p];
        for (int64_t q = from; q < to; q++)
            target[columns[q] - shift] += one * rows[q] + two * rows[width + q];
        return;
    }
    for (int64_t a = 0; a < r; a++) {
        const double weight = sign * rows[a * width + p];
        for (int64_t q = from; q < to; q++)
            target[columns[q] - shift] += weight * rows[a * width + q];
    }
}

/* Copy the lower triangle of an (n, n) matrix to the upper one, tile by tile for the cache. */
static void mirror(double *matrix, int64_t n)
{
    const int64_t tile = 32;
    for (int64_t top = 0; top < n; top += tile)
        for (int64_t begin = 0; begin <= top; begin += tile)
            for (int64_t i = top; i < n && i < top + tile; i++)
                for (int64_t j = begin; j < i && j < begin + tile; j++)
                    matrix[j * n + i] = matrix[i * n + j];
}

/* Add sign times the sum over blocks of (V B)'(V B) to rest (size, size), near (groups, c, c) and
   across (groups, c, size), with V the block's roots (r, k) and B its values. All of them are
   symmetric, before and after. */
KERNEL int add_products(double *rest, double *near, double *across, int64_t size, int64_t c,
                        const double *roots, int64_t r, int64_t k, const double *values,
                        int64_t entries, const int32_t *columns, const int64_t *starts,
                        const int64_t *groups, int64_t blocks, double sign)
{
    double *rows = malloc((size_t)(r * widest(starts, blocks) + 1) * sizeof(double));
    if (rows == NULL) return NO_MEMORY;
    for (int64_t j = 0; j < blocks; j++) {
        const Touched touched = touched_by(j, columns, starts, c);
        const int32_t *column = touched.columns;
        double *own = near + groups[j] * c * c, *beside = across + groups[j] * c * size;
        make_rows(roots + j * r * k, values, entries, r, k, &touched, rows);
        for (int64_t p = 0; p < touched.first; p++) {
            add_row(own + column[p] * c, column, 0, rows, r, touched.width, p, 0, touched.first,
                    sign);
            add_row(beside + column[p] * size, column, c, rows, r, touched.width, p, touched.first,
                    touched.width, sign);
        }
        for (int64_t p = touched.first; p < touched.width; p++)
            add_row(rest + (column[p] - c) * size, column, c, rows, r, touched.width, p,
                    touched.first, p + 1, sign);
    }
    free(rows);
    mirror(rest, size);
    return DONE;
}

/* The sum of row[columns[q] - shift] times x[q]; four sums, so that additions need not wait. */
static double dot_at(const double *row, const int32_t *columns, int64_t shift, const double *x,
                     int64_t from, int64_t to)
{
    double one = 0.0, two = 0.0, three = 0.0, four = 0.0;
    int64_t q = from;
    for (; q + 3 < to; q += 4) {
        one += row[columns[q] - shift] * x[q];
        two += row[columns[q + 1] - shift] * x[q + 1];
        three += row[columns[q + 2] - shift] * x[q + 2];
        four += row[columns[q + 3] - shift] * x[q + 3];
    }
    for (; q < to; q++) one += row[columns[q] - shift] * x[q];
    return (one + two) + (three + four);
}

/* One row of the matrix against the columns before it: twice these, once itself. */
static void collect_row(const double *partial, const double *values, int64_t entries, int64_t at,
                        double itself, int64_t k, double *found)
{
    for (int64_t a = 0; a < k; a++) {
        const double value = values[a * entries + at];
        for (int64_t b = 0; b < k; b++) {
            const double other = values[b * entries + at];
            found[a * k + b] += value * partial[b] + other * partial[a] + itself * value * other;
        }
    }
}

/* found (blocks, k, k) = B M B' of each block, M symmetric: rest (known, known) among the first
   columns that are not of groups, near (groups, c, c), across (groups, c, known). */
KERNEL int collect_blocks(const double *rest, const double *near, const double *across,
                          int64_t known, int64_t c, int64_t k, const double *values,
                          int64_t entries, const int32_t *columns, const int64_t *starts,
                          const int64_t *groups, int64_t blocks, double *found)
{
    double *partial = malloc((size_t)k * sizeof(double));
    if (partial == NULL) return NO_MEMORY;
    memset(found, 0, (size_t)(blocks * k * k) * sizeof(double));
    for (int64_t j = 0; j < blocks; j++) {
        const Touched touched = touched_by(j, columns, starts, c);
        const int32_t *column = touched.columns;
        const double *own = near + groups[j] * c * c, *beside = across + groups[j] * c * known;
        const double *value = values + touched.begin;
        int64_t last = touched.width;
        while (last > touched.first && column[last - 1] - c >= known) last--;
        for (int64_t p = 0; p < last; p++) {
            const int64_t here = column[p];
            const int within = p < touched.first;
            const double *row = within ? own + here * c : rest + (here - c) * known;
            for (int64_t b = 0; b < k; b++) {
                const double *x = value + b * entries;
                double total = 0.0;
                if (within) {
                    total = dot_at(row, column, 0, x, 0, p);
                } else {
                    for (int64_t q = 0; q < touched.first; q++)
                        total += beside[column[q] * known + here - c] * x[q];
                    total += dot_at(row, column, c, x, touched.first, p);
                }
                partial[b] = total;
            }
            collect_row(partial, value, entries, p, row[within ? here : here - c], k,
                        found + j * k * k);
        }
    }
    free(partial);
    return DONE;
}

/* A sparse matrix (starts of rows, places, values) times dense (its columns, k): for each of the k
   columns of the product its sum and its sum of squares over the rows. The product is never kept. */
KERNEL int product_squares(const int64_t *starts, int64_t rows, const int64_t *places,
                           const double *values, const double *dense, int64_t k,
                           double *totals, double *squares)
{
    double *row;
    if (k == 0) return DONE;
    row = malloc((size_t)k * sizeof(double));
    if (row == NULL) return NO_MEMORY;
    for (int64_t r = 0; r < rows; r++) {
        for (int64_t c = 0; c < k; c++) row[c] = 0.0;
        for (int64_t e = starts[r]; e < starts[r + 1]; e++) {
            const double *of = dense + places[e] * k;
            const double value = values[e];
            for (int64_t c = 0; c < k; c++) row[c] += value * of[c];
        }
        for (int64_t c = 0; c < k; c++) {
            totals[c] += row[c];
            squares[c] += row[c] * row[c];
        }
    }
    free(row);
    return DONE;
}
