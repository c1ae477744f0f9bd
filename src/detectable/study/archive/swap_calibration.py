"""How often tests reject when there is nothing to find: swap systems within real pairs."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from detectable.core import check
from detectable.core.choices import JudgmentUnit, PairTest
from detectable.core.result import Result, Signature
from detectable.core.rng import resolve
from detectable.core.types import IntArray, Progress, Seed, silent
from detectable.data.human.judgments import Judgments
from detectable.study.archive.campaign_pairs import (
    MatchedPairs,
    Swap,
    check_tests,
    matched_pairs,
    pair_p_values,
    resolve_unit,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """The share of pairs without a difference that a test calls different."""

    test: str
    share: float
    standard_error: float
    tested: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SwapCalibration(Result):
    """Measured levels of the tests on real judgments from which the difference was taken."""

    alpha: float
    levels: tuple[Level, ...]
    n_pairs: int
    n_swaps: int
    swapped: str  # what changes sides together: item, document or rater
    unit: str


def swap_calibration(
    judgments: Judgments,
    *,
    tests: Sequence[PairTest] = ("rank-sum", "paired"),
    alpha: float = 0.05,
    unit: JudgmentUnit = "auto",
    swap: JudgmentUnit = "auto",
    n_swaps: int = 20,
    rng: Seed = None,
    progress: Progress = silent,
) -> SwapCalibration:
    """Measure the level of the tests of `campaign_pairs` on real judgments.

    In every pair, the two systems change sides in a random half of the units. All judgments of
    a unit move together, so ties, repeats, raters and the correlation of the two systems stay
    as they are; only the difference between the systems is gone. A test that keeps its level
    rejects in a share `alpha` of the swapped pairs.

    Swapped by item (or document), the null hypothesis is about these raters. Swapped by rater it
    is that raters differ in which system they favour and none is favoured by raters at large.
    That is the hardest such case: the whole real difference has become disagreement of raters.

    Parameters
    ----------
    unit : {'auto', 'item', 'document', 'rater'}
        As in `campaign_pairs`.
    swap : {'auto', 'item', 'document', 'rater'}
        What changes sides together; by default the unit.
    n_swaps : int
        How often every pair is swapped and tested.
    """
    names = check_tests(tests)
    alpha = check.probability(alpha, "alpha")
    n_swaps = check.repetitions(n_swaps, "n_swaps")
    generator, seed = resolve(rng)
    pairs = matched_pairs(judgments)
    unit = resolve_unit(pairs, unit)
    moved = unit if swap == "auto" else resolve_unit(pairs, swap)
    of_cell, of_row = _moved(pairs, moved)
    rejected = np.zeros(len(names), dtype=np.int64)
    tested = np.zeros(len(names), dtype=np.int64)
    progress("swaps", 0, n_swaps)
    for done, drawn in enumerate(generator.integers(0, 1 << 62, n_swaps).tolist(), start=1):
        swaps = Swap(of_cell, of_row, drawn)
        for k, name in enumerate(names):
            p, _ = pair_p_values(pairs, name, unit, swap=swaps)
            known = p[~np.isnan(p)]
            rejected[k] += int((known < alpha).sum())
            tested[k] += known.size
        progress("swaps", done, n_swaps)
    return SwapCalibration(
        alpha=alpha,
        levels=tuple(
            _level(name, int(r), int(n))
            for name, r, n in zip(names, rejected, tested, strict=True)
        ),
        n_pairs=pairs.n_pairs,
        n_swaps=n_swaps,
        swapped=moved,
        unit=unit,
        signature=Signature(
            "swap-calibration", {"swaps": n_swaps, "swap": moved, "unit": unit}, seed
        ),
    )


def _moved(pairs: MatchedPairs, swap: str) -> tuple[IntArray, IntArray]:
    """Return the unit that each matched cell and each row moves with."""
    matched, rows = pairs.matched, pairs.rows
    if swap == "rater" and matched.rater is not None and rows.rater is not None:
        return matched.rater, rows.rater
    if swap == "document" and pairs.document is not None:
        return pairs.document[matched.item], pairs.document[rows.item]
    return matched.item, rows.item


def _level(name: str, rejected: int, tested: int) -> Level:
    """Given the judgments, swaps are independent: the error is that of a count."""
    share = rejected / tested if tested else float("nan")
    error = float(np.sqrt(share * (1.0 - share) / tested)) if tested else float("nan")
    return Level(test=name, share=share, standard_error=error, tested=tested)
