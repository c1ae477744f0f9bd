"""Estimates with a judge, against ppi_py and gold/evals.json; several judges by least squares."""

import numpy as np
import pytest

from detectable.core.errors import DataError, InputError
from detectable.data.human.judgments import Judgments
from detectable.inference.control_variate import control_variate
from detectable.study.precision.control_variates import control_variates
from tests.study.precision.judge_file import gold, judge, labels


@pytest.mark.golden
def test_a_judge_is_ppi() -> None:
    found = control_variates(labels(), judge=judge(), baseline="A")
    want = gold()
    assert want["ppi.n"]["items"] == found.systems[0].n_pool
    assert want["ppi.n"]["labelled"] == found.systems[0].n_items
    for row in found.systems:
        key = f"ppi.{row.system}."
        assert row.plain_mean == pytest.approx(want[f"{key}human_mean"])
        assert row.plain_standard_error == pytest.approx(want[f"{key}human_se"], rel=1e-6)
        assert row.mean == pytest.approx(want[f"{key}cv"], rel=1e-6)
        assert row.standard_error == pytest.approx(want[f"{key}cv_se"], rel=1e-6)
        assert row.slope == pytest.approx(want[f"{key}cv_slope"], rel=1e-6)
        # ppi_py clips λ and divides by n: .001 in value, 1 % in standard error.
        for name in ("ppi1", "ppipp"):
            assert row.mean == pytest.approx(want[f"{key}{name}"], abs=1e-3)
        assert row.standard_error == pytest.approx(want[f"{key}ppipp_se"], rel=0.01)
    first = found.systems[0]
    assert first.correlation == pytest.approx(want["ppi.A.corr"], rel=1e-6)
    low, high = want["ppi.A.ppipp_ci"]
    assert (first.interval.low, first.interval.high) == pytest.approx((low, high), abs=2e-3)
    assert np.mean(list(judge()["A"].values())) == pytest.approx(want["ppi.A.judge_mean_all"])
    [pair] = found.pairs
    assert pair.plain_estimate == pytest.approx(want["ppi.diff.human"])
    assert pair.plain_standard_error == pytest.approx(want["ppi.diff.human_se"], rel=1e-6)
    assert pair.estimate == pytest.approx(want["ppi.diff.cv"], rel=1e-6)
    assert pair.standard_error == pytest.approx(want["ppi.diff.cv_se"], rel=1e-6)
    assert pair.correlation == pytest.approx(want["ppi.diff.corr"], rel=1e-6)
    assert pair.estimate == pytest.approx(want["ppi.diff.ppipp"], abs=1e-3)
    assert pair.standard_error == pytest.approx(want["ppi.diff.ppipp_se"], rel=0.01)


@pytest.mark.golden
def test_a_reversed_judge_loses_nothing() -> None:
    turned = {s: {i: 100 - 100 * v for i, v in scores.items()} for s, scores in judge().items()}
    found = control_variates(labels(), judge=turned)
    assert found.systems[0].mean == pytest.approx(gold()["ppi.A.cv"], rel=1e-6)
    # ppi_py clips λ to 0 and gives the human mean.
    assert gold()["ppi.A.flipped_ppipp"] == found.systems[0].plain_mean == 0.6


def people(
    n: int, of: int, seed: int = 1
) -> tuple[Judgments, list[dict[str, dict[str, float]]]]:
    rng = np.random.default_rng(seed)
    first, second = rng.normal(size=(2, of))
    human = first + second + rng.normal(size=of)
    chosen = rng.permutation(of)[:n]
    table = {"system": ["A"] * n, "item": chosen.astype(str), "score": human[chosen]}
    tables = [{"A": {str(i): float(x) for i, x in enumerate(f)}} for f in (first, second)]
    return Judgments.build(table, scale=(-99, 99)), tables


def test_several_judges_are_a_regression_on_all() -> None:
    judgments, tables = people(60, 400)
    [row] = control_variates(judgments, judge=tables).systems
    item = [int(i) for i in judgments.item.labels()]
    x = np.array([[t["A"][str(i)] for t in tables] for i in range(400)])
    design = np.column_stack([np.ones(60), x[item]])
    beta, rss, *_ = np.linalg.lstsq(design, judgments.score, rcond=None)
    assert row.mean == pytest.approx(float(beta @ [1, *x.mean(axis=0)]))
    at = np.array([1, *x.mean(axis=0)])
    variance = float(rss[0]) / 57 * float(at @ np.linalg.inv(design.T @ design) @ at)
    pool = float(np.var(x @ beta[1:], ddof=1)) / 400
    assert row.standard_error == pytest.approx(np.sqrt(variance + pool))
    assert row.df == 57
    alone = control_variates(judgments, judge=tables[0]).systems[0]
    assert row.standard_error < alone.standard_error < row.plain_standard_error
    assert row.correlation > alone.correlation


def test_a_judge_given_twice_counts_once() -> None:
    judgments, tables = people(60, 400)
    one = control_variates(judgments, judge=tables[0]).systems[0]
    twice = control_variates(judgments, judge=[tables[0], tables[0]]).systems[0]
    assert (twice.mean, twice.standard_error) == pytest.approx((one.mean, one.standard_error))


def test_a_plane_through_one_metric_is_the_line() -> None:
    rng = np.random.default_rng(4)
    f = rng.normal(size=200)
    h = np.where(np.arange(200) < 40, f + rng.normal(size=200), np.nan)
    for documents in (None, np.arange(200) // 5):
        line, plane = (control_variate(h, x, clusters=documents) for x in (f, f[:, None]))
        assert plane.adjusted.value == pytest.approx(line.adjusted.value)
        assert plane.adjusted.standard_error == pytest.approx(line.adjusted.standard_error)
        assert plane.slopes == pytest.approx((line.slope,))
        assert abs(plane.correlation) == pytest.approx(abs(line.correlation))


def test_messages() -> None:
    judgments, tables = people(15, 400)
    with pytest.raises(DataError, match=r"2 metrics need 20 judged items, 10 for each; got 15"):
        control_variates(judgments, judge=tables)
    with pytest.raises(InputError, match="give one of `metric_scores` and `judge`"):
        control_variates(judgments, tables[0], judge=tables[0])
    with pytest.raises(InputError, match="give one of `metric_scores` and `judge`"):
        control_variates(judgments)
    with pytest.raises(InputError, match="`judge` must have at least one"):
        control_variates(judgments, judge=[])
    other = {"A": {f"x{i}": 1.0 for i in range(5)}}
    with pytest.raises(DataError, match="no judged item has a metric score"):
        control_variates(judgments, judge=[tables[0], other])


@pytest.mark.slow
def test_intervals_with_two_judges_cover() -> None:
    held = 0
    for seed in range(1500):
        judgments, tables = people(40, 400, seed)
        held += 0.0 in control_variates(judgments, judge=tables).systems[0].interval
    assert held / 1500 == pytest.approx(0.95, abs=4 * (0.05 * 0.95 / 1500) ** 0.5)
