"""Numbered chunks against str.split, line by line."""

import random
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import islice
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from rapidfuzz.distance import Levenshtein
from sacrebleu.metrics.lib_ter import BeamEditDistance, translation_edit_rate

from detectable.core.errors import InputError
from detectable.core.types import IntArray
from detectable.kernels import edits as edits_of_kernels
from detectable.kernels import word_matches as runs
from detectable.kernels import word_matches as ter
from detectable.kernels.word_matches import number_chunks
from tests.golden.make_word_errors import bag_errors, edit_distance, match_size
from tests.kernels.engines import engine
from tests.metrics.texts import nasty_text


@pytest.fixture(scope="module")
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


@pytest.mark.usefixtures("compiled")
@settings(max_examples=4 * settings().max_examples)
@given(st.lists(nasty_text.map(without_newlines), max_size=6))
def test_chunks_are_those_of_split(lines: list[str]) -> None:
    assert split(lines) == [line.split() for line in lines]


@pytest.mark.usefixtures("compiled")
@given(st.lists(st.text(st.characters(), max_size=6).map(without_newlines), max_size=4))
def test_any_characters_surrogates_too(lines: list[str]) -> None:
    assert split(lines) == [line.split() for line in lines]


@pytest.mark.usefixtures("compiled")
def test_every_character_is_white_space_as_in_python() -> None:
    characters = [chr(k) for k in range(sys.maxunicode + 1) if chr(k) != "\n"]
    lines = [
        "".join(f"a{c}b" for c in characters[start : start + 4096])
        for start in range(0, len(characters), 4096)
    ]
    assert split(lines) == [line.split() for line in lines]


@pytest.mark.usefixtures("compiled")
@pytest.mark.parametrize("end", ["\xc2", "é", "\u1680", "\u2003", "\u205f", "\u3000", "中"])
def test_text_may_end_anywhere(end: str) -> None:
    for text in (end, f"a{end}", f"{end}a", f"a {end}"):
        assert split([text]) == [text.split()]


@pytest.mark.usefixtures("compiled")
@pytest.mark.parametrize("last", [b"\xc2", b"\xe1\x9a", b"\xe2\x80", b"\xe2", b"\xe3\x80"])
def test_bytes_that_are_cut_off_are_no_white_space(last: bytes) -> None:
    found = number_chunks(np.frombuffer(b"a" + last, np.uint8), 1)
    assert found is not None
    assert found.spans.tolist() == [[0, 1 + len(last)]]


@pytest.mark.usefixtures("compiled")
def test_the_table_grows() -> None:
    words = [str(k) for k in range(30_000)]
    lines = [" ".join(words[start : start + 7]) for start in range(0, len(words), 7)] * 2
    assert split(lines) == [line.split() for line in lines]


@pytest.mark.usefixtures("compiled")
def test_nothing_at_all() -> None:
    assert split([]) == []
    assert split([""]) == [[]]
    assert split(["", " ", ""]) == [[], [], []]


@pytest.mark.usefixtures("compiled")
@pytest.mark.parametrize(("text", "lines"), [(b"a\nb", 1), (b"a", 2), (b"a", -1), (b"\n", 0)])
def test_newlines_must_separate_the_lines(text: bytes, lines: int) -> None:
    with pytest.raises(InputError, match="`text` must have newlines between"):
        number_chunks(np.frombuffer(text, np.uint8), lines)


@pytest.mark.usefixtures("compiled")
def test_text_must_be_one_row() -> None:
    with pytest.raises(InputError, match="`text` must be one row"):
        number_chunks(np.zeros((2, 2), np.uint8), 1)


@pytest.mark.usefixtures("compiled")
def test_without_the_library_there_is_no_answer() -> None:
    with engine("numpy"):
        assert number_chunks(np.frombuffer(b"a", np.uint8), 1) is None


# --- Greedy runs against plain Python, pair by pair ---

words = st.lists(st.sampled_from("abcd"), max_size=15)


def powers(hypothesis: list[str], reference: list[str], exponent: float) -> float:
    numbers = [np.array([ord(w) for w in side], np.int32) for side in (hypothesis, reference)]
    ends = [np.array([0, side.size]) for side in numbers]
    found = runs.run_powers(numbers[0], ends[0], numbers[1], ends[1], np.array([0]), exponent)
    return float(found[0])


@pytest.mark.usefixtures("each_engine")
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


@pytest.mark.usefixtures("each_engine")
@given(words, words, st.sampled_from([1.0, 1.5, 2.0, 3.0]))
def test_runs_follow_the_definition(
    hypothesis: list[str], reference: list[str], exponent: float
) -> None:
    expected = match_size(hypothesis, reference, exponent)
    assert powers(hypothesis, reference, exponent) ** (1 / exponent) == pytest.approx(
        expected, rel=1e-13
    )


@pytest.mark.usefixtures("each_engine")
@given(words, words)
def test_with_exponent_one_all_common_words_are_found(
    hypothesis: list[str], reference: list[str]
) -> None:
    common = sum(min(hypothesis.count(w), reference.count(w)) for w in "abcd")
    assert powers(hypothesis, reference, 1.0) == common


@pytest.mark.usefixtures("each_engine")
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


@pytest.mark.usefixtures("each_engine")
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


# --- TER's search against sacreBLEU's, word list by word list ---

Words = list[int]
Kind = Callable[[random.Random], tuple[Words, Words]]


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
    return _counted(tuple(strings(hypothesis)), tuple(strings(reference)))


@cache  # both engines are asked about the same pairs, and this takes seconds
def _counted(hypothesis: tuple[str, ...], reference: tuple[str, ...]) -> int:
    count: int = translation_edit_rate(list(hypothesis), list(reference))[0]
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


# sacreBLEU takes seconds: every change is compared on a fifth of the pairs, spread evenly.
PARTS = pytest.mark.parametrize("part", [5, pytest.param(1, marks=pytest.mark.slow)])
KINDS: dict[Kind, int] = {dull_pair: 40, shifted_pair: 20, lopsided_pair: 200, offset_pair: 5}


@pytest.mark.usefixtures("each_engine")
@pytest.mark.golden
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
@PARTS
def test_edits_are_those_of_sacrebleu(kind: Kind, part: int, each_engine: str) -> None:
    rng = random.Random(kind.__name__)
    # Without the library it is sacreBLEU's own code, slow, and only the way to it is tested.
    most = KINDS[kind] if each_engine == "native" else 5
    pairs = [kind(rng) for _ in range(most)][::part]
    assert edits(pairs) == [expected(*pair) for pair in pairs]


@pytest.mark.usefixtures("each_engine")
@pytest.mark.golden
@settings(max_examples=2 * settings().max_examples)
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


@pytest.mark.usefixtures("each_engine")
@pytest.mark.golden
@pytest.mark.parametrize("seed", [1557, 3775, 6035])
def test_a_move_may_gain_more_inside_the_beam_than_the_words_it_moves(seed: int) -> None:
    pair = lopsided_pair(random.Random(seed))
    assert edits([pair]) == [expected(*pair)]


@pytest.mark.usefixtures("each_engine")
@pytest.mark.golden
@pytest.mark.parametrize("kind", [lopsided_pair, offset_pair], ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("most", [1, pytest.param(3, marks=pytest.mark.slow)])
def test_edits_beyond_the_beam_are_those_of_sacrebleu(kind: Kind, most: int) -> None:
    rng = random.Random(25)
    drawn = (kind(rng) for _ in range(60))
    beyond = (
        (hypothesis, reference)
        for hypothesis, reference in drawn
        if BeamEditDistance(strings(reference))(strings(hypothesis))[0]
        > Levenshtein.distance(hypothesis, reference)
    )
    pairs = list(islice(beyond, most))
    assert pairs
    assert edits(pairs) == [expected(*pair) for pair in pairs]


@pytest.mark.usefixtures("each_engine")
@given(st.lists(st.integers(0, 9), max_size=40), st.randoms(use_true_random=False))
def test_edits_lie_between_those_of_bag_and_list(words: Words, rng: random.Random) -> None:
    hypothesis = shuffled(rng, words, 10, 0.3) if words else []
    (found,) = edits([(hypothesis, words)])
    common = sum(min(hypothesis.count(w), words.count(w)) for w in set(words))
    assert max(len(hypothesis), len(words)) - common <= found
    assert found <= Levenshtein.distance(hypothesis, words)


@pytest.mark.usefixtures("each_engine")
def test_a_hypothesis_may_have_several_references() -> None:
    words, ends = np.array([0, 1, 2], np.int32), np.array([0, 3])
    references = np.array([0, 1, 2, 1, 2, 0, 9], np.int32)
    owner = np.zeros(4, np.int64)
    found = ter.shift_edits(words, ends, references, np.array([0, 3, 6, 7, 7]), owner, 10)
    assert found.tolist() == [0, 1, 3, 3]


@pytest.mark.usefixtures("each_engine")
def test_the_search_ends_when_the_moves_run_out(each_engine: str) -> None:
    # Two words in turn: hundreds of blocks fit everywhere, more than are looked at.
    times = 20 if each_engine == "native" else 6
    hypothesis, reference = [0, 1] * 3 * times, [1, 1, 0] * 2 * times
    assert edits([(hypothesis, reference)]) == [expected(hypothesis, reference)]


def arguments() -> dict[str, Any]:
    return {
        "hyp_ids": np.array([0, 1, 2], np.int32), "hyp_offsets": np.array([0, 2, 3]),
        "ref_ids": np.array([1, 2], np.int32), "ref_offsets": np.array([0, 1, 2]),
        "owner": np.array([0, 1]), "n_words": 3,
    }  # fmt: skip


@pytest.mark.usefixtures("each_engine")
@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"n_words": 2}, "`hyp_ids` must lie in 0 to 1; got 2"),
        ({"n_words": -1}, "`n_words` must be from 0"),
        ({"n_words": 1 << 31}, "`n_words` must be from 0"),
        ({"ref_ids": np.array([1, -1], np.int32)}, "`ref_ids` must lie in 0 to"),
        (
            {"hyp_offsets": np.array([0, 2, 4])},
            "`offsets of hyp_ids` must lie in 0 to 3; got 4",
        ),
        ({"ref_offsets": np.array([1, 0, 2])}, "`offsets of ref_ids` must rise"),
        ({"owner": np.array([0, 2])}, "`owner` must lie in 0 to 1; got 2"),
        ({"owner": np.array([-1, 0])}, "`owner` must lie in 0 to 1"),
        ({"owner": np.array([0])}, "`owner` must have the shape \\(2,\\)"),
    ],
)
def test_what_would_lead_astray_is_refused_of_ter(change: dict[str, Any], said: str) -> None:
    assert ter.shift_edits(**arguments()).tolist() == [1, 0]
    with pytest.raises(InputError, match=said):
        ter.shift_edits(**{**arguments(), **change})


@pytest.mark.usefixtures("each_engine")
def test_a_line_must_leave_room_to_count_edits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ter, "_LONGEST", 2)
    with pytest.raises(InputError, match="`hyp_ids` must have fewer than"):
        ter.shift_edits(**arguments())


@pytest.mark.usefixtures("each_engine")
def test_ids_outside_the_lines_do_not_matter() -> None:
    given = arguments()
    given["hyp_ids"][0] = 99
    given["hyp_offsets"] = np.array([1, 2, 3])
    assert ter.shift_edits(**given).tolist() == [0, 0]


@pytest.mark.usefixtures("each_engine")
def test_it_says_whether_it_is_fast() -> None:
    with engine("numpy"):
        assert not ter.is_native()
    with engine("native"):
        assert ter.is_native()


# --- Edit distances and bag overlaps against plain Python, pair by pair ---

Lines = list[list[int]]

lines = st.lists(st.lists(st.integers(0, 6), max_size=9), min_size=1, max_size=5)


def stream(lines: Lines) -> tuple[edits_of_kernels.Ids, IntArray]:
    words = [word for line in lines for word in line]
    return np.array(words, np.int32), np.cumsum([0, *map(len, lines)])


@given(lines, lines, st.randoms(use_true_random=False))
def test_both_counts_follow_the_definition(
    hypotheses: Lines, references: Lines, rng: random.Random
) -> None:
    chosen = [rng.choice(range(len(hypotheses))) for _ in references]
    owner = np.array(chosen)
    pairs = [
        ([str(w) for w in hypotheses[k]], [str(w) for w in reference])
        for k, reference in zip(chosen, references, strict=True)
    ]

    assert edits_of_kernels.as_lists(*stream(hypotheses)) == hypotheses
    distances = edits_of_kernels.edit_distances(hypotheses, references, owner)
    assert distances.tolist() == [edit_distance(*pair) for pair in pairs]

    bags, others = (
        edits_of_kernels.count_words(*stream(hypotheses)),
        edits_of_kernels.count_words(*stream(references)),
    )
    overlaps = edits_of_kernels.bag_overlaps(bags, others, owner)
    longer = [max(map(len, pair)) for pair in pairs]
    assert (np.array(longer) - overlaps).tolist() == [bag_errors(*pair) for pair in pairs]


def test_lines_and_words_of_large_number_are_kept_apart() -> None:
    top = 2**31 - 1
    bags = edits_of_kernels.count_words(
        np.array([top, 0, top, top], np.int32), np.array([0, 2, 4])
    )
    assert edits_of_kernels.bag_overlaps(bags, bags, np.array([0, 1])).tolist() == [2, 2]
    assert edits_of_kernels.bag_overlaps(bags, bags, np.array([1, 0])).tolist() == [1, 1]
