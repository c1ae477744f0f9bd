"""The detectable difference that an archive of past comparisons shows."""

import math
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from detectable.core import check
from detectable.core.errors import InputError
from detectable.core.interval import Interval
from detectable.core.result import Result, Signature
from detectable.core.types import ArrayLike, FloatArray, IntArray
from detectable.core.wording import count
from detectable.inference.shares import wilson_interval

MdeRule: TypeAlias = Literal["first-failure", "any"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ObservedMde(Result):
    """The smallest difference from which on past comparisons were mostly significant.

    Attributes
    ----------
    effect : float or None
        The observed minimum detectable effect. None where even the largest difference was not
        significant often enough.
    n_above, n_significant_above : int
        Comparisons with a difference of at least `effect`, and the significant ones of them.
    share_above : float
        Their share; nan without an effect.
    share_interval : Interval or None
        Wilson's interval of that share.
    n_comparisons, n_significant : int
        All comparisons, and the significant ones.
    median_difference : float
        Median size of a difference.
    """

    effect: float | None
    n_above: int
    n_significant_above: int
    share_above: float
    share_interval: Interval | None
    share: float
    rule: MdeRule
    n_comparisons: int
    n_significant: int
    median_difference: float
    alpha: float
    notes: tuple[str, ...] = ()


def observed_mde(
    differences: ArrayLike,
    significant: ArrayLike,
    *,
    share: float = 0.95,
    rule: MdeRule = "first-failure",
    alpha: float = 0.05,
) -> ObservedMde:
    r"""Return the smallest difference that past comparisons show to be detectable.

    With :math:`S(d)` the share of significant comparisons among those with
    :math:`|\text{difference}| \ge d`, walk down from the largest difference and stop the first
    time that :math:`S(d)` is below `share`; the answer is the last difference before [1]_. The
    text of [1]_ leaves the rule open; this one reproduces all of its Table 1.

    Unlike a power analysis this looks at observed differences, which scatter around the true
    ones, and at tests as they were run, with their sample sizes.

    Parameters
    ----------
    differences : array_like of shape (n,)
        Observed differences; their signs do not matter.
    significant : array_like of bool, shape (n,)
        Whether each was significant.
    share : float
        Share of significant comparisons that counts as detectable.
    rule : {'first-failure', 'any'}
        ``'any'`` takes the smallest :math:`d` with :math:`S(d) \ge` `share`, also after failures.
    alpha : float
        Of Wilson's interval for the share above the answer.

    References
    ----------
    .. [1] Wei, Kocmi and Federmann (2022), "Searching for a higher power in the human
       evaluation of MT", WMT 2022, section 5.2 and Table 1.

    Examples
    --------
    >>> found = observed_mde([5, 4, -3, 2, 1], [True, True, True, False, True])
    >>> found.effect, found.n_above
    (3.0, 3)
    """
    sizes = np.abs(check.vector(differences, "differences"))
    flags = _flags(significant, sizes.size)
    share = check.probability(share, "share")
    check.literal(rule, MdeRule, "rule")
    alpha = check.probability(alpha, "alpha")

    steps, above, hits = _walk(sizes, flags)
    passed = hits / above >= share
    if rule == "first-failure":
        passed = np.logical_and.accumulate(passed)
    places = np.flatnonzero(passed)
    last = int(places[-1]) if places.size else None
    n_above = 0 if last is None else int(above[last])
    n_hits = 0 if last is None else int(hits[last])
    return ObservedMde(
        effect=None if last is None else float(steps[last]),
        n_above=n_above,
        n_significant_above=n_hits,
        share_above=n_hits / n_above if n_above else math.nan,
        share_interval=wilson_interval(n_hits, n_above, alpha=alpha) if n_above else None,
        share=share,
        rule=rule,
        n_comparisons=sizes.size,
        n_significant=int(flags.sum()),
        median_difference=float(np.median(sizes)),
        alpha=alpha,
        notes=_notes(n_above, share),
        signature=Signature("observed-mde", {"n": sizes.size, "share": share, "rule": rule}),
    )


def _flags(significant: ArrayLike, n: int) -> IntArray:
    flags = np.asarray(significant)
    if flags.shape != (n,) or not np.isin(flags, (0, 1)).all():
        raise InputError(
            f"`significant` must hold {n} values that are true or false, one per difference; "
            f"got shape {flags.shape} of {flags.dtype}."
        )
    return flags.astype(np.int64)


def _walk(sizes: FloatArray, flags: IntArray) -> tuple[FloatArray, IntArray, IntArray]:
    """Return the different sizes from the top, how many are at least that, and how many hit.

    Equal sizes are one step: the answer must not depend on their order.
    """
    order = np.argsort(-sizes, kind="stable")
    ordered, hits = sizes[order], np.cumsum(flags[order])
    ends = np.append(np.flatnonzero(np.diff(ordered)), ordered.size - 1)
    return ordered[ends], ends + 1, hits[ends]


def _notes(n_above: int, share: float) -> tuple[str, ...]:
    few = math.ceil(1.0 / (1.0 - share) - 1e-9)  # fewer, and one failure ends the walk
    if not 0 < n_above < few:
        return ()
    return (
        f"It stands on {count(n_above, 'comparison')}: with fewer than {few} a single "
        f"insignificant one brings the share below {share:.0%}.",
    )
