"""Degraded copies."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from detectable.core.errors import InputError
from detectable.study.tasks.controls import (
    Phrases,
    degrade,
    guess_unit,
    replaced_and_inserted,
    start_range,
)

# The table of the tool of Direct Assessment, written out: length to (removed, put in).
TABLE = {1: (1, 1), 2: (1, 1), 3: (1, 1), 4: (2, 2), 5: (2, 2), 6: (3, 3), 7: (3, 3)}
TABLE |= dict.fromkeys(range(8, 15), (4, 4)) | dict.fromkeys(range(15, 20), (5, 5))
TABLE |= {n: (n // 4, 6) for n in range(20, 41)}

OTHERS = ["Old words stand here for the whole of a very long line of filler ."] * 2


@pytest.mark.golden
@pytest.mark.parametrize("length", range(1, 41))
def test_the_table_of_lengths(length: int) -> None:
    assert replaced_and_inserted(length) == TABLE[length]


def test_an_empty_text_has_no_length() -> None:
    with pytest.raises(InputError, match="at least 1"):
        replaced_and_inserted(0)


@pytest.mark.parametrize(
    ("length", "places"),
    [
        (1, (0, 0)),
        (2, (1, 1)),
        (3, (1, 1)),
        (4, (1, 1)),
        (5, (1, 1)),
        (8, (1, 2)),
        (40, (1, 28)),
    ],
)
def test_where_a_run_may_begin(length: int, places: tuple[int, int]) -> None:
    assert start_range(length, TABLE[length][0]) == places


@given(st.integers(2, 60), st.integers(0, 2**32 - 1))
def test_a_run_in_the_middle_is_replaced(length: int, seed: int) -> None:
    words = [f"w{i}" for i in range(length)]
    phrases = Phrases(["never used", *OTHERS], "word")
    made = degrade(" ".join(words), 0, phrases, np.random.default_rng(seed))
    assert made is not None
    found = made.split()
    removed, inserted = replaced_and_inserted(length)
    assert len(found) == length - removed + inserted
    kept = [word for word in found if word in words]
    start = found.index(next(word for word in found if word not in words))
    assert start >= 1  # the first word is never touched
    assert kept == words[:start] + words[start + removed :]
    new = found[start : start + inserted]
    line = OTHERS[0].lower().split()
    assert any(new == line[i : i + inserted] for i in range(1, len(line) - inserted))


def test_every_start_occurs() -> None:
    words = [f"w{i}" for i in range(12)]
    phrases = Phrases(["x", *OTHERS], "word")
    rng = np.random.default_rng(1)
    made = [degrade(" ".join(words), 0, phrases, rng) for _ in range(300)]
    starts = {next(i for i, w in enumerate(str(m).split()) if w != f"w{i}") for m in made}
    assert starts == set(range(1, 12 - 4 - 2 + 1))


def test_a_single_word_is_replaced_by_one_with_a_capital() -> None:
    made = degrade(
        "yes", 0, Phrases(["x", "the small cat sat"], "word"), np.random.default_rng(1)
    )
    assert made in ("Small", "Cat")


def test_its_own_reference_does_not_repair_an_output() -> None:
    phrases = Phrases(["The quick brown fox .", "No more tall trees ."], "word")
    rng = np.random.default_rng(3)
    made = " ".join(str(degrade("a b c d", 0, phrases, rng)) for _ in range(50))
    assert "quick" not in made
    assert "tall" in made
    # A line that phrases are not drawn from has no phrase of its own among them.
    made = " ".join(str(degrade("a b c d", 2, phrases, rng)) for _ in range(50))
    assert "quick" in made
    assert "tall" in made


def test_what_cannot_be_degraded_is_refused() -> None:
    rng = np.random.default_rng(1)
    assert degrade("", 0, Phrases(OTHERS, "word"), rng) is None
    assert degrade("some words", 0, Phrases(["x", "too short"], "word"), rng) is None
    # The only phrase is what stands there already, but for capitals.
    assert degrade("a Same", 0, Phrases(["x", "a same b"], "word"), rng) is None


def test_a_short_corpus_gives_shorter_phrases() -> None:
    made = degrade(
        " ".join("abcdefgh"), 0, Phrases(["x", "a mid b"], "word"), np.random.default_rng(1)
    )
    assert made is not None
    assert len(made.split()) == 8 - 4 + 1


def test_characters_are_replaced_where_there_are_no_spaces() -> None:
    texts = [
        "今天天气很好我们去公园散步吧好不好呀你说呢",
        "他们昨天在学校里学习汉语和日语的语法知识与词汇",
    ]
    assert guess_unit(texts) == "character"
    assert guess_unit(["a plain line", "混 one"]) == "word"
    made = degrade(texts[0], 0, Phrases(texts, "character"), np.random.default_rng(1))
    assert made is not None
    assert len(made) == len(texts[0])
    assert made[0] == texts[0][0]
    assert sum(a != b for a, b in zip(made, texts[0], strict=True)) > 6
    assert replaced_and_inserted(len(texts[0]), "character") == (12, 12)


@pytest.mark.parametrize("length", range(1, 41))
def test_lengths_in_characters_are_doubled_and_leave_something(length: int) -> None:
    removed, inserted = replaced_and_inserted(length, "character")
    assert removed == inserted
    assert removed <= min(12, 2 * TABLE[length][1])
    assert length - removed >= min(3, length // 2)
