"""All results by the name of their class: where it stands, and what shows it."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from detectable.core.errors import InputError
from detectable.core.registry import at
from detectable.core.result import Result
from detectable.report.blocks import Block, Column, Repeat, Verdict, drawn, notes, table

_BELOW = "detectable.report.shown."


class Kind(NamedTuple):
    """Where the class of a result stands, and what shows and says it.

    Attributes
    ----------
    made : str
        The module of the class, below ``detectable``.
    shown : str
        The function that shows it, below ``report/shown``; without one its base is shown.
    said : str
        Its words, where they do not stand beside that function: ``say_arena`` by ``show_arena``.
    """

    made: str
    shown: str = ""
    said: str = ""

    def words(self) -> str:
        """Return where its words are."""
        return self.said or self.shown.replace(":show", ":say")


# Every result that a file can hold, by name, and nothing is imported before it is asked for. What is
# not listed cannot be loaded: a file says which result it holds, and never which code is run.
KINDS = {
    "AcceptedBaseline": Kind("study.gate.baseline", "gate:show_accepted_baseline"),
    "ArchiveAudit": Kind("study.audit.archive_audit", "archive_audit:show_archive_audit"),
    "Arena": Kind("study.arena.result", "arena:show_arena"),
    "BenchmarkAudit": Kind(
        "study.audit.benchmark_audit", "benchmark_audit:show_benchmark_audit"
    ),
    "BettingBand": Kind("sequential.bands", "anytime:show_betting_band"),
    "CampaignOutcome": Kind("study.campaign.outcome", "campaign_outcome:show_campaign_outcome"),
    "CampaignPairs": Kind("study.archive.campaign_pairs", "ranking:show_campaign_pairs"),
    "Campaigns": Kind("study.campaign.campaigns", "campaigns:show_campaigns"),
    "CheapestDesign": Kind("planning.cheapest", "planning_pictures:show_cheapest_design"),
    "Comparison": Kind(
        "study.comparison.result",
        "comparison:show_comparison",
        "comparison_words:say_comparison",
    ),
    "ComponentTest": Kind("mixed.predictions", "mixed_fit:show_component_test"),
    "Conclusion": Kind("study.monitoring.conclusion", "conclusion:show_conclusion"),
    "ConfidenceBand": Kind("sequential.bands", "anytime:show_confidence_band"),
    "ControlVariates": Kind(
        "study.precision.control_variate_result", "control_variates:show_control_variates"
    ),
    "DemoStory": Kind("study.demo.story", "demo:show_demo_story"),
    "Design": Kind("sequential.design_result", "design:show_design"),
    "DetectableEffect": Kind("planning.result"),
    "EProcessTest": Kind("sequential.e_process", "anytime:show_e_process_test"),
    "EffectPredictions": Kind("mixed.predictions", "mixed_fit:show_effect_predictions"),
    "Examination": Kind("study.doctor.examination", "doctor:show_examination"),
    "Gate": Kind("study.gate.result", "gate:show_gate", "gate_words:say_gate"),
    "Installation": Kind("study.doctor.installation", "doctor:show_installation"),
    "JudgeAgreement": Kind("study.precision.judge_agreement", "judges:show_judge_agreement"),
    "JudgmentDescription": Kind(
        "data.human.description", "judgment_description:show_judgment_description"
    ),
    "Labels": Kind("study.precision.label_plan", "judges:show_labels"),
    "LiveConclusion": Kind("live.conclusion", "live:show_live_conclusion"),
    "LiveHistory": Kind("live.logs", "live:show_live_history"),
    "LiveLook": Kind("live.logs", "live:show_live_look"),
    "LivePlan": Kind("live.plan", "live:show_live_plan"),
    "Look": Kind("study.monitoring.look", "look:show_look"),
    "MarginTest": Kind("inference.margin_test", said="ranking:say_margin_test"),
    "Meaning": Kind("study.archive.meaning", "archive_audit:show_meaning"),
    "MeaningCurve": Kind("study.archive.meaning", "archive_audit:show_meaning_curve"),
    "Meta": Kind("study.meta.result", "meta:show_meta"),
    "MixedFit": Kind("mixed.result", "mixed_fit:show_mixed_fit"),
    "ObservedMde": Kind("inference.observed_mde", "archive_audit:show_observed_mde"),
    "OrderedPairs": Kind("sequential.e_process", "anytime:show_ordered_pairs"),
    "PairDecisions": Kind("sequential.many_pairs", "anytime:show_pair_decisions"),
    "PairedPermutation": Kind("inference.sign_flips", said="ranking:say_paired_permutation"),
    "Plan": Kind("study.monitoring.frozen_plan", "plan:show_plan", "plan_words:say_plan"),
    "PlanHistory": Kind("study.monitoring.plan_history", "plan:show_plan_history"),
    "PowerCurve": Kind("planning.result", "planning:show_power_curve"),
    "PowerCurves": Kind("planning.result", "planning:show_power_curves"),
    "PowerEstimate": Kind("planning.result"),
    "PreferenceTest": Kind("sequential.preference_process", "anytime:show_preference_test"),
    "ProcedureSavings": Kind(
        "study.archive.procedure_savings", "procedure_savings:show_procedure_savings"
    ),
    "QualityControl": Kind("study.raters.quality_control", "raters:show_quality_control"),
    "Randomization": Kind("inference.randomization", said="ranking:say_randomization"),
    "Ranking": Kind("study.ranking.ranking", "ranking:show_ranking"),
    "RaterAgreement": Kind(
        "study.precision.rater_agreement", "rater_agreement:show_rater_agreement"
    ),
    "Receipt": Kind("report.saved.receipt", "receipt:show_receipt"),
    "Reliability": Kind("study.reliability.result", "reliability:show_reliability"),
    "Repeat": Kind("study.ranking.repeat", "repeat:show_repeat"),
    "RoganGladen": Kind("study.precision.rogan_gladen", "judges:show_rogan_gladen"),
    "SampleSize": Kind("planning.result"),
    "SampleSizes": Kind("planning.result", "planning:show_sample_sizes"),
    "Selection": Kind("study.selection.selection", "selection:show_selection"),
    "Simulation": Kind("mixed.simulate", "mixed_fit:show_simulation"),
    "Subsample": Kind("live.order", "live:show_subsample"),
    "SurveyAudit": Kind("study.audit.survey_audit", "benchmark_audit:show_survey_audit"),
    "SwapCalibration": Kind(
        "study.archive.campaign_pairs", said="ranking:say_swap_calibration"
    ),
    "SwapFit": Kind("planning.swap_effects", "planning:show_swap_fit"),
    "SystemScores": Kind("study.score.score", "score:show_system_scores"),
    "Tasks": Kind("study.tasks.result", "tasks:show_tasks"),
    "Translationese": Kind("study.translationese.result", "translationese:show_translationese"),
    "TranslationeseBattles": Kind(
        "study.translationese.campaigns", "campaign_halves:show_battles"
    ),
    "TranslationeseCampaigns": Kind(
        "study.translationese.campaigns", "campaign_halves:show_campaigns"
    ),
    "VarianceComponents": Kind(
        "study.precision.variance_components", "variance_components:show_variance_components"
    ),
}
# What they derive from, which no file holds.
BASES = {
    "Planned": Kind("study.monitoring.planned"),
    "PlanningAnswer": Kind("planning.result", "planning:show_planning_answer"),
    "Result": Kind("core.result"),
}


def class_of(kind: str) -> type[Result] | None:
    """Return the class of a kind of result; None where there is no such kind."""
    if kind not in KINDS:
        return None
    found: type[Result] = at(f"detectable.{KINDS[kind].made}:{kind}")
    return found


def blocks_of(result: Result, *, command: str = "") -> tuple[Block, ...]:
    """Return what a result shows, with its charts made; see `listed_of`."""
    return drawn(listed_of(result, command=command))


def listed_of(result: Result, *, command: str = "") -> tuple[Block, ...]:
    """Return what a result shows, where charts may stand as `Pictures`, not made yet.

    Its function is found in `KINDS`. Only that file is imported, so that no command pays for the
    others.

    Parameters
    ----------
    command : str
        What was typed to get the result, for the last block.
    """
    place = next((row.shown for row in _rows(result) if row.shown), "")
    show = at(_BELOW + place) if place else show_result
    made = (*show(result), Repeat(str(result.signature), command))
    check_order(made, type(result).__name__)
    return made


def summary_of(result: Result) -> str:
    """Return what a result says of itself in a few sentences."""
    place = next((row.words() for row in _rows(result) if row.words()), "")
    said: str = at(_BELOW + place)(result) if place else say_result(result)
    return said


def _rows(result: Result) -> Iterator[Kind]:
    """Return the row of the class of a result, and those of what it derives from."""
    known = KINDS | BASES
    return (known[kind.__name__] for kind in type(result).__mro__ if kind.__name__ in known)


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
