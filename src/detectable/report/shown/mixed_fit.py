"""What a mixed model shows."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from detectable.core.verdict import could_have_seen, in_numbers, in_words
from detectable.core.wording import capital, count, listing, number, p_statement, visible
from detectable.core.wording import interval as in_brackets
from detectable.mixed.predictions import ComponentTest, EffectPrediction, EffectPredictions
from detectable.mixed.result import POWER, MixedFit, SystemContrast
from detectable.mixed.simulate import Simulation
from detectable.report import blocks
from detectable.report.charts.forest import Difference, Panel, forest, sides
from detectable.report.charts.marks import Part, said_shapes, shares
from detectable.report.render.csv import to_csv
from detectable.report.shown.paper_tables import mixed_tables

_DIGITS = 3
_FEW = 3  # contrasts that are said in a sentence each
_MOST = 24  # rows of a forest
_TOLD = 12  # rows that are told one by one to those who cannot see
_FEW_DF = 30.0  # degrees of freedom below which a test asks for visibly more
_FAR = 4.0  # standard deviations of a residual that somebody should look at


def show_mixed_fit(fit: MixedFit) -> Iterator[blocks.Block]:
    """Show means, differences, what could not have been seen, and where the spread comes from."""
    yield _verdict(fit)
    yield means(fit)
    yield from mixed_tables(fit)
    yield from _forest(fit)
    yield _limits(fit)
    yield contrasts(fit)
    yield _spread(fit)
    yield components(fit)
    yield _checks(fit)
    yield from blocks.notes(fit.notes)
    yield _methods(fit)


def _verdict(fit: MixedFit) -> blocks.Verdict:
    if len(fit.contrasts) <= _FEW:
        first, *others = fit.contrasts
        said = (evidence(fit, first), *(_sentence(fit, contrast) for contrast in others))
        return blocks.Verdict("info", headline(fit, first), said)
    apart = sum(fit.verdict(contrast) != "undecided" for contrast in fit.contrasts)
    total = count(len(fit.contrasts), "difference")
    significant = f"{apart:,} of {total} {'is' if apart == 1 else 'are'} significant"
    baselines = {contrast.baseline for contrast in fit.contrasts}
    if len(baselines) > 1:
        return blocks.Verdict("info", f"{significant}.")
    named = [
        f"Rated {where}: {listing(found, most=blocks.LONG)}."
        for word, where in (("higher", "above"), ("lower", "below"))
        if (found := [c.system for c in fit.contrasts if fit.verdict(c) == word])
    ]
    head = f"Against {fit.contrasts[0].baseline}: {significant}."
    return blocks.Verdict("info", head, tuple(named))


def _name(fit: MixedFit, contrast: SystemContrast) -> str:
    if contrast.baseline is None:
        return contrast.system
    baselines = {one.baseline for one in fit.contrasts}
    if len(baselines) == 1 and len(fit.contrasts) > 1:
        return contrast.system
    return f"{contrast.system} − {contrast.baseline}"


def _forest(fit: MixedFit) -> Iterator[blocks.Chart]:
    """Yield the differences; for very many the table is easier to read."""
    if not 0 < len(fit.contrasts) <= _MOST:
        return
    ordered = sorted(fit.contrasts, key=lambda contrast: -contrast.estimate)
    rows = tuple(
        Difference(
            _name(fit, contrast),
            contrast.estimate,
            fit.joint_interval(contrast),
            contrast.interval,
            fit.verdict(contrast),
            fit.detectable(contrast),
        )
        for contrast in ordered
    )
    panel = Panel("rating", rows, digits=_DIGITS, directed=False)
    title = _title(fit, panel)
    told = [f"{row.name}: {_signed(row.value)}, {row.verdict}." for row in rows[:_TOLD]]
    if len(rows) > _TOLD:
        told.append(f"And {len(rows) - _TOLD} more in the table.")
    yield blocks.Chart(
        "differences",
        title,
        _caption(fit, panel),
        f"{title}. {' '.join(told)}",
        partial(forest, panel),
        "contrasts",
        key=True,
    )


def _signed(value: float) -> str:
    return number(value, digits=_DIGITS, sign=True, thousands=True)


def _title(fit: MixedFit, panel: Panel) -> str:
    if len(panel.rows) == 1:
        row = panel.rows[0]
        low, high = _signed(row.interval.low), _signed(row.interval.high)
        what = "change per unit" if fit.contrasts[0].baseline is None else row.name
        return f"{what}: {_signed(row.value)}, and anything from {low} to {high} fits the data"
    baselines = {contrast.baseline for contrast in fit.contrasts}
    whose = f"Difference from {baselines.pop()}" if len(baselines) == 1 else "Differences"
    return f"{whose}: {sides(row.interval for row in panel.rows)}"


def _caption(fit: MixedFit, panel: Panel) -> str:
    level = f"{1 - fit.alpha:.0%}"
    lines = f"Line: {level} interval."
    if len(fit.contrasts) > 1:
        every = count(len(fit.contrasts), "difference")
        lines = (
            f"Thin line and numbers: {level} interval over all {every}, as the verdict; thick: of "
            "the difference alone."
        )
    shapes = said_shapes([row.verdict for row in panel.rows])
    return f"{shapes} {lines} Grey bar: too small to be detected ({POWER:.0%} power)."


def _limits(fit: MixedFit) -> blocks.Text:
    """Say what such data find, and that raters and items count, not ratings."""
    dfs = sorted(contrast.df for contrast in fit.contrasts)
    seen = _range([fit.detectable(contrast) for contrast in fit.contrasts])
    what = "change per unit" if fit.contrasts[0].baseline is None else "difference"
    text = (
        f"With {_sizes(fit)} a true {what} of {seen} is found with {POWER:.0%} power. Smaller ones "
        f"are usually missed."
    )
    if dfs[0] < _FEW_DF:
        text += (
            f" The tests have {_span(dfs, 1)} degrees of freedom: so few raters, items or "
            f"documents are the limit, and not the number of ratings ({fit.n_ratings:,})."
        )
    return blocks.Text("limits", "What this evaluation could have shown", text)


def _sizes(fit: MixedFit, *, first: str = " × ") -> str:
    rated, *others = (count(n, role) for role, n in fit.groups.items())
    return first.join([rated, " × ".join(others)]) if others else rated


def _roles(fit: MixedFit) -> str:
    *first, last = (f"{role}s" for role in fit.groups)
    return f"{', '.join(first)} and {last}" if first else last


def _range(values: list[float]) -> str:
    known = sorted(value for value in values if not math.isnan(value))
    return _span(known, visible(known[0], _DIGITS)) if known else "unknown size"


def _span(ordered: list[float], digits: int) -> str:
    low, high = (number(value, digits=digits) for value in (ordered[0], ordered[-1]))
    return low if low == high else f"{low} to {high}"


def contrasts(fit: MixedFit) -> blocks.Table:
    """Return the differences between systems with their tests."""
    several = len(fit.contrasts) > 1
    level = f"{1 - fit.alpha:.0%} interval"
    columns = (
        blocks.Column("system", "system", "name"),
        blocks.Column("baseline", "against", "name"),
        blocks.Column("estimate", "estimate", digits=4, sign=True),
        blocks.Column(
            "interval_joint",
            f"joint {level}",
            "interval",
            digits=4,
            sign=True,
            help="over all differences, as the verdict",
            of=fit.joint_interval,
        )
        if several
        else None,
        blocks.Column(
            "interval",
            f"{level} alone" if several else level,
            "interval",
            digits=4,
            sign=True,
            keep=blocks.DATA_ONLY if several else 1,
        ),
        blocks.Column("standard_error", "SE", digits=4, keep=3),
        blocks.Column("df", "df", digits=1, keep=2),
        blocks.Column("t", "t", keep=4),
        blocks.Column("p_value", "p", "p", keep=blocks.DATA_ONLY if several else 1),
        blocks.Column("p_adjusted", "p corrected", "p", short="p corr.") if several else None,
        blocks.Column("verdict", "rated", "verdict", keep=2, of=fit.verdict),
    )
    return blocks.contrasts("contrasts", "Differences", columns, fit.contrasts)


def means(fit: MixedFit) -> blocks.Table:
    """Return the estimated mean of every system."""
    columns = (
        blocks.Column("system", "system", "name"),
        blocks.Column("mean", "mean", digits=4),
        blocks.Column("interval", f"{1 - fit.alpha:.0%} interval", "interval", digits=4),
        blocks.Column("standard_error", "SE", digits=4, keep=2),
        blocks.Column("n_ratings", "ratings", "count", keep=3),
    )
    return replace(blocks.table("means", "Means", columns, fit.systems), key=True)


def _spread(fit: MixedFit) -> blocks.Chart:
    """Return where the spread comes from, largest part first."""
    ordered = sorted(fit.components, key=lambda part: -part.share)
    parts = tuple(
        Part(
            part.name,
            part.share,
            (f"{part.share:.0%} (SD {number(part.sd, digits=3)})", f"{part.share:.0%}"),
            marked=_limiting(part.name),
        )
        for part in ordered
    )
    largest = ordered[0]
    title = f"The largest part of the spread is {_article(largest.name)}: {largest.share:.0%}"
    told = " ".join(f"{part.name}: {part.share:.1%}." for part in ordered)
    marked = [part.name for part in parts if part.marked]
    caption = "Share of the variance of one rating, and the standard deviation (SD)."
    if marked:
        caption += (
            f" Blue ({', '.join(marked)}): what raters, items or documents think of one system in "
            "particular; only more of them averages it out."
        )
    draw = partial(shares, parts)
    return blocks.Chart("spread", title, caption, f"{title}. {told}", draw, "components")


def _limiting(name: str) -> bool:
    """Say whether a spread is one of differences between systems."""
    return "slope" in name or "system" in name


def _article(name: str) -> str:
    return "noise (the residual)" if name == "residual" else f"the {name}"


def components(fit: MixedFit) -> blocks.Table:
    """Return where the spread comes from."""
    columns = (
        blocks.Column("name", "spread", "name"),
        blocks.Column("variance", "variance", digits=6, keep=2),
        blocks.Column("sd", "SD", digits=4),
        blocks.Column("share", "share", "share", digits=1),
    )
    note = f"Model: {fit.formula}." if fit.formula else ""
    return blocks.table(
        "components", "Where the spread comes from", columns, fit.components, note=note
    )


def _checks(fit: MixedFit) -> blocks.Text:
    """Return what the model assumes and how well it fits."""
    points: list[tuple[blocks.Mark, str]] = [
        (
            "ok",
            f"The claims are about {_roles(fit)} like these: ratings of one of them do not count as "
            "independent.",
        )
    ]
    if any(_limiting(part.name) for part in fit.components):
        points.append(
            (
                "ok",
                "How far systems differ may vary by rater, item or document (see the spread).",
            )
        )
    else:
        points.append(
            (
                "look",
                "No rater, item or document may favour a system in this model: where some do, its "
                "p-values are too small.",
            )
        )
    points += [("look", said) for said in _at_zero(fit)]
    far = max(abs(fit.residuals.minimum), abs(fit.residuals.maximum))
    ends = (
        f"Residuals lie between {number(fit.residuals.minimum, digits=1, sign=True)} and "
        f"{number(fit.residuals.maximum, digits=1, sign=True)} standard deviations"
    )
    if far > _FAR:
        points.append(("look", f"{ends}: look for slips in the ratings that are far off."))
    else:
        points.append(("ok", f"{ends}."))
    return blocks.Text("checks", "Assumptions and checks", points=tuple(points))


def _methods(fit: MixedFit) -> blocks.Methods:
    """Return the paragraph for a paper."""
    likelihood = "restricted maximum likelihood" if fit.reml else "maximum likelihood"
    model = f" ({fit.formula})" if fit.formula else ""
    several = len(fit.contrasts) > 1
    correction = (
        f" p-values were corrected for {count(len(fit.contrasts), 'comparison')} by Holm's "
        "procedure."
        if several
        else ""
    )
    seen = _range([fit.detectable(contrast) for contrast in fit.contrasts])
    found = "" if several else f" {_found(fit)}"
    paragraph = (
        f"We analysed {count(fit.n_ratings, 'rating')} by {_sizes(fit, first=' of ')} "
        f"with a linear mixed model with {_roles(fit)} as crossed "
        f"random effects{model}, fitted by {likelihood}. Differences between systems were tested "
        f"with Satterthwaite's degrees of freedom, two-sided, at α = {fit.alpha:g}.{correction}"
        f"{found} With this design a true difference of {seen} is found with {POWER:.0%} power."
    )
    cite = ("satterthwaite-1946", "barr-etal-2013", *(("holm-1979",) if several else ()))
    return blocks.Methods(paragraph, cite)


def _found(fit: MixedFit) -> str:
    """Say the one difference in the past tense of a paper."""
    contrast = fit.contrasts[0]
    word = fit.verdict(contrast)
    numbers = _numbers(fit, contrast)
    if contrast.baseline is None:
        return f"The rating changed with the system, per unit: {numbers}"
    if word == "undecided":
        return f"No difference between {contrast.system} and {contrast.baseline} was shown: {numbers}"
    where = "above" if word == "higher" else "below"
    return f"{contrast.system} was rated {where} {contrast.baseline}: {numbers}"


def say_mixed_fit(fit: MixedFit) -> str:
    """Say every contrast in a sentence, then where the spread comes from."""
    spread = ", ".join(f"{c.name} {c.sd:.3g}" for c in fit.components)
    rests = f"{count(fit.n_ratings, 'rating')}, {_sizes(fit)}. SDs: {spread}."
    said = [_sentence(fit, contrast) for contrast in fit.contrasts]
    return "\n".join([*said, rests, *(_at_zero(fit) if fit.singular else ())])


def _at_zero(fit: MixedFit) -> list[str]:
    zero = [part.name for part in fit.components if part.variance == 0.0]
    return [f"At zero: {', '.join(zero)}; the data show no such spread."] if zero else []


def _sentence(fit: MixedFit, contrast: SystemContrast) -> str:
    """Say what is shown of a contrast, with the interval of all contrasts together."""
    words, could = _words(fit, contrast), _could_have_seen(fit, contrast)
    return f"{words}: {_numbers(fit, contrast)} {could}".rstrip()


def _numbers(fit: MixedFit, contrast: SystemContrast) -> str:
    shown = in_numbers(
        contrast.estimate, fit.joint_interval(contrast), p=contrast.p_adjusted, digits=_DIGITS
    )
    return f"{shown} ({contrast.df:.1f} df)."


def headline(fit: MixedFit, contrast: SystemContrast) -> str:
    """Say it in one short sentence."""
    words = _words(fit, contrast)
    if fit.verdict(contrast) == "undecided" or contrast.baseline is None:
        words = capital(words)  # else it begins with a name
    return f"{words}: {number(contrast.estimate, digits=_DIGITS, sign=True)}."


def evidence(fit: MixedFit, contrast: SystemContrast) -> str:
    """Say what a headline leaves out: interval, p-value, and what could have been seen."""
    shown = in_brackets(fit.joint_interval(contrast), digits=_DIGITS, sign=True)
    said = f"{1 - fit.alpha:.0%} interval {shown}, {p_statement(contrast.p_adjusted)}"
    return f"{said} ({contrast.df:.1f} df). {_could_have_seen(fit, contrast)}".rstrip()


def _words(fit: MixedFit, contrast: SystemContrast) -> str:
    verdict = fit.verdict(contrast)
    if contrast.baseline is not None:
        return in_words(verdict, contrast.system, contrast.baseline, verb="rated")
    undecided = "undecided whether the rating changes"
    words = undecided if verdict == "undecided" else "the rating changes"
    return f"{words} with the system, per unit"


def _could_have_seen(fit: MixedFit, contrast: SystemContrast) -> str:
    if fit.verdict(contrast) != "undecided":
        return ""
    return could_have_seen(fit.detectable(contrast), power=POWER, digits=_DIGITS)


# --- What parts of a mixed model show: a variance tested, effects predicted, ratings simulated ---


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

_MOST_OF_MIXED_PARTS = 24  # rows of a forest


def show_effect_predictions(found: EffectPredictions) -> Iterator[blocks.Block]:
    """Show who lies farthest from the average, and every one of them."""
    ordered = sorted(found.effects, key=lambda row: -row.effect)
    high, low = ordered[0], ordered[-1]
    headline = (
        f"{count(len(ordered), found.factor)}, from {low.level} ({_signed_of_mixed_parts(low.effect)}) to "
        f"{high.level} ({_signed_of_mixed_parts(high.effect)})."
    )
    yield blocks.Verdict("info", headline)
    if len(ordered) <= _MOST_OF_MIXED_PARTS:
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


def _signed_of_mixed_parts(value: float) -> str:
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
    told = " ".join(
        f"{row.name}: {_signed_of_mixed_parts(row.value)}." for row in rows[: blocks.LONG]
    )
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
        f"{_name_of_mixed_parts(contrast)} = {number(truth, digits=3, sign=True)} is {word} in {power:.0%}.",
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
        blocks.Column(
            "contrast", "difference", "name", of=lambda row: _name_of_mixed_parts(row[0])
        ),
        blocks.Column("truth", "true size", digits=3, sign=True, of=lambda row: row[1]),
        blocks.Column("power", "significant", "share", digits=1, of=lambda row: row[2]),
        blocks.Column("standard_error", "± SE", "share", digits=1, of=lambda row: row[3]),
    )
    return blocks.table("power", "How often it is significant", columns, rows)


def _name_of_mixed_parts(contrast: tuple[str, str | None]) -> str:
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
