"""Edits of the translation edit rate: block shifts found greedily, then an edit distance.

The search is done in C (native/ter.c says how), with the counts of sacreBLEU. Where there is no
library sacreBLEU's own code does it, some thousand times slower.
"""

from itertools import pairwise
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from detectable.core.errors import InputError
from detectable.core.types import IntArray
from detectable.kernels.native.library import Ids as NativeIds
from detectable.kernels.native.library import Ints, OutInts, Size, native
from detectable.kernels.native.lines import MOST, check_lines, check_owner

Ids: TypeAlias = NDArray[np.int32]

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
    check_owner(owner, ref_offsets.size - 1, hyp_offsets.size - 1)
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
