"""All formats of scores by name, and what a format is.

Those of this package stand in a table; others add theirs through the entry point
``detectable.scores``.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from detectable.core.errors import DataError
from detectable.data.reader import FormatRegistry, Reader

if TYPE_CHECKING:
    from detectable.data.files.content import FileContent
    from detectable.data.scores.scores import Scores  # noqa: F401 (named in quotes below)

Option: TypeAlias = Literal["columns", "errors", "filter", "language_pair", "layout", "quoted"]
BUILT_IN = {
    "alpaca-eval": "detectable.data.formats.alpaca_eval:SCORES",
    "comet": "detectable.data.formats.comet:SCORES",
    "comet-text": "detectable.data.formats.comet:PRINTED_SCORES",
    "deepeval": "detectable.data.formats.deepeval:SCORES",
    "helm": "detectable.data.formats.helm:SCORES",
    "inspect": "detectable.data.formats.inspect:SCORES",
    "lighteval": "detectable.data.formats.lighteval:SCORES",
    "lines": "detectable.data.formats.score_lines:SCORES",
    "lm-eval": "detectable.data.formats.lm_eval:SCORES",
    "metric-scores": "detectable.data.formats.wmt25:SCORES",
    "metricx": "detectable.data.formats.metricx:SCORES",
    "mt-bench": "detectable.data.formats.mt_bench:SCORES",
    "openai-evals": "detectable.data.formats.openai_evals:SCORES",
    "promptfoo": "detectable.data.formats.promptfoo:SCORES",
    "rewardbench": "detectable.data.formats.rewardbench:SCORES",
    "sacrebleu": "detectable.data.formats.sacrebleu:SCORES",
    "seg-score": "detectable.data.formats.seg_score:SCORES",
    "segment-scores": "detectable.data.formats.segment_scores:SCORES",
    "simple-evals": "detectable.data.formats.simple_evals:SCORES",
    "table": "detectable.data.scores.read_score_table:SCORES",
}


class Found(NamedTuple):
    """The files of a folder by system, and what was left out of it."""

    systems: Mapping[str, Sequence[Path]]
    notes: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreReader(Reader["Scores"]):
    """A format of scores: a `Reader` that returns ``Scores``.

    Its `read` gets a file, or a mapping of system to files (its runs, or its tasks), and by name
    ``metric`` and ``systems``.

    Attributes
    ----------
    takes : tuple of str
        Options that `read` takes besides ``metric`` and ``systems``.
    find : callable, optional
        Gets a folder and returns the files of this format in it by system (`Found`), none where
        there are none. Formats without it are read file by file.
    names_systems : bool
        Whether a file names its systems itself, so that it cannot be given for one of them.
    """

    takes: tuple[Option, ...] = ()
    find: Callable[[Path], Found] | None = None
    names_systems: bool = False


def score_readers() -> FormatRegistry[ScoreReader]:
    """Return the formats of scores.

    Examples
    --------
    >>> "comet" in score_readers().names()
    True
    """
    return FormatRegistry("scores", BUILT_IN, ScoreReader)


def find_score_reader(content: "FileContent") -> ScoreReader:
    """Return the first reader, in their order, that recognises a file."""
    readers = score_readers()
    readers.refuse_empty(content)
    found = readers.find(content)
    if found is not None:
        return found
    known = "; ".join(f"{reader.name}: {reader.about}" for reader in readers.in_order())
    raise DataError(
        f"{content}: the format of the scores cannot be told. Choose it with format=…. "
        f"Known are {known}."
    )
