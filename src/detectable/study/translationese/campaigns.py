"""Forward against reverse data over several campaigns, such as the language pairs of a shared task."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from detectable.core.errors import DataError, DetectableError, InputError
from detectable.core.result import Result, Signature
from detectable.core.rng import resolve
from detectable.core.types import Seed
from detectable.core.wording import listing
from detectable.data.directions import choose_pair, pairs_in
from detectable.data.files.table import TableSource
from detectable.data.human.judgments import Judgments, one_evaluation
from detectable.data.human.read_judgments import judgments_of
from detectable.data.texts.corpus import Corpus
from detectable.metrics.base import Metric
from detectable.study.translationese.result import (
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
        Distinct segments.
    effects, pairs, agreement : tuple
        As in `Translationese`.
    """

    campaign: str
    language_pair: str
    measure: str
    n_forward: int
    n_reverse: int
    effects: tuple[SystemEffect, ...]
    pairs: tuple[PairEffect, ...]
    agreement: tuple[HalfAgreement, ...]

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
        named = dict(by_evaluation(judgments_of(campaigns, "campaigns")))
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
