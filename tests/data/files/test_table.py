import csv
import io
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from detectable.core.errors import DataError, InputError
from detectable.data.files import delimited
from detectable.data.files.content import FileContent
from detectable.data.files.table import Table, find_column, read_table
from tests.data.sample_files import fails, write


def cells_of(table: Table) -> dict[str, list[Any]]:
    return {name: table.cells(name) for name in table.columns}


plain = st.text(st.characters(codec="utf-8", exclude_characters='\r\n,"'), max_size=8)
cells = st.text(st.characters(codec="utf-8", exclude_characters="\r\n"), max_size=12)


@given(st.lists(st.tuples(cells, cells), min_size=1, max_size=5))
def test_any_text_survives_a_quoted_csv(rows: list[tuple[str, str]]) -> None:
    content = io.StringIO()
    writer = csv.writer(content, lineterminator="\n", quoting=csv.QUOTE_ALL)
    writer.writerows([("a", "b"), *rows])
    with tempfile.TemporaryDirectory() as folder:
        table = read_table(write(Path(folder), "x.csv", content.getvalue()))
    assert cells_of(table) == {"a": [a for a, _ in rows], "b": [b for _, b in rows]}
    assert list(table.lines or ()) == list(range(2, len(rows) + 2))


def test_quotes_are_plain_in_tsv_and_marks_in_csv(tmp_path: Path) -> None:
    tsv = write(tmp_path, "x.tsv", 'a\tb\n5" disk\t"x"\n')
    assert cells_of(read_table(tsv)) == {"a": ['5" disk'], "b": ['"x"']}
    text = write(tmp_path, "x.csv", 'a,b\n"1,5","two\nlines"\n2,3\n')
    table = read_table(text)
    assert cells_of(table) == {"a": ["1,5", "2"], "b": ["two\nlines", "3"]}
    assert list(table.lines or ()) == [2, 4]
    assert table.place(1, "b").endswith("x.csv, line 4, column 'b'")
    quoted = write(tmp_path, "y.tsv", 'a\tb\n"1\t5"\t2\n')
    assert cells_of(read_table(quoted, quoted=True)) == {"a": ["1\t5"], "b": ["2"]}


def test_the_header_tells_the_delimiter(tmp_path: Path) -> None:
    for name, content in (
        ("x.csv", "a;b\n1;2\n"),
        ("x.txt", "a,b\n1,2\n"),
        ("x.tsv", "a;b\n1;2"),
    ):
        assert list(read_table(write(tmp_path, name, content)).columns) == ["a", "b"]
    assert list(read_table(write(tmp_path, "one.csv", "a\n1\n\n")).columns["a"]) == ["1", ""]


def test_json_lines_may_lack_keys_and_have_blank_lines(tmp_path: Path) -> None:
    table = read_table(write(tmp_path, "x.jsonl", '{"a": 1}\n\n{"b": "x", "a": null}\n'))
    assert cells_of(table) == {"a": [1, None], "b": [None, "x"]}
    assert list(table.lines or ()) == [1, 3]


def test_parquet_rows_are_counted_as_rows(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    pl.DataFrame({"a": ["x", None], "b": [1, 2]}).write_parquet(path)
    table = read_table(path)
    assert cells_of(table) == {"a": ["x", None], "b": [1, 2]}
    assert table.place(1, "a").endswith("x.parquet, row 2, column 'a'")


@pytest.mark.parametrize(
    ("name", "content", "parts"),
    [
        ("x.csv", "a,b\n1,2\n1\n", ("x.csv, line 3: the header has 2 columns, this row has 1.",
                                    "Look for a comma too many or too few.")),
        ("x.tsv", "a\tb\n1\t2\t3\n", ("x.tsv, line 2: the header has 2 columns", "Look for a tab")),
        ("x.csv", "a,b\n1,2\n\n3,4\n", ("x.csv, line 3: the header has 2 columns",)),
        ("x.csv", "a,b,a\n1,2,3\n", ("line 1: the column name 'a' appears twice, as column 1 and 3",
                                     "Rename one.")),
        ("x.csv", 'a,b\n1,2\n3,"4\n5,6\n', ("x.csv, line 3: the row cannot be read",
                                            "unclosed quotation mark", "use quoted=False")),
        ("x.csv", "a,b\n", ("x.csv: the table has a header and no row.",)),
        ("x.jsonl", '{"a": 1}\n[1]\n', ("x.jsonl, line 2: expected one JSON object per line",)),
        ("x.jsonl", '{"a": 1}\n{"a": \n', ("x.jsonl, line 2, position 7: this is not JSON",)),
        ("x.parquet", b"PAR1 broken", ("x.parquet: the Parquet file cannot be read", "Copy it")),
    ],
)  # fmt: skip
def test_a_broken_table_is_named_with_its_line(
    tmp_path: Path, name: str, content: str | bytes, parts: tuple[str, ...]
) -> None:
    with fails(*parts):
        read_table(write(tmp_path, name, content))


def test_blank_lines_below_a_table_are_no_rows(tmp_path: Path) -> None:
    assert read_table(write(tmp_path, "x.csv", "a,b\n1,2\n\n\n")).n_rows == 1


def test_quoted_is_refused_where_it_means_nothing(tmp_path: Path) -> None:
    path = write(tmp_path, "x.jsonl", '{"a": 1}\n')
    with pytest.raises(InputError, match=r"`quoted` applies to CSV and TSV only; .*x\.jsonl"):
        read_table(path, quoted=True)


def test_an_empty_file_is_no_table(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"x\.csv: the file is empty"):
        read_table(write(tmp_path, "x.csv", ""))


@pytest.mark.parametrize("large", [0, 1 << 20])
@given(st.lists(st.tuples(plain, plain, plain), min_size=1, max_size=5))
def test_plain_text_is_cut_at_its_delimiters_and_nowhere_else(
    large: int, rows: list[tuple[str, str, str]]
) -> None:
    text = "\n".join(["a,b,c", *(",".join(row) for row in rows)]) + "\n"
    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory() as folder:
        patch.setattr(delimited, "_LARGE", large)
        table = read_table(write(Path(folder), "x.csv", text))
    assert cells_of(table) == {n: [row[i] for row in rows] for i, n in enumerate("abc")}
    assert list(table.lines or ()) == list(range(2, len(rows) + 2))


@pytest.mark.parametrize("large", [0, 1 << 20])
def test_large_files_are_refused_as_small_ones(
    large: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(delimited, "_LARGE", large)
    for text, message in (
        (
            "a,b\n1,2\n1\n1,2,3\n",
            "line 3: the header has 2 columns, this row has 1 (2 rows in all)",
        ),
        (
            "a,b\n1;2\n",
            "line 2: the whole line is one column, '1;2', while the header has 2 columns",
        ),
        ("a,b,a\n1,2,3\n", "the column name 'a' appears twice, as column 1 and 3"),
    ):
        with fails(message):
            read_table(write(tmp_path, "x.csv", text))


def test_one_column_is_a_table_unless_several_are_expected(tmp_path: Path) -> None:
    path = write(tmp_path, "x.csv", "a|b\n1|2\n")
    assert cells_of(read_table(path)) == {"a|b": ["1|2"]}
    with fails(
        "x.csv, line 1: the whole line is one column, 'a|b'", "seems to use vertical bars"
    ):
        read_table(path, several=True)
    quoted = write(tmp_path, "y.csv", '"a, b"\n1\n')
    assert cells_of(read_table(quoted)) == {"a, b": ["1"]}


def test_a_list_of_json_objects(tmp_path: Path) -> None:
    table = read_table(write(tmp_path, "x.json", '[{"a": 1},\n {"b": 2}]'))
    assert cells_of(table) == {"a": [1, None], "b": [None, 2]}
    assert table.place(1) == f"{tmp_path / 'x.json'}, line 2"
    with fails("x.json: the table has a header and no row."):
        read_table(write(tmp_path, "x.json", "[]"))


def test_tables_in_memory_count_rows_from_0() -> None:
    table = read_table({"a": [1, 2], "b": np.array(["x", "y"]), "c": pl.Series([None, 3])})
    assert cells_of(table) == {"a": [1, 2], "b": ["x", "y"], "c": [None, 3]}
    assert (table.n_rows, table.place(1, "b")) == (2, "row 1 (from 0), column 'b'")
    assert find_column(table, "rater", ("b",), {}) == "b"
    assert find_column(table, "rater", ("x",), {}) is None
    with fails("the table: there is no column 'z' for the rater. Found: a, b, c."):
        find_column(table, "rater", ("b",), {"rater": "z"})
    with fails("the table has no row. Give at least one row."):
        read_table({"a": []})


def test_a_content_serves_as_a_path(tmp_path: Path) -> None:
    path = write(tmp_path, "x.csv", "a,b\n1,2\n")
    content = FileContent(path)
    assert cells_of(read_table(content)) == {"a": ["1"], "b": ["2"]}
    path.unlink()
    assert read_table(content).place(0) == f"{path}, line 2"
