"""What `power`, `mde`, `sample_size` and curves of power show."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

from detectable.core.wording import how_often, significant
from detectable.planning.nearby import Cells, NearbyPower
from detectable.planning.result import (
    DetectableEffect,
    PlanningAnswer,
    PowerCurve,
    PowerEstimate,
    SampleSize,
    evaluation,
)
from detectable.report.blocks import (
    Block,
    Column,
    Repeat,
    Status,
    Table,
    Text,
    Verdict,
    notes,
    opening,
    table,
)
from detectable.report.charts.type_errors import share_text
from detectable.report.methods.planning import answer_methods, curve_methods
from detectable.report.shown.planning_pictures import (
    TARGET,
    answer_charts,
    by_size,
    curve_charts,
    curve_title,
    line_of,
    percent,
)


def show_planning_answer(answer: PlanningAnswer) -> Iterator[Block]:
    """Show the answer in a sentence, the power around it, and the numbers behind it."""
    yield _verdict(answer)
    charts = list(answer_charts(answer))
    yield from charts[:1]
    yield from _limits(answer)
    yield from charts[1:]
    columns = (
        Column("name", "quantity", "name", of=lambda pair: pair[0].replace("_", " ")),
        Column("value", "value", "text", of=lambda pair: pair[1]),
    )
    yield table("details", "Numbers behind it", columns, _numbers(answer))
    if charts and answer.nearby is not None:
        yield nearby(answer, answer.nearby)
    yield from notes(answer.notes)
    yield answer_methods(answer)
    yield Repeat(str(answer.signature))


def _verdict(answer: PlanningAnswer) -> Verdict:
    status: Status = "info" if answer.attainable else "warning"
    if answer.aim or not answer.attainable:
        said = answer.summary()
        return opening(status, said[:1].upper() + said[1:])
    basis_sentence = answer.basis()
    made = _in_words(answer, status)
    return made if not basis_sentence else replace(made, detail=(*made.detail, basis_sentence))


def _in_words(answer: PlanningAnswer, status: Status) -> Verdict:
    basis = f"α = {answer.alpha:g}, {answer.method}"
    if isinstance(answer, PowerEstimate):
        error = "" if answer.standard_error is None else f" ± {answer.standard_error:.3f}"
        return Verdict(
            status,
            f"With {evaluation(answer, answer.n_items)} an effect of {significant(answer.effect)} "
            f"is found {how_often(answer.power)}.",
            (f"Power {answer.power:.3f}{error} ({basis}).",),
        )
    if isinstance(answer, DetectableEffect):
        often = how_often(answer.target_power)
        error = "" if answer.effect_error is None else f" ± {answer.effect_error:.2g}"
        return Verdict(
            status,
            f"With {evaluation(answer, answer.n_items)} an effect of {significant(answer.effect)} "
            f"is found {often}; smaller ones less often.",
            (f"Smallest effect {answer.effect:.4g}{error} ({_asked(answer)}, {basis}).",),
        )
    if isinstance(answer, SampleSize):
        often = how_often(answer.target_power)
        needed = evaluation(answer, int(answer.n_items or 0))
        errors = answer.n_items_error
        found = "" if errors is None else f"{needed} ± {errors:.2g}; "
        return Verdict(
            status,
            f"It takes {needed} to find an effect of {significant(answer.effect)} {often}.",
            (f"{found}{_asked(answer)}, {basis}.",),
        )
    return opening(status, answer.summary())


def _asked(answer: DetectableEffect | SampleSize) -> str:
    return f"{answer.target_power:.0%} power"


def _limits(answer: PlanningAnswer) -> Iterator[Text]:
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
        yield Text("limits", "What it will miss, and exaggerate", text)


def _rare(share: float) -> str:
    return "no case" if share == 0.0 else f"{share_text(share).replace('<', 'under ')} of cases"


def _half(answer: PlanningAnswer) -> str:
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


def nearby(answer: PlanningAnswer, grid: NearbyPower) -> Table:
    """Return the power around an answer along its axis, for every line, and its own errors."""
    sized = by_size(grid)
    lines: tuple[float, ...] = grid.effect if sized else grid.n_items
    own = lines.index(answer.effect if sized else int(getattr(answer, "n_items", 0)))

    def of(cells: Cells, line: int) -> Callable[[int], float | None]:
        return lambda place: cells[place][line] if sized else cells[line][place]

    first = (
        Column(
            "n_items", f"{answer.unit.partition(' ')[0]}s", "count", of=grid.n_items.__getitem__
        )
        if sized
        else Column("effect", answer.scale, "text", of=lambda i: _cut(grid.effect[i]))
    )
    columns = [first]
    for line, value in enumerate(lines):
        name = significant(value) if sized else f"{value:,}"
        columns.append(
            Column(f"power_{value:g}", f"power: {name}", digits=3, of=of(grid.power, line))
        )
    if not answer.aim:
        columns += [
            Column("type_m", "exaggeration", digits=2, keep=2, of=of(grid.type_m, own)),
            Column("type_s", "wrong sign", "p", keep=2, of=of(grid.type_s, own)),
        ]
    title = f"Power around it, by {'number and effect' if sized else 'effect and number'}"
    rows = range(len(grid.n_items if sized else grid.effect))
    return table("nearby", title, columns, rows, folded=True)


def _cut(value: float) -> float:
    """Return a point of an axis without the digits that only its spacing gave it."""
    return float(f"{value:.6g}")


def _numbers(answer: PlanningAnswer) -> list[tuple[str, object]]:
    first = {
        "power": answer.power,
        "Type-M (exaggeration)": answer.type_m,
        "Type-S (wrong sign)": answer.type_s,
        "method": answer.method,
    }
    return [*first.items(), *answer.details.items()]


# --- What a curve of power shows ---


def show_power_curve(curve: PowerCurve) -> Iterator[Block]:
    """Show the smallest effect within reach, what each size can show, and every cell."""
    reached = any(point.power >= TARGET for point in curve.points)
    yield Verdict(
        "info" if reached else "warning",
        f"{curve_title(curve)}.",
        tuple(f"{line}." for line in curve.summary().splitlines()),
    )
    yield from curve_charts(curve)
    yield power(curve)
    yield from notes(tuple(dict.fromkeys(n for point in curve.points for n in point.notes)))
    yield curve_methods(curve)
    yield Repeat(str(curve.signature))


def power(curve: PowerCurve) -> Table:
    """Return sizes down, effects across, and the power in each cell.

    Examples
    --------
    >>> from detectable.planning.ask import power_curve
    >>> from detectable.planning.rank_sum import RankSum
    >>> power(power_curve(RankSum(), n_items=[1500], effect=[0.47])).texts()
    [('1,500', '0.812')]
    """
    noun = curve.unit.partition(" ")[0]
    methods = " and ".join(sorted({point.method for point in curve.points}))
    columns = [Column("n_items", f"{noun}s", "count", of=lambda n: n)]
    columns += [
        Column(f"{effect:g}", f"{effect:g}", digits=3, of=partial(_power, curve, effect))
        for effect in curve.effect
    ]
    title = f"Power by size and effect (α = {curve.alpha:g}, {methods})"
    return table("power", title, columns, curve.n_items)


def _power(curve: PowerCurve, effect: float, n_items: int) -> float:
    return curve.at(n_items, effect).power
