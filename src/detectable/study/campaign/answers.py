"""The answers to a page and the errors marked in it: checked, and what is kept of them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from detectable.core.errors import DataError, InputError, RefusedError
from detectable.core.wording import count, listing
from detectable.data.files.read_json import read_json_lines
from detectable.data.store.records import Answer, Line, NewCampaign, Page
from detectable.study.campaign.settings import (
    DOCUMENT_SCALE,
    SEVERITIES,
    CampaignSettings,
    number,
    question_of,
    whole,
    wrong,
)

SKIPPED = ("cannot_judge",)  # why a text has no score
COMMENT, SUGGESTED = "comment", "suggested"
KEPT, CHANGED, OWN = "kept", "changed", "own"  # what became of a suggested error, or not of one
LONGEST_COMMENT = 2_000
_LONGEST_ANSWER = 500
SIDES = ("left", "right")
TIE = "tie"
STRENGTHS = (1, 2, 3)


def read_answers(settings: CampaignSettings, given: Sequence[Any], page: Page) -> list[Answer]:
    """Return the answers to a page, or say which one is impossible.

    Parameters
    ----------
    given : sequence
        JSON objects, one for each text of the page in order: so no text can be answered twice.
        Each is what the protocol asks for, or ``{"skipped": "cannot_judge"}``.
    """
    if len(given) != len(page.lines):
        raise wrong(f"The page has {len(page.lines)} texts, and {len(given)} answers came.")
    read = _READ[settings.protocol]
    found = []
    for place, (one, line) in enumerate(zip(given, page.lines, strict=True), 1):
        rest, comment = _comment(settings, one, place)
        answer = _skipped(rest) or read(settings, _Given(rest, place, line, page))
        if settings.suggested and answer.score is not None:
            origins = origins_of((answer.extra or {})["spans"], line.suggested)
            told = {"shown": len(line.suggested), "origins": origins}
            answer = replace(answer, extra={**(answer.extra or {}), SUGGESTED: told})
        if comment:
            answer = replace(answer, extra={**(answer.extra or {}), COMMENT: comment})
        found.append(answer)
    return found


def given_answer(settings: CampaignSettings, answer: Answer) -> dict[str, Any]:
    """Return an answer as it was sent: what `read_answers` takes, from what was kept of it."""
    extra = {name: one for name, one in (answer.extra or {}).items() if name != SUGGESTED}
    if answer.score is None:
        return {"skipped": SKIPPED[0], **extra}
    if settings.protocol in ("da", "sqm", "esa"):
        extra["score"] = answer.score
    return extra


def read_document_score(settings: CampaignSettings, given: Any) -> float | None:
    """Return the score of the page as a whole, which may be left out."""
    if given is None:
        return None
    if not settings.document_score:
        raise wrong("This evaluation does not ask for a score of the whole document.")
    return _in_range(given, DOCUMENT_SCALE, "The score of the document")


def read_questionnaire(settings: CampaignSettings, given: Mapping[str, str]) -> dict[str, str]:
    """Return what a rater said of themselves, or which question has no answer."""
    asked = dict(map(question_of, settings.questionnaire))
    if set(given) - set(asked):
        raise wrong("This evaluation asks other questions.")
    found = {}
    for label, answers in asked.items():
        found[label] = given.get(label, "").strip()
        if not found[label] or len(found[label]) > _LONGEST_ANSWER:
            raise wrong(f"Please answer: {label}")
        if answers and found[label] not in answers:
            raise wrong(f"{label}: the answer must be one of {listing(list(answers))}.")
    return found


def _comment(settings: CampaignSettings, given: Any, place: int) -> tuple[Any, str]:
    """Return an answer without its comment, and the comment."""
    if not isinstance(given, Mapping) or COMMENT not in given:
        return given, ""
    said = given[COMMENT]
    if not settings.comments:
        raise wrong("This evaluation takes no comments.")
    if not isinstance(said, str) or len(said) > LONGEST_COMMENT:
        raise wrong(
            f"The comment on text {place} must have {LONGEST_COMMENT:,} letters at most."
        )
    return {name: one for name, one in given.items() if name != COMMENT}, said.strip()


class _Given:
    """One answer, its place on the page, and what it is about."""

    def __init__(self, answer: Any, place: int, line: Line, page: Page) -> None:
        if not isinstance(answer, Mapping):
            raise wrong(f"Answer {place} must be an object.")
        self.answer, self.place, self.line, self.page = answer, place, line, page

    def only(self, *required: str, maybe: tuple[str, ...] = ()) -> None:
        """Refuse an answer with anything missing or more than is asked."""
        if not set(required) <= set(self.answer) <= {*required, *maybe}:
            raise wrong(
                f"Answer {self.place} must hold {' and '.join(required)}, or why it is skipped, "
                "and nothing else."
            )


def _skipped(given: Any) -> Answer | None:
    if isinstance(given, Mapping) and set(given) == {"skipped"} and given["skipped"] in SKIPPED:
        return Answer(score=None, extra={"skipped": given["skipped"]})
    return None


def _in_range(value: Any, scale: tuple[float, float], name: str) -> float:
    found, (low, high) = number(value), scale
    if found is None or not low <= found <= high:
        raise wrong(f"{name} must lie between {low:g} and {high:g}.")
    return found


def _score(settings: CampaignSettings, given: _Given) -> float:
    return _in_range(
        given.answer["score"], settings.scale, f"The score of answer {given.place}"
    )


def _scored(settings: CampaignSettings, given: _Given) -> Answer:
    given.only("score")
    return Answer(score=_score(settings, given))


def _esa(settings: CampaignSettings, given: _Given) -> Answer:
    given.only("score", "spans")
    spans = read_spans(given.answer["spans"], given.line.text, given.place)
    return Answer(score=_score(settings, given), extra={"spans": spans})


def _mqm(settings: CampaignSettings, given: _Given) -> Answer:
    given.only("spans")
    spans = read_spans(
        given.answer["spans"],
        given.line.text,
        given.place,
        categories=settings.categories,
        severities=settings.severities,
    )
    return Answer(score=settings.costs.score(spans), extra={"spans": spans})


def _likert(settings: CampaignSettings, given: _Given) -> Answer:
    given.only("ratings")
    ratings = given.answer["ratings"]
    if not isinstance(ratings, Mapping) or set(ratings) != set(settings.criteria):
        raise wrong(f"Answer {given.place} must rate every criterion, and nothing else.")
    low, high = settings.scale
    found = {name: whole(ratings[name]) for name in settings.criteria}
    for name, rating in found.items():
        if rating is None or not low <= rating <= high:
            raise wrong(
                f"The rating of {name} in answer {given.place} must be a whole number from "
                f"{low:g} to {high:g}."
            )
    return Answer(score=float(found[settings.primary] or 0), extra={"ratings": found})


def _pairwise(settings: CampaignSettings, given: _Given) -> Answer:
    given.only("choice", maybe=("strength",))
    choice = given.answer["choice"]
    if not isinstance(choice, str) or choice not in (*SIDES, TIE):
        raise wrong(f"The choice of answer {given.place} must be left, right or tie.")
    extra: dict[str, Any] = {"choice": choice}
    asked = settings.strength and choice != TIE
    if ("strength" in given.answer) != asked:
        raise wrong(
            f"Answer {given.place} must say how much better the text is."
            if asked
            else f"Answer {given.place} must not say how much better a text is."
        )
    if asked:
        extra["strength"] = whole(given.answer["strength"])
        if extra["strength"] not in STRENGTHS:
            raise wrong(f"The strength of answer {given.place} must be 1, 2 or 3.")
    own = SIDES[given.page.flipped]
    return Answer(score=0.5 if choice == TIE else float(choice == own), extra=extra)


_READ: Mapping[str, Callable[[CampaignSettings, _Given], Answer]] = {
    "da": _scored,
    "sqm": _scored,
    "esa": _esa,
    "pairwise": _pairwise,
    "likert": _likert,
    "mqm": _mqm,
}


# --- Errors that raters mark in a text: where they are, how bad, and of which kind ---

MOST_SPANS = 200  # of one text


def read_spans(
    given: Any,
    text: str,
    place: int,
    *,
    categories: Sequence[str] | None = None,
    severities: Sequence[str] = SEVERITIES,
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
    severities : sequence of str
        How bad an error can be.

    Examples
    --------
    >>> read_spans([{"start": 0, "end": 2.0, "severity": "minor"}], "So so", 1)
    [{'start': 0, 'end': 2, 'severity': 'minor'}]
    """
    if not isinstance(given, list):
        raise wrong(f"The errors of answer {place} must be a list.")
    if len(given) > MOST_SPANS:
        raise wrong(f"Answer {place} has {len(given)} errors; {MOST_SPANS} at most.")
    spans = [_span(one, len(text), place, categories, severities) for one in given]
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
    given: Any,
    length: int,
    place: int,
    categories: Sequence[str] | None,
    severities: Sequence[str],
) -> dict[str, Any]:
    wanted = {"severity"} if categories is None else {"severity", "category"}
    if not isinstance(given, Mapping) or set(given) not in (wanted, wanted | {"start", "end"}):
        raise wrong(
            f"An error of answer {place} must say its {' and '.join(sorted(wanted))}, and where "
            "it starts and ends, unless something is missing."
        )
    if given["severity"] not in severities:
        known = f"{', '.join(severities[:-1])} or {severities[-1]}"
        raise wrong(f"The severity of an error of answer {place} must be {known}.")
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


def origins_of(
    spans: Sequence[Mapping[str, Any]], suggested: Sequence[Mapping[str, Any]]
) -> list[str]:
    """Say of every error whether it was suggested and kept, suggested and changed, or neither.

    Examples
    --------
    >>> given = [{"start": 0, "end": 4, "severity": "minor"}, {"severity": "major"}]
    >>> origins_of([{"start": 0, "end": 4, "severity": "major"}, {"severity": "major"}], given)
    ['changed', 'kept']
    """
    left = [dict(one) for one in suggested]
    found: list[str] = []
    for one in spans:  # what was kept is told first: a change is of what is left
        found.append(KEPT if dict(one) in left else "")
        if found[-1]:
            left.remove(dict(one))
    for n, one in enumerate(spans):
        if not found[n]:
            near = next((other for other in left if _touch(one, other)), None)
            found[n] = OWN if near is None else CHANGED
            if near is not None:
                left.remove(near)
    return found


def _touch(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    if "start" not in one or "start" not in other:
        return "start" not in one and "start" not in other
    return bool(one["start"] < other["end"] and other["start"] < one["end"])


# --- Errors that are marked before a rater comes ---


def with_suggestions(new: NewCampaign, path: Path) -> tuple[NewCampaign, tuple[str, ...]]:
    """Return a campaign whose errors are partly marked, and a note on how many.

    Parameters
    ----------
    path : path
        JSON lines with ``system``, ``item`` (the line, from 1, or its name), ``start``, ``end`` and
        ``severity``, for MQM with ``category`` too; null or no place: something is missing. What
        else stands there is left out: so the errors of an export can be suggested again.
    """
    settings = CampaignSettings.from_json(new.settings)
    if not settings.asks.spans:
        raise InputError(
            f"`suggestions` must be left out with the protocol {settings.protocol}: it belongs to "
            "esa and mqm."
        )
    texts = {
        (system, one.item): text
        for part in new.parts
        for one in part.segments
        for system, text in one.outputs.items()
    }
    wanted = ("severity",) if settings.protocol == "esa" else ("severity", "category")
    found: dict[tuple[str, str], list[dict[str, Any]]] = {}
    left_out = 0
    for at, entry in read_json_lines(path):
        key = (str(entry.get("system")), str(entry.get("item")))
        if key not in texts:
            left_out += 1
            continue
        span = {name: entry.get(name) for name in wanted}
        if entry.get("start") is not None:
            span |= {"start": entry["start"], "end": entry.get("end")}
        found.setdefault(key, []).append({**span, "line": at})
    if not found:
        raise DataError(f"{path}: no error of it is in a text of the campaign.")
    checked = {}
    for key, spans in found.items():
        spans.sort(key=lambda one: ("start" not in one, _number_or_0(one.get("start"))))
        place = spans[0]["line"]
        for one in spans:
            del one["line"]
        categories = settings.categories if settings.protocol == "mqm" else None
        try:
            checked[key] = read_spans(
                spans, texts[key], 1, categories=categories, severities=settings.severities
            )
        except RefusedError as error:
            said = str(error).replace("of answer 1", f"of {key[0]}, item {key[1]},")
            raise DataError(f"{path}, line {place}: {said}") from None
    parts = tuple(
        replace(
            part,
            segments=tuple(
                replace(
                    one,
                    suggested={
                        system: checked[system, one.item]
                        for system in one.outputs
                        if (system, one.item) in checked
                    },
                )
                for one in part.segments
            ),
        )
        for part in new.parts
    )
    n = sum(map(len, checked.values()))
    notes = [
        f"{count(n, 'error')} suggested in {len(checked):,} of {count(len(texts), 'text')}."
    ]
    if left_out:
        notes.append(f"{count(left_out, 'suggested error')} of other texts left out.")
    told = replace(settings, suggested=True).to_json()
    return replace(new, parts=parts, settings=told), tuple(notes)


def _number_or_0(value: Any) -> float:
    """Return a number to sort by, whatever was given."""
    return float(value) if isinstance(value, int | float) else 0.0
