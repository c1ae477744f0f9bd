"""Names of items that are known by a text."""

import hashlib

import pytest

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
