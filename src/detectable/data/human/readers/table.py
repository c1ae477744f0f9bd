"""Judgments from a table with named columns."""

from collections.abc import Mapping

from detectable.core.choices import Repeated
from detectable.core.errors import DataError
from detectable.core.wording import count
from detectable.data.files.content import FileContent
from detectable.data.files.languages import with_language
from detectable.data.files.missing import is_missing
from detectable.data.files.table import Table, TableSource, read_table
from detectable.data.format_registry import LAST
from detectable.data.human.judgment_reader import JudgmentReader
from detectable.data.human.judgment_roles import build_judgments, choose_columns
from detectable.data.human.judgments import Judgments
from detectable.data.human.unmarked_names import unmarked
from detectable.data.scores.direction import direction_of_name

TASK_SHEET = frozenset(("position", "block", "of_position"))  # what `make_tasks` writes


def recognise(content: FileContent) -> bool:
    """Take every file: the reader says what it misses."""
    return not content.is_folder


def read(
    source: TableSource,
    *,
    columns: Mapping[str, str] | None = None,
    scale: tuple[float, float] | None = None,
    repeated: Repeated = "refuse",
) -> Judgments:
    """Read one judgment per row from CSV, TSV, JSON, JSON lines, Parquet or a data frame.

    Parameters
    ----------
    source : file, mapping of str to sequence, or data frame
        The table; text may be compressed. Frames of pandas, polars and Arrow are taken.
    columns : mapping of role to column, optional
        Roles are ``system``, ``item``, ``score`` (required), ``rater``, ``document``,
        ``domain``, ``wave``, ``task``, ``language``, ``campaign``, ``kind`` and ``seconds``.
        Usual names of columns are recognised.
    scale : (float, float), optional
        Lowest and highest score. By default what the columns ``scale_low`` and ``scale_high``
        say; without them 0 and 100, and no bounds for z-scores.
    repeated : {'refuse', 'mark'}
        What to do with two scores by one rater for one item of a system.

    In a task sheet that `make_tasks` wrote, an empty score is a text that was not judged yet; such
    rows are left out and counted. In other tables it is an error.

    Examples
    --------
    >>> table = {"model": ["A", "B"], "segment": [1, 1], "annotator": ["x", "x"], "score": [5, 9]}
    >>> read(table).rater.levels
    ('x',)
    """
    table = with_language(read_table(source, several=True))
    chosen, notes = choose_columns(table, columns)
    if table.columns.keys() >= TASK_SHEET:
        table, waiting = _judged(table, chosen["score"])
        notes += waiting
    notes += direction_note(chosen["score"])
    names = [name for role, name in chosen.items() if role not in ("score", "seconds")]
    table = unmarked(table, source, names)
    return build_judgments(table, chosen, scale=scale, repeated=repeated, notes=notes)


def direction_note(score: str) -> list[str]:
    """Say that higher is taken to be better, where the name of the column suggests the opposite."""
    if direction_of_name(score) != "lower":
        return []
    return [
        f"Column {score!r}: higher is taken to be better, and the name suggests the "
        "opposite. If lower is better, write the scores with a minus."
    ]


def _judged(table: Table, score: str) -> tuple[Table, list[str]]:
    """Return the rows of a task sheet that have a score; the others are not judged yet."""
    scores = table.cells(score)
    rows = [row for row, value in enumerate(scores) if not is_missing(value)]
    if len(rows) == len(scores):
        return table, []
    if not rows:
        raise DataError(
            f"{table.subject}, column {score!r}: nothing is judged yet. Fill in the scores of the "
            "task sheet."
        )
    waiting = count(len(scores) - len(rows), "text")
    return table.take(rows), [f"{waiting} of the task sheet not judged yet, left out."]


READER = JudgmentReader(
    name="table",
    about="CSV, TSV, JSON, JSON lines or Parquet with a header, one judgment per row",
    recognise=recognise,
    read=read,
    order=LAST,
    takes=("columns",),
)
