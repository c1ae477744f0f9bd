"""Whether the files that a result was made from are what they were."""

import hashlib
from pathlib import Path

import pytest

from detectable.core.errors import DataError
from detectable.data.files.inputs import InputFile
from detectable.report.saved import receipt as checked
from detectable.report.saved.receipt import check_inputs


def test_same_changed_and_missing(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"one")
    one, other = (hashlib.sha256(data).hexdigest() for data in (b"one", b"two"))
    files = [
        InputFile("a.txt", one, 1),
        InputFile("a.txt", other, 1),
        InputFile("b.txt", one, 1),
    ]
    found = check_inputs(files, tmp_path)
    assert [file.state for file in found] == ["same", "changed", "missing"]
    assert [file.sha256 for file in found] == [one, other, one]


def test_a_file_that_cannot_be_read_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.txt").write_bytes(b"one")

    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(checked, "open", refuse, raising=False)
    with pytest.raises(DataError, match=r"a\.txt cannot be read \(Permission denied\)"):
        check_inputs([InputFile("a.txt", "00", 1)], tmp_path)
