"""Forward against reverse data over several campaigns, such as the language pairs of a shared task."""

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from detectable.contrasts.contrast import Contrast, Family
from detectable.core.errors import DataError, DetectableError, InputError
from detectable.core.interval import Interval
from detectable.core.result import ADDED, Result, Signature
from detectable.core.rng import resolve
from detectable.core.types import FloatArray, Seed
from detectable.core.verdict import Verdict, opposite
from detectable.core.wording import count, listing
from detectable.data.battles.battles import Battles
from detectable.data.battles.read_battles import read_battles
from detectable.data.directions import choose_pair, keep_direction, pairs_in
from detectable.data.files.numbers import number_column
from detectable.data.files.place import Problems, is_missing
from detectable.data.files.table import Table, TableSource, find_column, read_table
from detectable.data.human.judgments import Judgments, one_evaluation
from detectable.data.human.read_judgments import judgments_of
from detectable.data.texts.corpus import Corpus
from detectable.inference.correlation import kendall, pearson, spearman
from detectable.inference.standard_errors import Estimate, cluster_mean, independent_difference
from detectable.metrics.base import Metric
from detectable.study.arena.arena import arena
from detectable.study.arena.result import Arena
from detectable.study.translationese.halves import HALVES, HalfName
from detectable.study.translationese.result import (
    Coefficient,
    HalfAgreement,
    PairEffect,
    SystemEffect,
    Translationese,
)
from detectable.study.translationese.translationese import translationese

Campaign: TypeAlias = Corpus | Judgments | tuple[Corpus, Judgments]


@dataclass(frozen=True, slots=True, kw_only=True)
class CampaignHalves:
    """What reverse data do in one campaign, under one measure.

    Attributes
    ----------
    campaign, language_pair : str
        What it is called, and what was translated.
    n_forward, n_reverse : int
        Distinct segments; 0 where they are not known.
    effects, pairs, agreement : tuple
        As in `Translationese`.
    means_only : bool
        Whether nothing is known but the mean of each system on both halves: no errors, no verdicts.
    """

    campaign: str
    language_pair: str
    measure: str
    n_forward: int
    n_reverse: int
    effects: tuple[SystemEffect, ...] = field(repr=False)
    pairs: tuple[PairEffect, ...] = field(repr=False)
    agreement: tuple[HalfAgreement, ...] = field(repr=False)
    means_only: bool = field(default=False, metadata=ADDED)

    @property
    def changes(self) -> tuple[tuple[float, float], ...]:
        """Reverse − forward of every two systems, where they were compared or only means are known."""
        if self.means_only:
            return tuple(itertools.combinations(self.gains, 2))
        return tuple((pair.effect_first, pair.effect_second) for pair in self.pairs)

    @property
    def gains(self) -> tuple[float, ...]:
        """Reverse − forward of every system."""
        return tuple(row.difference for row in self.effects)

    def correlation(self, coefficient: str) -> float:
        """Return a correlation of the scores on the two halves; nan with fewer than three systems."""
        return next(
            (row.value for row in self.agreement if row.coefficient == coefficient),
            float("nan"),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class TranslationeseCampaigns(Result):
    """Forward against reverse test data in several campaigns.

    Attributes
    ----------
    rows : tuple of CampaignHalves
        One for each campaign and measure.
    measures, digits
        As in `Translationese`.
    left_out : mapping of str to str
        Campaigns of which nothing can be said, and why: those without a reverse half, say.
    """

    rows: tuple[CampaignHalves, ...]
    measures: tuple[str, ...]
    digits: Mapping[str, int]
    left_out: Mapping[str, str]
    alpha: float
    power: float
    n_resamples: int
    notes: tuple[str, ...] = ()

    def label(self, measure: str) -> str:
        """Return what to call a measure in a sentence."""
        return {"raw": "raw human scores", "z": "human scores (z)"}.get(measure, measure)

    def of(self, measure: str) -> tuple[CampaignHalves, ...]:
        """Return the campaigns that have a measure."""
        return tuple(row for row in self.rows if row.measure == measure)


def translationese_campaigns(
    campaigns: Mapping[str, Campaign] | Judgments | TableSource,
    metrics: Sequence[str | Metric] | str | Metric | None = None,
    *,
    language_pairs: Mapping[str, str] | None = None,
    rng: Seed = None,
    **options: Any,
) -> TranslationeseCampaigns:
    """Compare forward with reverse data in each of several campaigns.

    For every system reverse − forward; for every two systems of a campaign how each of them changes;
    for every campaign how far the halves score the systems alike. Graham et al. (2020) [1]_ show
    these for the campaigns of a shared task: their Figures 1 to 4.

    Parameters
    ----------
    campaigns : mapping of name to Corpus, Judgments or both; or Judgments
        Judgments of several campaigns or language pairs are split by these.
    metrics
        As in `translationese`.
    language_pairs : mapping of name to str, optional
        What the systems translate, of campaigns that do not say it.
    rng : Generator, int or None
        None draws a fresh seed and records it in the signature.
    **options
        Whatever else `translationese` takes.

    References
    ----------
    .. [1] Graham, Haddow and Koehn (2020), "Statistical power and translationese in machine
       translation evaluation", EMNLP, 72–81.

    Examples
    --------
    >>> table = {"system": ["A", "B"] * 16, "item": [i // 2 for i in range(32)]}
    >>> table["score"] = [(37 * i) % 90 for i in range(32)]
    >>> table["original_language"] = (["zh"] * 8 + ["en"] * 8) * 2
    >>> table["language"] = ["zh-en"] * 16 + ["en-zh"] * 16
    >>> found = translationese_campaigns(Judgments.build(table), rng=1)
    >>> [(row.campaign, row.gains) for row in found.rows]
    [('zh-en', (3.5, 3.5)), ('en-zh', (-26.0, 19.0))]
    """
    named = campaigns if isinstance(campaigns, dict) and _are_campaigns(campaigns) else None
    if named is None:
        judged = judgments_of(campaigns, "campaigns")
        judged.refuse_weights("`translationese`", "judgments of a random sample")
        named = dict(by_evaluation(judged))
    generator, seed = resolve(rng)
    rows: list[CampaignHalves] = []
    left_out: dict[str, str] = {}
    found: list[Translationese] = []
    for name, child in zip(named, generator.spawn(len(named)), strict=True):
        try:
            one = _one(named[name], name, metrics, language_pairs or {}, options, child)
        except DetectableError as error:
            left_out[name] = str(error)
            continue
        found.append(one)
        rows += _rows(name, one)
    if not found:
        said = listing([f"{name}: {why}" for name, why in left_out.items()], most=3)
        raise DataError(f"no campaign has a forward and a reverse half. {said}")
    digits = {measure: n for one in found for measure, n in one.digits.items()}
    facts: dict[str, str | int | float] = {
        "campaigns": len(found),
        "measures": "+".join(digits),
        "alpha": found[0].alpha,
        "power": found[0].power,
        "R": found[0].n_resamples,
    }
    return TranslationeseCampaigns(
        rows=tuple(rows),
        measures=tuple(digits),
        digits=digits,
        left_out=left_out,
        alpha=found[0].alpha,
        power=found[0].power,
        n_resamples=found[0].n_resamples,
        signature=Signature("translationese-campaigns", facts, seed),
    )


def _are_campaigns(given: Mapping[str, Any]) -> bool:
    return all(isinstance(one, Corpus | Judgments | tuple) for one in given.values())


def by_evaluation(judgments: Judgments) -> Iterator[tuple[str, Judgments]]:
    """Yield the judgments of each campaign and language pair, under its name."""
    column = judgments.by_campaign()
    if column is None:
        raise InputError(
            f"{judgments.path or 'the judgments'}: there is one campaign: no column names a campaign "
            "or a language pair. Name it (--column language=NAME), or leave --by out."
        )
    for code, level in enumerate(column.levels):
        yield level, judgments.take(np.flatnonzero(column.codes == code))


def _one(
    given: Campaign,
    name: str,
    metrics: Any,
    pairs: Mapping[str, str],
    options: Mapping[str, Any],
    rng: np.random.Generator,
) -> Translationese:
    corpus: Corpus | None = None
    judged: Judgments | None = None
    if isinstance(given, tuple):
        corpus, judged = given
    elif isinstance(given, Judgments):
        judged = given
    else:
        corpus = given
    if judged is not None:
        judged = one_evaluation(judged)
    known = [pair for data in (judged, corpus) if data is not None for pair in pairs_in(data)]
    pair = choose_pair(pairs.get(name), known[:1])
    return translationese(
        corpus,
        metrics if corpus is not None else None,
        judgments=judged,
        language_pair=str(pair),
        rng=rng,
        **options,
    )


def _rows(name: str, found: Translationese) -> Iterator[CampaignHalves]:
    for measure in found.measures:
        kind = "judgments" if measure in ("raw", "z") else "texts"
        yield CampaignHalves(
            campaign=name,
            language_pair=found.language_pair,
            measure=measure,
            n_forward=found.part(kind, "forward").n_segments,
            n_reverse=found.part(kind, "reverse").n_segments,
            effects=tuple(row for row in found.effects if row.measure == measure),
            pairs=tuple(row for row in found.pairs if row.measure == measure),
            agreement=tuple(row for row in found.agreement if row.measure == measure),
        )


# --- Preferences by original language: do votes on forward and on reverse data favour the same systems ---


@dataclass(frozen=True, slots=True, kw_only=True)
class HalfPreference:
    """How often one of two systems is preferred, on one half.

    Attributes
    ----------
    share, interval : float, Interval
        Its share of wins by the strengths, a tie as half a win; as `arena` says it, at the
        level of its verdict.
    mde : float
        The share of wins that this half could have found.
    n_votes, n_documents : int
        Battles of all systems, and documents that they are about (None where not known).
    """

    half: HalfName
    first: str
    second: str
    share: float
    interval: Interval
    p_adjusted: float
    verdict: Verdict
    mde: float
    n_votes: int
    n_documents: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PreferenceShift:
    """By how much reverse data favour the first of two systems: its share of wins, reverse − forward.

    The error is over documents where they are known, else over prompts, else over votes.
    """

    first: str
    second: str
    shift: float
    interval: Interval
    p_value: float
    p_adjusted: float


@dataclass(frozen=True, slots=True, kw_only=True)
class TranslationeseBattles(Result):
    """Preferences on forward, on reverse, and on all data.

    Attributes
    ----------
    language_pair : str
        Source and target language, in short form.
    preferences : tuple of HalfPreference
        Every two systems on each half, the one that is stronger on all data first.
    shifts : tuple of PreferenceShift
        Every two systems.
    unit : str
        What is independent: document, prompt or vote.
    """

    language_pair: str
    preferences: tuple[HalfPreference, ...]
    shifts: tuple[PreferenceShift, ...]
    unit: str
    alpha: float
    power: float
    notes: tuple[str, ...] = ()

    def of(self, half: HalfName) -> tuple[HalfPreference, ...]:
        """Return the pairs of one half."""
        return tuple(row for row in self.preferences if row.half == half)


def translationese_battles(
    battles: Any,
    *,
    language_pair: str | None = None,
    alpha: float = 0.05,
    power: float = 0.80,
    rng: Seed = None,
    **options: Any,
) -> TranslationeseBattles:
    """Say who is preferred on forward data, on reverse data, and on both.

    Battles of people who compared two translations side by side, such as those that re-assessed a
    claim of human parity [1]_, tell more on texts that were first written in the source language.

    Parameters
    ----------
    battles : Battles, path, paths or table
        With the original language of what was translated; as in `arena`.
    language_pair : str, optional
        From which language into which the systems translate: ``zh-en``.
    alpha, power : float
        The level of all pairs of a half together; power at which detectable shares are stated.
    rng : Generator, int or None
        As in `arena`.
    **options
        Whatever else `arena` takes.

    References
    ----------
    .. [1] Toral, Castilho, Hu and Way (2018), "Attaining the unattainable? Reassessing claims of
       human parity in neural machine translation", WMT.

    Examples
    --------
    >>> table = {"a": ["x"] * 80, "b": ["y"] * 80, "winner": (["a"] * 30 + ["b"] * 10) + ["a", "b"] * 20}
    >>> table["origlang"] = ["zh"] * 40 + ["en"] * 40
    >>> found = translationese_battles(table, language_pair="zh-en")
    >>> [(row.half, row.share, row.verdict) for row in found.preferences]
    [('forward', 0.75, 'better'), ('reverse', 0.5, 'undecided'), ('both', 0.625, 'better')]
    """
    columns, reading = options.pop("columns", None), options.pop("format", "auto")
    read = read_battles(battles, format=reading, columns=columns)
    pair = choose_pair(language_pair, pairs_in(read))
    _, seed = resolve(rng)
    fixed = {"alpha": alpha, "power": power, "rng": int(seed), **options}
    forward = keep_direction(read, "forward", language_pair=str(pair))
    reverse = keep_direction(read, "reverse", language_pair=str(pair))
    known = _rows_of_battles(read, forward, reverse)
    parts: dict[HalfName, Battles] = {"forward": forward, "reverse": reverse, "both": known}
    found = {half: arena(parts[half], **fixed) for half in HALVES}
    pairs = [(row.better, row.worse) for row in found["both"].pairs]
    unit = "document" if "document" in read.names else "prompt" if read.prompt else "vote"
    return TranslationeseBattles(
        language_pair=str(pair),
        preferences=tuple(
            _preference(half, first, second, found[half], parts[half])
            for first, second in pairs
            for half in HALVES
        ),
        shifts=_shifts(pairs, forward, reverse, alpha),
        unit=unit,
        alpha=alpha,
        power=power,
        notes=(*read.notes, *_left_out(read, known), *found["both"].notes),
        signature=Signature(
            "translationese-battles",
            {"pair": str(pair), "votes": known.n, "unit": unit, "alpha": alpha, "power": power},
            seed,
        ),
    )


def _rows_of_battles(read: Battles, forward: Battles, reverse: Battles) -> Battles:
    """Return the battles of both halves; those of other languages are in neither."""
    wanted = {
        level
        for part in (forward, reverse)
        for level in part.names["original_language"].levels
        if part.n
    }
    column = read.names["original_language"]
    own = np.array([level in wanted for level in column.levels])
    return read.take(own[column.codes])


def _left_out(read: Battles, known: Battles) -> tuple[str, ...]:
    if read.n == known.n:
        return ()
    return (
        f"{count(read.n - known.n, 'battle')} of other original languages in neither half.",
    )


def _preference(
    half: HalfName, first: str, second: str, found: Arena, part: Battles
) -> HalfPreference:
    row = next((p for p in found.pairs if {p.better, p.worse} == {first, second}), None)
    if row is None:
        raise DataError(
            f"the {half} half has no battle of {first} and {second}, or one of them has no strength "
            "there. Give more battles."
        )
    turned = row.better != first
    share = 1.0 - row.chance if turned else row.chance
    low, high = _as_share(row.interval)
    documents = part.names.get("document")
    return HalfPreference(
        half=half,
        first=first,
        second=second,
        share=share,
        interval=Interval(1.0 - high, 1.0 - low, row.interval.level)
        if turned
        else Interval(low, high, row.interval.level),
        p_adjusted=row.p_adjusted,
        verdict=opposite(row.verdict) if turned else row.verdict,
        mde=row.mde_share,
        n_votes=part.n,
        n_documents=None if documents is None else documents.n_levels,
    )


def _as_share(interval: Interval) -> tuple[float, float]:
    """Return an interval of log-odds as one of shares of wins."""
    low, high = (float(1.0 / (1.0 + np.exp(-end))) for end in (interval.low, interval.high))
    return low, high


def _shifts(
    pairs: list[tuple[str, str]], forward: Battles, reverse: Battles, alpha: float
) -> tuple[PreferenceShift, ...]:
    found = [
        independent_difference(_share(reverse, *pair), _share(forward, *pair)) for pair in pairs
    ]
    decided = Family(alpha=alpha).contrasts(Contrast, found, [{} for _ in found])
    return tuple(
        PreferenceShift(
            first=first,
            second=second,
            shift=one.value,
            interval=said.interval,
            p_value=said.p_value,
            p_adjusted=said.p_adjusted,
        )
        for (first, second), one, said in zip(pairs, found, decided, strict=True)
    )


def _share(part: Battles, first: str, second: str) -> Estimate:
    """Return the share of wins of the first in direct battles, with its error over clusters."""
    a, b = (part.systems.index(name) for name in (first, second))
    mine = (part.a == a) & (part.b == b)
    theirs = (part.a == b) & (part.b == a)
    rows = mine | theirs
    wins = np.where(mine, part.outcome, 1.0 - part.outcome)[rows]
    column = part.names.get("document") or part.prompt
    clusters = np.arange(wins.size) if column is None else column.codes[rows]
    return cluster_mean(wins, clusters)


# --- Forward against reverse data where only the means of the systems on both are known, as papers print them ---

NAMES: Mapping[str, Sequence[str]] = {
    "system": ("system", "model", "sys"),
    "forward": ("forward", "fwd", "org", "original"),
    "reverse": ("reverse", "rev", "trs", "translationese"),
    "campaign": ("campaign", "language_pair", "language", "lp", "pair", "competition"),
    "measure": ("measure", "metric"),
}
_UNKNOWN = Interval(math.nan, math.nan, 0.95)
_FEWEST = 3  # systems, from which on there is a correlation


def translationese_means(means: TableSource) -> TranslationeseCampaigns:
    """Compare forward with reverse data by published means of systems.

    A table of a paper has, of each system, the mean score on forward and on reverse data, and no
    segments. It shows what reverse data add to every system, how two systems change, and how far the
    halves order them alike: Figures 1 to 4 of Graham et al. (2020) [1]_. It has no errors, so nothing
    is tested.

    Parameters
    ----------
    means : path, mapping of str to sequence, or data frame
        With columns ``system``, ``forward`` and ``reverse``, and where there are several,
        ``campaign`` (or ``language_pair``) and ``measure``.

    References
    ----------
    .. [1] Graham, Haddow and Koehn (2020), "Statistical power and translationese in machine
       translation evaluation", EMNLP, 72–81.

    Examples
    --------
    >>> table = {"system": ["A", "B", "C"], "forward": [70, 65, 62], "reverse": [74, 70, 61]}
    >>> found = translationese_means(table)
    >>> found.rows[0].gains, round(found.rows[0].correlation("pearson"), 3)
    ((4.0, 5.0, -1.0), 0.935)
    """
    table = read_table(means)
    chosen = {role: find_column(table, role, names, {}) for role, names in NAMES.items()}
    for role, why in (
        ("system", "which system a row is about"),
        ("forward", "its mean on data first written in the source language"),
        ("reverse", "its mean on data first written in the target language"),
    ):
        if chosen[role] is None:
            raise table.missing(f"{role}, {why}")
    problems = Problems(table.path)
    forward, reverse = (
        number_column(table, str(chosen[half]), problems, must="a mean score")
        for half in ("forward", "reverse")
    )
    problems.stop()
    known = np.isfinite(forward) & np.isfinite(reverse)
    names = {role: _texts(table, chosen[role]) for role in ("system", "campaign", "measure")}
    groups: dict[tuple[str, str], list[int]] = {}
    for row in np.flatnonzero(known).tolist():
        groups.setdefault((names["measure"][row], names["campaign"][row]), []).append(row)
    if not groups:
        raise DataError(f"{table.subject}: no row has a mean on both halves.")
    rows = tuple(
        _row(table, names["system"], (forward, reverse), group, at)
        for group, at in groups.items()
    )
    measures = tuple(dict.fromkeys(row.measure for row in rows))
    left = int((~known).sum())
    return TranslationeseCampaigns(
        rows=rows,
        measures=measures,
        digits={measure: _digits(measure, rows) for measure in measures},
        left_out={},
        alpha=0.05,
        power=0.80,
        n_resamples=0,
        notes=(
            "Published means say nothing of their errors: nothing is tested, and a correlation of "
            "few systems is uncertain.",
            *(
                [f"{count(left, 'row')} without a mean on both halves left out."]
                if left
                else []
            ),
        ),
        signature=Signature(
            "translationese-means",
            {"campaigns": len({r.campaign for r in rows}), "measures": "+".join(measures)},
        ),
    )


def _texts(table: Table, column: str | None) -> list[str]:
    if column is None:
        return [""] * table.n_rows
    return ["" if is_missing(cell) else str(cell).strip() for cell in table.cells(column)]


def _row(
    table: Table,
    systems: Sequence[str],
    means: tuple[FloatArray, FloatArray],
    group: tuple[str, str],
    at: Sequence[int],
) -> CampaignHalves:
    measure, campaign = group[0] or "score", group[1] or "all"
    names = [systems[row] for row in at]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise DataError(
            f"{table.subject}: {listing(twice)} stands twice in {campaign} ({measure}). Name "
            "campaigns and measures in columns `campaign` and `measure`."
        )
    scores = [(float(means[0][row]), float(means[1][row])) for row in at]
    return CampaignHalves(
        campaign=campaign,
        language_pair=campaign,
        measure=measure,
        n_forward=0,
        n_reverse=0,
        effects=tuple(
            _effect(measure, name, *pair) for name, pair in zip(names, scores, strict=True)
        ),
        pairs=(),
        agreement=tuple(_agreement(measure, np.array(scores).T)),
        means_only=True,
    )


def _effect(measure: str, system: str, forward: float, reverse: float) -> SystemEffect:
    return SystemEffect(
        measure=measure,
        system=system,
        difference=reverse - forward,
        interval=_UNKNOWN,
        p_value=math.nan,
        p_adjusted=math.nan,
        forward=forward,
        forward_interval=_UNKNOWN,
        reverse=reverse,
        reverse_interval=_UNKNOWN,
        n_forward=0,
        n_reverse=0,
    )


def _agreement(measure: str, scores: FloatArray) -> Iterator[HalfAgreement]:
    n = scores.shape[1]
    if n < _FEWEST:
        return
    found: dict[Coefficient, float] = {
        "pearson": float(pearson(*scores)),
        "spearman": float(spearman(*scores)),
        "kendall": float(kendall(*scores)),
    }
    for coefficient, value in found.items():
        yield HalfAgreement(
            measure=measure,
            coefficient=coefficient,
            value=value,
            interval=_UNKNOWN,
            random_halves=math.nan,
            random_interval=_UNKNOWN,
            p_value=math.nan,
            n_systems=n,
        )


def _digits(measure: str, rows: Sequence[CampaignHalves]) -> int:
    """Return how many decimals distinguish the gains: two significant ones of their median."""
    sizes = sorted(abs(gain) for row in rows if row.measure == measure for gain in row.gains)
    middle = sizes[len(sizes) // 2]
    return 2 if middle == 0.0 else min(max(1 - math.floor(math.log10(middle)), 0), 4)
