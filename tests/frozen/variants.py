"""Results made by hand that say what no frozen command says: a name is the case that it reaches.

The default result of each kind is frozen in `kept`. Here stands what differs from it.
"""

import math
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

import detectable as dt
from detectable.core.interval import Interval
from detectable.core.result import Result, Signature
from detectable.inference.curves import CubicCurve, PowerLaw
from detectable.mixed.result import MixedFit, VarianceComponent
from detectable.planning.nearby import NearbyPower
from detectable.report.saved.receipt import InputCheck
from detectable.sequential.design import design
from detectable.sequential.design_result import ExpectedN, OverallAlpha
from detectable.sequential.families import FAMILIES
from detectable.study.arena.result import Arena, NaiveArena, NextPair
from detectable.study.audit.archive_audit import ArchiveAudit
from detectable.study.campaign.looks import DecidedPair
from detectable.study.comparison.result import Comparison, Naive
from detectable.study.meta.result import Meta
from detectable.study.monitoring.conclusion import Conclusion, IntentionToRate, WithoutVoided
from detectable.study.monitoring.plan_history import AdmissionRow, LedgerEvent, PlanHistory
from detectable.study.monitoring.replay import LookCheck
from detectable.study.precision.control_variate_result import ControlVariates
from detectable.study.precision.rater_agreement import RaterAgreement
from detectable.study.ranking.ranking import Influential, Ranking
from detectable.study.ranking.repeat import Repeat, RepeatNeeded
from detectable.study.reliability.result import OrderBand, Reliability, SystemFit
from detectable.study.selection.guard import VarianceRatio
from detectable.study.selection.selection import TakenGroup
from detectable.study.tasks.result import SHARES, Arrival
from detectable.study.translationese.result import Translationese
from tests.report import results as r
from tests.report.many_systems import compared, ranked
from tests.report.saved.every_result import one

NAN = math.nan
Make = Callable[[], Result]
THREE: dict[str, Any] = {"systems": ("a", "b", "c"), "baseline": "c"}


def _library(kind: str) -> Any:
    """A result of the library, of whatever class."""
    return one(kind)


def _signed(**settings: Any) -> Signature:
    return replace(r.SIGNATURE, settings=settings)


# --- Comparisons ---


def _sided(*ends: tuple[float, float], **changes: Any) -> Comparison:
    """A comparison whose intervals are given; the verdicts follow from them."""
    signs = ["▲" if low > 0 else "▼" if high < 0 else "○" for low, high in ends]
    made = r.many_pairs("".join(signs))
    pairs = tuple(
        replace(
            pair,
            difference=(low + high) / 2,
            interval=Interval(low, high, 0.95),
            interval_alone=Interval(low + 0.1, high - 0.1, 0.95),
        )
        for pair, (low, high) in zip(made.pairs, ends, strict=True)
    )
    return replace(made, pairs=pairs, **changes)


def _turned() -> Comparison:
    """Two metrics over four systems, one of which decides nothing."""
    made = r.many_pairs("▲▼○◆", ("bleu", "chrf"))
    pairs = tuple(
        replace(pair, verdict="undecided") if pair.metric == "chrf" else pair
        for pair in made.pairs
    )
    return replace(made, pairs=pairs)


def _claimed(made: Comparison, claim: Any, shown: int = 0, margin: float = 2.0) -> Comparison:
    pairs = tuple(
        replace(pair, claim=claim, verdict=claim if i < shown else "undecided")
        for i, pair in enumerate(made.pairs)
    )
    return replace(made, claim=claim, pairs=pairs, margin={"bleu": margin})


def _all_alike(made: Comparison, **changes: Any) -> Comparison:
    return replace(made, pairs=tuple(replace(pair, **changes) for pair in made.pairs))


def _without_runs() -> Comparison:
    made = r.comparison(effect={}, margin={})
    systems = tuple(replace(row, runs=row.runs[:1], s_test=NAN) for row in made.systems)
    one = _all_alike(replace(made, systems=systems), these_runs=None, new_runs=None)
    return replace(one, runs="fixed", n_runs={"old": 1, "new": 1})


def _of_length() -> Comparison:
    """A metric of which neither side is better."""
    made = compared(3)
    return replace(
        made,
        metrics=({**r.metric("length", "length"), "higher_is_better": None},),
        systems=tuple(replace(row, metric="length") for row in made.systems),
        pairs=tuple(replace(p, measure="length", verdict="higher") for p in made.pairs),
    )


def _ordered_scores() -> Comparison:
    values = {"old": 30.0, "sys-1": 29.0, "sys-2": 33.0, "sys-3": 31.0, "sys-4": 32.0}
    rows = tuple(
        r.score(name, score=at, interval=Interval(at - 1.25, at + 1.25, 0.95), runs=(1.0,))
        for name, at in values.items()
    )
    made = r.many_pairs("▲○▼◆")
    return replace(made, systems=rows, n_runs=dict.fromkeys(values, 1))


@cache
def _tasks(*, names: tuple[str, ...] = ("math", "code", "math"), **changes: Any) -> Comparison:
    """Tasks of questions with three samples each, of which some are missing."""
    rng = np.random.default_rng(1)
    chance = rng.beta(2, 2, 60)
    tables = {
        name: (rng.random((3, 60)) < np.clip(chance + shift, 0, 1)).astype(float)
        for name, shift in (("old", 0.0), ("new", 0.2))
    }
    for table in tables.values():
        table[2, :3] = NAN
    scores = dt.Scores.build(
        tables,
        tasks=sorted((names * 60)[:60]),
        documents=[f"d{i // 2}" for i in range(60)],
        repeats="samples",
    )
    return dt.compare(scores, baseline="old", rng=1, **changes)


def _of_shares(**changes: Any) -> Comparison:
    """Accuracies instead of BLEU, and perhaps of something else."""
    names = ("accuracy", "f1")
    made = compared(3, names if changes.pop("others", False) else names[:1])
    signature = Signature("compare", {"interval": "test"})
    return replace(made, **{"signature": signature, **changes})


COMPARISONS: dict[str, Make] = {
    "comparison-six-against-one": r.many_pairs,
    "comparison-thirteen-against-one": lambda: r.many_pairs("▲▲▲▲▲▲▼▼▼▼▼▼▼"),
    "comparison-25-pairs-folded": lambda: r.many_pairs("▲" * 25),
    "comparison-one-undecided-of-three": lambda: r.many_pairs("○▲▼"),
    "comparison-three-undecided": lambda: r.many_pairs("○○○"),
    "comparison-four-undecided": lambda: r.many_pairs("○○○○"),
    "comparison-one-pair": lambda: r.many_pairs("▲"),
    "comparison-with-an-equivalence": lambda: r.many_pairs("▲◆○"),
    "comparison-metrics-disagree-on-many": lambda: replace(
        r.many_pairs("▲▲▼▼", ("bleu", "ter")), agreement=r.comparison().agreement
    ),
    "comparison-metrics-disagree-in-groups": lambda: replace(
        r.many_pairs("▲▲▼▼", ("bleu", "ter")),
        agreement=r.comparison().agreement,
        groups={"bleu": (("sys-1", "sys-2"), ("old", "sys-3", "sys-4"))},
    ),
    "comparison-all-pairs": r.all_pairs,
    "comparison-all-pairs-in-one-group": lambda: replace(
        r.all_pairs(), groups={"bleu": (("a", "b", "c", "d"),)}
    ),
    "comparison-all-pairs-three-of-them": lambda: replace(
        r.all_pairs(), pairs=r.all_pairs().pairs[:3]
    ),
    "comparison-all-pairs-nothing-told-apart": lambda: _all_alike(
        r.all_pairs(), verdict="undecided"
    ),
    "comparison-groups-of-another-metric": lambda: replace(
        r.many_pairs("○○◆▲"), groups={"ter": ()}
    ),
    "comparison-matrix-of-one-metric-of-two": lambda: replace(
        r.many_pairs("▲▼▲▼", ("bleu", "ter")),
        groups={"ter": (("sys-1", "sys-2", "sys-3", "sys-4", "old"),)},
    ),
    "comparison-13-pairs-of-groups-folded": lambda: replace(
        r.many_pairs("▲" * 13), groups={"bleu": (("old",),)}
    ),
    "comparison-verdicts-by-metric": _turned,
    "comparison-verdicts-by-metric-two-baselines": lambda: replace(
        _turned(),
        pairs=tuple(
            replace(pair, baseline="sys-1") if i % 4 == 3 else pair
            for i, pair in enumerate(_turned().pairs)
        ),
    ),
    "comparison-pairs-in-another-order": lambda: replace(
        r.many_pairs("▲▼", ("bleu", "ter")),
        pairs=r.many_pairs("▲▼", ("bleu", "ter")).pairs[::-1],
        systems=r.many_pairs("▲▼", ("bleu", "ter")).systems[::-1],
    ),
    "comparison-max-t": lambda: replace(r.many_pairs("▲▼○"), correction="max-t", alpha=0.1),
    "comparison-not-corrected": lambda: replace(r.many_pairs("▲▼○"), correction="none"),
    "comparison-two-metrics-one-family": lambda: replace(
        r.many_pairs("▲", ("bleu", "ter")), family="systems-and-metrics"
    ),
    "comparison-two-metrics-apart": lambda: r.many_pairs("▲", ("bleu", "ter")),
    "comparison-three-metrics-agree": lambda: r.many_pairs("▲▲▼", ("bleu", "ter", "chrf")),
    "comparison-claim-equivalent": lambda: _claimed(r.many_pairs("◆○"), "equivalent", 1),
    "comparison-claim-non-inferior": lambda: _claimed(r.many_pairs("○○○○"), "non-inferior"),
    "comparison-claim-non-inferior-shown": lambda: _claimed(
        r.many_pairs("○○○○"), "non-inferior", 4
    ),
    "comparison-claim-non-inferior-one": lambda: _claimed(
        r.many_pairs("○"), "non-inferior", 1, margin=0.5
    ),
    "comparison-claim-of-all-pairs": lambda: _claimed(r.all_pairs(), "equivalent", 2),
    "comparison-claim-of-all-pairs-one": lambda: _claimed(r.all_pairs(), "equivalent", 1),
    "comparison-claim-where-lower-is-better": lambda: replace(
        _claimed(_sided((1, 2), (-1, 1.5)), "non-inferior"),
        metrics=({**r.metric(), "higher_is_better": False},),
    ),
    "comparison-tiny-detectable-difference": lambda: replace(
        r.many_pairs("○▲▼○"),
        pairs=tuple(
            replace(pair, mde=0.00041 * (i + 1))
            for i, pair in enumerate(r.many_pairs("○▲▼○").pairs)
        ),
    ),
    "comparison-nothing-could-be-shown": lambda: _all_alike(
        replace(r.many_pairs("○○○○"), unit="segment", n_units=5), mde=NAN, attainable_p=0.0625
    ),
    "comparison-few-documents-t": lambda: replace(
        r.many_pairs("○○○○"), test="t", runs="fixed", n_units=5, n_runs={"old": 1, "sys-1": 1}
    ),
    "comparison-few-documents-t-several-metrics": lambda: replace(
        r.many_pairs("○○", ("bleu", "ter")), test="t", runs="fixed", n_units=5
    ),
    "comparison-fixed-runs": lambda: r.comparison(runs="fixed"),
    "comparison-one-run": _without_runs,
    "comparison-bootstrap": lambda: replace(_without_runs(), test="bootstrap"),
    "comparison-exact-swaps": lambda: replace(
        _without_runs(), exact=True, correction="holm", alpha=0.01
    ),
    "comparison-t": lambda: replace(_without_runs(), test="t", unit="segment", n_units=1240),
    "comparison-compat": lambda: replace(
        compared(5), test="compat", signature=Signature("c", {"test": "multeval-randomization"})
    ),
    "comparison-by-segment-beside-documents": lambda: replace(
        r.comparison(unit="segment"),
        pairs=(replace(r.comparison().pairs[0], p_by_document=0.25), r.comparison().pairs[1]),
    ),
    "comparison-development-scores": lambda: replace(
        r.comparison(),
        systems=(
            replace(r.comparison().systems[0], s_dev=0.125),
            *r.comparison().systems[1:],
        ),
    ),
    "comparison-limits-unknown": lambda: _all_alike(
        r.comparison(unit="segment", n_units=1240), mde=NAN
    ),
    "comparison-effect-of-twelve": lambda: replace(
        r.many_pairs("▲" * 12), effect={"bleu": 1.0}
    ),
    "comparison-effect-of-thirteen": lambda: replace(
        r.many_pairs("▲" * 13), effect={"bleu": 1.0}
    ),
    "comparison-effect-needs-more-runs": lambda: r.comparison(effect={"ter": 1.0}),
    "comparison-effect-unknown": lambda: r.comparison(effect={"ter": 1.0}, runs="fixed"),
    "comparison-thirteen-documents": lambda: r.comparison(
        contrasts=tuple(r.contrast(unit="document", name=f"d{i}") for i in range(13))
    ),
    "comparison-segments-without-source": lambda: r.comparison(
        contrasts=(r.contrast(source=None, reference=None),)
    ),
    "comparison-simpler-analysis-agrees": lambda: replace(
        r.many_pairs("▲"),
        unit="segment",
        pairs=(r.pair("sys-1", naive=Naive(method="segments", p_value=0.001)),),
    ),
    "comparison-simpler-analysis-differs": lambda: replace(
        r.many_pairs("▲"),
        unit="segment",
        pairs=(r.pair("sys-1", naive=Naive(method="segments", p_value=0.3)),),
    ),
    "comparison-nothing-to-check": lambda: r.comparison(unit="segment", influential=()),
    "comparison-hangs-on-one-unit": lambda: r.comparison(
        unit="segment",
        influential=(
            r.influential(unit="segment", name="17"),
            r.influential(difference=-0.25, p_adjusted=NAN, decides=False),
        ),
    ),
    "comparison-fourteen-hang-on-one-unit": lambda: r.comparison(
        unit="segment", influential=(r.influential(unit="segment", name="17"),) * 14
    ),
    "comparison-equivalent-at-90": lambda: replace(
        r.many_pairs("▲"),
        margin={"bleu": 0.5},
        pairs=(r.pair("sys-1", verdict="equivalent", interval=Interval(-0.31, 0.42, 0.9)),),
    ),
    "comparison-sides-of-zero": lambda: _sided((1, 2), (0.5, 3), (-2, -1)),
    "comparison-either-side": lambda: _sided((1, 2), (-1, 3), (-2, 1)),
    "comparison-below-zero": lambda: _sided((-3, -2), (-1, -0.5)),
    "comparison-touching-zero": lambda: _sided((0.0, 2), (-1, 0.0)),
    "comparison-far-system": lambda: _sided((1, 2), (0.5, 3), (-1, 1), (-2, 1), (-90, -80)),
    "comparison-lower-is-better": lambda: _sided(
        (-2, -1), (1, 2), metrics=({**r.metric(), "higher_is_better": False},)
    ),
    "comparison-paper-order-and-marks": _ordered_scores,
    "comparison-paper-several-runs": lambda: compared(3, ("bleu", "chrf"), runs=3),
    "comparison-paper-uneven-runs": lambda: replace(
        compared(2, runs=3), n_runs={"system-00": 2, "system-01": 3}
    ),
    "comparison-paper-lower-is-better": lambda: compared(3, ("ter",)),
    "comparison-paper-all-pairs": lambda: compared(5, ("bleu", "ter"), every_pair=True),
    "comparison-paper-all-pairs-with-margin": lambda: replace(
        compared(4, ("comet",), every_pair=True), margin={"comet": 0.005}
    ),
    "comparison-paper-margin-without-baseline": lambda: replace(
        compared(3, every_pair=True), groups={}, claim="equivalent", margin={"bleu": 0.5}
    ),
    "comparison-paper-margin": lambda: replace(compared(3), margin={"bleu": 0.5}),
    "comparison-paper-non-inferior": lambda: replace(
        compared(3), margin={"bleu": 0.5}, claim="non-inferior"
    ),
    "comparison-paper-equivalent": lambda: replace(
        compared(3), margin={"bleu": 0.25}, claim="equivalent", alpha=0.1
    ),
    "comparison-no-better-side": _of_length,
    "comparison-no-better-side-one": lambda: replace(
        _of_length(), pairs=_of_length().pairs[:1]
    ),
    "comparison-no-better-side-lower": lambda: replace(
        _of_length(), pairs=(replace(_of_length().pairs[0], verdict="lower"),)
    ),
    "comparison-tasks": _tasks,
    "comparison-tasks-benjamini-hochberg": lambda: _tasks(task_correction="benjamini-hochberg"),
    "comparison-tasks-not-corrected": lambda: _tasks(task_correction="none"),
    "comparison-tasks-by-items": lambda: _tasks(weights="items"),
    "comparison-tasks-as-a-sample": lambda: _tasks(
        names=("math", "code", "law", "art", "tax"), tasks="random"
    ),
    "comparison-tasks-non-inferior": lambda: _tasks(claim="non-inferior", margin=0.1),
    "comparison-samples-without-a-floor": lambda: replace(
        _tasks(),
        samples=replace(
            _tasks().samples,  # type: ignore[type-var]
            pairs=tuple(
                replace(pair, mde_many_samples=NAN)
                for pair in _tasks().samples.pairs  # type: ignore[union-attr]
            ),
        ),
    ),
    "comparison-of-shares": _of_shares,
    "comparison-of-shares-and-more": lambda: _of_shares(others=True),
    "comparison-of-shares-non-inferior": lambda: _of_shares(
        claim="non-inferior", margin={"accuracy": 0.5}
    ),
    "comparison-of-shares-and-more-non-inferior": lambda: _of_shares(
        others=True, claim="non-inferior", margin={"accuracy": 0.5, "f1": 0.5}
    ),
    "comparison-all-pairs-of-fourteen": lambda: compared(14, every_pair=True),
    "comparison-intervals-of-no-width": lambda: replace(
        compared(3),
        systems=tuple(
            replace(row, interval=Interval(row.score, row.score, 0.95))
            for row in compared(3).systems
        ),
    ),
    "comparison-of-shares-other-intervals": lambda: _of_shares(signature=r.SIGNATURE),
    "comparison-24-pairs": lambda: r.many_pairs("▲" * 24),
    "comparison-twelve-documents": lambda: r.comparison(
        contrasts=tuple(r.contrast(unit="document", name=f"d{i}") for i in range(12))
    ),
}


# --- Rankings ---


def _four(made: Ranking | None = None) -> Ranking:
    """The ranking of three and a fourth system, which is told apart from none."""
    made = made or r.ranking()
    last = [
        r.ranked_pair(row.system, "last", difference=20.0, p_adjusted=1.0)
        for row in made.systems
    ]
    return replace(
        made,
        systems=(*made.systems, r.ranked("last", score=50.0, cluster=2)),
        pairs=(*made.pairs, *last),
    )


def _apart() -> Ranking:
    """Every system in a cluster of its own."""
    first, second, third = r.ranking().systems
    return r.ranking(
        clusters=(("human",), ("new",), ("old",)),
        systems=(
            replace(first, rank_high=1),
            replace(second, cluster=2, rank_low=2),
            replace(third, cluster=3),
        ),
        pairs=_verdicts("better", "better", "better"),
    )


def _one_cluster(**changes: Any) -> Ranking:
    return r.ranking(
        systems=tuple(replace(row, cluster=1) for row in r.ranking().systems),
        clusters=(("human", "new", "old"),),
        pairs=_verdicts("undecided", "undecided", "undecided"),
        **changes,
    )


def _verdicts(*verdicts: Any, claim: Any = "better", **changes: Any) -> Any:
    return tuple(
        replace(pair, verdict=verdict, claim=claim, **changes)
        for pair, verdict in zip(r.ranking().pairs, verdicts, strict=True)
    )


def _in_z() -> Ranking:
    made = r.ranking(scale="z")
    return replace(made, systems=tuple(replace(s, score=s.mean_z) for s in made.systems))


def _one_claim() -> Repeat:
    made = r.repeat()
    return replace(made, claims=made.claims[:1], expected_lost=0.0025, all_kept=0.9975)


def _unidentified(kind: Any, **changes: Any) -> Repeat:
    made = r.repeat()
    return replace(
        made,
        repeat=kind,
        raters_identified=False,
        variance=replace(made.variance, document=math.nan),
        needed=made.needed[:1],
        other_kinds={"documents": 0.9375},
        plan=made.plan[:2],
        **changes,
    )


def _needs(kind: Any, *needed: tuple[int, int | None], **changes: Any) -> Repeat:
    rows = tuple(RepeatNeeded(n_raters=k, n_documents=n) for k, n in needed)
    plan = r.repeat().plan if kind in ("both", "documents") else ()
    return replace(r.repeat(), repeat=kind, needed=rows, plan=plan, **changes)


RANKINGS: dict[str, Make] = {
    "repeat-one-claim": _one_claim,
    "repeat-no-claim": lambda: replace(r.repeat(), claims=(), needed=(), plan=()),
    "repeat-raters-not-told-from-documents": lambda: _unidentified("raters"),
    "repeat-pool-not-told-from-documents": lambda: _unidentified("pool"),
    "repeat-limit": lambda: replace(r.repeat(), keep=0.99),
    "repeat-limit-of-one-claim": lambda: replace(_one_claim(), keep=0.99),
    "repeat-of-items-too-many": lambda: _needs(
        "both", (1, None), (2, None), (3, None), unit="item"
    ),
    "repeat-of-documents-with-two-sizes": lambda: _needs("documents", (1, 64), (2, 43)),
    "repeat-on-these-documents": lambda: _needs("raters", (2, 38)),
    "repeat-more-than-twenty-raters": lambda: _needs("raters"),
    "repeat-pool-too-few": lambda: _needs("pool"),
    "repeat-raters-of-each-system": lambda: _needs("both", (1, 64), own_raters=True),
    "ranking-with-a-repeat": lambda: r.ranking(repetition=r.repeat()),
    "ranking-every-system-apart": _apart,
    "ranking-one-cluster": _one_cluster,
    "ranking-one-cluster-claimed": lambda: _one_cluster(claim="equivalent", margin=1.0),
    "ranking-two-systems": lambda: r.ranking(
        systems=r.ranking().systems[:2],
        clusters=(("human", "new"),),
        pairs=r.ranking().pairs[:1],
    ),
    "ranking-four-systems": _four,
    "ranking-reversal": lambda: _four(r.ranking(pairs=_verdicts("worse", "better", "better"))),
    "ranking-equivalence-in-the-matrix": lambda: _four(
        r.ranking(pairs=_verdicts("equivalent", "better", "better"), margin=3.0)
    ),
    "ranking-five-names-below-the-headline": lambda: r.long_ranking(5, name="s{}"),
    "ranking-six-systems-folded": lambda: r.long_ranking(6),
    "ranking-24-systems": lambda: r.long_ranking(24),
    "ranking-41-systems-without-pictures": lambda: r.long_ranking(41),
    "ranking-wmt-last-rule": lambda: r.ranking(signature=_signed(cluster_rule="wmt-last")),
    "ranking-wmt21": lambda: r.ranking(preset="wmt21", test="rank-sum", correction="none"),
    "ranking-wmt-agrees": lambda: r.ranking(
        wmt=replace(
            r.ranking().wmt,
            clusters=(("human", "new"), ("old",)),
            n_significant=2,
            different=(),
        )
    ),
    "ranking-limits-differ": lambda: r.ranking(
        pairs=tuple(
            replace(pair, verdict="undecided", mde=mde)
            for pair, mde in zip(r.ranking().pairs, (4.5, NAN, 4.25), strict=True)
        )
    ),
    "ranking-limits-unknown": lambda: r.ranking(
        pairs=tuple(replace(pair, mde=NAN) for pair in r.ranking().pairs)
    ),
    "ranking-nothing-could-be-shown": lambda: r.ranking(
        pairs=tuple(
            replace(pair, mde=NAN, verdict="undecided", attainable_p=0.25)
            for pair in r.ranking().pairs
        )
    ),
    "ranking-in-z": _in_z,
    "ranking-in-z-with-a-score-of-its-own": lambda: replace(
        r.long_ranking(4), scale="z", test="mixed"
    ),
    "ranking-in-z-of-four": lambda: replace(
        r.long_ranking(4),
        scale="z",
        systems=tuple(replace(s, score=s.mean_z) for s in r.long_ranking(4).systems),
    ),
    "ranking-score-of-its-own": lambda: r.ranking(
        systems=(replace(r.ranking().systems[0], score=71.25), *r.ranking().systems[1:])
    ),
    "ranking-without-raters": lambda: r.ranking(
        systems=tuple(replace(row, mean_z=NAN) for row in r.ranking().systems)
    ),
    "ranking-not-corrected": lambda: r.ranking(correction="none", alpha=0.1),
    "ranking-one-pair": lambda: r.ranking(pairs=r.ranking().pairs[:1]),
    "ranking-with-margin": lambda: r.ranking(
        margin=2.0, pairs=_verdicts("equivalent", "better", "better")
    ),
    "ranking-equivalent-at-90": lambda: r.ranking(
        margin=0.5,
        pairs=(
            r.ranked_pair(
                "human", "new", verdict="equivalent", interval=Interval(-0.31, 0.42, 0.9)
            ),
            *r.ranking().pairs[1:],
        ),
    ),
    "ranking-claim-non-inferior": lambda: r.ranking(
        claim="non-inferior",
        margin=2.0,
        correction="holm",
        alpha=0.01,
        pairs=_verdicts("undecided", "undecided", "undecided", claim="non-inferior"),
    ),
    "ranking-claim-without-a-margin-to-show": lambda: r.ranking(
        claim="non-inferior",
        margin=2.0,
        pairs=_verdicts("undecided", "undecided", "undecided", claim="non-inferior", mde=NAN),
    ),
    "ranking-claim-non-inferior-shown": lambda: r.ranking(
        claim="non-inferior",
        margin=2.0,
        pairs=_verdicts("non-inferior", "non-inferior", "undecided", claim="non-inferior"),
    ),
    "ranking-claim-equivalent-shown": lambda: r.ranking(
        claim="equivalent",
        margin=2.0,
        pairs=_verdicts("equivalent", "undecided", "undecided", claim="equivalent"),
    ),
    "ranking-hinges-on-a-document": lambda: r.ranking(
        influential=(
            Influential(
                kind="document", name="d7", share=0.1, clusters=(("human",), ("new", "old"))
            ),
        ),
        test="t",
        n_units=5,
        unit="document",
    ),
    "ranking-signed-rank": lambda: r.ranking(
        unit="document", test="signed-rank", correction="none"
    ),
    "ranking-by-judgment": lambda: r.ranking(level="judgment", test="rank-sum"),
    "ranking-exact": lambda: r.ranking(exact=True),
    "ranking-paper-four": lambda: ranked(4),
    "ranking-paper-four-claimed": lambda: replace(ranked(4), claim="equivalent", margin=0.5),
    "ranking-paper-four-with-margin": lambda: replace(ranked(4), margin=0.5),
    "ranking-hinges-on-a-rater": lambda: r.ranking(
        influential=tuple(
            Influential(
                kind="rater",
                name="ann",
                share=0.25,
                better="human",
                worse="new",
                difference=3.25,
                p_adjusted=0.04,
                verdict=verdict,
            )
            for verdict in ("better", "undecided")
        )
    ),
    "ranking-reversal-of-three": lambda: r.ranking(
        pairs=_verdicts("worse", "better", "better")
    ),
    "ranking-25-systems-without-a-matrix": lambda: r.long_ranking(25),
    "ranking-40-systems": lambda: r.long_ranking(40),
}


# --- Gates ---


def _rows(*outcomes: Any, **changes: Any) -> Any:
    return tuple(r.gate_row(f"t{i}", outcome=one, **changes) for i, one in enumerate(outcomes))


_LOSS: dict[str, Any] = {
    "outcome": "fail",
    "difference": -0.06,
    "interval": Interval(-0.09, -0.02, 0.9),
    "p_worse_adjusted": 0.004,
}
_BLIND: dict[str, Any] = {
    "outcome": "inconclusive",
    "interval": Interval(NAN, NAN, 0.9),
    "margin_passable": NAN,
    "n_needed": None,
}

GATES: dict[str, Make] = {
    "gate-one-passes": lambda: r.gate(outcome="pass", exit_code=0, rows=_rows("pass")),
    "gate-all-pass": lambda: r.gate(outcome="pass", exit_code=0, rows=_rows("pass", "pass")),
    "gate-all-inconclusive": lambda: r.gate(rows=_rows("inconclusive", "inconclusive")),
    "gate-fails": lambda: r.gate(
        outcome="fail",
        exit_code=3,
        rows=(
            r.gate_row("a", **_LOSS),
            r.gate_row("b"),
            r.gate_row("c", outcome="inconclusive"),
            r.gate_row("d", outcome="fail", watched=True),
        ),
    ),
    "gate-fails-where-open-rows-fail": lambda: r.gate(
        outcome="fail",
        exit_code=3,
        inconclusive="fail",
        rows=(r.gate_row("a", **_LOSS), r.gate_row("c", outcome="inconclusive")),
    ),
    "gate-eleven-fail": lambda: r.gate(outcome="fail", exit_code=3, rows=_rows(*["fail"] * 11)),
    "gate-watched-only": lambda: r.gate(
        outcome="pass",
        exit_code=0,
        rows=(r.gate_row(), r.gate_row("w", outcome="inconclusive", watched=True)),
    ),
    "gate-no-self-test-losses-or-notes": lambda: r.gate(self_test=None, losses=(), notes=()),
    "gate-two-metrics": lambda: r.gate(
        rows=(
            r.gate_row(),
            r.gate_row(
                metric="bleu", old=31.0, new=30.5, difference=-0.5, outcome="inconclusive"
            ),
        ),
        margin={"accuracy": 0.05, "bleu": 1.0},
    ),
    "gate-two-metrics-pass": lambda: r.gate(
        outcome="pass",
        exit_code=0,
        rows=(r.gate_row(), r.gate_row(metric="bleu", old=31.0, new=30.5, difference=-0.5)),
        margin={"accuracy": 0.05, "bleu": 1.0},
        losses=(),
    ),
    "gate-fine-margin": lambda: r.gate(
        rows=(r.gate_row(margin=0.0025, outcome="inconclusive"),), margin={"accuracy": 0.0025}
    ),
    "gate-no-regression": lambda: r.gate(rule="no-regression"),
    "gate-no-regression-passes": lambda: r.gate(
        rule="no-regression", outcome="pass", exit_code=0, rows=_rows("pass")
    ),
    "gate-no-regression-fails": lambda: r.gate(
        rule="no-regression", outcome="fail", exit_code=3, rows=(r.gate_row(**_LOSS),)
    ),
    "gate-superiority": lambda: r.gate(
        rule="superiority", margin={}, rows=_rows("inconclusive", "pass", margin=NAN)
    ),
    "gate-superiority-passes": lambda: r.gate(
        rule="superiority",
        margin={},
        outcome="pass",
        exit_code=0,
        rows=_rows("pass", margin=NAN),
    ),
    "gate-superiority-fails": lambda: r.gate(
        rule="superiority", margin={}, outcome="fail", exit_code=3, rows=(r.gate_row(**_LOSS),)
    ),
    "gate-second-attempt": lambda: r.gate(attempt=2, alpha=0.0125),
    "gate-nothing-known": lambda: r.gate(rows=(r.gate_row(**_BLIND),), losses=()),
    "gate-too-few-groups": lambda: r.gate(
        rows=(r.gate_row(outcome="inconclusive", too_few=True, n_items=6, n_clusters=6),)
    ),
    "gate-unchanged": lambda: r.gate(
        rows=(
            r.gate_row(
                outcome="pass",
                unchanged=True,
                difference=0.0,
                interval=Interval(0.0, 0.0, 0.9),
            ),
        ),
        outcome="pass",
        exit_code=0,
    ),
    "gate-31-rows-without-picture": lambda: r.gate(rows=_rows(*["inconclusive"] * 31)),
    "gate-t-tests": lambda: r.gate(rows=(r.gate_row(method="t", outcome="inconclusive"),)),
    "gate-one-question": lambda: r.gate(
        rows=(
            r.gate_row(
                samples_old=1.0,
                samples_new=1.0,
                n_items=1,
                n_clusters=1,
                outcome="inconclusive",
            ),
        ),
    ),
    "gate-four-samples": lambda: r.gate(
        rows=(r.gate_row(samples_old=4.0, samples_new=4.0, outcome="inconclusive"),)
    ),
    "gate-names-that-break-tables": lambda: r.gate(
        rows=(r.gate_row("a|b`<script>\n# x\"'\x1b]]>", outcome="inconclusive"),),
        system="*new*",
    ),
    "accepted-baseline-the-first": lambda: r.accepted_baseline(replaced="", notes=()),
    "accepted-baseline-one-task": lambda: r.accepted_baseline(n_tasks=1, metrics=("accuracy",)),
    "gate-ten-fail": lambda: r.gate(outcome="fail", exit_code=3, rows=_rows(*["fail"] * 10)),
    "gate-30-rows": lambda: r.gate(rows=_rows(*["inconclusive"] * 30)),
}


# --- Arenas ---


def _arena_of(n: int) -> Arena:
    """So many systems, of which nothing is told apart."""
    return r.arena(
        systems=tuple(
            r.arena_system(f"s{i:02}", 0.01 * (n - i), rank_high=n) for i in range(n)
        ),
        pairs=(),
    )


def _two(verdict: Any = "undecided", **changes: Any) -> Arena:
    first, second = r.arena().systems[:2]
    if verdict == "better":
        first, second = replace(first, rank_high=1), replace(second, rank_low=2)
    pair = replace(r.arena().pairs[0], verdict=verdict)
    return r.arena(**{"systems": (first, second), "pairs": (pair,), "test": "sign", **changes})


def _placed(**changes: Any) -> Arena:
    nan: dict[str, Any] = {"strength": NAN, "adjusted": NAN, "elo": NAN}
    above = r.arena_system("top", 0.0, placed="above", bound=0.75)
    below = r.arena_system("low", 0.0, placed="below", bound=-0.75)
    return r.arena(
        systems=(replace(above, **nan), *r.arena().systems[:3], replace(below, **nan)),
        **changes,
    )


ARENAS: dict[str, Make] = {
    "arena-two-undecided": _two,
    "arena-two-decided": lambda: _two("better"),
    "arena-two-by-t": lambda: _two(test="t", cluster="prompt", clusters={"prompt": 40}),
    "arena-one-on-top": lambda: r.arena(
        systems=(
            replace(r.arena().systems[0], rank_high=1),
            *(replace(row, rank_low=max(2, row.rank_low)) for row in r.arena().systems[1:]),
        )
    ),
    "arena-nothing-undecided": lambda: r.arena(
        pairs=tuple(replace(pair, verdict="better") for pair in r.arena().pairs),
        next_pair=None,
    ),
    "arena-placed-without-estimate": _placed,
    "arena-placed-without-adjusted-ranks": lambda: _placed(
        effects=(),
        notes=(),
    ),
    "arena-unadjusted": lambda: r.arena(
        systems=tuple(
            replace(row, adjusted=NAN, adjusted_rank_low=None, adjusted_rank_high=None)
            for row in r.arena().systems
        ),
        effects=(),
    ),
    "arena-next-pair-of-others": lambda: r.arena(
        next_pair=NextPair(between=("owl", "elk"), vote=("owl", "cod"), gain=0.0046)
    ),
    "arena-no-votes-needed": lambda: r.arena(
        pairs=tuple(replace(pair, units_needed=None) for pair in r.arena().pairs),
        next_pair=None,
    ),
    "arena-common-choice-agrees": lambda: r.arena(
        naive=NaiveArena(n_apart=5, design_effect=1.0),
        systems=tuple(replace(row, lmarena_rank=row.rank_low) for row in r.arena().systems),
        notes=(),
    ),
    "arena-by-prompt": lambda: r.arena(cluster="prompt", clusters={"prompt": 9}),
    "arena-by-vote": lambda: r.arena(cluster="vote", clusters={}),
    "arena-davidson": lambda: r.arena(ties="davidson", tie_parameter=0.35),
    "arena-rao-kupper": lambda: r.arena(ties="rao-kupper", tie_parameter=0.35),
    "arena-ties-dropped": lambda: r.arena(ties="drop"),
    "arena-bootstrap": lambda: r.arena(signature=_signed(bootstrap=2000)),
    "arena-firth": lambda: r.arena(signature=_signed(penalty="firth")),
    "arena-equal-weights": lambda: r.arena(weights="pairs"),
    "arena-24-systems": lambda: _arena_of(24),
    "arena-25-systems": lambda: _arena_of(25),
    "arena-41-systems": lambda: _arena_of(41),
    "arena-some-without-adjusted-ranks": lambda: r.arena(
        systems=(
            *r.arena().systems[:3],
            replace(r.arena().systems[3], adjusted_rank_low=None, adjusted_rank_high=None),
        )
    ),
}


# --- Planning ---


def _by_size(**changes: Any) -> NearbyPower:
    """Power by size for three effects."""
    made = NearbyPower(
        n_items=(200, 400, 600, 800),
        effect=(0.2, 0.25, 0.3125),
        power=((0.2, 0.3, 0.45), (0.4, 0.55, 0.75), (0.6, 0.8, 0.93), (0.85, 0.92, 0.99)),
        type_m=((3.0, 2.5, 2.0), (2.0, 1.5, 1.25), (1.25, 1.12, 1.06), (1.2, 1.1, 1.0)),
        type_s=((0.05, 0.04, 0.03),) * 4,
        span=(0.0, 800.0),
    )
    return replace(made, **changes)


def _sized(**changes: Any) -> Any:
    made: dict[str, Any] = {"n_items": 600, "power": 0.8, "attainable": True, "limit": ""}
    return r.sample_size(**{**made, "nearby": _by_size(), **changes})


def _curve(sizes: list[int], effects: list[float]) -> Any:
    return dt.power_curve(dt.scenarios.RankSum(), n_items=sizes, effect=effects)


def _cheapest_by_test() -> Any:
    found = r.cheapest_design()
    nearby = tuple(
        replace(one, test="signed-rank" if one.n_raters == 8 else "two-means")
        for one in found.nearby[2:]
    )
    best = replace(found.options[1], test="two-means")
    return replace(found, best=best, options=(best,), nearby=nearby)


PLANNING: dict[str, Make] = {
    "power-without-nearby": lambda: r.power_estimate(nearby=None),
    "power-impossible-effects": lambda: r.power_estimate(
        nearby=r.nearby_power(power=((0.1,) + (None,) * 5, (0.2,) + (None,) * 5, (0.3,) * 6))
    ),
    "power-closed-form": lambda: r.power_estimate(
        method="closed-form", standard_error=None, nearby=r.nearby_power(approximate=False)
    ),
    "power-nothing-significant": lambda: r.power_estimate(
        power=0.0, type_m=NAN, type_s=NAN, nearby=None
    ),
    "power-of-the-target": lambda: dt.power(
        dt.scenarios.RankSum(), n_items=1500, effect=0.4705
    ),
    "power-of-a-margin": lambda: dt.power(
        dt.scenarios.AccuracyMargin(
            dt.scenarios.Accuracy(agreement=0.95), margin=0.02, claim="non-inferior"
        ),
        n_items=4500,
        effect=0.0,
    ),
    "power-of-an-exact-sign-test": lambda: dt.sample_size(
        dt.scenarios.Preference(ties=0.2), effect=0.51
    ),
    "mde-simulated": lambda: r.detectable_effect(
        method="simulated",
        standard_error=0.01,
        effect_error=0.02,
        type_m=1.125,
        type_s=0.005,
        target_power=0.9,
        scale="difference of marks",
    ),
    "mde-unattainable": lambda: r.detectable_effect(effect=NAN, attainable=False),
    "mde-of-twice-as-many": lambda: dt.mde(dt.scenarios.Bleu(), n_items=2000, power=0.9),
    "mde-out-of-reach": lambda: dt.mde(dt.scenarios.Accuracy(agreement=0.975), n_items=50),
    "sample-size-found": _sized,
    "sample-size-simulated": lambda: _sized(
        method="simulated", standard_error=0.01, n_items_error=12.5
    ),
    "sample-size-at-high-power-only": lambda: _sized(
        nearby=_by_size(power=((0.5,) * 3, (0.6,) * 3, (0.8,) * 3, (0.9,) * 3))
    ),
    "sample-size-out-of-reach-with-picture": lambda: r.sample_size(
        nearby=_by_size(span=(200.0, 800.0))
    ),
    "sample-size-of-equivalence": lambda: dt.sample_size(
        dt.scenarios.AccuracyMargin(
            dt.scenarios.Accuracy(agreement=0.95), margin=0.02, claim="equivalent"
        ),
        effect=0.0,
    ),
    "power-curve-of-items": lambda: r.power_curve(unit="item"),
    "power-curve-below-a-half": lambda: _curve([500, 1500, 5000], [0.45, 0.47]),
    "power-curve-out-of-reach": lambda: _curve([20, 30], [0.51, 0.52]),
    "power-curve-reached-everywhere": lambda: _curve([100_000, 200_000], [0.55, 0.6]),
    "power-curve-three-lines": lambda: _curve([500, 1500, 5000], [0.51, 0.53, 0.56]),
    "power-curve-one-effect": lambda: _curve([500, 1000, 2000], [0.47]),
    "power-curve-one-effect-log-scale": lambda: _curve([100, 5000], [0.47]),
    "power-curve-one-effect-out-of-reach": lambda: _curve([20, 30], [0.49]),
    "power-curve-single-cell": lambda: _curve([500], [0.47]),
    "power-curve-with-surface": lambda: _curve([200, 500, 1500, 5000], [0.51, 0.53, 0.55, 0.6]),
    "cheapest-none": lambda: r.cheapest_design(best=None, options=(), nearby=()),
    "cheapest-without-picture": lambda: r.cheapest_design(nearby=(), notes=()),
    "cheapest-all-reach-it": lambda: r.cheapest_design(nearby=r.cheapest_design().nearby[2:]),
    "cheapest-by-test": _cheapest_by_test,
    "cheapest-nothing-cheaper": lambda: r.cheapest_design(
        nearby=tuple(one for one in r.cheapest_design().nearby if one.cost >= 925.0)
    ),
    "cheapest-one-line": lambda: r.cheapest_design(nearby=r.cheapest_design().nearby[2:5]),
    "cheapest-with-prices": lambda: r.cheapest_design(
        signature=Signature(
            "cheapest", {"scenario": "Likert", "item": 0.5, "judgment": 0.1, "rater": 0.0}
        )
    ),
    "power-in-the-observed-order": lambda: dt.power(
        dt.scenarios.RankSum(alternative="observed-order"), n_items=1500, effect=0.47
    ),
    "power-half-unknown": lambda: r.power_estimate(
        nearby=r.nearby_power(effect=(0.35, 0.4, 0.45, 0.5, 0.625, 0.75))
    ),
    "power-of-bleu-that-does-not-add-up": lambda: dt.power(
        replace(
            dt.scenarios.Bleu(),
            report=replace(_library("SwapFit"), additivity_slope=1.5),
        ),
        n_items=2000,
        effect=1.0,
    ),
    "power-of-questions-alike": lambda: dt.power(
        dt.scenarios.Samples(
            question_variance=0.0, sample_variance=0.15, question_cost=2.0, sample_cost=1.0
        ),
        n_items=130,
        effect=0.05,
    ),
    "power-of-one-sample": lambda: dt.power(
        dt.scenarios.Samples(
            question_variance=0.2, sample_variance=0.01, question_cost=1.0, sample_cost=2.0
        ),
        n_items=130,
        effect=0.05,
    ),
    "power-of-few-questions": lambda: dt.power(
        dt.scenarios.Samples(question_variance=0.02, sample_variance=0.15, method="normal"),
        n_items=20,
        effect=0.05,
    ),
    "mde-of-a-claim": lambda: r.detectable_effect(
        aim="a difference of at most 0.5", effect_error=0.02
    ),
    "power-of-a-claim": lambda: r.power_estimate(
        aim="a difference of at most 0.5", effect=0.0, nearby=None
    ),
    "sample-size-of-a-claim": lambda: _sized(aim="a difference of at most 0.5"),
    "power-curve-ten-lines": lambda: _curve(
        [200 * k for k in range(1, 11)], [0.4 + 0.01 * k for k in range(10)]
    ),
    "power-curve-some-of-it-everywhere": lambda: _curve([1500, 5000], [0.6, 0.62]),
}


# --- Designs, plans, looks and conclusions ---


def _plain_design(**changes: Any) -> Any:
    made = r.design(futility=(None,) * 3, with_futility=None, **changes)
    plain = tuple(replace(point, with_futility=None) for point in made.characteristics)
    return replace(made, characteristics=plain)


def _mixed_design() -> Any:
    made = r.design(n_max=None, items=None, sided=1, expected_items=None)
    first, second = made.characteristics
    return replace(made, characteristics=(replace(first, with_futility=None), second))


DESIGNS: dict[str, Make] = {
    "design-one-sided-without-futility": lambda: _plain_design(
        sided=1, items=None, n_max=None, expected_items=None
    ),
    "design-two-sided-without-futility": _plain_design,
    "design-one-sided-in-shares": _mixed_design,
    "design-binding": lambda: r.design(binding=True, with_futility=None),
    "design-binding-one-sided": lambda: r.design(binding=True, sided=1),
    "design-errs-too-often": lambda: _plain_design(
        overall_alpha=OverallAlpha(futility_ignored=0.07, futility_obeyed=0.06)
    ),
    "design-costs-more-than-it-saves": lambda: r.design(
        inflation=1.002,
        expected_n_over_fixed=ExpectedN(h0=1.2, half=1.2, full=1.1, one_and_half=1.0),
    ),
    "design-only-the-last-look": lambda: r.design(z=(math.inf, math.inf, 1.96)),
    "design-fixed": lambda: design("fixed"),
    "design-fixed-of-items": lambda: design("fixed", n_max=1200),
    "design-pocock": lambda: design("pocock", looks=3),
    "design-one-sided": lambda: design(looks=3, sided=1),
    "design-ten-looks": lambda: design(looks=10),
    "design-beta-spending": lambda: design(looks=4, sided=1, futility="beta-spending"),
    **{
        f"design-{family}": lambda family=family: design(family, looks=2)  # type: ignore[misc]
        for family in FAMILIES
        if family not in ("fixed", "pocock")
    },
}

_MARGIN: dict[str, Any] = {"claim": "equivalent", "margin": 6.0}


def _decided(*decisions: Any) -> PlanHistory:
    """Two pairs with these decisions at their last look."""
    history = r.watched((1.4, 2.0), "stop", **THREE)
    said = dict(zip(("a", "b"), decisions, strict=True))
    rows = tuple(
        replace(row, pair=replace(row.pair, decision=said[row.pair.system]))
        if row.look == 2
        else row
        for row in history.looks
    )
    return replace(history, looks=rows)


def _not_looked_at(plan: Any) -> PlanHistory:
    return r.plan_history(plan=plan, looks=(), n_looks=0, decision=None)


def _entries(**changes: Any) -> PlanHistory:
    history = r.watched()
    return replace(
        history, entries=(replace(history.entries[0], **changes), *history.entries[1:])
    )


def _created(time: str) -> PlanHistory:
    history = r.watched()
    return replace(history, plan=replace(history.plan, created=time))


_TIME = "2026-01-04T03:04:05+00:00"
_EVENTS: tuple[tuple[str, int, dict[str, Any]], ...] = (
    ("campaign", 0, {"name": "ship", "protocol": "da", "reveal": "full"}),
    ("campaign", 0, {"name": "ship", "protocol": "da", "reveal": "decisions"}),
    ("needed", 1, {"systems": ["new", "old"]}),
    ("erasure", 1, {"judgments": 12, "rater": "ann"}),
    ("void", 2, {"rater": "bob", "who": "the editor", "reason": "one score only"}),
    ("pause", 2, {"who": "the editor", "reason": "holidays"}),
    ("unblinding", 3, {"who": "the editor"}),
    ("final", 4, {"units": 480}),
)


def _looks_with(history: PlanHistory, **changes: Any) -> PlanHistory:
    rows = tuple(replace(row, pair=replace(row.pair, **changes)) for row in history.looks)
    return replace(history, looks=rows)


def _planned(**changes: Any) -> Any:
    return replace(r.watched((1.0,), "continue").plan, **changes)


PLANS: dict[str, Make] = {
    "plan-advised-to-give-up": lambda: r.watched().plan,
    "plan-one-look": lambda: r.plan(design={"family": "fixed", "futility": "none"}),
    "plan-one-sided": lambda: r.plan(
        design={"family": "pocock", "looks": 2, "futility": "none", "sided": 1}
    ),
    "plan-one-sided-with-futility": lambda: r.plan(
        design={"family": "hsd", "at": [0.5, 1.0], "futility": "predictive-power", "sided": 1}
    ),
    "plan-non-inferior": lambda: r.plan(claim="non-inferior", margin=1.0),
    "plan-equivalent-one-look": lambda: _planned(
        claim="equivalent", margin=2.0, design={"family": "fixed", "futility": "none"}
    ),
    "plan-three-systems": lambda: r.plan(systems=("new", "third", "old")),
    "plan-three-systems-advised": lambda: _planned(**THREE),
    "plan-every-pair": lambda: r.plan(systems=("new", "third", "old"), baseline=None),
    "plan-bets": lambda: r.plan(systems=("new", "third", "old"), design={}, test="e-process"),
    "plan-bets-without-end": lambda: r.plan(
        systems=("new", "third", "old"), design={}, test="e-process", n_max=None
    ),
    "plan-bets-on-preferences": lambda: r.plan(design={}, test="e-preference", n_max=None),
    "plan-every-pair-of-bets": lambda: replace(
        r.bet_on().plan, systems=("a", "b", "c"), baseline=None, n_max=None
    ),
    "plan-bounds-out-of-reach": lambda: r.plan(
        design={"family": "ld-obf", "looks": 10, "futility": "predictive-power"},
        alpha=1e-6,
        n_max=1000,
    ),
    "plan-by-item": lambda: r.plan(unit="item", question=""),
    "plan-by-document": lambda: r.plan(unit="document"),
    "plan-by-rater": lambda: r.plan(unit="rater"),
    "plan-mixed": lambda: r.plan(test="mixed", unit="item"),
    "plan-rank-sum": lambda: r.plan(test="rank-sum"),
    "plan-preference": lambda: r.plan(test="preference", scale=None),
    "plan-sign-flip": lambda: r.plan(test="sign-flip"),
    "plan-with-prices": lambda: r.watched(cost_per_judgment=0.25).plan,
    "history-two-looks": r.plan_history,
    "history-worse": lambda: r.watched((-2.0, -3.5), "stop: worse"),
    "history-goes-on-to-better": lambda: r.watched((1.4, 2.0), "continue"),
    "history-goes-on-to-worse": lambda: r.watched((-1.4, -2.0), "continue"),
    "history-goes-on-to-futile": lambda: r.watched((0.9, 0.3), "continue"),
    "history-trend-leads-nowhere": lambda: r.watched(
        (0.5, 0.6),
        "continue",
        design={"family": "hsd", "at": [0.2, 0.4, 0.6, 0.8, 1.0], "futility": "none"},
    ),
    "history-futile": lambda: r.watched((1.0, 0.5, 0.2), "stop: futile"),
    "history-undecided-at-the-end": lambda: r.watched((1.0,) * 5, "stop: undecided"),
    "history-bets": r.bet_on,
    "history-bets-go-on": lambda: r.bet_on((1.8, 6.5), "continue"),
    "history-bets-of-several-pairs": lambda: r.bet_on(last="continue", **THREE),
    "history-every-pair-settled": lambda: r.watched(last="stop", **THREE),
    "history-two-decided": lambda: _decided("stop: better", "stop: worse"),
    "history-one-decided-one-given-up": lambda: _decided("stop: better", "stop: futile"),
    "history-none-decided": lambda: _decided("continue", "continue"),
    "history-one-decided-one-goes-on": lambda: _decided("stop: worse", "continue"),
    "history-given-up-and-undecided": lambda: _decided("stop: futile", "stop: undecided"),
    "history-thirteen-pairs": lambda: r.watched(
        (1.4,), "continue", systems=tuple(f"s{i}" for i in range(14)), baseline="s13"
    ),
    "history-equivalent": lambda: r.watched((0.4, 0.3), "stop: equivalent", **_MARGIN),
    "history-equivalence-goes-on": lambda: r.watched((0.4, 0.3), "continue", **_MARGIN),
    "history-equivalence-of-several": lambda: r.watched(
        (0.4, 0.3), "continue", **_MARGIN, **THREE
    ),
    "history-non-inferior": lambda: r.watched(
        (0.4,), "stop: non-inferior", claim="non-inferior", margin=6.0
    ),
    "history-not-looked-at": lambda: _not_looked_at(r.plan()),
    "history-not-looked-at-with-futility": lambda: _not_looked_at(r.watched().plan),
    "history-bets-not-looked-at": lambda: _not_looked_at(r.bet_on().plan),
    "history-overruled": lambda: _entries(overruled=True),
    "history-declared-the-last": lambda: _entries(declared=True),
    "history-planned-after-the-first-look": lambda: _created("2026-01-03T03:04:06+00:00"),
    "history-planned-at-a-naive-time": lambda: _created("2026-01-01T03:04:06"),
    "history-planned-yesterday": lambda: _created("yesterday"),
    "history-by-item": lambda: r.watched(unit="item"),
    "history-admissions": lambda: r.plan_history(
        admissions=(
            AdmissionRow(
                look=1, rater="ann", outcome="admitted", n_pairs=4, n_judgments=40, p_value=0.01
            ),
            AdmissionRow(
                look=2, rater="cho", outcome="waiting", n_pairs=1, n_judgments=10, p_value=None
            ),
        )
    ),
    "history-events": lambda: replace(
        r.watched(),
        events=tuple(
            LedgerEvent(time=_TIME, event=event, after_look=after, detail=detail)
            for event, after, detail in _EVENTS
        ),
    ),
    "history-blind": lambda: replace(r.watched((1.4, 2.0), "continue"), looks=(), blind=True),
    "history-blind-and-stopped": lambda: replace(r.watched(), looks=(), blind=True),
    "history-not-tested": lambda: _looks_with(
        r.watched((1.4, 2.0), "continue"), z=None, z_bound=None
    ),
    "history-equivalence-not-tested": lambda: _looks_with(
        r.watched((0.4, 0.3), "continue", **_MARGIN), z_margin=None
    ),
    "plan-bounds-never-in-reach": lambda: r.plan(
        design={"family": "fixed", "futility": "none"}, alpha=1e-300
    ),
    "history-ended-without-new-data": lambda: replace(
        r.watched((1.4, 2.0), "stop: undecided"),
        looks=tuple(
            replace(row, pair=replace(row.pair, tested=row.look == 1))
            for row in r.watched((1.4, 2.0), "stop: undecided").looks
        ),
    ),
    "look-before-anything-is-tested": lambda: r.look(
        pairs=(r.pair_look(z=None, z_bound=None),),
        history=_looks_with(r.watched((1.4, 2.0), "continue"), z=None, z_bound=None),
    ),
}


def _looked(last: Any, zs: tuple[float, ...] = (1.4, 2.0), **changes: Any) -> Any:
    pairs = (r.pair_look(decision=last),)
    values = {"pairs": pairs, "saved": 480, "history": r.watched(zs, last), **changes}
    return r.look(decision=last, **values)


_FIRST_BATCH: dict[str, Any] = {
    "batch": 1,
    "by": "random",
    "weight": np.full(3, 1.5),
    "batch_of": np.array([0, 1, 0]),
    "continues": "",
}
_ITEMS: dict[str, Any] = {
    "unit": "item",
    "by": "random",
    "batch": 1,
    "steps": 1,
    "documents": (),
    "pool_documents": (),
    "unit_of": np.arange(6),
    "batch_of": np.array([0, 0, 0, 1, 1, 1]),
    "weight": np.full(6, 2.0),
    "size": np.arange(6.0),
    "n_units": 6,
    "n_units_drawn": 3,
    "continues": "",
}
_BETS = r.pair_look(z=None, z_bound=None, e_value=3.5, e_needed=20.0)

LOOKS: dict[str, Make] = {
    "look-without-history": r.look,
    "look-goes-on": lambda: _looked("continue"),
    "look-goes-on-to-the-next": lambda: _looked("continue", (1.4, 2.6)),
    "look-goes-on-to-worse": lambda: _looked("continue", (-1.4, -2.6)),
    "look-trend-leads-nowhere": lambda: _looked(
        "continue",
        history=r.watched(
            (0.5, 0.6),
            "continue",
            design={"family": "hsd", "at": [0.2, 0.4, 0.6, 0.8, 1.0], "futility": "none"},
        ),
    ),
    "look-better": lambda: _looked("stop: better", (2.0, 3.3)),
    "look-worse": lambda: _looked("stop: worse", (-2.0, -3.3)),
    "look-equivalent": lambda: _looked(
        "stop: equivalent", history=r.watched((0.4, 0.3), "stop: equivalent", **_MARGIN)
    ),
    "look-non-inferior": lambda: _looked("stop: non-inferior", saved=None, history=None),
    "look-futile": lambda: _looked("stop: futile", (0.9, 0.1)),
    "look-futile-overruled": lambda: _looked("continue", overruled=True),
    "look-undecided-at-the-end": lambda: _looked("stop: undecided", saved=None, final=True),
    "look-undecided-declared": lambda: _looked("stop: undecided", declared=True, final=True),
    "look-all-settled": lambda: _looked("stop", saved=None, history=None),
    "look-saved-nothing": lambda: _looked("stop: better", saved=0),
    "look-with-prices": lambda: _looked(
        "stop: better", history=r.watched((2.0, 3.3), "stop: better", cost_per_judgment=0.25)
    ),
    "look-twenty-pairs": lambda: r.look(
        pairs=tuple(r.pair_look(system=f"s{i}") for i in range(20))
    ),
    "look-evidence-of-all-kinds": lambda: r.look(
        pairs=(
            _BETS,
            r.pair_look(sided=1),
            r.pair_look(z_bound=math.inf),
            r.pair_look(z=None, z_bound=None),
            r.pair_look(decision="stop: futile"),
            r.pair_look(decision="stop: worse", n_clusters=20),
        ),
        judgments_planned=None,
        expected_judgments=None,
        still_needed=(),
    ),
    "look-bets": lambda: r.look(pairs=(_BETS,), history=r.bet_on((1.8, 3.5), "continue")),
    "look-no-trend": lambda: r.look(expected_judgments=None, notes=()),
    "look-by-document": lambda: r.look(unit="document"),
    "look-the-first": lambda: _looked("continue", (0.1,)),
}

_PAIR = {"verdict", "reason", "p_value", "p_adjusted", "estimate", "naive_estimate"}
_PAIR |= {"interval", "method"}


def _single(**changes: Any) -> Conclusion:
    pair = {name: changes.pop(name) for name in list(changes) if name in _PAIR}
    return r.conclusion(pairs=(r.concluded(**pair),), **changes)


_SAME: dict[str, Any] = {"naive_estimate": 1.2345}
_OTHER_WORK: dict[str, Any] = {
    "system": "new",
    "baseline": "old",
    "n_units": 1300,
    "estimate": 1.125,
    "interval": Interval(0.25, 2.0, 0.95),
    "scale": "mean difference",
}

CONCLUSIONS: dict[str, Make] = {
    "conclusion-without-history": r.conclusion,
    "conclusion-one-pair": _single,
    "conclusion-with-prices": lambda: _single(history=r.watched(cost_per_judgment=0.25)),
    "conclusion-undecided": lambda: _single(
        verdict="undecided", reason="no boundary was reached", saved=0, question=""
    ),
    "conclusion-worse": lambda: _single(verdict="worse", saved=None),
    "conclusion-undecided-is-no-tie": lambda: _single(
        verdict="undecided", interval=Interval(-0.5, 2.0, 0.95), **_SAME
    ),
    "conclusion-estimates-alike": lambda: _single(p_adjusted=NAN, **_SAME),
    "conclusion-planned": lambda: _single(history=r.watched(), **_SAME),
    "conclusion-estimates-nearer": lambda: _single(naive_estimate=1.0),
    "conclusion-estimates-negative": lambda: _single(naive_estimate=-1.5, estimate=-1.234),
    "conclusion-equivalent": lambda: _single(
        verdict="equivalent", margin=2.0, interval=Interval(-0.5, 1.5, 0.9), **_SAME
    ),
    "conclusion-non-inferior": lambda: _single(
        verdict="non-inferior", margin=2.0, interval=Interval(-0.5, math.inf, 0.95), **_SAME
    ),
    "conclusion-twenty-pairs": lambda: r.conclusion(
        pairs=tuple(r.concluded(system=f"s{i}") for i in range(20))
    ),
    "conclusion-two-baselines": lambda: r.conclusion(
        pairs=(r.concluded(), r.concluded(baseline="third", verdict="worse"))
    ),
    "conclusion-margins-of-several": lambda: r.conclusion(
        pairs=(r.concluded(verdict="non-inferior"), r.concluded(verdict="worse")), margin=1.0
    ),
    "conclusion-all-worse": lambda: r.conclusion(
        pairs=(r.concluded(verdict="worse"),) * 2, margin=1.0
    ),
    "conclusion-stagewise": lambda: _single(
        method="stagewise ordering, median unbiased", history=r.watched()
    ),
    "conclusion-repeated-interval": lambda: _single(
        method="repeated interval of the margin", history=r.watched()
    ),
    "conclusion-bets": lambda: _single(method="confidence sequence", history=r.bet_on()),
    "conclusion-of-several-with-history": lambda: r.conclusion(
        pairs=(r.concluded(system="a", baseline="c"), r.concluded(system="b", baseline="c")),
        history=r.watched(**THREE),
    ),
    "conclusion-one-look": lambda: _single(n_looks=1, saved=None, notes=()),
    "conclusion-nothing-saved": lambda: r.conclusion(saved=None, history=r.watched()),
    "conclusion-nothing-to-report": lambda: _single(
        verdict="undecided", interval=None, p_value=NAN, p_adjusted=NAN, **_SAME
    ),
    "conclusion-voided-work": lambda: _single(
        without_voided=(WithoutVoided(**_OTHER_WORK, raters=("ann", "bob")),),
        intention_to_rate=(IntentionToRate(**_OTHER_WORK),),
        history=r.watched(),
    ),
    "conclusion-several-nothing-saved": lambda: r.conclusion(saved=0),
}


# --- What is watched value by value ---

WATCHED: dict[str, Make] = {
    "band-worse": lambda: r.confidence_band(
        verdict="worse", interval=Interval(-6.0, -2.0, 0.95), notes=()
    ),
    "band-undecided": lambda: r.confidence_band(verdict="undecided", decided_at=None),
    "band-goes-on-from-an-earlier-one": lambda: r.confidence_band(
        mean=r.confidence_band().mean[90:],  # type: ignore[index]
        low=r.confidence_band().low[90:],  # type: ignore[index]
        high=r.confidence_band().high[90:],  # type: ignore[index]
    ),
    "band-without-path": lambda: r.confidence_band(mean=None, low=None, high=None),
    "band-without-values": lambda: r.confidence_band(
        mean=None,
        low=None,
        high=None,
        n=0,
        estimate=NAN,
        interval=None,
        decided_at=None,
        verdict="undecided",
    ),
    "band-too-early": lambda: r.confidence_band(
        interval=None, decided_at=None, verdict="undecided"
    ),
    "evidence-still-high": lambda: r.e_process_test(log_e=math.log(21.0), notes=()),
    "evidence-undecided": lambda: r.e_process_test(
        alpha=0.01, verdict="undecided", decided_at=None
    ),
    "evidence-worse": lambda: r.e_process_test(verdict="worse"),
    "evidence-without-path": lambda: r.e_process_test(path=None),
    "preferences-decided": lambda: r.preference_test(
        verdict="better", decided_at=60, log_e=3.5, e_value=math.exp(3.5)
    ),
    "preferences-without-ties-or-path": lambda: r.preference_test(
        path=None, ties=0, n=60, notes=()
    ),
    "preferences-none-yet": lambda: r.preference_test(
        path=None,
        ties=0,
        wins=0,
        losses=0,
        n=0,
        estimate=NAN,
        log_e=0.0,
        e_value=1.0,
        p_value=1.0,
    ),
    "exact-band-covers-zero": lambda: r.betting_band(
        interval=Interval(-1.0, 2.0, 0.95), low=r.betting_band().low - 20.0
    ),
    "exact-band-below-zero": lambda: r.betting_band(
        interval=Interval(-9.0, -2.0, 0.95),
        low=np.full(60, -50.0),
        high=np.linspace(10.0, -2.0, 60),
    ),
    "exact-band-without-path": lambda: r.betting_band(low=np.array([]), high=np.array([])),
    "pairs-by-e-bh": lambda: r.pair_decisions(method="e-BH", needed=None),
    "pairs-all-decided": lambda: r.pair_decisions(
        decisions=r.pair_decisions().decisions[:1], needed=None
    ),
    "ordered-one-pair": lambda: r.ordered_pairs(n_pairs=1, n_left_a=0, notes=()),
    "pairs-none-decided": lambda: r.pair_decisions(
        decisions=r.pair_decisions().decisions[1:], notes=()
    ),
    "band-of-shares-that-came-back": lambda: dt.confidence_sequence(
        [1.0] * 60 + [0.0] * 60 + [1.0, 0.0] * 60, n_planned=240
    ),
    "band-of-equal-values": lambda: dt.confidence_sequence([2.0] * 90, n_planned=100),
    "band-of-too-few-values": lambda: dt.confidence_sequence([2.0, 1.0], n_planned=100),
    "permutation-of-nothing": lambda: replace(
        _library("PairedPermutation"), p_values=np.array([NAN, NAN])
    ),
    "campaign-pairs-not-paired": lambda: replace(
        _library("CampaignPairs"), variance_ratio=(NAN, NAN, NAN)
    ),
    "campaign-pairs-unpaired": lambda: replace(
        _library("CampaignPairs"),
        tests=_library("CampaignPairs").tests[:1],
    ),
}


# --- Judgments and raters ---


def _agreeing(*pairs: tuple[str, int, float], **changes: Any) -> RaterAgreement:
    one = r.rater_agreement().pairs[0]
    made = tuple(
        replace(one, other=name, n_translations=n, pearson=pearson)
        for name, n, pearson in pairs
    )
    return r.rater_agreement(pairs=made, **changes)


def _other_share(**changes: Any) -> Any:
    return replace(r.variance_components().by_covariance, **changes)


def _no_quality() -> Any:
    made = r.variance_components()
    return r.variance_components(
        by_difference=made.by_covariance,
        by_covariance=_other_share(value=0.25, untruncated=0.25),
        intra=None,
    )


def _disagreeing(low: float, high: float) -> Any:
    share = _other_share(value=0.25, untruncated=0.25, interval=Interval(low, high, 0.9))
    return r.variance_components(by_covariance=share)


RATERS: dict[str, Make] = {
    "description-without-scores": lambda: r.judgment_description(scores=(), notes=()),
    "description-scale-with-ends": lambda: r.judgment_description(
        scale=(0.0, 100.0), kinds={"system": 1234}
    ),
    "description-one-kind-few-at-ends": lambda: r.judgment_description(
        scores=(replace(r.judgment_description().scores[0], at_ends=0.04),)
    ),
    "quality-all-pass": lambda: r.quality_control(
        raters=(r.rater("a", "good"), r.rater("b", "good")), correction="holm"
    ),
    "quality-none-testable": lambda: r.quality_control(
        raters=(r.rater("a", "untestable", n_pairs=0),)
    ),
    "quality-flags": lambda: r.quality_control(
        raters=(
            r.rater("a", "good", flags=("fast-task",)),
            r.rater("b", "bad", flags=("long-run", "fast-task")),
        )
    ),
    "quality-tested-too-little": lambda: r.quality_control(
        raters=(
            r.rater("a", "good", mean_difference=-30.0),
            r.rater("b", "good", mean_difference=-10.0),
            r.rater("c", "bad", mean_difference=-5.0, power=0.79, sd_difference=80.0),
        ),
        test="signed-rank",
        alpha=0.1,
    ),
    "quality-mann-whitney": lambda: r.quality_control(test="mann-whitney"),
    "quality-neighbours": lambda: r.quality_control(against="neighbours"),
    "quality-by-name": lambda: r.quality_control(
        raters=(
            *(r.rater(name, "good") for name in ("zoe", "ann", "max")),
            r.rater("sam", "untestable", reason="one pair", flags=("fast",)),
            r.rater("nan", "untestable", p_value=NAN),
            r.rater("low", "untestable", p_value=0.5),
        )
    ),
    "quality-thirteen-folded": lambda: r.quality_control(
        raters=tuple(r.rater(f"r{i}", "good") for i in range(13))
    ),
    "quality-benjamini-hochberg": lambda: r.quality_control(
        correction="benjamini-hochberg", alpha=0.01
    ),
    "quality-very-many": lambda: r.quality_control(
        raters=tuple(r.rater(f"r{i}", "good", mean_difference=-float(i)) for i in range(1100))
    ),
    "agreement-few-translations": lambda: _agreeing(
        ("bob", 29, 0.75), interval=None, n_pairs_below=0
    ),
    "agreement-several-pairs": lambda: _agreeing(
        ("b", 20, 0.1),
        ("c", 103, 0.9),
        ("d", 3, 0.7),
        ("e", 50, NAN),
        interval=None,
        krippendorff=-0.125,
        alpha=0.1,
    ),
    "agreement-without-pairs": lambda: r.rater_agreement(pairs=(), n_pairs_below=0),
    "agreement-without-pairs-or-interval": lambda: r.rater_agreement(
        pairs=(), interval=None, n_pairs_below=0, notes=()
    ),
    "agreement-reliable": lambda: r.rater_agreement(
        krippendorff=0.85, interval=Interval(0.81, 0.9, 0.95)
    ),
    "agreement-too-low": lambda: r.rater_agreement(
        krippendorff=0.4, interval=Interval(0.3, 0.5, 0.95), level="ordinal"
    ),
    "agreement-a-cloud": lambda: _agreeing(
        *((f"r{i}", 10 + i, 0.03 * i - 0.3) for i in range(25))
    ),
    "agreement-thirteen-folded": lambda: _agreeing(*((f"r{i}", 40, 0.7) for i in range(13))),
    "agreement-by-item": lambda: r.rater_agreement(unit="item", n_pairs_below=1),
    "judge-nobody-favoured": lambda: r.judge_agreement(
        pairs=(replace(r.judge_agreement().pairs[0], verdict="undecided", p_adjusted=0.4),)
    ),
    "judge-favours-the-first": lambda: r.judge_agreement(
        pairs=(
            replace(
                r.judge_agreement().pairs[0],
                verdict="higher",
                difference=0.0566,
                interval=Interval(0.004, 0.11, 0.95),
            ),
        )
    ),
    "judge-of-one-system": lambda: r.judge_agreement(
        systems=r.judge_agreement().systems[1:], pairs=(), notes=()
    ),
    "judge-of-scores": lambda: r.judge_agreement(
        systems=tuple(
            replace(
                row, share=NAN, kappa=NAN, ac1=NAN, ac1_error=NAN, table=None, misleading=False
            )
            for row in r.judge_agreement().systems
        )
    ),
    "judge-with-threshold": lambda: r.judge_agreement(threshold=0.5),
    "labels-pool-too-small": lambda: r.labels(n_labels=None, n_pool=200, reached=0.0697),
    "labels-for-a-difference": lambda: r.labels(
        goal="mde", power=0.8, pilot_correlation=None, n_pilot=None, notes=()
    ),
    "labels-of-a-test-set": lambda: r.labels(target="test-set", n_pool=None),
    "labels-judge-saves-nothing": lambda: r.labels(n_labels=385, correlation=0.0),
    "shares-of-two": lambda: r.rogan_gladen(
        systems=(
            r.rogan_gladen().systems[0],
            replace(r.rogan_gladen().systems[0], system="old", share=0.5),
        ),
        notes=(),
    ),
    "variance-no-repeats": lambda: r.variance_components(intra=None),
    "variance-no-quality": _no_quality,
    "variance-estimators-disagree": lambda: _disagreeing(0.125, 0.5),
    "variance-second-estimator-higher": lambda: _disagreeing(0.875, 0.9),
    "variance-estimators-close": lambda: _disagreeing(0.125, 0.5625),
    "variance-both-below-zero": lambda: r.variance_components(
        by_difference=r.variance_components().by_covariance, advice=()
    ),
    "variance-without-intervals": lambda: r.variance_components(
        by_difference=replace(r.variance_components().by_difference, interval=None),
        total=replace(r.variance_components().total, interval=None),
        noise=replace(r.variance_components().noise, interval=None),
        advice=(),
        notes=(),
    ),
    "variance-pooled": lambda: r.variance_components(pooled="all", unit="item"),
    "agreement-very-many-pairs": lambda: _agreeing(
        *((f"r{i}", 10 + i, 0.001 * i) for i in range(501))
    ),
    "quality-twelve": lambda: r.quality_control(
        raters=tuple(r.rater(f"r{i}", "good") for i in range(12))
    ),
    "agreement-twelve": lambda: _agreeing(*((f"r{i}", 40, 0.7) for i in range(12))),
}


# --- Metrics ---


def _several_variates() -> ControlVariates:
    """Three pairs: one told apart with the metric only, one either way, one not at all."""
    one = r.control_variates().pairs[0]
    return r.control_variates(
        pairs=(
            one,
            replace(
                one,
                system="third",
                difference=-9.0,
                plain_estimate=-8.0,
                plain_p_adjusted=0.001,
                p_adjusted=0.0005,
                verdict="worse",
                standard_error=0.5,
                correlation=-0.8,
            ),
            replace(one, system="fourth", difference=0.1, p_adjusted=0.9, verdict="undecided"),
        )
    )


def _variates(n: int, systems: int = 1, **changes: Any) -> ControlVariates:
    made = r.control_variates()
    pair = replace(made.pairs[0], **changes)
    return r.control_variates(pairs=(pair,) * n, systems=made.systems * systems)


def _metrics(*statistics: Any, **changes: Any) -> Meta:
    made = r.meta(statistics=statistics, **changes)
    rows = tuple(replace(row, statistic=name) for name in statistics for row in made.rows)
    return replace(made, rows=rows)


def _difference(**changes: Any) -> Any:
    return r.changed(r.meta().pairs[0], **changes)


def _leading(n: int, **changes: Any) -> Meta:
    others = ("ter", "bleu", "chrf")[:n]
    rows = (*r.meta().rows, r.meta_row("bleu"), r.meta_row("chrf"))[: n + 1]
    return r.meta(
        **{"rows": rows, "pairs": tuple(_difference(other=name) for name in others), **changes}
    )


METRICS: dict[str, Make] = {
    "variates-one-system": lambda: r.control_variates(pairs=()),
    "variates-one-system-and-its-quality": lambda: r.control_variates(
        pairs=(), quality_share=0.5, true_correlation=0.64, true_data_efficiency=1.5
    ),
    "variates-one-system-by-document": lambda: r.control_variates(
        pairs=(), unit="document", notes=()
    ),
    "variates-several": _several_variates,
    "variates-save-nothing": lambda: r.control_variates(
        pairs=(
            replace(
                r.control_variates().pairs[0],
                standard_error=1.25,
                interval=Interval(-0.2, 4.7, 0.95),
            ),
        ),
        saved=-0.5,
        metric="the metric",
    ),
    "variates-thirteen-unpaired": lambda: _variates(13, paired=False),
    "variates-24-pairs": lambda: _variates(24),
    "variates-25-pairs-show-means": lambda: _variates(25),
    "variates-25-pairs-and-systems": lambda: _variates(25, 25),
    "variates-of-a-test-set": lambda: r.control_variates(
        pairs=(replace(_several_variates().pairs[1], paired=False),), target="test-set"
    ),
    "variates-undecided": lambda: r.control_variates(
        pairs=(
            replace(
                r.control_variates().pairs[0],
                verdict="undecided",
                p_adjusted=0.3,
                interval=Interval(-0.5, 4.0, 0.95),
            ),
        )
    ),
    "selection-first": lambda: r.selection(**{**_FIRST_BATCH, "guard": None}, notes=()),
    "selection-refused": lambda: r.selection(
        by="random",
        guard=VarianceRatio(ratio=1.05, standard_error=0.04),
        weight=np.full(3, 1.5),
        notes=(),
    ),
    "selection-without-evidence": lambda: r.selection(
        asked="metric", batch=1, steps=1, batch_of=np.array([0, 1, 1]), guard=None
    ),
    "selection-without-a-floor": lambda: r.selection(
        asked="metric", batch=1, steps=1, batch_of=np.array([0, 1, 1]), guard=None, floor=0.0
    ),
    "selection-of-items": lambda: r.selection(
        **{**_ITEMS, "cost_by": "items"}, guard=None, earlier=1
    ),
    "selection-of-judged-evidence": lambda: r.selection(
        **{**_ITEMS, "by": "metric", "weight": np.arange(1.0, 7.0)}, earlier=3
    ),
    "selection-of-one-system": lambda: r.selection(systems=("new",), cost_by="items"),
    "selection-flat": lambda: r.selection(
        asked="metric", is_flat=True, guard=None, weight=np.full(3, 1.5), batch=1, steps=1
    ),
    "selection-of-failures": lambda: r.selection(
        **_ITEMS,
        guard=None,
        groups=(
            TakenGroup(score=0.0, n_pool=2, n_drawn=2),
            TakenGroup(score=1.0, n_pool=5, n_drawn=2),
        ),
    ),
    "selection-of-all": lambda: r.selection(
        **_ITEMS, guard=None, groups=(TakenGroup(score=1.0, n_pool=6, n_drawn=6),)
    ),
    "meta-one-metric": lambda: r.meta(rows=r.meta().rows[:1], pairs=()),
    "meta-one-metric-not-above": lambda: r.meta(rows=(r.meta_row(above_floor="no"),), pairs=()),
    "meta-one-metric-perhaps-above": lambda: r.meta(
        rows=(r.meta_row(above_floor="undecided"),), pairs=()
    ),
    "meta-one-metric-bare": lambda: r.meta(
        rows=(r.meta_row(interval=None, epsilon=None, n_undefined=0),),
        pairs=(),
        n_documents=None,
        draw_systems=True,
        notes=(),
    ),
    "meta-undecided": lambda: r.meta(
        pairs=(
            _difference(verdict="undecided", p_adjusted=0.3),
            _difference(verdict="undecided", p_adjusted=0.3, mde=0.06),
        )
    ),
    "meta-cannot-be-told-apart": lambda: r.meta(
        pairs=(_difference(verdict="undecided", mde=NAN),)
    ),
    "meta-none-above-the-floor": lambda: r.meta(
        rows=(replace(r.meta().rows[0], above_floor="no"), r.meta().rows[1])
    ),
    "meta-better-than-two": lambda: _leading(2),
    "meta-better-than-three": lambda: _leading(3),
    "meta-better-whichever-way": lambda: _leading(
        2,
        pairs=(
            _difference(),
            _difference(metric="bleu", other="comet", verdict="worse"),
        ),
    ),
    "meta-one-could-be-as-good": lambda: _leading(2, pairs=(_difference(),)),
    "meta-pair-of-another-statistic": lambda: _leading(
        2, pairs=(_difference(), _difference(other="bleu", statistic="pearson"))
    ),
    "meta-simpler-tests-differ": lambda: r.meta(
        pairs=(_difference(p_value=0.26, p_cells=0.02, p_williams=0.054),)
    ),
    "meta-simpler-tests-agree": lambda: r.meta(
        pairs=(_difference(p_value=0.01, p_cells=0.05, p_williams=0.02),)
    ),
    "meta-two-statistics": lambda: _metrics(
        "acc-eq",
        "pearson",
        alpha=0.1,
        pairs=(_difference(), _difference(statistic="pearson")),
    ),
    "meta-four-pairs": lambda: r.meta(pairs=(_difference(),) * 4),
    "meta-thirteen-pairs-folded": lambda: r.meta(pairs=(_difference(),) * 13),
    "meta-undefined-metric": lambda: r.meta(
        rows=(
            *r.meta().rows,
            r.meta_row("flat", value=NAN, interval=None, above_floor="no"),
        )
    ),
    "meta-nothing-defined": lambda: r.meta(
        rows=(r.meta_row("flat", value=NAN, interval=None, above_floor="no"),), pairs=()
    ),
    "meta-31-metrics": lambda: r.meta(rows=tuple(r.meta_row(f"m{i}") for i in range(31))),
    "meta-systems-drawn": lambda: _metrics(
        "spa",
        "pairwise-accuracy",
        pairs=(),
        draw_systems=True,
        unit="document",
        average_by=None,
        level="system",
    ),
    "meta-exact-over-all-outputs": lambda: _metrics("pearson", exact=True, average_by="none"),
    "meta-averaged-over-systems": lambda: _metrics(
        "acc23", "tau23", pairs=(), average_by="sys", references=()
    ),
    "meta-kendall": lambda: _metrics("kendall", "spearman", pairs=(), undefined="zero"),
    "variates-twelve": lambda: _variates(12),
    "meta-twelve-pairs": lambda: r.meta(pairs=(_difference(),) * 12),
    "meta-30-metrics": lambda: r.meta(rows=tuple(r.meta_row(f"m{i}") for i in range(30))),
}


# --- Mixed models ---


def _spread_out(**changes: Any) -> MixedFit:
    """Five differences to one baseline: two above, one below, two undecided."""
    values = ((0.9, 0.001), (0.6, 0.01), (0.1, 0.8), (-0.05, 0.9), (-0.8, 0.004))
    contrasts = tuple(
        r.mixed_contrast(f"s{i}", estimate=value, p_adjusted=p)
        for i, (value, p) in enumerate(values)
    )
    return r.mixed_fit(**{"contrasts": contrasts, **changes})


def _fitted_contrasts(*contrasts: Any, **changes: Any) -> MixedFit:
    return r.mixed_fit(contrasts=contrasts, **changes)


_SLOPE = (
    VarianceComponent(name="rater slope", variance=3.0, sd=1.732, share=0.75),
    VarianceComponent(name="residual", variance=1.0, sd=1.0, share=0.25),
)
_NO_SLOPE = (
    VarianceComponent(name="rater slope", variance=0.0, sd=0.0, share=0.0),
    VarianceComponent(name="residual", variance=1.0, sd=1.0, share=1.0),
)

MIXED: dict[str, Make] = {
    "mixed-one-difference": lambda: _fitted_contrasts(r.mixed_contrast()),
    "mixed-one-difference-below": lambda: _fitted_contrasts(
        r.mixed_contrast(estimate=-0.39, interval=Interval(-0.66, -0.12, 0.95))
    ),
    "mixed-one-difference-undecided": lambda: _fitted_contrasts(
        r.mixed_contrast(
            estimate=0.1, p_value=0.4, p_adjusted=0.4, interval=Interval(-0.2, 0.4, 0.95)
        )
    ),
    "mixed-change-per-unit": lambda: _fitted_contrasts(r.mixed_contrast(baseline=None)),
    "mixed-five-differences": _spread_out,
    "mixed-five-differences-none-above": lambda: _spread_out(
        contrasts=_spread_out().contrasts[2:]
    ),
    "mixed-five-differences-undecided": lambda: _spread_out(
        contrasts=tuple(replace(one, p_adjusted=0.5) for one in _spread_out().contrasts)
    ),
    "mixed-five-baselines": lambda: _spread_out(
        contrasts=tuple(
            replace(one, baseline=f"b{i}") for i, one in enumerate(_spread_out().contrasts)
        )
    ),
    "mixed-thirteen-folded": lambda: r.mixed_fit(
        contrasts=tuple(r.mixed_contrast(f"s{i}") for i in range(13))
    ),
    "mixed-25-without-picture": lambda: r.mixed_fit(
        contrasts=tuple(r.mixed_contrast(f"s{i}") for i in range(25))
    ),
    "mixed-with-formula": lambda: r.mixed_fit(
        formula="score ~ system + (1 | rater) + (1 | item)"
    ),
    "mixed-maximum-likelihood": lambda: _fitted_contrasts(r.mixed_contrast(), reml=False),
    "mixed-kenward-roger": lambda: r.mixed_fit(method="kenward-roger"),
    "mixed-normal": lambda: r.mixed_fit(method="normal"),
    "mixed-largest-part-a-slope": lambda: r.mixed_fit(components=_SLOPE),
    "mixed-slope-at-zero": lambda: r.mixed_fit(components=_NO_SLOPE, singular=True),
    "mixed-far-residuals": lambda: r.mixed_fit(
        components=_NO_SLOPE, residuals=replace(r.mixed_fit().residuals, minimum=-4.25)
    ),
    "mixed-far-residuals-above": lambda: r.mixed_fit(
        residuals=replace(r.mixed_fit().residuals, maximum=4.25), slopes=(), notes=()
    ),
    "mixed-many-degrees-of-freedom": lambda: _fitted_contrasts(
        r.mixed_contrast(df=30.0), r.mixed_contrast(df=900.0)
    ),
    "mixed-with-documents": lambda: r.mixed_fit(groups={"rater": 4, "item": 12, "document": 3}),
    "component-by-bootstrap": lambda: r.component_test(method="bootstrap", n_resamples=999),
    "effects-of-one-rater": lambda: replace(
        r.effect_predictions(), effects=r.effect_predictions().effects[:1]
    ),
    "effects-of-25-items": lambda: replace(
        r.effect_predictions(), factor="item", effects=r.effect_predictions().effects[:1] * 25
    ),
    "simulation-without-a-difference": lambda: r.simulation(
        truth=(0.0, 0.0), n_failed=0, contrasts=(("1 unit", None),) * 2
    ),
    "simulation-one-fit-failed": lambda: r.simulation(n_failed=1),
    "effects-above-and-below": lambda: replace(
        r.effect_predictions(),
        effects=(
            replace(r.effect_predictions().effects[0], interval=Interval(-0.5, -0.1, 0.95)),
            replace(r.effect_predictions().effects[1], interval=Interval(0.1, 0.5, 0.95)),
        ),
    ),
    "mixed-twelve": lambda: r.mixed_fit(
        contrasts=tuple(r.mixed_contrast(f"s{i}") for i in range(12))
    ),
    "mixed-24": lambda: r.mixed_fit(
        contrasts=tuple(r.mixed_contrast(f"s{i}") for i in range(24))
    ),
}


# --- Audits, archives and surveys ---


def _archive(n: int, names: int) -> ArchiveAudit:
    """So many comparisons in groups with these numbers as names."""
    made = r.archive_audit()
    groups = [f"group-{i}" for i in range(names)]
    size = np.arange(n) / n * 4.0
    seen = r._seen("rank-sum", size, np.where(size > 2.0, 0.01, 0.5), 0.5)
    labels = {"language": tuple(groups[i % names] for i in range(n))}
    return replace(
        made,
        past=replace(made.past, tested=seen, paired=None, labels=labels),
        groups=tuple(replace(made.groups[0], group=group) for group in groups),
    )


def _seen_as(**changes: Any) -> ArchiveAudit:
    """The audit of an archive whose comparisons were other ones."""
    made = r.archive_audit()
    tested = replace(made.past.tested, **changes)
    return replace(made, past=replace(made.past, tested=tested))


def _some_missing() -> Any:
    p_value = r.archive_audit().past.tested.p_value.copy()
    p_value[:5] = NAN
    return p_value


_WHOLE = r.group_audit(group="all")

AUDITS: dict[str, Make] = {
    "archive-without-target": lambda: r.archive_audit(target_difference=NAN),
    "archive-target-given": lambda: r.archive_audit(target_given=True),
    "archive-unknown-errors": lambda: r.archive_audit(unknown_error=5),
    "archive-as-reported": lambda: r.archive_audit(
        groups=(_WHOLE,), overall=_WHOLE, by=None, test="reported", n_judgments=None
    ),
    "archive-alone": lambda: replace(
        r.archive_audit(by=None),
        past=replace(r.archive_audit().past, paired=None),
    ),
    "archive-group-not-paired": lambda: r.archive_audit(
        groups=(replace(r.archive_audit().groups[0], paired=None),)
    ),
    "archive-nothing-detectable": lambda: r.archive_audit(
        by=None, overall=replace(r.archive_audit().overall, observed_mde=None), alpha=0.001
    ),
    "archive-p-values-missing": lambda: _seen_as(p_value=_some_missing()),
    "archive-no-p-values": lambda: _seen_as(p_value=np.full(43, NAN)),
    "archive-no-standard-errors": lambda: _seen_as(standard_error=np.full(43, NAN)),
    "archive-many-comparisons": lambda: _archive(1300, 13),
    "archive-many-comparisons-of-one-group": lambda: replace(_archive(1300, 1), by=None),
    "archive-at-the-detectable-size": lambda: replace(
        _seen_as(difference=np.array([2.5, -2.5, 2.0, 3.0] + [9.0] * 39)),
        overall=replace(r.archive_audit().overall, observed_mde=2.5),
    ),
    "observed-mde-on-many": lambda: r.observed_mde(n_above=20),
    "observed-mde-none": lambda: r.observed_mde(effect=None, share_interval=None),
    "observed-mde-by-share": lambda: r.observed_mde(rule="share", notes=()),
    "benchmark-alone": lambda: r.benchmark_audit(look_back=(), notes=(), claims=()),
    "benchmark-all-can-show-it": lambda: r.benchmark_audit(
        tasks=(r.task_audit(support="yes", mde=0.01),)
    ),
    "benchmark-next-unknown": lambda: r.benchmark_audit(
        tasks=(
            r.task_audit(mde=0.01, predicted_improvement=0.02),
            r.task_audit(predicted_improvement=NAN),
        )
    ),
    "benchmark-thirteen-claims": lambda: r.benchmark_audit(
        claims=(r.past_claim(significant=True),) * 13
    ),
    "benchmark-three-tasks": lambda: r.benchmark_audit(
        tasks=tuple(
            r.task_audit(task=name, mde=mde, predicted_improvement=NAN)
            for name, mde in (("a", 0.02), ("b", 0.005), ("c", 0.01))
        ),
        claims=(),
        power=0.9,
    ),
    "benchmark-nothing-to-see": lambda: r.benchmark_audit(tasks=(r.task_audit(),)),
    "benchmark-target-given": lambda: r.benchmark_audit(target_difference=0.02),
    "benchmark-without-power": lambda: r.benchmark_audit(
        claims=(r.past_claim(power=NAN, predicted=NAN, significant=None),)
    ),
    "benchmark-without-regression": lambda: r.benchmark_audit(r_squared=NAN),
    "survey-without-noise": lambda: r.survey_audit(
        bands=(r.size_band(type_m=NAN),), noise="", notes=()
    ),
    "survey-effect-not-given": lambda: r.survey_audit(effect_given=False),
    "survey-larger-report-larger": lambda: r.survey_audit(tau=0.25, p_value=0.01),
    "survey-nothing-shown": lambda: r.survey_audit(tau=-0.25, p_value=0.06),
    "survey-nothing-to-compare": lambda: r.survey_audit(tau=NAN, p_value=NAN),
    "survey-thirteen-studies": lambda: r.survey_audit(
        sizes=np.arange(1.0, 14.0), effects=np.zeros(13)
    ),
    "survey-very-many-studies": lambda: r.survey_audit(
        sizes=np.arange(1.0, 1202.0), effects=np.linspace(-1.0, 1.0, 1201)
    ),
    "savings-fair": lambda: r.procedure_savings(
        type_one_errors=(0.05, 0.0495, 0.05),
        savings=tuple(
            replace(one, budget=2000, judgments=judgments, saving=saving)
            for one, judgments, saving in zip(
                r.procedure_savings().savings[1:3], (1600.0, 500.0), (0.2, 0.75), strict=True
            )
        ),
    ),
    "savings-none": lambda: r.procedure_savings(savings=(), notes=()),
    "savings-negative": lambda: r.procedure_savings(
        paired=True,
        savings=(
            replace(
                r.procedure_savings().savings[0],
                judgments=1100.0,
                judgments_error=None,
                saving=-0.1,
                saving_error=None,
            ),
        ),
    ),
    "savings-one-budget": lambda: r.procedure_savings(
        budgets=(1000,), savings=(), rows=r.procedure_savings().rows[::2]
    ),
    "savings-one-procedure": lambda: r.procedure_savings(
        procedures=("fixed",),
        type_one_errors=(0.05,),
        rows=r.procedure_savings().rows[:2],
        savings=(),
    ),
    "benchmark-without-claims": lambda: r.benchmark_audit(
        tasks=(r.task_audit(support="unknown", n_claims=0, mean_improvement=NAN),),
        look_back=(),
        claims=(),
    ),
    "savings-none-fair": lambda: r.procedure_savings(type_one_errors=(0.15, 0.2, 0.25)),
    "benchmark-twelve-claims": lambda: r.benchmark_audit(claims=(r.past_claim(),) * 12),
    "survey-twelve-studies": lambda: r.survey_audit(
        sizes=np.arange(1.0, 13.0), effects=np.zeros(12)
    ),
}


# --- Reliability ---


def _course(system: str, spread: float, **changes: Any) -> Any:
    made = r.curve(
        system=system,
        documents=(1, 2, 3, 4, 5, 6),
        segments=(9, 12, 20, 25, 31, 40),
        mean=(30.0, 33.0, 31.0, 31.5, 32.0, 31.5),
        stdev=(0.1, 0.07, 0.06, 0.05, 0.045, 0.04),
        interval=tuple(Interval(31.5 - half, 31.5 + half, 0.95) for half in (6, 4, 4, 3, 3, 2)),
        stdev_document=(NAN, NAN, NAN, NAN, spread, spread),
        band=OrderBand(
            documents=(1, 3, 6),
            low=(0.08, 0.05, 0.03),
            median=(0.1,) * 3,
            high=(0.2, 0.09, 0.05),
        ),
    )
    return replace(made, **changes)


def _system_fit(system: str, x_max: float | None) -> SystemFit:
    return SystemFit(
        system=system,
        power=PowerLaw(a=0.125, b=0.5, r2_log=0.9, r2_lin=0.9),
        cubic=CubicCurve(d=-0.0001, c=0.002, b=-0.02, a=0.1, r2=0.9),
        x_min=3.0,
        x_max=x_max,
        x_min_cubic=None,
        x_max_cubic=None,
    )


def _study(x_max: float | None = 12.0, **changes: Any) -> Reliability:
    made = r.reliability()
    curves = (_course("narrow", 0.03), _course("middling", 0.05), _course("wide", 0.09))
    fits = tuple(_system_fit(curve.system, x_max) for curve in curves)
    values = {"curves": curves, "fits": (replace(made.fits[0], systems=fits),), **changes}
    return replace(made, **values)


def _documents(**changes: Any) -> Any:
    """What the documents are for, the last of them another one."""
    *others, last = r.reliability().documents_for
    return (*others, replace(last, **changes))


def _stable() -> Any:
    point = r.reliability().tau["bleu"][0]
    return {
        "bleu": (replace(point, documents=10, remainder=0.5), point),
        "z": (replace(point, remainder=-0.001), replace(point, documents=107, remainder=NAN)),
    }


RELIABILITY: dict[str, Make] = {
    "reliability-alone": lambda: r.reliability(tau={}, difficult=(), notes=()),
    "reliability-ranking-not-settled": lambda: r.reliability(
        documents_for=_documents(documents=None)
    ),
    "reliability-of-two-measures": lambda: r.reliability(
        documents_for=(
            *r.reliability().documents_for,
            r.documents_for("z", "half-width", value=NAN, documents=None, now=0.5),
        )
    ),
    "reliability-no-targets": lambda: r.reliability(documents_for=()),
    "reliability-score-alone": lambda: r.reliability(
        documents_for=r.reliability().documents_for[:1]
    ),
    "reliability-score-alone-no-target": lambda: r.reliability(
        documents_for=(r.documents_for("bleu", "half-width", value=NAN, documents=None),)
    ),
    "reliability-exact": lambda: r.reliability(method="exact"),
    "reliability-delta": lambda: r.reliability(method="delta", n_resamples=None),
    "reliability-segments-independent": lambda: r.reliability(
        clustering=(r.clustering(icc=-0.01, design_effect=0.99, too_narrow=0.995),)
    ),
    "reliability-many-points-folded": lambda: r.reliability(
        tau={"bleu": r.reliability().tau["bleu"] * 7}
    ),
    "reliability-middle-system": _study,
    "reliability-middle-system-far-mark": lambda: _study(x_max=900.0),
    "reliability-middle-system-near-mark": lambda: _study(x_max=3.5),
    "reliability-segments-claim-more": lambda: _study(
        x_max=None,
        documents_for=(
            replace(r.reliability().documents_for[0], now=2.5),
            *r.reliability().documents_for[1:],
        ),
    ),
    "reliability-spread-in-points": lambda: _study(
        x_max=None,
        metrics=tuple({**about, "relative": False} for about in r.reliability().metrics),
    ),
    "reliability-without-document-intervals": lambda: _study(curves=(_course("a", NAN),)),
    "reliability-rankings-by-two": lambda: _study(tau=_stable()),
    "reliability-six-measures": lambda: _study(
        metrics=(
            *r.reliability().metrics,
            *(
                {**r.reliability().metrics[0], "metric": f"m{i}", "label": f"M{i}"}
                for i in range(6)
            ),
        ),
        tau=dict.fromkeys((f"m{i}" for i in range(6)), (r.reliability().tau["bleu"][0],) * 2),
    ),
    "reliability-one-document": lambda: _study(
        curves=(
            r.curve(
                documents=(1,),
                segments=(9,),
                mean=(30.25,),
                stdev=(0.0625,),
                interval=(Interval(26.5, 34.0, 0.95),),
                stdev_document=(0.05,),
            ),
        )
    ),
}


# --- Translationese ---


def _both_measures() -> Translationese:
    made = r.translationese()

    def twice(rows: Any) -> Any:
        return (*rows, *(replace(row, measure="bleu") for row in rows))

    return replace(
        made,
        measures=("raw", "bleu"),
        digits={"raw": 2, "bleu": 2},
        effects=twice(made.effects),
        pairs=twice(made.pairs),
        conclusions=twice(made.conclusions),
        agreement=twice(made.agreement),
    )


def _many_effects(n: int, **changes: Any) -> Translationese:
    effects = tuple(
        r.system_effect(
            f"system-{i}",
            forward=60.0 + i,
            reverse=62.0 + 2 * i - (n if i == 0 else 0),
            difference=2.0 + i - (n if i == 0 else 0),
            p_adjusted=0.05 if i % 2 == 0 else 0.06,
        )
        for i in range(n)
    )
    return r.translationese(effects=effects, human=None, parity=(), **changes)


def _pairs(*pairs: dict[str, Any]) -> Translationese:
    return r.translationese(pairs=tuple(r.pair_effect(**changes) for changes in pairs))


def _parity(*rows: dict[str, Any], **changes: Any) -> Translationese:
    return r.translationese(parity=tuple(r.parity_row(**row) for row in rows), **changes)


_NO_MARGIN: dict[str, Any] = {
    "margin": None,
    "verdict": None,
    "p_adjusted": NAN,
    "power": NAN,
    "segments_needed": None,
}

TRANSLATIONESE: dict[str, Make] = {
    "translationese-bare": lambda: r.translationese(
        pairs=(), agreement=(), replicated=(), parity=(), notes=()
    ),
    "translationese-two-measures": _both_measures,
    "translationese-thirteen-pairs": lambda: _pairs(*[{}] * 13),
    "translationese-forward-had-power": lambda: _pairs({"forward_had_power": True}),
    "translationese-verdict-stays": lambda: _pairs({"change": "same", "p_adjusted": 0.01}),
    "translationese-verdicts-change": lambda: _pairs(
        {"forward_had_power": True},
        {},
        {"change": "gained"},
        {"change": "turned", "opposite": True},
    ),
    "translationese-at-alpha": lambda: r.translationese(
        replicated=(
            replace(r.translationese().replicated[0], p_segments=0.05, p_judgments=0.05),
        )
    ),
    "translationese-n-is-N": lambda: r.translationese(
        replicated=(replace(r.translationese().replicated[0], N=92),)
    ),
    "translationese-human-first": lambda: r.translationese(
        replicated=(
            replace(r.translationese().replicated[0], first="old", second="new"),
            r.translationese().replicated[0],
        )
    ),
    "translationese-nobody-human": lambda: r.translationese(
        human=None,
        parity=(),
        replicated=(
            replace(r.translationese().replicated[0], first="old", second="new"),
            r.translationese().replicated[0],
        ),
    ),
    "translationese-parity-of-thirteen": lambda: _parity(*[{}] * 13),
    "translationese-parity-of-three": lambda: _parity(
        {}, {}, {"system": "x", "verdict": "non-inferior"}
    ),
    "translationese-parity-of-two-measures": lambda: _parity(
        {},
        {"measure": "bleu", "margin": 0.125},
        digits={"raw": 2, "bleu": 2},
        margin={"raw": 3.0, "bleu": 0.125},
    ),
    "translationese-parity-without-margin": lambda: _parity(_NO_MARGIN, margin={}),
    "translationese-parity-of-three-without-margin": lambda: _parity(
        *[_NO_MARGIN] * 3, margin={}
    ),
    "translationese-one-system": lambda: r.translationese(
        effects=(r.system_effect(),), pairs=(), agreement=()
    ),
    "translationese-nothing-detectable": lambda: r.translationese(
        conclusions=(
            replace(r.translationese().conclusions[0], mde=NAN),
            *r.translationese().conclusions[1:],
        )
    ),
    "translationese-four-without-human": lambda: _many_effects(4, agreement=()),
    "translationese-five-without-human": lambda: _many_effects(5),
    "translationese-without-documents": lambda: r.translationese(
        unit="segment",
        parts=tuple(replace(part, n_documents=None) for part in r.translationese().parts),
    ),
    "translationese-25-systems": lambda: _many_effects(25),
    "translationese-none-lost": lambda: _pairs({"change": "gained"}),
    "translationese-41-systems": lambda: _many_effects(41),
    "translationese-human-alone": lambda: r.translationese(
        effects=(r.system_effect("human"),), pairs=(), agreement=(), parity=()
    ),
    "translationese-limits-unknown": lambda: r.translationese(
        conclusions=tuple(replace(row, mde=NAN) for row in r.translationese().conclusions),
        agreement=(),
    ),
    "translationese-twelve-pairs": lambda: _pairs(*[{}] * 12),
}


# --- Tasks, campaigns, files and the demo ---


def _raters(**changes: Any) -> Any:
    return tuple(replace(line, **changes) for line in r.campaigns().raters)


OTHERS: dict[str, Make] = {
    "tasks-documents-shared": lambda: r.tasks(
        counts={"system": 6, "degraded": 0, "repeat": 0, "reference": 0},
        degraded_by_system={},
        control_share=0.0,
        n_shared=24,
        n_items=240,
        task_kind="document",
        notes=(),
    ),
    "tasks-one-system": lambda: r.tasks(
        arrival=tuple(Arrival(share, 0) for share in SHARES), n_systems=1
    ),
    "tasks-not-paired": lambda: r.tasks(
        assignment="independent",
        n_whole=0,
        arrival=tuple(Arrival(share, 0) for share in SHARES),
    ),
    "tasks-filled-up": lambda: r.tasks(n_filled=3),
    "campaigns-without-raters": lambda: r.campaigns(raters=(), looks=(), notes=()),
    "campaigns-one": lambda: r.campaigns(campaigns=r.campaigns().campaigns[:1]),
    "campaigns-none": lambda: r.campaigns(campaigns=(), raters=(), looks=(), notes=()),
    "campaigns-not-checked-yet": lambda: r.campaigns(raters=_raters(check="not tested")),
    "demo-without-differences": lambda: r.demo_story(differences=()),
    "demo-all-found": lambda: r.demo_story(
        differences=r.demo_story().differences[:1], chapters=r.demo_story().chapters[:1]
    ),
    "examination-nothing-to-ask": lambda: r.examination(
        questions=(), suspicions=(), next_command="", notes=()
    ),
    "examination-of-two-files": lambda: r.examination(
        facts=(*r.examination().facts, replace(r.examination().facts[0], data="t.csv"))
    ),
    "examination-without-facts": lambda: r.examination(facts=()),
    "examination-one-pair": lambda: r.examination(
        questions=(
            replace(
                r.examination().questions[0],
                detects=(
                    replace(
                        r.examination().questions[0].detects[0],
                        n_pairs=1,
                        smallest=0.0725,
                        largest=0.0725,
                    ),
                    replace(
                        r.examination().questions[0].detects[0],
                        smallest=NAN,
                        median=NAN,
                        largest=NAN,
                    ),
                ),
            ),
        )
    ),
    "receipt-same": lambda: r.receipt(outcome="same", differences=(), n_differences=0),
    "receipt-not-repeated": lambda: r.receipt(outcome="not repeated", reason="nobody knows."),
    "receipt-many-differences": lambda: r.receipt(n_differences=1002),
    "receipt-of-looks": lambda: r.receipt(
        subject="Plan",
        inputs=(),
        differences=(),
        looks=(
            LookCheck(look=1, time="t", judgments=80, decision="continue", state="same"),
            LookCheck(
                look=2,
                time="t",
                judgments=1200,
                decision="stop",
                state="different",
                differs=("a", "b"),
            ),
        ),
        created="",
        command="",
    ),
    "receipt-of-looks-same": lambda: r.receipt(
        outcome="same",
        differences=(),
        n_differences=0,
        looks=(LookCheck(look=1, time="t", judgments=80, decision="continue", state="same"),),
    ),
    "receipt-data-changed": lambda: r.receipt(
        inputs=(
            InputCheck("a.csv", "same", "00"),
            InputCheck("b.csv", "changed", "00"),
            InputCheck("c.csv", "missing", "00"),
        )
    ),
    "campaigns-looks-in-numbers": lambda: r.campaigns(
        looks=(
            r.campaign_look(
                pairs=(
                    DecidedPair(
                        system="new",
                        baseline="old",
                        decision="continue",
                        interval=(-0.5, 4.25),
                        z=1.6,
                    ),
                )
            ),
        )
    ),
}

VARIANTS: dict[str, Make] = {
    **COMPARISONS,
    **RANKINGS,
    **GATES,
    **ARENAS,
    **PLANNING,
    **DESIGNS,
    **PLANS,
    **LOOKS,
    **CONCLUSIONS,
    **WATCHED,
    **RATERS,
    **METRICS,
    **MIXED,
    **AUDITS,
    **RELIABILITY,
    **TRANSLATIONESE,
    **OTHERS,
}
