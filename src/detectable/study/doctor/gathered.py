"""The files that the doctor was given, those in folders of no known kind, and which go together."""

import fnmatch
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from detectable.core.errors import DetectableError
from detectable.core.progress import Progress
from detectable.core.wording import count, listing
from detectable.data.battles.battles import Battles
from detectable.data.battles.read_battles import read_battles
from detectable.data.files.folder import files_below, is_folder
from detectable.data.files.place import FilePath
from detectable.data.loaded import Loaded
from detectable.data.name_systems import file_stem
from detectable.data.scores.read_scores import read_scores
from detectable.data.scores.sample_log import SeveralFound
from detectable.data.scores.score_registry import score_readers
from detectable.data.scores.scores import Scores
from detectable.study.arena.outside import placing
from detectable.study.doctor.examination import FileFound
from detectable.study.doctor.recognise import recognise

_CHOOSES = {"metric": "--score-name", "filter": "--score-filter"}
_NO_DATA = (".*", "*.md", "README*", "LICEN[CS]E*")  # what lies beside data
_MOST = 40  # files of a folder of no known kind; more are no one's evaluation


@dataclass(frozen=True, slots=True)
class Given:
    """A file as it was given: perhaps with the name of its system."""

    name: str  # empty where none was given
    path: str
    found: FileFound


def gather(
    files: Sequence[FilePath] | Mapping[str, FilePath], progress: Progress
) -> list[Given]:
    """Return the files with what each of them is; of an unknown folder, the files in it."""
    named = files.items() if isinstance(files, Mapping) else [("", path) for path in files]
    given = []
    for name, path in named:
        progress(f"reading {path}", 0, None)
        # A trailing separator would part the folder's name from its files in messages.
        one = _recognised(name, os.fspath(path).rstrip(os.sep) or os.fspath(path))
        known = []
        if one.found.kind == "unknown" and not name:
            known = [inside for inside in _inside(one.path) if inside.found.kind != "unknown"]
        given += known or [one]
    return given


def _recognised(name: str, path: str) -> Given:
    return Given(name, path, recognise(path))


def _inside(path: str) -> list[Given]:
    """Return the files of a folder, but for what tells about data and holds none."""
    if not is_folder(path):
        return []
    found = [
        str(file)
        for file in files_below(path, "*")
        if not any(fnmatch.fnmatch(file.name, pattern) for pattern in _NO_DATA)
    ]
    return [_recognised("", file) for file in found] if len(found) <= _MOST else []


def bodies(given: Sequence[Given]) -> Iterator[list[Given]]:
    """Go through the files that belong together: one log per system, battles, and plain texts."""
    readers = score_readers()
    logs: dict[str, list[Given]] = {}
    battles: list[Given] = []
    texts: list[Given] = []
    for one in given:
        kind = one.found.kind
        alone = kind == "scores" and readers.get(one.found.format).names_systems
        if kind == "lines":
            texts.append(one)
        elif kind == "preferences":
            battles.append(one)
        elif kind == "scores" and not alone and one.found.format != "table":
            logs.setdefault(one.found.format, []).append(one)
        elif kind != "unknown":
            yield [one]
    yield from logs.values()
    yield from (part for part in (battles, texts) if part)


def apart(part: Sequence[Given]) -> list[list[Given]]:
    """Return files that cannot be read as one in groups that can; none where there is one file.

    A file joins the first group that can be read with it. One that cannot be read at all is a
    group by itself.
    """
    kind, files = part[0].found.kind, list(part)
    if len(files) == 1 and not files[0].name:
        files = [one for one in _inside(files[0].path) if one.found.kind == kind]
    if kind not in _TOGETHER or len(files) < 2:
        return []
    groups: list[list[Given]] = []
    for one in files:
        for group in groups:
            if _can_be_read([*group, one]):
                group.append(one)
                break
        else:
            groups.append([one])
    return groups


def _can_be_read(part: Sequence[Given]) -> bool:
    try:
        _TOGETHER[part[0].found.kind](part)
    except DetectableError:
        return False
    return True


def read_together(part: Sequence[Given]) -> tuple[Loaded[Scores], list[str]]:
    """Read scores, and return the words that name them on the command line.

    Where a log holds several metrics or filters, the one is taken that most people would choose.
    """
    source: FilePath | dict[str, list[FilePath]]
    if len(part) == 1 and not part[0].name:
        source, words = part[0].path, ["--scores", part[0].path]
    else:
        source = {}
        for one in part:
            source.setdefault(one.name or file_stem(one.path), []).append(one.path)
        named = [f"{name}={','.join(map(str, paths))}" for name, paths in source.items()]
        words = [word for text in named for word in ("--scores", text)]
    chosen: dict[str, str] = {}
    said: list[str] = []
    while True:
        try:
            loaded = read_scores(source, **chosen)  # type: ignore[arg-type]
        except SeveralFound as several:
            if several.noun in chosen or several.noun not in _CHOOSES:
                raise
            chosen[several.noun] = several.likely
            words += [_CHOOSES[several.noun], several.likely]
            said.append(
                f"{count(len(several.found), several.noun)} in the logs: "
                f"{listing(list(several.found), most=12)}."
            )
        else:
            return replace(loaded, notes=(*said, *loaded.notes)), words


def battles_together(part: Sequence[Given]) -> Battles:
    """Read battles as `arena` does; those of several files must be of one arena."""
    battles = read_battles([one.path for one in part])
    if len(part) > 1:
        placing(battles, all_ranked=True)  # refuses systems that never met
    return battles


_TOGETHER: Mapping[str, Callable[[Sequence[Given]], Any]] = {
    "scores": read_together,
    "preferences": battles_together,
}
