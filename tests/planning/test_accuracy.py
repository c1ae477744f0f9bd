"""Accuracy: gold, invariants, the four sources of agreement, messages."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import detectable as dt
from detectable.core.errors import DataError, InputError
from detectable.inference.shares import PairedShares
from detectable.planning.accuracy import Accuracy, lachenbruch_disagreement
from detectable.planning.search import Work, simulate
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


# --- Two proportions without pairs; non-inferiority and equivalence ---


@pytest.mark.golden
def test_unpaired_detectable_effects_equal_power_prop_test() -> None:
    table = json.loads(reference_data("gold", "card.json").read_text())["glue"]["table2"]
    for row in table:
        found = dt.mde(dt.scenarios.UnpairedAccuracy(row["base"]), n_items=row["n"])
        assert 100 * found.effect == pytest.approx(row["binom_unpaired"], abs=1e-6)


def test_unpaired_simulation_agrees() -> None:
    scenario = dt.scenarios.UnpairedAccuracy(0.8)
    for n, effect in ((400, 0.05), (400, -0.08), (1500, 0.03)):
        closed = dt.power(scenario, n_items=n, effect=effect)
        drawn = dt.power(scenario, n_items=n, effect=effect, simulate=True, rng=n)
        # The formula is an approximation: allow for .005 beside the noise.
        error = 4 * (drawn.standard_error or 0) + 0.005
        assert drawn.power == pytest.approx(closed.power, abs=error)
        assert drawn.type_m == pytest.approx(closed.type_m, rel=0.05)


def test_pairing_is_worth_data() -> None:
    paired = dt.sample_size(dt.scenarios.Accuracy(agreement=0.94), effect=0.02).n_items
    unpaired = dt.sample_size(dt.scenarios.UnpairedAccuracy(0.9), effect=0.02).n_items
    assert (paired or 0) < (unpaired or 0) / 2


@pytest.mark.parametrize("claim", ["non-inferior", "equivalent"])
def test_margin_simulation_agrees(claim: Any) -> None:
    scenario = dt.scenarios.AccuracyMargin(dt.scenarios.Accuracy(agreement=0.95), 0.02, claim)
    for n, effect in ((700, 0.0), (1200, 0.0), (2000, -0.005)):
        closed = dt.power(scenario, n_items=n, effect=effect)
        drawn = dt.power(scenario, n_items=n, effect=effect, simulate=True, rng=n)
        assert closed.method == "exact"
        assert drawn.power == pytest.approx(closed.power, abs=4 * (drawn.standard_error or 0))
        assert drawn.type_m == pytest.approx(closed.type_m, rel=0.02)


@pytest.mark.slow
@pytest.mark.parametrize("claim", ["non-inferior", "equivalent"])
def test_at_the_margin_only_the_level_is_left(claim: Any) -> None:
    scenario = dt.scenarios.AccuracyMargin(dt.scenarios.Accuracy(agreement=0.9), 0.03, claim)
    work, rng = Work(n_trials=40_000), np.random.default_rng(1)
    found = simulate(scenario, 3000, scenario.null_effect, alpha=0.05, rng=rng, work=work)
    share = (found.right + found.wrong) / found.trials
    assert share == pytest.approx(0.05, abs=4 * (0.05 * 0.95 / found.trials) ** 0.5 + 0.002)


def test_equivalence_needs_more_than_non_inferiority() -> None:
    accuracy = dt.scenarios.Accuracy(agreement=0.95)
    one = dt.sample_size(dt.scenarios.AccuracyMargin(accuracy, 0.02), effect=0.0)
    two = dt.sample_size(dt.scenarios.AccuracyMargin(accuracy, 0.02, "equivalent"), effect=0.0)
    # Liu et al.: n = pd (z_{1-α} + z_{1-β})² / margin², with β/2 for equivalence, is 773 and
    # 1071; that takes the spread of the data, where the test has the larger one at the margin.
    assert (one.n_items, two.n_items) == (819, 1123)
    assert "one-sided" in one.notes[0]


def test_equivalence_has_no_smallest_effect() -> None:
    scenario = dt.scenarios.AccuracyMargin(
        dt.scenarios.Accuracy(agreement=0.95), 0.02, "equivalent"
    )
    with pytest.raises(dt.InputError, match="Ask for the sample size"):
        dt.mde(scenario, n_items=500)


@pytest.mark.parametrize(
    ("margin", "message"),
    [(0.0, "`margin` must be a finite number above 0"), (2.0, "`margin` must lie between 0")],
)
def test_bad_margins_are_refused(margin: float, message: str) -> None:
    with pytest.raises(dt.InputError, match=message):
        dt.scenarios.AccuracyMargin(dt.scenarios.Accuracy(agreement=0.9), margin)


def test_too_few_items_for_equivalence() -> None:
    scenario = dt.scenarios.AccuracyMargin(
        dt.scenarios.Accuracy(agreement=0.5), 0.01, "equivalent"
    )
    assert dt.power(scenario, n_items=20, effect=0.0).power == 0.0


@pytest.mark.parametrize("claim", ["non-inferior", "equivalent"])
def test_the_test_of_a_margin_is_that_of_the_data(claim: Any) -> None:
    wins, losses, n = np.array([9, 4, 6, 0]), np.array([3, 4, 1, 0]), 40
    scenario = dt.scenarios.AccuracyMargin(dt.scenarios.Accuracy(agreement=0.9), 0.15, claim)
    found = scenario.analyse((wins, losses, n), alpha=0.05)
    for b, c, estimate, p in zip(wins, losses, found.estimates, found.p_values, strict=True):
        shares = PairedShares(int(b), int(c), n)
        wanted = (
            shares.noninferiority_p(0.15)
            if claim == "non-inferior"
            else shares.equivalence_p(0.15)
        )
        assert (estimate, p) == pytest.approx((shares.value, wanted), rel=1e-12)


def test_without_disagreement_few_items_show_nothing() -> None:
    scenario = dt.scenarios.AccuracyMargin(dt.scenarios.Accuracy(agreement=0.9), 0.02)
    found = scenario.analyse((np.array([0]), np.array([0]), 50), alpha=0.05)
    assert found.estimates[0] == 0.0
    assert found.p_values[0] == pytest.approx(0.156, abs=5e-4)  # z = 1 / √.98


@pytest.mark.parametrize("kind", ["accuracy", "ratings"])
@pytest.mark.parametrize("simulated", [False, True])
def test_equivalence_sees_both_sides_alike(kind: str, simulated: bool) -> None:
    scenario: Any = (
        dt.scenarios.AccuracyMargin(dt.scenarios.Accuracy(agreement=0.95), 0.03, "equivalent")
        if kind == "accuracy"
        else dt.scenarios.RatingsMargin(
            dt.scenarios.Ratings(mean=50, sd=20, test="two-means", method="closed-form"),
            6,
            "equivalent",
        )
    )
    size = scenario.margin / 3.0
    up, down = (
        dt.power(scenario, n_items=600, effect=e, simulate=simulated, rng=4)
        for e in (size, -size)
    )
    assert down.power == pytest.approx(up.power, abs=0.02 if simulated else 1e-6)
    # From the far margin it would be below 1: claims are drawn towards the middle.
    assert down.type_m == pytest.approx(up.type_m, rel=0.02 if simulated else 1e-6)
    assert 1.0 < up.type_m < 1.3
    assert (up.type_s, down.type_s) == (0.0, 0.0)


def test_neither_margin_can_be_shown() -> None:
    scenario = dt.scenarios.AccuracyMargin(
        dt.scenarios.Accuracy(agreement=0.9), 0.03, "equivalent"
    )
    for effect in (0.03, -0.03):
        with pytest.raises(dt.InputError, match=f"other than {effect:g}; got {effect:g}"):
            dt.power(scenario, n_items=500, effect=effect)


def test_systems_that_never_agree_may_differ_by_anything() -> None:
    found = dt.scenarios.Accuracy(agreement=0.0).effect_range(10)
    assert (found.low, found.high) == (-1.0, 1.0)
    assert found.reason == "the systems disagree on 1 of the items"


def test_two_proportions_are_compared_by_the_pooled_z_test() -> None:
    ours, theirs, n = np.array([40, 50, 0]), np.array([30, 50, 0]), 60
    found = dt.scenarios.UnpairedAccuracy(0.6).analyse((ours, theirs, n), alpha=0.05)
    table = [[40, 20], [30, 30]]
    wanted = stats.chi2_contingency(table, correction=False).pvalue
    assert found.p_values == pytest.approx([wanted, 1.0, 1.0])
    assert found.estimates == pytest.approx([10 / 60, 0.0, 0.0])


def test_a_prior_may_be_a_table_in_any_form(tmp_path: Path) -> None:
    table = {
        "baseline": [0.6, 0.7, 0.8, 0.9],
        "improvement": [0.02, 0.01, 0.03, 0.02],
        "disagreement": [0.3, 0.22, 0.2, 0.1],
    }
    path = tmp_path / "pairs.csv"
    pl.DataFrame(table).write_csv(path)
    forms: list[Any] = [table, pl.DataFrame(table), path, str(path)]
    made = [Accuracy(baseline_accuracy=0.8, prior=one) for one in forms]
    assert len({one.regression for one in made}) == 1
    assert [one.prior for one in made] == ["a table", "a table", "pairs.csv", "pairs.csv"]
    fit = made[0].regression
    assert fit is not None
    # By numpy: lstsq of (1, baseline, improvement) on 1 − disagreement.
    design = np.column_stack([np.ones(4), table["baseline"], table["improvement"]])
    line = np.linalg.lstsq(design, 1.0 - np.array(table["disagreement"]), rcond=None)[0]
    assert [fit.intercept, fit.accuracy, fit.difference] == pytest.approx(line.tolist())
    said = made[3].assumptions(0.01)[0]
    assert "of the 4 pairs in pairs.csv, R² = 0.995" in said
    again = replace(made[2], method="normal")  # the file is not read again
    path.unlink()
    assert replace(again, method="exact") == made[2]


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"baseline": [0.5]}, "no column for the improvement of each pair"),
        ({"baseline": [0.5], "improvement": [0.1]}, "how often the systems of each pair agree"),
        (
            {"baseline": [0.5] * 3, "improvement": [0.1] * 3, "agreement": [0.9] * 3},
            "at least 4 pairs of systems whose accuracies and differences vary; got 3",
        ),
        (
            {"baseline": [50], "improvement": [1], "agreement": [90]},
            "expected a fraction from 0 to 1, found 50",
        ),
        ("nothing.csv", "one of glue, squad, lachenbruch, or a file or table of pairs"),
    ],
)
def test_a_prior_that_is_none_is_refused(table: Any, message: str) -> None:
    with pytest.raises((InputError, DataError), match=message):
        Accuracy(baseline_accuracy=0.8, prior=table)
