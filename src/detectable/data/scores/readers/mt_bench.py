"""Grades of single answers in MT-bench."""

from collections.abc import Mapping, Sequence

from detectable.core.errors import DataError
from detectable.core.wording import count, listing
from detectable.data.files.content import FileContent
from detectable.data.files.parse_score import parse_score
from detectable.data.files.place import FilePath, place, quote
from detectable.data.files.read_json import read_json_lines
from detectable.data.loaded import Loaded
from detectable.data.name_systems import Runs
from detectable.data.scores.sample_log import ReadLog, Sample, SampleLog, gather_logs
from detectable.data.scores.score_reader import ScoreReader
from detectable.data.scores.scores import Scores

_KEYS = frozenset(("question_id", "model", "score", "turn"))
_FAILED = -1.0


def recognise(content: FileContent) -> bool:
    """Tell by the keys of a grade."""
    return content.first_object.keys() >= _KEYS


def read(
    files: FilePath | Mapping[str, Runs],
    *,
    metric: str | None = None,
    systems: Sequence[str] | None = None,
) -> Loaded[Scores]:
    """Read JSON lines of MT-bench with a grade of every turn, all systems in one file or a file each.

    An item is a question; its turns are samples of it, so that the score of a question is the mean
    of its turns, as on the leaderboard. A grade of -1, where the judge failed, is missing.

    Parameters
    ----------
    files : path, or mapping of str to path or paths
        The file, which names its systems, or a file for each.
    metric : str, optional
        A name for the grades; ``grade`` by default.
    systems : sequence of str, optional
        Which systems to take.
    """
    return gather_logs(files, lambda path: _read(path, metric), systems=systems)


def _read(path: FilePath, metric: str | None) -> ReadLog:
    found: dict[str, list[Sample]] = {}
    judges: dict[str, None] = {}
    failed = 0
    for line, row in read_json_lines(path):
        if not row.keys() >= _KEYS or not isinstance(row["turn"], int):
            raise DataError(
                f"{place(path, line)}: expected {', '.join(sorted(_KEYS))}, with a whole turn; found "
                f"{quote(row)}."
            )
        judges[str(row.get("judge"))] = None
        score = parse_score(row["score"], path, line, "score")
        failed += score == _FAILED
        found.setdefault(str(row["model"]), []).append(
            Sample(
                str(row["question_id"]),
                row["turn"],
                float("nan") if score == _FAILED else score,
                line,
            )
        )
    if len(judges) > 1:
        raise DataError(
            f"{path}: the file holds grades of {len(judges)} judges: {listing(list(judges))}. They "
            "are not comparable; give a file of one."
        )
    note = f"{path}: {count(failed, 'answer')} that the judge failed to grade (-1)."
    logs = {name: SampleLog(path, "mt-bench", samples) for name, samples in found.items()}
    return ReadLog(metric or "grade", logs, [note] if failed else [])


READER = ScoreReader(
    name="mt-bench",
    about="grades of single answers of MT-bench, JSON lines",
    recognise=recognise,
    read=read,
    order=37,
)
