"""A ranking for a paper, as the findings of WMT print it, and the numbers of all pairs."""

from collections.abc import Sequence

from detectable.core.wording import decimals, number
from detectable.report.claimed_pairs import p_of_verdict
from detectable.report.figures.systems_in_order import ranks_of
from detectable.report.methods.ranking import cluster_rule
from detectable.report.paper_table import PairNumbers, PaperCell, PaperColumn, PaperTable
from detectable.report.papers.tested import ranking_test, told
from detectable.study.ranking.ranking import Ranking


def findings(result: Ranking, *, other_score: bool) -> PaperTable:
    """Return ranks, means and systems, with a rule between clusters."""
    with_z = any(row.mean_z == row.mean_z for row in result.systems)
    columns = [PaperColumn("Rank"), PaperColumn("Ave.")]
    columns += [PaperColumn("Ave. z")] if with_z else []
    columns += [PaperColumn("Score")] if other_score else []
    columns.append(PaperColumn("System", "name"))
    rows = []
    for row in result.systems:
        cells = [ranks_of(row), number(row.mean_raw, digits=1)]
        cells += [number(row.mean_z, digits=3)] if with_z else []
        cells += [number(row.score, digits=result.digits)] if other_score else []
        rows.append(tuple(map(PaperCell, [*cells, row.system])))
    clusters = [row.cluster for row in result.systems]
    breaks = tuple(i for i in range(1, len(clusters)) if clusters[i] != clusters[i - 1])
    return PaperTable(
        "ranking", _caption(result, with_z, other_score), tuple(columns), tuple(rows), breaks
    )


def _caption(result: Ranking, with_z: bool, other_score: bool) -> str:  # noqa: FBT001 (one caller)
    by = "Ave. z" if result.scale == "z" else "Ave"
    said = [f"Systems in the order of {'Score' if other_score else by}."]
    in_z = "; Ave. z: in standard deviations of their rater" if with_z else ""
    said.append(f"Ave.: mean of the judged items{in_z}.")
    if result.claim != "better":
        said.append(f"No cluster was asked for ({ranking_test(result)}).")
        return " ".join(said)
    rule, test = cluster_rule(result).removesuffix("."), ranking_test(result)
    if len(result.clusters) == 1:
        rule = "No line can be drawn between clusters"
    said.append(f"{rule} ({test}).")
    said.append(
        "Rank: the ranks that the decided pairs allow. Systems of one cluster are not equally "
        "good: these judgments draw no line between them."
    )
    return " ".join(said)


def pair_numbers(result: Ranking, names: Sequence[str]) -> PairNumbers:
    """Return the numbers of all pairs."""
    pairs = {
        (pair.better, pair.worse): (pair.difference, p_of_verdict(pair))
        for pair in result.pairs
    }
    return PairNumbers.build(
        names,
        pairs,
        digits=result.digits - 1,
        alpha=result.alpha,
        caption=f"in {result.scale} ({ranking_test(result)}).",
        told=told(result.claim),
        same=_same(result),
    )


def _same(result: Ranking) -> str:
    if result.claim != "better" or result.margin is None:
        return ""
    return f"equivalent within ±{number(result.margin, digits=decimals(result.margin))}"
