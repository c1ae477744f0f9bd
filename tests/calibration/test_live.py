"""Evaluations that stop by themselves keep their error rates; what is usual instead does not.

A false pass is one at a true loss of the margin, a false fail one of an unchanged system. Shares of
N runs have a standard error of √(p (1 − p)/N), .0126 for .05 and 300 runs; three of them are allowed.
"""

import heapq
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from detectable.data.scores.scores import StoppedLog
from detectable.live import Rule, Stop
from detectable.live.rule import precise_interval
from detectable.study.gate.evidence import Evidence
from detectable.study.gate.stopped import StoppedRun
from tests.gold_live import live

MARGIN, ALPHA = 0.05, 0.05
LATE = math.inf


def _within(share: float, runs: int, *, most: float = ALPHA, errors: float = 3.0) -> bool:
    return share <= most + errors * math.sqrt(most * (1.0 - most) / runs)


def _pairs(rng: np.random.Generator, n: int, agreement: float, loss: float) -> tuple[Any, Any]:
    """Draw 0/1 answers of old and new that agree in a share, with a loss."""
    lost = (1.0 - agreement + loss) / 2.0
    won = max(1.0 - agreement - lost, 0.0)
    d = rng.choice([-1, 0, 1], n, p=[lost, agreement, won])
    old = np.where(d == 1, 0, np.where(d == -1, 1, rng.random(n) < 0.7)).astype(float)
    return old, old + d


def _run(stop: Stop, new: Any, order: Any = None, *, errors: Any = None) -> Stop:
    names = range(new.size)
    stop.start(names)
    for i in names if order is None else order:
        score = None if errors is not None and errors[i] else float(new[i])
        if stop.add(int(i), score):
            break
    return stop


def _stop(old: Any, **rule: Any) -> Stop:
    return Stop(Rule(margin=MARGIN, **rule), baseline=dict(enumerate(old.tolist())))


# --- What small losses and the order of the file would do ---


@pytest.mark.slow
def test_a_small_loss_within_the_margin_is_not_stopped_as_a_fail() -> None:
    """Without the second condition of a fail .32 of these would stop so; whole ones all pass."""
    rng, runs = np.random.default_rng(12), 100
    fails = passes = 0
    for _ in range(runs):
        old, new = _pairs(rng, 2000, 0.95, 0.02)
        end = _run(_stop(old), new).decision
        fails, passes = fails + (end == "stop: fail"), passes + (end == "stop: pass")
    assert fails / runs <= 0.02
    assert passes / runs >= 0.97


@pytest.mark.slow
def test_questions_in_the_order_of_the_file_would_pass_what_they_must_not() -> None:
    """The first half unchanged, the second ten points worse; in random order .05 pass at most."""
    rng, runs = np.random.default_rng(13), 300
    passed = {"file": 0, "random": 0}
    for _ in range(runs):
        halves = [_pairs(rng, 500, 0.85, loss) for loss in (0.0, 0.1)]
        old, new = (np.concatenate([half[k] for half in halves]) for k in (0, 1))
        mixed = rng.permutation(1000)
        for name, order in (("file", np.arange(1000)), ("random", mixed)):
            passed[name] += _run(_stop(old[order]), new[order]).decision == "stop: pass"
    assert _within(passed["random"] / runs, runs)
    (gold,) = live("file order")
    for name in ("file", "random"):
        p = gold.value[f"{name}_order_false_pass"]
        error = math.sqrt(p * (1.0 - p) * (1 / runs + 1 / 4000))
        assert passed[name] / runs == pytest.approx(p, abs=3.5 * error), name


# --- Answers end in another order than they began, and wrong ones later ---


def _endings(
    rng: np.random.Generator, new: Any, workers: int, *, failing: float
) -> tuple[Any, Any, Any]:
    """Return the order in which questions end for good, which ended in an error, and the times.

    Wrong answers take 4.5 times longer; a share of them fails, is tried again at the back of the
    queue, and fails again in 70 %.
    """
    n = new.size
    took = np.exp(0.6 * rng.standard_normal(n) + 1.5 * (new == 0.0))
    fail = rng.random(n) < np.where(new == 1.0, failing / 20, failing)
    again = fail & (rng.random(n) < 0.7)
    queue, tried = list(range(n)), np.zeros(n, bool)
    done = np.full(n, LATE)
    heap: list[tuple[float, int]] = []
    now, begun = 0.0, 0
    while begun < len(queue) or heap:
        while len(heap) < workers and begun < len(queue):
            heapq.heappush(heap, (now + float(took[queue[begun]]), queue[begun]))
            begun += 1
        now, question = heapq.heappop(heap)
        if fail[question] and not tried[question]:
            tried[question] = True
            queue.append(question)
        else:
            done[question] = now
    return np.argsort(done, kind="stable"), again, done


def _ill_ordered(rng: np.random.Generator, loss: float) -> tuple[Any, Any]:
    """Draw answers to 500 questions, of which hard ones are answered wrongly more often by both."""
    hard = rng.random(500)
    right = 1.0 / (1.0 + np.exp(-(2.2 - 4.0 * hard)))
    old, new = rng.random(500) < right, rng.random(500) < right
    if loss:
        new &= ~(rng.random(500) < loss / right.mean())
    return old.astype(float), new.astype(float)


@pytest.mark.slow
@pytest.mark.parametrize(("workers", "failing"), [(10, 0.2), (50, 0.0), (50, 0.2)])
def test_slow_wrong_answers_pass_no_more_often(workers: int, failing: float) -> None:
    rng, runs = np.random.default_rng(workers + round(10 * failing)), 300
    ours = fails = naive = 0
    for _ in range(runs):
        old, new = _ill_ordered(rng, MARGIN)
        order, errors, _ = _endings(rng, new, workers, failing=failing)
        ours += _run(_stop(old), new, order, errors=errors).decision == "stop: pass"
        # The same answers in the order of completion, as a schedule: what nobody must do.
        kept = order if failing == 0.0 else order[~errors[order]]
        naive += _run(_stop(old[kept]), new[kept]).decision == "stop: pass"
        old, new = _ill_ordered(rng, 0.0)
        order, errors, _ = _endings(rng, new, workers, failing=0.0)
        fails += _run(_stop(old), new, order).decision == "stop: fail"
    assert _within(ours / runs, runs)
    assert _within(fails / runs, runs)
    if workers == 50 or failing:
        assert naive / runs > 0.15


@pytest.mark.slow
def test_scores_between_0_and_1_hold_too() -> None:
    """300 questions, 50 at a time, low scores slow; a true loss of the margin."""
    rng, runs, n = np.random.default_rng(14), 200, 300
    passed, lost = 0, []
    for _ in range(runs):
        quality = rng.beta(2, 1, n)
        old = np.clip(quality + rng.normal(0, 0.2, n), 0, 1)
        new = np.clip(
            np.clip(quality + rng.normal(0, 0.2, n), 0, 1) - 0.0516 * rng.gamma(1, 1, n), 0, 1
        )
        lost.append(float((old - new).mean()))
        took = np.exp(0.6 * rng.standard_normal(n) + 1.5 * (1.0 - new))
        slots = np.zeros(50)
        done = np.empty(n)
        for i in range(n):
            k = int(slots.argmin())
            slots[k] += took[i]
            done[i] = slots[k]
        passed += _run(_stop(old), new, np.argsort(done)).decision == "stop: pass"
    assert np.mean(lost) == pytest.approx(MARGIN, abs=0.004)
    assert _within(passed / runs, runs)


@pytest.mark.slow
@pytest.mark.parametrize(("epochs", "within"), [(2, 0.3), (2, 1.0), (4, 0.7)])
def test_the_clock_of_samples_keeps_the_level_with_epochs(epochs: int, within: float) -> None:
    """Questions differ by noise of their own and noise of each answer; superiority, one side."""
    rng, runs, n = np.random.default_rng(15 + epochs), 300, 100
    better = worse = 0
    for _ in range(runs):
        own = rng.normal(0, math.sqrt(1.0 - within), n)
        answers = own + rng.normal(0, math.sqrt(within), (epochs, n))
        stop = Stop(Rule(scale=None), baseline=dict.fromkeys(range(n), 0.0))
        stop.start(range(n), epochs=epochs)
        for epoch in range(epochs):
            for i in range(n):
                if stop.add(i, float(answers[epoch, i]), epoch=epoch + 1):
                    break
            if stop:
                break
        better, worse = (
            better + (stop.decision == "stop: better"),
            worse + (stop.decision == "stop: worse"),
        )
    # Two sides at α each, of which a stop on one keeps the other from its own.
    assert _within((better + worse) / runs, runs, most=2 * ALPHA)


@pytest.mark.slow
def test_four_unchanged_tasks_fail_together_at_alpha() -> None:
    """At α each they would fail in .144; they share it."""
    rng, runs = np.random.default_rng(16), 200
    together = each = 0
    for _ in range(runs):
        drawn = [_pairs(rng, 500, 0.9, 0.0) for _ in range(4)]
        together += any(
            _run(_stop(old, alpha_fail=ALPHA / 4), new).decision == "stop: fail"
            for old, new in drawn
        )
        each += any(_run(_stop(old), new).decision == "stop: fail" for old, new in drawn)
    assert _within(together / runs, runs)
    assert each / runs > 0.09


# --- Precision ---


@pytest.mark.slow
@pytest.mark.parametrize("rate", [0.7, 0.9, 0.97])
def test_a_narrow_interval_covers_as_it_says(rate: float) -> None:
    """Looks at every 25: Wilson's at .96 covers .952 at worst, Wald's .59 at a rate of .97."""
    rng, runs, n = np.random.default_rng(17), 400, 1000
    covered = 0
    for _ in range(runs):
        answers = (rng.random(n) < rate).astype(float)
        stop = Stop(Rule(half_width=0.05, looks=40))
        stop.start(range(n))
        for i in range(n):
            if stop.add(i, float(answers[i])):
                break
        assert stop.decision == "stop: precise"
        last = stop.looks[-1]
        covered += last.z_pass <= rate <= last.z_fail
    assert covered / runs >= 0.95 - 3.0 * math.sqrt(0.05 * 0.95 / runs)


def test_the_interval_is_wider_than_it_says() -> None:
    answers = np.array([1.0] * 70 + [0.0] * 30)
    found = precise_interval(answers, None, alpha=0.05, zero_one=True)
    assert found.level == pytest.approx(0.96)


# --- After the stop ---


@pytest.mark.slow
@pytest.mark.parametrize("loss", [0.0, 0.02, 0.05, 0.08])
def test_intervals_after_a_stop_hold_their_level(loss: float) -> None:
    """300 questions, agreement .85, four samples more than the prefix that decided; 90 % intervals."""
    rng, runs, n = np.random.default_rng(18), 300, 300
    below = above = 0
    for _ in range(runs):
        old, new = _pairs(rng, n, 0.85, loss)
        stop = _run(_stop(old), new)
        logged = min(n, round(stop.looks[-1].t * n) + 4)
        log = StoppedLog(
            path="x", task="t", eval_id="", manager="detectable", logged=logged,
            skipped=n - logged, record=stop.record(),
        )  # fmt: skip
        run = StoppedRun.of(log)
        assert run is not None
        found = Evidence.of(
            new[:logged], old[:logged], clusters=None, answers=1.0, zero_one=True, sign=1.0
        )
        interval = run.adjusted(found, "match").interval(ALPHA)
        below, above = below + (-loss < interval.low), above + (-loss > interval.high)
    for misses in (below, above):
        assert _within(misses / runs, runs)


@pytest.mark.slow
@pytest.mark.parametrize("loss", [0.0, 0.05])
def test_intervals_of_groups_hold_their_level_though_looks_knew_none(loss: float) -> None:
    """60 passages of 5 questions that change together in 3 of 4 cases, stopped as if all stood alone."""
    rng, runs, groups, size = np.random.default_rng(19), 400, 60, 5
    n = groups * size
    below = above = wrong = 0
    for _ in range(runs):
        shared_old, shared_new = _pairs(rng, groups, 0.85, loss)
        own_old, own_new = _pairs(rng, n, 0.85, loss)
        together = np.repeat(rng.random(groups) < 0.75, size)
        old = np.where(together, np.repeat(shared_old, size), own_old)
        new = np.where(together, np.repeat(shared_new, size), own_new)
        passage = np.repeat(np.arange(groups), size)
        order = rng.permutation(n)
        old, new, passage = old[order], new[order], passage[order]
        stop = _run(_stop(old), new)
        logged = round(stop.looks[-1].t * n)
        log = StoppedLog(
            path="x", task="t", eval_id="", manager="detectable", logged=logged,
            skipped=n - logged, record=stop.record(),
        )  # fmt: skip
        run = StoppedRun.of(log)
        assert run is not None
        _, codes = np.unique(passage[:logged], return_inverse=True)
        found = Evidence.of(
            new[:logged], old[:logged], clusters=codes, answers=1.0, zero_one=True, sign=1.0
        )
        adjusted = replace(run.adjusted(found, "match"), decides=False)
        interval = adjusted.interval(ALPHA)
        below, above = below + (-loss < interval.low), above + (-loss > interval.high)
        wrong += stop.decision == ("stop: pass" if loss else "stop: fail")
    for misses in (below, above):
        assert _within(misses / runs, runs)
    assert wrong / runs > 2.0 * ALPHA  # what the looks themselves decide does not hold
