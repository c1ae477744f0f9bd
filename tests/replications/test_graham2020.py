"""The replication of graham2020 runs and matches."""

from replications.graham2020.replicate import main
from tests.helpers import reference_data


def test_official_clusters_and_the_power_table_are_matched() -> None:
    assert main(reference_data("data", "wmt")) == []
