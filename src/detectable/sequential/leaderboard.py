r"""Several pairs of systems watched together: Holm's procedure over group-sequential tests.

With m pairs of which r are rejected so far, every open pair is tested at its own look times
against the boundary of level :math:`\alpha / (m - r)`, computed from the first look on. After a
rejection the others are tested again at the same look, with r + 1. The chance of any false
rejection is at most α under any dependence between the pairs [1]_: for every set J of true nulls
the weighted Bonferroni test with levels :math:`\alpha / |J|` keeps α, and the short cut is the
closed test of these because the boundaries fall as the level grows. Pairs that are decided or
given up may stop being judged: the others keep their own planned looks.

A pair that is given up as futile leaves the sampling, but m is not reduced.

References
----------
.. [1] Maurer and Bretz (2013), "Multiple testing in group sequential trials using graphical
   approaches", Statistics in Biopharmaceutical Research 5(4), 311–320.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from detectable.core import check
from detectable.core.errors import InputError
from detectable.core.verdict import Verdict
from detectable.sequential.look_boundary import LookBoundaries

Pair: TypeAlias = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class PairOutcome:
    """What one look says about one pair.

    Attributes
    ----------
    verdict : str
        ``better``, ``worse`` or ``undecided`` so far.
    futile : bool
        Advice to give an undecided pair up.
    level : float
        The level at which the pair was last tested.
    z_bound, futility_bound, alpha_spent
        Of that level, at this look.
    exact_p : float or None
        Of an exact test: its p-value over all looks, if it stops here.
    """

    verdict: Verdict
    level: float
    z_bound: float
    futility_bound: float | None
    alpha_spent: float
    futile: bool = False
    exact_p: float | None = None


def holm_look(
    open_pairs: Sequence[Pair],
    test: Callable[[Pair, float], PairOutcome],
    *,
    alpha: float,
    n_pairs: int,
    n_rejected: int = 0,
) -> dict[Pair, PairOutcome]:
    """Decide the open pairs at one look.

    Parameters
    ----------
    open_pairs : sequence of pairs
        All that are neither decided nor given up.
    test : callable
        Tests one pair at a level: `outcome_at`, or an exact test.
    alpha : float
        Chance of any false rejection, over all pairs and looks.
    n_pairs, n_rejected : int
        Pairs in the family, and those rejected at earlier looks.

    Examples
    --------
    >>> from detectable.sequential.design import design
    >>> from detectable.sequential.look_boundary import look_boundaries
    >>> z = {("B", "A"): 3.2, ("C", "A"): 2.5}
    >>> def test(pair, level):
    ...     bounds = look_boundaries(design("hsd", looks=2, alpha=level), (0.5,))
    ...     return outcome_at(z[pair], bounds, level=level, sided=2)
    >>> found = holm_look(list(z), test, alpha=0.05, n_pairs=2)
    >>> [outcome.verdict for outcome in found.values()]
    ['better', 'undecided']
    """
    if not 0 <= n_rejected < n_pairs:
        raise InputError(
            f"`n_rejected` must be at least 0 and below `n_pairs` ({n_pairs}); got {n_rejected}."
        )
    alpha = check.probability(alpha, "alpha")
    decided: dict[Pair, PairOutcome] = {}
    undecided = list(open_pairs)
    while undecided:
        level = alpha / (n_pairs - n_rejected - len(decided))
        tested = {pair: test(pair, level) for pair in undecided}
        # All that cross at this level also cross at every larger one, so it does not matter
        # which of them is taken first.
        crossed = {p: o for p, o in tested.items() if o.verdict != "undecided"}
        if not crossed:
            return _in_order(open_pairs, {**decided, **tested})
        decided |= crossed
        undecided = [pair for pair in undecided if pair not in crossed]
    return _in_order(open_pairs, decided)


def outcome_at(z: float, bounds: LookBoundaries, *, level: float, sided: int) -> PairOutcome:
    """Compare one statistic with the last of the boundaries; to reach it is enough."""
    upper, futility = bounds.z[-1], bounds.futility
    verdict: Verdict = "undecided"
    if z >= upper:
        verdict = "better"
    elif sided == 2 and z <= -upper:
        verdict = "worse"
    below = futility is not None and (abs(z) if sided == 2 else z) < futility
    return PairOutcome(
        verdict=verdict,
        futile=below and verdict == "undecided",
        level=level,
        z_bound=upper,
        futility_bound=futility,
        alpha_spent=bounds.alpha_spent[-1],
    )


def _in_order(
    pairs: Sequence[Pair], outcomes: Mapping[Pair, PairOutcome]
) -> dict[Pair, PairOutcome]:
    return {pair: outcomes[pair] for pair in pairs}


def needed_systems(pairs: Sequence[Pair]) -> list[str]:
    """Return the systems that must still be judged for the pairs that are open.

    Examples
    --------
    >>> needed_systems([("B", "A"), ("C", "A")])
    ['B', 'A', 'C']
    """
    return list(dict.fromkeys(name for pair in pairs for name in pair))
