r"""Variances from sums of squares: where to begin the descent.

Without any random effect in the model, :math:`P = I - X(X'X)^{-1}X'`, and with
:math:`q_t = y'PZ_tZ_t'Py`

.. math:: E\,q_t = \sum_u \sigma_u^2 |Z_t'PZ_u|^2 + \sigma^2\,\mathrm{tr}(Z_t'PZ_t), \qquad
   E\,y'Py = \sum_u \sigma_u^2\,\mathrm{tr}(Z_u'PZ_u) + \sigma^2 (n - p).

These linear equations have unbiased variances as their solution, MINQUE(0) [1]_: consistent, but not
as sure as restricted likelihood, which begins there.

References
----------
.. [1] Rao (1971), "Minimum variance quadratic unbiased estimation of variance components", Journal of
   Multivariate Analysis 1(4), 445-456.
"""

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np

from detectable.core.types import FloatArray
from detectable.mixed.design import Design, Term

_LEAST, _MOST = (
    1e-3,
    100.0,
)  # of a relative variance to begin with: 0 and ∞ are far from anywhere
_SURE = 1e-10  # smallest eigenvalue, of a matrix with unit diagonal, that can be divided by


@dataclass(frozen=True)  # without slots: what is computed once is kept
class Moments:
    """What a design says of sums of squares, shared by all ratings of it."""

    design: Design

    @functools.cached_property
    def fixed(self) -> FloatArray:
        """The fixed effects of every rating, of shape (n, p)."""
        rows: FloatArray = self.design.fixed_rows()[self.design.system]
        return rows

    @functools.cached_property
    def random(self) -> tuple[Any, ...]:
        """The columns of every term, sparse matrices with a row for each rating."""
        return tuple(self._columns(term) for term in self.design.terms)

    def _columns(self, term: Term) -> Any:
        from scipy.sparse import csr_array

        n, factor = self.design.n, self.design.factors[term.factor]
        values = np.ones((n, 1)) if term.kind == "intercept" else self.fixed[:, 1:]
        width = values.shape[1]
        columns = factor.codes[:, None] * width + np.arange(width)
        entries = values.ravel(), columns.ravel(), np.arange(n + 1) * width
        return csr_array(entries, shape=(n, factor.n_levels * width))

    @functools.cached_property
    def expected(self) -> FloatArray:
        """The squares by variance, of shape (terms + 1, terms + 1); that of the residual is last."""
        n, p = self.fixed.shape
        half = np.linalg.inv(np.linalg.cholesky(self.fixed.T @ self.fixed))
        onto = [(z.T @ self.fixed) @ half.T for z in self.random]  # Z'X, of an orthonormal X
        back = [z @ w for z, w in zip(self.random, onto, strict=True)]
        m = len(self.random)
        found = np.zeros((m + 1, m + 1))
        for t in range(m):
            whole = float((self.random[t].data ** 2).sum())
            found[t, m] = found[m, t] = whole - float((onto[t] ** 2).sum())
            for u in range(t, m):
                plain = float(((self.random[t].T @ self.random[u]).data ** 2).sum())
                crossed = float(np.einsum("ij,ij->", back[t], back[u]))
                taken = float(np.sum((onto[t].T @ onto[t]) * (onto[u].T @ onto[u])))
                found[t, u] = found[u, t] = plain - 2.0 * crossed + taken
        found[m, m] = n - p
        return found

    def start(self, response: FloatArray) -> FloatArray | None:
        """Return relative variances to begin with, of shape (terms,); None if there are none."""
        coefficients = np.linalg.solve(self.fixed.T @ self.fixed, self.fixed.T @ response)
        left = response - self.fixed @ coefficients
        seen = [float(np.sum((z.T @ left) ** 2)) for z in self.random]
        size = np.sqrt(np.diagonal(self.expected))
        if size.min() == 0.0:  # a term that fixed effects explain
            return None
        scaled = self.expected / size / size[:, None]
        if np.linalg.eigvalsh(scaled)[0] < _SURE:
            return None
        found = np.linalg.solve(scaled, np.array([*seen, float(left @ left)]) / size) / size
        if found[-1] <= 0.0:
            return None
        start: FloatArray = np.clip(found[:-1] / found[-1], _LEAST, _MOST)
        return start
