"""More items or more raters per item: what the same number of judgments buys."""

from dataclasses import dataclass

from detectable.core import check
from detectable.core.errors import InputError

_RATERS = (1, 2, 3, 5)


@dataclass(frozen=True, slots=True, kw_only=True)
class Allocation:
    """A way to spend a number of judgments on one system."""

    n_raters: int  # per item
    n_items: int
    standard_error: float  # of the system's mean
    relative_cost: float  # judgments needed for the precision of one rater per item, as a ratio


def mean_variance(*, quality: float, noise: float, n_items: float, n_raters: float) -> float:
    r"""Return the variance of a system's mean over items, each scored by several raters.

    .. math:: \mathrm{Var}(\bar h) = \frac{\sigma^2_q}{m} + \frac{\sigma^2_n}{m r}

    with m items and r raters per item. At a fixed number of judgments m·r the second term does
    not change, and the first is smallest with r = 1. Each score of an item is taken to come from
    another rater drawn at random; few raters who judge everything share their severity, which
    averages out over raters only (see `fit_mixed`).
    """
    return quality / n_items + noise / (n_items * n_raters)


def allocations(
    *, quality: float, noise: float, n_judgments: int, raters: tuple[int, ...] = _RATERS
) -> tuple[Allocation, ...]:
    """Return what `n_judgments` buy with one, two, three and five raters per item.

    Examples
    --------
    >>> one, two = allocations(quality=25, noise=75, n_judgments=600, raters=(1, 2))
    >>> round(one.standard_error, 3), round(two.standard_error, 3), round(two.relative_cost, 2)
    (0.408, 0.456, 1.25)
    """
    n_judgments = check.positive_int(n_judgments, "n_judgments")
    if quality < 0.0 or noise < 0.0:
        raise InputError(
            f"`quality` and `noise` must be at least 0; got {quality!r} and {noise!r}."
        )
    rows = []
    single = quality + noise
    for n in raters:
        variance = mean_variance(
            quality=quality, noise=noise, n_items=n_judgments / n, n_raters=n
        )
        rows.append(
            Allocation(
                n_raters=n,
                n_items=n_judgments // n,
                standard_error=variance**0.5,
                relative_cost=variance * n_judgments / single if single else 1.0,
            )
        )
    return tuple(rows)


def ceiling(*, quality: float, noise: float) -> float:
    """Return how much smaller the variance gets with endless raters on the same items.

    That is 1 / (quality share): all that more raters can do when items are scarce.
    """
    return (quality + noise) / quality if quality > 0.0 else float("inf")
