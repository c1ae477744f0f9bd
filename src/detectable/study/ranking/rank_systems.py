"""Rank systems from human judgments: who is better, and what cannot be told apart."""

import warnings
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from detectable.core.choices import (
    Average,
    Claim,
    ClusterRule,
    Over,
    PairCorrection,
    RankingLevel,
    RankingPreset,
    RankingTest,
    RankingUnit,
    Standardise,
)
from detectable.core.errors import CompatibilityWarning, InputError, SuspiciousDataWarning
from detectable.core.execute import Engine
from detectable.core.progress import Progress, silent
from detectable.core.result import Signature
from detectable.core.types import Seed
from detectable.core.wording import count
from detectable.data.human.judgments import Judgments
from detectable.data.human.one_evaluation import one_evaluation
from detectable.data.human.scanned_judgments import ScannedJudgments
from detectable.study.pairs.cut_intervals import cut_intervals
from detectable.study.ranking.clusters import cluster, rank_ranges
from detectable.study.ranking.estimates import mean_parts
from detectable.study.ranking.failed_raters import without_failed_raters
from detectable.study.ranking.leverage import influential
from detectable.study.ranking.prepare import Prepared, prepare
from detectable.study.ranking.presets import WEAKNESSES, with_preset
from detectable.study.ranking.ranking import RankedPair, RankedSystem, Ranking
from detectable.study.ranking.reason import reason, signed_count
from detectable.study.ranking.run import Outcome, run
from detectable.study.ranking.segment_scores import SegmentScores
from detectable.study.ranking.settings import RankSettings
from detectable.study.ranking.verdicts import Decided, beats_matrix, decide_pairs, pair_rows
from detectable.study.ranking.wmt_rule import wmt_view

if TYPE_CHECKING:
    from concurrent.futures import Executor

_FIXED_BY_PRESETS = RankSettings()


def rank_systems(  # noqa: PLR0913 (the options of one command; they are bundled at once)
    judgments: Judgments | ScannedJudgments | SegmentScores,
    *,
    preset: RankingPreset | None = None,
    standardise: Standardise = "auto",
    over: Over = "all",
    test: RankingTest = "auto",
    unit: RankingUnit = "auto",
    level: RankingLevel = "item",
    correction: PairCorrection = "auto",
    cluster_rule: ClusterRule = "all-pairs",
    average: Average = "auto",
    claim: Claim = "better",
    margin: float | None = None,
    language: str | None = None,
    campaign: str | None = None,
    alpha: float = 0.05,
    power: float = 0.80,
    n_resamples: int | None = None,
    rng: Seed = None,
    n_jobs: int = 1,
    executor: "Executor | None" = None,
    progress: Progress = silent,
) -> Ranking:
    r"""Rank systems from human judgments.

    The score of an item is the mean of all its judgments, repeats included; the score of a
    system is the mean over its n distinct items. Tests work on items, never on the N judgments:
    judging an item again does not make it another item [1]_.

    By default every pair of systems is tested by flipping the signs of matched differences, whole
    documents at a time where documents are known, corrected over all pairs by max-T; fewer than 7
    documents (at .05) are tested by t. The
    difference on an item is the mean, over raters who judged both systems there, of what they
    gave the one less what they gave the other. Where, for some pair of systems, fewer than half
    of the items (of the system with fewer) were judged for both by one rater, items are paired
    instead; where fewer than half are shared, the test is an unpaired rank-sum. This is decided
    once for the whole ranking, from who judged what and never from the scores; `reason` says it.

    Parameters
    ----------
    judgments : Judgments, ScannedJudgments or SegmentScores
        Judgments with raters, or scores per system and segment.
    preset : {'wmt21', 'wmt24', 'wmt25'}, optional
        Rank as WMT did that year, number for number. Notes say where it is weak.
    standardise : {'auto', 'z', 'none', 'mixed'}
        Take out the severity of raters: by their own mean and standard deviation (``'z'``), or as
        a mixed model predicts it. ``'auto'``: ``'none'`` when pairing within raters, where it
        cancels, and for the penalties of MQM, else ``'z'`` where raters are known.
    over : {'all', 'ordinary'}
        What z is standardised over: all that a rater judged, or without references and degraded
        copies.
    test : {'auto', 'rank-sum', 'rank-sum-matched', 'signed-rank', 'permutation', 't', 'stouffer', 'mixed'}
        ``'stouffer'`` tests each domain by signed ranks and adds up signed z; ``'mixed'`` fits
        raters and items as random effects. ``'stouffer-unsigned'`` is WMT24's.
    unit : {'auto', 'item', 'document'}
        What is independent. Default: documents where they are known, however few.
    level : {'item', 'judgment'}
        ``'judgment'`` tests N judgments as if they were n items. It is wrong, and says so.
    correction : {'auto', 'max-t', 'holm', 'none'}
        For the number of pairs; max-T wherever signs are flipped, else Holm.
    cluster_rule : {'all-pairs', 'wmt-last', 'min-wins', 'rank-ranges'}
        Where a line is drawn; see `detectable.study.ranking.clusters.cluster`.
    average : {'auto', 'items', 'domains'}
        Mean over items, or mean of the means of domains.
    claim : {'better', 'non-inferior', 'equivalent'}
        What is to be shown of every pair: a difference; that the lower one is not worse by more
        than the margin; or that they lie within ± the margin.
    margin : float, optional
        Differences smaller than this, in the units tested, do not matter. Fix it before looking
        at the data. Only with a margin can two systems be called equivalent.
    language, campaign : str, optional
        Which one, where the data hold several.
    alpha, power : float
        Error rate of the tests; power at which the detectable difference is stated.
    n_resamples : int, optional
        Sign patterns. By default 9,999, and as many more as Holm's correction needs.
    rng : Generator, int or None
        None draws a fresh seed and records it in the signature.
    n_jobs, executor, progress
        As in `compare`.

    References
    ----------
    .. [1] Graham, Haddow and Koehn (2020), "Statistical power and translationese in machine
       translation evaluation", EMNLP.

    Examples
    --------
    >>> table = {"system": ["A", "B"] * 8, "item": [i // 2 for i in range(16)], "rater": ["r"] * 16}
    >>> table["score"] = [60, 70, 55, 64, 80, 88, 40, 52, 77, 79, 50, 66, 61, 70, 30, 45]
    >>> ranking = rank_systems(Judgments.build(table), rng=1)
    >>> ranking.clusters, ranking.pairs[0].verdict, ranking.matching
    ((('B',), ('A',)), 'better', 'rater')
    """
    asked = RankSettings(
        preset=preset,
        standardise=standardise,
        over=over,
        test=test,
        unit=unit,
        level=level,
        correction=correction,
        cluster_rule=cluster_rule,
        average=average,
        claim=claim,
        margin=margin,
        alpha=alpha,
        power=power,
        n_resamples=n_resamples,
    )
    settings = with_preset(asked, _given(asked))
    engine = Engine.start(rng, n_jobs=n_jobs, executor=executor, progress=progress)
    data = _one(judgments, settings, language=language, campaign=campaign)
    ranking = rank_prepared(prepare(data, settings), settings, engine)
    if not isinstance(data, Judgments):
        return ranking
    verdicts = {
        frozenset((row.better, row.worse)): (row.better, row.verdict) for row in ranking.pairs
    }
    notes = without_failed_raters(data, verdicts, settings, engine)
    return replace(ranking, notes=(*ranking.notes, *notes))


def _given(asked: RankSettings) -> dict[str, Any]:
    """Return the options that differ from their default, which a preset does not allow."""
    names = (
        "standardise",
        "over",
        "test",
        "unit",
        "level",
        "correction",
        "cluster_rule",
        "average",
    )
    return {
        name: value
        for name in names
        for value in [getattr(asked, name)]
        if value != getattr(_FIXED_BY_PRESETS, name)
    }


def _one(
    data: Judgments | ScannedJudgments | SegmentScores,
    settings: RankSettings,
    *,
    language: str | None,
    campaign: str | None,
) -> Judgments | ScannedJudgments | SegmentScores:
    if isinstance(data, Judgments):
        return one_evaluation(data, language=language, campaign=campaign)
    if isinstance(data, ScannedJudgments):
        return _scanned(data, settings, language=language, campaign=campaign)
    if language is not None or campaign is not None:
        raise InputError(
            "choose the campaign or language when reading segment scores: "
            "read_segment_scores(path, campaign=…)."
        )
    if settings.level == "judgment":
        raise InputError(
            "`level='judgment'` needs judgments; segment scores are means of them."
        )
    return data


def _scanned(
    data: ScannedJudgments,
    settings: RankSettings,
    *,
    language: str | None,
    campaign: str | None,
) -> ScannedJudgments:
    if language is not None or campaign is not None:
        raise InputError(
            "choose the campaign or language when scanning: scan_judgments(path, campaign=…)."
        )
    if settings.needs_all_judgments:
        raise InputError(
            "`level='judgment'`, mixed models and `preset='wmt25'` need all judgments at once. Read "
            "them with read_judgments."
        )
    return data


def rank_prepared(prepared: Prepared, settings: RankSettings, engine: Engine) -> Ranking:
    """Test, correct, cluster and describe."""
    outcome = run(prepared, settings, engine)
    decided = decide_pairs(outcome, settings)
    rows = pair_rows(prepared, outcome, decided, settings)
    beats = beats_matrix(outcome, decided.verdicts)
    groups = cluster(beats, settings.cluster_rule)
    low, high = rank_ranges(beats, settings.cluster_rule)
    of_group = {i: g for g, members in enumerate(groups, 1) for i in members}
    systems = tuple(
        _system_row(prepared, outcome, s, (of_group[i], low[i], high[i]), settings)
        for i, s in enumerate(outcome.order)
    )
    reversals = tuple(found for row in rows if (found := _reversal(row)))
    return Ranking(
        systems=systems,
        clusters=tuple(tuple(systems[i].system for i in group) for group in groups),
        pairs=rows,
        wmt=wmt_view(prepared.distinct, rows),
        preset=settings.preset,
        test=prepared.test,
        matching=prepared.matching,
        unit="item" if prepared.clusters is None else "document",
        level=settings.level,
        scale=prepared.scale,
        reason=reason(prepared, settings),
        correction=outcome.correction,
        claim=settings.claim,
        n_units=prepared.fewest,
        n_resamples=outcome.n_resamples,
        exact=outcome.exact,
        alpha=settings.alpha,
        power=settings.power,
        margin=settings.margin,
        influential=influential(prepared, outcome, decided, settings, engine),
        reversals=reversals,
        notes=_notes(prepared, outcome, decided, settings, systems, rows),
        signature=_signature(prepared, outcome, settings, engine.seed),
    )


def _reversal(row: RankedPair) -> str:
    """Name a pair in which the test and a mean speak for different systems."""
    if row.verdict == "worse":
        return f"{row.worse} wins against {row.better}, whose score is higher"
    if row.verdict == "better" and row.difference <= 0.0:
        return (
            f"{row.better} wins against {row.worse} by ranks, though not by the mean difference"
        )
    return ""


def _system_row(
    prepared: Prepared,
    outcome: Outcome,
    s: int,
    place: tuple[int, int, int],
    settings: RankSettings,
) -> RankedSystem:
    scores, mean = prepared.distinct, outcome.means[s]
    return RankedSystem(
        system=scores.systems[s],
        score=mean.value,
        interval=mean.interval(settings.level_of_intervals),
        mean_raw=mean_parts(scores.raw[:, s]).value,
        mean_z=_mean_z(scores, s),
        n=int((scores.n_judgments[:, s] > 0).sum()),
        N=int(scores.n_judgments[:, s].sum()),
        cluster=place[0],
        rank_low=place[1],
        rank_high=place[2],
    )


def _mean_z(scores: SegmentScores, s: int) -> float:
    """Return the mean of z; not a number where all who judged the system have no spread."""
    if scores.z is None or np.isnan(scores.z[:, s]).all():
        return float("nan")
    return mean_parts(scores.z[:, s]).value


def _notes(
    prepared: Prepared,
    outcome: Outcome,
    decided: Decided,
    settings: RankSettings,
    systems: tuple[RankedSystem, ...],
    rows: tuple[RankedPair, ...],
) -> tuple[str, ...]:
    """Issue every warning and return all notes: a report must not lose them."""
    weak, suspicious = [], list(prepared.warnings)
    if settings.preset is not None:
        weak.append(WEAKNESSES[settings.preset] + signed_count(prepared, decided, settings))
    if settings.level == "judgment":
        n, total = sum(row.n for row in systems), sum(row.N for row in systems)
        weak.append(
            f"level='judgment': N is not n. {count(total, 'judgment')} of {n:,} distinct items of the "
            "systems are tested as if each were an item of its own; p-values are too small."
        )
    turned = [f"{row.worse} over {row.better}" for row in rows if row.verdict == "worse"]
    if turned:
        suspicious.append(
            "Rank reversals (a significant win over a system with a higher score): "
            f"{', '.join(turned)}. Mean and test disagree; read them together."
        )
    for message in weak:
        warnings.warn(message, CompatibilityWarning, stacklevel=4)
    for message in suspicious:
        warnings.warn(message, SuspiciousDataWarning, stacklevel=4)
    cut: tuple[str, ...] = ()
    if len(rows) > 1 and settings.preset is None and outcome.correction != "none":
        cut = cut_intervals((f"{row.better} − {row.worse}", row.interval) for row in rows)
    return (*prepared.notes, *outcome.notes, *weak, *suspicious, *cut, *_scope(prepared))


def _scope(prepared: Prepared) -> tuple[str, ...]:
    judgments = prepared.judgments
    n = None if judgments is None else judgments.n_raters
    if n is None or prepared.test == "mixed":
        return ()
    return (
        f"The claims are about {'this rater' if n == 1 else f'these {n:,} raters'}; test='mixed' is "
        "about raters like these.",
    )


def _signature(
    prepared: Prepared, outcome: Outcome, settings: RankSettings, seed: str
) -> Signature:
    facts: dict[str, str | int | float] = {
        "systems": len(prepared.scores.systems),
        "items": len(prepared.distinct.items),
        "N": int(prepared.scores.n_judgments.sum()),
        **({"preset": settings.preset} if settings.preset else {}),
        "test": prepared.test,
        "matching": prepared.matching,
        "unit": "item" if prepared.clusters is None else "document",
        "level": settings.level,
        "scale": prepared.scale,
        "standardise": settings.standardise,
        "correction": outcome.correction,
        **({"claim": settings.claim} if settings.claim != "better" else {}),
        "cluster_rule": settings.cluster_rule,
        "alpha": settings.alpha,
        "power": settings.power,
    }
    if outcome.n_resamples is None:
        return Signature("rank", facts)
    patterns: str | int = "all" if outcome.exact else outcome.n_resamples
    return Signature("rank", {**facts, "R": patterns}, seed)
