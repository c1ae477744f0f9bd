"""COMET: what ``comet-score`` prints, and the JSON of ``comet-score`` and ``comet-compare``."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from detectable.core.errors import DataError
from detectable.core.wording import count, listing
from detectable.data.files.content import FileContent
from detectable.data.files.lines import read_lines
from detectable.data.files.numbers import parse_score
from detectable.data.files.place import FilePath, place, quote
from detectable.data.files.read_json import read_json
from detectable.data.names import Runs, file_stem, system_files
from detectable.data.reader import ScoreReader
from detectable.data.scores.cells import Cell, assemble, check_counts, number_cells
from detectable.data.scores.sample_log import ReadLog, Sample, SampleLog, gather_logs
from detectable.data.scores.score_folder import first_lines
from detectable.data.scores.scored_texts import ScoredText, text_of
from detectable.data.scores.scores import Scores

_SEGMENT = re.compile(r"(.+)\tSegment ([0-9]+)\tscore: (-?[0-9]+(?:\.[0-9]+)?)")
_SYSTEM = re.compile(r"(.+)\tscore: (-?[0-9]+(?:\.[0-9]+)?)")
_ROUNDING = 1e-4  # of four decimals, in a mean and in what it is the mean of


def recognise_printed(content: FileContent) -> bool:
    """Tell by a line “FILE, Segment N, score: x”; the log of the model may stand before it."""
    return any(_SEGMENT.fullmatch(line) for line in first_lines(content))


def read(
    files: FilePath | Mapping[str, Runs],
    *,
    metric: str | None = None,
    systems: Sequence[str] | None = None,
) -> Scores:
    """Read the standard output of ``comet-score``: all systems of one call, or a file for each.

    The last line of a system is its mean. It is checked, so that an output that was cut short or
    put together from several is refused. Lines of other kinds, such as warnings, are passed over.

    Parameters
    ----------
    files : path, or mapping of str to path or paths
        One output with all systems, or an output for each.
    metric : str, optional
        A name for what the numbers measure; COMET by default.
    systems : sequence of str, optional
        Which systems to take.
    """
    return gather_logs(files, lambda path: _read(path, metric or "COMET"), systems=systems)


def _read(path: FilePath, metric: str) -> ReadLog:
    found: dict[str, list[Sample]] = {}
    means: dict[str, float] = {}
    for number, text in enumerate(read_lines(path), start=1):
        line = text.strip()
        segment, whole = _SEGMENT.fullmatch(line), _SYSTEM.fullmatch(line)
        if segment is not None:
            sample = Sample(segment[2], 1, float(segment[3]), number)
            found.setdefault(segment[1], []).append(sample)
        elif whole is not None and whole[1] in found:
            _check_mean(path, number, whole[1], float(whole[2]), found[whole[1]])
            means[whole[1]] = float(whole[2])
        elif "\tscore:" in line:
            raise DataError(
                f"{place(path, number)}: expected “FILE TAB Segment N TAB score: x”, found "
                f"{quote(line)}. Is it the output of comet-score?"
            )
    if not found:
        raise DataError(
            f"{path}: there is no score of a segment. Is it printed by comet-score?"
        )
    unfinished = [name for name in found if name not in means]
    if unfinished:
        raise DataError(
            f"{path}: the last line of {unfinished[0]!r}, its mean, is missing. Is the output cut "
            "short? Score it again."
        )
    short = {name: file_stem(name) for name in found}
    names = short if len(set(short.values())) == len(short) else {name: name for name in found}
    logs = {names[name]: SampleLog(path, metric, samples) for name, samples in found.items()}
    return ReadLog(metric, logs)


def _check_mean(
    path: FilePath, line: int, system: str, mean: float, samples: Sequence[Sample]
) -> None:
    computed = sum(sample.score for sample in samples) / len(samples)
    if abs(computed - mean) > _ROUNDING:
        raise DataError(
            f"{place(path, line)}: {system!r} has the mean {mean:.4f}, and its {len(samples):,} "
            f"segments have {computed:.4f}. Are segments missing? Score it again."
        )


PRINTED_SCORES = ScoreReader(
    name="comet-text",
    about="what comet-score prints, one or more systems",
    recognise=recognise_printed,
    read=read,
    order=40,
)


# --- Segment scores written by ``comet-score --to_json`` and ``comet-compare --to_json`` ---

_KEY = "COMET"


@dataclass(frozen=True, slots=True)
class _Output:
    """The scores of one output in a file, and the texts that tell if it fits the others."""

    system: str
    scores: list[float]
    text: ScoredText
    metric: str


def read_comet(
    files: FilePath | Mapping[str, Runs],
    *,
    metric: str | None = None,
    systems: Sequence[str] | None = None,
) -> Scores:
    """Read segment scores from the JSON files of COMET.

    Systems are named after the translation files, without folder and ending where that leaves
    their names different. All systems must have been scored on the same sources and references.

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
        outputs = _read_outputs(files)
        read = [(output.system, 1, files, output) for output in outputs]
    check_counts(
        [(f"{path}, {output.system}", len(output.scores)) for *_, path, output in read]
    )
    _check_texts([output for *_, output in read])
    cells: list[Cell] = []
    texts: dict[str, tuple[ScoredText, ...]] = {}
    for system, run, path, output in read:
        cells += number_cells(output.scores, system, path, run=run)
        texts[system] = (*texts.get(system, ()), output.text)
    loaded = assemble(cells, metric=metric or read[0][-1].metric, systems=systems)
    return replace(loaded, texts=texts)


def _single(path: FilePath) -> _Output:
    outputs = _read_outputs(path)
    if len(outputs) > 1:
        raise DataError(
            f"{path}: the file holds {len(outputs)} systems "
            f"({listing([output.system for output in outputs])}); expected one. Give the path "
            "alone to read them all."
        )
    return outputs[0]


def _read_outputs(path: FilePath) -> list[_Output]:
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
        where = f"{path}, system {system!r}, segment {number}"
        scores.append(parse_score(row[_KEY], where, truth=False))
    text = ScoredText(
        str(path),
        *(tuple(text_of(row.get(key)) for row in rows) for key in ("mt", "ref", "src")),
    )
    return _Output(system, scores, text, _KEY)


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
    return [
        _Output(
            names[str(entry["name"])],
            [
                parse_score(s, f"{path}, system {entry['name']!r}", truth=False)
                for s in entry["scores"]
            ],
            ScoredText(
                str(path),
                *(
                    _texts(path, lines, len(entry["scores"]))
                    for lines in (
                        entry.get("mt"),
                        content.get("reference"),
                        content.get("source"),
                    )
                ),
            ),
            str(content.get("model") or _KEY),
        )
        for entry in found
    ]


def _texts(path: FilePath, lines: object, n: int) -> tuple[str | None, ...]:
    """Return texts beside scores; none where the file has none."""
    if not isinstance(lines, list):
        return ()
    if len(lines) != n:
        raise DataError(
            f"{path}: {count(len(lines), 'text')} beside {count(n, 'score')}. Write the file with "
            "comet-compare --to_json."
        )
    return tuple(text_of(line) for line in lines)


def _check_texts(read: Sequence[_Output]) -> None:
    """Refuse systems that were scored on different sources or references."""
    first = read[0]
    for output in read[1:]:
        for what, mine, theirs in (
            ("source", first.text.sources, output.text.sources),
            ("reference", first.text.references, output.text.references),
        ):
            for number, pair in enumerate(zip(mine, theirs, strict=False), start=1):
                if None not in pair and pair[0] != pair[1]:
                    raise DataError(
                        f"{output.text.path}: segment {number} of {output.system!r} has the {what} "
                        f"{quote(pair[1])}, that of {first.system!r} is {quote(pair[0])}. Score "
                        f"all systems on the same {what} file."
                    )


# --- JSON of COMET ---


def recognise(content: FileContent) -> bool:
    """Tell by scores called COMET, by “translations”, or by lists under names of files."""
    entry = content.first_object
    if content.first_line.startswith("["):
        return "COMET" in entry
    lists = bool(entry) and all(isinstance(value, list) for value in entry.values())
    return "translations" in entry or lists


SCORES = ScoreReader(
    name="comet",
    about="JSON of comet-score or comet-compare (--to_json)",
    recognise=recognise,
    read=read_comet,
    order=65,
)
