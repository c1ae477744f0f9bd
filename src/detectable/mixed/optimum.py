"""Find the variances that minimise the deviance, on the boundary as well as inside."""

from collections.abc import Sequence

import numpy as np

from detectable.core.errors import ConvergenceError
from detectable.core.types import FloatArray
from detectable.mixed.blocks import Blocks
from detectable.mixed.bounded import bounded_step
from detectable.mixed.deviance import Factorised, Slopes, differentiate, factorise
from detectable.mixed.equations import no_residual

_STEPS = 200
_HALVINGS = 40
_ENOUGH = 1e-12  # what a further step would gain, in units of the deviance
_LARGE = 1e4  # with a residual this small beside a spread, rounding may end the descent
_LARGEST = 1e8  # a variance this many times the residual one means that there is no residual
_STARTS = (0.3, 3.0, 0.01)
_FEW = (
    200  # up to so many ratings the deviance may have several minima, so all starts are tried
)


def minimise(
    blocks: Blocks, *, reml: bool, held: Sequence[int] = ()
) -> tuple[FloatArray, Factorised, Slopes]:
    """Return the relative variances at the minimum, with the equations and derivatives there.

    The terms `held` stay at zero.
    """
    found = [_minimise_from(blocks, rho, reml=reml, held=held) for rho in _starts(blocks)]
    return min(found, key=lambda minimum: minimum[1].value)


def _starts(blocks: Blocks) -> list[FloatArray]:
    """Return where to begin: with few ratings in several places, else where the moments say."""
    plain = [np.full(blocks.n_terms, start) for start in _STARTS]
    if blocks.design.n <= _FEW:
        return plain
    near = blocks.moments.start(blocks.response)
    return plain[:1] if near is None else [near]


def _minimise_from(
    blocks: Blocks, start: FloatArray, *, reml: bool, held: Sequence[int]
) -> tuple[FloatArray, Factorised, Slopes]:
    """Return one minimum.

    Newton steps within the bounds, with the average information as curvature; a step that is
    not enough of a descent is halved.
    """
    rho = start.copy()
    allowed = np.ones(rho.size, bool)
    rho[list(held)], allowed[list(held)] = 0.0, False
    at = factorise(blocks, rho, reml=reml)
    for _ in range(_STEPS):
        slopes = differentiate(blocks, at)
        direction = np.zeros(rho.size)
        direction[allowed], gain = bounded_step(
            rho[allowed],
            slopes.gradient[allowed],
            slopes.information[np.ix_(allowed, allowed)],
        )
        if abs(gain) < _ENOUGH:
            return rho, at, slopes
        rho, at = _descend(blocks, rho, at, slopes.gradient, direction, reml=reml)
    raise ConvergenceError(
        f"the fit did not converge in {_STEPS} steps; the relative variances are at "
        f"{_listed(blocks, rho)}. Use slopes='none' or fewer slopes: the data may not tell all "
        "these spreads apart."
    )


def _descend(
    blocks: Blocks,
    rho: FloatArray,
    at: Factorised,
    gradient: FloatArray,
    direction: FloatArray,
    *,
    reml: bool,
) -> tuple[FloatArray, Factorised]:
    # No variance grows more than tenfold at once: far from the minimum the curvature misleads.
    length = float(np.min(1.0 / np.maximum(direction / (10.0 * (rho + 0.1)), 1.0)))
    noise = 1e-13 * max(1.0, abs(at.value))
    for _ in range(_HALVINGS):
        new = np.maximum(rho + length * direction, 0.0)
        if new.max() > _LARGEST:
            raise no_residual()
        there = factorise(blocks, new, reml=reml)
        if there.value <= at.value + 1e-4 * float(gradient @ (new - rho)) + noise:
            return new, there
        length *= 0.5
    if rho.max() > _LARGE:
        raise no_residual()
    raise ConvergenceError(
        f"the fit found no way down from {_listed(blocks, rho)} (relative variances). Use "
        "slopes='none' or fewer slopes, and look for ratings on another scale."
    )


def _listed(blocks: Blocks, rho: FloatArray) -> str:
    return ", ".join(
        f"{term.name} {value:.3g}" for term, value in zip(blocks.design.terms, rho, strict=True)
    )
