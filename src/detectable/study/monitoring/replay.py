"""The looks of a plan computed again from its data, in a folder of their own."""

import json
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

from detectable.core.errors import DataError
from detectable.data.files.place import FilePath
from detectable.study.monitoring.ledger import LedgerState
from detectable.study.monitoring.look import look
from detectable.study.monitoring.look_input import planned_judgments, require_no_key
from detectable.study.monitoring.plan import Plan, read_plan
from detectable.study.monitoring.seen_rows import first_seen, hash_rows

LookState: TypeAlias = Literal["same", "different", "not repeated"]
# What depends on the day, on the file that rows came in, or on the entries before.
_BESIDE = ("time", "notes", "plan", "seen", "previous", "fingerprint")


@dataclass(frozen=True, slots=True, kw_only=True)
class LookCheck:
    """A look of a ledger, and whether the data give it again.

    Attributes
    ----------
    differs : tuple of str
        The parts of the entry that came out otherwise; or why it was not computed.
    """

    look: int
    time: str
    judgments: int
    decision: str
    state: LookState
    differs: tuple[str, ...] = ()


def replay(plan: Plan | FilePath, data: Any = None) -> tuple[LookCheck, ...]:
    """Compute every look of a plan again, each from the judgments that it saw.

    Plan and ledger are read as `look` reads them, and every fingerprint is checked. The looks are
    done in a temporary folder, and nothing is written beside the plan.

    Parameters
    ----------
    plan : Plan or path
        Whose looks.
    data : optional
        All judgments, as for `look`; later ones do no harm. Without them, and for plans with a
        rule of admission, where the ledger does not tell which work was still waiting, the looks
        are listed and not repeated.

    Raises
    ------
    DataError
        If plan or ledger were changed, or a judgment that a look saw is gone or has another score.
    """
    frozen = read_plan(plan.path if isinstance(plan, Plan) else plan)
    state = LedgerState.read(frozen)
    if data is None:
        return tuple(
            listed_look(number, entry) for number, entry in enumerate(state.entries, 1)
        )
    require_no_key(state)
    judgments = planned_judgments(frozen, data)
    seen = first_seen(judgments, hash_rows(judgments), state.entries)
    if frozen.admission is not None:
        return tuple(
            listed_look(number, entry) for number, entry in enumerate(state.entries, 1)
        )
    with tempfile.TemporaryDirectory() as folder:
        copy = _untouched(state, Path(folder))
        return tuple(
            _repeated(copy, number, entry, judgments.take((seen > 0) & (seen <= number)))
            for number, entry in enumerate(state.entries, start=1)
        )


def _untouched(state: LedgerState, folder: Path) -> Path:
    """Return a copy of the plan as it was before its first look."""
    path = folder / "plan.json"
    shutil.copyfile(state.plan.path, path)
    before = [line for line in state.lines if line.get("event") == "plan"]
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in before)
    read_plan(path).ledger_path.write_text(text, encoding="utf-8")
    return path


def _repeated(copy: Path, number: int, entry: Mapping[str, Any], judgments: Any) -> LookCheck:
    try:
        look(copy, judgments, final=entry["declared"], overrule_futility=entry["overruled"])
    except DataError as error:
        return listed_look(number, entry, state="different", why=str(error))
    return compared_look(number, entry, LedgerState.read(read_plan(copy)).entries[-1])


def compared_look(
    number: int,
    entry: Mapping[str, Any],
    again: Mapping[str, Any],
    *,
    beside: Sequence[str] = (),
) -> LookCheck:
    """Say whether a look came out again as the ledger has it; parts `beside` it are left out."""
    keys = [key for key in entry if key not in (*_BESIDE, *beside)]
    differs = tuple(key for key in keys if entry[key] != again.get(key))
    return _check(number, entry, "different" if differs else "same", differs)


def listed_look(
    number: int, entry: Mapping[str, Any], *, state: LookState = "not repeated", why: str = ""
) -> LookCheck:
    """Return a look as the ledger has it, without having computed it again."""
    return _check(number, entry, state, (why,) if why else ())


def _check(
    number: int, entry: Mapping[str, Any], state: LookState, differs: tuple[str, ...]
) -> LookCheck:
    return LookCheck(
        look=number,
        time=str(entry["time"]),
        judgments=int(entry["judgments"]),
        decision=str(entry["decision"]),
        state=state,
        differs=differs,
    )
