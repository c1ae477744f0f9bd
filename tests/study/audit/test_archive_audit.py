"""Archives: wei2022's Table 1 cell by cell, groups, words."""

import json
import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

from detectable.core.errors import InputError
from detectable.core.types import FloatArray
from detectable.data.factor import factor
from detectable.data.human.judgments import Judgments
from detectable.data.human.score_histograms import ScoreHistograms
from detectable.inference.standard_errors import median_unbiased
from detectable.report.blocks import Table
from detectable.report.blocks_of import blocks_of
from detectable.study.archive.campaign_pairs import campaign_pairs
from detectable.study.audit.archive_audit import (
    Aim,
    ArchiveAudit,
    GroupTally,
    Limits,
    audit_archive,
    detectable_differences,
    needed_judgments,
    tally,
)
from detectable.study.audit.audit import audit
from detectable.study.audit.past_comparisons import PastComparisons, SeenDifferences
from tests.helpers import reference_data


@pytest.mark.golden
def test_table_1_of_wei2022_forty_cells_of_forty() -> None:
    gold = json.loads(reference_data("gold", "shipdata.json").read_text())
    found = audit(reference_data("data", "shipdata", "shipdata_hist.npz"), by="language-pair")
    assert isinstance(found, ArchiveAudit)
    groups = {group.group: group for group in found.groups}
    paper = gold["table1_paper"]
    cells = 0
    for i, name in enumerate(paper["lp"]):
        group = groups[name]
        assert (group.significant, group.total) == (paper["sig"][i], paper["total"][i])
        assert group.observed_mde is not None
        assert round(group.observed_mde, 1) == paper["mde"][i]
        assert round(group.median_difference, 1) == paper["median"][i]
        cells += 4
    assert cells == 40
    # The largest groups first: the ten of the paper are the ten largest.
    assert [group.group for group in found.groups[:10]] == paper["lp"]
    for row in gold["table1_mde_rules"]:
        group = groups.get(row["lp"], found.overall)
        assert group.observed_mde == pytest.approx(row["contig_ge"], abs=1e-9)
        assert group.above == row["n_above_ge"]
    counts = gold["counts"]
    whole = found.overall
    assert len(found.groups) == counts["language_pairs_with_pairs"]
    assert (whole.total, whole.significant) == (counts["pairs"], counts["significant_at_05"])
    assert whole.observed_mde == pytest.approx(counts["observed_mde_all"], abs=0.0005)
    assert whole.median_difference == pytest.approx(counts["median_abs_diff"], abs=1e-12)
    assert found.n_judgments == counts["judgments"]
    none = [group for group in found.groups if group.observed_mde is None]
    assert len(none) == 55
    assert all(group.above == 0 and group.above_interval is None for group in none)


def judgments(rng: np.random.Generator, *, campaigns: int = 4) -> Judgments:
    """Return judgments of two or three systems by two raters, in two languages."""
    rows: dict[str, list[Any]] = {
        name: [] for name in ("campaign", "language", "system", "item", "rater", "score")
    }
    for campaign in range(campaigns):
        for item in range(30):
            ease = rng.normal(0, 15)
            for system in range(2 + campaign % 2):
                for rater in ("v", "w"):
                    rows["campaign"].append(f"c{campaign}")
                    rows["language"].append(("en-de", "de-en", "en-de")[campaign % 3])
                    rows["system"].append(f"s{system}")
                    rows["item"].append(item)
                    rows["rater"].append(rater)
                    score = 60 + ease + 2 * system + rng.normal(0, 5)
                    rows["score"].append(round(float(np.clip(score, 0, 100))))
    return Judgments.build(rows)


def test_judgments_unpaired_and_paired_side_by_side() -> None:
    table = judgments(np.random.default_rng(3))
    found = audit_archive(PastComparisons.from_judgments(table), by="language")
    pairs = campaign_pairs(table)
    assert found.test == "rank-sum"
    assert [(g.group, g.total) for g in found.groups] == [("en-de", 5), ("de-en", 3)]
    whole = found.overall
    assert whole.paired is not None
    assert (whole.total, whole.paired.total) == (8, 8)
    assert [whole.significant, whole.paired.significant] == [
        test.significant for test in pairs.tests
    ]
    assert sum(g.significant for g in found.groups) == whole.significant
    first = pairs.columns
    assert whole.median_difference == np.median(np.abs(first["difference of means"]))
    assert whole.paired.median_difference == np.median(np.abs(first["paired difference"]))
    assert (whole.n, whole.paired.n) == (60.0, 60.0)
    # Pairing takes the ease of items out, so that the same judgments see more.
    assert whole.paired.detectable < 0.5 * whole.detectable
    assert whole.paired.budget is not None
    assert whole.budget is not None
    assert whole.paired.budget < whole.budget


def test_groups_by_campaign_and_by_nothing() -> None:
    past = PastComparisons.from_judgments(judgments(np.random.default_rng(3)))
    by = audit_archive(past, by="campaign")
    assert {(g.group, g.total) for g in by.groups} == {
        ("c0", 1),
        ("c1", 3),
        ("c2", 1),
        ("c3", 3),
    }
    alone = audit_archive(past)
    assert alone.groups == (alone.overall,)
    assert (alone.by, alone.overall.group) == (None, "all")
    with pytest.raises(
        InputError, match=r"`by` must be one of campaign, language; got 'domain'"
    ):
        audit_archive(past, by="domain")


def test_without_raters_systems_are_paired_by_item_and_without_items_in_common_not_at_all() -> (
    None
):
    apart = Judgments.build(
        {
            "system": ["A"] * 5 + ["B"] * 5,
            "item": [*range(5), *range(5, 10)],
            "score": [50, 60, 70, 80, 90, 1, 2, 3, 4, 5],
        }
    )
    found = audit_archive(PastComparisons.from_judgments(apart))
    assert found.overall.paired is None
    assert found.overall.significant == 1
    assert "Paired" not in found.summary()


def test_a_target_that_was_given() -> None:
    past = PastComparisons.from_judgments(judgments(np.random.default_rng(3)))
    small, large = (audit_archive(past, target_difference=t) for t in (0.5, 50.0))
    assert (small.overall.underpowered, large.overall.underpowered) == (1.0, 0.0)
    assert small.target_given
    assert small.target_difference == 0.5
    assert "If the true difference is 0.50, 100% of the comparisons" in small.summary()
    median = audit_archive(past)
    assert not median.target_given
    assert median.target_difference == median.overall.median_difference
    assert "the median of the archive" in median.summary()
    for wrong in (0.0, -1.0, math.inf):
        with pytest.raises(
            InputError, match="`target_difference` must be a finite number above 0"
        ):
            audit_archive(past, target_difference=wrong)


def table(**changes: Any) -> dict[str, list[Any]]:
    made: dict[str, list[Any]] = {
        "team": ["x", "x", "y", "y"],
        "difference": [4.0, 2.0, 3.0, -1.0],
        "n": [100, 100, 200, 200],
        "p": [0.001, 0.2, 0.3, 0.9],
    }
    return {**made, **changes}


def test_a_group_without_a_significant_comparison_has_none_and_says_so() -> None:
    found = audit(table(), by="team")
    assert isinstance(found, ArchiveAudit)
    assert [g.observed_mde for g in found.groups] == [4.0, None]
    assert found.to_dict()["groups"][1]["observed_mde"] is None
    assert any("In 1 of 2 groups not even the largest difference" in n for n in found.notes)
    nothing = audit(table(p=[0.5] * 4))
    assert "not even the largest was significant" in nothing.summary()


@pytest.mark.parametrize(("found_first", "above"), [(18, 18), (19, 20)])
def test_few_comparisons_above_are_noted(found_first: int, above: int) -> None:
    rows = found_first + 5
    past = {
        "team": ["x"] * rows,
        "difference": [float(rows - i) for i in range(rows)],
        "n": [100] * rows,
        "p": [0.001] * found_first + [0.5] * 5,
    }
    found = audit(past, by="team")
    assert isinstance(found, ArchiveAudit)
    assert found.groups[0].above == above
    notes = [note for note in found.notes if "stands on fewer than 20 comparisons" in note]
    assert bool(notes) is (above < 20)
    assert not any("fewer than 20" in note for note in audit(past).notes)


def test_json_has_the_promised_keys() -> None:
    found = audit(table(), by="team").to_dict()
    assert found["kind"] == "ArchiveAudit"
    promised = {
        "group",
        "significant",
        "total",
        "observed_mde",
        "above",
        "median_difference",
        "underpowered",
        "budget",
        "paired",
    }
    assert promised <= found["groups"][0].keys()
    assert "past" not in found
    json.dumps(found, allow_nan=False)


def test_a_median_of_zero_is_no_target() -> None:
    found = audit(table(difference=[4.0, 0.0, 0.0, 0.0], p=[0.001, 1, 1, 1]))
    assert isinstance(found, ArchiveAudit)
    assert math.isnan(found.target_difference)
    assert math.isnan(found.overall.underpowered)
    assert found.overall.budget is None
    assert any("The median difference is 0" in note for note in found.notes)
    assert found.summary().endswith("Without a target nothing can be said about power.")
    tables = [block.id for block in blocks_of(found) if isinstance(block, Table)]
    assert tables == ["groups", "comparisons"]  # and none about power


def test_signature() -> None:
    assert str(audit(table(), by="team").signature).startswith(
        "audit-archive|comparisons:4|by:team|target:median|alpha:0.05|power:0.8|detectable:"
    )


def test_comparisons_without_a_group_are_one_and_items_are_counted() -> None:
    found = audit(table(team=["x", "", "y", None]), by="team")
    assert isinstance(found, ArchiveAudit)
    assert [(g.group, g.total) for g in found.groups] == [
        ("(not named)", 2),
        ("x", 1),
        ("y", 1),
    ]
    assert "items per system (the median was 150)" in found.summary()
    assert "standard error is known" not in found.summary()
    unknown = audit(table(p=[0.0, 0.0, 1.0, 1.0]))
    assert "No standard error is known" in unknown.summary()


# --- What a group of comparisons could detect, by formula and by simulation ---

AIM = Aim(alpha=0.05, power=0.8, target=2.0)


def seen(
    difference: list[float],
    p: list[float],
    error: list[float],
    *,
    df: float = math.inf,
    n: float = 100.0,
) -> SeenDifferences:
    return SeenDifferences(
        test="reported",
        difference=np.array(difference),
        p_value=np.array(p),
        standard_error=np.array(error),
        df=np.full(len(p), df),
        n=np.full(len(p), n),
    )


def tallied(
    table: SeenDifferences, aim: Aim = AIM, rows: list[int] | None = None
) -> GroupTally:
    chosen = np.arange(table.p_value.size) if rows is None else np.array(rows)
    return tally("g", table, Limits.of(table, aim), chosen)


def test_a_group_by_hand() -> None:
    table = seen([5, -3, 2, 0.5], [0.001, 0.01, 0.2, 0.6], [1.0, 0.5, 0.7, 2.0])
    limits = detectable_differences(table, alpha=0.05, power=0.8)
    z = stats.norm.ppf(0.975) + stats.norm.ppf(0.8)
    np.testing.assert_allclose(limits, z * table.standard_error)
    found = tallied(table)
    assert (found.significant, found.total, found.observed_mde, found.above) == (2, 4, 3.0, 2)
    assert found.median_difference == 2.5
    assert found.n == 100.0
    assert found.detectable == pytest.approx(z * 0.85)
    assert found.underpowered == 0.5  # 2.80 and 5.60 are above 2, 1.40 and 1.96 below
    assert found.budget == math.ceil(100 * np.median((z * table.standard_error / 2.0) ** 2))
    assert found.above_interval is not None
    assert found.above_interval.low == pytest.approx(1 / (1 + 1.959964**2 / 2))


def test_only_the_chosen_count() -> None:
    table = seen([5, 1, 4], [0.001, 0.9, 0.3], [1.0, 9.0, 0.1])
    found = tallied(table, rows=[0])
    assert (found.significant, found.total, found.underpowered) == (1, 1, 1.0)
    assert found.budget == math.ceil(100 * (2.801585 / 2.0) ** 2)


def test_significance_is_below_alpha_and_nothing_found_is_none() -> None:
    table = seen([5, 1], [0.05, 0.01], [1.0, 1.0])
    found = tallied(table)
    assert (found.significant, found.observed_mde, found.above) == (1, None, 0)
    assert found.above_interval is None
    later = tallied(table, Aim(alpha=0.06, power=0.8, target=2.0))
    assert (later.significant, later.observed_mde) == (2, 1.0)


def test_unknown_errors_are_left_out_of_power_and_budget() -> None:
    table = seen([5, 1, 2], [0.001, 0.5, 0.1], [math.nan, 0.0, 1.0])
    limits = detectable_differences(table, alpha=0.05, power=0.8)
    assert np.isnan(limits).tolist() == [True, True, False]
    found = tallied(table)
    assert (found.total, found.underpowered) == (3, 1.0)
    assert found.budget == math.ceil(100 * (2.801585 / 2.0) ** 2)  # of the last alone
    nothing = seen([5], [0.001], [math.nan])
    found = tallied(nothing)
    assert math.isnan(found.detectable)
    assert math.isnan(found.underpowered)
    assert found.budget is None


def test_what_is_just_enough_is_enough() -> None:
    table = seen([1, 2, 2], [0.5, 0.5, 0.5], [0.004, 0.7, 0.8])
    limits = detectable_differences(table, alpha=0.05, power=0.8)
    assert not np.isnan(limits).any()  # small errors are known errors
    aim = Aim(alpha=0.05, power=0.8, target=float(limits[1]))
    assert tallied(table, aim).underpowered == pytest.approx(1 / 3)
    needed = needed_judgments(table, alpha=0.05, power=0.8, target=float(limits[1]))
    assert needed[0] > 0.0
    assert needed[1] == pytest.approx(100.0)


@pytest.mark.parametrize("df", [4.0, 30.0, 1000.0])
def test_few_degrees_of_freedom_detect_less(df: float) -> None:
    table = seen([1], [0.5], [1.0], df=df)
    [limit] = detectable_differences(table, alpha=0.05, power=0.8)
    power = stats.nct.sf(stats.t.ppf(0.975, df), df, limit / median_unbiased(1.0, df))
    assert power == pytest.approx(0.8, abs=1e-9)


def _known_archive(rng: np.random.Generator, k: int) -> tuple[FloatArray, FloatArray]:
    """Return judgments per system and the true SD of one judgment, of k comparisons."""
    return rng.integers(40, 900, k).astype(np.float64), rng.uniform(8.0, 28.0, k)


def test_the_underpowered_share_is_that_of_the_truth() -> None:
    """2,000 comparisons of known SD and size; their standard errors are estimated from data."""
    rng, k = np.random.default_rng(8), 2000
    n, sd = _known_archive(rng, k)
    df = 2.0 * n - 2.0
    true_error = sd * np.sqrt(2.0 / n)
    estimated = true_error * np.sqrt(rng.chisquare(df) / df)
    observed = 2.0 + true_error * rng.normal(size=k)
    table = SeenDifferences(
        test="rank-sum",
        difference=observed,
        p_value=2.0 * stats.t.sf(np.abs(observed / estimated), df),
        standard_error=estimated,
        df=df,
        n=n,
    )
    found = tallied(table)
    power = stats.nct.sf(stats.t.ppf(0.975, df), df, 2.0 / true_error)
    truth = float((power < 0.8).mean())
    assert found.underpowered == pytest.approx(
        truth, abs=4 * math.sqrt(truth * (1 - truth) / k)
    )
    # And the power behind it: the significant ones are as many as the powers add up to.
    right = (table.p_value < 0.05) & (observed > 0.0)
    spread = math.sqrt(float((power * (1.0 - power)).sum()))
    assert abs(right.sum() - power.sum()) < 4 * spread


@pytest.mark.parametrize("target", [2.0, 12.0])
def test_the_budget_decides_half_of_the_comparisons(target: float) -> None:
    """At the budget, simulated two-sample t tests have the power in half of the comparisons.

    A target of 12 needs some 35 judgments, where estimating the SD costs one more.
    """
    rng, k, trials = np.random.default_rng(12), 400, 2000
    n, sd = _known_archive(rng, k)
    table = SeenDifferences(
        test="rank-sum",
        difference=np.zeros(k),
        p_value=np.ones(k),
        standard_error=sd * np.sqrt(2.0 / n),
        df=2.0 * n - 2.0,
        n=n,
    )
    needed = needed_judgments(table, alpha=0.05, power=0.8, target=target)
    budget = tallied(table, Aim(alpha=0.05, power=0.8, target=target)).budget
    assert budget == math.ceil(float(np.median(needed)))
    # Each comparison at its own need: the power is what was asked for.
    power = _simulated(rng, needed, sd, target, trials)
    assert power.mean() == pytest.approx(0.8, abs=4 * math.sqrt(0.16 / (k * trials)))
    # All at the budget: half of them reach it.
    reached = _simulated(rng, np.full(k, float(budget)), sd, target, trials) >= 0.8
    assert reached.mean() == pytest.approx(0.5, abs=4 * math.sqrt(0.25 / k))


def _simulated(
    rng: np.random.Generator, n: FloatArray, sd: FloatArray, target: float, trials: int
) -> FloatArray:
    """Return how often two-sample t tests find the target, for each comparison."""
    df = 2.0 * n - 2.0
    error = sd * np.sqrt(2.0 / n)
    observed = target + error * rng.normal(size=(trials, n.size))
    estimated = error * np.sqrt(rng.chisquare(df, (trials, n.size)) / df)
    hits = observed / estimated > stats.t.ppf(0.975, df)
    powers: FloatArray = hits.mean(axis=0)
    return powers


# --- Comparisons of an archive, from judgments and from histograms of them ---


def histograms(*counts: list[int]) -> ScoreHistograms:
    return ScoreHistograms(
        values=np.arange(float(len(counts[0]))),
        counts=np.array(counts, dtype=np.int64),
        campaign=factor("campaign", ["c"] * len(counts)),
        system=factor("system", [f"s{i}" for i in range(len(counts))]),
    )


def test_histograms_are_compared_as_samples_are() -> None:
    counts = [4, 3, 2, 1], [1, 2, 5, 4]
    first, second = (np.repeat(np.arange(4.0), one) for one in counts)
    found = PastComparisons.from_histograms(histograms(*counts)).tested
    expected = stats.mannwhitneyu(first, second, method="asymptotic")
    assert found.p_value == pytest.approx([expected.pvalue])
    assert found.difference == pytest.approx([first.mean() - second.mean()])
    error = first.var(ddof=1) / first.size + second.var(ddof=1) / second.size
    assert found.standard_error == pytest.approx([error**0.5])
    assert (found.df.tolist(), found.n.tolist()) == ([20.0], [11.0])


def test_two_judgments_have_a_variance_and_one_has_none() -> None:
    found = PastComparisons.from_histograms(histograms([1, 1], [1, 1], [0, 1], [1, 0])).tested
    known = [True, False, False, False, False, False]  # pairs 01, 02, 03, 12, 13, 23
    assert (~np.isnan(found.standard_error)).tolist() == known
    assert found.standard_error[0] == pytest.approx(0.5**0.5)
    assert found.df.tolist() == [2.0, 1.0, 1.0, 1.0, 1.0, 1.0]
    assert found.p_value[0] == 1.0


def test_degrees_of_freedom_of_judgments_are_at_least_one() -> None:
    table: dict[str, list[Any]] = {
        "system": ["A", "B"] * 2,
        "item": [1, 1, 2, 2],
        "rater": ["w"] * 4,
        "score": [70, 60, 50, 45],
    }
    found = PastComparisons.from_judgments(Judgments.build(table), unit="item")
    assert found.paired is not None
    assert (found.tested.df.tolist(), found.tested.n.tolist()) == ([2.0], [2.0])
    assert found.paired.df.tolist() == [1.0]
    alone = {name: column[:2] for name, column in table.items()}
    assert PastComparisons.from_judgments(Judgments.build(alone)).tested.df.tolist() == [1.0]
