"""Quality and noise: published numbers, known truths, a bootstrap that a plain loop confirms."""

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import stats

from detectable.core.errors import DataError, InputError, SuspiciousDataWarning
from detectable.data.formats.wmt_da import raw_scores
from detectable.data.human.judgments import Judgments
from detectable.data.human.read_judgments import read_judgments
from detectable.study.precision.variance_components import (
    VarianceComponents,
    allocations,
    ceiling,
    mean_variance,
    variance_components,
)
from detectable.study.precision.variance_sums import unit_codes, variance_sums
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
        return variance_components(judgments, **options)


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


@pytest.mark.slow
def test_unequal_numbers_of_raters_and_few_items_leave_no_bias_in_the_covariance() -> None:
    rng = np.random.default_rng(4)
    found = []
    for _ in range(400):
        judgments = crossed(rng, items=12, per_item=4, repeated_share=0.5)
        if np.bincount(judgments.item.codes).max() > 1:
            moments = quiet(judgments)
            found.append(moments.by_covariance.untruncated * moments.total.value)
    assert abs(np.mean(found) - 25.0) < 3 * np.std(found, ddof=1) / len(found) ** 0.5


@pytest.mark.parametrize("pooled", ["within-system", "all", "mean-of-systems"])
def test_left_out_is_computed_without(pooled: Any) -> None:
    """Sums that are taken away say what the other judgments alone say."""
    judgments = crossed(
        np.random.default_rng(8),
        items=40,
        raters=7,
        per_item=3,
        repeated_share=0.6,
        documents=9,
        systems=("A", "B"),
    )
    sums = variance_sums(judgments.cells(), pooled=pooled)
    _, document = unit_codes(sums.judgments, "auto")
    raters = judgments.column("rater").codes
    of_translation = document[sums.cells.row[sums.cells.start]]
    for left_out, codes in (
        (sums.without_clusters(of_translation), document),
        (sums.without_raters(), raters),
    ):
        assert left_out.total.size == codes.max() + 1
        for code in range(int(codes.max()) + 1):
            rest = variance_sums(
                judgments.take(codes != code).cells(), pooled=pooled
            ).observed()
            for part in ("total", "noise", "covariance"):
                wanted = getattr(rest, part)[0]
                assert getattr(left_out, part)[code] == pytest.approx(wanted, rel=1e-9), part


def test_many_clusters_are_left_out_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    judgments = crossed(np.random.default_rng(9), items=50, raters=9)
    sums = variance_sums(judgments.cells(), pooled="within-system")
    _, item = unit_codes(sums.judgments, "item")
    of_translation = item[sums.cells.row[sums.cells.start]]
    whole = sums.without_clusters(of_translation)
    monkeypatch.setattr("detectable.study.precision.variance_sums._CELLS", 100)
    assert (sums.without_clusters(of_translation).noise == whole.noise).all()


def test_very_many_clusters_are_dealt_into_groups_of_the_same_spread() -> None:
    judgments = crossed(np.random.default_rng(10), items=6000, repeated_share=0.3)
    found = quiet(judgments, unit="item")
    # Of a mean of squares of normal numbers with df degrees of freedom: 75 √(2 / df), on logarithms.
    df = found.n_repeated
    assert found.noise.interval is not None
    width = np.log(found.noise.interval.high / found.noise.interval.low)
    # Of the sample (14/df), of 1,000 groups, and of 40 raters, who are as severe as each other and
    # whose spread is counted once more.
    error = 0.5 * (14 / df + 2 / 1000 + 2 / 40) ** 0.5
    both = 2 * 2 * (2 * 2 / df) ** 0.5
    assert width == pytest.approx(both, rel=4 * error)


def test_the_interval_of_a_share_is_the_jackknife_of_documents_and_raters() -> None:
    judgments = crossed(np.random.default_rng(10), items=40, raters=5, documents=8)
    sums = variance_sums(judgments.cells(), pooled="within-system")
    _, document = unit_codes(sums.judgments, "auto")
    parts = (
        sums.without_clusters(document[sums.cells.row[sums.cells.start]]),
        sums.without_raters(),
    )
    spreads, sizes = [], []
    for one in parts:
        g = np.log(one.total / one.noise)  # −ln(1 − share)
        spreads.append((g.size - 1) / g.size * ((g - g.mean()) ** 2).sum())
        sizes.append(g.size)
    df = sum(spreads) ** 2 / sum(v**2 / (n - 1) for v, n in zip(spreads, sizes, strict=True))
    assert sizes == [8, 5]
    found = quiet(judgments)
    middle = -np.log(1 - found.by_difference.untruncated)
    half = stats.t.ppf(0.975, df) * sum(spreads) ** 0.5
    ends = 1 - np.exp(-(middle + np.array([-half, half])))
    assert found.by_difference.interval is not None
    assert found.by_difference.interval.high == pytest.approx(ends[1])
    assert found.by_difference.interval.low == pytest.approx(max(ends[0], 0.0))


def test_three_documents_have_no_interval_and_two_raters_are_these_two() -> None:
    rng = np.random.default_rng(11)
    few = quiet(crossed(rng, items=30, documents=3))
    assert few.by_difference.interval is few.noise.interval is None
    assert "No interval is given: 3 documents are too few, and 4 are needed." in few.notes
    enough = quiet(crossed(rng, items=30, documents=4))
    assert enough.by_difference.interval is not None
    two = quiet(crossed(rng, items=30, raters=2, documents=6))
    assert any("holds for these two raters" in note for note in two.notes)
    assert two.by_difference.interval is not None
    alone = quiet(crossed(rng, items=30, raters=2, documents=6), unit="rater")
    assert alone.by_difference.interval is None
    assert "No interval is given: 2 raters are too few, and 3 are needed." in alone.notes
    three = quiet(crossed(rng, items=30, raters=3, documents=6), unit="rater")
    assert three.noise.interval is not None


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


@pytest.mark.slow
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
        found = variance_components(Judgments.build(columns))
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
        found = variance_components(Judgments.build(columns, scale=EVERYTHING))
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
    first = variance_components(judgments)
    # As dictionaries: a NaN is None there, and equal to itself.
    again = variance_components(judgments)
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


@pytest.mark.slow
@pytest.mark.parametrize(("items", "repeated"), [(200, 0.5), (100, 1.0)])
def test_intervals_cover(items: int, repeated: float) -> None:
    rng, trials = np.random.default_rng(11), 600
    hits = np.zeros(3)
    for _ in range(trials):
        judgments = crossed(rng, items=items, raters=500, repeated_share=repeated)
        found = quiet(judgments)
        for i, (bounds, truth) in enumerate(
            (
                (found.noise.interval, 75.0),
                (found.by_difference.interval, 0.25),
                (found.by_covariance.interval, 0.25),
            )
        ):
            assert bounds is not None
            hits[i] += truth in bounds
    assert (hits / trials > 0.95 - 3 * (0.05 * 0.95 / trials) ** 0.5).all(), hits / trials


@pytest.mark.slow
def test_with_few_severe_and_mild_raters_the_noise_is_covered() -> None:
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
            found = quiet(judgments, unit=clusters)
            assert found.noise.interval is not None
            hits[clusters] += 75.0 in found.noise.interval
    # A bootstrap over items held .54: it does not know that raters differ.
    assert min(hits.values()) / trials > 0.92 - 3 * (0.05 * 0.95 / trials) ** 0.5, hits


def test_what_a_metric_saves_follows_from_both_shares() -> None:
    table = {
        "system": ["A"] * 6, "item": [1, 1, 2, 2, 3, 3], "rater": ["v", "w"] * 3,
        "score": [50, 60, 80, 70, 20, 30],
    }  # fmt: skip
    found = variance_components(Judgments.build(table), metric_correlation=[1.0, 0.5])
    share = found.by_difference.value
    assert [one.correlation for one in found.efficiencies] == [1.0, 0.5]
    for one in found.efficiencies:  # equation 2 with γ = (1 − share) / share
        assert one.by_difference == pytest.approx(1.0 / (1.0 - share * one.correlation**2))
    assert variance_components(Judgments.build(table)).efficiencies == ()


@pytest.mark.golden
@pytest.mark.filterwarnings("ignore::detectable.core.errors.SuspiciousDataWarning")
def test_six_language_pairs_of_wmt21_pooled() -> None:
    """Two are published as z-scores; the numbers are those of an independent computation."""
    folder = reference_data("data", "wmt")
    files = [folder / f"wmt21_{pair}en_da.parquet" for pair in PAIRS]
    files += [folder / "official" / f"ad-{pair}en-good-stnd.csv.gz" for pair in ("de", "ha")]
    parts = [raw_scores(read_judgments(path)) for path in files]
    assert all(part.scale == (0.0, 100.0) for part in parts)
    found = variance_components(Judgments.join(parts), pooled="all")
    assert found.total.value == pytest.approx(916.18, abs=0.005)
    assert found.noise.value == pytest.approx(692.78, abs=0.005)
    assert found.by_difference.value == pytest.approx(0.244, abs=0.0005)
