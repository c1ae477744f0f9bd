"""The work of a campaign as a look sees it, and how it is tied to its plan."""

import hashlib
import math
import string
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from detectable.core.errors import DataError
from detectable.core.types import FloatArray, IntArray
from detectable.core.wording import count
from detectable.data.factor import Factor
from detectable.data.files.ledger_file import fingerprint
from detectable.data.files.place import FilePath
from detectable.data.human.cells import ORDINARY
from detectable.data.human.judgments import Judgments
from detectable.data.store.records import (
    CampaignRow,
    Checkpoint,
    Decision,
    JudgmentRow,
    WorkEpoch,
)
from detectable.data.store.store import Store
from detectable.study.campaign.settings import CampaignSettings
from detectable.study.monitoring.admission import (
    DecidedWork,
    RaterAdmission,
    control_pairs,
    decide_work,
)
from detectable.study.monitoring.ledger import LedgerState, Pair
from detectable.study.monitoring.look_input import with_controls
from detectable.study.monitoring.plan import Plan, read_plan
from detectable.study.monitoring.plan_history import record_event
from detectable.study.monitoring.seen_rows import deleted, first_seen, hash_rows

_WAITING = 2
_KEPT = 1_024  # items whose letters are remembered; they are drawn again, and the same


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """A line that counts: admitted, and scored in all systems that its rater was shown."""

    rater: str
    item: str
    systems: frozenset[str]


@dataclass(frozen=True, kw_only=True)
class CampaignWork:
    """All judgments of a campaign at one moment."""

    name: str
    rows: Sequence[JudgmentRow]
    checkpoints: Sequence[Checkpoint]
    scale: tuple[float, float]
    key: str
    weights: Mapping[str, float] = field(
        default_factory=dict
    )  # of items that a selection chose
    voided: frozenset[WorkEpoch] = frozenset()  # it does not count, whatever was decided of it

    @classmethod
    def read(cls, store: Store, name: str, scale: tuple[float, float]) -> "CampaignWork":
        """Read what the store has now."""
        row = store.campaign(name)
        return cls(
            name=name,
            rows=store.rows(name),
            checkpoints=store.checkpoints(name),
            scale=scale,
            key=row.salt,
            weights=row.settings.get("sampling_weights", {}),
            voided=frozenset().union(*store.voided(name).values()),
        )

    @cached_property
    def finished(self) -> list[JudgmentRow]:
        """The rows of finished work of the first wave, decided or not."""
        return [row for row in self.rows if row.wave == 1 and row.done_at is not None]

    @cached_property
    def units(self) -> list[Unit]:
        """The lines that count, first admitted first; second waves are no units.

        Whether a line is one never changes, so a look sees what the looks before it saw.
        """
        rows = [
            row
            for row in self.rows
            if row.wave == 1 and row.admitted and (row.work, row.epoch) not in self.voided
        ]
        rows.sort(key=lambda row: row.seq or 0)  # pages and lines of a work stay in order
        found: dict[tuple[str, str], set[str]] = {}
        skipped: set[tuple[str, str]] = set()
        for row in rows:
            if row.kind == "system":
                found.setdefault((row.rater, row.item), set()).add(row.system)
                if row.score is None:
                    skipped.add((row.rater, row.item))
        return [
            Unit(rater=rater, item=item, systems=frozenset(systems))
            for (rater, item), systems in found.items()
            if (rater, item) not in skipped
        ]

    def n_units(self, pairs: Sequence[Pair]) -> int:
        """Return the number of units that every one of these pairs has."""
        return min(sum(unit.systems.issuperset(pair) for unit in self.units) for pair in pairs)

    def first_of(self, wanted: Mapping[Pair, int]) -> list[Unit]:
        """Return the first units of every pair, as many as it is to have.

        Pairs that are judged on pages of their own differ in their numbers: a unit that no pair
        needs any more waits, so that none has more than its plan ends at.
        """
        missing, kept = Counter(wanted), []
        for unit in self.units:
            own = [one for one, n in missing.items() if n and unit.systems.issuperset(one)]
            missing.subtract(own)
            if own:
                kept.append(unit)
        return kept

    def decided(
        self, state: LedgerState, units: Sequence[Unit], *, left_out: str = ""
    ) -> DecidedWork:
        """Return the finished work, of which a look is to see some units.

        Parameters
        ----------
        left_out : str
            What the admitted lines are that it does not see, for a note; nothing if they only wait.
        """
        finished = self.finished
        judgments = campaign_judgments(
            finished, self.scale, name=self.name, weights=self.weights
        )
        beside = len(self.units) - len(units)
        if left_out and beside:
            said = f"{count(beside, 'line')} admitted {left_out} left out."
            judgments = replace(judgments, notes=(*judgments.notes, said))
        outcome = {
            (row.rater, row.item): _WAITING if row.admitted is None else int(not row.admitted)
            for row in finished
        }
        chosen = {(unit.rater, unit.item) for unit in units}
        who = _who(judgments)
        late = [row for row in self.rows if row.wave == 1 and row.orphan]
        return DecidedWork(
            judgments=judgments,
            outcome=np.array([outcome[one] for one in who], dtype=np.int64),
            shown=np.array([one in chosen for one in who], dtype=bool),
            raters=self._raters(state),
            all_work=campaign_judgments(
                [*finished, *late],
                self.scale,
                everything=True,
                name=self.name,
                weights=self.weights,
            ),
            key=self.key,
        )

    def _raters(self, state: LedgerState) -> tuple[RaterAdmission, ...]:
        """Return the checkpoints since the last look, and what waits for the next."""
        known: dict[str, int] = {}
        for line in state.lines:
            if line.get("event") == "admission":
                for one in line["raters"]:
                    known[one["rater"]] = known.get(one["rater"], 0) + (
                        one["outcome"] != "waiting"
                    )
        found = [
            RaterAdmission(
                rater=one.rater,
                outcome="admitted" if one.passed else "refused",
                n_pairs=one.n_pairs,
                n_judgments=one.n_judgments,
                p_value=np.nan if one.p_value is None else one.p_value,
            )
            for one in self.checkpoints
            if one.n > known.get(one.rater, 0)
        ]
        return (*found, *self._waiting())

    def _waiting(self) -> list[RaterAdmission]:
        rows = [
            row
            for row in self.rows
            if row.done_at is not None and row.admitted is None and row.score is not None
        ]
        return [
            RaterAdmission(
                rater=rater,
                outcome="waiting",
                n_pairs=sum(row.rater == rater and row.kind == "degraded" for row in rows),
                n_judgments=sum(
                    row.rater == rater and row.kind in ("system", "repeat") for row in rows
                ),
                p_value=np.nan,
            )
            for rater in dict.fromkeys(row.rater for row in rows)
        ]


def _who(judgments: Judgments) -> list[tuple[str, str]]:
    return list(zip(judgments.column("rater").labels(), judgments.item.labels(), strict=True))


# --- The judgments of a campaign: what looks may see, blind or not ---


def campaign_judgments(
    rows: Iterable[JudgmentRow],
    scale: tuple[float, float],
    *,
    everything: bool = False,
    name: str = "",
    weights: Mapping[str, float] | None = None,
) -> Judgments:
    """Return stored rows as judgments, in the order in which their work was completed.

    Work counts when all pages of it are done by one rater: a pair is never half. Second waves are
    for agreement between raters, and a unit that changes after it was counted is no unit; so looks
    see the first wave only. Rows are read once and not kept: a million of them would not fit.

    Parameters
    ----------
    everything : bool
        Take second waves, work in progress and answers that came too late as well.
    name : str
        Of the campaign, for messages.
    weights : mapping of item to float, optional
        What each item stands for, where a selection chose them.
    """
    found = _Columns()
    for row in rows:
        found.add(row, counted=is_counted(row, everything=everything))
    if not found.n:
        raise DataError(
            f"{name or 'the campaign'}: no document is complete yet. Wait for more judgments, or "
            "take everything that was answered."
        )
    columns = found.columns()
    if weights:
        item: Factor = columns["item"]
        columns["sampling_weight"] = np.array([weights[one] for one in item.levels])[item.codes]
    return Judgments.build(
        columns, scale=scale, path=name, notes=found.notes(everything=everything)
    )


def is_counted(row: JudgmentRow, *, everything: bool) -> bool:
    """Say whether looks may see it, or it was answered at all."""
    return everything or (row.wave == 1 and row.done_at is not None)


class _Columns:
    """The columns of judgments while rows come, as numbers of names."""

    def __init__(self) -> None:
        roles = ("system", "item", "rater", "kind", "task", "document", "wave")
        self._levels: dict[str, dict[str, int]] = {role: {} for role in roles}
        self._codes = {role: array("q") for role in roles}
        self._scores, self._seconds, self._pages = array("d"), array("d"), array("q")
        self._page_of: dict[str, int] = {}
        self._counts: Counter[str] = Counter()

    def add(self, row: JudgmentRow, *, counted: bool) -> None:
        """Take in a row, or only count it."""
        counts = self._counts
        counts["rows"] += 1
        counts["orphans"] += row.orphan
        counts["waves"] += row.wave > 1
        if not counted:
            return
        counts["counted"] += 1
        if row.score is None:
            counts["skipped"] += 1
            return
        given = {
            "system": row.system,
            "item": row.item,
            "rater": row.rater,
            "kind": row.kind,
            "task": f"{row.rater}-{row.block}",
            "document": row.document or "",
            "wave": str(row.wave),
        }
        for role, text in given.items():
            levels = self._levels[role]
            self._codes[role].append(levels.setdefault(text, len(levels)))
        self._scores.append(row.score)
        self._seconds.append(math.nan if row.seconds is None else row.seconds)
        self._pages.append(self._page_of.setdefault(row.page, len(self._page_of)))

    @property
    def n(self) -> int:
        """How many were taken in."""
        return len(self._scores)

    def columns(self) -> dict[str, Any]:
        """Return what was taken in; times only where all are known."""
        found: dict[str, Any] = {
            role: Factor(name=role, levels=tuple(levels), codes=_numbers(self._codes[role]))
            for role, levels in self._levels.items()
            if not (role == "document" and levels.keys() == {""})
            if not (role == "wave" and levels.keys() == {"1"})
        }
        found["score"] = np.frombuffer(self._scores)
        seconds = np.frombuffer(self._seconds)
        if not np.isnan(seconds).any():
            found["seconds"] = seconds / self._texts()
        return found

    def _texts(self) -> FloatArray:
        """Return how many texts share the seconds of each row; a choice between two is one."""
        n_items, pages = len(self._levels["item"]), _numbers(self._pages)
        different = np.unique(pages * n_items + _numbers(self._codes["item"])) // n_items
        return np.bincount(different, minlength=len(self._page_of))[pages].astype(np.float64)

    def notes(self, *, everything: bool) -> tuple[str, ...]:
        """Say what was left out."""
        n, said = self._counts, []
        if n["skipped"]:
            said.append(f"{count(n['skipped'], 'text')} that a rater could not judge left out.")
        if not everything:
            waiting = n["rows"] - n["counted"] - n["orphans"] - n["waves"]
            for left, why in (
                (waiting, "of work in progress"),
                (n["orphans"], "that came after the work went to somebody else"),
                (n["waves"], "of second waves, which are for agreement"),
            ):
                if left > 0:
                    said.append(f"{count(left, 'judgment')} {why} left out.")
        return tuple(said)


def _numbers(codes: "array[int]") -> IntArray:
    return np.frombuffer(codes, dtype=np.int64)


def letters(systems: Sequence[str], salt: str) -> Callable[[str, str], str]:
    """Return what calls systems by letters, drawn anew for every item.

    Who reads them sees what was judged and how, and nothing about any system.
    """
    alphabet = [string.ascii_uppercase[i % 26] * (1 + i // 26) for i in range(len(systems))]

    @lru_cache(maxsize=_KEPT)
    def drawn(item: str) -> dict[str, str]:
        order = sorted(systems, key=partial(_lot, salt, item))
        return dict(zip(order, alphabet, strict=True))

    return lambda item, system: drawn(item)[system]


def _lot(salt: str, item: str, system: str) -> bytes:
    return hashlib.sha256(f"{salt}\n{item}\n{system}".encode()).digest()


# --- Which work of a campaign a look has seen, by the hashes of its ledger ---


def seen_work(work: CampaignWork, state: LedgerState) -> set[WorkEpoch]:
    """Return the pieces of work of which a look has seen a row."""
    rows = [row for row in work.finished if row.score is not None]
    if not state.entries or not rows:
        return set()
    read = with_controls(
        state.plan, campaign_judgments(rows, work.scale, name=work.name, weights=work.weights)
    )
    own = np.flatnonzero(read.is_kind(*ORDINARY))
    shown = read.take(read.is_kind(*ORDINARY))
    hashes = hash_rows(shown, key=work.key)
    looks = first_seen(shown, hashes, state.entries, gone=deleted(state.lines, "rows"))
    return {(rows[i].work, rows[i].epoch) for i in own[looks > 0].tolist()}


# --- The plan of a campaign ---


def plan_of(store: Store, name: str, path: FilePath | None = None) -> Plan:
    """Return the plan that a campaign was made with, or say why there is none.

    Parameters
    ----------
    path : path, optional
        Where it is now; by default where it was when the campaign was made, or a file of that name
        beside the store.
    """
    row = store.campaign(name)
    settings = CampaignSettings.from_json(row.settings)
    if not settings.plan:
        raise DataError(
            f"{name} was made without a plan, so nothing says when to look. Export its judgments, "
            "or make a campaign with --plan."
        )
    found = _last_known(store, name, settings) if path is None else Path(path)
    plan = read_plan(found)
    if plan.fingerprint != settings.plan:
        raise DataError(
            f"{found}: {name} was made with another plan ({settings.plan[:12]}, not "
            f"{plan.fingerprint[:12]}). Give that one."
        )
    return plan


def has_plan(row: CampaignRow) -> bool:
    """Say whether a campaign was made with a plan."""
    return bool(CampaignSettings.from_json(row.settings).plan)


def _last_known(store: Store, name: str, settings: CampaignSettings) -> Path:
    kept = Path(settings.plan_path)
    # What was restored beside its store belongs to it, even where the first one is still there.
    for path in (Path(store.where).parent / kept.name, kept):
        if settings.plan_path and path.is_file():
            return path
    raise DataError(
        f"the plan of {name} is not where it was ({settings.plan_path or 'nobody wrote it down'}). "
        "Say where it is now (--plan)."
    )


# --- What a campaign is, frozen into the ledger of its plan when it opens ---
#
# A plan is frozen before there is a campaign, and one plan can be tried in several drafts. So the
# block about the campaign is not in the plan file, which nothing may change any more: it is a line of
# the plan's ledger, written when the campaign first opens. Every line carries the fingerprint of the
# line before it, so the block is in the same chain as plan, admissions and looks.

_WORDS = {"key": "its key", "settings": "what raters are asked or shown"}


def campaign_block(row: CampaignRow, plan: Plan) -> dict[str, Any]:
    """Return what is frozen: what is asked, which work counts, when looks come, who sees what.

    ``settings`` is a fingerprint of all settings as the store has them, and ``key`` one of the key
    that the hashes of rows are made with: another campaign of the same name has another one.
    """
    settings = CampaignSettings.from_json(row.settings)
    shares = None if plan.anytime else [float(share) for share in plan.planned_shares()]
    return {
        "name": row.name,
        "protocol": settings.protocol,
        "mode": settings.mode,
        "presentation": "together" if settings.asks.together else "apart",
        "primary": settings.primary or "score",
        "controls": settings.controls,
        "overlap": settings.overlap,
        "admission": None if plan.admission is None else dict(plan.admission),
        "looks": {"at": shares, "auto": shares is not None},
        "reveal": settings.reveal,
        "grace_minutes": settings.grace_minutes,
        "settings": fingerprint(row.settings),
        "key": hashlib.sha256(row.salt.encode()).hexdigest()[:16],
    }


def freeze_campaign(store: Store, name: str, plan: Plan) -> None:
    """Write down what a campaign is, before it opens; a second time does no harm."""
    state = LedgerState.read(plan)
    if frozen_block(state) is not None:
        require_as_frozen(store, name, state)
        return
    if state.entries:
        raise DataError(
            f"{plan.ledger_path}: this plan was looked at with a table, not by a campaign. Go on "
            "with tables, or make a new plan for the campaign."
        )
    record_event(plan, "campaign", campaign_block(store.campaign(name), plan))


def frozen_block(state: LedgerState) -> Mapping[str, Any] | None:
    """Return what was frozen; None before that, and in ledgers of earlier versions."""
    return next(
        (line["detail"] for line in state.lines if line.get("event") == "campaign"), None
    )


def require_as_frozen(store: Store, name: str, state: LedgerState) -> None:
    """Refuse a campaign that is not what it was when it opened."""
    kept = frozen_block(state)
    if kept is None:
        return
    if kept["name"] != name:
        raise DataError(
            f"{state.plan.path}: this plan belongs to the campaign {kept['name']}, which opened "
            f"with it. Make a new plan for {name}."
        )
    now = campaign_block(store.campaign(name), state.plan)
    for part, value in kept.items():  # a later version may freeze more
        if now.get(part) == value:
            continue
        what = _WORDS.get(part)
        told = (
            f"{part} is {now.get(part)}, and was {value}" if what is None else f"{what} changed"
        )
        raise DataError(
            f"{name} is not what it was when it opened: {told}. Put back the store that belongs to "
            f"{state.plan.ledger_path}."
        )


def campaign_ledger(store: Store, name: str, plan: FilePath | None = None) -> LedgerState:
    """Return the ledger of a campaign's plan, and refuse a campaign that is another one now."""
    state = LedgerState.read(plan_of(store, name, plan))
    require_as_frozen(store, name, state)
    return state


# --- Which work of a campaign counts: decided by its controls, block by block, before any look ---
#
# The blocks of a rater form a checkpoint as soon as they hold enough degraded copies with their
# originals. It is decided once, by the rule of the plan; where a checkpoint ends does not depend on
# when somebody asks.

MOST_FAILED = 3  # checkpoints after which a rater gets no more work


class AdmissionRule:
    """Decides finished work by the rule of a plan; all of it counts where the plan has none.

    Parameters
    ----------
    mixed : bool
        Whether controls of several lines hold other lines than degraded ones. The lines of a page
        share one place, and who scores a copy low as a whole has read nothing: so degraded lines
        are compared with those beside them, whatever the plan says.
    """

    def __init__(self, plan: Plan, *, mixed: bool = False) -> None:
        self._rule, self._scale, self._mixed = plan.admission, plan.scale, mixed

    def __call__(self, rows: Sequence[JudgmentRow], *, ending: bool) -> list[Decision]:
        """Return what can be decided now, in the order in which it is to count.

        Parameters
        ----------
        rows : sequence of JudgmentRow
            Of finished, undecided work.
        ending : bool
            Whether no more controls will come: the rest is decided by ``few``.
        """
        if self._rule is None:
            return [
                Decision(rater=row.rater, works=((row.work, row.epoch),), admitted=True)
                for row in {(row.work, row.epoch): row for row in rows}.values()
            ]
        blocks: dict[str, dict[int, list[JudgmentRow]]] = {}
        for row in rows:
            blocks.setdefault(row.rater, {}).setdefault(row.block, []).append(row)
        found = [
            (rows[-1].done_at or 0.0, decision)
            for rater, own in blocks.items()
            for rows, decision in self._of_rater(self._rule, rater, own, ending=ending)
        ]
        # Whose checkpoint was complete first counts first.
        return [decision for _, decision in sorted(found, key=lambda one: one[0])]

    def _of_rater(
        self,
        rule: Mapping[str, Any],
        rater: str,
        blocks: Mapping[int, Sequence[JudgmentRow]],
        *,
        ending: bool,
    ) -> list[tuple[list[JudgmentRow], Decision]]:
        found = []
        held: list[JudgmentRow] = []
        last = max(blocks)
        for block in sorted(blocks):
            held += blocks[block]
            at_end = ending and block == last
            if not at_end and _copies(held) < rule["pairs"]:
                continue  # cannot be enough, whatever their originals are
            decision = self._decision(rule, rater, held, ending=at_end)
            if decision is not None:
                found.append((held, decision))
                held = []
        return found

    def _decision(
        self, rule: Mapping[str, Any], rater: str, rows: Sequence[JudgmentRow], *, ending: bool
    ) -> Decision | None:
        compared, degraded = self._controls(rule, rows)
        outcome, p = decide_work(rule, compared, degraded, ending=ending, lowest=self._scale[0])
        if outcome == "waiting":
            return None
        own = [r for r in rows if r.kind in ("system", "repeat") and r.score is not None]
        return Decision(
            rater=rater,
            works=tuple(dict.fromkeys((row.work, row.epoch) for row in rows)),
            admitted=outcome == "admitted",
            n_pairs=int(degraded.size),
            n_judgments=len(own),
            tested=degraded.size >= rule["pairs"],
            p_value=None if np.isnan(p) else p,
        )

    def _controls(
        self, rule: Mapping[str, Any], rows: Sequence[JudgmentRow]
    ) -> tuple[FloatArray, FloatArray]:
        """Return what copies are compared with, and their scores, of one rater.

        Work that was given out later shows fewer systems of a leaderboard, and of pairs every item
        shows two: each kind of it is compared with the systems that it shows. A page of one line
        has no lines beside it, and a place of its own.
        """
        shown: dict[tuple[int, int, str], set[str]] = {}
        lines: dict[tuple[int, int], set[str]] = {}
        for row in rows:
            if row.kind == "system":
                shown.setdefault((row.work, row.epoch, row.item), set()).add(row.system)
                lines.setdefault((row.work, row.epoch), set()).add(row.line or row.item)
        alike: dict[tuple[bool, tuple[str, ...]], list[JudgmentRow]] = {}
        for row in rows:
            systems = tuple(sorted(shown[row.work, row.epoch, row.item]))
            beside = self._mixed and len(lines[row.work, row.epoch]) > 1
            # A document in several parts has a copy of each.
            own = replace(row, document=row.part) if beside else row
            alike.setdefault((beside, systems), []).append(own)
        pairs = [
            control_pairs(
                {**rule, "against": "neighbours" if beside else "original"},
                campaign_judgments(part, self._scale, everything=True),
                systems,
            )
            for (beside, systems), part in alike.items()
            if any(row.score is not None for row in part)
        ]
        compared = [one for part in pairs for one, _ in part]
        degraded = [one for part in pairs for _, one in part]
        nothing = np.zeros(0)
        return np.concatenate([nothing, *compared]), np.concatenate([nothing, *degraded])


def _copies(rows: Sequence[JudgmentRow]) -> int:
    return sum(row.kind == "degraded" and row.score is not None for row in rows)
