"""Several tasks: a row for each, and their weighted mean with its own standard error."""

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

from detectable.core.errors import InputError, SuspiciousDataWarning
from detectable.data.scores.scores import Scores
from detectable.inference.margin_score import MarginScore
from detectable.report.shown.comparison_words import scope
from detectable.study.comparison.compare import compare
from detectable.study.comparison.result import Comparison
from tests.gold_evals import epochs, evals

NAN = float("nan")


def tasks_of(
    *sizes: int, seed: int = 1, effect: float = 0.5, documents: list[str] | None = None
) -> Scores:
    """Return two systems on tasks t1, t2, … of these sizes."""
    rng = np.random.default_rng(seed)
    n = sum(sizes)
    names = [f"t{t + 1}" for t, size in enumerate(sizes) for _ in range(size)]
    easy = rng.normal(0, 1, n) + np.array([len(name) * 3 + int(name[1:]) for name in names])
    return Scores.build(
        {"A": easy + rng.normal(0, 1, n), "B": easy + effect + rng.normal(0, 1, n)},
        tasks=names,
        documents=documents,
    )


def run(scores: Scores, **options: Any) -> Comparison:
    return compare(scores, baseline="A", rng=1, **options)


@pytest.mark.golden
@pytest.mark.parametrize(
    ("weights", "keys"),
    [
        ("macro", ("task.macro.diff", "task.macro.se", "task.macro.df")),
        ("items", ("task.micro.diff", "task.micro.se", "task.micro.df")),
    ],
)
def test_the_mean_of_the_reference_tasks(weights: Any, keys: tuple[str, ...]) -> None:
    found = run(epochs(), weights=weights)
    (pair,) = found.pairs
    got = pair.difference, pair.standard_error, pair.df
    assert got == pytest.approx(tuple(map(evals, keys)), rel=1e-6)
    assert (found.test, found.tasks and found.tasks.weighting) == ("t", weights)
    scores = {row.system: row.score for row in found.systems}
    assert scores["B"] - scores["A"] == pytest.approx(pair.difference)


@pytest.mark.golden
@pytest.mark.parametrize(
    ("correction", "key"), [("holm", "task.holm"), ("benjamini-hochberg", "task.bh")]
)
def test_the_reference_tasks_one_by_one(correction: Any, key: str) -> None:
    found = run(epochs(), task_correction=correction).tasks
    assert found is not None
    rows = {row.task: row for row in found.rows}
    for got, wanted in (
        (rows["code"].standard_error, "task.code.se"), (rows["code"].p_value, "task.code.p"),
        (rows["math"].difference, "task.math.diff"),
        (rows["math"].standard_error, "task.math.se"), (rows["math"].p_value, "task.math.p"),
        (rows["reading"].difference, "task.reading.diff"),
        (rows["reading"].standard_error, "task.reading.se"),
        (rows["reading"].p_value, "task.reading.p"),
    ):  # fmt: skip
        assert got == pytest.approx(evals(wanted), rel=1e-6), wanted
    adjusted = {name: row.p_adjusted for name, row in rows.items()}
    assert adjusted == pytest.approx(evals(key), rel=1e-6)
    assert [(row.task, row.n_segments, row.n_units) for row in found.rows] == [
        ("math", 60, 60), ("reading", 50, 10), ("code", 20, 20)]  # fmt: skip
    assert [row.verdict for row in found.rows] == ["undecided", "better", "undecided"]


def test_the_formulas_by_hand() -> None:
    scores = tasks_of(12, 30)
    d = (scores.systems["B"] - scores.systems["A"])[0]
    parts = d[:12], d[12:]
    errors = [x.std(ddof=1) / math.sqrt(x.size) for x in parts]
    for weights, w in (("macro", (0.5, 0.5)), ("items", (12 / 42, 30 / 42)),
                       ({"t1": 3, "t2": 1}, (0.75, 0.25))):  # fmt: skip
        (pair,) = run(scores, weights=weights).pairs
        v = [(a * b) ** 2 for a, b in zip(w, errors, strict=True)]
        df = sum(v) ** 2 / (v[0] ** 2 / 11 + v[1] ** 2 / 29)
        value = w[0] * parts[0].mean() + w[1] * parts[1].mean()
        assert (pair.difference, pair.standard_error, pair.df) == pytest.approx(
            (value, math.sqrt(sum(v)), df))  # fmt: skip
        p = 2 * stats.t.sf(abs(value) / math.sqrt(sum(v)), df)
        assert pair.p_value == pytest.approx(p)
        half = stats.t.ppf(0.975, df) * math.sqrt(sum(v))
        assert (pair.interval.low, pair.interval.high) == pytest.approx(
            (value - half, value + half)
        )
    row = run(scores).tasks.rows[1]  # type: ignore[union-attr]
    assert row.p_value == pytest.approx(stats.ttest_1samp(parts[1], 0).pvalue)
    assert row.weight == 0.5
    assert row.score - row.baseline_score == pytest.approx(row.difference)


def test_the_spread_between_tasks_is_no_error_of_these_tasks() -> None:
    rng = np.random.default_rng(3)
    names = [f"t{i // 20}" for i in range(120)]
    shift = np.repeat([3.0, -3.0, 3.0, -3.0, 3.0, -2.0], 20)
    d = shift + rng.normal(0, 1, 120)
    scores = Scores.build({"A": np.zeros(120), "B": d}, tasks=names)
    (fixed,), (random,) = (run(scores, tasks=kind).pairs for kind in ("fixed", "random"))
    assert fixed.difference == pytest.approx(random.difference)
    means = d.reshape(6, 20).mean(axis=1)
    assert random.standard_error == pytest.approx(means.std(ddof=1) / math.sqrt(6))
    assert random.df == 5.0
    assert fixed.standard_error < 0.2 < 1.0 < random.standard_error
    assert "other tasks like these" in scope(run(scores, tasks="random"))
    assert "these tasks." in scope(run(scores))


def test_a_document_of_two_tasks_is_counted_once() -> None:
    """The same source text in two languages: what it adds to both belongs together."""
    rng = np.random.default_rng(4)
    n = 200
    shared = rng.normal(0, 1, n)
    d = np.concatenate([shared + rng.normal(0, 0.1, n), shared + rng.normal(0, 0.1, n)])
    documents = [f"d{i}" for i in range(n)] * 2
    scores = Scores.build(
        {"A": np.zeros(2 * n), "B": d}, tasks=["cs"] * n + ["ja"] * n, documents=documents
    )
    (pair,) = run(scores).pairs
    both = 0.5 * (d[:n] + d[n:])  # one number per document
    right = both.std(ddof=1) / math.sqrt(n)
    assert pair.standard_error == pytest.approx(right, rel=0.01)
    apart = Scores.build(
        {"A": np.zeros(2 * n), "B": d},
        tasks=["cs"] * n + ["ja"] * n,
        documents=[f"d{i}" for i in range(2 * n)],
    )
    assert run(apart).pairs[0].standard_error == pytest.approx(right / math.sqrt(2), rel=0.02)


def test_pooled_items_are_compared_as_without_tasks() -> None:
    scores = tasks_of(15, 25)
    bare = Scores.build(scores.systems)
    together = run(scores, tasks="pooled")
    assert repr(together.pairs) == repr(run(bare).pairs)
    assert together.tasks is None
    assert "tasks" not in together.to_dict()
    assert "tasks" in run(scores).to_dict()


def test_one_task_is_no_task() -> None:
    scores = tasks_of(30)
    assert run(scores).tasks is None
    assert run(scores).test == "swap"


@pytest.mark.parametrize("claim", ["better", "non-inferior", "equivalent"])
def test_every_claim_agrees_with_its_interval(claim: Any) -> None:
    margin = None if claim == "better" else 0.5
    for seed in range(10):
        found = run(tasks_of(20, 30, seed=seed, effect=0.3), claim=claim, margin=margin)
        rows: list[Any] = [*found.pairs, *(found.tasks.rows if found.tasks else ())]
        for row in rows:
            low, high = row.interval.low, row.interval.high
            shown = {
                "better": not low <= 0.0 <= high,
                "non-inferior": low > -0.5,
                "equivalent": low > -0.5 and high < 0.5,
            }[claim]
            assert shown == (row.verdict != "undecided")
            assert shown == (row.p_adjusted <= 0.05)


def test_an_effect_and_its_units() -> None:
    found = run(tasks_of(20, 30), effect=0.1)
    (pair,) = found.pairs
    ratio = pair.mde / 0.1
    assert pair.units_needed == pytest.approx(50 * ratio**2, rel=0.05)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"test": "randomization"}, r"`test='randomization'` takes all items together"),
        ({"test": "bootstrap"}, r"the data hold 2 tasks.*tasks='pooled'"),
        ({"interval": "bca"}, r"`interval='bca'` takes all"),
        ({"correction": "max-t"}, r"`correction='max-t'` takes all"),
        ({"runs": "random"}, r"`runs='random'` takes all"),
        ({"tasks": "random"}, r"needs at least 5; got 2"),
        ({"weights": {"t1": 1}}, r"a weight to every task; t2 has none"),
        ({"weights": {"t1": 1, "t2": 0}}, r"`weights` must be"),
        ({"weights": {"t1": 1, "t2": 1, "t9": 1}}, r"weights of task"),
        ({"weights": "size"}, r"`weights` must be one of macro, items"),
        ({"tasks": "pooled", "weights": "items"}, r"needs several tasks, and the items are taken"),
        ({"tasks": "all"}, r"`tasks` must be one of fixed, random, pooled"),
        ({"task_correction": "x"}, r"`task_correction` must be one of"),
    ],
)  # fmt: skip
def test_what_does_not_go_with_tasks(options: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        run(tasks_of(10, 12), **options)


@pytest.mark.filterwarnings("ignore::detectable.core.errors.CompatibilityWarning")
def test_other_tools_know_no_tasks() -> None:
    with pytest.raises(InputError, match=r"`compat='multeval'` takes all items together"):
        run(tasks_of(10, 12), compat="multeval")


def test_options_of_tasks_need_tasks() -> None:
    bare = Scores.build(tasks_of(10, 12).systems)
    for options, message in (
        ({"tasks": "random"}, "needs several tasks, and the scores hold one"),
        ({"weights": "items"}, "needs several tasks"),
        ({"task_correction": "none"}, "needs several tasks"),
    ):
        with pytest.raises(InputError, match=message):
            run(bare, **options)
    many = tasks_of(*[4] * 6)
    with pytest.raises(InputError, match=r"does not go with `tasks='random'`"):
        run(many, tasks="random", weights="items")


def test_a_task_of_one_unit_has_no_standard_error() -> None:
    with pytest.raises(InputError, match=r"task 't2' has 1 item, from which no standard error"):
        run(tasks_of(10, 1))
    documents = ["a", "b"] * 5 + ["c"] * 5
    with pytest.raises(InputError, match=r"task 't2' has 1 document"):
        run(tasks_of(10, 5, documents=documents))


def test_a_task_that_a_system_lacks_is_named() -> None:
    scores = tasks_of(10, 12, 8)
    b = np.array(scores.systems["B"])
    b[0, 10:22] = NAN
    cut = Scores.build({"A": scores.systems["A"], "B": b}, tasks=scores.tasks)
    with pytest.warns(SuspiciousDataWarning) as warned:
        found = run(cut)
    assert any("no item is left of t2" in str(one.message) for one in warned)
    assert found.tasks is not None
    assert found.tasks.names == ("t1", "t3")


def test_runs_of_tasks_are_these_runs() -> None:
    rng = np.random.default_rng(5)
    scores = Scores.build(
        {"A": rng.normal(size=(3, 20)), "B": rng.normal(size=(3, 20))}, tasks=["s", "t"] * 10
    )
    found = run(scores)
    assert (found.runs, found.pairs[0].new_runs) == ("fixed", None)


def test_a_metric_that_is_no_mean_has_no_weighted_mean() -> None:
    from tests.study.comparison.tables import RootMeanSquare

    with pytest.raises(InputError, match=r"metric 'rms' is no mean of items"):
        compare(tasks_of(10, 12), RootMeanSquare(), baseline="A")


def test_the_signature_says_how() -> None:
    said = str(run(tasks_of(10, 12), weights={"t1": 1, "t2": 2}).signature)
    assert "tasks:2 fixed|weights:given|task-correction:holm" in said


@pytest.mark.slow
def test_equal_systems_are_told_apart_in_one_case_of_twenty() -> None:
    """Of unequal tasks, with scores in documents: the macro mean, and any task after Holm."""
    rng, trials = np.random.default_rng(6), 1500
    sizes, spread = (40, 12, 25), (0.5, 2.0, 1.0)
    names = [f"t{t}" for t, n in enumerate(sizes) for _ in range(n)]
    scale = np.repeat(spread, sizes)
    wrong = any_task = 0
    for _ in range(trials):
        scores = Scores.build(
            {name: scale * rng.normal(size=len(names)) for name in "AB"}, tasks=names
        )
        found = run(scores, n_examples=0)
        wrong += found.pairs[0].p_value <= 0.05
        any_task += min(row.p_adjusted for row in found.tasks.rows) <= 0.05  # type: ignore[union-attr]
    error = math.sqrt(0.05 * 0.95 / trials)
    assert wrong / trials == pytest.approx(0.05, abs=4 * error)
    assert any_task / trials <= 0.05 + 4 * error


@pytest.mark.slow
def test_skewed_losses_at_the_margin_seldom_pass() -> None:
    """By t, .10 to .12 of 2,000 data sets passed (penalties, exponential, 0 and 1), promised .05."""
    rng, trials = np.random.default_rng(8), 300
    names = [f"t{t}" for t in range(5) for _ in range(6)]
    passed = 0
    for _ in range(trials):
        old = rng.normal(60.0, 5.0, 30)
        scores = Scores.build({"A": old, "B": old - rng.exponential(3.0, 30)}, tasks=names)
        found = run(scores, claim="non-inferior", margin=3.0, n_examples=0)
        assert found.test == "score"
        passed += found.pairs[0].verdict == "non-inferior"
    assert passed / trials <= 0.05 + 2 * math.sqrt(0.05 * 0.95 / trials)


def test_tasks_that_stand_for_others_go_by_their_means() -> None:
    scores = tasks_of(20, 30, 10, 25, 40, 15)
    found = run(scores, tasks="random", claim="non-inferior", margin=0.5)
    means = np.array([row.difference for row in found.tasks.rows])  # type: ignore[union-attr]
    want = MarginScore.of_units(means / means.size, np.full(means.size, 1.0 / means.size))
    assert found.pairs[0].p_value == pytest.approx(want.p_above(-0.5), rel=1e-6)
