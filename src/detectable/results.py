"""The classes of all results, for annotations and `isinstance`: ``dt.results.Comparison``.

A result is made by the function that answers the question, never by its class. Names are imported
on first use.

>>> from detectable import results
>>> results.Comparison.__name__
'Comparison'
"""

from importlib import import_module
from typing import Any

# The types are in results.pyi, which scripts/make_stub.py writes.
WHERE = {
    "AcceptedBaseline": "detectable.study.gate.accept",
    "ArchiveAudit": "detectable.study.audit.archive_audit",
    "Arena": "detectable.study.arena.result",
    "BenchmarkAudit": "detectable.study.audit.benchmark_audit",
    "BettingBand": "detectable.sequential.bands",
    "CampaignPairs": "detectable.study.archive.campaign_pairs",
    "Campaigns": "detectable.study.campaign.campaigns",
    "CheapestDesign": "detectable.planning.cheapest",
    "Comparison": "detectable.study.comparison.result",
    "ComponentTest": "detectable.mixed.component",
    "Conclusion": "detectable.study.monitoring.conclusion",
    "ConfidenceBand": "detectable.sequential.bands",
    "ControlVariates": "detectable.study.precision.control_variate_result",
    "DemoStory": "detectable.study.demo.story",
    "Design": "detectable.sequential.design_result",
    "DetectableEffect": "detectable.planning.result",
    "EProcessTest": "detectable.sequential.e_process",
    "EffectPredictions": "detectable.mixed.predictions",
    "Examination": "detectable.study.doctor.examination",
    "Gate": "detectable.study.gate.result",
    "JudgeAgreement": "detectable.study.precision.judge_agreement",
    "JudgmentDescription": "detectable.data.human.description",
    "Labels": "detectable.study.precision.label_plan",
    "Look": "detectable.study.monitoring.look",
    "MarginTest": "detectable.inference.margin_score",
    "Meta": "detectable.study.meta.result",
    "MixedFit": "detectable.mixed.result",
    "ObservedMde": "detectable.inference.observed_mde",
    "OrderedPairs": "detectable.sequential.e_process",
    "PairDecisions": "detectable.sequential.many_pairs",
    "PairedPermutation": "detectable.inference.sign_flips",
    "Plan": "detectable.study.monitoring.frozen_plan",
    "PlanHistory": "detectable.study.monitoring.plan_history",
    "Planned": "detectable.study.monitoring.planned",
    "PlanningAnswer": "detectable.planning.result",
    "PowerCurve": "detectable.planning.result",
    "PowerEstimate": "detectable.planning.result",
    "PreferenceTest": "detectable.sequential.preference_process",
    "ProcedureSavings": "detectable.study.archive.procedure_savings",
    "QualityControl": "detectable.study.raters.quality_result",
    "Randomization": "detectable.inference.randomization",
    "Ranking": "detectable.study.ranking.ranking",
    "RaterAgreement": "detectable.study.precision.rater_agreement",
    "Receipt": "detectable.report.saved.receipt",
    "Reliability": "detectable.study.reliability.result",
    "Result": "detectable.core.result",
    "RoganGladen": "detectable.study.precision.rogan_gladen",
    "SampleSize": "detectable.planning.result",
    "Simulation": "detectable.mixed.simulate",
    "Stratification": "detectable.study.precision.stratified",
    "StratifiedMeans": "detectable.study.precision.stratified",
    "SurveyAudit": "detectable.study.audit.survey_audit",
    "SwapCalibration": "detectable.study.archive.swap_calibration",
    "SwapFit": "detectable.planning.swap_effects",
    "Tasks": "detectable.study.tasks.result",
    "Translationese": "detectable.study.translationese.result",
    "VarianceComponents": "detectable.study.precision.variance_components",
}
__all__ = [*WHERE]


def __getattr__(name: str) -> Any:
    if name not in WHERE:
        message = f"module 'detectable.results' has no attribute {name!r}"
        raise AttributeError(message)
    return getattr(import_module(WHERE[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
