"""Ordinary judgments: of the output of systems, not of controls."""

import numpy as np

from detectable.core.errors import DataError
from detectable.core.wording import count
from detectable.data.human.judgments import KINDS, Judgments, Kind

ORDINARY: tuple[Kind, ...] = ("system", "repeat")


def ordinary_judgments(judgments: Judgments) -> tuple[Judgments, tuple[str, ...]]:
    """Return the judgments of system output, and a note that counts what was left out.

    Degraded copies and references show how careful raters are; what they were given says
    nothing about a system.

    Examples
    --------
    >>> table = {"system": ["A", "A"], "item": [1, 2], "score": [60, 9], "kind": ["TGT", "BAD"]}
    >>> kept, notes = ordinary_judgments(Judgments.build(table))
    >>> kept.score.tolist(), notes
    ([60.0], ('1 judgment of a control left out (1 degraded).',))
    """
    ordinary = judgments.is_kind(*ORDINARY)
    if not ordinary.any():
        raise DataError(
            f"{judgments.path or 'the judgments'}: no judgment of a system's output; all are "
            "references or degraded copies."
        )
    if ordinary.all():
        return judgments, ()
    counts = np.bincount(judgments.kind[~ordinary], minlength=len(KINDS)).tolist()
    left = ", ".join(f"{n:,} {kind}" for kind, n in zip(KINDS, counts, strict=True) if n)
    controls = "a control" if sum(counts) == 1 else "controls"
    note = f"{count(sum(counts), 'judgment')} of {controls} left out ({left})."
    return judgments.take(ordinary), (note,)
