"""The table of rules: what passes, fails and stays open."""

from typing import Any

import pytest

from detectable.core.choices import GateRule
from detectable.study.gate.result import Outcome, decide, exit_code, together

SURE, UNSURE = 0.05, 0.0501


@pytest.mark.parametrize(
    ("rule", "changes", "wanted"),
    [
        # non-inferiority: L > −M passes, also with a loss that surely exists
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
