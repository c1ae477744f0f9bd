"""All formats of scores by name, and what a format is.

Those of this package stand in a table; others add theirs through the entry point
``detectable.scores``.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from detectable.core.errors import DataError
from detectable.core.registry import USUAL_ORDER, FormatRegistry

if TYPE_CHECKING:
    from detectable.data.files.content import FileContent
    from detectable.data.scores.scores import Scores

Option: TypeAlias = Literal["columns", "errors", "filter", "language_pair", "layout", "quoted"]


class Found(NamedTuple):
    """The files of a folder by system, and what was left out of it."""

    systems: Mapping[str, Sequence[Path]]
    notes: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreReader:
    """A format of scores.

    Attributes
    ----------
    name : str
        What users type after ``--score-format``.
    about : str
        What the files are, in a few words.
    recognise : callable
        Gets a `FileContent` and says whether it is of this format. It looks at the beginning of
        the file, and returns False for whatever it does not know, rather than to fail.
    read : callable
        Gets a file, or a mapping of system to files (its runs, or its tasks), and by name
        ``metric`` and ``systems``; returns ``Scores``.
    order : int
        Formats with a lower number are asked first; among equals the alphabet decides.
    takes : tuple of str
        Options that `read` takes besides ``metric`` and ``systems``.
    find : callable, optional
        Gets a folder and returns the files of this format in it by system (`Found`), none where
        there are none. Formats without it are read file by file.
    names_systems : bool
        Whether a file names its systems itself, so that it cannot be given for one of them.
    """

    name: str
    about: str
    recognise: "Callable[[FileContent], bool]"
    read: "Callable[..., Scores]"
    order: int = USUAL_ORDER
    takes: tuple[Option, ...] = ()
    find: "Callable[[Path], Found] | None" = None
    names_systems: bool = False


# --- All formats of scores by name ---
#
# Those of this package stand in a table; others add theirs through the entry point
# ``detectable.scores``.

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
