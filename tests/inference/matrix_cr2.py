"""The CR2 error of a mean by matrices, as Bell and McCaffrey write it: an oracle without closed forms."""

import math

import numpy as np

from detectable.core.types import FloatArray, IntArray


def matrix_cr2(values: FloatArray, clusters: IntArray) -> tuple[float, float]:
    """Return standard error and Satterthwaite's degrees of freedom of the mean.

    With H the hat matrix of a constant, cluster g is adjusted by the inverse symmetric root of its
    block of I − H. The degrees of freedom match the first two moments of the variance under
    independent units of equal variance.
    """
    n = values.size
    rest = np.eye(n) - np.full((n, n), 1.0 / n)
    residuals = rest @ values
    variance, columns = 0.0, []
    for name in np.unique(clusters):
        own = np.flatnonzero(clusters == name)
        roots, vectors = np.linalg.eigh(rest[np.ix_(own, own)])
        weights = (vectors / np.sqrt(roots)) @ vectors.T @ np.full(own.size, 1.0 / n)
        variance += float(weights @ residuals[own]) ** 2
        columns.append(rest[:, own] @ weights)
    gram = np.array(columns) @ np.array(columns).T
    return math.sqrt(variance), float(np.trace(gram) ** 2 / np.square(gram).sum())
