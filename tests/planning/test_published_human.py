"""Published powers for human ratings."""

from typing import Any

import pytest

import detectable as dt
from tests.helpers import golden

KINDS: dict[str, Any] = {"ratings": dt.scenarios.Ratings, "likert": dt.scenarios.Likert}


@pytest.mark.golden
@pytest.mark.parametrize("case", golden("power_human"), ids=lambda c: c["name"])
def test_published_value(case: dict[str, Any]) -> None:
    scenario = KINDS[case["scenario"]](**case["settings"])
    found = dt.power(
        scenario, n_items=case["n_items"], effect=case["effect"], n_trials=4000, rng=1
    )
    assert found.power == pytest.approx(case["power"], abs=case["tolerance"])
