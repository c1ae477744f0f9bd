"""Corners of the formats of judgments: what is odd is read, or refused with its place."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from detectable.core.errors import InputError
from detectable.data.factor import factor
from detectable.data.formats import shipdata
from detectable.data.formats.mqm import error_weight
from detectable.data.formats.wmt_da import names_from_file
from detectable.data.human.judgments import Judgments
from detectable.data.human.read_judgments import read_judgments
from tests.data.human.xlsx import write_xlsx
from tests.data.sample_files import SAMPLES, fails, write

FOLDER = SAMPLES / "judgments"


def lines(tmp_path: Path, *entries: Any, format: str = "auto", **options: Any) -> Judgments:
    path = write(tmp_path, "j.jsonl", "\n".join(map(json.dumps, entries)))
    return read_judgments(path, format=format, **options)


@pytest.mark.parametrize(
    ("category", "severity", "weight"),
    [
        ("Accuracy/Omission", "Major", 5.0),
        ("Accuracy/Omission", "critical", 5.0),
        ("Style", "minor", 1.0),
        ("Fluency/Punctuation", "Minor", 0.1),
        ("Fluency/Punctuation", "Major", 5.0),
        ("Non-translation!", "Major", 25.0),
        ("No-error", "no-error", 0.0),
        ("Source issue", "Major", 5.0),
        ("Source error", "Minor", 1.0),
        ("Source error", "Neutral", 0.0),
        ("Source error", "", 0.0),
        ("Style", "undecided", 0.0),
        ("Reinterpretation", "Minor", 0.0),
        ("Style", "Neutral", 0.0),
        (None, None, None),
    ],
)
def test_weights_of_errors(category: str | None, severity: str, weight: float | None) -> None:
    assert error_weight(category, severity) == weight


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("mqm_newstest2020_ende.tsv", {"language": "en-de", "campaign": "newstest2020"}),
        ("wmt22_jaen_da.parquet", {"language": "ja-en", "campaign": "wmt22"}),
        ("mqm_generalMT2022_zhen.tsv", {"language": "zh-en", "campaign": "generalmt2022"}),
        ("en-de.mqm.tsv", {"language": "en-de"}),
        ("wave_test_data.parquet", {}),
    ],
)
def test_names_in_file_names(name: str, found: dict[str, str]) -> None:
    assert names_from_file(name)[0] == found


def test_wmt_text_that_cannot_be_read(tmp_path: Path) -> None:
    text = (FOLDER / "ad-csen-good-stnd.csv").read_text()
    with fails("line 3: the header has 12 columns, this row has 11", "separated by tabs"):
        read_judgments(write(tmp_path, "j.csv", text.replace("\tBAD_REF", "BAD_REF")))
    with fails("there is a header and no row"):
        read_judgments(write(tmp_path, "j.csv", text.split("\n")[0]))
    with fails("no column for the score of a WMT Direct Assessment"):
        read_judgments(write(tmp_path, "j.csv", text.replace(" z ", " y ")))
    with fails("column 'seconds': the time must be a number of seconds, found 'long'"):
        read_judgments(write(tmp_path, "j.csv", text.replace("\t300", "\tlong")))
    with fails("line 1: the column name 'src' appears twice"):
        read_judgments(write(tmp_path, "j.csv", text.replace(" trg ", " src ")))


def test_wmt_parquet_with_languages_and_times_of_single_items(tmp_path: Path) -> None:
    frame = pl.DataFrame(
        {
            "hit": ["h", "h"],
            "worker": ["w", "w"],
            "system_id": ["A.1", "B.2"],
            "type": ["SYSTEM", "SYSTEM"],
            "sid": [4, 4],
            "raw": [70, 71],
            "src": ["cs", "cs"],
            "trg": ["de", "de"],
            "time": [3.0, 4.0],
        }
    )
    frame.write_parquet(tmp_path / "j.parquet")
    judgments = read_judgments(tmp_path / "j.parquet")
    assert judgments.column("language").levels == ("cs-de",)
    assert judgments.seconds is not None
    assert judgments.seconds.tolist() == [3, 4]
    assert judgments.notes == ()


def test_a_header_and_tabs_in_an_export_of_appraise(tmp_path: Path) -> None:
    header = "user,system,itemID,type,src,tgt,score,start,end\n"
    text = header + (FOLDER / "appraise_9.csv").read_text() + "\n"
    path = write(tmp_path, "j.csv", text)
    assert read_judgments(path, format="appraise").n_judgments == 4
    tabs = (FOLDER / "appraise_9.csv").read_text().replace(",", "\t")
    assert read_judgments(write(tmp_path, "j.tsv", tabs)).n_judgments == 4


def test_an_unclosed_quotation_mark_in_an_export_of_appraise(tmp_path: Path) -> None:
    text = (FOLDER / "appraise_mqm.csv").read_text()
    with fails("j.csv, line 3", "Is the file cut short?"):
        read_judgments(write(tmp_path, "j.csv", text[:-30]))


def test_a_file_of_which_nothing_remains(tmp_path: Path) -> None:
    row = "u,tutorial,1,TGT,eng,deu,70,1,2\n"
    with fails("there is no judgment in the file. 1 judgment left out: systems of a tutorial."):
        read_judgments(write(tmp_path, "j.csv", row))


def test_esa_that_cannot_be_read(tmp_path: Path) -> None:
    with fails("j.jsonl, line 1: expected a judgment with 'esa_score'"):
        lines(tmp_path, {"system": "A"}, format="esa")
    with fails("j.jsonl, line 1: the scores of system 'A' must be objects, found 3"):
        lines(tmp_path, {"doc_id": "d", "scores": {"A": 3}})
    with fails("the scores of system 'A' must be objects, found None"):
        lines(tmp_path, {"doc_id": "d", "scores": {"A": None}})
    with fails("no judgment says its item"):
        lines(tmp_path, {"system": "A", "esa_score": 3})
    named = {"doc_id": "en-cs_#_news_#_d_#_7", "scores": {"A": {"human1": 3}}}
    assert lines(tmp_path, named).to_columns()["item"] == ["7"]
    plain = {"doc_id": "d", "scores": {"A": {"human1": 3}}}
    assert lines(tmp_path, plain).to_columns()["document"] == ["d"]


def test_the_control_task_of_wmt25(tmp_path: Path) -> None:
    given = [
        {"human": 90, "annotator": "x1", "errors": [], "times": [1.0, 3.0]},
        {"human": 80, "annotator": "x2", "errors": [], "times": [3.0, 1.0]},
        {"human": 70, "annotator": "x3", "errors": [], "times": ["?", 1.0]},
    ]
    judgments = lines(tmp_path, {"doc_id": "en-cs_#_news_#_d_#_7", "scores": {"A": given}})
    assert judgments.to_columns()["rater"] == ["x1", "x2", "x3"]
    assert judgments.wave is None
    np.testing.assert_array_equal(judgments.to_columns()["seconds"], [2.0, np.nan, np.nan])


def test_esa_parquet(tmp_path: Path) -> None:
    frame = pl.DataFrame(
        {
            "lp": ["en-cs"] * 3,
            "user": ["u"] * 3,
            "system": ["A", "tutorial", "B"],
            "type": ["TGT"] * 3,
            "item": [1, 1, 1],
            "doc": ["d", "d", None],
            "score": [1, 2, 3],
            "t0": [5.0, 5.0, 5.0],
            "t1": [5.0, 6.0, 4.0],
        }
    )
    frame.drop("doc").write_parquet(tmp_path / "j.parquet")
    judgments = read_judgments(tmp_path / "j.parquet", format="esa")
    assert judgments.seconds is not None
    np.testing.assert_array_equal(judgments.seconds, [0.0, np.nan])  # no time is a time
    assert judgments.notes == (
        "1 judgment left out: systems of a tutorial.",
        "1 time left empty: the end lies before the start.",
    )
    frame.drop("item").write_parquet(tmp_path / "k.parquet")
    with fails("there is no column 'item'"):
        read_judgments(tmp_path / "k.parquet")


def _pearmut(annotation: Any, **more: Any) -> dict[str, Any]:
    return {"user_id": "u", "item_i": 0, "annotation": annotation, **more}


def test_odd_pearmut_logs(tmp_path: Path) -> None:
    old = _pearmut({"A": {"score": 85}, "B": {"score": 92}})
    assert lines(tmp_path, old).to_columns()["item"] == ["0", "0"]
    two = _pearmut([{"A": {"score": 85}}, {"A": {"score": 92}}, None])
    judgments = lines(tmp_path, two)
    assert judgments.to_columns()["item"] == ["0:0", "0:1"]
    assert judgments.notes == ("1 judgment left out: items that were skipped.",)
    with fails("line 1: expected 'user_id' and 'annotation'"):
        lines(tmp_path, {"user": 1}, format="pearmut")
    with fails("line 1: expected for each model an object with a score, found 7"):
        lines(tmp_path, _pearmut([{"A": 7}]))
    with fails("line 1: expected for each model an object with a score, found None"):
        lines(tmp_path, _pearmut([{"A": None}]))
    spans = [{"severity": "dire"}]
    with fails("line 1: unknown severity 'dire'"):
        lines(tmp_path, _pearmut([{"A": {"score": None, "error_spans": spans}}]))
    listed = write(tmp_path, "p.json", json.dumps([two]))
    assert read_judgments(listed).n_judgments == 2
    with fails("p.json, line 1: expected an object, found 3"):
        read_judgments(write(tmp_path, "p.json", json.dumps([two, 3])), format="pearmut")


def test_odd_exports_of_label_studio(tmp_path: Path) -> None:
    one = json.loads((FOLDER / "label_studio.json").read_text())[0]
    assert read_judgments(write(tmp_path, "l.json", json.dumps(one, indent=1))).n_judgments == 1
    unnamed = {**one, "data": {"system": "A"}}
    judgments = read_judgments(write(tmp_path, "l.json", json.dumps([unnamed])))
    assert judgments.item.levels == ("11",)
    with pytest.raises(InputError, match="in Label Studio; got 'rater'"):
        read_judgments(tmp_path / "l.json", columns={"rater": "x"})
    with fails("l.json, line 1: expected a task with 'data'", "not as JSON-MIN"):
        read_judgments(write(tmp_path, "l.json", "[{}]"), format="label-studio")
    with fails("an annotation of this task must be an object with 'result'"):
        read_judgments(write(tmp_path, "l.json", json.dumps([{**one, "annotations": [1]}])))
    with fails("no annotation holds a rating or a number"):
        read_judgments(write(tmp_path, "l.json", json.dumps([{**one, "annotations": []}])))
    with fails("the file is empty"):
        read_judgments(write(tmp_path, "l.json", " "), format="label-studio")


def test_shipdata_that_is_none(tmp_path: Path) -> None:
    with fails("ShipData is a folder of xlsx files, or a Parquet file"):
        read_judgments(write(tmp_path, "j.csv", "a,b\n"), format="shipdata")
    pl.DataFrame({"campaign": [1]}).write_parquet(tmp_path / "j.parquet")
    with fails("there is no column 'score', which ShipData has"):
        read_judgments(tmp_path / "j.parquet", format="shipdata")


def test_scores_of_xlsx_files_name_the_file_and_the_row(tmp_path: Path) -> None:
    pytest.importorskip("fastexcel")
    with fails("there is no xlsx file in this folder"):
        read_judgments(tmp_path, format="shipdata")
    header = ("Source", "Target", "User", "Segment", "Score", "valid_line")
    rows = [("ENU", "DEU", "u", f"h{i}", score, True) for i, score in enumerate([50, 101])]
    write_xlsx(tmp_path / "c" / "s.xlsx", {shipdata.SHEET: [header, *rows]})
    with fails(
        "s.xlsx, sheet 'hum_annotations', row 3, column 'Score': expected a number between 0 "
        "and 100, found '101' (1 row in all)."
    ):
        read_judgments(tmp_path)
    wide = read_judgments(tmp_path / "c" / "s.xlsx", scale=(0, 200))
    assert wide.score.tolist() == [50, 101]
    assert wide.place(1).endswith("s.xlsx, line 3")


def test_mqm_without_its_columns(tmp_path: Path) -> None:
    text = "system\trater\tcategory\tseverity\nA\tr\tStyle\tMinor\n"
    with fails("no column for the item of MQM", "Found: system, rater, category, severity"):
        read_judgments(write(tmp_path, "j.tsv", text))


def test_names_of_every_type() -> None:
    assert factor("x", np.array(["a", None, 3], dtype=object)).levels == ("a", "", "3")
    assert factor("x", ["a\ud800"]).levels == ("a?",)
    judgments = read_judgments(
        pl.DataFrame({"system": [[1], [2]], "item": [1.5, 2.0], "score": [1, 2]})
    )
    assert judgments.item.levels == ("1.5", "2.0")
    assert judgments.system.levels == ("[1]", "[2]")
    booleans = read_judgments({"system": ["A"], "item": [1], "score": pl.Series([True])})
    assert booleans.score.tolist() == [1]
