"""Controls: what each kind shows, and what happens where a copy cannot be degraded."""

from collections import Counter
from itertools import combinations_with_replacement, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from detectable.core.errors import InputError
from detectable.data.texts.corpus import Corpus
from detectable.study.tasks.controls import (
    CONTROLS,
    ControlMaker,
    Phrases,
    _rounds,
    deal_evenly,
    degrade,
    draw_rows,
    guess_unit,
    replaced_and_inserted,
    rows_judged_twice,
    sample_items,
    share_items,
    start_range,
)
from detectable.study.tasks.make_tasks import make_tasks
from detectable.study.tasks.result import Output, Shown, Tasks, pool_of
from tests.study.tasks.texts import documents_corpus, pool_and_controls


def _stubborn(n: int = 9, good: tuple[int, ...] = ()) -> tuple[ControlMaker, list[Shown]]:
    """Return outputs that cannot be degraded (no phrase would change them), but for `good` ones."""
    references = ["Yes a no"] * n
    outputs = ["b A" if i not in good else "quite another longer text here" for i in range(n)]
    pool, controls = pool_and_controls(Corpus.build({"S0": outputs}, references))
    return controls, [pool.shown(Output("S0", row)) for row in range(n)]


def test_a_reference_is_shown_in_place_of_the_output() -> None:
    pool, controls = pool_and_controls(documents_corpus([5]))
    original = pool.shown(Output("S1", 3))
    made = controls.one(original, "reference")
    assert (made.kind, made.output, made.of) == ("reference", original.output, original)
    assert made.text == pool.references[3]


def test_a_repeat_is_the_same_text() -> None:
    pool, controls = pool_and_controls(documents_corpus([5]))
    original = pool.shown(Output("S1", 3))
    made = controls.one(original, "repeat")
    assert (made.kind, made.text, made.of) == ("repeat", original.text, original)


def test_a_degraded_copy_is_another_text() -> None:
    pool, controls = pool_and_controls(documents_corpus([5]))
    original = pool.shown(Output("S1", 3))
    made = controls.one(original, "degraded")
    assert (made.kind, made.of) == ("degraded", original)
    assert made.text != original.text
    assert made.text.split()[0] == original.text.split()[0]
    assert controls.notes() == ()


def test_there_are_three_kinds() -> None:
    assert CONTROLS == ("degraded", "repeat", "reference")


def test_what_cannot_be_degraded_is_repeated_and_named() -> None:
    controls, outputs = _stubborn()
    made = controls.one(outputs[4], "degraded")
    assert (made.kind, made.text) == ("repeat", "b A")
    [note] = controls.notes()
    assert note.startswith("1 degraded copy could not be made, and the text is repeated")
    assert note.endswith("changes S0 line 5.")


def test_many_refusals_are_counted_and_three_named() -> None:
    controls, outputs = _stubborn()
    for output in outputs[:5]:
        controls.one(output, "degraded")
    [note] = controls.notes()
    assert note.startswith("5 degraded copies could not be made")
    assert note.endswith("S0 line 1, S0 line 2, S0 line 3 and 2 more.")


@pytest.mark.parametrize("seed", range(5))
def test_one_of_each_takes_three_different_outputs(seed: int) -> None:
    pool, controls = pool_and_controls(documents_corpus([7]), seed)
    outputs = [pool.shown(Output("S0", row)) for row in range(7)]
    made = controls.one_of_each(outputs, "S0")
    assert [one.kind for one in made] == ["degraded", "repeat", "reference"]
    assert len({id(one.of) for one in made}) == 3


def test_another_output_of_the_block_is_degraded_where_the_first_cannot_be() -> None:
    for seed in range(6):
        controls, outputs = _stubborn(7, good=(6,))
        controls._rng = np.random.default_rng(seed)
        made = controls.one_of_each(outputs, "S0")
        assert [one.kind for one in made] == ["degraded", "repeat", "reference"]
        assert made[0].output.row == 6
        assert len({id(one.of) for one in made}) == 3
        assert controls.notes() == ()  # nothing is missing, so nothing is said


def test_a_block_without_any_degradable_output_counts_once() -> None:
    controls, outputs = _stubborn(7)
    made = controls.one_of_each(outputs, "S0")
    assert [one.kind for one in made] == ["repeat", "repeat", "reference"]
    assert len({id(one.of) for one in made}) == 3
    assert controls.notes()[0].startswith("1 degraded copy could not be made")
    controls.one_of_each(outputs, "S0")
    assert controls.notes()[0].startswith("2 degraded copies could not be made")


def test_the_choice_of_outputs_is_random() -> None:
    chosen = set()
    for seed in range(20):
        pool, controls = pool_and_controls(documents_corpus([7]), seed)
        outputs = [pool.shown(Output("S0", row)) for row in range(7)]
        chosen.add(tuple(one.output.row for one in controls.one_of_each(outputs, "S0")))
    assert len(chosen) > 10


# Runs of copies


def _runs(n: int, systems: int, seed: int = 1) -> tuple[ControlMaker, dict[int, list[Shown]]]:
    pool, controls = pool_and_controls(documents_corpus([n], systems), seed)
    return controls, {
        row: [pool.shown(Output(f"S{s}", row)) for s in range(systems)] for row in range(n)
    }


@pytest.mark.parametrize("seed", range(5))
def test_copies_are_spread_over_runs(seed: int) -> None:
    """Thirteen degraded copies of three systems over six runs: two or three in each."""
    controls, runs = _runs(6, 3, seed)
    made = controls.spread(runs, {"S0": 5, "S1": 5, "S2": 3}, 4)
    kinds = [one.kind for run in made.values() for one in run]
    assert [kinds.count(kind) for kind in ("degraded", "reference")] == [13, 4]
    degraded = [
        [one.output.system for one in run if one.kind == "degraded"] for run in made.values()
    ]
    assert sorted(map(len, degraded)) == [2, 2, 2, 2, 2, 3]
    systems = [name for run in degraded for name in run]
    assert [systems.count(f"S{s}") for s in range(3)] == [5, 5, 3]
    for row, run in made.items():
        assert [one.of for one in run] == runs[row]
        assert sum(one.kind == "reference" for one in run) <= 1


def test_what_is_copied_how_is_random() -> None:
    found = set()
    for seed in range(20):
        controls, runs = _runs(2, 2, seed)
        made = controls.spread(runs, {"S0": 1, "S1": 1}, 1)
        found.add(tuple(one.kind for run in made.values() for one in run))
    assert len(found) == 4  # degraded in both runs, of either system; the reference in either


def test_another_copy_is_degraded_where_one_cannot_be() -> None:
    for seed in range(6):
        controls, outputs = _stubborn(7, good=(2, 6))
        controls._rng = np.random.default_rng(seed)
        runs = {row: [output] for row, output in enumerate(outputs)}
        made = controls.spread(runs, {"S0": 2}, 0)
        assert [row for row, [one] in made.items() if one.kind == "degraded"] == [2, 6]
        assert controls.notes() == ()


def test_another_system_is_degraded_where_one_cannot_be() -> None:
    references = ["Yes a no", "Yes a no", "Yes a no"]
    good = ["quite another longer text here"] * 3
    pool, controls = pool_and_controls(Corpus.build({"X": ["b A"] * 3, "Y": good}, references))
    runs = {row: [pool.shown(Output(name, row)) for name in ("X", "Y")] for row in range(3)}
    made = controls.spread(runs, {"X": 2}, 0)
    assert [[one.kind for one in run].count("degraded") for run in made.values()].count(1) == 2
    assert all(run[0].kind == "repeat" for run in made.values())
    assert controls.notes() == ()


def test_copies_that_cannot_be_degraded_are_counted_once_each() -> None:
    controls, outputs = _stubborn(7, good=(6,))
    runs = {row: [output] for row, output in enumerate(outputs)}
    made = controls.spread(runs, {"S0": 3}, 2)
    kinds = [run[0].kind for run in made.values()]
    assert [kinds.count(kind) for kind in CONTROLS] == [1, 4, 2]
    [note] = controls.notes()
    assert note.startswith("2 degraded copies could not be made")


# --- Degraded copies are dealt evenly over systems, within every rater ---

TASKS = st.lists(st.lists(st.integers(0, 3), min_size=3, max_size=3), min_size=1, max_size=3)


def _spread(totals: Counter[str], names: str) -> int:
    """Return the sum of squares: least where the totals are most even."""
    return sum(totals[name] ** 2 for name in names)


@settings(max_examples=60, deadline=None)
@given(TASKS, st.integers(0, 99), st.integers(0, 4))
def test_no_other_deal_is_more_even(tasks: list[list[int]], seed: int, most: int) -> None:
    available = [dict(zip("ABC", task, strict=True)) for task in tasks]
    wanted = [min(most, sum(task)) for task in tasks]
    dealt = deal_evenly(available, wanted, Counter(), np.random.default_rng(seed))
    assert [sum(task.values()) for task in dealt] == wanted
    for task, limit in zip(dealt, available, strict=True):
        assert all(0 <= n <= limit[name] for name, n in task.items())
    every = [
        [
            Counter(hand)
            for hand in combinations_with_replacement("ABC", n)
            if all(hand.count(name) <= limit[name] for name in "ABC")
        ]
        for n, limit in zip(wanted, available, strict=True)
    ]
    best = min(_spread(sum(deal, Counter()), "ABC") for deal in product(*every))
    assert _spread(sum(dealt, Counter()), "ABC") == best


def test_who_gets_one_more_is_random() -> None:
    extra = set()
    for seed in range(20):
        rng = np.random.default_rng(seed)
        [task] = deal_evenly([{"A": 9, "B": 9, "C": 9}], [4], Counter(), rng)
        extra.add(task.most_common(1)[0][0])
    assert extra == {"A", "B", "C"}


def test_raters_together_are_even_as_well() -> None:
    made = make_tasks(documents_corpus([120], 3), rng=1)
    counts = made.degraded_by_system.values()
    assert made.n_raters == 6
    assert max(counts) - min(counts) <= 1


def _by_rater(tasks: Tasks, systems: int) -> dict[str, list[int]]:
    found: dict[str, Counter[str]] = {}
    for row in tasks.rows:
        found.setdefault(row.rater, Counter())[row.system] += row.kind == "degraded"
    return {rater: [seen[f"S{i}"] for i in range(systems)] for rater, seen in found.items()}


@pytest.mark.parametrize("systems", [2, 3, 7, 20])
@pytest.mark.parametrize("raters", [None, 2])
@pytest.mark.parametrize("assignment", ["paired", "random"])
@pytest.mark.parametrize("seeds", [1, pytest.param(5, marks=pytest.mark.slow)])
def test_sentences_are_degraded_evenly(
    systems: int, raters: int | None, assignment: str, seeds: int
) -> None:
    for seed in range(seeds):
        corpus = documents_corpus([120], systems)
        made = make_tasks(corpus, assignment=assignment, raters=raters, rng=seed)  # type: ignore[arg-type]
        for counts in _by_rater(made, systems).values():
            assert max(counts) - min(counts) <= 1, (seed, counts)


@pytest.mark.parametrize("systems", [2, 3])
@pytest.mark.parametrize("length", [4, 7, 12, 35])
def test_documents_are_degraded_evenly(systems: int, length: int) -> None:
    """Ten lines of a system are copied at least: its share of ten degraded ones always fits."""
    for seed in range(5):
        made = make_tasks(
            documents_corpus([length] * 12, systems), kind="document", raters=2, rng=seed
        )
        for counts in _by_rater(made, systems).values():
            assert max(counts) - min(counts) <= 1, (seed, counts)


def test_a_task_has_copies_of_several_systems() -> None:
    """Documents as long as all copies together: formerly one of them took the whole room."""
    for seed in range(5):
        made = make_tasks(documents_corpus([30] * 6), kind="document", rng=seed)
        for rows in made.by_task().values():
            copied = Counter(row.system for row in rows if row.kind != "system")
            systems = {row.system for row in rows if row.kind == "system"}
            assert set(copied) == systems, (seed, copied)


def test_the_result_counts_by_system() -> None:
    made = make_tasks(documents_corpus([70], 3), rng=1)
    counts = Counter(row.system for row in made.rows if row.kind == "degraded")
    assert made.degraded_by_system == counts
    assert sum(made.degraded_by_system.values()) == made.counts["degraded"]
    assert made.to_dict()["degraded_by_system"] == dict(made.degraded_by_system)


def test_a_system_without_degraded_copies_counts_as_none() -> None:
    made = make_tasks(documents_corpus([1], 40), rng=1)
    assert len(made.degraded_by_system) == 40
    assert 0 in made.degraded_by_system.values()


# --- Samples of items: whole documents, as many as reach the number asked for ---


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


# --- Degraded copies ---

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
