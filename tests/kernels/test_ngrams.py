from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from detectable.core.errors import InputError
from detectable.core.types import FloatArray, IntArray
from detectable.kernels import ngrams as sorted_ngrams
from detectable.kernels.ngrams import (
    ngram_information,
    ngram_totals,
    shared_ngrams,
)

pytestmark = pytest.mark.usefixtures("each_engine")

Lines = list[list[int]]

words = st.integers(0, 3) | st.sampled_from([7, 2**31 - 1])
lines = st.lists(words, max_size=8)


def ragged(rows: Lines) -> tuple[Any, IntArray]:
    offsets = np.cumsum([0, *map(len, rows)], dtype=np.int64)
    return np.array([x for row in rows for x in row], np.int32), offsets


def ngrams(row: list[int], n: int) -> Counter[tuple[int, ...]]:
    return Counter(tuple(row[i : i + n]) for i in range(len(row) - n + 1))


def matches(hyps: Lines, refs: list[Lines], order: int, *, pooled: bool) -> FloatArray:
    first = np.cumsum([0, *map(len, refs)], dtype=np.int64)
    flat = [row for group in refs for row in group]
    groups = first if pooled else np.arange(len(flat) + 1)
    none = np.zeros((0, order))
    counts = shared_ngrams(*ragged(hyps), *ragged(flat), first, groups, none, order)
    return np.asarray(counts)


@settings(deadline=None)
@given(st.data(), st.integers(1, 7), st.integers(1, 2))
def test_matches_are_those_of_counters(data: st.DataObject, order: int, n_outputs: int) -> None:
    refs = data.draw(st.lists(st.lists(lines, min_size=1, max_size=3), min_size=1, max_size=3))
    size = n_outputs * len(refs)
    hyps = data.draw(st.lists(lines, min_size=size, max_size=size))
    pooled = matches(hyps, refs, order, pooled=True)
    single = matches(hyps, refs, order, pooled=False)
    for output in range(n_outputs):
        position = 0
        for segment, group in enumerate(refs):
            hyp = hyps[output * len(refs) + segment]
            for n in range(1, order + 1):
                found = ngrams(hyp, n)
                union: Counter[tuple[int, ...]] = Counter()
                for k, row in enumerate(group):
                    union |= ngrams(row, n)
                    common = (found & ngrams(row, n)).total()
                    assert single[output, position + k, n - 1] == common
                assert pooled[output, segment, n - 1] == (found & union).total()
            position += len(group)


@settings(deadline=None)
@given(st.lists(lines, min_size=1, max_size=4), st.integers(1, 5))
def test_information_is_prefix_over_ngram(rows: Lines, order: int) -> None:
    ids, offsets = ragged(rows)
    information = ngram_information(ids, offsets, order, -1)
    counts: Counter[tuple[int, ...]] = Counter()
    for row in rows:
        for n in range(1, order + 1):
            counts += ngrams(row, n)
    expected = np.zeros((ids.size, order))
    for row, start in zip(rows, offsets[:-1], strict=True):
        for i in range(len(row)):
            for n in range(1, min(order, len(row) - i) + 1):
                gram = tuple(row[i : i + n])
                before = counts[gram[:-1]] if n > 1 else ids.size
                expected[start + i, n - 1] = np.log2(before / counts[gram])
    assert information == pytest.approx(expected, rel=1e-15, abs=1e-15)


def test_an_orphan_has_no_prefix() -> None:
    ids, offsets = ragged([[5, 1, 2, 5, 3]])
    clean = ngram_information(ids, offsets, 3, -1)
    orphaned = ngram_information(ids, offsets, 3, 5)
    assert clean[0].tolist() == [np.log2(5 / 2), 1.0, 0.0]
    assert orphaned[0].tolist() == [np.log2(5 / 2), np.log2(5), 0.0]
    assert np.array_equal(clean[1:3], orphaned[1:3])


def test_weights_multiply_clipped_matches() -> None:
    refs, offsets = ragged([[1, 2, 1], [2, 2]])
    first = np.array([0, 2])
    weights = np.array([[0.5, 8.0], [0.25, 4.0], [0.5, 0.0], [0.25, 16.0], [0.25, 0.0]])
    hyps = ragged([[1, 1, 1, 2, 2, 2]])
    found = shared_ngrams(*hyps, refs, offsets, first, first, weights, 2)
    assert found.tolist() == [[[2 * 0.5 + 2 * 0.25, 8.0 + 16.0]]]


def test_many_distinct_tokens_and_long_lines() -> None:
    rng = np.random.default_rng(1)
    ref = rng.integers(0, 5000, 20_000).tolist()
    hyp = ref[10_000:] + rng.integers(0, 5000, 500).tolist()
    found = matches([hyp], [[ref]], 3, pooled=True)[0, 0]
    assert found.tolist() == [(ngrams(hyp, n) & ngrams(ref, n)).total() for n in (1, 2, 3)]


def test_totals() -> None:
    assert ngram_totals(np.array([[0, 2, 5]]), 3).tolist() == [
        [[0, 0, 0], [2, 1, 0], [5, 4, 3]]
    ]


@pytest.mark.parametrize("weighted", [False, True])
def test_both_engines_give_the_same_bits(weighted: bool) -> None:
    rng = np.random.default_rng(7)
    for _ in range(60):
        order, n_outputs = int(rng.integers(1, 8)), int(rng.integers(1, 4))
        vocabulary = int(rng.choice([1, 4, 50, 2**31 - 1]))

        def line(vocabulary: int = vocabulary) -> list[int]:
            drawn: list[int] = rng.integers(0, vocabulary, rng.integers(0, 40)).tolist()
            return drawn

        refs = [[line() for _ in range(rng.integers(1, 4))] for _ in range(5)]
        first = np.cumsum([0, *map(len, refs)], dtype=np.int64)
        ids, offsets = ragged([row for group in refs for row in group])
        groups = first if rng.random() < 0.5 else np.arange(offsets.size)
        hyps = ragged([line() for _ in range(5 * n_outputs)])
        information = ngram_information(ids, offsets, order, 3)
        by_sorting = sorted_ngrams.ngram_information_by_sorting(ids, offsets, order, 3)
        assert np.array_equal(information, by_sorting)
        weights = rng.normal(size=(ids.size, order)) if weighted else np.zeros((0, order))
        found = shared_ngrams(*hyps, ids, offsets, first, groups, weights, order)
        expected = sorted_ngrams.shared_ngrams_by_sorting(
            *hyps, ids, offsets, first, groups, weights if weighted else None, order
        )
        assert np.array_equal(found, expected)


@pytest.mark.parametrize("tokens", [1, 9, 40])
def test_blocks_of_the_sort_change_nothing(
    tokens: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(8)
    first = np.arange(0, 41, 2)
    refs = ragged([rng.integers(0, 4, rng.integers(0, 9)).tolist() for _ in range(40)])
    hyps = ragged([rng.integers(0, 4, rng.integers(0, 9)).tolist() for _ in range(40)])
    whole = sorted_ngrams.shared_ngrams_by_sorting(*hyps, *refs, first, first, None, 3)
    monkeypatch.setattr(sorted_ngrams, "_TOKENS", tokens)
    assert np.array_equal(
        whole, sorted_ngrams.shared_ngrams_by_sorting(*hyps, *refs, first, first, None, 3)
    )


def arguments() -> dict[str, Any]:
    hyps, refs = ragged([[1, 2], [3]]), ragged([[1, 2, 3], [3]])
    first = np.arange(3)
    return {
        "hyp_ids": hyps[0], "hyp_offsets": hyps[1], "ref_ids": refs[0], "ref_offsets": refs[1],
        "first": first, "groups": first, "weights": np.zeros((0, 2)), "order": 2,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"hyp_ids": np.array([1, -2, 3], np.int32)}, "`hyp_ids` must lie in 0 to"),
        ({"ref_ids": np.array([1, 2, 3, -1], np.int32)}, "`ref_ids` must lie in 0 to"),
        ({"hyp_ids": np.zeros((3, 1), np.int32)}, "`hyp_ids` must be one row"),
        ({"hyp_offsets": np.array([0, 3, 2])}, "`offsets of hyp_ids` must rise"),
        (
            {"hyp_offsets": np.array([0, 2, 4])},
            "`offsets of hyp_ids` must lie in 0 to 3; got 4",
        ),
        (
            {"ref_offsets": np.array([-1, 3, 4])},
            "`offsets of ref_ids` must lie in 0 to 4; got -1",
        ),
        (
            {"ref_offsets": np.array([], np.int64)},
            "`offsets of ref_ids` must hold at least one offset",
        ),
        ({"first": np.array([0, 1, 3])}, "`first` must lie in 0 to 2; got 3"),
        ({"first": np.array([0, 1])}, "`first` and `groups` must cover all 2"),
        ({"groups": np.array([1, 2])}, "`first` and `groups` must cover all 2"),
        ({"groups": np.array([0, 1, 1, 2])}, "`groups` must hold at least one"),
        ({"groups": np.array([0, 2])}, "`groups` must each lie within one segment"),
        ({"hyp_offsets": np.array([0, 1, 2, 3])}, "must hold each of 2 segments"),
        ({"weights": np.zeros((3, 2))}, "`weights` must have the shape"),
        ({"weights": np.zeros((4, 1))}, "`weights` must have the shape"),
        ({"order": 0, "weights": np.zeros((0, 0))}, "`order` must be at least 1"),
        ({"order": 1 << 29, "weights": np.zeros((0, 1 << 29))}, "× order at most 2"),
    ],
)
def test_what_would_lead_astray_is_refused(change: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        shared_ngrams(**{**arguments(), **change})


def test_information_needs_all_tokens_in_lines() -> None:
    ids, offsets = ragged([[1, 2], [3]])
    with pytest.raises(InputError, match="`offsets` must cover all 3 tokens; got 0 … 2"):
        ngram_information(ids, offsets[:2], 2, -1)
    with pytest.raises(InputError, match="`offsets` must cover all 3 tokens; got 2 … 3"):
        ngram_information(ids, offsets[1:], 2, -1)
    with pytest.raises(InputError, match="`order` must be at least 1"):
        ngram_information(ids, offsets, 0, -1)


def test_no_outputs_no_matches() -> None:
    given = {**arguments(), "hyp_ids": np.zeros(0, np.int32), "hyp_offsets": np.zeros(1, int)}
    assert shared_ngrams(**given).shape == (0, 2, 2)
