"""Quotation marks between tabs: plain characters, unless a program enclosed cells in them."""

import csv
import io
from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from detectable.data.files.content import FileContent
from detectable.data.files.delimited import read_delimited

TEXT = st.text(st.sampled_from('ab "\t\n,'), max_size=8)


def columns(text: str, name: str = "t.tsv", **options: bool) -> dict[str, list[str]]:
    """Return what a file with this text holds."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(text.encode())
        found = read_delimited(FileContent(path), **options).columns
        return {name: list(cells) for name, cells in found.items()}


@given(st.lists(st.tuples(TEXT, TEXT), min_size=1, max_size=4))
def test_what_polars_writes_is_what_is_read(rows: list[tuple[str, str]]) -> None:
    frame = pl.DataFrame(rows, schema={"one": pl.String, "two": pl.String}, orient="row")
    written = io.StringIO()
    frame.write_csv(written, separator="\t")
    text = written.getvalue()
    enclosed = any(mark in cell for row in rows for cell in row for mark in '"\t\n')
    if enclosed:  # else nothing is enclosed, save a cell that is empty
        found = columns(text)
        assert list(zip(*found.values(), strict=True)) == rows


@pytest.mark.parametrize(
    "cell",
    [
        'He said "yes".',  # a mark inside a cell
        '"Yes," he said.',  # only at the beginning
        '"Yes."',  # a whole sentence between marks: what people write
        '5" of snow',
        '"',
        'a ""b""',
    ],
)
def test_quotation_marks_of_sentences_stay(cell: str) -> None:
    assert columns(f"one\ttwo\n{cell}\tx\n")["one"] == [cell]


def test_one_sentence_that_is_not_enclosed_speaks_for_all() -> None:
    text = 'one\ttwo\n"a ""b"" c"\tx\nHe said "yes".\ty\n'
    assert columns(text)["one"] == ['"a ""b"" c"', 'He said "yes".']


@pytest.mark.parametrize(
    ("text", "cells"),
    [
        ('one\ttwo\n"a ""b"" c"\tx\n', ['a "b" c']),
        ('one\ttwo\n"a\tb"\tx\n', ["a\tb"]),
        ('one\ttwo\n"a\nb"\tx\n', ["a\nb"]),
        ('"one"\t"two"\n"a"\t"x"\n', ["a"]),
    ],
)
def test_enclosed_cells_are_opened(text: str, cells: list[str]) -> None:
    assert columns(text)["one"] == cells


def test_a_header_that_is_enclosed_in_part_says_nothing() -> None:
    assert columns('"one"\ttwo\n"a"\tx\n') == {'"one"': ['"a"'], "two": ["x"]}


def test_who_says_so_is_obeyed() -> None:
    text = 'one\ttwo\n"a ""b"" c"\tx\n'
    assert columns(text, quoted=False)["one"] == ['"a ""b"" c"']
    assert columns('one\ttwo\n"a"\tx\n', quoted=True)["one"] == ["a"]


def test_a_large_file_is_looked_through_once() -> None:
    """A pattern that went back and forth would take for ever."""
    body = "\n".join(f'"say ""{i}"" again"\tx' for i in range(100_000))
    assert columns(f"one\ttwo\n{body}\n")["one"][-1] == 'say "99999" again'
    plain = f'one\ttwo\n{body}\nHe said "yes".\ty\n'
    assert columns(plain)["one"][-1] == 'He said "yes".'


def test_blank_lines_below_enclosed_cells_are_rows_of_one_column_only() -> None:
    assert columns('a,b\n"x",y\n\n\n', "t.csv") == {"a": ["x"], "b": ["y"]}
    assert columns('a,b,c\n"x",y,z\n\n', "t.csv") == {"a": ["x"], "b": ["y"], "c": ["z"]}
    assert columns('a\n"x"\n\n', "t.csv") == {"a": ["x", ""]}
    assert columns('"a",b\n\n', "t.csv") == {"a": [], "b": []}


def test_the_ending_tells_what_separates() -> None:
    text = "a,b\tc\n1,2\t3\n"
    assert columns(text, "t.csv") == {"a": ["1"], "b\tc": ["2\t3"]}
    assert columns(text, "t.tsv") == {"a,b": ["1,2"], "c": ["3"]}
    assert columns(text, "t.csv.gz.txt") == columns(text, "t.csv")


def test_one_column_is_a_table() -> None:
    assert columns("a b\n1\n2\n", "t.csv") == {"a b": ["1", "2"]}


def test_a_carriage_return_within_a_line_is_a_character_of_its_cell() -> None:
    found = columns('a,b\n"x ""y""",one\rtwo\nz,"three\rfour"\n')
    assert list(found["a"]) == ['x "y"', "z"]
    assert list(found["b"]) == ["one\rtwo", "three\rfour"]
    # No letter of the table is taken for it, whichever they are.
    private = "".join(map(chr, range(0xE000, 0xE010)))
    assert list(columns(f'a,b\n"{private}",1\r2\n')["a"]) == [private]


def test_a_cell_may_be_longer_than_the_standard_library_likes() -> None:
    before = csv.field_size_limit()
    long = "x" * (before + 1)
    assert list(columns(f'a,b\n"{long}",1\n')["a"]) == [long]
    assert csv.field_size_limit() == before
