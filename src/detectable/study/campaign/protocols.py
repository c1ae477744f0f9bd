"""What is asked of every text, and which answers are possible."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from detectable.core.errors import RefusedError
from detectable.data.store.records import Answer

SKIPPED = ("cannot_judge",)  # why a text has no score


@dataclass(frozen=True, slots=True, kw_only=True)
class Protocol:
    """A way to judge one text by one number.

    Attributes
    ----------
    scale : (float, float)
        The lowest and the highest answer.
    step : float
        The smallest difference between two answers that the page offers.

    References
    ----------
    da: Graham, Baldwin, Moffat and Zobel (2017), "Can machine translation systems be evaluated by
    the crowd alone", Natural Language Engineering 23(1), 3–30. sqm: Freitag et al. (2021),
    "Experts, errors, and context", TACL 9, 1460–1474: 0 to 6; the question names every second step.
    """

    name: str
    scale: tuple[float, float]
    step: float


PROTOCOLS: Mapping[str, Protocol] = {
    one.name: one
    for one in (
        Protocol(name="da", scale=(0.0, 100.0), step=1.0),
        Protocol(name="sqm", scale=(0.0, 6.0), step=1.0),
    )
}


def read_answers(protocol: str, given: Sequence[Any], n_texts: int) -> list[Answer]:
    """Return the answers to a page, or say which one is impossible.

    Parameters
    ----------
    given : sequence
        JSON objects, ``{"score": 72}`` or ``{"skipped": "cannot_judge"}``, one for each text of
        the page in order: so no text can be answered twice.
    """
    if len(given) != n_texts:
        raise _wrong(f"The page has {n_texts} texts, and {len(given)} answers came.")
    return [_answer(PROTOCOLS[protocol], one, place) for place, one in enumerate(given, 1)]


def _answer(protocol: Protocol, given: Any, place: int) -> Answer:
    if not isinstance(given, Mapping):
        raise _wrong(f"Answer {place} must be an object with a score.")
    if set(given) == {"skipped"} and given["skipped"] in SKIPPED:
        return Answer(score=None, extra={"skipped": given["skipped"]})
    if set(given) != {"score"}:
        raise _wrong(
            f"Answer {place} must hold a score, or why there is none, and nothing else."
        )
    score, (low, high) = given["score"], protocol.scale
    number = isinstance(score, int | float) and not isinstance(score, bool)
    if not number or not math.isfinite(score) or not low <= score <= high:
        raise _wrong(f"The score of answer {place} must lie between {low:g} and {high:g}.")
    return Answer(score=float(score))


def _wrong(message: str) -> RefusedError:
    return RefusedError("wrong_answer", message)
