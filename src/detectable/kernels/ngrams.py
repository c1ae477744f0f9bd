"""n-grams that hypotheses share with references, of words or of characters, of any order.

The work is done in C, in a tree of n-grams (native/ngrams.c), or by sorting where there is no
library (`sorted_ngrams`). Both are exact, to the bit.
"""

import math
from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from detectable.core.errors import InputError
from detectable.core.types import FloatArray, IntArray
from detectable.kernels.native.library import (
    Floats,
    Ints,
    OutFloats,
    Size,
    check_lines,
    check_offsets,
    check_shape,
    native,
)
from detectable.kernels.native.library import Ids as NativeIds

_ROOM = 1 << 30  # n-grams of one tree: twice as many slots have numbers below 2**31


def ngram_totals(lengths: IntArray, order: int) -> IntArray:
    """Return how many n-grams lines of the given lengths have, for n from 1 to `order`."""
    totals: IntArray = np.maximum(lengths[..., None] - np.arange(order), 0)
    return totals


def shared_ngrams(
    hyp_ids: NDArray[np.int32],
    hyp_offsets: IntArray,
    ref_ids: NDArray[np.int32],
    ref_offsets: IntArray,
    first: IntArray,
    groups: IntArray,
    weights: FloatArray,
    order: int,
) -> FloatArray:
    """Return the clipped n-gram matches of every hypothesis, for n from 1 to `order`.

    Parameters
    ----------
    hyp_ids, hyp_offsets : arrays
        Tokens of all lines of all outputs, output by output.
    ref_ids, ref_offsets : arrays
        Tokens of all references, segment by segment.
    first : array of shape (segments + 1,)
        The first reference of each segment.
    groups : array of shape (groups + 1,)
        The first reference of each group. The references of a group act as one: an n-gram may
        match as often as it occurs in any of them. A group lies within one segment.
    weights : array of shape (reference tokens, order) or (0, order)
        What a match of the n-gram that starts at a reference token is worth; empty: one.
    order : int
        The longest n-gram.

    Returns
    -------
    array of shape (outputs, groups, order)
    """
    check_lines(hyp_ids, hyp_offsets, "hyp_ids")
    check_lines(ref_ids, ref_offsets, "ref_ids")
    n_outputs = _check_groups(hyp_offsets.size - 1, ref_offsets.size - 1, first, groups)
    weighted = weights.shape[0] > 0
    check_shape(weights, (ref_ids.size if weighted else 0, order), "weights")
    _check_room(int(np.diff(ref_offsets[groups]).max()), order)
    share = native(
        "shared_ngrams", NativeIds, Ints, Size, NativeIds, Ints, Ints, Size, Ints, Size, Floats, Size, Size,
        OutFloats,
    )  # fmt: skip
    if share is None:
        return shared_ngrams_by_sorting(
            hyp_ids, hyp_offsets, ref_ids, ref_offsets, first, groups,
            weights if weighted else None, order,
        )  # fmt: skip
    matches = np.zeros((n_outputs, groups.size - 1, order))
    share(
        hyp_ids, hyp_offsets, n_outputs, ref_ids, ref_offsets, first, first.size - 1, groups,
        groups.size - 1, weights, weighted, order, matches,
    )  # fmt: skip
    return matches


def ngram_information(
    ids: NDArray[np.int32], offsets: IntArray, order: int, orphan: int
) -> FloatArray:
    """Return the information, in bits, of the n-grams that start at each token.

    The information of an n-gram is log2 of how often its first n - 1 tokens occur, over how
    often it occurs itself; for a single token the former is the number of tokens. Bigrams that
    start with the token `orphan` are treated as if they had no prefix. n-grams that would cross
    the end of a line have 0.
    """
    check_lines(ids, offsets, "ids")
    if (offsets[0], offsets[-1]) != (0, ids.size):
        raise InputError(
            f"`offsets` must cover all {ids.size} tokens; got {offsets[0]} … {offsets[-1]}."
        )
    _check_room(ids.size, order)
    inform = native("ngram_information", NativeIds, Ints, Size, Size, Size, Size, OutFloats)
    if inform is None:
        return ngram_information_by_sorting(ids, offsets, order, orphan)
    information = np.zeros((ids.size, order))
    inform(ids, offsets, offsets.size - 1, ids.size, order, orphan, information)
    return information


def _check_groups(lines: int, references: int, first: IntArray, groups: IntArray) -> int:
    """Refuse segments and groups that do not cut the references up; return how many outputs."""
    check_offsets(first, references, "first")
    check_offsets(groups, references, "groups")
    if not (first[0] == groups[0] == 0 and first[-1] == groups[-1] == references):
        raise InputError(
            f"`first` and `groups` must cover all {references} references; "
            f"got {first[0]} … {first[-1]} and {groups[0]} … {groups[-1]}."
        )
    if groups.size < 2 or (groups[1:] == groups[:-1]).any():
        raise InputError("`groups` must hold at least one reference each.")
    if not np.isin(first, groups).all():
        raise InputError("`groups` must each lie within one segment of `first`.")
    n_outputs, rest = divmod(lines, first.size - 1)
    if rest:
        raise InputError(
            f"`hyp_offsets` must hold each of {first.size - 1} segments for every output; "
            f"got {lines} lines."
        )
    return n_outputs


def _check_room(tokens: int, order: int) -> None:
    if order < 1 or tokens * order > _ROOM:
        raise InputError(
            f"`order` must be at least 1, and {tokens:,} tokens × order at most 2**30; "
            f"got {order}. Give fewer or shorter references."
        )


# --- n-grams counted by sorting, with numpy alone: the way without the library, and its oracle ---
#
# An n-gram becomes one integer, exactly: its tokens side by side, or, where these need too many
# bits, the rank of its first n - 1 tokens beside the last one. Nothing is hashed. A sort brings
# equal n-grams of a segment together, and the lengths of runs are counts.

Ids: TypeAlias = NDArray[np.int32]

_TOKENS = 1 << 20  # sorted together: groups, sides and ranks of so many fit into 63 bits
_BITS = 63


class _Lines(NamedTuple):
    """Lines of several sides, one after the other, each with a mark at its end."""

    tokens: IntArray  # 0 ends a hypothesis and 1 a reference: what crosses an end never matches
    group: IntArray  # of every token
    side: IntArray  # of every token: the outputs, then the references of the group
    source: IntArray  # where a token stood among those of the references; elsewhere 0


def shared_ngrams_by_sorting(
    hyp_ids: Ids,
    hyp_offsets: IntArray,
    ref_ids: Ids,
    ref_offsets: IntArray,
    first: IntArray,
    groups: IntArray,
    weights: FloatArray | None,
    order: int,
) -> FloatArray:
    """Return what `ngrams.shared_ngrams` says; no `weights` mean that a match is worth one."""
    n_groups, n_segments = groups.size - 1, first.size - 1
    n_outputs = (hyp_offsets.size - 1) // n_segments
    matches = np.zeros((n_outputs, n_groups, order))
    if n_outputs == 0:
        return matches
    segment = np.searchsorted(first, groups[:-1], side="right") - 1
    outputs = np.arange(n_outputs)[:, None] * n_segments
    lengths = np.diff(hyp_offsets)[outputs + segment].sum(axis=0)
    sizes = lengths + n_outputs + np.diff(ref_offsets[groups]) + np.diff(groups)
    for start, stop in _blocks(sizes):
        lines = _laid_out(
            (hyp_ids, hyp_offsets, outputs + segment[start:stop]),
            (ref_ids, ref_offsets, groups[start : stop + 1]),
        )
        matches[:, start:stop] = _clipped(lines, n_outputs, stop - start, weights, order)
    return matches


def ngram_information_by_sorting(
    ids: Ids, offsets: IntArray, order: int, orphan: int
) -> FloatArray:
    """Return what `ngrams.ngram_information` says."""
    information = np.zeros((ids.size, order))
    if ids.size == 0:
        return information
    left = np.repeat(offsets[1:], np.diff(offsets)) - np.arange(ids.size)  # to the line's end
    token, bits = np.unique(ids, return_inverse=True)[1], int(ids.size).bit_length()
    rank = token.copy()  # of the n-gram at each token, among those of its order
    before = np.full(ids.size, float(ids.size))
    for n in range(order):
        whole = np.flatnonzero(left > n)
        gram = token[whole] if n == 0 else (rank[whole] << bits) | token[whole + n]
        _, rank[whole], counts = np.unique(gram, return_inverse=True, return_counts=True)
        if n == 1:
            before[ids == orphan] = ids.size
        often = counts[rank[whole]].astype(np.float64)
        ratios = (before[whole] / often).tolist()
        # Not numpy's logarithm: its last bit depends on the processor.
        information[whole, n] = np.fromiter(map(math.log2, ratios), np.float64, len(ratios))
        before[whole] = often
    return information


def _blocks(sizes: IntArray) -> Iterator[tuple[int, int]]:
    """Yield ranges of groups with at most `_TOKENS` tokens, or of one group."""
    ends = np.cumsum(sizes)
    start = 0
    while start < sizes.size:
        before = int(ends[start - 1]) if start else 0
        stop = int(np.searchsorted(ends, before + _TOKENS, side="right"))
        stop = max(stop, start + 1)
        yield start, stop
        start = stop


def _laid_out(
    hypotheses: tuple[Ids, IntArray, IntArray], references: tuple[Ids, IntArray, IntArray]
) -> _Lines:
    """Put the hypotheses (outputs, groups) and the references of some groups side by side."""
    ids, offsets, lines = hypotheses
    n_outputs, n_groups = lines.shape
    own, own_source, own_sizes = _with_ends(ids, offsets, lines.ravel(), -2)
    ids, offsets, groups = references
    other, other_source, other_sizes = _with_ends(
        ids, offsets, np.arange(groups[0], groups[-1]), -1
    )
    owner = np.repeat(np.arange(n_groups), np.diff(groups))
    rank = np.arange(owner.size) + groups[0] - groups[owner]
    sizes = np.concatenate([own_sizes, other_sizes])
    return _Lines(
        tokens=_dense(np.concatenate([own, other])),
        group=np.repeat(
            np.concatenate([np.tile(np.arange(n_groups), n_outputs), owner]), sizes
        ),
        side=np.repeat(
            np.concatenate([np.repeat(np.arange(n_outputs), n_groups), n_outputs + rank]), sizes
        ),
        source=np.concatenate([np.zeros_like(own_source), other_source]),
    )


def _with_ends(
    ids: Ids, offsets: IntArray, lines: IntArray, end: int
) -> tuple[IntArray, IntArray, IntArray]:
    """Return some lines, each followed by the token `end`; where each token stood; line sizes."""
    starts, lengths = offsets[lines], offsets[lines + 1] - offsets[lines]
    sizes = lengths + 1
    source = _spans(starts, sizes)
    marks = np.cumsum(sizes) - 1
    source[marks] = 0
    tokens = ids[source].astype(np.int64) if ids.size else np.zeros(source.size, np.int64)
    tokens[marks] = end
    return tokens, source, sizes


def _dense(tokens: IntArray) -> IntArray:
    """Return tokens from -2 on numbered from 0 without gaps, in their order."""
    top = int(tokens.max()) + 3
    if top > 4 * tokens.size + 1024:
        return np.unique(tokens, return_inverse=True)[1]
    seen = np.zeros(top, bool)
    seen[:2] = True
    seen[tokens + 2] = True
    numbers: IntArray = np.cumsum(seen, dtype=np.int64) - 1
    return numbers[tokens + 2]


def _clipped(
    lines: _Lines, n_outputs: int, n_groups: int, weights: FloatArray | None, order: int
) -> FloatArray:
    """Return matches of shape (outputs, groups, order)."""
    side_bits = int(lines.side.max()).bit_length()
    room = _BITS - (n_groups - 1).bit_length() - side_bits
    place = (lines.group << (room + side_bits)) | lines.side
    cell = lines.side * n_groups + lines.group  # where the matches of a token are added
    matches = np.zeros((n_outputs * n_groups, order))
    for n, gram in enumerate(_grams(lines.tokens, order, room)):
        keys = place[: gram.size] | (gram << side_bits)
        if weights is None:
            runs = _Runs.of(np.sort(keys), side_bits, n_outputs)
            at = runs.side * n_groups + (runs.keys >> (room + side_bits))
            worth = runs.used.astype(np.float64)
        else:
            by_key = np.argsort(keys, kind="stable")
            runs = _Runs.of(keys[by_key], side_bits, n_outputs)
            positions = by_key[_spans(runs.start, runs.used)]
            # A reference comes last of its n-gram, and its last occurrence gives the value.
            value = weights[lines.source[by_key[runs.last]], n]
            in_text = np.argsort(positions)  # C adds up in this order, and so rounds alike
            at = cell[positions[in_text]]
            worth = np.repeat(value, runs.used)[in_text]
        matches[:, n] = np.bincount(at, worth, n_outputs * n_groups)
    return matches.reshape(n_outputs, n_groups, order)


class _Runs(NamedTuple):
    """Runs of one n-gram of one hypothesis that a reference has too, in rising keys."""

    keys: IntArray
    side: IntArray
    start: IntArray  # the first place of the run
    used: IntArray  # how many of its n-grams match
    last: IntArray  # the last place of the same n-gram of any side

    @classmethod
    def of(cls, keys: IntArray, side_bits: int, n_outputs: int) -> "_Runs":
        start = _run_starts(keys)
        ends = np.append(start[1:], keys.size)
        sizes = ends - start
        side = keys[start] & ((1 << side_bits) - 1)
        alike = _run_starts(keys[start] >> side_bits)  # the first run of every n-gram
        n_alike = np.diff(alike, append=start.size)
        limits = np.maximum.reduceat(np.where(side >= n_outputs, sizes, 0), alike)
        used = np.where(side < n_outputs, np.minimum(sizes, np.repeat(limits, n_alike)), 0)
        found = np.flatnonzero(used)
        last = np.repeat(ends[alike + n_alike - 1] - 1, n_alike)
        return cls(keys[start[found]], side[found], start[found], used[found], last[found])


def _spans(starts: IntArray, sizes: IntArray) -> IntArray:
    """Return the places ``start … start + size - 1`` of every span, one after the other."""
    before = np.cumsum(sizes) - sizes
    places: IntArray = np.arange(sizes.sum()) + np.repeat(starts - before, sizes)
    return places


def _grams(tokens: IntArray, order: int, room: int) -> Iterator[IntArray]:
    """Yield an exact number below 2**`room` for the n-gram at each token, n from 1 to `order`."""
    bits = used = max(1, int(tokens.max()).bit_length())
    gram = tokens
    for n in range(order):
        if n > 0:
            if n >= tokens.size:
                return
            if used + bits > room:
                gram, used = _ranked(gram)
            gram = (gram[:-1] << bits) | tokens[n:]
            used += bits
        if used > room:
            gram, used = _ranked(gram)
        yield gram


def _ranked(gram: IntArray) -> tuple[IntArray, int]:
    """Return the ranks of numbers among the distinct ones, and how many bits they need."""
    distinct, rank = np.unique(gram, return_inverse=True)
    return rank, max(1, (distinct.size - 1).bit_length())


def _run_starts(values: IntArray) -> IntArray:
    """Return where runs of equal values begin."""
    return np.concatenate([[0], np.flatnonzero(values[1:] != values[:-1]) + 1])
