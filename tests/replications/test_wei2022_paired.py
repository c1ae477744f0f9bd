"""ShipData: the published count of the rank-sum test, and what pairing makes of the same data."""

import json

import numpy as np
import polars as pl
import pytest

from detectable.data.human.judgments import Judgments
from detectable.study.archive.campaign_pairs import campaign_pairs
from replications.wei2022.paired import TESTS, numbers
from tests.helpers import reference_data

# Computed by this package; the rank-sum count is the paper's, cell by cell of its table 1.
EXACT = {
    "paired, paired, significant": 2064,
    "paired, paired, gained": 542,
    "paired, paired, lost": 22,
    "paired, signed-rank, significant": 1983,
    "paired, raters like these, significant": 1769,
    "audit, unpaired, comparisons above": 1425,
    "audit, paired, comparisons above": 1815,
    "audit, unpaired, budget": 2167,
    "audit, paired, budget": 1180,
    "audit, paired, ENU-FRA, significant": 71,
    "audit, paired, ITA-ENU, significant": 12,
}
ROUNDED = {
    "paired, judgments with a partner": 0.993,
    "paired, correlation, median": 0.521,
    "paired, variance ratio, first quartile": 1.380,
    "paired, variance ratio, second quartile": 1.764,
    "paired, variance ratio, third quartile": 2.396,
    "audit, unpaired, observed MDE": 2.700,
    "audit, paired, observed MDE": 1.848,
    "audit, unpaired, detectable": 3.094,
    "audit, paired, detectable": 2.291,
    "audit, unpaired, underpowered at the median": 0.969,
    "audit, paired, underpowered at the median": 0.791,
    "audit, paired, ENU-FRA, observed MDE": 1.706,
}


@pytest.mark.golden
def test_pairing_decides_more_and_keeps_its_level() -> None:
    gold = json.loads(reference_data("gold", "shipdata.json").read_text())["counts"]
    found = numbers(reference_data("data", "shipdata"), n_swaps=5)
    assert found["paired, comparisons"].value == gold["pairs"]
    assert found["paired, campaigns"].value == gold["campaigns_with_pairs"]
    assert found["paired, rank-sum, significant"].value == gold["significant_at_05"]
    for name, expected in EXACT.items():
        assert found[name].value == expected, name
    for name, rounded in ROUNDED.items():
        assert found[name].near(rounded, 0.0006), name
    for test in ("paired", "signed-rank"):
        assert found[f"paired, {test}, false alarms"].near(0.05, 0.0), test
    assert found["paired, rank-sum, false alarms"].near(0.012, 0.001)
    level = found["paired, raters like these, false alarms"].value
    assert level is not None
    assert level < 0.05


@pytest.mark.golden
def test_segments_alone_give_the_numbers_of_the_first_800_files() -> None:
    # Computed elsewhere (reference/sequential.md, 2.4): segment means of the first 800 files,
    # whoever judged them.
    frame = pl.read_parquet(reference_data("data", "shipdata", "shipdata_judgments.parquet"))
    files = frame.select("campaign", "system").unique(maintain_order=True).head(800)
    frame = frame.join(files, on=["campaign", "system"], how="semi")
    pairs = campaign_pairs(
        Judgments.build(
            {
                "campaign": frame["campaign"],
                "system": frame["system"],
                "item": frame["segment"],
                "score": frame["score"].to_numpy(),
            }
        ),
        tests=TESTS,
    )
    assert pairs.n_pairs == 706
    assert [f"{test.share:.3f}" for test in pairs.tests] == ["0.347", "0.487", "0.450"]
    assert (pairs.tests[2].gained, pairs.tests[2].lost) == (77, 4)
    np.testing.assert_allclose(pairs.variance_ratio, [1.43, 1.81, 2.41], atol=0.005)
    assert pairs.correlation == pytest.approx(0.53, abs=0.005)
