"""Annotations of AlpacaEval, as battles between a system and the reference system."""

from detectable.data.battles.battle_reader import BattleReader
from detectable.data.battles.battles import Battles
from detectable.data.battles.left_out import NO_BATTLE, left_out_notes, refuse_none
from detectable.data.files.alpaca_annotations import KEYS, read_annotations
from detectable.data.files.content import FileContent


def recognise(content: FileContent) -> bool:
    """Tell by two generators and a preference."""
    return content.first_object.keys() >= KEYS


def read(content: FileContent) -> Battles:
    """Read ``annotations.json``: an instruction is a prompt, the annotator the voter.

    The outcome is the probability that ``generator_2`` is preferred. The order in which the two
    were shown is not in the file.
    """
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


READER = BattleReader(
    name="alpaca-eval",
    about="annotations.json of AlpacaEval, as preferences",
    recognise=recognise,
    read=read,
    order=80,
)
