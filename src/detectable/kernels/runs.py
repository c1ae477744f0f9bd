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

from typing import TypeAlias

import numpy as np
from numba import njit
from numpy.typing import NDArray

from detectable.core.progress import Progress
from detectable.core.types import FloatArray, IntArray

Ids: TypeAlias = NDArray[np.int32]

_USED_HYPOTHESIS, _USED_REFERENCE = -1, -2  # never equal, to each other or to a word


def announce(progress: Progress) -> None:
    """Say that the next call will compile, where it will."""
    if not run_powers.signatures:
        progress("compiling GTM kernels (first use only)", 0, None)


@njit(cache=True, nogil=True)
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
    sums = np.zeros(owner.size)
    for k in range(owner.size):
        hypothesis = hyp_ids[hyp_offsets[owner[k]] : hyp_offsets[owner[k] + 1]].copy()
        reference = ref_ids[ref_offsets[k] : ref_offsets[k + 1]].copy()
        lengths = np.zeros(reference.size + 1, np.int64)
        while True:
            size, i, j = _longest_run(hypothesis, reference, lengths)
            if size == 0:
                break
            hypothesis[i : i + size] = _USED_HYPOTHESIS
            reference[j : j + size] = _USED_REFERENCE
            sums[k] += float(size) ** exponent
    return sums


@njit(cache=True, nogil=True)
def _longest_run(hypothesis: Ids, reference: Ids, lengths: IntArray) -> tuple[int, int, int]:
    """Return the size of the longest common run and where it starts.

    From the last word of the hypothesis to the first, ``lengths[j]`` is the run that starts
    there and at word `j` of the reference. Going backwards, a later find of the same size is
    further left.
    """
    best = (0, 0, 0)
    lengths[:] = 0
    for i in range(hypothesis.size - 1, -1, -1):
        row = (0, 0)
        for j in range(reference.size):  # lengths[j + 1] still belongs to word i + 1
            lengths[j] = lengths[j + 1] + 1 if hypothesis[i] == reference[j] else 0
            if lengths[j] > row[0]:
                row = (lengths[j], j)
        if row[0] >= best[0]:
            best = (row[0], i, row[1])
    return best
