"""Quality control of raters."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import stats

from detectable.core.choices import CheckAgainst, CheckTest
from detectable.core.errors import DataError, InputError
from detectable.data.human.columns import Kind
from detectable.data.human.judgments import Judgments
from detectable.study.raters.quality_control import (
    QualityControl,
    change_beside,
    pair_up,
    quality_control,
)
from detectable.study.raters.rater_check import check_rater
from tests.helpers import reference_data

AGAINST: tuple[CheckAgainst, ...] = ("original", "neighbours")
TESTS: tuple[CheckTest, ...] = ("paired-t", "signed-rank", "mann-whitney")
ORIGINAL, DEGRADED = [80, 70, 90, 60, 75, 66, 81], [30, 40, 20, 50, 72, 41, 40]


def table(raters: dict[str, tuple[Sequence[float], Sequence[float]]], **more: Any) -> Judgments:
    rows = [
        (name, kind, item, score)
        for name, both in raters.items()
        for kind, scores in zip(("system", "degraded"), both, strict=True)
        for item, score in enumerate(scores)
    ]
    rater, kind, item, score = zip(*rows, strict=True)
    columns = {"rater": rater, "kind": kind, "item": item, "score": score}
    return Judgments.build({**columns, "system": ["A"] * len(rows), **more})


def test_every_test_is_scipys() -> None:
    judgments = table({"w": (ORIGINAL, DEGRADED)})
    expected = {
        "paired-t": stats.ttest_rel(DEGRADED, ORIGINAL, alternative="less").pvalue,
        "signed-rank": stats.wilcoxon(
            *(DEGRADED, ORIGINAL),
            zero_method="pratt",
            correction=True,
            alternative="less",
            method="asymptotic",
        ).pvalue,
        "mann-whitney": stats.mannwhitneyu(
            DEGRADED, ORIGINAL, alternative="less", method="asymptotic"
        ).pvalue,
    }
    for test in TESTS:
        row = quality_control(judgments, test=test, rng=1).raters[0]
        assert row.p_value == pytest.approx(expected[test], rel=1e-12)
        assert (row.verdict, row.n_pairs) == ("good", 7)
        assert math.isnan(row.t) == (test != "paired-t")
        assert row.mean_difference == pytest.approx(np.subtract(DEGRADED, ORIGINAL).mean())


@pytest.mark.parametrize(
    ("scores", "test", "reason"),
    [
        (([50], [20]), "paired-t", "1 pair, and two are needed"),
        (([50, 60], [20, 30]), "paired-t", "all 2 differences equal -30"),
        (([50, 60], [50, 60]), "signed-rank", "all 2 differences are 0"),
        (([50, 60, 70], [20, 30, 71]), "signed-rank", "only 3 differences apart from 0"),
        (([50, 50, 50], [50, 50, 50]), "mann-whitney", "all scores of the 3 pairs are equal"),
        (([50, 60], [20, 30]), "mann-whitney", "only 2 pairs: no answer reaches p ≤ 0.05"),
    ],
)
def test_who_cannot_be_tested_and_why(
    scores: tuple[list[float], list[float]], test: CheckTest, reason: str
) -> None:
    found = quality_control(table({"x": scores, "w": (ORIGINAL, DEGRADED)}), test=test)
    assert found.raters[0].verdict == "untestable"
    assert found.raters[0].reason.startswith(reason)
    assert found.untestable == ("x",)
    assert math.isnan(found.raters[0].p_holm)
    assert found.expected_lucky == pytest.approx(0.05)  # the other rater


@pytest.mark.parametrize("test", TESTS)
def test_many_pairs_are_no_problem(test: CheckTest) -> None:
    scores = np.random.default_rng(3).integers(0, 81, 2000).astype(np.float64)
    row = check_rater(scores + 10.0, scores[::-1], test, 0.05)
    assert row.n_pairs == 2000
    assert 0.0 < row.p_value < 1e-9


def test_a_rater_without_controls_is_named_untestable() -> None:
    judgments = table({"w": (ORIGINAL, DEGRADED), "x": ([50, 60], [])})
    assert quality_control(judgments).raters[1].reason == "judged no degraded copy"


def test_a_copy_without_its_original_is_counted_and_named() -> None:
    found = quality_control(table({"w": (ORIGINAL, DEGRADED), "x": ([50], [20, 30, 40])}))
    assert "2 degraded copies left out" in found.notes[0]
    assert "A item 1 by x, A item 2 by x" in found.notes[0]


def test_a_copy_of_another_task_is_no_partner() -> None:
    n = len(ORIGINAL)
    judgments = table({"w": (ORIGINAL, DEGRADED)}, task=["t1"] * (n + 3) + ["t2"] * (n - 3))
    found = quality_control(judgments)
    assert found.raters[0].n_pairs == 3
    assert "4 degraded copies left out" in found.notes[0]


def test_scores_of_one_key_are_averaged_and_said() -> None:
    columns = table({"w": (ORIGINAL, DEGRADED)}).to_columns()
    for role in columns:
        columns[role].append(columns[role][-1])
    columns["score"][-1] = 60.0  # the last copy was judged 40 and 60
    found = quality_control(Judgments.build(columns, repeated="mark"))
    averaged = [*DEGRADED[:-1], 50]
    assert found.raters[0].t == pytest.approx(stats.ttest_rel(averaged, ORIGINAL).statistic)
    assert any("1 pair had several scores" in note for note in found.notes)


def test_without_controls_or_raters_nothing_can_be_checked() -> None:
    with pytest.raises(DataError, match="no item is degraded"):
        quality_control(table({"w": (ORIGINAL, [])}))
    with pytest.raises(InputError, match="there is no rater"):
        quality_control(Judgments.build({"system": ["A"], "item": [1], "score": [2]}))


def test_corrections_decide_where_asked() -> None:
    weak = ([50, 60, 70, 40], [45, 50, 69, 30])
    judgments = table({"w": (ORIGINAL, DEGRADED), **{f"x{i}": weak for i in range(9)}})
    plain = quality_control(judgments)
    assert len(plain.good) == 10
    assert plain.raters[1].p_holm > 0.05 > plain.raters[1].p_bh == plain.raters[1].p_value
    assert quality_control(judgments, correction="holm").good == ("w",)
    assert len(quality_control(judgments, correction="benjamini-hochberg").good) == 10


def test_apply_keeps_good_raters_and_says_so() -> None:
    judgments = table({"w": (ORIGINAL, DEGRADED), "x": (DEGRADED, ORIGINAL)})
    found = quality_control(judgments)
    kept = found.apply(judgments)
    assert (found.good, found.bad) == (("w",), ("x",))
    assert set(kept.column("rater").labels()) == {"w"}
    assert "kept 14 judgments by 1 rater and left out 14 by 1" in kept.notes[-1]
    with pytest.raises(DataError, match="no rater passes"):
        quality_control(judgments, alpha=1e-9).apply(judgments)


def test_the_summary_says_it_in_words() -> None:
    found = quality_control(table({"w": (ORIGINAL, DEGRADED), "x": (DEGRADED, ORIGINAL)}))
    said = found.summary()
    assert said.startswith("1 of 2 raters passes: degraded copies score below")
    assert "If all 2 testable raters clicked at random, 0.1 would pass by luck" in said
    plain = found.to_dict()
    assert (plain["good"], plain["bad"], plain["untestable"]) == (1, 1, 0)
    nobody = quality_control(table({"x": (DEGRADED, ORIGINAL)}))
    assert "power of the check is not known" in nobody.summary()
    assert nobody.to_dict()["raters"][0]["power"] is None


# Random clickers


def test_the_interval_of_the_gap_decides_as_the_one_sided_t_test_does() -> None:
    rng = np.random.default_rng(4)
    for _ in range(40):
        copies = rng.uniform(20, 60, size=6)
        originals = copies + rng.uniform(-15, 35, size=6)
        [row] = quality_control(table({"w": (originals.tolist(), copies.tolist())})).raters
        low, high = stats.ttest_rel(originals, copies).confidence_interval(0.9)
        found = row.gap_interval(0.9)
        assert found is not None
        assert (found.low, found.high) == pytest.approx((low, high))
        assert row.gap == pytest.approx(float((originals - copies).mean()))
        assert (found.low >= 0.0) == (row.verdict == "good")


def test_one_pair_has_no_interval() -> None:
    [row] = quality_control(table({"w": ([50.0], [40.0])})).raters
    assert row.gap_interval(0.9) is None
    assert row.gap == 10.0


# --- Documents that are copied whole: lines of a copy are compared with each other ---

COPY: tuple[Kind, ...] = ("degraded", "repeat", "reference", "repeat", "degraded", "reference")


def document_copies(
    falls: dict[str, tuple[float, float]], *, seed: int = 1, n: int = 5
) -> dict[str, list[Any]]:
    """Return n copied documents for each rater, and by how much scores fall in copies.

    The first number is the fall of all lines of a copy, the second that of degraded ones more.
    """
    rng = np.random.default_rng(seed)
    table: dict[str, list[Any]] = {
        role: [] for role in ("rater", "document", "system", "item", "task", "kind", "score")
    }
    for rater, (copy, degraded) in falls.items():
        for number in range(n):
            kinds: list[Kind] = ["system"] * len(COPY)
            kinds += [COPY[i] for i in rng.permutation(len(COPY)).tolist()]
            for place, kind in enumerate(kinds):
                fall = copy * (kind != "system") + degraded * (kind == "degraded")
                row = (rater, f"d{number}", "A", f"{number}-{place % len(COPY)}", "t", kind)
                for role, value in zip(
                    table, (*row, 75 - fall + rng.normal(0, 5)), strict=True
                ):
                    table[role].append(value)
    return table


def test_who_scores_copies_low_as_a_whole_does_not_pass_beside_their_neighbours() -> None:
    falls = {"blind": (30.0, 0.0), "careful": (0.0, 20.0), "both": (30.0, 20.0)}
    judgments = Judgments.build(document_copies(falls))
    plain, beside = (quality_control(judgments, against=against) for against in AGAINST)
    assert plain.good == ("blind", "careful", "both")
    assert beside.good == ("careful", "both")
    assert [row.n_pairs for row in beside.raters] == [10, 10, 10]
    blind, careful, both = (row.mean_difference for row in beside.raters)
    # Ten degraded lines less two neighbours each: √(2 · 25 · 1.5 / 10) = 2.7 is an error.
    for found, true in ((blind, 0.0), (careful, -20.0), (both, -20.0)):
        assert abs(found - true) < 4 * 2.7
    assert "further below their originals than the lines beside them" in beside.summary()
    assert "against:neighbours" in str(beside.signature)
    assert "against" not in str(plain.signature)


def test_a_note_says_where_lines_of_a_copy_stand_or_fall_together() -> None:
    columns = document_copies({"ann": (0.0, 20.0)})
    [note] = quality_control(Judgments.build(columns)).notes
    assert note == (
        "10 of 10 degraded copies stand beside other controls of their document and system: who "
        'scores copies of documents low as a whole passes without reading. against="neighbours" '
        "compares the lines of a copy."
    )
    assert quality_control(Judgments.build(columns), against="neighbours").notes == ()
    # Sentences that are copied here and there have nothing of their document beside them.
    controls = [i for i, kind in enumerate(columns["kind"]) if kind != "system"]
    outputs = [i for i, kind in enumerate(columns["kind"]) if kind == "system"]
    order = [i for both in zip(controls, outputs, strict=True) for i in both]
    apart = {role: [values[i] for i in order] for role, values in columns.items()}
    assert quality_control(Judgments.build(apart)).notes == ()


def test_neighbours_are_dealt_in_turn_and_never_shared() -> None:
    changes = np.array([1.0, 2.0, 4.0, 8.0, 16.0])
    where = np.array([7, 7, 3, 7, 9])
    found = change_beside(np.array([7, 3, 7, 5]), where, changes)
    assert found[:3].tolist() == [(1.0 + 8.0) / 2, 4.0, 2.0]
    assert math.isnan(found[3])


def test_a_degraded_line_without_neighbours_is_left_out_and_counted() -> None:
    columns = document_copies({"ann": (0.0, 20.0)})
    kept = [
        i
        for i, (kind, document) in enumerate(
            zip(columns["kind"], columns["document"], strict=True)
        )
        if kind in ("system", "degraded") or document != "d0"
    ]
    part = {role: [values[i] for i in kept] for role, values in columns.items()}
    found = quality_control(Judgments.build(part), against="neighbours")
    assert found.raters[0].n_pairs == 8
    assert found.notes == (
        "2 degraded copies left out: no repeat or reference stood beside in the same copy of a "
        "document.",
    )


def test_neighbours_need_documents() -> None:
    columns = document_copies({"ann": (0.0, 20.0)})
    del columns["document"]
    with pytest.raises(InputError, match="there is no document"):
        quality_control(Judgments.build(columns), against="neighbours")
    with pytest.raises(InputError, match="`against` must be one of original, neighbours"):
        quality_control(Judgments.build(columns), against="other")  # type: ignore[arg-type]


@pytest.mark.slow
@pytest.mark.parametrize("fall", [0.0, 40.0])
def test_who_does_not_read_passes_beside_neighbours_with_probability_alpha(fall: float) -> None:
    """However low all lines of a copy are scored; four standard errors of 4,000 raters."""
    falls = {f"r{i}": (fall, 0.0) for i in range(4000)}
    judgments = Judgments.build(document_copies(falls))
    pairs = pair_up(judgments, against="neighbours")
    passed = [check_rater(*pairs.of(i), "paired-t", 0.05).p_value <= 0.05 for i in range(4000)]
    assert abs(np.mean(passed) - 0.05) < 4 * (0.05 * 0.95 / 4000) ** 0.5


def _pass_rate(test: CheckTest, n_pairs: int, runs: int) -> float:
    rng = np.random.default_rng(17)
    scores = rng.integers(0, 101, (runs, 2, n_pairs)).astype(np.float64)
    passed = [check_rater(a, b, test, 0.05).p_value <= 0.05 for a, b in scores]
    return float(np.mean(passed))


@pytest.mark.slow
@pytest.mark.parametrize("test", TESTS)
def test_random_clickers_pass_as_rarely_as_promised(test: CheckTest) -> None:
    runs = 3000  # standard error .004
    assert _pass_rate(test, 10, runs) < 0.05 + 3.0 * math.sqrt(0.05 * 0.95 / runs)


@pytest.mark.slow
@pytest.mark.parametrize("n_pairs", [5, 10, 30])
@pytest.mark.parametrize("test", TESTS)
def test_random_clickers_pass_with_probability_alpha(test: CheckTest, n_pairs: int) -> None:
    runs = 40_000  # standard error .0011
    rate = _pass_rate(test, n_pairs, runs)
    assert rate < 0.05 + 3.0 * math.sqrt(0.05 * 0.95 / runs)
    # Few pairs leave the rank tests few p-values, so they are on the safe side.
    assert rate > {5: 0.025, 10: 0.040, 30: 0.045}[n_pairs]


# What the campaigns published


def wmt21() -> tuple[QualityControl, pl.DataFrame]:
    pairs = pl.read_parquet(reference_data("data", "wmt", "wmt21_qc_pairs.parquet"))
    official = pl.read_parquet(
        reference_data("data", "wmt", "wmt21_worker_qc_official.parquet")
    )
    names = {"rater": "worker", "task": "hit", "language": "src", "system": "system"}
    both: dict[str, list[Any]] = {role: pairs[c].to_list() * 2 for role, c in names.items()}
    both["item"] = pairs["sid"].to_list() * 2
    both["score"] = pairs["system_score"].to_list() + pairs["bad_ref_score"].to_list()
    both["kind"] = ["SYSTEM"] * pairs.height + ["BAD_REF"] * pairs.height
    return quality_control(Judgments.build(both)), official


@pytest.mark.golden
def test_the_official_p_values_of_wmt21() -> None:
    found, official = wmt21()
    published = {row["worker"]: row for row in official.iter_rows(named=True)}
    whole = [r for r in found.raters if r.n_pairs == published[r.rater]["n"]]
    # The other 122 workers have pairs (of zh-en, and of workers without spread) that are not
    # public, so nothing can be compared.
    assert (len(found.raters), len(whole)) == (475, 353)
    for row in whole:
        expected = published[row.rater]
        assert row.p_value == pytest.approx(expected["p"], rel=5e-7)  # seven digits printed
        assert row.t == pytest.approx(expected["t"], rel=5e-7)
        assert row.verdict == expected["cls"]
    rest = [r for r in found.raters if r.n_pairs != published[r.rater]["n"]]
    assert all(r.n_pairs < published[r.rater]["n"] for r in rest)


@pytest.mark.golden
def test_the_official_rule_is_p_below_alpha() -> None:
    official = pl.read_parquet(
        reference_data("data", "wmt", "wmt21_worker_qc_official.parquet")
    )
    good = official.filter(pl.col("p") <= 0.05)
    assert (official.height, good.height) == (1667, 589)
    assert set(good["cls"]) == {"good"}
    assert set(official.filter(pl.col("p") > 0.05)["cls"]) == {"bad"}
