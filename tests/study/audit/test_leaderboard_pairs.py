"""Leaderboards with pairs on development data: SQuAD 2.0 as card2020 walks it, and bad tables."""

import math
from dataclasses import replace
from typing import Any

import pytest

from detectable.core.errors import DataError, InputError
from detectable.planning.accuracy import Accuracy
from detectable.planning.ask import mde
from detectable.report.shown.benchmark_audit import sets_chart
from detectable.study.audit.audit import audit
from detectable.study.audit.benchmark_audit import BenchmarkAudit
from detectable.study.audit.leaderboard_pairs import TwoSets
from tests.helpers import reference_data
from tests.report.charts.drawn import check_readable

# Four systems, each ten points better; pairs differ on as many items as they are apart, and 2 % more.
BOARD = {"system": ["a", "b", "c", "d"], "accuracy": [0.5, 0.6, 0.7, 0.79]}
PAIRS: dict[str, list[Any]] = {
    "first": ["a", "a", "a", "b", "b", "c"],
    "second": ["b", "c", "d", "c", "d", "d"],
    "difference": [0.1, 0.2, 0.29, 0.1, 0.19, 0.09],
    "disagreement": [0.12, 0.22, 0.31, 0.12, 0.21, 0.11],
}


def both(board: dict[str, Any], pairs: dict[str, Any], **options: Any) -> BenchmarkAudit:
    found = audit(board, pairs=pairs, n_items=2000, **options)
    assert isinstance(found, BenchmarkAudit)
    return found


@pytest.mark.golden
def test_the_chain_of_squad_is_that_of_card2020() -> None:
    """R² .67 and a mean gain of 2.23 (section 3.2, Table 2); r = .99 of both sets."""
    folder = reference_data("data", "card")
    found = audit(
        folder / "models.tsv",
        pairs=folder / "pairs_dev.tsv",
        columns={"accuracy": "test_em"},
        n_items=8862,
        pairs_n=11_873,
    )
    assert isinstance(found, BenchmarkAudit)
    assert isinstance(found.two_sets, TwoSets)
    # The reference page, section 1.2: 14 best systems, D = .13306 − .14085 · accuracy.
    chain = [int(one.system) for one in found.two_sets.best]
    assert chain == [2, 3, 9, 13, 23, 26, 27, 36, 47, 61, 69, 89, 102, 128]
    assert found.two_sets.r_difference == pytest.approx(0.992, abs=5e-4)
    assert math.isnan(found.two_sets.r_agreement)
    assert found.r_squared == pytest.approx(0.672, abs=5e-4)
    assert found.two_sets.agreement_r_squared == pytest.approx(0.931, abs=5e-4)
    assert found.two_sets.intercept == pytest.approx(0.46491, abs=1e-5)
    assert found.two_sets.accuracy == pytest.approx(0.55284, abs=1e-5)
    assert found.two_sets.difference == pytest.approx(-1.04932, abs=1e-5)
    [task] = found.tasks
    assert 100 * task.mean_improvement == pytest.approx(2.229, abs=5e-4)
    assert 100 * (task.mde_normal or math.nan) == pytest.approx(0.593, abs=5e-4)
    assert 100 * (task.mde or math.nan) == pytest.approx(0.604, abs=5e-4)
    # The chain is a prior of one's own, which says the same as the prior «squad».
    table = {
        name: [getattr(one, name) for one in found.two_sets.best]
        for name in ("baseline", "improvement", "agreement")
    }
    own = Accuracy(baseline_accuracy=task.best, prior=table, method="normal")  # type: ignore[arg-type]
    known = Accuracy(baseline_accuracy=task.best, prior="squad", method="normal")
    assert own.regression is not None
    assert own.regression.r_squared == pytest.approx(0.931, abs=5e-4)
    assert mde(own, n_items=8862).effect == pytest.approx(
        mde(known, n_items=8862).effect, rel=1e-9
    )


def test_the_test_sets_own_agreement_is_taken_where_it_is_known() -> None:
    found = both(
        BOARD, {**PAIRS, "test_disagreement": [0.5 * x for x in PAIRS["disagreement"]]}
    )
    assert found.two_sets is not None
    assert found.two_sets.r_agreement == pytest.approx(1.0)
    # A gain of 10 points with 6 % disagreement cannot be; all of it is gain, then.
    assert [one.system for one in found.two_sets.best] == ["b", "c", "d"]
    assert [round(1.0 - one.agreement, 3) for one in found.two_sets.best] == [0.06, 0.06, 0.055]


def test_every_pair_lies_in_a_cell_near_its_values() -> None:
    found = both(
        BOARD, {**PAIRS, "test_disagreement": [0.5 * x for x in PAIRS["disagreement"]]}
    )
    assert found.two_sets is not None
    cells = found.two_sets.alike
    assert {
        what: sum(c.n_pairs for c in cells if c.what == what)
        for what in ("difference", "agreement")
    } == {
        "difference": 6,
        "agreement": 6,
    }
    # 40 cells on a side: the differences reach from .09 to .29, on both sets.
    half = 0.2 / 40 / 2
    for cell in (one for one in cells if one.what == "difference"):
        # A pair has the same difference on both sets; it lies within half a cell of the middle.
        far = [max(abs(cell.development - x), abs(cell.test - x)) for x in PAIRS["difference"]]
        assert min(far) <= half + 1e-12
    [chart] = sets_chart(found.two_sets)
    assert chart.title == "Development data tell differences on the test set at r = 1.000"
    assert "Agreement, in percent: r = 1.000" in chart.alt
    check_readable(chart)
    alone = both(BOARD, PAIRS).two_sets
    assert alone is not None
    [without] = sets_chart(alone)
    assert "Agreement" not in without.alt
    assert not list(sets_chart(replace(alone, alike=())))


def test_shares_and_counts_say_the_same() -> None:
    shares = both(BOARD, PAIRS)
    counts = {
        name: [round(1000 * x) for x in PAIRS[name]] for name in ("difference", "disagreement")
    }
    counted = both(BOARD, {**PAIRS, **counts}, pairs_n=1000)
    assert shares.two_sets is not None
    # Two thousand items of the test set stand for those of development data.
    assert counted.two_sets == shares.two_sets
    # Three best systems are too few for a regression: the default prior remains.
    assert math.isnan(shares.two_sets.agreement_r_squared)
    assert shares.assumption == "prior glue, the default"


@pytest.mark.parametrize(
    ("board", "pairs", "options", "message"),
    [
        (BOARD, {**PAIRS, "first": ["x"] * 6}, {}, "the leaderboard has no system 'x'"),
        (BOARD, {"first": ["a"], "second": ["b"]}, {}, "there is no column for difference"),
        (BOARD, {n: c[:1] for n, c in PAIRS.items()}, {}, "no comparison of 'b' and 'c'"),
        (BOARD, {**PAIRS, "disagreement": [120] * 6}, {}, "`pairs_n` must say on how many"),
        (
            BOARD,
            {**PAIRS, "disagreement": [120] * 6},
            {"pairs_n": 9},
            "`pairs_n` must be at least",
        ),
        (BOARD, PAIRS, {"pairs_n": 9}, "`pairs_n` has no effect"),
        (
            BOARD,
            {**PAIRS, "test_disagreement": [120.0] * 6},
            {},
            "expected a share of the test items",
        ),
        ({"system": ["a", "b"]}, PAIRS, {}, "there is no column for accuracy"),
        (BOARD, PAIRS, {"best": {"all": 0.9}}, "`best` has no effect on a leaderboard"),
        (BOARD, PAIRS, {"n_items": None}, "`n_items` must say how many"),
    ],
)
def test_bad_tables_are_refused(
    board: dict[str, Any], pairs: dict[str, Any], options: dict[str, Any], message: str
) -> None:
    with pytest.raises((DataError, InputError), match=message):
        audit(board, pairs=pairs, **{"n_items": 2000, **options})
