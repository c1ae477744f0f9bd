"""What a search for the cheapest design shows, with its picture."""

from collections.abc import Iterator
from functools import partial

from detectable.core.wording import capital, count, percent, significant
from detectable.planning.cheapest import CheapestDesign, DesignOption
from detectable.planning.nearby import PowerLine
from detectable.report import blocks
from detectable.report.charts.power import PowerPicture, power_lines
from detectable.report.methods.planning import cheapest_methods

_COLUMNS = (
    blocks.Column("n_raters", "raters", "count"),
    blocks.Column("n_items", "items", "count"),
    blocks.Column("n_judgments", "judgments", "count"),
    blocks.Column("test", "test", "text", keep=2),
    blocks.Column("cost", "cost"),
    blocks.Column("power", "power", digits=3),
)


def show_cheapest_design(found: CheapestDesign) -> Iterator[blocks.Block]:
    """Show the cheapest design, power by price, and the others that reach the power."""
    yield blocks.Verdict(
        "info" if found.best else "warning", capital(say_cheapest_design(found))
    )
    charts = list(cheapest_charts(found))
    yield from charts
    yield from _limits(found)
    if found.options:
        options = sorted(found.options, key=lambda option: option.cost)
        yield blocks.table("designs", "Designs that reach the power", _COLUMNS, options)
    if charts:
        others = sorted(found.nearby, key=lambda one: (one.test, one.n_raters, one.cost))
        title = "Power at other prices"
        yield blocks.table("prices", title, _COLUMNS, others, folded=True)
    yield from blocks.notes(found.notes)
    yield cheapest_methods(found)


def _limits(found: CheapestDesign) -> Iterator[blocks.Text]:
    """Say what less money finds, where designs of the same kind were priced."""
    best = found.best
    if best is None:
        return
    cheaper = [
        one
        for one in found.nearby
        if one.cost <= 0.75 * best.cost and one.power < found.target_power
    ]
    if cheaper:
        most = max(cheaper, key=lambda one: one.power)
        yield blocks.Text(
            "limits",
            "What less would find",
            f"For {most.cost / best.cost:.0%} of the cost the power is at most {most.power:.0%} "
            f"({count(most.n_raters, 'rater')}, {count(most.n_items, 'item')}).",
        )


# --- The picture of designs by what they cost and find ---


def cheapest_charts(found: CheapestDesign) -> Iterator[blocks.Chart]:
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
    yield blocks.Chart(
        "designs",
        title,
        f"A dot per design, a line per {kinds}, more items to the right. ● the cheapest.",
        f"{title}. {_told(found, lines)}",
        partial(power_lines, picture),
        "prices",
        key=True,
    )


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
    first = capital(first)
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


def say_cheapest_design(found: CheapestDesign) -> str:
    """Say the design and what it costs."""
    if found.best is None:
        return f"no design reaches {found.target_power:.0%} power for {found.effect:g}."
    best = found.best
    return (
        f"{count(best.n_raters, 'rater')} and {count(best.n_items, 'item')} "
        f"({count(best.n_judgments, 'judgment')}, {best.test}) cost {best.cost:g} and "
        f"show an effect of {found.effect:g} with {best.power:.0%} power."
    )
