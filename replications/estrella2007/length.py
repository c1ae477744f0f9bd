"""Fifteen documents of CESTA's length: how the spread falls with each, and what is read off it."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from detectable.core.choices import DocumentOrder
from detectable.study.reliability.reliability import reliability
from detectable.study.reliability.result import Reliability
from replications.estrella2007.campaigns import CAMPAIGNS, Campaign
from replications.listed import Number

METRICS = ("gtm", "nist", "bleu", "mper", "mwer", "chrf")
DRAWN = ("human", "gtm", "mwer", "nist", "bleu")  # in the figures
SEED = 2007
ORDERS = 200


def studied(
    folder: Path,
    campaigns: Sequence[Campaign] = CAMPAIGNS,
    *,
    order: DocumentOrder = "given",
) -> dict[str, Reliability]:
    """Return the study of the campaigns, cut into documents of CESTA's length."""
    return {
        campaign.name: reliability(
            campaign.corpus(folder, like_cesta=True),
            METRICS,
            judgments={"human": campaign.judgments(folder, like_cesta=True)},
            method="delta",  # what the bootstrap is an estimate of
            orders=ORDERS,
            order=order,
            chart_metric=DRAWN,
            rng=SEED,
        )
        for campaign in campaigns
    }


def numbers(results: Mapping[str, Reliability]) -> dict[str, Number]:
    """Return what Table 2 has, medians over systems, in the given order and in random ones."""
    found: dict[str, Number] = {}
    for name, result in results.items():
        for fit in result.fits:
            what = f"{name}, 15 documents, {fit.metric}"
            found |= {
                f"{what}, x_max": Number(fit.x_max),
                f"{what}, x_min": Number(fit.x_min),
                f"{what}, b": Number(fit.b),
                f"{what}, b in random orders": Number(fit.b_orders[1]),
                f"{what}, R² of the power law": Number(fit.r2_log),
                f"{what}, systems whose cubic has no minimum": Number(fit.n_without_minimum),
            }
    return found
