"""Formats of scores: which there are, in which order they are asked, and what is no format."""

from pathlib import Path

import pytest

from detectable.core.errors import DataError
from detectable.data.files.content import FileContent
from detectable.data.reader import find_score_reader, score_readers


def test_all_readers_are_asked_in_their_order() -> None:
    found = score_readers().in_order()
    assert {"comet-text", "helm", "lines", "lm-eval", "table"} <= {one.name for one in found}
    places = [(one.order, one.name) for one in found]
    assert places == sorted(places)


def test_what_no_reader_knows(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("")
    with pytest.raises(DataError, match="the file is empty"):
        find_score_reader(FileContent(path))
    path.write_text("some words\nand more\n")
    with pytest.raises(DataError, match=r"cannot be told\. Choose .*helm: per_instance_stats"):
        find_score_reader(FileContent(path))
