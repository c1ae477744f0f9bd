"""Decisions on prefixes: replays of kept logs, unfinished samples, errors, and what is refused."""

import json
import math
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from detectable.core.errors import DataError, InputError
from detectable.live import Rule, Stop, subsample
from detectable.live.order import block_of, drawn, order_hash, place
from detectable.live.order import subsample as subsample_of_order
from detectable.live.task_logs import task_logs
from tests.gold_live import live
from tests.helpers import reference_data


def _replay(new: Any, old: Any, metric: str, **rule: Any) -> Stop:
    answers = new.answers(metric)
    known = None if old is None else old.means(metric, 0.0)
    stop = Stop(Rule(metric=metric, **rule), task=new.task, baseline=known)
    order = subsample(new.questions, seed=rule["seed"], task=new.task)
    stop.start(order, epochs=new.epochs)
    for epoch in range(1, new.epochs + 1):
        for item in order:
            if stop.add(item, answers[item, epoch], epoch=epoch):
                return stop
    return stop


def _of_gold(case: str) -> Stop:
    logs = {name: task_logs(reference_data("data", "live_logs", "inspect", name))
            for name in ("new", "old")}  # fmt: skip
    if case.startswith("precision"):
        kind, metric, seed = case.replace("difference, ", "difference ").split(", ")
        rule = {"half_width": float(kind.split()[1]), "seed": int(seed.split()[1])}
        before = logs["old"]["arith"] if "difference" in case else None
        return _replay(logs["new"]["arith"], before, "match", **rule)
    who, what, margin, seed = case.split(", ")
    new, old = who.split(" vs ")
    task, metric = what.split("/")
    rule = {"margin": float(margin.split()[1]), "seed": int(seed.split()[1])}
    return _replay(logs[new][task], logs[old][task], metric, alpha_fail=0.025, **rule)


def test_kept_logs_decide_as_gold_says() -> None:
    """22 replays, one question at a time: decision, look, statistics and boundaries."""
    cases = live("replay")
    for one in cases:
        case = one.settings["case"]
        stop = _of_gold(_shaped(case))
        last, wanted = stop.looks[-1], one.value
        assert (stop.decision, len(stop.looks), last.n, last.unfinished) == (
            wanted["decision"],
            wanted["looks"],
            wanted["questions"],
            wanted["unfinished"],
        ), case
        found = (last.t, last.estimate, last.z_pass, last.z_fail, last.bound, last.bound_fail)
        names = ("share", "estimate_counted_against", "a", "b", "bound", "bound_fail")
        for value, name in zip(found, names, strict=True):
            assert value == pytest.approx(wanted[name], abs=1e-6), (case, name)
    assert len(cases) == 22


def _shaped(case: str) -> str:
    return case.replace("new arith/match", "arith/match")


def test_a_loop_of_three_lines() -> None:
    stop = Stop(Rule(margin=0.1, seed=7), baseline=dict.fromkeys(range(200), 1.0))
    asked = 0
    for question in stop.order(range(200)):
        asked += 1
        if stop.add(question, 1.0):
            break
    assert (stop.decision, asked) == ("stop: pass", 80)  # z = √(80 · .1/.9) = 2.98 ≥ 2.87


def _stream(rng: np.random.Generator, n: int, agreement: float, loss: float) -> Any:
    lost = (1.0 - agreement + loss) / 2.0
    return rng.choice([-1, 0, 1], n, p=[lost, agreement, 1.0 - agreement - lost])


@settings(max_examples=30, deadline=None)
@given(
    st.integers(0, 10_000),
    st.sampled_from([(200, 0.8, 0.0), (200, 0.8, 0.05), (200, 0.8, 0.15), (1000, 0.95, 0.02)]),
    st.integers(1, 120),
)
def test_what_is_unfinished_never_decides_what_the_whole_prefix_would_not(
    seed: int, design: tuple[int, float, float], window: int
) -> None:
    """Also the second condition of a fail: a pass is unlikely even with the unfinished as right."""
    rng = np.random.default_rng(seed)
    n, agreement, loss = design
    d = _stream(rng, n, agreement, loss)
    old = np.where(d == 1, 0.0, np.where(d == -1, 1.0, rng.integers(0, 2, n)))
    rule = Rule(margin=0.05, seed=1)
    known = {str(i): float(old[i]) for i in range(n)}
    names = subsample(known, seed=1, n=n)
    live, whole = Stop(rule, baseline=known), Stop(rule, baseline=known)
    live.start(names)
    whole.start(names)
    # Samples end out of order, within a window of what runs at once.
    ends = np.argsort(np.arange(n) + rng.uniform(0, window, n), kind="stable")
    for at in ends:
        i = int(names[at])
        if live.add(names[at], float(old[i] + d[i])):
            break
    for name in names:
        i = int(name)
        if whole.add(name, float(old[i] + d[i])):
            break
    assert live.decision == whole.decision


def test_an_error_counts_0_and_a_retry_replaces_it() -> None:
    stop = Stop(Rule(margin=0.1), baseline=dict.fromkeys("abcdefghij", 1.0))
    stop.start("abcdefghij")
    for item in "abcdefghi":
        stop.add(item, 1.0)
    stop.add("j", None)
    counted = stop.looks[-1]
    again = Stop(Rule(margin=0.1), baseline=dict.fromkeys("abcdefghij", 1.0))
    again.start("abcdefghij")
    again.add("j", None)
    for item in "abcdefghi":
        again.add(item, 1.0)
    assert (counted.estimate, again.looks[-1].estimate) == (-0.1, -0.1)
    healed = Stop(Rule(margin=0.1), baseline=dict.fromkeys("abcdefghij", 1.0))
    healed.start("abcdefghij")
    healed.add("j", None)
    healed.add("j", 1.0)
    for item in "abcdefghi":
        healed.add(item, 1.0)
    assert healed.looks[-1].estimate == 0.0


def test_where_lower_is_better_the_worst_score_is_the_highest() -> None:
    rule = Rule(margin=0.3, lower_is_better=True)
    assert rule.errors_count == 1.0
    stop = Stop(rule, baseline=dict.fromkeys(range(60), 0.0))
    for question in stop.order(range(60)):
        stop.add(question, None if question < 30 else 0.0)
    assert stop.decision == "stop: fail"
    endless = Stop(
        Rule(margin=0.3, lower_is_better=True, scale=None), baseline={"a": 0.0, "b": 1.0}
    )
    endless.start("ab")
    with pytest.raises(DataError, match=r"no worst one\. Give the scale"):
        endless.add("a", None)


def test_two_systems_that_run_together() -> None:
    rng = np.random.default_rng(3)
    right = rng.random(300) < 0.7
    stop = Stop(Rule(margin=0.1, seed=2))
    for question in stop.order(range(300)):
        if stop.add_pair(question, new=float(right[question]), old=float(right[question])):
            break
    alone = Stop(Rule(margin=0.1, seed=2), baseline={i: float(right[i]) for i in range(300)})
    for question in alone.order(range(300)):
        if alone.add(question, float(right[question])):
            break
    assert stop.decision == alone.decision == "stop: pass"
    # While one of two is unfinished, both are counted against the claim: never an earlier stop.
    assert stop.looks[-1].t >= alone.looks[-1].t


def test_without_a_margin_it_ends_as_better_or_worse() -> None:
    for new, decision in ((1.0, "stop: better"), (0.0, "stop: worse")):
        rng = np.random.default_rng(1)
        old = {i: float(rng.random() < 0.5) for i in range(200)}
        stop = Stop(Rule(seed=4), baseline=old)
        for question in stop.order(range(200)):
            if stop.add(question, new):
                break
        assert stop.decision == decision


def test_scores_without_a_scale_wait_for_the_whole_prefix() -> None:
    rule = Rule(margin=5.0, scale=None)
    stop = Stop(rule, baseline=dict.fromkeys(range(40), 0.0))
    order = stop.order(range(40))
    for question in order[1:]:
        stop.add(question, 100.0 + question)
    assert not stop.looks
    stop.add(order[0], 100.0)
    assert stop.decision == "stop: pass"


def test_giving_up_is_advice_unless_the_plan_says_so() -> None:
    rng = np.random.default_rng(8)
    d = _stream(rng, 400, 0.3, 0.03)
    old = dict.fromkeys(range(400), 0.5)
    ends = {}
    for futility in (False, True):
        rule = Rule(margin=0.05, futility=futility, scale=(-1.0, 2.0), seed=8)
        stop = Stop(rule, baseline=old)
        for question in stop.order(range(400)):
            if stop.add(question, 0.5 + d[question]):
                break
        ends[futility] = stop
    assert any(look.futile for look in ends[False].looks)
    assert ends[True].decision == "stop: futile"
    assert ends[False].decision != "stop: futile"


def test_a_declared_end_is_a_last_look_at_what_has_no_gap() -> None:
    stop = Stop(Rule(margin=0.2), baseline=dict.fromkeys(range(400), 1.0))
    order = stop.order(range(400))
    for question in order[:13]:
        stop.add(question, 1.0)
    stop.add(order[14], 1.0)
    assert not stop.looks
    assert stop.end("max_tokens")
    assert (stop.looks[-1].n, stop.looks[-1].unfinished, stop.cap) == (13, 0, "max_tokens")
    assert stop.decision == "stop: pass"  # 13 of 13, with all of α


def test_what_is_refused() -> None:
    with pytest.raises(InputError, match="`start` must come first"):
        Stop(Rule(), baseline={"a": 1.0}).add("a", 1.0)
    stop = Stop(Rule(), baseline=dict.fromkeys("abc", 1.0))
    with pytest.raises(
        DataError, match="the baseline has 3 of 5 questions; 90 % must be in both"
    ):
        stop.start("abcde")
    stop.start("abc")
    with pytest.raises(DataError, match="there is no question 'z'"):
        stop.add("z", 1.0)
    with pytest.raises(DataError, match="the score 7 lies outside the scale 0 to 1"):
        stop.add("a", 7.0)
    with pytest.raises(DataError, match="no finite number"):
        stop.add("a", math.nan)
    with pytest.raises(InputError, match=r"`old` is known from the baseline\. Use `add`"):
        stop.add_pair("a", new=1.0, old=1.0)
    with pytest.raises(InputError, match="ask for different ends"):
        Rule(margin=0.1, half_width=0.1)


def test_a_record_is_plain_and_says_the_rule() -> None:
    stop = Stop(Rule(margin=0.1, seed=7), task="t", baseline=dict.fromkeys(range(50), 1.0))
    for question in stop.order(range(50)):
        stop.add(question, 1.0)
    record = json.loads(json.dumps(stop.record()))
    assert record["rule"]["margin"] == 0.1
    assert (record["samples_planned"], record["random_order"]) == (50, True)
    assert record["looks"][0]["n"] == 30


def test_a_loss_that_may_still_pass_is_no_fail_yet() -> None:
    """After 400 of 2,000 questions 22 are lost and 3 won: a loss is shown, and within the margin of .05."""
    won = {100, 200, 300}
    lost = {i for i in range(400) if i % 18 == 7}
    old = {i: float(i not in won) for i in range(2000)}
    stop = Stop(Rule(margin=0.05), baseline=old)
    stop.start(range(2000))
    for i in range(400):
        stop.add(i, 1.0 - old[i] if i in won | lost else old[i])
    last = stop.looks[-1]
    assert (last.n, len(lost), stop.decision) == (400, 22, "continue")
    assert last.bound_fail is not None
    assert last.z_fail < -last.bound_fail
    # Half of the next hundred are lost: now a pass has become unlikely.
    for i in range(400, 500):
        stop.add(i, float(i % 2))
    assert stop.decision == "stop: fail"


# --- The random order of questions: published places, nested draws, blocks and groups ---

ITEMS = st.lists(st.text(max_size=6), unique=True, min_size=1, max_size=40)


def test_places_of_gold() -> None:
    cases = live("place")
    for one in cases:
        assert str(place(**one.settings)) == one.value["place"]
    assert len(cases) == 4


def test_a_place_is_the_beginning_of_a_hash() -> None:
    """Computed with sha256sum of the text ``[2026,"mmlu","q \\u00e9"]``."""
    assert place(2026, "mmlu", "q é") == 11525887080313679467


def test_draws_of_gold() -> None:
    cases = live("subsample")
    for one in cases:
        said = one.settings
        found = subsample_of_order(range(60), seed=said["seed"], task=said["task"], n=said["n"])
        assert found == one.value["order"]
    assert len(cases) == 2


@given(ITEMS, st.integers(0, 99))
def test_a_draw_is_part_of_every_larger_one_and_no_question_moves_another(
    items: list[str], seed: int
) -> None:
    whole = subsample_of_order(items, seed=seed, task="t")
    assert sorted(whole) == sorted(items)
    assert subsample_of_order(reversed(items), seed=seed, task="t") == whole
    for n in range(1, len(items)):
        assert subsample_of_order(items, seed=seed, task="t", n=n) == whole[:n]
    assert subsample_of_order(items[1:], seed=seed, task="t") == [
        i for i in whole if i != items[0]
    ]


@given(ITEMS, st.integers(1, 7))
def test_blocks_are_the_order_cut_into_parts(items: list[str], parts: int) -> None:
    cut = [block_of(items, k, parts) for k in range(1, parts + 1)]
    assert [item for block in cut for item in block] == items
    assert max(map(len, cut)) - min(map(len, cut)) <= 1


def test_tasks_of_the_same_questions_differ_unless_told_otherwise() -> None:
    tasks = {"a": [str(i) for i in range(50)], "b": [str(i) for i in range(50)]}
    own = drawn(tasks, seed=3, n=10).tasks
    same = drawn(tasks, seed=3, n=10, same_across_tasks=True).tasks
    assert own["a"] != own["b"]
    assert same["a"] == same["b"]


def test_groups_are_drawn_whole() -> None:
    items = [f"q{i}" for i in range(40)]
    groups = {item: f"p{i // 4}" for i, item in enumerate(items)}
    found = subsample_of_order(items, seed=5, n=10, groups=groups)
    assert set(Counter(groups[item] for item in found).values()) == {4}
    assert len(found) == 12
    assert found == subsample_of_order(items, seed=5, n=30, groups=groups)[:12]


def test_forms_that_harnesses_take() -> None:
    tasks = {"t": ["0", "1", "2", "3"]}
    order = [int(i) for i in drawn(tasks, seed=1).tasks["t"]]
    assert json.loads(drawn(tasks, seed=1, format="lm-eval").printed) == {"t": order}
    assert drawn(tasks, seed=1, format="inspect").printed == ",".join(map(str, order))
    assert drawn(tasks, seed=1).printed.split("\n") == [str(i) for i in order]


def test_bad_input() -> None:
    with pytest.raises(
        InputError, match=r"`items` must name every question once; 1 comes twice"
    ):
        subsample_of_order([1, 2, 1], seed=0)
    with pytest.raises(InputError, match="`block` must be one of 5; got 6"):
        block_of([1, 2], 6, 5)
    with pytest.raises(InputError, match="questions that are numbers"):
        _ = drawn({"t": ["a"]}, format="lm-eval").printed


def test_an_order_is_known_again() -> None:
    assert order_hash(["a", "b"]) == order_hash(["a", "b"]) != order_hash(["b", "a"])
