"""The questions that lost most."""

from typing import Any

import pytest

from detectable.core.choices import GateRule
from detectable.core.interval import Interval
from detectable.report.shown.gate_words import why
from detectable.study.gate.gate import gate
from detectable.study.gate.matching import MatchedTask
from detectable.study.gate.result import (
    GateRow,
    Outcome,
    decide,
    exit_code,
    largest_losses,
    together,
)
from tests.report import results
from tests.report.results import gate_row
from tests.study.gate.data import answers, tally_of


def _task(name: str, old: list[float], new: list[float]) -> MatchedTask:
    ones = [1] * len(old)
    return MatchedTask(
        task=name, old=tally_of(name, old, ones), new=tally_of(name, new, ones), clusters=None
    )


def test_largest_first_and_no_gains() -> None:
    a = _task("a", [1.0, 0.5, 0.2], [0.5, 0.6, 0.2])
    b = _task("b", [0.9, 0.9], [0.0, 0.8])
    found = largest_losses([("m", 1.0, a), ("m", 1.0, b)])
    assert [(one.task, one.item, one.old, one.new) for one in found] == [
        ("b", "q0", 0.9, 0.0),
        ("a", "q0", 1.0, 0.5),
        ("b", "q1", 0.9, 0.8),
    ]


def test_metrics_on_different_scales_are_compared_by_their_largest() -> None:
    small = _task("a", [1.0, 1.0], [0.0, 0.4])
    large = _task("a", [90.0, 90.0], [60.0, 80.0])
    found = largest_losses([("accuracy", 1.0, small), ("bleu", 1.0, large)])
    assert [(one.metric, one.item) for one in found] == [
        ("accuracy", "q0"),
        ("bleu", "q0"),
        ("accuracy", "q1"),
        ("bleu", "q1"),
    ]


def test_lower_is_better() -> None:
    found = largest_losses([("ter", -1.0, _task("a", [0.1, 0.5], [0.4, 0.2]))])
    assert [(one.item, one.metric) for one in found] == [("q0", "ter")]


def test_at_most_ten() -> None:
    old = [1.0] * 30
    assert len(largest_losses([("m", 1.0, _task("a", old, [0.0] * 30))])) == 10
    assert largest_losses([("m", 1.0, _task("a", old, old))]) == ()


def test_a_tiny_scale_has_its_largest_loss_too() -> None:
    tiny = _task("a", [3e-5, 2e-5], [0.0, 0.0])
    large = _task("a", [1.0, 0.9], [0.0, 0.0])
    found = largest_losses([("loss", 1.0, tiny), ("accuracy", 1.0, large)])
    assert [(one.metric, one.item) for one in found] == [
        ("loss", "q0"),
        ("accuracy", "q0"),
        ("accuracy", "q1"),
        ("loss", "q1"),
    ]


# --- One row of a gate: why it did not pass, in words ---


def test_too_few_groups_are_told_only_where_they_are_the_reason() -> None:
    def row(n: int, broken: int = 0, margin: float = 0.5) -> GateRow:
        return gate(answers(n, broken), "old", margin=margin).rows[0]

    assert row(9).too_few  # it would pass
    assert (
        gate(answers(9), "old", margin=0.5)
        .summary()
        .endswith("9 questions are too few to pass; 10 are the least.")
    )
    assert not row(9, 4).too_few  # nor with ten
    assert not row(10).too_few
    assert row(10).outcome == "pass"


@pytest.mark.parametrize(
    ("p", "said"),
    [(0.0123, "= .0123"), (0.0001, "= .0001"), (0.00004, "< .0001"), (1.0, "= 1")],
)
def test_the_p_value_of_a_loss_has_four_decimals(p: float, said: str) -> None:
    row = gate_row(outcome="fail", p_worse_adjusted=p)
    assert why(results.gate(rows=(row,)), row) == f"a loss is shown (p {said})"


# --- The table of rules: what passes, fails and stays open ---

SURE, UNSURE = 0.05, 0.0501


@pytest.mark.parametrize(
    ("rule", "changes", "wanted"),
    [
        # non-inferiority: L > −M passes, also with a loss that is shown
        ("non-inferiority", {"p_margin": SURE}, "pass"),
        ("non-inferiority", {"p_margin": SURE, "p_worse_adjusted": 0.0}, "pass"),
        ("non-inferiority", {"p_margin": UNSURE}, "inconclusive"),
        ("non-inferiority", {"p_worse_adjusted": SURE}, "fail"),
        ("non-inferiority", {"p_worse": 0.0, "p_worse_adjusted": UNSURE}, "inconclusive"),
        ("non-inferiority", {"p_better": 0.0}, "inconclusive"),
        # too few groups: no pass, and no fail of what is within the margin either
        ("non-inferiority", {"p_margin": 0.0, "may_pass": False}, "inconclusive"),
        (
            "non-inferiority",
            {"p_margin": 0.0, "p_worse_adjusted": 0.0, "may_pass": False},
            "inconclusive",
        ),
        ("non-inferiority", {"p_worse_adjusted": SURE, "may_pass": False}, "fail"),
        # superiority: L > 0 passes
        ("superiority", {"p_better": SURE}, "pass"),
        ("superiority", {"p_better": UNSURE}, "inconclusive"),
        ("superiority", {"p_better": SURE, "may_pass": False}, "inconclusive"),
        ("superiority", {"p_margin": 0.0}, "inconclusive"),
        ("superiority", {"p_worse_adjusted": SURE}, "fail"),
        # no-regression: nothing was found, and a loss of M would have been
        ("no-regression", {"could_see": True}, "pass"),
        ("no-regression", {"could_see": False}, "inconclusive"),
        ("no-regression", {"could_see": True, "may_pass": False}, "inconclusive"),
        ("no-regression", {"could_see": True, "p_worse": SURE}, "inconclusive"),
        ("no-regression", {"could_see": True, "p_worse_adjusted": SURE}, "fail"),
        ("no-regression", {"p_margin": 0.0}, "inconclusive"),
    ],
)
def test_every_line_of_the_table(rule: GateRule, changes: dict[str, Any], wanted: str) -> None:
    told: dict[str, Any] = {
        "p_margin": 1.0,
        "p_better": 1.0,
        "p_worse": 1.0,
        "p_worse_adjusted": 1.0,
        "could_see": False,
        "may_pass": True,
    }
    assert decide(rule, **{**told, **changes}, alpha=0.05) == wanted


def test_any_fail_fails_and_any_open_row_leaves_it_open() -> None:
    assert together(["pass", "pass"]) == "pass"
    assert together(["pass", "inconclusive", "pass"]) == "inconclusive"
    assert together(["inconclusive", "fail", "pass"]) == "fail"


def test_exit_codes() -> None:
    outcomes: tuple[Outcome, ...] = ("pass", "fail", "inconclusive")
    assert [exit_code(one, None) for one in outcomes] == [0, 3, 4]
    assert [exit_code(one, "pass") for one in outcomes] == [0, 3, 0]
    assert [exit_code(one, "fail") for one in outcomes] == [0, 3, 3]


def test_rows_of_version_0_1_0_get_the_sign_of_today() -> None:
    """They held gains above zero, also where lower is better."""
    low = gate_row(
        old=30.0,
        new=33.0,
        difference=-3.0,
        interval=Interval(-4.0, -2.5, 0.9),
        higher_is_better=None,
    )
    assert (low.higher_is_better, low.difference) == (False, 3.0)
    assert low.interval == Interval(2.5, 4.0, 0.9)
    up = gate_row(
        old=30.0,
        new=33.0,
        difference=3.0,
        interval=Interval(2.5, 4.0, 0.9),
        higher_is_better=None,
    )
    assert (up.higher_is_better, up.difference) == (True, 3.0)
    today = gate_row(
        old=30.0,
        new=33.0,
        difference=3.0,
        interval=Interval(2.5, 4.0, 0.9),
        higher_is_better=False,
    )
    assert today.interval == Interval(2.5, 4.0, 0.9)
