"""Degraded copies: an output in which a run of words is replaced by words from elsewhere."""

import unicodedata
from collections.abc import Sequence
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from detectable.core.errors import InputError

Unit: TypeAlias = Literal["word", "character"]
_TRIES = 50
_LONG = 20  # from this length on, more is removed than put in
_PHRASE = 6  # the longest phrase put in, in words
_CHARACTER_BASED = (
    *("CJK", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR", "TIBETAN"),
)


def replaced_and_inserted(length: int, unit: Unit = "word") -> tuple[int, int]:
    """Return how many tokens of a text of `length` are replaced, and by how many.

    In words, after the tool of Direct Assessment: 1, 1, 1, 2, 2 of texts of 1 to 5 words, 3 of
    6–7, 4 of 8–14, 5 of 15–19; of longer texts a quarter is removed, and 6 words are put in.

    In characters, after Appraise: twice as many, 12 of a long text. Three characters are left
    at least, and half of a text shorter than six, rounded down.

    References
    ----------
    Graham, Baldwin, Moffat and Zobel (2017), "Can machine translation systems be evaluated by
    the crowd alone", Natural Language Engineering 23(1), 3–30; the tool itself for the table.

    Examples
    --------
    >>> [replaced_and_inserted(n)[0] for n in (1, 3, 4, 6, 8, 15)]
    [1, 1, 2, 3, 4, 5]
    >>> replaced_and_inserted(40), replaced_and_inserted(40, "character")
    ((10, 6), (12, 12))
    """
    if length < 1:
        raise InputError(f"`length` must be at least 1; got {length}.")
    if unit == "word":
        removed = _removed_words(length)
        return removed, removed if length < _LONG else _PHRASE
    doubled = 2 * (_PHRASE if length >= _LONG else _removed_words(length))
    removed = min(doubled, max(length - 3, (length + 1) // 2))
    return removed, removed


def _removed_words(length: int) -> int:
    for longest, removed in ((3, 1), (5, 2), (7, 3), (14, 4), (19, 5)):
        if length <= longest:
            return removed
    return length // 4


def start_range(length: int, removed: int) -> tuple[int, int]:
    """Return the first and the last place (from 0) at which a replaced run may begin.

    From two tokens on the first stays; from five words on the last two stay as well.
    """
    if length == 1:
        return 0, 0
    return 1, max(1, length - removed - 2)


class Phrases:
    """Runs of words of the references, from which phrases are drawn.

    A phrase never holds the first or the last word of its sentence, where capital letters and
    full stops would give it away; its first word is put in lower case.
    """

    def __init__(self, references: Sequence[str], unit: Unit) -> None:
        self.unit = unit
        self._tokens = [tokens_of(text, unit) for text in references]
        self._lengths = np.array([len(tokens) for tokens in self._tokens])
        self._edges: dict[
            int, NDArray[np.int64]
        ] = {}  # by size: where the places of a line end

    def draw(self, size: int, row: int, rng: np.random.Generator) -> list[str] | None:
        """Return a phrase of `size` tokens from another line than `row`, or a shorter one.

        Shorter where no line is long enough; None where there is none at all.
        """
        for wanted in range(size, 0, -1):
            edges = self._edges_of(wanted)
            start, end = int(edges[row]), int(edges[row + 1])
            total = int(edges[-1]) - (end - start)
            if total:
                at = int(rng.integers(total))
                if at >= start:
                    at += end - start  # its own reference would repair the output
                line = int(np.searchsorted(edges, at, side="right")) - 1
                first = 1 + at - int(edges[line])
                phrase = self._tokens[line][first : first + wanted]
                return [phrase[0].lower(), *phrase[1:]]
        return None

    def _edges_of(self, size: int) -> NDArray[np.int64]:
        """Return where the places for phrases of a size begin and end, line by line."""
        if size not in self._edges:
            places = np.maximum(self._lengths - size - 1, 0)
            self._edges[size] = np.concatenate([[0], np.cumsum(places)])
        return self._edges[size]


def tokens_of(text: str, unit: Unit) -> list[str]:
    """Return the words of a text, or its characters."""
    return text.split() if unit == "word" else list(text.strip())


def degrade(text: str, row: int, phrases: Phrases, rng: np.random.Generator) -> str | None:
    """Return `text` with a run of its tokens replaced, or None if that is impossible.

    The result differs from the text in more than capital letters.
    """
    tokens = tokens_of(text, phrases.unit)
    if not tokens:
        return None
    joint = " " if phrases.unit == "word" else ""
    removed, inserted = replaced_and_inserted(len(tokens), phrases.unit)
    first, last = start_range(len(tokens), removed)
    plain = joint.join(tokens).casefold()
    for _ in range(_TRIES):
        phrase = phrases.draw(inserted, row, rng)
        if phrase is None:
            return None
        if len(tokens) == 1:
            phrase = [word.title() for word in phrase]
        start = int(rng.integers(first, last + 1))
        made = joint.join([*tokens[:start], *phrase, *tokens[start + removed :]])
        if made.casefold() != plain:
            return made
    return None


def guess_unit(references: Sequence[str]) -> Unit:
    """Return how a language is cut: in characters where most letters need no spaces.

    Chinese, Japanese, Thai, Lao, Khmer, Burmese and Tibetan letters are counted.
    """
    letters = [c for text in references[:200] for c in text if c.isalpha()]
    of_words = sum(not unicodedata.name(c, "").startswith(_CHARACTER_BASED) for c in letters)
    return "word" if 2 * of_words >= len(letters) else "character"
