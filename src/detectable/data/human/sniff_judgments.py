"""Tells in which format a file of human judgments is."""

import csv
import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from detectable.core.errors import DataError
from detectable.data.files.place import FilePath
from detectable.data.files.read_bytes import decode_text, read_bytes
from detectable.data.files.read_table import PARQUET
from detectable.data.human.read_appraise import ITEM_TYPES, WIDTHS

FORMATS: Mapping[str, str] = {
    "table": "CSV, TSV, JSON, JSON lines or Parquet with a header, one judgment per row",
    "wmt-da": "Direct Assessment of WMT: ad-*-good-stnd.csv, crowd-alone csv, their Parquet",
    "appraise": "export of Appraise: csv without header, 9, 11 or 12 columns",
    "esa": "error span annotation: JSON lines of WMT24 and WMT25",
    "mqm": "MQM of Google: TSV with one error per row",
    "pearmut": "log of Pearmut: JSON lines with user_id and annotation",
    "label-studio": "JSON export of Label Studio",
    "shipdata": "folder of xlsx of ToShipOrNotToShip, or a Parquet file of it",
}
_ZIP = b"PK\x03\x04"
# Columns that only the files of one format have.
_PARQUET_COLUMNS = (
    ("shipdata", {"campaign", "user", "segment", "valid_line"}),
    ("wmt-da", {"system_score", "bad_ref_score"}),
    ("wmt-da", {"system_id", "worker", "sid", "type"}),
    ("esa", {"lp", "user", "type", "doc", "score"}),
    ("mqm", {"system", "rater", "category", "severity"}),
)


def sniff_judgments(path: FilePath) -> str:
    """Return the format of a file of judgments, one of `FORMATS`.

    What fits no other format is taken for a table, whose reader says what it misses.
    """
    if Path(path).is_dir():
        if any(Path(path).rglob("*.xlsx")):
            return "shipdata"
        raise DataError(f"{path}: this is a folder without xlsx files. Name a file.")
    data = read_bytes(path)
    if data.startswith(PARQUET):
        return _sniff_parquet(path, data)
    if data.startswith(_ZIP):
        return "shipdata"
    text = decode_text(data, path).strip()
    if not text:
        raise DataError(f"{path}: the file is empty. Give a file with judgments.")
    return _sniff_json(text) if text[0] in "{[" else _sniff_lines(text)


def _sniff_parquet(path: FilePath, data: bytes) -> str:
    import polars as pl

    try:
        names = set(pl.read_parquet_schema(io.BytesIO(data)))
    except (pl.exceptions.PolarsError, OSError) as error:
        raise DataError(
            f"{path}: the Parquet file cannot be read ({error}). Copy it again."
        ) from error
    return next((name for name, known in _PARQUET_COLUMNS if known <= names), "table")


def _sniff_lines(text: str) -> str:
    first = text.split("\n", 1)[0].rstrip("\r")
    words = {word.strip().lower() for word in first.replace(",", " ").split()}
    if {"hitid", "workerid", "sys_id", "sid"} <= words:
        return "wmt-da"
    if {"system", "rater", "category", "severity"} <= words:
        return "mqm"
    return "appraise" if _is_appraise(first) else "table"


def _is_appraise(line: str) -> bool:
    delimiter = "\t" if "\t" in line and "," not in line else ","
    try:
        cells = next(csv.reader([line], delimiter=delimiter), [])
    except csv.Error:
        return False
    return len(cells) in WIDTHS and cells[3].strip() in ITEM_TYPES


def _sniff_json(text: str) -> str:
    try:
        value = json.loads(text if text[0] == "[" else text.split("\n", 1)[0])
    except (json.JSONDecodeError, RecursionError):
        value = _whole(text)
    if isinstance(value, list):
        value = next((entry for entry in value if isinstance(entry, dict)), None)
    return _sniff_entry(value) if isinstance(value, dict) else "table"


def _whole(text: str) -> Any:
    """Return a JSON value that spreads over lines, or None."""
    try:
        return json.loads(text)
    except (json.JSONDecodeError, RecursionError):
        return None


def _sniff_entry(entry: Mapping[str, Any]) -> str:
    if "annotations" in entry and isinstance(entry.get("data"), dict):
        return "label-studio"
    if "annotation" in entry and "user_id" in entry:
        return "pearmut"
    if "esa_score" in entry and "system" in entry:
        return "esa"
    return "esa" if isinstance(entry.get("scores"), dict) and "doc_id" in entry else "table"
