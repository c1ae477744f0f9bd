"""A share corrected for a judge's errors: published intervals, coverage, and the coin."""

from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from detectable.core.choices import AgreementLevel
from detectable.inference.agreement import (
    JudgedShare,
    alpha_sums,
    alpha_without_raters,
    disorder,
    dissimilarity,
    marked_letters,
    midranks,
)
from tests.helpers import golden


@pytest.mark.golden
@pytest.mark.parametrize("case", golden("judged_share"), ids=lambda case: case["name"])
def test_published_intervals(case: dict[str, Any]) -> None:
    sizes = {name: case[name] for name in ("n_pool", "n_right", "n_wrong")}
    found = JudgedShare(case["judged"], case["sensitivity"], case["specificity"], **sizes)
    made = found.interval(case["level"])
    within = [min(max(end, 0.0), 1.0) for end in (made.low, made.high)]  # as they are published
    assert within == pytest.approx(case["interval"], abs=1e-12)
    assert made.level == case["level"]


def test_the_power_of_a_judge_has_the_interval_of_agresti_and_caffo() -> None:
    # 18 of 20 and 2 of 10 with a success and a failure more: 19/22 − 3/12.
    found = JudgedShare(0.5, 0.9, 0.8, 1000, 20, 10)
    made = found.power_interval(0.95)
    error = (19 * 3 / 22**3 + 9 * 3 / 12**3) ** 0.5
    assert found.power == pytest.approx(0.7)
    assert made.low == pytest.approx(19 / 22 - 3 / 12 - 1.959964 * error, abs=1e-6)
    assert made.high == pytest.approx(19 / 22 - 3 / 12 + 1.959964 * error, abs=1e-6)


def test_a_judge_without_an_error_may_still_err() -> None:
    made = JudgedShare(0.5, 1.0, 1.0, 100, 5, 5).interval(0.95)
    assert made.low < 0.4 < 0.6 < made.high
    assert JudgedShare(0.5, 1.0, 1.0, 100, 5, 5).power_interval(0.95).high - 5 / 7 > 0.3


counts = st.integers(5, 60)


@given(data=st.data())
def test_the_estimate_lies_in_its_interval_and_turning_right_and_wrong_mirrors_it(
    data: st.DataObject,
) -> None:
    n, n1, n0 = data.draw(st.integers(10, 2000)), data.draw(counts), data.draw(counts)
    x, tp, tn = (data.draw(st.integers(0, most)) for most in (n, n1, n0))
    found = JudgedShare(x / n, tp / n1, tn / n0, n, n1, n0)
    if found.power_interval(0.95).low <= 0.0 or not 0.0 <= found.share <= 1.0:
        return
    made = found.interval(0.95)
    assert made.low <= found.share <= made.high
    turned = JudgedShare(1 - x / n, tn / n0, tp / n1, n, n0, n1).interval(0.95)
    assert (1 - turned.high, 1 - turned.low) == pytest.approx((made.low, made.high), abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.2, 0.5, 0.8, 0.95])
@pytest.mark.parametrize("labels", [30, 60, 200])
def test_intervals_cover(share: float, labels: int) -> None:
    rng, trials, held, asked = np.random.default_rng([labels, int(100 * share)]), 4000, 0, 0
    for _ in range(trials):
        n1 = int(np.clip(rng.binomial(labels, 0.6), 5, labels - 5))
        n0 = labels - n1
        se, sp = rng.binomial(n1, 0.9) / n1, rng.binomial(n0, 0.8) / n0
        p = rng.binomial(1000, 0.9 * share + 0.2 * (1 - share)) / 1000
        found = JudgedShare(p, se, sp, 1000, n1, n0)
        if found.power_interval(0.95).low <= 0.0 or not 1 - sp <= p <= se:
            continue  # refused
        asked += 1
        held += share in found.interval(0.95)
    assert held / asked > 0.95 - 3 * (0.05 * 0.95 / asked) ** 0.5


# --- Krippendorff's alpha: his own example, the definition spelled out, and its limits ---

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


def test_alpha_without_a_unit_and_without_a_rater() -> None:
    rng = np.random.default_rng(3)
    cells = np.unique(rng.integers(0, 480, 300))
    unit, rater = cells // 8, cells % 8
    values = np.round(rng.normal(3.0, 1.0, cells.size))
    for level in ("nominal", "interval"):
        sums = alpha_sums(values, unit, level=level)
        pairable = np.flatnonzero(np.bincount(unit) > 1)
        for found, code in zip(sums.without_each(), pairable.tolist(), strict=True):
            rest = unit != code
            assert found == pytest.approx(by_definition(values[rest], unit[rest], level))
        left = alpha_without_raters(values, unit, rater, level=level)
        for code, found in enumerate(left):
            rest = rater != code
            assert found == pytest.approx(by_definition(values[rest], unit[rest], level))
    # Mid-ranks stay those of all raters, which is close to ranks of the others alone.
    left = alpha_without_raters(values, unit, rater, level="ordinal")
    for code, found in enumerate(left):
        rest = rater != code
        alone = alpha_sums(values[rest], unit[rest], level="ordinal").alpha()
        assert found == pytest.approx(alone, abs=0.01)


def test_one_value_throughout_has_no_alpha() -> None:
    sums = alpha_sums(np.full(4, 3.0), np.array([0, 0, 1, 1]), level="interval")
    assert np.isnan(sums.alpha())


def test_midranks_are_those_of_scipy() -> None:
    from scipy.stats import rankdata

    values = np.random.default_rng(2).integers(0, 9, 50).astype(float)
    assert np.allclose(midranks(values), rankdata(values) - 25.5)


# Errors that two raters marked

MARKS = st.lists(
    st.tuples(st.integers(0, 20), st.integers(1, 9), st.sampled_from(["minor", "major"])).map(
        lambda one: (one[0], one[0] + one[1], one[2])
    ),
    max_size=4,
)


@pytest.mark.golden
@pytest.mark.parametrize("case", golden("disorder"), ids=lambda case: case["name"])
def test_disorder_is_that_of_the_reference_implementation(case: dict[str, Any]) -> None:
    one, other = (
        [(start, end, how) for start, end, how in case[name]] for name in ("one", "other")
    )
    found = disorder(one, other) / ((len(one) + len(other)) / 2.0)
    assert found == pytest.approx(case["disorder"], abs=case["tolerance"])


def test_marks_are_apart_as_defined() -> None:
    assert dissimilarity((12, 18, "minor"), (12, 18, "major")) == 1.0
    assert dissimilarity((1, 5, "a"), (2, 6, "a")) == pytest.approx((2 / 8) ** 2)
    assert dissimilarity((1, 5, "a"), (1, 6, "b")) == pytest.approx((1 / 9) ** 2 + 1.0)
    # Beside each other: as far as their lengths together, which costs as much as a mark alone.
    assert dissimilarity((0, 4, "a"), (4, 8, "a")) == 1.0


@given(MARKS, MARKS)
def test_the_best_alignment_is_the_cheapest_of_all(one: Any, other: Any) -> None:
    def cheapest(rest: Any, open_: Any) -> float:
        if not rest:
            return float(len(open_))
        first, *more = rest
        found = 1.0 + cheapest(more, open_)
        for n, partner in enumerate(open_):
            cost = dissimilarity(first, partner) + cheapest(more, open_[:n] + open_[n + 1 :])
            found = min(found, cost)
        return found

    assert disorder(one, other) == pytest.approx(cheapest(one, other))
    assert disorder(one, other) == pytest.approx(disorder(other, one))
    assert disorder(one, one) == 0.0


@given(MARKS, MARKS)
def test_letters_are_counted_as_one_by_one(one: Any, other: Any) -> None:
    n, m, both, same = marked_letters(one, other)
    letters = [
        {k for start, end, _ in marks for k in range(start, end)} for marks in (one, other)
    ]
    assert (n, m, both) == (*map(len, letters), len(letters[0] & letters[1]))
    assert 0 <= same <= both
    assert marked_letters(one, one) == (n, n, n, n)
