"""The answers to a page: checked by the campaign's own settings, and what is kept of them."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from detectable.data.human.mqm_weights import score_of_spans
from detectable.data.store.records import Answer, Line, Page
from detectable.study.campaign.protocols import DOCUMENT_SCALE
from detectable.study.campaign.settings import CampaignSettings
from detectable.study.campaign.spans import read_spans
from detectable.study.campaign.wrong_answer import number, whole, wrong

SKIPPED = ("cannot_judge",)  # why a text has no score
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
    return [
        _skipped(one) or read(settings, _Given(one, place, line, page))
        for place, (one, line) in enumerate(zip(given, page.lines, strict=True), 1)
    ]


def read_document_score(settings: CampaignSettings, given: Any) -> float | None:
    """Return the score of the page as a whole, which may be left out."""
    if given is None:
        return None
    if not settings.document_score:
        raise wrong("This evaluation does not ask for a score of the whole document.")
    return _in_range(given, DOCUMENT_SCALE, "The score of the document")


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
    )
    score = score_of_spans(spans, Counter())
    return Answer(score=float(score) + 0.0, extra={"spans": spans})


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
