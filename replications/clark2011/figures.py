"""Figures 1 and 2 of Clark et al. (2011), with the three runs of MultEval's example."""

from collections.abc import Iterator
from itertools import combinations, product
from statistics import mean

from detectable.core.wording import number
from detectable.study.comparison.result import Comparison
from replications.drawing import Axis, Panel, Series, around
from replications.page import Drawing

METRICS = {"bleu": "BLEU", "ter": "TER, lower is better"}
BASELINE, SYSTEM = "baseline", "sys1"


def drawings(found: Comparison) -> Iterator[Drawing]:
    """Yield both figures."""
    yield runs(found)
    yield differences(found)


def scores(found: Comparison, metric: str) -> dict[str, tuple[float, ...]]:
    """Return the score of every run of both systems."""
    return {row.system: tuple(row.runs) for row in found.systems if row.metric == metric}


def possible(found: Comparison, metric: str, n: int) -> list[float]:
    """Return the differences that some runs of each system could have shown, n of each."""
    own = scores(found, metric)
    chosen = [
        [mean(some) for some in combinations(own[name], n)] for name in (SYSTEM, BASELINE)
    ]
    return [a - b for a, b in product(*chosen)]


def runs(found: Comparison) -> Drawing:
    """Draw Figure 1: how far runs of the same system lie apart."""
    panels = []
    for metric, label in METRICS.items():
        own = scores(found, metric)
        series = []
        for look, (name, values) in enumerate(own.items()):
            dots = tuple((float(i), value) for i, value in enumerate(values, start=1))
            middle = mean(values)
            series.append(Series(f"{name}, runs", dots, look, dots=True, size=70))
            series.append(Series(name, ((0.6, middle), (3.4, middle)), look))
        x = Axis("optimizer run", (0.6, 3.4), (1, 2, 3), "d")
        every = [value for values in own.values() for value in values]
        panels.append(Panel(label, x, around("score", min(every), max(every)), tuple(series)))
    own = scores(found, "bleu")
    apart = max(own[SYSTEM]) - min(own[SYSTEM])
    gap = mean(own[SYSTEM]) - mean(own[BASELINE])
    title = (
        f"Three runs of the same system lie up to {apart:.2f} BLEU apart; the two systems differ by "
        f"{gap:.2f} on average"
    )
    return Drawing(
        number="1",
        title=title,
        showed="The paper's Figure 1 is a histogram of the BLEU of many optimizer runs of two systems.",
        data="Its outputs are not public: here the three runs of each system in MultEval's example. Lines: means.",
        told=f"{title}. {_told(own)}",
        panels=tuple(panels),
        columns=2,
        names=("system", "run", "score"),
    )


def _told(own: dict[str, tuple[float, ...]]) -> str:
    said = [
        f"{name} {', '.join(f'{value:.2f}' for value in runs)}" for name, runs in own.items()
    ]
    return f"BLEU of the runs: {'; '.join(said)}."


def differences(found: Comparison) -> Drawing:
    """Draw Figure 2: which differences one, two or three runs could have shown."""
    panels = []
    for metric, label in METRICS.items():
        own = {n: possible(found, metric, n) for n in (1, 2, 3)}
        dots = tuple((float(n), value) for n, values in own.items() for value in values)
        every = [value for values in own.values() for value in values]
        x = Axis("runs of each system", (0.6, 3.4), (1, 2, 3), "d")
        y = around("difference sys1 − baseline", min(0.0, *every), max(0.0, *every))
        series = (Series("possible differences", dots, dots=True, hollow=True, size=70),)
        panels.append(Panel(label, x, y, series, ((0.0, ""),)))
    one, two, three = (possible(found, "bleu", n) for n in (1, 2, 3))

    def write(values: list[float]) -> str:
        return " and ".join(number(f(values), sign=True) for f in (min, max))

    title = (
        f"With one run each, the difference lies between {write(one)} BLEU, with two between "
        f"{write(two)}; all three say {number(three[0], sign=True)}"
    )
    return Drawing(
        number="2",
        title=title,
        showed="The paper's Figure 2 has the relative frequencies of differences by the number of optimizer samples: with one, even a decline is not unlikely.",
        data="Here every choice of one, two or three runs of each system in MultEval's example: nine, nine and one.",
        told=f"{title}.",
        panels=tuple(panels),
        columns=2,
        names=("what", "runs of each", "difference"),
    )
