"""What a table of judgments holds, in numbers."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from detectable.core.result import Result, Signature
from detectable.core.wording import count
from detectable.data.human.judgments import KINDS, NAMES, Judgments


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
    """

    output: str = field(metadata={"path": True})
    judgments: int
    kinds: Mapping[str, int]
    levels: Mapping[str, int]
    scale: tuple[float, float]
    notes: tuple[str, ...] = ()

    def summary(self) -> str:
        """Say how many judgments there are, of whom and of what kind."""
        levels = ", ".join(count(n, role) for role, n in self.levels.items())
        kinds = ", ".join(f"{n:,} {kind}" for kind, n in self.kinds.items() if n)
        ends = [
            f"no {word} bound" if abs(end) == float("inf") else f"{end:g}"
            for word, end in zip(("lower", "upper"), self.scale, strict=True)
        ]
        return "\n".join(
            [
                f"{self.output or 'The table'} holds {count(self.judgments, 'judgment')}.",
                f"There: {levels}.",
                f"Kinds: {kinds}.",
                f"Scale: {' to '.join(ends)}.",
            ]
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
        signature=Signature("judgments", {"n": judgments.n_judgments}),
    )
