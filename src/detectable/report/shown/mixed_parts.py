"""What parts of a mixed model show: a variance tested, effects predicted, ratings simulated."""

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

from detectable.core.wording import count, number, p_statement
from detectable.mixed.component import ComponentTest
from detectable.mixed.predictions import EffectPrediction, EffectPredictions
from detectable.mixed.simulate import Simulation
from detectable.report import blocks
from detectable.report.charts.forest import Difference, Panel, forest, sides
from detectable.report.charts.marks import said_shapes
from detectable.report.render.csv import to_csv


def show_component_test(test: ComponentTest) -> Iterator[blocks.Block]:
    """Show whether the spread may be zero, and how that was tested."""
    p = p_statement(test.p_value)
    headline = f"{test.component}: standard deviation {test.sd:.3g}, {p}."
    yield blocks.Verdict(
        "info", headline, (f"Likelihood ratio {number(test.statistic)}, by {_how(test)}.",)
    )
    text = (
        "A large p-value does not show that the spread is zero: keep what the design calls for, "
        "whatever this test says."
    )
    yield blocks.Text("limits", "What this test does not say", text)
    columns = (
        blocks.Column("component", "spread", "name"),
        blocks.Column("sd", "SD", digits=4),
        blocks.Column("statistic", "likelihood ratio", short="LR"),
        blocks.Column("p_value", "p", "p"),
    )
    yield blocks.table("component", "The test", columns, (test,))
    paragraph = (
        f"Whether the {test.component} varies at all was tested by the fall of the criterion when it "
        f"is added, {_how(test)}: likelihood ratio {number(test.statistic)}, {p}."
    )
    yield blocks.Methods(paragraph)


def _how(test: ComponentTest) -> str:
    if not test.n_resamples:
        return "its distribution in large samples, half at zero"
    return f"a parametric bootstrap with {count(test.n_resamples, 'sample')}"


# --- What raters, items or documents show against the average one ---

_MOST = 24  # rows of a forest


def show_effect_predictions(found: EffectPredictions) -> Iterator[blocks.Block]:
    """Show who lies farthest from the average, and every one of them."""
    ordered = sorted(found.effects, key=lambda row: -row.effect)
    high, low = ordered[0], ordered[-1]
    headline = (
        f"{count(len(ordered), found.factor)}, from {low.level} ({_signed(low.effect)}) to "
        f"{high.level} ({_signed(high.effect)})."
    )
    yield blocks.Verdict("info", headline)
    if len(ordered) <= _MOST:
        yield _chart(found, ordered)
    text = (
        "These are predictions, drawn towards the average: the fewer ratings somebody has, the nearer "
        "to zero. No correction was made for how many there are."
    )
    yield blocks.Text("limits", "What this does not say", text)
    columns = (
        blocks.Column("level", found.factor, "name"),
        blocks.Column("effect", "effect", digits=3, sign=True),
        blocks.Column("interval", "interval", "interval", digits=3, sign=True),
        blocks.Column("standard_error", "SE", digits=3, keep=2),
        blocks.Column("n_ratings", "ratings", "count", keep=3),
    )
    folded = len(ordered) > blocks.LONG
    yield blocks.table("effects", "Against the average", columns, ordered, folded=folded)


def _signed(value: float) -> str:
    return number(value, digits=3, sign=True)


def _word(row: EffectPrediction) -> str:
    if row.interval.low > 0.0:
        return "higher"
    return "lower" if row.interval.high < 0.0 else "undecided"


def _chart(found: EffectPredictions, ordered: list[EffectPrediction]) -> blocks.Chart:
    rows = tuple(
        Difference(row.level, row.effect, row.interval, row.interval, _word(row))
        for row in ordered
    )
    panel = Panel("rating", rows, digits=3, directed=False)
    title = f"{count(len(rows), found.factor)} against the average one: {sides(row.interval for row in panel.rows)}"
    told = " ".join(f"{row.name}: {_signed(row.value)}." for row in rows[: blocks.LONG])
    shapes = said_shapes([row.verdict for row in rows])
    caption = f"{shapes} Line: {100 * ordered[0].interval.level:.3g}% interval of each alone."
    draw = partial(forest, panel)
    return blocks.Chart(
        "effects", title, caption, f"{title}. {told}", draw, "effects", key=True
    )


# --- What simulated ratings show: how often each difference was found ---


def show_simulation(found: Simulation) -> Iterator[blocks.Block]:
    """Show the power of every contrast, and how well it is known."""
    rows = list(
        zip(found.contrasts, found.truth, found.power, found.standard_errors, strict=True)
    )
    contrast, truth, power, _ = rows[0]
    word = "found" if truth else "called a difference"
    yield blocks.Verdict(
        "info",
        f"{_name(contrast)} = {number(truth, digits=3, sign=True)} is {word} in {power:.0%}.",
    )
    text = (
        f"From {count(found.n_simulations, 'simulation')} of the fitted model: whatever it gets wrong "
        "is wrong here too."
    )
    points: tuple[tuple[blocks.Mark, str], ...] = ()
    if found.n_failed:
        failed = f"{count(found.n_failed, 'fit')} failed and count as not significant."
        points = (("look", failed),)
    yield blocks.Text("limits", "What this does not say", text)
    yield _powers(found)
    if points:
        yield blocks.Text("checks", "Assumptions and checks", points=points)
    paragraph = (
        f"Power was simulated from the fitted mixed model ({count(found.n_simulations, 'simulation')}, "
        f"two-sided α = {found.alpha:g})."
    )
    yield blocks.Methods(paragraph)


def _powers(found: Simulation) -> blocks.Table:
    rows = list(
        zip(found.contrasts, found.truth, found.power, found.standard_errors, strict=True)
    )
    columns = (
        blocks.Column("contrast", "difference", "name", of=lambda row: _name(row[0])),
        blocks.Column("truth", "true size", digits=3, sign=True, of=lambda row: row[1]),
        blocks.Column("power", "significant", "share", digits=1, of=lambda row: row[2]),
        blocks.Column("standard_error", "± SE", "share", digits=1, of=lambda row: row[3]),
    )
    return blocks.table("power", "How often it is significant", columns, rows)


def _name(contrast: tuple[str, str | None]) -> str:
    system, baseline = contrast
    return system if baseline is None else f"{system} − {baseline}"


# --- Predicted effects of raters and items as a spreadsheet ---

HEADER = ("factor", "level", "system", "effect", "standard_error", "n_ratings")


def effects_csv(predictions: Iterable[EffectPredictions]) -> str:
    """Return all predicted effects, one row per level, and one per system where it matters."""
    rows: list[tuple[Any, ...]] = []
    for one in predictions:
        for row in one.effects:
            rows.append(
                (one.factor, row.level, "", row.effect, row.standard_error, row.n_ratings)
            )
            rows += [
                (one.factor, row.level, name, value, row.by_system_errors[name], row.n_ratings)
                for name, value in row.by_system.items()
            ]
    return to_csv(HEADER, rows)


def say_effect_predictions(found: EffectPredictions) -> str:
    """Name both ends."""
    low = min(found.effects, key=lambda row: row.effect)
    high = max(found.effects, key=lambda row: row.effect)
    return (
        f"{count(len(found.effects), found.factor)}: lowest {low.level} ({low.effect:+.3g} "
        f"± {low.standard_error:.2g}), highest {high.level} ({high.effect:+.3g} "
        f"± {high.standard_error:.2g})."
    )


def say_simulation(found: Simulation) -> str:
    """Say how often each contrast was found."""
    lines = []
    for (system, other), true, share, error in zip(
        found.contrasts, found.truth, found.power, found.standard_errors, strict=True
    ):
        name = system if other is None else f"{system} − {other}"
        lines.append(
            f"{name} = {true:+.3g} is significant in {share:.1%} ± {error:.1%} of "
            f"{count(found.n_simulations, 'simulation')} (alpha {found.alpha:g})."
        )
    if found.n_failed:
        lines.append(f"{count(found.n_failed, 'fit')} failed, counted as not significant.")
    return "\n".join(lines)


def say_component_test(test: ComponentTest) -> str:
    """Say the result in one sentence."""
    how = test.method if not test.n_resamples else f"bootstrap, {test.n_resamples:,} samples"
    return (
        f"{test.component}: SD {test.sd:.3g}, likelihood ratio {test.statistic:.2f}, "
        f"{p_statement(test.p_value)} ({how})."
    )
