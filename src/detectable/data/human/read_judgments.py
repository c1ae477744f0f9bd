"""Human judgments from a file of any known format, or from a table in memory."""

from collections.abc import Callable, Mapping
from typing import Any

from detectable.core import check
from detectable.core.choices import Repeated
from detectable.core.errors import InputError
from detectable.core.progress import Progress, silent
from detectable.data.files.named_columns import JudgmentsSource, is_path
from detectable.data.human.judgment_roles import check_scale
from detectable.data.human.judgments import Judgments
from detectable.data.human.read_appraise import read_appraise
from detectable.data.human.read_esa import read_esa
from detectable.data.human.read_judgment_table import read_judgment_table
from detectable.data.human.read_label_studio import read_label_studio
from detectable.data.human.read_mqm import read_mqm
from detectable.data.human.read_pearmut import read_pearmut
from detectable.data.human.read_shipdata import read_shipdata
from detectable.data.human.read_wmt_da import read_wmt_da
from detectable.data.human.sniff_judgments import FORMATS, sniff_judgments

_READERS: Mapping[str, Callable[..., Judgments]] = {
    "table": read_judgment_table,
    "wmt-da": read_wmt_da,
    "appraise": read_appraise,
    "esa": read_esa,
    "mqm": read_mqm,
    "pearmut": read_pearmut,
    "label-studio": read_label_studio,
    "shipdata": read_shipdata,
}
_WITH_COLUMNS = ("table", "label-studio")


def read_judgments(
    source: JudgmentsSource,
    *,
    format: str = "auto",
    columns: Mapping[str, str] | None = None,
    scale: tuple[float, float] | None = None,
    repeated: Repeated | None = None,
    progress: Progress = silent,
) -> Judgments:
    """Read human judgments: our own table, or what a campaign or an annotation tool wrote.

    Parameters
    ----------
    source : path, mapping of str to sequence, or data frame
        A file, a folder where the format has one, or a table in memory. Judgments that were
        read already are returned as they are.
    format : str
        One of ``table``, ``wmt-da``, ``appraise``, ``esa``, ``mqm``, ``pearmut``,
        ``label-studio``, ``shipdata``; ``auto`` looks into the file.
    columns : mapping of role to column, optional
        For tables, which column is what, as in `read_judgment_table`; for Label Studio, which
        part of a task, as in `read_label_studio`.
    scale : (float, float), optional
        Lowest and highest score. By default 0 and 100, and no bounds where the format has none.
    repeated : {'refuse', 'mark'}, optional
        What to do with two scores by one rater for one item of a system: refuse them, or mark
        the later ones as repeats. By default tables refuse, and formats of campaigns in which
        they occur mark.
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
    check.one_of(format, ("auto", *FORMATS), "format")
    if repeated is not None:
        check.literal(repeated, Repeated, "repeated")
    if scale is not None:
        scale = check_scale(scale)
    if not is_path(source) and format not in ("auto", "table"):
        raise InputError(f"`source` must be a path for the format {format!r}.")
    found = _found(source, columns) if format == "auto" else format
    if columns and found not in _WITH_COLUMNS:
        raise InputError(
            f"`columns` does not apply to the format {found!r}, whose columns are known."
        )
    options: dict[str, Any] = {"columns": columns, "scale": scale, "repeated": repeated}
    given = {name: value for name, value in options.items() if value is not None}
    if found == "shipdata":
        given["progress"] = progress
    return _READERS[found](source, **given)


def _found(source: JudgmentsSource, columns: Mapping[str, str] | None) -> str:
    """Return the format of a source; who names columns has a table, whatever it looks like."""
    found = sniff_judgments(source) if is_path(source) else "table"
    return "table" if columns and found not in _WITH_COLUMNS else found
