"""Words numbered, matched in runs for GTM, and edited with shifts for TER.

There is no second way in numpy: where there is no library, `metrics.encode` cuts lines with
Python's own `str.split`.
"""

from itertools import pairwise
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from detectable.core.errors import InputError
from detectable.core.types import FloatArray, IntArray
from detectable.kernels.native.library import (
    MOST,
    Bytes,
    Ints,
    OutFloats,
    OutIds,
    OutInts,
    Real,
    Size,
    check_lines,
    check_pairs,
    native,
)
from detectable.kernels.native.library import Ids as NativeIds

MOST_BYTES = 1 << 31  # texts are shorter: chunks and their places fit into 32 bits

_NEWLINE = 10


class Chunks(NamedTuple):
    """Chunks of lines; those of line `i` are ``ids[offsets[i] : offsets[i + 1]]``."""

    ids: NDArray[np.int32]  # numbered in the order in which they occur first
    offsets: IntArray
    spans: IntArray  # (distinct, 2): where each begins and ends in the text, at first


def number_chunks(text: NDArray[np.uint8], n_lines: int) -> Chunks | None:
    r"""Return the chunks of UTF-8 lines that newlines separate; None without the library.

    White space is that of `str.split`.

    Examples
    --------
    >>> text = np.frombuffer("a b\na".encode(), np.uint8)
    >>> found = number_chunks(text, 2)
    >>> found is None or found.ids.tolist() == [0, 1, 0]
    True
    """
    if text.ndim != 1 or text.size >= MOST_BYTES:
        raise InputError(
            f"`text` must be one row of fewer than 2**31 bytes; got shape {text.shape}."
        )
    if n_lines < 0 or np.count_nonzero(text == _NEWLINE) != max(n_lines - 1, 0):
        raise InputError(f"`text` must have newlines between {n_lines} lines, and no others.")
    number = native("number_chunks", Bytes, Size, Size, OutIds, OutInts, OutInts, OutInts)
    if number is None:
        return None
    most = text.size // 2 + 1  # pages of these that stay unused cost nothing
    ids, spans = np.empty(most, np.int32), np.empty((most, 2), np.int64)
    offsets, known = np.empty(n_lines + 1, np.int64), np.empty(1, np.int64)
    number(text, text.size, n_lines, ids, offsets, spans, known)
    return Chunks(ids[: offsets[-1]].copy(), offsets, spans[: known[0]].copy())


# --- Runs of words that a hypothesis and a reference have in common, for GTM ---
#
# Finding the runs that maximise :math:`\sum_k \ell_k^e` is hard for :math:`e > 1`, so runs are
# taken greedily: the longest that uses no word twice, then the longest of what is left, and so
# on. Of equally long runs the leftmost in the hypothesis comes first, then the leftmost in the
# reference.
#
# References
# ----------
# Melamed, Green and Turian (2003), "Precision and recall of machine translation", HLT-NAACL,
# short papers, 61-63.

Ids: TypeAlias = NDArray[np.int32]


def run_powers(
    hyp_ids: Ids,
    hyp_offsets: IntArray,
    ref_ids: Ids,
    ref_offsets: IntArray,
    owner: IntArray,
    exponent: float,
) -> FloatArray:
    r"""Return :math:`\sum_k \ell_k^e` over the greedy runs of each reference and its hypothesis.

    Line `i` of a stream is ``ids[offsets[i] : offsets[i + 1]]``, and ``owner[k]`` the hypothesis
    that reference `k` is compared with.
    """
    check_lines(hyp_ids, hyp_offsets, "hyp_ids")
    check_lines(ref_ids, ref_offsets, "ref_ids")
    check_pairs(hyp_offsets, ref_offsets, owner)
    powers = native(
        "run_powers", NativeIds, Ints, Size, NativeIds, Ints, Ints, Size, Real, OutFloats
    )
    sums = np.zeros(owner.size)
    if powers is not None:
        powers(
            hyp_ids, hyp_offsets, hyp_offsets.size - 1, ref_ids, ref_offsets, owner, owner.size,
            exponent, sums,
        )  # fmt: skip
        return sums
    hyps, refs = (
        [ids[start:stop].tolist() for start, stop in pairwise(offsets.tolist())]
        for ids, offsets in ((hyp_ids, hyp_offsets), (ref_ids, ref_offsets))
    )
    for k, (hypothesis, reference) in enumerate(zip(owner.tolist(), refs, strict=True)):
        for size in _run_sizes(hyps[hypothesis], reference):
            sums[k] += float(size) ** exponent
    return sums


def _run_sizes(hypothesis: list[int], reference: list[int]) -> list[int]:
    """Return the sizes of the greedy runs, in plain Python."""
    places: dict[int, list[int]] = {}
    for j, word in enumerate(reference):
        places.setdefault(word, []).append(j)
    # Where each word of the hypothesis stands in the reference, as long as both are free.
    free = [places.get(word, []) for word in hypothesis]
    sizes: list[int] = []
    while True:
        size, i, j = _longest_run(free)
        if size == 0:
            return sizes
        sizes.append(size)
        free[i : i + size] = [[] for _ in range(size)]
        taken = range(j, j + size)
        free = [[place for place in row if place not in taken] for row in free]


def _longest_run(free: list[list[int]]) -> tuple[int, int, int]:
    """Return the size of the longest common run and where it starts, the leftmost of equals.

    From the last word of the hypothesis to the first, ``lengths[j]`` is the run that starts
    there and at word `j` of the reference. Going backwards, a later find of the same size is
    further left.
    """
    best = (0, 0, 0)
    lengths: dict[int, int] = {}
    for i in range(len(free) - 1, -1, -1):
        lengths = {j: lengths.get(j + 1, 0) + 1 for j in free[i]}
        if lengths:
            j = max(lengths, key=lengths.__getitem__)  # the first of equals: places rise
            if lengths[j] >= best[0]:
                best = (lengths[j], i, j)
    return best


# --- Edits of the translation edit rate: block shifts found greedily, then an edit distance ---
#
# The search is done in C (native/ter.c says how), with the counts of sacreBLEU. Where there is no
# library sacreBLEU's own code does it, some thousand times slower.

_LONGEST = (
    1 << 29
)  # words of a line: a cell outside the beam is 2**30 away, and edits are added

_ARGUMENTS = (NativeIds, Ints, Size, NativeIds, Ints, Ints, Size, Size, OutInts)


def is_native() -> bool:
    """Return whether the fast search is there."""
    return native("shift_edits", *_ARGUMENTS) is not None


def shift_edits(
    hyp_ids: Ids,
    hyp_offsets: IntArray,
    ref_ids: Ids,
    ref_offsets: IntArray,
    owner: IntArray,
    n_words: int,
) -> IntArray:
    """Return the shifts and edits that turn hypotheses into references.

    Parameters
    ----------
    hyp_ids, hyp_offsets : arrays
        Words of all hypotheses; those of `h` are ``hyp_ids[hyp_offsets[h] : hyp_offsets[h + 1]]``.
    ref_ids, ref_offsets : arrays
        Words of the references.
    owner : array of shape (references,)
        The hypothesis that each reference is compared with.
    n_words : int
        Size of the vocabulary: ids are below it.

    Returns
    -------
    array of shape (references,)
    """
    if not 0 <= n_words < MOST:
        raise InputError(f"`n_words` must be from 0 to 2**31 - 1; got {n_words}.")
    for ids, offsets, name in (
        (hyp_ids, hyp_offsets, "hyp_ids"),
        (ref_ids, ref_offsets, "ref_ids"),
    ):
        check_lines(ids, offsets, name, below=n_words)
        if int(np.diff(offsets).max(initial=0)) >= _LONGEST:
            raise InputError(f"`{name}` must have fewer than 2**29 words in a line.")
    check_pairs(hyp_offsets, ref_offsets, owner)
    search = native("shift_edits", *_ARGUMENTS)
    if search is None:
        return _by_sacrebleu((hyp_ids, hyp_offsets), (ref_ids, ref_offsets), owner)
    edits = np.empty(owner.size, np.int64)
    search(
        hyp_ids, hyp_offsets, hyp_offsets.size - 1, ref_ids, ref_offsets, owner, owner.size,
        n_words, edits,
    )  # fmt: skip
    return edits


def _by_sacrebleu(
    hypotheses: tuple[Ids, IntArray], references: tuple[Ids, IntArray], owner: IntArray
) -> IntArray:
    """Return the same, word list by word list; sacreBLEU only asks whether words are equal."""
    from sacrebleu.metrics.lib_ter import translation_edit_rate

    hyps, refs = (
        [ids[start:stop].tolist() for start, stop in pairwise(offsets.tolist())]
        for ids, offsets in (hypotheses, references)
    )
    counts = (
        translation_edit_rate(hyps[hypothesis], reference)[0]
        for hypothesis, reference in zip(owner.tolist(), refs, strict=True)
    )
    return np.fromiter(counts, np.int64, owner.size)
