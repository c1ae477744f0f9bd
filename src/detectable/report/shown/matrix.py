"""Every two systems at a glance, and how to read it, in comparisons, rankings and arenas alike."""

from collections.abc import Iterable, Sequence

from detectable.core.verdict import Verdict, opposite
from detectable.report.charts.matrix import Cell

MOST_SYSTEMS = 24  # whose pairs one picture shows
FEW_SYSTEMS = 3  # whose pairs need neither picture nor matrix


def verdicts_of(
    names: Sequence[str], pairs: Iterable[tuple[str, str, Verdict]]
) -> tuple[tuple[str | None, ...], ...]:
    """Return a row for every system: what is said of it against each, None where nothing is.

    Parameters
    ----------
    pairs : iterable of (system, against whom, verdict)

    Examples
    --------
    >>> verdicts_of("ab", [("a", "b", "better")])
    ((None, 'better'), ('worse', None))
    """
    said: dict[tuple[str, str], str] = {}
    for first, second, verdict in pairs:
        said[first, second] = verdict
        said[second, first] = opposite(verdict)
    return tuple(tuple(said.get((a, b)) for b in names) for a in names)


def cells_of(
    names: Sequence[str], pairs: Iterable[tuple[str, str, float, float, Verdict]]
) -> dict[tuple[int, int], Cell]:
    """Return the cells above the diagonal: what is said of the row against the column.

    Parameters
    ----------
    pairs : iterable of (system, against whom, difference, p-value, verdict)

    Examples
    --------
    >>> cells_of("ab", [("b", "a", 2.0, 0.01, "better")])
    {(0, 1): Cell(difference=-2.0, p=0.01, verdict='worse')}
    """
    place = {name: i for i, name in enumerate(names)}
    cells: dict[tuple[int, int], Cell] = {}
    for system, against, difference, p, verdict in pairs:
        if system not in place or against not in place:
            continue
        first, second = place[system], place[against]
        if first < second:
            cells[first, second] = Cell(difference, p, verdict)
        else:
            cells[second, first] = Cell(-difference, p, opposite(verdict))
    return cells


# --- How to read a matrix of pairs, in comparisons and rankings alike ---


def matrix_caption(scale: str, verdicts: Sequence[str], correction: str) -> str:
    """Say what stands where, and what the signs mean that are there.

    Examples
    --------
    >>> matrix_caption("z", ["better", "undecided"], "none").split(". ")[1]
    'Below it: p'
    """
    p = "p" if correction == "none" else "corrected p"
    signs = [
        said
        for found, said in (
            ({"worse", "lower", "inferior"}, "▼: the column is ahead."),
            ({"equivalent", "non-inferior"}, "=: equivalent."),
        )
        if found & set(verdicts)
    ]
    return " ".join(
        [
            f"Above the diagonal: difference in {scale}, row − column, filled where something is "
            f"shown. Below it: {p}. Where it is narrow: ▲ the row is ahead, · undecided.",
            *signs,
            "Columns are numbered like rows.",
        ]
    )
