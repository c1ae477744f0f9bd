"""Scores from a file of any known format."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from detectable.core import check
from detectable.core.choices import LogErrors
from detectable.core.errors import DataError, InputError
from detectable.core.interpreter import uncollected
from detectable.core.wording import listing
from detectable.data.files.content import FileContent
from detectable.data.files.place import FilePath
from detectable.data.loaded import Loaded
from detectable.data.names import Runs, system_files
from detectable.data.scores.read_score_table import Layout
from detectable.data.scores.score_folder import without_folders
from detectable.data.scores.score_formats import ScoreReader, find_score_reader, score_readers
from detectable.data.scores.scores import Scores


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
    errors: LogErrors | None = None,
) -> Loaded[Scores]:
    """Read segment scores from a table, a metric's output or the log of an evaluation harness.

    Parameters
    ----------
    source : path, or mapping of str to path or paths
        One file; or for every system its file, or the files of its runs. A folder stands for the
        logs in it.
    format : str
        One of the formats in ``docs/data.md``, or one that an installed package adds; ``auto``
        looks into the file.
    metric : str, optional
        Which of several metrics or scorers in the file to take, or a name for the only one.
    systems : sequence of str, optional
        Which systems to take, in this order.
    layout, columns, language_pair, quoted
        For tables, as in `read_score_table`.
    filter : str, optional
        For logs of the lm-evaluation-harness, as in `read_lm_eval`.
    errors : {'missing', 'zero'}, optional
        For logs that mark samples which ended in an error: these have no score (as left out), or
        they count 0.

    Returns
    -------
    Loaded
        The scores as ``table``; ``notes`` say what is missing or was left out.
    """
    reader = score_readers().named(format)
    found = without_folders(source, reader)
    opened = _opened_once(found.source)
    reader = _recognise(opened) if reader is None else reader
    given = {
        "layout": None if layout == "auto" else layout,
        "columns": columns,
        "filter": filter,
        "language_pair": language_pair,
        "quoted": quoted,
        "errors": None if errors is None else check.literal(errors, LogErrors, "errors"),
    }
    options = {name: value for name, value in given.items() if value is not None}
    for name in options:
        if name not in reader.takes:
            raise InputError(
                f"`{name}` does not apply to scores in the format {reader.name!r}."
            )
    if reader.names_systems and isinstance(opened, Mapping):
        raise InputError(
            f"files of the format {reader.name!r} name their systems themselves, so none can be given "
            f"for {listing(list(opened))}. Give one file alone."
        )
    with uncollected():
        loaded = reader.read(opened, metric=metric, systems=systems, **options)
    return replace(loaded, notes=(*found.notes, *loaded.notes))


def _opened_once(source: FilePath | Mapping[str, Runs]) -> FilePath | Mapping[str, Runs]:
    """Return the files in a form that tells their format and reads them from one opening."""
    if not isinstance(source, Mapping):
        return FileContent.of(source)
    return {
        system: [FileContent.of(path) for path in paths]
        for system, paths in system_files(source).items()
    }


def _recognise(source: FilePath | Mapping[str, Runs]) -> ScoreReader:
    if not isinstance(source, Mapping):
        return find_score_reader(FileContent.of(source))
    found = {
        str(path): find_score_reader(FileContent.of(path))
        for paths in system_files(source).values()
        for path in paths
    }
    names = {reader.name for reader in found.values()}
    if len(names) > 1:
        listed = ", ".join(f"{path} is {reader.name}" for path, reader in found.items())
        raise DataError(f"all files must be in one format: {listed}.")
    return next(iter(found.values()))
