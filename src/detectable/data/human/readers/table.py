"""Judgments from a table with named columns."""

from collections.abc import Mapping

from detectable.core.choices import Repeated
from detectable.data.files.content import FileContent
from detectable.data.files.languages import with_language
from detectable.data.files.table import TableSource, read_table
from detectable.data.human.judgment_reader import LAST, JudgmentReader
from detectable.data.human.judgment_roles import build_judgments, choose_columns
from detectable.data.human.judgments import Judgments
from detectable.data.scores.direction import direction_of_name


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

    Examples
    --------
    >>> table = {"model": ["A", "B"], "segment": [1, 1], "annotator": ["x", "x"], "score": [5, 9]}
    >>> read(table).rater.levels
    ('x',)
    """
    table = with_language(read_table(source, several=True))
    chosen, notes = choose_columns(table, columns)
    if direction_of_name(chosen["score"]) == "lower":
        notes.append(
            f"Column {chosen['score']!r}: higher is taken to be better, and the name suggests the "
            "opposite. If lower is better, write the scores with a minus."
        )
    return build_judgments(table, chosen, scale=scale, repeated=repeated, notes=notes)


READER = JudgmentReader(
    name="table",
    about="CSV, TSV, JSON, JSON lines or Parquet with a header, one judgment per row",
    recognise=recognise,
    read=read,
    order=LAST,
    takes=("columns",),
)
