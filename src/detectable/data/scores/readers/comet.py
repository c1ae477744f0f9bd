"""JSON of COMET."""

from detectable.data.files.content import FileContent
from detectable.data.scores.read_comet import read_comet
from detectable.data.scores.score_reader import ScoreReader


def recognise(content: FileContent) -> bool:
    """Tell by scores called COMET, by «translations», or by lists under names of files."""
    entry = content.first_object
    if content.first_line.startswith("["):
        return "COMET" in entry
    lists = bool(entry) and all(isinstance(value, list) for value in entry.values())
    return "translations" in entry or lists


READER = ScoreReader(
    name="comet",
    about="JSON of comet-score or comet-compare (--to_json)",
    recognise=recognise,
    read=read_comet,
    order=65,
)
