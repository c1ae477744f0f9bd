"""Parquet files.

The reader of polars is written in Rust. A damaged file can make it panic, which prints a trace
and raises what is no Exception, or ask for so much memory that the process is ended on the spot.
So a file is first read by a process of its own, once: what that survives, this process reads. Of a
large file, which takes its time, that process reads only what it says about itself.
"""

import hashlib
import io
import sys
from typing import TYPE_CHECKING

from detectable.core.errors import DataError
from detectable.data.files.place import FilePath
from detectable.data.files.size_limit import current_limit, refuse_larger

if TYPE_CHECKING:
    import polars as pl

PARQUET = b"PAR1"  # the first bytes
_LARGE = 8_000_000  # bytes from which on the trial is of the description alone
_CELL = 4  # bytes at least that a cell takes; a few bytes can stand for a billion equal cells
_DESCRIBE = """
import json, sys
sys.path[:] = json.loads(sys.argv[1])
import polars as pl
try:
    print(json.dumps({"rows": pl.scan_parquet(sys.argv[2], glob=False).select(pl.len()).collect().item()}))
except Exception as error:
    print(json.dumps({"reason": str(error)}))
"""
_tried: dict[tuple[bytes, int], int | str] = {}  # by digest: sniffing and reading try it once
_TRIAL = """
import io, json, sys
sys.path[:] = json.loads(sys.argv[1])
import polars as pl
data = sys.stdin.buffer.read()
try:
    rows = pl.scan_parquet(io.BytesIO(data)).select(pl.len()).collect().item()
    cells = rows * len(pl.read_parquet_schema(io.BytesIO(data)))
    if cells <= int(sys.argv[2]) and len(data) < int(sys.argv[3]):
        pl.read_parquet(io.BytesIO(data))
    print(json.dumps({"cells": cells}))
except Exception as error:
    print(json.dumps({"reason": str(error)}))
"""


def parquet_frame(path: FilePath, data: bytes) -> "pl.DataFrame":
    """Return the content of a Parquet file as a frame."""
    import polars as pl

    _require_sound(path, data)
    try:
        return pl.read_parquet(io.BytesIO(data))
    except pl.exceptions.PanicException as error:
        raise unreadable_parquet(path, str(error)) from None


def parquet_names(path: FilePath, data: bytes) -> frozenset[str]:
    """Return the names of the columns of a Parquet file."""
    import polars as pl

    _require_sound(path, data)
    return frozenset(pl.read_parquet_schema(io.BytesIO(data)))


def described_parquet(path: FilePath) -> int:
    """Return how many rows a file says it holds; it is not read, and what it says is tried outside."""
    import json
    import os
    import subprocess

    done = subprocess.run(
        [sys.executable, "-P", "-c", _DESCRIBE, json.dumps(sys.path), os.path.abspath(path)],
        capture_output=True,
        check=False,
    )
    try:
        said = json.loads(done.stdout)
    except ValueError:
        said = {"reason": "its reader broke off"}
    if "rows" not in said:
        raise unreadable_parquet(path, said["reason"])
    rows: int = said["rows"]
    return rows


def _require_sound(path: FilePath, data: bytes) -> None:
    """Refuse a file that does not survive its trial, or holds more than is allowed."""
    most = current_limit() // _CELL
    key = (hashlib.sha256(data).digest(), most)
    if key not in _tried:
        _tried[key] = _trial(data, most)
    found = _tried[key]
    if isinstance(found, str):
        raise unreadable_parquet(path, found)
    refuse_larger(found * _CELL, path)


def unreadable_parquet(path: FilePath, why: str) -> DataError:
    """Return the error of a damaged file."""
    first = why.strip().split("\n", 1)[0]
    return DataError(f"{path}: the Parquet file cannot be read ({first}). Copy it again.")


def _trial(data: bytes, most: int) -> int | str:
    """Return how many cells a file holds, or why another process could not read it."""
    if not (data.startswith(PARQUET) and data.endswith(PARQUET)):
        return f"it does not begin and end with {PARQUET.decode()}"
    import json
    import subprocess

    done = subprocess.run(
        [sys.executable, "-P", "-c", _TRIAL, json.dumps(sys.path), str(most), str(_LARGE)],
        input=data,
        capture_output=True,
        check=False,
    )
    try:
        said = json.loads(done.stdout)
    except ValueError:
        return "its reader broke off"
    found: int | str = said.get("cells", said.get("reason"))
    return found
