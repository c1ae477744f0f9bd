"""MQM judgments of Google: one error per row, one score per rater and segment."""

from collections import Counter
from typing import TYPE_CHECKING

from detectable.core.choices import Repeated, SourceErrors
from detectable.core.errors import DataError
from detectable.core.wording import count, listing
from detectable.data.files.content import FileContent
from detectable.data.files.table import Table, read_table
from detectable.data.human.judgment_reader import JudgmentReader
from detectable.data.human.judgment_roles import check_scale
from detectable.data.human.judgment_rows import PENALTY_SCALE
from detectable.data.human.judgments import Judgments
from detectable.data.human.mqm_weights import Noted, error_weight, noted, weight_notes
from detectable.data.human.wmt_names import names_from_file

if TYPE_CHECKING:
    import polars as pl

_NAMES = {
    "system": ("system",),
    "item": ("seg_id", "globalsegid", "global_seg_id", "docsegid"),
    "rater": ("rater",),
    "document": ("doc", "doc_name"),
    "category": ("category",),
    "severity": ("severity",),
}
_COLUMNS = frozenset(("system", "rater", "category", "severity"))
_REQUIRED = ("system", "item", "rater", "category", "severity")


def recognise(content: FileContent) -> bool:
    """Tell by the columns of an error."""
    header = {word.strip().lower() for word in content.first_line.replace(",", " ").split()}
    return header >= _COLUMNS or content.parquet_columns >= _COLUMNS


def read(
    content: FileContent,
    *,
    scale: tuple[float, float] | None = None,
    repeated: Repeated = "mark",
    source_errors: SourceErrors = "count",
) -> Judgments:
    r"""Read MQM errors and add them up to one score per system, segment and rater.

    .. math:: s = -\sum_{e} w_e

    with the weights of `error_weight` (Freitag et al. 2021). No error is 0, and worse is
    lower. Raters are kept apart: a segment that three raters annotated has three rows.

    Parameters
    ----------
    content : FileContent
        A TSV file with the columns ``system, doc, seg_id, rater, category, severity``.
    scale : (float, float), optional
        By default no lower bound, and 0 as the highest.
    repeated : {'refuse', 'mark'}
        For second annotations by one rater, which this format cannot tell apart.
    source_errors : {'count', 'ignore'}
        Whether the category «Source error» costs what its severity says, or nothing.
    """
    import polars as pl

    table = read_table(content, several=True)
    frame = _frame(table)
    keys = [name for name in ("system", "item", "rater", "document") if name in frame.columns]
    frame = frame.with_columns(-_weights(table, frame, source_errors))
    segments = frame.group_by(keys, maintain_order=True).agg(
        score=pl.col("weight").sum(), row=pl.col("row").first(), errors=pl.len()
    )
    found, notes = names_from_file(content)
    columns = {name: segments[name] for name in (*keys, "score")}
    columns |= {role: pl.Series([name] * segments.height) for role, name in found.items()}
    notes = [*notes, *weight_notes(_seen(frame), source_errors)]
    rows = segments["row"].to_list()
    lines = rows if table.lines is None else [table.lines[row] for row in rows]
    return Judgments.build(
        columns,
        scale=PENALTY_SCALE if scale is None else check_scale(scale),
        repeated=repeated,
        path=table.path,
        lines=lines,
        notes=[
            f"{count(frame.height, 'row')} of errors added up per rater and segment.",
            *notes,
        ],
    )


def _frame(table: Table) -> "pl.DataFrame":
    import polars as pl

    found = {role: table.find(names) for role, names in _NAMES.items()}
    missing = [role for role in _REQUIRED if not found[role]]
    if missing:
        raise table.missing(f"the {' and the '.join(missing)} of MQM")
    frame = pl.DataFrame(
        {
            role: pl.Series(table.columns[names[0]], strict=False).cast(pl.String).fill_null("")
            for role, names in found.items()
            if names
        }
    )
    return frame.with_row_index("row")


def _seen(frame: "pl.DataFrame") -> "Counter[Noted]":
    seen: Counter[Noted] = Counter()
    for category, severity, n in frame.group_by("category", "severity").len().iter_rows():
        about = noted(category, severity)
        if about is not None:
            seen[about] += n
    return seen


def _weights(table: Table, frame: "pl.DataFrame", source_errors: SourceErrors) -> "pl.Series":
    """Return the cost of every error; there are few different ones."""
    import polars as pl

    kinds = frame.select("category", "severity").unique(maintain_order=True)
    weights = [
        error_weight(category, severity, source_errors=source_errors)
        for category, severity in kinds.iter_rows()
    ]
    both = pl.concat_str("category", "severity", separator="\t")  # no cell of a TSV holds a tab
    joined = frame.with_columns(
        weight=both.replace_strict(
            kinds.select(both).to_series(), pl.Series(weights, dtype=pl.Float64)
        )
    )
    unknown = joined.filter(pl.col("weight").is_null())
    if unknown.height:
        names = [repr(name) for name in unknown["severity"].unique(maintain_order=True)]
        raise DataError(
            f"{table.place(unknown['row'][0], 'severity')}: unknown severity "
            f"{listing(names)} ({count(unknown.height, 'row')} in all). Known are Major, Minor, "
            "Critical, Neutral, Undecided and No-error."
        )
    return joined["weight"]


READER = JudgmentReader(
    name="mqm",
    about="MQM of Google: TSV with one error per row",
    recognise=recognise,
    read=read,
    order=60,
    takes=("source_errors",),
)
