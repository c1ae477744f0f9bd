"""Looks: every decision, and what is written down."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from detectable.core.errors import DataError
from detectable.mixed.fit import fit_mixed
from detectable.sequential.design import design
from detectable.sequential.look_statistic import paired_mean
from detectable.study.monitoring.look import look
from detectable.study.monitoring.plan_history import plan_history
from tests.study.monitoring.plan_tables import (
    differences_with,
    files,
    joined,
    judged,
    new_plan,
    reordered,
)


def stream(*z: tuple[int, float]) -> Any:
    return judged(differences_with(*z))


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
    look(frozen, judged(d))
    before = files(tmp_path)
    more = joined(judged(d), judged(-d, rater="bob"))
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
    found = look(frozen, judged(differences_with((60, 1.0)), per_document=10))
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
    table = judged([0.0, 0.0])
    with pytest.raises(DataError, match="outside the scale 0 to 1"):
        look(frozen, table)
    half = {**table, "score": [0.5, 1, 0, 1]}
    with pytest.raises(DataError, match="expected 0 or 1"):
        look(frozen, half)
    assert frozen.ledger_path.read_text().count("\n") == 1  # the plan itself


def test_mixed_model_contrasts(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    d = rng.normal(1.0, 5.0, 40)
    table = joined(judged(d), judged(d + rng.normal(0.0, 2.0, 40), rater="bob"))
    table = joined(table, judged(d + rng.normal(0.0, 2.0, 40), rater="eve"))
    row = look(new_plan(tmp_path, test="mixed"), table).pairs[0]
    assert row.n_units == 40
    assert row.df is not None
    assert row.estimate == pytest.approx(np.mean([d.mean()]), abs=1.5)


def test_a_mixed_model_knows_that_documents_may_favour_a_system(tmp_path: Path) -> None:
    rng = np.random.default_rng(7)
    d = np.repeat(rng.normal(1.0, 3.0, 10), 4)  # what a document thinks of the two
    parts = [
        judged(d + rng.normal(0.0, 2.0, 40), rater=name, per_document=4)
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
    table = joined(judged(d), judged(d + rng.normal(0.0, 2.0, 20), rater="bob"))
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
    row = look(new_plan(tmp_path), judged(d, per_document=8)).pairs[0]
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
            "The claim is about these 3 raters; a plan with raters as its unit, or with",
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
    table = judged(differences_with((50, 1.9)), rater=None)
    notes = look(new_plan(tmp_path), table).notes
    assert not [note for note in notes if "rater" in note]
