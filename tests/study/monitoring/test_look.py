"""Looks: every decision, and what is written down."""

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.special import ndtr, ndtri, stdtr, stdtrit

import detectable as dt
from detectable.core.errors import DataError
from detectable.core.types import FloatArray
from detectable.data.human.judgments import Judgments
from detectable.inference.margin_score import MarginScore
from detectable.inference.standard_errors import robust_variance
from detectable.mixed.fit import fit_mixed
from detectable.sequential.design import design
from detectable.sequential.look_statistic import look_boundaries, paired_mean
from detectable.sequential.prefix_looks import sign_flip_looks
from detectable.study.monitoring.conclude import conclude
from detectable.study.monitoring.ledger import PairLook
from detectable.study.monitoring.look import look
from detectable.study.monitoring.look_tests import margin_claim
from detectable.study.monitoring.plan import plan
from detectable.study.monitoring.plan_history import plan_history
from tests.helpers import reference_data
from tests.study.monitoring.plan_tables import (
    Table,
    differences_with,
    files,
    joined,
    new_plan,
    reordered,
)
from tests.study.monitoring.plan_tables import judged as judged_of_plan_tables


def stream(*z: tuple[int, float]) -> Any:
    return judged_of_plan_tables(differences_with(*z))


def part(table: Any, n: int) -> Any:
    """Return the first n items."""
    return {name: values[: 2 * n] for name, values in table.items()}


@pytest.mark.parametrize(
    ("z", "decision"),
    [(3.3, "stop: better"), (-3.3, "stop: worse"), (0.05, "stop: futile"), (1.9, "continue")],
)
def test_the_decisions_of_an_interim_look(tmp_path: Path, z: float, decision: str) -> None:
    frozen = new_plan(tmp_path)
    found = look(frozen, stream((50, z)))
    row = found.pairs[0]
    expected = design("hsd").boundaries_for((0.5,))
    assert found.decision == row.decision == decision
    assert row.z == pytest.approx(z, abs=1e-9)
    assert row.information == 0.5
    assert row.z_bound == pytest.approx(expected.z[0])
    assert row.alpha_spent == pytest.approx(expected.alpha_spent[0])
    assert found.final == (decision in ("stop: better", "stop: worse"))
    assert "p =" not in found.summary()
    assert "p <" not in found.summary()


def test_the_end_is_undecided_where_no_boundary_is_reached(tmp_path: Path) -> None:
    frozen = new_plan(tmp_path)
    table = stream((50, 1.9), (100, 1.5))
    assert look(frozen, part(table, 50)).decision == "continue"
    found = look(frozen, table)
    assert found.decision == "stop: undecided"
    assert found.final
    assert not found.declared


def test_the_boundary_itself_is_enough(tmp_path: Path) -> None:
    # a look at 50 of 100 with the statistic exactly at the boundary, up to rounding
    bound = design("hsd").boundaries_for((0.5,)).z[0]
    assert look(new_plan(tmp_path), stream((50, bound + 1e-9))).decision == "stop: better"


def test_a_margin_stops_for_equivalence(tmp_path: Path) -> None:
    frozen = new_plan(tmp_path, claim="equivalent", margin=3.0)
    found = look(frozen, stream((60, 0.1)))
    assert found.decision == "stop: equivalent"
    row = found.pairs[0]
    one_sided = design("hsd", sided=1, futility="none").boundaries_for((0.6,)).z[0]
    assert row.z_margin == pytest.approx(one_sided)
    half = row.standard_error * one_sided
    assert abs(row.estimate) + half < 3.0
    assert "new and old are equivalent within ±3: " in found.summary()


def test_margins_go_by_the_score_rule_and_the_first_look_tells_the_kind(tmp_path: Path) -> None:
    """Most scores of the first look are ties; most of all are none, which changes the kind no more."""
    rng = np.random.default_rng(5)
    quiet = np.where(np.arange(50) % 7, 0.0, -4.0)
    both = np.concatenate([quiet, rng.normal(0.0, 12.0, 50)])
    rows, limits = [], []
    for name, seen in (("a", (quiet, both)), ("b", (both,))):
        (tmp_path / name).mkdir()
        frozen = new_plan(tmp_path / name, 400, claim="non-inferior", margin=2.0)
        for d in seen:
            rows.append(look(frozen, judged_of_plan_tables(d)).pairs[0])
            kind = rows[0 if name == "a" else -1].kind
            assert kind is not None
            score = MarginScore.of_scale(d, None, kind=kind, length=100.0)
            limits.append(score.limits(t_quantile_of(rows[-1], score)))
    assert [row.kind for row in rows] == ["sparse", "sparse", "dense"]
    for row, (low, high) in zip(rows, limits, strict=True):
        assert row.margin_interval is not None
        assert row.margin_interval.to_json() == pytest.approx([low, high])


def t_quantile_of(row: PairLook, score: MarginScore) -> float:
    """Return the boundary of a look on the scale of t, whose tail is that of the boundary."""
    return float(stdtrit(score.df, ndtr(row.z_margin or math.nan)))


@pytest.mark.parametrize(("margin", "decision"), [(3.0, "stop: equivalent"), (1.5, "continue")])
def test_the_margin_decides_about_equivalence(
    tmp_path: Path, margin: float, decision: str
) -> None:
    frozen = new_plan(tmp_path, claim="equivalent", margin=margin)
    assert look(frozen, stream((60, 0.1))).decision == decision  # never futile: that is the aim


def test_non_inferiority_and_its_better_half(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    frozen = new_plan(tmp_path / "a", claim="non-inferior", margin=3.0)
    assert look(frozen, stream((60, -0.2))).decision == "stop: non-inferior"
    # where the difference itself is shown, «better» says more
    frozen = new_plan(tmp_path / "b", claim="non-inferior", margin=3.0)
    assert look(frozen, stream((60, 4.0))).decision == "stop: better"


def test_one_sided_plans_have_a_lower_limit_and_no_worse(tmp_path: Path) -> None:
    frozen = new_plan(tmp_path, sided=1, futility="none")
    found = look(frozen, stream((50, -4.0)))
    row = found.pairs[0]
    assert found.decision == "continue"
    assert row.interval is not None
    assert row.interval.high == np.inf
    assert row.interval.level == pytest.approx(0.95)
    assert "boundary +" in found.summary()
    again = plan_history(frozen).looks[0].pair
    assert again == row


def test_classical_families_look_at_planned_times(tmp_path: Path) -> None:
    frozen = new_plan(tmp_path, family="pocock", looks=3)
    table = stream((33, 1.0), (67, 1.5), (100, 2.4))
    before = files(tmp_path)
    with pytest.raises(DataError, match=r"looks at 33, 67, 100 only, next at 67"):
        look(frozen, part(table, 50))
    assert files(tmp_path) == before
    # a third of 100 items is 33, and the boundary is that for a third
    assert look(frozen, part(table, 33)).pairs[0].z_bound == pytest.approx(2.289478, abs=1e-6)
    assert look(frozen, part(table, 67)).decision == "continue"
    found = look(frozen, table)
    assert found.decision == "stop: better"
    assert found.pairs[0].alpha_spent == pytest.approx(0.05, abs=1e-6)


def test_a_classical_look_may_be_left_out_and_the_end_may_come_early(tmp_path: Path) -> None:
    frozen = new_plan(tmp_path, family="pocock", looks=3)
    table = stream((67, 1.5), (80, 1.6))
    assert look(frozen, part(table, 67)).pairs[0].z_bound == pytest.approx(2.289478, abs=1e-6)
    found = look(frozen, table, final=True)
    assert found.decision == "stop: undecided"
    bound = found.pairs[0].z_bound
    assert bound is not None
    assert 1.96 < bound < 2.289478
    assert any("80% of the plan" in note for note in found.notes)


def test_an_early_last_look_spends_what_is_left(tmp_path: Path) -> None:
    frozen = new_plan(tmp_path)
    table = stream((40, 1.9), (70, 2.2))
    look(frozen, part(table, 40))
    found = look(frozen, table, final=True)
    expected = design("hsd").boundaries_for((0.4, 0.7), final=True)
    assert found.pairs[0].z_bound == pytest.approx(expected.z[-1])
    assert found.pairs[0].alpha_spent == pytest.approx(0.05, abs=1e-6)
    assert found.decision == "stop: better"
    assert found.declared


def test_a_last_look_without_new_data_spends_nothing(tmp_path: Path) -> None:
    # Otherwise whoever sees z = 2.5 below a boundary of 2.9 would end there and win.
    frozen = new_plan(tmp_path)
    table = stream((50, 2.5))
    assert look(frozen, table).decision == "continue"
    found = look(frozen, table, final=True)
    assert found.decision == "stop: undecided"
    assert not found.pairs[0].tested
    assert found.final
    # Nothing was spent, so there is nothing to warn of.
    assert not [note for note in found.notes if "last look" in note]


def test_beyond_the_planned_end_only_as_a_last_look(tmp_path: Path) -> None:
    frozen = new_plan(tmp_path)
    table = stream((50, 1.9), (110, 2.2))
    look(frozen, part(table, 50))
    before = files(tmp_path)
    with pytest.raises(DataError, match=r"110 items, and the plan ends at 100.*--final"):
        look(frozen, table)
    assert files(tmp_path) == before
    found = look(frozen, table, final=True)
    expected = design("hsd").boundaries_for((0.5, 1.1), final=True)
    assert found.pairs[0].z_bound == pytest.approx(expected.z[-1])


def test_futility_is_advice_that_can_be_overruled(tmp_path: Path) -> None:
    frozen = new_plan(tmp_path)
    table = stream((50, 0.1), (80, 1.8), (100, 2.3))
    assert look(frozen, part(table, 50)).decision == "stop: futile"
    before = files(tmp_path)
    with pytest.raises(DataError, match=r"Conclude, or go on.*--overrule-futility"):
        look(frozen, part(table, 80))
    assert files(tmp_path) == before
    found = look(frozen, part(table, 80), overrule_futility=True)
    assert found.overruled
    # the boundaries never counted on the advice
    expected = design("hsd").boundaries_for((0.5, 0.8))
    assert found.pairs[0].z_bound == pytest.approx(expected.z[-1])
    last = look(frozen, table, overrule_futility=True)
    assert last.decision == "stop: better"
    assert not last.overruled  # there was nothing to overrule this time


def test_rows_may_come_in_another_order(tmp_path: Path) -> None:
    frozen = new_plan(tmp_path)
    table = stream((50, 1.9), (80, 2.0))
    look(frozen, part(table, 50))
    found = look(frozen, reordered(table))
    assert found.pairs[0].z == pytest.approx(2.0, abs=1e-9)
    assert found.new_judgments == 60


def test_a_second_rater_adds_no_item(tmp_path: Path) -> None:
    frozen = new_plan(tmp_path)
    d = differences_with((40, 1.9))
    look(frozen, judged_of_plan_tables(d))
    before = files(tmp_path)
    more = joined(judged_of_plan_tables(d), judged_of_plan_tables(-d, rater="bob"))
    with pytest.raises(DataError, match=r"no more items than at the last look \(40\)"):
        look(frozen, more)
    assert files(tmp_path) == before


def test_the_ledger_says_all_of_it(tmp_path: Path) -> None:
    frozen = new_plan(tmp_path)
    look(frozen, stream((50, 1.9)))
    entry = json.loads(frozen.ledger_path.read_text().splitlines()[1])
    assert {
        "look",
        "time",
        "decision",
        "judgments",
        "judgments_planned",
        "seen",
    } <= entry.keys()
    row = entry["pairs"][0]
    wanted = {"n_units", "information", "z", "z_bound", "alpha_spent", "decision", "estimate"}
    assert wanted <= row.keys()
    assert entry["judgments_planned"] == 100
    assert 0 < entry["expected_judgments"] <= 100


def test_items_of_documents_keep_their_name(tmp_path: Path) -> None:
    # At the first look every item name is alone; later «1» exists in two documents.
    frozen = new_plan(tmp_path, test="signed-rank")
    one: Any = {
        "document": ["a"] * 8,
        "item": [1, 1, 2, 2, 3, 3, 4, 4],
        "system": ["new", "old"] * 4,
        "score": [60, 50, 55, 52, 70, 71, 40, 44],
    }
    two = {**one, "document": ["b"] * 8}
    assert look(frozen, one).pairs[0].n_units == 4
    found = look(frozen, joined(one, two))
    assert found.pairs[0].n_units == 8
    assert any("takes every item as independent" in note for note in found.notes)


def test_documents_are_the_unit_however_few(tmp_path: Path) -> None:
    frozen = new_plan(tmp_path)
    found = look(frozen, judged_of_plan_tables(differences_with((60, 1.0)), per_document=10))
    assert (found.unit, found.pairs[0].n_clusters) == ("document", 6)
    assert any(note.startswith("6 documents: tested by t") for note in found.notes)


def test_preferences_of_one_item_are_one_comparison(tmp_path: Path) -> None:
    frozen = new_plan(tmp_path, test="preference")
    raters = ("ann", "bob", "eve")
    table = {
        "item": [i for i in range(30) for _ in raters],
        "rater": [r for _ in range(30) for r in raters],
        "winner": [
            w for i in range(30) for w in (("new", "new", "old") if i % 2 else ("old",) * 3)
        ],
    }
    row = look(frozen, table).pairs[0]
    assert row.n_units == 30
    assert row.z == 0.0


@pytest.mark.parametrize("test", ["rank-sum", "two-means", "proportions"])
def test_unpaired_tests_count_items_per_system(tmp_path: Path, test: str) -> None:
    frozen = new_plan(tmp_path, test=test)
    rng = np.random.default_rng(3)
    scores = rng.integers(0, 2, 80) if test == "proportions" else rng.integers(0, 101, 80)
    table = {
        "item": [f"{i}" for i in range(80)],
        "system": ["new"] * 40 + ["old"] * 40,
        "score": scores.tolist(),
    }
    row = look(frozen, table).pairs[0]
    assert row.n_units == 40
    assert row.information == 0.4
    a, b = scores[:40], scores[40:]
    if test == "proportions":
        assert row.estimate == pytest.approx(a.mean() - b.mean())


def test_proportions_need_zeros_and_ones(tmp_path: Path) -> None:
    frozen = new_plan(tmp_path, test="proportions")
    table = judged_of_plan_tables([0.0, 0.0])
    with pytest.raises(DataError, match="outside the scale 0 to 1"):
        look(frozen, table)
    half = {**table, "score": [0.5, 1, 0, 1]}
    with pytest.raises(DataError, match="expected 0 or 1"):
        look(frozen, half)
    assert frozen.ledger_path.read_text().count("\n") == 1  # the plan itself


def test_mixed_model_contrasts(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    d = rng.normal(1.0, 5.0, 40)
    table = joined(
        judged_of_plan_tables(d),
        judged_of_plan_tables(d + rng.normal(0.0, 2.0, 40), rater="bob"),
    )
    table = joined(table, judged_of_plan_tables(d + rng.normal(0.0, 2.0, 40), rater="eve"))
    row = look(new_plan(tmp_path, test="mixed"), table).pairs[0]
    assert row.n_units == 40
    assert row.df is not None
    assert row.estimate == pytest.approx(np.mean([d.mean()]), abs=1.5)


def test_a_mixed_model_knows_that_documents_may_favour_a_system(tmp_path: Path) -> None:
    rng = np.random.default_rng(7)
    d = np.repeat(rng.normal(1.0, 3.0, 10), 4)  # what a document thinks of the two
    parts = [
        judged_of_plan_tables(d + rng.normal(0.0, 2.0, 40), rater=name, per_document=4)
        for name in ("ann", "bob", "eve")
    ]
    table = joined(*parts)
    row = look(new_plan(tmp_path, test="mixed"), table).pairs[0]
    fit = fit_mixed(table, baseline="old")
    assert fit.component("document:system").sd > 1.0
    assert (row.estimate, row.standard_error) == pytest.approx(
        (fit.estimate, fit.standard_error), rel=1e-9
    )
    by_item = fit_mixed(table, unit="item", baseline="old")
    assert row.standard_error > 1.2 * by_item.standard_error
    (tmp_path / "items").mkdir()
    asked = look(new_plan(tmp_path / "items", test="mixed", unit="item"), table).pairs[0]
    assert asked.standard_error == pytest.approx(by_item.standard_error, rel=1e-9)


def test_a_mixed_model_averages_repeats(tmp_path: Path) -> None:
    rng = np.random.default_rng(6)
    d = rng.normal(1.0, 5.0, 20)
    table = joined(
        judged_of_plan_tables(d),
        judged_of_plan_tables(d + rng.normal(0.0, 2.0, 20), rater="bob"),
    )
    again = {name: [*column, column[0]] for name, column in table.items()}
    again["score"][-1] += 6.0
    again["kind"] = ["system"] * len(table["score"]) + ["repeat"]
    for name in ("again", "once"):
        (tmp_path / name).mkdir()
    found = look(new_plan(tmp_path / "again", test="mixed"), again).pairs[0]
    table["score"] = [table["score"][0] + 3.0, *table["score"][1:]]
    wanted = look(new_plan(tmp_path / "once", test="mixed"), table).pairs[0]
    assert (found.estimate, found.z) == pytest.approx((wanted.estimate, wanted.z), rel=1e-9)


def test_a_document_clustered_statistic(tmp_path: Path) -> None:
    d = differences_with((80, 1.5))
    row = look(new_plan(tmp_path), judged_of_plan_tables(d, per_document=8)).pairs[0]
    expected = paired_mean(d, np.arange(80) // 8)
    assert row.z == pytest.approx(expected.z)
    assert row.n_clusters == 10
    assert row.df == 9.0


@pytest.mark.parametrize(
    ("more", "raters", "said"),
    [
        (
            {},
            3,
            "The claim is about these 3 raters; a plan with raters as its units, or with the",
        ),
        ({}, 1, "The claim is about this rater; a plan with"),
        ({"unit": "rater"}, 10, "The claim is about raters like these."),
    ],
)
def test_a_look_says_about_which_raters_it_is(
    tmp_path: Path, more: dict[str, Any], raters: int, said: str
) -> None:
    frozen = new_plan(tmp_path, **more)
    table = dict(stream((50, 1.9)))
    # Both rows of an item are by one rater.
    table["rater"] = [f"w{i // 2 % raters}" for i in range(len(table["system"]))]
    assert [note for note in look(frozen, table).notes if note.startswith(said)]


def test_a_look_without_raters_says_nothing_of_them(tmp_path: Path) -> None:
    table = judged_of_plan_tables(differences_with((50, 1.9)), rater=None)
    notes = look(new_plan(tmp_path), table).notes
    assert not [note for note in notes if "rater" in note]


# --- Exact looks through a plan: what earlier looks saw stays as it was ---


def test_a_second_rater_changes_a_difference_from_then_on(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    d = np.round(rng.normal(1.5, 5.0, 30), 1)
    second = np.round(d[:12] + rng.normal(0.0, 3.0, 12), 1)
    frozen = new_plan(
        tmp_path, 60, test="sign-flip", family="ld-pocock", futility="none", seed=9
    )
    look(frozen, judged_of_plan_tables(d[:15]))
    found = look(
        frozen,
        reordered(
            joined(judged_of_plan_tables(d), judged_of_plan_tables(second, rater="bob")), seed=2
        ),
    ).pairs[0]
    names = [f"i{i}" for i in range(30)]
    now = d.copy()
    now[:12] = 0.5 * (d[:12] + second)
    spent = [design("ld-pocock").spend(t) for t in (0.25, 0.5)]
    expected = sign_flip_looks([(names[:15], d[:15]), (names, now)], spent, seed=9)[-1]
    assert found.exact_p == pytest.approx(expected.p_value)
    assert found.alpha_spent == pytest.approx(expected.spent)
    assert found.estimate == pytest.approx(now.mean())


def test_documents_are_flipped_whole(tmp_path: Path) -> None:
    d = np.round(np.random.default_rng(4).normal(1.0, 5.0, 40), 1)
    frozen = new_plan(tmp_path, 80, test="sign-flip", futility="none", seed=9)
    found = look(frozen, judged_of_plan_tables(d, per_document=4)).pairs[0]
    sums = d.reshape(10, 4).sum(axis=1)
    names = [f"d{i}" for i in range(10)]
    expected = sign_flip_looks([(names, sums)], [design("hsd").spend(0.5)], seed=9)[-1]
    assert found.exact_p == pytest.approx(expected.p_value)
    assert found.n_clusters == 10


def test_the_exact_p_value_is_what_is_concluded(tmp_path: Path) -> None:
    d = np.random.default_rng(4).normal(4.0, 5.0, 30)
    frozen = new_plan(tmp_path, 60, test="sign-flip", family="pocock", looks=2, seed=9)
    row = look(frozen, judged_of_plan_tables(d)).pairs[0]
    assert row.decision == "stop: better"
    assert row.z_bound is not None
    assert row.z is not None
    assert row.z >= row.z_bound
    pair = conclude(frozen).pairs[0]
    assert pair.p_value == row.exact_p
    assert pair.p_value is not None
    assert pair.p_value >= 1 / 10_000


def test_a_one_sided_exact_plan(tmp_path: Path) -> None:
    d = np.random.default_rng(4).normal(-6.0, 5.0, 30)
    frozen = new_plan(tmp_path, 60, test="sign-flip", sided=1, futility="none", seed=9)
    assert look(frozen, judged_of_plan_tables(d)).decision == "continue"
    worse = look(frozen, judged_of_plan_tables(np.concatenate([d, d])), final=True)
    assert worse.decision == "stop: undecided"
    assert conclude(frozen).pairs[0].p_value > 0.99


# --- Looks at few documents: what the error rate is, and what is said about it ---

TRIALS = 4_000


def differences(
    shape: tuple[int, int], rng: np.random.Generator, *, unequal: bool, skewed: bool
) -> tuple[FloatArray, FloatArray]:
    """Return sums and sizes of documents of equal systems; a third of the variance is theirs."""
    sizes = np.full(shape, 6.0)
    if unequal:
        sizes = np.maximum(1.0, np.round(rng.lognormal(np.log(6.0) - 0.3, 0.77, shape)))
    effects = rng.exponential(size=shape) - 1.0 if skewed else rng.normal(size=shape)
    noise = rng.normal(size=shape) * np.sqrt(0.7 * sizes)
    return sizes * effects * np.sqrt(0.3) + noise, sizes


def false_alarms(looks: Sequence[int], *, unequal: bool, skewed: bool) -> float:
    """Return how often a plan with these looks, in documents, finds a difference that is not."""
    rng = np.random.default_rng([7, *looks, unequal, skewed])
    sums, sizes = differences((TRIALS, looks[-1]), rng, unequal=unequal, skewed=skewed)
    bounds = design("hsd", at=[g / looks[-1] for g in looks], alpha=0.05).z
    stopped = np.zeros(TRIALS, dtype=bool)
    for documents, bound in zip(looks, bounds, strict=True):
        d, n = sums[:, :documents].T, sizes[:, :documents].T
        mean = d.sum(axis=0) / n.sum(axis=0)
        variance, df = robust_variance((d - n * mean) / n.sum(axis=0), n / n.sum(axis=0))
        stopped |= -ndtri(stdtr(df, -np.abs(mean / np.sqrt(variance)))) >= bound
    return float(stopped.mean())


# Measured on 20,000 data sets (standard error .0016): five looks, from 3 documents on.
@pytest.mark.parametrize(
    ("unequal", "skewed", "expected"),
    [
        (False, False, 0.0516),
        (True, False, 0.0591),
        (False, True, 0.0749),
        (True, True, 0.0808),
    ],
)
def test_the_error_rate_is_what_the_note_says(
    unequal: bool, skewed: bool, expected: float
) -> None:
    found = false_alarms([3, 6, 9, 12, 15], unequal=unequal, skewed=skewed)
    error = np.sqrt(expected * (1.0 - expected) * (1.0 / TRIALS + 1.0 / 20_000))
    assert abs(found - expected) < 3.0 * error


def judged(documents: int) -> Judgments:
    rng = np.random.default_rng(documents)
    rows: dict[str, list[object]] = {"system": [], "item": [], "document": [], "score": []}
    for d in range(documents):
        for i in range(3):
            for system, mean in (("new", 62.0), ("old", 60.0)):
                rows["system"].append(system)
                rows["item"].append(f"{d}-{i}")
                rows["document"].append(f"d{d}")
                rows["score"].append(mean + rng.normal(0, 4))
    return Judgments.build(rows)


def test_few_documents_are_tested_and_the_note_says_how(tmp_path: Path) -> None:
    frozen = plan(tmp_path / "p.json", systems=["new", "old"], n_max=300)
    found = look(frozen, judged(4))
    assert found.pairs[0].n_clusters == 4
    (note,) = [text for text in found.notes if "tested by t" in text]
    assert note.startswith("4 documents: tested by t over documents, 3.0 degrees of freedom")
    assert "errs in 5 to 6 % of cases, in 7 to 8 % if they are skewed" in note


def test_one_document_is_refused(tmp_path: Path) -> None:
    frozen = plan(tmp_path / "p.json", systems=["new", "old"], n_max=300)
    with pytest.raises(DataError, match="1 document so far, and one document says nothing"):
        look(frozen, judged(1))


def test_many_documents_need_no_note(tmp_path: Path) -> None:
    frozen = plan(tmp_path / "p.json", systems=["new", "old"], n_max=300)
    assert not [text for text in look(frozen, judged(20)).notes if "tested by t" in text]


def test_signs_of_few_documents_cannot_stop_a_plan(tmp_path: Path) -> None:
    frozen = plan(tmp_path / "p.json", systems=["new", "old"], n_max=300, test="sign-flip")
    (note,) = [text for text in look(frozen, judged(6)).notes if "cannot stop" in text]
    # 18 of 300 items: f(t) = .05 (1 − e^{4t}) / (1 − e^4) spends .00025, and 2^(1 − 13) is below it.
    assert "the smallest possible p of 6 documents is .031, and .00025 may be spent" in note
    assert note.endswith("It cannot before document 13.")


# --- Plans of several systems: Holm over the pairs, elimination, and their conclusion ---


def scores(shifts: dict[str, float], n: int, seed: int = 1, **more: int) -> Table:
    """Return one judgment per system and item, items beyond those of `more` left out."""
    rng = np.random.default_rng(seed)
    item = rng.normal(0.0, 8.0, 400)
    table: Table = {"system": [], "item": [], "score": []}
    for name, shift in shifts.items():
        noise = rng.normal(0.0, 5.0, 400)
        for i in range(more.get(name, n)):
            table["system"].append(name)
            table["item"].append(f"i{i}")
            table["score"].append(float(np.clip(50.0 + shift + item[i] + noise[i], 0, 100)))
    return table


def test_every_decision_raises_the_level_of_the_others(tmp_path: Path) -> None:
    frozen = plan(tmp_path / "p.json", systems=["A", "B", "C"], n_max=200, futility="none")
    found = look(frozen, scores({"A": 0.0, "B": 0.2, "C": 9.0}, 100))
    rows = {row.pair: row for row in found.pairs}
    assert rows["C", "A"].decision == rows["C", "B"].decision == "stop: better"
    assert rows["C", "A"].level == pytest.approx(0.05 / 3)
    assert rows["B", "A"].decision == "continue"
    assert rows["B", "A"].level == pytest.approx(0.05)  # two of three are decided
    bound = design("hsd").boundaries_for((0.5,)).z[0]
    assert rows["B", "A"].z_bound == pytest.approx(bound)
    assert found.still_needed == ("B", "A")
    assert found.saved == 100  # of C, which needs no more
    assert found.judgments_planned == 200


def test_systems_that_are_decided_need_no_more_judgments(tmp_path: Path) -> None:
    frozen = plan(tmp_path / "p.json", systems=["A", "B", "C"], n_max=200, futility="none")
    shifts = {"A": 0.0, "B": 0.2, "C": 9.0}
    look(frozen, scores(shifts, 100))
    found = look(frozen, scores(shifts, 150, C=100))
    assert [row.pair for row in found.pairs] == [("B", "A")]
    assert found.pairs[0].information == 0.75
    last = look(frozen, scores(shifts, 200, C=100))
    assert last.decision == "stop"
    assert last.final
    made = conclude(frozen)
    verdicts = {(p.system, p.baseline): p for p in made.pairs}
    assert verdicts["C", "A"].verdict == "better"
    assert verdicts["B", "A"].verdict == "undecided"
    assert verdicts["C", "A"].look == 1
    assert verdicts["B", "A"].look == 3
    assert verdicts["C", "A"].interval is not None
    assert verdicts["C", "A"].interval.level == pytest.approx(1 - 0.05 / 3)  # all together


def test_adjusted_p_values_agree_with_the_verdicts(tmp_path: Path) -> None:
    # The second decision is taken at .05/2: three times its p would be above .05.
    for seed in range(40):
        folder = tmp_path / str(seed)
        folder.mkdir()
        frozen = plan(
            folder / "p.json", systems=["A", "B", "C"], baseline="A", n_max=60, family="fixed"
        )
        look(frozen, scores({"A": 0.0, "B": 2.2, "C": 2.6}, 60, seed=seed))
        for pair in conclude(frozen).pairs:
            assert (pair.p_adjusted <= 0.05) == (pair.verdict in ("better", "worse"))
            assert pair.p_value <= pair.p_adjusted <= min(1.0, 2 * pair.p_value) + 1e-12


def test_pairs_without_new_items_wait(tmp_path: Path) -> None:
    frozen = plan(
        tmp_path / "p.json", systems=["A", "B", "C"], baseline="A", n_max=200, futility="none"
    )
    shifts = {"A": 0.0, "B": 0.2, "C": 0.1}
    look(frozen, scores(shifts, 60))
    found = look(frozen, scores(shifts, 100, C=60))
    assert [row.pair for row in found.pairs] == [("B", "A")]
    assert found.decision == "continue"
    third = look(frozen, scores(shifts, 140, C=120))
    rows = {row.pair: row for row in third.pairs}
    assert rows["C", "A"].information == 0.6
    expected = (
        design("hsd", alpha=0.025).boundaries_for((0.3, 0.6)).z[-1]
    )  # two looks, not three
    assert rows["C", "A"].z_bound == pytest.approx(expected)
    last = look(frozen, scores(shifts, 160, C=120), final=True)
    rows = {row.pair: row for row in last.pairs}
    assert rows["B", "A"].tested
    assert not rows["C", "A"].tested
    assert {row.decision for row in last.pairs} == {"stop: undecided"}
    assert {p.method for p in conclude(frozen).pairs} == {
        "repeated interval",
        "stagewise ordering, median unbiased",
    }


def test_pairs_that_were_given_up_can_be_taken_up_again(tmp_path: Path) -> None:
    frozen = plan(tmp_path / "p.json", systems=["A", "B", "C"], baseline="A", n_max=200)
    shifts = {"A": 0.0, "B": 0.0, "C": 9.0}
    found = look(frozen, scores(shifts, 120, seed=6))
    rows = {row.pair: row for row in found.pairs}
    assert rows["B", "A"].decision == "stop: futile"
    assert found.decision == "stop"
    assert not found.final
    more = look(frozen, scores(shifts, 160, seed=6, C=120), overrule_futility=True)
    assert more.overruled
    assert [row.pair for row in more.pairs] == [("B", "A")]
    assert more.pairs[0].level == pytest.approx(0.05)
    assert "overruled" in " ".join(_finish(frozen, shifts))


def _finish(frozen: object, shifts: dict[str, float]) -> tuple[str, ...]:
    look(frozen, scores(shifts, 200, seed=6, C=120), overrule_futility=True)  # type: ignore[arg-type]
    return conclude(frozen).notes  # type: ignore[arg-type]


def test_a_refused_leaderboard_look_writes_nothing(tmp_path: Path) -> None:
    frozen = plan(tmp_path / "p.json", systems=["A", "B", "C"], n_max=200)
    shifts = {"A": 0.0, "B": 0.2, "C": 0.1}
    look(frozen, scores(shifts, 60))
    before = files(tmp_path)
    from detectable.core.errors import DataError

    with pytest.raises(DataError, match="260 items, and the plan ends at 200"):
        look(frozen, scores(shifts, 260))
    assert files(tmp_path) == before


# --- Equivalence and non-inferiority with looks: false claims at the margin itself ---


@pytest.mark.slow
@pytest.mark.parametrize(("claim", "truth"), [("equivalent", 2.0), ("non-inferior", -2.0)])
def test_false_claims_at_the_margin(tmp_path: Path, claim: str, truth: float) -> None:
    frozen = new_plan(tmp_path, 200, claim=claim, margin=2.0)
    sizes = (40, 80, 120, 160, 200)
    one_sided = frozen.design_at(0.05, sided=1, futility="none")
    bounds = look_boundaries(one_sided, [n / 200 for n in sizes]).z
    rng = np.random.default_rng(6)
    runs, wrong = 6000, 0
    for _ in range(runs):
        d = rng.normal(truth, 8.0, 200)
        wrong += any(
            margin_claim(frozen, paired_mean(d[:n]), bound) is not None
            for n, bound in zip(sizes, bounds, strict=True)
        )
    error = math.sqrt(0.05 * 0.95 / runs)
    assert wrong / runs <= 0.05 + 2.5 * error
    assert wrong / runs >= 0.04  # it is not merely timid: with this margin the end is in reach


# --- The whole tool where nothing differs: plan, look, look, … from files to decision ---

RUNS = 1_000
LOOKS = (60, 120, 180, 240, 300)


def _real_pairs() -> tuple[np.ndarray, np.ndarray]:
    """Return the matched scores of the largest comparison in the archive, and their raters."""
    import polars as pl

    path = reference_data("data", "shipdata", "shipdata_judgments.parquet")
    frame = pl.read_parquet(path, columns=["campaign", "system", "user", "segment", "score"])
    first = frame.group_by("campaign", "system").len().sort("len", "campaign", "system")[-1]
    rows = frame.filter(pl.col("campaign") == first["campaign"][0])
    cells = rows.group_by("system", "user", "segment").agg(pl.col("score").mean())
    systems = cells["system"].unique().sort()[:2]
    one, two = (cells.filter(pl.col("system") == name) for name in systems)
    matched = one.join(two, on=("user", "segment"), suffix="_2").sort("user", "segment")
    return matched.select("score", "score_2").to_numpy(), matched["user"].to_numpy()


def _table(scores: np.ndarray, n: int) -> dict[str, Any]:
    return {
        "system": ["A"] * n + ["B"] * n,
        "item": list(range(n)) * 2,
        "score": scores[:n].T.ravel().tolist(),
    }


@pytest.mark.slow
@pytest.mark.parametrize("test", ["paired-mean", "signed-rank", "sign-flip"])
def test_five_looks_at_equal_systems_keep_the_error_rate(tmp_path: Path, test: Any) -> None:
    """Draw items of a real comparison, swap the systems at random, and look five times."""
    pool, _ = _real_pairs()
    rng = np.random.default_rng(6)
    alarms = 0
    for run in range(RUNS):
        drawn = pool[rng.integers(0, len(pool), LOOKS[-1])]
        swapped = rng.random(LOOKS[-1]) < 0.5
        scores = np.where(swapped[:, None], drawn[:, ::-1], drawn)
        plan = dt.plan(tmp_path / f"{run}.json", systems=["A", "B"], n_max=300, test=test)
        for n in LOOKS:
            look = dt.look(plan, _table(scores, n), overrule_futility=True)
            if look.decision in ("stop: better", "stop: worse"):
                alarms += 1
            if look.decision not in ("continue", "stop: futile"):
                break
    error = (0.05 * 0.95 / RUNS) ** 0.5
    assert alarms / RUNS <= 0.05 + 3.0 * error
    assert alarms / RUNS >= 0.05 - 3.0 * error
