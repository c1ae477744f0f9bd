"""The replication of card2020 runs, and matches where its README says so."""

from replications.card2020.replicate import main
from tests.helpers import reference_data


def test_every_number_is_as_listed() -> None:
    assert main(reference_data("data", "card")) == []
