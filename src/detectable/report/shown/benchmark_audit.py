"""What the audit of a benchmark shows."""

import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from detectable.core.wording import count, number, p_statement
from detectable.report import blocks
from detectable.report.charts.past import MOST_STUDIES as MOST
from detectable.report.charts.past import (
    Exaggerated,
    SetCells,
    TaskLimit,
    study_effects,
    task_limits,
)
from detectable.report.charts.past import two_sets as draw_two_sets
from detectable.report.charts.runs import Values, histograms
from detectable.report.charts.theme import Spec
from detectable.study.audit.benchmark_audit import BenchmarkAudit, LookBack, PastClaim
from detectable.study.audit.leaderboard_pairs import TwoSets
from detectable.study.audit.survey_audit import SizeBand, SurveyAudit
from detectable.study.audit.tables import LARGE, SMALL, Reporting


def show_benchmark_audit(result: BenchmarkAudit) -> Iterator[blocks.Block]:
    """Show which tasks can still support a comparison, and how past claims stand."""
    first, *rest = findings(result)
    lost = any(task.support == "no" for task in result.tasks)
    yield blocks.Verdict("warning" if lost else "info", first, tuple(rest))
    yield chart(result)
    yield _limits(result)
    yield tasks(result)
    if result.two_sets is not None:
        yield from sets_chart(result.two_sets)
        yield two_sets(result.two_sets)
        yield best_systems(result.two_sets)
    if result.look_back:
        yield from powers(result)
        yield look_back(result)
    if result.claims:
        yield claims(result)
    yield from blocks.notes(result.notes)
    yield _methods(result)


def two_sets(found: TwoSets) -> blocks.Table:
    """Return what development data tell of the test set."""
    rows = [
        ("pairs of systems", f"{found.n_pairs:,}"),
        ("differences on both sets: r", number(found.r_difference, digits=3)),
    ]
    if not math.isnan(found.r_agreement):
        rows.append(("agreement on both sets: r", number(found.r_agreement, digits=3)))
    rows.append(("systems that beat the best so far", f"{found.n_best:,}"))
    if not math.isnan(found.agreement_r_squared):
        rows += [
            ("their agreement, regression: R²", number(found.agreement_r_squared, digits=3)),
            ("intercept", number(found.intercept, digits=4)),
            ("per unit of accuracy", number(found.accuracy, digits=4, sign=True)),
            ("per unit of gain", number(found.difference, digits=4, sign=True)),
        ]
    columns = (
        blocks.Column("what", "quantity", "name", of=lambda row: row[0]),
        blocks.Column("value", "value", "text", of=lambda row: row[1]),
    )
    note = (
        ""
        if not math.isnan(found.r_agreement)
        else (
            "Agreement on the test set is not known: that on development data stands in for it."
        )
    )
    return blocks.table("two-sets", "Development data and test set", columns, rows, note=note)


def sets_chart(found: TwoSets) -> Iterator[blocks.Chart]:
    """Yield all pairs on both sets, as figure 9 of Card et al. (2020) has them."""
    if not found.alike:
        return
    r = {"difference": found.r_difference, "agreement": found.r_agreement}
    names = {"difference": "Differences, in points", "agreement": "Agreement, in percent"}
    known = [what for what in names if any(one.what == what for one in found.alike)]
    panels = [
        SetCells(
            f"{names[what]}: r = {number(r[what], digits=3)}",
            [
                (100.0 * one.development, 100.0 * one.test, one.n_pairs)
                for one in found.alike
                if one.what == what
            ],
            signed=what == "difference",
        )
        for what in known
    ]
    said = f"r = {number(found.r_difference, digits=3)}"
    title = f"Development data tell differences on the test set at {said}"
    yield blocks.Chart(
        "sets",
        title,
        f"All {found.n_pairs:,} pairs of systems, nearby ones as one dot: the larger, the more pairs. "
        "Dashed: the same on both.",
        f"{title}. {found.n_pairs:,} pairs of systems; {'; '.join(one.title for one in panels)}.",
        partial(_draw_sets, tuple(panels)),
        "two-sets",
    )


def _draw_sets(panels: Sequence[SetCells], width: int) -> Spec:
    return draw_two_sets(panels, width=width)


def best_systems(found: TwoSets) -> blocks.Table:
    """Return the chain of best systems; as CSV it is a prior of its own."""
    columns = (
        blocks.Column("system", "system", "name"),
        blocks.Column("baseline", "to beat", digits=4),
        blocks.Column("improvement", "gain", digits=4, sign=True),
        blocks.Column("agreement", "agreement", digits=4),
    )
    return blocks.table(
        "pairs",
        "Systems that beat the best so far",
        columns,
        found.best,
        note="As --csv pairs:FILE it is what --prior takes.",
        folded=True,
    )


def _regression(result: BenchmarkAudit) -> str:
    """Say how far accuracy and task explain the gains."""
    return (
        f"Accuracy to beat {'and task explain' if len(result.tasks) > 1 else 'explains'} "
        f"{_percent(result.r_squared)} of the variance of the claimed gains (R² = "
        f"{number(result.r_squared, digits=3)})."
    )


def chart(result: BenchmarkAudit) -> blocks.Chart:
    """Return what each task can show beside its claims."""
    drawn = tuple(
        TaskLimit(
            task.task,
            None if task.mde is None else 100.0 * task.mde,
            100.0 * (1.0 - task.best),
            tuple(
                (100.0 * claim.gain, claim.significant)
                for claim in result.claims
                if claim.task == task.task
            ),
            100.0 * task.predicted_improvement,
        )
        for task in result.tasks
    )
    title = _title(result)
    marks = ["Grey: too small to be seen"]
    if result.claims:
        marks.append("● past claim that would have been significant, ○ other")
    if any(not math.isnan(task.predicted_improvement) for task in result.tasks):
        marks.append("Orange tick: what is to be expected next")
    told = " ".join(
        f"{task.task}: {'none' if task.mde is None else number(100.0 * task.mde)} of "
        f"{count(task.n_items, 'item')}."
        for task in result.tasks
    )
    return blocks.Chart(
        "tasks",
        title,
        f"{'. '.join(marks)}. {result.power:.0%} power, α = {result.alpha:g}.",
        f"{title}. Smallest improvement seen, in points: {told}",
        partial(task_limits, drawn),
        "tasks",
        key=True,
    )


def _title(result: BenchmarkAudit) -> str:
    seen = sorted(100.0 * task.mde for task in result.tasks if task.mde is not None)
    if not seen:
        return f"None of {count(len(result.tasks), 'task')} can show any improvement"
    low, high = number(seen[0]), number(seen[-1])
    span = low if low == high else f"{low} to {high}"
    said = f"Improvements of {span} points can be seen"
    none = len(result.tasks) - len(seen)
    return f"{said}; on {count(none, 'task')} none can" if none else said


def _limits(result: BenchmarkAudit) -> blocks.Text:
    """Say which next improvements are out of reach."""
    known = [task for task in result.tasks if not math.isnan(task.predicted_improvement)]
    single = len(result.tasks) == 1
    lost = [
        task.task for task in known if task.mde is None or task.predicted_improvement < task.mde
    ]
    said = []
    if known and single:
        can = "too small to be seen" if lost else "large enough to be seen"
        said.append(
            f"The improvement to be expected next is {can} with {result.power:.0%} power."
        )
    elif known:
        said.append(
            f"On {len(lost):,} of {count(len(known), 'task')} the improvement to be expected next is "
            f"too small to be seen with {result.power:.0%} power"
            + (f": {', '.join(lost)}." if lost else ".")
        )
    if not math.isnan(result.r_squared):
        said.append(_regression(result))
    return blocks.Text(
        "limits", "What each task could show", " ".join([*said, _assumed(result)])
    )


def powers(result: BenchmarkAudit) -> Iterator[blocks.Chart]:
    """Yield the power of every past claim for the gain that was to be expected."""
    found = tuple(claim.power for claim in result.claims if not math.isnan(claim.power))
    if not found:
        return
    back = result.look_back[0]
    title = (
        f"{100.0 * back.underpowered:.0f}% of {count(back.n_claims, 'past claim')} had less than "
        f"{result.power:.0%} power for the gain to be expected"
    )
    middle = sorted(found)[len(found) // 2]
    yield blocks.Chart(
        "power",
        title,
        f"Blue: {result.power:.0%} or more. Each claim at the gain that the other claims predict "
        "for it; its own would only restate its p-value.",
        f"{title}. The median power is {number(middle)}.",
        partial(
            histograms,
            [Values("Past claims by their power", count(len(found), "claim"), found)],
            cut=result.power,
            said=f"{result.power:.0%}",
            axis="power",
            good="above",
            end=1.0,
            format=".0%",
        ),
        "claims",
    )


def claims(result: BenchmarkAudit) -> blocks.Table:
    """Return every claim, in points of accuracy."""
    columns = (
        blocks.Column("task", "task", "name"),
        blocks.Column("before", "to beat", digits=1, of=_points("before")),
        blocks.Column("gain", "claim", sign=True, of=_points("gain")),
        blocks.Column(
            "predicted", "to be expected", sign=True, short="expected", of=_points("predicted")
        ),
        blocks.Column("power", "power", keep=2),
        blocks.Column("significant", "significant", "text", short="sign.", of=_significant),
    )
    rows = result.claims
    note = "In points. To be expected: what the other claims predict; power for that gain."
    return blocks.table(
        "claims", "Every claim", columns, rows, note=note, folded=len(rows) > blocks.LONG
    )


def _significant(claim: PastClaim) -> str | None:
    return None if claim.significant is None else ("yes" if claim.significant else "no")


def _methods(result: BenchmarkAudit) -> blocks.Methods:
    said = (
        f"For {count(len(result.tasks), 'task')} we computed the smallest improvement over the best "
        f"system that McNemar's exact test shows with {result.power:.0%} power at α = "
        f"{result.alpha:g} (Card et al., 2020), taking how often two systems agree from "
        f"{result.assumption}. {_title(result)}."
    )
    if result.look_back:
        back = result.look_back[0]
        said += (
            f" Of {count(back.n_claims, 'past claim')}, {100.0 * back.underpowered:.1f}% had less "
            "power than that for the gain which a regression on the other claims predicts."
        )
    return blocks.Methods(said, ("card-etal-2020",))


def tasks(result: BenchmarkAudit) -> blocks.Table:
    """Return one row per task, in points of accuracy."""
    columns = (
        blocks.Column("task", "task", "name"),
        blocks.Column("n_items", "items", "count"),
        blocks.Column("best", "best", digits=1, of=_points("best")),
        blocks.Column("mde", "MDE", of=_points("mde"), none="none"),
        blocks.Column(
            "mde_normal", "MDE, normal", of=_points("mde_normal"), none="none", keep=3
        ),
        blocks.Column("n_claims", "claims", "count", keep=2),
        blocks.Column(
            "mean_improvement", "mean claim", of=_points("mean_improvement"), short="mean"
        ),
        blocks.Column("predicted_improvement", "next", of=_points("predicted_improvement")),
        blocks.Column("support", "can show it", "text", short="shows"),
    )
    note = (
        f"In points. MDE: smallest improvement seen with {result.power:.0%} power, none where the "
        "best leaves less. Next: improvement to be expected of the next system."
    )
    return blocks.table("tasks", "What each task can show", columns, result.tasks, note=note)


def look_back(result: BenchmarkAudit) -> blocks.Table:
    """Return the shares of past claims, by both forms of the test."""
    columns = (
        blocks.Column("method", "McNemar", "text"),
        blocks.Column("n_claims", "claims", "count"),
        blocks.Column("powered", "powered", "share", digits=1, keep=2),
        blocks.Column("underpowered", "underpowered", "share", digits=1, short="under"),
        blocks.Column("significant", "significant", "share", digits=1, short="sign."),
        blocks.Column("powered_and_significant", "both", "share", digits=1),
        blocks.Column(
            "significant_among_powered",
            "significant of powered",
            "share",
            digits=1,
            short="of powered",
            keep=3,
        ),
    )
    note = "Each claim at the gain that the other claims predict for it."
    return blocks.table("look-back", "Past claims", columns, result.look_back, note=note)


def _points(field: str) -> Callable[[Any], float | None]:
    def value(row: Any) -> float | None:
        fraction = getattr(row, field)
        return None if fraction is None else 100.0 * fraction

    return value


def say_benchmark_audit(result: BenchmarkAudit) -> str:
    """Say which tasks can no longer support a comparison, and how past claims stand."""
    return " ".join([*findings(result), _assumed(result)])


def _every(n: int) -> str:
    return "The only task" if n == 1 else f"All {count(n, 'task')}"


def findings(result: BenchmarkAudit) -> list[str]:
    """Say what can no longer be shown, and how past claims stand."""
    judged = [task for task in result.tasks if task.support != "unknown"]
    sentences = []
    if judged:
        lost = [task.task for task in judged if task.support == "no"]
        wanted = (
            "the improvement that is typically claimed"
            if result.target_difference is None
            else f"an improvement of {number(100.0 * result.target_difference)} points"
        )
        sentences.append(
            f"{len(lost)} of {count(len(judged), 'task')} can no longer show {wanted}: "
            f"{', '.join(lost)}."
            if lost
            else f"{_every(len(judged))} can show {wanted}."
        )
        later = [task.task for task in judged if task.support == "not the next"]
        if later and len(judged) == 1:
            sentences.append("It cannot show the smaller one that is to be expected next.")
        elif later:
            sentences.append(
                f"{len(later)} more cannot show the smaller one that is to be expected next: "
                f"{', '.join(later)}."
            )
    else:
        sentences.append(
            f"{count(len(result.tasks), 'task')} without a claim: what each can show is below."
        )
    if result.look_back:
        sentences.append(_back(result.look_back[0], result.power))
    return sentences


def _assumed(result: BenchmarkAudit) -> str:
    return (
        f"Agreement of two systems: {result.assumption} ({result.power:.0%} power, α = "
        f"{result.alpha:g})."
    )


def _percent(share: float) -> str:
    return f"{100.0 * share:.1f}%"


def _back(back: LookBack, power: float) -> str:
    return (
        f"Of {count(back.n_claims, 'past claim')} {_percent(back.powered)} had at least "
        f"{power:.0%} power for the gain to be expected ({_percent(back.underpowered)} were "
        f"underpowered), {_percent(back.significant)} would have been significant, "
        f"{_percent(back.powered_and_significant)} were both."
    )


# --- What the audit of a survey of studies shows ---


def show_survey_audit(result: SurveyAudit) -> Iterator[blocks.Block]:
    """Show whether size and effect go together, and studies by size."""
    first, second, *rest = _sentences(result)
    yield blocks.Verdict("info", first, (second,))
    yield chart_of_survey(result)
    yield _limits_of_survey_audit(rest)
    if result.reporting is not None:
        yield reporting(result, result.reporting)
    yield bands(result)
    yield studies(result)
    yield from blocks.notes(result.notes)
    yield _methods_of_survey_audit(result)


def chart_of_survey(result: SurveyAudit) -> blocks.Chart:
    """Return the effects of all studies by their size."""
    exaggerated = tuple(
        Exaggerated(band.n, result.assumed_effect * band.type_m)
        for band in result.bands
        if not math.isnan(band.type_m)
    )
    title = _title_of_survey_audit(result)
    caption = (
        f"A dot is a study{'' if result.sizes.size <= MOST else '; a part of them is drawn'}."
    )
    assumed = number(result.assumed_effect, digits=result.digits)
    if exaggerated:
        caption += (
            f" Green, dashed: the true effect that is assumed, {assumed}. Orange: what a significant "
            "result of that size would show on average if it is true."
        )
    told = " ".join(
        f"{count(band.n_studies, 'study', 'studies')} of {_range(band)} items: median effect "
        f"{number(band.median_effect, digits=result.digits, sign=True)}."
        for band in result.bands
    )
    return blocks.Chart(
        "studies",
        title,
        caption,
        f"{title}. {told}",
        partial(
            study_effects,
            tuple(result.sizes.tolist()),
            tuple(result.effects.tolist()),
            assumed=result.assumed_effect,
            exaggerated=exaggerated,
        ),
        "studies",
        key=True,
    )


def _title_of_survey_audit(result: SurveyAudit) -> str:
    of = f"Of {count(result.n_studies, 'study', 'studies')}"
    if math.isnan(result.tau):
        return f"{of} size and effect cannot be compared"
    if result.p_value > result.alpha:
        what = "larger ones report neither larger nor smaller effects, as far as shown"
    else:
        what = f"larger ones report {'smaller' if result.tau < 0.0 else 'larger'} effects"
    return f"{of}, {what}: τ = {number(result.tau, digits=3)}"


def _limits_of_survey_audit(said: list[str]) -> blocks.Text:
    """Say what a typical study could have shown; where noise is not known, that it is not."""
    text = " ".join(said) or (
        "Nothing is known about the noise of a study, so that its power cannot be told."
    )
    return blocks.Text("limits", "What a study could have shown", text)


def reporting(result: SurveyAudit, found: Reporting) -> blocks.Table:
    """Return what the studies say of themselves, and what they do not."""
    rows: list[tuple[str, str]] = [("comparisons", f"{found.n_studies:,}")]
    if found.n_papers is not None:
        rows.append(("papers", f"{found.n_papers:,}"))
    rows += [
        ("spread of effects (SD)", number(found.effect_sd, digits=result.digits)),
        (f"at most {SMALL} items", _share(found.small)),
        (f"more than {LARGE} items", _share(found.large)),
        ("items not stated", _share(found.items_missing)),
    ]
    for what, missing, usual, share in (
        (
            "ratings per item",
            found.ratings_missing,
            found.usual_ratings,
            found.usual_ratings_share,
        ),
        ("raters", found.raters_missing, found.usual_raters, found.usual_raters_share),
    ):
        if missing is not None:
            rows.append((f"{what} not stated", _share(missing)))
        if usual is not None and share is not None:
            rows.append((f"{usual} {what}, the most frequent", _share(share)))
    columns = (
        blocks.Column("what", "quantity", "name", of=lambda row: row[0]),
        blocks.Column("value", "value", "text", of=lambda row: row[1]),
    )
    note = "Shares of sizes and numbers are of those that are stated."
    return blocks.table("reporting", "What the studies report", columns, rows, note=note)


def _share(share: float) -> str:
    return f"{100.0 * share:.1f}%"


def studies(result: SurveyAudit) -> blocks.Table:
    """Return size and effect of every study."""
    columns = (
        blocks.Column("n", "items", digits=0, of=lambda row: row[0]),
        blocks.Column(
            "effect", "effect", digits=result.digits, sign=True, of=lambda row: row[1]
        ),
    )
    rows = sorted(zip(result.sizes.tolist(), result.effects.tolist(), strict=True))
    return blocks.table("studies", "Every study", columns, rows, folded=len(rows) > blocks.LONG)


def _methods_of_survey_audit(result: SurveyAudit) -> blocks.Methods:
    said = (
        f"Size and effect of {count(result.n_studies, 'study', 'studies')} were compared by Kendall's "
        f"τ-b (Card et al., 2020): τ = {number(result.tau, digits=3)}, {p_statement(result.p_value)} "
        "(two-sided)."
    )
    if result.noise:
        said += (
            " Power and the average exaggeration of significant results (Type-M error; Gelman and "
            f"Carlin, 2014) are for a true effect of {number(result.assumed_effect, digits=result.digits)} "
            f"at α = {result.alpha:g}, assuming {result.noise}."
        )
    return blocks.Methods(
        said, ("card-etal-2020", *(("gelman-carlin-2014",) if result.noise else ()))
    )


def bands(result: SurveyAudit) -> blocks.Table:
    """Return one row per band of sizes: what the studies saw, and what they exaggerate."""
    known = bool(result.noise)
    columns = (
        blocks.Column("items", "items", "text", of=_range),
        blocks.Column("n_studies", "studies", "count"),
        blocks.Column("n", "median n", digits=0, short="median", keep=3),
        blocks.Column(
            "median_effect", "median effect", digits=result.digits, sign=True, short="effect"
        ),
        blocks.Column("effect_sd", "spread", digits=result.digits),
        blocks.Column("share_positive", "above 0", "share", digits=0, keep=2),
        blocks.Column("power", "power") if known else None,
        blocks.Column("type_m", "Type-M", digits=1) if known else None,
        blocks.Column("type_s", "Type-S", "share", digits=0, keep=2) if known else None,
    )
    note = ""
    if known:
        shown = f"{result.assumed_effect:.{result.digits}f}"
        note = (
            f"If the true effect is {shown}: power to see it, how many times as large a "
            "significant result is on average (Type-M), and how often its sign is wrong (Type-S)."
        )
    return blocks.table("bands", "Studies by size", columns, result.bands, note=note)


def _range(band: SizeBand) -> str:
    return f"{band.low:,}" if band.low == band.high else f"{band.low:,}–{band.high:,}"


def say_survey_audit(result: SurveyAudit) -> str:
    """Say how size and effect go together, and what the typical study exaggerates."""
    return " ".join(_sentences(result))


def _sentences(result: SurveyAudit) -> list[str]:
    """Return the sentences of the summary, how size and effect go together first."""
    if math.isnan(result.tau):
        together = "Size and effect cannot be compared: one of them is the same throughout."
    elif result.p_value > result.alpha:
        together = "Larger studies report neither larger nor smaller effects, as far as shown."
    elif result.tau < 0.0:
        together = (
            "Larger studies report smaller effects: as if small ones were published "
            "only where they saw a large one."
        )
    else:
        together = "Larger studies report larger effects."
    sentences = [
        together,
        f"Of {count(result.n_studies, 'study', 'studies')} Kendall's τ of n and effect is "
        f"{number(result.tau, digits=3)} ({p_statement(result.p_value)}); the median study has "
        f"{count(round(result.median_n), 'item')}.",
    ]
    known = [band for band in result.bands if not math.isnan(band.type_m)]
    if known:
        middle = min(known, key=lambda band: abs(math.log(band.n / result.median_n)))
        sentences.append(
            f"If the true effect is {number(result.assumed_effect, digits=result.digits)}"
            f"{'' if result.effect_given else ' (the median size reported)'}, a study of "
            f"{count(round(middle.n), 'item')} shows it with a power of "
            f"{number(middle.power)}, and a "
            f"significant result is {number(middle.type_m, digits=1)} times as large as the "
            f"truth, assuming {result.noise}."
        )
    return sentences
