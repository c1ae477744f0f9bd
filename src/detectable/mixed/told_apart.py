"""Whether a design can tell all its spreads apart, from each other and from the residual."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from detectable.core.types import FloatArray
from detectable.data.factor import Factor

_FLAT = 1e-9  # an eigenvalue below this, of a matrix with unit diagonal, is rounding


def told_apart(rows: FloatArray, terms: Sequence[tuple[Factor, bool]]) -> bool:
    r"""Say whether the spreads are identified, whatever the ratings are.

    With :math:`M = I - X(X'X)^{-1}X'`, restricted likelihood knows the spreads by the matrices
    :math:`M Z_t Z_t' M` and, for the residual, :math:`M`. It can tell them apart if none of these
    is a sum of multiples of the others, which is to say if their inner products

    .. math:: |Z_t'MZ_u|^2, \qquad \mathrm{tr}(Z_t'MZ_t), \qquad n - p

    form a matrix of full rank [1]_.

    Parameters
    ----------
    rows : array of shape (n, p)
        The fixed effects of each rating, the constant first.
    terms : sequence of (Factor, bool)
        What has a spread: intercepts of a factor, or its slopes (True).

    References
    ----------
    .. [1] Rao and Kleffe (1988), Estimation of Variance Components and Applications, chapter 4.

    Examples
    --------
    >>> from detectable.data.factor import factor
    >>> rows, item = np.ones((4, 1)), factor("item", ["a", "a", "b", "b"])
    >>> told_apart(rows, [(item, False)]), told_apart(rows, [(item, False), (item, False)])
    (True, False)
    """
    n, p = rows.shape
    inverse = np.linalg.inv(rows.T @ rows)
    effects = [
        _effects(factor, rows[:, 1:] if slope else rows[:, :1]) for factor, slope in terms
    ]
    shared = [z.T @ rows for z in effects]  # Z'X
    m = len(effects)
    inner = np.empty((m + 1, m + 1))
    inner[m, m] = n - p
    for t, (z, own) in enumerate(zip(effects, shared, strict=True)):
        inner[t, m] = inner[m, t] = z.power(2).sum() - np.sum(own @ inverse * own)
        for u in range(t + 1):
            both, theirs = z.T @ effects[u], shared[u]
            across = np.sum((both @ theirs @ inverse) * own)
            squares = (inverse @ (own.T @ own)) @ (inverse @ (theirs.T @ theirs))
            inner[t, u] = inner[u, t] = both.power(2).sum() - 2.0 * across + np.trace(squares)
    size = np.sqrt(np.diagonal(inner))
    if size.min() < _FLAT * size.max():  # a factor that the fixed effects explain
        return False
    return bool(np.linalg.eigvalsh(inner / size / size[:, None])[0] > _FLAT)


def _effects(factor: Factor, regressors: FloatArray) -> Any:
    """Return the regressors of a term as a sparse matrix, one column per effect."""
    from scipy.sparse import csr_array

    n, width = regressors.shape
    columns = factor.codes[:, None] * width + np.arange(width)
    starts = np.arange(n + 1) * width
    shape = (n, width * factor.n_levels)
    return csr_array((regressors.ravel(), columns.ravel(), starts), shape=shape)
