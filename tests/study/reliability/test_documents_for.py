"""How many documents targets take: the smallest number, by search and by the formula."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtri
from scipy.stats import kendalltau

import detectable as dt
from detectable.core.execute import Engine
from detectable.core.types import silent
from detectable.inference.multiplicity import holm
from detectable.inference.standard_errors import detectable_shift, estimate
from detectable.kernels.distributions import t_quantile
from detectable.planning.documents import upper_variance
from detectable.study.reliability.curves import OrderedErrors, random_orders
from detectable.study.reliability.documents_for import (
    _entering,
    _statistics,
    difficult_documents,
    documents_for,
    ranking_stability,
    smallest,
)
from detectable.study.reliability.measures import Measure, gather
from detectable.study.reliability.result import DocumentsFor, RankingPoint
from detectable.study.settings import ReliabilitySettings
from tests.study.reliability.data import clustered


def _width(k: int) -> float:
    return t_quantile(0.975, k - 1.0)


@given(st.floats(0.01, 30.0))
def test_the_number_is_enough_and_one_less_is_not(ratio: float) -> None:
    k = smallest(ratio, _width)
    assert k is not None
    assert k >= 2
    assert _width(k) * ratio <= math.sqrt(k)
    if k > 2:
        assert _width(k - 1) * ratio > math.sqrt(k - 1)


@pytest.mark.parametrize("ratio", [3.0, 10.0])
def test_with_many_documents_it_is_the_formula(ratio: float) -> None:
    """(z c / h)², and ((z + z) c / δ)²: one or two more by t."""
    k = smallest(ratio, _width)
    assert k is not None
    assert 1 < k - (ndtri(0.975) * ratio) ** 2 < 4
    found = smallest(ratio, lambda k: detectable_shift(k - 1.0, alpha=0.05, power=0.8))
    assert found is not None
    assert 1 < found - ((ndtri(0.975) + ndtri(0.8)) * ratio) ** 2 < 4


def test_exactly_enough_is_enough() -> None:
    assert smallest(1.0, lambda _: 2.0) == 4  # found while doubling
    assert smallest(5.0, lambda _: 2.0) == 100  # found while halving


def _point(documents: int, full: float, remainder: float) -> RankingPoint:
    return RankingPoint(
        documents=documents,
        full=full,
        remainder=remainder,
        same_winner=0.5,
        significant_kept=0.5,
        exact=0.1,
    )


def _tau(points: list[RankingPoint]) -> DocumentsFor:
    measured = gather(
        clustered(20, 5), None, {}, {}, campaign=None, language=None, progress=silent
    )
    rows = documents_for(measured.measures[0], points, {}, {}, ReliabilitySettings())
    assert [row.target for row in rows] == ["half-width", "effect", "tau"]
    return rows[-1]


def test_the_first_number_of_documents_that_ranks_well() -> None:
    points = [_point(5, 0.7, 0.6), _point(10, 0.895, 0.8), _point(12, 0.9, math.nan)]
    row = _tau([*points, _point(15, 0.85, math.nan), _point(20, 1.0, math.nan)])
    assert (row.value, row.documents, row.segments, row.now) == (0.9, 12, 60, 0.8)
    assert row.documents_most is None


def test_a_ranking_that_only_all_documents_give() -> None:
    row = _tau([_point(5, 0.7, 0.6), _point(11, 0.89, math.nan), _point(20, 1.0, math.nan)])
    assert (row.documents, row.segments, row.now) == (None, None, 0.6)


def _rows(scores: dt.Scores, wanted: dict[str, float], **options: Any) -> list[DocumentsFor]:
    measured = gather(scores, None, {}, {}, campaign=None, language=None, progress=silent)
    settings = ReliabilitySettings(**options)
    return documents_for(measured.measures[0], [], wanted, wanted, settings)


@pytest.mark.parametrize("wanted", [{"mean": 2.0}, {}])
def test_both_targets_by_hand(wanted: dict[str, float]) -> None:
    """Of a mean over documents of one size; medians over three systems and three pairs."""
    scores = clustered(20, 5, systems=3, apart=9.0)
    width, effect = _rows(scores, wanted, alpha=0.1, power=0.7)
    means = [table.reshape(20, 5).mean(axis=1) for table in scores.systems.values()]
    alone = [float(m.std(ddof=1)) for m in means]
    apart = [float((means[a] - means[b]).std(ddof=1)) for a, b in ((0, 1), (0, 2), (1, 2))]
    value = wanted.get("mean", 0.02 * float(np.median([m.mean() for m in means])))

    def half(k: int) -> float:
        return t_quantile(0.95, k - 1.0)

    def shift(k: int) -> float:
        return detectable_shift(k - 1.0, alpha=0.1, power=0.7)

    for row, target, constants, errors in (
        (width, "half-width", alone, half),
        (effect, "effect", apart, shift),
    ):
        if target == "effect":  # at the upper 60 % limit of 19 degrees of freedom
            constants = [math.sqrt(upper_variance(c**2, 19.0)) for c in constants]
        typical = float(np.median(constants))
        assert (row.metric, row.target) == ("mean", target)
        assert row.value == pytest.approx(value)
        assert row.documents == smallest(typical / value, errors)
        assert row.documents_most == smallest(max(constants) / value, errors)
        assert row.segments == 5 * (row.documents or 0)
        assert row.now == pytest.approx(errors(20) * typical / math.sqrt(20))


def test_a_small_target_is_one_too() -> None:
    width, _ = _rows(clustered(20, 5), {"mean": 0.005})
    assert (width.documents or 0) > 1e5


def test_points_without_a_zero_have_no_target_of_their_own() -> None:
    table = clustered(20, 5)
    centred = {name: values - 60.0 for name, values in table.systems.items()}
    scores = dt.Scores.build(centred, documents=table.documents)
    for row in _rows(scores, {}):
        assert math.isnan(row.value)
        assert (row.documents, row.documents_most, row.segments) == (None, None, None)
        assert row.now > 0.0
    assert all((row.documents or 0) > 1 for row in _rows(scores, {"mean": 2.0}))


def test_two_documents_are_the_fewest() -> None:
    assert smallest(1e-9, _width) == 2


def test_what_is_out_of_reach() -> None:
    assert smallest(1e9, _width) is None
    assert smallest(2.0**20, lambda _: 1.0) == 2**40  # the last one that counts
    assert smallest(2.0**20 + 1.0, lambda _: 1.0) is None


# --- Documents that move metrics apart, planted and found ---

OPTIONS = {"campaign": None, "language": None, "progress": silent}


def _measures(*tables: dt.Scores) -> tuple[Measure, ...]:
    named = {f"m{i}": table for i, table in enumerate(tables)}
    return gather(None, None, named, {}, **OPTIONS).measures  # type: ignore[arg-type]


def _moved(scores: dt.Scores, document: str, by: float) -> dt.Scores:
    at = np.array([label == document for label in scores.documents or ()])
    values = {name: table + by * at for name, table in scores.systems.items()}
    return dt.Scores.build(values, documents=scores.documents)


def _pair(seed: int = 1) -> tuple[dt.Scores, dt.Scores]:
    """Return two measures that agree on the difficulty of documents up to noise."""
    first = clustered(30, 5, between=10, within=2, seed=seed)
    rng = np.random.default_rng(seed + 100)
    second = {
        name: table / 50 + rng.normal(0, 0.05, 150) for name, table in first.systems.items()
    }
    return first, dt.Scores.build(second, documents=first.documents)


def test_measures_that_move_apart_are_found() -> None:
    first, second = _pair()
    found = difficult_documents(
        _measures(_moved(first, "d7", -60.0), _moved(second, "d7", 1.2))
    )
    apart = [row for row in found if row.reason == "apart"]
    assert [row.document for row in apart] == ["d7"]
    row = apart[0]
    assert (row.place, row.segments) == (8, 5)
    assert row.change["m0"] < 0 < row.change["m1"]
    assert row.standardised["m0"] < 0 < row.standardised["m1"]
    assert row.statistic == pytest.approx(row.standardised["m1"] - row.standardised["m0"])
    assert row.statistic > row.threshold


def test_a_document_that_all_find_hard_is_said_to_pull() -> None:
    first, second = _pair()
    found = difficult_documents(
        _measures(_moved(first, "d7", -120.0), _moved(second, "d7", -2.4))
    )
    assert ("d7", "pull") in [(row.document, row.reason) for row in found]


def test_one_measure_can_only_pull() -> None:
    found = difficult_documents(_measures(_moved(clustered(30, 5), "d3", -100.0)))
    assert {row.reason for row in found} == {"pull"}
    assert max(found, key=lambda row: row.statistic).document == "d3"
    assert all(row.statistic > row.threshold for row in found)


def test_the_change_is_that_of_leaving_the_document_out() -> None:
    first, _ = _pair()
    table = _moved(first, "d7", -120.0)
    row = max(difficult_documents(_measures(table)), key=lambda row: row.statistic)
    assert row.document == "d7"
    others = np.array([label != "d7" for label in table.documents or ()])
    expected = np.mean([t.mean() - t[0, others].mean() for t in table.systems.values()])
    assert row.change["m0"] == pytest.approx(expected)


def test_errors_are_turned_so_that_up_is_better() -> None:
    first, _ = _pair()
    errors = dt.Scores.build(
        {name: 200 - table for name, table in _moved(first, "d7", -60.0).systems.items()},
        documents=first.documents,
    )
    result = dt.reliability(
        _moved(first, "d7", -60.0), "mean", scores=None, orders=100, method="delta", rng=1
    )
    turned = dt.reliability(errors, "mean-error", orders=100, method="delta", rng=1)
    one, other = (
        next(row for row in r.difficult if row.document == "d7") for r in (result, turned)
    )
    assert one.standardised["mean"] == pytest.approx(other.standardised["mean-error"])
    assert one.change["mean"] == pytest.approx(-other.change["mean-error"])


def test_quiet_data_name_few_documents() -> None:
    """Of 40 data sets of 30 ordinary documents few are named: the rule is for outliers."""
    named = [
        sum(row.reason == "apart" for row in difficult_documents(_measures(*_pair(seed))))
        for seed in range(40)
    ]
    assert np.mean(named) < 1.0


def test_few_documents_have_no_rule() -> None:
    assert difficult_documents(_measures(_moved(clustered(7, 5), "d3", -500.0))) == ()
    assert difficult_documents(_measures(_moved(clustered(8, 5), "d3", -500.0))) != ()


def test_the_rule_for_outliers_by_hand() -> None:
    """Medians, and 3.5 times 1.4826 times the median absolute deviation."""
    table = _moved(clustered(30, 5, systems=1, seed=4), "d3", -100.0)
    (row,) = difficult_documents(_measures(table))
    values = table.systems["s0"][0]
    labels = np.array(table.documents)
    change = np.array([values.mean() - values[labels != f"d{d}"].mean() for d in range(30)])
    scale = 1.482602218505602 * np.median(np.abs(change - np.median(change)))
    assert row.standardised["m0"] == pytest.approx(change[3] / scale)
    assert row.statistic == pytest.approx(abs(change[3] - np.median(change)) / scale)
    assert row.threshold == pytest.approx(3.5)
    assert row.change["m0"] == pytest.approx(change[3])


def _robust(values: np.ndarray) -> tuple[float, float]:
    middle = float(np.median(values))
    return middle, 1.482602218505602 * float(np.median(np.abs(values - middle)))


def test_both_statistics_by_hand() -> None:
    """Three measures of twelve documents, some of which a measure does not know."""
    units = np.random.default_rng(6).normal(0, 2, (3, 12))
    units[0, 3], units[1:, 4], units[:, 5] = math.nan, math.nan, math.nan
    units[:, 6] = -1.0, -2.0, 0.0  # none rises
    units[:, 7] = 0.0, 2.0, 1.0  # none falls
    units[:, 8] = -1.0, 0.005, -2.0  # one rises a little
    units[:, 9] = 0.005, 2.0, 1.0  # none falls
    apart, pull = _statistics(units)
    several = [d for d in range(12) if np.isfinite(units[:, d]).sum() > 1]
    width = np.array([np.nanmax(units[:, d]) - np.nanmin(units[:, d]) for d in several])
    usual, unusual = _robust(width)
    assert apart[0] == "apart"
    assert apart[2] == pytest.approx(usual + 3.5 * unusual)
    for d in range(12):
        if d in several and np.nanmin(units[:, d]) < 0.0 < np.nanmax(units[:, d]):
            assert apart[1][d] == pytest.approx(width[several.index(d)])
        else:
            assert math.isnan(apart[1][d])
    known = [d for d in range(12) if d != 5]
    middle = np.array([np.nanmedian(units[:, d]) for d in known])
    centre, spread = _robust(middle)
    assert pull[0] == "pull"
    assert pull[1][known] == pytest.approx(np.abs(middle - centre))
    assert math.isnan(pull[1][5])
    assert pull[2] == pytest.approx(3.5 * spread)


def test_a_system_that_was_judged_on_one_document_only() -> None:
    """Without that document it has no score, and the others count."""
    rows = [("A", i) for i in range(8)] + [("B", 6), ("B", 7)]
    columns = {
        "system": [s for s, _ in rows],
        "item": [i for _, i in rows],
        "document": [f"d{i // 2}" for _, i in rows],
        "score": [40 + i * i for _, i in rows],
    }
    given = {"people": dt.Judgments.build(columns)}
    (one,) = gather(None, None, {}, given, **OPTIONS).measures  # type: ignore[arg-type]
    scores = np.array([40.0 + i * i for i in range(8)])
    assert _entering(one)[3] == pytest.approx(scores.mean() - scores[:6].mean())
    # B does not change when documents enter on which it was not judged.
    assert _entering(one)[0] == pytest.approx((scores.mean() - scores[2:].mean()) / 2)


def test_too_few_known_values_have_no_threshold() -> None:
    units = np.random.default_rng(6).normal(0, 2, (2, 9))
    units[1, 7:] = math.nan  # seven documents under both measures
    apart, pull = _statistics(units)
    assert apart[2] == math.inf
    assert math.isfinite(pull[2])
    same = np.ones((1, 9))
    assert all(threshold == math.inf for _, _, threshold in _statistics(same))


# --- How soon rankings settle, against Kendall's τ of scipy and counting by hand ---


def _look(scores: dt.Scores, metrics: Any = None) -> tuple[Measure, OrderedErrors]:
    measured = gather(scores, metrics, {}, {}, campaign=None, language=None, progress=silent)
    engine = Engine.start(1, n_jobs=1, executor=None, progress=silent)
    one = measured.measures[0]
    return one, random_orders(one.documents, 100, engine, np.random.default_rng(3))


def test_against_scipy_and_counting() -> None:
    scores = clustered(12, 4, systems=5, step=1.5)
    one, ordered = _look(scores)
    points = ranking_stability(one, ordered, alpha=0.05)
    full = one.scores()
    pairs = [(a, b) for a in range(5) for b in range(a + 1, 5)]
    influence = [one.document_influence(s) for s in range(5)]
    p = [
        estimate(float(full[a] - full[b]), influence[a] - influence[b]).p_value()
        for a, b in pairs
    ]
    told = [pair for pair, q in zip(pairs, holm(np.array(p)), strict=True) if q <= 0.05]
    assert 0 < len(told) < len(pairs)
    for i, point in enumerate(points):
        first, rest = ordered.scores[0][:, i], ordered.rest[0][:, i]
        assert point.documents == i + 1
        taus = [kendalltau(row, full).statistic for row in first]
        assert point.full == pytest.approx(np.mean(taus))
        if i < 6:
            both = [kendalltau(a, b).statistic for a, b in zip(first, rest, strict=True)]
            assert point.remainder == pytest.approx(np.mean(both))
        else:
            assert math.isnan(point.remainder)
        assert point.same_winner == np.mean(first.argmax(axis=1) == full.argmax())
        assert point.exact == np.mean(
            [(row.argsort() == full.argsort()).all() for row in first]
        )
        kept = [all((row[a] > row[b]) == (full[a] > full[b]) for a, b in told) for row in first]
        assert point.significant_kept == np.mean(kept)


def test_all_documents_agree_with_themselves() -> None:
    one, ordered = _look(clustered(12, 4, systems=4))
    last = ranking_stability(one, ordered, alpha=0.05)[-1]
    assert (last.documents, last.full, last.same_winner, last.exact) == (12, 1.0, 1.0, 1.0)


def test_of_errors_the_smallest_wins() -> None:
    scores = clustered(12, 4, systems=4)
    turned = dt.Scores.build(
        {name: 200 - table for name, table in scores.systems.items()},
        documents=scores.documents,
    )
    up = ranking_stability(*_look(scores, "mean"), alpha=0.05)
    down = ranking_stability(*_look(turned, "mean-error"), alpha=0.05)
    assert up == down


def test_nothing_significant_has_nothing_to_keep() -> None:
    one, ordered = _look(clustered(6, 3, systems=2, step=0.0))
    points = ranking_stability(one, ordered, alpha=1e-9)
    assert [point.documents for point in points] == [1, 2, 3, 4, 5, 6]
    assert all(math.isnan(point.significant_kept) for point in points)


def test_a_p_of_exactly_alpha_tells_apart() -> None:
    one, ordered = _look(clustered(6, 3, systems=2))
    scores, influence = one.scores(), [one.document_influence(s) for s in range(2)]
    p = estimate(float(scores[0] - scores[1]), influence[0] - influence[1]).p_value()
    (last,) = ranking_stability(one, ordered, alpha=p)[-1:]
    assert last.significant_kept == 1.0


def test_a_system_without_a_score_agrees_with_nothing() -> None:
    one, ordered = _look(clustered(6, 3, systems=3))
    before = ranking_stability(one, ordered, alpha=0.05)
    ordered.scores[0][:, 0, 1] = np.nan
    after = ranking_stability(one, ordered, alpha=0.05)
    assert after[0].full != before[0].full
    assert after[0].exact == 0.0
    others = ordered.scores[0][:, 0, [0, 2]].argmax(axis=1)  # who has no score does not win
    assert after[0].same_winner == np.mean(others == 1) > 0.0
    assert after[1] == before[1]


def test_others_without_a_score_agree_with_nothing() -> None:
    one, ordered = _look(clustered(6, 3, systems=3))
    before = ranking_stability(one, ordered, alpha=0.05)
    ordered.rest[0][:, 0, 1] = np.nan
    after = ranking_stability(one, ordered, alpha=0.05)
    signs = np.sign(
        (ordered.scores[0][:, 0, 0] - ordered.scores[0][:, 0, 2])
        * (ordered.rest[0][:, 0, 0] - ordered.rest[0][:, 0, 2])
    )
    assert after[0].remainder == pytest.approx(signs.mean() / 3)  # one pair of three is left
    assert after[0].full == before[0].full
    assert after[1] == before[1]


def test_one_system_has_no_ranking() -> None:
    assert ranking_stability(*_look(clustered(6, 3, systems=1)), alpha=0.05) == ()
