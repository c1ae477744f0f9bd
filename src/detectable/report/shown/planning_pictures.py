"""What a search for the cheapest design shows, with its picture."""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice

from detectable.core.wording import capital, count, percent, share_text, significant
from detectable.planning.cheapest import CheapestDesign, DesignOption
from detectable.planning.nearby import NearbyPower, PowerLine
from detectable.planning.result import (
    PlanningAnswer,
    PowerCurve,
    PowerCurves,
    SampleSize,
    SampleSizes,
    plural,
    units,
)
from detectable.report import blocks
from detectable.report.blocks import Chart
from detectable.report.charts.power import (
    PowerPicture,
    SizeLine,
    Surface,
    is_table,
    power_lines,
    power_panels,
    power_surface,
    reaches,
    sizes_by_effect,
)
from detectable.report.charts.type_errors import Worth, type_errors
from detectable.report.methods.planning import cheapest_methods
from detectable.report.shown.planning import (
    by_size,
    curve_title,
    curves_title,
    line_of,
    size_of,
)

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


# --- The pictures of planning: power around an answer, over a grid, and what it is worth ---

TARGET = 0.8  # where no power was asked for
_LOG = 50.0  # the largest size over the smallest, from which on their scale is log
_ENOUGH = 4  # points of a picture of Type M and S
_LITTLE = 0.3  # power that such a picture must begin with, to show anything
_TOLD = 8  # lines that are told one by one to those who cannot see
_SURFACE = 4  # sizes and effects that a surface needs


def target_of(answer: PlanningAnswer) -> float:
    """Return the power that was asked for, or the usual one."""
    return float(getattr(answer, "target_power", TARGET))


def answer_charts(answer: PlanningAnswer) -> Iterator[Chart]:
    """Yield power around the answer, and what a significant result is worth there."""
    if answer.nearby is None or line_of(answer) is None:
        return
    yield _around(answer, answer.nearby)
    worth = worth_of(answer)
    wide = len(worth) >= _ENOUGH and min(one.power for one in worth) <= _LITTLE
    if not answer.aim and answer.attainable and wide:
        yield _significant(answer, worth)


def around(answer: PlanningAnswer) -> Iterator[Chart]:
    """Yield the first picture of an answer."""
    return islice(answer_charts(answer), 1)


def worth(answer: PlanningAnswer) -> Iterator[Chart]:
    """Yield the others."""
    return islice(answer_charts(answer), 1, None)


def _around(answer: PlanningAnswer, nearby: NearbyPower) -> Chart:
    sized = by_size(nearby)
    lines = []
    for other in nearby.effect if sized else nearby.n_items:
        line = line_of(answer, other=other)
        if line is None:
            continue
        own = other == (answer.effect if sized else size_of(answer))
        marks = _asked(answer) if own and answer.attainable else ()
        name = significant(other) if sized else f"{other:,}"
        lines.append(PowerLine(name, line.points, marks, own=own))
    picture = PowerPicture(
        tuple(lines),
        axis=plural(answer.unit) if sized else f"true {answer.scale}",
        target=target_of(answer),
        domain=nearby.span,
        log=nearby.span[0] > 0.0 and sized,
    )
    title = _title(answer, lines)
    return Chart(
        "power",
        title,
        _caption(answer, nearby, sized=sized, lines=len(lines)),
        f"{title}. {_told_of_planning_pictures(answer, lines, sized=sized)}",
        partial(power_lines, picture),
        "nearby",
        key=True,
    )


def _asked(answer: PlanningAnswer) -> tuple[tuple[float, float, str], ...]:
    """Return the point that was asked for, with what stands below it."""
    if isinstance(answer, SampleSize):
        return ((float(size_of(answer)), answer.power, f"{size_of(answer):,}"),)
    return ((answer.effect, answer.power, significant(answer.effect)),)


def _title(answer: PlanningAnswer, lines: Sequence[PowerLine]) -> str:
    """Say what the lines show that one number does not."""
    target, at = target_of(answer), significant(answer.effect)
    if not answer.attainable:
        what = "effect"
        if isinstance(answer, SampleSize):
            what = f"number of {plural(answer.unit)}"
        return f"No {what} reaches {target:.0%} power: {percent(answer.power)} at most"
    who = units(size_of(answer), answer.unit)
    if isinstance(answer, SampleSize):
        needs = {line.name: line.where(target) for line in lines if not line.own}
        more = [(n, name) for name, n in needs.items() if n is not None and n > size_of(answer)]
        other = f"; {min(more)[1]} needs about {_about(min(more)[0])}" if more else ""
        goal = f"if the truth is {at}" if answer.aim else f"for {at}"
        return f"{who} reach {target:.0%} power {goal}{other}"
    own = line_of(answer)
    reached = None if own is None else own.where(target)
    twice = [line.where(target) for line in lines if line.name == f"{2 * size_of(answer):,}"]
    if hasattr(answer, "target_power"):
        more_of = [f", twice as many at {significant(x)}" for x in twice if x is not None]
        return f"{who} reach {target:.0%} power at {at}{''.join(more_of)}"
    first = f"{who} have {percent(answer.power)} power at an effect of {at}"
    if reached is None:
        return f"{first}; {target:.0%} is not reached at any effect"
    if significant(reached) == at:
        known = [f"; twice as many reach {target:.0%} at {significant(x)}" for x in twice if x]
        return f"{first}{''.join(known)}"
    return f"{first}; {target:.0%} is reached at {significant(reached)}"


def _about(n: float) -> str:
    """Return a size to two digits, for a sentence."""
    return f"{float(f'{n:.2g}'):,.0f}"


def _caption(answer: PlanningAnswer, nearby: NearbyPower, *, sized: bool, lines: int) -> str:
    parts = []
    if lines > 1:
        parts.append(
            f"Lines: true {answer.scale}." if sized else f"Lines: {plural(answer.unit)}."
        )
    elif sized:
        parts.append(f"Line: true {answer.scale} of {significant(answer.effect)}.")
    else:
        parts.append(f"Line: {units(size_of(answer), answer.unit)}.")
    if answer.attainable:
        parts.append("● what was asked.")
    if nearby.approximate:
        parts.append("The lines are a normal approximation; the answer was simulated.")
    return " ".join(parts)


def _told_of_planning_pictures(
    answer: PlanningAnswer, lines: Sequence[PowerLine], *, sized: bool
) -> str:
    """Say for every line where it reaches the target."""
    target = target_of(answer)
    told = []
    for line in lines:
        x = line.where(target)
        at = "" if x is None else f"about {_about(x)}" if sized else significant(x)
        if line.own and sized and x is not None:
            at = f"{size_of(answer):,}"
        if x is None:
            ends = min(line.points, key=lambda p: p[1]), max(line.points, key=lambda p: p[1])
            low, high = ends[0][1], ends[1][1]
            at = f"{percent(high)} at most" if high < target else f"{percent(low)} or more"
        told.append(f"{line.name}: {at}")
    return f"Where {target:.0%} power is reached, {'by effect' if sized else 'by size'}: {'; '.join(told)}."


def worth_of(answer: PlanningAnswer) -> list[Worth]:
    """Return exaggeration and wrong signs along the line of the answer."""
    nearby = answer.nearby
    if nearby is None:
        return []
    if by_size(nearby):
        column = nearby.effect.index(answer.effect)
        cells = [
            (power[column], m[column], s[column])
            for power, m, s in zip(nearby.power, nearby.type_m, nearby.type_s, strict=True)
        ]
    else:
        row = nearby.n_items.index(size_of(answer))
        cells = list(
            zip(nearby.power[row], nearby.type_m[row], nearby.type_s[row], strict=True)
        )
    return [
        Worth(power, m, s)
        for power, m, s in cells
        if power is not None and m is not None and s is not None
    ]


def _significant(answer: PlanningAnswer, worth: Sequence[Worth]) -> Chart:
    own = Worth(answer.power, answer.type_m, answer.type_s)
    title = (
        f"At {answer.power:.0%} power a significant estimate is {answer.type_m:.2f} times the "
        "truth on average"
    )
    small = min(worth, key=lambda one: abs(one.power - 0.2))
    return Chart(
        "significant",
        title,
        "● this evaluation; shaded: enough power. Both errors shrink with power, whatever it "
        "comes from.",
        f"{title}, and {share_text(answer.type_s)} have the wrong sign. At {small.power:.0%} power it is "
        f"{small.exaggeration:.1f} times, and {share_text(small.wrong_sign)} have the wrong sign.",
        partial(type_errors, tuple(worth), asked=own, target=target_of(answer)),
        "nearby",
    )


# A grid of sizes and effects


def curve_lines(curve: PowerCurve) -> tuple[PowerLine, ...]:
    """Return a line per size against the effect; per effect against the size if that is one."""
    effects, sizes = sorted(set(curve.effect)), sorted(set(curve.n_items))
    if len(effects) > 1:
        found = []
        for n in sizes:
            points = tuple((e, curve.at(n, e).power) for e in effects)
            at = PowerLine("", points).where(curve.target_power)
            marks = () if at is None else ((at, curve.target_power, significant(at)),)
            found.append(PowerLine(f"{n:,}", points, marks))
        return tuple(found)
    effect = effects[0]
    points = tuple((float(n), curve.at(n, effect).power) for n in sizes)
    at = PowerLine("", points).where(curve.target_power)
    marks = () if at is None else ((at, curve.target_power, _about(at)),)
    return (PowerLine(significant(effect), points, marks),)


def _picture(curve: PowerCurve, lines: tuple[PowerLine, ...]) -> PowerPicture:
    """Return the lines on their axis."""
    sized = len(set(curve.effect)) == 1
    xs = [x for line in lines for x, _ in line.points]
    low = min(xs) if not sized or max(xs) / min(xs) >= _LOG else 0.0
    return PowerPicture(
        lines,
        axis=plural(curve.unit) if sized else f"true {curve.scale}",
        target=curve.target_power,
        domain=(low, max(xs)),
        log=sized and max(xs) / min(xs) >= _LOG,
    )


def curves_charts(found: PowerCurves) -> Iterator[Chart]:
    """Yield a panel per assumption, on one axis, where there is a line to draw."""
    if any(len(set(c.effect)) * len(set(c.n_items)) < 2 for c in found.curves):
        return
    lines = [curve_lines(curve) for curve in found.curves]
    if len({len(set(curve.effect)) == 1 for curve in found.curves}) > 1:
        return
    pictures = [_picture(curve, own) for curve, own in zip(found.curves, lines, strict=True)]
    low = min(picture.domain[0] for picture in pictures)
    high = max(picture.domain[1] for picture in pictures)
    # The points asked for lie beside each other; where each line reaches the target stands below.
    panels = tuple(
        (capital(name), picture._replace(domain=(low, high)))
        for name, picture in zip(found.names, pictures, strict=True)
    )
    first = found.curves[0]
    sized = len(set(first.effect)) == 1
    title = curves_title(found)
    told = " ".join(
        f"{name}: {_curve_told(own, first.target_power)}"
        for name, own in zip(found.names, lines, strict=True)
    )
    yield Chart(
        "power",
        title,
        f"Lines: {f'true {first.scale}' if sized else plural(first.unit)}. ● where a line reaches "
        f"{first.target_power:.0%}, read off between the points.",
        f"{title}. {told}",
        partial(power_panels, panels),
        "power",
        key=True,
    )


def curve_charts(curve: PowerCurve) -> Iterator[Chart]:
    """Yield the lines, and the surface where the grid is fine."""
    sizes, effects = sorted(set(curve.n_items)), sorted(set(curve.effect))
    if len(sizes) * len(effects) < 2:
        return
    lines = curve_lines(curve)
    sized = len(effects) == 1
    picture = _picture(curve, lines)
    title = _lines_title(curve, lines, sized=sized)
    what = f"true {curve.scale}" if sized else plural(curve.unit)
    meets = [f"● where a line reaches {curve.target_power:.0%}, read off between the points."]
    meets = meets if any(line.marks for line in lines) else []
    yield Chart(
        "power",
        title,
        " ".join([f"Line{'s' if len(lines) > 1 else ''}: {what}.", *meets]),
        f"{title}. {_curve_told(lines, curve.target_power)}",
        partial(power_lines, picture),
        "power",
        key=True,
    )
    if min(len(sizes), len(effects)) >= _SURFACE:
        yield _surface(curve, sizes, effects)


def _lines_title(curve: PowerCurve, lines: Sequence[PowerLine], *, sized: bool) -> str:
    """Say where the first and the last line that do so reach the target."""
    met = [(line.name, line.marks[0][2]) for line in lines if line.marks]
    if not met:
        return curve_title(curve)
    if sized:
        name, size = met[0]
        return f"An effect of {name} reaches {curve.target_power:.0%} power with about {size} {plural(curve.unit)}"
    (first, there), (last, here) = met[0], met[-1]
    said = f"{curve.target_power:.0%} power is reached at {there} with {first}"
    if last == first:
        return f"{said} {plural(curve.unit)}"
    return f"{said} {plural(curve.unit)}, at {here} with {last}"


def _curve_told(lines: Sequence[PowerLine], target: float) -> str:
    told = []
    for line in lines[:_TOLD]:
        powers = [power for _, power in line.points]
        at = f"{target:.0%} at {line.marks[0][2]}" if line.marks else ""
        if not line.marks and max(powers) < target:
            at = f"{percent(max(powers))} at most"
        elif not line.marks:
            least = percent(min(powers))
            at = "100% everywhere" if least == "100%" else f"{least} or more everywhere"
        told.append(f"{line.name}: {at}")
    if len(lines) > _TOLD:
        told.append(f"and {len(lines) - _TOLD} more in the table")
    return f"{'; '.join(told)}."


def _surface(curve: PowerCurve, sizes: Sequence[int], effects: Sequence[float]) -> Chart:
    surface = Surface(
        tuple(sizes),
        tuple(effects),
        {(point.n_items, point.effect): point.power for point in curve.points},
        plural(curve.unit),
        f"true {curve.scale}",
        curve.target_power,
    )
    enough = sum(point.power >= curve.target_power for point in curve.points)
    title = f"{enough} of {len(curve.points)} combinations reach {curve.target_power:.0%} power"
    found = [f"{n:,} at {significant(e)}" for n, e in reaches(surface)]
    if len(found) > _TOLD:
        found = [found[0], found[len(found) // 2], found[-1]]
    seen = f"{curve.target_power:.0%} is reached with {', with '.join(found)}." if found else ""
    line = "Numbers: power." if is_table(surface) else f"Line: {curve.target_power:.0%}."
    return Chart(
        "surface",
        title,
        f"Stronger colour: more power, in steps of 20 points. {line}",
        f"{title}. {seen}".strip(),
        partial(power_surface, surface),
        "power",
    )


# The size that each of several effects needs


def size_charts(found: SampleSizes) -> Iterator[Chart]:
    """Yield the sizes by effect, a line for each scenario (figure 3 of wei2022)."""
    total = all(
        "total_judgments" in one.details
        for group in found.groups
        for one in group.points
        if one is not None
    )
    order = sorted(range(len(found.effect)), key=found.effect.__getitem__)
    lines = []
    for group in found.groups:
        known = [(found.effect[k], group.points[k]) for k in order]
        points = tuple(
            (x, float(_size_of(one, total=total)))
            for x, one in known
            if _size_of(one, total=total)
        )
        if len(points) > 1:
            lines.append(SizeLine(group.name, points))
    if not lines:
        return
    counted = "judgments of both systems" if total else plural(found.unit)
    first = [line.points[0] for line in lines]
    least = min(x for x, _ in first)
    sizes = [n for x, n in first if x == least]
    span = (
        f"{min(sizes):,.0f}" if len(sizes) == 1 else f"{min(sizes):,.0f} to {max(sizes):,.0f}"
    )
    title = f"An effect of {significant(least)} with {found.target_power:.0%} power takes {span} {counted}"
    lead = (
        f"A line per {found.name.replace('-', ' ')}: " if len(lines) > 1 and found.name else ""
    )
    caption = (
        f"{lead}{counted} that show a true {found.scale} with {found.target_power:.0%} power; about "
        f"{found.accuracy:.0%} of such verdicts are right, if no two systems are equal."
    )
    told = "; ".join(
        f"{line.name or 'sizes'}: {line.points[0][1]:,.0f} to {line.points[-1][1]:,.0f}"
        for line in lines[:_TOLD]
    )
    draw = partial(sizes_by_effect, tuple(lines), across=f"true {found.scale}", upright=counted)
    yield Chart("sizes", title, capital(caption), f"{title}. {told}.", draw, "sizes", key=True)


def _size_of(one: SampleSize | None, *, total: bool) -> int:
    """Return a size; 0 where there is none."""
    if one is None or one.n_items is None:
        return 0
    return int(one.details["total_judgments"]) if total else one.n_items
