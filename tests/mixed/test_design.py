"""Coding of systems, choice of slopes, and designs that cannot be analysed."""

from typing import Any

import numpy as np
import pytest

from detectable.core.errors import DataError, InputError
from detectable.mixed.design import contrast_coding
from tests.mixed.tables import design, table


@pytest.mark.parametrize("k", [2, 3, 7])
def test_contrasts_are_orthogonal_and_treat_systems_alike(k: int) -> None:
    coding = contrast_coding(k)
    assert coding @ coding.T == pytest.approx(2.0 * (np.eye(k) - 1.0 / k))
    assert coding.T @ coding == pytest.approx(2.0 * np.eye(k - 1))


def test_all_slopes_where_the_design_allows() -> None:
    made, _ = design(table())
    assert made.slopes == ("rater", "item")
    assert made.notes == ()
    assert [term.name for term in made.terms] == [
        "rater intercept",
        "item intercept",
        "rater slope",
        "item slope",
    ]


def drop(ratings: dict[str, list[Any]], keep: list[bool]) -> dict[str, list[Any]]:
    return {
        name: [v for v, kept in zip(column, keep, strict=True) if kept]
        for name, column in ratings.items()
    }


def test_items_of_one_system_have_no_slopes() -> None:
    ratings = table(items=10)
    own = [
        int(i[1:]) % 2 == int(s[1:])
        for i, s in zip(ratings["item"], ratings["system"], strict=True)
    ]
    made, _ = design(drop(ratings, own))
    assert made.slopes == ("rater",)
    assert made.notes == ("item slopes dropped: each item was rated for one system only.",)
    with pytest.raises(DataError, match="item slopes cannot be estimated: each item was rated"):
        design(drop(ratings, own), slopes=("item",))


def test_mostly_one_system_is_said_with_counts() -> None:
    ratings = table(items=10)
    own = [
        int(i[1:]) < 4 or int(i[1:]) % 2 == int(s[1:])
        for i, s in zip(ratings["item"], ratings["system"], strict=True)
    ]
    made, _ = design(drop(ratings, own))
    assert made.notes == ("item slopes dropped: 6 of 10 items were rated for one system only.",)


def test_one_rater_per_item_leaves_no_item_slope() -> None:
    ratings = table(items=20)
    own = [
        int(i[1:]) % 5 == int(r[1:])
        for i, r in zip(ratings["item"], ratings["rater"], strict=True)
    ]
    made, _ = design(drop(ratings, own))
    assert made.slopes == ("rater",)
    assert "each item has at most one rating for a system" in made.notes[0]


def test_few_repeated_items_are_said_with_counts() -> None:
    ratings = table(items=20)
    own = [
        int(i[1:]) < 4 or int(i[1:]) % 5 == int(r[1:])
        for i, r in zip(ratings["item"], ratings["rater"], strict=True)
    ]
    made, _ = design(drop(ratings, own))
    assert made.notes[0].startswith("item slopes dropped: 16 of 20 items have one rating per")


def test_no_slopes_as_asked() -> None:
    made, _ = design(table(), slopes="none")
    assert made.slopes == ()
    assert made.notes == (
        "no random slopes of raters and items, as asked: p-values are too small if effects vary "
        "by them.",
    )


@pytest.mark.parametrize(
    ("slopes", "message"),
    [
        ("all", "`slopes` must be 'auto', 'none'"),
        (("document",), "got 'document'. Where documents take part"),
    ],
)
def test_unknown_slopes(slopes: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        design(table(), slopes=slopes)


def test_one_rater_or_one_item() -> None:
    one = table(raters=1)
    with pytest.raises(
        DataError, match=r"all 40 ratings are of one rater, 'r0'\. A spread needs"
    ):
        design(one)
    with pytest.raises(DataError, match=r"all 10 ratings are of one item, 'i0'\."):
        design(table(items=1))


def test_one_system_names_what_it_is_aliased_with() -> None:
    ratings = table()
    with pytest.raises(
        DataError, match="there is one system only, 's0': its effect is aliased"
    ):
        design(drop(ratings, [s == "s0" for s in ratings["system"]]))


def test_an_item_per_rating_is_the_residual() -> None:
    ratings = table()
    ratings["item"] = list(range(len(ratings["item"])))
    with pytest.raises(DataError, match="item intercept is aliased with the residual"):
        design(ratings)


def test_raters_that_are_systems() -> None:
    ratings = table()
    ratings["rater"] = ratings["system"]
    with pytest.raises(
        DataError, match=r"rater intercept is aliased with the systems: .*\(2\)"
    ):
        design(ratings, repeats="keep")


def test_raters_that_are_items() -> None:
    ratings = table(items=5)
    ratings["rater"] = [f"r{i}" for i in ratings["item"]]
    with pytest.raises(DataError, match="item intercept is aliased with the rater intercept"):
        design(ratings, repeats="keep")


def test_constant_ratings() -> None:
    ratings = table()
    ratings["score"] = [4] * len(ratings["score"])
    with pytest.raises(DataError, match=r"the judgments: all 200 ratings are 4\."):
        design(ratings)


def test_names_cannot_be_numbers() -> None:
    ratings = table()
    with pytest.raises(
        DataError, match=r"row 0 .*: the system must be a number to be used as such; found 's0'"
    ):
        design(ratings, numeric_system=True)
    ratings["system"] = ["1" if name == "s0" else "inf" for name in ratings["system"]]
    with pytest.raises(DataError, match=r"row 1 .*: the system must be .*; found 'inf'"):
        design(ratings, numeric_system=True)


def test_numbers_are_the_regressor() -> None:
    ratings = table()
    ratings["system"] = [2.5 if name == "s0" else -1.0 for name in ratings["system"]]
    made, _ = design(ratings, numeric_system=True)
    assert (made.numeric, made.coding.tolist()) == (True, [[2.5], [-1.0]])


def test_documents_take_part_where_they_are_known() -> None:
    ratings = table(documents=4)
    made, _ = design(ratings)
    assert list(made.factors) == ["rater", "item", "document", "document:system"]
    assert made.groups == {"rater": 5, "item": 20, "document": 4}
    assert (made.factors["document"].levels, made.notes) == (("d0", "d1", "d2", "d3"), ())
    assert [term.name for term in made.terms] == [
        "rater intercept",
        "item intercept",
        "document intercept",
        "document:system",
        "rater slope",
        "item slope",
    ]
    assert list(design(ratings, unit="item")[0].factors) == ["rater", "item"]
    assert list(design(table())[0].factors) == ["rater", "item"]
    with pytest.raises(
        InputError, match=r"`unit` must be one of auto, item, document; got 'd'"
    ):
        design(ratings, unit="d")


def test_the_formula_is_that_of_the_model() -> None:
    assert design(table())[0].formula == (
        "score ~ system + (1 + system || rater) + (1 + system || item)"
    )
    assert design(table(documents=4), slopes=("rater",))[0].formula == (
        "score ~ system + (1 + system || rater) + (1 | item) + (1 | document)"
        " + (1 | document:system)"
    )


@pytest.mark.parametrize("slopes", ["auto", "none", ("item",)])
def test_documents_may_favour_a_system_whatever_the_slopes(slopes: Any) -> None:
    assert "document:system" in design(table(documents=4), slopes=slopes)[0].factors


def numbered(systems: int) -> dict[str, list[Any]]:
    ratings = table(systems=systems, documents=4)
    ratings["system"] = [int(name[1:]) for name in ratings["system"]]
    return ratings


def test_documents_have_a_slope_of_more_than_two_numbers() -> None:
    two, _ = design(numbered(2), numeric_system=True, slopes=("rater",))
    assert (two.slopes, "document:system" in two.factors) == (("rater",), True)
    many, _ = design(numbered(3), numeric_system=True, slopes=("rater",))
    assert (many.slopes, "document:system" in many.factors) == (("rater", "document"), False)
    assert many.formula.endswith("(1 + system || document)")
