"""How many votes it takes to tell two systems apart, by the formula."""

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from detectable.study.arena.ranked import votes_needed

Z = 1.9599639845400545
ASKED: dict[str, Any] = {"gap": 1.0, "critical": Z, "power": 0.8}


def known(error: float, alone: float | None = None, **changes: float) -> Any:
    """Return what is known of two systems with a standard error of their difference."""
    return SimpleNamespace(
        errors=np.full((2, 2), error),
        errors_votes=np.full((2, 2), error if alone is None else alone),
        **{"dispersion": 1.0, "information": math.nan, **changes},
    )


def test_what_is_known_is_taken_off_however_precise_it_is() -> None:
    g = math.log(10) / 400
    share = 1 / (1 + math.exp(-g))
    wanted = ((Z + 0.8416212335729143) / g) ** 2
    for error in (0.5, 0.004):
        more = (wanted - error**-2) / (share * (1 - share))
        assert votes_needed(known(error), 0, 1, **ASKED) == math.ceil(more)
    assert votes_needed(known(0.002), 0, 1, **ASKED) == 0  # more than enough is known
    assert votes_needed(known(0.5), 0, 1, **ASKED) == pytest.approx(945_500, rel=0.01)


def test_clusters_and_noise_cost_votes_and_a_model_of_ties_has_its_own_information() -> None:
    plain = votes_needed(known(0.5), 0, 1, **ASKED) or 0
    clustered = votes_needed(known(0.5, 0.25), 0, 1, **ASKED) or 0
    assert clustered == pytest.approx(4 * plain, rel=1e-5)
    noisy = votes_needed(known(0.5, dispersion=1.5), 0, 1, **ASKED) or 0
    assert noisy == pytest.approx(1.5 * plain, rel=1e-5)
    tied = votes_needed(known(0.5, information=0.2), 0, 1, **ASKED) or 0
    assert tied == pytest.approx(1.25 * plain, rel=1e-4)


@pytest.mark.parametrize(
    ("strengths", "critical"), [(known(0.0), Z), (known(0.5, 0.0), Z), (known(0.5), math.inf)]
)
def test_without_an_error_nothing_is_said(strengths: Any, critical: float) -> None:
    assert votes_needed(strengths, 0, 1, **{**ASKED, "critical": critical}) is None
