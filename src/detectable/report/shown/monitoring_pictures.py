"""The pictures of a plan: where it stops, the way it took, and how far it may still go."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from detectable.core.wording import count, number
from detectable.report.blocks import Chart
from detectable.report.charts.anytime import Band, Evidence, Wealth, anytime
from detectable.report.charts.boundaries import (
    FanPoint,
    LookBounds,
    Path,
    StopRegions,
    boundaries,
)
from detectable.sequential.design_result import Design
from detectable.sequential.families import family_row
from detectable.sequential.look_statistic import look_boundaries
from detectable.study.monitoring.ledger import PairLook, margin_level
from detectable.study.monitoring.plan import Plan
from detectable.study.monitoring.plan_history import PlanHistory

_LATER = 1e-6  # of the maximum: a planned look this close to one that took place is that one
_BAND = 0.8  # chance that the statistic stays within the fan
_BAND_Z = 1.2815515655446004  # of the normal distribution, for 80% in the middle
_STEPS = 40  # of the fan
_MOST = 12  # paths that one picture can hold
_SIDES = {"better": "upper", "worse": "lower"}


def planned_stops(plan: Plan) -> Iterator[Chart]:
    """Yield where a plan stops, before anybody has looked."""
    if plan.anytime or plan.margin is not None or plan.n_max is None:
        return
    regions = stop_regions(plan, None)
    first = next((look for look in regions.looks if math.isfinite(look.upper)), None)
    if first is None:
        return
    last = regions.looks[-1]
    z = "|z|" if plan.sided == 2 else "z"
    title = f"Stops at {z} ≥ {last.upper:.2f} after {last.at:,.0f} {plan.unit_name}"
    if len(regions.looks) > 1:
        title = (
            f"Stops early only at strong evidence: {z} ≥ {first.upper:.2f} after "
            f"{first.at:,.0f} {plan.unit_name}, {last.upper:.2f} after {last.at:,.0f}"
        )
    told = " ".join(
        f"Look {number_} at {look.at:,.0f}: {z} ≥ {number(look.upper)}."
        for number_, look in enumerate(regions.looks, start=1)
    )
    yield Chart(
        "boundaries",
        title,
        _how_to_read(plan, regions, several=len(plan.pairs) > 1),
        f"{title}. {told}",
        partial(boundaries, regions, paths=(), fan=()),
        "looks",
        key=True,
    )


# Boundaries


def stop_regions(plan: Plan, history: PlanHistory | None) -> StopRegions:
    """Return where a plan stops: as it was at past looks, and as planned for those to come.

    With several pairs each decision lowers the boundary for the others. Past looks show the lowest
    that was in force: a pair that was decided lies beyond it, one that was not does not.
    """
    past = [] if history is None else _past(history)
    level = plan.alpha / len(plan.pairs)
    ended = False
    if history is not None and past:
        level = max(row.pair.level for row in history.looks if row.look == past[-1].look)
        ended = any(entry.declared for entry in history.entries)
    design = plan.design_at(level)
    times = [look.share for look in past]
    looks = [look.bounds(spent=len(plan.pairs) == 1) for look in past]
    for number_, share in enumerate(design.information):
        if not ended and (not times or share > times[-1] + _LATER):
            times.append(share)
            looks.append(_planned(plan, design, number_, times))
    return StopRegions(tuple(looks), unit_axis(plan))


@dataclass(frozen=True, slots=True)
class _PastLook:
    """The lowest boundary that was in force at a look."""

    look: int
    at: float
    pair: PairLook

    @property
    def share(self) -> float:
        """Of the maximum."""
        return float(self.pair.information or 0.0)

    def bounds(self, *, spent: bool) -> LookBounds:
        upper = math.inf if self.pair.z_bound is None else self.pair.z_bound
        two = self.pair.sided == 2
        return LookBounds(
            self.at,
            upper,
            -upper if two else -math.inf,
            _futile(self.pair.futility_bound, two=two),
            self.pair.alpha_spent if spent else None,
        )


def _past(history: PlanHistory) -> list[_PastLook]:
    found = []
    for look in range(1, history.n_looks + 1):
        rows = [row.pair for row in history.looks if row.look == look and row.pair.tested]
        if rows:
            lowest = min(rows, key=lambda row: math.inf if row.z_bound is None else row.z_bound)
            found.append(_PastLook(look, float(max(row.n_units for row in rows)), lowest))
    return found


def _planned(plan: Plan, design: Design, place: int, times: list[float]) -> LookBounds:
    """Return the boundary of a look to come, after those at `times` before it.

    A spending family fits it to the looks that took place; a classical one has fixed it.
    """
    z, futility, spent = design.z[place], design.futility[place], design.alpha_spent[place]
    if family_row(design.family).spends:
        found = look_boundaries(design, times)
        z, futility, spent = found.z[-1], found.futility, found.alpha_spent[-1]
    two = design.sided == 2
    return LookBounds(
        float(round(times[-1] * float(plan.n_max or 0))),  # as looks are taken
        z,
        -z if two else -math.inf,
        _futile(futility, two=two),
        spent if len(plan.pairs) == 1 else None,
    )


def _futile(bound: float | None, *, two: bool) -> tuple[float, float] | None:
    if bound is None or math.isinf(bound):
        return None
    return (-bound, bound) if two else (-math.inf, bound)


def unit_axis(plan: Plan) -> str:
    """Return what the axis below a path counts."""
    if plan.unit_name != "items":
        return "items judged of each system"
    return (
        "comparisons of the two"
        if "preference" in plan.test
        else "items judged for both systems"
    )


def stops_path(history: PlanHistory, twin: str, *, projected: bool) -> Chart:
    """Return the paths of z through the boundaries, with a fan where one is still going."""
    plan = history.plan
    regions = stop_regions(plan, history)
    rows = {pair: looks_at(history, pair) for pair in plan.pairs}
    shown = [pair for pair in plan.pairs if rows[pair]][:_MOST]
    fan = _fan(history, regions) if projected else ()
    paths = tuple(
        Path(
            _end_name(history, pair, going=bool(fan)),
            tuple((float(look.n_units), float(look.z or 0.0)) for look in rows[pair]),
        )
        for pair in shown
    )
    title = path_title(history)
    told = [
        f"{pair[0]} against {pair[1]}: z = "
        f"{', '.join(number(look.z, digits=2, sign=True) for look in rows[pair])}, "
        f"{rows[pair][-1].decision}."
        for pair in shown
    ]
    caption = _how_to_read(plan, regions, several=len(plan.pairs) > 1)
    if fan:
        caption += f" Purple: where z will be with {_BAND:.0%} chance if the trend stays."
    if len(shown) < len(plan.pairs):
        caption += f" Drawn: the first {len(shown)} of {count(len(plan.pairs), 'pair')}."
    draw = partial(boundaries, regions, paths=paths, fan=fan)
    return Chart("path", title, caption, f"{title}. {' '.join(told)}", draw, twin, key=True)


def _end_name(history: PlanHistory, pair: tuple[str, str], *, going: bool) -> str:
    """Return what stands at the end of a path: the title has named an only pair already."""
    if going:
        return "now"
    if len(history.plan.pairs) > 1:
        return path_name(history.plan, pair)
    return f"look {max(row.look for row in history.of_pair(pair) if row.pair.tested)}"


def looks_at(history: PlanHistory, pair: tuple[str, str]) -> list[PairLook]:
    """Return the looks that compared a pair with a boundary, oldest first."""
    return [row.pair for row in history.of_pair(pair) if row.pair.tested]


def path_name(plan: Plan, pair: tuple[str, str]) -> str:
    """Return what the path of a pair is called."""
    if plan.baseline is not None:
        return pair[0]
    return f"{pair[0]} − {pair[1]}"


def _how_to_read(plan: Plan, regions: StopRegions, *, several: bool) -> str:
    sides = "Blue: better; orange: worse." if plan.sided == 2 else "Blue: better."
    parts = [f"z is the difference in standard errors. {sides}"]
    if any(look.futile is not None for look in regions.looks):
        parts.append("Grey: giving up is advised.")
    if several:
        parts.append(
            f"Boundaries for {count(len(plan.pairs), 'pair')} together; each decision lowers them "
            "for the others."
        )
    else:
        parts.append("α: error rate spent up to each look.")
    return " ".join(parts)


# Where it may go


def _fan(history: PlanHistory, regions: StopRegions) -> tuple[FanPoint, ...]:
    r"""Return where z may be at later times if the trend stays: the middle, and 80% around it.

    With the estimated drift :math:`\hat\theta = z_0 / \sqrt{t_0}` taken as true,
    :math:`z_t` is normal with mean :math:`z_0 \sqrt{t / t_0}` and variance
    :math:`(t - t_0) / t`.
    """
    if len(history.plan.pairs) != 1 or history.decision != "continue":
        return ()
    now = looks_at(history, history.plan.pairs[0])[-1]
    start, end = float(now.n_units), regions.looks[-1].at
    if now.z is None or end <= start:
        return ()
    made = []
    for step in range(_STEPS + 1):
        at = start + (end - start) * step / _STEPS
        middle = now.z * math.sqrt(at / start)
        spread = _BAND_Z * math.sqrt((at - start) / at)
        made.append(FanPoint(at, middle - spread, middle, middle + spread))
    return tuple(made)


@dataclass(frozen=True, slots=True)
class Foreseen:
    """Where the trend first meets a boundary: the look, and what it would say."""

    look: int
    verdict: str


def foreseen(history: PlanHistory) -> Foreseen | None:
    """Return where the trend of one pair would end it; None if at no planned look."""
    plan = history.plan
    if plan.anytime or plan.margin is not None or len(plan.pairs) != 1:
        return None
    if history.decision != "continue":
        return None
    now = looks_at(history, plan.pairs[0])[-1]
    if now.z is None:
        return None
    for look, bounds in enumerate(stop_regions(plan, history).looks, start=1):
        if bounds.at <= now.n_units:
            continue
        z = now.z * math.sqrt(bounds.at / now.n_units)
        if z >= bounds.upper:
            return Foreseen(look, "better")
        if z <= bounds.lower:
            return Foreseen(look, "worse")
        if bounds.futile is not None and bounds.futile[0] < z < bounds.futile[1]:
            return Foreseen(look, "futile")
    return None


def path_title(history: PlanHistory) -> str:
    """Say how it stands: what was decided and where, or where the trend leads."""
    plan = history.plan
    if len(plan.pairs) > 1:
        return many_title(history)
    now = looks_at(history, plan.pairs[0])[-1]
    look = max(row.look for row in history.looks if row.pair.tested)
    if now.verdict in _SIDES:
        where = f"the {_SIDES[now.verdict]} boundary at look {look}"
        return f"{now.system} crosses {where}: {now.verdict} than {now.baseline}"
    if now.decision == "stop: futile":
        return f"At look {look} a decision has become unlikely: giving up is advised"
    if now.decision == "stop: undecided":
        return f"No boundary was reached by look {look}, the last"
    ahead = foreseen(history)
    if ahead is None:
        return "At this trend no boundary is reached by the planned end"
    end = "it is given up" if ahead.verdict == "futile" else f"it says “{ahead.verdict}”"
    return f"At this trend {end} around look {ahead.look}"


def many_title(history: PlanHistory) -> str:
    """Say how many of several pairs are decided, given up, or go on."""
    last = {row.pair.pair: row.pair.decision for row in history.looks}
    words = {
        "are decided": (
            "stop: better",
            "stop: worse",
            "stop: equivalent",
            "stop: non-inferior",
            "stop: inferior",
            "stop: superior",
        ),
        "given up": ("stop: futile",),
        "ended undecided": ("stop: undecided", "stop"),
        "go on": ("continue",),
    }
    told = []
    for word, decisions in words.items():
        n = sum(decision in decisions for decision in last.values())
        if n or word == "are decided":
            told.append((n, word))
    (n, _), *others = told
    verb = "is" if n < 2 else "are"
    total = count(len(history.plan.pairs), "pair")
    rest = "".join(
        f", {m} {'goes on' if word == 'go on' and m == 1 else word}" for m, word in others
    )
    return f"{n or 'None'} of {total} {verb} decided{rest}"


# --- The way that a plan took, for every kind of plan: boundaries, margins and bets ---


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
    level = margin_level(plan)
    band = Band(
        name,
        points,
        note=f"difference with its {100 * level:.3g}% repeated interval",
        decided=float(last.n_units) if shown else None,
        colour="equal" if shown else "undecided",
        margins=margins,
    )
    word = {"continue": "continue", "stop: futile": "futile"}.get(last.decision, last.verdict)
    aim = f"±{margin:g}" if plan.claim == "equivalent" else f"−{margin:g}"
    title = (
        f"{name}: the interval lies {'within' if plan.claim == 'equivalent' else 'above'} {aim} "
        f"from look {len(looks)} on"
        if last.decision in ("stop: equivalent", "stop: non-inferior")
        else f"{name}: {word} after {count(len(looks), 'look')}"
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
    draw = partial(anytime, band, None, unit=unit_axis(plan), end=plan.n_max)
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
    draw = partial(anytime, band, evidence, unit=unit_axis(plan), end=plan.n_max)
    return Chart("path", title, caption, f"{title}. {told}", draw, twin, key=True)


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
