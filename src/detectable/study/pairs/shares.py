"""Scores of 0 and 1: intervals, margins and detectable differences from counts of answers."""

import math
from collections.abc import Callable, Mapping
from dataclasses import replace

from detectable.core.interval import Interval
from detectable.core.types import FloatArray
from detectable.inference.few_units import units_to_reject
from detectable.inference.paired_shares import PairedShares
from detectable.inference.share_mde import detectable_in_clusters, detectable_share, share_power
from detectable.inference.swap_parts import SwapParts
from detectable.inference.swap_power import largest_of_level
from detectable.study.pairs.analysis import Analysis, Margins, agreeing

_ROUNDING = 1e-9  # of a square that is whole but for rounding


def with_shares(
    found: Analysis,
    shares: Mapping[tuple[int, int], PairedShares],
    margins: FloatArray,
    *,
    alpha: float,
) -> Analysis:
    """Take intervals and margins of 0/1 scores from the score statistic.

    Differences of 0/1 scores are rare and lopsided: a mean and its standard error do not know
    that none of 500 answers changed because changes are rare, and the swap test at a margin
    would need differences that are symmetric about it.
    """
    if not shares:
        return found
    inner = found.interval_alone

    def alone(p: int, m: int, a: float) -> Interval:
        known = shares.get((p, m))
        return inner(p, m, a) if known is None else known.interval(1.0 - a)

    def corrected(p: int, m: int, a: float) -> Interval:
        known = shares.get((p, m))
        if known is None:
            return found.intervals[p][m]
        # Of few answers that differ, the largest T takes few values, and its critical value may
        # stand for more than α: the score interval is never that short.
        interval = known.interval(1.0 - min(float(found.level[p, m]), alpha))
        return Interval(interval.low, interval.high, 1.0 - a)

    above, below = found.margins.above.copy(), found.margins.below.copy()
    attainable = found.attainable_margin.copy()
    for (p, m), known in shares.items():
        attainable[p, m] = 0.0
        margin = float(margins[m])
        if not math.isnan(margin):
            above[p, m], below[p, m] = known.p_above(-margin), known.p_below(margin)
    return replace(
        found,
        intervals=agreeing(found.estimates, found.p_adjusted, alpha, corrected),
        interval_alone=alone,
        margins=Margins(above=above, below=below),
        attainable_margin=attainable,
    )


def with_share_mdes(
    found: Analysis,
    shares: Mapping[tuple[int, int], PairedShares],
    parts: list[list[SwapParts]],
    *,
    joint: bool,
    power: float,
) -> Analysis:
    """Take detectable differences of 0/1 scores from counts of answers and of clusters that differ.

    Parameters
    ----------
    parts : list of list of SwapParts
        [pair][metric]: what is swapped.
    joint : bool
        Whether pairs are corrected together by max-T.
    """
    mde = found.mde.copy()
    for cell, known in shares.items():
        level, differing = float(found.level[cell]), known.fixed + known.broken
        if not math.isinf(known.df):
            part = parts[cell[0]][cell[1]]
            n_units = int((part.shares > 0.0).sum())
            mde[cell] = known.span * detectable_in_clusters(
                float(mde[cell]) / known.span,
                differing / known.n,
                known.value / known.span,
                n_units=n_units,
                differing=_differing(known, part),
                least=_least(level, n_units, joint=joint),
                power=power,
            )
            continue
        rule: dict[str, float] = {"level": level}
        n, discordant = int(known.n), int(differing)
        if joint:
            rule = {"critical": largest_of_level(level, n)}
        mde[cell] = known.span * detectable_share(n, discordant, power=power, **rule)
    return replace(found, mde=mde)


def found_by_swaps(
    known: PairedShares,
    part: SwapParts,
    effect: float,
    *,
    level: float,
    joint: bool,
    power: float,
) -> Callable[[int, float], bool]:
    """Return how to tell whether swaps of so many units would find an effect.

    By the rule of `with_share_mdes`, with the observed discordance and, in clusters, the observed
    share of clusters that differ. The second argument is what the standard error alone would
    find.
    """
    discordance, wanted = (known.fixed + known.broken) / known.n, abs(effect) / known.span
    n_units = int((part.shares > 0.0).sum())

    def of_items(n: int, _: float) -> bool:
        rule = {"critical": largest_of_level(level, n)} if joint else {"level": level}
        return share_power(n, discordance, wanted, **rule) >= power

    def of_clusters(n: int, by_error: float) -> bool:
        found = detectable_in_clusters(
            by_error / known.span,
            discordance,
            known.value / known.span,
            n_units=n,
            differing=_differing(known, part) * n / n_units,
            least=_least(level, n, joint=joint),
            power=power,
        )
        return found <= wanted  # not a number is never enough

    if wanted > 1.0:
        return lambda _, __: False
    return of_items if math.isinf(known.df) else of_clusters


def _differing(known: PairedShares, part: SwapParts) -> int:
    """Return how many clusters differ at this discordance if all discordant answers are won.

    Those in which wins and losses make up for each other today are among them.
    """
    return part.n_differing if known.touched is None else known.touched


def _least(level: float, n_units: int, *, joint: bool) -> int:
    """Return how many clusters must differ for a rejection if all of them favour one system."""
    if joint:  # T of units that all favour one is at most the root of their number
        return max(1, math.ceil(largest_of_level(level, n_units) ** 2 - _ROUNDING))
    return units_to_reject(level)
