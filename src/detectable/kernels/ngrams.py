"""n-grams that hypotheses share with references, of words or of characters, of any order.

The work is done in C, in a tree of n-grams (native/ngrams.c), or by sorting where there is no
library (`sorted_ngrams`). Both are exact, to the bit.
"""

import numpy as np
from numpy.typing import NDArray

from detectable.core.errors import InputError
from detectable.core.types import FloatArray, IntArray
from detectable.kernels.native.library import Floats, Ids, Ints, OutFloats, Size, native
from detectable.kernels.native.lines import check_lines, check_offsets

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
    _check_weights(weights, ref_ids.size, order)
    _check_room(int(np.diff(ref_offsets[groups]).max()), order)
    weighted = weights.shape[0] > 0
    share = native(
        "shared_ngrams", Ids, Ints, Size, Ids, Ints, Ints, Size, Ints, Size, Floats, Size, Size,
        OutFloats,
    )  # fmt: skip
    if share is None:
        from detectable.kernels import sorted_ngrams

        return sorted_ngrams.shared_ngrams(
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
    inform = native("ngram_information", Ids, Ints, Size, Size, Size, Size, OutFloats)
    if inform is None:
        from detectable.kernels import sorted_ngrams

        return sorted_ngrams.ngram_information(ids, offsets, order, orphan)
    information = np.zeros((ids.size, order))
    inform(ids, offsets, offsets.size - 1, ids.size, order, orphan, information)
    return information


def _check_groups(lines: int, references: int, first: IntArray, groups: IntArray) -> int:
    """Refuse segments and groups that do not cut the references up; return how many outputs."""
    check_offsets(first, "first", references)
    check_offsets(groups, "groups", references)
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


def _check_weights(weights: FloatArray, tokens: int, order: int) -> None:
    if weights.ndim != 2 or weights.shape[0] not in (0, tokens) or weights.shape[1] != order:
        raise InputError(
            f"`weights` must have shape ({tokens}, {order}), or (0, {order}) for none; "
            f"got {weights.shape}."
        )


def _check_room(tokens: int, order: int) -> None:
    if order < 1 or tokens * order > _ROOM:
        raise InputError(
            f"`order` must be at least 1, and {tokens:,} tokens × order at most 2**30; "
            f"got {order}. Give fewer or shorter references."
        )
