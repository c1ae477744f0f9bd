"""Scores from a file of any known format."""

from collections.abc import Callable, Mapping, Sequence

from detectable.core import check
from detectable.core.errors import DataError, InputError
from detectable.data.files.content import FileContent
from detectable.data.files.place import FilePath
from detectable.data.loaded import Loaded
from detectable.data.name_systems import Runs, system_files
from detectable.data.scores.read_comet import read_comet
from detectable.data.scores.read_inspect import read_inspect
from detectable.data.scores.read_lm_eval import read_lm_eval
from detectable.data.scores.read_sacrebleu import read_sacrebleu
from detectable.data.scores.read_score_lines import read_score_lines
from detectable.data.scores.read_score_table import Layout, read_score_table
from detectable.data.scores.read_seg_score import read_seg_score
from detectable.data.scores.scores import Scores
from detectable.data.scores.sniff_scores import FORMATS, sniff_scores

_READERS: Mapping[str, Callable[..., Loaded[Scores]]] = {
    "table": read_score_table,
    "lines": read_score_lines,
    "sacrebleu": read_sacrebleu,
    "comet": read_comet,
    "seg-score": read_seg_score,
    "lm-eval": read_lm_eval,
    "inspect": read_inspect,
}
_OPTIONS = {
    "table": ("layout", "columns", "language_pair", "quoted"),
    "lm-eval": ("filter",),
}


def read_scores(  # noqa: PLR0913 (one option of one format each)
    source: FilePath | Mapping[str, Runs],
    *,
    format: str = "auto",
    metric: str | None = None,
    systems: Sequence[str] | None = None,
    layout: Layout = "auto",
    columns: Mapping[str, str] | None = None,
    filter: str | None = None,
    language_pair: str | None = None,
    quoted: bool | None = None,
) -> Loaded[Scores]:
    """Read segment scores from a table, a metric's output or the log of an evaluation harness.

    Parameters
    ----------
    source : path, or mapping of str to path or paths
        One file; or for every system its file, or the files of its runs.
    format : str
        One of ``table``, ``lines``, ``sacrebleu``, ``comet``, ``seg-score``, ``lm-eval``,
        ``inspect``; ``auto`` looks into the file.
    metric : str, optional
        Which of several metrics or scorers in the file to take, or a name for the only one.
    systems : sequence of str, optional
        Which systems to take, in this order.
    layout, columns, language_pair, quoted
        For tables, as in `read_score_table`.
    filter : str, optional
        For logs of the lm-evaluation-harness, as in `read_lm_eval`.

    Returns
    -------
    Loaded
        The scores as ``table``; ``notes`` say what is missing or was left out.
    """
    check.one_of(format, ("auto", *FORMATS), "format")
    source = _opened_once(source)
    found = _sniff(source) if format == "auto" else format
    given = {
        "layout": None if layout == "auto" else layout,
        "columns": columns,
        "filter": filter,
        "language_pair": language_pair,
        "quoted": quoted,
    }
    options = {name: value for name, value in given.items() if value is not None}
    for name in options:
        if name not in _OPTIONS.get(found, ()):
            raise InputError(f"`{name}` does not apply to scores in the format {found!r}.")
    if found == "seg-score" and isinstance(source, Mapping):
        raise InputError(
            "`source` must be a path for the format 'seg-score', whose files name their systems "
            f"themselves; got {len(source)} systems."
        )
    return _READERS[found](source, metric=metric, systems=systems, **options)


def _opened_once(source: FilePath | Mapping[str, Runs]) -> FilePath | Mapping[str, Runs]:
    """Return the files in a form that tells their format and reads them from one opening."""
    if not isinstance(source, Mapping):
        return FileContent.of(source)
    return {
        system: [FileContent.of(path) for path in paths]
        for system, paths in system_files(source).items()
    }


def _sniff(source: FilePath | Mapping[str, Runs]) -> str:
    if not isinstance(source, Mapping):
        return sniff_scores(source)
    found = {
        path: sniff_scores(path) for paths in system_files(source).values() for path in paths
    }
    if len(set(found.values())) > 1:
        listed = ", ".join(f"{path} is {name}" for path, name in found.items())
        raise DataError(f"all files must be in one format: {listed}.")
    return next(iter(found.values()))
