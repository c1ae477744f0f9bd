"""The pictures of a ranking."""

from collections.abc import Iterator
from functools import partial

from detectable.core.wording import count, listing, number
from detectable.report.blocks import Chart
from detectable.report.charts.matrix import Cell, matrix
from detectable.report.charts.ranking import Ranked, ranking
from detectable.report.figures.matrix_caption import matrix_caption
from detectable.report.methods.ranking import cluster_rule
from detectable.study.ranking.ranking import RankedSystem, Ranking

_MOST = 40  # systems that one picture shows
_PAIRS = 24  # systems whose pairs one picture shows
_FEW = 3  # systems whose pairs need no picture
_TOLD = 12


def scores(result: Ranking) -> Iterator[Chart]:
    """Yield the systems with rank ranges and clusters."""
    if len(result.systems) > _MOST:
        return
    rows = tuple(
        Ranked(row.system, row.score, row.interval, ranks_of(row), row.cluster)
        for row in result.systems
    )
    title = _clusters(result)
    yield Chart(
        "ranking",
        title,
        f"Score with {1 - result.alpha:.0%} interval. Ranks: all that the tests of pairs leave "
        f"open. {cluster_rule(result)}",
        f"{title}. {_told(result)}",
        partial(_ranking, rows, result.scale, result.digits),
        "systems",
        key=True,
    )


def all_pairs(result: Ranking) -> Iterator[Chart]:
    """Yield every two systems at a glance."""
    names = tuple(row.system for row in result.systems)
    if not _FEW < len(names) <= _PAIRS or result.claim != "better":
        return
    place = {name: i for i, name in enumerate(names)}
    cells = {}
    for pair in result.pairs:
        first, second = place[pair.better], place[pair.worse]
        cells[min(first, second), max(first, second)] = Cell(
            pair.difference if first < second else -pair.difference,
            pair.p_adjusted,
            pair.verdict,
        )
    title = f"{result.n_significant:,} of {count(len(result.pairs), 'pair')} told apart"
    yield Chart(
        "matrix",
        title,
        matrix_caption(
            result.scale, [cell.verdict for cell in cells.values()], result.correction
        ),
        f"{title}. {_apart(result)}",
        partial(_matrix, names, cells),
        "pairs",
    )


def _ranking(
    rows: tuple[Ranked, ...], scale: str, digits: int, width: int
) -> dict[str, object]:
    return ranking(rows, scale, digits=digits, width=width)


def _matrix(
    names: tuple[str, ...], cells: dict[tuple[int, int], Cell], width: int
) -> dict[str, object]:
    return matrix(names, cells, digits=2, width=width)


def ranks_of(row: RankedSystem) -> str:
    """Return the ranks that a system may have."""
    if row.rank_low == row.rank_high:
        return str(row.rank_low)
    return f"{row.rank_low}–{row.rank_high}"


def _clusters(result: Ranking) -> str:
    """Say who could be first, and how many lines can be drawn."""
    first = [row.system for row in result.systems if row.rank_low == 1]
    lines = len(result.clusters) - 1
    drawn = f"{count(lines, 'line')} can be drawn" if lines else "no line can be drawn"
    if len(first) == 1:
        return f"Only {first[0]} can be first; {drawn}"
    return f"{len(first)} of {count(len(result.systems), 'system')} could be first; {drawn}"


def _told(result: Ranking) -> str:
    told = [
        f"{row.system}: {number(row.score, digits=result.digits)}, ranks {ranks_of(row)}."
        for row in result.systems[:_TOLD]
    ]
    if len(result.systems) > _TOLD:
        told.append(f"And {len(result.systems) - _TOLD} more in the table.")
    return " ".join(told)


def _apart(result: Ranking) -> str:
    beaten = {
        row.system: sum(
            row.system == (pair.better if pair.verdict == "better" else pair.worse)
            for pair in result.pairs
            if pair.verdict in ("better", "worse")
        )
        for row in result.systems
    }
    told = [f"{name} beats {n}" for name, n in beaten.items() if n]
    return f"{listing(told, most=_TOLD)}." if told else "No system beats another."
