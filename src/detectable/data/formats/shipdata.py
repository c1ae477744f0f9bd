"""ShipData: the human judgments of Microsoft (Kocmi et al. 2021), 2.3 million of them."""

import io
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from detectable.core.choices import Repeated
from detectable.core.errors import DataError, MissingExtraError
from detectable.core.types import Progress, silent
from detectable.core.wording import count
from detectable.data.files.content import FileContent
from detectable.data.files.inputs import files_below
from detectable.data.files.parquet import parquet_frame
from detectable.data.files.place import quote
from detectable.data.files.size_limit import refuse_larger_zip
from detectable.data.files.table import Table
from detectable.data.human.judgment_table import build_judgments
from detectable.data.human.judgments import Judgments
from detectable.data.human.scale import SCALE
from detectable.data.reader import JudgmentReader

if TYPE_CHECKING:
    import polars as pl

_PARQUET = frozenset(("campaign", "user", "segment", "valid_line"))
SHEET = "hum_annotations"
_SHEET_COLUMNS = {
    "Source": "source",
    "Target": "target",
    "User": "user",
    "Segment": "segment",
    "Score": "score",
    "valid_line": "valid_line",
}
_ROLES = {
    "system": "system",
    "item": "segment",
    "score": "score",
    "rater": "user",
    "campaign": "campaign",
    "language": "language",
}


def recognise(content: FileContent) -> bool:
    """Tell a folder of xlsx files, one of them, or the Parquet file by its columns."""
    if content.is_folder:
        return bool(files_below(content, "*.xlsx"))
    return content.is_workbook or content.parquet_columns >= _PARQUET


def read(
    content: FileContent,
    *,
    scale: tuple[float, float] | None = None,
    repeated: Repeated = "mark",
    progress: Progress = silent,
) -> Judgments:
    """Read ShipData from its folder of xlsx files, or from one Parquet file of it.

    In the folder (``public_release``) there is one folder for each campaign with one file for
    each system, whose sheet ``hum_annotations`` holds a judgment per row. The Parquet file has
    the columns ``campaign, system, source, target, user, segment, score``. An item is a source
    segment (the same text is the same item), a language is ``source-target``. All rows are
    kept, also those whose ``valid_line`` is false, as in the analyses published on these data.

    Parameters
    ----------
    content : FileContent
        The folder, one xlsx file of it, or the Parquet file.
    scale : (float, float), optional
        0 and 100 by default.
    repeated : {'refuse', 'mark'}
        Some users judged an item of a system more than once; these are marked as repeats.
    progress : callable
        Told about every file of a folder.
    """
    import polars as pl

    notes = []
    first = 1
    if content.is_folder or content.is_zip:
        first = 2  # below the header
        frame = _xlsx(content, SCALE if scale is None else scale, progress)
    else:
        frame = _parquet(content)
    if "valid_line" in frame.columns:
        invalid = int((~frame["valid_line"].cast(pl.Boolean)).sum())
        if invalid:
            notes.append(
                f"{count(invalid, 'judgment')} on lines that not all systems have (valid_line is "
                "false) kept."
            )
    both = pl.col("source").cast(pl.String) + "-" + pl.col("target").cast(pl.String)
    frame = frame.with_columns(language=both)
    table = Table(
        path=str(content),
        columns={name: frame[name] for name in frame.columns},
        # The rows of many files have no number; their scores were looked at file by file.
        lines=None if content.is_folder else range(first, frame.height + first),
    )
    return build_judgments(table, _ROLES, scale=scale, repeated=repeated, notes=notes)


def _parquet(content: FileContent) -> "pl.DataFrame":
    if not content.is_parquet:
        raise DataError(f"{content}: ShipData is a folder of xlsx files, or a Parquet file.")
    frame = parquet_frame(content, content.data)
    names = {"source", "target", *_ROLES.values()} - {"language"}
    missing = sorted(names - set(frame.columns))
    if missing:
        raise DataError(f"{content}: there is no column {missing[0]!r}, which ShipData has.")
    return frame


def _xlsx(
    content: FileContent, scale: tuple[float, float], progress: Progress
) -> "pl.DataFrame":
    import polars as pl

    if find_spec("fastexcel") is None:
        raise MissingExtraError(
            "xlsx files are read with fastexcel, which is not installed. "
            'Run `pip install "detectable[xlsx]"`.'
        )
    files = [content]
    if content.is_folder:
        paths = files_below(content, "*.xlsx")
        files = [FileContent(path) for path in paths if not path.name.startswith("~$")]
    if not files:
        raise DataError(f"{content}: there is no xlsx file in this folder.")
    frames = []
    for done, file in enumerate(files, start=1):
        frames.append(_sheet(file, scale))
        progress("reading xlsx files", done, len(files))
    return pl.concat(frames)


def _sheet(file: FileContent, scale: tuple[float, float]) -> "pl.DataFrame":
    """Return the judgments of one system of one campaign."""
    import polars as pl

    refuse_larger_zip(file.data, file)
    excel_error = import_module("fastexcel").FastExcelError
    try:
        # Text for every column: fastexcel guesses types from the first rows only.
        frame = pl.read_excel(
            io.BytesIO(file.data), sheet_name=SHEET, engine="calamine", infer_schema_length=0
        )
    except (excel_error, pl.exceptions.PolarsError, ValueError, OSError) as error:
        raise DataError(
            f"{file}: the sheet {SHEET!r} cannot be read ({error}). Is this a file of ShipData?"
        ) from error
    missing = [name for name in _SHEET_COLUMNS if name not in frame.columns]
    if missing:
        raise DataError(
            f"{file}, sheet {SHEET!r}: there is no column {missing[0]!r}. "
            f"Found: {', '.join(frame.columns[:12])}."
        )
    chosen = frame.select(
        pl.col(name).cast(pl.String).alias(new) for name, new in _SHEET_COLUMNS.items()
    )
    numbers = chosen["score"].cast(pl.Float64, strict=False)
    wrong = (~numbers.is_between(*scale)).fill_null(value=True).arg_true()
    if wrong.len():
        row = int(wrong[0])
        raise DataError(
            f"{file}, sheet {SHEET!r}, row {row + 2:,}, column 'Score': expected a number between "
            f"{scale[0]:g} and {scale[1]:g}, found {quote(chosen['score'][row])} "
            f"({count(wrong.len(), 'row')} in all)."
        )
    valid = pl.col("valid_line").str.to_lowercase().is_in(["true", "1", "1.0"])
    return chosen.with_columns(
        valid,
        campaign=pl.lit(Path(file).parent.name),
        system=pl.lit(Path(file).stem),
    )


JUDGMENTS = JudgmentReader(
    name="shipdata",
    about="folder of xlsx of ToShipOrNotToShip, or a Parquet file of it",
    recognise=recognise,
    read=read,
    order=10,
    takes=("progress",),
)
