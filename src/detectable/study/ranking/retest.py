"""The same ranking on part of its data: verdicts only."""

from dataclasses import dataclass, replace

import numpy as np

from detectable.core.execute import Engine
from detectable.core.types import FloatArray
from detectable.core.verdict import Verdict, decide
from detectable.inference.few_units import choose_test, smallest_p
from detectable.inference.sign_flips import sign_flips
from detectable.study.pairs.analysis import (
    Margins,
    families,
    stepwise,
    t_margins,
    t_p_value,
)
from detectable.study.ranking.pair_parts import PairMeans
from detectable.study.ranking.prepare import Prepared
from detectable.study.ranking.run import (
    choose_correction,
    margins_of,
    matched_means,
    n_patterns,
    two_valued,
)
from detectable.study.ranking.settings import RankSettings

_NO_INTERVALS = 1e-9  # a level at which no ends of intervals are kept


@dataclass(frozen=True, slots=True, kw_only=True)
class Retested:
    """Of every pair: the difference, the corrected p of its verdict, and the verdict."""

    values: FloatArray
    p_adjusted: FloatArray
    verdicts: list[Verdict]


def retest(prepared: Prepared, settings: RankSettings, engine: Engine) -> Retested | None:
    """Test matched differences as a ranking of just these would; None where it could say nothing.

    Where so few units are left that the test is another, it is that one; where they cannot be
    significant at all, their number says it and not what is missing.
    """
    if prepared.differences is None:
        return None
    known = [np.isfinite(column) for column in prepared.differences.T]
    counts = [column.sum() for column in known]
    if prepared.clusters is not None:
        counts = [np.unique(prepared.clusters[column]).size for column in known]
    if (fewest := int(min(counts))) < 2:
        return None
    by_swaps = prepared.test == "permutation"
    if settings.test == "auto":
        by_swaps = choose_test(fewest, settings.alpha) == "swap"
    if not by_swaps and settings.correction == "max-t":
        return None
    left = replace(prepared, test="permutation" if by_swaps else "t")
    correction = choose_correction(left.test, settings)
    tests = float(len(counts)) if correction == "holm" else 1.0
    one_side = 1.0 if settings.claim == "better" else 0.5
    if by_swaps and one_side * tests * smallest_p(fewest) > settings.alpha:
        return None
    matched = matched_means(left)
    return None if matched is None else _decided(left, matched, settings, engine, correction)


def _decided(
    prepared: Prepared,
    matched: PairMeans,
    settings: RankSettings,
    engine: Engine,
    correction: str,
) -> Retested:
    cells = [[cell] for cell in matched.estimates]
    groups = families((len(cells), 1), "systems")
    stepped = "none" if correction == "none" else "holm"
    margins = t_margins(cells, margins_of(settings))
    if prepared.test == "permutation":
        n_units, n_pairs = matched.parts.shape
        swaps = sign_flips(
            matched.parts,
            matched.shares,
            n_resamples=n_patterns(settings, correction, n_units, n_pairs),
            alpha=_NO_INTERVALS,
            margin=settings.margin,
            engine=engine,
        )
        raw = swaps.p_values()[:, None]
        adjusted = swaps.p_max_t()[:, None] if correction == "max-t" else raw
        if settings.margin is not None:
            margins = Margins(above=swaps.p_above()[:, None], below=swaps.p_below()[:, None])
    else:
        adjusted = np.array([[t_p_value(cell) for cell in row] for row in cells])
    if correction != "max-t":
        adjusted = stepwise(adjusted, groups, stepped)
    if settings.margin is not None:
        for at, shares in two_valued(prepared).items():
            margins.above[at] = shares.p_above(-settings.margin)
            margins.below[at] = shares.p_below(settings.margin)
    equivalent = stepwise(np.maximum(margins.above, margins.below), groups, stepped)[:, 0]
    inferior = stepwise(margins.below, groups, stepped)[:, 0]
    values = np.array([cell.value for cell in matched.estimates])
    return _verdicts(values, adjusted[:, 0], equivalent, inferior, settings)


def _verdicts(
    values: FloatArray,
    difference: FloatArray,
    equivalent: FloatArray,
    inferior: FloatArray,
    settings: RankSettings,
) -> Retested:
    """Decide as the ranking does."""
    alpha, claim = settings.alpha, settings.claim
    verdicts: list[Verdict] = []
    p_adjusted = {"better": difference, "equivalent": equivalent, "non-inferior": inferior}[
        claim
    ]
    for k, value in enumerate(values.tolist()):
        if claim != "better":
            verdicts.append(claim if p_adjusted[k] <= alpha else "undecided")
            continue
        p, within = float(difference[k]), float(equivalent[k])
        verdicts.append(decide(value, p=p, p_equivalence=within, alpha=alpha))
    return Retested(values=values, p_adjusted=p_adjusted, verdicts=verdicts)
