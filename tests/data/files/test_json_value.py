"""JSON that somebody made up."""

import math
from pathlib import Path

import pytest

from detectable.core.errors import DataError
from detectable.data.files.json_value import NotJson, json_value
from detectable.data.files.read_json import parse_json
from detectable.data.human.read_judgments import read_judgments
from detectable.data.scores.read_scores import read_scores
from tests.data.sample_files import write


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
