"""Files by a pattern."""

from pathlib import Path

import pytest

from detectable.data.files.folder import expand
from tests.data.sample_files import fails


def test_a_pattern_stands_for_its_files_in_the_order_of_numbers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("seed10.en", "seed2.en", "seed.en", "other.de", "a/b/seed1.en"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    monkeypatch.chdir(tmp_path)
    assert expand("seed*.en") == ["seed2.en", "seed10.en", "seed.en"]
    assert expand("**/seed1.en") == ["a/b/seed1.en"]
    assert expand("none.en") == ["none.en"]  # a plain name is told about where it is opened
    with fails("none*: no file has such a name", f"starts at {Path.cwd()}"):
        expand("none*")


def test_a_file_that_is_called_like_a_pattern_is_meant(tmp_path: Path) -> None:
    for name in ("seed[1].en", "seed1.en"):
        (tmp_path / name).touch()
    assert expand(str(tmp_path / "seed[1].en")) == [str(tmp_path / "seed[1].en")]
