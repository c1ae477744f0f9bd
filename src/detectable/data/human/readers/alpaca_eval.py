"""Annotations of AlpacaEval, as preferences between two systems."""

from detectable.core.choices import Repeated
from detectable.data.files.alpaca_annotations import KEYS, read_annotations
from detectable.data.files.content import FileContent
from detectable.data.human.battles import NO_BATTLE, NOTE, SCALE, add_battle
from detectable.data.human.judgment_reader import JudgmentReader
from detectable.data.human.judgment_rows import JudgmentRows
from detectable.data.human.judgments import Judgments


def recognise(content: FileContent) -> bool:
    """Tell by two generators and a preference."""
    return content.first_object.keys() >= KEYS


def read(
    content: FileContent,
    *,
    scale: tuple[float, float] | None = None,
    repeated: Repeated = "mark",
) -> Judgments:
    """Read ``annotations.json``: an instruction is an item, the annotator a rater.

    Parameters
    ----------
    content : FileContent
        The file.
    scale : (float, float), optional
        0 and 1 by default.
    repeated : {'refuse', 'mark'}
        What to do with second comparisons on one instruction.
    """
    rows = JudgmentRows(str(content), notes=[NOTE])
    for one in read_annotations(content):
        if one.wins is None:
            rows.leave_out(NO_BATTLE)
        else:
            systems = (one.second, one.first)
            add_battle(rows, one.line, systems, one.wins, item=one.item, rater=one.annotator)
    return rows.build(scale, repeated, usual_scale=SCALE)


READER = JudgmentReader(
    name="alpaca-eval",
    about="annotations.json of AlpacaEval, as preferences",
    recognise=recognise,
    read=read,
    order=80,
)
