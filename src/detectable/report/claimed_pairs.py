"""How a table of pairs names its intervals and its p-values, in comparisons and rankings alike."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from detectable.study.comparison.pair import PairComparison
    from detectable.study.comparison.result import Comparison
    from detectable.study.ranking.ranking import RankedPair, Ranking

CORRECTIONS = {"max-t": "max-T", "holm": "Holm"}


def p_of_verdict(pair: "PairComparison | RankedPair") -> float:
    """Return the one p-value that belongs to the verdict."""
    return pair.p_equivalence if pair.verdict == "equivalent" else pair.p_adjusted


def p_label(correction: str, *, corrected: bool) -> str:
    """Head the one p-value of a table with the correction that it has."""
    return f"p ({CORRECTIONS[correction]})" if corrected else "p"


def interval_label(result: "Comparison | Ranking", *, corrected: bool) -> str:
    """Say at which level the intervals are, and whether for all pairs together."""
    wide, narrow = f"{1 - result.alpha:.0%}", f"{1 - 2 * result.alpha:.0%}"
    together = ", all pairs together" if corrected else ""
    if result.claim != "better":
        return f"{narrow} interval{together}"
    if any(pair.verdict == "equivalent" for pair in result.pairs):
        return f"{wide} interval ({narrow} where equivalent){together}"
    return f"{wide} interval{together}"


def mde_label(result: "Comparison | Ranking") -> str:
    """Name what would have been found: a difference, or a margin that equal systems keep."""
    return f"{'MDE' if result.claim == 'better' else 'margin'} {result.power:.0%}"
