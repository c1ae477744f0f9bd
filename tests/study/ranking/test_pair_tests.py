"""Mean differences of all pairs at once are those of each pair by itself."""

import numpy as np
import pytest

from detectable.study.ranking.item_scores import system_estimate
from detectable.study.ranking.pair_tests import pair_means


@pytest.mark.parametrize("seed", range(40))
def test_all_at_once_is_one_by_one(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, n_pairs = int(rng.integers(4, 60)), int(rng.integers(1, 7))
    d = rng.normal(1, 1, (n, n_pairs))
    d[rng.random((n, n_pairs)) < rng.choice([0.0, 0.3, 0.6])] = np.nan
    strata = None if rng.random() < 0.5 else rng.integers(0, 3, n)
    clusters = None if rng.random() < 0.4 else rng.integers(0, rng.integers(2, 12), n)
    found = pair_means(d, strata, clusters)
    for k, (ours, part) in enumerate(zip(found.estimates, found.swap_parts(), strict=True)):
        wanted = system_estimate(d[:, k], strata, clusters)
        numbers = [ours.value, ours.standard_error, ours.df]
        assert numbers == pytest.approx(
            [wanted.value, wanted.standard_error, wanted.df], rel=1e-9, nan_ok=True
        )
        if np.isfinite(wanted.value):
            assert part.parts.sum() == pytest.approx(wanted.value)
            assert part.shares.sum() == pytest.approx(1.0)


def test_differences_that_are_equal_but_for_rounding_have_no_spread() -> None:
    d = np.array([0.1, 0.2, 0.4, 0.8, 1.6]) + 0.3 - np.array([0.1, 0.2, 0.4, 0.8, 1.6])
    assert np.unique(d).size > 1
    found = pair_means(d[:, None], None, None)
    assert found.estimates[0].standard_error == 0.0
    assert found.swap_parts()[0].estimate().standard_error == 0.0
