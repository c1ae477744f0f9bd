"""Pairs of systems on two halves."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from detectable.inference.multiplicity import holm
from detectable.inference.sample import Sample
from detectable.inference.standard_errors import Estimate
from detectable.metrics.mean import MeanError
from detectable.study.translationese.conclusions import Concluded, PairVerdict
from detectable.study.translationese.effects import change, pair_effects
from detectable.study.translationese.halves import HALVES, HalfName
from tests.study.translationese.planted import Noise, halved


def concluded(**verdicts: PairVerdict) -> dict[HalfName, Concluded]:
    """Return a verdict on S1 against S0 for every half."""
    return {half: Concluded({("S1", "S0"): verdicts[half]}, ()) for half in HALVES}


def test_a_pair_with_one_segment_a_document() -> None:
    rng = np.random.default_rng(1)
    table = rng.normal(50, 5, (15, 2))
    table[8:, 0] += 9
    table[:, 0] -= 20
    languages = ["zh"] * 8 + ["en"] * 7
    measure = halved(table, [str(i) for i in range(15)], languages)
    said = concluded(
        forward=PairVerdict("undecided", 4.0),
        reverse=PairVerdict("worse", 5.0),
        both=PairVerdict("better", 3.0),
    )
    [row] = pair_effects(measure, said, alpha=0.05, power=0.8)
    assert (row.first, row.second) == ("S1", "S0")
    d = table[:, 1] - table[:, 0]
    want = stats.ttest_ind(d[8:], d[:8], equal_var=False)
    assert row.forward == pytest.approx(d[:8].mean())
    assert row.reverse == pytest.approx(d[8:].mean())
    assert row.both == pytest.approx(d.mean())
    assert row.relative == pytest.approx(d[8:].mean() - d[:8].mean())
    assert row.relative == pytest.approx(row.effect_first - row.effect_second)
    assert row.effect_second == pytest.approx(table[8:, 0].mean() - table[:8, 0].mean())
    assert row.p_value == pytest.approx(want.pvalue, rel=1e-6) == row.p_adjusted
    assert row.df == pytest.approx(want.df, rel=1e-6)
    assert (row.mde_forward, row.mde_reverse, row.mde_both) == (4.0, 5.0, 3.0)
    assert (row.verdict_forward, row.verdict_reverse, row.verdict_both) == (
        *("undecided", "worse", "better"),
    )
    assert row.change == "lost"
    assert row.forward_had_power == (abs(row.both) >= 4.0)
    assert row.opposite == (row.effect_first < 0 < row.effect_second)
    here = Estimate(row.relative, row.standard_error, row.df)
    assert row.relative_mde == here.detectable(alpha=0.05, power=0.8)
    assert row.interval == here.interval(0.95)
    assert row.effect_first == pytest.approx(table[8:, 1].mean() - table[:8, 1].mean())
    for mde, had in ((abs(row.both), True), (abs(row.both) * 1.001, False)):
        edge = {**said, "forward": Concluded({("S1", "S0"): PairVerdict("undecided", mde)}, ())}
        [again] = pair_effects(measure, edge, alpha=0.05, power=0.8)
        assert again.forward_had_power is had


def test_many_pairs_are_corrected_and_best_comes_first() -> None:
    measure = Noise(10, 10, systems=3).draw(np.random.default_rng(2))
    names = [(a, b) for a in measure.systems for b in measure.systems if a < b]
    said = {
        half: Concluded({pair: PairVerdict("undecided", math.nan) for pair in names}, ())
        for half in HALVES
    }
    rows = pair_effects(measure, said, alpha=0.05, power=0.8)
    assert len(rows) == 3
    assert all(row.both >= 0 for row in rows)
    assert all(row.p_adjusted >= row.p_value for row in rows)
    assert not any(row.forward_had_power for row in rows)
    for row in rows:
        here = Estimate(row.relative, row.standard_error, row.df)
        assert row.relative_mde == here.detectable(alpha=0.05 / 3, power=0.8)
        assert row.interval == here.interval(0.95)
    p = np.array([row.p_value for row in rows])
    assert [row.p_adjusted for row in rows] == pytest.approx(holm(p).tolist())


def test_of_errors_the_fewest_come_first() -> None:
    plain = Noise(10, 10, systems=3).draw(np.random.default_rng(2))
    halves = {
        half: Sample(MeanError(), part.systems, part.runs, part.statistics)
        for half, part in plain.halves.items()
    }
    measure = replace(plain, halves=halves)
    names = [(a, b) for a in measure.systems for b in measure.systems if a < b]
    said = {
        half: Concluded({pair: PairVerdict("undecided", math.nan) for pair in names}, ())
        for half in HALVES
    }
    rows = pair_effects(measure, said, alpha=0.05, power=0.8)
    assert all(row.both <= 0 for row in rows)
    best_first = pair_effects(plain, said, alpha=0.05, power=0.8)
    assert (rows[0].first, rows[-1].second) == (best_first[-1].second, best_first[0].first)


def test_one_system_has_no_pair() -> None:
    measure = Noise(4, 4, systems=1).draw(np.random.default_rng(2))
    said = {half: Concluded({}, ()) for half in HALVES}
    assert pair_effects(measure, said, alpha=0.05, power=0.8) == ()


@pytest.mark.parametrize(
    ("first", "second", "opposite"),
    [(0.05, 0.05, False), (0.05, 0.0, False), (0.05, -0.05, True), (-0.05, -0.05, False)],
)
def test_whether_one_is_raised_and_the_other_lowered(
    first: float, second: float, opposite: bool
) -> None:
    forward = np.array([[49.0, 39.0], [51.0, 40.0], [50.0, 41.0]])
    table = np.concatenate([forward, forward + np.array([first, second])])
    measure = halved(table, list("abcdef"), ["zh"] * 3 + ["en"] * 3)
    nothing = PairVerdict("undecided", math.nan)
    said = concluded(forward=nothing, reverse=nothing, both=nothing)
    [row] = pair_effects(measure, said, alpha=0.05, power=0.8)
    assert row.opposite is opposite


def test_every_change_has_a_name() -> None:
    assert change("better", "better") == change("undecided", "undecided") == "same"
    assert change("better", "worse") == change("lower", "higher") == "turned"
    assert change("worse", "undecided") == "lost"
    assert change("undecided", "better") == "gained"


@pytest.mark.slow
@pytest.mark.parametrize("noise", [Noise(20, 20), Noise(40, 8)], ids=["even", "few-reverse"])
def test_labels_that_mean_nothing_favour_nobody(noise: Noise) -> None:
    rng, trials = np.random.default_rng(2), 1500
    nothing = PairVerdict("undecided", math.nan)
    said = concluded(forward=nothing, reverse=nothing, both=nothing)
    hits = [
        pair_effects(noise.draw(rng), said, alpha=0.05, power=0.8)[0].p_value <= 0.05
        for _ in range(trials)
    ]
    assert np.mean(hits) == pytest.approx(0.05, abs=3 * math.sqrt(0.05 * 0.95 / trials))
