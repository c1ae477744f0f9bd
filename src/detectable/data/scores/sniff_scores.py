"""Tells in which format a file of scores is."""

import re
from collections.abc import Mapping
from typing import Any

from detectable.core.errors import DataError
from detectable.data.files.content import FileContent
from detectable.data.files.json_value import NotJson, json_value
from detectable.data.files.missing import is_missing
from detectable.data.files.place import FilePath
from detectable.data.scores.read_sacrebleu import SENTENCE

FORMATS: Mapping[str, str] = {
    "table": "CSV, TSV, JSON lines or Parquet with a header, wide or long",
    "lines": "one number per line, one file per system",
    "sacrebleu": "what sacrebleu --sentence-level prints, one file per system",
    "comet": "JSON of comet-score or comet-compare (--to_json)",
    "seg-score": "lines «system score» of mt-metrics-eval",
    "lm-eval": "samples_*.jsonl of the lm-evaluation-harness, one or more files per system",
    "inspect": ".eval or .json log of Inspect, one or more files per system",
}
_PEEK = 50  # lines that must agree on a format
_NUMBER = re.compile(r"[+-]?[\d.]+([eE][+-]?\d+)?")


def sniff_scores(path: FilePath) -> str:
    """Return the format of a file of scores, one of `FORMATS`.

    Raises
    ------
    DataError
        If the content fits none of them; the message lists them.
    """
    content = FileContent.of(path)
    if content.is_zip:
        return "inspect"
    if content.is_parquet:
        return "table"
    text = content.text.strip()
    if not text:
        raise DataError(f"{path}: the file is empty. Give a file with scores.")
    found = _sniff_json(text) if text[0] in "{[" else _sniff_lines(text)
    if found is None:
        known = "; ".join(f"{name}: {what}" for name, what in FORMATS.items())
        raise DataError(
            f"{path}: the format of the scores cannot be told. Choose it with format=…. "
            f"Known are {known}."
        )
    return found


def _sniff_lines(text: str) -> str | None:
    lines = [line.strip() for line in text.split("\n", _PEEK)[:_PEEK]]
    fields = [line.split() for line in lines]
    if all(SENTENCE.fullmatch(line) for line in lines):
        return "sacrebleu"
    if all(_is_score(line) for line in lines):
        return "lines"
    if all(len(of) == 2 and _is_score(of[1]) for of in fields):
        return "seg-score"
    return "table" if any(delimiter in lines[0] for delimiter in ",;\t") else None


def _is_score(text: str) -> bool:
    return is_missing(text) or _NUMBER.fullmatch(text) is not None


def _sniff_json(text: str) -> str | None:
    try:
        return _sniff_value(json_value(text))
    except NotJson:
        return _sniff_json_line(text.split("\n", 1)[0])


def _sniff_json_line(line: str) -> str | None:
    try:
        row = json_value(line)
    except NotJson:
        return None
    if not isinstance(row, dict):
        return None
    return "lm-eval" if _is_lm_eval(row) else "table"


def _is_lm_eval(row: Mapping[str, Any]) -> bool:
    return "doc_id" in row and not row.keys().isdisjoint(
        ("resps", "filtered_resps", "doc_hash")
    )


def _sniff_value(value: Any) -> str | None:
    if isinstance(value, list):
        rows = [row for row in value if isinstance(row, dict)]
        if any("COMET" in row for row in rows):
            return "comet"
        return "sacrebleu" if any("signature" in r or "system" in r for r in rows) else None
    if isinstance(value.get("eval"), dict):
        return "inspect"
    if _is_lm_eval(value):
        return "lm-eval"
    if "signature" in value:
        return "sacrebleu"
    if "translations" in value or (value and all(isinstance(v, list) for v in value.values())):
        return "comet"
    return "table"  # JSON lines with one row
