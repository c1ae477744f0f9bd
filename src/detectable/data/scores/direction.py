"""Whether higher or lower scores are better, as far as their name tells."""

import re
from collections.abc import Iterable
from typing import Literal, TypeAlias

import numpy as np

from detectable.data.files.place import FilePath
from detectable.data.name_systems import file_stem
from detectable.data.scores.scores import Scores

Direction: TypeAlias = Literal["higher", "lower", "unknown"]

_WORD = re.compile(r"[a-z]+")
_LOWER = frozenset((
    "metricx", "mqm", "ter", "hter", "cter", "wer", "cer", "ppl", "perplexity",
    "error", "errors", "err", "loss", "nll", "entropy", "crossentropy", "rmse", "mse", "mae",
    "brier", "penalty", "penalties", "distance", "latency", "toxicity",
))  # fmt: skip
_HIGHER = frozenset((
    "bleu", "sentbleu", "spbleu", "sacrebleu", "chrf", "comet", "xcomet", "cometkiwi", "kiwi",
    "bleurt", "bertscore", "bartscore", "gemba", "rouge", "meteor", "nist", "gtm", "yisi", "unite",
    "prism", "metametrics", "accuracy", "acc", "em", "f", "precision", "recall", "correct", "pass",
    "da", "esa", "adequacy", "fluency", "quality", "preference", "win", "wins", "match", "includes",
))  # fmt: skip

_OF_A_FULL_SCORE = frozenset(("mqm",))  # penalties, or what they leave of 100


def direction_of_name(name: str) -> Direction:
    """Return which way a score of this name goes, from the words in it.

    Examples
    --------
    >>> [direction_of_name(name) for name in ("metricx-24-xl", "COMET-22", "val_loss", "glow")]
    ['lower', 'higher', 'lower', 'unknown']
    """
    words = set(_WORD.findall(name.casefold()))
    lower, higher = bool(words & _LOWER), bool(words & _HIGHER)
    if lower == higher:  # no word is known, or «comet error» says both
        return "unknown"
    return "lower" if lower else "higher"


def direction_of(scores: Scores) -> Direction:
    """Return which way scores go: as their reader says, else by their name.

    Penalties are also written with a minus, as WMT writes MQM and MetricX: where none is above
    zero, the highest is the best after all. Where some are above and some below, MQM may also be what
    is left of a full score, and nothing is known; all others go by their name.
    """
    if scores.lower_is_better is not None:
        return "lower" if scores.lower_is_better else "higher"
    if scores.metric is None:
        return "unknown"
    found = direction_of_name(scores.metric)
    if found != "lower":
        return found
    values = np.concatenate([table.ravel() for table in scores.systems.values()])
    known = values[~np.isnan(values)]
    if (known >= 0.0).all():
        return "lower"
    if (known <= 0.0).all():
        return "higher"
    words = set(_WORD.findall(scores.metric.casefold()))
    return "unknown" if words & _OF_A_FULL_SCORE else "lower"


def name_from_files(paths: Iterable[FilePath]) -> str | None:
    """Return the word for a score where lower is better that the names of all files hold.

    Examples
    --------
    >>> name_from_files(["out/A.ter.txt", "out/B.ter.txt"]), name_from_files(["A.txt"])
    ('ter', None)
    """
    words = [set(re.split(r"[^a-z]+", file_stem(path).casefold())) & _LOWER for path in paths]
    shared = set.intersection(*words) if words else set()
    return shared.pop() if len(shared) == 1 else None
