"""Which answers a page takes."""

import math
from typing import Any

import pytest

from detectable.core.errors import RefusedError
from detectable.data.store.records import Answer
from detectable.study.campaign.protocols import PROTOCOLS, read_answers


def test_scores_and_skips_are_read() -> None:
    given = [{"score": 72}, {"score": 0}, {"score": 100.0}, {"skipped": "cannot_judge"}]
    assert read_answers("da", given, 4) == [
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
        {"score": True},
        {"score": "72"},
        {"score": None},
        {"score": 7, "system": "A"},
        {"skipped": "bored"},
        {},
        [],
        72,
    ],
)
def test_impossible_answers_are_refused(answer: Any) -> None:
    with pytest.raises(RefusedError, match=r"nswer 2") as error:
        read_answers("da", [{"score": 1}, answer], 2)
    assert error.value.code == "wrong_answer"


def test_there_is_one_answer_for_every_text() -> None:
    with pytest.raises(RefusedError, match="The page has 2 texts, and 1 answers came"):
        read_answers("da", [{"score": 1}], 2)


def test_scales_differ_by_protocol() -> None:
    assert read_answers("sqm", [{"score": 6}], 1) == [Answer(score=6.0)]
    with pytest.raises(RefusedError, match="between 0 and 6"):
        read_answers("sqm", [{"score": 7}], 1)
    assert set(PROTOCOLS) == {"da", "sqm"}
