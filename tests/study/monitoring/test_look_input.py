"""What the data of a plan may hold."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from detectable.core.errors import DataError
from detectable.data.human.judgments import Judgments
from detectable.data.human.preferences import read_preferences
from detectable.study.monitoring.conclude import conclude
from detectable.study.monitoring.look import look
from detectable.study.monitoring.look_input import (
    LookUnits,
    look_units,
    planned_cells,
    two_samples,
    with_controls,
)
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


def in_parts(role: str, *names: str) -> Any:
    """Return 50 items, and as many again for every further name in another column."""
    shape = np.linspace(-8.0, 12.0, 50)
    tables = [judged(shape, first=50 * k) for k in range(len(names))]
    for name, table in zip(names, tables, strict=True):
        table[role] = [name] * len(table["score"])
    return joined(*tables)


def test_several_language_pairs_are_refused_and_nothing_is_written(tmp_path: Path) -> None:
    frozen = new_plan(tmp_path)
    before = files(tmp_path)
    said = (
        r"^the data: 2 language pairs: en-de, en-fr\. A plan is about one, and scores of different "
        r"ones are not comparable\. Give the judgments of one, and write a plan for each of the "
        r"others\.$"
    )
    with pytest.raises(DataError, match=said):  # no item is in both of them
        look(frozen, in_parts("language", "en-de", "en-fr"))
    assert files(tmp_path) == before


def test_one_language_pair_in_several_campaigns_is_one_plan(tmp_path: Path) -> None:
    frozen = new_plan(tmp_path)
    table = in_parts("campaign", "first", "second")
    table["language"] = ["en-de"] * len(table["score"])
    assert look(frozen, table).pairs[0].n_units == 100


def test_a_language_pair_of_other_systems_does_not_count(tmp_path: Path) -> None:
    frozen = new_plan(tmp_path)
    planned = judged([1.0, 2.0])
    other = judged([1.0], systems=("third", "fourth"))
    planned["language"], other["language"] = ["en-de"] * 4, ["en-fr"] * 2
    found = with_controls(frozen, joined(planned, other))
    assert found.language is not None
    assert found.language.levels == ("en-de",)


def test_judgments_after_the_stop_are_of_one_language_pair_too(tmp_path: Path) -> None:
    frozen = new_plan(tmp_path, n_max=50)
    table = in_parts("language", "en-de", "en-fr")
    look(frozen, {name: values[:100] for name, values in table.items()})
    with pytest.raises(DataError, match="2 language pairs: en-de, en-fr"):
        conclude(frozen, table)


# --- Judgments of two systems as differences, samples and preferences ---

COLUMNS: dict[str, list[Any]] = {
    "system": ["A", "B", "A", "B", "A", "B", "A"],
    "item": ["1", "1", "1", "1", "2", "2", "3"],
    "rater": ["x", "x", "y", "y", "x", "x", "x"],
    "document": ["d", "d", "d", "d", "e", "e", "e"],
    "score": [60.0, 50.0, 80.0, 50.0, 30.0, 40.0, 90.0],
}
TABLE = Judgments.build(COLUMNS)


def paired_units(judgments: Judgments, system: str, baseline: str, *, unit: Any) -> LookUnits:
    return look_units(planned_cells(judgments), system, baseline, unit=unit)


def test_raters_are_compared_with_themselves_and_averaged() -> None:
    units = paired_units(TABLE, "A", "B", unit="item")
    assert units.names == ("1", "2")
    assert units.differences.tolist() == [20.0, -10.0]
    assert (units.n_judgments, units.unmatched) == (6, 1)
    assert units.clusters is None


def test_documents_and_raters_as_clusters() -> None:
    units = paired_units(TABLE, "A", "B", unit="document")
    assert units.clusters is not None
    assert units.clusters.labels() == ["d", "e"]
    units = paired_units(TABLE, "A", "B", unit="rater")
    assert units.names == ("1:x", "1:y", "2:x")
    assert units.differences.tolist() == [10.0, 30.0, -10.0]
    assert units.clusters is not None
    assert units.clusters.labels() == ["x", "y", "x"]


def test_a_rater_who_saw_one_system_only_is_left_out() -> None:
    rows = np.array([0, 3, 4, 5])  # item 1: rater x saw A, rater y saw B
    units = paired_units(TABLE.take(rows), "A", "B", unit="item")
    assert units.names == ("2",)
    assert units.unmatched == 2
    with pytest.raises(DataError, match=r"no rater judged 'A' and 'B' on the same item"):
        paired_units(TABLE.take(rows[:2]), "A", "B", unit="item")


def test_repeats_of_a_rater_are_averaged_first() -> None:
    kinds = ["system"] * 7 + ["repeat"]
    columns: dict[str, list[Any]] = {n: [*v, v[0]] for n, v in COLUMNS.items()}
    columns["score"][-1] = 70.0
    table = Judgments.build({**columns, "kind": kinds})
    units = paired_units(table, "A", "B", unit="item")
    assert units.differences[0] == 0.5 * ((65.0 - 50.0) + 30.0)


def test_samples_of_two_systems() -> None:
    a, b = two_samples(planned_cells(TABLE), "A", "B")
    assert a.tolist() == [70.0, 30.0, 90.0]
    assert b.tolist() == [50.0, 40.0]


def test_an_item_goes_to_the_majority() -> None:
    table = read_preferences(
        {
            "item": ["1", "1", "1", "2", "2", "3"],
            "rater": ["x", "y", "z", "x", "y", "x"],
            "winner": ["A", "A", "B", "A", "B", "B"],
        },
        ("A", "B"),
    )
    units = paired_units(table, "A", "B", unit="item")
    assert np.sign(units.differences).tolist() == [1.0, 0.0, -1.0]


def test_a_system_without_judgments() -> None:
    with pytest.raises(DataError, match="no judgment of the system 'C'; found A, B"):
        paired_units(TABLE, "A", "C", unit="item")


# --- What a look saw: rows that are gone or changed are found, whatever their order ---


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
