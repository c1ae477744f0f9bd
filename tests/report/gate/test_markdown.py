"""A gate as Markdown: the layout of the step summary."""

from dataclasses import replace

import pytest

from detectable.data.scores.read_scores import read_scores
from detectable.study.gate.gate import gate
from tests.helpers import reference_data
from tests.report import results
from tests.report.results import gate_row


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
