"""What was found in one body of data."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass

from detectable.study.doctor.examination import Detectable, Fact, Question


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
