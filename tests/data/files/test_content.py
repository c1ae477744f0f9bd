"""A file that is opened once."""

import gzip
import json
import os
from pathlib import Path

import polars as pl
import pytest

from detectable.data.files.content import FileContent, read_bytes, read_text
from detectable.data.files.lines import read_lines
from tests.data.sample_files import fails, write


def test_it_stands_for_its_path_and_keeps_what_was_read(tmp_path: Path) -> None:
    path = write(tmp_path, "x.txt", "\ufeffone\r\ntwo\n")
    content = FileContent(path)
    assert FileContent.of(content) is content
    assert (os.fspath(content), str(content), Path(content)) == (str(path), str(path), path)
    assert read_lines(content) == ("one", "two")
    path.write_text("other")
    assert read_bytes(content) == "\ufeffone\r\ntwo\n".encode()
    assert read_text(content) == "one\r\ntwo\n"
    assert read_text(path) == "other"


def test_a_file_is_not_opened_before_it_is_asked_for(tmp_path: Path) -> None:
    content = FileContent(tmp_path / "absent")
    assert not content.is_folder
    with fails("absent: there is no such file"):
        _ = content.first_line


@pytest.mark.parametrize(
    ("text", "line", "found"),
    [
        ("\n \n  a b\r\nc", "a b", {}),
        ("", "", {}),
        ("u\tA\t\t\n", "u\tA\t\t", {}),
        ('{"a": 1}\n{"a": 2}', '{"a": 1}', {"a": 1}),
        ('\n{\n "a": 1\n}', "{", {"a": 1}),
        ('[\n3, {"a": 1}]', "[", {"a": 1}),
        ('[ {"a": 1}, {"cut sh', '[ {"a": 1}, {"cut sh', {"a": 1}),
        ('{"a": 1', '{"a": 1', {}),
        ("[1, 2]", "[1, 2]", {}),
        ("[[[", "[[[", {}),
        ("[" * 100_000, "[" * 100_000, {}),
    ],
    ids=range(11),
)
def test_the_beginning_of_text(
    text: str, line: str, found: dict[str, int], tmp_path: Path
) -> None:
    content = FileContent(write(tmp_path, "x", gzip.compress(text.encode())))
    assert content.first_line == line
    assert content.first_object == found
    assert content.parquet_columns == frozenset()
    assert not content.is_parquet
    assert not content.is_zip


def test_the_beginning_of_what_is_no_text(tmp_path: Path) -> None:
    pl.DataFrame({"a": [1], "b": ["x"]}).write_parquet(tmp_path / "x.parquet")
    table = FileContent(tmp_path / "x.parquet")
    assert table.is_parquet
    assert table.parquet_columns == {"a", "b"}
    archive = FileContent(write(tmp_path, "x.zip", b"PK\x03\x04\xff\xff"))
    assert archive.is_zip
    folder = FileContent(tmp_path)
    assert folder.is_folder
    for content in (table, archive, folder):
        assert (content.first_line, content.first_object) == ("", {})
    with fails("this is a folder. Name a file in it."):
        _ = folder.data
    with fails("x.parquet: the Parquet file cannot be read"):
        _ = FileContent(write(tmp_path, "x.parquet", b"PAR1 broken")).parquet_columns


def test_a_large_list_is_not_parsed_to_see_how_it_begins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path, "x.json", '[{"a": 1}, {"a": 2}]')
    monkeypatch.setattr(json, "loads", lambda _: pytest.fail("the whole text was parsed"))
    assert FileContent(path).first_object == {"a": 1}


@pytest.mark.parametrize(
    ("data", "where"),
    [
        (b"\xeb", "line 1: byte 0xeb at position 1 "),
        (b"ab\xeb", "line 1: byte 0xeb at position 3 "),
        (b"a\nb\xeb\n", "line 2: byte 0xeb at position 2 "),
        (b"\n\xeb", "line 2: byte 0xeb at position 1 "),
    ],
)
def test_a_byte_that_is_not_utf8_has_a_place(tmp_path: Path, data: bytes, where: str) -> None:
    with fails(f"a.txt, {where}is not UTF-8"):
        _ = FileContent(write(tmp_path, "a.txt", data)).text
