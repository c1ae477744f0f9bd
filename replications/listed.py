"""The numbers of a paper, as a file such as expected.toml lists them, beside what the code computes.

Every row has a `name`, what our code gave when the row was written (`expected`, or «none») and how
exactly it must be met (`tolerance`; simulated numbers also have their standard error, `error`). Where the paper
prints a number, `paper` holds it, `rounding` how far its digits reach, and `matches` says whether
the two agree. A row without `paper` has no number to compare with. `paper` may also be words, such
as the range over the paper's systems: then there is nothing to match, only something to read.
`note` says where the paper's number stands, or why ours differs.
"""

import math
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple


class Number(NamedTuple):
    """A value; simulated ones have an error. None stands for «there is none»."""

    value: float | None
    error: float = 0.0

    def near(self, other: float, tolerance: float, *, its_error: float = 0.0) -> bool:
        """Say whether another number is within the tolerance and four standard errors."""
        if self.value is None:
            return False
        slack = tolerance + 4.0 * math.hypot(self.error, its_error)
        return abs(self.value - other) <= slack

    def shown(self) -> str:
        """Return the value with its error."""
        if self.value is None:
            return "none"
        return f"{self.value:.5g} ± {self.error:.2g}" if self.error else f"{self.value:.6g}"


def exactly(values: Mapping[str, float]) -> dict[str, Number]:
    """Return numbers that no chance is in; NaN is «none»."""
    return {n: Number(None if math.isnan(value) else value) for n, value in values.items()}


def listed(path: Path) -> list[dict[str, Any]]:
    """Return the rows of a list."""
    rows: list[dict[str, Any]] = tomllib.loads(path.read_text(encoding="utf-8"))["number"]
    return rows


@dataclass(frozen=True, slots=True)
class Compared:
    """A number of ours beside the paper's.

    Attributes
    ----------
    paper : float, str or None
        What the paper prints. Words are there to read: nothing is matched.
    ours : Number, str or None
        Words for what is no number, such as the ranks of a cluster. None where it could not be
        computed here; `why` says why.
    tolerance : float or None
        How far the two may lie apart, beside four standard errors of ours.
    matches : bool or None
        None where there is nothing to match.
    why : str
        Where the paper's number stands, or why ours differs.
    problem : str
        What is not as the list says; empty where all is.
    """

    name: str
    paper: float | str | None
    ours: Number | str | None
    tolerance: float | None = None
    matches: bool | None = None
    why: str = ""
    problem: str = ""

    @property
    def state(self) -> str:
        """Say in a word how they compare."""
        if self.ours is None:
            return "not run"
        return {True: "matched", False: "differs", None: ""}[self.matches]

    def line(self) -> str:
        """Return both in one line."""
        ours = self.ours.shown() if isinstance(self.ours, Number) else self.ours or ""
        paper = "" if self.paper is None else f"paper {self.paper}"
        said = {"matched": "matches", "differs": "DIFFERS"}.get(self.state, self.state)
        return f"{self.name:66} {ours:>18}  {paper:>14}  {said}".rstrip()


def compared(path: Path, found: Mapping[str, Number]) -> list[Compared]:
    """Return every number of a list beside ours, and then what no list knows."""
    rows = listed(path)
    names = {row["name"] for row in rows}
    made = [_compared(row, found.get(row["name"])) for row in rows]
    return made + [
        Compared(name, None, ours, problem=f"{name} is not in {path.name}")
        for name, ours in found.items()
        if name not in names
    ]


def told(rows: Iterable[Compared]) -> list[str]:
    """Print every number beside the paper's, and return what is not as listed."""
    rows = list(rows)
    for row in rows:
        print(row.line())
    return [row.problem for row in rows if row.problem]


def compare_listed(path: Path, found: Mapping[str, Number]) -> list[str]:
    """Print every number of a list beside the paper's, and return what is not as listed."""
    return told(compared(path, found))


def _compared(row: Mapping[str, Any], ours: Number | None) -> Compared:
    """Say whether a number is what we expect, and whether the paper's agrees, as we say."""
    name, paper = row["name"], row.get("paper")
    why = row.get("note", "")
    if ours is None:
        return Compared(name, paper, None, why=why, problem=f"{name} was not computed")
    tolerance: float | None = None
    matches: bool | None = None
    if isinstance(paper, int | float):
        tolerance = row["rounding"]
        matches = ours.near(paper, row["rounding"])
    if row["expected"] == "none":
        as_expected = ours.value is None
    else:
        as_expected = ours.near(
            row["expected"], row["tolerance"], its_error=row.get("error", 0.0)
        )
    made = Compared(name, paper, ours, tolerance, matches, why)
    if as_expected and bool(matches) == row.get("matches", False):
        return made
    problem = f"{name}: {ours.shown()}, expected {row['expected']}, {made.state}".rstrip(", ")
    return replace(made, problem=problem)
