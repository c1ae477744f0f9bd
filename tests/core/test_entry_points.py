"""Entry points of installed packages, found without importlib.metadata where there are none."""

import subprocess
import sys
import zipfile
from importlib.abc import MetaPathFinder
from pathlib import Path

import pytest

from detectable.core.registry import entry_points

GROUP = "detectable.test-entry-points"


def install(folder: Path, text: str, ending: str = "dist-info") -> None:
    """Lay down what an installed package leaves of its declarations."""
    info = folder / f"toy-1.0.{ending}"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Name: toy\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(text)


def names(name: str | None = None) -> list[str]:
    return sorted(entry.name for entry in entry_points(group=GROUP, name=name))


def test_nothing_is_offered_where_nothing_is_installed() -> None:
    assert names() == []


@pytest.mark.parametrize("ending", ["dist-info", "egg-info"])
def test_what_a_package_declares_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str
) -> None:
    install(tmp_path, f"[{GROUP}]\none = json:loads\ntwo = json:dumps\n", ending)
    monkeypatch.syspath_prepend(tmp_path)
    assert names() == ["one", "two"]
    assert names("two") == ["two"]
    assert names("three") == []


def test_another_group_is_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, f"[{GROUP}.longer]\none = json:loads\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert names() == []


def test_the_current_folder_counts_where_the_path_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, f"[{GROUP}]\none = json:loads\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", ["", str(tmp_path / "absent"), *sys.path])
    assert names() == ["one"]


def test_archives_on_the_path_are_searched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with zipfile.ZipFile(tmp_path / "toy.zip", "w") as archive:
        archive.writestr("toy-1.0.dist-info/METADATA", "Name: toy\nVersion: 1.0\n")
        archive.writestr("toy-1.0.dist-info/entry_points.txt", f"[{GROUP}]\none = json:loads\n")
    monkeypatch.syspath_prepend(tmp_path / "toy.zip")
    assert names() == ["one"]


def test_a_finder_of_its_own_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    from importlib.metadata import Distribution

    class Toy(Distribution):
        def read_text(self, filename: str) -> str | None:
            if filename == "entry_points.txt":
                return f"[{GROUP}]\none = json:loads\n"
            return "Name: toy\nVersion: 1.0\n" if filename == "METADATA" else None

        def locate_file(self, path: object) -> Path:
            return Path(str(path))

    class Finder(MetaPathFinder):
        def find_distributions(self, *_: object) -> list[Toy]:
            return [Toy()]

        def find_spec(self, *_: object) -> None:
            return None

    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path, Finder()])
    assert names() == ["one"]


def test_nothing_slow_is_imported_where_nothing_is_offered() -> None:
    code = (
        "import sys; from detectable.core.registry import entry_points\n"
        f"found = list(entry_points(group={GROUP!r}))\n"
        "sys.exit(bool(found) or 'importlib.metadata' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
