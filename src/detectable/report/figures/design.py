"""The picture of a design with looks: where it stops."""

import math
from collections.abc import Iterator
from functools import partial

from detectable.core.wording import count, number, p_value
from detectable.report.blocks import Chart
from detectable.report.charts.boundaries import boundaries
from detectable.report.charts.stop_regions import LookBounds, StopRegions
from detectable.sequential.design_result import Design

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


def design_charts(design: Design) -> Iterator[Chart]:
    """Yield the boundaries, where there is more than one look."""
    if len(design.information) == 1:
        return
    regions = stop_regions(design)
    title = boundary_title(design)
    yield Chart(
        "boundaries",
        title,
        _caption(design),
        f"{title}. {_told(design)}",
        partial(_drawn, regions),
        "looks",
        key=True,
    )


def _drawn(regions: StopRegions, width: int) -> dict[str, object]:
    return boundaries(regions, width=width)


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
