"""Segment scores written by ``comet-score --to_json`` and ``comet-compare --to_json``."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from detectable.core.errors import DataError
from detectable.core.wording import listing
from detectable.data.files.parse_score import parse_score
from detectable.data.files.place import FilePath, quote
from detectable.data.files.read_json import read_json
from detectable.data.loaded import Loaded
from detectable.data.name_systems import Runs, file_stem, system_files
from detectable.data.scores.cell_columns import Cell
from detectable.data.scores.score_cells import assemble, check_counts, number_cells
from detectable.data.scores.scores import Scores

_KEY = "COMET"


@dataclass(frozen=True, slots=True)
class _Output:
    """The scores of one output in a file, and the sources that tell if it fits the others."""

    system: str
    scores: list[float]
    sources: list[str | None]
    metric: str


def read_comet(
    files: FilePath | Mapping[str, Runs],
    *,
    metric: str | None = None,
    systems: Sequence[str] | None = None,
) -> Loaded[Scores]:
    """Read segment scores from the JSON files of COMET.

    Systems are named after the translation files, without folder and ending where that leaves
    their names different. All systems must have been scored on the same sources.

    Parameters
    ----------
    files : path, or mapping of str to path or paths
        One file with all systems; or for every system a file that holds this system only (or
        several files, its runs).
    metric : str, optional
        A name for what the numbers measure. By default COMET, or the model if the file
        names it.
    systems : sequence of str, optional
        Which systems to take.
    """
    if isinstance(files, Mapping):
        read = [
            (system, run, path, _single(path))
            for system, paths in system_files(files).items()
            for run, path in enumerate(paths, start=1)
        ]
    else:
        outputs = _read(files)
        read = [(output.system, 1, files, output) for output in outputs]
    check_counts(
        [(f"{path}, {output.system}", len(output.scores)) for *_, path, output in read]
    )
    _check_sources([(path, output) for *_, path, output in read])
    cells: list[Cell] = []
    for system, run, path, output in read:
        cells += number_cells(output.scores, system, path, run=run)
    return assemble(cells, metric=metric or read[0][-1].metric, systems=systems)


def _single(path: FilePath) -> _Output:
    outputs = _read(path)
    if len(outputs) > 1:
        raise DataError(
            f"{path}: the file holds {len(outputs)} systems "
            f"({listing([output.system for output in outputs])}); expected one. Give the path "
            "alone to read them all."
        )
    return outputs[0]


def _read(path: FilePath) -> list[_Output]:
    content = read_json(path)
    if isinstance(content, dict) and isinstance(content.get("translations"), list):
        outputs = _compared(path, content)
    elif isinstance(content, dict) and all(isinstance(v, list) for v in content.values()):
        names = _short_names(list(content))
        outputs = [_scored(path, names[name], rows) for name, rows in content.items()]
    elif isinstance(content, list):  # older COMET: the rows of one system, alone
        outputs = [_scored(path, file_stem(path), content)]
    else:
        outputs = []
    if not outputs:
        raise DataError(
            f"{path}: this is no JSON file of COMET. Write one with comet-score --to_json."
        )
    return outputs


def _short_names(files: list[str]) -> dict[str, str]:
    short = [file_stem(name) for name in files]
    unique = len(set(short)) == len(short)
    return dict(zip(files, short if unique else files, strict=True))


def _scored(path: FilePath, system: str, rows: list[Any]) -> _Output:
    scores = []
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, dict) or _KEY not in row:
            raise DataError(
                f"{path}: segment {number} of system {system!r} has no {_KEY!r} score, found "
                f"{quote(row)}. Write the file with comet-score --to_json."
            )
        scores.append(parse_score(row[_KEY], f"{path}, system {system!r}, segment {number}"))
    return _Output(system, scores, [row.get("src") for row in rows], _KEY)


def _compared(path: FilePath, content: Mapping[str, Any]) -> list[_Output]:
    """Read the form of comet-compare: {model, source, translations: [{name, mt, scores}]}."""
    found = content["translations"]
    for entry in found:
        if not (
            isinstance(entry, dict)
            and "name" in entry
            and isinstance(entry.get("scores"), list)
        ):
            raise DataError(
                f"{path}: a translation has no name or no scores, found {quote(entry)}. Write "
                "the file with comet-compare --to_json."
            )
    names = _short_names([str(entry["name"]) for entry in found])
    sources = content.get("source")
    return [
        _Output(
            names[str(entry["name"])],
            [parse_score(s, f"{path}, system {entry['name']!r}") for s in entry["scores"]],
            sources if isinstance(sources, list) else [],
            str(content.get("model") or _KEY),
        )
        for entry in found
    ]


def _check_sources(read: Sequence[tuple[FilePath, _Output]]) -> None:
    first = read[0][1]
    for path, output in read[1:]:
        pairs = zip(first.sources, output.sources, strict=False)
        for number, (mine, theirs) in enumerate(pairs, start=1):
            if mine != theirs:
                raise DataError(
                    f"{path}: segment {number} of {output.system!r} has the source "
                    f"{quote(theirs)}, that of {first.system!r} is {quote(mine)}. Score all "
                    "systems on the same source file."
                )
