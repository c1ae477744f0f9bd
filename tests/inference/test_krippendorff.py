"""Krippendorff's alpha: his own example, the definition spelled out, and its limits."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from detectable.core.choices import AgreementLevel
from detectable.inference.agreement import alpha_sums, midranks

NONE = np.nan
# Krippendorff (2011), section C: four observers, twelve units, missing values.
EXAMPLE = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, NONE, NONE, NONE],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NONE, 3],
        [NONE, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NONE],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NONE],
    ]
)
LEVELS: tuple[AgreementLevel, ...] = ("nominal", "ordinal", "interval")


def by_definition(values: np.ndarray, unit: np.ndarray, level: AgreementLevel) -> float:
    """Return alpha from the matrix of coincidences, value by value."""
    groups = [values[unit == u] for u in np.unique(unit)]
    groups = [group for group in groups if group.size > 1]
    categories = np.unique(np.concatenate(groups))
    index = {value: i for i, value in enumerate(categories.tolist())}
    coincidences = np.zeros((categories.size, categories.size))
    for group in groups:
        for a, b in permutations(group.tolist(), 2):
            coincidences[index[a], index[b]] += 1 / (group.size - 1)
    margin = coincidences.sum(axis=0)
    n = margin.sum()
    distance = np.zeros_like(coincidences)
    for c in range(categories.size):
        for k in range(c + 1, categories.size):
            if level == "nominal":
                d = 1.0
            elif level == "interval":
                d = float(categories[k] - categories[c]) ** 2
            else:
                d = float(margin[c : k + 1].sum() - (margin[c] + margin[k]) / 2) ** 2
            distance[c, k] = distance[k, c] = d
    observed = (coincidences * distance).sum() / n
    expected = (np.outer(margin, margin) * distance).sum() / (n * (n - 1))
    return float(1 - observed / expected)


def example() -> tuple[np.ndarray, np.ndarray]:
    rater, unit = np.nonzero(~np.isnan(EXAMPLE))
    return EXAMPLE[rater, unit], unit


@pytest.mark.golden
@pytest.mark.parametrize(
    ("level", "alpha"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)]
)
def test_the_published_example(level: AgreementLevel, alpha: float) -> None:
    values, unit = example()
    found = alpha_sums(values, unit, level=level).alpha()
    assert found == pytest.approx(alpha, abs=0.0005)
    assert found == pytest.approx(by_definition(values, unit, level), rel=1e-12)


@pytest.mark.golden
@pytest.mark.parametrize(
    ("level", "alpha"),
    [
        ("nominal", -0.0035619901183499003),
        ("ordinal", -0.06882799815590612),
        ("interval", -0.06184238893826666),
    ],
)
def test_random_scores_as_the_package_krippendorff(level: AgreementLevel, alpha: float) -> None:
    # krippendorff 0.9.0 from PyPI, krippendorff.alpha(table, level_of_measurement=level)
    rng = np.random.default_rng(5)
    table = rng.integers(0, 101, (6, 40)).astype(float)
    table[rng.random(table.shape) < 0.4] = np.nan
    rater, unit = np.nonzero(~np.isnan(table))
    found = alpha_sums(table[rater, unit], unit, level=level).alpha()
    assert found == pytest.approx(alpha, abs=1e-12)


@given(
    st.lists(st.tuples(st.integers(0, 6), st.integers(1, 5)), min_size=4, max_size=40).filter(
        lambda rows: len({v for u, v in rows if [r[0] for r in rows].count(u) > 1}) > 1
    ),
    st.sampled_from(LEVELS),
)
def test_sums_equal_the_matrix_of_coincidences(
    rows: list[tuple[int, int]], level: AgreementLevel
) -> None:
    unit, values = (np.array(column) for column in zip(*rows, strict=True))
    found = alpha_sums(values.astype(float), unit, level=level).alpha()
    assert found == pytest.approx(by_definition(values, unit, level), abs=1e-10)


@pytest.mark.parametrize("level", LEVELS)
def test_perfect_agreement_is_one_and_chance_is_zero(level: AgreementLevel) -> None:
    rng = np.random.default_rng(1)
    unit = np.repeat(np.arange(3000), 2)
    score = rng.integers(0, 101, 3000).astype(float)
    assert alpha_sums(np.repeat(score, 2), unit, level=level).alpha() == pytest.approx(1.0)
    chance = rng.integers(0, 5, 6000).astype(float)
    # Alpha of two raters is close to a correlation, with a standard error of 1/√units.
    assert abs(alpha_sums(chance, unit, level=level).alpha()) < 3 / 3000**0.5


@pytest.mark.parametrize("level", LEVELS)
def test_clusters_only_add_up(level: AgreementLevel) -> None:
    values, unit = example()
    grouped = alpha_sums(values, unit, level=level, cluster=unit // 3)
    assert grouped.alpha() == pytest.approx(alpha_sums(values, unit, level=level).alpha())
    assert grouped.values.size == 4


def test_resamples_are_alpha_of_resampled_units() -> None:
    values, unit = example()
    keep = unit < 11
    values, unit = values[keep], unit[keep]
    for level in ("nominal", "interval"):
        sums = alpha_sums(values, unit, level=level)
        drawn = np.random.default_rng(3).integers(0, 11, (4, 11))
        found = sums.resampled(4, np.random.default_rng(3))
        for row, want in zip(drawn, found, strict=True):
            again = [values[unit == u] for u in row]
            copies = np.repeat(np.arange(11), [group.size for group in again])
            one = by_definition(np.concatenate(again), copies, level)
            assert want == pytest.approx(one)


def test_one_value_throughout_has_no_alpha() -> None:
    sums = alpha_sums(np.full(4, 3.0), np.array([0, 0, 1, 1]), level="interval")
    assert np.isnan(sums.alpha())


def test_midranks_are_those_of_scipy() -> None:
    from scipy.stats import rankdata

    values = np.random.default_rng(2).integers(0, 9, 50).astype(float)
    assert np.allclose(midranks(values), rankdata(values) - 25.5)
