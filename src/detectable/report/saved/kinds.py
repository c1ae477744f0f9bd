"""The results that a file can hold, and what a loaded file says besides."""

from dataclasses import dataclass
from importlib import import_module

from detectable.core.result import Result
from detectable.data.files.inputs import InputFile

# By name, and nothing is imported before it is asked for. What is not listed cannot be loaded: a
# file says which result it holds, and never which code is run.
KINDS = {
    "AcceptedBaseline": "detectable.study.gate.baseline",
    "Arena": "detectable.study.arena.result",
    "ArchiveAudit": "detectable.study.audit.archive_audit",
    "BenchmarkAudit": "detectable.study.audit.benchmark_audit",
    "BettingBand": "detectable.sequential.bands",
    "CampaignPairs": "detectable.study.archive.campaign_pairs",
    "Campaigns": "detectable.study.campaign.campaigns",
    "CheapestDesign": "detectable.planning.cheapest",
    "Comparison": "detectable.study.comparison.result",
    "ComponentTest": "detectable.mixed.predictions",
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
    "LiveConclusion": "detectable.live.conclusion",
    "LiveHistory": "detectable.live.logs",
    "LiveLook": "detectable.live.logs",
    "LivePlan": "detectable.live.plan",
    "Look": "detectable.study.monitoring.look",
    "MarginTest": "detectable.inference.margin_test",
    "Meaning": "detectable.study.archive.meaning",
    "MeaningCurve": "detectable.study.archive.meaning",
    "Meta": "detectable.study.meta.result",
    "MixedFit": "detectable.mixed.result",
    "ObservedMde": "detectable.inference.observed_mde",
    "OrderedPairs": "detectable.sequential.e_process",
    "PairDecisions": "detectable.sequential.many_pairs",
    "PairedPermutation": "detectable.inference.sign_flips",
    "Plan": "detectable.study.monitoring.frozen_plan",
    "PlanHistory": "detectable.study.monitoring.plan_history",
    "PowerCurve": "detectable.planning.result",
    "PowerCurves": "detectable.planning.result",
    "PowerEstimate": "detectable.planning.result",
    "PreferenceTest": "detectable.sequential.preference_process",
    "ProcedureSavings": "detectable.study.archive.procedure_savings",
    "QualityControl": "detectable.study.raters.quality_result",
    "Randomization": "detectable.inference.randomization",
    "Ranking": "detectable.study.ranking.ranking",
    "RaterAgreement": "detectable.study.precision.rater_agreement",
    "Receipt": "detectable.report.saved.receipt",
    "Repeat": "detectable.study.ranking.repeat",
    "Reliability": "detectable.study.reliability.result",
    "SampleSize": "detectable.planning.result",
    "SampleSizes": "detectable.planning.result",
    "RoganGladen": "detectable.study.precision.rogan_gladen",
    "Simulation": "detectable.mixed.simulate",
    "StratifiedMeans": "detectable.study.precision.stratified",
    "Stratification": "detectable.study.precision.stratified",
    "Subsample": "detectable.live.order",
    "SurveyAudit": "detectable.study.audit.survey_audit",
    "SwapCalibration": "detectable.study.archive.campaign_pairs",
    "SwapFit": "detectable.planning.swap_effects",
    "SystemScores": "detectable.study.score.score",
    "Tasks": "detectable.study.tasks.result",
    "Translationese": "detectable.study.translationese.result",
    "TranslationeseBattles": "detectable.study.translationese.campaigns",
    "TranslationeseCampaigns": "detectable.study.translationese.campaigns",
    "VarianceComponents": "detectable.study.precision.variance_components",
}


def class_of(kind: str) -> type[Result] | None:
    """Return the class of a kind of result; None where there is no such kind."""
    if kind not in KINDS:
        return None
    found: type[Result] = getattr(import_module(KINDS[kind]), kind)
    return found


# --- A result with what its file says about it ---


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedResult:
    """A result with what its file says about it.

    Attributes
    ----------
    result : Result
        As it was.
    path : str
        The file.
    version : str
        Of detectable, when it was written.
    created : str
        When, in UTC.
    command : tuple of str
        What was typed; nothing where it was saved by a program.
    inputs : tuple of InputFile
        What was read.
    edited : bool
        Whether the content does not fit the fingerprint.
    notes : tuple of str
        What to know about the file: edited, or without its draws.
    """

    result: Result
    path: str
    version: str
    created: str
    command: tuple[str, ...]
    inputs: tuple[InputFile, ...]
    edited: bool
    notes: tuple[str, ...]
