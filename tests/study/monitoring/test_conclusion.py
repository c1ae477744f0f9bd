"""What a look and a conclusion say, from rows made by hand."""

import math
from dataclasses import replace
from typing import Any

import pytest

from detectable.core.interval import Interval
from detectable.core.result import Signature
from detectable.report.shown.look import describe_pair
from detectable.study.monitoring.conclusion import Conclusion, PairConclusion
from detectable.study.monitoring.ledger import PairLook, Written

PAIR = PairConclusion(
    system="new",
    baseline="old",
    verdict="better",
    reason="",
    look=2,
    n=160,
    p_value=0.0006,
    p_adjusted=0.0012,
    difference=3.98,
    interval=Interval(1.72, 6.01, 0.95),
    naive_estimate=4.1,
    scale="mean difference",
    method="stagewise ordering, median unbiased",
)
LOOK = PairLook(
    system="new",
    baseline="old",
    decision="continue",
    n_units=80,
    n_clusters=None,
    judgments=160,
    information=0.2,
    estimate=4.29,
    standard_error=1.4,
    df=79.0,
    scale="mean difference",
    interval=Interval(-0.58, 9.16, 0.95),
    z=2.885,
    z_bound=3.253,
    level=0.05,
)


def sentence(pair: PairConclusion, **changed: Any) -> str:
    return _conclusion(pair, **changed).summary().splitlines()[0]


def _conclusion(*pairs: PairConclusion, **changed: Any) -> Conclusion:
    made: dict[str, Any] = {
        "question": "q",
        "pairs": pairs,
        "n_looks": 2,
        "judgments": 320,
        "saved": 480,
        "alpha": 0.05,
        "margin": None,
        "claim": "better",
        "signature": Signature("conclude", {}),
        **changed,
    }
    return Conclusion(**made)


def test_a_conclusion_says_over_what_its_p_value_is() -> None:
    assert sentence(PAIR) == (
        "new is better than old: +3.98 (mean difference) [+1.72, +6.01], p = .0012 over all looks."
    )


def test_other_scales_have_a_digit_more() -> None:
    share = replace(PAIR, scale="P(better) − ½", interval=None, p_adjusted=math.nan)
    assert sentence(share) == "new is better than old: +3.980 (P(better) − ½)."


def test_undecided_gives_its_reason() -> None:
    open_ = replace(PAIR, verdict="undecided", reason="no boundary was reached by the end")
    assert sentence(open_).startswith(
        "undecided between new and old (no boundary was reached by the end): +3.98"
    )
    assert sentence(open_, sided=1).startswith(
        "not shown that new is better than old (no boundary was reached by the end): +3.98"
    )


def test_margins() -> None:
    same = replace(PAIR, verdict="equivalent", p_adjusted=math.nan)
    assert sentence(same, margin=2.0) == (
        "new and old are equivalent within ±2: +3.98 (mean difference) [+1.72, +6.01]."
    )
    not_worse = replace(PAIR, verdict="non-inferior")
    assert sentence(not_worse, margin=2.0).startswith(
        "new is not worse than old by more than 2: "
    )


@pytest.mark.parametrize(
    ("saved", "said"), [(480, ", 480 planned judgments saved"), (0, ""), (None, "")]
)
def test_what_was_saved_comes_last(saved: int | None, said: str) -> None:
    last = _conclusion(PAIR, saved=saved).summary().splitlines()[-1]
    assert last == f"2 looks, 320 judgments{said}."


@pytest.mark.parametrize(
    ("decision", "verdict", "words", "one_sided"),
    [
        ("continue", "undecided", "undecided between new and old so far", None),
        ("stop: better", "better", "new is better than old", None),
        ("stop: worse", "worse", "new is worse than old", None),
        (
            "stop: equivalent",
            "equivalent",
            "new and old are equivalent within the margin",
            None,
        ),
        (
            "stop: non-inferior",
            "non-inferior",
            "new is not worse than old by more than the margin",
            None,
        ),
        (
            "stop: futile",
            "undecided",
            "undecided between new and old, and unlikely to be decided by the planned end",
            "not shown that new is better than old",
        ),
        (
            "stop: undecided",
            "undecided",
            "undecided between new and old at the end",
            "not shown that new is better than old",
        ),
    ],
)
def test_where_a_pair_stands(
    decision: Written, verdict: str, words: str, one_sided: str | None
) -> None:
    pair = replace(LOOK, decision=decision)
    assert pair.verdict == verdict
    numbers = (
        "+4.29 (mean difference) [−0.58, +9.16] at all looks together; z = +2.885, boundary"
    )
    assert describe_pair(pair) == f"{words}: {numbers} ±3.253."
    turned = replace(pair, sided=1)
    assert describe_pair(turned) == f"{one_sided or words}: {numbers} +3.253."


def test_an_interval_without_an_end_is_not_shown() -> None:
    bare = "+4.29 (mean difference); z = +2.885, no boundary can be reached at this look."
    for interval in (None, Interval(-math.inf, math.inf, 0.95)):
        pair = replace(LOOK, interval=interval, z_bound=math.inf)
        assert describe_pair(pair).endswith(f"so far: {bare}")


def test_bets_show_their_e_value() -> None:
    pair = replace(LOOK, z=None, z_bound=None, e_value=12.345, e_needed=20.0)
    assert describe_pair(pair).endswith("; E = 12.3, 20 needed.")
