"""The chain of Direct Assessment on two tasks: quality control, standardisation, system scores."""

import json

import polars as pl
import pytest

from detectable.data.human.judgments import Judgments
from detectable.study.raters.quality_control import quality_control
from tests.helpers import reference_data


def crowd_alone() -> Judgments:
    rows = pl.read_csv(reference_data("data", "wmt", "crowdalone_2hits.csv"))
    names = {"rater": "WorkerId", "task": "HITId", "system": "sys_id", "item": "sid"}
    names |= {"kind": "type", "score": "score", "seconds": "time"}
    return Judgments.build({role: rows[name].to_list() for role, name in names.items()})


@pytest.mark.golden
def test_two_tasks_run_through_the_whole_chain() -> None:
    gold = json.loads(reference_data("gold", "graham.json").read_text())["da_qc"]
    expected = gold["crowdalone_2hits"]
    judgments = crowd_alone()
    found = quality_control(judgments)
    for row in found.raters:
        want = expected[row.rater]
        assert row.verdict == want["cls"]
        assert row.n_pairs == want["pairs"]
        assert row.p_value == pytest.approx(want["p"], rel=5e-7)
        assert row.t == pytest.approx(want["t"], rel=5e-7)
        assert row.mean == pytest.approx(want["mean"], abs=5e-3)
        assert row.sd == pytest.approx(want["sd"], abs=5e-6)
        assert row.mean_degraded == pytest.approx(want["mean_bad"], abs=0.05)
        assert row.mean_system == pytest.approx(want["mean_sys"], abs=0.05)
        assert row.mean_reference == pytest.approx(want["mean_ref"], abs=0.05)
    assert found.good == ("W2",)

    kept = found.apply(judgments)
    z = (kept.score - kept.score.mean()) / kept.score.std(ddof=1)
    shown = kept.is_kind("system", "repeat")
    # The tools of 2015 average judgments; those of the WMT campaigns average segments first.
    means = {
        name: float(z[shown & (kept.system.codes == code)].mean())
        for code, name in enumerate(kept.system.levels)
        if (shown & (kept.system.codes == code)).any()
    }
    # The tools pass mean and deviation on as printed, with seven digits.
    assert means == pytest.approx(expected["system_scores_z"], abs=1e-7)
