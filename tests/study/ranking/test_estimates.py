"""Means of systems and of pairs by hand: weights, errors, and what counts as a degree of freedom."""

import math

import numpy as np
import pytest

from detectable.study.ranking.estimates import mean_parts, system_estimate, unpaired_estimate

NAN = math.nan
FIRST = np.array([1.0, 3.0, 5.0, NAN, NAN, NAN])
SECOND = np.array([NAN, NAN, 2.0, 6.0, NAN, NAN])


class TestOneMean:
    def test_items_without_a_score_count_for_nothing(self) -> None:
        found = system_estimate(FIRST, None, None)
        assert (found.value, found.df) == (3.0, 2.0)
        assert found.standard_error == pytest.approx(math.sqrt(4.0 / 3.0))

    def test_documents(self) -> None:
        # Residuals −2, 0 in one document and 2 in the other; the third has no score.
        found = system_estimate(FIRST, None, np.array([4, 4, 9, 9, 1, 1]))
        assert (found.value, found.df) == (3.0, 1.0)
        # CR2: −2 of a document with 2/3 of the items, 2 of one with 1/3. With two of them df is 1.
        squares = 4.0 / (1 - 2 / 3) + 4.0 / (1 - 1 / 3)
        assert found.standard_error == pytest.approx(math.sqrt(squares) / 3.0)

    def test_domains_weigh_alike_and_take_a_degree_each(self) -> None:
        values = np.array([1.0, 3.0, 10.0, 14.0, 18.0, NAN])
        strata = np.array([0, 0, 2, 2, 2, 2])  # no item of domain 1
        parts = mean_parts(values, strata)
        assert parts.sizes.tolist() == pytest.approx([1 / 8, 1 / 12])  # 1/2² of 1/2 and 1/3
        assert parts.df.tolist() == [1.0, 2.0]
        assert parts.weights.tolist() == pytest.approx([1 / 4, 1 / 4, 1 / 6, 1 / 6, 1 / 6, 0.0])
        found = system_estimate(values, strata, None)
        # Satterthwaite, as if all items had one variance.
        df = (1 / 8 + 1 / 12) ** 2 / ((1 / 8) ** 2 / 1 + (1 / 12) ** 2 / 2)
        assert found.value == 8.0
        assert found.df == pytest.approx(df)
        # s²/n of the domains: 2/2 and 16/3, over 2².
        assert found.standard_error == pytest.approx(math.sqrt((1.0 + 16.0 / 3.0) / 4.0))

    def test_documents_within_domains_have_their_own_factor(self) -> None:
        values = np.array([1.0, 3.0, 10.0, 14.0, 18.0, 18.0])
        strata, documents = np.array([0, 0, 1, 1, 1, 1]), np.array([0, 1, 2, 2, 3, 4])
        found = system_estimate(values, strata, documents)
        # Domain 0: ∓1 in two documents; domain 1 (mean 15): −6, 3, 3 in three.
        # 1 − h is ½ in domain 0; half and a quarter of domain 1 lie in its documents.
        squares = (1 + 1) / 0.5 / (2 * 2) ** 2 + (36 / 0.5 + 18 / 0.75) / (2 * 4) ** 2
        assert found.standard_error == pytest.approx(math.sqrt(squares))
        w = np.array([0.25 / 0.5, 0.0625 / 0.75, 0.0625 / 0.75])
        within = 1.0 / (0.25 + 2 * 0.0625 + w.sum() ** 2 - np.square(w).sum())
        df = (1 / 8 + 1 / 16) ** 2 / ((1 / 8) ** 2 / 1 + (1 / 16) ** 2 / within)
        assert found.value == 8.5
        assert found.df == pytest.approx(df)

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
        # Three and two items: Satterthwaite with variances 1/3 and 1/2, 2 and 1 degrees. Four
        # items have a score; those that neither has would raise the bound of the shared ones.
        df = (1 / 3 + 1 / 2) ** 2 / ((1 / 3) ** 2 / 2 + (1 / 2) ** 2 / 1)
        assert found.value == -1.0
        assert found.df == pytest.approx(df)
        first = math.sqrt(3 / 2) / 3 * np.array([-2.0, 0.0, 2.0, 0.0])
        second = math.sqrt(2 / 1) / 2 * np.array([0.0, 0.0, -2.0, 2.0])
        assert found.standard_error == pytest.approx(math.sqrt(np.square(first - second).sum()))

    def test_nor_are_documents_that_neither_has(self) -> None:
        documents = np.array([7, 7, 3, 3, 5, 6])
        found = unpaired_estimate(FIRST, SECOND, None, documents)
        # SECOND lies in one document, so that its spread between documents is not known.
        assert found.value == -1.0
        assert math.isnan(found.standard_error)
        assert math.isnan(found.df)
        both = unpaired_estimate(FIRST, SECOND - np.array([0, 0, 1, 1, 0, 0]), None, None)
        assert both.value == 0.0

    def test_an_item_with_a_score_of_exactly_the_mean_counts(self) -> None:
        # Its influence is zero: what counts is that it was seen.
        first = np.array([1.0, 2.0, 3.0, NAN, NAN])
        found = unpaired_estimate(first, np.array([NAN, NAN, NAN, 5.0, 7.0]), None, None)
        df = (1 / 3 + 1 / 2) ** 2 / ((1 / 3) ** 2 / 2 + (1 / 2) ** 2 / 1)
        assert found.df == pytest.approx(df)

    def test_every_domain_of_each_system_has_its_own_degrees(self) -> None:
        strata = np.array([0, 0, 1, 1, 1, 1])
        first = np.array([1.0, 2.0, 3.0, 5.0, NAN, NAN])
        second = np.array([NAN, NAN, NAN, 4.0, 6.0, 7.0])
        sizes = np.array([1 / 8, 1 / 8, 1 / 3])  # two domains of two items, one of three
        df = sizes.sum() ** 2 / (np.square(sizes) / [1, 1, 2]).sum()
        assert unpaired_estimate(first, second, strata, None).df == pytest.approx(df)

    def test_many_items_have_small_weights_that_count_all_the_same(self) -> None:
        first, second = np.full((2, 400), NAN)
        first[:200], second[100:300] = np.arange(200.0), np.arange(200.0)
        # 300 items with weights ½/200, 1/200 where they are shared: not 398 degrees of freedom.
        h = np.repeat([1 / 400, 1 / 200, 1 / 400], 100)
        w = h**2 / (1 - h)
        df = 1.0 / (np.square(h).sum() + w.sum() ** 2 - np.square(w).sum())
        assert unpaired_estimate(first, second, None, None).df == pytest.approx(df)

    def test_fully_shared_items_are_not_counted_twice(self) -> None:
        x = np.arange(9.0)
        assert unpaired_estimate(x, np.sqrt(x), None, None).df == pytest.approx(8.0)
