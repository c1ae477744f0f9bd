"""Real documents: what resembles what, how many it takes, and how soon a ranking settles."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from detectable.study.reliability.reliability import reliability
from detectable.study.reliability.result import DocumentTarget, RankingPoint, Reliability
from replications.estrella2007.campaigns import CAMPAIGNS, Campaign
from replications.estrella2007.length import METRICS, ORDERS, SEED
from replications.listed import Number

FIVE = 265  # segments of five documents of CESTA, which the paper calls enough to rank systems


def studied(folder: Path, campaigns: Sequence[Campaign] = CAMPAIGNS) -> dict[str, Reliability]:
    """Return the study of the campaigns, with their own documents."""
    return {
        campaign.name: reliability(
            campaign.corpus(folder, like_cesta=False),
            METRICS,
            judgments={"human": campaign.judgments(folder, like_cesta=False)},
            method="delta",
            orders=ORDERS,
            rng=SEED,
        )
        for campaign in campaigns
    }


def numbers(results: Mapping[str, Reliability]) -> dict[str, Number]:
    """Return ICC, design effect, documents for targets, and τ on as many segments as five documents."""
    found: dict[str, Number] = {}
    for name, result in results.items():
        for row in result.clustering:
            what = f"{name}, {row.n_documents} documents, {row.metric}"
            found |= {
                f"{what}, ICC": Number(row.icc),
                f"{what}, design effect": Number(row.design_effect),
                f"{what}, coverage of the segment bootstrap": Number(row.coverage),
            }
            found |= _targets(result, row.metric, what)
    return found


def five(result: Reliability, metric: str) -> RankingPoint:
    """Return how as many segments as five documents of CESTA rank the systems."""
    about = result.about(metric)
    k = FIVE * about["n_documents"] / about["n_segments"]
    return min(result.tau[metric], key=lambda point: abs(point.documents - k))


def _targets(result: Reliability, metric: str, what: str) -> dict[str, Number]:
    """Return documents for an interval of ± 2 %, for a difference of 2 %, and τ on five documents."""
    near = five(result, metric)
    found = {
        f"{what}, τ on {near.documents}": Number(near.full),
        f"{what}, τ on {near.documents}, to the others": Number(near.remainder),
        f"{what}, same winner on {near.documents}": Number(near.same_winner),
    }
    targets: tuple[DocumentTarget, ...] = ("half-width", "effect")
    for target in targets:
        row = result.needed(metric, target)
        if row is not None:
            found[f"{what}, documents for {target} 2 %"] = Number(row.documents)
    return found
