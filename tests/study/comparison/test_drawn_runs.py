"""What fewer runs would have said: against every choice counted by hand, and the whole comparison."""

import itertools
import re
from typing import Any

import numpy as np
import pytest

import detectable as dt
from detectable.core.errors import InputError
from detectable.core.types import FloatArray, silent
from detectable.data.texts.read_corpus import read_corpus
from detectable.metrics.registry import metric
from detectable.study.comparison.drawn_runs import _DRAWS, _said
from detectable.study.comparison.measure import measure
from detectable.study.comparison.parts import DrawnRuns
from detectable.study.comparison.result import Comparison
from tests.helpers import reference_data

QUICK: dict[str, Any] = {"n_resamples": 999, "rng": 1, "n_examples": 0, "baseline": "old"}


def table(runs: int = 3, *, n: int = 60, apart: float = 0.5) -> dict[str, FloatArray]:
    rng = np.random.default_rng(8)
    item = rng.normal(0, 2, n)
    return {
        name: 20 + gain + item + rng.normal(0, 0.4, (runs, 1)) + rng.normal(0, 1, (runs, n))
        for name, gain in (("old", 0.0), ("new", apart))
    }


def rows(found: Comparison, which: str = "random") -> list[DrawnRuns]:
    return [row for row in found.drawn_runs if row.which == which]


def t_of(new: FloatArray, old: FloatArray) -> float:
    """Return the p-value of a t test of item means, by textbook."""
    from scipy.stats import ttest_rel

    return float(ttest_rel(new.mean(axis=0), old.mean(axis=0)).pvalue)


def test_few_choices_are_all_taken() -> None:
    data = table()
    found = dt.compare(dt.Scores.build(data), runs_drawn=(2, 1), **QUICK)
    one, two = rows(found)
    assert (one.n, two.n) == (1, 2)
    for row in (one, two):
        choices = list(itertools.product(itertools.combinations(range(3), row.n), repeat=2))
        differences = [
            data["new"][list(a)].mean() - data["old"][list(b)].mean() for a, b in choices
        ]
        p_values = [t_of(data["new"][list(a)], data["old"][list(b)]) for a, b in choices]
        assert row.n_draws == len(choices) == 9
        assert row.difference == pytest.approx(np.median(differences))
        assert row.differences == pytest.approx(np.quantile(differences, (0.025, 0.975)))
        assert row.p_value == pytest.approx(np.median(p_values))
        assert row.p_values == pytest.approx(np.quantile(p_values, (0.025, 0.975)))
        assert row.significant == pytest.approx(np.mean(np.array(p_values) <= 0.05))
        assert row.opposite == pytest.approx(np.mean(np.array(differences) < 0.0))
        assert sum(row.counts) == 9
        assert len(row.edges) == len(row.counts) + 1
        assert any(abs(edge) < 1e-12 for edge in row.edges)


def test_all_runs_say_what_the_comparison_says() -> None:
    found = dt.compare(dt.Scores.build(table()), runs_drawn=[3], **QUICK)
    (row,) = rows(found)
    assert row.n_draws == 1
    assert row.difference == pytest.approx(found.pairs[0].difference)
    assert found.pairs[0].these_runs is not None
    assert row.p_value == pytest.approx(found.pairs[0].these_runs.p_value, abs=0.05)


def test_luck_is_the_best_against_the_worst() -> None:
    data = table(4)
    found = dt.compare(dt.Scores.build(data), runs_drawn=[1], **QUICK)
    new, old = (np.sort(data[name].mean(axis=1)) for name in ("new", "old"))
    wanted = {
        "unlucky": new[0] - old[-1],
        "median": new[2] - old[2],
        "lucky": new[-1] - old[0],
    }
    for which, difference in wanted.items():
        (row,) = rows(found, which)
        assert (row.n, row.n_draws, row.counts) == (1, 1, ())
        assert row.difference == pytest.approx(difference)


def test_where_lower_is_better_the_lucky_run_is_the_lowest() -> None:
    data = table(3)
    found = dt.compare(
        dt.Scores.build(data), runs_drawn=[1], lower_is_better=["score"], **QUICK
    )
    (row,) = rows(found, "lucky")
    new, old = (data[name].mean(axis=1) for name in ("new", "old"))
    assert row.difference == pytest.approx(new.min() - old.max())


def test_many_runs_are_drawn_and_narrow_as_their_number_grows() -> None:
    data = dt.Scores.build(table(40))
    found = dt.compare(data, runs_drawn=(1, 5, 20), **QUICK)
    widths = [row.differences[1] - row.differences[0] for row in rows(found)]
    assert widths[0] > widths[1] > widths[2]
    assert [row.n_draws for row in rows(found)] == [_DRAWS] * 3
    again = dt.compare(data, runs_drawn=(1, 5, 20), **QUICK)
    assert again.drawn_runs == found.drawn_runs
    assert repr(dt.compare(data, **QUICK).pairs) == repr(
        found.pairs
    )  # no other draw has changed


def test_draws_without_one_run_twice_have_the_variance_of_a_finite_population() -> None:
    """Var of a mean of n out of R: s²/n · (1 − n/R), for both systems."""
    data = table(30)
    found = dt.compare(dt.Scores.build(data), runs_drawn=[5], **QUICK)
    (row,) = rows(found)
    variance = sum(
        data[name].mean(axis=1).var(ddof=1) / 5 * (1 - 5 / 30) for name in ("new", "old")
    )
    middles = np.add(row.edges[1:], row.edges[:-1]) / 2
    spread = float(np.sqrt(np.average((middles - row.difference) ** 2, weights=row.counts)))
    # The standard error of a standard deviation of 1,000 draws is 2.2 % of it; bars add a little.
    assert spread == pytest.approx(np.sqrt(variance), rel=4 * 0.023)


@pytest.mark.parametrize(
    ("runs", "wanted", "message"),
    [
        (
            3,
            [4],
            "`runs_drawn` asks for 4 runs, and new has 3. Ask for no more, or give more runs.",
        ),
        (1, [1], "`runs_drawn` draws from several runs of a system, and every system has one."),
        (3, [0], "`runs_drawn` must be a whole number ≥ 1; got 0"),
    ],
)
def test_what_cannot_be_drawn(runs: int, wanted: list[int], message: str) -> None:
    data = {
        name: values[: 3 if name == "old" and runs > 1 else runs]
        for name, values in table().items()
    }
    with pytest.raises(InputError, match=re.escape(message.replace("new has", "old has"))):
        dt.compare(dt.Scores.build(data), runs_drawn=wanted, **QUICK)


def test_samples_of_items_are_no_runs() -> None:
    data = dt.Scores.build(table(), repeats="samples")
    with pytest.raises(
        InputError, match="`runs_drawn` is about runs of a system, and the scores"
    ):
        dt.compare(data, runs_drawn=[1], **QUICK)


def test_the_median_run_may_be_that_of_the_development_set() -> None:
    data = dt.Scores.build(table())
    dev = {"old": [1.0, 3.0, 2.0], "new": [5.0, 4.0, 6.0]}
    by_test = dt.compare(data, dev_scores=dev, **QUICK)
    by_dev = dt.compare(data, dev_scores=dev, median_by="dev", **QUICK)
    assert [row.median_run for row in by_dev.systems] == [2, 0]
    middle = [sorted(row.runs)[1] for row in by_test.systems]
    assert [row.runs[row.median_run] for row in by_test.systems] == middle
    assert (by_test.median_by, by_dev.median_by) == ("test", "dev")
    with pytest.raises(InputError, match="there are none of new"):
        dt.compare(data, dev_scores={"old": dev["old"]}, median_by="dev", **QUICK)
    with pytest.raises(InputError, match="chooses among runs, and every system has one"):
        dt.compare(dt.Scores.build(table(1)), median_by="dev", **QUICK)


@pytest.mark.golden
def test_p_values_of_single_runs_are_those_of_swaps() -> None:
    """Against sacreBLEU 2.6.0, 10,000 swaps of MultEval's example, each run alone with baseline.opt0."""
    folder = reference_data("data", "multeval")
    corpus = read_corpus(
        {
            name: [folder / f"hyps.lc.tok.en.{name}.opt{run}" for run in range(3)]
            for name in ("baseline", "sys1")
        },
        [folder / "refs.test2010.lc.tok.en.0"],
    )
    sample = measure(
        corpus, (metric("bleu", tokenize="none"),), unit="segment", progress=silent
    ).units[0]
    choices = np.array([[0], [1], [2]]), np.array([[0], [0], [0]])
    differences, p_values = _said(sample, (1, 0), choices)
    assert differences == pytest.approx(
        [18.986909, 18.474014, 18.979487] - np.array(18.538889), abs=2e-6
    )
    for p, swapped in zip(p_values, (0.0005, 0.6144, 0.0017), strict=True):
        assert p == pytest.approx(swapped, abs=4 * (swapped * (1 - swapped) / 10_000) ** 0.5)
