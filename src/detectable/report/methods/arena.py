"""How an arena was analysed, as a paper would say it."""

from typing import TYPE_CHECKING

from detectable.core.wording import count, number, pointed, significant
from detectable.report.blocks import Methods

if TYPE_CHECKING:
    from detectable.study.arena.result import Arena

_TIES = {
    "half": ("A tie counted as half a win.", ()),
    "drop": ("Ties were left out.", ()),
    "davidson": ("Ties were modelled after Davidson (1970).", ("davidson-1970",)),
    "rao-kupper": ("Ties were modelled after Rao and Kupper (1967).", ("rao-kupper-1967",)),
}


def methods(result: "Arena") -> Methods:
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
