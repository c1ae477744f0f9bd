"""What a look saw: rows that are gone or changed are found, whatever their order."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from detectable.core.errors import DataError
from detectable.data.human.judgments import Judgments
from detectable.study.monitoring.look import look
from detectable.study.monitoring.seen_rows import first_seen, hash_rows
from tests.study.monitoring.plan_tables import (
    Table,
    differences_with,
    files,
    joined,
    judged,
    new_plan,
    reordered,
)


def entry(table: Table, rows: slice = slice(None)) -> dict[str, Any]:
    hashes = hash_rows(Judgments.build(table))
    mask = np.zeros(hashes.keys.size, dtype=bool)
    mask[rows] = True
    return {"seen": hashes.pack(mask)}


def seen(table: Table, *entries: dict[str, Any]) -> list[int]:
    built = Judgments.build(table)
    found: list[int] = first_seen(built, hash_rows(built), entries).tolist()
    return found


def test_the_look_that_saw_a_row_first() -> None:
    table = judged([1.0, 2.0, 3.0])
    one, two = entry(table, slice(0, 2)), entry(table, slice(2, 4))
    assert seen(table) == [0] * 6
    assert seen(table, one, two) == [1, 1, 2, 2, 0, 0]
    assert sorted(seen(reordered(table), one, two)) == [0, 0, 1, 1, 2, 2]


def test_rows_without_raters_are_told_apart_by_their_scores() -> None:
    table: Table = {"system": ["A"] * 3, "item": ["1"] * 3, "score": [50.0, 60.0, 50.0]}
    old = entry(table, slice(0, 2))
    assert seen(table, old) == [1, 1, 0]
    # the same rows in another order, and a new one with a score that was seen
    assert seen({**table, "score": [60.0, 50.0, 50.0]}, old) == [1, 1, 0]
    with pytest.raises(DataError, match=r"1 judgment changed \(system 'A', item '1'\)"):
        seen({**table, "score": [61.0, 50.0, 50.0]}, old)


def test_other_columns_may_be_added() -> None:
    table = judged([1.0, 2.0])
    wider = {**table, "domain": ["news"] * 4, "wave": ["1"] * 4}
    assert seen(wider, entry(table)) == [1] * 4


def test_a_changed_score_is_named(tmp_path: Path) -> None:
    frozen = new_plan(tmp_path)
    table = judged(differences_with((50, 1.9)))
    look(frozen, table)
    before = files(tmp_path)
    scores = list(table["score"])
    scores[7] += 1.0
    more = judged([1.0], first=50)
    with pytest.raises(
        DataError, match=r"1 judgment changed \(system 'old', item 'i3', rater 'ann'\)"
    ):
        look(frozen, joined({**table, "score": scores}, more))
    assert files(tmp_path) == before


def test_missing_rows_are_counted(tmp_path: Path) -> None:
    frozen = new_plan(tmp_path)
    table = judged(differences_with((50, 1.9)))
    look(frozen, table)
    before = files(tmp_path)
    short = {name: values[4:] for name, values in table.items()}
    with pytest.raises(DataError, match=r"4 judgments gone.*Put the old rows back"):
        look(frozen, joined(short, judged(np.ones(20), first=50)))
    renamed = {**table, "rater": ["eve"] * 100}
    with pytest.raises(DataError, match=r"100 judgments gone.*columns rater and document"):
        look(frozen, renamed)
    with pytest.raises(DataError, match="no judgment is new since look 1"):
        look(frozen, table)
    assert files(tmp_path) == before


def test_zero_has_one_sign() -> None:
    assert seen(judged([0.0]), entry(judged([-0.0]))) == [1, 1]
