"""How many labels: the numbers of gold/evals.json, and what so many labels then give."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm
from scipy.stats import t as student_t

from detectable.core.errors import DataError, InputError
from detectable.data.human.judgments import Judgments
from detectable.inference.control_variate import control_variate
from detectable.report.shown.judges import labels_needed
from detectable.study.precision.label_plan import labels
from tests.gold_evals import evals
from tests.study.precision.judge_file import judge
from tests.study.precision.judge_file import labels as labelled


@pytest.mark.golden
def test_published_numbers() -> None:
    plan: dict[str, Any] = {"half_width": 0.05, "sd": 0.5}
    assert labels(**plan, correlation=0.0).n_formula == pytest.approx(evals("plan.labels.rho0"))
    for rho, key in ((0.5, "plan.labels.rho0.5"), (0.9, "plan.labels.rho0.9")):
        found = labels(**plan, correlation=rho, n_pool=2000)
        assert found.n_formula == pytest.approx(evals(key))
    for rho, n in ((0.3, 355.7), (0.7, 216.3)):
        assert labels(**plan, correlation=rho, n_pool=2000).n_formula == pytest.approx(
            n, abs=0.05
        )
    inside = labels(**plan, correlation=0.7, n_pool=2000, target="test-set")
    assert inside.n_formula == pytest.approx(178.4, abs=0.05)
    assert inside.n_labels == 182
    assert labels(**plan, correlation=0.7, n_pool=2000).pool_floor == pytest.approx(
        evals("plan.labels.floor_N")
    )
    difference = labels(mde=evals("plan.mde.rho0.5"), sd=0.6, correlation=0.5, n_pool=2000)
    assert difference.n_formula == pytest.approx(300.0, abs=1e-4)
    # 216 labels gave a half-width of .0498 in ppi_py, which takes no t and no n - 1.
    assert labels(**plan, correlation=0.7, n_pool=2000).reached == pytest.approx(
        evals("plan.labels.check_halfwidth"), rel=0.02
    )


def test_numbers_of_labels() -> None:
    plan: dict[str, Any] = {"half_width": 0.05, "sd": 0.5, "n_pool": 2000}
    found = [labels(**plan, correlation=rho).n_labels for rho in (0.3, 0.5, 0.7, 0.9)]
    assert found == [360, 307, 220, 91]
    assert labels(half_width=0.05, sd=0.5, correlation=0.0).n_labels == 387
    assert labels(**plan, correlation=-0.7).n_labels == 220


@given(
    st.floats(0.01, 0.95), st.floats(0.02, 0.3), st.integers(10, 5000),
    st.sampled_from(["domain", "test-set"]),
)  # fmt: skip
def test_the_number_is_the_smallest(rho: float, half: float, pool: int, target: str) -> None:
    found = labels(half_width=half, sd=0.5, correlation=rho, n_pool=pool, target=target)  # type: ignore[arg-type]

    def reached(n: int) -> float:
        z = float(student_t.ppf(0.975, n - 1 if n >= pool else n - 2))
        if n >= pool:
            return z * (0.5 / pool**0.5 if target == "domain" else 0.0)
        rest = (1 - rho**2) * (1 + 1 / (n - 3))
        if target == "domain":
            return float(z * 0.5 * (rest / n + rho**2 / pool) ** 0.5)
        return float(z * 0.5 * (rest * (1 / n - 1 / pool)) ** 0.5)

    if found.n_labels is None:
        assert reached(pool) > half
        assert found.smallest_pool > pool
        assert "More items, not more labels" in labels_needed(found)
    else:
        assert reached(found.n_labels) <= half * (1 + 1e-9)
        assert found.reached == pytest.approx(reached(found.n_labels), rel=1e-9)
        assert found.n_labels == 10 or reached(found.n_labels - 1) > half * (1 - 1e-9)


@pytest.mark.golden
def test_a_pilot_is_taken_at_its_lower_bound() -> None:
    mean = labels(half_width=0.05, pilot=labelled(), judge=judge(), system="A")
    assert mean.pilot_correlation == pytest.approx(evals("ppi.A.corr"), rel=1e-6)
    moved = np.arctanh(0.70692203) - 0.8416212335729143 / 197**0.5
    assert mean.correlation == pytest.approx(np.tanh(moved), rel=1e-6)
    assert mean.n_pool == 1200
    difference = labels(mde=0.05, pilot=labelled(), judge=judge())
    assert difference.pilot_correlation == pytest.approx(evals("ppi.diff.corr"), rel=1e-6)
    assert difference.correlation < difference.pilot_correlation  # type: ignore[operator]
    assert difference.saved < mean.saved


@pytest.mark.slow
@pytest.mark.parametrize("rho", [0.3, 0.5, 0.7, 0.9])
def test_so_many_labels_give_the_half_width(rho: float) -> None:
    n = labels(half_width=0.05, sd=0.5, correlation=rho, n_pool=2000).n_labels or 0
    rng, half = np.random.default_rng(7), []
    for _ in range(2000):
        judged, f, h = _drawn(rng, rho, n, 0.0, 0.5)
        made = control_variate(np.where(judged, h, np.nan), f).adjusted.interval(0.95)
        half.append((made.high - made.low) / 2)
    assert np.mean(half) == pytest.approx(0.05, rel=0.015)


@pytest.mark.slow
@pytest.mark.parametrize(("rho", "mde"), [(0.3, 0.1), (0.7, 0.1), (0.3, 0.3)])
def test_so_many_labels_find_the_difference(rho: float, mde: float) -> None:
    n = labels(mde=mde, sd=0.6, correlation=rho, n_pool=2000).n_labels or 0
    rng, found = np.random.default_rng(8), 0
    for _ in range(2000):
        judged, f, h = _drawn(rng, rho, n, mde, 0.6)
        found += control_variate(np.where(judged, h, np.nan), f).adjusted.p_value() <= 0.05
    assert found / 2000 == pytest.approx(0.8, abs=4 * (0.16 / 2000) ** 0.5)


def _drawn(
    rng: np.random.Generator, rho: float, n: int, mean: float, sd: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    f = rng.normal(size=2000)
    h = mean + sd * (rho * f + (1 - rho**2) ** 0.5 * rng.normal(size=2000))
    return np.arange(2000) < n, f, h


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "give one of `half_width` and `mde`"),
        ({"half_width": 1, "mde": 1}, "give one of `half_width` and `mde`"),
        ({"half_width": 0.1}, "`sd` and `correlation` must be given"),
        ({"half_width": -0.1, "sd": 1, "correlation": 0.5}, "`half_width` must be a finite"),
        ({"half_width": 0.1, "sd": 0, "correlation": 0.5}, "`sd` must be a finite"),
        ({"half_width": 0.1, "sd": 1, "correlation": 1.0}, "`correlation` must lie strictly"),
        ({"half_width": 0.1, "sd": 1, "correlation": 0.5, "n_pool": 3}, "`n_pool` must be"),
        ({"mde": 0.1, "sd": 1, "correlation": 0.5, "power": 0.04}, "`power` must be above"),
        (
            {"half_width": 0.1, "sd": 1, "correlation": 0, "system": "A"},
            "have no effect without",
        ),
        ({"half_width": 0.1, "judge": {"A": {"1": 1.0}}}, "must be given together"),
    ],
)
def test_messages(options: dict[str, float], message: str) -> None:
    with pytest.raises(InputError, match=message):
        labels(**options)  # type: ignore[arg-type]


@pytest.mark.golden
def test_messages_about_a_pilot() -> None:
    with pytest.raises(InputError, match="`pilot` measures `sd`"):
        labels(half_width=0.1, sd=1.0, pilot=labelled(), judge=judge())
    with pytest.raises(InputError, match="must be chosen from A, B; got none"):
        labels(half_width=0.1, pilot=labelled(), judge=judge())
    with pytest.raises(InputError, match="must be chosen from A, B; got 'C'"):
        labels(half_width=0.1, pilot=labelled(), judge=judge(), system="C")
    with pytest.raises(InputError, match="`baseline` has no effect with `half_width`"):
        labels(half_width=0.1, pilot=labelled(), judge=judge(), system="A", baseline="B")
    few = labelled().take(np.arange(5))
    with pytest.raises(DataError, match="the pilot has 5 labels"):
        labels(half_width=0.1, pilot=few, judge=judge(), system="A")


@pytest.mark.golden
def test_which_correlation_is_meant_is_said_for_differences_alone() -> None:
    said = "correlation must be that of differences"
    given: dict[str, Any] = {"sd": 0.5, "correlation": 0.5}
    assert said in labels(mde=0.1, **given).notes[0]
    assert labels(half_width=0.1, **given).notes == ()
    [measured] = labels(mde=0.05, pilot=labelled(), judge=judge()).notes
    assert measured.startswith("The pilot's 200 labels give a correlation of 0.38")


def test_the_signature_and_the_words() -> None:
    plan = labels(half_width=0.05, sd=0.5, correlation=0.7, n_pool=2000)
    assert plan.signature.settings == {
        "half-width": 0.05, "sd": 0.5, "rho": 0.7, "pool": 2000, "target": "domain", "alpha": 0.05,
    }  # fmt: skip
    assert plan.power is None
    difference = labels(mde=0.1, sd=0.5, correlation=0.5, power=0.9, alpha=0.1)
    assert difference.signature.settings == {
        "mde": 0.1, "sd": 0.5, "rho": 0.5, "pool": "large", "target": "domain", "alpha": 0.1,
        "power": 0.9,
    }  # fmt: skip
    assert difference.power == 0.9
    assert plan.n_without == labels(half_width=0.05, sd=0.5, correlation=0.0).n_labels
    assert plan.saved == pytest.approx(1 - plan.n_labels / plan.n_without)  # type: ignore[operator]
    assert plan.summary().splitlines()[1] == (
        f"The judge saves {plan.saved:.0%} of the labels, at a correlation of 0.70 with judgments: "
        "data efficiency 1.96."
    )
    useless = labels(half_width=0.05, sd=0.5, correlation=0.0)
    assert useless.summary().splitlines()[1] == (
        "The judge saves no labels, at a correlation of 0.00 with judgments: data efficiency 1.00."
    )


@pytest.mark.parametrize(("rho", "printed"), [(1.0, 1.30), (0.5, 1.06), (0.2, 1.01)])
def test_a_label_is_worth_what_the_paper_prints(rho: float, printed: float) -> None:
    """Wei et al. (2022), Table 3, WMT21: .231 of the variance of a judgment is quality."""
    found = labels(half_width=1.0, sd=29.4, correlation=rho, quality_share=0.231)
    assert found.data_efficiency == pytest.approx(printed, abs=0.005)
    assert found.correlation == pytest.approx(rho * 0.231**0.5)
    # As many times more labels would be needed, but for the slope that is estimated.
    assert found.n_without / found.n_formula == pytest.approx(found.data_efficiency, rel=0.002)


def test_a_share_of_quality_is_checked() -> None:
    with pytest.raises(InputError, match=r"`quality_share` must .* got 1.5"):
        labels(half_width=1.0, sd=29.4, correlation=0.5, quality_share=1.5)
    with pytest.raises(InputError, match=r"`correlation` must lie between -1 and 1; got 2.0"):
        labels(half_width=1.0, sd=29.4, correlation=2.0, quality_share=0.5)


def test_a_judge_that_says_nothing_has_no_slope_to_pay_for() -> None:
    """Without a judge n labels give t with n − 1 degrees of freedom, and sd / √n."""
    found = labels(half_width=0.1, sd=0.5, correlation=0.0)
    n = found.n_labels
    assert n is not None
    assert found.reached == pytest.approx(student_t.ppf(0.975, n - 1) * 0.5 / n**0.5)
    one = labels(half_width=0.1, sd=0.5, correlation=0.3)
    assert one.n_labels is not None
    df, rest = one.n_labels - 2, (1 - 0.09) * (1 + 1 / (one.n_labels - 3))
    wanted = student_t.ppf(0.975, df) * 0.5 * (rest / one.n_labels) ** 0.5
    assert one.reached == pytest.approx(wanted)


def test_limits_of_what_is_asked() -> None:
    with pytest.raises(InputError, match="`power` must be above `alpha`"):
        labels(mde=0.1, sd=0.5, correlation=0.5, power=0.05)
    assert labels(half_width=0.1, sd=0.5, correlation=0.5, power=0.05).n_labels  # has no power
    for rho in (-1.0, 1.0):
        with pytest.raises(InputError, match="strictly between -1 and 1"):
            labels(half_width=0.1, sd=0.5, correlation=rho)
    with pytest.raises(InputError, match="`n_pool` must be"):
        labels(half_width=0.1, sd=0.5, correlation=0.5, n_pool=9)
    assert labels(half_width=0.5, sd=0.5, correlation=0.5, n_pool=10).n_labels == 10
    with pytest.raises(InputError, match="`pilot` and `judge` must be given together"):
        labels(half_width=0.1, judge={"A": {"x": 1.0}})
    with pytest.raises(InputError, match="have no effect without `pilot`"):
        labels(half_width=0.1, sd=0.5, correlation=0.5, system="A")
    inside = labels(half_width=0.5, sd=0.5, correlation=0.5, n_pool=50, target="test-set")
    assert (inside.smallest_pool, inside.pool_floor) == (10, 0.0)


def pilot(
    human: dict[str, list[float]], judge: dict[str, list[float]]
) -> tuple[Judgments, dict[str, dict[str, float]]]:
    rows = [(s, str(i), x) for s, values in human.items() for i, x in enumerate(values)]
    system, item, score = map(list, zip(*rows, strict=True))
    table = Judgments.build({"system": system, "item": item, "score": score}, scale=(-9, 9))
    return table, {s: {str(i): x for i, x in enumerate(v)} for s, v in judge.items()}


def test_what_a_pilot_measures() -> None:
    rng = np.random.default_rng(3)
    judge = {s: rng.normal(size=40).tolist() for s in "AB"}
    human = {s: (np.array(v)[:12] + rng.normal(size=12)).tolist() for s, v in judge.items()}
    table, scores = pilot(human, judge)
    one = labels(half_width=0.9, pilot=table, judge=scores, system="B")
    assert (one.n_pilot, one.n_pool) == (12, 40)
    assert one.sd == pytest.approx(np.std(human["B"], ddof=1))
    assert one.pilot_correlation == pytest.approx(
        np.corrcoef(human["B"], judge["B"][:12])[0, 1]
    )
    both = labels(mde=0.9, pilot=table, judge=scores, system="B", baseline="A", n_pool=90)
    h, f = (np.array(t["B"][:12]) - np.array(t["A"][:12]) for t in (human, judge))
    assert both.n_pool == 90
    assert both.sd == pytest.approx(h.std(ddof=1))
    assert both.pilot_correlation == pytest.approx(np.corrcoef(h, f)[0, 1])
    with pytest.raises(InputError, match="must be chosen from A, B; got 'A', 'A'"):
        labels(mde=0.9, pilot=table, judge=scores, system="A", baseline="A")
    with pytest.raises(InputError, match=r"`system` and `baseline` must be chosen .* got 'A'"):
        labels(mde=0.9, pilot=table, judge=scores, system="A")


def test_pilots_that_say_little() -> None:
    human = [float(i % 2) for i in range(10)]
    table, scores = pilot({"A": human}, {"A": [1.0] * 10})
    flat = labels(half_width=0.2, pilot=table, judge=scores)
    assert (flat.pilot_correlation, flat.correlation) == (0.0, 0.0)
    table, scores = pilot({"A": [1.0] * 10}, {"A": human})
    with pytest.raises(DataError, match="all labels of the pilot are the same"):
        labels(half_width=0.2, pilot=table, judge=scores)
    # A perfect correlation of few labels has no lower end: nothing is taken for granted.
    table, scores = pilot({"A": human}, {"A": human})
    assert labels(half_width=0.2, pilot=table, judge=scores).correlation == 0.0
    weak, against = (np.tile(x, 10) for x in ([0.0, 1, 0, 1], [0.0, 1, 1, 1]))
    table, scores = pilot({"A": weak.tolist()}, {"A": (-against).tolist()})
    found = labels(half_width=0.2, pilot=table, judge=scores)
    seen = -np.corrcoef(weak, against)[0, 1]
    moved = np.arctanh(-seen) - 0.8416212335729143 / 37**0.5
    assert found.correlation == pytest.approx(-np.tanh(moved))


def test_a_level_that_one_minus_it_cannot_show() -> None:
    """1 − 1e-308 is 1, and its quantile no number; the lower tail has one."""
    found = labels(mde=4.0, sd=20.0, correlation=0.0, alpha=1e-308)
    # Labels of a plain mean: ((z + .84) · sd / mde)².
    z = norm.ppf(0.8) - norm.ppf(0.5e-308)
    assert found.n_formula == pytest.approx((z * 5.0) ** 2, rel=1e-9)
