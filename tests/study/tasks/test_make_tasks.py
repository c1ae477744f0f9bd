"""Annotation tasks with controls."""

import zlib
from collections import Counter
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from detectable.core.errors import InputError
from detectable.data.human.judgments import Judgments
from detectable.data.texts.corpus import Corpus
from detectable.study.raters.quality_control import pair_up, quality_control
from detectable.study.raters.rater_check import check_rater
from detectable.study.tasks.make_tasks import make_tasks
from detectable.study.tasks.result import TaskRow, Tasks
from tests.study.tasks.texts import documents_corpus

FILLER = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]


def corpus(n: int, systems: int, document: int | None = None, **more: Any) -> Corpus:
    def line(who: str, i: int) -> str:
        return f"{who} says of line {i} " + " ".join(FILLER[: 1 + i % 10]) + " ."

    return Corpus.build(
        {f"S{s}": [line(f"S{s}", i) for i in range(n)] for s in range(systems)},
        [line("Ref", i) for i in range(n)],
        sources=[line("Quelle", i) for i in range(n)],
        documents=None if document is None else [f"doc{i // document}" for i in range(n)],
        **more,
    )


def check_controls(made: Tasks) -> None:
    """Every control has its original in the same task by the same rater, and differs from it."""
    for rows in made.by_task().values():
        assert len({row.rater for row in rows}) == 1
        assert [row.position for row in rows] == list(range(1, len(rows) + 1))
        originals = [row.of_position for row in rows if row.of_position is not None]
        assert len(set(originals)) == len(originals)
        for row in rows:
            assert (row.of_position is None) == (row.kind == "system")
            if row.of_position is None:
                continue
            original = rows[row.of_position - 1]
            assert original.kind == "system"
            assert (original.system, original.item) == (row.system, row.item)
            assert (row.text == original.text) == (row.kind == "repeat")
            if row.kind == "reference":
                assert row.text == row.reference


def test_a_task_of_a_hundred_at_random() -> None:
    made = make_tasks(corpus(100, 3), assignment="random", rng=1)
    check_controls(made)
    for rows in made.by_task().values():
        kinds = Counter(row.kind for row in rows)
        assert kinds == {"system": 70, "degraded": 10, "repeat": 10, "reference": 10}
        assert len({(r.system, r.item) for r in rows if r.kind == "system"}) == 70
        for block in range(1, 11):
            inside = [row for row in rows if row.block == block]
            assert len(inside) == 10
            assert {row.position for row in inside} == set(
                range(10 * block - 9, 10 * block + 1)
            )
            away = block + 5 if block <= 5 else block - 5
            both = [row for row in rows if row.block in (block, away)]
            controls = [row for row in both if row.of_position is not None]
            kinds = Counter(row.kind for row in controls)
            assert kinds == {"degraded": 2, "repeat": 2, "reference": 2}
            own = [row for row in controls if row.block == block]
            assert all(rows[int(row.of_position or 0) - 1].block == away for row in own)
    distances = [
        abs(r.position - r.of_position) for r in made.rows if r.of_position is not None
    ]
    assert 40 < min(distances) <= max(distances) < 60
    assert made.distance_min == min(distances)
    assert made.distance_mean == pytest.approx(sum(distances) / len(distances))
    assert made.control_share == pytest.approx(0.3)


@pytest.mark.parametrize(
    ("n", "systems", "kinds"),
    [
        (70, 1, (70, 10, 10, 10)),
        (35, 2, (70, 10, 10, 10)),
        (23, 3, (69, 10, 11, 10)),  # one more fills up
        (17, 4, (68, 12, 12, 8)),
        (14, 5, (70, 12, 12, 6)),
        (10, 7, (70, 12, 14, 4)),  # and two here
    ],
)
def test_a_task_of_a_hundred_in_pairs(n: int, systems: int, kinds: tuple[int, ...]) -> None:
    """Of more than three systems the reference is shown once for a sentence, not more often."""
    made = make_tasks(corpus(n, systems), rng=1)
    check_controls(made)
    assert (made.n_tasks, len(made.rows), made.n_filled) == (1, 100, 0)
    found = made.counts
    assert tuple(found[k] for k in ("system", "degraded", "repeat", "reference")) == kinds
    distances = [
        abs(r.position - r.of_position) for r in made.rows if r.of_position is not None
    ]
    assert 40 < min(distances) <= max(distances) < 60 + systems


def test_all_outputs_are_shown_and_the_last_task_begins_again() -> None:
    made = make_tasks(corpus(100, 3), assignment="random", rng=2)
    shown = Counter((row.system, row.item) for row in made.rows if row.kind == "system")
    assert len(shown) == 300
    assert (made.n_tasks, sum(shown.values()), made.n_filled) == (5, 350, 50)
    tasks = list(made.by_task().values())
    twice = {key for key, n in shown.items() if n == 2}
    first = {(row.system, row.item) for row in tasks[0] if row.kind == "system"}
    assert twice < first  # filled up from the start of the list
    assert any("50 outputs are shown once more" in note for note in made.notes)


def test_all_systems_of_a_sentence_go_to_one_rater() -> None:
    made = make_tasks(corpus(100, 3), rng=3)
    assert (made.n_units, made.n_whole) == (100, 100)
    assert (made.n_tasks, made.n_raters) == (5, 5)
    assert "One rater sees all systems of 100 of 100 sentences" in made.summary()
    assert "1.8 times" in made.summary()
    at_random = make_tasks(corpus(100, 3), assignment="random", rng=3)
    assert at_random.n_whole < 30
    assert 'With assignment="paired"' in at_random.summary()


def test_raters_share_the_tasks() -> None:
    made = make_tasks(corpus(100, 3), raters=2, rng=3)
    assert (made.n_raters, made.n_whole) == (2, 100)
    per_rater = Counter(rater for rater, _ in {(r.rater, r.task) for r in made.rows})
    assert set(per_rater.values()) == {3}  # 150 outputs each
    assert make_tasks(corpus(100, 3), raters=2, assignment="random", rng=3).n_raters == 2
    with pytest.raises(InputError, match="at most 5: there are 5 tasks"):
        make_tasks(corpus(100, 3), raters=6, assignment="random")
    with pytest.raises(InputError, match="there are 100 sentences"):
        make_tasks(corpus(100, 3), raters=101)


def test_a_seed_repeats_the_tasks() -> None:
    first, again, other = (make_tasks(corpus(90, 2, 10), rng=seed) for seed in (5, 5, 6))
    assert first.rows == again.rows
    assert first.rows != other.rows
    assert "seed:5" in str(first.signature)
    by_document = [make_tasks(corpus(90, 2, 10), kind="document", rng=5).rows for _ in range(2)]
    assert by_document[0] == by_document[1]


@settings(max_examples=40)
@given(
    n=st.integers(14, 60),
    systems=st.integers(1, 5),
    per_task=st.sampled_from([20, 40]),
    paired=st.booleans(),
    seed=st.integers(0, 1000),
)
def test_no_control_lacks_its_original(
    n: int, systems: int, per_task: int, paired: bool, seed: int
) -> None:
    if not paired and n * systems < per_task // 10 * 7:
        n = per_task
    assignment: Any = "paired" if paired else "random"
    made = make_tasks(corpus(n, systems), per_task=per_task, assignment=assignment, rng=seed)
    check_controls(made)
    shown = {(row.system, row.item) for row in made.rows if row.kind == "system"}
    assert len(shown) == n * systems
    sizes = [len(rows) for rows in made.by_task().values()]
    assert max(sizes) <= per_task
    if not paired:
        assert min(sizes) == per_task
    if paired:
        assert made.n_whole == n


@settings(max_examples=40)
@given(
    n=st.integers(4, 150),
    systems=st.integers(1, 4),
    length=st.integers(1, 80),
    paired=st.booleans(),
    seed=st.integers(0, 1000),
)
def test_documents_keep_their_order(
    n: int, systems: int, length: int, paired: bool, seed: int
) -> None:
    assignment: Any = "paired" if paired else "random"
    made = make_tasks(
        corpus(n, systems, length), kind="document", assignment=assignment, rng=seed
    )
    check_controls(made)
    shown = [(row.system, row.item) for row in made.rows if row.kind == "system"]
    assert len(shown) == len(set(shown)) == n * systems
    for rows in made.by_task().values():
        assert len(rows) <= 100
        for block in {row.block for row in rows}:
            inside = [row for row in rows if row.block == block]
            assert len({(row.system, row.document) for row in inside}) == 1
            assert len({row.kind == "system" for row in inside}) == 1
            lines = [int(row.item) for row in inside]
            assert lines == list(range(lines[0], lines[0] + len(lines)))
    if paired:
        assert made.n_whole == made.n_units


def test_tasks_of_documents_as_in_the_campaigns() -> None:
    made = make_tasks(corpus(608, 4, 8), kind="document", rng=1)
    assert made.control_share == pytest.approx(1 / 3)  # two parts of four lines for each four
    kinds = made.counts
    assert max(kinds.values()) == kinds["system"] == 2432
    few = [kinds[kind] for kind in ("degraded", "repeat", "reference")]
    assert max(few) - min(few) <= made.n_tasks
    assert made.distance_min > 16  # another part lies between
    assert not any("single document" in note for note in made.notes)


def test_long_documents_are_cut_and_said() -> None:
    made = make_tasks(corpus(160, 1, 80), kind="document", rng=1)
    assert any("2 documents longer than 30 lines cut into parts" in note for note in made.notes)
    alone = make_tasks(corpus(20, 1, 20), kind="document", rng=1)
    assert alone.notes == (
        "1 of 1 task holds a single document, so that its copies stand near: raters may notice. "
        "A larger `per_task` or fewer raters help.",
    )
    many = make_tasks(corpus(28, 4, 14), kind="document", per_task=30, rng=1)
    assert many.notes[0] == (
        "2 documents longer than 2 lines cut into parts (doc0, doc1). All 4 systems of a part "
        "can be copied in one task; a larger `per_task` keeps documents whole."
    )


def test_raters_of_documents() -> None:
    made = make_tasks(corpus(200, 2, 10), kind="document", raters=4, rng=1)
    work = Counter(row.rater for row in made.rows if row.kind == "system")
    assert set(work.values()) == {100}
    with pytest.raises(InputError, match="there are 20 documents"):
        make_tasks(corpus(200, 2, 10), kind="document", raters=21)


def test_judged_tasks_can_be_checked() -> None:
    made = make_tasks(corpus(100, 3, 5), rng=1)
    scores = {"system": 70.0, "repeat": 70.0, "degraded": 30.0, "reference": 90.0}
    roles = ("system", "item", "rater", "document", "task", "kind")
    columns: dict[str, Any] = {
        role: [getattr(row, role) for row in made.rows] for role in roles
    }
    columns["score"] = [scores[row.kind] + row.position % 7 for row in made.rows]
    checked = quality_control(Judgments.build(columns))
    assert len(checked.good) == made.n_raters
    assert sum(row.n_pairs for row in checked.raters) == made.counts["degraded"]
    assert {row.n_pairs for row in checked.raters} == {9}


def test_what_cannot_be_degraded_is_repeated_and_named() -> None:
    lines = ["word"] * 40
    made = make_tasks(Corpus.build({"A": lines}, lines), per_task=20, rng=1)
    assert made.counts["degraded"] == 0
    assert any("could not be made, and the text is repeated" in note for note in made.notes)


def test_runs_references_and_systems_are_chosen_and_said() -> None:
    lines = [f"a line with number {i} in it" for i in range(20)]
    several = Corpus.build({"A": [lines, lines], "B": lines}, [[None, *lines[1:]], lines])
    made = make_tasks(several, per_task=20, rng=1)
    assert made.notes[0] == "The first run was taken of A, which have several."
    assert "Of 2 references the first that has the line" in made.notes[1]
    assert make_tasks(several, systems=["B"], per_task=20, rng=1).n_systems == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"systems": ["C"]}, "must be among S0, S1; got 'C'"),
        ({"per_task": 30}, "multiple of 20"),
        ({"per_task": 200, "assignment": "random"}, "needs 140 outputs, and there are 80"),
        ({"kind": "document"}, "without documents"),
        ({"raters": 0}, "whole number ≥ 1"),
        ({"kind": "page"}, "must be one of segment, document"),
    ],
)
def test_bad_arguments_are_named(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        make_tasks(corpus(40, 2), **options)


def test_a_tiny_task_holds_no_documents() -> None:
    with pytest.raises(InputError, match="at least 10"):
        make_tasks(corpus(40, 2, 5), kind="document", per_task=5)


# --- Who never reads: what can be told from which line stands where, and how long runs are ---


class Seen:
    """What a bot sees of a task: the line in each place, and the run of texts that it stands in."""

    def __init__(self, rows: list[TaskRow], *, by_document: bool) -> None:
        self.items = [row.item for row in rows]
        keys = [row.block if by_document else (row.block, row.item) for row in rows]
        self.run = np.cumsum([0, *(a != b for a, b in pairwise(keys))]).tolist()
        self.length = Counter(self.run)
        self.lines: dict[int, set[str]] = {}
        self.places: dict[str, list[int]] = {}
        for place, (item, run) in enumerate(zip(self.items, self.run, strict=True)):
            self.places.setdefault(item, []).append(place)
            self.lines.setdefault(run, set()).add(item)
        self.usual = min(map(len, self.places.values()))

    def away(self, place: int) -> list[int]:
        """Return how far the same line stands elsewhere."""
        return [
            abs(place - other) for other in self.places[self.items[place]] if other != place
        ]

    def again(self, place: int) -> bool:
        """Return whether the line came before as often as a line does that comes least often."""
        return self.places[self.items[place]].index(place) >= self.usual


# How suspicious a text is; the bot gives those most suspicious the lowest scores.
BOTS: dict[str, Callable[[Seen, int], float]] = {
    "alone": lambda seen, i: (
        -sum(seen.items[i] in seen.lines.get(seen.run[i] + step, ()) for step in (-1, 1))
    ),
    "beside": lambda seen, i: min(seen.away(i), default=99) <= 1,
    "nearest": lambda seen, i: -min(seen.away(i), default=99),
    "half away": lambda seen, i: (
        -min((abs(gap - len(seen.items) // 2) for gap in seen.away(i)), default=99)
    ),
    "once more": lambda seen, i: seen.again(i),
    "first": lambda seen, i: -seen.again(i),
    "short run": lambda seen, i: -seen.length[seen.run[i]],
    "late": lambda seen, i: i / len(seen.items),
    # Guesses for each sentence or document whether the first or the second is the copy.
    "guess": lambda seen, i: (
        seen.again(i) * (-1) ** (zlib.crc32(min(seen.lines[seen.run[i]]).encode()) % 2)
    ),
}
LAYOUTS = pytest.mark.parametrize(
    ("kind", "assignment", "systems"),
    [  # each kind and assignment for every change
        *(pytest.param("segment", "paired", n, marks=pytest.mark.slow) for n in (2, 7)),
        *(("segment", assignment, 4) for assignment in ("paired", "random")),
        *(("document", assignment, 2) for assignment in ("paired", "random")),
        *(
            pytest.param(kind, assignment, n, marks=pytest.mark.slow)
            for kind, assignment, n in (
                ("segment", "random", 2),
                ("document", "random", 4),
                ("document", "paired", 4),
            )
        ),
    ],
)


@cache
def judged_by_bots(kind: Any, assignment: Any, systems: int) -> tuple[Tasks, dict[str, Any]]:
    """Return about two tasks of 100 texts for each of 150 raters, and what bots make of them."""
    n_raters, rng = 150, np.random.default_rng(8)
    lengths = [n_raters * (140 // systems)]
    if kind == "document":
        lengths = rng.integers(5, 31, n_raters * 8 // systems).tolist()
    made = make_tasks(
        documents_corpus(lengths, systems),
        kind=kind,
        assignment=assignment,
        raters=n_raters,
        rng=1,
    )
    scores: dict[str, list[float]] = {name: [] for name in BOTS}
    for rows in made.by_task().values():
        seen = Seen(rows, by_document=kind == "document")
        for name, bot in BOTS.items():
            noise = (0.01 * rng.normal(size=len(rows))).round(3).tolist()
            scores[name] += [one - bot(seen, i) for i, one in enumerate(noise)]
    return made, scores


@LAYOUTS
def test_the_order_does_not_tell_a_copy_from_its_original(
    kind: str, assignment: str, systems: int
) -> None:
    """A bot is right by a coin: half of the sentences or copied documents, 4 standard errors."""
    made, scores = judged_by_bots(kind, assignment, systems)
    offset = {task: len(rows) for task, rows in made.by_task().items()}
    starts = dict(zip(offset, np.cumsum([0, *offset.values()]).tolist(), strict=False))
    by_document = kind == "document"
    for name, scored in scores.items():
        gaps: dict[object, list[float]] = {}
        for place, row in enumerate(made.rows):
            if row.of_position is not None and (by_document or row.kind == "degraded"):
                original = scored[starts[row.task] + row.of_position - 1]
                # Versions of a document share its coin; degraded sentences have one each.
                one = (row.task, row.document) if by_document else place
                gaps.setdefault(one, []).append(original - scored[place])
        right = np.mean([np.mean(some) > 0 for some in gaps.values()])
        assert abs(right - 0.5) <= 4 * 0.5 / len(gaps) ** 0.5, name


@LAYOUTS
def test_who_goes_by_the_order_of_texts_passes_no_check(
    kind: str, assignment: str, systems: int
) -> None:
    """Of 150 random clickers 5 % pass, with an error of .0178.

    Documents are compared within a copy, whose lines stand or fall together.
    """
    made, scores = judged_by_bots(kind, assignment, systems)
    roles = ("system", "item", "rater", "document", "task", "kind")
    columns: dict[str, Any] = {r: [getattr(row, r) for row in made.rows] for r in roles}
    passed = {}
    for name, scored in scores.items():
        judged = Judgments.build({**columns, "score": scored}, scale=(-1e3, 1e3))
        pairs = pair_up(judged, against="neighbours" if kind == "document" else "original")
        tests = [check_rater(*pairs.of(code), "paired-t", 0.05) for code in range(150)]
        assert np.mean([one.n_pairs >= 5 for one in tests]) > 0.9
        passed[name] = np.mean([one.p_value <= 0.05 for one in tests])
    assert max(passed.values()) <= 0.05 + 3 * 0.0178, passed
