"""Several metrics of the same items in one comparison of scores."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import detectable as dt
from detectable.cli import main
from detectable.core.errors import DataError, InputError
from detectable.data.scores.scores import Scores
from tests.helpers import reference_data

N = 80
RNG = np.random.default_rng(11)
ACC = {name: (RNG.random(N) < p).astype(float) for name, p in (("a", 0.6), ("b", 0.85))}
F1 = {name: np.clip(RNG.normal(m, 0.2, N), 0.0, 1.0) for name, m in (("a", 0.5), ("b", 0.52))}
ITEMS = [f"q{i}" for i in range(N)]


def table(values: dict[str, np.ndarray], metric: str, **more: object) -> Scores:
    return Scores.build(values, items=ITEMS, metric=metric, **more)  # type: ignore[arg-type]


def test_each_metric_says_what_it_says_alone() -> None:
    both = dt.compare(table(ACC, "acc"), [table(F1, "f1")], rng=1)
    assert [(row.metric, row.system) for row in both.pairs] == [("acc", "b"), ("f1", "b")]
    for row, data in zip(both.pairs, (table(ACC, "acc"), table(F1, "f1")), strict=True):
        alone = dt.compare(data, rng=1).pairs[0]
        assert row.difference == pytest.approx(alone.difference, abs=1e-12)
        assert row.p_value == pytest.approx(alone.p_value, abs=0.02)
        assert row.verdict == alone.verdict
    exact = dt.compare(table(ACC, "acc"), rng=1).pairs[0]
    assert both.pairs[0].p_value == exact.p_value  # right and wrong answers: counted, not drawn


def test_items_are_matched_by_name_whatever_their_order() -> None:
    turned = table(F1, "f1").take(range(N - 1, -1, -1))
    first = dt.compare(table(ACC, "acc"), [table(F1, "f1")], rng=1)
    again = dt.compare(table(ACC, "acc"), [turned], rng=1)
    assert [row.difference for row in first.pairs] == pytest.approx(
        [row.difference for row in again.pairs]
    )


def test_a_family_of_all_metrics_is_corrected_together() -> None:
    one = dt.compare(table(ACC, "acc"), [table(F1, "f1")], rng=1, correction="holm")
    all_of = dt.compare(
        table(ACC, "acc"),
        [table(F1, "f1")],
        rng=1,
        family="systems-and-metrics",
        correction="holm",
    )
    p = [row.p_value for row in one.pairs]
    assert [row.p_adjusted for row in one.pairs] == p  # one pair each
    assert all_of.pairs[0].p_adjusted == pytest.approx(min(1.0, 2.0 * p[0]), abs=1e-9)
    assert all_of.pairs[1].p_adjusted == pytest.approx(max(p[1], 2.0 * p[0]), abs=1e-9)


def test_items_that_a_metric_lacks_are_left_out_of_all_and_counted() -> None:
    gaps = F1["a"].copy()
    gaps[:5] = np.nan
    found = dt.compare(table(ACC, "acc"), [table({**F1, "a": gaps}, "f1")], rng=1)
    assert found.n_units == N - 5
    assert any(note.startswith("5 items left out") for note in found.notes)
    assert found.pairs[0].difference == pytest.approx((ACC["b"] - ACC["a"])[5:].mean())


def test_directions_margins_and_scales_are_by_metric() -> None:
    slow = {name: 100.0 + 10.0 * values for name, values in F1.items()}
    found = dt.compare(
        table(ACC, "acc"),
        [table(slow, "latency"), table(F1, "words")],
        claim="non-inferior",
        baseline="a",
        margin={"acc": 0.2, "latency": 20.0, "words": 0.5},
        scale={"latency": (0.0, 200.0)},
        lower_is_better=["words"],
    )
    assert [row.verdict for row in found.pairs][:2] == ["non-inferior", "non-inferior"]
    ways = {one["metric"]: one["higher_is_better"] for one in found.metrics}
    assert ways == {"acc": True, "latency": False, "words": False}
    assert "latency: lower is better." in found.notes


def test_tasks_have_rows_for_every_metric() -> None:
    tasks = ["x"] * 40 + ["y"] * 40
    found = dt.compare(table(ACC, "acc", tasks=tasks), [table(F1, "f1", tasks=tasks)], rng=1)
    assert found.tasks is not None
    told = {(row.metric, row.task) for row in found.tasks.rows}
    assert told == {(m, t) for m in ("acc", "f1") for t in ("x", "y")}


def test_samples_are_averaged_and_that_is_said() -> None:
    twice = {name: np.stack([values, values[::-1]]) for name, values in ACC.items()}
    found = dt.compare(
        table(twice, "acc", repeats="samples"),
        [table(F1, "f1")],
        rng=1,
    )
    assert any(note.startswith("Samples of an item are averaged") for note in found.notes)


def test_what_does_not_go_together_is_refused() -> None:
    acc, f1 = table(ACC, "acc"), table(F1, "f1")
    with pytest.raises(InputError, match=r"acc and f1 must be of the same systems; b, c are"):
        dt.compare(acc, [table({"a": F1["a"], "c": F1["b"]}, "f1")])
    with pytest.raises(InputError, match="further scores alone"):
        dt.compare(acc, ["mean", f1])
    with pytest.raises(InputError, match="metric 'acc' is given twice"):
        dt.compare(acc, [acc])
    with pytest.raises(InputError, match=r"must name the scores, acc, f1; got 'g'"):
        dt.compare(acc, [f1], lower_is_better=["g"])
    with pytest.raises(InputError, match="share 0 items"):
        dt.compare(acc, [replace(f1, items=tuple(f"z{i}" for i in range(N)))])
    with pytest.raises(InputError, match="a has 1 run in acc and 2 runs in f1"):
        dt.compare(acc, [table({n: np.stack([v, v + 0.1]) for n, v in F1.items()}, "f1")])


def run(*words: object) -> str:
    done = CliRunner().invoke(main, [str(word) for word in words])
    return str(done.stdout) if done.exit_code == 0 else done.output.splitlines()[-1]


def test_columns_of_a_table_and_scorers_of_logs(tmp_path: Path) -> None:
    rows = [
        f"{name},{item},{ACC[name][i]:g},{F1[name][i]:.4f}"
        for name in ACC
        for i, item in enumerate(ITEMS)
    ]
    path = tmp_path / "t.csv"
    path.write_text("\n".join(["system,item,acc,f1", *rows, ""]))
    each = ("--score-name", "acc", "--score-name", "f1")
    said = run("compare", "--scores", path, *each, "--seed", 1)
    assert "── acc ──" in said
    assert "── f1 ──" in said
    again = run("compare", "--scores", path, *each, "--seed", 1, "--json")
    assert '"metric": "f1"' in again
    assert "every item is scored by acc and by f1" in run(
        "reliability", "--scores", path, *each
    )


@pytest.mark.golden
@pytest.mark.filterwarnings("ignore::detectable.core.errors.DetectableWarning")
def test_scorers_of_different_tasks_are_no_family() -> None:
    logs = reference_data("data", "live_logs", "inspect")
    given = ("--scores", f"old={logs / 'old'}", "--scores", f"new={logs / 'new'}")
    names = ("match", "closeness", "includes")
    said = run("compare", *given, *(w for name in names for w in ("--score-name", name)))
    assert said.startswith("Error: task 'arith' is scored by match and by closeness")
    with pytest.raises(DataError, match="a table has one score of an item"):
        dt.read_scores({"old": logs / "old"}, metric=names)
    one = [next((logs / which).glob("*arith*")) for which in ("old", "new")]
    said = run(
        *("compare", "--scores", f"old={one[0]}", "--scores", f"new={one[1]}"),
        *("--score-name", "match", "--score-name", "closeness", "--seed", 1),
    )
    assert "+0.0417 match." in said
    assert "p = .4583" in said
    assert "+0.0326 closeness" in said
