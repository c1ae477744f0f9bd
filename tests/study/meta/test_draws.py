"""Draws of segments and swaps between metrics, against what they are by definition."""

from dataclasses import dataclass

import numpy as np
import pytest

from detectable.core.execute import Engine
from detectable.core.types import FloatArray, silent
from detectable.study.meta import measuring as draws
from detectable.study.meta.measuring import Swapped, WeightSwaps, bootstrap_draws, swap_draws


def engine(seed: int = 1) -> Engine:
    return Engine.start(seed, n_jobs=1, executor=None, progress=silent)


@dataclass(frozen=True)
class Total:
    """The sum of what segments weigh, each times its value; systems count their weights' sum."""

    of: FloatArray

    def values(self, items: FloatArray, systems: FloatArray | None = None) -> FloatArray:
        total: FloatArray = items @ self.of
        return total if systems is None else total + 1000.0 * systems.sum(axis=1)

    def floors(self, items: FloatArray, systems: FloatArray | None = None) -> FloatArray:
        return -self.values(items, systems)


def test_a_draw_takes_as_many_clusters_as_there_are_each_as_often() -> None:
    cluster = np.array([0, 0, 1, 2, 3, 3])
    each = [Total((cluster == c).astype(float) / (cluster == c).sum()) for c in range(4)]
    found = bootstrap_draws(each, cluster, n_systems=0, n_resamples=4000, engine=engine())
    assert found.shape == (4000, 2, 4)
    counts = found[:, 0]
    assert (counts.sum(axis=1) == 4).all()
    assert (found[:, 1] == -counts).all()
    # A binomial count of four draws with a quarter each: mean 1, variance ¾.
    assert counts.mean(axis=0) == pytest.approx(np.ones(4), abs=4 * (0.75 / 4000) ** 0.5)
    assert counts.var(axis=0) == pytest.approx(np.full(4, 0.75), abs=0.08)


def test_segments_of_a_cluster_are_drawn_together() -> None:
    apart = Total(np.array([1.0, -1.0, 0.0, 0.0]))
    found = bootstrap_draws(
        [apart], np.array([0, 0, 1, 2]), n_systems=0, n_resamples=300, engine=engine()
    )
    assert (found[:, 0] == 0.0).all()


def test_systems_are_drawn_where_they_are_asked_for() -> None:
    none = Total(np.zeros(3))
    found = bootstrap_draws([none], np.arange(3), n_systems=7, n_resamples=300, engine=engine())
    assert (found[:, 0] == 7000.0).all()


@pytest.mark.parametrize("cells", [1, 12, 400])
def test_batches_change_nothing(cells: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def both() -> tuple[FloatArray, FloatArray]:
        total, cluster = Total(np.arange(30.0) ** 2), np.arange(30)
        drawn = bootstrap_draws(
            [total], cluster, n_systems=4, n_resamples=230, engine=engine(3)
        )
        swaps = WeightSwaps(Total(np.concatenate([np.arange(30.0) ** 2, np.ones(30)])))
        return drawn, swap_draws(swaps, cluster, n_resamples=230, engine=engine(3)).null

    whole = both()
    monkeypatch.setattr(draws, "_CELLS", cells)
    for one, other in zip(whole, both(), strict=True):
        np.testing.assert_array_equal(one, other)


def test_swaps_of_few_clusters_are_all_counted() -> None:
    """Two totals differ by 2Σ±(a − b) over clusters: of three, four patterns up to their sign."""
    first, second = np.array([5.0, 1.0, 4.0, 2.0]), np.array([1.0, 1.0, 2.0, 1.0])
    swaps = WeightSwaps(Total(np.concatenate([first, second])))
    found = swap_draws(swaps, np.array([0, 0, 1, 2]), n_resamples=500, engine=engine())
    assert found.exact
    assert found.observed == 7.0
    # Gains of 4, 2 and 1 of the three clusters; the data are not among the patterns listed.
    assert sorted(np.abs(found.null)) == [1.0, 3.0, 5.0]
    assert found.p_value == 1 / 4
    assert found.standard_error == pytest.approx(np.sqrt((1 + 9 + 25) / 3))


def test_swaps_of_many_clusters_are_drawn_evenly() -> None:
    n = 40
    rng = np.random.default_rng(5)
    first, second = rng.normal(0, 1, (2, n))
    swaps = WeightSwaps(Total(np.concatenate([first, second])))
    found = swap_draws(swaps, np.arange(n), n_resamples=4000, engine=engine())
    assert not found.exact
    assert found.null.shape == (4000,)
    spread = float(np.sqrt(np.square(first - second).sum()))
    assert found.null.mean() == pytest.approx(0.0, abs=4 * spread / 4000**0.5)
    assert found.standard_error == pytest.approx(spread, rel=4 / 8000**0.5)


def test_p_counts_ties_and_leaves_out_what_has_no_value() -> None:
    null = np.array([0.5, -0.5, 0.2, np.nan, 0.5 - 1e-12, 0.5 - 1e-8])
    assert Swapped(0.5, null, exact=False).p_value == (1 + 3) / (1 + 5)
    assert Swapped(-0.5, null, exact=False).p_value == (1 + 3) / (1 + 5)
    known = null[np.isfinite(null)]
    assert Swapped(0.5, null, exact=False).standard_error == pytest.approx(
        np.sqrt(np.square(known).mean())
    )
    assert np.isnan(Swapped(0.5, np.zeros(0), exact=True).standard_error)
    # Rounding grows with the value.
    assert Swapped(1e6, np.array([1e6 - 5e-5, 1e6 - 5e-3]), exact=False).p_value == 2 / 3
