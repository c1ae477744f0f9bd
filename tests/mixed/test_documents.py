"""Whether documents take part."""

import pytest

from detectable.core.choices import MixedUnit
from detectable.core.errors import DataError, InputError
from detectable.data.factor import Factor, factor
from detectable.mixed.documents import choose_document
from tests.mixed.tables import design, table

ITEM = factor("item", list("aabbccdd"))
FACTORS = {"rater": factor("rater", list("xyxyxyxy")), "item": ITEM}
DOCUMENT = factor("document", list("11112222"))


@pytest.mark.parametrize("unit", ["auto", "document"])
def test_known_documents_take_part(unit: MixedUnit) -> None:
    assert choose_document(DOCUMENT, FACTORS, unit) == (DOCUMENT, ())


def test_items_alone_on_request() -> None:
    assert choose_document(DOCUMENT, FACTORS, "item") == (None, ())
    assert choose_document(None, FACTORS, "item") == (None, ())


def test_unknown_documents_are_no_matter_unless_asked_for() -> None:
    assert choose_document(None, FACTORS, "auto") == (None, ())
    with pytest.raises(
        InputError, match=r"`unit='document'` needs to know .*--column document="
    ):
        choose_document(None, FACTORS, "document")


def test_one_document_is_left_out_and_said() -> None:
    one = factor("document", ["talk"] * 8)
    left, notes = choose_document(one, FACTORS, "auto")
    assert (left, len(notes)) == (None, 1)
    assert notes[0].startswith("documents left out: all items are of one, 'talk'. The claims")
    assert choose_document(one, FACTORS, "document") == (one, ())  # refused by the design


@pytest.mark.parametrize("role", ["rater", "item"])
def test_documents_that_say_what_another_factor_says(role: str) -> None:
    same = FACTORS[role]
    named = Factor(
        name="document", levels=tuple(f"d{n}" for n in same.levels), codes=same.codes
    )
    left, notes = choose_document(named, FACTORS, "auto")
    assert left is None
    assert notes == (
        f"documents left out: every {role} has a document of its own, so the spread of {role}s "
        "is that of documents too.",
    )


def test_a_design_without_useful_documents_is_fitted_by_items() -> None:
    made, _ = design(table(items=6, documents=6))
    assert list(made.factors) == ["rater", "item"]
    assert made.notes[0].startswith("documents left out: every item has a document of its own")
    single = table(items=6)
    single["document"] = ["talk"] * len(single["score"])
    assert list(design(single)[0].factors) == ["rater", "item"]
    with pytest.raises(DataError, match=r"all 60 ratings are of one document, 'talk'"):
        design(single, unit="document")


def test_documents_of_one_system_each_are_refused() -> None:
    ratings = table(items=10)
    own = [
        int(i[1:]) % 2 == int(s[1:])
        for i, s in zip(ratings["item"], ratings["system"], strict=True)
    ]
    half = {name: [v for v, k in zip(c, own, strict=True) if k] for name, c in ratings.items()}
    half["document"] = half["system"]
    with pytest.raises(DataError, match="document intercept is aliased with the systems"):
        design(half)
