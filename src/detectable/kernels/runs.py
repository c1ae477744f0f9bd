r"""Runs of words that a hypothesis and a reference have in common, for GTM.

Finding the runs that maximise :math:`\sum_k \ell_k^e` is hard for :math:`e > 1`, so runs are
taken greedily: the longest that uses no word twice, then the longest of what is left, and so
on. Of equally long runs the leftmost in the hypothesis comes first, then the leftmost in the
reference.

References
----------
Melamed, Green and Turian (2003), "Precision and recall of machine translation", HLT-NAACL,
short papers, 61-63.
"""

from itertools import pairwise
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from detectable.core.types import FloatArray, IntArray
from detectable.kernels.native.library import Ids as NativeIds
from detectable.kernels.native.library import Ints, OutFloats, Real, Size, native
from detectable.kernels.native.lines import check_lines, check_owner

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
    check_owner(owner, ref_offsets.size - 1, hyp_offsets.size - 1)
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
