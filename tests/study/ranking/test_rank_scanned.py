"""A ranking of scanned judgments is the ranking of all of them, to the bit."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

from detectable.cli import main
from detectable.core.errors import DataError, DetectableError, InputError
from detectable.data.files import table_scan
from detectable.data.human import scanned_judgments
from detectable.data.human import scanned_judgments as held_judgments
from detectable.data.human.read_judgments import read_judgments
from detectable.data.human.scanned_judgments import scan_judgments
from detectable.study.ranking.rank_systems import rank_systems

pytestmark = pytest.mark.usefixtures("sound_parquet")


@pytest.fixture(autouse=True)
def _small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Scan small files, in many blocks."""
    for name, value in {
        "LARGE": 1,
        "LARGE_ROWS": 1,
        "_SMALL": 1,
        "_ROWS": 100,
        "_CHUNK": 1000,
    }.items():
        monkeypatch.setattr(table_scan, name, value)
    monkeypatch.setattr(held_judgments, "_ROWS", 50)
    monkeypatch.setattr(scanned_judgments, "_MATCHED", 60)
    monkeypatch.setattr("detectable.kernels.means._ROWS", 37)


def table(seed: int = 1, *, drop: float = 0.2, **more: Any) -> dict[str, Any]:
    """Return judgments of 4 systems on 60 items in 12 documents by raters, some cells missing."""
    rng = np.random.default_rng(seed)
    item, rater, system = (axis.ravel() for axis in np.indices((60, 4, 4)))
    kept = rng.permutation(np.flatnonzero(rng.random(item.size) >= drop))
    item, rater, system = item[kept], rater[kept], system[kept]
    noise = rng.normal(0, 12, item.size) + rng.normal(0, 5, 60)[item] + 4.0 * (rater % 3)
    found = {
        "system": [f"s{k}" for k in system],
        "item": [f"i{k % 5}" for k in item],
        "document": [f"d{k // 5}" for k in item],
        "domain": [("news", "chat")[k // 30] for k in item],
        "rater": [f"r{k}" for k in rater],
        "score": np.clip(50 + 3 * system + noise, 0, 100).round(2),
    }
    return {**found, **more}


def written(folder: Path, columns: dict[str, Any], ending: str) -> Path:
    path = folder / f"judgments.{ending}"
    frame = pl.DataFrame(columns)
    if ending == "parquet":
        frame.write_parquet(path, row_group_size=70)
    else:
        frame.write_csv(path, separator="\t" if ending == "tsv" else ",", quote_style="never")
    return path


def same(
    path: Path, *, reading: dict[str, Any], choice: dict[str, Any], **options: Any
) -> None:
    scanned = scan_judgments(path, **reading, **choice)
    whole = read_judgments(path, **reading)
    ours = rank_systems(scanned, rng=1, n_resamples=199, **options)
    theirs = rank_systems(whole, rng=1, n_resamples=199, **choice, **options)
    assert repr(ours) == repr(theirs)  # every digit, and NaN is NaN
    assert repr(ours.to_dict()) == repr(theirs.to_dict())
    assert scanned.notes == whole.notes


CASES: dict[str, dict[str, Any]] = {
    "default": {},
    "z": {"standardise": "z"},
    "items": {"unit": "item"},
    "domains": {"average": "domains"},
    "stouffer": {"test": "stouffer"},
    "rank-sum": {"test": "rank-sum"},
    "ordinary": {"over": "ordinary", "standardise": "z"},
    "wmt21": {"preset": "wmt21"},
    "margin": {"claim": "non-inferior", "margin": 2.0},
}


@pytest.mark.filterwarnings("ignore::detectable.core.errors.DetectableWarning")
@pytest.mark.parametrize(
    ("case", "ending"),
    [("default", "parquet"), ("default", "tsv"), *((case, "csv") for case in CASES)],
)
def test_a_scan_gives_the_same_ranking(tmp_path: Path, case: str, ending: str) -> None:
    same(written(tmp_path, table(), ending), reading={}, choice={}, **CASES[case])


@pytest.mark.parametrize("drop", [0.0, 0.6])
@pytest.mark.parametrize(
    "left_out", [(), ("rater",), ("document",), ("rater", "document", "domain")]
)
def test_whatever_columns_there_are(
    tmp_path: Path, left_out: tuple[str, ...], drop: float
) -> None:
    columns = {
        name: values for name, values in table(drop=drop).items() if name not in left_out
    }
    if "document" in left_out:
        columns["item"] = [
            f"{d}{i}"
            for d, i in zip(table(drop=drop)["document"], table(drop=drop)["item"], strict=True)
        ]
    reading = {"repeated": "mark"} if "rater" in left_out else {}
    same(written(tmp_path, columns, "csv"), reading=reading, choice={})


def test_one_of_several_campaigns_and_languages(tmp_path: Path) -> None:
    columns = table()
    n = len(columns["system"])
    rng = np.random.default_rng(3)
    columns["campaign"] = [("a", "b")[k] for k in (rng.random(n) < 0.8).astype(int)]
    columns["language"] = [("de", "fr")[k] for k in (rng.random(n) < 0.8).astype(int)]
    path = written(tmp_path, columns, "csv")
    same(path, reading={}, choice={"campaign": "b", "language": "fr"})
    for choice in ({}, {"campaign": "b"}, {"campaign": "c"}, {"language": "it"}):
        errors = []
        for work in (
            lambda choice=choice: scan_judgments(path, **choice),
            lambda choice=choice: rank_systems(read_judgments(path), rng=1, **choice),
        ):
            with pytest.raises(DetectableError) as error:
                work()
            errors.append((type(error.value), str(error.value)))
        assert errors[0] == errors[1]


def test_raters_without_a_spread_are_named(tmp_path: Path) -> None:
    columns = table()
    flat = np.array(columns["rater"]) == "r2"
    columns["score"] = np.where(flat, 70.0, columns["score"])
    same(written(tmp_path, columns, "csv"), reading={}, choice={}, standardise="z")


@pytest.mark.parametrize("repeated", ["refuse", "mark"])
def test_second_scores(tmp_path: Path, repeated: Any) -> None:
    columns = table()
    columns = {name: [*values, *values[40:45]] for name, values in columns.items()}
    path = written(tmp_path, columns, "parquet")
    if repeated == "mark":
        same(path, reading={"repeated": "mark"}, choice={})
        return
    said = []
    for read in (scan_judgments, read_judgments):
        with pytest.raises(
            DataError, match=r"a second score by rater .*\(5 rows in all\)"
        ) as error:
            read(path)
        said.append(str(error.value))
    assert said[0] == said[1]


def _spoilt(columns: dict[str, Any], name: str, row: int, value: Any) -> dict[str, Any]:
    cells = [str(cell) for cell in columns[name]]
    cells[row] = value
    return {**columns, name: cells}


@pytest.mark.parametrize(
    ("name", "value"),
    [("score", "high"), ("score", "101"), ("system", ""), ("rater", ""), ("kind", "odd")],
)
@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_what_is_wrong_is_said_with_its_line(
    tmp_path: Path, name: str, value: str, ending: str
) -> None:
    columns = table()
    columns["kind"] = ["system"] * len(columns["system"])
    path = written(tmp_path, _spoilt(columns, name, 333, value), ending)
    said = []
    for read in (scan_judgments, read_judgments):
        with pytest.raises(DataError) as error:
            read(path)
        said.append(str(error.value))
    assert said[0] == said[1]
    assert ("334" if ending == "parquet" else "335") in said[0]


def test_a_row_of_another_length_is_said_with_its_line(tmp_path: Path) -> None:
    path = written(tmp_path, table(), "csv")
    lines = path.read_text().splitlines(keepends=True)
    lines[400] = lines[400].replace(",", ",,", 1)
    path.write_text("".join(lines))
    for read in (scan_judgments, read_judgments):
        with pytest.raises(DataError, match="line 401: the header has 6 columns"):
            read(path)


def test_a_scale_that_changes_further_down_is_refused_as_when_all_is_read(
    tmp_path: Path,
) -> None:
    columns = table()
    n = len(columns["score"])
    columns |= {"scale_low": np.zeros(n), "scale_high": np.full(n, 100.0)}
    same(written(tmp_path, columns, "csv"), reading={}, choice={})
    columns["scale_high"][-5:] = 7.0
    path = written(tmp_path, columns, "csv")
    for read in (scan_judgments, read_judgments):
        with pytest.raises(DataError, match="all rows must have one number"):
            read(path)


def test_raters_on_another_scale_are_refused(tmp_path: Path) -> None:
    columns = table()
    other = np.array(columns["rater"]) == "r1"
    columns["score"] = np.where(other, np.array(columns["score"]) / 100, columns["score"])
    path = written(tmp_path, columns, "parquet")
    said = []
    for read in (scan_judgments, read_judgments):
        with pytest.raises(DataError, match="mixed scales") as error:
            read(path)
        said.append(str(error.value))
    assert said[0] == said[1]
    same(path, reading={"scale": (0.0, 100.0)}, choice={})


@pytest.mark.parametrize(
    "columns",
    [
        {"kind": ["system"] * 99 + ["degraded"]},
        {"source_lang": ["en"] * 100, "target_lang": ["cs"] * 100},
        {"position": [1] * 100, "block": [1] * 100, "of_position": [1] * 100},
        {"item": np.arange(100.0) / 2},
        {"domain": ["x", "y"] * 50, "item": ["i"] * 100},
    ],
    ids=["degraded", "languages", "sheet", "floats", "domains"],
)
def test_what_needs_the_whole_table_is_not_scanned(
    tmp_path: Path, columns: dict[str, Any]
) -> None:
    cut = {name: values[:100] for name, values in table().items() if name != "document"}
    cut["rater"] = [str(k) for k in range(100)]
    path = written(tmp_path, {**cut, **columns}, "parquet")
    with pytest.raises(DataError, match=r"cannot be scanned.*Read it with read_judgments"):
        scan_judgments(path)


@pytest.mark.parametrize("text", ['"s1",i1,r1,50\n', "\n\n", "s\xe9,i,r,5\n"])
def test_text_that_must_be_read_as_a_whole_is_not_scanned(tmp_path: Path, text: str) -> None:
    path = tmp_path / "judgments.csv"
    rows = "".join(f"s{k % 2},i{k // 2},r1,{k % 7}\n" for k in range(400))
    path.write_bytes(("system,item,rater,score\n" + rows + text).encode("latin-1"))
    with pytest.raises(DataError, match="cannot be scanned"):
        scan_judgments(path)


@pytest.mark.parametrize(
    "options",
    [{"level": "judgment"}, {"test": "mixed"}, {"standardise": "mixed"}, {"preset": "wmt25"}],
)
def test_what_needs_all_judgments_is_refused(tmp_path: Path, options: dict[str, Any]) -> None:
    scanned = scan_judgments(written(tmp_path, table(), "parquet"))
    with pytest.raises(InputError, match="need all judgments at once"):
        rank_systems(scanned, rng=1, **options)
    with pytest.raises(InputError, match="when scanning"):
        rank_systems(scanned, rng=1, language="de")


def test_small_and_packed_files_are_read_as_a_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path, table(), "parquet")
    assert table_scan.TableScan.of(path) is not None
    monkeypatch.setattr(table_scan, "LARGE_ROWS", 10_000)
    assert table_scan.TableScan.of(path) is None
    assert table_scan.TableScan.of(path, small=True) is not None
    text = written(tmp_path, table(), "csv")
    assert table_scan.TableScan.of(text) is not None
    monkeypatch.setattr(table_scan, "LARGE", 100_000)
    assert table_scan.TableScan.of(text) is None
    assert table_scan.TableScan.of(text, small=True) is not None
    assert table_scan.TableScan.of(tmp_path) is None
    assert table_scan.TableScan.of(tmp_path / "none.csv") is None


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    path = written(tmp_path, table(), "parquet")
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(DataError, match=r"judgments\.parquet: the Parquet file cannot be read"):
        table_scan.TableScan.of(path)


def test_one_rater_who_makes_a_verdict_is_found(tmp_path: Path) -> None:
    """The rater is left out block by block, as of the whole."""
    rng = np.random.default_rng(0)
    item, rater, system = (axis.ravel() for axis in np.indices((80, 4, 2)))
    score = 50 + rng.normal(0, 5, item.size) + 12.0 * system * (rater == 2)
    columns = {
        "system": [f"s{k}" for k in system],
        "item": [f"i{k}" for k in item],
        "rater": [f"r{k}" for k in rater],
        "score": np.clip(score, 0, 100),
    }
    path = written(tmp_path, columns, "parquet")
    found = rank_systems(scan_judgments(path), rng=1).influential
    assert [row.name for row in found if row.kind == "rater"] == ["r2"] * len(found)
    assert found
    same(path, reading={}, choice={})


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_the_command_scans_a_large_table_and_notes_what_it_read(
    tmp_path: Path, ending: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path, table(), ending)
    asked = ["rank", str(path), "--seed", "1", "--resamples", "199", "--json"]
    saved = ["--out", str(tmp_path / "scanned.json")]
    scanned = CliRunner().invoke(main, [*asked, *saved])
    monkeypatch.setattr(table_scan, "LARGE", 10**9)
    monkeypatch.setattr(table_scan, "LARGE_ROWS", 10**9)
    whole = CliRunner().invoke(main, [*asked, "--out", str(tmp_path / "whole.json")])
    assert scanned.exit_code == whole.exit_code == 0, scanned.output
    assert scanned.stdout == whole.stdout
    files = [(tmp_path / f"{name}.json").read_text() for name in ("scanned", "whole")]
    digests = [re.findall(r'"sha256": *"[0-9a-f]{64}"', text) for text in files]
    assert digests[0]
    assert digests[0] == digests[1]
