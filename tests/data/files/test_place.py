"""One rule for what is missing, and everybody who follows it."""

import json
import math
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from detectable.data.factor import factor
from detectable.data.files.content import FileContent
from detectable.data.files.numbers import parse_score
from detectable.data.files.place import MISSING_WORDS, is_missing
from detectable.data.human.judgments import Judgments
from detectable.data.human.preferences import read_preferences
from detectable.data.human.read_judgments import read_judgments
from detectable.data.reader import find_score_reader
from detectable.data.scores.read_score_table import read_score_table
from detectable.data.texts.text_table import read_text_table
from tests.data.sample_files import fails, write

WORDS = ["", "nan", "na", "n/a", "none", "null", " N/A ", "NaN", "NA", "None", "NULL"]
OBJECTS = [
    None,
    math.nan,
    np.float32("nan"),
    np.datetime64("NaT", "s"),
    pd.NA,
    pd.NaT,
    Decimal("nan"),
]
words = pytest.mark.parametrize("word", WORDS)
objects = pytest.mark.parametrize("value", OBJECTS, ids=repr)


@words
def test_words(word: str) -> None:
    assert is_missing(word)
    assert word.strip().lower() in MISSING_WORDS


@objects
def test_objects(value: object) -> None:
    assert is_missing(value)


@pytest.mark.parametrize(
    "value", ["0", "nano", "no", "-", "?", "nil", 0, 0.0, False, math.inf, [], [math.nan], {}, b"",
              np.array([np.nan, 1.0]), np.int64(0), Decimal(1)], ids=repr
)  # fmt: skip
def test_what_is_not_missing(value: object) -> None:
    assert not is_missing(value)


@words
def test_scores_of_score_tables(word: str, tmp_path: Path) -> None:
    assert math.isnan(parse_score(word, "f"))
    read = read_score_table(write(tmp_path, "s.csv", f"item,A,B\n1,{word},1\n2,1,1\n"))
    assert np.isnan(read.systems["A"][0]).tolist() == [True, False]


@objects
def test_scores_in_memory(value: object) -> None:
    if not isinstance(value, np.datetime64):  # which is a number to Python
        assert math.isnan(parse_score(value, "f"))


@words
@pytest.mark.parametrize("column", ["system", "item", "run", "document"])
def test_names_of_score_tables(word: str, column: str, tmp_path: Path) -> None:
    row = {"system": "A", "item": "1", "run": "1", "document": "d", "score": "1"}
    rows = [row, {**row, "item": "2", column: word}]
    text = "\n".join([",".join(row), *(",".join(r.values()) for r in rows)])
    with fails(f"s.csv, line 3, column '{column}': the cell is empty", "Fill it in"):
        read_score_table(write(tmp_path, "s.csv", text))


def test_a_word_for_nothing_is_named(tmp_path: Path) -> None:
    with fails("the cell is empty ('n/a' means missing). Fill it in."):
        read_score_table(write(tmp_path, "s.csv", "system,item,score\nn/a,1,1\n"))


@words
def test_files_of_numbers(word: str, tmp_path: Path) -> None:
    content = FileContent(write(tmp_path, "s.txt", f"0.5\n{word}\n0.7\n"))
    assert find_score_reader(content).name == "lines"


@words
@pytest.mark.parametrize("column", ["doc", "domain", "origlang"])
def test_labels_of_text_tables(word: str, column: str, tmp_path: Path) -> None:
    table = write(tmp_path, "t.tsv", f"ref\thyp:A\t{column}\nr\ta\tx\nr\ta\t{word}\n")
    with fails(f"t.tsv, line 3, column '{column}': the value is missing"):
        read_text_table(table)


@words
def test_texts_are_texts_whatever_they_say(word: str, tmp_path: Path) -> None:
    table = write(tmp_path, "t.tsv", f"src\tref\thyp:A\nx\t{word}\t{word}\n{word}\tr\ta\n")
    corpus = read_text_table(table)
    assert corpus.output("A", 0)[0] == corpus.references[0][0] == word
    assert corpus.sources is not None
    assert corpus.sources[1] == word


def columns(**changed: Any) -> dict[str, Any]:
    known = {"system": ["A", "B"], "item": ["1", "1"], "score": [5, 6], "rater": ["x", "x"]}
    return {**known, **changed}


@words
@pytest.mark.parametrize("role", ["system", "item", "rater", "document", "wave"])
def test_names_of_judgments(word: str, role: str, tmp_path: Path) -> None:
    with fails(f"row 1 (from 0), column '{role}': the {role} is missing"):
        Judgments.build(columns(**{role: ["x", word]}))
    text = f"system,item,score,{role}2\nA,1,5,x\nA,2,6,{word}\n"
    path = write(tmp_path, "j.csv", text)
    chosen = {"system": "system", "item": "item", role: f"{role}2"}
    with fails(f"j.csv, line 3, column '{role}2': the {role} is missing"):
        read_judgments(path, columns=chosen)


@objects
def test_names_of_judgments_in_memory(value: object) -> None:
    with fails("row 1 (from 0), column 'rater': the rater is missing"):
        Judgments.build(columns(rater=["x", value]))
    with fails("row 1 (from 0), column 'rater': the rater is missing"):
        read_judgments(columns(rater=["x", value]))
    assert factor("rater", ["x", value]).levels == ("x", "")


@pytest.mark.parametrize("value", [*WORDS, *OBJECTS], ids=repr)
def test_kinds_of_judgments(value: object) -> None:
    judgments = read_judgments(columns(kind=["BAD", value]))
    assert judgments.is_kind("system").tolist() == [False, True]


@pytest.mark.parametrize("value", [*WORDS, *OBJECTS], ids=repr)
def test_times_of_judgments(value: object) -> None:
    judgments = read_judgments(columns(seconds=[3, value]))
    assert judgments.seconds is not None
    np.testing.assert_array_equal(judgments.seconds, [3.0, np.nan])


@words
def test_a_judgment_without_a_score_is_refused(word: str) -> None:
    with fails("row 1 (from 0), column 'score': the score must be a number"):
        read_judgments(columns(score=[5, word]))


@words
def test_ends_of_a_scale(word: str) -> None:
    judgments = read_judgments(columns(scale_low=[word, word], scale_high=[9, 9]))
    assert judgments.scale == (-math.inf, 9.0)


def wmt24(score: Any) -> Any:
    named = {"langs": "en-cs", "doc_id": "d", "system": "A"}
    return [named | {"line_id": 1, "esa_score": 3}, named | {"line_id": 2, "esa_score": score}]


def wmt25(score: Any) -> Any:
    return [{"doc_id": "d", "scores": {"A": {"human1": 3, "human2": score}}}]


def pearmut(score: Any) -> Any:
    given = [{"A": {"score": 3}}, {"A": {"score": score}}]
    return [{"user_id": "u", "item_i": 0, "annotation": given}]


def label_studio(score: Any) -> Any:
    def annotation(number: Any) -> Any:
        result = {"from_name": "q", "type": "number", "value": {"number": number}}
        return {"completed_by": 1, "result": [result]}

    return [
        {"id": 1, "data": {"system": "A"}, "annotations": list(map(annotation, (3, score)))}
    ]


@pytest.mark.parametrize("make", [wmt24, wmt25, pearmut, label_studio])
@pytest.mark.parametrize("score", [None, math.nan, "n/a", ""])
def test_campaigns_leave_out_items_without_a_score(
    make: Callable[[Any], Any], score: Any, tmp_path: Path
) -> None:
    text = "\n".join(map(json.dumps, make(score)))
    judgments = read_judgments(write(tmp_path, "j.jsonl", text))
    assert judgments.score.tolist() == [3]
    assert "1 judgment left out: " in judgments.notes[0]


@words
def test_a_preference_for_nobody(word: str) -> None:
    assert read_preferences({"item": [1], "winner": [word]}, "AB").score.tolist() == [0.5, 0.5]
