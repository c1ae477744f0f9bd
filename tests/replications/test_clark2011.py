"""The replication of clark2011 runs and matches."""

from replications.clark2011.replicate import main
from tests.helpers import reference_data


def test_multevals_example_is_matched() -> None:
    # METEOR's six runs are checked by the slow test of the metric itself.
    assert main(reference_data("data", "multeval"), with_meteor=False) == []
