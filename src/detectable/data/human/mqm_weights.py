"""What an error costs in MQM (Freitag et al. 2021, arXiv:2104.14478, section 3)."""

from collections.abc import Iterable, Mapping
from typing import Any

_FREE_CATEGORIES = ("source", "no-error", "no error", "reinterpretation", "creative reinterp")
_FREE_SEVERITIES = ("neutral", "no-error", "no error", "no_error", "hotw", "reinterpretation")
MAJOR, MINOR, PUNCTUATION, NON_TRANSLATION = 5.0, 1.0, 0.1, 25.0


def error_weight(category: str | None, severity: str | None) -> float | None:
    """Return what one error costs, or None if its severity is not known.

    A major error costs 5, a minor one 1, a minor one of punctuation 0.1, and a segment that is
    no translation at all 25. Neutral remarks and errors of the source cost nothing. The paper
    has no critical errors; where a campaign has, they cost as much as major ones.

    Examples
    --------
    >>> error_weight("Fluency/Punctuation", "Minor"), error_weight("Style/Awkward", "Major")
    (0.1, 5.0)
    """
    kind = (category or "").strip().lower().replace("_", " ")
    grade = (severity or "").strip().lower()
    if grade.startswith(_FREE_SEVERITIES) or kind.startswith(_FREE_CATEGORIES):
        return 0.0
    if kind.startswith(("non-translation", "non translation")):
        return NON_TRANSLATION
    if grade in ("major", "critical"):
        return MAJOR
    if grade == "minor":
        return PUNCTUATION if "punctuation" in kind else MINOR
    return None


def score_of_spans(spans: Iterable[Any]) -> float | str:
    """Return minus the weights of error spans, or the severity that is not known."""
    total = 0.0
    for span in spans:
        named: Mapping[str, Any] = span if isinstance(span, Mapping) else {}
        category = named.get("error_type") or named.get("category")
        severity = named.get("severity")
        weight = error_weight(_text(category), _text(severity))
        if weight is None:
            return repr(severity)
        total -= weight
    return total


def _text(value: Any) -> str | None:
    """Return a category as text; Appraise has a list of category and subcategory."""
    if isinstance(value, list):
        return "/".join(map(str, value))
    return None if value is None else str(value)
