"""Forward against reverse data on the human-parity evaluation of Hassan et al. (2018).

Their judgments may not be passed on. Whoever has the release gives its folder; everybody else
gets what follows from the published aggregates.
"""

import os
import tomllib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from detectable.data.human.read_judgments import read_judgments
from detectable.inference.classic_tests import sign_test_p
from detectable.inference.correlation import kendall, pearson, spearman
from detectable.study.translationese.campaigns import translationese_means
from detectable.study.translationese.result import SystemEffect, Translationese
from detectable.study.translationese.translationese import translationese
from replications.listed import Compared, Number

LIST = Path(__file__).parent / "expected.toml"
MEANS = Path(__file__).parent / "hassan2018.csv"
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
        """Return it as a row of ours: what is expected is our own earlier result."""
        problem = "" if self.fits else f"hassan2018: {self.name} differs"
        return Compared(self.name, None, Number(self.found), problem=problem)


class Replicated(NamedTuple):
    """What stands beside published numbers, what stands beside our own, and what is missing."""

    numbers: dict[str, Number | str]
    rows: list[Compared]
    missing: str  # why the release was not read; nothing where it was


def expected() -> dict[str, Any]:
    """Return what is known of the release, and the counts of Läubli et al. (2018)."""
    found = tomllib.loads(LIST.read_text(encoding="utf-8"))
    found["hassan2018"]["z"] = [[row.system, row.forward, row.reverse] for row in means("z")]
    return found


def means(measure: str) -> tuple[SystemEffect, ...]:
    """Return the published means of every system on forward and on reverse data, ``"z"`` or ``"bleu"``."""
    [row] = translationese_means(MEANS).of(measure)
    return row.effects


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


def of_preferences(rows: list[dict[str, Any]]) -> dict[str, Number | str]:
    """Test the preferences that Läubli et al. (2018) counted on the same outputs."""
    return {
        f"Läubli et al. 2018, {row['question']}: p": Number(
            float(sign_test_p(row["human"], row["machine"]))
        )
        for row in rows
    }


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


def sizes(folder: Path, found: Translationese) -> dict[str, Number | str]:
    """Return what the paper says of the size of the evaluation: segments, and judgments of a system."""
    forward = next(part for part in found.parts if part.direction == "forward")
    judgments = read_judgments(folder, format="hassan2018")
    per_system = Counter(judgments.to_columns()["system"])
    return {
        "Hassan et al. 2018, distinct forward segments": Number(forward.n_segments),
        "Hassan et al. 2018, fewest judgments of a system": Number(min(per_system.values())),
    }


def replicate(folder: Path, given: Path | None, everything: dict[str, Any]) -> Replicated:
    """Print what can be checked, and return it."""
    print("\nHassan et al. 2018: forward against reverse (ours, expected)")
    known = everything["hassan2018"]
    numbers = of_preferences(everything["laeubli2018"])
    checks = of_aggregates(known)
    missing = ""
    place = given or release()
    if place is None:
        missing = f"needs the release, whose licence forbids passing it on: {VARIABLE} names its folder"
        print(
            f"Skipped: the judgments themselves, whose licence forbids passing them on. Set {VARIABLE} "
            "to the folder of the release, or give it as the second argument."
        )
    else:
        found = study(place, folder / ORIGINS)
        numbers |= sizes(place, found)
        checks += of_release(found, known)
        print(found.summary())
    for check in checks:
        print(check.line())
    return Replicated(numbers, [check.compared() for check in checks], missing)
