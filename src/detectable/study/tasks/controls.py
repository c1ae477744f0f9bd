"""Controls: repeats, references and degraded copies of outputs in the same task."""

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from detectable.core.wording import count, listing
from detectable.data.human.judgment_names import Kind
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
            self._refused.append(_named(original))
        return Shown("repeat", output, original.text, original)

    def spread(
        self,
        runs: Mapping[int, Sequence[Shown]],
        degraded: Mapping[str, int],
        n_references: int,
    ) -> dict[int, list[Shown]]:
        """Return a control of every output: so many degraded of each system, and repeats.

        Runs take turns in being degraded, and at most one of a run is the reference. Where an
        output cannot be degraded, another one is, of the same system if there is one.
        """
        places = [(key, place) for key, run in runs.items() for place in range(len(run))]
        places = [places[i] for i in self._rng.permutation(len(places)).tolist()]
        made: dict[tuple[int, int], Shown] = {}
        left = Counter(degraded)
        refused: list[Shown] = []
        in_run: Counter[int] = Counter()
        waiting = list(places)
        # Those whose turn it is come first; the others are for what these could not serve.
        for own in (True, False):
            while fit := [
                (key, place)
                for key, place in waiting
                if (left[runs[key][place].output.system] if own else left.total())
            ]:
                key, place = min(fit, key=lambda one: in_run[one[0]])
                waiting.remove((key, place))
                original = runs[key][place]
                text = degrade(original.text, original.output.row, self._phrases, self._rng)
                if text is None:
                    refused.append(original)
                    continue
                made[key, place] = Shown("degraded", original.output, text, original)
                in_run[key] += 1
                left[original.output.system if own else next(iter(+left))] -= 1
        self._refused += [_named(original) for original in refused[: left.total()]]
        with_reference: set[int] = set()
        for key, place in places:
            if (key, place) not in made:
                shown = len(with_reference) < n_references and key not in with_reference
                made[key, place] = self.one(
                    runs[key][place], "reference" if shown else "repeat"
                )
                if shown:
                    with_reference.add(key)
        return {key: [made[key, place] for place in range(len(runs[key]))] for key in runs}

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


def _named(original: Shown) -> str:
    return f"{original.output.system} line {original.output.row + 1}"
