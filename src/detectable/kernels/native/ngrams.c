/* n-grams that hypotheses share with references, of words or of characters, of any order.

   The n-grams of a reference form a tree: an n-gram is a child of its first n - 1 tokens. The
   tree lives in one hash table with open addressing, where a node is the slot of its edge and an
   edge is (parent slot, token). Walking it costs one probe per order, stops at the first n-gram
   that the reference lacks, and puts no limit on the order or on the number of distinct tokens. */
#include "detectable.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define EMPTY (-1)
#define ROOT (-1)

/* All arrays are indexed by slot. */
typedef struct {
    int64_t *keys;    /* the edge that lives here, or EMPTY */
    int32_t *limits;  /* how often a hypothesis may use the n-gram */
    int32_t *counts;  /* how often the line at hand has used it so far */
    double *values;   /* what a match is worth */
    int64_t size;     /* slots in use now: a power of two */
} Tree;

/* A power of two that leaves the table at least half empty. */
static int64_t capacity(int64_t n_ngrams)
{
    int64_t size = 16;
    while (size < 2 * n_ngrams) size *= 2;
    return size;
}

static void fell(Tree *tree)
{
    free(tree->keys);
    free(tree->limits);
    free(tree->counts);
    free(tree->values);
}

/* A tree with room for n_ngrams; its arrays hold nothing yet. */
static int plant(Tree *tree, int64_t n_ngrams)
{
    const size_t size = (size_t)capacity(n_ngrams);
    tree->size = (int64_t)size;
    tree->keys = malloc(size * sizeof *tree->keys);
    tree->limits = malloc(size * sizeof *tree->limits);
    tree->counts = malloc(size * sizeof *tree->counts);
    tree->values = malloc(size * sizeof *tree->values);
    if (tree->keys && tree->limits && tree->counts && tree->values) return DONE;
    fell(tree);
    return NO_MEMORY;
}

static void forget_counts(Tree *tree)
{
    memset(tree->counts, 0, (size_t)tree->size * sizeof *tree->counts);
}

/* Empty the part of the tree that n_ngrams need: small references must not pay for large ones. */
static void clear(Tree *tree, int64_t n_ngrams)
{
    tree->size = capacity(n_ngrams);
    memset(tree->keys, 0xff, (size_t)tree->size * sizeof *tree->keys); /* EMPTY has all bits */
    memset(tree->limits, 0, (size_t)tree->size * sizeof *tree->limits);
    forget_counts(tree);
}

/* Slots and tokens are below 2^31, so an edge never equals EMPTY. */
static int64_t edge(int64_t parent, int32_t token)
{
    return ((parent + 1) << 32) | token;
}

/* The slot of the key, or the empty slot where it belongs. The factor is 2^64 over the golden
   ratio, which spreads keys that lie close together (Knuth, The Art of Computer Programming,
   volume 3, section 6.4). */
static int64_t find(const Tree *tree, int64_t key)
{
    const int64_t last = tree->size - 1;
    int64_t slot = (int64_t)(((uint64_t)key * UINT64_C(0x9E3779B97F4A7C15)) >> 32) & last;
    while (tree->keys[slot] != key && tree->keys[slot] != EMPTY) slot = (slot + 1) & last;
    return slot;
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Add the n-grams of one line; each may match as often as it occurs in any line. */
static void grow(Tree *tree, const int32_t *ids, int64_t start, int64_t stop, int64_t order,
                 const double *weights)
{
    for (int64_t i = start; i < stop; i++) {
        const int64_t end = smaller(i + order, stop);
        int64_t slot = ROOT;
        for (int64_t j = i; j < end; j++) {
            const int64_t key = edge(slot, ids[j]);
            slot = find(tree, key);
            tree->keys[slot] = key;
            tree->counts[slot]++;
            if (tree->counts[slot] > tree->limits[slot]) tree->limits[slot] = tree->counts[slot];
            tree->values[slot] = weights ? weights[i * order + (j - i)] : 1.0;
        }
    }
}

/* Add up the values of the n-grams of a hypothesis, within the limits of the tree. */
static void match(Tree *tree, const int32_t *ids, int64_t start, int64_t stop, int64_t order,
                  double *matches)
{
    for (int64_t i = start; i < stop; i++) {
        const int64_t end = smaller(i + order, stop);
        int64_t slot = ROOT;
        for (int64_t j = i; j < end; j++) {
            slot = find(tree, edge(slot, ids[j]));
            /* No longer n-gram of the references starts like this either. */
            if (tree->keys[slot] == EMPTY) break;
            if (tree->counts[slot] < tree->limits[slot]) {
                tree->counts[slot]++;
                matches[j - i] += tree->values[slot];
            }
        }
    }
}

static int64_t largest_group(const int64_t *offsets, const int64_t *groups, int64_t n_groups)
{
    int64_t largest = 0;
    for (int64_t g = 0; g < n_groups; g++) {
        const int64_t tokens = offsets[groups[g + 1]] - offsets[groups[g]];
        if (tokens > largest) largest = tokens;
    }
    return largest;
}

/* Clipped matches (outputs, groups, order), added to what stands there. first: the first
   reference of each segment; groups: that of each group, which lies within a segment. weights
   (reference tokens, order) are read if `weighted`. */
KERNEL int shared_ngrams(const int32_t *hyp_ids, const int64_t *hyp_offsets, int64_t n_outputs,
                         const int32_t *ref_ids, const int64_t *ref_offsets,
                         const int64_t *first, int64_t n_segments,
                         const int64_t *groups, int64_t n_groups,
                         const double *weights, int64_t weighted, int64_t order,
                         double *matches)
{
    Tree tree;
    int64_t segment = 0;
    if (plant(&tree, largest_group(ref_offsets, groups, n_groups) * order)) return NO_MEMORY;
    for (int64_t g = 0; g < n_groups; g++) {
        const int64_t begin = groups[g], end = groups[g + 1];
        while (begin >= first[segment + 1]) segment++;
        clear(&tree, (ref_offsets[end] - ref_offsets[begin]) * order);
        for (int64_t r = begin; r < end; r++) {
            if (r > begin) forget_counts(&tree);
            grow(&tree, ref_ids, ref_offsets[r], ref_offsets[r + 1], order,
                 weighted ? weights : NULL);
        }
        for (int64_t o = 0; o < n_outputs; o++) {
            const int64_t line = o * n_segments + segment;
            forget_counts(&tree);
            match(&tree, hyp_ids, hyp_offsets[line], hyp_offsets[line + 1], order,
                  matches + (o * n_groups + g) * order);
        }
    }
    fell(&tree);
    return DONE;
}

/* information (tokens, order), zeros before: log2 of how often the first n - 1 tokens of an
   n-gram occur, over how often it occurs itself. n_tokens: those of all lines. A bigram that
   starts with the token `orphan` is treated as if it had no prefix. */
KERNEL int ngram_information(const int32_t *ids, const int64_t *offsets, int64_t n_lines,
                             int64_t n_tokens, int64_t order, int64_t orphan,
                             double *information)
{
    Tree tree;
    if (plant(&tree, n_tokens * order)) return NO_MEMORY;
    clear(&tree, n_tokens * order);
    for (int64_t line = 0; line < n_lines; line++)
        grow(&tree, ids, offsets[line], offsets[line + 1], order, NULL);
    for (int64_t line = 0; line < n_lines; line++) {
        for (int64_t i = offsets[line]; i < offsets[line + 1]; i++) {
            const int64_t end = smaller(i + order, offsets[line + 1]);
            int64_t slot = ROOT;
            double before = (double)n_tokens;
            for (int64_t j = i; j < end; j++) {
                if (j == i + 1 && ids[i] == orphan) before = (double)n_tokens;
                slot = find(&tree, edge(slot, ids[j]));
                information[i * order + (j - i)] = log2(before / tree.counts[slot]);
                before = tree.counts[slot];
            }
        }
    }
    fell(&tree);
    return DONE;
}
