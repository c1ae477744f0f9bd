"""Samples of items: whole documents, as many as reach the number asked for."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from detectable.core.errors import InputError
from detectable.data.texts.corpus import Corpus
from detectable.study.tasks.controls import (
    _rounds,
    draw_rows,
    rows_judged_twice,
    sample_items,
    share_items,
)
from detectable.study.tasks.make_tasks import make_tasks
from detectable.study.tasks.result import pool_of
from tests.study.tasks.texts import documents_corpus


@settings(max_examples=60)
@given(
    st.lists(st.integers(1, 9), min_size=1, max_size=12), st.integers(1, 60), st.integers(0, 99)
)
def test_whole_documents_reach_the_number_and_none_is_too_much(
    lengths: list[int], n: int, seed: int
) -> None:
    names = [f"d{d}" for d, length in enumerate(lengths) for _ in range(length)]
    n = min(n, len(names))
    rows, n_documents = draw_rows(range(len(names)), names, n, np.random.default_rng(seed))
    taken = Counter(names[row] for row in rows)
    assert list(rows) == sorted(set(rows))
    assert taken == {name: names.count(name) for name in taken}
    assert len(taken) == n_documents
    # Fewer documents would not reach it: without some one of them there are too few.
    assert n <= len(rows) < n + max(taken.values())


def test_without_documents_exactly_that_many_lines() -> None:
    drawn = [draw_rows(range(30), None, 12, np.random.default_rng(s))[0] for s in range(400)]
    assert {len(set(rows)) for rows in drawn} == {12}
    times = Counter(row for rows in drawn for row in rows)
    error = (400 * 0.4 * 0.6) ** 0.5
    assert max(abs(times[row] - 160) for row in range(30)) < 4 * error


def test_of_a_sample_only_its_rows_are_drawn() -> None:
    rows, _ = draw_rows((3, 5, 8, 9), None, 2, np.random.default_rng(1))
    assert set(rows) < {3, 5, 8, 9}


def test_what_was_taken_is_said() -> None:
    rng = np.random.default_rng(1)
    pool = sample_items(pool_of(documents_corpus([4] * 10), None), 10, rng)
    assert pool.n_rows == 12
    assert pool.notes == (
        "12 of 40 lines were drawn: 3 whole of 10 documents, until 10 lines were reached.",
    )
    lines = [f"line {i} of the text" for i in range(20)]
    plain = sample_items(pool_of(Corpus.build({"A": lines}, lines), None), 7, rng)
    assert plain.notes == (
        "7 of 20 lines were drawn, each by itself, since no documents are known.",
    )


def test_all_lines_by_default_and_not_more_than_there_are() -> None:
    pool = pool_of(documents_corpus([4] * 3), None)
    rng = np.random.default_rng(1)
    before = rng.bit_generator.state
    assert sample_items(pool, None, rng) is pool
    assert rows_judged_twice(pool, 0.0, rng) == frozenset()
    assert rng.bit_generator.state == before  # nothing is drawn where nothing is asked
    assert sample_items(pool, 12, rng).n_rows == 12
    with pytest.raises(InputError, match="`n_items` must be at most 12, the lines of the"):
        sample_items(pool, 13, rng)


@pytest.mark.parametrize(
    ("overlap", "n"), [(0.1, 24), (0.101, 25), (1.0, 240), (0.001, 1), (0.3, 72)]
)
def test_the_share_is_reached(overlap: float, n: int) -> None:
    lines = [f"line {i} of the text" for i in range(240)]
    pool = pool_of(Corpus.build({"A": lines}, lines), None)
    assert len(rows_judged_twice(pool, overlap, np.random.default_rng(1))) == n


@pytest.mark.parametrize("kind", ["segment", "document"])
def test_items_keep_the_number_of_their_line(kind: str) -> None:
    corpus = documents_corpus([5] * 12)
    made = make_tasks(corpus, kind=kind, n_items=23, per_task=40, rng=4)  # type: ignore[arg-type]
    shown = {row.item for row in made.rows}
    assert (made.n_items, len(shown)) == (25, 25)
    for row in made.rows:
        line = int(row.item) - 1
        assert row.reference == corpus.references[0][line]
        assert row.document == (corpus.documents or ())[line]
        if row.kind == "system":
            assert row.text == corpus.output(row.system)[line]
    other = make_tasks(corpus, kind=kind, n_items=23, per_task=40, rng=5)  # type: ignore[arg-type]
    assert {row.item for row in other.rows} != shown


def test_the_sample_is_judged_at_random_too() -> None:
    made = make_tasks(
        documents_corpus([5] * 12), n_items=20, assignment="random", per_task=20, rng=4
    )
    assert len({row.item for row in made.rows}) == made.n_items == 20


# --- Items of each rater: evenly, and some with two raters ---


@settings(max_examples=100, deadline=None)
@given(st.integers(2, 60), st.floats(0, 1), st.integers(2, 9), st.integers(0, 99))
def test_loads_are_even_and_nobody_gets_an_item_twice(
    n: int, share: float, raters: int, seed: int
) -> None:
    twice = set(range(round(share * n)))
    shares = share_items(range(n), twice, raters, np.random.default_rng(seed))
    sizes = [len(own) for own in shares]
    assert len(shares) == raters
    assert max(sizes) - min(sizes) <= (1 if n - len(twice) >= raters else 2)
    common = [
        len(set(shares[i]) & set(shares[j]))
        for i in range(raters)
        for j in range(i + 1, raters)
    ]
    assert sum(common) == len(twice)
    assert max(common) - min(common) <= 1
    assert all(len(set(own)) == len(own) for own in shares)
    times = Counter(row for own in shares for row in own)
    assert times == {row: 2 if row in twice else 1 for row in range(n)}


@pytest.mark.parametrize("n", range(2, 10))
def test_every_two_meet_once_and_nobody_twice_in_a_round(n: int) -> None:
    pairs = list(_rounds(n))
    assert len({frozenset(pair) for pair in pairs}) == len(pairs) == n * (n - 1) // 2
    half = n // 2
    for start in range(0, len(pairs), half):
        players = [rater for pair in pairs[start : start + half] for rater in pair]
        assert len(set(players)) == 2 * half


def test_what_two_judge_stands_anywhere_in_the_work() -> None:
    """Were it at the start, drift of the raters would look like agreement."""
    places = []
    for seed in range(50):
        for own in share_items(range(100), set(range(20)), 2, np.random.default_rng(seed)):
            places += [own.index(row) / (len(own) - 1) for row in range(20)]
    # Uniform: sd 1/√12; 2,000 places, not more dependent than independent ones.
    assert abs(np.mean(places) - 0.5) < 4 / np.sqrt(12 * len(places))


def test_items_come_in_random_order() -> None:
    [own] = share_items(range(50), (), 1, np.random.default_rng(1))
    assert own != sorted(own)
    firsts = {share_items(range(9), (), 3, np.random.default_rng(s))[0][0] for s in range(60)}
    assert firsts == set(range(9))
