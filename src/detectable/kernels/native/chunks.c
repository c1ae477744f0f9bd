/* Chunks between white space, numbered in the order in which they occur first.

   Text is UTF-8, lines end with a newline except the last one. White space is that of Python's
   str.split. Nothing here can leave the text: a character is only taken as more than one byte if
   all its bytes are there. */
#include "detectable.h"

#include <stdlib.h>
#include <string.h>

#define FREE (-1)

/* A hash table with open addressing: which number has the chunk that belongs into a slot. */
typedef struct {
    int64_t size;     /* slots: a power of two, at least twice as many as chunks */
    int32_t *numbers; /* (size) or FREE */
    uint64_t *hashes; /* (size / 2) of the chunks by number */
    int64_t known;    /* distinct chunks so far */
} Table;

static int make_table(Table *table, int64_t size)
{
    int32_t *numbers = realloc(table->numbers, (size_t)size * sizeof *numbers);
    if (!numbers) return NO_MEMORY;
    table->numbers = numbers;
    uint64_t *hashes = realloc(table->hashes, (size_t)(size / 2) * sizeof *hashes);
    if (!hashes) return NO_MEMORY;
    table->hashes = hashes;
    table->size = size;
    memset(numbers, 0xff, (size_t)size * sizeof *numbers); /* FREE has all bits */
    for (int64_t k = 0; k < table->known; k++) {
        int64_t slot = (int64_t)(hashes[k] & (uint64_t)(size - 1));
        while (numbers[slot] != FREE) slot = (slot + 1) & (size - 1);
        numbers[slot] = (int32_t)k;
    }
    return DONE;
}

static int between(uint8_t byte, uint8_t low, uint8_t high)
{
    return low <= byte && byte <= high;
}

/* How many bytes the white space at `at` has; 0 if it is none. */
static int64_t white(const uint8_t *at, const uint8_t *end)
{
    const int64_t left = end - at;
    if (*at < 0x80) return *at == ' ' || between(*at, 0x09, 0x0d) || between(*at, 0x1c, 0x1f);
    if (*at == 0xc2 && left >= 2) /* 0085, 00a0 */
        return at[1] == 0x85 || at[1] == 0xa0 ? 2 : 0;
    if (left < 3) return 0;
    if (*at == 0xe1) return at[1] == 0x9a && at[2] == 0x80 ? 3 : 0; /* 1680 */
    if (*at == 0xe3) return at[1] == 0x80 && at[2] == 0x80 ? 3 : 0; /* 3000 */
    if (*at != 0xe2) return 0;
    if (at[1] == 0x80) /* 2000 ... 200a, 2028, 2029, 202f */
        return between(at[2], 0x80, 0x8a) || at[2] == 0xa8 || at[2] == 0xa9 || at[2] == 0xaf
                   ? 3 : 0;
    return at[1] == 0x81 && at[2] == 0x9f ? 3 : 0; /* 205f */
}

/* Whether a byte can begin white space: most bytes cannot, and are looked at no further. */
static int may_be_white(uint8_t byte)
{
    return byte <= ' ' || byte >= 0xc2;
}

/* The end of the chunk that begins at `at`, and its hash: FNV-1a, mixed so that the low bits
   depend on all. */
static const uint8_t *chunk_end(const uint8_t *at, const uint8_t *end, uint64_t *hash)
{
    uint64_t mixed = UINT64_C(0xcbf29ce484222325);
    while (at < end && !(may_be_white(*at) && white(at, end)))
        mixed = (mixed ^ *at++) * UINT64_C(0x100000001b3);
    mixed ^= mixed >> 29;
    mixed *= UINT64_C(0x9E3779B97F4A7C15);
    *hash = mixed ^ (mixed >> 32);
    return at;
}

/* The slot of the chunk text[start .. stop), or the free slot where it belongs. */
static int64_t find(const Table *table, const uint8_t *text, const int64_t *spans,
                    int64_t start, int64_t stop, uint64_t hash)
{
    int64_t slot = (int64_t)(hash & (uint64_t)(table->size - 1));
    for (;; slot = (slot + 1) & (table->size - 1)) {
        const int32_t number = table->numbers[slot];
        if (number == FREE) return slot;
        if (table->hashes[number] != hash) continue;
        const int64_t *span = spans + 2 * (int64_t)number;
        if (span[1] - span[0] == stop - start &&
            !memcmp(text + span[0], text + start, (size_t)(stop - start)))
            return slot;
    }
}

static int number_lines(Table *table, const uint8_t *text, int64_t size, int64_t n_lines,
                        int32_t *ids, int64_t *offsets, int64_t *spans)
{
    const uint8_t *at = text, *end = text + size;
    int64_t n_chunks = 0, line = 0;
    offsets[0] = 0;
    while (at < end) {
        const int64_t blank = may_be_white(*at) ? white(at, end) : 0;
        if (blank) {
            if (*at == '\n') offsets[++line] = n_chunks;
            at += blank;
            continue;
        }
        uint64_t hash;
        const int64_t start = at - text;
        at = chunk_end(at, end, &hash);
        const int64_t slot = find(table, text, spans, start, at - text, hash);
        int32_t number = table->numbers[slot];
        if (number == FREE) {
            number = table->numbers[slot] = (int32_t)table->known;
            table->hashes[number] = hash;
            spans[2 * (int64_t)number] = start;
            spans[2 * (int64_t)number + 1] = at - text;
            table->known++;
            if (2 * table->known >= table->size && make_table(table, 2 * table->size))
                return NO_MEMORY;
        }
        ids[n_chunks++] = number;
    }
    while (line < n_lines) offsets[++line] = n_chunks;
    return DONE;
}

/* ids: the number of every chunk, room for size / 2 + 1; offsets (lines + 1): how many chunks
   come before each line; spans: where each distinct chunk begins and ends first, room for
   size / 2 + 1 pairs; known[0]: how many there are. The text has one newline less than lines. */
KERNEL int number_chunks(const uint8_t *text, int64_t size, int64_t n_lines, int32_t *ids,
                         int64_t *offsets, int64_t *spans, int64_t *known)
{
    Table table = {0, NULL, NULL, 0};
    int result = make_table(&table, INT64_C(1) << 12);
    if (result == DONE)
        result = number_lines(&table, text, size, n_lines, ids, offsets, spans);
    known[0] = table.known;
    free(table.numbers);
    free(table.hashes);
    return result;
}
