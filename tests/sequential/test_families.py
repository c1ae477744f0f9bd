"""The table of families: spending functions, parameters, and what derives from a row."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from detectable.core.errors import InputError
from detectable.sequential.families import Family
from detectable.sequential.futility import Futility
from tests.sequential.gold import gold, setting, spending

ALL = (
    Family("ld-obf"),
    Family("ld-pocock"),
    Family("hsd"),
    Family("hsd", 0.0),
    Family("hsd", 1.0),
    Family("kim-demets"),
    Family("kim-demets", 3.0),
)


@pytest.mark.golden
@pytest.mark.parametrize("section", ["alpha_spending_equal", "alpha_spending_unequal"])
def test_published_spending(section: str) -> None:
    for key, case in gold(section).items():
        name, alpha = key.split("|")[:2]
        found = [2 * spending(name).spent(setting(alpha) / 2, t) for t in case["t"]]
        assert found == pytest.approx(case["cum_alpha_two_sided"], abs=1e-7)


@pytest.mark.parametrize("function", ALL, ids=str)
@given(low=st.floats(0.0, 1.0), high=st.floats(0.0, 1.0), level=st.floats(0.001, 0.4))
def test_spending_rises_to_the_level(
    function: Family, low: float, high: float, level: float
) -> None:
    low, high = sorted((low, high))
    assert 0.0 <= function.spent(level, low) <= function.spent(level, high) * (1 + 1e-12)
    assert function.spent(level, high) <= level * (1 + 1e-12)
    assert function.spent(level, 1.3) == level
    assert function.spent(level, 0.0) == 0.0


def test_hsd_without_curvature_is_linear() -> None:
    assert Family("hsd", 0.0).spent(0.02, 0.25) == 0.005
    assert Family("hsd", 1e-9).spent(0.02, 0.25) == pytest.approx(0.005, rel=1e-6)


def test_parameters_are_checked() -> None:
    with pytest.raises(InputError, match="`rho` must be a finite number above 0"):
        Family("kim-demets", -1.0)
    with pytest.raises(InputError, match="`gamma` must lie between"):
        Family("hsd", 1e6)
    with pytest.raises(InputError, match="`spending` must be one of hsd, ld-obf"):
        Futility("beta-spending", spending=Family("pocock"))
    with pytest.raises(InputError, match="must not be given for the family pocock, which has"):
        Family("pocock", 0.3)
