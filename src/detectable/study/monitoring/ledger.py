"""The state of a plan: what its ledger says has happened, and what is allowed next."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from detectable.core.choices import UnitName
from detectable.core.errors import DataError
from detectable.data.files.ledger_file import read_entries
from detectable.study.monitoring.frozen_plan import Plan
from detectable.study.monitoring.pair_look import PairLook

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
        for number, entry in enumerate(lines, start=1):
            if entry.get("plan") != plan.fingerprint:
                raise DataError(
                    f"{plan.ledger_path}, line {number}: this entry belongs to another plan than "
                    f"{plan.path}. Put back the plan that the ledger was begun with."
                )
        # Lines of format 1 are looks, and say nothing of it.
        entries = [line for line in lines if line.get("event", "look") == "look"]
        history: dict[Pair, tuple[PairLook, ...]] = dict.fromkeys(plan.pairs, ())
        for entry in entries:
            for row in entry["pairs"]:
                look = PairLook.from_entry(row)
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
        last = f"look {self.n_looks} ended with «{self.entries[-1]['decision']}»"
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
