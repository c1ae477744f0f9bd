"""Tasks as a spreadsheet to fill in, which reads back as judgments."""

import csv
import io
from pathlib import Path

from detectable.data.human.read_judgments import read_judgments
from detectable.report.shown.tasks import tasks_csv
from tests.report import results


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
