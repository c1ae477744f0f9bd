"""Codes in place of the names of raters, in every form of a table."""

import gzip
import json
from pathlib import Path

import polars as pl
import pytest

from detectable.core.errors import DataError
from detectable.data.files.content import FileContent
from detectable.data.human.read_judgments import read_judgments
from detectable.data.human.write_judgments import RaterCodes, recoded, recoded_table

ROWS = {"system": ["A", "B"], "rater": ["ada", "ben"], "item": ["1", "1"], "score": ["7", "8"]}
CSV = "system,rater,item,score\nA,ada,1,7\nB,ben,1,8\n"


def again(path: Path, data: bytes, **columns: str) -> bytes:
    path.write_bytes(data)
    made = recoded_table(FileContent(path), RaterCodes(), columns)
    assert made is not None
    return made


def test_all_forms_of_a_table_are_recoded(tmp_path: Path) -> None:
    wanted = CSV.replace("ada", "R001").replace("ben", "R002")
    assert again(tmp_path / "a.csv", CSV.encode()).decode() == wanted
    tabs = CSV.replace(",", "\t").encode()
    assert again(tmp_path / "a.tsv", tabs).decode() == wanted.replace(",", "\t")
    packed = again(tmp_path / "a.csv.gz", gzip.compress(CSV.encode()))
    assert gzip.decompress(packed).decode() == wanted
    quoted = again(tmp_path / "q.csv", b'rater,item,note\nada,1,"x, y"\n')
    assert quoted == b'rater,item,note\nR001,1,"x, y"\n'
    rows = [dict(zip(ROWS, row, strict=True)) for row in zip(*ROWS.values(), strict=True)]
    lines = "".join(json.dumps(row) + "\n" for row in rows).encode()
    found = again(tmp_path / "a.jsonl", lines).decode().splitlines()
    assert [json.loads(line)["rater"] for line in found] == ["R001", "R002"]
    listed = json.loads(again(tmp_path / "a.json", json.dumps(rows).encode()))
    assert [row["score"] for row in listed] == ["7", "8"]
    pl.DataFrame(ROWS).write_parquet(tmp_path / "a.parquet")
    made = again(tmp_path / "a.parquet", (tmp_path / "a.parquet").read_bytes())
    (tmp_path / "b.parquet").write_bytes(made)
    assert pl.read_parquet(tmp_path / "b.parquet")["rater"].to_list() == ["R001", "R002"]


def test_the_column_may_be_chosen_and_codes_are_shared(tmp_path: Path) -> None:
    codes = RaterCodes()
    first, second = tmp_path / "a.csv", tmp_path / "b.csv"
    first.write_text(CSV.replace("rater", "who"))
    second.write_text(CSV.replace("ada", "cy"))
    assert recoded_table(FileContent(first), codes, {}) is None
    assert b"R002" in (recoded_table(FileContent(first), codes, {"rater": "who"}) or b"")
    assert b"R003" in (recoded_table(FileContent(second), codes, {}) or b"")
    assert codes.n == 3


def test_a_missing_rater_stays_missing(tmp_path: Path) -> None:
    assert again(tmp_path / "a.csv", b"rater,item\n,1\nada,2\n") == b"rater,item\n,1\nR001,2\n"


def test_what_is_no_table_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "out.txt").write_text("A small house.\nrater\n")
    assert recoded_table(FileContent(tmp_path / "out.txt"), RaterCodes(), {}) is None


def test_judgments_without_raters_are_refused() -> None:
    table = {"system": ["A", "B"], "item": [1, 1], "score": [70, 80]}
    with pytest.raises(DataError, match="there are no raters to recode"):
        recoded(read_judgments(table))
