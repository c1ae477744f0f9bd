"""The exact band: consistent with the test, valid between grid points, and covering."""

import math

import numpy as np
import pytest

from detectable.core.errors import InputError
from detectable.sequential.bands import betting_band
from detectable.sequential.e_process import e_process
from tests.sequential.anytime_streams import TYPICAL, VALUES, histogram, tilted, unpaired


def test_a_band_without_zero_means_that_the_test_has_decided() -> None:
    rng, both = np.random.default_rng(1), 0
    for _ in range(40):
        x = np.clip(rng.normal(8, 40, size=400), -100, 100)
        band, test = betting_band(x), e_process(x)
        outside = np.flatnonzero((band.low > 0) | (band.high < 0))
        if outside.size:
            both += 1
            assert test.decided_at is not None
            assert test.decided_at <= outside[0] + 1
            # E counts both sides, so the test is ahead by a little only.
            assert outside[0] + 1 - test.decided_at < 100
    assert both > 10


def test_the_band_only_narrows_and_is_mirrored() -> None:
    x = np.random.default_rng(2).integers(-60, 101, size=500).astype(float)
    band, mirror = betting_band(x), betting_band(-x)
    assert np.all(np.diff(band.low) >= 0)
    assert np.all(np.diff(band.high) <= 0)
    np.testing.assert_allclose(mirror.low, -band.high, atol=1e-9)
    assert band.interval.low < band.estimate < band.interval.high


def test_a_finer_grid_changes_bounds_by_less_than_a_step() -> None:
    x = np.random.default_rng(3).integers(-60, 101, size=800).astype(float)
    coarse, fine = betting_band(x, step=1.0), betting_band(x, step=0.05)
    assert np.all(coarse.low <= fine.low + 1e-9)
    assert np.all(fine.low <= coarse.low + 1.0 + 1e-9)
    assert np.all(fine.high <= coarse.high + 1e-9)


def test_bounds_of_another_scale_scale_the_band() -> None:
    x = np.random.default_rng(4).integers(-60, 101, size=300).astype(float)
    points, likert = betting_band(x), betting_band(x / 25, bounds=(1, 5))
    np.testing.assert_allclose(likert.low * 25, points.low, atol=1e-9)


def test_words_and_wrong_steps() -> None:
    band = betting_band([80, 90, 75, 95] * 50, [60, 65, 70, 70] * 50)
    assert band.summary().startswith("mean difference +18.75, 95% band [+")
    assert "without 0" in band.summary()
    assert betting_band([30.0, 32.0] * 50_000, step=100.0).notes
    with pytest.raises(InputError, match="`step` must lie between"):
        betting_band([1.0], step=1e-9)
    with pytest.raises(InputError, match="got 150 at position 0"):
        betting_band([150.0])


@pytest.mark.slow
@pytest.mark.parametrize("gain", [0.0, 3.0])
def test_coverage_over_time_on_real_scores(gain: float) -> None:
    rng, reps = np.random.default_rng(int(gain) + 31), 400
    probabilities = histogram(TYPICAL)
    truth = float((tilted(probabilities, gain) - probabilities) @ VALUES)
    rows = unpaired(probabilities, gain=gain, reps=reps, n=1500, rng=rng)
    missed = 0
    for row in rows:
        band = betting_band(row, step=0.25)
        missed += bool(np.any((band.low > truth) | (band.high < truth)))
    assert missed / reps <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / reps)
