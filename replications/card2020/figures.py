"""Figures 3 to 6 of Card et al. (2020), from the formulas and the authors' public tables."""

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import numpy as np

import detectable as dt
from detectable.report.charts.power import PowerLine, PowerPicture, power_lines
from detectable.report.charts.theme import Spec
from replications.card2020.likert import PRESETS, Cell
from replications.card2020.survey import survey_columns
from replications.drawing import Axis, Panel, Series
from replications.page import Drawing

# As in the authors' notebook of Figure 3.
AGREEMENTS = (0.7, 0.95)
SIZES = (5000, 1000, 500, 250, 100)
GAINS = (0.0025, 0.005, 0.0075, 0.01, 0.0125, 0.015, 0.02, 0.025, 0.03, 0.04, 0.05)

SEGMENTS = (500, 1000, 2000, 3000, 5000)
POINTS = tuple(round(0.1 * i, 1) for i in range(1, 31))  # of BLEU
POWER = Axis("power", (0.0, 1.0), (0.0, 0.2, 0.4, 0.6, 0.8, 1.0), "share")
ENOUGH = (0.8, "80 %")


def drawings(folder: Path, cells: Sequence[Cell]) -> Iterator[Drawing]:
    """Yield the figures that the formulas and the public tables allow."""
    yield accuracy()
    yield bleu()
    yield survey(folder)
    yield likert(cells)


def accuracy() -> Drawing:
    """Draw Figure 3: power of a comparison of accuracies."""
    x = Axis(
        "difference in accuracy", (0.0, 0.05), (0.0, 0.01, 0.02, 0.03, 0.04, 0.05), "share"
    )
    panels = []
    for agreement in AGREEMENTS:
        plan = dt.scenarios.Accuracy(agreement=agreement)
        gains = [gain for gain in GAINS if gain < 1.0 - agreement]
        lines = tuple(
            Series(
                f"{n:,}",
                tuple((g, dt.power(plan, n_items=n, effect=g, drawn=0).power) for g in gains),
                look,
            )
            for look, n in enumerate(SIZES)
        )
        title = f"The systems agree on {100 * agreement:.0f} % of the items"
        panels.append(Panel(title, x, POWER, lines, (ENOUGH,), at=0.45))
    low, high = (
        dt.mde(dt.scenarios.Accuracy(agreement=a), n_items=1000, drawn=0).effect
        for a in AGREEMENTS
    )
    title = (
        f"1,000 items find {100 * high:.1f} points of accuracy four times in five where systems "
        f"agree on 95 % of them, {100 * low:.1f} where on 70 %"
    )
    return Drawing(
        number="3",
        title=title,
        showed="The paper's Figure 3 has the same two panels and sizes, from 5,000 simulated data sets per point.",
        data="Here power is exact (McNemar's test): no simulation, no data.",
        told=f"{title}. Power rises with size, difference and agreement.",
        panels=tuple(panels),
        columns=2,
        names=("items", "difference", "power"),
    )


def bleu() -> Drawing:
    """Draw Figure 4: power of a comparison in BLEU."""
    plan = dt.scenarios.Bleu(p0=0.13, b0=25.8)
    lines = tuple(
        Series(
            f"{n:,}",
            tuple((d, dt.power(plan, n_items=n, effect=d, drawn=0).power) for d in POINTS),
            look,
        )
        for look, n in enumerate(reversed(SEGMENTS))
    )
    x = Axis("true difference in BLEU", (0.0, 3.0), (0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0))
    one = dt.power(plan, n_items=2000, effect=1.0, drawn=0).power
    title = f"2,000 segments find a difference of 1 BLEU in {100 * one:.0f} % of evaluations"
    return Drawing(
        number="4",
        title=title,
        showed="The paper's Figure 4 is power in BLEU by the number of segments and the difference, with the fitted P0 = .13 and b0 = 25.8; its abstract says «approximately 75 %» for this case.",
        data="Here the same model in closed form; the outputs behind the fits are not at hand here.",
        told=f"{title}; 80 % power takes {dt.mde(plan, n_items=2000, drawn=0).effect:.2f} BLEU.",
        panels=(Panel("", x, POWER, lines, (ENOUGH,)),),
        made=partial(_lines, lines, x),
        names=("segments", "difference in BLEU", "power"),
    )


def _lines(lines: tuple[Series, ...], x: Axis, width: int) -> Spec:
    shown = tuple(PowerLine(one.name, one.points) for one in lines)
    return power_lines(PowerPicture(shown, x.title, ENOUGH[0], x.domain), width=width)


def survey(folder: Path) -> Drawing:
    """Draw Figure 5: size and effect of published human evaluations."""
    columns = survey_columns(folder)
    n, effect = np.array(columns["n"]), np.array(columns["effect"])
    audit = dt.audit(columns)
    dots = Series(
        "comparison",
        tuple(zip(n.tolist(), effect.tolist(), strict=True)),
        dots=True,
        hollow=True,
    )
    x = Axis(
        "items (logarithmic)", (15, 1300), (20, 50, 100, 200, 500, 1000), ",d", scale="log"
    )
    y = Axis("effect, as a share of the scale", (-0.2, 0.6), (-0.2, 0.0, 0.2, 0.4, 0.6))
    small = float(np.mean(n <= 100))
    tau = getattr(audit, "tau_unrounded", float("nan"))
    p = getattr(audit, "p_unrounded", float("nan"))
    title = f"{100 * small:.0f} % of {n.size} published comparisons rest on at most 100 items; larger ones find neither more nor less"
    return Drawing(
        number="5",
        title=title,
        showed="The paper's Figure 5 shows the same comparisons of EMNLP 2019: no significant correlation of size and effect.",
        data=f"Drawn from the authors' public table, without the two largest losses, as they did: Kendall's τ {tau:.3f} (p = {p:.2f}).".replace(
            "-0.", "−."
        ).replace("0.", "."),
        told=f"{title}. Kendall's τ of size and effect is {tau:.3f}.",
        panels=(Panel("", x, y, (dots,), ((0.0, ""),)),),
        height=280,
        names=("what", "items", "effect"),
    )


def likert(cells: Sequence[Cell]) -> Drawing:
    """Draw Figure 6: power of ratings by several raters, the stored numbers over our lines."""
    differences = tuple(sorted({cell.difference for cell in cells}))
    x = Axis("true difference, 2β", (0.0, 0.42), (0.0, 0.1, 0.2, 0.3, 0.4))
    panels = []
    shares: list[float] = []
    for settings, preset in PRESETS.items():
        for raters in (3, 10):
            own = [c for c in cells if (c.settings, c.raters) == (settings, raters)]
            series = []
            for look, items in enumerate((500, 100, 50)):
                found = sorted((c for c in own if c.items == items), key=lambda c: c.difference)
                ours = tuple((c.difference, c.ours) for c in found)
                theirs = tuple((c.difference, c.stored) for c in found)
                series.append(Series(f"{items} items", ours, look))
                series.append(Series(f"{items} items, stored", theirs, look, dots=True))
            plan = dt.scenarios.Likert(n_raters=raters, preset=preset)
            valid = tuple(
                (d, dt.power(plan, n_items=100, effect=d, drawn=0).power) for d in differences
            )
            series.append(Series("valid test", valid, 4))
            if (preset, raters) == ("card-high", 3):
                taken = next(one for one in series if one.name == "100 items")
                shares = [a[1] / b[1] for a, b in zip(valid, taken.points, strict=True)]
            kind = "High" if preset == "card-high" else "Low"
            title = f"{kind} variance, {raters} raters"
            panels.append(Panel(title, x, POWER, tuple(series), (ENOUGH,)))
    errors = [abs(c.ours - c.stored) / c.error for c in cells]
    within = sum(error <= 2.0 for error in errors)
    title = (
        f"{within} of {len(errors)} stored powers are within two standard errors of ours; with three "
        f"raters and high variance a valid test has at most {100 * max(shares):.0f} % of that power"
    )
    return Drawing(
        number="6",
        title=title,
        showed="The paper's Figure 6 has these four panels; its difference β is half of the true one.",
        data="Dots: the 48 numbers that the authors stored (200 simulations each). Lines: ours for their test, and for a valid one (REML, Satterthwaite) with 100 items.",
        told=f"{title}. The farthest is {max(errors):.1f} standard errors away.",
        panels=tuple(panels),
        columns=2,
        height=190,
        names=("items", "true difference", "power"),
    )
