"""The looks of a campaign computed again, from its store or from what was exported of it."""

import json
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from detectable.core.errors import DataError
from detectable.core.types import IntArray
from detectable.data.files.ledger_file import append_entry
from detectable.data.files.place import FilePath
from detectable.data.files.read_json import read_json
from detectable.data.human.cells import ORDINARY
from detectable.data.human.judgments import Judgments
from detectable.data.human.read_judgments import read_judgments
from detectable.data.store.store import Store
from detectable.study.campaign.export import FORMAT, MARK, is_campaign_file
from detectable.study.campaign.work import CampaignWork, campaign_judgments, campaign_ledger
from detectable.study.monitoring.admission import DecidedWork, RaterAdmission
from detectable.study.monitoring.ledger import LedgerState
from detectable.study.monitoring.look import look
from detectable.study.monitoring.look_input import with_controls
from detectable.study.monitoring.plan import Plan, read_plan
from detectable.study.monitoring.replay import LookCheck, compared_look, listed_look
from detectable.study.monitoring.seen_rows import deleted, first_seen, hash_rows, n_hashes

_OWN = ("previous", "fingerprint")  # of a line, made anew in another chain


def replay_store(
    store: Store, name: str, *, plan: FilePath | None = None
) -> tuple[LookCheck, ...]:
    """Compute every look of a campaign again, from the judgments in its store.

    Nothing is written beside the plan, and what a look found is compared, not told.
    """
    state = campaign_ledger(store, name, plan)
    work = CampaignWork.read(store, name, state.plan.scale)
    judgments = campaign_judgments(work.finished, work.scale, name=name)
    late = any(row.orphan for row in work.rows)
    return _replayed(state, _Kept(judgments=judgments, key=work.key, late=late))


def replay_export(path: FilePath, data: Any = None) -> tuple[Plan, tuple[LookCheck, ...]]:
    """Compute the looks of an exported campaign again, and return its plan too.

    Parameters
    ----------
    path : path
        ``….campaign.json``, written after the conclusion.
    data : path or Judgments, optional
        The judgments that stand beside it; without them the looks are listed and not repeated.

    Raises
    ------
    DataError
        If the file is blind, plan or ledger in it were changed, or judgments are gone or changed.
    """
    content = read_json(path)
    if not is_campaign_file(content) or content[MARK] != FORMAT:
        raise DataError(f"{path}: this is no campaign that this version can read.")
    if content.get("plan") is None or content.get("ledger") is None:
        raise DataError(
            f"{path}: there is no ledger in it: the campaign has no plan, or was not concluded when "
            "it was exported. Export it again after the conclusion."
        )
    with tempfile.TemporaryDirectory() as folder:
        frozen = Path(folder) / "plan.json"
        frozen.write_text(json.dumps(content["plan"]), encoding="utf-8")
        _write(frozen.with_suffix(".ledger.jsonl"), content["ledger"])
        plan = read_plan(frozen)
        state = LedgerState.read(plan)
        if data is None:
            return plan, tuple(listed_look(n, one) for n, one in enumerate(state.entries, 1))
        judgments = data if isinstance(data, Judgments) else read_judgments(data)
        kept = _Kept(judgments=judgments, key=content["key"], late=bool(content["late"]))
        return plan, _replayed(state, kept)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kept:
    """What was kept of a campaign.

    Attributes
    ----------
    judgments : Judgments
        Of finished work, controls among them.
    late : bool
        Whether there are answers that came after the work had gone to somebody else. Which of them
        a look knew no ledger tells, so the line with all work cannot be computed again.
    """

    judgments: Judgments
    key: str
    late: bool


def _replayed(state: LedgerState, kept: _Kept) -> tuple[LookCheck, ...]:
    """Go through the ledger, and repeat in a copy of it every look whose data are all there."""
    if any(not entry.get("keyed") for entry in state.entries):
        raise DataError(
            f"{state.plan.ledger_path}: these looks were run with a table, not by a campaign. Give "
            "the plan and the table to `detectable verify`."
        )
    rows = _Rows(state, kept)
    # The line with all work also counts what came late, or was deleted since.
    beside = ("all_work",) if kept.late or deleted(state.lines, "work") else ()
    found: list[LookCheck] = []
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "plan.json"
        copy.write_bytes(Path(state.plan.path).read_bytes())
        ledger = copy.with_suffix(".ledger.jsonl")
        written: list[Mapping[str, Any]] = []
        for place, line in enumerate(state.lines):
            event = line.get("event", "look")
            if event == "admission" and rows.look_after(place) is not None:
                continue  # a look that is repeated writes it again
            if event != "look" or not rows.is_whole(len(found) + 1):
                _carry(ledger, line, written)
                if event == "look":
                    found.append(
                        listed_look(len(found) + 1, line, why="judgments were deleted")
                    )
                continue
            number = len(found) + 1
            work = rows.work(number, state.lines[:place])
            found.append(_repeated(copy, number, line, work, beside))
            if not _grew(copy, written):  # it could not be done at all
                _carry(ledger, line, written)
            written = list(LedgerState.read(read_plan(copy)).lines)
    return tuple(found)


class _Rows:
    """Which rows each look saw."""

    def __init__(self, state: LedgerState, kept: _Kept) -> None:
        self._state, self._kept = state, kept
        self._read = with_controls(state.plan, kept.judgments)
        own = self._read.is_kind(*ORDINARY)
        shown = self._read.take(own)
        looks = first_seen(
            shown,
            hash_rows(shown, key=kept.key),
            state.entries,
            gone=deleted(state.lines, "rows"),
        )
        self._looks = np.zeros(self._read.n_judgments, dtype=np.int64)
        self._looks[own] = looks
        self._hashes = hash_rows(self._read, kinds=True, key=kept.key)

    def is_whole(self, number: int) -> bool:
        """Say whether all rows are there that a look saw, and those before it."""
        if not deleted(self._state.lines, "rows"):
            return True
        # After a deletion looks are without those rows: then all that is there is all they saw.
        gone_at = [
            sum(one.get("event", "look") == "look" for one in self._state.lines[:place])
            for place, line in enumerate(self._state.lines)
            if line.get("event") == "erasure"
        ]
        if number > max(gone_at):
            return True
        seen = int(((self._looks > 0) & (self._looks <= number)).sum())
        return seen == sum(n_hashes(one["seen"]) for one in self._state.entries[:number])

    def look_after(self, place: int) -> int | None:
        """Return the look that an admission was written for, if that can be repeated."""
        lines = self._state.lines
        if place + 1 == len(lines) or lines[place + 1].get("event", "look") != "look":
            return None
        number = 1 + sum(one.get("event", "look") == "look" for one in lines[:place])
        return number if self.is_whole(number) else None

    def work(self, number: int, before: Sequence[Mapping[str, Any]]) -> DecidedWork:
        """Return the work as it was decided when a look came."""
        judgments = self._read
        shown = (self._looks > 0) & (self._looks <= number)
        raters: tuple[RaterAdmission, ...] = ()
        outcome = np.where(shown, 0, -1)
        if self._state.plan.admission is not None:
            outcome = self._decided(before)
            raters = tuple(_rater(one) for one in before[-1]["raters"])
        there = outcome >= 0
        return DecidedWork(
            judgments=judgments.take(there),
            outcome=outcome[there],
            shown=shown[there],
            raters=raters,
            all_work=judgments.take(there),
            key=self._kept.key,
        )

    def _decided(self, before: Sequence[Mapping[str, Any]]) -> IntArray:
        """Return 0 admitted, 1 refused, 2 waiting, and −1 for what was not finished."""
        past = [line for line in before if line.get("event") == "admission"]
        seen = [{"seen": line[name]} for line in past for name in ("admitted", "refused")]
        seen.append({"seen": past[-1]["waiting"]})
        gone = deleted(self._state.lines, "work")
        found = first_seen(self._read, self._hashes, seen, gone=gone)
        outcome = np.where(found % 2 == 1, 0, 1)
        outcome = np.where(found == len(seen), 2, outcome)
        return np.where(found == 0, -1, outcome).astype(np.int64)


def _rater(kept: Mapping[str, Any]) -> RaterAdmission:
    p = kept["p_value"]
    return RaterAdmission(**{**kept, "p_value": np.nan if p is None else p})


def _repeated(
    copy: Path,
    number: int,
    entry: Mapping[str, Any],
    work: DecidedWork,
    beside: Sequence[str],
) -> LookCheck:
    try:
        look(copy, work, final=entry["declared"], overrule_futility=entry["overruled"])
    except DataError as error:
        return listed_look(number, entry, state="different", why=str(error))
    again = LedgerState.read(read_plan(copy)).entries[-1]
    return compared_look(number, entry, again, beside=beside)


def _grew(copy: Path, written: Sequence[Mapping[str, Any]]) -> bool:
    """Say whether a look was written into the copy."""
    lines = LedgerState.read(read_plan(copy)).lines
    return any(one.get("event", "look") == "look" for one in lines[len(written) :])


def _carry(ledger: Path, line: Mapping[str, Any], written: "list[Mapping[str, Any]]") -> None:
    """Add a line of the ledger to its copy as it is, with a place in the new chain."""
    content = {key: value for key, value in line.items() if key not in _OWN}
    written.append(append_entry(ledger, content, written))


def _write(ledger: Path, lines: Sequence[Mapping[str, Any]]) -> None:
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    ledger.write_text(text, encoding="utf-8")
