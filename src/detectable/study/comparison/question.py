"""What is tested: the same for every way to test it."""

from dataclasses import dataclass, field

import numpy as np

from detectable.core.types import FloatArray, IntArray
from detectable.inference.swap_parts import SwapParts
from detectable.study.comparison.chosen import Chosen
from detectable.study.comparison.measure import Measured
from detectable.study.comparison.settings import CompareSettings
from detectable.study.pairs.analysis import Cells, Pairs, families, family_sizes


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """Systems, pairs and metrics, what is claimed of them, and how it is tested."""

    measured: Measured
    pairs: Pairs
    parts: list[list[SwapParts]]  # [pair][metric]
    margins: FloatArray  # per metric; NaN where there is none
    settings: CompareSettings
    chosen: Chosen
    task_parts: list[list[list[SwapParts]]] = field(
        default_factory=list
    )  # [pair][metric][task]

    @property
    def shape(self) -> tuple[int, int]:
        """Pairs and metrics."""
        return len(self.pairs), len(self.measured.units)

    @property
    def cells(self) -> Cells:
        """Every difference with its standard error; of tasks the weighted mean."""
        tasks = self.measured.tasks
        if tasks is None:
            return [[part.estimate() for part in row] for row in self.parts]
        return [[tasks.difference(parts) for parts in row] for row in self.task_parts]

    @property
    def groups(self) -> tuple[IntArray, ...]:
        """Columns that are corrected together."""
        return families(self.shape, self.settings.family)

    @property
    def tests(self) -> FloatArray:
        """The number of tests that each cell is corrected for."""
        if self.chosen.correction == "none":
            return np.ones(self.shape)
        return family_sizes(self.shape, self.groups)
