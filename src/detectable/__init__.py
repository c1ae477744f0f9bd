"""Compare language systems, and know what the comparison could have detected.

>>> import detectable as dt
>>> result = dt.compare(dt.example_corpus(), "bleu", baseline="baseline", rng=1)
>>> result.pairs[0].verdict
'better'
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import Any

from detectable.core.version import VERSION as __version__

_WHERE = {
    "Accuracy": "detectable.power.accuracy",
    "AccuracyMargin": "detectable.power.accuracy_margin",
    "BettingBand": "detectable.sequential.e_process_interval",
    "Bleu": "detectable.power.bleu",
    "CampaignPairs": "detectable.study.archive.campaign_pairs",
    "CheapestDesign": "detectable.power.cheapest",
    "Closed": "detectable.power.scenario",
    "Comparison": "detectable.study.comparison.result",
    "ComparisonArchive": "detectable.sequential.comparison_archive",
    "CompatibilityWarning": "detectable.core.errors",
    "ComponentTest": "detectable.mixed.component",
    "Conclusion": "detectable.study.monitoring.conclusion",
    "ConfidenceBand": "detectable.sequential.confidence_sequence",
    "ConfidenceSequence": "detectable.sequential.confidence_sequence",
    "ControlVariates": "detectable.study.precision.control_variate_result",
    "ConvergenceError": "detectable.core.errors",
    "Corpus": "detectable.data.corpus",
    "Costs": "detectable.power.cheapest",
    "DataError": "detectable.core.errors",
    "Design": "detectable.sequential.design_result",
    "DetectableEffect": "detectable.power.result",
    "DetectableError": "detectable.core.errors",
    "DetectableWarning": "detectable.core.errors",
    "EProcess": "detectable.sequential.e_process",
    "EProcessTest": "detectable.sequential.e_process",
    "EffectPredictions": "detectable.mixed.predictions",
    "EffectRange": "detectable.power.scenario",
    "EvidencePath": "detectable.sequential.e_process",
    "FlagLimits": "detectable.study.raters.rater_flags",
    "Futility": "detectable.sequential.futility",
    "InputError": "detectable.core.errors",
    "Judgments": "detectable.data.human.judgments",
    "Likert": "detectable.power.likert",
    "Loaded": "detectable.data.loaded",
    "Look": "detectable.study.monitoring.look_result",
    "MissingExtraError": "detectable.core.errors",
    "MixedFit": "detectable.mixed.result",
    "ObservedMde": "detectable.inference.observed_mde",
    "OrderedPairs": "detectable.sequential.e_process_pairs",
    "PairComparison": "detectable.study.comparison.result",
    "PairConclusion": "detectable.study.monitoring.conclusion",
    "PairDecision": "detectable.sequential.e_multiplicity",
    "PairDecisions": "detectable.sequential.e_multiplicity",
    "PairLook": "detectable.study.monitoring.look_result",
    "PairedPermutation": "detectable.inference.paired_permutation",
    "Pilot": "detectable.power.pilot",
    "Plan": "detectable.study.monitoring.plan",
    "PlanHistory": "detectable.study.monitoring.plan_history",
    "PowerCurve": "detectable.power.result",
    "PowerEstimate": "detectable.power.result",
    "Preference": "detectable.power.preference",
    "PreferenceProcess": "detectable.sequential.preference_process",
    "PreferenceTest": "detectable.sequential.preference_process",
    "Procedure": "detectable.sequential.procedures",
    "ProcedureSavings": "detectable.sequential.procedure_savings",
    "QualityControl": "detectable.study.raters.quality_result",
    "RankSum": "detectable.power.rank_sum",
    "Ranking": "detectable.study.ranking.ranking",
    "RaterAgreement": "detectable.study.precision.rater_agreement",
    "RaterQuality": "detectable.study.raters.quality_result",
    "Ratings": "detectable.power.ratings",
    "RatingsMargin": "detectable.power.ratings_margin",
    "SampleSize": "detectable.power.result",
    "Saving": "detectable.sequential.procedure_savings",
    "Scenario": "detectable.power.scenario",
    "ScoreMetric": "detectable.metrics.base",
    "Scores": "detectable.data.scores",
    "SegmentScores": "detectable.study.ranking.segment_scores",
    "Simulation": "detectable.mixed.simulate",
    "Stratification": "detectable.study.precision.stratified",
    "StratifiedMeans": "detectable.study.precision.stratified",
    "SuspiciousDataWarning": "detectable.core.errors",
    "SwapCalibration": "detectable.study.archive.swap_calibration",
    "SwapFit": "detectable.power.swap_effects",
    "SystemScore": "detectable.study.comparison.result",
    "Tasks": "detectable.study.tasks.result",
    "TextMetric": "detectable.metrics.base",
    "Trials": "detectable.power.scenario",
    "UnpairedAccuracy": "detectable.power.unpaired_accuracy",
    "VarianceComponents": "detectable.study.precision.variance_components",
    "agreement": "detectable.study.precision.rater_agreement",
    "allocations": "detectable.study.precision.variance_advice",
    "appraise_batches": "detectable.report.appraise",
    "appraise_manifest": "detectable.report.appraise",
    "betting_band": "detectable.sequential.e_process_interval",
    "campaign_pairs": "detectable.study.archive.campaign_pairs",
    "cheapest": "detectable.power.cheapest",
    "compare": "detectable.study.comparison.compare",
    "component_test": "detectable.mixed.component",
    "conclude": "detectable.study.monitoring.conclude",
    "conditional_error": "detectable.sequential.conditional_power",
    "confidence_sequence": "detectable.sequential.confidence_sequence",
    "control_variates": "detectable.study.precision.control_variates",
    "data_efficiency": "detectable.study.precision.data_efficiency",
    "design": "detectable.sequential.design",
    "e_bh": "detectable.sequential.e_multiplicity",
    "e_holm": "detectable.sequential.e_multiplicity",
    "e_process": "detectable.sequential.e_process",
    "example_corpus": "detectable.data.example_corpus",
    "fit_mixed": "detectable.mixed.fit",
    "look": "detectable.study.monitoring.look",
    "make_tasks": "detectable.study.tasks.make_tasks",
    "margin_characteristics": "detectable.sequential.equivalence",
    "mde": "detectable.power.ask",
    "metric": "detectable.metrics.registry",
    "observed_data_efficiency": "detectable.study.precision.data_efficiency",
    "observed_mde": "detectable.inference.observed_mde",
    "overrun_inference": "detectable.sequential.stagewise",
    "pair_in_order": "detectable.sequential.e_process_pairs",
    "paired_permutation": "detectable.inference.paired_permutation",
    "plan": "detectable.study.monitoring.plan",
    "plan_history": "detectable.study.monitoring.plan_history",
    "power": "detectable.power.ask",
    "power_curve": "detectable.power.ask",
    "predict_effects": "detectable.mixed.predictions",
    "preference_process": "detectable.sequential.preference_process",
    "quality_control": "detectable.study.raters.quality_control",
    "rank_systems": "detectable.study.ranking.rank_systems",
    "read_archive": "detectable.sequential.read_archive",
    "read_corpus": "detectable.data.read_corpus",
    "read_corpus_file": "detectable.data.read_corpus_file",
    "read_judgments": "detectable.data.human.read_judgments",
    "read_plan": "detectable.study.monitoring.plan",
    "read_scores": "detectable.data.read_scores",
    "read_segment_scores": "detectable.study.ranking.segment_scores",
    "repeated_interval": "detectable.sequential.repeated",
    "sample_size": "detectable.power.ask",
    "simulate": "detectable.mixed.simulate",
    "simulate_procedures": "detectable.sequential.simulate_procedures",
    "stagewise_inference": "detectable.sequential.stagewise",
    "stratified_means": "detectable.study.precision.stratified",
    "stratify": "detectable.study.precision.stratified",
    "swap_calibration": "detectable.study.archive.swap_calibration",
    "tasks_csv": "detectable.report.tasks",
    "variance_components": "detectable.study.precision.variance_components",
    "write_judgments": "detectable.data.human.write_judgments",
}
__all__ = ["__version__", *_WHERE]  # the types are in __init__.pyi


def __getattr__(name: str) -> Any:
    """Import a public name on first use, so that ``detectable --help`` stays fast."""
    if name not in _WHERE:
        message = f"module 'detectable' has no attribute {name!r}"
        raise AttributeError(message)
    return getattr(import_module(_WHERE[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])


class _Package(ModuleType):
    """The package as a module whose `power` is the function, although a layer has that name.

    Whoever imports the layer `detectable.power` (the import system, pytest) binds its name here.
    That would replace the function by a module, depending on what was imported before. The layer
    needs no such name: ``from detectable.power.accuracy import Accuracy`` does without.
    """

    @property
    def power(self) -> Any:
        """The function, as for the other public names."""
        return __getattr__("power")

    @power.setter
    def power(self, layer: ModuleType) -> None:
        if getattr(layer, "__name__", "") != "detectable.power":
            message = "`detectable.power` is a function of the package and cannot be replaced."
            raise AttributeError(message)


sys.modules[__name__].__class__ = _Package
