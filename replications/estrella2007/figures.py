"""The figures of Estrella et al. (2007), drawn as users draw them, on two WMT campaigns.

CESTA's data are not public. Its fifteen documents are replaced by fifteen of the same length
(`Campaign.corpus`), its five systems by five of ten, its adequacy and fluency by direct
assessment, its health domain by another campaign. The charts are those of ``detectable
reliability``, by their names.
"""

from collections.abc import Iterator

from replications.estrella2007.campaigns import JA_EN, RU_EN
from replications.estrella2007.replicate import Studies
from replications.page import Figure, charted

_RU_EN = "Here 15 documents of 50 segments and more, made of consecutive news of WMT21 Russian-English."
_JA_EN = "Here 15 such documents of WMT22 Japanese-English."
# Figure, chart, campaign, order, and what the paper shows.
_FIGURES = (
    ("1", "scores-human", RU_EN, "given", "average adequacy of its five systems"),
    ("2", "scores-gtm", RU_EN, "given", "GTM of its five systems"),
    ("3", "scores-mwer", RU_EN, "given", "mWER of its five systems"),
    ("4", "scores-human", JA_EN, "random", "adequacy in the health domain, in random order"),
    ("5", "interval-nist", RU_EN, "given", "NIST of one system with its interval"),
    ("6", "scores-human", RU_EN, "random", "adequacy of its five systems in random order"),
    ("7", "orders-gtm", RU_EN, "random", "GTM of one system in two random orders"),
    ("8", "orders-gtm", RU_EN, "random", "its relative standard deviation in both orders"),
    ("9", "spread-human", RU_EN, "given", "the standard deviation of adequacy"),
    ("10", "spread-bleu", RU_EN, "given", "the standard deviation of BLEU"),
    ("11", "tangents-bleu", RU_EN, "given", "tangents of two systems that meet zero at x_min"),
)


def figures(found: Studies) -> Iterator[Figure]:
    """Yield eleven figures."""
    for number, chart, campaign, order, showed in _FIGURES:
        studies = found.random if order == "random" else found.long
        result = studies[campaign.name]
        metric = chart.partition("-")[2]
        data = _RU_EN if campaign is RU_EN else _JA_EN
        yield charted(
            result,
            chart,
            number=number,
            said=f"The paper shows {showed}. {data}",
            rows=result.label(metric),
        )
