"""Tables cut at white space."""

from pathlib import Path

import pytest

from detectable.data.files.content import FileContent
from detectable.data.files.table import is_spaced, read_spaced
from tests.data.sample_files import fails, write


@pytest.mark.parametrize(
    ("header", "spaced"),
    [
        ("SYS SID RAW.SCR", True),
        ("SYS SID Z.SCR N", True),
        ("system\tmqm_avg_score seg_id", True),
        ("system mqm_avg_score", False),
        ("SYS SID RAW.SCR,N", False),
        ("SYS SID", False),
        ("system seg_id", False),
    ],
)
def test_only_known_headers(tmp_path: Path, header: str, spaced: bool) -> None:
    assert is_spaced(FileContent(write(tmp_path, "s.csv", f"{header}\nA 1 2\n"))) is spaced


def test_rows_and_their_lines(tmp_path: Path) -> None:
    text = "SYS  SID RAW.SCR \nA 1 55.5\n\n  \nB\t1 7\n"
    table = read_spaced(FileContent(write(tmp_path, "s.csv", text)))
    assert table.columns == {"SYS": ["A", "B"], "SID": ["1", "1"], "RAW.SCR": ["55.5", "7"]}
    assert table.lines == [2, 5]
    assert table.path == str(tmp_path / "s.csv")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("SYS SID RAW.SCR\nA 1 2\nB 1\n", "line 3: the header has 3 columns, this row has 2"),
        ("SYS SID RAW.SCR\nA 1 2 3\n", "line 2: the header has 3 columns, this row has 4"),
        ("SYS SID RAW.SCR\n\n", "the table has a header and no row"),
        ("SYS SID RAW.SCR SID\nA 1 2 3\n", "line 1: the column name 'SID' appears twice"),
    ],
)
def test_what_is_no_table(tmp_path: Path, text: str, said: str) -> None:
    with fails(said):
        read_spaced(FileContent(write(tmp_path, "s.csv", text)))
