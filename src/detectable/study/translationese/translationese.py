"""Is my test set translated, and what does that do to what I conclude from it."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from detectable.core import check
from detectable.core.choices import ClusterRule, CompareUnit, HalvesStandardise, PairCorrection
from detectable.core.errors import InputError
from detectable.core.execute import Engine
from detectable.core.result import Signature
from detectable.core.types import Progress, Seed, silent
from detectable.core.wording import count, listing
from detectable.data.directions import choose_pair, pairs_in
from detectable.data.files.table import TableSource
from detectable.data.human.description import with_origins
from detectable.data.human.judgments import Judgments, one_evaluation
from detectable.data.human.read_judgments import judgments_of
from detectable.data.texts.corpus import Corpus
from detectable.data.texts.languages import (
    LanguagePair,
    OriginalLanguages,
    languages_of,
    read_original_languages,
    with_original_languages,
)
from detectable.metrics.base import Metric
from detectable.study.comparison.measure import choose_metrics
from detectable.study.comparison.remarks import suspicions
from detectable.study.comparison.settings import per_metric
from detectable.study.ranking.settings import RankSettings
from detectable.study.translationese.conclusions import (
    Concluded,
    TextScores,
    check_human,
    compare_halves,
    half_conclusions,
    of_comparison,
    of_ranking,
    parity,
    rank_halves,
    text_scores,
)
from detectable.study.translationese.effects import half_agreement, pair_effects, system_effects
from detectable.study.translationese.halves import (
    HALVES,
    HalfName,
    HalvedSample,
    HumanScores,
    Part,
    human_scores,
)
from detectable.study.translationese.result import Parity, Translationese

if TYPE_CHECKING:
    from concurrent.futures import Executor

_DRAWS = 1_999  # resampled and random halves, by default


def translationese(  # noqa: PLR0913 (the options of one command; they are bundled at once)
    data: Corpus | Judgments | TableSource | None = None,
    metrics: Sequence[str | Metric] | str | Metric | None = None,
    *,
    judgments: Judgments | TableSource | None = None,
    language_pair: str | None = None,
    original_languages: TableSource | OriginalLanguages | None = None,
    human: str | None = None,
    margin: float | Mapping[str, float] | None = None,
    standardise: HalvesStandardise = "auto",
    unit: CompareUnit = "auto",
    correction: PairCorrection = "auto",
    cluster_rule: ClusterRule = "all-pairs",
    language: str | None = None,
    campaign: str | None = None,
    alpha: float = 0.05,
    power: float = 0.80,
    n_resamples: int | None = None,
    rng: Seed = None,
    n_jobs: int = 1,
    executor: "Executor | None" = None,
    progress: Progress = silent,
) -> Translationese:
    """Compare forward with reverse test data, for metrics, human scores, or both.

    A segment is *forward* if it was first written in the source language. It is *reverse* if it
    was first written in the target language, and its source is a translation: text that is
    simpler than what people write, which a system translates back. Scores on reverse data are
    higher, not equally so for all systems, and say little about real sources [1]_. The study
    says by how much, which conclusions change if reverse data are left out, whether the halves
    have the power to tell, and what leaving them out costs. Its advice is to leave them out.

    Parameters
    ----------
    data : Corpus or Judgments
        Outputs with references, or human judgments.
    metrics : names or Metric objects
        For a corpus. Default: BLEU and chrF.
    judgments : Judgments, optional
        Human judgments beside a corpus. What the corpus knows about original languages serves
        them too, document by document.
    language_pair : str, optional
        From which language into which the systems translate: ``zh-en``, ``zho-eng``. May be left
        out where the judgments name theirs, and chooses among several.
    original_languages : path, table or OriginalLanguages, optional
        A sidecar with the original language of each line or document; see
        `read_original_languages`. It takes the place of what the data say.
    human : str, optional
        The system that is the human translation: asks whether the others are not worse.
    margin : float or mapping of measure to float, optional
        For `human`: differences smaller than this do not matter. Fix it before looking. One
        number serves one measure, else ``{"z": 0.1, "bleu": 1}``.
    standardise : {'auto', 'z', 'none'}
        What rankings of judgments are about, as in `rank_systems`; decided once, for all halves.
        The effects are given both raw and as z. z is over all that a rater judged, in both halves.
    unit : {'auto', 'segment', 'document'}
        What is independent. Default: documents where they are known.
    correction : {'auto', 'max-t', 'holm', 'none'}
        Of the verdicts of each half, for the number of pairs; margins are corrected by Holm.
    cluster_rule : {'all-pairs', 'wmt-last', 'min-wins', 'rank-ranges'}
        Where a line is drawn in a ranking from judgments.
    language, campaign : str, optional
        Which one, where the judgments hold several and the language pair does not tell.
    alpha, power : float
        Error rate of tests and intervals; power at which detectable differences are stated.
    n_resamples : int, optional
        Sign patterns, swaps, resampled halves and random halves. By default as in `rank_systems`
        and `compare`, and 1,999 halves.
    rng : Generator, int or None
        None draws a fresh seed and records it in the signature.
    n_jobs, executor, progress
        As in `compare`.

    References
    ----------
    .. [1] Graham, Haddow and Koehn (2020), "Statistical power and translationese in machine
       translation evaluation", EMNLP, 72–81.

    Examples
    --------
    >>> table = {"system": ["A", "B"] * 8, "item": [i // 2 for i in range(16)]}
    >>> table["score"] = [60, 70, 55, 64, 80, 88, 40, 52, 77, 79, 50, 66, 91, 99, 80, 95]
    >>> table["original_language"] = ["zh"] * 8 + ["en"] * 8
    >>> found = translationese(Judgments.build(table), language_pair="zh-en", rng=1)
    >>> [(row.system, row.difference) for row in found.effects]
    [('A', 15.75), ('B', 16.25)]
    """
    corpus, judged = _inputs(data, judgments)
    check.literal(standardise, HalvesStandardise, "standardise")
    check.literal(unit, CompareUnit, "unit")
    settings = RankSettings(
        standardise=standardise,
        unit="item" if unit == "segment" else unit,
        correction=correction,
        cluster_rule=cluster_rule,
        alpha=alpha,
        power=power,
        n_resamples=n_resamples,
    )
    engine = Engine.start(rng, n_jobs=n_jobs, executor=executor, progress=progress)
    if judged is not None:
        language = language or _of_several(judged, language_pair)
        judged = one_evaluation(judged, language=language, campaign=campaign)
    elif language is not None or campaign is not None:
        raise InputError(
            "`language` and `campaign` choose judgments; there are none. Drop them."
        )
    corpus, judged = with_languages(corpus, judged, original_languages)
    pair = _pair(language_pair, corpus, judged)
    texts, by_people = None, None
    said: tuple[str, ...] = ()
    if judged is not None:
        by_people = human_scores(judged, pair, settings)
    if corpus is not None:
        chosen = choose_metrics(corpus, metrics)
        said = tuple(suspicions(corpus, chosen, refuse=True))
        texts = text_scores(corpus, chosen, pair, unit=unit, engine=engine)
    elif metrics is not None:
        raise InputError("`metrics` are for texts; there are judgments only. Drop them.")
    found = _study(
        by_people, texts, pair, settings, engine, unit=unit, human=human, margin=margin
    )
    return replace(found, notes=(*said, *found.notes))


def _inputs(
    data: Corpus | Judgments | TableSource | None, judgments: Judgments | TableSource | None
) -> tuple[Corpus | None, Judgments | None]:
    if data is None and judgments is None:
        raise InputError("`data` must be a corpus or judgments; got neither.")
    judged = None if judgments is None else _unweighted(judgments_of(judgments))
    if data is None or isinstance(data, Corpus):
        return data, judged
    if judged is not None:
        raise InputError("`judgments` are given twice. Give a corpus first, or drop one.")
    return None, _unweighted(judgments_of(data, "data"))


def _unweighted(judgments: Judgments) -> Judgments:
    judgments.refuse_weights("`translationese`", "judgments of a random sample")
    return judgments


def with_languages(
    corpus: Corpus | None,
    judgments: Judgments | None,
    given: TableSource | OriginalLanguages | None,
) -> tuple[Corpus | None, Judgments | None]:
    """Say of texts and judgments in which language they were first written."""
    origins = None if given is None else read_original_languages(given)
    if corpus is not None and origins is not None:
        corpus = with_original_languages(corpus, origins)
    if judgments is None:
        return corpus, None
    if origins is None and judgments.original_language is None and corpus is not None:
        origins = languages_of(corpus)
    return corpus, judgments if origins is None else with_origins(judgments, origins)


def _of_several(judgments: Judgments, asked: str | None) -> str | None:
    """Return what judgments in several language pairs call the one that is asked for."""
    column = judgments.language
    if asked is None or column is None or column.n_levels == 1:
        return None
    pair = choose_pair(asked, ())
    for level in column.levels:
        with suppress(InputError):  # a name that is no pair of codes is not the one
            if choose_pair(level, ()) == pair:
                return level
    return asked


def _pair(
    asked: str | None, corpus: Corpus | None, judgments: Judgments | None
) -> LanguagePair:
    known = () if judgments is None else pairs_in(judgments)
    return choose_pair(asked, known or (() if corpus is None else pairs_in(corpus)))


def _study(
    people: HumanScores | None,
    texts: TextScores | None,
    pair: LanguagePair,
    settings: RankSettings,
    engine: Engine,
    *,
    unit: CompareUnit,
    human: str | None,
    margin: float | Mapping[str, float] | None,
) -> Translationese:
    """Measure, conclude on each half, and put it all together."""
    of_people = () if people is None else people.measures()
    of_texts = () if texts is None else texts.measures
    measures = (*of_people, *of_texts)
    asked = _asked(human, margin, (*of_people[:1], *of_texts))
    n_draws = settings.n_resamples or _DRAWS
    # A stream each, so that what people say does not depend on whether there are texts.
    for_people, for_texts = (engine._replace(rng=child) for child in engine.rng.spawn(2))
    agreement = tuple(
        row
        for measures_of, own in ((of_people, for_people), (of_texts, for_texts))
        for measure in measures_of
        for row in half_agreement(
            measure, n_resamples=n_draws, alpha=settings.alpha, rng=own.rng
        )
    )
    ranked = None if people is None else rank_halves(people, settings, for_people)
    compared = {}
    if texts is not None and len(texts.corpus.systems) > 1:
        compared = compare_halves(
            texts,
            for_texts,
            unit=unit,
            correction=settings.correction,
            alpha=settings.alpha,
            power=settings.power,
            n_resamples=settings.n_resamples,
        )
    concluded: list[tuple[HalvedSample, Mapping[HalfName, Concluded]]] = []
    if ranked is not None:
        rankings = {half: of_ranking(ranked.rankings[half]) for half in HALVES}
        concluded.append((of_people[0], rankings))
    for measure in of_texts if compared else ():
        by_half = {half: of_comparison(compared[half], measure.name) for half in HALVES}
        concluded.append((measure, by_half))
    return Translationese(
        language_pair=str(pair),
        parts=all_parts(people, texts),
        measures=tuple(measure.name for measure in measures),
        digits={measure.name: measure.digits for measure in measures},
        unit=measures[0].unit,
        effects=tuple(row for m in measures for row in system_effects(m, alpha=settings.alpha)),
        pairs=tuple(
            row
            for measure, halves in concluded
            for row in pair_effects(measure, halves, alpha=settings.alpha, power=settings.power)
        ),
        agreement=agreement,
        conclusions=tuple(
            row
            for measure, halves in concluded
            for row in half_conclusions(measure, halves, people)
        ),
        replicated=() if ranked is None else ranked.replicated,
        parity=_parity(human, asked, settings),
        human=human,
        margin={measure.name: m for measure, m in asked if m is not None},
        alpha=settings.alpha,
        power=settings.power,
        n_resamples=n_draws,
        notes=remarks(people, texts, () if ranked is None else ranked.rankings["both"].notes),
        rankings={} if ranked is None else ranked.rankings,
        comparisons=compared,
        signature=_signature(measures, pair, settings, human, asked, engine.seed),
    )


Asked = list[tuple[HalvedSample, float | None]]


def _asked(
    human: str | None,
    margin: float | Mapping[str, float] | None,
    measures: Sequence[HalvedSample],
) -> Asked:
    """Return the measures under which systems are set against the human translation."""
    if human is None:
        if margin is not None:
            raise InputError(
                "`margin` is for the question whether systems are not worse than the human "
                "translation. Say which system that is: `human`."
            )
        return []
    check_human(human, [measure.systems for measure in measures])
    asked = [measure for measure in measures if human in measure.systems]
    margins = per_metric(margin, tuple(measure.name for measure in asked), "margin")
    return [(measure, margins.get(measure.name)) for measure in asked]


def _parity(human: str | None, asked: Asked, settings: RankSettings) -> tuple[Parity, ...]:
    if human is None:
        return ()
    return tuple(
        row
        for measure, margin in asked
        for row in parity(
            measure,
            human,
            margin,
            correction=settings.correction,
            alpha=settings.alpha,
            power=settings.power,
        )
    )


def _signature(
    measures: Sequence[HalvedSample],
    pair: LanguagePair,
    settings: RankSettings,
    human: str | None,
    asked: Asked,
    seed: str,
) -> Signature:
    facts: dict[str, str | int | float] = {
        "pair": str(pair),
        "measures": "+".join(
            measure.name
            if measure.name in ("raw", "z")
            else f"{measure.name}[{measure.halves['both'].metric.signature()}]"
            for measure in measures
        ),
        "systems": len(measures[0].systems),
        "unit": measures[0].unit,
        "forward": measures[0].halves["forward"].n_units,
        "reverse": measures[0].halves["reverse"].n_units,
        "standardise": settings.standardise,
        "correction": settings.correction,
        **({"human": human} if human is not None else {}),
        **{f"margin-{m.name}": value for m, value in asked if value is not None},
        "alpha": settings.alpha,
        "power": settings.power,
        "R": settings.n_resamples or _DRAWS,
    }
    return Signature("translationese", facts, seed)


# --- What must be said beside the numbers: what is in neither half, and what raters do to z ---

_FEW_SHARED = 0.8  # of the judgments by raters who saw both halves: below, z loses too much


def all_parts(people: HumanScores | None, texts: TextScores | None) -> tuple[Part, ...]:
    """Return the counts of every direction, of judgments first."""
    judged = () if people is None else people.split.parts(people.n_judgments.sum(axis=1))
    return (*judged, *(() if texts is None else texts.split.parts()))


def remarks(
    people: HumanScores | None, texts: TextScores | None, more: tuple[str, ...]
) -> tuple[str, ...]:
    """Say what belongs to neither half, what is not known, and what raters do to z."""
    found: list[str] = []
    for part in all_parts(people, texts):
        if part.direction in ("forward", "reverse"):
            continue
        what = "judged segment" if part.data == "judgments" else "segment"
        documents = (
            "" if part.n_documents is None else f" in {count(part.n_documents, 'document')}"
        )
        one = part.n_segments == 1
        why = f"{'was' if one else 'were'} first written in neither language ({listing(list(part.languages))})"
        if part.direction == "missing":
            why = (
                "does not say its original language"
                if one
                else "do not say their original language"
            )
        counts = "it counts" if one else "they count"
        found.append(
            f"{count(part.n_segments, what)}{documents} {why}: {counts} in neither half."
        )
    found += [
        f"Documents of the {known.split.kind} are not known: segments count as independent, which "
        "they rarely are. Intervals are too narrow then."
        for known in (people, texts)
        if known is not None and known.split.documents is None
    ]
    if people is not None and people.z is not None:
        shared = people.share_of_raters_in_both()
        if shared < _FEW_SHARED:
            found.append(
                f"Only {shared:.0%} of the judgments are by raters who judged in both halves. z takes "
                "out the level of the others, and with it their part of the difference between the "
                "halves: effects in z are too small. Go by raw scores."
            )
    return (*found, *more)
