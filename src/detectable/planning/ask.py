"""The questions to a scenario: power, detectable effect, sample sizes, power curve."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict, Unpack

from detectable.core import check
from detectable.core.choices import RatingMethod, RatingTest
from detectable.core.errors import InputError
from detectable.core.result import Signature
from detectable.core.rng import resolve
from detectable.core.types import Progress, Seed, silent
from detectable.planning import result
from detectable.planning.documents import in_documents
from detectable.planning.nearby import NearbyPower, near_effect, near_size
from detectable.planning.scenario import Scenario
from detectable.planning.search import ROUNDING, Answer, Evaluator, Work, find_effect, find_size

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from detectable.planning.accuracy import Accuracy, UnpairedAccuracy
    from detectable.planning.margins import RatingsMargin
    from detectable.planning.ratings import Ratings


class AskOptions(TypedDict, total=False):
    """What every question may be given by name.

    Attributes
    ----------
    alpha : float
        Chance of a false alarm that is accepted (default .05).
    simulate : bool
        Simulate even where an exact or closed form exists, as a check of it.
    n_trials : int
        Simulated evaluations (default 10,000).
    rng : Generator, int or None
        None draws a fresh seed and records it in the signature.
    n_jobs : int
        Processes for the simulation; the answer does not depend on it.
    executor : concurrent.futures.Executor, optional
        Anything else to run the blocks of the simulation on.
    progress : callable
        Told what is being done.
    drawn : int, optional
        At how many points the power around the answer is computed for its picture, if fewer than
        the scenario has time for; 0: at none. With it, nothing is said of the other way to collect
        the same judgments. For programs that ask at every move of a slider.
    """

    alpha: float
    simulate: bool
    n_trials: int
    rng: Seed
    n_jobs: int
    executor: "Executor | None"
    progress: Progress
    drawn: int | None


# --- The four questions to a scenario: power, detectable effect, sample size, power curve ---

_COMPARED_TRIALS = 1000  # for a sentence with “about”


def power(
    scenario: Scenario,
    *,
    n_items: int,
    effect: float,
    **options: Unpack[AskOptions],
) -> result.PowerEstimate:
    r"""Return the chance that an evaluation shows an effect that is really there.

    .. math:: \text{power} = P(p \le \alpha \text{ and } \operatorname{sign}\hat\Delta =
       \operatorname{sign}\Delta \mid \Delta)

    together with the Type-M error :math:`E(|\hat\Delta| / |\Delta| \mid p \le \alpha)` and the
    Type-S error :math:`P(\operatorname{sign}\hat\Delta \ne \operatorname{sign}\Delta \mid p \le
    \alpha)` [1]_, as in [2]_.

    Parameters
    ----------
    scenario : Scenario
        How data come about and how they will be tested: `Accuracy`, `Bleu`, `RankSum`, … or
        your own.
    n_items : int
        Size of the evaluation, in the scenario's own unit.
    effect : float
        The true effect, on the scenario's own scale.
    **options
        `alpha`, `simulate`, `n_trials`, `rng`, `n_jobs`, `executor`, `progress`, `drawn`; see
        `AskOptions`.

    References
    ----------
    .. [1] Gelman and Carlin (2014), "Beyond power calculations", Perspectives on Psychological
       Science 9(6), 641–651.
    .. [2] Card, Henderson, Khandelwal, Jia, Mahowald and Jurafsky (2020), "With little power
       comes great responsibility", EMNLP, 9263–9274.

    Examples
    --------
    >>> from detectable.planning.accuracy import Accuracy
    >>> answer = power(Accuracy(agreement=0.975), n_items=500, effect=0.02)
    >>> round(answer.power, 4), answer.method
    (0.7976, 'exact')
    """
    scenario = in_documents(scenario)
    evaluate, seed = _evaluator(scenario, **options)
    n_items = _size(scenario, n_items)
    effect = _effect(scenario, effect)
    answer = evaluate(n_items, effect)

    def other_power(other: Evaluator) -> str:
        return f"the power would be about {other(n_items, effect).power:.2f}"

    return _estimate(
        evaluate,
        answer,
        n_items,
        effect,
        seed,
        compared=_compared(evaluate, other_power),
        nearby=near_effect(evaluate, answer, n_items, effect),
    )


def mde(
    scenario: Scenario,
    *,
    n_items: int,
    power: float = 0.8,
    **options: Unpack[AskOptions],
) -> result.DetectableEffect:
    """Return the minimum detectable effect: the smallest that is shown with a given power.

    The search looks above the null effect of the scenario (all our scenarios mirror) and ends
    where larger effects are impossible. If power is too small even there, the result says so:
    ``attainable`` is False, ``effect`` is nan and ``limit`` names the largest power.

    Parameters
    ----------
    scenario, n_items, **options
        As in `power`.
    power : float
        The power to reach.

    Examples
    --------
    >>> from detectable.planning.accuracy import Accuracy
    >>> scenario = Accuracy(baseline_accuracy=0.92, prior="glue", method="normal")
    >>> round(mde(scenario, n_items=1725).effect, 5)
    0.01624
    """
    scenario = in_documents(scenario)
    evaluate, seed = _evaluator(scenario, **options)
    n_items = _size(scenario, n_items)
    target = _target(power, evaluate.alpha)
    found = find_effect(evaluate, n_items, target)
    known = 0.0 if math.isnan(found.x) else found.x

    def other_effect(other: Evaluator) -> str:
        seen = find_effect(other, n_items, target)
        if not seen.attainable:
            return "no effect would be shown with that power"
        return f"effects of about {seen.x:.3g} or more would be shown with that power"

    extra = (
        _extra(evaluate, n_items, known, compared=_compared(evaluate, other_effect))
        if found.attainable
        else _words(scenario)
    )
    return result.DetectableEffect(
        effect=found.x,
        n_items=n_items,
        target_power=target,
        **_numbers(found.answer),
        effect_error=found.error,
        alpha=evaluate.alpha,
        attainable=found.attainable,
        limit=found.limit,
        nearby=near_effect(evaluate, found.answer, n_items, found.x),
        signature=_signature("mde", evaluate, found.answer, seed),
        **extra,
    )


def sample_size(
    scenario: Scenario,
    *,
    effect: float,
    power: float = 0.8,
    **options: Unpack[AskOptions],
) -> result.SampleSize:
    """Return how many items show an effect with a given power.

    The answer is the smallest size from which on power stays at or above the target: the
    power of exact tests rises in a saw-tooth, and a size at the tip of a tooth is no safe plan.
    If no size reaches the target, ``attainable`` is False, ``n_items`` is None and ``limit``
    names the largest power that was found.

    Parameters
    ----------
    scenario, effect, **options
        As in `power`.
    power : float
        The power to reach.

    Examples
    --------
    >>> from detectable.planning.rank_sum import RankSum
    >>> sample_size(RankSum(), effect=0.47).n_items
    1454
    """
    scenario = in_documents(scenario)
    evaluate, seed = _evaluator(scenario, **options)
    effect = _effect(scenario, effect)
    target = _target(power, evaluate.alpha)
    found = find_size(evaluate, effect, target)
    n_items = int(found.x) if found.attainable else None

    def other_size(other: Evaluator) -> str:
        needed = find_size(other, effect, target)
        if not needed.attainable:
            return "no number would be enough"
        return f"about {result.units(int(needed.x), other.scenario.unit)} would be enough"

    extra = (
        _words(scenario)
        if n_items is None
        else _extra(evaluate, n_items, effect, compared=_compared(evaluate, other_size))
    )
    return result.SampleSize(
        n_items=n_items,
        effect=effect,
        target_power=target,
        **_numbers(found.answer),
        n_items_error=found.error,
        alpha=evaluate.alpha,
        attainable=found.attainable,
        limit=found.limit,
        nearby=near_size(evaluate, found.answer, n_items, effect),
        signature=_signature("sample-size", evaluate, found.answer, seed),
        **extra,
    )


def power_curve(
    scenario: Scenario,
    *,
    n_items: Sequence[int],
    effect: Sequence[float],
    power: float = 0.8,
    **options: Unpack[AskOptions],
) -> result.PowerCurve:
    """Return the power for every pair of a size and an effect.

    Simulated points share their random numbers, so that a curve is smooth.

    Parameters
    ----------
    scenario, **options
        As in `power`.
    n_items, effect
        The grid.
    power : float
        The power to reach, of which sentences and pictures speak.

    Examples
    --------
    >>> from detectable.planning.bleu import Bleu
    >>> curve = power_curve(Bleu(), n_items=[1000, 2000], effect=[0.5, 1.0])
    >>> [round(point.power, 3) for point in curve.points]
    [0.151, 0.458, 0.259, 0.747]
    """
    scenario = in_documents(scenario)
    evaluate, seed = _evaluator(scenario, **options)
    sizes = tuple(_size(scenario, n) for n in n_items)
    effects = tuple(_effect(scenario, e) for e in effect)
    target = _target(power, evaluate.alpha)
    if not sizes or not effects:
        raise InputError("`n_items` and `effect` must each hold at least one number; got none.")
    points = tuple(
        _estimate(evaluate, evaluate(n, e), n, e, seed) for n in sizes for e in effects
    )
    return result.PowerCurve(
        n_items=sizes,
        effect=effects,
        null_effect=scenario.null_effect,
        alpha=evaluate.alpha,
        points=points,
        unit=scenario.unit,
        target_power=target,
        scale=scenario.scale,
        signature=_signature("power-curve", evaluate, points[0], seed),
    )


def power_curves(
    scenarios: Mapping[str, Scenario],
    *,
    n_items: Sequence[int],
    effect: Sequence[float],
    **options: Unpack[AskOptions],
) -> result.PowerCurves:
    """Return the power for every pair of a size and an effect under several assumptions.

    Nobody knows the quantities that power depends on, so card2020 advises to compute it for a
    range of them. Effects that an assumption rules out are left out of its curve. All curves share
    the random numbers of simulated points.

    Parameters
    ----------
    scenarios : mapping of str to Scenario
        What each assumes, in a few words.
    n_items, effect, **options
        As in `power_curve`.

    Examples
    --------
    >>> from detectable.planning.accuracy import Accuracy
    >>> alike = {f"agreement {a}": Accuracy(agreement=a) for a in (0.7, 0.95)}
    >>> found = power_curves(alike, n_items=[1000], effect=[0.02])
    >>> [round(curve.at(1000, 0.02).power, 3) for curve in found.curves]
    [0.194, 0.785]
    """
    if len(scenarios) < 2:
        raise InputError(
            f"`scenarios` must hold two or more; got {len(scenarios)}. One is for power_curve."
        )
    generator, seed = resolve(options.pop("rng", None))
    options["rng"] = int(generator.integers(2**32))
    sizes = [_size(one, n) for one in scenarios.values() for n in n_items][: len(n_items)]
    curves = []
    for name, scenario in scenarios.items():
        known = in_documents(scenario)
        possible = [
            e for e in effect if all(_may_be(known, n, _effect(known, e)) for n in sizes)
        ]
        if not possible:
            raise InputError(
                f"`effect` holds no difference that is possible with {name}; got "
                f"{', '.join(f'{e:g}' for e in effect)}."
            )
        curves.append(power_curve(scenario, n_items=sizes, effect=possible, **options))
    first = curves[0]
    drawn = any(point.standard_error is not None for curve in curves for point in curve.points)
    return result.PowerCurves(
        names=tuple(scenarios),
        curves=tuple(curves),
        signature=Signature(
            "power-curves",
            {
                "scenario": first.signature.settings["scenario"],
                "assumptions": ",".join(scenarios).replace(" ", "-"),
                "alpha": first.alpha,
            },
            seed if drawn else None,
        ),
    )


def _may_be(scenario: Scenario, n_items: int, effect: float) -> bool:
    possible = scenario.effect_range(n_items)
    return possible.low - ROUNDING <= effect <= possible.high + ROUNDING


def _evaluator(  # noqa: PLR0913 (what AskOptions lists)
    scenario: Scenario,
    *,
    alpha: float = 0.05,
    simulate: bool = False,
    n_trials: int = 10_000,
    rng: Seed = None,
    n_jobs: int = 1,
    executor: "Executor | None" = None,
    progress: Progress = silent,
    drawn: int | None = None,
) -> tuple[Evaluator, str]:
    """Return what answers at one point, and the seed for the signature."""
    work = Work(check.repetitions(n_trials, "n_trials"), n_jobs, executor, progress)
    generator, seed = resolve(rng)
    entropy = int(generator.integers(2**63))
    level = check.probability(alpha, "alpha")
    return Evaluator(scenario, level, entropy, work, simulate, drawn), seed


def _size(scenario: Scenario, n_items: int) -> int:
    return check.positive_int(n_items, "n_items", minimum=scenario.smallest_n)


def _effect(scenario: Scenario, effect: float) -> float:
    number = float(effect)
    if check.LARGEST_SCORE < abs(number) < math.inf:
        raise InputError(f"`effect` must lie within ±{check.LARGEST_SCORE:g}; got {effect!r}.")
    null = scenario.null_near(number)
    if not math.isfinite(number) or number == null:
        raise InputError(
            f"`effect` must be a finite number other than {null:g}; got {effect!r}. At {null:g} "
            "there is nothing to detect."
        )
    return number


def _target(power: float, alpha: float) -> float:
    target = check.probability(power, "power")
    if target <= alpha:
        raise InputError(
            f"`power` must lie between alpha = {alpha:g} and 1; got {power!r}. "
            "A test without any effect is significant with chance alpha already."
        )
    return target


def _estimate(
    evaluate: Evaluator,
    answer: Answer,
    n_items: int,
    effect: float,
    seed: str,
    *,
    compared: tuple[str, ...] = (),
    nearby: NearbyPower | None = None,
) -> result.PowerEstimate:
    return result.PowerEstimate(
        **_numbers(answer),
        effect=effect,
        n_items=n_items,
        alpha=evaluate.alpha,
        n_trials=answer.n_trials,
        nearby=nearby,
        signature=_signature("power", evaluate, answer, seed),
        **_extra(evaluate, n_items, effect, compared=compared),
    )


def _compared(evaluate: Evaluator, say: Callable[[Evaluator], str]) -> tuple[str, ...]:
    """Say what the same evaluation would do with pairs instead of without, or the reverse."""
    other = None if evaluate.drawn is not None else counterpart(evaluate.scenario)
    if other is None:
        return ()
    work = replace(evaluate.work, n_trials=min(evaluate.work.n_trials, _COMPARED_TRIALS))
    try:
        found = say(replace(evaluate, scenario=other.scenario, work=work))
    except InputError:  # an effect or a correlation that the other way cannot have
        return ()
    return (f"{other.words}, {found}.",)


def _numbers(answer: Answer) -> dict[str, Any]:
    names = ("power", "type_m", "type_s", "method", "standard_error")
    return {name: getattr(answer, name) for name in names}


def _extra(
    evaluate: Evaluator, n_items: int, effect: float, *, compared: tuple[str, ...] = ()
) -> dict[str, Any]:
    scenario, alpha = evaluate.scenario, evaluate.alpha
    return {
        **_words(scenario),
        "details": scenario.details(n_items, effect, alpha=alpha),
        "assumed": assumed(scenario.assumptions(effect)),
        "notes": (*scenario.notes(n_items, effect, alpha=alpha), *compared),
    }


def assumed(parts: Sequence[str]) -> str:
    """Return ``Assumes this, that and those.``; nothing where nothing is assumed.

    Examples
    --------
    >>> assumed(["P0 = 0.13 and b0 = 25.8", "independent segments"])
    'Assumes P0 = 0.13 and b0 = 25.8, and independent segments.'
    """
    if not parts:
        return ""
    *others, last = parts
    if not others:
        return f"Assumes {last}."
    comma = "," if len(others) > 1 or " and " in others[0] else ""
    return f"Assumes {', '.join(others)}{comma} and {last}."


def _words(scenario: Scenario) -> dict[str, str]:
    return {"unit": scenario.unit, "aim": scenario.aim(), "scale": scenario.scale}


def _signature(
    question: str, evaluate: Evaluator, answer: Answer | result.PowerEstimate, seed: str
) -> Signature:
    scenario = evaluate.scenario
    settings = {"scenario": type(scenario).__name__, **scenario.settings()}
    settings["alpha"] = evaluate.alpha
    simulated = answer.standard_error is not None
    if simulated:
        settings["trials"] = evaluate.work.n_trials
    return Signature(question, settings, seed if simulated else None)


# --- The same evaluation with pairs instead of without, or the reverse: means with means, ranks with ranks ---
#
# A planner who compares the two must not compare two tests as well: Mann-Whitney's test without
# pairs can need fewer judgments than a t-test with them, only because ranks suit the scores.

# Of the two ratings of an item, where nobody said: in ShipData it is about .67.
CORRELATION = 0.5
_PAIRED: dict[RatingTest, RatingTest] = {"two-means": "paired-mean", "rank-sum": "signed-rank"}
_UNPAIRED: dict[RatingTest, RatingTest] = {b: a for a, b in _PAIRED.items()}


class Counterpart(NamedTuple):
    """The other way to collect the same judgments."""

    scenario: Scenario
    words: str  # what is different, to begin a sentence with


def counterpart(scenario: Scenario) -> Counterpart | None:
    """Return the scenario with pairs for one without, and the reverse; None where none is known.

    Found by the name of the class or of one it derives from, so that no scenario imports the
    others.

    Examples
    --------
    >>> from detectable.planning.ratings import Ratings
    >>> counterpart(Ratings(mean=80, sd=20, test="rank-sum")).words
    'With both systems judged on the same items (signed-rank, correlation 0.5)'
    """
    for kind in type(scenario).__mro__:
        if kind.__name__ in _MAKERS:
            return _MAKERS[kind.__name__](scenario)
    return None


def _ratings(scenario: "Ratings") -> Counterpart | None:
    if scenario.test in _UNPAIRED:
        test = _UNPAIRED[scenario.test]
        other = replace(scenario, test=test, correlation=None, method="closed-form")
        return Counterpart(other, f"With every system judged on items of its own ({test})")
    test = _PAIRED[scenario.test]
    # A sentence needs no simulation, except for the signed-rank test, which has no closed form.
    method: RatingMethod = "simulated" if test == "signed-rank" else "closed-form"
    other = replace(scenario, test=test, correlation=CORRELATION, method=method)
    return Counterpart(
        other,
        f"With both systems judged on the same items ({test}, correlation {CORRELATION:g})",
    )


def _ratings_margin(scenario: "RatingsMargin") -> Counterpart | None:
    from detectable.planning.ratings import Ratings

    other = _ratings(scenario.ratings)
    if other is None or not isinstance(other.scenario, Ratings):
        return None
    return Counterpart(replace(scenario, ratings=other.scenario), other.words)


def _accuracy(scenario: "Accuracy") -> Counterpart | None:
    from detectable.planning.accuracy import UnpairedAccuracy

    if scenario.baseline_accuracy is None:
        return None
    return Counterpart(
        UnpairedAccuracy(scenario.baseline_accuracy),
        "With every system tested on items of its own (proportions)",
    )


def _unpaired_accuracy(scenario: "UnpairedAccuracy") -> Counterpart | None:
    from detectable.planning.accuracy import Accuracy

    try:
        other = Accuracy(baseline_accuracy=scenario.baseline_accuracy, prior="lachenbruch")
    except InputError:
        return None
    return Counterpart(
        other,
        "With both systems tested on the same items (sign test, agreement in the middle of what is "
        "possible)",
    )


_MAKERS: dict[str, Callable[[Any], Counterpart | None]] = {
    "Accuracy": _accuracy,
    "Ratings": _ratings,
    "RatingsMargin": _ratings_margin,
    "UnpairedAccuracy": _unpaired_accuracy,
}
