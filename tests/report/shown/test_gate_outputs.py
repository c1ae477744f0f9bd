"""What GitHub Actions reads."""

import xml.etree.ElementTree as ET
from typing import Any

import pytest

from detectable.core.interval import Interval
from detectable.data.scores.read_scores import read_scores
from detectable.report.shown.gate_words import (
    annotation,
    error_junit,
    gate_annotations,
    gate_markdown,
    step_outputs,
)
from detectable.study.gate.gate import gate
from tests.helpers import reference_data
from tests.report import results
from tests.report.results import gate_row


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
        "- code cannot tell: 20 questions. About 339 questions (or a margin of 0.238) would pass 4 "
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
    assert "3 more rows are left out here." in text


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
