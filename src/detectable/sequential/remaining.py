"""What is still to come, given what has been seen."""

import math

from detectable.sequential.design_result import Design
from detectable.sequential.operating import stop_chances
from detectable.sequential.recursion import Stops


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
    stops = Stops(
        tuple(time - t for time in times),
        tuple(given(design.z[k], time) for k, time in zip(ahead, times, strict=True)),
        tuple(given(low, time) for low, time in zip(lower, times, strict=True)),
        tuple(inside),
    )
    assumed = z / math.sqrt(t) if drift is None else drift
    chances = stop_chances(stops, assumed).anywhere()[0]
    return float(sum(p * (time - t) for p, time in zip(chances, times, strict=True)))
