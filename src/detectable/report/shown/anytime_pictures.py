"""The pictures and tables of what is watched value by value."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from detectable.core.wording import count, number
from detectable.report.blocks import Chart, Column, Table, table
from detectable.report.charts.anytime import Band, Evidence, Wealth, anytime

_ROWS = 10  # of a table that follows a path


@dataclass(frozen=True, slots=True)
class Watched:
    """A path that was watched: after each value where it stood.

    Attributes
    ----------
    means, lows, highs, logs : sequence of float
        The difference with its band, and the log e-values; empty where there are none.
    decided : int, optional
        After how many values the decision fell.
    unit : str
        What one value is.
    level : float
        Of the band.
    needed : float
        What E must reach.
    """

    n: int
    unit: str
    means: Sequence[float] = ()
    lows: Sequence[float] = ()
    highs: Sequence[float] = ()
    logs: Sequence[float] = ()
    decided: int | None = None
    verdict: str = "undecided"
    level: float = 0.95
    needed: float = 20.0

    @property
    def first(self) -> int:
        """How many values had come before the path begins."""
        return self.n - max(len(self.lows), len(self.logs))


def watched_chart(watched: Watched, *, title: str, caption: str, alt: str) -> Chart:
    """Return the band above the evidence, whichever there is."""
    return Chart(
        "path",
        title,
        caption,
        alt,
        partial(_draw, watched),
        "path",
        key=True,
    )


def _draw(watched: Watched, width: int) -> dict[str, object]:
    start = watched.first + 1
    decided = None if watched.decided is None else float(watched.decided)
    band = None
    if len(watched.lows):
        points = tuple(
            (float(start + i), *place)
            for i, place in enumerate(
                zip(_middle(watched), watched.lows, watched.highs, strict=True)
            )
        )
        note = f"band of {watched.level:.0%} that holds at all times"
        name = "Difference" if len(watched.means) else "Band around the difference"
        band = Band(name, points, note=note, decided=decided, colour=_colour(watched.verdict))
    evidence = None
    if len(watched.logs):
        line = Wealth("E", tuple((float(start + i), e) for i, e in enumerate(watched.logs)))
        threshold = f"decides: E ≥ {watched.needed:,.4g}"
        evidence = Evidence((line,), ((float(start), watched.needed),), threshold, decided)
    return anytime(band, evidence, unit=f"{watched.unit}s", width=width)


def _middle(watched: Watched) -> Sequence[float]:
    """Return the line within the band; without means the middle of the band."""
    if len(watched.means):
        return watched.means
    return [(low + high) / 2 for low, high in zip(watched.lows, watched.highs, strict=True)]


def _colour(verdict: str) -> str:
    return "worse" if verdict == "worse" else "better"


def decision_stands(watched: Watched) -> str:
    """Say where it was decided, and that this stays."""
    if watched.decided is None:
        return ""
    later = "The band may cover 0 again later" if len(watched.lows) else "E may fall later"
    return (
        f"Decided after {count(watched.decided, watched.unit)}. {later}; the decision stands."
    )


def path_table(watched: Watched) -> Table:
    """Return where the path stood after some values: ten of them, the decision and the end."""
    start = watched.first + 1
    length = watched.n - watched.first
    chosen = {start + round(k * (length - 1) / (_ROWS - 1)) for k in range(_ROWS)}
    if watched.decided is not None and watched.decided >= start:
        chosen.add(watched.decided)

    def at(values: Sequence[float]) -> "partial[float]":
        return partial(_at, values, start)

    columns = (
        Column("n", f"{watched.unit}s", "count", of=lambda n: n),
        Column("mean", "difference", sign=True, of=at(watched.means))
        if len(watched.means)
        else None,
        Column(
            "band",
            f"{watched.level:.0%} band",
            "interval",
            sign=True,
            of=lambda n: _interval(watched, n - start),
        )
        if len(watched.lows)
        else None,
        Column("e", "E", "text", of=lambda n: said_e(watched.logs[n - start]))
        if len(watched.logs)
        else None,
        Column(
            "decision",
            "decision",
            "text",
            of=lambda n: watched.verdict if n == watched.decided else "",
        )
        if watched.decided is not None
        else None,
    )
    return table("path", "The path", columns, sorted(chosen))


def _at(values: Sequence[float], start: int, n: int) -> float:
    return float(values[n - start])


def _interval(watched: Watched, place: int) -> tuple[float, float] | None:
    low, high = float(watched.lows[place]), float(watched.highs[place])
    return None if math.isinf(low) and math.isinf(high) else (low, high)


def said_e(log_e: float) -> str:
    """Return an e-value as text: ``12.3`` or ``10^8.2``.

    Examples
    --------
    >>> said_e(0.0), said_e(30.0)
    ('1', '10^13.0')
    """
    from detectable.sequential.e_process import evidence_text

    return evidence_text(float(log_e)).removeprefix("E = ")


def standing(verdict: str, decided: int | None, n: int, unit: str) -> str:
    """Say the verdict and when it fell, in one sentence."""
    if decided is None:
        return f"Undecided after {count(n, unit)}."
    return f"{verdict.capitalize()}, decided at {unit} {decided:,} of {n:,}."


def said(value: float) -> str:
    """Return a difference with its sign."""
    return number(value, sign=True)
