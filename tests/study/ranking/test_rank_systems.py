"""Rankings from human judgments: matching, standardising, verdicts and messages."""

import itertools
import math
import warnings
from typing import Any

import numpy as np
import pytest

from detectable.core.choices import RankingTest
from detectable.core.errors import (
    CompatibilityWarning,
    DataError,
    InputError,
    SuspiciousDataWarning,
)
from detectable.data.human.judgments import Judgments
from detectable.data.human.read_judgments import read_judgments
from detectable.mixed.fit import fit_mixed
from detectable.report.shown.ranking import design, pair_sentence
from detectable.study.ranking.item_scores import build_segment_scores
from detectable.study.ranking.rank_systems import rank_systems
from detectable.study.ranking.ranking import Ranking


def crossed(
    means: dict[str, float],
    *,
    documents: int = 10,
    segments: int = 4,
    raters: int = 3,
    spread: float = 8.0,
    seed: int = 1,
) -> dict[str, Any]:
    """Return columns in which every rater judges every segment of every system."""
    rng = np.random.default_rng(seed)
    shape = (len(means), documents, segments, raters)
    system, document, segment, rater = (axis.ravel() for axis in np.indices(shape))
    score = np.array(list(means.values()))[system] + rng.normal(0, spread, system.size)
    score += np.array([-12.0, 0.0, 12.0, 5.0, -5.0])[rater]
    return {
        "system": np.array(list(means))[system],
        "item": document * segments + segment,
        "document": document,
        "rater": rater,
        "score": np.clip(score, 0, 100),
    }


def judged(columns: dict[str, Any], rows: Any = None) -> Judgments:
    chosen = slice(None) if rows is None else rows
    return Judgments.build({role: np.asarray(v)[chosen] for role, v in columns.items()})


THREE = {"low": 50.0, "high": 60.0, "middle": 55.0}


class TestMatching:
    def test_within_raters_where_one_rater_judged_both(self) -> None:
        ranking = rank_systems(judged(crossed(THREE)), rng=1)
        assert (ranking.matching, ranking.scale, ranking.unit) == (
            "rater",
            "points",
            "document",
        )
        assert ranking.test == "permutation"
        assert [row.system for row in ranking.systems] == ["high", "middle", "low"]
        assert "Paired within raters: for every pair of systems all items" in ranking.reason

    def test_the_difference_of_an_item_is_the_mean_over_raters_of_both(self) -> None:
        columns = crossed({"a": 50.0, "b": 60.0}, segments=1, documents=8)
        # On item 0 rater 0 judged a only: that judgment says nothing about the difference.
        drop = (columns["item"] == 0) & (columns["rater"] == 0) & (columns["system"] == "b")
        ranking = rank_systems(judged(columns, ~drop), rng=1, unit="item")
        table = np.full((8, 3, 2), np.nan)
        for s, i, r, x in zip(
            *(columns[k] for k in ("system", "item", "rater", "score")), strict=True
        ):
            table[i, r, 0 if s == "b" else 1] = x
        table[0, 0, 0] = np.nan
        by_item = np.nanmean(table[:, :, 0] - table[:, :, 1], axis=1)
        assert ranking.pairs[0].difference == pytest.approx(by_item.mean(), rel=1e-12)
        error = by_item.std(ddof=1) / np.sqrt(8)
        assert ranking.pairs[0].standard_error == pytest.approx(error, rel=1e-12)

    def test_repeats_count_once_per_rater_and_item(self) -> None:
        columns = crossed({"a": 50.0, "b": 60.0})
        n = columns["score"].size
        columns["kind"] = np.repeat("system", n)
        doubled = {role: np.concatenate([v, v]) for role, v in columns.items()}
        doubled["kind"] = np.repeat(["system", "repeat"], n)
        once, twice = (rank_systems(judged(c), rng=1) for c in (columns, doubled))
        assert twice.pairs[0].p_value == once.pairs[0].p_value
        assert twice.pairs[0].interval == once.pairs[0].interval
        assert (twice.systems[0].n, twice.systems[0].N) == (40, 240)
        assert (once.systems[0].n, once.systems[0].N) == (40, 120)

    def test_by_item_and_z_where_raters_judged_one_system_only(self) -> None:
        columns = crossed(THREE)
        columns["rater"] = np.char.add(columns["system"], columns["rater"].astype(str))
        ranking = rank_systems(judged(columns), rng=1)
        assert (ranking.matching, ranking.scale) == ("item", "z")
        assert "only 0% were judged for both by one rater" in ranking.reason

    @pytest.mark.filterwarnings("ignore:Some pair rests on 10 documents")
    def test_rank_sum_where_systems_share_no_item(self) -> None:
        columns = crossed({"a": 50.0, "b": 60.0})
        columns["document"] = columns["document"] + 10 * (columns["system"] == "b")
        columns["item"] = columns["item"] + 40 * (columns["system"] == "b")
        ranking = rank_systems(judged(columns), rng=1)
        assert (ranking.test, ranking.matching, ranking.unit) == (
            "rank-sum",
            "none",
            "document",
        )
        assert "Not paired: some pair of systems shares only 0% of its items" in ranking.reason

    def test_the_choice_does_not_depend_on_scores(self) -> None:
        columns = crossed(THREE)
        other = {**columns, "score": 100 - columns["score"]}
        assert rank_systems(judged(columns), rng=1).reason == (
            rank_systems(judged(other), rng=1).reason
        )

    @pytest.mark.parametrize("test", ["signed-rank", "permutation", "rank-sum-matched"])
    def test_a_paired_test_without_overlap_is_refused(self, test: RankingTest) -> None:
        columns = crossed({"a": 50.0, "b": 60.0})
        columns["item"] = columns["item"] + 40 * (columns["system"] == "b")
        with pytest.raises(DataError, match="b and a share fewer than two"):
            rank_systems(judged(columns), test=test)


class TestVerdicts:
    def test_better_and_undecided_with_what_could_have_been_seen(self) -> None:
        ranking = rank_systems(judged(crossed({"a": 50.0, "b": 50.2, "c": 70.0})), rng=1)
        assert ranking.pair("c", "a").verdict == "better"
        pair = ranking.pair("a", "b")
        assert pair.verdict == "undecided"
        sentence = pair_sentence(ranking, pair)
        assert "undecided between" in sentence
        assert f"could have detected {pair.mde:.2f} or more (80% power)" in sentence
        assert ranking.clusters[0] == ("c",)
        assert "c is on top: better than the other 2." in ranking.summary()

    def test_equivalent_only_with_a_margin(self) -> None:
        table = judged(crossed({"a": 50.0, "b": 50.2}, spread=2.0))
        assert rank_systems(table, rng=1).pairs[0].verdict == "undecided"
        with_margin = rank_systems(table, rng=1, margin=3.0)
        assert with_margin.pairs[0].verdict == "equivalent"
        assert "within ±3.00" in pair_sentence(with_margin, with_margin.pairs[0])
        for word in ("tie", "parity"):
            assert word not in with_margin.summary()

    def test_equivalence_p_is_that_of_two_one_sided_t_tests(self) -> None:
        from scipy import stats

        columns = crossed({"a": 50.0, "b": 50.5}, segments=1, documents=30)
        ranking = rank_systems(judged(columns), rng=1, unit="item", test="t", margin=2.0)
        pair = ranking.pairs[0]
        t = (2.0 - pair.difference) / pair.standard_error
        assert pair.p_equivalence == pytest.approx(stats.t.sf(t, 29), rel=1e-10)

    def test_equivalence_p_of_sign_flips_is_that_of_the_larger_half(self) -> None:
        columns = crossed({"a": 50.0, "b": 50.5}, segments=1, documents=9)
        pair = rank_systems(judged(columns), margin=4.0, test="permutation").pairs[0]
        a, b = (columns["score"][columns["system"] == s].reshape(9, 3).mean(1) for s in "ab")
        d = (b - a) * np.sign((b - a).mean())
        halves = []
        for taken in itertools.product([True, False], repeat=8):
            half = np.array([*taken, False])
            if half.any():
                halves.append(sorted((d[half].mean(), d[~half].mean())))
        low, high = np.array(halves).T
        one_sided = [(1 + (low <= -4.0).sum()) / 512, (1 + (high >= 4.0).sum()) / 512]
        assert pair.p_equivalence == pytest.approx(max(one_sided))

    def test_a_rank_reversal_is_named(self) -> None:
        # b is lower on the items that both have, but was also judged on easier ones.
        rng = np.random.default_rng(0)
        a = rng.normal(60, 5, 40)
        table = {
            "system": ["a"] * 40 + ["b"] * 60,
            "item": [*range(40), *range(60)],
            "score": [*a, *(a - 5 + rng.normal(0, 1, 40)), *rng.normal(90, 2, 20)],
        }
        with pytest.warns(SuspiciousDataWarning, match="Rank reversals .* a over b"):
            ranking = rank_systems(Judgments.build(table), rng=1)
        assert ranking.pairs[0].verdict == "worse"
        assert ranking.reversals == ("a wins against b, whose score is higher",)

    def test_holm_covers_all_pairs(self) -> None:
        table = judged(crossed(THREE, spread=25.0))
        holm = rank_systems(table, rng=1, correction="holm")
        none = rank_systems(table, rng=1, correction="none", n_resamples=24_000)
        p = sorted(pair.p_value for pair in none.pairs)
        assert [pair.p_value for pair in holm.pairs] == [pair.p_value for pair in none.pairs]
        expected = np.maximum.accumulate(np.minimum(1, np.array([3, 2, 1]) * p))
        assert sorted(pair.p_adjusted for pair in holm.pairs) == pytest.approx(
            expected.tolist()
        )

    def test_the_view_of_wmt_names_pairs_that_differ(self) -> None:
        columns = crossed({"a": 50.0, "b": 53.0, "c": 54.5}, spread=20.0)
        ranking = rank_systems(judged(columns), rng=1)
        wmt = ranking.wmt
        assert wmt.n_pairs == 3
        named = {(d.better, d.worse) for d in wmt.different}
        theirs = wmt.n_significant
        assert len(named) >= abs(theirs - ranking.n_significant)
        assert (
            "WMT's rule (one-sided rank-sum on z, uncorrected) would make" in ranking.summary()
        )

    def test_json_has_the_agreed_keys(self) -> None:
        found = rank_systems(judged(crossed(THREE)), rng=1).to_dict()
        system = {"system", "mean_raw", "mean_z", "n", "N", "cluster", "rank_low", "rank_high"}
        pair = {"better", "worse", "difference", "p_value", "p_adjusted", "verdict"}
        pair |= {
            "interval_alone",
            "interval_level",
            "claim",
            "attainable_p",
            "units_needed",
            "mde",
        }
        assert {"influential", "claim", "correction", "n_units", "exact"} <= found.keys()
        assert system <= found["systems"][0].keys()
        assert pair <= found["pairs"][0].keys()
        assert found["clusters"][0] == ["high"]


def test_a_mixed_model_gives_its_contrasts() -> None:
    columns = crossed(THREE)
    ranking = rank_systems(judged(columns), test="mixed")
    fit = fit_mixed(columns)
    assert "document:system" in {component.name for component in fit.components}
    for contrast in fit.contrasts:
        pair = ranking.pair(contrast.system, str(contrast.baseline))
        assert pair.p_value == pytest.approx(contrast.p_value, rel=1e-9)
        assert pair.p_adjusted == pytest.approx(contrast.p_adjusted, rel=1e-9)
        assert pair.difference == pytest.approx(abs(contrast.estimate), rel=1e-9)
    assert not any("these 3 raters" in note for note in ranking.notes)


def test_a_mixed_model_leaves_controls_out_and_averages_repeats() -> None:
    columns = {name: list(column) for name, column in crossed(THREE).items()}
    n = len(columns["score"])
    more = {name: [*column, *column[:4]] for name, column in columns.items()}
    more["score"][n:] = [0.0, 0.0, columns["score"][2] + 4.0, columns["score"][3]]
    more["kind"] = ["system"] * n + ["degraded", "degraded", "repeat", "repeat"]
    found = rank_systems(judged(more), test="mixed", unit="item")
    columns["score"][2] += 2.0
    wanted = rank_systems(judged(columns), test="mixed", unit="item")
    for pair in wanted.pairs:
        same = found.pair(pair.better, pair.worse)
        assert same.difference == pytest.approx(pair.difference, rel=1e-12)
        assert same.p_value == pytest.approx(pair.p_value, rel=1e-9)
    assert "2 judgments left out, not of systems' own output: 2 degraded." in found.notes


@pytest.mark.slow
def test_one_seed_repeats_the_ranking_whatever_the_number_of_processes() -> None:
    table = judged(crossed(THREE, spread=30.0, documents=30))
    first = rank_systems(table, rng=5)
    assert first.to_dict() == rank_systems(table, rng=5, n_jobs=2).to_dict()
    again = rank_systems(table, rng=int(str(first.signature.seed)))
    assert first.to_dict() == again.to_dict()


class TestDocuments:
    @pytest.mark.parametrize("documents", [2, 3, 6])
    def test_few_documents_are_tested_by_t_and_stay_documents(self, documents: int) -> None:
        table = judged(crossed(THREE, documents=documents))
        for unit in ("auto", "document"):
            ranking = rank_systems(table, rng=1, unit=unit)
            assert (ranking.unit, ranking.test, ranking.n_units) == ("document", "t", documents)
            assert ranking.pairs[0].n_clusters == documents
            assert f"{documents} documents: too few to swap" in ranking.summary()

    @pytest.mark.parametrize(
        ("documents", "alpha", "test"),
        [(6, 0.05, "t"), (7, 0.05, "permutation"), (9, 0.01, "t"), (10, 0.01, "permutation")],
    )
    def test_seven_are_swapped_or_ten_at_one_in_a_hundred(
        self, documents: int, alpha: float, test: str
    ) -> None:
        ranking = rank_systems(judged(crossed(THREE, documents=documents)), alpha=alpha)
        assert (ranking.test, ranking.exact) == (test, test == "permutation")

    @pytest.mark.parametrize(
        "asked",
        [{}, {"test": "t"}, {"claim": "equivalent", "margin": 3.0}],
        ids=["few documents", "t", "a margin"],
    )
    def test_a_domain_with_one_document_says_why_nothing_is_claimed(
        self, asked: dict[str, Any]
    ) -> None:
        table = crossed(THREE, documents=6)
        said = (
            "A domain has one document only, which says nothing about how documents of it differ: "
            "there are no intervals, and nothing is claimed. Give it more documents, or leave the "
            "domains out."
        )

        def of_domains(first: int) -> Ranking:
            domain = np.where(table["document"] < first, "news", "talks")
            judgments = judged(table | {"domain": domain})
            return rank_systems(judgments, average="domains", rng=1, **asked)

        alone = of_domains(1)
        assert alone.notes.count(said) == 1
        assert {pair.verdict for pair in alone.pairs} == {"undecided"}
        assert all(math.isnan(pair.interval.low) for pair in alone.pairs)
        together = of_domains(3)
        assert said not in together.notes
        assert not any(math.isnan(pair.interval.low) for pair in together.pairs)

    def test_of_one_document_means_are_shown_and_nothing_is_claimed(self) -> None:
        table = judged(crossed(THREE, documents=1, segments=12))
        said = r"ests on 1 document, .* unit='item'.*this document"
        for test in ("auto", "permutation", "t"):
            with pytest.warns(SuspiciousDataWarning, match=said):
                shown = rank_systems(table, test=test)
            assert (shown.test, {pair.verdict for pair in shown.pairs}) == ("t", {"undecided"})
            assert {pair.p_adjusted for pair in shown.pairs} == {1.0}
            assert [row.score for row in shown.systems] == [
                row.score for row in rank_systems(table, unit="item").systems
            ]
            assert "One document says nothing about the next: nothing is claimed." in (
                pair_sentence(shown, shown.pairs[0])
            )
            assert any("nothing is claimed of it" in note for note in shown.notes)
        with pytest.raises(DataError, match=f"r{said}"):
            rank_systems(table, test="rank-sum")
        ranking = rank_systems(table, unit="item")
        assert (ranking.unit, ranking.test) == ("item", "permutation")
        assert any("treated as independent, which they rarely are" in n for n in ranking.notes)

    def test_five_documents_by_permutation_can_decide_nothing(self) -> None:
        table = judged(crossed({"a": 20.0, "b": 80.0}, documents=5, spread=1.0))
        ranking = rank_systems(table, test="permutation")
        pair = ranking.pairs[0]
        assert (pair.p_value, pair.p_adjusted, pair.attainable_p) == (0.0625, 0.0625, 0.0625)
        assert (pair.verdict, pair.units_needed) == ("undecided", 6)
        assert math.isnan(pair.mde)
        assert pair.interval.low == -math.inf  # nothing at .95 can be excluded
        assert design(ranking) == (
            "This design cannot reject at .05: the smallest possible p of 5 documents is .063. It "
            "needs at least 6."
        )
        assert design(ranking) in ranking.summary()
        assert "could have detected" not in ranking.summary()

    def test_with_holm_six_documents_are_too_few_for_three_pairs(self) -> None:
        table = judged(crossed(THREE, documents=6, spread=1.0))
        holm = rank_systems(table, test="permutation", correction="holm")
        assert {pair.units_needed for pair in holm.pairs} == {7}
        assert {pair.attainable_p for pair in holm.pairs} == {3 / 32}
        assert "cannot reject at .05 among 3 pairs" in holm.summary()
        joint = rank_systems(table, test="permutation")
        assert {pair.units_needed for pair in joint.pairs} == {None}
        assert joint.pairs[0].verdict == "better"

    def test_a_claim_about_a_margin_needs_half_as_small_a_p(self) -> None:
        table = judged(crossed({"a": 50.0, "b": 50.5}, documents=5, spread=1.0))
        ranking = rank_systems(table, test="permutation", claim="non-inferior", margin=20.0)
        pair = ranking.pairs[0]
        assert (pair.p_value, pair.attainable_p, pair.units_needed) == (1 / 32, 1 / 32, None)
        assert pair.verdict == "non-inferior"
        assert "cannot reject" not in ranking.summary()
        few = judged(crossed({"a": 50.0, "b": 50.5}, documents=4, spread=1.0))
        stuck = rank_systems(few, test="permutation", claim="non-inferior", margin=20.0)
        assert (stuck.pairs[0].attainable_p, stuck.pairs[0].units_needed) == (1 / 16, 5)
        assert math.isnan(stuck.pairs[0].mde)
        assert "It needs at least 5." in stuck.summary()

    def test_below_twenty_is_said_of_ranks(self) -> None:
        with pytest.warns(SuspiciousDataWarning, match=r"10 documents only \(below 20\)"):
            rank_systems(judged(crossed(THREE)), rng=1, test="signed-rank")
        rank_systems(judged(crossed(THREE)), rng=1)  # sign flips need no such warning

    @pytest.mark.filterwarnings("ignore:Some pair rests on 4 documents")
    @pytest.mark.parametrize(("test", "needed"), [("signed-rank", 5), ("rank-sum-matched", 3)])
    def test_ranks_of_few_documents_can_decide_nothing(self, test: Any, needed: int) -> None:
        from scipy import stats

        n = needed - 1
        table = judged(crossed({"a": 20.0, "b": 80.0}, documents=n, spread=1.0))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SuspiciousDataWarning)
            pair = rank_systems(table, test=test).pairs[0]
        if test == "signed-rank":
            z = (n * (n + 1) / 4 - 0.5) / (0.5 * math.sqrt(n) * (n + 1) / 2)
            assert pair.attainable_p == pytest.approx(2 * stats.norm.sf(z))
        assert pair.attainable_p > 0.05
        assert pair.p_value >= pair.attainable_p
        assert (pair.verdict, pair.units_needed) == ("undecided", needed)
        assert math.isnan(pair.mde)

    def test_the_interval_is_cluster_robust(self) -> None:
        columns = crossed({"a": 50.0, "b": 60.0}, documents=20, segments=3)
        pair = rank_systems(judged(columns), rng=1).pairs[0]
        a, b = (columns["score"][columns["system"] == name].reshape(20, 9) for name in "ab")
        by_document = (b - a).mean(axis=1)
        assert pair.standard_error == pytest.approx(by_document.std(ddof=1) / 20**0.5)
        assert pair.n_clusters == 20


class TestJudgmentLevel:
    def test_it_is_flagged_with_both_numbers(self) -> None:
        table = judged(crossed({"a": 50.0, "b": 60.0}))
        with pytest.warns(
            CompatibilityWarning, match="N is not n. 240 judgments of 80 distinct"
        ):
            ranking = rank_systems(table, level="judgment")
        assert (ranking.systems[0].n, ranking.systems[0].N) == (40, 120)
        assert ranking.pairs[0].n == 240

    def test_other_tests_work_on_items(self) -> None:
        with pytest.raises(InputError, match="goes with the rank-sum test only"):
            rank_systems(judged(crossed(THREE)), level="judgment", test="permutation")


class TestMessages:
    def test_several_campaigns_need_a_choice(self) -> None:
        columns = crossed({"a": 50.0, "b": 60.0}, documents=20)
        columns["language"] = np.where(columns["document"] < 10, "de-en", "cs-en")
        with pytest.raises(DataError, match=r"2 language pairs: de-en, cs-en.* --language"):
            rank_systems(judged(columns))
        assert rank_systems(judged(columns), language="cs-en", rng=1).systems[0].n == 40

    def test_one_system(self) -> None:
        with pytest.raises(DataError, match="needs at least two systems; the data have a only"):
            rank_systems(judged(crossed({"a": 50.0})))

    def test_a_system_with_one_item(self) -> None:
        columns = crossed(THREE)
        rows = (columns["system"] != "low") | (columns["item"] == 0)
        with pytest.raises(DataError, match="low has fewer"):
            rank_systems(judged(columns, rows))

    def test_a_preset_fixes_the_method(self) -> None:
        with pytest.raises(InputError, match="`preset='wmt21'` fixes the method; drop test"):
            rank_systems(judged(crossed(THREE)), preset="wmt21", test="permutation")

    def test_domains_must_be_known(self) -> None:
        with pytest.raises(InputError, match="need to know the domain"):
            rank_systems(judged(crossed(THREE)), test="stouffer")

    def test_segment_scores_have_no_raters(self) -> None:
        columns = {"system": list("aabb"), "item": [1, 2, 1, 2], "raw": [1.0, 2, 3, 5]}
        scores = build_segment_scores(columns)
        with pytest.raises(InputError, match="needs to know who judged"):
            rank_systems(scores, test="mixed")
        with pytest.raises(InputError, match="standardise='z'` needs to know who judged"):
            rank_systems(scores, standardise="z")
        with pytest.raises(InputError, match="segment scores are means"):
            rank_systems(scores, level="judgment")

    def test_a_second_segment_score_is_refused(self) -> None:
        columns = {"system": list("aab"), "item": [1, 1, 1], "raw": [1.0, 2, 3]}
        with pytest.raises(DataError, match="a second score of system 'a' for item '1'"):
            build_segment_scores(columns)

    def test_scores_may_come_without_raw_or_without_z(self) -> None:
        columns = {"system": ["a"] * 9 + ["b"] * 9, "item": [*range(9)] * 2}
        values = [*np.linspace(-1, 1, 9), *np.linspace(-2, 0.5, 9)]
        by_z = rank_systems(build_segment_scores({**columns, "z": values}), rng=1)
        by_raw = rank_systems(build_segment_scores({**columns, "raw": values}), rng=1)
        assert (by_z.scale, by_raw.scale) == ("z", "points")
        assert by_z.pairs[0].p_value == by_raw.pairs[0].p_value
        assert by_z.to_dict()["systems"][0]["mean_raw"] is None
        with pytest.raises(InputError, match="the table has z only"):
            rank_systems(build_segment_scores({**columns, "z": values}), standardise="none")


# Ratings of whole documents


def of_documents() -> dict[str, list[object]]:
    """Return ratings of segments and of their documents; B is better by documents alone."""
    rows: dict[str, list[object]] = {
        name: [] for name in ("system", "item", "document", "rater", "kind", "score")
    }
    for document in range(12):
        for system, whole in (("A", 60), ("B", 66 + document % 3)):
            for item in range(4):
                values: tuple[object, ...] = (
                    system,
                    item,
                    f"d{document}",
                    "r",
                    "system",
                    70 + (item + document) % 5,
                )
                for name, value in zip(rows, values, strict=True):
                    rows[name].append(value)
            given = (system, "", f"d{document}", "r", "document", whole + document)
            for name, value in zip(rows, given, strict=True):
                rows[name].append(value)
    return rows


@pytest.mark.filterwarnings("ignore:24 ratings of whole documents", "ignore:preset wmt21")
def test_whole_documents_are_ranked_by_their_own_ratings() -> None:
    data = read_judgments(of_documents())
    assert data.n_judgments == 96
    found = rank_systems(data, level="document", rng=1)
    assert [(row.system, row.n, row.N) for row in found.systems] == [
        ("B", 12, 12),
        ("A", 12, 12),
    ]
    assert (found.unit, found.level, found.pairs[0].verdict) == (
        "document",
        "document",
        "better",
    )
    # The same from a table of them alone.
    columns = of_documents()
    rows = [i for i, kind in enumerate(columns["kind"]) if kind == "document"]
    alone = Judgments.build(
        {
            "system": [columns["system"][i] for i in rows],
            "item": [columns["document"][i] for i in rows],
            "rater": [columns["rater"][i] for i in rows],
            "score": [columns["score"][i] for i in rows],
        }
    )
    assert found.pairs[0].p_value == rank_systems(alone, rng=1).pairs[0].p_value
    assert rank_systems(data, rng=1).n_significant == 0
    by_wmt = rank_systems(data, level="document", preset="wmt21", rng=1)
    assert (by_wmt.test, by_wmt.systems[0].n) == ("rank-sum", 12)
    with pytest.raises(DataError, match="there is no rating of a whole document"):
        rank_systems(alone, level="document")
