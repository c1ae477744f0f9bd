"""Tries of one candidate."""

import pytest

from detectable.core.errors import InputError
from detectable.study.gate.accept import counted, level


def test_levels_of_all_tries_add_up_to_alpha() -> None:
    assert sum(level(0.05, j) for j in range(1, 11)) == pytest.approx(0.05, rel=0.001)
    assert level(0.05, 1) == 0.025
    assert level(0.05, None) == 0.05


@pytest.mark.parametrize("attempt", [0, -1, 2.5, 11])
def test_absurd_tries_are_refused(attempt: int) -> None:
    with pytest.raises(InputError, match="`attempt` must be"):
        level(0.05, attempt)


def test_the_same_scores_are_the_same_try() -> None:
    tries: dict[str, tuple[str, ...]] = {}
    numbers = []
    for name, scores in (("B", "x"), ("B", "y"), ("C", "x"), ("B", "x"), ("B", "z")):
        number, tries = counted(tries, name, scores)
        numbers.append(number)
    assert numbers == [1, 2, 1, 1, 3]
    assert tries == {"B": ("x", "y", "z"), "C": ("x",)}
