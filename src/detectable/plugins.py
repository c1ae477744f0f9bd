"""What a package needs that adds a metric or a format: a home that never moves.

Modules below ``detectable.`` may be joined or renamed from one version to the next; these names
stay importable from here.

>>> from detectable.plugins import JudgmentReader, TextMetric
"""

from detectable.core.errors import (
    DataError,
    DetectableError,
    DetectableWarning,
    InputError,
    SuspiciousDataWarning,
)
from detectable.core.types import FloatArray, Progress, silent
from detectable.data.battles.battles import Battles
from detectable.data.files.content import FileContent
from detectable.data.files.place import place, quote
from detectable.data.human.judgment_table import JudgmentRows
from detectable.data.human.judgments import Judgments
from detectable.data.reader import BattleReader, JudgmentReader, ScoreReader
from detectable.data.scores.scores import Scores
from detectable.data.texts.corpus import Corpus
from detectable.metrics.base import ScoreMetric, TextMetric

__all__ = [
    "BattleReader",
    "Battles",
    "Corpus",
    "DataError",
    "DetectableError",
    "DetectableWarning",
    "FileContent",
    "FloatArray",
    "InputError",
    "JudgmentReader",
    "JudgmentRows",
    "Judgments",
    "Progress",
    "ScoreMetric",
    "ScoreReader",
    "Scores",
    "SuspiciousDataWarning",
    "TextMetric",
    "place",
    "quote",
    "silent",
]
