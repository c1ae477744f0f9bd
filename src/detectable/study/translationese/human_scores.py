"""Human scores of the halves: raw and standardised, by segment."""

from dataclasses import dataclass

import numpy as np

from detectable.core.errors import InputError
from detectable.core.types import IntArray
from detectable.data.human.judgments import Judgments
from detectable.data.texts.language_code import LanguagePair
from detectable.study.ranking.prepare import Prepared, prepare
from detectable.study.ranking.segment_scores import of_item
from detectable.study.ranking.settings import RankSettings
from detectable.study.ranking.standardise import Standardised, z_scores
from detectable.study.translationese.directions import directions
from detectable.study.translationese.halved_sample import (
    HalvedSample,
    halve,
    mean_sample,
    refuse_one_unit,
)
from detectable.study.translationese.halves import HALVES, Split, split

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
