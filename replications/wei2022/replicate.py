"""Wei et al. (2022), number by number: python -m replications.wei2022.replicate FOLDER [REPEATS].

FOLDER holds the extracts of ShipData that archive.py names. With the 1,000 repetitions of the
paper (the default) this takes some ten minutes; with 20 a quarter of a minute, at tolerances of
four standard errors.
"""

import sys
import tomllib
from pathlib import Path
from typing import Any

from replications.wei2022 import section7, table1
from replications.wei2022.number import Number

REPEATS = 1000


def main(folder: Path, *, n_repeats: int = REPEATS) -> list[str]:
    """Print every number beside the paper's, and return what is not as expected."""
    found = table1.numbers(folder) | section7.numbers(folder, n_repeats=n_repeats)
    expected = expected_numbers()
    problems = [
        f"{row['name']} was not computed" for row in expected if row["name"] not in found
    ]
    for row in expected:
        if row["name"] in found:
            problems += _check(row, found[row["name"]])
    listed = {row["name"] for row in expected}
    return problems + [
        f"{name} is not in expected.toml" for name in found if name not in listed
    ]


def expected_numbers() -> list[dict[str, Any]]:
    """Return the rows of expected.toml."""
    content = tomllib.loads((Path(__file__).parent / "expected.toml").read_text())
    rows: list[dict[str, Any]] = content["number"]
    return rows


def _check(row: dict[str, Any], ours: Number) -> list[str]:
    """Say whether a number is what we expect, and whether the paper's agrees, as we say."""
    paper = row.get("paper")
    matches = paper is not None and ours.near(paper, row["rounding"])
    state = "matches" if matches else ("no number in the paper" if paper is None else "DIFFERS")
    shown = f"{ours.value:.5g} ± {ours.error:.2g}" if ours.error else f"{ours.value:.6g}"
    print(
        f"{row['name']:66} {shown:>18}  paper {paper if paper is not None else '–':>6}  {state}"
    )
    as_expected = ours.near(row["expected"], row["tolerance"], its_error=row.get("error", 0.0))
    if as_expected and matches == row.get("matches", False):
        return []
    return [f"{row['name']}: {shown}, expected {row['expected']}, {state}"]


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    repeats = int(sys.argv[2]) if len(sys.argv) == 3 else REPEATS
    sys.exit("\n".join(main(Path(sys.argv[1]), n_repeats=repeats)) or 0)
