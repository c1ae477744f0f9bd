r"""Documents, eliminated after the items that lie in them.

Once items are eliminated, the columns of one document meet no other document. With
:math:`P_1` the inverse covariance that knows the items, `D` the columns of documents, `R` all
others, :math:`A = D'P_1D` (one block per document), :math:`H = D'P_1R` and `S` the relative
standard deviations, documents leave

.. math:: R'P_2R = R'P_1R - H'S^2H_2, \qquad D'P_2R = H_2 = UH, \qquad D'P_2D = UA,

with :math:`U = (I + AS^2)^{-1}`. If :math:`M` is what inverts the rest, the inverse over all
columns is :math:`-S^2H_2M` between `D` and `R`, and :math:`S^2U + S^2H_2MH_2'S^2` within `D`.
So no matrix of the order of documents times systems is ever made.
"""

from dataclasses import dataclass

import numpy as np

from detectable.core.types import FloatArray
from detectable.kernels.crossed import Parts


@dataclass(frozen=True, slots=True)
class Nested:
    """The columns of documents at given relative variances."""

    variance: FloatArray  # (c,), S²
    keep: FloatArray  # (groups, c, c), U
    kept: FloatArray  # (groups, c, c), UA
    across: FloatArray  # (groups, c, d), H₂

    @property
    def cover(self) -> FloatArray:
        """What the documents' own effects cover, S²U."""
        return self.variance[:, None] * self.keep

    def flat(self, width: int) -> FloatArray:
        """Return H₂ with the first `width` columns, one row per column of a document."""
        return stacked(self.across[:, :, :width])

    def shift(self, width: int) -> FloatArray:
        """Return S²H₂ with the first `width` columns: how the rest moves the documents."""
        shift: FloatArray = self.variance[:, None] * self.across[:, :, :width]
        return shift

    def weighted(self, inverse: FloatArray) -> FloatArray:
        """Return H₂M, of shape (groups, c, m)."""
        width = inverse.shape[0]
        weighted: FloatArray = (self.flat(width) @ inverse).reshape(
            *self.across.shape[:2], width
        )
        return weighted

    def lost(self, weighted: FloatArray) -> FloatArray:
        """Return H₂MH₂' within documents: what the rest takes of them."""
        return weighted @ self.across[:, :, : weighted.shape[2]].swapaxes(1, 2)

    def inverse(self, weighted: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the inverse within documents, and between documents and the rest."""
        twice = np.outer(self.variance, self.variance)
        return self.cover + twice * self.lost(weighted), -self.variance[:, None] * weighted


def stacked(rows: FloatArray) -> FloatArray:
    """Return the rows of all documents below each other; there may be none."""
    return rows.reshape(rows.shape[0] * rows.shape[1], rows.shape[2])


def eliminate_groups(products: Parts, variance: FloatArray) -> tuple[Nested, float]:
    """Subtract from the dense products what documents explain; return them, and log det."""
    rest, near, across = products
    if variance.size == 0:  # no documents; most designs have none, and are fitted often
        return Nested(variance, near, near, across), 0.0
    scale = np.sqrt(variance)
    scaled = near * scale * scale[:, None]
    scaled[:, np.arange(scale.size), np.arange(scale.size)] += 1.0
    # From the symmetric matrix, which loses no digits where documents explain nearly all.
    keep = np.linalg.inv(scaled) * scale / scale[:, None]
    log_det = float(np.linalg.slogdet(scaled)[1].sum())
    nested = Nested(variance, keep, keep @ near, keep @ across)
    d = rest.shape[0]
    rest -= stacked(variance[:, None] * across).T @ nested.flat(d)
    return nested, log_det
