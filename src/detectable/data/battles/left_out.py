"""What readers of battles leave out, in words."""

from collections.abc import Mapping

from detectable.core.errors import DataError
from detectable.core.wording import count

NO_BATTLE = "comparisons without an outcome"
NAMES_SHOWN = "battles in which the names of the models were shown (anony is false)"


def left_out_notes(counted: Mapping[str, int]) -> list[str]:
    """Return a sentence for every reason why battles were left out.

    Examples
    --------
    >>> left_out_notes({NO_BATTLE: 2})
    ['2 battles left out: comparisons without an outcome.']
    """
    return [f"{count(n, 'battle')} left out: {reason}." for reason, n in counted.items() if n]


def refuse_none(path: str, n: int, notes: list[str]) -> None:
    """Refuse a file of which nothing is left."""
    if not n:
        why = f" {' '.join(notes)}" if notes else ""
        raise DataError(f"{path}: there is no battle in the file.{why}")
