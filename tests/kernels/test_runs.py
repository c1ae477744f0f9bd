"""Greedy runs against plain Python, pair by pair."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from detectable.core.errors import InputError
from detectable.kernels import word_matches as runs
from tests.golden.make_word_errors import match_size

pytestmark = pytest.mark.usefixtures("each_engine")

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


def test_both_engines_give_the_same_bits(each_engine: str) -> None:
    rng = np.random.default_rng(3)
    sizes = rng.integers(0, 40, (2, 30))
    (own, ends), (other, other_ends) = (
        (rng.integers(0, 9, row.sum(), np.int32), np.cumsum([0, *row])) for row in sizes
    )
    owner = rng.integers(0, 30, 30)
    found = runs.run_powers(own, ends, other, other_ends, owner, 1.3)
    for k, hypothesis in enumerate(owner):
        sizes_k = runs._run_sizes(
            own[ends[hypothesis] : ends[hypothesis + 1]].tolist(),
            other[other_ends[k] : other_ends[k + 1]].tolist(),
        )
        expected = 0.0
        for size in sizes_k:
            expected += float(size) ** 1.3
        assert found[k] == expected


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"hyp_ids": np.array([0, -1, 2], np.int32)}, "`hyp_ids` must lie in 0 to"),
        (
            {"ref_offsets": np.array([0, 1, 3])},
            "`offsets of ref_ids` must lie in 0 to 2; got 3",
        ),
        ({"owner": np.array([0, 2])}, "`owner` must lie in 0 to 1; got 2"),
    ],
)
def test_what_would_lead_astray_is_refused(change: dict[str, Any], said: str) -> None:
    given: dict[str, Any] = {
        "hyp_ids": np.array([0, 1, 2], np.int32), "hyp_offsets": np.array([0, 2, 3]),
        "ref_ids": np.array([1, 2], np.int32), "ref_offsets": np.array([0, 1, 2]),
        "owner": np.array([0, 1]), "exponent": 2.0,
    }  # fmt: skip
    assert runs.run_powers(**given).tolist() == [1.0, 1.0]
    with pytest.raises(InputError, match=said):
        runs.run_powers(**{**given, **change})
