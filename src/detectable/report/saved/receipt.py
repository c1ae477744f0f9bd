"""Whether a result on disk is what its data and its command give: inputs checked, values compared."""

import hashlib
import math
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeAlias

from detectable.core.errors import DataError
from detectable.core.result import Result
from detectable.core.same import parts
from detectable.data.files.inputs import InputFile, place_of
from detectable.data.files.place import FilePath
from detectable.study.monitoring.replay import LookCheck

InputState: TypeAlias = Literal["same", "changed", "missing"]
Outcome: TypeAlias = Literal["same", "different", "not repeated"]
# As a gate: it holds, it does not, nobody can tell.
EXIT_CODES: dict[Outcome, int] = {"same": 0, "different": 3, "not repeated": 4}


@dataclass(frozen=True, slots=True)
class InputCheck:
    """A file that the result was made from, and what lies there now.

    Attributes
    ----------
    path : str
        As it was seen from the working folder.
    state : {'same', 'changed', 'missing'}
        Whether the file there has the same bytes.
    sha256 : str
        Of the file that was read.
    """

    path: str
    state: InputState
    sha256: str


@dataclass(frozen=True, slots=True)
class Difference:
    """A value that is not the same.

    Attributes
    ----------
    where : str
        Its place in the result: ``pairs.0.p_value``.
    kept, again : str
        What the file holds, and what came out now.
    relative : float or None
        How far apart two numbers are, relative to the larger; None for other values.
    """

    where: str
    kept: str
    again: str
    relative: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt(Result):
    """The answer of `verify`.

    Attributes
    ----------
    file : str
        What was checked.
    subject : str
        The kind of result, or ``Plan``.
    outcome : {'same', 'different', 'not repeated'}
        Whether the work gives the same values to the last bit.
    reason : str
        Why it was not repeated, or in which way it differs.
    edited : bool
        Whether the file does not fit its own fingerprint.
    inputs : tuple of InputCheck
        The data of a result.
    differences : tuple of Difference
        The first values that differ.
    n_values, n_differences : int
        How many values were compared, and how many differ.
    looks : tuple of LookCheck
        Of a plan: every look of its ledger.
    command, created, version : str
        What was typed to get it, when, and with which version.
    """

    file: str = field(metadata={"path": True})
    subject: str
    outcome: Outcome
    reason: str = ""
    edited: bool = False
    inputs: tuple[InputCheck, ...] = ()
    differences: tuple[Difference, ...] = ()
    n_values: int = 0
    n_differences: int = 0
    looks: tuple[LookCheck, ...] = ()
    command: str = ""
    created: str = ""
    version: str = ""
    notes: tuple[str, ...] = field(default=())

    @property
    def exit_code(self) -> int:
        """0 if all is the same, 3 if something differs, 4 if it could not be repeated."""
        return EXIT_CODES[self.outcome]


# --- Whether the files that a result was made from are still what they were ---


def check_inputs(inputs: Iterable[InputFile], folder: FilePath) -> tuple[InputCheck, ...]:
    """Return for every file whether the one of its name below `folder` has the same bytes."""
    return tuple(
        InputCheck(file.path, _state(place_of(file.path, folder), file.sha256), file.sha256)
        for file in inputs
    )


def _state(path: Path, sha256: str) -> InputState:
    if not os.path.isfile(path):  # no pipe and no device: it was read once, and is gone
        return "missing"
    try:
        with open(path, "rb") as opened:
            found = hashlib.file_digest(opened, "sha256").hexdigest()
    except OSError as error:
        raise DataError(f"{path} cannot be read ({error.strerror}).") from error
    return "same" if found == sha256 else "changed"


# --- Where two files of a result hold different values ---

_PARTS = (
    "kind",
    "signature",
    "result",
    "arrays",
)  # when, by which version and how is beside it
_LONGEST = 60  # characters of a value that are shown
_NOTHING = "nothing"


def compared(kept: Mapping[str, Any], again: Mapping[str, Any]) -> tuple[int, list[Difference]]:
    """Return how many values two contents of files hold, and those that differ.

    The version of detectable is no part of the answer: what it gives is compared, and not what
    it is called.

    Examples
    --------
    >>> compared({"kind": "A", "result": {"p": 0.5}}, {"kind": "A", "result": {"p": 0.25}})
    (2, [Difference(where='p', kept='0.5', again='0.25', relative=0.5)])
    """
    values = 0
    found = []
    for part in (name for name in _PARTS if name in kept or name in again):
        pairs = _walk(_answer(kept.get(part), part), _answer(again.get(part), part), part)
        for where, first, second in pairs:
            values += 1
            if not _same(first, second):
                name = where.removeprefix("result.")
                found.append(
                    Difference(name, _shown(first), _shown(second), _apart(first, second))
                )
    return values, found


def _answer(content: Any, part: str) -> Any:
    if part == "signature" and isinstance(content, Mapping):
        return {key: value for key, value in content.items() if key != "version"}
    return content


def _walk(first: Any, second: Any, where: str) -> Iterator[tuple[str, Any, Any]]:
    """Go through the single values of both, side by side."""
    held, other = parts(first), parts(second)
    if held is None or other is None or type(first) is not type(second):
        yield where, first, second
        return
    for key in dict.fromkeys((*held, *other)):
        yield from _walk(held.get(key, _NOTHING), other.get(key, _NOTHING), f"{where}.{key}")


def _same(first: Any, second: Any) -> bool:
    return type(first) is type(second) and bool(first == second)


def _shown(value: Any) -> str:
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _apart(first: Any, second: Any) -> float | None:
    numbers = (int, float)
    if isinstance(first, bool) or isinstance(second, bool):
        return None
    if not (isinstance(first, numbers) and isinstance(second, numbers)):
        return None
    largest = max(abs(first), abs(second))
    return abs(first - second) / largest if math.isfinite(largest) and largest else None
