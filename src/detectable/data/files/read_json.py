"""JSON files: one value per file, one object per line, and the line in which an entry begins."""

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from detectable.core.errors import DataError
from detectable.data.files.content import read_text
from detectable.data.files.json_value import NotJson, json_value
from detectable.data.files.lines import read_lines
from detectable.data.files.place import FilePath, place, quote


def read_json(path: FilePath) -> Any:
    """Return the value that a JSON file holds; it may be compressed."""
    text = read_text(path)
    if not text.strip():
        raise DataError(f"{path}: the file is empty. Expected JSON.")
    return parse_json(text, path)


def parse_json(text: str, path: FilePath, *, line: int = 1) -> Any:
    """Return the JSON value of a text that begins in the given line of a file."""
    try:
        return json_value(text)
    except NotJson as error:
        where = place(path, line + error.line - 1)
        if error.column is None:
            raise DataError(f"{where}: this JSON cannot be used ({error.reason}).") from error
        raise DataError(
            f"{where}, position {error.column}: this is not JSON ({error.reason}). Is it cut short?"
        ) from error


def read_json_lines(path: FilePath) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the line number and the object of every line that is not blank."""
    return parse_json_lines(read_lines(path), path)


def parse_json_lines(
    lines: Iterable[str], path: FilePath
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the line number and the object of every line of a file that is not blank."""
    for number, text in enumerate(lines, start=1):
        if not text.strip():
            continue
        value = parse_json(text, path, line=number)
        if not isinstance(value, dict):
            raise DataError(
                f"{place(path, number)}: expected one JSON object per line, found {quote(value)}."
            )
        yield number, value


# --- The entries of a JSON list, each with the line in which it begins ---

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
