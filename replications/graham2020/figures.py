"""Forward against reverse data, as in the figures of Graham, Haddow and Koehn (2020).

The submissions to WMT15 to WMT18 that the paper uses, whose files carry the original languages, are
not at hand here. What is drawn are published aggregates of the human-parity evaluation of Hassan et al. (2018), which the paper evaluates again.
"""

import tomllib
from collections.abc import Iterator
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from detectable.core.wording import number
from detectable.inference.correlation import pearson
from detectable.report.charts.halves import HalfScore, difference_panel, score_panel
from detectable.report.charts.marks import END, LABELS, arranged
from detectable.report.charts.theme import Spec, is_narrow
from replications.drawing import Panel, Series, around
from replications.page import Drawing

HUMAN = "Reference"  # what the names of human translations begin with
_LEFT = 60  # pixels for the names of rows
_SHOWED = "The paper's Figures 1 to 4 compare scores on forward and on reverse test data, for systems and for pairs of systems, on WMT15 to WMT18, whose submissions are not at hand here."
_DATA = "Here the published mean scores (z) of nine systems of Hassan et al. (2018), newstest2017 Chinese-English, 92 forward and 89 reverse segments."


class Halves(NamedTuple):
    """A system's score on forward and on reverse data."""

    system: str
    forward: float
    reverse: float

    @property
    def gain(self) -> float:
        """How much better it looks on reverse data."""
        return self.reverse - self.forward

    @property
    def human(self) -> bool:
        """Whether people made this translation, or mended it."""
        return self.system.startswith(HUMAN)


def aggregates(measure: str) -> list[Halves]:
    """Return the published means: ``"z"`` or ``"bleu"``."""
    path = Path(__file__).parent / "expected.toml"
    content: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
    return [Halves(*row) for row in content["hassan2018"][measure]]


def drawings() -> Iterator[Drawing]:
    """Yield four figures."""
    rows = aggregates("z")
    yield systems(rows)
    yield gains(rows)
    yield pairs(rows)
    yield bleu(aggregates("bleu"))


def systems(rows: list[Halves]) -> Drawing:
    """Draw scores on both halves."""
    higher = sum(row.gain > 0 for row in rows)
    r = float(pearson(*np.array([[row.forward, row.reverse] for row in rows]).T))
    title = f"{higher} of {len(rows)} systems score higher on reverse data; the halves correlate with r = {_short(r, 3)}"
    x, y = (around(f"z on {half} data", -0.8, 0.5) for half in ("forward", "reverse"))
    return Drawing(
        number="1",
        title=title,
        showed=_SHOWED,
        data=f"{_DATA} Diamonds: translations by people.",
        told=f"{title}. {_told(rows)}",
        panels=(
            Panel(
                "", x, y, _kinds(rows, "reverse"), diagonal=True, named=_named(rows, "reverse")
            ),
        ),
        made=partial(_scores, rows),
        names=("what", "forward", "reverse"),
    )


def _scores(rows: list[Halves], width: int) -> Spec:
    room = width - LABELS - 2 * END
    return arranged([score_panel(_half_scores(rows), room=room)], narrow=is_narrow(width))


def _differences(rows: list[Halves], width: int) -> Spec:
    found = difference_panel(_half_scores(rows), unit="z", width=width, left=_LEFT)
    return arranged([found], narrow=is_narrow(width))


def _half_scores(rows: list[Halves]) -> list[HalfScore]:
    return [HalfScore(*row, human=row.human) for row in rows]


def _kinds(rows: list[Halves], of: str) -> tuple[Series, ...]:
    made = []
    for human, look in ((False, 0), (True, 1)):
        dots = tuple((row.forward, getattr(row, of)) for row in rows if row.human == human)
        name, shape = ("people", "triangle-up") if human else ("machines", "circle")
        made.append(Series(name, dots, look, dots=True, size=80, shape=shape))
    return tuple(made)


def _named(rows: list[Halves], of: str) -> tuple[tuple[float, float, str], ...]:
    return tuple((row.forward, getattr(row, of), row.system) for row in rows)


def _told(rows: list[Halves]) -> str:
    said = [f"{r.system} {_short(r.forward)} and {_short(r.reverse)}" for r in rows]
    return f"Forward and reverse: {', '.join(said)}."


def gains(rows: list[Halves]) -> Drawing:
    """Draw what reverse data add, system by system."""
    machines, people = (
        [row.gain for row in rows if row.human == human] for human in (False, True)
    )

    def write(values: list[float]) -> str:
        return " to ".join(_short(f(values)) for f in (min, max))

    title = f"Reverse data flatter machines by {write(machines)} z, people by {write(people)}"
    x = around("z on forward data", -0.8, 0.3)
    y = around("gain on reverse data", 0.0, max(*machines, *people))
    return Drawing(
        number="2",
        title=title,
        showed=_SHOWED,
        data=f"{_DATA} One dot per system, people in a row of their own.",
        told=f"{title}.",
        panels=(Panel("", x, y, _kinds(rows, "gain"), named=_named(rows, "gain")),),
        made=partial(_differences, rows),
        names=("what", "forward", "reverse − forward"),
    )


def pairs(rows: list[Halves]) -> Drawing:
    """Draw differences of every two systems on both halves."""
    found = [
        (a.forward - b.forward, a.reverse - b.reverse)
        for a, b in combinations(sorted(rows, key=lambda row: -row.forward), 2)
    ]
    same = tuple(pair for pair in found if pair[1] >= 0)
    opposite = tuple(pair for pair in found if pair[1] < 0)
    smaller = sum(reverse < forward for forward, reverse in found)
    title = (
        f"{len(opposite)} of {len(found)} pairs change their order on reverse data, and {smaller} "
        "differences are smaller there"
    )
    x = around("difference on forward data", 0.0, max(pair[0] for pair in found))
    y = around("difference on reverse data", -0.4, 1.0)
    series = (
        Series("same order", same, 0, dots=True, size=60),
        Series(
            "other order", opposite, 1, dots=True, size=60, hollow=True, shape="triangle-down"
        ),
    )
    return Drawing(
        number="3",
        title=title,
        showed=_SHOWED,
        data=f"{_DATA} The better system on forward data less the other. Hollow: the order is the other way round on reverse data.",
        told=f"{title}.",
        panels=(Panel("", x, y, series, ((0.0, ""),), diagonal=True),),
        height=320,
        names=("order", "forward", "reverse"),
    )


def bleu(rows: list[Halves]) -> Drawing:
    """Draw BLEU on both halves."""
    found = [row.gain for row in rows]
    title = (
        f"BLEU is {number(min(found), digits=1)} to {number(max(found), digits=1)} points higher on "
        "reverse data"
    )
    x, y = (around(f"BLEU on {half} data", 14.0, 24.0) for half in ("forward", "reverse"))
    return Drawing(
        number="4",
        title=title,
        showed=_SHOWED,
        data="Here published aggregates of five outputs of Hassan et al. (2018) against Reference-HT, newstest2017 Chinese-English, 1,000 forward and 1,001 reverse lines.",
        told=f"{title}. {_told(rows)}",
        panels=(
            Panel(
                "", x, y, _kinds(rows, "reverse"), diagonal=True, named=_named(rows, "reverse")
            ),
        ),
        made=partial(_scores, rows),
        names=("what", "forward", "reverse"),
    )


def _short(value: float, digits: int = 2) -> str:
    return (
        number(value, digits=digits).replace("0.", ".", 1)
        if abs(value) < 1
        else number(value, digits=digits)
    )
