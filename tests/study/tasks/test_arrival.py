"""How early pairs are complete, counted by hand."""

from detectable.study.tasks.make_tasks import make_tasks
from detectable.study.tasks.result import SHARES, Arrival, TaskRow, arrivals
from tests.report.results import task_row
from tests.study.tasks.texts import documents_corpus


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
