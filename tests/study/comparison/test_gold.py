"""Gold of small-samples.md from one end to the other: what `dt.compare` itself says."""

import csv
import json
from typing import Any

import numpy as np
import pytest

import detectable as dt
from detectable.core.types import FloatArray
from detectable.inference.few_units import smallest_p
from detectable.inference.standard_errors import median_unbiased
from tests.helpers import reference_data

QUICK: dict[str, Any] = {"rng": 1, "n_examples": 0}


def _gold(name: str) -> Any:
    path = reference_data("gold", "small_samples.json")
    return json.loads(path.read_text(encoding="utf-8"))[name]


def _family(size: int = 3) -> tuple[Any, dict[str, Any]]:
    """Return 8 documents of equal size and 4 systems, with what R says of all 6 pairs."""
    gold = _gold("family")
    means = np.array(gold["scores"])
    noise = np.random.default_rng(1).normal(size=(8, size, 4))
    table = (means[:, None] + noise - noise.mean(axis=1, keepdims=True)).reshape(-1, 4)
    documents = [f"d{g}" for g in range(8) for _ in range(size)]
    scores = dt.Scores.build({str(s + 1): table[:, s] for s in range(4)}, documents=documents)
    return scores, gold


@pytest.mark.golden
def test_a_family_of_six_pairs() -> None:
    scores, gold = _family()
    result = dt.compare(scores, "mean", **QUICK)
    assert (result.test, result.exact, result.correction) == ("swap", True, "max-t")
    found = {(pair.baseline, pair.system): pair for pair in result.pairs}
    for i, (first, second) in enumerate(gold["pairs"]):
        pair = found[str(first), str(second)]  # theirs is first − second
        assert -pair.difference == pytest.approx(gold["difference"][i], abs=1e-9)
        assert pair.standard_error == pytest.approx(gold["se"][i], rel=1e-9)
        assert pair.p_value == gold["p"][i]
        assert pair.p_adjusted == gold["p_max_t"][i]
        low, high = gold["max_t_low"][i], gold["max_t_high"][i]
        assert pair.interval.to_json() == pytest.approx([-high, -low], rel=1e-8)
        assert (pair.verdict == "undecided") is (low <= 0.0 <= high)


@pytest.mark.golden
def test_a_family_of_six_pairs_by_holm_and_by_t() -> None:
    scores, gold = _family()
    by_holm = dt.compare(scores, "mean", correction="holm", **QUICK)
    by_t = dt.compare(scores, "mean", test="t", **QUICK)
    order = [f"{b}{a}" for a, b in gold["pairs"]]
    for result in (by_holm, by_t):
        assert {f"{p.system}{p.baseline}" for p in result.pairs} == set(order)
    for pair, t_pair in zip(by_holm.pairs, by_t.pairs, strict=True):
        i = order.index(f"{pair.system}{pair.baseline}")
        assert pair.p_adjusted == pytest.approx(gold["p_holm"][i])
        assert t_pair.p_value == pytest.approx(gold["t_p"][i], rel=1e-7)
        low, high = gold["bonferroni_low"][i], gold["bonferroni_high"][i]
        assert t_pair.interval.to_json() == pytest.approx([-high, -low], rel=1e-7)


@pytest.mark.golden
@pytest.mark.parametrize("row", range(11))
def test_swaps_of_few_units(row: int) -> None:
    gold = _gold("sign_flip")["rows"][row]
    d = np.array(gold["D"], dtype=float)
    scores = dt.Scores.build({"A": np.zeros(d.size), "B": d})
    [pair] = dt.compare(scores, "mean", test="randomization", **QUICK).pairs
    assert (pair.p_value, smallest_p(d.size)) == (gold["p"], gold["min_p"])
    assert pair.attainable_p == smallest_p(int(np.count_nonzero(d)))  # ties cannot be swapped


@pytest.mark.golden
@pytest.mark.parametrize("row", range(7))
def test_half_sample_intervals(row: int) -> None:
    gold = _gold("half_sample_interval")["rows"][row]
    sums, sizes = np.array(gold["D"], dtype=float), np.array(gold["n"])
    values = np.concatenate(
        [np.full(n, total / n) for total, n in zip(sums, sizes, strict=True)]
    )
    documents = [f"d{g}" for g, n in enumerate(sizes) for _ in range(n)]
    scores = dt.Scores.build({"A": np.zeros(values.size), "B": values}, documents=documents)
    [pair] = dt.compare(
        scores, "mean", test="randomization", alpha=gold["alpha"], **QUICK
    ).pairs
    assert pair.interval.to_json() == pytest.approx(gold["interval"], abs=1e-9)


@pytest.mark.golden
@pytest.mark.parametrize("row", range(5))
def test_documents_of_any_size_by_t(row: int) -> None:
    gold = _gold("cluster_robust")["rows"][row]
    sizes, y = gold["sizes"], np.array(gold["y"])
    documents = [f"d{g}" for g, n in enumerate(sizes) for _ in range(n)]
    scores = dt.Scores.build({"A": np.zeros(y.size), "B": y}, documents=documents)
    [pair] = dt.compare(scores, "mean", test="t", **QUICK).pairs
    assert pair.difference == pytest.approx(gold["mean"], abs=1e-12)
    assert pair.standard_error == pytest.approx(gold["se_CR2"], rel=1e-8)
    assert pair.df == pytest.approx(gold["df_BM"], rel=1e-9)
    assert pair.p_value == pytest.approx(gold["p_CR2"], rel=1e-6)


@pytest.mark.golden
def test_what_few_documents_can_find() -> None:
    """The promised difference in standard deviations of a unit, against quadrature in R."""
    used = 0
    for row in _gold("attainable")["rows"]:
        n, m = row["G"], row["m"]
        if m not in (1, 3, 6, 10) or n < 3:
            continue
        systems = {1: 2, 3: 3, 6: 4, 10: 5}[m]
        rng = np.random.default_rng(n)
        tables = {str(s): rng.normal(size=n) for s in range(systems)}
        result = dt.compare(
            dt.Scores.build(tables), "mean", test="randomization", correction="holm", **QUICK
        )
        for pair in result.pairs:
            assert (pair.attainable_p <= 0.05) is row["possible"]
            if row["possible"]:
                # Gold takes the spread as known; what is stated takes its median-unbiased estimate.
                sd = median_unbiased(pair.standard_error, n - 1.0) * n**0.5
                assert pair.mde / sd == pytest.approx(row["mde_by_formula"], rel=1e-5)
                assert pair.units_needed is None
            else:
                assert np.isnan(pair.mde)
                assert pair.units_needed == row["documents_needed"]
        used += 1
    assert used >= 10


def _runs() -> tuple[Any, dict[str, Any]]:
    path = reference_data("data", "small_samples", "small_samples_runs.csv")
    cells: dict[str, dict[tuple[int, int], float]] = {}
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            place = int(row["run"]), int(row["item"])
            cells.setdefault(row["system"], {})[place] = float(row["y"])
    tables: dict[str, FloatArray] = {}
    for name, known in cells.items():
        runs, items = max(known)
        tables[name] = np.array(
            [[known[r, i] for i in range(1, items + 1)] for r in range(1, runs + 1)]
        )
    return dt.Scores.build(tables), _gold("runs")


@pytest.mark.golden
def test_runs_as_a_sample() -> None:
    """The runs at hand exactly; new runs as lmerTest has them (see tests/inference/test_runs.py)."""
    scores, gold = _runs()
    by_t = dt.compare(scores, "mean", baseline="A", test="t", runs="fixed", **QUICK)
    [fixed] = by_t.pairs
    assert fixed.these_runs is not None
    assert abs(fixed.difference) == pytest.approx(gold["difference"], rel=1e-10)
    assert fixed.standard_error == pytest.approx(gold["fixed"]["se"], rel=1e-9)
    assert fixed.p_value == pytest.approx(gold["fixed"]["p"], rel=1e-8)
    result = dt.compare(scores, "mean", baseline="A", **QUICK)
    [pair] = result.pairs
    assert result.runs == "random"
    assert (pair.verdict, fixed.verdict != "undecided") == ("undecided", True)
    assert pair.standard_error == pytest.approx(gold["lmerTest"]["se"], rel=0.002)
    assert pair.p_value == pytest.approx(gold["own"]["p"], abs=0.01)
    assert pair.df == pytest.approx(gold["own"]["df"], rel=0.06)
