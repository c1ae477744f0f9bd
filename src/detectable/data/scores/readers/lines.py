"""One number per line, one file per system."""

from detectable.data.files.content import FileContent
from detectable.data.scores.peek import first_lines, is_score
from detectable.data.scores.read_score_lines import read_score_lines
from detectable.data.scores.score_reader import ScoreReader


def recognise(content: FileContent) -> bool:
    """Tell by lines that are numbers and nothing else."""
    lines = first_lines(content)
    return bool(lines) and all(map(is_score, lines))


READER = ScoreReader(
    name="lines",
    about="one number per line, one file per system",
    recognise=recognise,
    read=read_score_lines,
    order=70,
)
