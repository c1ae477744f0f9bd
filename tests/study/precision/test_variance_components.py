"""Quality and noise: published numbers, known truths, a bootstrap that a plain loop confirms."""

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from detectable.core.errors import DataError, InputError, SuspiciousDataWarning
from detectable.data.human.judgments import Judgments
from detectable.study.precision.variance_bootstrap import (
    Moments,
    bootstrap_moments,
    percentile,
    unit_codes,
    variance_sums,
)
from detectable.study.precision.variance_components import (
    VarianceComponents,
    allocations,
    ceiling,
    mean_variance,
    variance_components,
)
from tests.helpers import reference_data
from tests.study.precision.crossed import EVERYTHING, crossed

PAIRS = ("cs", "is", "ja", "ru")


def wmt(path: Path, score: str, *, language: str) -> dict[str, list[Any]]:
    table = pl.read_parquet(path)
    return {
        "system": table["system_id"].cast(pl.String).to_list(),
        "item": table["sid"].to_list(),
        "rater": table["worker"].cast(pl.String).to_list(),
        "kind": table["type"].cast(pl.String).to_list(),
        "task": table["hit"].cast(pl.String).to_list(),
        "score": table[score].to_list(),
        "language": [language] * table.height,
    }


def quiet(judgments: Judgments, **options: Any) -> VarianceComponents:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SuspiciousDataWarning)
        return variance_components(judgments, **{"n_resamples": 100, "rng": 1, **options})


@pytest.mark.golden
@pytest.mark.parametrize("score", ["raw", "z"])
@pytest.mark.parametrize("source", PAIRS)
def test_wmt21_pair_by_pair(source: str, score: str) -> None:
    gold = json.loads(reference_data("gold", "graham.json").read_text())
    want = gold["variance_decomposition"]["ours"]["wmt21"][f"per_lp_{score}"][source]
    path = reference_data("data", "wmt", f"wmt21_{source}en_da.parquet")
    columns = wmt(path, score, language=f"{source}-en")
    found = quiet(Judgments.build(columns, scale=EVERYTHING, repeated="mark"), pooled="all")
    # The page takes the total of single judgments beside a noise of averaged repeats; ours is
    # of the averages too, and so a little smaller.
    rows = pl.DataFrame(columns).filter(pl.col("kind").is_in(["SYSTEM", "REPEAT"]))
    assert rows["score"].var() == pytest.approx(want["total"], rel=1e-9)
    total = rows.group_by("system", "item", "rater").agg(pl.col("score").mean())["score"].var()
    assert found.total.value == pytest.approx(total, rel=1e-9)
    assert found.total.value < want["total"]
    assert found.noise.value == pytest.approx(want["noise"], rel=1e-9)
    share = 1 - want["noise"] / found.total.value
    assert found.by_difference.untruncated == pytest.approx(share, abs=1e-9)
    assert found.n_judgments == want["n_judgments"]
    assert found.n_repeated == want["n_repeated_translations"]
    assert any("degraded" in note for note in found.notes)


@pytest.mark.golden
def test_repeats_by_the_same_rater_are_not_noise_between_raters() -> None:
    # Six pairs pooled have an intra-worker variance of 220 and a correlation of .76; were such
    # repeats counted as noise between raters, half of the variance would look like quality.
    path = reference_data("data", "wmt", "wmt22_jaen_da.parquet")
    columns = wmt(path, "raw", language="ja-en")
    found = quiet(Judgments.build(columns, repeated="mark"), pooled="all")
    gold = json.loads(reference_data("gold", "graham.json").read_text())
    want = gold["variance_decomposition"]["ours"]["wmt22"]["per_lp_raw"]["ja"]
    assert found.noise.value == pytest.approx(want["noise"], rel=1e-9)
    assert found.intra is not None
    assert found.intra.value < 0.5 * found.noise.value
    assert 0.7 < found.intra_correlation < 0.8


def test_known_variances_are_recovered() -> None:
    rng = np.random.default_rng(3)
    runs = [
        quiet(crossed(rng, items=300, repeated_share=0.4), pooled=pooled)
        for pooled in ("within-system", "all")
        for _ in range(60)
    ]
    for name, values, truth in (
        ("total", [run.total.value for run in runs], 100.0),
        ("noise", [run.noise.value for run in runs], 75.0),
        ("difference", [run.by_difference.untruncated for run in runs], 0.25),
        ("covariance", [run.by_covariance.untruncated for run in runs], 0.25),
    ):
        error = np.std(values, ddof=1) / len(values) ** 0.5
        assert abs(np.mean(values) - truth) < 3 * error, name


def test_unequal_numbers_of_raters_and_few_items_leave_no_bias_in_the_covariance() -> None:
    rng = np.random.default_rng(4)
    found = []
    for _ in range(400):
        judgments = crossed(rng, items=12, per_item=4, repeated_share=0.5)
        if np.bincount(judgments.item.codes).max() > 1:
            moments = quiet(judgments)
            found.append(moments.by_covariance.untruncated * moments.total.value)
    assert abs(np.mean(found) - 25.0) < 3 * np.std(found, ddof=1) / len(found) ** 0.5


def plain(judgments: Judgments, drawn: Any) -> dict[str, float]:
    """Decompose by loops over translations and pairs of raters, weights at hand."""
    mean = judgments.score.mean()
    by_item: dict[str, dict[str, float]] = {}
    assert judgments.rater is not None
    for row in range(judgments.n_judgments):
        cell = by_item.setdefault(judgments.item.label(row), {})
        cell[judgments.rater.label(row)] = float(judgments.score[row])
    n = judgments.n_judgments
    squares = sum(
        drawn(i, r) * (score - mean) ** 2 for i, c in by_item.items() for r, score in c.items()
    )
    weight = sum(drawn(i, r) for i, c in by_item.items() for r in c)
    between = between_df = products = repeated = 0.0
    for i, cell in by_item.items():
        names, k = sorted(cell), len(cell)
        for a in range(k):
            for b in range(a + 1, k):
                w = drawn(i, names[a], names[b])
                x, y = cell[names[a]], cell[names[b]]
                between += w * (x - y) ** 2 / k
                between_df += w * 2 / k
                products += w * (x - mean) * (y - mean) / (k * (k - 1) / 2)
                repeated += w / (k * (k - 1) / 2)
    return {
        "total": squares / weight * n / (n - 1),
        "noise": between / between_df,
        "covariance": products / repeated,
    }


@pytest.mark.parametrize("unit", ["item", "rater"])
def test_the_matrix_product_equals_a_loop(unit: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    judgments = crossed(np.random.default_rng(8), items=25, raters=6, per_item=3)
    sums = variance_sums(judgments.cells(), pooled="all")
    named, codes = unit_codes(judgments, unit)
    column = judgments.column(named)
    taken: list[np.ndarray] = []
    original = np.bincount

    def spy(*arguments: Any, **options: Any) -> Any:
        counted = original(*arguments, **options)
        if options.get("minlength") == 5 * (int(codes.max()) + 1) and len(arguments) == 1:
            taken.append(counted.reshape(5, -1))
        return counted

    monkeypatch.setattr(np, "bincount", spy)
    found = bootstrap_moments(
        sums,
        codes,
        raters=unit == "rater",
        n_resamples=5,
        generator=np.random.default_rng(2),
    )
    monkeypatch.undo()
    first = {column.levels[column.codes[r]]: codes[r] for r in range(codes.size)}
    for draw, weights in enumerate(taken[0]):
        count = {name: float(weights[code]) for name, code in first.items()}

        def drawn(item: str, *raters: str, count: dict[str, float] = count) -> float:
            if unit == "item":
                return count[item]
            return float(np.prod([count[rater] for rater in raters]))

        want = plain(judgments, drawn)
        assert found.total[draw] == pytest.approx(want["total"])
        assert found.noise[draw] == pytest.approx(want["noise"])
        offset = sums.products_offset
        assert found.covariance[draw] == pytest.approx(want["covariance"] + offset)


def test_a_decomposition_without_repeats_of_a_system_mean() -> None:
    # Two systems far apart: within systems their distance is no variance.
    judgments = crossed(np.random.default_rng(5), items=400, systems=("A", "B", "C", "D"))
    within = quiet(judgments, pooled="within-system")
    mean = quiet(judgments, pooled="mean-of-systems")
    everything = quiet(judgments, pooled="all")
    groups = [judgments.score[judgments.system.codes == s].var(ddof=1) for s in range(4)]
    assert mean.total.value == pytest.approx(np.mean(groups))
    sizes = np.bincount(judgments.system.codes) - 1
    assert within.total.value == pytest.approx(np.average(groups, weights=sizes))
    assert everything.total.value == pytest.approx(judgments.score.var(ddof=1))
    assert everything.total.value > within.total.value + 20
    assert any("between systems" in note for note in everything.notes)


def test_the_first_of_several_scores_or_their_mean() -> None:
    columns = {
        "system": ["A"] * 7,
        "item": [1, 1, 1, 2, 2, 3, 3],
        "rater": ["v", "v", "w", "v", "w", "v", "w"],
        "score": [10.0, 30.0, 40.0, 50.0, 70.0, 60.0, 90.0],
    }
    judgments = Judgments.build(columns, repeated="mark")
    average, first = (quiet(judgments, repeats=how) for how in ("mean", "first"))
    assert average.noise.value == pytest.approx((20**2 + 20**2 + 30**2) / 2 / 3)
    assert first.noise.value == pytest.approx((30**2 + 20**2 + 30**2) / 2 / 3)
    assert average.total.value == pytest.approx(np.var([20, 40, 50, 70, 60, 90], ddof=1))
    assert first.total.value == pytest.approx(np.var([10, 40, 50, 70, 60, 90], ddof=1))
    said = "1 of 6 scores are means of a rater's repeats"
    assert any(said in note for note in average.notes)
    assert not any(said in note for note in first.notes)
    assert (average.n_judgments, first.n_judgments) == (7, 6)
    for found in (average, first):
        assert found.intra is not None
        assert (found.intra.value, found.n_intra) == (200.0, 1)


@pytest.mark.parametrize(("repeats", "noise"), [("mean", 40 + 20 * 0.6), ("first", 60.0)])
def test_repeats_leave_no_bias(repeats: Any, noise: float) -> None:
    # Quality 30, rater 40, repeat 20; three scores by a rater of six tenths of the cells, so that
    # the mean of a rater's scores has .4 · 20 + .6 · 20/3 = .6 · 20 of the last.
    rng = np.random.default_rng(13)
    runs = [
        quiet(repeating(rng, quality=30.0, rater=40.0, repeat=20.0), repeats=repeats)
        for _ in range(150)
    ]
    for name, values, truth in (
        ("total", [run.total.value for run in runs], 30.0 + noise),
        ("noise", [run.noise.value for run in runs], noise),
        ("quality", [run.total.value - run.noise.value for run in runs], 30.0),
        (
            "covariance",
            [run.by_covariance.untruncated * run.total.value for run in runs],
            30.0,
        ),
        ("intra", [run.intra.value for run in runs if run.intra], 20.0),
    ):
        error = np.std(values, ddof=1) / len(values) ** 0.5
        assert abs(np.mean(values) - truth) < 3 * error, name
    # The advice is of the same scores: one rater for each of them.
    one = runs[0].advice[0]
    total = max(runs[0].by_difference.value, 0.0) * runs[0].total.value + runs[0].noise.value
    assert one.standard_error == pytest.approx((total / one.n_items) ** 0.5)
    assert one.n_items == 240


def repeating(
    rng: np.random.Generator, *, quality: float, rater: float, repeat: float
) -> Judgments:
    """Return 120 items by two raters each, who score six tenths of them three times."""
    item = np.repeat(np.arange(120), 2)
    times = np.where(np.arange(240) % 10 < 6, 3, 1)
    cell = np.repeat(np.arange(240), times)
    score = 50 + rng.normal(0, quality**0.5, 120)[item] + rng.normal(0, rater**0.5, 240)
    columns = {
        "system": ["A"] * cell.size,
        "item": item[cell].tolist(),
        "rater": (cell % 80).tolist(),
        "score": (score[cell] + rng.normal(0, repeat**0.5, cell.size)).tolist(),
    }
    return Judgments.build(columns, scale=EVERYTHING, repeated="mark")


def test_more_noise_than_total_is_cut_and_said() -> None:
    rng = np.random.default_rng(6)
    score = np.concatenate([rng.normal(50, 1, 200), np.tile([20.0, 80.0], 10)])
    item = np.concatenate([np.arange(200), np.repeat(np.arange(200, 210), 2)])
    columns = {
        "system": ["A"] * score.size,
        "item": item.tolist(),
        "rater": np.arange(score.size).tolist(),
        "score": score.tolist(),
    }
    with pytest.warns(SuspiciousDataWarning, match="cut to 0"):
        found = variance_components(Judgments.build(columns), n_resamples=200, rng=1)
    assert (found.by_difference.value, found.by_difference.gamma) == (0.0, np.inf)
    assert found.by_difference.untruncated < 0.0
    assert found.to_dict()["by_difference"]["gamma"] is None


def test_repeated_items_that_are_unlike_the_others_are_noticed() -> None:
    rng = np.random.default_rng(7)
    usual = rng.normal(50, 15, 600)
    twice = np.repeat(rng.normal(50, 2, 300), 2) + rng.normal(0, 6, 600)
    columns = {
        "system": ["A"] * 1200,
        "item": [*range(600), *np.repeat(np.arange(600, 900), 2).tolist()],
        "rater": list(range(1200)),
        "score": np.concatenate([usual, twice]).tolist(),
    }
    with pytest.warns(SuspiciousDataWarning, match="not a random subset"):
        found = variance_components(
            Judgments.build(columns, scale=EVERYTHING), n_resamples=500, rng=1
        )
    assert found.by_difference.value - found.by_covariance.value > 0.05


def test_what_cannot_be_decomposed_is_refused() -> None:
    once = {"system": ["A", "A"], "item": [1, 2], "rater": ["v", "w"], "score": [1, 2]}
    with pytest.raises(DataError, match="no translation was judged by two raters"):
        variance_components(Judgments.build(once))
    del once["rater"]
    with pytest.raises(InputError, match="there is no rater"):
        variance_components(Judgments.build(once))
    same = {"system": ["A"] * 2, "item": [1, 1], "rater": ["v", "w"], "score": [5, 5]}
    with pytest.raises(DataError, match="all scores are the same"):
        variance_components(Judgments.build(same))
    bad = {**same, "score": [5, 6], "kind": ["BAD", "REF"]}
    with pytest.raises(DataError, match="no judgment is of a system's own output"):
        variance_components(Judgments.build(bad))
    with pytest.raises(InputError, match="`pooled` must be one of"):
        variance_components(Judgments.build(same), pooled="none")  # type: ignore[arg-type]


def test_the_answer_is_repeatable_and_says_it_in_words() -> None:
    judgments = crossed(np.random.default_rng(9), documents=20)
    first = variance_components(judgments, n_resamples=300, rng=5)
    # As dictionaries: a NaN is None there, and equal to itself.
    again = variance_components(judgments, n_resamples=300, rng=5)
    assert first.to_dict() == again.to_dict()
    assert (first.unit, first.n_clusters) == ("document", 20)
    said = first.summary()
    assert "is noise between raters" in said.splitlines()[0]
    assert "one judgment per item on more items is best" in said


def test_the_same_judgments_buy_most_with_one_rater_per_item() -> None:
    rows = allocations(quality=36.0, noise=64.0, n_judgments=1200)
    errors = [row.standard_error for row in rows]
    assert errors == sorted(errors)
    variance = mean_variance(quality=36.0, noise=64.0, n_items=400, n_raters=3)
    assert errors[2] == pytest.approx(variance**0.5)
    assert variance == pytest.approx(36 / 400 + 64 / 1200)
    assert ceiling(quality=36.0, noise=64.0) == pytest.approx(100 / 36)
    with pytest.raises(InputError, match="must be at least 0"):
        allocations(quality=-1.0, noise=1.0, n_judgments=10)


def test_many_clusters_are_dealt_into_groups_of_the_same_spread() -> None:
    judgments = crossed(np.random.default_rng(10), items=6000, repeated_share=0.3)
    sums = variance_sums(judgments.cells(), pooled="within-system")
    _, codes = unit_codes(judgments, "auto")
    draws = bootstrap_moments(
        sums, codes, raters=False, n_resamples=2000, generator=np.random.default_rng(1)
    )
    # Of a mean of squares of normal numbers about 1,800 degrees of freedom: 75 √(2 / df).
    df = float((sums.cells.size - 1).sum())
    # Relative error of this SD: of the sample (squares of normal numbers have a variance whose
    # own relative variance is 14/df), of 1,024 groups, and of 2,000 resamples.
    error = 0.5 * (14 / df + 2 / 1024 + 2 / 2000) ** 0.5
    assert np.std(draws.noise) == pytest.approx(75 * (2 / df) ** 0.5, rel=3 * error)
    assert isinstance(draws, Moments)
    assert percentile(np.full(10, np.nan), 0.95) is None


@pytest.mark.slow
@pytest.mark.parametrize(("items", "repeated"), [(200, 0.5), (100, 1.0)])
def test_intervals_cover(items: int, repeated: float) -> None:
    rng, trials = np.random.default_rng(11), 600
    hits = np.zeros(3)
    for _ in range(trials):
        judgments = crossed(rng, items=items, raters=500, repeated_share=repeated)
        found = quiet(judgments, n_resamples=500, rng=rng)
        for i, (bounds, truth) in enumerate(
            (
                (found.noise.interval, 75.0),
                (found.by_difference.interval, 0.25),
                (found.by_covariance.interval, 0.25),
            )
        ):
            assert bounds is not None
            hits[i] += truth in bounds
    # A percentile interval of a variance is a little short: 92 to 95 % was measured.
    assert (hits / trials > 0.95 - 0.02 - 3 * (0.05 * 0.95 / trials) ** 0.5).all(), (
        hits / trials
    )


@pytest.mark.slow
def test_with_few_severe_and_mild_raters_only_drawing_raters_covers() -> None:
    rng, trials, raters, items = np.random.default_rng(12), 300, 10, 300
    hits = {"item": 0, "rater": 0}
    for _ in range(trials):
        first = rng.integers(0, raters, items)
        second = (first + 1 + rng.integers(0, raters - 1, items)) % raters
        rater = np.stack([first, second], axis=1).ravel()
        item = np.repeat(np.arange(items), 2)
        score = rng.normal(50, 5, items)[item] + rng.normal(0, 30**0.5, raters)[rater]
        score += rng.normal(0, 45**0.5, 2 * items)
        columns = {"system": ["A"] * score.size, "item": item, "rater": rater, "score": score}
        judgments = Judgments.build(columns, scale=EVERYTHING)
        for clusters in hits:
            found = quiet(judgments, unit=clusters, n_resamples=500, rng=rng)
            assert found.noise.interval is not None
            hits[clusters] += 75.0 in found.noise.interval
    # .54 and .92 were measured.
    assert hits["item"] / trials < 0.65
    assert hits["rater"] / trials > 0.92 - 3 * (0.05 * 0.95 / trials) ** 0.5
