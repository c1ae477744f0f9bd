"""Card et al. (2020), number by number: python -m replications.card2020.replicate FOLDER.

FOLDER holds the data files of github.com/dallascard/NLP-power-analysis that README.md names.
"""

import sys
import tomllib
from pathlib import Path
from typing import Any

from replications.card2020 import accuracy, bleu, glue, likert, squad, survey


def main(folder: Path) -> list[str]:
    """Print every number beside the paper's, and return what is not as expected."""
    found = (
        accuracy.numbers()
        | glue.numbers(folder)
        | squad.numbers(folder)
        | bleu.numbers()
        | likert.numbers(folder)
        | survey.numbers(folder)
    )
    expected = tomllib.loads((Path(__file__).parent / "expected.toml").read_text())["number"]
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


def _check(row: dict[str, Any], ours: float) -> list[str]:
    """Say whether a number is what we expect, and whether the paper's agrees, as we say."""
    unattainable = row["expected"] == "not attainable"
    as_expected = (
        ours != ours if unattainable else _near(ours, row["expected"], row["tolerance"])
    )
    paper = row.get("paper")
    matches = paper is not None and _near(ours, paper, row["rounding"])
    state = "matches" if matches else ("no number in the paper" if paper is None else "DIFFERS")
    shown = "not attainable" if unattainable else f"{ours:.5g}"
    print(
        f"{row['name']:48} ours {shown:>14}  paper {paper if paper is not None else '–':>7}  {state}"
    )
    if as_expected and matches == row.get("matches", False):
        return []
    return [f"{row['name']}: {shown}, expected {row['expected']}, {state}"]


def _near(a: float, b: float, tolerance: float) -> bool:
    return abs(a - b) <= tolerance


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit("\n".join(main(Path(sys.argv[1]))) or 0)
