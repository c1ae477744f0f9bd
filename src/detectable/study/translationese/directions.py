"""From original languages to directions: forward, reverse, or neither."""

from collections.abc import Sequence
from typing import Literal, TypeAlias

import numpy as np

from detectable.core.errors import InputError
from detectable.core.types import IntArray
from detectable.core.wording import listing
from detectable.data.texts.language_code import (
    UNKNOWN,
    LanguagePair,
    language_code,
    language_pair,
)

Direction: TypeAlias = Literal["forward", "reverse", "other", "missing"]
DIRECTIONS: tuple[Direction, ...] = ("forward", "reverse", "other", "missing")


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
    if written == UNKNOWN:
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
        What the judgments call their language pair; empty where they do not say.
    """
    if asked is not None:
        return language_pair(asked)
    if len(known) == 1:
        return language_pair(known[0])
    found = f"; the data name {listing(list(known))}" if known else ""
    raise InputError(
        "`language_pair` must say from which language into which the systems translate, as zh-en "
        f"does: without it forward and reverse cannot be told{found}. Give it."
    )
