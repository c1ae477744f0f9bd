"""Judgments from a table with named columns."""

from collections.abc import Mapping

from detectable.core.choices import Repeated
from detectable.data.files.named_columns import JudgmentsSource, load_columns
from detectable.data.human.judgment_roles import build_judgments, choose_columns
from detectable.data.human.judgments import Judgments


def read_judgment_table(
    source: JudgmentsSource,
    *,
    columns: Mapping[str, str] | None = None,
    scale: tuple[float, float] | None = None,
    repeated: Repeated = "refuse",
) -> Judgments:
    """Read one judgment per row from CSV, TSV, JSON, JSON lines, Parquet or a data frame.

    Parameters
    ----------
    source : path, mapping of str to sequence, or data frame
        The table; text may be compressed. Frames of pandas, polars and Arrow are taken.
    columns : mapping of role to column, optional
        Roles are ``system``, ``item``, ``score`` (required), ``rater``, ``document``,
        ``domain``, ``wave``, ``task``, ``language``, ``campaign``, ``kind`` and ``seconds``.
        Usual names of columns are recognised.
    scale : (float, float), optional
        Lowest and highest score, 0 and 100 by default; z-scores have no bounds.
    repeated : {'refuse', 'mark'}
        What to do with two scores by one rater for one item of a system.

    Examples
    --------
    >>> table = {"model": ["A", "B"], "segment": [1, 1], "annotator": ["x", "x"], "score": [5, 9]}
    >>> read_judgment_table(table).rater.levels
    ('x',)
    """
    named = load_columns(source)
    chosen, notes = choose_columns(named, columns)
    return build_judgments(named, chosen, scale=scale, repeated=repeated, notes=notes)
