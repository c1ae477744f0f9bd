"""From past campaigns to a curve: how often people agreed with a metric difference of some size."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from detectable.core import check
from detectable.core.errors import DataError, InputError
from detectable.core.result import Signature
from detectable.core.rng import blocks, resolve
from detectable.core.types import FloatArray, IntArray, Seed
from detectable.core.wording import count, listing
from detectable.data.factor import Factor, factor
from detectable.data.files.numbers import number_column
from detectable.data.files.place import Problems
from detectable.data.files.table import Table, TableSource, check_roles, find_column, read_table
from detectable.study.archive.meaning import LABELS, CurvePoint, MeaningCurve, SlopeSpread

PARTS = 7  # pieces of a curve
RIDGE = 1e-3
BEYOND = 0.95  # quantile of differences above which nothing is fitted or answered
FEWEST_CAMPAIGNS, FEWEST_PAIRS = 50, 100
_ENOUGH_CAMPAIGNS = 100  # below, the interval is short at its upper end
_BINS = 240  # of differences, for resampling
_ZETA = (0.5, 1.0, 1.5, 2.0)  # noise added, in units of what is there
_ROUNDS = 20  # of added noise
_MANY_CAMPAIGNS = 15  # of a language pair whose own slope says something
ROLES = ("campaign", "system", "human", "human_se", "language_pair")
_GRID = 12  # sizes at which the interval is kept


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchivePairs:
    """Pairs of systems of past campaigns that neither people nor the metric call equal.

    Attributes
    ----------
    size : array
        Of the metric difference.
    human : array
        The human difference, positive where people agree with the metric.
    variance : array or None
        Of the human difference, where it is known.
    campaign : array of int
    language_pair : array of int or None
    limit : float
        The 95 % quantile of all sizes; larger ones are left out.
    """

    size: FloatArray
    human: FloatArray
    variance: FloatArray | None
    campaign: IntArray
    language_pair: IntArray | None
    limit: float

    @classmethod
    def of(
        cls,
        difference: FloatArray,
        human: FloatArray,
        campaign: IntArray,
        *,
        variance: FloatArray | None = None,
        language_pair: IntArray | None = None,
        limit: float | None = None,
    ) -> "ArchivePairs":
        """Return the pairs up to the limit, with ties left out and the metric's sign taken off."""
        kept = (difference != 0.0) & (human != 0.0) & np.isfinite(difference)
        size = np.abs(difference)
        end = float(np.quantile(size[kept], BEYOND)) if limit is None else limit
        kept &= size <= end
        return cls(
            size=size[kept],
            human=(human * np.sign(difference))[kept],
            variance=None if variance is None else variance[kept],
            campaign=np.unique(campaign[kept], return_inverse=True)[1],
            language_pair=None if language_pair is None else language_pair[kept],
            limit=end,
        )

    @property
    def agrees(self) -> FloatArray:
        """Whether people agreed, as 0 and 1."""
        return (self.human > 0.0).astype(np.float64)

    @property
    def n_campaigns(self) -> int:
        """How many campaigns have pairs."""
        return int(self.campaign.max()) + 1


# --- The curve ---


@dataclass(frozen=True, slots=True)
class Fitted:
    r"""A curve through one half at zero that never falls.

    .. math:: logit\,P(y = 1 | x) = \sum_j b_j\,clip((x - k_{j-1})/(k_j - k_{j-1}), 0, 1),
       \qquad b_j \ge 0, \quad k_0 = 0.
    """

    knots: FloatArray
    steps: FloatArray

    def logit(self, size: FloatArray) -> FloatArray:
        """Return the log odds of agreement."""
        found: FloatArray = _basis(np.asarray(size, np.float64), self.knots) @ self.steps
        return found

    def at(self, size: FloatArray) -> FloatArray:
        """Return the share of agreement."""
        return np.asarray(1.0 / (1.0 + np.exp(-self.logit(size))), np.float64)


def _basis(size: FloatArray, knots: FloatArray) -> FloatArray:
    low = np.append(0.0, knots[:-1])
    found: FloatArray = np.clip((size[..., None] - low) / (knots - low), 0.0, 1.0)
    return found


def knots_of(size: FloatArray, parts: int = PARTS) -> FloatArray:
    """Return the quantiles that cut sizes into parts; equal ones count once."""
    return np.unique(np.quantile(size, np.arange(1, parts + 1) / parts))


def fit_curve(
    size: FloatArray,
    agrees: FloatArray,
    *,
    weight: FloatArray | None = None,
    knots: FloatArray | None = None,
    parts: int = PARTS,
) -> Fitted:
    """Fit by a penalised likelihood; `agrees` may lie between 0 and 1.

    Examples
    --------
    >>> fit = fit_curve(np.array([1.0, 1.0, 2.0, 2.0]), np.array([1.0, 0.0, 1.0, 1.0]), parts=1)
    >>> float(fit.at(np.array([0.0]))[0])
    0.5
    """
    from scipy.optimize import minimize

    knots = knots_of(size, parts) if knots is None else knots
    basis = _basis(size, knots)
    weights = np.ones(len(size)) if weight is None else weight

    def minus(steps: FloatArray) -> tuple[float, FloatArray]:
        logit = basis @ steps
        value = float(weights @ (np.logaddexp(0.0, logit) - agrees * logit))
        pull = weights * (1.0 / (1.0 + np.exp(-logit)) - agrees)
        return value + RIDGE * float(steps @ steps), basis.T @ pull + 2.0 * RIDGE * steps

    start = np.full(knots.size, 0.5)
    ends = [(0.0, None)] * knots.size
    found = minimize(minus, start, jac=True, method="L-BFGS-B", bounds=ends)
    return Fitted(knots, np.asarray(found.x, np.float64))


def resampled(
    pairs: ArchivePairs,
    grid: FloatArray,
    rng: np.random.Generator,
    *,
    n_resamples: int,
    parts: int = PARTS,
    by: IntArray | None = None,
) -> FloatArray:
    """Return the curves, (resamples, grid), of whole campaigns drawn again, knots taken anew.

    Sizes are put into bins first, and a bin counts as its mean size: agreement moves by .001 or
    less. Drawing pairs instead of campaigns would make the interval too short.
    """
    unit = pairs.campaign if by is None else by
    n_units = int(unit.max()) + 1
    edges = np.quantile(pairs.size, np.arange(1, _BINS) / _BINS)
    place = np.searchsorted(edges, pairs.size)
    bins, of_bin = np.unique(place, return_inverse=True)
    centre = np.bincount(of_bin, pairs.size) / np.bincount(of_bin)
    agrees = pairs.agrees
    found, done = np.empty((n_resamples, grid.size)), 0
    for block in blocks(n_resamples, rng):
        for _ in range(block.rows):
            drawn = np.bincount(block.rng.integers(0, n_units, n_units), minlength=n_units)
            weight = np.asarray(drawn[unit], np.float64)
            total = np.bincount(of_bin, weight, minlength=bins.size)
            share = np.bincount(of_bin, weight * agrees, minlength=bins.size)
            seen = total > 0.0
            fit = fit_curve(
                centre[seen],
                share[seen] / total[seen],
                weight=np.asarray(total[seen], np.float64),
                knots=_weighted_knots(pairs.size, weight, parts),
            )
            found[done] = fit.at(grid)
            done += 1
    return found


def _weighted_knots(size: FloatArray, weight: FloatArray, parts: int) -> FloatArray:
    """Return the quantiles of sizes that count several times, as numpy interpolates them."""
    order = np.argsort(size, kind="stable")
    ends = np.cumsum(weight[order])
    at = np.arange(1, parts + 1) / parts * (ends[-1] - 1.0)
    low = size[order][np.searchsorted(ends, np.floor(at), side="right")]
    high = size[order][
        np.searchsorted(ends, np.minimum(np.floor(at) + 1.0, ends[-1] - 1.0), side="right")
    ]
    found: FloatArray = np.unique(low + (at - np.floor(at)) * (high - low))
    return found


# --- Without the noise of people ---


def noise_free(
    pairs: ArchivePairs, grid: FloatArray, rng: np.random.Generator, *, rounds: int = _ROUNDS
) -> FloatArray:
    r"""Return the agreement with a human evaluation without noise, by SIMEX [1]_.

    Noise of :math:`\zeta` times the variance of every human difference is added, for
    :math:`\zeta` = 0, ½, 1, 1½ and 2; the logit of the curve, a parabola in :math:`\zeta`, is
    followed back to −1. On known truth it takes back a third to all of what noise cost; it is
    never below what was observed.

    References
    ----------
    .. [1] Cook and Stefanski (1994), "Simulation-extrapolation estimation in parametric
       measurement error models", JASA 89(428), 1314-1328.
    """
    plain = fit_curve(pairs.size, pairs.agrees)
    return np.maximum(extrapolated(pairs, plain, grid, rng, rounds=rounds), plain.at(grid))


def extrapolated(
    pairs: ArchivePairs,
    plain: Fitted,
    grid: FloatArray,
    rng: np.random.Generator,
    *,
    rounds: int,
) -> FloatArray:
    """Return the agreement at minus the noise there is, which may lie below what was observed."""
    if pairs.variance is None:
        raise InputError("`human_se` is needed for the agreement without noise.")
    knots = plain.knots
    logits = [plain.logit(grid)]
    for zeta in _ZETA:
        noise = np.sqrt(zeta * pairs.variance)
        total = np.zeros(knots.size)
        for _ in range(rounds):
            moved = pairs.human + rng.normal(size=pairs.human.size) * noise
            agrees = (moved > 0.0).astype(np.float64)
            total += fit_curve(pairs.size, agrees, knots=knots).steps
        logits.append(Fitted(knots, total / rounds).logit(grid))
    powers = np.vander(np.append(0.0, _ZETA), 3)
    back = np.array([1.0, -1.0, 1.0]) @ np.linalg.lstsq(powers, np.array(logits), rcond=None)[0]
    return np.asarray(1.0 / (1.0 + np.exp(-back)), np.float64)


# --- Between language pairs ---


def slope_spread(pairs: ArchivePairs, fit: Fitted) -> SlopeSpread | None:
    """Return how the slope of the logit varies between language pairs with 15 campaigns or more.

    A slope for each language pair, normal around their mean, times the logit of the common curve;
    maximum likelihood, integrated by Gauss and Hermite's rule with 40 points.
    """
    from scipy.optimize import minimize

    if pairs.language_pair is None:
        return None
    chosen = [
        np.flatnonzero(pairs.language_pair == code)
        for code in np.unique(pairs.language_pair)
        if np.unique(pairs.campaign[pairs.language_pair == code]).size >= _MANY_CAMPAIGNS
    ]
    if len(chosen) < 5:
        return None
    places, weights = np.polynomial.hermite_e.hermegauss(40)
    weights = weights / weights.sum()
    logit, agrees = fit.logit(pairs.size), pairs.agrees

    def minus(given: FloatArray) -> float:
        slopes = given[0] + np.exp(given[1]) * places
        total = 0.0
        for rows in chosen:
            eta = slopes[:, None] * logit[rows]
            log = (agrees[rows] * eta - np.logaddexp(0.0, eta)).sum(axis=1)
            top = log.max()
            total -= top + np.log(weights @ np.exp(log - top))
        return float(total)

    best = minimize(minus, np.array([1.0, -0.7]), method="Nelder-Mead").x
    return SlopeSpread(mean=float(best[0]), sd=float(np.exp(best[1])), n=len(chosen))


# --- An archive of one's own ---


def fit_meaning(
    archive: TableSource,
    *,
    metric: str,
    columns: Mapping[str, str] | None = None,
    lower_is_better: Sequence[str] = (),
    n_resamples: int = 1000,
    rng: Seed = None,
) -> MeaningCurve:
    """Fit how often people agreed with differences of a metric, to an archive of your own.

    The curve is that of `Fitted`, its interval from drawing whole campaigns again, with the knots
    taken anew. With `human_se`, the agreement without the noise of human evaluation is given beside
    (`noise_free`). In archives drawn from ShipData, the 95 % interval held the truth in .90 to .99
    from 100 campaigns on, and in .83 to .96 with 50.

    Parameters
    ----------
    archive : path, mapping of columns, or data frame
        One row per system of a campaign: `campaign`, `system`, `human` (its mean), a column with the
        metric, and where known `human_se` and `language_pair`. Pairs are made within campaigns.
    metric : str
        The column of the metric.
    columns : mapping of role to column, optional
        Which column is what, where names are unusual.
    lower_is_better : sequence of str
        The name of the metric, where it falls when systems improve, as TER does.
    n_resamples : int
    rng : Generator, int or None
    """
    n_resamples = check.repetitions(n_resamples, "n_resamples")
    generator, seed = resolve(rng)
    table = read_table(archive)
    for name in lower_is_better:
        if name != metric:
            raise InputError(f"`lower_is_better` names {name!r}, and the metric is {metric!r}.")
    falls = metric in lower_is_better
    pairs, notes = _pairs(table, metric, columns or {}, lower_is_better=falls)
    fit = fit_curve(pairs.size, pairs.agrees)
    grid = np.linspace(0.0, pairs.limit, _GRID + 1)[1:]
    drawn = resampled(pairs, grid, generator, n_resamples=n_resamples)
    low, high = np.quantile(drawn, [0.025, 0.975], axis=0)
    free = np.full(grid.size, np.nan)
    if pairs.variance is None:
        notes += (
            "The agreement without the noise of human evaluation needs human_se; it is left out.",
        )
    else:
        free = noise_free(pairs, grid, generator)
    if pairs.n_campaigns < _ENOUGH_CAMPAIGNS:
        notes += (
            f"With {pairs.n_campaigns} campaigns, the interval is too short at its upper end.",
        )
    facts: dict[str, str | int | float] = {
        "metric": metric,
        "campaigns": pairs.n_campaigns,
        "pairs": pairs.size.size,
        "R": n_resamples,
    }
    called = os.path.basename(table.path) or "your archive"
    return MeaningCurve(
        metric=LABELS.get(metric.lower(), metric),
        name=called,
        archive=called,
        n_pairs=int(pairs.size.size),
        n_campaigns=pairs.n_campaigns,
        accuracy=float(pairs.agrees.mean()),
        limit=pairs.limit,
        knots=tuple(fit.knots.tolist()),
        agreement_at_knots=tuple(fit.at(fit.knots).tolist()),
        points=tuple(
            CurvePoint(difference=x, low=a, high=b, noise_free=c)
            for x, a, b, c in zip(
                *(one.tolist() for one in (grid, low, high, free)), strict=True
            )
        ),
        language_pairs=slope_spread(pairs, fit),
        notes=notes,
        signature=Signature("meaning-curve", facts, seed),
    )


def _pairs(
    table: Table, metric: str, columns: Mapping[str, str], *, lower_is_better: bool
) -> tuple[ArchivePairs, tuple[str, ...]]:
    check_roles(columns, ROLES)
    found = {role: find_column(table, role, (role,), columns) for role in ROLES}
    campaigns_of = found["campaign"]
    if campaigns_of is None:
        raise DataError(
            "`archive` needs a column “campaign”: pairs are made within campaigns. Name it with "
            "--column campaign=NAME."
        )
    values = _numbers(table, metric, found)
    known = np.isfinite(values["metric"]) & np.isfinite(values["human"])
    campaign = factor("campaign", table.cells(campaigns_of))
    first, second = _within(campaign, known)
    if not first.size:
        raise _too_few(0, 0)
    language = found["language_pair"]
    of_row = None if language is None else factor("language", table.cells(language)).codes
    errors = values.get("human_se")
    variance = None if errors is None else errors[first] ** 2 + errors[second] ** 2
    if variance is not None and not np.isfinite(variance).all():
        variance = None
    sign = -1.0 if lower_is_better else 1.0
    difference = sign * (values["metric"][first] - values["metric"][second])
    human = values["human"][first] - values["human"][second]
    told = (difference != 0.0) & (human != 0.0)
    n, campaigns = int(told.sum()), np.unique(campaign.codes[first][told]).size
    if campaigns < FEWEST_CAMPAIGNS or n < FEWEST_PAIRS:
        raise _too_few(campaigns, n)
    pairs = ArchivePairs.of(
        difference,
        human,
        campaign.codes[first],
        variance=variance,
        language_pair=None if of_row is None else of_row[first],
    )
    share = float(pairs.agrees.mean())
    if share < 0.5:
        remedy = f"Is lower better? Say --lower-is-better {metric}."
        if lower_is_better:
            remedy = f"Is higher better? Drop --lower-is-better {metric}."
        raise DataError(
            f"`{metric}` disagrees with people in {1.0 - share:.0%} of pairs. {remedy}"
        )
    lost = int((~known).sum())
    return pairs, () if not lost else (f"{count(lost, 'row')} left out, without a number.",)


def _numbers(
    table: Table, metric: str, found: Mapping[str, str | None]
) -> dict[str, FloatArray]:
    """Return the numbers of metric and people, and their errors where they are known."""
    human, error = found["human"], found["human_se"]
    if human is None:
        raise DataError("`archive` needs a column “human”. Name it with --column human=NAME.")
    if metric not in table.columns:
        raise DataError(
            f"`archive` has no column {metric!r}. Name that of the metric with --metric NAME; "
            f"found {listing(list(table.columns), most=12)}."
        )
    problems = Problems(table.path)
    named = {"metric": metric, "human": human} | ({} if error is None else {"human_se": error})
    values = {role: number_column(table, name, problems) for role, name in named.items()}
    problems.stop()
    for role in ("metric", "human"):
        if np.unique(values[role][np.isfinite(values[role])]).size < 2:
            raise DataError(f"`{named[role]}` has one value in all rows.")
    return values


def _within(campaign: Factor, known: np.ndarray) -> tuple[IntArray, IntArray]:
    """Return the rows of all pairs of systems of one campaign."""
    first, second = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for code in range(campaign.n_levels):
        rows = np.flatnonzero((campaign.codes == code) & known)
        i, j = np.triu_indices(rows.size, 1)
        first.append(rows[i])
        second.append(rows[j])
    return np.concatenate(first), np.concatenate(second)


def _too_few(campaigns: int, pairs: int) -> DataError:
    return DataError(
        f"{count(campaigns, 'campaign')} with {count(pairs, 'pair')} are too few for a curve; "
        f"{FEWEST_CAMPAIGNS} and {FEWEST_PAIRS} are needed."
    )
