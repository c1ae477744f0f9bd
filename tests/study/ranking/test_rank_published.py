"""Rankings as WMT published them, number by number."""

import itertools
import json
import warnings
from dataclasses import replace
from functools import cache
from typing import Any

import polars as pl
import pytest

from detectable.core.choices import RankingTest
from detectable.core.errors import CompatibilityWarning, DetectableWarning
from detectable.core.execute import Engine
from detectable.core.types import silent
from detectable.data.human.judgments import Judgments
from detectable.report.methods.ranking import methods
from detectable.study.ranking.item_scores import read_segment_scores
from detectable.study.ranking.prepare import prepare
from detectable.study.ranking.rank_systems import rank_prepared, rank_systems
from detectable.study.ranking.ranking import Ranking
from detectable.study.ranking.settings import RankSettings
from tests.helpers import reference_data

pytestmark = pytest.mark.golden

CAMPAIGNS = ("cs-en", "de-en", "is-en", "ja-en", "ru-en")
ALL = [f"wmt21.{pair}" for pair in CAMPAIGNS] + ["wmt22.cs-en", "wmt22.ja-en", "wmt22.zh-en"]
# Number of judgments whose raw score cannot be recovered from the public z.
JUDGMENTS = {"wmt21_csen": 0, "wmt21_isen": 1, "wmt21_jaen": 0, "wmt21_ruen": 0}


@cache
def gold(part: str) -> dict[str, Any]:
    content = json.loads(reference_data("gold", "graham.json").read_text())
    found: dict[str, Any] = content[part]
    return found


def official(campaign: str) -> dict[str, Any]:
    found: dict[str, Any] = gold("wmt_clusters")[campaign]
    return found


def by_rank(bounds: list[list[int]], names: list[str]) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(names[first - 1 : last]) for first, last in bounds)


def wmt21(campaign: str) -> Ranking:
    path = reference_data("data", "wmt", "wmt21_22_toen_segscores.parquet")
    with pytest.warns(DetectableWarning):
        return rank_systems(read_segment_scores(path, campaign=campaign), preset="wmt21")


@pytest.mark.parametrize("campaign", ALL)
def test_official_clusters_means_and_p_values(campaign: str) -> None:
    expected, ranking = official(campaign), wmt21(campaign)
    names = [row["system"] for row in expected["systems"]]
    assert [row.system for row in ranking.systems] == names
    assert ranking.clusters == by_rank(expected["clusters"], names)
    for row, wanted in zip(ranking.systems, expected["systems"], strict=True):
        assert row.mean_raw == pytest.approx(wanted["raw"], abs=1e-10)
        assert row.mean_z == pytest.approx(wanted["z"], abs=1e-10)
        assert (row.n, row.N) == (wanted["n"], wanted["N"])
        assert row.rank_high == len(names) - wanted["official_wins"]
    p = {f"{pair.better}>{pair.worse}": pair.p_value for pair in ranking.pairs}
    assert p.keys() == expected["p_one_sided"].keys()
    assert p == pytest.approx(expected["p_one_sided"], abs=1e-10)
    forward = sum(pair.verdict == "better" for pair in ranking.pairs)
    assert forward == expected["n_significant_pairs"]


@pytest.mark.parametrize("campaign", ALL)
def test_clusters_by_all_pairs(campaign: str) -> None:
    path = reference_data("data", "wmt", "wmt21_22_toen_segscores.parquet")
    settings = RankSettings(
        standardise="z", test="rank-sum", correction="none", unit="item", one_sided=True
    )
    expected = official(campaign)
    ranking = quiet(read_segment_scores(path, campaign=campaign), settings)
    names = [row["system"] for row in expected["systems"]]
    assert ranking.clusters == by_rank(expected["clusters_strict_all_pairs"], names)


def test_the_one_official_line_that_not_all_pairs_support() -> None:
    # WMT21 German–English: Borderline, rank 1, does not beat VolcTrans-AT, rank 5.
    ranking = wmt21("wmt21.de-en")
    assert [len(group) for group in ranking.clusters] == [4, 16]
    assert ranking.pair("Borderline.4", "VolcTrans-AT.0").verdict == "undecided"
    assert ranking.reversals == (
        "happypoet.8 wins against Watermelon.13, whose score is higher",
    )


def da_judgments(name: str) -> Judgments:
    table = pl.read_parquet(reference_data("data", "wmt", f"{name}_da.parquet"))
    return Judgments.build(
        {
            "system": table["system_id"].cast(str),
            "item": table["sid"],
            "rater": table["worker"].cast(str),
            "task": table["hit"].cast(str),
            "kind": table["type"].cast(str),
            "score": table["raw"],
        }
    )


@pytest.mark.parametrize("name", JUDGMENTS)
def test_official_means_from_judgments(name: str) -> None:
    judgments = da_judgments(name)
    expected = official(f"{name[:5]}.{name[6:8]}-{name[8:]}")
    with pytest.warns(CompatibilityWarning, match="preset wmt21"):
        ranking = rank_systems(judgments, preset="wmt21")
    missing = 0
    names = [row["system"] for row in expected["systems"]]
    assert ranking.clusters == by_rank(expected["clusters"], names)
    for row, wanted in zip(ranking.systems, expected["systems"], strict=True):
        # z was published with six digits, and raw scores were recovered from it.
        assert row.mean_z == pytest.approx(wanted["z"], abs=1e-6)
        assert row.n == wanted["n"]
        missing += wanted["N"] - row.N
        if wanted["N"] == row.N:
            assert row.mean_raw == pytest.approx(wanted["raw"], abs=1e-10)
    assert missing == JUDGMENTS[name]


def test_wmt22_counts_segments_without_z_as_average_ones() -> None:
    # 67 segments were judged only by raters with one score throughout. They have z = 0 in the
    # official table and count in n; their judgments are not in the public file.
    with pytest.warns(DetectableWarning):
        ranking = rank_systems(da_judgments("wmt22_jaen"), preset="wmt21")
    wanted = {row["system"]: row for row in official("wmt22.ja-en")["systems"]}
    missing = 0
    for row in ranking.systems:
        theirs = wanted[row.system]
        missing += theirs["n"] - row.n
        assert row.mean_z * row.n == pytest.approx(theirs["z"] * theirs["n"], abs=1e-3)
    assert missing == 67


@cache
def esa() -> Judgments:
    """Return WMT24 English–Japanese, waves 2 and 3: last score of each whole document."""
    path = reference_data("data", "wmt", "wmt24_esa_engjpn_waves2-3.parquet")
    table = pl.read_parquet(path).with_columns(pl.col("doc").cast(str))
    kept = table.filter(pl.col("type") == "TGT", ~pl.col("doc").str.contains("#"))
    kept = kept.unique(["item", "system"], keep="last", maintain_order=True)
    return Judgments.build(
        {
            "system": kept["system"].cast(str),
            "item": kept["item"],
            "rater": kept["user"].cast(str),
            "document": kept["doc"],
            "domain": kept["domain"].cast(str),
            "wave": kept["wave"],
            "score": kept["score"],
        }
    )


def quiet(data: Any, settings: RankSettings) -> Ranking:
    engine = Engine.start(1, n_jobs=1, executor=None, progress=silent)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DetectableWarning)  # reversals, of no concern here
        return rank_prepared(prepare(data, settings), settings, engine)


def test_wmt24_means_clusters_and_the_price_of_lost_signs() -> None:
    expected = gold("wmt24_esa_waves23")["eng-jpn"]
    with pytest.warns(CompatibilityWarning, match="63 of 78 pairs apart; with the signs kept"):
        ranking = rank_systems(esa(), preset="wmt24")
    assert [row.system for row in ranking.systems] == expected["order"]
    for row in ranking.systems:
        assert row.score == pytest.approx(expected["macro"][row.system], abs=1e-10)
        assert row.mean_raw == pytest.approx(expected["micro"][row.system], abs=1e-10)
        assert row.n == expected["n_segments"]
    assert ranking.n_significant == 63
    assert ranking.clusters == by_rank(expected["clusters"]["wmt24_rule"], expected["order"])
    assert "(one-sided like it) 55." in ranking.notes[0]


@pytest.mark.parametrize(
    ("test", "variant", "p_values", "significant"),
    [
        ("stouffer", "signed_stouffer", None, 55),
        ("signed-rank", "signed_rank_one_sided", "p_signed_rank_one_sided", 54),
        ("rank-sum", "mwu_one_sided", "p_mwu_one_sided", 54),
    ],
)
def test_wmt24_data_under_other_rules(
    test: RankingTest, variant: str, p_values: str | None, significant: int
) -> None:
    expected = gold("wmt24_esa_waves23")["eng-jpn"]
    settings = RankSettings(
        standardise="none", average="domains", correction="none", unit="item", one_sided=True
    )
    as_scipy = replace(settings, within_raters=False, zeros="drop", continuity=False, test=test)
    ranking = quiet(esa(), as_scipy)
    assert sum(pair.verdict == "better" for pair in ranking.pairs) == significant
    assert ranking.clusters == by_rank(expected["clusters"][variant], expected["order"])
    for pair in ranking.pairs if p_values else ():
        wanted = expected[p_values][f"{pair.better}>{pair.worse}"]
        assert pair.p_value == pytest.approx(wanted, abs=1e-10)


def test_wmt25_repeats_scipy_on_every_pairing_of_two_waves() -> None:
    from scipy.stats import wilcoxon

    first_wave = {"A": [70, 80, 65, 90, 72, 88], "B": [60, 85, 60, 70, 75, 80]}
    rows = [
        (system, item, w, score + 3 * w * (item % 2))
        for system, scores in first_wave.items()
        for (item, score), w in itertools.product(enumerate(scores), (0, 1))
    ]
    system, item, waves, score = zip(*rows, strict=True)
    judgments = Judgments.build(
        {"system": system, "item": item, "wave": waves, "score": score, "rater": waves}
    )
    with pytest.warns(CompatibilityWarning, match="preset wmt25"):
        ranking = rank_systems(judgments, preset="wmt25")
    found = {(s, i, w): x for s, i, w, x in rows}
    differences = [
        found["A", i, w] - found["B", i, v] for i in range(6) for w in (0, 1) for v in (0, 1)
    ]
    p = wilcoxon(differences, alternative="greater", method="approx", correction=False).pvalue
    assert ranking.pairs[0].p_value == pytest.approx(p, rel=1e-12)
    assert ranking.pairs[0].p_adjusted == pytest.approx(2 * p, rel=1e-12)


def right_or_wrong(right: dict[str, list[int]], per_document: int | None = None) -> Judgments:
    """One judgment of 0 or 1 for each item and system."""
    rows = [(name, i, float(score)) for name, of in right.items() for i, score in enumerate(of)]
    table = dict(zip(("system", "item", "score"), zip(*rows, strict=True), strict=True))
    documents = {"document": [i // per_document for _, i, _ in rows]} if per_document else {}
    return Judgments.build({**table, "rater": ["r"] * len(rows), **documents})


# 57 against 37 of 1,000 answers: exact p and Tango's interval (reference: repairs, section 10).
FIXED_57_BROKEN_37 = {
    "A": [1] * 57 + [0] * 37 + [1] * 500 + [0] * 406,
    "B": [0] * 57 + [1] * 37 + [1] * 500 + [0] * 406,
}


@pytest.mark.parametrize("seed", [1, 2])
def test_right_and_wrong_answers_are_counted_whatever_the_seed(seed: int) -> None:
    found = rank_systems(right_or_wrong(FIXED_57_BROKEN_37), rng=seed)
    (pair,) = found.pairs
    assert pair.p_value == pytest.approx(0.049450, abs=5e-7)
    assert (pair.interval.low, pair.interval.high) == pytest.approx(
        (0.00102, 0.03954), abs=5e-6
    )
    assert (pair.verdict, found.exact, found.n_resamples) == ("better", True, None)
    assert "|R:all|" in str(found.signature)
    assert "McNemar's exact test" in str(methods(found))


def test_counted_answers_of_several_systems_are_corrected_by_holm() -> None:
    three = FIXED_57_BROKEN_37 | {"C": [1] * 57 + [0] * 943}
    found = rank_systems(right_or_wrong(three), rng=1)
    raw = {(pair.better, pair.worse): pair.p_value for pair in found.pairs}
    assert raw["A", "B"] == pytest.approx(0.049450, abs=5e-7)
    assert found.correction == "holm"
    p = [pair.p_adjusted for pair in sorted(found.pairs, key=lambda pair: pair.p_value)]
    assert p == [
        min(1.0, k * one) for k, one in zip((3, 2, 1), sorted(raw.values()), strict=True)
    ]
    joint = rank_systems(right_or_wrong(three), correction="max-t", n_resamples=999, rng=1)
    assert (joint.exact, joint.n_resamples) == (False, 999)


def test_answers_in_documents_are_flipped_by_document() -> None:
    scores = right_or_wrong(FIXED_57_BROKEN_37, per_document=10)
    found = rank_systems(scores, rng=1)
    assert (found.unit, found.counted) == ("document", False)


def test_without_a_rater_answers_are_counted_too() -> None:
    """56 against 37 of 1,000: the exact p is .061386 (reference: repairs, section 10)."""
    fixed, broken = ([1] * 56 + [0] * 37, [0] * 56 + [1] * 37)
    agreed = [1] * 500 + [0] * 407
    answers = {"A": fixed + agreed + [1] * 20, "B": broken + agreed + [0] * 20}
    rows = [
        (name, i, float(score), f"r{i % 10}" if i < 1_000 else "generous")
        for name, of in answers.items()
        for i, score in enumerate(of)
    ]
    table = zip(("system", "item", "score", "rater"), zip(*rows, strict=True), strict=True)
    found = rank_systems(Judgments.build(dict(table)), rng=1)
    assert found.pairs[0].verdict == "better"
    pair = next(one for one in found.influential if one.better)
    assert (pair.kind, pair.name, pair.verdict) == ("rater", "generous", "undecided")
    assert pair.p_adjusted == pytest.approx(0.061386, abs=5e-7)
