"""Judgments of systems' own output: all that counts when systems are compared."""

import numpy as np
from numpy.typing import NDArray

from detectable.core.errors import DataError
from detectable.core.wording import count
from detectable.data.human.judgment_names import KINDS, Kind
from detectable.data.human.judgments import Judgments

ORDINARY: tuple[Kind, ...] = ("system", "repeat")


def ordinary(judgments: Judgments) -> tuple[Judgments, tuple[str, ...]]:
    """Return the judgments of systems' own output, repeats among them, and what was left out.

    Degraded copies and references are there to check raters, or to set a mark. To count them
    as output of the system whose name they bear would pull that system down, or up.

    Examples
    --------
    >>> table = {"system": ["A", "A"], "item": [1, 1], "score": [70, 20]}
    >>> kept, notes = ordinary(Judgments.build({**table, "kind": ["system", "degraded"]}))
    >>> kept.score.tolist(), notes
    ([70.0], ("1 judgment left out, not of systems' own output: 1 degraded.",))
    """
    keep = judgments.is_kind(*ORDINARY)
    if keep.all():
        return judgments, ()
    return judgments.take(keep), (left_out_note(judgments, keep),)


def left_out_note(judgments: Judgments, keep: NDArray[np.bool_]) -> str:
    """Count by kind what is left out; if that is everything, say so and stop."""
    if not keep.any():
        raise DataError(
            f"{judgments.path or 'the judgments'}: no judgment is of a system's own output, all "
            "are of degraded copies or references. Check the column of the kind."
        )
    lost = np.bincount(judgments.kind[~keep], minlength=len(KINDS))
    named = [f"{int(n):,} {kind}" for kind, n in zip(KINDS, lost, strict=True) if n]
    return (
        f"{count(int((~keep).sum()), 'judgment')} left out, not of systems' own output: "
        f"{', '.join(named)}."
    )
