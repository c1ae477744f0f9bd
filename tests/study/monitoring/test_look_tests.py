"""Anytime-valid plans: bets go on from look to look, and no item counts twice."""

import functools
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from detectable.core.errors import DataError
from detectable.inference.shares import PairedShares
from detectable.sequential.e_process import EProcess
from detectable.sequential.look_statistic import look_boundaries, paired_mean, paired_shares
from detectable.sequential.preference_process import PreferenceProcess
from detectable.study.monitoring.conclude import conclude
from detectable.study.monitoring.ledger import LedgerState
from detectable.study.monitoring.look import look
from detectable.study.monitoring.look_tests import DOCUMENT_BETS, margin_claim
from detectable.study.monitoring.plan import plan
from tests.study.monitoring.plan_tables import Table, joined, judged, new_plan, reordered


def differences(n: int, mean: float = 0.0, seed: int = 1) -> np.ndarray:
    return np.clip(np.random.default_rng(seed).normal(mean, 15.0, n), -90, 90)


def test_one_look_or_many_make_the_same_wealth(tmp_path: Path) -> None:
    d = differences(90, 3.0)
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    one, many = (new_plan(tmp_path / x, None, test="e-process") for x in "ab")
    look(one, judged(d))
    looks = [look(many, judged(d[:n])) for n in (20, 50, 90)]
    process = EProcess(alpha=0.05)
    process.update_many(d)
    for frozen in (one, many):
        state = look_state(frozen.ledger_path)
        assert state["n"] == 90
        # the order of bets differs, the wealth at the end does not
        assert state["log_now"][0] == pytest.approx(process.log_e)
    assert looks[-1].decision == "continue"
    assert looks[-1].judgments_planned is None
    assert looks[-1].pairs[0].estimate == pytest.approx(d.mean())


def look_state(path: Path) -> dict[str, Any]:
    entry = json.loads(path.read_text().splitlines()[-1])
    state: dict[str, Any] = entry["states"]["new | old"]["process"]
    return state


def test_an_item_counts_once_whoever_judges_it_again(tmp_path: Path) -> None:
    frozen = new_plan(tmp_path, None, test="e-process")
    d = differences(40)
    look(frozen, judged(d))
    again = joined(
        judged(d), judged(d + 5.0, rater="bob"), judged(d[:3], rater="bob", first=40)
    )
    found = look(frozen, again)
    assert found.pairs[0].n_units == 43
    assert any("80 judgments of a pair came after their item" in note for note in found.notes)


def test_the_order_of_rows_plays_no_part(tmp_path: Path) -> None:
    d = np.sort(differences(80))  # a file sorted by score would make the wealth rise and fall
    folders = [tmp_path / x for x in "ab"]
    peaks = []
    for folder, table in zip(folders, (judged(d), reordered(judged(d))), strict=True):
        folder.mkdir()
        frozen = new_plan(folder, None, test="e-process")
        peaks.append(look(frozen, table).pairs[0].e_value)
    assert peaks[0] == pytest.approx(peaks[1])


def test_a_stop_and_its_conclusion(tmp_path: Path) -> None:
    frozen = new_plan(tmp_path, None, test="e-process")
    found = look(frozen, judged(differences(150, 12.0)))
    assert found.decision == "stop: better"
    row = found.pairs[0]
    assert row.e_value is not None
    assert row.e_value >= 20.0
    pair = conclude(frozen).pairs[0]
    assert pair.verdict == "better"
    assert pair.p_value == pytest.approx(1.0 / row.e_value)
    assert pair.p_adjusted == pair.p_value
    assert pair.method == "confidence sequence"


def test_preferences_without_an_end(tmp_path: Path) -> None:
    frozen = new_plan(tmp_path, None, test="e-preference")
    winners = ["new"] * 9 + ["old", "tie"]
    table: Table = {"item": list(range(330)), "winner": winners * 30}
    found = look(frozen, table)
    assert found.decision == "stop: better"
    process = PreferenceProcess(alpha=0.05)
    process.update_many(np.repeat([1, -1, 0], [270, 30, 30]))
    assert found.pairs[0].n_units == 330
    assert found.pairs[0].estimate == pytest.approx(240 / 330)


def test_several_pairs_by_e_holm(tmp_path: Path) -> None:
    frozen = plan(tmp_path / "p.json", systems=["A", "B", "C"], baseline="A", test="e-process")
    d = differences(200, 0.0)
    table = judged(d, systems=("B", "A"), rater=None)
    third: Table = {"system": ["C"] * 200, "item": table["item"][::2]}
    third["score"] = [min(100.0, s + 20.0) for s in table["score"][1::2]]
    third["score"] = [
        s + e for s, e in zip(third["score"], differences(200, 0, 2), strict=True)
    ]
    third["score"] = np.clip(third["score"], 0, 100).tolist()
    found = look(frozen, joined(table, third))
    rows = {row.pair: row for row in found.pairs}
    assert rows["C", "A"].decision == "stop: better"
    assert rows["B", "A"].decision == "continue"
    look(frozen, joined(table, third), final=True)
    pairs = {p.system: p for p in conclude(frozen).pairs}
    assert pairs["C"].verdict == "better"
    assert pairs["C"].p_adjusted <= 0.05
    assert pairs["B"].verdict == "undecided"
    assert pairs["B"].p_adjusted > 0.05


@pytest.mark.slow
def test_false_alarms_when_looking_after_every_batch(tmp_path: Path) -> None:
    # 60 plans of 10 looks each; 5 % would be 3 false alarms, and the bets are less than that.
    rng = np.random.default_rng(3)
    wrong = 0
    for run in range(60):
        folder = tmp_path / str(run)
        folder.mkdir()
        frozen = new_plan(folder, None, test="e-process")
        d = np.clip(rng.normal(0.0, 25.0, 200), -100, 100)
        for n in range(20, 201, 20):
            if look(frozen, judged(d[:n])).decision != "continue":
                wrong += 1
                break
    assert wrong <= 3 + 2.5 * (60 * 0.05 * 0.95) ** 0.5


def test_an_end_does_not_fix_the_times_of_looks(tmp_path: Path) -> None:
    frozen = new_plan(tmp_path, 100, test="e-process")
    d = differences(100, 1.0)
    for n in (7, 23, 100):
        assert look(frozen, judged(d[:n])).pairs[0].n_units == n


def documents(n: int, size: int, *, between: float, mean: float = 0.0, seed: int = 1) -> Any:
    """Return differences of n documents of a size, with an effect of each document."""
    rng = np.random.default_rng(seed)
    effects = rng.normal(mean, between, (n, 1))
    return np.clip(effects + rng.normal(0.0, 15.0, (n, size)), -90, 90)


def test_a_document_is_one_bet_on_its_mean(tmp_path: Path) -> None:
    d = documents(60, 4, between=10.0, mean=6.0)
    frozen = new_plan(tmp_path, None, test="e-process")
    found = look(frozen, judged(d[:25].ravel(), per_document=4))
    assert (found.unit, found.pairs[0].n_units, found.pairs[0].n_clusters) == (
        *("document", 100, 25),
    )
    row = look(frozen, judged(d.ravel(), per_document=4)).pairs[0]
    assert (row.n_units, row.n_clusters) == (240, 60)
    process = EProcess(alpha=0.05, bets=DOCUMENT_BETS)
    process.update_many(d.mean(axis=1))
    state = look_state(frozen.ledger_path)
    assert state["n"] == 60
    assert state["log_now"][0] == pytest.approx(process.log_e)  # in whatever order
    assert row.estimate == pytest.approx(d.mean())
    # no end: the band is narrowest at half of 1,000 items, that is, of 250 documents
    band = json.loads(frozen.ledger_path.read_text().splitlines()[-1])["states"]["new | old"]
    assert (band["band"]["tightest_at"], band["items"]) == (125.0, 240)


def test_documents_count_alike(tmp_path: Path) -> None:
    frozen = new_plan(tmp_path, None, test="e-process")
    table = joined(
        judged([10.0, 30.0, 20.0, 0.0], per_document=4), judged([5.0], per_document=4, first=4)
    )
    found = look(frozen, table)
    assert found.pairs[0].estimate == pytest.approx((15.0 + 5.0) / 2)
    assert "Documents count alike, each with the mean difference of its items." in found.notes
    assert not any("held only roughly" in note for note in found.notes)


def test_differences_at_the_bounds_stay_within_them(tmp_path: Path) -> None:
    frozen = new_plan(tmp_path, None, test="e-process", scale=(0.0, 0.1))
    table = judged([0.1] * 60, per_document=3)
    table["score"] = [0.1 if system == "new" else 0.0 for system in table["system"]]
    assert look(frozen, table).decision == "stop: better"


def test_a_document_counts_once_with_what_was_judged_by_then(tmp_path: Path) -> None:
    frozen = new_plan(tmp_path, None, test="e-process")
    d = documents(10, 4, between=5.0)
    flat = d.ravel()
    look(frozen, judged(flat[:38], per_document=4))  # the last document lacks two items
    found = look(
        frozen,
        joined(judged(flat, per_document=4), judged([3.0] * 4, per_document=4, first=40)),
    )
    assert (found.pairs[0].n_units, found.pairs[0].n_clusters) == (42, 11)
    assert any("4 judgments of a pair came after their document" in n for n in found.notes)


def test_the_end_of_a_plan_counts_items_also_with_documents(tmp_path: Path) -> None:
    frozen = new_plan(tmp_path, 40, test="e-process")
    d = documents(10, 4, between=5.0).ravel()
    assert look(frozen, judged(d[:20], per_document=4)).decision == "continue"
    with pytest.raises(DataError, match="have 44 items, and the plan ends at 40"):
        look(frozen, judged([*d, *d[:4]], per_document=4))
    found = look(frozen, judged(d, per_document=4))
    assert (found.decision, found.pairs[0].information) == ("stop: undecided", 1.0)


def test_items_of_documents_can_still_be_bet_on_one_by_one(tmp_path: Path) -> None:
    frozen = new_plan(tmp_path, None, test="e-process", unit="item")
    found = look(frozen, judged(documents(10, 4, between=5.0).ravel(), per_document=4))
    assert (found.unit, found.pairs[0].n_units, found.pairs[0].n_clusters) == ("item", 40, None)


@pytest.mark.slow
@pytest.mark.parametrize(("between", "size"), [(12.0, 10), (30.0, 5)])
def test_false_alarms_with_strong_document_effects(between: float, size: int) -> None:
    # Watched after every document, to the 400th. As single items they err in .6 of the runs.
    rng = np.random.default_rng(5)
    runs, wrong, as_items = 1000, 0, 0
    for _ in range(runs):
        d = rng.normal(0.0, between, (400, 1)) + rng.normal(0.0, 15.0, (400, size))
        d = np.clip(d, -100, 100)
        of_documents, of_items = EProcess(bets=DOCUMENT_BETS), EProcess()
        of_documents.update_many(d.mean(axis=1))
        of_items.update_many(d.ravel())
        wrong += of_documents.decided_at is not None
        as_items += of_items.decided_at is not None
    assert wrong / runs <= 0.05
    assert as_items / runs > 0.5


# --- Margins on scores of 0 and 1, with looks: by the score statistic, from plan to conclusion ---

NOTE = "All scores are 0 or 100: the margin is tested by Tango's score statistic"


def answered(
    fixed: int, broken: int, n: int, *, high: float = 100.0, per_document: int | None = None
) -> Table:
    """Return right and wrong answers of two systems to n items, the items that differ first."""
    d = np.repeat([1, -1, 0], [fixed, broken, n - fixed - broken])
    new = np.where(d > 0, high, np.where(d < 0, 0.0, high))
    old = np.where(d > 0, 0.0, high)
    table: Table = {
        "system": ["new"] * n + ["old"] * n,
        "item": [f"i{i}" for i in range(n)] * 2,
        "score": [*new.tolist(), *old.tolist()],
    }
    if per_document is not None:
        table["document"] = [f"d{i // per_document}" for i in range(n)] * 2
    return table


@pytest.mark.parametrize("claim", ["equivalent", "non-inferior"])
def test_a_margin_is_decided_by_the_score_statistic(tmp_path: Path, claim: str) -> None:
    # At the end of a plan with one look the boundary is z_.95: p against .05 decides.
    for broken, margin in ((1, 2.0), (1, 2.8), (3, 3.6), (3, 3.9), (0, 1.3), (0, 1.4)):
        shares = PairedShares(0, broken, 200, span=100.0)
        p = shares.equivalence_p(margin)
        assert p == shares.noninferiority_p(margin)
        folder = tmp_path / f"{claim}{broken}{margin}"
        folder.mkdir()
        frozen = new_plan(folder, 200, claim=claim, margin=margin, looks=1, family="pocock")
        made = look(frozen, answered(0, broken, 200))
        shown = "stop: equivalent" if claim == "equivalent" else "stop: non-inferior"
        assert made.pairs[0].decision == (shown if p <= 0.05 else "stop: undecided")
        assert any(note.startswith(NOTE) for note in made.notes)


def test_wald_would_have_claimed_what_the_score_statistic_does_not(tmp_path: Path) -> None:
    frozen = new_plan(tmp_path, 200, claim="equivalent", margin=2.0, looks=1, family="pocock")
    d = np.repeat([-100.0, 0.0], [1, 199])
    bound = float(stats.norm.isf(0.05))
    assert margin_claim(frozen, paired_mean(d), bound) == "stop: equivalent"
    assert margin_claim(frozen, paired_shares(d, span=100.0), bound) is None


def test_documents_are_clusters(tmp_path: Path) -> None:
    frozen = new_plan(tmp_path, 120, claim="equivalent", margin=30.0, looks=1, family="pocock")
    pair = look(frozen, answered(3, 2, 120, per_document=10)).pairs[0]
    shares = PairedShares.of_clusters([3, *[0] * 11], [2, *[0] * 11], [10] * 12, span=100.0)
    assert pair.shares == shares
    assert (pair.n_clusters, pair.df) == (12, shares.df)
    assert pair.decision == "stop: equivalent"
    assert (
        shares.equivalence_p(30.0) < 0.05 < PairedShares(3, 2, 12, span=100).equivalence_p(30)
    )


def test_other_scores_and_other_claims_are_means_as_before(tmp_path: Path) -> None:
    rated = answered(2, 3, 60)
    rated["score"][-1] = 50.0
    for name, table, options in (
        ("a point between", rated, {"claim": "equivalent", "margin": 9.0}),
        ("no margin", answered(2, 3, 60), {}),
        (
            "another scale",
            answered(2, 3, 60, high=1.0),
            {"claim": "equivalent", "margin": 9.0},
        ),
    ):
        folder = tmp_path / name
        folder.mkdir()
        made = look(new_plan(folder, 100, **options), table)
        assert made.pairs[0].shares is None
        assert "shares" not in made.to_dict()["pairs"][0]
        assert not any("Tango" in note for note in made.notes)


def test_the_interval_of_a_look_stays_on_the_scale(tmp_path: Path) -> None:
    options: dict[str, Any] = {"claim": "equivalent", "margin": 0.1, "scale": (0.0, 1.0)}
    pair = look(new_plan(tmp_path, 400, **options), answered(0, 18, 20, high=1.0)).pairs[0]
    assert pair.interval is not None
    assert -1.0 < pair.interval.low < -0.9 < pair.interval.high < 1.0
    assert pair.estimate == -0.9


def test_nothing_that_differs_is_no_certainty(tmp_path: Path) -> None:
    frozen = new_plan(tmp_path, 400, claim="equivalent", margin=5.0)
    first = look(frozen, answered(0, 0, 40)).pairs[0]
    assert (first.decision, first.estimate, first.z) == ("continue", 0.0, 0.0)
    assert first.interval is not None
    assert first.interval.low == -first.interval.high < -5.0
    last = look(frozen, answered(0, 0, 300)).pairs[0]
    assert last.decision == "stop: equivalent"


@pytest.mark.parametrize("claim", ["equivalent", "non-inferior"])
@pytest.mark.parametrize("per_document", [None, 4])
def test_the_conclusion_has_the_interval_that_made_the_claim(
    tmp_path: Path, claim: str, per_document: int | None
) -> None:
    frozen = new_plan(tmp_path, 400, claim=claim, margin=12.0)
    pair = look(frozen, answered(1, 2, 400, per_document=per_document)).pairs[0]
    assert pair.shares is not None
    assert LedgerState.read(frozen).history[pair.pair][-1] == pair  # as it was written
    ended = conclude(frozen).pairs[0]
    assert ended.verdict == ("equivalent" if claim == "equivalent" else "non-inferior")
    bound = float(pair.z_margin or 0.0)
    critical = (
        bound
        if per_document is None
        else float(stats.t.isf(stats.norm.sf(bound), pair.shares.df))
    )
    low, high = pair.shares.limits(critical)
    assert ended.interval is not None
    assert ended.interval.low == pytest.approx(low, rel=1e-9)
    assert ended.interval.high == pytest.approx(high, rel=1e-9)
    assert ended.interval.level == pytest.approx(0.9)
    assert low >= -12.0


def test_late_answers_can_take_a_claim_back(tmp_path: Path) -> None:
    frozen = new_plan(tmp_path, 300, claim="non-inferior", margin=3.0)
    late = answered(0, 0, 300)
    assert look(frozen, late).pairs[0].decision == "stop: non-inferior"
    more = answered(0, 30, 340)
    for name, values in late.items():  # the items of before, as they were
        more[name] = [*values[:300], *more[name][:40], *values[300:], *more[name][340:380]]
    more["item"] = [*late["item"][:300], *[f"j{i}" for i in range(40)]] * 2
    pair = conclude(frozen, more).pairs[0]
    assert (pair.verdict, pair.overrun_units) == ("undecided", 40)
    assert pair.interval is not None
    assert pair.interval.low < -3.0


@pytest.mark.slow
def test_false_claims_at_the_margin_over_five_looks_at_documents(tmp_path: Path) -> None:
    n_max, size, broken, fixed, runs = 500, 5, 0.06, 0.01, 600
    plan = new_plan(tmp_path, n_max, claim="non-inferior", margin=100.0 * (broken - fixed))
    sizes = [n_max * k // 5 for k in range(1, 6)]
    one_sided = plan.design_at(0.05, sided=1, futility="none")
    bounds = look_boundaries(one_sided, [n / n_max for n in sizes]).z
    rng, documents = np.random.default_rng(9), np.repeat(np.arange(n_max // size), size)
    wrong = np.zeros(2)
    for _ in range(runs):
        # Six documents of ten turn as a whole, or stay.
        whole = np.repeat(rng.random(n_max // size), size)
        u = np.where(np.repeat(rng.random(n_max // size) < 0.6, size), whole, rng.random(n_max))
        d = np.where(u < fixed, 100.0, np.where(u < fixed + broken, -100.0, 0.0))
        wrong += [
            any(
                margin_claim(plan, statistic(d[:n], documents[:n]), bound) is not None
                for n, bound in zip(sizes, bounds, strict=True)
            )
            for statistic in (functools.partial(paired_shares, span=100.0), paired_mean)
        ]
    score, wald = wrong / runs
    assert score <= 0.05 + 2.5 * math.sqrt(0.05 * 0.95 / runs)
    assert wald > 0.1
