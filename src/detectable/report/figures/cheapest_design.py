"""The picture of designs by what they cost and find."""

from collections.abc import Iterator
from functools import partial

from detectable.core.wording import significant
from detectable.planning.cheapest import CheapestDesign, DesignOption
from detectable.report.blocks import Chart
from detectable.report.charts.power import PowerLine, PowerPicture, power_lines
from detectable.report.figures.planning import percent


def cheapest_charts(found: CheapestDesign) -> Iterator[Chart]:
    """Yield power against cost: a dot per design, a line per number of raters or per test."""
    best = found.best
    lines = design_lines(found)
    if best is None or not lines:
        return
    picture = PowerPicture(
        lines,
        axis="cost",
        target=found.target_power,
        domain=(0.0, max(x for line in lines for x, _ in line.points)),
        dots=True,
    )
    title = cheapest_title(found, best, lines)
    kinds = "number of raters" if _by_raters(found) else "test"
    yield Chart(
        "designs",
        title,
        f"A dot per design, a line per {kinds}, more items to the right. ● the cheapest.",
        f"{title}. {_told(found, lines)}",
        partial(_drawn, picture),
        "prices",
        key=True,
    )


def _drawn(picture: PowerPicture, width: int) -> dict[str, object]:
    return power_lines(picture, width=width)


def _by_raters(found: CheapestDesign) -> bool:
    """Say whether the designs differ by raters, and not by their test."""
    return len({one.test for one in (*found.options, *found.nearby)}) == 1


def _name(found: CheapestDesign, one: DesignOption) -> str:
    return f"{one.n_raters} raters" if _by_raters(found) else one.test


def design_lines(found: CheapestDesign) -> tuple[PowerLine, ...]:
    """Return a line per kind of design, the best one marked on its own."""
    groups: dict[str, list[DesignOption]] = {}
    for one in found.nearby:
        groups.setdefault(_name(found, one), []).append(one)
    best = found.best
    lines = []
    for name, group in groups.items():
        own = best is not None and name == _name(found, best)
        points = sorted({(one.cost, one.power) for one in group})
        marks = ((best.cost, best.power, significant(best.cost)),) if own and best else ()
        if len(points) > 1:
            lines.append(PowerLine(name, tuple(points), marks, own=own))
    return tuple(lines) if any(line.own for line in lines) else ()


def cheapest_title(
    found: CheapestDesign, best: DesignOption, lines: tuple[PowerLine, ...]
) -> str:
    """Say the cheapest price of the power, and what another kind of design would take."""
    target = found.target_power
    name = _name(found, best)
    verb = "reach" if _by_raters(found) else "reaches"
    first = f"{name} {verb} {target:.0%} power at a cost of {significant(best.cost)}"
    first = first[:1].upper() + first[1:]
    others = [(line.name, line.where(target), line) for line in lines if not line.own]
    for other, price, line in others:
        if price is None and max(power for _, power in line.points) < target:
            return f"{first}; {other} do not even at {significant(line.points[-1][0])}"
    dearer = [(price, other) for other, price, _ in others if price is not None]
    if dearer:
        price, other = max(dearer)
        return f"{first}, {other} at {significant(price, 2)}"
    return first


def _told(found: CheapestDesign, lines: tuple[PowerLine, ...]) -> str:
    told = []
    for line in lines:
        price = line.where(found.target_power)
        if price is None:
            highest = max(power for _, power in line.points)
            told.append(f"{line.name} {percent(highest)} at most")
        else:
            told.append(
                f"{line.name} {found.target_power:.0%} from about {significant(price, 2)}"
            )
    return f"By cost: {'; '.join(told)}."
