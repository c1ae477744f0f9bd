"""Fit a mixed model to judgments."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from detectable.core import check
from detectable.core.choices import MixedRepeats, MixedUnit, Repeated
from detectable.core.errors import InputError
from detectable.core.result import Signature
from detectable.core.types import FloatArray
from detectable.core.wording import listing
from detectable.data.files.table import TableSource
from detectable.data.human.judgments import Judgments
from detectable.mixed.design import Design, Slopes, build_design
from detectable.mixed.equations import Solution
from detectable.mixed.identify import read_for_model, usable_judgments
from detectable.mixed.model import Model, prepare, solve
from detectable.mixed.result import (
    MixedFit,
    ResidualSummary,
    VarianceComponent,
    system_contrasts,
    system_means,
)

_FEW_RATERS = 5  # below this the tests are unsure: see the calibration in docs/mixed.md
_FEW_DOCUMENTS = 5  # below, document × system is hardly known (docs/mixed.md)


def fit_mixed(  # noqa: PLR0913 (how to read, what to use, and the choices that define the model)
    judgments: TableSource | Judgments,
    *,
    columns: Mapping[str, str] | None = None,
    scale: tuple[float, float] | None = None,
    repeated: Repeated | None = None,
    campaign: str | None = None,
    language: str | None = None,
    unit: MixedUnit = "auto",
    slopes: Slopes = "auto",
    reml: bool = True,
    baseline: str | None = None,
    numeric_system: bool = False,
    repeats: MixedRepeats = "mean",
    alpha: float = 0.05,
) -> MixedFit:
    r"""Fit judgments with raters and items as crossed random effects.

    The rating that rater `w` gives to item `i` of system `s` is

    .. math:: y = \mu_s + a_w + b_i + d_{doc(i)} + e_{doc(i), s} + x_s'(u_w + v_i) + \varepsilon,

    where all but :math:`\mu` are independent and normal with mean zero, and :math:`x_s` are the
    contrasts of the systems, ±1 for two (see `detectable.mixed.design.contrast_coding`).
    Documents, where they take part, may favour a system: that effect, :math:`e`, is never left
    out because its spread looks small.
    Variances are estimated by restricted maximum likelihood [1]_ [2]_, the tests of differences
    use Satterthwaite's degrees of freedom [3]_ [4]_. Balanced designs are solved in closed form.

    Parameters
    ----------
    judgments : Judgments, path, mapping of columns, or data frame
        One row per judgment; anything that `read_judgments` takes. References and degraded
        copies are left out, and `notes` count them.
    columns : mapping of role to column, optional
        Which column is what, where names are unusual: ``{"score": "resp"}``.
    scale : (float, float), optional
        Refuse scores outside it. By default any number will do.
    repeated : {'refuse', 'mark'}, optional
        While reading, refuse two scores by one rater for one item of a system, or mark the later
        ones as repeats. By default tables refuse (most often they are copies) unless
        ``repeats='keep'``, and formats of campaigns mark.
    campaign, language : str, optional
        Which one, where the data hold several.
    unit : {'auto', 'item', 'document'}
        Documents take part where they are known; ``'item'`` leaves them out, ``'document'``
        needs them.
    slopes : {'auto', 'none'} or sequence of 'rater', 'item'
        By which of raters and items the difference between systems may vary. ``'auto'`` takes
        what the design allows; `notes` say what was dropped and why. By documents it may vary
        wherever they take part.
    reml : bool
        Restricted maximum likelihood; False for maximum likelihood.
    baseline : str, optional
        Compare all systems with this one; by default all pairs.
    numeric_system : bool
        Take the system column as a number (a regressor, and its slopes) and not as a name.
    repeats : {'mean', 'keep'}
        Where a rater judged an item of a system several times: average, or keep the scores as
        independent ratings, which they hardly are.
    alpha : float
        Error level of the tests; intervals hold at 1 − alpha.

    Returns
    -------
    MixedFit

    References
    ----------
    .. [1] Patterson and Thompson (1971), "Recovery of inter-block information when block sizes
       are unequal", Biometrika 58(3), 545-554.
    .. [2] Bates, Mächler, Bolker and Walker (2015), "Fitting linear mixed-effects models using
       lme4", Journal of Statistical Software 67(1).
    .. [3] Satterthwaite (1946), "An approximate distribution of estimates of variance
       components", Biometrics Bulletin 2(6), 110-114.
    .. [4] Kuznetsova, Brockhoff and Christensen (2017), "lmerTest package: tests in linear
       mixed effects models", Journal of Statistical Software 82(13).

    Examples
    --------
    >>> table = {
    ...     "score": [3, 4, 2, 4, 5, 5, 3, 4, 4, 6, 3, 3],
    ...     "system": ["old", "new"] * 6,
    ...     "rater": ["ann"] * 6 + ["ben"] * 6,
    ...     "item": [1, 1, 2, 2, 3, 3] * 2,
    ... }
    >>> fit = fit_mixed(table)
    >>> round(fit.estimate, 6), fit.contrasts[0].system, fit.contrasts[0].baseline
    (1.0, 'new', 'old')
    """
    alpha = check.probability(alpha, "alpha")
    read, notes = read_for_model(
        judgments, columns=columns, scale=scale, repeated=repeated, repeats=repeats
    )
    usable, more = usable_judgments(read, campaign=campaign, language=language, repeats=repeats)
    design = build_design(usable, unit=unit, slopes=slopes, numeric_system=numeric_system)
    _check_baseline(design, baseline)
    model = prepare(design, usable.score)
    fit = describe(
        model,
        solve(model, usable.score, reml=reml),
        usable.score,
        reml=reml,
        baseline=baseline,
        alpha=alpha,
    )
    return replace(fit, notes=(*notes, *more, *fit.notes))


def describe(
    model: Model,
    solution: Solution,
    response: FloatArray,
    *,
    reml: bool,
    baseline: str | None,
    alpha: float,
) -> MixedFit:
    """Turn numbers into a result."""
    design = model.design
    groups = design.groups
    settings: dict[str, str | int | float] = {
        "criterion": "reml" if reml else "ml",
        "n": design.n,
        **groups,
        "slopes": "+".join(design.slopes) or "none",
        "coding": "numeric" if design.numeric else "contrasts",
        "df": "satterthwaite",
    }
    return MixedFit(
        contrasts=system_contrasts(design, solution, baseline, alpha),
        systems=system_means(design, solution, alpha),
        components=_components(design, solution),
        criterion=solution.criterion,
        log_likelihood=-0.5 * solution.criterion,
        reml=reml,
        singular=bool((solution.rho == 0.0).any()),
        n_ratings=design.n,
        groups=groups,
        slopes=design.slopes,
        formula=design.formula,
        residuals=_residuals(model, solution, response),
        alpha=alpha,
        method=solution.method,
        notes=(*design.notes, *_notes(groups)),
        model=model,
        solution=solution,
        signature=Signature("mixed", settings),
    )


def _check_baseline(design: Design, baseline: str | None) -> None:
    if baseline is None:
        return
    if design.numeric:
        raise InputError(
            "`baseline` has no meaning with `numeric_system`. Drop one of the two."
        )
    if baseline not in design.systems:
        raise InputError(
            f"`baseline` {baseline!r} has no rating. Systems: {listing(list(design.systems))}."
        )


def _components(design: Design, solution: Solution) -> tuple[VarianceComponent, ...]:
    variances = [*(solution.rho * solution.sigma2), solution.sigma2]
    names = [*(term.name for term in design.terms), "residual"]
    total = float(sum(variances))
    return tuple(
        VarianceComponent(
            name=name, variance=float(v), sd=float(np.sqrt(v)), share=float(v) / total
        )
        for name, v in zip(names, variances, strict=True)
    )


def _residuals(model: Model, solution: Solution, response: FloatArray) -> ResidualSummary:
    scaled = model.residuals(solution, response) / np.sqrt(solution.sigma2)
    cuts = [float(x) for x in np.quantile(scaled, [0.0, 0.25, 0.5, 0.75, 1.0])]
    return ResidualSummary(
        minimum=cuts[0],
        first_quartile=cuts[1],
        median=cuts[2],
        third_quartile=cuts[3],
        maximum=cuts[4],
    )


def _notes(groups: dict[str, int]) -> tuple[str, ...]:
    notes = []
    if groups["rater"] < _FEW_RATERS:
        notes.append(
            f"with {groups['rater']} raters the spread between raters is hardly known: intervals "
            "are wide, and the error rate is only roughly the nominal one. More items do not help; "
            "more raters do."
        )
    if groups.get("document", _FEW_DOCUMENTS) < _FEW_DOCUMENTS:
        notes.append(
            f"with {groups['document']} documents a test at .05 errs in up to 7 % of cases where "
            "documents suit a system."
        )
    return tuple(notes)
