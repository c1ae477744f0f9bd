"""The kinds of figures of Estrella et al. (2007), drawn on WMT21 Russian-English.

CESTA's data are not public. Its fifteen documents are replaced by fifteen of the same length
(`Campaign.corpus`), its five systems by five of ten, its adequacy and fluency by direct
assessment.
"""

import math
from collections.abc import Iterator
from dataclasses import replace
from statistics import median

from detectable.core.wording import number
from detectable.study.reliability.result import Curve, MetricFit, Reliability
from replications.drawing import Axis, Panel, Series, around
from replications.estrella2007.campaigns import RU_EN
from replications.estrella2007.documents import five
from replications.estrella2007.replicate import Studies
from replications.page import Drawing

SCORES = ("human", "bleu", "nist", "gtm", "mwer", "mper")
LABELS = {
    "human": "direct assessment",
    "bleu": "BLEU",
    "nist": "NIST",
    "gtm": "GTM",
    "mwer": "mWER",
    "mper": "mPER",
    "chrf": "chrF",
}
SYSTEMS = 5  # as many as CESTA had
FITTED = "Facebook-AI"
_DATA = "Here 15 documents of 50 segments and more, made of consecutive news of WMT21 Russian-English"
_DOCUMENTS = Axis("documents", (1, 15), (1, 3, 5, 7, 9, 11, 13, 15))


def drawings(found: Studies) -> Iterator[Drawing]:
    """Yield eleven figures."""
    long, own = found.long[RU_EN.name], found.own[RU_EN.name]
    for place, metric in enumerate(SCORES, start=1):
        yield scores(long, metric, number_=str(place))
    yield spread(long)
    yield by_system(long)
    yield fitted(long)
    yield orders(long)
    yield ranking(own)


def chosen(result: Reliability, metric: str) -> list[Curve]:
    """Return five systems from the best to the worst."""
    sign = -1.0 if result.about(metric)["higher_is_better"] else 1.0
    curves = sorted(
        (curve for curve in result.curves if curve.metric == metric),
        key=lambda curve: sign * curve.score,
    )
    last = len(curves) - 1
    return [curves[round(i * last / (SYSTEMS - 1))] for i in range(SYSTEMS)]


def parted_at(best: Curve, worst: Curve) -> int | None:
    """Return from how many documents on two intervals have nothing in common."""
    apart = [
        a.low > b.high or b.low > a.high
        for a, b in zip(best.interval, worst.interval, strict=True)
    ]
    together = [k for k, free in zip(best.documents, apart, strict=True) if not free]
    if not together:
        return best.documents[0]
    return together[-1] + 1 if together[-1] < best.documents[-1] else None


def scores(result: Reliability, metric: str, *, number_: str) -> Drawing:
    """Draw scores of five systems on 1, 2, … documents, with the interval of the best and the worst."""
    curves = chosen(result, metric)
    series = tuple(
        Series(
            curve.system,
            tuple(zip(map(float, curve.documents), curve.mean, strict=True)),
            look,
            band=_band(curve) if look in (0, SYSTEMS - 1) else (),
        )
        for look, curve in enumerate(curves)
    )
    digits = result.about(metric)["digits"]
    halves = [0.5 * (i.high - i.low) for i in curves[0].interval]
    wide, narrow = (number(half, digits=min(digits, 2)) for half in (halves[0], halves[-1]))
    k = parted_at(curves[0], curves[-1])
    since = "the first document" if k == 1 else f"{k} documents"
    apart = "never clear" if k is None else "clear"
    label = LABELS[metric]
    title = (
        f"{_first(label)}: the best system's interval narrows from ±{wide} to ±{narrow}, {apart} of "
        f"the worst system's" + (f" from {since} on" if k is not None else "")
    )
    lows = [i.low for curve in (curves[0], curves[-1]) for i in curve.interval]
    highs = [i.high for curve in (curves[0], curves[-1]) for i in curve.interval]
    y = around(
        f"{label}, lower is better" if not result.about(metric)["higher_is_better"] else label,
        min(lows + [m for c in curves for m in c.mean]),
        max(highs + [m for c in curves for m in c.mean]),
    )
    return Drawing(
        number=number_,
        title=title,
        showed="The paper shows scores of CESTA's five systems with their intervals on 1 to 15 documents, measure by measure.",
        data=f"{_DATA}, five of ten systems. Bands: 95 % intervals over segments, of the best and the worst.",
        told=f"{title}. {_told(curves, digits)}",
        panels=(Panel("", _DOCUMENTS, y, series),),
        height=290,
        names=("system", "documents", label),
    )


def _first(label: str) -> str:
    """Begin a sentence with a measure: mWER stays mWER."""
    return label.capitalize() if label.islower() else label


def _told(curves: list[Curve], digits: int) -> str:
    said = [f"{c.system} {number(c.mean[-1], digits=digits)}" for c in curves]
    return f"On all documents: {', '.join(said)}."


def _band(curve: Curve) -> tuple[tuple[float, float, float], ...]:
    return tuple(
        (float(k), i.low, i.high) for k, i in zip(curve.documents, curve.interval, strict=True)
    )


def _shares(title: str, high: float) -> Axis:
    return replace(around(title, 0.0, high), form="share")


def middle(result: Reliability, metric: str) -> tuple[tuple[float, float], ...]:
    """Return the relative spread of the middle system, document by document."""
    curves = [curve for curve in result.curves if curve.metric == metric]
    return tuple(
        (float(k), median(curve.stdev[i] for curve in curves))
        for i, k in enumerate(curves[0].documents)
    )


def spread(result: Reliability) -> Drawing:
    """Draw the spread of all measures on logarithmic axes, where powers are straight."""
    series = tuple(
        Series(LABELS[metric], middle(result, metric), look)
        for look, metric in enumerate(("human", "mwer", "bleu", "nist", "gtm"))
    )
    found = [fit.b for fit in result.fits]
    title = (
        "The relative spread of every measure falls as a power of the number of documents, "
        f"exponent {min(found):.2f} to {max(found):.2f}"
    ).replace("0.", ".")
    x = Axis("documents (logarithmic)", (1, 15), (1, 2, 3, 5, 10, 15), "d", scale="log")
    y = Axis(
        "standard deviation / score (logarithmic)",
        (0.005, 0.08),
        (0.005, 0.01, 0.02, 0.04, 0.08),
        "share",
        scale="log",
    )
    ends = [f"{one.name} {100 * one.points[-1][1]:.2f} %" for one in series]
    return Drawing(
        number="7",
        title=title,
        showed="The paper shows the relative standard deviation falling with the number of documents, metric by metric, and fits a power.",
        data=f"{_DATA}; the middle of ten systems, resampling segments; five of {len(found)} measures.",
        told=f"{title}. On 15 documents: {', '.join(ends)}.",
        panels=(Panel("", x, y, series),),
        height=290,
        names=("measure", "documents", "relative spread"),
    )


def by_system(result: Reliability) -> Drawing:
    """Draw the spread of every system, by BLEU and by people."""
    panels = []
    y = _shares("standard deviation / score", max(max(c.stdev) for c in result.curves))
    for look, metric in enumerate(("bleu", "human")):
        lines = tuple(
            Series(
                c.system,
                tuple(zip(map(float, c.documents), c.stdev, strict=True)),
                look,
                thin=True,
                quiet=True,
            )
            for c in result.curves
            if c.metric == metric
        )
        label = LABELS[metric]
        title = f"{_first(label)}, {len(lines)} systems"
        panels.append(Panel(title, _DOCUMENTS, y, lines))
    bleu, human = (middle(result, metric)[-1][1] for metric in ("bleu", "human"))
    order = "more" if human > bleu else "less"
    title = (
        f"On 15 documents the spread is {100 * bleu:.1f} % of the score by BLEU and "
        f"{100 * human:.1f} % by people: people need {order} text"
    )
    return Drawing(
        number="8",
        title=title,
        showed="The paper compares the spread of human scores with that of metrics for each of its systems, and finds human ones to need more documents.",
        data=f"{_DATA}; one line per system, the middle ones in the title.",
        told=f"{title}.",
        panels=tuple(panels),
        columns=2,
        names=("system", "documents", "relative spread"),
    )


def fitted(result: Reliability) -> Drawing:
    """Draw the curves through the spread of one system, and what is read off them."""
    curve = next(c for c in result.curves if (c.metric, c.system) == ("bleu", FITTED))
    fit = _fit(result, "bleu")
    own = next(one for one in fit.systems if one.system == FITTED)
    if own.power is None or own.cubic is None or own.x_min is None or own.x_max is None:
        raise ValueError(f"no curve goes through the spread of {FITTED}")
    power, cubic = own.power, own.cubic
    dots = tuple(zip(map(float, curve.documents), curve.stdev, strict=True))
    grid = [1.0 + 0.5 * i for i in range(90)]
    series = (
        Series("power", tuple((x, power.a * x**-power.b) for x in grid), 0),
        Series(
            "cubic",
            tuple(
                (x, ((cubic.d * x + cubic.c) * x + cubic.b) * x + cubic.a)
                for x in grid
                if x <= dots[-1][0]
            ),
            1,
            quiet=True,
        ),
        Series("tangent", ((1.0, power.a), (own.x_min, 0.0)), 3, quiet=True),
        Series("x_max", ((own.x_max, power.a * own.x_max**-power.b),), 0, dots=True),
        Series("spread", dots, 4, dots=True),
    )
    end = power.a * own.x_max**-power.b
    title = (
        f"{FITTED}, BLEU: the tangent meets zero at {own.x_min:.1f} documents (x_min); another "
        f"document is worth less than .01 % from {math.ceil(own.x_max)} on (x_max)"
    )
    x = Axis("documents", (0.0, 46.0), (0.0, 5.0, 10.0, 15.0, 20.0, 30.0, 40.0))
    y = Axis("standard deviation / score", (0.0, 0.06), (0.0, 0.02, 0.04, 0.06), "share")
    return Drawing(
        number="9",
        title=title,
        showed="The paper fits a power and a cubic to the spread and reads x_min (almost always 4) and x_max off them.",
        data=f"{_DATA}. x_min is 1 + 1/b: it restates the exponent and says nothing about the data.",
        told=f"{title}. Power law: a = {power.a:.4f}, b = {power.b:.3f}, R² {power.r2_log:.3f}.",
        panels=(
            Panel(
                "",
                x,
                y,
                series,
                notes=(
                    (own.x_min + 0.4, 0.003, "tangent to x_min"),
                    (dots[6][0], 0.011, "cubic"),
                    (own.x_max - 1.5, end + 0.004, "x_max"),
                ),
            ),
        ),
        height=290,
        names=("curve", "documents", "relative spread"),
    )


def _fit(result: Reliability, metric: str) -> MetricFit:
    return next(fit for fit in result.fits if fit.metric == metric)


def orders(result: Reliability) -> Drawing:
    """Draw the spread in the given order and in random ones."""
    panels, said = [], []
    for look, metric in enumerate(("bleu", "human")):
        curve = chosen(result, metric)[SYSTEMS // 2]
        band = curve.band
        at = band.documents.index(5)
        said.append((band.low[at], band.high[at], curve.stdev[curve.documents.index(5)]))
        series = Series(
            "as given",
            tuple(zip(map(float, curve.documents), curve.stdev, strict=True)),
            look,
            quiet=True,
            band=tuple(zip(map(float, band.documents), band.low, band.high, strict=True)),
        )
        y = _shares("standard deviation / score", max(*band.high, *curve.stdev))
        label = LABELS[metric]
        title = f"{_first(label)}, {curve.system}"
        panels.append(Panel(title, _DOCUMENTS, y, (series,)))
    (low, high, _), (least, most, _) = said
    title = (
        f"Which five documents come first moves the spread of BLEU between {100 * low:.1f} and "
        f"{100 * high:.1f} %, that of people between {100 * least:.1f} and {100 * most:.1f} %"
    )
    return Drawing(
        number="10",
        title=title,
        showed="The paper draws the curves again for a second order of the documents, and finds them alike.",
        data=f"{_DATA}. Line: the order of the campaign; band: 5 to 95 % of {result.orders:,} random orders.",
        told=f"{title}.",
        panels=tuple(panels),
        columns=2,
        names=("order", "documents", "relative spread"),
    )


def ranking(result: Reliability) -> Drawing:
    """Draw how soon the ranking settles."""
    panels, said = [], []
    for metric in ("bleu", "human"):
        points = result.tau[metric]
        full = tuple((float(p.documents), p.full) for p in points)
        rest = tuple(
            (float(p.documents), p.remainder) for p in points if not math.isnan(p.remainder)
        )
        near = five(result, metric)
        said.append((near.documents, near.full, near.remainder))
        x = Axis("documents", (0, 110), (0, 20, 40, 60, 80, 100))
        y = Axis(
            "Kendall's τ of the rankings", (-0.2, 1.0), (-0.2, 0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
        )
        lines = (Series("to all", full, 0), Series("to the others", rest, 1))
        panels.append(Panel(_first(LABELS[metric]), x, y, lines))
    (k, full_bleu, rest_bleu), (_, full_human, rest_human) = said
    write = _short
    title = (
        f"On the segments of five of CESTA's documents ({k} here) the ranking by BLEU has τ = "
        f"{write(full_bleu)} to that of all and {write(rest_bleu)} to that of the others; by "
        f"people {write(full_human)} and {write(rest_human)}"
    )
    return Drawing(
        number="11",
        title=title,
        showed="The paper's curves keep their order from about five documents on: «five documents suffice to rank».",
        data=f"Here the {result.about('bleu')['n_documents']} documents of WMT21 Russian-English as they are, in {result.orders:,} random orders; means.",
        told=f"{title}.",
        panels=tuple(panels),
        columns=2,
        once=True,
        names=("ranking", "documents", "τ"),
    )


def _short(value: float) -> str:
    return number(value, digits=2).replace("0.", ".")
