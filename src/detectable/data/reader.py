"""Readers of files: what a format is, all formats by name, and how that of a file is found.

The formats of this package stand in a table for each kind of data; others add theirs through the
entry points ``detectable.battles``, ``detectable.judgments`` and ``detectable.scores``. Loaded
before numpy: ``--help`` lists the names of the formats.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Literal, NamedTuple, TypeAlias, TypeVar

from detectable.core.errors import DataError, InputError
from detectable.core.registry import Registry

if TYPE_CHECKING:
    from pathlib import Path

    from detectable.data.battles.battles import Battles  # noqa: F401 (named in quotes below)
    from detectable.data.files.content import FileContent
    from detectable.data.human.judgments import Judgments  # noqa: F401 (named in quotes below)
    from detectable.data.scores.scores import Scores  # noqa: F401 (named in quotes below)

Table = TypeVar("Table")

AUTO = "auto"  # what users type who leave it to the file
TABLE = "table"  # the format that takes what nobody else recognises
USUAL_ORDER = 100  # after the formats that come with this package, which a plug-in cannot hide
LAST = 1000  # of the table


@dataclass(frozen=True, slots=True, kw_only=True, init=False, repr=False, eq=False)
class Reader(Generic[Table]):
    """A format of files: how one is recognised, and how it is read.

    Attributes
    ----------
    name : str
        What users type after ``--format`` or ``--score-format``.
    about : str
        What the files are, in a few words.
    recognise : callable
        Gets a `FileContent` and says whether it is of this format. It looks at the beginning of
        the file, and returns False for whatever it does not know, rather than to fail.
    read : callable
        Gets the same `FileContent` and returns the table.
    order : int
        Formats with a lower number are asked first; among equals the alphabet decides.
    """

    name: str
    about: str
    recognise: "Callable[[FileContent], bool]"
    read: Callable[..., Table]
    order: int = USUAL_ORDER


R = TypeVar("R", bound=Reader[Any])


class FormatRegistry(Registry[R]):
    """The formats of one kind of data; a module is imported only when its format is asked for.

    Parameters
    ----------
    what : str
        What the files hold, in messages and in the entry point of other packages.
    table : mapping of str to str
        Where each reader is, by its name: ``"package.module:NAME"``.
    of : type
        What every reader must be.
    """

    def __init__(self, what: str, table: Mapping[str, str], of: type[R]) -> None:
        super().__init__(f"format of {what}", f"detectable.{what}")
        self._what = what
        self._of = of
        self.register_all(table)

    def in_order(self) -> list[R]:
        """Return all readers in the order in which they are asked."""
        found = [self._checked(name) for name in self.names()]
        return sorted(found, key=lambda reader: (reader.order, reader.name))

    def named(self, format: str) -> R | None:
        """Return the reader that a user names; None for ``auto``, where the file tells it."""
        if format == AUTO:
            return None
        from detectable.core import check  # which loads numpy

        return self.get(check.one_of(format, (AUTO, *self.names()), "format"))

    def find(self, content: "FileContent", *, any_table: bool = True) -> R | None:
        """Return the first reader, in their order, that recognises a file or folder, if one does.

        Without `any_table`, the format ``table`` is not asked, which takes what nobody else knows.
        """
        for reader in self.in_order():
            if (any_table or reader.name != TABLE) and reader.recognise(content):
                return reader
        return None

    def refuse_empty(self, content: "FileContent") -> None:
        """Refuse a file that holds nothing."""
        if content.is_empty:
            raise DataError(f"{content}: the file is empty. Give a file with {self._what}.")

    def _checked(self, name: str) -> R:
        try:
            reader: object = self.get(name)
        except (ImportError, AttributeError) as error:
            raise InputError(
                f"the {self.kind} {name!r} cannot be loaded ({error}). Repair or remove the "
                "package that provides it."
            ) from error
        if not isinstance(reader, self._of) or reader.name != name:
            raise InputError(
                f"the {self.kind} {name!r} must be a {self._of.__name__} of that name; got "
                f"{reader!r}. Correct the package that provides it."
            )
        return reader


# --- Formats of battles ---

BATTLES = {
    "alpaca-eval": "detectable.data.formats.alpaca_eval:BATTLES",
    "arena": "detectable.data.formats.arena:BATTLES",
    "arena-hard": "detectable.data.formats.arena_hard:BATTLES",
    "mt-bench": "detectable.data.formats.mt_bench:BATTLES",
    "table": "detectable.data.formats.arena:TABLE_OF_BATTLES",
}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BattleReader(Reader["Battles"]):
    """A format of battles: a `Reader` that returns `Battles`.

    Attributes
    ----------
    is_table : bool
        Whether it is a table, of which `read` takes ``columns`` and ``covariates``.
    """

    is_table: bool = False


def battle_readers() -> FormatRegistry[BattleReader]:
    """Return the formats of battles.

    Examples
    --------
    >>> battle_readers().names()
    ('alpaca-eval', 'arena', 'arena-hard', 'mt-bench', 'table')
    """
    return FormatRegistry("battles", BATTLES, BattleReader)


# --- Formats of judgments ---

JudgmentOption: TypeAlias = Literal["columns", "progress", "source_errors"]
JUDGMENTS = {
    "alpaca-eval": "detectable.data.formats.alpaca_eval:JUDGMENTS",
    "appraise": "detectable.data.formats.appraise:JUDGMENTS",
    "arena": "detectable.data.formats.arena:JUDGMENTS",
    "arena-hard": "detectable.data.formats.arena_hard:JUDGMENTS",
    "blind-sheets": "detectable.data.formats.blind_sheets:JUDGMENTS",
    "esa": "detectable.data.formats.esa:JUDGMENTS",
    "hassan2018": "detectable.data.formats.hassan2018:JUDGMENTS",
    "label-studio": "detectable.data.formats.label_studio:JUDGMENTS",
    "mqm": "detectable.data.formats.mqm:JUDGMENTS",
    "mt-bench": "detectable.data.formats.mt_bench:JUDGMENTS",
    "pearmut": "detectable.data.formats.pearmut:JUDGMENTS",
    "shipdata": "detectable.data.formats.shipdata:JUDGMENTS",
    "table": "detectable.data.human.judgment_table:JUDGMENTS",
    "wmt-da": "detectable.data.formats.wmt_da:JUDGMENTS",
    "wmt-mteval": "detectable.data.formats.wmt25:JUDGMENTS",
}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JudgmentReader(Reader["Judgments"]):
    """A format of human judgments: a `Reader` that returns `Judgments`.

    Its `read` gets by name ``scale`` and ``repeated`` where the user gave them. Each has a default,
    which is that of the format.

    Attributes
    ----------
    takes : tuple of {'columns', 'progress', 'source_errors'}
        Options that `read` takes besides ``scale`` and ``repeated``: which column is what, whom
        to tell about progress, and what errors of the source cost in MQM.
    """

    takes: tuple[JudgmentOption, ...] = ()


def judgment_readers() -> FormatRegistry[JudgmentReader]:
    """Return the formats of judgments.

    Examples
    --------
    >>> "esa" in judgment_readers().names()
    True
    """
    return FormatRegistry("judgments", JUDGMENTS, JudgmentReader)


def find_judgment_reader(content: "FileContent") -> JudgmentReader:
    """Return the first reader, in their order, that recognises a file or folder.

    What fits no other format is taken for a table, whose reader says what it misses.
    """
    readers = judgment_readers()
    readers.refuse_empty(content)
    found = readers.find(content, any_table=not content.is_zip)
    if found is not None:
        return found
    if content.is_zip:
        raise DataError(
            f"{content}: this is a ZIP archive that holds no judgments. If it is a log of Inspect, "
            "compare its scores: detectable compare --scores."
        )
    raise DataError(
        f"{content}: this is a folder without xlsx files. Name a file, or the format."
    )


# --- Formats of scores ---

ScoreOption: TypeAlias = Literal[
    "columns", "errors", "filter", "language_pair", "layout", "pool", "quoted", "tasks"
]
SCORES = {
    "alpaca-eval": "detectable.data.formats.alpaca_eval:SCORES",
    "comet": "detectable.data.formats.comet:SCORES",
    "comet-text": "detectable.data.formats.comet:PRINTED_SCORES",
    "deepeval": "detectable.data.formats.deepeval:SCORES",
    "every-eval-ever": "detectable.data.formats.every_eval_ever:SCORES",
    "helm": "detectable.data.formats.helm:SCORES",
    "inspect": "detectable.data.formats.inspect:SCORES",
    "langfuse": "detectable.data.formats.langfuse:SCORES",
    "langsmith": "detectable.data.formats.langsmith:SCORES",
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
    "seg-score": "detectable.data.formats.score_lines:SEG_SCORES",
    "segment-scores": "detectable.data.formats.score_lines:SEGMENT_SCORES",
    "simple-evals": "detectable.data.formats.simple_evals:SCORES",
    "table": "detectable.data.scores.read_score_table:SCORES",
}


class Found(NamedTuple):
    """The files of a folder by system, and what was left out of it."""

    systems: "Mapping[str, Sequence[Path]]"
    notes: Sequence[str] = ()


class ScoredBy(NamedTuple):
    """What scores a task: its metrics, and measures of what its answers took."""

    metrics: tuple[str, ...]
    measures: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ScoreReader(Reader["Scores"]):
    """A format of scores: a `Reader` that returns ``Scores``.

    Its `read` gets a file, or a mapping of system to files (its runs, or its tasks), and by name
    ``metric`` and ``systems``.

    Attributes
    ----------
    takes : tuple of str
        Options that `read` takes besides ``metric`` and ``systems``; ``pool`` is one of `find`.
    find : callable, optional
        Gets a folder and returns the files of this format in it by system (`Found`), none where
        there are none. Formats without it are read file by file. Where a folder has several logs
        of a task, it takes the newest, and all of them with ``pool=True``.
    names_systems : bool
        Whether a file names its systems itself, so that it cannot be given for one of them.
    scored_by : callable, optional
        Gets what `read` gets, and its options that choose rows, and returns what scores each task
        (`ScoredBy`); such a format takes ``tasks`` too. Others are read as one task.
    """

    takes: tuple[ScoreOption, ...] = ()
    find: Callable[..., Found] | None = None
    names_systems: bool = False
    scored_by: Callable[..., Mapping[str, ScoredBy]] | None = None


def score_readers() -> FormatRegistry[ScoreReader]:
    """Return the formats of scores.

    Examples
    --------
    >>> "comet" in score_readers().names()
    True
    """
    return FormatRegistry("scores", SCORES, ScoreReader)


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
