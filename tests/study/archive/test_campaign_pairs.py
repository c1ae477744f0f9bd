"""All pairs of an archive: against scipy pair by pair, levels, words, and the published count."""

import json
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import stats

from detectable.core.choices import PairTest
from detectable.core.errors import DataError, InputError
from detectable.data.human import cells as matching
from detectable.data.human.judgments import Judgments
from detectable.study.archive import campaign_pairs as pair_tests
from detectable.study.archive.campaign_pairs import (
    CampaignPairs,
    campaign_pairs,
    swap_calibration,
)
from tests.helpers import reference_data

ALL: tuple[PairTest, ...] = ("rank-sum", "paired", "signed-rank")


def archive(
    seed: int = 1, *, whole: bool = True, documents: bool = False, step: float = 2.0
) -> Judgments:
    """Return three campaigns of irregular judgments: gaps, repeats, several raters an item."""
    rng = np.random.default_rng(seed)
    rows: dict[str, list[Any]] = {
        name: [] for name in ("campaign", "system", "item", "rater", "score")
    }
    for campaign, systems in (("one", "ABC"), ("two", "BD"), ("three", "A")):
        for item in range(30):
            ease = rng.normal(0, 12)
            for rater in rng.choice(5, rng.integers(1, 3), replace=False):
                for k, system in enumerate(systems):
                    for _ in range(rng.choice([0, 1, 1, 1, 2])):
                        score = np.clip(60 + ease + step * k + rng.normal(0, 6), 0, 100)
                        values = (campaign, system, item, int(rater), float(score))
                        for name, value in zip(rows, values, strict=True):
                            rows[name].append(value)
    if whole:
        rows["score"] = np.round(rows["score"]).tolist()
    if documents:
        rows["document"] = [item // 4 for item in rows["item"]]
    return Judgments.build(rows, repeated="mark")


def by_loop(judgments: Judgments) -> dict[tuple[str, str, str], dict[str, Any]]:
    """Return judgments and item differences of every pair, found row by row."""
    columns = judgments.to_columns()
    frame = pl.DataFrame(
        {k: columns[k] for k in ("campaign", "system", "item", "rater", "score")}
    )
    found = {}
    for (campaign,), part in frame.group_by("campaign", maintain_order=True):
        for a, b in combinations(part["system"].unique(maintain_order=True).to_list(), 2):
            x, y = (part.filter(pl.col("system") == s) for s in (a, b))
            cells = [t.group_by("item", "rater").agg(pl.col("score").mean()) for t in (x, y)]
            both = cells[0].join(cells[1], on=["item", "rater"])
            items = (
                both.group_by("item").agg(pl.col("score", "score_right").mean()).sort("item")
            )
            found[str(campaign), a, b] = {
                "first": x["score"].to_numpy(),
                "second": y["score"].to_numpy(),
                "item": items["item"].to_list(),
                "a": items["score"].to_numpy(),
                "b": items["score_right"].to_numpy(),
            }
    return found


def rows_of(pairs: CampaignPairs) -> dict[tuple[str, str, str], dict[str, float]]:
    columns = pairs.to_columns()
    names = zip(columns["campaign"], columns["first"], columns["second"], strict=True)
    return {
        name: {key: values[i] for key, values in columns.items()}
        for i, name in enumerate(names)
    }


@pytest.mark.parametrize("whole", [True, False])
def test_every_pair_is_tested_as_scipy_would(whole: bool) -> None:
    judgments = archive(whole=whole)
    ours, expected = rows_of(campaign_pairs(judgments, tests=ALL)), by_loop(judgments)
    assert set(ours) == set(expected)
    for name, pair in expected.items():
        row, d = ours[name], np.round(pair["a"] - pair["b"], 9)
        test = stats.mannwhitneyu(pair["first"], pair["second"], method="asymptotic")
        assert row["p rank-sum"] == pytest.approx(test.pvalue, abs=1e-12)
        assert row["p paired"] == pytest.approx(stats.ttest_1samp(d, 0.0).pvalue, abs=1e-9)
        pratt = stats.wilcoxon(d, zero_method="pratt", correction=True, method="asymptotic")
        assert row["p signed-rank"] == pytest.approx(pratt.pvalue, abs=1e-12)
        assert row["units"] == d.size
        assert row["correlation"] == pytest.approx(np.corrcoef(pair["a"], pair["b"])[0, 1])
        unpaired = sum(pair[s].var(ddof=1) / pair[s].size for s in ("first", "second"))
        assert row["variance ratio"] == pytest.approx(unpaired / stats.sem(d) ** 2)
        assert row["difference of means"] == pytest.approx(
            pair["first"].mean() - pair["second"].mean()
        )


def test_sorting_by_columns_gives_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = campaign_pairs(archive()).to_columns()
    monkeypatch.setattr(matching, "_LARGEST", 0.0)
    monkeypatch.setattr(pair_tests, "_COUNTS", 1)  # and one pair at a time
    assert campaign_pairs(archive()).to_columns() == plain


def test_documents_are_the_clusters_where_they_are_known() -> None:
    judgments = archive(documents=True)
    pairs = campaign_pairs(judgments)
    assert pairs.unit == "document"
    plain = by_loop(archive())
    for name, row in rows_of(pairs).items():
        d = plain[name]["a"] - plain[name]["b"]
        documents = np.array([int(item) // 4 for item in plain[name]["item"]])
        # CR2 by its definition: every document's residual sum over √(1 − its share).
        codes = np.unique(documents, return_inverse=True)[1]
        share = np.bincount(codes) / d.size
        sums = np.bincount(codes, weights=d - d.mean()) / d.size
        assert row["standard error"] == pytest.approx(
            np.sqrt((sums**2 / (1.0 - share)).sum()), rel=1e-9
        )
        assert 1.0 <= row["df"] <= share.size - 1 + 1e-9
        if np.ptp(share) == 0.0:
            assert row["df"] == share.size - 1


def test_raters_as_clusters_speak_for_raters_like_these() -> None:
    pairs = campaign_pairs(archive(), unit="rater")
    assert pairs.claim == "raters like these"
    # Five raters with unequal numbers of items: fewer degrees of freedom than four.
    assert all(3.0 < df < 4.0 for df in pairs.columns["df"].tolist())
    assert pairs.summary().endswith("speaks for raters like these.")
    assert any("than 7 equal clusters have" in note for note in pairs.notes)


def test_without_raters_items_are_paired() -> None:
    rng = np.random.default_rng(3)
    ease = rng.normal(0, 9, 40)
    scores = np.concatenate(
        [60 + ease + rng.normal(0, 2, 40), 61 + ease + rng.normal(0, 2, 40)]
    )
    judgments = Judgments.build(
        {"system": ["A"] * 40 + ["B"] * 40, "item": list(range(40)) * 2, "score": scores}
    )
    pairs = campaign_pairs(judgments)
    expected = stats.ttest_rel(scores[:40], scores[40:]).pvalue
    assert pairs.columns["p paired"][0] == pytest.approx(expected, rel=1e-6)
    assert "Raters are not known: systems are paired by item alone." in pairs.notes
    with pytest.raises(InputError, match="there is no rater"):
        campaign_pairs(judgments, unit="rater")


def test_systems_without_common_judgments_cannot_be_paired() -> None:
    judgments = Judgments.build(
        {
            "system": ["A"] * 3 + ["B"] * 3,
            "item": range(6),
            "rater": ["w"] * 6,
            "score": range(6),
        }
    )
    pairs = campaign_pairs(judgments)
    assert np.isnan(pairs.columns["p paired"][0])
    assert [test.tested for test in pairs.tests] == [1, 0]
    assert pairs.matched_share == 0.0
    assert pairs.summary().endswith("No two systems could be paired.")
    assert "1 pair without an item that one rater judged for both systems: no paired test." in (
        pairs.notes
    )
    json.dumps(pairs.to_dict())


def test_equal_differences_take_the_p_of_sign_flips() -> None:
    scores = [50.3, 60.3, 70.3, 80.3, 50, 60, 70, 80]
    judgments = Judgments.build(
        {
            "system": ["A"] * 4 + ["B"] * 4 + ["C"] * 4,
            "item": list(range(4)) * 3,
            "rater": ["w"] * 12,
            "score": scores + scores[4:],
        }
    )
    assert campaign_pairs(judgments).columns["p paired"].tolist() == [0.125, 0.125, 1.0]


def test_kinds_that_are_no_system_are_left_out_and_counted() -> None:
    columns = archive().to_columns()
    plain = campaign_pairs(Judgments.build(columns, repeated="mark")).to_columns()
    for name, value in {
        "campaign": "one", "system": "A", "item": "0", "rater": "0", "score": 1.0,
        "kind": "degraded",
    }.items():  # fmt: skip
        columns[name] = [*columns[name], value]
    pairs = campaign_pairs(Judgments.build(columns, repeated="mark"))
    assert pairs.to_columns() == plain
    assert "1 judgment left out, not of systems' own output: 1 degraded." in pairs.notes
    assert "1 campaign with one system: nothing to compare." in pairs.notes


def test_words_and_counts() -> None:
    pairs = campaign_pairs(archive(), tests=ALL)
    first, paired, _ = pairs.tests
    assert pairs.n_pairs == 4
    assert pairs.n_campaigns == 2
    assert paired.significant == first.significant + paired.gained - paired.lost
    assert "Of 4 comparisons in 2 campaigns, decided at 0.05: rank-sum " in pairs.summary()
    assert "columns" not in pairs.to_dict()
    reversed_order = campaign_pairs(archive(), tests=("paired", "rank-sum"))
    assert reversed_order.tests[1].gained == paired.lost
    assert reversed_order.tests[1].lost == paired.gained
    assert "fewer comparisons than paired" in reversed_order.summary()


def test_messages() -> None:
    judgments = archive()
    with pytest.raises(InputError, match="`tests` must name different tests"):
        campaign_pairs(judgments, tests=())
    with pytest.raises(InputError, match="`tests` must be one of"):
        campaign_pairs(judgments, tests=("t",))  # type: ignore[arg-type]
    with pytest.raises(DataError, match="no campaign has two systems"):
        campaign_pairs(judgments.where(campaign="three"))


def test_the_paired_test_keeps_its_level_and_the_rank_sum_stays_below() -> None:
    levels = swap_calibration(archive(whole=False), tests=ALL, n_swaps=2000, rng=4).levels
    rank_sum, paired, signed = levels
    assert abs(paired.share - 0.05) < 4.0 * paired.standard_error
    assert abs(signed.share - 0.05) < 4.0 * signed.standard_error
    assert rank_sum.share < 0.02
    assert paired.tested == 4 * 2000


def test_swaps_of_raters_are_for_raters_as_clusters() -> None:
    judgments = archive(5, step=6.0)  # the difference becomes disagreement between raters
    by_item = swap_calibration(judgments, unit="item", swap="rater", n_swaps=500, rng=4)
    by_rater = swap_calibration(judgments, unit="rater", n_swaps=500, rng=4)
    assert by_item.levels[1].share > 0.1
    assert by_rater.levels[1].share < by_item.levels[1].share
    assert by_rater.summary().endswith("500 swaps of whole raters each.")
    by_document = swap_calibration(archive(documents=True), n_swaps=2, rng=4)
    assert by_document.swapped == by_document.unit == "document"


def test_swaps_are_repeatable() -> None:
    judgments = archive()
    once, again = (swap_calibration(judgments, n_swaps=30, rng=9) for _ in range(2))
    assert once == again
    assert once != swap_calibration(judgments, n_swaps=30, rng=10)


@pytest.mark.golden
def test_pairs_of_shipdata_have_the_checked_p_values() -> None:
    gold = json.loads(reference_data("gold", "shipdata.json").read_text())["sample_pairs"]
    path = reference_data("data", "shipdata", "shipdata_judgments.parquet")
    frame = pl.read_parquet(path).filter(
        pl.col("campaign").is_in([row["campaign_code"] for row in gold])
    )
    pairs = rows_of(
        campaign_pairs(
            Judgments.build(
                {
                    "system": frame["system"],
                    "item": frame["segment"],
                    "rater": frame["user"],
                    "score": frame["score"].to_numpy(),
                    "campaign": frame["campaign"],
                },
                repeated="mark",
            )
        )
    )
    for row in gold:
        names = [str(row[k]) for k in ("campaign_code", "system_a", "system_b")]
        swapped = (names[0], names[2], names[1])
        sign = -1.0 if swapped in pairs else 1.0
        ours = pairs.get(swapped) or pairs[names[0], names[1], names[2]]
        assert ours["p rank-sum"] == pytest.approx(row["mwu_two_sided_p"], rel=1e-9)
        assert sign * ours["difference of means"] == pytest.approx(row["mean_diff"], abs=1e-9)


def test_pairs_say_their_campaign_and_language_and_the_error_of_raw_means() -> None:
    scores = {
        ("c1", "en-de", "A"): [70, 50, 90],
        ("c1", "en-de", "B"): [60, 45, 91],
        ("c2", "de-en", "A"): [10, 30],
        ("c2", "de-en", "C"): [20, 35],
        ("c1", "fr-en", "A"): [10, 30],
        ("c1", "fr-en", "C"): [20, 38],
    }
    rows = [(*key, i, s) for key, own in scores.items() for i, s in enumerate(own)]
    names = ("campaign", "language", "system", "item", "score")
    table = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    pairs = campaign_pairs(Judgments.build({**table, "rater": ["w"] * len(rows)}))
    assert pairs.named == {
        "campaign": ("c1", "c2", "c1"),
        "language": ("en-de", "de-en", "fr-en"),
    }
    expected = [
        np.sqrt(np.var(a, ddof=1) / len(a) + np.var(b, ddof=1) / len(b))
        for a, b in zip(list(scores.values())[::2], list(scores.values())[1::2], strict=True)
    ]
    np.testing.assert_allclose(pairs.columns["standard error of means"], expected)
    assert pairs.columns["matched judgments"].tolist() == [3, 2, 2]
    del table["campaign"], table["language"]
    table["item"] = list(range(len(rows)))
    assert campaign_pairs(Judgments.build(table)).named == {}
