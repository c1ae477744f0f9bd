"""What text metrics load, and whose definitions they name."""

import subprocess
import sys
from itertools import product
from typing import Any

import pytest
import sacrebleu
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a
from sacrebleu.tokenizers.tokenizer_ter import TercomTokenizer

from detectable.metrics.encode import reference_lines
from detectable.metrics.sacrebleu import (
    Tercom,
    sacrebleu_version,
    tokenize_13a,
    tokenize_chunk,
    tokenizer,
)
from tests.kernels.engines import engine
from tests.metrics.texts import WMT, multeval, nasty_text, wmt


def test_the_version_of_our_definitions_is_the_installed_one() -> None:
    assert sacrebleu_version() == sacrebleu.__version__


def test_text_metrics_need_neither_sacrebleu_nor_numba() -> None:
    program = """
import sys
sys.modules["sacrebleu"] = sys.modules["numba"] = None  # an import of either is an error
from detectable.data.texts.corpus import Corpus
from detectable.metrics.registry import metric
corpus = Corpus.build({"A": ["It's 5.50, &amp; <b>..", "x y z"]}, [["It's 5.5", "z x y"]])
for name in ("bleu", "chrf", "chrf++", "ter", "nist", "gtm", "length"):
    found = metric(name)
    found.score(found.statistics(corpus).sum(axis=1))
    found.signature()
metric("gtm", exponent=2.0).statistics(corpus)
metric("bleu", tokenize="none").statistics(corpus)
"""
    # -W error: TER must not be on its slow way.
    with engine("native"):
        subprocess.run([sys.executable, "-W", "error", "-c", program], check=True)


# --- Our 13a against sacreBLEU's, line by line ---

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


@settings(max_examples=4 * settings().max_examples)
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


@settings(max_examples=4 * settings().max_examples)
@given(nasty_text.map(lambda text: "".join(text.split())))
def test_chunks_are_cut_as_lines(chunk: str) -> None:
    assert tokenize_chunk(chunk) == expected(chunk)


@given(nasty_text)
def test_the_names_stand_for_the_same_tokenisers(line: str) -> None:
    assert tokenizer("13a")(line) == ORIGINAL(line)
    assert tokenizer("none")(line) == line


# --- Our Tercom tokeniser against sacreBLEU's, line by line and in all settings ---

NAMES = ("normalized", "no_punct", "asian_support", "case_sensitive")
SETTINGS: list[dict[str, Any]] = [
    dict(zip(NAMES, values, strict=True)) for values in product([False, True], repeat=4)
]
ASIAN = "日本語。、あいう アイウｱｶ．，？「」㈱㍿㇠ㇰ゠・豈︰⺀㐀's.,a5-\n"


@pytest.mark.golden
@pytest.mark.parametrize("name", WMT)
@pytest.mark.parametrize("options", [SETTINGS[0], SETTINGS[8], SETTINGS[14]], ids=str)
def test_real_lines_of_tercom(name: str, options: dict[str, Any]) -> None:
    own, other = Tercom(**options), TercomTokenizer(**options)
    corpus = wmt(name, systems=2)
    lines = [line for runs in corpus.systems.values() for line in runs[0]]
    assert [line for line in lines if own(line) != other(line)] == []


@settings(max_examples=4 * settings().max_examples)
@given(nasty_text | st.text(alphabet=ASIAN, max_size=8), st.sampled_from(SETTINGS))
def test_ugly_lines_of_tercom(line: str, options: dict[str, Any]) -> None:
    assert Tercom(**options)(line) == TercomTokenizer(**options)(line)


@pytest.mark.parametrize(
    "options",
    [
        # All settings off and all on by default; what lies between with the slow ones.
        pytest.param(one, marks=[pytest.mark.slow] * (len(set(one.values())) > 1), id=str(one))
        for one in SETTINGS
    ],
)
def test_every_character_of_the_first_plane(options: dict[str, Any]) -> None:
    own, other = Tercom(**options), TercomTokenizer(**options)
    texts = [f"a{chr(k)}{chr(k + 1)} b{chr(k)}" for k in range(0x10000)]
    lines = ["".join(texts[start : start + 64]) for start in range(0, len(texts), 64)]
    assert [line for line in lines if own(line) != other(line)] == []
