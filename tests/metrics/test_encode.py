""""""

import random
import sys
from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics.bleu import BLEU

from detectable.core.errors import DataError, InputError, MissingExtraError
from detectable.data.texts.corpus import Corpus
from detectable.metrics import encode as in_blocks
from detectable.metrics.base import TextMetric
from detectable.metrics.encode import (
    Encoder,
    Tokens,
    code_points,
    output_blocks,
    reference_lines,
    statistics_in_blocks,
)
from detectable.metrics.registry import metric
from detectable.metrics.sacrebleu import check_tokenizer, encoder, tokenizer
from tests.kernels.engines import ENGINES, engine
from tests.metrics.texts import WMT, nasty_text, wmt

OFFLINE = ("13a", "none", "char", "intl", "zh", "ja-mecab")


def decode(text: Encoder, tokens: Tokens) -> list[list[str]]:
    words = list(text.vocabulary)
    return [[words[i] for i in tokens[line]] for line in range(len(tokens))]


def by_sacrebleu(lines: Sequence[str], tokenize: str, *, lowercase: bool) -> list[list[str]]:
    bleu = BLEU(tokenize=tokenize, lowercase=lowercase, force=True)
    return [bleu._preprocess_segment(line).split() for line in lines]


@pytest.mark.golden
@pytest.mark.parametrize("name", WMT)
def test_tokens_of_real_texts_are_those_of_sacrebleu(name: str) -> None:
    corpus = wmt(name, systems=2)
    lines, _ = reference_lines(corpus)
    lines += [line for runs in corpus.systems.values() for line in runs[0]]
    text = encoder("13a")
    assert decode(text, text.encode(lines)) == by_sacrebleu(lines, "13a", lowercase=False)


@settings(deadline=None, max_examples=4 * settings().max_examples)
@given(st.lists(nasty_text, max_size=4), st.booleans())
def test_13a_is_that_of_sacrebleu(lines: list[str], lowercase: bool) -> None:
    text = encoder("13a", lowercase=lowercase)
    assert decode(text, text.encode(lines)) == by_sacrebleu(lines, "13a", lowercase=lowercase)


def test_13a_is_that_of_sacrebleu_on_all_short_texts() -> None:
    lines = ["".join(text) for n in range(6) for text in product(".,5-a$ \t", repeat=n)]
    text = encoder("13a")
    assert decode(text, text.encode(lines)) == by_sacrebleu(lines, "13a", lowercase=False)


@pytest.mark.parametrize("name", OFFLINE)
@settings(deadline=None)
@given(lines=st.lists(nasty_text, max_size=3), lowercase=st.booleans())
def test_tokens_are_those_of_sacrebleu(name: str, lines: list[str], lowercase: bool) -> None:
    text = encoder(name, lowercase=lowercase)
    assert decode(text, text.encode(lines)) == by_sacrebleu(lines, name, lowercase=lowercase)


def test_the_vocabulary_is_shared_and_a_text_is_tokenised_once() -> None:
    seen: list[str] = []

    def tokenize(line: str) -> list[str]:
        seen.append(line)
        return line.split("-")

    text = Encoder(tokenize)
    first, second = text.encode(["a-b", "", "a-b"]), text.encode(["b-c", "a-b"])
    assert first.ids.tolist() == [0, 1, 2, 0, 1]
    assert second.ids.tolist() == [1, 3, 0, 1]
    assert seen == ["a-b", "", "b-c"]
    assert dict(text.vocabulary) == {"a": 0, "b": 1, "": 2, "c": 3}
    assert (text.id_of("c"), text.id_of("d")) == (3, -1)
    assert (first.ids.dtype.name, first.offsets.dtype.name) == ("int32", "int64")


def test_nothing_at_all_can_be_encoded() -> None:
    for text in (encoder("13a"), encoder("intl")):
        assert len(text.encode([])) == 0
        assert text.encode(["", " "]).lengths.tolist() == [0, 0]


@settings(deadline=None)
@given(st.lists(st.text(max_size=5), max_size=5))
def test_code_points_are_characters(lines: list[str]) -> None:
    tokens = code_points(lines)
    assert ["".join(map(chr, tokens[i])) for i in range(len(tokens))] == lines


def test_a_lone_surrogate_is_a_character() -> None:
    assert code_points(["\ud800", "\udc00"]).ids.tolist() == [0xD800, 0xDC00]


@settings(deadline=None)
@given(
    st.lists(st.lists(st.integers(0, 6), min_size=1, max_size=4), min_size=1, max_size=4),
    st.data(),
)
def test_reference_lengths(sizes: list[list[int]], data: st.DataObject) -> None:
    n, most = len(sizes), max(map(len, sizes))
    streams = [
        [("x " * row[k] if k < len(row) else None) for row in sizes] for k in range(most)
    ]
    corpus = Corpus.build({"A": [""] * n}, streams)
    references = Encoder(str.split).encode_references(corpus)
    assert references.owner.tolist() == [i for i, row in enumerate(sizes) for _ in row]
    assert references.mean_lengths().tolist() == [sum(row) / len(row) for row in sizes]
    own = data.draw(st.lists(st.integers(0, 8), min_size=n, max_size=n))
    expected = [
        min(row, key=lambda size: (abs(size - length), size))
        for length, row in zip(own, sizes, strict=True)
    ]
    assert references.closest_lengths(np.array([own, own])).tolist() == [expected] * 2


def test_blocks_cover_all_outputs_in_order_and_report() -> None:
    corpus = Corpus.build(
        {f"S{i}": [[f"{i}", "x"], [f"{i}b", "y"]] for i in range(9)}, ["r", "s"]
    )
    calls: list[tuple[str, int, int | None]] = []
    blocks = list(output_blocks(corpus, "m", lambda *call: calls.append(call)))
    assert [(rows.start, rows.stop) for rows, _ in blocks] == [(0, 16), (16, 18)]
    lines = [line for _, part in blocks for line in part]
    assert lines == [line for output in corpus.outputs for line in corpus.output(*output)]
    assert calls == [("m", 0, 18), ("m", 16, 18), ("m", 18, 18)]


def test_an_unknown_tokeniser_is_named_with_those_that_exist() -> None:
    with pytest.raises(InputError, match=r"`tokenize` must be one of none, zh, 13a.*got '14a'"):
        check_tokenizer("14a")


@pytest.mark.parametrize(
    ("name", "module", "extra"),
    [
        ("ja-mecab", "sacrebleu.tokenizers.tokenizer_ja_mecab", "ja"),
        ("ko-mecab", "sacrebleu.tokenizers.tokenizer_ko_mecab", "ko"),
    ],
)
def test_a_missing_extra_is_named_with_its_remedy(
    name: str, module: str, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"{module}.MeCab", None)
    tokenizer.cache_clear()
    with pytest.raises(
        MissingExtraError, match=rf'{name}.*pip install "detectable\[{extra}\]"'
    ):
        tokenizer(name)


def test_missing_sentencepiece_is_named_with_its_remedy(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "sentencepiece", None)
    tokenizer.cache_clear()
    with pytest.raises(MissingExtraError, match=r"'flores101'.*pip install sentencepiece"):
        tokenizer("flores101")


@pytest.mark.parametrize("failure", [OSError("no route to host"), SystemExit(1)])
def test_a_failed_download_is_a_data_error(
    failure: BaseException, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise failure

    monkeypatch.setattr("sacrebleu.tokenizers.tokenizer_spm.TokenizerSPM.__init__", fail)
    tokenizer.cache_clear()
    with pytest.raises(DataError, match=rf"'flores200' \({failure}\).*~/.sacrebleu/models"):
        tokenizer("flores200")


@pytest.mark.parametrize("by_chunk", [True, False])
def test_the_size_of_a_part_changes_nothing(
    monkeypatch: pytest.MonkeyPatch, by_chunk: bool
) -> None:
    lines = ["a b a", "", "c b", "a\nb", "", "d a c"] * 3

    def encoded() -> tuple[list[int], list[int], list[str]]:
        encoder = Encoder(str.split, by_chunk=by_chunk)
        found = encoder.encode(lines)
        return found.ids.tolist(), found.offsets.tolist(), list(encoder.vocabulary)

    whole = encoded()
    for size in (1, 2, 5, 17, 18, 19):
        monkeypatch.setattr("detectable.metrics.encode._LINES", size)
        assert encoded() == whole


LINES = ["It costs $5.", "", " \t", "a\x00b c", "x\ny. z", "\ud800 b", "5-6.5\u2003a", "İ ΑΣ"]


@pytest.mark.parametrize("newlines", [True, False])
@pytest.mark.parametrize("lowercase", [True, False])
def test_both_engines_number_alike(newlines: bool, lowercase: bool) -> None:
    lines = [line for line in LINES if newlines or "\n" not in line]
    found = []
    for name in ENGINES:
        with engine(name):
            text = encoder("13a", lowercase=lowercase)
            tokens = [text.encode(part) for part in (lines[:3], [], lines, [""])]
            found.append(
                ([(t.ids.tolist(), t.offsets.tolist()) for t in tokens], list(text.vocabulary))
            )
    assert found[0] == found[1]


@given(st.lists(nasty_text, max_size=4), st.booleans())
def test_both_engines_number_ugly_lines_alike(lines: list[str], lowercase: bool) -> None:
    found = []
    for name in ENGINES:
        with engine(name):
            text = encoder("13a", lowercase=lowercase)
            tokens = text.encode(lines)
            found.append((tokens.ids.tolist(), tokens.offsets.tolist(), list(text.vocabulary)))
    assert found[0] == found[1]


def test_more_text_than_the_library_takes_is_cut_by_python(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    expected = encoder("13a").encode(["a b.", "b"]).ids.tolist()
    monkeypatch.setattr("detectable.metrics.encode.MOST_BYTES", 3)
    monkeypatch.setattr("detectable.metrics.encode.number_chunks", None)  # must not be called
    assert encoder("13a").encode(["a b.", "b"]).ids.tolist() == expected == [0, 1, 2, 1]


# --- Statistics block by block are those of the whole corpus, bit for bit ---

WORDS = ["the", "cat", "sat", "on", "a", "mat", ",", "and", "then", "it", "did", "not", "."]


def corpus(n: int, *, longest: int = 12, references: int = 2) -> Corpus:
    rng = random.Random(3)

    def lines() -> list[str]:
        return [" ".join(rng.choices(WORDS, k=rng.randint(0, longest))) for _ in range(n)]

    first: list[str | None] = [*lines()]
    second = [None if rng.random() < 0.3 else line for line in lines()]
    return Corpus.build({"A": [lines(), lines()], "B": lines()}, [first, second][:references])


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(in_blocks, "LARGE", 20)
    monkeypatch.setattr(in_blocks, "_BLOCK_LINES", 50)
    monkeypatch.setattr(in_blocks, "_FEWEST", 3)


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("compact", [False, True])
@pytest.mark.parametrize(
    "name", ["bleu", "chrf", "chrf++", "ter", "mwer", "mper", "gtm", "length", "nist"]
)
def test_blocks_give_what_the_whole_gives(name: str, *, compact: bool) -> None:
    data, own = corpus(67), metric(name)
    assert isinstance(own, TextMetric)
    assert own.by_segment is (name != "nist")
    whole = own.statistics(data)
    found = statistics_in_blocks(own, data, compact=compact)
    np.testing.assert_array_equal(found, whole)
    if not compact or name in ("nist", "ter"):  # mean lengths of two references are not whole
        assert found.dtype == np.float64


@pytest.mark.usefixtures("small_blocks")
def test_whole_numbers_take_little_room(monkeypatch: pytest.MonkeyPatch) -> None:
    data, bleu = corpus(67, references=1), metric("bleu")
    assert isinstance(bleu, TextMetric)
    assert statistics_in_blocks(bleu, data, compact=True).dtype == np.int16
    monkeypatch.setattr(in_blocks, "LARGE", 66)
    assert statistics_in_blocks(bleu, data, compact=True).dtype == np.int16
    monkeypatch.setattr(in_blocks, "LARGE", 67)  # small: as ever
    assert statistics_in_blocks(bleu, data, compact=True).dtype == np.float64


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize(
    ("large", "kind"),
    [(32_767, np.int16), (32_768, np.int32), (2**31, np.float64), (0.5, np.float64)],
)
@pytest.mark.parametrize("row", [0, 66])
def test_a_table_grows_with_what_it_holds(
    large: float, kind: type, row: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, bleu = corpus(67, references=1), metric("bleu")
    assert isinstance(bleu, TextMetric)
    numbers = np.arange(67.0)
    numbers[row] = large
    whole = np.stack([numbers, -numbers], axis=-1)[None]
    asked: list[int] = []

    def statistics(_: Any, part: Corpus) -> Any:
        asked.append(part.n_segments)
        start = sum(asked[:-1])
        return whole[:, start : start + part.n_segments]

    monkeypatch.setattr(type(bleu), "statistics", statistics)
    found = statistics_in_blocks(bleu, data, compact=True)
    np.testing.assert_array_equal(found, whole)
    assert found.dtype == kind
    assert sum(asked) == 67
    assert max(asked) == 12  # 50 lines of three outputs and a reference


@pytest.mark.usefixtures("small_blocks")
def test_progress_counts_segments() -> None:
    told: list[Any] = []
    bleu = metric("bleu")
    assert isinstance(bleu, TextMetric)
    statistics_in_blocks(
        bleu, corpus(25), compact=True, progress=lambda *step: told.append(step)
    )
    assert told == [("bleu", 0, 25), ("bleu", 10, 25), ("bleu", 20, 25), ("bleu", 25, 25)]
