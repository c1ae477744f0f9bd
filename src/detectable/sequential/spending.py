"""How much of the error rate may be used up by a share of the information."""

import math
from dataclasses import dataclass
from typing import Literal, TypeAlias

from detectable.core import check
from detectable.core.errors import InputError

SpendingFamily: TypeAlias = Literal["ld-obf", "ld-pocock", "hsd", "kim-demets"]

_STEEPEST = 100.0  # γ beyond which all is spent in one instant


@dataclass(frozen=True, slots=True)
class Spending:
    r"""A spending function: the error :math:`f(a, t)` spent up to the share t of information.

    ======================  ===============================================================
    ``ld-obf``              :math:`2 - 2 \Phi(z_{1-a/2} / \sqrt t)`, like O'Brien-Fleming [1]_
    ``ld-pocock``           :math:`a \ln(1 + (e - 1) t)`, like Pocock [1]_
    ``hsd``                 :math:`a (1 - e^{-\gamma t}) / (1 - e^{-\gamma})` [2]_
    ``kim-demets``          :math:`a t^\rho` [3]_
    ======================  ===============================================================

    A two-sided test spends f(α/2, t) on each side. The name ``ld-obf`` is not O'Brien and
    Fleming's design: three equal looks at .05 stop at 3.710, 2.511, 1.993, and theirs at 3.471,
    2.454, 2.004.

    Parameters
    ----------
    family : {'ld-obf', 'ld-pocock', 'hsd', 'kim-demets'}
        Which of them.
    parameter : float, optional
        γ of ``hsd`` (default −4), ρ of ``kim-demets`` (default 2). The others have none.

    References
    ----------
    .. [1] Lan and DeMets (1983), "Discrete sequential boundaries for clinical trials",
       Biometrika 70(3), 659–663.
    .. [2] Hwang, Shih and DeCani (1990), "Group sequential designs using a family of type I
       error probability spending functions", Statistics in Medicine 9(12), 1439–1445.
    .. [3] Kim and DeMets (1987), "Design and analysis of group sequential tests based on the
       type I error spending rate function", Biometrika 74(1), 149–154.

    Examples
    --------
    >>> round(Spending("ld-obf").spent(0.025, 0.5), 6)
    0.001525
    """

    family: SpendingFamily
    parameter: float | None = None

    def __post_init__(self) -> None:
        check.literal(self.family, SpendingFamily, "spending")
        if self.parameter is None:
            return
        if self.family == "kim-demets":
            check.positive(self.parameter, "rho")
        elif not math.isfinite(self.parameter) or abs(self.parameter) > _STEEPEST:
            raise InputError(
                f"`gamma` must lie between -{_STEEPEST:g} and {_STEEPEST:g}; got "
                f"{self.parameter!r}. The usual values are -4 (few early stops) to 1 (many)."
            )

    def spent(self, level: float, t: float) -> float:
        """Return the error spent up to the share `t`; all of `level` from 1 on."""
        if t >= 1.0:
            return level
        if t <= 0.0:
            return 0.0
        if self.family == "ld-obf":
            from scipy.special import ndtr, ndtri

            return float(2.0 * ndtr(ndtri(0.5 * level) / math.sqrt(t)))
        if self.family == "ld-pocock":
            return level * math.log1p((math.e - 1.0) * t)
        if self.family == "kim-demets":
            rho = 2.0 if self.parameter is None else self.parameter
            return float(level * t**rho)
        gamma = -4.0 if self.parameter is None else self.parameter
        if abs(gamma) < 1e-12:
            return level * t
        return level * math.expm1(-gamma * t) / math.expm1(-gamma)
