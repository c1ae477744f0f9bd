"""Many pairs: the two step-down rules, directions, and the chance of any wrong claim."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from detectable.core.errors import InputError
from detectable.core.types import FloatArray
from detectable.core.verdict import Verdict
from detectable.sequential.design import design
from detectable.sequential.e_process import EProcess, OneSided
from detectable.sequential.look_statistic import look_boundaries
from detectable.sequential.many_pairs import (
    Pair,
    PairOutcome,
    e_bh,
    e_holm,
    holm_look,
    needed_systems,
    outcome_at,
)
from detectable.sequential.preference_process import PreferenceProcess
from tests.helpers import golden
from tests.sequential import leaderboard_paths as paths

CASES = [case for case in golden("anytime") if case["kind"] == "e-bh"]
tables = st.lists(st.tuples(st.floats(0, 500), st.floats(0, 500)), min_size=1, max_size=8)


def holm_by_steps(table: FloatArray, alpha: float) -> list[bool]:
    """Reject one null after another, as the rule is written."""
    values, rejected = table.ravel(), [False] * table.size
    while True:
        needed = (table.size - sum(rejected)) / alpha
        new = [i for i, e in enumerate(values) if not rejected[i] and e >= needed]
        if not new:
            return rejected
        rejected[new[0]] = True


def words(rejected: list[bool]) -> list[str]:
    pairs = zip(rejected[::2], rejected[1::2], strict=True)
    return ["undecided" if up == down else "better" if up else "worse" for up, down in pairs]


@given(tables)
def test_e_holm_follows_the_rule(table: list[tuple[float, float]]) -> None:
    found = e_holm(np.array(table), alpha=0.1)
    expected = holm_by_steps(np.array(table), 0.1)
    assert [d.verdict for d in found.decisions] == words(expected)
    if found.needed is not None:
        assert found.needed == pytest.approx((2 * len(table) - sum(expected)) / 0.1)


@given(tables)
def test_e_bh_follows_the_rule(table: list[tuple[float, float]]) -> None:
    values = np.array(table).ravel()
    order = np.sort(values)[::-1]
    good = [k for k in range(1, values.size + 1) if order[k - 1] >= values.size / (0.1 * k)]
    cut = order[max(good) - 1] if good else math.inf
    found = e_bh(np.array(table), alpha=0.1)
    assert [d.verdict for d in found.decisions] == words((values >= cut).tolist())


@pytest.mark.golden
@pytest.mark.parametrize("case", CASES, ids=lambda c: c["name"])
def test_an_independent_package_agrees(case: dict[str, Any]) -> None:
    found = e_bh(case["evidence"], alpha=case["alpha"])
    assert [d.verdict for d in found.decisions] == words([bool(x) for x in case["rejected"]])


def test_processes_count_with_peaks_in_holm_and_as_they_are_in_bh() -> None:
    faded, preferred = EProcess(), PreferenceProcess()
    faded.update_many([50.0] * 40 + [-50.0] * 40)
    preferred.update_many([-1] * 300)
    evidence: dict[tuple[str, str], OneSided] = {("A", "B"): faded, ("A", "C"): preferred}
    assert [d.verdict for d in e_holm(evidence).decisions] == ["better", "worse"]
    assert [d.verdict for d in e_bh(evidence).decisions] == ["undecided", "worse"]
    results: dict[str, OneSided] = {"A–B": faded.result(), "A–C": preferred.result()}
    assert e_holm(results).summary() == (
        "2 of 2 pairs decided (e-Holm, any wrong claim ≤ 0.05): A–B better, A–C worse."
    )


def test_evidence_for_both_directions_decides_nothing_and_says_so() -> None:
    found = e_holm({("A", "B"): (1e4, 1e4)})
    assert found.decisions[0].verdict == "undecided"
    assert found.needed is None
    assert "both directions in A–B" in found.summary()


def test_huge_and_empty_evidence() -> None:
    found = e_holm([[math.inf, 0.0], [1e300, 1.0]])
    assert [d.verdict for d in found.decisions] == ["better", "better"]
    assert all(0.0 < d.p_value <= 1.0 for d in found.decisions)
    assert len(found.decided) == 2


@pytest.mark.parametrize(
    ("evidence", "message"),
    [
        ({}, "at least one pair"),
        ({("A", "B"): (-1.0, 2.0)}, "pair A–B must be two e-values"),
        ({"x": (math.nan, 2.0)}, "pair x must be two e-values"),
        ([1.0, 2.0], "two columns"),
    ],
)
def test_wrong_evidence_is_named(evidence: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        e_holm(evidence)


@pytest.mark.slow
def test_any_wrong_claim_is_rare_when_four_systems_are_alike() -> None:
    """Six correlated pairs, looked at after every 25 of 600 items, all nulls true."""
    rng, reps, wrong = np.random.default_rng(41), 400, 0
    for _ in range(reps):
        item = rng.normal(60, 15, size=(600, 1))
        scores = np.clip(item + rng.normal(0, 18, size=(600, 4)), 0, 100)
        pairs = {(i, j): EProcess() for i in range(4) for j in range(i)}
        claimed = False
        for start in range(0, 600, 25):
            for (i, j), process in pairs.items():
                process.update_many(
                    scores[start : start + 25, i] - scores[start : start + 25, j]
                )
            claimed = claimed or bool(e_holm(pairs).decided)
        wrong += claimed
    assert wrong / reps <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / reps)


# --- Holm's procedure over group-sequential tests of many pairs ---

REALISTIC = np.array([0, -0.5, -1, -1, -2.5, -4, -6, -9, -13, -20.0])
CLUSTERS = np.repeat([0.0, -4.0], 5)


@pytest.mark.golden
def test_published_boundaries_of_45_and_9_pairs() -> None:
    many, nine, one = (design("hsd", looks=10, alpha=0.05 / m).z for m in (45, 9, 1))
    expected = [4.413, 4.315, 4.206, 4.094, 3.980, 3.865, 3.748, 3.630, 3.509, 3.386]
    assert many == pytest.approx(expected, abs=5.1e-4)
    assert (nine[0], nine[-1]) == pytest.approx((4.051, 2.892), abs=5.1e-4)
    assert (one[0], one[-1]) == pytest.approx((3.504, 2.062), abs=5.1e-4)


@pytest.mark.parametrize("family", ["hsd", "ld-obf", "ld-pocock"])
def test_boundaries_fall_as_the_level_grows(family: str) -> None:
    # The short cut is the closed test only if they do, at every look.
    z = np.array([design(family, looks=5, alpha=0.05 / m).z for m in (45, 20, 9, 3, 2, 1)])
    assert (np.diff(z, axis=0) <= 0.0).all()


def _run(z: dict[Pair, float], **options: int) -> dict[Pair, str]:
    def test(pair: Pair, level: float) -> PairOutcome:
        bounds = look_boundaries(design("fixed", alpha=level), (1.0,))
        return outcome_at(z[pair], bounds, level=level, sided=2)

    found = holm_look(
        list(z), test, alpha=0.05, n_pairs=options.pop("n_pairs", len(z)), **options
    )
    return {pair: outcome.verdict for pair, outcome in found.items()}


def test_one_look_is_holms_procedure() -> None:
    # two-sided critical values at .05/3, .05/2, .05: 2.394, 2.241, 1.960
    three = {("B", "A"): 2.0, ("C", "A"): -2.5, ("D", "A"): 2.3}
    assert _run(three) == {("B", "A"): "better", ("C", "A"): "worse", ("D", "A"): "better"}
    three[("D", "A")] = 2.2
    assert _run(three) == {
        ("B", "A"): "undecided",
        ("C", "A"): "worse",
        ("D", "A"): "undecided",
    }
    assert _run({("B", "A"): 2.0}, n_pairs=3, n_rejected=2) == {("B", "A"): "better"}
    assert _run({("B", "A"): 2.0}, n_pairs=3, n_rejected=1) == {("B", "A"): "undecided"}


def test_a_pair_that_was_given_up_still_counts() -> None:
    # Two of three pairs are left: the level stays that of three.
    assert _run({("B", "A"): 2.3, ("C", "A"): 0.1}, n_pairs=3)[("B", "A")] == "undecided"


def test_more_rejections_than_pairs_are_refused() -> None:
    with pytest.raises(InputError, match=r"`n_rejected` must be at least 0 and below"):
        _run({("B", "A"): 2.0}, n_pairs=2, n_rejected=2)


def test_systems_that_are_still_needed() -> None:
    assert needed_systems([("C", "B"), ("D", "B")]) == ["C", "B", "D"]
    assert needed_systems([]) == []


@pytest.mark.parametrize("futility", ["none", "predictive-power"])
@pytest.mark.parametrize("baseline", [False, True])
def test_the_simulation_decides_as_the_library(futility: str, *, baseline: bool) -> None:
    rng = np.random.default_rng(4)
    z = paths.z_paths(REALISTIC, 600, 3, rng, baseline=baseline)
    expected = paths.holm_paths(z, futility=futility, baseline=baseline)
    a, b = paths.pairs_of(baseline=baseline)
    names = [(str(i), str(j)) for i, j in zip(a.tolist(), b.tolist(), strict=True)]
    upper, give_up = paths.bounds(len(names), futility)
    for run in range(3):
        left, found = list(names), dict.fromkeys(names, 0)
        for k in range(paths.LOOKS):

            def test(pair: Pair, level: float, run: int = run, k: int = k) -> PairOutcome:
                r = len(names) - round(0.05 / level)
                now = float(z[run, k, names.index(pair)])
                verdict: Verdict = "better" if now >= upper[r, k] else "undecided"
                verdict = "worse" if now <= -upper[r, k] else verdict
                return PairOutcome(
                    verdict=verdict,
                    futile=verdict == "undecided" and bool(abs(now) < give_up[r, k]),
                    level=level,
                    z_bound=float(upper[r, k]),
                    futility_bound=None,
                    alpha_spent=0.0,
                )

            done = sum(v != 0 for v in found.values())
            if not left:
                break
            outcomes = holm_look(left, test, alpha=0.05, n_pairs=len(names), n_rejected=done)
            for pair, outcome in outcomes.items():
                found[pair] = {"better": 1, "worse": -1}.get(outcome.verdict, 0)
            left = [p for p, o in outcomes.items() if o.verdict == "undecided" and not o.futile]
        assert list(found.values()) == expected.verdict[run].tolist()


def _rates(
    means: np.ndarray, n_max: int, runs: int, *, futility: str, baseline: bool, seed: int
) -> tuple[float, float, float]:
    """Return the rate of any false rejection, the share of pairs resolved, and the judgments."""
    rng = np.random.default_rng(seed)
    a, b = paths.pairs_of(baseline=baseline)
    truth = np.sign(means[a] - means[b]).astype(np.int8)
    wrong, resolved, judgments, block = 0, 0.0, 0.0, 100
    for _ in range(runs // block):
        z = paths.z_paths(means, n_max, block, rng, baseline=baseline)
        ends = paths.holm_paths(z, futility=futility, baseline=baseline)
        wrong += int(((ends.verdict != 0) & (ends.verdict != truth)).any(axis=1).sum())
        if (truth != 0).any():
            resolved += float((ends.verdict == truth)[:, truth != 0].mean()) * block
        judgments += float(ends.judged.sum()) * n_max / paths.LOOKS
    return wrong / runs, resolved / runs, judgments / runs


NULLS = {"null": np.zeros(10), "two clusters": CLUSTERS}


@pytest.mark.slow
@pytest.mark.parametrize("futility", ["none", "predictive-power"])
@pytest.mark.parametrize("baseline", [False, True])
@pytest.mark.parametrize("name", NULLS)
def test_any_false_alarm_on_a_leaderboard(name: str, futility: str, *, baseline: bool) -> None:
    runs = 10_000
    rate, _, _ = _rates(NULLS[name], 600, runs, futility=futility, baseline=baseline, seed=11)
    error = (0.05 * 0.95 / runs) ** 0.5
    assert rate <= 0.05 + 2.5 * error


# Resolved pairs and judgments of the reference page, section 4.2, from 300 runs each, with the
# standard deviations over runs that we measure. Its futility rule was another than ours, so only
# the rows without compare. In its last row more is resolved than by its own test without looks
# (.692), which can only be noise; ours is .693, with 10,320 judgments.
PUBLISHED = [
    (600, False, (0.661, 0.045), (5630.0, 120.0)),
    (1800, False, (0.807, 0.033), (15181.0, 419.0)),
    (1800, True, (0.704, 0.101), (10130.0, 918.0)),
]


@pytest.mark.slow
@pytest.mark.parametrize(("n_max", "baseline", "share", "judgments"), PUBLISHED)
def test_what_a_leaderboard_resolves_and_costs(
    n_max: int, share: tuple[float, float], judgments: tuple[float, float], *, baseline: bool
) -> None:
    runs = 3000
    _, resolved, cost = _rates(
        REALISTIC, n_max, runs, futility="none", baseline=baseline, seed=12
    )
    root = (1.0 / runs + 1.0 / 300.0) ** 0.5
    assert resolved == pytest.approx(share[0], abs=4.0 * share[1] * root)
    assert cost == pytest.approx(judgments[0], abs=4.0 * judgments[1] * root)
