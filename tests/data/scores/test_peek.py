"""The first lines of a file."""

from pathlib import Path

import pytest

from detectable.data.files.content import FileContent
from detectable.data.scores.score_folder import first_lines, is_score
from tests.data.sample_files import write


def test_fifty_lines_without_outer_space(tmp_path: Path) -> None:
    text = "\n".join(f" {i} " for i in range(60))
    assert first_lines(FileContent(write(tmp_path, "a.txt", text))) == [
        str(i) for i in range(50)
    ]
    few = FileContent(write(tmp_path, "b.txt", "1\n\n2\n\n"))
    assert first_lines(few) == ["1", "", "2"]


@pytest.mark.parametrize("text", ["", '{"a": 1}\n', "[1]\n"])
def test_none_of_what_is_no_text(tmp_path: Path, text: str) -> None:
    assert first_lines(FileContent(write(tmp_path, "a.txt", text))) == []


@pytest.mark.parametrize(
    ("text", "number"),
    [("1", True), ("-1.5", True), ("+2E+3", True), ("", True), ("nan", True), ("1 2", False),
     ("a", False), ("1e", False)],
)  # fmt: skip
def test_numbers(text: str, number: bool) -> None:
    assert is_score(text) is number
