"""The looks of a campaign computed again: from its store, an export, or a copy that was restored."""

import contextlib
import hashlib
import io
import json
import tarfile
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from detectable.core.errors import BusyError, DataError
from detectable.core.types import IntArray
from detectable.core.version import VERSION
from detectable.core.write import ANOTHER_NAME, refuse_existing, write_whole
from detectable.data.files.ledger_file import append_entry
from detectable.data.files.place import FilePath
from detectable.data.files.read_json import read_json
from detectable.data.human.cells import ORDINARY
from detectable.data.human.judgments import Judgments
from detectable.data.human.read_judgments import read_judgments
from detectable.data.store.open_store import FILE_NAME, AnyStore, open_store
from detectable.data.store.postgres_store import restore_dump
from detectable.data.store.store import Store
from detectable.study.campaign.export import FORMAT, MARK, is_campaign_file
from detectable.study.campaign.work import (
    CampaignWork,
    campaign_judgments,
    campaign_ledger,
    has_plan,
    plan_of,
)
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
    judgments = campaign_judgments(work.finished, work.scale, name=name, weights=work.weights)
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


# --- A copy of everything: the store, plans, ledgers and conclusions, in one archive ---
#
# The store is copied while raters go on, then the ledgers are read; where one of them grew meanwhile it
# is done again, so that the copy is of one moment. What was copied is proved when it is restored: every
# look is computed again from the judgments in it.

ARCHIVE = 1  # the form of the archive
_MANIFEST = "manifest.json"
_STORE = "store"
_PLANS = "plans/"
_TRIES = 5
_BESIDE = (".json", ".ledger.jsonl", ".conclusion.json")  # of a plan
_LARGEST = 64 * 1024 * 1024  # bytes of a file beside the store


@dataclass(frozen=True, slots=True, kw_only=True)
class RestoredCampaign:
    """What was proved of one campaign."""

    name: str
    judgments: int
    looks: tuple[LookCheck, ...]


def backup_campaigns(store: AnyStore, path: Path) -> tuple[str, ...]:
    """Write a copy of all campaigns into an archive that only its owner can read, while raters go on.

    It holds the store with its keys and settings, and of every campaign plan, ledger and
    conclusion. Notes name plans that are not where they were.
    """
    refuse_existing(path, remedy=ANOTHER_NAME)
    with tempfile.TemporaryDirectory(prefix="detectable-") as folder:
        for number in range(_TRIES):
            copy = Path(folder) / f"{_STORE}-{number}"
            before, _ = _plans_of(store)
            store.backup(copy)
            plans, notes = _plans_of(store)
            if plans == before:
                break
        else:
            raise BusyError("looks run one after the other. Make the copy in a minute.")
        content = copy.read_bytes()
        files = {_STORE: content, **{f"{_PLANS}{name}": text for name, text in plans.items()}}
        manifest = {
            "detectable_backup": ARCHIVE,
            "version": VERSION,
            "store": "sqlite" if content.startswith(b"SQLite format 3") else "postgresql",
            "campaigns": {name: _counted_rows(store, name) for name in store.names()},
            "files": {name: hashlib.sha256(data).hexdigest() for name, data in files.items()},
        }
        if manifest["store"] == "sqlite":  # as the copy has them: raters have gone on
            with contextlib.closing(open_store(copy, read_only=True)) as kept:
                manifest["campaigns"] = {one: _counted_rows(kept, one) for one in kept.names()}
        text = json.dumps(manifest, indent=1, sort_keys=True).encode()
        write_whole(path, _archive({_MANIFEST: text, **files}), new=True, private=True)
    return notes


def _plans_of(store: Store) -> tuple[dict[str, bytes], tuple[str, ...]]:
    """Return the files of all plans by their names, and notes on those that are missing."""
    found: dict[str, bytes] = {}
    notes = []
    for name in store.names():
        if not has_plan(store.campaign(name)):
            continue
        try:
            plan = plan_of(store, name)
        except DataError as error:
            notes.append(f"The plan of {name} is not in the copy: {error}")
            continue
        for ending in _BESIDE:
            file = Path(plan.path).with_suffix(ending)
            if not file.exists():
                continue
            data = file.read_bytes()
            if found.setdefault(file.name, data) != data:
                raise DataError(
                    f"two plans are called {file.name}, in different folders. Rename one of them."
                )
    return found, tuple(notes)


def _counted_rows(store: Store, name: str) -> dict[str, Any]:
    """Return how many judgments there are, and a hash of all of them."""
    digest, n = hashlib.sha256(), 0
    with store.snapshot():
        for row in store.each_row(name):
            digest.update(f"{astuple(row)!r}\n".encode())
            n += 1
    return {"judgments": n, "sha256": digest.hexdigest()}


def _archive(files: Mapping[str, bytes]) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as archive:
        for name, data in files.items():
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode = len(data), 0o600
            archive.addfile(entry, io.BytesIO(data))
    return made.getvalue()


def restore_campaigns(
    path: Path, address: str | Path, *, folder: Path
) -> tuple[RestoredCampaign, ...]:
    """Bring back what `backup_campaigns` wrote, prove it, and return what was proved.

    Parameters
    ----------
    address : str or path
        Of a store that is not there yet: a folder or a file, or an empty database.
    folder : path
        For plans, ledgers and conclusions: that of the store, where it is a file.

    Raises
    ------
    DataError
        If the archive is damaged, something is in the way, or a look or a judgment is not what it
        was. What was written is then removed; an empty database is left with what was put there.
    """
    manifest, files = _read_archive(path)
    names = [name for name in files if name.startswith(_PLANS)]
    written = [folder / Path(name).name for name in names]
    database = "://" in str(address)
    place = Path(address)
    if not database:
        place = place if place.suffix else place / FILE_NAME
        written.append(place)
    for one in written:
        refuse_existing(one, remedy="Restore into another folder.")
    folder.mkdir(parents=True, exist_ok=True)
    try:
        for name in names:
            target = folder / Path(name).name
            write_whole(target, files[name], new=True, private=True)
        if database:
            restore_dump(str(address), files[_STORE])
        else:
            place.parent.mkdir(parents=True, exist_ok=True)
            write_whole(place, files[_STORE], new=True, private=True)
        with contextlib.closing(open_store(address if database else place)) as store:
            return tuple(
                _proved(store, name, folder, kept)
                for name, kept in manifest["campaigns"].items()
            )
    except BaseException:
        for one in written:
            one.unlink(missing_ok=True)
        raise


def _read_archive(path: Path) -> tuple[dict[str, Any], dict[str, bytes]]:
    """Return the manifest and all files of an archive, each as its hash says."""
    files: dict[str, bytes] = {}
    try:
        with tarfile.open(path, mode="r:") as archive:
            for entry in archive:
                if not entry.isfile() or (entry.name != _STORE and entry.size > _LARGEST):
                    raise DataError(f"{path} is no copy of campaigns: {entry.name} is no file.")
                stream = archive.extractfile(entry)
                files[entry.name] = b"" if stream is None else stream.read()
    except (OSError, tarfile.TarError) as error:
        raise DataError(f"{path} cannot be read as a copy of campaigns ({error}).") from error
    try:
        manifest = json.loads(files.pop(_MANIFEST))
        known = manifest["detectable_backup"] == ARCHIVE
        hashes, _ = manifest["files"], manifest["campaigns"]
    except (KeyError, ValueError, TypeError) as error:
        raise DataError(f"{path} is no copy of campaigns: it has no manifest.") from error
    if not known:
        raise DataError(f"{path} was written by a newer version. Update detectable.")
    for name, data in files.items():
        plain = name == _STORE or name == f"{_PLANS}{Path(name).name}"
        if not plain or hashes.get(name) != hashlib.sha256(data).hexdigest():
            raise DataError(f"{path} is damaged: {name} is not what was copied.")
    missing = sorted(set(hashes) - set(files))
    if missing:
        raise DataError(f"{path} is damaged: {missing[0]} is not in it.")
    return manifest, files


def _proved(store: Store, name: str, folder: Path, kept: Mapping[str, Any]) -> RestoredCampaign:
    """Compare a campaign with what was copied: its judgments, and every look computed again."""
    if _counted_rows(store, name) != kept:
        raise DataError(f"{name}: the judgments are not those that were copied.")
    row = store.campaign(name)
    looks: tuple[LookCheck, ...] = ()
    plan = folder / Path(str(row.settings.get("plan_path", ""))).name
    if has_plan(row) and plan.is_file() and LedgerState.read(read_plan(plan)).entries:
        looks = replay_store(store, name, plan=plan)
    wrong = [one for one in looks if one.state == "different"]
    if wrong:
        raise DataError(
            f"{name}: look {wrong[0].look} comes out otherwise ({', '.join(wrong[0].differs)})."
        )
    return RestoredCampaign(name=name, judgments=int(kept["judgments"]), looks=looks)
