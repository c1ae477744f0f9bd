"""The pictures of an arena."""

import math
from collections.abc import Iterator
from functools import partial

from detectable.core.interval import Interval
from detectable.core.wording import count, listing, number
from detectable.inference.battles.elo import elo
from detectable.report.all_pairs import FEW_SYSTEMS, MOST_SYSTEMS, cells_of
from detectable.report.blocks import Chart
from detectable.report.charts.matrix import Cell, matrix
from detectable.report.charts.ranking import Ranked, ranking
from detectable.report.figures.systems_in_order import (
    MOST,
    each,
    ranks_of,
    who_beats_whom,
    who_is_first,
)
from detectable.study.arena.result import Arena


def strengths(result: Arena) -> Iterator[Chart]:
    """Yield the systems with intervals, rank sets and lines that can be drawn."""
    shown = [row for row in result.systems if math.isfinite(row.strength)]
    if not 1 < len(shown) <= MOST or not all(_finite(row.interval) for row in shown):
        return
    tiers = result.tiers()
    rows = tuple(
        Ranked(
            row.system, row.elo, elo_interval(row.interval), ranks_of(row), tiers[row.system]
        )
        for row in shown
    )
    title = who_is_first(result.systems, max(tiers.values()) - 1)
    left_out = [row.system for row in result.systems if row not in shown]
    without = f" Without estimate: {listing(left_out)}." if left_out else ""
    together = "for both" if len(result.systems) == 2 else "for all systems together"
    yield Chart(
        "strengths",
        title,
        f"Strength in Elo, mean 1000, with {1 - result.alpha:.0%} interval {together}. Ranks: all "
        "that may be true at once. A line is drawn where every system above it is better than "
        f"every one below it.{without}",
        f"{title}. {each(result.systems, lambda row: f'{number(row.elo, digits=0)} Elo')}",
        partial(_drawn, rows),
        "systems",
        key=True,
    )


def all_pairs(result: Arena) -> Iterator[Chart]:
    """Yield every two systems at a glance."""
    names = tuple(row.system for row in result.systems if math.isfinite(row.strength))
    if not FEW_SYSTEMS < len(names) <= MOST_SYSTEMS:
        return
    cells = cells_of(
        names,
        (
            (
                pair.better,
                pair.worse,
                100.0 * (pair.chance - 0.5),
                pair.p_adjusted,
                pair.verdict,
            )
            for pair in result.pairs
        ),
    )
    title = f"{result.n_apart:,} of {count(len(result.pairs), 'pair')} told apart"
    yield Chart(
        "matrix",
        title,
        "Above the diagonal: share of wins of the row beyond 50%, in points, filled where the two "
        "are told apart. Below it: p for all pairs together. Where it is narrow: ▲ the row is "
        "ahead, · undecided. Columns are numbered like rows.",
        f"{title}. {who_beats_whom(result.systems, result.pairs)}",
        partial(_matrix, names, cells),
        "pairs",
    )


def elo_interval(value: Interval) -> Interval:
    """Return an interval of strengths on the scale of Elo."""
    return Interval(elo(value.low), elo(value.high), value.level)


def _drawn(rows: tuple[Ranked, ...], width: int) -> dict[str, object]:
    return ranking(rows, "Elo", digits=0, width=width)


def _matrix(
    names: tuple[str, ...], cells: dict[tuple[int, int], Cell], width: int
) -> dict[str, object]:
    return matrix(names, cells, digits=1, width=width)


def _finite(value: Interval) -> bool:
    return math.isfinite(value.low) and math.isfinite(value.high)
