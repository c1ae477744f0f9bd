"""Documents that move metrics apart, planted and found."""

import math

import numpy as np
import pytest

import detectable as dt
from detectable.core.types import silent
from detectable.study.reliability.documents_for import (
    _entering,
    _statistics,
    difficult_documents,
)
from detectable.study.reliability.measures import Measure, gather
from tests.study.reliability.data import clustered

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
