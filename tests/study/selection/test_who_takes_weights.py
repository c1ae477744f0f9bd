"""Every analysis uses sampling weights, says that it does not, or refuses them."""

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import detectable as dt
from detectable.core.errors import DataError, InputError
from detectable.inference.standard_errors import cluster_mean
from tests.frozen.make_data import DATA

METRIC = str(DATA / "weighed_metric.csv")


def weighed(**changes: Any) -> dt.Judgments:
    columns = dt.read_judgments(DATA / "weighed.csv").to_columns()
    columns |= {role: [value] * len(columns["score"]) for role, value in changes.items()}
    return dt.Judgments.build(columns)


def without(judgments: dt.Judgments) -> dt.Judgments:
    columns = judgments.to_columns()
    del columns["sampling_weight"]
    return dt.Judgments.build(columns)


def by_hand(judgments: dt.Judgments, one: str, other: str) -> Any:
    """Return the weighted difference of two systems by the plain formula."""
    cells = judgments.cells()
    units = cells.matched([(one, other)]).units("document")
    return cluster_mean(units.d, units.cluster, units.weight)


def test_the_weighted_mean_of_clusters_by_hand() -> None:
    x, g, w = np.array([1.0, 2.0, 6.0, 4.0]), np.array([0, 0, 1, 2]), np.array([2.0, 2, 1, 3])
    found = cluster_mean(x, g, w)
    total = 8.0
    mean = (2 + 4 + 6 + 12) / total
    shares = np.array([4.0, 1.0, 3.0]) / total
    parts = np.array([2 * (1 - mean) + 2 * (2 - mean), 6 - mean, 3 * (4 - mean)]) / total
    assert found.value == pytest.approx(mean)
    assert found.standard_error == pytest.approx((parts**2 / (1 - shares)).sum() ** 0.5)
    equal = cluster_mean(x, g, np.full(4, 3.0))
    plain = cluster_mean(x, g)
    assert (equal.value, equal.standard_error, equal.df) == pytest.approx(
        (plain.value, plain.standard_error, plain.df)
    )


@pytest.mark.parametrize("test", ["auto", "permutation", "t"])
def test_rank_weighs(test: Any) -> None:
    judgments = weighed()
    ranking = dt.rank_systems(judgments, test=test, rng=1)
    assert ranking.weighted
    for pair in ranking.pairs:
        expected = by_hand(judgments, pair.better, pair.worse)
        assert pair.difference == pytest.approx(expected.value)
        assert pair.difference != pytest.approx(
            next(
                p.difference
                for p in dt.rank_systems(without(judgments), test="t").pairs
                if {p.better, p.worse} == {pair.better, pair.worse}
            )
        )
    if test == "t":
        pair = ranking.pairs[0]
        expected = by_hand(judgments, pair.better, pair.worse)
        assert pair.interval_alone.to_json() == pytest.approx(expected.interval(0.95).to_json())
    row = ranking.systems[0]
    judged = judgments.where(system=row.system)
    assert row.score == pytest.approx(np.average(judged.score, weights=judged.sampling_weight))
    assert row.mean_raw == pytest.approx(row.score)
    assert "WMT's rule" not in ranking.summary()
    assert "WMT's rule" in dt.rank_systems(without(judgments), rng=1).summary()
    assert "Documents were drawn with unequal probabilities; weights are used." in ranking.notes


def test_rank_with_a_margin_and_unpaired_weighs_too() -> None:
    judgments = weighed()
    ranking = dt.rank_systems(judgments, claim="non-inferior", margin=20.0, rng=1)
    assert ranking.pairs[0].difference == pytest.approx(
        by_hand(judgments, ranking.pairs[0].better, ranking.pairs[0].worse).value
    )
    items = np.array(judgments.item.labels())
    half = np.isin(items, list(judgments.item.levels)[::2])
    apart = judgments.take(half == (np.array(judgments.system.labels()) == "new"))
    unpaired = dt.rank_systems(apart, test="t")
    assert unpaired.matching == "none"
    parts = {row.system: row.score for row in unpaired.systems}
    for pair in unpaired.pairs:
        assert pair.difference == pytest.approx(parts[pair.better] - parts[pair.worse])
    with pytest.raises(InputError, match=r"`test='rank-sum'` knows no sampling weights; use"):
        dt.rank_systems(apart)


def test_a_document_that_carries_a_verdict_is_found_by_its_weight() -> None:
    judgments = weighed()
    columns = judgments.to_columns()
    # One document stands for nearly all, and alone says that old is better.
    columns["sampling_weight"] = [
        200.0 if document == "d14" else weight
        for document, weight in zip(
            columns["document"], columns["sampling_weight"], strict=True
        )
    ]
    ranking = dt.rank_systems(dt.Judgments.build(columns), test="t")
    assert all(np.isfinite(pair.difference) for pair in ranking.pairs)


def test_control_variates_weigh() -> None:
    judgments = weighed()
    found = dt.control_variates(judgments, METRIC)
    assert found.weighting is not None
    assert found.weighting.saved is None  # no record
    for pair in found.pairs:
        expected = by_hand(judgments, pair.system, pair.baseline)
        assert pair.plain_estimate == pytest.approx(expected.value)
        assert pair.plain_standard_error == pytest.approx(expected.standard_error)
        assert pair.plain_df == pytest.approx(expected.df)
    equal = dt.control_variates(weighed(sampling_weight=3.0), METRIC)
    assert equal.weighting is None
    plain = dt.control_variates(without(judgments), METRIC)
    assert equal.pairs == plain.pairs
    assert equal.systems == plain.systems


def test_control_variates_of_systems_on_other_items_weigh() -> None:
    judgments = weighed()
    documents = np.array(judgments.document.labels())  # type: ignore[union-attr]
    half = np.isin(documents, sorted(set(documents))[::2])
    apart = judgments.take(half == (np.array(judgments.system.labels()) == "new"))
    found = dt.control_variates(apart, METRIC, baseline="new")
    assert not found.pairs[0].paired
    by_name = {row.system: row for row in found.systems}
    for pair in found.pairs:
        gap = by_name[pair.system].mean - by_name["new"].mean
        assert pair.estimate == pytest.approx(gap)
        assert pair.standard_error > 0.0


def test_several_metrics_and_copies_are_refused() -> None:
    judgments = weighed()
    with pytest.raises(
        InputError, match=r"several metrics .* know no sampling weights; use one"
    ):
        dt.control_variates(judgments, judge=[METRIC, METRIC])
    table = dt.read_scores(METRIC)
    columns = judgments.to_columns()
    place = {item: i for i, item in enumerate(table.items)}
    columns["score"] = [
        float(table.systems[system][0, place[item]])
        for system, item in zip(columns["system"], columns["item"], strict=True)
    ]
    copied = dt.Judgments.build(columns, scale=(-np.inf, np.inf))
    with pytest.raises(DataError, match="the judgments are the scores of the metric itself"):
        dt.control_variates(copied, METRIC)


def test_all_failures_and_some_passes_are_put_together() -> None:
    found = dt.control_variates(
        dt.read_judgments(DATA / "review.csv", scale=(0, 1)), judge=DATA / "one_judge.csv"
    )
    assert found.weighting is not None
    groups = found.weighting.groups
    assert [(one.score, one.n_pool, one.n_items) for one in groups] == [
        (0, 20, 20),
        (1, 60, 15),
    ]
    share = (20 * groups[0].share + 60 * groups[1].share) / 80
    assert found.systems[0].mean == pytest.approx(share)
    labels = dt.read_judgments(DATA / "review.csv", scale=(0, 1)).score
    assert found.weighting.unweighted == pytest.approx(labels.mean())
    assert f"Without the weights it would be {labels.mean():.1%}." in found.summary()
    here = dt.control_variates(
        dt.read_judgments(DATA / "review.csv", scale=(0, 1)),
        judge=DATA / "one_judge.csv",
        target="test-set",
    )
    assert here.systems[0].interval.high < found.systems[0].interval.high + 1e-9


def planned(folder: Path, test: str) -> Path:
    """Freeze a plan of two looks at two systems."""
    options: dict[str, Any] = {"test": test, "n_max": 60, "scale": (0, 100)}
    if test != "e-process":
        options |= {"family": "hsd", "looks": 2}
    path = folder / "plan.json"
    dt.plan(path, systems=["new", "old"], **options)
    return path


@pytest.mark.parametrize("test", ["paired-mean", "sign-flip"])
def test_looks_weigh(test: str, tmp_path: Path) -> None:
    judgments = weighed()
    made = planned(tmp_path, test)
    seen = dt.look(made, judgments, final=True)
    [row] = seen.pairs
    expected = by_hand(judgments, "new", "old")
    assert row.estimate == pytest.approx(expected.value)
    assert row.standard_error == pytest.approx(expected.standard_error)
    assert any("drawn with unequal probabilities" in note for note in seen.notes)
    ended = dt.conclude(made, judgments)
    assert ended.pairs[0].naive_estimate == pytest.approx(expected.value)


def test_sign_flips_of_a_look_are_of_weighted_sums(tmp_path: Path) -> None:
    judgments = weighed()
    units = judgments.cells().matched([("old", "other")]).units("document")
    assert units.weight is not None
    codes = np.unique(units.cluster, return_inverse=True)[1]
    p = {}
    for name, weight in (("weighed", units.weight), ("plain", np.ones(units.d.size))):
        sums = np.bincount(codes, weight * units.d)
        signs = 1 - 2 * (np.arange(1 << sums.size)[:, None] >> np.arange(sums.size) & 1)
        flipped = np.abs(signs @ sums)
        p[name] = float((flipped >= abs(sums.sum()) - 1e-9).mean())
    path = tmp_path / "plan.json"
    options: dict[str, Any] = {"n_max": 60, "scale": (0, 100), "family": "hsd", "looks": 2}
    dt.plan(path, systems=["old", "other"], test="sign-flip", **options)
    seen = dt.look(path, judgments, final=True)
    assert abs(p["weighed"] - p["plain"]) > 0.005
    assert seen.pairs[0].exact_p == pytest.approx(p["weighed"], abs=0.002)


@pytest.mark.parametrize("test", ["e-process", "signed-rank", "rank-sum", "two-means", "mixed"])
def test_other_looks_refuse(test: str, tmp_path: Path) -> None:
    made = planned(tmp_path, test)
    with pytest.raises(InputError, match=f"a plan by {test} knows no sampling weights; use"):
        dt.look(made, weighed())


NOTED: dict[str, Callable[[dt.Judgments], Any]] = {
    "variance": lambda data: dt.variance_components(data),
    "agreement": lambda data: dt.agreement(data, min_overlap=5),
    "judge agreement": lambda data: dt.judge_agreement(data, METRIC),
}


def two_raters() -> dt.Judgments:
    columns = weighed().to_columns()
    n = len(columns["score"])
    both = {role: [*values, *values] for role, values in columns.items()}
    both["rater"] = ["r"] * n + ["s"] * n
    rng = np.random.default_rng(1)
    both["score"] = np.clip(np.array(both["score"]) + rng.normal(0, 3, 2 * n), 0, 100).tolist()
    return dt.Judgments.build(both)


@pytest.mark.parametrize("name", NOTED)
def test_analyses_of_raters_say_that_they_use_none(name: str) -> None:
    data = two_raters()
    said = "Sampling weights are not used: this is about raters, not about the pool."
    assert said in NOTED[name](data).notes
    assert said not in NOTED[name](without(data)).notes


def test_quality_says_that_it_uses_none() -> None:
    columns = two_raters().to_columns()
    columns["kind"] = [
        "degraded" if k % 5 == 0 else "system" for k in range(len(columns["score"]))
    ]
    found = dt.quality_control(dt.Judgments.build(columns, repeated="mark"))
    assert any("Sampling weights are not used" in note for note in found.notes)


REFUSED: dict[str, Callable[[dt.Judgments], Any]] = {
    "rank by rank-sum": lambda data: dt.rank_systems(data, test="rank-sum"),
    "rank by signed-rank": lambda data: dt.rank_systems(data, test="signed-rank"),
    "rank by stouffer": lambda data: dt.rank_systems(data, test="stouffer"),
    "rank by a mixed model": lambda data: dt.rank_systems(data, test="mixed"),
    "rank as wmt21": lambda data: dt.rank_systems(data, preset="wmt21"),
    "rank by domains": lambda data: dt.rank_systems(data, average="domains"),
    "rank by judgments": lambda data: dt.rank_systems(data, level="judgment"),
    "rank without severity": lambda data: dt.rank_systems(data, standardise="mixed"),
    "repeat": lambda data: dt.rank_systems(data, rng=1).repeat("documents"),
    "mixed": lambda data: dt.fit_mixed(data),
    "translationese": lambda data: dt.translationese(data, language_pair="de-en"),
    "reliability": lambda data: dt.reliability(judgments=data, effect=1.0, rng=1),
    "campaign pairs": lambda data: dt.campaign_pairs(data),
    "meta": lambda data: dt.meta(data, {"m": METRIC}, rng=1),
    "pilot": lambda data: dt.labels(
        mde=2.0, pilot=data, judge=METRIC, system="new", baseline="old"
    ),
    "rogan-gladen": lambda data: dt.rogan_gladen(data, METRIC, METRIC),
}


@pytest.mark.parametrize("name", REFUSED)
def test_analyses_without_a_meaning_refuse(name: str) -> None:
    data = two_raters() if name in ("mixed", "rank by a mixed model") else weighed(domain="x")
    with pytest.raises(InputError, match=r"knows? no (more )?sampling weights"):
        REFUSED[name](data)


def test_meta_refuses_the_column_also_where_all_weigh_alike() -> None:
    with pytest.raises(InputError, match="there is a column sampling_weight"):
        dt.meta(weighed(sampling_weight=2.0), {"m": METRIC}, rng=1)


@pytest.mark.filterwarnings("ignore::detectable.core.errors.CompatibilityWarning")
@pytest.mark.parametrize("preset", ["wmt21", None])
def test_equal_weights_are_todays_code_to_the_last_bit(preset: Any) -> None:
    equal, plain = weighed(sampling_weight=2.5), without(weighed())
    one, other = (dt.rank_systems(data, preset=preset, rng=1) for data in (equal, plain))
    first, second = (copy.deepcopy(found.to_dict()) for found in (one, other))
    said = "Documents were drawn at random; all weigh alike."
    first["notes"] = [note for note in first["notes"] if note != said]
    assert json.dumps(first) == json.dumps(second)
