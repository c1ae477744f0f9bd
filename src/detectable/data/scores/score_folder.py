"""Files of scores in a folder: which they are, of which system, and what their first lines show."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from detectable.core.errors import DataError
from detectable.core.wording import count, listing
from detectable.data.files.content import FileContent
from detectable.data.files.inputs import is_folder, names_in
from detectable.data.files.lines import read_lines
from detectable.data.files.place import FilePath, is_missing
from detectable.data.names import Runs, name_systems, system_files
from detectable.data.reader import ScoreReader, score_readers
from detectable.data.scores.scores import Scores
from detectable.data.texts.read_corpus import split_documents


class ScoreFiles(NamedTuple):
    """Files instead of folders, and what was left out of the folders."""

    source: FilePath | Mapping[str, Sequence[FilePath]]
    notes: tuple[str, ...] = ()


def without_folders(
    source: FilePath | Mapping[str, Runs], reader: ScoreReader | None, *, pool: bool = False
) -> ScoreFiles:
    """Return the source with the files that its folders hold.

    A folder alone holds one system per model, as its logs name them, or several where they say that
    it was run with different settings; given for a system, it must hold one, whose logs are its
    tasks or runs. A folder of no known harness
    holds a file per system, or the runs of the system it is given for.

    Parameters
    ----------
    source : path, or mapping of str to path or paths
        As for `read_scores`.
    reader : ScoreReader, optional
        The format, where the user named it; by default the first that finds its files.
    pool : bool
        Take all logs of a task, and not the newest alone.
    """
    if not isinstance(source, Mapping):
        folder = Path(source)
        if not is_folder(folder):
            return ScoreFiles(source)
        systems, notes = _find(folder, reader, pool=pool)
        if systems is None:
            return ScoreFiles(
                {name: [path] for name, path in name_systems(_plain(folder)).items()}
            )
        return ScoreFiles(dict(systems), notes)
    named: dict[str, Sequence[FilePath]] = {}
    said: list[str] = []
    for name, paths in system_files(source).items():
        files: list[FilePath] = []
        for path in paths:
            if not is_folder(path):
                files.append(path)
                continue
            systems, notes = _find(Path(path), reader, pool=pool)
            said += notes
            files += _plain(Path(path)) if systems is None else _only(path, systems)
        named[name] = files
    return ScoreFiles(named, tuple(said))


def _find(
    folder: Path, reader: ScoreReader | None, *, pool: bool
) -> tuple[Mapping[str, Sequence[Path]] | None, tuple[str, ...]]:
    for one in score_readers().in_order() if reader is None else [reader]:
        if one.find is None:
            continue
        found = (
            one.find(folder, pool=True) if pool and "pool" in one.takes else one.find(folder)
        )
        if found.systems:
            return found.systems, tuple(found.notes)
    return None, ()


def several_logs(folder: Path, newest: Mapping[str, tuple[int, str]]) -> list[str]:
    """Say of which tasks there are several logs, and that the newest of each is read.

    Parameters
    ----------
    newest : mapping of str to (int, str)
        By task how many logs there are, and which of them is the newest.
    """
    if not newest:
        return []
    told = [
        f"{task}: {n} logs, the newest ({name}) is read" for task, (n, name) in newest.items()
    ]
    return [f"{folder}: {listing(told)}. `pool` takes all as samples."]


def _only(folder: FilePath, systems: Mapping[str, Sequence[Path]]) -> Sequence[Path]:
    if len(systems) > 1:
        raise DataError(
            f"{folder}: the folder holds logs of {len(systems)} systems: "
            f"{listing(list(systems), most=20)}. Give the files or the folder of one of them, or "
            "the folder alone to read them all."
        )
    return next(iter(systems.values()))


def _plain(folder: Path) -> list[Path]:
    names = [name for name in names_in(folder) if not name.startswith(".")]
    files = [folder / name for name in names if not is_folder(folder / name)]
    if not files:
        raise DataError(f"{folder}: the folder holds no file. Name a file with scores.")
    return files


# --- Documents of scores whose items are known by their position only ---


def with_documents(scores: Scores, path: FilePath) -> Scores:
    """Return the scores with the document of each item, from a file with one line per item.

    Parameters
    ----------
    scores : Scores
        Whose items are numbered, as in files with one score per line.
    path : path
        A document name in every line, or ``domain<TAB>document``.
    """
    lines = tuple(read_lines(path))
    if scores.documents is not None:
        raise DataError(
            f"{path}: the scores name their documents already. Leave out one of the two."
        )
    if not scores.are_numbered:
        raise DataError(
            f"{path}: the items of the scores have names (first: {scores.items[0]!r}), so that "
            "lines cannot be matched with them. Put a column 'document' into the table of scores."
        )
    if len(lines) != scores.n_items:
        raise DataError(
            f"{path}: {count(len(lines), 'line')} for {count(scores.n_items, 'item')}. The file "
            "must name the document of every item."
        )
    names, _ = split_documents(path, lines)
    return replace(scores, documents=tuple(names))


# --- The first lines of a file of scores, by which its format is told ---

_PEEK = 50  # lines that must agree on a format
_NUMBER = re.compile(r"[+-]?[\d.]+([eE][+-]?\d+)?")


def first_lines(content: FileContent) -> list[str]:
    """Return the first lines of a text without outer space; none of what is no text or JSON."""
    if not content.first_line or content.first_line.startswith(("{", "[")):
        return []
    return [line.strip() for line in content.text.strip().split("\n", _PEEK)[:_PEEK]]


def is_score(text: str) -> bool:
    """Return whether a text is a number, or says that there is none.

    Examples
    --------
    >>> is_score("-1.5e-3"), is_score("None"), is_score("score")
    (True, True, False)
    """
    return is_missing(text) or _NUMBER.fullmatch(text) is not None
