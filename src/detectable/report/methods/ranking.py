"""How a ranking was made, as a paper would say it."""

import math
from typing import TYPE_CHECKING

from detectable.core.wording import count, number
from detectable.report.blocks import Methods
from detectable.report.methods.shared import by_score, corrected

if TYPE_CHECKING:
    from detectable.study.ranking.ranking import Ranking

TESTS = {
    "permutation": "sign flips of matched differences",
    "t": "t-tests",
    "rank-sum": "Wilcoxon's rank-sum test",
    "rank-sum-matched": "Wilcoxon's rank-sum test on shared items",
    "signed-rank": "Wilcoxon's signed-rank test",
    "stouffer": "Wilcoxon's tests within domains, combined by Stouffer's method",
    "stouffer-unsigned": "Wilcoxon's tests within domains, combined by Stouffer's method without signs",
    "mixed": "a linear mixed model with raters and items as random",
}
_RULES = {
    "all-pairs": "A line between clusters is drawn where every system above it beats every one below it",
    "wmt-last": "A line between clusters is drawn below a system that beats every one below it",
    "min-wins": "A line between clusters is drawn where the system with fewest wins above it beats as many as are below it",
    "rank-ranges": "A line between clusters is drawn where no rank range crosses it",
}


def methods(result: "Ranking") -> Methods:
    """Return a paragraph with judgments, scale, test, correction, level and clusters."""
    judged = sum(row.N for row in result.systems)
    scale = "standardised by rater (z)" if result.scale == "z" else "on their own scale"
    parts = [
        f"We ranked {count(len(result.systems), 'system')} from {count(judged, 'judgment')}, {scale}.",
        f"Pairs were tested by {_test(result)}{_unit(result)}{_draws(result)}.",
    ]
    cite = ["phipson-smyth-2010"] if result.test == "permutation" and not result.exact else []
    if result.counted:
        cite = ["mcnemar-1947"]
    within, sources = by_score("The margin was tested", result.signature)
    if within:
        # A claim about the margin rests on its own test alone.
        parts[1:] = [*(parts[1:] if result.claim == "better" else []), within]
        cite = [*(cite if result.claim == "better" else []), *sources]
    said, sources = corrected(result.correction, len(result.pairs), "pair", result.alpha)
    parts += [said, f"{cluster_rule(result)}."]
    cite += sources
    seen = _seen(result)
    if seen:
        parts.append(seen)
        cite.append("card-etal-2020")
    if result.repetition is not None and result.repetition.claims:
        parts.append(
            "What a repeat would keep was predicted from the variances of documents, raters and "
            "the rest (restricted maximum likelihood, scores projected off the systems' means), "
            "with the systems' differences shrunk (Strawderman, 1971; cf. Riley et al., 2024)."
        )
        cite += ["strawderman-1971", "riley-etal-2024"]
    return Methods(" ".join(parts), tuple(cite))


def _test(result: "Ranking") -> str:
    if result.counted:
        return "McNemar's exact test, which counts all sign flips of 0/1 scores"
    return TESTS.get(result.test, result.test)


def _unit(result: "Ranking") -> str:
    return ", with documents as units" if result.unit == "document" else ""


def _draws(result: "Ranking") -> str:
    if result.test != "permutation" or result.n_resamples is None:
        return ""
    return f" ({'all ' if result.exact else ''}{result.n_resamples:,} sign patterns)"


def cluster_rule(result: "Ranking") -> str:
    """Say where lines between clusters are drawn, without a full stop."""
    return _RULES[str(result.signature.settings.get("cluster_rule", "all-pairs"))]


def _seen(result: "Ranking") -> str:
    mdes = sorted(pair.mde for pair in result.pairs if not math.isnan(pair.mde))
    if not mdes or result.claim != "better":
        return ""
    low, high = (number(x, digits=result.digits) for x in (mdes[0], mdes[-1]))
    span = low if low == high else f"{low}–{high}"
    return (
        f"The smallest true difference found with {result.power:.0%} power was {span} "
        f"{result.scale} (Card et al., 2020)."
    )
