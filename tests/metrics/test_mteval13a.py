"""Our 13a against sacreBLEU's, line by line."""

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

from detectable.metrics.encode import reference_lines
from detectable.metrics.tokenize import tokenize_13a, tokenize_chunk, tokenizer
from tests.metrics.texts import WMT, multeval, nasty_text, wmt

ORIGINAL = Tokenizer13a()  # type: ignore[no-untyped-call]


def expected(line: str) -> list[str]:
    tokens: list[str] = ORIGINAL(line).split()
    return tokens


def differing(lines: list[str]) -> list[str]:
    return [line for line in lines if tokenize_13a(line) != expected(line)]


@pytest.mark.golden
@pytest.mark.parametrize("name", [*WMT, "multeval"])
def test_real_lines(name: str) -> None:
    corpus = multeval() if name == "multeval" else wmt(name, systems=3)
    lines, _ = reference_lines(corpus)
    lines += [line for runs in corpus.systems.values() for line in runs[0]]
    assert len(lines) > 3000
    assert differing(lines) == []


@settings(max_examples=500)
@given(nasty_text)
def test_ugly_lines(line: str) -> None:
    assert tokenize_13a(line) == expected(line)


@given(st.text())
def test_any_lines(line: str) -> None:
    assert tokenize_13a(line) == expected(line)


def test_all_short_lines() -> None:
    alphabet = ".,5-a&\n' "
    assert (
        differing(["".join(line) for n in range(5) for line in product(alphabet, repeat=n)])
        == []
    )


@pytest.mark.parametrize(
    "line",
    ["<skipped>a", "x<skip<skipped>ped>", "&amp;lt;", "-\n", "a-\nb", "\ud800.", "\x00,"],
)
def test_awkward_lines(line: str) -> None:
    assert tokenize_13a(line) == expected(line)


@settings(max_examples=500)
@given(nasty_text.map(lambda text: "".join(text.split())))
def test_chunks_are_cut_as_lines(chunk: str) -> None:
    assert tokenize_chunk(chunk) == expected(chunk)


@given(nasty_text)
def test_the_names_stand_for_the_same_tokenisers(line: str) -> None:
    assert tokenizer("13a")(line) == ORIGINAL(line)
    assert tokenizer("none")(line) == line
