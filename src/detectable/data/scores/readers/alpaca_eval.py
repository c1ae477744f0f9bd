"""Annotations of AlpacaEval: how often a system wins against the reference system."""

from collections.abc import Mapping, Sequence

from detectable.core.errors import DataError
from detectable.core.wording import count, listing
from detectable.data.files.alpaca_annotations import KEYS, read_annotations
from detectable.data.files.content import FileContent
from detectable.data.files.place import FilePath
from detectable.data.loaded import Loaded
from detectable.data.name_systems import Runs
from detectable.data.scores.sample_log import ReadLog, SampleLog, gather_logs, number_samples
from detectable.data.scores.score_reader import ScoreReader
from detectable.data.scores.scores import Scores


def recognise(content: FileContent) -> bool:
    """Tell by two generators and a preference."""
    return content.first_object.keys() >= KEYS


def read(
    files: FilePath | Mapping[str, Runs],
    *,
    metric: str | None = None,
    systems: Sequence[str] | None = None,
) -> Loaded[Scores]:
    """Read ``annotations.json`` of AlpacaEval, one file per system.

    The score of an instruction is the probability that the system (``generator_2``) is preferred
    to the reference system; their mean is the win rate of the leaderboard, as a fraction. All
    files must have the same reference system and the same annotator.

    Parameters
    ----------
    files : path, or mapping of str to path or paths
        The annotations of every system; a single path is named after the system in it.
    metric : str, optional
        A name for what the numbers measure; ``wins against REFERENCE`` by default.
    systems : sequence of str, optional
        Which systems to take.
    """
    judges: dict[str, None] = {}
    loaded = gather_logs(files, lambda path: _read(path, metric, judges), systems=systems)
    if len(judges) > 1:
        raise DataError(
            f"the files hold preferences of {len(judges)} annotators: {listing(list(judges))}. "
            "They are not comparable; give files of one."
        )
    return loaded


def _read(path: FilePath, metric: str | None, judges: dict[str, None]) -> ReadLog:
    found = read_annotations(FileContent.of(path))
    references = list(dict.fromkeys(one.first for one in found))
    if len(references) > 1:
        raise DataError(
            f"{path}: the file holds {len(references)} reference systems (generator_1): "
            f"{listing(references)}. Give a file of one."
        )
    judges.update(dict.fromkeys(one.annotator for one in found if one.annotator is not None))
    missing = sum(one.wins is None for one in found)
    logs: dict[str, list[tuple[str, float, int | None]]] = {}
    for one in found:
        score = float("nan") if one.wins is None else one.wins
        logs.setdefault(one.second, []).append((one.item, score, one.line))
    note = f"{path}: {count(missing, 'annotation')} without a preference."
    return ReadLog(
        metric or f"wins against {references[0]}",
        {name: SampleLog(path, "alpaca-eval", number_samples(of)) for name, of in logs.items()},
        [note] if missing else [],
    )


READER = ScoreReader(
    name="alpaca-eval",
    about="annotations.json of AlpacaEval, one file per system",
    recognise=recognise,
    read=read,
    order=36,
)
