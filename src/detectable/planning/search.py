"""Find where power reaches a target: the effect for a size, or the size for an effect.

Exact and closed forms are bisected. A simulated power is a noisy monotone function: it is
bracketed with few trials, then a probit regression over independent simulations on both sides
of the target gives the answer with its Monte Carlo standard error.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from detectable.core.errors import InputError
from detectable.core.execute import run_blocks
from detectable.core.rng import Block, blocks
from detectable.core.types import FloatArray, Progress, silent
from detectable.kernels.distributions import normal_quantile
from detectable.planning.closed_forms import density
from detectable.planning.scenario import EffectRange, Method, Scenario, Trials

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

        With half a success and half a failure added, so that 0 of 100 is not “exactly zero”.
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
    null effect as the true effect. At the null effect itself “right” means above it, so that
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


class Answer(NamedTuple):
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


# --- Find where power reaches a target: the effect for a size, or the size for an effect ---
#
# Exact and closed forms are bisected. A simulated power is a noisy monotone function: it is
# bracketed with few trials, then a probit regression over independent simulations on both sides
# of the target gives the answer with its Monte Carlo standard error.

_PRECISION = 1e-12  # relative, of a bisected effect
_DOUBLINGS = 60  # of an effect without upper limit
_PLATEAU = 4  # doublings of n without a gain that make a plateau
_POINTS = 5  # simulations of the probit regression
_HALF_WIDTH = 0.25  # of the regression, in probits: .8 becomes .72 to .86
_ROUGH_SHARE = 8  # the bracket takes this part of the trials
_SMALL = 50  # below this size whole numbers are too coarse for a regression

# From x, trials and stream to the x that was really evaluated (sizes are whole) and its answer.
Curve: TypeAlias = Callable[[float, int | None, int], tuple[float, Answer]]


class Found(NamedTuple):
    """Where the target is reached, or the best that was seen if it is not."""

    x: float  # effect or n_items
    answer: Answer
    error: float | None = None  # Monte Carlo standard error of x
    attainable: bool = True
    limit: str = ""


def find_effect(evaluate: Evaluator, n_items: int, target: float) -> Found:
    """Return the smallest effect above the null effect whose power is at least `target`."""
    scenario = evaluate.scenario
    null, possible = scenario.null_effect, scenario.effect_range(n_items)

    def curve(distance: float, n_trials: int | None, stream: int) -> tuple[float, Answer]:
        effect = min(null + distance, possible.high)
        answer = evaluate(n_items, effect, n_trials=n_trials, stream=stream)
        return effect - null, answer

    widest = possible.high - null
    if widest <= 0.0:
        raise InputError(
            "`scenario` must have effects above its null effect to search for the smallest; got "
            f"{null:g} and at most {possible.high:g}. Ask for the sample size instead."
        )
    start = min(scenario.typical_effect(n_items), widest)
    first = curve(start, _rough(evaluate), 0)[1]
    noisy = first.standard_error is not None
    few = _rough(evaluate) if noisy else None
    low, high, best = _bracket_effect(curve, start, first, widest, target=target, few=few)
    if noisy and best.power < target:  # few trials may not decide this
        best = curve(high, None, 1)[1]
    if best.power < target:
        return Found(
            math.nan, best, attainable=False, limit=_effect_limit(null + high, best, possible)
        )
    if noisy:
        x, error = _regress(curve, low, high, target, few=few)
        x = min(x, widest)
        return Found(null + x, curve(x, None, 1)[1], error)
    while high - low > _PRECISION * high:
        middle = 0.5 * (low + high)
        if not low < middle < high:
            break
        enough = curve(middle, None, 0)[1].power >= target
        low, high = (low, middle) if enough else (middle, high)
    return Found(null + high, curve(high, None, 0)[1])


def find_size(evaluate: Evaluator, effect: float, target: float) -> Found:
    """Return the smallest size from which on power stays at or above `target`.

    “Stays”: exact tests of counts have a saw-tooth, so the smallest size with enough power can
    be followed by larger ones with too little. The scenario says how far that can go.
    """
    scenario = evaluate.scenario

    def curve(root: float, n_trials: int | None, stream: int) -> tuple[float, Answer]:
        n_items = max(scenario.smallest_n, round(root**2))
        answer = evaluate(n_items, effect, n_trials=n_trials, stream=stream)
        return math.sqrt(n_items), answer

    start = min(max(scenario.smallest_n, scenario.first_n(effect)), scenario.largest_n())
    first = evaluate(start, effect, n_trials=_rough(evaluate))
    noisy = first.standard_error is not None
    few = _rough(evaluate) if noisy else None
    low, high, best, at = _bracket_size(evaluate, effect, start, first, target=target, few=few)
    if noisy and best.power < target:  # few trials may not decide this
        best = evaluate(at, effect, stream=1)
    if best.power < target:
        return Found(math.nan, best, attainable=False, limit=_size_limit(evaluate, best, at))
    if noisy and high > _SMALL and low < high:
        root, error = _regress(curve, math.sqrt(low), math.sqrt(high), target, few=few)
        n_items = max(scenario.smallest_n, math.ceil(root**2))
        return Found(n_items, evaluate(n_items, effect, stream=1), 2.0 * root * error)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (
            (low, middle) if evaluate(middle, effect).power >= target else (middle, high)
        )
    n_items = high if noisy else _past_the_teeth(evaluate, effect, high, target)
    answer = evaluate(n_items, effect)
    return Found(n_items, answer, _size_error(answer, n_items, target))


def _rough(evaluate: Evaluator) -> int:
    return max(min(500, evaluate.work.n_trials), evaluate.work.n_trials // _ROUGH_SHARE)


def _bracket_effect(
    curve: Curve, start: float, first: Answer, widest: float, *, target: float, few: int | None
) -> tuple[float, float, Answer]:
    """Return distances below and above the target, and the answer at the upper one."""
    low, high, best = 0.0, start, first
    for _ in range(_DOUBLINGS):
        if best.power >= target or high >= widest:
            break
        low, high = high, min(2.0 * high, widest)
        best = curve(high, few, 0)[1]
    return low, high, best


def _bracket_size(
    evaluate: Evaluator,
    effect: float,
    start: int,
    first: Answer,
    *,
    target: float,
    few: int | None,
) -> tuple[int, int, Answer, int]:
    """Return sizes below and above the target, the best answer, and where it was found."""
    smallest, largest = evaluate.scenario.smallest_n, evaluate.scenario.largest_n()
    best, at, flat = first, start, 0
    if first.power >= target:
        low, high = start, start
        while low > smallest:
            low = max(smallest, low // 2)
            answer = evaluate(low, effect, n_trials=few)
            if answer.power < target:
                return low, high, best, at
            high, best, at = low, answer, low
        return high, high, best, at
    low, high = start, start
    while best.power < target and high < largest and flat < _PLATEAU:
        low, high = high, min(2 * high, largest)
        answer = evaluate(high, effect, n_trials=few)
        flat = flat + 1 if _no_gain(best, answer, evaluate.alpha) else 0
        if answer.power >= best.power:
            best, at = answer, high
    return low, high, best, at


def _no_gain(before: Answer, after: Answer, alpha: float) -> bool:
    """Say whether doubling the size gained nothing, though the effect is already being seen.

    Near the level power is flat for any effect that is still out of reach: no plateau.
    """
    if before.power < 2.0 * alpha:
        return False
    noise = 2.0 * math.hypot(before.standard_error or 0.0, after.standard_error or 0.0)
    return after.power - before.power <= max(noise, 1e-4)


def _size_error(answer: Answer, n_items: int, target: float) -> float | None:
    r"""Return the Monte Carlo error of a size, from the slope of :math:`\Phi(c \sqrt n - z)`."""
    if answer.standard_error is None:
        return None
    goal = normal_quantile(target)
    slope = density(goal) * (goal + normal_quantile(0.975)) / (2.0 * n_items)
    return answer.standard_error / slope


def _past_the_teeth(evaluate: Evaluator, effect: float, n_items: int, target: float) -> int:
    """Return the first size after the last one of the saw-tooth that falls below the target."""
    window = evaluate.scenario.saw_tooth(n_items, effect)
    for later in range(n_items + window, n_items, -1):
        if evaluate(later, effect).power < target:
            return later + 1
    return n_items


def _regress(
    curve: Curve, low: float, high: float, target: float, *, few: int | None
) -> tuple[float, float]:
    r"""Return where a noisy power curve crosses the target, and the standard error of that.

    Around the crossing, :math:`\Phi^{-1}(\text{power})` is nearly linear in the effect and in
    :math:`\sqrt n`. The maximum-likelihood line through independent simulations is solved for
    the target; its error follows from the information matrix by the delta method.
    """
    goal = normal_quantile(target)
    for _ in range(6):  # narrow the bracket with few trials and common random numbers
        middle = 0.5 * (low + high)
        if curve(middle, few, 0)[1].power >= target:
            high = middle
        else:
            low = middle
    centre = 0.5 * (low + high)
    slope = (goal + normal_quantile(0.975)) / centre  # probits rise from about z(alpha/2) at 0
    width = min(_HALF_WIDTH / slope, 0.5 * centre)
    wanted = centre + width * np.linspace(-1.0, 1.0, _POINTS)
    points = [curve(float(x), None, 2 + i) for i, x in enumerate(wanted)]
    line, covariance = probit_line(
        np.array([x for x, _ in points]) - centre,
        np.array([answer.power for _, answer in points]),
        np.array([float(answer.n_trials or 1) for _, answer in points]),
    )
    if line[1] <= 0.0:  # no rise within the noise: the rough bracket is all there is
        return centre, high - low
    x = (goal - line[0]) / line[1]
    gradient = np.array([-1.0 / line[1], -x / line[1]])
    return centre + float(x), math.sqrt(float(gradient @ covariance @ gradient))


def probit_line(
    xs: FloatArray, shares: FloatArray, trials: FloatArray
) -> tuple[FloatArray, FloatArray]:
    r"""Fit :math:`\Phi^{-1}(p) = a + b x` to binomial shares by Fisher scoring.

    References
    ----------
    Finney (1971), Probit Analysis, 3rd ed., Cambridge University Press, chapter 4.
    """
    from scipy.special import ndtr, ndtri  # scipy.stats would triple the start-up time

    design = np.column_stack([np.ones_like(xs), xs])
    shares = (shares * trials + 0.5) / (trials + 1.0)
    line: FloatArray = np.linalg.lstsq(design, ndtri(shares), rcond=None)[0]
    information = np.eye(2)
    for _ in range(25):
        eta = design @ line
        p = np.clip(ndtr(eta), 1e-12, 1.0 - 1e-12)
        density = np.exp(-0.5 * eta**2) / math.sqrt(2.0 * math.pi)
        weights = trials * density**2 / (p * (1.0 - p))
        working = eta + (shares - p) / np.maximum(density, 1e-12)
        information = design.T @ (design * weights[:, None])
        line = np.linalg.solve(information, design.T @ (weights * working))
    covariance: FloatArray = np.linalg.inv(information).astype(np.float64)
    return line, covariance


def _effect_limit(effect: float, best: Answer, possible: EffectRange) -> str:
    why = f", and no larger effect is possible: {possible.reason}" if possible.reason else ""
    return f"power is {best.power:.3f} at an effect of {effect:.4g}{why}."


def _size_limit(evaluate: Evaluator, best: Answer, at: int) -> str:
    largest = evaluate.scenario.largest_n()
    why = (
        f"the search ends at {largest:,}"
        if at >= largest
        else "larger sizes bring no gain beyond the noise"
    )
    return f"power is at most {best.power:.3f}, with {at:,} ({evaluate.scenario.unit}); {why}."
