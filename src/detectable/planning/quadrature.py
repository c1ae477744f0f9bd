"""Nodes and weights for integrals over (0, 1)."""

import functools

import numpy as np

from detectable.core.types import FloatArray

_PANELS = 30  # between the logistic of −15 and of 15: from 3e-7 to 1 − 3e-7, and the two ends


@functools.lru_cache(maxsize=8)
def unit_nodes(n: int = 32) -> tuple[FloatArray, FloatArray]:
    """Return Gauss-Legendre nodes and weights on (0, 1), for smooth functions."""
    nodes, weights = np.polynomial.legendre.leggauss(n)
    return 0.5 * (nodes + 1.0), 0.5 * weights


@functools.lru_cache(maxsize=1)
def graded_nodes() -> tuple[FloatArray, FloatArray]:
    """Return nodes that crowd at both ends, for functions of quantiles, which are steep there."""
    inner = 1.0 / (1.0 + np.exp(-np.linspace(-15.0, 15.0, _PANELS - 1)))
    edges = np.concatenate([[0.0], inner, [1.0]])
    nodes, weights = unit_nodes(16)
    widths = np.diff(edges)[:, None]
    return (edges[:-1, None] + widths * nodes).ravel(), (widths * weights).ravel()
