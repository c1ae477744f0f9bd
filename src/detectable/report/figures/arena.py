"""The pictures of an arena."""

import math
from collections.abc import Iterator
from functools import partial

from detectable.core.interval import Interval
from detectable.core.wording import count, listing, number
from detectable.inference.battles.elo import elo
from detectable.report.blocks import Chart
from detectable.report.charts.matrix import Cell, matrix
from detectable.report.charts.ranking import Ranked, ranking
from detectable.study.arena.result import Arena, ArenaSystem

_MOST = 40  # systems that one picture shows
_PAIRS = 24  # systems whose pairs one picture shows
_FEW = 3  # systems whose pairs need no picture
_TOLD = 12


def strengths(result: Arena) -> Iterator[Chart]:
    """Yield the systems with intervals, rank sets and lines that can be drawn."""
    shown = [row for row in result.systems if math.isfinite(row.strength)]
    if not 1 < len(shown) <= _MOST or not all(_finite(row.interval) for row in shown):
        return
    tiers = result.tiers()
    rows = tuple(
        Ranked(
            row.system, row.elo, elo_interval(row.interval), ranks_of(row), tiers[row.system]
        )
        for row in shown
    )
    title = _first(result)
    left_out = [row.system for row in result.systems if row not in shown]
    without = f" Without estimate: {listing(left_out)}." if left_out else ""
    together = "for both" if len(result.systems) == 2 else "for all systems together"
    yield Chart(
        "strengths",
        title,
        f"Strength in Elo, mean 1000, with {1 - result.alpha:.0%} interval {together}. Ranks: all "
        "that may be true at once. A line is drawn where every system above it is better than "
        f"every one below it.{without}",
        f"{title}. {_told(result)}",
        partial(_drawn, rows),
        "systems",
        key=True,
    )


def all_pairs(result: Arena) -> Iterator[Chart]:
    """Yield every two systems at a glance."""
    names = tuple(row.system for row in result.systems if math.isfinite(row.strength))
    if not _FEW < len(names) <= _PAIRS:
        return
    place = {name: i for i, name in enumerate(names)}
    cells = {
        (place[pair.better], place[pair.worse]): Cell(
            100.0 * (pair.chance - 0.5), pair.p_adjusted, pair.verdict
        )
        for pair in result.pairs
        if pair.better in place and pair.worse in place
    }
    title = f"{result.n_apart:,} of {count(len(result.pairs), 'pair')} told apart"
    yield Chart(
        "matrix",
        title,
        "Above the diagonal: share of wins of the row beyond 50%, in points, filled where the two "
        "are told apart. Below it: p for all pairs together. Where it is narrow: ▲ the row is "
        "ahead, · undecided. Columns are numbered like rows.",
        f"{title}. {_apart(result)}",
        partial(_matrix, names, cells),
        "pairs",
    )


def elo_interval(value: Interval) -> Interval:
    """Return an interval of strengths on the scale of Elo."""
    return Interval(elo(value.low), elo(value.high), value.level)


def ranks_of(row: ArenaSystem) -> str:
    """Return the ranks that a system may have."""
    if row.rank_low == row.rank_high:
        return str(row.rank_low)
    return f"{row.rank_low}–{row.rank_high}"


def _drawn(rows: tuple[Ranked, ...], width: int) -> dict[str, object]:
    return ranking(rows, "Elo", digits=0, width=width)


def _matrix(
    names: tuple[str, ...], cells: dict[tuple[int, int], Cell], width: int
) -> dict[str, object]:
    return matrix(names, cells, digits=1, width=width)


def _finite(value: Interval) -> bool:
    return math.isfinite(value.low) and math.isfinite(value.high)


def _first(result: Arena) -> str:
    """Say who could be first, and how many lines can be drawn."""
    first = [row.system for row in result.systems if row.rank_low == 1]
    lines = max(result.tiers().values()) - 1
    drawn = f"{count(lines, 'line')} can be drawn" if lines else "no line can be drawn"
    if len(first) == 1:
        return f"Only {first[0]} can be first; {drawn}"
    return f"{len(first)} of {count(len(result.systems), 'system')} could be first; {drawn}"


def _told(result: Arena) -> str:
    told = [
        f"{row.system}: {number(row.elo, digits=0)} Elo, ranks {ranks_of(row)}."
        for row in result.systems[:_TOLD]
    ]
    if len(result.systems) > _TOLD:
        told.append(f"And {len(result.systems) - _TOLD} more in the table.")
    return " ".join(told)


def _apart(result: Arena) -> str:
    beaten = {
        row.system: sum(
            pair.better == row.system and pair.verdict == "better" for pair in result.pairs
        )
        for row in result.systems
    }
    told = [f"{name} beats {n}" for name, n in beaten.items() if n]
    return f"{listing(told, most=_TOLD)}." if told else "No system beats another."
