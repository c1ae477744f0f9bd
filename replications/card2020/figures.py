"""Figures 3 to 6, 9 and 17 of Card et al. (2020), by the commands that users have."""

from collections.abc import Iterator
from pathlib import Path

import detectable as dt
from detectable.planning.result import PowerCurve, PowerCurves
from replications.card2020.likert import PRESETS
from replications.card2020.squad import leaderboard
from replications.card2020.survey import audit_survey
from replications.page import Figure, charted

# As in the authors' notebook of Figure 3.
AGREEMENTS = (0.7, 0.95)
SIZES = (100, 250, 500, 1000, 5000)
GAINS = (0.0025, 0.005, 0.0075, 0.01, 0.0125, 0.015, 0.02, 0.025, 0.03, 0.04, 0.05)

SEGMENTS = (500, 1000, 2000, 3000, 5000)
POINTS = (0.1, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 1.75, 2.0, 2.25, 2.5, 2.75, 3.0)  # of BLEU
ENDS_P0, ENDS_B0 = (0.09, 0.19), (22.5, 29.4)  # the smallest and the largest of Table 3

ITEMS, RATERS = (50, 100, 500), (3, 10)
DIFFERENCES = (0.1, 0.2, 0.3, 0.4)  # true ones: twice the β of the paper's axis


def figures(folder: Path) -> Iterator[Figure]:
    """Yield the figures that the formulas and the public tables allow."""
    yield charted(
        accuracy(),
        number="3",
        said="The paper's Figure 3 has power by size, difference and agreement, from 5,000 simulated data sets per point; the dashed line is 80 %. "
        "Here power is exact (McNemar's test): no simulation, no data.",
    )
    yield charted(
        bleu(),
        number="4",
        said="The paper's Figure 4 is power in BLEU by the number of segments and the difference, with the averages of P0 and b0; its abstract says «approximately 75 %» for 2,000 segments and 1 BLEU. "
        "Here the same model in closed form, with P0 = .13 and b0 = 25.8; the outputs behind the fits are not at hand here.",
    )
    yield charted(
        audit_survey(folder),
        number="5",
        said="The paper's Figure 5 shows the same comparisons of EMNLP 2019: no significant correlation of size and effect. "
        "Drawn from the authors' public table, without the two largest losses, as they did.",
    )
    yield charted(
        likert(),
        number="6",
        said="The paper's Figure 6 has these four panels, high variance on top, three raters on the left; its difference β is half of the true one. "
        "Lines: power of the authors' test in closed form. All 48 numbers that they stored are compared with it in the table.",
    )
    yield charted(
        leaderboard(folder),
        "sets",
        number="9",
        said="The paper's Figure 9 (its appendix was not at hand) shows differences and agreement of all pairs of systems of SQuAD 2.0 on development "
        "data and on the test set, r = .99 of both. Here the differences; the agreement on the private test set is not public.",
    )
    yield charted(
        assumptions(),
        number="17",
        said="The paper's Figure 17 (its appendix was not at hand) is the sensitivity analysis of footnote 10: power in BLEU under other P0 and b0. "
        "Here the ends of what Table 3 found.",
    )


def accuracy() -> PowerCurves:
    """Return Figure 3: power-curve accuracy --agreement .7,.95."""
    plans = {f"agreement {a:g}": dt.scenarios.Accuracy(agreement=a) for a in AGREEMENTS}
    return dt.power_curves(plans, n_items=SIZES, effect=GAINS)


def bleu() -> PowerCurve:
    """Return Figure 4: power-curve bleu."""
    return dt.power_curve(dt.scenarios.Bleu(p0=0.13, b0=25.8), n_items=SEGMENTS, effect=POINTS)


def likert() -> PowerCurves:
    """Return Figure 6: power-curve likert --preset card-high,card-low --raters 3,10 --test card."""
    plans = {
        f"{preset}, {raters} raters": dt.scenarios.Likert(
            n_raters=raters, preset=preset, test="card"
        )
        for preset in PRESETS.values()
        for raters in RATERS
    }
    return dt.power_curves(plans, n_items=ITEMS, effect=DIFFERENCES)


def assumptions() -> PowerCurves:
    """Return Figure 17: power-curve bleu --p0 .09,.19 --b0 22.5,29.4."""
    plans = {
        f"P0 = {p0:g}, b0 = {b0:g}": dt.scenarios.Bleu(p0=p0, b0=b0)
        for p0 in ENDS_P0
        for b0 in ENDS_B0
    }
    return dt.power_curves(plans, n_items=SEGMENTS, effect=POINTS)
