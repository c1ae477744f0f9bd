"""What an error costs in MQM (Freitag et al. 2021, arXiv:2104.14478, section 3)."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Literal

from detectable.core.choices import SourceErrors
from detectable.core.wording import count

_FREE_CATEGORIES = ("no-error", "no error", "reinterpretation", "creative reinterp")
_FREE_SEVERITIES = (
    *("neutral", "no-error", "no error", "no_error", "hotw", "reinterpretation"),
    "undecided",
)
MAJOR, MINOR, PUNCTUATION, NON_TRANSLATION = 5.0, 1.0, 0.1, 25.0

Noted = Literal["source", "undecided", "critical"]


def error_weight(
    category: str | None, severity: str | None, *, source_errors: SourceErrors = "count"
) -> float | None:
    """Return what one error costs, or None if its severity is not known.

    A major error costs 5, a minor one 1, a minor one of punctuation 0.1, and a segment that is
    no translation at all 25. Neutral remarks, and errors whose severity was left undecided, cost
    nothing. The paper has no critical errors; where a campaign has, they cost as much as major
    ones. «Source error» costs what its severity says, as in the averages that Google publishes
    with the data; with ``source_errors="ignore"`` it costs nothing.

    Examples
    --------
    >>> error_weight("Fluency/Punctuation", "Minor"), error_weight("Style/Awkward", "Major")
    (0.1, 5.0)
    """
    kind = (category or "").strip().lower().replace("_", " ")
    grade = (severity or "").strip().lower()
    if grade.startswith(_FREE_SEVERITIES) or kind.startswith(_FREE_CATEGORIES):
        return 0.0
    if kind.startswith("source") and source_errors == "ignore":
        return 0.0
    if kind.startswith(("non-translation", "non translation")):
        return NON_TRANSLATION
    if grade in ("major", "critical"):
        return MAJOR
    if grade == "minor":
        return PUNCTUATION if "punctuation" in kind else MINOR
    # An error of the source that has no severity is a remark.
    return 0.0 if kind.startswith("source") and not grade else None


def noted(category: str | None, severity: str | None) -> Noted | None:
    """Return what a reader has to tell about an error, if anything.

    Examples
    --------
    >>> noted("Source error", "Minor"), noted("Style/Awkward", "Undecided"), noted("Other", "Major")
    ('source', 'undecided', None)
    """
    grade = (severity or "").strip().lower()
    if grade.startswith("undecided"):
        return "undecided"
    if (category or "").strip().lower().startswith("source") and grade in (
        "major",
        "minor",
        "critical",
    ):
        return "source"
    return "critical" if grade == "critical" else None


def weight_notes(seen: "Counter[Noted]", source_errors: SourceErrors) -> list[str]:
    """Say what was counted how, where that can be seen differently."""
    notes = []
    if seen["critical"]:
        notes.append(f"{count(seen['critical'], 'critical error')} counted as major.")
    if seen["undecided"]:
        notes.append(f"{count(seen['undecided'], 'error')} of undecided severity counted 0.")
    if seen["source"]:
        how = (
            "counted by severity, as in the published averages (source_errors='ignore' makes "
            "it 0)"
            if source_errors == "count"
            else "counted 0 as asked, unlike in the published averages"
        )
        notes.append(f"{count(seen['source'], 'error')} of the source {how}.")
    return notes


def score_of_spans(
    spans: Iterable[Any], seen: "Counter[Noted]", source_errors: SourceErrors = "count"
) -> float | str:
    """Return minus the weights of error spans, or the severity that is not known.

    What the reader has to tell is counted in `seen`.
    """
    total = 0.0
    for span in spans:
        named: Mapping[str, Any] = span if isinstance(span, Mapping) else {}
        category = _text(named.get("error_type") or named.get("category"))
        severity = _text(named.get("severity"))
        weight = error_weight(category, severity, source_errors=source_errors)
        if weight is None:
            return repr(named.get("severity"))
        about = noted(category, severity)
        if about is not None:
            seen[about] += 1
        total -= weight
    return total


def _text(value: Any) -> str | None:
    """Return a category as text; Appraise has a list of category and subcategory."""
    if isinstance(value, list):
        return "/".join(map(str, value))
    return None if value is None else str(value)
