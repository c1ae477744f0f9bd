"""Power, expected sample and inflation."""

import numpy as np
import pytest

from detectable.core.errors import ConvergenceError
from detectable.sequential.boundaries import (
    Stops,
    drift_for_power,
    fixed_drift,
    increasing_root,
    operating_points,
    stop_chances,
    symmetric_stops,
)
from detectable.sequential.families import Family
from tests.sequential.gold import equal_looks, gold, setting


def family(name: str) -> Family:
    """Return the family that the table calls ``obrien_fleming`` or ``wang_tsiatis_0.1``."""
    if name.startswith("wang_tsiatis"):
        return Family("wang-tsiatis", float(name.rpartition("_")[2]))
    return Family(name.replace("_", "-"))


@pytest.mark.golden
def test_inflation_and_expected_samples() -> None:
    for key, case in gold("inflation").items():
        name, alpha, looks, power = key.split("|")
        times, level = equal_looks(int(setting(looks))), setting(alpha)
        upper = family(name).boundary(times, level, sided=2)
        stops = symmetric_stops(times, upper, sided=2)
        drift = drift_for_power(stops, setting(power))
        assert drift == pytest.approx(case["drift"], abs=1.1e-5), key
        ratio = (drift / fixed_drift(level, 2, setting(power))) ** 2
        assert ratio == pytest.approx(case["R"], abs=1.1e-5), key
        points = operating_points(stops, drift * np.array([0.0, 0.5, 1.0]))
        samples = [ratio * point.expected_n for point in points]
        assert samples == pytest.approx(list(case["asn_over_fixed"].values()), abs=2e-5), key


@pytest.mark.golden
@pytest.mark.parametrize(
    ("key", "made"),
    [
        ("OBF K=40", Family("obrien-fleming")),
        ("WT.25 K=40", Family("wang-tsiatis", 0.25)),
        ("LD-OBF K=40", Family("ld-obf")),
        ("HSD-4 K=40", Family("hsd", -4.0)),
    ],
)
def test_many_looks(key: str, made: Family) -> None:
    case, times = gold("many_look_and_mixture_designs_power90")[key], equal_looks(40)
    stops = symmetric_stops(times, made.boundary(times, 0.05, sided=2), sided=2)
    drift, fixed = drift_for_power(stops, 0.9), fixed_drift(0.05, 2, 0.9)
    points = operating_points(stops, drift * np.array([0.0, 0.5, 1.0, 1.5]))
    ratio = (drift / fixed) ** 2
    found = [ratio, *(ratio * point.expected_n for point in points)]
    names = ("R", "asn0", "asn_half", "asn1", "asn_1p5")
    assert found == pytest.approx([case[name] for name in names], abs=6e-4)
    at_fixed = operating_points(stops, np.array([fixed]))[0]
    assert at_fixed.power == pytest.approx(case["power_at_fixed90"], abs=6e-4)


def test_a_negative_drift_mirrors_a_positive_one() -> None:
    stops = symmetric_stops((0.5, 1.0), (2.4, 2.0), sided=2)
    up, down = operating_points(stops, np.array([2.0, -2.0]))
    assert up.power == pytest.approx(down.power, rel=1e-12)
    assert up.expected_n == pytest.approx(down.expected_n, rel=1e-12)
    assert up.stop_efficacy == pytest.approx(down.stop_efficacy, rel=1e-12)


def test_simulated_paths_stop_as_often_as_computed() -> None:
    times, drift, n = np.array([0.2, 0.5, 1.0]), 2.2, 200_000
    upper, inner = np.array([2.8, 2.4, 2.0]), np.array([0.3, 0.7, 0.0])
    rng = np.random.default_rng(11)
    steps = np.diff(times, prepend=0.0)
    walk = np.cumsum(rng.normal(drift * steps, np.sqrt(steps), size=(n, 3)), axis=1)
    z = np.abs(walk / np.sqrt(times))
    rejects, gives_up = z >= upper, z < inner
    stop = np.argmax(rejects | gives_up | [False, False, True], axis=1)
    counts = [np.sum(rejects[np.arange(n), stop] & (stop == k)) for k in range(3)]
    futile = [np.sum(gives_up[np.arange(n), stop] & (stop == k)) for k in range(2)]
    inside = ((-0.3, 0.3), (-0.7, 0.7), None)
    chances = stop_chances(Stops(tuple(times), tuple(upper), tuple(-upper), inside), drift)
    expected = [*(chances.up + chances.down)[0], *chances.inside[0, :2]]
    for seen, chance in zip([*counts, *futile], expected, strict=True):
        assert seen / n == pytest.approx(chance, abs=4 * (chance * (1 - chance) / n) ** 0.5)


def test_an_unreachable_power_is_named() -> None:
    with pytest.raises(ConvergenceError, match="No drift up to 64"):
        increasing_root(lambda drift: -1.0 - drift, 1.0)
