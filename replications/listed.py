"""Numbers that others have published, as a file such as expected.toml lists them, beside what the code computes.

Every row has a `name`, what our code gave when the row was written (`expected`, or «none») and how
exactly it must be met (`tolerance`; simulated numbers also have their standard error, `error`). A
number that somebody has published is one of three kinds:

- printed in the paper: `paper` holds it, `printed` the characters as they stand there, `where` the place,
  and `near` a word of the same line of its text;
- of the authors' code and data, or of other published results: `published` holds it, and `source` is
  a key of `SOURCES`.

`rounding` is how far the published number reaches: half a unit of its last digit. Where it is more, `reason`
says why (chance in their simulation, another tool). `above` says that the number is a lower bound: «over 80 %».
Whether the two agree follows from `expected`; no row claims it. `of` names another row whose value is
meant, where one value of ours stands beside two published ones. `needs` names what not every machine has.

A row with `beside` has words of the paper, such as the range over its systems: there is nothing to match,
only something to read. A row with none of these is ours alone. `note` says why ours differs.
"""

import math
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

Kind: TypeAlias = Literal["paper", "authors", "others"]
KINDS: Mapping[Kind, str] = {
    "paper": "printed in the paper",
    "authors": "the authors' code and data",
    "others": "other published results",
}
SOURCES: Mapping[str, Kind] = {
    "accuracy.ipynb": "authors",  # of dallascard/NLP-power-analysis, like the next two
    "BLEU.ipynb": "authors",
    "highvar_lowmer_lmer.csv": "authors",
    "MultEval 0.5.1": "others",  # jhclark/multeval, run on its own example
    "WMT21 official results": "others",  # wmt-conference/wmt21-news-systems
    "WMT22 official results": "others",  # wmt-conference/wmt22-news-systems
}


class Number(NamedTuple):
    """A value; simulated ones have an error. None stands for «there is none»."""

    value: float | None
    error: float = 0.0

    def near(self, other: float, tolerance: float, *, its_error: float = 0.0) -> bool:
        """Say whether another number is within the tolerance and four standard errors."""
        if self.value is None:
            return False
        slack = tolerance + 4.0 * math.hypot(self.error, its_error)
        return (
            abs(self.value - other) <= slack + 1e-12
        )  # printed digits are no binary fractions

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


def kind(row: Mapping[str, Any]) -> Kind | None:
    """Say who has published a number; nobody has, of most."""
    if "paper" in row:
        return "paper"
    return SOURCES[row["source"]] if "published" in row else None


@dataclass(frozen=True, slots=True)
class Total:
    """What is matched of the numbers that there are to match."""

    matched: int
    stated: int

    def __str__(self) -> str:
        """Return both, as the README has them."""
        return f"{self.matched} of {self.stated}" if self.stated else "none"


def counted(rows: Iterable[Mapping[str, Any]]) -> dict[Kind, Total]:
    """Compare every number of a list with what our code gave, and count by who published it."""
    verdicts: dict[Kind, list[bool]] = {name: [] for name in KINDS}
    for row in rows:
        who = kind(row)
        if who is not None:
            verdicts[who].append(agrees(row, _expected(row)))
    return {name: Total(sum(found), len(found)) for name, found in verdicts.items()}


def agrees(row: Mapping[str, Any], ours: Number | str) -> bool:
    """Say whether a value of ours is the published one of a row."""
    published = row.get("paper", row.get("published"))
    if isinstance(published, str) or isinstance(ours, str):
        return bool(published == ours)
    if row.get("above"):
        return ours.value is not None and ours.value > float(published)
    return ours.near(published, row["rounding"])


@dataclass(frozen=True, slots=True)
class Compared:
    """A number of ours beside a published one.

    Attributes
    ----------
    published : float, str or None
        What others say. Words without a kind are there to read: nothing is matched.
    ours : Number, str or None
        Words for what is no number, such as the ranks of a cluster. None where it could not be
        computed here; `why` says why.
    tolerance : float or None
        How far the two may lie apart, beside four standard errors of ours.
    matches : bool or None
        None where there is nothing to match, or nothing was computed.
    why : str
        Why ours differs, or why the tolerance is what it is.
    problem : str
        What is not as the list says; empty where all is.
    kind : str or None
        Who has published it, a key of `KINDS`.
    source : str
        Where it stands.
    """

    name: str
    published: float | str | None
    ours: Number | str | None
    tolerance: float | None = None
    matches: bool | None = None
    why: str = ""
    problem: str = ""
    kind: Kind | None = None
    source: str = ""

    @property
    def state(self) -> str:
        """Say in a word how they compare."""
        if self.ours is None:
            return "not run"
        return {True: "matched", False: "differs", None: ""}[self.matches]

    def line(self) -> str:
        """Return both in one line."""
        ours = self.ours.shown() if isinstance(self.ours, Number) else self.ours or ""
        published = "" if self.published is None else f"published {self.published}"
        said = {"matched": "matches", "differs": "DIFFERS"}.get(self.state, self.state)
        return f"{self.name:66} {ours:>18}  {published:>19}  {said}".rstrip()


def compared(
    path: Path,
    found: Mapping[str, Number | str],
    *,
    missing: Mapping[str, str] | None = None,
) -> list[Compared]:
    """Return every number of a list beside ours, and then what no list knows.

    `missing` says of what rows need why it is not here.
    """
    rows = listed(path)
    names = {row.get("of", row["name"]) for row in rows}
    made = [
        _compared(row, found.get(row.get("of", row["name"])), missing or {}) for row in rows
    ]
    return made + [
        Compared(name, None, ours, problem=f"{name} is not in {path.name}")
        for name, ours in found.items()
        if name not in names
    ]


def told(rows: Iterable[Compared]) -> list[str]:
    """Print every number beside the published one, and return what is not as listed."""
    rows = list(rows)
    for row in rows:
        print(row.line())
    return [row.problem for row in rows if row.problem]


def compare_listed(path: Path, found: Mapping[str, Number | str]) -> list[str]:
    """Print every number of a list beside the published one, and return what is not as listed."""
    return told(compared(path, found))


def _expected(row: Mapping[str, Any]) -> Number | str:
    """Return what our code gave when the row was written."""
    if row["expected"] == "none":
        return Number(None)
    if isinstance(row["expected"], str):
        return str(row["expected"])
    return Number(row["expected"], row.get("error", 0.0))


def _compared(
    row: Mapping[str, Any], ours: Number | str | None, missing: Mapping[str, str]
) -> Compared:
    """Say whether a number is what we expect, and whether the published one agrees, as listed."""
    name, who, expected = row["name"], kind(row), _expected(row)
    published = row.get("paper", row.get("published", row.get("beside")))
    if row.get("above"):
        published = f"above {published:g}"
    made = Compared(
        name,
        published,
        ours,
        None if who is None or isinstance(published, str) else row.get("rounding", 0.0),
        why="; ".join(row[part] for part in ("note", "reason") if part in row),
        kind=who,
        source=row.get("where", row.get("source", "")),
    )
    if ours is None:
        absent = missing.get(row.get("needs", ""), "")
        problem = "" if absent else f"{name} was not computed"
        return replace(made, why=absent or made.why, problem=problem)
    as_expected = _as_expected(row, ours, expected)
    listed_verdict = None if who is None else agrees(row, expected)
    verdict = None if who is None else agrees(row, ours)
    if _less_exact(ours, expected) and as_expected:
        verdict = listed_verdict  # few repetitions do not overrule the many behind the list
    made = replace(made, matches=verdict)
    if as_expected and verdict == listed_verdict:
        return made
    shown = ours.shown() if isinstance(ours, Number) else ours
    problem = f"{name}: {shown}, expected {row['expected']}, {made.state}".rstrip(", ")
    return replace(made, problem=problem)


def _as_expected(row: Mapping[str, Any], ours: Number | str, expected: Number | str) -> bool:
    if isinstance(ours, str) or isinstance(expected, str):
        return ours == expected
    if expected.value is None:
        return ours.value is None
    return ours.near(expected.value, row["tolerance"], its_error=expected.error)


def _less_exact(ours: Number | str, expected: Number | str) -> bool:
    return (
        isinstance(ours, Number)
        and isinstance(expected, Number)
        and ours.error > expected.error
    )
