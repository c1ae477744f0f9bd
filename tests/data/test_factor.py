"""Names of items that are known by a text."""

import hashlib
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from detectable.data import factor as module
from detectable.data.factor import Factor, cross_codes, factor, repeated_rows
from detectable.data.names import short_name, value_name


def test_a_short_text_is_its_own_name() -> None:
    assert short_name("a" * 48) == "a" * 48
    assert short_name("  What?\n") == "What?"


@pytest.mark.parametrize("text", ["a" * 49, "two  spaces", "two\nlines"])
def test_any_other_text_has_its_hash(text: str) -> None:
    digest = hashlib.sha256(text.encode()).hexdigest()[:8]
    assert short_name(text) == f"{' '.join(text.split())[:36]}…{digest}"


def test_texts_that_cannot_be_encoded_have_a_name() -> None:
    assert short_name("\ud800" * 50).startswith("\ud800" * 36 + "…")


def test_values_are_named_by_their_json() -> None:
    assert value_name("x") == "x"
    assert value_name({"b": "é", "a": [1, None]}) == '{"a": [1, null], "b": "é"}'
    assert value_name(3) == "3"


# --- Columns of names: numbering, combinations, repetitions ---


@pytest.mark.parametrize("few", [0, 10_000])
def test_arrays_are_numbered_by_first_appearance(
    monkeypatch: pytest.MonkeyPatch, few: int
) -> None:
    monkeypatch.setattr(module, "_FEW", few)
    whole = factor("a", np.array([7, 3, 7, 12], dtype=np.int16))
    assert whole.levels == ("7", "3", "12")
    assert whole.codes.tolist() == [0, 1, 0, 2]
    assert whole.codes.dtype == np.int64
    texts = factor("a", np.array(["y", "x", "x", ""]))
    assert (texts.levels, texts.codes.tolist()) == (("y", "x", ""), [0, 1, 1, 2])


def column(codes: list[int], levels: int) -> Factor:
    names = tuple(str(level) for level in range(levels))
    return Factor(name="c", levels=names, codes=np.array(codes, dtype=np.int64))


ROWS = st.lists(st.tuples(*[st.integers(0, 3)] * 3), min_size=1, max_size=40)


@pytest.mark.parametrize("largest", [1, 1 << 62])
@given(rows=ROWS)
def test_combinations_and_repetitions(largest: int, rows: list[tuple[int, int, int]]) -> None:
    columns = [column([row[k] for row in rows], 4) for k in range(3)]
    seen: dict[tuple[int, int, int], int] = {}
    for place, row in enumerate(rows):
        seen.setdefault(row, place)
    numbers = {row: number for number, row in enumerate(seen)}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_LARGEST", largest)
        codes, first = cross_codes(*columns)
        again = repeated_rows(*columns)
    assert codes.tolist() == [numbers[row] for row in rows]
    assert first.tolist() == list(seen.values())
    assert again.tolist() == [i for i, row in enumerate(rows) if seen[row] != i]


def test_collisions_of_hashes_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_HASH_BITS", 1)
    codes = np.random.default_rng(3).integers(0, 500, 800).tolist()
    expected = [i for i, code in enumerate(codes) if code in codes[:i]]
    assert repeated_rows(column(codes, 500)).tolist() == expected


_NAMES = st.text(max_size=4) | st.integers(-5, 5) | st.booleans() | st.none() | st.floats()


@given(st.lists(_NAMES, max_size=12), st.booleans())
def test_a_few_names_are_numbered_as_polars_would(labels: list[Any], as_tuple: bool) -> None:
    given_names = tuple(labels) if as_tuple else labels
    few = factor("rater", given_names)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("detectable.data.factor._FEW", 0)
        many = factor("rater", given_names)
    assert (few.levels, few.codes.tolist()) == (many.levels, many.codes.tolist())
    assert few.codes.dtype == many.codes.dtype == np.int64


def test_half_a_surrogate_pair_becomes_readable_either_way() -> None:
    assert factor("rater", ["a\ud800", "b"]).levels == ("a?", "b")
