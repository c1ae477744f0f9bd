"""Forward against reverse data on the human-parity evaluation of Hassan et al. (2018).

Their judgments may not be passed on. Whoever has the release gives its folder; everybody else
gets what follows from the published aggregates.
"""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from detectable.data.human.read_judgments import read_judgments
from detectable.inference.classic_tests import sign_test_p
from detectable.inference.correlation import kendall, pearson, spearman
from detectable.study.translationese.result import Translationese
from detectable.study.translationese.translationese import translationese
from replications.listed import Compared, Number

VARIABLE = "DETECTABLE_HASSAN2018"
ORIGINS = "newstest2017_zhen_origlang.parquet"
HUMAN, SYSTEM = "Reference-HT", "Combo-6"


@dataclass(frozen=True, slots=True)
class Check:
    """One number of ours beside the expected one."""

    name: str
    found: float
    expected: float
    tolerance: float

    @property
    def fits(self) -> bool:
        """Whether they agree."""
        return abs(self.found - self.expected) <= self.tolerance

    def line(self) -> str:
        """Return both in one line."""
        said = f"{self.name:44} {self.found:10.4f} {self.expected:10.4f}"
        return f"{said}  {'ok' if self.fits else 'DIFFERS'}"

    def compared(self) -> Compared:
        """Return it as a row of the table of the paper."""
        problem = "" if self.fits else f"hassan2018: {self.name} differs"
        ours, tolerance = Number(self.found), self.tolerance
        return Compared(self.name, self.expected, ours, tolerance, self.fits, problem=problem)


def release() -> Path | None:
    """Return where the release is, if the environment says so."""
    folder = os.environ.get(VARIABLE)
    return Path(folder) if folder else None


def of_aggregates(expected: dict[str, Any]) -> list[Check]:
    """Correlate the published mean scores of the systems on the two halves."""
    scores = np.array([[forward, reverse] for _, forward, reverse in expected["z"]]).T
    return [
        Check(f"{name} of published means", float(function(*scores)), expected[name], 5e-4)
        for name, function in (
            ("pearson", pearson),
            ("spearman", spearman),
            ("kendall", kendall),
        )
    ]


def of_preferences(rows: list[dict[str, Any]]) -> list[Check]:
    """Test the preferences that Läubli et al. (2018) counted on the same outputs."""
    return [
        Check(
            f"Läubli et al. 2018, {row['question']}: p",
            float(sign_test_p(row["human"], row["machine"])),
            row["p"],
            5e-6,
        )
        for row in rows
    ]


def study(folder: Path, origins: Path) -> Translationese:
    """Run the study on the release, in z as the paper has it."""
    judgments = read_judgments(folder, format="hassan2018")
    return translationese(
        judgments,
        original_languages=origins,
        language_pair="zh-en",
        standardise="z",
        human=HUMAN,
        margin={"z": 0.1},
        rng=2020,
    )


def of_release(found: Translationese, expected: dict[str, Any]) -> list[Check]:
    """Compare the study of the release with what is known of it."""
    checks = []
    counts = {part.direction: part for part in found.parts}
    for half in ("forward", "reverse"):
        n = float(counts[half].n_segments)
        checks.append(Check(f"distinct segments, {half}", n, expected[f"n_{half}"], 0.0))
    for half, first, second, key in (
        ("forward", HUMAN, SYSTEM, "p_segments"),
        ("reverse", SYSTEM, HUMAN, "p_reverse"),
    ):
        row = next(
            r
            for r in found.replicated
            if r.half == half and {r.first, r.second} == {first, second}
        )
        p = row.p_segments if row.first == first else 1.0 - row.p_segments
        checks.append(Check(f"{half}: p of {first} > {second} on n", p, expected[key], 5e-4))
        if half == "forward":
            wrong = row.p_judgments if row.first == first else 1.0 - row.p_judgments
            checks.append(
                Check("forward: the same on N judgments", wrong, expected["p_judgments"], 5e-5)
            )
    effects = {row.system: row for row in found.effects if row.measure == "z"}
    for name, forward, reverse in expected["z"]:
        checks.append(Check(f"{name}, forward z", effects[name].forward, forward, 5e-4))
        checks.append(Check(f"{name}, reverse z", effects[name].reverse, reverse, 5e-4))
    for pair in found.agreement:
        if pair.measure == "z":
            name = pair.coefficient
            checks.append(Check(f"{name} between halves", pair.value, expected[name], 5e-4))
    return checks


def replicate(folder: Path, given: Path | None, everything: dict[str, Any]) -> list[Compared]:
    """Print what can be checked, and return it, with what does not match."""
    print("\nHassan et al. 2018: forward against reverse (ours, expected)")
    expected = everything["hassan2018"]
    checks = of_aggregates(expected) + of_preferences(everything["laeubli2018"])
    place = given or release()
    found = None if place is None else study(place, folder / ORIGINS)
    if found is not None:
        checks += of_release(found, expected)
    for check in checks:
        print(check.line())
    if found is None:
        print(
            f"Skipped: the judgments themselves, whose licence forbids passing them on. Set {VARIABLE} "
            "to the folder of the release, or give it as the second argument."
        )
    else:
        print(found.summary())
    return [check.compared() for check in checks]
