"""A table of studies: how large each was, and what effect it reports."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from detectable.core.errors import DataError
from detectable.core.types import FloatArray
from detectable.core.wording import count
from detectable.data.files.number_column import number_column
from detectable.data.files.problems import Problems
from detectable.data.files.table import Table
from detectable.study.audit.audit_table import MOST_ITEMS, choose_columns, require


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Studies:
    """Size and effect of each study that says both; how many do not."""

    n: FloatArray = field(repr=False)
    effect: FloatArray = field(repr=False)
    n_without_size: int
    n_without_effect: int

    @property
    def notes(self) -> tuple[str, ...]:
        """What was left out."""
        made = []
        if self.n_without_size:
            made.append(f"{count(self.n_without_size, 'study', 'studies')} without n left out.")
        if self.n_without_effect:
            made.append(
                f"{count(self.n_without_effect, 'study', 'studies')} without an effect left out."
            )
        return tuple(made)


def study_table(table: Table, columns: Mapping[str, str] | None = None) -> Studies:
    """Return n and effect of each study; rows without one of them are counted and left out.

    Examples
    --------
    >>> study_table(Table(path="", columns={"n": [50, 100, ""], "effect": [0.3, 0.1, 0.2]}))
    Studies(n_without_size=1, n_without_effect=0)
    """
    chosen = choose_columns(table, columns)
    problems = Problems(table.path)
    n = number_column(
        table,
        require(table, chosen, "n", "how many items a study looked at"),
        problems,
        must="a number above 0, and at most 1e12",
        allowed=lambda values: (values > 0.0) & (values <= MOST_ITEMS),
        remedy="It counts the items of the study.",
    )
    effect = number_column(
        table, require(table, chosen, "difference", "the effect of each study"), problems
    )
    problems.stop()
    use = ~np.isnan(n) & ~np.isnan(effect)
    if int(use.sum()) < 2:
        raise DataError(
            f"{table.subject}: a survey needs two studies with n and effect; found "
            f"{int(use.sum())}."
        )
    return Studies(
        n=n[use],
        effect=effect[use],
        n_without_size=int(np.isnan(n).sum()),
        n_without_effect=int((np.isnan(effect) & ~np.isnan(n)).sum()),
    )
