"""What a metric difference meant to people: curves from past campaigns, and what they say of one."""

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

from detectable.core.errors import InputError
from detectable.core.interval import Interval
from detectable.core.result import Result, Signature

WORTH = 0.8  # agreement from which on a difference is worth having
FEWEST_SEGMENTS = (
    250  # of a test set; on fewer, a difference is noisier than those of the archive
)
LABELS = {"bleu": "BLEU", "chrf": "chrF", "ter": "TER"}
_TABLE = os.path.join(os.path.dirname(__file__), "meaning.tsv")
_ABOUT = {
    "ShipData": ("ShipData, Kocmi et al. 2021, CC BY-SA 4.0", "CC BY-SA 4.0"),
    "WMT21": ("WMT21 news, direct assessment", ""),
}
_MIDDLE = 1.2815515655446004  # four of five lie so many standard deviations around the mean


@dataclass(frozen=True, slots=True, kw_only=True)
class SlopeSpread:
    """How the slope of the logit varies between language pairs, beside that of the curve."""

    mean: float
    sd: float
    n: int  # language pairs behind it


@dataclass(frozen=True, slots=True, kw_only=True)
class CurvePoint:
    """The interval of the agreement at one size of difference, and the agreement without noise."""

    difference: float
    low: float
    high: float
    noise_free: float = math.nan


@dataclass(frozen=True, slots=True, kw_only=True)
class Elsewhere:
    """What another archive says of the same difference."""

    archive: str
    agreement: float
    interval: Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class Meaning(Result):
    """How often people agreed with a metric difference of one size.

    Attributes
    ----------
    metric : str
        As it is written: BLEU.
    difference : float
        With its sign; what counts is its size.
    agreement : float
        The share of past pairs of systems in which the human means differed as the metric did.
    interval : Interval
        Of the agreement, by resampling whole campaigns.
    noise_free : float
        The agreement if human evaluations had no noise; nan where that is not known.
    language_pairs : (float, float)
        Between which the agreement lies for four of five language pairs; nan where not known.
    elsewhere : tuple of Elsewhere
        The same by other archives.
    archive : str
        Where the curve is from, with its licence.
    limit : float
        The largest difference that the archive says anything about.
    """

    metric: str
    difference: float
    agreement: float
    interval: Interval
    noise_free: float
    language_pairs: tuple[float, float]
    elsewhere: tuple[Elsewhere, ...]
    archive: str
    n_pairs: int
    n_campaigns: int
    limit: float
    notes: tuple[str, ...] = ()

    @property
    def worth(self) -> bool:
        """Whether people agreed often enough for a difference of this size to matter."""
        return self.agreement >= WORTH


@dataclass(frozen=True, slots=True, kw_only=True)
class MeaningCurve(Result):
    """How often people agreed with a metric difference, by its size.

    Attributes
    ----------
    metric : str
        As it is written: BLEU, or the name of a column.
    name, archive : str
        The archive in a word, and where it is from.
    licence : str
        Of the archive, where it asks for one.
    n_pairs, n_campaigns : int
        Pairs of systems behind it, up to the limit.
    accuracy : float
        The share of these in which people agreed.
    limit : float
        The 95 % quantile of the differences; above it nothing is said.
    knots, agreement_at_knots : tuple of float
        The curve: its logit is 0 at 0, and straight between knots.
    points : tuple of CurvePoint
        Intervals, straight between them and from one half at 0.
    language_pairs : SlopeSpread or None
        Where language pairs are known and have campaigns enough.
    elsewhere : tuple of OtherCurve
        Curves of other archives.
    """

    metric: str
    name: str
    archive: str
    licence: str = ""
    n_pairs: int
    n_campaigns: int
    accuracy: float
    limit: float
    knots: tuple[float, ...]
    agreement_at_knots: tuple[float, ...]
    points: tuple[CurvePoint, ...]
    language_pairs: SlopeSpread | None = None
    elsewhere: tuple["OtherCurve", ...] = ()
    notes: tuple[str, ...] = ()

    def agreement(self, size: float) -> float:
        """Return the share of agreement with a difference of some size."""
        return _expit(_logit_at(size, self.knots, self.agreement_at_knots))

    def at(self, difference: float) -> Meaning:
        """Return what a difference of some size meant to people; above the limit it is refused.

        Examples
        --------
        >>> round(shipped_curve("bleu").at(1.0).agreement, 3)
        0.694
        """
        size = abs(_finite(difference))
        if size > self.limit * (1.0 + 1e-9):
            raise InputError(unknown_beyond(self.metric, difference, self.limit))
        share = self.agreement(size)
        free = [point.noise_free for point in self.points]
        noise_free = math.nan
        if free and not any(math.isnan(one) for one in free):
            sizes = tuple(point.difference for point in self.points)
            noise_free = max(share, _expit(_logit_at(size, sizes, tuple(free))))
        return Meaning(
            metric=self.metric,
            difference=float(difference),
            agreement=share,
            interval=_interval(size, self.points),
            noise_free=noise_free,
            language_pairs=self._between_language_pairs(share),
            elsewhere=tuple(other.at(size) for other in self.elsewhere),
            archive=self.archive,
            n_pairs=self.n_pairs,
            n_campaigns=self.n_campaigns,
            limit=self.limit,
            notes=self.notes,
            signature=Signature("meaning", {"metric": self.metric, "archive": self.archive}),
        )

    def _between_language_pairs(self, share: float) -> tuple[float, float]:
        if self.language_pairs is None:
            return math.nan, math.nan
        logit, spread = _logit(share), self.language_pairs
        low, high = (spread.mean + z * spread.sd for z in (-_MIDDLE, _MIDDLE))
        return _expit(low * logit), _expit(high * logit)


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherCurve:
    """The curve of another archive, shown beside."""

    archive: str
    n_pairs: int
    n_campaigns: int
    knots: tuple[float, ...]
    agreement_at_knots: tuple[float, ...]
    points: tuple[CurvePoint, ...]

    def agreement(self, size: float) -> float:
        """Return the share of agreement with a difference of some size."""
        return _expit(_logit_at(size, self.knots, self.agreement_at_knots))

    def at(self, size: float) -> Elsewhere:
        """Return what it says of a difference."""
        return Elsewhere(
            archive=self.archive,
            agreement=self.agreement(size),
            interval=_interval(size, self.points),
        )


def meaning(metric: str, difference: float) -> Meaning:
    """Say how often people agreed with a metric difference of this size in past campaigns.

    From 3,800 pairs of systems in 1,687 campaigns (ShipData [1]_, CC BY-SA 4.0), for BLEU, chrF and
    TER as sacreBLEU computes them by default; other metrics have other scales and are refused. For
    those, `fit_meaning` takes an archive of your own.

    Parameters
    ----------
    metric : {'bleu', 'chrf', 'ter'}
    difference : float
        In points of the metric; its sign does not count.

    References
    ----------
    .. [1] Kocmi et al. (2021), "To ship or not to ship: an extensive evaluation of automatic metrics
       for machine translation", WMT.

    Examples
    --------
    >>> found = meaning("bleu", 1.0)
    >>> round(found.agreement, 3), round(found.interval.low, 2), found.n_pairs
    (0.694, 0.66, 3800)
    """
    _finite(difference)
    if metric.lower() not in LABELS:
        raise InputError(not_shipped(metric, difference))
    return curve_of(metric).at(difference)


def curve_of(metric: str) -> MeaningCurve:
    """Return the shipped curve of a metric, whatever its letters' case."""
    if metric.lower() not in LABELS:
        known = ", ".join(LABELS.values())
        raise InputError(
            f"What differences in {metric} mean to people is not in the shipped table, which has "
            f"{known}. Fit your own archive: detectable meaning --archive FILE --metric NAME."
        )
    return shipped_curve(metric.lower())


def _finite(difference: float) -> float:
    if not math.isfinite(float(difference)):
        raise InputError(f"`difference` must be a finite number; got {difference!r}.")
    return float(difference)


def not_shipped(metric: str, difference: float) -> str:
    """Say that the shipped table has no such metric, and what to do."""
    return (
        f"What {difference:+.1f} {metric} means to people is not in the shipped table. Fit your own "
        "archive: detectable meaning --archive FILE --metric NAME."
    )


def unknown_beyond(metric: str, difference: float, limit: float) -> str:
    """Say that the archive has too few differences of such a size."""
    return (
        f"What {difference:+.1f} {metric} means to people is not known: the archive has too few "
        f"differences above {limit:.1f}."
    )


@cache
def shipped_curve(metric: str) -> MeaningCurve:
    """Return the shipped curve of BLEU, chrF or TER, with that of WMT21 beside it."""
    with open(_TABLE, encoding="utf-8") as file:
        rows = [line.split() for line in file if not line.startswith("#")]
    rows = [row[1:] for row in rows if row and row[0] == metric]
    found = {archive: _read(rows, archive) for archive in dict.fromkeys(row[0] for row in rows)}
    own = found.pop("ShipData")
    (accuracy, limit), (mean, sd, n) = own.more
    return MeaningCurve(
        metric=LABELS[metric],
        name="ShipData",
        archive=_ABOUT["ShipData"][0],
        licence=_ABOUT["ShipData"][1],
        n_pairs=own.n_pairs,
        n_campaigns=own.n_campaigns,
        accuracy=accuracy,
        limit=limit,
        knots=own.knots,
        agreement_at_knots=own.agreement,
        points=own.points,
        language_pairs=SlopeSpread(mean=mean, sd=sd, n=int(n)),
        elsewhere=tuple(
            OtherCurve(
                archive=archive,
                n_pairs=other.n_pairs,
                n_campaigns=other.n_campaigns,
                knots=other.knots,
                agreement_at_knots=other.agreement,
                points=other.points,
            )
            for archive, other in found.items()
        ),
        signature=Signature("meaning-curve", {"metric": LABELS[metric], "archive": "ShipData"}),
    )


class _Rows(NamedTuple):
    n_pairs: int
    n_campaigns: int
    knots: tuple[float, ...]
    agreement: tuple[float, ...]
    points: tuple[CurvePoint, ...]
    more: tuple[tuple[float, ...], ...]


def _read(rows: list[list[str]], archive: str) -> _Rows:
    """Read the lines of one metric and archive."""
    own = [(row[1], *map(float, row[2:])) for row in rows if row[0] == archive]

    def of(what: str) -> list[tuple[float, ...]]:
        return [tuple(row[1:]) for row in own if row[0] == what]  # type: ignore[arg-type]

    ((n_pairs, n_campaigns, *more),) = of("size")
    return _Rows(
        n_pairs=int(n_pairs),
        n_campaigns=int(n_campaigns),
        knots=tuple(row[0] for row in of("knot")),
        agreement=tuple(row[1] for row in of("knot")),
        points=tuple(
            CurvePoint(difference=x, low=low, high=high, noise_free=next(iter(free), math.nan))
            for x, low, high, *free in of("point")
        ),
        more=(tuple(more), *of("slope")),
    )


# --- The pairs of a comparison ---

# What a sacreBLEU signature must say for the shipped curve to apply.
_SIGNED = {
    "bleu": ("nrefs:1", "case:mixed", "eff:no", "smooth:exp"),
    "chrf": ("nrefs:1", "case:mixed", "eff:yes", "nc:6", "nw:0", "space:no"),
    "ter": ("nrefs:1", "case:lc", "tok:tercom", "norm:no", "punct:yes", "asian:no"),
}
_TOKENISED = ("tok:13a", "tok:zh", "tok:ja-mecab", "tok:ko-mecab")
LEARNED = (
    "comet",
    "bleurt",
    "bertscore",
    "metricx",
    "chrf",
    "bleu",
)  # what names of scores say


@dataclass(frozen=True, slots=True, kw_only=True)
class PairMeaning:
    """What the difference of one pair of a comparison meant to people.

    Attributes
    ----------
    meaning : Meaning or None
    reason : str
        Why there is none: the ``metric`` (or its settings) is not in the table, too few
        ``segments``, a difference beyond the ``limit``, or a claim about a ``margin``.
    """

    metric: str
    system: str
    baseline: str
    meaning: Meaning | None
    reason: str = ""
    limit: float = math.nan  # of the curve, where there is one


def meaning_of_pair(
    about: Mapping[str, Any],
    difference: float,
    *,
    n_segments: int,
    within_margin: bool,
    curve: MeaningCurve | None = None,
) -> tuple[Meaning | None, str, float]:
    """Return what a difference meant, or None and why not, and the limit of the curve.

    Parameters
    ----------
    about : mapping
        What a comparison says of the metric: its name, label and settings.
    within_margin : bool
        Whether the verdict or the claim is about a margin: the user's own word on what matters.
    curve : MeaningCurve, optional
        Of an archive of the user's own, in place of the shipped ones.
    """
    if curve is None:
        curve = _shipped_for(about)
    elif curve.metric.casefold() not in (str(about["metric"]).casefold(), _label(about)):
        curve = None
    if curve is None:
        return None, "metric", math.nan
    if within_margin:
        return None, "margin", curve.limit
    if n_segments < FEWEST_SEGMENTS:
        return None, "segments", curve.limit
    if not math.isfinite(difference) or abs(difference) > curve.limit:
        return None, "limit", curve.limit
    return curve.at(difference), "", curve.limit


def _label(about: Mapping[str, Any]) -> str:
    return str(about.get("label", "")).casefold()


def _shipped_for(about: Mapping[str, Any]) -> MeaningCurve | None:
    """Return the shipped curve of a metric whose signature is that of the table."""
    name = str(about["metric"])
    signed = str(about.get("sacrebleu", "")).split("|")
    if name not in _SIGNED or not set(_SIGNED[name]) <= set(signed):
        return None
    if name == "bleu" and not set(_TOKENISED) & set(signed):
        return None
    return shipped_curve(name)


def is_learned(name: str) -> bool:
    """Say whether scores go by the name of a metric of translations."""
    return any(word in name.casefold() for word in LEARNED)


# --- Between the knots ---


def _logit(share: float) -> float:
    return math.log(share / (1.0 - share))


def _expit(logit: float) -> float:
    return 1.0 / (1.0 + math.exp(-logit))


def _logit_at(size: float, knots: tuple[float, ...], shares: tuple[float, ...]) -> float:
    return _between(size, (0.0, *knots), (0.0, *(_logit(share) for share in shares)))


def _interval(size: float, points: tuple[CurvePoint, ...]) -> Interval:
    sizes = (0.0, *(point.difference for point in points))
    low, high = (
        _between(size, sizes, (0.5, *(getattr(point, end) for point in points)))
        for end in ("low", "high")
    )
    return Interval(low, high, 0.95)


def _between(x: float, places: tuple[float, ...], values: tuple[float, ...]) -> float:
    """Return the value at x on straight lines; beyond the last place its value."""
    for k in range(1, len(places)):
        if x <= places[k]:
            share = (x - places[k - 1]) / (places[k] - places[k - 1])
            return values[k - 1] + share * (values[k] - values[k - 1])
    return values[-1]
