"""Forward against reverse data, as in Figures 1 to 4 of Graham, Haddow and Koehn (2020), by the command that users have.

The submissions to WMT15 to WMT18 that the paper uses, whose files carry the original languages, are not at hand here. What is
drawn are published means of the human-parity evaluation of Hassan et al. (2018), which the paper evaluates again:
``detectable translationese --means hassan2018.csv``.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import detectable as dt
from detectable.report.blocks import Column, table
from detectable.report.charts.halves import Correlations
from detectable.report.shown.campaign_halves import correlations_of
from detectable.study.translationese.campaigns import TranslationeseCampaigns
from replications.graham2020.hassan2018 import MEANS
from replications.page import Figure, charted

_COEFFICIENTS = {"pearson": "r", "spearman": "ρ", "kendall": "τ"}
_Z = "nine translations of Hassan et al. (2018), newstest2017 Chinese-English, 92 forward and 89 reverse segments, three of them by people"
_BLEU = "five outputs of Hassan et al. (2018) against Reference-HT, newstest2017 Chinese-English, 1,000 forward and 1,001 reverse lines"
_NOT_AT_HAND = "whose submissions are not at hand here"


def means() -> TranslationeseCampaigns:
    """Return what the published means say: translationese --means hassan2018.csv."""
    return dt.translationese_means(MEANS)


def figures() -> Iterator[Figure]:
    """Yield the four figures."""
    found = means()
    yield charted(
        found,
        "gains-z",
        number="1",
        rows="z",
        said="The paper's Figure 1 has a box for each language pair: reverse − forward Direct Assessment scores of all systems of WMT17 and WMT18, "
        f"{_NOT_AT_HAND}. Here {_Z}.",
    )
    yield charted(
        found,
        "gains-bleu",
        number="2",
        rows="bleu",
        said="The paper's Figure 2 has a box for each language pair: reverse − forward BLEU of all systems of WMT15 to WMT18, "
        f"{_NOT_AT_HAND}. Here {_BLEU}.",
    )
    yield charted(
        found,
        "changes",
        number="3",
        said="The paper's Figure 3 has all pairs of systems of WMT15 to WMT18 (BLEU), and of WMT17 and WMT18 (Direct Assessment), "
        f"{_NOT_AT_HAND}. Here {_Z}; and {_BLEU}.",
    )
    yield _correlations(found)


def _correlations(found: TranslationeseCampaigns) -> Figure:
    """Return Figure 4: both measures in one chart, which the command draws apart."""
    rows = [
        Correlations(
            f"{row.campaign}, {found.label(row.measure)}",
            {name: row.correlation(name) for name in _COEFFICIENTS},
        )
        for row in found.rows
    ]
    chart = correlations_of(rows, "BLEU and human scores", id="figure-4")
    columns = (
        Column("name", "competition", "name"),
        *(
            Column(name, sign, digits=3, of=partial(_value, name))
            for name, sign in _COEFFICIENTS.items()
        ),
    )
    said = (
        "The paper's Figure 4 has Pearson's, Spearman's and Kendall's correlations of every competition of WMT15 to WMT18, "
        f"{_NOT_AT_HAND}. Here {_Z}; and {_BLEU}."
    )
    numbers = table("figure-4-numbers", "Numbers of figure 4", columns, rows, folded=True)
    caption = f"{said} {chart.caption}"
    return Figure(replace(chart, caption=caption, twin=numbers.id, key=False), numbers)


def _value(name: str, row: Correlations) -> float:
    return row.values[name]
