"""The pictures of a ranking."""

from collections.abc import Iterator
from functools import partial

from detectable.core.wording import count, number
from detectable.report.all_pairs import FEW_SYSTEMS, MOST_SYSTEMS, cells_of
from detectable.report.blocks import Chart
from detectable.report.charts.matrix import Cell, matrix
from detectable.report.charts.ranking import Ranked, ranking
from detectable.report.figures.matrix_caption import matrix_caption
from detectable.report.figures.systems_in_order import (
    MOST,
    each,
    ranks_of,
    who_beats_whom,
    who_is_first,
)
from detectable.report.methods.ranking import cluster_rule
from detectable.study.ranking.ranking import Ranking


def scores(result: Ranking) -> Iterator[Chart]:
    """Yield the systems with rank ranges and clusters."""
    if len(result.systems) > MOST:
        return
    rows = tuple(
        Ranked(row.system, row.score, row.interval, ranks_of(row), row.cluster)
        for row in result.systems
    )
    title = who_is_first(result.systems, len(result.clusters) - 1)
    told = each(result.systems, lambda row: number(row.score, digits=result.digits))
    yield Chart(
        "ranking",
        title,
        f"Score with {1 - result.alpha:.0%} interval. Ranks: all that the tests of pairs leave "
        f"open. {cluster_rule(result)}",
        f"{title}. {told}",
        partial(_ranking, rows, result.scale, result.digits),
        "systems",
        key=True,
    )


def all_pairs(result: Ranking) -> Iterator[Chart]:
    """Yield every two systems at a glance."""
    names = tuple(row.system for row in result.systems)
    if not FEW_SYSTEMS < len(names) <= MOST_SYSTEMS or result.claim != "better":
        return
    cells = cells_of(
        names,
        (
            (pair.better, pair.worse, pair.difference, pair.p_adjusted, pair.verdict)
            for pair in result.pairs
        ),
    )
    title = f"{result.n_significant:,} of {count(len(result.pairs), 'pair')} told apart"
    yield Chart(
        "matrix",
        title,
        matrix_caption(
            result.scale, [cell.verdict for cell in cells.values()], result.correction
        ),
        f"{title}. {who_beats_whom(result.systems, result.pairs)}",
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
