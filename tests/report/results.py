"""One small result of every type, made by hand: what is shown can be checked against it.

No two numbers of a row are alike, so that a test notices when two columns are swapped.
"""

import math
from dataclasses import fields, replace
from inspect import getattr_static
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from detectable.contrasts.contrast import Contrast
from detectable.core.interval import Interval
from detectable.core.result import Result, Signature
from detectable.data.human.description import JudgmentDescription, ScoreSpread
from detectable.inference.observed_mde import ObservedMde
from detectable.inference.sign_flips import paired_permutation
from detectable.mixed.predictions import ComponentTest, EffectPrediction, EffectPredictions
from detectable.mixed.result import (
    MixedFit,
    ResidualSummary,
    SystemContrast,
    SystemMean,
    VarianceComponent,
)
from detectable.mixed.simulate import Simulation
from detectable.planning.cheapest import CheapestDesign, DesignOption
from detectable.planning.nearby import NearbyPower
from detectable.planning.result import (
    DetectableEffect,
    PowerCurve,
    PowerCurves,
    PowerEstimate,
    SampleSize,
    SampleSizes,
    SizesOf,
)
from detectable.report.saved.load import load
from detectable.report.saved.receipt import Difference, InputCheck, Receipt
from detectable.sequential.bands import BettingBand, ConfidenceBand
from detectable.sequential.boundaries import OperatingPoint
from detectable.sequential.design_result import Design, ExpectedN, FutilityCost, OverallAlpha
from detectable.sequential.e_process import EProcessTest, EvidencePath, OrderedPairs
from detectable.sequential.futility import Futility
from detectable.sequential.look_statistic import look_boundaries
from detectable.sequential.many_pairs import PairDecision, PairDecisions
from detectable.sequential.preference_process import PreferenceTest
from detectable.study.archive.procedure_savings import (
    ProcedureRow,
    ProcedureSavings,
    Saving,
    Tallies,
)
from detectable.study.arena.result import (
    Arena,
    ArenaEffect,
    ArenaPair,
    ArenaSystem,
    NaiveArena,
    NextPair,
)
from detectable.study.audit.archive_audit import ArchiveAudit, GroupAudit, GroupTally
from detectable.study.audit.benchmark_audit import (
    BenchmarkAudit,
    LookBack,
    PastClaim,
    TaskAudit,
)
from detectable.study.audit.past_comparisons import PastComparisons, SeenDifferences
from detectable.study.audit.survey_audit import SizeBand, SurveyAudit
from detectable.study.campaign import outcome
from detectable.study.campaign.campaigns import CampaignLine, Campaigns, RaterLine
from detectable.study.campaign.looks import CampaignLook, DecidedPair
from detectable.study.campaign.outcome import (
    CampaignOutcome,
    ClaimExamples,
    ErrorRate,
    ExampleLine,
    JudgmentCounts,
    MarkedError,
    ShownText,
    WinRate,
    answer_of,
)
from detectable.study.comparison.result import (
    Agreement,
    Comparison,
    Influential,
    PairComparison,
    RunsClaim,
    SystemScore,
    TellingUnit,
)
from detectable.study.demo.story import Chapter, DemoStory, PlantedDifference
from detectable.study.doctor.examination import (
    Detectable,
    Examination,
    Fact,
    FileFound,
    Question,
)
from detectable.study.doctor.installation import Installation, Installed
from detectable.study.gate.baseline import AcceptedBaseline
from detectable.study.gate.result import Gate, GateRow, OutcomeShares, QuestionLoss, SelfTest
from detectable.study.meta.result import Meta, MetaRow, MetricDifference
from detectable.study.monitoring.conclusion import Conclusion, PairConclusion
from detectable.study.monitoring.ledger import PairLook
from detectable.study.monitoring.look import Look
from detectable.study.monitoring.plan import Plan
from detectable.study.monitoring.plan_history import LedgerEntry, LookRow, PlanHistory
from detectable.study.precision.control_variate_result import (
    AdjustedDifference,
    AdjustedMean,
    ControlVariates,
)
from detectable.study.precision.judge_agreement import (
    BiasDifference,
    JudgeAgreement,
    JudgeOnSystem,
)
from detectable.study.precision.judge_faults import (
    JudgeDrift,
    JudgeRepeats,
    LengthError,
    SliceError,
)
from detectable.study.precision.label_plan import Labels
from detectable.study.precision.rater_agreement import RaterAgreement, RaterPair
from detectable.study.precision.rogan_gladen import CorrectedShare, RoganGladen
from detectable.study.precision.variance_components import (
    Allocation,
    Component,
    QualityShare,
    VarianceComponents,
)
from detectable.study.ranking.ranking import (
    DifferentVerdict,
    RankedPair,
    RankedSystem,
    Ranking,
    WmtView,
)
from detectable.study.ranking.repeat import (
    PlannedRepeat,
    Repeat,
    RepeatedClaim,
    RepeatNeeded,
)
from detectable.study.ranking.repeat_variance import RepeatVariance
from detectable.study.raters.quality_control import QualityControl, RaterQuality
from detectable.study.reliability.result import (
    Clustering,
    Curve,
    DifficultDocument,
    DocumentsFor,
    MetricFit,
    OrderBand,
    RankingPoint,
    Reliability,
    SystemFit,
)
from detectable.study.score.score import ScoreRow, SystemScores
from detectable.study.selection.guard import VarianceRatio
from detectable.study.selection.selection import Selection
from detectable.study.tasks.result import Arrival, TaskRow, Tasks
from detectable.study.translationese.halves import Part
from detectable.study.translationese.result import (
    HalfAgreement,
    HalfConclusion,
    PairEffect,
    Parity,
    Replicated,
    SystemEffect,
    Translationese,
)

NAN = math.nan
KEPT = Path(__file__).parents[1] / "frozen" / "kept"
SIGNATURE = Signature("toy", {"n": 3}, "7", "0.0")


def _interval(low: float, high: float, level: float = 0.95) -> Interval:
    return Interval(low, high, level)


# Comparisons


C = TypeVar("C", bound=Contrast)


def changed(row: C, **changes: Any) -> C:
    """Replace values of a row of differences, also by the names that its study has for them."""
    fields = {
        getattr(getattr_static(type(row), name), "of", name): value
        for name, value in changes.items()
    }
    return replace(row, **fields)


def pair(system: str = "new", metric: str = "bleu", **changes: Any) -> PairComparison:
    made = PairComparison(
        measure=metric,
        system=system,
        baseline="old",
        claim="better",
        difference=1.25,
        interval=_interval(0.5, 2.0),
        interval_alone=_interval(0.625, 1.875),
        standard_error=0.375,
        df=38.0,
        p_value=0.0123,
        p_adjusted=0.0246,
        p_equivalence=0.2468,
        attainable_p=0.0001,
        mde=1.05,
        units_needed=700,
        runs_needed=4,
        mde_many_runs=0.9,
        verdict="better",
        naive=None,
        p_by_document=NAN,
        these_runs=None,
        new_runs=None,
    )
    return changed(made, **changes)


def runs_claim(p_adjusted: float, low: float, high: float) -> RunsClaim:
    return RunsClaim(
        p_value=p_adjusted / 2, p_adjusted=p_adjusted, interval=_interval(low, high)
    )


def score(system: str = "new", metric: str = "bleu", **changes: Any) -> SystemScore:
    made = SystemScore(
        system=system,
        metric=metric,
        score=31.5,
        interval=_interval(30.0, 33.0),
        runs=(31.25, 31.75),
        s_test=0.35,
        s_sel=0.75,
        s_dev=NAN,
        median_run=0,
        group=None,
    )
    return replace(made, **changes)


def metric(name: str = "bleu", label: str = "BLEU", digits: int = 2) -> dict[str, Any]:
    return {
        "metric": name,
        "label": label,
        "digits": digits,
        "higher_is_better": name != "ter",
    }


def contrast(**changes: Any) -> TellingUnit:
    made = TellingUnit(
        system="new",
        baseline="old",
        unit="segment",
        name="17",
        contribution=0.125,
        source="Guten Tag.",
        reference="Good day.",
        system_output="Good day!",
        baseline_output="Day good.",
    )
    return replace(made, **changes)


def influential(**changes: Any) -> Influential:
    made = Influential(
        metric="bleu",
        system="new",
        baseline="old",
        unit="document",
        name="story-3",
        difference=0.875,
        p_adjusted=0.0875,
        decides=True,
    )
    return replace(made, **changes)


def comparison(**changes: Any) -> Comparison:
    """Two metrics, one pair each, with runs, a margin and things to read."""
    made = Comparison(
        metrics=(metric(), metric("ter", "TER", 1)),
        systems=(
            score("old", score=30.25, interval=_interval(28.5, 32.0), runs=(30.0, 30.5)),
            score("new"),
            score("old", "ter", score=55.5, interval=_interval(53.0, 58.0), s_sel=1.5),
            score("new", "ter", score=54.75, interval=_interval(52.5, 57.0), s_sel=1.25),
        ),
        pairs=(
            pair(
                these_runs=runs_claim(0.0002, 0.75, 1.75), new_runs=runs_claim(0.0246, 0.5, 2.0)
            ),
            pair(
                metric="ter",
                difference=-0.75,
                interval=_interval(-2.5, 1.0),
                standard_error=0.875,
                p_value=0.4321,
                p_adjusted=0.8642,
                p_equivalence=NAN,
                mde=2.5,
                units_needed=None,
                runs_needed=None,
                verdict="undecided",
                these_runs=runs_claim(0.0444, -1.5, -0.125),
                new_runs=runs_claim(0.8642, -2.5, 1.0),
            ),
        ),
        groups={},
        agreement=(
            Agreement(metrics=("bleu", "ter"), same_order=1, pairs=1, conflicts=("new − old",)),
        ),
        contrasts=(
            contrast(),
            contrast(unit="document", name="story-3", contribution=-0.0625),
        ),
        influential=(influential(),),
        unit="document",
        n_units=40,
        n_segments=1240,
        n_runs={"old": 2, "new": 2},
        test="swap",
        runs="random",
        correction="holm",
        family="systems-and-metrics",
        n_resamples=9_999,
        exact=False,
        claim="better",
        alpha=0.05,
        power=0.8,
        margin={"bleu": 0.5},
        effect={"bleu": 1.0},
        notes=("Two runs each.",),
        signature=SIGNATURE,
    )
    return replace(made, **changes)


def many_pairs(verdicts: str = "▲▲▼▼▼○", metrics: tuple[str, ...] = ("bleu",)) -> Comparison:
    """Several systems against one baseline; a symbol per system."""
    words = {"▲": "better", "▼": "worse", "○": "undecided", "◆": "equivalent"}
    names = [f"sys-{i}" for i in range(1, len(verdicts) + 1)]
    known = {"bleu": metric(), "ter": metric("ter", "TER", 1), "chrf": metric("chrf", "chrF")}
    return comparison(
        metrics=tuple(known[name] for name in metrics),
        systems=tuple(score(name, m) for m in metrics for name in ("old", *names)),
        pairs=tuple(
            pair(name, m, verdict=words[symbol], mde=1.0 + 0.1 * i, p_adjusted=0.01 * (i + 1))
            for m in metrics
            for i, (name, symbol) in enumerate(zip(names, verdicts, strict=True))
        ),
        agreement=(),
        contrasts=(),
        influential=(),
        n_runs=dict.fromkeys(("old", *names), 2),
        family="systems",
        notes=(),
    )


def all_pairs() -> Comparison:
    """Four systems, every pair tested under one metric, in two groups."""
    names = ("a", "b", "c", "d")
    told = {("a", "d"): "better", ("d", "b"): "worse", ("c", "d"): "higher"}
    return comparison(
        metrics=(metric(),),
        systems=tuple(score(n, group=2 if n == "d" else 1, runs=(31.5,)) for n in names),
        pairs=tuple(
            pair(first, baseline=second, verdict=told.get((first, second), "undecided"))
            for first, second in (
                ("a", "b"),
                ("a", "c"),
                ("a", "d"),
                ("b", "c"),
                ("d", "b"),
                ("c", "d"),
            )
        ),
        groups={"bleu": (("a", "b", "c"), ("d",))},
        agreement=(),
        contrasts=(),
        influential=(),
        n_runs=dict.fromkeys(names, 1),
        runs="fixed",
        correction="max-t",
        family="systems",
        notes=(),
    )


# Rankings


def ranked(system: str, **changes: Any) -> RankedSystem:
    made = RankedSystem(
        system=system,
        score=72.5,
        interval=_interval(70.0, 75.0),
        mean_raw=72.5,
        mean_z=0.25,
        n=120,
        N=1250,
        cluster=1,
        rank_low=1,
        rank_high=2,
    )
    return replace(made, **changes)


def ranked_pair(better: str, worse: str, **changes: Any) -> RankedPair:
    made = RankedPair(
        system=better,
        baseline=worse,
        claim="better",
        difference=2.5,
        interval=_interval(-0.5, 5.5),
        interval_alone=_interval(0.25, 4.75),
        standard_error=1.5,
        df=19.0,
        probability=0.58,
        p_value=0.0321,
        p_adjusted=0.0642,
        p_equivalence=0.6,
        attainable_p=0.0001,
        mde=4.25,
        units_needed=None,
        verdict="undecided",
        n=110,
        n_clusters=20,
    )
    return changed(made, **changes)


def ranking(**changes: Any) -> Ranking:
    """Three systems in two clusters."""
    made = Ranking(
        systems=(
            ranked("human"),
            ranked("new", score=70.0, mean_raw=70.0, mean_z=0.125, n=118, N=1240),
            ranked(
                "old",
                score=60.0,
                interval=_interval(57.5, 62.5),
                mean_raw=60.0,
                mean_z=-0.5,
                n=119,
                N=1230,
                cluster=2,
                rank_low=3,
                rank_high=3,
            ),
        ),
        clusters=(("human", "new"), ("old",)),
        pairs=(
            ranked_pair("human", "new"),
            ranked_pair(
                "human",
                "old",
                difference=12.5,
                interval=_interval(9.5, 15.5),
                interval_alone=_interval(10.25, 14.75),
                p_value=0.00012,
                p_adjusted=0.00036,
                mde=4.5,
                verdict="better",
                n_clusters=None,
            ),
            ranked_pair(
                "new",
                "old",
                difference=10.0,
                interval=_interval(7.0, 13.0),
                interval_alone=_interval(7.75, 12.25),
                p_value=0.002,
                p_adjusted=0.004,
                verdict="better",
            ),
        ),
        wmt=WmtView(
            clusters=(("human",), ("new",), ("old",)),
            n_significant=3,
            n_pairs=3,
            different=(
                DifferentVerdict(
                    better="human", worse="new", verdict="undecided", wmt="better"
                ),
            ),
        ),
        preset=None,
        test="permutation",
        matching="rater",
        unit="item",
        level="item",
        scale="points",
        correction="max-t",
        reason="Tested by sign flips.",
        claim="better",
        n_units=20,
        n_resamples=9_999,
        exact=False,
        alpha=0.05,
        power=0.8,
        margin=None,
        notes=("Four raters.",),
        signature=SIGNATURE,
    )
    return replace(made, **changes)


def repeat(**changes: Any) -> Repeat:
    """Two claims, of which one is weak; documents and raters are told apart."""
    made = Repeat(
        repeat="both",
        unit="document",
        n_documents=38,
        n_raters=3.0,
        keep=0.9,
        all_kept=0.8125,
        expected_lost=0.1875,
        claims=(
            RepeatedClaim(better="human", worse="old", kept=0.9975, significant_again=0.875),
            RepeatedClaim(better="new", worse="old", kept=0.8145, significant_again=0.5),
        ),
        same_leader=0.625,
        without_shrinkage=0.84375,
        limit=0.96875,
        variance=RepeatVariance(document=0.6875, rater=0.03125, rest=1.25),
        raters_identified=True,
        own_raters=False,
        needed=(
            RepeatNeeded(n_raters=1, n_documents=64),
            RepeatNeeded(n_raters=2, n_documents=43),
            RepeatNeeded(n_raters=3, n_documents=36),
        ),
        other_kinds={"raters": 0.9921875, "documents": 0.9375, "pool": 0.998},
        plan=tuple(
            PlannedRepeat(n_raters=k, same_rater=same, n_documents=n, all_kept=chance)
            for same, k, n, chance in (
                (True, 1, 20, 0.625),
                (True, 1, 130, 0.9375),
                (True, 2, 20, 0.75),
                (True, 2, 130, 0.953125),
                (False, 1, 20, 0.125),
                (False, 1, 130, 0.6875),
            )
        ),
        notes=("With 4 raters, the spread between raters is hardly known.",),
        signature=SIGNATURE,
    )
    return replace(made, **changes)


def long_ranking(n: int = 7, *, name: str = "system-{:02d}") -> Ranking:
    """Many systems; only the last is told apart from the others."""
    names = [name.format(i + 1) for i in range(n)]
    return ranking(
        systems=tuple(
            ranked(
                name,
                score=80.0 - i,
                mean_raw=80.0 - i,
                cluster=1 if i < n - 1 else 2,
                rank_low=1 if i < n - 1 else n,
                rank_high=n - 1 if i < n - 1 else n,
            )
            for i, name in enumerate(names)
        ),
        clusters=(tuple(names[:-1]), (names[-1],)),
        pairs=tuple(
            ranked_pair(first, second, verdict="better" if second == names[-1] else "undecided")
            for i, first in enumerate(names)
            for second in names[i + 1 :]
        ),
        notes=(),
    )


# Planning


def nearby_power(**changes: Any) -> NearbyPower:
    """Three sizes and six effects, the largest of which is not possible for the smallest size."""
    made = NearbyPower(
        n_items=(750, 1500, 3000),
        effect=(0.125, 0.25, 0.375, 0.5, 0.625, 0.75),
        power=(
            (0.0625, 0.15, 0.3, 0.51, 0.71, None),
            (0.1, 0.29, 0.56, 0.8125, 0.94, 0.99),
            (0.15, 0.51, 0.85, 0.98, 0.998, 0.9999),
        ),
        type_m=((5.5, 3.5, 2.0, 1.4, 1.2, None),) + ((4.5, 2.5, 1.5, 1.125, 1.05, 1.0),) * 2,
        type_s=((0.09, 0.03, 0.01, 0.004, 0.001, None),)
        + ((0.05, 0.008, 0.003, 0.0005, 0.0001, 0.0),) * 2,
        span=(0.0, 0.75),
        approximate=True,
    )
    return replace(made, **changes)


def power_estimate(**changes: Any) -> PowerEstimate:
    made = PowerEstimate(
        power=0.8125,
        type_m=1.125,
        type_s=0.0005,
        method="simulated",
        standard_error=0.004,
        effect=0.5,
        alpha=0.05,
        details={"agreement": 0.975, "test_used": "mcnemar", "n_big": 12345678},
        notes=("Simulated.",),
        n_items=1500,
        n_trials=10_000,
        scale="difference of marks",
        nearby=nearby_power(),
        signature=SIGNATURE,
    )
    return replace(made, **changes)


def detectable_effect(**changes: Any) -> DetectableEffect:
    made = DetectableEffect(
        power=0.75,
        type_m=NAN,
        type_s=NAN,
        method="closed-form",
        standard_error=None,
        effect=0.25,
        alpha=0.05,
        n_items=900,
        target_power=0.8,
        effect_error=None,
        signature=SIGNATURE,
    )
    return replace(made, **changes)


def sample_size(**changes: Any) -> SampleSize:
    made = SampleSize(
        power=0.62,
        type_m=1.5,
        type_s=0.01,
        method="closed-form",
        standard_error=None,
        effect=0.25,
        alpha=0.05,
        attainable=False,
        n_items=None,
        target_power=0.8,
        n_items_error=None,
        limit="power stays below .62.",
        signature=SIGNATURE,
    )
    return replace(made, **changes)


def sample_sizes(**changes: Any) -> SampleSizes:
    def of(effect: float, n: int | None) -> SampleSize:
        return sample_size(
            attainable=n is not None,
            n_items=n,
            effect=effect,
            power=0.81,
            limit="" if n else "power stays below .62.",
            details={"total_judgments": 2 * (n or 0)},
            unit="judgment per system",
        )

    made = SampleSizes(
        effect=(1.0, 2.0, 3.0),
        groups=(
            SizesOf(
                name="cs-en",
                points=(of(1.0, 2734), of(2.0, 762), of(3.0, 377)),
                details={"mean": 89.73, "sd": 19.26, "systems": 12},
            ),
            SizesOf(
                name="ja-en",
                points=(of(1.0, 16251), of(2.0, None), None),
                details={"mean": 71.2, "sd": 23.66, "systems": 9},
            ),
        ),
        target_power=0.8,
        alpha=0.05,
        name="language-pair",
        unit="judgment per system",
        notes=("The 2 groups with most comparisons.",),
        scale="difference of the mean ratings",
        signature=SIGNATURE,
    )
    return replace(made, **changes)


def power_curve(**changes: Any) -> PowerCurve:
    points = tuple(
        power_estimate(
            n_items=n,
            effect=effect,
            power=power,
            method=method,
            notes=("Simulated.", f"For {n}."),
        )
        for n, effect, power, method in (
            (500, 0.2, 0.25, "simulated"),
            (500, 0.4, 0.75, "simulated"),
            (1500, 0.2, 0.5, "simulated"),
            (1500, 0.4, 0.95, "closed-form"),
        )
    )
    made = PowerCurve(
        n_items=(500, 1500),
        effect=(0.2, 0.4),
        null_effect=0.0,
        alpha=0.05,
        points=points,
        unit="judgment per system",
        signature=SIGNATURE,
    )
    return replace(made, **changes)


def power_curves(**changes: Any) -> PowerCurves:
    points = tuple(replace(one, power=0.5 * one.power) for one in power_curve().points)
    made = PowerCurves(
        names=("agreement 0.95", "agreement 0.7"),
        curves=(power_curve(), power_curve(points=points)),
        signature=SIGNATURE,
    )
    return replace(made, **changes)


def cheapest_design(**changes: Any) -> CheapestDesign:
    dear = DesignOption(
        n_raters=3, n_items=400, n_judgments=2400, cost=2415.5, power=0.8125, test="card"
    )
    cheap = DesignOption(
        n_raters=5, n_items=90, n_judgments=900, cost=925.0, power=0.805, test="card"
    )
    made = CheapestDesign(
        best=cheap,
        options=(dear, cheap),
        effect=0.2,
        target_power=0.8,
        alpha=0.05,
        notes=("With fewer than 3 raters nothing is enough.",),
        nearby=tuple(
            DesignOption(
                n_raters=raters,
                n_items=items,
                n_judgments=2 * raters * items,
                cost=cost,
                power=power,
                test="card",
            )
            for raters, items, cost, power in (
                (2, 100, 410.0, 0.35),
                (2, 400, 1610.0, 0.5),
                (5, 45, 475.0, 0.55),
                (5, 90, 925.0, 0.805),
                (5, 180, 1825.0, 0.95),
                (8, 40, 680.0, 0.5),
                (8, 80, 1320.0, 0.9),
            )
        ),
        signature=SIGNATURE,
    )
    return replace(made, **changes)


# Judgments and raters


def judgment_description(**changes: Any) -> JudgmentDescription:
    made = JudgmentDescription(
        output="judgments.csv",
        judgments=1234,
        kinds={"system": 1200, "repeat": 0, "degraded": 34},
        levels={"system": 3, "item": 400, "rater": 12},
        scale=(0.0, math.inf),
        notes=("2 rows left out.",),
        scores=(
            ScoreSpread(
                kind="system", n=1200, quartiles=(1.5, 40.0, 62.5, 80.0, 100.0), at_ends=0.0625
            ),
            ScoreSpread(
                kind="degraded", n=34, quartiles=(0.0, 12.0, 25.0, 45.0, 90.0), at_ends=0.125
            ),
        ),
        signature=SIGNATURE,
    )
    return replace(made, **changes)


def rater(name: str, verdict: str, **changes: Any) -> RaterQuality:
    made = RaterQuality(
        rater=name,
        verdict=verdict,  # type: ignore[arg-type]  # one of three words
        reason="",
        p_value=0.004,
        p_holm=0.012,
        p_bh=0.008,
        t=-4.5,
        z=-3.25,
        n_pairs=11,
        mean_difference=-21.5,
        sd_difference=12.5,
        power=0.875,
        n_judgments=100,
        mean=60.0,
        sd=20.0,
        mean_system=65.0,
        mean_degraded=40.0,
        mean_reference=80.0,
        longest_run=3,
        fastest_task=600.0,
        flags=(),
    )
    return replace(made, **changes)


def quality_control(**changes: Any) -> QualityControl:
    made = QualityControl(
        raters=(
            rater("ann", "good"),
            rater("bob", "untestable", reason="one pair only", p_value=NAN, n_pairs=1),
            rater("cho", "bad", p_value=0.25, flags=("fast", "one score")),
            rater("dee", "bad", p_value=0.75, mean_difference=3.0),
        ),
        test="paired-t",
        alpha=0.05,
        correction="none",
        effect=25.0,
        effect_sd=10.0,
        expected_lucky=0.15,
        notes=("One rater left out.",),
        signature=SIGNATURE,
    )
    return replace(made, **changes)


def rater_agreement(**changes: Any) -> RaterAgreement:
    made = RaterAgreement(
        level="interval",
        krippendorff=0.7,
        interval=_interval(0.6, 0.8),
        pearson=0.65,
        spearman=0.55,
        pairs=(
            RaterPair(
                rater="ann",
                other="bob",
                n_translations=1043,
                pearson=0.75,
                spearman=0.625,
                mean_difference=-8.5,
            ),
        ),
        n_pairs_below=2,
        min_overlap=10,
        n_translations=68,
        n_judgments=150,
        n_raters=3,
        unit="document",
        n_clusters=20,
        alpha=0.05,
        notes=("17 repeats left out.",),
        signature=SIGNATURE,
    )
    return replace(made, **changes)


def judge_agreement(**changes: Any) -> JudgeAgreement:
    made = JudgeAgreement(
        judge="gpt",
        systems=(
            JudgeOnSystem(
                system="new",
                n_items=125,
                share=0.944,
                kappa=-0.0234,
                ac1=0.9408,
                ac1_error=0.0226,
                krippendorff=-0.0247,
                table=(118, 5, 2, 0),
                misleading=True,
                bias=0.024,
                interval=_interval(-0.018, 0.066),
                correlation=-0.03,
            ),
            JudgeOnSystem(
                system="old",
                n_items=124,
                share=0.806,
                kappa=0.579,
                ac1=0.639,
                ac1_error=0.055,
                krippendorff=0.577,
                table=(70, 17, 7, 30),
                misleading=False,
                bias=0.0806,
                interval=_interval(0.003, 0.158),
                correlation=0.59,
            ),
        ),
        pairs=(
            BiasDifference(
                system="new",
                baseline="old",
                difference=-0.0566,
                interval=_interval(-0.11, -0.004),
                p_value=0.0351,
                p_adjusted=0.0352,
                verdict="lower",
                n=120,
            ),
        ),
        unit="document",
        threshold=None,
        alpha=0.05,
        notes=("3 labels left out.",),
        signature=SIGNATURE,
    )
    return replace(made, **changes)


def judge_faults() -> JudgeAgreement:
    """Return a judge that errs in one language, likes long outputs, repeats itself and has drifted."""
    tested: dict[str, Any] = {
        "interval": _interval(0.03, 0.21),
        "p_value": 0.004,
        "p_adjusted": 0.008,
    }
    return judge_agreement(
        slices=(
            SliceError(
                system="de",
                baseline="all others",
                difference=0.12,
                verdict="higher",
                error=0.15,
                absolute=0.2,
                n=60,
                **tested,
            ),
        ),
        drift=(
            JudgeDrift(
                system="new",
                baseline="earlier",
                difference=0.1,
                verdict="higher",
                share_same=0.81,
                n=125,
                **tested,
            ),
        ),
        repeats=(
            JudgeRepeats(
                system="new",
                n_items=125,
                n_scores=375,
                share_same=0.902,
                interval=_interval(0.86, 0.94),
                spread=0.19,
                noise=0.21,
            ),
        ),
        length=LengthError(
            column="output",
            per=100.0,
            unit="words",
            slope=0.04,
            interval=_interval(0.01, 0.07),
            p_value=0.011,
            shorter=0.01,
            longer=0.07,
            n_items=249,
        ),
        signature=replace(SIGNATURE, settings={**SIGNATURE.settings, "by": "language"}),
    )


def rogan_gladen(**changes: Any) -> RoganGladen:
    made = RoganGladen(
        judge="gpt",
        systems=(
            CorrectedShare(
                system="new",
                share=0.7,
                standard_error=0.035,
                interval=_interval(0.63, 0.77),
                judged_share=0.69,
                sensitivity=0.9,
                specificity=0.8,
                n_pool=5000,
                n_right=140,
                n_wrong=60,
            ),
        ),
        alpha=0.05,
        notes=("Left out, without labels: old.",),
        signature=SIGNATURE,
    )
    return replace(made, **changes)


def labels(**changes: Any) -> Labels:
    made = Labels(
        goal="half-width",
        wanted=0.05,
        n_labels=218,
        n_formula=216.27,
        n_without=385,
        smallest_pool=386,
        pool_floor=188.2,
        reached=0.0502,
        sd=0.5,
        correlation=0.7,
        n_pool=2000,
        target="domain",
        alpha=0.05,
        power=None,
        pilot_correlation=0.75,
        n_pilot=60,
        notes=("The pilot's 60 labels give a correlation of 0.75.",),
        signature=SIGNATURE,
    )
    return replace(made, **changes)


def meta_row(metric: str = "comet", **changes: Any) -> MetaRow:
    made = MetaRow(
        metric=metric,
        statistic="acc-eq",
        level="segment",
        value=0.612,
        interval=_interval(0.581, 0.643),
        floor=0.48,
        above_floor="yes",
        epsilon=0.025,
        n_groups=529,
        n_undefined=7,
        negated=False,
    )
    return replace(made, **changes)


def meta(**changes: Any) -> Meta:
    made = Meta(
        rows=(
            meta_row(),
            meta_row("ter", value=0.479, interval=_interval(0.45, 0.508), above_floor="no",
                     epsilon=3.5, negated=True),
        ),
        pairs=(
            MetricDifference(
                system="comet",
                baseline="ter",
                measure="acc-eq",
                difference=0.133,
                interval=_interval(0.101, 0.165),
                p_value=0.0005,
                p_adjusted=0.0015,
                verdict="better",
                mde=0.041,
                p_cells=NAN,
                p_williams=NAN,
            ),
        ),
        level="segment",
        statistics=("acc-eq",),
        average_by="item",
        undefined="skip",
        n_systems=13,
        n_segments=530,
        n_outputs=6890,
        n_documents=5,
        human_ties=0.48,
        unit="segment",
        n_clusters=530,
        draw_systems=False,
        n_resamples=2000,
        exact=False,
        references=("refA",),
        alpha=0.05,
        notes=("ter: lower is better, so it was negated.",),
        signature=SIGNATURE,
    )  # fmt: skip
    return replace(made, **changes)


def variance_components(**changes: Any) -> VarianceComponents:
    made = VarianceComponents(
        total=Component(value=225.0, interval=_interval(160.0, 300.0)),
        noise=Component(value=64.0, interval=_interval(45.0, 90.0)),
        by_difference=QualityShare(
            value=0.715, untruncated=0.72, interval=_interval(0.555, 0.825), gamma=0.4
        ),
        by_covariance=QualityShare(value=0.0, untruncated=-0.05, interval=None, gamma=math.inf),
        intra=Component(value=4.0, interval=None),
        intra_correlation=0.97,
        n_judgments=209,
        n_translations=88,
        n_repeated=68,
        n_raters=4,
        n_intra=17,
        unit="document",
        n_clusters=20,
        pooled="within-system",
        alpha=0.1,
        advice=(
            Allocation(n_raters=1, n_items=7000, standard_error=1.8035, relative_cost=1.0),
            Allocation(n_raters=2, n_items=3500, standard_error=2.357, relative_cost=1.71),
        ),
        notes=("49 judgments left out.",),
        signature=SIGNATURE,
    )
    return replace(made, **changes)


def control_variates(**changes: Any) -> ControlVariates:
    made = ControlVariates(
        metric="COMET",
        systems=(
            AdjustedMean(
                system="new",
                mean=70.5,
                standard_error=1.25,
                df=30.0,
                interval=_interval(68.0, 73.0),
                plain_mean=71.5,
                plain_standard_error=1.5,
                slope=0.625,
                power_tuning=0.6,
                correlation=0.45,
                n_items=120,
                n_pool=2000,
            ),
        ),
        pairs=(
            AdjustedDifference(
                system="new",
                baseline="old",
                difference=2.25,
                standard_error=0.9,
                df=60.0,
                interval=_interval(0.5, 4.0),
                p_value=0.011,
                p_adjusted=0.022,
                verdict="better",
                plain_estimate=2.0,
                plain_standard_error=1.0,
                plain_p_value=0.05,
                plain_p_adjusted=0.1,
                correlation=0.4,
                paired=True,
                n=110,
            ),
        ),
        correlation=0.45,
        data_efficiency=1.25,
        quality_share=None,
        true_correlation=NAN,
        true_data_efficiency=NAN,
        saved=0.19,
        target="domain",
        unit="item",
        alpha=0.05,
        notes=("The pool has 2,000 items.",),
        signature=SIGNATURE,
    )
    return replace(made, **changes)


# Mixed models


def mixed_contrast(system: str = "new", **changes: Any) -> SystemContrast:
    made = SystemContrast(
        system=system,
        baseline="old",
        difference=0.39025,
        standard_error=0.1089,
        df=6.25,
        t=3.58,
        p_value=0.0116,
        p_adjusted=0.0232,
        interval=_interval(0.1238, 0.6566),
    )
    return changed(made, **changes)


def mixed_fit(**changes: Any) -> MixedFit:
    nothing: Any = None  # what the fit was made of is not shown
    made = MixedFit(
        contrasts=(mixed_contrast(), mixed_contrast("human", estimate=0.83)),
        systems=(
            SystemMean(
                system="old",
                mean=3.80715,
                standard_error=0.2705,
                df=7.0,
                interval=_interval(3.2285, 4.3856),
                n_ratings=1048,
            ),
        ),
        components=(
            VarianceComponent(name="rater intercept", variance=0.04, sd=0.2, share=0.16),
            VarianceComponent(name="residual", variance=0.21, sd=0.4583, share=0.84),
        ),
        criterion=300.0,
        log_likelihood=-150.0,
        reml=True,
        singular=False,
        n_ratings=144,
        groups={"rater": 4, "item": 12},
        slopes=("rater",),
        residuals=ResidualSummary(
            minimum=-3.0, first_quartile=-0.7, median=0.0, third_quartile=0.7, maximum=3.0
        ),
        alpha=0.05,
        method="satterthwaite",
        notes=("Few raters.",),
        model=nothing,
        solution=nothing,
        signature=SIGNATURE,
    )
    return replace(made, **changes)


def effect_predictions() -> EffectPredictions:
    return EffectPredictions(
        factor="rater",
        effects=(
            EffectPrediction(
                level="ann",
                effect=-0.25,
                standard_error=0.125,
                interval=_interval(-0.5, 0.0),
                by_system={"new": 0.0625, "old": -0.03125},
                by_system_errors={"new": 0.1, "old": 0.2},
                n_ratings=36,
            ),
            EffectPrediction(
                level="bob, jr.",
                effect=1.0 / 3.0,
                standard_error=0.5,
                interval=_interval(-0.5, 1.0),
                by_system={},
                by_system_errors={},
                n_ratings=12,
            ),
        ),
        signature=SIGNATURE,
    )


# Looks


def design(**changes: Any) -> Design:
    def point(drift: float, power: float, n: float, **more: Any) -> OperatingPoint:
        return OperatingPoint(
            drift=drift,
            power=power,
            power_any_sign=2 * power,
            expected_n=n,
            stop_efficacy=(power / 2, power / 2),
            stop_futility=(0.0, 0.0),
            **more,
        )

    expected = ExpectedN(h0=0.99, half=0.9, full=0.75, one_and_half=0.5)
    made = Design(
        family="hsd",
        parameter=-4.0,
        sided=2,
        alpha=0.05,
        power=0.9,
        information=(0.25, 0.5, 1.0),
        z=(math.inf, 2.75, 2.0125),
        z_lower=None,
        nominal_p=(0.0, 0.006, 0.0445),
        alpha_spent=(0.0001, 0.0062, 0.05),
        futility=(None, 0.3125, None),
        futility_rule="predictive-power",
        binding=False,
        overall_alpha=OverallAlpha(futility_ignored=0.05, futility_obeyed=0.048),
        drift=3.25,
        inflation=1.02,
        expected_n=expected,
        expected_n_over_fixed=expected.times(1.02),
        with_futility=FutilityCost(power=0.885, expected_n=expected, inflation=1.03),
        characteristics=(
            point(0.0, 0.025, 0.99, with_futility=point(0.0, 0.02, 0.75)),
            point(3.25, 0.9, 0.74, with_futility=point(3.25, 0.89, 0.73)),
        ),
        n_max=1200,
        items=(300, 600, 1200),
        expected_items=expected.times(1200),
        notes=("Futility is only advice.",),
        rule=Futility("predictive-power"),
        design_drift=3.25,
        signature=SIGNATURE,
    )
    return replace(made, **changes)


def pair_look(**changes: Any) -> PairLook:
    made = PairLook(
        system="new",
        baseline="old",
        decision="continue",
        n_units=120,
        n_clusters=None,
        judgments=1240,
        information=0.40625,
        estimate=1.2345,
        standard_error=0.5,
        df=None,
        scale="mean difference",
        interval=_interval(-0.25, 2.75),
        z=-1.5,
        z_bound=2.75,
        futility_bound=0.125,
        level=0.05,
        alpha_spent=0.006,
    )
    return replace(made, **changes)


def look(**changes: Any) -> Look:
    made = Look(
        look=2,
        time="2026-01-02T03:04:05Z",
        decision="continue",
        pairs=(
            pair_look(),
            pair_look(
                system="third",
                decision="stop: better",
                z=None,
                z_bound=None,
                e_value=25.125,
                e_needed=20.0,
                interval=_interval(0.25, math.inf),
            ),
        ),
        judgments=1240,
        new_judgments=600,
        judgments_planned=1160,
        expected_judgments=800,
        saved=None,
        unit="item",
        final=False,
        declared=False,
        overruled=False,
        still_needed=("new", "old"),
        notes=("3 judgments left out.",),
        signature=SIGNATURE,
    )
    return replace(made, **changes)


def plan(**changes: Any) -> Plan:
    made = Plan(
        question="Ship?",
        systems=("new", "old"),
        baseline="old",
        test="paired-mean",
        unit="auto",
        scale=(0.0, 100.0),
        claim="better",
        margin=None,
        n_max=1001,
        alpha=0.05,
        design={"family": "pocock", "looks": 2, "futility": "none"},
        seed=0,
        created="2026-01-02T03:04:05Z",
        path="ship.json",
        fingerprint="abc",
        signature=SIGNATURE,
    )
    return replace(made, **changes)


def plan_history(**changes: Any) -> PlanHistory:
    made = PlanHistory(
        plan=plan(),
        looks=(
            LookRow(look=1, time="2026-01-02T03:04:05Z", pair=pair_look(n_units=60)),
            LookRow(look=2, time="2026-01-03T03:04:05Z", pair=pair_look(z_bound=math.inf)),
        ),
        n_looks=2,
        decision="continue",
        signature=SIGNATURE,
    )
    return replace(made, **changes)


def watched(
    zs: tuple[float, ...] = (1.4, 2.0, 2.45, 2.52), last: Any = "stop: better", **changes: Any
) -> PlanHistory:
    """Looks at a plan with five, boundaries and all; one z each."""
    shares = (0.2, 0.4, 0.6, 0.8, 1.0)
    family = {"family": "hsd", "at": list(shares), "futility": "predictive-power"}
    made = plan(n_max=600, **{"design": family, **changes})
    rows = []
    for look, z in enumerate(zs, start=1):
        found = look_boundaries(made.design_at(made.alpha / len(made.pairs)), shares[:look])
        n, bound = 120 * look, found.z[-1]
        error = 20.0 / math.sqrt(n)
        for system, baseline in made.pairs:
            row = pair_look(
                system=system,
                baseline=baseline,
                decision="continue" if look < len(zs) else last,
                n_units=n,
                judgments=2 * n,
                information=shares[look - 1],
                estimate=z * error,
                standard_error=error,
                interval=_interval((z - bound) * error, (z + bound) * error),
                z=z,
                z_bound=bound,
                futility_bound=found.futility,
                alpha_spent=found.alpha_spent[-1],
                z_margin=None if made.margin is None else bound,
                sided=made.sided,
            )
            rows.append(LookRow(look=look, time=_day(look), pair=row))
    return PlanHistory(
        plan=made,
        looks=tuple(rows),
        n_looks=len(zs),
        decision=last,
        entries=tuple(
            ledger_entry(
                look=look,
                time=_day(look),
                decision="continue" if look < len(zs) else last,
                judgments=240 * look,
                fingerprint=f"{look}fedcba9876543210",
            )
            for look in range(1, len(zs) + 1)
        ),
        signature=SIGNATURE,
    )


def _day(look: int) -> str:
    return f"2026-01-{look + 2:02d}T03:04:05+00:00"


def ledger_entry(**changes: Any) -> LedgerEntry:
    made = LedgerEntry(
        look=1,
        time="2026-01-03T03:04:05+00:00",
        decision="continue",
        judgments=240,
        new_judgments=239,
        declared=False,
        overruled=False,
        fingerprint="1fedcba9876543210",
    )
    return replace(made, **changes)


def bet_on(
    values: tuple[float, ...] = (1.8, 6.5, 21.5), last: Any = "stop: better", **changes: Any
) -> PlanHistory:
    """Looks at a plan of bets; one E each, the same for all pairs."""
    made = watched(values, last, test="e-process", **changes)
    rows = tuple(
        replace(
            row,
            pair=replace(
                row.pair,
                z=None,
                z_bound=None,
                futility_bound=None,
                alpha_spent=None,
                e_value=row.pair.z,
                e_needed=20.0 * (1 if len(made.plan.pairs) == 1 else 2 * len(made.plan.pairs)),
            ),
        )
        for row in made.looks
    )
    return replace(made, plan=replace(made.plan, design={}), looks=rows)


def concluded(**changes: Any) -> PairConclusion:
    made = PairConclusion(
        system="new",
        baseline="old",
        verdict="better",
        reason="boundary",
        look=3,
        n=1360,
        p_value=0.0042,
        p_adjusted=0.0084,
        difference=1.2345,
        interval=_interval(0.5, 2.125),
        naive_estimate=1.5,
        scale="mean difference",
        method="stagewise",
    )
    names = {"estimate": "difference", "n_units": "n"}
    return replace(made, **{names.get(name, name): value for name, value in changes.items()})


def campaign_outcome(**changes: Any) -> CampaignOutcome:
    ended = conclusion() if "conclusion" not in changes else changes["conclusion"]
    error = MarkedError(start=4, end=9, severity="major", category="accuracy/mistranslation")
    shown = ShownText(system="new", text="the north side", score=48.0, errors=(error,))
    gone = MarkedError(start=None, end=None, severity="minor")
    other = ShownText(system="old", text="the side", score=12.0, errors=(gone,))
    made = CampaignOutcome(
        name="ship",
        protocol="mqm",
        source_language="de",
        target_language="en",
        began=1_789_000_000.0,
        ended=1_789_100_000.0,
        systems=("new", "old"),
        answer=answer_of(ended),
        conclusion=ended,
        n_lines=140,
        judgments=JudgmentCounts(decided=280, controls=91, repeats=40, refused=36, skipped=3),
        price=0.2,
        budget=900,
        seconds=18_540.0,
        raters=(
            RaterLine(
                rater="r-01", state="active", blocks=9, pages=90, judgments=450, minutes=309.0
            ),
        ),
        scores=(
            outcome.SystemMean(
                system="new", n_lines=140, mean=81.4, interval=Interval(78.6, 84.2, 0.95)
            ),
            outcome.SystemMean(system="old", n_lines=140, mean=73.5, interval=None),
        ),
        errors=(
            ErrorRate(
                system="new",
                severity="major",
                category="accuracy/mistranslation",
                n=17,
                per_100=100.0 * 17 / 140,
            ),
        ),
        wins=(WinRate(system="new", baseline="old", wins=70, ties=30, losses=40, identical=4),),
        examples=(
            ClaimExamples(
                system="new",
                baseline="old",
                least=10.0,
                n_such=26,
                lines=(
                    ExampleLine(
                        item="7", source="die Nordseite", reference=None, texts=(shown, other)
                    ),
                ),
            ),
        ),
        signature=SIGNATURE,
    )
    return replace(made, **changes)


def conclusion(**changes: Any) -> Conclusion:
    made = Conclusion(
        question="Ship?",
        pairs=(
            concluded(),
            concluded(
                system="third",
                verdict="undecided",
                reason="futile",
                look=2,
                n_units=900,
                p_value=NAN,
                p_adjusted=NAN,
                interval=None,
            ),
        ),
        n_looks=3,
        judgments=2720,
        saved=480,
        alpha=0.05,
        margin=None,
        claim="better",
        notes=("Overrun of 5 items.",),
        signature=SIGNATURE,
    )
    return replace(made, **changes)


# Of the library alone


def component_test(**changes: Any) -> ComponentTest:
    made = ComponentTest(
        component="rater slope",
        statistic=4.25,
        p_value=0.0196,
        method="likelihood-ratio",
        sd=0.125,
        n_resamples=0,
        null=np.array([]),
        signature=SIGNATURE,
    )
    return replace(made, **changes)


def simulation(**changes: Any) -> Simulation:
    made = Simulation(
        contrasts=(("new", "old"), ("third", "old")),
        truth=(0.5, 0.0),
        alpha=0.05,
        power=(0.8125, 0.0625),
        standard_errors=(0.03125, 0.0175),
        n_simulations=160,
        n_failed=3,
        estimates=np.array([[0.4, 0.1]]),
        errors=np.array([[0.2, 0.3]]),
        df=np.array([[9.0, 8.0]]),
        p_values=np.array([[0.04, 0.7]]),
        signature=SIGNATURE,
    )
    return replace(made, **changes)


def observed_mde(**changes: Any) -> ObservedMde:
    made = ObservedMde(
        effect=2.75,
        n_above=12,
        n_significant_above=11,
        share_above=11 / 12,
        share_interval=_interval(0.6461, 0.9851),
        share=0.8,
        rule="first-failure",
        n_comparisons=90,
        n_significant=31,
        median_difference=1.125,
        alpha=0.05,
        notes=("Ten comparisons were left out.",),
        signature=SIGNATURE,
    )
    return replace(made, **changes)


def selection(**changes: Any) -> Selection:
    made = Selection(
        items=("i1", "i4", "i5"),
        documents=("d2", "d3"),
        asked="auto",
        by="metric",
        unit="document",
        n_items=4,
        n_pool=6,
        n_units=3,
        n_drawn=3,
        n_units_drawn=2,
        metric="COMET",
        guard=VarianceRatio(ratio=0.875, standard_error=0.0625),
        batch=2,
        steps=2,
        cost=0.625,
        cost_by="time",
        budget=0.6,
        floor=0.5,
        is_flat=False,
        groups=(),
        seed_by_hand=False,
        earlier=0,
        continues="5f0c",
        notes=("One item has no score.",),
        metric_sha256="ab12",
        systems=("new", "old"),
        pool_items=("i0", "i2", "i3", "i1", "i4", "i5"),
        pool_documents=("d1", "d1", "d1", "d2", "d3", "d3"),
        unit_of=np.array([0, 0, 0, 1, 2, 2]),
        unit_cost=np.array([2.5, 1.0, 2.5]),
        size=np.array([0.5, 1.0, 2.0]),
        probability=np.array([0.4, 0.5, 0.8]),
        weight=np.array([1.25, 1.5, 4.75]),
        batch_of=np.array([0, 1, 2]),
        first_metric=np.array([[0.5], [0.25]]),
        signature=Signature("select", {"by": "auto", "n": 4}, "7"),
    )
    return replace(made, **changes)


# One system


def score_row(**changes: Any) -> ScoreRow:
    made = ScoreRow(
        task="arith",
        metric="match",
        score=0.8,
        interval=_interval(0.72, 0.86),
        n_items=120,
        n_samples=240,
        n_clusters=120,
        standard_error=0.036,
        df=119.0,
        method="wilson",
        zero_one=True,
    )
    return replace(made, **changes)


def system_scores(**changes: Any) -> SystemScores:
    made = SystemScores(
        system="new",
        rows=(
            score_row(),
            score_row(
                task="lookup",
                metric="fluency",
                score=3.21,
                method="t",
                zero_one=False,
                interval=_interval(3.0, 3.4),
                n_clusters=30,
            ),
            score_row(task="arith (de)", slice="de", n_items=40, n_samples=80, n_clusters=40),
        ),
        alpha=0.05,
        told_apart=0.0814,
        told_on="arith",
        by="lang",
        notes=("match: 2.0% of the samples have no score.",),
        signature=SIGNATURE,
    )
    return replace(made, **changes)


# What is watched value by value


def confidence_band(**changes: Any) -> ConfidenceBand:
    """A hundred values: the band rises above 0 at the 60th, and covers it again at the end."""
    n = np.arange(1.0, 101.0)
    mean = 3.0 - 0.01 * n
    half = np.where(n < 50, np.inf, np.where((n >= 60) & (n < 90), 1.5, 4.0))
    made = ConfidenceBand(
        verdict="better",
        estimate=2.0,
        interval=_interval(-2.0, 6.0),
        n=100,
        decided_at=60,
        alpha=0.05,
        tightest_at=75.0,
        burn_in=50,
        unit="document",
        notes=("the decision of document 60 stands",),
        mean=mean,
        low=mean - half,
        high=mean + half,
        signature=SIGNATURE,
    )
    return replace(made, **changes)


def e_process_test(**changes: Any) -> EProcessTest:
    """Evidence that reaches 20 at the 60th of a hundred judgments, and falls."""
    log_e = np.minimum(np.arange(1.0, 101.0) / 20.0, 3.0)
    log_e[80:] = 1.5
    made = EProcessTest(
        verdict="better",
        p_value=0.0498,
        e_value=math.exp(1.5),
        log_e=1.5,
        log_better=2.0,
        log_worse=-3.0,
        log_peak=3.0,
        log_peak_better=3.5,
        log_peak_worse=0.25,
        estimate=2.25,
        n=100,
        decided_at=60,
        alpha=0.05,
        bounds=(0.0, 100.0),
        notes=("it has fallen since",),
        path=EvidencePath(log_e=log_e, log_better=log_e, log_worse=-log_e),
        signature=SIGNATURE,
    )
    return replace(made, **changes)


def preference_test(**changes: Any) -> PreferenceTest:
    log_e = np.linspace(0.0, 2.0, 80)
    made = PreferenceTest(
        verdict="undecided",
        p_value=0.1353,
        e_value=math.exp(2.0),
        log_e=2.0,
        log_better=2.5,
        log_worse=-4.0,
        log_peak=2.0,
        log_peak_better=2.5,
        log_peak_worse=0.5,
        estimate=0.6,
        n=80,
        wins=36,
        losses=24,
        ties=20,
        decided_at=None,
        alpha=0.05,
        notes=("20 ties of 80 judgments left out",),
        path=EvidencePath(log_e=log_e, log_better=log_e, log_worse=-log_e),
        signature=SIGNATURE,
    )
    return replace(made, **changes)


def betting_band(**changes: Any) -> BettingBand:
    """A band that leaves 0 out from the 42nd of 60 judgments on."""
    low = np.linspace(-10.0, 4.75, 60).round(2)
    made = BettingBand(
        interval=_interval(4.75, 12.0),
        estimate=8.25,
        n=60,
        step=0.25,
        alpha=0.05,
        bounds=(0.0, 50.0),
        notes=("rounded outwards",),
        low=low,
        high=np.linspace(50.0, 12.0, 60),
        signature=SIGNATURE,
    )
    return replace(made, **changes)


def pair_decisions(**changes: Any) -> PairDecisions:
    made = PairDecisions(
        method="e-Holm",
        decisions=(
            PairDecision(
                pair=("A", "B"), verdict="better", p_value=0.0462, e_better=130.0, e_worse=0.125
            ),
            PairDecision(
                pair=("A", "C"), verdict="undecided", p_value=0.8, e_better=0.25, e_worse=7.5
            ),
        ),
        needed=60.0,
        alpha=0.05,
        notes=("e-values are the largest so far",),
        signature=SIGNATURE,
    )
    return replace(made, **changes)


def ordered_pairs(**changes: Any) -> OrderedPairs:
    made = OrderedPairs(
        differences=np.array([5.0, -2.0]),
        rest_a=np.array([90.0]),
        rest_b=np.array([]),
        n_pairs=2,
        n_left_a=1,
        n_left_b=0,
        notes=("1 score waits",),
        signature=SIGNATURE,
    )
    return replace(made, **changes)


def procedure_savings(**changes: Any) -> ProcedureSavings:
    def row(name: str, budget: int, power: float, spent: float) -> ProcedureRow:
        return ProcedureRow(
            procedure=name,
            budget=budget,
            power=power,
            power_error=0.01,
            judgments=spent,
            judgments_error=2.0,
        )

    def saving(name: str, budget: int, **more: Any) -> Saving:
        values: dict[str, Any] = {
            "judgments": 950.0,
            "judgments_error": 12.0,
            "saving": 0.05,
            "saving_error": 0.012,
        }
        return Saving(procedure=name, budget=budget, power=0.5, **values | more)

    made = ProcedureSavings(
        rows=(
            row("fixed", 1000, 0.5, 1000.0),
            row("fixed", 2000, 0.7, 2000.0),
            row("looks", 1000, 0.475, 750.0),
            row("looks", 2000, 0.675, 1500.0),
            row("peeking", 1000, 0.6, 650.0),
            row("peeking", 2000, 0.8, 1250.0),
        ),
        savings=(
            saving("looks", 1000),
            saving("looks", 2000, judgments=1600.0, judgments_error=None, saving=0.2),
            saving("peeking", 1000, judgments=500.0, saving=0.5),
            saving("peeking", 2000, judgments=None, judgments_error=None, saving=None),
        ),
        procedures=("fixed", "looks", "peeking"),
        type_one_errors=(0.05, 0.0495, 0.155),
        budgets=(1000, 2000),
        reference="fixed",
        n_comparisons=1234,
        n_repeats=20,
        step=20,
        paired=False,
        notes=("Five comparisons left out.",),
        tallies=Tallies(
            hits=np.zeros((1, 1, 6), dtype=np.int64),
            steps=np.zeros((1, 1, 6), dtype=np.int64),
            repeats=np.ones(1, dtype=np.int64),
            differences=np.zeros(1),
        ),
        signature=SIGNATURE,
    )
    return replace(made, **changes)


# Tasks


def task_row(**changes: Any) -> TaskRow:
    made = TaskRow(
        task="task-1",
        rater="rater-1",
        position=1,
        block=1,
        kind="system",
        system="new",
        item="17",
        document=None,
        domain=None,
        source=None,
        reference="Good day.",
        text="Good, day!",
        of_position=None,
    )
    return replace(made, **changes)


def tasks(**changes: Any) -> Tasks:
    made = Tasks(
        rows=(
            task_row(),
            task_row(position=2, kind="degraded", of_position=1, text="Good…"),
            task_row(position=3, kind="repeat", of_position=1),
            task_row(task="task-2", position=1, system="old"),
            task_row(task="task-3", rater="rater-2"),
            task_row(task="task-3", rater="rater-2", position=2, kind="reference"),
        ),
        task_kind="segment",
        assignment="paired",
        n_tasks=3,
        n_raters=2,
        n_systems=2,
        counts={"system": 3, "repeat": 1, "degraded": 1, "reference": 1},
        degraded_by_system={"new": 1, "old": 0},
        control_share=0.5,
        distance_min=1.0,
        distance_mean=2.0,
        n_units=1,
        n_whole=1,
        n_items=1,
        n_shared=0,
        n_filled=0,
        arrival=(Arrival(0.25, 0), Arrival(0.5, 1), Arrival(0.75, 3), Arrival(1.0, 4)),
        notes=("The first run was taken.",),
        signature=SIGNATURE,
    )
    return replace(made, **changes)


def campaigns(**changes: Any) -> Campaigns:
    line = CampaignLine(
        name="ship",
        state="open",
        systems=("new", "old"),
        protocol="da",
        n_works=44,
        n_done=8,
        n_leased=4,
        n_open=32,
        n_cut=0,
        n_judgments=108,
        n_skipped=2,
        n_late=1,
        n_raters=2,
    )
    other = replace(line, name="pilot", state="stopped", n_open=0, n_cut=32, n_leased=4)
    raters = tuple(
        RaterLine(
            rater=name,
            state="active",
            blocks=2,
            pages=9,
            judgments=54,
            minutes=minutes,
            admitted=4 * passes,
            refused=4 * (1 - passes),
            waiting=2,
            check="passes" if passes else "does not pass",
        )
        for name, minutes, passes in (("r-01", 12.5, 1), ("r-02", 30.0, 0))
    )
    made = Campaigns(
        campaigns=(line, other),
        raters=raters,
        looks=(campaign_look(),),
        notes=("the plan of ship is not where it was.",),
        signature=SIGNATURE,
    )
    return replace(made, **changes)


def campaign_look(**changes: Any) -> CampaignLook:
    made = CampaignLook(
        look=1,
        time="2026-11-16T16:10:27+00:00",
        decision="continue",
        n_units=30,
        judgments=72,
        pairs=(DecidedPair(system="new", baseline="old", decision="continue"),),
    )
    return replace(made, **changes)


# Gates


def gate_row(task: str = "math", **changes: Any) -> GateRow:
    made = GateRow(
        part=task,
        measure="accuracy",
        old=0.629,
        new=0.6875,
        difference=0.0585,
        interval=_interval(-0.0094, 0.126, 0.9),
        outcome="pass",
        margin=0.05,
        mde=0.1029,
        units_needed=223,
        watched=False,
        p_margin=0.0052,
        p_better=0.077,
        p_value=0.923,
        p_adjusted=0.9999,
        standard_error=0.0403,
        df=59.0,
        n=60,
        n_clusters=58,
        samples_old=4.0,
        samples_new=3.5,
        method="score",
        unchanged=False,
        too_few=False,
    )
    return changed(made, **changes)


def self_test(**changes: Any) -> SelfTest:
    made = SelfTest(
        simulated=OutcomeShares(passed=0.7, failed=0.04, inconclusive=0.26),
        formula=OutcomeShares(passed=0.72, failed=0.05, inconclusive=0.23),
        naive=OutcomeShares(passed=0.45, failed=0.55, inconclusive=0.0),
        n_simulations=2000,
        noise="the samples of each question",
    )
    return replace(made, **changes)


def gate(**changes: Any) -> Gate:
    made = Gate(
        outcome="inconclusive",
        exit_code=4,
        rows=(
            gate_row(),
            gate_row(
                "code",
                old=0.4625,
                new=0.45,
                difference=-0.0125,
                interval=_interval(-0.1707, 0.1462, 0.9),
                outcome="inconclusive",
                margin_passable=0.2376,
                n_needed=339,
                p_margin=0.342,
                p_worse=0.446,
                p_worse_adjusted=0.892,
                n_items=20,
                n_clusters=20,
            ),
        ),
        system="new",
        baseline="old",
        rule="non-inferiority",
        margin={"accuracy": 0.05},
        alpha=0.05,
        nominal_alpha=0.05,
        attempt=None,
        power=0.8,
        inconclusive=None,
        baseline_sha256="3f2c" * 16,
        baseline_commit="ab12",
        baseline_created="2026-11-17T00:00:00+00:00",
        self_test=self_test(),
        losses=(QuestionLoss(task="code", metric="accuracy", item="q112", old=0.5, new=0.25),),
        notes=("Fewer than 30 independent groups of questions.",),
        signature=SIGNATURE,
    )
    return replace(made, **changes)


def accepted_baseline(**changes: Any) -> AcceptedBaseline:
    made = AcceptedBaseline(
        path="baseline.json",
        system="new",
        metrics=("accuracy", "f1"),
        n_items=130,
        n_tasks=3,
        sha256="3f2c" * 16,
        replaced="old: accuracy on 120 questions",
        notes=("One system was left out.",),
        signature=SIGNATURE,
    )
    return replace(made, **changes)


# Reliability


def documents_for(metric: str, target: Any, **changes: Any) -> DocumentsFor:
    made = DocumentsFor(
        metric=metric,
        target=target,
        value=0.75,
        documents=344,
        documents_most=545,
        segments=3215,
        now=1.98,
    )
    return replace(made, **changes)


def clustering(metric: str = "bleu", **changes: Any) -> Clustering:
    made = Clustering(
        metric=metric,
        n_documents=107,
        n_segments=1000,
        icc=0.095,
        icc_range=(0.058, 0.158),
        design_effect=2.25,
        design_effect_range=(1.75, 2.875),
        n_effective=444.4,
        too_narrow=1.5,
        coverage=0.81,
        difference_design_effect=1.21,
        pairing=0.42,
    )
    return replace(made, **changes)


def metric_fit(metric: str = "bleu", **changes: Any) -> MetricFit:
    made = MetricFit(
        metric=metric,
        stdev="relative",
        epsilon=1e-4,
        a=0.0924,
        b=0.43,
        r2_log=0.985,
        r2_lin=0.975,
        b_orders=(0.36, 0.47, 0.59),
        x_min=3.3,
        x_max=66.3,
        x_max_range=(63.0, 75.0),
        x_max_cubic=53.7,
        n_without_minimum=1,
        systems=(
            SystemFit(
                system="new",
                power=None,
                cubic=None,
                x_min=None,
                x_max=None,
                x_min_cubic=None,
                x_max_cubic=None,
            ),
        ),
    )
    return replace(made, **changes)


def curve(metric: str = "bleu", **changes: Any) -> Curve:
    made = Curve(
        metric=metric,
        system="new",
        score=31.5,
        documents=(1, 2),
        segments=(9, 12),
        mean=(30.25, 31.5),
        stdev=(0.0625, 0.0425),
        interval=(_interval(26.5, 34.0), _interval(28.75, 34.25)),
        stdev_document=(NAN, 0.0575),
        band=OrderBand(documents=(1,), low=(0.05,), median=(0.07,), high=(0.09,)),
    )
    return replace(made, **changes)


def reliability(**changes: Any) -> Reliability:
    """Two measures of 107 documents, one of them without a natural zero."""
    labels = {"bleu": "BLEU", "z": "DA z"}
    made = Reliability(
        metrics=tuple(
            {
                "metric": name,
                "label": label,
                "higher_is_better": True,
                "digits": 2,
                "relative": name == "bleu",
                "systems": ("new", "old"),
                "n_documents": 107,
                "n_segments": 1000,
            }
            for name, label in labels.items()
        ),
        documents_for=(
            documents_for("bleu", "half-width"),
            documents_for(
                "bleu", "effect", value=0.5, documents=249, documents_most=529, now=1.68
            ),
            documents_for(
                "bleu", "tau", value=0.9, documents=39, documents_most=None, now=0.86
            ),
        ),
        icc={"bleu": 0.095, "z": 0.13},
        design_effect={"bleu": 2.25, "z": 0.99},
        clustering=(
            clustering(),
            clustering("z", icc=-0.01, design_effect=0.99, too_narrow=0.995, coverage=0.951),
        ),
        tau={
            "bleu": (
                RankingPoint(
                    documents=53,
                    full=0.92,
                    remainder=0.87,
                    same_winner=0.83,
                    significant_kept=0.99,
                    exact=0.13,
                ),
                RankingPoint(
                    documents=107,
                    full=1.0,
                    remainder=NAN,
                    same_winner=1.0,
                    significant_kept=1.0,
                    exact=1.0,
                ),
            )
        },
        difficult=(
            DifficultDocument(
                document="story-3",
                place=3,
                segments=29,
                reason="apart",
                change={"bleu": -0.24, "z": 0.5},
                standardised={"bleu": -3.25, "z": 4.75},
                statistic=8.0,
                threshold=3.9,
            ),
            DifficultDocument(
                document="story-32",
                place=32,
                segments=24,
                reason="pull",
                change={"bleu": 0.41},
                standardised={"bleu": 5.75},
                statistic=5.5,
                threshold=2.8,
            ),
        ),
        fits=(
            metric_fit(),
            metric_fit("z", stdev="absolute", x_max=None, x_max_range=None, x_max_cubic=None),
        ),
        curves=(curve(), curve("z", mean=(0.25, 0.125))),
        method="poisson",
        fit="log",
        epsilon=1e-4,
        orders=200,
        n_resamples=1500,
        alpha=0.05,
        power=0.8,
        notes=("One item left out.",),
        signature=SIGNATURE,
    )
    return replace(made, **changes)


# Translationese


def system_effect(system: str = "new", **changes: Any) -> SystemEffect:
    made = SystemEffect(
        measure="raw",
        system=system,
        forward=64.25,
        forward_interval=_interval(60.5, 68.0),
        reverse=73.75,
        reverse_interval=_interval(70.125, 77.375),
        difference=9.5,
        interval=_interval(4.25, 14.75),
        standard_error=2.625,
        df=41.5,
        p_value=0.0012,
        p_adjusted=0.0024,
        n_forward=92,
        n_reverse=89,
    )
    return changed(made, **changes)


def pair_effect(first: str = "new", second: str = "human", **changes: Any) -> PairEffect:
    made = PairEffect(
        measure="raw",
        first=first,
        second=second,
        forward=-2.75,
        reverse=3.5,
        both=0.375,
        effect_first=9.5,
        effect_second=3.25,
        opposite=False,
        relative=6.25,
        interval=_interval(-0.5, 13.0),
        standard_error=3.375,
        df=38.5,
        p_value=0.0715,
        p_adjusted=0.143,
        relative_mde=9.75,
        verdict_forward="undecided",
        verdict_reverse="better",
        verdict_both="better",
        mde_forward=4.125,
        mde_reverse=3.25,
        mde_both=2.625,
        change="lost",
        forward_had_power=False,
    )
    return replace(made, **changes)


def parity_row(half: Any = "forward", **changes: Any) -> Parity:
    made = Parity(
        measure="raw",
        part=half,
        system="new",
        baseline="human",
        difference=-2.75,
        interval=_interval(-5.5, 0.0, 0.9),
        standard_error=1.625,
        df=61.5,
        margin=3.0,
        p_value=0.4386,
        p_adjusted=0.8772,
        verdict="undecided",
        margin_shown=5.5,
        mde=4.125,
        power=0.5625,
        n=92,
        n_clusters=31,
        units_needed=174,
    )
    return changed(made, **changes)


def translationese(**changes: Any) -> Translationese:
    made = Translationese(
        language_pair="zh-en",
        parts=(
            Part(
                data="judgments",
                direction="forward",
                languages=("zh",),
                n_documents=31,
                n_segments=92,
                n_judgments=1926,
            ),
            Part(
                data="judgments",
                direction="reverse",
                languages=("en",),
                n_documents=28,
                n_segments=89,
                n_judgments=1809,
            ),
            Part(
                data="judgments",
                direction="other",
                languages=("de", "un"),
                n_documents=2,
                n_segments=7,
                n_judgments=140,
            ),
        ),
        measures=("raw",),
        digits={"raw": 2},
        unit="document",
        effects=(
            system_effect("human", difference=3.25, reverse=67.5, p_adjusted=0.2345),
            system_effect(),
        ),
        pairs=(pair_effect(),),
        agreement=tuple(
            HalfAgreement(
                measure="raw",
                coefficient=name,  # type: ignore[arg-type]
                value=value,
                interval=_interval(value - 0.25, value + 0.125),
                random_halves=value + 0.0625,
                random_interval=_interval(0.5, 0.96875),
                p_value=0.1235,
                n_systems=9,
            )
            for name, value in (("pearson", 0.849), ("spearman", 0.783), ("kendall", 0.611))
        ),
        conclusions=tuple(
            HalfConclusion(
                measure="raw",
                half=half,  # type: ignore[arg-type]
                clusters=(("new",), ("human",)) if half == "reverse" else (("new", "human"),),
                told_apart=apart,
                pairs=1,
                mde=mde,
                n_units=units,
                n_segments=n,
                n_judgments=judged,
            )
            for half, apart, mde, units, n, judged in (
                ("forward", 0, 4.125, 31, 92, 1926),
                ("reverse", 1, 3.25, 28, 89, 1809),
                ("both", 1, 2.625, 59, 181, 3735),
            )
        ),
        replicated=(
            Replicated(
                half="forward",
                first="human",
                second="new",
                n=92,
                N=1926,
                p_segments=0.0908,
                p_judgments=0.0008,
            ),
        ),
        parity=(
            parity_row(),
            parity_row(
                "reverse",
                difference=3.5,
                interval=_interval(0.75, 6.25, 0.9),
                verdict="non-inferior",
                p_adjusted=0.0001,
                margin_shown=0.0,
                n_segments=89,
            ),
        ),
        human="human",
        margin={"raw": 3.0},
        alpha=0.05,
        power=0.8,
        n_resamples=1999,
        notes=("7 judged segments in 2 documents count in neither half.",),
        signature=SIGNATURE,
    )
    return replace(made, **changes)


# Audits


def group_tally(**changes: Any) -> GroupTally:
    made = GroupTally(
        group="en-de",
        significant=12,
        total=40,
        observed_mde=2.25,
        above=9,
        above_interval=_interval(0.5, 0.875),
        median_difference=1.5,
        n=512.0,
        detectable=3.125,
        underpowered=0.875,
        budget=2100,
    )
    return replace(made, **changes)


def group_audit(paired: GroupTally | None = None, **changes: Any) -> GroupAudit:
    values = group_tally(**changes)
    own = {part.name: getattr(values, part.name) for part in fields(values)}
    return GroupAudit(paired=paired, **own)


def _seen(test: str, difference: Any, p_value: Any, error: float) -> SeenDifferences:
    return SeenDifferences(
        test=test,
        difference=difference,
        p_value=p_value,
        standard_error=np.linspace(error, 2.0 * error, len(difference)),
        df=np.full(len(difference), 100.0),
        n=np.full(len(difference), 512.0),
    )


def archive_audit(**changes: Any) -> ArchiveAudit:
    paired = group_tally(
        significant=21,
        observed_mde=1.75,
        above=18,
        detectable=2.5,
        underpowered=0.5,
        budget=1100,
    )
    nothing = group_tally(
        group="de-en", significant=0, total=3, observed_mde=None, above=0, above_interval=None
    )
    size = np.concatenate([np.arange(1, 41) / 10.0, [0.25, -0.75, 1.25]])
    found = np.array([0.5] * 28 + [0.01] * 12 + [0.5] * 3)
    past = PastComparisons(
        tested=_seen("rank-sum", size, found, 0.625),
        paired=_seen("paired", size + 0.125, found / 2.0, 0.5),
        labels={"language": ("en-de",) * 40 + ("de-en",) * 3},
    )
    made = ArchiveAudit(
        groups=(
            group_audit(paired),
            group_audit(
                nothing,
                group="de-en",
                significant=0,
                total=3,
                observed_mde=None,
                above=0,
                above_interval=None,
                median_difference=0.75,
                n=1200.0,
                detectable=1.25,
                underpowered=0.0,
                budget=640,
            ),
        ),
        overall=group_audit(
            replace(paired, group="all", significant=21, total=43, budget=1050),
            group="all",
            total=43,
            budget=2050,
        ),
        by="language",
        test="rank-sum",
        alpha=0.05,
        power=0.8,
        target_difference=1.5,
        target_given=False,
        unknown_error=0,
        n_judgments=43210,
        notes=("One campaign left out.",),
        past=past,
        signature=SIGNATURE,
    )
    return replace(made, **changes)


def task_audit(**changes: Any) -> TaskAudit:
    made = TaskAudit(
        task="small",
        n_items=277,
        best=0.9175,
        mde=None,
        mde_normal=0.0525,
        n_claims=4,
        mean_improvement=0.0175,
        predicted_improvement=-0.0025,
        support="no",
    )
    return replace(made, **changes)


def past_claim(**changes: Any) -> PastClaim:
    made = PastClaim(
        task="small", before=0.9, gain=0.0175, predicted=0.01, power=0.125, significant=False
    )
    return replace(made, **changes)


def benchmark_audit(**changes: Any) -> BenchmarkAudit:
    back = LookBack(
        method="exact",
        n_claims=14,
        powered=0.5,
        underpowered=0.5,
        significant=0.375,
        powered_and_significant=0.25,
        significant_among_powered=0.125,
    )
    made = BenchmarkAudit(
        tasks=(
            task_audit(),
            task_audit(
                task="large",
                n_items=40430,
                best=0.875,
                mde=0.00375,
                mde_normal=0.0035,
                n_claims=10,
                mean_improvement=0.0125,
                predicted_improvement=0.00225,
                support="not the next",
            ),
        ),
        look_back=(back, replace(back, method="normal", significant=0.625)),
        r_squared=0.69,
        assumption="prior glue, the default",
        target_difference=None,
        unit="percent",
        alpha=0.05,
        power=0.8,
        notes=("Accuracies were read as percent.",),
        claims=(
            past_claim(),
            past_claim(task="large", before=0.875, gain=0.0125, predicted=0.002, power=0.875),
            past_claim(task="large", gain=-0.005, predicted=NAN, power=NAN, significant=None),
        ),
        signature=SIGNATURE,
    )
    return replace(made, **changes)


def size_band(**changes: Any) -> SizeBand:
    made = SizeBand(
        low=20,
        high=20,
        n_studies=6,
        n=20.0,
        median_effect=0.235,
        effect_sd=0.25,
        share_positive=0.75,
        power=0.0625,
        type_m=4.75,
        type_s=0.125,
    )
    return replace(made, **changes)


def survey_audit(**changes: Any) -> SurveyAudit:
    made = SurveyAudit(
        n_studies=7,
        tau=-0.125,
        p_value=0.0246,
        tau_unrounded=-0.126,
        p_unrounded=0.0245,
        effect_sd=0.2,
        median_n=30.0,
        bands=(
            size_band(),
            size_band(low=700, high=1000, n_studies=1, n=850.0, effect_sd=NAN, type_m=1.25),
        ),
        assumed_effect=0.0625,
        effect_given=True,
        noise="an SD of 0.5 of an item's difference",
        alpha=0.05,
        notes=("8 studies without n left out.",),
        sizes=np.array([20.0, 20.0, 20.0, 20.0, 20.0, 20.0, 850.0]),
        effects=np.array([0.5, 0.235, -0.125, 0.25, 0.0625, 0.235, 0.1875]),
        signature=SIGNATURE,
    )
    return replace(made, **changes)


# Arenas


def arena_system(system: str, strength: float, **changes: Any) -> ArenaSystem:
    made = ArenaSystem(
        system=system,
        strength=strength,
        standard_error=0.0625,
        interval=_interval(strength - 0.25, strength + 0.25),
        interval_alone=_interval(strength - 0.125, strength + 0.125),
        elo=1000.0 + 200.0 * strength,
        rank_low=1,
        rank_high=2,
        votes=417,
        wins=0.5 + 0.25 * strength,
        adjusted=strength + 0.03125,
        adjusted_rank_low=1,
        adjusted_rank_high=3,
        lmarena_rank=1,
    )
    return replace(made, **changes)


def arena_pair(better: str, worse: str, difference: float, **changes: Any) -> ArenaPair:
    made = ArenaPair(
        system=better,
        baseline=worse,
        difference=difference,
        standard_error=0.1875,
        interval=_interval(difference - 0.5, difference + 0.5),
        interval_alone=_interval(difference - 0.375, difference + 0.375),
        p_value=0.0625,
        p_adjusted=0.3125,
        verdict="undecided",
        chance=0.5 + 0.2 * difference,
        share=0.53125,
        n=139,
        mde=0.5625,
        mde_elo=97.7,
        mde_share=0.637,
        units_needed=2345,
    )
    return changed(made, **changes)


def arena(**changes: Any) -> Arena:
    apart = {"p_adjusted": 0.0021, "p_value": 0.0003, "verdict": "better"}
    made = Arena(
        systems=(
            arena_system("owl", 0.5),
            arena_system("elk", 0.375, rank_high=2, adjusted_rank_low=2),
            arena_system("cod", 0.125, rank_low=3, rank_high=3, lmarena_rank=2),
            arena_system(
                "ant", -1.0, rank_low=4, rank_high=4, adjusted_rank_high=4, lmarena_rank=4
            ),
        ),
        pairs=(
            arena_pair("owl", "elk", 0.125),
            arena_pair("owl", "cod", 0.375, **apart),
            arena_pair("owl", "ant", 1.5, **apart),
            arena_pair("elk", "cod", 0.25, **apart),
            arena_pair("elk", "ant", 1.375, **apart),
            arena_pair("cod", "ant", 1.125, **apart),
        ),
        effects=(
            ArenaEffect(
                name="side",
                estimate=0.15,
                standard_error=0.07,
                interval=_interval(0.01, 0.29),
                p_value=0.034,
            ),
            ArenaEffect(
                name="length",
                estimate=-0.05,
                standard_error=0.08,
                interval=_interval(-0.21, 0.11),
                p_value=0.53,
                scale=1.5,
            ),
        ),
        ties="half",
        tie_parameter=NAN,
        weights="votes",
        cluster="two-way",
        clusters={"prompt": 120, "voter": 60},
        test="max-t",
        n_votes=834,
        n_ties=91,
        n_both_bad=17,
        critical=2.57,
        df=math.inf,
        alpha=0.05,
        power=0.8,
        effect=20.0,
        next_pair=NextPair(between=("owl", "elk"), vote=("owl", "elk"), gain=0.0046),
        naive=NaiveArena(n_apart=6, design_effect=1.34),
        notes=("17 battles in which both are bad counted as ties.",),
        signature=SIGNATURE,
    )
    return replace(made, **changes)


# The demo


def planted_difference(
    system: str, planted: float, found: float, interval: Interval, verdict: Any
) -> PlantedDifference:
    return PlantedDifference(
        system=system,
        baseline="old",
        planted=planted,
        found=found,
        interval=interval,
        interval_alone=_interval(found - 1.0, found + 1.0),
        mde=3.75,
        verdict=verdict,
    )


def demo_story(**changes: Any) -> DemoStory:
    made = DemoStory(
        chapters=(
            Chapter(
                title="Look",
                commands=("detectable look plan.json a.tsv", "detectable look plan.json b.tsv"),
                planted="new is 6 points better.",
                found="new is better at look 2.",
                agrees=True,
            ),
            Chapter(
                title="Rank the systems",
                commands=("detectable rank good.tsv",),
                planted="old is second.",
                found="old is first.",
                agrees=False,
            ),
        ),
        differences=(
            planted_difference("new", 6.0, 5.0, _interval(2.0, 8.0), "better"),
            planted_difference("newer", 1.0, -2.5, _interval(-5.5, 0.5), "undecided"),
        ),
        campaign="A campaign of 2 systems.",
        n_documents=40,
        signature=SIGNATURE,
    )
    return replace(made, **changes)


# Every result that a command returns, by the name of its `show` file
def any_other_result() -> Result:
    """A result of the library alone, which has no file of its own."""
    made = paired_permutation([[0.5], [2.0], [1.0]], n_resamples=99, rng=7)
    return replace(made, signature=SIGNATURE, notes=("Three units.",))


def examination(**changes: Any) -> Examination:
    seen = Detectable(
        metric="accuracy",
        smallest=0.05,
        median=0.0725,
        largest=0.09,
        n_pairs=3,
        unit="document",
        n_units=90,
        test="swap",
        correction="max-t",
        alpha=0.05,
        power=0.8,
    )
    made = Examination(
        files=(
            FileFound(path="s.csv", kind="scores", format="table", about="scores of systems"),
            FileFound(path="x.bin", kind="unknown", about="x.bin: no reader knows this file."),
        ),
        facts=(
            Fact(data="s.csv", what="systems", value="3: a, b, c"),
            Fact(data="s.csv", what="items", value="130"),
        ),
        questions=(
            Question(
                data="s.csv",
                question="Is one system better than another?",
                possible=True,
                why="Paired on 90 documents of 130 items.",
                detects=(seen,),
                command="detectable compare --scores s.csv",
            ),
            Question(
                data="s.csv",
                question="Would other runs say the same?",
                possible=False,
                why="There is one run of a, b, c.",
            ),
        ),
        suspicions=("x.bin: no reader knows this file.",),
        next_command="detectable compare --scores s.csv",
        notes=("A note.",),
        signature=SIGNATURE,
    )
    return replace(made, **changes)


def installed(**changes: Any) -> Installation:
    made = Installation(
        version="0.1.0",
        python="CPython 3.11.7",
        platform="Linux 6.1.0 x86_64 glibc 2.36",
        cores=2,
        kernels="native",
        locale="en_US.UTF-8",
        encoding="utf-8",
        file_encoding="utf-8",
        terminal="a terminal, 120 columns, colours",
        packages=(
            Installed(package="numpy", version="2.4.6"),
            Installed(package="starlette", version="1.10.0", extra="web"),
            Installed(package="fastexcel", version="", extra="xlsx"),
        ),
        extras={"web": True, "xlsx": False},
        notes=("A note.",),
        signature=SIGNATURE,
    )
    return replace(made, **changes)


def receipt(**changes: Any) -> Receipt:
    made = Receipt(
        file="rank.json",
        subject="Ranking",
        outcome="different",
        reason="2 of 337 values differ.",
        inputs=(InputCheck("judgments.csv", "same", "ab" * 32),),
        differences=(
            Difference("pairs.0.p_value", "0.25", "0.5", 0.5),
            Difference("pairs.0.verdict", "better", "undecided", None),
        ),
        n_values=337,
        n_differences=2,
        command="detectable rank judgments.csv --seed 1",
        created="2026-01-02T03:04:05Z",
        version="0.1.0",
        notes=("rank.json is without `draws`.",),
        signature=SIGNATURE,
    )
    return replace(made, **changes)


def kept(kind: str) -> Any:
    """Return the result of a kind whose file is kept: it took logs, plans and looks to make it."""
    made: Any = load(KEPT / f"{kind}.json")
    noted = {} if getattr(made, "notes", True) else {"notes": ("A note.",)}
    return replace(made, signature=SIGNATURE, **noted)


RESULTS: dict[str, Result] = {
    "repeat": repeat(),
    "live_conclusion": kept("LiveConclusion"),
    "meaning": kept("Meaning"),
    "meaning_curve": kept("MeaningCurve"),
    "live_history": kept("LiveHistory"),
    "live_look": kept("LiveLook"),
    "live_plan": kept("LivePlan"),
    "subsample": kept("Subsample"),
    "translationese_battles": kept("TranslationeseBattles"),
    "translationese_campaigns": kept("TranslationeseCampaigns"),
    "system_scores": system_scores(),
    "selection": selection(),
    "observed_mde": observed_mde(),
    "simulation": simulation(),
    "effect_predictions": effect_predictions(),
    "component_test": component_test(),
    "accepted_baseline": accepted_baseline(),
    "archive_audit": archive_audit(),
    "arena": arena(),
    "benchmark_audit": benchmark_audit(),
    "betting_band": betting_band(),
    "cheapest_design": cheapest_design(),
    "comparison": comparison(),
    "confidence_band": confidence_band(),
    "conclusion": conclusion(history=watched()),
    "control_variates": control_variates(),
    "demo_story": demo_story(),
    "design": design(),
    "e_process_test": e_process_test(),
    "examination": examination(),
    "installation": installed(),
    "gate": gate(),
    "judgment_description": judgment_description(),
    "look": look(history=watched((1.4, 2.0), "continue")),
    "mixed_fit": mixed_fit(),
    "ordered_pairs": ordered_pairs(),
    "pair_decisions": pair_decisions(),
    "plan": plan(),
    "plan_history": watched(),
    "planning_answer": power_estimate(),
    "power_curve": power_curve(),
    "power_curves": power_curves(),
    "sample_sizes": sample_sizes(),
    "preference_test": preference_test(),
    "procedure_savings": procedure_savings(),
    "quality_control": quality_control(),
    "ranking": ranking(),
    "rater_agreement": rater_agreement(),
    "receipt": receipt(),
    "judge_faults": judge_faults(),
    "judge_agreement": judge_agreement(),
    "rogan_gladen": rogan_gladen(),
    "labels": labels(),
    "meta": meta(),
    "reliability": reliability(),
    "result": any_other_result(),
    "survey_audit": survey_audit(),
    "campaign_outcome": campaign_outcome(conclusion=conclusion(history=watched())),
    "campaigns": campaigns(),
    "tasks": tasks(),
    "translationese": translationese(),
    "variance_components": variance_components(),
}
