"""Refits of mixed models go on where a killed run was."""

from collections.abc import Callable
from pathlib import Path

import pytest

import detectable as dt
from detectable.core.result import Result
from detectable.mixed.result import MixedFit
from detectable.mixed.simulate import example_ratings


def _simulate(fit: MixedFit) -> Result:
    return dt.simulate(fit, n_simulations=120, rng=3)


def _component(fit: MixedFit) -> Result:
    return dt.component_test(fit, "rater intercept", method="bootstrap", n_resamples=120, rng=3)


@pytest.mark.parametrize("ask", [_simulate, _component])
def test_refits_are_taken_from_the_file(
    ask: Callable[[MixedFit], Result], tmp_path: Path
) -> None:
    kept = tmp_path / "refits"
    plain = ask(dt.fit_mixed(example_ratings()))
    for taken in (0, 2, 3):
        with dt.checkpoint(kept) as blocks:
            found = ask(dt.fit_mixed(example_ratings()))
        assert (blocks.taken, blocks.done) == (taken, 3 - taken)
        assert found.to_dict() == plain.to_dict()
        if not taken:
            kept.write_bytes(kept.read_bytes()[:-1])
