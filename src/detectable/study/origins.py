"""How much of a test set was created in reverse, and which conclusions change without that."""

import warnings
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias, TypeVar

import numpy as np

from detectable.core.errors import DetectableError, DetectableWarning, InputError
from detectable.data.directions import (
    DIRECTIONS,
    choose_pair,
    directions,
    keep_direction,
    languages_in,
    pairs_in,
)
from detectable.data.human.judgments import Judgments
from detectable.data.scores.scores import Scores
from detectable.data.texts.corpus import UNKNOWN, Corpus
from detectable.study.reverse_share import ChangedNumber, ChangedVerdict, ReverseShare

Data = TypeVar("Data", Corpus, Scores, Judgments)
# What is concluded of what, under which measure: (measure, what).
About: TypeAlias = tuple[str, str]


def reverse_share(data: Corpus | Scores | Judgments) -> ReverseShare | None:
    """Count the directions of a test set; None where nothing says an original language.

    Where the language pair is not known and all was written in one language, there is nothing to
    tell either.

    Examples
    --------
    >>> lines = ["a", "b", "c"]
    >>> texts = Corpus.build({"A": lines}, lines, original_languages=["zh", "en", "zh"])
    >>> reverse_share(texts).languages, reverse_share(texts).language_pair
    ({'zh': 2, 'en': 1}, None)
    >>> reverse_share(replace(texts, language_pair="zh-en")).n_reverse
    1
    """
    languages = _of_items(data)
    if languages is None or set(languages) <= {UNKNOWN, ""}:
        return None
    counted = dict(Counter(languages).most_common())
    pairs = pairs_in(data)
    item = "judged segment" if isinstance(data, Judgments) else "segment"
    try:
        pair = None if len(pairs) != 1 else choose_pair(pairs[0], ())
        codes = None if pair is None else directions(languages, pair)
    except InputError:  # a name that is no pair of codes, or a language that nobody knows
        return None
    if pair is None or codes is None:
        if len(counted) < 2:
            return None
        return ReverseShare(
            language_pair=None,
            item=item,
            languages=counted,
            n=len(languages),
            n_forward=0,
            n_reverse=0,
        )
    return ReverseShare(
        language_pair=str(pair),
        item=item,
        languages=counted,
        n=len(languages),
        n_forward=int((codes == DIRECTIONS.index("forward")).sum()),
        n_reverse=int((codes == DIRECTIONS.index("reverse")).sum()),
    )


def _of_items(data: Corpus | Scores | Judgments) -> Sequence[str] | None:
    """Return the original language of every segment, however often it was judged."""
    languages = languages_in(data)
    if languages is None or not isinstance(data, Judgments):
        return languages
    ordinary = data.is_kind("system", "repeat")
    _, first = np.unique(data.item.codes[ordinary], return_index=True)
    rows = np.flatnonzero(ordinary)[first]
    return [languages[row] for row in rows.tolist()]


def without_reverse(
    data: Data,
    *,
    verdicts: Mapping[About, str] | None = None,
    numbers: Mapping[About, float] | None = None,
    again: Callable[[Data], tuple[Mapping[About, str], Mapping[About, float]]],
) -> ReverseShare | None:
    """Conclude again from the forward part alone, and say what is another then.

    Parameters
    ----------
    verdicts, numbers
        What all data conclude.
    again : callable
        Concludes the same from a part of the data.
    """
    share = reverse_share(data)
    if share is None or not share.is_mixed:
        return share
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DetectableWarning)
            said, measured = again(keep_direction(data, "forward"))
    except DetectableError as error:
        return replace(share, problem=str(error))
    return replace(
        share,
        n_verdicts=len(verdicts or {}),
        changes=tuple(
            ChangedVerdict(measure=about[0], what=about[1], before=before, after=said[about])
            for about, before in (verdicts or {}).items()
            if about in said and said[about] != before
        ),
        numbers=tuple(
            ChangedNumber(measure=about[0], what=about[1], before=before, after=measured[about])
            for about, before in (numbers or {}).items()
            if about in measured
        ),
    )


def same_seed(seed: str | None) -> int:
    """Return a seed for the second analysis, so that it can be repeated with the first."""
    return int(seed) if seed is not None and seed.isdecimal() else 0
