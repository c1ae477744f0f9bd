"""What the usual tests between two metrics would have said, for the correlation of all outputs."""

import numpy as np

from detectable.core.rng import BLOCK
from detectable.core.types import FloatArray
from detectable.inference.correlation import pearson
from detectable.inference.williams import williams

_CELLS = 4_000_000
_ROUNDING = 1e-10


def cell_swap_p(
    human: FloatArray,
    first: FloatArray,
    second: FloatArray,
    *,
    n_resamples: int,
    rng: np.random.Generator,
) -> float:
    """Return PERM-BOTH's p-value, two-sided: every output is swapped by itself.

    Outputs of systems for one segment are not independent of each other, so it is far too small:
    see `swap_draws`.

    Parameters
    ----------
    human, first, second : vectors
        Of all outputs.
    """
    h, x, y = (_standard(values) for values in (human, first, second))
    parts = np.stack([x, x * x, h * x], axis=1), np.stack([y, y * y, h * y], axis=1)
    start, step = [part.sum(axis=0) for part in parts], parts[1] - parts[0]
    observed = float(pearson(h, x) - pearson(h, y))
    extreme, room = 0, _ROUNDING * max(1.0, abs(observed))
    rows = max(1, min(BLOCK, _CELLS // h.size))
    for begin in range(0, n_resamples, rows):
        n = min(rows, n_resamples - begin)
        moved = rng.integers(0, 2, (n, h.size)).astype(np.float64) @ step
        gap = _correlation(start[0] + moved, h.size) - _correlation(start[1] - moved, h.size)
        extreme += int((np.abs(gap) >= abs(observed) - room).sum())
    return (1.0 + extreme) / (1.0 + n_resamples)


def williams_p(human: FloatArray, first: FloatArray, second: FloatArray) -> float:
    """Return Williams' p-value, two-sided, with all outputs as independent."""
    r = [float(pearson(a, b)) for a, b in ((first, human), (second, human), (first, second))]
    one = williams(r[0], r[1], r[2], human.size)
    return 2.0 * min(one, 1.0 - one)


def _standard(values: FloatArray) -> FloatArray:
    centred: FloatArray = values - values.mean()
    spread = float(centred.std())
    return centred / spread if spread > 0.0 else centred


def _correlation(sums: FloatArray, n: int) -> FloatArray:
    """Return the correlation with standardised human scores from sums of m, m² and hm."""
    m, mm, hm = sums.T
    spread = np.sqrt(np.maximum(mm / n - np.square(m / n), 1e-300))
    found: FloatArray = hm / n / spread
    return found
