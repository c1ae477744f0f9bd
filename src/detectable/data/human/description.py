"""What a table of judgments holds, in numbers."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from detectable.core.result import Result, Signature
from detectable.core.types import FloatArray
from detectable.data.human.columns import KINDS
from detectable.data.human.judgments import NAMES, Judgments


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreSpread:
    """Where the scores of one kind lie.

    Attributes
    ----------
    quartiles : (float, float, float, float, float)
        Lowest, lower quartile, median, upper quartile, highest.
    at_ends : float
        Share that is the lowest or the highest possible score; nan where the scale has no ends.
    """

    kind: str
    n: int
    quartiles: tuple[float, float, float, float, float]
    at_ends: float


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgmentDescription(Result):
    """How many judgments of what, and where they were written.

    Attributes
    ----------
    output : str
        The file that was written; empty if none was.
    kinds : mapping of kind to int
        Ordinary items, repeats, degraded copies and references.
    levels : mapping of role to int
        How many systems, items, raters and so on.
    scale : (float, float)
        Lowest and highest possible score; infinite where there is no bound.
    scores : tuple of ScoreSpread
        Of every kind that there is; not in `to_dict`.
    """

    output: str = field(metadata={"path": True})
    judgments: int
    kinds: Mapping[str, int]
    levels: Mapping[str, int]
    scale: tuple[float, float]
    notes: tuple[str, ...] = ()
    scores: tuple[ScoreSpread, ...] = field(
        default=(), repr=False, compare=False, metadata={"bulk": "rows"}
    )


def describe_judgments(judgments: Judgments, output: str = "") -> JudgmentDescription:
    """Return the counts of a table.

    Examples
    --------
    >>> table = Judgments.build({"system": ["A", "B"], "item": [1, 1], "score": [70, 80]})
    >>> describe_judgments(table).levels
    {'system': 2, 'item': 1}
    """
    columns = {role: getattr(judgments, role) for role in ("system", "item", *NAMES)}
    return JudgmentDescription(
        output=output,
        judgments=judgments.n_judgments,
        kinds={kind: int(judgments.is_kind(kind).sum()) for kind in KINDS},
        levels={role: c.n_levels for role, c in columns.items() if c is not None},
        scale=judgments.scale,
        notes=judgments.notes,
        scores=tuple(
            _spread(kind, judgments.score[judgments.is_kind(kind)], judgments.scale)
            for kind in KINDS
            if judgments.is_kind(kind).any()
        ),
        signature=Signature("judgments", {"n": judgments.n_judgments}),
    )


def _spread(kind: str, scores: FloatArray, scale: tuple[float, float]) -> ScoreSpread:
    least, low, middle, high, most = np.quantile(scores, (0.0, 0.25, 0.5, 0.75, 1.0)).tolist()
    known = [end for end in scale if math.isfinite(end)]
    return ScoreSpread(
        kind=kind,
        n=int(scores.size),
        quartiles=(least, low, middle, high, most),
        at_ends=float(np.isin(scores, known).mean()) if known else math.nan,
    )
