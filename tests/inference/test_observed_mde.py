"""The observed detectable difference: the walk from the top, and what it stands on."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from detectable.core.errors import InputError
from detectable.inference.observed_mde import observed_mde
from detectable.inference.shares import wilson_interval


def test_the_walk_stops_at_the_first_failure() -> None:
    found = observed_mde([5, 4, 3, 2, 1], [1, 1, 0, 1, 1], share=0.7)
    assert (found.effect, found.n_above, found.n_significant_above) == (4.0, 2, 2)
    assert (found.n_comparisons, found.n_significant, found.median_difference) == (5, 4, 3.0)


def test_the_other_rule_goes_on_after_a_failure() -> None:
    found = observed_mde([5, 4, 3, 2, 1], [1, 1, 0, 1, 1], share=0.7, rule="any")
    assert (found.effect, found.n_above, found.share_above) == (1.0, 5, 0.8)


def test_a_share_that_is_just_reached_passes() -> None:
    sizes = np.arange(20, 0, -1)
    flags = np.ones(20)
    flags[-1] = 0  # 19 of 20 is .95
    assert observed_mde(sizes, flags).effect == 1.0


def test_nothing_is_detectable_if_the_largest_difference_is_not_significant() -> None:
    found = observed_mde([9, 1, 1], [False, True, True])
    assert found.effect is None
    assert found.share_interval is None
    assert np.isnan(found.share_above)
    assert found.summary().startswith("No observed detectable difference")
    assert found.to_dict()["share_above"] is None


def test_few_comparisons_are_named() -> None:
    found = observed_mde([3, 2], [True, False])
    assert "stands on 1 comparison" in found.summary()
    many = observed_mde(np.arange(1.0, 31.0), np.ones(30, bool))
    assert many.notes == ()
    assert "Observed detectable difference 1.00" in many.summary()


@given(st.lists(st.tuples(st.integers(-4, 4), st.booleans()), min_size=1, max_size=12))
def test_neither_order_nor_sign_matters(pairs: list[tuple[int, bool]]) -> None:
    sizes, flags = np.array([p[0] for p in pairs]), np.array([p[1] for p in pairs])
    found = observed_mde(sizes, flags, share=0.6)
    order = np.argsort(np.random.default_rng(len(pairs)).random(len(pairs)))
    again = observed_mde(-sizes[order], flags[order], share=0.6)
    assert found.to_dict() == again.to_dict()  # which can compare «no share»


def test_messages_name_the_argument() -> None:
    with pytest.raises(InputError, match="`significant` must hold 2 values"):
        observed_mde([1, 2], [True])
    with pytest.raises(InputError, match="`significant` must hold 2 values"):
        observed_mde([1, 2], [0.03, 0.5])
    with pytest.raises(InputError, match="`rule` must be one of"):
        observed_mde([1, 2], [True, False], rule="last")  # type: ignore[arg-type]


def test_the_summary_of_a_walk() -> None:
    found = observed_mde([5, 4, -3, 2, 1], [1, 1, 1, 0, 1], share=0.9, alpha=0.1)
    band = wilson_interval(3, 3, alpha=0.1)
    assert found.summary() == (
        "Observed detectable difference 3.00: significant in 3 of 3 comparisons with at least "
        f"that (90% interval of the share [{band.low:.2f}, 1.00]). Of all 5 comparisons 4 were "
        "significant, median difference 3.00. It stands on 3 comparisons: with fewer than 10 a "
        "single insignificant one brings the share below 90%."
    )
    assert found.share_interval == band
    assert found.share_above == 1.0


def test_ten_comparisons_are_enough_for_nine_in_ten() -> None:
    sizes = np.arange(1.0, 12.0)
    assert observed_mde(sizes[:10], np.ones(10), share=0.9).notes == ()
    assert len(observed_mde(sizes[:9], np.ones(9), share=0.9).notes) == 1


def test_equal_sizes_are_one_step() -> None:
    found = observed_mde([3, 3, 2, 2], [1, 1, 1, 0], share=0.9)
    assert (found.effect, found.n_above) == (3.0, 2)
    assert observed_mde([3, 3, 2, 2], [1, 0, 1, 1], share=0.7).effect is None


@pytest.mark.parametrize("option", ["share", "alpha"])
@pytest.mark.parametrize("value", [0.0, 1.0, 1.5])
def test_shares_lie_between_zero_and_one(option: str, value: float) -> None:
    with pytest.raises(InputError, match=f"`{option}` must"):
        observed_mde([1, 2], [True, False], **{option: value})  # type: ignore[arg-type]
