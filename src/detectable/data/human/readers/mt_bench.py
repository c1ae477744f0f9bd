"""Judgments of MT-bench: scores of single answers, or of pairs in both orders."""

from detectable.core.choices import Repeated
from detectable.core.errors import DataError
from detectable.data.battles.readers import mt_bench as pairs
from detectable.data.files.content import FileContent
from detectable.data.files.place import place, quote
from detectable.data.files.read_json import read_json_lines
from detectable.data.human.battles import judgments_of
from detectable.data.human.judgment_reader import JudgmentReader
from detectable.data.human.judgment_rows import JudgmentRows
from detectable.data.human.judgments import Judgments

_SINGLE = frozenset(("question_id", "model", "score", "turn"))
_GRADES = (1.0, 10.0)
_FAILED = -1.0


def recognise(content: FileContent) -> bool:
    """Tell by the keys of a single answer or of a pair."""
    return content.first_object.keys() >= _SINGLE or pairs.recognise(content)


def read(
    content: FileContent,
    *,
    scale: tuple[float, float] | None = None,
    repeated: Repeated = "mark",
) -> Judgments:
    """Read JSON lines of MT-bench.

    An item is a question and its turn, the document is the question: two turns of one
    conversation are not independent. A single answer has a grade from 1 to 10, and -1 where the
    judge failed. Two answers are shown in both orders; where the orders disagree it is a tie.

    Parameters
    ----------
    content : FileContent
        The file.
    scale : (float, float), optional
        1 and 10 by default, 0 and 1 for pairs.
    repeated : {'refuse', 'mark'}
        What to do with second judgments of one answer.
    """
    if pairs.recognise(content):
        return judgments_of(pairs.read(content), scale=scale, repeated=repeated)
    rows = JudgmentRows(str(content))
    for line, entry in read_json_lines(content):
        if not entry.keys() >= _SINGLE:
            raise DataError(
                f"{place(content, line)}: expected {', '.join(sorted(_SINGLE))}, found "
                f"{quote(sorted(entry))}. Do not mix single answers and pairs."
            )
        if entry["score"] == _FAILED:
            rows.leave_out("answers that the judge failed to grade (-1)")
            continue
        question = str(entry["question_id"])
        rows.add(
            line,
            system=entry["model"],
            score=entry["score"],
            item=f"{question}:{entry['turn']}",
            document=question,
            rater=pairs.judge_name(entry.get("judge")),
        )
    return rows.build(scale, repeated, usual_scale=_GRADES)


READER = JudgmentReader(
    name="mt-bench",
    about="judgments of MT-bench, JSON lines of single answers or pairs",
    recognise=recognise,
    read=read,
    order=82,
)
