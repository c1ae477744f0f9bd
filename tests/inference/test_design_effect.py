"""Design effects: the gold of WMT21 ru-en, analyses of variance by hand, and special cases."""

import json
import math
from typing import Any

import numpy as np
import pytest

from detectable.core.types import FloatArray, IntArray
from detectable.inference.standard_errors import design_effect, estimate, segment_coverage
from detectable.metrics.registry import metric
from tests.helpers import reference_data

METRICS = {
    "BLEU": "bleu",
    "NIST": "nist",
    "mWER": "mwer",
    "mPER": "mper",
    "GTM": "gtm",
    "chrF": "chrf",
}


def ruen() -> Any:
    return np.load(reference_data("data", "reliability", "wmt21_ruen_stats.npz"))


def ruen_gold() -> dict[str, Any]:
    path = reference_data("gold", "reliability_study_ru-en21.json")
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


@pytest.mark.golden
@pytest.mark.parametrize("name", METRICS)
def test_wmt21_ruen(name: str) -> None:
    data, stored = ruen(), ruen_gold()["variance_components"][name]
    documents = data["docidx"].astype(np.int64)
    one = metric(METRICS[name])
    influence = [one.influence(table) for table in data[name].astype(np.float64)]
    alone = [design_effect(values, documents) for values in influence]
    assert np.median([x.icc for x in alone]) == pytest.approx(stored["icc_median"], abs=1e-6)
    assert np.median([x.design_effect for x in alone]) == pytest.approx(
        stored["deff_median"], abs=1e-6
    )
    assert (min(x.icc for x in alone), max(x.icc for x in alone)) == pytest.approx(
        stored["icc_range"], abs=1e-6
    )
    apart = [
        design_effect(influence[a] - influence[b], documents).design_effect
        for a in range(10)
        for b in range(a)
    ]
    assert np.median(apart) == pytest.approx(stored["deff_of_difference"], abs=1e-6)


def _toy() -> tuple[FloatArray, IntArray]:
    rng = np.random.default_rng(4)
    documents = np.repeat(np.arange(6), [1, 4, 2, 7, 3, 5])
    values = rng.normal(size=22) + rng.normal(size=6)[documents]
    return values - values.mean(), documents


def test_the_analysis_of_variance_by_hand() -> None:
    values, documents = _toy()
    groups = [values[documents == d] for d in range(6)]
    between = sum(g.size * g.mean() ** 2 for g in groups) / 5
    within = sum(((g - g.mean()) ** 2).sum() for g in groups) / 16
    typical = (22 - sum(g.size**2 for g in groups) / 22) / 5
    found = design_effect(values, documents)
    assert found.icc == pytest.approx((between - within) / (between + (typical - 1) * within))
    sums = np.array([g.sum() for g in groups])
    assert found.sd_document == pytest.approx(estimate(0.0, sums).standard_error)
    assert found.sd_segment == pytest.approx(math.sqrt((values**2).sum()))
    assert found.design_effect == pytest.approx(found.sd_document**2 / found.sd_segment**2)
    assert found.n_effective == pytest.approx(22 / found.design_effect)


def test_documents_of_one_segment() -> None:
    values, _ = _toy()
    found = design_effect(values, np.arange(22))
    assert found.sd_document == pytest.approx(found.sd_segment * math.sqrt(22 / 21))
    assert math.isnan(found.icc)


def test_nothing_that_varies() -> None:
    found = design_effect(np.zeros(6), np.array([0, 0, 1, 1, 2, 2]))
    assert all(math.isnan(x) for x in (found.icc, found.design_effect, found.n_effective))
    assert (found.sd_segment, found.sd_document) == (0.0, 0.0)


def test_documents_that_are_all_alike_are_worth_more_than_their_segments() -> None:
    documents = np.array([0, 0, 1, 1])
    found = design_effect(np.array([1.0, -0.95, -1.0, 0.95]), documents)
    assert found.design_effect == pytest.approx(0.01 / 3.805)
    assert found.n_effective == pytest.approx(4 * 380.5)
    equal = design_effect(np.array([1.0, -1.0, -1.0, 1.0]), documents)
    assert equal.design_effect == 0.0
    assert math.isnan(equal.n_effective)  # no number is large enough


def test_coverage_of_intervals_that_are_too_narrow() -> None:
    # .76 of the true standard deviation covers 86 %: reference page, section 1.
    assert segment_coverage(1 / 0.76**2, 0.95) == pytest.approx(0.864, abs=5e-4)
    assert segment_coverage(4.0, 0.9) == pytest.approx(0.589, abs=5e-4)
    assert math.isnan(segment_coverage(math.nan, 0.95))
    assert math.isnan(segment_coverage(0.0, 0.95))
    assert segment_coverage(0.005, 0.95) == pytest.approx(1.0)
