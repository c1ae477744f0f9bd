"""Which work counts: decided on control items only, before a look sees the work, once and for all.

A look must not see work of raters who click at random, and nobody may drop a rater after seeing
what that does to the result. So the plan fixes a rule; the work of a rater waits until it holds
enough degraded copies with their originals, passes or fails by them, and stays as decided.

Why the error rate holds: the rule sees scores of controls and no difference between systems. If
the systems are exchangeable, and a copy is as often one of either, a difference and its opposite
are admitted with the same chance, so admitted differences are symmetric about 0 at every look; and
what a look will see is known before it.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from detectable.core import check
from detectable.core.choices import AdmissionFew, AdmissionRule, CheckAgainst
from detectable.core.errors import DataError, InputError
from detectable.core.result import to_json
from detectable.core.types import FloatArray
from detectable.core.wording import count, listing
from detectable.data.human.judgments import Judgments
from detectable.study.monitoring.planned import PREFERENCES
from detectable.study.monitoring.seen_rows import RowHashes, deleted, first_seen, hash_rows
from detectable.study.raters.quality_control import change_beside, copy_codes, pair_up
from detectable.study.raters.rater_check import check_rater

Outcome: TypeAlias = Literal["admitted", "refused", "waiting"]
_OUTCOMES: tuple[Outcome, ...] = ("admitted", "refused", "waiting")
_MANY, _UNEVEN = 10, 1.5  # copies from which on, and times the fair share, they are uneven
_DEFAULTS: Mapping[str, Any] = {
    "alpha": 0.05,
    "pairs": 10,
    "few": "refuse",
    "against": "original",
}


def checked_admission(given: Any, test: str) -> dict[str, Any] | None:
    """Return the rule with all defaults written out, or say what is wrong with it."""
    if given is None:
        return None
    parts = {"rule": given} if isinstance(given, str) else dict(given)
    unknown = [name for name in parts if name not in ("rule", *_DEFAULTS)]
    if unknown or "rule" not in parts:
        raise InputError(
            "`admission` must be a rule, or hold rule, alpha, pairs, few, against; got "
            f"{listing(list(parts)) or 'nothing'}."
        )
    chosen = {
        **_DEFAULTS,
        **{name: value for name, value in parts.items() if value is not None},
    }
    rule: str = chosen["rule"]
    check.literal(rule, AdmissionRule, "admission")
    if test in PREFERENCES:
        raise InputError(
            f"`admission` needs scores of control items, which preferences have none of; got test "
            f"{test!r}."
        )
    if test == "sign-flip" and rule != "symmetric":
        raise InputError(
            "`admission` must be symmetric for the test sign-flip: it is exact only if swapping the "
            f"names of the systems changes nothing; got {rule!r}."
        )
    against = check.literal(chosen["against"], CheckAgainst, "admission against")
    made = {
        "rule": rule,
        "alpha": check.probability(chosen["alpha"], "admission alpha"),
        "pairs": check.positive_int(chosen["pairs"], "admission pairs", minimum=2),
        "few": check.literal(chosen["few"], AdmissionFew, "admission few"),
    }
    # Plans that were frozen before there was a choice say nothing, and mean the originals.
    return made if against == _DEFAULTS["against"] else {**made, "against": against}


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterAdmission:
    """The work of one rater since it was last decided."""

    rater: str
    outcome: Outcome
    n_pairs: int  # controls that speak
    n_judgments: int  # that are decided by them
    p_value: float  # NaN where it was not tested


@dataclass(frozen=True, slots=True, kw_only=True)
class DecidedWork:
    """Judgments of a campaign, which decides what counts while it collects.

    Attributes
    ----------
    judgments : Judgments
        Of finished work, controls among them.
    outcome : array of int
        Of every row: 0 admitted, 1 refused, 2 waiting.
    shown : array of bool
        The admitted rows that this look is to see; the others are for a later one.
    raters : tuple of RaterAdmission
        What was decided since the last look, and what waits.
    all_work : Judgments
        Also what came after the work had gone to somebody else.
    key : str
        Of the hashes in the ledger.
    """

    judgments: Judgments
    outcome: NDArray[np.int64]
    shown: NDArray[np.bool_]
    raters: tuple[RaterAdmission, ...]
    all_work: Judgments
    key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Admission:
    """What may be looked at.

    Attributes
    ----------
    judgments : Judgments
        Of the planned systems, controls among them.
    outcome : array of int
        Of every row: 0 admitted, 1 refused, 2 waiting.
    raters : tuple of RaterAdmission
        Whose work was open before this look.
    """

    judgments: Judgments
    outcome: NDArray[np.int64]
    hashes: RowHashes
    open_before: NDArray[np.bool_]
    raters: tuple[RaterAdmission, ...]

    def admitted(self) -> Judgments:
        """Return the work that counts, or say that none does yet."""
        rows = self.outcome == 0
        if not (rows & self.judgments.is_kind("system", "repeat")).any():
            waiting = sum(one.outcome == "waiting" for one in self.raters)
            refused = len(self.raters) - waiting
            raise DataError(
                f"{self.judgments.path or 'the data'}: no work is admitted yet: that of "
                f"{count(waiting, 'rater')} waits for more control items, that of "
                f"{count(refused, 'rater')} was refused. Collect more before this look."
            )
        return self.judgments.take(rows)

    def entry(self) -> dict[str, Any]:
        """Return what goes into the ledger before the look."""
        now = self.open_before
        packed: dict[str, str] = {
            name: self.hashes.pack(now & (self.outcome == code))
            for code, name in enumerate(_OUTCOMES)
        }
        return {"event": "admission", "raters": to_json(self.raters), **packed}

    def notes(self, rule: Mapping[str, Any], systems: Sequence[str]) -> tuple[str, ...]:
        """Say how much of the work counts, and whether one system has most of the copies."""
        copies = self.judgments.is_kind("degraded")
        n = np.bincount(self.judgments.system.codes[copies])
        most = int(n.argmax())
        if (
            rule["rule"] == "symmetric"
            or n.sum() < _MANY
            or n[most] <= _UNEVEN * n.sum() / len(systems)
        ):
            return (self._share_note(),)
        return (
            self._share_note(),
            f"Of {count(int(n.sum()), 'degraded copy', 'degraded copies')} {n[most]:,} are of "
            f"{self.judgments.system.levels[most]}: admission then favours that system. Make copies "
            "of all systems alike, or plan with the rule symmetric.",
        )

    def _share_note(self) -> str:
        own = self.judgments.is_kind("system", "repeat")
        n = [int((own & (self.outcome == code)).sum()) for code in range(3)]
        waiting = f", {n[2]:,} wait for more control items" if n[2] else ""
        return (
            f"Admitted by their control items: {n[0]:,} of {sum(n):,} judgments; {n[1]:,} refused"
            f"{waiting}."
        )


def admit(
    rule: Mapping[str, Any],
    judgments: Judgments,
    systems: Sequence[str],
    lines: Sequence[Mapping[str, Any]],
    *,
    ending: bool,
) -> Admission:
    """Decide the work that is still open, by the rule of the plan.

    Parameters
    ----------
    judgments : Judgments
        All of the planned systems so far, controls among them.
    lines : sequence of mapping
        The ledger. What it says is decided stays so, and must still be there.
    ending : bool
        Whether no more controls will come: the rest is then decided by ``few``.
    """
    raters = judgments.column("rater")
    if not judgments.is_kind("degraded").any():
        raise DataError(
            f"{judgments.path or 'the data'}: the plan admits work by degraded copies, and none is "
            "here. Name the column of the kind of each item (--column kind=…), or collect with "
            "controls (detectable tasks)."
        )
    hashes = hash_rows(judgments, kinds=True)
    outcome = _past(judgments, hashes, lines)
    open_before = outcome == 2
    found = []
    if open_before.any():
        part = judgments.take(open_before)
        mine = part.column("rater")
        pairs = control_pairs(rule, part, systems)
        for code, name in enumerate(mine.levels):
            compared, degraded = pairs[code]
            decided, p = decide_work(
                rule, compared, degraded, ending=ending, lowest=judgments.scale[0]
            )
            rows = open_before & (raters.codes == raters.levels.index(name))
            outcome[rows] = _OUTCOMES.index(decided)
            own = rows & judgments.is_kind("system", "repeat")
            found.append(
                RaterAdmission(
                    rater=name,
                    outcome=decided,
                    n_pairs=int(degraded.size),
                    n_judgments=int(own.sum()),
                    p_value=p,
                )
            )
    return Admission(
        judgments=judgments,
        outcome=outcome,
        hashes=hashes,
        open_before=open_before,
        raters=tuple(found),
    )


def decided_before(
    work: DecidedWork, judgments: Judgments, lines: Sequence[Mapping[str, Any]]
) -> Admission:
    """Return what a campaign decided, or say that the ledger knows it otherwise.

    Parameters
    ----------
    judgments : Judgments
        The rows of `work`, named as in the ledger.
    """
    hashes = hash_rows(judgments, kinds=True, key=work.key)
    past = _past(judgments, hashes, lines)
    other = (past != 2) & (past != work.outcome)
    if other.any():
        raise DataError(
            f"{judgments.path or 'the data'}: {count(int(other.sum()), 'judgment')} "
            "admitted or refused otherwise than the ledger says. What is decided stays so; put "
            "back the store or the ledger that belong together."
        )
    return Admission(
        judgments=judgments,
        outcome=work.outcome,
        hashes=hashes,
        open_before=past == 2,
        raters=work.raters,
    )


def _past(
    judgments: Judgments, hashes: RowHashes, lines: Sequence[Mapping[str, Any]]
) -> NDArray[np.int64]:
    """Return what the ledger says of every row; rows that it does not know are open."""
    past = [line for line in lines if line.get("event") == "admission"]
    seen = [{"seen": line[name]} for line in past for name in ("admitted", "refused")]
    if past:
        seen.append({"seen": past[-1]["waiting"]})
    found = first_seen(judgments, hashes, seen, gone=deleted(lines, "work"))
    outcome = np.where(found % 2 == 1, 0, 1)
    return np.where((found == 0) | (found == len(seen)), 2, outcome).astype(np.int64)


def decide_work(
    rule: Mapping[str, Any],
    compared: FloatArray,
    degraded: FloatArray,
    *,
    ending: bool,
    lowest: float | None = None,
) -> tuple[Outcome, float]:
    """Return what becomes of work with these controls, and the p-value, NaN if it has none.

    Parameters
    ----------
    lowest : float, optional
        The lowest score there is.
    """
    if degraded.size < rule["pairs"]:
        if not ending:
            return "waiting", math.nan
        return ("admitted" if rule["few"] == "admit" else "refused"), math.nan
    p = check_rater(compared, degraded, "paired-t", rule["alpha"]).p_value
    if math.isnan(p) and (degraded == lowest).all() and (compared > degraded).all():
        # Who chooses between two texts and never takes a copy cannot say it any clearer.
        p = 0.0
    # Without any spread there is no test: as in the campaigns of WMT, that is not passed.
    return ("admitted" if p <= rule["alpha"] else "refused"), p


def control_pairs(
    rule: Mapping[str, Any], part: Judgments, systems: Sequence[str]
) -> list[tuple[FloatArray, FloatArray]]:
    """Return for every rater what the copies are compared with, and the scores of the copies."""
    n = part.column("rater").n_levels
    if not part.is_kind("degraded").any():
        nothing = np.zeros(0)
        return [(nothing, nothing)] * n
    against: CheckAgainst = rule.get("against", _DEFAULTS["against"])
    if rule["rule"] == "symmetric":
        return symmetric_pairs(part, systems, against=against)
    pairs = pair_up(part, against=against)
    return [pairs.of(code) for code in range(n)]


def symmetric_pairs(
    part: Judgments, systems: Sequence[str], *, against: CheckAgainst = "original"
) -> list[tuple[FloatArray, FloatArray]]:
    """Return for every rater the mean of all systems of an item, and the score of its copy.

    Swapping the names of the systems changes neither, whichever system the copy was made from.
    Items that a rater did not judge for all systems say nothing here. With
    ``against="neighbours"`` repeats and references of the same document and system, less the mean
    of all systems of their items, are taken off; repeats are no ordinary scores then.
    """
    raters = part.column("rater")
    beside = against == "neighbours"
    wanted = [part.system.levels.index(name) for name in systems if name in part.system.levels]
    cells: dict[tuple[int, int], _Cell] = {}
    degraded = part.is_kind("degraded")
    own = part.is_kind("system") if beside else part.is_kind("system", "repeat")
    places = copy_codes(part, part.system) if beside else raters.codes
    columns = (raters.codes, part.item.codes, part.system.codes, part.score, degraded, own)
    for rater, item, system, score, copy, ordinary, place in zip(*columns, places, strict=True):
        cell = cells.setdefault((int(rater), int(item)), _Cell())
        if ordinary:
            cell.scores.setdefault(int(system), []).append(float(score))
        else:
            (cell.copies if copy else cell.others).append((int(place), float(score)))
    found = [
        (rater, cell, float(np.mean([np.mean(cell.scores[s]) for s in wanted])))
        for (rater, _), cell in sorted(cells.items(), key=lambda one: one[0])
        if len(wanted) == len(systems) and all(s in cell.scores for s in wanted)
    ]
    pairs = [(rater, cell, mean) for rater, cell, mean in found if cell.copies]
    who = np.array([rater for rater, _, _ in pairs])
    compared = np.array([mean for _, _, mean in pairs])
    copies = [
        (number, *one) for number, (_, cell, _) in enumerate(pairs) for one in cell.copies
    ]
    pair, copied = (np.array([one[i] for one in copies], dtype=np.int64) for i in (0, 1))
    scores = np.array([one[2] for one in copies], dtype=np.float64)
    if beside:
        others = [
            (place, score - mean) for _, cell, mean in found for place, score in cell.others
        ]
        scores = scores - change_beside(
            copied,
            np.array([place for place, _ in others], dtype=np.int64),
            np.array([change for _, change in others]),
        )
    pair, scores = pair[np.isfinite(scores)], scores[np.isfinite(scores)]
    n = np.bincount(pair, minlength=len(pairs))
    scored = np.bincount(pair, scores, minlength=len(pairs)) / np.maximum(n, 1)
    known = n > 0
    return [
        (compared[known & (who == code)], scored[known & (who == code)])
        for code in range(raters.n_levels)
    ]


@dataclass(frozen=True, slots=True)
class _Cell:
    """Scores of one item by one rater: ordinary ones by system, degraded copies, and others."""

    scores: dict[int, list[float]] = field(default_factory=dict)
    copies: list[tuple[int, float]] = field(default_factory=list)  # and the copy they stand in
    others: list[tuple[int, float]] = field(default_factory=list)
