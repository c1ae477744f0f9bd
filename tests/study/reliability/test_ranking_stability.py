"""How soon rankings settle, against Kendall's τ of scipy and counting by hand."""

import math
from typing import Any

import numpy as np
import pytest
from scipy.stats import kendalltau

import detectable as dt
from detectable.core.execute import Engine
from detectable.core.types import silent
from detectable.inference.multiplicity import holm
from detectable.inference.standard_errors import estimate
from detectable.study.reliability.curves import OrderedErrors, random_orders
from detectable.study.reliability.documents_for import ranking_stability
from detectable.study.reliability.measures import Measure, gather
from tests.study.reliability.data import clustered


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
