"""A test set split by original language: its halves, and each measure on them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from detectable.core.errors import DataError, InputError
from detectable.core.types import FloatArray, IntArray
from detectable.core.wording import count, listing
from detectable.data.directions import DIRECTIONS, Direction, directions
from detectable.data.human.judgments import Judgments
from detectable.data.texts.corpus import UNKNOWN
from detectable.data.texts.languages import (
    LanguagePair,
    language_code,
    split_document,
)
from detectable.inference.sample import Sample
from detectable.inference.standard_errors import Estimate, robust_variance
from detectable.metrics.mean import Mean
from detectable.study.ranking.item_scores import Standardised, of_item, z_scores
from detectable.study.ranking.prepare import Prepared, prepare
from detectable.study.ranking.settings import RankSettings

# --- A test set split by original language: its halves, and what belongs to neither ---

DataKind: TypeAlias = Literal["judgments", "texts"]
HalfName: TypeAlias = Literal["forward", "reverse", "both"]
HALVES: tuple[HalfName, ...] = ("forward", "reverse", "both")


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """The segments of one direction, in the texts or in the judgments.

    Attributes
    ----------
    languages : tuple of str
        Original languages in it, short forms.
    n_documents : int or None
        None where documents are not known.
    n_judgments : int or None
        Of ordinary items and their repeats; None for texts.
    """

    data: DataKind
    direction: Direction
    languages: tuple[str, ...]
    n_documents: int | None
    n_segments: int
    n_judgments: int | None = None


@dataclass(frozen=True, slots=True)
class Split:
    """Which segments belong to which direction.

    Attributes
    ----------
    direction : array of int of shape (segments,)
        Position in `DIRECTIONS`.
    documents : array of int of shape (segments,), or None
    """

    kind: DataKind
    direction: IntArray
    documents: IntArray | None
    languages: tuple[str, ...]  # of each segment, short forms

    def rows(self, half: HalfName) -> NDArray[np.bool_]:
        """Return which segments belong to a half, or to both halves together."""
        names = ("forward", "reverse") if half == "both" else (half,)
        mask: NDArray[np.bool_] = np.isin(
            self.direction, [DIRECTIONS.index(name) for name in names]
        )
        return mask

    def n_documents(self, rows: NDArray[np.bool_]) -> int | None:
        """Return the number of documents among some segments."""
        return None if self.documents is None else int(np.unique(self.documents[rows]).size)

    def parts(self, n_judgments: IntArray | None = None) -> tuple[Part, ...]:
        """Return the counts of every direction that occurs; both halves always."""
        found = []
        for code, name in enumerate(DIRECTIONS):
            rows = self.direction == code
            if not rows.any() and name not in ("forward", "reverse"):
                continue
            languages = dict.fromkeys(self.languages[i] for i in np.flatnonzero(rows))
            found.append(
                Part(
                    data=self.kind,
                    direction=name,
                    languages=tuple(languages),
                    n_documents=self.n_documents(rows),
                    n_segments=int(rows.sum()),
                    n_judgments=None if n_judgments is None else int(n_judgments[rows].sum()),
                )
            )
        return tuple(found)


def split(
    kind: DataKind,
    languages: Sequence[str],
    documents: Sequence[str] | None,
    pair: LanguagePair,
) -> Split:
    """Split segments by their original language, and refuse what cannot be compared.

    Examples
    --------
    >>> found = split("texts", ["zh", "zh", "en", "de"], list("aabc"), LanguagePair("zh", "en"))
    >>> [(part.direction, part.n_documents, part.n_segments) for part in found.parts()]
    [('forward', 1, 2), ('reverse', 1, 1), ('other', 1, 1)]
    """
    direction = directions(languages, pair)
    short = tuple(
        written if written == UNKNOWN else language_code(written) for written in languages
    )
    codes = None
    if documents is not None:
        first: dict[str, int] = {}
        for row, name in enumerate(documents):
            other = first.setdefault(name, row)
            if direction[other] != direction[row]:
                where = "the test set" if kind == "texts" else "the judgments"
                raise DataError(split_document(where, name, languages[other], languages[row]))
        place = {name: i for i, name in enumerate(first)}
        codes = np.array([place[name] for name in documents], dtype=np.int64)
    found = Split(kind, direction, codes, short)
    _refuse_one_sided(found, pair)
    return found


def _refuse_one_sided(found: Split, pair: LanguagePair) -> None:
    """Refuse data with one half only: there is nothing to compare it with."""
    n = {name: int((found.direction == code).sum()) for code, name in enumerate(DIRECTIONS)}
    total = found.direction.size
    what = "judged segments" if found.kind == "judgments" else "segments"
    if n["missing"] == total:
        raise DataError(
            f"none of the {total:,} {what} says in which language it was first written. Give "
            "`original_languages`."
        )
    if n["reverse"] and n["forward"]:
        return
    languages = listing(sorted(set(found.languages)))
    if not n["reverse"]:
        raise DataError(
            f"no {what[:-1]} was first written in {pair.target}, the target language (found: "
            f"{languages}): there is no reverse half to compare. Nothing needs to be left out."
            if n["forward"]
            else f"of {total:,} {what} none was first written in {pair.source} or {pair.target} "
            f"(found: {languages}). Is `language_pair` right?"
        )
    raise DataError(
        f"no {what[:-1]} was first written in {pair.source}, the source language (found: "
        f"{languages}): {count(n['reverse'], 'segment')} in {pair.target} are reverse, and there is no "
        "forward half. Such a test set says little about translating from the source language."
    )


# --- One measure of all systems, human or automatic, on the halves of a test set ---

_FEWEST = 2  # units: one says nothing about another


@dataclass(frozen=True, slots=True)
class HalvedSample:
    """Scores of all systems on the halves; make it by `halve`.

    Human scores are a measure like the metrics: the mean of what the segments were given.

    Attributes
    ----------
    name : str
        ``raw`` and ``z`` for human scores, else the name of the metric.
    scale : str
        What differences are in: points, z, or the metric.
    halves : mapping of {'forward', 'reverse', 'both'} to Sample
        By unit: documents where they are known.
    known : mapping of the same to array of shape (segments, systems)
        Which systems have a score on each segment of the half.
    segments : mapping of the same to Sample
        By segment.
    documents : mapping of the same to array of int or None
        The document of each segment, where documents are the unit.
    """

    name: str
    scale: str
    digits: int
    unit: Literal["segment", "document"]
    halves: Mapping[HalfName, Sample]
    known: Mapping[HalfName, "np.ndarray[tuple[int, int], np.dtype[np.bool_]]"]
    segments: Mapping[HalfName, Sample]
    documents: Mapping[HalfName, IntArray | None]

    @property
    def systems(self) -> tuple[str, ...]:
        """Names of the systems."""
        return self.halves["both"].systems

    @property
    def higher_is_better(self) -> bool | None:
        """The side on which scores are better; None where there is none."""
        return self.halves["both"].metric.higher_is_better

    def estimate(self, half: HalfName, system: int) -> Estimate:
        """Return the score of a system on a half, with its error over units."""
        return score_estimate(self.halves[half], system)

    def n_segments(self, half: HalfName, *systems: int) -> int:
        """Return the segments of a half on which all the given systems have a score."""
        return int(self.known[half][:, list(systems)].all(axis=1).sum())


def halve(
    name: str,
    segments: Sample,
    split: Split,
    *,
    unit: Literal["segment", "document"],
    scale: str,
    digits: int,
) -> HalvedSample:
    """Cut the scores of all segments into halves, and add them up by unit."""
    known = _known(segments)
    rows = {half: split.rows(half) for half in HALVES}
    by_document = unit == "document" and split.documents is not None
    documents = {
        half: split.documents[rows[half]]
        if by_document and split.documents is not None
        else None
        for half in HALVES
    }
    of_half = {half: _half(segments, rows[half]) for half in HALVES}
    return HalvedSample(
        name=name,
        scale=scale,
        digits=digits,
        unit=unit,
        halves={half: _by_unit(of_half[half], half, documents[half]) for half in HALVES},
        known={half: known[rows[half]] for half in HALVES},
        segments=of_half,
        documents=documents,
    )


def _known(segments: Sample) -> "np.ndarray[tuple[int, int], np.dtype[np.bool_]]":
    """Return which system has a score on which segment; texts have one everywhere."""
    shape = segments.n_units, len(segments.systems)
    if not isinstance(segments.metric, Mean):
        return np.ones(shape, dtype=bool)
    sizes = [segments.of(s)[..., 1].min(axis=0) for s in range(shape[1])]
    return np.stack(sizes, axis=1) > 0


def _half(segments: Sample, rows: NDArray[np.bool_]) -> Sample:
    return Sample(
        segments.metric, segments.systems, segments.runs, segments.statistics[:, rows]
    )


def _by_unit(segments: Sample, half: HalfName, documents: IntArray | None) -> Sample:
    found = segments if documents is None else segments.by_document(documents)
    refuse_one_unit(half, found.n_units, "segment" if documents is None else "document")
    return found


def refuse_one_unit(half: HalfName, n_units: int, unit: Literal["segment", "document"]) -> None:
    """Refuse a half of one document, or of one segment."""
    if n_units >= _FEWEST:
        return
    remedy = "Give more segments."
    if unit == "document":
        remedy = "Use `unit='segment'` if its segments are independent, which they rarely are."
    raise DataError(
        f"the {half} half has one {unit}, and one {unit} says nothing about the next. {remedy}"
    )


def score_estimate(sample: Sample, system: int) -> Estimate:
    """Return the score of a system with its CR2 standard error over units."""
    influence = sample.influence(system).mean(axis=0)
    variance, df = robust_variance(influence, sample.shares(system))
    return Estimate(sample.score(system), float(np.sqrt(variance)), float(df))


def mean_sample(systems: tuple[str, ...], table: FloatArray) -> Sample:
    """Return means of a table of segments (rows) and systems (columns); NaN counts for nothing."""
    values = table.T
    known = ~np.isnan(values)
    statistics = np.stack([np.where(known, values, 0.0), known.astype(np.float64)], axis=-1)
    return Sample(Mean(), systems, (1,) * len(systems), statistics)


# --- Human scores of the halves: raw and standardised, by segment ---

_DIGITS = {"raw": 2, "z": 3}
_SCALE = {"raw": "points", "z": "z"}


@dataclass(frozen=True, eq=False)
class HumanScores:
    """Judgments that know their halves.

    Attributes
    ----------
    z : Standardised or None
        Of every judgment, over all that its rater judged, in both halves.
    direction : array of int
        Of every judgment, checks for careless raters included.
    n_judgments : array of shape (items, systems)
    whole : Prepared
        The judgments of all directions, as a ranking takes them.
    """

    judgments: Judgments
    z: Standardised | None
    direction: IntArray
    split: Split
    n_judgments: IntArray
    whole: Prepared

    @property
    def scale(self) -> str:
        """The measure that rankings and claims are about: raw or z."""
        return "z" if self.whole.scale == "z" else "raw"

    def measures(self) -> tuple[HalvedSample, ...]:
        """Return the measure of the rankings first; the other one too, where raters are known."""
        scores = self.whole.scores
        tables = {"raw": scores.raw} if scores.z is None else {"raw": scores.raw, "z": scores.z}
        names = [self.scale, *(name for name in tables if name != self.scale)]
        return tuple(
            halve(
                name,
                mean_sample(scores.systems, tables[name]),
                self.split,
                unit="segment" if self.whole.clusters is None else "document",
                scale=_SCALE[name],
                digits=_DIGITS[name],
            )
            for name in names
        )

    def share_of_raters_in_both(self) -> float:
        """Return the share of judgments by raters who judged in both halves; nan without raters."""
        rater = self.judgments.rater
        if rater is None:
            return float("nan")
        halves = self.direction < 2
        codes, direction = rater.codes[halves], self.direction[halves]
        seen = np.zeros((rater.n_levels, 2), dtype=bool)
        seen[codes, direction] = True
        in_both = seen[:, 0] & seen[:, 1]
        return float(in_both[codes].mean())


def human_scores(
    judgments: Judgments, pair: LanguagePair, settings: RankSettings
) -> HumanScores:
    """Average and standardise as a ranking does, and split by original language."""
    if judgments.original_language is None:
        raise InputError(
            f"{judgments.path or 'the judgments'}: the original language of the items is not known. "
            "Name its column (--column original_language=NAME), or give `original_languages`."
        )
    found = _split(judgments, pair)
    if found.documents is not None and settings.unit != "item":
        for half in HALVES:
            refuse_one_unit(half, found.n_documents(found.rows(half)) or 0, "document")
    whole = prepare(judgments, settings)
    written = judgments.original_language
    return HumanScores(
        judgments=judgments,
        z=None if judgments.rater is None else z_scores(judgments, over=settings.over),
        direction=directions(written.levels, pair)[written.codes],
        split=found,
        n_judgments=whole.scores.n_judgments,
        whole=whole,
    )


def _split(judgments: Judgments, pair: LanguagePair) -> Split:
    """Split the items; each has one document and one original language."""
    cells = judgments.cells()
    items, kept = cells.columns.item, cells.judgments
    languages = of_item("original_language", kept.column("original_language"), items)
    documents = None
    if kept.document is not None:
        documents = of_item("document", kept.document, items).labels()
    return split("judgments", languages.labels(), documents, pair)
