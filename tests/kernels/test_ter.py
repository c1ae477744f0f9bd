"""TER's search against sacreBLEU's, word list by word list."""

import hashlib
import random
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit
from numpy.typing import NDArray
from rapidfuzz.distance import Levenshtein
from sacrebleu.metrics.lib_ter import BeamEditDistance, translation_edit_rate

from detectable.core.types import IntArray
from detectable.kernels import beam, bitparallel, inner, shifts, ter

Words = list[int]
Kind = Callable[[random.Random], tuple[Words, Words]]

OTHER_FILES = (beam, bitparallel, inner, shifts)


@njit()
def beam_distance(words: IntArray, reference: IntArray) -> tuple[int, int]:
    """Return the distance inside the beam, and the distance from which the beam may matter."""
    n, m = words.size, reference.size
    distance = beam.fill_band(words, reference, beam.new_band(n, m), int(np.int64(0)))
    return distance, beam.safe_distance(n, m)


def edits(pairs: list[tuple[Words, Words]]) -> list[int]:
    """Return our edits of (hypothesis, reference) pairs."""
    sides: list[tuple[NDArray[np.int32], IntArray]] = []
    for side in (0, 1):
        ids = [word for pair in pairs for word in pair[side]]
        ends = np.cumsum([0, *(len(pair[side]) for pair in pairs)])
        sides.append((np.array(ids, np.int32), ends))
    found: list[int] = ter.shift_edits(
        *sides[0], *sides[1], np.arange(len(pairs)), 1 << 10
    ).tolist()
    return found


def expected(hypothesis: Words, reference: Words) -> int:
    count: int = translation_edit_rate(strings(hypothesis), strings(reference))[0]
    return count


def strings(words: Words) -> list[str]:
    return [str(word) for word in words]


def shuffled(rng: random.Random, reference: Words, vocabulary: int, share: float) -> Words:
    """Move a few blocks of the reference, then replace, drop and add words."""
    words = list(reference)
    for _ in range(rng.randint(0, 4)):
        start, size = rng.randrange(len(words)), rng.randint(1, 12)
        block, words = words[start : start + size], words[:start] + words[start + size :]
        target = rng.randint(0, len(words))
        words[target:target] = block
    changes = [[], [rng.randrange(vocabulary)], [rng.randrange(vocabulary), -1]]
    noisy = [rng.choice(changes) if rng.random() < share else [-1] for _ in words]
    return [w if c < 0 else c for w, cs in zip(words, noisy, strict=True) for c in cs]


def draw(rng: random.Random, size: int, vocabulary: int) -> Words:
    return [rng.randrange(vocabulary) for _ in range(size)]


def dull_pair(rng: random.Random) -> tuple[Words, Words]:
    """Few different words: many blocks fit in many places, and the moves run out."""
    vocabulary = rng.randint(1, 12)
    return draw(rng, rng.randint(0, 24), vocabulary), draw(rng, rng.randint(0, 24), vocabulary)


def shifted_pair(rng: random.Random) -> tuple[Words, Words]:
    """A sentence and a reordered, faulty copy."""
    vocabulary = rng.randint(10, 80)
    reference = draw(rng, rng.randint(1, 60), vocabulary)
    return shuffled(rng, reference, vocabulary, rng.random() / 2), reference


def lopsided_pair(rng: random.Random) -> tuple[Words, Words]:
    """Very different lengths: the beam is narrower than the detour that an alignment needs."""
    vocabulary = rng.randint(50, 300)
    sizes = [rng.randint(1, 8), rng.randint(20, 300)]
    rng.shuffle(sizes)
    return draw(rng, sizes[0], vocabulary), draw(rng, sizes[1], vocabulary)


def offset_pair(rng: random.Random) -> tuple[Words, Words]:
    """A long copy behind a long prefix, outside the beam."""
    size, prefix, kept = rng.randint(60, 110), rng.randint(20, 55), rng.uniform(0.1, 0.6)
    reference = draw(rng, size, 900)
    tail = [
        w if rng.random() < kept else rng.randrange(900) for w in reference[: size - prefix]
    ]
    return draw(rng, prefix, 900) + tail, reference


KINDS: dict[Kind, int] = {dull_pair: 80, shifted_pair: 60, lopsided_pair: 400, offset_pair: 10}


@pytest.mark.golden
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_edits_are_those_of_sacrebleu(kind: Kind) -> None:
    rng = random.Random(kind.__name__)
    pairs = [kind(rng) for _ in range(KINDS[kind])]
    assert edits(pairs) == [expected(*pair) for pair in pairs]


@pytest.mark.golden
@settings(max_examples=150)
@given(
    st.lists(
        st.tuples(
            st.lists(st.integers(0, 4), max_size=12), st.lists(st.integers(0, 4), max_size=12)
        ),
        min_size=1,
        max_size=3,
    )
)
def test_edits_of_short_lists_are_those_of_sacrebleu(pairs: list[tuple[Words, Words]]) -> None:
    assert edits(pairs) == [expected(*pair) for pair in pairs]


@pytest.mark.golden
@pytest.mark.parametrize("seed", [1557, 3775, 6035])
def test_a_move_may_gain_more_inside_the_beam_than_the_words_it_moves(seed: int) -> None:
    pair = lopsided_pair(random.Random(seed))
    assert edits([pair]) == [expected(*pair)]


@pytest.mark.parametrize("kind", [lopsided_pair, offset_pair], ids=lambda kind: kind.__name__)
def test_the_distance_inside_the_beam_is_that_of_sacrebleu(kind: Kind) -> None:
    rng = random.Random(5)
    raised = 0
    for hypothesis, reference in (kind(rng) for _ in range(40)):
        distance, safe = beam_distance(np.array(hypothesis), np.array(reference))
        true = Levenshtein.distance(hypothesis, reference)
        assert distance == BeamEditDistance(strings(reference))(strings(hypothesis))[0]
        assert distance == true or distance > true >= safe
        raised += distance > true
    assert raised > 0  # else these pairs would not test the beam


@given(st.integers(1, 45), st.integers(1, 45), st.randoms(use_true_random=False))
def test_the_beam_is_wide_enough_for_usual_sentences(
    n: int, m: int, rng: random.Random
) -> None:
    hypothesis, reference = draw(rng, n, 6), draw(rng, m, 6)
    distance, safe = beam_distance(np.array(hypothesis), np.array(reference))
    true = Levenshtein.distance(hypothesis, reference)
    assert true >= safe or distance == true


@given(st.lists(st.integers(0, 9), max_size=40), st.randoms(use_true_random=False))
def test_edits_lie_between_those_of_bag_and_list(words: Words, rng: random.Random) -> None:
    hypothesis = shuffled(rng, words, 10, 0.3) if words else []
    (found,) = edits([(hypothesis, words)])
    common = sum(min(hypothesis.count(w), words.count(w)) for w in set(words))
    assert max(len(hypothesis), len(words)) - common <= found
    assert found <= Levenshtein.distance(hypothesis, words)


def test_a_hypothesis_may_have_several_references() -> None:
    words, ends = np.array([0, 1, 2], np.int32), np.array([0, 3])
    references = np.array([0, 1, 2, 1, 2, 0, 9], np.int32)
    owner = np.zeros(4, np.int64)
    found = ter.shift_edits(words, ends, references, np.array([0, 3, 6, 7, 7]), owner, 10)
    assert found.tolist() == [0, 1, 3, 3]


def test_the_search_ends_when_the_moves_run_out() -> None:
    # Two words in turn: hundreds of blocks fit everywhere, more than are looked at.
    hypothesis, reference = [0, 1] * 60, [1, 1, 0] * 40
    assert edits([(hypothesis, reference)]) == [expected(hypothesis, reference)]


def test_a_change_in_another_file_makes_the_disk_cache_stale() -> None:
    digest = hashlib.sha256()
    for other in OTHER_FILES:
        digest.update(Path(str(other.__file__)).read_text(encoding="utf-8").encode())
    new = digest.hexdigest()[:16]
    assert new == ter.INNER_DIGEST, f"a kernel of TER has changed: set INNER_DIGEST to {new!r}"


@pytest.mark.parametrize("compiled", [True, False])
def test_compiling_is_announced(compiled: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    steps: list[tuple[str, int, int | None]] = []
    kernel = SimpleNamespace(signatures=["any"] if compiled else [])
    monkeypatch.setattr(ter, "shift_edits", kernel)
    ter.announce(lambda step, done, total: steps.append((step, done, total)))
    assert steps == ([] if compiled else [("compiling TER kernels (first use only)", 0, None)])
