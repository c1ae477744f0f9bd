"""Whether higher or lower scores are better, as far as their name tells: the one table of names."""

import math
import re
from collections.abc import Iterable
from typing import Literal, TypeAlias

import numpy as np

from detectable.core.types import FloatArray
from detectable.data.files.place import FilePath
from detectable.data.names import file_stem
from detectable.data.scores.scores import Scores

Direction: TypeAlias = Literal["higher", "lower", "unknown"]

# The table. A name is cut into words, and a word that stands here tells which way it goes. A word may
# stand here only if nobody would use it the other way: what is long, or refused, or takes many steps
# may be good or bad, and “score” or “rating” says nothing, so such names stay unknown, and whoever
# decides by them must say which way they go.

# Faults, distances from what is right, and doubt about it.
_FAULTS = frozenset((
    "metricx", "mqm", "ter", "hter", "cter", "wer", "cer", "ppl", "perplexity",
    "error", "errors", "err", "loss", "nll", "entropy", "crossentropy", "rmse", "mse", "mae",
    "brier", "ece", "penalty", "penalties", "distance", "bits", "bpb", "bpc", "regret",
    "toxicity", "hallucination", "hallucinations", "violation", "violations",
    "failure", "failures", "failed", "timeouts", "crashes", "mistakes",
))  # fmt: skip

# What an answer costs: money, and time, tokens, memory.
_MONEY = frozenset(("cost", "costs", "price", "usd", "eur", "dollars", "cents"))
_SPENT = _MONEY | frozenset((
    "latency", "ttft", "tpot", "time", "duration", "runtime", "elapsed", "seconds", "secs", "ms",
    "milliseconds", "minutes", "tokens", "memory",
))  # fmt: skip

# Merits.
_MERITS = frozenset((
    "bleu", "sentbleu", "spbleu", "sacrebleu", "chrf", "comet", "xcomet", "cometkiwi", "kiwi",
    "bleurt", "bertscore", "bartscore", "gemba", "rouge", "meteor", "nist", "gtm", "yisi", "unite",
    "prism", "metametrics", "accuracy", "acc", "em", "f", "precision", "recall", "correct", "pass",
    "da", "esa", "adequacy", "fluency", "quality", "preference", "win", "wins", "match", "includes",
    "passed", "success", "successes", "solved", "resolved", "correctness", "exact", "mcc", "auc",
    "auroc", "auprc", "ndcg", "mrr", "faithfulness", "relevancy", "relevance", "groundedness",
    "helpfulness", "coherence", "similarity", "pearson", "spearman", "kendall", "reward",
))  # fmt: skip
# Work done in a time: “tokens per second” goes up, though tokens and seconds go down.
_THROUGHPUT = frozenset(("throughput", "tps", "qps", "rps"))
_PER_TIME = re.compile(r"(?:per[\W_]*|/ ?)(?:s|sec|second|min|minute|hour)(?![a-z])")

_LOWER = _FAULTS | _SPENT
_WORD = re.compile(r"[a-z]+")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")  # of latencyMs: latency and Ms
_OF_A_FULL_SCORE = frozenset(("mqm",))  # penalties, or what they leave of 100


def direction_of_name(name: str) -> Direction:
    """Return which way a score of this name goes, from the words in it.

    Examples
    --------
    >>> [direction_of_name(name) for name in ("metricx-24-xl", "COMET-22", "latencyMs", "glow")]
    ['lower', 'higher', 'lower', 'unknown']
    >>> direction_of_name("output_tokens"), direction_of_name("output_tokens_per_second")
    ('lower', 'higher')
    """
    words = _words(name)
    rate = bool(words & _THROUGHPUT) or _PER_TIME.search(name.casefold()) is not None
    if rate and not words & (_FAULTS | _MONEY):  # “errors per hour” are no work done
        return "higher"
    lower, higher = bool(words & _LOWER), bool(words & _MERITS)
    if lower == higher:  # no word is known, or “comet error” says both
        return "unknown"
    return "lower" if lower else "higher"


def is_spent(name: str) -> bool:
    """Return whether a name is of what an answer costs, and not of how good it is.

    Examples
    --------
    >>> is_spent("inference_runtime"), is_spent("exact_match")
    (True, False)
    """
    return bool(_words(name) & _SPENT)


def _words(name: str) -> set[str]:
    """Return the words of a name, those of ``camelCase`` whole and in parts."""
    parts = (part.casefold() for part in _PART.findall(name))
    return {*_WORD.findall(name.casefold()), *parts}


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
    return "unknown" if _words(scores.metric) & _OF_A_FULL_SCORE else "lower"


def name_from_files(paths: Iterable[FilePath]) -> str | None:
    """Return the word for a score where lower is better that the names of all files hold.

    A word of costs must be the last: systems are called “memory-net” and “first-time” too.

    Examples
    --------
    >>> name_from_files(["out/A.ter.txt", "out/B.ter.txt"]), name_from_files(["A.txt"])
    ('ter', None)
    """
    found = []
    for path in paths:
        words = re.split(r"[^a-z]+", file_stem(path).casefold())
        found.append(set(words) & _FAULTS | {words[-1]} & _SPENT)
    shared = set.intersection(*found) if found else set()
    return shared.pop() if len(shared) == 1 else None


HEAVIEST_MQM = 25.0  # what a non-translation costs: the largest weight of an error


def span(scale: tuple[float, float]) -> float:
    """Return the length of a scale; without an end it is the heaviest error of MQM.

    Examples
    --------
    >>> span((0.0, 100.0)), span((-math.inf, 0.0))
    (100.0, 25.0)
    """
    length = scale[1] - scale[0]
    return length if math.isfinite(length) else HEAVIEST_MQM


def penalty_range(
    name: str | None, scores: FloatArray, *, lower_is_better: bool | None = None
) -> tuple[float, float] | None:
    """Return the range of MQM penalties, whose heaviest error weighs 25; None for other scores.

    Written with a minus or without; several errors of a segment may go beyond one of them. What
    is left of a full score is no penalty.

    Parameters
    ----------
    name : str or None
        What the scores are called.
    lower_is_better : bool, optional
        Where it is known.

    References
    ----------
    Freitag et al. (2021), "Experts, Errors, and Context", TACL 9, 1460–1474, table 4.

    Examples
    --------
    >>> penalty_range("mqm", np.array([-1.0, 0.0, -5.0]))
    (-25.0, 0.0)
    """
    if not set(_WORD.findall((name or "").casefold())) & _OF_A_FULL_SCORE:
        return None
    known = scores[~np.isnan(scores)]
    if (known <= 0.0).all():
        return min(-HEAVIEST_MQM, float(known.min())), 0.0
    lower = lower_is_better is not False and (known >= 0.0).all()
    return (0.0, max(HEAVIEST_MQM, float(known.max()))) if lower else None
