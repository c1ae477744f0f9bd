"""One scenario at one size and one effect: by a closed form if there is one, else simulated."""

from dataclasses import dataclass, replace

import numpy as np

from detectable.core.errors import InputError
from detectable.planning.scenario import Method, Scenario
from detectable.planning.simulate import Work, simulate

_ROUNDING = 1e-12  # 1 - .9 is a little less than .1


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
        if not possible.low - _ROUNDING <= effect <= possible.high + _ROUNDING:
            why = f": {possible.reason}" if possible.reason else ""
            raise InputError(
                f"`effect` must lie between {possible.low:.6g} and {possible.high:.6g}; got "
                f"{effect:.6g}{why}."
            )
