"""Our Tercom tokeniser against sacreBLEU's, line by line and in all settings."""

from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.tokenizers.tokenizer_ter import TercomTokenizer

from detectable.metrics.tokenize import Tercom
from tests.metrics.texts import WMT, nasty_text, wmt

NAMES = ("normalized", "no_punct", "asian_support", "case_sensitive")
SETTINGS: list[dict[str, Any]] = [
    dict(zip(NAMES, values, strict=True)) for values in product([False, True], repeat=4)
]
ASIAN = "日本語。、あいう アイウｱｶ．，？「」㈱㍿㇠ㇰ゠・豈︰⺀㐀's.,a5-\n"


@pytest.mark.golden
@pytest.mark.parametrize("name", WMT)
@pytest.mark.parametrize("options", [SETTINGS[0], SETTINGS[8], SETTINGS[14]], ids=str)
def test_real_lines(name: str, options: dict[str, Any]) -> None:
    own, other = Tercom(**options), TercomTokenizer(**options)
    corpus = wmt(name, systems=2)
    lines = [line for runs in corpus.systems.values() for line in runs[0]]
    assert [line for line in lines if own(line) != other(line)] == []


@settings(max_examples=500)
@given(nasty_text | st.text(alphabet=ASIAN, max_size=8), st.sampled_from(SETTINGS))
def test_ugly_lines(line: str, options: dict[str, Any]) -> None:
    assert Tercom(**options)(line) == TercomTokenizer(**options)(line)


@pytest.mark.parametrize("options", SETTINGS, ids=str)
def test_every_character_of_the_first_plane(options: dict[str, Any]) -> None:
    own, other = Tercom(**options), TercomTokenizer(**options)
    texts = [f"a{chr(k)}{chr(k + 1)} b{chr(k)}" for k in range(0x10000)]
    lines = ["".join(texts[start : start + 64]) for start in range(0, len(texts), 64)]
    assert [line for line in lines if own(line) != other(line)] == []
