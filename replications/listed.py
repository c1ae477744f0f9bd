"""The numbers of a paper, as a file such as expected.toml lists them, beside what the code computes.

Every row has a `name`, what our code gave when the row was written (`expected`, or «none») and how
exactly it must be met (`tolerance`; simulated numbers also have their standard error, `error`). Where the paper
prints a number, `paper` holds it, `rounding` how far its digits reach, and `matches` says whether
the two agree. A row without `paper` has no number to compare with. `paper` may also be words, such
as the range over the paper's systems: then there is nothing to match, only something to read.
"""

import math
import tomllib
from collections.abc import Mapping
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


def compare_listed(path: Path, found: Mapping[str, Number]) -> list[str]:
    """Print every number beside the paper's, and return what is not as listed."""
    rows = listed(path)
    names = {row["name"] for row in rows}
    problems = [f"{name} is not in {path.name}" for name in found if name not in names]
    for row in rows:
        if row["name"] not in found:
            problems.append(f"{row['name']} was not computed")
        else:
            problems += _compare(row, found[row["name"]])
    return problems


def _compare(row: Mapping[str, Any], ours: Number) -> list[str]:
    """Say whether a number is what we expect, and whether the paper's agrees, as we say."""
    paper: float | str | None = row.get("paper")
    matches, state = False, ""
    if isinstance(paper, int | float):
        matches = ours.near(paper, row["rounding"])
        state = "matches" if matches else "DIFFERS"
    print(f"{row['name']:66} {ours.shown():>18}  {_beside(paper):>14}  {state}".rstrip())
    if row["expected"] == "none":
        as_expected = ours.value is None
    else:
        as_expected = ours.near(
            row["expected"], row["tolerance"], its_error=row.get("error", 0.0)
        )
    if as_expected and matches == row.get("matches", False):
        return []
    return [f"{row['name']}: {ours.shown()}, expected {row['expected']}, {state}"]


def _beside(paper: float | str | None) -> str:
    return "" if paper is None else f"paper {paper}"
