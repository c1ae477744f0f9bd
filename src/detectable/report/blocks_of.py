"""The blocks of any result, by the name of its class."""

from dataclasses import replace

from detectable.core.errors import InputError
from detectable.core.registry import at
from detectable.core.result import Result
from detectable.report.blocks import Block, Repeat, Verdict

# The function that shows a result, by its class or by one that it derives from.
SHOWN = {
    "AcceptedBaseline": "detectable.report.show.accepted_baseline:show",
    "ArchiveAudit": "detectable.report.show.archive_audit:show",
    "Arena": "detectable.report.show.arena:show",
    "BenchmarkAudit": "detectable.report.show.benchmark_audit:show",
    "BettingBand": "detectable.report.show.betting_band:show",
    "Campaigns": "detectable.report.show.campaigns:show",
    "CheapestDesign": "detectable.report.show.cheapest_design:show",
    "Comparison": "detectable.report.show.comparison:show",
    "ComponentTest": "detectable.report.show.component_test:show",
    "Conclusion": "detectable.report.show.conclusion:show",
    "ConfidenceBand": "detectable.report.show.confidence_band:show",
    "ControlVariates": "detectable.report.show.control_variates:show",
    "DemoStory": "detectable.report.show.demo_story:show",
    "Design": "detectable.report.show.design:show",
    "EProcessTest": "detectable.report.show.e_process_test:show",
    "EffectPredictions": "detectable.report.show.effect_predictions:show",
    "Examination": "detectable.report.show.examination:show",
    "Gate": "detectable.report.show.gate:show",
    "JudgeAgreement": "detectable.report.show.judge_agreement:show",
    "JudgmentDescription": "detectable.report.show.judgment_description:show",
    "Labels": "detectable.report.show.labels:show",
    "Look": "detectable.report.show.look:show",
    "Meta": "detectable.report.show.meta:show",
    "MixedFit": "detectable.report.show.mixed_fit:show",
    "ObservedMde": "detectable.report.show.observed_mde:show",
    "OrderedPairs": "detectable.report.show.ordered_pairs:show",
    "PairDecisions": "detectable.report.show.pair_decisions:show",
    "Plan": "detectable.report.show.plan:show",
    "PlanHistory": "detectable.report.show.plan_history:show",
    "PlanningAnswer": "detectable.report.show.planning_answer:show",
    "PowerCurve": "detectable.report.show.power_curve:show",
    "PreferenceTest": "detectable.report.show.preference_test:show",
    "ProcedureSavings": "detectable.report.show.procedure_savings:show",
    "QualityControl": "detectable.report.show.quality_control:show",
    "Ranking": "detectable.report.show.ranking:show",
    "RaterAgreement": "detectable.report.show.rater_agreement:show",
    "Receipt": "detectable.report.show.receipt:show",
    "Reliability": "detectable.report.show.reliability:show",
    "Result": "detectable.report.show.result:show",
    "RoganGladen": "detectable.report.show.rogan_gladen:show",
    "Simulation": "detectable.report.show.simulation:show",
    "Stratification": "detectable.report.show.stratification:show",
    "StratifiedMeans": "detectable.report.show.stratified_means:show",
    "SurveyAudit": "detectable.report.show.survey_audit:show",
    "Tasks": "detectable.report.show.tasks:show",
    "Translationese": "detectable.report.show.translationese:show",
    "VarianceComponents": "detectable.report.show.variance_components:show",
}


def blocks_of(result: Result, *, command: str = "") -> tuple[Block, ...]:
    """Return what a result shows.

    Its function is found in `SHOWN`. Only that file is imported, so that no command pays for the
    others.

    Parameters
    ----------
    command : str
        What was typed to get the result, for the last block.
    """
    names = (kind.__name__ for kind in type(result).__mro__)
    show = at(next(SHOWN[name] for name in names if name in SHOWN))
    made: tuple[Block, ...] = tuple(show(result))
    check_order(made, type(result).__name__)
    return (*made[:-1], replace(made[-1], command=command)) if command else made  # type: ignore[arg-type]


def check_order(blocks: tuple[Block, ...], name: str) -> None:
    """Refuse blocks that do not begin with the verdict and end with how to repeat it."""
    first = [isinstance(block, Verdict) for block in blocks]
    last = [isinstance(block, Repeat) for block in blocks]
    if not (first[:1] == [True] == last[-1:] and sum(first) == sum(last) == 1):
        raise InputError(
            f"{name} must show one verdict first and one repeat last; got "
            f"{', '.join(type(block).__name__ for block in blocks)}."
        )
