"""Critical values that keep the error rate over all looks."""

import math
from collections.abc import Sequence
from dataclasses import replace

from detectable.core.errors import InputError
from detectable.kernels.distributions.normal import normal_quantile
from detectable.kernels.roots import bracketed_root
from detectable.sequential.operating import type_one_error
from detectable.sequential.recursion import ORIGIN, Grid, Stops, grid_for, upper_crossing

Inside = Sequence[tuple[float, float] | None]

_NOTHING = 1e-16  # an increment below this gives no boundary


def symmetric_stops(
    information: Sequence[float], upper: Sequence[float], *, sided: int, inside: Inside = ()
) -> Stops:
    """Return the stops of a one-sided test, or of a two-sided one with mirrored boundaries."""
    lower = tuple(-u if sided == 2 else -math.inf for u in upper)
    return Stops(tuple(information), tuple(upper), lower, tuple(inside))


def spending_boundary(
    information: Sequence[float],
    cumulative: Sequence[float],
    *,
    sided: int,
    inside: Inside = (),
    grid: Grid | None = None,
) -> tuple[float, ...]:
    r"""Return upper boundaries that spend a given error up to every look.

    With :math:`a_k` the error spent up to look k on the upper side, :math:`u_k` solves

    .. math:: P_0(\text{no stop before } k, Z_k \ge u_k) = a_k - a_{k-1}.

    Only earlier looks enter, so that looks may come at any time [1]_. An increment below 1e-16
    gives an infinite boundary, and is left for the next look.

    Parameters
    ----------
    information : sequence of float
        Times of the looks, as used in the covariance.
    cumulative : sequence of float
        Error spent on the upper side up to every look.
    sided : {1, 2}
        With 2 the lower boundary mirrors the upper one.
    inside : sequence of (float, float) or None, optional
        Binding futility: the boundary then counts on these stops.
    grid : Grid, optional
        How finely to integrate.

    References
    ----------
    .. [1] Lan and DeMets (1983), Biometrika 70(3), 659–663.

    Examples
    --------
    >>> from detectable.sequential.families import Family
    >>> spent = [Family("ld-obf").spent(0.025, t) for t in (1 / 3, 2 / 3, 1)]
    >>> [round(z, 4) for z in spending_boundary((1 / 3, 2 / 3, 1), spent, sided=2)]
    [3.7103, 2.5114, 1.993]
    """
    fine = grid or grid_for(len(information))
    paths, spent, upper = ORIGIN, 0.0, list[float]()
    for look, t in enumerate(information):
        increment = cumulative[look] - spent
        if increment < _NOTHING:
            upper.append(math.inf)
        else:
            upper.append(upper_crossing(paths, t, increment))
            spent = cumulative[look]
        if look + 1 < len(information):
            stops = symmetric_stops(
                information[: look + 1], upper, sided=sided, inside=inside[: look + 1]
            )
            _check_room(stops, look)
            paths = paths.advance(t, stops.regions(look), information[look + 1], fine)
    return tuple(upper)


def wang_tsiatis_boundary(
    information: Sequence[float],
    alpha: float,
    *,
    delta: float,
    sided: int,
    inside: Inside = (),
) -> tuple[float, ...]:
    r"""Return the boundaries :math:`u_k = c\, (t_k / t_K)^{\Delta - 1/2}` of Wang and Tsiatis.

    Δ = 1/2 is Pocock's constant boundary, Δ = 0 that of O'Brien and Fleming. The constant c is
    such that the error over all looks is α.

    References
    ----------
    Wang and Tsiatis (1987), "Approximately optimal one-parameter boundaries for group sequential
    trials", Biometrics 43(1), 193–199. Pocock (1977), Biometrika 64(2), 191–199. O'Brien and
    Fleming (1979), Biometrics 35(3), 549–556.

    Examples
    --------
    >>> looks = (1 / 3, 2 / 3, 1)
    >>> [round(z, 4) for z in wang_tsiatis_boundary(looks, 0.05, delta=0.5, sided=2)]
    [2.2895, 2.2895, 2.2895]
    """
    shape = [(t / information[-1]) ** (delta - 0.5) for t in information]

    def excess(constant: float) -> float:
        upper = [constant * s for s in shape]
        stops = symmetric_stops(information, upper, sided=sided, inside=inside)
        return type_one_error(stops) - alpha

    if len(information) == 1:
        return (-normal_quantile(alpha / sided),)
    # At `low` the last look alone has the error α. At `high` all looks together have less.
    low = -normal_quantile(alpha / sided)
    high = -normal_quantile(alpha / sided / len(information)) / min(1.0, *shape)
    if inside:  # obeyed stops lower the error, and with it the constant
        low = max(0.5 * low, 0.0)
    constant = bracketed_root(excess, low, high, tolerance=1e-11, relative=1e-12)
    upper = tuple(constant * s for s in shape)
    stops = symmetric_stops(information, upper, sided=sided, inside=inside)
    for look in range(len(information) - 1):
        _check_room(stops, look)
    return upper


def haybittle_peto_boundary(
    information: Sequence[float],
    alpha: float,
    *,
    interim_z: float,
    sided: int,
    inside: Inside = (),
) -> tuple[float, ...]:
    """Return a constant strict boundary at every interim look, and the rest at the last.

    The last boundary is exact here; the habit of leaving it at the ordinary critical value
    exceeds α a little.

    References
    ----------
    Haybittle (1971), British Journal of Radiology 44, 793–797. Peto et al. (1976), British
    Journal of Cancer 34, 585–612.
    """
    from detectable.sequential.recursion import surviving

    upper = (*(interim_z for _ in information[:-1]), math.inf)
    stops = symmetric_stops(information, upper, sided=sided, inside=inside)
    left = (alpha - type_one_error(stops)) / sided
    if left < _NOTHING:
        raise InputError(
            f"`interim_z` must leave some of alpha for the last look; got {interim_z:g}, which "
            f"spends more than {alpha:g} at {len(information) - 1} interim looks. Raise it."
        )
    paths = surviving(stops, grid_for(len(information)))[-1]
    return (*upper[:-1], upper_crossing(paths, information[-1], left))


def without_room(stops: Stops) -> Stops:
    """Return the stops without those for futility that reach the boundary: mere advice."""
    inside = tuple(
        None if inner is None or inner[1] >= upper else inner
        for inner, upper in zip(stops.inside, stops.upper, strict=True)
    )
    return replace(stops, inside=inside)


def _check_room(stops: Stops, look: int) -> None:
    """Refuse binding futility that leaves nothing between itself and the boundary."""
    inner = stops.inside[look] if stops.inside else None
    if inner is not None and inner[1] >= stops.upper[look]:
        raise InputError(
            f"`futility` must leave room below the boundary; got {inner[1]:.3f} at information "
            f"{stops.information[look]:g}, where the boundary is {stops.upper[look]:.3f}. "
            "Choose a lower threshold."
        )
