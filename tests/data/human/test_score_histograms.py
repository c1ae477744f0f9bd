"""Score histograms: what a NumPy archive must hold, and the pairs it makes."""

import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from detectable.core.errors import DataError
from detectable.data.files.content import FileContent
from detectable.data.files.size_limit import size_limit
from detectable.data.human.score_histograms import is_numpy_archive, read_score_histograms

ARRAYS: dict[str, Any] = {
    "all": np.array([[1, 0, 4], [2, 2, 1], [0, 0, 3]], dtype=np.uint16),
    "valid": np.array([[1, 0, 0], [2, 0, 0], [0, 0, 1]], dtype=np.uint16),
    "campaign": np.array([7, 8, 7], dtype=np.int16),
    "system": np.array([1, 2, 3]),
    "source": np.array(["EN", "EN", "EN"]),
    "target": np.array(["DE", "FRA", "DE"]),
}


def save(folder: Path, **changes: Any) -> Path:
    path = folder / "h.npz"
    arrays = {**ARRAYS, **changes}
    np.savez(path, **{name: array for name, array in arrays.items() if array is not None})
    return path


def test_the_arrays_as_they_are(tmp_path: Path) -> None:
    found = read_score_histograms(save(tmp_path))
    assert found.values.tolist() == [0.0, 1.0, 2.0]
    assert found.counts.tolist() == ARRAYS["all"].tolist()
    assert found.counts.dtype == np.int64
    assert found.campaign.labels() == ["7", "8", "7"]
    assert found.system.labels() == ["1", "2", "3"]
    assert found.language is not None
    assert found.language.labels() == ["EN-DE", "EN-FRA", "EN-DE"]
    assert found.n_judgments == 13
    assert found.path == str(tmp_path / "h.npz")


def test_another_table_own_values_and_language(tmp_path: Path) -> None:
    path = save(tmp_path, values=[1, 1.005, 5], language=np.array(["a", "b", "c"]))
    found = read_score_histograms(path, counts="valid")
    assert found.counts.sum() == 4
    assert found.values.tolist() == [1.0, 1.005, 5.0]
    assert found.language is not None
    assert found.language.labels() == ["a", "b", "c"]


def test_without_languages(tmp_path: Path) -> None:
    assert read_score_histograms(save(tmp_path, source=None)).language is None


def test_pairs_are_within_campaigns(tmp_path: Path) -> None:
    first, second = read_score_histograms(save(tmp_path)).pairs()
    assert (first.tolist(), second.tolist()) == ([0], [2])
    several = save(tmp_path, campaign=np.zeros(3, int))
    first, second = read_score_histograms(several).pairs()
    assert list(zip(first.tolist(), second.tolist(), strict=True)) == [(0, 1), (0, 2), (1, 2)]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"all": None}, "there is no array 'all'. Found: campaign, language, source, system, "),
        ({"system": None}, "there is no array 'system'"),
        ({"all": np.ones((3, 2)) / 2}, "array 'all': expected counts, whole numbers from 0 on"),
        ({"all": np.array([1, 2, 3])}, r"found shape \(3,\) of int64"),
        ({"all": np.array([[1, -1]] * 3)}, "whole numbers from 0 on"),
        (
            {"all": np.array([[1, 1], [0, 0], [1, 1]])},
            r"row 1 \(from 0\) has no judgment. Drop",
        ),
        ({"campaign": np.zeros(2)}, "array 'campaign': expected 3 entries"),
        ({"values": [1, 2]}, "array 'values': expected 3 rising scores"),
        ({"values": [1, 1, 2]}, "array 'values': expected 3 rising scores"),
        ({"values": [1, 2, np.inf]}, "array 'values': expected 3 rising scores"),
        ({"values": ["a", "b", "c"]}, "array 'values': expected 3 rising scores"),
        ({"all": [[1, np.inf]] * 3}, "array 'all': expected counts"),
        ({"all": [[1, 1e300]] * 3}, "array 'all': expected counts"),
        ({"all": [[1, 1j]] * 3}, "array 'all': expected counts"),
    ],
)
def test_what_is_wrong_is_said(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError, match=message):
        read_score_histograms(save(tmp_path, **changes))


def test_campaigns_of_one_system_have_no_pair(tmp_path: Path) -> None:
    found = read_score_histograms(save(tmp_path, campaign=np.arange(3)))
    with pytest.raises(DataError, match="no campaign has two systems to compare"):
        found.pairs()


def test_other_files_are_no_archive(tmp_path: Path) -> None:
    other = tmp_path / "a.csv"
    other.write_text("system,score\n")
    assert not is_numpy_archive(FileContent(other))
    zipped = tmp_path / "a.xlsx"
    with zipfile.ZipFile(zipped, "w") as archive:
        archive.writestr("a.npy", b"1")
        archive.writestr("b.xml", b"1")
    assert not is_numpy_archive(FileContent(zipped))
    cut = tmp_path / "cut.npz"
    cut.write_bytes(save(tmp_path).read_bytes()[:100])
    assert not is_numpy_archive(FileContent(cut))
    assert is_numpy_archive(FileContent(save(tmp_path)))
    with pytest.raises(DataError, match="not a NumPy archive"):
        read_score_histograms(other)


def test_objects_are_not_unpickled(tmp_path: Path) -> None:
    path = save(tmp_path, system=np.array([{}, {}, {}], dtype=object))
    with pytest.raises(DataError, match="the arrays cannot be read"):
        read_score_histograms(path)


def _member(path: Path, name: str, change: Callable[[bytes], bytes]) -> None:
    with zipfile.ZipFile(path) as archive:
        members = {member: archive.read(member) for member in archive.namelist()}
    members[name] = change(members[name])
    with zipfile.ZipFile(path, "w") as archive:
        for member, content in members.items():
            archive.writestr(member, content)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda data: data.replace(b"(3, 3)", b"(3, 3 "), "the arrays cannot be read"),
        (lambda data: data.replace(b"(3, 3)", b"((3, 3"), "the arrays cannot be read"),
        (lambda data: data.replace(b"(3, 3)", b"(3,99)"), "the arrays cannot be read"),
        (lambda data: data[:40], "the arrays cannot be read"),
        (lambda data: data[6:] * 0 + b"text", "'all' is no array"),
    ],
)
@pytest.mark.filterwarnings("error")
def test_a_damaged_array_is_one_sentence(
    tmp_path: Path, change: Callable[[bytes], bytes], message: str
) -> None:
    path = save(tmp_path)
    _member(path, "all.npy", change)
    with pytest.raises(DataError, match=message):
        read_score_histograms(path)


def test_an_archive_of_very_much(tmp_path: Path) -> None:
    path = save(tmp_path)
    with (
        size_limit("1kB"),
        pytest.raises(DataError, match="more than 1 kB once it is unpacked"),
    ):
        read_score_histograms(path)


@pytest.mark.parametrize("code", [0xD800, 0xDFFF, 0x110000, 0x7FFFFFFF])
@pytest.mark.parametrize("order", ["<", ">"])
def test_names_of_no_characters(tmp_path: Path, code: int, order: str) -> None:
    path = save(tmp_path, source=np.array(["EN", "EN", "EN"], dtype=f"{order}U2"))
    assert read_score_histograms(path).language is not None
    end = code.to_bytes(4, "little" if order == "<" else "big")
    _member(path, "source.npy", lambda data: data[:-4] + end)
    with pytest.raises(DataError, match="'source': there are numbers of no character in it"):
        read_score_histograms(path)
