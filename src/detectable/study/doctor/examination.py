"""The answer of `doctor`: what files hold, and which questions they can answer."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from detectable.core.result import Result

FileKind: TypeAlias = Literal[
    "texts",
    "lines",
    "scores",
    "metrics",
    "archive",
    "judgments",
    "preferences",
    "plan",
    "result",
    "baseline",
    "unknown",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class FileFound:
    """A file, and what it was taken for.

    Attributes
    ----------
    kind : str
        What it holds; ``unknown`` where no reader could take it.
    format : str
        As options of commands call it; empty where there is none.
    about : str
        In a few words, or why it could not be read.
    """

    path: str = field(metadata={"path": True})
    kind: FileKind
    format: str = ""
    about: str = field(default="", metadata={"words": True})


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """Something that was counted in some data."""

    data: str
    what: str
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Detectable:
    """What a test of these data could have detected, and under which conditions.

    Attributes
    ----------
    smallest, median, largest : float
        Of all pairs of systems; nan where no difference of any size would be found.
    unit, n_units
        What is taken to be independent, and how many there are.
    test, correction : str
        Which test, corrected how for the number of pairs.
    """

    metric: str
    smallest: float
    median: float
    largest: float
    n_pairs: int
    unit: str
    n_units: int
    test: str
    correction: str
    alpha: float
    power: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question, and whether the data can answer it.

    Attributes
    ----------
    data : str
        Which of the data.
    possible : bool
        Whether they can.
    why : str
        On what it rests, or what is missing.
    detects : tuple of Detectable
        What could be found, by metric; empty where the question has no such thing.
    command : str
        What to type; empty where it is not possible.
    """

    data: str
    question: str
    possible: bool
    why: str
    detects: tuple[Detectable, ...] = ()
    command: str = field(default="", metadata={"words": True})


@dataclass(frozen=True, slots=True, kw_only=True)
class Examination(Result):
    """What files hold and can answer.

    Attributes
    ----------
    files : tuple of FileFound
        In the order in which they were given.
    facts : tuple of Fact
        What was counted.
    questions : tuple of Question
        What they can answer comes first.
    suspicions : tuple of str
        What should make one look twice.
    next_command : str
        What to type next.
    """

    files: tuple[FileFound, ...]
    facts: tuple[Fact, ...]
    questions: tuple[Question, ...]
    suspicions: tuple[str, ...]
    next_command: str = field(metadata={"words": True})
    notes: tuple[str, ...] = ()


# --- What was found in one body of data ---


@dataclass(frozen=True, slots=True, kw_only=True)
class Examined:
    """Facts, questions and suspicions about one body of data, which may be several files."""

    facts: tuple[Fact, ...]
    questions: tuple[Question, ...]
    suspicions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Asking:
    """Makes questions about one body of data.

    Attributes
    ----------
    data : str
        What the data are called.
    """

    data: str

    def can(
        self,
        question: str,
        why: str,
        words: Sequence[str],
        detects: tuple[Detectable, ...] = (),
    ) -> Question:
        """Return a question that can be answered by typing the words after ``detectable``."""
        return Question(
            data=self.data,
            question=question,
            possible=True,
            why=why,
            detects=detects,
            command=shlex.join(["detectable", *words]),
        )

    def cannot(self, question: str, why: str) -> Question:
        """Return a question that cannot be answered, and what is missing."""
        return Question(data=self.data, question=question, possible=False, why=why)

    def fact(self, what: str, value: object) -> Fact:
        """Return something that was counted."""
        return Fact(data=self.data, what=what, value=str(value))
