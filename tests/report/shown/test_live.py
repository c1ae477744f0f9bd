"""What evaluations that stop by themselves say: plan, look, conclusion."""

import math

import pytest

from detectable.core.interval import Interval
from detectable.live.plan import LiveTask
from detectable.report.blocks_of import blocks_of
from tests.report import live_results as made


def test_a_conclusion_says_how_every_task_ended() -> None:
    said = made.live_conclusion().summary().split("\n")
    assert said[0] == (
        "arith fails: stopped at 30 of 120 questions (look 1), 32 logged, 88 samples not run."
    )
    assert said[1] == "−0.344 [−0.599, −0.173] at 90%, p = .0005, over all looks."
    assert said[2] == (
        "lookup fails: stopped at 35 of 100 samples (look 2), 35 logged, 65 not run."
    )


@pytest.mark.parametrize(
    ("verdict", "words"),
    [("pass", "arith passes:"), ("better", "arith is better:"), ("worse", "arith is worse:"),
     ("inconclusive", "arith is open:"), ("imprecise", "arith is not precise enough:")],
)  # fmt: skip
def test_every_verdict_has_its_words(verdict: str, words: str) -> None:
    row = made.task_conclusion(verdict=verdict, n=120, logged=120, not_run=0)
    said = made.live_conclusion(tasks=(row,), verdict=verdict).summary()
    assert said.startswith(f"{words} ran to its end, 120 questions (look 1), 120 logged")


def test_one_system_has_a_score_and_no_difference() -> None:
    row = made.task_conclusion(
        verdict="precise",
        new=0.75,
        old=math.nan,
        difference=math.nan,
        p_value=math.nan,
        interval=Interval(0.65, 0.83, 0.95),
    )
    found = made.live_conclusion(tasks=(row,), verdict="precise", baseline="")
    assert "0.750 [0.650, 0.830] at 95%, over all looks." in found.summary()
    frame = found.to_frame("tasks")
    assert "difference" not in frame.columns


def test_no_look_prints_a_difference() -> None:
    """With unfinished samples it would be one counted against the claim."""
    for result in (made.live_look(), made.live_history()):
        for block in blocks_of(result):
            columns = [column.key for column in getattr(block, "columns", ())]
            assert "estimate" not in columns
            assert "difference" not in columns


def test_a_look_says_what_comes_next() -> None:
    assert made.live_look().summary().split("\n") == [
        "Go on.",
        "arith: goes on after 44 of 120 samples; the next look needs the first 48. Pass and fail have "
        "both become unlikely.",
        "lookup: not run yet.",
    ]
    ended = made.live_look(decision="stop")
    assert ended.summary().startswith("Stop: nothing is left to decide.")


def test_a_plan_of_precision_says_so() -> None:
    task = LiveTask(
        task="", metric="", margin=None, questions=None, epochs=None, scale=(0.0, 1.0)
    )
    said = made.live_plan(baseline="", tasks=(task,), half_width=0.03).summary()
    assert said.startswith("Planned: one system, until the interval is ±0.03.")
    assert "its interval is stated at 95%" in said
