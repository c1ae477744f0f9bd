"""What a tasks shows, against one made by hand."""

import csv
import io
from pathlib import Path

import pytest

from detectable.core.errors import DataError
from detectable.data.human.read_judgments import read_judgments
from detectable.data.texts.corpus import Corpus
from detectable.report.blocks_of import blocks_of
from detectable.report.shown.tasks import blind_sheets, tasks_csv
from detectable.study.monitoring.look import look
from detectable.study.monitoring.plan import plan
from detectable.study.tasks.make_tasks import make_tasks
from detectable.study.tasks.result import SHARES, Arrival, Tasks
from tests.report import results
from tests.report.charts.drawn import check


@pytest.mark.parametrize("n", [(0, 0, 0, 9), (3, 6, 9, 12), (9000, 9500, 9900, 10_000)])
def test_the_picture_is_readable(n: tuple[int, ...]) -> None:
    pairs = tuple(Arrival(share, k) for share, k in zip(SHARES, n, strict=True))
    check(blocks_of(results.tasks(arrival=pairs)))


# --- Blind sheets name nothing, and come back as judgments, half-filled too ---

LINES = [f"this is line {i} of a text that goes on for a while" for i in range(70)]


def tasks(**more: object) -> Tasks:
    systems = {"SENTINEL-NEW": [f"{one} new" for one in LINES], "SENTINEL-OLD": LINES}
    corpus = Corpus.build(systems, LINES, sources=[f"zeile {i}" for i in range(70)])
    return make_tasks(corpus, raters=2, rng=1, **more)  # type: ignore[arg-type]


def write(folder: Path, made: Tasks) -> dict[str, list[dict[str, str]]]:
    found = {}
    for name, text in blind_sheets(made).items():
        (folder / name).write_text(text)
        found[name] = list(csv.DictReader(text.splitlines()))
    return found


def fill(folder: Path, share: float = 1.0) -> None:
    """Score by what the key says: new is better, copies are bad."""
    key = {
        row["id"]: row for row in csv.DictReader((folder / "key.csv").read_text().splitlines())
    }
    for sheet in folder.glob("sheet-*.csv"):
        rows = list(csv.DictReader(sheet.read_text().splitlines()))
        for row in rows[: round(share * len(rows))]:
            known = key[row["id"]]
            score = (
                10 if known["kind"] == "degraded" else 50 + 20 * (known["system"][-3:] == "NEW")
            )
            row["score"] = str(
                score + int(known["item"]) % (5 if known["system"][-3:] == "NEW" else 7)
            )
        with sheet.open("w", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)


def test_a_sheet_says_nothing_that_a_rater_may_not_know(tmp_path: Path) -> None:
    made = tasks()
    files = blind_sheets(made)
    assert sorted(files) == ["key.csv", "sheet-rater-1.csv", "sheet-rater-2.csv"]
    for name, text in files.items():
        if name != "key.csv":
            for word in ("SENTINEL", "degraded", "repeat,", "reference"):
                assert word not in text
            assert text.startswith("id,task,block,source,text,score,seconds")
    ids = [row["id"] for rows in write(tmp_path, made).values() for row in rows]
    assert len(ids) == 2 * len(set(ids)) == 2 * len(made.rows)
    assert blind_sheets(made) == files


def test_without_sources_the_reference_stands_beside(tmp_path: Path) -> None:
    corpus = Corpus.build({"a": LINES, "b": LINES}, LINES)
    files = blind_sheets(make_tasks(corpus, raters=2, rng=1))
    assert files["sheet-rater-1.csv"].startswith("id,task,block,reference,text")


def test_filled_sheets_are_judgments(tmp_path: Path) -> None:
    made = tasks()
    write(tmp_path, made)
    fill(tmp_path)
    found = read_judgments(tmp_path)
    assert found.n_judgments == len(made.rows)
    assert found.is_kind("degraded").sum() == made.counts["degraded"]
    assert set(found.column("rater").levels) == {"rater-1", "rater-2"}
    assert found.notes == ()
    assert found.document is None
    assert found.seconds is None


def test_a_look_reads_half_filled_sheets(tmp_path: Path) -> None:
    made = tasks()
    write(tmp_path, made)
    fill(tmp_path, 0.5)
    found = read_judgments(tmp_path)
    assert found.n_judgments == pytest.approx(len(made.rows) / 2, abs=1)
    assert found.notes[0].endswith("texts of the sheets not judged yet, left out.")
    frozen = tmp_path / "ship.json"
    plan(frozen, systems=("SENTINEL-NEW", "SENTINEL-OLD"), n_max=70)
    looked = look(frozen, found)
    assert looked.pairs[0].decision == "stop: better"


def test_documents_and_seconds_come_back(tmp_path: Path) -> None:
    corpus = Corpus.build(
        {"a": LINES, "b": LINES}, LINES, documents=[f"d{i // 7}" for i in range(70)]
    )
    write(tmp_path, make_tasks(corpus, kind="document", raters=2, rng=1))
    sheet = tmp_path / "sheet-rater-1.csv"
    rows = list(csv.reader(sheet.read_text().splitlines()))
    rows[1][-2:] = ["60", "4.5"]
    with sheet.open("w", newline="") as file:
        csv.writer(file).writerows(rows)
    found = read_judgments(tmp_path)
    assert found.n_judgments == 1
    assert found.document is not None
    assert found.seconds is not None
    assert found.seconds.tolist() == [4.5]


def test_what_cannot_be_read_is_named(tmp_path: Path) -> None:
    write(tmp_path, tasks())
    with pytest.raises(DataError, match=r"key\.csv is no folder"):
        read_judgments(tmp_path / "key.csv", format="blind-sheets")
    with pytest.raises(DataError, match="nothing is judged yet"):
        read_judgments(tmp_path)
    sheet = tmp_path / "sheet-rater-1.csv"
    first = sheet.read_text()
    head, one, *rest = first.splitlines()
    for score, said in (("101", "a number from 0 to 100; got '101'"), ("good", "got 'good'")):
        cells = one.rsplit(",", 2)
        sheet.write_text("\n".join([head, f"{cells[0]},{score},", *rest]))
        with pytest.raises(DataError, match=rf"sheet-rater-1\.csv, line 2.*{said}"):
            read_judgments(tmp_path)
    sheet.write_text("\n".join([head, "unknown" + one[13:], *rest]))
    with pytest.raises(DataError, match=r"line 2.*does not know the text 'unknown"):
        read_judgments(tmp_path)
    sheet.write_text("\n".join([head, one, one, *rest]))
    with pytest.raises(DataError, match=r"line 3.*stands at .*line 2.* as well"):
        read_judgments(tmp_path)
    sheet.write_text(first.replace("score", "points", 1))
    with pytest.raises(DataError, match="'score'"):
        read_judgments(tmp_path)
    sheet.write_text(first)
    key = tmp_path / "key.csv"
    key.write_text(key.read_text().replace("system", "who", 1))
    with pytest.raises(DataError, match="'system'"):
        read_judgments(tmp_path)


# --- Tasks as a spreadsheet to fill in, which reads back as judgments ---


def test_one_row_per_text_with_room_for_score_and_time() -> None:
    lines = tasks_csv(results.tasks()).split("\r\n")
    assert lines[0] == (
        "task,rater,position,block,kind,system,item,reference,text,of_position,score,seconds"
    )
    assert lines[1] == 'task-1,rater-1,1,1,system,new,17,Good day.,"Good, day!",,,'
    assert lines[2] == "task-1,rater-1,2,1,degraded,new,17,Good day.,Good…,1,,"
    assert len(lines) == 1 + 6 + 1


def test_documents_domains_and_sources_have_columns_where_they_are_known() -> None:
    for name in ("document", "domain", "source"):
        rows = (results.task_row(), results.task_row(**{name: "known"}))
        found = list(csv.DictReader(io.StringIO(tasks_csv(results.tasks(rows=rows)))))
        assert [row[name] for row in found] == ["", "known"]
        others = {"document", "domain", "source"} - {name}
        assert not others & set(found[0])


def test_filled_in_it_reads_back_as_judgments(tmp_path: Path) -> None:
    rows = list(csv.reader(io.StringIO(tasks_csv(results.tasks()))))
    for i, row in enumerate(rows[1:]):
        row[-2:] = [str(50 + i), "12"]
    path = tmp_path / "filled.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)
    judgments = read_judgments(path)
    assert judgments.n_judgments == 6
    assert judgments.score.tolist() == [50.0, 51.0, 52.0, 53.0, 54.0, 55.0]
    assert [int(judgments.is_kind(kind).sum()) for kind in ("system", "degraded")] == [3, 1]
