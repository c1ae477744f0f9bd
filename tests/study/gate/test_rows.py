"""Margins of metrics."""

import math
from typing import Any

import numpy as np
import pytest

from detectable.core.choices import GateRule
from detectable.core.errors import InputError
from detectable.core.interval import Interval
from detectable.inference.standard_errors import detectable_shift
from detectable.kernels.distributions import t_quantile
from detectable.planning.closed_forms import margin_power
from detectable.report.shown.gate_words import why
from detectable.study.gate.evidence import Evidence
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
from detectable.study.gate.rows import (
    check_scale,
    detectable_loss,
    margin_passable,
    margins_of,
    questions_needed,
)
from tests.report import results
from tests.report.results import gate_row
from tests.study.gate.data import answers, tally_of
from tests.study.gate.test_evidence import counts, found

TWO = ("match", "fluency")


def test_every_metric_has_a_margin_of_its_own() -> None:
    each, shares = margins_of(
        {"MATCH": 0.05, "fluency": "20%"}, TWO, rule="no-regression", watch=()
    )
    assert each == {"match": 0.05, "fluency": 0.2}
    assert shares == {"fluency"}
    assert margins_of(None, TWO, rule="superiority", watch=()) == ({}, frozenset())
    alone = margins_of(0.05, ["match"], rule="non-inferiority", watch=())
    assert alone == ({"match": 0.05}, frozenset())
    with pytest.raises(InputError, match=r"`margin=\{'match': 0.05, 'fluency': 0.05\}`"):
        margins_of(0.05, TWO, rule="non-inferiority", watch=())
    # The other one is only watched, so there is one scale.
    watched = margins_of(0.05, TWO, rule="non-inferiority", watch=("fluency",))
    assert watched[0] == {"match": 0.05, "fluency": 0.05}


@pytest.mark.parametrize("wrong", ["10", "0%", "100%", "a%", "-5%"])
def test_a_share_is_between_none_and_all(wrong: str) -> None:
    with pytest.raises(InputError, match="a share of the old score such as '10%'"):
        margins_of({"match": wrong}, ["match"], rule="non-inferiority", watch=())


def test_what_is_only_watched_needs_none() -> None:
    found, _ = margins_of({"match": 0.05}, TWO, rule="non-inferiority", watch=("fluency",))
    assert found == {"match": 0.05}


@pytest.mark.parametrize(
    ("margin", "rule", "message"),
    [
        (None, "non-inferiority", r"'non-inferiority' needs `margin`: .* match=0\.05"),
        (None, "no-regression", "'no-regression' needs `margin`"),
        (0.05, "superiority", "`margin` has no effect on superiority"),
        ({"match": 0.05}, "non-inferiority", "`margin` lacks fluency"),
        ({"bleu": 1.0}, "non-inferiority", "one of match, fluency; got 'bleu'"),
        (0.0, "non-inferiority", "`margin` must be a finite number above 0"),
        (-1.0, "non-inferiority", "`margin` must be a finite number above 0"),
        (float("nan"), "non-inferiority", "`margin` must be a finite number above 0"),
    ],
)
def test_what_is_refused(margin: Any, rule: GateRule, message: str) -> None:
    with pytest.raises(InputError, match=message):
        margins_of(margin, TWO, rule=rule, watch=())


def test_percents_are_refused_for_answers() -> None:
    with pytest.raises(InputError, match=r"between 0 and 1, .* got 2\. Two points of percent"):
        check_scale("accuracy", 2.0, zero_one=True)
    with pytest.raises(InputError, match="between 0 and 1"):
        check_scale("accuracy", 1.0, zero_one=True)
    check_scale("accuracy", 0.99, zero_one=True)
    check_scale("bleu", 2.0, zero_one=False)
    check_scale("accuracy", None, zero_one=True)


# --- Which margin a gate can pass, and how many questions one needs ---


def _scores(n: int, sd: float, *, groups: int | None = None) -> Evidence:
    rng = np.random.default_rng(8)
    clusters = None if groups is None else np.arange(n) % groups
    return found(rng.normal(0.0, sd, n), np.zeros(n), zero_one=False, clusters=clusters)


def test_by_t_it_is_the_sum_of_two_quantiles() -> None:
    row = _scores(400, 0.25)  # of so many, the score rule is close
    factor = t_quantile(0.95, 399.0) + t_quantile(0.8, 399.0)
    passable = margin_passable(row, alpha=0.05, power=0.8)
    assert passable == pytest.approx(factor * row.standard_error, rel=0.02)
    assert passable == row.score.passable(0.05, 0.8)
    # The noncentral t, which planning uses, is a little below.
    exact = row.standard_error * detectable_shift(399.0, alpha=0.1, power=0.8)
    assert 0.996 < exact / (factor * row.standard_error) < 1.0
    assert detectable_loss(row, alpha=0.05, power=0.8) == passable


def test_no_margin_of_shares_is_above_one() -> None:
    """The rule of three says 3 / n, and of one or two questions that is no share."""
    for n, least in ((1, 1.0), (2, 1.0), (3, -math.log(0.05) / 3), (30, -math.log(0.05) / 30)):
        row = found(np.ones(n), np.ones(n), zero_one=True)
        assert margin_passable(row, alpha=0.05, power=0.8) == pytest.approx(least)


def test_questions_grow_with_the_square() -> None:
    row = _scores(40, 0.25)
    few, many = (questions_needed(row, m, alpha=0.05, power=0.8) for m in (0.1, 0.05))
    assert few is not None
    assert many == pytest.approx(4 * few, rel=0.05)  # V grows a little with the margin
    by_t = math.ceil(40 * (2.4864749 * row.standard_error / 0.05) ** 2)
    assert many == pytest.approx(by_t, rel=0.05)


@pytest.mark.parametrize(
    ("n", "changed"), [(100, 20), (200, 10), (500, 26), (500, 100), (1000, 20)]
)
def test_the_passable_margin_of_answers_passes_four_times_in_five(n: int, changed: int) -> None:
    """Against the exact sum over all tables; counts are few, so power has steps."""
    row = counts(n, changed // 2, changed // 2)
    margin = margin_passable(row, alpha=0.05, power=0.8)
    half = 0.5 * changed / n
    exact = margin_power(n, half, half, margin=margin, alpha=0.05, both=False).power
    assert 0.795 < exact < 0.835


@pytest.mark.parametrize(("n", "changed", "margin"), [(200, 20, 0.03), (100, 20, 0.05)])
def test_so_many_questions_pass_four_times_in_five(n: int, changed: int, margin: float) -> None:
    needed = questions_needed(
        counts(n, changed // 2, changed // 2), margin, alpha=0.05, power=0.8
    )
    assert needed is not None
    half = 0.5 * changed / n
    exact = margin_power(needed, half, half, margin=margin, alpha=0.05, both=False).power
    assert 0.79 < exact < 0.82


def test_more_groups_are_less_cautious() -> None:
    """With few groups the design effect is drawn towards whole dependence; with more it is not."""
    rng = np.random.default_rng(5)
    new, old = rng.binomial(4, 0.7, 50) / 4, rng.binomial(4, 0.7, 50) / 4
    grouped = found(new, old, answers=4.0, clusters=np.arange(50) // 5)
    alone = found(new, old, answers=4.0)
    needed = [questions_needed(row, 0.05, alpha=0.05, power=0.8) for row in (grouped, alone)]
    assert needed[0] is not None
    assert needed[1] is not None
    assert needed[1] < needed[0] < 3 * needed[1]
    naive = 50 * (margin_passable(grouped, alpha=0.05, power=0.8) / 0.05) ** 2
    assert needed[0] < 0.6 * naive


def test_what_is_needed_is_enough() -> None:
    """Repeated so often, the same questions do pass a gate of that margin."""
    rng = np.random.default_rng(6)
    new = rng.binomial(4, 0.7, 40) / 4
    old = rng.permutation(new)
    row = found(new, old, answers=4.0, clusters=np.arange(40) // 2)
    needed = questions_needed(row, 0.06, alpha=0.05, power=0.8)
    assert needed is not None
    times = -(-needed // 40)
    more = found(
        np.tile(new, times),
        np.tile(old, times),
        answers=4.0,
        clusters=np.arange(40 * times) // 2,
    )
    assert margin_passable(more, alpha=0.05, power=0.8) <= 0.06


def test_the_detectable_loss_of_answers_is_mcnemar_s() -> None:
    assert detectable_loss(counts(400, 40, 40), alpha=0.025, power=0.8) == pytest.approx(
        0.064, abs=5e-4
    )
    # In groups the counts are divided by the design effect.
    grouped = found(
        [1.0, 0.0] * 40, [1.0, 1.0] * 20 + [0.0, 0.0] * 20, clusters=np.arange(80) // 4
    )
    assert detectable_loss(grouped, alpha=0.05, power=0.8) > 0.2
    assert math.isnan(
        detectable_loss(
            found([1.0, 0.0], [0.0, 0.0], clusters=np.zeros(2, int)), alpha=0.05, power=0.8
        )
    )


def test_an_absurd_margin_needs_next_to_nothing() -> None:
    assert questions_needed(counts(100, 5, 5), 1.0, alpha=0.05, power=0.8) == 2
    assert questions_needed(counts(100, 5, 5), 1e-7, alpha=0.05, power=0.8) is None
    hopeless = found([1.0, 0.0], [0.0, 1.0])
    assert margin_passable(hopeless, alpha=0.05, power=0.8) == pytest.approx(1.0, abs=0.2)


def test_large_evaluations_pass_tiny_margins() -> None:
    """With N pairs of which a share π differs, about (z + z) √(π / N)."""
    row = counts(200_000, 50, 50)
    expected = 2.4864749 * math.sqrt(100 / 200_000 / 200_000)
    assert margin_passable(row, alpha=0.05, power=0.8) == pytest.approx(expected, rel=0.1)


# --- The questions that lost most ---


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
