"""Tables in memory: a mapping of columns, or a frame of pandas, polars or Arrow."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from detectable.core.errors import DataError, InputError
from detectable.core.wording import count
from detectable.data.files.missing import is_missing
from detectable.data.files.place import quote


def memory_columns(source: Any) -> dict[str, Any]:
    """Return the columns of a table in memory: polars series, arrays or lists of one length."""
    if isinstance(source, Mapping):
        columns = {str(name): _column(values) for name, values in source.items()}
    elif hasattr(source, "iloc") and hasattr(source, "columns"):  # pandas
        columns = {str(name): _column(source[name]) for name in source.columns}
    elif hasattr(source, "collect") or hasattr(source, "__arrow_c_stream__"):
        columns = _arrow(source)
    else:
        raise InputError(
            "`source` must be a file, a mapping of columns or a data frame (pandas, polars, "
            f"Arrow); got {type(source).__name__}."
        )
    sizes = {name: len(values) for name, values in columns.items()}
    if len(set(sizes.values())) > 1:
        listed = ", ".join(f"{name} has {count(n, 'row')}" for name, n in sizes.items())
        raise DataError(f"the columns of a table must have one length: {listed}.")
    return columns


def _arrow(source: Any) -> dict[str, Any]:
    import polars as pl

    frame = source.collect() if isinstance(source, pl.LazyFrame) else pl.DataFrame(source)
    return {name: frame[name] for name in frame.columns}


def _column(values: Any) -> Any:
    import polars as pl

    if isinstance(values, pl.Series):
        return values
    array = values if isinstance(values, np.ndarray) else getattr(values, "values", None)
    if isinstance(array, np.ndarray) and array.ndim == 1 and array.dtype.kind in "iufbU":
        return array
    if isinstance(values, str | bytes) or not hasattr(values, "__iter__"):
        raise InputError(f"`source` must map names to sequences; got {quote(values)}.")
    # A word that means «missing» stays as it is, to be quoted where it is refused.
    return [
        value if isinstance(value, str) or not is_missing(value) else None for value in values
    ]
