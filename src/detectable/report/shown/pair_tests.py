"""What tests of pairs of systems say, which only programs ask for."""

import math
from collections.abc import Iterator

import numpy as np

from detectable.core.verdict import in_numbers, in_words
from detectable.core.wording import capital, count, number, p_statement
from detectable.inference.margin_test import MarginTest
from detectable.inference.randomization import Randomization
from detectable.inference.sign_flips import PairedPermutation
from detectable.report.blocks import Block
from detectable.report.blocks_of import show_plainly
from detectable.study.archive.campaign_pairs import CampaignPairs, Decided
from detectable.study.archive.swap_calibration import SwapCalibration


def say_paired_permutation(test: PairedPermutation) -> str:
    """Say how many pairs differ at .05, and the smallest p-value."""
    known = test.p_values[~np.isnan(test.p_values)]
    if not known.size:
        return "undecided: no pair was observed on any unit"
    apart = int((known < 0.05).sum())
    return (
        f"{apart:,} of {count(known.size, 'pair')} differ at .05, unadjusted "
        f"(smallest {p_statement(float(known.min()))})"
    )


def say_margin_test(test: MarginTest) -> str:
    """Say the verdict with its numbers."""
    words = in_words(
        test.verdict, "new", "old", claim="non-inferior", margin=f"{test.margin:g}"
    )
    known = None if math.isnan(test.limits.low) else test.limits
    p = test.p_inferior if test.verdict == "inferior" else test.p_noninferior
    shown = in_numbers(test.estimate, known, p=p, digits=3, alpha=test.alpha)
    return f"{capital(words)}: {shown}."


def say_randomization(test: Randomization) -> str:
    """Say the smallest and the largest p-value."""
    low, high = test.p_values.min(), test.p_values.max()
    return f"{test.p_values.size} tests, p from {low:.4f} to {high:.4f}"


def say_swap_calibration(found: SwapCalibration) -> str:
    """Say the level of each test."""
    parts = [f"{x.test} {x.share:.4f} (SE {x.standard_error:.4f})" for x in found.levels]
    return (
        f"With nothing to find, significant at {found.alpha:g}: {', '.join(parts)}; "
        f"{count(found.n_pairs, 'pair')}, {count(found.n_swaps, 'swap')} of whole "
        f"{found.swapped}s each."
    )


def say_campaign_pairs(found: CampaignPairs) -> str:
    """Say how many comparisons each test decides, then what pairing was worth."""
    return " ".join(_decided(found))


def show_campaign_pairs(found: CampaignPairs) -> Iterator[Block]:
    """Show how many comparisons each test decides, and every plain value."""
    first, *others = _decided(found)
    return show_plainly(found, first, " ".join(others))


def _decided(found: CampaignPairs) -> list[str]:
    sentences = [_more(found.tests[0], other) for other in found.tests[1:]]
    decided = ", ".join(
        f"{t.test} {t.significant:,} ({100 * t.share:.1f} %)" for t in found.tests
    )
    sentences.append(
        f"Of {count(found.n_pairs, 'comparison')} in {count(found.n_campaigns, 'campaign')}, "
        f"decided at {found.alpha:g}: {decided}."
    )
    if np.isnan(found.variance_ratio[1]):
        return [*sentences, "No two systems could be paired."]
    low, middle, high = (number(ratio) for ratio in found.variance_ratio)
    sentences.append(
        f"Pairing is worth {middle} times the judgments (quartiles {low} to {high}); "
        f"median correlation {number(found.correlation)}."
    )
    if any(t.test == "paired" for t in found.tests):
        sentences.append(f"The paired test speaks for {found.claim}.")
    return sentences


def _more(first: Decided, other: Decided) -> str:
    """Say in one sentence what another test adds to the first."""
    moved = f"({count(other.gained, 'comparison')} gained, {other.lost:,} lost)"
    if not first.significant:
        return (
            f"The {other.test} test decides {count(other.significant, 'comparison')}, "
            f"{first.test} none {moved}."
        )
    change = 100.0 * (other.significant / first.significant - 1.0)
    if change < 0.0:
        return (
            f"The {other.test} test decides {-change:.0f} % fewer comparisons than "
            f"{first.test} {moved}."
        )
    return (
        f"The same judgments decide {change:.0f} % more comparisons with the {other.test} test "
        f"than with {first.test} {moved}."
    )
