"""Annotations of AlpacaEval: an instruction, two systems, and which of them was preferred."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from detectable.core.choices import Repeated
from detectable.core.errors import DataError
from detectable.core.wording import count, listing
from detectable.data.files.content import FileContent
from detectable.data.files.numbers import parse_score
from detectable.data.files.place import FilePath, is_missing, place, quote
from detectable.data.files.read_json import json_entries
from detectable.data.names import Runs, value_name
from detectable.data.reader import BattleReader, JudgmentReader, ScoreReader
from detectable.data.scores.scores import Scores

if TYPE_CHECKING:
    from detectable.data.battles.battles import Battles
    from detectable.data.human.judgments import Judgments
    from detectable.data.scores.sample_log import ReadLog

KEYS = frozenset(("instruction", "generator_1", "generator_2", "preference"))
_DRAWS = (0.0, 1.5)  # both mean that neither is better


class Annotation(NamedTuple):
    """One comparison; `wins` is the probability that the second system is preferred."""

    line: int
    item: str
    first: str
    second: str
    wins: float | None
    annotator: str | None


def read_annotations(content: FileContent) -> list[Annotation]:
    """Return all annotations of a file; a preference that was not given has no `wins`.

    The preference goes from 1 (the first system) to 2 (the second); 0 and 1.5 are draws.
    """
    found = [_annotation(content, *entry) for entry in json_entries(content.text, content)]
    if not found:
        raise DataError(f"{content}: there is no annotation in the file.")
    return found


def _annotation(content: FileContent, line: int, entry: Any) -> Annotation:
    if not isinstance(entry, dict) or not entry.keys() >= KEYS:
        raise DataError(
            f"{place(content, line)}: expected an annotation of AlpacaEval with instruction, "
            f"generator_1, generator_2 and preference, found {quote(entry)}."
        )
    dataset = entry.get("dataset")
    named = (
        [entry.get("instruction")] if is_missing(dataset) else [dataset, entry["instruction"]]
    )
    judge = entry.get("annotator")
    return Annotation(
        line,
        value_name(named[0] if len(named) == 1 else ": ".join(map(str, named))),
        str(entry["generator_1"]),
        str(entry["generator_2"]),
        _wins(content, line, entry["preference"]),
        None if is_missing(judge) else str(judge),
    )


def _wins(content: FileContent, line: int, value: object) -> float | None:
    if is_missing(value):
        return None
    preference = parse_score(value, content, line, "preference", truth=False)
    if preference in _DRAWS:
        return 0.5
    if not 1.0 <= preference <= 2.0:
        raise DataError(
            f"{place(content, line, 'preference')}: a preference goes from 1 to 2, or is 0 for a "
            f"draw; found {preference:g}."
        )
    return preference - 1.0


# --- Annotations of AlpacaEval: how often a system wins against the reference system ---


def recognise_scores(content: FileContent) -> bool:
    """Tell by two generators and a preference."""
    return content.first_object.keys() >= KEYS


def read_scores(
    files: FilePath | Mapping[str, Runs],
    *,
    metric: str | None = None,
    systems: Sequence[str] | None = None,
) -> Scores:
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
    from detectable.data.scores.sample_log import gather_logs

    loaded = gather_logs(files, lambda path: _read(path, metric, judges), systems=systems)
    if len(judges) > 1:
        raise DataError(
            f"the files hold preferences of {len(judges)} annotators: {listing(list(judges))}. "
            "They are not comparable; give files of one."
        )
    return loaded


def _read(path: FilePath, metric: str | None, judges: dict[str, None]) -> "ReadLog":
    from detectable.data.scores.sample_log import ReadLog, SampleLog, number_samples

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


SCORES = ScoreReader(
    name="alpaca-eval",
    about="annotations.json of AlpacaEval, one file per system",
    recognise=recognise_scores,
    read=read_scores,
    order=36,
)


# --- Annotations of AlpacaEval, as battles between a system and the reference system ---


def recognise_battles(content: FileContent) -> bool:
    """Tell by two generators and a preference."""
    return content.first_object.keys() >= KEYS


def read_battles(content: FileContent) -> "Battles":
    """Read ``annotations.json``: an instruction is a prompt, the annotator the voter.

    The outcome is the probability that ``generator_2`` is preferred. The order in which the two
    were shown is not in the file.
    """
    from detectable.data.battles.battles import (
        NO_BATTLE,
        Battles,
        left_out_notes,
        refuse_none,
    )

    found = read_annotations(content)
    kept = [one for one in found if one.wins is not None]
    notes = left_out_notes({NO_BATTLE: len(found) - len(kept)})
    refuse_none(str(content), len(kept), notes)
    voters = [one.annotator for one in kept]
    return Battles.build(
        [one.second for one in kept],
        [one.first for one in kept],
        [one.wins for one in kept],
        prompt=[one.item for one in kept],
        voter=None if all(voter is None for voter in voters) else voters,
        path=str(content),
        lines=[one.line for one in kept],
        notes=tuple(notes),
    )


BATTLES = BattleReader(
    name="alpaca-eval",
    about="annotations.json of AlpacaEval, as preferences",
    recognise=recognise_battles,
    read=read_battles,
    order=80,
)


def read_judgments(
    content: FileContent,
    *,
    scale: tuple[float, float] | None = None,
    repeated: Repeated = "mark",
) -> "Judgments":
    """Read annotations as preferences between two systems."""
    from detectable.data.human.preferences import judgments_of

    return judgments_of(read_battles(content), scale=scale, repeated=repeated)


JUDGMENTS = JudgmentReader(
    name=BATTLES.name,
    about=BATTLES.about,
    recognise=BATTLES.recognise,
    read=read_judgments,
    order=BATTLES.order,
)
