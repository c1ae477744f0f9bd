"""Greedy runs against plain Python, pair by pair."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from detectable.kernels import runs
from tests.golden.make_word_errors import match_size

words = st.lists(st.sampled_from("abcd"), max_size=15)


def powers(hypothesis: list[str], reference: list[str], exponent: float) -> float:
    numbers = [np.array([ord(w) for w in side], np.int32) for side in (hypothesis, reference)]
    ends = [np.array([0, side.size]) for side in numbers]
    found = runs.run_powers(numbers[0], ends[0], numbers[1], ends[1], np.array([0]), exponent)
    return float(found[0])


@pytest.mark.parametrize(
    ("hypothesis", "reference", "sizes"),
    [
        ("abcde", "abcde", [5]),
        ("abcde", "cdeab", [3, 2]),
        ("abab", "ab", [2]),
        ("aabb", "bbaa", [2, 2]),
        ("abcab", "ab", [2]),
        ("ab", "ba", [1, 1]),
        ("", "ab", []),
    ],
)
def test_runs_of_small_cases(hypothesis: str, reference: str, sizes: list[int]) -> None:
    assert powers(list(hypothesis), list(reference), 2.0) == sum(size**2 for size in sizes)


@given(words, words, st.sampled_from([1.0, 1.5, 2.0, 3.0]))
def test_runs_follow_the_definition(
    hypothesis: list[str], reference: list[str], exponent: float
) -> None:
    expected = match_size(hypothesis, reference, exponent)
    assert powers(hypothesis, reference, exponent) ** (1 / exponent) == pytest.approx(
        expected, rel=1e-13
    )


@given(words, words)
def test_with_exponent_one_all_common_words_are_found(
    hypothesis: list[str], reference: list[str]
) -> None:
    common = sum(min(hypothesis.count(w), reference.count(w)) for w in "abcd")
    assert powers(hypothesis, reference, 1.0) == common


@pytest.mark.parametrize("compiled", [True, False])
def test_compiling_is_announced(compiled: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    steps: list[tuple[str, int, int | None]] = []
    kernel = SimpleNamespace(signatures=["any"] if compiled else [])
    monkeypatch.setattr(runs, "run_powers", kernel)
    runs.announce(lambda step, done, total: steps.append((step, done, total)))
    assert steps == ([] if compiled else [("compiling GTM kernels (first use only)", 0, None)])
