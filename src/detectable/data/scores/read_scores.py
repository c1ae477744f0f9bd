"""Scores from a file of any known format."""

from collections.abc import Mapping, Sequence
from typing import Any

from detectable.core.choices import LogErrors
from detectable.data.files.table import TableSource, given
from detectable.data.names import Runs
from detectable.data.scores.open_scores import open_scores
from detectable.data.scores.read_score_table import Layout
from detectable.data.scores.scores import Scores
from detectable.data.scores.suite import joined, read_suite


def read_scores(  # noqa: PLR0913 (one option of one format each)
    source: TableSource | Mapping[str, Runs],
    *,
    format: str = "auto",
    metric: str | Sequence[str] | None = None,
    systems: Sequence[str] | None = None,
    layout: Layout = "auto",
    columns: Mapping[str, str] | None = None,
    filter: str | None = None,
    language_pair: str | None = None,
    quoted: bool | None = None,
    errors: LogErrors | None = None,
    pool: bool = False,
) -> Scores:
    """Read segment scores from a table, a metric's output or the log of an evaluation harness.

    Parameters
    ----------
    source : path, data frame, or mapping
        One file, or a table in memory (a mapping of its columns, or a frame of pandas, polars or
        Arrow); or a mapping with the file of every system, or the files of its runs. A folder
        stands for the logs in it. Scores that were read already are returned as they are.
    format : str
        One of the formats in ``docs/data.md``, or one that an installed package adds; ``auto``
        looks into the file.
    metric : str or sequence of str, optional
        Which of several metrics or scorers in the file to take, or a name for the only one. Several
        are those of tasks with scorers of their own, as names or ``TASK=METRIC``.
    systems : sequence of str, optional
        Which systems to take, in this order.
    layout, columns, language_pair, quoted
        For tables, as in `read_score_table`.
    filter : str, optional
        For logs of the lm-evaluation-harness, as in `read_lm_eval`.
    errors : {'missing', 'zero'}, optional
        For logs that mark samples which ended in an error: these have no score (as left out), or
        they count 0.
    pool : bool
        Of a folder with several logs of a task take all, as samples of its questions. By default
        the newest is read. Logs that are named are all read.

    Returns
    -------
    Scores
        Their ``notes`` say what is missing or was left out, with counts.

    Examples
    --------
    >>> read_scores({"item": ["a", "b"], "old": [0.5, 0.7], "new": [0.6, 0.7]}).systems["new"]
    array([[0.6, 0.7]])
    """
    if isinstance(source, Scores):
        return source
    if metric is not None and not isinstance(metric, str):
        own: dict[str, Any] = {"layout": layout, "columns": columns, "quoted": quoted}
        return joined(
            read_suite(
                source,
                metric,
                format=format,
                systems=systems,
                filter=filter,
                language_pair=language_pair,
                errors=errors,
                pool=pool,
                **own,
            )
        )
    opened = open_scores(
        source,
        format=format,
        systems=systems,
        layout=layout,
        columns=columns,
        filter=filter,
        language_pair=language_pair,
        quoted=quoted,
        errors=errors,
        pool=pool,
    )
    return opened.read(metric)


def scores_of(data: Scores | TableSource, wanted: str = "`data` must be scores") -> Scores:
    """Return scores that a study is given: as they are, or read from a file or a frame."""
    return given(data, Scores, read_scores, wanted)
