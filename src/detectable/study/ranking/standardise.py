"""Take the severity of raters out of their scores."""

from dataclasses import dataclass

import numpy as np

from detectable.core import check
from detectable.core.choices import Over
from detectable.core.types import FloatArray
from detectable.core.wording import count, listing
from detectable.data.factor import cross
from detectable.data.human.judgments import Judgments
from detectable.data.human.ordinary import ORDINARY
from detectable.kernels.rater_spread import rater_spread


@dataclass(frozen=True, slots=True, kw_only=True)
class Standardised:
    """A score per judgment, and what could not be standardised."""

    values: FloatArray  # NaN where there is none
    dropped: tuple[str, ...] = ()  # raters without a standard score
    notes: tuple[str, ...] = ()


def z_scores(judgments: Judgments, *, over: Over = "all") -> Standardised:
    r"""Return each judgment in standard deviations from its rater's mean.

    .. math:: z = (y - \bar y_w) / s_w

    with mean and standard deviation (n − 1) of rater w in one language pair of one campaign.
    ``over='all'`` counts all that a rater judged there, references and degraded copies too, as
    WMT's to-English campaigns do; ``'ordinary'`` only system outputs and repeats of them, as in
    its other directions.

    A rater with one judgment, or with one score throughout, has no z. These judgments are left
    out of z (they stay in the raw means) and the raters are named. WMT22 instead gave z = 0 to
    segments that only such raters had judged, which pulls a system towards the average; that is
    not repeated here.

    References
    ----------
    Graham, Baldwin, Moffat and Zobel (2017), "Can machine translation systems be evaluated by
    the crowd alone", Natural Language Engineering 23(1), 3–30.

    Examples
    --------
    >>> table = {"system": list("ABAB"), "item": [1, 1, 2, 2], "rater": list("vvww")}
    >>> judged = Judgments.build({**table, "score": [60, 80, 50, 50]})
    >>> z_scores(judged).values.round(3).tolist(), z_scores(judged).dropped
    ([-0.707, 0.707, nan, nan], ('w',))
    """
    check.literal(over, Over, "over")
    rater = judgments.column("rater")
    campaign = judgments.by_campaign()
    group = rater if campaign is None else cross("rater", rater, campaign)
    counted = (
        np.ones(judgments.n_judgments, dtype=bool)
        if over == "all"
        else judgments.is_kind(*ORDINARY)
    )
    mean, spread = rater_spread(group.codes[counted], judgments.score[counted], group.n_levels)
    usable = np.isfinite(spread)
    values = np.full(judgments.n_judgments, np.nan)
    known = usable[group.codes]
    at = group.codes[known]
    values[known] = (judgments.score[known] - mean[at]) / spread[at]
    dropped = tuple(level for level, fine in zip(group.levels, usable, strict=True) if not fine)
    return Standardised(
        values=values, dropped=dropped, notes=without_z(dropped, int((~known).sum()))
    )


def without_z(dropped: tuple[str, ...], n_judgments: int) -> tuple[str, ...]:
    """Say which raters have no z, and how many judgments that costs."""
    if not dropped:
        return ()
    they = "rater gave" if len(dropped) == 1 else "raters gave"
    return (
        f"{len(dropped):,} {they} one judgment or one score throughout and "
        f"{'has' if len(dropped) == 1 else 'have'} no z: {listing(list(dropped))} "
        f"({count(n_judgments, 'judgment')}, left out of z, kept in the raw means).",
    )


def severity_removed(judgments: Judgments) -> Standardised:
    """Return scores less the severity of each rater, predicted by a mixed model.

    The prediction is shrunk towards zero, the more the fewer judgments a rater gave, and allows
    for which systems and items a rater happened to see, which z does not. Scores stay on their
    own scale. Judgments of references and degraded copies are not used.

    References
    ----------
    Henderson (1975), "Best linear unbiased estimation and prediction under a selection model",
    Biometrics 31(2), 423–447.
    """
    from detectable.mixed.fit import fit_mixed
    from detectable.mixed.predictions import predict_effects

    rater = judgments.column("rater")
    fit = fit_mixed(judgments, unit="item", slopes="none", repeats="keep")
    severity = {row.level: row.effect for row in predict_effects(fit, factor="rater").effects}
    by_rater = np.array([severity.get(level, np.nan) for level in rater.levels])
    return Standardised(values=judgments.score - by_rater[rater.codes])
