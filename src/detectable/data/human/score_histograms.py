"""How often each system of each campaign got each score: the small form of a large collection."""

import io
import lzma
import sys
import tokenize
import warnings
import zipfile
import zlib
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from detectable.core.errors import DataError
from detectable.core.types import FloatArray, IntArray
from detectable.core.wording import listing
from detectable.data.factor import Factor, factor
from detectable.data.files.content import FileContent
from detectable.data.files.place import FilePath
from detectable.data.files.size_limit import refuse_larger_zip


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ScoreHistograms:
    """One row per system of a campaign. Read them with `read_score_histograms`.

    Attributes
    ----------
    values : array
        The scores, rising.
    counts : array of shape (rows, values)
        How often each was given.
    campaign, system : Factor
        What each row is about.
    language : Factor or None
        Its language pair, where known.
    path : str
        The file, for messages.
    """

    values: FloatArray
    counts: IntArray = field(repr=False)
    campaign: Factor
    system: Factor
    language: Factor | None = None
    path: str = ""

    @property
    def n_judgments(self) -> int:
        """The number of judgments."""
        return int(self.counts.sum())

    def pairs(self) -> tuple[IntArray, IntArray]:
        """Return the rows of all pairs of systems within a campaign, campaign by campaign."""
        order = np.argsort(self.campaign.codes, kind="stable")
        ends = np.flatnonzero(np.diff(self.campaign.codes[order])) + 1
        found = [pair for rows in np.split(order, ends) for pair in combinations(rows, 2)]
        if not found:
            raise DataError(
                f"{self.path or 'the histograms'}: no campaign has two systems to compare."
            )
        first, second = np.array(found, dtype=np.int64).T
        return first, second


# --- Score histograms from a NumPy archive (npz), the small form of a large collection of campaigns ---

_COUNTS = "all"
_MOST = 10**15  # below it every whole number is a float
# The header of an array is a piece of Python, and a member may be packed in any way.
_DAMAGE = (
    *(ValueError, TypeError, OSError, EOFError, KeyError, RuntimeError, OverflowError),
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, tokenize.TokenError, SyntaxError),
)


def is_numpy_archive(content: FileContent) -> bool:
    """Tell a NumPy archive: a ZIP file that holds arrays and nothing else."""
    if not content.is_zip:
        return False
    try:
        with zipfile.ZipFile(io.BytesIO(content.data)) as archive:
            names = archive.namelist()
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError):
        return False
    return bool(names) and all(name.endswith(".npy") for name in names)


def read_score_histograms(path: FilePath, *, counts: str = _COUNTS) -> ScoreHistograms:
    """Read how often each system of each campaign got each score.

    The file holds, row by row, ``campaign`` and ``system``, the table of counts, and where known
    ``language``, or ``source`` and ``target``, which together are the language pair. Columns of
    the table are the scores 0, 1, 2, … unless ``values`` says otherwise. The histograms of
    ShipData (Wei et al. 2022) have this form.

    Parameters
    ----------
    path : path
        A file made by ``numpy.savez``.
    counts : str
        The name of the table: ShipData has ``all`` judgments, and those that are ``valid``.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "histograms.npz"
    ...     np.savez(path, all=[[1, 2], [0, 3]], campaign=["wmt", "wmt"], system=["A", "B"])
    ...     read_score_histograms(path).values.tolist()
    [0.0, 1.0]
    """
    content = FileContent.of(path)
    if not is_numpy_archive(content):
        raise DataError(f"{content}: this is not a NumPy archive (npz) of score histograms.")
    stored = _arrays(content)
    for name in (counts, "campaign", "system"):
        if name not in stored:
            raise DataError(
                f"{content}: there is no array {name!r}. Found: {listing(sorted(stored))}."
            )
    table = _table(content, stored[counts], counts)
    columns = {name: _column(content, stored, name, len(table)) for name in _names(stored)}
    return ScoreHistograms(
        values=_values(content, stored, table),
        counts=table,
        campaign=columns["campaign"],
        system=columns["system"],
        language=columns.get("language"),
        path=str(content),
    )


def _arrays(content: FileContent) -> dict[str, NDArray[Any]]:
    refuse_larger_zip(content.data, content)
    try:
        with (
            warnings.catch_warnings(action="ignore", category=UserWarning),  # of old headers
            np.load(io.BytesIO(content.data), allow_pickle=False) as stored,
        ):
            arrays = {name: stored[name] for name in stored.files}
    except _DAMAGE as error:
        raise DataError(f"{content}: the arrays cannot be read ({error}).") from error
    for name, array in arrays.items():  # a member without the marks of an array comes as bytes
        if not isinstance(array, np.ndarray):
            raise DataError(f"{content}: {name!r} is no array.")
        if not _is_text(array):
            raise DataError(
                f"{content}, array {name!r}: there are numbers of no character in it."
            )
    if "language" not in arrays and {"source", "target"} <= arrays.keys():
        source, target = (arrays[name] for name in ("source", "target"))
        if source.shape == target.shape:
            arrays["language"] = np.array(
                [f"{a}-{b}" for a, b in zip(source.flat, target.flat, strict=True)]
            ).reshape(source.shape)
    return arrays


def _is_text(array: NDArray[Any]) -> bool:
    """Say whether texts are of characters; NumPy takes any number for one."""
    if array.dtype.kind != "U" or not array.dtype.itemsize or not array.size:
        return True
    numbers = np.dtype(np.uint32).newbyteorder(array.dtype.byteorder)
    codes = np.atleast_1d(np.ascontiguousarray(array)).view(numbers)
    half = (codes >= 0xD800) & (codes <= 0xDFFF)
    return bool((codes <= sys.maxunicode).all() and not half.any())


def _names(stored: dict[str, NDArray[Any]]) -> list[str]:
    return [name for name in ("campaign", "system", "language") if name in stored]


def _table(content: FileContent, table: NDArray[Any], name: str) -> IntArray:
    # What is no number, or not finite, has no remainder.
    real = np.issubdtype(table.dtype, np.integer) or np.issubdtype(table.dtype, np.floating)
    whole = real and bool(np.isfinite(table).all() and np.equal(np.mod(table, 1), 0).all())
    if table.ndim != 2 or not table.size or not whole or not _countable(table):
        raise DataError(
            f"{content}, array {name!r}: expected counts, whole numbers from 0 on, one row per "
            f"system and one column per score; found shape {table.shape} of {table.dtype}."
        )
    empty = np.flatnonzero(table.sum(axis=1) == 0)
    if empty.size:
        raise DataError(
            f"{content}, array {name!r}: row {empty[0]} (from 0) has no judgment. Drop it."
        )
    return np.ascontiguousarray(table, dtype=np.int64)


def _countable(table: NDArray[Any]) -> bool:
    return bool((table >= 0).all() and (table <= _MOST).all())


def _column(
    content: FileContent, stored: dict[str, NDArray[Any]], name: str, rows: int
) -> Factor:
    if stored[name].shape != (rows,):
        raise DataError(
            f"{content}, array {name!r}: expected {rows} entries, one per row of counts; found "
            f"shape {stored[name].shape}."
        )
    return factor(name, stored[name])


def _values(
    content: FileContent, stored: dict[str, NDArray[Any]], table: IntArray
) -> FloatArray:
    width = table.shape[1]
    if "values" not in stored:
        return np.arange(float(width))
    found = stored["values"]
    numbers = np.issubdtype(found.dtype, np.integer) or np.issubdtype(found.dtype, np.floating)
    values = np.asarray(found if numbers else [], dtype=np.float64)
    rising = values.shape == (width,) and bool(
        np.isfinite(values).all() and (values[1:] > values[:-1]).all()
    )
    if not rising:
        raise DataError(
            f"{content}, array 'values': expected {width} rising scores, one per column of "
            f"counts; found shape {found.shape} of {found.dtype}."
        )
    return values
