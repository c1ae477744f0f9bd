"""The binomial distribution against whole numbers and scipy."""

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.special import (
    bdtr,
    gammainc,
    gammaincinv,
    gammaln,
    nctdtr,
    ndtr,
    ndtri,
    stdtr,
    stdtrit,
)

from detectable.core.errors import DetectableError
from detectable.kernels import distributions as noncentral
from detectable.kernels.distributions import (
    binomial_at_most,
    chi_square_median,
    largest_gaps,
    log_factorials,
    noncentral_t_below,
    normal_below,
    normal_below_each,
    normal_quantile,
    t_below,
    t_below_each,
    t_quantile,
)
from detectable.kernels.means import exact_histogram_means, exact_mean
from detectable.kernels.pairing import clustered_means
from detectable.kernels.roots import bracketed_root


def exact(k: int, n: int, share: Fraction) -> float:
    hits, of = share.numerator, share.denominator
    ways = sum(math.comb(n, j) * hits**j * (of - hits) ** (n - j) for j in range(k + 1))
    return float(Fraction(ways, of**n))


@given(st.integers(0, 120), st.integers(0, 120), st.integers(1, 63))
def test_chances_are_those_of_whole_numbers(k: int, n: int, parts: int) -> None:
    share = Fraction(parts, 64)  # which a float holds exactly
    found = binomial_at_most(k, n, float(share))
    assert found == pytest.approx(exact(min(k, n), n, share), rel=1e-13, abs=1e-16)


@pytest.mark.parametrize(("n", "k"), [(1000, 460), (20_000, 9800), (20_000, 9000)])
def test_large_tails_of_a_fair_coin_keep_all_digits(n: int, k: int) -> None:
    # scipy's bdtr is off by 1.5e-11 at 20,000.
    ways, term = 0, math.comb(n, k)
    for j in range(k, max(k - 900, 0), -1):
        ways += term
        term = term * j // (n - j + 1)
    assert binomial_at_most(k, n, 0.5) == pytest.approx(float(Fraction(ways, 2**n)), rel=5e-15)


@given(st.integers(1, 3000), st.floats(0.0, 1.0), st.floats(1e-4, 0.9999))
def test_chances_are_scipy_s(n: int, place: float, share: float) -> None:
    k = math.floor(place * n)
    theirs = float(bdtr(float(k), n, share))
    # scipy's own error grows with n log n.
    assert binomial_at_most(k, n, share) == pytest.approx(theirs, rel=1e-11, abs=1e-250)


def test_the_ends() -> None:
    assert [binomial_at_most(k, 5, 0.3) for k in (-1, 5, 6)] == [0.0, 1.0, 1.0]
    assert [binomial_at_most(2, 5, share) for share in (0.0, 1.0)] == [1.0, 0.0]
    assert binomial_at_most(0, 0, 0.5) == 1.0


def test_log_factorials_are_scipy_s() -> None:
    rng = np.random.default_rng(3)
    k = np.concatenate([np.arange(2000), rng.integers(2000, 10**9, 2000)])
    found, theirs = log_factorials(k), gammaln(k + 1.0)
    assert np.max(np.abs(found - theirs) / np.maximum(theirs, 1.0)) <= 2.3e-16
    # To the bit from a thousand on, where one unit would show in a probability.
    assert np.array_equal(found[1000:], theirs[1000:])
    assert log_factorials(4) == pytest.approx(math.log(24.0), rel=1e-15)
    assert log_factorials(0).shape == ()


# --- The median of chi-square against a published table, scipy and what follows from its definition ---


@pytest.mark.golden
@pytest.mark.parametrize(
    ("df", "median"),
    # Abramowitz and Stegun (1964), table 26.8, Q = .5.
    [(1, 0.454937), (2, 1.38629), (5, 4.35146), (10, 9.34182), (30, 29.3360), (100, 99.3341)],
)
def test_published_medians(df: int, median: float) -> None:
    assert chi_square_median(df) == pytest.approx(median, rel=4e-6)  # six digits


@given(st.floats(-1.0, 8.0).map(lambda power: 10.0**power) | st.floats(95.0, 105.0))
def test_medians_are_scipy_s(df: float) -> None:
    assert chi_square_median(df) == pytest.approx(2.0 * gammaincinv(0.5 * df, 0.5), rel=1e-12)


@given(st.floats(0.02, 200.0))
def test_half_of_it_lies_below(df: float) -> None:
    assert gammainc(0.5 * df, 0.5 * chi_square_median(df)) == pytest.approx(0.5, abs=1e-13)


def test_degrees_of_freedom_at_their_ends() -> None:
    assert math.isnan(chi_square_median(0.0))
    assert math.isnan(chi_square_median(math.nan))
    assert chi_square_median(math.inf) == math.inf


# --- The noncentral t distribution against scipy and by counting ---


@pytest.mark.usefixtures("each_engine")
def test_published_power() -> None:
    """R's power.t.test(n = 20, delta = 1, sd = 1): .8689528, one of the two tails."""
    critical = 2.024394163911969  # qt(.975, 38)
    power = 1.0 - noncentral_t_below(critical, 38.0, math.sqrt(10.0))
    assert power == pytest.approx(0.8689528, abs=5e-8)


@pytest.mark.usefixtures("each_engine")
@given(
    st.floats(-0.3, 7.0).map(lambda power: 10.0**power) | st.integers(1, 60),
    st.floats(0.0, 60.0),
    st.floats(-10.0, 10.0),
)
def test_chances_are_scipy_s_of_noncentral(df: float, x: float, distance: float) -> None:
    shift = max(0.0, x + distance)
    theirs = float(nctdtr(df, shift, x))
    assume(math.isfinite(theirs))
    assert noncentral_t_below(x, df, shift) == pytest.approx(theirs, abs=2e-13)


@pytest.mark.usefixtures("each_engine")
@given(st.floats(0.5, 1e6), st.floats(-8.0, 8.0))
def test_without_a_shift_it_is_student_s(df: float, x: float) -> None:
    assert noncentral_t_below(x, df, 0.0) == pytest.approx(t_below(x, df), abs=2e-15)


@pytest.mark.usefixtures("each_engine")
@given(st.floats(0.5, 1e4), st.floats(-8.0, 8.0), st.floats(-8.0, 8.0))
def test_mirrored(df: float, x: float, shift: float) -> None:
    mirrored = noncentral_t_below(-x, df, -shift)
    assert noncentral_t_below(x, df, shift) + mirrored == pytest.approx(1.0, abs=2e-15)


@pytest.mark.usefixtures("each_engine")
def test_it_is_what_draws_say() -> None:
    rng, n = np.random.default_rng(7), 400_000
    draws = (rng.normal(size=n) + 1.5) / np.sqrt(rng.chisquare(4.0, n) / 4.0)
    p = noncentral_t_below(2.0, 4.0, 1.5)
    assert np.mean(draws <= 2.0) == pytest.approx(p, abs=4.0 * (p * (1.0 - p) / n) ** 0.5)


@pytest.mark.usefixtures("each_engine")
def test_very_many_degrees_are_normal() -> None:
    assert noncentral_t_below(2.0, math.inf, 1.5) == normal_below(0.5)


@pytest.mark.usefixtures("each_engine")
def test_where_too_many_nodes_are_needed_scipy_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    assert noncentral_t_below(5000.0, 1.0, 4000.0) == float(nctdtr(1.0, 4000.0, 5000.0))
    here = noncentral_t_below(3.0, 5.0, 2.0)
    monkeypatch.setattr(noncentral, "_MOST", 10)
    assert noncentral_t_below(3.0, 5.0, 2.0) == float(nctdtr(5.0, 2.0, 3.0))
    assert noncentral_t_below(3.0, 5.0, 2.0) == pytest.approx(here, abs=1e-14)


@pytest.mark.usefixtures("each_engine")
def test_what_is_no_distribution_is_no_number() -> None:
    nothing = [
        (math.nan, 3.0, 1.0),
        (1.0, math.nan, 1.0),
        (1.0, 3.0, math.nan),
        (1.0, 0.0, 1.0),
    ]
    assert all(math.isnan(noncentral_t_below(*given)) for given in nothing)


# --- The standard normal distribution against scipy ---


@pytest.mark.usefixtures("each_engine")
def test_published_quantiles() -> None:
    """R's qnorm."""
    assert normal_quantile(0.975) == pytest.approx(1.959963984540054, rel=1e-15)
    assert normal_quantile(0.8) == pytest.approx(0.8416212335729143, rel=1e-15)


@pytest.mark.usefixtures("each_engine")
@given(st.floats(-37.0, 40.0))
def test_chances_are_scipy_s_of_normal(x: float) -> None:
    # scipy's erfc loses digits with x²; the ones about the middle are equal to a few units.
    assert normal_below(x) == pytest.approx(float(ndtr(x)), rel=1e-13)
    if abs(x) < 5.0:
        assert normal_below(x) == pytest.approx(float(ndtr(x)), rel=3e-15)


@pytest.mark.usefixtures("each_engine")
@given(st.floats(-300.0, -1e-12))
def test_quantiles_are_scipy_s_in_both_tails(exponent: float) -> None:
    p = 10.0**exponent
    assert normal_quantile(p) == pytest.approx(float(ndtri(p)), rel=2e-15)
    upper = 1.0 - min(p, 0.5)
    assert normal_quantile(upper) == pytest.approx(float(ndtri(upper)), rel=2e-15)


@pytest.mark.usefixtures("each_engine")
@given(st.floats(-16.0, -0.31), st.sampled_from([-1.0, 1.0]))
def test_quantiles_about_the_middle_keep_their_digits(exponent: float, sign: float) -> None:
    p = 0.5 + sign * 10.0**exponent
    assert normal_quantile(p) == pytest.approx(float(ndtri(p)), rel=2e-15)


@pytest.mark.usefixtures("each_engine")
@pytest.mark.parametrize("p", [1e-310, 2e-308, 1e-301, 0.25, 0.75, 0.2499999, 0.7500001])
def test_quantiles_at_the_seams(p: float) -> None:
    assert normal_quantile(p) == pytest.approx(float(ndtri(p)), rel=2e-15)


@pytest.mark.usefixtures("each_engine")
def test_the_ends_of_normal() -> None:
    found = [normal_quantile(p) for p in (0.0, 1.0, 0.5)]
    assert found == [-math.inf, math.inf, 0.0]
    assert all(math.isnan(normal_quantile(p)) for p in (-0.1, 1.1, math.nan))
    assert normal_quantile(5e-324) == pytest.approx(-38.4677, abs=1e-3)
    assert (normal_below(-math.inf), normal_below(math.inf)) == (0.0, 1.0)
    assert math.isnan(normal_below(math.nan))


@pytest.mark.usefixtures("each_engine")
@pytest.mark.parametrize("shape", [(), (0,), (7,), (3, 4), (2, 3, 2)])
def test_each_entry_is_the_chance_of_one(shape: tuple[int, ...]) -> None:
    x = np.random.default_rng(1).normal(0.0, 4.0, shape)
    found = normal_below_each(x)
    assert found.shape == shape
    assert found.ravel().tolist() == [normal_below(value) for value in x.ravel().tolist()]


@pytest.mark.usefixtures("each_engine")
def test_arrays_need_not_be_contiguous() -> None:
    x = np.linspace(-3.0, 3.0, 12).reshape(3, 4)
    assert np.array_equal(normal_below_each(x.T), normal_below_each(x).T)
    assert np.array_equal(normal_below_each(x[:, ::-2]), normal_below_each(x)[:, ::-2])
    assert np.array_equal(normal_below_each(np.arange(3)), normal_below_each(np.arange(3.0)))


# --- Student's t distribution against scipy, R and itself ---
#
# scipy's quantiles fail in places (infinite or a fixed number for the smallest chances), so that
# wide ranges are compared through its distribution function, which does not.

DF = st.floats(math.log10(0.5), 7.0).map(lambda power: 10.0**power) | st.integers(1, 3000)


def rounding(p: float) -> float:
    """Return what a tail may differ by: its exponential has as many units as its logarithm."""
    return 2e-14 + 1e-15 * abs(math.log(p))


@pytest.mark.parametrize(
    ("df", "quantile"),
    [(1, 12.706204736174704), (2, 4.302652729749464), (10, 2.2281388519862747)],
)
def test_published_quantiles_of_student(df: int, quantile: float) -> None:
    """R's qt(.975, df)."""
    assert t_quantile(0.975, df) == pytest.approx(quantile, rel=1e-14)


def test_cauchy_and_two_degrees_have_closed_forms() -> None:
    for p in (1e-200, 1e-20, 0.01, 0.2, 0.3, 0.49999):
        cauchy = -1.0 / math.tan(math.pi * p) if p < 0.25 else math.tan(math.pi * (p - 0.5))
        assert t_quantile(p, 1) == pytest.approx(cauchy, rel=4e-13)
        two = (2.0 * p - 1.0) / math.sqrt(2.0 * p * (1.0 - p))
        assert t_quantile(p, 2) == pytest.approx(two, rel=4e-13)


@given(DF, st.floats(-300.0, -0.3))
def test_the_chance_of_a_quantile_is_the_chance(df: float, exponent: float) -> None:
    p = 10.0**exponent
    x = t_quantile(p, df)
    assume(abs(x) < 1e150)  # scipy squares it
    assert t_below(x, df) == pytest.approx(p, rel=rounding(p))
    assert float(stdtr(df, x)) == pytest.approx(p, rel=rounding(p))


@given(DF, st.floats(-12.0, -0.3), st.booleans())
def test_quantiles_are_scipy_s_where_its_own_are_good(
    df: float, exponent: float, upper: bool
) -> None:
    p = 1.0 - 10.0**exponent if upper else 10.0**exponent
    theirs = float(stdtrit(df, p))
    assume(float(stdtr(df, theirs)) == pytest.approx(p, rel=1e-13))
    assert t_quantile(p, df) == pytest.approx(theirs, rel=4e-13)


@given(DF, st.floats(-16.0, -0.31), st.sampled_from([-1.0, 1.0]))
def test_quantiles_about_the_middle_keep_their_digits_of_student(
    df: float, exponent: float, sign: float
) -> None:
    excess = sign * 10.0**exponent
    p = 0.5 + excess
    x = t_quantile(p, df)
    assert math.copysign(1.0, x) == sign or p == 0.5
    if abs(p - 0.5) < 1e-4:  # the density is flat there
        at_zero = math.exp(
            math.lgamma(0.5 * df + 0.5) - math.lgamma(0.5 * df) - 0.5 * math.log(math.pi * df)
        )
        assert x == pytest.approx((p - 0.5) / at_zero, rel=1e-6)


@given(st.floats(-1e3, 1e3))
def test_chances_near_zero_keep_their_digits(x: float) -> None:
    assert t_below(x, 1.0) == pytest.approx(0.5 + math.atan(x) / math.pi, rel=1e-12)
    central = 0.5 * x / math.sqrt(2.0 + x * x)
    assert t_below(x, 2.0) == pytest.approx(0.5 + central, rel=1e-12)


@given(DF, st.floats(-60.0, 60.0))
def test_chances_are_scipy_s_of_student(df: float, x: float) -> None:
    theirs = float(stdtr(df, x))
    assume(theirs > 1e-300 and abs(x) > 0.01)  # nearer to 0 scipy loses digits
    assert t_below(x, df) == pytest.approx(theirs, rel=rounding(theirs))
    assert t_below(x, df) + t_below(-x, df) == pytest.approx(1.0, abs=1e-15)


def test_the_two_ways_meet() -> None:
    """The continued fraction at 100 degrees of freedom, the integral just above."""
    for x in (-1.75, -2.0, -5.0, -20.0):
        slightly = np.nextafter(100.0, 101.0)
        assert t_below(x, slightly) == pytest.approx(t_below(x, 100.0), rel=2e-14)


def test_very_many_degrees_are_normal_of_student() -> None:
    for df in (1e15, math.inf):
        assert t_below(-2.0, df) == normal_below(-2.0)
        assert t_quantile(0.01, df) == normal_quantile(0.01)
    assert t_quantile(0.01, 1e12) == pytest.approx(normal_quantile(0.01), rel=1e-11)


def test_the_ends_of_student() -> None:
    assert [t_quantile(p, 3.0) for p in (0.0, 0.5, 1.0)] == [-math.inf, 0.0, math.inf]
    assert (t_below(-math.inf, 3.0), t_below(math.inf, 3.0), t_below(0.0, 3.0)) == (
        0.0,
        1.0,
        0.5,
    )
    assert t_quantile(1e-300, 0.5) == -math.inf  # about 1e600
    assert t_quantile(1e-200, 1.0) == pytest.approx(-1e200 / math.pi, rel=1e-12)
    assert t_below(-1e200, 1.0) == pytest.approx(1e-200 / math.pi, rel=1e-12)
    wrong = [(1.1, 3.0), (-0.1, 3.0), (math.nan, 3.0), (0.3, 0.0), (0.3, -1.0), (0.3, math.nan)]
    assert all(math.isnan(t_quantile(p, df)) for p, df in wrong)
    assert all(math.isnan(t_below(x, df)) for x, df in ((math.nan, 3.0), (1.0, math.nan)))


# --- Roots between two points ---

CURVES: tuple[Callable[[float], float], ...] = (
    math.tanh,
    lambda x: x**3 + 1e-3 * x,
    math.expm1,
    lambda x: math.erf(x) + 1e-9 * x,
    lambda x: x,
    lambda x: math.copysign(abs(x) ** 0.2, x),
)


@given(
    st.sampled_from(CURVES),
    st.floats(-20.0, 20.0),
    st.floats(0.01, 30.0),
    st.floats(0.01, 30.0),
    st.booleans(),
)
def test_the_root_is_found(
    curve: Callable[[float], float], root: float, left: float, right: float, falls: bool
) -> None:
    calls = 0

    def function(x: float) -> float:
        nonlocal calls
        calls += 1
        return -curve(x - root) if falls else curve(x - root)

    found = bracketed_root(function, root - left, root + right)
    assert found == pytest.approx(root, abs=2e-12 + 4 * 2.3e-16 * abs(root))
    mine, calls = calls, 0
    brentq(function, root - left, root + right)
    assert mine <= calls + 2  # the same steps, up to rounding
    exact = bracketed_root(function, root - left, root + right, tolerance=1e-15)
    assert exact == pytest.approx(root, abs=1e-15 + 8 * 2.3e-16 * abs(root))


def test_an_end_that_is_a_root_is_returned() -> None:
    assert bracketed_root(lambda x: x, 0.0, 1.0) == 0.0
    assert bracketed_root(lambda x: x, -1.0, 0.0) == 0.0


def test_a_coarser_answer_takes_fewer_steps() -> None:
    calls = []

    def cube(x: float) -> float:
        calls.append(x)
        return x**3 - 2.0

    fine = bracketed_root(cube, 0.0, 5.0, tolerance=0.0)
    n_fine = len(calls)
    coarse = bracketed_root(cube, 0.0, 5.0, tolerance=0.0, relative=0.05)
    assert len(calls) - n_fine < n_fine
    assert coarse == pytest.approx(2.0 ** (1 / 3), abs=0.1)
    assert fine == pytest.approx(2.0 ** (1 / 3), rel=1e-15)


def test_ends_of_one_sign_are_refused() -> None:
    with pytest.raises(
        DetectableError, match="there is no root between 1 and 2: the function is"
    ):
        bracketed_root(lambda x: x * x, 1.0, 2.0)
    with pytest.raises(DetectableError, match="no root between"):
        bracketed_root(lambda x: -x, 1.0, 2.0)


# --- Means that do not depend on the order ---

numbers = st.lists(st.floats(-1e6, 1e6).map(lambda x: round(x, 3)), min_size=1, max_size=60)


@given(numbers, st.randoms(use_true_random=False))
def test_any_order_gives_the_same_bits(values: list[float], random: object) -> None:
    expected = float(sum(Fraction(v) for v in values)) / len(values)
    shuffled = list(values)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    d = np.array(shuffled)
    assert exact_mean(d) == expected
    different, counts = np.unique(d, return_counts=True)
    assert exact_histogram_means(counts[None], different)[0] == expected
    starts = np.array([0, d.size])
    assert clustered_means(starts, np.arange(d.size), d, d.size)[0][0] == expected


def test_a_large_count_is_exact_too() -> None:
    counts = np.array([[10_000_019, 3]])
    values = np.array([0.1, 1e9 + 0.7])
    total = sum(int(n) * Fraction(v) for n, v in zip(counts[0], values, strict=True))
    assert exact_histogram_means(counts, values)[0] == float(total) / 10_000_022


def test_nothing_has_no_mean() -> None:
    assert math.isnan(exact_mean(np.zeros(0)))


@pytest.mark.usefixtures("each_engine")
@pytest.mark.parametrize(("rows", "columns"), [(1, 2), (128, 5), (300, 17)])
def test_the_largest_gap_is_that_of_all_pairs(rows: int, columns: int) -> None:
    rng = np.random.default_rng(rows)
    values, scales = rng.normal(size=(rows, columns)), rng.random((columns, columns))
    pairs = [(i, j) for i in range(columns) for j in range(i + 1, columns)]
    each = [np.abs(values[:, j] - values[:, i]) * scales[i, j] for i, j in pairs]
    assert np.array_equal(largest_gaps(values, scales), np.max(each, axis=0))


@pytest.mark.usefixtures("each_engine")
def test_one_column_has_no_gap() -> None:
    assert largest_gaps(np.ones((3, 1)), np.ones((1, 1))).tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize("df", [0.5, 3.0, 30.0, 1e4, math.inf])
def test_chances_of_many_are_those_of_each(df: float) -> None:
    x = np.array([-40.0, -3.0, -0.2, 0.0, 0.7, 6.0])
    assert t_below_each(x, df) == pytest.approx([t_below(float(v), df) for v in x], rel=1e-12)
