"""Sampling weights of judgments: their headers, what is refused, and what carries them on."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import detectable as dt
from detectable.core.errors import DataError, InputError


def table(**changes: Any) -> dict[str, Any]:
    return {
        "system": ["A", "B", "A", "B", "A", "B"],
        "item": [1, 1, 2, 2, 3, 3],
        "score": [50, 60, 70, 65, 40, 55],
        "sampling_weight": [2, 2, 2, 2, 5, 5],
        **changes,
    }


def with_column(name: str, values: list[Any]) -> dict[str, Any]:
    columns = table()
    del columns["sampling_weight"]
    return {**columns, name: values}


def test_a_weight_is_read_from_its_own_header_and_from_a_probability() -> None:
    judgments = dt.read_judgments(table())
    assert judgments.sampling_weight is not None
    assert judgments.sampling_weight.tolist() == [2, 2, 2, 2, 5, 5]
    inverse = dt.read_judgments(
        with_column("Inclusion_Probability", [0.5, 0.5, 0.5, 0.5, 0.2, 0.2])
    )
    assert inverse.sampling_weight is not None
    assert inverse.sampling_weight.tolist() == [2, 2, 2, 2, 5, 5]
    named = dt.read_judgments(
        with_column("w", [2, 2, 2, 2, 5, 5]), columns={"sampling_weight": "w"}
    )
    assert named.sampling_weight is not None


def test_the_word_weight_is_not_taken_for_it() -> None:
    assert dt.read_judgments(with_column("weight", [2] * 6)).sampling_weight is None


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ([2, 2, 0, 0, 5, 5], r"row 2 .*: the sampling weight must be a number above 0, found"),
        ([2, 2, "many", 2, 5, 5], r"must be a number above 0, found 'many'"),
        (
            [2, 2, None, 2, 5, 5],
            r"there is no sampling weight here.*All items have one, or none",
        ),
        ([2, 2, 2, 3, 5, 5], r"item '2' has the sampling weight .* An item has one weight"),
    ],
)
def test_wrong_weights_are_named_by_row(values: list[Any], said: str) -> None:
    with pytest.raises(DataError, match=said):
        dt.read_judgments(table(sampling_weight=values))


def test_wrong_weights_are_named_by_line(tmp_path: Path) -> None:
    path = tmp_path / "sheet.csv"
    path.write_text("system,item,score,sampling_weight\nA,1,50,2\nB,1,60,-1\n")
    with pytest.raises(
        DataError, match=r"line 3, column 'sampling_weight': the sampling weight"
    ):
        dt.read_judgments(path)


def test_a_probability_above_one_is_refused() -> None:
    with pytest.raises(DataError, match=r"found .probability 1\.5"):
        dt.read_judgments(with_column("inclusion_probability", [0.5] * 5 + [1.5]))


def test_degraded_copies_need_no_weight_of_their_own() -> None:
    kinds = ["system", "system", "system", "system", "system", "degraded"]
    values = [2, 2, 2, 2, 5, None]
    judgments = dt.read_judgments(table(kind=kinds, sampling_weight=values))
    assert judgments.sampling_weight is not None
    assert judgments.sampling_weight.tolist() == [2, 2, 2, 2, 5, 5]


def test_texts_of_a_sheet_that_were_not_judged_are_left_out() -> None:
    judgments = dt.read_judgments(table(score=[50, 60, "", "", 40, 55]))
    assert judgments.n_judgments == 4
    assert "2 texts of the task sheet not judged yet, left out." in judgments.notes


def test_files_with_and_without_weights_do_not_go_together() -> None:
    one = dt.Judgments.build(table())
    other = dt.Judgments.build(with_column("task", ["t"] * 6), path="plain.csv")
    with pytest.raises(InputError, match=r"plain\.csv: there is no sampling weight"):
        dt.Judgments.join([one, other])
    assert dt.Judgments.join([one, one]).sampling_weight is not None


def test_units_carry_the_weight_and_a_cut_keeps_it() -> None:
    cells = dt.Judgments.build(table()).cells()
    units = cells.matched([("A", "B")]).units("item")
    assert units.weight is not None
    assert units.weight.tolist() == [2, 2, 5]
    kept = dt.Judgments.build(table()).take(np.arange(6) > 1)
    assert kept.cells().matched().units("item").weight.tolist() == [2, 5]  # type: ignore[union-attr]


def test_equal_weights_are_no_weights() -> None:
    """A random sample, by which today's code runs to the last bit."""
    judgments = dt.Judgments.build(table(sampling_weight=[3.5] * 6))
    assert judgments.sampling_weight is not None
    assert judgments.cells().weight is None
    assert judgments.cells().matched().units("item").weight is None


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".jsonl", ".parquet"])
def test_written_weights_are_read_again(tmp_path: Path, ending: str) -> None:
    judgments = dt.Judgments.build(table(sampling_weight=[2.5] * 4 + [1 / 3] * 2))
    dt.write_judgments(judgments, tmp_path / f"j{ending}")
    again = dt.read_judgments(tmp_path / f"j{ending}")
    assert np.array_equal(again.sampling_weight, judgments.sampling_weight)  # type: ignore[arg-type]


def test_a_large_table_with_weights_is_read_whole(tmp_path: Path) -> None:
    from detectable.data.files.table_scan import TableScan
    from detectable.data.human.scanned_judgments import scanned

    path = tmp_path / "large.csv"
    dt.write_judgments(dt.Judgments.build(table()), path)
    scan = TableScan.of(path, small=True)
    assert scan is not None
    assert scanned(scan) is None


@pytest.mark.parametrize("name", ["sampling_weight", "inclusion_probability"])
def test_a_comparison_of_scores_refuses_weights(name: str) -> None:
    with pytest.raises(DataError, match=r"a comparison of scores knows no sampling weights"):
        dt.read_scores(with_column(name, [0.5] * 6))
    with pytest.raises(DataError, match=rf"column '{name}'"):
        dt.compare(with_column(name, [0.5] * 6))
