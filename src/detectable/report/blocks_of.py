"""The blocks of any result, by the name of its class."""

from collections.abc import Iterator
from typing import Any

from detectable.core.errors import InputError
from detectable.core.registry import at
from detectable.core.result import Result
from detectable.report.blocks import Block, Column, Repeat, Verdict, drawn, notes, table

# The function that shows a result, by its class or by one that it derives from.
SHOWN = {
    "AcceptedBaseline": "detectable.report.shown.gate:show_accepted_baseline",
    "ArchiveAudit": "detectable.report.shown.archive_audit:show_archive_audit",
    "Arena": "detectable.report.shown.arena:show_arena",
    "BenchmarkAudit": "detectable.report.shown.benchmark_audit:show_benchmark_audit",
    "BettingBand": "detectable.report.shown.anytime:show_betting_band",
    "Campaigns": "detectable.report.shown.campaigns:show_campaigns",
    "CampaignPairs": "detectable.report.shown.ranking:show_campaign_pairs",
    "CheapestDesign": "detectable.report.shown.cheapest:show_cheapest_design",
    "Comparison": "detectable.report.shown.comparison:show_comparison",
    "ComponentTest": "detectable.report.shown.mixed_fit:show_component_test",
    "Conclusion": "detectable.report.shown.conclusion:show_conclusion",
    "ConfidenceBand": "detectable.report.shown.anytime:show_confidence_band",
    "ControlVariates": "detectable.report.shown.control_variates:show_control_variates",
    "DemoStory": "detectable.report.shown.demo:show_demo_story",
    "Design": "detectable.report.shown.design:show_design",
    "EProcessTest": "detectable.report.shown.anytime:show_e_process_test",
    "EffectPredictions": "detectable.report.shown.mixed_fit:show_effect_predictions",
    "Examination": "detectable.report.shown.doctor:show_examination",
    "Gate": "detectable.report.shown.gate:show_gate",
    "JudgeAgreement": "detectable.report.shown.judges:show_judge_agreement",
    "JudgmentDescription": "detectable.report.shown.judgment_description:show_judgment_description",
    "Labels": "detectable.report.shown.judges:show_labels",
    "LiveConclusion": "detectable.report.shown.live:show_live_conclusion",
    "LiveHistory": "detectable.report.shown.live:show_live_history",
    "LiveLook": "detectable.report.shown.live:show_live_look",
    "LivePlan": "detectable.report.shown.live:show_live_plan",
    "Look": "detectable.report.shown.look:show_look",
    "Meaning": "detectable.report.shown.archive_audit:show_meaning",
    "MeaningCurve": "detectable.report.shown.archive_audit:show_meaning_curve",
    "Meta": "detectable.report.shown.meta:show_meta",
    "MixedFit": "detectable.report.shown.mixed_fit:show_mixed_fit",
    "ObservedMde": "detectable.report.shown.archive_audit:show_observed_mde",
    "OrderedPairs": "detectable.report.shown.anytime:show_ordered_pairs",
    "PairDecisions": "detectable.report.shown.anytime:show_pair_decisions",
    "Plan": "detectable.report.shown.plan:show_plan",
    "PlanHistory": "detectable.report.shown.plan:show_plan_history",
    "PlanningAnswer": "detectable.report.shown.planning:show_planning_answer",
    "PowerCurve": "detectable.report.shown.planning:show_power_curve",
    "PowerCurves": "detectable.report.shown.planning:show_power_curves",
    "PreferenceTest": "detectable.report.shown.anytime:show_preference_test",
    "ProcedureSavings": "detectable.report.shown.procedure_savings:show_procedure_savings",
    "QualityControl": "detectable.report.shown.raters:show_quality_control",
    "Ranking": "detectable.report.shown.ranking:show_ranking",
    "RaterAgreement": "detectable.report.shown.rater_agreement:show_rater_agreement",
    "Receipt": "detectable.report.shown.receipt:show_receipt",
    "Reliability": "detectable.report.shown.reliability:show_reliability",
    "Repeat": "detectable.report.shown.repeat:show_repeat",
    "Result": "detectable.report.blocks_of:show_result",
    "RoganGladen": "detectable.report.shown.judges:show_rogan_gladen",
    "SampleSizes": "detectable.report.shown.planning:show_sample_sizes",
    "Simulation": "detectable.report.shown.mixed_fit:show_simulation",
    "Stratification": "detectable.report.shown.control_variates:show_stratification",
    "StratifiedMeans": "detectable.report.shown.control_variates:show_stratified_means",
    "Subsample": "detectable.report.shown.live:show_subsample",
    "SurveyAudit": "detectable.report.shown.benchmark_audit:show_survey_audit",
    "SwapFit": "detectable.report.shown.planning:show_swap_fit",
    "SystemScores": "detectable.report.shown.score:show_system_scores",
    "Tasks": "detectable.report.shown.tasks:show_tasks",
    "Translationese": "detectable.report.shown.translationese:show_translationese",
    "TranslationeseBattles": "detectable.report.shown.campaign_halves:show_battles",
    "TranslationeseCampaigns": "detectable.report.shown.campaign_halves:show_campaigns",
    "VarianceComponents": "detectable.report.shown.variance_components:show_variance_components",
}

# Its words, `say_arena`, stand beside what it shows, `show_arena`; else they are named here: those
# in a file of their own, and those of results that are shown plainly.
SAID = {
    "Comparison": "detectable.report.shown.comparison_words:say_comparison",
    "Gate": "detectable.report.shown.gate_words:say_gate",
    "MarginTest": "detectable.report.shown.ranking:say_margin_test",
    "PairedPermutation": "detectable.report.shown.ranking:say_paired_permutation",
    "Plan": "detectable.report.shown.plan_words:say_plan",
    "Randomization": "detectable.report.shown.ranking:say_randomization",
    "SwapCalibration": "detectable.report.shown.ranking:say_swap_calibration",
    "Translationese": "detectable.report.shown.translationese:say_translationese",
}


def blocks_of(result: Result, *, command: str = "") -> tuple[Block, ...]:
    """Return what a result shows, with its charts made; see `listed_of`."""
    return drawn(listed_of(result, command=command))


def listed_of(result: Result, *, command: str = "") -> tuple[Block, ...]:
    """Return what a result shows, where charts may stand as `Pictures`, not made yet.

    Its function is found in `SHOWN`. Only that file is imported, so that no command pays for the
    others.

    Parameters
    ----------
    command : str
        What was typed to get the result, for the last block.
    """
    names = (kind.__name__ for kind in type(result).__mro__)
    show = at(next(SHOWN[name] for name in names if name in SHOWN))
    made = (*show(result), Repeat(str(result.signature), command))
    check_order(made, type(result).__name__)
    return made


def summary_of(result: Result) -> str:
    """Return what a result says of itself in a few sentences, by `SAID` or beside its blocks."""
    words = {name: shown.replace(":show", ":say") for name, shown in SHOWN.items()} | SAID
    names = (kind.__name__ for kind in type(result).__mro__)
    said: str = at(next(words[name] for name in names if name in words))(result)
    return said


def check_order(blocks: tuple[Block, ...], name: str) -> None:
    """Refuse blocks that do not begin with the verdict and end with how to repeat it."""
    first = [isinstance(block, Verdict) for block in blocks]
    last = [isinstance(block, Repeat) for block in blocks]
    if not (first[:1] == [True] == last[-1:] and sum(first) == sum(last) == 1):
        raise InputError(
            f"{name} must show one verdict first and one repeat last; got "
            f"{', '.join(type(block).__name__ for block in blocks)}."
        )


# --- What any other result shows: its summary, its plain numbers and how to repeat it ---
#
# For results of the library that no command returns, and for those of other packages.

_LEFT_OUT = ("signature", "kind", "notes")


def show_result(result: Result) -> Iterator[Block]:
    """Show the summary and every plain value."""
    return show_plainly(result, result.summary())


def show_plainly(result: Result, headline: str, *detail: str) -> Iterator[Block]:
    """Show what is said of a result, and every plain value."""
    yield Verdict("info", headline, detail)
    rows = _plain_values(result)
    if rows:
        columns = (
            Column("quantity", "quantity", "text", of=lambda row: row[0]),
            Column("value", "value", "text", of=lambda row: row[1]),
        )
        yield table("numbers", "Numbers", columns, rows)
    yield from notes(getattr(result, "notes", ()))


def say_result(result: Result) -> str:
    """Say what it is, and its plain values."""
    values = ", ".join(f"{name} {value}" for name, value in _plain_values(result))
    return f"{type(result).__name__}: {values}." if values else f"{type(result).__name__}."


def _plain_values(result: Result) -> list[tuple[str, Any]]:
    return [
        (name.replace("_", " "), value)
        for name, value in result.to_dict().items()
        if name not in _LEFT_OUT and _is_plain(value)
    ]


def _is_plain(value: Any) -> bool:
    """Say whether a value is one number, word or answer."""
    return value is None or isinstance(value, str | int | float)
