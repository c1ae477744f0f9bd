"""Admission: work counts by its control items, once and for all, before a look sees it."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from detectable.core.errors import DataError, InputError
from detectable.data.files.ledger_file import append_entry, read_entries
from detectable.data.human.judgments import Judgments
from detectable.sequential.design import design
from detectable.study.monitoring.admission import (
    admit,
    checked_admission,
    decide_work,
    symmetric_pairs,
)
from detectable.study.monitoring.conclude import conclude
from detectable.study.monitoring.look import look
from detectable.study.monitoring.plan import read_plan
from detectable.study.monitoring.plan_history import plan_history
from detectable.study.raters.rater_check import check_rater
from tests.study.monitoring.plan_tables import Table, differences_with, files, joined, new_plan

RULE = {"rule": "degraded-paired-t", "alpha": 0.05, "pairs": 4, "few": "refuse"}


def work(
    rater: str, differences: Any, *, first: int, controls: int = 4, drop: float = 20.0
) -> Table:
    """Return one rater's judgments of both systems, the first items with degraded copies."""
    table: Table = {name: [] for name in ("system", "item", "rater", "kind", "score")}
    for i, difference in enumerate(np.asarray(differences, dtype=float).tolist()):
        rows = [("new", "system", 50 + difference / 2), ("old", "system", 50 - difference / 2)]
        if i < controls:  # copies of either system in turn
            system, _, score = rows[i % 2]
            rows.append((system, "degraded", score - drop - i))
        for system, kind, score in rows:
            values = (system, f"i{first + i}", rater, kind, score)
            for name, value in zip(table, values, strict=True):
                table[name].append(value)
    return table


def three_raters(n: int = 20) -> Table:
    """Return a careful rater, a careless one, and one with too few controls so far."""
    d = differences_with((n, 1.0))
    return joined(
        work("ann", d, first=0),
        work("bob", d + 30.0, first=100, drop=-20.0),
        work("cho", d + 3.0, first=200, controls=2),
    )


def test_only_work_that_passed_is_looked_at(tmp_path: Path) -> None:
    frozen = new_plan(tmp_path, admission=RULE)
    assert "has scored 4 degraded copies below" in frozen.summary()
    found = look(frozen, three_raters())
    alone = differences_with((20, 1.0))
    assert found.pairs[0].n_units == 20
    assert found.pairs[0].estimate == pytest.approx(alone.mean())
    assert found.judgments == 40
    assert found.notes[0] == (
        "Admitted by their control items: 40 of 120 judgments; 40 refused, 40 wait for more "
        "control items."
    )


def test_the_ledger_says_who_was_admitted_before_the_look(tmp_path: Path) -> None:
    frozen = new_plan(tmp_path, admission=RULE)
    look(frozen, three_raters())
    _, first, second = read_entries(frozen.ledger_path)
    assert (first["event"], second["event"]) == ("admission", "look")
    assert second["previous"] == first["fingerprint"]
    raters = {row["rater"]: row for row in first["raters"]}
    assert {name: row["outcome"] for name, row in raters.items()} == {
        "ann": "admitted",
        "bob": "refused",
        "cho": "waiting",
    }
    assert [raters[name]["n_pairs"] for name in ("ann", "bob", "cho")] == [4, 4, 2]
    assert raters["ann"]["n_judgments"] == 40
    assert raters["ann"]["p_value"] < 0.05 < raters["bob"]["p_value"]
    assert raters["cho"]["p_value"] is None
    history = plan_history(frozen)
    assert history.n_looks == 1
    assert [(row.look, row.rater, row.outcome) for row in history.admissions] == [
        (1, "ann", "admitted"),
        (1, "bob", "refused"),
        (1, "cho", "waiting"),
    ]
    assert [row.n_pairs for row in history.admissions] == [4, 4, 2]


def test_what_was_decided_stays_decided(tmp_path: Path) -> None:
    frozen = new_plan(tmp_path, admission=RULE)
    table = three_raters()
    look(frozen, table)
    # Ann turns careless and Bob careful: only the new work of either is decided anew.
    d = differences_with((10, 0.5))
    more = joined(
        table,
        work("ann", d, first=300, drop=-20.0),
        work("bob", d + 1.0, first=400),
        work("cho", d, first=500, controls=2),
    )
    found = look(frozen, more)
    outcomes = {r["rater"]: r["outcome"] for r in read_entries(frozen.ledger_path)[3]["raters"]}
    assert outcomes == {"ann": "refused", "bob": "admitted", "cho": "admitted"}
    assert [row.look for row in plan_history(frozen).admissions] == [1, 1, 1, 2, 2, 2]
    # Ann's 20, Bob's new 10, all 30 of Cho, whose two halves hold four controls
    assert found.pairs[0].n_units == 60
    assert found.look == 2
    assert found.new_judgments == 80


def test_new_work_that_is_not_admitted_is_nothing_new(tmp_path: Path) -> None:
    frozen = new_plan(tmp_path, admission=RULE)
    table = three_raters()
    look(frozen, table)
    before = files(tmp_path)
    more = joined(table, work("dan", [1.0, 2.0, 3.0, 4.0], first=300, drop=-20.0))
    with pytest.raises(DataError, match="no more work is admitted since look 1"):
        look(frozen, more)
    assert files(tmp_path) == before


def test_open_work_without_any_copy_waits(tmp_path: Path) -> None:
    frozen = new_plan(tmp_path, admission=RULE)
    table = work("ann", differences_with((20, 1.0)), first=0)
    look(frozen, table)
    d = [1.0, 2.0, 3.0]
    more = [work(name, d, first=n, controls=0) for name, n in (("bob", 100), ("cho", 200))]
    found = look(frozen, joined(table, *more), final=True)
    assert found.decision == "stop: undecided"
    rows = read_entries(frozen.ledger_path)[3]["raters"]
    assert [(r["rater"], r["n_pairs"], r["outcome"]) for r in rows] == [
        ("bob", 0, "refused"),
        ("cho", 0, "refused"),
    ]


def test_a_crash_between_admission_and_look_loses_nothing(tmp_path: Path) -> None:
    frozen = new_plan(tmp_path, admission=RULE)
    look(frozen, three_raters())
    entries = read_entries(frozen.ledger_path)
    (tmp_path / "b").mkdir()
    other = new_plan(tmp_path / "b", admission=RULE)
    earlier = read_entries(other.ledger_path)
    append_entry(other.ledger_path, {**entries[1], "plan": other.fingerprint}, earlier)
    assert plan_history(other).n_looks == 0
    found = look(other, three_raters())
    assert (found.look, found.pairs[0].n_units, found.new_judgments) == (1, 20, 40)
    assert [e["event"] for e in read_entries(other.ledger_path)] == [
        *("plan", "admission", "admission", "look"),
    ]


def test_rows_never_leave(tmp_path: Path) -> None:
    frozen = new_plan(tmp_path, admission=RULE)
    table = three_raters()
    look(frozen, table)
    more = joined(table, work("dan", differences_with((10, 0.5)), first=300))
    before = files(tmp_path)
    for rater, kind in (("bob", "system"), ("ann", "degraded"), ("cho", "degraded")):
        keep = [
            i
            for i in range(len(more["score"]))
            if (more["rater"][i], more["kind"][i]) != (rater, kind)
        ]
        less = {name: [values[i] for i in keep] for name, values in more.items()}
        with pytest.raises(DataError, match=r"earlier looks saw other data: .* gone"):
            look(frozen, less)
    assert files(tmp_path) == before
    look(frozen, more)


@pytest.mark.parametrize(("few", "n_units"), [("refuse", 20), ("admit", 40)])
def test_the_rest_is_decided_at_the_end(tmp_path: Path, few: str, n_units: int) -> None:
    frozen = new_plan(tmp_path, admission={**RULE, "few": few})
    found = look(frozen, three_raters(), final=True)
    assert found.pairs[0].n_units == n_units
    assert "wait" not in found.notes[0]


def test_the_conclusion_adds_all_work_and_decides_without_it(tmp_path: Path) -> None:
    frozen = new_plan(tmp_path, admission=RULE)
    table = three_raters()
    look(frozen, table, final=True)
    made = conclude(frozen)
    assert made.pairs[0].n_units == 20
    assert made.pairs[0].verdict == "undecided"
    one = made.intention_to_rate[0]
    d = differences_with((20, 1.0))
    assert one.n_units == 60
    assert one.estimate == pytest.approx(np.concatenate([d, d + 30.0, d + 3.0]).mean())
    assert one.interval is not None
    assert one.interval.low < one.estimate < one.interval.high
    line = made.summary().splitlines()[1]
    assert line.startswith("With all work, admitted or not, new against old: +")
    assert line.endswith(" in 60 items; not part of the decision.")
    assert (
        json.loads(frozen.conclusion_path.read_text())["intention_to_rate"][0]["n_units"] == 60
    )


def test_late_work_is_admitted_by_the_same_rule(tmp_path: Path) -> None:
    frozen = new_plan(tmp_path, admission=RULE)
    d = differences_with((50, 3.6))
    table = work("ann", d, first=0)
    assert look(frozen, table).decision == "stop: better"
    late = differences_with((5, 1.0))
    more = joined(
        table,
        work("ann", late, first=300),
        work("bob", late, first=400, drop=-20.0),
        work("cho", late, first=500, controls=1),
    )
    made = conclude(frozen, more)
    assert made.pairs[0].n_units == 55
    assert made.intention_to_rate[0].n_units == 65


def test_bets_have_no_interval_of_all_work(tmp_path: Path) -> None:
    frozen = new_plan(tmp_path, None, test="e-process", admission=RULE)
    look(frozen, three_raters(), final=True)
    one = conclude(frozen).intention_to_rate[0]
    assert (one.n_units, one.interval) == (60, None)


def test_without_a_rule_all_work_counts(tmp_path: Path) -> None:
    frozen = new_plan(tmp_path)
    found = look(frozen, three_raters(), final=True)
    assert found.pairs[0].n_units == 60
    assert [e["event"] for e in read_entries(frozen.ledger_path)] == ["plan", "look"]
    assert conclude(frozen).intention_to_rate == ()


def test_the_rule_is_frozen_with_its_defaults(tmp_path: Path) -> None:
    frozen = new_plan(tmp_path, admission="symmetric")
    content = json.loads(Path(frozen.path).read_text())
    assert content["admission"] == {
        "rule": "symmetric",
        "alpha": 0.05,
        "pairs": 10,
        "few": "refuse",
    }
    assert read_plan(frozen.path).admission == content["admission"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"admission": "wmt"}, "`admission` must be one of degraded-paired-t, symmetric"),
        ({"admission": {"alpha": 0.1}}, "`admission` must be a rule, or hold rule"),
        ({"admission": {**RULE, "level": 1}}, "`admission` must be a rule, or hold rule"),
        ({"admission": {**RULE, "pairs": 1}}, "`admission pairs` must"),
        ({"admission": {**RULE, "alpha": 1.5}}, "`admission alpha` must"),
        ({"admission": {**RULE, "few": "keep"}}, "`admission few` must"),
        ({"admission": RULE, "test": "preference"}, "which preferences have none of"),
        ({"admission": RULE, "test": "sign-flip"}, "must be symmetric for the test sign-flip"),
    ],
)
def test_rules_that_cannot_be(tmp_path: Path, options: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        new_plan(tmp_path, **options)


def test_two_pairs_are_the_fewest(tmp_path: Path) -> None:
    frozen = new_plan(tmp_path, admission={**RULE, "pairs": 2})
    assert frozen.admission is not None
    assert frozen.admission["pairs"] == 2


def test_data_without_controls_or_raters_are_refused(tmp_path: Path) -> None:
    frozen = new_plan(tmp_path, admission=RULE)
    plain = work("ann", differences_with((20, 1.0)), first=0, controls=0)
    with pytest.raises(DataError, match="admits work by degraded copies, and none is here"):
        look(frozen, plain)
    nobody = {name: values for name, values in three_raters().items() if name != "rater"}
    with pytest.raises(InputError, match="there is no rater"):
        look(frozen, nobody)
    refused = work("bob", differences_with((20, 1.0)), first=0, drop=-20.0)
    with pytest.raises(DataError, match=r"no work is admitted yet: .* 1 rater was refused"):
        look(frozen, refused)
    assert len(read_entries(frozen.ledger_path)) == 1  # a look that is refused writes nothing


def test_no_spread_is_not_passed() -> None:
    same = np.array([50.0] * 5)
    outcome, p = decide_work({**RULE, "pairs": 5}, same, same - 10.0, ending=False)
    assert outcome == "refused"
    assert math.isnan(p)
    outcome, _ = decide_work({**RULE, "pairs": 5}, same, same - 10.0, ending=False, lowest=0.0)
    assert outcome == "refused"


def test_who_never_chooses_a_copy_passes() -> None:
    """Of choices ½ is the mean of two systems: without any spread, and as clear as can be."""
    halves, none = np.full(6, 0.5), np.zeros(6)
    rule = {**RULE, "pairs": 6}
    assert decide_work(rule, halves, none, ending=False, lowest=0.0) == ("admitted", 0.0)
    assert decide_work(rule, halves, halves, ending=False, lowest=0.0)[0] == "refused"  # ties
    assert decide_work(rule, none, none, ending=False, lowest=0.0)[0] == "refused"
    assert decide_work(rule, halves, none, ending=False)[0] == "refused"


def test_the_symmetric_rule_is_blind_to_the_names() -> None:
    rng = np.random.default_rng(3)
    table = work("ann", rng.normal(0.0, 10.0, 12), first=0, controls=6)
    swapped = {
        **table,
        "system": [{"new": "old", "old": "new"}[name] for name in table["system"]],
    }
    found = [
        symmetric_pairs(Judgments.build(columns), ("new", "old"))[0]
        for columns in (table, swapped)
    ]
    assert np.allclose(found[0][0], found[1][0])
    assert np.allclose(found[0][1], found[1][1])
    assert found[0][0].tolist() == pytest.approx([50.0] * 6)
    # An item that was not judged for both systems says nothing.
    gone = [i for i in range(len(table["item"])) if not (i < 3 and table["system"][i] == "old")]
    part = {name: [values[i] for i in gone] for name, values in table.items()}
    assert symmetric_pairs(Judgments.build(part), ("new", "old"))[0][0].size == 5


# --- Documents that are copied whole: lines of a copy are compared with each other ---

BESIDE = {**RULE, "pairs": 6, "against": "neighbours"}


def documents(rater: str, *, copy: float, degraded: float, seed: int = 1) -> Table:
    """Return both systems of six documents and copies of both, whose scores fall."""
    rng = np.random.default_rng(seed)
    kinds = ("degraded", "repeat", "reference", "repeat")
    names = ("system", "item", "document", "rater", "kind", "score")
    table: Table = {name: [] for name in names}
    for d in range(6):
        for system in ("new", "old"):
            order = [kinds[i] for i in rng.permutation(4).tolist()]
            for place, kind in enumerate((*("system",) * 4, *order)):
                fall = copy * (place > 3) + degraded * (kind == "degraded")
                score = 70 - fall + rng.normal(0, 4)
                values = (
                    system,
                    f"{rater}-{d}-{place % 4}",
                    f"{rater}-{d}",
                    rater,
                    kind,
                    score,
                )
                for name, value in zip(table, values, strict=True):
                    table[name].append(value)
    return table


@pytest.mark.parametrize("rule", ["degraded-paired-t", "symmetric"])
def test_who_scores_copies_low_as_a_whole_is_refused_beside_neighbours(
    tmp_path: Path, rule: str
) -> None:
    both = joined(
        documents("ann", copy=0.0, degraded=25.0), documents("bob", copy=30.0, degraded=0.0)
    )
    found = {}
    for name, admission in (("all", RULE), ("beside", BESIDE)):
        folder = tmp_path / name
        folder.mkdir()
        frozen = new_plan(folder, n_max=60, admission={**admission, "rule": rule})
        look(frozen, both)
        _, first, _ = read_entries(frozen.ledger_path)
        found[name] = {row["rater"]: row["outcome"] for row in first["raters"]}
    assert found["all"] == {"ann": "admitted", "bob": "admitted"}
    assert found["beside"] == {"ann": "admitted", "bob": "refused"}


def test_the_symmetric_rule_is_blind_to_the_names_beside_neighbours_too() -> None:
    table = documents("ann", copy=5.0, degraded=20.0)
    swapped = {
        **table,
        "system": [{"new": "old", "old": "new"}[name] for name in table["system"]],
    }
    (one, other), (same, again) = (
        symmetric_pairs(Judgments.build(columns), ("new", "old"), against="neighbours")[0]
        for columns in (table, swapped)
    )
    assert one.size > 6
    assert np.allclose(one, same)
    assert np.allclose(other, again)


def test_a_plan_says_what_copies_are_compared_with_where_it_is_not_the_original(
    tmp_path: Path,
) -> None:
    frozen = new_plan(tmp_path, admission=BESIDE)
    assert read_plan(frozen.path).admission == BESIDE
    assert "6 degraded copies further below their originals than the lines" in frozen.summary()
    usual = checked_admission({**BESIDE, "against": "original"}, "paired-mean")
    assert usual == {**RULE, "pairs": 6}  # as plans were frozen before there was a choice
    with pytest.raises(InputError, match="`admission against` must be one of original, neigh"):
        checked_admission({**BESIDE, "against": "other"}, "paired-mean")


def test_the_symmetric_rule_decides_too(tmp_path: Path) -> None:
    frozen = new_plan(tmp_path, test="sign-flip", admission={**RULE, "rule": "symmetric"})
    found = look(frozen, three_raters())
    assert found.pairs[0].n_units == 20


def test_a_copy_that_scored_as_its_original_is_told_apart() -> None:
    table = work("ann", [0.0] * 6, first=0, controls=6, drop=0.0)
    judgments = Judgments.build(table)
    made = admit(RULE, judgments, ("new", "old"), (), ending=False)
    again = admit(RULE, judgments, ("new", "old"), (made.entry(),), ending=False)
    assert made.outcome.tolist() == again.outcome.tolist()
    assert not again.raters


def test_copies_of_one_system_only_are_named(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    table = work("ann", differences_with((30, 1.0)), first=0, controls=12)
    for i, kind in enumerate(table["kind"]):
        if kind == "degraded":
            table["system"][i] = "new"
            table["score"][i] = table["score"][i - 2] - 20.0 - i % 4  # new, old, copy of new
    found = look(new_plan(tmp_path / "a", admission=RULE), table)
    assert any("Of 12 degraded copies 12 are of new" in note for note in found.notes)
    rule = {**RULE, "rule": "symmetric"}  # which does not mind
    found = look(new_plan(tmp_path / "b", admission=rule), table)
    assert not any("degraded copies" in note for note in found.notes[1:2])
    balanced = work("ann", differences_with((30, 1.0)), first=0, controls=12)
    (tmp_path / "c").mkdir()
    found = look(new_plan(tmp_path / "c", admission=RULE), balanced)
    assert not any("Of 12 degraded" in note for note in found.notes)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rule", "true", "low", "high"),
    [
        ("all", 0.0, 0.0, 0.05),
        ("degraded-paired-t", 0.0, 0.0, 0.05),
        ("symmetric", 0.0, 0.0, 0.05),
        ("all", 1.2, 0.3, 0.55),
        ("degraded-paired-t", 1.2, 0.8, 1.0),
    ],
)
def test_error_rate_and_power(rule: str, true: float, low: float, high: float) -> None:
    rate, runs = admitted_rate(rule, true)
    error = math.sqrt(0.05 * 0.95 / runs)
    assert low <= rate <= high + (2.5 * error if true == 0.0 else 0.0)


def admitted_rate(rule: str, true: float, *, runs: int = 1500, seed: int = 5) -> Any:
    """Return how often 10 looks find a difference, and the runs.

    60 checkpoints of 50 items for both systems, 10 degraded copies each, of either system by a
    coin; of 12 raters a third click at random.
    """
    rng = np.random.default_rng([seed, int(10 * true), len(rule)])
    bounds = np.array(design("hsd", looks=10).z)
    hits = 0
    for _ in range(runs):
        careful = np.tile(rng.random(12) < 2 / 3, 5)[:, None]
        item = rng.normal(70.0, 12.0, (60, 50))

        def judged(quality: Any, careful: Any = careful) -> Any:
            noisy = np.clip(quality + rng.normal(0.0, 10.0, quality.shape), 0, 100)
            return np.where(careful, noisy, rng.uniform(0, 100, quality.shape))

        a, b = judged(item + true), judged(item)
        original = np.where(rng.random((60, 10)) < 0.5, a[:, :10], b[:, :10])
        copy = np.clip(original - 15.0 + rng.normal(0.0, 14.0, (60, 10)), 0, 100)
        copy = np.where(careful, copy, rng.uniform(0, 100, copy.shape))
        against = (a[:, :10] + b[:, :10]) / 2 if rule == "symmetric" else original
        kept = np.ones(60, dtype=bool)
        if rule != "all":
            tests = (
                check_rater(o, g, "paired-t", 0.05).p_value
                for o, g in zip(against, copy, strict=True)
            )
            kept = np.array([p <= 0.05 for p in tests])
        d = a - b
        for k in range(10):
            seen = d[: 6 * (k + 1)][kept[: 6 * (k + 1)]].ravel()
            if seen.size and abs(seen.mean()) >= bounds[k] * seen.std(ddof=1) / seen.size**0.5:
                hits += 1
                break
    return hits / runs, runs
