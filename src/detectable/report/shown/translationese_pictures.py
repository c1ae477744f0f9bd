"""The pictures of a study of translationese."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from statistics import mean

from detectable.core.wording import count, number
from detectable.report.blocks import Chart
from detectable.report.charts.forest import Difference, Panel, forest
from detectable.report.charts.halves import Agreement, Changes, HalfScore, halves
from detectable.report.charts.marks import said_shapes
from detectable.report.shown.campaign_halves import changes_of
from detectable.study.translationese.result import SystemEffect, Translationese

_PANELS = 3  # measures side by side
_MOST = 40  # systems that can be distinguished in a picture
_TOLD = 12  # systems that are told one by one to those who cannot see


def both_halves(result: Translationese) -> Iterator[Chart]:
    """Yield the scores on both halves under the first measure."""
    rows = _rows(result)
    if not rows:
        return
    measure = result.measures[0]
    scores = tuple(
        HalfScore(row.system, row.forward, row.reverse, row.system == result.human)
        for row in rows
    )
    agreement = tuple(
        Agreement(row.coefficient.capitalize(), row.value, row.interval, row.random_interval)
        for row in result.agreement
        if row.measure == measure and not math.isnan(row.value)
    )
    title = _title(result, rows)
    yield Chart(
        "halves",
        title,
        _caption(result, scores, agreement),
        f"{title}. {_told(result, rows)}",
        partial(halves, scores, agreement, unit=result.label(measure)),
        "effects",
        key=True,
    )


def _rows(result: Translationese) -> list[SystemEffect]:
    return [row for row in result.effects if row.measure == result.measures[0]]


def _title(result: Translationese, rows: Sequence[SystemEffect]) -> str:
    digits = result.digits[result.measures[0]]
    machines = [row for row in rows if row.system != result.human]
    said = []
    if machines:
        up = sum(row.difference > 0.0 for row in machines)
        shift = number(mean(row.difference for row in machines), digits=digits, sign=True)
        said.append(
            f"{up} of {count(len(machines), 'system')} score{'s' * (up == 1)} higher on reverse data, "
            f"{shift} on average"
        )
    said += [
        f"{row.system} {number(row.difference, digits=digits, sign=True)}"
        for row in rows
        if row.system == result.human
    ]
    return "; ".join(said)


def _caption(
    result: Translationese, scores: Sequence[HalfScore], agreement: Sequence[Agreement]
) -> str:
    parts = [f"In {result.label(result.measures[0])}. Dashed: equal scores."]
    if any(score.human for score in scores):
        parts.append(f"Diamond: {result.human}.")
    if agreement:
        parts.append(
            f"Lines: {1 - result.alpha:.0%} intervals, of these systems on other documents. Grey: "
            f"{1 - result.alpha:.0%} of random halves of the same documents."
        )
    return " ".join(parts)


def _told(result: Translationese, rows: Sequence[SystemEffect]) -> str:
    digits = result.digits[result.measures[0]]
    told = [
        f"{row.system}: {number(row.forward, digits=digits)} forward, "
        f"{number(row.reverse, digits=digits)} reverse."
        for row in rows[:_TOLD]
    ]
    if len(rows) > _TOLD:
        told.append(f"And {len(rows) - _TOLD} more in the table.")
    return " ".join(told)


def shifts(result: Translationese) -> Iterator[Chart]:
    """Yield reverse − forward of every system with its interval."""
    rows = sorted(_rows(result), key=lambda row: -row.difference)
    if not 1 < len(rows) <= _MOST:
        return
    measure = result.measures[0]
    digits = result.digits[measure]
    drawn = tuple(
        Difference(
            row.system, row.difference, row.interval, row.interval, _verdict(result, row)
        )
        for row in rows
    )
    verdicts = [row.verdict for row in drawn]
    sure = sum(verdict != "undecided" for verdict in verdicts)
    who = f"{sure or 'None'} of {count(len(rows), 'system')}"
    title = f"{who} {'is' if sure < 2 else 'are'} significantly different on reverse data"
    caption = (
        f"Reverse − forward in {result.label(measure)}. {said_shapes(verdicts)} Lines: "
        f"{1 - result.alpha:.0%} interval of each system alone; the shapes are corrected over "
        "systems by Holm's method."
    )
    told = " ".join(
        f"{row.name}: {number(row.value, digits=digits, sign=True)}, {row.verdict}."
        for row in drawn[:_TOLD]
    )
    panel = Panel(result.label(measure), drawn, digits=digits, directed=False)
    yield Chart("shifts", title, caption, f"{title}. {told}", partial(forest, panel), "effects")


def _verdict(result: Translationese, row: SystemEffect) -> str:
    if not row.p_adjusted <= result.alpha:
        return "undecided"
    return "higher" if row.difference > 0.0 else "lower"


def changes(result: Translationese) -> Iterator[Chart]:
    """Yield how each of two systems changes from forward to reverse data, under every measure."""
    shown = tuple(
        Changes(
            result.label(measure),
            tuple(
                (row.effect_first, row.effect_second)
                for row in result.pairs
                if row.measure == measure
            ),
        )
        for measure in result.judged_measures[:_PANELS]
    )
    if shown:
        yield replace(changes_of(shown), twin="pairs")
