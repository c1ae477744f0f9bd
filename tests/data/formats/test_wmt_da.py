"""Direct Assessment of WMT: layouts, times of HITs, blocks, and what is refused."""

from pathlib import Path

import polars as pl
import pytest

from detectable.core.errors import DataError
from detectable.data.files.content import FileContent
from detectable.data.formats.wmt_da import raw_scores, recognise
from detectable.data.human.read_judgments import read_judgments
from tests.data.sample_files import fails, write

pytestmark = pytest.mark.usefixtures("sound_parquet")

HEADER = "HITId WorkerId src trg sys_id rid type sid score time"


def _text(folder: Path, *rows: str, mark: str = "\t") -> Path:
    lines = [HEADER, *rows]
    text = "".join(line.replace(" ", mark) + "\n" for line in lines)
    return write(folder, "ad-good-raw.csv", text)


@pytest.mark.parametrize("mark", ["\t", ","])
def test_the_time_of_a_hit_is_divided_and_blocks_are_documents(
    tmp_path: Path, mark: str
) -> None:
    rows = [
        "H1 w cs en A.1 b1 SYSTEM 1 55 30",
        "H1 w cs en B.2 b1 SYSTEM 1 71 30",
        "H1 w cs en A.1 b2 SYSTEM 2 60 30",
        "H2 w cs en B.2 b2 SYSTEM 2 61 8",
    ]
    found = read_judgments(_text(tmp_path, *rows, mark=mark))
    assert found.seconds is not None
    assert found.seconds.tolist() == [10.0, 10.0, 10.0, 8.0]
    assert any("Column 'time' holds the time of a whole HIT" in note for note in found.notes)
    assert found.column("document").labels() == ["b1", "b1", "b2", "b2"]
    assert found.column("language").levels == ("cs-en",)
    assert found.lines is not None
    assert list(found.lines) == [2, 3, 4, 5]


def test_times_of_judgments_and_items_in_two_blocks(tmp_path: Path) -> None:
    rows = [
        "H1 w cs en A.1 b1 SYSTEM 1 55 30",
        "H1 w cs en B.2 b2 SYSTEM 1 71 20",
    ]
    found = read_judgments(_text(tmp_path, *rows))
    assert found.seconds is not None
    assert found.seconds.tolist() == [30.0, 20.0]  # they differ: not of the HIT
    assert found.document is None


def test_what_is_refused(tmp_path: Path) -> None:
    with fails("there is a header and no row"):
        read_judgments(_text(tmp_path))
    with fails("line 3, column 'seconds': the time must be a number", "'x'"):
        row = "H1 w cs en A.1 b1 SYSTEM 1 55 30"
        read_judgments(_text(tmp_path, row, row.replace("30", "x").replace("A.1", "B.2")))
    bare = write(tmp_path, "bare.csv", "HITId,WorkerId,sys_id,sid\nH,w,A,1\n")
    assert recognise(FileContent(bare))
    with fails("the score of a WMT Direct Assessment"):
        read_judgments(bare)


PAIRS = {
    "hit": ["H1", "H1"],
    "worker": ["w", "w"],
    "system_id": ["A.1", "B.2"],
    "sid": [1, 1],
    "system_score": [70, 60],
    "bad_ref_score": [20, 30],
}


@pytest.mark.parametrize(
    ("more", "language"),
    [
        ({"src": ["cs", "cs"], "trg": ["de", "de"]}, "cs-de"),
        ({"src": ["cs", "cs"]}, "cs-en"),
        ({}, "ru-en"),
    ],
)
def test_pairs_become_two_rows(
    tmp_path: Path, more: dict[str, list[str]], language: str
) -> None:
    path = tmp_path / "wmt21_ruen_da.parquet"
    pl.DataFrame({**PAIRS, **more}).write_parquet(path)
    assert recognise(FileContent(path))
    found = read_judgments(path)
    assert found.score.tolist() == [70.0, 20.0, 60.0, 30.0]
    assert found.is_kind("degraded").tolist() == [False, True] * 2
    assert found.system.labels() == ["A.1", "A.1", "B.2", "B.2"]
    assert found.column("language").levels == (language,)
    assert "2 pairs of an item and its degraded copy became two rows each." in found.notes


def test_rows_of_parquet(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    rows = {name: values for name, values in PAIRS.items() if not name.endswith("_score")}
    pl.DataFrame({**rows, "type": ["SYSTEM"] * 2, "raw": [70, 60]}).write_parquet(path)
    found = read_judgments(path)
    assert found.score.tolist() == [70.0, 60.0]
    assert not any("degraded copy" in note for note in found.notes)


def test_one_tab_between_columns_leaves_cells_empty(tmp_path: Path) -> None:
    row = "H1\tw\tcs\ten\tmy system.1\t\tSYSTEM\t1\t55\t30"
    header = HEADER.replace(" ", "\t")
    found = read_judgments(write(tmp_path, "ad-good-raw.csv", f"{header}\n{row}\n"))
    assert found.system.levels == ("my system.1",)
    assert found.document is None


@pytest.mark.parametrize(
    "names", [("system_score", "bad_ref_score"), ("system_id", "worker", "sid", "type")]
)
def test_few_columns_tell_parquet(tmp_path: Path, names: tuple[str, ...]) -> None:
    path = tmp_path / "x.parquet"
    pl.DataFrame({name: ["1"] for name in names}).write_parquet(path)
    assert recognise(FileContent(path))
    pl.DataFrame({name: ["1"] for name in names[1:]}).write_parquet(path)
    assert not recognise(FileContent(path))


# --- z-scores back to points ---

SPREADS = '[1] "w"\n[1] 60\n[1] 10\n[1] "v"\n[1] 50.5\n[1] 20\n[1] "alone"\n[1] 3\n[1] NA\n'


def _standardised(folder: Path, *rows: str) -> Path:
    lines = [HEADER, *rows]
    return write(folder, "ad-csen-good-stnd.csv", "".join(f"{line}\n" for line in lines))


def test_z_scores_become_points_by_the_file_beside_them(tmp_path: Path) -> None:
    rows = ["H1 w cs en A.1 b SYSTEM 1 -0.5 30", "H2 v cs en A.1 b SYSTEM 2 1.225 30"]
    path = _standardised(tmp_path, *rows)
    write(tmp_path, "ad-csen-trk-mean-sd.txt", SPREADS)
    found = raw_scores(read_judgments(path))
    assert found.score.tolist() == [55.0, 75.0]  # 60 − 5 and 50.5 + 24.5
    assert found.scale == (0.0, 100.0)
    assert found.notes[-1] == "z-scores turned back to points by ad-csen-trk-mean-sd.txt."
    assert not any("holds z-scores" in note for note in found.notes)
    assert raw_scores(found) is found


def test_points_that_cannot_be_had_back_are_refused(tmp_path: Path) -> None:
    path = _standardised(tmp_path, "H1 alone cs en A.1 b SYSTEM 1 -0.5 30")
    with pytest.raises(DataError, match=r"ad-csen-trk-mean-sd.txt: there is no such file"):
        raw_scores(read_judgments(path))
    beside = write(tmp_path, "ad-csen-trk-mean-sd.txt", SPREADS)
    with pytest.raises(DataError, match="there is no mean of rater 'alone'"):
        raw_scores(read_judgments(path))
    beside.write_text("nothing")
    with pytest.raises(DataError, match="expected a rater, a mean and a standard deviation"):
        raw_scores(read_judgments(path))
    other = write(tmp_path, "z.csv", f"{HEADER}\nH1 w cs en A.1 b SYSTEM 1 -0.5 30\n")
    with pytest.raises(DataError, match=r"z-scores of WMT, ad-…-good-stnd.csv, alone"):
        raw_scores(read_judgments(other))
