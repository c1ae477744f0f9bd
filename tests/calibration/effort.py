"""How much to simulate, and tables of what came of it."""

import functools
import math
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Literal, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from detectable.core.execute import run_blocks
from detectable.core.rng import Block, blocks
from detectable.core.types import FloatArray, Progress, silent

ALPHA = 0.05
LEVEL = 1.0 - ALPHA
POWER = 0.80
CAREFUL = "conservative"  # the note of a row that is on the safe side
WANTED_POWER = (0.77, 0.87)  # at a stated MDE; stepping down is above .80 by nature
RESAMPLES = 999  # with the observed value 1000, so that p = .05 can be reached exactly
_BLOCK = 20  # data sets per block; part of every answer, like the seed

Payload = TypeVar("Payload")
Draw: TypeAlias = Callable[[Payload, np.random.Generator], FloatArray]
Kind: TypeAlias = Literal["error", "coverage", "power", "plain"]


@dataclass(frozen=True, slots=True)
class Effort:
    """How many data sets, from which seed, and on how many processes."""

    trials: int
    seed: int = 2021
    n_jobs: int = 1
    progress: Progress = silent
    executor: Executor | None = None

    def repeat(self, draw: Draw[Payload], payload: Payload, step: str) -> FloatArray:
        """Return ``draw(payload, rng)`` for every data set, each with its own random numbers."""
        # The step is part of the seed, so that no two measurements share their data sets.
        rng = np.random.default_rng([self.seed, *step.encode()])
        answers = run_blocks(
            functools.partial(_block, draw),
            payload,
            blocks(self.trials, rng, size=_BLOCK),
            n_jobs=self.n_jobs,
            executor=self.executor,
            progress=self.progress,
            step=step,
        )
        return np.concatenate(answers)


def _block(draw: Draw[Payload], payload: Payload, block: Block) -> FloatArray:
    return np.stack([draw(payload, block.rng) for _ in range(block.rows)])


@dataclass(frozen=True, slots=True)
class Rates:
    """Shares of data sets, in a table of named rows and columns.

    Attributes
    ----------
    shares : array of shape (rows, columns)
        NaN where there is nothing to count.
    kind : {'error', 'coverage', 'power', 'plain'}
        What is bad: an error rate above its nominal value, a coverage below it, a power at the
        stated MDE below .77 (above .87 what is stated is too large, on the safe side); of plain
        shares nothing.
    """

    title: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    shares: FloatArray
    trials: int
    nominal: float = ALPHA
    kind: Kind = "error"

    @property
    def error(self) -> float:
        """The standard error of a share that is as it should be."""
        return math.sqrt(self.nominal * (1.0 - self.nominal) / self.trials)

    @property
    def excess(self) -> FloatArray:
        """How many standard errors each share lies on the bad side; negative: on the safe one."""
        sign = -1.0 if self.kind == "coverage" else 1.0
        found: FloatArray = sign * (self.shares - self.nominal) / self.error
        return found

    @property
    def bad(self) -> NDArray[np.bool_]:
        """Which shares break their word by more than two standard errors."""
        if self.kind == "plain":
            return np.zeros_like(self.shares, dtype=bool)
        if self.kind == "power":
            return self.shares < WANTED_POWER[0]
        return self.excess > 2.0

    @property
    def safe(self) -> NDArray[np.bool_]:
        """Which shares are on the safe side: by two standard errors, or above the wanted power."""
        if self.kind == "power":
            return self.shares > WANTED_POWER[1]
        return (self.excess < -2.0) & (self.kind in ("error", "coverage"))

    def of(self, row: str) -> FloatArray:
        """Return one row."""
        found: FloatArray = self.shares[self.rows.index(row)]
        return found


def markdown(found: Rates) -> str:
    """Return a Markdown table with its caption; bad numbers are bold, careful rows say so."""
    lines = [["", *found.columns, ""], ["---", *["---:"] * len(found.columns), "---"]]
    for row, shares, bad, safe in zip(
        found.rows, found.shares, found.bad, found.safe, strict=True
    ):
        cells = [_cell(share, bold=bool(bold)) for share, bold in zip(shares, bad, strict=True)]
        careful = CAREFUL if safe.any() and not bad.any() else ""
        lines.append([row, *cells, careful])
    table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    return f"{caption(found)}\n\n{table}"


def caption(found: Rates) -> str:
    """Return the title of a table with what its numbers rest on."""
    if found.kind == "plain":
        return f"{found.title}. {found.trials:,} data sets."
    aim = f"nominal {_cell(found.nominal)}"
    if found.kind == "power":
        aim = f"wanted {_cell(WANTED_POWER[0])} to {_cell(WANTED_POWER[1])}"
    return (
        f"{found.title}. {found.trials:,} data sets, {aim}, standard error {found.error:.4f}."
    )


def _cell(share: float, *, bold: bool = False) -> str:
    if math.isnan(share):
        return "–"
    text = f"{share:.3f}"
    return f"**{text}**" if bold else text
