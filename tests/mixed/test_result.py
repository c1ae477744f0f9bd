"""What a mixed model says, from contrasts made by hand."""

import math
from dataclasses import replace
from typing import Any

import pytest

from detectable.core.interval import Interval
from detectable.core.result import Signature
from detectable.mixed.result import MixedFit, ResidualSummary, SystemContrast, VarianceComponent
from detectable.report.shown.mixed_fit import evidence, headline

CONTRAST = SystemContrast(
    system="new",
    baseline="old",
    difference=0.368,
    standard_error=0.147,
    df=7.4,
    t=2.503,
    p_value=0.02,
    p_adjusted=0.0389,
    interval=Interval(0.024, 0.712, 0.95),
)
NUMBERS = "+0.368 [+0.024, +0.712], p = .0389 (7.4 df)."


def fit(*contrasts: SystemContrast, **changed: Any) -> MixedFit:
    made: dict[str, Any] = {
        "contrasts": contrasts,
        "systems": (),
        "components": (
            VarianceComponent(name="rater intercept", variance=0.25, sd=0.5, share=0.2),
            VarianceComponent(name="residual", variance=1.0, sd=1.0, share=0.8),
        ),
        "criterion": 1.0,
        "log_likelihood": -0.5,
        "reml": True,
        "singular": False,
        "n_ratings": 1200,
        "groups": {"rater": 6, "item": 1},
        "slopes": (),
        "residuals": ResidualSummary(
            minimum=-2.0, first_quartile=-0.5, median=0.0, third_quartile=0.5, maximum=2.0
        ),
        "alpha": 0.05,
        "method": "REML",
        "model": None,
        "solution": None,
        "signature": Signature("mixed", {}),
        **changed,
    }
    return MixedFit(**made)


def sentence(contrast: SystemContrast, **changed: Any) -> str:
    return fit(contrast, **changed).summary().splitlines()[0]


def test_above_and_below() -> None:
    assert sentence(CONTRAST) == f"new is rated above old: {NUMBERS}"
    below = replace(CONTRAST, difference=-0.368, interval=Interval(-0.712, -0.024, 0.95))
    assert sentence(below) == (
        "new is rated below old: −0.368 [−0.712, −0.024], p = .0389 (7.4 df)."
    )


def test_the_corrected_p_value_decides_and_alpha_itself_does_too() -> None:
    assert sentence(CONTRAST, alpha=0.0389).startswith("new is rated above old")
    assert sentence(CONTRAST, alpha=0.03).startswith("undecided between new and old: +0.368")


def test_undecided_says_what_could_have_been_seen_at_the_corrected_level() -> None:
    one, two = (
        fit(*[replace(CONTRAST, p_adjusted=0.0389)] * n, alpha=0.03).summary().splitlines()[0]
        for n in (1, 2)
    )
    joint = NUMBERS.replace("[+0.024, +0.712]", "[−0.095, +0.831]")  # t(7.4) at .9925
    for said, alpha, numbers in ((one, 0.03, NUMBERS), (two, 0.015, joint)):
        mde = CONTRAST.detectable(alpha=alpha, power=0.8)
        assert said == (
            f"undecided between new and old: {numbers} "
            f"This evaluation could have detected {mde:.3f} or more (80% power)."
        )
    assert one != two


def test_the_joint_interval_says_what_the_corrected_p_value_says() -> None:
    def joint(estimate: float, p_adjusted: float, n: int) -> Interval:
        one = replace(CONTRAST, difference=estimate, p_adjusted=p_adjusted)
        return fit(*[one] * n).joint_interval(one)

    assert joint(0.368, 0.0389, 1) == CONTRAST.interval
    # t(7.4) at .9875 is 2.802: the interval of two covers 0, and a second step of Holm decides.
    for estimate in (0.368, -0.368):
        open_ = joint(estimate, 0.06, 2)
        assert open_.low == pytest.approx(estimate - 2.802 * 0.147, abs=2e-4)
        assert open_.high == pytest.approx(estimate + 2.802 * 0.147, abs=2e-4)
        assert 0.0 in open_
        decided = joint(estimate, 0.04, 2)
        assert 0.0 not in decided
        assert decided.level == 0.95
        assert estimate in decided


def test_a_headline_and_its_evidence_share_the_sentence() -> None:
    made = fit(CONTRAST)
    assert headline(made, CONTRAST) == "new is rated above old: +0.368."
    assert evidence(made, CONTRAST) == "95% interval [+0.024, +0.712], p = .0389 (7.4 df)."
    open_ = replace(CONTRAST, p_adjusted=0.2)
    assert headline(fit(open_), open_) == "Undecided between new and old: +0.368."
    assert "could have detected" in evidence(fit(open_), open_)
    number = replace(CONTRAST, baseline=None)
    assert headline(fit(number), number) == (
        "The rating changes with the system, per unit: +0.368."
    )


def test_the_effect_of_a_number_has_no_baseline() -> None:
    number = replace(CONTRAST, baseline=None)
    assert sentence(number) == f"the rating changes with the system, per unit: {NUMBERS}"
    assert sentence(number, alpha=0.03).startswith(
        "undecided whether the rating changes with the system, per unit: +0.368 ["
    )


def test_the_spread_and_what_is_zero() -> None:
    assert fit(CONTRAST).summary().splitlines()[1:] == [
        "1,200 ratings, 6 raters × 1 item. SDs: rater intercept 0.5, residual 1."
    ]
    parts = fit(CONTRAST).components
    zero = (replace(parts[0], variance=0.0, sd=0.0), parts[1])
    assert fit(CONTRAST, components=zero, singular=True).summary().splitlines()[2] == (
        "At zero: rater intercept; the data show no such spread."
    )


def test_a_single_contrast_stands_at_the_top() -> None:
    one, two = fit(CONTRAST), fit(CONTRAST, CONTRAST)
    assert (one.estimate, one.standard_error, one.df, one.t, one.p_value) == (
        0.368,
        0.147,
        7.4,
        2.503,
        0.02,
    )
    assert one.interval == CONTRAST.interval
    assert two.interval is None
    assert math.isnan(two.estimate)
    assert one.to_dict()["estimate"] == 0.368
    assert "estimate" not in two.to_dict()
