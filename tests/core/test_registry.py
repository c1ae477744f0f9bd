"""Named things."""

import os
import subprocess
import sys
import zipfile
from collections.abc import Callable
from importlib.abc import MetaPathFinder
from pathlib import Path

import pytest

from detectable.core.errors import InputError
from detectable.core.registry import Registry, entry_points


def test_names_load_lazily_and_only_when_asked() -> None:
    registry: Registry[int] = Registry("number", "detectable.test-numbers")
    loaded: list[int] = []

    def loader(value: int) -> Callable[[], int]:
        def load() -> int:
            loaded.append(value)
            return value

        return load

    registry.register("one", loader(1))
    registry.register("two", loader(2))
    assert registry.names() == ("one", "two")
    assert registry.get("two") == 2
    assert loaded == [2]


def test_a_wrong_name_gets_a_suggestion() -> None:
    registry: Registry[int] = Registry("number", "detectable.test-numbers")
    registry.register("seven", lambda: 7)
    with pytest.raises(InputError, match=r"no number named 'sven'\. Did you mean 'seven'"):
        registry.get("sven")


def test_a_name_cannot_be_taken_twice() -> None:
    registry: Registry[int] = Registry("number", "detectable.test-numbers")
    registry.register("one", lambda: 1)
    with pytest.raises(InputError, match="number 'one' is registered twice"):
        registry.register("one", lambda: 2)


# Names that other packages add


class Entry:
    """What `importlib.metadata` knows of one name of an installed package."""

    def __init__(self, name: str, value: int) -> None:
        self.name, self._value = name, value

    def load(self) -> int:
        return self._value


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> Registry[int]:
    """Return a registry with two names of its own and three of other packages, one of them taken."""
    entries = [Entry("zwei", 22), Entry("drei", 3), Entry("one", 99), Entry("drei", 33)]

    def entry_points(*, group: str, name: str | None = None) -> list[Entry]:
        assert group == "detectable.test-numbers"
        return [entry for entry in entries if name in (None, entry.name)]

    monkeypatch.setattr("detectable.core.registry.entry_points", entry_points)
    registry: Registry[int] = Registry("number", "detectable.test-numbers")
    registry.register("two", lambda: 2)
    registry.register("one", lambda: 1)
    return registry


def test_names_of_other_packages_follow_in_alphabetical_order(installed: Registry[int]) -> None:
    assert installed.names() == ("two", "one", "drei", "zwei")


def test_names_of_other_packages_are_found(installed: Registry[int]) -> None:
    assert installed.get("zwei") == 22
    assert installed.get("drei") == 3  # of two packages with one name, the first


def test_our_own_name_goes_first(installed: Registry[int]) -> None:
    assert installed.get("one") == 1


def test_a_suggestion_may_come_from_another_package(installed: Registry[int]) -> None:
    with pytest.raises(InputError, match=r"no number named 'zweu'\. Did you mean 'zwei'\?"):
        installed.get("zweu")


def test_a_name_like_no_other_gets_the_list(installed: Registry[int]) -> None:
    wanted = r"^no number named 'xyz'\. Known: two, one, drei, zwei\.$"
    with pytest.raises(InputError, match=wanted):
        installed.get("xyz")


# --- Entry points of installed packages, found without importlib.metadata where there are none ---

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


def test_a_folder_is_searched_again_only_when_it_has_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", [str(tmp_path)])  # others may change meanwhile
    # A finder that another test loads would be asked, and no folder searched.
    monkeypatch.setattr("detectable.core.registry._finds_packages", lambda _: False)
    assert names() == []
    searched: list[object] = []
    scan = os.scandir

    def seen(folder: str) -> object:
        searched.append(folder)
        return scan(folder)

    monkeypatch.setattr(os, "scandir", seen)
    assert names() == []
    assert searched == []
    install(tmp_path, f"[{GROUP}]\none = json:loads\n")
    os.utime(tmp_path, ns=(1, 1))  # a clock may be too coarse to tell
    assert names() == ["one"]
    assert str(tmp_path) in searched


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
