"""Controls: repeats, references and degraded copies of outputs in the same task."""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from detectable.core.wording import count, listing
from detectable.data.human.judgments import Kind
from detectable.study.tasks.degrade import Phrases, degrade
from detectable.study.tasks.rows import Pool, Shown

CONTROLS: tuple[Kind, ...] = ("degraded", "repeat", "reference")


class ControlMaker:
    """Makes controls, and remembers which outputs could not be degraded."""

    def __init__(self, pool: Pool, phrases: Phrases, rng: np.random.Generator) -> None:
        self._pool, self._phrases, self._rng = pool, phrases, rng
        self._refused: list[str] = []
        self.degraded: Counter[str] = Counter()  # planned so far, by system

    def one(self, original: Shown, kind: Kind) -> Shown:
        """Return a control of one kind; a repeat where a degraded copy is impossible."""
        output = original.output
        if kind == "reference":
            return Shown(kind, output, self._pool.references[output.row], original)
        if kind == "degraded":
            text = degrade(original.text, output.row, self._phrases, self._rng)
            if text is not None:
                return Shown(kind, output, text, original)
            self._refused.append(f"{output.system} line {output.row + 1}")
        return Shown("repeat", output, original.text, original)

    def one_of_each(self, originals: Sequence[Shown], system: str) -> list[Shown]:
        """Return a degraded copy, a repeat and a reference of three different outputs.

        The copy is of `system` where one of its outputs can be degraded.
        """
        order = [originals[i] for i in self._rng.permutation(len(originals)).tolist()]
        order.sort(key=lambda one: one.output.system != system)
        before = len(self._refused)
        for place, original in enumerate(order):
            made = self.one(original, "degraded")
            if made.kind == "degraded":
                del self._refused[before:]  # another output of the block serves as well
                others = [*order[:place], *order[place + 1 :]]
                rest = [others[i] for i in self._rng.permutation(len(others)).tolist()]
                return [made, self.one(rest[0], "repeat"), self.one(rest[1], "reference")]
        del self._refused[before + 1 :]
        kinds: tuple[Kind, ...] = ("repeat", "repeat", "reference")
        return [self.one(o, kind) for o, kind in zip(order[:3], kinds, strict=True)]

    def notes(self) -> tuple[str, ...]:
        """Say what could not be degraded."""
        if not self._refused:
            return ()
        copies = count(len(self._refused), "degraded copy", "degraded copies")
        return (
            f"{copies} could not be made, and the text is repeated instead: no phrase of "
            f"another reference changes {listing(self._refused, most=3)}.",
        )
