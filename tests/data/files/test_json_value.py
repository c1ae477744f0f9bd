"""JSON that somebody made up."""

import math

import pytest

from detectable.core.errors import DataError
from detectable.data.files.json_value import NotJson, json_value
from detectable.data.files.read_json import parse_json


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
        ('{"a": ', "Expecting value"),
        ("", "Expecting value"),
    ],
)
def test_what_cannot_be_used(text: str, reason: str) -> None:
    with pytest.raises(NotJson, match=reason):
        json_value(text)
    with pytest.raises(DataError, match=rf"^x\.json, line 7.*{reason}"):
        parse_json(text, "x.json", line=7)
