"""What control variates say of a pair, from a row made by hand."""

from dataclasses import replace

from detectable.core.interval import Interval
from detectable.core.result import Signature
from detectable.study.precision.control_variate_result import (
    AdjustedDifference,
    ControlVariates,
)

PAIR = AdjustedDifference(
    system="new",
    baseline="old",
    estimate=3.59,
    standard_error=1.0,
    df=98.0,
    interval=Interval(1.58, 5.59, 0.95),
    p_value=0.0005,
    p_adjusted=0.001,
    verdict="better",
    plain_estimate=3.61,
    plain_standard_error=1.25,
    plain_p_value=0.0015,
    plain_p_adjusted=0.003,
    correlation=0.6,
    paired=True,
    n_items=100,
)


def said(pair: AdjustedDifference, saved: float = 0.36) -> list[str]:
    made = ControlVariates(
        metric="chrf",
        systems=(),
        pairs=(pair,),
        correlation=0.6,
        data_efficiency=1.5625,
        quality_share=None,
        true_correlation=0.6,
        true_data_efficiency=1.5625,
        saved=saved,
        target="domain",
        unit="item",
        alpha=0.05,
        notes=(),
        signature=Signature("control-variates", {}),
    )
    return made.summary().splitlines()


def test_the_sentence_of_a_pair() -> None:
    numbers = "+3.59 [+1.58, +5.59], p = .0010 (without the metric +3.61, p = .0030)."
    assert said(PAIR)[1] == f"new is better than old: {numbers}"
    assert said(replace(PAIR, verdict="worse"))[1] == f"new is worse than old: {numbers}"
    undecided = said(replace(PAIR, verdict="undecided"))
    assert undecided[1] == f"undecided between new and old: {numbers}"


def test_what_the_metric_saves() -> None:
    assert PAIR.saved == 1.0 - 0.8**2
    assert said(PAIR)[0] == (
        "With chrf the same precision takes 36% fewer judgments (correlation 0.60 within "
        "systems, data efficiency 1.56)."
    )
    assert said(PAIR, saved=0.004)[0].startswith("chrf saves no judgments here (")
