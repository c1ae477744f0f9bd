"""Why a ranking was tested the way it was, in words."""

import numpy as np

from detectable.study.ranking.pair_tests import stouffer_tests
from detectable.study.ranking.paired_cells import ENOUGH
from detectable.study.ranking.prepare import Prepared
from detectable.study.ranking.settings import RankSettings
from detectable.study.ranking.verdicts import Decided

_TESTS = {
    "rank-sum": "rank-sum test of unpaired scores",
    "rank-sum-matched": "rank-sum test on the items that both systems have",
    "signed-rank": "signed-rank test of matched differences",
    "permutation": "sign flips of matched differences",
    "stouffer": "signed-rank tests of every domain, combined with their signs",
    "stouffer-unsigned": "signed-rank tests of every domain, combined without their signs",
    "t": "t test of mean differences",
    "mixed": "mixed model with raters and items as random effects",
}
_SCALES = {"z": "z (scores in standard deviations of their rater)", "points": "points"}


def reason(prepared: Prepared, settings: RankSettings) -> str:
    """Say what was tested, and why that way."""
    unit = "document by document" if prepared.clusters is not None else "item by item"
    if settings.level == "judgment":
        unit = "judgment by judgment"
    what = f"Tested by a {_TESTS[prepared.test]}"
    if prepared.test in ("permutation", "stouffer", "stouffer-unsigned"):
        what = f"Tested by {_TESTS[prepared.test]}"
    what = f"{what}, {unit}, in {_scale(prepared, settings)}"
    if settings.preset is not None:
        return f"{what}, as in {settings.preset.upper()}."
    return f"{what}{_why(prepared, settings)}."


def _scale(prepared: Prepared, settings: RankSettings) -> str:
    if settings.standardise == "mixed":
        return "points without the severity of raters that a mixed model predicts"
    judgments = prepared.judgments
    if prepared.scale == "points" and judgments is not None and judgments.is_penalty:
        return "penalty points (MQM, raw as it is published)"
    return _SCALES[prepared.scale]


def _why(prepared: Prepared, settings: RankSettings) -> str:
    shares = prepared.shares
    items, raters = f"{shares.item.min():.0%}", ""
    if shares.rater is not None:
        raters = f"{shares.rater.min():.0%}"
    if prepared.matching == "rater":
        return (
            f". Paired within raters: for every pair of systems {_at_least(raters)} items were "
            "judged for both by one rater, whose severity cancels"
        )
    if prepared.matching == "item":
        why = f". Paired by item: every pair of systems shares {_at_least(items)} items"
        if raters:
            return f"{why}, but for some only {raters} were judged for both by one rater"
        return f"{why}; who judged is not known"
    if settings.level == "judgment":
        return ""
    if settings.test == "auto" and prepared.test != "mixed" and shares.item.min() < ENOUGH:
        return f". Not paired: some pair of systems shares only {items} of its items"
    return ""


def _at_least(share: str) -> str:
    return "all" if share == "100%" else f"at least {share} of the"


def signed_count(prepared: Prepared, decided: Decided, settings: RankSettings) -> str:
    """Say how many pairs signed Stouffer would find, next to WMT24's number."""
    if settings.preset != "wmt24" or prepared.differences is None or prepared.strata is None:
        return ""
    signed = stouffer_tests(prepared.differences, prepared.clusters, prepared.strata, settings)
    theirs = sum(verdict in ("better", "worse") for verdict in decided.verdicts)
    ours = int(np.sum(signed.p_greater <= settings.alpha))
    return (
        f" It tells {theirs} of {len(decided.verdicts)} pairs apart; with the signs kept "
        f"(one-sided like it) {ours}."
    )
