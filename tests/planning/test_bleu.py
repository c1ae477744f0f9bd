"""Bleu: the authors' grid, closed form against simulation, and fits to real outputs."""

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import detectable as dt
from detectable.data.example.bundled import example_corpus
from detectable.planning.swap_effects import fit_swaps
from detectable.study.comparison.segments import swap_contributions
from tests.helpers import reference_data


def gold() -> dict[str, Any]:
    content: dict[str, Any] = json.loads(reference_data("gold", "card.json").read_text())
    return content["bleu"]  # type: ignore[no-any-return]


@pytest.mark.golden
def test_the_grid_of_the_reference_page() -> None:
    for cell in gold()["grid"]:
        found = dt.power(dt.scenarios.Bleu(), n_items=cell["n"], effect=cell["delta"])
        assert found.method == "closed-form"
        assert found.power == pytest.approx(cell["power_closed_nct"], abs=1e-6)
        trials = 4000 if cell["n"] > 3000 else 8000
        share = max(cell["power_z"], 1 / trials)
        error = 4 * (share * (1 - min(share, 1 - 1 / trials)) / trials) ** 0.5 + 1e-3
        assert found.power == pytest.approx(cell["power_z"], abs=error)
        if cell["power_z"] > 0.1:
            assert found.type_m == pytest.approx(cell["type_m"], rel=0.03)


@pytest.mark.golden
def test_sensitivity_to_the_parameters() -> None:
    for cell in gold()["sensitivity"]:
        scenario = dt.scenarios.Bleu(p0=cell["p0"], b0=cell["b0"])
        found = dt.power(scenario, n_items=cell["n"], effect=cell["delta"])
        assert found.power == pytest.approx(cell["power"], abs=1e-6)


@given(st.integers(50, 20_000), st.floats(0.1, 3.0), st.floats(0.0, 0.5), st.floats(5.0, 60.0))
def test_power_rises_and_mirrors(n: int, effect: float, p0: float, b0: float) -> None:
    scenario = dt.scenarios.Bleu(p0=p0, b0=b0)
    here = dt.power(scenario, n_items=n, effect=effect)
    assert here.power == dt.power(scenario, n_items=n, effect=-effect).power
    assert dt.power(scenario, n_items=n, effect=1.1 * effect).power >= here.power - 1e-9
    assert dt.power(scenario, n_items=2 * n, effect=effect).power >= here.power - 1e-9
    assert here.type_m >= 1 - 1e-9


def test_without_an_effect_only_the_level_is_left() -> None:
    assert dt.power(
        dt.scenarios.Bleu(), n_items=3000, effect=1e-9
    ).power_any_sign == pytest.approx(0.05, abs=2e-3)


def test_the_detectable_effect_of_the_page() -> None:
    # 2.80 · b0 · sqrt((1 - p0) / (2 n)), up to the small growth of the spread with the effect.
    rule = 2.8016 * 25.8 * (0.87 / 4000) ** 0.5
    assert dt.mde(dt.scenarios.Bleu(), n_items=2000).effect == pytest.approx(rule, rel=2e-3)


def test_too_few_segments_for_any_significance() -> None:
    assert dt.power(dt.scenarios.Bleu(), n_items=3, effect=50.0).power == 0.0


@pytest.mark.slow
@pytest.mark.parametrize("n", [200, 1000, 3000])
@pytest.mark.parametrize("multiple", [1.0, 2.0, 3.0])
def test_closed_form_and_randomization_test_agree(n: int, multiple: float) -> None:
    scenario = dt.scenarios.Bleu(p0=0.1, b0=30.0)
    effect = multiple * scenario.standard_error(n, 0.0)
    closed = dt.power(scenario, n_items=n, effect=effect)
    drawn = dt.power(scenario, n_items=n, effect=effect, simulate=True, n_trials=8000, rng=n)
    # The closed form is an approximation for Laplace tails: .01, as the gold allows.
    error = 4 * (drawn.standard_error or 0) + 0.01
    assert drawn.power == pytest.approx(closed.power, abs=error)


def test_swaps_are_those_that_compare_shows() -> None:
    corpus = example_corpus()
    theirs, ours = list(corpus.systems)[:2]
    metric = dt.metric("bleu")
    fit = fit_swaps(corpus, metric, system=ours, baseline=theirs, rng=1)
    table = metric.statistics(corpus)  # type: ignore[attr-defined]
    rows = [corpus.outputs.index((name, 0)) for name in (ours, theirs)]
    parts = swap_contributions(metric, table[rows[0]], table[rows[1]])
    np.testing.assert_allclose(fit.swaps, -2 * parts, atol=1e-10)
    # One of them by hand: swap segment 0, score again.
    moved = table[rows[1]][0] - table[rows[0]][0]
    before = metric.score(table[rows[0]].sum(0)) - metric.score(table[rows[1]].sum(0))
    after = metric.score(table[rows[0]].sum(0) + moved) - metric.score(
        table[rows[1]].sum(0) - moved
    )
    assert fit.swaps[0] == pytest.approx(float(after - before), abs=1e-12)
    assert fit.difference == pytest.approx(float(before))


def test_a_planted_model_is_found_again() -> None:
    rng, n, p0, b0 = np.random.default_rng(3), 20_000, 0.2, 30.0
    swaps = rng.laplace(-2 * 1.5 / (n * (1 - p0)), b0 / n, n) * (rng.random(n) >= p0)
    scores = dt.Scores.build({"A": -swaps * n / 2, "B": np.zeros(n)})  # mean: effects add up
    fitted = dt.scenarios.Bleu.fit(scores, "mean", system="A", baseline="B", rng=1)
    report = fitted.report
    assert report is not None
    assert fitted.p0 == pytest.approx(p0, abs=4 * (p0 * (1 - p0) / n) ** 0.5)
    # A standard deviation of m values is known to √((kurtosis − 1) / (4 m)) of itself.
    assert fitted.b0 == pytest.approx(b0, rel=4 * (5 / (4 * n * (1 - p0))) ** 0.5)
    assert report.b0_absolute == pytest.approx(b0, rel=4 / (n * (1 - p0)) ** 0.5)
    assert report.kurtosis == pytest.approx(6.0, abs=1.0)
    assert report.additivity_slope == pytest.approx(1.0, abs=1e-9)
    assert report.additive_difference == pytest.approx(report.difference, abs=1e-9)
    assert fitted.notes(100, 1.0, alpha=0.05) == ()


@pytest.mark.slow
def test_power_is_that_of_swaps_with_rare_large_ones() -> None:
    # A tenth of the swaps is five times as large: kurtosis 3 · 63.4 / 3.4² = 16.5.
    def draw(rng: np.random.Generator, n: int, shift: float) -> Any:
        swaps = rng.normal(size=n) * np.where(rng.random(n) < 0.1, 5.0, 1.0) + shift
        return swaps * (rng.random(n) >= 0.15)

    rng, n = np.random.default_rng(14), 400
    scores = dt.Scores.build({"A": draw(rng, 50_000, 0.0), "B": np.zeros(50_000)})
    fitted = dt.scenarios.Bleu.fit(scores, "mean", system="A", baseline="B", rng=1)
    report = fitted.report
    assert report is not None
    assert fitted.b0 == pytest.approx((2 * 3.4) ** 0.5, rel=0.04)  # a swap is -2 (a − b) / n
    assert report.kurtosis == pytest.approx(16.5, rel=0.1)
    assert "kurtosis 16" in report.summary()
    effect = 2.8 * fitted.standard_error(n, 0.0)
    found = dt.power(fitted, n_items=n, effect=effect).power
    by_distances = dt.scenarios.Bleu(p0=fitted.p0, b0=report.b0_absolute)
    trials, hits = 1500, 0
    signs = 1.0 - 2.0 * rng.integers(2, size=(499, n))
    for _ in range(trials):
        swaps = draw(rng, n, effect / 0.85)
        hits += int((np.abs(signs @ swaps) >= abs(swaps.sum())).sum() + 1 <= 25)
    assert found == pytest.approx(hits / trials, abs=3 * (0.16 / trials) ** 0.5 + 0.01)
    assert dt.power(by_distances, n_items=n, effect=effect).power > hits / trials + 0.05


@pytest.mark.parametrize(("scale", "shift"), [(1e-13, 0.0), (1e13, 0.0), (1.0, 1e9)])
def test_a_fit_follows_the_unit_of_the_scores(scale: float, shift: float) -> None:
    rng = np.random.default_rng(15)
    a, b = rng.integers(0, 9, 300) / 8, rng.integers(0, 9, 300) / 8
    plain, moved = (
        fit_swaps(dt.Scores.build(table), "mean", system="A", baseline="B", rng=1)
        for table in ({"A": a, "B": b}, {"A": a * scale + shift, "B": b * scale + shift})
    )
    assert moved.p0 == plain.p0 == pytest.approx(np.mean(a == b))
    assert moved.b0 == pytest.approx(scale * plain.b0, rel=1e-9)
    assert moved.kurtosis == pytest.approx(plain.kurtosis, rel=1e-9)


def test_broken_additivity_is_said() -> None:
    # Every swap alone changes a bad system a little, all together change BLEU's zero counts.
    corpus = dt.Corpus.build(
        {"A": ["a b c d e f"] * 9 + ["a b c d"], "B": ["a b x d y f"] * 10},
        ["a b c d e f"] * 10,
    )
    fitted = dt.scenarios.Bleu.fit(corpus, "bleu", system="A", baseline="B", rng=1)
    assert fitted.report is not None
    assert fitted.report.additivity_slope != pytest.approx(1.0, abs=0.05)
    found = dt.power(fitted, n_items=100, effect=20.0)
    assert "swaps do not add up" in found.notes[0]
    assert "random sets of swaps" in fitted.report.summary()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"system": "A", "baseline": "C"}, "no system named 'C'. There are A, B"),
        ({"system": "A", "baseline": "A"}, "must be two systems; got 'A' twice"),
        ({"system": "A", "baseline": "B"}, "must differ on at least 2 segments; got 0 of 3"),
    ],
)
def test_bad_fits_are_refused(settings: dict[str, Any], message: str) -> None:
    corpus = dt.Corpus.build({"A": ["a", "b", "c"], "B": ["a", "b", "c"]}, ["a", "b", "d"])
    with pytest.raises(dt.InputError, match=message):
        dt.scenarios.Bleu.fit(corpus, "chrf", **settings)


def test_a_metric_must_suit_the_data() -> None:
    corpus = dt.Corpus.build({"A": ["a"], "B": ["b"]}, ["a"])
    with pytest.raises(dt.InputError, match="must be one of texts; got 'mean'"):
        dt.scenarios.Bleu.fit(corpus, "mean", system="A", baseline="B")
    scores = dt.Scores.build({"A": [1.0], "B": [0.0]})
    with pytest.raises(dt.InputError, match="must be one of segment scores; got 'bleu'"):
        dt.scenarios.Bleu.fit(scores, "bleu", system="A", baseline="B")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"p0": 1.0}, r"`p0` must lie between 0 and 1, below 1; got 1\.0"),
        ({"b0": -1.0}, "`b0` must be a finite number above 0"),
        ({"n_resamples": 0}, "`n_resamples` must be a whole number"),
    ],
)
def test_bad_parameters_are_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(dt.InputError, match=message):
        dt.scenarios.Bleu(**settings)
