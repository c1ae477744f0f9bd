"""Boundaries at the looks that took place, and what is still to come."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from detectable.core.errors import InputError
from detectable.sequential import boundaries
from detectable.sequential.design_result import Design, check_times, spent_by
from detectable.sequential.families import family_row, spending_families

_SAME = 1e-9  # look times that differ by less are the same


@dataclass(frozen=True, slots=True, kw_only=True)
class LookBoundaries:
    """Boundaries at all looks so far.

    Attributes
    ----------
    z : tuple of float
        Upper boundary at every look; a two-sided test mirrors it.
    alpha_spent : tuple of float
        Of both sides, up to every look.
    futility : float or None
        At the present look, which is the last of them.
    """

    z: tuple[float, ...]
    alpha_spent: tuple[float, ...]
    futility: float | None


def look_boundaries(
    design: Design, information: Sequence[float], *, final: bool = False
) -> LookBoundaries:
    r"""Return the boundaries of a design at the looks that took place.

    Spending families take looks at any time. Classical families look at their planned times:
    a planned look that was left out only makes the test stricter than it need be. A last look
    that is declared at another time than planned spends what the earlier looks have left of α,
    with the covariance of the actual times:

    .. math:: P_0(\text{no stop before } k, |Z_k| \ge u_k) = \alpha - \alpha_{k-1}.

    Parameters
    ----------
    design : Design
        At the level of the test.
    information : sequence of float
        Shares of the planned maximum at all looks so far, the present one last.
    final : bool
        Whether the present look is declared the last.

    Examples
    --------
    >>> from detectable.sequential.design import design
    >>> pocock = design("pocock", looks=3)
    >>> [round(z, 4) for z in look_boundaries(pocock, (1 / 3, 2 / 3)).z]
    [2.2895, 2.2895]
    >>> [round(z, 4) for z in look_boundaries(pocock, (1 / 3, 0.5), final=True).z]
    [2.2895, 2.0517]
    """
    if family_row(design.family).spends:
        found = design.boundaries_for(information, final=final)
        return LookBoundaries(
            z=found.z, alpha_spent=found.alpha_spent, futility=found.futility[-1]
        )
    times = check_times(information, "information")
    at = [_planned(design, t) for t in times]
    early = final and at[-1] != len(design.information) - 1
    if any(k is None for k in at[:-1]) or (at[-1] is None and not final):
        raise InputError(
            f"`information` must be planned times of the family {design.family}; got "
            f"{', '.join(f'{t:.4g}' for t in times)}. For looks at other times choose "
            f"{spending_families()} before the evaluation starts."
        )
    planned = tuple(design.z[k] for k in at if k is not None)
    if not early:
        stops = boundaries.symmetric_stops(times, planned, sided=design.sided)
        last = at[-1] if at[-1] is not None else -1
        return LookBoundaries(
            z=planned,
            alpha_spent=spent_by(stops, obeyed=False),
            futility=design.futility[last],
        )
    return _declared_last(design, times, planned[: len(times) - 1])


def _declared_last(
    design: Design, times: tuple[float, ...], earlier: tuple[float, ...]
) -> LookBoundaries:
    """Spend at the last look all that the earlier ones left."""
    spent: tuple[float, ...] = ()
    if earlier:
        stops = boundaries.symmetric_stops(times[:-1], earlier, sided=design.sided)
        spent = spent_by(stops, obeyed=False)
    spent = (*spent, design.alpha)
    z = boundaries.spending_boundary(
        times, [s / design.sided for s in spent], sided=design.sided
    )
    return LookBoundaries(z=(*earlier, z[-1]), alpha_spent=spent, futility=None)


def _planned(design: Design, t: float) -> int | None:
    """Return which planned look comes at a time, if one does."""
    for k, time in enumerate(design.information):
        if abs(time - t) < _SAME:
            return k
    return None


# --- What is still to come, given what has been seen ---


def expected_remaining(
    design: Design, *, t: float, z: float, drift: float | None = None
) -> float:
    r"""Return the share of the maximum that is expected to be needed after an interim look.

    After the look at `t` the rest is a design of its own on the information :math:`t_j - t` (see
    `conditional_rejection`); its expected length is the sum over the planned looks to come,
    stops for futility included.

    Parameters
    ----------
    design : Design
        Its planned looks after `t` count.
    t, z : float
        Share of the maximum and statistic at the look.
    drift : float, optional
        Assumed for the rest; by default the current trend, :math:`z / \sqrt t`.

    Examples
    --------
    >>> from detectable.sequential.design import design
    >>> plan = design("hsd", looks=10)
    >>> round(expected_remaining(plan, t=0.5, z=2.5), 2)  # nearly there
    0.18
    >>> round(expected_remaining(plan, t=0.5, z=0.5, drift=0.0), 2)
    0.17
    """
    ahead = [k for k, time in enumerate(design.information) if time > t + 1e-9]
    if not ahead:
        return 0.0
    seen = z * math.sqrt(t)

    def given(bound: float, time: float) -> float:
        return (bound * math.sqrt(time) - seen) / math.sqrt(time - t)

    times = [design.information[k] for k in ahead]
    lower = [-math.inf if design.sided == 1 else -design.z[k] for k in ahead]
    inside: list[tuple[float, float] | None] = []
    for k, time in zip(ahead, times, strict=True):
        bound = design.futility[k]
        if bound is None:
            inside.append(None)
            continue
        low = -bound if design.sided == 2 else -math.inf
        inside.append((given(low, time), given(bound, time)))
    stops = boundaries.Stops(
        tuple(time - t for time in times),
        tuple(given(design.z[k], time) for k, time in zip(ahead, times, strict=True)),
        tuple(given(low, time) for low, time in zip(lower, times, strict=True)),
        tuple(inside),
    )
    assumed = z / math.sqrt(t) if drift is None else drift
    chances = boundaries.stop_chances(stops, assumed).anywhere()[0]
    return float(sum(p * (time - t) for p, time in zip(chances, times, strict=True)))
