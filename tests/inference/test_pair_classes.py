"""Kendall's statistics against scipy, and the unit tests of mt-metrics-eval."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from detectable.core.choices import PairStatistic
from detectable.inference.pairwise_accuracy import pair_signs

GOLD, METRIC = np.array([[1.0, 2, 2, 3, 4]]), np.array([[2.0, 1, 1.5, 5, 3]])


def value(
    first: np.ndarray, second: np.ndarray, which: PairStatistic, epsilon: float = 0.0
) -> float:
    signs = pair_signs(first, second, epsilon=epsilon)
    return float(signs.counts(first, second).value(which)[0])


@pytest.mark.parametrize(
    ("which", "epsilon", "want"),
    [("kendall", 0, 0.316227766), ("kendall-c", 0, 0.32), ("tau23", 0, 0.2), ("acc23", 0, 0.6),
     ("acc23", 2, 0.4)],
)  # fmt: skip
def test_variants_of_mt_metrics_eval(which: PairStatistic, epsilon: float, want: float) -> None:
    assert value(GOLD, METRIC, which, epsilon) == pytest.approx(want, abs=1e-9)


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=3, max_size=12))
def test_b_and_c_are_those_of_scipy(pairs: list[tuple[int, int]]) -> None:
    x, y = np.array(pairs, dtype=float).T
    for which, variant in (("kendall", "b"), ("kendall-c", "c")):
        want = stats.kendalltau(x, y, variant=variant).statistic
        got = value(x[None], y[None], which)  # type: ignore[arg-type]
        assert got == pytest.approx(want, abs=1e-12) or (np.isnan(got) and np.isnan(want))


def test_what_has_no_value_has_no_pairs() -> None:
    gaps = np.array([[1.0, np.nan, 2, 3, 9]]), np.array([[2.0, 1, 1.5, np.nan, 3]])
    whole = np.array([[1.0, 2, 9]]), np.array([[2.0, 1.5, 3]])
    for which in ("kendall", "kendall-c", "tau23", "acc23"):
        assert value(*gaps, which) == value(*whole, which)
    assert np.isnan(value(np.array([[1.0, np.nan]]), np.array([[1.0, 2.0]]), "acc23"))
