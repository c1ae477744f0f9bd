"""The public names with their types; `__init__.py` loads them on first use."""

from detectable.core.errors import CompatibilityWarning as CompatibilityWarning
from detectable.core.errors import ConvergenceError as ConvergenceError
from detectable.core.errors import DataError as DataError
from detectable.core.errors import DetectableError as DetectableError
from detectable.core.errors import DetectableWarning as DetectableWarning
from detectable.core.errors import InputError as InputError
from detectable.core.errors import MissingExtraError as MissingExtraError
from detectable.core.errors import SuspiciousDataWarning as SuspiciousDataWarning
from detectable.data.corpus import Corpus as Corpus
from detectable.data.example_corpus import example_corpus as example_corpus
from detectable.data.human.judgments import Judgments as Judgments
from detectable.data.human.read_judgments import read_judgments as read_judgments
from detectable.data.human.write_judgments import write_judgments as write_judgments
from detectable.data.loaded import Loaded as Loaded
from detectable.data.read_corpus import read_corpus as read_corpus
from detectable.data.read_corpus_file import read_corpus_file as read_corpus_file
from detectable.data.read_scores import read_scores as read_scores
from detectable.data.scores import Scores as Scores
from detectable.inference.observed_mde import ObservedMde as ObservedMde
from detectable.inference.observed_mde import observed_mde as observed_mde
from detectable.inference.paired_permutation import PairedPermutation as PairedPermutation
from detectable.inference.paired_permutation import paired_permutation as paired_permutation
from detectable.metrics.base import ScoreMetric as ScoreMetric
from detectable.metrics.base import TextMetric as TextMetric
from detectable.metrics.registry import metric as metric
from detectable.mixed.component import ComponentTest as ComponentTest
from detectable.mixed.component import component_test as component_test
from detectable.mixed.fit import fit_mixed as fit_mixed
from detectable.mixed.predictions import EffectPredictions as EffectPredictions
from detectable.mixed.predictions import predict_effects as predict_effects
from detectable.mixed.result import MixedFit as MixedFit
from detectable.mixed.simulate import Simulation as Simulation
from detectable.mixed.simulate import simulate as simulate
from detectable.power.accuracy import Accuracy as Accuracy
from detectable.power.accuracy_margin import AccuracyMargin as AccuracyMargin
from detectable.power.ask import mde as mde
from detectable.power.ask import power as power
from detectable.power.ask import power_curve as power_curve
from detectable.power.ask import sample_size as sample_size
from detectable.power.bleu import Bleu as Bleu
from detectable.power.cheapest import CheapestDesign as CheapestDesign
from detectable.power.cheapest import Costs as Costs
from detectable.power.cheapest import cheapest as cheapest
from detectable.power.likert import Likert as Likert
from detectable.power.pilot import Pilot as Pilot
from detectable.power.preference import Preference as Preference
from detectable.power.rank_sum import RankSum as RankSum
from detectable.power.ratings import Ratings as Ratings
from detectable.power.ratings_margin import RatingsMargin as RatingsMargin
from detectable.power.result import DetectableEffect as DetectableEffect
from detectable.power.result import PowerCurve as PowerCurve
from detectable.power.result import PowerEstimate as PowerEstimate
from detectable.power.result import SampleSize as SampleSize
from detectable.power.scenario import Closed as Closed
from detectable.power.scenario import EffectRange as EffectRange
from detectable.power.scenario import Scenario as Scenario
from detectable.power.scenario import Trials as Trials
from detectable.power.swap_effects import SwapFit as SwapFit
from detectable.power.unpaired_accuracy import UnpairedAccuracy as UnpairedAccuracy
from detectable.report.appraise import appraise_batches as appraise_batches
from detectable.report.appraise import appraise_manifest as appraise_manifest
from detectable.report.tasks import tasks_csv as tasks_csv
from detectable.sequential.comparison_archive import ComparisonArchive as ComparisonArchive
from detectable.sequential.conditional_power import conditional_error as conditional_error
from detectable.sequential.confidence_sequence import ConfidenceBand as ConfidenceBand
from detectable.sequential.confidence_sequence import ConfidenceSequence as ConfidenceSequence
from detectable.sequential.confidence_sequence import confidence_sequence as confidence_sequence
from detectable.sequential.design import design as design
from detectable.sequential.design_result import Design as Design
from detectable.sequential.e_multiplicity import PairDecision as PairDecision
from detectable.sequential.e_multiplicity import PairDecisions as PairDecisions
from detectable.sequential.e_multiplicity import e_bh as e_bh
from detectable.sequential.e_multiplicity import e_holm as e_holm
from detectable.sequential.e_process import EProcess as EProcess
from detectable.sequential.e_process import EProcessTest as EProcessTest
from detectable.sequential.e_process import EvidencePath as EvidencePath
from detectable.sequential.e_process import e_process as e_process
from detectable.sequential.e_process_interval import BettingBand as BettingBand
from detectable.sequential.e_process_interval import betting_band as betting_band
from detectable.sequential.e_process_pairs import OrderedPairs as OrderedPairs
from detectable.sequential.e_process_pairs import pair_in_order as pair_in_order
from detectable.sequential.equivalence import margin_characteristics as margin_characteristics
from detectable.sequential.futility import Futility as Futility
from detectable.sequential.preference_process import PreferenceProcess as PreferenceProcess
from detectable.sequential.preference_process import PreferenceTest as PreferenceTest
from detectable.sequential.preference_process import preference_process as preference_process
from detectable.sequential.procedure_savings import ProcedureSavings as ProcedureSavings
from detectable.sequential.procedure_savings import Saving as Saving
from detectable.sequential.procedures import Procedure as Procedure
from detectable.sequential.read_archive import read_archive as read_archive
from detectable.sequential.repeated import repeated_interval as repeated_interval
from detectable.sequential.simulate_procedures import simulate_procedures as simulate_procedures
from detectable.sequential.stagewise import overrun_inference as overrun_inference
from detectable.sequential.stagewise import stagewise_inference as stagewise_inference
from detectable.study.archive.campaign_pairs import CampaignPairs as CampaignPairs
from detectable.study.archive.campaign_pairs import campaign_pairs as campaign_pairs
from detectable.study.archive.swap_calibration import SwapCalibration as SwapCalibration
from detectable.study.archive.swap_calibration import swap_calibration as swap_calibration
from detectable.study.comparison.compare import compare as compare
from detectable.study.comparison.result import Comparison as Comparison
from detectable.study.comparison.result import PairComparison as PairComparison
from detectable.study.comparison.result import SystemScore as SystemScore
from detectable.study.monitoring.conclude import conclude as conclude
from detectable.study.monitoring.conclusion import Conclusion as Conclusion
from detectable.study.monitoring.conclusion import PairConclusion as PairConclusion
from detectable.study.monitoring.look import look as look
from detectable.study.monitoring.look_result import Look as Look
from detectable.study.monitoring.look_result import PairLook as PairLook
from detectable.study.monitoring.plan import Plan as Plan
from detectable.study.monitoring.plan import plan as plan
from detectable.study.monitoring.plan import read_plan as read_plan
from detectable.study.monitoring.plan_history import PlanHistory as PlanHistory
from detectable.study.monitoring.plan_history import plan_history as plan_history
from detectable.study.precision.control_variate_result import ControlVariates as ControlVariates
from detectable.study.precision.control_variates import control_variates as control_variates
from detectable.study.precision.data_efficiency import data_efficiency as data_efficiency
from detectable.study.precision.data_efficiency import (
    observed_data_efficiency as observed_data_efficiency,
)
from detectable.study.precision.rater_agreement import RaterAgreement as RaterAgreement
from detectable.study.precision.rater_agreement import agreement as agreement
from detectable.study.precision.stratified import Stratification as Stratification
from detectable.study.precision.stratified import StratifiedMeans as StratifiedMeans
from detectable.study.precision.stratified import stratified_means as stratified_means
from detectable.study.precision.stratified import stratify as stratify
from detectable.study.precision.variance_advice import allocations as allocations
from detectable.study.precision.variance_components import (
    VarianceComponents as VarianceComponents,
)
from detectable.study.precision.variance_components import (
    variance_components as variance_components,
)
from detectable.study.ranking.rank_systems import rank_systems as rank_systems
from detectable.study.ranking.ranking import Ranking as Ranking
from detectable.study.ranking.segment_scores import SegmentScores as SegmentScores
from detectable.study.ranking.segment_scores import read_segment_scores as read_segment_scores
from detectable.study.raters.quality_control import quality_control as quality_control
from detectable.study.raters.quality_result import QualityControl as QualityControl
from detectable.study.raters.quality_result import RaterQuality as RaterQuality
from detectable.study.raters.rater_flags import FlagLimits as FlagLimits
from detectable.study.tasks.make_tasks import make_tasks as make_tasks
from detectable.study.tasks.result import Tasks as Tasks

__version__: str
__all__: list[str]
