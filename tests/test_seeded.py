"""Seeded numbers from several blocks of random numbers: they may not change unnoticed."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import detectable as dt
from detectable.data.scores.scores import Scores
from detectable.inference.bootstrap import bootstrap
from detectable.inference.randomization import randomization_test
from detectable.inference.sign_flips import paired_permutation
from detectable.study.comparison.compare import compare
from tests.helpers import golden
from tests.planning.scenarios import PairedT
from tests.samples import mean_sample

RESAMPLES = 3000  # three blocks, the last not full
PAIRS = ((1, 0), (2, 0), (2, 1))


def _whole_numbers() -> list[list[int]]:
    """Return scores of three systems; whole numbers, so that sums are exact everywhere."""
    rows = [[(7 * i + 3 * s * i * i) % 11 for i in range(40)] for s in range(3)]
    rows[1] = [x + (i % 4 == 0) for i, x in enumerate(rows[1])]
    return rows


def _randomization() -> list[float]:
    sample = mean_sample(*_whole_numbers())
    test = randomization_test((sample,), PAIRS, n_resamples=RESAMPLES, rng=2021)
    return [float(p) for p in test.p_values[:, 0]]


def _bootstrap() -> list[float]:
    draws = bootstrap((mean_sample(*_whole_numbers()),), n_resamples=RESAMPLES, rng=2021)
    return [round(float(draws.difference(*pair, 0).mean()), 12) for pair in PAIRS]


def _paired_permutation() -> list[float]:
    a, b, c = np.array(_whole_numbers(), dtype=float)
    differences = np.stack([b - a, c - a, c - b], axis=1)
    test = paired_permutation(differences, n_resamples=RESAMPLES, rng=2021)
    return [float(p) for p in test.p_values]


def _power() -> list[float]:
    sizes = (10, 20, 40)
    return [
        dt.power(PairedT(), n_items=n, effect=0.4, n_trials=RESAMPLES, rng=2021).power
        for n in sizes
    ]


def _compare(**options: Any) -> Callable[[], list[float]]:
    def made() -> list[float]:
        scores = Scores.build(dict(zip("ABC", _whole_numbers(), strict=True)))
        result = compare(scores, "mean", n_resamples=RESAMPLES, rng=2021, **options)
        return [pair.p_adjusted for pair in result.pairs]

    return made


SEEDED: dict[str, Callable[[], list[float]]] = {
    "randomization": _randomization,
    "bootstrap": _bootstrap,
    "paired permutation": _paired_permutation,
    "power": _power,
    "compare, max-t": _compare(correction="max-t"),
    "compare, bootstrap": _compare(test="bootstrap", correction="none"),
    "compare, bootstrap intervals before swaps": _compare(interval="bca", correction="none"),
}


@pytest.mark.golden
@pytest.mark.parametrize("case", golden("seeded_numbers"), ids=lambda case: case["name"])
def test_the_numbers_of_a_seed_stay_what_they_are(case: dict[str, Any]) -> None:
    assert SEEDED[case["name"]]() == pytest.approx(case["numbers"], rel=1e-10)


@pytest.mark.golden
def test_every_seeded_number_is_stored() -> None:
    assert {case["name"] for case in golden("seeded_numbers")} == set(SEEDED)
