"""Numbers and sentences that all forms of a gate share."""

import functools
import xml.etree.ElementTree as ET
from typing import Any, cast

import pytest

from detectable.core.interval import Interval
from detectable.data.scores.read_scores import read_scores
from detectable.report.blocks_of import blocks_of
from detectable.report.charts.forest import Panel
from detectable.report.shown.gate import differences
from detectable.report.shown.gate_words import (
    annotation,
    digits_of,
    error_junit,
    gate_annotations,
    gate_markdown,
    setting,
    step_outputs,
)
from detectable.study.gate.gate import gate
from detectable.study.gate.result import GateRow
from tests.helpers import reference_data
from tests.report import results
from tests.report.charts.drawn import check
from tests.report.results import gate_row


@pytest.mark.parametrize(
    ("largest", "margin", "digits"),
    [
        (0.9, 0.05, 3),  # a share
        (2.0, 0.05, 3),
        (2.1, 0.5, 2),  # points
        (200.0, 0.5, 2),
        (201.0, 0.5, 2),  # a margin of halves is seen with two
        (201.0, 2.0, 1),
        (0.9, 0.0005, 5),  # one decimal more than the margin has
        (0.9, 0.00000005, 6),
    ],
)
def test_decimals_follow_the_scores_and_the_margin(
    largest: float, margin: float, digits: int
) -> None:
    for low, high in ((0.0, largest), (-largest, 0.0)):
        rows = (gate_row(old=low, new=high), gate_row("code", old=0.1, new=0.1))
        assert digits_of(results.gate(rows=rows, margin={"accuracy": margin})) == {
            "accuracy": digits
        }


def test_every_metric_has_its_own_decimals() -> None:
    rows = (gate_row(), gate_row(metric="bleu", old=31.0), gate_row(metric="points", new=900.0))
    assert digits_of(results.gate(rows=rows, margin={})) == {
        "accuracy": 3,
        "bleu": 2,
        "points": 1,
    }


@pytest.mark.parametrize(
    ("samples", "said"),
    [
        ((1.0, 1.0), "60 questions, 58 groups"),
        ((4.0, 4.0), "60 questions × 4 samples, 58 groups"),
        ((1.0, 4.0), "60 questions × 1 to 4 samples, 58 groups"),
    ],
)
def test_the_setting_tells_samples_where_there_are_several(
    samples: tuple[float, float], said: str
) -> None:
    row = gate_row(samples_old=samples[0], samples_new=samples[1])
    assert setting(results.gate(rows=(row,))).endswith(f" one-sided, {said}")


def test_one_is_one() -> None:
    row = gate_row(samples_old=1.0, samples_new=1.0, n_items=2, n_clusters=1)
    assert setting(results.gate(rows=(row,))).endswith(", 2 questions, 1 group")
    alone = gate_row(samples_old=1.0, samples_new=1.0, n_items=1, n_clusters=1)
    assert setting(results.gate(rows=(alone,))).endswith(" one-sided, 1 question")


# --- What GitHub Actions reads ---


def test_ten_of_a_kind_are_shown() -> None:
    def lines(n: int) -> list[str]:
        rows = tuple(gate_row(f"t{i}", outcome="fail") for i in range(n))
        return gate_annotations(results.gate(rows=rows))

    assert len(lines(10)) == 10
    assert len(lines(11)) == 10
    assert lines(11)[-1] == "::error title=detectable gate::2 more rows: fail."


def test_nothing_ends_a_line_or_a_command() -> None:
    assert annotation("error", "a\r\n::error::b 5%") == (
        "::error title=detectable gate::a ::error::b 5%25"
    )


def test_outputs_of_the_step() -> None:
    assert step_outputs("fail", 3) == "verdict=fail\nexit_code=3\n"


# --- A gate as JUnit XML ---


def _suites(**changes: Any) -> ET.Element:
    return ET.fromstring(results.gate(**changes).to_junit())


def _counts(of: ET.Element) -> tuple[str, ...]:
    return tuple(of.attrib[key] for key in ("tests", "failures", "errors", "skipped"))


def test_names_of_any_kind_are_xml() -> None:
    name = "<&\"'\x00\x1b]]>\n"
    root = _suites(rows=(gate_row(name),))
    assert root[0][0].attrib["name"] == "<&\"' ]]> /accuracy"


def test_what_could_not_be_run_is_an_error() -> None:
    root = ET.fromstring(error_junit('b.json: no "items" <here>'))
    assert _counts(root) == ("1", "0", "1", "0")
    error = root[0][0].find("error")
    assert error is not None
    assert error.attrib["message"] == 'b.json: no "items" <here>'


# --- A gate as Markdown: the layout of the step summary ---


def test_the_layout_on_the_reference_data() -> None:
    """Section 2 of the reference page, with the numbers of the score method."""
    scores = read_scores(reference_data("data", "evals", "epochs.csv"))
    text = gate(scores, "A", margin={"accuracy": 0.05}).to_markdown()
    assert text.splitlines()[:7] == [
        "### detectable gate: inconclusive",
        "B against baseline A, accuracy, non-inferiority margin 0.05, α = .05 one-sided, 130 "
        "questions × 4 samples, 90 groups",
        "",
        "| task | old | new | difference | 90 % interval | outcome | margin it could pass (80 %) |",
        "|---|---:|---:|---:|---|---|---:|",
        "| math | .629 | .688 | +.058 | −.009 … +.126 | pass | .103 |",
        "| reading | .740 | .850 | +.110 | −.066 … +.286 | inconclusive | .268 |",
    ]
    assert "| code | .463 | .450 | −.013 | −.171 … +.146 | inconclusive | .238 |" in text
    assert (
        "- code is undecided: 20 questions. About 339 questions (or a margin of 0.238) would pass 4 "
        "times in 5 if nothing changed."
    ) in text
    assert (
        text.rstrip().splitlines()[-1].startswith("`gate|metrics:accuracy|rule:non-inferiority")
    )


def test_names_cannot_break_the_table() -> None:
    rows = (gate_row("a|b`<script>\n# x"),)
    text = results.gate(rows=rows, system="*new*").to_markdown()
    assert "<script>" not in text
    assert "a\\|b" in text
    assert "\\*new\\*" in text


@pytest.mark.parametrize("n", [300, 3000])
def test_a_long_gate_is_cut_for_a_comment(n: int) -> None:
    passing = tuple(gate_row(f"task-{i:04d}") for i in range(n))
    failing = gate_row("broken", outcome="fail")
    text = results.gate(rows=(*passing, failing), outcome="fail").to_markdown()
    assert len(text) <= 60_000
    assert "| broken |" in text
    left_out = "more rows are left out here" in text
    assert left_out is (n == 3000)
    if left_out:
        assert text.index("| broken |") < text.index("| task-0000 |")
        assert "q112" not in text


def test_a_remark_that_is_too_long_for_a_comment_ends_all_the_same() -> None:
    rows = tuple(gate_row(f"task-{i}") for i in range(3))
    text = results.gate(rows=rows, notes=("long " * 20_000,)).to_markdown()
    assert text.startswith("### detectable gate: ")
    assert len(text) <= 60_000
    assert "- 1 note left out here." in text
    assert "| task-2 |" in text


@pytest.mark.parametrize(("length", "whole"), [(60_000, True), (60_001, False)])
def test_what_just_fits_into_a_comment_is_whole(length: int, whole: bool) -> None:
    short = results.gate(notes=("x",)).to_markdown()
    text = results.gate(notes=("x" * (1 + length - len(short)),)).to_markdown()
    assert ("<details>" in text) is whole
    assert (len(text) == length) is whole


def test_slices_come_last_and_are_marked() -> None:
    watched = gate_row("math (de)", slice="de", watched=True, outcome="pass", n=40)
    few = gate_row("math (en)", slice="en", watched=True, n=4)
    mean = gate_row("macro mean", method="mover", watched=True)
    row = gate_row("math")
    found = gate_markdown(results.gate(rows=(row, watched, few, mean), by="lang"))
    lines = [line for line in found.splitlines() if line.startswith("| m")]
    assert [line.split(" | ")[0] for line in lines] == [
        "| math",
        "| macro mean",
        "| math (de)",
        "| math (en)",
    ]
    assert "| pass (watched) |" in lines[2]
    assert "| too few |" in lines[3]


def test_shares_of_the_old_score_are_in_percent() -> None:
    row = gate_row(
        measure="latency",
        difference=-0.15,
        interval=Interval(-0.225, -0.066, 0.9),
        margin=0.1,
        mde=0.145,
        relative=True,
        higher_is_better=False,
        outcome="pass",
    )
    found = gate_markdown(results.gate(rows=(row,), margin={"latency": 0.1}, losses=()))
    assert "| −15.0% | −22.5% … −6.6% | pass | 14.5% |" in found
    assert "non-inferiority margin 10%" in found


# --- What a gate shows, against one made by hand ---


def test_the_picture_is_readable() -> None:
    check(blocks_of(results.gate()))
    many = tuple(
        gate_row(f"a-task-with-a-rather-long-name-{i}", outcome=outcome)
        for i, outcome in enumerate(("pass", "fail", "inconclusive") * 8)
    )
    check(blocks_of(results.gate(rows=many)))
    two = tuple(gate_row(t, metric=m) for m in ("accuracy", "f1") for t in ("math", "code"))
    check(blocks_of(results.gate(rows=two, margin={"accuracy": 0.05, "f1": 0.05})))


def test_tasks_with_metrics_of_their_own_are_all_drawn() -> None:
    rows = (gate_row("math", metric="accuracy"), gate_row("code", metric="f1"))
    found = results.gate(rows=rows, margin={"accuracy": 0.05, "f1": 0.05})
    check(blocks_of(found))
    (chart,) = differences(found)
    for width in (360, 720):
        panels = chart.make(width)["vconcat"]
        assert [panel["title"]["text"] for panel in panels] == ["accuracy", "f1"]


def test_better_is_right_also_where_lower_is_better() -> None:
    def panel(row: GateRow) -> Panel:
        (chart,) = differences(results.gate(rows=(row,), margin={"accuracy": 0.05}))
        ((found,),) = cast("functools.partial[Any]", chart.draw).args
        return cast("Panel", found)

    lower = panel(gate_row(old=30.0, new=29.0, difference=-1.0, higher_is_better=False))
    assert (lower.reverse, lower.margins) == (True, (0.05,))
    higher = panel(gate_row())
    assert (higher.reverse, higher.margins) == (False, (-0.05,))
