"""Krippendorff's alpha from sums that are additive over units."""

from dataclasses import dataclass

import numpy as np

from detectable.core.choices import AgreementLevel
from detectable.core.types import FloatArray, IntArray
from detectable.kernels.resample import bootstrap_sums


@dataclass(frozen=True, slots=True)
class AlphaSums:
    r"""What alpha is made of, one row per unit (or cluster of units).

    With :math:`m_u` values of unit u and n values in all (units with one value do not count),

    .. math::

        \alpha = 1 - \frac{D_o}{D_e}, \quad
        D_o = \frac1n \sum_u \frac{1}{m_u - 1} \sum_{i \ne j} \delta^2(v_{ui}, v_{uj}), \quad
        D_e = \frac{1}{n(n-1)} \sum_{a \ne b} \delta^2(v_a, v_b).

    This is the definition by the coincidence matrix, with its sums done first. For interval
    data sums of squared differences are sums of squares: :math:`\sum_{i \ne j} (v_i - v_j)^2 =
    2 m \sum_i (v_i - \bar v)^2`. Ordinal distances are differences of mid-ranks, so ordinal
    alpha is interval alpha of mid-ranks. For nominal data, pairs that differ are
    :math:`m^2 - \sum_c m_c^2`.

    Attributes
    ----------
    values : array
        Number of values.
    disagreement : array
        :math:`\sum_{i \ne j} \delta^2 / (m_u - 1)`.
    margin : array of shape (units, columns)
        Interval and ordinal: sum and sum of squares. Nominal: counts of the categories.
    nominal : bool
        Which of the two.
    """

    values: FloatArray
    disagreement: FloatArray
    margin: FloatArray
    nominal: bool

    def alpha(self) -> float:
        """Return alpha of all units."""
        return float(_alpha(self._columns().sum(axis=0)[None, :], self.nominal)[0])

    def resampled(self, rows: int, rng: np.random.Generator) -> FloatArray:
        """Return alpha of resamples of the units with replacement, as a matrix product.

        Mid-ranks stay those of the whole sample.
        """
        return _alpha(bootstrap_sums([self._columns()], rows, rng)[0], self.nominal)

    def _columns(self) -> FloatArray:
        return np.column_stack([self.values, self.disagreement, self.margin])


def _alpha(sums: FloatArray, nominal: bool) -> FloatArray:  # noqa: FBT001 (private)
    n, disagreement, margin = sums[:, 0], sums[:, 1], sums[:, 2:]
    with np.errstate(invalid="ignore", divide="ignore"):
        if nominal:
            pairs = np.square(n) - np.square(margin).sum(axis=1)
        else:
            pairs = 2.0 * (n * margin[:, 1] - np.square(margin[:, 0]))
        expected = pairs / (n * (n - 1.0))
        # Where all values are the same, nothing could have disagreed: not a number.
        return 1.0 - np.where(expected > 0.0, disagreement / n / expected, np.nan)


def alpha_sums(
    values: FloatArray,
    unit: IntArray,
    *,
    level: AgreementLevel,
    cluster: IntArray | None = None,
) -> AlphaSums:
    """Return the sums behind Krippendorff's alpha.

    Parameters
    ----------
    values : array
        One per unit and rater who judged it; missing ones are simply not there.
    unit : array of int
        What was judged.
    level : {'interval', 'ordinal', 'nominal'}
        How values are compared.
    cluster : array of int, optional
        The cluster of each value, by which sums are added up; a unit lies in one cluster.

    References
    ----------
    Krippendorff (2011), "Computing Krippendorff's alpha-reliability", University of
    Pennsylvania; Krippendorff (2004), Content Analysis, chapter 11.

    Examples
    --------
    >>> scores, units = np.array([1.0, 1, 2, 2, 3, 3]), np.array([0, 0, 1, 1, 2, 2])
    >>> alpha_sums(scores, units, level="nominal").alpha()
    1.0
    """
    size = np.bincount(unit)
    pairable = size[unit] > 1
    values, unit = values[pairable], unit[pairable]
    cluster = unit if cluster is None else cluster[pairable]
    _, unit = np.unique(unit, return_inverse=True)
    _, cluster = np.unique(cluster, return_inverse=True)
    size = np.bincount(unit)
    n_clusters = int(cluster.max()) + 1 if cluster.size else 0
    home = np.zeros(size.size, np.int64)
    home[unit] = cluster
    if level == "nominal":
        disagreement, margin = _nominal(values, unit, size, cluster, n_clusters)
    else:
        numbers = midranks(values) if level == "ordinal" else values - values.mean()
        off = numbers - (np.bincount(unit, numbers) / size)[unit]
        disagreement = 2.0 * size * np.bincount(unit, np.square(off)) / (size - 1.0)
        margin = np.column_stack(
            [
                np.bincount(cluster, part, minlength=n_clusters)
                for part in (numbers, np.square(numbers))
            ]
        )
    return AlphaSums(
        values=np.bincount(cluster, minlength=n_clusters).astype(np.float64),
        disagreement=np.bincount(home, disagreement, n_clusters).astype(np.float64),
        margin=margin,
        nominal=level == "nominal",
    )


def _nominal(
    values: FloatArray, unit: IntArray, size: IntArray, cluster: IntArray, n_clusters: int
) -> tuple[FloatArray, FloatArray]:
    categories, code = np.unique(values, return_inverse=True)
    width = categories.size
    cell, counts = np.unique(unit * width + code, return_counts=True)
    same = np.bincount(cell // width, np.square(counts.astype(np.float64)))
    disagreement = (np.square(size.astype(np.float64)) - same) / (size - 1.0)
    margin = np.bincount(cluster * width + code, minlength=n_clusters * width)
    return disagreement, margin.reshape(n_clusters, width).astype(np.float64)


def midranks(values: FloatArray) -> FloatArray:
    """Return ranks about their mean, equal values sharing the middle of theirs.

    Examples
    --------
    >>> midranks(np.array([3.0, 1.0, 3.0])).tolist()
    [0.5, -1.0, 0.5]
    """
    _, code, counts = np.unique(values, return_inverse=True, return_counts=True)
    above = np.cumsum(counts)
    ranks: FloatArray = (above - (counts - 1) / 2.0)[code] - (values.size + 1) / 2.0
    return ranks
