"""Every method, statistic, table, figure and recommendation of the five papers, a row each: python -m replications.rows.

`rows.toml` says of each where it stands in the paper, whether it works here, and what to type for it:

- `paper`, `name`, `where`: which paper, what, and its place there;
- `outcome`: «works»; «partly» and «not at hand» (the data), which say why in `reason`; «not ours», what is no task of
  a tool. What works on other data than the paper's says on which in `reason`;
- `command`: what to type, or would be with the data, a line for each command; `{data}` is the folder of the reference data,
  `{here}` that of this file;
- `says`: what these commands print, each a regular expression; `writes`: files that they write;
- `slow`: more than a few seconds.

The tests run every row that the data allow.
"""

import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

Outcome: TypeAlias = Literal["works", "partly", "not at hand", "not ours"]
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)
STATED: Mapping[str, int] = {  # rows of each paper
    "wei2022": 32,
    "graham2020": 20,
    "estrella2007": 36,
    "clark2011": 24,
    "card2020": 40,
}
LIST = Path(__file__).parent / "rows.toml"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One thing that a paper does, shows or asks for, and what it takes here."""

    paper: str
    name: str
    where: str
    outcome: Outcome
    command: str = ""
    says: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    reason: str = ""
    slow: bool = False

    def lines(self, data: Path) -> list[str]:
        """Return the commands, one each, with the folder of the data in its place."""
        joined = self.command.replace("\\\n", " ").replace("{data}", str(data))
        joined = joined.replace("{here}", str(LIST.parent))
        return [line.strip() for line in joined.splitlines() if line.strip()]


def rows(path: Path = LIST) -> list[Row]:
    """Return all rows, in the order of the list."""
    found = tomllib.loads(path.read_text(encoding="utf-8"))["row"]
    return [Row(**{name: _value(said) for name, said in row.items()}) for row in found]


def _value(said: Any) -> Any:
    return tuple(said) if isinstance(said, list) else said


def counted(found: Iterable[Row]) -> dict[str, Counter[Outcome]]:
    """Count the outcomes of every paper."""
    counts: dict[str, Counter[Outcome]] = {paper: Counter() for paper in STATED}
    for row in found:
        counts[row.paper][row.outcome] += 1
    return counts


def main() -> None:
    """Print the counts, what does not work with its reason, and what works on other data."""
    found = rows()
    counts = counted(found)
    for paper, count in (*counts.items(), ("all five", sum(counts.values(), Counter()))):
        print(f"{paper:13}", *(f"{count[outcome]:5} {outcome}" for outcome in OUTCOMES))
    for row in found:
        if row.reason:
            print(f"{row.paper}: {row.name}: {row.outcome}. {row.reason}")


if __name__ == "__main__":
    main()
