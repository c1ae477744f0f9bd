"""One Newton step for variances, none of which may become negative."""

import numpy as np

from detectable.core.types import FloatArray


def bounded_step(
    x: FloatArray, gradient: FloatArray, curvature: FloatArray
) -> tuple[FloatArray, float]:
    r"""Return the step to the minimum of a quadratic model over `x + d ≥ 0`, and its gain.

    The minimum of :math:`g'd + d'Hd/2` is found with all bounds at once, as non-negative least
    squares. To cut an unbounded step at zero instead can lead uphill, and to a false minimum.
    Directions of negative curvature count as positive; where there is none, the step of a
    variable is limited to a hundred times what it is. So the step always leads down.

    Examples
    --------
    >>> step, gain = bounded_step(np.array([1.0, 1.0]), np.array([3.0, -1.0]), np.eye(2))
    >>> step.round(6).tolist(), round(gain, 6)
    ([-1.0, 1.0], 3.0)
    """
    from scipy.optimize import nnls

    own = np.abs(np.diagonal(curvature))
    least = np.maximum(np.abs(gradient) / (100.0 * (x + 1.0)), np.finfo(float).tiny)
    size = np.sqrt(np.maximum(own, least))
    scaled = curvature / size / size[:, None]
    scaled.flat[:: x.size + 1] += np.maximum(1.0 - own / size**2, 0.0)
    values, vectors = np.linalg.eigh(scaled)
    values = np.maximum(np.abs(values), 1e-8)
    root = np.sqrt(values)[:, None] * vectors.T
    target = root @ (x * size) - (vectors.T @ (gradient / size)) / np.sqrt(values)
    found, _ = nnls(root, target)
    step = found / size - x
    moved = root @ (step * size)
    return step, -float(gradient @ step + 0.5 * moved @ moved)
