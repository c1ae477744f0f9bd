"""Segment scores of mt-metrics-eval."""

from detectable.data.files.content import FileContent
from detectable.data.scores.peek import first_lines, is_score
from detectable.data.scores.read_seg_score import read_seg_score
from detectable.data.scores.score_reader import ScoreReader


def recognise(content: FileContent) -> bool:
    """Tell by lines of a system and a score."""
    fields = [line.split() for line in first_lines(content)]
    return bool(fields) and all(len(of) == 2 and is_score(of[1]) for of in fields)


READER = ScoreReader(
    name="seg-score",
    about="lines «system score» of mt-metrics-eval",
    recognise=recognise,
    read=read_seg_score,
    order=75,
    names_systems=True,
)
