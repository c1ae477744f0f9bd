"""Files of scores in a folder: which they are, and of which system."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from detectable.core.errors import DataError
from detectable.core.wording import listing
from detectable.data.files.folder import is_folder, names_in
from detectable.data.files.place import FilePath
from detectable.data.name_systems import Runs, name_systems, system_files
from detectable.data.scores.score_reader import ScoreReader
from detectable.data.scores.score_registry import score_readers


class ScoreFiles(NamedTuple):
    """Files instead of folders, and what was left out of the folders."""

    source: FilePath | Mapping[str, Sequence[FilePath]]
    notes: tuple[str, ...] = ()


def without_folders(
    source: FilePath | Mapping[str, Runs], reader: ScoreReader | None
) -> ScoreFiles:
    """Return the source with the files that its folders hold.

    A folder alone holds one system per model, as its logs name them; given for a system, it must
    hold one model, whose logs are tasks or runs of that system. A folder of no known harness
    holds a file per system, or the runs of the system it is given for.

    Parameters
    ----------
    source : path, or mapping of str to path or paths
        As for `read_scores`.
    reader : ScoreReader, optional
        The format, where the user named it; by default the first that finds its files.
    """
    if not isinstance(source, Mapping):
        folder = Path(source)
        if not is_folder(folder):
            return ScoreFiles(source)
        systems, notes = _find(folder, reader)
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
            systems, notes = _find(Path(path), reader)
            said += notes
            files += _plain(Path(path)) if systems is None else _only(path, systems)
        named[name] = files
    return ScoreFiles(named, tuple(said))


def _find(
    folder: Path, reader: ScoreReader | None
) -> tuple[Mapping[str, Sequence[Path]] | None, tuple[str, ...]]:
    for one in score_readers().in_order() if reader is None else [reader]:
        found = one.find(folder) if one.find is not None else None
        if found is not None and found.systems:
            return found.systems, tuple(found.notes)
    return None, ()


def _only(folder: FilePath, systems: Mapping[str, Sequence[Path]]) -> Sequence[Path]:
    if len(systems) > 1:
        raise DataError(
            f"{folder}: the folder holds logs of {len(systems)} models: "
            f"{listing(list(systems), most=20)}. Give the folder of one of them, or the folder "
            "alone to read them all."
        )
    return next(iter(systems.values()))


def _plain(folder: Path) -> list[Path]:
    names = [name for name in names_in(folder) if not name.startswith(".")]
    files = [folder / name for name in names if not is_folder(folder / name)]
    if not files:
        raise DataError(f"{folder}: the folder holds no file. Name a file with scores.")
    return files
