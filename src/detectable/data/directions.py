"""In which direction a test set was made: from the source language, or in reverse; and one direction alone."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from detectable.core import check
from detectable.core.choices import KeptDirection
from detectable.core.errors import DataError, InputError
from detectable.core.types import IntArray
from detectable.core.wording import count, listing
from detectable.data.battles.battles import Battles
from detectable.data.human.judgments import Judgments
from detectable.data.scores.scores import Scores
from detectable.data.texts.corpus import UNKNOWN, Corpus
from detectable.data.texts.languages import (
    LanguagePair,
    language_code,
    language_pair,
)

Direction: TypeAlias = Literal["forward", "reverse", "other", "missing"]
DIRECTIONS: tuple[Direction, ...] = ("forward", "reverse", "other", "missing")
Data = TypeVar("Data", Corpus, Scores, Judgments, Battles)


def directions(languages: Sequence[str], pair: LanguagePair) -> IntArray:
    """Return the direction of each segment, as a position in `DIRECTIONS`.

    A segment is *forward* if it was first written in the source language, and *reverse* if it was
    first written in the target language: its source is then a translation, and the system
    translates it back. *Other* was written in a third language, or nobody knows in which (``un``);
    *missing* does not say.

    References
    ----------
    Graham, Haddow and Koehn (2020), "Statistical power and translationese in machine translation
    evaluation", EMNLP, 72–81.

    Examples
    --------
    >>> found = directions(["zho", "en-US", "de", "unknown"], LanguagePair("zh", "en"))
    >>> [DIRECTIONS[code] for code in found]
    ['forward', 'reverse', 'other', 'missing']
    """
    known = {written: _direction(written, pair) for written in dict.fromkeys(languages)}
    return np.array([known[written] for written in languages], dtype=np.int64)


def _direction(written: str, pair: LanguagePair) -> int:
    if written in (UNKNOWN, ""):
        return DIRECTIONS.index("missing")
    code = language_code(written)
    if code == pair.source:
        return DIRECTIONS.index("forward")
    return DIRECTIONS.index("reverse" if code == pair.target else "other")


def choose_pair(asked: str | None, known: Sequence[str]) -> LanguagePair:
    """Return the language pair that was asked for, or the one that the data name.

    Parameters
    ----------
    known : sequence of str
        What the data call their language pair; empty where they do not say.
    """
    if asked is not None:
        return language_pair(asked)
    if len(known) == 1:
        return language_pair(known[0])
    found = f"; the data name {listing(list(known))}" if known else ""
    raise InputError(
        "`language_pair` must say from which language into which the systems translate, as zh-en "
        f"does: without it forward and reverse cannot be told{found}. Give it: --language zh-en."
    )


# --- What data say of themselves: the original language of each row, and the language pair ---


def languages_in(data: Corpus | Scores | Judgments | Battles) -> Sequence[str] | None:
    """Return in which language each segment, judgment or battle was first written, if known."""
    if isinstance(data, Corpus | Scores):
        return data.original_languages
    column = (
        data.original_language
        if isinstance(data, Judgments)
        else data.names.get("original_language")
    )
    return None if column is None else column.labels()


def pairs_in(data: Corpus | Scores | Judgments | Battles) -> tuple[str, ...]:
    """Return what data call their language pair, or pairs; empty where they do not say."""
    if isinstance(data, Corpus | Scores):
        return () if data.language_pair is None else (data.language_pair,)
    column = data.language if isinstance(data, Judgments) else data.names.get("language")
    return () if column is None else tuple(level for level in column.levels if level)


def rows_of_direction(
    data: Corpus | Scores | Judgments | Battles,
    direction: Direction,
    *,
    language_pair: str | None = None,
) -> NDArray[np.bool_]:
    """Return which segments, judgments or battles were made in a direction."""
    languages = languages_in(data)
    if languages is None or all(written in (UNKNOWN, "") for written in languages):
        raise InputError(
            f"{_subject(data)} not say in which language {_WORDS[type(data)]}s were first written, "
            "so `direction` has nothing to go by. Give data that say it: WMT XML or SGM, or a "
            "column origlang."
        )
    code = DIRECTIONS.index(direction)
    column = data.language if isinstance(data, Judgments) else None
    if language_pair is None and column is not None and column.n_levels > 1:
        found = np.zeros(len(languages), dtype=bool)
        for level, name in enumerate(column.levels):
            rows = np.flatnonzero(column.codes == level)
            own = directions([languages[row] for row in rows.tolist()], choose_pair(name, ()))
            found[rows] = own == code
        return found
    pair = choose_pair(language_pair, pairs_in(data))
    mask: NDArray[np.bool_] = directions(languages, pair) == code
    return mask


_WORDS: Mapping[type, str] = {
    Corpus: "segment",
    Scores: "item",
    Judgments: "judgment",
    Battles: "battle",
}


def _subject(data: Corpus | Scores | Judgments | Battles) -> str:
    if isinstance(data, Corpus):
        return "the texts do"
    if isinstance(data, Scores):
        return "the scores do"
    if data.path:
        return f"{data.path} does"
    return "the judgments do" if isinstance(data, Judgments) else "the battles do"


def keep_direction(
    data: Data, direction: KeptDirection = "forward", *, language_pair: str | None = None
) -> Data:
    """Return the part of a test set that was made in one direction.

    Segments that were first written in the target language are *reverse-created*: their source is
    a translation. They are easier than real sources, not equally so for all systems, and say little
    about them; leave them out [1]_. What is of a third language, or does not say, is left out with
    them. How much was left out becomes a note.

    Parameters
    ----------
    data : Corpus, Scores, Judgments or Battles
        Which know in which language each segment was first written.
    direction : {'all', 'forward', 'reverse'}
        ``'all'`` returns the data as they are.
    language_pair : str, optional
        From which language into which the systems translate: ``zh-en``. May be left out where the
        data say it.

    References
    ----------
    .. [1] Graham, Haddow and Koehn (2020), "Statistical power and translationese in machine
       translation evaluation", EMNLP, 72–81.

    Examples
    --------
    >>> texts = Corpus.build({"A": ["a", "b"]}, ["a", "b"], original_languages=["zh", "en"])
    >>> kept = keep_direction(texts, "forward", language_pair="zh-en")
    >>> kept.n_segments, kept.notes
    (1, ('1 of 2 segments left out: only forward ones (zh) are kept.',))
    """
    check.literal(direction, KeptDirection, "direction")
    if direction == "all":
        return data
    rows = rows_of_direction(data, direction, language_pair=language_pair)
    word = _WORDS[type(data)]
    pairs = [
        choose_pair(name, ())
        for name in ((language_pair,) if language_pair else pairs_in(data))
    ]
    wanted = list(
        dict.fromkeys(pair.source if direction == "forward" else pair.target for pair in pairs)
    )
    if not rows.any():
        found = listing(sorted(dict.fromkeys(languages_in(data) or ())))
        raise DataError(
            f"of {count(rows.size, word)} none is {direction}, first written in "
            f"{listing(wanted)} (found: {found}): nothing is left. Is the language pair right?"
        )
    if rows.all():
        return data
    left = rows.size - int(rows.sum())
    note = (
        f"{left:,} of {count(rows.size, word)} left out: only {direction} ones "
        f"({listing(wanted)}) are kept."
    )
    kept = _taken(data, rows)
    return replace(kept, notes=(*data.notes, note))


def _taken(data: Data, rows: NDArray[np.bool_]) -> Data:
    if isinstance(data, Corpus):
        return data.select(np.flatnonzero(rows).tolist())
    if isinstance(data, Scores):
        return data.take(np.flatnonzero(rows).tolist())
    return data.take(rows)


def same_lines(scores: Scores, corpus: Corpus, kept: NDArray[np.bool_]) -> Scores:
    """Return scores beside texts for the lines of the texts that are kept.

    Scores that are no line of the texts each are returned as they are: who puts them beside the
    texts says what is wrong.
    """
    if not scores.are_numbered or scores.n_items != corpus.n_segments:
        return scores
    cut = scores.take(np.flatnonzero(kept).tolist())
    return replace(cut, items=tuple(str(line) for line in range(1, cut.n_items + 1)))
