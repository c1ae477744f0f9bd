"""Whether a result or a plan on disk is what its data and its command give."""

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from detectable.core.result import Result
from detectable.core.wording import count, listing
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

    def headline(self) -> str:
        """Say the outcome in one sentence."""
        if self.outcome == "same":
            if self.looks:
                return f"The same: {count(len(self.looks), 'look')} computed again, to the bit."
            return f"The same: {count(self.n_values, 'value')} computed again, to the bit."
        if self.outcome == "different":
            return f"Not the same: {self.reason}"
        return f"Not repeated: {self.reason}"

    def summary(self) -> str:
        """Say the outcome, then the data it rests on."""
        return "\n".join([self.headline(), *self.details()])

    def details(self) -> tuple[str, ...]:
        """Say what the file was made from."""
        made = f"{self.file}: {self.subject}"
        made += f" of {self.created}, detectable {self.version}." if self.created else "."
        said = [made, f"Typed: {self.command}"] if self.command else [made]
        if self.inputs:
            same = sum(file.state == "same" for file in self.inputs)
            said.append(f"{same} of {count(len(self.inputs), 'file')} of data as they were.")
        wrong = [f"{file.path} ({file.state})" for file in self.inputs if file.state != "same"]
        if wrong:
            said.append(f"Not as they were: {listing(wrong, most=10)}.")
        return tuple(said)
