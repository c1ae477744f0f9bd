"""What two raters judge is enough for agreement and components of variance, end to end."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import detectable as dt
from detectable.core.errors import DataError, InputError
from detectable.data.human.judgments import Judgments
from detectable.data.texts.corpus import Corpus
from detectable.report.shown.tasks import tasks_csv
from detectable.study.tasks.make_tasks import make_tasks
from detectable.study.tasks.result import (
    SHARES,
    Arrival,
    Output,
    Shown,
    TaskRow,
    Tasks,
    arrivals,
    pool_of,
    rows_of,
)
from tests.report.results import task_row
from tests.study.tasks.texts import documents_corpus

KINDS = pytest.mark.parametrize("kind", ["segment", "document"])
_CONTROLS = {"system": 0.0, "repeat": 0.0, "degraded": -12.0, "reference": 8.0}


def _tasks(kind: Any, **more: Any) -> Tasks:
    options: dict[str, Any] = {"raters": 5, "overlap": 0.2, "rng": 3, **more}
    return dt.make_tasks(documents_corpus([6] * 50), kind=kind, **options)


def _scores(tasks: Tasks, *, quality: float, noise: float) -> list[float]:
    """Return a score for every row: the quality of the translation, and the rater's noise."""
    rng = np.random.default_rng(8)
    worth: dict[tuple[str, str], float] = {}
    scores = []
    for row in tasks.rows:
        text = worth.setdefault((row.system, row.item), quality * rng.standard_normal())
        scores.append(55 + text + noise * rng.standard_normal() + _CONTROLS[row.kind])
    return scores


def _judgments(tasks: Tasks, scores: list[float]) -> Judgments:
    roles = ("system", "item", "rater", "document", "task", "kind")
    columns: dict[str, Any] = {r: [getattr(row, r) for row in tasks.rows] for r in roles}
    return Judgments.build({**columns, "score": scores})


@KINDS
def test_variance_and_agreement_take_what_two_raters_judged(kind: str) -> None:
    made = _tasks(kind)
    assert (made.n_items, made.n_shared) == (300, 60)
    judged = _judgments(made, _scores(made, quality=6.0, noise=4.5))
    parts = dt.variance_components(judged, repeats="first")
    agree = dt.agreement(judged)
    # 120 translations judged by two: the noise variance has 120 degrees of freedom.
    assert agree.n_translations == 120
    assert abs(parts.noise.value / 20.25 - 1) < 4 * (2 / 120) ** 0.5
    true = 36 / (36 + 20.25)
    assert abs(agree.krippendorff - true) < 4 * (1 - true**2) / 120**0.5
    checked = dt.quality_control(judged)
    assert len(checked.good) == 5


@KINDS
def test_without_overlap_they_have_nothing_to_go_by(kind: str) -> None:
    made = _tasks(kind, overlap=0.0)
    assert made.n_shared == 0
    judged = _judgments(made, _scores(made, quality=6.0, noise=4.5))
    with pytest.raises(DataError, match=r"two raters|several raters|more than one rater"):
        dt.agreement(judged)
    with pytest.raises(DataError, match=r"two raters|several raters|more than one rater"):
        dt.variance_components(judged)


@KINDS
def test_whole_documents_are_judged_twice(kind: str) -> None:
    made = _tasks(kind, overlap=0.1)  # 30 lines are five documents
    raters: dict[str, set[str]] = {}
    documents: dict[str, str] = {}
    for row in made.rows:
        raters.setdefault(row.item, set()).add(row.rater)
        documents[row.item] = str(row.document)
    two = [item for item, who in raters.items() if len(who) == 2]
    assert {len(who) for who in raters.values()} == {1, 2}
    assert (len(two), made.n_shared) == (30, 30)
    assert len({documents[item] for item in two}) == 5
    if kind == "document":  # and the second rater is one and the same for a document
        pairs = {(documents[item], tuple(sorted(raters[item]))) for item in two}
        assert len(pairs) == 5


@KINDS
def test_which_documents_are_judged_twice_follows_the_seed(kind: str) -> None:
    def two(seed: int) -> frozenset[str]:
        raters: dict[str, set[str]] = {}
        for row in _tasks(kind, overlap=0.1, rng=seed).rows:
            raters.setdefault(row.item, set()).add(row.rater)
        return frozenset(item for item, who in raters.items() if len(who) == 2)

    assert two(1) == two(1)
    assert len({two(seed) for seed in range(5)}) == 5


@KINDS
def test_a_filled_in_sheet_gives_the_same(kind: str, tmp_path: Path) -> None:
    made = _tasks(kind)
    scores = _scores(made, quality=6.0, noise=4.5)
    head, *lines = tasks_csv(made).split("\r\n")[:-1]
    # Score and seconds are the last two columns, and empty.
    filled = [f"{line[:-1]}{s!r},5" for line, s in zip(lines, map(float, scores), strict=True)]
    path = tmp_path / "tasks.csv"
    path.write_text("\n".join([head, *filled]) + "\n", encoding="utf-8")
    read = dt.read_judgments(path)
    direct = _judgments(made, scores)
    first, second = (dt.agreement(one) for one in (read, direct))
    assert first.krippendorff == pytest.approx(second.krippendorff, rel=1e-12)
    assert first.n_translations == second.n_translations == 120
    ranked = dt.rank_systems(read, rng=1)
    assert len(ranked.systems) == 2


def test_pairs_are_compared_with_the_rater_who_judged_both() -> None:
    """A rater far more severe than the others does not move the difference of systems."""
    made = _tasks("segment")
    rng = np.random.default_rng(4)
    severity = {f"rater-{i}": 12.0 * i for i in range(1, 6)}
    scores = [
        10.0 + severity[row.rater] - 2.0 * (row.system == "S1") + rng.standard_normal()
        for row in made.rows
    ]
    fit = dt.rank_systems(_judgments(made, scores), unit="item", rng=1)
    [pair] = fit.pairs
    assert abs(abs(pair.difference) - 2.0) < 4 * (2 / 300) ** 0.5


# --- How early pairs are complete, counted by hand ---


def _row(rater: str, item: int, system: str, **more: str) -> TaskRow:
    return task_row(rater=rater, item=str(item), system=system, **more)


def _pairs(rows: list[TaskRow]) -> list[int]:
    return [after.n_pairs for after in arrivals(rows)]


def test_a_pair_is_complete_with_its_second_text() -> None:
    apart = [("A", 1), ("A", 2), ("B", 1), ("B", 2)]
    rows = [_row("v", item, system) for system, item in apart]
    assert arrivals(rows) == (
        *(Arrival(0.25, 0), Arrival(0.5, 0), Arrival(0.75, 1), Arrival(1.0, 2)),
    )
    beside = [("A", 1), ("B", 1), ("A", 2), ("B", 2)]
    assert _pairs([_row("v", item, system) for system, item in beside]) == [0, 1, 1, 2]


def test_two_raters_make_no_pair_and_the_same_text_twice_neither() -> None:
    assert _pairs([_row("v", 1, "A"), _row("w", 1, "B")]) == [0, 0, 0, 0]
    assert _pairs([_row("v", 1, "A"), _row("v", 1, "A"), _row("v", 1, "B")])[-1] == 1


def test_controls_are_work_but_no_pairs() -> None:
    rows = [_row("v", 1, "A"), _row("v", 1, "B", kind="repeat"), _row("v", 1, "B")]
    assert _pairs([*rows, _row("v", 2, "A")]) == [0, 0, 1, 1]


def test_three_systems_make_three_pairs() -> None:
    rows = [_row("v", 1, name) for name in "ABC"]
    assert [after.n_pairs for after in arrivals(rows, (1 / 3, 2 / 3, 1.0))] == [0, 1, 3]


def test_a_second_rater_makes_a_pair_of_its_own() -> None:
    rows = [_row(rater, 1, name) for rater in "vw" for name in "AB"]
    assert _pairs(rows) == [0, 0, 1, 2]


def test_raters_work_at_the_same_pace() -> None:
    """Half of the work is two texts of each; were one after the other, one pair were complete."""
    rows = [_row(rater, item, name) for rater in "vw" for item in (1, 2) for name in "AB"]
    assert _pairs(rows) == [0, 2, 2, 4]


def test_five_raters_have_pairs_from_the_start() -> None:
    """Issue 11: 38, 183 and 390 of 700 pairs were complete after quarters of the work."""
    made = make_tasks(documents_corpus([700]), raters=5, rng=1)
    assert [after.n_pairs for after in made.arrival] == [175, 350, 525, 700]
    for seed in range(5):
        for kind in ("segment", "document"):
            one = make_tasks(
                documents_corpus([7] * 60, 3),
                kind=kind,
                raters=5,
                rng=seed,
            )
            assert one.n_pairs == 3 * 420
            # Five raters of 252 outputs each are off by part of a sentence or a document in
            # progress and by how controls lie: less than 18 texts of 252.
            for share, after in zip(SHARES, one.arrival, strict=True):
                assert abs(after.n_pairs / one.n_pairs - share) < 0.07, (kind, seed, share)


# --- Rows of tasks: where a text stands, what belongs to it, and where its original is ---

FULL = Corpus.build(
    {"A": ["a1", "a2", "a3"], "B": [["b1", "b2", "b3"], ["x", "y", "z"]]},
    [["r1", None, "r3"], ["s1", "s2", "s3"]],
    sources=["q1", "q2", "q3"],
    documents=["d", "d", "e"],
    domains=["news", "news", "talk"],
)


def test_a_pool_holds_the_first_run_and_the_first_reference_that_has_the_line() -> None:
    pool = pool_of(FULL, None)
    assert pool.systems == {"A": ("a1", "a2", "a3"), "B": ("b1", "b2", "b3")}
    assert pool.references == ("r1", "s2", "r3")
    assert pool.n_rows == 3
    assert pool.notes == (
        "The first run was taken of B, which have several.",
        "Of 2 references the first that has the line is shown.",
    )


def test_an_ordinary_corpus_needs_no_notes() -> None:
    assert pool_of(documents_corpus([3]), None).notes == ()


def test_systems_are_chosen_in_the_order_asked_for() -> None:
    assert list(pool_of(FULL, ["B", "A"]).systems) == ["B", "A"]
    assert pool_of(FULL, ["A"]).notes[0].startswith("Of 2 references")


@pytest.mark.parametrize(("chosen", "got"), [([], "'none'"), (["A", "C", "D"], "'C'")])
def test_unknown_systems_are_named(chosen: list[str], got: str) -> None:
    with pytest.raises(InputError, match=f"`systems` must be among A, B; got {got}"):
        pool_of(FULL, chosen)


def test_a_row_says_everything_about_its_text() -> None:
    pool = pool_of(FULL, None)
    first = pool.shown(Output("A", 0))
    second = pool.shown(Output("B", 2))
    copy = Shown("repeat", first.output, first.text, first)
    rows = rows_of([[first], [second, copy]], pool, name="t1", rater="r1")
    assert rows[1] == TaskRow(
        task="t1",
        rater="r1",
        position=2,
        block=2,
        kind="system",
        system="B",
        item="3",
        document="e",
        domain="talk",
        source="q3",
        reference="r3",
        text="b3",
        of_position=None,
    )
    assert [(row.position, row.block, row.of_position) for row in rows] == [
        (1, 1, None),
        (2, 2, None),
        (3, 2, 1),
    ]


def test_an_original_may_stand_after_its_copy() -> None:
    pool = pool_of(FULL, None)
    original = pool.shown(Output("A", 1))
    copy = Shown("repeat", original.output, original.text, original)
    rows = rows_of([[copy], [original]], pool, name="t", rater="r")
    assert [row.of_position for row in rows] == [2, None]


def test_what_is_not_known_is_none() -> None:
    corpus = Corpus.build({"A": ["a"]}, ["r"])
    pool = pool_of(corpus, None)
    [row] = rows_of([[pool.shown(Output("A", 0))]], pool, name="t", rater="r")
    assert (row.document, row.domain, row.source) == (None, None, None)


def test_names_of_tasks_and_raters_sort_in_order() -> None:
    made = make_tasks(documents_corpus([84], systems=2), per_task=20, rng=1)
    tasks = list(made.by_task())
    assert tasks == sorted(tasks)
    assert (tasks[0], tasks[-1], len(tasks)) == ("task-01", "task-12", 12)
    raters = list(dict.fromkeys(row.rater for row in made.rows))
    assert raters == sorted(raters)
    assert (raters[0], raters[-1]) == ("rater-01", "rater-12")


def test_the_result_counts_what_its_rows_hold() -> None:
    made = make_tasks(
        documents_corpus([20], systems=2), per_task=20, raters=2, overlap=0.1, rng=1
    )
    kinds: list[str] = [row.kind for row in made.rows]
    assert made.counts == {kind: kinds.count(kind) for kind in made.counts}
    assert made.control_share == 1.0 - kinds.count("system") / len(kinds)
    away = [abs(r.position - r.of_position) for r in made.rows if r.of_position is not None]
    assert made.distance_min == min(away)
    assert made.distance_mean == sum(away) / len(away)
    assert (made.n_tasks, made.n_raters, made.n_systems) == (6, 2, 2)
    assert (made.n_units, made.n_whole, made.n_filled) == (20, 20, 0)
    assert (made.n_items, made.n_shared, made.n_pairs) == (20, 20, 40)  # one document
    assert made.n_pairs == made.arrival[-1].n_pairs


def test_the_signature_names_what_makes_the_tasks() -> None:
    made = make_tasks(documents_corpus([20]), per_task=20, assignment="random", rng=5)
    text = str(made.signature)
    assert text.startswith(
        "tasks|kind:segment|assignment:random|per-task:20|systems:2|unit:word|seed:5|"
    )
    asked = make_tasks(
        documents_corpus([2] * 10), n_items=12, raters=3, overlap=0.5, per_task=20, rng=5
    )
    assert str(asked.signature).startswith(
        "tasks|kind:segment|assignment:paired|items:12|raters:3|overlap:0.5|per-task:20|"
    )
