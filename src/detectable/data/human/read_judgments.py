"""Human judgments from a file of any known format, or from a table in memory."""

from collections.abc import Mapping
from typing import Any

from detectable.core import check
from detectable.core.choices import Repeated, SourceErrors
from detectable.core.errors import InputError
from detectable.core.types import Progress, silent
from detectable.data.files.content import FileContent
from detectable.data.files.table import TableSource, given, is_path
from detectable.data.human.judgment_table import check_scale
from detectable.data.human.judgments import Judgments
from detectable.data.reader import AUTO, TABLE, JudgmentReader, judgment_readers
from detectable.data.reader import find_judgment_reader as find_reader


def read_judgments(
    source: TableSource,
    *,
    format: str = "auto",
    columns: Mapping[str, str] | None = None,
    scale: tuple[float, float] | None = None,
    repeated: Repeated | None = None,
    source_errors: SourceErrors | None = None,
    progress: Progress = silent,
) -> Judgments:
    """Read human judgments: our own table, or what a campaign or an annotation tool wrote.

    Parameters
    ----------
    source : path, mapping of str to sequence, or data frame
        A file, a folder where the format has one, or a table in memory. Judgments that were
        read already are returned as they are.
    format : str
        ``table``, ``wmt-da``, ``appraise``, ``esa``, ``mqm``, ``pearmut``, ``label-studio``,
        ``shipdata``, or one that an installed package adds; ``auto`` looks into the file.
    columns : mapping of role to column, optional
        For tables, which column is what; for Label Studio, which part of a task.
    scale : (float, float), optional
        Lowest and highest score. By default what the file or its format says, else what the
        scores show: a short scale, which the notes name, or 0 and 100.
    repeated : {'refuse', 'mark'}, optional
        What to do with two scores by one rater for one item of a system: refuse them, or mark
        the later ones as repeats. By default tables refuse, and formats of campaigns in which
        they occur mark.
    source_errors : {'count', 'ignore'}, optional
        For MQM, whether an error of the source costs what its severity says (by default, as in
        the averages that Google publishes) or nothing.
    progress : callable
        Told about every file of a folder.

    Returns
    -------
    Judgments
        The table; its ``notes`` say what was left out or changed, with counts.

    Examples
    --------
    >>> judgments = read_judgments({"system": ["A", "B"], "item": [1, 1], "score": [60, 70]})
    >>> judgments.n_judgments
    2
    """
    if isinstance(source, Judgments):
        return source
    named = judgment_readers().named(format)
    if repeated is not None:
        check.literal(repeated, Repeated, "repeated")
    if source_errors is not None:
        check.literal(source_errors, SourceErrors, "source_errors")
    if scale is not None:
        scale = check_scale(scale)
    if not is_path(source) and format not in (AUTO, TABLE):
        raise InputError(f"`source` must be a path for the format {format!r}.")
    content = FileContent.of(source) if is_path(source) else source
    reader = named or _reader(content, columns)
    if columns and "columns" not in reader.takes:
        raise InputError(
            f"`columns` does not apply to the format {reader.name!r}, whose columns are known."
        )
    if source_errors is not None and "source_errors" not in reader.takes:
        raise InputError(
            f"`source_errors` does not apply to the format {reader.name!r}, which holds no errors. "
            "Leave it out."
        )
    options: dict[str, Any] = {
        "columns": columns,
        "scale": scale,
        "repeated": repeated,
        "source_errors": source_errors,
    }
    given = {name: value for name, value in options.items() if value is not None}
    if "progress" in reader.takes:
        given["progress"] = progress
    return reader.read(content, **given)


def judgments_of(data: Judgments | TableSource, name: str = "judgments") -> Judgments:
    """Return judgments that a study is given: as they are, or read from a file or a frame."""
    return given(data, Judgments, read_judgments, f"`{name}` must be judgments")


def _reader(content: Any, columns: Mapping[str, str] | None) -> JudgmentReader:
    """Return the reader of a source; who names columns has a table, whatever it looks like."""
    if isinstance(content, FileContent):
        found = find_reader(content)
        if not columns or "columns" in found.takes:
            return found
    return judgment_readers().get(TABLE)
