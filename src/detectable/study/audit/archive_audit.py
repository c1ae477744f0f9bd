"""What an archive of past comparisons could detect, at large and by group."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, fields

import numpy as np

from detectable.core import check
from detectable.core.errors import InputError
from detectable.core.interval import Interval
from detectable.core.result import Result, Signature
from detectable.core.types import FloatArray, IntArray
from detectable.core.wording import count, listing, visible
from detectable.data.factor import factor
from detectable.inference.observed_mde import observed_mde
from detectable.inference.standard_errors import detectable_shifts, median_unbiased
from detectable.study.audit.past_comparisons import PastComparisons, SeenDifferences
from detectable.study.audit.tables import REPORTED, find_label


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupTally:
    """One group of comparisons, by one test.

    Attributes
    ----------
    group : str
        Its name.
    significant, total : int
        Comparisons that were significant, and all that were tested.
    observed_mde : float or None
        Smallest difference from which on 95 % of the comparisons were significant, by the
        first-failure rule of `observed_mde`; None where the largest was not significant.
    above : int
        Comparisons with at least that difference: what the number stands on.
    above_interval : Interval or None
        Wilson's interval of the share of significant ones among them.
    median_difference : float
        Median size of a difference.
    n : float
        Median number of judgments per system, or items.
    detectable : float
        Median over comparisons of the difference that each could detect with the power asked
        for, from its own standard error; nan where no standard error is known.
    underpowered : float
        Share of the comparisons with a known standard error that have less than that power if
        the true difference is the target.
    budget : int or None
        Judgments per system with which half of the comparisons would have that power.
    """

    group: str
    significant: int
    total: int
    observed_mde: float | None
    above: int
    above_interval: Interval | None
    median_difference: float
    n: float
    detectable: float
    underpowered: float
    budget: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Aim:
    """What is asked of all groups: level, power, and the difference that is to be seen."""

    alpha: float
    power: float
    target: float  # nan where there is none


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Limits:
    """What each comparison could detect, and the judgments that it needs for the target."""

    aim: Aim
    detectable: FloatArray = field(repr=False)
    needed: FloatArray = field(repr=False)

    @classmethod
    def of(cls, seen: SeenDifferences, aim: Aim) -> "Limits":
        """Work them out for all comparisons at once."""
        return cls(
            aim=aim,
            detectable=detectable_differences(seen, alpha=aim.alpha, power=aim.power),
            needed=needed_judgments(seen, alpha=aim.alpha, power=aim.power, target=aim.target),
        )


def detectable_differences(seen: SeenDifferences, *, alpha: float, power: float) -> FloatArray:
    r"""Return the difference that each comparison detects with a given power.

    :math:`\delta_i = \lambda_{\nu_i} s_i`, with :math:`s_i` the median-unbiased standard error of the
    comparison (`inference.standard_errors.median_unbiased`) and :math:`\lambda_\nu` the noncentrality at which a two-sided t test with :math:`\nu` degrees
    of freedom has the power. The observed difference has no part in it.
    """
    error, df = _typical_errors(seen), seen.df
    known = error > 0.0  # two systems with the same scores throughout say nothing about noise
    found = np.full(error.shape, np.nan)
    found[known] = detectable_shifts(df[known], alpha=alpha, power=power) * error[known]
    return found


def needed_judgments(
    seen: SeenDifferences, *, alpha: float, power: float, target: float
) -> FloatArray:
    r"""Return the judgments per system with which each comparison detects a difference.

    A standard error falls with the square root of the judgments, so that comparison i, with
    :math:`n_i` judgments per system, needs

    .. math:: m_i = n_i \Bigl[ \Bigl(\frac{(z_{1-\alpha/2} + z_\pi)\, s_i}{\Delta}\Bigr)^2
              + \frac{z_{1-\alpha/2}^2}{2 \nu_i} \Bigr].

    The last term is what the estimation of the standard error costs [1]_. All comparisons are
    given the same true difference :math:`\Delta`: their own observed ones are not used, since
    power at an observed difference only restates its p-value [2]_.

    References
    ----------
    .. [1] Guenther (1981), "Sample size formulas for normal theory T tests", The American
       Statistician 35(4), 243–244.
    .. [2] Hoenig and Heisey (2001), "The abuse of power", The American Statistician 55(1), 19–24.
    """
    from scipy.special import ndtri

    level, wanted = float(ndtri(1.0 - 0.5 * alpha)), float(ndtri(power))
    error = _typical_errors(seen)
    error[~(error > 0.0)] = np.nan
    ratio = np.square((level + wanted) * error / target) + 0.5 * level**2 / seen.df
    needed: FloatArray = seen.n * ratio
    return needed


def _typical_errors(seen: SeenDifferences) -> FloatArray:
    different, place = np.unique(seen.df, return_inverse=True)
    factors = np.array([median_unbiased(1.0, df) for df in different.tolist()])
    found: FloatArray = seen.standard_error * factors[place]
    return found


def tally(group: str, seen: SeenDifferences, limits: Limits, rows: IntArray) -> GroupTally:
    """Return what the comparisons in some rows, at least one, decided and could detect."""
    aim = limits.aim
    found = observed_mde(seen.difference[rows], seen.p_value[rows] < aim.alpha, alpha=aim.alpha)
    detectable, needed = limits.detectable[rows], limits.needed[rows]
    detectable, needed = detectable[~np.isnan(detectable)], needed[~np.isnan(needed)]
    return GroupTally(
        group=group,
        significant=found.n_significant,
        total=found.n_comparisons,
        observed_mde=found.effect,
        above=found.n_above,
        above_interval=found.share_interval,
        median_difference=found.median_difference,
        n=float(np.median(seen.n[rows])),
        detectable=float(np.median(detectable)) if detectable.size else math.nan,
        underpowered=_share_above(detectable, aim.target),
        budget=math.ceil(float(np.median(needed))) if needed.size else None,
    )


def _share_above(limits: FloatArray, target: float) -> float:
    if not limits.size or math.isnan(target):
        return math.nan
    return float(np.mean(limits > target))


# --- What an archive of past comparisons could detect: the result, and how it is made ---

ALL = "all"
NOT_NAMED = "(not named)"  # the group of comparisons whose cell is empty


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupAudit(GroupTally):
    """One group of past comparisons, as published and paired.

    Attributes
    ----------
    paired : GroupTally or None
        The same judgments, paired; None where the data do not allow it.
    """

    paired: GroupTally | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveAudit(Result):
    """What past comparisons decided, and what they could have detected.

    Attributes
    ----------
    groups : tuple of GroupAudit
        The largest first; one group of all where nothing was said to group by.
    overall : GroupAudit
        All comparisons.
    test : str
        Behind the numbers of a group itself: ``rank-sum`` of all judgments, or ``reported``.
    target_difference : float
        The true difference that is assumed for power and budget.
    target_given : bool
        Whether it was given; otherwise it is the median difference of the archive.
    unknown_error : int
        Comparisons without a standard error, of which only significance is known.
    """

    groups: tuple[GroupAudit, ...]
    overall: GroupAudit
    by: str | None
    test: str
    alpha: float
    power: float
    target_difference: float
    target_given: bool
    unknown_error: int
    n_judgments: int | None
    notes: tuple[str, ...] = ()
    past: PastComparisons = field(repr=False, compare=False, metadata={"bulk": "array"})

    @property
    def counted(self) -> str:
        """What `n` and the budget count: a table may be about anything that was scored."""
        return "items" if self.test == REPORTED else "judgments"

    @property
    def digits(self) -> int:
        """Decimals with which differences are written."""
        return visible(self.overall.median_difference, 2)


def audit_archive(
    past: PastComparisons,
    *,
    by: str | None = None,
    only: Sequence[str] = (),
    target_difference: float | None = None,
    alpha: float = 0.05,
    power: float = 0.8,
) -> ArchiveAudit:
    """Say what past comparisons decided and could have detected; see `audit`.

    Significance is p < `alpha`, as in [1]_. What a comparison could
    detect follows from its standard error (`detectable_differences`), the budget from those of
    all (`needed_judgments`); both are about the mean score, so that a rank test may see a little
    less or, where many scores are tied at an end of the scale, more.

    References
    ----------
    .. [1] Wei, Kocmi and Federmann (2022), "Searching for a higher power in the human evaluation
       of MT", WMT, section 5 and table 1.
    """
    alpha, power = check.probability(alpha, "alpha"), check.probability(power, "power")
    label = None if by is None else find_label(by, list(past.labels))
    if only:
        past = _only(past, label, only)
    if target_difference is not None:
        target_difference = check.positive(target_difference, "target_difference")
    sizes = np.abs(past.tested.difference)
    target = float(np.median(sizes)) if target_difference is None else target_difference
    notes = list(past.notes)
    if target == 0.0:
        target = math.nan
        notes.append(
            "The median difference is 0, which no evaluation can show: give a "
            "`target_difference` for power and budget."
        )
    aim = Aim(alpha=alpha, power=power, target=target)
    limits = Limits.of(past.tested, aim)
    paired = None if past.paired is None else Limits.of(past.paired, aim)
    overall = _group(ALL, past, (limits, paired), np.arange(len(past)))
    groups: tuple[GroupAudit, ...] = (overall,)
    if label is not None:
        names = factor(label, np.array([name or NOT_NAMED for name in past.labels[label]]))
        order = np.argsort(names.codes, kind="stable")
        ends = np.cumsum(np.bincount(names.codes))[:-1]
        parts = zip(names.levels, np.split(order, ends), strict=True)
        groups = tuple(_group(name, past, (limits, paired), rows) for name, rows in parts)
        groups = tuple(sorted(groups, key=lambda group: -group.total))
    unknown = int((~(past.tested.standard_error > 0.0)).sum())
    return ArchiveAudit(
        groups=groups,
        overall=overall,
        by=label,
        test=past.tested.test,
        alpha=alpha,
        power=power,
        target_difference=target,
        target_given=target_difference is not None,
        unknown_error=unknown,
        n_judgments=past.n_judgments,
        notes=(*notes, *_notes(groups, label)),
        past=past,
        signature=Signature(
            "audit-archive",
            {
                "comparisons": len(past),
                "by": label or "all",
                **({"only": "+".join(only)} if only else {}),
                "target": "median" if target_difference is None else target_difference,
                "alpha": alpha,
                "power": power,
            },
        ),
    )


def _only(past: PastComparisons, label: str | None, only: Sequence[str]) -> PastComparisons:
    """Keep the comparisons of some groups."""
    if label is None:
        raise InputError(
            "`only` names groups, so `by` must say of what, for example language-pair; got "
            f"{listing(list(only))} without it."
        )
    names = np.array([name or NOT_NAMED for name in past.labels[label]])
    known = sorted(set(names.tolist()))
    for name in only:
        if name not in known:
            raise InputError(
                f"`only` must name groups of {label}: {listing(known, most=20)}; got {name!r}."
            )
    return past.only(np.flatnonzero(np.isin(names, list(only))))


def _group(
    name: str, past: PastComparisons, limits: tuple[Limits, Limits | None], rows: IntArray
) -> GroupAudit:
    own, other = limits
    paired = None
    if past.paired is not None and other is not None:
        matched = rows[~np.isnan(past.paired.p_value[rows])]
        paired = tally(name, past.paired, other, matched) if matched.size else None
    values = tally(name, past.tested, own, rows)
    return GroupAudit(
        paired=paired, **{part.name: getattr(values, part.name) for part in fields(values)}
    )


def _notes(groups: tuple[GroupAudit, ...], label: str | None) -> list[str]:
    few = sum(1 for group in groups if group.observed_mde is not None and group.above < 20)
    notes = []
    if few and label is not None:
        notes.append(
            f"In {few} of {count(len(groups), 'group')} the observed detectable difference stands "
            "on fewer than 20 comparisons, where a single insignificant one moves it."
        )
    none = sum(1 for group in groups if group.observed_mde is None)
    if none and label is not None:
        notes.append(
            f"In {none} of {count(len(groups), 'group')} not even the largest difference was "
            "significant: there the observed detectable difference is “none”."
        )
    return notes
