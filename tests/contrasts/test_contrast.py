"""Rows of differences: what every study writes of them, and how a family of them is corrected."""

import dataclasses
import math
from typing import ClassVar

import numpy as np
import pytest
from statsmodels.stats.multitest import multipletests

from detectable.contrasts.contrast import NO_INTERVAL, Alias, Contrast, Family
from detectable.core.interval import Interval
from detectable.core.result import to_json
from detectable.core.same import fields_of
from detectable.inference.standard_errors import Estimate
from detectable.mixed.result import SystemContrast
from detectable.report.saved.codec import Damaged, ReadArrays, Record, WrittenArrays
from detectable.study.arena.result import ArenaPair
from detectable.study.comparison.parts import TaskRow
from detectable.study.comparison.result import PairComparison
from detectable.study.gate.result import GateRow
from detectable.study.meta.result import MetricDifference
from detectable.study.precision.control_variate_result import AdjustedDifference
from detectable.study.precision.judge_agreement import BiasDifference
from detectable.study.ranking.ranking import RankedPair
from detectable.study.translationese.result import Parity, SystemEffect

KINDS = (
    *(PairComparison, TaskRow, RankedPair, ArenaPair, GateRow, MetricDifference),
    *(AdjustedDifference, BiasDifference, SystemContrast, SystemEffect, Parity),
)


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Tasted(Contrast):
    """What a study of its own would write."""

    LAYOUT: ClassVar[str] = (
        "wine difference interval interval_level p_value p_adjusted taste n_differing"
    )
    wine = Alias[str]("system")

    taste: str


TASTED = Tasted(
    system="red",
    difference=1.5,
    interval=Interval(0.5, 2.5, 0.95),
    p_value=0.01,
    p_adjusted=0.02,
    taste="dry",
)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_a_layout_names_every_field_of_its_own_and_nothing_else(kind: type) -> None:
    held = fields_of(kind)
    fields = [part.name for part in held.values() if part is not None]
    assert len(fields) == len(set(fields))
    own = {part.name for part in dataclasses.fields(kind)} - {
        part.name for part in dataclasses.fields(Contrast)
    }
    assert own <= set(fields)
    for name, part in held.items():  # what is no field is a property
        assert part is not None or isinstance(getattr(kind, name), property)


def test_a_row_is_written_under_the_names_of_its_study_in_their_order() -> None:
    assert to_json(TASTED) == {
        "wine": "red",
        "difference": 1.5,
        "interval": [0.5, 2.5],
        "interval_level": 0.95,
        "p_value": 0.01,
        "p_adjusted": 0.02,
        "taste": "dry",
        "n_differing": None,
    }
    assert TASTED.wine == "red"
    assert isinstance(Tasted.wine, Alias)


def test_a_file_holds_the_layout_and_must_have_all_of_it() -> None:
    record, none = Record(Tasted), ReadArrays({})
    written = record.encode(TASTED, "", WrittenArrays(leave_out_draws=True))
    assert list(written) == list(fields_of(Tasted))[:-1]  # one was added later, and is default
    assert to_json(record.decode(written, "", none)) == to_json(TASTED)
    for name in ("wine", "p_value", "taste"):
        with pytest.raises(Damaged, match=name):
            record.decode({k: v for k, v in written.items() if k != name}, "", none)
    with pytest.raises(Damaged, match="mde"):
        record.decode({**written, "mde": 0.5}, "", none)


def test_a_row_takes_of_a_contrast_what_its_layout_has() -> None:
    found = Contrast(difference=1.0, interval=NO_INTERVAL, p_value=0.5, p_adjusted=0.5, mde=3.0)
    row = BiasDifference.of(found, system="a", baseline="b", n=7, verdict="undecided")
    assert (row.difference, row.n_items, row.system) == (1.0, 7, "a")
    assert math.isnan(row.mde)  # not in its layout: a file would not hold it


@pytest.mark.parametrize(
    ("correction", "theirs"), [("holm", "holm"), ("benjamini-hochberg", "fdr_bh")]
)
def test_corrected_p_values_are_those_of_statsmodels(correction: str, theirs: str) -> None:
    raw = np.random.default_rng(3).uniform(0.0, 0.2, 12)
    raw[4] = np.nan
    found = Family(alpha=0.05, correction=correction).adjusted(raw)
    known = ~np.isnan(raw)
    assert np.allclose(found[known], multipletests(raw[known], method=theirs)[1], atol=1e-15)
    assert math.isnan(found[4])
    assert np.array_equal(Family(alpha=0.05, correction="none").adjusted(raw[:3]), raw[:3])


def test_a_correction_that_is_no_function_of_p_values_is_no_family() -> None:
    with pytest.raises(KeyError, match="max-t"):
        Family(alpha=0.05, correction="max-t").adjusted(np.array([0.1]))


def test_a_family_names_its_rows_and_decides_by_the_corrected_test() -> None:
    tests = [Estimate(-3.0, 1.0, 40.0), Estimate(2.1, 1.0, 40.0)]
    about = [{"system": "a", "n": 4}, {"system": "b", "n": 5}]
    first, second = Family(alpha=0.05).contrasts(
        BiasDifference, tests, about, higher_is_better=False
    )
    assert (first.system, first.verdict, first.n_items) == ("a", "better", 4)
    assert (second.system, second.verdict) == ("b", "worse")
    alone = Family(alpha=0.05, correction="none").contrasts(BiasDifference, tests, about)
    assert alone[1].p_adjusted == alone[1].p_value == tests[1].p_value()
    assert alone[1].interval == tests[1].interval(0.95)
