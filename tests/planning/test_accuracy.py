"""Accuracy: gold, invariants, the four sources of agreement, messages."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import detectable as dt
from detectable.planning.accuracy import lachenbruch_disagreement
from tests.helpers import reference_data


def gold() -> dict[str, Any]:
    content: dict[str, Any] = json.loads(reference_data("gold", "card.json").read_text())
    return content


@pytest.mark.golden
def test_the_whole_grid_of_exact_powers() -> None:
    for cell in gold()["mcnemar"]["grid"]:
        found = dt.power(
            dt.scenarios.Accuracy(agreement=cell["Pa"]), n_items=cell["n"], effect=cell["delta"]
        )
        assert found.method == "exact"
        assert found.power == pytest.approx(cell["power"], abs=1e-9)
        assert found.type_m == pytest.approx(cell["type_m"], abs=1e-6)
        assert found.type_s == pytest.approx(cell["type_s"], abs=1e-6)
        assert found.power_any_sign == pytest.approx(cell["power_any_sign"], abs=1e-9)


@pytest.mark.golden
@pytest.mark.parametrize("method", ["normal", "exact"])
def test_table_2_of_card2020(method: Any) -> None:
    for row in gold()["glue"]["table2"]:
        scenario = dt.scenarios.Accuracy(
            baseline_accuracy=row["base"], prior="glue", method=method
        )
        found = dt.mde(scenario, n_items=row["n"])
        if row["task"] == "WNLI":  # would need more than the baseline leaves
            assert not found.attainable
        else:
            assert 100 * found.effect == pytest.approx(row[method], abs=2e-6)


def by_enumeration(n: int, decided: float, effect: float) -> tuple[float, float]:
    """Return power and wrong-sign significance by a double sum over all tables."""
    right = wrong = 0.0
    share = (decided - effect) / (2 * decided)
    for m in range(n + 1):
        losses = np.arange(m + 1)
        p = np.minimum(1, 2 * stats.binom.cdf(np.minimum(losses, m - losses), m, 0.5))
        chance = stats.binom.pmf(m, n, decided) * stats.binom.pmf(losses, m, share)
        right += chance[(p <= 0.05) & (losses < m / 2)].sum()
        wrong += chance[(p <= 0.05) & (losses > m / 2)].sum()
    return right, wrong


@pytest.mark.parametrize(
    ("n", "agreement", "effect"),
    [(30, 0.5, 0.3), (61, 0.0, 0.2), (80, 0.7, 0.3), (9, 0.1, 0.9)],
)
def test_equals_the_sum_over_all_tables(n: int, agreement: float, effect: float) -> None:
    found = dt.power(dt.scenarios.Accuracy(agreement=agreement), n_items=n, effect=effect)
    right, wrong = by_enumeration(n, 1 - agreement, effect)
    assert found.power == pytest.approx(right, abs=1e-12)
    assert found.power_any_sign - found.power == pytest.approx(wrong, abs=1e-12)


@given(
    st.integers(20, 2000),
    st.floats(0.5, 0.99),
    st.floats(0.05, 0.95),
    st.sampled_from(["exact", "normal"]),
)
def test_power_rises_with_the_effect_and_mirrors(
    n: int, agreement: float, share: float, method: Any
) -> None:
    scenario = dt.scenarios.Accuracy(agreement=agreement, method=method)
    effect = share * (1 - agreement)
    here = dt.power(scenario, n_items=n, effect=effect)
    there = dt.power(scenario, n_items=n, effect=-effect)
    more = dt.power(scenario, n_items=n, effect=min(1.05 * effect, 1 - agreement))
    assert (here.power, here.type_m) == (there.power, there.type_m) or here.power == 0
    assert more.power >= here.power - 1e-12
    if here.power > 1e-6:
        assert here.type_m >= 1 - 1e-9


@given(st.integers(10, 500), st.floats(0.6, 0.98))
def test_four_times_the_items_never_hurt(n: int, agreement: float) -> None:
    scenario, effect = dt.scenarios.Accuracy(agreement=agreement), 0.4 * (1 - agreement)
    less = dt.power(scenario, n_items=n, effect=effect).power
    assert dt.power(scenario, n_items=4 * n, effect=effect).power >= less


@pytest.mark.parametrize("n", [100, 1000, 20_000])
def test_without_an_effect_only_the_level_is_left(n: int) -> None:
    exact = dt.power(
        dt.scenarios.Accuracy(agreement=0.8), n_items=n, effect=1e-9
    ).power_any_sign
    assert 0.02 < exact <= 0.05
    normal = dt.power(
        dt.scenarios.Accuracy(agreement=0.8, method="normal"), n_items=n, effect=1e-9
    )
    assert normal.power_any_sign == pytest.approx(0.05, abs=1e-6)


@pytest.mark.parametrize("prior", ["glue", "squad", "lachenbruch"])
def test_priors_mirror_when_the_systems_change_places(prior: Any) -> None:
    up = dt.power(
        dt.scenarios.Accuracy(baseline_accuracy=0.88, prior=prior), n_items=2000, effect=0.02
    )
    down = dt.power(
        dt.scenarios.Accuracy(baseline_accuracy=0.9, prior=prior), n_items=2000, effect=-0.02
    )
    assert up.power == pytest.approx(down.power, abs=1e-9)


@pytest.mark.golden
def test_lachenbruchs_middle_road() -> None:
    # Card's appendix E.3: p1 = .8, p2 = .9, power .9 needs 210.1 items by the simple formula.
    z = stats.norm.ppf(0.975) + stats.norm.ppf(0.9)
    needed = z**2 * lachenbruch_disagreement(0.8, 0.1) / 0.1**2
    assert needed == pytest.approx(210.14846122881244, abs=1e-6)


def test_agreement_from_predictions(tmp_path: Path) -> None:
    ours, theirs = [1, 1, 1, 0, 1, 0, 1, 1], [1, 0, 1, 0, 0, 1, 1, 1]
    scenario = dt.scenarios.Accuracy.from_predictions(ours, theirs)
    assert (scenario.agreement, scenario.baseline_accuracy) == (0.625, 0.625)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (dict, "`agreement` or `prior` must say how often"),
        (lambda: {"agreement": 0.9, "prior": "glue"}, "one of the two; got agreement=0.9"),
        (
            lambda: {"agreement": 1.0},
            r"`agreement` must lie between 0 and 1, below 1; got 1\.0",
        ),
        (lambda: {"prior": "glue"}, "`baseline_accuracy` must be given with prior='glue'"),
        (
            lambda: {"prior": "glue", "baseline_accuracy": 1.5},
            "`baseline_accuracy` must lie strictly between 0 and 1",
        ),
        (
            lambda: {"agreement": 0.5, "baseline_accuracy": 0.9},
            r"`agreement` must be at least 0\.8 with a baseline accuracy of 0\.9; got 0\.5",
        ),
        (lambda: {"prior": "super", "baseline_accuracy": 0.9}, "`prior` must be one of glue"),
        (
            lambda: {"prior": "glue", "baseline_accuracy": 0.01},
            r"`baseline_accuracy` must suit prior='glue'; got 0\.01",
        ),
        (
            lambda: {"agreement": 0.9, "method": "guess"},
            "`method` must be one of exact, normal",
        ),
    ],
)
def test_what_cannot_be_is_refused(make: Any, message: str) -> None:
    with pytest.raises(dt.InputError, match=message):
        dt.scenarios.Accuracy(**make())


@pytest.mark.parametrize(
    ("ours", "theirs", "message"),
    [
        ([1, 2], [0, 1], "`system` must hold 0 .* got 2 at position 1"),
        ([1, 0], [0, 1, 1], "must hold the same items; got 2 and 3"),
        ([1, 0], [1, 0], "must differ somewhere"),
    ],
)
def test_bad_predictions_are_refused(ours: Any, theirs: Any, message: str) -> None:
    with pytest.raises(dt.InputError, match=message):
        dt.scenarios.Accuracy.from_predictions(ours, theirs)


def test_an_impossible_effect_names_its_range_and_the_reason() -> None:
    with pytest.raises(
        dt.InputError,
        match=r"`effect` must lie between -0\.025 and 0\.025; got 0\.03: the systems disagree",
    ):
        dt.power(dt.scenarios.Accuracy(agreement=0.975), n_items=500, effect=0.03)


def test_a_test_that_can_never_be_significant_has_no_errors() -> None:
    found = dt.power(dt.scenarios.Accuracy(agreement=0.5), n_items=4, effect=0.2)
    assert found.power == 0
    assert np.isnan(found.type_m)
    assert found.to_dict()["type_m"] is None
