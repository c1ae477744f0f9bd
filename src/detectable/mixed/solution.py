"""What either way of fitting gives: estimates, and how sure they are."""

from dataclasses import dataclass

import numpy as np

from detectable.core.types import FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Solution:
    """A fitted model in numbers.

    Attributes
    ----------
    rho : array of shape (terms,)
        Variances relative to that of the residual.
    sigma2 : float
        Residual variance.
    criterion : float
        Minus twice the (restricted) log-likelihood.
    coefficients : array of shape (p,)
        Fixed effects of the coded design.
    covariance : array of shape (p, p)
        Their covariance.
    gradients : array of shape (parameters, p, p)
        Derivatives of the covariance by the variance parameters that are not at zero.
    uncertainty : array of shape (parameters, parameters)
        Asymptotic covariance of these parameters.
    effects : dict of str to array of shape (levels, 1) or (levels, p)
        Predicted intercepts, and slopes where the factor has them, by factor.
    method : str
        How it was found.
    """

    rho: FloatArray
    sigma2: float
    criterion: float
    coefficients: FloatArray
    covariance: FloatArray
    gradients: FloatArray
    uncertainty: FloatArray
    effects: dict[str, FloatArray]
    method: str

    def satterthwaite(self, contrast: FloatArray) -> float:
        r"""Return the degrees of freedom of a contrast of fixed effects.

        If :math:`v = c' \mathrm{Cov}(\hat\beta) c` were a multiple of a χ², its degrees of
        freedom would be :math:`2 v^2 / \mathrm{Var}(v)` [1]_, and the delta method gives
        :math:`\mathrm{Var}(v) = g'Ag` with `g` the gradient of `v` and `A` the covariance of
        the variance parameters [2]_. Variances at zero stay there: the deviance is even in
        their square roots, in which the gradient of `v` vanishes.

        References
        ----------
        .. [1] Satterthwaite (1946), "An approximate distribution of estimates of variance
           components", Biometrics Bulletin 2(6), 110-114.
        .. [2] Kuznetsova, Brockhoff and Christensen (2017), "lmerTest package: tests in linear
           mixed effects models", Journal of Statistical Software 82(13).
        """
        variance = float(contrast @ self.covariance @ contrast)
        gradient = np.einsum("i,tij,j->t", contrast, self.gradients, contrast)
        return 2.0 * variance**2 / float(gradient @ self.uncertainty @ gradient)
