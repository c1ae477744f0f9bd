"""Means of systems and of pairs by hand: weights, errors, and what counts as a degree of freedom."""

import math

import numpy as np
import pytest

from detectable.core.errors import InputError
from detectable.data.human.judgments import Judgments
from detectable.study.ranking.item_scores import (
    mean_parts,
    severity_removed,
    system_estimate,
    unpaired_estimate,
    z_scores,
)
from tests.inference.small_samples import gold

NAN = math.nan
FIRST = np.array([1.0, 3.0, 5.0, NAN, NAN, NAN])
SECOND = np.array([NAN, NAN, 2.0, 6.0, NAN, NAN])


def bell_mccaffrey(shares: list[float]) -> float:
    """Return the degrees of freedom of clusters with these shares, as the page has them."""
    weights = [h * h / (1.0 - h) for h in shares]
    squares = sum(h * h for h in shares) - sum(w * w for w in weights)
    return 1.0 / (squares + sum(weights) ** 2)


class TestOneMean:
    def test_items_without_a_score_count_for_nothing(self) -> None:
        found = system_estimate(FIRST, None, None)
        assert (found.value, found.df) == (3.0, 2.0)
        assert found.standard_error == pytest.approx(math.sqrt(4.0 / 3.0))

    def test_documents(self) -> None:
        # Residuals −2, 0 in one document and 2 in the other; the third has no score.
        found = system_estimate(FIRST, None, np.array([4, 4, 9, 9, 1, 1]))
        assert (found.value, found.df) == (3.0, 1.0)
        # Residual sums ∓2 over 3, of shares ⅔ and ⅓: (4/9) / ⅓ + (4/9) / ⅔.
        assert found.standard_error == pytest.approx(math.sqrt(2.0))

    @pytest.mark.golden
    def test_documents_are_those_of_clubsandwich(self) -> None:
        for row in gold("cluster_robust")["rows"]:
            documents = np.repeat(np.arange(len(row["sizes"])), row["sizes"])
            found = system_estimate(np.array(row["y"]), None, documents)
            assert found.standard_error == pytest.approx(row["se_CR2"], rel=1e-12)
            assert found.df == pytest.approx(row["df_BM"], rel=1e-12)

    def test_domains_weigh_alike_and_take_a_degree_each(self) -> None:
        values = np.array([1.0, 3.0, 10.0, 14.0, 18.0, NAN])
        strata = np.array([0, 0, 2, 2, 2, 2])  # no item of domain 1
        parts = mean_parts(values, strata)
        assert parts.weights.tolist() == pytest.approx([1 / 4, 1 / 4, 1 / 6, 1 / 6, 1 / 6, 0.0])
        assert parts.sizes == pytest.approx([1 / 8, 1 / 12])  # one over 2² n
        assert parts.df.tolist() == [1.0, 2.0]
        found = system_estimate(values, strata, None)
        assert found.value == 8.0
        # Satterthwaite with variances in the ratio of 1/n: (1/8 + 1/12)² / (1/64 + 1/288).
        assert found.df == pytest.approx((5 / 24) ** 2 / (1 / 64 + 1 / 288))
        # s²/n of the domains: 2/2 and 16/3, over 2².
        assert found.standard_error == pytest.approx(math.sqrt((1.0 + 16.0 / 3.0) / 4.0))

    def test_a_single_item_has_the_whole_weight_of_its_domain(self) -> None:
        parts = mean_parts(np.array([4.0, 1.0, 3.0]), np.array([0, 1, 1]))
        assert parts.weights.tolist() == [0.5, 0.25, 0.25]
        assert parts.value == 3.0
        assert np.isnan(parts.df).tolist() == [True, False]

    def test_equal_domains_add_up_their_degrees_of_freedom(self) -> None:
        values, strata = np.arange(12.0) ** 2, np.repeat([0, 1, 2], 4)
        assert system_estimate(values, strata, None).df == pytest.approx(9.0)

    def test_documents_within_domains_have_their_own_factor(self) -> None:
        values = np.array([1.0, 3.0, 10.0, 14.0, 18.0, 18.0])
        strata, documents = np.array([0, 0, 1, 1, 1, 1]), np.array([0, 1, 2, 2, 3, 4])
        found = system_estimate(values, strata, documents)
        # Domain 0: ∓1 in two documents, a half each; domain 1 (mean 15): −6, 3, 3 in documents
        # of ½, ¼ and ¼.
        squares = (1 + 1) / (2 * 2) ** 2 / (1 / 2)
        squares += (36 / (1 / 2) + (9 + 9) / (3 / 4)) / (2 * 4) ** 2
        assert found.standard_error == pytest.approx(math.sqrt(squares))
        assert found.value == 8.5
        # Degrees of freedom 1, and those of shares ½, ¼, ¼; working variances ⅛ and 1/16.
        second = 1.0 / (3 / 8 + 4 / 9 - 1 / 4 - 2 / 144)
        assert found.df == pytest.approx((3 / 16) ** 2 / (1 / 64 + 1 / 256 / second))

    def test_a_document_of_two_domains_adds_up(self) -> None:
        values = np.array([1.0, 3.0, 10.0, 14.0])
        strata = np.array([0, 0, 1, 1])
        apart = system_estimate(values, strata, np.array([0, 1, 2, 3]))
        together = system_estimate(values, strata, np.array([0, 1, 0, 1]))
        # Influences ∓½·1·√2/2 and ∓½·2·√2/2: squared and added up, or added up and squared.
        assert apart.standard_error == pytest.approx(math.sqrt(2 * (1 + 4) / 8))
        assert together.standard_error == pytest.approx(math.sqrt(2 * 9 / 8))

    def test_a_domain_with_one_document_has_no_error(self) -> None:
        values = np.array([1.0, 3.0, 5.0, 9.0])
        found = system_estimate(values, np.array([0, 0, 1, 1]), np.array([0, 0, 1, 2]))
        assert found.value == 4.5
        assert math.isnan(found.standard_error)

    @pytest.mark.parametrize("values", [[NAN, NAN], [NAN, 2.0]])
    def test_too_few_scores(self, values: list[float]) -> None:
        found = system_estimate(np.array(values), None, None)
        assert math.isnan(found.standard_error)
        assert math.isnan(found.df)
        assert math.isnan(found.value) == math.isnan(values[1])


class TestTwoMeans:
    def test_items_that_neither_system_has_are_no_degrees_of_freedom(self) -> None:
        found = unpaired_estimate(FIRST, SECOND, None, None)
        # Four items have a score; one of them of both systems. Variances in the ratio of 1/n, with
        # 2 degrees of freedom and 1: less than those of four items with shares 2, 2, 5, 3 of 12.
        assert found.value == -1.0
        assert found.df < bell_mccaffrey([2 / 12, 2 / 12, 5 / 12, 3 / 12])
        assert found.df == pytest.approx((1 / 3 + 1 / 2) ** 2 / (1 / 18 + 1 / 4))
        first = math.sqrt(3 / 2) / 3 * np.array([-2.0, 0.0, 2.0, 0.0])
        second = math.sqrt(2 / 1) / 2 * np.array([0.0, 0.0, -2.0, 2.0])
        assert found.standard_error == pytest.approx(math.sqrt(np.square(first - second).sum()))

    def test_nor_are_documents_that_neither_has(self) -> None:
        documents = np.array([7, 7, 3, 3, 5, 6])
        found = unpaired_estimate(FIRST, SECOND, None, documents)
        # SECOND lies in one document, so that its spread between documents is not known.
        assert found.value == -1.0
        assert math.isnan(found.df)
        assert math.isnan(found.standard_error)
        both = unpaired_estimate(FIRST, SECOND - np.array([0, 0, 1, 1, 0, 0]), None, None)
        assert both.value == 0.0

    def test_an_item_with_a_score_of_exactly_the_mean_counts(self) -> None:
        # Its influence is zero: what counts is that it was seen.
        middle = np.array([1.0, 2.0, 3.0, NAN, NAN])
        other = np.array([1.5, 2.0, 2.5, NAN, NAN])
        found = unpaired_estimate(middle, other, None, None)
        assert found.df == 2.0  # of three shared items
        assert found.standard_error == pytest.approx(0.5 / math.sqrt(3.0))

    def test_one_score_has_no_error(self) -> None:
        found = unpaired_estimate(
            np.array([1.0, 2.0, 3.0, NAN]), np.array([NAN, NAN, NAN, 5.0]), None, None
        )
        assert found.value == -3.0
        assert math.isnan(found.df)
        assert math.isnan(found.standard_error)

    def test_the_domains_of_both_systems_count(self) -> None:
        strata = np.array([0, 0, 1, 1, 1, 1])
        first = np.array([1.0, 2.0, 3.0, 5.0, NAN, NAN])
        second = np.array([NAN, NAN, NAN, 4.0, 6.0, 7.0])
        # Two domains of 2 items with a weight of ½ each, and one domain of 3.
        sizes, df = np.array([1 / 8, 1 / 8, 1 / 3]), np.array([1.0, 1.0, 2.0])
        expected = sizes.sum() ** 2 / (sizes**2 / df).sum()
        found = unpaired_estimate(first, second, strata, None)
        assert found.df == pytest.approx(expected)
        assert found.df < 4.0  # six items, two domains

    def test_items_of_both_systems_are_not_counted_twice(self) -> None:
        rng = np.random.default_rng(2)
        first, second = rng.normal(size=(2, 20))
        # 19 + 19 would be those of separate items.
        assert unpaired_estimate(first, second, None, None).df == pytest.approx(19.0)
        second[18:] = NAN
        found = unpaired_estimate(first, second, None, None)
        shares = [(1 / 20 + 1 / 18) / 2] * 18 + [1 / 40] * 2
        assert found.df == pytest.approx(bell_mccaffrey(shares))

    def test_all_items_of_both_are_a_paired_test(self) -> None:
        rng = np.random.default_rng(3)
        first, second = rng.normal(size=(2, 15))
        documents = np.repeat(np.arange(5), [1, 2, 3, 4, 5])
        for clusters in (None, documents):
            found = unpaired_estimate(first, second, None, clusters)
            paired = system_estimate(first - second, None, clusters)
            assert found.value == pytest.approx(paired.value)
            assert found.standard_error == pytest.approx(paired.standard_error)
            assert found.df == pytest.approx(paired.df)

    def test_separate_items_are_welchs_test(self) -> None:
        rng = np.random.default_rng(4)
        a, b = rng.normal(size=9), rng.normal(size=14)
        first = np.concatenate([a, np.full(14, NAN)])
        second = np.concatenate([np.full(9, NAN), b])
        found = unpaired_estimate(first, second, None, None)
        variances = a.var(ddof=1) / 9, b.var(ddof=1) / 14
        assert found.standard_error == pytest.approx(math.sqrt(sum(variances)))
        # Satterthwaite with equal variances of items, not with estimated ones.
        expected = (1 / 9 + 1 / 14) ** 2 / (1 / 81 / 8 + 1 / 196 / 13)
        assert found.df == pytest.approx(expected)

    def test_many_items_have_small_weights_that_count_all_the_same(self) -> None:
        first, second = np.full((2, 400), NAN)
        first[:200], second[100:300] = np.arange(200.0), np.arange(200.0)
        found = unpaired_estimate(first, second, None, None)
        # Items of one system have a share of 1/400, the 100 of both 1/200.
        expected = bell_mccaffrey([1 / 400] * 200 + [1 / 200] * 100)
        assert found.df == pytest.approx(expected)
        assert 250.0 < found.df < 299.0


# --- Scores without the severity of raters ---


def judged(**columns: object) -> Judgments:
    n = len(columns["score"])  # type: ignore[arg-type]
    defaults = {"system": ["A", "B"] * (n // 2), "item": list(range(n)), "rater": ["w"] * n}
    return Judgments.build({**defaults, **columns})


def test_mean_and_spread_are_of_all_that_a_rater_judged() -> None:
    scores = [50.0, 60.0, 90.0, 10.0]
    table = judged(score=scores, kind=["system", "system", "reference", "degraded"])
    expected = (np.array(scores) - np.mean(scores)) / np.std(scores, ddof=1)
    assert z_scores(table).values == pytest.approx(expected, rel=1e-14)


def test_ordinary_items_only() -> None:
    table = judged(score=[50.0, 60.0, 90.0, 10.0], kind=["system", "repeat", "REF", "BAD"])
    z = z_scores(table, over="ordinary").values
    assert z[:2] == pytest.approx([-(0.5**0.5), 0.5**0.5])
    assert z[2] == pytest.approx((90 - 55) / 50**0.5)


def test_a_rater_is_standardised_in_each_language_pair() -> None:
    table = judged(score=[10.0, 20.0, 80.0, 90.0], language=["a-b", "a-b", "c-d", "c-d"])
    assert z_scores(table).values == pytest.approx([-(0.5**0.5), 0.5**0.5] * 2)


def test_raters_without_spread_are_named_and_counted() -> None:
    table = judged(
        score=[50.0, 60.0, 33.1, 33.1, 33.1, 70.0],
        rater=["w", "w", "flat", "flat", "flat", "once"],
    )
    found = z_scores(table)
    assert found.dropped == ("flat", "once")
    assert np.isnan(found.values).tolist() == [False, False, True, True, True, True]
    assert "2 raters" in found.notes[0]
    assert "flat, once (4 judgments, left out of z, kept in the raw means)" in found.notes[0]


def test_without_raters_there_is_no_z() -> None:
    table = Judgments.build({"system": ["A", "B"], "item": [1, 1], "score": [1, 2]})
    with pytest.raises(InputError, match="there is no rater"):
        z_scores(table)


def test_a_mixed_model_takes_out_severity_but_keeps_the_scale() -> None:
    rng = np.random.default_rng(3)
    rater, item, system = (axis.ravel() for axis in np.indices((6, 20, 2)))
    severity = np.array([-20.0, -10.0, 0.0, 0.0, 10.0, 20.0])
    score = 50 + 5 * system + severity[rater] + rng.normal(0, 3, rater.size)
    table = Judgments.build({"system": system, "item": item, "rater": rater, "score": score})
    adjusted = severity_removed(table).values
    by_rater = [adjusted[rater == r].mean() for r in range(6)]
    assert np.ptp(by_rater) < 1.0  # it was 40
    assert adjusted.mean() == pytest.approx(score.mean(), abs=0.01)


def test_an_unknown_base_is_refused() -> None:
    with pytest.raises(InputError, match=r"`over` must be one of .*; got 'systems'"):
        z_scores(judged(score=[1.0, 2.0]), over="systems")  # type: ignore[arg-type]


def test_one_rater_without_z_is_named_in_the_singular() -> None:
    table = judged(score=[50.0, 60.0, 70.0], rater=["w", "w", "once"], system=["A", "B", "A"])
    assert z_scores(table).notes == (
        "1 rater gave one judgment or one score throughout and has no z: once (1 judgment, left "
        "out of z, kept in the raw means).",
    )
    assert z_scores(judged(score=[50.0, 60.0])).notes == ()


def test_a_rater_who_judged_controls_only_has_no_z_of_ordinary_items() -> None:
    table = judged(
        score=[50.0, 60.0, 90.0, 10.0],
        rater=["w", "w", "v", "v"],
        kind=["system", "system", "reference", "degraded"],
    )
    assert z_scores(table, over="ordinary").dropped == ("v",)
    assert z_scores(table).dropped == ()


@pytest.mark.parametrize(
    ("low", "apart", "flat"), [(30.0, 1e-11, True), (30.0, 1e-10, False), (0.0, 5e-13, True)]
)
def test_a_spread_of_rounding_is_none(low: float, apart: float, *, flat: bool) -> None:
    table = judged(score=[low, low + apart, 50.0, 60.0], rater=["v", "v", "w", "w"])
    assert z_scores(table).dropped == (("v",) if flat else ())


def test_the_mixed_model_looks_at_systems_only() -> None:
    rater, item, system = (axis.ravel() for axis in np.indices((4, 12, 2)))
    score = 50.0 + np.array([-9.0, -3.0, 3.0, 9.0])[rater]
    score = score + np.random.default_rng(1).normal(0, 2, rater.size)
    columns = {"system": system, "item": item, "rater": rater, "score": score}
    plain = severity_removed(Judgments.build({**columns, "kind": ["system"] * rater.size}))
    # Controls of one rater are far off, which must not move anybody's severity.
    controls = {"system": [0] * 5, "item": range(5), "rater": [0] * 5, "score": [0.0] * 5}
    both = {name: [*columns[name], *controls[name]] for name in columns}
    kinds = ["system"] * rater.size + ["degraded"] * 5
    found = severity_removed(Judgments.build({**both, "kind": kinds}))
    assert found.values[: rater.size] == pytest.approx(plain.values, rel=1e-9)
    severity = score[rater == 0] - plain.values[rater == 0]
    assert found.values[rater.size :] == pytest.approx(-severity[:5], rel=1e-6)
