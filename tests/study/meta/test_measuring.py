"""Rows and pairs of metrics: intervals, floors, detectable differences and what is left out."""

import itertools
import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from scipy import stats

from detectable.core.execute import Engine
from detectable.core.interval import Interval
from detectable.core.types import FloatArray, silent
from detectable.data.scores.scores import Scores
from detectable.inference.correlation import williams
from detectable.study.meta import measuring as draws
from detectable.study.meta import measuring as naive
from detectable.study.meta.measuring import (
    Measuring,
    Swapped,
    WeightSwaps,
    bootstrap_draws,
    cell_swap_p,
    swap_draws,
    williams_p,
)
from detectable.study.meta.meta import meta
from detectable.study.meta.settings import MetaSettings
from detectable.study.meta.table import meta_table

NAMES = ("one", "two", "three", "four", "five")
RNG = np.random.default_rng(21)
QUALITY = RNG.normal(0, 1, (5, 40)) + np.linspace(0, 1, 5)[:, None]


def scores(values: np.ndarray) -> Scores:
    return Scores.build(dict(zip(NAMES, values, strict=True)))


PEOPLE = scores(np.round(QUALITY + RNG.normal(0, 0.3, QUALITY.shape)))
GOOD, FAIR, BAD = (
    scores(QUALITY + RNG.normal(0, noise, QUALITY.shape)) for noise in (0.4, 1.0, 9.0)
)


def measuring(*, clusters: int = 40, draw_systems: bool = False, **changes: Any) -> Measuring:
    asked = MetaSettings.check(
        level="segment", statistic="pearson", average_by=None, undefined=None, epsilon=None,
        pair_p=None, draw_systems=draw_systems,
    )  # fmt: skip
    engine = Engine.start(1, n_jobs=1, executor=None, progress=silent)
    table = meta_table(PEOPLE, {"comet": GOOD})
    options = {"alpha": 0.05, "n_resamples": 200, "engine": engine, "halves": None, **changes}
    return Measuring(table=table, asked=asked, cluster=np.arange(40) % clusters, **options)


def run(metrics: dict[str, Scores], **options: Any) -> Any:
    return meta(PEOPLE, metrics, **{"n_resamples": 199, "rng": 1, **options})


def test_an_interval_is_t_standard_errors_of_the_draws_either_way() -> None:
    drawn = np.random.default_rng(2).normal(0.5, 0.1, 200)
    for work, df, n in (
        (measuring(), 39, 40),
        (measuring(clusters=12), 11, 12),
        (measuring(draw_systems=True), 4, 40),
        (measuring(clusters=3, draw_systems=True), 2, 3),
    ):
        half = stats.t.ppf(0.975, df) * drawn.std(ddof=1) * math.sqrt(n / (n - 1))
        found = work.interval(0.5, drawn, (-9.0, 9.0))
        assert found is not None
        assert (found.low, found.high) == pytest.approx((0.5 - half, 0.5 + half))
        assert found.level == 0.95
    wide = measuring(alpha=0.01).interval(0.5, drawn, (-9.0, 9.0))
    assert wide is not None
    assert wide.high - 0.5 == pytest.approx(
        stats.t.ppf(0.995, 39) * drawn.std(ddof=1) * math.sqrt(40 / 39)
    )


def test_an_interval_ends_where_values_end() -> None:
    drawn = np.array([-1.0, 1.0] * 100)
    assert measuring().interval(0.5, drawn, (0.0, 1.0)) == Interval(0.0, 1.0, 0.95)
    assert measuring().interval(math.nan, drawn, (0.0, 1.0)) is None


def test_draws_without_a_value_are_left_out_up_to_a_tenth() -> None:
    drawn = np.random.default_rng(2).normal(0.5, 0.1, 200)
    drawn[:20] = np.nan
    assert measuring().error(drawn) == pytest.approx(
        drawn[20:].std(ddof=1) * math.sqrt(40 / 39)
    )
    few = measuring(clusters=2).error(drawn)  # one degree of freedom is enough
    assert few == pytest.approx(drawn[20:].std(ddof=1) * math.sqrt(2))
    drawn[20] = np.nan
    assert math.isnan(measuring().error(drawn))
    assert measuring().interval(0.5, drawn, (0.0, 1.0)) is None


@pytest.mark.parametrize(
    ("statistic", "low", "high"), [("spa", 0.0, 1.0), ("pearson", -1.0, 1.0)]
)
def test_values_end_at_those_of_their_statistic(
    statistic: str, low: float, high: float
) -> None:
    few = {"draw_systems": True, "alpha": 0.0001, "statistic": statistic}
    [row] = run({"comet": FAIR}, **few).rows
    assert row.interval.to_json() == [low, high]
    [row] = run({"comet": FAIR}, level="segment", **{**few, "statistic": "tau23"}).rows
    assert row.interval.low < 0.0


def test_thresholds_that_were_used_are_told() -> None:
    def epsilon(statistic: str, **options: Any) -> float | None:
        [row] = run({"comet": GOOD}, level="segment", statistic=statistic, **options).rows
        found: float | None = row.epsilon
        return found

    assert epsilon("pearson") is None
    assert epsilon("acc23") == epsilon("tau23") == 0.0
    assert epsilon("acc23", epsilon=0.5) == epsilon("tau23", epsilon=0.5) == 0.5
    assert epsilon("acc-eq", epsilon="two-fold") is None
    best = epsilon("acc-eq")
    assert best is not None
    values = {
        e: run({"comet": GOOD}, level="segment", statistic="acc23", epsilon=e).rows[0].value
        for e in (best, 0.0, best + 0.2, max(best - 0.2, 0.0))
    }
    assert values[best] == max(values.values())


def test_the_detectable_difference_is_that_of_all_pairs_together() -> None:
    three = {"comet": GOOD, "bleu": FAIR, "chrf": BAD}
    work = replace(measuring(alpha=0.1), table=meta_table(PEOPLE, three))
    rows, draws = work.rows("pearson")
    for baseline, n in ((None, 3), ("bleu", 2)):
        found = work.pairs("pearson", rows, draws, baseline)
        assert len(found) == n
        factor = stats.norm.ppf(1 - 0.1 / (2 * n)) + stats.norm.ppf(0.8)
        for pair, swaps in found:
            assert pair.p_value == swaps.p_value
            assert pair.mde == pytest.approx(factor * swaps.standard_error)
            assert baseline in (None, pair.metric, pair.other)
        # Holm: the smallest counts as often as there are pairs.
        smallest = min((pair for pair, _ in found), key=lambda pair: pair.p_value)
        assert smallest.p_adjusted == pytest.approx(n * smallest.p_value)


def test_the_interval_of_a_difference_ends_at_the_largest_there_can_be() -> None:
    two = {"comet": GOOD, "bleu": FAIR}
    work = replace(measuring(alpha=1e-12, clusters=3), table=meta_table(PEOPLE, two))
    [(pair, _)] = work.pairs("pearson", *work.rows("pearson"), None)
    assert pair.interval == Interval(-2.0, 2.0, 1.0 - 1e-12)


def test_swaps_that_change_nothing_show_no_difference() -> None:
    twin = scores(np.array([2.0 * v[0] + 1.0 for v in GOOD.systems.values()]))
    [pair] = run({"comet": GOOD, "bleu": twin}).pairs
    assert (pair.difference, pair.p_value, pair.verdict) == (0.0, 1.0, "undecided")
    assert math.isnan(pair.mde)


def test_a_metric_that_says_one_thing_throughout_is_compared_as_well() -> None:
    flat = scores(np.full(QUALITY.shape, 0.5))
    [pair] = run({"comet": GOOD, "flat": flat}, level="segment").pairs
    assert (pair.metric, pair.other, pair.verdict) == ("comet", "flat", "better")
    assert pair.p_value == 1 / 200


def test_simpler_tests_are_made_for_the_correlation_of_all_outputs_only() -> None:
    two = {"comet": GOOD, "bleu": FAIR}
    [pair] = run(two, level="segment", statistic="pearson", average_by="none").pairs
    assert 0.0 < pair.p_cells <= 1.0
    assert 0.0 < pair.p_williams <= 1.0
    for options in (
        {"level": "segment", "statistic": "pearson"},
        {"level": "segment", "statistic": "kendall", "average_by": "none"},
        {"statistic": "pearson"},
    ):
        [pair] = run(two, **options).pairs
        assert math.isnan(pair.p_cells)
        assert math.isnan(pair.p_williams)


def test_sign_flips_give_the_value_of_spa_alone() -> None:
    normal, drawn = (
        run({"comet": FAIR}, pair_p=kind).rows[0] for kind in ("normal", "permutation")
    )
    assert drawn.value != normal.value
    assert drawn.value == pytest.approx(normal.value, abs=0.03)
    below = normal.value - normal.interval.low  # above, they may end at 1
    assert drawn.value - drawn.interval.low == pytest.approx(below)
    assert "values use sign flips" in run({"comet": FAIR}, pair_p="permutation").notes[-1]


def test_above_the_floor_is_said_where_it_is_shown() -> None:
    rows = {row.metric: row for row in run({"comet": GOOD, "chrf": BAD}).rows}
    assert rows["comet"].above_floor == "yes"
    assert rows["comet"].interval.low > rows["comet"].floor
    turned = scores(np.array([-v[0] for v in GOOD.systems.values()]))
    [below] = run({"comet": turned}).rows
    assert (below.above_floor, below.value < below.floor) == ("no", True)
    assert rows["chrf"].value > rows["chrf"].floor > rows["chrf"].interval.low
    assert rows["chrf"].above_floor == "undecided"


@pytest.mark.parametrize(
    ("statistic", "average"),
    [
        ("pearson", "none"), ("spearman", "none"), ("kendall", "none"), ("kendall-c", "none"),
        ("pearson", "sys"), ("spearman", "sys"), ("kendall", "sys"), ("acc23", "sys"),
        ("pearson", "item"), ("spearman", "item"), ("kendall", "item"), ("tau23", "item"),
        ("acc-eq", "item"),
    ],
)  # fmt: skip
def test_the_scale_of_a_metric_does_not_matter(statistic: str, average: str) -> None:
    other = scores(np.array([9.0 * v[0] - 70.0 for v in FAIR.systems.values()]))
    options = {"level": "segment", "statistic": statistic, "average_by": average}
    plain, scaled = (run({"comet": GOOD, "bleu": m}, **options) for m in (FAIR, other))
    assert plain.pairs[0].p_value == scaled.pairs[0].p_value
    assert plain.pairs[0].difference == pytest.approx(scaled.pairs[0].difference)
    assert plain.pairs[0].mde == pytest.approx(scaled.pairs[0].mde)


@pytest.mark.parametrize(
    ("level", "statistic", "average"),
    [
        ("segment", "pearson", "none"), ("segment", "pearson", "sys"),
        ("segment", "pearson", "item"), ("segment", "spearman", "none"),
        ("segment", "kendall", "none"), ("segment", "kendall", "sys"),
        ("segment", "kendall", "item"), ("segment", "acc23", "none"),
        ("segment", "tau23", "sys"), ("segment", "tau23", "item"), ("segment", "acc-eq", "item"),
        ("system", "spa", None), ("system", "pairwise-accuracy", None),
        ("system", "pearson", None), ("system", "spearman", None), ("system", "kendall", None),
    ],
)  # fmt: skip
def test_a_swap_gives_each_metric_what_the_other_gave_a_segment(
    level: str, statistic: Any, average: str | None
) -> None:
    table = meta_table(PEOPLE, {"comet": GOOD, "bleu": FAIR})
    asked = MetaSettings.check(
        level=level, statistic=statistic, average_by=average, undefined=None, epsilon=None,
        pair_p=None, draw_systems=False,
    )  # fmt: skip
    work = replace(measuring(), table=table, asked=asked)
    taken = np.random.default_rng(8).integers(0, 2, (6, 40)).astype(float)
    [swaps] = work._swaps(statistic, ["comet", "bleu"], [(0, 1)])
    got = swaps.swapped(taken)[:, 0]
    one, other = ((v - v.mean()) / v.std() for v in table.metrics.values())

    def value(metric: np.ndarray) -> float:
        measure = work.measure(statistic, metric)
        return float(measure.values(np.ones((1, 40)))[0])

    want = [
        value(np.where(swap, other, one)) - value(np.where(swap, one, other))
        for swap in taken.astype(bool)
    ]
    assert got == pytest.approx(want)
    assert np.ptp(want) > 0.0


def test_groups_are_segments_or_systems_and_those_without_a_value_are_counted() -> None:
    def groups(**options: Any) -> tuple[int, int]:
        [row] = run({"comet": flat_once}, **options).rows
        return row.n_groups, row.n_undefined

    values = np.array([v[0] for v in GOOD.systems.values()])
    values[:, 3] = 1.0  # one segment on which the metric says nothing
    flat_once = scores(values)
    asked = {"level": "segment", "statistic": "pearson"}
    assert groups(statistic="pearson") == (1, 0)
    assert groups(**asked) == (40, 1)
    assert groups(**asked, average_by="sys") == (5, 0)
    assert groups(**asked, average_by="none") == (1, 0)
    assert groups(level="segment") == (40, 0)
    [skipped], [zero] = (
        run({"comet": flat_once}, **asked, undefined=how).rows for how in ("skip", "zero")
    )
    assert zero.value == pytest.approx(skipped.value * 39 / 40)
    for how, said in (("skip", "left out"), ("zero", "counted as 0")):
        assert run({"comet": flat_once}, **asked, undefined=how).notes[-1] == (
            "Of 40 segments, up to 1 have no value, as people or a metric give one score "
            f"throughout; they are {said}."
        )


# --- Draws of segments and swaps between metrics, against what they are by definition ---


def engine(seed: int = 1) -> Engine:
    return Engine.start(seed, n_jobs=1, executor=None, progress=silent)


@dataclass(frozen=True)
class Total:
    """The sum of what segments weigh, each times its value; systems count their weights' sum."""

    of: FloatArray

    def values(self, items: FloatArray, systems: FloatArray | None = None) -> FloatArray:
        total: FloatArray = items @ self.of
        return total if systems is None else total + 1000.0 * systems.sum(axis=1)

    def floors(self, items: FloatArray, systems: FloatArray | None = None) -> FloatArray:
        return -self.values(items, systems)


def test_a_draw_takes_as_many_clusters_as_there_are_each_as_often() -> None:
    cluster = np.array([0, 0, 1, 2, 3, 3])
    each = [Total((cluster == c).astype(float) / (cluster == c).sum()) for c in range(4)]
    found = bootstrap_draws(each, cluster, n_systems=0, n_resamples=4000, engine=engine())
    assert found.shape == (4000, 2, 4)
    counts = found[:, 0]
    assert (counts.sum(axis=1) == 4).all()
    assert (found[:, 1] == -counts).all()
    # A binomial count of four draws with a quarter each: mean 1, variance ¾.
    assert counts.mean(axis=0) == pytest.approx(np.ones(4), abs=4 * (0.75 / 4000) ** 0.5)
    assert counts.var(axis=0) == pytest.approx(np.full(4, 0.75), abs=0.08)


def test_segments_of_a_cluster_are_drawn_together() -> None:
    apart = Total(np.array([1.0, -1.0, 0.0, 0.0]))
    found = bootstrap_draws(
        [apart], np.array([0, 0, 1, 2]), n_systems=0, n_resamples=300, engine=engine()
    )
    assert (found[:, 0] == 0.0).all()


def test_systems_are_drawn_where_they_are_asked_for() -> None:
    none = Total(np.zeros(3))
    found = bootstrap_draws([none], np.arange(3), n_systems=7, n_resamples=300, engine=engine())
    assert (found[:, 0] == 7000.0).all()


@pytest.mark.parametrize("cells", [1, 12, 400])
def test_batches_change_nothing(cells: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def both() -> tuple[FloatArray, FloatArray]:
        total, cluster = Total(np.arange(30.0) ** 2), np.arange(30)
        drawn = bootstrap_draws(
            [total], cluster, n_systems=4, n_resamples=230, engine=engine(3)
        )
        swaps = WeightSwaps(Total(np.concatenate([np.arange(30.0) ** 2, np.ones(30)])))
        [swapped] = swap_draws(swaps, cluster, n_resamples=230, engine=engine(3))
        return drawn, swapped.null

    whole = both()
    monkeypatch.setattr(draws, "_CELLS", cells)
    for one, other in zip(whole, both(), strict=True):
        np.testing.assert_array_equal(one, other)


def test_swaps_of_few_clusters_are_all_counted() -> None:
    """Two totals differ by 2Σ±(a − b) over clusters: of three, four patterns up to their sign."""
    first, second = np.array([5.0, 1.0, 4.0, 2.0]), np.array([1.0, 1.0, 2.0, 1.0])
    swaps = WeightSwaps(Total(np.concatenate([first, second])))
    [found] = swap_draws(swaps, np.array([0, 0, 1, 2]), n_resamples=500, engine=engine())
    assert found.exact
    assert found.observed == 7.0
    # Gains of 4, 2 and 1 of the three clusters; the data are not among the patterns listed.
    assert sorted(np.abs(found.null)) == [1.0, 3.0, 5.0]
    assert found.p_value == 1 / 4
    assert found.standard_error == pytest.approx(np.sqrt((1 + 9 + 25) / 3))


def test_swaps_of_many_clusters_are_drawn_evenly() -> None:
    n = 40
    rng = np.random.default_rng(5)
    first, second = rng.normal(0, 1, (2, n))
    swaps = WeightSwaps(Total(np.concatenate([first, second])))
    [found] = swap_draws(swaps, np.arange(n), n_resamples=4000, engine=engine())
    assert not found.exact
    assert found.null.shape == (4000,)
    spread = float(np.sqrt(np.square(first - second).sum()))
    assert found.null.mean() == pytest.approx(0.0, abs=4 * spread / 4000**0.5)
    assert found.standard_error == pytest.approx(spread, rel=4 / 8000**0.5)


def test_p_counts_ties_and_leaves_out_what_has_no_value() -> None:
    null = np.array([0.5, -0.5, 0.2, np.nan, 0.5 - 1e-12, 0.5 - 1e-8])
    assert Swapped(0.5, null, exact=False).p_value == (1 + 3) / (1 + 5)
    assert Swapped(-0.5, null, exact=False).p_value == (1 + 3) / (1 + 5)
    known = null[np.isfinite(null)]
    assert Swapped(0.5, null, exact=False).standard_error == pytest.approx(
        np.sqrt(np.square(known).mean())
    )
    assert np.isnan(Swapped(0.5, np.zeros(0), exact=True).standard_error)
    # Rounding grows with the value.
    assert Swapped(1e6, np.array([1e6 - 5e-5, 1e6 - 5e-3]), exact=False).p_value == 2 / 3


# --- What the usual tests between two metrics say, against their definitions ---

HUMAN = np.array([1.0, 4.0, 2.0, 6.0, 5.0])
ONE = np.array([2.0, 3.0, 1.0, 9.0, 4.0])
OTHER = np.array([60.0, 10.0, 30.0, 40.0, 20.0])


def r(first: np.ndarray, second: np.ndarray) -> float:
    return float(np.corrcoef(first, second)[0, 1])


def test_swaps_of_outputs_are_all_patterns_in_the_long_run() -> None:
    """Five outputs have 32 patterns, two of them as far apart as the data: none and all swapped."""
    x, y = ((v - v.mean()) / v.std() for v in (ONE, OTHER))
    gaps = []
    for pattern in itertools.product((False, True), repeat=5):
        a, b = np.where(pattern, y, x), np.where(pattern, x, y)
        gaps.append(abs(r(HUMAN, a) - r(HUMAN, b)))
    exact = float(np.mean(np.array(gaps) >= gaps[0] - 1e-9))
    assert exact == 2 / 32
    drawn = cell_swap_p(HUMAN, ONE, OTHER, n_resamples=20_000, rng=np.random.default_rng(1))
    assert drawn == pytest.approx(exact, abs=4 * (exact * (1 - exact) / 20_000) ** 0.5)


@pytest.mark.parametrize("cells", [1, 60, 400])
def test_every_swap_counts_whatever_the_batches(
    cells: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Equal metrics: every pattern is as extreme as the data, so that p is 1."""
    monkeypatch.setattr(naive, "_NAIVE_CELLS", cells)
    p = cell_swap_p(HUMAN, ONE, 3 * ONE + 1, n_resamples=130, rng=np.random.default_rng(1))
    assert p == 1.0
    far = cell_swap_p(
        np.arange(60.0), np.arange(60.0), np.arange(60.0)[::-1].copy(),
        n_resamples=130, rng=np.random.default_rng(1),
    )  # fmt: skip
    assert far == 1 / 131


def test_a_metric_that_says_one_thing_has_no_spread_to_divide_by() -> None:
    flat = np.full(5, 0.5)
    assert np.isnan(naive._standard_scores(flat)).sum() == 0
    assert naive._standard_scores(ONE).std() == pytest.approx(1.0)
    assert naive._standard_scores(ONE).mean() == pytest.approx(0.0)


def test_williams_is_taken_from_both_sides() -> None:
    one = williams(r(ONE, HUMAN), r(OTHER, HUMAN), r(ONE, OTHER), 5)
    assert one < 0.5
    assert williams_p(HUMAN, ONE, OTHER) == pytest.approx(2 * one)
    assert williams_p(HUMAN, OTHER, ONE) == pytest.approx(2 * one)
