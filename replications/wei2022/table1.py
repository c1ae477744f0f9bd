"""Table 1: significant comparisons, observed detectable difference, median difference."""

from pathlib import Path

import numpy as np

import detectable as dt
from detectable.inference.observed_mde import observed_mde
from detectable.study.audit.archive_audit import ArchiveAudit
from replications.listed import Number

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
    return of_audit(audited(folder))


def audited(folder: Path) -> ArchiveAudit:
    """Return what all comparisons could detect, by language pair."""
    audit = dt.audit(folder / "shipdata_hist.npz", by="language-pair")
    if not isinstance(audit, ArchiveAudit):
        raise TypeError(type(audit))
    return audit


def of_audit(audit: ArchiveAudit) -> dict[str, Number]:
    """Return the numbers of the table."""
    groups = {group.group: group for group in (*audit.groups, audit.overall)}
    found: dict[str, Number] = {}
    for name in (*LANGUAGES, "all"):
        group = groups[name]
        found |= {
            f"table 1, {name}, significant": Number(group.significant),
            f"table 1, {name}, comparisons": Number(group.total),
            f"table 1, {name}, detectable": Number(group.observed_mde),
            f"table 1, {name}, detectable, any": Number(_by_any_rule(audit, name)),
            f"table 1, {name}, median": Number(group.median_difference),
            f"table 1, {name}, comparisons above": Number(group.above),
        }
    return found


def _by_any_rule(audit: ArchiveAudit, name: str) -> float | None:
    """Return the other reading of the text: the smallest difference with the share, anywhere."""
    seen = audit.past.tested
    languages = np.array(audit.past.labels["language"])
    chosen = np.full(languages.size, fill_value=True) if name == "all" else languages == name
    significant = seen.p_value[chosen] < audit.alpha
    return observed_mde(seen.difference[chosen], significant, rule="any").effect
