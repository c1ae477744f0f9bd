"""Judgments from tables with named columns, and what is refused."""

import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import polars as pl
import pytest

from detectable.core.errors import DataError, InputError
from detectable.data.files import delimited
from detectable.data.human.judgments import Judgments
from detectable.data.human.read_judgments import read_judgments
from tests.data.sample_files import SAMPLES, fails, write

FOLDER = SAMPLES / "judgments"


@pytest.fixture(autouse=True, params=["small", "large"])
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


def test_a_table_of_our_own() -> None:
    judgments = read_judgments(FOLDER / "table.csv")
    assert judgments.system.labels() == ["A", "B", "A", "A", "B"]
    assert judgments.is_kind("degraded").tolist() == [False, False, True, False, False]
    assert judgments.seconds is not None
    np.testing.assert_array_equal(judgments.seconds, [4.5, np.nan, 3, 6, 7])
    assert judgments.notes == ()
    assert judgments.place(0) == f"{FOLDER / 'table.csv'}, line 2"


def test_usual_names_of_columns_are_recognised() -> None:
    judgments = read_judgments(FOLDER / "table.jsonl")
    whole = judgments.to_columns()
    assert whole["system"] == ["A", "B", "A"]
    assert whole["item"] == ["1", "1", "2"]
    assert whole["rater"] == ["ann", "ann", "ben"]
    assert whole["language"] == ["en-de"] * 3


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_delimiters_and_line_ends(tmp_path: Path, separator: str, end: str) -> None:
    text = (HEADER + GOOD).replace(",", separator).replace("\n", end)
    name = "j.tsv" if separator == "\t" else "j.csv"
    same(table(tmp_path, text, name), table(tmp_path, HEADER + GOOD, "plain.csv"))


def test_compressed_with_a_byte_order_mark_and_blank_lines_at_the_end(tmp_path: Path) -> None:
    text = gzip.compress(("\ufeff" + HEADER + GOOD + "\n\n").encode())
    same(
        read_judgments(write(tmp_path, "j.csv.gz", text)),
        table(tmp_path, HEADER + GOOD, "p.csv"),
    )


def test_quotation_marks_enclose_cells_of_csv_and_are_plain_in_tsv(tmp_path: Path) -> None:
    quoted = table(tmp_path, HEADER + '"A, ""B""",1,70,ann\nB,1,"80",ann\n')
    assert quoted.system.levels == ('A, "B"', "B")
    assert quoted.place(1).endswith("line 3")
    plain = table(tmp_path, (HEADER + '"A,1,70,ann\n').replace(",", "\t"), "j.tsv")
    assert plain.system.levels == ('"A',)


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


def test_raw_scores_are_taken_before_z_scores(tmp_path: Path) -> None:
    judgments = table(tmp_path, "system,item,z,raw\nA,1,-0.5,40\nB,1,0.5,60\n")
    assert judgments.score.tolist() == [40, 60]
    assert judgments.notes == ()
    alone = table(tmp_path, "system,item,z\nA,1,-0.5\nB,1,0.5\n")
    assert alone.scale == (-np.inf, np.inf)


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


def test_unknown_kinds(tmp_path: Path) -> None:
    with fails("line 3, column 'type': unknown kind 'ODD'", "Known are system, repeat"):
        table(tmp_path, "system,item,score,type\nA,1,7,TGT\nA,2,7,ODD\n")


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


def test_mixed_scales_name_who(tmp_path: Path) -> None:
    rows = "".join(f"A,{i},{i * 9},ann\nA,{i},{i / 10},bob\n" for i in range(1, 8))
    with fails("line 3, column 'score': mixed scales", "1 rater ('bob')", "go up to 63"):
        table(tmp_path, HEADER + rows)
    languages = "".join(f"A,{i},{i * 9},en-de\nA,{i},{i / 10},en-cs\n" for i in range(1, 8))
    with fails("mixed scales", "1 language ('en-cs')"):
        table(tmp_path, "system,item,score,lp\n" + languages)


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


def test_a_few_low_scores_are_no_other_scale(tmp_path: Path) -> None:
    rows = "A,1,0.5,bob\nA,2,1,bob\nA,1,70,ann\nA,1,0,eve\nA,2,1,eve\nA,3,1,eve\n"
    assert table(tmp_path, HEADER + rows).n_judgments == 6


def test_scores_between_0_and_1_are_pointed_out(tmp_path: Path) -> None:
    path = write(tmp_path, "j.csv", HEADER + "A,1,0.7,ann\nB,1,0.8,ann\nA,2,0.3,ben\n")
    assert "All scores lie between 0 and 1" in read_judgments(path).notes[0]
    assert read_judgments(path, scale=(0, 1)).notes == ()


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


def test_rows_with_another_delimiter_than_the_header(tmp_path: Path) -> None:
    with fails(
        "j.csv, line 2: the whole line is one column, 'A;1;70;ann'",
        "4 columns separated by commas",
        "(the rows use semicolons)",
    ):
        table(tmp_path, HEADER + GOOD.replace(",", ";"))


def test_truncated_json_names_the_line(tmp_path: Path) -> None:
    text = (FOLDER / "table.jsonl").read_text()[:-30]
    with fails("j.jsonl, line 3", "this is not JSON", "Is it cut short?"):
        table(tmp_path, text, "j.jsonl")
    whole = (FOLDER / "label_studio.json").read_text()
    with fails("l.json, line 14", "this is not JSON"):
        table(tmp_path, whole[:-10], "l.json")


def test_mis_encoded_text_names_line_and_byte(tmp_path: Path) -> None:
    content = (HEADER + "A,1,70,ann\nB,1,80,Zoë\n").encode("latin-1")
    with fails("j.csv, line 3: byte 0xeb at position 10 is not UTF-8", "iconv"):
        read_judgments(write(tmp_path, "j.csv", content))


def test_all_problems_in_one_message(tmp_path: Path) -> None:
    with pytest.raises(DataError) as caught:
        table(tmp_path, HEADER + "A,1,170,ann\nA,1,x,ann\nB,2,1,ben\nB,2,2,ben\n")
    message = str(caught.value)
    assert "j.csv has 3 problems." in message
    for part in ("found 'x'", "the score 170 lies outside", "a second score by rater 'ann'"):
        assert part in message


def test_a_json_list_of_rows(tmp_path: Path) -> None:
    text = (
        '[{"system": "A", "item": 1, "score": 7},\n {"system": "A", "item": 2, "score": 777}]'
    )
    with fails("j.json, line 2, column 'score': the score 777 lies outside"):
        table(tmp_path, text, "j.json")
    with fails("j.json, line 1: expected an object with named values, found 3"):
        table(tmp_path, "[3]", "j.json")


def test_times_that_are_no_numbers(tmp_path: Path) -> None:
    with fails("line 2, column 'time': the time must be a number of seconds, found 'soon'"):
        table(tmp_path, "system,item,score,time\nA,1,7,soon\n")


def test_empty_and_missing_files(tmp_path: Path) -> None:
    with fails("the file is empty"):
        table(tmp_path, "")
    with fails("there is no such file"):
        read_judgments(tmp_path / "absent.csv")
    with fails("this is a folder without xlsx files"):
        read_judgments(tmp_path)
    with fails("the Parquet file cannot be read"):
        read_judgments(write(tmp_path, "j.parquet", b"PAR1 and nothing"))
