"""What is known about how often two systems are both right or both wrong.

The power of McNemar's test depends on the agreement of the two systems, which nobody knows
before the data. card2020 regressed it on the accuracy of the weaker system and the difference.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AgreementRegression:
    """Agreement = intercept + accuracy · (accuracy of the weaker system) + difference · D."""

    intercept: float
    accuracy: float
    difference: float
    provenance: str

    def disagreement(self, weaker: float, difference: float) -> float:
        """Return the expected share of items on which exactly one system is right."""
        agreement = self.intercept + self.accuracy * weaker + self.difference * abs(difference)
        return 1.0 - agreement


REGRESSIONS = {
    "glue": AgreementRegression(
        0.41422307,
        0.58187475,
        -0.46624237,
        "card2020, hard-coded in Analyze_reported_results.ipynb of dallascard/NLP-power-analysis "
        "a3f63b5: GLUE development-set predictions, R² = .97; the predictions are not public, so "
        "the fit cannot be repeated",
    ),
    "squad": AgreementRegression(
        0.46491237172731825,
        0.552835705205418,
        -1.0493167036603803,
        "refitted on SQuAD 2.0 development-set disagreements of the 14 successive best systems "
        "(models.tsv and pairs_dev.tsv of the same repository), R² = .931; card2020 used the "
        "private test set, R² = .94",
    ),
}


def lachenbruch_disagreement(baseline: float, difference: float) -> float:
    r"""Return the middle of the possible range of disagreement (Lachenbruch's middle road).

    Both systems are right on a share :math:`p_{11}` of the items, somewhere between
    :math:`\max(0, p_1 + p_2 - 1)` and :math:`\min(p_1, p_2)`; its midpoint gives
    :math:`p_d = p_1 + p_2 - 2 p_{11}`.

    References
    ----------
    Lachenbruch (1992), "On the sample size for studies based upon McNemar's test", Statistics
    in Medicine 11(11), 1521–1525.
    """
    other = baseline + difference
    both = 0.5 * (max(0.0, baseline + other - 1.0) + min(baseline, other))
    return baseline + other - 2.0 * both
