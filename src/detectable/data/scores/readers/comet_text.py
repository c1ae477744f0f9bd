"""What comet-score prints."""

import re
from collections.abc import Mapping, Sequence

from detectable.core.errors import DataError
from detectable.data.files.content import FileContent
from detectable.data.files.place import FilePath, place, quote
from detectable.data.files.read_lines import read_lines
from detectable.data.loaded import Loaded
from detectable.data.name_systems import Runs, file_stem
from detectable.data.scores.peek import first_lines
from detectable.data.scores.sample_log import ReadLog, Sample, SampleLog, gather_logs
from detectable.data.scores.score_reader import ScoreReader
from detectable.data.scores.scores import Scores

_SEGMENT = re.compile(r"(.+)\tSegment (\d+)\tscore: (-?\d+(?:\.\d+)?)")
_SYSTEM = re.compile(r"(.+)\tscore: (-?\d+(?:\.\d+)?)")
_ROUNDING = 1e-4  # of four decimals, in a mean and in what it is the mean of


def recognise(content: FileContent) -> bool:
    """Tell by a line «FILE, Segment N, score: x»; the log of the model may stand before it."""
    return any(_SEGMENT.fullmatch(line) for line in first_lines(content))


def read(
    files: FilePath | Mapping[str, Runs],
    *,
    metric: str | None = None,
    systems: Sequence[str] | None = None,
) -> Loaded[Scores]:
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
                f"{place(path, number)}: expected «FILE TAB Segment N TAB score: x», found "
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


READER = ScoreReader(
    name="comet-text",
    about="what comet-score prints, one or more systems",
    recognise=recognise,
    read=read,
    order=40,
)
