"""Parquet files."""

import io
from typing import TYPE_CHECKING

from detectable.core.errors import DataError
from detectable.data.files.place import FilePath

if TYPE_CHECKING:
    import polars as pl

PARQUET = b"PAR1"  # the first bytes


def parquet_frame(path: FilePath, data: bytes) -> "pl.DataFrame":
    """Return the content of a Parquet file as a frame."""
    import polars as pl

    try:
        return pl.read_parquet(io.BytesIO(data))
    except (pl.exceptions.PolarsError, OSError) as error:
        raise DataError(_damaged(path, error)) from error


def parquet_names(path: FilePath, data: bytes) -> frozenset[str]:
    """Return the names of the columns of a Parquet file, without reading them."""
    import polars as pl

    try:
        return frozenset(pl.read_parquet_schema(io.BytesIO(data)))
    except (pl.exceptions.PolarsError, OSError) as error:
        raise DataError(_damaged(path, error)) from error


def _damaged(path: FilePath, error: Exception) -> str:
    return f"{path}: the Parquet file cannot be read ({error}). Copy it again."
