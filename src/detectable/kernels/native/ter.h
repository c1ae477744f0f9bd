/* One search for the shifts of TER, and the four parts of it: rows of the full edit matrix
   (bitparallel.c), the same inside a beam (beam.c), moves of blocks (shifts.c), and the search
   that puts them together (ter.c). */
#ifndef DETECTABLE_TER_H
#define DETECTABLE_TER_H

#include "detectable.h"

#define MAX_MOVES 1000 /* moves looked at in one search */
#define MAX_SIZE 10    /* words in a block */
#define MAX_REACH 50   /* positions between a block and its place in the reference */
/* Room for moves: blocks at one place, in all their sizes, may be noted beyond the limit. */
#define MAX_NOTED (MAX_MOVES + MAX_SIZE * (MAX_SIZE + 3) / 2)

#define FAR (INT32_C(1) << 30) /* a cell outside the beam; room is left to add edits to it */

/* A block of the hypothesis and where it may go. */
typedef struct {
    int32_t size, start, target;
} Move;

/* Neighbours [a, b) and [b, c) that change places. */
typedef struct {
    int64_t a, b, c;
} Swap;

/* Words are numbered within the reference; 0 is any other word. A row of the matrix belongs to
   the first i words of the hypothesis, a column to the first j words of the reference. */
typedef struct {
    int64_t n, m;        /* words of the hypothesis and of the reference, both at least 1 */
    int64_t blocks;      /* machine words that hold a row of m cells */
    int32_t *words;      /* (n) the hypothesis as shifted so far */
    int32_t *spare;      /* (n) the hypothesis after a move on trial */
    int32_t *reference;  /* (m) */
    uint64_t *masks;     /* (numbers, blocks) where each word stands in the reference */
    int32_t *head;       /* (numbers) the first position of each word in the reference, or -1 */
    int32_t *following;  /* (m) the next position of the same word, or -1 */
    int32_t *counts;     /* (numbers) zero between uses */

    uint64_t *up;        /* (n + 1, blocks) D[i, j] - D[i, j - 1] is +1 */
    uint64_t *down;      /* (n + 1, blocks) the same difference is -1 */
    uint64_t *level;     /* (n + 1, blocks) D[i, j] equals D[i - 1, j - 1] */
    int64_t *last;       /* (n + 1) D[i, m] */
    uint64_t *trial_up;  /* (blocks) a row of a move on trial */
    uint64_t *trial_down;

    int64_t *low, *high; /* (n + 1) the columns low … high - 1 of a row are inside the beam */
    int64_t width;       /* the most columns of a row */
    int64_t safe;        /* from this distance on the beam may matter */
    int64_t band_cells;  /* that band and trial have room for */
    int32_t *band;       /* (n + 1, width) column j of row i stands at j - low[i] */
    int32_t *trial;      /* the same, of a move on trial */

    int32_t *aligned;          /* (m) the word at or before which a reference word comes */
    int32_t *word_errors;      /* (n + 1) errors among the first words of the hypothesis */
    int32_t *reference_errors; /* (m + 1) errors among the first words of the reference */
    Move *moves;               /* (MAX_NOTED) */
} Search;

/* bitparallel.c */
int64_t fill_rows(Search *search);
int64_t swapped_distance(const Search *search, Swap swap, int64_t limit);

/* beam.c */
void set_beam(Search *search);
int make_band(Search *search);
int64_t fill_band(const Search *search, const int32_t *words, int32_t *band, int64_t first);
int64_t beam_cell(const Search *search, int64_t i, int64_t j);

/* shifts.c */
void align(Search *search, int beamed);
int64_t collect_moves(Search *search);
int64_t best_move(const Search *search, int64_t n_moves, int64_t distance, int64_t bottom);
Swap as_swap(Move move, int64_t n);
void exchange(const int32_t *words, int64_t n, Swap swap, int32_t *into);

#endif
