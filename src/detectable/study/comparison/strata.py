"""Tasks as strata: a difference in every task, and the weighted mean of them."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from detectable.core import check
from detectable.core.choices import Tasks
from detectable.core.errors import InputError
from detectable.core.types import FloatArray, IntArray
from detectable.core.wording import count, listing
from detectable.data.scores.scores import Scores
from detectable.inference.cluster_mean import robust_variance
from detectable.inference.delta import Estimate
from detectable.inference.sample import Sample
from detectable.inference.strata import fixed_strata, random_strata
from detectable.inference.swap_parts import SwapParts, swap_parts
from detectable.study.pairs.analysis import Pairs

FEWEST_RANDOM = (
    5  # tasks that may stand for others: with fewer, T − 1 degrees say next to nothing
)


@dataclass(frozen=True, slots=True)
class Strata:
    """The tasks of a comparison.

    Attributes
    ----------
    names : tuple of str
        The tasks.
    of_segment : array of int
        The task of every segment.
    weights : array
        Of every task; they add up to 1.
    kind : {'fixed', 'random'}
        Whether the claim is about these tasks, or about others like them.
    """

    names: tuple[str, ...]
    of_segment: IntArray
    weights: FloatArray
    kind: Tasks = "fixed"

    def segment_weights(self) -> FloatArray:
        """Return by what the statistics of every segment are multiplied; their mean is 1."""
        sizes = np.bincount(self.of_segment)
        weights: FloatArray = (self.weights / sizes)[self.of_segment] * self.of_segment.size
        return weights

    def units(
        self, of_unit: IntArray, document_of_unit: IntArray | None = None
    ) -> "StratifiedUnits":
        """Return units of the test that lie in these tasks, and in these documents."""
        return StratifiedUnits(self, of_unit, document_of_unit)


def choose_strata(
    data: Scores, tasks: Tasks, weights: str | Mapping[str, float]
) -> Strata | None:
    """Return the tasks of complete scores, or None where there is one or they are pooled."""
    names = data.task_names
    if tasks == "pooled" or len(names) < 2:
        if tasks == "random" or weights != "macro":
            option = "tasks='random'" if tasks == "random" else f"weights={weights!r}"
            why = "the items are taken together" if tasks == "pooled" else "the scores hold one"
            raise InputError(f"`{option}` needs several tasks, and {why}. Drop it.")
        return None
    position = {name: i for i, name in enumerate(names)}
    codes = np.array([position[name] for name in data.tasks or ()])
    if tasks == "random":
        if len(names) < FEWEST_RANDOM:
            raise InputError(
                f"`tasks='random'` takes the tasks for a sample of others like them, and needs at "
                f"least {FEWEST_RANDOM}; got {len(names)}. Use `tasks='fixed'`, a claim about "
                "these tasks."
            )
        if weights != "macro":
            raise InputError(
                f"`weights={weights!r}` does not go with `tasks='random'`: tasks of a sample "
                "weigh alike. Drop one of them."
            )
    return Strata(names, codes, _weights(names, codes, weights), tasks)


def _weights(
    names: tuple[str, ...], codes: IntArray, weights: str | Mapping[str, float]
) -> FloatArray:
    sizes = np.bincount(codes).astype(np.float64)
    if isinstance(weights, str):
        check.one_of(weights, ("macro", "items"), "weights")
        given = sizes if weights == "items" else np.ones(len(names))
        return normalised(given)
    for name in weights:
        check.one_of(name, names, "weights of task")
    lacking = [name for name in names if name not in weights]
    if lacking:
        raise InputError(
            f"`weights` must give a weight to every task; {listing(lacking)} has none. Leave the "
            "items of a task out that should not count."
        )
    return normalised(np.array([check.positive(weights[name], "weights") for name in names]))


def normalised(weights: FloatArray) -> FloatArray:
    """Return weights that add up to 1."""
    found: FloatArray = weights / weights.sum()
    return found


@dataclass(frozen=True, slots=True)
class StratifiedUnits:
    """Units of the test, each of one task.

    Attributes
    ----------
    of_unit : array of int
        The task of every unit.
    document_of_unit : array of int or None
        Its document: one document may lie in several tasks, as a source text in several languages.
    """

    strata: Strata
    of_unit: IntArray
    document_of_unit: IntArray | None = None

    def check(self, unit: str) -> None:
        """Refuse a task of which no standard error can be had."""
        for name, n in zip(
            self.strata.names,
            np.bincount(self.of_unit, minlength=len(self.strata.names)),
            strict=True,
        ):
            if n < 2:
                raise InputError(
                    f"task {name!r} has {count(int(n), unit)}, from which no standard error "
                    "follows. Leave it out, or use `tasks='pooled'`."
                )

    def samples(self, sample: Sample) -> list[Sample]:
        """Return the units of every task by themselves."""
        return [
            Sample(sample.metric, sample.systems, sample.runs, sample.statistics[:, of])
            for of in (self.of_unit == t for t in range(len(self.strata.names)))
        ]

    def pair_parts(self, sample: Sample, pairs: Pairs) -> list[list[SwapParts]]:
        """Return what every unit adds to the difference of its task: [pair][task]."""
        by_task = [swap_parts(one, pairs) for one in self.samples(sample)]
        return [list(row) for row in zip(*by_task, strict=True)]

    def difference(self, parts: list[SwapParts]) -> Estimate:
        """Return the weighted mean of the differences of all tasks."""
        return self._combined([part.estimate() for part in parts], self._shared(parts))

    def score(self, sample: Sample, system: int) -> Estimate:
        """Return the weighted mean score of a system over tasks."""
        found = []
        for one in self.samples(sample):
            influence = one.influence(system).mean(axis=0)
            variance, df = robust_variance(influence, one.shares(system))
            found.append(Estimate(one.score(system), float(variance) ** 0.5, float(df)))
        return self._combined(found, 0.0)

    def _combined(self, estimates: list[Estimate], shared: float) -> Estimate:
        if self.strata.kind == "random":
            return random_strata(np.array([one.value for one in estimates]))
        return fixed_strata(estimates, self.strata.weights, shared=shared)

    def _shared(self, parts: list[SwapParts]) -> float:
        """Return what documents of several tasks add to the variance."""
        if self.document_of_unit is None:
            return 0.0
        n = int(self.document_of_unit.max()) + 1
        alone, together = 0.0, np.zeros(n)
        for t, part in enumerate(parts):
            residuals = self.strata.weights[t] * (part.parts - part.shares * part.value)
            documents = self.document_of_unit[self.of_unit == t]
            own = np.bincount(documents, weights=residuals, minlength=n)
            alone += float(np.square(own).sum())
            together += own
        return float(np.square(together).sum()) - alone
