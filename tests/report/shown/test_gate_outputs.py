"""What GitHub Actions reads."""

import xml.etree.ElementTree as ET
from dataclasses import replace
from typing import Any

import pytest

from detectable.core.interval import Interval
from detectable.data.scores.read_scores import read_scores
from detectable.report.shown.gate_outputs import (
    annotation,
    error_junit,
    gate_annotations,
    step_outputs,
)
from detectable.study.gate.gate import gate
from tests.helpers import reference_data
from tests.report import results
from tests.report.results import gate_row


def test_an_error_per_fail_and_a_warning_per_open_row() -> None:
    rows = (
        gate_row("a", outcome="fail", p_worse_adjusted=0.004),
        gate_row("b"),
        gate_row("c", outcome="inconclusive"),
        gate_row("d", outcome="fail", watched=True),
    )
    lines = gate_annotations(results.gate(rows=rows))
    assert lines == [
        "::error title=detectable gate::a fail: +.059 [−.009, +.126], margin .05: there surely is "
        "a loss (p = .0040).",
        "::warning title=detectable gate::c inconclusive: +.059 [−.009, +.126], margin .05: 60 "
        "questions in 58 groups. About 223 questions (or a margin of 0.103) would pass 4 times in "
        "5 if nothing changed.",
    ]
    strict = gate_annotations(results.gate(rows=rows, inconclusive="fail"))
    assert [line.split(" ")[0] for line in strict] == ["::error", "::error"]


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


def test_a_case_per_task_and_a_suite_per_metric() -> None:
    rows = (gate_row(), gate_row("code"), gate_row(metric="f1"))
    root = _suites(rows=rows, margin={"accuracy": 0.05, "f1": 0.05})
    assert root.tag == "testsuites"
    assert [suite.attrib["name"] for suite in root] == ["accuracy", "f1"]
    assert [_counts(suite) for suite in root] == [("2", "0", "0", "0"), ("1", "0", "0", "0")]
    assert _counts(root) == ("3", "0", "0", "0")
    case = root[0][0]
    assert case.attrib == {
        "classname": "detectable.gate",
        "name": "math/accuracy",
        "time": "0",
    }


def test_numbers_are_properties() -> None:
    found = {p.attrib["name"]: p.attrib["value"] for p in _suites()[0][0][0]}
    assert found == {
        "outcome": "pass",
        "old": "0.629",
        "new": "0.6875",
        "difference": "0.0585",
        "margin": "0.05",
        "margin_passable": "0.1029",
        "n_items": "60",
        "n_clusters": "58",
        "p_margin": "0.0052",
        "p_worse_adjusted": "0.9999",
        "interval_low": "-0.0094",
        "interval_high": "0.126",
    }


def test_a_loss_is_a_failure() -> None:
    row = gate_row(
        outcome="fail",
        difference=-0.06,
        interval=Interval(-0.09, -0.02, 0.9),
        p_worse_adjusted=0.004,
    )
    root = _suites(rows=(row,), outcome="fail")
    assert _counts(root) == ("1", "1", "0", "0")
    failure = root[0][0].find("failure")
    assert failure is not None
    assert failure.attrib == {
        "type": "regression",
        "message": "−.060 [−.090, −.020], margin .05",
    }
    assert failure.text == (
        "−.060 [−.090, −.020], margin .05: there surely is a loss (p = .0040)."
    )


def test_an_open_row_is_skipped_unless_it_fails_the_gate() -> None:
    root = _suites()
    assert _counts(root) == ("2", "0", "0", "1")
    skipped = root[0][1].find("skipped")
    assert skipped is not None
    assert skipped.attrib["message"].startswith(
        "inconclusive: −.013 [−.171, +.146], margin .05: 20 questions. About 339 questions"
    )
    strict = _suites(inconclusive="fail")
    assert _counts(strict) == ("2", "1", "0", "0")
    failure = strict[0][1].find("failure")
    assert failure is not None
    assert failure.attrib["type"] == "inconclusive"


def test_watched_rows_are_never_failures() -> None:
    row = gate_row("code", outcome="fail", watched=True)
    root = _suites(rows=(gate_row(), row), inconclusive="fail")
    assert _counts(root) == ("2", "0", "0", "1")
    skipped = root[0][1].find("skipped")
    assert skipped is not None
    assert skipped.attrib["message"].startswith("watched, fail: ")


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


def test_what_is_not_known_is_left_out() -> None:
    nan = float("nan")
    row = gate_row(
        margin_passable=nan, interval=Interval(nan, nan, 0.9), outcome="inconclusive"
    )
    names = [p.attrib["name"] for p in _suites(rows=(row,))[0][0][0]]
    assert not {"margin_passable", "interval_low", "interval_high"} & set(names)


# --- A gate as Markdown: the layout of the step summary ---


def test_the_layout_on_the_reference_data() -> None:
    """Section 2 of the reference page, with the numbers of the score method."""
    scores = read_scores(reference_data("data", "evals", "epochs.csv")).table
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


def test_the_self_test_and_the_losses() -> None:
    text = results.gate().to_markdown()
    assert "| this gate, 2,000 simulated | 70.0 % | 4.0 % | 26.0 % | 44.1 % |" in text
    assert "| this gate, by formula | 72.0 % | 5.0 % | 23.0 % | 42.6 % |" in text
    assert "| «fail if lower» | 45.0 % | 55.0 % | 0.0 % | 49.5 % |" in text
    assert "Noise of a rerun: from the samples of each question." in text
    assert "| code | q112 | .500 | .250 |" in text
    assert "- Fewer than 30 independent groups of questions." in text
    assert "× 3.5 to 4 samples" in text
    assert "78 groups" in text
    bare = replace(results.gate(), self_test=None, losses=(), notes=()).to_markdown()
    assert "simulated" not in bare
    assert "<details>" not in bare


def test_several_metrics_have_a_column() -> None:
    rows = (
        gate_row(),
        gate_row(metric="bleu", old=31.0, new=30.5, difference=-0.5, watched=True),
    )
    text = results.gate(rows=rows, margin={"accuracy": 0.05, "bleu": 1.0}).to_markdown()
    assert "| task | metric | old |" in text
    assert "|---|---|---:|---:|---:|---|---|---:|" in text
    assert "| math | bleu | 31.00 | 30.50 | −.50 | −.01 … +.13 | pass (watched) | .10 |" in text
    assert "non-inferiority margins accuracy 0.05 bleu 1," in text


def test_other_rules_have_other_columns() -> None:
    seen = results.gate(rule="no-regression").to_markdown()
    assert "| outcome | loss it would have seen (80 %) |" in seen
    better = results.gate(rule="superiority", margin={}).to_markdown()
    assert "| outcome |\n" in better
    assert ", superiority, α" in better


def test_counted_attempts_are_told() -> None:
    text = results.gate(attempt=2, alpha=0.0125).to_markdown()
    assert "α = .0125 one-sided" in text
    assert "attempt 2" in text
    assert "| 97.5 % interval |" in text


def test_names_cannot_break_the_table() -> None:
    rows = (gate_row("a|b`<script>\n# x"),)
    text = results.gate(rows=rows, system="*new*").to_markdown()
    assert "<script>" not in text
    assert "a\\|b" in text
    assert "\\*new\\*" in text


def test_nothing_known_is_a_dash() -> None:
    nan = float("nan")
    from detectable.core.interval import Interval

    row = gate_row(
        interval=Interval(nan, nan, 0.9), margin_passable=nan, outcome="inconclusive"
    )
    assert "| – | inconclusive | – |" in results.gate(rows=(row,)).to_markdown()


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
