"""Table 1: significant comparisons, observed detectable difference, median difference."""

from pathlib import Path

import numpy as np

from detectable.inference.observed_mde import observed_mde
from detectable.kernels.rankcounts import rank_sum_z
from replications.wei2022.archive import load
from replications.wei2022.number import Number

CRITICAL = 1.959963984540054  # two-sided .05
LANGUAGES = (
    "ENU-FRA",
    "ENU-DEU",
    "FRA-ENU",
    "DEU-ENU",
    "JPN-ENU",
    "ENU-JPN",
    "ITA-ENU",
    "CHS-ENU",
    "ENU-PTB",
    "ENU-SVE",
)


def numbers(folder: Path) -> dict[str, Number]:
    """Return the 40 cells, how many comparisons carry each detectable difference, and totals.

    The test is Mann-Whitney's, two-sided, on all judgments. The second number of the table's
    first column is the number of comparisons, not that of the insignificant ones.
    """
    data = load(folder)
    archive = data.scores()
    differences = archive.differences
    second = data.histograms[data.second]
    significant = np.abs(rank_sum_z(archive.first, second)) > CRITICAL
    found: dict[str, Number] = {}
    for name in (*LANGUAGES, "all"):
        chosen = data.languages == name if name != "all" else np.ones(len(archive), bool)
        answer = observed_mde(differences[chosen], significant[chosen])
        other = observed_mde(differences[chosen], significant[chosen], rule="any")
        found |= {
            f"table 1, {name}, significant": Number(answer.n_significant),
            f"table 1, {name}, comparisons": Number(answer.n_comparisons),
            f"table 1, {name}, detectable": Number(answer.effect),
            f"table 1, {name}, detectable, any": Number(other.effect),
            f"table 1, {name}, median": Number(answer.median_difference),
            f"table 1, {name}, comparisons above": Number(answer.n_above),
        }
    return found
