"""Estimates with a judge, against ppi_py and gold/evals.json; several judges by least squares."""

import numpy as np
import pytest

from detectable.core.errors import DataError, InputError
from detectable.data.human.judgments import Judgments
from detectable.data.scores.scores import Scores
from detectable.inference.control_variate import control_variate
from detectable.study.precision.control_variates import control_variates
from tests.gold_evals import evals
from tests.study.precision.judge_file import judge, labels


@pytest.mark.golden
def test_a_judge_is_ppi() -> None:
    found = control_variates(labels(), judge=judge(), baseline="A")
    assert evals("ppi.n")["items"] == found.systems[0].n_pool
    assert evals("ppi.n")["labelled"] == found.systems[0].n_items
    a, b = found.systems
    for got, key in (
        (a.plain_mean, "ppi.A.human_mean"), (b.plain_mean, "ppi.B.human_mean"),
        (a.plain_standard_error, "ppi.A.human_se"), (b.plain_standard_error, "ppi.B.human_se"),
        (a.mean, "ppi.A.cv"), (b.mean, "ppi.B.cv"),
        (a.standard_error, "ppi.A.cv_se"), (b.standard_error, "ppi.B.cv_se"),
        (a.slope, "ppi.A.cv_slope"), (b.slope, "ppi.B.cv_slope"),
    ):  # fmt: skip
        assert got == pytest.approx(evals(key), rel=1e-6), key
    # ppi_py clips λ and divides by n: .001 in value, 1 % in standard error. What it says itself is
    # in test_ppi_py_by_its_own_formulas.
    for got, key in (
        (a.mean, "ppi.A.ppi1"), (a.mean, "ppi.A.ppipp"),
        (b.mean, "ppi.B.ppi1"), (b.mean, "ppi.B.ppipp"),
    ):  # fmt: skip
        assert got == pytest.approx(evals(key), abs=1e-3), key
    assert a.standard_error == pytest.approx(evals("ppi.A.ppipp_se"), rel=0.01)
    assert b.standard_error == pytest.approx(evals("ppi.B.ppipp_se"), rel=0.01)
    first = found.systems[0]
    assert first.correlation == pytest.approx(evals("ppi.A.corr"), rel=1e-6)
    low, high = evals("ppi.A.ppipp_ci")
    assert (first.interval.low, first.interval.high) == pytest.approx((low, high), abs=2e-3)
    assert np.mean(list(judge()["A"].values())) == pytest.approx(evals("ppi.A.judge_mean_all"))
    [pair] = found.pairs
    assert pair.plain_estimate == pytest.approx(evals("ppi.diff.human"))
    assert pair.plain_standard_error == pytest.approx(evals("ppi.diff.human_se"), rel=1e-6)
    assert pair.estimate == pytest.approx(evals("ppi.diff.cv"), rel=1e-6)
    assert pair.standard_error == pytest.approx(evals("ppi.diff.cv_se"), rel=1e-6)
    assert pair.correlation == pytest.approx(evals("ppi.diff.corr"), rel=1e-6)
    assert pair.estimate == pytest.approx(evals("ppi.diff.ppipp"), abs=1e-3)
    assert pair.standard_error == pytest.approx(evals("ppi.diff.ppipp_se"), rel=0.01)


def by_ppi_py(*systems: str) -> tuple[float, float, float]:
    """Return plain PPI, PPI++ and its standard error as ppi_py 0.2.3 has them.

    Of a system, or of the first less the second. λ is cut to [0, 1], and spreads divide by n.
    """
    people, said, parts = labels(), judge(), []
    for name in systems:
        own = people.take(np.array([s == name for s in people.system.labels()]))
        given = dict(zip(own.item.labels(), own.score.tolist(), strict=True))
        parts.append([(given.get(item, np.nan), score) for item, score in said[name].items()])
    table = np.array(parts[0]) - (np.array(parts[1]) if len(parts) == 2 else 0.0)
    labelled = np.isfinite(table[:, 0])
    (human, there), elsewhere = table[labelled].T, table[~labelled, 1]
    n, more = human.size, elsewhere.size
    common = np.cov(human, there, ddof=0)[0, 1]
    slope = np.clip(common / ((1 + n / more) * table[:, 1].var(ddof=1)), 0.0, 1.0)
    plain = elsewhere.mean() + (human - there).mean()
    tuned = slope * elsewhere.mean() + (human - slope * there).mean()
    spread = (slope * elsewhere).var() / more + (human - slope * there).var() / n
    return float(plain), float(tuned), float(np.sqrt(spread))


@pytest.mark.golden
def test_ppi_py_by_its_own_formulas() -> None:
    """What the numbers of ppi_py beside ours are: the same idea with other divisors and a cut."""
    of_a, of_b, difference = by_ppi_py("A"), by_ppi_py("B"), by_ppi_py("B", "A")
    for got, key in (
        (of_a[0], "ppi.A.ppi1"), (of_a[1], "ppi.A.ppipp"), (of_a[2], "ppi.A.ppipp_se"),
        (of_b[0], "ppi.B.ppi1"), (of_b[1], "ppi.B.ppipp"), (of_b[2], "ppi.B.ppipp_se"),
        (difference[1], "ppi.diff.ppipp"), (difference[2], "ppi.diff.ppipp_se"),
    ):  # fmt: skip
        assert got == pytest.approx(evals(key), rel=1e-6), key
    ends = [of_a[1] + sign * 1.959963985 * of_a[2] for sign in (-1, 1)]
    assert ends == pytest.approx(evals("ppi.A.ppipp_ci"), rel=1e-6)


@pytest.mark.golden
def test_a_reversed_judge_loses_nothing() -> None:
    turned = {s: {i: 100 - 100 * v for i, v in scores.items()} for s, scores in judge().items()}
    found = control_variates(labels(), judge=turned)
    assert found.systems[0].mean == pytest.approx(evals("ppi.A.cv"), rel=1e-6)
    # ppi_py clips λ to 0 and gives the human mean.
    assert evals("ppi.A.flipped_ppipp") == found.systems[0].plain_mean == 0.6


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


@pytest.mark.golden
def test_documents_of_the_judge_make_clusters() -> None:
    given = judge()
    items = list(given["A"])
    documents = [f"d{int(item[1:]) // 5:03d}" for item in items]
    scores = Scores.build(
        {s: [values[i] for i in items] for s, values in given.items()},
        items=items,
        documents=documents,
    )
    [pair] = control_variates(labels(), judge=scores, baseline="A").pairs
    assert pair.standard_error == pytest.approx(evals("ppi.diff.cv_se_clustered"), rel=1e-6)
    assert pair.df == evals("ppi.judged_documents") - 1
    assert len(set(documents)) == evals("ppi.n")["documents"]
