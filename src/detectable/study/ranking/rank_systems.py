"""Rank systems from human judgments: who is better, which pairs stay undecided, and why it was tested so."""

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from detectable.contrasts.claim import cut_intervals
from detectable.core import choices
from detectable.core.errors import CompatibilityWarning, InputError, SuspiciousDataWarning
from detectable.core.execute import Engine
from detectable.core.options import asked
from detectable.core.result import Signature
from detectable.core.types import Progress, Seed, silent
from detectable.core.verdict import opposite
from detectable.core.wording import count
from detectable.data.files.table import TableSource
from detectable.data.human.cells import ORDINARY
from detectable.data.human.judgments import (
    Judgments,
    no_level,
    one_evaluation,
    rated_documents,
)
from detectable.data.human.read_judgments import judgments_of
from detectable.data.human.scanned_judgments import ScannedJudgments
from detectable.study.origins import About, same_seed, without_reverse
from detectable.study.ranking.item_scores import (
    SegmentScores,
    Standardised,
    mean_parts,
    z_scores,
)
from detectable.study.ranking.leverage import (
    MOST_FOLLOWED,
    influential,
    without_failed_raters,
)
from detectable.study.ranking.pair_tests import stouffer_tests
from detectable.study.ranking.prepare import ENOUGH, Prepared, prepare
from detectable.study.ranking.ranking import RankedPair, RankedSystem, Ranking
from detectable.study.ranking.repeat_variance import Judged
from detectable.study.ranking.run import Outcome, run
from detectable.study.ranking.settings import WEAKNESSES, RankSettings, with_preset
from detectable.study.ranking.verdicts import (
    Verdicts,
    beats_matrix,
    cluster,
    decide_pairs,
    pair_rows,
    rank_ranges,
    wmt_view,
)
from detectable.study.reverse_share import ReverseShare
from detectable.study.selection.returned import how_drawn

if TYPE_CHECKING:
    from concurrent.futures import Executor

_FIXED_BY_PRESETS = RankSettings()


def rank_systems(  # noqa: PLR0913 (the options of one command; they are bundled at once)
    judgments: Judgments | ScannedJudgments | SegmentScores | TableSource,
    *,
    preset: choices.RankingPreset | None = None,
    standardise: choices.Standardise = "auto",
    over: choices.Over = "all",
    test: choices.RankingTest = "auto",
    unit: choices.RankingUnit = "auto",
    level: choices.RankingLevel = "item",
    correction: choices.PairCorrection = "auto",
    cluster_rule: choices.ClusterRule = "all-pairs",
    average: choices.Average = "auto",
    claim: choices.Claim = "better",
    margin: float | None = None,
    language: str | None = None,
    campaign: str | None = None,
    systems: Sequence[str] | None = None,
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
    test : {'auto', 'rank-sum', 'rank-sum-matched', 'signed-rank', 'permutation', 't', 'stouffer', 'stouffer-unsigned', 'mixed'}
        ``'stouffer'`` tests each domain by signed ranks and adds up signed z; ``'mixed'`` fits
        raters and items as random effects. ``'stouffer-unsigned'`` is WMT24's.
    unit : {'auto', 'item', 'document'}
        What is independent. Default: documents where they are known, however few.
    level : {'item', 'judgment', 'document'}
        ``'document'`` ranks by ratings of whole documents, where raters gave some. There are far
        fewer documents than segments: less is found. ``'judgment'`` tests N judgments as if they
        were n items. It is wrong, and says so.
    correction : {'auto', 'max-t', 'holm', 'none'}
        For the number of pairs; max-T wherever signs are flipped, else Holm.
    cluster_rule : {'all-pairs', 'wmt-last', 'min-wins', 'rank-ranges'}
        Where a line is drawn; see `detectable.study.ranking.verdicts.cluster`.
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
    systems : sequence of str, optional
        Rank these systems only. Raters are standardised over all their work as before.
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
    given = dict(locals())
    wanted = asked(RankSettings, given)
    if not isinstance(judgments, ScannedJudgments | SegmentScores):
        judgments = judgments_of(judgments)
    settings = with_preset(wanted, _given(wanted))
    engine = Engine.start(rng, n_jobs=n_jobs, executor=executor, progress=progress)
    data = _one(judgments, settings, language=language, campaign=campaign)
    standardised = None
    if systems is not None:
        data, standardised = _of_systems(data, systems, settings)
    prepared = prepare(data, settings, standardised=standardised)
    ranking = rank_prepared(prepared, settings, engine)
    if not isinstance(data, Judgments):
        return ranking
    verdicts = {
        frozenset((row.better, row.worse)): (row.better, row.verdict) for row in ranking.pairs
    }
    notes = without_failed_raters(data, verdicts, settings, engine)
    return replace(
        ranking,
        notes=(*ranking.notes, *notes),
        reverse=_without_reverse(data, given, ranking),
    )


def _without_reverse(
    data: Judgments, given: Mapping[str, Any], ranking: Ranking
) -> ReverseShare | None:
    """Rank again by what was first written in the source language, where that is known."""
    fixed = {
        "rng": same_seed(ranking.signature.seed),
        "progress": silent,
        "language": None,
        "campaign": None,
    }

    def again(forward: Judgments) -> tuple[dict[About, str], dict[About, float]]:
        part = rank_systems(**{**given, "judgments": forward, **fixed})
        said: dict[About, str] = {}
        for row in part.pairs:
            said["", f"{row.better} against {row.worse}"] = row.verdict
            said["", f"{row.worse} against {row.better}"] = opposite(row.verdict)
        return said, {}

    before = {("", f"{row.better} against {row.worse}"): row.verdict for row in ranking.pairs}
    return without_reverse(data, verdicts=before, again=again)


def _given(wanted: RankSettings) -> dict[str, Any]:
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
        for value in [getattr(wanted, name)]
        # Whole documents can be ranked by any rule.
        if value
        not in (getattr(_FIXED_BY_PRESETS, name), *(["document"] if name == "level" else []))
    }


def _one(
    data: Judgments | ScannedJudgments | SegmentScores,
    settings: RankSettings,
    *,
    language: str | None,
    campaign: str | None,
) -> Judgments | ScannedJudgments | SegmentScores:
    if isinstance(data, Judgments):
        chosen = one_evaluation(data, language=language, campaign=campaign)
        return rated_documents(chosen) if settings.level == "document" else chosen
    if isinstance(data, ScannedJudgments):
        return _scanned(data, settings, language=language, campaign=campaign)
    if language is not None or campaign is not None:
        raise InputError(
            "choose the campaign or language when reading segment scores: "
            "read_segment_scores(path, campaign=…)."
        )
    if settings.level != "item":
        raise InputError(
            f"`level={settings.level!r}` needs judgments; segment scores are means of them."
        )
    return data


def _of_systems(
    data: Judgments | ScannedJudgments | SegmentScores,
    systems: Sequence[str],
    settings: RankSettings,
) -> tuple[Judgments, Standardised | None]:
    """Return the judgments of some systems, with z as it is over all that raters judged."""
    if not isinstance(data, Judgments):
        raise InputError("`systems` needs judgments that are read whole, with read_judgments.")
    names = [systems] if isinstance(systems, str) else [str(name) for name in systems]
    if len(set(names)) < 2:
        raise InputError(f"`systems` must be two or more names; got {', '.join(names)!r}.")
    for name in names:
        if name not in data.system.levels:
            raise no_level("systems", name, data.system.levels)
    chosen = [data.system.levels.index(name) for name in names]
    # References and degraded copies check raters, whatever system they are called after.
    kept = np.isin(data.system.codes, chosen) | ~data.is_kind(*ORDINARY)
    z = None
    if data.rater is not None:
        z = z_scores(data, over=settings.over)
        z = replace(z, values=z.values[kept])
    return data.take(kept), z


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
            "`level`, mixed models and `preset='wmt25'` need all judgments at once. Read "
            "them with read_judgments."
        )
    return data


def rank_prepared(prepared: Prepared, settings: RankSettings, engine: Engine) -> Ranking:
    """Test, correct, cluster and describe."""
    outcome = run(prepared, settings, engine)
    decided = decide_pairs(outcome, settings)
    rows = pair_rows(prepared, outcome, decided, settings)
    verdicts = [one.verdict for one in decided]
    beats = beats_matrix(outcome, verdicts)
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
        unit=_unit(prepared, settings),
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
        influential=influential(prepared, outcome, verdicts, settings, engine),
        reversals=reversals,
        notes=_notes(prepared, outcome, verdicts, settings, systems, rows),
        judged=_judged(prepared),
        weighted=None if prepared.weights is None else True,
        signature=_signature(prepared, outcome, settings, engine.seed),
    )


def _judged(prepared: Prepared) -> Judged:
    """Return the judgments as they were tested, for whoever asks about a repeat."""
    data, shares = prepared.judgments, prepared.shares.rater
    return Judged(
        judgments=data if isinstance(data, Judgments) else None,
        values=prepared.values,
        same_raters=shares is not None and bool(shares.min() >= ENOUGH),
        domains=prepared.strata is not None,
        scanned=isinstance(data, ScannedJudgments),
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
        mean_raw=mean_parts(scores.raw[:, s], weights=scores.weight).value,
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
    return mean_parts(scores.z[:, s], weights=scores.weight).value


def _notes(
    prepared: Prepared,
    outcome: Outcome,
    verdicts: Verdicts,
    settings: RankSettings,
    systems: tuple[RankedSystem, ...],
    rows: tuple[RankedPair, ...],
) -> tuple[str, ...]:
    """Issue every warning and return all notes: a report must not lose them."""
    weak, suspicious = [], list(prepared.warnings)
    if settings.preset is not None:
        weak.append(WEAKNESSES[settings.preset] + signed_count(prepared, verdicts, settings))
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
    if len(rows) > MOST_FOLLOWED and settings.preset is None:
        cut += (
            f"Documents and raters that a verdict hangs on are looked for among at most "
            f"{MOST_FOLLOWED:,} pairs, and here are {len(rows):,}.",
        )
    drawn: tuple[str, ...] = ()
    if isinstance(prepared.judgments, Judgments):
        drawn = how_drawn(prepared.judgments).notes
    said = (*prepared.notes, *drawn, *outcome.notes, *weak, *suspicious, *cut)
    return (*said, *_unknown_spread(prepared, rows), *_scope(prepared))


def _unknown_spread(prepared: Prepared, rows: tuple[RankedPair, ...]) -> tuple[str, ...]:
    """Say why nothing is claimed where a domain has one unit, which tells no spread of its own."""
    if prepared.strata is None or not any(math.isnan(row.interval.low) for row in rows):
        return ()
    units = prepared.clusters
    if units is None:
        units = np.arange(prepared.strata.size)
    sizes = [np.unique(units[prepared.strata == k]).size for k in np.unique(prepared.strata)]
    if min(sizes) > 1:
        return ()
    unit = "item" if prepared.clusters is None else "document"
    return (
        f"A domain has one {unit} only, which says nothing about how {unit}s of it differ: there are "
        f"no intervals, and nothing is claimed. Give it more {unit}s, or leave the domains out.",
    )


def _scope(prepared: Prepared) -> tuple[str, ...]:
    judgments = prepared.judgments
    n = None if judgments is None else judgments.n_raters
    if n is None or prepared.test == "mixed":
        return ()
    return (
        f"The claims are about {'this rater' if n == 1 else f'these {n:,} raters'}; a mixed model (test "
        "“mixed”) is about raters like these.",
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
        **({"margin-test": "score"} if outcome.by_score else {}),
        **({"weights": "sampling"} if prepared.weights is not None else {}),
        "matching": prepared.matching,
        "unit": _unit(prepared, settings),
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
        return Signature("rank", {**facts, "R": "all"} if outcome.exact else facts)
    patterns: str | int = "all" if outcome.exact else outcome.n_resamples
    return Signature("rank", {**facts, "R": patterns}, seed)


def _unit(prepared: Prepared, settings: RankSettings) -> str:
    by_document = prepared.clusters is not None or settings.level == "document"
    return "document" if by_document else "item"


# --- Why a ranking was tested the way it was, in words ---

_TESTS = {
    "rank-sum": "rank-sum test of unpaired scores",
    "rank-sum-matched": "rank-sum test on the items that both systems have",
    "signed-rank": "signed-rank test of matched differences",
    "permutation": "sign flips of matched differences",
    "stouffer": "signed-rank tests of every domain, combined with their signs",
    "stouffer-unsigned": "signed-rank tests of every domain, combined without their signs",
    "t": "t test of mean differences",
    "mixed": "mixed model with raters and items as random effects",
}
_SCALES = {"z": "z (scores in standard deviations of their rater)", "points": "points"}


def reason(prepared: Prepared, settings: RankSettings) -> str:
    """Say what was tested, and why that way."""
    unit = f"{_unit(prepared, settings)} by {_unit(prepared, settings)}"
    if settings.level == "judgment":
        unit = "judgment by judgment"
    what = f"Tested by a {_TESTS[prepared.test]}"
    if prepared.test in ("permutation", "stouffer", "stouffer-unsigned"):
        what = f"Tested by {_TESTS[prepared.test]}"
    what = f"{what}, {unit}, in {_scale(prepared, settings)}"
    if settings.preset is not None:
        return f"{what}, as in {settings.preset.upper()}."
    return f"{what}{_why(prepared, settings)}."


def _scale(prepared: Prepared, settings: RankSettings) -> str:
    if settings.standardise == "mixed":
        return "points without the severity of raters that a mixed model predicts"
    judgments = prepared.judgments
    if prepared.scale == "points" and judgments is not None and judgments.is_penalty:
        return "penalty points (MQM, raw as it is published)"
    return _SCALES[prepared.scale]


def _why(prepared: Prepared, settings: RankSettings) -> str:
    shares = prepared.shares
    items, raters = f"{shares.item.min():.0%}", ""
    if shares.rater is not None:
        raters = f"{shares.rater.min():.0%}"
    if prepared.matching == "rater":
        return (
            f". Paired within raters: for every pair of systems {_at_least(raters)} items were "
            "judged for both by one rater, whose severity cancels"
        )
    if prepared.matching == "item":
        why = f". Paired by item: every pair of systems shares {_at_least(items)} items"
        if raters:
            return f"{why}, but for some only {raters} were judged for both by one rater"
        return f"{why}; who judged is not known"
    if settings.level == "judgment":
        return ""
    if settings.test == "auto" and prepared.test != "mixed" and shares.item.min() < ENOUGH:
        return f". Not paired: some pair of systems shares only {items} of its items"
    return ""


def _at_least(share: str) -> str:
    return "all" if share == "100%" else f"at least {share} of the"


def signed_count(prepared: Prepared, verdicts: Verdicts, settings: RankSettings) -> str:
    """Say how many pairs signed Stouffer would find, next to WMT24's number."""
    if settings.preset != "wmt24" or prepared.differences is None or prepared.strata is None:
        return ""
    signed = stouffer_tests(prepared.differences, prepared.clusters, prepared.strata, settings)
    theirs = sum(verdict in ("better", "worse") for verdict in verdicts)
    ours = int(np.sum(signed.p_greater <= settings.alpha))
    return (
        f" It tells {theirs} of {len(verdicts)} pairs apart; with the signs kept "
        f"(one-sided like it) {ours}."
    )
