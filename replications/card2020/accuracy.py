"""Section 3: power curves of accuracy (Figure 3), at the points that the notebook prints."""

import detectable as dt


def numbers() -> dict[str, float]:
    """Return power, Type-M and Type-S at the points of accuracy.ipynb."""
    found: dict[str, float] = {}
    cases = {
        "agreement .975": (dt.scenarios.Accuracy(agreement=0.975), 500),
        "largest agreement": (dt.scenarios.Accuracy(agreement=0.98), 1000),
        "smallest agreement": (dt.scenarios.Accuracy(agreement=0.42), 1000),
    }
    for name, (scenario, n) in cases.items():
        answer = dt.power(scenario, n_items=n, effect=0.02, drawn=0)
        found |= {
            f"figure 3, {name}, power": answer.power,
            f"figure 3, {name}, Type-M": answer.type_m,
            f"figure 3, {name}, Type-S": answer.type_s,
        }
    return found
