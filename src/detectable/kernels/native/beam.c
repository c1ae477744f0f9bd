/* Edit distance inside a beam around the pseudo-diagonal, as sacreBLEU's TER defines it.

   With n words in the hypothesis and m in the reference, row i >= 1 of the matrix holds only the
   columns floor(i m / n) - w <= j < floor(i m / n) + w, and the last row all columns from its
   first one up to m. The width w is 25, or ceil(m / (2 n) + 25) where m / (2 n) > 25, so that
   neighbouring rows always meet. Leaving cells out can only raise the distance. */
#include "ter.h"

#include <math.h>
#include <stdlib.h>

#define WIDTH 25

static int64_t magnitude(int64_t x)
{
    return x < 0 ? -x : x;
}

static void set_columns(Search *search, int64_t i)
{
    const double ratio = (double)search->m / (double)search->n;
    const int64_t width = ratio / 2 <= WIDTH ? WIDTH : (int64_t)ceil(ratio / 2 + WIDTH);
    const int64_t middle = (int64_t)floor((double)i * ratio);
    const int64_t end = middle + width < search->m + 1 ? middle + width : search->m + 1;
    search->low[i] = middle > width ? middle - width : 0;
    search->high[i] = i == search->n ? search->m + 1 : end;
}

/* A bound: a true edit distance below it is also the distance inside the beam.

   A path through cell (i, j) costs at least |i - j| + |(n - i) - (m - j)|. In a row this is
   smallest between j = i and j = i + m - n, where the pseudo-diagonal runs, and grows from there
   to both sides, so the cheapest excluded cells are those next to the beam. If the true distance
   is below the cheapest of all rows, no best path leaves the beam: the distance and the
   preferred path are those of the full matrix. */
static int64_t safe_distance(const Search *search)
{
    const int64_t n = search->n, m = search->m;
    int64_t bound = FAR;
    for (int64_t i = 1; i <= n; i++) {
        const int64_t low = search->low[i], high = search->high[i];
        if (low > 0) {
            const int64_t left = magnitude(i - low + 1) + magnitude(n - i - m + low - 1);
            if (left < bound) bound = left;
        }
        if (high <= m) {
            const int64_t right = magnitude(i - high) + magnitude(n - i - m + high);
            if (right < bound) bound = right;
        }
    }
    return bound;
}

/* Note which columns of every row are inside. */
void set_beam(Search *search)
{
    search->low[0] = 0;
    search->high[0] = search->m + 1;
    search->width = 1;
    for (int64_t i = 1; i <= search->n; i++) {
        set_columns(search, i);
        if (search->high[i] - search->low[i] > search->width)
            search->width = search->high[i] - search->low[i];
    }
    search->safe = safe_distance(search);
}

/* Make room for the rows of two hypotheses; what stood there is lost. */
int make_band(Search *search)
{
    const int64_t cells = (search->n + 1) * search->width;
    if (cells <= search->band_cells) return DONE;
    free(search->band);
    free(search->trial);
    search->band = malloc((size_t)cells * sizeof *search->band);
    search->trial = malloc((size_t)cells * sizeof *search->trial);
    search->band_cells = search->band && search->trial ? cells : 0;
    return search->band_cells ? DONE : NO_MEMORY;
}

/* The distance at row i and column j of a band, far away if that is outside the beam. */
static int64_t cell(const Search *search, const int32_t *band, int64_t i, int64_t j)
{
    if (i == 0) return j;
    if (j < search->low[i] || j >= search->high[i]) return FAR;
    return band[i * search->width + j - search->low[i]];
}

/* The same in the band of the present words. */
int64_t beam_cell(const Search *search, int64_t i, int64_t j)
{
    return cell(search, search->band, i, j);
}

/* Compute the rows after row `first`, which must be right, and return the distance. */
int64_t fill_band(const Search *search, const int32_t *words, int32_t *band, int64_t first)
{
    for (int64_t i = first + 1; i <= search->n; i++) {
        const int64_t low = search->low[i], high = search->high[i];
        int32_t *row = band + i * search->width;
        int64_t left = FAR;
        int64_t diagonal = low > 0 ? cell(search, band, i - 1, low - 1) : FAR;
        for (int64_t j = low; j < high; j++) {
            const int64_t above = cell(search, band, i - 1, j);
            int64_t best = (above < left ? above : left) + 1;
            if (j > 0) {
                const int64_t both = diagonal + (words[i - 1] != search->reference[j - 1]);
                if (both < best) best = both;
            }
            row[j - low] = (int32_t)best;
            left = best;
            diagonal = above;
        }
    }
    return cell(search, band, search->n, search->m);
}
