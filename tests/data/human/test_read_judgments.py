"""Judgments from tables with named columns, and what is refused."""

import gzip
import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from detectable.core.errors import DataError, InputError, MissingExtraError
from detectable.data.factor import factor
from detectable.data.files import delimited
from detectable.data.formats import shipdata
from detectable.data.formats import shipdata as module
from detectable.data.formats.mqm import error_weight
from detectable.data.formats.wmt_da import names_from_file
from detectable.data.human.columns import KINDS
from detectable.data.human.judgments import Judgments
from detectable.data.human.read_judgments import read_judgments
from tests.data.human.xlsx import write_xlsx
from tests.data.sample_files import SAMPLES, fails, write
from tests.helpers import reference_data

pytestmark = pytest.mark.usefixtures("sound_parquet")

FOLDER = SAMPLES / "judgments"


@pytest.fixture(params=["small", "large"])
def size(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have delimited text read as small files are, and as large ones are."""
    if request.param == "large":
        monkeypatch.setattr(delimited, "_LARGE", 0)


HEADER = "system,item,score,rater\n"
GOOD = "A,1,70,ann\nB,1,80,ann\nA,2,30,ben\n"


def table(tmp_path: Path, text: str, name: str = "j.csv") -> Judgments:
    return read_judgments(write(tmp_path, name, text))


def same(one: Judgments, other: Judgments) -> None:
    np.testing.assert_equal(one.to_columns(), other.to_columns())
    assert one.scale == other.scale


@pytest.mark.usefixtures("size")
def test_a_table_of_our_own() -> None:
    judgments = read_judgments(FOLDER / "table.csv")
    assert judgments.system.labels() == ["A", "B", "A", "A", "B"]
    assert judgments.is_kind("degraded").tolist() == [False, False, True, False, False]
    assert judgments.seconds is not None
    np.testing.assert_array_equal(judgments.seconds, [4.5, np.nan, 3, 6, 7])
    assert judgments.notes == ()
    assert judgments.place(0) == f"{FOLDER / 'table.csv'}, line 2"


@pytest.mark.usefixtures("size")
def test_usual_names_of_columns_are_recognised() -> None:
    judgments = read_judgments(FOLDER / "table.jsonl")
    whole = judgments.to_columns()
    assert whole["system"] == ["A", "B", "A"]
    assert whole["item"] == ["1", "1", "2"]
    assert whole["rater"] == ["ann", "ann", "ben"]
    assert whole["language"] == ["en-de"] * 3


@pytest.mark.usefixtures("size")
@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_delimiters_and_line_ends(tmp_path: Path, separator: str, end: str) -> None:
    text = (HEADER + GOOD).replace(",", separator).replace("\n", end)
    name = "j.tsv" if separator == "\t" else "j.csv"
    same(table(tmp_path, text, name), table(tmp_path, HEADER + GOOD, "plain.csv"))


@pytest.mark.usefixtures("size")
def test_compressed_with_a_byte_order_mark_and_blank_lines_at_the_end(tmp_path: Path) -> None:
    text = gzip.compress(("\ufeff" + HEADER + GOOD + "\n\n").encode())
    same(
        read_judgments(write(tmp_path, "j.csv.gz", text)),
        table(tmp_path, HEADER + GOOD, "p.csv"),
    )


@pytest.mark.usefixtures("size")
def test_quotation_marks_enclose_cells_of_csv_and_are_plain_in_tsv(tmp_path: Path) -> None:
    quoted = table(tmp_path, HEADER + '"A, ""B""",1,70,ann\nB,1,"80",ann\n')
    assert quoted.system.levels == ('A, "B"', "B")
    assert quoted.place(1).endswith("line 3")
    plain = table(tmp_path, (HEADER + '"A,1,70,ann\n').replace(",", "\t"), "j.tsv")
    assert plain.system.levels == ('"A',)


@pytest.mark.usefixtures("size")
def test_unusual_names_can_be_chosen(tmp_path: Path) -> None:
    path = write(tmp_path, "j.csv", "mt,id,points,who\nA,1,70,ann\n")
    with fails("no column for the system and the item and the score", "Found: mt, id, points"):
        read_judgments(path)
    chosen = {"system": "mt", "item": "id", "score": "points", "rater": "who"}
    assert read_judgments(path, columns=chosen).rater is not None
    with fails("there is no column for the rater called 'whom'"):
        read_judgments(path, columns={**chosen, "rater": "whom"})
    with pytest.raises(InputError, match=r"`columns` must choose system.*got 'colour'"):
        read_judgments(path, columns={**chosen, "colour": "who"})


@pytest.mark.usefixtures("size")
def test_raw_scores_are_taken_before_z_scores(tmp_path: Path) -> None:
    judgments = table(tmp_path, "system,item,z,raw\nA,1,-0.5,40\nB,1,0.5,60\n")
    assert judgments.score.tolist() == [40, 60]
    assert judgments.notes == ()
    alone = table(tmp_path, "system,item,z\nA,1,-0.5\nB,1,0.5\n")
    assert alone.scale == (-np.inf, np.inf)


@pytest.mark.usefixtures("size")
def test_two_columns_for_one_role_are_named(tmp_path: Path) -> None:
    judgments = table(tmp_path, "system,sys_id,item,score\nA,A.1,1,40\n")
    assert judgments.system.levels == ("A",)
    assert "Column 'system' was taken for the system, not sys_id" in judgments.notes[0]


def _columns() -> dict[str, Any]:
    return {
        "system": ["A", "B", "A"],
        "item": [1, 1, 2],
        "score": [70.0, 80.5, 30.0],
        "rater": ["ann", "ann", "ben"],
    }


@pytest.mark.usefixtures("size")
@pytest.mark.parametrize(
    "make",
    [
        lambda c: c,
        lambda c: {name: np.array(values) for name, values in c.items()},
        lambda c: {name: pd.Series(values) for name, values in c.items()},
        pd.DataFrame,
        lambda c: pd.DataFrame(c).convert_dtypes(),
        lambda c: pd.DataFrame(c).astype({"rater": "category", "item": float}),
        pl.DataFrame,
        pl.LazyFrame,
        lambda c: pl.DataFrame(c).with_columns(pl.col("rater").cast(pl.Categorical)),
        lambda c: pl.DataFrame(c).with_columns(pl.col("item").cast(pl.Float64)),
        lambda c: _Arrow(pl.DataFrame(c)),
    ],
)
def test_tables_in_memory(make: Any) -> None:
    judgments = read_judgments(make(_columns()))
    whole = judgments.to_columns()
    assert whole == {
        "system": ["A", "B", "A"],
        "item": ["1", "1", "2"],
        "score": [70, 80.5, 30],
        "rater": ["ann", "ann", "ben"],
        "kind": ["system"] * 3,
    }
    assert read_judgments(judgments) is judgments


class _Arrow:
    """What pyarrow's tables have and we use: a stream of Arrow arrays."""

    def __init__(self, frame: pl.DataFrame) -> None:
        self.frame = frame

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.frame.__arrow_c_stream__(requested_schema)


@pytest.mark.usefixtures("size")
def test_tables_in_memory_that_cannot_be_used() -> None:
    with pytest.raises(InputError, match="a file, a mapping of columns or a data frame"):
        read_judgments(7)
    with pytest.raises(InputError, match="must map names to sequences; got 'AB'"):
        read_judgments({"system": "AB", "item": [1], "score": [2]})
    with fails("must have one length", "score has 1 row"):
        read_judgments({**_columns(), "score": [1]})
    with fails("the table has no row"):
        read_judgments({"system": [], "item": [], "score": []})
    with fails("row 1 (from 0), column 'rater': the rater is missing"):
        read_judgments(pd.DataFrame({**_columns(), "rater": ["ann", None, "ben"]}))


@pytest.mark.usefixtures("size")
@pytest.mark.parametrize(
    ("rows", "parts"),
    [
        ("A,1,101,ann\n", ("line 2, column 'score'", "the score 101 lies outside the scale")),
        ("A,1,-1,ann\nA,2,200,ann\n", ("line 2", "(2 rows in all)", "with `scale`")),
        ("A,1,,ann\n", ("line 2, column 'score': the score must be a number, found ''",)),
        ("A,1,7O,ann\n", ("line 2, column 'score'", "found '7O'")),
        ("A,1,nan,ann\n", ("line 2, column 'score'", "found 'nan'")),
        (",1,70,ann\n", ("line 2, column 'system': the system is missing",)),
        ("A,1,70,NA\n", ("line 2, column 'rater': the rater is missing",)),
        ("A,1,70,ann\nB,1,70\n", ("line 3", "the header has 4 columns, this row has 3")),
        ("A,1,70,ann\n\nB,1,70,ann\n", ("line 3", "this row has 1")),
        ("", ("no row",)),
    ],
)
def test_bad_cells_are_refused_with_their_place(
    tmp_path: Path, rows: str, parts: tuple[str, ...]
) -> None:
    with fails("j.csv", *parts):
        table(tmp_path, HEADER + rows)


@pytest.mark.usefixtures("size")
def test_unknown_kinds(tmp_path: Path) -> None:
    with fails("line 3, column 'type': unknown kind 'ODD'", "Known are system, repeat"):
        table(tmp_path, "system,item,score,type\nA,1,7,TGT\nA,2,7,ODD\n")


@pytest.mark.usefixtures("size")
def test_two_scores_by_one_rater(tmp_path: Path) -> None:
    text = HEADER + "A,1,70,ann\nB,1,80,ann\nA,1,75,ann\n"
    with fails(
        "j.csv, line 4: a second score by rater 'ann' for system 'A', item '1'",
        "the first is in",
        "line 2",
        'repeated="mark"',
    ):
        table(tmp_path, text)
    marked = read_judgments(tmp_path / "j.csv", repeated="mark")
    assert marked.is_kind("repeat").tolist() == [False, False, True]
    assert marked.notes == (
        "1 second score by one rater for one item of a system counted as repeats.",
    )


@pytest.mark.usefixtures("size")
def test_mixed_scales_name_who(tmp_path: Path) -> None:
    rows = "".join(f"A,{i},{i * 9},ann\nA,{i},{i / 10},bob\n" for i in range(1, 8))
    with fails("line 3, column 'score': mixed scales", "1 rater ('bob')", "go up to 63"):
        table(tmp_path, HEADER + rows)
    languages = "".join(f"A,{i},{i * 9},en-de\nA,{i},{i / 10},en-cs\n" for i in range(1, 8))
    with fails("mixed scales", "1 language ('en-cs')"):
        table(tmp_path, "system,item,score,lp\n" + languages)


@pytest.mark.usefixtures("size")
def test_a_scale_that_was_given_is_believed(tmp_path: Path) -> None:
    """Bob may have meant 0.1 to 0.7 out of 100; who says so is not refused, but told."""
    rows = "".join(f"A,{i},{i * 9},ann\nA,{i},{i / 10},bob\n" for i in range(1, 8))
    with fails("mixed scales", "if they are on one, give it (--scale 0:100, scale=(0, 100))"):
        table(tmp_path, HEADER + rows)
    found = read_judgments(tmp_path / "j.csv", scale=(0, 100))
    assert found.n_judgments == 14
    assert found.notes == (
        "All scores of 1 rater ('bob') lie between 0 and 1, while others go up to 63.",
    )


@pytest.mark.usefixtures("size")
def test_a_few_low_scores_are_no_other_scale(tmp_path: Path) -> None:
    rows = "A,1,0.5,bob\nA,2,1,bob\nA,1,70,ann\nA,1,0,eve\nA,2,1,eve\nA,3,1,eve\n"
    assert table(tmp_path, HEADER + rows).n_judgments == 6


@pytest.mark.usefixtures("size")
def test_scores_between_0_and_1_have_that_scale_and_it_is_said(tmp_path: Path) -> None:
    path = write(tmp_path, "j.csv", HEADER + "A,1,0.7,ann\nB,1,0.8,ann\nA,2,0.3,ben\n")
    read = read_judgments(path)
    assert read.scale == (0.0, 1.0)
    assert "The scale is taken as 0 to 1, judging by the scores" in read.notes[0]
    assert read_judgments(path, scale=(0, 1)).notes == ()


@pytest.mark.usefixtures("size")
@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("system|item|score\nA|1|7\n", ("'system|item|score'", "seems to use vertical bars")),
        ("system item score\nA 1 7\n", ("seems to use spaces",)),
        ("judgments\n7\n", ("the whole line is one column, 'judgments'",)),
    ],
)
def test_a_wrong_delimiter_is_named(tmp_path: Path, text: str, parts: tuple[str, ...]) -> None:
    expected = "Expected a header with columns separated by commas, semicolons or tabs"
    with fails("j.csv, line 1: the whole line is one column", expected, *parts):
        table(tmp_path, text)


@pytest.mark.usefixtures("size")
def test_rows_with_another_delimiter_than_the_header(tmp_path: Path) -> None:
    with fails(
        "j.csv, line 2: the whole line is one column, 'A;1;70;ann'",
        "4 columns separated by commas",
        "(the rows use semicolons)",
    ):
        table(tmp_path, HEADER + GOOD.replace(",", ";"))


@pytest.mark.usefixtures("size")
def test_truncated_json_names_the_line(tmp_path: Path) -> None:
    text = (FOLDER / "table.jsonl").read_text()[:-30]
    with fails("j.jsonl, line 3", "this is not JSON", "Is it cut short?"):
        table(tmp_path, text, "j.jsonl")
    whole = (FOLDER / "label_studio.json").read_text()
    with fails("l.json, line 14", "this is not JSON"):
        table(tmp_path, whole[:-10], "l.json")


@pytest.mark.usefixtures("size")
def test_mis_encoded_text_names_line_and_byte(tmp_path: Path) -> None:
    content = (HEADER + "A,1,70,ann\nB,1,80,Zoë\n").encode("latin-1")
    with fails("j.csv, line 3: byte 0xeb at position 10 is not UTF-8", "iconv"):
        read_judgments(write(tmp_path, "j.csv", content))


@pytest.mark.usefixtures("size")
def test_all_problems_in_one_message(tmp_path: Path) -> None:
    with pytest.raises(DataError) as caught:
        table(tmp_path, HEADER + "A,1,170,ann\nA,1,x,ann\nB,2,1,ben\nB,2,2,ben\n")
    message = str(caught.value)
    assert "j.csv has 3 problems." in message
    for part in ("found 'x'", "the score 170 lies outside", "a second score by rater 'ann'"):
        assert part in message


@pytest.mark.usefixtures("size")
def test_a_json_list_of_rows(tmp_path: Path) -> None:
    text = (
        '[{"system": "A", "item": 1, "score": 7},\n {"system": "A", "item": 2, "score": 777}]'
    )
    with fails("j.json, line 2, column 'score': the score 777 lies outside"):
        table(tmp_path, text, "j.json")
    with fails("j.json, line 1: expected an object with named values, found 3"):
        table(tmp_path, "[3]", "j.json")


@pytest.mark.usefixtures("size")
def test_times_that_are_no_numbers(tmp_path: Path) -> None:
    with fails("line 2, column 'time': the time must be a number of seconds, found 'soon'"):
        table(tmp_path, "system,item,score,time\nA,1,7,soon\n")


@pytest.mark.usefixtures("size")
def test_empty_and_missing_files(tmp_path: Path) -> None:
    with fails("the file is empty"):
        table(tmp_path, "")
    with fails("there is no such file"):
        read_judgments(tmp_path / "absent.csv")
    with fails("this is a folder without xlsx files"):
        read_judgments(tmp_path)
    with fails("the Parquet file cannot be read"):
        read_judgments(write(tmp_path, "j.parquet", b"PAR1 and nothing"))


# --- Corners of the formats of judgments: what is odd is read, or refused with its place ---


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


# --- Published judgments: the numbers of rows, and the means that others computed ---

COUNTS = {
    "wmt21_csen": (13_069, 9, 1000),
    "wmt21_isen": (13_230, 10, 1000),
    "wmt21_jaen": (21_151, 16, 1005),
    "wmt21_ruen": (14_305, 11, 1000),
    "wmt22_jaen": (35_773, 14, 2008),
}
# Workers who gave one score only have no z-score, and are not in the published files of these.
SHORT = ("wmt21_isen", "wmt22_jaen")
HEADER_OF_READ_JUDGMENTS_REAL = (
    *("Source", "Target", "User", "SegmentID", "Segment", "Reference", "Translation", "Score"),
    "valid_line",
)


def kinds(judgments: Judgments) -> dict[str, int]:
    return dict(Counter(KINDS[code] for code in judgments.kind.tolist()))


@pytest.mark.golden
@pytest.mark.parametrize("name", COUNTS)
def test_direct_assessment_of_wmt(name: str) -> None:
    path = reference_data("data", "wmt", f"{name}_da.parquet")
    judgments = read_judgments(path)
    n, systems, items = COUNTS[name]
    assert judgments.n_judgments == n
    assert (judgments.system.n_levels, judgments.item.n_levels) == (systems, items)
    assert (judgments.document is None) == (name == "wmt21_csen")
    campaign, pair = name.split("_")
    language = f"{pair[:2]}-{pair[2:]}"
    assert judgments.column("language").levels == (language,)
    gold = json.loads(reference_data("gold", "graham.json").read_text())
    official = gold["wmt_clusters"][f"{campaign}.{language}"]["systems"]
    assert set(judgments.system.levels) == {entry["system"] for entry in official}
    for entry in official:
        own = judgments.take(
            judgments.is_kind("system", "repeat")
            & (judgments.system.codes == judgments.system.levels.index(entry["system"]))
        )
        if name in SHORT:
            assert own.n_judgments <= entry["N"]
            continue
        assert (own.item.n_levels, own.n_judgments) == (entry["n"], entry["N"])
        means = np.bincount(own.item.codes, own.score) / np.bincount(own.item.codes)
        assert means.mean() == pytest.approx(entry["raw"], abs=1e-9)


@pytest.mark.golden
def test_two_hits_of_crowd_alone() -> None:
    judgments = read_judgments(reference_data("data", "wmt", "crowdalone_2hits.csv"))
    assert kinds(judgments) == {"system": 140, "repeat": 20, "degraded": 20, "reference": 20}
    gold = json.loads(reference_data("gold", "graham.json").read_text())
    expected = gold["da_qc"]["crowdalone_2hits"]
    for worker in ("W1", "W2"):
        own = judgments.where(rater=worker)
        assert own.score.mean() == pytest.approx(expected[worker]["mean"])
        assert own.score.std(ddof=1) == pytest.approx(expected[worker]["sd"], abs=1e-5)


def test_pairs_of_quality_control() -> None:
    judgments = read_judgments(reference_data("data", "wmt", "wmt21_qc_pairs.parquet"))
    assert kinds(judgments) == {"system": 10_890, "degraded": 10_890}
    assert "ru-en" in judgments.column("language").levels
    assert judgments.place(0) == judgments.place(1)  # one row of the file holds both
    assert judgments.score[:2].tolist() == [96, 91]


@pytest.mark.golden
def test_error_spans_of_wmt24() -> None:
    path = reference_data("data", "wmt", "wmt24_esa_engjpn_waves2-3.parquet")
    judgments = read_judgments(path)
    assert kinds(judgments) == {"system": 8242, "repeat": 2, "degraded": 1254}
    assert judgments.item.n_levels == 634
    gold = json.loads(reference_data("gold", "graham.json").read_text())
    expected = gold["wmt24_esa_waves23"]["eng-jpn"]["micro"]
    own = judgments.take(judgments.is_kind("system", "repeat"))
    for system, mean in expected.items():
        mine = own.where(system=system)
        last = np.empty(mine.item.n_levels)
        last[mine.item.codes] = mine.score  # of two scores the gold number takes the later
        assert last.mean() == pytest.approx(mean, abs=1e-9), system


@pytest.mark.golden
def test_shipdata_as_parquet() -> None:
    path = reference_data("data", "shipdata", "shipdata_judgments.parquet")
    judgments = read_judgments(path)
    assert judgments.n_judgments == 2_323_625
    assert judgments.column("campaign").n_levels == 1728
    assert judgments.column("rater").n_levels == 12_290
    assert judgments.system.n_levels == 2012
    assert judgments.is_kind("system", "repeat").all()
    assert "ENU-FRA" in judgments.column("language").levels


def _shipdata(folder: Path) -> None:
    for campaign in ("c1", "c2"):
        for system in ("aa", "bb"):
            rows = [
                ("ENU", "DEU", f"u{i % 2}", i, f"h{i}", "r", "t", 50 + i, i != 1)
                for i in range(3)
            ]
            sheets: dict[str, list[tuple[object, ...]]]
            sheets = {
                "automatic_metrics": [("System",), ("x",)],
                module.SHEET: [HEADER_OF_READ_JUDGMENTS_REAL, *rows],
            }
            write_xlsx(folder / campaign / f"{system}.xlsx", sheets)


def test_shipdata_as_xlsx(tmp_path: Path) -> None:
    pytest.importorskip("fastexcel")
    _shipdata(tmp_path)
    told: list[tuple[int, int | None]] = []
    read_judgments(tmp_path, progress=lambda _, done, total: told.append((done, total)))
    assert told == [(1, 4), (2, 4), (3, 4), (4, 4)]
    judgments = read_judgments(tmp_path)
    whole = judgments.to_columns()
    assert whole["system"] == ["aa"] * 3 + ["bb"] * 3 + ["aa"] * 3 + ["bb"] * 3
    assert whole["campaign"] == ["c1"] * 6 + ["c2"] * 6
    assert whole["score"] == [50.0, 51.0, 52.0] * 4
    assert whole["rater"] == ["u0", "u1", "u0"] * 4
    assert judgments.notes == (
        "4 judgments on lines that not all systems have (valid_line is false) kept.",
    )


def test_xlsx_files_that_are_not_shipdata(tmp_path: Path) -> None:
    pytest.importorskip("fastexcel")
    write_xlsx(tmp_path / "a" / "s.xlsx", {"other": [("x",), (1,)]})
    with fails("s.xlsx: the sheet 'hum_annotations' cannot be read"):
        read_judgments(tmp_path)
    write_xlsx(tmp_path / "a" / "s.xlsx", {module.SHEET: [("Score",), (1,)]})
    with fails("s.xlsx, sheet 'hum_annotations': there is no column 'Source'"):
        read_judgments(tmp_path)
    (tmp_path / "a" / "s.xlsx").write_bytes(b"PK\x03\x04 and nothing")
    with fails("s.xlsx: the sheet 'hum_annotations' cannot be read"):
        read_judgments(tmp_path / "a" / "s.xlsx")


def test_without_fastexcel_the_extra_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _shipdata(tmp_path)
    monkeypatch.setattr(module, "find_spec", lambda _: None)
    with pytest.raises(MissingExtraError, match=r'pip install "detectable\[xlsx\]"'):
        read_judgments(tmp_path)
