"""All that is wrong with a file, in one message."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from detectable.core.errors import DataError
from detectable.core.wording import count


@dataclass(slots=True)
class Problems:
    """Collects sentences about a file, so that a user mends them all at once.

    Examples
    --------
    >>> problems = Problems("a.csv")
    >>> problems.add("line 3: the score is missing.")
    >>> problems.add("line 5: the score is 101.")
    >>> problems.stop()
    Traceback (most recent call last):
    ...
    detectable.core.errors.DataError: a.csv has 2 problems.
    - line 3: the score is missing.
    - line 5: the score is 101.
    """

    path: str  # of the file; empty for a table in memory
    sentences: list[str] = field(default_factory=list)

    def add(self, sentence: str) -> None:
        """Note one problem: place, what was found, what to do."""
        self.sentences.append(sentence)

    def add_rows(
        self,
        rows: Sequence[int],
        place: Callable[[int], str],
        sentence: str,
        remedy: str,
    ) -> None:
        """Note one problem that several rows have; the first is named, all are counted."""
        if len(rows):
            more = f" ({count(len(rows), 'row')} in all)" if len(rows) > 1 else ""
            self.add(f"{place(int(rows[0]))}: {sentence}{more}. {remedy}")

    def stop(self) -> None:
        """Raise one DataError with everything that was noted; do nothing if all is well."""
        if not self.sentences:
            return
        if len(self.sentences) == 1:
            raise DataError(self.sentences[0])
        subject = self.path or "the table"
        listed = "\n".join(f"- {sentence}" for sentence in self.sentences)
        raise DataError(f"{subject} has {count(len(self.sentences), 'problem')}.\n{listed}")
