"""Many pairs: the two step-down rules, directions, and the chance of any wrong claim."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from detectable.core.errors import InputError
from detectable.core.types import FloatArray
from detectable.sequential.e_process import EProcess, OneSided
from detectable.sequential.many_pairs import e_bh, e_holm
from detectable.sequential.preference_process import PreferenceProcess
from tests.helpers import golden

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
