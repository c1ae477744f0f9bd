"""JSON that somebody made up."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from detectable.core.errors import DataError
from detectable.data.files.json_value import NotJson, json_value
from detectable.data.files.numbers import number_column, parse_score
from detectable.data.files.place import Problems
from detectable.data.files.read_json import parse_json
from detectable.data.files.table import Table
from detectable.data.human.read_judgments import read_judgments
from detectable.data.scores.read_scores import read_scores
from tests.data.sample_files import SAMPLES, write


def test_what_evaluations_write_is_read() -> None:
    found = json_value('{"a": [NaN, Infinity, -1.5, "ä", null], "b": "\\ud83d\\ude00"}')
    assert math.isnan(found["a"][0])
    assert found["a"][1:] == [math.inf, -1.5, "ä", None]
    assert found["b"] == "😀"  # a pair is a character


def test_a_value_inside_a_text() -> None:
    assert json_value('xx{"a": 1}, rest', 2) == {"a": 1}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("9" * 5000, "a number with too many digits"),
        ("[" * 99_999, "it is nested too deeply"),
        ('{"a":' * 99_999, "it is nested too deeply"),
        ('["a", "\\udc00\\ud800"]', r"half a character \(a surrogate\): \\udc00"),
        ('{"\\uD800": 1}', r"half a character \(a surrogate\): \\ud800"),
        ('{"a": 1, "b": 2, "a": 1}', "the key 'a' stands twice in one object"),
        ('[{"x": {"a": 1, "\\u0061": 2}}]', "the key 'a' stands twice in one object"),
        ('[{"x": {"a": 1, "a": 2}, {', "the key 'a' stands twice in one object"),
        (
            '[{"x": {"a": 1, "a": 2}}' + '{"b": ' * 5000,
            "the key 'a' stands twice in one object",
        ),
        ('{"a": ', "Expecting value"),
        ("", "Expecting value"),
    ],
)
def test_what_cannot_be_used(text: str, reason: str) -> None:
    with pytest.raises(NotJson, match=reason):
        json_value(text)
    with pytest.raises(DataError, match=rf"^x\.json, line 7.*{reason}"):
        parse_json(text, "x.json", line=7)


def test_the_line_of_a_repeated_key_is_told() -> None:
    text = '{"plan": 1,\n "scores": [\n  {"a": {"a": 1}},\n  {"a": 2,\n   "a": 3}]}'
    with pytest.raises(NotJson) as caught:
        json_value(text)
    assert caught.value.line == 4  # where the object begins
    with pytest.raises(DataError, match=r"^x\.json, line 13: .*'a' stands twice in one object"):
        parse_json(text, "x.json", line=10)


def test_one_key_in_several_objects_is_none_too_many() -> None:
    assert json_value('[{"a": {"a": 1}}, {"a": 2}]') == [{"a": {"a": 1}}, {"a": 2}]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("j.jsonl", '{"system": "A", "item": 1, "score": 70, "score": 7}\n'),
        ("j.json", '[{"system": "A", "item": 1, "score": 70, "score": 7}]'),
    ],
)
def test_a_table_with_two_scores_in_a_row_is_refused(
    name: str, text: str, tmp_path: Path
) -> None:
    with pytest.raises(DataError, match=rf"{name}, line 1: .*'score' stands twice"):
        read_judgments(write(tmp_path, name, text))
    with pytest.raises(DataError, match=rf"{name}, line 1: .*'score' stands twice"):
        read_scores(write(tmp_path, name, text))


# --- Columns of numbers: what is missing, what is refused, and where it stands ---


def test_numbers_and_what_is_missing() -> None:
    table = Table(path="a.csv", columns={"n": ["1", " 2.5 ", "NA", "", None, 3]})
    problems = Problems("a.csv")
    found = number_column(table, "n", problems)
    np.testing.assert_array_equal(found, [1, 2.5, np.nan, np.nan, np.nan, 3])
    problems.stop()


@pytest.mark.parametrize(
    "cell", ["many", "1_000", "inf", "٣", "1,5", "0x10", True, np.True_, [1]]
)
def test_what_is_no_number_is_quoted_with_its_place(cell: object) -> None:
    table = Table(path="a.csv", columns={"n": ["1", cell, cell]}, lines=(2, 3, 4))
    problems = Problems("a.csv")
    number_column(table, "n", problems)
    with pytest.raises(DataError) as caught:
        problems.stop()
    assert str(caught.value) == (
        f"a.csv, line 3, column 'n': expected a finite number, found {cell!r} (2 rows in all). "
        "Leave it empty where it is not known."
    )


def test_a_number_that_is_not_allowed() -> None:
    table = Table(path="", columns={"n": [4, 0, float("nan")]})
    problems = Problems("")
    number_column(
        table,
        "n",
        problems,
        must="a number above 0",
        allowed=lambda values: values > 0.0,
        remedy="It counts items.",
    )
    assert problems.sentences == [
        "row 1 (from 0), column 'n': expected a number above 0, found 0. It counts items."
    ]


ODD = ("1_0", "١٠", "１０", "0x10", "infinity", "ten")


@pytest.mark.parametrize("value", [*ODD, [1], {"a": 1}])
def test_what_is_no_score_is_quoted_with_its_place(value: object) -> None:
    with pytest.raises(
        DataError, match=r"^a\.csv, line 3, column 'n': expected a score, found"
    ):
        parse_score(value, "a.csv", 3, "n")


def test_right_and_wrong_are_scores_where_answers_are_counted() -> None:
    assert [parse_score(one, "a") for one in (True, False, "true", " FALSE ")] == [1, 0, 1, 0]
    for value in (True, np.False_, "true"):
        with pytest.raises(
            DataError, match=r"expected a number, found .*true and false are no"
        ):
            parse_score(value, "a", truth=False)


# Where a metric or a judge gives a number, true is a mistake; where answers are right or wrong, it
# is one of the ways to say so.
@pytest.mark.parametrize(
    ("file", "number"),
    [
        ("comet_score.json", '"COMET": 0.75'),
        ("comet_compare.json", "[0.75"),
        ("scores/alpaca.annotations.json", '"preference": 1.75'),
        ("scores/deepeval.json", '"score": 0.75'),
        ("scores/helm_per_instance_stats.json", '"mean": 1.0'),
        ("scores/metricx_A.jsonl", '"prediction": 0.5'),
        ("scores/mt_bench.jsonl", '"score": 9'),
        ("scores/rm-1_all.jsonl", '"chosen": 2.5'),
        ("scores/wmt25_A.jsonl", "[0.75"),
    ],
)
def test_a_metric_says_numbers(file: str, number: str, tmp_path: Path) -> None:
    text = (SAMPLES / file).read_text("utf-8")
    before, _, _ = number.rpartition("[" if number.startswith("[") else " ")
    wrong = "[true" if number.startswith("[") else f"{before} true"
    name = file.rpartition("/")[2]
    chosen: dict[str, Any] = {"metric": "Correctness"} if "deepeval" in file else {}
    chosen = {"metric": "exact_match"} if "helm" in file else chosen
    chosen = {"metric": "CometKiwi", "language_pair": "en-cs_CZ"} if "wmt25" in file else chosen
    read_scores(write(tmp_path, name, text), **chosen)
    with pytest.raises(DataError, match="expected a number, found True"):
        read_scores(write(tmp_path, name, text.replace(number, wrong, 1)), **chosen)


@pytest.mark.parametrize(
    ("file", "number"),
    [
        ("alpaca_eval.json", '"preference": 1.75'),
        ("label_studio.json", '"rating": 4'),
        ("mt_bench_single.jsonl", '"score": 9'),
        ("pearmut.jsonl", '"score": 21'),
        ("table.jsonl", '"score": 70'),
        ("wmt24.jsonl", '"esa_score": 91.0'),
        ("wmt25.jsonl", '"human1": 90'),
    ],
)
@pytest.mark.parametrize("odd", ["true", '"1_0"', '"١٠"', '"infinity"'])
def test_a_rater_gives_numbers(file: str, number: str, odd: str, tmp_path: Path) -> None:
    text = (SAMPLES / "judgments" / file).read_text("utf-8")
    wrong = f"{number.rpartition(' ')[0]} {odd}"
    read_judgments(write(tmp_path, file, text))
    with pytest.raises(
        DataError, match=rf"{file}, .*found {'True' if odd == 'true' else odd[1]}?"
    ):
        read_judgments(write(tmp_path, file, text.replace(number, wrong, 1)))


@pytest.mark.parametrize("odd", [*ODD, "true"])
@pytest.mark.parametrize("column", ["score", "seconds"])
def test_cells_of_judgments_are_numbers_as_everybody_writes_them(
    column: str, odd: str, tmp_path: Path
) -> None:
    cells = {"system": "A", "item": "1", "score": "70", "seconds": "5", column: odd}
    text = f"{','.join(cells)}\n{','.join(cells.values())}\nB,1,60,4\n"
    with pytest.raises(DataError, match=rf"line 2, column '{column}': .* found '{odd}'"):
        read_judgments(write(tmp_path, "j.csv", text))


@pytest.mark.parametrize("odd", [*ODD, "true"])
@pytest.mark.parametrize("column", ["score", "seconds"])
def test_cells_of_blind_sheets_are_numbers(column: str, odd: str, tmp_path: Path) -> None:
    write(tmp_path, "key.csv", "id,task,rater,kind,system,item\nx1,1,ann,system,A,1\n")
    cells = {"id": "x1", "score": "70", "seconds": "5", column: odd}
    write(tmp_path, "sheet-1.csv", f"{','.join(cells)}\n{','.join(cells.values())}\n")
    if odd == "infinity" and column == "seconds":
        odd = "inf"
    with pytest.raises(DataError, match=rf"column '{column}'.* {odd}|'{odd}'"):
        read_judgments(tmp_path)


def test_numbers_whose_squares_are_none_are_refused() -> None:
    table = Table(path="studies.csv", columns={"effect": ["1", "", "-2e100", "inf"]})
    problems = Problems("studies.csv")
    number_column(table, "effect", problems)
    with pytest.raises(DataError, match=r"a finite number within ±1e\+100, found '-2e100'"):
        problems.stop()
