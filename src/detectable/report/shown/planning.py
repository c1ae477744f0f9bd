"""What `power`, `mde`, `sample_size` and curves of power show."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from detectable.core.wording import capital, count, how_often, percent, share_text, significant
from detectable.planning import result
from detectable.planning.nearby import Cells, NearbyPower, PowerLine
from detectable.report import blocks
from detectable.report.blocks_of import show_plainly
from detectable.report.methods.planning import answer_methods, curve_methods, sizes_methods

if TYPE_CHECKING:
    from detectable.planning.swap_effects import SwapFit

Answer: TypeAlias = result.PowerEstimate | result.DetectableEffect | result.SampleSize
_NOTES = 3  # on a curve under several assumptions
_ALIKE = 1.05  # a design effect below it is none


def show_planning_answer(answer: Answer) -> Iterator[blocks.Block]:
    """Show the answer in a sentence, the power around it, and the numbers behind it."""
    yield _verdict(answer)
    yield blocks.Pictures("planning_pictures:around", answer)
    yield from _limits(answer)
    yield blocks.Pictures("planning_pictures:worth", answer)
    columns = (
        blocks.Column("name", "quantity", "name", of=lambda pair: pair[0].replace("_", " ")),
        blocks.Column("value", "value", "text", of=lambda pair: pair[1]),
    )
    yield blocks.table("details", "Numbers behind it", columns, _numbers(answer))
    if answer.nearby is not None and line_of(answer) is not None:
        yield nearby(answer, answer.nearby)
    yield from blocks.notes(answer.notes)
    yield answer_methods(answer)


def _verdict(answer: Answer) -> blocks.Verdict:
    status: blocks.Status = "info" if answer.attainable else "warning"
    if answer.aim or not answer.attainable:
        first, *rest = _sentences(answer)
        return blocks.Verdict(status, capital(first), (" ".join(rest),) if rest else ())
    basis_sentence = _basis(answer)
    made = _in_words(answer, status)
    return made if not basis_sentence else replace(made, detail=(*made.detail, basis_sentence))


def _in_words(answer: Answer, status: blocks.Status) -> blocks.Verdict:
    basis = _how(answer)
    if isinstance(answer, result.PowerEstimate):
        error = "" if answer.standard_error is None else f" ± {answer.standard_error:.3f}"
        return blocks.Verdict(
            status,
            f"With {evaluation(answer, answer.n_items)} an effect of {significant(answer.effect)} "
            f"is found {how_often(answer.power)}.",
            (f"Power {answer.power:.3f}{error} ({basis}).",),
        )
    if isinstance(answer, result.DetectableEffect):
        often = how_often(answer.target_power)
        error = "" if answer.effect_error is None else f" ± {answer.effect_error:.2g}"
        return blocks.Verdict(
            status,
            f"With {evaluation(answer, answer.n_items)} an effect of {significant(answer.effect)} "
            f"is found {often}; smaller ones less often.",
            (f"Smallest effect {answer.effect:.4g}{error} ({_asked(answer)}, {basis}).",),
        )
    often = how_often(answer.target_power)
    needed = evaluation(answer, int(answer.n_items or 0))
    errors = answer.n_items_error
    found = "" if errors is None else f"{needed} ± {errors:.2g}; "
    return blocks.Verdict(
        status,
        f"It takes {needed} to find an effect of {significant(answer.effect)} {often}.",
        (f"{found}{_asked(answer)}, {basis}.",),
    )


def _asked(answer: result.DetectableEffect | result.SampleSize) -> str:
    return f"{answer.target_power:.0%} power"


def _limits(answer: result.PlanningAnswer) -> Iterator[blocks.Text]:
    """Say what would be missed, and how misleading what is found will be."""
    if answer.aim or not answer.attainable:
        return
    said = [_half(answer)]
    if answer.type_m == answer.type_m:
        said.append(
            f"A significant result exaggerates the effect {answer.type_m:.2f} times on average "
            f"and has the wrong sign in {_rare(answer.type_s)}."
        )
    text = " ".join(part for part in said if part)
    if text:
        yield blocks.Text("limits", "What it will miss, and exaggerate", text)


def _rare(share: float) -> str:
    return "no case" if share == 0.0 else f"{share_text(share).replace('<', 'under ')} of cases"


def _half(answer: result.PlanningAnswer) -> str:
    """Say how often half of the effect would be found, where the line of the answer tells."""
    grid, line = answer.nearby, line_of(answer)
    if grid is None or line is None or by_size(grid):
        return ""
    rising = line.points[-1][1] >= line.points[0][1]
    null = grid.span[0] if rising else grid.span[1]
    half = 0.5 * (null + answer.effect)
    if not line.points[0][0] <= half <= line.points[-1][0]:
        return ""
    of = (
        f"Half of it ({significant(half)})"
        if null == 0.0
        else f"An effect of {significant(half)}"
    )
    return f"{of} is found in {percent(line.at(half))} of such evaluations."


def size_of(answer: result.PlanningAnswer) -> int:
    """Return the size of an answer; 0 where there is none."""
    return int(getattr(answer, "n_items", None) or 0)


def by_size(nearby: NearbyPower) -> bool:
    """Say whether the picture has sizes on its axis, and effects as lines."""
    return len(nearby.n_items) > len(nearby.effect)


def line_of(answer: result.PlanningAnswer, *, other: float | None = None) -> PowerLine | None:
    """Return the line of the answer itself, or of another size or effect of the grid."""
    nearby = answer.nearby
    if nearby is None:
        return None
    if by_size(nearby):
        effect = answer.effect if other is None else other
        place = nearby.effect.index(effect)
        xs: tuple[float, ...] = nearby.n_items
        powers = tuple(row[place] for row in nearby.power)
    else:
        n_items = size_of(answer) if other is None else int(other)
        xs, powers = nearby.effect, nearby.power[nearby.n_items.index(n_items)]
    known = zip(xs, powers, strict=True)
    points = tuple((float(x), power) for x, power in known if power is not None)
    return PowerLine("", points) if len(points) > 1 else None


def nearby(answer: result.PlanningAnswer, grid: NearbyPower) -> blocks.Table:
    """Return the power around an answer along its axis, for every line, and its own errors."""
    sized = by_size(grid)
    lines: tuple[float, ...] = grid.effect if sized else grid.n_items
    own = lines.index(answer.effect if sized else int(getattr(answer, "n_items", 0)))

    def of(cells: Cells, line: int) -> Callable[[int], float | None]:
        return lambda place: cells[place][line] if sized else cells[line][place]

    first = (
        blocks.Column(
            "n_items",
            result.plural(answer.unit, whole=False),
            "count",
            of=grid.n_items.__getitem__,
        )
        if sized
        else blocks.Column("effect", answer.scale, "text", of=lambda i: _cut(grid.effect[i]))
    )
    columns = [first]
    for line, value in enumerate(lines):
        name = significant(value) if sized else f"{value:,}"
        columns.append(
            blocks.Column(
                f"power_{value:g}", f"power: {name}", digits=3, of=of(grid.power, line)
            )
        )
    if not answer.aim:
        columns += [
            blocks.Column("type_m", "exaggeration", digits=2, keep=2, of=of(grid.type_m, own)),
            blocks.Column("type_s", "wrong sign", "p", keep=2, of=of(grid.type_s, own)),
        ]
    title = f"Power around it, by {'number and effect' if sized else 'effect and number'}"
    rows = range(len(grid.n_items if sized else grid.effect))
    return blocks.table("nearby", title, columns, rows, folded=True)


def _cut(value: float) -> float:
    """Return a point of an axis without the digits that only its spacing gave it."""
    return float(f"{value:.6g}")


def _numbers(answer: result.PlanningAnswer) -> list[tuple[str, object]]:
    first: dict[str, object] = {
        "power": answer.power,
        "Type-M (exaggeration)": answer.type_m,
        "Type-S (wrong sign)": "< 0.0001" if 0.0 < answer.type_s < 1e-4 else answer.type_s,
        "method": answer.method,
    }
    if not answer.aim and answer.attainable:
        first["accuracy, (1 − α) × power"] = answer.accuracy
    return [*first.items(), *answer.details.items()]


# --- What a curve of power shows ---


def show_power_curve(curve: result.PowerCurve) -> Iterator[blocks.Block]:
    """Show the smallest effect within reach, what each size can show, and every cell."""
    reached = any(point.power >= curve.target_power for point in curve.points)
    yield blocks.Verdict(
        "info" if reached else "warning",
        f"{curve_title(curve)}.",
        tuple(f"{line}." for line in _seen_by_size(curve)),
    )
    yield blocks.Pictures("planning_pictures:curve_charts", curve)
    yield power(curve)
    yield from blocks.notes(
        tuple(dict.fromkeys(n for point in curve.points for n in point.notes))
    )
    yield curve_methods(curve)


def power(curve: result.PowerCurve) -> blocks.Table:
    """Return sizes down, effects across, and the power in each cell.

    Examples
    --------
    >>> from detectable.planning.ask import power_curve
    >>> from detectable.planning.rank_sum import RankSum
    >>> power(power_curve(RankSum(), n_items=[1500], effect=[0.47])).texts()
    [('1,500', '0.812')]
    """
    methods = " and ".join(sorted({point.method for point in curve.points}))
    columns = [
        blocks.Column(
            "n_items", result.plural(curve.unit, whole=False), "count", of=lambda n: n
        )
    ]
    columns += [
        blocks.Column(f"{effect:g}", f"{effect:g}", digits=3, of=partial(_power, curve, effect))
        for effect in curve.effect
    ]
    title = f"Power by size and effect (α = {curve.alpha:g}, {methods})"
    return blocks.table("power", title, columns, curve.n_items)


def curve_title(curve: result.PowerCurve) -> str:
    """Say the smallest effect that the grid shows, and the size that it takes."""
    reached = [point for point in curve.points if point.power >= curve.target_power]
    if not reached:
        best = max(curve.points, key=lambda point: point.power)
        return f"No size and effect of this grid reaches {curve.target_power:.0%} power: {best.power:.0%} at most"
    nearest = min(abs(point.effect - curve.null_effect) for point in reached)
    least = min(
        (p for p in reached if abs(p.effect - curve.null_effect) == nearest),
        key=lambda point: point.n_items,
    )
    return (
        f"{curve.target_power:.0%} power needs {result.units(least.n_items, curve.unit)} for "
        f"{significant(least.effect)}"
    )


def show_power_curves(found: result.PowerCurves) -> Iterator[blocks.Block]:
    """Show how far what is assumed matters, and every cell under every assumption."""
    yield blocks.Verdict("info", f"{curves_title(found)}.")
    yield blocks.Pictures("planning_pictures:curves_charts", found)
    yield power_by_assumption(found)
    yield from blocks.notes(_first_notes(found))
    yield curve_methods(found.curves[0], assumptions=len(found.curves))


def curves_title(found: result.PowerCurves) -> str:
    """Say how far the assumptions matter: where one size, or effect, has the lowest and highest power."""
    shared = [
        (n, e)
        for n in found.curves[0].n_items
        for e in found.curves[0].effect
        if all(e in curve.effect for curve in found.curves)
    ]
    if not shared:
        return "Power under several assumptions"
    ranges = {at: [curve.at(*at).power for curve in found.curves] for at in shared}
    n, e = max(ranges, key=lambda at: max(ranges[at]) - min(ranges[at]))
    low, high = min(ranges[n, e]), max(ranges[n, e])
    if percent(low) == percent(high):
        return f"{result.units(n, found.curves[0].unit)} find {significant(e)} with {percent(low)} power, whatever is assumed"
    who = result.units(n, found.curves[0].unit)
    return f"{who} find {significant(e)} with {percent(low)} to {percent(high)} power, by what is assumed"


def _first_notes(found: result.PowerCurves) -> tuple[str, ...]:
    """Return the notes of the first sizes; those of others differ in their numbers only."""
    every = tuple(
        dict.fromkeys(
            n for curve in found.curves for point in curve.points for n in point.notes
        )
    )
    if len(every) <= _NOTES:
        return every
    more = f"{count(len(every) - _NOTES, 'note')} more on other sizes and assumptions: --json."
    return (*every[:_NOTES], more)


def power_by_assumption(found: result.PowerCurves) -> blocks.Table:
    """Return assumptions and sizes down, effects across, and the power in each cell."""
    first = found.curves[0]
    effects = sorted({e for curve in found.curves for e in curve.effect})
    methods = " and ".join(
        sorted({point.method for curve in found.curves for point in curve.points})
    )
    columns = [
        blocks.Column("assumed", "assumed", "name", of=lambda row: row[0]),
        blocks.Column(
            "n_items", result.plural(first.unit, whole=False), "count", of=lambda row: row[2]
        ),
    ]
    columns += [
        blocks.Column(f"{e:g}", f"{e:g}", digits=3, of=partial(_power_of, e)) for e in effects
    ]
    rows = [
        (name, curve, n)
        for name, curve in zip(found.names, found.curves, strict=True)
        for n in curve.n_items
    ]
    title = f"Power by assumption, size and effect (α = {first.alpha:g}, {methods})"
    missing = any(len(curve.effect) < len(effects) for curve in found.curves)
    note = "–: not possible under this assumption." if missing else ""
    return blocks.table("power", title, columns, rows, note=note)


def _power_of(effect: float, row: tuple[str, result.PowerCurve, int]) -> float | None:
    _, curve, n = row
    return curve.at(n, effect).power if effect in curve.effect else None


def say_power_curves(found: result.PowerCurves) -> str:
    """Say how far what is assumed matters, then the lines of every curve."""
    parts = [f"{curves_title(found)}."]
    for name, curve in zip(found.names, found.curves, strict=True):
        parts.append(f"{capital(name)}: {'; '.join(_seen_by_size(curve))}.")
    return "\n".join(parts)


def _power(curve: result.PowerCurve, effect: float, n_items: int) -> float:
    return curve.at(n_items, effect).power


def _basis(answer: result.PlanningAnswer) -> str:
    """Say what documents cost, and what was assumed."""
    return " ".join(filter(None, (resemblance(answer), answer.assumed)))


def _aim(answer: result.PlanningAnswer, verb: str) -> str:
    """Return ``show an effect of 0.3``, or the claim and the difference it is planned for."""
    if not answer.aim:
        return f"{verb} an effect of {answer.effect:g}"
    true = "nothing differs" if answer.effect == 0.0 else f"the difference is {answer.effect:g}"
    return f"show {answer.aim} if {true}"


def resemblance(answer: result.PlanningAnswer) -> str:
    """Say what it costs that items of a document resemble each other; nothing without documents."""
    known = answer.details.get("design_effect")
    if known is None:
        return ""
    effect = float(known)
    start = (
        f"Items of a document resemble each other: design effect {effect:.1f}"
        if effect > _ALIKE
        else f"Items of a document hardly resemble each other: design effect {effect:.1f}"
    )
    alone = answer.details.get("items_alone")
    if alone is None:
        return f"{start}."
    return f"{start}; {count(int(alone), 'item')} would do if they stood alone."


def evaluation(answer: result.PlanningAnswer, n: int) -> str:
    """Return the size of an evaluation: ``69 documents of 5 items (345 items)``."""
    said = result.units(n, answer.unit)
    if "per_document" not in answer.details:
        return said
    each, total = float(answer.details["per_document"]), int(answer.details["total_items"])
    return f"{said} of {each:.3g} items ({count(total, 'item')})"


def say_planning_answer(answer: Answer) -> str:
    """Say the answer, how misleading what is seen will be, and what it rests on."""
    return " ".join(_sentences(answer))


def _sentences(answer: Answer) -> list[str]:
    none = not answer.attainable or answer.n_items is None
    if none and not isinstance(answer, result.PowerEstimate):
        return [f"not attainable: {answer.limit}"]
    if isinstance(answer, result.PowerEstimate):
        said = _said_power(answer)
    elif isinstance(answer, result.DetectableEffect):
        said = [_said_effect(answer)]
    else:
        error = "" if answer.n_items_error is None else f" ± {answer.n_items_error:.2g}"
        needed = evaluation(answer, int(answer.n_items or 0))
        said = [
            f"{needed}{error} to {_aim(answer, 'show')} ({_asked(answer)}, {_how(answer)})."
        ]
    return [*said, *filter(None, (_basis(answer),))]


def _how(answer: result.PlanningAnswer) -> str:
    return f"α = {answer.alpha:g}, {answer.method}"


def _said_power(answer: result.PowerEstimate) -> list[str]:
    error = "" if answer.standard_error is None else f" ± {answer.standard_error:.3f}"
    power, items = f"power {answer.power:.3f}{error}", evaluation(answer, answer.n_items)
    if answer.aim:
        return [
            f"{power} with {items} to {_aim(answer, 'show')} ({_how(answer)}).",
            f"Estimates that show it lie {answer.type_m:.2f} times as far from the margin as the "
            "truth, on average.",
        ]
    wrong = answer.type_s
    share = f"{wrong:.1%}" if wrong >= 0.001 or wrong == 0.0 else "under 0.1%"
    return [
        f"{power} to {_aim(answer, 'see')} with {items} ({_how(answer)}).",
        f"A significant result exaggerates the effect {answer.type_m:.2f} times on average "
        f"and has the wrong sign in {share} of cases.",
    ]


def _said_effect(answer: result.DetectableEffect) -> str:
    error = "" if answer.effect_error is None else f" ± {answer.effect_error:.2g}"
    least = f"{answer.effect:.4g}{error} or more"
    can = f"detect an effect of {least}"
    if answer.aim:
        can = f"show {answer.aim} if the difference is {least}"
    return f"{evaluation(answer, answer.n_items)} can {can} ({_asked(answer)}, {_how(answer)})."


def say_power_curve(curve: result.PowerCurve) -> str:
    """Say for every size the smallest effect of the grid that is seen with the power asked for."""
    return "\n".join(_seen_by_size(curve))


def _seen_by_size(curve: result.PowerCurve) -> list[str]:
    lines = []
    for n in curve.n_items:
        seen = [e for e in curve.effect if curve.at(n, e).power >= curve.target_power]
        nearest = min(seen, key=lambda e: abs(e - curve.null_effect), default=None)
        what = "none of the effects" if nearest is None else f"effects from {nearest:g}"
        lines.append(
            f"{result.units(n, curve.unit)}: {what} with at least {curve.target_power:.0%} power"
        )
    return lines


# --- The sizes that several effects need ---


def show_sample_sizes(found: result.SampleSizes) -> Iterator[blocks.Block]:
    """Show the sizes for every effect, a row for each scenario."""
    first, *rest = _needed_sizes(found)
    yield blocks.Verdict("info" if _sizes_known(found) else "warning", first, tuple(rest))
    yield blocks.Pictures("planning_pictures:size_charts", found)
    yield sizes(found)
    yield from blocks.notes(found.notes)
    yield sizes_methods(found)


def say_sample_sizes(found: result.SampleSizes) -> str:
    """Say what each effect takes."""
    return " ".join(_needed_sizes(found))


def sizes(found: result.SampleSizes) -> blocks.Table:
    """Return a row per scenario, and a column for each effect."""
    columns = []
    if len(found.groups) > 1 or found.groups[0].name:
        columns.append(blocks.Column("name", found.name.replace("-", " ") or "name", "name"))
    keys = [
        key for key in ("mean", "sd") if all(key in group.details for group in found.groups)
    ]
    columns += [
        blocks.Column(key, key, digits=2, keep=2, of=partial(_detail, key)) for key in keys
    ]
    columns += [
        blocks.Column(
            f"n_{effect:g}", f"for {effect:g}", "count", none="none", of=partial(_items, place)
        )
        for place, effect in enumerate(found.effect)
    ]
    title = (
        f"{capital(result.plural(found.unit))} by effect ({found.target_power:.0%} power, "
        f"α = {found.alpha:g})"
    )
    return blocks.table("sizes", title, columns, found.groups)


def _detail(key: str, group: result.SizesOf) -> float:
    return float(group.details[key])


def _items(place: int, group: result.SizesOf) -> int | None:
    one = group.points[place]
    return None if one is None else one.n_items


def _sizes_known(found: result.SampleSizes) -> bool:
    return any(_items(k, group) for group in found.groups for k in range(len(found.effect)))


def _needed_sizes(found: result.SampleSizes) -> list[str]:
    said = []
    for place, effect in enumerate(found.effect):
        needed = [n for group in found.groups if (n := _items(place, group)) is not None]
        if not needed:
            said.append(f"an effect of {effect:g} is out of reach")
            continue
        span = f"{min(needed):,}"
        if max(needed) > min(needed):
            span += f" to {max(needed):,}"
        what = f" {result.plural(found.unit)}" if not said else ""
        said.append(f"{'an effect of ' if not said else ''}{effect:g} takes {span}{what}")
    accuracy = (
        f"With {found.target_power:.0%} power at α = {found.alpha:g} about {found.accuracy:.0%} of "
        "such verdicts are right, if no two systems are equal."
    )
    return [f"{capital(', '.join(said))}.", accuracy]


# --- What parameters from real outputs say ---


def show_swap_fit(fit: "SwapFit") -> Iterator[blocks.Block]:
    """Show the parameters, and every plain value."""
    return show_plainly(fit, _parameters(fit), _additivity(fit))


def say_swap_fit(fit: "SwapFit") -> str:
    """Say the parameters and how far additivity is off."""
    return f"{_parameters(fit)} {_additivity(fit)}"


def _parameters(fit: "SwapFit") -> str:
    return (
        f"p0 = {fit.p0:.3f}, b0 = {fit.b0:.2f} from {fit.n_items:,} segments "
        f"({fit.metric}, difference {fit.difference:+.3f}); kurtosis {fit.kurtosis:.1f}, "
        "Laplace has 6."
    )


def _additivity(fit: "SwapFit") -> str:
    return (
        f"Swaps add up to {fit.additive_difference:+.3f}; random sets of swaps change the score by "
        f"{fit.additivity_slope:.3f} times the sum of their effects "
        f"(r = {fit.additivity_correlation:.3f})."
    )
