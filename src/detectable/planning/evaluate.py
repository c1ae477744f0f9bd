"""One scenario at one size and one effect: by a closed form if there is one, else simulated."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from detectable.core.errors import InputError
from detectable.core.execute import run_blocks
from detectable.core.rng import Block, blocks
from detectable.core.types import Progress, silent
from detectable.planning.scenario import Method, Scenario, Trials

if TYPE_CHECKING:
    from concurrent.futures import Executor

Question: TypeAlias = tuple[Scenario, int, float, float]  # scenario, n_items, effect, alpha


@dataclass(frozen=True, slots=True)
class Work:
    """How much to simulate, and where: what all simulated answers share."""

    n_trials: int = 10_000
    n_jobs: int = 1
    executor: "Executor | None" = None
    progress: Progress = silent


@dataclass(frozen=True, slots=True)
class Tally:
    """What many trials came to.

    Attributes
    ----------
    trials, right, wrong : int
        All trials; the significant ones with the right sign, and with the wrong one.
    excess : float
        Sum over significant trials of the distance between estimate and null effect, as a
        multiple of the true distance.
    """

    trials: int
    right: int
    wrong: int
    excess: float

    @property
    def power(self) -> float:
        """Share of trials that are significant with the right sign."""
        return self.right / self.trials

    @property
    def standard_error(self) -> float:
        """Monte Carlo standard error of the power.

        With half a success and half a failure added, so that 0 of 100 is not «exactly zero».
        """
        share = (self.right + 0.5) / (self.trials + 1.0)
        return math.sqrt(share * (1.0 - share) / self.trials)

    @property
    def type_m(self) -> float:
        """Mean exaggeration among significant trials; nan if there is none."""
        significant = self.right + self.wrong
        return self.excess / significant if significant else math.nan

    @property
    def type_s(self) -> float:
        """Share of wrong signs among significant trials; nan if there is none."""
        significant = self.right + self.wrong
        return self.wrong / significant if significant else math.nan


def simulate(
    scenario: Scenario,
    n_items: int,
    effect: float,
    *,
    alpha: float,
    rng: np.random.Generator,
    work: Work,
) -> Tally:
    r"""Return the counts of simulated evaluations (Algorithm of Figure 2 in card2020).

    A trial is a success if :math:`p \le \alpha` and its estimate lies on the same side of the
    null effect as the true effect. At the null effect itself «right» means above it, so that
    the two shares together are the type I error.
    """
    todo = blocks(work.n_trials, rng, size=scenario.block_trials(n_items))
    parts = run_blocks(
        _block,
        (scenario, n_items, effect, alpha),
        todo,
        n_jobs=work.n_jobs,
        executor=work.executor,
        progress=work.progress,
        step="simulating",
    )
    return _added(parts)


def _block(question: Question, block: Block) -> Tally:
    scenario, n_items, effect, alpha = question
    data = scenario.draw(n_items, effect, trials=block.rows, rng=block.rng)
    return tally(
        scenario.analyse(data, alpha=alpha),
        effect,
        null_effect=scenario.null_near(effect),
        alpha=alpha,
    )


def tally(trials: Trials, effect: float, *, null_effect: float, alpha: float) -> Tally:
    """Count the significant trials by sign."""
    significant = trials.p_values <= alpha  # False for nan
    found = trials.estimates[significant] - null_effect
    distance = effect - null_effect
    right = int(np.count_nonzero(found > 0.0 if distance >= 0.0 else found < 0.0))
    excess = math.nan if distance == 0.0 else float(np.abs(found).sum()) / abs(distance)
    return Tally(int(trials.p_values.size), right, int(found.size) - right, excess)


def _added(parts: Sequence[Tally]) -> Tally:
    return Tally(
        sum(part.trials for part in parts),
        sum(part.right for part in parts),
        sum(part.wrong for part in parts),
        _sum([part.excess for part in parts]),
    )


def _sum(values: Sequence[float]) -> float:
    try:
        return math.fsum(values)
    except OverflowError:  # of an effect that is next to nothing
        return math.inf


# --- One scenario at one size and one effect: by a closed form if there is one, else simulated ---

ROUNDING = 1e-12  # 1 - .9 is a little less than .1


@dataclass(frozen=True, slots=True)
class Answer:
    """Power and the two errors of design, with the method behind them."""

    power: float
    type_m: float
    type_s: float
    method: Method
    standard_error: float | None = None
    n_trials: int | None = None


@dataclass(frozen=True, slots=True)
class Evaluator:
    """Answers for one scenario at one level.

    Every call starts from the same seed (common random numbers), so that power as a function
    of size and effect is as smooth as the scenario allows; `stream` gives independent numbers.
    """

    scenario: Scenario
    alpha: float
    entropy: int
    work: Work
    always_simulate: bool = False
    drawn: int | None = None  # points of a picture; None: as many as the scenario has time for

    def __call__(
        self, n_items: int, effect: float, *, n_trials: int | None = None, stream: int = 0
    ) -> Answer:
        """Return the answer at one point, checked for being possible."""
        self.check_effect(n_items, effect)
        if not self.always_simulate:
            closed = self.scenario.closed_form(n_items, effect, alpha=self.alpha)
            if closed is not None:
                return Answer(closed.power, closed.type_m, closed.type_s, closed.method)
        work = self.work if n_trials is None else replace(self.work, n_trials=n_trials)
        rng = np.random.default_rng([self.entropy, stream])
        found = simulate(self.scenario, n_items, effect, alpha=self.alpha, rng=rng, work=work)
        return Answer(
            found.power,
            found.type_m,
            found.type_s,
            "simulated",
            found.standard_error,
            found.trials,
        )

    def check_effect(self, n_items: int, effect: float) -> None:
        """Raise where an effect cannot occur."""
        possible = self.scenario.effect_range(n_items)
        if not possible.low - ROUNDING <= effect <= possible.high + ROUNDING:
            why = f": {possible.reason}" if possible.reason else ""
            raise InputError(
                f"`effect` must lie between {possible.low:.6g} and {possible.high:.6g}; got "
                f"{effect:.6g}{why}."
            )
