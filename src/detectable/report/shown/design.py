"""What a design with looks shows, with its picture."""

import math
from collections.abc import Iterator
from functools import partial
from typing import Any

from detectable.core.wording import count, number, p_value
from detectable.report import blocks
from detectable.report.charts.boundaries import LookBounds, StopRegions, boundaries
from detectable.sequential.boundaries import OperatingPoint
from detectable.sequential.design_result import Design
from detectable.sequential.families import family_row

_ROUNDING = 1e-6
_NOTHING_TO_SAVE = "There is nothing to save."


def show_design(design: Design) -> Iterator[blocks.Block]:
    """Show what it costs and saves, when it stops, and what it does at several effects."""
    yield _verdict(design)
    yield from design_charts(design)
    yield from _limits(design)
    yield looks(design)
    yield samples(design)
    yield from _checks(design)
    yield from blocks.notes(design.notes)
    yield _methods(design)


def _sides(design: Design) -> str:
    return f"{'two' if design.sided == 2 else 'one'}-sided α = {design.alpha:g}"


def _verdict(design: Design) -> blocks.Verdict:
    if len(design.information) == 1:
        return blocks.Verdict("info", _one_look(design), (_NOTHING_TO_SAVE,))
    saved = design.expected_n_over_fixed
    n_looks = count(len(design.information), "look")
    more = 100.0 * (design.inflation - 1.0)
    cost = f"{more:.0f}% more" if more >= 0.5 else "under 1% more"
    gain = 100.0 * (1.0 - saved.full)
    gains = f"save {gain:.0f}%" if gain >= 0.0 else f"add {-gain:.0f}%"
    detail = [
        f"{design.family_in_words()}, {_sides(design)}, planned for {design.power:.0%} power.",
        f"Against a test without looks the sample is at most {design.inflation:.3f} times as large, "
        f"and on average {saved.full:.0%} if the effect is as planned, {saved.one_and_half:.0%} if "
        f"it is 1.5 times as large and {saved.h0:.0%} if there is none.",
    ]
    detail += _judgments(design)
    headline = f"{n_looks} cost at most {cost} and {gains} on average at the planned effect."
    return blocks.Verdict("info", headline, tuple(detail))


def _limits(design: Design) -> Iterator[blocks.Text]:
    """Say when it gives up, and what that costs."""
    if len(design.information) == 1:
        return
    said = [f"Futility: {design.futility_rule}{', binding' if design.binding else ''}."]
    said += _advice_followed(design)
    if design.binding:
        said.append("Going on after such a stop would break α.")
    elif any(bound is not None for bound in design.futility):
        said.append("It is advice: going on does not break α.")
    yield blocks.Text("limits", "When it gives up", " ".join(said))


def _checks(design: Design) -> Iterator[blocks.Text]:
    """Say how often it errs, whether futility is obeyed or not."""
    error = design.overall_alpha
    if len(design.information) == 1:
        return
    kept: blocks.Mark = "ok" if error.futility_ignored <= design.alpha + _ROUNDING else "look"
    said = f"False alarms over all looks: {error.futility_ignored:.2%}"
    if any(bound is not None for bound in design.futility):
        said += f" if futility is ignored, {error.futility_obeyed:.2%} if it is obeyed"
    yield blocks.Text("checks", "Error rate", points=((kept, f"{said}."),))


def _methods(design: Design) -> blocks.Methods:
    n = len(design.information)
    if n == 1:
        return blocks.Methods(f"The data were looked at once, at the end ({_sides(design)}).")
    spaced = design.information == tuple((k + 1) / n for k in range(n))
    where = "equally spaced " if spaced else ""
    size = "" if design.n_max is None else f" of up to {design.n_max:,} items per system"
    futility = ""
    if any(bound is not None for bound in design.futility):
        kind = "binding" if design.binding else "non-binding"
        futility = f" Stopping for futility was {kind}: {design.futility_rule}."
    family = design.family_in_words()
    return blocks.Methods(
        f"We planned a group-sequential evaluation{size} with {n} {where}looks (Jennison and "
        f"Turnbull, 2000): boundaries {family}, {_sides(design)} over all looks, "
        f"{design.power:.0%} power.{futility} The sample is at most {design.inflation:.3f} times "
        f"that of a test without looks, and {design.expected_n_over_fixed.full:.0%} of it on "
        "average at the planned effect.",
        (
            "jennison-turnbull-2000",
            *((cite,) if (cite := family_row(design.family).cite) else ()),
        ),
    )


def looks(design: Design) -> blocks.Table:
    """Return one row per look: when, the boundary, what is spent, when to give up.

    Examples
    --------
    >>> from detectable.sequential.design import design
    >>> looks(design("pocock", looks=2, futility="none")).texts()[0]
    ('1', '50.0%', '2.178', '.0294', '.0294')
    """
    gives_up = any(bound is not None for bound in design.futility)
    two = design.sided == 2

    def at(values: Any) -> Any:
        return lambda look: values[look]

    def reachable(values: Any) -> Any:
        return lambda look: math.nan if math.isinf(design.z[look]) else values[look]

    columns = (
        blocks.Column("look", "look", "count", of=lambda look: look + 1),
        blocks.Column("share", "share", "share", digits=1, of=at(design.information)),
        blocks.Column("items", "items", "count", of=at(design.items))
        if design.items is not None
        else None,
        blocks.Column("z", "|z| ≥" if two else "z ≥", digits=3, of=reachable(design.z)),
        blocks.Column("nominal_p", "nominal p", "p", keep=3, of=reachable(design.nominal_p)),
        blocks.Column("alpha_spent", "α spent", "p", of=at(design.alpha_spent)),
        blocks.Column(
            "futility",
            "futile: |z| <" if two else "futile: z <",
            digits=3,
            short="futile <",
            of=at(design.futility),
        )
        if gives_up
        else None,
    )
    unreachable = any(map(math.isinf, design.z))
    note = "A dash: no boundary can be reached at this look." if unreachable else ""
    return blocks.table("looks", "Looks", columns, range(len(design.information)), note=note)


def samples(design: Design) -> blocks.Table:
    """Return one row per drift: power and the expected sample, in items if known.

    Examples
    --------
    >>> from detectable.sequential.design import design
    >>> samples(design("pocock", looks=3, drifts=[3.24], futility="none")).texts()
    [('1.07', '3.240', '0.853', '66.6%')]
    """
    advised = any(point.with_futility is not None for point in design.characteristics)
    columns = [
        blocks.Column(
            "effect", "effect / planned", of=lambda point: point.drift / design.drift
        ),
        blocks.Column("drift", "drift", digits=3, keep=2),
        *_pair(design, "", ""),
    ]
    if advised:
        columns += _pair(design, "_obeyed", " if futility is obeyed")
    return blocks.table("samples", "Power and expected sample", columns, design.characteristics)


def _pair(design: Design, key: str, title: str) -> list[blocks.Column]:
    """Return the columns of power and sample, of futility ignored or obeyed."""

    def of(point: OperatingPoint) -> OperatingPoint:
        return point.with_futility or point if key else point

    def power(point: OperatingPoint) -> float:
        chosen = of(point)
        return chosen.power_any_sign if point.drift == 0.0 else chosen.power

    sample = (
        blocks.Column(
            f"share{key}",
            f"of maximum{title}",
            "share",
            digits=1,
            short="of maximum, obeyed" if key else "",
            of=lambda p: of(p).expected_n,
        )
        if design.n_max is None
        else blocks.Column(
            f"items{key}",
            f"items{title}",
            digits=0,
            short="items, obeyed" if key else "",
            of=lambda p: of(p).expected_n * float(design.n_max or 0),
        )
    )
    short = "power, obeyed" if key else ""
    return [
        blocks.Column(f"power{key}", f"power{title}", digits=3, short=short, of=power),
        sample,
    ]


# --- The picture of a design with looks: where it stops ---

_TOLD = 6  # looks that are told one by one to those who cannot see


def stop_regions(design: Design) -> StopRegions:
    """Return where a design stops: in items, or in shares of the maximum."""
    two = design.sided == 2
    at = design.information if design.items is None else design.items
    looks = tuple(
        LookBounds(
            float(when),
            upper,
            -upper if two else -math.inf,
            None if futile is None else (-futile if two else -math.inf, futile),
            spent,
        )
        for when, upper, futile, spent in zip(
            at, design.z, design.futility, design.alpha_spent, strict=True
        )
    )
    unit = "items judged for both systems" if design.items else "share of the planned maximum"
    return StopRegions(looks, unit, shares=design.items is None)


def design_charts(design: Design) -> Iterator[blocks.Chart]:
    """Yield the boundaries, where there is more than one look."""
    if len(design.information) == 1:
        return
    regions = stop_regions(design)
    title = boundary_title(design)
    yield blocks.Chart(
        "boundaries",
        title,
        _caption(design),
        f"{title}. {_told(design)}",
        partial(boundaries, regions),
        "looks",
        key=True,
    )


def boundary_title(design: Design) -> str:
    """Say what it takes to stop at the first look that can, and at the last."""
    what = "|z|" if design.sided == 2 else "z"
    first = next(k for k, z in enumerate(design.z) if math.isfinite(z))
    early, last = number(design.z[first]), number(design.z[-1])
    if first == len(design.z) - 1:
        return f"Only the last look can stop, from {what} = {last} on"
    if {number(z) for z in design.z} == {last}:
        return f"Every look stops from {what} = {last} on"
    return f"Look {first + 1} stops from {what} = {early} on, the last from {last}"


def _caption(design: Design) -> str:
    parts = []
    if design.sided == 2:
        parts.append("Blue and orange: stop with a result.")
    else:
        parts.append("Blue: stop with a result.")
    if any(bound is not None for bound in design.futility):
        said = "giving up is part of the plan" if design.binding else "giving up is advised"
        parts.append(f"Grey: {said}.")
    parts.append("α: spent up to each look. It stops only at looks, ● each.")
    return " ".join(parts)


def _told(design: Design) -> str:
    n = len(design.information)
    shown = range(n) if n <= _TOLD else (0, n // 2, n - 1)
    told = []
    for k in shown:
        when = (
            f"{design.information[k]:.0%}"
            if design.items is None
            else count(design.items[k], "item")
        )
        z = number(design.z[k]) if math.isfinite(design.z[k]) else "not reachable"
        futile = design.futility[k]
        given_up = "" if futile is None else f", futile below {number(futile)}"
        told.append(f"{when}: {z}{given_up}, α spent {p_value(design.alpha_spent[k])}")
    return f"{'; '.join(told)}."


def say_design(design: Design) -> str:
    """Say what the design costs and what it saves."""
    if len(design.information) == 1:
        return f"{_one_look(design)} {_NOTHING_TO_SAVE}"
    looks = count(len(design.information), "look")
    saved = design.expected_n_over_fixed
    first = (
        f"{design.family_in_words()}, {looks}, {_sides(design)}: at most "
        f"{design.inflation:.3f} times the sample of a test without looks for "
        f"{design.power:.0%} power, on average {saved.full:.0%} of it if the effect is as "
        f"planned, {saved.one_and_half:.0%} if it is 1.5 times as large and {saved.h0:.0%} "
        "if there is none."
    )
    return " ".join([first, *_judgments(design), *_advice_followed(design)])


def _one_look(design: Design) -> str:
    return f"One look at the end, {_sides(design)}: significant from z = {design.z[0]:.3f}."


def _judgments(design: Design) -> list[str]:
    """Say how many judgments the items are: each is judged for both systems."""
    if design.n_max is None:
        return []
    return [
        f"{count(design.n_max, 'item')} per system are {2 * design.n_max:,} judgments of two "
        "systems, if each output is judged once."
    ]


def _advice_followed(design: Design) -> list[str]:
    cost = design.with_futility
    if cost is None:
        return []
    return [
        f"If every advice to stop for futility is followed, the power is {cost.power:.0%} and "
        f"the average without an effect {cost.expected_n.h0 * design.inflation:.0%}."
    ]
