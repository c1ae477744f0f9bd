"""Errors that raters mark in a text: where they are, how bad, and of which kind."""

from collections.abc import Mapping, Sequence
from typing import Any

from detectable.study.campaign.protocols import SEVERITIES
from detectable.study.campaign.wrong_answer import whole, wrong

MOST_SPANS = 200  # of one text


def read_spans(
    given: Any, text: str, place: int, *, categories: Sequence[str] | None = None
) -> list[dict[str, Any]]:
    """Return the errors of one text as they are kept, or say what is impossible.

    Places are counted in code points of the text as it is stored, ``start`` inclusive and ``end``
    exclusive. An error without a place is something that is missing from the text; such errors
    come last, the others in the order of the text.

    Parameters
    ----------
    given : list of JSON objects
        ``{"start": 4, "end": 9, "severity": "major"}``, or without a place.
    text : str
        What the rater saw.
    place : int
        The number of the answer, for messages.
    categories : sequence of str, optional
        Where every error has one of these.

    Examples
    --------
    >>> read_spans([{"start": 0, "end": 2.0, "severity": "minor"}], "So so", 1)
    [{'start': 0, 'end': 2, 'severity': 'minor'}]
    """
    if not isinstance(given, list):
        raise wrong(f"The errors of answer {place} must be a list.")
    if len(given) > MOST_SPANS:
        raise wrong(f"Answer {place} has {len(given)} errors; {MOST_SPANS} at most.")
    spans = [_span(one, len(text), place, categories) for one in given]
    order = [(one["start"], one["end"]) if "start" in one else None for one in spans]
    located = [one for one in order if one is not None]
    if located != sorted(located) or None in order[: len(located)]:
        raise wrong(f"The errors of answer {place} must be in the order of the text.")
    return spans


def other_tools_span(span: Mapping[str, Any], *, category: str) -> dict[str, Any]:
    """Return a kept error as Pearmut and Appraise write it: its end is the last letter.

    Parameters
    ----------
    category : str
        What the tool calls the kind of an error.

    Examples
    --------
    >>> other_tools_span({"start": 4, "end": 9, "severity": "major"}, category="category")
    {'start_i': 4, 'end_i': 8, 'severity': 'major', 'category': None}
    """
    missing = "start" not in span
    return {
        "start_i": "missing" if missing else span["start"],
        "end_i": "missing" if missing else span["end"] - 1,
        "severity": span["severity"],
        category: span.get("category"),
    }


def _span(
    given: Any, length: int, place: int, categories: Sequence[str] | None
) -> dict[str, Any]:
    wanted = {"severity"} if categories is None else {"severity", "category"}
    if not isinstance(given, Mapping) or set(given) not in (wanted, wanted | {"start", "end"}):
        raise wrong(
            f"An error of answer {place} must say its {' and '.join(sorted(wanted))}, and where "
            "it starts and ends, unless something is missing."
        )
    if given["severity"] not in SEVERITIES:
        raise wrong(f"The severity of an error of answer {place} must be minor or major.")
    made: dict[str, Any] = {}
    if "start" in given:
        start, end = whole(given["start"]), whole(given["end"])
        if start is None or end is None or not 0 <= start < end <= length:
            raise wrong(
                f"An error of answer {place} lies outside of its text, which has {length} "
                "characters."
            )
        made = {"start": start, "end": end}
    made["severity"] = given["severity"]
    if categories is not None:
        if given["category"] not in categories:
            raise wrong(f"The category of an error of answer {place} is not known here.")
        made["category"] = given["category"]
    return made
