"""Averages of segments as WMT and Google publish them: systems below each other, with spaces."""

from collections.abc import Sequence

from detectable.data.files.content import FileContent
from detectable.data.files.numbers import parse_score
from detectable.data.files.place import FilePath
from detectable.data.files.table import is_spaced, read_spaced
from detectable.data.scores.cells import Cell, assemble
from detectable.data.scores.sample_log import choose
from detectable.data.scores.score_formats import ScoreReader
from detectable.data.scores.scores import Scores

_SYSTEM = ("system", "sys")
_ITEM = ("seg_id", "sid")
_SCORES = ("mqm_avg_score", "raw.scr", "z.scr")


def read(
    path: FilePath, *, metric: str | None = None, systems: Sequence[str] | None = None
) -> Scores:
    """Read ``ad-seg-scores-*.csv`` of WMT or ``avg_seg_scores.tsv`` of Google.

    Parameters
    ----------
    path : path
        The file, which names its systems.
    metric : str, optional
        Which column of scores to take; needed where there are several (raw and z).
    systems : sequence of str, optional
        Which systems to take.
    """
    table = read_spaced(FileContent.of(path))
    chosen = choose(str(path), "metric", table.find(_SCORES), metric)
    for what, names in (("system", _SYSTEM), ("segment", _ITEM)):
        if not table.find(names):  # only where the format was named
            raise table.missing(f"the {what}")
    rows = zip(
        table.cells(table.find(_SYSTEM)[0]),
        table.cells(table.find(_ITEM)[0]),
        table.cells(chosen),
        table.lines or (),
        strict=True,
    )
    cells = [
        Cell(
            name,
            "1",
            segment,
            parse_score(score, path, line, chosen, truth=False),
            str(path),
            line,
        )
        for name, segment, score, line in rows
    ]
    return assemble(cells, metric=chosen, systems=systems)


SCORES = ScoreReader(
    name="segment-scores",
    about="averages of segments: ad-seg-scores-*.csv of WMT, avg_seg_scores.tsv of Google",
    recognise=is_spaced,
    read=read,
    order=45,
    names_systems=True,
)
