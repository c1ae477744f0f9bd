"""What fewer runs of each system would have said: runs drawn again from those at hand.

Clark et al. (2011) draw some of their 300 optimizer runs, test the difference, and repeat that: their
figure 2 has the differences, their table 2 the p-values. Here runs are drawn without replacement;
where there are few choices, every one is taken.
"""

import itertools
import math
from collections.abc import Sequence

import numpy as np

from detectable.core import check
from detectable.core.errors import InputError
from detectable.core.types import FloatArray, IntArray
from detectable.inference.sample import Sample
from detectable.inference.standard_errors import Estimate
from detectable.study.comparison.parts import DrawnRuns, RunChoice
from detectable.study.comparison.settings import Question

_DRAWS = 1_000  # the paper made 250
_ENDS = (0.025, 0.5, 0.975)
_BARS = 24
_CELLS = 1 << 22  # numbers in memory at a time; does not change the answer


def checked_runs(question: Question, wanted: Sequence[int]) -> tuple[int, ...]:
    """Return how many runs are to be drawn, in order; refuse what the data do not have."""
    measured = question.measured
    if measured.n_samples is not None or measured.tasks is not None:
        what = "samples of items" if measured.n_samples is not None else "several tasks"
        raise InputError(f"`runs_drawn` is about runs of a system, and the scores hold {what}.")
    found = tuple(sorted({check.positive_int(n, "runs_drawn") for n in wanted}))
    runs = dict(zip(measured.systems, measured.units[0].runs, strict=True))
    fewest = min(runs, key=lambda name: runs[name])
    if max(runs.values()) < 2:
        raise InputError(
            "`runs_drawn` draws from several runs of a system, and every system has one. Give more: "
            "name=run1,run2,…."
        )
    if found and found[-1] > runs[fewest]:
        raise InputError(
            f"`runs_drawn` asks for {found[-1]} runs, and {fewest} has {runs[fewest]}. Ask for no "
            "more, or give more runs."
        )
    return found


def drawn_runs(
    question: Question, wanted: Sequence[int], rng: np.random.Generator
) -> tuple[DrawnRuns, ...]:
    r"""Return what single runs and so many random runs of each system would have said.

    A choice of n runs of each system gives the difference of their mean scores. Its p-value is that of a
    t test over units of the same n runs, taken as fixed, from the influence values
    :math:`\psi` averaged over them:

    .. math:: t = \frac{\bar m_A - \bar m_B}
        {\sqrt{\frac{K}{K-1} \sum_i (\bar\psi_{Ai} - \bar\psi_{Bi})^2}}.

    With hundreds of units it is that of swaps, which the paper draws for each choice.

    References
    ----------
    Clark, Dyer, Lavie and Smith (2011), "Better hypothesis testing for statistical machine
    translation: controlling for optimizer instability", ACL, section 4.2.
    """
    found = []
    for pair in question.pairs:
        for sample in question.measured.units:
            found += _picked(sample, pair, question.settings.alpha)
            edges: tuple[float, ...] = ()
            for n in wanted:
                choices = _choices(sample, pair, n, rng)
                made = _said(sample, pair, choices)
                edges = edges or _edges(made[0])
                found.append(_row(sample, pair, n, made, edges, question.settings.alpha))
    return tuple(found)


def _picked(sample: Sample, pair: tuple[int, int], alpha: float) -> list[DrawnRuns]:
    """Return what the best, the median and the worst run would have said: “depending on luck”."""
    sign = -1.0 if sample.metric.higher_is_better is False else 1.0
    order = [np.argsort(sign * sample.run_scores(s), kind="stable") for s in pair]
    last = [int(one[-1]) for one in order]
    first = [int(one[0]) for one in order]
    middle = [int(one[len(one) // 2]) for one in order]
    picks: tuple[tuple[RunChoice, int, int], ...] = (
        ("unlucky", first[0], last[1]),
        ("median", middle[0], middle[1]),
        ("lucky", last[0], first[1]),
    )
    found = []
    for which, system, baseline in picks:
        chosen = (np.array([[system]]), np.array([[baseline]]))
        made = _said(sample, pair, chosen)
        found.append(_row(sample, pair, 1, made, (), alpha, which=which))
    return found


def _choices(
    sample: Sample, pair: tuple[int, int], n: int, rng: np.random.Generator
) -> tuple[IntArray, IntArray]:
    """Return runs of both systems: every choice where there are few, else random ones."""
    runs = [sample.runs[s] for s in pair]
    if math.prod(math.comb(r, n) for r in runs) <= _DRAWS:
        ways = [list(itertools.combinations(range(r), n)) for r in runs]
        both = list(itertools.product(*ways))
        return np.array([a for a, _ in both]), np.array([b for _, b in both])
    drawn = [
        np.argsort(rng.random((_DRAWS, r)), axis=1)[:, :n] for r in runs
    ]  # without replacement
    return drawn[0], drawn[1]


def _said(
    sample: Sample, pair: tuple[int, int], choices: tuple[IntArray, IntArray]
) -> tuple[FloatArray, FloatArray]:
    """Return the difference and the p-value of every choice."""
    weights, scores, influence = [], [], []
    for system, chosen in zip(pair, choices, strict=True):
        weight = np.zeros((len(chosen), sample.runs[system]))
        np.put_along_axis(weight, chosen, 1.0 / chosen.shape[1], axis=1)
        weights.append(weight)
        scores.append(sample.run_scores(system))
        influence.append(sample.influence(system))
    difference = weights[0] @ scores[0] - weights[1] @ scores[1]
    n_units = sample.n_units
    p_values = np.ones(len(difference))
    step = max(1, _CELLS // n_units)
    for start in range(0, len(difference) if n_units > 1 else 0, step):
        rows = slice(start, start + step)
        apart = weights[0][rows] @ influence[0] - weights[1][rows] @ influence[1]
        apart -= apart.mean(axis=1, keepdims=True)
        errors = np.sqrt(np.square(apart).sum(axis=1) * n_units / (n_units - 1.0))
        p_values[rows] = [
            Estimate(value, error, n_units - 1.0).p_value()
            for value, error in zip(difference[rows].tolist(), errors.tolist(), strict=True)
        ]
    return difference, p_values


def _edges(differences: FloatArray) -> tuple[float, ...]:
    """Return edges of bars for the differences; one of them is 0, so that no bar lies on both sides."""
    low, high = min(0.0, float(differences.min())), max(0.0, float(differences.max()))
    step = (high - low) / _BARS or 1.0
    first, last = math.floor(low / step), math.ceil(high / step)
    return tuple(step * i for i in range(first, max(last, first + 1) + 1))


def _row(
    sample: Sample,
    pair: tuple[int, int],
    n: int,
    made: tuple[FloatArray, FloatArray],
    edges: tuple[float, ...],
    alpha: float,
    *,
    which: RunChoice = "random",
) -> DrawnRuns:
    differences, p_values = made
    d_low, d_middle, d_high = np.quantile(differences, _ENDS).tolist()
    p_low, p_middle, p_high = np.quantile(p_values, _ENDS).tolist()
    whole = sample.score(pair[0]) - sample.score(pair[1])
    counts: tuple[int, ...] = ()
    if edges:
        inside = np.clip(differences, edges[0], edges[-1])
        counts = tuple(np.histogram(inside, bins=edges)[0].tolist())
    return DrawnRuns(
        metric=sample.metric.name,
        system=sample.systems[pair[0]],
        baseline=sample.systems[pair[1]],
        n=n,
        which=which,
        difference=d_middle,
        differences=(d_low, d_high),
        opposite=float((differences * math.copysign(1.0, whole) < 0.0).mean()),
        p_value=p_middle,
        p_values=(p_low, p_high),
        significant=float((p_values <= alpha).mean()),
        n_draws=differences.size,
        edges=edges,
        counts=counts,
    )
