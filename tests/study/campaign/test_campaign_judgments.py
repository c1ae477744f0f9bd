"""What looks see of a campaign, and what an organiser sees before the end."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from detectable.core.errors import DataError
from detectable.data.store.records import JudgmentRow
from detectable.study.campaign.work import blinded, campaign_judgments

ROW = JudgmentRow(
    item="1",
    document="d",
    part="d",
    system="A",
    kind="system",
    rater="r-01",
    block=1,
    wave=1,
    score=70.0,
    extra=None,
    seconds=20.0,
    saved=1.0,
    work=1,
    epoch=1,
    orphan=False,
    done_at=5.0,
    admitted=None,
)


def test_rows_become_judgments() -> None:
    rows = [ROW, replace(ROW, item="2", score=60.0), replace(ROW, system="B", saved=2.0)]
    made = campaign_judgments(rows, (0.0, 100.0), name="ship")
    assert made.n_judgments == 3
    assert made.score.tolist() == [70.0, 60.0, 70.0]
    assert made.column("task").levels == ("r-01-1",)
    assert made.column("document").levels == ("d",)
    assert made.wave is None
    assert made.seconds is not None
    assert made.seconds.tolist() == [10.0, 10.0, 20.0]  # two texts shared the first page
    assert made.notes == ()


def test_looks_see_complete_work_of_the_first_wave() -> None:
    rows = [
        ROW,
        replace(ROW, wave=2, work=2, rater="r-02"),
        replace(ROW, item="3", work=3, done_at=None),
        replace(ROW, item="4", work=4, done_at=None, orphan=True),
        replace(ROW, item="5", work=1, score=None),
    ]
    made = campaign_judgments(rows, (0.0, 100.0))
    assert made.n_judgments == 1
    assert made.notes == (
        "1 text that a rater could not judge left out.",
        "1 judgment of work in progress left out.",
        "1 judgment that came after the work went to somebody else left out.",
        "1 judgment of second waves, which are for agreement left out.",
    )
    whole = campaign_judgments(rows, (0.0, 100.0), everything=True)
    assert whole.n_judgments == 4
    assert whole.column("wave").levels == ("1", "2")
    with pytest.raises(DataError, match="ship: no document is complete yet"):
        campaign_judgments(rows[2:4], (0.0, 100.0), name="ship")


def test_seconds_are_left_out_where_some_are_unknown() -> None:
    rows = [ROW, replace(ROW, item="2", seconds=None)]
    assert campaign_judgments(rows, (0.0, 100.0)).seconds is None


def test_letters_say_nothing_about_systems() -> None:
    rows = [
        replace(ROW, item=str(i), system=name)
        for i in range(600)
        for name in ("A-sys", "B-sys")
    ]
    seen = blinded(rows, ("A-sys", "B-sys"), "salt")
    assert {row.system for row in seen} == {"A", "B"}
    letters = Counter(
        made.system for row, made in zip(rows, seen, strict=True) if row.system == "A-sys"
    )
    # 300 each; the standard error is √(600 / 4) = 12.2
    assert abs(letters["A"] - 300) < 4 * 12.2
    for one, two in zip(seen[::2], seen[1::2], strict=True):
        assert {one.system, two.system} == {"A", "B"}
    assert blinded(rows, ("A-sys", "B-sys"), "salt") == seen
    assert blinded(rows, ("A-sys", "B-sys"), "other") != seen
    assert np.mean([row.score for row in seen if row.score is not None]) == 70.0
