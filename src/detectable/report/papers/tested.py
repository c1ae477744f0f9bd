"""How a caption names the test of a result, its correction and its level."""

from typing import TYPE_CHECKING

from detectable.core.wording import count
from detectable.report.claimed_pairs import CORRECTIONS
from detectable.report.methods.ranking import TESTS

if TYPE_CHECKING:
    from detectable.study.comparison.result import Comparison
    from detectable.study.ranking.ranking import Ranking

_BY_UNITS = {
    "swap": "paired approximate randomization",
    "t": "paired t test",
    "bootstrap": "paired bootstrap",
}


def comparison_test(result: "Comparison") -> str:
    """Say it for a comparison.

    The level is that of a pair's corrected p-value; a claim about a margin is tested one-sided.
    """
    units = count(result.n_units, result.unit_word)
    if result.runs == "random":
        test = f"two-way t test over {units} and the runs"
    elif result.test == "compat":
        test = f"{result.signature.settings.get('test', 'the test of another tool')}, {units}"
    else:
        exact = "exact " if result.exact and result.test == "swap" else ""
        test = f"{exact}{_BY_UNITS[result.test]} over {units}"
    together = "" if result.family == "systems-and-metrics" else " per metric"
    if len(result.metrics) == 1:
        together = ""
    return _with_correction(test, result.correction, result.family_size, together, result.alpha)


def ranking_test(result: "Ranking") -> str:
    """Say it for a ranking."""
    unit = "judgments" if result.level == "judgment" else f"{result.unit}s"
    as_in = "" if result.preset is None else f" as in {result.preset.upper()}"
    test = f"{TESTS[result.test]} over {unit}{as_in}"
    return _with_correction(test, result.correction, len(result.pairs), "", result.alpha)


def _with_correction(test: str, correction: str, n: int, together: str, alpha: float) -> str:
    level = f"α = {f'{alpha:g}'.lstrip('0')}"
    if n == 1:
        return f"{test}, {level}"
    if correction == "none":
        return f"{test}, not corrected for {count(n, 'test')}{together}, {level}"
    return f"{test}, {CORRECTIONS[correction]} for {count(n, 'pair')}{together}, {level}"


def told(claim: str) -> str:
    """Say what a small p-value shows."""
    return "told apart" if claim == "better" else f"shown to be {claim}"
