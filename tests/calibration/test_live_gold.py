"""The tables of gold/live.json by this package's own rules: when evaluations stop, and how they end.

Every cell is drawn again, with fewer runs than gold had (4,000 or 5,000); shares must agree within three and
a half standard errors of their difference. Statistics are those of `tango_z`, boundaries those of
`PrefixLooks`, and `Prefixes` decides.
"""

import math
from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

from detectable.inference.shares import PairedShares, tango_z, wilson_interval
from detectable.live.rule import CONTINUE, Prefixes, Rule
from detectable.sequential.look_statistic import paired_mean
from detectable.sequential.prefix_looks import PrefixLooks
from tests.gold_live import Gold, live

MARGIN = 0.05
RUNS = 800
STOPS = "stop: pass, fail, futile, share of questions run"
ENDS = {"stop: pass": "passed", "stop: fail": "failed", "stop: futile": "futile"}
# What gold calls the rules of this package: one look at the end, and the families that plans take.
RULES: Mapping[str, Mapping[str, Any]] = {
    "fixed": {"looks": 1},
    "hsd": {},
    "hsd futility": {"futility": True},
    "pocock": {"family": "ld-pocock"},
}
CELLS = [(n, agreement) for n in (200, 500, 1000, 2000) for agreement in (0.7, 0.8, 0.9, 0.95)]


def steps(rng: np.random.Generator, n: int, agreement: float, delta: float) -> np.ndarray:
    """Draw what each question is: mended, broken or as before, as running counts."""
    disc = 1.0 - agreement
    fixed, broken = (disc + delta) / 2.0, (disc - delta) / 2.0
    drawn = rng.random((RUNS, n))
    d = np.where(drawn < fixed, 1, np.where(drawn < fixed + broken, -1, 0))
    return np.stack([np.cumsum(d == 1, axis=1), np.cumsum(d == -1, axis=1)])


def ended(counts: np.ndarray, rule: Rule) -> tuple[np.ndarray, np.ndarray]:
    """Return how each run ends, and after which share of the questions."""
    n = counts.shape[2]
    prefixes = Prefixes(rule, np.zeros(n), n_questions=n, n_epochs=1)
    at = np.array(prefixes.looks.at)
    fixed, broken = counts[:, :, at - 1]
    z_pass, z_fail = (tango_z(fixed, broken, at, bound) for bound in (-MARGIN, 0.0))
    ends, shares = [], []
    for up, down in zip(z_pass.tolist(), z_fail.tolist(), strict=True):
        end, k = CONTINUE, 0
        for k, pair in enumerate(zip(up, down, strict=True)):
            end = prefixes._decided(k, (*pair, pair[0]), 0).decision
            if end != CONTINUE:
                break
        ends.append(end)
        shares.append(float(at[k]) / n)
    return np.array(ends), np.array(shares)


def agrees(found: float, gold: float, gold_runs: int, runs: int = RUNS) -> bool:
    """Whether two shares are of one chance."""
    p = (found * runs + gold * gold_runs) / (runs + gold_runs)
    error = math.sqrt(max(p * (1.0 - p), 1.0 / runs) * (1.0 / runs + 1.0 / gold_runs))
    return abs(found - gold) <= 3.5 * error


@pytest.mark.slow
@pytest.mark.golden
@pytest.mark.parametrize(("n", "agreement"), CELLS)
@pytest.mark.parametrize("procedure", RULES)
def test_passes_fails_and_savings(procedure: str, n: int, agreement: float) -> None:
    rng = np.random.default_rng(n + round(100 * agreement))
    rule = Rule(margin=MARGIN, first=20, **RULES[procedure])
    for case in live(STOPS, procedure=procedure, n=n, agreement=agreement):
        delta = case.settings["delta"]
        ends, shares = ended(steps(rng, n, agreement, delta), rule)
        for end, name in ENDS.items():
            found = float((ends == end).mean())
            gold = case.value[name]
            assert agrees(found, gold, case.settings["sims"]), (delta, name, found, gold)
        error = shares.std() * math.sqrt(1 / RUNS + 1 / case.settings["sims"])
        assert abs(shares.mean() - case.value["share_run"]) <= 3.5 * error + 0.002, delta


@pytest.mark.slow
@pytest.mark.golden
@pytest.mark.parametrize("place", range(7))
def test_tasks_share_the_level_of_a_fail(place: int) -> None:
    case = live("several tasks")[place]
    said, value = case.settings, case.value
    rng, tasks = np.random.default_rng(60 + place), said["tasks"]
    lost = {
        "unchanged": [0.0] * tasks,
        "one task lost 10 points": [-0.1] + [0.0] * (tasks - 1),
        "all lost the margin": [-MARGIN] * tasks,
    }[said["case"]]
    drawn = [steps(rng, said["n"], said["agreement"], delta) for delta in lost]
    rule = Rule(margin=MARGIN, first=20, alpha_fail=0.05 / tasks)
    each = [ended(counts, rule) for counts in drawn]
    passed = np.all([ends == "stop: pass" for ends, _ in each], axis=0)
    failed = np.any([ends == "stop: fail" for ends, _ in each], axis=0)
    shares = np.array([share for _, share in each])
    # Once one has failed, all stop at the share that it had run.
    first = np.min([np.where(ends == "stop: fail", share, 9.0) for ends, share in each], axis=0)
    alone = shares.mean(axis=0)
    together = np.where(failed, np.minimum(shares, first).mean(axis=0), alone)
    assert agrees(float(passed.mean()), value["gate_pass"], said["sims"])
    assert agrees(float(failed.mean()), value["gate_fail"], said["sims"])
    for ran, name in ((alone, "share_per_task"), (together, "share_stop_all")):
        error = ran.std() * math.sqrt(1 / RUNS + 1 / said["sims"])
        assert abs(ran.mean() - value[name]) <= 3.5 * error + 0.002, name
    if "gate_fail_without_sharing_alpha" in value:
        plain = [ended(counts, Rule(margin=MARGIN, first=20))[0] for counts in drawn]
        unshared = float(np.any([ends == "stop: fail" for ends in plain], axis=0).mean())
        assert agrees(unshared, value["gate_fail_without_sharing_alpha"], said["sims"])


@pytest.mark.slow
@pytest.mark.golden
@pytest.mark.parametrize("place", range(9))
def test_the_clock_of_samples_with_epochs(place: int) -> None:
    """Questions differ by noise of their own and of each answer; looks in Inspect's order, at 0."""
    case = live("epochs", clock="samples")[place]
    n, epochs, rho = (case.settings[name] for name in ("n", "epochs", "rho"))
    rng, runs = np.random.default_rng(80 + place), 1000
    looks = PrefixLooks.of(n * epochs, alpha=0.05)
    crossed = 0
    for _ in range(runs):
        own = rng.normal(0.0, math.sqrt(1.0 - rho), n)
        sums = np.cumsum(own + rng.normal(0.0, math.sqrt(rho), (epochs, n)), axis=0)
        for at, bound in zip(looks.at, looks.z, strict=True):
            whole, rest = divmod(int(at), n)
            means = sums[whole - 1] / whole if whole else sums[0, :rest]
            if whole and rest:
                means = np.r_[sums[whole, :rest] / (whole + 1), means[rest:]]
            if paired_mean(means).z >= bound:
                crossed += 1
                break
    assert agrees(crossed / runs, case.value["type1"], case.settings["sims"], runs)


# --- Precision ---


@cache
def wilson(n: int, level: float) -> np.ndarray:
    """Return the ends of Wilson's interval for all successes of n; the formula, as `wilson_interval`."""
    ends = [wilson_interval(k, n, alpha=1.0 - level).to_json() for k in range(n + 1)]
    return np.array(ends).T


def exact(p: float, said: Mapping[str, Any], most: int = 2000) -> tuple[float, float]:
    """Return coverage and expected questions of the stop at a narrow interval, by recursion."""
    n, step = said["first"], said["step"]
    chance = binom.pmf(np.arange(n + 1), n, p)
    covered = expected = 0.0
    while True:
        low, high = wilson(n, said["level"])
        stops = ((high - low) / 2.0 <= said["w"]) | (n >= most)
        covered += float(chance[stops & (low <= p) & (p <= high)].sum())
        expected += n * float(chance[stops].sum())
        chance = np.where(stops, 0.0, chance)
        if chance.sum() < 1e-12:
            return covered, expected
        more = min(step, most - n)
        chance = np.convolve(chance, binom.pmf(np.arange(more + 1), more, p))
        n += more


@pytest.mark.slow
@pytest.mark.golden
@pytest.mark.parametrize("place", range(14))
def test_coverage_where_an_interval_is_narrow(place: int) -> None:
    """Exactly: at the worst rate, whose place gold names, and the questions that it takes at .7."""
    case = live("precision, exact")[place]
    covered, _ = exact(case.value["at"], case.settings)
    assert covered == pytest.approx(case.value["worst"], abs=case.tolerance)
    _, expected = exact(0.7, case.settings)
    assert expected == pytest.approx(case.value["n_at_07"], rel=1e-9)
    # Next to it coverage is no worse.
    for beside in (case.value["at"] - 0.005, case.value["at"] + 0.005):
        if 0.5 <= beside < 0.995 and case.value["at"] >= 0.9:
            assert exact(beside, case.settings)[0] >= covered - 0.01


def reached(case: Gold, runs: int, half: Any) -> tuple[float, float]:
    """Return coverage and the share of questions run until an interval is narrow enough."""
    said = case.settings
    rng = np.random.default_rng(90)
    looks = np.arange(max(said["first"], said["step"]), said["n_max"] + 1, said["step"])
    true = said.get("p", said.get("delta"))
    if said["kind"] == "one":
        counts = np.cumsum(rng.random((runs, said["n_max"])) < true, axis=1)[None, :, looks - 1]
    else:
        disc = 1.0 - said["agreement"]
        u = rng.random((runs, said["n_max"]))
        fixed, broken = (disc + true) / 2.0, (disc - true) / 2.0
        d = np.where(u < fixed, 1, np.where(u < fixed + broken, -1, 0))
        counts = np.stack([np.cumsum(d == s, axis=1)[:, looks - 1] for s in (1, -1)])
    covered = ran = 0.0
    for run in range(runs):
        low = high = math.nan
        n = 0
        for k, n in enumerate(looks.tolist()):
            low, high = half(n, *counts[:, run, k].tolist())
            if (high - low) / 2.0 <= said["w"]:
                break
        covered += low <= true <= high
        ran += n / said["n_max"]
    return covered / runs, ran / runs


@pytest.mark.slow
@pytest.mark.golden
def test_stops_at_a_narrow_interval_of_one_system() -> None:
    for case in live("precision, simulated", kind="one", rule="wilson"):
        runs = 400

        def ends(n: int, right: int) -> tuple[float, float]:
            low, high = wilson_interval(right, n, alpha=0.05).to_json()
            return low, high

        covered, ran = reached(case, runs, cache(ends))
        sims = case.settings["sims"]
        assert agrees(covered, case.value["coverage"], sims, runs), case.settings
        assert ran == pytest.approx(case.value["share_run"], abs=0.02), case.settings


@pytest.mark.slow
@pytest.mark.golden
def test_stops_at_a_narrow_interval_of_a_difference() -> None:
    for case in live("precision, simulated", kind="pair"):
        runs = 150

        def ends(n: int, fixed: int, broken: int) -> tuple[float, float]:
            shares = PairedShares.of_differences(
                np.repeat([1.0, -1.0, 0.0], [fixed, broken, n - fixed - broken])
            )
            low, high = shares.interval(0.95).to_json()
            return low, high

        covered, ran = reached(case, runs, cache(ends))
        sims = case.settings["sims"]
        assert agrees(covered, case.value["coverage"], sims, runs), case.settings
        assert ran == pytest.approx(case.value["share_run"], abs=0.025), case.settings
