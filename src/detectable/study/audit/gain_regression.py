"""How large an improvement to expect: gains regressed on the accuracy to beat and the task."""

from dataclasses import dataclass, field

import numpy as np

from detectable.core.types import FloatArray, IntArray
from detectable.study.audit.accuracy_claims import AccuracyClaims

_SURE = 1e-9  # a claim whose leverage is this close to 1 cannot be predicted from the others
_SAME = 1e-12  # gains are differences of fractions, which round to about 1e-16


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GainRegression:
    """Least squares of the gain on the accuracy before and a level for each task.

    Attributes
    ----------
    slope : float
        Of the gain on the accuracy to beat.
    levels : tuple of float
        What the gain of each task would be at accuracy 0.
    r_squared : float
        Share of the variance of gains that it explains.
    """

    slope: float
    levels: tuple[float, ...]
    r_squared: float
    fitted: FloatArray = field(repr=False)
    rest: FloatArray = field(repr=False)
    hat: FloatArray = field(repr=False)  # (claims, claims)

    def predict(self, task: int, before: float) -> float:
        """Return the gain to expect on a task; nan where it has no claim."""
        return self.levels[task] + self.slope * before

    def without(self, left_out: IntArray) -> FloatArray:
        r"""Return the prediction of each claim from all claims but one.

        Leaving out claim j moves the fit of claim i by :math:`-h_{ij} e_j / (1 - h_{jj})`, with e
        the residuals and h the hat matrix, so nothing is fitted again [1]_.

        Parameters
        ----------
        left_out : array of int
            The claim that each prediction does without; −1 leaves out none. Itself, for
            leave-one-out. Where the others say nothing about the claim, the prediction is nan.

        References
        ----------
        .. [1] Cook and Weisberg (1982), Residuals and Influence in Regression, section 2.2.
        """
        rows, some = np.arange(left_out.size), left_out >= 0
        j = np.where(some, left_out, 0)
        free = 1.0 - self.hat[j, j]
        sure = free < _SURE
        moved = self.hat[rows, j] * self.rest[j] / np.where(sure, 1.0, free)
        alone = sure & some & (np.abs(self.hat[rows, j]) > _SURE)
        predicted: FloatArray = self.fitted - np.where(some & ~sure, moved, 0.0)
        predicted[alone] = np.nan
        return predicted


def fit_gains(claims: AccuracyClaims) -> GainRegression | None:
    """Return the regression, or None where the claims are too few or too much alike for one."""
    present = np.unique(claims.task)
    if claims.n_claims < present.size + 2:
        return None
    design = np.column_stack(
        [claims.before, *((claims.task == task).astype(np.float64) for task in present)]
    )
    if np.linalg.matrix_rank(design) < design.shape[1]:
        return None
    basis, _ = np.linalg.qr(design)
    line = np.linalg.lstsq(design, claims.gain, rcond=None)[0]
    fitted = design @ line
    rest = claims.gain - fitted
    if float(np.ptp(claims.gain)) < _SAME:
        return None
    total = float(np.square(claims.gain - claims.gain.mean()).sum())
    levels = np.full(len(claims.tasks), np.nan)
    levels[present] = line[1:]
    return GainRegression(
        slope=float(line[0]),
        levels=tuple(levels.tolist()),
        r_squared=1.0 - float(rest @ rest) / total,
        fitted=fitted,
        rest=rest,
        hat=basis @ basis.T,
    )
