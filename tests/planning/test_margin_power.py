"""The power of tests of a margin on 0/1 data: against sums over all tables, and for many items."""

import functools
import itertools
import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import detectable as dt
from detectable.inference.shares import tango_z
from detectable.planning.closed_forms import MarginPower, fewest_wins, margin_power
from tests.helpers import reference_data

S = dt.scenarios


@functools.lru_cache(maxsize=1)
def gold() -> list[dict[str, Any]]:
    text = reference_data("gold", "small_samples.json").read_text(encoding="utf-8")
    rows: list[dict[str, Any]] = json.loads(text)["margin_power"]["rows"]
    return rows


@pytest.mark.golden
def test_power_and_false_claims_are_those_of_the_enumeration_in_r() -> None:
    assert len(gold()) >= 10
    for row in gold():
        accuracy = S.Accuracy(agreement=1.0 - row["discordance"])
        for claim, name in (("non-inferior", "noninferior"), ("equivalent", "equivalent")):
            scenario = S.AccuracyMargin(accuracy, row["margin"], claim)  # type: ignore[arg-type]
            # At the margin nothing can be shown, so `power` would refuse to be asked.
            found = scenario.closed_form(row["n"], row["true_difference"], alpha=0.05)
            assert found.method == "exact"
            assert found.power == pytest.approx(row[f"tango_{name}"], abs=1e-11)


def all_tables(
    n: int, win: float, loss: float, margin: float, alpha: float, *, both: bool
) -> MarginPower:
    """Return the same as a sum over every table."""
    b, c = np.array([t for t in itertools.product(range(n + 1), repeat=2) if sum(t) <= n]).T
    chance = stats.multinomial.pmf(
        np.stack([b, c, n - b - c], axis=1), n, [win, loss, 1.0 - win - loss]
    )
    claim = stats.norm.sf(tango_z(b, c, n, -margin)) <= alpha
    if both:
        claim &= stats.norm.cdf(tango_z(b, c, n, margin)) <= alpha
    power = float(chance[claim].sum())
    mean = float((chance * (b - c) / n)[claim].sum()) / power if power > 0.0 else 0.0
    return MarginPower(power, mean)


@pytest.mark.parametrize("both", [False, True])
@pytest.mark.parametrize(
    ("n", "win", "loss", "margin", "alpha"),
    [
        (40, 0.1, 0.05, 0.2, 0.05),
        (40, 0.05, 0.1, 0.2, 0.05),
        (60, 0.3, 0.3, 0.25, 0.1),
        (60, 0.0, 0.04, 0.1, 0.05),
        (60, 0.04, 0.0, 0.1, 0.05),
        (25, 0.6, 0.4, 0.5, 0.01),
        (7, 0.2, 0.1, 0.9, 0.05),
        (30, 0.001, 0.002, 0.1, 0.05),
    ],
)
def test_equals_the_sum_over_all_tables(
    n: int, win: float, loss: float, margin: float, alpha: float, both: bool
) -> None:
    found = margin_power(n, win, loss, margin=margin, alpha=alpha, both=both)
    wanted = all_tables(n, win, loss, margin, alpha, both=both)
    assert found.power == pytest.approx(wanted.power, abs=1e-11)
    assert found.mean == pytest.approx(wanted.mean, abs=1e-10)


def test_too_few_items_never_claim() -> None:
    assert margin_power(20, 0.25, 0.25, margin=0.01, alpha=0.05, both=True) == MarginPower(0, 0)


@given(st.integers(1, 400), st.floats(0.001, 0.999), st.sampled_from([0.001, 0.05, 0.4]))
def test_the_fewest_wins_are_the_fewest(n: int, margin: float, alpha: float) -> None:
    counts = np.arange(n + 1)
    found = fewest_wins(counts, n, margin=margin, alpha=alpha)
    for m in (0, n // 7, n // 2, n):
        b = np.arange(m + 1)
        shown = tango_z(b, m - b, n, -margin) >= -stats.norm.ppf(alpha)
        # From the first on, all: the statistic grows with the wins.
        assert np.array_equal(shown, b >= found[m])


@pytest.mark.parametrize("claim", ["non-inferior", "equivalent"])
@pytest.mark.parametrize("disagreement", [0.005, 0.02, 0.1, 0.5])
def test_with_many_items_the_normal_form_is_near_the_sum(
    claim: Any, disagreement: float
) -> None:
    n = max(5001, math.ceil(250 / disagreement))
    for reach, shift in itertools.product((1.5, 2.5, 4.0), (-0.3, 0.0, 0.3)):
        margin = reach * math.sqrt(disagreement / n)
        effect = shift * margin
        scenario = S.AccuracyMargin(S.Accuracy(agreement=1.0 - disagreement), margin, claim)
        form = scenario.closed_form(n, effect, alpha=0.05)
        win, loss = (disagreement + effect) / 2, (disagreement - effect) / 2
        found = margin_power(
            n, win, loss, margin=margin, alpha=0.05, both=claim == "equivalent"
        )
        assert form.method == "closed-form"
        assert form.power == pytest.approx(found.power, abs=0.01)
        if found.power > 0.1:
            distance = margin - abs(effect) if claim == "equivalent" else margin + effect
            sign = 1.0 if claim == "non-inferior" or effect < 0.0 else -1.0
            assert form.type_m == pytest.approx(
                (margin + sign * found.mean) / distance, rel=0.01
            )


def test_what_decides_between_the_sum_and_the_normal_form() -> None:
    def method(n: int, agreement: float, **options: Any) -> str:
        scenario = S.AccuracyMargin(S.Accuracy(agreement=agreement, **options), 0.01)
        return dt.power(scenario, n_items=n, effect=0.0).method

    assert method(5000, 0.5) == "exact"
    assert method(5001, 0.5) == "closed-form"
    assert method(24_000, 0.99) == "exact"  # 240 items decide
    assert method(26_000, 0.99) == "closed-form"
    assert method(300, 0.9, method="normal") == "closed-form"


@pytest.mark.parametrize(
    ("agreement", "margin", "claim", "power"),
    [
        (0.998, 0.02, "non-inferior", 0.8),
        (0.99, 0.02, "non-inferior", 0.8),
        (0.99, 0.05, "equivalent", 0.5),
        (0.95, 0.05, "equivalent", 0.8),
        (0.8, 0.1, "non-inferior", 0.9),
    ],
)
def test_power_stays_above_the_target_from_the_sample_size_on(
    agreement: float, margin: float, claim: Any, power: float
) -> None:
    scenario = S.AccuracyMargin(S.Accuracy(agreement=agreement), margin, claim)
    n = dt.sample_size(scenario, effect=0.0, power=power).n_items
    assert n is not None
    powers = [scenario.closed_form(k, 0.0, alpha=0.05).power for k in range(n - 1, 2 * n + 200)]
    assert powers[0] < power
    assert min(powers[1:]) >= power
