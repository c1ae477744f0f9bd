"""Results of simple-evals, whose HealthBench keeps the score of every answer."""

from typing import Any

from detectable.core.errors import DataError
from detectable.core.wording import count
from detectable.data.files.content import FileContent
from detectable.data.files.numbers import parse_score
from detectable.data.files.place import FilePath, quote
from detectable.data.files.read_json import read_json
from detectable.data.names import file_stem, value_name
from detectable.data.reader import ScoreReader
from detectable.data.scores import sample_log

_KEYS = frozenset(("score", "metrics", "htmls", "convos"))
_EXAMPLES = "example_level_metadata"


def recognise(content: FileContent) -> bool:
    """Tell by score, metrics, pages and conversations."""
    return content.first_object.keys() >= _KEYS


def _read(
    path: FilePath, metric: str | None, questions: sample_log.Questions
) -> sample_log.ReadLog:
    """Read ``*_allresults.json`` of simple-evals' HealthBench, one file per system.

    An item is a prompt; one that comes again was answered again. The score of an answer is as it
    stands there, also below zero; only the total of HealthBench is cut to the range from 0 to 1.
    The other evaluations of simple-evals keep no scores of single questions and are refused.
    """
    rows: list[tuple[str, float, int | None]] = []
    for number, example in enumerate(_examples(path), start=1):
        if not isinstance(example, dict) or not {"prompt_id", "score"} <= example.keys():
            raise DataError(
                f"{path}: example {number} has no prompt_id and score: {quote(example)}."
            )
        item = str(example["prompt_id"])
        where = f"{path}, example {number}"
        if "prompt" in example:
            sample_log.check_question(
                questions, ("healthbench", item), value_name(example["prompt"]), where
            )
        rows.append((item, parse_score(example["score"], f"{where}, score"), None))
    below = sum(score < 0 for _, score, _ in rows)
    note = (
        f"{path}: {count(below, 'answer')} scored below 0, kept as they are; HealthBench cuts its "
        "total, not these, to the range from 0 to 1."
    )
    system = file_stem(path).removesuffix("_allresults")
    log = sample_log.SampleLog(path, "healthbench", sample_log.number_samples(rows))
    return sample_log.ReadLog(metric or "quality", {system: log}, [note] if below else [])


def _examples(path: FilePath) -> list[Any]:
    content = read_json(path)
    about = content.get("metadata") if isinstance(content, dict) else None
    listed = about.get(_EXAMPLES) if isinstance(about, dict) else None
    if not isinstance(listed, list) or not any(one is not None for one in listed):
        raise DataError(
            f"{path}: this result of simple-evals holds no scores of single questions; only those "
            "of HealthBench do. Score the answers with a harness that logs each of them."
        )
    return listed


SCORES = ScoreReader(
    name="simple-evals",
    about="*_allresults.json of simple-evals' HealthBench, one file per system",
    recognise=recognise,
    read=sample_log.reads(_read, same_questions=True),
    order=38,
)
