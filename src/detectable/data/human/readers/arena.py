"""Battles of an arena, as preferences between two systems."""

from detectable.data.battles.readers.arena import READER as BATTLES
from detectable.data.human.battles import judgments_from
from detectable.data.human.judgment_reader import JudgmentReader

READER = JudgmentReader(
    name=BATTLES.name,
    about=BATTLES.about,
    recognise=BATTLES.recognise,
    read=judgments_from(BATTLES),
    order=BATTLES.order,
)
