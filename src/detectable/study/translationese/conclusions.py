"""What each half alone concludes: from metrics, from judgments, and with pseudo-replication."""

import itertools
import math
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from detectable.contrasts.analysis import by_t, families
from detectable.contrasts.claim import claims_of
from detectable.contrasts.contrast import Contrast
from detectable.contrasts.margins import with_margin_scores
from detectable.core.choices import PairCorrection
from detectable.core.errors import DataError, DetectableWarning, InputError
from detectable.core.execute import Engine
from detectable.core.verdict import Verdict, opposite
from detectable.core.wording import listing
from detectable.data.directions import DIRECTIONS
from detectable.data.human.judgments import Judgments
from detectable.data.texts.corpus import Corpus
from detectable.data.texts.languages import LanguagePair
from detectable.inference.margin_score import MarginScore
from detectable.inference.randomization import SwapParts, swap_parts
from detectable.metrics.base import Metric
from detectable.metrics.mean import Mean
from detectable.study.comparison.compare import compare
from detectable.study.comparison.measure import measure
from detectable.study.comparison.result import Comparison
from detectable.study.ranking.item_scores import Standardised
from detectable.study.ranking.pair_tests import rank_sum_tests
from detectable.study.ranking.prepare import Prepared, prepare
from detectable.study.ranking.rank_systems import rank_prepared
from detectable.study.ranking.ranking import Ranking
from detectable.study.ranking.settings import RankSettings
from detectable.study.translationese.halves import (
    HALVES,
    HalfName,
    HalvedSample,
    HumanScores,
    Split,
    halve,
    split,
)
from detectable.study.translationese.result import HalfConclusion, Parity, Replicated

DECIDED = ("better", "worse", "higher", "lower")


@dataclass(frozen=True, slots=True)
class PairVerdict:
    """What one half says of the first of two systems against the second."""

    verdict: Verdict
    mde: float


@dataclass(frozen=True, slots=True)
class Concluded:
    """The verdict on every pair of systems under one measure, and their groups, on one half."""

    pairs: Mapping[tuple[str, str], PairVerdict]
    clusters: tuple[tuple[str, ...], ...]

    def of(self, first: str, second: str) -> PairVerdict:
        """Return the verdict on `first` against `second`, whichever way it was tested.

        Examples
        --------
        >>> found = Concluded({("A", "B"): PairVerdict("better", 2.0)}, (("A",), ("B",)))
        >>> found.of("B", "A").verdict
        'worse'
        """
        if (first, second) in self.pairs:
            return self.pairs[first, second]
        found = self.pairs[second, first]
        return PairVerdict(opposite(found.verdict), found.mde)

    @property
    def told_apart(self) -> int:
        """Pairs with a verdict."""
        return sum(pair.verdict in DECIDED for pair in self.pairs.values())

    @property
    def median_mde(self) -> float:
        """The median over pairs of what could have been detected; nan where nothing."""
        known = [pair.mde for pair in self.pairs.values() if not math.isnan(pair.mde)]
        return float(np.median(known)) if known else math.nan


def of_ranking(ranking: Ranking) -> Concluded:
    """Return what a ranking of judgments concludes."""
    pairs = {
        (row.better, row.worse): PairVerdict(row.verdict, row.mde) for row in ranking.pairs
    }
    return Concluded(pairs, ranking.clusters)


def of_comparison(comparison: Comparison, metric: str) -> Concluded:
    """Return what a comparison of texts concludes under one metric."""
    pairs = {
        (row.system, row.baseline): PairVerdict(row.verdict, row.mde)
        for row in comparison.pairs
        if row.metric == metric
    }
    return Concluded(pairs, comparison.groups.get(metric, ()))


# --- What each half says about the order of the systems, with its own n and detectable difference ---


def half_conclusions(
    measure: HalvedSample, halves: Mapping[HalfName, Concluded], people: HumanScores | None
) -> list[HalfConclusion]:
    """Return what each half, and both together, conclude under a measure, with its own n."""
    rows = []
    for half in HALVES:
        judged = None
        if people is not None and measure.name in ("raw", "z"):
            judged = int(people.n_judgments[people.split.rows(half)].sum())
        found = halves[half]
        rows.append(
            HalfConclusion(
                measure=measure.name,
                half=half,
                clusters=found.clusters,
                told_apart=found.told_apart,
                pairs=len(found.pairs),
                mde=found.median_mde,
                n_units=measure.halves[half].n_units,
                n_segments=len(measure.known[half]),
                n_judgments=judged,
            )
        )
    return rows


# --- Metrics on the halves of a corpus: measured once, compared on each half ---

Unit = Literal["auto", "segment", "document"]


@dataclass(frozen=True, slots=True)
class TextScores:
    """A corpus that knows its halves, and every metric of it."""

    corpus: Corpus
    metrics: tuple[Metric, ...]
    split: Split
    measures: tuple[HalvedSample, ...]


def text_scores(
    corpus: Corpus,
    metrics: tuple[Metric, ...],
    pair: LanguagePair,
    *,
    unit: Unit,
    engine: Engine,
) -> TextScores:
    """Compute every metric, and split by original language."""
    if corpus.original_languages is None:
        raise InputError(
            "the test set does not say in which language its segments were first written. Give "
            "`original_languages`, or a corpus that says it (origlang)."
        )
    found = split("texts", corpus.original_languages, corpus.documents, pair)
    measured = measure(corpus, metrics, unit=unit, progress=engine.progress)
    measures = tuple(
        halve(
            sample.metric.name,
            sample,
            found,
            unit=measured.unit,
            scale=sample.metric.name,
            digits=sample.metric.digits,
        )
        for sample in measured.segments
    )
    return TextScores(corpus, metrics, found, measures)


def compare_halves(
    texts: TextScores,
    engine: Engine,
    *,
    unit: Unit,
    correction: PairCorrection,
    alpha: float,
    power: float,
    n_resamples: int | None,
) -> dict[HalfName, Comparison]:
    """Compare all pairs of systems on each half, and on both together.

    Several runs of a system are taken as they are: the claims are about these runs.
    """
    found: dict[HalfName, Comparison] = {}
    for half in HALVES:
        rows = np.flatnonzero(texts.split.rows(half)).tolist()
        with warnings.catch_warnings():
            if half != "both":  # what is odd about the texts is said once
                warnings.simplefilter("ignore", DetectableWarning)
            found[half] = compare(
                # What reverse data do is what is asked here.
                replace(texts.corpus.select(rows), original_languages=None),
                texts.metrics,
                unit=unit,
                runs="fixed",
                correction=correction,
                alpha=alpha,
                power=power,
                n_resamples=n_resamples,
                n_examples=0,
                rng=engine.rng,
                n_jobs=engine.n_jobs,
                executor=engine.executor,
                progress=engine.progress,
            )
    return found


# --- The same rank-sum test on n segments and on N judgments: what pseudo-replication does to p ---


def replicated(
    half: HalfName, segments: Prepared, judgments: Prepared
) -> tuple[Replicated, ...]:
    """Return the one-sided rank-sum test of every pair on segments, and on judgments.

    Judging a segment again tells more about that segment, and nothing about another one. A test
    that takes N judgments of n segments for N segments finds differences that are not there:
    this was the published evidence for human parity.

    Parameters
    ----------
    segments, judgments : Prepared
        The same half with segments, and with judgments, as items.

    References
    ----------
    Graham, Haddow and Koehn (2020), section 3. Hurlbert (1984), "Pseudoreplication and the design
    of ecological field experiments", Ecological Monographs 54(2), 187–211.
    """
    names = segments.scores.systems
    order = np.argsort([-mean.value for mean in segments.means], kind="stable").tolist()
    pairs = list(itertools.combinations(order, 2))
    place = {name: i for i, name in enumerate(judgments.scores.systems)}
    theirs = [(place[names[a]], place[names[b]]) for a, b in pairs]
    known = np.isfinite(segments.tested)
    right = rank_sum_tests(segments.tested, pairs, None)
    wrong = rank_sum_tests(judgments.tested, theirs, None)
    return tuple(
        Replicated(
            half=half,
            first=names[a],
            second=names[b],
            n=int((known[:, a] | known[:, b]).sum()),
            N=int(wrong.n[k]),
            p_segments=float(right.p_greater[k]),
            p_judgments=float(wrong.p_greater[k]),
        )
        for k, (a, b) in enumerate(pairs)
    )


# --- Rankings of the halves from human judgments ---


@dataclass(frozen=True, slots=True)
class RankedHalves:
    """A ranking of each half and of both, and what N in place of n would have said."""

    rankings: Mapping[HalfName, Ranking]
    replicated: tuple[Replicated, ...]


def rank_halves(human: HumanScores, settings: RankSettings, engine: Engine) -> RankedHalves:
    """Rank the systems on each half, and on both together.

    Raters keep the z that they have over all their judgments: standardised within a half, they
    would lose the difference between the halves. The scale is that of all judgments, so that
    halves can be compared; the test is what each half allows.
    """
    fixed = replace(settings, standardise="z" if human.scale == "z" else "none")
    by_judgment = replace(fixed, level="judgment", test="rank-sum", unit="auto")
    rankings: dict[HalfName, Ranking] = {}
    rows: list[Replicated] = []
    for half in HALVES:
        data, z = _part(human, half)
        try:
            prepared = prepare(data, fixed, standardised=z)
            judged = prepare(data, by_judgment, standardised=z)
            rankings[half] = _ranked(prepared, fixed, engine, aloud=half == "both")
        except (DataError, InputError) as error:
            where = "both halves" if half == "both" else f"the {half} half"
            # A ranking calls segments items.
            said = str(error).replace("unit='item'", "unit='segment'")
            raise type(error)(f"{where}: {said}") from error
        rows += replicated(half, prepared, judged)
    return RankedHalves(rankings, tuple(rows))


def _ranked(
    prepared: Prepared, settings: RankSettings, engine: Engine, *, aloud: bool
) -> Ranking:
    """Rank one half; what is odd about the data is said once, of both halves together."""
    with warnings.catch_warnings():
        if not aloud:
            warnings.simplefilter("ignore", DetectableWarning)
        return rank_prepared(prepared, settings, engine)


def _part(human: HumanScores, half: HalfName) -> tuple[Judgments, Standardised | None]:
    """Return the judgments of a half with their z, checks for careless raters included."""
    names = ("forward", "reverse") if half == "both" else (half,)
    rows = np.isin(human.direction, [DIRECTIONS.index(name) for name in names])
    z = human.z
    if z is not None:
        z = replace(z, values=z.values[rows], notes=())
    return human.judgments.take(rows), z


# --- Human parity asked properly: is a system not worse than the human translation by a margin ---


def parity(
    measure: HalvedSample,
    human: str,
    margin: float | None,
    *,
    correction: str,
    alpha: float,
    power: float,
) -> tuple[Parity, ...]:
    """Return for every half and system whether it is not worse than the human translation.

    That a difference was not found is no parity: with few segments nothing is found. Parity is a
    claim of its own, tested one-sided against a margin that was fixed before, over distinct
    segments, with documents as what is independent, by the score rule (`inference.margin_score`).
    """
    if measure.higher_is_better is None:
        raise InputError(
            f"`human` needs measures with a better and a worse side; {measure.name} only describes. "
            "Drop it."
        )
    if alpha >= 0.5:
        raise InputError(
            f"`alpha` must be below .5 for a claim about a margin, which is one-sided; got {alpha:g}."
        )
    asked = _Asked(margin, "none" if correction == "none" else "holm", alpha, power)
    return tuple(row for half in HALVES for row in _of_half(measure, half, human, asked))


def check_human(human: str, systems: list[tuple[str, ...]]) -> None:
    """Refuse a human translation that no data know."""
    known = list(dict.fromkeys(name for names in systems for name in names))
    if human not in known:
        raise InputError(
            f"`human` must name the system that is the human translation; got {human!r}. There are "
            f"{listing(known, most=20)}."
        )


@dataclass(frozen=True, slots=True)
class _Asked:
    """The margin, and at which level it is to be shown with which power."""

    margin: float | None
    correction: str
    alpha: float
    power: float

    @property
    def as_number(self) -> float:
        return math.nan if self.margin is None else self.margin


def _of_half(measure: HalvedSample, half: HalfName, human: str, asked: _Asked) -> list[Parity]:
    base = measure.systems.index(human)
    others = [s for s in range(len(measure.systems)) if s != base]
    parts = swap_parts(measure.halves[half], [(s, base) for s in others])
    cells = [[part.estimate()] for part in parts]
    groups = families((len(cells), 1), "systems")
    margins = np.array([asked.as_number])
    scores = [
        _score(measure, half, (s, base), part) for s, part in zip(others, parts, strict=True)
    ]
    found = with_margin_scores(
        by_t(cells, margins, groups, asked.correction, alpha=asked.alpha, power=asked.power),
        {(k, 0): score for k, score in enumerate(scores)},
        margins,
    )
    said = claims_of(
        found,
        groups,
        asked.correction,
        claim="non-inferior",
        margins=margins,
        better=[measure.higher_is_better],
        alpha=asked.alpha,
        power=asked.power,
    )
    level = asked.alpha / (1.0 if asked.correction == "none" else float(len(cells)))
    return [
        _row(measure, half, (s, base), score, claim, asked, level)
        for s, score, [claim] in zip(others, scores, said, strict=True)
    ]


def _score(
    measure: HalvedSample, half: HalfName, pair: tuple[int, int], part: SwapParts
) -> MarginScore:
    """Return what the score rule goes by: segments, or where they have no scores or gaps, units."""
    segments = measure.segments[half]
    gaps = not measure.known[half][:, list(pair)].all()
    if gaps or not isinstance(segments.metric, Mean):
        return MarginScore.of_units(part.parts, part.shares)
    new, old = (of[:, :, 0].sum(0) / of[:, :, 1].sum(0) for of in map(segments.of, pair))
    return MarginScore.of(new, old, measure.documents[half])


def _row(
    measure: HalvedSample,
    half: HalfName,
    pair: tuple[int, int],
    score: MarginScore,
    claim: Contrast,
    asked: _Asked,
    level: float,
) -> Parity:
    better = measure.higher_is_better is not False
    # The system with fewer segments is what the difference rests on.
    n = min(measure.n_segments(half, system) for system in pair)
    power, needed = math.nan, None
    if asked.margin is not None:
        power = score.power(asked.margin, level)
        growth = score.growth(asked.margin, level, asked.power)
        needed = None if math.isnan(growth) else math.ceil(growth * n)
    return Parity.of(
        claim,
        measure=measure.name,
        part=half,
        system=measure.systems[pair[0]],
        baseline=measure.systems[pair[1]],
        margin=asked.margin,
        verdict=None if asked.margin is None else claim.verdict,
        margin_shown=max(-claim.interval.low if better else claim.interval.high, 0.0),
        power=power,
        n=n,
        n_clusters=measure.halves[half].n_units,
        units_needed=needed,
    )
