"""Accuracy with calibrated ties, against all thresholds tried one by one."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from detectable.inference import pairwise_accuracy as tie_calibration
from detectable.inference.pairwise_accuracy import TieCalibration


def plain(human: np.ndarray, metric: np.ndarray, weights: np.ndarray) -> tuple[float, float]:
    """Return the best accuracy and its smallest threshold, by loops."""
    pairs = []
    for g in range(len(human)):
        known = [
            (i, j)
            for i in range(human.shape[1])
            for j in range(i)
            if np.isfinite(human[g, [i, j]] + metric[g, [i, j]]).all()
        ]
        for i, j in known:
            h, m = human[g, i] - human[g, j], metric[g, i] - metric[g, j]
            pairs.append((h, m, weights[g] / len(known), g))
    total = sum(weights[g] for g in {p[3] for p in pairs})
    best = (-1.0, 0.0)
    for epsilon in [0.0, *sorted({abs(m) for _, m, _, _ in pairs})]:
        right = sum(w for h, m, w, _ in pairs if (h == 0 if abs(m) <= epsilon else h * m > 0))
        if right / total > best[0] + 1e-12:
            best = (right / total, epsilon)
    return best


@settings(max_examples=60, deadline=None)
@example(140, 4, 5)  # two thresholds whose accuracies differ in the last bit only
@given(st.integers(0, 10_000), st.integers(1, 6), st.integers(2, 5))
def test_all_thresholds_are_tried(seed: int, groups: int, members: int) -> None:
    rng = np.random.default_rng(seed)
    human, metric = rng.integers(0, 4, (2, groups, members)).astype(float)
    human[rng.random(human.shape) < 0.15] = np.nan
    found = TieCalibration.of(human, metric)
    if not found.distance.size:
        assert np.isnan(found.values(np.ones((1, groups)))).all()
        return
    want = plain(human, metric, np.ones(groups))
    assert found.best() == pytest.approx(want, abs=1e-12)
    assert found.at(want[1]) == pytest.approx(want[0], abs=1e-12)
    weights = rng.integers(0, 3, groups).astype(float)
    has_pairs = np.bincount(found.group, minlength=groups) > 0
    if weights[has_pairs].sum():
        got = found.values(weights[None])[0]
        assert got == pytest.approx(plain(human, metric, weights)[0], abs=1e-12)


def test_the_unit_test_of_mt_metrics_eval() -> None:
    found = TieCalibration.of(np.array([[1.0, 2, 2, 3, 4]]), np.array([[2.0, 1, 1.5, 5, 3]]))
    assert found.best()[0] == pytest.approx(0.7)


def test_weights_of_members_are_copies_that_are_no_pairs() -> None:
    rng = np.random.default_rng(3)
    human, metric = rng.integers(0, 3, (4, 5)).astype(float), rng.normal(size=(4, 5))
    weights = np.array([2.0, 0, 1, 1, 3])
    order = np.repeat(np.arange(5), weights.astype(int))
    pairs = [
        (human[g, i] - human[g, j], metric[g, i] - metric[g, j])
        for g in range(4)
        for a, i in enumerate(order)
        for j in order[:a]
        if i != j
    ]
    per_group = len(pairs) / 4
    best = max(
        sum((h == 0 if abs(m) <= e else h * m > 0) for h, m in pairs) / per_group / 4
        for e in [0.0, *(abs(m) for _, m in pairs)]
    )
    got = TieCalibration.of(human, metric).values(np.ones((1, 4)), weights[None])[0]
    assert got == pytest.approx(best, abs=1e-12)


def test_halves_choose_for_each_other() -> None:
    rng = np.random.default_rng(5)
    human, metric = rng.integers(0, 3, (10, 4)).astype(float), rng.normal(size=(10, 4))
    half = np.arange(10) < 5
    parts = [TieCalibration.of(human[h], metric[h]) for h in (half, ~half)]
    want = (parts[0].at(parts[1].best()[1]) + parts[1].at(parts[0].best()[1])) / 2
    got = TieCalibration.of(human, metric).values(np.ones((1, 10)), None, half)[0]
    assert got == pytest.approx(want, abs=1e-12)


def test_few_thresholds_on_resamples_lose_little(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(6)
    human = rng.integers(0, 3, (60, 8)).astype(float)
    metric = human + rng.normal(size=(60, 8))
    ones = np.ones((1, 60))
    exact = TieCalibration.of(human, metric)
    assert exact.values(ones)[0] <= exact.best()[0] + 1e-12
    monkeypatch.setattr(tie_calibration, "THRESHOLDS", 64)
    coarse = TieCalibration.of(human, metric).values(ones)[0]
    pairs = exact.distance.size
    assert exact.best()[0] - pairs / 64 / pairs - 1e-12 <= coarse <= exact.best()[0] + 1e-12


def test_only_the_proportions_of_weights_matter() -> None:
    rng = np.random.default_rng(7)
    human, metric = rng.integers(0, 3, (6, 5)).astype(float), rng.normal(size=(6, 5))
    groups, members = (rng.integers(1, 4, (4, n)).astype(float) for n in (6, 5))
    found = TieCalibration.of(human, metric)
    for scale in (1e-4, 30.0):
        assert found.values(scale * groups) == pytest.approx(found.values(groups))
        assert found.values(groups, scale * members) == pytest.approx(
            found.values(groups, members)
        )


def test_rounding_grows_with_the_number_of_groups() -> None:
    near = np.array([[0.0, 5.0, 5.0 + 5e-12]])
    assert tie_calibration._first_best(near, 10).tolist() == [1]
    assert tie_calibration._first_best(near, 2).tolist() == [2]
