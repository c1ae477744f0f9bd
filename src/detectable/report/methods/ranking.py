"""How a ranking was made, as a paper would say it."""

import math
from typing import TYPE_CHECKING

from detectable.core.wording import count, number, pointed, significant
from detectable.report.blocks import Methods
from detectable.report.methods.shared import by_score, corrected

if TYPE_CHECKING:
    from detectable.study.arena.result import Arena
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


# --- How an arena was analysed, as a paper would say it ---

_TIES = {
    "half": ("A tie counted as half a win.", ()),
    "drop": ("Ties were left out.", ()),
    "davidson": ("Ties were modelled after Davidson (1970).", ("davidson-1970",)),
    "rao-kupper": ("Ties were modelled after Rao and Kupper (1967).", ("rao-kupper-1967",)),
}


def arena_methods(result: "Arena") -> Methods:
    """Return a paragraph with votes, model, ties, clusters, level and ranks."""
    ties, cite_ties = _TIES[result.ties]
    level = f"α = {pointed(f'{result.alpha:g}')}"
    votes = count(result.n_votes, "pairwise preference")
    if result.test != "max-t":
        how = (
            "the exact sign test of the decided votes (Dixon and Mood, 1946)"
            if result.test == "sign"
            else f"a t test over {_clusters(result)}"
        )
        source = ("dixon-mood-1946",) if result.test == "sign" else ()
        return Methods(
            f"We compared two systems from {votes}. {ties} The share of wins was tested by {how}, at "
            f"{level}.",
            (*cite_ties, *source),
        )
    parts = [
        f"We estimated the strengths of {count(len(result.systems), 'system')} from {votes} with the "
        "model of Bradley and Terry (1952).",
        ties,
    ]
    cite = ["bradley-terry-1952", *cite_ties]
    said, sources = _errors(result)
    parts += [said]
    cite += sources
    if result.cap_voter is not None:
        parts.append(
            f"No voter counted more than {significant(result.cap_voter)} times the median voter."
        )
    if result.signature.settings.get("penalty") == "firth":
        parts.append("Likelihoods were penalised after Firth (1993).")
        cite.append("firth-1993")
    if result.decided_without:
        what = " and ".join(
            "the place in which systems were shown" if name == "side" else name
            for name in result.decided_without
        )
        parts.append(f"Strengths are adjusted for {what}, by terms of the same model.")
    parts.append(
        f"Pairs were tested, and ranks bounded, for all {count(len(result.pairs), 'pair')} at "
        f"once, by the distribution of the largest |t| (Mogstad et al., 2024), at {level}."
    )
    cite.append("mogstad-etal-2024")
    return Methods(" ".join(parts), tuple(cite))


def _errors(result: "Arena") -> tuple[str, list[str]]:
    if result.signature.settings.get("bootstrap"):
        draws = int(result.signature.settings["bootstrap"])
        by = f" of {_clusters(result)}" if result.clusters else " of votes"
        return (
            f"Standard errors come from {draws:,} draws of the Bayesian bootstrap{by} (Rubin, 1981).",
            ["rubin-1981"],
        )
    if result.cluster == "vote":
        return "Votes were taken as independent.", []
    left_out, sources = ".", []
    if result.effective:  # results of former versions have none
        effective = " and ".join(
            f"{number(n, digits=1)} {kind}s" for kind, n in result.effective.items()
        )
        left_out = (
            ", each left out in turn (Bell and McCaffrey, 2002); degrees of freedom are those of "
            f"{effective} in effect (Carter et al., 2017)."
        )
        sources = ["bell-mccaffrey-2002", "carter-etal-2017"]
    if result.cluster == "two-way":
        return (
            f"Standard errors are clustered by {_clusters(result)} (Cameron et al., 2011){left_out}",
            ["cameron-etal-2011", *sources],
        )
    return f"Standard errors are clustered by {_clusters(result)}{left_out}", sources


def _clusters(result: "Arena") -> str:
    return " and ".join(count(n, kind) for kind, n in result.clusters.items())
