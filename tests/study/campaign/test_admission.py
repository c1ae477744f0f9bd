"""Where a checkpoint of a campaign begins and ends, and what it says."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from detectable.data.human.columns import Kind
from detectable.data.store.records import Decision, JudgmentRow
from detectable.study.campaign.work import MOST_FAILED, AdmissionRule
from detectable.study.monitoring.plan import plan


def row(
    work: int,
    system: str,
    score: float | None,
    *,
    kind: Kind = "system",
    rater: str = "r-01",
    block: int = 1,
) -> JudgmentRow:
    return JudgmentRow(
        item=str(work),
        document=None,
        part=str(work),
        system=system,
        kind=kind,
        rater=rater,
        block=block,
        wave=1,
        score=score,
        extra=None,
        seconds=None,
        saved=float(work),
        work=work,
        epoch=1,
        orphan=False,
        done_at=float(work),
        admitted=None,
    )


def work(
    number: int,
    drop: float = 20.0,
    *,
    copy: bool = True,
    systems: tuple[str, ...] = ("new", "old"),
    **of: Any,
) -> list[JudgmentRow]:
    """Return all pages of a piece of work; its copy is worse by `drop`, and a bit of noise."""
    made = [
        row(number, name, 60.0 + number % 3 + 2.0 * i, **of) for i, name in enumerate(systems)
    ]
    if copy:
        score = 60.0 + number % 3 - drop + number % 2
        made.append(row(number, systems[0], score, kind="degraded", **of))
    return made


def rule(tmp_path: Path, **options: Any) -> AdmissionRule:
    chosen = {"rule": "degraded-paired-t", "pairs": 4, **options}
    return AdmissionRule(
        plan(tmp_path / "p.json", systems=("new", "old"), n_max=20, admission=chosen)
    )


def block(numbers: range, **of: Any) -> list[JudgmentRow]:
    return [one for number in numbers for one in work(number, **of)]


def told(found: list[Decision]) -> list[tuple[str, tuple[int, ...], bool]]:
    return [(one.rater, tuple(n for n, _ in one.works), one.admitted) for one in found]


def test_three_failures_are_enough() -> None:
    assert MOST_FAILED == 3


def test_whole_blocks_are_decided_as_soon_as_they_hold_enough_copies(tmp_path: Path) -> None:
    decide = rule(tmp_path)
    one, two, three = (block(range(6 * n, 6 * n + 3), block=n + 1) for n in range(3))
    assert decide(one, ending=False) == []
    first = decide([*one, *two], ending=False)
    assert told(first) == [("r-01", (0, 1, 2, 6, 7, 8), True)]
    assert (first[0].n_pairs, first[0].n_judgments, first[0].tested) == (6, 12, True)
    assert first[0].p_value is not None
    assert first[0].p_value < 0.01
    # Asked late, it ends where it would have ended; the third block is for the next.
    assert told(decide([*three, *two, *one], ending=False)) == told(first)


def test_who_does_not_tell_copies_apart_is_refused(tmp_path: Path) -> None:
    (found,) = rule(tmp_path)(block(range(6), drop=0.0), ending=False)
    assert not found.admitted
    assert found.tested
    assert found.p_value is not None
    assert found.p_value > 0.05


def test_who_gives_all_texts_the_same_score_has_failed(tmp_path: Path) -> None:
    rows = [replace(one, score=50.0) for one in block(range(6))]
    (found,) = rule(tmp_path)(rows, ending=False)
    assert (found.admitted, found.tested, found.p_value) == (False, True, None)


@pytest.mark.parametrize(("few", "admitted"), [("refuse", False), ("admit", True)])
def test_at_the_end_few_copies_are_decided_by_the_rule(
    tmp_path: Path, few: str, admitted: bool
) -> None:
    decide = rule(tmp_path, few=few)
    rows = [*block(range(3)), *block(range(10, 12), block=2, copy=False)]
    assert decide(rows, ending=False) == []
    (found,) = decide(rows, ending=True)
    assert (found.admitted, found.tested, found.n_pairs, found.p_value) == (
        admitted,
        False,
        3,
        None,
    )
    assert len(found.works) == 5


def test_at_the_end_a_full_checkpoint_comes_before_the_rest(tmp_path: Path) -> None:
    rows = [*block(range(5)), *block(range(10, 12), block=2)]
    found = rule(tmp_path)(rows, ending=True)
    assert [(len(one.works), one.tested, one.admitted) for one in found] == [
        (5, True, True),
        (2, False, False),
    ]


def test_copies_and_originals_without_a_score_do_not_speak(tmp_path: Path) -> None:
    decide = rule(tmp_path)
    rows = block(range(4))
    copies = [
        replace(one, score=None) if one.kind == "degraded" and one.work == 0 else one
        for one in rows
    ]
    assert decide(copies, ending=False) == []
    originals = [
        replace(one, score=None)
        if one.system == "new" and one.kind == "system" and one.work == 0
        else one
        for one in rows
    ]
    assert decide(originals, ending=False) == []
    (found,) = decide([*originals, *block(range(8, 9), block=2)], ending=False)
    assert (found.n_pairs, found.n_judgments) == (4, 9)
    nothing = [replace(one, score=None) for one in rows]
    (found,) = decide(nothing, ending=True)
    assert (found.n_pairs, found.admitted) == (0, False)


def test_each_rater_is_decided_alone_and_the_first_to_finish_counts_first(
    tmp_path: Path,
) -> None:
    late = block(range(20, 24), rater="r-01")
    early = block(range(4), rater="r-02", drop=0.0)
    waiting = block(range(30, 32), rater="r-03")
    found = rule(tmp_path)([*late, *early, *waiting], ending=False)
    assert told(found) == [
        ("r-02", (0, 1, 2, 3), False),
        ("r-01", (20, 21, 22, 23), True),
    ]


def test_the_symmetric_rule_compares_with_the_systems_that_were_shown(tmp_path: Path) -> None:
    path = tmp_path / "p.json"
    made = plan(
        path,
        systems=("a", "b", "c"),
        baseline="c",
        n_max=20,
        admission={"rule": "symmetric", "pairs": 6},
    )
    rows = [
        *block(range(3), systems=("a", "b", "c")),
        *block(range(10, 13), systems=("b", "c"), block=2),  # a was decided meanwhile
    ]
    (found,) = AdmissionRule(made)(rows, ending=False)
    assert (found.n_pairs, found.admitted) == (6, True)


def test_without_a_rule_everything_counts_piece_by_piece(tmp_path: Path) -> None:
    decide = AdmissionRule(plan(tmp_path / "p.json", systems=("new", "old"), n_max=20))
    found = decide(block(range(3), drop=-50.0), ending=False)
    assert told(found) == [("r-01", (0,), True), ("r-01", (1,), True), ("r-01", (2,), True)]
    assert {one.n_pairs for one in found} == {None}
