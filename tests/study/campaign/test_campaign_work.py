"""Which lines of a campaign are units, in which order, and what a look is told of the rest."""

from dataclasses import replace
from typing import Any, cast

from detectable.data.store.records import Checkpoint, JudgmentRow
from detectable.study.campaign.work import CampaignWork
from detectable.study.monitoring.ledger import LedgerState
from tests.study.campaign.test_admission import row

PAIR, OTHER = ("new", "old"), ("third", "old")


def made(*rows: JudgmentRow, checkpoints: tuple[Checkpoint, ...] = ()) -> CampaignWork:
    return CampaignWork(
        name="c",
        rows=rows,
        checkpoints=checkpoints,
        scale=(0.0, 100.0),
        key="k",
    )


def both(
    number: int, seq: int | None, *, admitted: bool | None = True, **other: Any
) -> list[JudgmentRow]:
    return [
        replace(row(number, name, 50.0), seq=seq, admitted=admitted, **other) for name in PAIR
    ]


def items(work: CampaignWork) -> list[str]:
    return [unit.item for unit in work.units]


def test_units_come_in_the_order_of_admission_whatever_the_clock_said() -> None:
    work = made(*both(1, 3), *both(2, 1), *both(3, 2))
    assert items(work) == ["2", "3", "1"]
    assert [unit.item for unit in work.first(2, [PAIR])] == ["2", "3"]
    assert [unit.item for unit in work.first(9, [PAIR])] == ["2", "3", "1"]
    assert work.n_units([PAIR]) == 3


def test_what_is_refused_waiting_or_of_a_second_wave_is_no_unit() -> None:
    work = made(
        *both(1, 1),
        *both(2, 2, admitted=False),
        *both(3, None, admitted=None),
        *both(4, 3, wave=2),
    )
    assert items(work) == ["1"]


def test_a_line_counts_if_all_systems_that_were_shown_have_a_score() -> None:
    skipped = both(2, 2)
    skipped[1] = replace(skipped[1], score=None)
    copy = replace(row(1, "new", None, kind="degraded"), seq=1, admitted=True)  # no matter
    assert items(made(*both(1, 1), copy, *skipped)) == ["1"]


def test_every_open_pair_must_have_enough() -> None:
    third = replace(row(2, "third", 50.0), seq=2, admitted=True)
    work = made(*both(1, 1), *both(2, 2), third, *both(3, 3))
    assert (work.n_units([PAIR]), work.n_units([OTHER]), work.n_units([PAIR, OTHER])) == (
        3,
        1,
        1,
    )
    assert [unit.item for unit in work.first(1, [PAIR, OTHER])] == ["1", "2"]


class State:
    """A ledger that knows one checkpoint of r-01."""

    lines = (
        {"event": "plan"},
        {
            "event": "admission",
            "raters": [
                {"rater": "r-01", "outcome": "admitted"},
                {"rater": "r-01", "outcome": "waiting"},
                {"rater": "r-02", "outcome": "waiting"},
            ],
        },
    )


LEDGER = cast("LedgerState", State())


def checkpoint(rater: str, n: int, *, passed: bool = True) -> Checkpoint:
    return Checkpoint(
        rater=rater,
        n=n,
        n_pairs=4,
        n_judgments=8,
        p_value=0.01,
        tested=True,
        passed=passed,
        decided=0.0,
    )


def test_a_look_is_told_what_was_decided_since_the_last() -> None:
    copy = replace(row(9, "new", 10.0, kind="degraded", rater="r-02"))
    waiting = [replace(one, rater="r-02") for one in both(9, None, admitted=None)]
    late = replace(row(5, "new", 1.0, rater="r-03"), orphan=True, done_at=None)
    work = made(
        *both(1, 1),
        *both(2, 2, admitted=False),
        *both(3, 3),
        *waiting,
        copy,
        late,
        checkpoints=(
            checkpoint("r-01", 1),
            checkpoint("r-01", 2, passed=False),
            checkpoint("r-02", 1),
            checkpoint("r-04", 1),  # of whom the ledger knows nothing
        ),
    )
    found = work.decided(LEDGER, work.units[:1], left_out="beyond the end")
    assert [(one.rater, one.outcome, one.n_pairs, one.n_judgments) for one in found.raters] == [
        ("r-01", "refused", 4, 8),
        ("r-02", "admitted", 4, 8),
        ("r-04", "admitted", 4, 8),
        ("r-02", "waiting", 1, 2),
    ]
    by_item = dict(zip(found.judgments.item.labels(), found.outcome.tolist(), strict=True))
    assert by_item == {"1": 0, "2": 1, "3": 0, "9": 2}
    shown = {
        item
        for item, yes in zip(found.judgments.item.labels(), found.shown.tolist(), strict=True)
        if yes
    }
    assert shown == {"1"}
    assert found.all_work.n_judgments == found.judgments.n_judgments + 1
    assert found.key == "k"
    assert found.judgments.notes == ("1 line admitted beyond the end left out.",)
    assert work.decided(LEDGER, work.units).judgments.notes == ()
