"""Scores from a table with named columns, wide or long."""

from detectable.data.files.content import FileContent
from detectable.data.format_registry import LAST
from detectable.data.scores.peek import first_lines
from detectable.data.scores.read_score_table import read_score_table
from detectable.data.scores.score_reader import ScoreReader


def recognise(content: FileContent) -> bool:
    """Take Parquet, objects with names, and text whose header has a delimiter."""
    if content.is_parquet or content.first_object:
        return True
    lines = first_lines(content)
    return bool(lines) and any(delimiter in lines[0] for delimiter in ",;\t")


READER = ScoreReader(
    name="table",
    about="CSV, TSV, JSON lines or Parquet with a header, wide or long",
    recognise=recognise,
    read=read_score_table,
    order=LAST,
    takes=("columns", "language_pair", "layout", "quoted"),
)
