"""All formats of scores by name.

Those of this package stand in a table; others add theirs through the entry point
``detectable.scores``.
"""

from typing import TYPE_CHECKING

from detectable.core.errors import DataError
from detectable.data.format_registry import FormatRegistry
from detectable.data.scores.score_reader import ScoreReader

if TYPE_CHECKING:
    from detectable.data.files.content import FileContent

BUILT_IN = {
    "alpaca-eval": "detectable.data.scores.readers.alpaca_eval:READER",
    "comet": "detectable.data.scores.readers.comet:READER",
    "comet-text": "detectable.data.scores.readers.comet_text:READER",
    "deepeval": "detectable.data.scores.readers.deepeval:READER",
    "helm": "detectable.data.scores.readers.helm:READER",
    "inspect": "detectable.data.scores.readers.inspect:READER",
    "lighteval": "detectable.data.scores.readers.lighteval:READER",
    "lines": "detectable.data.scores.readers.lines:READER",
    "lm-eval": "detectable.data.scores.readers.lm_eval:READER",
    "metric-scores": "detectable.data.scores.readers.metric_scores:READER",
    "metricx": "detectable.data.scores.readers.metricx:READER",
    "mt-bench": "detectable.data.scores.readers.mt_bench:READER",
    "openai-evals": "detectable.data.scores.readers.openai_evals:READER",
    "promptfoo": "detectable.data.scores.readers.promptfoo:READER",
    "rewardbench": "detectable.data.scores.readers.rewardbench:READER",
    "sacrebleu": "detectable.data.scores.readers.sacrebleu:READER",
    "seg-score": "detectable.data.scores.readers.seg_score:READER",
    "segment-scores": "detectable.data.scores.readers.segment_scores:READER",
    "simple-evals": "detectable.data.scores.readers.simple_evals:READER",
    "table": "detectable.data.scores.readers.table:READER",
}


def score_readers() -> FormatRegistry[ScoreReader]:
    """Return the formats of scores.

    Examples
    --------
    >>> "comet" in score_readers().names()
    True
    """
    return FormatRegistry("format of scores", "detectable.scores", BUILT_IN, ScoreReader)


def find_score_reader(content: "FileContent") -> ScoreReader:
    """Return the first reader, in their order, that recognises a file."""
    if not (content.is_parquet or content.is_zip or content.first_line):
        raise DataError(f"{content}: the file is empty. Give a file with scores.")
    in_order = score_readers().in_order()
    for reader in in_order:
        if reader.recognise(content):
            return reader
    known = "; ".join(f"{reader.name}: {reader.about}" for reader in in_order)
    raise DataError(
        f"{content}: the format of the scores cannot be told. Choose it with format=…. "
        f"Known are {known}."
    )
