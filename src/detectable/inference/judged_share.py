r"""The share of right answers behind what a judge says, by its sensitivity and specificity.

With p the share that the judge calls right, se that of right answers which it calls right and sp
that of wrong ones which it calls wrong, the share is :math:`\theta = (p + sp - 1) / (se + sp - 1)`
[1]_. All three are estimated, on samples of their own.

References
----------
.. [1] Rogan and Gladen (1978), "Estimating prevalence from the results of a screening test",
   American Journal of Epidemiology 107(1), 71–76.
.. [2] Lang and Reiczigel (2014), "Confidence limits for prevalence of disease adjusted for estimated
   sensitivity and specificity", Preventive Veterinary Medicine 113(1), 13–22; for judges of
   language models Lee et al. (2025), arXiv:2511.21140.
.. [3] Agresti and Caffo (2000), "Simple and effective confidence intervals for proportions and
   differences of proportions result from adding two successes and two failures", The American
   Statistician 54(4), 280–288.
"""

import math
from dataclasses import dataclass

from detectable.core.interval import Interval
from detectable.kernels.distributions.normal import normal_quantile


@dataclass(frozen=True, slots=True)
class JudgedShare:
    """What a judge says of some items, and how it errs on labelled ones.

    Attributes
    ----------
    judged, sensitivity, specificity : float
        Shares: called right here; of right answers, called right; of wrong ones, called wrong.
    n_pool, n_right, n_wrong : float
        How many items each of them is a share of.
    """

    judged: float
    sensitivity: float
    specificity: float
    n_pool: float
    n_right: float
    n_wrong: float

    @property
    def power(self) -> float:
        """How far the judge tells right from wrong: se + sp − 1, 0 for a coin."""
        return self.sensitivity + self.specificity - 1.0

    @property
    def share(self) -> float:
        """The corrected share, which may lie outside of [0, 1].

        Examples
        --------
        >>> round(JudgedShare(0.69, 0.9, 0.8, 5000, 140, 60).share, 6)
        0.7
        """
        return (self.judged + self.specificity - 1.0) / self.power

    @property
    def _label_variances(self) -> tuple[float, float]:
        """Those of sensitivity and specificity."""
        se, sp = self.sensitivity, self.specificity
        return se * (1.0 - se) / self.n_right, sp * (1.0 - sp) / self.n_wrong

    def power_interval(self, level: float) -> Interval:
        """Return the interval of Agresti and Caffo [3]_ for `power`; a coin is below it or in it.

        Examples
        --------
        >>> found = JudgedShare(0.5, 0.9, 0.8, 1000, 20, 10).power_interval(0.95)
        >>> round(found.low, 3), round(found.high, 3)
        (0.33, 0.898)
        """
        z = normal_quantile(0.5 + 0.5 * level)
        more = self._with_more(0.0)
        half = z * math.sqrt(sum(more._label_variances))
        return Interval(more.power - half, more.power + half, level)

    def _with_more(self, items: float) -> "JudgedShare":
        """Add a right and a wrong answer of the judge to either kind of label, and some items."""
        return JudgedShare(
            judged=(self.n_pool * self.judged + 0.5 * items) / (self.n_pool + items),
            sensitivity=(self.n_right * self.sensitivity + 1.0) / (self.n_right + 2.0),
            specificity=(self.n_wrong * self.specificity + 1.0) / (self.n_wrong + 2.0),
            n_pool=self.n_pool + items,
            n_right=self.n_right + 2.0,
            n_wrong=self.n_wrong + 2.0,
        )

    @property
    def standard_error(self) -> float:
        r"""By the delta method.

        .. math:: Var = \frac{p(1-p)/N + (1-\theta)^2 sp(1-sp)/n_0 + \theta^2 se(1-se)/n_1}
                  {(se + sp - 1)^2}

        Examples
        --------
        >>> round(JudgedShare(0.69, 0.9, 0.8, 5000, 140, 60).standard_error, 6)
        0.034928
        """
        of_se, of_sp = self._label_variances
        own = self.judged * (1.0 - self.judged) / self.n_pool
        variance = own + (1.0 - self.share) ** 2 * of_sp + self.share**2 * of_se
        return math.sqrt(variance) / abs(self.power)

    def interval(self, level: float) -> Interval:
        r"""Return the interval of Lang and Reiczigel [2]_, cut to [0, 1].

        To either kind of label one that the judge calls right and one that it calls wrong are added,
        and z² items, half of them called right. With the share θ', its standard error s' and the variances of se' and sp' from
        these,

        .. math:: \theta' + 2 z^2 [\theta' Var(se') - (1 - \theta') Var(sp')] \pm z s'.

        A bootstrap over the three samples is too short where labels are few, and so are ± z standard
        errors near 0 and 1. Only for judges shown to be better than a coin (`power_interval`).

        Examples
        --------
        >>> found = JudgedShare(0.4, 0.9, 0.7, 1000, 200, 200).interval(0.95)
        >>> round(found.low, 4), round(found.high, 4)
        (0.0564, 0.2627)
        """
        z = normal_quantile(0.5 + 0.5 * level)
        more = self._with_more(z**2)
        of_se, of_sp = more._label_variances
        middle = more.share + 2.0 * z**2 * (more.share * of_se - (1.0 - more.share) * of_sp)
        half = z * more.standard_error
        low, high = (min(1.0, max(0.0, end)) for end in (middle - half, middle + half))
        return Interval(low, high, level)
