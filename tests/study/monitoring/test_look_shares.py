"""Margins on scores of 0 and 1, with looks: by the score statistic, from plan to conclusion."""

import functools
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from detectable.inference.shares import PairedShares
from detectable.sequential.look_statistic import look_boundaries, paired_mean, paired_shares
from detectable.study.monitoring.conclude import conclude
from detectable.study.monitoring.ledger import LedgerState
from detectable.study.monitoring.look import look
from detectable.study.monitoring.look_tests import margin_claim
from tests.study.monitoring.plan_tables import Table, new_plan

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
