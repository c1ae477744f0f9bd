"""A test set split by original language: its halves, and what belongs to neither."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from detectable.core.errors import DataError
from detectable.core.types import IntArray
from detectable.core.wording import count, listing
from detectable.data.texts.language_code import UNKNOWN, LanguagePair, language_code
from detectable.data.texts.original_languages import split_document
from detectable.study.translationese.directions import DIRECTIONS, Direction, directions

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
    """Say that there is nothing to compare, and what that means."""
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
