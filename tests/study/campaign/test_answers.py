"""Which answers a page takes, and what is kept of them."""

import math
from typing import Any

import pytest

from detectable.core.errors import InputError, RefusedError
from detectable.data.formats.mqm import MAJOR, MINOR, NON_TRANSLATION, PUNCTUATION
from detectable.data.store.records import Answer, Line, Page
from detectable.study.campaign.answers import (
    given_answer,
    read_answers,
    read_document_score,
    read_questionnaire,
)
from detectable.study.campaign.settings import CATEGORIES, PROTOCOLS, CampaignSettings

TEXT = "a 👩🏽‍🚀 b"  # 4 code points make one picture: places are counted in them
LENGTH = len(TEXT)


def page(n: int, text: str = TEXT, *, flipped: bool = False) -> Page:
    line = Line(item="1", source="s", reference="r", text=text, other="other")
    return Page(
        token="t",
        part="p",
        system="A",
        kind="system",
        lines=(line,) * n,
        block=1,
        place=1,
        n_pages=1,
        beside="B",
        flipped=flipped,
    )


def read(protocol: str, *given: Any, **more: Any) -> list[Answer]:
    flipped = more.pop("flipped", False)
    if protocol == "likert":
        more.setdefault("criteria", ("adequacy", "fluency"))
    settings = CampaignSettings(protocol=protocol, **more)  # type: ignore[arg-type]
    return read_answers(settings, given, page(len(given), flipped=flipped))


def refused(protocol: str, answer: Any, **more: Any) -> str:
    with pytest.raises(RefusedError) as error:
        read(protocol, answer, **more)
    assert error.value.code == "wrong_answer"
    return str(error.value)


def test_scores_and_skips_are_read() -> None:
    given = [{"score": 72}, {"score": 0}, {"score": 100.0}, {"skipped": "cannot_judge"}]
    assert read("da", *given) == [
        Answer(score=72.0),
        Answer(score=0.0),
        Answer(score=100.0),
        Answer(score=None, extra={"skipped": "cannot_judge"}),
    ]


@pytest.mark.parametrize(
    "answer",
    [
        {"score": 1e9},
        {"score": -1},
        {"score": 100.5},
        {"score": math.nan},
        {"score": math.inf},
        {"score": 10**400},
        {"score": True},
        {"score": "72"},
        {"score": None},
        {"score": 7, "system": "A"},
        {"score": 7, "spans": []},
        {"skipped": "bored"},
        {"skipped": ["cannot_judge"]},
        {"skipped": "cannot_judge", "score": 1},
        {},
        [],
        72,
        None,
    ],
)
def test_impossible_answers_are_refused(answer: Any) -> None:
    with pytest.raises(RefusedError, match=r"nswer 2") as error:
        read("da", {"score": 1}, answer)
    assert error.value.code == "wrong_answer"


def test_there_is_one_answer_for_every_text() -> None:
    with pytest.raises(RefusedError, match="The page has 2 texts, and 1 answers came"):
        read_answers(CampaignSettings(), [{"score": 1}], page(2))


def test_scales_differ_by_protocol() -> None:
    assert read("sqm", {"score": 6}) == [Answer(score=6.0)]
    assert "between 0 and 6" in refused("sqm", {"score": 7})
    assert set(PROTOCOLS) == {"da", "sqm", "esa", "pairwise", "likert", "mqm"}


@pytest.mark.parametrize("protocol", sorted(PROTOCOLS))
def test_every_text_may_be_skipped(protocol: str) -> None:
    (answer,) = read(protocol, {"skipped": "cannot_judge"})
    assert answer == Answer(score=None, extra={"skipped": "cannot_judge"})


# -- errors in the text


def test_errors_are_kept_with_whole_places() -> None:
    spans = [
        {"start": 0, "end": 1, "severity": "minor"},
        {"start": 2.0, "end": float(LENGTH), "severity": "major"},
        {"severity": "minor"},
    ]
    (answer,) = read("esa", {"score": 60, "spans": spans})
    assert answer.score == 60.0
    assert answer.extra == {
        "spans": [
            {"start": 0, "end": 1, "severity": "minor"},
            {"start": 2, "end": LENGTH, "severity": "major"},
            {"severity": "minor"},
        ]
    }
    assert all(
        type(one.get(name, 0)) is int
        for one in answer.extra["spans"]
        for name in ("start", "end")
    )


@pytest.mark.parametrize(
    ("span", "why"),
    [
        ({"start": 0, "end": LENGTH + 1, "severity": "minor"}, f"has {LENGTH} characters"),
        ({"start": -1, "end": 2, "severity": "minor"}, "outside"),
        ({"start": 2, "end": 2, "severity": "minor"}, "outside"),
        ({"start": 3, "end": 2, "severity": "minor"}, "outside"),
        ({"start": 0.5, "end": 2, "severity": "minor"}, "outside"),
        ({"start": "0", "end": 2, "severity": "minor"}, "outside"),
        ({"start": False, "end": 2, "severity": "minor"}, "outside"),
        ({"start": 0, "end": math.inf, "severity": "minor"}, "outside"),
        ({"start": 0, "end": 10**400, "severity": "minor"}, "outside"),
        ({"start": 0, "severity": "minor"}, "starts and ends"),
        ({"end": 1, "severity": "minor"}, "starts and ends"),
        ({"start": 0, "end": 1}, "severity"),
        ({"start": 0, "end": 1, "severity": "critical"}, "minor or major"),
        ({"start": 0, "end": 1, "severity": ["minor"]}, "minor or major"),
        ({"start": 0, "end": 1, "severity": "minor", "category": "other"}, "severity"),
        ({"severity": "minor", "text": "x"}, "severity"),
        ("minor", "severity"),
    ],
)
def test_impossible_errors_are_refused(span: Any, why: str) -> None:
    assert why in refused("esa", {"score": 1, "spans": [span]})


def test_errors_come_in_the_order_of_the_text() -> None:
    first, second = (
        {"start": 0, "end": 2, "severity": "minor"},
        {"start": 0, "end": 3, "severity": "minor"},
    )
    missing = {"severity": "major"}
    assert "order" in refused("esa", {"score": 1, "spans": [second, first]})
    assert "order" in refused("esa", {"score": 1, "spans": [missing, first]})
    read("esa", {"score": 1, "spans": [first, first, second, missing, missing]})


def test_there_are_200_errors_at_most() -> None:
    one = {"severity": "minor"}
    read("esa", {"score": 1, "spans": [one] * 200})
    assert "201 errors; 200 at most" in refused("esa", {"score": 1, "spans": [one] * 201})
    assert "must be a list" in refused("esa", {"score": 1, "spans": {}})


def test_esa_needs_errors_and_a_score() -> None:
    several: list[Any] = [
        {"score": 1},
        {"spans": []},
        {"score": 1, "spans": [], "system": 1},
    ]
    for given in several:
        assert "score and spans" in refused("esa", given)
    assert "between 0 and 100" in refused("esa", {"score": 101, "spans": []})


def test_mqm_scores_by_the_weights_of_the_library() -> None:
    def span(severity: str, category: str) -> dict[str, str]:
        return {"severity": severity, "category": category}

    spans = [
        span("major", "accuracy/mistranslation"),
        span("minor", "style/awkward"),
        span("minor", "fluency/punctuation"),
        span("minor", "non-translation"),
    ]
    (answer,) = read("mqm", {"spans": spans})
    assert answer.score == pytest.approx(-(MAJOR + MINOR + PUNCTUATION + NON_TRANSLATION))
    (clean,) = read("mqm", {"spans": []})
    assert math.copysign(1.0, clean.score or 0.0) == 1.0  # no minus zero
    assert "not known" in refused("mqm", {"spans": [span("minor", "made up")]})
    assert "category and severity" in refused("mqm", {"spans": [{"severity": "minor"}]})
    assert "spans" in refused("mqm", {"spans": [], "score": -1})


def error(severity: str, category: str = "other") -> dict[str, Any]:
    return {"spans": [{"severity": severity, "category": category}]}


@pytest.mark.parametrize(
    ("settings", "severity", "category", "score"),
    [
        ({}, "neutral", "non-translation", 0.0),
        ({"weights": "wmt"}, "critical", "fluency/grammar", -10.0),
        ({"weights": "wmt"}, "minor", "fluency/punctuation", -1.0),
        ({"weights": "wmt"}, "minor", "non-translation", -25.0),
        ({"weight": ("critical=25",)}, "critical", "other", -25.0),
        ({"weight": ("critical=25",)}, "minor", "fluency/punctuation", -0.1),
        ({"weight": ("style=2", "minor style=.5")}, "minor", "style/awkward", -0.5),
        ({"weight": ("style=2", "minor style=.5")}, "major", "style/awkward", -2.0),
        ({"weight": ("style=2", "Style/Awkward=3")}, "major", "style/awkward", -3.0),
        ({"weight": ("style=2",)}, "neutral", "style/awkward", 0.0),
    ],
)
def test_errors_cost_what_the_campaign_says(
    settings: dict[str, Any], severity: str, category: str, score: float
) -> None:
    assert read("mqm", error(severity, category), **settings)[0].score == score


def test_severities_are_those_that_have_a_weight() -> None:
    assert "neutral, minor or major" in refused("mqm", error("critical"))
    assert read("mqm", error("neutral"))[0].score == 0.0
    assert "minor or major" in refused("esa", {"spans": [{"severity": "neutral"}], "score": 1})


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"weight": ("critical",)}, "NAME=POINTS"),
        ({"weight": ("critical=x",)}, "NAME=POINTS"),
        ({"weight": ("critical=-1",)}, "0 to 1000 points"),
        ({"weight": ("critical=nan",)}, "NAME=POINTS"),
        ({"weight": ("=1",)}, "NAME=POINTS"),
        ({"weight": ("neutral=1",)}, "neutral remarks"),
        ({"weight": ("minor=1", "Minor=2")}, "'minor' twice"),
        ({"weight": ("fatal=1",)}, "severity or a category; got 'fatal'"),
        ({"weights": "unbabel"}, "`weights` must be"),
        ({"protocol": "esa", "weight": ("minor=1",)}, "it belongs to mqm"),
    ],
)
def test_weights_that_mean_nothing_are_refused(settings: dict[str, Any], why: str) -> None:
    with pytest.raises(InputError, match=why):
        CampaignSettings(**{"protocol": "mqm", **settings})


def test_categories_can_be_chosen() -> None:
    own = [{"severity": "minor", "category": "tone"}]
    assert read("mqm", {"spans": own}, categories=("tone",))[0].score == -MINOR
    assert "not known" in refused(
        "mqm", {"spans": [{"severity": "minor", "category": "other"}]}, categories=("tone",)
    )
    assert CampaignSettings(protocol="mqm").categories == CATEGORIES


# -- several criteria


def test_the_primary_criterion_is_the_score() -> None:
    given = {"ratings": {"adequacy": 4, "fluency": 5.0}}
    assert read("likert", given) == [
        Answer(score=4.0, extra={"ratings": {"adequacy": 4, "fluency": 5}})
    ]
    assert read("likert", given, primary="fluency")[0].score == 5.0
    seven = {"ratings": {"adequacy": 7, "fluency": 1}}
    assert read("likert", seven, steps=7)[0].score == 7.0
    assert "from 1 to 5" in refused("likert", seven)


@pytest.mark.parametrize(
    "ratings",
    [
        {},
        {"adequacy": 1},
        {"adequacy": 1, "fluency": 1, "style": 1},
        {"adequacy": 0, "fluency": 1},
        {"adequacy": 6, "fluency": 1},
        {"adequacy": 1.5, "fluency": 1},
        {"adequacy": True, "fluency": 1},
        {"adequacy": None, "fluency": 1},
        [1, 2],
        3,
    ],
)
def test_impossible_ratings_are_refused(ratings: Any) -> None:
    assert refused("likert", {"ratings": ratings})


# -- two texts


@pytest.mark.parametrize(
    ("choice", "flipped", "score"),
    [
        ("left", False, 1.0),
        ("right", False, 0.0),
        ("tie", False, 0.5),
        ("left", True, 0.0),
        ("right", True, 1.0),
        ("tie", True, 0.5),
    ],
)
def test_a_choice_is_a_score_of_the_system(choice: str, flipped: bool, score: float) -> None:
    assert read("pairwise", {"choice": choice}, flipped=flipped) == [
        Answer(score=score, extra={"choice": choice})
    ]


def test_strength_is_said_where_it_is_asked() -> None:
    (answer,) = read("pairwise", {"choice": "left", "strength": 2.0}, strength=True)
    assert answer.extra == {"choice": "left", "strength": 2}
    read("pairwise", {"choice": "tie"}, strength=True)
    assert "must say how much" in refused("pairwise", {"choice": "left"}, strength=True)
    for given in (
        {"choice": "tie", "strength": 1},
        {"choice": "left", "strength": 0},
        {"choice": "left", "strength": 4},
        {"choice": "left", "strength": "2"},
    ):
        assert refused("pairwise", given, strength=True)
    assert "must not say" in refused("pairwise", {"choice": "left", "strength": 1})


@pytest.mark.parametrize("choice", ["A", "", None, 1, True, ["left"]])
def test_impossible_choices_are_refused(choice: Any) -> None:
    assert "left, right or tie" in refused("pairwise", {"choice": choice})


# -- the whole document


def test_the_document_may_have_a_score() -> None:
    asked = CampaignSettings(document_score=True)
    assert read_document_score(asked, None) is None
    assert read_document_score(asked, 70) == 70.0
    assert read_document_score(CampaignSettings(), None) is None
    for value in (-1, 101, "70", math.nan, True):
        with pytest.raises(RefusedError, match="between 0 and 100"):
            read_document_score(asked, value)
    with pytest.raises(RefusedError, match="does not ask"):
        read_document_score(CampaignSettings(), 70)


ASKED = ("Native language: German | other", "Do you translate for a living? yes | no", "Years")


def test_comments_are_kept_with_any_answer() -> None:
    given: list[dict[str, Any]] = [
        {"score": 72, "comment": " an old name "},
        {"skipped": "cannot_judge", "comment": "Is this Dutch?"},
        {"score": 3, "comment": "  "},
    ]
    found = read("da", *given, comments=True)
    assert [one.extra for one in found] == [
        {"comment": "an old name"},
        {"skipped": "cannot_judge", "comment": "Is this Dutch?"},
        None,
    ]
    settings = CampaignSettings(comments=True)
    told = [given_answer(settings, one) for one in found]
    assert told[0] == {"score": 72.0, "comment": "an old name"}
    assert told[1] == given[1]
    (chosen,) = read("pairwise", {"choice": "tie", "comment": "same"}, comments=True)
    assert chosen.extra == {"choice": "tie", "comment": "same"}


@pytest.mark.parametrize("said", ["x" * 2001, 7, None, ["no"]])
def test_comments_that_are_none_are_refused(said: Any) -> None:
    assert "2,000 letters" in refused("da", {"score": 1, "comment": said}, comments=True)


def test_comments_are_refused_where_none_are_asked_for() -> None:
    assert refused("da", {"score": 1, "comment": "x"}) == "This evaluation takes no comments."


def test_what_raters_say_of_themselves_is_read() -> None:
    settings = CampaignSettings(questionnaire=ASKED)
    given = {
        "Native language": "German",
        "Do you translate for a living?": "no",
        "Years": " 3 ",
    }
    assert read_questionnaire(settings, given) == {**given, "Years": "3"}
    for wrong, why in (
        ({**given, "Years": "  "}, "Please answer: Years"),
        ({**given, "Years": "x" * 501}, "Please answer: Years"),
        ({**given, "Native language": "Greek"}, "Native language: the answer must be one of"),
        ({**given, "Age": "7"}, "asks other questions"),
    ):
        with pytest.raises(RefusedError, match=why):
            read_questionnaire(settings, wrong)


@pytest.mark.parametrize(
    "asked",
    ["", "yes | no", "Which: a | ", "Which: a | a", "x" * 201, "two\nlines", ": a | b"],
)
def test_questions_that_cannot_be_asked_are_refused(asked: str) -> None:
    with pytest.raises(InputError, match="`questionnaire` must"):
        CampaignSettings(questionnaire=(asked,))


def test_a_question_is_asked_once() -> None:
    with pytest.raises(InputError, match="`questionnaire` must ask each thing once"):
        CampaignSettings(questionnaire=("Age", "Age: 1 | 2"))
