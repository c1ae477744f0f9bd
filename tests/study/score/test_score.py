"""One system with error bars: scores, intervals, what could be told apart."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import detectable as dt
from detectable.core.errors import DataError, InputError
from detectable.data.scores.scores import Scores
from detectable.inference.shares import wilson_limits
from detectable.inference.standard_errors import cluster_mean
from detectable.kernels.distributions import t_quantile
from detectable.planning.accuracy import Accuracy
from detectable.planning.ask import mde
from detectable.study.comparison.compare import compare
from detectable.study.score.score import score


def answers(n: int, share: float, k: int = 1, *, seed: int = 1, **more: Any) -> Scores:
    rng = np.random.default_rng(seed)
    chance = rng.beta(8.0 * share, 8.0 * (1.0 - share), n)
    table = (rng.random((k, n)) < chance).astype(float)
    return Scores.build({"A": table}, repeats="samples", metric="match", **more)


def test_it_is_the_interval_that_compare_prints() -> None:
    one = answers(120, 0.8)
    both = Scores.build(
        {**one.systems, "B": answers(120, 0.7, seed=2).systems["A"]}, metric="match"
    )
    beside = next(row for row in compare(both, rng=1).systems if row.system == "A")
    row = score(both, system="A").rows[0]
    assert row.interval.to_json() == pytest.approx(beside.interval.to_json())


def test_answers_to_one_question_count_for_what_they_say() -> None:
    equal = Scores.build({"A": [[1.0, 0.0] * 30] * 4}, repeats="samples", metric="match")
    once = Scores.build({"A": [1.0, 0.0] * 30}, metric="match")
    assert score(equal).rows[0].interval == score(once).rows[0].interval
    row = score(equal).rows[0]
    assert (row.n_items, row.n_samples, row.n_clusters) == (60, 240, 60)


def test_no_more_answers_than_there_are() -> None:
    """Where questions hardly differ, their spread would promise more answers than were given."""
    table = np.array([[1.0] * 40, [0.0] * 40])
    table[1, 0] = 1.0
    row = score(Scores.build({"A": table}, repeats="samples", metric="match")).rows[0]
    assert row.score * (1.0 - row.score) / row.standard_error**2 > 80
    low, high = wilson_limits(row.score, 80.0, t_quantile(0.975, 39.0))
    assert row.interval.to_json() == pytest.approx([low, high])


def test_passages_widen_the_interval() -> None:
    table = np.repeat(np.tile([1.0, 0.0, 1.0], 10), 5)
    alone = score(Scores.build({"A": table}, metric="match")).rows[0]
    grouped = score(
        Scores.build({"A": table}, metric="match", documents=[f"p{i // 5}" for i in range(150)])
    ).rows[0]
    assert grouped.n_clusters == 30
    assert (
        grouped.interval.high - grouped.interval.low > alone.interval.high - alone.interval.low
    )


def test_other_scores_have_t_over_questions() -> None:
    values = np.random.default_rng(3).gamma(2.0, 1.0, 40)
    row = score(Scores.build({"A": values}, metric="fluency")).rows[0]
    assert row.method == "t"
    assert row.interval.to_json() == pytest.approx(
        cluster_mean(values).interval(0.95).to_json()
    )


def test_what_could_be_told_apart_is_the_mde_of_accuracy() -> None:
    found = score(answers(120, 0.8, tasks=["arith"] * 120))
    planned = mde(Accuracy(agreement=0.9), n_items=120, power=0.8, alpha=0.05)
    assert (found.told_apart, found.told_on) == (planned.effect, "arith")
    assert found.told_apart == pytest.approx(0.0814, abs=5e-5)
    assert (
        "a difference of 8.1 points from another system could be detected (80% power)"
        in found.summary()
    )
    few = score(answers(4, 0.5))
    assert math.isnan(few.told_apart)
    assert "No difference from another system could be detected" in few.summary()
    fluent = score(Scores.build({"A": [0.3, 0.4, 1.7]}, metric="fluency"))
    assert "could be detected" not in fluent.summary()


def test_pass_at_k_and_a_mean_over_tasks() -> None:
    scores = answers(60, 0.5, 4, tasks=["a"] * 30 + ["b"] * 30)
    found = score(scores, metric="pass@2", overall="macro")
    assert [(row.task, row.metric) for row in found.rows] == [
        ("a", "pass@2"),
        ("b", "pass@2"),
        ("macro mean", "pass@2"),
    ]
    first, second, mean = found.rows
    assert mean.score == pytest.approx((first.score + second.score) / 2.0)
    half = [0.5 * (row.score - row.interval.low) for row in (first, second)]
    assert mean.score - mean.interval.low == pytest.approx(math.hypot(*half))
    with pytest.raises(DataError, match="take at most pass@4"):
        score(scores, metric="pass@5")


def test_slices() -> None:
    scores = answers(40, 0.6, slices=["de"] * 30 + ["en"] * 10)
    found = score(scores, by="lang")
    assert [(row.task, row.slice, row.n_items) for row in found.rows] == [
        ("all", "", 40),
        ("all (de)", "de", 30),
        ("all (en)", "en", 10),
    ]
    with pytest.raises(InputError, match="no question is known by 'lang'"):
        score(answers(40, 0.6), by="lang")


def test_of_several_systems_one_is_chosen() -> None:
    both = Scores.build({"A": [1.0, 0.0], "B": [0.0, 1.0]})
    with pytest.raises(DataError, match="Say which one is meant"):
        score(both)
    assert score(both, system="B").system == "B"


@pytest.mark.parametrize("options", [{"errors": "zero"}, {"metrics": ["match"]}])
def test_what_says_how_files_are_read_is_refused_of_scores(options: dict[str, Any]) -> None:
    (name,) = options
    with pytest.raises(InputError, match=f"`{name}` says how files are read"):
        score(answers(10, 0.5), **options)
    both = Scores.build({"A": [1.0, 0.0] * 20, "B": [1.0] * 40}, metric="match")
    with pytest.raises(InputError, match=f"`{name}` says how files are read"):
        dt.gate(both, "A", margin=0.1, **options)


def test_all_right_is_not_certain() -> None:
    row = score(Scores.build({"A": [1.0] * 40}, metric="match")).rows[0]
    assert row.interval.high == 1.0
    assert 0.88 < row.interval.low < 0.93


def test_one_question_says_nothing_about_chance() -> None:
    found = score(Scores.build({"A": [1.0]}, metric="match"))
    assert math.isnan(found.rows[0].interval.low)
    assert any("says nothing about chance" in note for note in found.notes)


def test_it_is_kept_and_loaded(tmp_path: Path) -> None:
    found = score(answers(50, 0.8))
    dt.save(found, tmp_path / "s.json")
    assert dt.load(tmp_path / "s.json") == found
    assert found.to_frame().columns[:3] == ["task", "metric", "score"]


def test_a_frame_of_one_system() -> None:
    table = {"prompt_id": [str(i) for i in range(30)], "passed": [True, False, True] * 10}
    row = score(table).rows[0]
    assert (row.metric, row.n_items) == ("passed", 30)
    assert row.score == pytest.approx(2 / 3)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "share", "k", "group"),
    [(30, 0.7, 1, 1), (120, 0.9, 1, 1), (50, 0.8, 4, 1), (120, 0.8, 1, 4), (40, 0.95, 2, 1)],
)
def test_how_often_the_interval_holds_the_truth(
    n: int, share: float, k: int, group: int
) -> None:
    """Questions have chances of their own, passages a common part of it; the truth is their mean."""
    rng, sims, covered = np.random.default_rng(9), 2000, 0
    labels = None if group == 1 else [f"p{i // group}" for i in range(n)]
    for _ in range(sims):
        chance = np.repeat(rng.beta(6.0 * share, 6.0 * (1.0 - share), n // group), group)
        table = (rng.random((k, n)) < chance).astype(float)
        scores = Scores.build({"A": table}, repeats="samples", metric="match", documents=labels)
        interval = score(scores).rows[0].interval
        covered += interval.low <= share <= interval.high
    assert 0.93 <= covered / sims <= 0.985
