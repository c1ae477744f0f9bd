"""The state of a plan: what its ledger says of every pair, and what is allowed next."""

import datetime
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

from detectable.core.choices import UnitName
from detectable.core.errors import DataError
from detectable.core.interval import Interval
from detectable.core.result import ADDED
from detectable.core.verdict import Verdict
from detectable.core.wording import number
from detectable.data.files.ledger_file import read_entries
from detectable.inference.margin_score import MarginKind
from detectable.inference.shares import PairedShares
from detectable.sequential.look_statistic import LookStatistic
from detectable.study.monitoring.frozen_plan import Plan

Written: TypeAlias = Literal[  # a decision, as ledgers and results have it
    "stop: better",
    "stop: worse",
    "stop: equivalent",
    "stop: non-inferior",
    "stop: inferior",
    "stop: superior",
    "stop: futile",
    "stop: undecided",
    "stop",
    "continue",
]


class Decision(NamedTuple):
    """What a look decided of a pair, or of all.

    Attributes
    ----------
    ends : bool
        Whether nothing is left to be judged for: “futile” is advice, and ends nothing by itself.
    verdict : str
        What it says about the systems.
    """

    ends: bool
    verdict: Verdict


_DECISIONS = {
    "stop": Decision(True, "undecided"),
    **{f"stop: {verdict}": Decision(True, verdict) for verdict in get_args(Verdict)},
}


def decision_of(written: str) -> Decision:
    """Return a decision from how it is written.

    Examples
    --------
    >>> decision_of("stop: better"), decision_of("stop: futile").ends
    (Decision(ends=True, verdict='better'), False)
    """
    return _DECISIONS.get(written, Decision(False, "undecided"))


@dataclass(frozen=True, slots=True, kw_only=True)
class PairLook:
    """One pair of systems at one look. It has no p-value: that comes with the conclusion.

    Attributes
    ----------
    estimate, standard_error, scale
        The difference system − baseline so far. After an early stop it is too large on average.
    interval : Interval or None
        Repeated confidence interval: valid at all looks together, for any reason to stop. For
        anytime-valid tests a confidence sequence; None while there is none.
    z, z_bound, futility_bound : float or None
        The statistic, the boundary it must reach, and the one below which it is given up; the
        sum of the differences and its bound for the exact test. None for anytime-valid tests.
    z_margin : float or None
        The one-sided boundary of the tests against the margin, if the plan has one.
    sided : {1, 2}
        Sides of the test; the interval of a one-sided one has no upper end.
    e_value, e_needed : float or None
        Of anytime-valid tests: the largest so far, and what decides.
    level, alpha_spent
        The share of the error rate that this pair may use, and what of it is spent.
    exact_p : float or None
        Of the exact test: its p-value over all looks if this is the last one. The conclusion
        prints it; before that it means nothing.
    shares : PairedShares or None
        Of a margin on scores of two values: the items that differ, behind the score tests.
    kind : str or None
        Of a margin: what the score rule took the scores for. The first look decides for all.
    margin_interval : Interval or None
        Of a margin: that of its tests at this look, at 1 − 2α for all pairs together.
    tested : bool
        False if the pair was only ended, without new data, by a last look.
    """

    system: str
    baseline: str
    decision: Written
    n_units: int
    n_clusters: int | None
    judgments: int
    information: float | None
    estimate: float
    standard_error: float
    df: float | None
    scale: str
    interval: Interval | None
    z: float | None = None
    z_bound: float | None = None
    futility_bound: float | None = None
    e_value: float | None = None
    e_needed: float | None = None
    level: float
    alpha_spent: float | None = None
    exact_p: float | None = None
    z_margin: float | None = None
    sided: int = 2
    shares: PairedShares | None = None
    kind: MarginKind | None = field(default=None, metadata=ADDED)
    margin_interval: Interval | None = field(default=None, metadata=ADDED)
    tested: bool = True

    @property
    def pair(self) -> tuple[str, str]:
        """The two systems."""
        return self.system, self.baseline

    @property
    def verdict(self) -> Verdict:
        """What the decision says about the systems; a pair that goes on is undecided."""
        return decision_of(self.decision).verdict

    def statistic(self) -> LookStatistic:
        """Return what was tested, to make intervals of other levels from it."""
        return LookStatistic(
            z=float(self.z or 0.0),
            estimate=self.estimate,
            standard_error=self.standard_error,
            df=math.inf if self.df is None else self.df,
            n_units=self.n_units,
            n_clusters=self.n_clusters,
            scale=self.scale,
            shares=self.shares,
        )

    def to_json(self) -> dict[str, Any]:
        """Return all fields; those of margins only where they are known."""
        known = {part.name: getattr(self, part.name) for part in fields(self)}
        of_margins = ("shares", "kind", "margin_interval")
        return {key: value for key, value in known.items() if key not in of_margins or value}

    @classmethod
    def from_entry(
        cls, entry: Mapping[str, Any], *, margin_level: float = math.nan
    ) -> "PairLook":
        """Return what the ledger holds; the level of intervals of a margin is that of the plan."""
        known = {part.name for part in fields(cls)}
        values = {key: value for key, value in entry.items() if key in known}
        if values["standard_error"] is None:
            values["standard_error"] = math.inf
        if "shares" in values:
            counts = values["shares"]
            endless = math.inf if counts["df"] is None else counts["df"]
            values["shares"] = PairedShares(**{**counts, "df": endless})
        if values["interval"] is not None:
            values["interval"] = _read(values["interval"], 1.0 - float(values["level"]))
        if values.get("margin_interval") is not None:
            values["margin_interval"] = _read(values["margin_interval"], margin_level)
        return cls(**values)


def _read(ends: Sequence[float | None], level: float) -> Interval:
    """Return an interval of the ledger, where an end without a number is none at all."""
    low, high = (
        side if value is None else value
        for value, side in zip(ends, (-math.inf, math.inf), strict=True)
    )
    return Interval(low, high, level)


def digits_of(scale: str) -> int:
    """Return the number of decimals that make sense for estimates on a scale."""
    return 2 if scale == "mean difference" else 3


def evidence_of(pair: PairLook) -> str:
    """Say how far a pair is, and how far it had to be."""
    if pair.e_value is not None and pair.e_needed is not None:
        return f"E = {pair.e_value:.3g}, {pair.e_needed:.3g} needed"
    z = number(pair.z, digits=3, sign=True)
    if pair.z_bound is None or math.isinf(pair.z_bound):
        return f"z = {z}, no boundary can be reached at this look"
    return f"z = {z}, boundary {'±' if pair.sided == 2 else '+'}{pair.z_bound:.3f}"


# --- When looks were: their order is that of the ledger, whatever clocks say ---


def said_time(time: str) -> str:
    """Return a time as people write it; one that cannot be read stays as it is.

    Examples
    --------
    >>> said_time("2026-11-16T16:10:27+00:00")
    '2026-11-16 16:10 UTC'
    """
    try:
        read = datetime.datetime.fromisoformat(time)
    except ValueError:
        return time
    zone = " UTC" if read.utcoffset() == datetime.timedelta(0) else ""
    return f"{read:%Y-%m-%d %H:%M}{zone}"


def is_earlier(one: str, other: str) -> bool:
    """Say whether a time lies before another; without a zone it is UTC, and unreadable ones do not."""
    try:
        first, second = map(datetime.datetime.fromisoformat, (one, other))
    except ValueError:
        return False
    utc = datetime.UTC
    return (first if first.tzinfo else first.replace(tzinfo=utc)) < (
        second if second.tzinfo else second.replace(tzinfo=utc)
    )


def clock_notes(times: Sequence[str]) -> tuple[str, ...]:
    """Say of each look, oldest first, whether it is dated before one that came earlier.

    Examples
    --------
    >>> clock_notes(["2026-01-02T10:00:00+00:00", "2026-01-03T10:00:00+00:00"])
    ()
    """
    found, latest = [], 0
    for place, time in enumerate(times):
        if is_earlier(time, times[latest]):
            found.append(
                f"Look {place + 1} is dated {said_time(time)}, before look {latest + 1} "
                f"({said_time(times[latest])}): a clock was set back. The looks count in the order "
                "of the ledger."
            )
        else:
            latest = place
    return tuple(found)


def margin_level(plan: Plan) -> float:
    """Return the level of intervals of a margin: both one-sided tests together, for all pairs."""
    return 1.0 - 2.0 * plan.alpha / len(plan.pairs)


# --- The state of a plan: what its ledger says has happened, and what is allowed next ---

Pair = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerState:
    """All looks so far, by pair."""

    plan: Plan
    entries: tuple[Mapping[str, Any], ...]  # looks only
    lines: tuple[Mapping[str, Any], ...]  # all, with what was admitted
    history: Mapping[Pair, tuple[PairLook, ...]]

    @classmethod
    def read(cls, plan: Plan) -> "LedgerState":
        """Read the ledger of a plan, refusing one that belongs to another plan."""
        lines = read_entries(plan.ledger_path)
        if not lines and plan.has_ledger:
            raise DataError(
                f"{plan.path}: its ledger {plan.ledger_path} is not here, and with it the looks so "
                "far. If this is a copy, use the plan where it was made, or move the plan with its "
                "ledger and lock; if the ledger is lost, make a new plan, for new judgments."
            )
        for line_number, entry in enumerate(lines, start=1):
            if entry.get("plan") != plan.fingerprint:
                raise DataError(
                    f"{plan.ledger_path}, line {line_number}: this entry belongs to another plan than "
                    f"{plan.path}. Put back the plan that the ledger was begun with."
                )
        # Lines of format 1 are looks, and say nothing of it.
        entries = [line for line in lines if line.get("event", "look") == "look"]
        history: dict[Pair, tuple[PairLook, ...]] = dict.fromkeys(plan.pairs, ())
        for entry in entries:
            for row in entry["pairs"]:
                look = PairLook.from_entry(row, margin_level=margin_level(plan))
                history[look.pair] = (*history[look.pair], look)
        return cls(plan=plan, entries=tuple(entries), lines=tuple(lines), history=history)

    @property
    def n_looks(self) -> int:
        """How often the data were looked at."""
        return len(self.entries)

    @property
    def unit(self) -> UnitName | None:
        """What the first look found to be independent; it stays for the others."""
        return self.entries[0]["unit"] if self.entries else None

    def open_pairs(self, *, overrule_futility: bool = False) -> list[Pair]:
        """Return the pairs that may still be looked at."""
        return [
            pair
            for pair, looks in self.history.items()
            if not looks
            or looks[-1].decision == "continue"
            or (overrule_futility and looks[-1].decision == "stop: futile")
        ]

    def n_rejected(self) -> int:
        """Return how many pairs are decided, either way."""
        return sum(
            bool(looks) and looks[-1].decision in ("stop: better", "stop: worse")
            for looks in self.history.values()
        )

    def finished(self) -> bool:
        """Say whether a last look was declared or the planned end was reached."""
        return bool(self.entries) and bool(self.entries[-1]["final"])

    def require_open(self, *, overrule_futility: bool) -> list[Pair]:
        """Return the open pairs, or say why nothing may be looked at and what may be done."""
        found = self.open_pairs(overrule_futility=overrule_futility)
        if found and not self.finished():
            return found
        last = f"look {self.n_looks} ended with “{self.entries[-1]['decision']}”"
        if not self.finished() and self.open_pairs(overrule_futility=True):
            raise DataError(
                f"{self.plan.ledger_path}: {last}: a decision became unlikely. Conclude, or go on "
                "against that advice with --overrule-futility (overrule_futility=True); the ledger "
                "keeps note of it, and the error rate holds."
            )
        raise DataError(
            f"{self.plan.ledger_path}: {last}, so there is nothing left to look at. Conclude "
            "(`detectable conclude`); judgments that came later go in there."
        )

    def margin_kind(self, pair: Pair) -> MarginKind | None:
        """Return what the first look at a pair took its scores for, where it wrote that down."""
        looks = self.tested(pair)
        return looks[0].kind if looks else None

    def tested(self, pair: Pair) -> tuple[PairLook, ...]:
        """Return the looks at a pair that compared it with a boundary."""
        return tuple(look for look in self.history[pair] if look.tested)

    def looks_at(self, pair: Pair) -> list[int]:
        """Return the numbers of the looks that compared a pair with a boundary."""
        return [
            number
            for number, entry in enumerate(self.entries, start=1)
            for row in entry["pairs"]
            if (row["system"], row["baseline"]) == pair and row["tested"]
        ]
