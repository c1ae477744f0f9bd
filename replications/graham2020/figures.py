"""Forward against reverse data, as in Figures 1 to 4 of Graham, Haddow and Koehn (2020).

The submissions to WMT15 to WMT18 that the paper uses, whose files carry the original languages, are
not at hand here. What is drawn are published aggregates of the human-parity evaluation of Hassan et al.
(2018), which the paper evaluates again, by the charts that `translationese_campaigns` shows of any data.
"""

import tomllib
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from detectable.inference.correlation import kendall, pearson, spearman
from detectable.report.blocks import Chart, Column, table
from detectable.report.charts.halves import Changes, Correlations, Gains
from detectable.report.shown.campaign_halves import changes_of, correlations_of, gains_of
from replications.page import Figure

PAIR = "zh-en"
LABELS = {"z": "human scores (z)", "bleu": "BLEU"}
_DIGITS = {"z": 3, "bleu": 1}
_DATA = {
    "z": "Here nine translations of Hassan et al. (2018), newstest2017 Chinese-English, 92 forward and 89 reverse segments, three of them by people.",
    "bleu": "Here five outputs of Hassan et al. (2018) against Reference-HT, newstest2017 Chinese-English, 1,000 forward and 1,001 reverse lines.",
}
_NOT_AT_HAND = "whose submissions are not at hand here"


class Halves(NamedTuple):
    """A system's score on forward and on reverse data."""

    system: str
    forward: float
    reverse: float

    @property
    def gain(self) -> float:
        """How much better it looks on reverse data."""
        return self.reverse - self.forward


def aggregates(measure: str) -> list[Halves]:
    """Return the published means: ``"z"`` or ``"bleu"``."""
    path = Path(__file__).parent / "expected.toml"
    content: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
    return [Halves(*row) for row in content["hassan2018"][measure]]


def figures() -> Iterator[Figure]:
    """Yield the four figures."""
    yield _gains(
        "1", "z", "reverse − forward Direct Assessment scores of all systems of WMT17 and WMT18"
    )
    yield _gains("2", "bleu", "reverse − forward BLEU of all systems of WMT15 to WMT18")
    yield _changes()
    yield _correlations()


def _gains(number: str, measure: str, showed: str) -> Figure:
    rows = aggregates(measure)
    gains = Gains(PAIR, tuple(row.gain for row in rows))
    chart = gains_of([gains], LABELS[measure], measure=measure, digits=_DIGITS[measure])
    columns = (
        Column("system", "system", "name"),
        Column("forward", "forward", digits=_DIGITS[measure]),
        Column("reverse", "reverse", digits=_DIGITS[measure]),
        Column("gain", "reverse − forward", digits=_DIGITS[measure], sign=True),
    )
    said = f"The paper's Figure {number} has a box for each language pair: {showed}, {_NOT_AT_HAND}."
    return _figure(number, chart, f"{said} {_DATA[measure]}", columns, rows)


class Changed(NamedTuple):
    """How each of two systems changes from forward to reverse data."""

    measure: str
    first: str
    second: str
    effect_first: float
    effect_second: float


def changed(measure: str) -> list[Changed]:
    """Return the changes of every two systems."""
    rows = aggregates(measure)
    return [
        Changed(LABELS[measure], a.system, b.system, a.gain, b.gain)
        for a, b in combinations(rows, 2)
    ]


def _changes() -> Figure:
    rows = {measure: changed(measure) for measure in ("bleu", "z")}
    shown = [
        Changes(LABELS[measure], tuple((row.effect_first, row.effect_second) for row in found))
        for measure, found in rows.items()
    ]
    columns = (
        Column("measure", "measure", "name"),
        Column("first", "one system", "name"),
        Column("second", "the other", "name"),
        Column("effect_first", "change of one", digits=3, sign=True),
        Column("effect_second", "change of the other", digits=3, sign=True),
    )
    said = f"The paper's Figure 3 has all pairs of systems of WMT15 to WMT18 (BLEU), and of WMT17 and WMT18 (Direct Assessment), {_NOT_AT_HAND}."
    pairs = [row for found in rows.values() for row in found]
    return _figure(
        "3", changes_of(shown), f"{said} {_DATA['z']} {_DATA['bleu']}", columns, pairs
    )


def _correlations() -> Figure:
    rows = []
    for measure in ("bleu", "z"):
        scores = np.array([[row.forward, row.reverse] for row in aggregates(measure)]).T
        found = {
            "pearson": float(pearson(*scores)),
            "spearman": float(spearman(*scores)),
            "kendall": float(kendall(*scores)),
        }
        rows.append(Correlations(f"{PAIR}, {LABELS[measure]}", found))
    chart = correlations_of(rows, "BLEU and human scores", id="agreement")
    columns = (
        Column("name", "competition", "name"),
        *(
            Column(name, sign, digits=3, of=partial(_value, name))
            for name, sign in (("pearson", "r"), ("spearman", "ρ"), ("kendall", "τ"))
        ),
    )
    said = f"The paper's Figure 4 has Pearson's, Spearman's and Kendall's correlations of every competition of WMT15 to WMT18, {_NOT_AT_HAND}."
    return _figure("4", chart, f"{said} {_DATA['z']} {_DATA['bleu']}", columns, rows)


def _value(name: str, row: Correlations) -> float:
    return row.values[name]


def _figure(number: str, chart: Chart, about: str, columns: Any, rows: Any) -> Figure:
    """Return a chart as a figure of the paper, with what it showed and with its numbers."""
    id = f"figure-{number}"
    numbers = table(f"{id}-numbers", f"Numbers of figure {number}", columns, rows, folded=True)
    shown = replace(
        chart, id=id, caption=f"{chart.caption} {about}", twin=f"{id}-numbers", key=False
    )
    return Figure(shown, numbers)
