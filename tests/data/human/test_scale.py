"""The scale of judgments: inferred and said; slips of the keyboard are named, good data left alone."""

import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from detectable.core.errors import DataError, DetectableError
from detectable.data.files.content import FileContent
from detectable.data.files.size_limit import size_limit
from detectable.data.human.judgments import Judgments
from detectable.data.human.read_judgments import read_judgments
from detectable.data.human.scanned_judgments import scan_judgments
from detectable.data.human.score_histograms import is_numpy_archive, read_score_histograms
from detectable.study.doctor.doctor import doctor
from detectable.study.ranking.rank_systems import rank_systems
from tests.helpers import reference_data


def stars(n: int = 30, *, low: int = 1, high: int = 5, seed: int = 0) -> dict[str, list[Any]]:
    """Return answers of three raters about two systems; B is better by half a point or so."""
    rng = np.random.default_rng(seed)
    rows = [(s, i, r) for i in range(n) for s in "AB" for r in ("ann", "ben", "eve")]
    score = [
        int(np.clip(rng.integers(low, high + 1) + (s == "B"), low, high)) for s, *_ in rows
    ]
    systems, items, raters = zip(*rows, strict=True)
    return {
        "system": list(systems),
        "item": list(items),
        "rater": list(raters),
        "score": [float(x) for x in score],
    }


def csv(folder: Path, table: dict[str, list[Any]]) -> Path:
    path = folder / "stars.csv"
    rows = zip(*table.values(), strict=True)
    path.write_text(
        "\n".join([",".join(table), *(",".join(map(str, row)) for row in rows)]) + "\n"
    )
    return path


@pytest.mark.parametrize(
    ("low", "high", "scale"), [(1, 5, (1, 5)), (0, 6, (0, 6)), (1, 7, (1, 7)), (0, 1, (0, 1))]
)
def test_a_short_scale_is_inferred_and_said(
    low: int, high: int, scale: tuple[float, float]
) -> None:
    built = Judgments.build(stars(low=low, high=high))
    assert built.scale == scale
    said = f"The scale is taken as {low} to {high}, judging by the scores"
    assert [note.startswith(said) for note in built.notes] == [True]
    given = Judgments.build(stars(low=low, high=high), scale=(low, high + 1))
    assert (given.scale, given.notes) == ((low, high + 1), ())


def test_the_usual_scale_is_not_said() -> None:
    table = stars()
    table["score"] = [20 * x for x in table["score"]]
    built = Judgments.build(table)
    assert (built.scale, built.notes) == ((0.0, 100.0), ())


def typed(table: dict[str, list[Any]], row: int) -> dict[str, list[Any]]:
    return {**table, "score": [55.0 if i == row else x for i, x in enumerate(table["score"])]}


def test_a_typed_55_reverses_a_ranking_and_is_refused_with_line_and_rater(
    tmp_path: Path,
) -> None:
    table = stars(10)
    row = table["system"].index("A")
    wrong = typed(table, row)
    with pytest.raises(
        DataError,
        match=rf"stars.csv, line {row + 2}, column 'score': the score 55 by rater 'ann' is off the "
        r"scale: the other 59 scores are whole numbers from 1 to 5\. Correct it, or give the "
        r"scale",
    ):
        read_judgments(csv(tmp_path, wrong))
    right = rank_systems(Judgments.build(table), rng=1)
    believed = Judgments.build(
        wrong, scale=(0, 100)
    )  # who gives the scale is believed, and told
    assert believed.notes[0].startswith("row 0 (from 0), column 'score': the score 55 by rater")
    reversed_ = rank_systems(believed, rng=1)
    assert [r.systems[0].system for r in (right, reversed_)] == ["B", "A"]


def test_large_tables_and_models_are_checked_alike(tmp_path: Path) -> None:
    path = csv(tmp_path, typed(stars(), 7))
    for read in (scan_judgments, read_judgments):
        with pytest.raises(
            DataError, match=r"line 9, column 'score': the score 55 by rater 'ben'"
        ):
            read(path)
    with pytest.raises(DataError, match="off the scale"):
        read_judgments(path, scale=(-np.inf, np.inf))  # as models read them
    good = csv(tmp_path, stars())
    assert scan_judgments(good).scale == read_judgments(good).scale == (1.0, 5.0)
    assert scan_judgments(good).notes == read_judgments(good).notes


def test_the_doctor_says_the_scale_and_the_slip(tmp_path: Path) -> None:
    found = doctor([csv(tmp_path, stars())])
    assert ("scale", "1 to 5") in [(fact.what, fact.value) for fact in found.facts]
    said = str(doctor([csv(tmp_path, typed(stars(), 7))]).to_dict())
    assert all(words in said for words in ("line 9", "rater", "off the scale"))


@pytest.mark.parametrize(
    "score",
    [
        [*range(0, 100, 4), 3.0],  # 0 to 100
        [1, 2, 3, 4, 5] * 3 + [55],  # too few to show a scale
        [0] * 30 + [1, 5, 1, 5, 2, 25],  # penalties
        [0.1, -1.3, 2.2, 0.7] * 10 + [11.0],  # z
        [3.5, 2.25, 4.75] * 10 + [55.0],  # means
        [1, 2, 3, 4, 5] * 6 + [6, 7],  # a longer scale
        [1, 2, 3, 4, 5] * 6 + [55] * 5,  # too many
        [4.0] * 30 + [55.0],  # all the same
    ],
)
def test_these_are_no_slips(score: list[float]) -> None:
    table = {"system": ["A"] * len(score), "item": list(range(len(score))), "score": score}
    assert Judgments.build(table, scale=(-np.inf, np.inf)).n_judgments == len(score)


@pytest.mark.slow
def test_no_score_of_the_reference_data_is_off_its_scale() -> None:
    read, parts, off = 0, 0, [False]
    for path in sorted(reference_data("data").rglob("*")):
        if not path.is_file() or path.suffix in (".md", ".npz", ".eval"):
            continue
        for scale in (None, (-np.inf, np.inf)):
            try:
                judgments = read_judgments(path, repeated="mark", scale=scale)
            except (DetectableError, UnicodeDecodeError) as error:
                off += ["off the scale" in str(error)]
                continue
            read += scale is None
            if not path.name.endswith("da.parquet") or scale is not None:
                continue
            for column in (judgments.column("rater"), judgments.system):
                for code in range(column.n_levels):
                    part = judgments.take(column.codes == code)
                    if part.n_judgments >= 20:
                        names = {"item": part.item.labels(), "score": part.score}
                        table = {"system": ["A"] * part.n_judgments, **names}
                        Judgments.build(table)
                        parts += 1
    assert not any(off)
    assert read >= 38
    assert parts == 1068


@pytest.mark.slow
@pytest.mark.parametrize(
    ("low", "high", "least"),
    [(1, 3, 0.98), (1, 5, 0.99), (1, 7, 0.99), (0, 6, 0.95), (0, 1, 0.9)],
)
def test_an_answer_typed_twice_is_found(low: int, high: int, least: float) -> None:
    rng = np.random.default_rng(1)
    for n in (20, 50, 200, 2000):
        found = []
        for _ in range(300):
            shares = rng.dirichlet(np.full(high - low + 1, 1.5))
            score = rng.choice(np.arange(low, high + 1.0), p=shares, size=n)
            row = int(rng.integers(n))
            score[row] = 11 * (score[row] or high)
            table = {"system": ["A"] * n, "item": np.arange(n), "score": score}
            try:
                Judgments.build(table)
            except DataError as error:
                found.append(f"row {row:,} (from 0)" in str(error))
            else:
                found.append(False)
        assert np.mean(found) >= least


# --- Score histograms: what a NumPy archive must hold, and the pairs it makes ---

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
