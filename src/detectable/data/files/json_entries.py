"""The entries of a JSON list, each with the line in which it begins."""

import json
import re
from collections.abc import Iterator
from typing import Any

from detectable.core.errors import DataError
from detectable.data.files.place import FilePath
from detectable.data.files.read_json import parse_json

_BETWEEN = re.compile(r"[\s,]*")


def json_entries(text: str, path: FilePath) -> Iterator[tuple[int, Any]]:
    r"""Yield line and value of every entry of a JSON list; a single value is one entry.

    Examples
    --------
    >>> list(json_entries('[{"a": 1},\n {"a": 2}]', "a.json"))
    [(1, {'a': 1}), (2, {'a': 2})]
    """
    if not text.strip():
        raise DataError(f"{path}: the file is empty. Expected JSON.")
    value = parse_json(text, path)
    if not isinstance(value, list):
        yield 1, value
        return
    decoder = json.JSONDecoder()
    position, line = text.index("[") + 1, 1 + text.count("\n", 0, text.index("["))
    for entry in value:
        between = _BETWEEN.match(text, position)
        start = position if between is None else between.end()
        line += text.count("\n", position, start)
        yield line, entry
        _, position = decoder.raw_decode(text, start)
        line += text.count("\n", start, position)
