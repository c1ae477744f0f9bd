"""Files or a table of scores whose format is found, before they are read by one metric or several."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from detectable.core import check
from detectable.core.choices import LogErrors
from detectable.core.errors import DataError, InputError
from detectable.core.interpreter import uncollected
from detectable.core.wording import listing
from detectable.data.files.content import FileContent
from detectable.data.files.place import FilePath
from detectable.data.files.table import TableSource, is_path
from detectable.data.names import Runs, are_files, system_files
from detectable.data.reader import (
    TABLE,
    ScoredBy,
    ScoreReader,
    find_score_reader,
    score_readers,
)
from detectable.data.scores.score_folder import without_folders
from detectable.data.scores.scores import Scores

# Options that say which rows are read, and not what becomes of them.
_OF_ROWS = ("columns", "filter", "language_pair", "quoted")


@dataclass(frozen=True, slots=True)
class OpenedScores:
    """Files or a table of scores whose format is known, to be read by one metric or several."""

    source: TableSource | Mapping[str, Runs]
    reader: ScoreReader
    systems: Sequence[str] | None
    options: Mapping[str, Any]
    notes: tuple[str, ...]

    def read(self, metric: str | None, tasks: Sequence[str] | None = None) -> Scores:
        """Return the scores by one metric, on all tasks or on some."""
        options = self.options if tasks is None else {**self.options, "tasks": tasks}
        with uncollected():
            loaded = self.reader.read(
                self.source, metric=metric, systems=self.systems, **options
            )
        return replace(loaded, notes=(*self.notes, *loaded.notes))

    def scored_by(self) -> Mapping[str, ScoredBy]:
        """Return what scores each task; nothing where the format does not name tasks."""
        if self.reader.scored_by is None:
            return {}
        own = {name: value for name, value in self.options.items() if name in _OF_ROWS}
        with uncollected():
            return self.reader.scored_by(self.source, **own)


def open_scores(
    source: TableSource | Mapping[str, Runs],
    *,
    format: str = "auto",
    systems: Sequence[str] | None = None,
    errors: LogErrors | None = None,
    pool: bool = False,
    **options: Any,
) -> OpenedScores:
    """Find the files and their format, and check that its reader knows the options.

    Parameters
    ----------
    source, format, systems, errors, pool, options
        As for `read_scores`.
    """
    reader = score_readers().named(format)
    notes: Sequence[str] = ()
    opened: Any
    if is_path(source) or are_files(source):
        found = without_folders(source, reader, pool=pool)
        opened = _opened_once(found.source)
        reader = _recognise(opened) if reader is None else reader
        notes = found.notes
    else:
        opened, reader = source, reader or score_readers().get(TABLE)
        if reader.name != TABLE:
            raise InputError(f"`format` must be table for a table in memory; got {format!r}.")
    if options.get("layout") == "auto":
        del options["layout"]
    options["errors"] = None if errors is None else check.literal(errors, LogErrors, "errors")
    chosen = {name: value for name, value in options.items() if value is not None}
    for name in (*chosen, *(["pool"] if pool else [])):
        if name not in reader.takes:
            raise InputError(
                f"`{name}` does not apply to scores in the format {reader.name!r}."
            )
    if reader.names_systems and are_files(opened):
        raise InputError(
            f"files of the format {reader.name!r} name their systems themselves, so none can be given "
            f"for {listing(list(opened))}. Give one file alone."
        )
    return OpenedScores(opened, reader, systems, chosen, tuple(notes))


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
