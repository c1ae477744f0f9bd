"""Verdict, interval, p-value and detectable difference never contradict each other.

Over comparisons drawn at random (`random_comparisons`), a failure names its seed.
"""

import json
import math

import pytest

from detectable.core.interval import Interval
from detectable.report.shown.comparison_words import pair_sentence
from detectable.study.comparison.result import Comparison, PairComparison, RunsClaim
from tests.study.comparison.random_comparisons import Drawn, draw

_LOWER_IS_BETTER = ("mean-error", "ter")


def _contradictions(drawn: Drawn, result: Comparison) -> list[str]:
    found = [
        f"{drawn}: {pair.system} − {pair.baseline} in {pair.metric}: {problem} in {pair}"
        for pair in result.pairs
        for problem in (*_of_pair(result, pair), *_of_power(result, pair))
    ]
    plain = json.dumps(result.to_dict(), allow_nan=False)  # raises where a number is none
    return found if plain else ["nothing"]


def _of_pair(result: Comparison, pair: PairComparison) -> list[str]:
    alpha, said = result.alpha, []
    if not pair.p_adjusted >= pair.p_value - 1e-12:
        said.append("corrected p below p")
    if not 0.0 <= pair.p_value <= 1.0 or not pair.p_adjusted <= 1.0:
        said.append("p outside [0, 1]")
    if not pair.p_adjusted >= pair.attainable_p - 1e-12:
        said.append("p below the smallest that can be")
    if pair.interval.level != pair.interval_level:
        said.append("two levels")
    if pair.claim == "better":
        said += _better(pair, alpha, result.margin.get(pair.metric))
    elif pair.claim == "equivalent":
        said += _equivalent(pair, alpha, result.margin[pair.metric])
    else:
        said += _not_worse(pair, alpha, result.margin[pair.metric])
    return [*said, *_of_intervals(pair), *_runs(result, pair)]


def _of_intervals(pair: PairComparison) -> list[str]:
    said = []
    rounding = 1e-12 * abs(pair.difference)
    if math.isnan(pair.interval.low) and pair.claim != "better":
        # Equal differences say nothing about their spread: no interval, and nothing is claimed.
        silent = (pair.verdict, pair.p_value, pair.p_beyond) == ("undecided", 1.0, 1.0)
        return [] if silent else ["a claim without an interval"]
    for interval in (pair.interval, pair.interval_alone):
        if (
            math.isnan(interval.low)
            or math.isnan(interval.high)
            or interval.low > interval.high
        ):
            said.append("no interval")
        if not interval.low <= pair.difference + rounding:
            said.append("difference below its interval")
        if not interval.high >= pair.difference - rounding:
            said.append("difference above its interval")
        if pair.metric == "accuracy" and not -1.0 <= interval.low <= interval.high <= 1.0:
            said.append("accuracy beyond its scale")
    return said


def _better(pair: PairComparison, alpha: float, margin: float | None) -> list[str]:
    said = []
    if pair.verdict == "equivalent":
        said += _called_equivalent(pair, alpha, margin)
    else:
        decided = pair.p_adjusted <= alpha and pair.difference != 0.0
        if decided != (pair.verdict != "undecided"):
            said.append("verdict and p")
        if decided == (0.0 in pair.interval):
            said.append("interval and p")
        if pair.p_equivalence <= alpha:
            said.append("p of equivalence without the verdict")
        up = (pair.difference > 0.0) != (pair.metric in _LOWER_IS_BETTER)
        words = ("better", "higher") if up else ("worse", "lower")
        if decided and pair.verdict not in words:
            said.append("the wrong side")
        if pair.interval_level != 1.0 - alpha:
            said.append("an interval at another level")
    alone = pair.p_value <= alpha and pair.difference != 0.0
    if alone == (0.0 in pair.interval_alone):
        said.append("interval alone and p alone")
    return said


def _called_equivalent(pair: PairComparison, alpha: float, margin: float | None) -> list[str]:
    said = []
    if margin is None or not pair.p_equivalence <= alpha:
        said.append("equivalent without a p-value")
    elif not _within(pair.interval, margin):
        said.append("equivalent beyond the margin")
    if pair.interval_level != 1.0 - 2.0 * alpha:
        said.append("an interval at another level than both one-sided tests")
    return said


_BEYOND = ("inferior", "superior", "lower", "higher")


def _within(interval: Interval, margin: float) -> bool:
    return -margin < interval.low and interval.high < margin


def _equivalent(pair: PairComparison, alpha: float, margin: float) -> list[str]:
    said = []
    if (pair.verdict == "equivalent") != (pair.p_adjusted <= alpha):
        said.append("verdict and p")
    if (pair.verdict == "equivalent") != _within(pair.interval, margin):
        said.append("interval and verdict")
    beyond = pair.interval.high < -margin or pair.interval.low > margin
    if (pair.verdict in _BEYOND) != beyond or (pair.p_beyond <= alpha) != beyond:
        said.append("beyond the margin without the verdict, or the other way round")
    if (pair.p_value <= alpha) != _within(pair.interval_alone, margin):
        said.append("interval alone and p alone")
    allowed = ("equivalent", "undecided", *_BEYOND)
    if pair.verdict not in allowed or pair.p_equivalence != pair.p_adjusted:
        said.append("another claim")
    return said


def _not_worse(pair: PairComparison, alpha: float, margin: float) -> list[str]:
    said = []
    lower = pair.metric in _LOWER_IS_BETTER

    def keeps(interval: Interval) -> bool:
        return interval.high < margin if lower else interval.low > -margin

    if (pair.verdict == "non-inferior") != (pair.p_adjusted <= alpha):
        said.append("verdict and p")
    if (pair.verdict == "non-inferior") != keeps(pair.interval):
        said.append("interval and verdict")
    beyond = pair.interval.low > margin if lower else pair.interval.high < -margin
    if (pair.verdict == "inferior") != beyond or (pair.p_beyond <= alpha) != beyond:
        said.append("inferior without the interval, or the other way round")
    if (pair.p_value <= alpha) != keeps(pair.interval_alone):
        said.append("interval alone and p alone")
    if pair.verdict not in ("non-inferior", "inferior", "undecided"):
        said.append("another claim")
    return said


def _of_power(result: Comparison, pair: PairComparison) -> list[str]:
    """The difference that would be found; none where the test can reject nothing."""
    if pair.attainable_p > result.alpha:
        # Ties would become differences if there were one; of nothing at all no size is known.
        tied = pair.n_differing is not None and pair.n_differing < result.n_units
        said = [] if tied or math.isnan(pair.mde) else ["a promise that the test cannot keep"]
        if pair.verdict not in ("undecided", "equivalent"):
            said.append("decided against all odds")
        word = "cannot reject" if math.isnan(pair.mde) else "would make enough"
        if pair.n_differing == 0 and math.isnan(pair.mde):
            word = "is the same in every"
        if pair.verdict == "undecided" and word not in pair_sentence(result, pair):
            said.append("no word about it")
        return said
    if not pair.standard_error > 0.0:
        # Right and wrong answers need no spread: discordance would come with the difference. Nor do
        # scores of which most are ties, for a margin.
        kept = math.isnan(pair.mde) or pair.metric == "accuracy" or pair.claim != "better"
        return [] if kept else ["a promise without a spread"]
    # A pair without any spread pushes the largest T of its family to the end of the scale, and so
    # does a corpus metric where one pattern of very few units that differ is all that max-T rejects.
    flat = any(not other.standard_error > 0.0 for other in result.pairs)
    differing = result.n_units if pair.n_differing is None else pair.n_differing
    extreme = result.correction == "max-t" and differing < 7 and result.family_size > 1
    if not pair.mde > 0.0 and not ((flat or extreme) and math.isnan(pair.mde)):
        return ["no detectable difference"]
    if pair.verdict == "undecided" and "could have" not in pair_sentence(result, pair):
        return ["undecided, and no word of what was detectable"]
    return []


def _runs(result: Comparison, pair: PairComparison) -> list[str]:
    """Both claims about runs are there with several runs, and each agrees with itself."""
    several = any(n > 1 for n in result.n_runs.values()) and result.test != "compat"
    both = (pair.these_runs, pair.new_runs)
    if any((claim is not None) != several for claim in both):
        return ["a claim about runs is missing, or too much"]
    said = []
    for claim in both:
        if claim is None:
            continue
        rejected = claim.p_adjusted <= result.alpha and pair.difference != 0.0
        if rejected == (0.0 in claim.interval):
            said.append("interval and p of a claim about runs")
        if not claim.p_adjusted >= claim.p_value - 1e-12:
            said.append("corrected p below p of a claim about runs")
    main: RunsClaim | None = pair.new_runs if result.runs == "random" else pair.these_runs
    if main is not None and pair.claim == "better" and main.p_adjusted != pair.p_adjusted:
        said.append("a verdict about other runs than it says")
    return said


def _look_at(seeds: range, *, texts: bool = False) -> tuple[list[str], int]:
    found: list[str] = []
    compared = 0
    for seed in seeds:
        drawn = draw(seed, texts=texts)
        result = drawn.compared()
        if result is not None:
            compared += 1
            found += _contradictions(drawn, result)
    return found, compared


@pytest.mark.parametrize("step", [3, pytest.param(1, marks=pytest.mark.slow)])
def test_nothing_contradicts_anything(step: int) -> None:
    found, compared = _look_at(range(step - 1, 300, step))
    assert found == []
    assert compared * step > 200
    assert _look_at(range(3_918, 3_919)) == ([], 1)  # runs differ, and units do not at all


def test_nothing_contradicts_anything_in_texts() -> None:
    found, compared = _look_at(range(40), texts=True)
    assert found == []
    assert compared > 25


# Swaps of a root mean square at a margin; a margin of the size of rounding errors; random swaps of
# few units that differ, which fell below the p-value of all swaps by chance.
@pytest.mark.parametrize("seed", [2084, 3570, 3273, 4175, 4421, 4795])
def test_what_once_contradicted_itself(seed: int) -> None:
    assert _look_at(range(seed, seed + 1)) == ([], 1)


@pytest.mark.slow
def test_the_comparisons_are_of_every_kind() -> None:
    """Were one kind of verdict, test or claim missing, nothing would be shown about it."""
    seen: set[str] = set()
    for seed in range(300):
        result = draw(seed).compared()
        if result is not None:
            seen |= {f"{pair.claim}: {pair.verdict}" for pair in result.pairs}
            seen |= {
                result.test,
                result.correction,
                f"runs {result.runs}",
                f"exact {result.exact}",
            }
            seen |= {"stuck" for pair in result.pairs if pair.attainable_p > result.alpha}
            seen |= {"hinges" for found in result.influential if found.decides}
    assert seen >= {
        *(f"better: {word}" for word in ("better", "worse", "equivalent", "undecided")),
        *("better: higher", "better: lower"),
        *("non-inferior: non-inferior", "non-inferior: undecided"),
        *("equivalent: equivalent", "equivalent: undecided"),
        *("swap", "t", "bootstrap", "compat", "max-t", "holm", "none"),
        *("runs random", "runs fixed", "exact True", "exact False", "stuck", "hinges"),
    }


@pytest.mark.slow
@pytest.mark.parametrize("start", range(1_000, 9_000, 1_000))
def test_nothing_contradicts_anything_in_thousands(start: int) -> None:
    found, compared = _look_at(range(start, start + 1_000))
    assert found == []
    assert compared > 600


@pytest.mark.slow
def test_nothing_contradicts_anything_in_hundreds_of_texts() -> None:
    found, compared = _look_at(range(1_000, 1_600), texts=True)
    assert found == []
    assert compared > 350
