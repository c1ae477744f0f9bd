"""What the paper did not use: the same raters judged the same segments of both systems.

``python -m replications.wei2022.paired FOLDER`` prints the numbers; FOLDER holds
``shipdata_judgments.parquet``. The paper tests all pairs by Mann-Whitney, as if the two systems
had been judged by strangers on different texts.
"""

import sys
from pathlib import Path

import detectable as dt
from detectable.core.choices import PairTest
from detectable.core.types import Progress, silent
from detectable.data.human.judgments import Judgments
from detectable.data.human.read_judgments import read_judgments
from detectable.study.archive.campaign_pairs import campaign_pairs, swap_calibration
from detectable.study.audit.archive_audit import ArchiveAudit
from replications.listed import Number
from replications.wei2022.table1 import LANGUAGES

TESTS: tuple[PairTest, ...] = ("rank-sum", "paired", "signed-rank")
SWAPS = 20
SEED = 2022


def judgments(folder: Path) -> Judgments:
    """Read all judgments. The item is the text: `segment_id` numbers some texts twice."""
    return read_judgments(folder / "shipdata_judgments.parquet", format="shipdata")


def numbers(
    folder: Path, *, n_swaps: int = SWAPS, progress: Progress = silent
) -> dict[str, Number]:
    """Return what each test decides, and how often it does where there is nothing to decide."""
    table = judgments(folder)
    pairs = campaign_pairs(table, tests=TESTS)
    found = {
        "paired, comparisons": Number(pairs.n_pairs),
        "paired, campaigns": Number(pairs.n_campaigns),
        "paired, judgments with a partner": Number(pairs.matched_share),
        "paired, correlation, median": Number(pairs.correlation),
    }
    for name, ratio in zip(("first", "second", "third"), pairs.variance_ratio, strict=True):
        found[f"paired, variance ratio, {name} quartile"] = Number(ratio)
    for test in pairs.tests:
        found[f"paired, {test.test}, significant"] = Number(test.significant)
        found[f"paired, {test.test}, share"] = Number(test.share)
        if test.test != "rank-sum":
            found[f"paired, {test.test}, gained"] = Number(test.gained)
            found[f"paired, {test.test}, lost"] = Number(test.lost)
    by_rater = campaign_pairs(table, tests=("rank-sum", "paired"), unit="rater").tests[1]
    found["paired, raters like these, significant"] = Number(by_rater.significant)
    found["paired, raters like these, share"] = Number(by_rater.share)
    found |= _audit(table)
    null = swap_calibration(table, tests=TESTS, n_swaps=n_swaps, rng=SEED, progress=progress)
    for level in null.levels:
        name = f"paired, {level.test}, false alarms"
        found[name] = Number(level.share, level.standard_error)
    null = swap_calibration(
        table, tests=("paired",), unit="rater", n_swaps=n_swaps, rng=SEED, progress=progress
    )
    level = null.levels[0]
    found["paired, raters like these, false alarms"] = Number(level.share, level.standard_error)
    return found


def _audit(table: Judgments) -> dict[str, Number]:
    """Return what all comparisons could detect, unpaired and paired."""
    audit = dt.audit(table, by="language-pair")
    if not isinstance(audit, ArchiveAudit) or audit.overall.paired is None:
        raise TypeError(type(audit))
    found: dict[str, Number] = {}
    for name, whole in (("unpaired", audit.overall), ("paired", audit.overall.paired)):
        found |= {
            f"audit, {name}, observed MDE": Number(whole.observed_mde),
            f"audit, {name}, comparisons above": Number(whole.above),
            f"audit, {name}, detectable": Number(whole.detectable),
            f"audit, {name}, underpowered at the median": Number(whole.underpowered),
            f"audit, {name}, budget": Number(whole.budget),
        }
    for group in audit.groups:
        if group.group in LANGUAGES and group.paired is not None:
            name = f"audit, paired, {group.group}"
            found[f"{name}, significant"] = Number(group.paired.significant)
            found[f"{name}, observed MDE"] = Number(group.paired.observed_mde)
    return found


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    for key, (value, error) in numbers(Path(sys.argv[1])).items():
        print(f"{key:48} {value:10.5g}" + (f" ± {error:.2g}" if error else ""))
