"""The way that a plan took, for every kind of plan: boundaries, margins and bets."""

import math
from collections.abc import Iterator
from functools import partial

from detectable.core.wording import count, number
from detectable.report.blocks import Chart
from detectable.report.charts.anytime import Band, Evidence, Wealth, anytime
from detectable.report.figures.monitoring import (
    looks_at,
    many_title,
    path_name,
    planned_stops,
    stops_path,
    unit_axis,
)
from detectable.study.monitoring.pair_look import PairLook
from detectable.study.monitoring.plan import Plan
from detectable.study.monitoring.plan_history import PlanHistory


def path(history: PlanHistory, *, twin: str, projected: bool = False) -> Iterator[Chart]:
    """Yield the way that a plan took so far.

    Parameters
    ----------
    twin : str
        The table with the numbers.
    projected : bool
        Whether to add where it may go from here.
    """
    tested = [row for row in history.looks if row.pair.tested]
    if not tested:
        yield from planned_stops(history.plan)
    elif history.plan.anytime:
        yield _evidence_path(history, twin)
    elif history.plan.margin is not None:
        yield _margin_path(history, twin)
    else:
        yield stops_path(history, twin, projected=projected)


# Margins


def _margin_path(history: PlanHistory, twin: str) -> Chart:
    """Return the estimate and the interval of the margin at each look."""
    plan = history.plan
    margin = float(plan.margin or 0.0)
    pair = _widest_story(history)
    looks = looks_at(history, pair)
    points = tuple((float(one.n_units), one.estimate, *margin_limits(one)) for one in looks)
    last = looks[-1]
    shown = last.decision in ("stop: equivalent", "stop: non-inferior", "stop: better")
    margins = (-margin, margin) if plan.claim == "equivalent" else (-margin,)
    name = f"{pair[0]} − {pair[1]}"
    level = 1.0 - (2.0 if plan.claim == "equivalent" else 1.0) * plan.alpha / len(plan.pairs)
    band = Band(
        name,
        points,
        note=f"difference with its {100 * level:.3g}% repeated interval",
        decided=float(last.n_units) if shown else None,
        colour="equal" if shown else "undecided",
        margins=margins,
    )
    aim = f"±{margin:g}" if plan.claim == "equivalent" else f"−{margin:g}"
    title = (
        f"{name}: the interval lies {'within' if plan.claim == 'equivalent' else 'above'} {aim} "
        f"from look {len(looks)} on"
        if last.decision in ("stop: equivalent", "stop: non-inferior")
        else f"{name}: {last.decision.removeprefix('stop: ')} after {count(len(looks), 'look')}"
    )
    caption = (
        "Points: the difference at each look. Lines: the repeated interval that the claim is tested "
        f"with, valid at all looks together. Dotted: the margin, {aim}."
    )
    if len(plan.pairs) > 1:
        caption += f" One of {count(len(plan.pairs), 'pair')}; the others are in the table."
    told = " ".join(
        f"After {one.n_units:,}: {number(one.estimate, sign=True)} "
        f"[{number(low, sign=True)}, {number(high, sign=True)}]."
        for one, (_, _, low, high) in zip(looks, points, strict=True)
    )
    draw = partial(_draw_anytime, band, None, plan)
    return Chart("path", title, caption, f"{title}. {told}", draw, twin, key=True)


def margin_limits(look: PairLook) -> tuple[float, float]:
    """Return the interval that a margin is tested with at a look."""
    if look.z_margin is None or not math.isfinite(look.standard_error):
        return -math.inf, math.inf
    low, high = look.statistic().limits(look.z_margin)
    return low, high


def _widest_story(history: PlanHistory) -> tuple[str, str]:
    """Return the pair that was looked at most often, the first of them."""
    return max(history.plan.pairs, key=lambda pair: len(looks_at(history, pair)))


# Bets


def _evidence_path(history: PlanHistory, twin: str) -> Chart:
    """Return the evidence of all pairs, below the band of the only one."""
    plan = history.plan
    stories = {pair: looks_at(history, pair) for pair in plan.pairs if looks_at(history, pair)}
    lines = tuple(
        Wealth(
            path_name(plan, pair),
            tuple((float(one.n_units), math.log(one.e_value or 1.0)) for one in looks),
        )
        for pair, looks in stories.items()
    )
    longest = stories[_widest_story(history)]
    needed = tuple((float(one.n_units), float(one.e_needed or math.nan)) for one in longest)
    single = len(plan.pairs) == 1
    decided = _decided(longest[-1]) if single else None
    threshold = f"decides: E ≥ {needed[0][1]:,.4g}"
    evidence = Evidence(lines, needed, threshold, decided)
    band = _band(longest, decided) if single else None
    title = _evidence_title(history, longest)
    told = " ".join(
        f"{pair[0]} against {pair[1]}: E = "
        f"{', '.join(f'{one.e_value:.3g}' for one in looks)}, {looks[-1].decision}."
        for pair, looks in stories.items()
    )
    caption = (
        "E, the largest so far, grows while there is a difference; without one it reaches the dashed "
        f"line in at most {plan.alpha:.0%} of evaluations, however often one looks."
    )
    if band is not None:
        level = f"{100 * (1.0 - longest[-1].level):.3g}%"
        caption = (
            f"Above: the difference with a {level} band that holds at all times. {caption}"
        )
    if decided is not None:
        caption += " Later bands may cover 0 again; the decision stands."
    draw = partial(_draw_anytime, band, evidence, plan)
    return Chart("path", title, caption, f"{title}. {told}", draw, twin, key=True)


def _draw_anytime(
    band: Band | None, evidence: Evidence | None, plan: Plan, width: int
) -> dict[str, object]:
    return anytime(band, evidence, unit=unit_axis(plan), width=width, end=plan.n_max)


def _decided(last: PairLook) -> float | None:
    return float(last.n_units) if last.verdict in ("better", "worse") else None


def _band(looks: list[PairLook], decided: float | None) -> Band | None:
    points = tuple(
        (
            float(one.n_units),
            one.estimate,
            -math.inf if one.interval is None else one.interval.low,
            math.inf if one.interval is None else one.interval.high,
        )
        for one in looks
    )
    last = looks[-1]
    note = f"{last.scale}; the band holds at all times"
    return Band(f"{last.system} − {last.baseline}", points, note=note, decided=decided)


def _evidence_title(history: PlanHistory, longest: list[PairLook]) -> str:
    if len(history.plan.pairs) > 1:
        return many_title(history)
    last = longest[-1]
    value, needed = f"{last.e_value:.3g}", f"{last.e_needed:.3g}"
    who = f"{last.system} against {last.baseline}"
    if last.verdict in ("better", "worse"):
        return (
            f"{who}: E reaches {value} at look {len(longest)}, {needed} needed: {last.verdict}"
        )
    return f"{who}: E is {value} of {needed} needed after {count(len(longest), 'look')}"
