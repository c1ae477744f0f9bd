"""Numbered chunks against str.split, line by line."""

import sys
from collections.abc import Iterator, Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from detectable.core.errors import InputError
from detectable.kernels.word_matches import number_chunks
from tests.kernels.engines import engine
from tests.metrics.texts import nasty_text


@pytest.fixture(scope="module", autouse=True)
def compiled() -> Iterator[None]:
    with engine("native"):
        yield


def split(lines: Sequence[str]) -> list[list[str]]:
    coded = "\n".join(lines).encode("utf-8", "surrogatepass")
    found = number_chunks(np.frombuffer(coded, np.uint8), len(lines))
    assert found is not None
    chunks = [coded[a:b].decode("utf-8", "surrogatepass") for a, b in found.spans.tolist()]
    assert len(set(chunks)) == len(chunks)
    assert list(dict.fromkeys(found.ids.tolist())) == list(range(len(chunks)))
    return [
        [chunks[k] for k in found.ids[start:stop]]
        for start, stop in zip(found.offsets[:-1], found.offsets[1:], strict=True)
    ]


def without_newlines(text: str) -> str:
    return text.replace("\n", "\r")


@settings(max_examples=400)
@given(st.lists(nasty_text.map(without_newlines), max_size=6))
def test_chunks_are_those_of_split(lines: list[str]) -> None:
    assert split(lines) == [line.split() for line in lines]


@given(st.lists(st.text(st.characters(), max_size=6).map(without_newlines), max_size=4))
def test_any_characters_surrogates_too(lines: list[str]) -> None:
    assert split(lines) == [line.split() for line in lines]


def test_every_character_is_white_space_as_in_python() -> None:
    characters = [chr(k) for k in range(sys.maxunicode + 1) if chr(k) != "\n"]
    lines = [
        "".join(f"a{c}b" for c in characters[start : start + 4096])
        for start in range(0, len(characters), 4096)
    ]
    assert split(lines) == [line.split() for line in lines]


@pytest.mark.parametrize("end", ["\xc2", "é", "\u1680", "\u2003", "\u205f", "\u3000", "中"])
def test_text_may_end_anywhere(end: str) -> None:
    for text in (end, f"a{end}", f"{end}a", f"a {end}"):
        assert split([text]) == [text.split()]


@pytest.mark.parametrize("last", [b"\xc2", b"\xe1\x9a", b"\xe2\x80", b"\xe2", b"\xe3\x80"])
def test_bytes_that_are_cut_off_are_no_white_space(last: bytes) -> None:
    found = number_chunks(np.frombuffer(b"a" + last, np.uint8), 1)
    assert found is not None
    assert found.spans.tolist() == [[0, 1 + len(last)]]


def test_the_table_grows() -> None:
    words = [str(k) for k in range(30_000)]
    lines = [" ".join(words[start : start + 7]) for start in range(0, len(words), 7)] * 2
    assert split(lines) == [line.split() for line in lines]


def test_nothing_at_all() -> None:
    assert split([]) == []
    assert split([""]) == [[]]
    assert split(["", " ", ""]) == [[], [], []]


@pytest.mark.parametrize(("text", "lines"), [(b"a\nb", 1), (b"a", 2), (b"a", -1), (b"\n", 0)])
def test_newlines_must_separate_the_lines(text: bytes, lines: int) -> None:
    with pytest.raises(InputError, match="`text` must have newlines between"):
        number_chunks(np.frombuffer(text, np.uint8), lines)


def test_text_must_be_one_row() -> None:
    with pytest.raises(InputError, match="`text` must be one row"):
        number_chunks(np.zeros((2, 2), np.uint8), 1)


def test_without_the_library_there_is_no_answer() -> None:
    with engine("numpy"):
        assert number_chunks(np.frombuffer(b"a", np.uint8), 1) is None
