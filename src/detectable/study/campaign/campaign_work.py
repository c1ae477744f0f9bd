"""The work of a campaign as a look sees it: units in the order of admission, and what waits."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from detectable.core.wording import count
from detectable.data.human.judgments import Judgments
from detectable.data.store.records import Checkpoint, JudgmentRow
from detectable.data.store.store import Store
from detectable.data.store.withdrawals import WorkEpoch
from detectable.study.campaign.campaign_judgments import campaign_judgments
from detectable.study.monitoring.admission import DecidedWork, RaterAdmission
from detectable.study.monitoring.ledger import LedgerState, Pair

_WAITING = 2


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
    voided: frozenset[WorkEpoch] = frozenset()  # it does not count, whatever was decided of it

    @classmethod
    def read(cls, store: Store, name: str, scale: tuple[float, float]) -> "CampaignWork":
        """Read what the store has now."""
        return cls(
            name=name,
            rows=store.rows(name),
            checkpoints=store.checkpoints(name),
            scale=scale,
            key=store.campaign(name).salt,
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

    def first(self, n: int, pairs: Sequence[Pair]) -> list[Unit]:
        """Return the first units with which every one of these pairs has `n` or more."""
        return self.first_of(dict.fromkeys(pairs, n))

    def first_of(self, wanted: Mapping[Pair, int]) -> list[Unit]:
        """Return the first units with which every pair has its own number or more."""
        missing = dict(wanted)
        for place, unit in enumerate(self.units, start=1):
            for pair in [one for one in missing if unit.systems.issuperset(one)]:
                missing[pair] -= 1
                if not missing[pair]:
                    del missing[pair]
            if not missing:
                return self.units[:place]
        return self.units

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
        judgments = campaign_judgments(finished, self.scale, name=self.name)
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
                [*finished, *late], self.scale, everything=True, name=self.name
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
