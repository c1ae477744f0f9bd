"""MQM files: what is recognised, what is required, and which rows belong together."""

import json
from pathlib import Path

import polars as pl
import pytest

from detectable.data.files.content import FileContent
from detectable.data.formats.mqm import recognise
from detectable.data.human.read_judgments import read_judgments
from tests.data.sample_files import fails, write

FULL = ("system", "seg_id", "rater", "category", "severity")


def _tsv(folder: Path, names: tuple[str, ...], *rows: tuple[str, ...]) -> Path:
    return write(folder, "e.tsv", "".join("\t".join(row) + "\n" for row in (names, *rows)))


def test_four_columns_tell_the_format(tmp_path: Path) -> None:
    four = ("system", "rater", "category", "severity")
    path = _tsv(tmp_path, four, ("A", "r", "Style", "Minor"))
    parquet = tmp_path / "e.parquet"
    pl.DataFrame({name: ["A"] for name in four}).write_parquet(parquet)
    assert recognise(FileContent(path))
    assert recognise(FileContent(parquet))
    with fails("the item of MQM"):
        read_judgments(path)
    for left in four:
        rest = tuple(name for name in four if name != left)
        assert not recognise(FileContent(_tsv(tmp_path, rest, ("A", "1", "70"))))


@pytest.mark.parametrize(
    ("left", "role"), [(name, {"seg_id": "item"}.get(name, name)) for name in FULL]
)
def test_a_column_that_is_missing_is_named(tmp_path: Path, left: str, role: str) -> None:
    rest = tuple(name for name in FULL if name != left)
    path = _tsv(tmp_path, rest, ("a", "b", "c", "d"))
    with fails(f"the {role} of MQM"):
        read_judgments(path, format="mqm")


def test_a_file_of_one_column_is_not_cut_by_the_right_mark(tmp_path: Path) -> None:
    path = write(tmp_path, "e.tsv", "|".join(FULL) + "\nA|1|r|Style|Minor\n")
    with fails("the whole line is one column", "This file seems to use vertical bars"):
        read_judgments(path, format="mqm")


def test_a_segment_number_counts_within_its_document(tmp_path: Path) -> None:
    rows = [("A", "1", "r", "Style", "Minor", doc) for doc in ("x", "y", "x")]
    found = read_judgments(_tsv(tmp_path, (*FULL, "doc"), *rows))
    assert found.score.tolist() == [-2.0, -1.0]
    assert found.column("document").labels() == ["x", "y"]
    assert found.lines is not None
    assert list(found.lines) == [2, 3]


def test_numbers_and_words_may_name_segments(tmp_path: Path) -> None:
    rows = [dict(zip(FULL, ("A", seg, "r", "Style", "Minor"), strict=True)) for seg in (1, "b")]
    path = write(tmp_path, "e.jsonl", "\n".join(map(json.dumps, rows)))
    assert read_judgments(path, format="mqm").item.labels() == ["1", "b"]


def test_unknown_severities_are_named_in_their_order(tmp_path: Path) -> None:
    odd = [f"odd{k}" for k in (5, 3, 9, 1, 7)]
    rows = [("A", "1", "r", "Style", severity) for severity in ("Minor", *odd, odd[0])]
    listed = ", ".join(repr(name) for name in odd)
    with fails("e.tsv, line 3, column 'severity': unknown severity", listed, "6 rows in all"):
        read_judgments(_tsv(tmp_path, FULL, *rows))
