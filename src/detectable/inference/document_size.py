r"""Whether the difference of two systems grows with the size of documents, and how to test it then.

Swapping whole documents tests that none of them differs. Where long documents favour one system and
short ones the other, the mean over segments may be 0 all the same, and the swap test, whose spread is
that of documents of any size, then finds a difference in 15 to 23 % of cases at .05. So document
differences :math:`d_g` are regressed on the logarithm of document sizes,

.. math:: d_g = a + b \ln m_g, \qquad
          \widehat{\mathrm{var}}(b) = \frac{\sum_g x_g^2 \bigl(e_g/(1 - h_g)\bigr)^2}
          {\bigl(\sum_g x_g^2\bigr)^2},

with :math:`x_g = \ln m_g - \overline{\ln m}`, residuals :math:`e_g`, leverages :math:`h_g` (HC3 [1]_)
and t with G − 2 degrees of freedom. Where b is not 0 at .05, test and interval of the mean over
segments are those of the dense score statistic at 0 (`inference.margin_score`), which takes documents
as a sample and does not ask that they are alike.

References
----------
.. [1] MacKinnon and White (1985), "Some heteroskedasticity-consistent covariance matrix estimators with
   improved finite sample properties", Journal of Econometrics 29(3), 305–325.
"""

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from detectable.core.types import FloatArray
from detectable.inference.standard_errors import t_tail

if TYPE_CHECKING:  # only where the trend decides
    from detectable.inference.margin_score import MarginScore

LEVEL = 0.05  # of the regression, whatever α is: it chooses the test and claims nothing
_FEWEST = 4  # documents: fewer leave one degree of freedom
_SAME = 1e-9  # relative: sizes, or differences, that are closer are one


class SizeTrend(NamedTuple):
    """How document differences change with the logarithm of document size.

    Attributes
    ----------
    slope, p_value : float
        Of the regression; NaN and 1 where documents are few or of one size.
    mean_of_documents : float
        The mean difference if every document counts alike.
    n_documents : int
    """

    slope: float
    p_value: float
    mean_of_documents: float
    n_documents: int

    @property
    def decides(self) -> bool:
        """Whether the difference changes with size, so that documents are no longer alike."""
        return self.p_value <= LEVEL


def size_trend(parts: FloatArray, shares: FloatArray) -> SizeTrend:
    """Regress document differences on the logarithm of document sizes.

    Parameters
    ----------
    parts, shares : arrays of shape (documents,)
        What each document adds to the difference, and its share of what is averaged.

    Examples
    --------
    >>> sizes = np.array([2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0, 24.0])
    >>> noise = np.array([1.0, -1.0, 1.0, -1.0, -1.0, 1.0, -1.0, 1.0])
    >>> found = size_trend((np.log(sizes) + 0.2 * noise) * sizes / 75.0, sizes / 75.0)
    >>> round(found.slope, 3), found.decides
    (1.0, True)
    """
    known = shares > 0.0
    apart = parts[known] / shares[known]
    n, mean = apart.size, float(apart.mean()) if apart.size else math.nan
    sizes = np.log(shares[known])
    x = sizes - sizes.mean() if n else sizes
    square = float(np.square(x).sum())
    if n < _FEWEST or square <= _SAME * n:
        return SizeTrend(math.nan, 1.0, mean, n)
    slope = float((x * apart).sum()) / square
    left = apart - mean - slope * x
    leverage = np.minimum(np.square(x) / square + 1.0 / n, 1.0 - _SAME)
    error = math.sqrt(float(np.square(x * left / (1.0 - leverage)).sum())) / square
    if abs(slope) * math.sqrt(square) <= _SAME * float(np.abs(apart).max()):
        return SizeTrend(slope, 1.0, mean, n)  # the same in all documents, but for rounding
    z = abs(slope) / error if error > 0.0 else math.inf
    return SizeTrend(slope, min(1.0, 2.0 * t_tail(z, n - 2.0)), mean, n)


def dense_p(found: "MarginScore") -> float:
    """Return the two-sided p-value of “no difference” by the score statistic.

    No p-value is 0: the least is twice the smallest normal number, 4.5e-308, and only says “below”.
    """
    return min(1.0, 2.0 * min(found.p_above(0.0), found.p_below(0.0)))
