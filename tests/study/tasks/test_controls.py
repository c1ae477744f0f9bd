"""Controls: what each kind shows, and what happens where a copy cannot be degraded."""

from collections import Counter
from itertools import combinations_with_replacement, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from detectable.data.texts.corpus import Corpus
from detectable.study.tasks.controls import CONTROLS, ControlMaker, deal_evenly
from detectable.study.tasks.make_tasks import make_tasks
from detectable.study.tasks.result import Output, Shown, Tasks
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
