"""The same rank-sum test on n segments and on N judgments: what pseudo-replication does to p."""

import itertools

import numpy as np

from detectable.study.ranking.pair_tests import rank_sum_tests
from detectable.study.ranking.prepare import Prepared
from detectable.study.translationese.halves import HalfName
from detectable.study.translationese.rows import Replicated


def replicated(
    half: HalfName, segments: Prepared, judgments: Prepared
) -> tuple[Replicated, ...]:
    """Return the one-sided rank-sum test of every pair on segments, and on judgments.

    Judging a segment again tells more about that segment, and nothing about another one. A test
    that takes N judgments of n segments for N segments finds differences that are not there:
    this was the published evidence for human parity.

    Parameters
    ----------
    segments, judgments : Prepared
        The same half with segments, and with judgments, as items.

    References
    ----------
    Graham, Haddow and Koehn (2020), section 3. Hurlbert (1984), "Pseudoreplication and the design
    of ecological field experiments", Ecological Monographs 54(2), 187–211.
    """
    names = segments.scores.systems
    order = np.argsort([-mean.value for mean in segments.means], kind="stable").tolist()
    pairs = list(itertools.combinations(order, 2))
    place = {name: i for i, name in enumerate(judgments.scores.systems)}
    theirs = [(place[names[a]], place[names[b]]) for a, b in pairs]
    known = np.isfinite(segments.tested)
    right = rank_sum_tests(segments.tested, pairs, None)
    wrong = rank_sum_tests(judgments.tested, theirs, None)
    return tuple(
        Replicated(
            half=half,
            first=names[a],
            second=names[b],
            n=int((known[:, a] | known[:, b]).sum()),
            N=int(wrong.n[k]),
            p_segments=float(right.p_greater[k]),
            p_judgments=float(wrong.p_greater[k]),
        )
        for k, (a, b) in enumerate(pairs)
    )
