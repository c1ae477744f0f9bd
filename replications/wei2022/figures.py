"""Figures 2 to 6 of Wei, Kocmi and Federmann (2022), from ShipData, as the commands draw them.

detectable audit shipdata_hist.npz --by language-pair --only ENU-FRA --chart past:2.svg
detectable sample-size ratings --from shipdata_hist.npz --by language-pair --effect 1,1.25,… \
        --power .95 --test rank-sum --continuous --method closed-form --chart sizes:3.svg
detectable savings shipdata_hist.npz --procedure fixed,interim,interim-futility --step 100 \
        --planned 600,1200,1800,2300,3600,5400 --large 3 --repeats 1000 \
        --chart powers:4.svg --chart spent:5.svg --chart sizes:6.svg
"""

from collections.abc import Iterator
from pathlib import Path

import detectable as dt
from detectable.core.types import Progress, silent
from detectable.planning.ratings import Ratings
from detectable.planning.result import SampleSizes
from detectable.planning.sample_sizes import PastRatings, past_ratings
from detectable.study.archive.comparison_archive import ComparisonArchive
from detectable.study.archive.procedure_savings import ProcedureSavings
from detectable.study.archive.procedures import simulate_procedures, stopping_procedure
from replications.page import Figure, charted

SHOWN = "ENU-FRA"  # the language pair of Figure 2
DIFFERENCES = tuple(1.0 + 0.25 * i for i in range(13))
POWER = 0.95  # of Figure 3
PROCEDURES = ("fixed", "interim", "interim-futility")
PLANNED = (600, 1200, 1800, 2300, 3600, 5400)
LARGE = 3.0  # points; the paper names none
STEP = 100
SEED = 2022


def figures(
    folder: Path, *, n_repeats: int, n_jobs: int = 1, progress: Progress = silent
) -> Iterator[Figure]:
    """Yield the figures, each a picture of what a command returns."""
    archive = folder / "shipdata_hist.npz"
    yield charted(
        dt.audit(archive, by="language-pair", only=[SHOWN]),
        "past",
        number="2",
        said=f"Figure 2 has a point for each comparison of {SHOWN}, and the line of its detectable difference (Table 1). Here:",
        better="The line stands on 18 comparisons; 95 % power for a difference that is named beforehand says more (Figure 3).",
    )
    yield charted(
        needed(archive),
        "sizes",
        number="3",
        said="Figure 3 has the judgments for a detectable difference, a curve for each language pair, from simulated Gamma scores; its values are not in the text. Here:",
        better="The second system is taken to have the same variance: the paper does not say, and the rule decides the answer. A pilot (`power pilot`) needs no such rule.",
    )
    found = replayed(archive, n_repeats=n_repeats, n_jobs=n_jobs, progress=progress)
    yield charted(
        found,
        "powers",
        number="4",
        said="Figure 4 has the power of each comparison, fixed at 1,200 judgments against futility planned for 2,300, which collects about 1,200. Here:",
        better="Power against cost, Figure 6, compares at equal cost and in one number.",
    )
    yield charted(
        found,
        "spent",
        number="5",
        said="Figure 5 has the average number of judgments collected by the size of the difference, 1,200 planned. Here:",
        better="Spending by size says nothing of what is found for it: the table gives both.",
    )
    yield charted(
        found,
        "sizes",
        number="6",
        said="Figure 6 has the average power for the judgments spent (a) on all, (b) large and (c) small differences, above their histogram; its text swaps b and c, and no threshold is named. Here:",
        better="What is saved at equal power stands in the table.",
    )


def spread(archive: Path) -> tuple[PastRatings, ...]:
    """Return mean and standard deviation of scores by language pair, averaged over systems."""
    return past_ratings(archive, by="language-pair")[0]


def needed(archive: Path) -> SampleSizes:
    """Return the judgments for each difference, from the Gamma model."""
    scenarios = {
        one.group: Ratings(
            mean=one.mean, sd=one.sd, test="rank-sum", continuous=True, method="closed-form"
        )
        for one in spread(archive)
    }
    return dt.sample_sizes(scenarios, effect=DIFFERENCES, power=POWER, name="language pair")


def replayed(
    archive: Path, *, n_repeats: int, n_jobs: int = 1, progress: Progress = silent
) -> ProcedureSavings:
    """Return the paper's procedures, replayed on all comparisons."""
    stored = dt.read_score_histograms(archive)
    return simulate_procedures(
        ComparisonArchive.from_score_histograms(stored),
        [stopping_procedure(name) for name in PROCEDURES],  # type: ignore[arg-type]  # of a tuple of words
        PLANNED,
        n_repeats=n_repeats,
        step=STEP,
        large=LARGE,
        rng=SEED,
        n_jobs=n_jobs,
        progress=progress,
    )
