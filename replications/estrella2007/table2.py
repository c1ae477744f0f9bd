"""Which ε made Table 2: x_max of one system from its spread on one document in Table 1."""

from detectable.inference.curves import flat_from
from replications.listed import Number

# Table 1, system S4 on its first document: score, and what follows its ±.
TABLE_1 = {
    "GTM": (0.751, 0.04),
    "NIST": (7.26, 0.54),
    "BLEU": (0.326, 0.06),
    "mPER": (0.405, 0.04),
    "mWER": (0.499, 0.06),
}
QUANTILES = {"1": 1.0, "1.96": 1.96, "2.576": 2.576}
EXPONENT = 0.5  # of a bootstrap of segments


def numbers() -> dict[str, Number]:
    """Return x_max under each reading of ± and of ε; all of relative spread as a fraction."""
    found = {}
    for epsilon in (1e-3, 1e-4):
        for name, quantile in QUANTILES.items():
            for metric, (score, half) in TABLE_1.items():
                spread = half / quantile / score
                found[f"table 2 from table 1, S4, {metric}, ± {name} sd, ε {epsilon:g}"] = (
                    Number(flat_from(spread, EXPONENT, epsilon))
                )
    return found
