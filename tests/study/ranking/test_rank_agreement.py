"""Verdict, interval and p of a ranking never contradict each other, on rankings of every kind."""

import math
import warnings
from typing import Any

import numpy as np
import pytest

from detectable.core.errors import DataError, DetectableWarning, InputError
from detectable.data.human.judgments import Judgments
from detectable.report.shown.ranking import design, pair_sentence
from detectable.study.ranking.rank_systems import rank_systems
from detectable.study.ranking.ranking import RankedPair, Ranking

TESTS = ("auto", "auto", "permutation", "t", "signed-rank", "rank-sum", "rank-sum-matched")
SEEDS = range(12)
EACH = 40  # rankings per seed


def drawn(rng: np.random.Generator) -> tuple[Judgments, dict[str, Any]]:
    """Return random judgments, with gaps or without, and random ways to rank them."""
    n_systems, n_documents = int(rng.integers(2, 7)), int(rng.integers(2, 31))
    sizes = rng.integers(1, 5, n_documents)
    document = np.repeat(np.arange(n_documents), sizes)
    n_raters = int(rng.integers(1, 5))
    system, item = (axis.ravel() for axis in np.indices((n_systems, document.size)))
    rater = rng.integers(n_raters, size=document.size)[item]  # one rater for all systems
    effect = rng.choice([0.0, 0.3, 1.5]) * rng.normal(size=n_systems)
    within = rng.normal(0, rng.choice([0.0, 0.5]), (n_systems, n_documents))
    score = effect[system] + within[system, document[item]] + rng.normal(size=system.size)
    kind = rng.integers(6)
    if kind == 0:
        score = (score > 0.5).astype(float)  # right or wrong
    elif kind == 1:
        score = np.round(score)
    elif kind == 2:
        score = effect[system].round(2) + rng.normal(size=document.size)[item].round(3)
    kept = rng.random(system.size) > rng.choice([0.0, 0.0, 0.3])
    columns = {
        "system": system,
        "item": item,
        "score": np.clip(50.0 + 10.0 * score, 0.0, 100.0),
    }
    if rng.random() < 0.8:
        columns["document"] = document[item]
    if rng.random() < 0.6:
        columns["rater"] = rater
    columns["domain"] = document[item] % 2
    options: dict[str, Any] = {
        "test": str(rng.choice(TESTS)),
        "correction": str(rng.choice(["auto", "auto", "holm", "none"])),
        "alpha": float(rng.choice([0.05, 0.05, 0.01, 0.2])),
        "n_resamples": None if rng.random() < 0.2 else 1999,
        "rng": int(rng.integers(1000)),
    }
    if rng.random() < 0.2:
        options["average"] = "domains"
    if rng.random() < 0.15:
        options["unit"] = "item"
    if rng.random() < 0.5:
        options["margin"] = float(rng.choice([0.5, 3.0, 12.0]))
        options["claim"] = str(rng.choice(["better", "better", "non-inferior", "equivalent"]))
    data = Judgments.build({name: column[kept] for name, column in columns.items()})
    return data, options


def ranked(rng: np.random.Generator) -> Ranking | None:
    data, options = drawn(rng)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DetectableWarning)
        try:
            return rank_systems(data, **options)
        except (DataError, InputError):  # too little of something; said at the door
            return None


def holds_zero(pair: RankedPair) -> bool:
    return pair.interval.low <= 0.0 <= pair.interval.high


def alone_holds_zero(pair: RankedPair) -> bool:
    return pair.interval_alone.low <= 0.0 <= pair.interval_alone.high


def check_difference(made: Ranking, pair: RankedPair) -> None:
    by_mean = made.test in ("permutation", "t", "mixed")
    if math.isnan(pair.interval.low):  # one document of a domain: its error is not known
        assert math.isnan(pair.standard_error)
        assert pair.verdict == "undecided" or not by_mean
        return
    turned = any(pair.better in text and pair.worse in text for text in made.reversals)
    if pair.verdict != "equivalent":
        decided = pair.p_adjusted <= made.alpha and pair.difference != 0.0
        if by_mean or not turned:
            assert holds_zero(pair) == (not decided)
        assert (pair.verdict != "undecided") == (pair.p_adjusted <= made.alpha) or (
            pair.difference == 0.0
        )
    if by_mean or not turned:
        assert alone_holds_zero(pair) == (pair.p_value > made.alpha or pair.difference == 0.0)
    if pair.verdict == "better" and not turned:
        assert pair.difference > 0.0
        assert pair.interval.low > 0.0
    if pair.verdict == "worse":
        assert turned


def check_margin(made: Ranking, pair: RankedPair) -> None:
    margin = made.margin
    if margin is None:
        assert pair.verdict not in ("equivalent", "non-inferior")
        return
    if pair.verdict == "equivalent":
        assert pair.p_equivalence <= made.alpha
        assert -margin < pair.interval.low <= pair.interval.high < margin
        assert pair.interval.level == pytest.approx(1.0 - 2.0 * made.alpha)
    if math.isnan(pair.interval.low):
        assert pair.verdict not in ("equivalent", "non-inferior")
        return
    if made.claim == "equivalent":
        inside = -margin < pair.interval.low and pair.interval.high < margin
        assert inside == (pair.verdict == "equivalent") == (pair.p_adjusted <= made.alpha)
        alone = -margin < pair.interval_alone.low and pair.interval_alone.high < margin
        assert alone == (pair.p_value <= made.alpha)
    if made.claim == "non-inferior":
        kept = pair.interval.high < margin
        assert kept == (pair.verdict == "non-inferior") == (pair.p_adjusted <= made.alpha)
        assert (pair.interval_alone.high < margin) == (pair.p_value <= made.alpha)


def check_design(made: Ranking, pair: RankedPair) -> None:
    assert pair.p_adjusted >= pair.attainable_p * (1 - 1e-9) or not made.exact
    flat = pair.standard_error == 0.0
    tied = pair.n_differing is not None and pair.n_differing < pair.n_flipped
    if tied and pair.attainable_p > made.alpha and pair.mde > 0.0:  # more units would differ
        assert pair.verdict in ("undecided", "equivalent")
        if pair.verdict == "undecided":
            assert "would make enough" in pair_sentence(made, pair)
        return
    flat_only = pair.n_differing == 0 and pair.units_needed is None
    cannot = pair.attainable_p > made.alpha and not flat_only
    unbounded = math.isinf(pair.interval.low) or math.isinf(pair.interval.high)
    if flat and not cannot and made.claim != "better":
        # Mostly tied scores show a margin without any spread: the one where their interval ends.
        end = pair.interval.high - pair.difference
        assert math.isnan(pair.mde) or pair.mde >= end * (1 - 1e-9)
    elif cannot or flat:
        assert math.isnan(pair.mde)
    else:
        # Corrected together with pairs of more units, it may be decided by a later step only.
        unequal = (
            made.correction != "none" and len({p.n_clusters or p.n for p in made.pairs}) > 1
        )
        unknown = math.isnan(pair.standard_error)
        assert pair.mde > 0.0 or (math.isnan(pair.mde) and (unequal or unknown))
    if cannot:
        assert pair.verdict in ("undecided", "equivalent")
        assert pair.units_needed is None or pair.units_needed > 1
        assert "cannot reject" in design(made)
    else:
        assert pair.units_needed is None
    if unbounded:
        assert pair.verdict == "undecided" or made.claim != "better"


@pytest.mark.parametrize(
    "seed", [s if s < 2 else pytest.param(s, marks=pytest.mark.slow) for s in SEEDS]
)
def test_verdict_interval_and_p_agree(seed: int) -> None:
    rng = np.random.default_rng([7, seed])
    seen = 0
    for _ in range(EACH):
        made = ranked(rng)
        if made is None:
            continue
        seen += 1
        for pair in made.pairs:
            if math.isnan(pair.p_value):  # a domain with a single document
                assert any("which says nothing about how" in note for note in made.notes)
                assert (pair.verdict, math.isnan(pair.interval.low)) == ("undecided", True)
                continue
            assert 0.0 < pair.p_value <= pair.p_adjusted * (1 + 1e-9) or pair.p_value == 0.0
            if made.claim == "better":
                check_difference(made, pair)
            check_margin(made, pair)
            check_design(made, pair)
        if made.unit == "document" and made.matching != "none" and made.test == "t":
            assert made.n_units >= 2
    assert seen >= EACH // 2
