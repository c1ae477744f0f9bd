"""Agreement of a judge, against sklearn, irrCAC and krippendorff in gold/evals.json."""

import math

import numpy as np
import pytest
from scipy.stats import t

from detectable.core.errors import DataError, InputError
from detectable.data.human.judgments import Judgments
from detectable.data.scores.scores import Scores
from detectable.inference.agreement import chance_agreement
from detectable.inference.control_variate import control_variate
from detectable.report.shown.judges import favoured
from detectable.study.metric_pool import MetricPool, as_scores, joined_pools, metric_pool
from detectable.study.precision.control_variates import control_variates
from detectable.study.precision.judge_agreement import judge_agreement
from tests.gold_evals import evals
from tests.study.precision.judge_file import judge, labels


@pytest.mark.golden
def test_published_agreement() -> None:
    found = judge_agreement(labels(), judge("judge01"))
    row = found.systems[0]
    assert row.share == pytest.approx(evals("agree.A.percent"))
    assert row.kappa == pytest.approx(evals("agree.A.kappa"), rel=1e-6)
    assert row.ac1 == pytest.approx(evals("agree.A.gwet_ac1"), abs=5e-5)
    assert row.ac1_error == pytest.approx(evals("agree.A.gwet_se"), abs=5e-6)
    assert row.krippendorff == pytest.approx(evals("agree.A.alpha"), rel=1e-6)
    assert row.table == (109, 28, 11, 52)
    assert not row.misleading
    assert row.bias == pytest.approx(0.085)
    same = judge_agreement(labels(), judge(), threshold=0.5)
    assert same.systems == found.systems
    assert "0.5" in str(same.signature)


@pytest.mark.golden
def test_the_paradox() -> None:
    human = np.repeat([1.0, 0.0, 1.0], [118, 5, 2])
    said = np.repeat([1.0, 1.0, 0.0], [118, 5, 2])
    found = chance_agreement(said, human)
    assert found.kappa == pytest.approx(evals("agree.paradox.kappa"), rel=1e-6)
    assert found.ac1 == pytest.approx(evals("agree.paradox.ac1"), abs=5e-6)
    items = [str(i) for i in range(125)]
    people = {"system": ["A"] * 125, "item": items, "score": human}
    table = Judgments.build(people, scale=(0, 1))
    [row] = judge_agreement(table, {"A": dict(zip(items, said, strict=True))}).systems
    assert row.misleading
    assert row.table == (118, 5, 2, 0)


def drawn(favour: float, seed: int = 3) -> tuple[Judgments, dict[str, dict[str, float]]]:
    rng = np.random.default_rng(seed)
    items = [str(i) for i in range(80)]
    human = {s: (rng.random(80) < 0.6).astype(float) for s in ("A", "B")}
    judge = {s: h.copy() for s, h in human.items()}
    turned = rng.random(80) < favour
    judge["A"][turned] = 1.0
    rows = [(s, i, h) for s in human for i, h in zip(items, human[s], strict=True)]
    system, item, score = map(list, zip(*rows, strict=True))
    table = Judgments.build({"system": system, "item": item, "score": score}, scale=(0, 1))
    return table, {s: dict(zip(items, v.tolist(), strict=True)) for s, v in judge.items()}


def test_a_judge_that_favours_a_system_is_named() -> None:
    found = judge_agreement(*drawn(0.5))
    [pair] = found.pairs
    assert pair.verdict == "higher"
    assert 0.0 not in pair.interval
    assert favoured(found).startswith("The judge favours A over B by")
    assert found.systems[1].bias == 0.0
    fair = judge_agreement(*drawn(0.0))
    assert fair.pairs[0].verdict == "undecided"
    assert favoured(fair).startswith("No evidence that the judge favours a system")


def test_scores_on_another_scale_have_no_categories() -> None:
    table, answers = drawn(0.2)
    scores = {s: {i: v * 0.7 + 0.01 * int(i) for i, v in a.items()} for s, a in answers.items()}
    found = judge_agreement(table, scores)
    assert math.isnan(found.systems[0].kappa)
    assert found.systems[0].table is None
    assert any("--threshold" in note for note in found.notes)


@pytest.mark.slow
def test_equal_bias_is_called_unequal_at_the_stated_rate() -> None:
    rng, alarms = np.random.default_rng(9), 0
    for _ in range(1500):
        items = [str(i) for i in range(60)]
        rows, judge = [], {}
        for s in ("A", "B"):
            human = (rng.random(60) < 0.6).astype(float)
            turned = np.where(rng.random(60) < 0.2, 1.0, human)
            rows += [(s, i, h) for i, h in zip(items, human, strict=True)]
            judge[s] = dict(zip(items, turned.tolist(), strict=True))
        system, item, score = map(list, zip(*rows, strict=True))
        table = Judgments.build({"system": system, "item": item, "score": score}, scale=(0, 1))
        alarms += judge_agreement(table, judge).pairs[0].p_value <= 0.05
    assert alarms / 1500 == pytest.approx(0.05, abs=4 * (0.05 * 0.95 / 1500) ** 0.5)


def test_messages() -> None:
    table, answers = drawn(0.2)
    with pytest.raises(InputError, match="`threshold` must be a finite number"):
        judge_agreement(table, answers, threshold=math.nan)
    with pytest.raises(DataError, match="no system has 10 labels"):
        judge_agreement(table.take(np.arange(4)), answers)


def answers_of(
    human: dict[str, list[float]], said: dict[str, list[float]], **columns: list[str]
) -> tuple[Judgments, dict[str, dict[str, float]]]:
    """Return labels and a judge of items 0, 1, … for every system."""
    rows = [(s, str(i), x) for s, values in human.items() for i, x in enumerate(values)]
    system, item, score = map(list, zip(*rows, strict=True))
    table = {"system": system, "item": item, "score": score, **columns}
    judge = {s: {str(i): x for i, x in enumerate(values)} for s, values in said.items()}
    return Judgments.build(table, scale=(-9, 9)), judge


def test_one_system_is_scored_higher_or_lower_or_neither() -> None:
    human = [0.0, 1.0] * 10
    higher = [1.0 if i % 4 == 0 else h for i, h in enumerate(human)]
    for said, words in (
        (higher, "The judge scores A higher than people do."),
        (
            [0.0 if i % 4 == 1 else h for i, h in enumerate(human)],
            "The judge scores A lower than people do.",
        ),
        (
            human[1:] + human[:1],
            "The judge scores A neither shown higher nor lower than people do.",
        ),
    ):
        found = judge_agreement(*answers_of({"A": human}, {"A": said}))
        assert favoured(found) == words
        assert found.pairs == ()
    fine = [h + 0.0088 + 0.001 * (i % 3) for i, h in enumerate(human)]
    assert favoured(judge_agreement(*answers_of({"A": human}, {"A": fine}))) == (
        "The judge scores A higher than people do."
    )
    found = judge_agreement(*answers_of({"A": human}, {"A": higher}))
    assert found.summary() == (
        "The judge scores A higher than people do.\n"
        "A: bias +0.250 [+0.042, +0.458], correlation 0.58, 75.0% the same, κ 0.50, AC1 0.53 "
        "(20 labels)."
    )
    assert found.systems[0].table == (10, 5, 0, 5)


def test_the_favoured_system_may_be_either_of_two() -> None:
    human = [0.0, 1.0] * 10
    lifted = [1.0 if i % 4 == 0 else h for i, h in enumerate(human)]
    people = {"A": human, "B": human, "C": human}
    said = {"A": human, "B": lifted, "C": [1.0] * 20}
    found = judge_agreement(*answers_of(people, said))
    assert [(p.system, p.baseline, p.n_items) for p in found.pairs] == [
        ("A", "B", 20), ("A", "C", 20), ("B", "C", 20),
    ]  # fmt: skip
    assert [p.difference for p in found.pairs] == pytest.approx([-0.25, -0.5, -0.25])
    assert [p.verdict for p in found.pairs] == ["lower", "lower", "lower"]
    assert favoured(found).startswith("The judge favours C over A by 0.500 more than people do")
    # Holm: the smallest of three counts three times, the largest once.
    alone, together = (
        [getattr(p, key) for p in found.pairs] for key in ("p_value", "p_adjusted")
    )
    assert together[1] == pytest.approx(3 * alone[1])
    assert max(together) == pytest.approx(max(2 * sorted(alone)[1], max(alone)))


def test_nine_labels_are_too_few_and_ten_are_not() -> None:
    human = {"A": [0.0, 1.0] * 5, "B": [0.0, 1.0, 1.0] * 3}
    found = judge_agreement(*answers_of(human, human))
    assert [row.system for row in found.systems] == ["A"]
    assert found.pairs == ()
    assert "Left out, fewer than 10 labels: B." in found.notes
    # Ten labels of each, of which nine are of the same items.
    table, judge = answers_of({"A": [0.0, 1.0] * 5, "B": [0.0, 1.0] * 10}, {"A": [], "B": []})
    judge = {s: {str(i): float(i % 2) for i in range(20)} for s in "AB"}
    del judge["B"]["0"]
    found = judge_agreement(table, judge)
    assert [row.n_items for row in found.systems] == [10, 19]
    assert found.pairs == ()


def test_a_threshold_counts_from_its_own_value_on() -> None:
    table, judge = answers_of({"A": [0.0, 1.0, 1.0] * 4}, {"A": [0.4, 0.5, 0.6] * 4})
    found = judge_agreement(table, judge, threshold=0.5)
    assert found.systems[0].table == (8, 0, 0, 4)
    assert (found.systems[0].share, found.systems[0].kappa) == (1.0, 1.0)
    assert (found.threshold, found.signature.settings["threshold"]) == (0.5, 0.5)
    assert "threshold" not in judge_agreement(table, judge).signature.settings


def test_a_common_answer_makes_kappa_misleading() -> None:
    for ones, misleading in ((18, False), (19, True)):
        human = [1.0] * ones + [0.0] * (20 - ones)
        [row] = judge_agreement(*answers_of({"A": human}, {"A": human})).systems
        assert row.misleading == misleading
    many = [float(i % 10) - 5 for i in range(20)]
    [row] = judge_agreement(*answers_of({"A": many}, {"A": many})).systems
    assert (row.share, row.table) == (1.0, None)  # ten different answers are categories
    more = [float(i % 11) - 5 for i in range(22)]
    [row] = judge_agreement(*answers_of({"A": more}, {"A": more})).systems
    assert math.isnan(row.share)
    [equal] = judge_agreement(*answers_of({"A": [1.0] * 12}, {"A": [1.0] * 12})).systems
    assert math.isnan(equal.krippendorff)


def test_documents_are_clusters_of_the_bias() -> None:
    human, said = [0.0] * 20, [1.0, 1.0, 0.0, 0.0] * 5
    documents = [f"d{i // 2}" for i in range(20)]
    alone = judge_agreement(*answers_of({"A": human}, {"A": said}))
    whole = judge_agreement(*answers_of({"A": human}, {"A": said}, document=documents))
    assert (alone.unit, whole.unit) == ("item", "document")
    assert whole.signature.settings == {"alpha": 0.05, "unit": "document"}
    # Two equal answers in every document: half as many independent ones.
    errors = [
        (row.interval.high - row.interval.low) / 2 / t.ppf(0.975, df)
        for row, df in ((alone.systems[0], 19), (whole.systems[0], 9))
    ]
    assert errors == pytest.approx(
        [np.std(said, ddof=1) / 20**0.5, np.std([1, 0] * 5, ddof=1) / 10**0.5]
    )
    wide = judge_agreement(*answers_of({"A": human}, {"A": said}), alpha=0.01)
    assert wide.systems[0].interval.level == 0.99


# --- Estimates with a judge, against ppi_py and gold/evals.json; several judges by least squares ---


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


def test_messages_of_judges() -> None:
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


# --- Human scores beside a metric: which items and systems meet, and what is said of the others ---

NAN = float("nan")


def judged(*rows: tuple[str, str, float], **columns: list[str]) -> Judgments:
    system, item, score = map(list, zip(*rows, strict=True))
    return Judgments.build({"system": system, "item": item, "score": score, **columns})


PEOPLE = judged(("A", "x", 60), ("A", "x", 80), ("A", "y", 50), ("B", "z", 40))
METRIC = {"A": {"w": 0.1, "x": 0.2, "y": 0.3, "z": 0.4}, "B": {"x": 0.5, "z": 0.6, "w": 0.7}}


def test_the_pool_is_that_of_the_metric() -> None:
    found = metric_pool(PEOPLE, METRIC)
    assert (found.systems, found.items) == (("A", "B"), ("w", "x", "y", "z"))
    np.testing.assert_equal(found.human, [[NAN, 70, 50, NAN], [NAN, NAN, NAN, 40]])
    np.testing.assert_equal(found.metric, [[0.1, 0.2, 0.3, 0.4], [0.7, 0.5, NAN, 0.6]])
    assert (found.documents, found.whole_documents, found.name) == (None, True, "the metric")
    named = Scores.build({"A": [1, 2], "B": [3, 4]}, items=["x", "z"], metric="chrF")
    assert metric_pool(PEOPLE, named).name == "chrF"


def test_what_has_no_score_is_named() -> None:
    people = judged(("A", "x", 60), ("B", "y", 40), ("B", "q", 40), ("C", "x", 10))
    found = metric_pool(people, METRIC)
    assert found.systems == ("A", "B")
    assert found.notes == (
        "Left out, without metric scores: C.",
        "2 judged translations left out, without a metric score: B y, B q.",
    )
    with pytest.raises(
        DataError, match=r"no judged system has metric scores\. Judged: C; with"
    ):
        metric_pool(judged(("C", "x", 10)), METRIC)
    with pytest.raises(DataError, match=r"Judged items are called q; scored ones w, x, y"):
        metric_pool(judged(("A", "q", 10)), METRIC)


def test_runs_are_averaged() -> None:
    runs = Scores.build({"A": [[1.0, 2.0], [3.0, 6.0]], "B": [[5.0, 5.0]]}, items=["x", "z"])
    assert metric_pool(PEOPLE, runs).metric.tolist() == [[2, 4], [5, 5]]


def test_items_are_matched_by_document_and_name_where_that_fits_more() -> None:
    scores = Scores.build(
        {"A": [1, 2, 3, 4]}, items=["1", "2", "1", "2"], documents=["d", "d", "e", "e"]
    )
    people = judged(("A", "1", 10), ("A", "1", 30), ("A", "2", 40), document=["e", "d", "e"])
    found = metric_pool(people, scores)
    np.testing.assert_equal(found.human, [[30, NAN, 10, 40]])
    assert found.documents is not None
    assert found.documents.tolist() == [0, 0, 1, 1]


def test_documents_of_judgments_serve_where_the_metric_has_none() -> None:
    people = judged(("A", "x", 60), ("A", "y", 50), ("A", "z", 50), document=["d", "e", "d"])
    found = metric_pool(people, METRIC)
    assert found.documents is not None
    w, x, y, z = found.documents.tolist()
    assert x == z
    assert len({w, x, y}) == 3
    assert not found.whole_documents
    assert found.notes == (
        "The document of 1 item of the pool without a judgment is not known; each counts as a "
        "document of its own.",
    )
    part = {"A": {item: METRIC["A"][item] for item in "xyz"}}
    whole = metric_pool(people, part)
    assert whole.documents is not None
    assert (whole.documents.tolist(), whole.notes) == ([0, 1, 0], ())
    assert whole.whole_documents


def test_scores_come_in_many_forms() -> None:
    scores = Scores.build({"A": [1, 2]})
    assert as_scores(scores) == (scores, ())
    mapping, notes = as_scores({"A": {1: 0.5, 2: 0.25}, "B": {2: 1}})
    assert (mapping.items, notes) == (("1", "2"), ())
    np.testing.assert_equal(mapping.systems["B"], [[NAN, 1.0]])
    with pytest.raises(InputError, match="must map every system to a mapping of items"):
        as_scores({"A": {"x": 1.0}, "B": [1.0, 2.0]})


def pool(scores: dict[str, dict[str, float]], name: str) -> MetricPool:
    items = list(dict.fromkeys(i for values in scores.values() for i in values))
    table = {s: [v.get(i, NAN) for i in items] for s, v in scores.items()}
    return metric_pool(PEOPLE, Scores.build(table, items=items, metric=name))


def test_several_metrics_share_items_and_systems() -> None:
    first = pool(METRIC, "chrF")
    other = {"B": {"z": 6.0, "x": 5.0}, "A": {"z": 4.0, "x": 2.0}}
    found = joined_pools([first, pool(other, "BLEU")])
    assert (found.systems, found.items) == (("A", "B"), ("x", "z"))
    np.testing.assert_equal(found.metric, [[[0.2, 2], [0.4, 4]], [[0.5, 5], [0.6, 6]]])
    np.testing.assert_equal(found.human, [[70, NAN], [NAN, 40]])
    assert found.name == "chrF and BLEU"
    assert found.notes[-1] == "2 items left out, not scored by all metrics."
    alike = joined_pools([first, pool(METRIC, "BLEU")])
    assert not any("not scored by all metrics" in note for note in alike.notes)
    only = joined_pools([first, pool({"A": {"y": 1.0}}, "BLEU")])
    assert (only.systems, only.items) == (("A",), ("y",))
    with pytest.raises(DataError, match="the metrics share no system and item"):
        joined_pools([pool({"A": {"x": 1.0}}, "chrF"), pool({"A": {"y": 1.0}}, "BLEU")])


def test_a_score_that_one_metric_lacks_takes_the_label_away() -> None:
    other = {"A": {"x": NAN, "y": 3.0, "w": 1.0, "z": 1.0}, "B": {"z": 6.0}}
    found = joined_pools([pool(METRIC, "chrF"), pool(other, "BLEU")])
    assert found.items == ("w", "x", "y", "z")
    np.testing.assert_equal(found.human, [[NAN, NAN, 50, NAN], [NAN, NAN, NAN, 40]])


def test_documents_follow_the_items_that_are_shared() -> None:
    scores = Scores.build(
        {"A": [1, 2, 3], "B": [1, 2, 3]}, items=["w", "x", "z"], documents=["d", "d", "e"]
    )
    first = metric_pool(PEOPLE, scores)
    found = joined_pools([first, pool({"A": {"x": 1.0, "z": 2.0}, "B": {"z": 1.0}}, "BLEU")])
    assert found.documents is not None
    assert found.documents.tolist() == [0, 1]
