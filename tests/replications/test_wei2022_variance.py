"""The variance part of wei2022 runs, and matches where its README says so."""

import json

import pytest

from replications.wei2022.variance import main, shipdata_numbers
from tests.helpers import reference_data


@pytest.mark.golden
def test_tables_2_and_3_and_shipdata_are_as_listed() -> None:
    assert main(reference_data("data", "shipdata"), reference_data("data", "wmt")) == []


@pytest.mark.golden
@pytest.mark.slow  # the other test reads the same files
def test_shipdata_is_as_computed_elsewhere() -> None:
    gold = json.loads(reference_data("gold", "shipdata.json").read_text())
    want = gold["table2"]["shipdata_repeats"]
    with pytest.warns(UserWarning, match="not a random subset"):
        found = shipdata_numbers(reference_data("data", "shipdata"))
    name = "ShipData, mean of systems, "
    assert found[name + "total"] == pytest.approx(want["total_within_system"], abs=0.005)
    assert found[name + "noise"] == pytest.approx(want["noise"], abs=0.005)
    repeated = found[name + "translations by several raters"]
    assert repeated == want["items_with_2plus_annotators"]
    by_difference = want["reducible_1_minus_noise_over_total"]
    assert found[name + "quality, difference"] == pytest.approx(by_difference, abs=0.005)
    by_covariance = want["reducible_by_covariance"]
    assert found[name + "quality, covariance"] == pytest.approx(by_covariance, abs=0.005)
    for metric, rho in gold["metric_within_system_pearson"].items():
        assert found[f"ShipData, {metric}, correlation"] == pytest.approx(rho, abs=5e-5)
    assert found["ShipData, COMET, data efficiency"] == pytest.approx(1.157, abs=5e-4)
