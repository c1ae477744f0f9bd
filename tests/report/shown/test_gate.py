"""What a gate shows, against one made by hand."""

from typing import Any

import pytest

from detectable.core.interval import Interval
from detectable.report.blocks import Chart, Methods, Verdict
from detectable.report.blocks_of import blocks_of
from tests.report import results
from tests.report.charts.drawn import check
from tests.report.results import gate_row
from tests.report.shown.shown import block_of, columns, csv_lines, rows, shown, table_of

NAN = float("nan")


def test_blocks_in_order() -> None:
    assert shown(results.gate()) == [
        *("Verdict", "chart differences", "rows", "self-test", "losses"),
        *("tests", "Text", "Methods", "Repeat"),
    ]
    bare = results.gate(self_test=None, losses=(), notes=())
    assert shown(bare) == [
        *("Verdict", "chart differences", "rows", "tests", "Methods", "Repeat")
    ]


def test_the_verdict() -> None:
    assert block_of(results.gate(), "Verdict") == Verdict(
        "undecided",
        "Gate: inconclusive. These questions cannot tell on code.",
        (
            "new against baseline old, accuracy, non-inferiority margin 0.05, α = .05 one-sided, "
            "80 questions × 3.5 to 4 samples, 78 groups.",
            "code cannot tell: 20 questions. About 339 questions (or a margin of 0.238) would pass "
            "4 times in 5 if nothing changed.",
        ),
    )


@pytest.mark.parametrize(
    ("outcome", "status"),
    [("pass", "better"), ("fail", "worse"), ("inconclusive", "undecided")],
)
def test_the_colour_is_that_of_the_outcome(outcome: Any, status: str) -> None:
    made = results.gate(outcome=outcome, rows=(gate_row(outcome=outcome),))
    verdict = block_of(made, "Verdict")
    assert isinstance(verdict, Verdict)
    assert verdict.status == status
    assert verdict.headline.startswith(f"Gate: {outcome}. ")


def test_the_rows() -> None:
    table = table_of(results.gate(), "rows")
    assert rows(table) == [
        "math | accuracy | 0.629 | 0.688 | +0.059 | [−0.009, +0.126] | pass | 0.103 | 223 | 60",
        "code | accuracy | 0.463 | 0.450 | −0.013 | [−0.171, +0.146] | inconclusive | 0.238 | 339 "
        "| 20",
    ]
    assert csv_lines(table)[0] == (
        "task,metric,old,new,difference,interval_low,interval_high,outcome,margin_passable,n_needed,"
        "n_items"
    )
    assert columns(table)[5:9] == [
        "interval: 90% interval, signed interval",
        "outcome: outcome, text",
        "margin_passable: margin it could pass (80%) / can pass, number (The smallest margin that an "
        "unchanged system passes with a chance of 80%.)",
        "n_needed: needs, count, keep 3 (Questions that the margin needs for that.)",
    ]
    seen = table_of(results.gate(rule="no-regression"), "rows")
    assert seen.columns[7].title == "loss it would have seen (80%)"
    better = table_of(results.gate(rule="superiority", margin={}), "rows")
    assert [column.key for column in better.columns][-2:] == ["outcome", "n_items"]


def test_the_tests() -> None:
    table = table_of(results.gate(), "tests")
    assert rows(table) == [
        "math | accuracy | 58 | 4.0 | 3.5 | 0.050 | .0052 | .0770 | .9230 | .9999 | 0.04 | 59.00 | "
        "score",
        "code | accuracy | 20 | 4.0 | 3.5 | 0.050 | .3420 | .0770 | .4460 | .8920 | 0.04 | 59.00 | "
        "score",
    ]
    assert columns(table) == [
        "task: task, name",
        "metric: metric, name, keep 9",
        "n_clusters: groups, count",
        "samples_old: samples, old / old, number, keep 2",
        "samples_new: samples, new / new, number, keep 2",
        "margin: margin, number, keep 2",
        "p_margin: p of the margin / p margin, p",
        "p_better: p of a gain / p gain, p, keep 2",
        "p_worse: p of a loss / p loss, p, keep 2",
        "p_worse_adjusted: corrected, p",
        "standard_error: standard error, number, keep 9",
        "df: df, number, keep 9",
        "method: method, text, keep 3",
    ]
    assert table.folded


def test_several_metrics_are_set_apart() -> None:
    made = results.gate(
        rows=(gate_row(), gate_row(metric="bleu", old=31.0, new=30.0)),
        margin={"accuracy": 0.05, "bleu": 1.0},
    )
    table = table_of(made, "rows")
    assert table.breaks == (1,)
    for name in ("rows", "tests", "losses"):
        assert columns(table_of(made, name))[1] == "metric: metric, name"
    assert [row.split(" | ")[1:3] for row in rows(table)] == [
        ["accuracy", "0.629"],
        ["bleu", "31.00"],
    ]


def test_a_fine_margin_shows_more_decimals() -> None:
    made = results.gate(rows=(gate_row(margin=0.0025),), margin={"accuracy": 0.0025})
    assert "| 0.62900 |" in rows(table_of(made, "rows"))[0]


def test_the_self_test() -> None:
    assert rows(table_of(results.gate(), "self-test")) == [
        "this gate, 2,000 simulated | 70.0% | 4.0% | 26.0% | 44.1%",
        "this gate, by formula | 72.0% | 5.0% | 23.0% | 42.6%",
        "fail if the score is lower | 45.0% | 55.0% | 0.0% | 49.5%",
    ]
    table = table_of(results.gate(), "self-test")
    assert table.note == "Noise of a rerun: from the samples of each question."
    assert columns(table) == [
        "way: if nothing changed / way, name",
        "passed: pass, share",
        "failed: fail, share",
        "inconclusive: inconclusive, share",
        "flips: two runs differ, share, keep 2",
    ]


def test_the_losses() -> None:
    table = table_of(results.gate(), "losses")
    assert rows(table) == ["code | accuracy | q112 | 0.500 | 0.250"]
    assert table.folded


def test_the_picture() -> None:
    chart = block_of(results.gate(), "chart differences")
    assert isinstance(chart, Chart)
    assert chart.title == "Of 2 rows, 1 cannot tell, 1 passes"
    assert chart.alt == (
        f"{chart.title}. math: +0.059, from −0.009 to +0.126, pass. code: −0.013, from −0.171 to "
        "+0.146, inconclusive."
    )
    assert chart.caption == (
        "New − old, right is better, with 90% intervals. Dotted: the margin, which an interval must "
        "stay clear of to pass. ◆ pass, ● inconclusive."
    )
    drawn = chart.make(720)
    lines = [
        one["encoding"]["x"]["datum"]
        for one in drawn["layer"]
        if one["mark"]["type"] == "rule" and "datum" in one["encoding"].get("x", {})
    ]
    assert lines == [-0.05, 0.0]


@pytest.mark.parametrize(
    ("outcomes", "title"),
    [
        (("pass", "pass"), "All 2 rows pass"),
        (("pass",), "The gate passes"),
        (("fail", "inconclusive", "pass"), "Of 3 rows, 1 fails, 1 cannot tell, 1 passes"),
    ],
)
def test_its_title_counts_the_rows_that_decide(outcomes: Any, title: str) -> None:
    made = results.gate(
        rows=(
            *(gate_row(f"t{i}", outcome=one) for i, one in enumerate(outcomes)),
            gate_row("w", outcome="fail", watched=True),
        )
    )
    chart = block_of(made, "chart differences")
    assert isinstance(chart, Chart)
    assert chart.title == title


def test_the_picture_is_readable() -> None:
    check(blocks_of(results.gate()))
    many = tuple(
        gate_row(f"a-task-with-a-rather-long-name-{i}", outcome=outcome)
        for i, outcome in enumerate(("pass", "fail", "inconclusive") * 8)
    )
    check(blocks_of(results.gate(rows=many)))
    two = tuple(gate_row(t, metric=m) for m in ("accuracy", "f1") for t in ("math", "code"))
    check(blocks_of(results.gate(rows=two, margin={"accuracy": 0.05, "f1": 0.05})))


def test_without_intervals_or_with_too_many_rows_there_is_none() -> None:
    blind = gate_row(interval=Interval(NAN, NAN, 0.9))
    assert "chart differences" not in shown(results.gate(rows=(blind,)))
    many = tuple(gate_row(f"t{i}") for i in range(31))
    assert "chart differences" not in shown(results.gate(rows=many))


def test_the_methods() -> None:
    assert block_of(results.gate(), "Methods") == Methods(
        "new was gated against old by the rule «non-inferiority» at a one-sided level of .05: scores "
        "of 0 and 1 by the score method (Tango, 1998). Answers to one question were averaged, and "
        "questions paired. All 2 rows had to pass, each at this level (intersection-union); losses "
        "were corrected by Holm's method (1979). Rows with fewer than 10 independent groups of "
        "questions could not pass.",
        ("tango-1998", "holm-1979"),
    )
    one = block_of(results.gate(rows=(gate_row(method="t"),)), "Methods")
    assert isinstance(one, Methods)
    assert "means of questions by t tests" in one.paragraph
    assert one.cite == ()


def test_an_accepted_baseline() -> None:
    made = results.accepted_baseline()
    assert shown(made) == ["Verdict", "baseline", "Text", "Repeat"]
    assert block_of(made, "Verdict") == Verdict(
        "info",
        "Accepted as the baseline: new, accuracy, f1 on 130 questions of 3 tasks.",
        ("It replaces old: accuracy on 120 questions.",),
    )
    assert rows(table_of(made, "baseline"))[:2] == ["file | baseline.json", "system | new"]
    first = block_of(results.accepted_baseline(replaced=""), "Verdict")
    assert first == Verdict(
        "info", "Accepted as the baseline: new, accuracy, f1 on 130 questions of 3 tasks."
    )
